package languages

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
)

// Tests of C and C++ are headed by macros: TEST(Suite, Name) {}, TEST_CASE("what it tests") {}.
// A test is a function by the name that it is given there, and its head a call.

var cTestNames = lazyregexp.MustCompile(`^\w+\s*\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?[,)]`)

// cTests gives the tests that the grammar takes for functions called TEST their names.
func cTests(w *engine.Walker) {
	var tests map[uint32]int32 // by where its macro is
	for i := range w.File.Symbols {
		if s := &w.File.Symbols[i]; s.Kind == engine.Function && cTestHeads.MatchString(s.Name) {
			if tests == nil {
				tests = make(map[uint32]int32)
			}
			tests[w.Lines[s.NameLine-1]+uint32(s.NameColumn-1)] = int32(i)
		}
	}
	if tests == nil {
		return
	}
	names := make(map[uint32]int32, len(tests))
	for i := range w.Mentions {
		o := &w.Mentions[i]
		test, ok := tests[o.Start]
		if !ok || o.Role != engine.Definition {
			continue
		}
		s := &w.File.Symbols[test]
		m := cTestNames.FindStringSubmatchIndex(w.Text[o.Start:])
		if m == nil {
			continue
		}
		o.Role = engine.Call
		start, end := m[2], m[3]
		if first := strings.HasPrefix(s.Name, "BOOST_") || strings.HasPrefix(s.Name, "ATF_"); m[4] >= 0 && !first {
			s.Scope = engine.JoinScope(s.Scope, w.Text[int(o.Start)+start:int(o.Start)+end])
			start, end = m[4], m[5]
		}
		at := o.Start + uint32(start)
		row := w.RowOf(at, uint32(s.NameLine-1))
		s.Name, s.NameLine, s.NameColumn = w.Text[at:int(o.Start)+end], int(row)+1, int(at-w.Lines[row])+1
		names[at] = test
	}
	for i := range w.Mentions {
		if o := &w.Mentions[i]; o.Role == engine.TypeUse {
			if test, ok := names[o.Start]; ok {
				o.Role, o.Symbol = engine.Definition, test
			}
		}
	}
}

// cppTest makes a function of a block behind a macro that is given what it tests.
func cppTest(w *engine.Walker, block int32) {
	if len(w.Scopes) < 2 || w.Scopes[len(w.Scopes)-2].Kind != engine.ModuleScope {
		return
	}
	head := block - 1
	for head >= 0 && w.Parent(head) != w.Parent(block) {
		head = w.Parent(head)
	}
	if head >= 0 && !w.Is(head, "call_expression") {
		head = w.FirstOf(head, "call_expression")
	}
	name := w.FirstOf(w.Child(head, "arguments"), "string_literal")
	if name < 0 || !cTestHeads.MatchString(w.TextOf(w.Child(head, "function"))) {
		return
	}
	place := w.InQuotes(name)
	i := w.NewSymbol(head, engine.Function, w.Symbol, &place, engine.Unquote(w.TextOf(name)), nil)
	s := &w.File.Symbols[i]
	s.End, s.EndLine = int(w.Nodes[block].End), int(w.Nodes[block].EndRow)+1
	s.Signature = engine.OneLine([]byte(w.TextOf(head)))
	w.Symbol = i
	w.Frames[len(w.Frames)-1].HasSymbol = true
}
