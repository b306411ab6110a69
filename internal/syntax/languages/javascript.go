package languages

import (
	"codeintel/internal/platform/lazyregexp"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// The rows of JavaScript, TypeScript and TSX share most of what they say: the
// grammars are one family.

// JavaScript is the row of the language.
var JavaScript = &engine.Spec{
	Name:       engine.JavaScript,
	Title:      "JavaScript",
	Aliases:    "js jsx",
	Extensions: "js jsx mjs cjs es6",
	Servers:    []string{"typescript-language-server --stdio"},
	Programs:   "node nodejs",
	Family:     "script",
	Form:       engine.Script,
	Linked:     true,
	Rules:      &javascriptRules,
	Recovery:   scriptRecovery,
	Names: engine.Names{
		Groups:  "script style",
		Strict:  true,
		Members: engine.ScriptMembers,
		Typed:   engine.ScriptTyped,
		Imports: engine.ImportsScript,
	},

	Comparing: engine.Comparing{Coerces: true, Hoisted: true, LaterWins: true, Yields: true, OwnFields: scriptFields,
		UnusedImports: true, AnyQuotes: true,
		Nested: true},
	Testing: engine.Testing{Files: `\.(?:test|spec)\.|(?:^|/)(?:__tests__|tests?)/|(?:^|/)test[^/]*$`, Called: true,
		Passed: lazyregexp.MustCompile(`(?m)^\s*Tests:?\s.*\b[1-9]\d* passed|^\s+[1-9]\d* passing\b|^(?:#|ℹ) pass [1-9]|^\s*[1-9]\d* pass$|^ok \| [1-9]\d* passed`),
		Later:  lazyregexp.MustCompile(`(?:setTimeout|setImmediate)\($`)},
}

var javascriptRules = engine.Rules{
	Grammar: "javascript",
	Names:   ecmaNames,
	Flow:    mergeWords(ecmaFlow, jsxFlow),
	Through: ecmaThrough,
	Splits:  append(slices.Clone(ecmaSplits), engine.Split{Node: "field_definition", By: ecmaFunctions}),
	Decls: append(slices.Clone(ecmaDecls), []engine.Decl{
		{Node: "field_definition", Kind: engine.Field, Name: "property", Sort: engine.SortField},
		{Node: "field_definition:arrow_function field_definition:function_expression", Kind: engine.Method,
			Name: "property", Body: "body", Sort: engine.SortProperty},
	}...),
	Scopes:     ecmaScopes,
	Qualifiers: "member_expression.object",
	Plain:      "this super",
	Comments:   "comment html_comment",
	Decorators: "decorator",
	Wrappers:   ecmaWrappers,
	Skip:       ecmaSkip + jsxSkip,
	Open:       ecmaOpen,
	Hoist:      true,
	Hooks:      ecmaHooks,
	Finish:     ecmaFinish,
	AtEnd:      ecmaExports,
	Lasting:    ecmaLasting,
}

var ecmaNames = map[engine.Use]string{
	engine.AsRead:  "identifier property_identifier private_property_identifier shorthand_property_identifier",
	engine.AsWrite: "shorthand_property_identifier_pattern",
}

var ecmaFlow = map[engine.Use]string{
	engine.AsCall:                 "call_expression.function new_expression.constructor decorator",
	engine.HandOn | engine.Member: "member_expression.property",
	engine.AsRead: `member_expression.object subscript_expression.index assignment_expression.right pair.value
		assignment_pattern.right object_assignment_pattern.right export_specifier.name`,
	engine.HandOn | engine.Part: "subscript_expression.object",
	engine.AsWrite: `assignment_expression.left augmented_assignment_expression.left update_expression
		for_in_statement.left`,
	engine.AsWrite | engine.Member: "pair.key",
	engine.AsRead | engine.Member:  "pair_pattern.key",
	engine.HandOn:                  "pair_pattern.value assignment_pattern.left object_assignment_pattern.left",
	engine.AsBind: `formal_parameters arrow_function.parameter catch_clause.parameter function_expression.name
		generator_function.name for_in_statement:const.left for_in_statement:let.left for_in_statement:var.left`,
	engine.AsParam:   "class.name",
	engine.AsImport:  "import_clause import_specifier namespace_import named_imports export_specifier.alias",
	engine.AsNothing: "namespace_export meta_property labeled_statement.label",
	engine.AsType:    "class_heritage",
}

// jsxFlow is for the grammars that know markup.
var jsxFlow = map[engine.Use]string{
	engine.AsTag:                   "jsx_opening_element.name jsx_self_closing_element.name",
	engine.AsTagEnd:                "jsx_closing_element.name",
	engine.AsWrite | engine.Member: "jsx_attribute>property_identifier",
	engine.AsNothing:               "jsx_namespace_name",
}

const ecmaThrough = "parenthesized_expression object_pattern array_pattern rest_pattern spread_element"

// ecmaSplits tell declarations by what they hold.
var ecmaSplits = []engine.Split{
	{Node: "lexical_declaration", By: []string{"const", "let"}},
	{Node: "variable_declarator assignment_expression", By: append([]string{"class"}, ecmaFunctions...)},
	{Node: "pair", By: ecmaFunctions},
	{Node: "for_in_statement", By: []string{"const", "let", "var"}},
}

var ecmaFunctions = []string{"arrow_function", "function_expression", "generator_function"}

var ecmaDecls = []engine.Decl{
	{Node: "function_declaration generator_function_declaration", Kind: engine.Function, Name: "name", Body: "body",
		Opens: engine.FunctionScope},
	{Node: "class_declaration", Kind: engine.Class, Name: "name", Body: "body", Opens: engine.ClassScope},
	{Node: "method_definition", Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty,
		Opens: engine.FunctionScope},
	{Node: "variable_declarator", Kind: engine.Variable, Name: "name", Sort: engine.SortVariable,
		Whole: "variable_declaration",
		Under: map[string]engine.Kind{"lexical_declaration:const": engine.Constant}},
	{Node: "variable_declarator:arrow_function variable_declarator:function_expression variable_declarator:generator_function", Kind: engine.Function, Name: "name", Body: "body", Whole: "variable_declaration"},
	{Node: "variable_declarator:class", Kind: engine.Class, Name: "name", Body: "body", Whole: "variable_declaration"},
	{Node: "pair:function_expression", Kind: engine.Method, Name: "key", Body: "body", Sort: engine.SortProperty},
	{Node: "pair:arrow_function", Kind: engine.Method, Name: "key", Body: "body", Sort: engine.SortField},
}

// assignedFunction stands for the declaration that an assignment or a default
// export is.
func assignedFunction(w *engine.Walker) *engine.CompiledDecl {
	return &engine.CompiledDecl{Decl: &engine.Decl{Kind: engine.Function, Body: "body"}, BodyField: w.Grammar.FieldID("body")}
}

var ecmaScopes = map[engine.Scope]string{
	engine.FunctionScope: "arrow_function function_expression generator_function class_static_block",
	engine.ClassScope:    "class",
	engine.BlockScope:    "statement_block for_statement for_in_statement catch_clause switch_body",
}

const ecmaWrappers = "export_statement lexical_declaration variable_declaration expression_statement"

const ecmaSkip = "number true false null undefined regex escape_sequence string_fragment empty_statement statement_identifier" +
	" hash_bang_line optional_chain debugger_statement import_attribute"

const jsxSkip = " jsx_text html_character_reference"

const ecmaOpen = "function_declaration generator_function_declaration method_definition arrow_function function_expression generator_function"

var ecmaHooks = map[string]func(*engine.Walker, int32){
	"import_statement":      ecmaImport,
	"export_statement":      ecmaExport,
	"call_expression":       ecmaRequire,
	"assignment_expression": ecmaAssignment,
	"function_expression":   ecmaNamed,
	"generator_function":    ecmaNamed,
	"class":                 ecmaNamed,
	"for_in_statement":      ecmaForIn,
	"class_body":            ecmaMembers,
}

func ecmaFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	if s.Kind == engine.Method && s.Name == "constructor" && w.InClass() {
		s.Kind = engine.Constructor
	}
	if s.Kind == engine.Constant || s.Kind == engine.Variable {
		if p := w.Parent(node); w.Wrapped(node) == node && w.Is(p, "lexical_declaration", "variable_declaration") {
			w.SharedHead(w.Wrapped(p), node, s)
		}
	}
	switch {
	case strings.HasPrefix(s.Name, "#"):
	case s.Parent >= 0 && (s.Kind == engine.Method || s.Kind == engine.Constructor || s.Kind == engine.Field ||
		s.Kind == engine.Property || s.Kind == engine.EnumMember):
		s.Exported = w.File.Symbols[s.Parent].Exported && !hasModifier(w, node, "private", "protected")
	case w.InFunction():
	default:
		s.Exported = isExported(w, node)
	}
	// export default function () {} and class {} are recognised by their file.
}

// hasModifier says whether an accessibility modifier of a member is one of the
// words.
func hasModifier(w *engine.Walker, node int32, words ...string) bool {
	m := w.FirstOf(node, "accessibility_modifier")
	return m >= 0 && slices.Contains(words, w.TextOf(m))
}

// isExported says whether a declaration is inside an export statement of its
// own, or is declared for others, alone or in a module or a namespace.
func isExported(w *engine.Walker, node int32) bool {
	for p := w.Parent(node); p >= 0; p = w.Parent(p) {
		switch {
		case w.Is(p, "export_statement"):
			return true
		case w.Is(p, "lexical_declaration"), w.Is(p, "variable_declaration"), w.Is(p, "expression_statement"):
		case w.Is(p, "statement_block"): // declare global {…}, declare module "x" {…}
			if around := w.Parent(p); w.Is(around, "module", "internal_module") {
				p = around
			}
			return w.Is(w.Parent(p), "ambient_declaration")
		default:
			return w.Is(p, "ambient_declaration")
		}
	}
	return false
}

// ecmaImport notes one import per statement.
func ecmaImport(w *engine.Walker, node int32) {
	i := engine.Import{Line: w.Line(node)}
	for j := node + 1; j < w.Nodes[node].Next; j++ {
		switch {
		case w.In(j, "source"):
			i.Path = engine.Unquote(w.TextOf(j))
		case w.Is(j, "namespace_import"):
			i.Alias = w.TextOf(w.FirstOf(j, "identifier"))
		case w.Is(j, "import_specifier"):
			i.Names = append(i.Names, specified(w, j))
		case w.Is(j, "identifier") && w.Is(w.Parent(j), "import_clause", "import_require_clause"):
			i.Alias = w.TextOf(j)
		}
	}
	w.AddImport(i)
}

// ecmaExport notes what a file exports by name, and what it passes on.
func ecmaExport(w *engine.Walker, node int32) {
	source := w.Child(node, "source")
	var names []string
	for j := node + 1; j < w.Nodes[node].Next; j = w.Nodes[j].Next {
		if w.Is(j, "export_clause") {
			for c := range w.Children(j) {
				if name := specified(w, c); name != "" {
					names = append(names, name)
				}
				name := w.Child(c, "name")
				if name < 0 {
					continue
				}
				if source >= 0 {
					w.MentionAs(name, -1, engine.ImportUse)
					w.Hide(name)
				} else {
					w.Exports = append(w.Exports, w.NameOf(&w.Nodes[name]))
				}
			}
		}
		if w.Is(j, "identifier") { // export default x, export = x
			w.Exports = append(w.Exports, w.NameOf(&w.Nodes[j]))
		}
	}
	if value := w.Child(node, "value"); value >= 0 {
		exportedDefault(w, node, value)
	}
	if source >= 0 {
		w.AddImport(engine.Import{Path: engine.Unquote(w.TextOf(source)), Names: names, Line: w.Line(node)})
	}
}

// specified returns the name that an import or export specifier takes, which
// is no node where it is default.
func specified(w *engine.Walker, specifier int32) string {
	if name := w.Child(specifier, "name"); name >= 0 {
		return w.TextOf(name)
	}
	name, _, renamed := strings.Cut(w.TextOf(specifier), " ")
	if renamed && name == "default" {
		return name
	}
	return ""
}

// ecmaForIn makes the variable of for (var name in …) one of the whole function.
func ecmaForIn(w *engine.Walker, node int32) {
	scope := w.FunctionScope()
	left := w.Child(node, "left")
	if w.Labels[w.Nodes[node].Kind] != "for_in_statement:var" || w.Scopes[scope].Kind != engine.FunctionScope {
		return
	}
	if left >= 0 && w.LeafOf(left) == left {
		w.Bind(w.NameOf(&w.Nodes[left]), scope, true)
	}
}

// exportedDefault makes a symbol of a function or class that is exported
// without a name of its own: the module's default.
func exportedDefault(w *engine.Walker, node, value int32) {
	kind := engine.Function
	switch {
	case w.Is(value, "class"):
		kind = engine.Class
	case !w.Is(value, ecmaFunctions...):
		return
	}
	name, text := w.WordIn(node, value, "default"), "default"
	if c := w.Child(value, "name"); c >= 0 {
		name, text = w.Nodes[c], w.TextOf(c)
	}
	s := w.NewSymbol(value, kind, w.Symbol, &name, text, assignedFunction(w))
	w.File.Symbols[s].Exported = true
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, HasSymbol: true})
	w.Symbol = s
}

// ecmaExports marks the symbols that export statements name.
func ecmaExports(w *engine.Walker) {
	if len(w.Exports) == 0 {
		return
	}
	exported := make(map[string]bool, len(w.Exports))
	for _, id := range w.Exports {
		exported[w.Intern.Names[id]] = true
	}
	for i := range w.File.Symbols {
		s := &w.File.Symbols[i]
		switch {
		case s.Parent < 0:
			s.Exported = s.Exported || exported[s.Name]
		case w.File.Symbols[s.Parent].Exported && !strings.HasPrefix(s.Name, "#") && isContainer(w.File.Symbols[s.Parent].Kind):
			s.Exported = !strings.HasPrefix(s.Signature, "private ") && !strings.HasPrefix(s.Signature, "protected ")
		}
	}
}

// ecmaRequire notes require("x") and import("x") as imports.
func ecmaRequire(w *engine.Walker, node int32) {
	function := w.Child(node, "function")
	if text := w.TextOf(function); text != "require" && text != "import" {
		return
	}
	path := w.FirstOf(w.Child(node, "arguments"), "string")
	if path < 0 {
		return
	}
	i := engine.Import{Path: engine.Unquote(w.TextOf(path)), Line: w.Line(node)}
	d := w.Parent(node)
	if w.Is(d, "await_expression") {
		d = w.Parent(d)
	}
	if w.Is(d, "variable_declarator") {
		name := w.Child(d, "name")
		if w.Is(name, "identifier") {
			i.Alias = w.TextOf(name)
		} else {
			for c := range w.Children(name) {
				if key := w.Child(c, "key"); key >= 0 {
					i.Names = append(i.Names, w.TextOf(key))
				} else {
					i.Names = append(i.Names, w.TextOf(c))
				}
			}
		}
	}
	w.AddImport(i)
}

// ecmaAssignment makes symbols of what assignments to members declare: fields
// set on this, methods put on a prototype, functions and names put on exports.
func ecmaAssignment(w *engine.Walker, node int32) {
	left, right := w.Child(node, "left"), w.Child(node, "right")
	if w.Is(left, "array_pattern") {
		planned := len(w.HookPlans)
		for c := range w.Children(left) { // [this.a, this.b] = …
			name := w.Child(c, "property")
			if w.Is(c, "member_expression") && w.TextOf(w.Child(c, "object")) == "this" {
				memberOf(w, node, name, engine.Field)
			}
		}
		slices.Reverse(w.HookPlans[planned:])
		return
	}
	if w.Is(left, "identifier") && w.Is(right, ecmaFunctions...) {
		s := w.NewSymbol(node, engine.Function, w.Symbol, &w.Nodes[left], w.TextOf(left), assignedFunction(w))
		w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, HasSymbol: true})
		w.Symbol = s
		return
	}
	if !w.Is(left, "member_expression") {
		return
	}
	object, name := w.Child(left, "object"), w.Child(left, "property")
	if name < 0 || !w.Is(name, "property_identifier", "private_property_identifier") {
		return
	}
	isFunction := w.Is(right, ecmaFunctions...)
	switch text := w.TextOf(object); {
	case text == "this":
		if !isFunction {
			memberOf(w, node, name, engine.Field)
			return
		}
		if w.Ancestor(node, "class_body") >= 0 {
			memberOf(w, node, name, engine.Method)
		} else { // a function that makes objects
			assigned(w, node, name, engine.Method, "")
		}
	case text == "exports" || text == "module.exports" || text == "module" && w.TextOf(name) == "exports":
		if text == "module" {
			exportObject(w, right)
			if isFunction && w.Child(right, "name") < 0 {
				assigned(w, node, name, engine.Function, "")
				w.File.Symbols[w.Symbol].Exported = true
			}
			return
		}
		w.Exports = append(w.Exports, w.NameOf(&w.Nodes[name]))
		if w.Is(right, "identifier") {
			w.Exports = append(w.Exports, w.NameOf(&w.Nodes[right]))
		}
		if isFunction {
			assigned(w, node, name, engine.Function, "")
		}
	case strings.HasSuffix(text, ".prototype"):
		kind := engine.Property
		if isFunction {
			kind = engine.Method
		}
		assigned(w, node, name, kind, strings.TrimSuffix(text, ".prototype"))
	case isFunction && w.Is(object, "identifier", "member_expression") && !strings.ContainsAny(text, " \t\r\n("):
		assigned(w, node, name, engine.Function, text)
	}
}

// ecmaNamed makes a symbol of a function or class in an expression that has a name of its own,
// unless it is what is around it that goes by the name.
func ecmaNamed(w *engine.Walker, node int32) {
	name := w.Child(node, "name")
	if name < 0 {
		return
	}
	if w.Symbol >= 0 {
		s := &w.File.Symbols[w.Symbol]
		if s.NameLine == w.Line(name) && s.Name == w.TextOf(name) {
			if w.Is(w.Parent(node), "parenthesized_expression") && w.Is(w.Parent(w.Parent(node)), "variable_declarator") {
				s.Kind = engine.Function // var f = (function f() {})
				s.Signature = engine.OneLine(w.Source[s.Start:w.Nodes[w.Child(node, "parameters")].End])
			}
			return
		}
	}
	kind := engine.Function
	if w.Is(node, "class") {
		if w.Is(w.Parent(node), "variable_declarator") {
			return // what it holds belongs to the variable
		}
		kind = engine.Class
	}
	s := w.NewSymbol(node, kind, w.Symbol, &w.Nodes[name], w.TextOf(name), assignedFunction(w))
	if a := w.Parent(node); w.Is(a, "assignment_expression") && w.TextOf(w.Child(a, "left")) == "module.exports" {
		w.File.Symbols[s].Exported = true
	}
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, HasSymbol: true})
	w.Symbol = s
}

// ecmaMembers makes the members that a class declares known before its methods
// assign to them: this.run = this.run.bind(this) declares nothing.
func ecmaMembers(w *engine.Walker, body int32) {
	class := int32(len(w.Scopes) - 1)
	if !w.InClass() {
		return
	}
	for c := range w.Children(body) {
		name := w.Child(c, "name")
		if name < 0 {
			name = w.Child(c, "property")
		}
		if !w.Is(name, "property_identifier", "private_property_identifier") {
			continue
		}
		if id := w.NameOf(&w.Nodes[name]); w.BoundIn(id, class) == 0 {
			w.Bind(id, class, false)
		}
	}
}

// exportObject notes what module.exports = {…} or = name exports.
func exportObject(w *engine.Walker, right int32) {
	if w.Is(right, "identifier") {
		w.Exports = append(w.Exports, w.NameOf(&w.Nodes[right]))
		return
	}
	if !w.Is(right, "object") {
		return
	}
	for c := range w.Children(right) {
		name := c
		switch {
		case w.Is(c, "method_definition"):
			name = w.Child(c, "name")
		case w.Is(c, "pair"):
			if name = w.Child(c, "value"); !w.Is(name, "identifier") {
				name = w.Child(c, "key")
			}
		}
		if w.Is(name, "identifier", "shorthand_property_identifier", "property_identifier") {
			w.Exports = append(w.Exports, w.NameOf(&w.Nodes[name]))
		}
	}
}

// assigned makes a symbol of a function that is assigned to a member; what is
// inside the assignment belongs to it.
func assigned(w *engine.Walker, node, name int32, kind engine.Kind, scope string) {
	s := w.NewSymbol(node, kind, w.Symbol, &w.Nodes[name], w.TextOf(name), assignedFunction(w))
	if scope != "" {
		w.File.Symbols[s].Scope = scope
	}
	w.Mean(name, s)
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, HasSymbol: true})
	w.Symbol = s
}

// scriptFields finds the fields with a "#" that begin as nothing.
var scriptFields = lazyregexp.MustCompile(`(?m)^[ \t]+(?:static[ \t]+)?(?:readonly[ \t]+)?(#\w+)` +
	`(?:\s*:[^=\n;]+)?[ \t]*=[ \t]*` +
	`(0n?|null|undefined|false|''|""|\[\]|\{\}|new (?:Map|Set|Array|WeakMap)(?:<[^;=]*>)?\(\));?[ \t]*$`)
