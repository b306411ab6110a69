package syntax

var bashRules = rules{
	grammar: "bash",
	names: map[string]use{
		"variable_name": asRead,
		"word":          asRead,
	},
	flow: map[string]use{
		"command_name":              asCall,
		"command.argument":          asNothing,
		"concatenation":             asNothing,
		"array":                     asNothing,
		"case_item":                 asNothing,
		"case_statement.value":      asNothing,
		"for_statement.value":       asNothing,
		"for_statement.variable":    asWrite,
		"variable_assignment.value": asNothing,
		"file_redirect":             asNothing,
		"herestring_redirect":       asNothing,
		"heredoc_redirect":          asNothing,
		"binary_expression":         asNothing,
		"unary_expression":          asNothing,
		"test_command":              asNothing,
		"declaration_command>word":  asNothing,
		"unset_command>word":        asNothing,
		"expansion>word":            asNothing,
		"parenthesized_expression":  asRead,
		"subscript.name":            handOn,
		"subscript.index":           asRead,
	},
	decls: []decl{
		{node: "function_definition", kind: Function, name: "name", body: "body"},
		{node: "variable_assignment", kind: Variable, name: "name", sort: lexical, once: true},
	},
	comments: "comment",
	skip:     "number ansi_c_string raw_string regex extglob_pattern special_variable_name file_descriptor heredoc_start heredoc_end test_operator string_content",
	hooks:    map[string]func(*walker, int32){"command": bashSource},
	finish:   func(w *walker, node int32, s *Symbol) { s.Exported = true },
}

// bashSource notes the scripts that a script reads in.
func bashSource(w *walker, node int32) {
	switch w.textOf(w.child(node, "name")) {
	case "source", ".":
		if arg := w.child(node, "argument"); arg >= 0 {
			w.addImport(Import{Path: unquote(w.textOf(arg)), Line: w.line(node)})
		}
	}
}
