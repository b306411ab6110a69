package php

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

func meaningOf(list []*def) resolve.Meaning {
	m := resolve.Meaning{Known: true}
	for _, d := range list {
		m.Symbols = append(m.Symbols, d.Symbol)
	}
	return m
}

// meaningAt says what is at a name.
func (c *context) meaningAt(n int32) resolve.Meaning {
	if c.u.Kind(n) == "variable_name" {
		n = c.u.First(n, "name")
	}
	if n < 0 {
		return resolve.Meaning{}
	}
	v := c.f.vars[n]
	if y := c.u.Owner[n]; y != nil {
		return c.declared(y, v)
	}
	if v != nil {
		m := meaningOf([]*def{v})
		m.Declares = len(v.Decls) > 0 && v.Decls[0].Name == n
		return m
	}
	p := c.u.Parent(n)
	if c.u.Kind(n) == "string" && isFunctionName(c.u, n) {
		return meaningOf(c.find(aFunction, resolve.Unquote(c.u.Text(n))))
	}
	if c.u.Kind(n) == "string" && c.u.Around(n, "attribute") >= 0 {
		return c.attributeMeaning(n)
	}
	if c.u.Kind(n) == "string" {
		return c.members(aMethod, c.scopeType(c.u.First(c.u.First(c.u.Parent(p)))), n)
	}
	switch c.u.Kind(p) {
	case "variable_name":
		if q := c.u.Parent(p); c.u.Kind(q) == "scoped_property_access_expression" && c.u.Field(p) == "name" {
			return c.members(aProperty, c.scopeType(c.u.Child(q, "scope")), n)
		}
		return resolve.Meaning{Known: c.u.Text(n) == "this"}
	case "member_access_expression", "nullsafe_member_access_expression":
		return c.members(aProperty, c.typeOf(c.u.Child(p, "object")), n)
	case "member_call_expression", "nullsafe_member_call_expression":
		return c.members(aMethod, c.typeOf(c.u.Child(p, "object")), n)
	case "scoped_call_expression":
		if c.u.Field(n) == "name" {
			return c.members(aMethod, c.scopeType(c.u.Child(p, "scope")), n)
		}
	case "class_constant_access_expression":
		if n == c.lastName(p) {
			if strings.HasPrefix(c.u.Kind(c.u.Parent(p)), "use_") { // T::m insteadof U
				return c.members(aMethod, c.scopeType(p+1), n)
			}
			return c.members(aConstant, c.scopeType(p+1), n)
		}
	case "argument":
		if c.u.Field(n) == "name" {
			return c.argumentMeaning(p, n)
		}
	case "namespace_name", "namespace_definition":
		return resolve.Meaning{Known: true}
	}
	return c.nameMeaning(n)
}

// attributeMeaning is what a text in an attribute means, as in #[DataProvider('cases')]: it is likely the
// method of that name of the class that is given before it, or else of the one around.
func (c *context) attributeMeaning(n int32) resolve.Meaning {
	if c.u.IsLabel(n) {
		return resolve.Meaning{Known: true}
	}
	if c.u.IsAdvice(n) {
		return resolve.Meaning{}
	}
	var of union
	for i := c.u.Around(n, "attribute"); i < n; i++ {
		if c.u.Kind(i) == "class_constant_access_expression" {
			of = c.scopeType(c.u.First(i))
		}
	}
	if class := c.classAt(n); len(of) == 0 && class != nil {
		of = union{{kind: instance, class: class}}
	}
	m := c.members(aMethod, of, n)
	if len(m.Symbols) == 0 {
		return resolve.Meaning{}
	}
	m.Guess = true
	return m
}

// declared is the meaning of a name where something is declared. A promoted
// parameter is a property and a variable.
func (c *context) declared(y *resolve.Symbol, v *def) resolve.Meaning {
	m := resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true, Declares: true}
	if v != nil {
		m.Symbols = append(m.Symbols, v.Symbol)
	}
	if d := c.m.defs[y]; d != nil && d.kind == aMethod && strings.EqualFold(d.Name, "__construct") && d.owner != nil {
		m.Alias = d.owner.Name
	}
	return m
}

// members is the meaning of the name of a member of some values.
func (c *context) members(k kind, of union, n int32) resolve.Meaning {
	return c.membersNamed(k, of, resolve.Unquote(c.u.Text(n)))
}

func (c *context) membersNamed(k kind, of union, name string) resolve.Meaning {
	m := resolve.Meaning{Known: len(of) > 0, Member: true}
	for _, v := range of {
		switch {
		case v.class != nil:
			d, whole := c.memberOf(v.class, k, name)
			if d != nil {
				m.OneOf = m.OneOf || v.mixed
				if !slices.Contains(m.Symbols, d.Symbol) {
					m.Symbols = append(m.Symbols, d.Symbol)
				}
			} else if !whole || k != aConstant {
				m.Known = false
			}
		case v.kind == outside, v.kind == callable:
			m.Known = false
		}
	}
	return m
}

// argumentMeaning is the meaning of the name of an argument.
func (c *context) argumentMeaning(argument, n int32) resolve.Meaning {
	call := c.u.Parent(c.u.Parent(argument))
	m := resolve.Meaning{}
	for _, y := range c.calledBy(call).Symbols {
		for _, p := range c.m.defs[y].params {
			if p.Name == c.u.Text(n) {
				m.Symbols = append(m.Symbols, p.Symbol)
				m.Symbols = append(m.Symbols, c.promotedProperty(c.m.defs[y], p)...)
			}
		}
	}
	m.Known = len(m.Symbols) > 0
	return m
}

// promotedProperty is the property that a parameter of a constructor is too.
func (c *context) promotedProperty(d, p *def) []*resolve.Symbol {
	if d.owner == nil {
		return nil
	}
	if m := d.owner.members[key{aProperty, p.Name}]; m != nil && m.node == p.node {
		return []*resolve.Symbol{m.Symbol}
	}
	return nil
}

// calledBy is the meaning of what a call calls.
func (c *context) calledBy(call int32) resolve.Meaning {
	switch c.u.Kind(call) {
	case "object_creation_expression", "attribute":
		m := resolve.Meaning{}
		for _, v := range c.newType(call) {
			if v.class != nil {
				if d, _ := c.memberOf(v.class, aMethod, "__construct"); d != nil {
					m.Symbols = append(m.Symbols, d.Symbol)
				}
			}
		}
		return m
	case "function_call_expression":
		f := c.u.Child(call, "function")
		return meaningOf(c.freeNamed(aFunction, f, c.u.Text(f)))
	}
	if name := c.u.Child(call, "name"); c.u.Kind(name) == "name" {
		return c.meaningAt(name)
	}
	return resolve.Meaning{}
}

// nameMeaning is the meaning of the name of a class, a function or a constant.
func (c *context) nameMeaning(n int32) resolve.Meaning {
	whole := n
	if k := c.u.Kind(c.u.Parent(n)); k == "qualified_name" || k == "relative_name" {
		whole = c.u.Parent(n)
	}
	p := c.u.Parent(whole)
	text := c.u.Text(whole)
	switch c.u.Kind(p) {
	case "namespace_use_clause":
		return c.useMeaning(p)
	case "function_call_expression":
		if c.u.Field(whole) == "function" {
			return meaningOf(c.freeNamed(aFunction, whole, text))
		}
	case "named_type", "base_clause", "class_interface_clause", "use_declaration", "use_instead_of_clause", "attribute",
		"scoped_call_expression", "scoped_property_access_expression", "class_constant_access_expression", "type_list":
		return c.classMeaning(whole, text)
	case "object_creation_expression":
		m := c.classMeaning(whole, text)
		for _, y := range m.Symbols {
			if d, _ := c.memberOf(c.m.defs[y], aMethod, "__construct"); d != nil {
				m.Symbols = append(m.Symbols, d.Symbol)
			}
		}
		return m
	case "binary_expression":
		if c.u.Text(c.u.Child(p, "operator")) == "instanceof" && c.u.Child(p, "right") == whole {
			return c.classMeaning(whole, text)
		}
	}
	return meaningOf(c.freeNamed(aGlobal, whole, text))
}

func (c *context) classMeaning(n int32, text string) resolve.Meaning {
	switch strings.ToLower(text) {
	case "self", "static", "parent":
		return resolve.Meaning{Known: true}
	}
	return meaningOf(c.classesNamed(n, text))
}

// useMeaning is what a clause of a use declaration brings in, and as what.
func (c *context) useMeaning(clause int32) resolve.Meaning {
	k := useKind(c.u, clause)
	alias := c.u.Text(c.u.Child(clause, "alias"))
	name := alias
	if name == "" {
		name = lastOf(c.u.Text(c.u.First(clause, "qualified_name", "name")))
	}
	m := meaningOf(c.find(k, c.f.imports[keyOf(k, name)]))
	m.Alias = alias
	return m
}

// commentMeaning is the meaning of the name of a type in a comment.
func (c *context) commentMeaning(s resolve.Spot) resolve.Meaning {
	text := c.u.Text(s.Node)
	from, to := int(s.Word), int(s.Word)
	for from > 0 && (wordByte(text[from-1]) || text[from-1] == '\\') {
		from--
	}
	for to < len(text) && wordByte(text[to]) {
		to++
	}
	word := text[s.Word:to]
	switch {
	case from > 0 && text[from-1] == '$':
		return c.documented(s.Node, word)
	case from > 1 && text[from-2:from] == "::":
		class := from - 2
		for class > 0 && (wordByte(text[class-1]) || text[class-1] == '\\') {
			class--
		}
		k := aConstant
		if strings.HasPrefix(text[to:], "(") {
			k = aMethod
		}
		return c.membersNamed(k, c.named(s.Node, text[class:from-2], c.classAt(s.Node)), word)
	}
	return meaningOf(c.classesNamed(s.Node, text[from:to]))
}

// documented is the meaning of a variable that a comment names: a parameter of the
// function behind it, or a variable of the one around it.
func (c *context) documented(comment int32, name string) resolve.Meaning {
	next := c.u.Nodes[comment].Next
	if int(next) < len(c.u.Nodes) {
		if f := c.f.funcs[next]; f != nil {
			for _, p := range f.params {
				if p.Name == name {
					m := meaningOf([]*def{p})
					m.Symbols = append(m.Symbols, c.promotedProperty(f, p)...)
					return m
				}
			}
			return resolve.Meaning{}
		}
	}
	for s := resolve.Innermost(c.u.Parsed, comment, c.f.scopes, c.f.top); s != nil; s = s.outer {
		if d := s.vars[name]; d != nil {
			return meaningOf([]*def{d})
		}
	}
	return resolve.Meaning{}
}
