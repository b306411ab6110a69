package codediff

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// Tests of Kotest, which are calls, and what runs tests in place of a test program.

// specTests are the functions of Kotest that take a test and its name.
var specTests = wordSet("test it should expect scenario then Then feature xtest xit xshould xexpect xscenario xthen xThen")

// specTest returns the name of the test of Kotest that a call is: "total" { … },
// "total".config(…) { … }, test("total") { … }. A "!" before its name keeps it from running.
func (s *side) specTest(call int32) (name string, ok bool) {
	last := s.lastChild(call)
	if last < 0 || s.tree.Kind(last) != "annotated_lambda" || !strings.Contains(string(s.src), "io.kotest.") {
		return "", false
	}
	head := s.nthChild(call, 0)
	for s.tree.Kind(head) == "call_expression" {
		if args := s.given(head); len(args) > 0 && specTests[s.calledName(head)] {
			head = args[0]
			break
		}
		if head = s.receiver(head); head < 0 {
			return "", false
		}
	}
	if s.tree.Kind(head) != "string_literal" {
		return "", false
	}
	return strings.TrimLeft(strings.Trim(s.tree.Text(head), `"`), "!"), true
}

// scalaTests are the functions of test programs of Scala that take a test and its name; joinsTest are
// the words between the two.
var (
	scalaTests = wordSet("test it they ignore property scenario Scenario testAsync")
	joinsTest  = wordSet("in ignore >>")
)

// scalaTest returns the name of the test that a block of Scala is: test("total") { … },
// "A cart" should "sum" in { … }.
func (s *side) scalaTest(block int32) (name string, ok bool) {
	p := s.tree.Parent(block)
	if kind := s.tree.Kind(block); p < 0 || kind != "block" && kind != "indented_block" || s.lastChild(p) != block {
		return "", false
	}
	head := s.nthChild(p, 0)
	switch s.tree.Kind(p) {
	case "call_expression":
		ok = s.tree.Kind(head) == "call_expression" && scalaTests[s.tree.Text(s.nthChild(head, 0))]
		head = s.nthChild(s.nthChild(head, 1), 0)
	case "infix_expression":
		ok = joinsTest[s.tree.Text(s.nthChild(p, 1))]
	}
	if !ok || head < 0 {
		return "", false
	}
	text := s.tree.Text(head)
	return strings.Trim(text, `"`), strings.Contains(text, `"`)
}

// offInScala finds what stands before the block of a test of Scala that is not run.
var offInScala = lazyregexp.MustCompile(`^ignore\(|\bignore\s*$|"\.(?:ignore|flaky|fail)\b`)

// disabledByName is 1 for a test of Kotest that its name keeps from running, and for one of Scala that is
// ignored.
func (s *side) disabledByName(node int32) int {
	if p := s.tree.Parent(node); s.lang == syntax.Scala && !s.tree.Function(node) &&
		offInScala.Match(s.src[s.tree.Nodes[p].Start:s.tree.Nodes[node].Start]) {
		return 1
	}
	if s.lang == syntax.Kotlin && s.tree.Kind(node) == "call_expression" && disabledName.MatchString(s.tree.Text(node)) {
		return 1
	}
	return 0
}

var disabledName = lazyregexp.MustCompile(`^(?:\w+\()?"!`)

// replacedRuns counts what runs the tests of a file in place of its test program, and leaves them out: an
// "around" of RSpec, and a method of that name in the class of a test, that go on with nothing.
func (s *side) replacedRuns() (n int) {
	for i := range s.tree.Nodes {
		node := int32(i)
		switch {
		case s.lang == syntax.Ruby && s.tree.Kind(node) == "call" && s.calledName(node) == "around" && s.receiver(node) < 0,
			s.tree.Function(node) && runsTest.MatchString(s.tree.FunctionName(node)) && s.inClassOfTests(node):
			if !goesOn.MatchString(s.tree.Text(node)) {
				n++
			}
		}
	}
	return n
}

var (
	runsTest = lazyregexp.MustCompile(`^(?:run|runTest|runBare|run_one_method|__call__)$`)
	goesOn   = lazyregexp.MustCompile(`\.(?:run|call|run_with\w*)\b|\bsuper\b|\bparent::|\byield\b|&\w`)
)

// inClassOfTests reports whether a method stands in a class that inherits how tests are run.
func (s *side) inClassOfTests(method int32) bool {
	for p := s.tree.Parent(method); p >= 0; p = s.tree.Parent(p) {
		if strings.Contains(s.tree.Kind(p), "class") && s.nameOf(p) != "" {
			return !s.inheritsNothing(p) && testClass.MatchString(strings.SplitN(s.tree.Text(p), "\n", 2)[0])
		}
	}
	return false
}

var testClass = lazyregexp.MustCompile(`Test`)
