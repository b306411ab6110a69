package syntax

import "strings"

var cRules = rules{
	grammar:    "c",
	names:      cNames,
	flow:       cFlow,
	through:    cThrough,
	splits:     cSplits,
	decls:      cDecls,
	scopes:     cScopes,
	qualifiers: "field_expression.argument",
	comments:   "comment",
	skip:       cSkip,
	leaves:     "string_literal system_lib_string",
	builtins:   cBuiltins,
	hooks:      map[string]func(*walker, int32){"preproc_include": cInclude},
	finish:     cFinish,
}

var cNames = map[string]use{
	"identifier":       asRead,
	"type_identifier":  asType,
	"field_identifier": asRead | member,
}

var cFlow = map[string]use{
	"call_expression.function":         asCall,
	"field_expression.field":           handOn | member,
	"assignment_expression.left":       asWrite,
	"update_expression.argument":       asWrite,
	"pointer_declarator.declarator":    handOn,
	"array_declarator.declarator":      handOn,
	"function_declarator.declarator":   handOn,
	"function_declarator>identifier":   asNothing,
	"init_declarator.declarator":       handOn,
	"parenthesized_declarator":         handOn,
	"attributed_declarator":            handOn,
	"parameter_declaration.declarator": asBind,
	"preproc_params":                   asNothing,
	"preproc_ifdef.name":               asRead,
	"field_designator":                 asRead | member,
	"initializer_pair.designator":      asRead | member,
	"goto_statement":                   asNothing,
	"labeled_statement":                asNothing,
	"attribute.name":                   asNothing,
	"ms_declspec_modifier":             asNothing,
	"pointer_expression.argument":      handOn,
	"subscript_expression.argument":    handOn,
}

const cThrough = "parenthesized_expression"

var cSplits = []split{
	{"declaration", []string{"function_declarator"}},
	{"field_declaration", []string{"function_declarator"}},
	{"struct_specifier", []string{"field_declaration_list"}},
	{"union_specifier", []string{"field_declaration_list"}},
	{"enum_specifier", []string{"enumerator_list"}},
}

var cDecls = []decl{
	{node: "function_definition", kind: Function, member: Method, name: "declarator", body: "body", opens: functionScope},
	{node: "declaration:function_declarator", kind: Function, member: Method, name: "declarator", opens: functionScope},
	{node: "declaration", kind: Variable, name: "declarator", sort: variable, after: true},
	{node: "struct_specifier:field_declaration_list", kind: Struct, name: "name", body: "body", opens: classScope},
	{node: "union_specifier:field_declaration_list", kind: Struct, name: "name", body: "body", opens: classScope},
	{node: "enum_specifier:enumerator_list", kind: Enum, name: "name", body: "body", opens: moduleScope},
	{node: "enumerator", kind: EnumMember, name: "name"},
	{node: "field_declaration", kind: Field, name: "declarator", sort: field},
	{node: "field_declaration:function_declarator", kind: Method, name: "declarator", sort: property, opens: functionScope},
	{node: "type_definition", kind: Type, name: "declarator"},
	{node: "preproc_def", kind: Macro, name: "name"},
	{node: "preproc_function_def", kind: Macro, name: "name"},
}

var cScopes = map[string]scope{
	"compound_statement": blockScope,
	"for_statement":      blockScope,
}

const (
	cSkip     = "number_literal char_literal primitive_type escape_sequence null preproc_arg statement_identifier"
	cBuiltins = "size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t ptrdiff_t bool"
)

func cInclude(w *walker, node int32) {
	w.addImport(Import{Path: unquote(strings.TrimSpace(w.textOf(w.child(node, "path")))), Line: w.line(node)})
}

// cFinish says what other files can see: everything at the top of a file that is
// not static.
func cFinish(w *walker, node int32, s *Symbol) {
	s.Exported = !w.inFunction()
	if c := w.firstOf(node, "storage_class_specifier"); c >= 0 && w.textOf(c) == "static" {
		s.Exported = false
	}
	if s.Parent >= 0 {
		s.Exported = s.Exported && w.parentExported(s)
	}
}

var cppRules = rules{
	grammar: "cpp",
	names: merged(cNames, map[string]use{
		"namespace_identifier": asRead,
	}),
	flow: merged(cFlow, map[string]use{
		"reference_declarator":                      handOn,
		"variadic_declarator":                       handOn,
		"structured_binding_declarator":             asBind,
		"optional_parameter_declaration.declarator": asBind,
		"variadic_parameter_declaration.declarator": asBind,
		"for_range_loop.declarator":                 asBind,
		"lambda_capture_specifier":                  asRead,
		"qualified_identifier.name":                 handOn | member,
		"qualified_identifier.scope":                asRead,
		"template_function.name":                    handOn,
		"template_method.name":                      handOn | member,
		"template_type.name":                        asType,
		"destructor_name":                           handOn | member,
		"type_parameter_declaration":                asParam,
		"variadic_type_parameter_declaration":       asParam,
		"optional_type_parameter_declaration.name":  asParam,
		"using_declaration":                         asImport,
		"field_initializer>field_identifier":        asWrite | member,
		"base_class_clause":                         asType,
		"namespace_alias_definition.name":           asNothing,
	}),
	through: cThrough,
	splits:  append(cSplits[:len(cSplits):len(cSplits)], split{"class_specifier", []string{"field_declaration_list"}}),
	decls: append(cDecls[:len(cDecls):len(cDecls)],
		decl{node: "class_specifier:field_declaration_list", kind: Class, name: "name", body: "body", opens: classScope},
		decl{node: "namespace_definition", kind: Namespace, name: "name", body: "body", opens: moduleScope},
		decl{node: "alias_declaration", kind: Type, name: "name"},
		decl{node: "concept_definition", kind: Type, name: "name"},
	),
	scopes: merged(cScopes, map[string]scope{
		"lambda_expression":    functionScope,
		"for_range_loop":       blockScope,
		"catch_clause":         blockScope,
		"template_declaration": blockScope,
	}),
	qualifiers: "field_expression.argument qualified_identifier.scope",
	plain:      "this",
	comments:   "comment",
	wrappers:   "template_declaration",
	skip:       cSkip + " auto",
	leaves:     "string_literal system_lib_string raw_string_literal",
	builtins:   cBuiltins,
	hooks:      map[string]func(*walker, int32){"preproc_include": cInclude},
	finish:     cppFinish,
}

// cppFinish gives a member that is defined outside of its class the scope it
// names, and tells constructors by their name.
func cppFinish(w *walker, node int32, s *Symbol) {
	cFinish(w, node, s)
	if s.Kind != Function && s.Kind != Method {
		return
	}
	if declarator := w.child(node, "declarator"); declarator >= 0 {
		for j := declarator; j < w.nodes[declarator].Next; j++ {
			if w.is(j, "parameter_list") {
				break
			}
			if w.is(j, "qualified_identifier") {
				path := w.textOf(j)
				if at := strings.LastIndex(path, "::"); at > 0 {
					inner := strings.ReplaceAll(path[:at], "::", ".")
					if s.Scope != "" {
						inner = s.Scope + "." + inner
					}
					s.Scope, s.Kind = inner, Method
				}
				break
			}
		}
	}
	class := s.Scope[strings.LastIndexByte(s.Scope, '.')+1:]
	if s.Kind == Method && class != "" && s.Name == class {
		s.Kind = Constructor
	}
}

// merged returns the union of two tables; the second wins.
func merged[V any](a, b map[string]V) map[string]V {
	m := make(map[string]V, len(a)+len(b))
	for k, v := range a {
		m[k] = v
	}
	for k, v := range b {
		m[k] = v
	}
	return m
}
