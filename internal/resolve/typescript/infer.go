package typescript

import (
	"strings"

	"codeintel/internal/resolve"
)

// inferArguments finds what the type parameters of a function are, from the
// arguments of a call. Functions among them come last, because what they take
// may hang on the others, and not at all if one of the arguments is to be left
// out: the one of which is asked what is expected. It is -1 otherwise.
func inferArguments(r *resolve.Resolver, f value, u *resolve.Unit, list int32, vars map[*resolve.Symbol]union,
	without int) {
	args := u.List(list)
	params := parameters(f.unit, f.node)
	for _, late := range []bool{false, true} {
		if late && without >= 0 {
			return
		}
		for i, a := range args {
			k := u.Kind(a)
			if i == without && (k == "object" || k == "array") {
				continue
			}
			if (k == "arrow_function" || k == "function_expression") != late || len(params) == 0 {
				continue
			}
			p := params[min(i, len(params)-1)]
			if i >= len(params) && !isRest(f.unit, p) {
				continue
			}
			want := writtenParameter(r, f.unit, p)
			if isRest(f.unit, p) {
				want = elementOf(r, want)
			}
			if mentionsParameter(want, 0) {
				unify(r, want, typeOf(r, u, a), vars)
			}
		}
	}
}

// mentionsParameter reports whether a type may hang on a type parameter.
func mentionsParameter(t union, depth int) bool {
	for _, v := range t {
		if v.kind == kindParameter || v.kind == kindIndexed || v.kind == kindFunction || v.kind == kindObject ||
			depth > 4 {
			return true
		}
		for _, a := range v.args {
			if mentionsParameter(a, depth+1) {
				return true
			}
		}
	}
	return false
}

// Bounds on how far two types are compared: structures that hold each other
// would be compared for ever.
const (
	unifyDepth = 6
	unifySteps = 5000
)

// unify finds what type parameters must be for a value to fit.
func unify(r *resolve.Resolver, want, have union, vars map[*resolve.Symbol]union) {
	if r.Depth > resolve.MostDepth || !r.Step() || r.Unifying >= unifyDepth {
		return
	}
	if r.Unifying == 0 {
		r.UnifyUntil = r.Steps + unifySteps
	}
	if r.Steps > r.UnifyUntil {
		return
	}
	r.Depth++
	r.Unifying++
	defer func() {
		r.Depth--
		r.Unifying--
	}()
	for _, w := range want {
		for _, h := range have {
			unifyOne(r, w, h, vars)
		}
	}
}

// unifyInstance compares a class or an interface with what there is.
func unifyInstance(r *resolve.Resolver, w, h value, vars map[*resolve.Symbol]union) {
	if h.kind == kindInstance {
		if b := asBase(r, h, w.sym); b != nil {
			for i := range min(len(w.args), len(b.args)) {
				unify(r, w.args[i], b.args[i], vars)
			}
			return
		}
	}
	for _, f := range signatures(r, w, callSignature) { // a function where an interface of one is wanted
		if h.kind == kindFunction {
			unifyOne(r, f, h, vars)
		}
	}
	if h.kind == kindObject {
		unifyMembers(r, w, h, vars)
	}
}

// unifyClass compares what a class makes with what a constructor is wanted to.
func unifyClass(r *resolve.Resolver, w, h value, vars map[*resolve.Symbol]union) {
	makers := []value{w}
	if w.kind == kindObject || w.kind == kindInstance {
		makers = signatures(r, w, newSignature)
	}
	for _, f := range makers {
		if f.kind != kindFunction {
			continue
		}
		made := max(f.unit.Child(f.node, "return_type"), f.unit.Child(f.node, "type"))
		if k := f.unit.Kind(f.node); made >= 0 && (k == "constructor_type" || k == "construct_signature") {
			unify(r, subst(r, annotationType(r, f.unit, made), f.env), union{{kind: kindInstance, sym: h.sym}}, vars)
		}
	}
}

func unifyOne(r *resolve.Resolver, w, h value, vars map[*resolve.Symbol]union) {
	if h.kind == kindClass && w.kind != kindParameter {
		unifyClass(r, w, h, vars)
	}
	switch w.kind {
	case kindParameter:
		if h.kind != kindParameter || h.sym != w.sym {
			vars[w.sym] = vars[w.sym].Join(union{h})
		}
	case kindInstance:
		unifyInstance(r, w, h, vars)
	case kindLibrary:
		if h.kind != kindLibrary {
			return
		}
		if w.name == h.name {
			for i := range min(len(w.args), len(h.args)) {
				unify(r, w.args[i], h.args[i], vars)
			}
		} else if (w.name == "Array" || w.name == "Set") && len(w.args) == 1 {
			unify(r, w.args[0], elementOf(r, union{h}), vars)
		}
	case kindFunction:
		if h.kind == kindFunction {
			unifyFunctions(r, w, h, vars)
		} else if h.kind == kindInstance || h.kind == kindObject {
			for _, f := range signatures(r, h, callSignature) {
				unifyFunctions(r, w, f, vars)
			}
		}
	case kindObject:
		unifyMembers(r, w, h, vars)
	}
}

// unifyMembers compares objects member by member.
func unifyMembers(r *resolve.Resolver, w, h value, vars map[*resolve.Symbol]union) {
	var table *resolve.Scope
	if w.kind == kindObject {
		table = w.unit.Members[w.node]
	} else if w.sym != nil {
		table = w.sym.Inner
	}
	if table == nil || len(table.Names) > 30 {
		return
	}
	for _, y := range table.Names {
		found, _ := membersOfValue(r, h, y.Name)
		for _, m := range found {
			want := typeOfSymbol(r, y)
			if w.kind == kindObject {
				want = subst(r, want, w.env)
			} else {
				want = subst(r, want, argumentsEnv(r, w))
			}
			unify(r, want, subst(r, typeOfSymbol(r, m.symbol), m.env), vars)
		}
	}
}

// unifyFunctions compares results, and parameters that are annotated.
func unifyFunctions(r *resolve.Resolver, w, h value, vars map[*resolve.Symbol]union) {
	for i, p := range parameters(h.unit, h.node) {
		params := parameters(w.unit, w.node)
		if i >= len(params) {
			break
		}
		if a := h.unit.Child(p, "type"); a >= 0 {
			unify(r, subst(r, annotationType(r, w.unit, w.unit.Child(params[i], "type")), w.env), subst(r, annotationType(r, h.unit, a), h.env), vars)
		}
	}
	result := w.unit.Child(w.node, "return_type")
	if result < 0 {
		return
	}
	want := subst(r, annotationType(r, w.unit, result), w.env)
	if mentionsParameter(want, 0) {
		unify(r, want, resultOf(r, h, nil, -1, nil), vars)
	}
}

// asBase is a value seen as one of a class or interface it is derived from,
// or nil.
func asBase(r *resolve.Resolver, v value, base *resolve.Symbol) *value {
	seen := map[*resolve.Symbol]bool{}
	todo := []value{v}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.sym == base {
			return &c
		}
		if c.sym == nil || c.kind != kindInstance || seen[c.sym] || !r.Step() {
			continue
		}
		seen[c.sym] = true
		todo = append(todo, basesOf(r, c, true)...)
	}
	return nil
}

// libraryCall is what a method of the library gives.
func libraryCall(r *resolve.Resolver, u *resolve.Unit, v value, args []int32, explicit []union) union {
	arg := func(i int) union { return resolve.At(v.args, i) }
	owner, method := cutLast(v.name)
	switch owner {
	case "Array", "Tuple", "Set":
		if v.name == "Array.from" && len(args) > 0 {
			return library("Array", elementOf(r, typeOf(r, u, args[0])))
		}
		return listCall(r, u, method, elementOf(r, union{{kind: kindLibrary, name: owner, args: v.args}}), args)
	case "Map":
		switch method {
		case "get":
			return arg(1)
		case "values":
			return library("Array", arg(1))
		case "keys":
			return library("Array", arg(0))
		case "entries":
			return library("Array", library("Tuple", arg(0), arg(1)))
		}
	case "Promise":
		return promiseCall(r, u, method, arg(0), args)
	case "Object":
		return objectCall(r, u, method, args)
	case "", "React":
		return hookCall(r, u, method, args, explicit)
	}
	return nil
}

// listCall is what a method of an array or a set gives.
func listCall(r *resolve.Resolver, u *resolve.Unit, method string, element union, args []int32) union {
	switch method {
	case "map":
		return library("Array", calledBack(r, u, args))
	case "flatMap":
		return library("Array", elementOf(r, calledBack(r, u, args)))
	case "filter", "slice", "concat", "reverse", "sort", "splice", "fill", "values", "toSorted":
		return library("Array", element)
	case "find", "pop", "shift", "at", "findLast":
		return element
	case "entries":
		return library("Array", library("Tuple", library("number"), element))
	case "reduce", "reduceRight":
		if len(args) > 1 {
			return typeOf(r, u, args[1])
		}
		return element
	}
	return nil
}

// calledBack is what the first of some arguments, a function, returns.
func calledBack(r *resolve.Resolver, u *resolve.Unit, args []int32) union {
	if len(args) == 0 {
		return nil
	}
	return typeOf(r, u, args[0]).Each(func(f value) union { return resultOf(r, f, nil, -1, nil) })
}

// promiseCall is what a method of a promise, or of the class, gives.
func promiseCall(r *resolve.Resolver, u *resolve.Unit, method string, value union, args []int32) union {
	switch method {
	case "then":
		return library("Promise", awaitedType(calledBack(r, u, args)))
	case "catch", "finally":
		return library("Promise", value)
	case "resolve":
		if len(args) > 0 {
			return library("Promise", awaitedType(typeOf(r, u, args[0])))
		}
	case "all":
		if len(args) > 0 {
			return library("Promise", library("Array", awaitedType(elementOf(r, typeOf(r, u, args[0])))))
		}
	}
	return nil
}

// objectCall is what a function of Object gives.
func objectCall(r *resolve.Resolver, u *resolve.Unit, method string, args []int32) union {
	if len(args) == 0 {
		return nil
	}
	switch method {
	case "values":
		return library("Array", elementOf(r, typeOf(r, u, args[0])))
	case "assign":
		var all union
		for _, a := range args {
			all = all.Join(typeOf(r, u, a))
		}
		return all
	case "freeze", "seal", "create":
		return typeOf(r, u, args[0])
	}
	return nil
}

// cutLast splits a dotted name at its last dot.
func cutLast(name string) (before, after string) {
	dot := strings.LastIndexByte(name, '.')
	return name[:max(dot, 0)], name[dot+1:]
}
