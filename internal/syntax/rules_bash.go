package syntax

import "strings"

// specBash is the row of the language.
var specBash = &spec{name: Bash, rules: &bashRules}

var bashRules = rules{
	grammar: "bash",
	names:   map[string]use{"variable_name": asRead},
	flow: map[string]use{
		"variable_assignment.name": asWrite,
		"subscript.name":           handOn,
		"for_statement.variable":   asBind,
		"postfix_expression":       asWrite,
		"unset_command":            asWrite,
	},
	decls: []decl{
		{node: "function_definition", kind: Function, name: "name", body: "body", opens: functionScope},
		{node: "variable_assignment"}, // see bashAssignment
	},
	comments: "comment",
	wrappers: "declaration_command",
	skip: "number ansi_c_string regex extglob_pattern special_variable_name file_descriptor heredoc_start heredoc_end" +
		" test_operator string_content heredoc_content",
	leaves: "raw_string",
	hooks: map[string]func(*walker, int32){
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
	finish: bashFinish,
	atEnd:  bashEnd,
}

func bashFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(w.wrapped(node), s)
	if p := w.parent(node); w.is(p, "declaration_command") && w.wrapped(node) == node {
		w.sharedHead(p, node, s) // readonly a=1 b=2
	}
	s.Exported = true
}

// bashArithmetic notes what arithmetic assigns to, and the names in the head of
// for ((…;…;…)), which are mere words to the grammar.
func bashArithmetic(w *walker, node int32) {
	inFor := false
	for p := w.parent(node); p >= 0 && !inFor; p = w.parent(p) {
		if w.is(p, "do_group") || w.is(p, "arithmetic_expansion") || w.is(p, "test_command") {
			break
		}
		inFor = w.is(p, "c_style_for_statement")
	}
	for c := range w.children(node) {
		text := w.textOf(c)
		bare := w.is(c, "variable_name")
		if !bare && (!inFor || !w.is(c, "word") || !isBashName(text)) {
			continue
		}
		role := Read
		switch {
		case !w.is(node, "binary_expression"):
			if all := w.textOf(node); strings.HasPrefix(all, "++") || strings.HasPrefix(all, "--") ||
				strings.HasSuffix(all, "++") || strings.HasSuffix(all, "--") {
				role = Write
			}
		case w.in(c, "left") && bashAssigns(w.text[w.nodes[c].End:w.nodes[node].End]):
			role = Write
		}
		if bare && role == Read {
			continue // the walk comes to it
		}
		n := &w.nodes[c]
		w.mention(c, n, w.nameOf(n), role, false)
		w.hide(c)
	}
}

// bashAssigns says whether a text begins with an operator that assigns to what
// stands before it.
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
func bashTest(w *walker, node int32) {
	if !strings.HasPrefix(w.textOf(node), "((") {
		return
	}
	for c := range w.children(node) {
		if !w.is(c, "word") {
			continue
		}
		n := w.nodes[c]
		role := Read
		if text := w.textOf(c); strings.HasPrefix(text, "++") || strings.HasPrefix(text, "--") {
			n.Start += 2
			role = Write
		}
		n.End = w.wordEnd(n.Start, n.End)
		if !isBashName(w.text[n.Start:n.End]) {
			continue
		}
		if bashAssigns(w.text[n.End:w.nodes[node].End]) {
			role = Write
		}
		w.mention(c, &n, w.nameOf(&n), role, false)
	}
}

// bashIndex reads a[i], which may be the element of that name too: i is a
// variable if the function has one.
func bashIndex(w *walker, node int32) {
	index := w.child(node, "index")
	if !w.is(index, "word") || !isBashName(w.textOf(index)) {
		return
	}
	n := &w.nodes[index]
	if id := w.nameOf(n); w.isLocal(id) {
		w.mention(index, n, id, Read, false)
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
func bashExpansion(w *walker, node int32) {
	name := w.firstOf(node, "variable_name")
	if name < 0 {
		return
	}
	n := &w.nodes[name]
	if rest := w.text[n.End:w.nodes[node].End]; strings.HasPrefix(rest, ":=") || strings.HasPrefix(rest, "=") {
		w.mention(name, n, w.nameOf(n), Write, false)
		w.hide(name)
	}
}

// bashFunction notes the name of a function, which is a mere word to the
// grammar.
func bashFunction(w *walker, node int32) {
	if name := w.child(node, "name"); name >= 0 && w.frames[len(w.frames)-1].hasSymbol {
		n := &w.nodes[name]
		w.occur(name, n, w.nameOf(n), Definition, w.symbol, false)
	}
}

// bashIsLocal says whether a declaration keeps its names to the function around.
func (w *walker) bashIsLocal(node int32) bool {
	if !w.is(node, "declaration_command") || !w.inFunction() {
		return false
	}
	words := strings.Fields(clip(w.textOf(node), 80))
	if len(words) == 0 || len(words) > 1 && strings.HasPrefix(words[1], "-") && strings.Contains(words[1], "g") {
		return false
	}
	return words[0] == "local" || words[0] == "declare" || words[0] == "typeset"
}

// bashDeclaration notes the names that local declares without a value.
func bashDeclaration(w *walker, node int32) {
	if !w.bashIsLocal(node) {
		return
	}
	for c := range w.children(node) {
		if w.is(c, "variable_name") {
			w.bashLocal(c)
		}
	}
}

// bashLocal declares a local variable, or assigns to one.
func (w *walker) bashLocal(node int32) {
	n := &w.nodes[node]
	id := w.nameOf(n)
	role := Write
	if scope := w.functionScope(); w.boundIn(id, scope) == 0 {
		w.bind(id, scope, true)
		role = Definition
	}
	w.occur(node, n, id, role, w.symbol, true)
	w.hide(node)
}

// bashAssignment tells variables of the script from those of a function. A name
// that a function sets without declaring it is one of the script.
func bashAssignment(w *walker, node int32) {
	name := w.child(node, "name")
	if !w.is(name, "variable_name") {
		return
	}
	around := w.parent(node)
	if w.bashIsLocal(around) || w.is(around, "c_style_for_statement") && w.inFunction() {
		w.bashLocal(name)
		return
	}
	id := w.nameOf(&w.nodes[name])
	if w.is(around, "command") || w.tops[id] != 0 || w.inFunction() && !isUpper(w.textOf(name)) {
		return
	}
	w.bind(id, 0, false)
	w.mean(name, w.newSymbol(node, Variable, w.symbol, &w.nodes[name], w.textOf(name), nil))
}

// bashCommand notes what a command calls, and what the commands do that read
// scripts, set variables or name functions.
func bashCommand(w *walker, node int32) {
	name := w.child(node, "name")
	if name < 0 {
		return
	}
	if word := name + 1; w.nodes[name].Next == word+1 && w.is(word, "word") {
		w.mentionAs(word, -1, Call)
	}
	var arguments []int32
	for c := range w.children(node) {
		if w.in(c, "argument") && !strings.HasPrefix(w.textOf(c), "-") {
			arguments = append(arguments, c)
		}
	}
	if len(arguments) == 0 {
		return
	}
	switch w.textOf(name) {
	case "source", ".":
		w.addImport(Import{Path: bashPath(w.textOf(arguments[0])), Line: w.line(node)})
	case "read", "mapfile", "readarray":
		for _, c := range arguments {
			w.bashSet(c)
		}
	case "getopts":
		if len(arguments) > 1 {
			w.bashSet(arguments[1])
		}
	case "printf":
		for c := range w.children(node) {
			if c < arguments[0] && w.textOf(c) == "-v" {
				w.bashSet(arguments[0])
			}
		}
	case "exec": // exec {name}>file
		if c := arguments[0]; w.is(c, "concatenation") && w.nodes[c].Next == c+4 && w.textOf(c) == "{"+w.textOf(c+2)+"}" {
			w.bashSet(c + 2)
		}
	case "trap":
		w.bashTrap(arguments[0])
	case "alias":
		for _, c := range arguments {
			w.bashAlias(node, c)
		}
	}
}

// bashTrap notes the first command of what a trap will run.
func (w *walker) bashTrap(handler int32) {
	n := w.nodes[handler]
	if w.is(handler, "raw_string") && n.End-n.Start > 2 {
		n.Start++
		n.End--
	} else if !w.is(handler, "word") {
		return
	}
	end := n.Start
	for end < n.End && strings.IndexByte(" \t\n;&|", w.src[end]) < 0 {
		end++
	}
	if n.End = end; n.End > n.Start {
		w.occur(handler, &n, w.nameOf(&n), Read, w.symbol, false)
	}
}

// bashAlias makes a symbol of name=text.
func (w *walker) bashAlias(node, argument int32) {
	alias, _, ok := strings.Cut(w.textOf(argument), "=")
	if !ok || alias == "" || w.inFunction() {
		return
	}
	n := w.nodes[argument]
	n.End = n.Start + uint32(len(alias))
	i := w.newSymbol(node, Function, w.symbol, &n, alias, nil)
	w.occur(node, &n, w.nameID(alias), Definition, i, false)
}

// bashSet notes a variable that a command sets whose argument is its name.
// Inside a function that is rarely meant for others.
func (w *walker) bashSet(node int32) {
	text := w.textOf(node)
	if !w.is(node, "word") || w.wordEnd(w.nodes[node].Start, w.nodes[node].End) != w.nodes[node].End || text[0] >= '0' && text[0] <= '9' {
		return
	}
	if w.inFunction() && !isUpper(text) {
		w.bashLocal(node)
		return
	}
	n := &w.nodes[node]
	w.mention(node, n, w.nameOf(n), Write, false)
}

// bashPath returns the written part of the path of a script: what stands behind
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

// bashEnd puts the occurrences in order and leaves out what is no name: $1, $@,
// the commands : and [.
func bashEnd(w *walker) {
	kept := w.occs[:0]
	for _, o := range w.occs {
		name := w.intern.names[o.name]
		if name == "" {
			continue
		}
		if c := name[0]; o.role == Definition || wordByte(c) && (c < '0' || c > '9') || len(name) > 1 && (c == '.' || c == '/') {
			kept = append(kept, o)
		}
	}
	w.occs = kept
	inOrder(w)
}
