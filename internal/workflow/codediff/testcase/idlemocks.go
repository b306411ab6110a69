package testcase

import (
	"slices"
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// Assertions about an object that stands in for another and meets no code of the project: only the test
// itself calls it.

// makesMock are the functions that make such an object.
var makesMock = source.WordSet("Mock MagicMock AsyncMock mock mockk fn double createMock createStub")

// onMocks are the words that may stand beside a mock in a statement, and no code of the project is meant by them.
var onMocks = source.WordSet(`when whenever given every coEvery verify coVerify confirmVerified times Mockito jest vi
	sinon allow expect receive self this t it await new const let var val final auto def fun async return`)

// theTest are what a test calls itself, matchers what it has beside assertions that speaks of mocks.
var (
	theTest  = source.WordSet("self this t it")
	matchers = source.WordSet("once any never exactly atLeast atLeastOnce atMost returnValue returnSelf throwException equalTo anything prophesize")
)

// installs are the functions of libraries that put a mock where code finds it.
var (
	installs  = source.WordSet("stubGlobal mock doMock setMock unstable_mockModule replace replaceProperty")
	libraries = source.WordSet("jest vi sinon td")
)

// keepsCode are words by which a mock runs the code that it stands for.
var keepsCode = source.WordSet("wraps CALLS_REAL_METHODS spec_set callOriginal and_call_original callRealMethod")

// idleMocks returns the names that a test gives to mocks, and to what these return, that share no statement with
// anything else: what is asserted of them says nothing of the code under test.
func (s *File) idleMocks(toks []tokens.Token) map[string]bool {
	idle := make(map[string]bool)
	all := statements(toks)
	for _, said := range all {
		name, value := given(said)
		made := slices.IndexFunc(value, func(t tokens.Token) bool { return t.Text == "(" || t.Text == "<" })
		if name != "" && made > 0 && makesMock[value[made-1].Text] && (value[made-1].Text != "fn" || made > 1) && !runsCode(value[made:]) {
			idle[name] = true
		}
	}
	if len(idle) == 0 {
		return nil
	}
	for _, said := range all { // what it returns
		if name, value := given(said); name != "" && len(value) > 0 && idle[strings.TrimLeft(value[0].Text, "$")] && meetsNothing(value, idle) {
			idle[name] = true
		}
	}
	inner := s.innerFunctions(toks)
	for n := -1; n != len(idle); { // until none is left that meets something
		n = len(idle)
		for _, said := range all {
			name, value := given(said)
			switch {
			case name == "" || !idle[name] || len(value) == 0:
			case idle[strings.TrimLeft(value[0].Text, "$")]:
				said = value
			default:
				continue // where it is made
			}
			alone := meetsNothing(said, idle)
			speaks := slices.ContainsFunc(said, func(t tokens.Token) bool { return isAssert(t.Text) || onMocks[t.Text] })
			for i, t := range said {
				name := strings.TrimLeft(t.Text, "$")
				if idle[name] && tokens.TextAt(said, i-1) != "." && (!alone || isHanded(said, i, speaks) || !speaks && tokens.WithinAny(inner, t.Start)) {
					delete(idle, name)
				}
			}
		}
	}
	return idle
}

// statements parts the tokens of a test at the ends of lines outside of round and square brackets, and at the
// borders of blocks.
func statements(toks []tokens.Token) (all [][]tokens.Token) {
	var open []string
	from := 0
	for i, t := range toks {
		within := len(open) > 0 && open[len(open)-1] != "{"
		if i > from && (t.Text == ";" || t.IsBorder || !within && (t.Line != toks[i-1].Line || toks[i-1].Text == "{") && t.Text != ".") {
			all = append(all, toks[from:i])
			from = i
		}
		switch t.Text {
		case "(", "[", "{":
			open = append(open, t.Text)
		case ")", "]", "}":
			open = open[:max(0, len(open)-1)]
		}
	}
	return append(all, toks[from:])
}

// given returns the name that a statement gives a value to, and the value.
func given(said []tokens.Token) (name string, value []tokens.Token) {
	for i, t := range said {
		switch {
		case t.Text == "(" || t.Text == ".":
			return "", nil
		case t.Text == "=" && i > 0 && expression.IsWord(said[i-1].Text) && tokens.TextAt(said, i+1) != "=":
			return strings.TrimLeft(said[i-1].Text, "$"), said[i+1:]
		}
	}
	return "", nil
}

// meetsNothing reports whether a statement names nothing but mocks, their methods, values and what asserts, and puts
// no mock where code finds it.
func meetsNothing(said []tokens.Token, idle map[string]bool) bool {
	for i, t := range said {
		prev, next := tokens.TextAt(said, i-1), tokens.TextAt(said, i+1)
		word := strings.TrimLeft(t.Text, "$")
		if prev == "." && installs[word] && libraries[tokens.TextAt(said, i-2)] {
			return false
		}
		if expression.IsWord(t.Text) && prev != "." && !(prev == ">" && tokens.TextAt(said, i-2) == "-") && !idle[word] &&
			!writtenOut(t.Text) && !isAssert(word) && (!onMocks[word] || namesMember(said, i)) && !(next == ":" || next == "=" && tokens.TextAt(said, i+2) != "=") {
			return false
		}
	}
	return true
}

// namesMember reports whether the name at i of a statement is the test's, of which it names what is no assertion:
// self.shop.pay(card).
func namesMember(said []tokens.Token, i int) bool {
	member := ""
	if next := tokens.TextAt(said, i+1); next == "." {
		member = tokens.TextAt(said, i+2)
	} else if next == "-" && tokens.TextAt(said, i+2) == ">" {
		member = tokens.TextAt(said, i+3)
	}
	return member != "" && theTest[strings.TrimLeft(said[i].Text, "$")] && !isAssert(member) && !makesMock[member] && !matchers[member]
}

// isHanded reports whether the name at i of a statement, which speaks of mocks or not, stands for the whole object.
func isHanded(said []tokens.Token, i int, speaks bool) bool {
	prev, next := tokens.TextAt(said, i-1), tokens.TextAt(said, i+1)
	if next == "." || next == "(" || next == "-" && tokens.TextAt(said, i+2) == ">" || next == "=" && i < 3 {
		return prev == ":"
	}
	return !speaks || tokens.TextAt(said, 0) == "return"
}

// runsCode reports whether what a mock is made with may be code that it runs: anything but classes and values.
func runsCode(made []tokens.Token) bool {
	for i, t := range made {
		next := tokens.TextAt(made, i+1)
		if keepsCode[t.Text] || expression.IsWord(t.Text) && !writtenOut(t.Text) && next != ":" && next != "=" && t.Text != "class" &&
			(next == "(" || strings.ToLower(t.Text[:1]) == t.Text[:1]) {
			return true
		}
	}
	return false
}

// innerFunctions returns the functions and blocks within a test, which code under test may run.
func (s *File) innerFunctions(toks []tokens.Token) (inner []source.Span) {
	var outer source.Span
	for i := range s.Tree.Nodes {
		n, node := s.Tree.Nodes[i], int32(i)
		if int(n.Start) < toks[0].Start || int(n.End) > toks[len(toks)-1].Start+len(toks[len(toks)-1].Text) ||
			!s.Tree.Function(node) && !s.Anonymous(node) && !(s.Lang == syntax.Ruby && strings.HasSuffix(s.Tree.Kind(node), "block")) {
			continue
		}
		if span := (source.Span{Start: int(n.Start), End: int(n.End)}); outer.End == 0 {
			outer = span
		} else {
			inner = append(inner, span)
		}
	}
	return inner
}

// aboutAny reports whether the line of the assertion at i names one of some locals.
func aboutAny(toks []tokens.Token, i int, names map[string]bool) bool {
	return slices.ContainsFunc(toks, func(t tokens.Token) bool {
		return toks[i].Line <= t.Line && t.Line <= tokens.LastLine(toks, i) && names[strings.TrimLeft(t.Text, "$")]
	})
}
