package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What is a keyword elsewhere is a call in some languages (Comparing.Calls).

// kind returns the kind of a node; of a call that stands for a keyword, "if_call" and
// the like.
func (s *side) kind(node int32) string {
	kind := s.tree.Kind(node)
	if kind != "call" || !s.spec.Comparing.Calls {
		return kind
	}
	switch word := s.callee(node); word {
	case "if", "unless", "case", "cond", "try", "alias":
		return word + "_call"
	}
	return kind
}

func (s *side) callee(call int32) string {
	if t := s.tree.Field(call, "target"); t >= 0 {
		return s.tree.Text(t)
	}
	return ""
}

// defines reports whether a call holds definitions.
func (s *side) defines(node int32) bool {
	return node >= 0 && s.tree.Kind(node) == "call" &&
		slices.Contains([]string{"defmodule", "defimpl", "defprotocol", "describe"}, s.callee(node))
}

// argument returns the first argument of a call, or -1.
func (s *side) argument(call int32) int32 {
	for c := range s.children(call) {
		if s.tree.Kind(c) == "arguments" {
			return s.nthChild(c, 0)
		}
	}
	return -1
}

// nthChild returns a named child of a node, counted from 0, or -1.
func (s *side) nthChild(node int32, n int) int32 {
	for c := range s.children(node) {
		if n--; n < 0 {
			return c
		}
	}
	return -1
}

// callBranches is branches for a call: the statements of its block, those behind "else",
// or the values of "do:" and "else:".
func (s *side) callBranches(node int32, f func(c int32, alternative bool)) {
	for c := range s.children(node) {
		switch s.tree.Kind(c) {
		case "do_block":
			for b := range s.children(c) {
				f(b, s.tree.Kind(b) == "else_block")
			}
		case "arguments":
			s.keywordBranches(c, f)
		}
	}
}

func (s *side) keywordBranches(arguments int32, f func(c int32, alternative bool)) {
	for k := range s.children(arguments) {
		if s.tree.Kind(k) != "keywords" {
			continue
		}
		for pair := range s.children(k) {
			if v := s.tree.Field(pair, "value"); v >= 0 {
				f(v, strings.HasPrefix(s.tree.Text(pair), "else:"))
			}
		}
	}
}

// deadArm marks an arm that is never taken, by what is written out.
func (s *side) deadArm(node int32, put func(int32, Why)) {
	switch kind := s.tree.Kind(node); {
	case kind == "when_entry": // of Kotlin
		c := s.tree.Field(node, "condition")
		if first := s.nthChild(s.tree.Parent(node), 0); c >= 0 && s.tree.Kind(first) != "when_subject" && s.truth(c) == expression.No {
			put(node, Unreachable)
		}
	case kind == "expression_case": // of Go
		if whole := s.tree.Parent(node); s.tree.Field(whole, "value") < 0 && s.truth(s.nthChild(node, 0)) == expression.No {
			put(node, Unreachable)
		}
	case kind == "match_arm" && s.lang == syntax.Rust && s.behindAll(node):
		put(node, Unreachable)
	case kind == "method" && s.lang == syntax.Ruby && s.definedAgain(node):
		put(node, Unreachable)
	case !s.spec.Comparing.Calls:
	case kind == "stab_clause":
		s.deadClause(node, put)
	case s.tree.Function(node):
		guard := s.argument(node)
		if guard >= 0 && s.tree.Kind(guard) == "binary_operator" && s.truth(s.tree.Field(guard, "right")) == expression.No ||
			s.shadowed(node) {
			put(node, Unreachable)
		}
	}
}

// behindAll reports whether an arm of Rust stands behind one that takes everything: "_", or a name for
// what comes.
func (s *side) behindAll(arm int32) bool {
	for c := range s.children(s.tree.Parent(arm)) {
		if c == arm {
			return false
		}
		if p := s.tree.Field(c, "pattern"); s.tree.Kind(c) == "match_arm" && p >= 0 && takesAll.MatchString(s.tree.Text(p)) && s.tree.Text(p) != "true" && s.tree.Text(p) != "false" {
			return true
		}
	}
	return false
}

var takesAll = lazyregexp.MustCompile(`^(?:_|[a-z_][a-z0-9_]*)$`)

// definedAgain reports whether a later method of the same class takes the place of one.
func (s *side) definedAgain(method int32) bool {
	if strings.Contains(string(s.src), "alias") { // the first may go on under another name
		return false
	}
	for c := range s.children(s.tree.Parent(method)) {
		if c > method && s.tree.Kind(c) == "method" && s.tree.FunctionName(c) == s.tree.FunctionName(method) {
			return true
		}
	}
	return false
}

// deadClause marks an arm of "cond" whose condition never holds, or one of "case" that a
// literal value never matches.
func (s *side) deadClause(clause int32, put func(int32, Why)) {
	block := s.tree.Parent(clause)
	pattern := s.tree.Field(clause, "left")
	if pattern < 0 || block < 0 {
		return
	}
	call := s.tree.Parent(block)
	switch s.kind(call) {
	case "cond_call":
		if s.truth(pattern) == expression.No {
			put(clause, Unreachable)
		}
	case "case_call":
		if value := s.truth(s.argument(call)); value != expression.Unknown && s.truth(pattern) == expression.Yes+expression.No-value {
			put(clause, Unreachable)
		}
	}
}

// shadowed reports whether an earlier clause of a function takes whatever this one does.
func (s *side) shadowed(function int32) bool {
	name, names := s.tree.FunctionName(function), s.parameters(function)
	for c := range s.children(s.tree.Parent(function)) {
		if c >= function {
			return false
		}
		if s.tree.Function(c) && s.tree.FunctionName(c) == name && s.takesAll(c, len(names)) {
			return true
		}
	}
	return false
}

// takesAll reports whether a clause takes any n arguments.
func (s *side) takesAll(clause int32, n int) bool {
	if head := s.argument(clause); head < 0 || s.tree.Kind(head) != "call" {
		return false
	}
	names := s.parameters(clause)
	slices.Sort(names)
	return n > 0 && len(names) == n && len(slices.Compact(names)) == n && !slices.ContainsFunc(names,
		func(p string) bool { return !plainWord.MatchString(p) })
}

// attribute says why an attribute of a module does nothing, or "": it documents, or nobody
// reads it.
func (s *side) attribute(node int32) Why {
	inner := s.onlyChild(node)
	if inner < 0 || s.tree.Kind(inner) != "call" {
		return ""
	}
	switch name := s.callee(inner); name {
	case "doc", "moduledoc", "typedoc", "shortdoc":
		return Comment
	case "spec", "type", "typep", "opaque", "deprecated", "dialyzer":
		return NoEffect
	}
	return ""
}
