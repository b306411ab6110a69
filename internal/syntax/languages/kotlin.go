package languages

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/repair"
)

// Kotlin is the row of the language.
var Kotlin = &engine.Spec{
	Name:        engine.Kotlin,
	Aliases:     "kt",
	Extensions:  "kt kts",
	Servers:     []string{"kotlin-language-server"},
	TestClasses: true,
	Family:      "jvm",
	Misfit:      repair.Kotlin,
	Repair:      repair.EndKotlinLines,
	Rules:       &kotlinRules,
	Recovery:    kotlinRecovery,
	Names: engine.Names{
		Hides:   true,
		Imports: engine.ImportsDeclared,
		Groups:  "jvm",
		Bare:    engine.OfClass,
		Members: javaMembers,
		Typed:   kotlinTyped,
	},
	Bodies: engine.Bodies{
		Unwritten: lazyregexp.MustCompile(`^(?:=\s*)?(?:throw\s+)?(?:TODO\s*\(.*\)|NotImplementedError\s*\(.*\))$`),
		Body:      kotlinBody,
	},

	Comparing: engine.Comparing{ByName: true, Appends: true, LastIsValue: true, UnusedImports: true, Nested: true, Lazy: engine.Lazy{
		From:  "asSequence sequenceOf generateSequence",
		Steps: "map filter filterNot mapNotNull onEach onEachIndexed take drop takeWhile flatMap mapIndexed distinct sortedBy"}},
	Testing: engine.Testing{Marked: true, Called: true, Passed: jvmPassed,
		Later: lazyregexp.MustCompile(`(?:^|=)(?:(?:GlobalScope|CoroutineScope\(.*\))\.(?:launch|async)|thread)(?:\(.*\))?$`)},
}

var kotlinRules = engine.Rules{
	Grammar: "kotlin",
	Names:   map[engine.Use]string{engine.AsRead: "identifier"},
	Flow: map[engine.Use]string{
		engine.AsCall:  "call_expression>identifier call_expression>navigation_expression",
		engine.AsType:  "user_type type_constraint>identifier type_alias>user_type",
		engine.AsWrite: "assignment.left unary_expression:++.argument unary_expression:--.argument",
		engine.HandOn: `variable_declaration>identifier multi_variable_declaration qualified_identifier
			parenthesized_expression multi_variable_declaration>identifier`,
		engine.AsBind: `for_statement>variable_declaration for_statement>multi_variable_declaration
			lambda_parameters when_subject>variable_declaration catch_block>identifier parameter>identifier
			setter>identifier`,
		engine.AsParam: "type_parameter>identifier",
		engine.AsNothing: `import package_header companion_object.name labeled_expression>identifier
			return_expression.label this_expression super_expression`,
	},
	Splits: []engine.Split{
		{Node: "class_declaration", By: []string{"interface", "enum_class_body"}},
		{Node: "class_parameter", By: []string{"val", "var"}},
		{Node: "unary_expression", By: []string{"++", "--"}},
		{Node: "value_argument", By: []string{"="}},
	},
	Decls: []engine.Decl{
		{Node: "class_declaration object_declaration", Kind: engine.Class, Name: "name", Body: "class_body",
			Opens: engine.ClassScope},
		{Node: "class_declaration:interface", Kind: engine.Interface, Name: "name", Body: "class_body",
			Opens: engine.ClassScope},
		{Node: "class_declaration:enum_class_body", Kind: engine.Enum, Name: "name", Body: "enum_class_body",
			Opens: engine.ClassScope},
		{Node: "enum_entry", Kind: engine.EnumMember, First: "identifier", Body: "class_body",
			Sort: engine.SortField, Opens: engine.ClassScope},
		{Node: "function_declaration", Kind: engine.Function, Member: engine.Method, Name: "name",
			Body: "function_body", Opens: engine.FunctionScope},
		{Node: "secondary_constructor", Body: "block", Opens: engine.FunctionScope}, // see kotlinConstructor
		{Node: "property_declaration", Kind: engine.Variable, Member: engine.Property,
			First: "variable_declaration multi_variable_declaration", Sort: engine.SortVariable, After: true},
		{Node: "class_parameter:val class_parameter:var", Kind: engine.Property, First: "identifier",
			Sort: engine.SortProperty},
		{Node: "type_alias", Kind: engine.Type, Name: "type", Opens: engine.ClassScope},
	},
	Scopes: map[engine.Scope]string{
		engine.ClassScope:    "companion_object object_literal",
		engine.FunctionScope: "anonymous_initializer anonymous_function lambda_literal function_type getter setter",
		engine.BlockScope:    "block for_statement catch_block when_expression",
	},
	Plain:      "this_expression super_expression",
	Comments:   "line_comment block_comment",
	Decorators: "annotation",
	Transient:  "modifiers",
	Skip:       "number_literal float_literal character_literal string_content escape_sequence label visibility_modifier reification_modifier",
	Blank:      "_",
	Builtins:   "Any Boolean Byte Char Double Float Int Long Nothing Short String Unit",
	Hooks: map[string]func(*engine.Walker, int32){
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
	Finish: kotlinFinish,
	AtEnd: func(w *engine.Walker) {
		engine.InOrder(w)
		w.DropWords("true", "false", "null")
	},
}

// kotlinFinish says what is constant and what is exported: what is neither
// private nor in something that is.
func kotlinFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	name := w.LeafOf(node)
	for c := range w.Children(node) {
		if w.Is(c, "variable_declaration") || w.In(c, "name") || w.In(c, "type") {
			name = c
			break
		}
	}
	switch {
	case w.Is(node, "property_declaration"):
		if w.HasKeyword(node, name, "const") {
			s.Kind = engine.Constant
		}
		s.Signature = kotlinPropertyHead(w, node)
	case w.Is(node, "class_declaration") && w.HasKeyword(node, name, "annotation"):
		s.Kind = engine.Interface
	}
	s.Exported = !w.WithinFunction() && w.ParentExported(s) && !w.HasKeyword(node, name, "private")
}

// kotlinPropertyHead returns a property without its accessors, its delegate and
// values that go on for lines.
func kotlinPropertyHead(w *engine.Walker, node int32) string {
	end := w.Nodes[node].End
	for c := range w.Children(node) {
		switch {
		case w.Is(c, "getter"), w.Is(c, "setter"):
			end = min(end, w.Nodes[c].Start)
		}
	}
	return engine.OneLine(w.Source[w.AfterDecorators(node):end])
}

// kotlinImport notes what is imported under its own name or another.
func kotlinImport(w *engine.Walker, node int32) {
	path := w.FirstOf(node, "qualified_identifier")
	if path < 0 {
		return
	}
	i := engine.Import{Path: w.TextOf(path), Line: w.Line(node)}
	if alias := w.FirstOf(node, "identifier"); alias > path {
		i.Alias = w.TextOf(alias)
	}
	all := strings.HasSuffix(w.TextOf(node), "*")
	if dot := strings.LastIndexByte(i.Path, '.'); dot >= 0 && !all {
		i.Names = []string{i.Path[dot+1:]}
	}
	w.AddImport(i)
	last, before := w.LastLeaf(path), int32(-1)
	for j := path; j < w.Nodes[path].Next; j++ {
		if !w.Is(j, "identifier") {
			continue
		}
		if engine.IsUpper(w.TextOf(j)) || j == last && !all {
			w.MentionAs(j, before, engine.ImportUse)
		}
		before = j
	}
	if i.Alias != "" {
		w.MentionAs(w.FirstOf(node, "identifier"), -1, engine.ImportUse)
	}
}

func kotlinMember(w *engine.Walker, node int32) {
	if last := w.LastLeaf(node); w.TextOf(last) == "class" && w.Is(last, "identifier") {
		w.Hide(last) // of A::class
		return
	}
	w.MemberAfterDot(node)
}

// kotlinInfix calls the function that is between its arguments.
func kotlinInfix(w *engine.Walker, node int32) {
	for c := range w.Children(node) {
		if w.Nodes[c].Start == w.Nodes[node].Start {
			continue // the left one, unless it is a literal, which is not in the tree
		}
		if w.Is(c, "identifier") {
			w.NoteAs(c, engine.Call)
		}
		return
	}
}

// kotlinType notes the types in Map.Entry; packages before them are none.
func kotlinType(w *engine.Walker, node int32) {
	var names []int32
	for c := range w.Children(node) {
		if w.Is(c, "identifier") {
			names = append(names, c)
		}
	}
	if len(names) < 2 {
		return // one name, which the walk notes
	}
	before := int32(-1)
	for i, c := range names {
		if i == len(names)-1 || engine.IsUpper(w.TextOf(c)) {
			w.MentionAs(c, before, engine.TypeUse)
		}
		before = c
	}
	for _, c := range names {
		w.Hide(c)
	}
}

// kotlinArgument passes over the name in f(name = value): it is the
// parameter's.
func kotlinArgument(w *engine.Walker, node int32) {
	if name := w.FirstOf(node, "identifier"); w.Is(node, "value_argument:=") && name == node+1 {
		w.Mean(name, engine.PlanKey)
	}
}

// kotlinParameter binds a parameter of a primary constructor that is no
// property. Initialisers may use it, and nothing in the way says they end:
// where a property has its name, the name means the property.
func kotlinParameter(w *engine.Walker, node int32) {
	leaf := w.FirstOf(node, "identifier")
	if leaf < 0 || !w.Is(node, "class_parameter") || w.Is(node, "class_parameter:val", "class_parameter:var") {
		return
	}
	id, scope := w.NameOf(&w.Nodes[leaf]), int32(len(w.Scopes)-1)
	if class := w.Ancestor(node, "class_declaration"); class < 0 || !kotlinHasProperty(w, class, w.TextOf(leaf)) {
		w.Bind(id, scope, true)
	}
	w.HookPlans = append(w.HookPlans, engine.Plan{Node: leaf, Symbol: engine.PlanLocal})
}

func kotlinHasProperty(w *engine.Walker, class int32, name string) bool {
	seen := 0
	for c := range w.Children(w.FirstOf(class, "class_body")) {
		if seen++; seen > 500 {
			return true // who knows: it is safer not to take it for a local
		}
		if w.Is(c, "property_declaration") && w.TextOf(w.LeafOf(w.FirstOf(c, "variable_declaration"))) == name {
			return true
		}
	}
	return false
}

// kotlinConstructor makes a symbol of a constructor, which has no name.
func kotlinConstructor(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	if f == nil || w.Symbol < 0 {
		return
	}
	at := w.WordIn(node, w.FirstOf(node, "function_value_parameters"), "constructor")
	i := w.NewSymbol(node, engine.Constructor, w.Symbol, &at, "constructor", f.Decl)
	w.File.Symbols[i].Exported = w.File.Symbols[w.Symbol].Exported && !strings.HasPrefix(w.File.Symbols[i].Signature, "private")
	w.Symbol, f.HasSymbol = i, true
}

// kotlinLambda makes "it" known in a lambda that names no parameter.
func kotlinLambda(w *engine.Walker, node int32) {
	if w.FirstOf(node, "lambda_parameters") < 0 {
		w.Bind(w.NameID("it"), int32(len(w.Scopes)-1), true)
	}
}

// kotlinAccessor makes "field" known in an accessor.
func kotlinAccessor(w *engine.Walker, _ int32) {
	w.Bind(w.NameID("field"), int32(len(w.Scopes)-1), true)
}

// kotlinItem writes to a in a[i] = b.
func kotlinItem(w *engine.Walker, node int32) {
	left := w.Child(node, "left")
	if !w.Is(left, "index_expression") {
		return
	}
	if base := left + 1; base < w.Nodes[left].Next && w.Is(base, "identifier") {
		w.NoteAs(base, engine.Write)
	}
}

// kotlinBody returns the block of a function, or the value behind the sign.
func kotlinBody(t *engine.Tree, function int32) int32 {
	body := t.Child(function, "function_body")
	if body >= 0 && t.Nodes[body].Next > body+1 {
		body++
	}
	return body
}
