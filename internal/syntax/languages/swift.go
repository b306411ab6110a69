package languages

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/repair"
	"codeintel/internal/text"
)

// Swift is the row of the language.
var Swift = &engine.Spec{
	Name:        engine.Swift,
	Extensions:  "swift",
	Servers:     []string{"sourcekit-lsp"},
	Programs:    "swift",
	TestClasses: true,
	Rules:       &swiftRules,
	Repair:      repair.Swift,
	Recovery:    swiftRecovery,
	Names: engine.Names{
		Bare:    engine.OfClass,
		Members: javaMembers,
		Typed:   kotlinTyped,
	},
	Comparing: engine.Comparing{Margins: true, LastIsValue: true, Nested: true},
	Testing: engine.Testing{Functions: `^test`, Inherited: true, Marked: true,
		Passed: lazyregexp.MustCompile(`Executed [1-9]\d* tests?, with 0 failures|Test run with [1-9]\d* tests? passed`),
		Later:  lazyregexp.MustCompile(`(?:^|=)Task(?:\.detached)?$|\.async(?:After\([^)]*\))?$`)},
	Bodies: engine.Bodies{
		Unwritten: lazyregexp.MustCompile(`(?i)^(?:fatalError|preconditionFailure)\s*\(\s*"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*".*\)$`),
		Body:      swiftBody,
	},
}

var swiftRules = engine.Rules{
	Grammar: "swift",
	Names: map[engine.Use]string{
		engine.AsRead: "simple_identifier",
		engine.AsType: "type_identifier",
	},
	Flow: map[engine.Use]string{
		engine.AsCall: `call_expression>simple_identifier call_expression>navigation_expression
			call_expression>prefix_expression`,
		engine.HandOn | engine.Member: "navigation_expression.suffix prefix_expression:..target",
		engine.AsWrite:                "assignment.target",
		engine.HandOn:                 "directly_assignable_expression pattern identifier",
		engine.AsNothing: `value_argument_label enum_type_parameters>simple_identifier
			tuple_type_item>simple_identifier import_declaration statement_label operator_declaration
			precedence_group_declaration enum_entry.name subscript_declaration>simple_identifier`,
		engine.AsRead | engine.Member: "pattern:.>simple_identifier",
		engine.AsBind: `if_statement>pattern guard_statement>pattern while_statement>pattern for_statement.item
			switch_pattern catch_block.error if_statement.bound_identifier guard_statement.bound_identifier
			while_statement.bound_identifier lambda_parameter.name parameter>simple_identifier
			computed_setter>simple_identifier`,
		engine.AsParam: "type_parameter>type_identifier",
		engine.AsType: `equality_constraint.constrained_type inheritance_constraint.constrained_type
			function_declaration>user_type function_declaration>optional_type function_declaration>array_type
			function_declaration>dictionary_type function_declaration>tuple_type
			function_declaration>function_type function_declaration>opaque_type
			protocol_function_declaration>user_type protocol_function_declaration>optional_type
			protocol_function_declaration>array_type`,
	},
	Splits: []engine.Split{
		{Node: "class_declaration", By: []string{"struct", "enum", "extension", "actor"}},
		{Node: "prefix_expression pattern", By: []string{"."}},
	},
	Decls: []engine.Decl{
		{Node: "class_declaration class_declaration:actor", Kind: engine.Class, Name: "name", Body: "body",
			Opens: engine.ClassScope},
		{Node: "class_declaration:struct", Kind: engine.Struct, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "class_declaration:enum", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "class_declaration:extension", Body: "body", Opens: engine.ClassScope}, // see swiftExtension
		{Node: "protocol_declaration", Kind: engine.Interface, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "protocol_function_declaration", Kind: engine.Method, Name: "name", Opens: engine.FunctionScope},
		{Node: "protocol_property_declaration", Kind: engine.Property, Name: "name",
			Body: "protocol_property_requirements", Sort: engine.SortProperty},
		{Node: "associatedtype_declaration", Kind: engine.Type, Name: "name"},
		{Node: "typealias_declaration", Kind: engine.Type, Name: "name", Opens: engine.ClassScope},
		{Node: "function_declaration", Kind: engine.Function, Member: engine.Method, Name: "name", Body: "body",
			Opens: engine.FunctionScope},
		{Node: "init_declaration", Body: "body", Opens: engine.FunctionScope}, // see swiftNameless
		{Node: "deinit_declaration", Body: "body", Opens: engine.FunctionScope},
		{Node: "subscript_declaration", Body: "computed_property", Opens: engine.FunctionScope},
		{Node: "property_declaration", Kind: engine.Variable, Member: engine.Property, Name: "name",
			Body: "computed_value", Sort: engine.SortVariable, After: true},
	},
	Scopes: map[engine.Scope]string{
		engine.FunctionScope: "lambda_literal computed_property computed_setter willset_didset_block function_type",
		engine.BlockScope: `statements if_statement while_statement for_statement switch_entry catch_block
			do_statement`,
	},
	Open:       "function_body lambda_literal computed_property computed_setter computed_getter for_statement switch_entry catch_block",
	Qualifiers: "navigation_expression.target",
	Plain:      "self_expression super_expression",
	Comments:   "comment multiline_comment",
	Decorators: "attribute",
	Transient:  "modifiers navigation_suffix",
	Skip: "integer_literal real_literal boolean_literal line_str_text multi_line_str_text str_escaped_char raw_str_end_part raw_str_part" +
		" custom_operator visibility_modifier ownership_modifier directive",
	Blank:    "_",
	Builtins: "Any AnyObject Bool Character Double Float Int Never Self String UInt Void",
	Hooks: map[string]func(*engine.Walker, int32){
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
	Finish: swiftFinish,
	AtEnd: func(w *engine.Walker) {
		engine.InOrder(w)
		engine.ImplsAreUses(w)
		w.DropWords("self", "nil", "true", "false", "_")
	},
}

// swiftFinish says what is constant and what is exported: what is not private
// to its file or type.
func swiftFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	if w.Is(node, "property_declaration") && s.Kind == engine.Variable && !w.InFunction() && w.HasKeyword(node,
		w.Child(node, "name"), "let") {
		s.Kind = engine.Constant
	}
	if observers := w.FirstOf(node, "willset_didset_block"); observers >= 0 {
		s.Signature = engine.OneLine(w.Source[w.AfterDecorators(node):w.Nodes[observers].Start])
	}
	if head, _, ok := strings.Cut(s.Signature, " = {"); ok {
		s.Signature = head
	}
	head := s.Signature
	if at := strings.IndexAny(head, "{(="); at >= 0 && !strings.HasPrefix(head, "private(") &&
		!strings.HasPrefix(head, "fileprivate(") {
		head = head[:at]
	}
	private := false
	for word := range text.Words(head) {
		private = private || word == "private" || word == "fileprivate"
	}
	if private && strings.Contains(s.Signature, "private(set)") {
		private = false
	}
	s.Exported = !private && !withinFunctionBut(w, node) && w.ParentExported(s)
}

// withinFunctionBut is withinFunction for a node that may have opened a scope
// of its own already.
func withinFunctionBut(w *engine.Walker, node int32) bool {
	own := 0
	if f := w.Declaration(node); f != nil && f.OpensOne {
		own = 1
	}
	for _, s := range w.Scopes[:len(w.Scopes)-own] {
		if s.Kind >= engine.FunctionScope {
			return true
		}
	}
	return false
}

// swiftImport notes a module or one thing of it.
func swiftImport(w *engine.Walker, node int32) {
	path := w.FirstOf(node, "identifier")
	if path < 0 {
		return
	}
	i := engine.Import{Path: w.TextOf(path), Line: w.Line(node)}
	last := w.LastLeaf(path)
	if head := w.Text[w.Nodes[node].Start:w.Nodes[path].Start]; len(strings.Fields(head[strings.Index(head,
		"import")+len("import"):])) > 0 {
		i.Names = []string{w.TextOf(last)} // import struct A.B
	}
	w.AddImport(i)
	if last > path && w.Nodes[last].Next == last+1 {
		w.MentionAs(last, -1, engine.ImportUse)
	}
}

// swiftExtension makes a symbol of an extension, which has the name of the type
// it extends.
func swiftExtension(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	if f == nil || f.HasSymbol || !w.Is(node, "class_declaration:extension") {
		return
	}
	path := w.Child(node, "name")
	if path < 0 {
		return
	}
	leaf := int32(-1)
	for c := path; c < w.Nodes[path].Next; c++ {
		if w.Is(c, "type_identifier") && (c == path || w.Parent(c) == path) {
			leaf = c
		}
	}
	if leaf < 0 {
		return
	}
	i := w.NewSymbol(node, engine.Impl, w.Symbol, &w.Nodes[leaf], w.TextOf(leaf), f.Decl)
	if outer := strings.TrimSuffix(w.Text[w.Nodes[path].Start:w.Nodes[leaf].Start], "."); outer != "" {
		s := &w.File.Symbols[i]
		s.Scope = engine.JoinScope(s.Scope, outer)
	}
	w.Mean(leaf, i)
	w.Symbol, f.HasSymbol = i, true
}

// swiftOperator names a function that is an operator of the language.
func swiftOperator(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	if f == nil || f.HasSymbol || f.Decl.Kind != engine.Function {
		return
	}
	_, name, ok := strings.Cut(w.TextOf(node), "func")
	if !ok {
		return
	}
	name = strings.TrimSpace(name)
	if end := strings.IndexAny(name, "( \t\n"); end > 0 {
		kind := f.Decl.Kind
		if len(w.Scopes) > 1 && w.Scopes[len(w.Scopes)-2].Kind == engine.ClassScope {
			kind = engine.Method
		}
		addUnnamed(w, node, f, kind, name[:end])
	}
}

// addUnnamed makes a symbol of a declaration without a name that is one to the
// grammar.
func addUnnamed(w *engine.Walker, node int32, f *engine.Frame, kind engine.Kind, name string) {
	at := w.Nodes[node]
	at.Start = uint32(w.AfterDecorators(node))
	at.Start += uint32(max(0, strings.Index(w.Text[at.Start:at.End], name)))
	at.StartRow = w.RowOf(at.Start, at.StartRow)
	i := w.NewSymbol(node, kind, w.Symbol, &at, name, f.Decl)
	w.Symbol, f.HasSymbol = i, true
}

func swiftNameless(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	if f == nil || w.Symbol < 0 {
		return
	}
	switch {
	case w.Is(node, "init_declaration"):
		addUnnamed(w, node, f, engine.Constructor, "init")
	case w.Is(node, "deinit_declaration"):
		addUnnamed(w, node, f, engine.Method, "deinit")
	default:
		addUnnamed(w, node, f, engine.Property, "subscript")
	}
}

// swiftCases makes members of the names in case a, b(Int).
func swiftCases(w *engine.Walker, node int32) {
	var names []engine.Plan
	for c := range w.Children(node) {
		if !w.In(c, "name") {
			continue
		}
		end := w.Nodes[c].End
		if next := w.Nodes[c].Next; next < w.Nodes[node].Next && w.In(next, "data_contents") {
			end = w.Nodes[next].End
		}
		i := w.NewSymbol(node, engine.EnumMember, w.Symbol, &w.Nodes[c], w.TextOf(c), nil)
		w.File.Symbols[i].Signature = engine.OneLine(append([]byte("case "), w.Source[w.Nodes[c].Start:end]...))
		names = append(names, engine.Plan{Node: c, Symbol: i})
	}
	w.MeanAll(names)
}

// swiftParameter passes over the name by which callers know a parameter.
func swiftParameter(w *engine.Walker, node int32) {
	if label := w.Child(node, "external_name"); label >= 0 {
		w.Hide(label)
	}
}

// swiftBinding reads the outer name in if let name = name.
func swiftBinding(w *engine.Walker, node int32) {
	bound := ""
	for c := range w.Children(node) {
		switch {
		case w.In(c, "bound_identifier"):
			bound = w.TextOf(c)
		case w.In(c, "condition") && bound != "":
			if leaf := w.LeafOf(c); leaf >= 0 && w.TextOf(leaf) == bound {
				role := engine.Read
				if w.Is(c, "call_expression") && w.Parent(leaf) == c {
					role = engine.Call
				}
				w.NoteAs(leaf, role)
			}
			bound = ""
		}
	}
}

// swiftError makes "error" known where nothing else is caught.
func swiftError(w *engine.Walker, node int32) {
	if w.Child(node, "error") < 0 {
		w.Bind(w.NameID("error"), int32(len(w.Scopes)-1), true)
	}
}

// swiftNewValue makes the values known that an accessor or observer gets.
func swiftNewValue(w *engine.Walker, _ int32) {
	for _, name := range []string{"newValue", "oldValue"} {
		w.Bind(w.NameID(name), int32(len(w.Scopes)-1), true)
	}
}

// swiftConstruct calls the type in Set<Int>().
func swiftConstruct(w *engine.Walker, node int32) {
	constructed := w.Child(node, "constructed_type")
	if leaf := w.FirstOf(constructed, "type_identifier"); leaf >= 0 {
		w.NoteAs(leaf, engine.Call)
	}
}

// swiftItem reads or writes a in a[i], which the grammar takes for a call.
func swiftItem(w *engine.Walker, node int32) {
	suffix := w.FirstOf(node, "call_suffix")
	if suffix < 0 || w.Text[w.Nodes[suffix].Start] != '[' {
		return
	}
	role := engine.Read
	if w.Use[node]&engine.UseMask == engine.AsWrite {
		role = engine.Write
	}
	switch base := node + 1; {
	case w.Is(base, "simple_identifier"):
		w.NoteAs(base, role)
	case w.Is(base, "navigation_expression"):
		if leaf := w.Child(base, "suffix"); leaf >= 0 && w.Is(leaf, "simple_identifier") {
			qualifier := w.Child(base, "target")
			if qualifier >= 0 && (w.Info[w.Nodes[qualifier].Kind].Flags&engine.IsPlain == 0 ||
				w.Nodes[qualifier].Next != qualifier+1) {
				qualifier = -1
			}
			w.MentionAs(leaf, qualifier, role)
			w.Hide(leaf)
		}
	}
}

// swiftBody returns the statements of a function.
func swiftBody(t *engine.Tree, function int32) int32 {
	body := t.Field(function, "body")
	if body >= 0 {
		if statements := t.Child(body, "statements"); statements >= 0 {
			return statements
		}
	}
	return body
}
