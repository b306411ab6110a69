package languages

import "codeintel/internal/syntax/engine"

// JavaScript had no modules for long: a file that wants names of its own puts all it
// holds into a function that is called at once, or gives it to a loader. What such a
// function declares is what the file declares.

// ecmaLasting says whether a variable of a function is one of the file: the function
// stands for a module, or the variable is put on an object under its own name.
func ecmaLasting(w *engine.Walker, leaf, node int32) bool {
	function := w.Ancestor(node, "function_expression", "arrow_function", "generator_function", "function_declaration",
		"generator_function_declaration", "method_definition", "class_body")
	return function >= 0 && isModuleFunction(w, function) || ecmaExposed(w)[w.TextOf(leaf)] || isMade(w, w.Child(node, "value"))
}

// isMade says whether a value is what a function returns that is there, mostly
// another function.
func isMade(w *engine.Walker, value int32) bool {
	for w.Is(value, "parenthesized_expression") {
		value++
	}
	if !w.Is(value, "call_expression") {
		return false
	}
	callee := w.Child(value, "function")
	for w.Is(callee, "parenthesized_expression") {
		callee++
	}
	return w.Is(callee, ecmaFunctions...)
}

// isModuleFunction says whether a function is called where it is outside of all
// others, or is handed to one that is, or to the loader define.
func isModuleFunction(w *engine.Walker, function int32) bool {
	if !w.Is(function, ecmaFunctions...) {
		return false
	}
	called, handed := false, false
	for at, p := function, w.Parent(function); ; at, p = p, w.Parent(p) {
		switch {
		case p < 0 || w.Is(p, "program"):
			return called
		case w.Is(p, "parenthesized_expression", "unary_expression", "expression_statement", "sequence_expression"):
		case w.Is(p, "arguments"):
			handed = true
		case w.Is(p, "member_expression") && w.In(at, "object"): // (function () {}).call(this)
		case w.Is(p, "call_expression"):
			if handed && !isLoader(w, w.Child(p, "function")) {
				return false
			}
			called = true
		case w.Is(p, "variable_declarator", "lexical_declaration", "variable_declaration", "assignment_expression",
			"export_statement"):
			if handed {
				return false
			}
		default:
			return false
		}
	}
}

// isLoader says whether what is called is a function that is there, or define.
func isLoader(w *engine.Walker, callee int32) bool {
	for w.Is(callee, "parenthesized_expression") {
		callee++
	}
	return w.Is(callee, ecmaFunctions...) || w.TextOf(callee) == "define"
}

// ecmaExposed returns the names that a file gives to members of the same name, as in
// api.create = create.
func ecmaExposed(w *engine.Walker) map[string]bool {
	if w.Exposed != nil {
		return w.Exposed
	}
	w.Exposed = make(map[string]bool)
	for i := range int32(len(w.Nodes)) {
		if !w.Is(i, "assignment_expression") {
			continue
		}
		left, right := w.Child(i, "left"), w.Child(i, "right")
		if w.Is(right, "identifier") && w.Is(left, "member_expression") && w.TextOf(w.Child(left, "property")) == w.TextOf(right) {
			w.Exposed[w.TextOf(right)] = true
		}
	}
	return w.Exposed
}
