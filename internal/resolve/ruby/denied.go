package ruby

import "strings"

// unlessDenied takes back the guess that a variable is of a class where the code around its
// place has found out that it is not.
func (c *context) unlessDenied(n int32) func(r receiver, ok bool) (receiver, bool) {
	return func(r receiver, ok bool) (receiver, bool) {
		if ok && r.guess && !r.single && c.deniedAt(n, r.class) {
			return receiver{}, false
		}
		return r, ok
	}
}

// deniedAt reports whether a variable has been asked with is_a?, on the way to its place, and
// is not of a class.
func (c *context) deniedAt(n int32, class string) bool {
	q := question{c, c.u.Text(n), class}
	for at, p := n, c.u.Parent(n); p >= 0 && c.Step(); at, p = p, c.u.Parent(p) {
		field := c.u.Field(at)
		switch k := c.u.Kind(p); k {
		case "method", "singleton_method", "class", "module":
			return false
		case "if", "elsif", "unless", "conditional", "if_modifier", "unless_modifier":
			isTrue := (field != "alternative") != strings.HasPrefix(k, "unless")
			if field != "condition" && q.denies(c.u.Child(p, "condition"), isTrue) {
				return true
			}
		case "binary":
			if isTrue, joins := joined(c.u.Text(c.u.Child(p, "operator"))); joins && field == "right" &&
				q.denies(c.u.Child(p, "left"), isTrue) {
				return true
			}
		default:
			for i := range c.u.Children(p) {
				if i >= at || !c.Step() {
					break
				}
				if isTrue, leaves := c.guardOf(i); leaves && q.denies(c.u.Child(i, "condition"), isTrue) {
					return true
				}
			}
		}
	}
	return false
}

// guardOf reports whether a statement leaves the ones below it on a condition, and whether the
// condition holds below it.
func (c *context) guardOf(n int32) (isTrue, leaves bool) {
	k, body := c.u.Kind(n), int32(-1)
	switch k {
	case "if_modifier", "unless_modifier":
		body = c.u.Child(n, "body")
	case "if", "unless":
		if c.u.Child(n, "alternative") < 0 {
			body = c.lastExpression(c.u.Child(n, "consequence"))
		}
	}
	if body < 0 {
		return false, false
	}
	switch c.u.Kind(body) {
	case "return", "next", "break":
		leaves = true
	case "call":
		leaves = c.u.Text(c.u.Child(body, "method")) == "raise"
	}
	return strings.HasPrefix(k, "unless"), leaves
}

// joined reports whether an operator joins two conditions, and whether the left one holds where
// the right one is asked.
func joined(operator string) (isTrue, joins bool) {
	switch operator {
	case "&&", "and":
		return true, true
	case "||", "or":
		return false, true
	}
	return false, false
}

// A question is whether a variable is not of a class.
type question struct {
	*context
	name, class string
}

// denies reports whether the variable is not of the class where a condition holds, or does not.
func (q question) denies(n int32, isTrue bool) bool {
	if n < 0 || !q.Enter() {
		return false
	}
	defer q.Leave()
	switch q.u.Kind(n) {
	case "parenthesized_statements":
		return q.denies(q.lastExpression(n), isTrue)
	case "unary":
		operator := q.u.Text(q.u.Child(n, "operator"))
		return (operator == "!" || operator == "not") && q.denies(q.u.Child(n, "operand"), !isTrue)
	case "binary":
		both, joins := joined(q.u.Text(q.u.Child(n, "operator")))
		return joins && both == isTrue && (q.denies(q.u.Child(n, "left"), isTrue) ||
			q.denies(q.u.Child(n, "right"), isTrue))
	case "call":
		if isTrue || q.u.Text(q.u.Child(n, "receiver")) != q.name || !asksClass[q.u.Text(q.u.Child(n, "method"))] {
			return false
		}
		r, ok := q.receiverAt(q.u.First(q.u.Child(n, "arguments")))
		return ok && r.single && r.class == q.class
	}
	return false
}
