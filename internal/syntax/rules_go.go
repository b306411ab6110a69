package syntax

import (
	"unicode"
	"unicode/utf8"
)

// specGo is the row of the language.
var specGo = &spec{name: Go, rules: &goRules, faster: readGo}

var goRules = rules{
	grammar: "go",
	names: map[string]use{
		"identifier":         asRead,
		"type_identifier":    asType,
		"field_identifier":   asRead,
		"package_identifier": asRead,
	},
	flow: map[string]use{
		"package_clause":             asNothing,
		"import_spec.name":           asImport,
		"call_expression.function":   asCall,
		"selector_expression.field":  handOn | member,
		"qualified_type.name":        asType | member,
		"assignment_statement.left":  asWrite,
		"inc_statement":              asWrite,
		"dec_statement":              asWrite,
		"index_expression.operand":   handOn,
		"unary_expression.operand":   asRead,
		"type_conversion_expression": asRead,

		"parameter_declaration.name":          asBind,
		"variadic_parameter_declaration.name": asBind,
		"type_parameter_declaration.name":     asParam,
		"type_switch_statement.alias":         asBind,
		"range_clause.left":                   asWrite,
		"range_clause::=.left":                asBind,
		"receive_statement.left":              asWrite,
		"receive_statement::=.left":           asBind,

		"keyed_element.key": asRead,
	},
	through: "parenthesized_expression parenthesized_type pointer_type type_instantiation_expression",
	splits: []split{
		{"type_spec", []string{"struct_type", "interface_type"}},
		{"range_clause", []string{":="}},
		{"receive_statement", []string{":="}},
	},
	decls: []decl{
		{node: "function_declaration", kind: Function, name: "name", body: "body", opens: functionScope},
		{node: "method_declaration", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "type_spec", kind: Type, name: "name", opens: classScope},
		{node: "type_alias", kind: Type, name: "name", opens: classScope},
		{node: "type_spec:struct_type", kind: Struct, name: "name", body: "field_declaration_list", opens: classScope},
		{node: "type_spec:interface_type", kind: Interface, name: "name", cut: "{", opens: classScope},
		{node: "field_declaration", kind: Field, name: "name", sort: field},
		{node: "method_elem", kind: Method, name: "name", sort: field, opens: functionScope},
		{node: "const_spec", kind: Constant, name: "name", sort: variable, after: true},
		{node: "var_spec", kind: Variable, name: "name", sort: variable, after: true},
		{node: "short_var_declaration", kind: Variable, name: "left", sort: variable, after: true},
	},
	scopes: map[string]scope{
		"func_literal":                functionScope,
		"function_type":               functionScope,
		"block":                       blockScope,
		"if_statement":                blockScope,
		"for_statement":               blockScope,
		"expression_switch_statement": blockScope,
		"type_switch_statement":       blockScope,
		"expression_case":             blockScope,
		"type_case":                   blockScope,
		"default_case":                blockScope,
		"communication_case":          blockScope,
	},
	qualifiers: "selector_expression.operand qualified_type.package",
	comments:   "comment",
	wrappers:   "type_declaration const_declaration var_declaration var_spec_list",
	transient:  "expression_list literal_element statement_list import_spec_list type_elem type_constraint",
	skip:       "int_literal float_literal imaginary_literal rune_literal escape_sequence iota nil true false label_name",
	leaves:     "interpreted_string_literal raw_string_literal",
	blank:      "_",
	builtins: "any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string" +
		" uint uint16 uint32 uint64 uint8 uintptr nil",
	hooks: map[string]func(*walker, int32){
		"import_spec":        goImport,
		"method_declaration": goReceiver,
		"keyed_element":      goKey,
		"type_arguments":     goTypeArgument,
	},
	finish: goFinish,
}

// goFinish gives a method the scope of its receiver and says what is exported.
func goFinish(w *walker, node int32, s *Symbol) {
	if w.is(node, "method_declaration") {
		s.Scope = goReceiverType(w, node)
	}
	if w.is(node, "method_elem") {
		w.ownDoc(node, s) // of a constraint in the head of a type, whose comment is not its own
	}
	r, _ := utf8.DecodeRuneInString(s.Name)
	s.Exported = unicode.IsUpper(r) && !w.inFunction()
}

// goReceiverType names the type that a method belongs to.
func goReceiverType(w *walker, method int32) string {
	for c := range w.children(w.child(method, "receiver")) {
		end := w.nodes[c].Next
		for j := c; j < end; j++ {
			if w.is(j, "type_identifier") {
				return w.textOf(j)
			}
		}
	}
	return ""
}

// goReceiver makes the type parameters that a receiver names known: the T of
// func (l *List[T]).
func goReceiver(w *walker, method int32) {
	receiver := w.child(method, "receiver")
	if receiver < 0 {
		return
	}
	for j := receiver; j < w.nodes[receiver].Next; j++ {
		if !w.is(j, "type_arguments") {
			continue
		}
		for k := j; k < w.nodes[j].Next; k++ {
			if w.is(k, "type_identifier") {
				w.bind(w.nameOf(&w.nodes[k]), int32(len(w.scopes)-1), true)
			}
		}
		return
	}
}

func goImport(w *walker, spec int32) {
	w.addImport(Import{
		Path:  unquote(w.textOf(w.child(spec, "path"))),
		Alias: w.textOf(w.child(spec, "name")),
		Line:  w.line(spec),
	})
}

// goKey tells the keys of a composite literal that are field names from those
// that are values. Without types the literal decides: keys of maps, slices and
// arrays are values; in all others a plain name is a field.
func goKey(w *walker, element int32) {
	key := w.child(element, "key")
	if !w.is(key, "identifier") {
		return
	}
	if literal := w.parent(w.parent(element)); w.is(literal, "composite_literal") {
		switch typ := w.child(literal, "type"); {
		case w.is(typ, "map_type"), w.is(typ, "slice_type"), w.is(typ, "array_type"), w.is(typ, "implicit_length_array_type"):
			return
		}
	}
	w.mean(key, planKey)
}

// goTypeArgument takes f[i](x) for a call of one of many functions, rather than
// of one with a type argument, if i is a local variable.
func goTypeArgument(w *walker, arguments int32) {
	only := arguments + 1
	if w.nodes[arguments].Next != only+1 || !w.is(only, "type_identifier") || !w.is(w.parent(arguments), "call_expression") {
		return
	}
	n := &w.nodes[only]
	if c := w.src[n.Start]; c >= 'a' && c <= 'z' && w.isLocal(w.nameOf(n)) {
		n.Kind = w.grammar.KindIDs("identifier")[0]
	}
}
