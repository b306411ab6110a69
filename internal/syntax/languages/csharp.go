package languages

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// CSharp is the row of the language.
var CSharp = &engine.Spec{
	Name:        engine.CSharp,
	Title:       "C#",
	Aliases:     "c# cs",
	Extensions:  "cs csx",
	TestClasses: true,
	Rules:       &csharpRules,
	Names: engine.Names{
		Bare:    engine.OfClass,
		Members: javaMembers,
		Typed:   cTyped,
	},
}

var csharpRules = engine.Rules{
	Grammar: "csharp",
	Names:   map[string]engine.Use{"identifier": engine.AsRead, "implicit_parameter": engine.AsRead},
	Flow: map[string]engine.Use{
		"invocation_expression.function":                          engine.AsCall,
		"member_access_expression.name":                           engine.HandOn | engine.Member,
		"member_binding_expression.name":                          engine.HandOn | engine.Member,
		"generic_name>identifier":                                 engine.HandOn,
		"qualified_name.name":                                     engine.HandOn | engine.Member,
		"qualified_name.qualifier":                                engine.AsRead,
		"alias_qualified_name.name":                               engine.HandOn | engine.Member,
		"alias_qualified_name.alias":                              engine.AsRead,
		"object_creation_expression.type":                         engine.AsCall,
		"assignment_expression.left":                              engine.AsWrite,
		"postfix_unary_expression:++":                             engine.AsWrite,
		"postfix_unary_expression:--":                             engine.AsWrite,
		"prefix_unary_expression:++":                              engine.AsWrite,
		"prefix_unary_expression:--":                              engine.AsWrite,
		"element_access_expression.expression":                    engine.HandOn,
		"conditional_access_expression>member_binding_expression": engine.HandOn,
		"namespace_declaration>qualified_name":                    engine.AsNothing,
		"file_scoped_namespace_declaration>qualified_name":        engine.AsNothing,
		"with_initializer>identifier":                             engine.AsWrite | engine.Member,
		"type_parameter_constraints_clause":                       engine.AsType,
		"tuple_pattern":                                           engine.HandOn,
		"parenthesized_variable_designation":                      engine.HandOn,
		"variable_declarator>tuple_pattern":                       engine.AsBind,
		"var_pattern":                                             engine.AsBind,
		"recursive_pattern.type":                                  engine.AsType,
		"recursive_pattern.name":                                  engine.AsBind,
		"type_pattern":                                            engine.AsType,
		"from_clause.name":                                        engine.AsBind,
		"from_clause.type":                                        engine.AsType,
		"query_expression>identifier":                             engine.AsBind,
		"join_into_clause":                                        engine.AsBind,
		"catch_declaration":                                       engine.AsType,
		"scoped_type":                                             engine.HandOn,
		"sizeof_expression.type":                                  engine.AsType,
		"subpattern>identifier":                                   engine.AsRead,
		"using_directive":                                         engine.AsImport,
		"using_directive.name":                                    engine.AsNothing,
		"attribute.name":                                          engine.AsType,
		"base_list":                                               engine.AsType,
		"type_argument_list":                                      engine.AsType,
		"type_parameter.name":                                     engine.AsParam,
		"type_parameter_constraint.type":                          engine.AsType,
		"parameter.name":                                          engine.AsParam,
		"parameter_list.name":                                     engine.AsParam, // behind params
		"parameter_list.type":                                     engine.AsType,
		"parameter.type":                                          engine.AsType,
		"implicit_parameter":                                      engine.AsBind,
		"lambda_expression.parameters":                            engine.AsBind,
		"variable_declaration.type":                               engine.AsType,
		"method_declaration.returns":                              engine.AsType,
		"property_declaration.type":                               engine.AsType,
		"event_declaration.type":                                  engine.AsType,
		"delegate_declaration.type":                               engine.AsType,
		"local_function_statement.type":                           engine.AsType,
		"indexer_declaration.type":                                engine.AsType,
		"conversion_operator_declaration.type":                    engine.AsType,
		"operator_declaration.type":                               engine.AsType,
		"cast_expression.type":                                    engine.AsType,
		"as_expression.right":                                     engine.AsType,
		"is_expression.right":                                     engine.AsType,
		"typeof_expression.type":                                  engine.AsType,
		"default_expression.type":                                 engine.AsType,
		"nullable_type.type":                                      engine.AsType,
		"array_type.type":                                         engine.AsType,
		"pointer_type.type":                                       engine.AsType,
		"ref_type.type":                                           engine.AsType,
		"tuple_element.type":                                      engine.AsType,
		"tuple_element.name":                                      engine.AsNothing,
		"primary_constructor_base_type.type":                      engine.AsType,
		"catch_declaration.type":                                  engine.AsType,
		"catch_declaration.name":                                  engine.AsBind,
		"foreach_statement.type":                                  engine.AsType,
		"foreach_statement.left":                                  engine.AsBind,
		"declaration_expression.type":                             engine.AsType,
		"declaration_expression.name":                             engine.AsBind,
		"declaration_pattern.type":                                engine.AsType,
		"declaration_pattern.name":                                engine.AsBind,
		"explicit_interface_specifier":                            engine.AsType,
		"argument.name":                                           engine.AsNothing,
		"labeled_statement>identifier":                            engine.AsNothing,
		"goto_statement":                                          engine.AsNothing,
	},
	Through: "parenthesized_expression tuple_expression argument",
	Splits: []engine.Split{
		{Node: "postfix_unary_expression", By: []string{"++", "--"}},
		{Node: "prefix_unary_expression", By: []string{"++", "--"}},
	},
	Decls: []engine.Decl{
		{Node: "namespace_declaration", Kind: engine.Namespace, Name: "name", Body: "body", Sort: engine.SortProperty, Opens: engine.ModuleScope},
		{Node: "file_scoped_namespace_declaration", Kind: engine.Namespace, Name: "name", Sort: engine.SortProperty, Opens: engine.ModuleScope},
		{Node: "class_declaration", Kind: engine.Class, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "record_declaration", Kind: engine.Class, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "struct_declaration", Kind: engine.Struct, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "interface_declaration", Kind: engine.Interface, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_declaration", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_member_declaration", Kind: engine.EnumMember, Name: "name", Sort: engine.SortField},
		{Node: "delegate_declaration", Kind: engine.Type, Name: "name", Opens: engine.FunctionScope},
		{Node: "method_declaration", Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "constructor_declaration", Kind: engine.Constructor, Name: "name", Body: "body", Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "destructor_declaration", Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "property_declaration", Kind: engine.Property, Name: "name", Body: "accessors", Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "event_declaration", Kind: engine.Property, Name: "name", Body: "accessors", Sort: engine.SortProperty},
		{Node: "local_function_statement", Kind: engine.Function, Name: "name", Body: "body", Opens: engine.FunctionScope},
		{Node: "variable_declarator", Kind: engine.Variable, Name: "name", Sort: engine.SortVariable, After: true},
	},
	Scopes: map[string]engine.Scope{
		"block":                           engine.BlockScope,
		"lambda_expression":               engine.FunctionScope,
		"anonymous_method_expression":     engine.FunctionScope,
		"operator_declaration":            engine.FunctionScope,
		"conversion_operator_declaration": engine.FunctionScope,
		"indexer_declaration":             engine.FunctionScope,
		"for_statement":                   engine.BlockScope,
		"foreach_statement":               engine.BlockScope,
		"using_statement":                 engine.BlockScope,
		"catch_clause":                    engine.BlockScope,
		"switch_section":                  engine.BlockScope,
		"switch_expression_arm":           engine.BlockScope,
		"query_expression":                engine.BlockScope,
		"accessor_declaration":            engine.FunctionScope,
	},
	Qualifiers: "member_access_expression.expression qualified_name.qualifier",
	Paths:      "qualified_name.name",
	Plain:      "this base",
	Comments:   "comment",
	Leads:      "attribute_list",
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
		engine.InOrder(w)
		engine.FileNamespace(w)
		w.Mentions = slices.DeleteFunc(w.Mentions, func(o engine.RawOccurrence) bool { return o.Role == engine.Call && w.Intern.Names[o.Name] == "nameof" })
	},
}

// csharpFinish says what is constant and what is exported: what is public or
// protected in something that is.
func csharpFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	holder := node
	switch {
	case w.Is(node, "variable_declarator"):
		if list := w.Parent(node); list >= 0 && w.Parent(list) >= 0 {
			holder = w.Parent(list) // on broken code there may be none
		}
		if !w.InFunction() && holder != node {
			s.Kind = engine.Field
			switch {
			case csharpModifier(w, holder, "const"):
				s.Kind = engine.Constant
			case w.Is(holder, "event_field_declaration"):
				s.Kind = engine.Property
			}
			w.SharedHead(holder, node, s)
		}
	case w.Is(node, "destructor_declaration"):
		s.Name = "~" + s.Name
	case w.Is(node, "record_declaration") && w.HasKeyword(node, w.Child(node, "name"), "struct"):
		s.Kind = engine.Struct
	}
	w.OwnDoc(holder, s)
	s.Doc = withoutTags(s.Doc)
	if s.Kind == engine.Namespace {
		s.Exported = true
		return
	}
	if w.InFunction() || !w.ParentExported(s) {
		return
	}
	implicit := s.Kind == engine.EnumMember || s.Parent >= 0 && w.File.Symbols[s.Parent].Kind == engine.Interface
	s.Exported = implicit || csharpModifier(w, holder, "public") ||
		csharpModifier(w, holder, "protected") && !csharpModifier(w, holder, "private")
}

// csharpNamespace passes over the parts of the name of a namespace.
func csharpNamespace(w *engine.Walker, node int32) {
	if name := w.Child(node, "name"); w.Is(name, "qualified_name") {
		w.Hide(name)
	}
}

// withoutTags takes the tags of XML out of documentation; of those that stand
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
// declaration on: the type of what it returns stands before them.
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
	w.Occur(name, n, id, engine.Definition, w.Symbol, true)
	w.Hide(name)
}

// csharpNameless makes symbols of members that have no name: operators and
// indexers.
func csharpNameless(w *engine.Walker, node int32) {
	at := w.Child(node, "parameters")
	if at < 0 || len(w.Scopes) < 2 || w.Scopes[len(w.Scopes)-2].Kind != engine.ClassScope {
		return
	}
	kind, name := engine.Property, "this[]"
	if !w.Is(node, "indexer_declaration") {
		head := w.Text[w.Nodes[node].Start:w.Nodes[at].Start]
		kind, name = engine.Method, "operator "+strings.TrimSpace(head[strings.LastIndex(head, "operator")+len("operator"):])
	}
	i := w.NewSymbol(node, kind, w.Symbol, &w.Nodes[at], name, nil)
	s := &w.File.Symbols[i]
	inInterface := s.Parent >= 0 && w.File.Symbols[s.Parent].Kind == engine.Interface
	s.Exported = (inInterface || csharpModifier(w, node, "public")) && w.ParentExported(s)
	for _, body := range []string{"body", "accessors", "value"} {
		if b := w.Child(node, body); b >= 0 {
			s.Signature = engine.OneLine(w.Source[w.AfterLeads(node):w.Nodes[b].Start])
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
		if w.Is(c, "modifier") && w.TextOf(c) == modifier {
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
