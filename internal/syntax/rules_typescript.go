package syntax

import "slices"

// specTypeScript is the row of the language.
var specTypeScript = &spec{name: TypeScript, rules: &typescriptRules, repair: repairTypeScript}

var typescriptRules = typescript("typescript", ecmaFlow, ecmaSkip)

// specTSX is the row of the language.
var specTSX = &spec{name: TSX, rules: &tsxRules, repair: repairTypeScript}

var tsxRules = typescript("tsx", with(ecmaFlow, jsxFlow), ecmaSkip+jsxSkip)

// typescript returns the row of one of the two grammars of TypeScript.
func typescript(grammar string, flow map[string]use, skip string) rules {
	return rules{
		grammar: grammar,
		names: with(ecmaNames, map[string]use{
			"type_identifier": asType,
		}),
		flow: with(flow, map[string]use{
			"required_parameter.pattern":    asBind,
			"optional_parameter.pattern":    asBind,
			"required_parameter.value":      asRead,
			"required_parameter.type":       asRead,
			"optional_parameter.type":       asRead,
			"required_parameter.decorator":  asRead,
			"type_parameter.name":           asParam,
			"required_parameter.name":       asNothing, // of a place in a tuple
			"optional_parameter.name":       asNothing,
			"infer_type":                    asParam,
			"mapped_type_clause.name":       asParam,
			"index_signature.name":          asNothing,
			"extends_clause.value":          asType,
			"extends_type_clause":           asType,
			"implements_clause":             asType,
			"nested_type_identifier.module": asRead,
			"nested_type_identifier.name":   asType | member,
			"nested_identifier.object":      asRead,
			"nested_identifier.property":    handOn,
			"import_require_clause":         asImport,
			"import_alias":                  asRead,
		}),
		through: ecmaThrough + " as_expression satisfies_expression non_null_expression instantiation_expression",
		splits:  append(slices.Clone(ecmaSplits), split{"public_field_definition", ecmaFunctions}),
		decls: append(slices.Clone(ecmaDecls),
			decl{node: "function_signature", kind: Function, name: "name", opens: functionScope},
			decl{node: "abstract_class_declaration", kind: Class, name: "name", body: "body", opens: classScope},
			decl{node: "interface_declaration", kind: Interface, name: "name", body: "body", opens: classScope},
			decl{node: "type_alias_declaration", kind: Type, name: "name", opens: classScope},
			decl{node: "enum_declaration", kind: Enum, name: "name", body: "body", opens: classScope},
			decl{node: "enum_assignment", kind: EnumMember, name: "name", sort: field},
			decl{node: "internal_module", kind: Namespace, name: "name", body: "body", opens: moduleScope},
			decl{node: "module", kind: Namespace, name: "name", body: "body", opens: moduleScope},
			decl{node: "public_field_definition", kind: Field, name: "name", sort: field},
			decl{node: "public_field_definition:arrow_function", kind: Method, name: "name", body: "body", sort: property},
			decl{node: "public_field_definition:function_expression", kind: Method, name: "name", body: "body", sort: property},
			decl{node: "method_signature", kind: Method, name: "name", sort: field, opens: functionScope},
			decl{node: "abstract_method_signature", kind: Method, name: "name", sort: property, opens: functionScope},
			decl{node: "property_signature", kind: Property, name: "name", sort: field},
		),
		scopes: with(ecmaScopes, map[string]scope{
			"function_type":       functionScope,
			"constructor_type":    functionScope,
			"call_signature":      functionScope,
			"construct_signature": functionScope,
		}),
		qualifiers: "member_expression.object nested_type_identifier.module nested_identifier.object",
		plain:      "this super",
		comments:   "comment html_comment",
		leads:      "decorator",
		wrappers:   ecmaWrappers + " ambient_declaration",
		skip:       skip + " predefined_type this_type existential_type literal_type",
		open:       ecmaOpen + " internal_module module ambient_declaration",
		hoist:      true,
		hooks: with(ecmaHooks, map[string]func(*walker, int32){
			"enum_body":          typescriptEnum,
			"required_parameter": typescriptParameter,
			"optional_parameter": typescriptParameter,
			"import_alias":       typescriptAlias,
		}),
		finish: typescriptFinish,
		atEnd:  ecmaExports,
	}
}

// typescriptEnum makes symbols of the members of an enum that have no value,
// and so no node of their own but the name.
func typescriptEnum(w *walker, body int32) {
	var members []plan
	for c := range w.children(body) {
		if w.is(c, "property_identifier") {
			s := w.newSymbol(c, EnumMember, w.symbol, &w.nodes[c], w.textOf(c), nil)
			members = append(members, plan{node: c, symbol: s})
		}
	}
	slices.Reverse(members)
	w.meant = append(w.meant, members...)
}

// typescriptFinish keeps the comment above a declaration from the members of a
// type that is written out in it, and what stands before one parameter from the
// next.
func typescriptFinish(w *walker, node int32, s *Symbol) {
	switch {
	case w.is(node, "property_signature"), w.is(node, "method_signature"),
		w.is(node, "required_parameter"), w.is(node, "optional_parameter"):
		w.ownDoc(node, s)
	}
	ecmaFinish(w, node, s)
}

// typescriptParameter makes a field of a parameter that a constructor keeps:
// constructor(private store: Store).
func typescriptParameter(w *walker, node int32) {
	pattern := w.child(node, "pattern")
	kept := w.firstOf(node, "accessibility_modifier", "override_modifier") >= 0 || w.hasKeyword(node, pattern, "readonly")
	if !kept || !w.is(pattern, "identifier") {
		return
	}
	w.memberOf(node, pattern, Field)
	w.bind(w.nameOf(&w.nodes[pattern]), int32(len(w.scopes)-1), true)
}

// typescriptAlias notes import X = require("y") and import A = B.C.
func typescriptAlias(w *walker, node int32) {
	path := ""
	for c := range w.children(node) {
		path = w.textOf(c)
	}
	name := w.firstOf(node, "identifier")
	w.addImport(Import{Path: unquote(path), Alias: w.textOf(name), Line: w.line(node)})
	if name >= 0 {
		w.mentionAs(name, -1, ImportUse)
		w.hide(name)
	}
}
