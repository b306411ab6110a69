// Package tokens turns a text into the tokens that count: those outside of comments, dead code and formatting.
// What two texts share or how they differ is decided on these tokens, in codediff, testcase and weakening.
package tokens

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/noeffect"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
)

// A Text is the text of a file with its tokens that count, in order.
type Text struct {
	*noeffect.Analysis
	Tokens []Token
}

// A Token is a token of a text that counts.
type Token struct {
	Text     string // without what formatting changes
	Line     int
	Start    int  // its first byte
	Local    bool // it names a binding that lives in a function
	IsBorder bool // it is the beginning or end of an indented block
	Unit     int32
}

// Read reads one text of a file; base is the one before it, nil if there is none.
func Read(lang syntax.Language, file string, src, base []byte) *Text {
	s := &Text{Analysis: noeffect.New(source.New(lang, file, src, base))}
	if len(src) == 0 {
		return s
	}
	if source.IsCode(lang) {
		s.Tree = syntax.ReadCode(lang, src)
	}
	if s.Tree == nil || !source.Guard(s.readTree) {
		s.WithoutTree()
	}
	return s
}

// WithoutTree reads a text whose syntax tree is not known.
func (s *Text) WithoutTree() {
	s.Tree, s.Unparsed = nil, source.IsCode(s.Lang)
	s.FindMarksInText()
	s.Tokens = withoutFormatting(s.lex(nil))
}

// readTree reads what the syntax tree tells.
func (s *Text) readTree() {
	strs := s.FindMarks()
	s.Tokens = withoutFormatting(s.lex(strs))
}

// ReasonOf returns why the text of a line does not count, if it is marked.
func (s *Text) ReasonOf(line int) reason.Reason {
	text := s.LineText(line)
	if len(bytes.TrimSpace(text)) == 0 {
		return ""
	}
	start := s.Starts[line-1]
	end := start + len(text)
	var why reason.Reason
	for _, m := range s.Marks {
		if m.Start < end && start < m.End && (why == "" || slices.Index(reason.BySeverity, m.Why) < slices.Index(reason.BySeverity, why)) {
			why = m.Why
		}
	}
	return why
}

// lex cuts the text into tokens, without the marked stretches. strs are the literals, in
// order, each of which is one token.
func (s *Text) lex(strs []source.Span) (toks []Token) {
	locals := s.locals()
	var shapes []shape
	if s.Tree != nil && s.Spec.Comparing.Indented {
		shapes = s.blocks()
	}
	put := func(text string, at int) {
		toks = append(toks, Token{Text: text, Line: s.LineOf(at), Start: at, Local: locals[at]})
	}
	m, q, b := 0, 0, 0
	for at := 0; at < len(s.Src); {
		for b < len(shapes) && shapes[b].at <= at {
			toks = append(toks, Token{Text: shapes[b].text, Line: s.LineOf(shapes[b].on), Start: shapes[b].on, IsBorder: true})
			b++
		}
		for m < len(s.Marks) && s.Marks[m].End <= at {
			m++
		}
		if m < len(s.Marks) && s.Marks[m].Start <= at {
			at = s.Marks[m].End
			continue
		}
		for q < len(strs) && strs[q].Start < at {
			q++
		}
		if q < len(strs) && strs[q].Start == at {
			put(literal(s.Spec, string(s.Src[at:strs[q].End])), at)
			outer := s.outer(s.Src[at:strs[q].End])
			for line := s.LineOf(at) + 1; line <= s.LineOf(strs[q].End-1); line++ { // a line of it each
				toks = append(toks, Token{Text: "\"" + string(bytes.TrimPrefix(bytes.TrimRight(s.LineText(line), "\r\n"), outer)), Line: line,
					Start: s.Starts[line-1]})
			}
			at = strs[q].End
			continue
		}
		n := expression.TokenLength(s.Src[at:])
		if text := s.Src[at : at+n]; !expression.IsSpace(text) && string(text) != ";" && string(text) != "\\" {
			put(expression.Number(string(text)), at)
		}
		at += n
	}
	for ; b < len(shapes); b++ {
		toks = append(toks, Token{Text: shapes[b].text, Line: s.LineOf(shapes[b].on), Start: shapes[b].on, IsBorder: true})
	}
	return toks
}

// outer returns the indentation that is not part of a literal's lines: the white space before its end.
func (s *Text) outer(literal []byte) []byte {
	last := literal[bytes.LastIndexByte(literal, '\n')+1:]
	quotes := bytes.TrimLeft(last, " \t")
	if !s.Spec.Comparing.Margins || len(last) == len(literal) || !bytes.HasPrefix(quotes, []byte(`"""`)) {
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
	at   int    // the byte after it
	on   int    // a byte of the line that it counts as
	text string // "{" or "}"
}

// blocks returns the borders of indented blocks, in order.
func (s *Text) blocks() (all []shape) {
	for i := range s.Tree.Nodes {
		n := s.Tree.Nodes[i]
		dead := func(m noeffect.Mark) bool { return m.Start <= int(n.Start) && int(n.End) <= m.End }
		if s.Tree.Kind(int32(i)) == "block" && n.End > n.Start && !s.Bare[int32(i)] && !s.IsContainer(int32(i)) &&
			!slices.ContainsFunc(s.Marks, dead) {
			all = append(all, shape{int(n.Start), int(n.Start), "{"}, shape{int(n.End), int(n.End) - 1, "}"})
		}
	}
	slices.SortStableFunc(all, func(a, b shape) int { return a.at - b.at })
	return all
}

// locals returns the positions of the names of locals, by their first byte.
func (s *Text) locals() map[int]bool {
	at := make(map[int]bool)
	if s.Tree == nil {
		return at
	}
	f, err := syntax.Parse(s.Lang, s.Src)
	if err != nil {
		return at
	}
	for _, o := range f.Occurrences {
		if o.Local && o.Line >= 1 && o.Line <= len(s.Starts) {
			at[s.Starts[o.Line-1]+o.Column-1] = true
		}
	}
	return at
}

// withoutFormatting takes out what only formats: commas before a closing bracket, brackets around
// the one parameter of an arrow function, and arithmetic that changes nothing.
func withoutFormatting(toks []Token) []Token {
	out := toks[:0]
	text := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}
		return toks[i].Text
	}
	needless := -1 // the bracket that closes one around all of a statement's value
	for i := 0; i < len(toks); i++ {
		switch t := toks[i]; {
		case i == needless:
			continue
		case t.Text == "(" && (text(i-1) == "return" || text(i-1) == "=") && wholeValue(toks, i):
			needless = ClosingBracket(toks, i)
			continue
		case t.Text == "," && text(i+1) != "" && strings.Contains(")]}", text(i+1)):
			continue
		case t.Text == "(" && text(i+2) == ")" && text(i+3) == "=" && text(i+4) == ">" && expression.IsWord(text(i+1)):
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
func wholeValue(toks []Token, open int) bool {
	end := ClosingBracket(toks, open)
	if end >= len(toks) || end+1 < len(toks) && toks[end+1].Line == toks[end].Line && toks[end+1].Text != ";" &&
		toks[end+1].Text != "}" {
		return false
	}
	return end > open+1 && len(SplitArguments(toks[open+1:end])) == 1
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
