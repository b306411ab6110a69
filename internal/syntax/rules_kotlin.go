package syntax

import "strings"

// specKotlin is the row of the language.
var specKotlin = &spec{name: Kotlin, rules: &kotlinRules}

var kotlinRules = rules{
	grammar: "kotlin",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"call_expression>identifier":               asCall,
		"call_expression>navigation_expression":    asCall, // see kotlinMember
		"user_type":                                asType, // see kotlinType
		"assignment.left":                          asWrite,
		"unary_expression:++.argument":             asWrite,
		"unary_expression:--.argument":             asWrite,
		"variable_declaration>identifier":          handOn,
		"multi_variable_declaration":               handOn,
		"for_statement>variable_declaration":       asBind,
		"for_statement>multi_variable_declaration": asBind,
		"lambda_parameters":                        asBind,
		"when_subject>variable_declaration":        asBind,
		"catch_block>identifier":                   asBind,
		"parameter>identifier":                     asBind,
		"setter>identifier":                        asBind,
		"type_parameter>identifier":                asParam,
		"type_constraint>identifier":               asType,
		"import":                                   asNothing, // see kotlinImport
		"package_header":                           asNothing,
		"companion_object.name":                    asNothing,
		"labeled_expression>identifier":            asNothing,
		"return_expression.label":                  asNothing,
		"this_expression":                          asNothing,
		"super_expression":                         asNothing,
		"qualified_identifier":                     handOn,
		"parenthesized_expression":                 handOn,
		"type_alias>user_type":                     asType,
		"multi_variable_declaration>identifier":    handOn,
	},
	splits: []split{
		{"class_declaration", []string{"interface", "enum_class_body"}},
		{"class_parameter", []string{"val", "var"}},
		{"unary_expression", []string{"++", "--"}},
		{"value_argument", []string{"="}},
	},
	decls: []decl{
		{node: "class_declaration", kind: Class, name: "name", body: "class_body", opens: classScope},
		{node: "class_declaration:interface", kind: Interface, name: "name", body: "class_body", opens: classScope},
		{node: "class_declaration:enum_class_body", kind: Enum, name: "name", body: "enum_class_body", opens: classScope},
		{node: "object_declaration", kind: Class, name: "name", body: "class_body", opens: classScope},
		{node: "enum_entry", kind: EnumMember, first: "identifier", body: "class_body", sort: field, opens: classScope},
		{node: "function_declaration", kind: Function, member: Method, name: "name", body: "function_body", opens: functionScope},
		{node: "secondary_constructor", body: "block", opens: functionScope}, // see kotlinConstructor
		{node: "property_declaration", kind: Variable, member: Property, first: "variable_declaration multi_variable_declaration", sort: variable, after: true},
		{node: "class_parameter:val", kind: Property, first: "identifier", sort: property},
		{node: "class_parameter:var", kind: Property, first: "identifier", sort: property},
		{node: "type_alias", kind: Type, name: "type", opens: classScope},
	},
	scopes: map[string]scope{
		"companion_object":      classScope,
		"object_literal":        classScope,
		"anonymous_initializer": functionScope,
		"anonymous_function":    functionScope,
		"lambda_literal":        functionScope,
		"function_type":         functionScope,
		"getter":                functionScope,
		"setter":                functionScope,
		"block":                 blockScope,
		"for_statement":         blockScope,
		"catch_block":           blockScope,
		"when_expression":       blockScope,
	},
	plain:     "this_expression super_expression",
	comments:  "line_comment block_comment",
	leads:     "annotation",
	transient: "modifiers",
	skip:      "number_literal float_literal character_literal string_content escape_sequence label visibility_modifier reification_modifier",
	blank:     "_",
	builtins:  "Any Boolean Byte Char Double Float Int Long Nothing Short String Unit",
	hooks: map[string]func(*walker, int32){
		"import":                kotlinImport,
		"navigation_expression": kotlinMember,
		"infix_expression":      kotlinInfix,
		"user_type":             kotlinType,
		"value_argument":        kotlinArgument,
		"class_parameter":       kotlinParameter,
		"secondary_constructor": kotlinConstructor,
		"lambda_literal":        kotlinLambda,
		"getter":                kotlinAccessor,
		"setter":                kotlinAccessor,
		"assignment":            kotlinItem,
	},
	finish: kotlinFinish,
	atEnd: func(w *walker) {
		inOrder(w)
		w.dropWords("true", "false", "null")
	},
}

// kotlinFinish says what is constant and what is exported: what is neither
// private nor in something that is.
func kotlinFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	name := w.leafOf(node)
	for c := range w.children(node) {
		if w.is(c, "variable_declaration") || w.in(c, "name") || w.in(c, "type") {
			name = c
			break
		}
	}
	switch {
	case w.is(node, "property_declaration"):
		if w.hasKeyword(node, name, "const") {
			s.Kind = Constant
		}
		s.Signature = w.kotlinPropertyHead(node)
	case w.is(node, "class_declaration") && w.hasKeyword(node, name, "annotation"):
		s.Kind = Interface
	}
	s.Exported = !w.withinFunction() && w.parentExported(s) && !w.hasKeyword(node, name, "private")
}

// kotlinPropertyHead returns a property without its accessors, its delegate and
// values that go on for lines.
func (w *walker) kotlinPropertyHead(node int32) string {
	end := w.nodes[node].End
	for c := range w.children(node) {
		switch {
		case w.is(c, "getter"), w.is(c, "setter"):
			end = min(end, w.nodes[c].Start)
		}
	}
	return oneLine(w.src[w.afterLeads(node):end])
}

// kotlinImport notes what is imported under its own name or another.
func kotlinImport(w *walker, node int32) {
	path := w.firstOf(node, "qualified_identifier")
	if path < 0 {
		return
	}
	i := Import{Path: w.textOf(path), Line: w.line(node)}
	if alias := w.firstOf(node, "identifier"); alias > path {
		i.Alias = w.textOf(alias)
	}
	all := strings.HasSuffix(w.textOf(node), "*")
	if dot := strings.LastIndexByte(i.Path, '.'); dot >= 0 && !all {
		i.Names = []string{i.Path[dot+1:]}
	}
	w.addImport(i)
	if last := w.lastLeaf(path); !all && last > path {
		w.mentionAs(last, last-1, ImportUse)
		if i.Alias != "" {
			w.mentionAs(w.firstOf(node, "identifier"), -1, ImportUse)
		}
	}
}

func kotlinMember(w *walker, node int32) {
	if last := w.lastLeaf(node); w.textOf(last) == "class" && w.is(last, "identifier") {
		w.hide(last) // of A::class
		return
	}
	w.memberAfterDot(node)
}

// kotlinInfix calls the function that stands between its arguments.
func kotlinInfix(w *walker, node int32) {
	for c := range w.children(node) {
		if w.nodes[c].Start == w.nodes[node].Start {
			continue // the left one, unless it is a literal, which is not in the tree
		}
		if w.is(c, "identifier") {
			w.noteAs(c, Call)
		}
		return
	}
}

// kotlinType notes the types in Map.Entry; packages before them are none.
func kotlinType(w *walker, node int32) {
	var names []int32
	for c := range w.children(node) {
		if w.is(c, "identifier") {
			names = append(names, c)
		}
	}
	if len(names) < 2 {
		return // one name, which the walk notes
	}
	before := int32(-1)
	for i, c := range names {
		if i == len(names)-1 || isUpper(w.textOf(c)) {
			w.mentionAs(c, before, TypeUse)
		}
		before = c
	}
	for _, c := range names {
		w.hide(c)
	}
}

// kotlinArgument passes over the name in f(name = value): it is the
// parameter's.
func kotlinArgument(w *walker, node int32) {
	if name := w.firstOf(node, "identifier"); w.is(node, "value_argument:=") && name == node+1 {
		w.mean(name, planKey)
	}
}

// kotlinParameter binds a parameter of a primary constructor that is no
// property. Initialisers may use it, and nothing in the way says they end:
// where a property has its name, the name means the property.
func kotlinParameter(w *walker, node int32) {
	leaf := w.firstOf(node, "identifier")
	if leaf < 0 || !w.is(node, "class_parameter") || w.is(node, "class_parameter:val") || w.is(node, "class_parameter:var") {
		return
	}
	id, scope := w.nameOf(&w.nodes[leaf]), int32(len(w.scopes)-1)
	if class := w.ancestor(node, "class_declaration"); class < 0 || !w.kotlinHasProperty(class, w.textOf(leaf)) {
		w.bind(id, scope, true)
	}
	w.meant = append(w.meant, plan{node: leaf, symbol: planLocal})
}

func (w *walker) kotlinHasProperty(class int32, name string) bool {
	seen := 0
	for c := range w.children(w.firstOf(class, "class_body")) {
		if seen++; seen > 500 {
			return true // who knows: it is safer not to take it for a local
		}
		if w.is(c, "property_declaration") && w.textOf(w.leafOf(w.firstOf(c, "variable_declaration"))) == name {
			return true
		}
	}
	return false
}

// kotlinConstructor makes a symbol of a constructor, which has no name.
func kotlinConstructor(w *walker, node int32) {
	f := w.declaration(node)
	if f == nil || w.symbol < 0 {
		return
	}
	at := w.nodes[node]
	if p := w.firstOf(node, "function_value_parameters"); p >= 0 {
		at = w.nodes[p]
	}
	i := w.newSymbol(node, Constructor, w.symbol, &at, "constructor", f.decl)
	w.file.Symbols[i].Exported = w.file.Symbols[w.symbol].Exported && !strings.HasPrefix(w.file.Symbols[i].Signature, "private")
	w.symbol, f.hasSymbol = i, true
}

// kotlinLambda makes "it" known in a lambda that names no parameter.
func kotlinLambda(w *walker, node int32) {
	if w.firstOf(node, "lambda_parameters") < 0 {
		w.bind(w.nameID("it"), int32(len(w.scopes)-1), true)
	}
}

// kotlinAccessor makes "field" known in an accessor.
func kotlinAccessor(w *walker, _ int32) {
	w.bind(w.nameID("field"), int32(len(w.scopes)-1), true)
}

// kotlinItem writes to a in a[i] = b.
func kotlinItem(w *walker, node int32) {
	left := w.child(node, "left")
	if !w.is(left, "index_expression") {
		return
	}
	if base := left + 1; base < w.nodes[left].Next && w.is(base, "identifier") {
		w.noteAs(base, Write)
	}
}
