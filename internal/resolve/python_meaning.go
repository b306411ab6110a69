package resolve

// pyMeaning says what a name in a Python file stands for.
func (r *Resolver) pyMeaning(u *unit, n int32) meaning {
	p := u.parent(n)
	if y := u.owner[n]; y != nil && !y.importedAt(n) {
		return meaning{symbols: []*symbol{y}, known: true, declares: true}
	}
	switch u.kind(p) {
	case "attribute":
		if u.field(n) == "attribute" {
			return r.pyMemberMeaning(u, p, n)
		}
	case "keyword_argument":
		if u.field(n) == "name" {
			return r.pyKeywordMeaning(u, p, n)
		}
	case "dotted_name", "aliased_import":
		if i := u.around(n, "import_statement", "import_from_statement", "future_import_statement"); i >= 0 {
			return r.pyImportMeaning(u, i, n)
		}
	}
	y := r.pyLookup(u, n, u.of(n))
	if y == nil {
		return meaning{known: true} // of the language, or of nowhere
	}
	return meaning{symbols: r.finals(y), known: true}
}

func (r *Resolver) pyMemberMeaning(u *unit, p, n int32) meaning {
	found, known := r.pyMembers(r.pyExpr(u, u.child(p, "object")), u.of(n))
	m := meaning{known: known}
	for _, f := range found {
		m.symbols = append(m.symbols, r.finals(f.symbol)...)
	}
	return m
}

// pyKeywordMeaning finds the parameter that an argument is passed to by name.
func (r *Resolver) pyKeywordMeaning(u *unit, p, n int32) meaning {
	call := u.parent(u.parent(p))
	name := u.of(n)
	if u.kind(call) != "call" {
		return meaning{known: true}
	}
	var args []pyType
	list := u.child(call, "arguments")
	for c := range u.children(list) {
		if k := u.kind(c); k != "keyword_argument" && k != "dictionary_splat" && k != "list_splat" {
			args = append(args, r.pyExpr(u, c))
		}
	}
	callee := r.pyExpr(u, u.child(call, "function"))
	m := meaning{known: len(callee) > 0}
	for _, v := range callee {
		switch v.kind {
		case pyFunction:
			f := r.pyOverload(v, args, u, list)
			if y := r.parameterNamed(f.unit, f.node, name); y != nil {
				m.symbols = append(m.symbols, y)
			}
		case pyClass, pyInstance:
			m.symbols = append(m.symbols, r.pyConstructorParameter(v, name, args, u, list)...)
		}
	}
	return m
}

// pyConstructorParameter finds a parameter of a class's constructor, or of
// what makes its instances callable. The fields of a class that has neither
// are parameters of the one that a decorator makes.
func (r *Resolver) pyConstructorParameter(v pyValue, name string, args []pyType, u *unit, list int32) []*symbol {
	methods := []string{"__call__"}
	if v.kind == pyClass {
		methods = []string{"__init__", "__new__"}
	}
	for _, method := range methods {
		m, ok, _ := r.pyMember(v, method)
		if !ok {
			continue
		}
		for _, f := range r.pyBound(m, v) {
			if f.kind != pyFunction {
				continue
			}
			f = r.pyOverload(f, args, u, list)
			if y := r.parameterNamed(f.unit, f.node, name); y != nil {
				return []*symbol{y}
			}
		}
		return nil
	}
	if v.kind == pyClass {
		if m, ok, _ := r.pyMember(v, name); ok {
			return []*symbol{m.symbol}
		}
	}
	return nil
}

// pyImportMeaning finds what a name in an import statement brings in. The
// parts of a module's path stand for modules.
func (r *Resolver) pyImportMeaning(u *unit, statement, n int32) meaning {
	item := u.parent(n)
	if u.kind(item) == "dotted_name" && u.kind(u.parent(item)) == "aliased_import" {
		item = u.parent(item)
	}
	m := meaning{known: true}
	if u.kind(statement) != "import_from_statement" || u.within(n, u.child(statement, "module_name")) {
		if y := u.owner[n]; y != nil {
			m.symbols = r.finals(y)
		}
		return m
	}
	bound := n
	if u.kind(item) == "aliased_import" {
		bound = u.child(item, "alias")
		if n != bound {
			m.alias = u.of(bound)
		}
	}
	if y := r.pyImportedSymbol(u, item, u.of(n)); y != nil {
		m.symbols = r.finals(y)
	} else if y := u.owner[bound]; y != nil {
		m.symbols = r.finals(y)
	}
	return m
}
