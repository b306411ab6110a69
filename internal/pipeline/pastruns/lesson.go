package pastruns

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// lessons is what is worked out of the entries once, when it is first asked for.
type lessons struct {
	similar   func() *corpus
	patterns  func() *groups
	frictions func() *groups
}

// groups are texts that say the same, and a corpus with a text for each group.
type groups struct {
	members [][]mention
	corpus  *corpus
}

func learn(entries []Entry) *lessons {
	return &lessons{
		similar: sync.OnceValue(func() *corpus {
			texts := make([]string, len(entries))
			for i, e := range entries {
				parts := []string{e.Title, e.SpecName, e.Title, e.Request, e.Summary, strings.Join(e.Files, " ")}
				texts[i] = strings.Join(parts, "\n")
			}
			return newCorpus(texts)
		}),
		patterns: sync.OnceValue(func() *groups {
			var all []mention
			for i, e := range entries {
				for j, f := range e.Findings {
					severity := severityOf(f.Severity)
					all = append(all, mention{string(categoryOf(f.Description)) + " " + severity, f.Description,
						newForm(f.Description), i, j})
				}
			}
			return newGroups(entries, all)
		}),
		frictions: sync.OnceValue(func() *groups {
			var all []mention
			for i, e := range entries {
				for j, f := range e.Frictions {
					all = append(all, mention{"", f.Text, newForm(f.Text), i, j})
				}
			}
			return newGroups(entries, all)
		}),
	}
}

func newGroups(entries []Entry, all []mention) *groups {
	g := &groups{members: merge(all)}
	texts := make([]string, len(g.members))
	for i, members := range g.members {
		var lines []string
		for _, m := range members {
			lines = append(lines, m.text, entries[m.from].Title)
		}
		slices.Sort(lines)
		texts[i] = strings.Join(slices.Compact(lines), "\n")
	}
	g.corpus = newCorpus(texts)
	return g
}

// halfLife is how long it takes until what was seen counts half.
const halfLife = 90 * 24 * time.Hour

// minRelevance is what a text counts that shares nothing with a query of which
// others share something.
const minRelevance = 0.25

// unknownAge is the age of an entry without a time.
const unknownAge = 4 * halfLife

func recency(last, now time.Time) float64 {
	age := unknownAge
	if !last.IsZero() {
		age = max(0, now.Sub(last))
	}
	return math.Pow(0.5, float64(age)/float64(halfLife))
}

// parseTime reads a time of an entry; it is zero if there is none.
func parseTime(stamp string) time.Time {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// A sighting is what the members of a group have in common.
type sighting struct {
	newest    mention
	count     int
	pipelines []string // keys, sorted
	first     time.Time
	last      time.Time
}

func (i *Index) sightingOf(members []mention) sighting {
	s := sighting{newest: members[0], count: len(members)}
	when := func(m mention) time.Time { return parseTime(i.doc.Entries[m.from].Ended) }
	for _, m := range members {
		s.pipelines = append(s.pipelines, i.doc.Entries[m.from].Key())
		at := when(m)
		if cmp.Or(at.Compare(when(s.newest)), cmp.Compare(s.newest.text, m.text)) > 0 {
			s.newest = m
		}
		if !at.IsZero() && (s.first.IsZero() || at.Before(s.first)) {
			s.first = at
		}
		if at.After(s.last) {
			s.last = at
		}
	}
	slices.Sort(s.pipelines)
	s.pipelines = slices.Compact(s.pipelines)
	return s
}

// day writes a time as the day it was; "" for none.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// maxLine bounds the characters of a line of layer 4.
const maxLine = 1200

// bullets puts as many whole lines together as fit into budget bytes, from the
// first. A line that does not fit ends the list. What agents wrote may not begin a
// line of its own, nor a heading with it.
func bullets(lines []string, budget int) string {
	var b strings.Builder
	for _, line := range lines {
		line = "- " + clip(line, maxLine) + "\n"
		if b.Len()+len(line) > budget {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}
