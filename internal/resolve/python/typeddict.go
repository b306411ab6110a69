package python

import (
	"strings"

	"codeintel/internal/resolve"
)

// isKey reports whether a string may be a key of a dictionary: x["key"], {"key": 1},
// x.get("key").
func isKey(u *resolve.Unit, n int32) bool {
	p := u.Parent(n)
	switch u.Kind(p) {
	case "subscript":
		return u.Field(n) == "subscript"
	case "pair":
		return u.Field(n) == "key"
	case "argument_list":
		return u.First(p) == n && keyMethod(u, u.Parent(p)) >= 0
	}
	return false
}

// keyMethod returns what a call looks a key up in, or -1.
func keyMethod(u *resolve.Unit, call int32) int32 {
	f := u.Child(call, "function")
	if u.Kind(call) != "call" || u.Kind(f) != "attribute" {
		return -1
	}
	switch u.Text(u.Child(f, "attribute")) {
	case "get", "pop", "setdefault":
		return u.Child(f, "object")
	}
	return -1
}

// keyMeaning finds the field of a TypedDict that a string names.
func keyMeaning(r *resolve.Resolver, u *resolve.Unit, n int32) resolve.Meaning {
	p := u.Parent(n)
	var of union
	switch u.Kind(p) {
	case "subscript":
		of = typeOf(r, u, u.Child(p, "value"))
	case "argument_list":
		of = typeOf(r, u, keyMethod(u, u.Parent(p)))
	case "pair":
		of = expectedType(r, u, u.Parent(p))
	}
	m := resolve.Meaning{Known: true}
	for _, v := range concrete(r, of) {
		if f, ok := keyOf(r, v, resolve.Unquote(u.Text(n))); ok {
			m.Symbols = append(m.Symbols, f.symbol)
		}
	}
	if len(m.Symbols) > 0 {
		return m
	}
	switch u.Kind(p) {
	case "subscript":
		return splatOf(r, u, u.Child(p, "value"), resolve.Unquote(u.Text(n)))
	case "pair":
		return splatOf(r, u, u.Parent(p), resolve.Unquote(u.Text(n)))
	}
	return m
}

// keyOf finds what a value has under a key, if it is of a TypedDict.
func keyOf(r *resolve.Resolver, v value, key string) (member, bool) {
	if v.kind != kindInstance || v.class == nil || !isTypedDict(r, v.class) {
		return member{}, false
	}
	m, ok, _ := findMember(r, v, key)
	return m, ok
}

// isTypedDict reports whether a class says which keys a dictionary has.
func isTypedDict(r *resolve.Resolver, class *resolve.Symbol) bool {
	if !r.Enter() {
		return false
	}
	defer r.Leave()
	u := class.Unit
	for c := range u.Children(u.Child(classNode(class), "superclasses")) {
		if t := u.Text(c); t == "TypedDict" || strings.HasSuffix(t, ".TypedDict") {
			return true
		}
	}
	for _, b := range basesOf(r, class) {
		if b.class != nil && b.class != class && isTypedDict(r, b.class) {
			return true
		}
	}
	return false
}

// expectedType is the type that is wanted of an expression where it is, if that is written.
func expectedType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	if !r.Enter() {
		return nil
	}
	defer r.Leave()
	p := u.Parent(n)
	switch u.Kind(p) {
	case "assignment":
		if t := u.Child(p, "type"); t >= 0 {
			return annotationType(r, u, t)
		}
		return typeOf(r, u, u.Child(p, "left"))
	case "typed_default_parameter":
		return annotationType(r, u, u.Child(p, "type"))
	case "parenthesized_expression":
		return expectedType(r, u, p)
	case "return_statement":
		if f := u.Around(p, "function_definition"); f >= 0 && u.Child(f, "return_type") >= 0 {
			return annotationType(r, u, u.Child(f, "return_type"))
		}
	case "list":
		return elementOf(r, expectedType(r, u, p))
	case "pair":
		if u.Field(n) == "value" {
			return expectedUnder(r, u, u.Child(p, "key"), expectedType(r, u, u.Parent(p)))
		}
	case "argument_list", "keyword_argument":
		return expectedArgument(r, u, n, p)
	}
	return nil
}

// expectedUnder is the type that is wanted under a key of a dictionary of a type.
func expectedUnder(r *resolve.Resolver, u *resolve.Unit, key int32, of union) union {
	return of.Each(func(v value) union {
		if f, ok := keyOf(r, v, resolve.Unquote(u.Text(key))); ok {
			return typeOfSymbol(r, f.symbol)
		}
		if v.name == "dict" {
			return resolve.At(v.args, 1)
		}
		return nil
	})
}

// expectedArgument is the type of the parameter that an argument is passed to.
func expectedArgument(r *resolve.Resolver, u *resolve.Unit, n, p int32) union {
	list, name := p, ""
	if u.Kind(p) == "keyword_argument" {
		if u.Field(n) != "value" {
			return nil
		}
		list, name = u.Parent(p), u.Text(u.Child(p, "name"))
	}
	call := u.Parent(list)
	if u.Kind(list) != "argument_list" || u.Kind(call) != "call" {
		return nil
	}
	index := 0
	for c := range u.Children(list) {
		if c == n {
			break
		}
		index++
	}
	return typeOf(r, u, u.Child(call, "function")).Each(func(f value) union {
		if f.kind == kindClass && f.class != nil {
			m, ok, _ := findMember(r, f, "__init__")
			if !ok {
				return nil
			}
			for _, init := range boundMember(r, m, f) {
				f = init
			}
		}
		if f.kind != kindFunction {
			return nil
		}
		if name != "" {
			if y := parameterNamed(f.unit, f.node, name); y != nil {
				return typeOfSymbol(r, y)
			}
			return nil
		}
		at := index
		if f.self != nil {
			at++
		}
		for c := range f.unit.Children(f.unit.Child(f.node, "parameters")) {
			if k := f.unit.Kind(c); k != "identifier" && k != "typed_parameter" && k != "typed_default_parameter" && k != "default_parameter" {
				return nil
			}
			if at == 0 {
				return annotationType(r, f.unit, f.unit.Child(c, "type"))
			}
			at--
		}
		return nil
	})
}
