package languages

import (
	"bytes"
	"slices"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/repair"
)

// TypeScript is the row of the language.
var TypeScript = &engine.Spec{
	Name:       engine.TypeScript,
	Counted:    true,
	Title:      "TypeScript",
	Aliases:    "ts",
	Extensions: "ts mts cts",
	Servers:    []string{"typescript-language-server --stdio"},
	Programs:   "bun deno ts-node tsx",
	Family:     "script",
	Form:       engine.Script,
	Disputed:   qtTranslation,
	Rules:      &typescriptRules,
	Recovery:   scriptRecovery,
	Repair:     repair.TypeScript,
	Names: engine.Names{
		Hides:   true,
		Groups:  "script style",
		Strict:  true,
		Members: engine.ScriptMembers,
		Typed:   engine.ScriptTyped,
		Imports: engine.ImportsScript,
	},

	Comparing: byName(JavaScript.Comparing),
	Testing:   JavaScript.Testing,
}

var typescriptRules = typescript("typescript", ecmaFlow, ecmaSkip)

// TSX is the row of the language.
var TSX = &engine.Spec{
	Name:       engine.TSX,
	Counted:    true,
	Title:      "TypeScript",
	Aliases:    "ts typescript",
	Extensions: "tsx",
	Servers:    []string{"typescript-language-server --stdio"},
	Family:     "script",
	Form:       engine.Script,
	Rules:      &tsxRules,
	Recovery:   scriptRecovery,
	Repair:     repair.TypeScript,
	Names: engine.Names{
		Hides:   true,
		Groups:  "script style",
		Strict:  true,
		Members: engine.ScriptMembers,
		Typed:   engine.ScriptTyped,
		Imports: engine.ImportsScript,
	},

	Comparing: byName(JavaScript.Comparing),
	Testing:   JavaScript.Testing,
}

var tsxRules = typescript("tsx", mergeWords(ecmaFlow, jsxFlow), ecmaSkip+jsxSkip)

func byName(c engine.Comparing) engine.Comparing {
	c.ByName = true
	return c
}

// typescript returns the row of one of the two grammars of TypeScript.
func typescript(grammar string, flow map[engine.Use]string, skip string) engine.Rules {
	return engine.Rules{
		Grammar: grammar,
		Names: mergeWords(ecmaNames, map[engine.Use]string{
			engine.AsType: "type_identifier",
		}),
		Flow: mergeWords(flow, map[engine.Use]string{
			engine.AsBind: "required_parameter.pattern optional_parameter.pattern",
			engine.AsRead: `required_parameter.value required_parameter.type optional_parameter.type
				required_parameter.decorator nested_type_identifier.module nested_identifier.object import_alias`,
			engine.AsParam: "type_parameter.name infer_type mapped_type_clause.name",
			// required_parameter.name: of a place in a tuple
			engine.AsNothing:              "required_parameter.name optional_parameter.name index_signature.name",
			engine.AsType:                 "extends_clause.value extends_type_clause implements_clause",
			engine.AsType | engine.Member: "nested_type_identifier.name",
			engine.HandOn:                 "nested_identifier.property",
			engine.AsImport:               "import_require_clause",
		}),
		Through: ecmaThrough + " as_expression satisfies_expression non_null_expression instantiation_expression",
		Splits:  append(slices.Clone(ecmaSplits), engine.Split{Node: "public_field_definition", By: ecmaFunctions}),
		Decls: append(slices.Clone(ecmaDecls), []engine.Decl{
			{Node: "function_signature", Kind: engine.Function, Name: "name", Opens: engine.FunctionScope},
			{Node: "abstract_class_declaration", Kind: engine.Class, Name: "name", Body: "body",
				Opens: engine.ClassScope},
			{Node: "interface_declaration", Kind: engine.Interface, Name: "name", Body: "body",
				Opens: engine.ClassScope},
			{Node: "type_alias_declaration", Kind: engine.Type, Name: "name", Opens: engine.ClassScope},
			{Node: "enum_declaration", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
			{Node: "enum_assignment", Kind: engine.EnumMember, Name: "name", Sort: engine.SortField},
			{Node: "internal_module module", Kind: engine.Namespace, Name: "name", Body: "body",
				Opens: engine.ModuleScope},
			{Node: "public_field_definition", Kind: engine.Field, Name: "name", Sort: engine.SortField},
			{Node: "public_field_definition:arrow_function public_field_definition:function_expression",
				Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty},
			{Node: "method_signature", Kind: engine.Method, Name: "name", Sort: engine.SortField,
				Opens: engine.FunctionScope},
			{Node: "abstract_method_signature", Kind: engine.Method, Name: "name", Sort: engine.SortProperty,
				Opens: engine.FunctionScope},
			{Node: "property_signature", Kind: engine.Property, Name: "name", Sort: engine.SortField},
		}...),
		Scopes: mergeWords(ecmaScopes, map[engine.Scope]string{
			engine.FunctionScope: "function_type constructor_type call_signature construct_signature",
		}),
		Qualifiers: "member_expression.object nested_type_identifier.module nested_identifier.object",
		Plain:      "this super",
		Comments:   "comment html_comment",
		Decorators: "decorator",
		Wrappers:   ecmaWrappers + " ambient_declaration",
		Skip:       skip + " predefined_type this_type existential_type literal_type",
		Open:       ecmaOpen + " internal_module module ambient_declaration",
		Hoist:      true,
		Hooks: merged(ecmaHooks, map[string]func(*engine.Walker, int32){
			"enum_body":          typescriptEnum,
			"required_parameter": typescriptParameter,
			"optional_parameter": typescriptParameter,
			"import_alias":       typescriptAlias,
		}),
		Finish:  typescriptFinish,
		AtEnd:   ecmaExports,
		Lasting: ecmaLasting,
	}
}

// typescriptEnum makes symbols of the members of an enum that have no value,
// and so no node of their own but the name.
func typescriptEnum(w *engine.Walker, body int32) {
	var members []engine.Plan
	for c := range w.Children(body) {
		if w.Is(c, "property_identifier") {
			s := w.NewSymbol(c, engine.EnumMember, w.Symbol, &w.Nodes[c], w.TextOf(c), nil)
			members = append(members, engine.Plan{Node: c, Symbol: s})
		}
	}
	slices.Reverse(members)
	w.HookPlans = append(w.HookPlans, members...)
}

// typescriptFinish keeps the comment above a declaration from the members of a
// type that is written out in it, and what comes before one parameter from the
// next.
func typescriptFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	switch {
	case w.Is(node, "property_signature"), w.Is(node, "method_signature"),
		w.Is(node, "required_parameter"), w.Is(node, "optional_parameter"):
		w.OwnDoc(node, s)
	}
	ecmaFinish(w, node, s)
}

// typescriptParameter makes a field of a parameter that a constructor keeps:
// constructor(private store: Store).
func typescriptParameter(w *engine.Walker, node int32) {
	pattern := w.Child(node, "pattern")
	kept := w.FirstOf(node, "accessibility_modifier", "override_modifier") >= 0 || w.HasKeyword(node, pattern, "readonly")
	if !kept || !w.Is(pattern, "identifier") {
		return
	}
	memberOf(w, node, pattern, engine.Field)
	w.Bind(w.NameOf(&w.Nodes[pattern]), int32(len(w.Scopes)-1), true)
}

// typescriptAlias notes import X = require("y") and import A = B.C.
func typescriptAlias(w *engine.Walker, node int32) {
	path := ""
	for c := range w.Children(node) {
		path = w.TextOf(c)
	}
	name := w.FirstOf(node, "identifier")
	w.AddImport(engine.Import{Path: engine.Unquote(path), Alias: w.TextOf(name), Line: w.Line(node)})
	if name >= 0 {
		w.MentionAs(name, -1, engine.ImportUse)
		w.Hide(name)
	}
}

// qtTranslation tells TypeScript from the translations of Qt, which are XML.
func qtTranslation(ext string, text []byte) engine.Language {
	if ext == "ts" && bytes.HasPrefix(bytes.TrimLeft(text, "\xef\xbb\xbf \t\r\n"), []byte("<?xml")) {
		return engine.Unknown
	}
	return engine.TypeScript
}
