package python

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// callType infers a call.
func callType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	callee, list := u.Child(n, "function"), u.Child(n, "arguments")
	if u.Kind(callee) == "identifier" && u.Text(callee) == "super" {
		return superType(u, n)
	}
	var args []union
	for c := range u.Children(list) {
		switch u.Kind(c) {
		case "keyword_argument", "dictionary_splat", "list_splat":
		default:
			args = append(args, typeOf(r, u, c))
		}
	}
	if u.Kind(list) == "generator_expression" {
		args = []union{typeOf(r, u, list)}
	}
	if t, ok := libraryCall(r, u, lastName(u, callee), args, u.List(list)); ok && isLibrary(r, u, callee) {
		return t
	}
	t := typeOf(r, u, callee)
	if u.Kind(callee) == "attribute" && u.Text(u.Child(callee, "attribute")) == "__new__" && len(args) > 0 &&
		!slices.ContainsFunc(t, func(v value) bool { return v.kind == kindFunction }) {
		return args[0].Each(instanceOf) // that of a library makes what it is told to
	}
	return gained(r, u, callee, callResult(r, u, t, args, list))
}

// gained says of what calls of a library give how it was come by, from what is called: a
// class gives an instance of it, as a rule a function with a small letter does not.
func gained(r *resolve.Resolver, u *resolve.Unit, callee int32, t union) union {
	name := lastName(u, callee)
	isClass := name != "" && strings.ToUpper(name[:1]) == name[:1] && name[0] != '_'
	builtin := u.Kind(callee) == "identifier" && lookup(r, u, callee, name) == nil && !slices.Contains(looking, name)
	return t.Each(func(v value) union {
		if v.kind == kindOutside && v.given == made && !isClass && !builtin {
			return handedOn(v)
		}
		return union{v}
	})
}

// looking are built-in functions that give what they find.
var looking = []string{"getattr", "eval", "vars", "globals", "locals", "__import__"}

// instanceOf is what a class makes.
func instanceOf(v value) union {
	if v.kind == kindClass {
		v.kind = kindInstance
	}
	return union{v}
}

// isLibrary reports whether a callee is defined outside the project.
func isLibrary(r *resolve.Resolver, u *resolve.Unit, callee int32) bool {
	if u.Kind(callee) == "attribute" {
		t := typeOf(r, u, u.Child(callee, "object"))
		return len(t) > 0 && t[0].kind == kindOutside
	}
	y := lookup(r, u, callee, u.Text(callee))
	if y == nil {
		return true
	}
	t := typeOfSymbol(r, y)
	return len(t) > 0 && t[0].kind == kindOutside
}

// superType infers super(): the bases of the class around.
func superType(u *resolve.Unit, n int32) union {
	for f := u.Around(n, "function_definition"); f >= 0; f = u.Around(f, "function_definition") {
		if class := methodOf(u, f); class != nil {
			kind := kindInstance
			if decorated(u, f, "classmethod") {
				kind = kindClass
			}
			return union{{kind: kind, class: class, above: true}}
		}
	}
	return nil
}

// libraryCall infers calls of functions of the standard library that hand
// through what they are given.
func libraryCall(r *resolve.Resolver, u *resolve.Unit, name string, args []union, list []int32) (union, bool) {
	arg := func(i int) union { return resolve.At(args, i) }
	switch name {
	case "cast":
		if len(list) == 2 {
			return annotationType(r, u, list[0]), true
		}
	case "iter", "aiter", "reversed", "sorted", "list", "set", "frozenset", "filter", "islice":
		if name == "filter" || len(args) == 0 {
			return builtin("list", elementOf(r, arg(1))), true
		}
		return builtin("list", elementOf(r, arg(0))), true
	case "tuple":
		return builtin("list", elementOf(r, arg(0))), true
	case "next", "anext", "min", "max":
		if name[0] == 'm' && len(args) > 1 {
			return arg(0).Join(arg(1)), true
		}
		return elementOf(r, arg(0)), true
	case "enumerate":
		return builtin("list", builtin("tuple", builtin("int"), elementOf(r, arg(0)))), true
	case "zip":
		parts := make([]union, len(args))
		for i, a := range args {
			parts[i] = elementOf(r, a)
		}
		return builtin("list", builtin("tuple", parts...)), true
	case "copy", "deepcopy", "replace":
		return arg(0), len(args) > 0
	case "dict":
		return builtin("dict"), len(args) == 0
	case "type":
		return arg(0).Each(func(v value) union {
			if v.kind != kindInstance {
				return nil
			}
			return union{{kind: kindClass, class: v.class, name: v.name}}
		}), len(args) == 1
	case "map":
		return builtin("list", returned(r, arg(0), []union{elementOf(r, arg(1))}, nil, -1)), true
	case "str", "repr", "format", "join", "input":
		return builtin("str"), true
	case "int", "len", "float", "abs", "hash", "id", "ord", "sum":
		return builtin("int"), true
	case "partial":
		return arg(0), len(args) > 0
	}
	return nil, false
}

// callResult is what calling a value gives. list holds the arguments as written,
// or is -1.
func callResult(r *resolve.Resolver, u *resolve.Unit, callee union, args []union, list int32) union {
	return callee.Each(func(v value) union {
		switch v.kind {
		case kindClass:
			return constructed(r, u, v, args, list)
		case kindFunction:
			return returned(r, union{v}, args, u, list)
		case kindOutside:
			if v.given == named && !v.own {
				v.given = made
				return union{v}
			}
			return handedOn(v)
		case kindInstance:
			if v.name == "Callable" && len(v.args) > 0 {
				return solvedResult(r, v.args[len(v.args)-1], v, args)
			}
			if m, ok, _ := findMember(r, v, "__call__"); ok {
				return returned(r, boundMember(r, m, v), args, u, list)
			}
		}
		return nil
	})
}

// solvedResult is what calling a Callable[[T], T] gives: its type variables are
// what the arguments say.
func solvedResult(r *resolve.Resolver, result union, callable value, args []union) union {
	if len(callable.args) < 2 || len(args) == 0 {
		return result
	}
	bound := map[*resolve.Symbol]union{}
	for i, p := range callable.args[:len(callable.args)-1] {
		if i < len(args) {
			unify(r, p, args[i], bound)
		}
	}
	return substitute(r, result, bound)
}

// constructed is an instance of a class, its type arguments inferred from
// those of the constructor.
func constructed(r *resolve.Resolver, u *resolve.Unit, v value, args []union, list int32) union {
	made := value{kind: kindInstance, class: v.class, name: v.name, args: v.args}
	if v.class == nil || len(v.args) > 0 {
		return union{made}
	}
	params := typeParameters(r, v.class)
	if len(params) == 0 {
		return union{made}
	}
	bound := map[*resolve.Symbol]union{}
	if m, ok, _ := findMember(r, v, "__init__"); ok {
		for _, f := range typeOfSymbol(r, m.symbol) {
			if f.kind == kindFunction {
				bindArguments(r, f, args, u, list, 1, bound)
			}
		}
	}
	for _, p := range params {
		made.args = append(made.args, bound[p])
	}
	return union{made}
}

// returned is what functions return: what they say, or what their return
// statements hold.
func returned(r *resolve.Resolver, callee union, args []union, u *resolve.Unit, list int32) union {
	return callee.Each(func(f value) union {
		switch f.kind {
		case kindFunction:
			return functionReturned(r, f, args, u, list)
		case kindClass, kindInstance, kindOutside:
			return callResult(r, u, union{f}, args, list)
		}
		return nil
	})
}

// functionReturned is what one function returns; see returned.
func functionReturned(r *resolve.Resolver, f value, args []union, u *resolve.Unit, list int32) union {
	f = chooseOverload(r, f, args, u, list)
	t := resultOf(r, f)
	bound := map[*resolve.Symbol]union{}
	skip := 0
	if f.self != nil {
		skip = 1
		if p := firstParameter(f.unit, f.node); p >= 0 && f.unit.Kind(f.unit.Parent(p)) == "typed_parameter" {
			unify(r, annotationType(r, f.unit, f.unit.Child(f.unit.Parent(p), "type")), union{*f.self}, bound)
		}
		if f.self.class != nil {
			t = applyArguments(r, t, value{class: methodOf(f.unit, f.node), args: f.self.args})
		}
	}
	bindArguments(r, f, args, u, list, skip, bound)
	return substitute(r, t, bound)
}

// resultOf is the declared or inferred result of a function. Self is what the
// method is bound to.
func resultOf(r *resolve.Resolver, f value) union {
	u, n := f.unit, f.node
	if u.Kind(n) == "lambda" {
		return typeOf(r, u, u.Child(n, "body"))
	}
	var t union
	if a := u.Child(n, "return_type"); a >= 0 {
		t = annotationType(r, u, a)
		if lastName(u, u.First(a)) == "Self" && f.self != nil {
			t = union{{kind: kindInstance, class: f.self.class, args: f.self.args}}
		}
	} else {
		t = inferredResult(r, u, n)
	}
	if f.yields {
		return builtin("ContextManager", elementOf(r, t))
	}
	return t
}

// inferredResult joins what the return statements of a function return.
func inferredResult(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	key := resolve.NodeKey{Unit: u, Node: n}
	if t, ok := memoryOf(key.Unit)[key]; ok {
		return t
	}
	memoryOf(key.Unit)[key] = nil // a function that returns what it returns itself
	var all, yielded union
	body := u.Child(n, "body")
	if body < 0 {
		return nil
	}
	for i := body + 1; i < u.Nodes[body].Next; {
		switch u.Kind(i) {
		case "function_definition", "class_definition", "lambda":
			i = u.Nodes[i].Next
			continue
		case "return_statement":
			all = all.Join(typeOf(r, u, u.First(i)))
		case "yield":
			yielded = yielded.Join(typeOf(r, u, u.First(i)))
		}
		i++
	}
	if yielded != nil {
		all = builtin("list", yielded)
	}
	memoryOf(key.Unit)[key] = all
	return all
}

// chooseOverload chooses among the declarations of an overloaded function the
// first that the arguments fit.
func chooseOverload(r *resolve.Resolver, f value, args []union, u *resolve.Unit, list int32) value {
	name := f.unit.Child(f.node, "name")
	y := f.unit.Owner[name]
	if y == nil || len(y.Decls) < 2 {
		return f
	}
	overloaded := false
	for _, d := range y.Decls {
		if f.unit.Kind(d.Node) != "function_definition" || !decorated(f.unit, d.Node, "overload") {
			continue
		}
		overloaded, f.node = true, d.Node
		if fits(r, f, args, u, list) {
			return f
		}
	}
	if overloaded {
		f.node = y.Decls[len(y.Decls)-1].Node
	}
	return f
}

// fits reports whether arguments can be those of a function.
func fits(r *resolve.Resolver, f value, args []union, u *resolve.Unit, list int32) bool {
	params := f.unit.List(f.unit.Child(f.node, "parameters"))
	if f.self != nil && len(params) > 0 {
		params = params[1:]
	}
	var keywords []string
	if u != nil {
		for c := range u.Children(list) {
			if u.Kind(c) == "keyword_argument" {
				keywords = append(keywords, u.Text(u.Child(c, "name")))
			}
		}
	}
	position, open := 0, false
	for _, p := range params {
		switch f.unit.Kind(p) {
		case "keyword_separator":
			position = max(position, len(args))
			continue
		case "positional_separator":
			continue
		case "list_splat_pattern", "dictionary_splat_pattern":
			open = true
			position = max(position, len(args))
			continue
		case "typed_parameter":
			if f.unit.Kind(f.unit.First(p)) != "identifier" {
				open = true
				position = max(position, len(args))
				continue
			}
		}
		name := p
		if f.unit.Kind(p) != "identifier" {
			if name = f.unit.Child(p, "name"); name < 0 {
				name = f.unit.First(p)
			}
		}
		at := slices.Index(keywords, f.unit.Text(name))
		optional := f.unit.Child(p, "value") >= 0
		switch {
		case position < len(args):
			if !assignable(r, args[position], f.unit, f.unit.Child(p, "type")) {
				return false
			}
			position++
		case at >= 0:
			keywords = slices.Delete(keywords, at, at+1)
		case !optional:
			return false
		}
	}
	return open || position >= len(args) && len(keywords) == 0
}

// assignable reports whether an argument can be meant for a parameter. What
// is unknown can.
func assignable(r *resolve.Resolver, arg union, u *resolve.Unit, annotation int32) bool {
	if annotation < 0 || len(arg) == 0 {
		return true
	}
	want := annotationType(r, u, annotation)
	if len(want) == 0 {
		return u.Text(annotation) != "None"
	}
	for _, a := range arg {
		for _, w := range want {
			switch {
			case w.kind == kindOutside || a.kind == kindOutside || w.kind == kindVariable:
				return true
			case w.name == "Callable":
				if a.kind == kindFunction || a.kind == kindClass {
					return true
				}
			case w.kind == a.kind && w.class == nil && a.class == nil:
				if w.name == a.name || w.name == "list" || w.name == "int" && a.name == "bool" || w.name == "object" {
					return true
				}
			case w.kind == a.kind && w.class != nil && a.class != nil:
				if derives(r, a.class, w.class) {
					return true
				}
			}
		}
	}
	return false
}

// derives reports whether a class is, or is derived from, another.
func derives(r *resolve.Resolver, class, from *resolve.Symbol) bool {
	seen := map[*resolve.Symbol]bool{}
	todo := []*resolve.Symbol{class}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c == from {
			return true
		}
		if seen[c] {
			continue
		}
		seen[c] = true
		for _, b := range basesOf(r, c) {
			if b.class != nil {
				todo = append(todo, b.class)
			}
		}
	}
	return false
}
