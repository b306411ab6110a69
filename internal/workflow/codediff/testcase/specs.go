package testcase

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/source"
)

// Tests of Kotest, which are calls, and what runs tests in place of a test program.

// specTests are the functions of Kotest that take a test and its name.
var specTests = source.WordSet("test it should expect scenario then Then feature xtest xit xshould xexpect xscenario xthen xThen")

// specTest returns the name of the test of Kotest that a call is: "total" { … },
// "total".config(…) { … }, test("total") { … }. A "!" before its name keeps it from running.
func (s *File) specTest(call int32) (name string, ok bool) {
	last := s.LastChild(call)
	if last < 0 || s.Tree.Kind(last) != "annotated_lambda" || !strings.Contains(string(s.Src), "io.kotest.") {
		return "", false
	}
	head := s.NthChild(call, 0)
	for s.Tree.Kind(head) == "call_expression" {
		if args := s.CallArguments(head); len(args) > 0 && specTests[s.CalledName(head)] {
			head = args[0]
			break
		}
		if head = s.Receiver(head); head < 0 {
			return "", false
		}
	}
	if s.Tree.Kind(head) != "string_literal" {
		return "", false
	}
	return strings.TrimLeft(strings.Trim(s.Tree.Text(head), `"`), "!"), true
}

// scalaTests are the functions of test programs of Scala that take a test and its name; joinsTest are
// the words between the two.
var (
	scalaTests = source.WordSet("test it they ignore property scenario Scenario testAsync")
	joinsTest  = source.WordSet("in ignore >>")
)

// scalaTest returns the name of the test that a block of Scala is: test("total") { … },
// "A cart" should "sum" in { … }.
func (s *File) scalaTest(block int32) (name string, ok bool) {
	p := s.Tree.Parent(block)
	if kind := s.Tree.Kind(block); p < 0 || kind != "block" && kind != "indented_block" || s.LastChild(p) != block {
		return "", false
	}
	head := s.NthChild(p, 0)
	switch s.Tree.Kind(p) {
	case "call_expression":
		ok = s.Tree.Kind(head) == "call_expression" && scalaTests[s.Tree.Text(s.NthChild(head, 0))]
		head = s.NthChild(s.NthChild(head, 1), 0)
	case "infix_expression":
		ok = joinsTest[s.Tree.Text(s.NthChild(p, 1))]
	}
	if !ok || head < 0 {
		return "", false
	}
	text := s.Tree.Text(head)
	return strings.Trim(text, `"`), strings.Contains(text, `"`)
}

// offInScala matches what precedes the block of a test of Scala that is not run.
var offInScala = lazyregexp.MustCompile(`^ignore\(|\bignore\s*$|"\.(?:ignore|flaky|fail)\b`)

// disabledByName is 1 for a test of Kotest that its name keeps from running, and for one of Scala that is
// ignored.
func (s *File) disabledByName(node int32) int {
	if p := s.Tree.Parent(node); s.Lang == syntax.Scala && !s.Tree.Function(node) &&
		offInScala.Match(s.Src[s.Tree.Nodes[p].Start:s.Tree.Nodes[node].Start]) {
		return 1
	}
	if s.Lang == syntax.Kotlin && s.Tree.Kind(node) == "call_expression" && disabledName.MatchString(s.Tree.Text(node)) {
		return 1
	}
	return 0
}

var disabledName = lazyregexp.MustCompile(`^(?:\w+\()?"!`)

// replacedRuns counts what runs the tests of a file in place of its test program, and leaves them out: an
// "around" of RSpec, and a method of that name in the class of a test, that go on with nothing.
func (s *File) replacedRuns() (n int) {
	for i := range s.Tree.Nodes {
		node := int32(i)
		switch {
		case s.Lang == syntax.Ruby && s.Tree.Kind(node) == "call" && s.CalledName(node) == "around" && s.Receiver(node) < 0,
			s.Tree.Function(node) && runsTest.MatchString(s.Tree.FunctionName(node)) && s.inClassOfTests(node):
			if !goesOn.MatchString(s.Tree.Text(node)) {
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

// inClassOfTests reports whether a method is in a class that inherits how tests are run.
func (s *File) inClassOfTests(method int32) bool {
	for p := s.Tree.Parent(method); p >= 0; p = s.Tree.Parent(p) {
		if strings.Contains(s.Tree.Kind(p), "class") && s.NameOf(p) != "" {
			return !s.inheritsNothing(p) && testClass.MatchString(strings.SplitN(s.Tree.Text(p), "\n", 2)[0])
		}
	}
	return false
}

var testClass = lazyregexp.MustCompile(`Test`)
