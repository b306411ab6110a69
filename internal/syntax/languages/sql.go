package languages

import (
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/markup"
)

// SQL is the row of the language.
var SQL = &engine.Spec{
	Name:       engine.SQL,
	Title:      "SQL",
	Recovery:   sqlRecovery,
	Extensions: "sql ddl dml pgsql psql",
	Misfit:     markup.PlainSQL,
	Around:     markup.AroundSQL,
	Rules:      &sqlRules,
}

var sqlRules = engine.Rules{
	Grammar: "sql",
	Names:   map[engine.Use]string{engine.AsRead: "identifier"},
	Flow: map[engine.Use]string{
		engine.HandOn: "object_reference.name relation>object_reference field.name",
		engine.AsType: `from>relation from>object_reference join>relation lateral_join>relation
			cross_join>relation create_table>object_reference create_index>object_reference
			create_trigger>object_reference create_function>object_reference column_definition>object_reference
			constraint>object_reference alter_table>object_reference drop_table>object_reference
			drop_view>object_reference drop_index>object_reference function_argument>object_reference`,
		engine.AsWrite: "update>relation insert>object_reference rename_column.new_name assignment.left",
		engine.AsBind: `relation.alias term.alias cte>identifier function_argument>identifier
			function_declaration>identifier`,
		engine.AsCall: "invocation>object_reference",
		engine.AsNothing: `function_language set_statement set_statement>object_reference constraint.name
			add_constraint>identifier`,
		engine.AsRead: "rename_column.old_name list>column",
	},
	Decls: []engine.Decl{
		{Node: "create_schema", Kind: engine.Namespace, First: "identifier", Sort: engine.SortProperty},
		{Node: "create_table", Kind: engine.Struct, First: "object_reference", Sort: engine.SortProperty,
			Body: "column_definitions", Opens: engine.ClassScope},
		{Node: "create_view create_materialized_view", Kind: engine.Struct, First: "object_reference",
			Sort: engine.SortProperty, Body: "create_query", Opens: engine.ClassScope},
		{Node: "create_type", Kind: engine.Type, First: "object_reference", Sort: engine.SortProperty},
		{Node: "create_sequence", Kind: engine.Variable, First: "object_reference", Sort: engine.SortProperty},
		{Node: "create_index", Kind: engine.Constant, Name: "column", Sort: engine.SortProperty},
		{Node: "create_function", Kind: engine.Function, First: "object_reference", Sort: engine.SortProperty,
			Body: "function_body", Opens: engine.FunctionScope},
		{Node: "create_trigger", Kind: engine.Function, First: "object_reference", Sort: engine.SortProperty},
		{Node: "column_definition", Kind: engine.Field, Name: "name", Sort: engine.SortProperty},
	},
	Scopes: map[engine.Scope]string{
		engine.FunctionScope: "create_query subquery",
	},
	Comments: "comment marginalia",
	Skip:     "keyword_* dollar_quote bang",
	Leaves:   "literal",
	Hoist:    true,
	Hooks: map[string]func(*engine.Walker, int32){
		"statement":      sqlStatement,
		"field":          sqlField,
		"create_trigger": sqlTrigger,
	},
	Finish: sqlFinish,
	AtEnd:  sqlEnd,
}

// sqlFinish puts what is created in its schema. All of it can be named from
// elsewhere, if the statement is not part of a function.
func sqlFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	if schema := w.Child(w.FirstOf(node, "object_reference"), "schema"); schema >= 0 && !w.Is(node, "column_definition") {
		s.Scope = engine.JoinScope(s.Scope, w.TextOf(schema))
	}
	s.Exported = !withinFunctionBut(w, node)
	if name := sqlUnquote(s.Name); name != s.Name {
		s.Name = name
		s.NameColumn++
	}
}

// sqlStatement opens a scope for the names of one statement that queries:
// aliases and the tables of WITH.
func sqlStatement(w *engine.Walker, node int32) {
	for c := range w.Children(node) {
		if label := w.Labels[w.Nodes[c].Kind]; strings.HasPrefix(label, "create_") || strings.HasPrefix(label, "alter_") {
			return
		}
	}
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, OpensOne: true})
	w.OpenScope(engine.FunctionScope)
}

// sqlField notes the column in table.column.
func sqlField(w *engine.Walker, node int32) {
	table, name := w.FirstOf(node, "object_reference"), w.Child(node, "name")
	if table < 0 || !w.Is(name, "identifier") {
		return
	}
	w.MentionAs(name, w.Child(table, "name"), engine.RoleOf[w.Use[node]&engine.UseMask])
	w.Hide(name)
}

// sqlTrigger calls the function that a trigger runs.
func sqlTrigger(w *engine.Walker, node int32) {
	last := int32(-1)
	for c := range w.Children(node) {
		if w.Is(c, "object_reference") {
			last = c
		}
	}
	if name := w.Child(last, "name"); name >= 0 && last != w.FirstOf(node, "object_reference") {
		w.MentionAs(name, -1, engine.Call)
		w.Hide(name)
	}
}

// sqlEnd takes the quotes off names: with and without them they are the same names.
func sqlEnd(w *engine.Walker) {
	engine.InOrder(w)
	w.DropWords("FROM", "from") // of extract(year FROM x), which the grammar does not know
	for i := range w.Mentions {
		o := &w.Mentions[i]
		if name := w.Intern.Names[o.Name]; sqlUnquote(name) != name {
			o.Name = w.NameID(sqlUnquote(name))
			o.Start++
		}
	}
}

func sqlUnquote(name string) string {
	if len(name) > 2 && (name[0] == '"' || name[0] == '`') && name[len(name)-1] == name[0] {
		return name[1 : len(name)-1]
	}
	return name
}
