package python

import (
	"slices"

	"codeintel/internal/resolve"
)

// pyCallExpr infers a call.
func pyCallExpr(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	callee, list := u.Child(n, "function"), u.Child(n, "arguments")
	if u.Kind(callee) == "identifier" && u.Text(callee) == "super" {
		return pySuper(r, u, n)
	}
	var args []pyType
	for c := range u.Children(list) {
		switch u.Kind(c) {
		case "keyword_argument", "dictionary_splat", "list_splat":
		default:
			args = append(args, pyExpr(r, u, c))
		}
	}
	if u.Kind(list) == "generator_expression" {
		args = []pyType{pyExpr(r, u, list)}
	}
	if t, ok := pyKnownCall(r, u, lastName(u, callee), args, u.List(list)); ok && isLibrary(r, u, callee) {
		return t
	}
	return pyCall(r, u, pyExpr(r, u, callee), args, list)
}

// isLibrary reports whether a callee is nothing of the project.
func isLibrary(r *resolve.Resolver, u *resolve.Unit, callee int32) bool {
	if u.Kind(callee) == "attribute" {
		t := pyExpr(r, u, u.Child(callee, "object"))
		return len(t) > 0 && t[0].kind == pyOutside
	}
	y := pyLookup(r, u, callee, u.Text(callee))
	if y == nil {
		return true
	}
	t := pyOf(r, y)
	return len(t) > 0 && t[0].kind == pyOutside
}

// pySuper infers super(): the bases of the class around.
func pySuper(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	for f := u.Around(n, "function_definition"); f >= 0; f = u.Around(f, "function_definition") {
		if class := methodOf(u, f); class != nil {
			kind := pyInstance
			if decorated(u, f, "classmethod") {
				kind = pyClass
			}
			return pyType{{kind: kind, class: class, above: true}}
		}
	}
	return nil
}

// pyKnownCall infers calls of functions of the standard library that hand
// through what they are given.
func pyKnownCall(r *resolve.Resolver, u *resolve.Unit, name string, args []pyType, list []int32) (pyType, bool) {
	arg := func(i int) pyType {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	switch name {
	case "cast":
		if len(list) == 2 {
			return pyAnnotation(r, u, list[0]), true
		}
	case "iter", "reversed", "sorted", "list", "set", "frozenset", "filter", "islice":
		if name == "filter" || len(args) == 0 {
			return builtin("list", pyElement(r, arg(1))), true
		}
		return builtin("list", pyElement(r, arg(0))), true
	case "tuple":
		return builtin("list", pyElement(r, arg(0))), true
	case "next", "min", "max":
		if name != "next" && len(args) > 1 {
			return join(arg(0), arg(1)), true
		}
		return pyElement(r, arg(0)), true
	case "enumerate":
		return builtin("list", builtin("tuple", builtin("int"), pyElement(r, arg(0)))), true
	case "zip":
		parts := make([]pyType, len(args))
		for i, a := range args {
			parts[i] = pyElement(r, a)
		}
		return builtin("list", builtin("tuple", parts...)), true
	case "copy", "deepcopy", "replace":
		return arg(0), len(args) > 0
	case "dict":
		return builtin("dict"), len(args) == 0
	case "type":
		var all pyType
		for _, v := range arg(0) {
			if v.kind == pyInstance {
				all = join(all, pyType{{kind: pyClass, class: v.class, name: v.name}})
			}
		}
		return all, len(args) == 1
	case "map":
		return builtin("list", pyReturned(r, arg(0), []pyType{pyElement(r, arg(1))}, nil, -1)), true
	case "str", "repr", "format", "join", "input":
		return builtin("str"), true
	case "int", "len", "float", "abs", "hash", "id", "ord", "sum":
		return builtin("int"), true
	case "partial":
		return arg(0), len(args) > 0
	}
	return nil, false
}

// pyCall is what calling a value gives. list holds the arguments as written,
// or is -1.
func pyCall(r *resolve.Resolver, u *resolve.Unit, callee pyType, args []pyType, list int32) pyType {
	var all pyType
	for _, v := range callee {
		switch v.kind {
		case pyClass:
			all = join(all, pyConstructed(r, u, v, args, list))
		case pyFunction:
			all = join(all, pyReturned(r, pyType{v}, args, u, list))
		case pyOutside:
			all = join(all, outside)
		case pyInstance:
			if v.name == "Callable" && len(v.args) > 0 {
				all = join(all, pySolved(r, v.args[len(v.args)-1], v, args))
			} else if m, ok, _ := pyMemberOf(r, v, "__call__"); ok {
				all = join(all, pyReturned(r, pyBound(r, m, v), args, u, list))
			}
		}
	}
	return all
}

// pySolved is what calling a Callable[[T], T] gives: its type variables are
// what the arguments say.
func pySolved(r *resolve.Resolver, result pyType, callable pyValue, args []pyType) pyType {
	if len(callable.args) < 2 || len(args) == 0 {
		return result
	}
	bound := map[*resolve.Symbol]pyType{}
	for i, p := range callable.args[:len(callable.args)-1] {
		if i < len(args) {
			pyUnify(r, p, args[i], bound)
		}
	}
	return pyReplace(r, result, bound)
}

// pyConstructed is an instance of a class, its type arguments inferred from
// those of the constructor.
func pyConstructed(r *resolve.Resolver, u *resolve.Unit, v pyValue, args []pyType, list int32) pyType {
	made := pyValue{kind: pyInstance, class: v.class, name: v.name, args: v.args}
	if v.class == nil || len(v.args) > 0 {
		return pyType{made}
	}
	params := pyTypeParameters(r, v.class)
	if len(params) == 0 {
		return pyType{made}
	}
	bound := map[*resolve.Symbol]pyType{}
	if m, ok, _ := pyMemberOf(r, v, "__init__"); ok {
		for _, f := range pyOf(r, m.symbol) {
			if f.kind == pyFunction {
				pyBindArguments(r, f, args, u, list, 1, bound)
			}
		}
	}
	for _, p := range params {
		made.args = append(made.args, bound[p])
	}
	return pyType{made}
}

// pyReturned is what functions return: what they say, or what their return
// statements hold.
func pyReturned(r *resolve.Resolver, callee pyType, args []pyType, u *resolve.Unit, list int32) pyType {
	var all pyType
	for _, f := range callee {
		switch f.kind {
		case pyFunction:
			f = pyOverload(r, f, args, u, list)
			t := pyResult(r, f)
			bound := map[*resolve.Symbol]pyType{}
			skip := 0
			if f.self != nil {
				skip = 1
				if p := firstParameter(f.unit, f.node); p >= 0 && f.unit.Kind(f.unit.Parent(p)) == "typed_parameter" {
					pyUnify(r, pyAnnotation(r, f.unit, f.unit.Child(f.unit.Parent(p), "type")), pyType{*f.self}, bound)
				}
				if f.self.class != nil {
					t = pyApply(r, t, pyValue{class: pyOwner(r, f), args: f.self.args})
				}
			}
			pyBindArguments(r, f, args, u, list, skip, bound)
			all = join(all, pyReplace(r, t, bound))
		case pyClass, pyInstance, pyOutside:
			all = join(all, pyCall(r, u, pyType{f}, args, list))
		}
	}
	return all
}

// pyOwner is the class whose method a function is.
func pyOwner(r *resolve.Resolver, f pyValue) *resolve.Symbol { return methodOf(f.unit, f.node) }

// pyResult is the declared or inferred result of a function. Self is what the
// method is bound to.
func pyResult(r *resolve.Resolver, f pyValue) pyType {
	u, n := f.unit, f.node
	if u.Kind(n) == "lambda" {
		return pyExpr(r, u, u.Child(n, "body"))
	}
	var t pyType
	if a := u.Child(n, "return_type"); a >= 0 {
		t = pyAnnotation(r, u, a)
		if lastName(u, u.First(a)) == "Self" && f.self != nil {
			t = pyType{{kind: pyInstance, class: f.self.class, args: f.self.args}}
		}
	} else {
		t = pyInferredResult(r, u, n)
	}
	if f.yields {
		return builtin("ContextManager", pyElement(r, t))
	}
	return t
}

// pyInferredResult joins what the return statements of a function return.
func pyInferredResult(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	key := resolve.NodeKey{Unit: u, Node: n}
	if t, ok := pyMemoryOf(key.Unit)[key]; ok {
		return t
	}
	pyMemoryOf(key.Unit)[key] = nil // a function that returns what it returns itself
	var all, yielded pyType
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
			all = join(all, pyExpr(r, u, u.First(i)))
		case "yield":
			yielded = join(yielded, pyExpr(r, u, u.First(i)))
		}
		i++
	}
	if yielded != nil {
		all = builtin("list", yielded)
	}
	pyMemoryOf(key.Unit)[key] = all
	return all
}

// pyOverload chooses among the declarations of an overloaded function the
// first that the arguments fit.
func pyOverload(r *resolve.Resolver, f pyValue, args []pyType, u *resolve.Unit, list int32) pyValue {
	name := f.unit.Child(f.node, "name")
	y := f.unit.Owner[name]
	if y == nil || len(y.Decls) < 2 {
		return f
	}
	for _, d := range y.Decls {
		if f.unit.Kind(d.Node) != "function_definition" || !decorated(f.unit, d.Node, "overload") {
			continue
		}
		f.node = d.Node
		if pyFits(r, f, args, u, list) {
			return f
		}
	}
	f.node = y.Decls[len(y.Decls)-1].Node
	return f
}

// pyFits reports whether arguments can be those of a function.
func pyFits(r *resolve.Resolver, f pyValue, args []pyType, u *resolve.Unit, list int32) bool {
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
			if !pyAssignable(r, args[position], f.unit, f.unit.Child(p, "type")) {
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

// pyAssignable reports whether an argument can be meant for a parameter. What
// is unknown can.
func pyAssignable(r *resolve.Resolver, arg pyType, u *resolve.Unit, annotation int32) bool {
	if annotation < 0 || len(arg) == 0 {
		return true
	}
	want := pyAnnotation(r, u, annotation)
	if len(want) == 0 {
		return u.Text(annotation) != "None"
	}
	for _, a := range arg {
		for _, w := range want {
			switch {
			case w.kind == pyOutside || a.kind == pyOutside || w.kind == pyVariable:
				return true
			case w.name == "Callable":
				if a.kind == pyFunction || a.kind == pyClass {
					return true
				}
			case w.kind == a.kind && w.class == nil && a.class == nil:
				if w.name == a.name || w.name == "list" || w.name == "int" && a.name == "bool" || w.name == "object" {
					return true
				}
			case w.kind == a.kind && w.class != nil && a.class != nil:
				if pyDerives(r, a.class, w.class) {
					return true
				}
			}
		}
	}
	return false
}

// pyDerives reports whether a class is, or is derived from, another.
func pyDerives(r *resolve.Resolver, class, from *resolve.Symbol) bool {
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
		for _, b := range pyBases(r, c) {
			if b.class != nil {
				todo = append(todo, b.class)
			}
		}
	}
	return false
}
