package syntax

import (
	"maps"
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// specCPP is the row of the language.
var specCPP = &spec{name: CPP, rules: &cppRules, repair: repairC, misfit: repairMacros}

var cppRules = rules{
	grammar: "cpp",
	names: merged(cNames, map[string]use{
		"namespace_identifier": asRead,
		"destructor_name":      asRead | member,
		"operator_name":        asRead,
	}),
	flow: merged(cFlow, map[string]use{
		"parameter_declaration.declarator":          asParam,
		"optional_parameter_declaration.declarator": asParam,
		"variadic_parameter_declaration.declarator": asParam,
		"type_parameter_declaration":                asParam,
		"variadic_type_parameter_declaration":       asParam,
		"optional_type_parameter_declaration.name":  asParam,

		"reference_declarator":             handOn,
		"variadic_declarator":              handOn,
		"structured_binding_declarator":    asBind,
		"for_range_loop.declarator":        asBind,
		"lambda_capture_initializer.left":  asBind,
		"qualified_identifier.name":        handOn | member,
		"qualified_identifier.scope":       asRead,
		"template_function.name":           handOn,
		"template_method.name":             handOn | member,
		"template_type.name":               handOn,
		"dependent_name":                   handOn,
		"dependent_type":                   handOn,
		"new_expression.type":              asCall,
		"compound_literal_expression.type": asCall,
		"using_declaration":                asImport,
		"field_initializer":                asWrite | member,
		"base_class_clause":                asType,
		"subscript_expression.argument":    handOn,
	}),
	through: cThrough,
	splits:  append(cSplits[:len(cSplits):len(cSplits)], split{"class_specifier", []string{"field_declaration_list"}}),
	decls: append(cDecls[:len(cDecls):len(cDecls)],
		decl{node: "class_specifier:field_declaration_list", kind: Class, name: "name", body: "body", opens: classScope},
		decl{node: "namespace_definition", kind: Namespace, name: "name", body: "body", opens: moduleScope},
		decl{node: "namespace_alias_definition", kind: Namespace, name: "name", sort: variable},
		decl{node: "alias_declaration", kind: Type, name: "name"},
		decl{node: "concept_definition", kind: Type, name: "name"},
	),
	scopes: merged(cScopes, map[string]scope{
		"lambda_expression":   functionScope,
		"requires_expression": functionScope,
		"for_range_loop":      blockScope,
		"catch_clause":        blockScope,
		"if_statement":        blockScope,
		"while_statement":     blockScope,
		"switch_statement":    blockScope,
	}),
	qualifiers: "field_expression.argument qualified_identifier.scope",
	plain:      "this",
	comments:   "comment",
	wrappers:   "template_declaration",
	skip:       cSkip + " auto",
	leaves:     "string_literal system_lib_string preproc_arg raw_string_literal destructor_name operator_name",
	builtins:   cBuiltins,
	hooks: merged(cHooks, map[string]func(*walker, int32){
		"template_declaration": cppTemplate,
		"template_type":        cppQualified,
		"template_function":    cppQualified,
		"function_definition":  cppOutside,
		"declaration":          cppOutside,
		"class_specifier":      cppOutside,
		"struct_specifier":     cppOutside,
		"field_declaration":    cppFields,
		"field_initializer":    cppInitializer,
		"namespace_definition": cppNestedNamespace,

		"pointer_type_declarator": cppMemberPointer,
	}),
	finish: cppFinish,
	atEnd:  cEnd,
}

// merged returns the union of two tables; the second wins.
func merged[V any](a, b map[string]V) map[string]V {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

// cppFinish gives a name the scope it spells out, tells constructors by their
// name and says what is private.
func cppFinish(w *walker, node int32, s *Symbol) {
	cFinish(w, node, s)
	if at := strings.LastIndex(s.Name, "::*"); at >= 0 { // a pointer to a member: int A::*p
		s.Name = s.Name[at+3:]
		s.Name = s.Name[:macroWordEnd([]byte(s.Name), 0)]
		s.NameColumn += at + 3
	}
	if w.is(node, "class_specifier") || w.is(node, "struct_specifier") {
		w.cppClassMacros(node, s)
	}
	if s.Kind == Namespace {
		s.Name = strings.ReplaceAll(s.Name, "inline ", "")  // namespace a::inline b
		if at := strings.LastIndex(s.Name, "::"); at >= 0 { // namespace a::b
			s.Scope, s.Name = joinScope(s.Scope, cppScope(s.Name[:at])), s.Name[at+2:]
		}
		return
	}
	if w.is(w.parent(node), "friend_declaration") && s.Kind == Method {
		s.Kind = Function
	}
	if strings.HasPrefix(s.Name, "operator ") { // operator bool() const
		name, _, _ := strings.Cut(s.Name, "(")
		s.Name = strings.TrimSpace(name)
		if s.Kind == Field {
			s.Kind = Method
		}
	}
	if s.Kind == Method && s.Name != "" && s.Name == s.Scope[strings.LastIndexByte(s.Scope, '.')+1:] {
		s.Kind = Constructor
	}
	if s.Parent >= 0 && w.cppPrivate(node) {
		s.Exported = false
	}
	if n := w.ancestor(node, "namespace_definition"); n >= 0 && w.child(n, "name") < 0 {
		s.Exported = false
	}
}

// cppScope turns "a::B<T>::" into "a.B".
func cppScope(path string) string {
	var b strings.Builder
	depth := 0
	for _, r := range path {
		switch {
		case r == '<':
			depth++
		case r == '>':
			depth--
		case depth == 0 && r != ' ' && r != '\n' && r != '\t':
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(strings.Trim(b.String(), ":"), "::", ".")
}

// cppPrivate says whether a member stands below private, or first in a class.
func (w *walker) cppPrivate(node int32) bool {
	list := w.parent(node)
	for list >= 0 && (w.is(list, "template_declaration") || w.is(list, "friend_declaration")) {
		node, list = list, w.parent(list)
	}
	if !w.is(list, "field_declaration_list") {
		return false
	}
	private := w.is(w.parent(list), "class_specifier")
	for c := range w.children(list) {
		if c >= node {
			break
		}
		if w.is(c, "access_specifier") {
			private = strings.HasPrefix(w.textOf(c), "private")
		}
	}
	return private
}

// cppTemplate opens a scope for the parameters of a template in which what is
// declared means what it would mean outside.
func cppTemplate(w *walker, node int32) {
	w.openScope(w.scopes[len(w.scopes)-1].kind)
	w.push(frame{end: w.nodes[node].Next, node: node, opensOne: true})
}

// cppQualified gives the name in a::b<c> its qualifier, which stands one level
// further out, and drops the casts, which are functions to the grammar only.
func cppQualified(w *walker, node int32) {
	name := w.child(node, "name")
	if name < 0 {
		return
	}
	switch w.textOf(name) {
	case "static_cast", "dynamic_cast", "const_cast", "reinterpret_cast":
		w.hide(name)
		return
	}
	outer := w.parent(node)
	if !w.is(outer, "qualified_identifier") || !w.in(node, "name") || w.use[node]&useMask == asName {
		return
	}
	scope := w.child(outer, "scope")
	if scope < 0 || w.nodes[scope].Next != scope+1 {
		return
	}
	role := roleOf[w.use[node]&useMask]
	if role == Read && w.is(name, "type_identifier") {
		role = TypeUse
	}
	w.mentionAs(name, scope, role)
	w.hide(name)
}

// cppOutside makes a symbol of a member that is defined outside of its class,
// or of a class outside of its namespace: void A::f() {}.
func cppOutside(w *walker, node int32) {
	f := w.declaration(node)
	if f == nil || f.hasSymbol || w.scopes[f.scope].kind >= functionScope {
		return
	}
	start := w.child(node, f.decl.decl.name)
	path := int32(-1)
	for j := start; start >= 0 && j < w.nodes[start].Next; j++ {
		if w.is(j, "parameter_list") {
			break
		}
		if w.is(j, "qualified_identifier") || w.is(j, "template_type") {
			path = j
			break
		}
	}
	if path < 0 {
		return
	}
	leaf := path
	for w.info[w.nodes[leaf].Kind].flags&isName == 0 {
		inner := w.child(leaf, "name")
		if inner < 0 {
			break
		}
		leaf = inner
	}
	kind := f.decl.kind
	switch {
	case kind == Function:
		kind = Method
	case kind == Variable && leaf != path && w.is(path, "qualified_identifier"):
		kind = Field
	case kind == Variable:
		return
	}
	d := f.decl
	if w.is(leaf, "operator_cast") {
		leaf = w.child(leaf, "type")
		if leaf < 0 {
			return
		}
	}
	name := w.textOf(leaf)
	if w.is(w.parent(leaf), "operator_cast") {
		name = "operator " + name
	}
	i := w.newSymbol(node, kind, w.symbol, &w.nodes[leaf], name, d)
	s := &w.file.Symbols[i]
	s.Kind, s.Exported = kind, true
	s.Scope = joinScope(s.Scope, cppScope(w.text[w.nodes[path].Start:w.nodes[leaf].Start]))
	if kind == Method && s.Name == s.Scope[strings.LastIndexByte(s.Scope, '.')+1:] {
		s.Kind = Constructor
	}
	if w.info[w.nodes[leaf].Kind].flags&isName != 0 {
		w.mean(leaf, i)
	}
	w.symbol = i
	f.hasSymbol = true
}

// cppMemberPointer declares the local of int A::*p, whose name is part of a path
// to the grammar.
func cppMemberPointer(w *walker, node int32) {
	leaf := w.leafOf(node)
	if leaf < 0 || !w.is(w.parent(node), "qualified_identifier") {
		return
	}
	switch {
	case w.inFunction():
		w.noteLocal(leaf)
	case w.symbol >= 0 && w.file.Symbols[w.symbol].Name == w.textOf(leaf):
		w.mean(leaf, w.symbol)
	}
}

// cppNestedNamespace tells what namespace a::b {} defines, which is b.
func cppNestedNamespace(w *walker, node int32) {
	if name := w.child(node, "name"); w.is(name, "nested_namespace_specifier") && w.symbol >= 0 && w.file.Symbols[w.symbol].Kind == Namespace {
		w.mean(w.lastLeaf(name), w.symbol)
	}
}

// cppClassMacros notes the macros between class and the name of the class, of
// which the grammar knows nothing; see repairMacros.
func (w *walker) cppClassMacros(node int32, s *Symbol) {
	start := w.nodes[node].Start
	head := w.text[start : w.lines[s.NameLine-1]+uint32(s.NameColumn-1)]
	for at := 0; at < len(head); {
		end := macroWordEnd(w.src[start:][:len(head)], at)
		if end == at {
			at++
			continue
		}
		if word := head[at:end]; isUpper(word) && word == strings.ToUpper(word) && strings.Contains(word, "_") {
			row := w.nodes[node].StartRow + uint32(strings.Count(head[:at], "\n"))
			n := treesitter.Node{Start: start + uint32(at), End: start + uint32(end), StartRow: row, Parent: -1}
			w.occur(node, &n, w.nameOf(&n), Read, w.symbol, false)
		}
		at = end
	}
}

// cppInitializer tells the bases of a class, and the class itself, from its
// fields: what is made by A(int n) : B(n), field(n) {}.
func cppInitializer(w *walker, node int32) {
	leaf := w.leafOf(node)
	if leaf < 0 {
		return
	}
	name := w.textOf(leaf)
	base := w.is(w.parent(leaf), "template_method") || w.is(w.parent(leaf), "template_type") || w.is(w.parent(leaf), "template_function")
	if w.symbol >= 0 && name == w.file.Symbols[w.symbol].Name {
		base = true
	}
	if class := w.ancestor(node, "class_specifier", "struct_specifier"); class >= 0 && !base {
		bases := w.firstOf(class, "base_class_clause")
		for j := bases; bases >= 0 && j < w.nodes[bases].Next; j++ {
			base = base || w.is(j, "type_identifier") && w.textOf(j) == name
		}
	}
	if base {
		w.mentionAs(leaf, -1, Call)
		w.nodes[leaf].Kind = 0
	}
}

// cppFields makes symbols of the fields behind one that has a value, which
// stand apart from it: int a = 0, b = 1.
func cppFields(w *walker, node int32) {
	f := &w.frames[len(w.frames)-1]
	if f.node != node || !f.hasSymbol || w.scopes[f.scope].kind != classScope {
		return
	}
	var names []plan
	valued := false
	for c := range w.children(node) {
		switch {
		case w.in(c, "default_value"):
			valued = true
		case valued && w.in(c, "declarator"):
			leaf := w.leafOf(c)
			if leaf < 0 {
				continue
			}
			first := w.file.Symbols[w.symbol]
			i := w.newSymbol(node, Field, int32(first.Parent), &w.nodes[leaf], w.textOf(leaf), nil)
			names = append(names, plan{node: leaf, symbol: i})
		}
	}
	w.meanAll(names)
}

// cppArguments reads the arguments of an object that is made in a function, as
// in lock guard(mutex), which the grammar takes for the parameters of a
// function.
func (w *walker) cppArguments(declaration, list int32) {
	for i := range w.frames {
		if f := &w.frames[i]; f.node == declaration && w.scopes[f.scope].kind < functionScope {
			return
		}
	}
	for c := range w.children(list) {
		t := w.child(c, "type")
		if w.is(c, "parameter_declaration") && w.is(t, "type_identifier") && w.child(c, "declarator") < 0 {
			w.mention(t, &w.nodes[t], w.nameOf(&w.nodes[t]), Read, false)
			w.hide(t)
		}
	}
}
