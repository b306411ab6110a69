package syntax

import "strings"

var rubyRules = rules{
	grammar: "ruby",
	names: map[string]use{
		"identifier":        asRead,
		"constant":          asType,
		"instance_variable": asRead | member,
		"class_variable":    asRead | member,
		"global_variable":   asRead | member,
	},
	flow: map[string]use{
		"call.method":                  asCall,
		"scope_resolution.name":        handOn | member,
		"superclass":                   asType,
		"setter.name":                  handOn,
		"left_assignment_list":         handOn,
		"destructured_left_assignment": handOn,
		"rest_assignment":              handOn,
		"operator_assignment.left":     asWrite,
		"method_parameters":            asBind,
		"block_parameters":             asBind,
		"lambda_parameters":            asBind,
		"destructured_parameter":       asBind,
		"optional_parameter.name":      asBind,
		"keyword_parameter.name":       asBind,
		"splat_parameter.name":         asBind,
		"hash_splat_parameter.name":    asBind,
		"block_parameter.name":         asBind,
		"exception_variable":           asBind,
		"exceptions":                   asType,
		"for.pattern":                  asBind,
		"alias.name":                   asNothing,
		"element_reference":            asRead,
	},
	through: "parenthesized_statements",
	decls: []decl{
		{node: "class", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "module", kind: Module, name: "name", body: "body", opens: classScope},
		{node: "method", kind: Function, member: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "singleton_method", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "assignment", kind: Variable, name: "left", sort: variable, after: true, once: true},
	},
	scopes: map[string]scope{
		"block":           blockScope,
		"do_block":        blockScope,
		"lambda":          functionScope,
		"singleton_class": classScope,
	},
	qualifiers: "call.receiver scope_resolution.scope",
	plain:      "self",
	comments:   "comment",
	skip:       "integer float true false nil character escape_sequence",
	leaves:     "simple_symbol",
	blank:      "_",
	hooks:      map[string]func(*walker, int32){"call": rubyCall},
	finish: func(w *walker, node int32, s *Symbol) {
		if w.is(node, "method") && s.Name == "initialize" && s.Kind == Method {
			s.Kind = Constructor
		}
		if w.is(node, "assignment") && s.Name != "" && s.Name[0] >= 'A' && s.Name[0] <= 'Z' {
			s.Kind = Constant
		}
		s.Exported = !w.inFunction() && !strings.HasPrefix(s.Name, "_")
	},
}

// rubyCall notes require, and makes symbols of the readers and writers that
// attr_accessor and its like declare.
func rubyCall(w *walker, node int32) {
	if w.child(node, "receiver") >= 0 {
		return
	}
	arguments := w.child(node, "arguments")
	if arguments < 0 {
		return
	}
	switch w.textOf(w.child(node, "method")) {
	case "require", "require_relative", "load", "autoload":
		if s := w.firstOf(arguments, "string"); s >= 0 {
			w.addImport(Import{Path: unquote(w.textOf(s)), Line: w.line(node)})
		}
	case "attr_accessor", "attr_reader", "attr_writer":
		if !w.inClass() {
			return
		}
		for c := range w.children(arguments) {
			if w.is(c, "simple_symbol") {
				w.newSymbol(node, Property, w.symbol, &w.nodes[c], strings.TrimPrefix(w.textOf(c), ":"), nil)
			}
		}
	}
}
