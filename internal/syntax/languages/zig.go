package languages

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// Zig is the row of the language.
var Zig = &engine.Spec{
	Name:       engine.Zig,
	Extensions: "zig zon",
	Servers:    []string{"zls"},
	Rules:      &zigRules,
	Recovery:   zigRecovery,
	Names:      engine.Names{FileOnly: true},
	Bodies: engine.Bodies{
		Unwritten: lazyregexp.MustCompile(`(?i)^@(?:panic|compileError)\s*\(\s*"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*"\s*\);?$`),
	},
}

var zigRules = engine.Rules{
	Grammar: "zig",
	Names:   map[engine.Use]string{engine.AsRead: "identifier"},
	Flow: map[engine.Use]string{
		engine.AsCall:                 "call_expression.function",
		engine.HandOn | engine.Member: "field_expression.member",
		engine.AsWrite:                "assignment_expression.left",
		engine.HandOn | engine.Part:   "index_expression.object",
		engine.HandOn:                 "dereference_expression",
		engine.AsBind:                 "parameter.name payload>identifier",
		engine.AsType: `parameter.type function_declaration.type function_signature.type variable_declaration.type
			container_field.type pointer_type slice_type nullable_type array_type error_union_type
			struct_initializer>identifier struct_initializer>field_expression`,
		engine.AsRead | engine.Member: "error_type",
		engine.AsNothing:              "block_label break_label error_set_declaration>identifier",
	},
	Through: "parenthesized_expression",
	Splits:  []engine.Split{{Node: "variable_declaration", By: []string{"const", "var"}}}, // those with neither assign
	Decls: []engine.Decl{
		{Node: "variable_declaration:const", Kind: engine.Constant, First: "identifier", Sort: engine.SortVariable,
			After: true},
		{Node: "variable_declaration:var", Kind: engine.Variable, First: "identifier", Sort: engine.SortVariable,
			After: true},
		{Node: "function_declaration", Kind: engine.Function, Member: engine.Method, Name: "name", Body: "body",
			Opens: engine.FunctionScope},
		{Node: "container_field", Kind: engine.Field, Name: "name", Sort: engine.SortField,
			Under: map[string]engine.Kind{"enum_declaration": engine.EnumMember}},
		{Node: "test_declaration", Body: "block", Opens: engine.FunctionScope}, // see zigTest
	},
	Scopes: map[engine.Scope]string{
		engine.ClassScope:    "struct_declaration enum_declaration union_declaration opaque_declaration",
		engine.FunctionScope: "comptime_declaration function_signature",
		engine.BlockScope: `block if_statement else_clause if_expression while_statement for_statement
			for_expression while_expression switch_case catch_expression errdefer_statement`,
	},
	Open:       "function_declaration test_declaration comptime_declaration",
	Qualifiers: "field_expression.object",
	Comments:   "comment",
	Skip:       "integer float boolean character escape_sequence builtin_type builtin_identifier calling_convention byte_alignment multiline_string",
	Leaves:     "string",
	Blank:      "_",
	Hooks: map[string]func(*engine.Walker, int32){
		"builtin_function":      zigImport,
		"error_set_declaration": zigErrors,
		"test_declaration":      zigTest,
		"variable_declaration":  zigAssign,
	},
	Finish: zigFinish,
	AtEnd:  engine.InOrder,
}

// zigTypes say what a constant is that contains a type.
var zigTypes = map[string]engine.Kind{
	"struct_declaration": engine.Struct, "union_declaration": engine.Struct, "opaque_declaration": engine.Struct,
	"enum_declaration": engine.Enum, "error_set_declaration": engine.Enum,
}

// zigFinish says what a constant holds and what is exported: what is pub or
// export, and what is in such a type.
func zigFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	s.Doc = strings.TrimSpace(strings.TrimPrefix(s.Doc, "!"))
	text := w.TextOf(node)
	public := strings.HasPrefix(text, "pub ") || strings.HasPrefix(text, "export ")
	switch {
	case w.Is(node, "variable_declaration"):
		if head, _, ok := strings.Cut(text, "="); ok && w.Nodes[node].StartRow != w.Nodes[node].EndRow {
			s.Signature = engine.OneLine([]byte(head))
		}
		for c := range w.Children(node) {
			if kind, ok := zigTypes[w.Labels[w.Nodes[c].Kind]]; ok {
				s.Kind = kind
				end := w.Nodes[c].Start
				if brace := strings.IndexByte(w.Text[end:w.Nodes[c].End], '{'); brace >= 0 {
					end += uint32(brace)
				}
				s.Signature = engine.OneLine(w.Source[w.Nodes[node].Start:end])
			}
		}
	case w.Is(node, "container_field"):
		if s.Parent >= 0 && w.File.Symbols[s.Parent].Kind == engine.Enum {
			s.Kind = engine.EnumMember
		}
		public = true
	}
	if s.Parent >= 0 && w.File.Symbols[s.Parent].Kind.IsFunction() { // the type that a generic function returns
		s.Exported = public && w.File.Symbols[s.Parent].Exported
		return
	}
	s.Exported = public && !withinFunctionBut(w, node) && w.ParentExported(s)
}

// zigAssign writes to what comes before the sign of an assignment, which the
// grammar takes for a declaration, and binds the further names that one
// declaration takes apart.
func zigAssign(w *engine.Walker, node int32) {
	target := node + 1
	if w.Is(node, "variable_declaration:const", "variable_declaration:var") {
		head, _, _ := strings.Cut(w.TextOf(node), "=")
		end, first := w.Nodes[node].Start+uint32(len(head)), true
		for c := range w.Children(node) {
			if !w.Is(c, "identifier") || w.Nodes[c].Field != 0 || w.Nodes[c].Start >= end {
				continue
			}
			if !first && w.InFunction() {
				w.NoteLocal(c)
			}
			first = false
		}
		return
	}
	for w.Is(target, "index_expression") || w.Is(target, "dereference_expression") {
		target++
	}
	if target >= w.Nodes[node].Next {
		return
	}
	switch {
	case w.Is(target, "identifier"):
		w.NoteAs(target, engine.Write)
	case w.Is(target, "field_expression"):
		if leaf := w.Child(target, "member"); leaf >= 0 {
			qualifier := w.Child(target, "object")
			if !w.Is(qualifier, "identifier") {
				qualifier = -1
			}
			w.MentionAs(leaf, qualifier, engine.Write)
			w.Hide(leaf)
		}
	}
}

// zigImport notes the file or package in @import("a").
func zigImport(w *engine.Walker, node int32) {
	if !strings.HasPrefix(w.TextOf(node), "@import") && !strings.HasPrefix(w.TextOf(node), "@cInclude") {
		return
	}
	path := w.FirstOf(w.FirstOf(node, "arguments"), "string")
	if path < 0 {
		return
	}
	i := engine.Import{Path: engine.Unquote(w.TextOf(path)), Line: w.Line(node)}
	declaration := w.Ancestor(node, "variable_declaration")
	if declaration >= 0 && w.Nodes[declaration].StartRow == w.Nodes[node].StartRow {
		i.Alias = w.TextOf(w.FirstOf(declaration, "identifier"))
		if at := w.Parent(node); w.Is(at, "field_expression") {
			i.Names = []string{w.TextOf(w.Child(at, "member"))}
		}
	}
	w.AddImport(i)
}

// zigErrors declares the names of an error set as members of it.
func zigErrors(w *engine.Walker, node int32) {
	if w.InFunction() || !w.Is(w.Parent(node), "variable_declaration") {
		return
	}
	var names []engine.Plan
	for c := range w.Children(node) {
		if w.Is(c, "identifier") {
			i := w.NewSymbol(c, engine.EnumMember, w.Symbol, &w.Nodes[c], w.TextOf(c), nil)
			w.File.Symbols[i].Exported = w.Symbol >= 0 && w.File.Symbols[w.Symbol].Exported
			names = append(names, engine.Plan{Node: c, Symbol: i})
		}
	}
	w.MeanAll(names)
}

// zigTest makes a function of a test, under the text or name it has.
func zigTest(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	if f == nil {
		return
	}
	name := "test"
	if c := node + 1; w.Is(c, "string", "identifier") {
		name = text.Prefix(engine.Unquote(w.TextOf(c)), 100)
	}
	if strings.ContainsAny(name, "\r\n") || name == "" {
		name = "test"
	}
	addUnnamed(w, node, f, engine.Function, name)
	w.File.Symbols[w.Symbol].Exported = false
}
