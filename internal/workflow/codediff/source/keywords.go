package source

import (
	"slices"
	"strings"
)

// What is a keyword elsewhere is a call in some languages (Comparing.Calls).

// KindOf returns the kind of a node; of a call that is a keyword of the language, "if_call" and
// the like.
func (s *Source) KindOf(node int32) string {
	kind := s.Tree.Kind(node)
	if kind != "call" || !s.Spec.Comparing.Calls {
		return kind
	}
	switch word := s.Callee(node); word {
	case "if", "unless", "case", "cond", "try", "alias":
		return word + "_call"
	}
	return kind
}

func (s *Source) Callee(call int32) string {
	if t := s.Tree.Field(call, "target"); t >= 0 {
		return s.Tree.Text(t)
	}
	return ""
}

// defines reports whether a call of Elixir contains definitions.
func (s *Source) defines(node int32) bool {
	return node >= 0 && s.Tree.Kind(node) == "call" &&
		slices.Contains([]string{"defmodule", "defimpl", "defprotocol", "describe"}, s.Callee(node))
}

// Argument returns the first argument of a call, or -1.
func (s *Source) Argument(call int32) int32 {
	for c := range s.Children(call) {
		if s.Tree.Kind(c) == "arguments" {
			return s.NthChild(c, 0)
		}
	}
	return -1
}

// NthChild returns a named child of a node, counted from 0, or -1.
func (s *Source) NthChild(node int32, n int) int32 {
	for c := range s.Children(node) {
		if n--; n < 0 {
			return c
		}
	}
	return -1
}

// callBranches is branches for a call: the statements of its block, those behind "else",
// or the values of "do:" and "else:".
func (s *Source) callBranches(node int32, f func(c int32, alternative bool)) {
	for c := range s.Children(node) {
		switch s.Tree.Kind(c) {
		case "do_block":
			for b := range s.Children(c) {
				f(b, s.Tree.Kind(b) == "else_block")
			}
		case "arguments":
			s.keywordBranches(c, f)
		}
	}
}

func (s *Source) keywordBranches(arguments int32, f func(c int32, alternative bool)) {
	for k := range s.Children(arguments) {
		if s.Tree.Kind(k) != "keywords" {
			continue
		}
		for pair := range s.Children(k) {
			if v := s.Tree.Field(pair, "value"); v >= 0 {
				f(v, strings.HasPrefix(s.Tree.Text(pair), "else:"))
			}
		}
	}
}
