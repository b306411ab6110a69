package resolve

import (
	"strings"
)

// tsMeaning says what a name in a script stands for.
func (r *Resolver) tsMeaning(s spot) meaning {
	if s.u.kind(s.n) == "comment" {
		return r.linkMeaning(s)
	}
	m := r.tsNameMeaning(s.u, s.n)
	m.sort = s.u.aspectAt(s.n, m.declares)
	return m
}

// aspectAt says whether a name stands for a type or a value, by where it is.
func (u *unit) aspectAt(n int32, declares bool) aspect {
	if declares {
		if y := u.owner[n]; y != nil {
			for _, d := range y.decls {
				if d.name == n {
					return aspectOf(u.kind(d.node))
				}
			}
		}
		return asEither
	}
	switch p := u.parent(n); u.kind(p) {
	case "import_specifier", "export_specifier", "import_clause", "namespace_import", "export_statement", "nested_type_identifier":
		return asEither
	case "type_query":
		return asValue
	case "extends_clause":
		if u.kind(u.parent(p)) == "class_heritage" {
			return asValue
		}
		return asType
	}
	switch u.kind(n) {
	case "type_identifier":
		return asType
	case "string":
		return asEither
	}
	return asValue
}

// aspectOf says what a kind of declaration declares.
func aspectOf(kind string) aspect {
	switch kind {
	case "interface_declaration", "type_alias_declaration", "type_parameter":
		return asType
	case "class_declaration", "abstract_class_declaration", "class", "enum_declaration", "internal_module", "module",
		"import_specifier", "import_clause", "namespace_import", "export_specifier", "export_statement", "namespace_export":
		return asEither
	}
	return asValue
}

// aspects widens an aspect by what the declarations of a symbol that have it
// are besides: a class is both.
func (y *symbol) aspects(a aspect) aspect {
	if a == asEither {
		return asEither
	}
	for _, d := range y.decls {
		if b := aspectOf(y.unit.kind(d.node)); b == asEither {
			return asEither
		}
	}
	return a
}

func (r *Resolver) tsNameMeaning(u *unit, n int32) meaning {
	p := u.parent(n)
	switch u.kind(p) {
	case "member_expression", "nested_identifier":
		if u.field(n) == "property" || u.kind(p) == "nested_identifier" && u.first(p) != n {
			object := u.child(p, "object")
			if object < 0 {
				object = u.first(p)
			}
			return r.tsMeaningOf(r.tsMembers(r.tsExpr(u, object), u.of(n)))
		}
	case "nested_type_identifier":
		if u.first(p) != n {
			if y := r.nested(u, p); y != nil {
				return meaning{symbols: r.tsFinals(y), known: true}
			}
			return meaning{known: true}
		}
	case "import_specifier", "export_specifier":
		return r.specifierMeaning(u, p, n)
	case "pair_pattern":
		if u.field(n) == "key" {
			return r.tsMeaningOf(r.tsMembers(r.ofObjectPattern(u, u.parent(p)), unquote(u.of(n))))
		}
	case "subscript_expression":
		if u.kind(n) == "string" {
			return r.tsMeaningOf(r.tsMembers(r.tsExpr(u, u.child(p, "object")), unquote(u.of(n))))
		}
	case "literal_type":
		return r.tsMeaningOf(r.tsMembers(r.tsAnnotation(u, u.first(u.parent(p))), unquote(u.of(n))))
	case "jsx_attribute":
		return meaning{}
	}
	y := u.owner[n]
	switch u.kind(n) {
	case "shorthand_property_identifier_pattern":
		pattern := p
		if u.kind(p) == "object_assignment_pattern" {
			pattern = u.parent(p)
		}
		m := r.tsMeaningOf(r.tsMembers(r.ofObjectPattern(u, pattern), u.of(n)))
		if y == nil {
			y = r.tsLookup(u, n, u.of(n))
		}
		if y != nil {
			m.symbols = append([]*symbol{y}, m.symbols...)
			m.declares, m.known = true, true
		}
		return m
	case "shorthand_property_identifier":
		m := meaning{known: true}
		if y != nil {
			m.symbols = append(m.symbols, y)
		}
		if v := r.tsLookup(u, n, u.of(n)); v != nil {
			m.symbols = append(m.symbols, r.tsFinals(v)...)
		}
		return m
	case "property_identifier", "private_property_identifier", "string":
		if y == nil {
			return meaning{}
		}
	case "statement_identifier":
		return meaning{known: true}
	}
	if y != nil {
		if y.importedAt(n) {
			return meaning{symbols: r.tsFinals(y), known: true}
		}
		return meaning{symbols: []*symbol{y}, known: true, declares: true}
	}
	if y = r.tsLookup(u, n, u.of(n)); y == nil {
		return meaning{known: true} // of the language, or of nowhere
	}
	return meaning{symbols: r.tsFinals(y), known: true}
}

func (r *Resolver) tsMeaningOf(found []tsMember, known bool) meaning {
	m := meaning{known: known}
	for _, f := range found {
		m.symbols = append(m.symbols, r.tsFinals(f.symbol)...)
	}
	return m
}

// specifierMeaning finds what a name in an import or export clause stands for.
func (r *Resolver) specifierMeaning(u *unit, p, n int32) meaning {
	m := meaning{known: true}
	bound, alias := u.child(p, "name"), u.child(p, "alias")
	if alias >= 0 {
		bound = alias
		if n != alias {
			m.alias = u.of(alias)
		}
	}
	if y := u.owner[bound]; y != nil {
		m.symbols = r.tsFinals(y)
	}
	return m
}

// ofObjectPattern is the type of what an object pattern takes apart.
func (r *Resolver) ofObjectPattern(u *unit, pattern int32) tsType {
	for at := pattern; at >= 0; at = u.parent(at) {
		switch k := u.kind(at); k {
		case "variable_declarator", "required_parameter", "optional_parameter", "for_in_statement":
			outer := u.child(at, "pattern")
			if outer < 0 {
				outer = u.child(at, "name")
			}
			if k == "for_in_statement" {
				outer = u.child(at, "left")
			}
			return r.part(u, outer, pattern, r.patternSource(u, at))
		case "assignment_expression":
			return r.part(u, u.child(at, "left"), pattern, r.tsExpr(u, u.child(at, "right")))
		case "formal_parameters", "statement_block", "program":
			return nil
		}
		if u.kind(u.parent(at)) == "formal_parameters" && u.kind(at) != "required_parameter" && u.kind(at) != "optional_parameter" {
			return r.part(u, at, pattern, r.expectedParameter(u, at))
		}
	}
	return nil
}

// linkMeaning finds what a name in a comment stands for: a link to something
// that is seen from where the comment stands, or a parameter of the function
// below it.
func (r *Resolver) linkMeaning(s spot) meaning {
	u := s.u
	name := leadingName(u.of(s.n)[s.word:])
	m := meaning{known: true}
	if strings.HasSuffix(strings.TrimRight(u.of(s.n)[:s.word], " ["), "@param") {
		if y := u.parameterBelow(s.n, name); y != nil {
			m.symbols = []*symbol{y}
		}
		return m
	}
	y := r.tsLookup(u, s.n, name)
	if y == nil {
		if b := u.around(s.n, "class_body", "interface_body"); b >= 0 && u.members[b] != nil {
			y = u.members[b].names[name]
		}
	}
	if y != nil {
		m.symbols = r.tsFinals(y)
	}
	return m
}

// parameterBelow finds a parameter of the function that a comment documents.
func (u *unit) parameterBelow(comment int32, name string) *symbol {
	next := u.nodes[comment].Next
	for int(next) < len(u.nodes) && u.kind(next) == "comment" {
		next = u.nodes[next].Next
	}
	if int(next) >= len(u.nodes) {
		return nil
	}
	for i := next; i < u.nodes[next].Next; i++ {
		if s := u.scopes[i]; s != nil && s.kind == functionScope {
			if y := s.names[name]; y != nil {
				return y
			}
			return nil
		}
		if u.kind(i) == "statement_block" || u.kind(i) == "class_body" {
			return nil
		}
	}
	return nil
}
