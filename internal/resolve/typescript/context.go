package typescript

import (
	"slices"

	"codeintel/internal/resolve"
)

// expectedType is the type that is expected of an expression where it is.
func expectedType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	if !r.Enter() {
		return nil
	}
	defer r.Leave()
	p := u.Parent(n)
	switch u.Kind(p) {
	case "parenthesized_expression", "non_null_expression", "ternary_expression", "sequence_expression":
		if u.Field(n) != "condition" {
			return expectedType(r, u, p)
		}
	case "as_expression", "satisfies_expression":
		if list := u.List(p); len(list) == 2 && list[0] == n {
			return annotationType(r, u, list[1])
		}
		return expectedType(r, u, p)
	case "binary_expression":
		if t := expectedType(r, u, p); len(t) > 0 {
			return t
		}
		if op := u.Text(u.Child(p, "operator")); u.Field(n) == "right" && (op == "||" || op == "??") {
			return typeOf(r, u, u.Child(p, "left"))
		}
	case "await_expression":
		return expectedType(r, u, p)
	case "variable_declarator", "public_field_definition", "required_parameter", "optional_parameter":
		if u.Field(n) == "value" {
			if a := u.Child(p, "type"); a >= 0 {
				return annotationType(r, u, a)
			}
			return documentedType(r, u, p)
		}
	case "assignment_expression":
		if u.Field(n) == "right" {
			return expectedAssigned(r, u, p)
		}
	case "pair":
		if u.Field(n) == "value" {
			name := resolve.Unquote(u.Text(u.Child(p, "key")))
			return keepForm(expectedLiteral(r, u, u.Parent(p)), func(t union) union { return ofMembers(r, t, name) })
		}
	case "spread_element":
		return expectedType(r, u, u.Parent(p))
	case "array":
		return keepForm(expectedType(r, u, p), func(t union) union { return elementOf(r, t) })
	case "return_statement":
		return expectedResult(r, u, u.Around(p, "function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function_declaration"))
	case "arrow_function":
		if u.Field(n) == "body" {
			return expectedResult(r, u, p)
		}
	case "arguments":
		return expectedArgument(r, u, p, n)
	case "jsx_expression":
		return expectedInMarkup(r, u, p)
	case "jsx_opening_element", "jsx_self_closing_element":
		return propsOf(r, u, p) // spread
	}
	return nil
}

// expectedAssigned is the type that is expected of what is assigned. Where nothing but
// assignments declares the member, it is what the documentation of any of them says.
func expectedAssigned(r *resolve.Resolver, u *resolve.Unit, assignment int32) union {
	if t := documentedType(r, u, assignment); len(t) > 0 {
		return t
	}
	left := u.Child(assignment, "left")
	y := u.Owner[memberName(u, left)]
	if isExports(u, left) {
		return nil
	}
	if y == nil || slices.ContainsFunc(y.Decls, func(d resolve.Decl) bool { return d.How != assigned }) {
		return typeOf(r, u, left)
	}
	var all union
	for _, d := range y.Decls {
		all = all.Join(documentedType(r, u, d.Node))
	}
	return all
}

// expectedResult is what a function is expected to return.
func expectedResult(r *resolve.Resolver, u *resolve.Unit, function int32) union {
	if function < 0 {
		return nil
	}
	async := hasWord(u.Source[u.Nodes[function].Start:u.Nodes[max(u.Child(function, "body"), function)].Start], "async")
	unwrap := func(t union) union {
		if async {
			return awaitedType(t)
		}
		return t
	}
	if a := u.Child(function, "return_type"); a >= 0 {
		return unwrap(annotationType(r, u, a))
	}
	if t := documentedResult(r, u, function); len(t) > 0 {
		return unwrap(t)
	}
	return unwrap(keepForm(expectedFunction(r, u, function), func(t union) (all union) {
		for _, f := range callables(r, t) {
			all = all.Join(f.back)
			if f.kind == kindFunction {
				if a := f.unit.Child(f.node, "return_type"); a >= 0 {
					all = all.Join(subst(r, annotationType(r, f.unit, a), f.env))
				}
			}
		}
		return all
	}))
}

// expectedFunction is what is expected where a function is: for a method
// of an object literal, the member of what is expected of that.
func expectedFunction(r *resolve.Resolver, u *resolve.Unit, function int32) union {
	if u.Kind(function) == "method_definition" {
		if o := u.Parent(function); u.Kind(o) == "object" {
			name := resolve.Unquote(u.Text(u.Child(function, "name")))
			return keepForm(expectedLiteral(r, u, o), func(t union) union { return ofMembers(r, t, name) })
		}
		return nil
	}
	return expectedType(r, u, function)
}

// callables lists the functions that a type may be called as.
func callables(r *resolve.Resolver, t union) []value {
	var all []value
	for _, v := range t {
		switch v.kind {
		case kindFunction, kindCallback:
			all = append(all, v)
		case kindObject, kindInstance:
			all = append(all, signatures(r, v, callSignature)...)
		case kindParameter, kindIndexed:
			all = append(all, callables(r, limitOf(r, v))...)
		}
	}
	return all
}

// expectedArgument is the type of the parameter that an argument is for.
func expectedArgument(r *resolve.Resolver, u *resolve.Unit, list, n int32) union {
	call := u.Parent(list)
	args := u.List(list)
	at := 0
	for at < len(args) && args[at] != n {
		at++
	}
	if u.Kind(call) == "new_expression" {
		return expectedByConstructor(r, u, call, list, args, at)
	}
	callee := u.Child(call, "function")
	if u.Kind(callee) == "super" {
		var all union
		for _, b := range typeOf(r, u, callee) {
			found, _ := membersOfValue(r, b, "constructor")
			for _, m := range found {
				for _, f := range subst(r, typeOfSymbol(r, m.symbol), m.env) {
					all = all.Join(parameterType(r, f, u, list, args, at, nil))
				}
			}
		}
		return all
	}
	explicit := typeArguments(r, u, call)
	var all union
	for _, v := range typeOf(r, u, callee) {
		if v.kind == kindLibrary {
			all = all.Join(libraryCallback(r, v, at, explicit))
			continue
		}
		for _, f := range callables(r, union{v}) {
			if f.kind == kindCallback {
				all = all.Join(resolve.At(f.args, at))
			}
			all = all.Join(parameterType(r, f, u, list, args, at, explicit))
		}
	}
	return all
}

func expectedByConstructor(r *resolve.Resolver, u *resolve.Unit, call, list int32, args []int32, at int) union {
	var all union
	explicit := typeArguments(r, u, call)
	for _, v := range typeOf(r, u, u.Child(call, "constructor")) {
		switch v.kind {
		case kindClass:
			found, _ := inherited(r, value{kind: kindInstance, sym: v.sym, args: explicit}, "constructor")
			for _, m := range found {
				for _, f := range subst(r, typeOfSymbol(r, m.symbol), m.env) {
					all = all.Join(parameterType(r, f, u, list, args, at, nil))
				}
			}
		case kindInstance, kindObject:
			for _, f := range signatures(r, v, newSignature) {
				all = all.Join(parameterType(r, f, u, list, args, at, explicit))
			}
		case kindFunction:
			all = all.Join(parameterType(r, v, u, list, args, at, explicit))
		}
	}
	return all
}

// parameterType is the type of a parameter of a function in a call.
func parameterType(r *resolve.Resolver, f value, u *resolve.Unit, list int32, args []int32, at int,
	explicit []union) union {
	if f.kind != kindFunction {
		return nil
	}
	f = overloadByForm(r, f, u, args)
	params := parameters(f.unit, f.node)
	if len(params) == 0 {
		return nil
	}
	p := params[min(at, len(params)-1)]
	if at >= len(params) && !isRest(f.unit, p) {
		return nil
	}
	t := writtenParameter(r, f.unit, p)
	if isRest(f.unit, p) {
		t = elementOf(r, t)
	}
	vars := map[*resolve.Symbol]union{}
	own := f.unit.TypeParameters(f.node)
	t = alsoForm(t, isConditional(r, f.unit, p, own))
	for i, y := range own {
		if i < len(explicit) {
			vars[y] = explicit[i]
		}
	}
	if len(own) > 0 && explicit == nil {
		inferArguments(r, f, u, list, vars, at)
		inferFromExpected(r, f, u, u.Parent(list), own, vars)
		for _, y := range own { // what only this argument tells is expected to be what it is limited to
			if limit := limitOf(r, value{kind: kindParameter, sym: y}); len(vars[y]) == 0 && len(limit) > 0 {
				vars[y] = asForm(subst(r, limit, newEnv(vars, nil)))
			}
		}
	}
	return subst(r, subst(r, t, newEnv(vars, nil)), f.env)
}

// isConditional reports whether the type of a parameter is one of two by a condition, and one
// of these is a type parameter of the function itself: it hangs on the argument which is meant.
func isConditional(r *resolve.Resolver, u *resolve.Unit, p int32, own []*resolve.Symbol) bool {
	n := u.First(u.Child(p, "type"))
	if u.Kind(n) != "conditional_type" {
		return false
	}
	return slices.ContainsFunc([]string{"consequence", "alternative"}, func(part string) bool {
		c := u.Child(n, part)
		return u.Kind(c) == "type_identifier" && slices.Contains(own, lookup(r, u, c, u.Text(c)))
	})
}

// writtenParameter is the type that is written for a parameter: as an annotation, in a
// comment, or by the members that the parameter is taken apart into.
func writtenParameter(r *resolve.Resolver, u *resolve.Unit, p int32) union {
	if a := u.Child(p, "type"); a >= 0 {
		return annotationType(r, u, a)
	}
	if t := documentedParameter(r, u, p); len(t) > 0 {
		return t
	}
	if t := shapeOf(u, p); len(t) > 0 {
		return t
	}
	return typeOf(r, u, byDefault(u, p))
}

// shapeOf is what a parameter that is taken apart asks of its argument.
func shapeOf(u *resolve.Unit, p int32) union {
	if pattern := destructuredPattern(u, p); pattern >= 0 {
		return union{{kind: kindObject, unit: u, node: pattern}}
	}
	return nil
}

// inferFromExpected finds what the type parameters are that the arguments do
// not tell, from what is expected of the call.
func inferFromExpected(r *resolve.Resolver, f value, u *resolve.Unit, call int32, own []*resolve.Symbol,
	vars map[*resolve.Symbol]union) {
	result := f.unit.Child(f.node, "return_type")
	if result < 0 {
		return
	}
	more := map[*resolve.Symbol]union{}
	unify(r, annotationType(r, f.unit, result), expectedType(r, u, call), more)
	for _, y := range own {
		if len(vars[y]) == 0 && len(more[y]) > 0 {
			vars[y] = asForm(more[y])
		}
	}
}

// overloadByForm chooses an overload by what can be told of arguments without
// inferring them: how many there are, and which are functions or objects.
func overloadByForm(r *resolve.Resolver, f value, u *resolve.Unit, args []int32) value {
	if f.sym == nil || len(f.sym.Decls) < 2 {
		return f
	}
	first := f
	for _, d := range f.sym.Decls {
		if !isFunctionNode(f.unit.Kind(d.Node)) {
			continue
		}
		f.node = d.Node
		if formFits(r, f, u, args) {
			return f
		}
	}
	return first
}

func formFits(r *resolve.Resolver, f value, u *resolve.Unit, args []int32) bool {
	params := parameters(f.unit, f.node)
	for i, p := range params {
		if isRest(f.unit, p) {
			return true
		}
		if i >= len(args) {
			return f.unit.Kind(p) == "optional_parameter" || f.unit.Child(p, "value") >= 0
		}
		want := writtenParameter(r, f.unit, p)
		if len(want) == 0 {
			continue
		}
		k := u.Kind(args[i])
		isFunction := k == "arrow_function" || k == "function_expression"
		ok := false
		for _, w := range want {
			callable := len(callables(r, union{w})) > 0 || w.kind == kindParameter
			switch {
			case isFunction:
				ok = ok || callable
			case k == "object":
				ok = ok || w.kind == kindObject || w.kind == kindInstance || w.kind == kindParameter ||
					w.kind == kindLibrary && len(w.args) > 0 && !isList(w)
			case k == "array":
				ok = ok || w.kind == kindParameter || w.kind == kindIndexed || w.kind == kindLibrary
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

// libraryCallback is what a method of the library calls its argument with. explicit are the
// type arguments of the call.
func libraryCallback(r *resolve.Resolver, v value, at int, explicit []union) union {
	owner, method := cutLast(v.name)
	arg := func(i int) union { return resolve.At(v.args, i) }
	callback := func(args ...union) union { return union{{kind: kindCallback, args: args}} }
	switch owner {
	case "Array", "Tuple", "Set":
		element := elementOf(r, union{{kind: kindLibrary, name: owner, args: v.args}})
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
	case "", "React":
		return hookArgument(method, at, explicit)
	}
	return nil
}

// expectedParameter is the type of a parameter that has no annotation: what
// is expected of the function says.
func expectedParameter(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	list := u.Parent(n)
	function := list
	at := 0
	if u.Kind(list) == "formal_parameters" {
		function = u.Parent(list)
		for i, p := range parameters(u, function) {
			if p == n {
				at = i
			}
		}
	}
	var all union
	for _, f := range callables(r, expectedFunction(r, u, function)) {
		if f.kind == kindCallback {
			if at < len(f.args) {
				all = all.Join(f.args[at])
			}
			continue
		}
		params := parameters(f.unit, f.node)
		if len(params) == 0 {
			continue
		}
		p := params[min(at, len(params)-1)]
		if at >= len(params) && !isRest(f.unit, p) {
			continue
		}
		t := writtenParameter(r, f.unit, p)
		if isRest(f.unit, p) && !isRest(u, n) {
			t = elementOf(r, t)
		}
		all = all.Join(subst(r, t, f.env))
	}
	return noForm(all)
}
