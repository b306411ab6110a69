package syntax

import "strings"

var javaRules = rules{
	grammar: "java",
	names: map[string]use{
		"identifier":      asRead,
		"type_identifier": asType,
	},
	flow: map[string]use{
		"method_invocation.name":              asCall | member,
		"method_invocation.object":            asRead,
		"field_access.field":                  handOn | member,
		"scoped_identifier.name":              handOn | member,
		"scoped_type_identifier":              asType | member,
		"object_creation_expression.type":     asCall,
		"generic_type>type_identifier":        handOn,
		"annotation.name":                     asType,
		"marker_annotation.name":              asType,
		"assignment_expression.left":          asWrite,
		"update_expression":                   asWrite,
		"package_declaration":                 asNothing,
		"import_declaration":                  asImport,
		"labeled_statement>identifier":        asNothing,
		"break_statement":                     asNothing,
		"continue_statement":                  asNothing,
		"element_value_pair.key":              asRead | member,
		"formal_parameter.name":               asBind,
		"catch_formal_parameter.name":         asBind,
		"enhanced_for_statement.name":         asBind,
		"resource.name":                       asBind,
		"instanceof_expression.name":          asBind,
		"type_pattern>identifier":             asBind,
		"record_pattern_component>identifier": asBind,
		"inferred_parameters":                 asBind,
		"lambda_expression.parameters":        asBind,
		"type_parameter>type_identifier":      asParam,
		"method_reference>identifier":         asRead,
	},
	through: "parenthesized_expression",
	decls: []decl{
		{node: "class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "record_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "interface_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "annotation_type_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "enum_declaration", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "enum_constant", kind: EnumMember, name: "name", body: "body", sort: field, opens: classScope},
		{node: "method_declaration", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "annotation_type_element_declaration", kind: Method, name: "name", sort: property},
		{node: "constructor_declaration", kind: Constructor, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "compact_constructor_declaration", kind: Constructor, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "variable_declarator", kind: Variable, name: "name", sort: variable, after: true,
			under: map[string]Kind{"field_declaration": Field, "constant_declaration": Constant}},
	},
	scopes: map[string]scope{
		"block":                        blockScope,
		"constructor_body":             blockScope,
		"lambda_expression":            functionScope,
		"static_initializer":           functionScope,
		"for_statement":                blockScope,
		"enhanced_for_statement":       blockScope,
		"catch_clause":                 blockScope,
		"try_with_resources_statement": blockScope,
		"switch_block_statement_group": blockScope,
		"switch_rule":                  blockScope,
		"class_body":                   classScope,
	},
	qualifiers: "method_invocation.object field_access.object scoped_identifier.scope",
	plain:      "this super",
	comments:   "line_comment block_comment",
	wrappers:   "field_declaration constant_declaration",
	skip: "decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal decimal_floating_point_literal" +
		" hex_floating_point_literal character_literal true false null_literal escape_sequence string_fragment",
	builtins: "String Object Integer Long Boolean Double Float Short Byte Character Void",
	hooks:    map[string]func(*walker, int32){"import_declaration": javaImport},
	finish: func(w *walker, node int32, s *Symbol) {
		if w.is(node, "variable_declarator") {
			node = w.parent(node)
			if s.Kind == Field && javaModifier(w, node, "static") && javaModifier(w, node, "final") {
				s.Kind = Constant
			}
		}
		inInterface := s.Parent >= 0 && (w.file.Symbols[s.Parent].Kind == Interface || w.is(node, "enum_constant"))
		s.Exported = !w.inFunction() && (javaModifier(w, node, "public") || inInterface && w.parentExported(s))
	},
}

// javaModifier says whether a declaration carries a modifier.
func javaModifier(w *walker, node int32, modifier string) bool {
	m := w.firstOf(node, "modifiers")
	if m < 0 {
		return false
	}
	for word := range strings.FieldsSeq(w.textOf(m)) {
		if word == modifier {
			return true
		}
	}
	return false
}

func javaImport(w *walker, node int32) {
	name := w.firstOf(node, "scoped_identifier", "identifier")
	path := w.textOf(name)
	i := Import{Path: path, Line: w.line(node)}
	if w.firstOf(node, "asterisk") < 0 {
		if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
			i.Names = []string{path[dot+1:]}
		}
	}
	w.addImport(i)
}
