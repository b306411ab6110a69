package syntax

import (
	"slices"
	"strings"
)

// specRust is the row of the language.
var specRust = &spec{name: Rust, rules: &rustRules}

var rustRules = rules{
	grammar: "rust",
	names: map[string]use{
		"identifier":                 asRead,
		"type_identifier":            asType,
		"field_identifier":           asRead | member,
		"shorthand_field_identifier": asRead | member,
	},
	flow: map[string]use{
		"call_expression.function":                 asCall,
		"field_expression.field":                   handOn | member,
		"scoped_identifier.name":                   handOn | member,
		"scoped_identifier.path":                   asRead, // in a pattern too
		"scoped_type_identifier.name":              asType | member,
		"macro_invocation.macro":                   asCall,
		"struct_expression.name":                   asType,
		"assignment_expression.left":               asWrite,
		"compound_assignment_expr.left":            asWrite,
		"field_initializer.field":                  asWrite | member,
		"use_declaration":                          asNothing, // see rustUse
		"extern_crate_declaration.name":            asImport,
		"extern_crate_declaration.alias":           asImport,
		"parameter.pattern":                        asBind,
		"closure_parameters":                       asBind,
		"for_expression.pattern":                   asBind,
		"let_condition.pattern":                    asBind,
		"match_arm.pattern":                        asBind,
		"match_pattern.condition":                  asRead,
		"tuple_struct_pattern.type":                asRead,
		"struct_pattern.type":                      asType,
		"field_pattern.name":                       asRead | member,
		"field_pattern>shorthand_field_identifier": handOn,
		"type_parameter.name":                      asParam,
		"const_parameter.name":                     asParam,
		"lifetime":                                 asNothing,
		"label":                                    asNothing,
		"type_binding.name":                        asType | member,
		"generic_function.function":                handOn,
		"generic_type.type":                        handOn,
		"generic_type_with_turbofish.type":         handOn,
		"reference_type.type":                      handOn,
		"pointer_type.type":                        handOn,
		"dynamic_type.trait":                       handOn,
		"use_list":                                 handOn,
		"scoped_use_list":                          handOn,
		"use_as_clause":                            handOn,
		"use_wildcard":                             handOn,
		"visibility_modifier":                      asNothing,
	},
	through: "parenthesized_expression match_pattern tuple_pattern slice_pattern ref_pattern mut_pattern reference_pattern" +
		" captured_pattern or_pattern tuple_struct_pattern struct_pattern field_pattern",
	decls: []decl{
		{node: "function_item", kind: Function, member: Method, name: "name", body: "body", opens: functionScope},
		{node: "function_signature_item", kind: Function, member: Method, name: "name", opens: functionScope},
		{node: "struct_item", kind: Struct, name: "name", body: "body", opens: classScope},
		{node: "union_item", kind: Struct, name: "name", body: "body", opens: classScope},
		{node: "enum_item", kind: Enum, name: "name", body: "body", opens: classScope},
		{node: "enum_variant", kind: EnumMember, name: "name", sort: field, opens: classScope},
		{node: "field_declaration", kind: Field, name: "name", sort: field},
		{node: "trait_item", kind: Trait, name: "name", body: "body", opens: classScope},
		{node: "impl_item", kind: Impl, name: "type", body: "body", opens: classScope},
		{node: "type_item", kind: Type, name: "name"},
		{node: "associated_type", kind: Type, name: "name", sort: property},
		{node: "mod_item", kind: Module, name: "name", body: "body", opens: moduleScope},
		{node: "macro_definition", kind: Macro, name: "name", cut: "{"},
		{node: "const_item", kind: Constant, name: "name", sort: variable},
		{node: "static_item", kind: Variable, name: "name", sort: variable},
		{node: "let_declaration", kind: Variable, name: "pattern", sort: variable, after: true},
	},
	scopes: map[string]scope{
		"block":              blockScope,
		"closure_expression": functionScope,
		"for_expression":     blockScope,
		"match_arm":          blockScope,
		"if_expression":      blockScope,
		"while_expression":   blockScope,
	},
	qualifiers: "field_expression.value scoped_identifier.path scoped_type_identifier.path",
	paths:      "scoped_identifier.name scoped_type_identifier.name generic_type.type",
	plain:      "self crate super",
	comments:   "line_comment block_comment",
	leads:      "attribute_item",
	skip:       "integer_literal float_literal char_literal boolean_literal escape_sequence lifetime",
	leaves:     "string_literal raw_string_literal",
	blank:      "Self",
	builtins:   "String Vec Option Result Box",
	hooks: map[string]func(*walker, int32){
		"attribute":                rustAttribute,
		"use_declaration":          rustUse,
		"extern_crate_declaration": rustExternCrate,
		"mod_item":                 rustMod,
		"match_pattern":            rustPattern,
		"let_condition":            rustPattern,
		"token_tree":               rustTokens,
		"token_repetition":         rustTokens,
	},
	finish: rustFinish,
	atEnd: func(w *walker) {
		implsAreUses(w)
		inOrder(w)
	},
}

// rustFinish says what is exported, and shows what a tuple struct holds.
func rustFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	if b := w.child(node, "body"); b >= 0 && w.is(b, "ordered_field_declaration_list") {
		s.Signature = oneLine([]byte(strings.TrimSuffix(w.textOf(node), ";")))
	}
	if w.inFunction() {
		return
	}
	s.Exported = s.Kind == Impl || w.firstOf(node, "visibility_modifier") >= 0 ||
		s.Kind == Macro && strings.Contains(w.text[s.DocStart:s.Start], "#[macro_export")
	if s.Exported || s.Parent < 0 {
		return
	}
	switch p := &w.file.Symbols[s.Parent]; p.Kind {
	case Trait, Enum, EnumMember:
		s.Exported = p.Exported
	case Impl:
		s.Exported = w.child(w.ancestor(node, "impl_item"), "trait") >= 0
	}
}

// rustUse notes what a use declaration names, one import for each name.
func rustUse(w *walker, node int32) {
	argument := w.child(node, "argument")
	if argument < 0 {
		return
	}
	w.rustTree(argument, "")
	for j := argument; j < w.nodes[argument].Next; j++ {
		if !w.is(j, "identifier") {
			continue
		}
		if w.textOf(j) != "_" { // use Trait as _
			w.mentionAs(j, w.rustUsePath(j), ImportUse)
		}
	}
	w.hide(argument)
}

// rustUsePath returns the last name of the path that a list of a use
// declaration belongs to, for the name that comes right behind it, or -1.
func (w *walker) rustUsePath(name int32) int32 {
	list := w.ancestor(name, "use_list", "use_declaration")
	if !w.is(list, "use_list") || w.in(name, "alias") {
		return -1
	}
	for c := range w.children(list) {
		if w.leafOf(c) == name && w.is(w.parent(list), "scoped_use_list") {
			return w.lastLeaf(w.child(w.parent(list), "path"))
		}
	}
	return -1
}

// rustTree adds the imports of a part of a use declaration that stands behind
// prefix.
func (w *walker) rustTree(node int32, prefix string) {
	switch {
	case w.is(node, "scoped_use_list"):
		w.rustTree(w.child(node, "list"), prefix+w.textOf(w.child(node, "path"))+"::")
	case w.is(node, "use_list"):
		for c := range w.children(node) {
			w.rustTree(c, prefix)
		}
	case w.is(node, "use_wildcard"):
		path := strings.TrimSuffix(prefix+strings.TrimSuffix(w.textOf(node), "*"), "::")
		w.addImport(Import{Path: path, Names: []string{"*"}, Line: w.line(node)})
	case w.is(node, "use_as_clause"):
		w.rustName(node, prefix+w.textOf(w.child(node, "path")), w.textOf(w.child(node, "alias")))
	case w.is(node, "line_comment"), w.is(node, "block_comment"):
	default:
		w.rustName(node, prefix+w.textOf(node), "")
	}
}

func (w *walker) rustName(node int32, path, alias string) {
	path = strings.TrimSuffix(path, "::self")
	w.addImport(Import{Path: path, Alias: alias, Names: []string{path[strings.LastIndexByte(path, ':')+1:]}, Line: w.line(node)})
}

func rustExternCrate(w *walker, node int32) {
	w.addImport(Import{Path: w.textOf(w.child(node, "name")), Alias: w.textOf(w.child(node, "alias")), Line: w.line(node)})
}

// rustMod takes a module that stands in a file of its own for an import of that
// file.
func rustMod(w *walker, node int32) {
	if w.child(node, "body") < 0 {
		w.addImport(Import{Path: "self::" + w.textOf(w.child(node, "name")), Line: w.line(node)})
	}
}

// rustPattern tells the constants and variants in a pattern from what it binds.
// The language cannot tell them apart without types; the convention can.
func rustPattern(w *walker, node int32) {
	for j := node + 1; j < w.nodes[node].Next; {
		switch {
		case w.in(j, "condition"), w.parent(j) == node && w.in(j, "value"), w.in(j, "type"):
			j = w.nodes[j].Next
			continue
		case w.is(j, "identifier") && isUpper(w.textOf(j)), w.is(j, "scoped_identifier"):
			for k := j; k < w.nodes[j].Next; k++ {
				if w.is(k, "identifier") {
					w.mentionAs(k, -1, Read)
				}
			}
			w.hide(j)
			j = w.nodes[j].Next
			continue
		}
		j++
	}
}

// rustTokens reads the arguments of a macro, which are mere tokens to the
// grammar: a name before a bracket is called, one behind a dot is a member.
func rustTokens(w *walker, node int32) {
	var done []int32
	for c := range w.children(node) {
		if !w.is(c, "identifier") {
			continue
		}
		n := &w.nodes[c]
		role, qualifier, isMember := Read, int32(-1), false
		if next := w.text[n.End:]; next != "" && (next[0] == '(' || next[0] == '!' && !strings.HasPrefix(next, "!=")) {
			role = Call
		}
		before := w.text[:n.Start]
		if strings.HasSuffix(before, "::") || strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..") {
			isMember = true
			at := n.Start - 1
			if before[at] == ':' {
				at--
			}
			if p := c - 1; p > node && w.nodes[p].Next == c && w.nodes[p].End == at && w.info[w.nodes[p].Kind].flags&(isName|isPlain) != 0 {
				qualifier = p
			}
		}
		if role == Read && !isMember {
			continue
		}
		id := w.nameOf(n)
		w.occur(c, n, id, role, w.symbol, !isMember && w.isLocal(id))
		w.occs[len(w.occs)-1].qualifier = qualifier
		done = append(done, c)
	}
	for _, c := range done {
		w.hide(c)
	}
}

// rustBuiltinAttributes are what the compiler itself looks at.
var rustBuiltinAttributes = strings.Fields("allow automatically_derived bench cfg cfg_attr cold crate_name crate_type debugger_visualizer" +
	" default deny deprecated derive doc expect export_name feature forbid global_allocator ignore inline link link_name link_section" +
	" macro_export macro_use must_use no_link no_main no_mangle no_std non_exhaustive panic_handler path proc_macro proc_macro_attribute" +
	" proc_macro_derive recursion_limit repr rustfmt should_panic target_feature test track_caller type_length_limit unsafe used warn")

// rustAttribute passes over the words of attributes that name nothing in the
// program: builtin attributes, keys and flags. What is derived is a type, what
// stands behind = a value.
func rustAttribute(w *walker, node int32) {
	arguments := w.child(node, "arguments")
	name := w.firstOf(node, "identifier", "scoped_identifier")
	word := w.textOf(name)
	if name >= 0 && (slices.Contains(rustBuiltinAttributes, word) || !w.rustItem(node)) {
		w.hide(name)
	}
	w.rustArguments(arguments, word == "derive")
}

// rustItem says whether an attribute belongs to an item, and not to a field or
// a variant, whose attributes are words for what is derived.
func (w *walker) rustItem(attribute int32) bool {
	around := w.ancestor(attribute, "declaration_list", "block", "field_declaration_list", "ordered_field_declaration_list", "enum_variant_list")
	return around < 0 || w.is(around, "declaration_list") || w.is(around, "block")
}

// rustArguments goes over the tokens of an attribute.
func (w *walker) rustArguments(tree int32, derived bool) {
	word := int32(-1)
	for c := range w.children(tree) {
		switch {
		case w.is(c, "token_tree"):
			w.rustArguments(c, w.textOf(word) == "derive")
		case !w.is(c, "identifier"):
		case derived:
			word = c
			if !strings.HasPrefix(w.text[w.nodes[c].End:], "::") {
				before := int32(-1)
				if strings.HasSuffix(w.text[:w.nodes[c].Start], "::") && c-1 > tree {
					before = c - 1
				}
				w.mentionAs(c, before, TypeUse)
				w.nodes[c].Kind = 0
			}
		default:
			word = c
			before, next := strings.TrimRight(w.text[:w.nodes[c].Start], " "), strings.TrimLeft(w.text[w.nodes[c].End:], " ")
			if !strings.HasSuffix(before, "=") && !strings.HasSuffix(before, "::") && !strings.HasPrefix(next, "::") {
				w.hide(c)
			}
		}
	}
}
