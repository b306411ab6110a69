package languages

import (
	"codeintel/internal/platform/lazyregexp"
	"strings"

	"codeintel/internal/syntax/engine"
)

// Java is the row of the language.
var Java = &engine.Spec{
	Name:        engine.Java,
	Counted:     true,
	Extensions:  "java",
	Servers:     []string{"jdtls"},
	TestClasses: true,
	Family:      "jvm",
	Rules:       &javaRules,
	Recovery:    javaRecovery,
	Names: engine.Names{
		Unnamed: map[string]string{
			"iterator": "for (… : x)", "close": "try (x)", "toString": "\"\" + x",
		},
		Hides:   true,
		Imports: engine.ImportsDeclared,
		Groups:  "jvm",
		Bare:    engine.OfClass,
		Members: javaMembers,
		Typed:   cTyped,
	},

	Comparing: engine.Comparing{Margins: true, Around: "class A { %s }", UnusedImports: true, Lazy: engine.Lazy{From: "stream parallelStream",
		Steps: "map filter peek sorted distinct limit skip flatMap mapToInt mapToLong mapToObj boxed takeWhile dropWhile"}},
	Testing: engine.Testing{Marked: true, Passed: jvmPassed,
		Later: lazyregexp.MustCompile(`(?:newThread|\.(?:submit|execute|runAsync|supplyAsync|startVirtualThread))\($`)},
}

// jvmPassed is of Surefire, Gradle and sbt.
var jvmPassed = lazyregexp.MustCompile(`(?m)Tests run: [1-9]\d*, Failures: 0, Errors: 0|^> Task \S*[tT]est\s*$|Passed: Total [1-9]`)

var javaRules = engine.Rules{
	Grammar: "java",
	Names: map[engine.Use]string{
		engine.AsRead: "identifier",
		engine.AsType: "type_identifier",
	},
	Flow: map[engine.Use]string{
		engine.AsCall | engine.Member: "method_invocation.name",
		engine.AsRead:                 "method_invocation.object",
		engine.HandOn | engine.Member: "field_access.field scoped_identifier.name",
		engine.AsNothing: `scoped_identifier.scope scoped_type_identifier package_declaration import_declaration
			module_declaration exports_module_directive opens_module_directive requires_module_directive
			labeled_statement>identifier break_statement continue_statement`,
		engine.AsCall: "object_creation_expression.type",
		engine.AsType: `annotation.name marker_annotation.name uses_module_directive provides_module_directive
			record_pattern>identifier`,
		engine.AsWrite:                "assignment_expression.left update_expression",
		engine.AsRead | engine.Member: "element_value_pair.key",
		engine.AsBind: `formal_parameter.name catch_formal_parameter.name enhanced_for_statement.name
			resource.name instanceof_expression.name type_pattern>identifier record_pattern_component>identifier
			inferred_parameters lambda_expression.parameters`,
		engine.AsParam: "type_parameter>type_identifier",
	},
	Through: "parenthesized_expression generic_type array_type annotated_type",
	Decls: []engine.Decl{
		{Node: "class_declaration record_declaration", Kind: engine.Class, Name: "name", Body: "body",
			Opens: engine.ClassScope},
		{Node: "interface_declaration annotation_type_declaration", Kind: engine.Interface, Name: "name",
			Body: "body", Opens: engine.ClassScope},
		{Node: "enum_declaration", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_constant", Kind: engine.EnumMember, Name: "name", Body: "body", Sort: engine.SortField,
			Opens: engine.ClassScope},
		{Node: "method_declaration", Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty,
			Opens: engine.FunctionScope},
		{Node: "annotation_type_element_declaration", Kind: engine.Method, Name: "name", Sort: engine.SortProperty},
		{Node: "constructor_declaration compact_constructor_declaration", Kind: engine.Constructor, Name: "name",
			Body: "body", Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "variable_declarator", Kind: engine.Variable, Name: "name", Sort: engine.SortVariable, After: true,
			Under: map[string]engine.Kind{"field_declaration": engine.Field,
				"constant_declaration": engine.Constant, "spread_parameter": engine.Field}},
		{Node: "module_declaration", Kind: engine.Module, Name: "name", Body: "body"},
	},
	Scopes: map[engine.Scope]string{
		engine.BlockScope: `block constructor_body for_statement enhanced_for_statement catch_clause
			try_with_resources_statement switch_block_statement_group switch_rule`,
		engine.FunctionScope: "lambda_expression static_initializer",
		engine.ClassScope:    "class_body",
	},
	Qualifiers: "method_invocation.object field_access.object scoped_identifier.scope",
	Plain:      "this super",
	Comments:   "line_comment block_comment",
	Decorators: "annotation marker_annotation",
	Wrappers:   "field_declaration constant_declaration",
	Transient:  "modifiers",
	Skip: "decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal decimal_floating_point_literal" +
		" hex_floating_point_literal character_literal true false null_literal escape_sequence string_fragment multiline_string_fragment",
	Blank:    "default", // of case null, default: a name to the grammar
	Builtins: "String Object Integer Long Boolean Double Float Short Byte Character Void var",
	Hooks: map[string]func(*engine.Walker, int32){
		"import_declaration":     javaImport,
		"method_reference":       (*engine.Walker).MemberAfterDot,
		"record_declaration":     javaComponents,
		"scoped_type_identifier": javaScopedType,
	},
	Finish: javaFinish,
	AtEnd:  engine.InOrder,
}

// javaFinish says what is constant and what is exported: what is public or
// protected in something that is, and not in a function. The last component of
// a record may be a spread parameter.
func javaFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	owner := node
	if w.Is(node, "variable_declarator") {
		owner = w.Parent(node)
		if s.Kind == engine.Field && javaModifier(w, owner, "static") && javaModifier(w, owner, "final") {
			s.Kind = engine.Constant
		}
		w.SharedHead(owner, node, s)
	}
	w.OwnDoc(owner, s)
	if w.Is(node, "compact_constructor_declaration") {
		s.Signature += "()" // it has no parameter list of its own
	}
	if w.WithinFunction() || !w.ParentExported(s) {
		return
	}
	implicit := w.Is(node, "enum_constant") || w.Is(owner, "spread_parameter") ||
		s.Parent >= 0 && w.File.Symbols[s.Parent].Kind == engine.Interface && !javaModifier(w, owner, "private")
	s.Exported = implicit || javaModifier(w, owner, "public") || javaModifier(w, owner, "protected")
}

// javaModifier says whether a declaration carries a modifier.
func javaModifier(w *engine.Walker, node int32, modifier string) bool {
	until := w.Child(node, "type")
	if until < 0 {
		until = w.Child(node, "name")
	}
	return w.HasKeyword(node, until, modifier)
}

// javaComponents makes fields of what a record is made of.
func javaComponents(w *engine.Walker, record int32) {
	var names []engine.Plan
	for c := range w.Children(w.Child(record, "parameters")) {
		name := w.Child(c, "name")
		if name < 0 || !w.Is(c, "formal_parameter") {
			continue
		}
		s := w.NewSymbol(c, engine.Field, w.Symbol, &w.Nodes[name], w.TextOf(name), nil)
		w.File.Symbols[s].Exported = w.Symbol >= 0 && w.File.Symbols[w.Symbol].Exported
		names = append(names, engine.Plan{Node: name, Symbol: s})
	}
	w.MeanAll(names)
}

// javaScopedType notes the types in java.util.Map.Entry and leaves the packages
// out. The last one has the role of the whole.
func javaScopedType(w *engine.Walker, node int32) {
	if w.Is(w.Parent(node), "scoped_type_identifier") {
		return // part of one that is done
	}
	var parts []int32
	for j := node; j < w.Nodes[node].Next; j++ {
		if w.Is(j, "type_identifier") && w.Is(w.Parent(j), "scoped_type_identifier") {
			parts = append(parts, j)
		}
	}
	before := int32(-1)
	for i, part := range parts {
		role := engine.TypeUse
		if i == len(parts)-1 {
			role = engine.RoleOf[w.Use[node]&engine.UseMask]
		}
		if role == engine.Read {
			role = engine.TypeUse
		}
		if i == len(parts)-1 || engine.IsUpper(w.TextOf(part)) {
			w.MentionAs(part, before, role)
		}
		before = part
	}
}

// javaImport notes what is imported, and the classes on the way to it.
func javaImport(w *engine.Walker, node int32) {
	name := w.FirstOf(node, "scoped_identifier", "identifier")
	path := w.TextOf(name)
	i := engine.Import{Path: path, Line: w.Line(node)}
	all := w.FirstOf(node, "asterisk") >= 0
	if dot := strings.LastIndexByte(path, '.'); dot >= 0 && !all {
		i.Names = []string{path[dot+1:]}
	}
	w.AddImport(i)
	if name < 0 {
		return
	}
	before := int32(-1)
	for j := name; j < w.Nodes[name].Next; j++ {
		if !w.Is(j, "identifier") {
			continue
		}
		last := w.Nodes[j].End == w.Nodes[name].End
		if engine.IsUpper(w.TextOf(j)) || last && !all {
			w.MentionAs(j, before, engine.ImportUse)
		}
		before = j
	}
}
