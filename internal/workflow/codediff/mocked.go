package codediff

import (
	"slices"
	"strings"
)

// mocks are the calls that a test replaces by a value of its own, as they begin: their tokens
// up to the bracket, each followed by a zero byte.
type mocks map[string]bool

// mocked finds the replaced calls of a test: when(cart.total()).thenReturn(90),
// cart.total.return_value = 90, and the like in other libraries.
func mocked(toks []tok) mocks {
	all := make(mocks)
	put := func(words ...string) { all[strings.Join(words, "\x00")+"\x00("] = true }
	for i, t := range toks {
		switch {
		case slices.Contains([]string{"when", "whenever", "given", "every", "coEvery"}, t.text) && isWord(at(toks, i+2)) &&
			at(toks, i+3) == "." && at(toks, i+5) == "(":
			put(at(toks, i+2), ".", at(toks, i+4))
		case slices.Contains([]string{"return_value", "side_effect", "mockReturnValue", "mockResolvedValue", "mockImplementation"}, t.text) &&
			at(toks, i-1) == "." && at(toks, i+1) != ".":
			put(chain(toks, i-2)...)
		case t.text == "fn" && at(toks, i-1) == "." && at(toks, i-3) == "=": // cart.total = jest.fn(…)
			put(chain(toks, i-4)...)
		case t.text == "receive" && at(toks, i-2) == "." && at(toks, i-3) == ")" && at(toks, i+1) == "(":
			put(at(toks, i-4), ".", strings.TrimPrefix(at(toks, i+2)+at(toks, i+3), ":"))
		case t.text == "method" && at(toks, i-1) == ">" && at(toks, i+1) == "(":
			put(at(toks, i-3), "-", ">", strings.Trim(at(toks, i+2), `'"`))
		case t.text == "On" && at(toks, i-1) == "." && at(toks, i+1) == "(":
			put(at(toks, i-2), ".", strings.Trim(at(toks, i+2), `"`))
		case t.text == "Setup" && at(toks, i-1) == "." && at(toks, i+6) == ".": // x.Setup(c => c.Total())
			put(at(toks, i-2), ".", "Object", ".", at(toks, i+7))
		}
	}
	return all
}

// chain returns the names with dots between them that end at a token.
func chain(toks []tok, end int) []string {
	words := []string{at(toks, end)}
	for at(toks, end-1) == "." && isWord(at(toks, end-2)) {
		end -= 2
		words = append([]string{at(toks, end), "."}, words...)
	}
	return words
}

// asserted reports whether an assertion is given nothing but calls that the test itself has
// replaced, and what is written out.
func (m mocks) asserted(toks []tok, i int) bool {
	open := i + 1
	for open < len(toks) && open < i+4 && toks[open].text != "(" {
		open++
	}
	if len(m) == 0 {
		return false
	}
	var parts []string
	if bare := toks[i].text == "assert" && at(toks, i+1) != "("; at(toks, open) == "(" && !bare {
		parts = split(toks[open+1 : closing(toks, open)])
	} else { // assert cart.total() == 90
		end := i + 1
		for end < len(toks) && toks[end].line == toks[i].line && !toks[end].shape {
			end++
		}
		parts = split(toks[i+1 : end])
	}
	replaced := 0
	for _, part := range parts {
		for _, side := range strings.Split(part, "\x00=\x00=\x00") {
			switch {
			case m.is(side):
				replaced++
			case literalTruth(strings.Split(side, "\x00")) == unknown && strings.IndexByte("\"'`", side[0]) < 0:
				return false
			}
		}
	}
	return replaced > 0
}

// is reports whether an expression is one of the calls.
func (m mocks) is(expression string) bool {
	head, rest, ok := strings.Cut(expression, "(")
	if !ok || !m[head+"("] {
		return false
	}
	depth := 1
	words := strings.Split(strings.TrimPrefix(rest, "\x00"), "\x00")
	for n, w := range words {
		switch w {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			return n == len(words)-1
		}
	}
	return false
}
