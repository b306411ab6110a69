package pastruns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

// A Pattern is a finding that reviews made, in words that may differ.
type Pattern struct {
	Category  Category `json:"category"`
	Severity  string   `json:"severity"`
	Text      string   `json:"text"`      // the newest of its findings
	Count     int      `json:"count"`     // findings
	Pipelines []string `json:"pipelines"` // keys of the entries
	Phases    []string `json:"phases"`    // whose reviews made it
	First     string   `json:"first"`     // the day, "" if unknown
	Last      string   `json:"last"`
	Score     float64  `json:"score"`
}

// Patterns returns what reviews found, the most telling first: by severity × in how
// many pipelines × how recently (half for each 90 days) × how near to the query.
// Findings of one category and severity are one pattern where their normal forms
// are less than 0.30 of the longer one apart.
func (i *Index) Patterns(q *question.Question, now time.Time) []Pattern {
	g := i.lesson.patterns()
	relevance := g.corpus.relevance(q, minRelevance)
	patterns := make([]Pattern, 0, len(g.members))
	for n, members := range g.members {
		s := i.sightingOf(members)
		category, severity, _ := strings.Cut(s.newest.bucket, " ")
		p := Pattern{Category: Category(category), Severity: severity, Text: s.newest.text, Count: s.count,
			Pipelines: s.pipelines, Phases: []string{}, First: day(s.first), Last: day(s.last)}
		for _, m := range members {
			if phase := i.doc.Entries[m.from].Findings[m.at].Phase; phase != "" && !slices.Contains(p.Phases, phase) {
				p.Phases = append(p.Phases, phase)
			}
		}
		slices.Sort(p.Phases)
		p.Score = float64(weight(severity)) * float64(len(s.pipelines)) * recency(s.last, now) * relevance[n]
		patterns = append(patterns, p)
	}
	slices.SortFunc(patterns, func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Category, b.Category),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Text, b.Text))
	})
	return patterns
}

// PatternsMarkdown writes patterns for layer 4, a line each, in at most budget bytes:
// as many as fit, without a heading.
func PatternsMarkdown(patterns []Pattern, budget int) string {
	lines := make([]string, len(patterns))
	for i, p := range patterns {
		lines[i] = fmt.Sprintf("**[%s]** %s: %s (%s%s)", p.Severity, p.Category, clip(p.Text, 240),
			inPipelines(len(p.Pipelines)), lastSeenText(p.Last))
	}
	return bullets(lines, budget)
}

func inPipelines(n int) string { return "in " + text.Counted(n, "pipeline", "s") }

func lastSeenText(last string) string {
	if last == "" {
		return ""
	}
	return ", last " + last
}

// severityOf returns the severity that a finding counts as.
func severityOf(s string) string {
	if s == Critical || s == Major {
		return s
	}
	return Minor
}
