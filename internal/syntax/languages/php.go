package languages

import (
	"bytes"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/markup"
)

// PHP is the row of the language.
var PHP = &engine.Spec{
	Name:        engine.PHP,
	Title:       "PHP",
	Extensions:  "php phtml php3 php4 php5 php7 inc",
	Servers:     []string{"intelephense --stdio"},
	Programs:    "php",
	TestClasses: true,
	Form:        engine.Page,
	Disputed:    phpOrOther,
	Rules:       &phpRules,
	Recovery:    phpRecovery,
	Around:      markup.AroundPHP,
	Names: engine.Names{
		Unnamed: map[string]string{
			"offsetget": "$x[…]", "offsetset": "$x[…] = …", "offsetexists": "isset($x[…])", "offsetunset": "unset($x[…])",
			"getiterator": "foreach", "current": "foreach", "key": "foreach", "next": "foreach", "rewind": "foreach",
			"valid": "foreach", "count": "count($x)", "jsonserialize": "json_encode($x)", "__get": "$x->name",
			"__set": "$x->name = …", "__isset": "isset($x->name)", "__unset": "unset($x->name)", "__call": "$x->name()",
			"__callstatic": "X::name()", "__invoke": "$x()", "__tostring": "\"$x\"", "__clone": "clone $x",
			"__destruct": "unset($x)", "__serialize": "serialize($x)", "__unserialize": "unserialize($x)",
			"__sleep": "serialize($x)", "__wakeup": "unserialize($x)", "__debuginfo": "var_dump($x)",
		},
		Imports:   engine.ImportsDeclared,
		Groups:    "template style",
		Bare:      engine.OfOwnClass,
		Accessors: "-> ::",
		Typed:     engine.PHPTyped,
	},

	Comparing: engine.Comparing{ByName: true, Yields: true, Undeclared: true, Around: "<?php %s", Hoisted: true},
	Testing: engine.Testing{Functions: `^test`, Marked: true, Documented: true, Called: true,
		Passed: lazyregexp.MustCompile(`(?m)^OK \([1-9]\d* tests?,|^\s*Tests:\s.*\b[1-9]\d* passed`)},
}

var phpRules = engine.Rules{
	Grammar: "php",
	Names:   map[engine.Use]string{engine.AsRead: "name"},
	Flow: map[engine.Use]string{
		engine.HandOn: "variable_name list_literal pair by_ref",
		engine.AsCall: `function_call_expression.function object_creation_expression>name
			object_creation_expression>qualified_name`,
		engine.HandOn | engine.Member: `qualified_name relative_name member_access_expression.name
			nullsafe_member_access_expression.name scoped_property_access_expression.name`,
		engine.AsNothing: `qualified_name.prefix relative_name.prefix namespace_name argument.name goto_statement
			named_label_statement property_hook>name`,
		engine.AsType: `binary_expression:instanceof.right scoped_call_expression.scope named_type base_clause
			class_interface_clause attribute>name attribute>qualified_name use_instead_of_clause>name
			use_declaration`,
		engine.AsWrite: `foreach_statement>pair foreach_statement>by_ref foreach_statement>variable_name
			foreach_statement>list_literal reference_assignment_expression.left assignment_expression.left
			augmented_assignment_expression.left update_expression.argument`,
		engine.AsRead: "array_element_initializer anonymous_function_use_clause subscript_expression",
		engine.AsCall | engine.Member: `member_call_expression.name nullsafe_member_call_expression.name
			scoped_call_expression.name`,
		engine.AsRead | engine.Member: "class_constant_access_expression",
		engine.AsImport:               "namespace_use_clause namespace_use_clause.alias",
		engine.AsBind: `simple_parameter.name variadic_parameter.name catch_clause.name
			static_variable_declaration.name`,
	},
	Through: "parenthesized_expression",
	Splits:  []engine.Split{{Node: "binary_expression", By: []string{"instanceof"}}},
	Decls: []engine.Decl{
		{Node: "namespace_definition", Kind: engine.Namespace, Name: "name", Body: "body", Opens: engine.ModuleScope},
		{Node: "class_declaration", Kind: engine.Class, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "interface_declaration", Kind: engine.Interface, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "trait_declaration", Kind: engine.Trait, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_declaration", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_case", Kind: engine.EnumMember, Name: "name", Sort: engine.SortField},
		{Node: "const_element"}, // see phpConst
		{Node: "function_definition", Kind: engine.Function, Name: "name", Body: "body", Opens: engine.FunctionScope},
		{Node: "method_declaration", Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty,
			Opens: engine.FunctionScope},
		{Node: "property_element property_promotion_parameter", Kind: engine.Property, Name: "name",
			Sort: engine.SortProperty},
		{Node: "assignment_expression", Kind: engine.Variable, Name: "left", Sort: engine.SortVariable, After: true,
			Once: true},
	},
	Scopes: map[engine.Scope]string{
		engine.FunctionScope: "anonymous_function arrow_function",
		engine.ClassScope:    "declaration_list",
	},
	Qualifiers: "member_call_expression.object nullsafe_member_call_expression.object member_access_expression.object" +
		" nullsafe_member_access_expression.object scoped_call_expression.scope scoped_property_access_expression.scope",
	Plain:      "relative_scope",
	Comments:   "comment",
	Decorators: "attribute_list",
	Wrappers:   "property_declaration const_declaration",
	Skip:       "integer float boolean null text escape_sequence primitive_type php_tag php_end_tag",
	Leaves:     "string nowdoc",
	Blank:      "this",
	Builtins:   "self static parent",
	Hooks: map[string]func(*engine.Walker, int32){
		"namespace_use_declaration":         phpUse,
		"foreach_statement":                 phpForeach,
		"const_element":                     phpConst,
		"variable_name":                     phpVariable,
		"property_promotion_parameter":      phpPromoted,
		"member_access_expression":          phpMember,
		"nullsafe_member_access_expression": phpMember,
		"member_call_expression":            phpMember,
		"nullsafe_member_call_expression":   phpMember,
		"class_constant_access_expression":  phpClassConstant,
		"function_call_expression":          phpDefine,
		"include_expression":                phpInclude,
		"include_once_expression":           phpInclude,
		"require_expression":                phpInclude,
		"require_once_expression":           phpInclude,
	},
	Finish: phpFinish,
	AtEnd: func(w *engine.Walker) {
		engine.InOrder(w)
		engine.FileNamespace(w)
	},
}

// phpFinish says what is exported, and puts promoted properties into the class
// whose constructor names them.
func phpFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	owner := node
	switch {
	case w.Is(node, "property_element"), w.Is(node, "const_element"):
		owner = w.Parent(node)
		w.SharedHead(owner, node, s)
	case w.Is(node, "property_promotion_parameter") && s.Parent >= 0:
		s.Scope = w.File.Symbols[s.Parent].Scope
	}
	w.OwnDoc(owner, s)
	if s.Kind == engine.Method && strings.EqualFold(s.Name, "__construct") {
		s.Kind = engine.Constructor
	}
	s.Exported = !w.InFunction() || s.Kind == engine.Property
	if v := w.FirstOf(owner, "visibility_modifier"); v >= 0 {
		s.Exported = s.Exported && w.TextOf(v) != "private"
	}
}

// phpVariable makes the variables of a function local: every one is, but those
// it declares global and those the language provides.
func phpVariable(w *engine.Walker, node int32) {
	name := w.FirstOf(node, "name")
	if name < 0 || !w.InFunction() || w.Is(w.Parent(node), "scoped_property_access_expression") {
		return
	}
	text := w.TextOf(name)
	id := w.NameID(text)
	if w.Is(w.Parent(node), "global_declaration") {
		w.Bind(id, w.FunctionScope(), false)
		return
	}
	if u := w.Use[node] & engine.UseMask; u == engine.AsName || u == engine.AsBind || w.IsLocal(id) ||
		phpSuperglobal(text) {
		return
	}
	scope := w.FunctionScope()
	if w.BoundIn(id, scope) == 0 {
		w.Bind(id, scope, true)
		if u := w.Use[node] & engine.UseMask; u == engine.AsWrite {
			w.Occur(&w.Nodes[name], id, engine.Definition, w.Symbol, true)
			w.Hide(name)
		}
	}
}

// phpForeach says what is gone through from what it is put into: to the
// grammar both are variables in the same place.
func phpForeach(w *engine.Walker, node int32) {
	list := node + 1
	name := w.FirstOf(list, "name")
	if !w.Is(list, "variable_name") || name < 0 {
		return
	}
	id := w.NameOf(&w.Nodes[name])
	if w.InFunction() && !w.IsLocal(id) && !phpSuperglobal(w.TextOf(name)) {
		w.Bind(id, w.FunctionScope(), true)
	}
	w.Mention(&w.Nodes[name], id, engine.Read, false)
	w.Hide(name)
}

func phpSuperglobal(name string) bool {
	switch name {
	case "GLOBALS", "_COOKIE", "_ENV", "_FILES", "_GET", "_POST", "_REQUEST", "_SERVER", "_SESSION", "this":
		return true
	}
	return false
}

// phpPromoted makes a promoted property a parameter too.
func phpPromoted(w *engine.Walker, node int32) {
	if name := w.LeafOf(w.Child(node, "name")); name >= 0 {
		w.Bind(w.NameOf(&w.Nodes[name]), int32(len(w.Scopes)-1), true)
	}
}

// phpMember gives a member its qualifier, which lies one level deeper than in
// other languages: the name in the variable.
func phpMember(w *engine.Walker, node int32) {
	object, name := w.Child(node, "object"), w.Child(node, "name")
	if !w.Is(object, "variable_name") || !w.Is(name, "name") {
		return
	}
	role := engine.RoleOf[w.Place(node, &w.Nodes[name])&engine.UseMask]
	if role == engine.Definition {
		role = engine.Write
	}
	w.MentionAs(name, w.LastLeaf(object), role)
	w.Hide(name)
}

// phpClassConstant reads A::B: a type and a member of it.
func phpClassConstant(w *engine.Walker, node int32) {
	first := node + 1
	name := w.LastLeaf(node)
	if !w.Is(name, "name") || w.Parent(name) != node || w.Nodes[node].Next == first+1 {
		return
	}
	switch {
	case w.Is(first, "name"):
		w.MentionAs(first, -1, engine.TypeUse)
		w.MentionAs(name, first, engine.Read)
		w.Hide(first)
	case w.Is(first, "relative_scope"):
		w.MentionAs(name, first, engine.Read)
	case w.Is(first, "qualified_name") && w.Is(w.LastLeaf(first), "name"):
		w.MentionAs(w.LastLeaf(first), -1, engine.TypeUse)
		w.MentionAs(name, w.LastLeaf(first), engine.Read)
		w.Hide(w.LastLeaf(first))
	default:
		return
	}
	w.Hide(name)
}

// phpDefine makes a symbol of a constant that is defined by a call.
func phpDefine(w *engine.Walker, node int32) {
	if w.TextOf(w.Child(node, "function")) != "define" {
		return
	}
	argument := w.FirstOf(w.Child(node, "arguments"), "argument")
	if argument < 0 {
		return
	}
	if name := w.FirstOf(argument, "string"); name >= 0 && w.Nodes[name].End > w.Nodes[name].Start+2 {
		n := w.Nodes[name]
		n.Start++
		w.NewSymbol(node, engine.Constant, w.Symbol, &n, engine.Unquote(w.TextOf(name)), nil)
	}
}

// phpInclude notes a file that is read in, if its name is written out.
func phpInclude(w *engine.Walker, node int32) {
	path := ""
	for j := node + 1; j < w.Nodes[node].Next; j++ {
		if w.Is(j, "variable_name") {
			return
		}
		if w.Is(j, "string", "encapsed_string") {
			path += engine.Unquote(w.TextOf(j))
		}
	}
	if path = strings.TrimPrefix(path, "/"); path != "" {
		w.AddImport(engine.Import{Path: path, Line: w.Line(node)})
	}
}

// phpUse notes what a use declaration brings in.
func phpUse(w *engine.Walker, node int32) {
	prefix := w.TextOf(w.FirstOf(node, "namespace_name"))
	if !w.KeepsImport(prefix) {
		return
	}
	if prefix != "" {
		prefix += `\`
	}
	for j := node + 1; j < w.Nodes[node].Next; j++ {
		if !w.Is(j, "namespace_use_clause") {
			continue
		}
		path := prefix + strings.TrimPrefix(w.TextOf(w.FirstOf(j, "qualified_name", "name")), `\`)
		i := engine.Import{Path: path, Alias: w.TextOf(w.Child(j, "alias")), Line: w.Line(j)}
		if at := strings.LastIndexByte(path, '\\'); at >= 0 {
			i.Names = []string{path[at+1:]}
		}
		w.AddImport(i)
	}
}

// phpConst makes a symbol of a constant: its name fills no field.
func phpConst(w *engine.Walker, node int32) {
	if name := w.FirstOf(node, "name"); name >= 0 {
		w.Mean(name, w.NewSymbol(node, engine.Constant, w.Symbol, &w.Nodes[name], w.TextOf(name), nil))
	}
}

// phpOrOther tells an include file of PHP from those of other languages.
func phpOrOther(ext string, text []byte) engine.Language {
	if ext == "inc" && !bytes.Contains(text[:min(len(text), engine.HeadBytes)], []byte("<?php")) {
		return engine.Unknown
	}
	return engine.PHP
}
