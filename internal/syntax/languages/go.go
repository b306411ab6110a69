package languages

import (
	"codeintel/internal/platform/lazyregexp"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/golang"
)

// Go is the row of the language.
var Go = &engine.Spec{
	Name:       engine.Go,
	Counted:    true,
	Aliases:    "golang",
	Extensions: "go",
	Servers:    []string{"gopls"},
	TestSuffix: "_test",
	Rules:      &goRules,
	Recovery:   goRecovery,
	Faster:     golang.Read,
	Names: engine.Names{
		Unnamed: map[string]string{
			"String": "fmt.Print(x)", "Error": "fmt.Print(err)",
		},
		Hides:       true,
		Typechecked: true,
		Strict:      true,
		Typed:       goTyped,
		Imports:     engine.ImportsPackage,
	},

	Comparing: engine.Comparing{ByName: true, Around: "package p\n%s"},
	Testing: engine.Testing{Files: `(?:^|/)[^/_.][^/]*_test\.go$`, Functions: `^(?:Test|Fuzz|Example)(?:$|[^a-z])`,
		Passed: lazyregexp.MustCompile(`(?m)^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?:\s+coverage.*)?$`),
		Later:  lazyregexp.MustCompile(`^go$`)},
}

var goRules = engine.Rules{
	Grammar: "go",
	Names: map[engine.Use]string{
		engine.AsRead: "identifier field_identifier package_identifier",
		engine.AsType: "type_identifier",
	},
	Flow: map[engine.Use]string{
		engine.AsNothing:              "package_clause",
		engine.AsImport:               "import_spec.name",
		engine.AsCall:                 "call_expression.function",
		engine.HandOn | engine.Member: "selector_expression.field",
		engine.AsType | engine.Member: "qualified_type.name",
		engine.AsWrite: `assignment_statement.left inc_statement dec_statement range_clause.left
			receive_statement.left`,
		engine.HandOn: "index_expression.operand",
		engine.AsRead: "unary_expression.operand type_conversion_expression keyed_element.key",
		engine.AsBind: `parameter_declaration.name variadic_parameter_declaration.name type_switch_statement.alias
			range_clause::=.left receive_statement::=.left`,
		engine.AsParam: "type_parameter_declaration.name",
	},
	Through: "parenthesized_expression parenthesized_type pointer_type type_instantiation_expression",
	Splits: []engine.Split{
		{Node: "type_spec", By: []string{"struct_type", "interface_type"}},
		{Node: "range_clause receive_statement", By: []string{":="}},
	},
	Decls: []engine.Decl{
		{Node: "function_declaration", Kind: engine.Function, Name: "name", Body: "body", Opens: engine.FunctionScope},
		{Node: "method_declaration", Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty,
			Opens: engine.FunctionScope},
		{Node: "type_spec type_alias", Kind: engine.Type, Name: "name", Opens: engine.ClassScope},
		{Node: "type_spec:struct_type", Kind: engine.Struct, Name: "name", Body: "field_declaration_list",
			Opens: engine.ClassScope},
		{Node: "type_spec:interface_type", Kind: engine.Interface, Name: "name", Cut: "{", Opens: engine.ClassScope},
		{Node: "field_declaration", Kind: engine.Field, Name: "name", Sort: engine.SortField},
		{Node: "method_elem", Kind: engine.Method, Name: "name", Sort: engine.SortField, Opens: engine.FunctionScope},
		{Node: "const_spec", Kind: engine.Constant, Name: "name", Sort: engine.SortVariable, After: true},
		{Node: "var_spec", Kind: engine.Variable, Name: "name", Sort: engine.SortVariable, After: true},
		{Node: "short_var_declaration", Kind: engine.Variable, Name: "left", Sort: engine.SortVariable, After: true},
	},
	Scopes: map[engine.Scope]string{
		engine.FunctionScope: "func_literal function_type",
		engine.BlockScope: `block if_statement for_statement expression_switch_statement type_switch_statement
			expression_case type_case default_case communication_case`,
	},
	Qualifiers: "selector_expression.operand qualified_type.package",
	Comments:   "comment",
	Wrappers:   "type_declaration const_declaration var_declaration var_spec_list",
	Transient:  "expression_list literal_element statement_list import_spec_list type_elem type_constraint",
	Skip:       "int_literal float_literal imaginary_literal rune_literal escape_sequence iota nil true false label_name",
	Leaves:     "interpreted_string_literal raw_string_literal",
	Blank:      "_",
	Builtins: "any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string" +
		" uint uint16 uint32 uint64 uint8 uintptr nil",
	Hooks: map[string]func(*engine.Walker, int32){
		"import_spec":        goImport,
		"method_declaration": goReceiver,
		"keyed_element":      goKey,
		"type_arguments":     goTypeArgument,
	},
	Finish: goFinish,
}

// goFinish gives a method the scope of its receiver and says what is exported.
func goFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	if w.Is(node, "method_declaration") {
		s.Scope = goReceiverType(w, node)
	}
	if w.Is(node, "method_elem") {
		w.OwnDoc(node, s) // of a constraint in the head of a type, whose comment is not its own
	}
	r, _ := utf8.DecodeRuneInString(s.Name)
	s.Exported = unicode.IsUpper(r) && !w.InFunction()
}

// goReceiverType names the type that a method belongs to.
func goReceiverType(w *engine.Walker, method int32) string {
	for c := range w.Children(w.Child(method, "receiver")) {
		end := w.Nodes[c].Next
		for j := c; j < end; j++ {
			if w.Is(j, "type_identifier") {
				return w.TextOf(j)
			}
		}
	}
	return ""
}

// goReceiver makes the type parameters that a receiver names known: the T of
// func (l *List[T]).
func goReceiver(w *engine.Walker, method int32) {
	receiver := w.Child(method, "receiver")
	if receiver < 0 {
		return
	}
	for j := receiver; j < w.Nodes[receiver].Next; j++ {
		if !w.Is(j, "type_arguments") {
			continue
		}
		for k := j; k < w.Nodes[j].Next; k++ {
			if w.Is(k, "type_identifier") {
				w.Bind(w.NameOf(&w.Nodes[k]), int32(len(w.Scopes)-1), true)
			}
		}
		return
	}
}

func goImport(w *engine.Walker, spec int32) {
	w.AddImport(engine.Import{
		Path:  engine.Unquote(w.TextOf(w.Child(spec, "path"))),
		Alias: w.TextOf(w.Child(spec, "name")),
		Line:  w.Line(spec),
	})
}

// goKey tells the keys of a composite literal that are field names from those
// that are values. Without types the literal decides: keys of maps, slices and
// arrays are values; in all others a plain name is a field.
func goKey(w *engine.Walker, element int32) {
	key := w.Child(element, "key")
	if !w.Is(key, "identifier") {
		return
	}
	if literal := w.Parent(w.Parent(element)); w.Is(literal, "composite_literal") {
		switch typ := w.Child(literal, "type"); {
		case w.Is(typ, "map_type"), w.Is(typ, "slice_type"), w.Is(typ, "array_type"), w.Is(typ, "implicit_length_array_type"):
			return
		}
	}
	w.Mean(key, engine.PlanKey)
}

// goTypeArgument takes f[i](x) for a call of one of many functions, rather than
// of one with a type argument, if i is a local variable.
func goTypeArgument(w *engine.Walker, arguments int32) {
	only := arguments + 1
	if w.Nodes[arguments].Next != only+1 || !w.Is(only, "type_identifier") || !w.Is(w.Parent(arguments), "call_expression") {
		return
	}
	n := &w.Nodes[only]
	if c := w.Source[n.Start]; c >= 'a' && c <= 'z' && w.IsLocal(w.NameOf(n)) {
		n.Kind = w.Grammar.KindIDs("identifier")[0]
	}
}

// goTyped finds the written type of a name.
const goTyped = `\bNAME\s*:?=\s*&?((?:\w+\.)?\w+)\{` +
	`|\bNAME\s*(?:,\s*\w+\s*)?:?=\s*(?:\w+\.)?New([A-Z]\w*)\(` +
	`|\bNAME\s*:?=\s*new\(((?:\w+\.)?\w+)\)` +
	`|[(,]\s*(?:\w+,\s*)*NAME\s+\*?((?:\w+\.)?\w+)(?:\[[^\]]*\])?\s*[,)]` +
	`|\bvar\s+NAME\s+\*?((?:\w+\.)?\w+)`
