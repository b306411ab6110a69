package languages

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
)

// Lua is the row of the language.
var Lua = &engine.Spec{
	Name:       engine.Lua,
	Extensions: "lua luau rockspec",
	Files:      ".luacheckrc .luacov",
	Programs:   "lua luajit",
	Rules:      &luaRules,
	Recovery:   luaRecovery,
	Names: engine.Names{
		Accessors: ":",
		Apart:     true,
		Table:     true,
	},
	Bodies: engine.Bodies{
		Bodiless:  "function_declaration",
		Unwritten: lazyregexp.MustCompile(`(?i)^error\s*\(?\s*["'][^"']*(?:not (?:yet )?implemented|unimplemented|todo)[^"']*["'].*$`),
	},
}

var luaRules = engine.Rules{
	Grammar: "lua",
	Names:   map[engine.Use]string{engine.AsRead: "identifier"},
	Flow: map[engine.Use]string{
		engine.AsCall:                  "function_call.name",
		engine.AsRead:                  "function_call>bracket_index_expression",
		engine.HandOn | engine.Member:  "dot_index_expression.field method_index_expression.method",
		engine.HandOn | engine.Part:    "bracket_index_expression.table",
		engine.AsWrite:                 "assignment_statement>variable_list",
		engine.HandOn:                  "variable_list",
		engine.AsNothing:               "variable_list.attribute attribute goto_statement label_statement",
		engine.AsBind:                  "for_generic_clause>variable_list for_numeric_clause.name parameters.name",
		engine.AsWrite | engine.Member: "field.name",
	},
	Decls: []engine.Decl{
		{Node: "function_declaration", Kind: engine.Function, Name: "name", Body: "body",
			Opens: engine.FunctionScope}, // see luaFunction
		{Node: "variable_declaration", Kind: engine.Variable, First: "variable_list", Sort: engine.SortVariable,
			After: true, Once: true},
		{Node: "assignment_statement"}, // see luaGlobal
		{Node: "field"},                // see luaField
	},
	Scopes: map[engine.Scope]string{
		engine.FunctionScope: "function_definition",
		engine.BlockScope:    "block for_statement repeat_statement",
	},
	Open:       "function_declaration function_definition for_statement repeat_statement",
	Qualifiers: "dot_index_expression.table method_index_expression.table",
	Comments:   "comment",
	Skip:       "number true false nil vararg_expression escape_sequence string_content comment_content hash_bang_line",
	Blank:      "_",
	Hooks: map[string]func(*engine.Walker, int32){
		"function_declaration": luaFunction,
		"assignment_statement": luaGlobal,
		"field":                luaField,
		"function_call":        luaRequire,
	},
	Finish: luaFinish,
	AtEnd:  engine.InOrder,
}

// luaFinish says what is exported: what is not local, and what is in a table.
func luaFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	if strings.HasPrefix(w.TextOf(node), "local") {
		if s.Kind == engine.Variable && s.Name == strings.ToUpper(s.Name) {
			s.Kind = engine.Constant
		}
		if w.Is(node, "variable_declaration") {
			s.Signature = luaHead(s.Signature)
		}
		return
	}
	s.Exported = !withinFunctionBut(w, node)
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
func luaFunction(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	path := w.Child(node, "name")
	if f == nil || path < 0 {
		return
	}
	if f.HasSymbol {
		if len(w.Scopes) == 2 {
			w.Bind(w.NameOf(&w.Nodes[path]), 0, false)
		}
		return
	}
	luaMember(w, node, path, engine.Function, f)
	if w.Is(path, "method_index_expression") {
		w.Bind(w.NameID("self"), int32(len(w.Scopes)-1), true)
	}
}

// luaMember makes a symbol of a member of a table. path is a.b or a:b.
func luaMember(w *engine.Walker, node, path int32, kind engine.Kind, f *engine.Frame) {
	leaf, table := w.Child(path, "field"), w.Child(path, "table")
	if w.Is(path, "method_index_expression") {
		leaf, kind = w.Child(path, "method"), engine.Method
	}
	if leaf < 0 || table < 0 || !w.Is(leaf, "identifier") {
		return
	}
	i := w.NewSymbol(node, kind, w.Symbol, &w.Nodes[leaf], w.TextOf(leaf), f.Decl)
	s := &w.File.Symbols[i]
	s.Scope = engine.JoinScope(s.Scope, w.TextOf(table))
	w.Mean(leaf, i)
	w.Symbol, f.HasSymbol = i, true
}

// luaGlobal makes symbols of what is assigned outside of functions: a global
// variable, the first time, and members of tables.
func luaGlobal(w *engine.Walker, node int32) {
	f := w.Declaration(node)
	list := w.FirstOf(node, "variable_list")
	if f == nil || list < 0 {
		return
	}
	name := w.Child(list, "name")
	value := w.Child(w.FirstOf(node, "expression_list"), "value")
	function := w.Is(value, "function_definition")
	switch declaration := w.Parent(node); {
	case w.Is(declaration, "variable_declaration"):
		if !function || !w.Is(name, "identifier") {
			return
		}
		i := w.Symbol
		if w.InFunction() {
			i = w.NewSymbol(declaration, engine.Function, w.Symbol, &w.Nodes[name], w.TextOf(name), nil)
		}
		if i < 0 || w.File.Symbols[i].NameLine != w.Line(name) {
			return // declared before
		}
		w.File.Symbols[i].Kind = engine.Function
		w.Symbol, f.HasSymbol = i, true
	case w.Is(name, "dot_index_expression") && (function || !w.InFunction()):
		id, scope := w.NameID(w.TextOf(name)), int32(0)
		if !function && w.BoundIn(id, scope) != 0 {
			return
		}
		kind := engine.Field
		if function {
			kind = engine.Function
		}
		w.Bind(id, scope, false)
		luaMember(w, node, name, kind, f)
	case w.Is(name, "identifier") && w.InFunction():
		if function { // of a local that is declared before, or a global
			i := w.NewSymbol(node, engine.Function, w.Symbol, &w.Nodes[name], w.TextOf(name), nil)
			w.Symbol, f.HasSymbol = i, true
		}
	case w.Is(name, "identifier"):
		id, scope := w.NameOf(&w.Nodes[name]), int32(len(w.Scopes)-1)
		if w.BoundIn(id, scope) != 0 && !function {
			return
		}
		kind := engine.Variable
		if function {
			kind = engine.Function
		}
		w.Bind(id, scope, false)
		i := w.NewSymbol(node, kind, w.Symbol, &w.Nodes[name], w.TextOf(name), nil)
		w.Mean(name, i)
		w.Symbol, f.HasSymbol = i, true
	}
	if f.HasSymbol {
		s := &w.File.Symbols[w.Symbol]
		s.Signature = luaHead(s.Signature)
		if function {
			s.Signature = luaFunctionHead(w, s.Start, value)
		}
	}
}

// luaFunctionHead returns what comes before the body of a function that is a value.
func luaFunctionHead(w *engine.Walker, start int, function int32) string {
	end := w.Nodes[function].Start
	if parameters := w.Child(function, "parameters"); parameters >= 0 {
		end = w.Nodes[parameters].End
	}
	return engine.OneLine(w.Source[start:max(start, int(end))])
}

// luaField makes a symbol of a field of a table that is the whole value of
// something declared outside of functions, and of each function in a table.
func luaField(w *engine.Walker, node int32) {
	f, name, value := w.Declaration(node), w.Child(node, "name"), w.Child(node, "value")
	function := w.Is(value, "function_definition")
	if f == nil || value < 0 || !w.Is(name, "identifier") && (!function || !w.Is(name, "string")) {
		return
	}
	list := w.Parent(w.Parent(node))
	if !function && (w.InFunction() || !w.Is(list, "expression_list") ||
		w.Is(w.Parent(list), "return_statement") && w.Symbol >= 0) {
		return
	}
	kind := engine.Field
	if function {
		kind = engine.Function
	}
	at, text := w.InQuotes(name), engine.Unquote(w.TextOf(name))
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return
	}
	i := w.NewSymbol(node, kind, w.Symbol, &at, text, nil)
	s := &w.File.Symbols[i]
	if function {
		s.Signature = luaFunctionHead(w, s.Start, value)
	} else {
		s.Signature = luaHead(s.Signature)
	}
	s.Exported = !w.WithinFunction()
	if w.Is(name, "identifier") {
		w.Mean(name, i)
	}
	w.Symbol, f.HasSymbol = i, true
}

// luaRequire notes the module in require("a.b").
func luaRequire(w *engine.Walker, node int32) {
	if w.TextOf(w.Child(node, "name")) != "require" {
		return
	}
	arguments := w.Child(node, "arguments")
	path := w.FirstOf(arguments, "string")
	if w.Is(arguments, "string") {
		path = arguments
	}
	if path < 0 {
		return
	}
	i := engine.Import{Path: strings.Trim(w.TextOf(path), "\"'[]="), Line: w.Line(node)}
	if list := w.Ancestor(node, "assignment_statement"); list >= 0 && w.Is(w.Parent(node), "expression_list") &&
		w.Parent(w.Parent(node)) == list {
		i.Alias = w.TextOf(w.Child(w.FirstOf(list, "variable_list"), "name"))
	}
	w.AddImport(i)
}
