package resolve

import "slices"

// bindPython finds what each scope of a Python file declares. It goes over the
// nodes once, in the order of the source, and recurses on nothing.
func bindPython(u *unit) {
	u.top = u.open(moduleScope, 0, nil)
	u.bindPythonIn(u.top)
}

func (u *unit) bindPythonIn(top *scope) {
	open := []*scope{top}
	for i := range u.nodes {
		n := int32(i)
		for len(open) > 1 && n >= u.nodes[open[len(open)-1].node].Next {
			open = open[:len(open)-1]
		}
		in := open[len(open)-1]
		switch u.kind(n) {
		case "class_definition":
			name := u.child(n, "name")
			s := u.open(classScope, n, in)
			open = append(open, s)
			if name >= 0 {
				s.class = in.declare(u.of(name), name, n)
				s.class.inner = s
			}
		case "function_definition":
			if name := u.child(n, "name"); name >= 0 {
				in.declare(u.of(name), name, n)
			}
			s := u.open(functionScope, n, in)
			open = append(open, s)
			u.bindParameters(s, u.child(n, "parameters"))
		case "lambda":
			s := u.open(functionScope, n, in)
			open = append(open, s)
			u.bindParameters(s, u.child(n, "parameters"))
		case "list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression":
			open = append(open, u.open(blockScope, n, in))
		case "assignment", "augmented_assignment", "for_statement", "for_in_clause":
			u.bindTarget(in, u.child(n, "left"), n)
		case "named_expression":
			at := in
			for at.kind == blockScope && at.outer != nil {
				at = at.outer
			}
			u.bindTarget(at, u.child(n, "name"), n)
		case "as_pattern":
			if target := u.first(n, "as_pattern_target"); target >= 0 {
				u.bindTarget(in, u.first(target), n)
			} else if list := u.list(n); len(list) == 2 && u.kind(list[1]) == "identifier" {
				u.bindTarget(in, list[1], n)
			}
		case "import_statement", "import_from_statement":
			u.bindImport(in, n)
		case "global_statement":
			u.send(in, n, func(*scope) bool { return false })
		case "nonlocal_statement":
			u.send(in, n, func(s *scope) bool { return s.kind == functionScope })
		case "case_pattern":
			u.bindCapture(in, n)
		case "type_alias_statement":
			if left := u.child(n, "left"); left >= 0 {
				if name := u.first(left, "identifier"); name >= 0 {
					in.declare(u.of(name), name, n)
				}
			}
		}
	}
}

// bindParameters declares the parameters of a function.
func (u *unit) bindParameters(s *scope, list int32) {
	for p := range u.children(list) {
		name := p
		switch u.kind(p) {
		case "default_parameter", "typed_default_parameter":
			name = u.child(p, "name")
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern":
			name = u.first(p)
			if k := u.kind(name); k == "list_splat_pattern" || k == "dictionary_splat_pattern" {
				name = u.first(name)
			}
		}
		if u.kind(name) == "identifier" {
			s.declare(u.of(name), name, p)
		}
	}
}

// bindTarget declares what an assignment assigns to.
func (u *unit) bindTarget(s *scope, target, node int32) {
	switch u.kind(target) {
	case "identifier":
		s.declare(u.of(target), target, node)
	case "attribute":
		u.bindAttribute(s, target, node)
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list", "expression_list", "parenthesized_expression":
		for i := target + 1; i < u.nodes[target].Next; {
			switch u.kind(i) {
			case "identifier":
				s.declare(u.of(i), i, node)
			case "attribute":
				u.bindAttribute(s, i, node)
			case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list", "parenthesized_expression":
				i++
				continue
			}
			i = u.nodes[i].Next
		}
	}
}

// bindAttribute declares a member where a method assigns to an attribute of
// its first parameter.
func (u *unit) bindAttribute(s *scope, target, node int32) {
	object, name := u.child(target, "object"), u.child(target, "attribute")
	for s != nil && s.kind == blockScope {
		s = s.outer
	}
	if u.kind(object) != "identifier" || s == nil || s.kind != functionScope || s.outer == nil || s.outer.kind != classScope || u.kind(s.node) != "function_definition" {
		return
	}
	if self := u.firstParameter(s.node); self < 0 || u.of(self) != u.of(object) || u.decorated(s.node, "staticmethod") {
		return
	}
	members := s.outer
	word := u.of(name)
	y := members.names[word]
	if y == nil {
		y = &symbol{name: word, unit: u, scope: members, bare: true}
		members.names[word] = y
	}
	y.decls = append(y.decls, decl{name: name, node: node, how: "self"})
	u.owner[name] = y
}

// firstParameter returns the name of the first parameter, or -1.
func (u *unit) firstParameter(function int32) int32 {
	p := u.first(u.child(function, "parameters"))
	switch u.kind(p) {
	case "identifier":
		return p
	case "typed_parameter":
		return u.first(p, "identifier")
	case "default_parameter", "typed_default_parameter":
		return u.child(p, "name")
	}
	return -1
}

// decorators returns the expressions that decorate a definition.
func (u *unit) decorators(definition int32) []int32 {
	p := u.parent(definition)
	if u.kind(p) != "decorated_definition" {
		return nil
	}
	var all []int32
	for c := range u.children(p) {
		if u.kind(c) == "decorator" {
			all = append(all, u.first(c))
		}
	}
	return all
}

// decorated reports whether one of the decorators of a definition has a name.
func (u *unit) decorated(definition int32, names ...string) bool {
	for _, d := range u.decorators(definition) {
		if slices.Contains(names, u.lastName(d)) {
			return true
		}
	}
	return false
}

// lastName is the last name of a dotted expression, calls and subscripts left
// off: "b" of a.b[c](d).
func (u *unit) lastName(n int32) string {
	for {
		switch u.kind(n) {
		case "call":
			n = u.child(n, "function")
		case "subscript":
			n = u.child(n, "value")
		case "generic_type":
			n = u.first(n)
		case "attribute":
			return u.of(u.child(n, "attribute"))
		case "member_type":
			list := u.list(n)
			return u.of(list[len(list)-1])
		case "type":
			n = u.first(n)
		case "identifier":
			return u.of(n)
		default:
			return ""
		}
	}
}

// bindImport declares what an import brings in.
func (u *unit) bindImport(s *scope, n int32) {
	from := u.child(n, "module_name")
	for c := range u.children(n) {
		if c == from {
			continue
		}
		switch u.kind(c) {
		case "aliased_import":
			if alias := u.child(c, "alias"); alias >= 0 {
				s.declare(u.of(alias), alias, c)
			}
		case "dotted_name":
			if name := u.first(c, "identifier"); name >= 0 {
				s.declare(u.of(name), name, c)
			}
		case "wildcard_import":
			s.stars = append(s.stars, n)
		}
	}
}

// send notes names that belong to an outer scope.
func (u *unit) send(s *scope, n int32, here func(*scope) bool) {
	to := s.outer
	for to != nil && to.outer != nil && !here(to) {
		to = to.outer
	}
	if to == nil {
		return
	}
	if s.sent == nil {
		s.sent = map[string]*scope{}
	}
	for c := range u.children(n) {
		s.sent[u.of(c)] = to
	}
}

// bindCapture declares the name that a pattern of a match statement binds.
func (u *unit) bindCapture(s *scope, n int32) {
	name := u.first(n)
	switch u.kind(name) {
	case "dotted_name":
		if list := u.list(name); len(list) == 1 && u.of(list[0]) != "_" {
			s.declare(u.of(list[0]), list[0], n)
		}
	case "identifier":
		s.declare(u.of(name), name, n)
	}
}

// lookup finds what a bare name means where a node stands.
func (r *Resolver) pyLookup(u *unit, n int32, name string) *symbol {
	s := u.scopeAt(n)
	for first := true; s != nil; s, first = s.outer, false {
		if s.kind == classScope && !first {
			continue
		}
		if to := s.sent[name]; to != nil {
			s = to
		}
		if y := s.names[name]; y != nil && !y.bare {
			return y
		}
		for _, star := range s.stars {
			if y := r.pyExport(r.pyImported(s.unit, star), name); y != nil {
				return y
			}
		}
		if s.kind == blockScope { // a comprehension sees the class around it
			first = true
		}
	}
	return nil
}
