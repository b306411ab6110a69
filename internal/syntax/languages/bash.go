package languages

import (
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// Bash is the row of the language.
var Bash = &engine.Spec{
	Name:       engine.Bash,
	Title:      "Shell",
	Aliases:    "sh shell zsh",
	Extensions: "bash bats ebuild ksh sh zsh",
	Files:      ".bash_profile .bashrc .profile .zshrc PKGBUILD APKBUILD",
	Programs:   "ash bash dash ksh sh zsh",
	Rules:      &bashRules,
	Recovery:   bashRecovery,
	Names:      engine.Names{Apart: true},
	Bodies: engine.Bodies{
		MayBeEmpty: true,
	},
}

var bashRules = engine.Rules{
	Grammar: "bash",
	Names:   map[engine.Use]string{engine.AsRead: "variable_name"},
	Flow: map[engine.Use]string{
		engine.AsWrite: "variable_assignment.name postfix_expression unset_command",
		engine.HandOn:  "subscript.name",
		engine.AsBind:  "for_statement.variable",
	},
	Decls: []engine.Decl{
		{Node: "function_definition", Kind: engine.Function, Name: "name", Body: "body",
			Sort: engine.SortProperty, Opens: engine.FunctionScope}, // those in functions can be called from outside
		{Node: "variable_assignment"}, // see bashAssignment
	},
	Comments: "comment",
	Wrappers: "declaration_command",
	Skip: "number ansi_c_string regex extglob_pattern special_variable_name file_descriptor heredoc_start heredoc_end" +
		" test_operator string_content heredoc_content",
	Leaves: "raw_string",
	Hooks: map[string]func(*engine.Walker, int32){
		"command":             bashCommand,
		"declaration_command": bashDeclaration,
		"function_definition": bashFunction,
		"variable_assignment": bashAssignment,
		"binary_expression":   bashArithmetic,
		"unary_expression":    bashArithmetic,
		"postfix_expression":  bashArithmetic,
		"expansion":           bashExpansion,
		"subscript":           bashIndex,
		"test_command":        bashTest,
	},
	Finish: bashFinish,
	AtEnd:  bashEnd,
}

func bashFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(w.Wrapped(node), s)
	if p := w.Parent(node); w.Is(p, "declaration_command") && w.Wrapped(node) == node {
		w.SharedHead(p, node, s) // readonly a=1 b=2
	}
	s.Exported = true
}

// bashArithmetic notes what arithmetic assigns to, and the names in the head of
// for ((…;…;…)), which are mere words to the grammar.
func bashArithmetic(w *engine.Walker, node int32) {
	inFor := false
	for p := w.Parent(node); p >= 0 && !inFor; p = w.Parent(p) {
		if w.Is(p, "do_group", "arithmetic_expansion", "test_command") {
			break
		}
		inFor = w.Is(p, "c_style_for_statement")
	}
	for c := range w.Children(node) {
		text := w.TextOf(c)
		bare := w.Is(c, "variable_name")
		if !bare && (!inFor || !w.Is(c, "word") || !isBashName(text)) {
			continue
		}
		role := engine.Read
		switch {
		case !w.Is(node, "binary_expression"):
			if all := w.TextOf(node); strings.HasPrefix(all, "++") || strings.HasPrefix(all, "--") ||
				strings.HasSuffix(all, "++") || strings.HasSuffix(all, "--") {
				role = engine.Write
			}
		case w.In(c, "left") && bashAssigns(w.Text[w.Nodes[c].End:w.Nodes[node].End]):
			role = engine.Write
		}
		if bare && role == engine.Read {
			continue // the walk comes to it
		}
		n := &w.Nodes[c]
		w.Mention(n, w.NameOf(n), role, false)
		w.Hide(c)
	}
}

// bashAssigns says whether a text begins with an operator that assigns to what
// comes before it.
func bashAssigns(text string) bool {
	text = strings.TrimLeft(text, " \t")
	operator := text[:len(text)-len(strings.TrimLeft(text, "+-*/%&|^<>=!"))]
	switch operator {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--":
		return true
	}
	return false
}

// bashTest reads ((name++)), whose inside is a mere word to the grammar where
// the command goes on behind it.
func bashTest(w *engine.Walker, node int32) {
	if !strings.HasPrefix(w.TextOf(node), "((") {
		return
	}
	for c := range w.Children(node) {
		if !w.Is(c, "word") {
			continue
		}
		n := w.Nodes[c]
		role := engine.Read
		if text := w.TextOf(c); strings.HasPrefix(text, "++") || strings.HasPrefix(text, "--") {
			n.Start += 2
			role = engine.Write
		}
		n.End = wordEnd(w, n.Start, n.End)
		if !isBashName(w.Text[n.Start:n.End]) {
			continue
		}
		if bashAssigns(w.Text[n.End:w.Nodes[node].End]) {
			role = engine.Write
		}
		w.Mention(&n, w.NameOf(&n), role, false)
	}
}

// bashIndex reads a[i], which may be the element of that name too: i is a
// variable if the function has one.
func bashIndex(w *engine.Walker, node int32) {
	index := w.Child(node, "index")
	if !w.Is(index, "word") || !isBashName(w.TextOf(index)) {
		return
	}
	n := &w.Nodes[index]
	if id := w.NameOf(n); w.IsLocal(id) {
		w.Mention(n, id, engine.Read, false)
	}
}

// isBashName says whether a word can be the name of a variable.
func isBashName(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= 0x80 || !wordByte(c) || i == 0 && c >= '0' && c <= '9' {
			return false
		}
	}
	return text != ""
}

// bashExpansion notes that ${name:=value} assigns.
func bashExpansion(w *engine.Walker, node int32) {
	name := w.FirstOf(node, "variable_name")
	if name < 0 {
		return
	}
	n := &w.Nodes[name]
	if rest := w.Text[n.End:w.Nodes[node].End]; strings.HasPrefix(rest, ":=") || strings.HasPrefix(rest, "=") {
		w.Mention(n, w.NameOf(n), engine.Write, false)
		w.Hide(name)
	}
}

// bashFunction notes the name of a function, which is a mere word to the
// grammar.
func bashFunction(w *engine.Walker, node int32) {
	if name := w.Child(node, "name"); name >= 0 && w.Frames[len(w.Frames)-1].HasSymbol {
		n := &w.Nodes[name]
		w.Occur(n, w.NameOf(n), engine.Definition, w.Symbol, false)
	}
}

// bashIsLocal says whether a declaration keeps its names to the function around.
func bashIsLocal(w *engine.Walker, node int32) bool {
	if !w.Is(node, "declaration_command") || !w.InFunction() {
		return false
	}
	words := strings.Fields(text.Prefix(w.TextOf(node), 80))
	if len(words) == 0 || len(words) > 1 && strings.HasPrefix(words[1], "-") && strings.Contains(words[1], "g") {
		return false
	}
	return words[0] == "local" || words[0] == "declare" || words[0] == "typeset"
}

// bashDeclaration notes the names that local declares without a value.
func bashDeclaration(w *engine.Walker, node int32) {
	if !bashIsLocal(w, node) {
		return
	}
	for c := range w.Children(node) {
		if w.Is(c, "variable_name") {
			bashLocal(w, c)
		}
	}
}

// bashLocal declares a local variable, or assigns to one.
func bashLocal(w *engine.Walker, node int32) {
	n := &w.Nodes[node]
	id := w.NameOf(n)
	role := engine.Write
	if scope := w.FunctionScope(); w.BoundIn(id, scope) == 0 {
		w.Bind(id, scope, true)
		role = engine.Definition
	}
	w.Occur(n, id, role, w.Symbol, true)
	w.Hide(node)
}

// bashAssignment tells variables of the script from those of a function. A name
// that a function sets without declaring it is one of the script.
func bashAssignment(w *engine.Walker, node int32) {
	name := w.Child(node, "name")
	if !w.Is(name, "variable_name") {
		return
	}
	around := w.Parent(node)
	if bashIsLocal(w, around) || w.Is(around, "c_style_for_statement") && w.InFunction() {
		bashLocal(w, name)
		return
	}
	id := w.NameOf(&w.Nodes[name])
	if w.Is(around, "command") || w.Tops[id] != 0 || w.InFunction() && !engine.IsUpper(w.TextOf(name)) {
		return
	}
	w.Bind(id, 0, false)
	w.Mean(name, w.NewSymbol(node, engine.Variable, w.Symbol, &w.Nodes[name], w.TextOf(name), nil))
}

// bashCommand notes what a command calls, and what the commands do that read
// scripts, set variables or name functions.
func bashCommand(w *engine.Walker, node int32) {
	name := w.Child(node, "name")
	if name < 0 {
		return
	}
	if word := name + 1; w.Nodes[name].Next == word+1 && w.Is(word, "word") {
		w.MentionAs(word, -1, engine.Call)
	}
	var arguments []int32
	for c := range w.Children(node) {
		if w.In(c, "argument") && !strings.HasPrefix(w.TextOf(c), "-") {
			arguments = append(arguments, c)
		}
	}
	if len(arguments) == 0 {
		return
	}
	switch w.TextOf(name) {
	case "source", ".":
		w.AddImport(engine.Import{Path: bashPath(w.TextOf(arguments[0])), Line: w.Line(node)})
	case "read", "mapfile", "readarray":
		for _, c := range arguments {
			bashSet(w, c)
		}
	case "getopts":
		if len(arguments) > 1 {
			bashSet(w, arguments[1])
		}
	case "printf":
		for c := range w.Children(node) {
			if c < arguments[0] && w.TextOf(c) == "-v" {
				bashSet(w, arguments[0])
			}
		}
	case "exec": // exec {name}>file
		if c := arguments[0]; w.Is(c, "concatenation") && w.Nodes[c].Next == c+4 && w.TextOf(c) == "{"+w.TextOf(c+2)+"}" {
			bashSet(w, c+2)
		}
	case "trap":
		bashTrap(w, arguments[0])
	case "alias":
		for _, c := range arguments {
			bashAlias(w, node, c)
		}
	}
}

// bashTrap notes the first command of what a trap will run.
func bashTrap(w *engine.Walker, handler int32) {
	n := w.Nodes[handler]
	if w.Is(handler, "raw_string") && n.End-n.Start > 2 {
		n.Start++
		n.End--
	} else if !w.Is(handler, "word") {
		return
	}
	end := n.Start
	for end < n.End && strings.IndexByte(" \t\n;&|", w.Source[end]) < 0 {
		end++
	}
	if n.End = end; n.End > n.Start {
		w.Occur(&n, w.NameOf(&n), engine.Read, w.Symbol, false)
	}
}

// bashAlias makes a symbol of name=text.
func bashAlias(w *engine.Walker, node, argument int32) {
	alias, _, ok := strings.Cut(w.TextOf(argument), "=")
	if !ok || alias == "" || w.InFunction() {
		return
	}
	n := w.Nodes[argument]
	n.End = n.Start + uint32(len(alias))
	i := w.NewSymbol(node, engine.Function, w.Symbol, &n, alias, nil)
	w.Occur(&n, w.NameID(alias), engine.Definition, i, false)
}

// bashSet notes a variable that a command sets whose argument is its name.
// Inside a function that is rarely meant for others.
func bashSet(w *engine.Walker, node int32) {
	text := w.TextOf(node)
	if !w.Is(node, "word") || wordEnd(w, w.Nodes[node].Start, w.Nodes[node].End) != w.Nodes[node].End ||
		text[0] >= '0' && text[0] <= '9' {
		return
	}
	if w.InFunction() && !engine.IsUpper(text) {
		bashLocal(w, node)
		return
	}
	n := &w.Nodes[node]
	w.Mention(n, w.NameOf(n), engine.Write, false)
}

// bashPath returns the written part of the path of a script: what comes after
// the directory that is known only when it runs.
func bashPath(text string) string {
	for _, directory := range []string{")/", ")\"/", "}/", "}\"/"} {
		if at := strings.LastIndex(text, directory); at >= 0 {
			text = text[at+len(directory):]
		}
	}
	text = strings.Trim(text, `"'`)
	if strings.HasPrefix(text, "$") {
		if _, rest, ok := strings.Cut(text, "/"); ok {
			text = rest
		}
	}
	return strings.Trim(text, `"'`)
}

// bashEnd puts the occurrences in order and leaves out what is not a name: $1, $@,
// the commands : and [.
func bashEnd(w *engine.Walker) {
	kept := w.Mentions[:0]
	for _, o := range w.Mentions {
		name := w.Intern.Names[o.Name]
		if name == "" {
			continue
		}
		if c := name[0]; o.Role == engine.Definition || wordByte(c) && (c < '0' || c > '9') ||
			len(name) > 1 && (c == '.' || c == '/') {
			kept = append(kept, o)
		}
	}
	w.Mentions = kept
	engine.InOrder(w)
}
