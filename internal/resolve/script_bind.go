package resolve

import (
	"slices"
	"strings"
)

// static marks the names of members of a class itself, of an enumeration and
// of a namespace, which share a table with those of instances.
const static = "static\x00"

// Names under which signatures without a name are kept.
const (
	callSignature = "()"
	newSignature  = "new()"
)

// bindScript finds what each scope of a JavaScript or TypeScript file
// declares. It goes over the nodes once, in the order of the source, and
// recurses on nothing.
func bindScript(u *unit) {
	u.top = u.open(moduleScope, 0, nil)
	u.exports = &scope{kind: moduleScope, unit: u, names: map[string]*symbol{}}
	u.members = map[int32]*scope{}
	open := []*scope{u.top}
	for i := range u.nodes {
		n := int32(i)
		for len(open) > 1 && n >= u.nodes[open[len(open)-1].node].Next {
			open = open[:len(open)-1]
		}
		if s := u.bindScriptNode(open[len(open)-1], n); s != nil {
			open = append(open, s)
		}
	}
	for i := range u.nodes {
		if u.kind(int32(i)) == "export_statement" {
			u.bindExport(int32(i))
		}
	}
}

// bindScriptNode declares what a node declares, and returns the scope that it
// opens, if any.
func (u *unit) bindScriptNode(in *scope, n int32) *scope {
	switch u.kind(n) {
	case "function_declaration", "generator_function_declaration", "function_signature":
		if name := u.child(n, "name"); name >= 0 {
			in.declare(u.of(name), name, n)
		}
		return u.open(functionScope, n, in)
	case "function_expression", "generator_function", "function", "arrow_function":
		s := u.open(functionScope, n, in)
		if name := u.child(n, "name"); name >= 0 {
			s.declare(u.of(name), name, n)
		}
		if p := u.child(n, "parameter"); p >= 0 {
			s.declare(u.of(p), p, p)
		}
		return s
	case "class_declaration", "abstract_class_declaration", "class", "interface_declaration", "enum_declaration", "internal_module", "module":
		return u.bindOwner(in, n)
	case "type_alias_declaration":
		if name := u.child(n, "name"); name >= 0 {
			in.declare(u.of(name), name, n)
		}
		return u.open(typeScope, n, in)
	case "method_definition", "method_signature", "abstract_method_signature", "public_field_definition", "field_definition", "property_signature",
		"call_signature", "construct_signature", "pair", "shorthand_property_identifier", "enum_assignment":
		return u.bindMember(in, n)
	case "property_identifier", "string":
		if p := u.parent(n); u.kind(p) == "enum_body" {
			u.memberScope(p).declareAs(static+unquote(u.of(n)), unquote(u.of(n)), n, n)
		}
	case "function_type", "constructor_type":
		return u.open(functionScope, n, in)
	case "conditional_type":
		return u.open(typeScope, n, in)
	case "object_type":
		if m := u.first(n, "index_signature"); m >= 0 && u.first(m, "mapped_type_clause") >= 0 {
			return u.open(typeScope, n, in)
		}
	case "statement_block", "for_statement", "for_in_statement", "switch_body", "catch_clause":
		u.bindBlock(in, n)
		if k := u.kind(u.parent(n)); u.kind(n) == "statement_block" && (u.field(n) == "body" && u.scopes[u.parent(n)] == in || k == "catch_clause") {
			return nil // a function's body shares its scope
		}
		s := u.open(blockScope, n, in)
		u.bindBlock(s, n)
		return s
	default:
		u.bindName(in, n)
	}
	return nil
}

// bindBlock declares the variable of a loop or of a catch clause, once the
// scope is there.
func (u *unit) bindBlock(s *scope, n int32) {
	if s.node != n {
		return
	}
	switch u.kind(n) {
	case "catch_clause":
		u.bindPattern(s, u.child(n, "parameter"), n)
	case "for_in_statement":
		if u.child(n, "kind") >= 0 {
			to := s
			if u.of(u.child(n, "kind")) == "var" {
				to = functionOf(s)
			}
			u.bindPattern(to, u.child(n, "left"), n)
		}
	}
}

// bindName declares variables, parameters, type parameters and imports.
func (u *unit) bindName(in *scope, n int32) {
	switch u.kind(n) {
	case "variable_declarator":
		to := in
		if u.kind(u.parent(n)) == "variable_declaration" {
			to = functionOf(in)
		}
		u.bindPattern(to, u.child(n, "name"), n)
	case "required_parameter", "optional_parameter":
		pattern := u.child(n, "pattern")
		u.bindPattern(in, pattern, n)
		if u.kind(pattern) == "identifier" && (u.first(n, "accessibility_modifier", "override_modifier") >= 0 || strings.Contains(u.text[u.nodes[n].Start:u.nodes[pattern].Start], "readonly")) {
			u.bindParameterProperty(in, pattern)
		}
	case "formal_parameters":
		for c := range u.children(n) { // JavaScript has bare patterns
			if k := u.kind(c); k != "required_parameter" && k != "optional_parameter" {
				u.bindPattern(in, c, c)
			}
		}
	case "type_parameter":
		if name := u.child(n, "name"); name >= 0 {
			in.declare(u.of(name), name, n)
		}
	case "mapped_type_clause":
		if name := u.child(n, "name"); name >= 0 {
			in.declare(u.of(name), name, n)
		}
	case "infer_type":
		if name := u.first(n, "type_identifier"); name >= 0 {
			in.declare(u.of(name), name, n)
		}
	case "import_specifier":
		name := u.child(n, "alias")
		if name < 0 {
			name = u.child(n, "name")
		}
		in.declare(u.of(name), name, n)
	case "namespace_import", "import_require_clause", "import_alias":
		if name := u.first(n, "identifier"); name >= 0 {
			in.declare(u.of(name), name, n)
		}
	case "import_clause":
		if name := u.first(n, "identifier"); name >= 0 {
			in.declare(u.of(name), name, n)
		}
	}
}

// functionOf returns the scope to which var belongs.
func functionOf(s *scope) *scope {
	for s.kind == blockScope && s.outer != nil {
		s = s.outer
	}
	return s
}

// bindPattern declares the names of a pattern.
func (u *unit) bindPattern(s *scope, pattern, node int32) {
	if pattern < 0 {
		return
	}
	for i := pattern; i < u.nodes[pattern].Next; {
		switch u.kind(i) {
		case "identifier", "shorthand_property_identifier_pattern":
			s.declare(u.of(i), i, node)
			i = u.nodes[i].Next
		case "object_assignment_pattern", "assignment_pattern":
			left := u.child(i, "left")
			u.bindPattern(s, left, node)
			i = u.nodes[i].Next
		case "pair_pattern":
			u.bindPattern(s, u.child(i, "value"), node)
			i = u.nodes[i].Next
		case "object_pattern", "array_pattern", "rest_pattern":
			i++
		default:
			i = u.nodes[i].Next
		}
	}
}

// bindOwner declares a class, an interface, an enumeration or a namespace,
// and makes the table of its members.
func (u *unit) bindOwner(in *scope, n int32) *scope {
	name, body := u.child(n, "name"), u.child(n, "body")
	k := u.kind(n)
	s := u.open(typeScope, n, in)
	if k == "internal_module" || k == "module" {
		s.kind = blockScope
	}
	var y *symbol
	switch {
	case name >= 0 && k == "class" && u.kind(u.parent(n)) != "export_statement":
		y = s.declare(u.of(name), name, n) // an expression: known to itself
	case name >= 0 && u.kind(name) != "string":
		y = in.declare(u.of(name), name, n)
	default:
		y = &symbol{name: "", unit: u, scope: in, decls: []decl{{name: n, node: n}}}
	}
	if y.inner == nil {
		y.inner = &scope{kind: classScope, node: n, outer: in, unit: u, names: map[string]*symbol{}, class: y}
	}
	u.members[body], u.members[n] = y.inner, y.inner
	return s
}

// memberScope returns the table of the members of a body, or of a literal.
func (u *unit) memberScope(body int32) *scope {
	s := u.members[body]
	if s == nil {
		s = &scope{kind: classScope, node: body, unit: u, names: map[string]*symbol{}}
		u.members[body] = s
	}
	return s
}

// declareAs is declare with a name of another spelling in the table.
func (s *scope) declareAs(key, name string, at, node int32) *symbol {
	y := s.names[key]
	if y == nil {
		y = &symbol{name: name, unit: s.unit, scope: s}
		s.names[key] = y
	}
	y.decls = append(y.decls, decl{name: at, node: node})
	s.unit.owner[at] = y
	return y
}

// bindMember declares a member, and returns the scope of its parameters.
func (u *unit) bindMember(in *scope, n int32) *scope {
	body := u.parent(n)
	k := u.kind(n)
	if k == "shorthand_property_identifier" {
		if u.kind(body) == "object" {
			u.memberScope(body).declareAs(u.of(n), u.of(n), n, n)
		}
		return nil
	}
	name := u.child(n, "name")
	switch k {
	case "pair":
		name = u.child(n, "key")
	case "field_definition":
		name = u.child(n, "property")
	case "call_signature":
		u.memberScope(body).declareAs(callSignature, callSignature, n, n)
	case "construct_signature":
		u.memberScope(body).declareAs(newSignature, newSignature, n, n)
	}
	switch u.kind(name) {
	case "property_identifier", "private_property_identifier", "string", "number":
		word := unquote(u.of(name))
		key := word
		head := u.text[u.nodes[n].Start:u.nodes[name].Start]
		if k == "enum_assignment" || slices.Contains(strings.Fields(head), "static") {
			key = static + word
		}
		u.memberScope(body).declareAs(key, word, name, n)
	}
	switch k {
	case "pair", "enum_assignment", "property_signature", "public_field_definition", "field_definition":
		return nil
	}
	return u.open(functionScope, n, in)
}

// bindParameterProperty makes a parameter of a constructor a member too.
func (u *unit) bindParameterProperty(in *scope, name int32) {
	body := u.parent(in.node)
	if u.kind(in.node) != "method_definition" || u.members[body] == nil {
		return
	}
	members := u.members[body]
	y := u.owner[name]
	if old := members.names[y.name]; old != nil {
		old.decls = append(old.decls, y.decls...)
		u.owner[name], in.names[y.name] = old, old
		return
	}
	members.names[y.name] = y
	y.scope = members
}

// bindExport notes what an export statement offers.
func (u *unit) bindExport(n int32) {
	at := u.exports
	if s := u.scopeAt(u.parent(n)); s != u.top && s.kind == blockScope { // of a namespace
		if m := u.members[s.node]; m != nil {
			u.exportTo(m, n, static)
			return
		}
	}
	u.exportTo(at, n, "")
}

func (u *unit) exportTo(at *scope, n int32, mark string) {
	source := u.child(n, "source")
	offer := func(name string, y *symbol) {
		if y != nil && at.names[mark+name] == nil {
			at.names[mark+name] = y
		}
	}
	if d := u.child(n, "declaration"); d >= 0 {
		isDefault := strings.HasPrefix(strings.TrimSpace(u.of(n)[len("export"):]), "default")
		if u.kind(d) == "ambient_declaration" {
			d = u.first(d)
		}
		for i := d; i < u.nodes[n].Next && (i == d || u.kind(d) == "lexical_declaration" || u.kind(d) == "variable_declaration"); i++ {
			for _, name := range []int32{i, u.child(i, "name")} {
				if y := u.owner[name]; y != nil && (y.scope == u.top || mark != "" && y.scope != nil) && y.decls[0].name >= 0 {
					if isDefault {
						offer("default", y)
					} else {
						offer(y.name, y)
					}
				}
			}
		}
		if isDefault && u.members[d] != nil && at.names["default"] == nil {
			offer("default", u.members[d].class)
		}
		return
	}
	if v := u.child(n, "value"); v >= 0 {
		offer("default", &symbol{name: "default", unit: u, scope: at, decls: []decl{{name: v, node: n}}})
		return
	}
	for c := range u.children(n) {
		switch u.kind(c) {
		case "export_clause":
			for e := range u.children(c) {
				name := u.child(e, "alias")
				if name < 0 {
					name = u.child(e, "name")
				}
				y := &symbol{name: u.of(name), unit: u, scope: at, decls: []decl{{name: name, node: e}}}
				u.owner[name] = y
				offer(unquote(u.of(name)), y)
			}
		case "namespace_export":
			name := u.first(c)
			y := &symbol{name: u.of(name), unit: u, scope: at, decls: []decl{{name: name, node: c}}}
			u.owner[name] = y
			offer(y.name, y)
			return
		case "identifier": // export = x
			offer("default", &symbol{name: "default", unit: u, scope: at, decls: []decl{{name: c, node: n}}})
			return
		}
	}
	if source >= 0 && u.first(n, "export_clause", "namespace_export") < 0 {
		at.stars = append(at.stars, n)
	}
}
