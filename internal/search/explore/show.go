package explore

import (
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/index"
	"codeintel/internal/search"
	"codeintel/internal/search/excerpt"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// Shares of an answer.
const (
	usualShare = 75  // of a hundred characters that the answer to a question may have, unless it said how many
	codeShare  = 80  // of those are for code
	firstShare = 60  // of these are for the first place, where there are others
	minLines   = 4   // of a place that is shown at all
	headLines  = 2   // of a place of which only a part is shown
	longType   = 24  // of a type that is longer than what is shown
	maxFilled  = 200 // of a place that is shown whole where there is room
	smallFile  = 60  // lines of a file that is shown whole if its head fits the question
	minTwin    = 3   // lines of a place that may be another one's twin
	twinShare  = 85  // of a hundred of its lines are those of the other
	gap        = 2   // lines that are not worth leaving out
	nearBest   = 0.8 // of the best score: such places have as much said about them as the first one

	longComment = 10 // lines: of such a comment only the beginning is shown
	beginning   = 4

	clearlyLess = 0.7 // of the best score
	weakPlaces  = 3   // of a weak answer
	likely      = 0.5 // the score from which on a place is more likely than not the target
)

// How many lines of a place are shown at first, by its rank: a function that is not much longer
// is shown whole. Further places are named.
var (
	allowed      = []int{130, 100, 60, 40, 40, 24, 24, 24}
	allowedClear = []int{130, 100, 40, 24}               // where the first place is much better than the second
	allowedLoose = []int{40, 24, 16, 6, 6}               // where no place is likely to be the one that is meant
	allowedNamed = []int{140, 60, 40, 24, 16, 12, 10, 8} // of places that were asked for by name
	allowedUses  = []int{24, 16, 16, 12, 12, 8, 8, 8}    // that only use the name
)

// lines returns which of these holds for the answer.
func (r *run) lines() []int {
	switch {
	case r.uses:
		return allowedUses
	case r.named:
		return allowedNamed
	case r.a.Weak:
		return allowedLoose[:weakPlaces]
	case r.a.Loose:
		return allowedLoose
	case r.ofTest, len(r.found) > 1 && r.found[1].score < clearlyLess*r.found[0].score:
		return allowedClear
	}
	return allowed
}

// show puts the code of the best places into the answer.
func (r *run) show() error {
	if r.usual && (!r.named || r.uses) {
		r.left = r.left * usualShare / 100
	}
	rest := r.left * (100 - codeShare) / 100
	lines := r.lines()
	ranked := 0 // places that fit, without those that join them
	for i := range r.found {
		if ranked == len(lines) {
			break
		}
		c := &r.found[i]
		if ready, err := r.ready(c); err != nil {
			return err
		} else if !ready {
			continue
		}
		most := lines[ranked]
		if c.joins {
			most = min(most, joiningLines)
		}
		if d := c.declared; d != nil && d.Kind.HasMembers() && c.end-c.start >= most {
			most = min(most, longType) // its members are listed
		}
		if !r.showUpTo(c, most, rest) {
			return nil
		}
		if !c.joins {
			ranked++
		}
	}
	return nil
}

// ready finds all of a candidate, and reports whether it is to be shown: neither a test that is named among the
// tests, nor what the answer has already.
func (r *run) ready(c *candidate) (bool, error) {
	if r.isCodeShown(c) || len(r.a.Places) > 0 && !r.named && !r.asked.Tests && r.isTest(c) {
		return false, nil
	}
	if err := r.declare(c); err != nil {
		return false, err
	}
	if err := r.whole(c); err != nil {
		return false, err
	}
	c.join()
	return !r.isCodeShown(c) && (r.named || !r.isTwin(c)), nil
}

// showUpTo puts a candidate into the answer with up to so many of its lines, fewer where the answer has no more
// room but for the rest, and reports whether it fits at all.
func (r *run) showUpTo(c *candidate, most, rest int) bool {
	rows := r.rows(c)
	n := len(rows)
	if n > most*3/2 { // what is a little longer is not worth a cut
		n = most
	}
	first := len(r.a.Places) == 0
	for ; ; n = n * 2 / 3 {
		p := r.describePlace(c, rows, n)
		size := search.Size(p)
		if first && len(r.found) > 1 && !r.named && n > longType && size > (r.left-rest)*firstShare/100 {
			continue
		}
		if r.left-size >= rest || first && (size <= r.left || n <= minLines) {
			r.left -= size // the first is shown in any case: an answer without a place helps nobody
			r.a.Places, r.shows = append(r.a.Places, p), append(r.shows, *c)
			return true
		}
		if n <= minLines {
			return false
		}
	}
}

// fill shows more of the places that are cut, best first, as long as the answer has room.
func (r *run) fill() error {
	if r.a.Weak {
		return nil
	}
	for i := range r.shows {
		c, p := &r.shows[i], &r.a.Places[i]
		rows := r.rows(c)
		all := len(rows)
		if len(p.Members) > 0 || all > maxFilled {
			continue
		}
		had := search.Size(p.Code)
		for n := all; n > p.lines(); n = n * 4 / 5 {
			code := r.describePlace(c, rows, n).Code
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
	if d == nil || !d.Kind.Callable() || d.EndLine-d.StartLine >= excerpt.Longest {
		return
	}
	if c.start > d.StartLine || c.end < d.EndLine {
		c.start, c.end = d.StartLine, d.EndLine
	}
}

// isTwin reports whether nearly all that a candidate says is in the answer already: the same code or text
// once more, of another variant of a module or a copied document.
func (r *run) isTwin(c *candidate) bool {
	own := r.saying(c.file, c.start, c.end)
	return len(own) >= minTwin && slices.ContainsFunc(r.a.Places, func(p Place) bool {
		if p.File == c.file {
			return false
		}
		same := 0
		for line := range r.saying(p.File, p.StartLine, p.EndLine) {
			if own[line] {
				same++
			}
		}
		return same*100 >= len(own)*twinShare
	})
}

// saying is the set of lines of a place that say something: no brackets alone.
func (r *run) saying(file string, start, end int) map[string]bool {
	code, _ := r.src.Block(file, start, end, min(end-start+1, maxFilled))
	set := map[string]bool{}
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); strings.ContainsFunc(line, unicode.IsLetter) {
			set[line] = true
		}
	}
	return set
}

// whole makes all of a small file of a candidate that is but its head, comments and imports, if nothing else of
// it is shown: what the comment describes follows.
func (r *run) whole(c *candidate) error {
	if c.symbol != "" || c.start != 1 || slices.ContainsFunc(r.a.Places, func(p Place) bool { return p.File == c.file }) {
		return nil
	}
	list, err := r.symbolsOf(c.file)
	if err != nil || list == nil {
		return err
	}
	end := c.end
	for i := range list {
		s := &list[i]
		if inside := candidateOf(s); s.Kind.Callable() && !r.isTest(&inside) {
			end = max(end, s.EndLine)
		}
	}
	if end <= smallFile {
		c.end = end
	}
	return nil
}

// declare finds the symbol that a candidate is.
func (r *run) declare(c *candidate) error {
	if c.declared != nil || c.symbol == "" || !related(c.kind) {
		return nil
	}
	list, err := r.symbolsOf(c.file)
	if err != nil || list == nil {
		return err
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

// commenting are words of questions that are about comments themselves.
var commenting = func() map[string]bool {
	set := map[string]bool{}
	for w := range text.WordSet("comment docstring doc docs document documented documentation") {
		set[terms.Stem(w)] = true
	}
	return set
}()

// aboutComments reports whether a question is about comments and documentation.
func (r *run) aboutComments() bool {
	return slices.ContainsFunc(r.asked.Words, func(w string) bool { return commenting[w] })
}

// rows are the lines of a candidate that are worth showing: of a long comment in code or before
// it only the beginning, unless it holds a text that the question quotes.
func (r *run) rows(c *candidate) []int {
	code, last := r.src.Block(c.file, c.start, c.end, c.end-c.start+1)
	lines := strings.Split(code, "\n")
	all := make([]int, 0, len(lines))
	var comment []bool
	if related(c.kind) && c.line == 0 && !r.aboutComments() {
		comment = text.CommentLines(lines)
	}
	for i := 0; c.start+i <= last; i++ {
		end := i
		for end < len(comment) && comment[end] {
			end++
		}
		if end-i >= longComment && !r.quoted(lines[i:end]) {
			for k := range beginning {
				all = append(all, c.start+i+k)
			}
			i = end - 1
			continue
		}
		for ; i < end-1; i++ {
			all = append(all, c.start+i)
		}
		all = append(all, c.start+i)
	}
	return all
}

// quoted reports whether lines hold a text as the question quotes it.
func (r *run) quoted(lines []string) bool {
	return slices.ContainsFunc(r.asked.Exact, func(e question.Exact) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, e.Text) })
	})
}

// describePlace describes a candidate with n of its lines: all of them, or its head and those that
// say most about the question.
func (r *run) describePlace(c *candidate, rows []int, n int) Place {
	p := Place{Spot: Spot{File: c.file, StartLine: c.start, EndLine: c.end, Symbol: c.symbol}, Kind: c.kind}
	for _, span := range r.spans(c, rows, n) {
		if code, last := r.src.Block(c.file, span.Start, c.end, span.End-span.Start+1); last >= span.Start {
			p.Code = append(p.Code, Code{Line: span.Start, Text: code, last: last})
		}
	}
	return p
}

// spans returns the runs of lines that are shown of a candidate.
func (r *run) spans(c *candidate, rows []int, n int) []search.Span {
	if len(rows) <= n {
		return runsOf(rows)
	}
	head := 0
	if n > 3*headLines && c.symbol != "" {
		head = headLines
	}
	var runs []search.Span
	if c.line > 0 {
		at := min(max(c.start, c.line-(n-head)/2), max(c.start, c.end-(n-head)+1))
		runs = []search.Span{{Start: at, End: at + n - head - 1}}
	} else {
		runs = r.best(c, rows, n-head)
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
	for i := range runs[:len(runs)-1] {
		runs[i].End = min(runs[i].End, runs[i+1].Start-1)
	}
	return withoutGaps(runs, c.end)
}

// withoutGaps makes one of runs that hardly anything is between, and shows the rest of a place whose
// last line is end if that is hardly anything.
func withoutGaps(runs []search.Span, end int) []search.Span {
	all := runs[:1]
	for _, next := range runs[1:] {
		if last := &all[len(all)-1]; next.Start <= last.End+1+gap {
			last.End = max(last.End, next.End)
		} else {
			all = append(all, next)
		}
	}
	if last := &all[len(all)-1]; end <= last.End+1+gap {
		last.End = max(last.End, end)
	}
	return all
}

// best returns the n of some lines that say most about the question.
func (r *run) best(c *candidate, rows []int, n int) (runs []search.Span) {
	code, _ := r.src.Block(c.file, c.start, c.end, c.end-c.start+1)
	all := strings.Split(code, "\n")
	rows = rows[:min(len(rows), excerpt.Longest)]
	kept := make([]string, len(rows))
	for i, line := range rows {
		kept[i] = all[line-c.start]
	}
	for _, s := range r.src.Runs(r.asked, kept, n) {
		runs = append(runs, runsOf(rows[s.Start:min(s.End+1, len(rows))])...)
	}
	return runs
}

// runsOf joins lines that follow each other.
func runsOf(rows []int) (runs []search.Span) {
	for _, line := range rows {
		if k := len(runs) - 1; k >= 0 && runs[k].End == line-1 {
			runs[k].End = line
			continue
		}
		runs = append(runs, search.Span{Start: line, End: line})
	}
	return runs
}

// called reports whether symbols of a kind are called; others are used.
func called(k syntax.Kind) bool {
	return slices.Contains([]syntax.Kind{syntax.Function, syntax.Method, syntax.Constructor}, k)
}
