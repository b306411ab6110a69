package languages

import (
	"codeintel/internal/platform/lazyregexp"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// CSharp is the row of the language.
var CSharp = &engine.Spec{
	Name:        engine.CSharp,
	Counted:     true,
	Title:       "C#",
	Aliases:     "c# cs",
	Extensions:  "cs csx",
	Servers:     []string{"csharp-ls"},
	TestClasses: true,
	Rules:       &csharpRules,
	Repair:      repairCSharp,
	Misfit:      fitCSharp,
	Recovery:    csharpRecovery,
	Names: engine.Names{
		Unnamed: map[string]string{
			"GetEnumerator": "foreach", "Dispose": "using", "DisposeAsync": "await using", "ToString": "$\"{x}\"",
		},
		Hides:   true,
		Imports: engine.ImportsDeclared,
		Bare:    engine.OfClass,
		Members: javaMembers,
		Typed:   cTyped,
	},

	Comparing: engine.Comparing{Margins: true, Yields: true, ByName: true,
		Around: "class A { %s }", Nested: true, Hoisted: true, Lazy: engine.Lazy{
			Steps: "Select Where SelectMany OrderBy OrderByDescending ThenBy TakeWhile SkipWhile"}},
	Testing: engine.Testing{Marked: true, Passed: lazyregexp.MustCompile(`(?m)^\s*Passed!\s+- Failed:\s+0, Passed:\s+[1-9]`),
		Later: lazyregexp.MustCompile(`(?:Task\.Run|QueueUserWorkItem|newThread)\($`)},
}

var csharpRules = engine.Rules{
	Grammar: "csharp",
	Names:   map[engine.Use]string{engine.AsRead: "identifier implicit_parameter"},
	Flow: map[engine.Use]string{
		engine.AsCall: "invocation_expression.function object_creation_expression.type",
		engine.HandOn | engine.Member: `member_access_expression.name member_binding_expression.name
			qualified_name.name alias_qualified_name.name`,
		engine.HandOn: `generic_name>identifier element_access_expression.expression
			conditional_access_expression>member_binding_expression tuple_pattern
			parenthesized_variable_designation scoped_type`,
		engine.AsRead: "qualified_name.qualifier alias_qualified_name.alias subpattern>identifier",
		engine.AsWrite: `assignment_expression.left postfix_unary_expression:++ postfix_unary_expression:--
			prefix_unary_expression:++ prefix_unary_expression:--`,
		engine.AsNothing: `namespace_declaration>qualified_name file_scoped_namespace_declaration>qualified_name
			using_directive.name argument.name labeled_statement>identifier goto_statement`,
		engine.AsWrite | engine.Member: "with_initializer>identifier tuple_element.name",
		engine.AsType: `type_parameter_constraints_clause recursive_pattern.type type_pattern from_clause.type
			catch_declaration sizeof_expression.type attribute.name base_list type_argument_list
			type_parameter_constraint.type parameter_list.type parameter.type variable_declaration.type
			method_declaration.returns property_declaration.type event_declaration.type delegate_declaration.type
			local_function_statement.type indexer_declaration.type conversion_operator_declaration.type
			operator_declaration.type cast_expression.type as_expression.right is_expression.right
			typeof_expression.type default_expression.type nullable_type.type array_type.type pointer_type.type
			ref_type.type tuple_element.type primary_constructor_base_type.type catch_declaration.type
			foreach_statement.type declaration_expression.type declaration_pattern.type
			explicit_interface_specifier`,
		engine.AsBind: `variable_declarator>tuple_pattern var_pattern recursive_pattern.name from_clause.name
			query_expression>identifier join_into_clause implicit_parameter lambda_expression.parameters
			catch_declaration.name foreach_statement.left declaration_expression.name declaration_pattern.name`,
		engine.AsImport: "using_directive",
		// parameter_list.name: behind params
		engine.AsParam: "type_parameter.name parameter.name parameter_list.name",
	},
	Through: "parenthesized_expression tuple_expression argument",
	Splits: []engine.Split{
		{Node: "postfix_unary_expression prefix_unary_expression", By: []string{"++", "--"}},
	},
	Decls: []engine.Decl{
		{Node: "namespace_declaration", Kind: engine.Namespace, Name: "name", Body: "body",
			Sort: engine.SortProperty, Opens: engine.ModuleScope},
		{Node: "file_scoped_namespace_declaration", Kind: engine.Namespace, Name: "name", Sort: engine.SortProperty,
			Opens: engine.ModuleScope},
		{Node: "class_declaration record_declaration", Kind: engine.Class, Name: "name", Body: "body",
			Opens: engine.ClassScope},
		{Node: "struct_declaration", Kind: engine.Struct, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "interface_declaration", Kind: engine.Interface, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_declaration", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_member_declaration", Kind: engine.EnumMember, Name: "name", Sort: engine.SortField},
		{Node: "delegate_declaration", Kind: engine.Type, Name: "name", Opens: engine.FunctionScope},
		{Node: "method_declaration destructor_declaration", Kind: engine.Method, Name: "name", Body: "body",
			Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "constructor_declaration", Kind: engine.Constructor, Name: "name", Body: "body",
			Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "property_declaration", Kind: engine.Property, Name: "name", Body: "accessors",
			Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "event_declaration", Kind: engine.Property, Name: "name", Body: "accessors", Sort: engine.SortProperty},
		{Node: "local_function_statement", Kind: engine.Function, Name: "name", Body: "body",
			Opens: engine.FunctionScope},
		{Node: "variable_declarator", Kind: engine.Variable, Name: "name", Sort: engine.SortVariable, After: true},
	},
	Scopes: map[engine.Scope]string{
		engine.BlockScope: `block for_statement foreach_statement using_statement catch_clause switch_section
			switch_expression_arm query_expression`,
		engine.FunctionScope: `lambda_expression anonymous_method_expression operator_declaration
			conversion_operator_declaration indexer_declaration accessor_declaration`,
	},
	Qualifiers: "member_access_expression.expression qualified_name.qualifier",
	Paths:      "qualified_name.name",
	Plain:      "this base",
	Comments:   "comment",
	Decorators: "attribute_list",
	Wrappers:   "field_declaration variable_declaration event_field_declaration",
	Skip:       "integer_literal real_literal character_literal boolean_literal null_literal predefined_type implicit_type escape_sequence",
	Leaves:     "string_literal verbatim_string_literal raw_string_literal",
	Blank:      "_",
	Hooks: map[string]func(*engine.Walker, int32){
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
	Finish: csharpFinish,
	AtEnd: func(w *engine.Walker) {
		leftOut(w, csharpKeywords)
		engine.InOrder(w)
		engine.FileNamespace(w)
		w.Mentions = slices.DeleteFunc(w.Mentions, func(o engine.RawOccurrence) bool {
			return o.Role == engine.Call && w.Intern.Names[o.Name] == "nameof" ||
				strings.HasPrefix(w.Text[o.Start:], "file class ") // see repairBodiless
		})
	},
}

// csharpFinish says what is constant and what is exported: what is public or
// protected in something that is.
func csharpFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	owner := node
	switch {
	case w.Is(node, "variable_declarator"):
		if list := w.Parent(node); list >= 0 && w.Parent(list) >= 0 {
			owner = w.Parent(list) // on broken code there may be none
		}
		if !w.InFunction() && owner != node {
			s.Kind = engine.Field
			switch {
			case csharpModifier(w, owner, "const"):
				s.Kind = engine.Constant
			case w.Is(owner, "event_field_declaration"):
				s.Kind = engine.Property
			}
			w.SharedHead(owner, node, s)
		}
	case w.Is(node, "destructor_declaration"):
		s.Name = "~" + s.Name
	case w.Is(node, "record_declaration"):
		switch word := csharpWord(w.Text[w.Nodes[node].Start:w.Nodes[w.Child(node, "name")].Start]); {
		case strings.HasSuffix(word, "struct"):
			s.Kind = engine.Struct
		case word == "interface":
			s.Kind = engine.Interface
		}
	}
	w.OwnDoc(owner, s)
	s.Doc = withoutTags(s.Doc)
	if s.Kind == engine.Namespace {
		s.Exported = true
		return
	}
	if w.InFunction() || !w.ParentExported(s) {
		return
	}
	implicit := s.Kind == engine.EnumMember || s.Parent >= 0 && w.File.Symbols[s.Parent].Kind == engine.Interface
	s.Exported = implicit || csharpModifier(w, owner, "public") ||
		csharpModifier(w, owner, "protected") && !csharpModifier(w, owner, "private")
}

// csharpNamespace passes over the parts of the name of a namespace.
func csharpNamespace(w *engine.Walker, node int32) {
	if name := w.Child(node, "name"); w.Is(name, "qualified_name") {
		w.Hide(name)
	}
}

// withoutTags takes the tags of XML out of documentation; of those that are
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
func csharpComponents(w *engine.Walker, record int32) {
	head := w.Text[w.Nodes[record].Start:w.Nodes[w.Child(record, "name")].Start]
	if !strings.HasPrefix(csharpWord(head), "record") {
		return
	}
	var names []engine.Plan
	for c := range w.Children(w.FirstOf(record, "parameter_list")) {
		name := w.Child(c, "name")
		if name < 0 || !w.Is(c, "parameter") || w.Symbol < 0 {
			continue
		}
		i := w.NewSymbol(c, engine.Property, w.Symbol, &w.Nodes[name], w.TextOf(name), nil)
		w.File.Symbols[i].Exported = w.File.Symbols[w.Symbol].Exported
		names = append(names, engine.Plan{Node: name, Symbol: i})
	}
	list := w.FirstOf(record, "parameter_list")
	if name := w.Child(list, "name"); name >= 0 && w.Symbol >= 0 { // behind params
		i := w.NewSymbol(name, engine.Property, w.Symbol, &w.Nodes[name], w.TextOf(name), nil)
		s := &w.File.Symbols[i]
		s.Exported = w.File.Symbols[w.Symbol].Exported
		if t := w.Child(list, "type"); t >= 0 && t < name {
			s.Signature = engine.OneLine(w.Source[w.Nodes[t].Start:w.Nodes[name].End])
		}
		names = append(names, engine.Plan{Node: name, Symbol: i})
	}
	w.MeanAll(names)
}

// csharpTypeParameters makes type parameters known from the start of a
// declaration on: the type of what it returns comes before them.
func csharpTypeParameters(w *engine.Walker, node int32) {
	if f := w.Declaration(node); f == nil || !f.OpensOne {
		return
	}
	var names []engine.Plan
	for c := range w.Children(w.FirstOf(node, "type_parameter_list")) {
		if name := w.Child(c, "name"); name >= 0 {
			w.Bind(w.NameOf(&w.Nodes[name]), int32(len(w.Scopes)-1), true)
			names = append(names, engine.Plan{Node: name, Symbol: engine.PlanLocal})
		}
	}
	w.MeanAll(names)
}

// csharpLocalFunctions makes the functions declared in a block known from its
// start on.
func csharpLocalFunctions(w *engine.Walker, block int32) {
	for c := range w.Children(block) {
		if name := w.Child(c, "name"); name >= 0 && w.Is(c, "local_function_statement") {
			w.Bind(w.NameOf(&w.Nodes[name]), int32(len(w.Scopes)-1), true)
		}
	}
}

// csharpPositional notes the type of a pattern like Opened(var at, _), which is
// a call to the grammar.
func csharpPositional(w *engine.Walker, pattern int32) {
	function := w.Child(w.FirstOf(pattern, "invocation_expression"), "function")
	if name := w.Child(function, "name"); w.Is(function, "member_access_expression") && w.Is(name, "identifier") {
		function = name
	}
	if w.Is(function, "identifier") {
		w.MentionAs(function, -1, engine.TypeUse)
		w.Nodes[function].Kind = 0
	}
}

// csharpValue makes value known in an accessor, where it is what is set.
func csharpValue(w *engine.Walker, node int32) {
	w.Bind(w.NameID("value"), int32(len(w.Scopes)-1), true)
}

// csharpRange declares the name at the start of a clause of a query.
func csharpRange(w *engine.Walker, clause int32) {
	name := w.FirstOf(clause, "identifier")
	if name < 0 {
		return
	}
	n := &w.Nodes[name]
	id := w.NameOf(n)
	w.Bind(id, int32(len(w.Scopes)-1), true)
	w.Occur(n, id, engine.Definition, w.Symbol, true)
	w.Hide(name)
}

// csharpNameless makes symbols of members that have no name: operators and
// indexers.
func csharpNameless(w *engine.Walker, node int32) {
	at := w.Child(node, "parameters")
	if at < 0 || len(w.Scopes) < 2 || w.Scopes[len(w.Scopes)-2].Kind != engine.ClassScope {
		return
	}
	kind, name, word := engine.Property, "this[]", "this"
	if !w.Is(node, "indexer_declaration") {
		head := w.Text[w.Nodes[node].Start:w.Nodes[at].Start]
		word = "operator"
		kind, name = engine.Method, "operator "+strings.TrimSpace(head[strings.LastIndex(head, "operator")+len("operator"):])
	}
	place := w.WordIn(node, at, word)
	i := w.NewSymbol(node, kind, w.Symbol, &place, name, nil)
	s := &w.File.Symbols[i]
	inInterface := s.Parent >= 0 && w.File.Symbols[s.Parent].Kind == engine.Interface
	s.Exported = (inInterface || csharpModifier(w, node, "public")) && w.ParentExported(s)
	for _, body := range []string{"body", "accessors", "value"} {
		if b := w.Child(node, body); b >= 0 {
			s.Signature = engine.OneLine(w.Source[w.AfterDecorators(node):w.Nodes[b].Start])
		}
	}
	w.Symbol = i
	w.Frames[len(w.Frames)-1].HasSymbol = true
}

func csharpModifier(w *engine.Walker, node int32, modifier string) bool {
	if node < 0 {
		return false
	}
	for c := range w.Children(node) {
		if w.Is(c, "modifier") && strings.HasPrefix(w.Text[w.Nodes[c].Start:], modifier) { // see repairBodiless
			return true
		}
	}
	return false
}

// csharpUsing notes a namespace or a type that is brought in.
func csharpUsing(w *engine.Walker, node int32) {
	i := engine.Import{Line: w.Line(node), Alias: w.TextOf(w.Child(node, "name"))}
	for c := range w.Children(node) {
		if !w.In(c, "name") && w.Nodes[c].Kind != 0 {
			i.Path = strings.Join(strings.Fields(w.TextOf(c)), "")
			if w.Is(c, "tuple_type") {
				i.Path = engine.OneLine([]byte(w.TextOf(c)))
			}
		}
	}
	w.AddImport(i)
}
