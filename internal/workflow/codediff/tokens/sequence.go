package tokens

import (
	"slices"
	"strings"

	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
)

// Sentence returns an assertion from its first word to its end, with a blank between its
// tokens: the brackets after it and the calls on their result, or the rest of the line.
func Sentence(toks []Token, i int) string {
	var words []string
	depth := 0
	for ; i < len(toks) && len(words) < 80; i++ {
		if text := toks[i].Text; len(words) > 0 && depth == 0 && toks[i].Line != toks[i-1].Line && text != "." && text != "-" || toks[i].IsBorder {
			break
		}
		depth += expression.Nesting(toks[i].Text)
		if depth < 0 || depth == 0 && toks[i].Text == ";" {
			break
		}
		words = append(words, toks[i].Text)
	}
	return strings.Join(words, " ")
}

// WithinAny reports whether a byte lies in some stretches of the text.
func WithinAny(marks []source.Span, at int) bool {
	return slices.ContainsFunc(marks, func(m source.Span) bool { return m.Start <= at && at < m.End })
}

func TextAt(toks []Token, i int) string {
	if i < 0 || i >= len(toks) {
		return ""
	}
	return toks[i].Text
}

// Called returns how many tokens are between a value and the method called on it.
func Called(toks []Token, i int) int {
	switch {
	case TextAt(toks, i) == ".":
		return 1
	case TextAt(toks, i) == "-" && TextAt(toks, i+1) == ">":
		return 2
	}
	return 0
}

// ClosingBracket returns the place of the bracket that closes the one at open, or the end.
func ClosingBracket(toks []Token, open int) int {
	depth := 0
	for i := open; i < len(toks); i++ {
		switch toks[i].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(toks)
}

// SplitArguments parts arguments at their commas.
func SplitArguments(toks []Token) (args []string) {
	depth := 0
	var arg []string
	for _, t := range toks {
		depth += expression.Nesting(t.Text)
		if t.Text == "," && depth == 0 {
			args, arg = append(args, strings.Join(arg, "\x00")), nil
			continue
		}
		arg = append(arg, t.Text)
	}
	if len(arg) > 0 {
		args = append(args, strings.Join(arg, "\x00"))
	}
	return args
}

func HasToken(toks []Token, text string) bool {
	return slices.ContainsFunc(toks, func(t Token) bool { return t.Text == text })
}

func Texts(toks []Token) []string {
	all := make([]string, len(toks))
	for i, t := range toks {
		all[i] = t.Text
	}
	return all
}

// CallsOf counts the calls in a function by the name of the callee, without recursive ones.
func CallsOf(toks []Token, own string) map[string]int {
	calls := make(map[string]int)
	for i, t := range toks {
		if TextAt(toks, i+1) == "(" && expression.IsWord(t.Text) && t.Text != own {
			calls[t.Text]++
		}
	}
	return calls
}

// LastLine returns the line on which the assertion at i ends, with the calls chained to it.
func LastLine(toks []Token, i int) int {
	for i++; i < len(toks); i++ {
		switch text := toks[i].Text; {
		case text == "(" || text == "{" || text == "[":
			i = ClosingBracket(toks, i)
		case text == "." || text == "!" || text == "-" || text == ">":
		case toks[i].Line != toks[i-1].Line && toks[i-1].Text != "." && TextAt(toks, i-1) != ">":
			return toks[i-1].Line
		}
	}
	return toks[len(toks)-1].Line
}

// TokensIn returns the tokens between two bytes.
func (s *Text) TokensIn(start, end int) []Token {
	from, _ := slices.BinarySearchFunc(s.Tokens, start, func(t Token, at int) int { return t.Start - at })
	to := from
	for to < len(s.Tokens) && s.Tokens[to].Start < end {
		to++
	}
	return slices.DeleteFunc(slices.Clone(s.Tokens[from:to]), func(t Token) bool { return t.IsBorder })
}
