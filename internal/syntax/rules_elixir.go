package syntax

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// Everything in Elixir is a call, def and defmodule too. The tables say what a
// call is; what is defined by which is in elixirDefiners and in the hooks.
// specElixir is the row of the language.
var specElixir = &spec{name: Elixir, rules: &elixirRules}

var elixirRules = rules{
	grammar: "elixir",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"call:arguments.target": asCall,
		"call:do_block.target":  asCall,
		"call.target":           asRead, // a.b
		"dot.right":             handOn | member,
	},
	splits: []split{
		{"call", []string{"arguments", "do_block"}},
		{"binary_operator", []string{"=", "<-"}},
	},
	scopes: map[string]scope{
		"else_block":         blockScope,
		"rescue_block":       blockScope,
		"catch_block":        blockScope,
		"after_block":        blockScope,
		"stab_clause":        blockScope,
		"anonymous_function": functionScope,
	},
	qualifiers: "dot.left",
	plain:      "alias atom",
	comments:   "comment",
	skip:       "quoted_content escape_sequence sigil_name sigil_modifiers",
	blank:      "_",
	hooks: map[string]func(*walker, int32){
		"call":            elixirCall,
		"alias":           elixirAlias,
		"binary_operator": elixirMatch,
		"stab_clause":     elixirClause,
		"unary_operator":  elixirAttribute,
		"map_content":     elixirKeys,
	},
	atEnd: func(w *walker) {
		inOrder(w)
		implsAreUses(w)
		w.dropWords("__MODULE__", "__CALLER__", "__ENV__", "__DIR__", "__STACKTRACE__")
	},
}

// An elixirDefiner says what a macro defines.
type elixirDefiner struct {
	kind    Kind
	module  bool // it is named by an alias and holds definitions
	private bool
}

var elixirDefiners = map[string]elixirDefiner{
	"defmodule":   {kind: Module, module: true},
	"defprotocol": {kind: Interface, module: true},
	"defimpl":     {kind: Impl, module: true},
	"def":         {kind: Function},
	"defp":        {kind: Function, private: true},
	"defmacro":    {kind: Macro},
	"defmacrop":   {kind: Macro, private: true},
	"defguard":    {kind: Macro},
	"defguardp":   {kind: Macro, private: true},
	"defdelegate": {kind: Function},
	"test":        {kind: Function, private: true},
	"property":    {kind: Function, private: true},
}

// elixirForms are macros that are part of the language: not worth a call.
var elixirForms = strings.Fields("alias case cond defstruct defexception describe else fn for if import quote receive require" +
	" rescue super try unless unquote unquote_splicing use with")

func elixirCall(w *walker, node int32) {
	target, arguments := w.child(node, "target"), w.firstOf(node, "arguments")
	if !w.is(target, "identifier") {
		return
	}
	name := w.textOf(target)
	definer, defines := elixirDefiners[name]
	switch {
	case defines && arguments >= 0:
		switch first := arguments + 1; {
		case name == "test" || name == "property":
			if w.is(first, "string") && w.firstOf(node, "do_block") >= 0 {
				w.elixirTest(node, arguments, definer)
				w.hide(target)
			}
		case definer.module:
			if w.is(first, "alias") {
				w.elixirModule(node, first, definer)
				w.hide(target)
			}
		default:
			w.elixirFunction(node, arguments, definer)
			w.hide(target)
		}
		return
	case name == "defstruct" || name == "defexception":
		w.elixirFields(arguments)
	case name == "alias" || name == "import" || name == "require" || name == "use":
		w.elixirImport(arguments, name)
	case name == "for" || name == "with" || w.firstOf(node, "do_block") >= 0:
		w.push(frame{end: w.nodes[node].Next, node: node, opensOne: true})
		w.openScope(blockScope)
	}
	if slices.Contains(elixirForms, name) {
		w.hide(target)
	}
}

// lastSegment returns a node for the part of an alias behind its last dot.
func (w *walker) lastSegment(alias int32) treesitter.Node {
	n := w.nodes[alias]
	n.Start += uint32(strings.LastIndexByte(w.textOf(alias), '.') + 1)
	n.Parent = -1
	return n
}

// elixirAlias notes the module that a path ends in.
func elixirAlias(w *walker, node int32) {
	n := w.lastSegment(node)
	if n.Start < n.End {
		w.occur(node, &n, w.nameOf(&n), TypeUse, w.symbol, false)
	}
}

func (w *walker) elixirModule(node, alias int32, d elixirDefiner) {
	n := w.lastSegment(alias)
	name := w.text[n.Start:n.End]
	i := w.newSymbol(node, d.kind, w.symbol, &n, name, nil)
	s := &w.file.Symbols[i]
	s.Exported = true
	outer := strings.TrimSuffix(w.text[w.nodes[alias].Start:n.Start], ".")
	if d.kind == Impl && outer != "" {
		s.Scope = "" // a protocol is named in full, wherever it is implemented
	}
	s.Scope = joinScope(s.Scope, outer)
	body := w.firstOf(node, "do_block")
	if body >= 0 {
		s.Signature = oneLine(w.src[w.nodes[node].Start:w.nodes[body].Start])
		for c := range w.children(body) {
			if name, value := w.elixirNamed(c); name == "moduledoc" {
				s.Doc = elixirDoc(w.textOf(value))
				break
			}
		}
	}
	w.occur(alias, &n, w.nameOf(&n), Definition, i, false)
	w.nodes[alias].Kind = 0
	w.push(frame{end: w.nodes[node].Next, node: node, opensOne: true, hasSymbol: true})
	w.symbol = i
	w.openScope(moduleScope)
}

// elixirHead returns what a def defines: the node of its name, which may be
// made up for an operator, and the arguments.
func (w *walker) elixirHead(arguments int32) (name treesitter.Node, leaf, parameters int32) {
	head := arguments + 1
	if w.is(head, "binary_operator") && w.elixirOperator(head) == "when" {
		head = w.child(head, "left")
	}
	switch {
	case w.is(head, "identifier"):
		return w.nodes[head], head, -1
	case w.is(head, "call") && w.is(w.child(head, "target"), "identifier"):
		leaf = w.child(head, "target")
		return w.nodes[leaf], leaf, w.firstOf(head, "arguments")
	case w.is(head, "binary_operator"):
		left, right := w.child(head, "left"), w.child(head, "right")
		if left < 0 || right < 0 {
			break
		}
		n := w.nodes[head]
		n.Start, n.End = w.nodes[left].End, w.nodes[right].Start
		for n.Start < n.End && isSpace(w.src[n.Start]) {
			n.Start++
		}
		for n.Start < n.End && isSpace(w.src[n.End-1]) {
			n.End--
		}
		n.StartRow, n.Parent = w.rowOf(n.Start, n.StartRow), -1
		return n, -1, head
	}
	return treesitter.Node{}, -1, -1
}

// elixirOperator returns the operator between the sides of a node.
func (w *walker) elixirOperator(node int32) string {
	left, right := w.child(node, "left"), w.child(node, "right")
	if left < 0 || right < 0 || w.nodes[right].Start < w.nodes[left].End {
		return ""
	}
	return strings.TrimSpace(w.text[w.nodes[left].End:w.nodes[right].Start])
}

func (w *walker) elixirFunction(node, arguments int32, d elixirDefiner) {
	name, leaf, parameters := w.elixirHead(arguments)
	if name.End <= name.Start {
		return
	}
	text := w.text[name.Start:name.End]
	i := w.elixirClauseOf(node, text, parameters)
	if i < 0 {
		i = w.newSymbol(node, d.kind, w.symbol, &name, text, nil)
		s := &w.file.Symbols[i]
		s.Exported = !d.private
		s.Signature = w.elixirSignature(node)
		w.elixirDocs(node, s)
	} else {
		s := &w.file.Symbols[i]
		s.End, s.EndLine = int(w.nodes[node].End), int(w.nodes[node].EndRow)+1
	}
	w.occur(node, &name, w.nameOf(&name), Definition, i, false)
	if leaf >= 0 {
		w.hide(leaf)
	}
	w.elixirOpen(node, i)
	if parameters >= 0 {
		w.elixirBind(parameters)
	}
}

func (w *walker) elixirOpen(node, symbol int32) {
	w.push(frame{end: w.nodes[node].Next, node: node, opensOne: true, hasSymbol: true})
	w.symbol = symbol
	w.openScope(functionScope)
}

// elixirClauseOf returns the symbol of which a def is a further clause, or -1:
// the def before it has its name and as many arguments.
func (w *walker) elixirClauseOf(node int32, name string, parameters int32) int32 {
	before, last := w.sibling(node), w.lastChild()
	for before >= 0 && w.is(before, "comment") {
		before = w.sibling(before)
	}
	if before < 0 || last < 0 || !w.is(before, "call") || w.file.Symbols[last].Name != name {
		return -1
	}
	arguments := w.firstOf(before, "arguments")
	if arguments < 0 || w.file.Symbols[last].End != int(w.nodes[before].End) {
		return -1
	}
	head := arguments + 1 // its names are hidden by now
	if w.is(head, "binary_operator") && w.elixirOperator(head) == "when" {
		head = w.child(head, "left")
	}
	before = head
	if w.is(head, "call") {
		before = w.firstOf(head, "arguments")
	}
	if w.count(before) != w.count(parameters) {
		return -1
	}
	return last
}

// count returns how many children a node has, 0 for -1.
func (w *walker) count(node int32) (n int) {
	for range w.children(node) {
		n++
	}
	return n
}

// elixirSignature returns the head of a definition.
func (w *walker) elixirSignature(node int32) string {
	end := w.nodes[node].End
	if body := w.firstOf(node, "do_block"); body >= 0 {
		end = w.nodes[body].Start
	} else {
		for c := range w.children(w.firstOf(node, "arguments")) {
			if w.is(c, "keywords") && strings.HasPrefix(w.textOf(c), "do:") {
				end = w.nodes[c].Start
			}
		}
	}
	return oneLine(w.src[w.nodes[node].Start:end])
}

// elixirDocs takes the attributes right above a definition as its
// documentation.
func (w *walker) elixirDocs(node int32, s *Symbol) {
	for c := w.sibling(node); c >= 0; c = w.sibling(c) {
		name, value := w.elixirNamed(c)
		switch name {
		case "doc":
			s.Doc = elixirDoc(w.textOf(value))
		case "spec", "impl", "deprecated", "since":
		default:
			return
		}
		s.DocStart = min(s.DocStart, int(w.nodes[c].Start))
	}
}

// elixirNamed returns the name of the attribute that is set at a node, and its
// value.
func (w *walker) elixirNamed(node int32) (name string, value int32) {
	operand := w.child(node, "operand")
	if !w.is(node, "unary_operator") || !w.is(operand, "call") || w.src[w.nodes[node].Start] != '@' {
		return "", -1
	}
	if arguments := w.firstOf(operand, "arguments"); arguments >= 0 && w.nodes[arguments].Next > arguments+1 {
		return w.textOf(w.child(operand, "target")), arguments + 1
	}
	return "", -1
}

func elixirDoc(literal string) string {
	if len(literal) > 2 && literal[0] == '~' {
		literal = literal[2:]
	}
	if literal == "" || literal[0] != '"' && literal[0] != '\'' {
		return "" // false
	}
	return docstringText(literal)
}

// elixirTest makes a function of a test, under its text.
func (w *walker) elixirTest(node, arguments int32, d elixirDefiner) {
	name := clip(unquote(w.textOf(arguments+1)), 100)
	if name == "" || strings.ContainsAny(name, "\r\n") {
		return
	}
	i := w.newSymbol(node, d.kind, w.symbol, &w.nodes[arguments+1], name, nil)
	w.file.Symbols[i].Signature = w.elixirSignature(node)
	w.elixirOpen(node, i)
	for c := range w.children(arguments) {
		if c > arguments+1 {
			w.elixirBind(c)
		}
	}
}

// elixirBind declares the variables in a pattern.
func (w *walker) elixirBind(pattern int32) {
	for j := pattern; j < w.nodes[pattern].Next; {
		n := &w.nodes[j]
		switch {
		case w.is(j, "identifier"):
			if w.boundIn(w.nameOf(n), int32(len(w.scopes)-1)) != 0 {
				w.noteAs(j, Write)
			} else if !strings.HasPrefix(w.textOf(j), "__") {
				w.noteLocal(j)
			}
			j = n.Next
		case w.is(j, "unary_operator"), w.is(j, "dot"), w.is(j, "do_block"),
			w.is(j, "struct"), w.is(j, "call") && j != pattern:
			j = n.Next // ^x is no binding, nor is anything else that is computed
		case w.is(j, "binary_operator"):
			switch w.elixirOperator(j) {
			case `\\`, "::", "when", "in":
				left, right := w.child(j, "left"), w.child(j, "right")
				w.elixirBind(left)
				if w.nodes[right].Next < w.nodes[pattern].Next {
					j = w.nodes[right].Next
					continue
				}
				return
			}
			j++
		default:
			j++
		}
	}
}

// elixirMatch binds what stands left of = and <-.
func elixirMatch(w *walker, node int32) {
	if left := w.child(node, "left"); left >= 0 && (w.is(node, "binary_operator:=") || w.is(node, "binary_operator:<-")) {
		w.elixirBind(left)
	}
}

// elixirClause binds what stands left of ->.
func elixirClause(w *walker, node int32) {
	if left := w.child(node, "left"); left >= 0 {
		w.elixirBind(left)
	}
}
