package rust

import (
	"codeintel/internal/resolve"
)

// meaningOf says what is at a name.
func meaningOf(r *resolve.Resolver, u *resolve.Unit, n int32) resolve.Meaning {
	p := u.Parent(n)
	if y := u.Owner[n]; y != nil {
		m := resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true, Declares: true}
		if u.Kind(n) == "shorthand_field_identifier" { // Point { x }: a variable, and a field
			f, known := patternField(r, u, p, u.Text(n))
			m.Symbols, m.Known = append(m.Symbols, f...), known
		}
		return m
	}
	switch u.Kind(p) {
	case "token_tree", "token_repetition":
		if m, ok := inTokens(r, u, n); ok {
			return m
		}
		return tokenPath(r, u, n).meaning()
	case "token_tree_pattern", "token_repetition_pattern":
		return resolve.Meaning{}
	case "lifetime", "label", "attribute":
		return resolve.Meaning{Known: true}
	case "field_expression":
		if u.Field(n) == "field" {
			return afterDot(r, u, p, n)
		}
	case "field_initializer":
		if u.Field(n) == "field" {
			return literalField(r, u, p, u.Text(n))
		}
	case "shorthand_field_initializer":
		m := literalField(r, u, p, u.Text(n))
		e := resolvePath(r, u, n, values)
		if e.symbol != nil {
			m.Symbols = append(m.Symbols, e.symbol)
		}
		return m
	case "field_pattern":
		if u.Field(n) == "name" {
			f, known := patternField(r, u, p, u.Text(n))
			return resolve.Meaning{Symbols: f, Known: known}
		}
	case "type_binding":
		if u.Field(n) == "name" {
			return bindingMeaning(r, u, p, u.Text(n))
		}
	}
	if u.Around(n, "use_declaration", "extern_crate_declaration") >= 0 {
		return importMeaning(r, u, n)
	}
	return pathMeaning(r, u, n)
}

// meaning of what an entity is.
func (e entity) meaning() resolve.Meaning {
	switch {
	case e.symbol != nil: // of std, some implementation is meant
		return resolve.Meaning{Symbols: []*resolve.Symbol{e.symbol}, Known: true, OneOf: e.symbol.Unit.Path == stdPath}
	case e.typ != nil && e.typ.kind == kindNamed:
		return resolve.Meaning{Known: true}
	case e.typ != nil && e.typ.kind == kindProjection: // no trait that is known declares it: a macro may
		return resolve.Meaning{}
	}
	return resolve.Meaning{Known: e.known()}
}

// pathMeaning resolves a name that stands alone or in a path.
func pathMeaning(r *resolve.Resolver, u *resolve.Unit, n int32) resolve.Meaning {
	at, p := n, u.Parent(n)
	if k := u.Kind(p); (k == "scoped_identifier" || k == "scoped_type_identifier") && u.Field(n) == "name" {
		at, p = p, u.Parent(p)
	}
	space := values
	switch {
	case u.Field(at) == "macro" && u.Kind(p) == "macro_invocation":
		space = macros
	case u.Kind(n) == "type_identifier":
		space = types
	case (u.Kind(p) == "scoped_identifier" || u.Kind(p) == "scoped_type_identifier") && u.Field(at) == "path":
		space = types
	case u.Kind(p) == "generic_type" || u.Kind(p) == "visibility_modifier" || u.Kind(p) == "struct_pattern":
		space = types
	}
	e := resolvePath(r, u, at, space)
	if !e.known() && space == types { // a constant of a type parameter, a variant
		e = resolvePath(r, u, at, values)
	}
	return e.meaning()
}

// importMeaning resolves a name of a use declaration: it may bring in a type, a value
// and a macro at once.
func importMeaning(r *resolve.Resolver, u *resolve.Unit, n int32) resolve.Meaning {
	m := resolve.Meaning{Known: true}
	last, alias := n, ""
	if p := u.Parent(n); u.Kind(p) == "scoped_identifier" && u.Field(n) == "name" {
		last = p
	}
	switch p := u.Parent(last); u.Kind(p) {
	case "use_as_clause":
		path := u.Child(p, "path")
		if last != path {
			last = path
		} else {
			alias = u.Text(u.Child(p, "alias"))
		}
		if u.Kind(last) == "self" {
			last = u.Child(u.Around(p, "scoped_use_list"), "path")
		}
	case "extern_crate_declaration":
		last = u.Child(p, "name")
	}
	spaces := []namespace{types, values, macros}
	switch u.Kind(u.Parent(last)) {
	case "scoped_identifier", "scoped_use_list":
		if u.Field(last) == "path" { // no function or macro has anything in it
			spaces = spaces[:1]
		}
	case "use_wildcard":
		spaces = spaces[:1]
	}
	known := false
	for _, space := range spaces {
		e := imported(r, u, last, space)
		if e.symbol != nil {
			m.Symbols = append(m.Symbols, e.symbol)
		}
		known = known || e.known()
	}
	m.Known = known
	if alias != "" && alias != "_" {
		m.Alias = alias
	}
	return m
}

// afterDot resolves the name of a method or a field.
func afterDot(r *resolve.Resolver, u *resolve.Unit, p, n int32) resolve.Meaning {
	t, name := typeOf(r, u, u.Child(p, "value")), u.Text(n)
	called := p
	if u.Kind(u.Parent(p)) == "generic_function" {
		called = u.Parent(p)
	}
	if u.Kind(u.Parent(called)) == "call_expression" && u.Field(called) == "function" {
		e, certain := method(r, u, t, name)
		m := e.meaning()
		m.Known = certain
		return m
	}
	y, _, certain := field(r, t, name)
	if y == nil {
		return resolve.Meaning{Known: certain}
	}
	return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true}
}

// literalField finds the field that a part of a struct literal fills.
func literalField(r *resolve.Resolver, u *resolve.Unit, n int32, name string) resolve.Meaning {
	e := resolvePath(r, u, u.Child(u.Around(n, "struct_expression"), "name"), types)
	y := structOf(r, e)
	if y == nil {
		return resolve.Meaning{Known: e.outside}
	}
	if f, _ := fieldIn(r, y.Unit, y, name); f != nil {
		return resolve.Meaning{Symbols: []*resolve.Symbol{f}, Known: true}
	}
	return resolve.Meaning{Known: true}
}

// structOf is the struct or variant whose fields an entity has.
func structOf(r *resolve.Resolver, e entity) *resolve.Symbol {
	if e.symbol != nil && e.symbol.Unit.Kind(e.symbol.Decls[0].Node) == "enum_variant" {
		return e.symbol
	}
	if t := typeOfEntity(r, e); t != nil && t.kind == kindNamed {
		return t.sym
	}
	return nil
}

// patternField finds the field that a part of a struct pattern takes.
func patternField(r *resolve.Resolver, u *resolve.Unit, p int32, name string) ([]*resolve.Symbol, bool) {
	pattern := u.Around(p, "struct_pattern")
	e := resolvePath(r, u, u.Child(pattern, "type"), types)
	y := structOf(r, e)
	if y == nil {
		return nil, e.outside
	}
	if f, _ := fieldIn(r, y.Unit, y, name); f != nil {
		return []*resolve.Symbol{f}, true
	}
	return nil, true
}

// bindingMeaning finds the associated type of Trait<Name = T>.
func bindingMeaning(r *resolve.Resolver, u *resolve.Unit, p int32, name string) resolve.Meaning {
	e := resolvePath(r, u, u.Child(u.Around(p, "generic_type"), "type"), types)
	if e.symbol == nil {
		return resolve.Meaning{Known: e.outside}
	}
	return traitMember(r, e.symbol, name, types).meaning()
}
