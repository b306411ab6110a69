package source

import "strings"

// Calls: what they call, on what, and with which arguments.

// Receiver returns what a method is called on, or -1.
func (s *Source) Receiver(call int32) int32 {
	for _, field := range []string{"receiver", "object"} {
		if on := s.Tree.Field(call, field); on >= 0 {
			return on
		}
	}
	callee := s.NthChild(call, 0)
	for _, part := range []string{"field_expression", "navigation_expression", "member", "attribute", "selector"} {
		if callee >= 0 && strings.Contains(s.Tree.Kind(callee), part) {
			return s.NthChild(callee, 0)
		}
	}
	return -1
}

// CallArguments returns the arguments of a call, with a trailing lambda or block.
func (s *Source) CallArguments(call int32) (all []int32) {
	for c := range s.Children(call) {
		switch k := s.Tree.Kind(c); {
		case strings.Contains(k, "argument"):
			for a := range s.Children(c) {
				for k := s.Tree.Kind(a); (k == "value_argument" || k == "argument") && s.LastChild(a) >= 0; k = s.Tree.Kind(a) {
					a = s.LastChild(a)
				}
				all = append(all, a)
			}
		case k == "annotated_lambda":
			all = append(all, s.LastChild(c))
		case k == "call_suffix":
			all = append(all, s.CallArguments(c)...)
		case k == "block", k == "do_block", s.Anonymous(c):
			all = append(all, c)
		}
	}
	return all
}

// LambdaResult returns what a function without a name computes, if that is all that it does, or -1.
func (s *Source) LambdaResult(function int32) int32 {
	body := s.Tree.Field(function, "body")
	if body < 0 {
		body = function
	} else if kind := s.Tree.Kind(body); !s.IsBlock(body) && !strings.Contains(kind, "body") && !strings.Contains(kind, "block") {
		return body
	}
	only := int32(-1)
	for c := range s.Children(body) {
		switch k := s.Tree.Kind(c); {
		case strings.Contains(k, "parameters"):
			continue
		case only >= 0:
			return -1
		}
		only = c
	}
	switch {
	case only >= 0 && (s.IsBlock(only) || s.Tree.Kind(only) == "return_statement"):
		return s.OnlyChild(only)
	}
	return only
}

func WordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// CallKinds are the kinds of nodes that call something.
var CallKinds = []string{"call_expression", "call", "method_invocation", "invocation_expression",
	"function_call_expression",
	"member_call_expression", "scoped_call_expression"}

// CalledName returns the last part of the name of what a call calls.
func (s *Source) CalledName(call int32) string {
	callee := int32(-1)
	for _, field := range []string{"name", "method", "function"} {
		if c := s.Tree.Field(call, field); c >= 0 {
			callee = c
			break
		}
	}
	if callee < 0 {
		callee = s.NthChild(call, 0)
	}
	if callee < 0 {
		return ""
	}
	text := s.Tree.Text(callee)
	if i := strings.LastIndex(text, "::<"); i >= 0 && strings.HasSuffix(text, ">") { // types of Rust
		text = text[:i]
	}
	return strings.TrimSpace(text[strings.LastIndexAny(text, ".>:\\")+1:])
}

// SidesOf returns the sides of a declaration that names a value.
func (s *Source) SidesOf(node int32) (left, right int32, ok bool) {
	if !s.Tree.Named(node) || !strings.HasSuffix(s.Tree.Kind(node), "declarator") {
		return -1, -1, false
	}
	left, right = s.assignmentSides(node)
	return left, right, left >= 0 && right > left
}
