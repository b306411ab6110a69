package resolve

// expected is the type that is expected of an expression where it stands.
func (r *Resolver) expected(u *unit, n int32) tsType {
	if !r.step() || r.depth > mostDepth {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	p := u.parent(n)
	switch u.kind(p) {
	case "parenthesized_expression", "non_null_expression", "ternary_expression", "sequence_expression":
		if u.field(n) != "condition" {
			return r.expected(u, p)
		}
	case "as_expression", "satisfies_expression":
		if list := u.list(p); len(list) == 2 && list[0] == n {
			return r.tsAnnotation(u, list[1])
		}
		return r.expected(u, p)
	case "binary_expression":
		if t := r.expected(u, p); len(t) > 0 {
			return t
		}
		if op := u.of(u.child(p, "operator")); u.field(n) == "right" && (op == "||" || op == "??") {
			return r.tsExpr(u, u.child(p, "left"))
		}
	case "await_expression":
		return r.expected(u, p)
	case "variable_declarator", "public_field_definition", "required_parameter", "optional_parameter":
		if u.field(n) == "value" {
			return r.tsAnnotation(u, u.child(p, "type"))
		}
	case "assignment_expression":
		if u.field(n) == "right" {
			return r.tsExpr(u, u.child(p, "left"))
		}
	case "pair":
		if u.field(n) == "value" {
			return r.ofMembers(r.expected(u, u.parent(p)), unquote(u.of(u.child(p, "key"))))
		}
	case "spread_element":
		return r.expected(u, u.parent(p))
	case "array":
		return r.tsElement(r.expected(u, p))
	case "return_statement":
		return r.expectedResult(u, u.around(p, "function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function_declaration"))
	case "arrow_function":
		if u.field(n) == "body" {
			return r.expectedResult(u, p)
		}
	case "arguments":
		return r.expectedArgument(u, p, n)
	}
	return nil
}

// expectedResult is what a function is expected to return.
func (r *Resolver) expectedResult(u *unit, function int32) tsType {
	if function < 0 {
		return nil
	}
	async := hasWord(u.text[u.nodes[function].Start:u.nodes[max(u.child(function, "body"), function)].Start], "async")
	unwrap := func(t tsType) tsType {
		if async {
			return awaited(t)
		}
		return t
	}
	if a := u.child(function, "return_type"); a >= 0 {
		return unwrap(r.tsAnnotation(u, a))
	}
	var all tsType
	for _, f := range r.callables(r.expectedFunction(u, function)) {
		if f.kind == tsFunction {
			if a := f.unit.child(f.node, "return_type"); a >= 0 {
				all = joinTS(all, r.subst(r.tsAnnotation(f.unit, a), f.env))
			}
		}
	}
	return unwrap(all)
}

// expectedFunction is what is expected where a function stands: for a method
// of an object literal, the member of what is expected of that.
func (r *Resolver) expectedFunction(u *unit, function int32) tsType {
	if u.kind(function) == "method_definition" {
		if o := u.parent(function); u.kind(o) == "object" {
			return r.ofMembers(r.expected(u, o), u.of(u.child(function, "name")))
		}
		return nil
	}
	return r.expected(u, function)
}

// callables lists the functions that a type may be called as.
func (r *Resolver) callables(t tsType) []tsValue {
	var all []tsValue
	for _, v := range t {
		switch v.kind {
		case tsFunction, tsCallback:
			all = append(all, v)
		case tsObject, tsInstance:
			all = append(all, r.signatures(v, callSignature)...)
		case tsParameter, tsIndexed:
			all = append(all, r.callables(r.limitOf(v))...)
		}
	}
	return all
}

// expectedArgument is the type of the parameter that an argument is for.
func (r *Resolver) expectedArgument(u *unit, list, n int32) tsType {
	call := u.parent(list)
	args := u.list(list)
	at := 0
	for at < len(args) && args[at] != n {
		at++
	}
	if u.kind(call) == "new_expression" {
		return r.expectedByConstructor(u, call, list, args, at)
	}
	callee := u.child(call, "function")
	if u.kind(callee) == "super" {
		var all tsType
		for _, b := range r.tsExpr(u, callee) {
			found, _ := r.tsMembersOf(b, "constructor")
			for _, m := range found {
				for _, f := range r.subst(r.tsOf(m.symbol), m.env) {
					all = joinTS(all, r.parameterType(f, u, list, args, at, nil))
				}
			}
		}
		return all
	}
	explicit := r.typeArguments(u, call)
	var all tsType
	for _, v := range r.tsExpr(u, callee) {
		if v.kind == tsLibrary {
			all = joinTS(all, r.libraryCallback(v, at))
			continue
		}
		for _, f := range r.callables(tsType{v}) {
			all = joinTS(all, r.parameterType(f, u, list, args, at, explicit))
		}
	}
	return all
}

func (r *Resolver) expectedByConstructor(u *unit, call, list int32, args []int32, at int) tsType {
	var all tsType
	explicit := r.typeArguments(u, call)
	for _, v := range r.tsExpr(u, u.child(call, "constructor")) {
		switch v.kind {
		case tsClass:
			found, _ := r.inherited(tsValue{kind: tsInstance, sym: v.sym, args: explicit}, "constructor")
			for _, m := range found {
				for _, f := range r.subst(r.tsOf(m.symbol), m.env) {
					all = joinTS(all, r.parameterType(f, u, list, args, at, nil))
				}
			}
		case tsInstance, tsObject:
			for _, f := range r.signatures(v, newSignature) {
				all = joinTS(all, r.parameterType(f, u, list, args, at, explicit))
			}
		case tsFunction:
			all = joinTS(all, r.parameterType(v, u, list, args, at, explicit))
		}
	}
	return all
}

// parameterType is the type of a parameter of a function in a call.
func (r *Resolver) parameterType(f tsValue, u *unit, list int32, args []int32, at int, explicit []tsType) tsType {
	if f.kind != tsFunction {
		return nil
	}
	f = r.overloadByForm(f, u, args)
	params := f.unit.parameters(f.node)
	if len(params) == 0 {
		return nil
	}
	p := params[min(at, len(params)-1)]
	if at >= len(params) && !f.unit.isRest(p) {
		return nil
	}
	t := r.tsAnnotation(f.unit, f.unit.child(p, "type"))
	if f.unit.isRest(p) {
		t = r.tsElement(t)
	}
	vars := map[*symbol]tsType{}
	own := f.unit.typeParameters(f.node)
	for i, y := range own {
		if i < len(explicit) {
			vars[y] = explicit[i]
		}
	}
	if len(own) > 0 && explicit == nil {
		r.inferArguments(f, u, list, vars, at)
		r.inferFromExpected(f, u, u.parent(list), own, vars)
	}
	return r.subst(r.subst(t, newEnv(vars, nil)), f.env)
}

// inferFromExpected finds what the type parameters are that the arguments do
// not tell, from what is expected of the call.
func (r *Resolver) inferFromExpected(f tsValue, u *unit, call int32, own []*symbol, vars map[*symbol]tsType) {
	result := f.unit.child(f.node, "return_type")
	if result < 0 {
		return
	}
	more := map[*symbol]tsType{}
	r.unify(r.tsAnnotation(f.unit, result), r.expected(u, call), more)
	for _, y := range own {
		if len(vars[y]) == 0 && len(more[y]) > 0 {
			vars[y] = more[y]
		}
	}
}

// overloadByForm chooses an overload by what can be told of arguments without
// inferring them: how many there are, and which are functions or objects.
func (r *Resolver) overloadByForm(f tsValue, u *unit, args []int32) tsValue {
	if f.sym == nil || len(f.sym.decls) < 2 {
		return f
	}
	first := f
	for _, d := range f.sym.decls {
		if !isFunctionNode(f.unit.kind(d.node)) {
			continue
		}
		f.node = d.node
		if r.formFits(f, u, args) {
			return f
		}
	}
	return first
}

func (r *Resolver) formFits(f tsValue, u *unit, args []int32) bool {
	params := f.unit.parameters(f.node)
	for i, p := range params {
		if f.unit.isRest(p) {
			return true
		}
		if i >= len(args) {
			return f.unit.kind(p) == "optional_parameter" || f.unit.child(p, "value") >= 0
		}
		want := r.tsAnnotation(f.unit, f.unit.child(p, "type"))
		if len(want) == 0 {
			continue
		}
		k := u.kind(args[i])
		isFunction := k == "arrow_function" || k == "function_expression"
		ok := false
		for _, w := range want {
			callable := len(r.callables(tsType{w})) > 0 || w.kind == tsParameter
			switch {
			case isFunction:
				ok = ok || callable
			case k == "object":
				ok = ok || w.kind == tsObject || w.kind == tsInstance || w.kind == tsParameter || w.kind == tsLibrary && len(w.args) > 0
			default:
				ok = true
			}
		}
		if !ok {
			return false
		}
	}
	return len(args) <= len(params)
}

// libraryCallback is what a method of the library calls its argument with.
func (r *Resolver) libraryCallback(v tsValue, at int) tsType {
	owner, method := cutLast(v.name)
	arg := func(i int) tsType {
		if i < len(v.args) {
			return v.args[i]
		}
		return nil
	}
	callback := func(args ...tsType) tsType { return tsType{{kind: tsCallback, args: args}} }
	switch owner {
	case "Array", "Tuple", "Set":
		element := r.tsElement(tsType{{kind: tsLibrary, name: owner, args: v.args}})
		switch method {
		case "map", "forEach", "filter", "find", "some", "every", "flatMap", "findIndex", "findLast":
			if owner == "Set" {
				return callback(element, element)
			}
			return callback(element, library("number"), library("Array", element))
		case "sort", "toSorted":
			return callback(element, element)
		case "reduce", "reduceRight":
			return callback(nil, element, library("number"))
		case "push", "unshift", "indexOf", "includes", "add":
			return element
		}
	case "Map":
		switch {
		case method == "forEach":
			return callback(arg(1), arg(0))
		case method == "set" && at == 1:
			return arg(1)
		}
	case "Promise":
		if method == "then" && at == 0 {
			return callback(arg(0))
		}
	}
	return nil
}

// expectedParameter is the type of a parameter that has no annotation: what
// is expected of the function says.
func (r *Resolver) expectedParameter(u *unit, n int32) tsType {
	list := u.parent(n)
	function := list
	at := 0
	if u.kind(list) == "formal_parameters" {
		function = u.parent(list)
		for i, p := range u.parameters(function) {
			if p == n {
				at = i
			}
		}
	}
	var all tsType
	for _, f := range r.callables(r.expectedFunction(u, function)) {
		if f.kind == tsCallback {
			if at < len(f.args) {
				all = joinTS(all, f.args[at])
			}
			continue
		}
		params := f.unit.parameters(f.node)
		if len(params) == 0 {
			continue
		}
		p := params[min(at, len(params)-1)]
		if at >= len(params) && !f.unit.isRest(p) {
			continue
		}
		t := r.tsAnnotation(f.unit, f.unit.child(p, "type"))
		if f.unit.isRest(p) && !u.isRest(n) {
			t = r.tsElement(t)
		}
		all = joinTS(all, r.subst(t, f.env))
	}
	return all
}
