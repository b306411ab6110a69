package python

import (
	"slices"

	"codeintel/internal/resolve"
)

// passedOn finds the parameters that a function hands an argument to which it takes by **. They
// are among what the argument may mean.
func passedOn(r *resolve.Resolver, f value, name string) resolve.Meaning {
	m := resolve.Meaning{Known: true, OneOf: true}
	u := f.unit
	parameter := u.First(u.First(u.Child(f.node, "parameters"), "dictionary_splat_pattern"), "identifier")
	if parameter < 0 {
		for p := range u.Children(u.Child(f.node, "parameters")) { // **options: int
			if u.Kind(p) == "typed_parameter" {
				parameter = max(parameter, u.First(u.First(p, "dictionary_splat_pattern"), "identifier"))
			}
		}
	}
	if parameter < 0 || !r.Enter() {
		return m
	}
	defer r.Leave()
	return splatted(r, u, f.node, u.Text(parameter), name)
}

// splatted finds the parameters of a name that a variable of a function, or a file, is passed
// to with **.
func splatted(r *resolve.Resolver, u *resolve.Unit, in int32, variable, name string) resolve.Meaning {
	m := resolve.Meaning{Known: true, OneOf: true}
	for i := in; i < u.Nodes[in].Next && r.Step(); i++ {
		if u.Kind(i) != "dictionary_splat" || u.Text(u.First(i)) != variable {
			continue
		}
		if call := u.Parent(u.Parent(i)); u.Kind(call) == "call" {
			o := argumentMeaning(r, u, call, name)
			m.Symbols = append(m.Symbols, o.Symbols...)
			m.Known = m.Known && o.Known
		}
	}
	return m
}

// splatOf finds the parameters of a name that a dictionary is passed to: by ** where it is
// written, or by the variable that contains it.
func splatOf(r *resolve.Resolver, u *resolve.Unit, dictionary int32, name string) resolve.Meaning {
	p := u.Parent(dictionary)
	switch {
	case u.Kind(p) == "dictionary_splat" && u.Kind(u.Parent(u.Parent(p))) == "call":
		m := argumentMeaning(r, u, u.Parent(u.Parent(p)), name)
		m.OneOf = true
		return m
	case u.Kind(p) == "assignment" && u.Kind(u.Child(p, "left")) == "identifier":
		return splatted(r, u, around(u, p), u.Text(u.Child(p, "left")), name)
	case u.Kind(dictionary) == "identifier": // options["name"] = 1
		return splatted(r, u, around(u, p), u.Text(dictionary), name)
	}
	return resolve.Meaning{Known: true}
}

// around is the function around a node, or the file.
func around(u *resolve.Unit, n int32) int32 { return max(0, u.Around(n, "function_definition")) }

// argumentMeaning finds the parameter that a call passes something to by a name.
func argumentMeaning(r *resolve.Resolver, u *resolve.Unit, call int32, name string) resolve.Meaning {
	var args []union
	list := u.Child(call, "arguments")
	for c := range u.Children(list) {
		if k := u.Kind(c); k != "keyword_argument" && k != "dictionary_splat" && k != "list_splat" {
			args = append(args, typeOf(r, u, c))
		}
	}
	callee := typeOf(r, u, u.Child(call, "function"))
	if lastName(u, call) == "partial" && len(args) > 0 && isLibrary(r, u, u.Child(call, "function")) {
		callee, args = args[0], args[1:]
	}
	m := resolve.Meaning{Known: len(callee) > 0}
	var further []resolve.Meaning
	for _, v := range callee {
		m.Known = m.Known && v.given != handed
		switch v.kind {
		case kindFunction:
			f := chooseOverload(r, v, args, u, list)
			if y := parameterNamed(f.unit, f.node, name); y != nil {
				m.Symbols = append(m.Symbols, y)
			} else {
				further = append(further, passedOn(r, f, name))
			}
		case kindClass, kindInstance:
			found, f := constructorParameter(r, v, name, args, u, list)
			m.Symbols = append(m.Symbols, found...)
			if f.kind == kindFunction {
				further = append(further, passedOn(r, f, name))
			}
		}
	}
	if len(m.Symbols) > 0 {
		return m
	}
	for _, o := range further {
		m.OneOf = true
		m.Symbols = append(m.Symbols, o.Symbols...)
		m.Known = m.Known && o.Known
	}
	m.Symbols = slices.Compact(m.Symbols)
	return m
}
