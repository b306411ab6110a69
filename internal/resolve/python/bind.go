package python

import (
	"slices"

	"codeintel/internal/resolve"
)

// bind finds what each scope of a Python file declares.
func bind(u *resolve.Unit) {
	u.Top = u.Open(resolve.ModuleScope, 0, nil)
	u.Walk(bindNode)
}

// bindNode declares what a node declares, and returns the scope that it opens, if
// any.
func bindNode(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	switch u.Kind(n) {
	case "class_definition":
		s := u.Open(resolve.ClassScope, n, typeParameterScope(u, in, n))
		if name := u.Child(n, "name"); name >= 0 {
			s.Class = in.Declare(u.Text(name), name, n)
			s.Class.Inner = s
		}
		return s
	case "function_definition":
		u.DeclareAt(in, u.Child(n, "name"), n)
		return bindFunction(u, in, n)
	case "lambda":
		return bindFunction(u, in, n)
	case "list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression":
		return u.Open(resolve.BlockScope, n, in)
	case "assignment", "augmented_assignment", "for_statement", "for_in_clause":
		bindTarget(u, in, u.Child(n, "left"), n)
	case "named_expression":
		bindTarget(u, in.Unblocked(), u.Child(n, "name"), n)
	case "as_pattern":
		if target := u.First(n, "as_pattern_target"); target >= 0 {
			bindTarget(u, in, u.First(target), n)
		} else if list := u.List(n); len(list) == 2 && u.Kind(list[1]) == "identifier" {
			bindTarget(u, in, list[1], n)
		}
	case "import_statement", "import_from_statement":
		bindImport(u, in, n)
	case "global_statement":
		send(u, in, n, func(*resolve.Scope) bool { return false })
	case "nonlocal_statement":
		send(u, in, n, func(s *resolve.Scope) bool { return s.Kind == resolve.FunctionScope })
	case "case_pattern":
		bindCapture(u, in, n)
	case "type_alias_statement":
		left := u.First(u.Child(n, "left"))
		if u.Kind(left) == "generic_type" {
			s := u.Open(resolve.BlockScope, n, in)
			bindTypeParameters(u, s, u.First(left, "type_parameter"))
			u.DeclareAt(in, u.First(left), n)
			return s
		}
		u.DeclareAt(in, left, n)
	}
	return nil
}

// bindFunction opens the scope of a function and declares its parameters.
func bindFunction(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	s := u.Open(resolve.FunctionScope, n, typeParameterScope(u, in, n))
	bindParameters(u, s, u.Child(n, "parameters"))
	return s
}

// typeParameterScope is the scope around a class or a function: one of its type parameters,
// if it has any.
func typeParameterScope(u *resolve.Unit, in *resolve.Scope, n int32) *resolve.Scope {
	list := u.Child(n, "type_parameters")
	if list < 0 {
		return in
	}
	s := u.Open(resolve.BlockScope, list, in)
	bindTypeParameters(u, s, list)
	return s
}

// bindTypeParameters declares the type parameters in a list: [T, U: Bound, *Ts].
func bindTypeParameters(u *resolve.Unit, s *resolve.Scope, list int32) {
	for p := range u.Children(list) {
		if name := typeParameterName(u, p); name >= 0 {
			s.Declare(u.Text(name), name, list)
		}
	}
}

// typeParameterName is the name that a type parameter declares, or -1.
func typeParameterName(u *resolve.Unit, p int32) int32 {
	for u.Kind(p) == "type" || u.Kind(p) == "constrained_type" || u.Kind(p) == "splat_type" {
		p = u.First(p)
	}
	if u.Kind(p) != "identifier" {
		return -1
	}
	return p
}

// bindParameters declares the parameters of a function.
func bindParameters(u *resolve.Unit, s *resolve.Scope, list int32) {
	for p := range u.Children(list) {
		name := p
		switch u.Kind(p) {
		case "default_parameter", "typed_default_parameter":
			name = u.Child(p, "name")
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern":
			name = u.First(p)
			if k := u.Kind(name); k == "list_splat_pattern" || k == "dictionary_splat_pattern" {
				name = u.First(name)
			}
		}
		if u.Kind(name) == "identifier" {
			s.Declare(u.Text(name), name, p)
		}
	}
}

// bindTarget declares what an assignment assigns to.
func bindTarget(u *resolve.Unit, s *resolve.Scope, target, node int32) {
	switch u.Kind(target) {
	case "identifier":
		s.Declare(u.Text(target), target, node)
	case "attribute":
		bindAttribute(u, s, target, node)
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list", "expression_list",
		"parenthesized_expression":
		for i := target + 1; i < u.Nodes[target].Next; {
			switch u.Kind(i) {
			case "identifier":
				s.Declare(u.Text(i), i, node)
			case "attribute":
				bindAttribute(u, s, i, node)
			case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list",
				"parenthesized_expression":
				i++
				continue
			}
			i = u.Nodes[i].Next
		}
	}
}

// bindAttribute declares a member where a method assigns to an attribute of
// its first parameter.
func bindAttribute(u *resolve.Unit, s *resolve.Scope, target, node int32) {
	object, name := u.Child(target, "object"), u.Child(target, "attribute")
	s = s.Unblocked()
	members := s.Outer.Unblocked()
	if u.Kind(object) != "identifier" || s.Kind != resolve.FunctionScope || members == nil || members.Kind != resolve.ClassScope || u.Kind(s.Node) != "function_definition" {
		return
	}
	if self := firstParameter(u, s.Node); self < 0 || u.Text(self) != u.Text(object) || decorated(u, s.Node, "staticmethod") {
		return
	}
	word := u.Text(name)
	y := members.Names[word]
	if y == nil {
		y = &resolve.Symbol{Name: word, Unit: u, Scope: members, Bare: true}
		members.Names[word] = y
	}
	y.AddDecl(resolve.Decl{Name: name, Node: node, How: "self"})
	u.Owner[name] = y
}

// firstParameter returns the name of the first parameter, or -1.
func firstParameter(u *resolve.Unit, function int32) int32 {
	p := u.First(u.Child(function, "parameters"))
	switch u.Kind(p) {
	case "identifier":
		return p
	case "typed_parameter":
		return u.First(p, "identifier")
	case "default_parameter", "typed_default_parameter":
		return u.Child(p, "name")
	}
	return -1
}

// decorators returns the expressions that decorate a definition.
func decorators(u *resolve.Unit, definition int32) []int32 {
	p := u.Parent(definition)
	if u.Kind(p) != "decorated_definition" {
		return nil
	}
	var all []int32
	for c := range u.Children(p) {
		if u.Kind(c) == "decorator" {
			all = append(all, u.First(c))
		}
	}
	return all
}

// decorated reports whether one of the decorators of a definition has a name.
func decorated(u *resolve.Unit, definition int32, names ...string) bool {
	for _, d := range decorators(u, definition) {
		if slices.Contains(names, lastName(u, d)) {
			return true
		}
	}
	return false
}

// lastName is the last name of a dotted expression, calls and subscripts left
// off: "b" of a.b[c](d).
func lastName(u *resolve.Unit, n int32) string {
	for {
		switch u.Kind(n) {
		case "call":
			n = u.Child(n, "function")
		case "subscript":
			n = u.Child(n, "value")
		case "generic_type":
			n = u.First(n)
		case "attribute":
			return u.Text(u.Child(n, "attribute"))
		case "member_type":
			list := u.List(n)
			return u.Text(list[len(list)-1])
		case "type":
			n = u.First(n)
		case "identifier":
			return u.Text(n)
		default:
			return ""
		}
	}
}

// bindImport declares what an import brings in.
func bindImport(u *resolve.Unit, s *resolve.Scope, n int32) {
	from := u.Child(n, "module_name")
	for c := range u.Children(n) {
		if c == from {
			continue
		}
		switch u.Kind(c) {
		case "aliased_import":
			if alias := u.Child(c, "alias"); alias >= 0 {
				s.Declare(u.Text(alias), alias, c)
			}
		case "dotted_name":
			if name := u.First(c, "identifier"); name >= 0 {
				s.Declare(u.Text(name), name, c)
			}
		case "wildcard_import":
			s.Stars = append(s.Stars, n)
		}
	}
}

// send notes names that belong to an outer scope.
func send(u *resolve.Unit, s *resolve.Scope, n int32, here func(*resolve.Scope) bool) {
	to := s.Outer
	for to != nil && to.Outer != nil && !here(to) {
		to = to.Outer
	}
	if to == nil {
		return
	}
	if s.Sent == nil {
		s.Sent = map[string]*resolve.Scope{}
	}
	for c := range u.Children(n) {
		s.Sent[u.Text(c)] = to
	}
}

// bindCapture declares the name that a pattern of a match statement binds.
func bindCapture(u *resolve.Unit, s *resolve.Scope, n int32) {
	name := u.First(n)
	switch u.Kind(name) {
	case "keyword_pattern": // of a class: a member, and what it must be
		if list := u.List(name); len(list) == 2 {
			n, name = name, list[1]
		}
	case "splat_pattern":
		name = u.First(name)
	}
	switch u.Kind(name) {
	case "dotted_name":
		if list := u.List(name); len(list) == 1 && u.Text(list[0]) != "_" {
			s.Declare(u.Text(list[0]), list[0], n)
		}
	case "identifier":
		s.Declare(u.Text(name), name, n)
	}
}

// lookup finds what a bare name means where a node is.
func lookup(r *resolve.Resolver, u *resolve.Unit, n int32, name string) *resolve.Symbol {
	s := u.ScopeAt(n)
	var later *resolve.Symbol
	for first := true; s != nil; s, first = s.Outer, false {
		if s.Kind == resolve.ClassScope && !first {
			continue
		}
		if to := s.Sent[name]; to != nil {
			s = to
		}
		if y := s.Names[name]; y != nil && !y.Bare {
			if s.Kind != resolve.ClassScope || s.Unit != u || y.Decls[0].Name < 0 ||
				u.Nodes[y.Decls[0].Name].Start <= u.Nodes[n].Start {
				return y
			}
			later = y // the body of a class has nothing before it is declared, such as a method before its decorators
		}
		for _, star := range s.Stars {
			if y := exported(r, importedModule(r, s.Unit, star), name); y != nil {
				return y
			}
		}
		if s.Kind == resolve.BlockScope { // a comprehension sees the class around it
			first = true
		}
	}
	return later
}
