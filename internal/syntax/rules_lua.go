package syntax

import "strings"

// specLua is the row of the language.
var specLua = &spec{name: Lua, rules: &luaRules}

var luaRules = rules{
	grammar: "lua",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"function_call.name":                     asCall,
		"function_call>bracket_index_expression": asRead,
		"dot_index_expression.field":             handOn | member,
		"method_index_expression.method":         handOn | member,
		"bracket_index_expression.table":         handOn | part,
		"assignment_statement>variable_list":     asWrite,
		"variable_list":                          handOn,
		"variable_list.attribute":                asNothing,
		"attribute":                              asNothing,
		"for_generic_clause>variable_list":       asBind,
		"for_numeric_clause.name":                asBind,
		"parameters.name":                        asBind,
		"field.name":                             asWrite | member, // see luaField
		"goto_statement":                         asNothing,
		"label_statement":                        asNothing,
	},
	decls: []decl{
		{node: "function_declaration", kind: Function, name: "name", body: "body", opens: functionScope}, // see luaFunction
		{node: "variable_declaration", kind: Variable, first: "variable_list", sort: variable, after: true, once: true},
		{node: "assignment_statement"}, // see luaGlobal
		{node: "field"},                // see luaField
	},
	scopes: map[string]scope{
		"function_definition": functionScope,
		"block":               blockScope,
		"for_statement":       blockScope,
		"repeat_statement":    blockScope,
	},
	open:       "function_declaration function_definition for_statement repeat_statement",
	qualifiers: "dot_index_expression.table method_index_expression.table",
	comments:   "comment",
	skip:       "number true false nil vararg_expression escape_sequence string_content comment_content hash_bang_line",
	blank:      "_",
	hooks: map[string]func(*walker, int32){
		"function_declaration": luaFunction,
		"assignment_statement": luaGlobal,
		"field":                luaField,
		"function_call":        luaRequire,
	},
	finish: luaFinish,
	atEnd:  inOrder,
}

// luaFinish says what is exported: what is not local, and what lies in a table.
func luaFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	if strings.HasPrefix(w.textOf(node), "local") {
		if s.Kind == Variable && s.Name == strings.ToUpper(s.Name) {
			s.Kind = Constant
		}
		if w.is(node, "variable_declaration") {
			s.Signature = luaHead(s.Signature)
		}
		return
	}
	s.Exported = !w.withinFunctionBut(node)
}

// luaHead leaves out what a table or a function holds.
func luaHead(signature string) string {
	for _, opening := range []string{"{", "function("} {
		if at := strings.Index(signature, opening); at > 0 {
			return strings.TrimRight(signature[:at], " =(,")
		}
	}
	return signature
}

// luaFunction makes a symbol of function a.b() and function a:b(), which
// belong to the table.
func luaFunction(w *walker, node int32) {
	f := w.declaration(node)
	path := w.child(node, "name")
	if f == nil || path < 0 {
		return
	}
	if f.hasSymbol {
		if len(w.scopes) == 2 {
			w.bind(w.nameOf(&w.nodes[path]), 0, false)
		}
		return
	}
	w.luaMember(node, path, Function, f)
	if w.is(path, "method_index_expression") {
		w.bind(w.nameID("self"), int32(len(w.scopes)-1), true)
	}
}

// luaMember makes a symbol of a member of a table. path is a.b or a:b.
func (w *walker) luaMember(node, path int32, kind Kind, f *frame) {
	leaf, table := w.child(path, "field"), w.child(path, "table")
	if w.is(path, "method_index_expression") {
		leaf, kind = w.child(path, "method"), Method
	}
	if leaf < 0 || table < 0 || !w.is(leaf, "identifier") {
		return
	}
	i := w.newSymbol(node, kind, w.symbol, &w.nodes[leaf], w.textOf(leaf), f.decl)
	s := &w.file.Symbols[i]
	s.Scope = joinScope(s.Scope, w.textOf(table))
	w.mean(leaf, i)
	w.symbol, f.hasSymbol = i, true
}

// luaGlobal makes symbols of what is assigned outside of functions: a global
// variable, the first time, and members of tables.
func luaGlobal(w *walker, node int32) {
	f := w.declaration(node)
	list := w.firstOf(node, "variable_list")
	if f == nil || list < 0 || w.is(w.parent(node), "variable_declaration") {
		return
	}
	name := w.child(list, "name")
	value := w.child(w.firstOf(node, "expression_list"), "value")
	function := w.is(value, "function_definition")
	switch {
	case w.is(name, "dot_index_expression") && (function || !w.inFunction()):
		id, scope := w.nameID(w.textOf(name)), int32(0)
		if !function && w.boundIn(id, scope) != 0 {
			return
		}
		kind := Field
		if function {
			kind = Function
		}
		w.bind(id, scope, false)
		w.luaMember(node, name, kind, f)
	case w.is(name, "identifier") && !w.inFunction():
		id, scope := w.nameOf(&w.nodes[name]), int32(len(w.scopes)-1)
		if w.boundIn(id, scope) != 0 {
			return
		}
		kind := Variable
		if function {
			kind = Function
		}
		w.bind(id, scope, false)
		i := w.newSymbol(node, kind, w.symbol, &w.nodes[name], w.textOf(name), nil)
		w.mean(name, i)
		w.symbol, f.hasSymbol = i, true
	}
	if f.hasSymbol {
		s := &w.file.Symbols[w.symbol]
		s.Signature = luaHead(s.Signature)
		if function {
			if body := w.child(value, "body"); body >= 0 {
				s.Signature = oneLine(w.src[w.nodes[node].Start:w.nodes[body].Start])
			}
		}
	}
}

// luaField makes a symbol of a field of a table that is the whole value of
// something declared outside of functions, and of each function in a table.
func luaField(w *walker, node int32) {
	f, name, value := w.declaration(node), w.child(node, "name"), w.child(node, "value")
	if f == nil || !w.is(name, "identifier") || value < 0 {
		return
	}
	function := w.is(value, "function_definition")
	list := w.parent(w.parent(node))
	if !function && (w.inFunction() || !w.is(list, "expression_list") || w.is(w.parent(list), "return_statement") && w.symbol >= 0) {
		return
	}
	kind := Field
	if function {
		kind = Function
	}
	i := w.newSymbol(node, kind, w.symbol, &w.nodes[name], w.textOf(name), nil)
	s := &w.file.Symbols[i]
	if function {
		if body := w.child(value, "body"); body >= 0 {
			s.Signature = oneLine(w.src[w.nodes[node].Start:w.nodes[body].Start])
		}
	} else {
		s.Signature = luaHead(s.Signature)
	}
	s.Exported = !w.withinFunction()
	w.mean(name, i)
	w.symbol, f.hasSymbol = i, true
}

// luaRequire notes the module in require("a.b").
func luaRequire(w *walker, node int32) {
	if w.textOf(w.child(node, "name")) != "require" {
		return
	}
	arguments := w.child(node, "arguments")
	path := w.firstOf(arguments, "string")
	if w.is(arguments, "string") {
		path = arguments
	}
	if path < 0 {
		return
	}
	i := Import{Path: strings.Trim(w.textOf(path), "\"'[]="), Line: w.line(node)}
	if list := w.ancestor(node, "assignment_statement"); list >= 0 && w.is(w.parent(node), "expression_list") && w.parent(w.parent(node)) == list {
		i.Alias = w.textOf(w.child(w.firstOf(list, "variable_list"), "name"))
	}
	w.addImport(i)
}
