package engine

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/treesitter"
	"codeintel/internal/text"
)

// One bracket too few can cost the rest of a file: the grammar takes what follows for
// the inside of what never ends. People indent, though, so a second look at the lines
// says where declarations begin and end, brackets or not. What does not parse by
// itself is taken out of the text, which is then read again.

// A Recovery is what the second look knows of a language.
type Recovery struct {
	// Heads matches at the beginning of a text if a declaration begins on its first line,
	// which is not blank, and the name in its last group that matches anything. It may reach
	// over line breaks.
	Heads *lazyregexp.Regexp

	// MayBegin reports whether Heads may match at a line. It spares other lines the
	// expression; nil where that is not worth it.
	MayBegin func(line []byte) bool

	// IsHead has the last word on what Heads matched, which begins with text. The
	// declaration's name lies from start to end.
	IsHead func(text []byte, start, end int) bool

	Closer string // what ends a body: "}", "end", or nothing where indentation does
	Before string // what a piece of code needs before it
	Alone  bool   // nothing on the lines above a declaration belongs to it
}

// recoveryWork is how many bytes may be parsed to recover a file, as a multiple of its
// length; and below minRecovery that is always allowed.
const (
	recoveryWork = 8
	minRecovery  = 1 << 15
)

// A piece is a declaration as its indentation shows it.
type piece struct {
	name       string
	line       int // of the name, 0-based
	first      int // its first line, with annotations
	last       int // its last line
	indent     int
	parent     int // the piece around it, or -1
	children   []int
	open       int  // byte behind the bracket that opens its body, or 0
	hasMembers bool // it is a class or the like: what is declared in it can be seen from outside
	spaces     bool // it is a namespace, which people do not indent
	broken     bool // its head does not parse and is gone, so what is in it is read without it
}

// typeKeywords are the words for what declares members.
var typeKeywords = lazyregexp.MustCompile(`(?i)\b(?:class|interface|struct|enum|trait|impl|module|object|namespace|union|mod|defmodule|extension|protocol|actor|record)\b`)

// A recovery is one attempt to read what a file declares in spite of its errors.
type recovery struct {
	*Recovery
	grammar *treesitter.Grammar
	nothing []treesitter.Keep
	src     []byte // as it was read first
	code    []byte // src without comments and long texts
	out     []byte // src without what does not parse
	lines   []uint32
	pieces  []piece
	budget  int      // bytes that may be read again
	steps   int      // of the parser that this may take
	blanked [][2]int // lines of out that hold nothing any more
	err     error
}

// newRecovery takes the second look at a text that the grammar did not read whole. Nodes
// are all of its tree, or none.
func (s *Spec) newRecovery(g *treesitter.Grammar, src []byte, nodes []treesitter.Node) (*recovery, error) {
	r := &recovery{Recovery: s.Recovery, grammar: g, src: src, budget: recoveryWork*len(src) + minRecovery,
		steps: min(treesitter.Work(len(src)), 4*fewestSteps+len(src)/4)}
	r.lines = LineStarts(nil, src)
	r.nothing = g.NewKeep()
	for i := range r.nothing {
		r.nothing[i] = treesitter.KeepNothing
	}
	if len(nodes) == 0 {
		tree, err := g.Parse(src, treesitter.Limit{Work: treesitter.Work(len(src)), Nodes: MaxNodes, Bytes: MaxBytes})
		if err != nil {
			return nil, err
		}
		defer tree.Release()
		nodes = tree.Nodes
	}
	r.mask(nodes)
	r.findPieces()
	return r, nil
}

// mask fills code. Texts are recognised by the tree: a text that contains a declaration
// which is indented less than the line it begins on is none, but a quote too few.
func (r *recovery) mask(nodes []treesitter.Node) {
	r.code = bytes.Clone(r.src)
	for i := range nodes {
		n := &nodes[i]
		kind := r.grammar.KindName(n.Kind)
		comment := strings.Contains(kind, "comment") || kind == "haddock"
		if !comment && (n.StartRow == n.EndRow || !slices.ContainsFunc(textKinds, func(s string) bool { return strings.Contains(kind, s) }) && kind != "text") {
			continue
		}
		if !comment && r.quoteMissing(n) {
			continue
		}
		start := n.Start
		if !comment {
			start = r.lines[n.StartRow+1]
		}
		text.Blank(r.code[start:n.End])
	}
}

// textKinds are in the names of the kinds of nodes that are text.
var textKinds = []string{"string", "heredoc", "nowdoc", "jsx_text"}

// quoteMissing says whether a text over several lines holds code.
func (r *recovery) quoteMissing(n *treesitter.Node) bool {
	from := r.lines[n.StartRow+1]
	if r.budget -= int(n.End - n.Start); n.End <= from || r.budget < 0 {
		return false
	}
	indent := r.indent(r.src, int(n.StartRow))
	for m := range r.heads(r.src[from:n.End]) {
		start, end := group(m)
		if start >= 0 && (r.IsHead == nil || r.IsHead(r.src[from:], start, end)) && r.indent(r.src,
			r.lineAt(int(from)+start)) < indent {
			return true
		}
	}
	return false
}

// heads yields what Heads matches in a text from line to line, none within another.
func (r *Recovery) heads(code []byte) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for at := 0; at < len(code); {
			end := text.LineEnd(code, at)
			line := bytes.TrimSpace(code[at:end])
			if len(line) > 0 && (r.MayBegin == nil || r.MayBegin(line)) {
				if m := r.Heads.FindSubmatchIndex(code[at:]); m != nil {
					for i := range m {
						if m[i] >= 0 {
							m[i] += at
						}
					}
					if !yield(m) {
						return
					}
					end = text.LineEnd(code, max(end, m[1]-1))
				}
			}
			at = end + 1
		}
	}
}

func group(m []int) (start, end int) {
	for i := len(m) - 2; i >= 2; i -= 2 {
		if m[i] >= 0 && m[i+1] > m[i] {
			return m[i], m[i+1]
		}
	}
	return -1, -1
}

func (r *recovery) lineAt(at int) int {
	i, found := slices.BinarySearch(r.lines, uint32(at))
	if found {
		return i
	}
	return i - 1
}

// lineEnd returns where a line ends, before its line break.
func (r *recovery) lineEnd(line int) int {
	if line+1 >= len(r.lines) {
		return len(r.src)
	}
	end := int(r.lines[line+1]) - 1
	if end > int(r.lines[line]) && r.src[end-1] == '\r' {
		end--
	}
	return end
}

func (r *recovery) line(text []byte, line int) []byte { return text[r.lines[line]:r.lineEnd(line)] }

// indent returns how far a line is indented, -1 if nothing is there.
func (r *recovery) indent(text []byte, line int) int {
	n := 0
	for _, c := range r.line(text, line) {
		switch c {
		case ' ', '\f', '\v':
			n++
		case '\t':
			n += 4 - n%4
		case '\r':
		default:
			return n
		}
	}
	return -1
}

// findHeads begins a piece at every line that begins a declaration, and returns the
// pieces by line.
func (r *recovery) findHeads() (heads map[int]int) {
	heads = make(map[int]int)
	last := -1
	for m := range r.heads(r.code) {
		start, end := group(m)
		if start < 0 || r.IsHead != nil && !r.IsHead(r.code, start, end) {
			continue
		}
		line := r.lineAt(start)
		if line == last {
			continue
		}
		last = line
		first := r.lineAt(m[0])
		for first < line && r.indent(r.code, first) < 0 {
			first++
		}
		heads[line] = len(r.pieces)
		head := r.code[m[0]:start]
		r.pieces = append(r.pieces, piece{name: lastPart(string(r.code[start:end])), line: line, first: first,
			last: line, indent: r.indent(r.code, first), parent: -1,
			hasMembers: typeKeywords.Match(head), spaces: bytes.Contains(head, []byte("namespace"))})
	}
	return heads
}

// findPieces finds the pieces.
func (r *recovery) findPieces() {
	heads := r.findHeads()
	var open []int
	before := -1 // the last line with code
	for line := range r.lines {
		indent := r.indent(r.code, line)
		if indent < 0 {
			continue
		}
		at, isHead := heads[line]
		if isHead {
			indent = r.pieces[at].indent
		}
		open = r.endPieces(open, line, indent, before, isHead)
		if isHead {
			p := &r.pieces[at]
			p.first = r.firstLine(p, before)
			if len(open) > 0 {
				p.parent = open[len(open)-1]
				r.pieces[p.parent].children = append(r.pieces[p.parent].children, at)
			}
			open = append(open, at)
		}
		before = line
	}
	for _, i := range open {
		r.pieces[i].last = max(r.pieces[i].last, before)
	}
	if r.Closer == "}" {
		for i := range r.pieces {
			r.pieces[i].open = r.bodyOpening(&r.pieces[i])
		}
	}
}

// endPieces ends those of the open pieces, outermost first, that a line does not belong
// to, and returns the others. Before is the last line above it with code.
func (r *recovery) endPieces(open []int, line, indent, before int, isHead bool) []int {
	goesOn, ends := r.continues(line)
	goesOn = goesOn && !isHead
	for len(open) > 0 {
		p := &r.pieces[open[len(open)-1]]
		if p.line >= line || indent > p.indent || indent == p.indent && !ends && (goesOn || p.spaces) {
			break
		}
		if p.last = max(p.last, before); ends && indent == p.indent && !isHead {
			p.last = line
			return open[:len(open)-1]
		}
		if goesOn && indent < p.indent && !ends && r.code[r.lines[line]] == '#' {
			break
		}
		open = open[:len(open)-1]
	}
	return open
}

// continues says whether a line goes on with what began above it at the same
// indentation, and whether it ends it.
func (r *recovery) continues(line int) (goesOn, ends bool) {
	text := bytes.TrimSpace(r.line(r.code, line))
	switch c := text[0]; {
	case c == '}':
		return true, r.Closer == "}"
	case c == ')' || c == ']' || c == '{':
		return true, false
	case c == '#' && (len(text) < 2 || text[1] != '['):
		return true, false
	case r.Closer == "end" && bytes.HasPrefix(text, []byte("end")) && (len(text) == 3 || !isWord(text[3])):
		return true, true
	case r.Closer == "}" && text[len(text)-1] == ':' && !bytes.ContainsAny(text, "(?\""):
		return true, false
	}
	if r.Closer == "end" {
		word := text
		if i := bytes.IndexFunc(text, func(c rune) bool { return c < 'a' || c > 'z' }); i >= 0 {
			word = text[:i]
		}
		switch string(word) {
		case "rescue", "ensure", "else", "elsif", "elseif", "when", "in", "catch", "after":
			return true, false
		}
	}
	return false, false
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// firstLine returns the first line of a piece: annotations, attributes and the type of
// what it returns may be above it.
func (r *recovery) firstLine(p *piece, before int) int {
	first := p.first
	for line := first - 1; !r.Alone && line >= 0 && first-line < 12 && line <= before; line-- {
		if r.indent(r.code, line) != p.indent {
			break
		}
		text := bytes.TrimSpace(r.line(r.code, line))
		if strings.IndexByte(";{}:", text[len(text)-1]) >= 0 || text[0] == '}' ||
			text[0] == '#' && (len(text) < 2 || text[1] != '[') {
			break
		}
		if r.Closer == "end" && text[0] != '@' {
			break
		}
		first = line
	}
	return first
}

// lastPart returns what a name ends with, behind what it is declared in: a.b, a::b, a\b.
func lastPart(name string) string {
	return name[strings.LastIndexAny(name[:max(0, len(name)-1)], `.:\`)+1:]
}

// bodyOpening returns the byte behind the bracket that opens the body of a piece, or 0.
func (r *recovery) bodyOpening(p *piece) int {
	end := r.lineEnd(p.last)
	if len(p.children) > 0 {
		end = int(r.lines[r.pieces[p.children[0]].first])
	}
	depth := 0
	for i := int(r.lines[p.line]); i < end; i++ {
		switch r.code[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{':
			if depth <= 0 {
				return i + 1
			}
		case ';':
			if depth <= 0 {
				return 0
			}
		case '"', '\'', '`':
			q := r.code[i]
			j := i + 1
			for ; j < end && r.code[j] != q && r.code[j] != '\n'; j++ {
				if r.code[j] == '\\' {
					j++
				}
			}
			if j < end && r.code[j] == q {
				i = j
			}
		}
	}
	if i := bytes.IndexByte(r.code[r.lines[p.line]:r.lineEnd(p.last)], '{'); depth > 0 && i >= 0 && len(p.children) == 0 {
		return int(r.lines[p.line]) + i + 1
	}
	return 0
}

// missingPieces returns the pieces of which a file knows nothing, or that it takes for a part of
// something that they are not in.
func (r *recovery) missingPieces(f *File) []int {
	byName := make(map[string][]int32, len(f.Symbols))
	for i := range f.Symbols {
		name := lastPart(f.Symbols[i].Name)
		byName[name] = append(byName[name], int32(i))
	}
	var missing []int
	for i := range r.pieces {
		p := &r.pieces[i]
		found := p.parent >= 0 && !r.pieces[p.parent].hasMembers // it may be local
		inside := p.indent > 0 || p.parent >= 0 || bytes.HasPrefix(r.line(r.code, p.line), []byte("#"))
		for _, k := range byName[p.name] {
			s := &f.Symbols[k]
			if s.StartLine <= p.line+1 && p.line+1 <= max(s.NameLine, s.StartLine) && (inside ||
				s.Parent < 0 || !f.Symbols[s.Parent].Kind.IsFunction()) {
				found = true
				break
			}
		}
		if !found {
			missing = append(missing, i)
		}
	}
	return missing
}

// fewestSteps is what the parser may take for the shortest text.
const fewestSteps = 500

// parses says whether the grammar reads a text.
func (r *recovery) parses(text []byte) bool {
	if r.budget -= len(text) + 64; r.err != nil || r.budget < 0 || r.steps <= 0 {
		return true
	}
	most := min(r.steps, fewestSteps+len(text)/8) // five times what code takes
	tree, err := r.grammar.Parse(text, treesitter.Limit{Work: most, Nodes: 1 << 20, Keep: r.nothing})
	if err != nil {
		r.err = err
		return true
	}
	defer tree.Release()
	r.steps -= tree.Work
	return !tree.HasError && !tree.Truncated
}

// fits says whether the grammar reads a text within a piece, or in the file for -1.
func (r *recovery) fits(parent int, text []byte) bool { return r.parses(r.wrapped(parent, text)) }

// lacksHead says whether the head of a piece is gone.
func (r *recovery) lacksHead(i int) bool { return i >= 0 && r.pieces[i].broken }

// wrapped puts a text into the heads of what is around it.
func (r *recovery) wrapped(parent int, text []byte) []byte {
	var heads [][]byte
	for i := parent; i >= 0; i = r.pieces[i].parent {
		if p := &r.pieces[i]; !p.broken {
			heads = append(heads, r.headText(p))
		}
	}
	var b []byte
	for _, h := range slices.Backward(heads) {
		b = append(append(b, h...), '\n')
	}
	b = append(b, text...)
	for i := range heads {
		b = append(b, '\n')
		if r.Closer == "" && i == 0 && len(bytes.TrimSpace(text)) == 0 {
			b = append(b, strings.Repeat(" ", r.pieces[parent].indent+1)+"0"...)
		}
		b = append(b, r.Closer...)
	}
	if first := strings.Fields(r.Before); len(first) > 0 && !bytes.Contains(b[:min(len(b), 1<<12)], []byte(first[0])) {
		b = append([]byte(r.Before), b...)
	}
	return append(b, '\n')
}

// headEnd returns where the head of a piece ends and its body begins.
func (r *recovery) headEnd(p *piece) int {
	switch {
	case r.Closer == "}" && p.open > 0:
		return p.open
	case r.Closer == "":
		for line := p.line; line <= min(p.last, p.line+20); line++ {
			if bytes.HasSuffix(bytes.TrimSpace(r.line(r.code, line)), []byte(":")) {
				return r.lineEnd(line)
			}
		}
	}
	return r.lineEnd(p.line)
}

func (r *recovery) headText(p *piece) []byte { return r.out[r.lines[p.first]:r.headEnd(p)] }

func (r *recovery) text(p *piece) []byte { return r.out[r.lines[p.first]:r.lineEnd(p.last)] }

// repair takes out of the text what does not parse, from the inside out.
func (r *recovery) repair() []byte {
	r.out = bytes.Clone(r.src)
	r.gaps(-1)
	for i := range r.pieces {
		if r.pieces[i].parent < 0 {
			r.check(i)
		}
	}
	return r.out
}

// check repairs a piece that does not parse.
func (r *recovery) check(i int) {
	p := &r.pieces[i]
	if r.budget < 0 || r.fits(p.parent, r.text(p)) {
		return
	}
	if len(p.children) == 0 {
		r.empty(p)
		return
	}
	r.close(p)
	if p.broken = !r.fits(i, nil); p.broken { // what is in it is worth more than it is
		r.blankLines(p.first, r.lineAt(r.headEnd(p)-1))
		if goesOn, ends := r.continuesAt(p.last); goesOn && ends {
			r.blankLines(p.last, p.last)
		}
	}
	for _, c := range p.children {
		r.check(c)
	}
	r.gaps(i)
}

func (r *recovery) continuesAt(line int) (goesOn, ends bool) {
	if r.indent(r.code, line) < 0 {
		return false, false
	}
	return r.continues(line)
}

// close gives a piece with others in it the brackets that it lacks.
func (r *recovery) close(p *piece) {
	if r.Closer != "}" {
		return
	}
	if p.open == 0 && p.line < p.last {
		if at := r.lines[p.line+1]; r.out[at] == ' ' || r.out[at] == '\t' {
			r.out[at] = '{'
			p.open = int(at) + 1
		}
	}
	if _, ends := r.continuesAt(p.last); !ends || r.indent(r.code, p.last) != p.indent {
		if at := r.lines[p.last]; r.out[at] == ' ' || r.out[at] == '\t' {
			r.out[at] = '}'
		}
	}
}

// empty leaves of a piece what its head says, or nothing if that does not parse either.
func (r *recovery) empty(p *piece) {
	was := bytes.Clone(r.text(p))
	start, end := int(r.lines[p.first]), r.lineEnd(p.last)
	body := r.headEnd(p)
	done := false
	switch {
	case r.Closer == "}" && p.open > 0 && p.open < end:
		text.Blank(r.out[body:end])
		r.out[end-1] = '}'
		done = true
	case r.Closer == "end" && end-body >= 4:
		text.Blank(r.out[body:end])
		done = copy(r.out[end-3:end], "end") == 3 && (r.out[end-4] == ' ' || r.out[end-4] == '\n')
	case r.Closer == "" && end-body > 2:
		text.Blank(r.out[body:end])
		line := r.lineAt(body) + 1
		for ; line < p.last && r.indent(r.code, line) <= p.indent; line++ {
		}
		if line <= p.last {
			i := int(r.lines[line])
			for i < r.lineEnd(line)-1 && (r.src[i] == ' ' || r.src[i] == '\t') {
				r.out[i] = r.src[i]
				i++
			}
			r.out[i] = '0'
			done = true
		}
	}
	if done && r.fits(p.parent, r.text(p)) {
		r.blanked = append(r.blanked, [2]int{r.lineAt(body), p.last})
		return
	}
	if text.Blank(r.out[start:end]); !r.lacksHead(p.parent) && r.fits(p.parent, nil) {
		r.blanked = append(r.blanked, [2]int{p.first, p.last})
		return
	}
	copy(r.out[start:end], was) // what is around it does not parse, whatever it holds, or is gone
}

func (r *recovery) blankLines(first, last int) {
	text.Blank(r.out[r.lines[first]:r.lineEnd(last)])
	r.blanked = append(r.blanked, [2]int{first, last})
}

// gaps takes out what does not parse between the children of a piece, or between the
// pieces of the file for -1.
func (r *recovery) gaps(i int) {
	first, last := 0, len(r.lines)-1
	var inside []int
	if i >= 0 {
		p := &r.pieces[i]
		first, last, inside = r.lineAt(r.headEnd(p))+1, p.last, p.children
		if _, ends := r.continuesAt(last); ends {
			last--
		}
	} else {
		for k := range r.pieces {
			if r.pieces[k].parent < 0 {
				inside = append(inside, k)
			}
		}
	}
	if first > last {
		return
	}
	all := bytes.Clone(r.out[r.lines[first]:r.lineEnd(last)])
	var runs [][2]int
	at := first
	for _, k := range inside {
		p := &r.pieces[k]
		if p.first > at {
			runs = append(runs, [2]int{at, p.first - 1})
		}
		if p.last >= max(p.first, first) && r.lineEnd(p.last) <= r.lineEnd(last) {
			text.Blank(all[max(0, int(r.lines[p.first])-int(r.lines[first])) : r.lineEnd(p.last)-int(r.lines[first])])
		}
		at = max(at, p.last+1)
	}
	if at <= last {
		runs = append(runs, [2]int{at, last})
	}
	if r.fits(i, all) {
		return
	}
	for _, run := range runs {
		r.dropUnparsed(i, run[0], run[1])
	}
}

// dropUnparsed takes out of some lines those that do not parse.
func (r *recovery) dropUnparsed(parent, first, last int) {
	text := r.out[r.lines[first]:r.lineEnd(last)]
	if len(bytes.TrimSpace(text)) == 0 || r.fits(parent, text) {
		return
	}
	if first == last || r.lacksHead(parent) { // lines of a body without its head rarely do
		r.blankLines(first, last)
		return
	}
	middle := (first + last) / 2
	for line := middle; line > first; line-- { // better between than in paragraphs
		if r.indent(r.out, line) < 0 {
			middle = line
			break
		}
	}
	r.dropUnparsed(parent, first, middle)
	r.dropUnparsed(parent, middle+1, last)
}

// keepKnown adds to a file what was known before of lines that hold nothing any more.
func (r *recovery) keepKnown(f, before *File) {
	gone := make([]bool, len(r.lines)+1)
	for _, b := range r.blanked {
		for line := b[0]; line <= b[1]; line++ {
			gone[line] = true
		}
	}
	type place struct{ line, column int }
	known := make(map[place]bool, len(f.Occurrences))
	for i := range f.Occurrences {
		known[place{f.Occurrences[i].Line, f.Occurrences[i].Column}] = true
	}
	count := len(f.Occurrences)
	for _, o := range before.Occurrences {
		if !gone[o.Line-1] || o.Role == Definition || known[place{o.Line, o.Column}] {
			continue
		}
		o.Symbol = f.symbolAt(o.Line)
		f.Occurrences = append(f.Occurrences, o)
	}
	if len(f.Occurrences) > count {
		slices.SortStableFunc(f.Occurrences, func(a, b Occurrence) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Column - b.Column
		})
	}
}

// symbolAt returns the innermost symbol around a line, or -1.
func (f *File) symbolAt(line int) int {
	found := -1
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.StartLine <= line && line <= s.EndLine && (found < 0 ||
			s.Start >= f.Symbols[found].Start && s.End <= f.Symbols[found].End) {
			found = i
		}
	}
	return found
}

// forgotten counts the functions and types that one reading of a file has and another
// has not.
func forgotten(f, again *File) (n int) {
	type place struct {
		name string
		line int
	}
	known := make(map[place]bool, len(again.Symbols))
	for i := range again.Symbols {
		known[place{again.Symbols[i].Name, again.Symbols[i].NameLine}] = true
	}
	for i := range f.Symbols {
		switch s := &f.Symbols[i]; s.Kind {
		case Variable, Field, Property, Constant:
		default:
			if !known[place{s.Name, s.NameLine}] {
				n++
			}
		}
	}
	return n
}

// recovered reads a file again from which errors took declarations. It returns the
// better reading, and says in it what is missing still.
func (s *Spec) recovered(p *program, f *File, src, read []byte, nodes []treesitter.Node) (*File, error) {
	r, err := s.newRecovery(p.Grammar, read, nodes)
	if err != nil {
		return f, err
	}
	missing := r.missingPieces(f)
	if len(missing) == 0 {
		return f, nil
	}
	repaired := r.repair()
	if r.err != nil {
		return f, r.err
	}
	tree, err := p.Grammar.Parse(repaired, treesitter.Limit{Work: treesitter.Work(len(src)), Nodes: MaxNodes,
		Bytes: MaxBytes, Keep: p.keep})
	if err != nil {
		return f, err
	}
	defer tree.Release()
	if len(tree.Nodes) > 0 && !tree.Truncated {
		again := &File{Language: f.Language}
		p.walk(again, src, read, tree.Nodes)
		if still := r.missingPieces(again); len(still)+forgotten(f, again) < len(missing) {
			r.keepKnown(again, f)
			f, missing = again, still
		}
	}
	if len(missing) > 0 {
		f.Partial = fmt.Sprintf("not read for errors in it: %s from line %d on",
			text.Counted(len(missing), "declaration", "s"), r.pieces[missing[0]].line+1)
	}
	return f, nil
}
