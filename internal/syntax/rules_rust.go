package syntax

import "strings"

var rustRules = rules{
	grammar: "rust",
	names: map[string]use{
		"identifier":                 asRead,
		"type_identifier":            asType,
		"field_identifier":           asRead | member,
		"shorthand_field_identifier": asRead | member,
	},
	flow: map[string]use{
		"call_expression.function":         asCall,
		"field_expression.field":           handOn | member,
		"scoped_identifier.name":           handOn | member,
		"scoped_identifier.path":           asRead,
		"scoped_type_identifier.name":      asType | member,
		"macro_invocation.macro":           asCall,
		"struct_expression.name":           asType,
		"assignment_expression.left":       asWrite,
		"compound_assignment_expr.left":    asWrite,
		"field_initializer.field":          asRead | member,
		"use_declaration.argument":         asImport,
		"use_list":                         handOn,
		"use_as_clause.path":               handOn,
		"use_as_clause.alias":              asImport,
		"use_wildcard":                     handOn,
		"scoped_use_list.list":             handOn,
		"extern_crate_declaration.name":    asImport,
		"parameter.pattern":                asBind,
		"closure_parameters":               asBind,
		"for_expression.pattern":           asBind,
		"let_condition.pattern":            asBind,
		"match_arm.pattern":                asBind,
		"match_pattern":                    handOn,
		"match_pattern.condition":          asRead,
		"tuple_pattern":                    handOn,
		"slice_pattern":                    handOn,
		"ref_pattern":                      handOn,
		"mut_pattern":                      handOn,
		"reference_pattern":                handOn,
		"captured_pattern":                 handOn,
		"or_pattern":                       handOn,
		"tuple_struct_pattern":             handOn,
		"tuple_struct_pattern.type":        asRead,
		"struct_pattern":                   handOn,
		"struct_pattern.type":              asType,
		"field_pattern.name":               asRead | member,
		"field_pattern.pattern":            handOn,
		"type_parameter.name":              asParam,
		"const_parameter.name":             asParam,
		"lifetime":                         asNothing,
		"label":                            asNothing,
		"type_binding.name":                asType | member,
		"generic_function.function":        handOn,
		"generic_type.type":                handOn,
		"generic_type_with_turbofish.type": handOn,
		"visibility_modifier":              asNothing,
	},
	through: "parenthesized_expression",
	decls: []decl{
		{node: "function_item", kind: Function, member: Method, name: "name", body: "body", opens: functionScope},
		{node: "function_signature_item", kind: Function, member: Method, name: "name", opens: functionScope},
		{node: "struct_item", kind: Struct, name: "name", body: "body", opens: classScope},
		{node: "union_item", kind: Struct, name: "name", body: "body", opens: classScope},
		{node: "enum_item", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "enum_variant", kind: EnumMember, name: "name", sort: field, opens: classScope},
		{node: "field_declaration", kind: Field, name: "name", sort: field},
		{node: "trait_item", kind: Trait, name: "name", body: "body", opens: classScope},
		{node: "impl_item", kind: Impl, name: "type", body: "body", opens: classScope},
		{node: "type_item", kind: Type, name: "name"},
		{node: "associated_type", kind: Type, name: "name", sort: property},
		{node: "mod_item", kind: Module, name: "name", body: "body", opens: moduleScope},
		{node: "macro_definition", kind: Macro, name: "name", cut: "{"},
		{node: "const_item", kind: Constant, name: "name", sort: variable},
		{node: "static_item", kind: Variable, name: "name", sort: variable},
		{node: "let_declaration", kind: Variable, name: "pattern", sort: variable, after: true},
	},
	scopes: map[string]scope{
		"block":              blockScope,
		"closure_expression": functionScope,
		"for_expression":     blockScope,
		"match_arm":          blockScope,
		"if_expression":      blockScope,
		"while_expression":   blockScope,
	},
	qualifiers: "field_expression.value scoped_identifier.path scoped_type_identifier.path",
	plain:      "self crate super",
	comments:   "line_comment block_comment",
	leads:      "attribute_item",
	skip:       "integer_literal float_literal char_literal boolean_literal escape_sequence lifetime",
	leaves:     "string_literal raw_string_literal",
	blank:      "_",
	builtins:   "Self String Vec Option Result Box",
	hooks:      map[string]func(*walker, int32){"use_declaration": rustUse},
	finish: func(w *walker, node int32, s *Symbol) {
		inTrait := s.Parent >= 0 && (w.file.Symbols[s.Parent].Kind == Trait || w.file.Symbols[s.Parent].Kind == Enum)
		s.Exported = !w.inFunction() && (w.firstOf(node, "visibility_modifier") >= 0 || inTrait && w.parentExported(s) || s.Kind == Impl)
	},
}

// rustUse notes what a use declaration names, spelt out path by path.
func rustUse(w *walker, node int32) {
	text := strings.TrimSpace(w.textOf(w.child(node, "argument")))
	base, list, ok := strings.Cut(text, "::{")
	i := Import{Path: base, Line: w.line(node)}
	if ok {
		for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return strings.ContainsRune("{}, \t\r\n", r) }) {
			i.Names = append(i.Names, name)
		}
	} else if path, alias, ok := strings.Cut(text, " as "); ok {
		i.Path, i.Alias = path, alias
	} else if at := strings.LastIndex(text, "::"); at >= 0 {
		i.Names = []string{text[at+2:]}
	}
	w.addImport(i)
}
