package syntax

import (
	"slices"
	"strings"
)

// specScala is the row of the language.
var specScala = &spec{name: Scala, rules: &scalaRules}

var scalaRules = rules{
	grammar: "scala",
	names: map[string]use{
		"identifier":          asRead,
		"type_identifier":     asType,
		"operator_identifier": asRead,
	},
	flow: map[string]use{
		"call_expression.function":                    asCall,
		"field_expression.field":                      handOn | member,
		"generic_function.function":                   handOn,
		"infix_expression.operator":                   asCall | member,
		"infix_type.operator":                         asType,
		"infix_pattern.operator":                      asRead,
		"instance_expression":                         asCall,
		"generic_type.type":                           handOn,
		"assignment_expression.left":                  asWrite,
		"parameter.name":                              asParam,
		"class_parameter.name":                        asNothing, // see scalaField
		"type_parameters.name":                        asParam,
		"binding.name":                                asBind,
		"lambda_expression.parameters":                asBind,
		"case_clause.pattern":                         asBind,
		"enumerator>tuple_pattern":                    asBind,
		"enumerator>typed_pattern":                    asBind,
		"enumerator>case_class_pattern":               asBind,
		"case_class_pattern.pattern":                  handOn,
		"case_class_pattern.type":                     asType,
		"typed_pattern.pattern":                       handOn,
		"capture_pattern":                             handOn,
		"infix_pattern":                               handOn,
		"self_type>identifier":                        asParam,
		"interpolated_string_expression.interpolator": asNothing,
		"interpolated_string":                         handOn,
		"interpolation":                               handOn,
		"package_clause":                              asNothing,
		"package_identifier":                          handOn,
		"import_declaration":                          asNothing, // see scalaImport
		"export_declaration":                          asNothing,
		"namespace_selectors":                         handOn,
		"as_renamed_identifier":                       handOn,
		"arrow_renamed_identifier":                    handOn,
	},
	through: "tuple_pattern alternative_pattern interpolated_string_expression identifiers",
	decls: []decl{
		{node: "class_definition", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "trait_definition", kind: Trait, name: "name", body: "body", opens: classScope},
		{node: "object_definition", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "package_object", kind: Module, name: "name", body: "body", opens: moduleScope},
		{node: "enum_definition", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "simple_enum_case", kind: EnumMember, name: "name", sort: field},
		{node: "full_enum_case", kind: EnumMember, name: "name", sort: field, opens: classScope},
		{node: "function_definition", kind: Function, member: Method, name: "name", body: "body", opens: functionScope},
		{node: "function_declaration", kind: Function, member: Method, name: "name", opens: functionScope},
		{node: "val_definition", kind: Variable, member: Field, name: "pattern", sort: variable, after: true},
		{node: "var_definition", kind: Variable, member: Field, name: "pattern", sort: variable, after: true},
		{node: "val_declaration", kind: Variable, member: Field, name: "name", sort: variable},
		{node: "var_declaration", kind: Variable, member: Field, name: "name", sort: variable},
		{node: "type_definition", kind: Type, name: "name", opens: classScope},
		{node: "given_definition", kind: Variable, member: Field, name: "name", body: "body", opens: classScope},
	},
	scopes: map[string]scope{
		"extension_definition": classScope,
		"template_body":        classScope,
		"function_type":        functionScope,
		"lambda_expression":    functionScope,
		"block":                blockScope,
		"indented_block":       blockScope,
		"case_clause":          blockScope,
		"for_expression":       blockScope,
	},
	open: "class_definition trait_definition object_definition package_object enum_definition function_definition lambda_expression" +
		" case_clause for_expression given_definition",
	qualifiers: "field_expression.value",
	plain:      "this",
	comments:   "comment block_comment",
	leads:      "annotation",
	transient:  "modifiers",
	skip: "integer_literal floating_point_literal boolean_literal null_literal character_literal escape_sequence wildcard" +
		" access_modifier inline_modifier opaque_modifier",
	leaves:   "string",
	blank:    "_",
	builtins: "Any AnyRef AnyVal Boolean Byte Char Double Float Int Long Nothing Short String Unit",
	hooks: map[string]func(*walker, int32){
		"import_declaration":     scalaImport,
		"class_parameter":        scalaField,
		"case_clause":            scalaPattern,
		"enumerator":             scalaEnumerator,
		"given_definition":       scalaGiven,
		"stable_identifier":      scalaStable,
		"stable_type_identifier": scalaStable,
		"arguments":              scalaArguments,
		"infix_expression":       scalaUpdate,
	},
	finish: scalaFinish,
	atEnd: func(w *walker) {
		inOrder(w)
		w.dropWords("this", "super")
		w.occs = slices.DeleteFunc(w.occs, func(o occurrence) bool {
			return o.role == Call && slices.Contains(scalaOperators, w.intern.names[o.name])
		})
	},
}

// scalaOperators are those of numbers, truth values and texts, which are in
// every line and say nothing.
var scalaOperators = strings.Fields("+ - * / % == != < > <= >= && || ! & | ^ ++ += -= -> :: <-")

// scalaFinish says what is constant and what is exported: what is not private
// and not within a function.
func scalaFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	w.dropTrailingComments(node, s)
	name := w.child(node, "name")
	if name < 0 {
		name = w.child(node, "pattern")
	}
	if s.Name == "this" && s.Kind == Method {
		s.Kind = Constructor
	}
	s.Signature = strings.TrimSuffix(s.Signature, " with")
	if s.Kind == Variable && (w.is(node, "val_definition") || w.is(node, "val_declaration")) {
		s.Kind = Constant
	}
	s.Exported = !w.withinFunctionBut(node) && w.parentExported(s) && !w.hasKeyword(node, name, "private")
}

// scalaImport notes what is imported, under which names.
func scalaImport(w *walker, node int32) {
	var parts []string
	var last int32 = -1
	for c := range w.children(node) {
		if w.in(c, "path") && w.is(c, "identifier") {
			parts, last = append(parts, w.textOf(c)), c
		}
	}
	i := Import{Path: strings.Join(parts, "."), Line: w.line(node)}
	selectors := w.firstOf(node, "namespace_selectors")
	switch {
	case selectors >= 0:
		for c := range w.children(selectors) {
			name := c
			if w.is(c, "as_renamed_identifier") || w.is(c, "arrow_renamed_identifier") {
				name = w.child(c, "name")
				if alias := w.child(c, "alias"); w.is(alias, "identifier") {
					defer w.mentionAs(alias, -1, ImportUse)
				}
			}
			if w.is(name, "identifier") || w.is(name, "type_identifier") {
				i.Names = append(i.Names, w.textOf(name))
				w.mentionAs(name, last, ImportUse)
			}
		}
	case w.firstOf(node, "namespace_wildcard") < 0 && last >= 0:
		i.Names = parts[len(parts)-1:]
		before := last - 1
		if !w.is(before, "identifier") {
			before = -1
		}
		w.mentionAs(last, before, ImportUse)
	case last >= 0 && isUpper(w.textOf(last)):
		w.mentionAs(last, -1, ImportUse)
	}
	w.addImport(i)
}

// scalaField makes a field of a parameter of a class, which all of the class
// sees. It is exported in a case class, or when it is a val or var.
func scalaField(w *walker, node int32) {
	name := w.child(node, "name")
	if name < 0 {
		return
	}
	i := w.newSymbol(node, Field, w.symbol, &w.nodes[name], w.textOf(name), nil)
	s := &w.file.Symbols[i]
	class := w.ancestor(node, "class_definition", "enum_definition", "full_enum_case")
	public := w.hasKeyword(node, name, "val") || w.hasKeyword(node, name, "var") ||
		w.is(class, "full_enum_case") || w.hasKeyword(class, w.child(class, "name"), "case")
	s.Exported = public && w.parentExported(s) && !w.hasKeyword(node, name, "private") && !w.withinFunction()
	w.mean(name, i)
}

// scalaPattern tells the constants in a pattern, which begin with a capital,
// from what it binds.
func scalaPattern(w *walker, node int32) {
	pattern := w.child(node, "pattern")
	if pattern < 0 {
		return
	}
	for j := pattern; j < w.nodes[pattern].Next; j++ {
		if w.is(j, "identifier") && isUpper(w.textOf(j)) && !w.is(w.parent(j), "stable_identifier") {
			w.mentionAs(j, -1, Read)
			w.hide(j)
		}
	}
}

// scalaEnumerator binds the name in x <- xs and x = y.
func scalaEnumerator(w *walker, node int32) {
	name := node + 1
	if !w.is(name, "identifier") || w.nodes[name].Next >= w.nodes[node].Next {
		return
	}
	w.bind(w.nameOf(&w.nodes[name]), int32(len(w.scopes)-1), true)
	w.meant = append(w.meant, plan{node: name, symbol: planLocal})
}

// scalaGiven names a given that has no name after its type.
func scalaGiven(w *walker, node int32) {
	f := w.declaration(node)
	if of := w.child(node, "return_type"); f != nil && !f.hasSymbol && of >= 0 {
		w.nameless(node, f, f.decl.kind, "given "+oneLine([]byte(w.textOf(of))))
	}
}

// scalaStable notes the last name of a path; packages before it are none.
func scalaStable(w *walker, node int32) {
	if w.is(w.parent(node), "stable_identifier") || w.is(w.parent(node), "stable_type_identifier") {
		return
	}
	w.memberAfterDot(node)
	if w.is(node, "stable_type_identifier") {
		for j := node + 1; j < w.nodes[node].Next; j++ {
			if w.is(j, "identifier") && !isUpper(w.textOf(j)) {
				w.hide(j)
			}
		}
	}
}

// scalaArguments passes over the names in f(name = value): they are the
// parameters'.
func scalaArguments(w *walker, node int32) {
	var names []plan
	for c := range w.children(node) {
		if left := w.child(c, "left"); w.is(c, "assignment_expression") && w.is(left, "identifier") {
			names = append(names, plan{node: left, symbol: planKey})
		}
	}
	w.meanAll(names)
}

// scalaUpdate writes to a in a += b.
func scalaUpdate(w *walker, node int32) {
	operator := w.textOf(w.child(node, "operator"))
	switch operator {
	case "==", "!=", "<=", ">=", "===":
		return
	}
	if left := w.child(node, "left"); strings.HasSuffix(operator, "=") && w.is(left, "identifier") {
		w.noteAs(left, Write)
	}
}
