package syntax

import "strings"

// specSQL is the row of the language.
var specSQL = &spec{name: SQL, rules: &sqlRules}

var sqlRules = rules{
	grammar: "sql",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"object_reference.name":              handOn,
		"from>relation":                      asType,
		"from>object_reference":              asType,
		"join>relation":                      asType,
		"lateral_join>relation":              asType,
		"cross_join>relation":                asType,
		"update>relation":                    asWrite,
		"insert>object_reference":            asWrite,
		"relation>object_reference":          handOn,
		"relation.alias":                     asBind,
		"term.alias":                         asBind,
		"cte>identifier":                     asBind,
		"function_argument>identifier":       asBind,
		"function_declaration>identifier":    asBind,
		"invocation>object_reference":        asCall,
		"create_table>object_reference":      asType,
		"create_index>object_reference":      asType,
		"create_trigger>object_reference":    asType,
		"create_function>object_reference":   asType,
		"column_definition>object_reference": asType,
		"constraint>object_reference":        asType,
		"alter_table>object_reference":       asType,
		"drop_table>object_reference":        asType,
		"drop_view>object_reference":         asType,
		"drop_index>object_reference":        asType,
		"function_argument>object_reference": asType,
		"function_language":                  asNothing,
		"set_statement":                      asNothing,
		"set_statement>object_reference":     asNothing,
		"constraint.name":                    asNothing,
		"add_constraint>identifier":          asNothing,
		"rename_column.old_name":             asRead,
		"rename_column.new_name":             asWrite,
		"field.name":                         handOn,
		"assignment.left":                    asWrite,
		"list>column":                        asRead,
	},
	decls: []decl{
		{node: "create_schema", kind: Namespace, first: "identifier", sort: property},
		{node: "create_table", kind: Struct, first: "object_reference", sort: property, body: "column_definitions", opens: classScope},
		{node: "create_view", kind: Struct, first: "object_reference", sort: property, body: "create_query", opens: classScope},
		{node: "create_materialized_view", kind: Struct, first: "object_reference", sort: property, body: "create_query", opens: classScope},
		{node: "create_type", kind: Type, first: "object_reference", sort: property},
		{node: "create_sequence", kind: Variable, first: "object_reference", sort: property},
		{node: "create_index", kind: Constant, name: "column", sort: property},
		{node: "create_function", kind: Function, first: "object_reference", sort: property, body: "function_body", opens: functionScope},
		{node: "create_trigger", kind: Function, first: "object_reference", sort: property},
		{node: "column_definition", kind: Field, name: "name", sort: property},
	},
	scopes: map[string]scope{
		"create_query": functionScope,
		"subquery":     functionScope,
	},
	comments: "comment marginalia",
	skip:     "keyword_* dollar_quote bang",
	leaves:   "literal",
	hoist:    true,
	hooks: map[string]func(*walker, int32){
		"statement":      sqlStatement,
		"field":          sqlField,
		"create_trigger": sqlTrigger,
	},
	finish: sqlFinish,
	atEnd:  sqlEnd,
}

// sqlFinish puts what is created in its schema. All of it can be named from
// elsewhere, if the statement is not part of a function.
func sqlFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	if schema := w.child(w.firstOf(node, "object_reference"), "schema"); schema >= 0 && !w.is(node, "column_definition") {
		s.Scope = joinScope(s.Scope, w.textOf(schema))
	}
	s.Exported = !w.withinFunctionBut(node)
	s.Name = sqlUnquote(s.Name)
}

// sqlStatement opens a scope for the names of one statement that queries:
// aliases and the tables of WITH.
func sqlStatement(w *walker, node int32) {
	for c := range w.children(node) {
		if label := w.labels[w.nodes[c].Kind]; strings.HasPrefix(label, "create_") || strings.HasPrefix(label, "alter_") {
			return
		}
	}
	w.push(frame{end: w.nodes[node].Next, node: node, opensOne: true})
	w.openScope(functionScope)
}

// sqlField notes the column in table.column.
func sqlField(w *walker, node int32) {
	table, name := w.firstOf(node, "object_reference"), w.child(node, "name")
	if table < 0 || !w.is(name, "identifier") {
		return
	}
	w.mentionAs(name, w.child(table, "name"), roleOf[w.use[node]&useMask])
	w.hide(name)
}

// sqlTrigger calls the function that a trigger runs.
func sqlTrigger(w *walker, node int32) {
	last := int32(-1)
	for c := range w.children(node) {
		if w.is(c, "object_reference") {
			last = c
		}
	}
	if name := w.child(last, "name"); name >= 0 && last != w.firstOf(node, "object_reference") {
		w.mentionAs(name, -1, Call)
		w.hide(name)
	}
}

// sqlEnd takes the quotes off names, by which they are the same names.
func sqlEnd(w *walker) {
	inOrder(w)
	w.dropWords("FROM", "from") // of extract(year FROM x), which the grammar does not know
	for i := range w.occs {
		o := &w.occs[i]
		if name := w.intern.names[o.name]; sqlUnquote(name) != name {
			o.name = w.nameID(sqlUnquote(name))
			o.start++
		}
	}
}

func sqlUnquote(name string) string {
	if len(name) > 2 && (name[0] == '"' || name[0] == '`') && name[len(name)-1] == name[0] {
		return name[1 : len(name)-1]
	}
	return name
}
