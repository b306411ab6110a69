package python

import (
	"codeintel/internal/resolve"
)

// nameMeaning says what a name in a Python file stands for.
func nameMeaning(r *resolve.Resolver, u *resolve.Unit, n int32) resolve.Meaning {
	p := u.Parent(n)
	if u.Kind(n) == "string" && isKey(u, n) {
		return keyMeaning(r, u, n)
	}
	if u.Kind(n) == "string" { // in __all__
		if y := u.Top.Names[resolve.Unquote(u.Text(n))]; y != nil {
			return resolve.Meaning{Symbols: finals(r, y), Known: true}
		}
		return resolve.Meaning{Known: true}
	}
	if y := u.Owner[n]; y != nil && !y.ImportedAt(n) {
		if f := received(r, y); f != nil {
			return resolve.Meaning{Symbols: []*resolve.Symbol{f}, Known: true}
		}
		return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true, Declares: true}
	}
	switch u.Kind(p) {
	case "attribute":
		if u.Field(n) == "attribute" {
			return memberMeaning(r, typeOf(r, u, u.Child(p, "object")), u.Text(n))
		}
	case "keyword_argument":
		if u.Field(n) == "name" {
			return keywordMeaning(r, u, p, n)
		}
	case "dotted_name", "aliased_import":
		if i := u.Around(n, "import_statement", "import_from_statement", "future_import_statement"); i >= 0 {
			return importMeaning(r, u, i, n)
		}
		if n != u.First(p) {
			return memberMeaning(r, dottedType(r, u, p, n), u.Text(n))
		}
	case "keyword_pattern":
		if n == u.First(p) {
			return memberMeaning(r, patternType(r, u, u.Around(p, "class_pattern")), u.Text(n))
		}
	}
	y := lookup(r, u, n, u.Text(n))
	if y == nil {
		return resolve.Meaning{Known: true} // of the language, or of nowhere
	}
	return resolve.Meaning{Symbols: finalSymbols(r, y), Known: true}
}

func memberMeaning(r *resolve.Resolver, object union, name string) resolve.Meaning {
	found, known := membersOf(r, object, name)
	m := resolve.Meaning{Known: known, Member: true}
	for _, f := range found {
		m.Symbols = append(m.Symbols, finals(r, f.symbol)...)
	}
	return m
}

// keywordMeaning finds the parameter that an argument is passed to by name.
func keywordMeaning(r *resolve.Resolver, u *resolve.Unit, p, n int32) resolve.Meaning {
	call := u.Parent(u.Parent(p))
	name := u.Text(n)
	if u.Kind(call) != "call" {
		return resolve.Meaning{Known: true}
	}
	if u.Text(u.Child(call, "function")) == "dict" {
		return splatOf(r, u, call, name)
	}
	return argumentMeaning(r, u, call, name)
}

// constructorParameter finds a parameter of a class's constructor, or of
// what makes its instances callable; without one, it returns what was asked. The fields
// of a class that has neither are parameters of the one that a decorator makes.
func constructorParameter(r *resolve.Resolver, v value, name string, args []union, u *resolve.Unit,
	list int32) (found []*resolve.Symbol, asked value) {
	methods := []string{"__call__"}
	if v.kind == kindClass {
		methods = []string{"__init__", "__new__"}
	}
	for _, method := range methods {
		m, ok, _ := findMember(r, v, method)
		if !ok {
			continue
		}
		for _, f := range boundMember(r, m, v) {
			if f.kind != kindFunction {
				continue
			}
			f = chooseOverload(r, f, args, u, list)
			if y := parameterNamed(f.unit, f.node, name); y != nil {
				return []*resolve.Symbol{y}, asked
			}
			asked = f
		}
		return nil, asked
	}
	if v.kind == kindClass {
		if m, ok, _ := findMember(r, v, name); ok {
			return []*resolve.Symbol{m.symbol}, asked
		}
	}
	return nil, asked
}

// importMeaning finds what a name in an import statement brings in. The
// parts of a module's path stand for modules.
func importMeaning(r *resolve.Resolver, u *resolve.Unit, statement, n int32) resolve.Meaning {
	item := u.Parent(n)
	if u.Kind(item) == "dotted_name" && u.Kind(u.Parent(item)) == "aliased_import" {
		item = u.Parent(item)
	}
	m := resolve.Meaning{Known: true}
	if u.Kind(statement) != "import_from_statement" || u.Within(n, u.Child(statement, "module_name")) {
		if y := u.Owner[n]; y != nil {
			m.Symbols = finals(r, y)
		}
		return m
	}
	bound := n
	if u.Kind(item) == "aliased_import" {
		bound = u.Child(item, "alias")
		if n != bound {
			m.Alias = u.Text(bound)
		}
	}
	if y := importedSymbol(r, u, item, u.Text(n)); y != nil {
		m.Symbols = finals(r, y)
	} else if y := u.Owner[bound]; y != nil {
		m.Symbols = finals(r, y)
	}
	return m
}
