package memory

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// newMap makes a Map of agreements in any order: it leaves out what failed and
// what newer agreements supersede, joins those that say the same, and weighs the
// rest by age.
func newMap(all []*Agreement, faults []Fault) *Map {
	m := &Map{Faults: faults}
	slices.SortFunc(all, func(a, b *Agreement) int {
		return cmp.Or(b.LearnedAt.Compare(a.LearnedAt), strings.Compare(a.Path, b.Path))
	})
	replaced := make(map[string]bool) // base names
	for _, a := range all {
		for _, r := range a.Replaces {
			replaced[strings.TrimSuffix(path.Base(r), ".md")] = true
		}
	}
	meaning := make(map[string]*Agreement) // the newest for each phrase
	for _, a := range all {
		switch {
		case a.Outcome == Failure:
			m.Faults = append(m.Faults, Fault{a.Path, msg.New("memory.session_failed")})
			continue
		case replaced[strings.TrimSuffix(path.Base(a.Path), ".md")]:
			m.Superseded++
			continue
		}
		kept := *a
		kept.Phrases = slices.DeleteFunc(slices.Clone(a.Phrases), func(phrase string) bool {
			newer := meaning[phraseKey(phrase)]
			if newer == nil {
				return false
			}
			if sameMeaning(newer, a) {
				newer.Confirmed++
			}
			return true
		})
		if len(kept.Phrases) == 0 {
			m.Superseded++
			continue
		}
		for _, phrase := range kept.Phrases {
			meaning[phraseKey(phrase)] = &kept
		}
		m.Agreements = append(m.Agreements, &kept)
	}
	slices.SortFunc(m.Faults, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Reason.String(), b.Reason.String()))
	})
	m.weigh()
	m.words = newVocabulary(m.Agreements)
	return m
}

// phraseKey is the same for phrases of the same words.
func phraseKey(phrase string) string {
	words := terms.Query(phrase)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// sameMeaning reports whether two agreements point at some symbol or, where one
// names no symbol, file in common.
func sameMeaning(a, b *Agreement) bool {
	share := func(x, y []string) bool {
		return slices.ContainsFunc(x, func(s string) bool { return slices.Contains(y, s) })
	}
	if len(a.Symbols) > 0 && len(b.Symbols) > 0 {
		return share(a.Symbols, b.Symbols)
	}
	return share(a.Files, b.Files)
}

// weigh sets the weights. The agreements are sorted, newest first; one without a
// date is as old as the oldest.
func (m *Map) weigh() {
	var newest, oldest time.Time
	for _, a := range m.Agreements {
		if a.LearnedAt.IsZero() {
			continue
		}
		if newest.IsZero() {
			newest = a.LearnedAt
		}
		oldest = a.LearnedAt
	}
	for _, a := range m.Agreements {
		at := a.LearnedAt
		if at.IsZero() {
			at = oldest
		}
		age := float64(newest.Sub(at)) / float64(halfLife)
		a.Weight = minAged + (1-minAged)*math.Exp2(-age)
		switch {
		case a.Outcome == Partial:
			a.Weight *= halfSuccess
		case a.Outcome == Unknown && a.Session != "": // a person's own word needs no confirmation
			a.Weight *= unconfirmed
		}
	}
}

// A vocabulary knows how rare each word of the phrases is.
type vocabulary struct {
	phrases []phrase
	holds   map[string][]int // numbers of the phrases with a term
}

type phrase struct {
	agreement *Agreement
	text      string
	terms     []string
}

func newVocabulary(all []*Agreement) vocabulary {
	v := vocabulary{holds: make(map[string][]int)}
	for _, a := range all {
		for _, text := range a.Phrases {
			p := phrase{a, text, terms.Query(text)}
			for _, t := range p.terms {
				v.holds[t] = append(v.holds[t], len(v.phrases))
			}
			v.phrases = append(v.phrases, p)
		}
	}
	return v
}

// idf returns the inverse document frequency of BM25, of a term over the phrases.
func (v *vocabulary) idf(term string) float64 {
	n, all := float64(len(v.holds[term])), float64(len(v.phrases))
	return math.Log(1 + (all-n+.5)/(n+.5))
}

// A Match is a phrase that shares words with a question.
type Match struct {
	*Agreement
	Phrase string
	Cover  float64 // how much of the phrase's weight the question holds, from 0 to 1
}

// Match returns at most n phrases that share words with a question, those that it
// covers best first.
func (m *Map) Match(q *question.Question, n int) []Match {
	asked := q.Terms
	met := make(map[int]bool)
	var found []Match
	for _, t := range asked {
		for _, i := range m.words.holds[t] {
			if met[i] {
				continue
			}
			met[i] = true
			p := &m.words.phrases[i]
			var all, held float64
			for _, t := range p.terms {
				w := m.words.idf(t)
				all += w
				if slices.Contains(asked, t) {
					held += w
				}
			}
			found = append(found, Match{p.agreement, p.text, held / all})
		}
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Cover*b.Weight, a.Cover*a.Weight),
			strings.Compare(a.Path, b.Path), strings.Compare(a.Phrase, b.Phrase))
	})
	return found[:min(n, len(found))]
}

// Bounds of an expansion.
const (
	minCover      = 0.5 // of a phrase, for its symbols to be added
	expandMatches = 8
	expandTerms   = 24
	expandWeight  = 0.5 // of the surest term beside the query's own
)

// Expand returns the terms of the symbols and files that the phrases of a question
// stand for, without those that the question already has: a learned Japanese phrase
// adds its English identifiers. The heaviest come first.
func (m *Map) Expand(q *question.Question) []WeightedTerm {
	if m == nil {
		return nil
	}
	weights := make(map[string]float64)
	for _, match := range m.Match(q, expandMatches) {
		if match.Cover < minCover {
			continue
		}
		add := func(text string, share float64) {
			for _, t := range terms.Query(text) {
				if w := expandWeight * share * match.Cover * match.Weight; !slices.Contains(q.Terms, t) {
					weights[t] = max(weights[t], w)
				}
			}
		}
		for _, s := range match.Symbols {
			_, name := SplitSymbol(s)
			add(name, 1)
		}
		for _, f := range match.Files {
			base := path.Base(f)
			add(strings.TrimSuffix(base, path.Ext(base)), 0.5)
		}
	}
	list := make([]WeightedTerm, 0, len(weights))
	for t, w := range weights {
		list = append(list, WeightedTerm{t, w})
	}
	slices.SortFunc(list, func(a, b WeightedTerm) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Term, b.Term))
	})
	return list[:min(len(list), expandTerms)]
}

// SplitSymbol splits "path#Scope.Name"; file is empty for a plain name.
func SplitSymbol(symbol string) (file, name string) {
	if f, n, ok := strings.Cut(symbol, "#"); ok && f != "" && n != "" {
		return f, n
	}
	return "", symbol
}
