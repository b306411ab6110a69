package resolve

import "slices"

// pyCallExpr infers a call.
func (r *Resolver) pyCallExpr(u *unit, n int32) pyType {
	callee, list := u.child(n, "function"), u.child(n, "arguments")
	if u.kind(callee) == "identifier" && u.of(callee) == "super" {
		return r.pySuper(u, n)
	}
	var args []pyType
	for c := range u.children(list) {
		switch u.kind(c) {
		case "keyword_argument", "dictionary_splat", "list_splat":
		default:
			args = append(args, r.pyExpr(u, c))
		}
	}
	if u.kind(list) == "generator_expression" {
		args = []pyType{r.pyExpr(u, list)}
	}
	if t, ok := r.pyKnownCall(u, u.lastName(callee), args, u.list(list)); ok && r.isLibrary(u, callee) {
		return t
	}
	return r.pyCall(u, r.pyExpr(u, callee), args, list)
}

// isLibrary reports whether a callee is nothing of the project.
func (r *Resolver) isLibrary(u *unit, callee int32) bool {
	if u.kind(callee) == "attribute" {
		t := r.pyExpr(u, u.child(callee, "object"))
		return len(t) > 0 && t[0].kind == pyOutside
	}
	y := r.pyLookup(u, callee, u.of(callee))
	if y == nil {
		return true
	}
	t := r.pyOf(y)
	return len(t) > 0 && t[0].kind == pyOutside
}

// pySuper infers super(): the bases of the class around.
func (r *Resolver) pySuper(u *unit, n int32) pyType {
	for f := u.around(n, "function_definition"); f >= 0; f = u.around(f, "function_definition") {
		if class := u.methodOf(f); class != nil {
			kind := pyInstance
			if u.decorated(f, "classmethod") {
				kind = pyClass
			}
			return pyType{{kind: kind, class: class, above: true}}
		}
	}
	return nil
}

// pyKnownCall infers calls of functions of the standard library that hand
// through what they are given.
func (r *Resolver) pyKnownCall(u *unit, name string, args []pyType, list []int32) (pyType, bool) {
	arg := func(i int) pyType {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	switch name {
	case "cast":
		if len(list) == 2 {
			return r.pyAnnotation(u, list[0]), true
		}
	case "iter", "reversed", "sorted", "list", "set", "frozenset", "filter", "islice":
		if name == "filter" || len(args) == 0 {
			return builtin("list", r.pyElement(arg(1))), true
		}
		return builtin("list", r.pyElement(arg(0))), true
	case "tuple":
		return builtin("list", r.pyElement(arg(0))), true
	case "next", "min", "max":
		if name != "next" && len(args) > 1 {
			return join(arg(0), arg(1)), true
		}
		return r.pyElement(arg(0)), true
	case "enumerate":
		return builtin("list", builtin("tuple", builtin("int"), r.pyElement(arg(0)))), true
	case "zip":
		parts := make([]pyType, len(args))
		for i, a := range args {
			parts[i] = r.pyElement(a)
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
		return builtin("list", r.pyReturned(arg(0), []pyType{r.pyElement(arg(1))}, nil, -1)), true
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
func (r *Resolver) pyCall(u *unit, callee pyType, args []pyType, list int32) pyType {
	var all pyType
	for _, v := range callee {
		switch v.kind {
		case pyClass:
			all = join(all, r.pyConstructed(u, v, args, list))
		case pyFunction:
			all = join(all, r.pyReturned(pyType{v}, args, u, list))
		case pyOutside:
			all = join(all, outside)
		case pyInstance:
			if v.name == "Callable" && len(v.args) > 0 {
				all = join(all, r.pySolved(v.args[len(v.args)-1], v, args))
			} else if m, ok, _ := r.pyMember(v, "__call__"); ok {
				all = join(all, r.pyReturned(r.pyBound(m, v), args, u, list))
			}
		}
	}
	return all
}

// pySolved is what calling a Callable[[T], T] gives: its type variables are
// what the arguments say.
func (r *Resolver) pySolved(result pyType, callable pyValue, args []pyType) pyType {
	if len(callable.args) < 2 || len(args) == 0 {
		return result
	}
	bound := map[*symbol]pyType{}
	for i, p := range callable.args[:len(callable.args)-1] {
		if i < len(args) {
			r.pyUnify(p, args[i], bound)
		}
	}
	return r.pyReplace(result, bound)
}

// pyConstructed is an instance of a class, its type arguments inferred from
// those of the constructor.
func (r *Resolver) pyConstructed(u *unit, v pyValue, args []pyType, list int32) pyType {
	made := pyValue{kind: pyInstance, class: v.class, name: v.name, args: v.args}
	if v.class == nil || len(v.args) > 0 {
		return pyType{made}
	}
	params := r.pyTypeParameters(v.class)
	if len(params) == 0 {
		return pyType{made}
	}
	bound := map[*symbol]pyType{}
	if m, ok, _ := r.pyMember(v, "__init__"); ok {
		for _, f := range r.pyOf(m.symbol) {
			if f.kind == pyFunction {
				r.pyBindArguments(f, args, u, list, 1, bound)
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
func (r *Resolver) pyReturned(callee pyType, args []pyType, u *unit, list int32) pyType {
	var all pyType
	for _, f := range callee {
		switch f.kind {
		case pyFunction:
			f = r.pyOverload(f, args, u, list)
			t := r.pyResult(f)
			bound := map[*symbol]pyType{}
			skip := 0
			if f.self != nil {
				skip = 1
				if p := f.unit.firstParameter(f.node); p >= 0 && f.unit.kind(f.unit.parent(p)) == "typed_parameter" {
					r.pyUnify(r.pyAnnotation(f.unit, f.unit.child(f.unit.parent(p), "type")), pyType{*f.self}, bound)
				}
				if f.self.class != nil {
					t = r.pyApply(t, pyValue{class: r.pyOwner(f), args: f.self.args})
				}
			}
			r.pyBindArguments(f, args, u, list, skip, bound)
			all = join(all, r.pyReplace(t, bound))
		case pyClass, pyInstance, pyOutside:
			all = join(all, r.pyCall(u, pyType{f}, args, list))
		}
	}
	return all
}

// pyOwner is the class whose method a function is.
func (r *Resolver) pyOwner(f pyValue) *symbol { return f.unit.methodOf(f.node) }

// pyResult is the declared or inferred result of a function. Self is what the
// method is bound to.
func (r *Resolver) pyResult(f pyValue) pyType {
	u, n := f.unit, f.node
	if u.kind(n) == "lambda" {
		return r.pyExpr(u, u.child(n, "body"))
	}
	var t pyType
	if a := u.child(n, "return_type"); a >= 0 {
		t = r.pyAnnotation(u, a)
		if u.lastName(u.first(a)) == "Self" && f.self != nil {
			t = pyType{{kind: pyInstance, class: f.self.class, args: f.self.args}}
		}
	} else {
		t = r.pyInferredResult(u, n)
	}
	if f.yields {
		return builtin("ContextManager", r.pyElement(t))
	}
	return t
}

// pyInferredResult joins what the return statements of a function return.
func (r *Resolver) pyInferredResult(u *unit, n int32) pyType {
	key := nodeKey{u, n}
	if t, ok := pyMemoryOf(key.u)[key]; ok {
		return t
	}
	pyMemoryOf(key.u)[key] = nil // a function that returns what it returns itself
	var all, yielded pyType
	body := u.child(n, "body")
	if body < 0 {
		return nil
	}
	for i := body + 1; i < u.nodes[body].Next; {
		switch u.kind(i) {
		case "function_definition", "class_definition", "lambda":
			i = u.nodes[i].Next
			continue
		case "return_statement":
			all = join(all, r.pyExpr(u, u.first(i)))
		case "yield":
			yielded = join(yielded, r.pyExpr(u, u.first(i)))
		}
		i++
	}
	if yielded != nil {
		all = builtin("list", yielded)
	}
	pyMemoryOf(key.u)[key] = all
	return all
}

// pyOverload chooses among the declarations of an overloaded function the
// first that the arguments fit.
func (r *Resolver) pyOverload(f pyValue, args []pyType, u *unit, list int32) pyValue {
	name := f.unit.child(f.node, "name")
	y := f.unit.owner[name]
	if y == nil || len(y.decls) < 2 {
		return f
	}
	for _, d := range y.decls {
		if f.unit.kind(d.node) != "function_definition" || !f.unit.decorated(d.node, "overload") {
			continue
		}
		f.node = d.node
		if r.pyFits(f, args, u, list) {
			return f
		}
	}
	f.node = y.decls[len(y.decls)-1].node
	return f
}

// pyFits reports whether arguments can be those of a function.
func (r *Resolver) pyFits(f pyValue, args []pyType, u *unit, list int32) bool {
	params := f.unit.list(f.unit.child(f.node, "parameters"))
	if f.self != nil && len(params) > 0 {
		params = params[1:]
	}
	var keywords []string
	if u != nil {
		for c := range u.children(list) {
			if u.kind(c) == "keyword_argument" {
				keywords = append(keywords, u.of(u.child(c, "name")))
			}
		}
	}
	position, open := 0, false
	for _, p := range params {
		switch f.unit.kind(p) {
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
			if f.unit.kind(f.unit.first(p)) != "identifier" {
				open = true
				position = max(position, len(args))
				continue
			}
		}
		name := p
		if f.unit.kind(p) != "identifier" {
			if name = f.unit.child(p, "name"); name < 0 {
				name = f.unit.first(p)
			}
		}
		at := slices.Index(keywords, f.unit.of(name))
		optional := f.unit.child(p, "value") >= 0
		switch {
		case position < len(args):
			if !r.pyAssignable(args[position], f.unit, f.unit.child(p, "type")) {
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
func (r *Resolver) pyAssignable(arg pyType, u *unit, annotation int32) bool {
	if annotation < 0 || len(arg) == 0 {
		return true
	}
	want := r.pyAnnotation(u, annotation)
	if len(want) == 0 {
		return u.of(annotation) != "None"
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
				if r.pyDerives(a.class, w.class) {
					return true
				}
			}
		}
	}
	return false
}

// pyDerives reports whether a class is, or is derived from, another.
func (r *Resolver) pyDerives(class, from *symbol) bool {
	seen := map[*symbol]bool{}
	todo := []*symbol{class}
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
		for _, b := range r.pyBases(c) {
			if b.class != nil {
				todo = append(todo, b.class)
			}
		}
	}
	return false
}
