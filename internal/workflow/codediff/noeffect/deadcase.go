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

// deadArm marks an arm that is never taken, judged by literals.
func (s *Analysis) deadArm(node int32, put func(int32, reason.Reason)) {
	switch kind := s.Tree.Kind(node); {
	case kind == "when_entry": // of Kotlin
		c := s.Tree.Field(node, "condition")
		if first := s.NthChild(s.Tree.Parent(node), 0); c >= 0 && s.Tree.Kind(first) != "when_subject" && s.constantTruth(c) == expression.No {
			put(node, reason.Unreachable)
		}
	case kind == "expression_case": // of Go
		if whole := s.Tree.Parent(node); s.Tree.Field(whole, "value") < 0 && s.constantTruth(s.NthChild(node, 0)) == expression.No {
			put(node, reason.Unreachable)
		}
	case kind == "match_arm" && s.Lang == syntax.Rust && s.behindAll(node):
		put(node, reason.Unreachable)
	case replaced[kind] && s.Spec.Comparing.LaterWins && s.definedAgain(node):
		put(node, reason.Unreachable)
	case !s.Spec.Comparing.Calls:
	case kind == "stab_clause":
		s.deadClause(node, put)
	case s.Tree.Function(node):
		guard := s.Argument(node)
		if guard >= 0 && s.Tree.Kind(guard) == "binary_operator" && s.constantTruth(s.Tree.Field(guard, "right")) == expression.No ||
			s.shadowed(node) {
			put(node, reason.Unreachable)
		}
	}
}

// behindAll reports whether an arm of Rust follows one that matches everything: "_", or a name for
// what comes.
func (s *Analysis) behindAll(arm int32) bool {
	for c := range s.Children(s.Tree.Parent(arm)) {
		if c == arm {
			return false
		}
		if p := s.Tree.Field(c, "pattern"); s.Tree.Kind(c) == "match_arm" && p >= 0 && takesAll.MatchString(s.Tree.Text(p)) && s.Tree.Text(p) != "true" && s.Tree.Text(p) != "false" {
			return true
		}
	}
	return false
}

var takesAll = lazyregexp.MustCompile(`^(?:_|[a-z_][a-z0-9_]*)$`)

// replaced are the kinds of functions whose place a later one of the same name can take.
var replaced = source.WordSet("method function_definition function_declaration method_definition")

// definedAgain reports whether a later function beside one takes its place before anything names it.
func (s *Analysis) definedAgain(function int32) bool {
	name := s.Tree.FunctionName(function)
	if s.Lang == syntax.Ruby && strings.Contains(string(s.Src), "alias") { // the first may go on under another name
		return false
	}
	for c := range s.Children(s.Tree.Parent(function)) {
		switch {
		case c <= function:
		case s.Tree.Kind(c) == s.Tree.Kind(function) && s.Tree.FunctionName(c) == name &&
			s.beforeName(c) == s.beforeName(function):
			return name != "_" && s.Tree.Body(c) >= 0
		case source.ContainsWord(s.runWhereItIs(c), name):
			return false
		}
	}
	return false
}

// runWhereItIs returns what runs of a statement when it is reached: of a function, only what is in front of its body.
func (s *Analysis) runWhereItIs(statement int32) string {
	n := s.Tree.Nodes[statement]
	if body := s.Tree.Body(statement); s.Tree.Function(statement) && body >= 0 {
		return string(s.Src[n.Start:s.Tree.Nodes[body].Start])
	}
	return s.Tree.Text(statement)
}

// beforeName returns what precedes the name of a function: get, static, async.
func (s *Analysis) beforeName(function int32) string {
	before, _, _ := strings.Cut(s.Tree.Text(function), s.Tree.FunctionName(function))
	return strings.TrimPrefix(before, "async ")
}

// deadClause marks an arm of "cond" whose condition is never true, or one of "case" that a
// literal value never matches.
func (s *Analysis) deadClause(clause int32, put func(int32, reason.Reason)) {
	block := s.Tree.Parent(clause)
	pattern := s.Tree.Field(clause, "left")
	if pattern < 0 || block < 0 {
		return
	}
	call := s.Tree.Parent(block)
	switch s.KindOf(call) {
	case "cond_call":
		if s.constantTruth(pattern) == expression.No {
			put(clause, reason.Unreachable)
		}
	case "case_call":
		if value := s.constantTruth(s.Argument(call)); value != expression.Unknown && s.constantTruth(pattern) == expression.Yes+expression.No-value {
			put(clause, reason.Unreachable)
		}
	}
}

// shadowed reports whether an earlier clause of a function takes whatever this one does.
func (s *Analysis) shadowed(function int32) bool {
	name, names := s.Tree.FunctionName(function), s.Parameters(function)
	for c := range s.Children(s.Tree.Parent(function)) {
		if c >= function {
			return false
		}
		if s.Tree.Function(c) && s.Tree.FunctionName(c) == name && s.takesAll(c, len(names)) {
			return true
		}
	}
	return false
}

// takesAll reports whether a clause takes any n arguments.
func (s *Analysis) takesAll(clause int32, n int) bool {
	if head := s.Argument(clause); head < 0 || s.Tree.Kind(head) != "call" {
		return false
	}
	names := s.Parameters(clause)
	slices.Sort(names)
	return n > 0 && len(names) == n && len(slices.Compact(names)) == n && !slices.ContainsFunc(names,
		func(p string) bool { return !source.PlainWord.MatchString(p) })
}

// attribute says why an attribute of a module does nothing, or "": it documents, or nobody
// reads it.
func (s *Analysis) attribute(node int32) reason.Reason {
	inner := s.OnlyChild(node)
	if inner < 0 || s.Tree.Kind(inner) != "call" {
		return ""
	}
	switch name := s.Callee(inner); name {
	case "doc", "moduledoc", "typedoc", "shortdoc":
		return reason.Comment
	case "spec", "type", "typep", "opaque", "deprecated", "dialyzer":
		return reason.NoEffect
	}
	return ""
}
