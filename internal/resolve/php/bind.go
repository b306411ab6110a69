package php

import (
	"strings"

	"codeintel/internal/resolve"
)

// A file is what is known of a file's own.
type file struct {
	spaces  []space
	imports map[key]string // name under which something is known -> its full name; classes in lower case
	scopes  map[int32]*scope
	classes map[int32]*def // by node
	funcs   map[int32]*def // functions and methods, by node
	vars    map[int32]*def // by the node of a variable's name
	tops    map[key][]*def // by full name
	top     *scope
}

// A space is a namespace that reaches from one node to another.
type space struct {
	from, to int32
	name     string
}

// A scope holds the variables of a function.
type scope struct {
	node  int32
	outer *scope // whose variables it sees: of a function with an arrow
	class *def
	fn    *def // nil for a function without a name
	vars  map[string]*def
}

// An assignment is one place where something gets a value.
type assignment struct {
	at    int32 // the name, or what is assigned to
	until int32 // the node after which it holds
	value int32
	as    how
	unit  *resolve.Unit
}

// A how says how a variable's type follows from the node of its assignment.
type how int

const (
	asValue     how = iota
	asElement       // one of what the node holds
	asWritten       // the node is a type
	asContainer     // the node is one of what it holds
	asParameter
	asPart    // the value is taken apart
	asComment // the node is a comment that tells the type
)

// maxAround bounds how far is looked around a variable.
const maxAround = 50

type binder struct {
	*resolve.Unit
	f     *file
	m     *memory
	open  []*scope
	class []*def
}

// Bind finds what a file declares. It goes over the nodes once, in the order of the
// source, and recurses on nothing.
func (Language) Bind(_ *resolve.Resolver, u *resolve.Unit) {
	m := memoryOf(u)
	f := &file{
		imports: map[key]string{}, scopes: map[int32]*scope{}, classes: map[int32]*def{}, funcs: map[int32]*def{},
		vars: map[int32]*def{}, tops: map[key][]*def{},
	}
	m.files[u] = f
	b := &binder{Unit: u, f: f, m: m}
	f.top = b.begin(0, nil)
	for i := range u.Nodes {
		n := int32(i)
		for len(b.open) > 1 && n >= u.Nodes[b.open[len(b.open)-1].node].Next {
			b.open = b.open[:len(b.open)-1]
		}
		for len(b.class) > 0 && n >= u.Nodes[b.class[len(b.class)-1].node].Next {
			b.class = b.class[:len(b.class)-1]
		}
		b.bind(n)
	}
}

func (b *binder) begin(node int32, fn *def) *scope {
	s := &scope{node: node, fn: fn, class: b.around(), vars: map[string]*def{}}
	b.f.scopes[node] = s
	b.open = append(b.open, s)
	return s
}

func (b *binder) in() *scope { return b.open[len(b.open)-1] }

func (b *binder) around() *def {
	if len(b.class) == 0 {
		return nil
	}
	return b.class[len(b.class)-1]
}

func (b *binder) bind(n int32) {
	switch b.Kind(n) {
	case "namespace_definition":
		end := int32(len(b.Nodes))
		if body := b.Child(n, "body"); body >= 0 {
			end = b.Nodes[body].Next
		} else if len(b.f.spaces) > 0 {
			b.f.spaces[len(b.f.spaces)-1].to = n
		}
		b.f.spaces = append(b.f.spaces, space{n, end, b.Text(b.Child(n, "name"))})
	case "namespace_use_clause":
		b.bindUse(n)
	case "class_declaration", "interface_declaration", "trait_declaration", "enum_declaration", "anonymous_class":
		b.declareClass(n)
	case "use_declaration":
		if c := b.around(); c != nil {
			for t := range b.Children(n) {
				if k := b.Kind(t); k == "name" || k == "qualified_name" || k == "relative_name" {
					c.traits = append(c.traits, t)
				}
			}
		}
	case "method_declaration", "function_definition", "anonymous_function", "arrow_function":
		b.declareFunction(n)
	case "const_element":
		b.declareConstant(n, b.First(n, "name"), b.Parent(n))
	case "enum_case":
		b.declareConstant(n, b.Child(n, "name"), n)
	case "property_element":
		b.declareProperty(n)
	case "simple_parameter", "variadic_parameter", "property_promotion_parameter":
		b.declareParameter(n)
	case "variable_name":
		b.variable(n)
	case "comment":
		b.comment(n)
	case "function_call_expression":
		b.define(n)
	}
}

// spaceAt is the namespace that a node lies in.
func (f *file) spaceAt(n int32) string {
	for i := len(f.spaces) - 1; i >= 0; i-- {
		if s := f.spaces[i]; s.from <= n && n < s.to {
			return s.name
		}
	}
	return ""
}

func joined(space, name string) string {
	if space == "" {
		return name
	}
	return space + `\` + name
}

// bindUse notes what a use declaration brings in.
func (b *binder) bindUse(n int32) {
	list := b.Parent(n)
	prefix := ""
	if b.Kind(list) == "namespace_use_group" {
		list = b.Parent(list)
		prefix = b.Text(b.First(list, "namespace_name"))
	}
	path := joined(prefix, strings.Trim(b.Text(b.First(n, "qualified_name", "name")), `\`))
	name := b.Text(b.Child(n, "alias"))
	if name == "" {
		name = lastOf(path)
	}
	b.f.imports[keyOf(useKind(b.Unit, n), name)] = path
}

// useKind says what kind of thing a clause of a use declaration brings in.
func useKind(u *resolve.Unit, n int32) kind {
	list := u.Around(n, "namespace_use_declaration")
	for _, at := range []int32{n, list} {
		switch u.Text(u.Child(at, "type")) {
		case "function":
			return aFunction
		case "const":
			return aGlobal
		}
	}
	return aClass
}

// lastOf is the part of a path after its last backslash.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '\\')+1:] }

func (b *binder) declare(k kind, name, node int32) *def {
	d := &def{kind: k, node: node, written: -1, value: -1, doc: b.docBefore(node)}
	d.Symbol = &resolve.Symbol{Name: b.Text(name), Unit: b.Unit, Decls: []resolve.Decl{{Name: name, Node: node}}}
	b.m.defs[d.Symbol] = d
	if name >= 0 && k != aVariable {
		b.Owner[name] = d.Symbol
	}
	return d
}

// docBefore reads the comment before what a node declares, if it is of the kind that
// tools read.
func (b *binder) docBefore(n int32) *doc {
	switch b.Kind(n) {
	case "property_element", "const_element", "anonymous_class":
		n = b.Parent(n)
	}
	head := b.Source[:b.Nodes[n].Start]
	head = strings.TrimRight(head, " \t\r\n")
	if !strings.HasSuffix(head, "*/") {
		return nil
	}
	at := strings.LastIndex(head, "/*")
	if at < 0 || !strings.HasPrefix(head[at:], "/**") {
		return nil
	}
	return readDoc(head[at:])
}

func (b *binder) bindTopLevel(d *def) {
	d.full = joined(b.f.spaceAt(d.node), d.Name)
	k := keyOf(d.kind, d.full)
	b.f.tops[k] = append(b.f.tops[k], d)
}

func (b *binder) declareClass(n int32) {
	d := b.declare(aClass, b.Child(n, "name"), n)
	d.word, _, _ = strings.Cut(b.Kind(n), "_")
	d.members = map[key]*def{}
	for c := range b.Children(n) {
		if k := b.Kind(c); k == "base_clause" || k == "class_interface_clause" {
			d.supers = append(d.supers, b.List(c)...)
		}
	}
	b.f.classes[n] = d
	if d.Name != "" {
		b.bindTopLevel(d)
	}
	if d.doc != nil {
		b.declareMagic(d)
	}
	b.class = append(b.class, d)
}

// declareMagic declares the members that only the comment of a class names.
func (b *binder) declareMagic(c *def) {
	for _, m := range c.doc.members {
		d := &def{kind: m.kind, node: c.node, written: -1, value: -1, owner: c, typeIn: m.typ}
		d.Symbol = &resolve.Symbol{Name: m.name, Unit: b.Unit}
		b.m.defs[d.Symbol] = d
		c.members[keyOf(m.kind, m.name)] = d
	}
}

func (b *binder) member(d *def) {
	c := b.around()
	if c == nil {
		return
	}
	d.owner = c
	at := d.node
	if k := b.Kind(at); k == "property_element" || k == "const_element" {
		at = b.Parent(at)
	}
	for m := range b.Children(at) {
		if b.Kind(m) == "visibility_modifier" {
			d.private = b.Text(m) == "private"
		}
	}
	c.members[keyOf(d.kind, d.Name)] = d
}

func (b *binder) declareFunction(n int32) {
	var d *def
	switch b.Kind(n) {
	case "method_declaration":
		d = b.declare(aMethod, b.Child(n, "name"), n)
		b.member(d)
	case "function_definition":
		d = b.declare(aFunction, b.Child(n, "name"), n)
		b.bindTopLevel(d)
	default:
		outer := b.in()
		s := b.begin(n, nil)
		if b.Kind(n) == "arrow_function" {
			s.outer = outer
		}
		return
	}
	d.written = b.Child(n, "return_type")
	d.value = b.Child(n, "body")
	b.f.funcs[n] = d
	b.begin(n, d)
}

func (b *binder) declareConstant(n, name, node int32) {
	if name < 0 {
		return
	}
	if b.around() != nil && b.Kind(b.Parent(node)) != "compound_statement" {
		d := b.declare(aConstant, name, n)
		for c := range b.Children(n) {
			if c != name {
				d.value = c
			}
		}
		b.member(d)
		return
	}
	b.bindTopLevel(b.declare(aGlobal, name, n))
}

// define declares a constant that a call defines.
func (b *binder) define(n int32) {
	if !strings.EqualFold(b.Text(b.Child(n, "function")), "define") {
		return
	}
	text := b.First(b.First(b.Child(n, "arguments"), "argument"), "string")
	if name := resolve.Unquote(b.Text(text)); name != "" {
		d := b.declare(aGlobal, -1, n)
		d.Name = name
		d.full = name
		b.f.tops[key{aGlobal, name}] = append(b.f.tops[key{aGlobal, name}], d)
	}
}

func (b *binder) declareProperty(n int32) {
	d := b.declare(aProperty, b.First(b.Child(n, "name"), "name"), n)
	d.written = b.Child(b.Parent(n), "type")
	d.value = b.Child(n, "default_value")
	b.member(d)
}

// declareParameter declares a parameter, and the property that it is too if it is
// promoted.
func (b *binder) declareParameter(n int32) {
	name := b.First(b.Child(n, "name"), "name")
	if name < 0 && b.Kind(b.Child(n, "name")) == "by_ref" {
		name = b.First(b.First(b.Child(n, "name"), "variable_name"), "name")
	}
	if name < 0 {
		return
	}
	s := b.in()
	written := b.typeOfParameter(n)
	v := b.declare(aVariable, -1, name)
	v.Name, v.doc = b.Text(name), nil
	s.vars[v.Name] = v
	v.node, v.written = n, written
	as := asParameter
	v.assigned = append(v.assigned, assignment{at: name, until: b.Nodes[n].Next, value: n, as: as, unit: b.Unit})
	b.f.vars[name] = v
	if s.fn != nil {
		s.fn.params = append(s.fn.params, v)
	}
	if b.Kind(n) == "property_promotion_parameter" && s.class != nil {
		d := b.declare(aProperty, name, n)
		d.written = written
		b.member(d)
	}
}

func (b *binder) typeOfParameter(n int32) int32 {
	if t := b.Child(n, "type"); t >= 0 {
		return t
	}
	return b.First(n, "optional_type", "named_type", "union_type", "intersection_type", "primitive_type")
}

// local returns the variable of a name in a scope, which is made if new.
func (b *binder) local(s *scope, text string, name int32) *def {
	for o, out := s, 0; o != nil && out < maxAround; o, out = o.outer, out+1 {
		if d := o.vars[text]; d != nil {
			return d
		}
	}
	d := b.declare(aVariable, -1, name)
	d.Name, d.Decls, d.doc = text, nil, nil
	s.vars[text] = d
	return d
}

// variable notes where a variable occurs, and what is assigned to it there.
func (b *binder) variable(n int32) {
	name := b.First(n, "name")
	p := b.Parent(n)
	if name < 0 || b.Text(name) == "this" || b.f.vars[name] != nil {
		return
	}
	switch b.Kind(p) {
	case "property_element", "simple_parameter", "variadic_parameter", "property_promotion_parameter":
		return
	case "scoped_property_access_expression":
		if b.Field(n) == "name" {
			return
		}
	}
	s := b.in()
	container := p
	if b.Kind(p) == "by_ref" {
		container = b.Parent(p)
	}
	if b.Kind(container) == "anonymous_function_use_clause" && len(b.open) > 1 {
		s.vars[b.Text(name)] = b.local(b.open[len(b.open)-2], b.Text(name), name)
	}
	d := b.local(s, b.Text(name), name)
	b.f.vars[name] = d
	if a, ok := b.assignmentTo(n); ok {
		a.at, a.unit = name, b.Unit
		d.assigned = append(d.assigned, a)
		if len(d.Decls) == 0 {
			d.Decls = []resolve.Decl{{Name: name, Node: n}}
		}
	}
}

// comment notes the types that a comment in a function gives to variables.
func (b *binder) comment(n int32) {
	text := b.Text(n)
	if !strings.HasPrefix(text, "/**") || !strings.Contains(text, "@var") || !strings.Contains(text, "$") {
		return
	}
	for name := range readDoc(text).params {
		d := b.local(b.in(), name, n)
		d.assigned = append(d.assigned, assignment{at: n, until: b.Nodes[n].Next, value: n, as: asComment,
			unit: b.Unit})
	}
}

// assignmentTo says what a variable gets where it is, if it gets something.
func (b *binder) assignmentTo(n int32) (a assignment, ok bool) {
	from, part := n, false
	for p, up := b.Parent(n), 0; p >= 0 && up < maxAround; from, p, up = p, b.Parent(p), up+1 {
		end := b.Nodes[p].Next
		switch b.Kind(p) {
		case "by_ref", "pair", "parenthesized_expression":
			if b.Kind(p) == "pair" && b.First(p) == from && from != n {
				return a, false
			}
			continue
		case "list_literal", "array_creation_expression", "array_element_initializer":
			part = true
			continue
		case "assignment_expression", "reference_assignment_expression":
			if b.Child(p, "left") != from {
				return a, false
			}
			a = assignment{until: end, value: b.Child(p, "right")}
			if part {
				a.as = asPart
			}
			return a, true
		case "augmented_assignment_expression":
			return assignment{until: end, value: b.Child(p, "right")}, b.Child(p, "left") == from
		case "subscript_expression":
			q := b.Parent(p)
			if b.Kind(q) == "assignment_expression" && b.Child(q, "left") == p && b.First(p) == from {
				return assignment{until: b.Nodes[q].Next, value: b.Child(q, "right"), as: asContainer}, true
			}
			return a, false
		case "foreach_statement":
			return b.foreachAssignment(p, from, part)
		case "catch_clause":
			return assignment{until: b.Nodes[n].Next, value: b.Child(p, "type"), as: asWritten}, true
		case "static_variable_declaration":
			return assignment{until: end, value: b.Child(p, "value")}, true
		case "global_declaration":
			return assignment{until: end, value: -1}, true
		}
		return a, false
	}
	return a, false
}

// foreachAssignment says what a loop gives to a variable that is in its head.
func (b *binder) foreachAssignment(loop, from int32, part bool) (a assignment, ok bool) {
	list := b.First(loop)
	if from == list || b.Field(from) == "body" {
		return a, false
	}
	a = assignment{until: b.Nodes[from].Next, value: list, as: asElement}
	if part {
		a.as = asPart
	}
	return a, true
}
