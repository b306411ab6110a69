package typescript

import (
	"unicode"

	"codeintel/internal/resolve"
)

// expectedInMarkup is the type that is expected of what is in braces: as an attribute, as
// a child of an element, or spread into its attributes.
func expectedInMarkup(r *resolve.Resolver, u *resolve.Unit, braces int32) union {
	p := u.Parent(braces)
	switch u.Kind(p) {
	case "jsx_attribute":
		return ofMembers(r, propsOf(r, u, u.Parent(p)), u.Text(u.First(p)))
	case "jsx_element":
		return ofMembers(r, propsOf(r, u, u.Child(p, "open_tag")), "children")
	}
	return propsOf(r, u, p)
}

// propsOf is what a component takes as attributes where a tag names it. Of elements that are
// no components nothing is known.
func propsOf(r *resolve.Resolver, u *resolve.Unit, tag int32) union {
	name := u.Child(tag, "name")
	if name < 0 || u.Kind(name) == "identifier" && unicode.IsLower(rune(u.Text(name)[0])) || !r.Enter() {
		return nil
	}
	defer r.Leave()
	return typeOf(r, u, name).Each(func(v value) union { return propsOfComponent(r, u, tag, v) })
}

func propsOfComponent(r *resolve.Resolver, u *resolve.Unit, tag int32, v value) union {
	switch v.kind {
	case kindCallback:
		return resolve.At(v.args, 0)
	case kindFunction:
		return propsOfFunction(r, u, tag, v)
	case kindObject, kindInstance, kindParameter, kindIndexed:
		var all union
		for _, f := range callables(r, union{v}) {
			all = all.Join(propsOfComponent(r, u, tag, f))
		}
		return all
	case kindClass:
		return propsOfClass(r, v)
	case kindLibrary:
		if v.name == "Context.Provider" {
			return library("Record", append([]union{library("string")}, v.args...)...)
		}
	}
	return nil
}

// propsOfFunction is the type of the first parameter of a function, its type parameters as
// the tag gives them, or as its attributes tell.
func propsOfFunction(r *resolve.Resolver, u *resolve.Unit, tag int32, f value) union {
	params := parameters(f.unit, f.node)
	if len(params) == 0 {
		return nil
	}
	want := writtenParameter(r, f.unit, params[0])
	if len(want) == 0 {
		want = expectedParameter(r, f.unit, params[0])
	}
	vars := map[*resolve.Symbol]union{}
	own, explicit := f.unit.TypeParameters(f.node), typeArguments(r, u, tag)
	for i, p := range own {
		vars[p] = resolve.At(explicit, i)
	}
	if len(own) > 0 && len(explicit) == 0 {
		for a := range u.Children(tag) {
			given := u.First(u.First(a, "jsx_expression"))
			switch u.Kind(given) {
			case "identifier", "member_expression", "call_expression":
				unify(r, ofMembers(r, want, u.Text(u.First(a))), typeOf(r, u, given), vars)
			}
		}
	}
	return subst(r, subst(r, want, newEnv(vars, nil)), f.env)
}

// propsOfClass is what a class has as props: by a member of that name, or as the first type
// argument of a class of a library.
func propsOfClass(r *resolve.Resolver, v value) union {
	if t := ofMembers(r, union{{kind: kindInstance, sym: v.sym}}, "props"); len(t) > 0 {
		return t
	}
	u := v.sym.Unit
	for _, d := range v.sym.Decls {
		clause := u.First(u.First(d.Node, "class_heritage"), "extends_clause")
		if a := u.First(u.Child(clause, "type_arguments")); a >= 0 {
			return annotationType(r, u, a)
		}
	}
	return nil
}

// componentType is what types of React make of their arguments: those of components are
// functions of what the component takes.
func componentType(name string, args []union) union {
	switch name {
	case "PropsWithChildren", "PropsWithRef", "PropsWithoutRef":
		return resolve.At(args, 0)
	case "ComponentType", "ExoticComponent", "FC", "ForwardRefExoticComponent", "ForwardRefRenderFunction", "FunctionComponent",
		"NamedExoticComponent", "VFC":
		props := resolve.At(args, 0)
		if name == "ForwardRefRenderFunction" {
			props = resolve.At(args, 1)
		}
		return union{{kind: kindCallback, args: []union{props}}}
	case "Context", "RefObject", "MutableRefObject":
		return library(name, args...)
	}
	return nil
}

// hookCall is what a function of React gives. explicit are the type arguments of the call.
func hookCall(r *resolve.Resolver, u *resolve.Unit, name string, args []int32, explicit []union) union {
	given := func(i int) union {
		if i >= len(args) {
			return nil
		}
		return typeOf(r, u, args[i])
	}
	typeAt := func(i int) union {
		if len(explicit) > 0 {
			return explicit[0]
		}
		return given(i)
	}
	switch name {
	case "useState":
		state := typeAt(0).Each(func(v value) union {
			if v.kind == kindFunction {
				return resultOf(r, v, nil, -1, nil)
			}
			return union{v}
		})
		change := union{{kind: kindCallback, args: []union{state}, back: state}}
		return library("Tuple", state, union{{kind: kindCallback, args: []union{state.Join(change)}}})
	case "useReducer":
		return library("Tuple", given(1))
	case "useRef":
		return library("RefObject", typeAt(0))
	case "useMemo":
		if len(explicit) > 0 {
			return explicit[0]
		}
		return calledBack(r, u, args)
	case "createContext":
		return library("Context", typeAt(0))
	case "useContext":
		for _, v := range given(0) {
			if v.kind == kindLibrary && v.name == "Context" {
				return resolve.At(v.args, 0)
			}
		}
	case "forwardRef":
		if len(explicit) == 2 {
			return union{{kind: kindCallback, args: []union{explicit[1]}}}
		}
		return given(0)
	case "memo", "useCallback":
		return given(0)
	case "lazy":
		return ofMembers(r, awaitedType(calledBack(r, u, args)), "default")
	}
	return nil
}

// hookArgument is the type that a function of React expects of its arguments where the call
// has type arguments.
func hookArgument(name string, at int, explicit []union) union {
	switch name {
	case "useState", "useRef", "useMemo", "createContext":
		if at == 0 && len(explicit) > 0 {
			return explicit[0].Join(union{{kind: kindCallback, back: explicit[0]}})
		}
	case "forwardRef":
		if at == 0 && len(explicit) == 2 {
			return union{{kind: kindCallback, args: []union{explicit[1], library("RefObject", explicit[0])}}}
		}
	case "memo":
		if at == 0 && len(explicit) == 1 {
			return union{{kind: kindCallback, args: []union{explicit[0]}}}
		}
	}
	return nil
}
