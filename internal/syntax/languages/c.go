package languages

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/repair"
	"codeintel/internal/syntax/treesitter"
	"codeintel/internal/text"
)

// C is the row of the language.
var C = &engine.Spec{
	Name:          engine.C,
	Extensions:    "c h",
	Servers:       []string{"clangd"},
	Family:        "c",
	Disputed:      headerOf,
	Rules:         &cRules,
	Recovery:      cRecovery,
	Repair:        repairC,
	Misfit:        repairMacros,
	RepairMisfits: true,
	Names: engine.Names{
		Groups:    "c",
		Accessors: "->",
		Typed:     cTyped,
		Imports:   engine.ImportsInclude,
	},

	Comparing: engine.Comparing{Macros: true},
	Testing:   engine.Testing{Heads: cTestHeads, Functions: `^test_`, Marked: true, Passed: cPassed},
}

// cPassed is of CTest and GoogleTest.
var cPassed = lazyregexp.MustCompile(`(?m)100% tests passed, 0 tests failed out of [1-9]|^\[  PASSED  \] [1-9]\d* tests?`)

var cRules = engine.Rules{
	Grammar:    "c",
	Names:      cNames,
	Flow:       cFlow,
	Through:    cThrough,
	Splits:     cSplits,
	Decls:      cDecls,
	Scopes:     cScopes,
	Qualifiers: "field_expression.argument",
	Comments:   "comment",
	Skip:       cSkip,
	Leaves:     "string_literal system_lib_string preproc_arg",
	Builtins:   cBuiltins,
	Hooks:      cHooks,
	Finish:     cFinish,
	AtEnd:      cEnd,
}

var cHooks = map[string]func(*engine.Walker, int32){
	"preproc_include":      cInclude,
	"preproc_def":          cMacro,
	"preproc_function_def": cMacro,
	"parameter_list":       cParameters,
	"type_definition":      cTypedef,
}

var cNames = map[engine.Use]string{
	engine.AsRead:                 "identifier",
	engine.AsType:                 "type_identifier",
	engine.AsRead | engine.Member: "field_identifier",
}

var cFlow = map[engine.Use]string{
	engine.AsCall:                 "call_expression.function",
	engine.HandOn | engine.Member: "field_expression.field",
	engine.AsWrite:                "assignment_expression.left update_expression.argument",
	engine.HandOn: `pointer_declarator.declarator array_declarator.declarator function_declarator.declarator
		init_declarator.declarator parenthesized_declarator attributed_declarator pointer_expression.argument
		subscript_expression.argument`,
	// function_declarator: macros behind the parameters
	engine.AsNothing:               "function_declarator preproc_params goto_statement labeled_statement",
	engine.AsBind:                  "parameter_list>identifier parameter_declaration.declarator",
	engine.AsRead:                  "preproc_ifdef.name",
	engine.AsWrite | engine.Member: "field_designator initializer_pair.designator",
}

const cThrough = "parenthesized_expression"

var cSplits = []engine.Split{
	{Node: "declaration field_declaration", By: []string{"function_declarator"}},
	{Node: "struct_specifier union_specifier", By: []string{"field_declaration_list"}},
	{Node: "enum_specifier", By: []string{"enumerator_list"}},
}

var cDecls = []engine.Decl{
	{Node: "function_definition", Kind: engine.Function, Member: engine.Method, Name: "declarator", Body: "body",
		Opens: engine.FunctionScope},
	{Node: "declaration:function_declarator", Kind: engine.Function, Member: engine.Method, Name: "declarator",
		Sort: engine.SortVariable, Opens: engine.FunctionScope},
	{Node: "declaration", Kind: engine.Variable, Name: "declarator", Sort: engine.SortVariable},
	{Node: "struct_specifier:field_declaration_list union_specifier:field_declaration_list", Kind: engine.Struct,
		Name: "name", Body: "body", Opens: engine.ClassScope},
	{Node: "enum_specifier:enumerator_list", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ModuleScope},
	{Node: "enumerator", Kind: engine.EnumMember, Name: "name"},
	{Node: "field_declaration", Kind: engine.Field, Name: "declarator", Sort: engine.SortField},
	{Node: "field_declaration:function_declarator", Kind: engine.Method, Name: "declarator",
		Sort: engine.SortProperty, Opens: engine.FunctionScope},
	{Node: "type_definition", Kind: engine.Type, Name: "declarator"},
	{Node: "preproc_def preproc_function_def", Kind: engine.Macro, Name: "name"},
}

var cScopes = map[engine.Scope]string{
	engine.BlockScope: "compound_statement for_statement",
}

// cTestHeads are the macros of GoogleTest, Catch2, doctest, Boost.Test, Criterion, Check,
// CppUTest, Kyua, MSTest and of projects (UNIT_TEST, TEST_IMPL) that head a test.
var cTestHeads = lazyregexp.MustCompile(`^(?:(?:[A-Z]+_)*TEST(?:_[FPGM]|_CASE|_CASE_METHOD|_CASE_FIXTURE|_CASE_TEMPLATE|_GROUP|_METHOD|_FIXTURE|(?:_[A-Z]+)?_IMPL)?|TEMPLATE_TEST_CASE\w*|SCENARIO|BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE\w*|Test|ParameterizedTest|START_TEST|ATF_TC_BODY)$`)

const (
	cSkip = "number_literal char_literal primitive_type escape_sequence null statement_identifier" +
		" attribute_specifier attribute_declaration ms_declspec_modifier"
	cBuiltins = "size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t ptrdiff_t bool"
)

// cTypedef declares a type that the grammar knows by its name: typedef signed int int32_t.
// It is a type as int is to the rules, and not in the tree.
func cTypedef(w *engine.Walker, node int32) {
	head := strings.TrimRight(w.TextOf(node), "; \t\r\n")
	name := head[strings.LastIndexFunc(head, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })+1:]
	if !cTypes[name] {
		return
	}
	at := w.Nodes[node]
	at.StartRow = w.RowOf(at.Start+uint32(len(head)-len(name)), at.StartRow)
	at.Start += uint32(len(head) - len(name))
	w.NewSymbol(node, engine.Type, w.Symbol, &at, name, nil)
}

var cTypes = text.WordSet(cBuiltins)

func cInclude(w *engine.Walker, node int32) {
	w.AddImport(engine.Import{Path: engine.Unquote(strings.TrimSpace(w.TextOf(w.Child(node, "path")))), Line: w.Line(node)})
}

// cFinish says what other files can see: everything at the top of a file that is
// not static. It also tells functions from pointers to them.
func cFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	if s.Kind == engine.Macro {
		s.Signature = cMacroHead(w, node)
	}
	if s.Parent >= 0 && s.Kind != engine.Type && cDeclaresWith(w, node, &w.File.Symbols[s.Parent]) {
		s.Scope = w.File.Symbols[s.Parent].Scope // typedef struct a {} b: a is not in b
	}
	if w.Is(node, "declaration", "field_declaration") {
		inClass := w.InClass()
		switch {
		case cDeclaresFunction(w, node, s):
			s.Kind = engine.Function
			if inClass {
				s.Kind = engine.Method
			}
		case inClass:
			s.Kind = engine.Field
		default:
			s.Kind = engine.Variable
		}
	}
	s.Exported = !w.InFunction() && w.ParentExported(s)
	for c := range w.Children(node) {
		if w.Is(c, "storage_class_specifier") && w.TextOf(c) == "static" && !w.InClass() {
			s.Exported = false
		}
	}
}

// cDeclaresWith says whether a node is the type in the declaration of another
// symbol: struct a {} in typedef struct a {} b.
func cDeclaresWith(w *engine.Walker, node int32, s *engine.Symbol) bool {
	around := w.Parent(node)
	return w.Is(around, "type_definition") ||
		w.In(node, "type") && int(w.Nodes[around].Start) == s.Start && w.Is(around, "declaration", "field_declaration")
}

// cMacroHead returns a macro on one line, without the backslashes between its
// lines and the comment behind it.
func cMacroHead(w *engine.Walker, node int32) string {
	text := w.TextOf(node)
	if value := w.Child(node, "value"); value >= 0 {
		text = w.Text[w.Nodes[node].Start:w.Nodes[value].End]
		if at := strings.LastIndex(text, "/*"); at > 0 && strings.HasSuffix(strings.TrimSpace(text), "*/") {
			text = text[:at]
		}
	}
	return engine.OneLine([]byte(strings.NewReplacer("\\\n", " ", "\\\r\n", " ").Replace(text)))
}

// cEnd notes the macros that are not code to the grammar and drops the words that
// are names only to it: the type in sizeof(unsigned), what is behind a word that
// it does not know.
func cEnd(w *engine.Walker) {
	leftOut(w, cKeywords)
	cTests(w)
	engine.InOrder(w)
	drop := make(map[int32]bool)
	for id, name := range w.Intern.Names {
		if cKeywords[name] {
			drop[int32(id)] = true
		}
	}
	if len(drop) > 0 {
		w.Mentions = slices.DeleteFunc(w.Mentions,
			func(o engine.RawOccurrence) bool { return o.Role != engine.Definition && drop[o.Name] })
	}
}

// cDeclaresFunction says whether a symbol's declarator is that of a function,
// which may return a pointer, and not that of a pointer to one.
func cDeclaresFunction(w *engine.Walker, node int32, s *engine.Symbol) bool {
	at := w.Lines[s.NameLine-1] + uint32(s.NameColumn-1)
	for c := range w.Children(node) {
		if !w.In(c, "declarator") || at < w.Nodes[c].Start || at >= w.Nodes[c].End {
			continue
		}
		for w.Is(c, "pointer_declarator") || w.Is(c, "reference_declarator", "attributed_declarator") {
			inner := c + 1
			for inner < w.Nodes[c].Next && w.Nodes[inner].End <= at {
				inner = w.Nodes[inner].Next
			}
			if inner >= w.Nodes[c].Next {
				return false
			}
			c = inner
		}
		return w.Is(c, "function_declarator") && (!w.Is(c+1, "parenthesized_declarator") || w.Is(c+2, "identifier"))
	}
	return false
}

// cParameters keeps the names in a list of parameters to that list, unless it
// is the one of a function that has a body.
func cParameters(w *engine.Walker, list int32) {
	at := w.Parent(list)
	if !w.Is(at, "function_declarator") {
		return // of a lambda, of catch
	}
	for at >= 0 && !w.Is(at, "declaration") && strings.HasSuffix(w.Labels[w.Nodes[at].Kind], "_declarator") {
		at = w.Parent(at)
	}
	if at >= 0 && w.Labels[w.Nodes[at].Kind] == "declaration:function_declarator" {
		cppArguments(w, at, list)
		return
	}
	if at < 0 || w.Is(at, "function_definition") {
		return
	}
	w.OpenScope(engine.FunctionScope)
	w.Push(engine.Frame{End: w.Nodes[list].Next, Node: list, OpensOne: true})
}

// cMacro notes the names in the text of a macro, which is not code to the
// grammar.
func cMacro(w *engine.Walker, node int32) {
	value := w.Child(node, "value")
	if value < 0 {
		return
	}
	parameters := w.TextOf(w.Child(node, "parameters"))
	v := &w.Nodes[value]
	row := v.StartRow
	for at := v.Start; at < v.End; {
		c := w.Source[at]
		switch {
		case c == '\n':
			row++
			at++
		case c == '"' || c == '\'' || c == '/' && repair.CommentEnd(w.Source, int(at)) > int(at):
			end := min(v.End, uint32(textEnd(w.Source, int(at))))
			row += uint32(bytes.Count(w.Source[at:end], []byte{'\n'}))
			at = end
		case c >= '0' && c <= '9':
			at = wordEnd(w, at, v.End)
		case wordByte(c):
			end := wordEnd(w, at, v.End)
			cMacroWord(w, treesitter.Node{Start: at, End: end, StartRow: row, Parent: -1}, parameters)
			at = end
		default:
			at++
		}
	}
}

// textEnd returns where a comment, a string or a character ends that begins at i. A quote
// that nothing closes, as in the text of an assembler, is one byte.
func textEnd(src []byte, i int) int {
	if end := repair.CommentEnd(src, i); end > i {
		return end
	}
	end, closed := repair.QuotedEnd(src, i)
	if !closed || src[i] == '\'' && bytes.IndexByte(src[i:end], '\n') >= 0 {
		return i + 1
	}
	return end + 1
}

// cMacroWord notes one name of a macro's text.
func cMacroWord(w *engine.Walker, n treesitter.Node, parameters string) {
	word := w.Text[n.Start:n.End]
	if id := w.NameID(word); cKeywords[word] || int(id) < len(w.BuiltinNames) {
		return
	}
	if strings.HasSuffix(strings.TrimRight(w.Text[:n.Start], " "), "##") ||
		strings.HasPrefix(strings.TrimLeft(w.Text[n.End:], " "), "##") {
		return // part of a name
	}
	for p := range text.Words(parameters) {
		if p == word {
			return
		}
	}
	role := engine.Read
	if rest := strings.TrimLeft(w.Text[n.End:min(len(w.Text), int(n.End)+8)], " \t"); strings.HasPrefix(rest, "(") {
		role = engine.Call
	}
	w.Occur(&n, w.NameOf(&n), role, w.Symbol, false)
}

func wordEnd(w *engine.Walker, at, end uint32) uint32 {
	for at < end && wordByte(w.Source[at]) {
		at++
	}
	return at
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}

// cKeywords are the words in macros that are not names.
var cKeywords = text.WordSet("auto bool break case char const continue default defined do double else enum extern false float for goto if" +
	" inline int long nullptr register return short signed sizeof static struct switch true typedef typeof union unsigned void" +
	" volatile while class delete namespace new operator private protected public template this throw try typename using virtual" +
	" __attribute__ __typeof__ __inline__ __extension__ __VA_ARGS__ __VA_OPT__ _Thread_local _Alignas _Noreturn _Atomic _Generic")
