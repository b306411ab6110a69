package resolve

// tsCallExpr infers a call.
func (r *Resolver) tsCallExpr(u *unit, n int32) tsType {
	callee := u.child(n, "function")
	if u.kind(callee) == "import" || u.kind(callee) == "identifier" && u.of(callee) == "require" {
		if arg := u.first(u.child(n, "arguments")); u.kind(arg) == "string" {
			if m := r.tsModule(u, unquote(u.of(arg))); m != nil {
				if u.kind(callee) == "import" {
					return library("Promise", r.tsOf(m.module))
				}
				return r.tsOf(m.module)
			}
		}
		return nil
	}
	if u.kind(callee) == "super" {
		return nil
	}
	var all tsType
	for _, v := range r.tsExpr(u, callee) {
		all = joinTS(all, r.tsCall(u, n, v))
	}
	return all
}

// tsCall is what calling one thing gives.
func (r *Resolver) tsCall(u *unit, call int32, v tsValue) tsType {
	args := u.list(u.child(call, "arguments"))
	explicit := r.typeArguments(u, call)
	switch v.kind {
	case tsFunction:
		return r.resultOf(r.overload(v, u, args), u, u.child(call, "arguments"), explicit)
	case tsObject, tsInstance:
		for _, f := range r.signatures(v, callSignature) {
			return r.resultOf(r.overload(f, u, args), u, u.child(call, "arguments"), explicit)
		}
	case tsParameter, tsIndexed:
		var all tsType
		for _, l := range r.limitOf(v) {
			all = joinTS(all, r.tsCall(u, call, l))
		}
		return all
	case tsLibrary:
		return r.libraryCall(u, v, args)
	}
	return nil
}

func (r *Resolver) typeArguments(u *unit, call int32) []tsType {
	var all []tsType
	for c := range u.children(u.child(call, "type_arguments")) {
		all = append(all, r.tsAnnotation(u, c))
	}
	return all
}

// signatures lists the call or construct signatures of an object.
func (r *Resolver) signatures(v tsValue, name string) []tsValue {
	found, _ := r.tsMembersOf(v, name)
	var all []tsValue
	for _, m := range found {
		for _, f := range r.subst(r.tsOf(m.symbol), m.env) {
			if f.kind == tsFunction {
				all = append(all, f)
			}
		}
	}
	return all
}

// tsNew infers new C(...).
func (r *Resolver) tsNew(u *unit, n int32) tsType {
	args, explicit := u.child(n, "arguments"), r.typeArguments(u, n)
	var all tsType
	for _, v := range r.tsExpr(u, u.child(n, "constructor")) {
		switch v.kind {
		case tsClass:
			made := tsValue{kind: tsInstance, sym: v.sym, args: explicit}
			if explicit == nil {
				made.args = r.constructed(v, u, args)
			}
			all = joinTS(all, tsType{made})
		case tsLibrary:
			all = joinTS(all, libraryType(v.name, explicit))
		case tsFunction:
			all = joinTS(all, r.resultOf(v, u, args, explicit))
		default:
			for _, f := range r.signatures(v, newSignature) {
				all = joinTS(all, r.resultOf(f, u, args, explicit))
				break
			}
		}
	}
	return all
}

// constructed infers the type arguments of a class from those of its
// constructor.
func (r *Resolver) constructed(v tsValue, u *unit, args int32) []tsType {
	var params []*symbol
	for _, d := range v.sym.decls {
		if params = v.sym.unit.typeParameters(d.node); params != nil {
			break
		}
	}
	if params == nil {
		return nil
	}
	vars := map[*symbol]tsType{}
	found, _ := r.inherited(tsValue{kind: tsInstance, sym: v.sym}, "constructor")
	for _, m := range found {
		for _, f := range r.tsOf(m.symbol) {
			if f.kind == tsFunction {
				r.inferArguments(r.overload(f, u, u.list(args)), u, args, vars, -1)
			}
		}
	}
	list := make([]tsType, len(params))
	for i, p := range params {
		list[i] = vars[p]
	}
	return list
}

// overload chooses among the declarations of a function the first that takes
// so many arguments of such kinds.
func (r *Resolver) overload(f tsValue, u *unit, args []int32) tsValue {
	if f.sym == nil || len(f.sym.decls) < 2 || u == nil {
		return f
	}
	for _, d := range f.sym.decls {
		if !isFunctionNode(f.unit.kind(d.node)) {
			continue
		}
		f.node = d.node
		if r.takes(f, u, args) {
			return f
		}
	}
	f.node = f.sym.decls[0].node
	return f
}

func isFunctionNode(kind string) bool {
	switch kind {
	case "function_declaration", "function_signature", "generator_function_declaration", "method_definition", "method_signature", "abstract_method_signature",
		"call_signature", "construct_signature", "function_expression", "arrow_function", "function_type", "constructor_type":
		return true
	}
	return false
}

// parameters lists the parameters of a function that callers see.
func (u *unit) parameters(function int32) []int32 {
	if p := u.child(function, "parameter"); p >= 0 {
		return []int32{p}
	}
	var all []int32
	for c := range u.children(u.child(function, "parameters")) {
		if u.kind(u.child(c, "pattern")) != "this" {
			all = append(all, c)
		}
	}
	return all
}

// isRest reports whether a parameter takes all further arguments.
func (u *unit) isRest(p int32) bool {
	return u.kind(p) == "rest_pattern" || u.kind(u.child(p, "pattern")) == "rest_pattern"
}

// takes reports whether a function can be called so.
func (r *Resolver) takes(f tsValue, u *unit, args []int32) bool {
	params := f.unit.parameters(f.node)
	for i, p := range params {
		if f.unit.isRest(p) {
			return true
		}
		if i >= len(args) {
			return f.unit.kind(p) == "optional_parameter" || f.unit.child(p, "value") >= 0
		}
		if u.kind(args[i]) == "spread_element" {
			return true
		}
		if !r.fits(f.unit, f.unit.child(p, "type"), u, args[i]) {
			return false
		}
	}
	return len(args) <= len(params)
}

// fits reports whether an argument can be meant for a parameter, as far as
// the sorts of both tell: functions, objects, values of the language.
func (r *Resolver) fits(pu *unit, annotation int32, u *unit, arg int32) bool {
	want := r.tsAnnotation(pu, annotation)
	if len(want) == 0 {
		return !(pu.kind(pu.first(annotation)) == "literal_type" && isLiteral(u.kind(arg)))
	}
	have := r.tsExpr(u, arg)
	if len(have) == 0 {
		return true
	}
	for _, w := range want {
		for _, h := range have {
			if r.fitsOne(w, h) {
				return true
			}
		}
	}
	return false
}

func isLiteral(kind string) bool {
	switch kind {
	case "object", "arrow_function", "function_expression", "string", "number", "array", "true", "false":
		return true
	}
	return false
}

func (r *Resolver) fitsOne(w, h tsValue) bool {
	primitive := func(v tsValue) bool {
		return v.kind == tsLibrary && (v.name == "string" || v.name == "number" || v.name == "boolean" || v.name == "symbol" || v.name == "bigint")
	}
	switch {
	case w.kind == tsParameter || h.kind == tsParameter || w.kind == tsIndexed || h.kind == tsIndexed:
		return true
	case primitive(w) || primitive(h):
		return w.kind == h.kind && w.name == h.name
	case h.kind == tsFunction && w.kind != tsFunction:
		return len(r.signatures(w, callSignature)) > 0 || w.kind == tsLibrary && w.name == "Function"
	case w.kind == tsFunction:
		return h.kind == tsFunction || h.kind == tsClass || h.kind != tsObject && len(r.signatures(h, callSignature)) > 0 || h.kind == tsLibrary
	case w.kind == tsInstance && h.kind == tsInstance && w.sym != h.sym:
		if w.sym.unit.kind(w.sym.decls[0].node) == "interface_declaration" {
			return true
		}
		return r.asBase(h, w.sym) != nil
	}
	return true
}

// resultOf is what a function returns when it is called so. list holds the
// arguments as written, or is -1.
func (r *Resolver) resultOf(f tsValue, u *unit, list int32, explicit []tsType) tsType {
	if f.kind != tsFunction || r.depth > mostDepth || !r.step() {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	params := f.unit.typeParameters(f.node)
	vars := map[*symbol]tsType{}
	for i, p := range params {
		if i < len(explicit) {
			vars[p] = explicit[i]
		}
	}
	if len(params) > 0 && explicit == nil && u != nil {
		r.inferArguments(f, u, list, vars, -1)
	}
	var t tsType
	if a := f.unit.child(f.node, "return_type"); a >= 0 {
		t = r.tsAnnotation(f.unit, a)
	} else if a := f.unit.child(f.node, "type"); a >= 0 && f.unit.kind(f.node) == "constructor_type" {
		t = r.tsAnnotation(f.unit, a)
	} else {
		t = r.inferredResult(f)
	}
	return r.subst(r.subst(t, newEnv(vars, nil)), f.env)
}

// inferredResult joins what the return statements of a function return.
func (r *Resolver) inferredResult(f tsValue) tsType {
	u, body := f.unit, f.unit.child(f.node, "body")
	if body < 0 {
		return nil
	}
	promise := func(t tsType) tsType {
		if hasWord(u.text[u.nodes[f.node].Start:u.nodes[body].Start], "async") {
			return library("Promise", awaited(t))
		}
		return t
	}
	if u.kind(body) != "statement_block" {
		return promise(r.tsExpr(u, body))
	}
	key := nodeKey{u, body}
	if t, ok := tsMemoryOf(key.u).types[key]; ok {
		return promise(t)
	}
	tsMemoryOf(key.u).types[key] = nil // a function that returns what it returns itself
	var all tsType
	for i := body + 1; i < u.nodes[body].Next; {
		switch u.kind(i) {
		case "function_declaration", "function_expression", "arrow_function", "class_body", "method_definition":
			i = u.nodes[i].Next
			continue
		case "return_statement":
			all = joinTS(all, r.tsExpr(u, u.first(i)))
		}
		i++
	}
	tsMemoryOf(key.u).types[key] = all
	return promise(all)
}
