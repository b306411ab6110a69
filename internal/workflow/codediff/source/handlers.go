package source

import (
	"bytes"
	"slices"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

var catchesAll = lazyregexp.MustCompile(`^(?:except\s*:|except\s*\(?\s*(?:BaseException|Exception|AssertionError)|catch\s*(?:\{|\(\s*(?:\.\.\.|(?:const\s+)?std::exception\b|\w+\s*\)|(?:final\s+)?\\?(?:Throwable|Error|Exception|AssertionError|System\.Exception|(?:\w+\\)*(?:ExpectationFailedException|AssertionFailedError|ComparisonFailure|AssertionException|XunitException|AssertFailedException))\b|\w+\s*:\s*(?:Throwable|Exception|AssertionError)))|rescue\s*(?:$|=>|Exception|Minitest))`)

// Unawaited reports whether a function is passed to a promise that is never awaited: the whole
// chain is a statement of its own.
func (s *Source) Unawaited(function int32) bool {
	if s.Lang != syntax.TypeScript && s.Lang != syntax.TSX {
		return false
	}
	call := s.Tree.Parent(s.Tree.Parent(function))
	if call < 0 || s.Tree.Kind(call) != "call_expression" ||
		!slices.Contains([]string{"then", "catch", "finally"}, s.CalledName(call)) {
		return false
	}
	root := call
	for p := s.Tree.Parent(root); p >= 0; p = s.Tree.Parent(p) {
		if k := s.Tree.Kind(p); k != "call_expression" && k != "member_expression" {
			break
		}
		root = p
	}
	if s.Tree.Kind(s.Tree.Parent(root)) != "expression_statement" {
		return false
	}
	f := s.FunctionAround(root)
	return f >= 0 && !bytes.Contains(s.Src[s.Tree.Nodes[f].Start:s.Tree.Nodes[f].End], []byte("done"))
}
