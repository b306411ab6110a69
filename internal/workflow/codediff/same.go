package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What gives back a value as it was.

// receiver returns what a method is called on, or -1.
func (s *side) receiver(call int32) int32 {
	for _, field := range []string{"receiver", "object"} {
		if on := s.tree.Field(call, field); on >= 0 {
			return on
		}
	}
	callee := s.nthChild(call, 0)
	for _, part := range []string{"field_expression", "navigation_expression", "member", "attribute", "selector"} {
		if callee >= 0 && strings.Contains(s.tree.Kind(callee), part) {
			return s.nthChild(callee, 0)
		}
	}
	return -1
}

// given returns what a call is handed: its arguments, and a function behind them.
func (s *side) given(call int32) (all []int32) {
	for c := range s.children(call) {
		switch k := s.tree.Kind(c); {
		case strings.Contains(k, "argument"):
			for a := range s.children(c) {
				for k := s.tree.Kind(a); (k == "value_argument" || k == "argument") && s.lastChild(a) >= 0; k = s.tree.Kind(a) {
					a = s.lastChild(a)
				}
				all = append(all, a)
			}
		case k == "annotated_lambda":
			all = append(all, s.lastChild(c))
		case k == "call_suffix":
			all = append(all, s.given(c)...)
		case k == "block", k == "do_block", s.anonymous(c):
			all = append(all, c)
		}
	}
	return all
}

// value returns what a function without a name computes, if that is all that it does, or -1.
func (s *side) value(function int32) int32 {
	body := s.tree.Field(function, "body")
	if body < 0 {
		body = function
	} else if kind := s.tree.Kind(body); !s.isBlock(body) && !strings.Contains(kind, "body") && !strings.Contains(kind, "block") {
		return body
	}
	only := int32(-1)
	for c := range s.children(body) {
		switch k := s.tree.Kind(c); {
		case strings.Contains(k, "parameters"):
			continue
		case only >= 0:
			return -1
		}
		only = c
	}
	switch {
	case only >= 0 && (s.isBlock(only) || s.tree.Kind(only) == "return_statement"):
		return s.onlyChild(only)
	}
	return only
}

// echo reports whether a function without a name gives back the one thing that it is given.
func (s *side) echo(function int32) bool {
	what := int32(-1)
	if s.anonymous(function) || strings.HasSuffix(s.tree.Kind(function), "block") {
		what = s.value(function)
	}
	if what < 0 {
		return false
	}
	text := s.tree.Text(what)
	names := s.parameters(function)
	for c := range s.children(function) {
		if k := s.tree.Kind(c); k == "block_parameters" || k == "lambda_parameters" || k == "closure_parameters" {
			names = strings.Split(strings.Trim(plainText(s.tree.Text(c)), "|"), ",")
		}
	}
	return len(names) == 1 && text == names[0] || len(names) == 0 && (text == "it" || text == "$0" || text == "_1")
}

// echoes are the functions of the file, by name, that give back the one thing that they are given.
func (s *side) echoes() map[string]bool {
	if s.echoing == nil {
		s.echoing = make(map[string]bool)
		for i := range s.tree.Nodes {
			node := int32(i)
			if !s.tree.Function(node) || s.anonymous(node) || s.tree.Body(node) < 0 {
				continue
			}
			names := s.parameters(node)
			only := s.onlyChild(s.tree.Body(node))
			for only >= 0 && (s.isBlock(only) || strings.HasPrefix(s.tree.Kind(only), "return")) {
				only = s.onlyChild(only)
			}
			if len(names) == 1 && only >= 0 && s.tree.Text(only) == names[0] && s.single(node) {
				s.echoing[s.tree.FunctionName(node)] = true
			}
		}
	}
	return s.echoing
}

var (
	chooses = wordSet("max min maxOf minOf Max Min fmax fmin coerceAtLeast coerceAtMost")
	handsTo = wordSet("let then yield_self")
	tells   = wordSet("also tap apply")
	wraps   = wordSet("Some Ok")
	// adds are methods that give back what they are called on if they are handed what stands here.
	adds = map[string]string{"saturating_sub": "0", "saturating_add": "0", "wrapping_add": "0", "wrapping_sub": "0",
		"saturating_mul": "1", "wrapping_mul": "1"}
	unwraps = lazyregexp.MustCompile(`^(?:unwrap\w*|expect)$`)
)

// same returns the part of an expression whose value it gives back, whatever that is, or -1.
func (s *side) same(node int32) int32 {
	if s.lang == syntax.Kotlin && s.tree.Kind(node) == "binary_expression" {
		return s.taken(node)
	}
	if l, r := s.tree.Field(node, "left"), s.tree.Field(node, "right"); strings.HasPrefix(s.tree.Kind(node), "binary") && l >= 0 && r > l &&
		orItself[strings.TrimSpace(string(s.src[s.tree.Nodes[l].End:s.tree.Nodes[r].Start]))] && s.alikeAs(l, r) {
		return l
	}
	if !slices.Contains(callKinds, s.tree.Kind(node)) {
		return -1
	}
	name, on, args := s.calledName(node), s.receiver(node), s.given(node)
	switch {
	case len(args) == 2 && chooses[name] && s.alikeAs(args[0], args[1]):
		return args[0]
	case len(args) == 2 && on < 0 && name == "array_filter" && s.lang == syntax.PHP && s.saysYes(args[1]):
		return args[0]
	case len(args) == 1 && on < 0 && (name == "identity" && s.lang == syntax.Rust || s.echoes()[name]):
		return args[0]
	case on < 0:
		return -1
	case len(args) == 0 && name == "itself" && s.lang == syntax.Ruby:
		return on
	case len(args) == 0 && chooses[name] && s.tree.Kind(on) == "array":
		return s.oneOf(on)
	case unwraps.MatchString(name):
		return s.wrapped(s.root(on))
	case len(args) != 1:
		return -1
	case chooses[name] && s.alikeAs(on, args[0]), adds[name] != "" && adds[name] == s.tree.Text(args[0]):
		return on
	case (handsTo[name] || name == "map" && (s.wrapped(on) >= 0 || s.lang == syntax.Rust)) && s.echo(args[0]):
		return on
	case (name == "filter" || name == "Where") && s.saysYes(args[0]):
		return on
	case tells[name] && s.value(args[0]) >= 0 && !s.does(s.value(args[0])):
		return on
	}
	return -1
}

// orItself are the operators whose value is that of both sides, if they are alike.
var orItself = wordSet("?? ?: || && or and")

// saysYes reports whether a function without a name says yes to whatever it is given.
func (s *side) saysYes(function int32) bool {
	return s.anonymous(function) && s.value(function) >= 0 && s.truth(s.value(function)) == expression.Yes
}

// oneOf returns the first value of a list whose values all read the same, or -1.
func (s *side) oneOf(list int32) int32 {
	first := s.nthChild(list, 0)
	for c := range s.children(list) {
		if !s.alikeAs(first, c) {
			return -1
		}
	}
	return first
}

// root returns the innermost part of an expression whose value it gives back: itself, if nothing is
// in between.
func (s *side) root(node int32) int32 {
	for inner := s.same(node); inner >= 0; inner = s.same(node) {
		node = inner
	}
	return node
}

// alikeAs reports whether two expressions read the same and do nothing.
func (s *side) alikeAs(a, b int32) bool {
	return plainText(s.tree.Text(a)) == plainText(s.tree.Text(b)) && !s.does(a)
}

// wrapped returns what is handed to Some or Ok of Rust, or -1.
func (s *side) wrapped(call int32) int32 {
	if s.lang != syntax.Rust || s.tree.Kind(call) != "call_expression" || !wraps[s.calledName(call)] {
		return -1
	}
	if args := s.given(call); len(args) == 1 {
		return args[0]
	}
	return -1
}

// taken returns what "takeIf" of Kotlin is called on where its condition always holds: then nothing
// behind "?:" is ever taken.
func (s *side) taken(node int32) int32 {
	left, right := s.tree.Field(node, "left"), s.tree.Field(node, "right")
	if left < 0 || right < left || s.tree.Kind(left) != "call_expression" || s.calledName(left) != "takeIf" ||
		strings.TrimSpace(string(s.src[s.tree.Nodes[left].End:s.tree.Nodes[right].Start])) != "?:" {
		return -1
	}
	args := s.given(left)
	if len(args) != 1 || s.value(args[0]) < 0 || s.truth(s.value(args[0])) != expression.Yes {
		return -1
	}
	return s.receiver(left)
}

// markSame marks what stands around a part whose value an expression gives back.
func (s *side) markSame(node int32) {
	inner := s.same(node)
	if inner < 0 {
		return
	}
	n, in := s.tree.Nodes[node], s.tree.Nodes[inner]
	s.marks = append(s.marks, mark{start: int(n.Start), end: int(in.Start), why: NoEffect},
		mark{start: int(in.End), end: int(n.End), why: NoEffect})
}
