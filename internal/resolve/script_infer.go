package resolve

// inferArguments finds what the type parameters of a function are, from the
// arguments of a call. Functions among them come last, because what they take
// may hang on the others, and not at all if one of the arguments is to be left
// out: the one of which is asked what is expected. It is -1 otherwise.
func (r *Resolver) inferArguments(f tsValue, u *unit, list int32, vars map[*symbol]tsType, without int) {
	args := u.list(list)
	params := f.unit.parameters(f.node)
	for _, late := range []bool{false, true} {
		if late && without >= 0 {
			return
		}
		for i, a := range args {
			k := u.kind(a)
			if i == without && (k == "object" || k == "array") {
				continue
			}
			if (k == "arrow_function" || k == "function_expression") != late || len(params) == 0 {
				continue
			}
			p := params[min(i, len(params)-1)]
			if i >= len(params) && !f.unit.isRest(p) {
				continue
			}
			want := r.tsAnnotation(f.unit, f.unit.child(p, "type"))
			if f.unit.isRest(p) {
				want = r.tsElement(want)
			}
			if mentionsParameter(want, 0) {
				r.unify(want, r.tsExpr(u, a), vars)
			}
		}
	}
}

// mentionsParameter reports whether a type may hang on a type parameter.
func mentionsParameter(t tsType, depth int) bool {
	for _, v := range t {
		if v.kind == tsParameter || v.kind == tsIndexed || v.kind == tsFunction || v.kind == tsObject || depth > 4 {
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
func (r *Resolver) unify(want, have tsType, vars map[*symbol]tsType) {
	if r.depth > mostDepth || !r.step() || r.unifying >= unifyDepth {
		return
	}
	if r.unifying == 0 {
		r.unifyUntil = r.steps + unifySteps
	}
	if r.steps > r.unifyUntil {
		return
	}
	r.depth++
	r.unifying++
	defer func() {
		r.depth--
		r.unifying--
	}()
	for _, w := range want {
		for _, h := range have {
			r.unifyOne(w, h, vars)
		}
	}
}

func (r *Resolver) unifyOne(w, h tsValue, vars map[*symbol]tsType) {
	switch w.kind {
	case tsParameter:
		if h.kind != tsParameter || h.sym != w.sym {
			vars[w.sym] = joinTS(vars[w.sym], tsType{h})
		}
	case tsInstance:
		if h.kind == tsInstance {
			if b := r.asBase(h, w.sym); b != nil {
				for i := range min(len(w.args), len(b.args)) {
					r.unify(w.args[i], b.args[i], vars)
				}
				return
			}
		}
		for _, f := range r.signatures(w, callSignature) { // a function where an interface of one is wanted
			if h.kind == tsFunction {
				r.unifyOne(f, h, vars)
			}
		}
		if h.kind == tsObject {
			r.unifyMembers(w, h, vars)
		}
	case tsLibrary:
		if h.kind != tsLibrary {
			return
		}
		if w.name == h.name {
			for i := range min(len(w.args), len(h.args)) {
				r.unify(w.args[i], h.args[i], vars)
			}
		} else if (w.name == "Array" || w.name == "Set") && len(w.args) == 1 {
			r.unify(w.args[0], r.tsElement(tsType{h}), vars)
		}
	case tsFunction:
		if h.kind == tsFunction {
			r.unifyFunctions(w, h, vars)
		} else if h.kind == tsInstance || h.kind == tsObject {
			for _, f := range r.signatures(h, callSignature) {
				r.unifyFunctions(w, f, vars)
			}
		}
	case tsObject:
		r.unifyMembers(w, h, vars)
	}
}

// unifyMembers compares objects member by member.
func (r *Resolver) unifyMembers(w, h tsValue, vars map[*symbol]tsType) {
	var table *scope
	if w.kind == tsObject {
		table = w.unit.members[w.node]
	} else if w.sym != nil {
		table = w.sym.inner
	}
	if table == nil || len(table.names) > 30 {
		return
	}
	for _, y := range table.names {
		found, _ := r.tsMembersOf(h, y.name)
		for _, m := range found {
			want := r.tsOf(y)
			if w.kind == tsObject {
				want = r.subst(want, w.env)
			} else {
				want = r.subst(want, r.argumentsEnv(w))
			}
			r.unify(want, r.subst(r.tsOf(m.symbol), m.env), vars)
		}
	}
}

// unifyFunctions compares results, and parameters that are annotated.
func (r *Resolver) unifyFunctions(w, h tsValue, vars map[*symbol]tsType) {
	for i, p := range h.unit.parameters(h.node) {
		params := w.unit.parameters(w.node)
		if i >= len(params) {
			break
		}
		if a := h.unit.child(p, "type"); a >= 0 {
			r.unify(r.subst(r.tsAnnotation(w.unit, w.unit.child(params[i], "type")), w.env), r.subst(r.tsAnnotation(h.unit, a), h.env), vars)
		}
	}
	result := w.unit.child(w.node, "return_type")
	if result < 0 {
		return
	}
	want := r.subst(r.tsAnnotation(w.unit, result), w.env)
	if mentionsParameter(want, 0) {
		r.unify(want, r.resultOf(h, nil, -1, nil), vars)
	}
}

// asBase is a value seen as one of a class or interface it is derived from,
// or nil.
func (r *Resolver) asBase(v tsValue, base *symbol) *tsValue {
	seen := map[*symbol]bool{}
	todo := []tsValue{v}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.sym == base {
			return &c
		}
		if c.sym == nil || c.kind != tsInstance || seen[c.sym] || !r.step() {
			continue
		}
		seen[c.sym] = true
		todo = append(todo, r.tsBases(c, true)...)
	}
	return nil
}

// libraryCall is what a method of the library gives.
func (r *Resolver) libraryCall(u *unit, v tsValue, args []int32) tsType {
	owner, method := cutLast(v.name)
	arg := func(i int) tsType {
		if i < len(v.args) {
			return v.args[i]
		}
		return nil
	}
	returned := func() tsType {
		var all tsType
		if len(args) > 0 {
			for _, f := range r.tsExpr(u, args[0]) {
				all = joinTS(all, r.resultOf(f, nil, -1, nil))
			}
		}
		return all
	}
	switch owner {
	case "Array", "Tuple", "Set":
		element := r.tsElement(tsType{{kind: tsLibrary, name: owner, args: v.args}})
		switch method {
		case "map":
			return library("Array", returned())
		case "flatMap":
			return library("Array", r.tsElement(returned()))
		case "filter", "slice", "concat", "reverse", "sort", "splice", "fill", "values", "toSorted":
			return library("Array", element)
		case "find", "pop", "shift", "at", "findLast":
			return element
		case "entries":
			return library("Array", library("Tuple", library("number"), element))
		case "reduce", "reduceRight":
			if len(args) > 1 {
				return r.tsExpr(u, args[1])
			}
			return element
		}
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
		switch method {
		case "then":
			return library("Promise", awaited(returned()))
		case "catch", "finally":
			return library("Promise", arg(0))
		case "resolve":
			if len(args) > 0 {
				return library("Promise", awaited(r.tsExpr(u, args[0])))
			}
		case "all":
			if len(args) > 0 {
				return library("Promise", library("Array", awaited(r.tsElement(r.tsExpr(u, args[0])))))
			}
		}
	case "Object":
		if len(args) == 0 {
			return nil
		}
		switch method {
		case "values":
			return library("Array", r.tsElement(r.tsExpr(u, args[0])))
		case "assign":
			var all tsType
			for _, a := range args {
				all = joinTS(all, r.tsExpr(u, a))
			}
			return all
		case "freeze", "seal":
			return r.tsExpr(u, args[0])
		case "create":
			return r.tsExpr(u, args[0])
		}
	}
	if v.name == "Array.from" && len(args) > 0 {
		return library("Array", r.tsElement(r.tsExpr(u, args[0])))
	}
	return nil
}

// cutLast splits a dotted name at its last dot.
func cutLast(name string) (before, after string) {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[:i], name[i+1:]
		}
	}
	return "", name
}
