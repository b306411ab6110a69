package trigram

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Query says which trigrams a text has that matches: all of some, and one of
// each of some lists of alternatives. The zero Query holds for every text.
type Query struct {
	all    []uint32
	either [][]Query // of each list one holds
}

// Any reports whether q holds for every text, so that it filters nothing.
func (q Query) Any() bool { return len(q.all) == 0 && len(q.either) == 0 }

// allOf holds where all of the queries do.
func allOf(queries ...Query) (q Query) {
	for _, other := range queries {
		q.all = append(q.all, other.all...)
		q.either = append(q.either, other.either...)
	}
	slices.Sort(q.all)
	q.all = slices.Compact(q.all)
	return q
}

// Either holds where one of the queries does; without any, for every text.
func Either(queries ...Query) Query {
	if len(queries) == 0 || slices.ContainsFunc(queries, Query.Any) {
		return Query{}
	}
	if len(queries) == 1 {
		return queries[0]
	}
	return Query{either: [][]Query{queries}}
}

// manyTrigrams is how many of a long text are asked for: more would hardly rule
// out another file.
const manyTrigrams = 24

// Literal holds for texts that have text in one of their lines, in any case of
// its ASCII letters.
func Literal(text string) Query {
	if !utf8.ValidString(text) { // it could begin within a character
		return Query{}
	}
	return literal(normal(text))
}

// literal is Literal for a text that is normal.
func literal(text string) (q Query) {
	if strings.Contains(text, "\n") || len(text) < 3 {
		return Query{}
	}
	n := len(text) - 2
	take := min(n, manyTrigrams)
	for i := range take {
		at := 0
		if take > 1 {
			at = i * (n - 1) / (take - 1)
		}
		q.all = append(q.all, uint32(text[at])<<16|uint32(text[at+1])<<8|uint32(text[at+2]))
	}
	slices.Sort(q.all)
	q.all = slices.Compact(q.all)
	return q
}

// Expression holds for texts that re matches within a line.
func Expression(re *syntax.Regexp) Query {
	return analyze(re).query()
}

// Bounds of what is worked out of an expression.
const (
	manyStrings = 24 // spellings of one stretch
	longString  = 48 // bytes of a spelling
	manyRunes   = 6  // members of a character class that are spelled out
)

// A facts is what is known of the texts an expression matches: all of their
// spellings, in normal form, or else the trigrams they have.
type facts struct {
	known  bool
	spells []string
	has    Query
}

func unknown() facts { return facts{} }

func spelledFacts(s ...string) facts { return facts{known: true, spells: s} }

// query turns spellings into trigrams.
func (m facts) query() Query {
	if !m.known {
		return m.has
	}
	list := make([]Query, 0, len(m.spells))
	for _, s := range m.spells {
		q := literal(s)
		if q.Any() {
			return Query{}
		}
		list = append(list, q)
	}
	return Either(list...)
}

func analyze(re *syntax.Regexp) facts {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return spelledFacts("")
	case syntax.OpLiteral:
		return analyzeLiteral(re)
	case syntax.OpCharClass:
		return analyzeClass(re)
	case syntax.OpCapture:
		return analyze(re.Sub[0])
	case syntax.OpQuest:
		m := analyze(re.Sub[0])
		if m.known && len(m.spells) < manyStrings {
			return spelledFacts(distinct(append(slices.Clone(m.spells), ""))...)
		}
	case syntax.OpPlus:
		return facts{has: analyze(re.Sub[0]).query()}
	case syntax.OpRepeat:
		if re.Min > 0 {
			return facts{has: analyze(re.Sub[0]).query()}
		}
	case syntax.OpConcat:
		return analyzeConcat(re.Sub)
	case syntax.OpAlternate:
		return analyzeAlternate(re.Sub)
	}
	return unknown()
}

// analyzeLiteral spells a literal. Where case is ignored, letters beyond ASCII
// are spelled in each of their cases.
func analyzeLiteral(re *syntax.Regexp) facts {
	var parts []facts
	var run []rune
	for _, r := range re.Rune {
		if re.Flags&syntax.FoldCase == 0 || r < utf8.RuneSelf || unicode.SimpleFold(r) == r {
			run = append(run, r)
			continue
		}
		parts = append(parts, spelledFacts(normal(string(run))), spelledFacts(cases(r)...))
		run = nil
	}
	return join(append(parts, spelledFacts(normal(string(run)))))
}

// cases returns all that a letter may be where case is ignored.
func cases(r rune) []string {
	list := []string{normal(string(r))}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		list = append(list, normal(string(f)))
	}
	return distinct(list)
}

func analyzeClass(re *syntax.Regexp) facts {
	var list []string
	for i := 0; i+1 < len(re.Rune); i += 2 {
		if re.Rune[i+1]-re.Rune[i] >= 2*manyRunes {
			return unknown()
		}
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			list = append(list, normal(string(r)))
		}
	}
	if list = distinct(list); len(list) == 0 || len(list) > manyRunes {
		return unknown()
	}
	return spelledFacts(list...)
}

func analyzeConcat(subs []*syntax.Regexp) facts {
	parts := make([]facts, len(subs))
	for i, sub := range subs {
		parts[i] = analyze(sub)
	}
	return join(parts)
}

// join is what is known of texts that follow one another. Stretches that can be
// spelled are spelled as one, as long as that has not too many ways.
func join(parts []facts) facts {
	stretch := spelledFacts("")
	var has []Query
	for _, p := range parts {
		if p.known {
			if longer, ok := concatenations(stretch.spells, p.spells); ok {
				stretch = spelledFacts(longer...)
				continue
			}
		}
		has = append(has, stretch.query())
		if stretch = spelledFacts(""); p.known {
			stretch = p
		} else {
			has = append(has, p.has)
		}
	}
	if has == nil {
		return stretch
	}
	return facts{has: allOf(append(has, stretch.query())...)}
}

// concatenations returns each of a followed by each of b.
func concatenations(a, b []string) (all []string, ok bool) {
	if len(a)*len(b) > manyStrings {
		return nil, false
	}
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > longString {
				return nil, false
			}
			all = append(all, x+y)
		}
	}
	return distinct(all), true
}

func analyzeAlternate(subs []*syntax.Regexp) facts {
	m := spelledFacts()
	var each []Query
	for _, sub := range subs {
		s := analyze(sub)
		each = append(each, s.query())
		m.known = m.known && s.known
		m.spells = append(m.spells, s.spells...)
	}
	if m.spells = distinct(m.spells); m.known && len(m.spells) <= manyStrings {
		return m
	}
	return facts{has: Either(each...)}
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
