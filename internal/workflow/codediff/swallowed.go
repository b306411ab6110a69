package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// Failures that a test swallows.

// swallowed returns the stretches of text in which a failed assertion is caught and
// forgotten, or that nothing runs while the test does.
func (s *side) swallowed() (all []mark) {
	for i := range s.tree.Nodes {
		node := int32(i)
		s.afterDone(node, func(start, end int) { all = append(all, mark{start: start, end: end}) })
		if (s.anonymous(node) || s.lang == syntax.Ruby && strings.HasSuffix(s.tree.Kind(node), "block")) && (s.uncalled(node) || s.unawaited(node)) {
			n := s.tree.Nodes[node]
			all = append(all, mark{start: int(n.Start), end: int(n.End)})
			continue
		}
		if cond := s.condition(node); cond >= 0 && !s.isLoop(node) && differsFromItself(plainText(s.tree.Text(cond))) {
			n := s.tree.Nodes[node]
			all = append(all, mark{start: int(n.Start), end: int(n.End)})
			continue
		}
		switch s.kind(node) {
		case "body_statement": // of a method of Ruby
			if b := s.forgotten(node); b.end > b.start {
				b.start = int(s.tree.Nodes[node].Start)
				all = append(all, b)
			}
		case "try_statement", "begin", "try_expression", "try_call", "do_statement":
			if b := s.forgotten(node); b.end > b.start {
				all = append(all, b)
			}
			all = append(all, s.onlyIfThrown(node)...)
		case "with_statement":
			head, _, _ := strings.Cut(s.tree.Text(node), "\n")
			if suppresses.MatchString(head) || raising.MatchString(head) && s.raisesItself(node) {
				n := s.tree.Nodes[node]
				all = append(all, mark{start: int(n.Start), end: int(n.End)})
			}
		}
	}
	return all
}

// raising finds a block of Python that is to raise an error.
var raising = lazyregexp.MustCompile(`\b(?:raises|assertRaises\w*)\(`)

// raisesItself reports whether such a block raises the error by itself, whatever the program does.
func (s *side) raisesItself(with int32) bool {
	for c := range s.children(s.tree.Field(with, "body")) {
		if s.tree.Kind(c) == "raise_statement" {
			return true
		}
	}
	return false
}

// differsFromItself reports whether a condition asks whether a name stands for something else than it
// stands for.
func differsFromItself(cond string) bool {
	left, right, found := strings.Cut(strings.Trim(cond, "()"), "!=")
	right = strings.TrimPrefix(right, "=")
	return found && left == right && plainWord.MatchString(left)
}

var suppresses = lazyregexp.MustCompile(`\b(?:suppress|raises)\(\s*(?:Base)?(?:Exception|AssertionError)\b`)

// forgotten returns what is tried and may fail without anybody hearing of it.
func (s *side) forgotten(try int32) (tried mark) {
	body, parts := s.tree.Field(try, "body"), try
	if s.spec.Comparing.Calls {
		parts = s.lastChild(try)
		body = parts
	}
	for c := range s.children(parts) {
		if body < 0 {
			body = c
		}
		k := s.tree.Kind(c)
		if !strings.Contains(k, "except") && !strings.Contains(k, "catch") && !strings.Contains(k, "rescue") {
			continue
		}
		start, end := 0, 0 // of what it does then
		for b := range s.children(c) {
			if s.isBlock(b) {
				start, end = int(s.tree.Nodes[b].Start), int(s.tree.Nodes[b].End)
			}
		}
		quiet := !slices.ContainsFunc(s.live(start, end),
			func(t tok) bool { return isAssert(t.text) || t.text == "Error" || t.text == "Errorf" })
		if quiet && s.catchesAll(c) {
			b := s.tree.Nodes[body]
			tried = mark{start: int(b.Start), end: int(b.End)}
		}
	}
	return tried
}

// uncalled reports whether a function without a name is given to nobody who calls it and
// tells what went wrong: it is assigned to "_" or to what nobody reads, stands there by
// itself, is handed to an empty list or to what forgets errors, or waits for a time that
// the test does not.
func (s *side) uncalled(node int32) bool {
	from := int(s.tree.Nodes[node].Start)
	start := max(bytes.LastIndexAny(s.src[:from], "\n;{")+1, 0)
	before := plainText(string(s.src[start:from]))
	switch {
	case before == "_=", strings.HasPrefix(before, "[]."):
		return true
	case forgets.MatchString(before):
		return !bytes.HasPrefix(bytes.TrimSpace(s.src[s.tree.Nodes[node].End:]), []byte(".getOrThrow"))
	case s.kept(node), s.lang == syntax.Kotlin && s.tree.Kind(s.tree.Parent(node)) == "function_body":
		return true
	case s.spec.Testing.Later != nil && s.spec.Testing.Later.MatchString(before):
		f := s.functionAround(node)
		return f >= 0 && !waits.MatchString(s.tree.Text(f))
	}
	return false
}

// forgets finds what calls a function and keeps its errors to itself.
var forgets = lazyregexp.MustCompile(`(?:\brunCatching|\bRecord\.Exception(?:Async)?\(|\bcatch_unwind\((?:AssertUnwindSafe\()?|\bassertThrows\((?:Throwable|Exception|Error|AssertionError)\.class,)$`)

// kept reports whether a function is a statement by itself, or is given to a local that
// nobody reads.
func (s *side) kept(function int32) bool {
	parent := s.tree.Parent(function)
	if s.isBlock(parent) {
		return !s.spec.Comparing.LastIsValue || s.lastChild(parent) != function || s.functionAround(function) < 0
	}
	for node := function; parent >= 0 && !s.isBlock(parent); parent = s.tree.Parent(node) {
		node = parent
		if left, right, ok := s.assignment(node); ok && right == function {
			return s.deadStore(node, left)
		}
	}
	return false
}

// waits finds a test that waits for what it has started, or turns the clock itself.
var waits = lazyregexp.MustCompile(`\b(?:await|done|Promise|resolve|wait|waitForExpectations|fulfillment|expectation|[tT]imers?|tick|clock|next|join\w*|get|Wait\w*|value|recv|awaitTermination|shutdown|invokeAll|Eventually)\b|[tT]imers?\(|<-`)

var catchesAll = lazyregexp.MustCompile(`^(?:except\s*:|except\s*\(?\s*(?:BaseException|Exception|AssertionError)|catch\s*(?:\{|\(\s*(?:\.\.\.|(?:const\s+)?std::exception\b|\w+\s*\)|(?:final\s+)?\\?(?:Throwable|Error|Exception|AssertionError|System\.Exception|(?:\w+\\)*(?:ExpectationFailedException|AssertionFailedError|ComparisonFailure|AssertionException|XunitException|AssertFailedException))\b|\w+\s*:\s*(?:Throwable|Exception|AssertionError)))|rescue\s*(?:$|=>|Exception|Minitest))`)
