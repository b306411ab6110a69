package syntax

import (
	"maps"
	"slices"
	"strings"
)

// The rows of JavaScript, TypeScript and TSX share most of what they say: the
// grammars are one family.

// specJavaScript is the row of the language.
var specJavaScript = &spec{name: JavaScript, rules: &javascriptRules}

var javascriptRules = rules{
	grammar: "javascript",
	names:   ecmaNames,
	flow:    with(ecmaFlow, jsxFlow),
	through: ecmaThrough,
	splits:  append(slices.Clone(ecmaSplits), split{"field_definition", ecmaFunctions}),
	decls: append(slices.Clone(ecmaDecls),
		decl{node: "field_definition", kind: Field, name: "property", sort: field},
		decl{node: "field_definition:arrow_function", kind: Method, name: "property", body: "body", sort: property},
		decl{node: "field_definition:function_expression", kind: Method, name: "property", body: "body", sort: property},
	),
	scopes:     ecmaScopes,
	qualifiers: "member_expression.object",
	plain:      "this super",
	comments:   "comment html_comment",
	leads:      "decorator",
	wrappers:   ecmaWrappers,
	skip:       ecmaSkip + jsxSkip,
	open:       ecmaOpen,
	hoist:      true,
	hooks:      ecmaHooks,
	finish:     ecmaFinish,
	atEnd:      ecmaExports,
}

var ecmaNames = map[string]use{
	"identifier":                            asRead,
	"property_identifier":                   asRead,
	"private_property_identifier":           asRead,
	"shorthand_property_identifier":         asRead,
	"shorthand_property_identifier_pattern": asWrite,
}

var ecmaFlow = map[string]use{
	"call_expression.function":             asCall,
	"new_expression.constructor":           asCall,
	"decorator":                            asCall,
	"member_expression.property":           handOn | member,
	"member_expression.object":             asRead,
	"subscript_expression.object":          handOn | part,
	"subscript_expression.index":           asRead,
	"assignment_expression.left":           asWrite,
	"assignment_expression.right":          asRead,
	"augmented_assignment_expression.left": asWrite,
	"update_expression":                    asWrite,
	"pair.key":                             asWrite | member,
	"pair.value":                           asRead,
	"pair_pattern.key":                     asRead | member,
	"pair_pattern.value":                   handOn,
	"assignment_pattern.left":              handOn,
	"assignment_pattern.right":             asRead,
	"object_assignment_pattern.left":       handOn,
	"object_assignment_pattern.right":      asRead,
	"formal_parameters":                    asBind,
	"arrow_function.parameter":             asBind,
	"catch_clause.parameter":               asBind,
	"function_expression.name":             asBind,
	"generator_function.name":              asBind,
	"class.name":                           asParam,
	"for_in_statement.left":                asWrite,
	"for_in_statement:const.left":          asBind,
	"for_in_statement:let.left":            asBind,
	"for_in_statement:var.left":            asBind,
	"import_clause":                        asImport,
	"import_specifier":                     asImport,
	"namespace_import":                     asImport,
	"named_imports":                        asImport,
	"export_specifier.name":                asRead,
	"export_specifier.alias":               asNothing,
	"namespace_export":                     asNothing,
	"class_heritage":                       asType,
	"meta_property":                        asNothing,
	"labeled_statement.label":              asNothing,
}

// jsxFlow is for the grammars that know markup.
var jsxFlow = map[string]use{
	"jsx_opening_element.name":          asTag,
	"jsx_self_closing_element.name":     asTag,
	"jsx_closing_element.name":          asTagEnd,
	"jsx_attribute>property_identifier": asWrite | member,
	"jsx_namespace_name":                asNothing,
}

const ecmaThrough = "parenthesized_expression object_pattern array_pattern rest_pattern spread_element"

// ecmaSplits tell declarations by what they hold.
var ecmaSplits = []split{
	{"lexical_declaration", []string{"const", "let"}},
	{"variable_declarator", append([]string{"class"}, ecmaFunctions...)},
	{"pair", ecmaFunctions},
	{"assignment_expression", append([]string{"class"}, ecmaFunctions...)},
	{"for_in_statement", []string{"const", "let", "var"}},
}

var ecmaFunctions = []string{"arrow_function", "function_expression", "generator_function"}

var ecmaDecls = []decl{
	{node: "function_declaration", kind: Function, name: "name", body: "body", opens: functionScope},
	{node: "generator_function_declaration", kind: Function, name: "name", body: "body", opens: functionScope},
	{node: "class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
	{node: "method_definition", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
	{node: "variable_declarator", kind: Variable, name: "name", sort: variable, whole: "variable_declaration",
		under: map[string]Kind{"lexical_declaration:const": Constant}},
	{node: "variable_declarator:arrow_function", kind: Function, name: "name", body: "body", whole: "variable_declaration"},
	{node: "variable_declarator:function_expression", kind: Function, name: "name", body: "body", whole: "variable_declaration"},
	{node: "variable_declarator:generator_function", kind: Function, name: "name", body: "body", whole: "variable_declaration"},
	{node: "variable_declarator:class", kind: Class, name: "name", body: "body", whole: "variable_declaration"},
	{node: "pair:arrow_function", kind: Method, name: "key", body: "body", sort: field},
	{node: "pair:function_expression", kind: Method, name: "key", body: "body", sort: field},
}

// assignedFunction stands for the declaration that an assignment or a default
// export is.
func (w *walker) assignedFunction() *compiledDecl {
	return &compiledDecl{decl: &decl{kind: Function, body: "body"}, bodyField: w.grammar.FieldID("body")}
}

var ecmaScopes = map[string]scope{
	"arrow_function":      functionScope,
	"function_expression": functionScope,
	"generator_function":  functionScope,
	"class":               classScope,
	"class_static_block":  functionScope,
	"statement_block":     blockScope,
	"for_statement":       blockScope,
	"for_in_statement":    blockScope,
	"catch_clause":        blockScope,
	"switch_body":         blockScope,
}

const ecmaWrappers = "export_statement lexical_declaration variable_declaration expression_statement"

const ecmaSkip = "number true false null undefined regex escape_sequence string_fragment empty_statement statement_identifier" +
	" hash_bang_line optional_chain debugger_statement import_attribute"

const jsxSkip = " jsx_text html_character_reference"

const ecmaOpen = "function_declaration generator_function_declaration method_definition arrow_function function_expression generator_function"

var ecmaHooks = map[string]func(*walker, int32){
	"import_statement":      ecmaImport,
	"export_statement":      ecmaExport,
	"call_expression":       ecmaRequire,
	"assignment_expression": ecmaAssignment,
	"for_in_statement":      ecmaForIn,
	"class_body":            ecmaMembers,
}

// with returns a copy of a with b laid over it.
func with[V any](a, b map[string]V) map[string]V {
	a = maps.Clone(a)
	maps.Copy(a, b)
	return a
}

func ecmaFinish(w *walker, node int32, s *Symbol) {
	if s.Kind == Method && s.Name == "constructor" && w.inClass() {
		s.Kind = Constructor
	}
	if s.Kind == Constant || s.Kind == Variable {
		if p := w.parent(node); w.wrapped(node) == node && (w.is(p, "lexical_declaration") || w.is(p, "variable_declaration")) {
			w.sharedHead(w.wrapped(p), node, s)
		}
	}
	switch {
	case strings.HasPrefix(s.Name, "#"):
	case s.Parent >= 0 && (s.Kind == Method || s.Kind == Constructor || s.Kind == Field || s.Kind == Property || s.Kind == EnumMember):
		s.Exported = w.file.Symbols[s.Parent].Exported && !w.hasModifier(node, "private", "protected")
	case w.inFunction():
	default:
		s.Exported = w.isExported(node)
	}
	// export default function () {} and class {} are told by their file.
}

// hasModifier says whether an accessibility modifier of a member is one of the
// words.
func (w *walker) hasModifier(node int32, words ...string) bool {
	m := w.firstOf(node, "accessibility_modifier")
	return m >= 0 && slices.Contains(words, w.textOf(m))
}

// isExported says whether a declaration is inside an export statement of its
// own, or is declared for others, alone or in a module or a namespace.
func (w *walker) isExported(node int32) bool {
	for p := w.parent(node); p >= 0; p = w.parent(p) {
		switch {
		case w.is(p, "export_statement"):
			return true
		case w.is(p, "lexical_declaration"), w.is(p, "variable_declaration"), w.is(p, "expression_statement"):
		case w.is(p, "statement_block"): // declare global {…}, declare module "x" {…}
			if around := w.parent(p); w.is(around, "module") || w.is(around, "internal_module") {
				p = around
			}
			return w.is(w.parent(p), "ambient_declaration")
		default:
			return w.is(p, "ambient_declaration")
		}
	}
	return false
}

// ecmaImport notes one import per statement.
func ecmaImport(w *walker, node int32) {
	i := Import{Line: w.line(node)}
	for j := node + 1; j < w.nodes[node].Next; j++ {
		switch {
		case w.in(j, "source"):
			i.Path = unquote(w.textOf(j))
		case w.is(j, "namespace_import"):
			i.Alias = w.textOf(w.firstOf(j, "identifier"))
		case w.is(j, "import_specifier"):
			i.Names = append(i.Names, w.specified(j))
		case w.is(j, "identifier") && (w.is(w.parent(j), "import_clause") || w.is(w.parent(j), "import_require_clause")):
			i.Alias = w.textOf(j)
		}
	}
	w.addImport(i)
}

// ecmaExport notes what a file exports by name, and what it passes on.
func ecmaExport(w *walker, node int32) {
	source := w.child(node, "source")
	var names []string
	for j := node + 1; j < w.nodes[node].Next; j = w.nodes[j].Next {
		if w.is(j, "export_clause") {
			for c := range w.children(j) {
				if name := w.specified(c); name != "" {
					names = append(names, name)
				}
				name := w.child(c, "name")
				if name < 0 {
					continue
				}
				if source >= 0 {
					w.mentionAs(name, -1, ImportUse)
					w.hide(name)
				} else {
					w.exports = append(w.exports, w.nameOf(&w.nodes[name]))
				}
			}
		}
		if w.is(j, "identifier") { // export default x, export = x
			w.exports = append(w.exports, w.nameOf(&w.nodes[j]))
		}
	}
	if value := w.child(node, "value"); value >= 0 {
		w.exportedDefault(node, value)
	}
	if source >= 0 {
		w.addImport(Import{Path: unquote(w.textOf(source)), Names: names, Line: w.line(node)})
	}
}

// specified returns the name that an import or export specifier takes, which
// is no node where it is default.
func (w *walker) specified(specifier int32) string {
	if name := w.child(specifier, "name"); name >= 0 {
		return w.textOf(name)
	}
	name, _, renamed := strings.Cut(w.textOf(specifier), " ")
	if renamed && name == "default" {
		return name
	}
	return ""
}

// ecmaForIn makes the variable of for (var name in …) one of the whole function.
func ecmaForIn(w *walker, node int32) {
	scope := w.functionScope()
	left := w.child(node, "left")
	if w.labels[w.nodes[node].Kind] != "for_in_statement:var" || w.scopes[scope].kind != functionScope {
		return
	}
	if left >= 0 && w.leafOf(left) == left {
		w.bind(w.nameOf(&w.nodes[left]), scope, true)
	}
}

// exportedDefault makes a symbol of a function or class that is exported
// without a name of its own: the module's default.
func (w *walker) exportedDefault(node, value int32) {
	kind := Function
	switch {
	case w.is(value, "class"):
		kind = Class
	case !slices.ContainsFunc(ecmaFunctions, func(kind string) bool { return w.is(value, kind) }):
		return
	}
	name, text := value, "default"
	if c := w.child(value, "name"); c >= 0 {
		name, text = c, w.textOf(c)
	}
	s := w.newSymbol(value, kind, w.symbol, &w.nodes[name], text, w.assignedFunction())
	w.file.Symbols[s].Exported = true
	w.push(frame{end: w.nodes[node].Next, node: node, hasSymbol: true})
	w.symbol = s
}

// ecmaExports marks the symbols that export statements name.
func ecmaExports(w *walker) {
	if len(w.exports) == 0 {
		return
	}
	exported := make(map[string]bool, len(w.exports))
	for _, id := range w.exports {
		exported[w.intern.names[id]] = true
	}
	for i := range w.file.Symbols {
		s := &w.file.Symbols[i]
		switch {
		case s.Parent < 0:
			s.Exported = s.Exported || exported[s.Name]
		case w.file.Symbols[s.Parent].Exported && !strings.HasPrefix(s.Name, "#") && isContainer(w.file.Symbols[s.Parent].Kind):
			s.Exported = !strings.HasPrefix(s.Signature, "private ") && !strings.HasPrefix(s.Signature, "protected ")
		}
	}
}

// ecmaRequire notes require("x") and import("x") as imports.
func ecmaRequire(w *walker, node int32) {
	function := w.child(node, "function")
	if text := w.textOf(function); text != "require" && text != "import" {
		return
	}
	path := w.firstOf(w.child(node, "arguments"), "string")
	if path < 0 {
		return
	}
	i := Import{Path: unquote(w.textOf(path)), Line: w.line(node)}
	d := w.parent(node)
	if w.is(d, "await_expression") {
		d = w.parent(d)
	}
	if w.is(d, "variable_declarator") {
		name := w.child(d, "name")
		if w.is(name, "identifier") {
			i.Alias = w.textOf(name)
		} else {
			for c := range w.children(name) {
				if key := w.child(c, "key"); key >= 0 {
					i.Names = append(i.Names, w.textOf(key))
				} else {
					i.Names = append(i.Names, w.textOf(c))
				}
			}
		}
	}
	w.addImport(i)
}

// ecmaAssignment makes symbols of what assignments to members declare: fields
// set on this, methods put on a prototype, functions and names put on exports.
func ecmaAssignment(w *walker, node int32) {
	left, right := w.child(node, "left"), w.child(node, "right")
	if w.is(left, "array_pattern") {
		meant := len(w.meant)
		for c := range w.children(left) { // [this.a, this.b] = …
			name := w.child(c, "property")
			if w.is(c, "member_expression") && w.textOf(w.child(c, "object")) == "this" {
				w.memberOf(node, name, Field)
			}
		}
		slices.Reverse(w.meant[meant:])
		return
	}
	if !w.is(left, "member_expression") {
		return
	}
	object, name := w.child(left, "object"), w.child(left, "property")
	if name < 0 || !w.is(name, "property_identifier") && !w.is(name, "private_property_identifier") {
		return
	}
	isFunction := slices.ContainsFunc(ecmaFunctions, func(kind string) bool { return w.is(right, kind) })
	switch text := w.textOf(object); {
	case text == "this":
		if !isFunction {
			w.memberOf(node, name, Field)
		}
	case text == "exports" || text == "module.exports" || text == "module" && w.textOf(name) == "exports":
		if text == "module" {
			w.exportObject(right)
			return
		}
		w.exports = append(w.exports, w.nameOf(&w.nodes[name]))
		if w.is(right, "identifier") {
			w.exports = append(w.exports, w.nameOf(&w.nodes[right]))
		}
		if isFunction {
			w.assigned(node, name, Function, "")
		}
	case isFunction && strings.HasSuffix(text, ".prototype"):
		w.assigned(node, name, Method, strings.TrimSuffix(text, ".prototype"))
	case isFunction && w.is(object, "identifier") && !w.inFunction():
		w.assigned(node, name, Function, text)
	}
}

// ecmaMembers makes the members that a class declares known before its methods
// assign to them: this.run = this.run.bind(this) declares nothing.
func ecmaMembers(w *walker, body int32) {
	class := int32(len(w.scopes) - 1)
	if !w.inClass() {
		return
	}
	for c := range w.children(body) {
		name := w.child(c, "name")
		if name < 0 {
			name = w.child(c, "property")
		}
		if !w.is(name, "property_identifier") && !w.is(name, "private_property_identifier") {
			continue
		}
		if id := w.nameOf(&w.nodes[name]); w.boundIn(id, class) == 0 {
			w.bind(id, class, false)
		}
	}
}

// exportObject notes what module.exports = {…} or = name exports.
func (w *walker) exportObject(right int32) {
	if w.is(right, "identifier") {
		w.exports = append(w.exports, w.nameOf(&w.nodes[right]))
		return
	}
	if !w.is(right, "object") {
		return
	}
	for c := range w.children(right) {
		name := c
		switch {
		case w.is(c, "method_definition"):
			name = w.child(c, "name")
		case w.is(c, "pair"):
			if name = w.child(c, "value"); !w.is(name, "identifier") {
				name = w.child(c, "key")
			}
		}
		if w.is(name, "identifier") || w.is(name, "shorthand_property_identifier") || w.is(name, "property_identifier") {
			w.exports = append(w.exports, w.nameOf(&w.nodes[name]))
		}
	}
}

// assigned makes a symbol of a function that is assigned to a member; what is
// inside the assignment belongs to it.
func (w *walker) assigned(node, name int32, kind Kind, scope string) {
	s := w.newSymbol(node, kind, w.symbol, &w.nodes[name], w.textOf(name), w.assignedFunction())
	if scope != "" {
		w.file.Symbols[s].Scope = scope
	}
	w.mean(name, s)
	w.push(frame{end: w.nodes[node].Next, node: node, hasSymbol: true})
	w.symbol = s
}
