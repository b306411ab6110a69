package testcase

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/tokens"
)

// mocks are the calls that a test replaces by a value of its own:
// called, by what it is called on, tokens with zero bytes between; "" stands for whatever
// it is called on.
type mocks map[string][]string

// mockWords are the words by which libraries replace a method, with how the method is
// named there.
var mockWords = map[string]func(put func(on []string, name string), toks []tokens.Token, i int){
	"when": replacedCall, "whenever": replacedCall, "given": replacedCall, "every": replacedCall, "coEvery": replacedCall,
	"return_value": replacedName, "side_effect": replacedName,
	"mockReturnValue": replacedName, "mockResolvedValue": replacedName, "mockImplementation": replacedName,
	"patch":   replacedPath,
	"fn":      replacedField,
	"receive": replacedInRuby, "receive_messages": replacedInRuby,
	"method": replacedText(-3), "shouldReceive": replacedText(-3), "allows": replacedText(-3), "expects": replacedText(-3),
	"On": replacedText(-2), "Setup": replacedInCSharp,
	"object": replacedArguments, "setattr": replacedArguments, "spyOn": replacedArguments,
	"stub": replacedArguments, "replace": replacedArguments,
	"instance_double": replacedKeys, "double": replacedKeys, "createConfiguredMock": replacedKeys, "createConfiguredStub": replacedKeys,
	"Mock": replacedKeys, "MagicMock": replacedKeys, "SimpleNamespace": replacedKeys,
}

// findMocks finds the replaced calls of a test: when(cart.total()).thenReturn(90),
// cart.total.return_value = 90, and the like in other libraries.
func findMocks(toks []tokens.Token) mocks {
	all := make(mocks)
	put := func(on []string, name string) {
		if expression.IsWord(name) {
			all[name] = append(all[name], strings.Join(on, "\x00"))
		}
	}
	for i, t := range toks {
		switch find := mockWords[t.Text]; {
		case find != nil:
			find(put, toks, i)
		case t.Text == "def" && tokens.TextAt(toks, i+2) == ".": // def cart.total = 90
			put([]string{tokens.TextAt(toks, i+1)}, tokens.TextAt(toks, i+3))
		}
	}
	return all
}

// onItsOwn is the receiver of a function that a test file has replaced in its module.
const onItsOwn = "\x00"

// mocksIn finds the replaced calls of a test, with the functions that its file replaces in a
// module: vi.mock("../src/cart", () => ({total: …})).
func (s *File) mocksIn(toks []tokens.Token) mocks {
	m := findMocks(toks)
	if !s.Spec.Testing.Called || !bytes.Contains(s.Src, []byte(".mock(")) {
		return m
	}
	for i, t := range s.Tokens {
		if t.Text != "mock" || tokens.TextAt(s.Tokens, i-1) != "." || tokens.TextAt(s.Tokens, i+1) != "(" || !isQuoted(tokens.TextAt(s.Tokens, i+2)) {
			continue
		}
		end, depth := tokens.ClosingBracket(s.Tokens, i+1), 0
		if tokens.HasToken(s.Tokens[i:end], "importActual") || tokens.HasToken(s.Tokens[i:end], "requireActual") || tokens.HasToken(s.Tokens[i:end], "importOriginal") {
			continue
		}
		for n := i + 2; n < end; n++ {
			switch text := s.Tokens[n].Text; {
			case text == "{":
				depth++
			case text == "}":
				depth--
			case depth == 1 && expression.IsWord(text) && tokens.TextAt(s.Tokens, n+1) == ":":
				m[text] = append(m[text], onItsOwn)
			}
		}
	}
	return m
}

// replacedCall: when(cart.total())
func replacedCall(put func([]string, string), toks []tokens.Token, i int) {
	if expression.IsWord(tokens.TextAt(toks, i+2)) && tokens.TextAt(toks, i+3) == "." && tokens.TextAt(toks, i+5) == "(" {
		put([]string{tokens.TextAt(toks, i+2)}, tokens.TextAt(toks, i+4))
	}
}

// replacedName: cart.total.return_value = 90
func replacedName(put func([]string, string), toks []tokens.Token, i int) {
	if tokens.TextAt(toks, i-1) == "." && tokens.TextAt(toks, i+1) != "." {
		if words := chain(toks, i-2); len(words) > 2 {
			put(words[:len(words)-2], words[len(words)-1])
		}
	}
}

// replacedPath: @patch("cart.total", return_value=90)
func replacedPath(put func([]string, string), toks []tokens.Token, i int) {
	if tokens.TextAt(toks, i+1) != "(" || !isQuoted(tokens.TextAt(toks, i+2)) {
		return
	}
	words := strings.Split(strings.ReplaceAll(unquoted(tokens.TextAt(toks, i+2)), ".", "\x00.\x00"), "\x00")
	for from := 0; from+2 < len(words); from += 2 { // also by the last names of its module
		put(words[from:len(words)-2], words[len(words)-1])
	}
}

// replacedField: cart.total = jest.fn(…)
func replacedField(put func([]string, string), toks []tokens.Token, i int) {
	if tokens.TextAt(toks, i-1) == "." && tokens.TextAt(toks, i-3) == "=" {
		if words := chain(toks, i-4); len(words) > 2 {
			put(words[:len(words)-2], words[len(words)-1])
		}
	}
}

// replacedInRuby: allow(cart).to receive(:total), allow_any_instance_of(Cart).to receive(:total)
func replacedInRuby(put func([]string, string), toks []tokens.Token, i int) {
	if tokens.TextAt(toks, i-2) != "." || tokens.TextAt(toks, i-3) != ")" || tokens.TextAt(toks, i+1) != "(" {
		return
	}
	name := strings.TrimPrefix(tokens.TextAt(toks, i+2), ":")
	if name == "" {
		name = tokens.TextAt(toks, i+3)
	}
	if strings.HasSuffix(tokens.TextAt(toks, i-6), "any_instance_of") {
		put(nil, name)
	} else {
		put([]string{tokens.TextAt(toks, i-4)}, name)
	}
}

// replacedText: $cart->method('total'), cart.On("Total"); on is where what it is called on
// is.
func replacedText(on int) func(func([]string, string), []tokens.Token, int) {
	return func(put func([]string, string), toks []tokens.Token, i int) {
		if arrow := tokens.TextAt(toks, i-1); (arrow == ">" || arrow == ".") && tokens.TextAt(toks, i+1) == "(" && isQuoted(tokens.TextAt(toks, i+2)) {
			put([]string{tokens.TextAt(toks, i+on)}, unquoted(tokens.TextAt(toks, i+2)))
		}
	}
}

// replacedInCSharp: cart.Setup(c => c.Total())
func replacedInCSharp(put func([]string, string), toks []tokens.Token, i int) {
	if tokens.TextAt(toks, i-1) == "." && tokens.TextAt(toks, i+1) == "(" && tokens.TextAt(toks, i+6) == "." {
		put([]string{tokens.TextAt(toks, i-2), ".", "Object"}, tokens.TextAt(toks, i+7))
	}
}

// replacedArguments: patch.object(Cart, "total", …), jest.spyOn(cart, "total"),
// cart.stub(:total, 30). What is replaced in a class is so wherever it is called.
func replacedArguments(put func([]string, string), toks []tokens.Token, i int) {
	if tokens.TextAt(toks, i-1) != "." || tokens.TextAt(toks, i+1) != "(" {
		return
	}
	end := tokens.ClosingBracket(toks, i+1)
	if tokens.TextAt(toks, i) == "spyOn" && !answers(toks, end) {
		return // it calls the method all the same
	}
	args := tokens.SplitArguments(toks[i+2 : end])
	switch {
	case len(args) > 0 && strings.HasPrefix(args[0], ":"):
		put([]string{tokens.TextAt(toks, i-2)}, strings.TrimPrefix(strings.ReplaceAll(args[0], "\x00", ""), ":"))
	case len(args) > 1 && isQuoted(args[1]):
		on := strings.Split(args[0], "\x00")
		if first := on[0][0]; first >= 'A' && first <= 'Z' {
			on = nil
		}
		put(on, unquoted(args[1]))
	}
}

// answers reports whether a spy gives an answer of its own.
func answers(toks []tokens.Token, end int) bool {
	word := tokens.TextAt(toks, end+2)
	return tokens.TextAt(toks, end+1) == "." && (strings.HasPrefix(word, "mock") || word == "and" || strings.HasPrefix(word, "return"))
}

// replacedKeys: cart = instance_double(Cart, total: 30), cart = Mock(total=…)
func replacedKeys(put func([]string, string), toks []tokens.Token, i int) {
	open, eq := i+1, i-1
	for eq > 0 && (expression.IsWord(toks[eq].Text) || slices.Contains([]string{".", "-", ">", "$"}, toks[eq].Text)) {
		eq--
	}
	if tokens.TextAt(toks, open) != "(" || tokens.TextAt(toks, eq) != "=" {
		return
	}
	on := chain(toks, eq-1)
	for n := open + 1; n < tokens.ClosingBracket(toks, open); n++ {
		switch next := tokens.TextAt(toks, n+1); {
		case next == ":" && expression.IsWord(toks[n].Text), next == "=" && expression.IsWord(toks[n].Text) && tokens.TextAt(toks, n+2) != "=":
			put(on, toks[n].Text)
		case next == "=" && tokens.TextAt(toks, n+2) == ">" && isQuoted(toks[n].Text):
			put(on, unquoted(toks[n].Text))
		}
	}
}

// throwsForCode reports whether an error is thrown at i by the function that takes the place of another:
// () => { throw x }, or the first thing that an inner "def" does.
func throwsForCode(toks []tokens.Token, i int) bool {
	switch toks[i].Text {
	case "throw":
		return tokens.TextAt(toks, i-1) == "{" && tokens.TextAt(toks, i-2) == ">" && tokens.TextAt(toks, i-3) == "="
	case "raise":
		for n := i - 1; n > 0 && toks[n].Line == toks[i-1].Line; n-- {
			if toks[n].Text == "def" {
				return toks[i].Line > toks[n].Line && toks[i-1].Text == ":"
			}
		}
	}
	return false
}

func isQuoted(text string) bool { return len(text) > 2 && (text[0] == '"' || text[0] == '\'') }

func unquoted(text string) string { return strings.Trim(text, `'"`) }

// chain returns the names with dots between them that end at a token.
func chain(toks []tokens.Token, end int) []string {
	words := []string{tokens.TextAt(toks, end)}
	for tokens.TextAt(toks, end-1) == "." && expression.IsWord(tokens.TextAt(toks, end-2)) {
		end -= 2
		words = append([]string{tokens.TextAt(toks, end), "."}, words...)
	}
	return words
}

// asserted reports whether an assertion is given nothing but calls that the test itself has
// replaced, and literals.
func (m mocks) asserted(toks []tokens.Token, i int) bool {
	if len(m) == 0 {
		return false
	}
	open := i + 1
	for open < len(toks) && open < i+4 && toks[open].Text != "(" {
		open++
	}
	var parts []string
	if end := tokens.ClosingBracket(toks, open); wantsError.MatchString(toks[i].Text) && tokens.TextAt(toks, end+1) == ":" { // with raises(…): cart.total()
		block := min(end+2, len(toks)-1)
		last, line := block, tokens.LastLine(toks, block)
		for last < len(toks) && toks[last].Line <= line {
			last++
		}
		return m.is(strings.Join(tokens.Texts(toks[block:last]), "\x00"))
	}
	if bare := (toks[i].Text == "assert" || strings.HasPrefix(toks[i].Text, "assert_")) && tokens.TextAt(toks, i+1) != "("; tokens.TextAt(toks, open) == "(" && !bare {
		parts = tokens.SplitArguments(toks[open+1 : tokens.ClosingBracket(toks, open)])
	} else { // assert cart.total() == 90
		end := i + 1
		for end < len(toks) && toks[end].Line == toks[i].Line && !toks[end].IsBorder {
			end++
		}
		parts = tokens.SplitArguments(toks[i+1 : end])
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
		return slices.Contains(m[words[0]], onItsOwn)
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
