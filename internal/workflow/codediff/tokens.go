package codediff

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/unbuilt"
)

// A tok is a token of a text that counts.
type tok struct {
	text  string // without what formatting changes
	line  int
	at    int  // its first byte
	local bool // it names a binding that lives in a function
	shape bool // it stands for the beginning or end of an indented block
	unit  int32
}

// A mark is a stretch of text that does not count.
type mark struct {
	start, end int
	why        Why
	by         string // the head of the handler that takes an error thrown there
}

// A side is a text, before or after.
type side struct {
	falses     map[string]bool   // constants that stand for false; nil until they are asked for
	fields     map[string]bool   // private ones that nothing reads; nil until they are asked for
	idles      map[string]bool   // functions that only give a value; nil until they are asked for
	echoing    map[string]bool   // those that give back what they are given; nil until they are asked for
	feeds      map[string]bool   // what gives tests their cases; nil until it is asked for
	forwarding map[string]string // what hands over from the code under test; nil until it is asked for
	vain       map[string]bool   // functions of tests whose assertions always hold
	said       []byte            // the text without its comments; nil until it is asked for
	words      map[string]int    // how often each word stands in it; the same
	path       string
	lang       syntax.Language
	spec       *syntax.Spec
	header     bool // of C, whose declarations other files see
	src        []byte
	starts     []int
	lines      int
	tree       *syntax.Code // nil without a grammar
	unread     bool         // it is code, and the tree of it could not be read
	base       []byte
	bare       map[int32]bool // blocks whose borders do not count
	marks      []mark         // sorted, none within another
	toks       []tok
	units      []*unit
}

// readSide reads one text of a file; base is the one before it, nil if there is none.
func readSide(lang syntax.Language, file string, src, base []byte) *side {
	s := &side{lang: lang, path: file, base: base, header: !unbuilt.CSource.MatchString(file), spec: syntax.Of(lang), src: src,
		starts: lineStarts(src), bare: make(map[int32]bool)}
	s.lines = len(s.starts)
	if len(src) == 0 {
		s.lines = 0
		return s
	}
	if isCode(lang) {
		s.tree = syntax.ReadCode(lang, src)
	}
	if s.tree == nil || !guarded(s.readTree) {
		s.tree, s.units, s.unread = nil, nil, isCode(lang)
		s.marks = s.inVain(plainComments(s.spec, src))
		s.toks = tidy(s.lex(nil))
	}
	return s
}

// strict is set by tests: a defect of ours is heard of there.
var strict bool

// guarded keeps a defect of ours from holding a session at one odd file, and reports whether there was none.
func guarded(do func()) (ok bool) {
	defer func() {
		if !strict && recover() != nil {
			ok = false
		}
	}()
	do()
	return true
}

// readTree reads what the syntax tree tells.
func (s *side) readTree() {
	strs := s.findMarks()
	s.toks = tidy(s.lex(strs))
	s.findUnits()
}

// lineOf returns the line of a byte.
func (s *side) lineOf(at int) int {
	return sort.Search(len(s.starts), func(i int) bool { return s.starts[i] > at })
}

func (s *side) lineText(line int) []byte {
	if line < 1 || line > len(s.starts) {
		return nil
	}
	end := len(s.src)
	if line < len(s.starts) {
		end = s.starts[line]
	}
	return s.src[s.starts[line-1]:end]
}

func (s *side) isBlank(line int) bool { return len(bytes.TrimSpace(s.lineText(line))) == 0 }

// markOf returns why the text of a line does not count, if it is marked.
func (s *side) markOf(line int) Why {
	text := s.lineText(line)
	if len(bytes.TrimSpace(text)) == 0 {
		return ""
	}
	start := s.starts[line-1]
	end := start + len(text)
	var why Why
	for _, m := range s.marks {
		if m.start < end && start < m.end && (why == "" || slices.Index(severity, m.why) < slices.Index(severity, why)) {
			why = m.why
		}
	}
	return why
}

// lex cuts the text into tokens, without what is marked. strs are the literals, in
// order, each of which is one token.
func (s *side) lex(strs []mark) (toks []tok) {
	locals := s.locals()
	var shapes []shape
	if s.tree != nil && s.spec.Comparing.Indented {
		shapes = s.blocks()
	}
	put := func(text string, at int) {
		toks = append(toks, tok{text: text, line: s.lineOf(at), at: at, local: locals[at]})
	}
	m, q, b := 0, 0, 0
	for at := 0; at < len(s.src); {
		for b < len(shapes) && shapes[b].at <= at {
			toks = append(toks, tok{text: shapes[b].text, line: s.lineOf(shapes[b].on), at: shapes[b].on, shape: true})
			b++
		}
		for m < len(s.marks) && s.marks[m].end <= at {
			m++
		}
		if m < len(s.marks) && s.marks[m].start <= at {
			at = s.marks[m].end
			continue
		}
		for q < len(strs) && strs[q].start < at {
			q++
		}
		if q < len(strs) && strs[q].start == at {
			put(literal(s.spec, string(s.src[at:strs[q].end])), at)
			outer := s.outer(s.src[at:strs[q].end])
			for line := s.lineOf(at) + 1; line <= s.lineOf(strs[q].end-1); line++ { // a line of it each
				toks = append(toks, tok{text: "\"" + string(bytes.TrimPrefix(bytes.TrimRight(s.lineText(line), "\r\n"), outer)), line: line,
					at: s.starts[line-1]})
			}
			at = strs[q].end
			continue
		}
		n := expression.TokenLength(s.src[at:])
		if text := s.src[at : at+n]; !expression.IsSpace(text) && string(text) != ";" && string(text) != "\\" {
			put(expression.Number(string(text)), at)
		}
		at += n
	}
	for ; b < len(shapes); b++ {
		toks = append(toks, tok{text: shapes[b].text, line: s.lineOf(shapes[b].on), at: shapes[b].on, shape: true})
	}
	return toks
}

// outer returns the white space that the lines of a literal do not hold: what stands before its end.
func (s *side) outer(literal []byte) []byte {
	last := literal[bytes.LastIndexByte(literal, '\n')+1:]
	quotes := bytes.TrimLeft(last, " \t")
	if !s.spec.Comparing.Margins || len(last) == len(literal) || !bytes.HasPrefix(quotes, []byte(`"""`)) {
		return nil
	}
	return last[:len(last)-len(quotes)]
}

// literal writes the first line of a string in one way. Quotes say nothing in languages that have two
// kinds for the same.
func literal(spec *syntax.Spec, text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text = strings.TrimRight(text, "\r")
	if text == "" { // it begins with the end of a line
		return `"`
	}
	i := strings.IndexAny(text, `'"`)
	if !spec.Comparing.AnyQuotes || i < 0 || len(text) < i+2 || strings.HasPrefix(text[i:], `"""`) ||
		strings.HasPrefix(text[i:], "'''") {
		return text
	}
	inner := text[i+1 : len(text)-1]
	if text[len(text)-1] == text[i] && !strings.ContainsAny(inner, `'"\`) {
		return strings.ToLower(text[:i]) + `"` + inner + `"`
	}
	return text
}

// A shape is the border of an indented block.
type shape struct {
	at   int    // before which byte it stands
	on   int    // a byte of the line that it counts as
	text string // "{" or "}"
}

// blocks returns the borders of indented blocks, in order.
func (s *side) blocks() (all []shape) {
	for i := range s.tree.Nodes {
		n := s.tree.Nodes[i]
		dead := func(m mark) bool { return m.start <= int(n.Start) && int(n.End) <= m.end }
		if s.tree.Kind(int32(i)) == "block" && n.End > n.Start && !s.bare[int32(i)] && !s.isContainer(int32(i)) &&
			!slices.ContainsFunc(s.marks, dead) {
			all = append(all, shape{int(n.Start), int(n.Start), "{"}, shape{int(n.End), int(n.End) - 1, "}"})
		}
	}
	slices.SortStableFunc(all, func(a, b shape) int { return a.at - b.at })
	return all
}

// locals returns where names of locals stand, by their first byte.
func (s *side) locals() map[int]bool {
	at := make(map[int]bool)
	if s.tree == nil {
		return at
	}
	f, err := syntax.Parse(s.lang, s.src)
	if err != nil {
		return at
	}
	for _, o := range f.Occurrences {
		if o.Local && o.Line >= 1 && o.Line <= len(s.starts) {
			at[s.starts[o.Line-1]+o.Column-1] = true
		}
	}
	return at
}

// tidy takes out what only formats: commas before a closing bracket, brackets around
// the one parameter of an arrow function, and arithmetic that changes nothing.
func tidy(toks []tok) []tok {
	out := toks[:0]
	text := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}
		return toks[i].text
	}
	needless := -1 // the bracket that closes one around all of a statement's value
	for i := 0; i < len(toks); i++ {
		switch t := toks[i]; {
		case i == needless:
			continue
		case t.text == "(" && (text(i-1) == "return" || text(i-1) == "=") && wholeValue(toks, i):
			needless = closing(toks, i)
			continue
		case t.text == "," && text(i+1) != "" && strings.Contains(")]}", text(i+1)):
			continue
		case t.text == "(" && text(i+2) == ")" && text(i+3) == "=" && text(i+4) == ">" && expression.IsWord(text(i+1)):
			out = append(out, toks[i+1])
			i += 2
			continue
		case identity(text(i), text(i+1)) && i > 0 && isOperand(text(i-1)) && !strings.Contains("*/.%([", cmp.Or(text(i+2), " ")):
			i++
			continue
		}
		out = append(out, toks[i])
	}
	return out
}

// wholeValue reports whether a bracket and the one that closes it stand around all that a
// line gives back or assigns, which is no tuple.
func wholeValue(toks []tok, open int) bool {
	end := closing(toks, open)
	if end >= len(toks) || end+1 < len(toks) && toks[end+1].line == toks[end].line && toks[end+1].text != ";" &&
		toks[end+1].text != "}" {
		return false
	}
	return end > open+1 && len(split(toks[open+1:end])) == 1
}

// identity reports whether an operator with its right operand changes nothing.
func identity(op, right string) bool {
	switch op {
	case "+", "-":
		return right == "0"
	case "*", "/":
		return right == "1"
	case "or":
		return right == "False" || right == "false"
	case "and":
		return right == "True" || right == "true"
	}
	return false
}

func isOperand(s string) bool {
	return s == ")" || s == "]" || s != "" && (expression.IsWord(s) || s[0] >= '0' && s[0] <= '9') && s != "return"
}

// plainComments finds comments in a text whose grammar is not read here.
func plainComments(spec *syntax.Spec, src []byte) (marks []mark) {
	open, end, paired := strings.Cut(spec.Comparing.Comments, " ")
	line := "#" // Dockerfile, Makefile, TOML, INI
	switch {
	case paired:
		line = ""
	case open != "":
		line = open
	case spec.Rules != nil || spec.Name == syntax.Unknown || spec.Name == syntax.JSON:
		return nil
	}
	at := 0
	for l := range bytes.Lines(src) {
		if line != "" && bytes.HasPrefix(bytes.TrimSpace(l), []byte(line)) {
			marks = append(marks, mark{start: at, end: at + len(l), why: Comment})
		}
		at += len(l)
	}
	for at := 0; paired; {
		i := bytes.Index(src[at:], []byte(open))
		if i < 0 {
			break
		}
		j := bytes.Index(src[at+i:], []byte(end))
		if j < 0 {
			break
		}
		marks = append(marks, mark{start: at + i, end: at + i + j + len(end), why: Comment})
		at += i + j + len(end)
	}
	return marks
}
