package syntax

import "strings"

// specZig is the row of the language.
var specZig = &spec{name: Zig, rules: &zigRules}

var zigRules = rules{
	grammar: "zig",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"call_expression.function":            asCall,
		"field_expression.member":             handOn | member,
		"assignment_expression.left":          asWrite,
		"index_expression.object":             handOn | part,
		"dereference_expression":              handOn,
		"parameter.name":                      asBind,
		"parameter.type":                      asType,
		"payload>identifier":                  asBind,
		"function_declaration.type":           asType,
		"function_signature.type":             asType,
		"variable_declaration.type":           asType,
		"container_field.type":                asType,
		"pointer_type":                        asType,
		"slice_type":                          asType,
		"nullable_type":                       asType,
		"array_type":                          asType,
		"error_union_type":                    asType,
		"struct_initializer>identifier":       asType,
		"struct_initializer>field_expression": asType,
		"error_type":                          asRead | member,
		"block_label":                         asNothing,
		"break_label":                         asNothing,
		"error_set_declaration>identifier":    asNothing, // see zigErrors
	},
	through: "parenthesized_expression",
	splits:  []split{{"variable_declaration", []string{"const", "var"}}}, // those with neither assign
	decls: []decl{
		{node: "variable_declaration:const", kind: Constant, first: "identifier", sort: variable, after: true},
		{node: "variable_declaration:var", kind: Variable, first: "identifier", sort: variable, after: true},
		{node: "function_declaration", kind: Function, member: Method, name: "name", body: "body", opens: functionScope},
		{node: "container_field", kind: Field, name: "name", sort: field, under: map[string]Kind{"enum_declaration": EnumMember}},
		{node: "test_declaration", body: "block", opens: functionScope}, // see zigTest
	},
	scopes: map[string]scope{
		"struct_declaration":   classScope,
		"enum_declaration":     classScope,
		"union_declaration":    classScope,
		"opaque_declaration":   classScope,
		"comptime_declaration": functionScope,
		"function_signature":   functionScope,
		"block":                blockScope,
		"if_statement":         blockScope,
		"else_clause":          blockScope,
		"if_expression":        blockScope,
		"while_statement":      blockScope,
		"for_statement":        blockScope,
		"for_expression":       blockScope,
		"while_expression":     blockScope,
		"switch_case":          blockScope,
		"catch_expression":     blockScope,
		"errdefer_statement":   blockScope,
	},
	open:       "function_declaration test_declaration comptime_declaration",
	qualifiers: "field_expression.object",
	comments:   "comment",
	skip:       "integer float boolean character escape_sequence builtin_type builtin_identifier calling_convention byte_alignment multiline_string",
	leaves:     "string",
	blank:      "_",
	hooks: map[string]func(*walker, int32){
		"builtin_function":      zigImport,
		"error_set_declaration": zigErrors,
		"test_declaration":      zigTest,
		"variable_declaration":  zigAssign,
	},
	finish: zigFinish,
	atEnd:  inOrder,
}

// zigTypes say what a constant is that holds a type.
var zigTypes = map[string]Kind{
	"struct_declaration": Struct, "union_declaration": Struct, "opaque_declaration": Struct,
	"enum_declaration": Enum, "error_set_declaration": Enum,
}

// zigFinish says what a constant holds and what is exported: what is pub or
// export, and what lies in such a type.
func zigFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	s.Doc = strings.TrimSpace(strings.TrimPrefix(s.Doc, "!"))
	text := w.textOf(node)
	public := strings.HasPrefix(text, "pub ") || strings.HasPrefix(text, "export ")
	switch {
	case w.is(node, "variable_declaration"):
		if head, _, ok := strings.Cut(text, "="); ok && w.nodes[node].StartRow != w.nodes[node].EndRow {
			s.Signature = oneLine([]byte(head))
		}
		for c := range w.children(node) {
			if kind, ok := zigTypes[w.labels[w.nodes[c].Kind]]; ok {
				s.Kind = kind
				end := w.nodes[c].Start
				if brace := strings.IndexByte(w.text[end:w.nodes[c].End], '{'); brace >= 0 {
					end += uint32(brace)
				}
				s.Signature = oneLine(w.src[w.nodes[node].Start:end])
			}
		}
	case w.is(node, "container_field"):
		if s.Parent >= 0 && w.file.Symbols[s.Parent].Kind == Enum {
			s.Kind = EnumMember
		}
		public = true
	}
	if s.Parent >= 0 && w.file.Symbols[s.Parent].Kind.IsFunction() { // the type that a generic function returns
		s.Exported = public && w.file.Symbols[s.Parent].Exported
		return
	}
	s.Exported = public && !w.withinFunctionBut(node) && w.parentExported(s)
}

// zigAssign writes to what stands before the sign of an assignment, which the
// grammar takes for a declaration, and binds the further names that one
// declaration takes apart.
func zigAssign(w *walker, node int32) {
	target := node + 1
	if w.is(node, "variable_declaration:const") || w.is(node, "variable_declaration:var") {
		head, _, _ := strings.Cut(w.textOf(node), "=")
		end, first := w.nodes[node].Start+uint32(len(head)), true
		for c := range w.children(node) {
			if !w.is(c, "identifier") || w.nodes[c].Field != 0 || w.nodes[c].Start >= end {
				continue
			}
			if !first && w.inFunction() {
				w.noteLocal(c)
			}
			first = false
		}
		return
	}
	for w.is(target, "index_expression") || w.is(target, "dereference_expression") {
		target++
	}
	if target >= w.nodes[node].Next {
		return
	}
	switch {
	case w.is(target, "identifier"):
		w.noteAs(target, Write)
	case w.is(target, "field_expression"):
		if leaf := w.child(target, "member"); leaf >= 0 {
			qualifier := w.child(target, "object")
			if !w.is(qualifier, "identifier") {
				qualifier = -1
			}
			w.mentionAs(leaf, qualifier, Write)
			w.hide(leaf)
		}
	}
}

// zigImport notes the file or package in @import("a").
func zigImport(w *walker, node int32) {
	if !strings.HasPrefix(w.textOf(node), "@import") && !strings.HasPrefix(w.textOf(node), "@cInclude") {
		return
	}
	path := w.firstOf(w.firstOf(node, "arguments"), "string")
	if path < 0 {
		return
	}
	i := Import{Path: unquote(w.textOf(path)), Line: w.line(node)}
	declaration := w.ancestor(node, "variable_declaration")
	if declaration >= 0 && w.nodes[declaration].StartRow == w.nodes[node].StartRow {
		i.Alias = w.textOf(w.firstOf(declaration, "identifier"))
		if at := w.parent(node); w.is(at, "field_expression") {
			i.Names = []string{w.textOf(w.child(at, "member"))}
		}
	}
	w.addImport(i)
}

// zigErrors makes members of the names of a set of errors.
func zigErrors(w *walker, node int32) {
	if w.inFunction() || !w.is(w.parent(node), "variable_declaration") {
		return
	}
	var names []plan
	for c := range w.children(node) {
		if w.is(c, "identifier") {
			i := w.newSymbol(c, EnumMember, w.symbol, &w.nodes[c], w.textOf(c), nil)
			w.file.Symbols[i].Exported = w.symbol >= 0 && w.file.Symbols[w.symbol].Exported
			names = append(names, plan{node: c, symbol: i})
		}
	}
	w.meanAll(names)
}

// zigTest makes a function of a test, under the text or name it has.
func zigTest(w *walker, node int32) {
	f := w.declaration(node)
	if f == nil {
		return
	}
	name := "test"
	if c := node + 1; w.is(c, "string") || w.is(c, "identifier") {
		name = clip(unquote(w.textOf(c)), 100)
	}
	if strings.ContainsAny(name, "\r\n") || name == "" {
		name = "test"
	}
	w.nameless(node, f, Function, name)
	w.file.Symbols[w.symbol].Exported = false
}
