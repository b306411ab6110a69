package cpp

import (
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// A kind says what a declaration declares.
type kind int

const (
	kindType     kind = iota // a class, a struct, a union or an enumeration, by its tag
	kindAlias                // a typedef or an alias of a type
	kindFunction             // methods too
	kindVariable             // fields and enumerators too
	kindNamespace
	kindMacro
	kindUsing // a name that using brings in
)

// A decl is one place where a thing is declared.
type decl struct {
	unit    *resolve.Unit
	kind    kind
	name    int32  // node, or -1
	node    int32  // what declares it, or -1
	called  string // the name of a namespace that a macro opens
	path    string // of the namespace or class that it is declared in
	spelled int32  // the name with its qualifiers, of what is defined outside of its class, or -1
	inner   string // path of what a type or namespace holds
	local   bool   // no other file can see it: static, in an unnamed namespace
	defines bool   // it has a body or a value
	member  bool   // of a class
	params  params // of functions
	symbol  *resolve.Symbol
}

// text is the name.
func (d *decl) text() string {
	if d.called != "" {
		return d.called
	}
	return d.unit.Text(d.name)
}

// A table is what one file declares where others may see it, and what it includes.
type table struct {
	unit     *resolve.Unit
	names    map[scopedName][]*decl
	nodes    map[int32]*decl           // by the node of the name
	types    map[int32]*decl           // by the node of the specifier
	inner    map[string][]*decl        // classes that have a body, by the path of what they hold
	paths    map[*resolve.Scope]string // of namespaces and classes
	hidden   map[*resolve.Scope]bool   // in an unnamed namespace
	template map[*resolve.Scope]bool   // holds the parameters of a template
	special  map[string][]*decl        // specializations, by the path of the template
	broken   map[*resolve.Scope]bool   // could not be read: what looks like a variable of the file may be a local
	owner    map[*resolve.Scope]*decl  // the function whose scope it is
	tags     map[string]bool           // named by struct x without a declaration
	usings   map[string][]int32        // using namespace, by the path of where it is
	includes []include
	macros   map[string][]*decl
	locals   map[*resolve.Symbol]*decl // types in functions
	regions  []region                  // in namespaces that macros open, outer ones first
	inRegion map[regionKey]*resolve.Scope
}

// An include is a line that includes a file.
type include struct {
	path   string
	angled bool
}

func isC(u *resolve.Unit) bool { return u.Lang == syntax.C }

// bind finds what each scope of a file declares.
func bind(r *resolve.Resolver, u *resolve.Unit) {
	u.Top = u.Open(resolve.ModuleScope, 0, nil)
	t := &table{
		unit: u, names: map[scopedName][]*decl{}, nodes: map[int32]*decl{}, types: map[int32]*decl{},
		inner: map[string][]*decl{}, special: map[string][]*decl{},
		paths: map[*resolve.Scope]string{u.Top: ""}, hidden: map[*resolve.Scope]bool{}, template: map[*resolve.Scope]bool{},
		broken: map[*resolve.Scope]bool{},
		owner:  map[*resolve.Scope]*decl{}, tags: map[string]bool{}, usings: map[string][]int32{},
		macros:   map[string][]*decl{},
		locals:   map[*resolve.Symbol]*decl{},
		inRegion: map[regionKey]*resolve.Scope{},
	}
	memoryOf(u).tables[u] = t
	t.findRegions(r)
	u.Walk(func(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
		return t.bindNode(r, u, t.regionAt(in, u.Nodes[n].Start), n)
	})
}

// join puts the parts of a path together.
func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "::" + name
}

// bindNode declares what a node declares, and returns the scope that it opens, if
// any.
func (t *table) bindNode(r *resolve.Resolver, u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	switch u.Kind(n) {
	case "preproc_include":
		text := strings.TrimSpace(u.Text(u.Child(n, "path")))
		if len(text) > 2 {
			t.includes = append(t.includes, include{text[1 : len(text)-1], text[0] == '<'})
		}
	case "preproc_def", "preproc_function_def":
		if name := u.Child(n, "name"); name >= 0 {
			d := &decl{unit: u, kind: kindMacro, name: name, node: n, spelled: -1, defines: true}
			t.macros[u.Text(name)] = append(t.macros[u.Text(name)], d)
			t.nodes[name] = d
		}
	case "namespace_definition":
		return t.bindNamespace(r, in, n)
	case "namespace_alias_definition":
		if name := u.Child(n, "name"); name >= 0 {
			t.declare(&decl{kind: kindNamespace, name: name, node: n, defines: true}, in)
		}
	case "using_declaration":
		t.bindUsing(in, n)
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier":
		return t.bindType(in, n)
	case "enumerator":
		t.bindEnumerator(in, n)
	case "template_declaration", "requires_expression", "ERROR":
		s := u.Open(resolve.BlockScope, n, in)
		t.template[s] = true
		t.broken[s] = u.Kind(n) == "ERROR"
		return s
	case "type_parameter_declaration", "variadic_type_parameter_declaration", "optional_type_parameter_declaration":
		u.DeclareAt(in, u.First(n, "type_identifier"), n)
	case "function_definition":
		return t.bindFunction(in, n)
	case "lambda_expression":
		return u.Open(resolve.FunctionScope, n, in)
	case "function_declarator", "abstract_function_declarator":
		if p := u.Parent(n); u.Kind(p) != "lambda_expression" && t.functionAround(n) < 0 {
			return u.Open(resolve.FunctionScope, n, in)
		}
	case "compound_statement":
		if u.Kind(u.Parent(n)) != "function_definition" {
			return u.Open(resolve.BlockScope, n, in)
		}
	case "for_statement", "for_range_loop", "if_statement", "while_statement", "switch_statement", "catch_clause":
		s := u.Open(resolve.BlockScope, n, in)
		if u.Kind(n) == "for_range_loop" {
			t.bindLocal(s, u.Child(n, "declarator"), n)
		}
		return s
	case "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
		t.bindLocal(in, u.Child(n, "declarator"), n)
	case "identifier":
		if u.Kind(u.Parent(n)) == "parameter_list" && in.Kind == resolve.FunctionScope { // K&R
			in.Declare(u.Text(n), n, n)
		}
	case "lambda_capture_initializer":
		u.DeclareAt(in, u.Child(n, "left"), n)
	case "declaration", "field_declaration", "type_definition":
		t.bindDeclaration(in, n)
	case "alias_declaration":
		if name := u.Child(n, "name"); name >= 0 {
			t.bindAlias(in, name, n)
		}
	}
	return nil
}

// functionAround returns the definition that a declarator is the head of, or -1.
func (t *table) functionAround(n int32) int32 {
	u := t.unit
	for at := u.Parent(n); at >= 0; n, at = at, u.Parent(at) {
		switch k := u.Kind(at); {
		case k == "function_definition" && u.Field(n) == "declarator":
			return at
		case !strings.HasSuffix(k, "_declarator"):
			return -1
		}
	}
	return -1
}

// home is the scope in which a declaration occurs, those of template parameters
// left out.
func (t *table) home(s *resolve.Scope) *resolve.Scope {
	for t.template[s] && s.Outer != nil {
		s = s.Outer
	}
	return s
}

// enclosingScope is the namespace or file around a scope.
func (t *table) enclosingScope(s *resolve.Scope) *resolve.Scope {
	for s.Kind != resolve.ModuleScope {
		s = s.Outer
	}
	return s
}

// declare adds a declaration to the scope in which it occurs.
func (t *table) declare(d *decl, in *resolve.Scope) {
	u := t.unit
	d.unit, d.spelled = u, -1
	s := t.home(in)
	if s.Kind == resolve.FunctionScope || s.Kind == resolve.BlockScope {
		t.declareLocal(d, s)
		return
	}
	d.path, d.member = t.paths[s], s.Kind == resolve.ClassScope
	d.local = d.local || t.hidden[s]
	t.nodes[d.name] = d
	key := scopedName{d.path, d.text()}
	t.names[key] = append(t.names[key], d)
}

// declareLocal adds a type, an alias or the like that is declared in a function.
func (t *table) declareLocal(d *decl, s *resolve.Scope) {
	y := s.Declare(d.text(), d.name, d.node)
	d.symbol, d.local = y, true
	d.path = join("("+t.unit.Path, number(s.Node)+")")
	t.locals[y] = d
}

func (t *table) bindNamespace(r *resolve.Resolver, in *resolve.Scope, n int32) *resolve.Scope {
	u := t.unit
	s := u.Open(resolve.ModuleScope, n, in)
	path := t.paths[t.home(in)]
	t.hidden[s] = t.hidden[t.home(in)]
	name := u.Child(n, "name")
	inline := strings.HasPrefix(u.Text(n), "inline")
	switch {
	case name < 0:
		t.hidden[s] = true
	default:
		parts := []int32{name}
		if u.Kind(name) == "nested_namespace_specifier" {
			parts = parts[:0]
			for i := name; i < u.Nodes[name].Next; i++ {
				if u.Kind(i) == "namespace_identifier" {
					parts = append(parts, i)
				}
			}
		}
		for _, p := range parts {
			called := spaceName(r, u, u.Text(p))
			inner := join(path, called)
			if inline {
				inner = path // what it holds is seen from outside
			}
			d := &decl{unit: u, kind: kindNamespace, name: p, node: n, path: path, inner: inner, spelled: -1,
				defines: true}
			key := scopedName{path, u.Text(p)}
			t.names[key] = append(t.names[key], d)
			if called != key.name {
				t.names[scopedName{path, called}] = append(t.names[scopedName{path, called}], d)
			}
			t.nodes[p] = d
			path = inner
		}
	}
	t.paths[s] = path
	return s
}

// bindUsing notes what using brings in.
func (t *table) bindUsing(in *resolve.Scope, n int32) {
	u := t.unit
	what := u.First(n, "identifier", "qualified_identifier")
	if what < 0 {
		return
	}
	if head := u.Source[u.Nodes[n].Start:u.Nodes[what].Start]; strings.Contains(head, "namespace") {
		path := t.paths[t.enclosingScope(in)]
		t.usings[path] = append(t.usings[path], what)
		return
	}
	leaf := nameOf(u, what)
	if leaf < 0 {
		return
	}
	s := t.home(in)
	if s.Kind != resolve.ModuleScope && s.Kind != resolve.ClassScope {
		s = t.enclosingScope(s)
	}
	key := scopedName{t.paths[s], u.Text(leaf)}
	d := &decl{unit: u, kind: kindUsing, name: leaf, node: n, path: key.path, spelled: what}
	t.names[key] = append(t.names[key], d)
}

// bindType declares a class, a struct, a union or an enumeration.
func (t *table) bindType(in *resolve.Scope, n int32) *resolve.Scope {
	u := t.unit
	name, body := u.Child(n, "name"), u.Child(n, "body")
	if name >= 0 && u.Kind(name) == "template_type" {
		name = u.Child(name, "name")
	}
	enum := u.Kind(n) == "enum_specifier"
	alone := strings.HasSuffix(u.Kind(u.Parent(n)), "declaration") && u.Child(u.Parent(n), "declarator") < 0 // struct x;
	if name >= 0 && body < 0 && u.Field(n) == "type" && !(alone && u.Kind(u.Parent(n)) != "parameter_declaration") {
		t.tags[u.Text(name)] = true
		return nil
	}
	d := &decl{unit: u, kind: kindType, name: name, node: n, defines: body >= 0, spelled: -1}
	s := t.home(in)
	if isC(u) && s.Kind == resolve.ClassScope {
		s = t.enclosingScope(s)
	}
	switch {
	case name < 0:
		d.path, d.local = t.paths[s], true
		d.inner = join(d.path, "("+u.Path+number(n)+")")
		p := u.Parent(n)
		if s.Kind == resolve.ClassScope && !enum && u.Kind(p) == "field_declaration" && u.Child(p, "declarator") < 0 {
			d.inner = d.path // an unnamed union: its fields are those of the class around
		}
	case u.Kind(name) == "qualified_identifier":
		leaf := nameOf(u, name)
		if leaf < 0 {
			return nil
		}
		d.path, d.name, d.spelled = t.paths[s], leaf, name
		d.inner = join(d.path, plainPath(u.Text(name)))
		t.nodes[leaf] = d
		t.specialize(d)
	case specialArguments(u, name) >= 0 && (s.Kind == resolve.ModuleScope || s.Kind == resolve.ClassScope):
		d.path, d.member, d.local, d.inner = t.paths[s], s.Kind == resolve.ClassScope, t.hidden[s], join(t.paths[s], u.Text(name))
		t.nodes[name] = d
		t.specialize(d)
	default:
		t.declare(d, s)
		d.inner = join(d.path, u.Text(name))
	}
	t.types[n] = d
	if body < 0 {
		return nil
	}
	t.inner[d.inner] = append(t.inner[d.inner], d)
	open := u.Open(resolve.ClassScope, n, in)
	t.paths[open] = d.inner
	t.hidden[open] = t.hidden[s] || s.Kind != resolve.ModuleScope && s.Kind != resolve.ClassScope
	return open
}

// specialize gives the specialization of a class template a path of its own.
func (t *table) specialize(d *decl) {
	args := specialArguments(t.unit, d.name)
	if args < 0 {
		return
	}
	template := d.inner
	d.inner += argumentsText(t.unit.Text(args))
	t.special[template] = append(t.special[template], d)
	key := scopedName{outerPath(d.inner), lastPart(d.inner)}
	t.names[key] = append(t.names[key], d)
}

// plainPath takes template arguments and spaces out of a::b<c>::d.
func plainPath(text string) string {
	var b strings.Builder
	depth := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth == 0 && c > ' ':
			b.WriteByte(c)
		}
	}
	return strings.Trim(b.String(), ":")
}

// bindEnumerator declares an enumerator, which is seen outside of an enumeration
// unless that is an enum class.
func (t *table) bindEnumerator(in *resolve.Scope, n int32) {
	u := t.unit
	name := u.Child(n, "name")
	if name < 0 {
		return
	}
	d := &decl{unit: u, kind: kindVariable, name: name, node: n, defines: true}
	enum := u.Around(n, "enum_specifier")
	scope := t.home(in)
	if enum < 0 || scope.Outer == nil {
		return
	}
	head := u.Text(enum)
	scoped := strings.HasPrefix(head, "enum class") || strings.HasPrefix(head, "enum struct")
	if scoped {
		t.declare(d, scope)
		return
	}
	outside := t.home(scope.Outer)
	if isC(u) && outside.Kind == resolve.ClassScope {
		outside = t.enclosingScope(outside)
	}
	t.declare(d, outside)
	key := scopedName{t.paths[scope], u.Text(name)}
	t.names[key] = append(t.names[key], d)
}

// bindFunction opens the scope of a function and declares it.
func (t *table) bindFunction(in *resolve.Scope, n int32) *resolve.Scope {
	u := t.unit
	s := u.Open(resolve.FunctionScope, n, in)
	d := t.declareFunction(in, u.Child(n, "declarator"), n)
	if d == nil {
		d = t.conversion(in, n)
	}
	if d != nil {
		d.defines = true
		t.owner[s] = d
	}
	return s
}

// conversion returns what A::operator T() {} defines, which has no name that could be asked
// for; nil where that is something else.
func (t *table) conversion(in *resolve.Scope, n int32) *decl {
	u := t.unit
	declarator := u.Child(n, "declarator")
	if u.Kind(declarator) != "qualified_identifier" {
		return nil
	}
	for i := declarator; i < u.Nodes[declarator].Next; i++ {
		if u.Kind(i) == "operator_cast" {
			constant := strings.HasSuffix(strings.TrimSpace(u.Source[u.Nodes[i].Start:u.Nodes[i].End]), "const")
			return &decl{
				unit: u, kind: kindFunction, name: i, node: n, path: t.paths[t.home(in)], spelled: declarator,
				params: params{constant: constant},
			}
		}
	}
	return nil
}

// declareFunction declares a function, which may be spelled with the class that it
// is defined outside of.
func (t *table) declareFunction(in *resolve.Scope, declarator, n int32) *decl {
	u := t.unit
	leaf, spelled := nameOf(u, declarator), int32(-1)
	if leaf < 0 {
		return nil
	}
	for at := leaf; at > declarator; at = u.Parent(at) {
		if u.Kind(at) == "qualified_identifier" {
			spelled = at
		}
	}
	d := &decl{unit: u, kind: kindFunction, name: leaf, node: n, params: paramsOf(u, declarator)}
	d.params.readTemplate(u, n, declarator, spelled)
	s := t.home(in)
	if u.Kind(u.Parent(n)) == "friend_declaration" || s.Kind == resolve.FunctionScope || s.Kind == resolve.BlockScope {
		s = t.enclosingScope(s)
	}
	d.local = s.Kind != resolve.ClassScope && hasWord(u, n, "static")
	if spelled >= 0 {
		d.spelled, d.path, d.local = spelled, t.paths[s], t.hidden[s]
		t.nodes[leaf] = d
		return d
	}
	if strings.HasPrefix(d.params.head, "<>") && s.Kind != resolve.FunctionScope && s.Kind != resolve.BlockScope {
		d.path, d.member, d.local, d.spelled = t.paths[s], s.Kind == resolve.ClassScope, d.local || t.hidden[s], -1
		t.nodes[leaf] = d // looking up its name finds the template
		return d
	}
	t.declare(d, s)
	return d
}

// hasWord reports whether one of the words before a declarator is the one given.
func hasWord(u *resolve.Unit, n int32, word string) bool {
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if u.Field(c) == "declarator" {
			return false
		}
		if u.Text(c) == word {
			return true
		}
	}
	return false
}

// bindLocal declares a parameter or a local variable.
func (t *table) bindLocal(s *resolve.Scope, declarator, n int32) {
	u := t.unit
	if declarator < 0 {
		return
	}
	for i := declarator; i < u.Nodes[declarator].Next; i++ {
		if u.Kind(i) == "structured_binding_declarator" {
			for c := range u.Children(i) {
				s.Declare(u.Text(c), c, n)
			}
			return
		}
	}
	if leaf := nameOf(u, declarator); leaf >= 0 && (u.Kind(leaf) == "identifier" || u.Kind(leaf) == "field_identifier") {
		s.Declare(u.Text(leaf), leaf, n)
	}
}

// bindDeclaration declares the variables, fields, functions or types of a
// declaration.
func (t *table) bindDeclaration(in *resolve.Scope, n int32) {
	u := t.unit
	alias := u.Kind(n) == "type_definition"
	s := t.home(in)
	inFunction := s.Kind == resolve.FunctionScope || s.Kind == resolve.BlockScope
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if u.Field(c) != "declarator" {
			continue
		}
		leaf := nameOf(u, c)
		switch {
		case leaf < 0:
			if inFunction {
				t.bindLocal(s, c, n)
			}
		case alias:
			t.bindAlias(in, leaf, n)
		case declaresFunction(u, c, leaf) && !(inFunction && constructs(u, c)):
			if d := t.declareFunction(in, c, n); d != nil {
				d.defines = false
			}
		case inFunction && !hasWord(u, n, "extern"):
			t.bindLocal(s, c, n)
		default:
			t.bindVariable(in, c, leaf, n)
		}
	}
}

func (t *table) bindVariable(in *resolve.Scope, declarator, leaf, n int32) {
	u := t.unit
	s := t.home(in)
	if s.Kind == resolve.FunctionScope || s.Kind == resolve.BlockScope {
		s = t.enclosingScope(s)
	}
	if t.broken[in] && s.Kind == resolve.ModuleScope && !hasWord(u, n, "extern") && !hasWord(u, n, "static") {
		in.Declare(u.Text(leaf), leaf, n)
		return
	}
	d := &decl{unit: u, kind: kindVariable, name: leaf, node: n}
	d.defines = !hasWord(u, n, "extern") && s.Kind != resolve.ClassScope
	constant := !isC(u) && !isHeader(u.Path) && hasWord(u, n, "const") && !hasWord(u, n, "extern")
	d.local = s.Kind != resolve.ClassScope && (hasWord(u, n, "static") || constant)
	spelled := int32(-1)
	for at := leaf; at >= declarator; at = u.Parent(at) {
		if u.Kind(at) == "qualified_identifier" {
			spelled = at
		}
	}
	if spelled >= 0 {
		d.unit, d.spelled, d.path = u, spelled, t.paths[s]
		t.nodes[leaf] = d
		return
	}
	t.declare(d, s)
}

func (t *table) bindAlias(in *resolve.Scope, name, n int32) {
	t.declare(&decl{kind: kindAlias, name: name, node: n, defines: true}, in)
}

// nameOf returns the node of the name in a declarator or a qualified name, or -1.
func nameOf(u *resolve.Unit, n int32) int32 {
	for n >= 0 {
		switch k := u.Kind(n); k {
		case "identifier", "field_identifier", "type_identifier", "namespace_identifier", "operator_name", "destructor_name":
			return n
		case "primitive_type":
			return -1
		case "qualified_identifier", "template_function", "template_type", "template_method":
			n = u.Child(n, "name")
		case "operator_cast", "structured_binding_declarator":
			return -1
		case "dependent_name", "dependent_type":
			n = u.First(n)
		default:
			if !strings.HasSuffix(k, "_declarator") {
				return -1
			}
			if inner := u.Child(n, "declarator"); inner >= 0 {
				n = inner
				continue
			}
			next := int32(-1)
			for c := range u.Children(n) {
				if k := u.Kind(c); k != "type_qualifier" && !strings.HasPrefix(k, "ms_") && !strings.HasPrefix(k, "attribute") {
					next = c
					break
				}
			}
			n = next
		}
	}
	return -1
}

// declaresFunction reports whether the declarator of a name is that of a function,
// and not that of a pointer to one.
func declaresFunction(u *resolve.Unit, declarator, leaf int32) bool {
	for at := u.Parent(leaf); at >= declarator; at = u.Parent(at) {
		switch u.Kind(at) {
		case "function_declarator":
			return true
		case "qualified_identifier", "template_function", "parenthesized_declarator":
			continue
		}
		return false
	}
	return false
}

// constructs reports whether what looks like a function in a block is a variable
// that is made of arguments: Lock guard(mutex).
func constructs(u *resolve.Unit, declarator int32) bool {
	if isC(u) {
		return false
	}
	list := int32(-1)
	for i := declarator; i < u.Nodes[declarator].Next && list < 0; i++ {
		if u.Kind(i) == "parameter_list" {
			list = i
		}
	}
	for p := range u.Children(list) {
		if k := u.Kind(u.Child(p, "type")); u.Child(p, "declarator") >= 0 || k == "primitive_type" || k == "" {
			return false
		}
	}
	return u.First(list) >= 0
}
