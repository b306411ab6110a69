package syntax

import "strings"

// specPHP is the row of the language.
var specPHP = &spec{name: PHP, rules: &phpRules, around: readAround}

var phpRules = rules{
	grammar: "php",
	names:   map[string]use{"name": asRead},
	flow: map[string]use{
		"variable_name":                             handOn,
		"function_call_expression.function":         asCall,
		"qualified_name":                            handOn | member,
		"qualified_name.prefix":                     asNothing,
		"relative_name":                             handOn | member,
		"relative_name.prefix":                      asNothing,
		"binary_expression:instanceof.right":        asType,
		"list_literal":                              handOn,
		"foreach_statement>pair":                    asWrite,
		"foreach_statement>by_ref":                  asWrite,
		"foreach_statement>variable_name":           asWrite, // see phpForeach
		"foreach_statement>list_literal":            asWrite,
		"pair":                                      handOn,
		"array_element_initializer":                 asRead,
		"reference_assignment_expression.left":      asWrite,
		"namespace_name":                            asNothing,
		"member_call_expression.name":               asCall | member,
		"nullsafe_member_call_expression.name":      asCall | member,
		"scoped_call_expression.name":               asCall | member,
		"scoped_call_expression.scope":              asType,
		"member_access_expression.name":             handOn | member,
		"nullsafe_member_access_expression.name":    handOn | member,
		"scoped_property_access_expression.name":    handOn | member,
		"class_constant_access_expression":          asRead | member,
		"object_creation_expression>name":           asCall,
		"object_creation_expression>qualified_name": asCall,
		"named_type":                                asType,
		"base_clause":                               asType,
		"class_interface_clause":                    asType,
		"attribute>name":                            asType,
		"attribute>qualified_name":                  asType,
		"use_instead_of_clause>name":                asType,
		"use_declaration":                           asType,
		"namespace_use_clause":                      asImport,
		"namespace_use_clause.alias":                asImport,
		"assignment_expression.left":                asWrite,
		"augmented_assignment_expression.left":      asWrite,
		"update_expression.argument":                asWrite,
		"simple_parameter.name":                     asBind,
		"variadic_parameter.name":                   asBind,
		"anonymous_function_use_clause":             asRead,
		"catch_clause.name":                         asBind,
		"static_variable_declaration.name":          asBind,
		"argument.name":                             asNothing,
		"goto_statement":                            asNothing,
		"named_label_statement":                     asNothing,
		"property_hook>name":                        asNothing,
		"by_ref":                                    handOn,
		"subscript_expression":                      asRead,
	},
	through: "parenthesized_expression",
	splits:  []split{{"binary_expression", []string{"instanceof"}}},
	decls: []decl{
		{node: "namespace_definition", kind: Namespace, name: "name", body: "body", opens: moduleScope},
		{node: "class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "interface_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "trait_declaration", kind: Trait, name: "name", body: "body", opens: classScope},
		{node: "enum_declaration", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "enum_case", kind: EnumMember, name: "name", sort: field},
		{node: "const_element"}, // see phpConst
		{node: "function_definition", kind: Function, name: "name", body: "body", opens: functionScope},
		{node: "method_declaration", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "property_element", kind: Property, name: "name", sort: property},
		{node: "property_promotion_parameter", kind: Property, name: "name", sort: property},
		{node: "assignment_expression", kind: Variable, name: "left", sort: variable, after: true, once: true},
	},
	scopes: map[string]scope{
		"anonymous_function": functionScope,
		"arrow_function":     functionScope,
		"declaration_list":   classScope,
	},
	qualifiers: "member_call_expression.object nullsafe_member_call_expression.object member_access_expression.object" +
		" nullsafe_member_access_expression.object scoped_call_expression.scope scoped_property_access_expression.scope",
	plain:    "relative_scope",
	comments: "comment",
	leads:    "attribute_list",
	wrappers: "property_declaration const_declaration",
	skip:     "integer float boolean null text escape_sequence primitive_type php_tag php_end_tag",
	leaves:   "string nowdoc",
	blank:    "this",
	builtins: "self static parent",
	hooks: map[string]func(*walker, int32){
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
	finish: phpFinish,
	atEnd: func(w *walker) {
		inOrder(w)
		fileNamespace(w)
	},
}

// phpFinish says what is exported, and puts promoted properties into the class
// whose constructor names them.
func phpFinish(w *walker, node int32, s *Symbol) {
	holder := node
	switch {
	case w.is(node, "property_element"), w.is(node, "const_element"):
		holder = w.parent(node)
		w.sharedHead(holder, node, s)
	case w.is(node, "property_promotion_parameter") && s.Parent >= 0:
		s.Scope = w.file.Symbols[s.Parent].Scope
	}
	w.ownDoc(holder, s)
	if s.Kind == Method && strings.EqualFold(s.Name, "__construct") {
		s.Kind = Constructor
	}
	s.Exported = !w.inFunction() || s.Kind == Property
	if v := w.firstOf(holder, "visibility_modifier"); v >= 0 {
		s.Exported = s.Exported && w.textOf(v) != "private"
	}
}

// phpVariable makes the variables of a function local: every one is, but those
// it declares global and those the language provides.
func phpVariable(w *walker, node int32) {
	name := w.firstOf(node, "name")
	if name < 0 || !w.inFunction() || w.is(w.parent(node), "scoped_property_access_expression") {
		return
	}
	text := w.textOf(name)
	id := w.nameID(text)
	if w.is(w.parent(node), "global_declaration") {
		w.bind(id, w.functionScope(), false)
		return
	}
	if u := w.use[node] & useMask; u == asName || u == asBind || w.isLocal(id) || phpSuperglobal(text) {
		return
	}
	scope := w.functionScope()
	if w.boundIn(id, scope) == 0 {
		w.bind(id, scope, true)
		if u := w.use[node] & useMask; u == asWrite {
			w.occur(name, &w.nodes[name], id, Definition, w.symbol, true)
			w.hide(name)
		}
	}
}

// phpForeach tells what is gone through from what it is put into: to the
// grammar both are variables in the same place.
func phpForeach(w *walker, node int32) {
	list := node + 1
	name := w.firstOf(list, "name")
	if !w.is(list, "variable_name") || name < 0 {
		return
	}
	id := w.nameOf(&w.nodes[name])
	if w.inFunction() && !w.isLocal(id) && !phpSuperglobal(w.textOf(name)) {
		w.bind(id, w.functionScope(), true)
	}
	w.mention(name, &w.nodes[name], id, Read, false)
	w.hide(name)
}

func phpSuperglobal(name string) bool {
	switch name {
	case "GLOBALS", "_COOKIE", "_ENV", "_FILES", "_GET", "_POST", "_REQUEST", "_SERVER", "_SESSION", "this":
		return true
	}
	return false
}

// phpPromoted makes a promoted property a parameter too.
func phpPromoted(w *walker, node int32) {
	if name := w.leafOf(w.child(node, "name")); name >= 0 {
		w.bind(w.nameOf(&w.nodes[name]), int32(len(w.scopes)-1), true)
	}
}

// phpMember gives a member its qualifier, which lies one level deeper than in
// other languages: the name in the variable.
func phpMember(w *walker, node int32) {
	object, name := w.child(node, "object"), w.child(node, "name")
	if !w.is(object, "variable_name") || !w.is(name, "name") {
		return
	}
	role := roleOf[w.place(node, &w.nodes[name])&useMask]
	if role == Definition {
		role = Write
	}
	w.mentionAs(name, w.lastLeaf(object), role)
	w.hide(name)
}

// phpClassConstant reads A::B: a type and a member of it.
func phpClassConstant(w *walker, node int32) {
	first := node + 1
	name := w.lastLeaf(node)
	if !w.is(name, "name") || w.parent(name) != node || w.nodes[node].Next == first+1 {
		return
	}
	switch {
	case w.is(first, "name"):
		w.mentionAs(first, -1, TypeUse)
		w.mentionAs(name, first, Read)
		w.hide(first)
	case w.is(first, "relative_scope"):
		w.mentionAs(name, first, Read)
	case w.is(first, "qualified_name") && w.is(w.lastLeaf(first), "name"):
		w.mentionAs(w.lastLeaf(first), -1, TypeUse)
		w.mentionAs(name, w.lastLeaf(first), Read)
		w.hide(w.lastLeaf(first))
	default:
		return
	}
	w.hide(name)
}

// phpDefine makes a symbol of a constant that is defined by a call.
func phpDefine(w *walker, node int32) {
	if w.textOf(w.child(node, "function")) != "define" {
		return
	}
	argument := w.firstOf(w.child(node, "arguments"), "argument")
	if argument < 0 {
		return
	}
	if name := w.firstOf(argument, "string"); name >= 0 && w.nodes[name].End > w.nodes[name].Start+2 {
		n := w.nodes[name]
		n.Start++
		w.newSymbol(node, Constant, w.symbol, &n, unquote(w.textOf(name)), nil)
	}
}

// phpInclude notes a file that is read in, if its name is written out.
func phpInclude(w *walker, node int32) {
	path := ""
	for j := node + 1; j < w.nodes[node].Next; j++ {
		if w.is(j, "variable_name") {
			return
		}
		if w.is(j, "string") || w.is(j, "encapsed_string") {
			path += unquote(w.textOf(j))
		}
	}
	if path = strings.TrimPrefix(path, "/"); path != "" {
		w.addImport(Import{Path: path, Line: w.line(node)})
	}
}

// phpUse notes what a use declaration brings in.
func phpUse(w *walker, node int32) {
	prefix := w.textOf(w.firstOf(node, "namespace_name"))
	if prefix != "" {
		prefix += `\`
	}
	for j := node + 1; j < w.nodes[node].Next; j++ {
		if !w.is(j, "namespace_use_clause") {
			continue
		}
		path := prefix + strings.TrimPrefix(w.textOf(w.firstOf(j, "qualified_name", "name")), `\`)
		i := Import{Path: path, Alias: w.textOf(w.child(j, "alias")), Line: w.line(j)}
		if at := strings.LastIndexByte(path, '\\'); at >= 0 {
			i.Names = []string{path[at+1:]}
		}
		w.addImport(i)
	}
}

// phpConst makes a symbol of a constant: its name fills no field.
func phpConst(w *walker, node int32) {
	if name := w.firstOf(node, "name"); name >= 0 {
		w.mean(name, w.newSymbol(node, Constant, w.symbol, &w.nodes[name], w.textOf(name), nil))
	}
}
