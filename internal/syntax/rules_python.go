package syntax

import "strings"

var pythonRules = rules{
	grammar: "python",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"call.function":                     asCall,
		"attribute.attribute":               handOn | member,
		"attribute.object":                  asRead,
		"subscript.value":                   asRead,
		"decorator":                         asCall,
		"type":                              asType,
		"type_parameter":                    asType,
		"class_definition.superclasses":     asRead,
		"augmented_assignment.left":         asWrite,
		"named_expression.name":             asBind,
		"for_statement.left":                asBind,
		"for_in_clause.left":                asBind,
		"as_pattern.alias":                  asBind,
		"as_pattern_target":                 handOn,
		"except_clause.alias":               asBind,
		"pattern_list":                      handOn,
		"tuple_pattern":                     handOn,
		"list_pattern":                      handOn,
		"list_splat_pattern":                handOn,
		"dictionary_splat_pattern":          handOn,
		"parameters":                        asBind,
		"lambda_parameters":                 asBind,
		"default_parameter.name":            asBind,
		"typed_parameter":                   asBind,
		"typed_parameter.type":              asType,
		"typed_default_parameter.name":      asBind,
		"keyword_argument.name":             asNothing,
		"import_statement.name":             asImport,
		"import_from_statement.name":        asImport,
		"import_from_statement.module_name": asImport,
		"future_import_statement":           asNothing,
		"dotted_name":                       handOn,
		"relative_import":                   handOn,
		"aliased_import.name":               handOn,
		"aliased_import.alias":              asImport,
		"global_statement":                  asRead,
		"nonlocal_statement":                asRead,
	},
	through: "parenthesized_expression",
	sticky:  true,
	decls: []decl{
		{node: "function_definition", kind: Function, member: Method, name: "name", body: "body", opens: functionScope},
		{node: "class_definition", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "assignment", kind: Variable, member: Field, name: "left", sort: variable, once: true},
		{node: "type_alias_statement", kind: Type, name: "left"},
	},
	scopes: map[string]scope{
		"lambda":                   functionScope,
		"list_comprehension":       functionScope,
		"set_comprehension":        functionScope,
		"dictionary_comprehension": functionScope,
		"generator_expression":     functionScope,
	},
	qualifiers: "attribute.object",
	comments:   "comment",
	leads:      "decorator",
	wrappers:   "decorated_definition expression_statement",
	skip:       "integer float true false none ellipsis escape_sequence string_start string_end string_content",
	hoist:      true,
	blank:      "_",
	builtins:   "str int float bool bytes list dict set tuple object None Any Optional List Dict",
	hooks: map[string]func(*walker, int32){
		"import_statement":      pythonImport,
		"import_from_statement": pythonImport,
	},
	finish: func(w *walker, node int32, s *Symbol) {
		if s.Kind == Method && s.Name == "__init__" {
			s.Kind = Constructor
		}
		if s.Kind == Variable && !w.inFunction() && s.Name == strings.ToUpper(s.Name) && strings.ToLower(s.Name) != s.Name {
			s.Kind = Constant
		}
		if body := w.child(node, "body"); body >= 0 {
			if doc := pythonDocstring(w, body); doc != "" {
				s.Doc = doc
			}
		}
		s.Exported = !w.inFunction() && (!strings.HasPrefix(s.Name, "_") || strings.HasPrefix(s.Name, "__") && strings.HasSuffix(s.Name, "__"))
	},
}

// pythonDocstring returns the string that a body begins with, "" if it begins
// with anything else.
func pythonDocstring(w *walker, body int32) string {
	for c := range w.children(body) {
		if w.is(c, "comment") {
			continue
		}
		if w.is(c, "expression_statement") {
			if s := w.firstOf(c, "string"); s >= 0 {
				return docstringText(w.textOf(s))
			}
		}
		break
	}
	return ""
}

func pythonImport(w *walker, node int32) {
	module := w.textOf(w.child(node, "module_name"))
	from := Import{Path: module, Line: w.line(node)}
	for c := range w.children(node) {
		if !w.in(c, "name") {
			if w.is(c, "wildcard_import") {
				from.Names = append(from.Names, "*")
			}
			continue
		}
		name, alias := w.textOf(c), ""
		if w.is(c, "aliased_import") {
			name, alias = w.textOf(w.child(c, "name")), w.textOf(w.child(c, "alias"))
		}
		if module == "" {
			w.addImport(Import{Path: name, Alias: alias, Line: w.line(c)})
			continue
		}
		from.Names = append(from.Names, name)
		if alias != "" {
			from.Alias = alias
		}
	}
	if module != "" {
		w.addImport(from)
	}
}
