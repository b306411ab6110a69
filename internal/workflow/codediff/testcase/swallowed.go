package testcase

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// Failed assertions that a test swallows.

// swallowedSpans returns the stretches of text in which a failed assertion is caught and
// forgotten, or that nothing runs while the test does.
func (s *File) swallowedSpans() (all []source.Span) {
	for i := range s.Tree.Nodes {
		node := int32(i)
		s.afterDone(node, func(start, end int) { all = append(all, source.Span{Start: start, End: end}) })
		if (s.Anonymous(node) || s.Lang == syntax.Ruby && strings.HasSuffix(s.Tree.Kind(node), "block")) && (s.isUncalled(node) || s.Unawaited(node) || s.isForgotten(node)) {
			n := s.Tree.Nodes[node]
			all = append(all, source.Span{Start: int(n.Start), End: int(n.End)})
			continue
		}
		if cond := s.Condition(node); cond >= 0 && !s.IsLoop(node) && differsFromItself(source.PlainText(s.Tree.Text(cond))) {
			n := s.Tree.Nodes[node]
			all = append(all, source.Span{Start: int(n.Start), End: int(n.End)})
			continue
		}
		switch s.KindOf(node) {
		case "body_statement": // of a method of Ruby
			if b := s.swallowingTry(node); b.End > b.Start {
				b.Start = int(s.Tree.Nodes[node].Start)
				all = append(all, b)
			}
		case "try_statement", "begin", "try_expression", "try_call", "do_statement":
			if b := s.swallowingTry(node); b.End > b.Start {
				all = append(all, b)
			}
			all = append(all, s.onlyIfThrown(node)...)
		case "with_statement":
			head, _, _ := strings.Cut(s.Tree.Text(node), "\n")
			if suppresses.MatchString(head) || raising.MatchString(head) && s.raisesItself(node) {
				n := s.Tree.Nodes[node]
				all = append(all, source.Span{Start: int(n.Start), End: int(n.End)})
			}
		}
	}
	return all
}

var (
	asyncFunction = lazyregexp.MustCompile(`^async\b`)
	syncTest      = lazyregexp.MustCompile(`^(?:\(\s*\)\s*=>|function\s*\w*\(\s*\))`)
	testing       = source.WordSet("test it specify")
	// listening are functions whose callbacks something else runs, and those of the framework of tests itself.
	listening = source.WordSet(`on once off addListener addEventListener listen subscribe use get post describe suite
		context test it specify before after beforeEach afterEach beforeAll afterAll`)
)

// isForgotten reports whether an asynchronous function is given to a call whose promise a test of JavaScript drops,
// while the test itself waits for nothing: it has ended before the function fails, if that is ever called.
func (s *File) isForgotten(function int32) bool {
	if !s.IsScript() || !asyncFunction.MatchString(s.Tree.Text(function)) {
		return false
	}
	call := s.Tree.Parent(s.Tree.Parent(function))
	if s.Tree.Kind(call) != "call_expression" || s.Tree.Kind(s.Tree.Parent(call)) != "expression_statement" ||
		listening[s.CalledName(call)] {
		return false
	}
	around := s.FunctionAround(call)
	if around < 0 || !syncTest.MatchString(s.Tree.Text(around)) {
		return false
	}
	of := s.Tree.Parent(s.Tree.Parent(around))
	return s.Tree.Kind(of) == "call_expression" && testing[s.CalledName(of)]
}

// raising finds a block of Python that is to raise an error.
var raising = lazyregexp.MustCompile(`\b(?:raises|assertRaises\w*)\(`)

// raisesItself reports whether such a block raises the error by itself, whatever the program does.
func (s *File) raisesItself(with int32) bool {
	for c := range s.Children(s.Tree.Field(with, "body")) {
		if s.Tree.Kind(c) == "raise_statement" {
			return true
		}
	}
	return false
}

// differsFromItself reports whether a condition compares a name with itself by "!=".
func differsFromItself(cond string) bool {
	left, right, found := strings.Cut(strings.Trim(cond, "()"), "!=")
	right = strings.TrimPrefix(right, "=")
	return found && left == right && source.PlainWord.MatchString(left)
}

var suppresses = lazyregexp.MustCompile(`\b(?:suppress|raises)\(\s*(?:Base)?(?:Exception|AssertionError)\b`)

// swallowingTry returns the body of a try statement whose handlers swallow failed assertions.
func (s *File) swallowingTry(try int32) (tried source.Span) {
	body, parts := s.Tree.Field(try, "body"), try
	if s.Spec.Comparing.Calls {
		parts = s.LastChild(try)
		body = parts
	}
	for c := range s.Children(parts) {
		if body < 0 {
			body = c
		}
		k := s.Tree.Kind(c)
		if !strings.Contains(k, "except") && !strings.Contains(k, "catch") && !strings.Contains(k, "rescue") {
			continue
		}
		start, end := 0, 0 // of what it does then
		for b := range s.Children(c) {
			if s.IsBlock(b) {
				start, end = int(s.Tree.Nodes[b].Start), int(s.Tree.Nodes[b].End)
			}
		}
		quiet := !slices.ContainsFunc(s.TokensIn(start, end),
			func(t tokens.Token) bool { return isAssert(t.Text) || t.Text == "Error" || t.Text == "Errorf" })
		if quiet && s.CatchesAll(c) {
			b := s.Tree.Nodes[body]
			tried = source.Span{Start: int(b.Start), End: int(b.End)}
		}
	}
	return tried
}

// isUncalled reports whether a function without a name is never called by code that
// reports failures: it is assigned to "_" or to an unread name, is a statement by
// itself, is passed to an empty list or to what swallows errors, or waits for a time that
// the test does not.
func (s *File) isUncalled(node int32) bool {
	from := int(s.Tree.Nodes[node].Start)
	start := max(bytes.LastIndexAny(s.Src[:from], "\n;{")+1, 0)
	before := source.PlainText(string(s.Src[start:from]))
	switch {
	case before == "_=", strings.HasPrefix(before, "[]."):
		return true
	case forgets.MatchString(before):
		return !bytes.HasPrefix(bytes.TrimSpace(s.Src[s.Tree.Nodes[node].End:]), []byte(".getOrThrow"))
	case s.isNeverCalled(node), s.Lang == syntax.Kotlin && s.Tree.Kind(s.Tree.Parent(node)) == "function_body":
		return true
	case s.Spec.Testing.Later != nil && s.Spec.Testing.Later.MatchString(before):
		f := s.FunctionAround(node)
		return f >= 0 && !waits.MatchString(s.Tree.Text(f))
	}
	return false
}

// forgets finds what calls a function and keeps its errors to itself.
var forgets = lazyregexp.MustCompile(`(?:\brunCatching|\bRecord\.Exception(?:Async)?\(|\bcatch_unwind\((?:AssertUnwindSafe\()?|\bassertThrows\((?:Throwable|Exception|Error|AssertionError)\.class,)$`)

// isNeverCalled reports whether a function is a statement by itself, or is given to a local that
// nobody reads.
func (s *File) isNeverCalled(function int32) bool {
	parent := s.Tree.Parent(function)
	if s.IsBlock(parent) {
		return !s.Spec.Comparing.LastIsValue || s.LastChild(parent) != function || s.FunctionAround(function) < 0
	}
	for node := function; parent >= 0 && !s.IsBlock(parent); parent = s.Tree.Parent(node) {
		node = parent
		if left, right, ok := s.Assignment(node); ok && (right == function || makesFunction[s.CalledName(right)]) {
			return s.IsDeadStore(node, left) || s.CountName(0, s.Tree.Text(left)) == 1
		}
	}
	return false
}

// makesFunction are what Ruby makes a function of a block by.
var makesFunction = source.WordSet("proc lambda Proc.new")

// waits finds a test that waits for what it has started, or turns the clock itself.
var waits = lazyregexp.MustCompile(`\b(?:await|done|Promise|resolve|wait|waitForExpectations|fulfillment|expectation|[tT]imers?|tick|clock|next|join\w*|get|Wait\w*|value|recv|awaitTermination|shutdown|invokeAll|Eventually)\b|[tT]imers?\(|<-`)
