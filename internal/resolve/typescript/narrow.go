package typescript

import (
	"codeintel/internal/resolve"
)

// narrowedType returns what the tests around an expression prove it to be:
// instanceof, and functions that are declared to test.
func narrowedType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	text := u.Text(n)
	from := n
	for at := u.Parent(n); at >= 0; from, at = at, u.Parent(at) {
		test := int32(-1)
		switch u.Kind(at) {
		case "if_statement", "ternary_expression", "while_statement":
			if f := u.Field(from); f == "consequence" || f == "body" {
				test = u.Child(at, "condition")
			}
		case "binary_expression":
			if u.Field(from) == "right" && u.Text(u.Child(at, "operator")) == "&&" {
				test = u.Child(at, "left")
			}
		case "function_declaration", "method_definition", "class_body":
			return nil
		}
		if test >= 0 {
			if t := tested(r, u, test, text); len(t) > 0 {
				return t
			}
		}
	}
	return nil
}

// tested is what a condition proves an expression to be.
func tested(r *resolve.Resolver, u *resolve.Unit, test int32, text string) union {
	switch u.Kind(test) {
	case "parenthesized_expression":
		return tested(r, u, u.First(test), text)
	case "binary_expression":
		left := u.Child(test, "left")
		switch u.Text(u.Child(test, "operator")) {
		case "&&":
			if t := tested(r, u, left, text); len(t) > 0 {
				return t
			}
			return tested(r, u, u.Child(test, "right"), text)
		case "instanceof":
			if u.Text(left) == text {
				return instances(r, typeOf(r, u, u.Child(test, "right")), nil)
			}
		}
	case "call_expression":
		args := u.List(u.Child(test, "arguments"))
		if len(args) == 0 || u.Text(args[0]) != text {
			return nil
		}
		for _, f := range typeOf(r, u, u.Child(test, "function")) {
			if t, tests := predicate(r, f); tests {
				return t
			}
		}
	}
	return nil
}

// predicate is what a function proves its argument to be: T of x is T. tests is
// false if it is not declared to prove anything.
func predicate(r *resolve.Resolver, f value) (t union, tests bool) {
	if f.kind != kindFunction {
		return nil, false
	}
	p := f.unit.Child(f.node, "return_type")
	written := f.unit.First(p)
	if f.unit.Kind(p) != "type_predicate_annotation" && f.unit.Kind(written) != "type_predicate" {
		return nil, false
	}
	return subst(r, annotationType(r, f.unit, f.unit.Child(written, "type")), f.env), true
}
