package resolve

// tsMeaning says what a name in a script stands for.
func (r *Resolver) tsMeaning(s spot) meaning {
	u, n := s.u, s.n
	if u.kind(n) == "comment" {
		return r.linkMeaning(s)
	}
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

// linkMeaning finds what a link in a comment leads to, as seen from where the
// comment stands.
func (r *Resolver) linkMeaning(s spot) meaning {
	u := s.u
	end := s.word
	text := u.of(s.n)
	for end < uint32(len(text)) && (text[end] == '_' || text[end] == '$' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	y := r.tsLookup(u, s.n, text[s.word:end])
	if y == nil {
		return meaning{known: true}
	}
	return meaning{symbols: r.tsFinals(y), known: true}
}
