package php

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// typeOf infers an expression.
func (c *context) typeOf(n int32) union {
	return c.m.types.Of(c.Resolver, c.u, n, func(_ *resolve.Resolver, _ *resolve.Unit, n int32) union {
		return c.infer(n)
	})
}

func (c *context) infer(n int32) union {
	switch c.u.Kind(n) {
	case "variable_name":
		return c.variableType(n)
	case "member_access_expression", "nullsafe_member_access_expression":
		if t := c.narrowed(n); t != nil {
			return t
		}
		return c.membersType(aProperty, c.typeOf(c.u.Child(n, "object")), c.u.Child(n, "name"))
	case "member_call_expression", "nullsafe_member_call_expression":
		return c.membersType(aMethod, c.typeOf(c.u.Child(n, "object")), c.u.Child(n, "name"))
	case "scoped_call_expression":
		return c.membersType(aMethod, c.scopeType(c.u.Child(n, "scope")), c.u.Child(n, "name"))
	case "scoped_property_access_expression":
		name := c.u.First(c.u.Child(n, "name"), "name")
		return c.membersType(aProperty, c.scopeType(c.u.Child(n, "scope")), name)
	case "class_constant_access_expression":
		return c.constantType(n)
	case "object_creation_expression":
		return c.newType(n)
	case "function_call_expression":
		return c.callType(n)
	case "anonymous_function", "arrow_function":
		return unionOf(value{kind: callable, elem: c.resultOf(n)})
	case "subscript_expression":
		return c.elementAt(n)
	case "array_creation_expression":
		return c.arrayType(n)
	case "binary_expression":
		if op := c.u.Text(c.u.Child(n, "operator")); op == "??" {
			return c.oneOf(c.u.Child(n, "left"), c.u.Child(n, "right"))
		}
		return unionOf(value{kind: scalar})
	case "conditional_expression":
		body := c.u.Child(n, "body")
		if body < 0 {
			body = c.u.Child(n, "condition")
		}
		return c.oneOf(body, c.u.Child(n, "alternative"))
	case "match_expression":
		var arms []int32
		for arm := range c.u.Children(c.u.Child(n, "body")) {
			arms = append(arms, c.u.Child(arm, "return_expression"))
		}
		return c.oneOf(arms...)
	case "assignment_expression", "augmented_assignment_expression", "reference_assignment_expression":
		return c.typeOf(c.u.Child(n, "right"))
	case "parenthesized_expression", "clone_expression", "argument", "array_element_initializer", "by_ref",
		"error_suppression_expression":
		return c.typeOf(c.u.First(n))
	case "string", "encapsed_string", "integer", "float", "boolean", "null", "heredoc", "nowdoc", "unary_op_expression",
		"update_expression", "shell_command_expression":
		return unionOf(value{kind: scalar})
	case "cast_expression":
		t, _ := basicType(c.u.Text(c.u.Child(n, "type")))
		return t
	}
	return nil
}

// oneOf is what one of some expressions is. If some of them are not known, it may be something
// else than the others.
func (c *context) oneOf(list ...int32) (t union) {
	unknown := false
	for _, n := range list {
		if n < 0 || c.u.Kind(n) == "throw_expression" { // a comment between the arms of match, or no value
			continue
		}
		o := c.typeOf(n)
		unknown = unknown || len(o) == 0
		t = t.Join(o)
	}
	if unknown && len(t) > 0 {
		t = t.Join(unionOf(value{kind: outside}))
	}
	return t
}

// scopeType is what comes before ::, as instances of the class.
func (c *context) scopeType(n int32) union {
	switch c.u.Kind(n) {
	case "name", "qualified_name", "relative_name", "relative_scope":
		return c.named(n, c.u.Text(n), c.classAt(n))
	}
	return c.typeOf(n).Each(func(v value) union {
		if v.kind == theClass {
			v.kind = instance
		}
		return unionOf(v)
	})
}

// membersType is the type of the members of a name that some values have.
func (c *context) membersType(k kind, of union, name int32) union {
	if c.u.Kind(name) != "name" {
		return nil
	}
	text := c.u.Text(name)
	var t union
	for _, v := range of {
		switch {
		case v.kind == outside:
			t = t.Join(unionOf(value{kind: outside}))
		case v.class != nil:
			d, _ := c.memberOf(v.class, k, text)
			if d == nil {
				continue
			}
			t = t.Join(c.typeOfDef(d).Each(func(o value) union {
				if o.late && o.class != nil {
					o.class = v.class
				}
				return unionOf(o)
			}))
		}
	}
	return t
}

func (c *context) constantType(n int32) union {
	name := c.lastName(n)
	if strings.EqualFold(c.u.Text(name), "class") {
		return c.scopeType(n + 1).Each(func(v value) union {
			if v.kind == instance {
				v.kind = theClass
			}
			return unionOf(v)
		})
	}
	return c.membersType(aConstant, c.scopeType(n+1), name)
}

// lastName is the last child of a node if it is a name, or -1.
func (c *context) lastName(n int32) int32 {
	last := int32(-1)
	for p := range c.u.Children(n) {
		last = p
	}
	if c.u.Kind(last) != "name" || last == n+1 {
		return -1
	}
	return last
}

func (c *context) newType(n int32) union {
	for p := range c.u.Children(n) {
		switch c.u.Kind(p) {
		case "anonymous_class":
			if d := c.f.classes[p]; d != nil {
				return unionOf(value{kind: instance, class: d})
			}
		case "name", "qualified_name", "relative_name", "relative_scope", "variable_name", "member_access_expression",
			"scoped_property_access_expression", "parenthesized_expression", "class_constant_access_expression":
			return c.scopeType(p).Each(func(v value) union {
				if v.kind == scalar {
					return nil
				}
				return unionOf(v)
			})
		}
		if c.u.Text(p) == "static" || c.u.Text(p) == "self" {
			return c.named(p, c.u.Text(p), c.classAt(p))
		}
	}
	return nil
}

func (c *context) callType(n int32) union {
	f := c.u.Child(n, "function")
	switch c.u.Kind(f) {
	case "name", "qualified_name", "relative_name":
	default:
		return c.typeOf(f).Each(func(v value) union {
			if v.kind == callable {
				return v.elem
			}
			if v.class != nil {
				if d, _ := c.memberOf(v.class, aMethod, "__invoke"); d != nil {
					return c.typeOfDef(d)
				}
			}
			return nil
		})
	}
	var t union
	for _, d := range c.freeNamed(aFunction, f, c.u.Text(f)) {
		t = t.Join(c.typeOfDef(d))
	}
	if len(t) > 0 {
		return t
	}
	args := c.u.List(c.u.Child(n, "arguments"))
	switch strings.ToLower(strings.TrimPrefix(c.u.Text(f), `\`)) { // of the language's own, those that hand on what they take
	case "array_filter", "array_values", "array_reverse", "array_slice", "array_merge", "array_unique", "iterator_to_array":
		return unionOf(value{kind: list, elem: c.elementOf(c.typeOf(resolve.At(args, 0)))})
	case "array_pop", "array_shift", "current", "reset", "end", "next":
		return c.elementOf(c.typeOf(resolve.At(args, 0)))
	case "array_map":
		return unionOf(value{kind: list, elem: c.typeOf(resolve.At(args, 0)).Each(func(v value) union { return v.elem })})
	}
	return nil
}

func (c *context) arrayType(n int32) union {
	v := value{kind: list}
	for e := range c.u.Children(n) {
		parts := c.u.List(e)
		if len(parts) == 0 {
			continue
		}
		element := c.typeOf(parts[len(parts)-1])
		v.elem = v.elem.Join(element)
		if len(parts) == 2 && c.u.Kind(parts[0]) == "string" {
			if v.keys == nil {
				v.keys = map[string]union{}
			}
			v.keys[resolve.Unquote(c.u.Text(parts[0]))] = element
		}
	}
	v.mixed = len(v.elem) > 1
	return unionOf(v)
}

// elementAt is what a list holds at an index: what is told of that key, or else any of it.
func (c *context) elementAt(n int32) union {
	parts := c.u.List(n)
	if len(parts) == 2 && c.u.Kind(parts[1]) == "string" {
		key := resolve.Unquote(c.u.Text(parts[1]))
		t := c.typeOf(parts[0]).Each(func(v value) union { return v.keys[key] })
		if len(t) > 0 {
			return t
		}
	}
	return c.typeOf(c.u.First(n)).Each(func(v value) union {
		return c.elementOf(unionOf(v)).Each(func(element value) union {
			element.mixed = element.mixed || v.mixed
			return unionOf(element)
		})
	})
}

// elementOf is what going over a value gives.
func (c *context) elementOf(t union) union {
	return t.Each(func(v value) union {
		if len(v.elem) > 0 && v.kind != callable {
			return v.elem
		}
		if v.kind != instance {
			return nil
		}
		return c.elementOfClass(v.class)
	})
}

func (c *context) elementOfClass(class *def) union {
	if !c.Enter() {
		return nil
	}
	defer c.Leave()
	var t union
	c.visitAncestors(class, func(o *def) bool {
		if o.doc != nil {
			for _, text := range o.doc.bases {
				for _, v := range in(c.Resolver, o.Unit).docType(text, o.node, o) {
					t = t.Join(v.elem)
				}
			}
		}
		return len(t) == 0
	})
	if len(t) > 0 {
		return t
	}
	if d, _ := c.memberOf(class, aMethod, "current"); d != nil {
		return c.typeOfDef(d)
	}
	if d, _ := c.memberOf(class, aMethod, "getIterator"); d != nil {
		return c.elementOf(c.typeOfDef(d))
	}
	if d, _ := c.memberOf(class, aMethod, "offsetGet"); d != nil {
		return c.typeOfDef(d)
	}
	return nil
}

// typeOfDef is the type of what is declared: of a function, what it returns.
func (c *context) typeOfDef(d *def) union {
	if d.done {
		return d.typ
	}
	if d.busy || !c.Enter() {
		return nil
	}
	d.busy = true
	t := in(c.Resolver, d.Unit).inferDef(d)
	c.Leave()
	d.busy = false
	if c.Steps <= resolve.MostSteps && c.Depth < resolve.MostDepth/2 {
		d.typ, d.done = t, true
	}
	return t
}

func (c *context) inferDef(d *def) union {
	if d.typeIn != "" {
		return c.docType(d.typeIn, d.node, d.owner)
	}
	written := func() union { return c.typeAt(d.written) }
	inherited := func() union { return c.inherited(d) }
	switch d.kind {
	case aMethod, aFunction:
		documented := func() union {
			if d.doc == nil {
				return nil
			}
			return c.docType(d.doc.returns, d.node, d.owner, d.doc)
		}
		return orInferred(firstKnown(documented, written, inherited), func() union { return c.resultOf(d.node) })
	case aProperty:
		documented := func() union {
			if d.doc == nil {
				return nil
			}
			return c.docType(d.doc.typ, d.node, d.owner)
		}
		ofParameter := func() union { return c.parameterDoc(d.node, d.Name) }
		return orInferred(firstKnown(documented, ofParameter, written, inherited),
			func() union { return c.typeOf(d.value).Join(c.fieldType(d)) })
	case aConstant:
		if c.u.Kind(d.node) == "enum_case" {
			return unionOf(value{kind: instance, class: d.owner})
		}
		return c.typeOf(d.value)
	}
	return nil
}

// inherited is the type of the member that one overrides.
func (c *context) inherited(d *def) (t union) {
	if d.owner == nil || d.private {
		return nil
	}
	at := keyOf(d.kind, d.Name)
	c.visitAncestors(d.owner, func(o *def) bool {
		if m := o.members[at]; m != nil && m != d && (m.written >= 0 || m.doc != nil) {
			t = c.typeOfDef(m)
		}
		return len(t) == 0
	})
	return t
}

// parameterDoc is the type that the comment of the function around gives to a
// parameter, or that of the method which it overrides.
func (c *context) parameterDoc(n int32, name string) (t union) {
	p := c.u.Around(n, "method_declaration", "function_definition", "anonymous_function", "arrow_function")
	d := c.f.funcs[p]
	if d == nil {
		return nil
	}
	read := func(d *def) union {
		if d.doc == nil || d.doc.params[name] == "" {
			return nil
		}
		return in(c.Resolver, d.Unit).docType(d.doc.params[name], d.node, d.owner, d.doc)
	}
	if t = read(d); len(t) > 0 || d.owner == nil {
		return t
	}
	at := keyOf(d.kind, d.Name)
	c.visitAncestors(d.owner, func(o *def) bool {
		if m := o.members[at]; m != nil && m != d {
			t = read(m)
		}
		return len(t) == 0
	})
	return t
}

// resultOf is what the returns of a function give.
func (c *context) resultOf(n int32) union {
	if t := c.u.Child(n, "return_type"); t >= 0 {
		return c.typeAt(t)
	}
	body := c.u.Child(n, "body")
	if c.u.Kind(n) == "arrow_function" {
		return c.typeOf(body)
	}
	if body < 0 {
		return nil
	}
	var t union
	for i := body + 1; i < c.u.Nodes[body].Next; i++ {
		switch c.u.Kind(i) {
		case "anonymous_function", "arrow_function", "anonymous_class", "function_definition":
			i = c.u.Nodes[i].Next - 1
		case "yield_expression":
			return nil
		case "return_statement":
			if v := c.u.First(i); v >= 0 {
				o := c.typeOf(v)
				if len(o) == 0 {
					return nil
				}
				t = t.Join(o)
			}
		}
	}
	return t
}

// fieldType is what the methods of a class put into one of its properties.
func (c *context) fieldType(d *def) union {
	if d.owner == nil {
		return nil
	}
	fields, ok := c.m.fields[d.owner]
	if !ok {
		fields = c.fieldsOf(d.owner)
		c.m.fields[d.owner] = fields
	}
	var t union
	for _, a := range fields[d.Name] {
		t = t.Join(in(c.Resolver, a.unit).assignedType(a, ""))
	}
	return t
}

func (c *context) fieldsOf(class *def) map[string][]assignment {
	all := map[string][]assignment{}
	u := class.Unit
	for i := class.node; i < u.Nodes[class.node].Next; i++ {
		if u.Kind(i) != "assignment_expression" {
			continue
		}
		left, as := u.Child(i, "left"), asValue
		if u.Kind(left) == "subscript_expression" {
			left, as = u.First(left), asContainer
		}
		var name int32
		switch u.Kind(left) {
		case "member_access_expression":
			if u.Text(u.Child(left, "object")) != "$this" {
				continue
			}
			name = u.Child(left, "name")
		case "scoped_property_access_expression":
			name = u.First(u.Child(left, "name"), "name")
		default:
			continue
		}
		a := assignment{at: left, until: u.Nodes[i].Next, value: u.Child(i, "right"), as: as, unit: u}
		all[u.Text(name)] = append(all[u.Text(name)], a)
	}
	return all
}

// assignedType is the type that an assignment gives to a variable.
func (c *context) assignedType(a assignment, name string) union {
	if a.as == asValue || a.as == asElement || a.as == asPart {
		if t := c.commented(a, name); len(t) > 0 {
			return t
		}
	}
	switch a.as {
	case asElement:
		return c.elementOf(c.typeOf(a.value))
	case asContainer:
		return unionOf(value{kind: list, elem: c.typeOf(a.value)})
	case asWritten:
		return c.typeAt(a.value)
	case asPart:
		return nil
	case asComment:
		return c.docType(readDoc(c.u.Text(a.value)).params[name], a.value, nil)
	case asParameter:
		return c.parameterType(a.value, name)
	}
	return c.typeOf(a.value)
}

// commented is the type that the comment before an assignment gives to a variable.
func (c *context) commented(a assignment, name string) union {
	d := c.commentOf(a.at)
	if d == nil {
		return nil
	}
	text := d.params[name]
	if text == "" && len(d.params) == 0 {
		text = d.typ
	}
	return c.docType(text, a.at, nil)
}

// commentOf reads the comment right before the statement around a node.
func (c *context) commentOf(n int32) *doc {
	s := c.u.Around(n, "expression_statement", "foreach_statement")
	if s < 0 {
		return nil
	}
	head := strings.TrimRight(c.u.Source[:c.u.Nodes[s].Start], " \t\r\n")
	at := strings.LastIndex(head, "/**")
	if at < 0 || !strings.HasSuffix(head, "*/") || strings.Contains(head[at:len(head)-2], "*/") {
		return nil
	}
	return readDoc(head[at:])
}

func (c *context) parameterType(n int32, name string) union {
	t := firstKnown(
		func() union { return c.parameterDoc(n, name) },
		func() union {
			for p := range c.u.Children(n) {
				if k := c.u.Kind(p); strings.HasSuffix(k, "_type") {
					return c.typeAt(p)
				}
			}
			return nil
		},
		func() union {
			if v := c.u.Child(n, "default_value"); !strings.EqualFold(c.u.Text(v), "null") {
				return c.typeOf(v)
			}
			return nil
		})
	if c.u.Kind(n) == "variadic_parameter" {
		return unionOf(value{kind: list, elem: t})
	}
	return t
}

// variableType infers a variable where it is, by the assignments before it: the
// last one that is passed on every way, and those after that.
func (c *context) variableType(n int32) union {
	name := c.u.First(n, "name")
	if c.u.Text(name) == "this" {
		if class := c.classAt(n); class != nil {
			if t := c.narrowed(n); t != nil {
				return t
			}
			return unionOf(value{kind: instance, class: class, late: true})
		}
		return nil
	}
	if t := c.narrowed(n); t != nil {
		return t
	}
	d := c.f.vars[name]
	if d == nil {
		return nil
	}
	var t union
	before := false
	for _, a := range slices.Backward(d.assigned) {
		if a.until > n {
			continue
		}
		before = true
		o := c.assignedType(a, d.Name)
		if len(o) == 0 && a.as != asContainer {
			o = unionOf(value{kind: outside}) // something
		}
		t = t.Join(o)
		if a.as != asContainer && c.u.Within(n, c.blockOf(a.at)) {
			break
		}
	}
	if !before {
		for _, a := range d.assigned {
			if !c.u.Within(n, a.value) {
				t = t.Join(c.assignedType(a, d.Name))
			}
		}
	}
	return t
}

// blockOf is the innermost block around a node whose statements follow one another.
func (c *context) blockOf(n int32) int32 {
	for p := c.u.Parent(n); p >= 0; p = c.u.Parent(p) {
		switch c.u.Kind(p) {
		case "compound_statement":
			if c.u.Kind(c.u.Parent(p)) == "try_statement" {
				continue
			}
			return p
		case "program", "case_statement", "default_statement", "arrow_function", "anonymous_function", "method_declaration",
			"function_definition", "colon_block", "if_statement", "foreach_statement", "catch_clause":
			return p
		}
	}
	return 0
}
