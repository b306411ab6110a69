package syntax

import (
	"slices"
	"strings"
)

// specCSharp is the row of the language.
var specCSharp = &spec{name: CSharp, rules: &csharpRules}

var csharpRules = rules{
	grammar: "csharp",
	names:   map[string]use{"identifier": asRead, "implicit_parameter": asRead},
	flow: map[string]use{
		"invocation_expression.function":                          asCall,
		"member_access_expression.name":                           handOn | member,
		"member_binding_expression.name":                          handOn | member,
		"generic_name>identifier":                                 handOn,
		"qualified_name.name":                                     handOn | member,
		"qualified_name.qualifier":                                asRead,
		"alias_qualified_name.name":                               handOn | member,
		"alias_qualified_name.alias":                              asRead,
		"object_creation_expression.type":                         asCall,
		"assignment_expression.left":                              asWrite,
		"postfix_unary_expression:++":                             asWrite,
		"postfix_unary_expression:--":                             asWrite,
		"prefix_unary_expression:++":                              asWrite,
		"prefix_unary_expression:--":                              asWrite,
		"element_access_expression.expression":                    handOn,
		"conditional_access_expression>member_binding_expression": handOn,
		"namespace_declaration>qualified_name":                    asNothing,
		"file_scoped_namespace_declaration>qualified_name":        asNothing,
		"with_initializer>identifier":                             asWrite | member,
		"type_parameter_constraints_clause":                       asType,
		"tuple_pattern":                                           handOn,
		"parenthesized_variable_designation":                      handOn,
		"variable_declarator>tuple_pattern":                       asBind,
		"var_pattern":                                             asBind,
		"recursive_pattern.type":                                  asType,
		"recursive_pattern.name":                                  asBind,
		"type_pattern":                                            asType,
		"from_clause.name":                                        asBind,
		"from_clause.type":                                        asType,
		"query_expression>identifier":                             asBind,
		"join_into_clause":                                        asBind,
		"catch_declaration":                                       asType,
		"scoped_type":                                             handOn,
		"sizeof_expression.type":                                  asType,
		"subpattern>identifier":                                   asRead,
		"using_directive":                                         asImport,
		"using_directive.name":                                    asNothing,
		"attribute.name":                                          asType,
		"base_list":                                               asType,
		"type_argument_list":                                      asType,
		"type_parameter.name":                                     asParam,
		"type_parameter_constraint.type":                          asType,
		"parameter.name":                                          asParam,
		"parameter_list.name":                                     asParam, // behind params
		"parameter_list.type":                                     asType,
		"parameter.type":                                          asType,
		"implicit_parameter":                                      asBind,
		"lambda_expression.parameters":                            asBind,
		"variable_declaration.type":                               asType,
		"method_declaration.returns":                              asType,
		"property_declaration.type":                               asType,
		"event_declaration.type":                                  asType,
		"delegate_declaration.type":                               asType,
		"local_function_statement.type":                           asType,
		"indexer_declaration.type":                                asType,
		"conversion_operator_declaration.type":                    asType,
		"operator_declaration.type":                               asType,
		"cast_expression.type":                                    asType,
		"as_expression.right":                                     asType,
		"is_expression.right":                                     asType,
		"typeof_expression.type":                                  asType,
		"default_expression.type":                                 asType,
		"nullable_type.type":                                      asType,
		"array_type.type":                                         asType,
		"pointer_type.type":                                       asType,
		"ref_type.type":                                           asType,
		"tuple_element.type":                                      asType,
		"tuple_element.name":                                      asNothing,
		"primary_constructor_base_type.type":                      asType,
		"catch_declaration.type":                                  asType,
		"catch_declaration.name":                                  asBind,
		"foreach_statement.type":                                  asType,
		"foreach_statement.left":                                  asBind,
		"declaration_expression.type":                             asType,
		"declaration_expression.name":                             asBind,
		"declaration_pattern.type":                                asType,
		"declaration_pattern.name":                                asBind,
		"explicit_interface_specifier":                            asType,
		"argument.name":                                           asNothing,
		"labeled_statement>identifier":                            asNothing,
		"goto_statement":                                          asNothing,
	},
	through: "parenthesized_expression tuple_expression argument",
	splits: []split{
		{"postfix_unary_expression", []string{"++", "--"}},
		{"prefix_unary_expression", []string{"++", "--"}},
	},
	decls: []decl{
		{node: "namespace_declaration", kind: Namespace, name: "name", body: "body", sort: property, opens: moduleScope},
		{node: "file_scoped_namespace_declaration", kind: Namespace, name: "name", sort: property, opens: moduleScope},
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
		{node: "event_declaration", kind: Property, name: "name", body: "accessors", sort: property},
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
		"switch_expression_arm":           blockScope,
		"query_expression":                blockScope,
		"accessor_declaration":            functionScope,
	},
	qualifiers: "member_access_expression.expression qualified_name.qualifier",
	paths:      "qualified_name.name",
	plain:      "this base",
	comments:   "comment",
	leads:      "attribute_list",
	wrappers:   "field_declaration variable_declaration event_field_declaration",
	skip:       "integer_literal real_literal character_literal boolean_literal null_literal predefined_type implicit_type escape_sequence",
	leaves:     "string_literal verbatim_string_literal raw_string_literal",
	blank:      "_",
	hooks: map[string]func(*walker, int32){
		"using_directive":                   csharpUsing,
		"namespace_declaration":             csharpNamespace,
		"file_scoped_namespace_declaration": csharpNamespace,
		"record_declaration":                csharpComponents,
		"method_declaration":                csharpTypeParameters,
		"delegate_declaration":              csharpTypeParameters,
		"local_function_statement":          csharpTypeParameters,
		"block":                             csharpLocalFunctions,
		"constant_pattern":                  csharpPositional,
		"accessor_declaration":              csharpValue,
		"let_clause":                        csharpRange,
		"join_clause":                       csharpRange,
		"indexer_declaration":               csharpNameless,
		"operator_declaration":              csharpNameless,
		"conversion_operator_declaration":   csharpNameless,
	},
	finish: csharpFinish,
	atEnd: func(w *walker) {
		inOrder(w)
		fileNamespace(w)
		w.occs = slices.DeleteFunc(w.occs, func(o occurrence) bool { return o.role == Call && w.intern.names[o.name] == "nameof" })
	},
}

// csharpFinish says what is constant and what is exported: what is public or
// protected in something that is.
func csharpFinish(w *walker, node int32, s *Symbol) {
	holder := node
	switch {
	case w.is(node, "variable_declarator"):
		if list := w.parent(node); list >= 0 && w.parent(list) >= 0 {
			holder = w.parent(list) // on broken code there may be none
		}
		if !w.inFunction() && holder != node {
			s.Kind = Field
			switch {
			case csharpModifier(w, holder, "const"):
				s.Kind = Constant
			case w.is(holder, "event_field_declaration"):
				s.Kind = Property
			}
			w.sharedHead(holder, node, s)
		}
	case w.is(node, "destructor_declaration"):
		s.Name = "~" + s.Name
	case w.is(node, "record_declaration") && w.hasKeyword(node, w.child(node, "name"), "struct"):
		s.Kind = Struct
	}
	w.ownDoc(holder, s)
	s.Doc = withoutTags(s.Doc)
	if s.Kind == Namespace {
		s.Exported = true
		return
	}
	if w.inFunction() || !w.parentExported(s) {
		return
	}
	implicit := s.Kind == EnumMember || s.Parent >= 0 && w.file.Symbols[s.Parent].Kind == Interface
	s.Exported = implicit || csharpModifier(w, holder, "public") ||
		csharpModifier(w, holder, "protected") && !csharpModifier(w, holder, "private")
}

// csharpNamespace passes over the parts of the name of a namespace.
func csharpNamespace(w *walker, node int32) {
	if name := w.child(node, "name"); w.is(name, "qualified_name") {
		w.hide(name)
	}
}

// withoutTags takes the tags of XML out of documentation; of those that stand
// for something, what they name stays.
func withoutTags(doc string) string {
	if !strings.Contains(doc, "<") {
		return doc
	}
	var b strings.Builder
	for rest := doc; ; {
		before, tag, ok := strings.Cut(rest, "<")
		b.WriteString(before)
		if !ok {
			break
		}
		if tag == "" || tag[0] != '/' && (tag[0] < 'a' || tag[0] > 'z') {
			b.WriteByte('<')
			rest = tag
			continue
		}
		tag, rest, ok = strings.Cut(tag, ">")
		if !ok {
			b.WriteString("<" + tag)
			break
		}
		if _, value, ok := strings.Cut(tag, `="`); ok {
			value, _, _ = strings.Cut(value, `"`)
			b.WriteString(value)
			if !strings.HasSuffix(tag, "/") {
				b.WriteString(": ")
			}
		}
	}
	lines := strings.Split(b.String(), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// csharpComponents makes properties of what a record is made of.
func csharpComponents(w *walker, record int32) {
	var names []plan
	for c := range w.children(w.firstOf(record, "parameter_list")) {
		name := w.child(c, "name")
		if name < 0 || !w.is(c, "parameter") || w.symbol < 0 {
			continue
		}
		i := w.newSymbol(c, Property, w.symbol, &w.nodes[name], w.textOf(name), nil)
		w.file.Symbols[i].Exported = w.file.Symbols[w.symbol].Exported
		names = append(names, plan{node: name, symbol: i})
	}
	list := w.firstOf(record, "parameter_list")
	if name := w.child(list, "name"); name >= 0 && w.symbol >= 0 { // behind params
		i := w.newSymbol(name, Property, w.symbol, &w.nodes[name], w.textOf(name), nil)
		s := &w.file.Symbols[i]
		s.Exported = w.file.Symbols[w.symbol].Exported
		if t := w.child(list, "type"); t >= 0 && t < name {
			s.Signature = oneLine(w.src[w.nodes[t].Start:w.nodes[name].End])
		}
		names = append(names, plan{node: name, symbol: i})
	}
	w.meanAll(names)
}

// csharpTypeParameters makes type parameters known from the start of a
// declaration on: the type of what it returns stands before them.
func csharpTypeParameters(w *walker, node int32) {
	if f := w.declaration(node); f == nil || !f.opensOne {
		return
	}
	var names []plan
	for c := range w.children(w.firstOf(node, "type_parameter_list")) {
		if name := w.child(c, "name"); name >= 0 {
			w.bind(w.nameOf(&w.nodes[name]), int32(len(w.scopes)-1), true)
			names = append(names, plan{node: name, symbol: planLocal})
		}
	}
	w.meanAll(names)
}

// csharpLocalFunctions makes the functions declared in a block known from its
// start on.
func csharpLocalFunctions(w *walker, block int32) {
	for c := range w.children(block) {
		if name := w.child(c, "name"); name >= 0 && w.is(c, "local_function_statement") {
			w.bind(w.nameOf(&w.nodes[name]), int32(len(w.scopes)-1), true)
		}
	}
}

// csharpPositional notes the type of a pattern like Opened(var at, _), which is
// a call to the grammar.
func csharpPositional(w *walker, pattern int32) {
	function := w.child(w.firstOf(pattern, "invocation_expression"), "function")
	if name := w.child(function, "name"); w.is(function, "member_access_expression") && w.is(name, "identifier") {
		function = name
	}
	if w.is(function, "identifier") {
		w.mentionAs(function, -1, TypeUse)
		w.nodes[function].Kind = 0
	}
}

// csharpValue makes value known in an accessor, where it is what is set.
func csharpValue(w *walker, node int32) {
	w.bind(w.nameID("value"), int32(len(w.scopes)-1), true)
}

// csharpRange declares the name at the start of a clause of a query.
func csharpRange(w *walker, clause int32) {
	name := w.firstOf(clause, "identifier")
	if name < 0 {
		return
	}
	n := &w.nodes[name]
	id := w.nameOf(n)
	w.bind(id, int32(len(w.scopes)-1), true)
	w.occur(name, n, id, Definition, w.symbol, true)
	w.hide(name)
}

// csharpNameless makes symbols of members that have no name: operators and
// indexers.
func csharpNameless(w *walker, node int32) {
	at := w.child(node, "parameters")
	if at < 0 || len(w.scopes) < 2 || w.scopes[len(w.scopes)-2].kind != classScope {
		return
	}
	kind, name := Property, "this[]"
	if !w.is(node, "indexer_declaration") {
		head := w.text[w.nodes[node].Start:w.nodes[at].Start]
		kind, name = Method, "operator "+strings.TrimSpace(head[strings.LastIndex(head, "operator")+len("operator"):])
	}
	i := w.newSymbol(node, kind, w.symbol, &w.nodes[at], name, nil)
	s := &w.file.Symbols[i]
	inInterface := s.Parent >= 0 && w.file.Symbols[s.Parent].Kind == Interface
	s.Exported = (inInterface || csharpModifier(w, node, "public")) && w.parentExported(s)
	for _, body := range []string{"body", "accessors", "value"} {
		if b := w.child(node, body); b >= 0 {
			s.Signature = oneLine(w.src[w.afterLeads(node):w.nodes[b].Start])
		}
	}
	w.symbol = i
	w.frames[len(w.frames)-1].hasSymbol = true
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

// csharpUsing notes a namespace or a type that is brought in.
func csharpUsing(w *walker, node int32) {
	i := Import{Line: w.line(node), Alias: w.textOf(w.child(node, "name"))}
	for c := range w.children(node) {
		if !w.in(c, "name") && w.nodes[c].Kind != 0 {
			i.Path = strings.Join(strings.Fields(w.textOf(c)), "")
			if w.is(c, "tuple_type") {
				i.Path = oneLine([]byte(w.textOf(c)))
			}
		}
	}
	w.addImport(i)
}
