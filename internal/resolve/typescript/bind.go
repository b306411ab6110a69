package typescript

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// static marks the names of members of a class itself, of an enumeration and
// of a namespace, which share a table with those of instances.
const static = "static\x00"

// Names under which signatures without a name are kept.
const (
	callSignature = "()"
	newSignature  = "new()"
)

// bind finds what each scope of a JavaScript or TypeScript file declares.
func bind(u *resolve.Unit) {
	u.Top = u.Open(resolve.ModuleScope, 0, nil)
	u.Exports = &resolve.Scope{Kind: resolve.ModuleScope, Unit: u, Names: map[string]*resolve.Symbol{}}
	u.Members = map[int32]*resolve.Scope{}
	u.Walk(bindNode)
	for i := range u.Nodes {
		if u.Kind(int32(i)) == "export_statement" {
			bindExport(u, int32(i))
		}
	}
	bindAssignments(u)
	bindDocs(u)
}

// bindNode declares what a node declares, and returns the scope that it
// opens, if any.
func bindNode(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	switch u.Kind(n) {
	case "function_declaration", "generator_function_declaration", "function_signature":
		u.DeclareAt(in, u.Child(n, "name"), n)
		return u.Open(resolve.FunctionScope, n, in)
	case "function_expression", "generator_function", "function", "arrow_function":
		s := u.Open(resolve.FunctionScope, n, aroundNamed(u, in, n))
		u.DeclareAt(s, u.Child(n, "parameter"), u.Child(n, "parameter"))
		return s
	case "class_declaration", "abstract_class_declaration", "class", "interface_declaration", "enum_declaration",
		"internal_module", "module":
		return bindOwner(u, in, n)
	case "type_alias_declaration":
		u.DeclareAt(in, u.Child(n, "name"), n)
		return u.Open(resolve.TypeScope, n, in)
	case "method_definition", "method_signature", "abstract_method_signature", "public_field_definition",
		"field_definition", "property_signature",
		"call_signature", "construct_signature", "pair", "shorthand_property_identifier", "enum_assignment":
		return bindMember(u, in, n)
	case "property_identifier", "string":
		if p := u.Parent(n); u.Kind(p) == "enum_body" {
			declareAs(memberScope(u, p), static+resolve.Unquote(u.Text(n)), resolve.Unquote(u.Text(n)), n, n)
		}
	case "function_type", "constructor_type":
		return u.Open(resolve.FunctionScope, n, in)
	case "conditional_type":
		return u.Open(resolve.TypeScope, n, in)
	case "object_type":
		if m := u.First(n, "index_signature"); m >= 0 && u.First(m, "mapped_type_clause") >= 0 {
			return u.Open(resolve.TypeScope, n, in)
		}
	case "statement_block", "for_statement", "for_in_statement", "switch_body", "catch_clause":
		bindBlock(u, in, n)
		if k := u.Kind(u.Parent(n)); u.Kind(n) == "statement_block" && (u.Field(n) == "body" && u.Scopes[u.Parent(n)] == in || k == "catch_clause") {
			return nil // a function's body shares its scope
		}
		s := u.Open(resolve.BlockScope, n, in)
		bindBlock(u, s, n)
		return s
	default:
		bindName(u, in, n)
	}
	return nil
}

// aroundNamed returns the scope around a function that is an expression. Its name is known
// to itself alone, and a parameter or a variable of that name is another thing.
func aroundNamed(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	name := u.Child(n, "name")
	if name < 0 {
		return in
	}
	s := &resolve.Scope{Kind: resolve.BlockScope, Node: n, Outer: in, Unit: u, Names: map[string]*resolve.Symbol{}}
	s.Declare(u.Text(name), name, n)
	return s
}

// bindBlock declares the variable of a loop or of a catch clause, once the
// scope is there.
func bindBlock(u *resolve.Unit, s *resolve.Scope, n int32) {
	if s.Node != n {
		return
	}
	switch u.Kind(n) {
	case "catch_clause":
		bindPattern(u, s, u.Child(n, "parameter"), n)
	case "for_in_statement":
		if u.Child(n, "kind") >= 0 {
			to := s
			if u.Text(u.Child(n, "kind")) == "var" {
				to = functionOf(s)
			}
			bindPattern(u, to, u.Child(n, "left"), n)
		}
	}
}

// bindName declares variables, parameters, type parameters and imports.
func bindName(u *resolve.Unit, in *resolve.Scope, n int32) {
	switch u.Kind(n) {
	case "variable_declarator":
		to := in
		if u.Kind(u.Parent(n)) == "variable_declaration" {
			to = functionOf(in)
		}
		bindPattern(u, to, u.Child(n, "name"), n)
	case "required_parameter", "optional_parameter":
		pattern := u.Child(n, "pattern")
		bindPattern(u, in, pattern, n)
		if u.Kind(pattern) == "identifier" && (u.First(n, "accessibility_modifier", "override_modifier") >= 0 || strings.Contains(u.Source[u.Nodes[n].Start:u.Nodes[pattern].Start], "readonly")) {
			bindParameterProperty(u, in, pattern)
		}
	case "formal_parameters":
		bindShapes(u, n)
		for c := range u.Children(n) { // JavaScript has bare patterns
			if k := u.Kind(c); k != "required_parameter" && k != "optional_parameter" {
				bindPattern(u, in, c, c)
			}
		}
	case "type_parameter", "mapped_type_clause":
		u.DeclareAt(in, u.Child(n, "name"), n)
	case "infer_type":
		u.DeclareAt(in, u.First(n, "type_identifier"), n)
	case "import_specifier":
		name := u.Child(n, "alias")
		if name < 0 {
			name = u.Child(n, "name")
		}
		in.Declare(u.Text(name), name, n)
	case "namespace_import", "import_require_clause", "import_alias", "import_clause":
		u.DeclareAt(in, u.First(n, "identifier"), n)
	}
}

// bindShapes declares what parameters that are taken apart ask of their arguments: f({a, b}).
func bindShapes(u *resolve.Unit, list int32) {
	for p := range u.Children(list) {
		pattern := destructuredPattern(u, p)
		if pattern < 0 {
			continue
		}
		s := memberScope(u, pattern)
		for c := range u.Children(pattern) {
			name := c
			switch u.Kind(c) {
			case "object_assignment_pattern":
				name = u.Child(c, "left")
			case "pair_pattern":
				name = u.Child(c, "key")
			}
			switch u.Kind(name) {
			case "shorthand_property_identifier_pattern", "property_identifier", "string":
				word := resolve.Unquote(u.Text(name))
				s.Names[word] = &resolve.Symbol{Name: word, Unit: u, Scope: s,
					Decls: []resolve.Decl{{Name: name, Node: name}}}
			}
		}
	}
}

// destructuredPattern returns the pattern of an object that a parameter without a type is, or -1.
// A value that it has by default tells its type, unless that is a literal.
func destructuredPattern(u *resolve.Unit, p int32) int32 {
	pattern := p
	switch u.Kind(p) {
	case "required_parameter", "optional_parameter":
		if u.Child(p, "type") >= 0 {
			return -1
		}
		pattern = u.Child(p, "pattern")
	case "assignment_pattern":
		pattern = u.Child(p, "left")
	}
	if without := byDefault(u, p); u.Kind(pattern) != "object_pattern" || without >= 0 && u.Kind(without) != "object" {
		return -1
	}
	return pattern
}

// byDefault returns what a parameter is where it is not given, or -1.
func byDefault(u *resolve.Unit, p int32) int32 {
	if u.Kind(p) == "assignment_pattern" {
		return u.Child(p, "right")
	}
	return u.Child(p, "value")
}

// functionOf returns the scope to which var belongs.
func functionOf(s *resolve.Scope) *resolve.Scope {
	for s.Kind == resolve.BlockScope && s.Outer != nil {
		s = s.Outer
	}
	return s
}

// bindPattern declares the names of a pattern.
func bindPattern(u *resolve.Unit, s *resolve.Scope, pattern, node int32) {
	if pattern < 0 {
		return
	}
	for i := pattern; i < u.Nodes[pattern].Next; {
		switch u.Kind(i) {
		case "identifier", "shorthand_property_identifier_pattern":
			s.Declare(u.Text(i), i, node)
			i = u.Nodes[i].Next
		case "object_assignment_pattern", "assignment_pattern":
			left := u.Child(i, "left")
			bindPattern(u, s, left, node)
			i = u.Nodes[i].Next
		case "pair_pattern":
			bindPattern(u, s, u.Child(i, "value"), node)
			i = u.Nodes[i].Next
		case "object_pattern", "array_pattern", "rest_pattern":
			i++
		default:
			i = u.Nodes[i].Next
		}
	}
}

// bindOwner declares a class, an interface, an enumeration or a namespace,
// and makes the table of its members.
func bindOwner(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	name, body := u.Child(n, "name"), u.Child(n, "body")
	k := u.Kind(n)
	s := u.Open(resolve.TypeScope, n, in)
	if k == "internal_module" || k == "module" {
		s.Kind = resolve.BlockScope
	}
	var y *resolve.Symbol
	switch {
	case name >= 0 && k == "class" && u.Kind(u.Parent(n)) != "export_statement":
		y = s.Declare(u.Text(name), name, n) // an expression: known to itself
	case name >= 0 && u.Kind(name) != "string":
		y = in.Declare(u.Text(name), name, n)
	default:
		y = &resolve.Symbol{Name: "", Unit: u, Scope: in, Decls: []resolve.Decl{{Name: n, Node: n}}}
	}
	if y.Inner == nil {
		y.Inner = &resolve.Scope{Kind: resolve.ClassScope, Node: n, Outer: in, Unit: u,
			Names: map[string]*resolve.Symbol{}, Class: y}
	}
	u.Members[body], u.Members[n] = y.Inner, y.Inner
	return s
}

// memberScope returns the table of the members of a body, or of a literal.
func memberScope(u *resolve.Unit, body int32) *resolve.Scope {
	s := u.Members[body]
	if s == nil {
		s = &resolve.Scope{Kind: resolve.ClassScope, Node: body, Unit: u, Names: map[string]*resolve.Symbol{}}
		u.Members[body] = s
	}
	return s
}

// declareAs is declare with a name of another spelling in the table.
func declareAs(s *resolve.Scope, key, name string, at, node int32) *resolve.Symbol {
	y := s.Names[key]
	if y == nil {
		y = &resolve.Symbol{Name: name, Unit: s.Unit, Scope: s}
		s.Names[key] = y
	}
	y.AddDecl(resolve.Decl{Name: at, Node: node})
	s.Unit.Owner[at] = y
	return y
}

// bindMember declares a member, and returns the scope of its parameters.
func bindMember(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	body := u.Parent(n)
	k := u.Kind(n)
	if k == "shorthand_property_identifier" {
		if u.Kind(body) == "object" {
			declareAs(memberScope(u, body), u.Text(n), u.Text(n), n, n)
		}
		return nil
	}
	name := u.Child(n, "name")
	switch k {
	case "pair":
		name = u.Child(n, "key")
	case "field_definition":
		name = u.Child(n, "property")
	case "call_signature":
		declareAs(memberScope(u, body), callSignature, callSignature, n, n)
	case "construct_signature":
		declareAs(memberScope(u, body), newSignature, newSignature, n, n)
	}
	switch u.Kind(name) {
	case "property_identifier", "private_property_identifier", "string", "number":
		word := resolve.Unquote(u.Text(name))
		key := word
		head := u.Source[u.Nodes[n].Start:u.Nodes[name].Start]
		if k == "enum_assignment" || slices.Contains(strings.Fields(head), "static") {
			key = static + word
		}
		declareAs(memberScope(u, body), key, word, name, n)
	case "computed_property_name":
		if key := computedKey(in, u.First(name)); key != "" {
			declareAs(memberScope(u, body), key, key, name, n)
		}
	}
	switch k {
	case "pair", "enum_assignment", "property_signature", "public_field_definition", "field_definition":
		return nil
	}
	return u.Open(resolve.FunctionScope, n, in)
}

// computedKey is the name in a table of a member whose name is a constant of a module, often
// a symbol: [KEY]. It is "" for what is no such name.
func computedKey(in *resolve.Scope, name int32) string {
	u := in.Unit
	if u.Kind(name) != "identifier" {
		return ""
	}
	for s := in; s != nil; s = s.Outer {
		if s.Names[u.Text(name)] != nil && s.Kind != resolve.ModuleScope {
			return ""
		}
	}
	return "[" + u.Text(name) + "]"
}

// bindParameterProperty makes a parameter of a constructor a member too.
func bindParameterProperty(u *resolve.Unit, in *resolve.Scope, name int32) {
	body := u.Parent(in.Node)
	if u.Kind(in.Node) != "method_definition" || u.Members[body] == nil {
		return
	}
	members := u.Members[body]
	y := u.Owner[name]
	if old := members.Names[y.Name]; old != nil {
		old.AddDecl(y.Decls...)
		u.Owner[name], in.Names[y.Name] = old, old
		return
	}
	members.Names[y.Name] = y
	y.Scope = members
}

// bindExport notes what an export statement offers.
func bindExport(u *resolve.Unit, n int32) {
	at := u.Exports
	if s := u.ScopeAt(u.Parent(n)); s != u.Top && s.Kind == resolve.BlockScope { // of a namespace
		if m := u.Members[s.Node]; m != nil {
			exportTo(u, m, n, static)
			return
		}
	}
	exportTo(u, at, n, "")
}

// exportDeclared offers what an export statement declares, under a name of its own or
// as the default.
func exportDeclared(u *resolve.Unit, at *resolve.Scope, n, d int32, mark string, offer func(string, *resolve.Symbol)) {
	isDefault := strings.HasPrefix(strings.TrimSpace(u.Text(n)[len("export"):]), "default")
	if u.Kind(d) == "ambient_declaration" {
		d = u.First(d)
	}
	declares := func(i int32) bool {
		return i == d || u.Kind(d) == "lexical_declaration" || u.Kind(d) == "variable_declaration"
	}
	for i := d; i < u.Nodes[n].Next && declares(i); i++ {
		for _, name := range []int32{i, u.Child(i, "name")} {
			y := u.Owner[name]
			switch {
			case y == nil || y.Decls[0].Name < 0 || y.Scope != u.Top && (mark == "" || y.Scope == nil):
			case isDefault:
				offer("default", y)
			default:
				offer(y.Name, y)
			}
		}
	}
	if isDefault && u.Members[d] != nil && at.Names["default"] == nil {
		offer("default", u.Members[d].Class)
	}
}

func exportTo(u *resolve.Unit, at *resolve.Scope, n int32, mark string) {
	source := u.Child(n, "source")
	offer := func(name string, y *resolve.Symbol) {
		if y != nil && at.Names[mark+name] == nil {
			at.Names[mark+name] = y
		}
	}
	if d := u.Child(n, "declaration"); d >= 0 {
		exportDeclared(u, at, n, d, mark, offer)
		return
	}
	if v := u.Child(n, "value"); v >= 0 {
		offer("default", &resolve.Symbol{Name: "default", Unit: u, Scope: at, Decls: []resolve.Decl{{Name: v, Node: n}}})
		return
	}
	for c := range u.Children(n) {
		switch u.Kind(c) {
		case "export_clause":
			for e := range u.Children(c) {
				name := u.Child(e, "alias")
				if name < 0 {
					name = u.Child(e, "name")
				}
				y := &resolve.Symbol{Name: u.Text(name), Unit: u, Scope: at,
					Decls: []resolve.Decl{{Name: name, Node: e}}}
				u.Owner[name] = y
				offer(resolve.Unquote(u.Text(name)), y)
			}
		case "namespace_export":
			name := u.First(c)
			y := &resolve.Symbol{Name: u.Text(name), Unit: u, Scope: at, Decls: []resolve.Decl{{Name: name, Node: c}}}
			u.Owner[name] = y
			offer(y.Name, y)
			return
		case "identifier": // export = x
			y := &resolve.Symbol{Name: "default", Unit: u, Scope: at, Decls: []resolve.Decl{{Name: c, Node: n}}}
			offer("default", y)
			if at == u.Exports {
				offer(exportsAll, y) // what require gives
			}
			return
		}
	}
	if source >= 0 && u.First(n, "export_clause", "namespace_export") < 0 {
		at.Stars = append(at.Stars, n)
	}
}
