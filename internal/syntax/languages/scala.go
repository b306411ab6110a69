package languages

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
)

// Scala is the row of the language.
var Scala = &engine.Spec{
	Name:        engine.Scala,
	Extensions:  "scala sc sbt",
	Programs:    "scala scala-cli amm",
	TestClasses: true,
	Family:      "jvm",
	Rules:       &scalaRules,
	Recovery:    scalaRecovery,
	Names: engine.Names{
		Imports: engine.ImportsDeclared,
		Groups:  "jvm",
		Bare:    engine.OfClass,
		Members: javaMembers,
		Typed:   kotlinTyped,
	},
	Bodies: engine.Bodies{
		Unwritten: lazyregexp.MustCompile(`^\?\?\?$`),
	},

	Comparing: engine.Comparing{Appends: true, LastIsValue: true},
	Testing:   engine.Testing{Marked: true, Called: true, Passed: jvmPassed},
}

var scalaRules = engine.Rules{
	Grammar: "scala",
	Names: map[engine.Use]string{
		engine.AsRead: "identifier operator_identifier",
		engine.AsType: "type_identifier",
	},
	Flow: map[engine.Use]string{
		engine.AsCall:                 "call_expression.function instance_expression",
		engine.HandOn | engine.Member: "field_expression.field",
		engine.HandOn: `generic_function.function generic_type.type case_class_pattern.pattern
			typed_pattern.pattern capture_pattern infix_pattern interpolated_string interpolation
			package_identifier namespace_selectors as_renamed_identifier arrow_renamed_identifier`,
		engine.AsCall | engine.Member: "infix_expression.operator",
		engine.AsType:                 "infix_type.operator case_class_pattern.type",
		engine.AsRead:                 "infix_pattern.operator",
		engine.AsWrite:                "assignment_expression.left",
		engine.AsParam:                "parameter.name type_parameters.name self_type>identifier",
		engine.AsNothing: `class_parameter.name interpolated_string_expression.interpolator package_clause
			import_declaration export_declaration`,
		engine.AsBind: `binding.name lambda_expression.parameters case_clause.pattern enumerator>tuple_pattern
			enumerator>typed_pattern enumerator>case_class_pattern`,
	},
	Through: "tuple_pattern alternative_pattern interpolated_string_expression identifiers",
	Decls: []engine.Decl{
		{Node: "class_definition object_definition", Kind: engine.Class, Name: "name", Body: "body",
			Opens: engine.ClassScope},
		{Node: "trait_definition", Kind: engine.Trait, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "package_object", Kind: engine.Module, Name: "name", Body: "body", Opens: engine.ModuleScope},
		{Node: "enum_definition", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "simple_enum_case", Kind: engine.EnumMember, Name: "name", Sort: engine.SortField},
		{Node: "full_enum_case", Kind: engine.EnumMember, Name: "name", Sort: engine.SortField,
			Opens: engine.ClassScope},
		{Node: "function_definition", Kind: engine.Function, Member: engine.Method, Name: "name", Body: "body",
			Opens: engine.FunctionScope},
		{Node: "function_declaration", Kind: engine.Function, Member: engine.Method, Name: "name",
			Opens: engine.FunctionScope},
		{Node: "val_definition var_definition", Kind: engine.Variable, Member: engine.Field, Name: "pattern",
			Sort: engine.SortVariable, After: true},
		{Node: "val_declaration var_declaration", Kind: engine.Variable, Member: engine.Field, Name: "name",
			Sort: engine.SortVariable},
		{Node: "type_definition", Kind: engine.Type, Name: "name", Opens: engine.ClassScope},
		{Node: "given_definition", Kind: engine.Variable, Member: engine.Field, Name: "name", Body: "body",
			Opens: engine.ClassScope},
	},
	Scopes: map[engine.Scope]string{
		engine.ClassScope:    "extension_definition template_body",
		engine.FunctionScope: "function_type lambda_expression",
		engine.BlockScope:    "block indented_block case_clause for_expression",
	},
	Open: "class_definition trait_definition object_definition package_object enum_definition function_definition lambda_expression" +
		" case_clause for_expression given_definition",
	Qualifiers: "field_expression.value",
	Plain:      "this",
	Comments:   "comment block_comment",
	Decorators: "annotation",
	Transient:  "modifiers",
	Skip: "integer_literal floating_point_literal boolean_literal null_literal character_literal escape_sequence wildcard" +
		" access_modifier inline_modifier opaque_modifier",
	Leaves:   "string",
	Blank:    "_",
	Builtins: "Any AnyRef AnyVal Boolean Byte Char Double Float Int Long Nothing Short String Unit",
	Hooks: map[string]func(*engine.Walker, int32){
		"import_declaration":     scalaImport,
		"class_parameter":        scalaField,
		"case_clause":            scalaPattern,
		"enumerator":             scalaEnumerator,
		"given_definition":       scalaGiven,
		"stable_identifier":      scalaStable,
		"stable_type_identifier": scalaStable,
		"arguments":              scalaArguments,
		"infix_expression":       scalaUpdate,
	},
	Finish: scalaFinish,
	AtEnd: func(w *engine.Walker) {
		engine.InOrder(w)
		w.DropWords("this", "super")
		w.Mentions = slices.DeleteFunc(w.Mentions, func(o engine.RawOccurrence) bool {
			return o.Role == engine.Call && slices.Contains(scalaOperators, w.Intern.Names[o.Name])
		})
	},
}

// scalaOperators are those of numbers, truth values and texts, which are in
// every line and say nothing.
var scalaOperators = strings.Fields("+ - * / % == != < > <= >= && || ! & | ^ ++ += -= -> :: <-")

// scalaFinish says what is constant and what is exported: what is not private
// and not within a function.
func scalaFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	w.DropTrailingComments(node, s)
	name := w.Child(node, "name")
	if name < 0 {
		name = w.Child(node, "pattern")
	}
	if s.Name == "this" && s.Kind == engine.Method {
		s.Kind = engine.Constructor
	}
	s.Signature = strings.TrimSuffix(s.Signature, " with")
	if s.Kind == engine.Variable && w.Is(node, "val_definition", "val_declaration") {
		s.Kind = engine.Constant
	}
	s.Exported = !withinFunctionBut(w, node) && w.ParentExported(s) && !w.HasKeyword(node, name, "private")
}

// scalaImport notes what each of the paths behind the word import brings in.
func scalaImport(w *engine.Walker, node int32) {
	var path []int32
	for c := range w.Children(node) {
		switch {
		case w.In(c, "path") && w.Is(c, "identifier"):
			if n := len(path); n > 0 && strings.Contains(w.Text[w.Nodes[path[n-1]].End:w.Nodes[c].Start], ",") {
				scalaImportPath(w, path, -1)
				path = nil
			}
			path = append(path, c)
		case w.Is(c, "namespace_selectors", "namespace_wildcard", "as_renamed_identifier", "arrow_renamed_identifier"):
			scalaImportPath(w, path, c)
			path = nil
		}
	}
	scalaImportPath(w, path, -1)
}

// scalaImportPath notes one path and what is chosen behind it: -1 for the path's last name itself.
func scalaImportPath(w *engine.Walker, path []int32, chosen int32) {
	if len(path) == 0 {
		return
	}
	var parts []string
	last := int32(-1)
	for _, c := range path {
		w.MentionAs(c, last, engine.ImportUse)
		parts, last = append(parts, w.TextOf(c)), c
	}
	i := engine.Import{Path: strings.Join(parts, "."), Line: w.Line(path[0])}
	switch {
	case chosen < 0:
		i.Names = parts[len(parts)-1:]
		w.AddImport(i)
	case w.Is(chosen, "namespace_selectors"):
		for c := range w.Children(chosen) {
			scalaSelector(w, i, c, last)
		}
	default:
		scalaSelector(w, i, chosen, last)
	}
}

// scalaSelector notes what is chosen of a path that is imported: a name, perhaps under another
// one, or all.
func scalaSelector(w *engine.Walker, i engine.Import, name, of int32) {
	alias := int32(-1)
	if w.Is(name, "as_renamed_identifier", "arrow_renamed_identifier") {
		name, alias = w.Child(name, "name"), w.Child(name, "alias")
	}
	if w.Is(name, "identifier", "type_identifier") {
		if w.KeepsImport(i.Path) {
			i.Path, i.Names = i.Path+"."+w.TextOf(name), []string{w.TextOf(name)}
		}
		w.MentionAs(name, of, engine.ImportUse)
	}
	if w.Is(alias, "identifier") {
		i.Alias = w.TextOf(alias)
		w.MentionAs(alias, -1, engine.ImportUse)
	}
	w.AddImport(i)
}

// scalaField makes a field of a parameter of a class, which all of the class
// sees. It is exported in a case class, or when it is a val or var.
func scalaField(w *engine.Walker, node int32) {
	name := w.Child(node, "name")
	if name < 0 {
		return
	}
	i := w.NewSymbol(node, engine.Field, w.Symbol, &w.Nodes[name], w.TextOf(name), nil)
	s := &w.File.Symbols[i]
	class := w.Ancestor(node, "class_definition", "enum_definition", "full_enum_case")
	public := w.HasKeyword(node, name, "val") || w.HasKeyword(node, name, "var") ||
		w.Is(class, "full_enum_case") || w.HasKeyword(class, w.Child(class, "name"), "case")
	s.Exported = public && w.ParentExported(s) && !w.HasKeyword(node, name, "private") && !w.WithinFunction()
	w.Mean(name, i)
}

// scalaPattern tells the constants in a pattern, which begin with a capital,
// from what it binds.
func scalaPattern(w *engine.Walker, node int32) {
	pattern := w.Child(node, "pattern")
	if pattern < 0 {
		return
	}
	for j := pattern; j < w.Nodes[pattern].Next; j++ {
		if w.Is(j, "identifier") && engine.IsUpper(w.TextOf(j)) && !w.Is(w.Parent(j), "stable_identifier") {
			w.MentionAs(j, -1, engine.Read)
			w.Hide(j)
		}
	}
}

// scalaEnumerator binds the name in x <- xs and x = y.
func scalaEnumerator(w *engine.Walker, node int32) {
	name := node + 1
	if !w.Is(name, "identifier") || w.Nodes[name].Next >= w.Nodes[node].Next {
		return
	}
	w.Bind(w.NameOf(&w.Nodes[name]), int32(len(w.Scopes)-1), true)
	w.HookPlans = append(w.HookPlans, engine.Plan{Node: name, Symbol: engine.PlanLocal})
}

// scalaGiven names a given that has no name after its type.
func scalaGiven(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	if of := w.Child(node, "return_type"); f != nil && !f.HasSymbol && of >= 0 {
		addUnnamed(w, node, f, f.Decl.Kind, "given "+engine.OneLine([]byte(w.TextOf(of))))
	}
}

// scalaStable notes the last name of a path after what comes before it: an object or a package.
func scalaStable(w *engine.Walker, node int32) {
	if !w.Is(w.Parent(node), "stable_identifier", "stable_type_identifier") {
		w.MemberAfterDot(node)
	}
}

// scalaArguments passes over the names in f(name = value): they are the
// parameters'.
func scalaArguments(w *engine.Walker, node int32) {
	var names []engine.Plan
	for c := range w.Children(node) {
		if left := w.Child(c, "left"); w.Is(c, "assignment_expression") && w.Is(left, "identifier") {
			names = append(names, engine.Plan{Node: left, Symbol: engine.PlanKey})
		}
	}
	w.MeanAll(names)
}

// scalaUpdate writes to a in a += b.
func scalaUpdate(w *engine.Walker, node int32) {
	operator := w.TextOf(w.Child(node, "operator"))
	switch operator {
	case "==", "!=", "<=", ">=", "===":
		return
	}
	if left := w.Child(node, "left"); strings.HasSuffix(operator, "=") && w.Is(left, "identifier") {
		w.NoteAs(left, engine.Write)
	}
}
