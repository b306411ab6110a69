package resolve

// tsNarrowed returns what the tests around an expression prove it to be:
// instanceof, and functions that are declared to test.
func (r *Resolver) tsNarrowed(u *unit, n int32) tsType {
	text := u.of(n)
	from := n
	for at := u.parent(n); at >= 0; from, at = at, u.parent(at) {
		test := int32(-1)
		switch u.kind(at) {
		case "if_statement", "ternary_expression", "while_statement":
			if f := u.field(from); f == "consequence" || f == "body" {
				test = u.child(at, "condition")
			}
		case "binary_expression":
			if u.field(from) == "right" && u.of(u.child(at, "operator")) == "&&" {
				test = u.child(at, "left")
			}
		case "function_declaration", "method_definition", "class_body":
			return nil
		}
		if test >= 0 {
			if t := r.tsTested(u, test, text); len(t) > 0 {
				return t
			}
		}
	}
	return nil
}

// tsTested is what a condition proves an expression to be.
func (r *Resolver) tsTested(u *unit, test int32, text string) tsType {
	switch u.kind(test) {
	case "parenthesized_expression":
		return r.tsTested(u, u.first(test), text)
	case "binary_expression":
		left := u.child(test, "left")
		switch u.of(u.child(test, "operator")) {
		case "&&":
			if t := r.tsTested(u, left, text); len(t) > 0 {
				return t
			}
			return r.tsTested(u, u.child(test, "right"), text)
		case "instanceof":
			if u.of(left) == text {
				return r.instances(r.tsExpr(u, u.child(test, "right")), nil)
			}
		}
	case "call_expression":
		args := u.list(u.child(test, "arguments"))
		if len(args) == 0 || u.of(args[0]) != text {
			return nil
		}
		for _, f := range r.tsExpr(u, u.child(test, "function")) {
			if f.kind != tsFunction {
				continue
			}
			if p := f.unit.child(f.node, "return_type"); f.unit.kind(p) == "type_predicate_annotation" || f.unit.kind(f.unit.first(p)) == "type_predicate" {
				if f.unit.kind(p) == "type_predicate_annotation" {
					p = f.unit.first(p)
				} else {
					p = f.unit.first(p)
				}
				return r.subst(r.tsAnnotation(f.unit, f.unit.child(p, "type")), f.env)
			}
		}
	}
	return nil
}
