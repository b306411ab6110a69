package syntax

import "strings"

// specSwift is the row of the language.
var specSwift = &spec{name: Swift, rules: &swiftRules}

var swiftRules = rules{
	grammar: "swift",
	names: map[string]use{
		"simple_identifier": asRead,
		"type_identifier":   asType,
	},
	flow: map[string]use{
		"call_expression>simple_identifier":           asCall,
		"call_expression>navigation_expression":       asCall,
		"call_expression>prefix_expression":           asCall,
		"navigation_expression.suffix":                handOn | member,
		"prefix_expression:..target":                  handOn | member,
		"assignment.target":                           asWrite,
		"directly_assignable_expression":              handOn,
		"value_argument_label":                        asNothing,
		"pattern":                                     handOn,
		"pattern:.>simple_identifier":                 asRead | member,
		"if_statement>pattern":                        asBind,
		"guard_statement>pattern":                     asBind,
		"while_statement>pattern":                     asBind,
		"for_statement.item":                          asBind,
		"switch_pattern":                              asBind,
		"catch_block.error":                           asBind,
		"if_statement.bound_identifier":               asBind, // see swiftBinding
		"guard_statement.bound_identifier":            asBind,
		"while_statement.bound_identifier":            asBind,
		"lambda_parameter.name":                       asBind,
		"parameter>simple_identifier":                 asBind, // see swiftParameter
		"enum_type_parameters>simple_identifier":      asNothing,
		"tuple_type_item>simple_identifier":           asNothing,
		"type_parameter>type_identifier":              asParam,
		"identifier":                                  handOn,
		"equality_constraint.constrained_type":        asType,
		"inheritance_constraint.constrained_type":     asType,
		"import_declaration":                          asNothing, // see swiftImport
		"statement_label":                             asNothing,
		"operator_declaration":                        asNothing,
		"precedence_group_declaration":                asNothing,
		"enum_entry.name":                             asNothing, // see swiftCases
		"computed_setter>simple_identifier":           asBind,
		"function_declaration>user_type":              asType,
		"function_declaration>optional_type":          asType,
		"function_declaration>array_type":             asType,
		"function_declaration>dictionary_type":        asType,
		"function_declaration>tuple_type":             asType,
		"function_declaration>function_type":          asType,
		"function_declaration>opaque_type":            asType,
		"protocol_function_declaration>user_type":     asType,
		"protocol_function_declaration>optional_type": asType,
		"protocol_function_declaration>array_type":    asType,
		"subscript_declaration>simple_identifier":     asNothing,
	},
	splits: []split{
		{"class_declaration", []string{"struct", "enum", "extension", "actor"}},
		{"prefix_expression", []string{"."}},
		{"pattern", []string{"."}},
	},
	decls: []decl{
		{node: "class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "class_declaration:actor", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "class_declaration:struct", kind: Struct, name: "name", body: "body", opens: classScope},
		{node: "class_declaration:enum", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "class_declaration:extension", body: "body", opens: classScope}, // see swiftExtension
		{node: "protocol_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "protocol_function_declaration", kind: Method, name: "name", opens: functionScope},
		{node: "protocol_property_declaration", kind: Property, name: "name", body: "protocol_property_requirements", sort: property},
		{node: "associatedtype_declaration", kind: Type, name: "name"},
		{node: "typealias_declaration", kind: Type, name: "name", opens: classScope},
		{node: "function_declaration", kind: Function, member: Method, name: "name", body: "body", opens: functionScope},
		{node: "init_declaration", body: "body", opens: functionScope}, // see swiftNameless
		{node: "deinit_declaration", body: "body", opens: functionScope},
		{node: "subscript_declaration", body: "computed_property", opens: functionScope},
		{node: "property_declaration", kind: Variable, member: Property, name: "name", body: "computed_value", sort: variable, after: true},
	},
	scopes: map[string]scope{
		"lambda_literal":       functionScope,
		"computed_property":    functionScope,
		"computed_setter":      functionScope,
		"willset_didset_block": functionScope,
		"function_type":        functionScope,
		"statements":           blockScope,
		"if_statement":         blockScope,
		"while_statement":      blockScope,
		"for_statement":        blockScope,
		"switch_entry":         blockScope,
		"catch_block":          blockScope,
		"do_statement":         blockScope,
	},
	open:       "function_body lambda_literal computed_property computed_setter computed_getter for_statement switch_entry catch_block",
	qualifiers: "navigation_expression.target",
	plain:      "self_expression super_expression",
	comments:   "comment multiline_comment",
	leads:      "attribute",
	transient:  "modifiers navigation_suffix",
	skip: "integer_literal real_literal boolean_literal line_str_text multi_line_str_text str_escaped_char raw_str_end_part raw_str_part" +
		" custom_operator visibility_modifier ownership_modifier directive",
	blank:    "_",
	builtins: "Any AnyObject Bool Character Double Float Int Never Self String UInt Void",
	hooks: map[string]func(*walker, int32){
		"import_declaration":     swiftImport,
		"class_declaration":      swiftExtension,
		"function_declaration":   swiftOperator,
		"init_declaration":       swiftNameless,
		"deinit_declaration":     swiftNameless,
		"subscript_declaration":  swiftNameless,
		"enum_entry":             swiftCases,
		"parameter":              swiftParameter,
		"if_statement":           swiftBinding,
		"guard_statement":        swiftBinding,
		"while_statement":        swiftBinding,
		"catch_block":            swiftError,
		"computed_setter":        swiftNewValue,
		"willset_didset_block":   swiftNewValue,
		"constructor_expression": swiftConstruct,
		"call_expression":        swiftItem,
	},
	finish: swiftFinish,
	atEnd: func(w *walker) {
		inOrder(w)
		implsAreUses(w)
		w.dropWords("self", "nil", "true", "false", "_")
	},
}

// swiftFinish says what is constant and what is exported: what is not private
// to its file or type.
func swiftFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	if w.is(node, "property_declaration") && s.Kind == Variable && !w.inFunction() && w.hasKeyword(node, w.child(node, "name"), "let") {
		s.Kind = Constant
	}
	if observers := w.firstOf(node, "willset_didset_block"); observers >= 0 {
		s.Signature = oneLine(w.src[w.afterLeads(node):w.nodes[observers].Start])
	}
	if head, _, ok := strings.Cut(s.Signature, " = {"); ok {
		s.Signature = head
	}
	head := s.Signature
	if at := strings.IndexAny(head, "{(="); at >= 0 && !strings.HasPrefix(head, "private(") && !strings.HasPrefix(head, "fileprivate(") {
		head = head[:at]
	}
	private := false
	for word := range keywordsOf(head) {
		private = private || word == "private" || word == "fileprivate"
	}
	if private && strings.Contains(s.Signature, "private(set)") {
		private = false
	}
	s.Exported = !private && !w.withinFunctionBut(node) && w.parentExported(s)
}

// withinFunctionBut is withinFunction for a node that may have opened a scope
// of its own already.
func (w *walker) withinFunctionBut(node int32) bool {
	own := 0
	if f := w.declaration(node); f != nil && f.opensOne {
		own = 1
	}
	for _, s := range w.scopes[:len(w.scopes)-own] {
		if s.kind >= functionScope {
			return true
		}
	}
	return false
}

// swiftImport notes a module or one thing of it.
func swiftImport(w *walker, node int32) {
	path := w.firstOf(node, "identifier")
	if path < 0 {
		return
	}
	i := Import{Path: w.textOf(path), Line: w.line(node)}
	last := w.lastLeaf(path)
	if head := w.text[w.nodes[node].Start:w.nodes[path].Start]; len(strings.Fields(head[strings.Index(head, "import")+len("import"):])) > 0 {
		i.Names = []string{w.textOf(last)} // import struct A.B
	}
	w.addImport(i)
	if last > path && w.nodes[last].Next == last+1 {
		w.mentionAs(last, -1, ImportUse)
	}
}

// swiftExtension makes a symbol of an extension, which has the name of the type
// it extends.
func swiftExtension(w *walker, node int32) {
	f := w.declaration(node)
	if f == nil || f.hasSymbol || !w.is(node, "class_declaration:extension") {
		return
	}
	path := w.child(node, "name")
	if path < 0 {
		return
	}
	leaf := int32(-1)
	for c := path; c < w.nodes[path].Next; c++ {
		if w.is(c, "type_identifier") && (c == path || w.parent(c) == path) {
			leaf = c
		}
	}
	if leaf < 0 {
		return
	}
	i := w.newSymbol(node, Impl, w.symbol, &w.nodes[leaf], w.textOf(leaf), f.decl)
	if outer := strings.TrimSuffix(w.text[w.nodes[path].Start:w.nodes[leaf].Start], "."); outer != "" {
		s := &w.file.Symbols[i]
		s.Scope = joinScope(s.Scope, outer)
	}
	w.mean(leaf, i)
	w.symbol, f.hasSymbol = i, true
}

// swiftOperator names a function that is an operator of the language.
func swiftOperator(w *walker, node int32) {
	f := w.declaration(node)
	if f == nil || f.hasSymbol || f.decl.kind != Function {
		return
	}
	_, name, ok := strings.Cut(w.textOf(node), "func")
	if !ok {
		return
	}
	name = strings.TrimSpace(name)
	if end := strings.IndexAny(name, "( \t\n"); end > 0 {
		kind := f.decl.kind
		if len(w.scopes) > 1 && w.scopes[len(w.scopes)-2].kind == classScope {
			kind = Method
		}
		w.nameless(node, f, kind, name[:end])
	}
}

// nameless makes a symbol of a declaration without a name that is one to the
// grammar.
func (w *walker) nameless(node int32, f *frame, kind Kind, name string) {
	at := w.nodes[node]
	at.Start = uint32(w.afterLeads(node))
	at.StartRow = w.rowOf(at.Start, at.StartRow)
	i := w.newSymbol(node, kind, w.symbol, &at, name, f.decl)
	w.symbol, f.hasSymbol = i, true
}

// rowOf returns the row of a byte that lies on a row or after it.
func (w *walker) rowOf(at, row uint32) uint32 {
	for int(row)+1 < len(w.lines) && w.lines[row+1] <= at {
		row++
	}
	return row
}

func swiftNameless(w *walker, node int32) {
	f := w.declaration(node)
	if f == nil || w.symbol < 0 {
		return
	}
	switch {
	case w.is(node, "init_declaration"):
		w.nameless(node, f, Constructor, "init")
	case w.is(node, "deinit_declaration"):
		w.nameless(node, f, Method, "deinit")
	default:
		w.nameless(node, f, Property, "subscript")
	}
}

// swiftCases makes members of the names in case a, b(Int).
func swiftCases(w *walker, node int32) {
	var names []plan
	for c := range w.children(node) {
		if !w.in(c, "name") {
			continue
		}
		end := w.nodes[c].End
		if next := w.nodes[c].Next; next < w.nodes[node].Next && w.in(next, "data_contents") {
			end = w.nodes[next].End
		}
		i := w.newSymbol(node, EnumMember, w.symbol, &w.nodes[c], w.textOf(c), nil)
		w.file.Symbols[i].Signature = oneLine(append([]byte("case "), w.src[w.nodes[c].Start:end]...))
		names = append(names, plan{node: c, symbol: i})
	}
	w.meanAll(names)
}

// swiftParameter passes over the name by which callers know a parameter.
func swiftParameter(w *walker, node int32) {
	if label := w.child(node, "external_name"); label >= 0 {
		w.hide(label)
	}
}

// swiftBinding reads the outer name in if let name = name.
func swiftBinding(w *walker, node int32) {
	bound := ""
	for c := range w.children(node) {
		switch {
		case w.in(c, "bound_identifier"):
			bound = w.textOf(c)
		case w.in(c, "condition") && bound != "":
			if leaf := w.leafOf(c); leaf >= 0 && w.textOf(leaf) == bound {
				role := Read
				if w.is(c, "call_expression") && w.parent(leaf) == c {
					role = Call
				}
				w.noteAs(leaf, role)
			}
			bound = ""
		}
	}
}

// swiftError makes "error" known where nothing else is caught.
func swiftError(w *walker, node int32) {
	if w.child(node, "error") < 0 {
		w.bind(w.nameID("error"), int32(len(w.scopes)-1), true)
	}
}

// swiftNewValue makes the values known that an accessor or observer gets.
func swiftNewValue(w *walker, _ int32) {
	for _, name := range []string{"newValue", "oldValue"} {
		w.bind(w.nameID(name), int32(len(w.scopes)-1), true)
	}
}

// swiftConstruct calls the type in Set<Int>().
func swiftConstruct(w *walker, node int32) {
	constructed := w.child(node, "constructed_type")
	if leaf := w.firstOf(constructed, "type_identifier"); leaf >= 0 {
		w.noteAs(leaf, Call)
	}
}

// swiftItem reads or writes a in a[i], which the grammar takes for a call.
func swiftItem(w *walker, node int32) {
	suffix := w.firstOf(node, "call_suffix")
	if suffix < 0 || w.text[w.nodes[suffix].Start] != '[' {
		return
	}
	role := Read
	if w.use[node]&useMask == asWrite {
		role = Write
	}
	switch base := node + 1; {
	case w.is(base, "simple_identifier"):
		w.noteAs(base, role)
	case w.is(base, "navigation_expression"):
		if leaf := w.child(base, "suffix"); leaf >= 0 && w.is(leaf, "simple_identifier") {
			qualifier := w.child(base, "target")
			if qualifier >= 0 && (w.info[w.nodes[qualifier].Kind].flags&isPlain == 0 || w.nodes[qualifier].Next != qualifier+1) {
				qualifier = -1
			}
			w.mentionAs(leaf, qualifier, role)
			w.hide(leaf)
		}
	}
}
