package languages

import (
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/treesitter"
)

// CPP is the row of the language.
var CPP = &engine.Spec{
	Name:          engine.CPP,
	Title:         "C++",
	Aliases:       "c++ cc cxx hpp",
	Extensions:    "cc cpp cxx c++ hh hpp hxx h++ inl ipp ixx cppm tcc tpp cu cuh",
	Servers:       []string{"clangd"},
	TestClasses:   true,
	Family:        "c",
	Rules:         &cppRules,
	Recovery:      cppRecovery,
	Repair:        repairC,
	Misfit:        repairMacros,
	RepairMisfits: true,
	Names: engine.Names{
		Groups:    "c",
		Bare:      engine.OfClass,
		Accessors: "-> ::",
		Typed:     cTyped,
		Imports:   engine.ImportsInclude,
	},
	Bodies: engine.Bodies{
		// Constructors and destructors return nothing, not even void.
		Constructor: func(t *engine.Tree, function int32, name string) bool { return t.Field(function, "type") < 0 },
	},

	Comparing: engine.Comparing{Drops: true, Macros: true, Shifts: true, Appends: true},
	Testing:   engine.Testing{Heads: cTestHeads, Passed: cPassed},
}

var cppRules = engine.Rules{
	Grammar: "cpp",
	Names: mergeWords(cNames, map[engine.Use]string{
		engine.AsRead:                 "namespace_identifier operator_name",
		engine.AsRead | engine.Member: "destructor_name",
	}),
	Flow: mergeWords(cFlow, map[engine.Use]string{
		engine.AsParam: `parameter_declaration.declarator optional_parameter_declaration.declarator
			variadic_parameter_declaration.declarator type_parameter_declaration
			variadic_type_parameter_declaration optional_type_parameter_declaration.name`,
		engine.HandOn: `reference_declarator variadic_declarator template_function.name template_type.name
			dependent_name dependent_type subscript_expression.argument`,
		engine.AsBind:                  "structured_binding_declarator for_range_loop.declarator lambda_capture_initializer.left",
		engine.HandOn | engine.Member:  "qualified_identifier.name template_method.name",
		engine.AsRead:                  "qualified_identifier.scope",
		engine.AsCall:                  "new_expression.type compound_literal_expression.type",
		engine.AsImport:                "using_declaration",
		engine.AsWrite | engine.Member: "field_initializer",
		engine.AsType:                  "base_class_clause",
	}),
	Through: cThrough,
	Splits: append(cSplits[:len(cSplits):len(cSplits)],
		engine.Split{Node: "class_specifier", By: []string{"field_declaration_list"}}),
	Decls: append(cDecls[:len(cDecls):len(cDecls)], []engine.Decl{
		{Node: "class_specifier:field_declaration_list", Kind: engine.Class, Name: "name", Body: "body",
			Opens: engine.ClassScope},
		{Node: "namespace_definition", Kind: engine.Namespace, Name: "name", Body: "body", Opens: engine.ModuleScope},
		{Node: "namespace_alias_definition", Kind: engine.Namespace, Name: "name", Sort: engine.SortVariable},
		{Node: "alias_declaration concept_definition", Kind: engine.Type, Name: "name"},
	}...),
	Scopes: mergeWords(cScopes, map[engine.Scope]string{
		engine.FunctionScope: "lambda_expression requires_expression",
		engine.BlockScope:    "for_range_loop catch_clause if_statement while_statement switch_statement",
	}),
	Qualifiers: "field_expression.argument qualified_identifier.scope",
	Plain:      "this",
	Comments:   "comment",
	Wrappers:   "template_declaration",
	Skip:       cSkip + " auto",
	Leaves:     "string_literal system_lib_string preproc_arg raw_string_literal destructor_name operator_name",
	Builtins:   cBuiltins,
	Hooks: merged(cHooks, map[string]func(*engine.Walker, int32){
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
		"compound_statement":      cppTest,
	}),
	Finish: cppFinish,
	AtEnd:  cEnd,
}

// cppFinish gives a name the scope it spells out, tells constructors by their
// name and says what is private.
func cppFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	cFinish(w, node, s)
	if at := strings.LastIndex(s.Name, "::*"); at >= 0 { // a pointer to a member: int A::*p
		s.Name = s.Name[at+3:]
		s.Name = s.Name[:macroWordEnd([]byte(s.Name), 0)]
		s.NameColumn += at + 3
	}
	if w.Is(node, "class_specifier", "struct_specifier") {
		cppClassMacros(w, node, s)
	}
	if s.Kind == engine.Namespace {
		s.Name = strings.ReplaceAll(s.Name, "inline ", "")  // namespace a::inline b
		if at := strings.LastIndex(s.Name, "::"); at >= 0 { // namespace a::b
			s.Scope, s.Name = engine.JoinScope(s.Scope, cppScope(s.Name[:at])), s.Name[at+2:]
			leaf := &w.Nodes[w.LastLeaf(w.Child(node, "name"))]
			s.NameLine, s.NameColumn = int(leaf.StartRow)+1, int(leaf.Start-w.Lines[leaf.StartRow])+1
		}
		return
	}
	if w.Is(w.Parent(node), "friend_declaration") && s.Kind == engine.Method {
		s.Kind = engine.Function
	}
	if strings.HasPrefix(s.Name, "operator ") && s.Kind == engine.Field {
		s.Kind = engine.Method
	}
	if s.Kind == engine.Method && s.Name != "" && s.Name == s.Scope[strings.LastIndexByte(s.Scope, '.')+1:] {
		s.Kind = engine.Constructor
	}
	if s.Parent >= 0 && cppPrivate(w, node) {
		s.Exported = false
	}
	if n := w.Ancestor(node, "namespace_definition"); n >= 0 && w.Child(n, "name") < 0 {
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

// cppPrivate says whether a member is below private, or first in a class.
func cppPrivate(w *engine.Walker, node int32) bool {
	list := w.Parent(node)
	for list >= 0 && w.Is(list, "template_declaration", "friend_declaration") {
		node, list = list, w.Parent(list)
	}
	if !w.Is(list, "field_declaration_list") {
		return false
	}
	private := w.Is(w.Parent(list), "class_specifier")
	for c := range w.Children(list) {
		if c >= node {
			break
		}
		if w.Is(c, "access_specifier") {
			private = strings.HasPrefix(w.TextOf(c), "private")
		}
	}
	return private
}

// cppTemplate opens a scope for the parameters of a template in which what is
// declared means what it would mean outside.
func cppTemplate(w *engine.Walker, node int32) {
	w.OpenScope(w.Scopes[len(w.Scopes)-1].Kind)
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, OpensOne: true})
}

// cppQualified gives the name in a::b<c> its qualifier, which is one level
// further out, and drops the casts, which are functions to the grammar only.
func cppQualified(w *engine.Walker, node int32) {
	name := w.Child(node, "name")
	if name < 0 {
		return
	}
	switch w.TextOf(name) {
	case "static_cast", "dynamic_cast", "const_cast", "reinterpret_cast":
		w.Hide(name)
		return
	}
	outer := w.Parent(node)
	if !w.Is(outer, "qualified_identifier") || !w.In(node, "name") || w.Use[node]&engine.UseMask == engine.AsName {
		return
	}
	scope := w.Child(outer, "scope")
	if scope < 0 || w.Nodes[scope].Next != scope+1 {
		return
	}
	role := engine.RoleOf[w.Use[node]&engine.UseMask]
	if role == engine.Read && w.Is(name, "type_identifier") {
		role = engine.TypeUse
	}
	w.MentionAs(name, scope, role)
	w.Hide(name)
}

// cppOutside makes a symbol of a member that is defined outside of its class,
// or of a class outside of its namespace: void A::f() {}.
func cppOutside(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	if f == nil || f.HasSymbol || w.Scopes[f.Scope].Kind >= engine.FunctionScope {
		return
	}
	start := w.Child(node, f.Decl.Decl.Name)
	path := int32(-1)
	for j := start; start >= 0 && j < w.Nodes[start].Next; j++ {
		if w.Is(j, "parameter_list") {
			break
		}
		if w.Is(j, "qualified_identifier", "template_type") {
			path = j
			break
		}
	}
	if path < 0 {
		return
	}
	leaf := path
	for w.Info[w.Nodes[leaf].Kind].Flags&engine.IsName == 0 {
		inner := w.Child(leaf, "name")
		if inner < 0 {
			break
		}
		leaf = inner
	}
	kind := f.Decl.Kind
	switch {
	case kind == engine.Function:
		kind = engine.Method
	case kind == engine.Variable && leaf != path && w.Is(path, "qualified_identifier"):
		kind = engine.Field
	case kind == engine.Variable:
		return
	}
	d := f.Decl
	if w.Is(leaf, "operator_cast") {
		leaf = w.Child(leaf, "type")
		if leaf < 0 {
			return
		}
	}
	name := w.TextOf(leaf)
	if w.Is(w.Parent(leaf), "operator_cast") {
		name = "operator " + name
	}
	i := w.NewSymbol(node, kind, w.Symbol, &w.Nodes[leaf], name, d)
	s := &w.File.Symbols[i]
	s.Kind, s.Exported = kind, true
	s.Scope = engine.JoinScope(s.Scope, cppScope(w.Text[w.Nodes[path].Start:w.Nodes[leaf].Start]))
	if kind == engine.Method && s.Name == s.Scope[strings.LastIndexByte(s.Scope, '.')+1:] {
		s.Kind = engine.Constructor
	}
	if w.Info[w.Nodes[leaf].Kind].Flags&engine.IsName != 0 {
		w.Mean(leaf, i)
	}
	w.Symbol = i
	f.HasSymbol = true
}

// cppMemberPointer declares the local of int A::*p, whose name is part of a path
// to the grammar.
func cppMemberPointer(w *engine.Walker, node int32) {
	leaf := w.LeafOf(node)
	if leaf < 0 || !w.Is(w.Parent(node), "qualified_identifier") {
		return
	}
	switch {
	case w.InFunction():
		w.NoteLocal(leaf)
	case w.Symbol >= 0 && w.File.Symbols[w.Symbol].Name == w.TextOf(leaf):
		w.Mean(leaf, w.Symbol)
	}
}

// cppNestedNamespace says what namespace a::b {} defines, which is b.
func cppNestedNamespace(w *engine.Walker, node int32) {
	if name := w.Child(node, "name"); w.Is(name, "nested_namespace_specifier") && w.Symbol >= 0 &&
		w.File.Symbols[w.Symbol].Kind == engine.Namespace {
		w.Mean(w.LastLeaf(name), w.Symbol)
	}
}

// cppClassMacros notes the macros between class and the name of the class, of
// which the grammar knows nothing; see repairMacros.
func cppClassMacros(w *engine.Walker, node int32, s *engine.Symbol) {
	start := w.Nodes[node].Start
	head := w.Text[start : w.Lines[s.NameLine-1]+uint32(s.NameColumn-1)]
	for at := 0; at < len(head); {
		end := macroWordEnd(w.Source[start:][:len(head)], at)
		if end == at {
			at++
			continue
		}
		if word := head[at:end]; engine.IsUpper(word) && word == strings.ToUpper(word) && strings.Contains(word, "_") {
			row := w.Nodes[node].StartRow + uint32(strings.Count(head[:at], "\n"))
			n := treesitter.Node{Start: start + uint32(at), End: start + uint32(end), StartRow: row, Parent: -1}
			w.Occur(&n, w.NameOf(&n), engine.Read, w.Symbol, false)
		}
		at = end
	}
}

// cppInitializer tells the bases of a class, and the class itself, from its
// fields: what is made by A(int n) : B(n), field(n) {}.
func cppInitializer(w *engine.Walker, node int32) {
	leaf := w.LeafOf(node)
	if leaf < 0 {
		return
	}
	name := w.TextOf(leaf)
	base := w.Is(w.Parent(leaf), "template_method", "template_type", "template_function")
	if w.Symbol >= 0 && name == w.File.Symbols[w.Symbol].Name {
		base = true
	}
	if class := w.Ancestor(node, "class_specifier", "struct_specifier"); class >= 0 && !base {
		bases := w.FirstOf(class, "base_class_clause")
		for j := bases; bases >= 0 && j < w.Nodes[bases].Next; j++ {
			base = base || w.Is(j, "type_identifier") && w.TextOf(j) == name
		}
	}
	if base {
		w.MentionAs(leaf, -1, engine.Call)
		w.Nodes[leaf].Kind = 0
	}
}

// cppFields makes symbols of the fields behind one that has a value, which
// stand apart from it: int a = 0, b = 1.
func cppFields(w *engine.Walker, node int32) {
	f := &w.Frames[len(w.Frames)-1]
	if f.Node != node || !f.HasSymbol || w.Scopes[f.Scope].Kind != engine.ClassScope {
		return
	}
	var names []engine.Plan
	valued := false
	for c := range w.Children(node) {
		switch {
		case w.In(c, "default_value"):
			valued = true
		case valued && w.In(c, "declarator"):
			leaf := w.LeafOf(c)
			if leaf < 0 {
				continue
			}
			first := w.File.Symbols[w.Symbol]
			i := w.NewSymbol(node, engine.Field, int32(first.Parent), &w.Nodes[leaf], w.TextOf(leaf), nil)
			names = append(names, engine.Plan{Node: leaf, Symbol: i})
		}
	}
	w.MeanAll(names)
}

// cppArguments reads the arguments of an object that is made in a function, as
// in lock guard(mutex), which the grammar takes for the parameters of a
// function.
func cppArguments(w *engine.Walker, declaration, list int32) {
	for i := range w.Frames {
		if f := &w.Frames[i]; f.Node == declaration && w.Scopes[f.Scope].Kind < engine.FunctionScope {
			return
		}
	}
	for c := range w.Children(list) {
		t := w.Child(c, "type")
		if w.Is(c, "parameter_declaration") && w.Is(t, "type_identifier") && w.Child(c, "declarator") < 0 {
			w.Mention(&w.Nodes[t], w.NameOf(&w.Nodes[t]), engine.Read, false)
			w.Hide(t)
		}
	}
}
