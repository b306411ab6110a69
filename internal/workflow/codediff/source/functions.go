package source

import (
	"strings"

	"codeintel/internal/syntax"
)

// Anonymous reports whether a function has no name of its own.
func (s *Source) Anonymous(node int32) bool {
	switch s.Tree.Kind(node) {
	case "func_literal", "function_expression", "arrow_function", "closure_expression", "anonymous_function",
		"lambda", "accessor_declaration",
		"lambda_literal", "lambda_expression":
		return true
	}
	return false
}

// HasUniqueName reports whether no other function of the file has the name of one.
func (s *Source) HasUniqueName(function int32) bool {
	name, n := s.Tree.FunctionName(function), 0
	for i := range s.Tree.Nodes {
		if s.Tree.Function(int32(i)) && s.Tree.FunctionName(int32(i)) == name {
			n++
		}
	}
	return n == 1
}

// HasParameters reports whether a function has parameters besides the object it
// belongs to.
func (s *Source) HasParameters(function int32) bool { return len(s.Parameters(function)) > 0 }

// Parameters returns the names of a function's parameters, without the object it belongs to;
// of a pattern, its text.
func (s *Source) Parameters(function int32) (names []string) {
	list := s.ParameterList(function)
	if list < 0 && s.Lang == syntax.Swift { // they are children of the function itself
		for c := range s.Children(function) {
			if s.Tree.Kind(c) == "parameter" {
				names = append(names, s.parameterName(c))
			}
		}
	}
	for c := range s.Children(list) {
		switch text := s.Tree.Text(c); {
		case strings.Contains(s.Tree.Kind(c), "comment"):
		case text == "self", text == "cls", text == "this", text == "void",
			strings.HasPrefix(text, "&") && strings.HasSuffix(text, "self"), text == "*", text == "/":
		default:
			names = append(names, s.parameterName(c))
		}
	}
	return names
}

func (s *Source) parameterName(parameter int32) string {
	for _, field := range []string{"name", "pattern", "declarator"} {
		if n := s.Tree.Field(parameter, field); n >= 0 {
			return s.Tree.Text(n)
		}
	}
	for c := range s.Children(parameter) {
		if s.Tree.Kind(c) == "identifier" {
			return s.Tree.Text(c)
		}
	}
	return s.Tree.Text(parameter)
}

// ParameterList returns the node with the parameters of a function, or -1.
func (s *Source) ParameterList(function int32) int32 {
	if s.Spec.Comparing.Calls {
		head := s.Argument(function)
		if head >= 0 && s.Tree.Kind(head) == "binary_operator" { // with a guard
			head = s.Tree.Field(head, "left")
		}
		for c := range s.Children(head) {
			if s.Tree.Kind(c) == "arguments" {
				return c
			}
		}
		return -1
	}
	for i := function + 1; i < s.Tree.Nodes[function].Next && i != s.Tree.Body(function); i++ {
		k := s.Tree.Kind(i)
		if (strings.Contains(k, "parameters") && !strings.Contains(k, "type_param") || k == "parameter_list") &&
			s.Tree.FieldName(i) != "receiver" {
			return i
		}
	}
	return -1
}
