package typescript

import (
	"slices"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// callType infers a call.
func callType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	callee := u.Child(n, "function")
	if u.Kind(callee) == "import" || u.Kind(callee) == "identifier" && u.Text(callee) == "require" {
		if arg := u.First(u.Child(n, "arguments")); u.Kind(arg) == "string" {
			if m := moduleOf(r, u, resolve.Unquote(u.Text(arg))); m != nil {
				if u.Kind(callee) == "import" {
					return library("Promise", typeOfSymbol(r, m.Module))
				}
				return moduleValue(r, m)
			}
		}
		return nil
	}
	if u.Kind(callee) == "super" {
		return nil
	}
	if u.Lang == syntax.JavaScript && u.Text(callee) == "Object.create" {
		return union{{kind: kindObject, unit: u, node: n}}
	}
	var all union
	for _, v := range typeOf(r, u, callee) {
		all = all.Join(callResult(r, u, n, v))
	}
	return all
}

// callResult is what calling one thing gives.
func callResult(r *resolve.Resolver, u *resolve.Unit, call int32, v value) union {
	args := u.List(u.Child(call, "arguments"))
	explicit := typeArguments(r, u, call)
	switch v.kind {
	case kindFunction:
		return resultOf(r, overload(r, v, u, args), u, u.Child(call, "arguments"), explicit)
	case kindObject, kindInstance:
		for _, f := range signatures(r, v, callSignature) {
			return resultOf(r, overload(r, f, u, args), u, u.Child(call, "arguments"), explicit)
		}
	case kindParameter, kindIndexed:
		var all union
		for _, l := range limitOf(r, v) {
			all = all.Join(callResult(r, u, call, l))
		}
		return all
	case kindLibrary:
		return libraryCall(r, u, v, args, explicit)
	case kindModule:
		return exportsType(r, v.unit).Each(func(o value) union {
			if o.kind == kindModule {
				return nil
			}
			return callResult(r, u, call, o)
		})
	}
	return nil
}

func typeArguments(r *resolve.Resolver, u *resolve.Unit, call int32) []union {
	var all []union
	for c := range u.Children(u.Child(call, "type_arguments")) {
		all = append(all, annotationType(r, u, c))
	}
	return all
}

// signatures lists the call or construct signatures of an object.
func signatures(r *resolve.Resolver, v value, name string) []value {
	found, _ := membersOfValue(r, v, name)
	var all []value
	for _, m := range found {
		for _, f := range subst(r, typeOfSymbol(r, m.symbol), m.env) {
			if f.kind == kindFunction {
				all = append(all, f)
			}
		}
	}
	return all
}

// newType infers new C(...).
func newType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	args, explicit := u.Child(n, "arguments"), typeArguments(r, u, n)
	var all union
	for _, v := range typeOf(r, u, u.Child(n, "constructor")) {
		switch v.kind {
		case kindClass:
			made := value{kind: kindInstance, sym: v.sym, args: explicit}
			if explicit == nil {
				made.args = constructed(r, v, u, args)
			}
			all = all.Join(union{made})
		case kindLibrary:
			if explicit == nil && v.name == "Set" { // new Set(list)
				explicit = []union{elementOf(r, typeOf(r, u, u.First(args)))}
			}
			all = all.Join(libraryType(v.name, explicit))
		case kindFunction:
			all = all.Join(constructedBy(v)).Join(resultOf(r, v, u, args, explicit))
		default:
			for _, f := range signatures(r, v, newSignature) {
				all = all.Join(resultOf(r, f, u, args, explicit))
				break
			}
		}
	}
	return all
}

// constructed infers the type arguments of a class from those of its
// constructor.
func constructed(r *resolve.Resolver, v value, u *resolve.Unit, args int32) []union {
	var params []*resolve.Symbol
	for _, d := range v.sym.Decls {
		if params = v.sym.Unit.TypeParameters(d.Node); params != nil {
			break
		}
	}
	if params == nil {
		return nil
	}
	vars := map[*resolve.Symbol]union{}
	found, _ := inherited(r, value{kind: kindInstance, sym: v.sym}, "constructor")
	for _, m := range found {
		for _, f := range typeOfSymbol(r, m.symbol) {
			if f.kind == kindFunction {
				inferArguments(r, overload(r, f, u, u.List(args)), u, args, vars, -1)
			}
		}
	}
	list := make([]union, len(params))
	for i, p := range params {
		list[i] = vars[p]
	}
	return list
}

// overload chooses among the declarations of a function the first that takes
// so many arguments of such kinds.
func overload(r *resolve.Resolver, f value, u *resolve.Unit, args []int32) value {
	if f.sym == nil || len(f.sym.Decls) < 2 || u == nil {
		return f
	}
	for _, d := range f.sym.Decls {
		if !isFunctionNode(f.unit.Kind(d.Node)) {
			continue
		}
		f.node = d.Node
		if acceptsArguments(r, f, u, args) {
			return f
		}
	}
	f.node = f.sym.Decls[0].Node
	return f
}

func isFunctionNode(kind string) bool {
	switch kind {
	case "function_declaration", "function_signature", "generator_function_declaration", "method_definition",
		"method_signature", "abstract_method_signature",
		"call_signature", "construct_signature", "function_expression", "arrow_function", "function_type",
		"constructor_type":
		return true
	}
	return false
}

// parameters lists the parameters of a function that callers see.
func parameters(u *resolve.Unit, function int32) []int32 {
	if p := u.Child(function, "parameter"); p >= 0 {
		return []int32{p}
	}
	var all []int32
	for c := range u.Children(u.Child(function, "parameters")) {
		if u.Kind(u.Child(c, "pattern")) != "this" {
			all = append(all, c)
		}
	}
	return all
}

// isRest reports whether a parameter takes all further arguments.
func isRest(u *resolve.Unit, p int32) bool {
	return u.Kind(p) == "rest_pattern" || u.Kind(u.Child(p, "pattern")) == "rest_pattern"
}

// acceptsArguments reports whether a function can be called so.
func acceptsArguments(r *resolve.Resolver, f value, u *resolve.Unit, args []int32) bool {
	params := parameters(f.unit, f.node)
	for i, p := range params {
		if isRest(f.unit, p) {
			return true
		}
		if i >= len(args) {
			return f.unit.Kind(p) == "optional_parameter" || f.unit.Child(p, "value") >= 0
		}
		if u.Kind(args[i]) == "spread_element" {
			return true
		}
		if !fits(r, f.unit, f.unit.Child(p, "type"), u, args[i]) {
			return false
		}
	}
	return len(args) <= len(params)
}

// fits reports whether an argument can be meant for a parameter, as far as
// the sorts of both tell: functions, objects, values of the language.
func fits(r *resolve.Resolver, pu *resolve.Unit, annotation int32, u *resolve.Unit, arg int32) bool {
	want := annotationType(r, pu, annotation)
	if len(want) == 0 {
		return !(pu.Kind(pu.First(annotation)) == "literal_type" && isLiteral(u.Kind(arg)))
	}
	have := typeOf(r, u, arg)
	if len(have) == 0 {
		return true
	}
	for _, w := range want {
		for _, h := range have {
			if fitsOne(r, w, h) {
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

func fitsOne(r *resolve.Resolver, w, h value) bool {
	primitive := func(v value) bool {
		return v.kind == kindLibrary && (v.name == "string" || v.name == "number" || v.name == "boolean" ||
			v.name == "symbol" || v.name == "bigint")
	}
	switch {
	case w.kind == kindParameter || h.kind == kindParameter || w.kind == kindIndexed || h.kind == kindIndexed:
		return true
	case primitive(w) || primitive(h):
		return w.kind == h.kind && w.name == h.name
	case h.kind == kindFunction && w.kind != kindFunction:
		return len(signatures(r, w, callSignature)) > 0 || w.kind == kindLibrary && w.name == "Function"
	case w.kind == kindFunction:
		return h.kind == kindFunction || h.kind == kindClass || h.kind == kindLibrary ||
			h.kind != kindObject && len(signatures(r, h, callSignature)) > 0
	case isList(w) && h.kind == kindInstance:
		return listsIn(r, h)
	case isList(w):
		return h.kind != kindObject && h.kind != kindClass && h.kind != kindModule
	case w.kind == kindInstance && h.kind == kindInstance && w.sym != h.sym:
		if w.sym.Unit.Kind(w.sym.Decls[0].Node) == "interface_declaration" {
			return true
		}
		return asBase(r, h, w.sym) != nil
	}
	return true
}

// isList reports whether a value is a list of the language: no object that is written down as
// one, and no instance of a class that does not extend it, is one.
func isList(v value) bool { return v.kind == kindLibrary && (v.name == "Array" || v.name == "Tuple") }

// listsIn reports whether an instance may be a list, by what its class extends.
func listsIn(r *resolve.Resolver, v value) bool {
	if !r.Enter() {
		return true
	}
	defer r.Leave()
	return slices.ContainsFunc(basesOf(r, v, false), func(b value) bool {
		return b.kind != kindInstance || listsIn(r, b)
	})
}

// resultOf is what a function returns when it is called so. list holds the
// arguments as written, or is -1.
func resultOf(r *resolve.Resolver, f value, u *resolve.Unit, list int32, explicit []union) union {
	if f.kind != kindFunction || !r.Enter() {
		return nil
	}
	defer r.Leave()
	params := f.unit.TypeParameters(f.node)
	vars := map[*resolve.Symbol]union{}
	for i, p := range params {
		if i < len(explicit) {
			vars[p] = explicit[i]
		}
	}
	if len(params) > 0 && explicit == nil && u != nil {
		inferArguments(r, f, u, list, vars, -1)
	}
	var t union
	if a := f.unit.Child(f.node, "return_type"); a >= 0 {
		t = annotationType(r, f.unit, a)
	} else if a := f.unit.Child(f.node, "type"); a >= 0 && f.unit.Kind(f.node) == "constructor_type" {
		t = annotationType(r, f.unit, a)
	} else if t = documentedResult(r, f.unit, f.node); len(t) == 0 {
		t = inferredResult(r, f)
	}
	return subst(r, subst(r, t, newEnv(vars, nil)), f.env)
}

// inferredResult joins what the return statements of a function return.
func inferredResult(r *resolve.Resolver, f value) union {
	u, body := f.unit, f.unit.Child(f.node, "body")
	if body < 0 {
		return nil
	}
	promise := func(t union) union {
		if hasWord(u.Source[u.Nodes[f.node].Start:u.Nodes[body].Start], "async") {
			return library("Promise", awaitedType(t))
		}
		return t
	}
	if u.Kind(body) != "statement_block" {
		return promise(typeOf(r, u, body))
	}
	key := resolve.NodeKey{Unit: u, Node: body}
	if t, ok := memoryOf(key.Unit).types[key]; ok {
		return promise(t)
	}
	memoryOf(key.Unit).types[key] = nil // a function that returns what it returns itself
	var all union
	for i := body + 1; i < u.Nodes[body].Next; {
		switch u.Kind(i) {
		case "function_declaration", "function_expression", "arrow_function", "class_body", "method_definition":
			i = u.Nodes[i].Next
			continue
		case "return_statement":
			all = all.Join(typeOf(r, u, u.First(i)))
		}
		i++
	}
	memoryOf(key.Unit).types[key] = all
	return promise(all)
}
