package php

import (
	"strings"
)

// narrowed is the type that a condition around or before a place leaves for what
// is there, nil if none does.
func (c *context) narrowed(n int32) union {
	text := c.u.Text(n)
	if len(text) > 80 {
		return nil
	}
	from := n
	for p := c.u.Parent(n); p >= 0; from, p = p, c.u.Parent(p) {
		if t := c.narrowedBy(p, from, text); t != nil {
			if c.assignedBetween(n, from, text) {
				return nil
			}
			return t
		}
		switch c.u.Kind(p) {
		case "method_declaration", "function_definition", "anonymous_function", "program":
			return nil
		case "compound_statement":
			if t := c.narrowedBefore(p, from, n, text); t != nil {
				return t
			}
		}
	}
	return nil
}

// narrowedBy is what a node says of a text in one of its parts.
func (c *context) narrowedBy(p, part int32, text string) union {
	switch c.u.Kind(p) {
	case "if_statement", "else_if_clause", "while_statement", "conditional_expression":
		condition := c.u.Child(p, "condition")
		switch {
		case part == condition:
			return nil
		case c.u.Field(part) == "body":
			return c.fact(condition, text, true)
		case c.u.Field(part) == "alternative":
			return c.fact(condition, text, false)
		}
	case "binary_expression":
		if c.u.Child(p, "right") != part {
			return nil
		}
		switch c.u.Text(c.u.Child(p, "operator")) {
		case "&&", "and":
			return c.fact(c.u.Child(p, "left"), text, true)
		case "||", "or":
			return c.fact(c.u.Child(p, "left"), text, false)
		}
	case "match_conditional_expression":
		if c.u.Field(part) == "return_expression" {
			return c.fact(c.u.First(c.u.First(p)), text, true)
		}
	}
	return nil
}

// narrowedBefore is what the statements of a block before one of them say of a text:
// a condition that leaves the block, or that is asserted.
func (c *context) narrowedBefore(block, until, n int32, text string) (t union) {
	if !strings.Contains(c.u.Source[c.u.Nodes[block].Start:c.u.Nodes[until].Start], "instanceof") {
		return nil
	}
	for s := range c.u.Children(block) {
		if s >= until {
			break
		}
		var o union
		switch c.u.Kind(s) {
		case "if_statement":
			if c.u.Child(s, "alternative") < 0 && c.alwaysLeaves(c.u.Child(s, "body")) {
				o = c.fact(c.u.Child(s, "condition"), text, false)
			}
		case "expression_statement":
			call := c.u.First(s)
			if f := strings.TrimPrefix(c.u.Text(c.u.Child(call, "function")), `\`); f == "assert" {
				o = c.fact(c.u.First(c.u.First(c.u.Child(call, "arguments"))), text, true)
			}
		}
		if o != nil && !c.assignedBetween(n, s, text) {
			t = o
		}
	}
	return t
}

// alwaysLeaves reports whether a block does not end.
func (c *context) alwaysLeaves(block int32) bool {
	last := block
	if c.u.Kind(block) == "compound_statement" {
		last = -1
		for s := range c.u.Children(block) {
			last = s
		}
	}
	switch c.u.Kind(last) {
	case "return_statement", "continue_statement", "break_statement", "exit_statement", "throw_statement":
		return true
	case "expression_statement":
		k := c.u.Kind(c.u.First(last))
		return k == "throw_expression" || k == "exit_statement"
	}
	return false
}

// fact is the type that a condition gives to a text if it holds, or if it does not.
func (c *context) fact(n int32, text string, isTrue bool) union {
	if n < 0 || !c.Enter() {
		return nil
	}
	defer c.Leave()
	switch c.u.Kind(n) {
	case "parenthesized_expression":
		return c.fact(c.u.First(n), text, isTrue)
	case "unary_op_expression":
		if strings.HasPrefix(c.u.Text(n), "!") {
			return c.fact(c.u.First(n), text, !isTrue)
		}
	case "binary_expression":
		left, right := c.u.Child(n, "left"), c.u.Child(n, "right")
		switch op := c.u.Text(c.u.Child(n, "operator")); op {
		case "&&", "and", "||", "or":
			a, b := c.fact(left, text, isTrue), c.fact(right, text, isTrue)
			if (op == "&&" || op == "and") == isTrue {
				if b != nil {
					return b
				}
				return a
			}
			if a != nil && b != nil {
				return a.Join(b)
			}
		case "instanceof":
			if isTrue && c.equalsText(left, text) {
				return c.scopeType(right)
			}
		}
	}
	return nil
}

// equalsText reports whether what is tested is a text, or is assigned to it.
func (c *context) equalsText(n int32, text string) bool {
	for c.u.Kind(n) == "parenthesized_expression" {
		n = c.u.First(n)
	}
	if c.u.Kind(n) == "assignment_expression" {
		n = c.u.Child(n, "left")
	}
	return c.u.Text(n) == text
}

// assignedBetween reports whether the variable of a text gets another value behind a
// node and before another.
func (c *context) assignedBetween(n, from int32, text string) bool {
	if strings.Contains(text, "->") {
		return false
	}
	name := c.u.First(n, "name")
	d := c.f.vars[name]
	if d == nil {
		return false
	}
	for _, a := range d.assigned {
		if a.at >= from && a.at >= c.u.Nodes[from].Next && a.until <= n {
			return true
		}
		if c.u.Within(a.at, from) && a.until <= n && c.u.Within(n, from) {
			return true
		}
	}
	return false
}
