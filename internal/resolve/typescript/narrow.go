package typescript

import (
	"codeintel/internal/resolve"
)

// A proof says what tests around an expression prove it to be.
type proof struct {
	r     *resolve.Resolver
	u     *resolve.Unit
	text  string       // the expression
	whole func() union // what it is without the tests
}

// narrowedType returns what the tests around an expression prove it to be: instanceof,
// functions that are declared to test, a member that is compared with a single value. It
// returns nothing where they prove nothing.
func narrowedType(r *resolve.Resolver, u *resolve.Unit, n int32, whole func() union) union {
	p := proof{r, u, u.Text(n), whole}
	from := n
	for at := u.Parent(n); at >= 0; from, at = at, u.Parent(at) {
		var t union
		switch u.Kind(at) {
		case "if_statement", "ternary_expression", "while_statement":
			switch u.Field(from) {
			case "consequence", "body":
				t = p.tested(u.Child(at, "condition"), true)
			case "alternative":
				t = p.tested(u.Child(at, "condition"), false)
			}
		case "binary_expression":
			if op := u.Text(u.Child(at, "operator")); u.Field(from) == "right" && (op == "&&" || op == "||") {
				t = p.tested(u.Child(at, "left"), op == "&&")
			}
		case "switch_case":
			if u.Field(from) != "value" {
				t = p.switched(at)
			}
		case "function_declaration", "method_definition", "class_body":
			return nil
		}
		if len(t) > 0 {
			return t
		}
	}
	return nil
}

// tested is what a condition that holds, or does not, proves the expression to be.
func (p proof) tested(test int32, isTrue bool) union {
	u := p.u
	switch u.Kind(test) {
	case "parenthesized_expression":
		return p.tested(u.First(test), isTrue)
	case "unary_expression":
		if u.Text(u.Child(test, "operator")) == "!" {
			return p.tested(u.Child(test, "argument"), !isTrue)
		}
	case "binary_expression":
		return p.compared(u.Text(u.Child(test, "operator")), u.Child(test, "left"), u.Child(test, "right"), isTrue)
	case "call_expression":
		args := u.List(u.Child(test, "arguments"))
		if !isTrue || len(args) == 0 || u.Text(args[0]) != p.text {
			return nil
		}
		for _, f := range typeOf(p.r, u, u.Child(test, "function")) {
			if t, tests := predicate(p.r, f); tests {
				return t
			}
		}
	}
	return nil
}

// compared is what an operator between two expressions proves.
func (p proof) compared(operator string, left, right int32, isTrue bool) union {
	switch operator {
	case "&&", "||":
		if isTrue != (operator == "&&") {
			return nil
		}
		if t := p.tested(left, isTrue); len(t) > 0 {
			return t
		}
		return p.tested(right, isTrue)
	case "instanceof":
		if isTrue && p.u.Text(left) == p.text {
			return instances(p.r, typeOf(p.r, p.u, right), nil)
		}
	case "===", "==":
		return p.valued(left, []int32{right}, isTrue)
	case "!==", "!=":
		return p.valued(left, []int32{right}, !isTrue)
	case "in":
		if isTrue && p.u.Text(right) == p.text && p.u.Kind(left) == "string" {
			return p.withMember(resolve.Unquote(p.u.Text(left)))
		}
	}
	return nil
}

// valued is the part of what the expression may be whose member, which is compared, is
// one of some values, or is none of them.
func (p proof) valued(member int32, values []int32, equal bool) union {
	if p.u.Kind(member) != "member_expression" || p.u.Text(p.u.Child(member, "object")) != p.text {
		return nil
	}
	name := p.u.Text(p.u.Child(member, "property"))
	var all union
	for _, v := range values {
		written := writtenLiteral(p.r, p.u, v, 0)
		if written == "" || written == noLiteral {
			return nil
		}
		all = all.Join(discriminated(p.r, p.whole(), name, written, equal))
	}
	return all
}

// withMember is the part of what the expression may be that has a member.
func (p proof) withMember(name string) union {
	var kept union
	for _, v := range p.whole() {
		if found, known := membersOfValue(p.r, v, name); len(found) > 0 || !known {
			kept = append(kept, v)
		}
	}
	return kept
}

// switched is what a case of a switch proves, together with those before it that fall
// through to it.
func (p proof) switched(at int32) union {
	u := p.u
	body := u.Parent(at)
	on := u.Child(u.Parent(body), "value")
	if u.Kind(on) == "parenthesized_expression" {
		on = u.First(on)
	}
	var values []int32
	for c := range u.Children(body) {
		if u.Kind(c) != "switch_case" {
			values = nil
			continue
		}
		values = append(values, u.Child(c, "value"))
		if c == at {
			return p.valued(on, values, true)
		}
		if u.Child(c, "body") >= 0 {
			values = nil
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
