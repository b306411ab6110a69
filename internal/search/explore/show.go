package explore

import (
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/excerpt"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// Shares of an answer.
const (
	codeShare  = 80  // of a hundred characters are for code
	firstShare = 60  // of these are for the first place, where there are others
	leastLines = 4   // of a place that is shown at all
	headLines  = 2   // of a place of which only a part is shown
	longType   = 24  // of a type that is longer than what is shown
	mostFilled = 200 // of a place that is shown whole where there is room
	nearBest   = 0.8 // of the best score: such places have as much said about them as the first one

	clearlyLess = 0.7 // of the best score
	weakPlaces  = 3   // of a weak answer
	likely      = 0.5 // the score from which on a place is more likely than not what is meant
)

// How many lines of a place are shown, by its rank: a function that is not much longer is
// shown whole. Further places are named.
var (
	allowed      = []int{130, 100, 40, 12, 6}
	allowedClear = []int{130, 100, 12, 6}                // where the first place is much better than the second
	allowedLoose = []int{60, 60, 40, 6, 6}               // where no place is likely to be the one that is meant
	allowedNamed = []int{140, 60, 40, 24, 16, 12, 10, 8} // of places that were asked for by name
)

// lines returns which of these holds for the answer.
func (r *run) lines() []int {
	switch {
	case r.named:
		return allowedNamed
	case r.a.Weak:
		return allowedLoose[:weakPlaces]
	case r.a.Loose:
		return allowedLoose
	case len(r.found) > 1 && r.found[1].score < clearlyLess*r.found[0].score:
		return allowedClear
	}
	return allowed
}

// show puts the code of the best places into the answer.
func (r *run) show() error {
	rest := r.left * (100 - codeShare) / 100
	lines := r.lines()
	for i := range r.found {
		if len(r.a.Places) == len(lines) {
			break
		}
		c := &r.found[i]
		if r.shown(c) || len(r.a.Places) > 0 && !r.named && !r.asked.Tests && r.isTest(c) { // named among the tests
			continue
		}
		if err := r.declare(c); err != nil {
			return err
		}
		if c.join(); r.shown(c) {
			continue
		}
		most := lines[len(r.a.Places)]
		if d := c.declared; d != nil && d.Kind.HoldsMembers() && c.end-c.start >= most {
			most = min(most, longType) // its members are listed
		}
		n := c.end - c.start + 1
		if n > most*3/2 { // what is a little longer is not worth a cut
			n = most
		}
		for ; ; n = n * 2 / 3 {
			p := r.place(c, n)
			first := len(r.a.Places) == 0
			size := search.Size(p)
			if first && len(r.found) > 1 && !r.named && n > longType && size > (r.left-rest)*firstShare/100 {
				continue
			}
			if r.left-size >= rest || first && (size <= r.left || n <= leastLines) {
				r.left -= size // the first is shown in any case: an answer without a place helps nobody
				r.a.Places, r.shows = append(r.a.Places, p), append(r.shows, *c)
				break
			}
			if n <= leastLines {
				return nil
			}
		}
	}
	return nil
}

// fill shows more of the first place if it is cut, and of others that were asked for by
// name, as long as the answer has room.
func (r *run) fill() error {
	if r.a.Weak || r.a.Loose {
		return nil
	}
	most := 1
	if r.named {
		most = mostRelated
	}
	for i := range r.shows[:min(len(r.shows), most)] {
		c, p := &r.shows[i], &r.a.Places[i]
		all := c.end - c.start + 1
		if len(p.Members) > 0 || all > mostFilled {
			continue
		}
		had := search.Size(p.Code)
		for n := all; n > p.lines(); n = n * 4 / 5 {
			code := r.place(c, n).Code
			if size := search.Size(code) - had; size <= r.left {
				r.left -= size
				p.Code = code
				break
			}
		}
	}
	return nil
}

// lines is how many lines of a place are shown.
func (p *Place) lines() (n int) {
	for _, c := range p.Code {
		n += c.last - c.Line + 1
	}
	return n
}

// join makes the whole function of a candidate that is a piece of a long one: its other
// pieces are no further places.
func (c *candidate) join() {
	d := c.declared
	if d == nil || !search.Callable(d.Kind) || d.EndLine-d.StartLine >= excerpt.Longest {
		return
	}
	if c.start > d.StartLine || c.end < d.EndLine {
		c.start, c.end = d.StartLine, d.EndLine
	}
}

// declare finds the symbol that a candidate is.
func (r *run) declare(c *candidate) error {
	if c.declared != nil || c.symbol == "" || !related(c.kind) {
		return nil
	}
	list, err := r.e.x.FileSymbols(r.ctx, c.file)
	if problem.Of(err) != nil {
		return nil // gone meanwhile
	}
	if err != nil {
		return errorf("symbols", err)
	}
	var best *index.Symbol
	for i := range list {
		s := &list[i]
		if s.Kind == c.kind && s.StartLine <= c.end && c.start <= s.EndLine &&
			text.Dotted(s.Scope, s.Name) == c.symbol &&
			(best == nil || abs(s.StartLine-c.start) < abs(best.StartLine-c.start)) {
			best = s
		}
	}
	c.declared = best
	return nil
}

func abs(n int) int { return max(n, -n) }

// place describes a candidate with n lines of its code: all of it, or its head and the
// lines that say most about the question.
func (r *run) place(c *candidate, n int) Place {
	p := Place{Spot: Spot{File: c.file, StartLine: c.start, EndLine: c.end, Symbol: c.symbol}, Kind: c.kind}
	add := func(from, n int) {
		if code, last := r.src.Block(c.file, from, c.end, n); last >= from {
			p.Code = append(p.Code, Code{Line: from, Text: code, last: last})
		}
	}
	if c.end-c.start < n {
		add(c.start, n)
		return p
	}
	head := 0
	if n > 3*headLines && c.symbol != "" {
		head = headLines
	}
	runs := r.src.Windows(r.asked, c.file, c.start, c.end, n-head)
	if c.line > 0 {
		at := min(max(c.start, c.line-(n-head)/2), max(c.start, c.end-(n-head)+1))
		runs = []search.Span{{Start: at, End: at + n - head - 1}}
	}
	first := c.start
	if d := c.declared; d != nil && d.NameLine > 0 && d.NameLine < runs[0].Start {
		first = d.NameLine // before the piece of a long function, too
	}
	switch last := first + head - 1; {
	case head == 0:
	case runs[0].Start > last+1:
		runs = append([]search.Span{{Start: first, End: last}}, runs...)
	default: // the head and the first run are one
		if first == c.start { // what a comment begins with need not be shown
			first = runs[0].Start
		}
		runs[0] = search.Span{Start: first, End: first + head + runs[0].End - runs[0].Start}
	}
	for i, span := range runs {
		if i+1 < len(runs) {
			span.End = min(span.End, runs[i+1].Start-1)
		}
		add(span.Start, span.End-span.Start+1)
	}
	return p
}

// called reports whether symbols of a kind are called; others are used.
func called(k syntax.Kind) bool {
	return slices.Contains([]syntax.Kind{syntax.Function, syntax.Method, syntax.Constructor}, k)
}
