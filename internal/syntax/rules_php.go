package syntax

import "strings"

var phpRules = rules{
	grammar: "php",
	names:   map[string]use{"name": asRead},
	flow: map[string]use{
		"variable_name":                             handOn,
		"function_call_expression.function":         asCall,
		"qualified_name":                            handOn | member,
		"qualified_name.prefix":                     asNothing,
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
	decls: []decl{
		{node: "namespace_definition", kind: Namespace, name: "name", body: "body", opens: moduleScope},
		{node: "class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "interface_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "trait_declaration", kind: Trait, name: "name", body: "body", opens: classScope},
		{node: "enum_declaration", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "enum_case", kind: EnumMember, name: "name", sort: field},
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
	plain:    "variable_name relative_scope",
	comments: "comment",
	wrappers: "property_declaration",
	skip:     "integer float boolean null text escape_sequence primitive_type php_tag php_end_tag",
	leaves:   "string nowdoc",
	hooks: map[string]func(*walker, int32){
		"namespace_use_declaration": phpUse,
		"const_element":             phpConst,
	},
	finish: func(w *walker, node int32, s *Symbol) {
		if w.is(node, "property_element") {
			node = w.parent(node)
		}
		if s.Kind == Method && strings.EqualFold(s.Name, "__construct") {
			s.Kind = Constructor
		}
		s.Exported = !w.inFunction()
		if v := w.firstOf(node, "visibility_modifier"); v >= 0 {
			s.Exported = w.textOf(v) == "public"
		}
	},
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
		s := w.newSymbol(node, Constant, w.symbol, &w.nodes[name], w.textOf(name), nil)
		w.meant = append(w.meant, plan{node: name, symbol: s})
	}
}
