package syntax

import "strings"

// specJava is the row of the language.
var specJava = &spec{name: Java, rules: &javaRules}

var javaRules = rules{
	grammar: "java",
	names: map[string]use{
		"identifier":      asRead,
		"type_identifier": asType,
	},
	flow: map[string]use{
		"method_invocation.name":              asCall | member,
		"method_invocation.object":            asRead,
		"field_access.field":                  handOn | member,
		"scoped_identifier.name":              handOn | member,
		"scoped_identifier.scope":             asNothing,
		"scoped_type_identifier":              asNothing, // see javaScopedType
		"object_creation_expression.type":     asCall,
		"annotation.name":                     asType,
		"marker_annotation.name":              asType,
		"assignment_expression.left":          asWrite,
		"update_expression":                   asWrite,
		"package_declaration":                 asNothing,
		"import_declaration":                  asNothing, // see javaImport
		"module_declaration":                  asNothing,
		"exports_module_directive":            asNothing,
		"opens_module_directive":              asNothing,
		"requires_module_directive":           asNothing,
		"uses_module_directive":               asType,
		"provides_module_directive":           asType,
		"record_pattern>identifier":           asType,
		"labeled_statement>identifier":        asNothing,
		"break_statement":                     asNothing,
		"continue_statement":                  asNothing,
		"element_value_pair.key":              asRead | member,
		"formal_parameter.name":               asBind,
		"catch_formal_parameter.name":         asBind,
		"enhanced_for_statement.name":         asBind,
		"resource.name":                       asBind,
		"instanceof_expression.name":          asBind,
		"type_pattern>identifier":             asBind,
		"record_pattern_component>identifier": asBind,
		"inferred_parameters":                 asBind,
		"lambda_expression.parameters":        asBind,
		"type_parameter>type_identifier":      asParam,
	},
	through: "parenthesized_expression generic_type array_type annotated_type",
	decls: []decl{
		{node: "class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "record_declaration", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "interface_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "annotation_type_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
		{node: "enum_declaration", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "enum_constant", kind: EnumMember, name: "name", body: "body", sort: field, opens: classScope},
		{node: "method_declaration", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "annotation_type_element_declaration", kind: Method, name: "name", sort: property},
		{node: "constructor_declaration", kind: Constructor, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "compact_constructor_declaration", kind: Constructor, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "variable_declarator", kind: Variable, name: "name", sort: variable, after: true,
			under: map[string]Kind{"field_declaration": Field, "constant_declaration": Constant, "spread_parameter": Field}},
		{node: "module_declaration", kind: Module, name: "name", body: "body"},
	},
	scopes: map[string]scope{
		"block":                        blockScope,
		"constructor_body":             blockScope,
		"lambda_expression":            functionScope,
		"static_initializer":           functionScope,
		"for_statement":                blockScope,
		"enhanced_for_statement":       blockScope,
		"catch_clause":                 blockScope,
		"try_with_resources_statement": blockScope,
		"switch_block_statement_group": blockScope,
		"switch_rule":                  blockScope,
		"class_body":                   classScope,
	},
	qualifiers: "method_invocation.object field_access.object scoped_identifier.scope",
	plain:      "this super",
	comments:   "line_comment block_comment",
	leads:      "annotation marker_annotation",
	wrappers:   "field_declaration constant_declaration",
	transient:  "modifiers",
	skip: "decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal decimal_floating_point_literal" +
		" hex_floating_point_literal character_literal true false null_literal escape_sequence string_fragment multiline_string_fragment",
	blank:    "default", // of case null, default: a name to the grammar
	builtins: "String Object Integer Long Boolean Double Float Short Byte Character Void var",
	hooks: map[string]func(*walker, int32){
		"import_declaration":     javaImport,
		"method_reference":       (*walker).memberAfterDot,
		"record_declaration":     javaComponents,
		"scoped_type_identifier": javaScopedType,
	},
	finish: javaFinish,
	atEnd:  inOrder,
}

// javaFinish says what is constant and what is exported: what is public or
// protected in something that is, and not in a function. The last component of
// a record may be a spread parameter.
func javaFinish(w *walker, node int32, s *Symbol) {
	holder := node
	if w.is(node, "variable_declarator") {
		holder = w.parent(node)
		if s.Kind == Field && javaModifier(w, holder, "static") && javaModifier(w, holder, "final") {
			s.Kind = Constant
		}
		w.sharedHead(holder, node, s)
	}
	w.ownDoc(holder, s)
	if w.is(node, "compact_constructor_declaration") {
		s.Signature += "()" // it has no parameter list of its own
	}
	if w.withinFunction() || !w.parentExported(s) {
		return
	}
	implicit := w.is(node, "enum_constant") || w.is(holder, "spread_parameter") || s.Parent >= 0 && w.file.Symbols[s.Parent].Kind == Interface && !javaModifier(w, holder, "private")
	s.Exported = implicit || javaModifier(w, holder, "public") || javaModifier(w, holder, "protected")
}

// javaModifier says whether a declaration carries a modifier.
func javaModifier(w *walker, node int32, modifier string) bool {
	until := w.child(node, "type")
	if until < 0 {
		until = w.child(node, "name")
	}
	return w.hasKeyword(node, until, modifier)
}

// javaComponents makes fields of what a record is made of.
func javaComponents(w *walker, record int32) {
	var names []plan
	for c := range w.children(w.child(record, "parameters")) {
		name := w.child(c, "name")
		if name < 0 || !w.is(c, "formal_parameter") {
			continue
		}
		s := w.newSymbol(c, Field, w.symbol, &w.nodes[name], w.textOf(name), nil)
		w.file.Symbols[s].Exported = w.symbol >= 0 && w.file.Symbols[w.symbol].Exported
		names = append(names, plan{node: name, symbol: s})
	}
	w.meanAll(names)
}

// javaScopedType notes the types in java.util.Map.Entry and leaves the packages
// out. The last one has the role of the whole.
func javaScopedType(w *walker, node int32) {
	if w.is(w.parent(node), "scoped_type_identifier") {
		return // part of one that is done
	}
	var parts []int32
	for j := node; j < w.nodes[node].Next; j++ {
		if w.is(j, "type_identifier") && w.is(w.parent(j), "scoped_type_identifier") {
			parts = append(parts, j)
		}
	}
	before := int32(-1)
	for i, part := range parts {
		role := TypeUse
		if i == len(parts)-1 {
			role = roleOf[w.use[node]&useMask]
		}
		if role == Read {
			role = TypeUse
		}
		if i == len(parts)-1 || isUpper(w.textOf(part)) {
			w.mentionAs(part, before, role)
		}
		before = part
	}
}

// javaImport notes what is imported, and the classes on the way to it.
func javaImport(w *walker, node int32) {
	name := w.firstOf(node, "scoped_identifier", "identifier")
	path := w.textOf(name)
	i := Import{Path: path, Line: w.line(node)}
	all := w.firstOf(node, "asterisk") >= 0
	if dot := strings.LastIndexByte(path, '.'); dot >= 0 && !all {
		i.Names = []string{path[dot+1:]}
	}
	w.addImport(i)
	if name < 0 {
		return
	}
	before := int32(-1)
	for j := name; j < w.nodes[name].Next; j++ {
		if !w.is(j, "identifier") {
			continue
		}
		last := w.nodes[j].End == w.nodes[name].End
		if isUpper(w.textOf(j)) || last && !all {
			w.mentionAs(j, before, ImportUse)
		}
		before = j
	}
}
