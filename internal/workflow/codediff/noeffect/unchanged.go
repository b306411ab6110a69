package noeffect

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
)

// returnsItsArgument reports whether a function without a name returns its one argument.
func (s *Analysis) returnsItsArgument(function int32) bool {
	what := int32(-1)
	if s.Anonymous(function) || strings.HasSuffix(s.Tree.Kind(function), "block") {
		what = s.LambdaResult(function)
	}
	if what < 0 {
		return false
	}
	text := s.Tree.Text(what)
	names := s.Parameters(function)
	for c := range s.Children(function) {
		if k := s.Tree.Kind(c); k == "block_parameters" || k == "lambda_parameters" || k == "closure_parameters" {
			names = strings.Split(strings.Trim(source.PlainText(s.Tree.Text(c)), "|"), ",")
		}
	}
	return len(names) == 1 && text == names[0] || len(names) == 0 && (text == "it" || text == "$0" || text == "_1")
}

// identityFunctions are the functions of the file, by name, that return their one argument.
func (s *Analysis) identityFunctions() map[string]bool {
	if s.identityNames == nil {
		s.identityNames = make(map[string]bool)
		for i := range s.Tree.Nodes {
			node := int32(i)
			if !s.Tree.Function(node) || s.Anonymous(node) || s.Tree.Body(node) < 0 {
				continue
			}
			names := s.Parameters(node)
			only := s.OnlyChild(s.Tree.Body(node))
			for only >= 0 && (s.IsBlock(only) || strings.HasPrefix(s.Tree.Kind(only), "return")) {
				only = s.OnlyChild(only)
			}
			if len(names) == 1 && only >= 0 && s.Tree.Text(only) == names[0] && s.HasUniqueName(node) {
				s.identityNames[s.Tree.FunctionName(node)] = true
			}
		}
	}
	return s.identityNames
}

var (
	chooses = source.WordSet("max min maxOf minOf Max Min fmax fmin coerceAtLeast coerceAtMost")
	handsTo = source.WordSet("let then yield_self")
	tells   = source.WordSet("also tap apply")
	wraps   = source.WordSet("Some Ok")
	// adds are methods that return their receiver if their argument is the one here.
	adds = map[string]string{"saturating_sub": "0", "saturating_add": "0", "wrapping_add": "0", "wrapping_sub": "0",
		"saturating_mul": "1", "wrapping_mul": "1"}
	unwraps = lazyregexp.MustCompile(`^(?:unwrap\w*|expect)$`)
)

// unchangedOperand returns the part of an expression that it evaluates to, whatever that is, or -1.
func (s *Analysis) unchangedOperand(node int32) int32 {
	if s.Lang == syntax.Kotlin && s.Tree.Kind(node) == "binary_expression" {
		return s.alwaysTaken(node)
	}
	if l, r := s.Tree.Field(node, "left"), s.Tree.Field(node, "right"); strings.HasPrefix(s.Tree.Kind(node), "binary") && l >= 0 && r > l &&
		orItself[strings.TrimSpace(string(s.Src[s.Tree.Nodes[l].End:s.Tree.Nodes[r].Start]))] && s.readsTheSame(l, r) {
		return l
	}
	if !slices.Contains(source.CallKinds, s.Tree.Kind(node)) {
		return -1
	}
	name, on, args := s.CalledName(node), s.Receiver(node), s.CallArguments(node)
	switch {
	case len(args) == 2 && chooses[name] && s.readsTheSame(args[0], args[1]):
		return args[0]
	case len(args) == 2 && on < 0 && name == "array_filter" && s.Lang == syntax.PHP && s.isAlwaysTrue(args[1]):
		return args[0]
	case len(args) == 1 && on < 0 && (name == "identity" && s.Lang == syntax.Rust || s.identityFunctions()[name]):
		return args[0]
	case on < 0:
		return -1
	case len(args) == 0 && name == "itself" && s.Lang == syntax.Ruby:
		return on
	case len(args) == 0 && chooses[name] && s.Tree.Kind(on) == "array":
		return s.oneOf(on)
	case unwraps.MatchString(name):
		return s.wrapped(s.innermostOperand(on))
	case len(args) != 1:
		return -1
	case chooses[name] && s.readsTheSame(on, args[0]), adds[name] != "" && adds[name] == s.Tree.Text(args[0]):
		return on
	case (handsTo[name] || name == "map" && (s.wrapped(on) >= 0 || s.Lang == syntax.Rust)) && s.returnsItsArgument(args[0]):
		return on
	case (name == "filter" || name == "Where") && s.isAlwaysTrue(args[0]):
		return on
	case tells[name] && s.LambdaResult(args[0]) >= 0 && !s.hasEffect(s.LambdaResult(args[0])):
		return on
	}
	return -1
}

// orItself are the operators whose value is that of both sides, if they are alike.
var orItself = source.WordSet("?? ?: || && or and")

// isAlwaysTrue reports whether a function without a name says yes to whatever it is given.
func (s *Analysis) isAlwaysTrue(function int32) bool {
	return s.Anonymous(function) && s.LambdaResult(function) >= 0 && s.constantTruth(s.LambdaResult(function)) == expression.Yes
}

// oneOf returns the first value of a list whose values all read the same, or -1.
func (s *Analysis) oneOf(list int32) int32 {
	first := s.NthChild(list, 0)
	for c := range s.Children(list) {
		if !s.readsTheSame(first, c) {
			return -1
		}
	}
	return first
}

// innermostOperand returns the innermost part of an expression that it evaluates to: itself, if nothing is
// in between.
func (s *Analysis) innermostOperand(node int32) int32 {
	for inner := s.unchangedOperand(node); inner >= 0; inner = s.unchangedOperand(node) {
		node = inner
	}
	return node
}

// readsTheSame reports whether two expressions read the same and do nothing.
func (s *Analysis) readsTheSame(a, b int32) bool {
	return source.PlainText(s.Tree.Text(a)) == source.PlainText(s.Tree.Text(b)) && !s.hasEffect(a)
}

// wrapped returns the argument of Some or Ok of Rust, or -1.
func (s *Analysis) wrapped(call int32) int32 {
	if s.Lang != syntax.Rust || s.Tree.Kind(call) != "call_expression" || !wraps[s.CalledName(call)] {
		return -1
	}
	if args := s.CallArguments(call); len(args) == 1 {
		return args[0]
	}
	return -1
}

// alwaysTaken returns the receiver of "takeIf" of Kotlin where its condition is always true: then nothing
// behind "?:" is ever taken.
func (s *Analysis) alwaysTaken(node int32) int32 {
	left, right := s.Tree.Field(node, "left"), s.Tree.Field(node, "right")
	if left < 0 || right < left || s.Tree.Kind(left) != "call_expression" || s.CalledName(left) != "takeIf" ||
		strings.TrimSpace(string(s.Src[s.Tree.Nodes[left].End:s.Tree.Nodes[right].Start])) != "?:" {
		return -1
	}
	args := s.CallArguments(left)
	if len(args) != 1 || s.LambdaResult(args[0]) < 0 || s.constantTruth(s.LambdaResult(args[0])) != expression.Yes {
		return -1
	}
	return s.Receiver(left)
}

// markUnchangedOperand marks the rest of an expression that evaluates to one of its parts.
func (s *Analysis) markUnchangedOperand(node int32) {
	inner := s.unchangedOperand(node)
	if inner < 0 {
		return
	}
	n, in := s.Tree.Nodes[node], s.Tree.Nodes[inner]
	s.Marks = append(s.Marks, Mark{Start: int(n.Start), End: int(in.Start), Why: reason.NoEffect},
		Mark{Start: int(in.End), End: int(n.End), Why: reason.NoEffect})
}
