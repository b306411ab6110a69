package rust

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/resolve"
)

// A unitInfo is what binding finds in a file beside its scopes.
type unitInfo struct {
	locals map[string][]local // variables by name, type parameters by typeKey, in source order
	impls  []*impl
	traits []*resolve.Symbol
	uses   map[*resolve.Scope]*imports
}

// A local is a name that is seen in a stretch of nodes.
type local struct {
	symbol   *resolve.Symbol
	from, to int32
}

// The imports of a module or a block.
type imports struct {
	names map[string][]int32 // name -> the last parts of paths that bring it in
	globs []int32            // use_wildcard nodes
}

// typeKey, macroKey: types, values and macros may share a name; a scope has each
// under a key of its own.
func typeKey(name string) string  { return ":" + name }
func macroKey(name string) string { return "!" + name }

func infoOf(u *resolve.Unit) *unitInfo { return memoryOf(u).units[u] }

// bind finds what each scope of a file declares.
func bind(u *resolve.Unit) {
	memoryOf(u).units[u] = &unitInfo{locals: map[string][]local{}, uses: map[*resolve.Scope]*imports{}}
	u.Top = u.Open(resolve.ModuleScope, 0, nil)
	u.Walk(bindNode)
}

// bindNode declares what a node declares, and returns the scope that it opens, if
// any.
func bindNode(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	switch u.Kind(n) {
	case "mod_item":
		return bindModule(u, in, n)
	case "struct_item", "union_item", "enum_item", "trait_item":
		return bindType(u, in, n)
	case "enum_variant":
		return bindVariant(u, in, n)
	case "impl_item":
		s := u.Open(resolve.ClassScope, n, in)
		infoOf(u).impls = append(infoOf(u).impls, &impl{unit: u, node: n, scope: s})
		bindTypeParameters(u, n)
		return s
	case "type_item", "associated_type":
		declare(u, in, n, typeKey)
		bindTypeParameters(u, n)
	case "function_item", "function_signature_item":
		u.DeclareAt(in, u.Child(n, "name"), n)
		bindTypeParameters(u, n)
		bindParameters(u, n)
	case "const_item", "static_item", "field_declaration":
		u.DeclareAt(in, u.Child(n, "name"), n)
	case "macro_definition":
		declare(u, in, n, macroKey)
	case "use_declaration":
		bindUse(u, in, u.Child(n, "argument"))
	case "extern_crate_declaration":
		name := u.Child(n, "name")
		bound := name
		if a := u.Child(n, "alias"); a >= 0 {
			bound = a
		}
		importsIn(u, in).add(u.Text(bound), name)
	case "block":
		if declaresItems(u, n) {
			return u.Open(resolve.BlockScope, n, in)
		}
	default:
		bindLocals(u, n)
	}
	return nil
}

// declare declares a name under a key. The symbol has the plain name.
func declare(u *resolve.Unit, in *resolve.Scope, n int32, key func(string) string) *resolve.Symbol {
	name := u.Child(n, "name")
	if name < 0 {
		return nil
	}
	y := in.Declare(key(u.Text(name)), name, n)
	y.Name = u.Text(name)
	return y
}

func bindModule(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	y := declare(u, in, n, typeKey)
	if y == nil || u.Child(n, "body") < 0 {
		return nil
	}
	s := u.Open(resolve.ModuleScope, n, in)
	if y.Inner == nil {
		y.Inner = s
	} else { // it is written for each of several platforms: one thing
		s.Names = y.Inner.Names
		infoOf(u).uses[s] = importsIn(u, y.Inner)
	}
	s.Class = y
	return s
}

func bindType(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	bindTypeParameters(u, n)
	s := u.Open(resolve.ClassScope, n, in)
	y := declare(u, in, n, typeKey)
	if y == nil {
		return s
	}
	if y.Inner == nil {
		y.Inner = s
	}
	s.Class = y
	switch u.Kind(n) {
	case "trait_item":
		infoOf(u).traits = append(infoOf(u).traits, y)
	case "struct_item":
		if u.Kind(u.Child(n, "body")) != "field_declaration_list" && in.Names[y.Name] == nil {
			in.Names[y.Name] = y // a constructor, or a constant
		}
	}
	return s
}

func bindVariant(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	s := u.Open(resolve.ClassScope, n, in)
	name := u.Child(n, "name")
	if name < 0 {
		return s
	}
	y := in.Declare(u.Text(name), name, n)
	in.Names[typeKey(y.Name)] = y
	y.Inner, s.Class = s, y
	return s
}

// bindTypeParameters declares the type parameters of an item, which are seen in all
// of it.
func bindTypeParameters(u *resolve.Unit, n int32) {
	for p := range u.Children(u.Child(n, "type_parameters")) {
		name := u.Child(p, "name")
		switch u.Kind(p) {
		case "type_parameter":
			addLocal(u, typeKey(u.Text(name)), name, p, n, u.Nodes[n].Next)
		case "const_parameter":
			addLocal(u, u.Text(name), name, p, n, u.Nodes[n].Next)
		}
	}
}

func bindParameters(u *resolve.Unit, n int32) {
	body := u.Child(n, "body")
	for p := range u.Children(u.Child(n, "parameters")) {
		if u.Kind(p) == "parameter" {
			from := body
			if from < 0 {
				from = u.Nodes[p].Next
			}
			bindPattern(u, u.Child(p, "pattern"), p, from, u.Nodes[n].Next)
		}
	}
}

// bindLocals declares the variables of a node.
func bindLocals(u *resolve.Unit, n int32) {
	switch u.Kind(n) {
	case "let_declaration":
		bindPattern(u, u.Child(n, "pattern"), n, u.Nodes[n].Next, u.Nodes[u.Parent(n)].Next)
	case "closure_expression":
		for p := range u.Children(u.Child(n, "parameters")) {
			pattern := p
			if u.Kind(p) == "parameter" {
				pattern = u.Child(p, "pattern")
			}
			bindPattern(u, pattern, p, u.Child(n, "body"), u.Nodes[n].Next)
		}
	case "for_expression":
		bindPattern(u, u.Child(n, "pattern"), n, u.Child(n, "body"), u.Nodes[n].Next)
	case "match_arm":
		pattern := u.First(u.Child(n, "pattern"))
		if pattern >= 0 {
			bindPattern(u, pattern, n, u.Nodes[pattern].Next, u.Nodes[n].Next)
		}
	case "let_condition":
		bindPattern(u, u.Child(n, "pattern"), n, u.Nodes[n].Next, conditionEnd(u, n))
	}
}

// conditionEnd is the end of what a let in a condition is seen in.
func conditionEnd(u *resolve.Unit, n int32) int32 {
	p := u.Parent(n)
	for u.Kind(p) == "let_chain" || u.Kind(p) == "binary_expression" || u.Kind(p) == "parenthesized_expression" {
		p = u.Parent(p)
	}
	switch u.Kind(p) {
	case "if_expression":
		return u.Nodes[max(0, u.Child(p, "consequence"))].Next
	case "match_pattern":
		return u.Nodes[u.Parent(p)].Next
	}
	return u.Nodes[max(0, p)].Next
}

// bindPattern declares the variables of a pattern.
func bindPattern(u *resolve.Unit, pattern, node, from, to int32) {
	if pattern < 0 || from < 0 {
		return
	}
	for i := pattern; i < u.Nodes[pattern].Next; {
		switch u.Kind(i) {
		case "scoped_identifier", "scoped_type_identifier", "macro_invocation", "generic_pattern",
			"range_pattern", "lifetime", "const_block":
			i = u.Nodes[i].Next
			continue
		case "identifier":
			if bindsInPattern(u, i) {
				addLocal(u, u.Text(i), i, node, from, to)
			}
		case "shorthand_field_identifier":
			addLocal(u, u.Text(i), i, node, from, to)
		}
		i++
	}
}

// bindsInPattern reports whether an identifier of a pattern is a new variable: those
// that begin with a capital are constants, variants and structs.
func bindsInPattern(u *resolve.Unit, n int32) bool {
	first, _ := utf8.DecodeRuneInString(u.Text(n))
	return u.Field(n) != "type" && !unicode.IsUpper(first)
}

func addLocal(u *resolve.Unit, key string, name, node, from, to int32) {
	if name < 0 {
		return
	}
	list := infoOf(u).locals[key]
	if k := len(list) - 1; k >= 0 && list[k].symbol.Decls[0].Node == node { // A(x) | B(x)
		y := list[k].symbol
		y.AddDecl(resolve.Decl{Name: name, Node: node})
		u.Owner[name] = y
		return
	}
	y := &resolve.Symbol{Name: u.Text(name), Unit: u, Decls: []resolve.Decl{{Name: name, Node: node}}}
	u.Owner[name] = y
	infoOf(u).locals[key] = append(list, local{y, from, to})
}

// declaresItems reports whether a block declares items, which all of it sees.
func declaresItems(u *resolve.Unit, n int32) bool {
	for c := range u.Children(n) {
		switch u.Kind(c) {
		case "function_item", "struct_item", "enum_item", "union_item", "trait_item", "impl_item", "use_declaration",
			"const_item", "static_item", "mod_item", "type_item", "macro_definition", "extern_crate_declaration":
			return true
		}
	}
	return false
}

func importsIn(u *resolve.Unit, in *resolve.Scope) *imports {
	uses := infoOf(u).uses
	if uses[in] == nil {
		uses[in] = &imports{names: map[string][]int32{}}
	}
	return uses[in]
}

func (i *imports) add(name string, last int32) {
	if !slices.Contains(i.names[name], last) {
		i.names[name] = append(i.names[name], last)
	}
}

// bindUse notes what one clause of a use declaration brings in.
func bindUse(u *resolve.Unit, in *resolve.Scope, n int32) {
	switch u.Kind(n) {
	case "identifier":
		importsIn(u, in).add(u.Text(n), n)
	case "self": // use a::b::{self}
		if p := u.Around(n, "scoped_use_list"); p >= 0 {
			if path := u.Child(p, "path"); path >= 0 {
				importsIn(u, in).add(u.Text(lastOf(u, path)), path)
			}
		}
	case "scoped_identifier":
		importsIn(u, in).add(u.Text(lastOf(u, n)), n)
	case "use_as_clause":
		path := u.Child(n, "path")
		if u.Kind(path) == "self" {
			if p := u.Around(n, "scoped_use_list"); p >= 0 {
				path = u.Child(p, "path")
			}
		}
		importsIn(u, in).add(u.Text(u.Child(n, "alias")), path)
	case "use_wildcard":
		i := importsIn(u, in)
		i.globs = append(i.globs, n)
	case "use_list":
		for c := range u.Children(n) {
			bindUse(u, in, c)
		}
	case "scoped_use_list":
		bindUse(u, in, u.Child(n, "list"))
	}
}

// lastOf is the last name of a path.
func lastOf(u *resolve.Unit, n int32) int32 {
	if name := u.Child(n, "name"); name >= 0 {
		return name
	}
	return n
}
