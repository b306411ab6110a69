package syntax

import "strings"

var csharpRules = rules{
	grammar: "csharp",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"invocation_expression.function":       asCall,
		"member_access_expression.name":        handOn | member,
		"member_binding_expression.name":       handOn | member,
		"generic_name>identifier":              handOn,
		"qualified_name.name":                  handOn | member,
		"qualified_name.qualifier":             asRead,
		"object_creation_expression.type":      asCall,
		"assignment_expression.left":           asWrite,
		"postfix_unary_expression":             asRead,
		"using_directive":                      asImport,
		"using_directive.name":                 asNothing,
		"attribute.name":                       asType,
		"base_list":                            asType,
		"type_argument_list":                   asType,
		"type_parameter.name":                  asParam,
		"type_parameter_constraint.type":       asType,
		"parameter.name":                       asBind,
		"parameter.type":                       asType,
		"implicit_parameter":                   asBind,
		"lambda_expression.parameters":         asBind,
		"variable_declaration.type":            asType,
		"method_declaration.returns":           asType,
		"property_declaration.type":            asType,
		"event_declaration.type":               asType,
		"delegate_declaration.type":            asType,
		"local_function_statement.type":        asType,
		"indexer_declaration.type":             asType,
		"conversion_operator_declaration.type": asType,
		"operator_declaration.type":            asType,
		"cast_expression.type":                 asType,
		"as_expression.right":                  asType,
		"is_expression.right":                  asType,
		"typeof_expression.type":               asType,
		"default_expression.type":              asType,
		"nullable_type.type":                   asType,
		"array_type.type":                      asType,
		"pointer_type.type":                    asType,
		"ref_type.type":                        asType,
		"tuple_element.type":                   asType,
		"tuple_element.name":                   asNothing,
		"primary_constructor_base_type.type":   asType,
		"catch_declaration.type":               asType,
		"catch_declaration.name":               asBind,
		"foreach_statement.type":               asType,
		"foreach_statement.left":               asBind,
		"declaration_expression.type":          asType,
		"declaration_expression.name":          asBind,
		"declaration_pattern.type":             asType,
		"declaration_pattern.name":             asBind,
		"explicit_interface_specifier":         asType,
		"argument.name":                        asNothing,
		"labeled_statement>identifier":         asNothing,
		"goto_statement":                       asNothing,
	},
	through: "parenthesized_expression",
	decls: []decl{
		{node: "namespace_declaration", kind: Namespace, name: "name", body: "body", opens: moduleScope},
		{node: "file_scoped_namespace_declaration", kind: Namespace, name: "name", opens: moduleScope},
		{node: "class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "record_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "struct_declaration", kind: Struct, name: "name", body: "body", opens: classScope},
		{node: "interface_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "enum_declaration", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "enum_member_declaration", kind: EnumMember, name: "name", sort: field},
		{node: "delegate_declaration", kind: Type, name: "name", opens: functionScope},
		{node: "method_declaration", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "constructor_declaration", kind: Constructor, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "destructor_declaration", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "property_declaration", kind: Property, name: "name", body: "accessors", sort: property, opens: functionScope},
		{node: "event_declaration", kind: Property, name: "name", sort: property},
		{node: "local_function_statement", kind: Function, name: "name", body: "body", opens: functionScope},
		{node: "variable_declarator", kind: Variable, name: "name", sort: variable, after: true},
	},
	scopes: map[string]scope{
		"block":                           blockScope,
		"lambda_expression":               functionScope,
		"anonymous_method_expression":     functionScope,
		"operator_declaration":            functionScope,
		"conversion_operator_declaration": functionScope,
		"indexer_declaration":             functionScope,
		"for_statement":                   blockScope,
		"foreach_statement":               blockScope,
		"using_statement":                 blockScope,
		"catch_clause":                    blockScope,
		"switch_section":                  blockScope,
	},
	qualifiers: "member_access_expression.expression qualified_name.qualifier",
	plain:      "this base",
	comments:   "comment",
	leads:      "attribute_list",
	wrappers:   "field_declaration variable_declaration event_field_declaration",
	skip:       "integer_literal real_literal character_literal boolean_literal null_literal predefined_type implicit_type escape_sequence",
	leaves:     "string_literal verbatim_string_literal raw_string_literal",
	blank:      "_",
	hooks:      map[string]func(*walker, int32){"using_directive": csharpUsing},
	finish: func(w *walker, node int32, s *Symbol) {
		holder := node
		if w.is(node, "variable_declarator") {
			holder = w.parent(w.parent(node))
			if !w.inFunction() {
				s.Kind = Field
				if csharpModifier(w, holder, "const") {
					s.Kind = Constant
				}
			}
		}
		inInterface := s.Parent >= 0 && (w.file.Symbols[s.Parent].Kind == Interface || s.Kind == EnumMember)
		s.Exported = s.Kind == Namespace || !w.inFunction() && (csharpModifier(w, holder, "public") || inInterface && w.parentExported(s))
	},
}

func csharpModifier(w *walker, node int32, modifier string) bool {
	if node < 0 {
		return false
	}
	for c := range w.children(node) {
		if w.is(c, "modifier") && w.textOf(c) == modifier {
			return true
		}
	}
	return false
}

func csharpUsing(w *walker, node int32) {
	i := Import{Line: w.line(node), Alias: w.textOf(w.child(node, "name"))}
	for c := range w.children(node) {
		if !w.in(c, "name") && (w.is(c, "qualified_name") || w.is(c, "identifier") || w.is(c, "alias_qualified_name")) {
			i.Path = strings.Join(strings.Fields(w.textOf(c)), "")
		}
	}
	w.addImport(i)
}
