package syntax

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// specC is the row of the language.
var specC = &spec{name: C, rules: &cRules, repair: repairC, misfit: repairMacros}

var cRules = rules{
	grammar:    "c",
	names:      cNames,
	flow:       cFlow,
	through:    cThrough,
	splits:     cSplits,
	decls:      cDecls,
	scopes:     cScopes,
	qualifiers: "field_expression.argument",
	comments:   "comment",
	skip:       cSkip,
	leaves:     "string_literal system_lib_string preproc_arg",
	builtins:   cBuiltins,
	hooks:      cHooks,
	finish:     cFinish,
	atEnd:      cEnd,
}

var cHooks = map[string]func(*walker, int32){
	"preproc_include":      cInclude,
	"preproc_def":          cMacro,
	"preproc_function_def": cMacro,
	"parameter_list":       cParameters,
}

var cNames = map[string]use{
	"identifier":       asRead,
	"type_identifier":  asType,
	"field_identifier": asRead | member,
}

var cFlow = map[string]use{
	"call_expression.function":         asCall,
	"field_expression.field":           handOn | member,
	"assignment_expression.left":       asWrite,
	"update_expression.argument":       asWrite,
	"pointer_declarator.declarator":    handOn,
	"array_declarator.declarator":      handOn,
	"function_declarator":              asNothing, // macros behind the parameters
	"function_declarator.declarator":   handOn,
	"parameter_list>identifier":        asBind,
	"init_declarator.declarator":       handOn,
	"parenthesized_declarator":         handOn,
	"attributed_declarator":            handOn,
	"parameter_declaration.declarator": asBind,
	"preproc_params":                   asNothing,
	"preproc_ifdef.name":               asRead,
	"field_designator":                 asWrite | member,
	"initializer_pair.designator":      asWrite | member,
	"goto_statement":                   asNothing,
	"labeled_statement":                asNothing,
	"pointer_expression.argument":      handOn,
	"subscript_expression.argument":    handOn,
}

const cThrough = "parenthesized_expression"

var cSplits = []split{
	{"declaration", []string{"function_declarator"}},
	{"field_declaration", []string{"function_declarator"}},
	{"struct_specifier", []string{"field_declaration_list"}},
	{"union_specifier", []string{"field_declaration_list"}},
	{"enum_specifier", []string{"enumerator_list"}},
}

var cDecls = []decl{
	{node: "function_definition", kind: Function, member: Method, name: "declarator", body: "body", opens: functionScope},
	{node: "declaration:function_declarator", kind: Function, member: Method, name: "declarator", sort: variable, opens: functionScope},
	{node: "declaration", kind: Variable, name: "declarator", sort: variable},
	{node: "struct_specifier:field_declaration_list", kind: Struct, name: "name", body: "body", opens: classScope},
	{node: "union_specifier:field_declaration_list", kind: Struct, name: "name", body: "body", opens: classScope},
	{node: "enum_specifier:enumerator_list", kind: Enum, name: "name", body: "body", opens: moduleScope},
	{node: "enumerator", kind: EnumMember, name: "name"},
	{node: "field_declaration", kind: Field, name: "declarator", sort: field},
	{node: "field_declaration:function_declarator", kind: Method, name: "declarator", sort: property, opens: functionScope},
	{node: "type_definition", kind: Type, name: "declarator"},
	{node: "preproc_def", kind: Macro, name: "name"},
	{node: "preproc_function_def", kind: Macro, name: "name"},
}

var cScopes = map[string]scope{
	"compound_statement": blockScope,
	"for_statement":      blockScope,
}

const (
	cSkip = "number_literal char_literal primitive_type escape_sequence null statement_identifier" +
		" attribute_specifier attribute_declaration ms_declspec_modifier"
	cBuiltins = "size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t ptrdiff_t bool"
)

func cInclude(w *walker, node int32) {
	w.addImport(Import{Path: unquote(strings.TrimSpace(w.textOf(w.child(node, "path")))), Line: w.line(node)})
}

// cFinish says what other files can see: everything at the top of a file that is
// not static. It also tells functions from pointers to them.
func cFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	if s.Kind == Macro {
		s.Signature = cMacroHead(w, node)
	}
	if s.Parent >= 0 && s.Kind != Type && w.cDeclaresWith(node, &w.file.Symbols[s.Parent]) {
		s.Scope = w.file.Symbols[s.Parent].Scope // typedef struct a {} b: a is not in b
	}
	if w.is(node, "declaration") || w.is(node, "field_declaration") {
		inClass := w.inClass()
		switch {
		case w.cDeclaresFunction(node, s):
			s.Kind = Function
			if inClass {
				s.Kind = Method
			}
		case inClass:
			s.Kind = Field
		default:
			s.Kind = Variable
		}
	}
	s.Exported = !w.inFunction() && w.parentExported(s)
	for c := range w.children(node) {
		if w.is(c, "storage_class_specifier") && w.textOf(c) == "static" && !w.inClass() {
			s.Exported = false
		}
	}
}

// cDeclaresWith says whether a node is the type in the declaration of another
// symbol: struct a {} in typedef struct a {} b.
func (w *walker) cDeclaresWith(node int32, s *Symbol) bool {
	around := w.parent(node)
	return w.is(around, "type_definition") ||
		w.in(node, "type") && int(w.nodes[around].Start) == s.Start && (w.is(around, "declaration") || w.is(around, "field_declaration"))
}

// cMacroHead returns a macro on one line, without the backslashes between its
// lines and the comment behind it.
func cMacroHead(w *walker, node int32) string {
	text := w.textOf(node)
	if value := w.child(node, "value"); value >= 0 {
		text = w.text[w.nodes[node].Start:w.nodes[value].End]
		if at := strings.LastIndex(text, "/*"); at > 0 && strings.HasSuffix(strings.TrimSpace(text), "*/") {
			text = text[:at]
		}
	}
	return oneLine([]byte(strings.NewReplacer("\\\n", " ", "\\\r\n", " ").Replace(text)))
}

// cEnd notes the macros that are no code to the grammar and drops the words that
// are names only to it: the type in sizeof(unsigned), what is behind a word that
// it does not know.
func cEnd(w *walker) {
	w.macroCalls()
	inOrder(w)
	drop := make(map[int32]bool)
	for id, name := range w.intern.names {
		if cKeywords[name] {
			drop[int32(id)] = true
		}
	}
	if len(drop) > 0 {
		w.occs = slices.DeleteFunc(w.occs, func(o occurrence) bool { return o.role != Definition && drop[o.name] })
	}
}

// cDeclaresFunction says whether a symbol's declarator is that of a function,
// which may return a pointer, and not that of a pointer to one.
func (w *walker) cDeclaresFunction(node int32, s *Symbol) bool {
	at := w.lines[s.NameLine-1] + uint32(s.NameColumn-1)
	for c := range w.children(node) {
		if !w.in(c, "declarator") || at < w.nodes[c].Start || at >= w.nodes[c].End {
			continue
		}
		for w.is(c, "pointer_declarator") || w.is(c, "reference_declarator") || w.is(c, "attributed_declarator") {
			inner := c + 1
			for inner < w.nodes[c].Next && w.nodes[inner].End <= at {
				inner = w.nodes[inner].Next
			}
			if inner >= w.nodes[c].Next {
				return false
			}
			c = inner
		}
		return w.is(c, "function_declarator") && !w.is(c+1, "parenthesized_declarator")
	}
	return false
}

// cParameters keeps the names in a list of parameters to that list, unless it
// is the one of a function that has a body.
func cParameters(w *walker, list int32) {
	at := w.parent(list)
	if !w.is(at, "function_declarator") {
		return // of a lambda, of catch
	}
	for at >= 0 && !w.is(at, "declaration") && strings.HasSuffix(w.labels[w.nodes[at].Kind], "_declarator") {
		at = w.parent(at)
	}
	if at >= 0 && w.labels[w.nodes[at].Kind] == "declaration:function_declarator" {
		w.cppArguments(at, list)
		return
	}
	if at < 0 || w.is(at, "function_definition") {
		return
	}
	w.openScope(functionScope)
	w.push(frame{end: w.nodes[list].Next, node: list, opensOne: true})
}

// cMacro notes the names in the text of a macro, which is no code to the
// grammar.
func cMacro(w *walker, node int32) {
	value := w.child(node, "value")
	if value < 0 {
		return
	}
	parameters := w.textOf(w.child(node, "parameters"))
	v := &w.nodes[value]
	row := v.StartRow
	for at := v.Start; at < v.End; {
		c := w.src[at]
		switch {
		case c == '\n':
			row++
			at++
		case c == '"' || c == '\'':
			at++
			for at < v.End && w.src[at] != c && w.src[at] != '\n' {
				if w.src[at] == '\\' {
					at++
				}
				at++
			}
			at++
		case c >= '0' && c <= '9':
			at = w.wordEnd(at, v.End)
		case wordByte(c):
			end := w.wordEnd(at, v.End)
			w.cMacroWord(node, treesitter.Node{Start: at, End: end, StartRow: row, Parent: -1}, parameters)
			at = end
		default:
			at++
		}
	}
}

// cMacroWord notes one name of a macro's text.
func (w *walker) cMacroWord(macro int32, n treesitter.Node, parameters string) {
	word := w.text[n.Start:n.End]
	if id := w.nameID(word); cKeywords[word] || int(id) < len(w.builtinNames) {
		return
	}
	if strings.HasSuffix(strings.TrimRight(w.text[:n.Start], " "), "##") || strings.HasPrefix(strings.TrimLeft(w.text[n.End:], " "), "##") {
		return // part of a name
	}
	for p := range keywordsOf(parameters) {
		if p == word {
			return
		}
	}
	role := Read
	if rest := strings.TrimLeft(w.text[n.End:min(len(w.text), int(n.End)+8)], " \t"); strings.HasPrefix(rest, "(") {
		role = Call
	}
	w.occur(macro, &n, w.nameOf(&n), role, w.symbol, false)
}

func (w *walker) wordEnd(at, end uint32) uint32 {
	for at < end && wordByte(w.src[at]) {
		at++
	}
	return at
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}

// cKeywords are the words in macros that are no names.
var cKeywords = keywordSet("auto bool break case char const continue default defined do double else enum extern false float for goto if" +
	" inline int long nullptr register return short signed sizeof static struct switch true typedef typeof union unsigned void" +
	" volatile while class delete namespace new operator private protected public template this throw try typename using virtual" +
	" __attribute__ __typeof__ __inline__ __extension__ __VA_ARGS__ __VA_OPT__ _Thread_local _Alignas _Noreturn _Atomic _Generic")

func keywordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
