package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/workflow/codediff/expression"
)

// mocks are the calls that a test replaces by a value of its own: the names of what is
// called, by what it is called on, tokens with zero bytes between; "" stands for whatever
// it is called on.
type mocks map[string][]string

// replacing are the words by which libraries replace a method, with how the method is
// named there.
var replacing = map[string]func(put func(on []string, name string), toks []tok, i int){
	"when": replacedCall, "whenever": replacedCall, "given": replacedCall, "every": replacedCall, "coEvery": replacedCall,
	"return_value": replacedName, "side_effect": replacedName,
	"mockReturnValue": replacedName, "mockResolvedValue": replacedName, "mockImplementation": replacedName,
	"fn":      replacedField,
	"receive": replacedInRuby, "receive_messages": replacedInRuby,
	"method": replacedText(-3), "shouldReceive": replacedText(-3), "allows": replacedText(-3), "expects": replacedText(-3),
	"On": replacedText(-2), "Setup": replacedInCSharp,
	"object": replacedArguments, "setattr": replacedArguments, "spyOn": replacedArguments,
	"stub": replacedArguments, "replace": replacedArguments,
	"instance_double": replacedKeys, "double": replacedKeys, "createConfiguredMock": replacedKeys, "createConfiguredStub": replacedKeys,
	"Mock": replacedKeys, "MagicMock": replacedKeys, "SimpleNamespace": replacedKeys,
}

// mocked finds the replaced calls of a test: when(cart.total()).thenReturn(90),
// cart.total.return_value = 90, and the like in other libraries.
func mocked(toks []tok) mocks {
	all := make(mocks)
	put := func(on []string, name string) {
		if expression.IsWord(name) {
			all[name] = append(all[name], strings.Join(on, "\x00"))
		}
	}
	for i, t := range toks {
		switch find := replacing[t.text]; {
		case find != nil:
			find(put, toks, i)
		case t.text == "def" && at(toks, i+2) == ".": // def cart.total = 90
			put([]string{at(toks, i+1)}, at(toks, i+3))
		}
	}
	return all
}

// byItself stands for what a function is called on that a test file has replaced in its module.
const byItself = "\x00"

// replaced finds the replaced calls of a test, with the functions that its file replaces in a
// module: vi.mock("../src/cart", () => ({total: …})).
func (s *side) replaced(toks []tok) mocks {
	m := mocked(toks)
	if !s.spec.Testing.Called || !bytes.Contains(s.src, []byte(".mock(")) {
		return m
	}
	for i, t := range s.toks {
		if t.text != "mock" || at(s.toks, i-1) != "." || at(s.toks, i+1) != "(" || !isQuoted(at(s.toks, i+2)) {
			continue
		}
		end, depth := closing(s.toks, i+1), 0
		if hasToken(s.toks[i:end], "importActual") || hasToken(s.toks[i:end], "requireActual") || hasToken(s.toks[i:end], "importOriginal") {
			continue
		}
		for n := i + 2; n < end; n++ {
			switch text := s.toks[n].text; {
			case text == "{":
				depth++
			case text == "}":
				depth--
			case depth == 1 && expression.IsWord(text) && at(s.toks, n+1) == ":":
				m[text] = append(m[text], byItself)
			}
		}
	}
	return m
}

// replacedCall: when(cart.total())
func replacedCall(put func([]string, string), toks []tok, i int) {
	if expression.IsWord(at(toks, i+2)) && at(toks, i+3) == "." && at(toks, i+5) == "(" {
		put([]string{at(toks, i+2)}, at(toks, i+4))
	}
}

// replacedName: cart.total.return_value = 90
func replacedName(put func([]string, string), toks []tok, i int) {
	if at(toks, i-1) == "." && at(toks, i+1) != "." {
		if words := chain(toks, i-2); len(words) > 2 {
			put(words[:len(words)-2], words[len(words)-1])
		}
	}
}

// replacedField: cart.total = jest.fn(…)
func replacedField(put func([]string, string), toks []tok, i int) {
	if at(toks, i-1) == "." && at(toks, i-3) == "=" {
		if words := chain(toks, i-4); len(words) > 2 {
			put(words[:len(words)-2], words[len(words)-1])
		}
	}
}

// replacedInRuby: allow(cart).to receive(:total), allow_any_instance_of(Cart).to receive(:total)
func replacedInRuby(put func([]string, string), toks []tok, i int) {
	if at(toks, i-2) != "." || at(toks, i-3) != ")" || at(toks, i+1) != "(" {
		return
	}
	name := strings.TrimPrefix(at(toks, i+2), ":")
	if name == "" {
		name = at(toks, i+3)
	}
	if strings.HasSuffix(at(toks, i-6), "any_instance_of") {
		put(nil, name)
	} else {
		put([]string{at(toks, i-4)}, name)
	}
}

// replacedText: $cart->method('total'), cart.On("Total"); on is where what it is called on
// stands.
func replacedText(on int) func(func([]string, string), []tok, int) {
	return func(put func([]string, string), toks []tok, i int) {
		if arrow := at(toks, i-1); (arrow == ">" || arrow == ".") && at(toks, i+1) == "(" && isQuoted(at(toks, i+2)) {
			put([]string{at(toks, i+on)}, unquoted(at(toks, i+2)))
		}
	}
}

// replacedInCSharp: cart.Setup(c => c.Total())
func replacedInCSharp(put func([]string, string), toks []tok, i int) {
	if at(toks, i-1) == "." && at(toks, i+1) == "(" && at(toks, i+6) == "." {
		put([]string{at(toks, i-2), ".", "Object"}, at(toks, i+7))
	}
}

// replacedArguments: patch.object(Cart, "total", …), jest.spyOn(cart, "total"),
// cart.stub(:total, 30). What is replaced in a class is so wherever it is called.
func replacedArguments(put func([]string, string), toks []tok, i int) {
	if at(toks, i-1) != "." || at(toks, i+1) != "(" {
		return
	}
	end := closing(toks, i+1)
	if at(toks, i) == "spyOn" && !answers(toks, end) {
		return // it calls the method all the same
	}
	args := split(toks[i+2 : end])
	switch {
	case len(args) > 0 && strings.HasPrefix(args[0], ":"):
		put([]string{at(toks, i-2)}, strings.TrimPrefix(strings.ReplaceAll(args[0], "\x00", ""), ":"))
	case len(args) > 1 && isQuoted(args[1]):
		on := strings.Split(args[0], "\x00")
		if first := on[0][0]; first >= 'A' && first <= 'Z' {
			on = nil
		}
		put(on, unquoted(args[1]))
	}
}

// answers reports whether a spy gives an answer of its own.
func answers(toks []tok, end int) bool {
	word := at(toks, end+2)
	return at(toks, end+1) == "." && (strings.HasPrefix(word, "mock") || word == "and" || strings.HasPrefix(word, "return"))
}

// replacedKeys: cart = instance_double(Cart, total: 30), cart = Mock(total=…)
func replacedKeys(put func([]string, string), toks []tok, i int) {
	open, eq := i+1, i-1
	for eq > 0 && (expression.IsWord(toks[eq].text) || slices.Contains([]string{".", "-", ">", "$"}, toks[eq].text)) {
		eq--
	}
	if at(toks, open) != "(" || at(toks, eq) != "=" {
		return
	}
	on := chain(toks, eq-1)
	for n := open + 1; n < closing(toks, open); n++ {
		switch next := at(toks, n+1); {
		case next == ":" && expression.IsWord(toks[n].text), next == "=" && expression.IsWord(toks[n].text) && at(toks, n+2) != "=":
			put(on, toks[n].text)
		case next == "=" && at(toks, n+2) == ">" && isQuoted(toks[n].text):
			put(on, unquoted(toks[n].text))
		}
	}
}

// throwsForCode reports whether an error is thrown at i by the function that takes the place of another:
// () => { throw x }, or the first thing that an inner "def" does.
func throwsForCode(toks []tok, i int) bool {
	switch toks[i].text {
	case "throw":
		return at(toks, i-1) == "{" && at(toks, i-2) == ">" && at(toks, i-3) == "="
	case "raise":
		for n := i - 1; n > 0 && toks[n].line == toks[i-1].line; n-- {
			if toks[n].text == "def" {
				return toks[i].line > toks[n].line && toks[i-1].text == ":"
			}
		}
	}
	return false
}

func isQuoted(text string) bool { return len(text) > 2 && (text[0] == '"' || text[0] == '\'') }

func unquoted(text string) string { return strings.Trim(text, `'"`) }

// chain returns the names with dots between them that end at a token.
func chain(toks []tok, end int) []string {
	words := []string{at(toks, end)}
	for at(toks, end-1) == "." && expression.IsWord(at(toks, end-2)) {
		end -= 2
		words = append([]string{at(toks, end), "."}, words...)
	}
	return words
}

// asserted reports whether an assertion is given nothing but calls that the test itself has
// replaced, and what is written out.
func (m mocks) asserted(toks []tok, i int) bool {
	if len(m) == 0 {
		return false
	}
	open := i + 1
	for open < len(toks) && open < i+4 && toks[open].text != "(" {
		open++
	}
	var parts []string
	if end := closing(toks, open); wantsError.MatchString(toks[i].text) && at(toks, end+1) == ":" { // with raises(…): cart.total()
		block := min(end+2, len(toks)-1)
		last, line := block, lastLine(toks, block)
		for last < len(toks) && toks[last].line <= line {
			last++
		}
		return m.is(strings.Join(texts(toks[block:last]), "\x00"))
	}
	if bare := (toks[i].text == "assert" || strings.HasPrefix(toks[i].text, "assert_")) && at(toks, i+1) != "("; at(toks, open) == "(" && !bare {
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
			case expression.Literal(strings.Split(side, "\x00")) == expression.Unknown && strings.IndexByte("\"'`", side[0]) < 0:
				return false
			}
		}
	}
	return replaced > 0
}

// is reports whether an expression is one of the calls: cart.total(), cart.total,
// $cart->total(), or Cart().total() where the class was given another method.
func (m mocks) is(expression string) bool {
	expression = strings.TrimPrefix(strings.TrimPrefix(expression, "(\x00)\x00=\x00>\x00"), "await\x00")
	words := strings.Split(expression, "\x00")
	last := len(words) - 1
	if words[last] == ")" {
		depth := 0
		for ; last >= 0; last-- {
			if words[last] == ")" {
				depth++
			} else if words[last] == "(" {
				if depth--; depth == 0 {
					break
				}
			}
		}
		words = words[:max(last, 0)]
	}
	n := len(words)
	if n == 1 && last == 1 { // a call of it
		return slices.Contains(m[words[0]], byItself)
	}
	if n < 3 {
		return false
	}
	on := words[:n-2]
	if words[n-2] == ">" {
		on = words[:n-3]
	}
	if words[n-2] != "." && words[n-2] != ">" {
		return false
	}
	return slices.ContainsFunc(m[words[n-1]], func(of string) bool {
		return of == "" || of == strings.Join(on, "\x00") || "$\x00"+of == strings.Join(on, "\x00")
	})
}
