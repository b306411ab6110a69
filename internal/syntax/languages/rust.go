package languages

import (
	"codeintel/internal/platform/lazyregexp"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// Rust is the row of the language.
var Rust = &engine.Spec{
	Name:       engine.Rust,
	Counted:    true,
	Aliases:    "rs",
	Extensions: "rs",
	Servers:    []string{"rust-analyzer"},
	Programs:   "rust-script",
	Rules:      &rustRules,
	Recovery:   rustRecovery,
	Names: engine.Names{
		Unnamed: map[string]string{
			"drop": "drop(x)", "fmt": "format!(\"{x}\")", "deref": "*x", "deref_mut": "*x = …", "index": "x[…]",
			"index_mut": "x[…] = …",
		},
		Hides:     true,
		Imports:   engine.ImportsCrate,
		Bare:      engine.OfOwnClass,
		Accessors: "::",
		Typed:     rustTyped,
	},
	Bodies: engine.Bodies{
		Constructor: func(t *engine.Tree, function int32, name string) bool { return name == "drop" },
	},

	Comparing: engine.Comparing{Drops: true, Coroutines: true, ByName: true,
		Hoisted: true, UnusedImports: true, Nested: true, Lazy: engine.Lazy{
			From: "iter iter_mut into_iter chars bytes lines split split_whitespace keys values",
			Steps: "map filter filter_map flat_map inspect take_while skip_while map_while enumerate rev zip chain cloned copied " +
				"peekable scan step_by take skip flatten"}},
	Testing: engine.Testing{Marked: true, Before: true, Propagates: true,
		Passed: lazyregexp.MustCompile(`(?m)^test result: ok\. [1-9]\d* passed`),
		Later:  lazyregexp.MustCompile(`\b(?:thread|tokio|task)::spawn(?:_blocking)?\($`)},
}

var rustRules = engine.Rules{
	Grammar: "rust",
	Names: map[engine.Use]string{
		engine.AsRead:                 "identifier",
		engine.AsType:                 "type_identifier",
		engine.AsRead | engine.Member: "field_identifier shorthand_field_identifier",
	},
	Flow: map[engine.Use]string{
		engine.AsCall:                 "call_expression.function macro_invocation.macro",
		engine.HandOn | engine.Member: "field_expression.field scoped_identifier.name",
		// scoped_identifier.path: in a pattern too
		engine.AsRead:                  "scoped_identifier.path match_pattern.condition tuple_struct_pattern.type",
		engine.AsType | engine.Member:  "scoped_type_identifier.name type_binding.name",
		engine.AsType:                  "struct_expression.name struct_pattern.type",
		engine.AsWrite:                 "assignment_expression.left compound_assignment_expr.left",
		engine.AsWrite | engine.Member: "field_initializer.field",
		engine.AsNothing:               "use_declaration lifetime label visibility_modifier",
		engine.AsImport:                "extern_crate_declaration.name extern_crate_declaration.alias",
		engine.AsBind: `parameter.pattern closure_parameters for_expression.pattern let_condition.pattern
			match_arm.pattern`,
		engine.AsRead | engine.Member: "field_pattern.name",
		engine.HandOn: `field_pattern>shorthand_field_identifier generic_function.function generic_type.type
			generic_type_with_turbofish.type reference_type.type pointer_type.type dynamic_type.trait use_list
			scoped_use_list use_as_clause use_wildcard`,
		engine.AsParam: "type_parameter.name const_parameter.name",
	},
	Through: "parenthesized_expression match_pattern tuple_pattern slice_pattern ref_pattern mut_pattern reference_pattern" +
		" captured_pattern or_pattern tuple_struct_pattern struct_pattern field_pattern",
	Decls: []engine.Decl{
		{Node: "function_item", Kind: engine.Function, Member: engine.Method, Name: "name", Body: "body",
			Opens: engine.FunctionScope},
		{Node: "function_signature_item", Kind: engine.Function, Member: engine.Method, Name: "name",
			Opens: engine.FunctionScope},
		{Node: "struct_item union_item", Kind: engine.Struct, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_item", Kind: engine.Enum, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "enum_variant", Kind: engine.EnumMember, Name: "name", Sort: engine.SortField, Opens: engine.ClassScope},
		{Node: "field_declaration", Kind: engine.Field, Name: "name", Sort: engine.SortField},
		{Node: "trait_item", Kind: engine.Trait, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "impl_item", Kind: engine.Impl, Name: "type", Body: "body", Opens: engine.ClassScope},
		{Node: "type_item", Kind: engine.Type, Name: "name"},
		{Node: "associated_type", Kind: engine.Type, Name: "name", Sort: engine.SortProperty},
		{Node: "mod_item", Kind: engine.Module, Name: "name", Body: "body", Opens: engine.ModuleScope},
		{Node: "macro_definition", Kind: engine.Macro, Name: "name", Cut: "{"},
		{Node: "const_item", Kind: engine.Constant, Name: "name", Sort: engine.SortVariable},
		{Node: "static_item", Kind: engine.Variable, Name: "name", Sort: engine.SortVariable},
		{Node: "let_declaration", Kind: engine.Variable, Name: "pattern", Sort: engine.SortVariable, After: true},
	},
	Scopes: map[engine.Scope]string{
		engine.BlockScope:    "block for_expression match_arm if_expression while_expression",
		engine.FunctionScope: "closure_expression",
	},
	Qualifiers: "field_expression.value scoped_identifier.path scoped_type_identifier.path",
	Paths:      "scoped_identifier.name scoped_type_identifier.name generic_type.type",
	Plain:      "self crate super",
	Comments:   "line_comment block_comment",
	Decorators: "attribute_item",
	Skip:       "integer_literal float_literal char_literal boolean_literal escape_sequence lifetime",
	Leaves:     "string_literal raw_string_literal",
	Blank:      "Self",
	Builtins:   "String Vec Option Result Box",
	Hooks: map[string]func(*engine.Walker, int32){
		"attribute":                rustAttribute,
		"use_declaration":          rustUse,
		"extern_crate_declaration": rustExternCrate,
		"mod_item":                 rustMod,
		"match_pattern":            rustPattern,
		"let_condition":            rustPattern,
		"token_tree":               rustTokens,
		"token_repetition":         rustTokens,
	},
	Finish: rustFinish,
	AtEnd: func(w *engine.Walker) {
		engine.ImplsAreUses(w)
		engine.InOrder(w)
	},
}

// rustFinish says what is exported, and shows what a tuple struct holds.
func rustFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	if b := w.Child(node, "body"); b >= 0 && w.Is(b, "ordered_field_declaration_list") {
		s.Signature = engine.OneLine([]byte(strings.TrimSuffix(w.TextOf(node), ";")))
	}
	if w.InFunction() {
		return
	}
	s.Exported = s.Kind == engine.Impl || w.FirstOf(node, "visibility_modifier") >= 0 ||
		s.Kind == engine.Macro && strings.Contains(w.Text[s.DocStart:s.Start], "#[macro_export")
	if s.Exported || s.Parent < 0 {
		return
	}
	switch p := &w.File.Symbols[s.Parent]; p.Kind {
	case engine.Trait, engine.Enum, engine.EnumMember:
		s.Exported = p.Exported
	case engine.Impl:
		s.Exported = w.Child(w.Ancestor(node, "impl_item"), "trait") >= 0
	}
}

// rustUse notes what a use declaration names, one import for each name.
func rustUse(w *engine.Walker, node int32) {
	argument := w.Child(node, "argument")
	if argument < 0 {
		return
	}
	rustTree(w, argument, "")
	for j := argument; j < w.Nodes[argument].Next; j++ {
		if !w.Is(j, "identifier") {
			continue
		}
		if w.TextOf(j) != "_" { // use Trait as _
			w.MentionAs(j, rustUsePath(w, j), engine.ImportUse)
		}
	}
	w.Hide(argument)
}

// rustUsePath returns the last name of the path that a list of a use
// declaration belongs to, for the name that comes right behind it, or -1.
func rustUsePath(w *engine.Walker, name int32) int32 {
	list := w.Ancestor(name, "use_list", "use_declaration")
	if !w.Is(list, "use_list") || w.In(name, "alias") {
		return -1
	}
	c := name
	for w.Parent(c) != list {
		c = w.Parent(c)
	}
	if w.LeafOf(c) == name && w.Is(w.Parent(list), "scoped_use_list") {
		return w.LastLeaf(w.Child(w.Parent(list), "path"))
	}
	return -1
}

// rustTree adds the imports of a part of a use declaration that comes after
// prefix.
func rustTree(w *engine.Walker, node int32, prefix string) {
	switch {
	case w.Is(node, "scoped_use_list"):
		if prefix += w.TextOf(w.Child(node, "path")) + "::"; w.KeepsImport(prefix) {
			rustTree(w, w.Child(node, "list"), prefix)
		}
	case w.Is(node, "use_list"):
		for c := range w.Children(node) {
			rustTree(w, c, prefix)
		}
	case w.Is(node, "use_wildcard"):
		path := strings.TrimSuffix(prefix+strings.TrimSuffix(w.TextOf(node), "*"), "::")
		w.AddImport(engine.Import{Path: path, Names: []string{"*"}, Line: w.Line(node)})
	case w.Is(node, "use_as_clause"):
		rustName(w, node, prefix+w.TextOf(w.Child(node, "path")), w.TextOf(w.Child(node, "alias")))
	case w.Is(node, "line_comment"), w.Is(node, "block_comment"):
	default:
		rustName(w, node, prefix+w.TextOf(node), "")
	}
}

func rustName(w *engine.Walker, node int32, path, alias string) {
	path = strings.TrimSuffix(path, "::self")
	w.AddImport(engine.Import{Path: path, Alias: alias, Names: []string{path[strings.LastIndexByte(path, ':')+1:]},
		Line: w.Line(node)})
}

func rustExternCrate(w *engine.Walker, node int32) {
	w.AddImport(engine.Import{Path: w.TextOf(w.Child(node, "name")), Alias: w.TextOf(w.Child(node, "alias")), Line: w.Line(node)})
}

// rustMod takes a module that is in a file of its own for an import of that
// file.
func rustMod(w *engine.Walker, node int32) {
	if w.Child(node, "body") < 0 {
		w.AddImport(engine.Import{Path: "self::" + w.TextOf(w.Child(node, "name")), Line: w.Line(node)})
	}
}

// rustPattern tells the constants and variants in a pattern from what it binds.
// The language cannot distinguish them without types; the convention can.
func rustPattern(w *engine.Walker, node int32) {
	for j := node + 1; j < w.Nodes[node].Next; {
		switch {
		case w.In(j, "condition"), w.Parent(j) == node && w.In(j, "value"), w.In(j, "type"):
			j = w.Nodes[j].Next
			continue
		case w.Is(j, "identifier") && engine.IsUpper(w.TextOf(j)), w.Is(j, "scoped_identifier"):
			for k := j; k < w.Nodes[j].Next; k++ {
				if w.Is(k, "identifier") {
					w.MentionAs(k, -1, engine.Read)
				}
			}
			w.Hide(j)
			j = w.Nodes[j].Next
			continue
		}
		j++
	}
}

// rustTokens reads the arguments of a macro, which are mere tokens to the
// grammar: a name before a bracket is called, one behind a dot is a member.
func rustTokens(w *engine.Walker, node int32) {
	var done []int32
	for c := range w.Children(node) {
		if !w.Is(c, "identifier") {
			continue
		}
		n := &w.Nodes[c]
		role, qualifier, isMember := engine.Read, int32(-1), false
		if next := w.Text[n.End:]; next != "" && (next[0] == '(' || next[0] == '!' && !strings.HasPrefix(next, "!=")) {
			role = engine.Call
		}
		before := w.Text[:n.Start]
		if strings.HasSuffix(before, "::") || strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..") {
			isMember = true
			at := n.Start - 1
			if before[at] == ':' {
				at--
			}
			if p := c - 1; p > node && w.Nodes[p].Next == c && w.Nodes[p].End == at &&
				w.Info[w.Nodes[p].Kind].Flags&(engine.IsName|engine.IsPlain) != 0 {
				qualifier = p
			}
		}
		if role == engine.Read && !isMember {
			continue
		}
		id := w.NameOf(n)
		w.Occur(n, id, role, w.Symbol, !isMember && w.IsLocal(id))
		w.Mentions[len(w.Mentions)-1].Qualifier = qualifier
		done = append(done, c)
	}
	for _, c := range done {
		w.Hide(c)
	}
}

// rustBuiltinAttributes are what the compiler itself looks at.
var rustBuiltinAttributes = strings.Fields("allow automatically_derived bench cfg cfg_attr cold crate_name crate_type debugger_visualizer" +
	" default deny deprecated derive doc expect export_name feature forbid global_allocator ignore inline link link_name link_section" +
	" macro_export macro_use must_use no_link no_main no_mangle no_std non_exhaustive panic_handler path proc_macro proc_macro_attribute" +
	" proc_macro_derive recursion_limit repr rustfmt should_panic target_feature test track_caller type_length_limit unsafe used warn")

// rustAttribute passes over the words of attributes that name nothing in the
// program: builtin attributes, keys and flags. What is derived is a type, what
// comes after = a value.
func rustAttribute(w *engine.Walker, node int32) {
	arguments := w.Child(node, "arguments")
	name := w.FirstOf(node, "identifier", "scoped_identifier")
	word := w.TextOf(name)
	if name >= 0 && (slices.Contains(rustBuiltinAttributes, word) || !rustItem(w, node)) {
		w.Hide(name)
	}
	rustArguments(w, arguments, word == "derive")
}

// rustItem says whether an attribute belongs to an item, and not to a field or
// a variant, whose attributes are words for what is derived.
func rustItem(w *engine.Walker, attribute int32) bool {
	around := w.Ancestor(attribute, "declaration_list", "block", "field_declaration_list",
		"ordered_field_declaration_list", "enum_variant_list")
	return around < 0 || w.Is(around, "declaration_list", "block")
}

// rustArguments goes over the tokens of an attribute.
func rustArguments(w *engine.Walker, tree int32, derived bool) {
	word := int32(-1)
	for c := range w.Children(tree) {
		switch {
		case w.Is(c, "token_tree"):
			rustArguments(w, c, w.TextOf(word) == "derive")
		case !w.Is(c, "identifier"):
		case derived:
			word = c
			if !strings.HasPrefix(w.Text[w.Nodes[c].End:], "::") {
				before := int32(-1)
				if strings.HasSuffix(w.Text[:w.Nodes[c].Start], "::") && c-1 > tree {
					before = c - 1
				}
				w.MentionAs(c, before, engine.TypeUse)
				w.Nodes[c].Kind = 0
			}
		default:
			word = c
			before, next := strings.TrimRight(w.Text[:w.Nodes[c].Start], " "), strings.TrimLeft(w.Text[w.Nodes[c].End:], " ")
			if !strings.HasSuffix(before, "=") && !strings.HasSuffix(before, "::") && !strings.HasPrefix(next, "::") {
				w.Hide(c)
			}
		}
	}
}

// rustTyped finds the written type of a name.
const rustTyped = `\bNAME\s*:\s*(?:&\s*)?(?:mut\s+)?CAPITAL|\bNAME\s*=\s*&?(?:mut\s+)?CAPITAL(?:::|\s*\{)`
