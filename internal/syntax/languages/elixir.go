package languages

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/treesitter"
	"codeintel/internal/text"
)

// Elixir is the row of the language.
var Elixir = &engine.Spec{
	Name:       engine.Elixir,
	Aliases:    "ex",
	Extensions: "ex exs",
	Rules:      &elixirRules,
	Recovery:   elixirRecovery,
	Bodies: engine.Bodies{
		Unwritten:  lazyregexp.MustCompile(`(?i)^raise\s*\(?\s*(?:\w+\s*,\s*)?"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*"\s*\)?$`),
		Functions:  "call",
		IsFunction: elixirDefines,
		Name:       elixirName,
		Body:       elixirBody,
	},

	Comparing: engine.Comparing{Margins: true, Undeclared: true, Around: "defmodule A do\n%s\nend", LastIsValue: true, Calls: true},
	Testing: engine.Testing{Files: `_test\.exs$`, Called: true, Before: true,
		Passed: lazyregexp.MustCompile(`(?m)^(?:.*, )?[1-9]\d* tests?, 0 failures`)},
}

// Everything in Elixir is a call, def and defmodule too. The tables say what a
// call is; what is defined by which is in elixirDefiners and in the hooks.
var elixirRules = engine.Rules{
	Grammar: "elixir",
	Names:   map[engine.Use]string{engine.AsRead: "identifier"},
	Flow: map[engine.Use]string{
		engine.AsCall: "call:arguments.target call:do_block.target",
		// call.target: a.b
		engine.AsRead:                 "call.target",
		engine.HandOn | engine.Member: "dot.right",
	},
	Splits: []engine.Split{
		{Node: "call", By: []string{"arguments", "do_block"}},
		{Node: "binary_operator", By: []string{"=", "<-"}},
	},
	Scopes: map[engine.Scope]string{
		engine.BlockScope:    "else_block rescue_block catch_block after_block stab_clause",
		engine.FunctionScope: "anonymous_function",
	},
	Qualifiers: "dot.left",
	Plain:      "alias atom",
	Comments:   "comment",
	Skip:       "quoted_content escape_sequence sigil_name sigil_modifiers",
	Blank:      "_",
	Hooks: map[string]func(*engine.Walker, int32){
		"call":            elixirCall,
		"alias":           elixirAlias,
		"binary_operator": elixirMatch,
		"stab_clause":     elixirClause,
		"unary_operator":  elixirAttribute,
		"map_content":     elixirKeys,
	},
	AtEnd: func(w *engine.Walker) {
		engine.InOrder(w)
		engine.ImplsAreUses(w)
		w.DropWords("__MODULE__", "__CALLER__", "__ENV__", "__DIR__", "__STACKTRACE__")
	},
}

// An elixirDefiner says what a macro defines.
type elixirDefiner struct {
	kind    engine.Kind
	module  bool // it is named by an alias and holds definitions
	private bool
}

var elixirDefiners = map[string]elixirDefiner{
	"defmodule":   {kind: engine.Module, module: true},
	"defprotocol": {kind: engine.Interface, module: true},
	"defimpl":     {kind: engine.Impl, module: true},
	"def":         {kind: engine.Function},
	"defp":        {kind: engine.Function, private: true},
	"defmacro":    {kind: engine.Macro},
	"defmacrop":   {kind: engine.Macro, private: true},
	"defguard":    {kind: engine.Macro},
	"defguardp":   {kind: engine.Macro, private: true},
	"defdelegate": {kind: engine.Function},
	"test":        {kind: engine.Function, private: true},
	"property":    {kind: engine.Function, private: true},
}

// elixirForms are macros that are part of the language: not worth a call.
var elixirForms = strings.Fields("alias case cond defstruct defexception describe else fn for if import quote receive require" +
	" rescue super try unless unquote unquote_splicing use with")

func elixirCall(w *engine.Walker, node int32) {
	target, arguments := w.Child(node, "target"), w.FirstOf(node, "arguments")
	if !w.Is(target, "identifier") {
		return
	}
	name := w.TextOf(target)
	definer, defines := elixirDefiners[name]
	switch {
	case defines && arguments >= 0:
		switch first := arguments + 1; {
		case name == "test" || name == "property":
			if w.Is(first, "string") && w.FirstOf(node, "do_block") >= 0 {
				elixirTest(w, node, arguments, definer)
				w.Hide(target)
			}
		case definer.module:
			if w.Is(first, "alias") {
				elixirModule(w, node, first, definer)
				w.Hide(target)
			}
		default:
			elixirFunction(w, node, arguments, definer)
			w.Hide(target)
		}
		return
	case name == "defstruct" || name == "defexception":
		elixirFields(w, arguments)
	case name == "alias" || name == "import" || name == "require" || name == "use":
		elixirImport(w, arguments, name)
	case name == "for" || name == "with" || w.FirstOf(node, "do_block") >= 0:
		w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, OpensOne: true})
		w.OpenScope(engine.BlockScope)
	}
	if slices.Contains(elixirForms, name) {
		w.Hide(target)
	}
}

// lastSegment returns a node for the part of an alias behind its last dot.
func lastSegment(w *engine.Walker, alias int32) treesitter.Node {
	n := w.Nodes[alias]
	n.Start += uint32(strings.LastIndexByte(w.TextOf(alias), '.') + 1)
	n.Parent = -1
	return n
}

// elixirAlias notes the module that a path ends in.
func elixirAlias(w *engine.Walker, node int32) {
	n := lastSegment(w, node)
	if n.Start < n.End {
		w.Occur(&n, w.NameOf(&n), engine.TypeUse, w.Symbol, false)
	}
}

func elixirModule(w *engine.Walker, node, alias int32, d elixirDefiner) {
	n := lastSegment(w, alias)
	name := w.Text[n.Start:n.End]
	i := w.NewSymbol(node, d.kind, w.Symbol, &n, name, nil)
	s := &w.File.Symbols[i]
	s.Exported = true
	outer := strings.TrimSuffix(w.Text[w.Nodes[alias].Start:n.Start], ".")
	if d.kind == engine.Impl && outer != "" {
		s.Scope = "" // a protocol is named in full, wherever it is implemented
	}
	s.Scope = engine.JoinScope(s.Scope, outer)
	body := w.FirstOf(node, "do_block")
	if body >= 0 {
		s.Signature = engine.OneLine(w.Source[w.Nodes[node].Start:w.Nodes[body].Start])
		for c := range w.Children(body) {
			if name, value := elixirNamed(w, c); name == "moduledoc" {
				s.Doc = elixirDoc(w.TextOf(value))
				break
			}
		}
	}
	w.Occur(&n, w.NameOf(&n), engine.Definition, i, false)
	w.Nodes[alias].Kind = 0
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, OpensOne: true, HasSymbol: true})
	w.Symbol = i
	w.OpenScope(engine.ModuleScope)
}

// elixirHead returns what a def defines: the node of its name, which may be
// made up for an operator, and the arguments.
func elixirHead(w *engine.Walker, arguments int32) (name treesitter.Node, leaf, parameters int32) {
	head := arguments + 1
	if w.Is(head, "binary_operator") && elixirOperator(w, head) == "when" {
		head = w.Child(head, "left")
	}
	switch {
	case w.Is(head, "identifier"):
		return w.Nodes[head], head, -1
	case w.Is(head, "call") && w.Is(w.Child(head, "target"), "identifier"):
		leaf = w.Child(head, "target")
		return w.Nodes[leaf], leaf, w.FirstOf(head, "arguments")
	case w.Is(head, "binary_operator"):
		left, right := w.Child(head, "left"), w.Child(head, "right")
		if left < 0 || right < 0 {
			break
		}
		n := w.Nodes[head]
		n.Start, n.End = w.Nodes[left].End, w.Nodes[right].Start
		for n.Start < n.End && engine.IsSpace(w.Source[n.Start]) {
			n.Start++
		}
		for n.Start < n.End && engine.IsSpace(w.Source[n.End-1]) {
			n.End--
		}
		n.StartRow, n.Parent = w.RowOf(n.Start, n.StartRow), -1
		return n, -1, head
	}
	return treesitter.Node{}, -1, -1
}

// elixirOperator returns the operator between the sides of a node.
func elixirOperator(w *engine.Walker, node int32) string {
	left, right := w.Child(node, "left"), w.Child(node, "right")
	if left < 0 || right < 0 || w.Nodes[right].Start < w.Nodes[left].End {
		return ""
	}
	return strings.TrimSpace(w.Text[w.Nodes[left].End:w.Nodes[right].Start])
}

func elixirFunction(w *engine.Walker, node, arguments int32, d elixirDefiner) {
	name, leaf, parameters := elixirHead(w, arguments)
	if name.End <= name.Start {
		return
	}
	text := w.Text[name.Start:name.End]
	i := elixirClauseOf(w, node, text, parameters)
	if i < 0 {
		i = w.NewSymbol(node, d.kind, w.Symbol, &name, text, nil)
		s := &w.File.Symbols[i]
		s.Exported = !d.private
		s.Signature = elixirSignature(w, node)
		elixirDocs(w, node, s)
	} else {
		s := &w.File.Symbols[i]
		s.End, s.EndLine = int(w.Nodes[node].End), int(w.Nodes[node].EndRow)+1
	}
	w.Occur(&name, w.NameOf(&name), engine.Definition, i, false)
	if leaf >= 0 {
		w.Hide(leaf)
	}
	elixirOpen(w, node, i)
	if parameters >= 0 {
		elixirBind(w, parameters)
	}
}

func elixirOpen(w *engine.Walker, node, symbol int32) {
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, OpensOne: true, HasSymbol: true})
	w.Symbol = symbol
	w.OpenScope(engine.FunctionScope)
}

// elixirClauseOf returns the symbol of which a def is a further clause, or -1:
// the def before it has its name and as many arguments.
func elixirClauseOf(w *engine.Walker, node int32, name string, parameters int32) int32 {
	before, last := w.Sibling(node), w.LastChild()
	for before >= 0 && w.Is(before, "comment") {
		before = w.Sibling(before)
	}
	if before < 0 || last < 0 || !w.Is(before, "call") || w.File.Symbols[last].Name != name {
		return -1
	}
	arguments := w.FirstOf(before, "arguments")
	if arguments < 0 || w.File.Symbols[last].End != int(w.Nodes[before].End) {
		return -1
	}
	head := arguments + 1 // its names are hidden by now
	if w.Is(head, "binary_operator") && elixirOperator(w, head) == "when" {
		head = w.Child(head, "left")
	}
	before = head
	if w.Is(head, "call") {
		before = w.FirstOf(head, "arguments")
	}
	if count(w, before) != count(w, parameters) {
		return -1
	}
	return last
}

// count returns how many children a node has, 0 for -1.
func count(w *engine.Walker, node int32) (n int) {
	for range w.Children(node) {
		n++
	}
	return n
}

// elixirSignature returns the head of a definition.
func elixirSignature(w *engine.Walker, node int32) string {
	end := w.Nodes[node].End
	if body := w.FirstOf(node, "do_block"); body >= 0 {
		end = w.Nodes[body].Start
	} else {
		for c := range w.Children(w.FirstOf(node, "arguments")) {
			if w.Is(c, "keywords") && strings.HasPrefix(w.TextOf(c), "do:") {
				end = w.Nodes[c].Start
			}
		}
	}
	return engine.OneLine(w.Source[w.Nodes[node].Start:end])
}

// elixirDocs takes the attributes right above a definition as its
// documentation.
func elixirDocs(w *engine.Walker, node int32, s *engine.Symbol) {
	for c := w.Sibling(node); c >= 0; c = w.Sibling(c) {
		name, value := elixirNamed(w, c)
		switch name {
		case "doc":
			s.Doc = elixirDoc(w.TextOf(value))
		case "spec", "impl", "deprecated", "since":
		default:
			return
		}
		s.DocStart = min(s.DocStart, int(w.Nodes[c].Start))
	}
}

// elixirNamed returns the name of the attribute that is set at a node, and its
// value.
func elixirNamed(w *engine.Walker, node int32) (name string, value int32) {
	operand := w.Child(node, "operand")
	if !w.Is(node, "unary_operator") || !w.Is(operand, "call") || w.Source[w.Nodes[node].Start] != '@' {
		return "", -1
	}
	if arguments := w.FirstOf(operand, "arguments"); arguments >= 0 && w.Nodes[arguments].Next > arguments+1 {
		return w.TextOf(w.Child(operand, "target")), arguments + 1
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
	return engine.DocstringText(literal)
}

// elixirTest makes a function of a test, under its text.
func elixirTest(w *engine.Walker, node, arguments int32, d elixirDefiner) {
	name := text.Prefix(engine.Unquote(w.TextOf(arguments+1)), 100)
	if name == "" || strings.ContainsAny(name, "\r\n") {
		return
	}
	at := w.InQuotes(arguments + 1)
	i := w.NewSymbol(node, d.kind, w.Symbol, &at, name, nil)
	w.File.Symbols[i].Signature = elixirSignature(w, node)
	elixirOpen(w, node, i)
	for c := range w.Children(arguments) {
		if c > arguments+1 {
			elixirBind(w, c)
		}
	}
}

// elixirBind declares the variables in a pattern.
func elixirBind(w *engine.Walker, pattern int32) {
	for j := pattern; j < w.Nodes[pattern].Next; {
		n := &w.Nodes[j]
		switch {
		case w.Is(j, "identifier"):
			if w.BoundIn(w.NameOf(n), int32(len(w.Scopes)-1)) != 0 {
				w.NoteAs(j, engine.Write)
			} else if !strings.HasPrefix(w.TextOf(j), "__") {
				w.NoteLocal(j)
			}
			j = n.Next
		case w.Is(j, "unary_operator"), w.Is(j, "dot"), w.Is(j, "do_block"),
			w.Is(j, "struct"), w.Is(j, "call") && j != pattern:
			j = n.Next // ^x is not a binding, nor is anything else that is computed
		case w.Is(j, "binary_operator"):
			switch elixirOperator(w, j) {
			case `\\`, "::", "when", "in":
				left, right := w.Child(j, "left"), w.Child(j, "right")
				elixirBind(w, left)
				if w.Nodes[right].Next < w.Nodes[pattern].Next {
					j = w.Nodes[right].Next
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

// elixirMatch binds what is left of = and <-.
func elixirMatch(w *engine.Walker, node int32) {
	if left := w.Child(node, "left"); left >= 0 && w.Is(node, "binary_operator:=", "binary_operator:<-") {
		elixirBind(w, left)
	}
}

// elixirClause binds what is left of ->.
func elixirClause(w *engine.Walker, node int32) {
	if left := w.Child(node, "left"); left >= 0 {
		elixirBind(w, left)
	}
}

// elixirDefines says whether a call defines a function.
func elixirDefines(t *engine.Tree, call int32) bool {
	target := t.Field(call, "target")
	return target >= 0 && slices.Contains([]string{"def", "defp", "defmacro", "defmacrop"}, t.Text(target))
}

// elixirBody returns the block or the value of a definition.
func elixirBody(t *engine.Tree, function int32) int32 {
	if body := t.Child(function, "do_block"); body >= 0 {
		return body
	}
	keywords := int32(-1)
	if arguments := t.Child(function, "arguments"); arguments >= 0 {
		keywords = t.Child(arguments, "keywords")
	}
	if keywords >= 0 {
		if pair := t.Child(keywords, "pair"); pair >= 0 && strings.HasPrefix(t.Text(pair), "do:") {
			return t.Field(pair, "value")
		}
	}
	return -1
}

// elixirName returns the name behind def.
func elixirName(t *engine.Tree, function int32) string {
	head, _, _ := strings.Cut(t.Text(function), "\n")
	words := strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(" (,", r) })
	if len(words) < 2 {
		return "a function"
	}
	return words[1]
}
