package resolve

// pyExpr infers an expression.
func (r *Resolver) pyExpr(u *unit, n int32) pyType {
	if n < 0 || !r.step() || r.depth > mostDepth {
		return nil
	}
	key := nodeKey{u, n}
	if t, ok := pyMemoryOf(key.u)[key]; ok {
		return t
	}
	r.depth++
	t := r.pyInfer(u, n)
	r.depth--
	if r.steps <= mostSteps && r.depth < mostDepth/2 {
		pyMemoryOf(key.u)[key] = t
	}
	return t
}

func (r *Resolver) pyInfer(u *unit, n int32) pyType {
	switch u.kind(n) {
	case "identifier":
		return r.pyName(u, n)
	case "attribute":
		return r.pyAttribute(u, n)
	case "call":
		return r.pyCallExpr(u, n)
	case "string", "concatenated_string":
		return builtin("str")
	case "integer", "float":
		return builtin("int")
	case "true", "false", "comparison_operator", "not_operator":
		return builtin("bool")
	case "parenthesized_expression", "expression_list", "type", "named_expression", "as_pattern":
		if u.kind(n) == "named_expression" {
			return r.pyExpr(u, u.child(n, "value"))
		}
		if list := u.list(n); u.kind(n) == "expression_list" && len(list) > 1 {
			return r.pyTuple(u, list)
		}
		return r.pyExpr(u, u.first(n))
	case "await":
		var all pyType
		for _, v := range r.pyExpr(u, u.first(n)) {
			if v.name == "Awaitable" && len(v.args) > 0 {
				all = join(all, v.args[len(v.args)-1])
			} else {
				all = join(all, pyType{v})
			}
		}
		return all
	case "list", "set", "tuple":
		if u.kind(n) == "tuple" {
			return r.pyTuple(u, u.list(n))
		}
		var e pyType
		for c := range u.children(n) {
			e = join(e, r.pyExpr(u, c))
		}
		return builtin(u.kind(n), e)
	case "dictionary":
		var k, v pyType
		for c := range u.children(n) {
			if u.kind(c) == "pair" {
				k, v = join(k, r.pyExpr(u, u.child(c, "key"))), join(v, r.pyExpr(u, u.child(c, "value")))
			}
		}
		return builtin("dict", k, v)
	case "list_comprehension", "set_comprehension", "generator_expression":
		return builtin("list", r.pyExpr(u, u.child(n, "body")))
	case "dictionary_comprehension":
		pair := u.child(n, "body")
		return builtin("dict", r.pyExpr(u, u.child(pair, "key")), r.pyExpr(u, u.child(pair, "value")))
	case "conditional_expression":
		if list := u.list(n); len(list) == 3 {
			return join(r.pyExpr(u, list[0]), r.pyExpr(u, list[2]))
		}
	case "boolean_operator":
		return join(r.pyExpr(u, u.child(n, "left")), r.pyExpr(u, u.child(n, "right")))
	case "binary_operator":
		return r.pyBinary(u, n)
	case "subscript":
		return r.pySubscript(u, n)
	case "lambda":
		return pyType{{kind: pyFunction, unit: u, node: n}}
	}
	return nil
}

func (r *Resolver) pyTuple(u *unit, list []int32) pyType {
	args := make([]pyType, len(list))
	for i, c := range list {
		args[i] = r.pyExpr(u, c)
	}
	return builtin("tuple", args...)
}

// pyName infers a bare name: what it is declared as, narrowed by the tests
// around it.
func (r *Resolver) pyName(u *unit, n int32) pyType {
	name := u.of(n)
	y := u.owner[n]
	if y == nil {
		y = r.pyLookup(u, n, name)
	}
	if y == nil {
		return pyBuiltinName(name)
	}
	t := r.pyOf(y)
	if narrow := r.pyNarrowed(u, n); len(narrow) > 0 {
		return narrow
	}
	return t
}

// pyNarrowed returns the class that an isinstance around an expression proves
// it to have.
func (r *Resolver) pyNarrowed(u *unit, n int32) pyType {
	text := u.of(n)
	from := n
	for at := u.parent(n); at >= 0; from, at = at, u.parent(at) {
		test := int32(-1)
		switch u.kind(at) {
		case "if_statement", "elif_clause", "while_statement":
			if u.field(from) == "consequence" || u.field(from) == "body" {
				test = u.child(at, "condition")
			}
		case "conditional_expression":
			if list := u.list(at); len(list) == 3 && from == list[0] {
				test = list[1]
			}
		case "boolean_operator":
			if u.field(from) == "right" && u.of(u.child(at, "operator")) == "and" {
				test = u.child(at, "left")
			}
		case "block":
			if t := r.pyAsserted(u, at, from, text); len(t) > 0 {
				return t
			}
		case "function_definition", "lambda":
			return nil
		}
		if t := r.pyTested(u, test, text); len(t) > 0 {
			return t
		}
	}
	return nil
}

// pyAsserted looks for an assert before a statement of a block.
func (r *Resolver) pyAsserted(u *unit, block, before int32, text string) pyType {
	var t pyType
	for c := range u.children(block) {
		if c >= before {
			break
		}
		if u.kind(c) == "assert_statement" {
			if a := r.pyTested(u, u.first(c), text); len(a) > 0 {
				t = a
			}
		}
	}
	return t
}

// pyTested is what a condition proves an expression to be.
func (r *Resolver) pyTested(u *unit, test int32, text string) pyType {
	switch u.kind(test) {
	case "parenthesized_expression":
		return r.pyTested(u, u.first(test), text)
	case "boolean_operator":
		if u.of(u.child(test, "operator")) == "and" {
			if t := r.pyTested(u, u.child(test, "left"), text); len(t) > 0 {
				return t
			}
			return r.pyTested(u, u.child(test, "right"), text)
		}
	case "call":
		args := u.list(u.child(test, "arguments"))
		if u.of(u.child(test, "function")) == "isinstance" && len(args) == 2 && u.of(args[0]) == text {
			return r.pyInstances(r.pyExpr(u, args[1]))
		}
	}
	return nil
}

// pyInstances makes instances of classes, and of tuples of them.
func (r *Resolver) pyInstances(t pyType) pyType {
	var all pyType
	for _, v := range t {
		switch {
		case v.kind == pyClass:
			all = join(all, pyType{{kind: pyInstance, class: v.class, name: v.name, args: v.args}})
		case v.kind == pyInstance && v.name == "tuple":
			for _, a := range v.args {
				all = join(all, r.pyInstances(a))
			}
		case v.kind == pyOutside:
			all = join(all, outside)
		}
	}
	return all
}

// pyAttribute infers a.b.
func (r *Resolver) pyAttribute(u *unit, n int32) pyType {
	if t := r.pyNarrowed(u, n); len(t) > 0 {
		return t
	}
	object := r.pyConcrete(r.pyExpr(u, u.child(n, "object")))
	name := u.of(u.child(n, "attribute"))
	if name == "__class__" {
		var all pyType
		for _, v := range object {
			all = join(all, pyType{{kind: pyClass, class: v.class, name: v.name}})
		}
		return all
	}
	var all pyType
	for _, v := range object {
		all = join(all, r.pyOfMember(v, name))
	}
	return all
}

// pyOfMember infers a member of one thing.
func (r *Resolver) pyOfMember(v pyValue, name string) pyType {
	switch v.kind {
	case pyOutside:
		return outside
	case pyFile:
		if y := r.pyExport(v.module, name); y != nil {
			return r.pyOf(y)
		}
		return nil
	case pyFunction:
		return nil
	}
	if v.class == nil {
		return pyBuiltinMember(v, name)
	}
	m, ok, whole := r.pyMember(v, name)
	switch {
	case !ok && !whole:
		return outside
	case !ok:
		return nil
	}
	return r.pyBound(m, v)
}

// pyBound is the type of a member seen through a value: a method is bound, a
// property called, type variables are what the value says.
func (r *Resolver) pyBound(m pyMember, self pyValue) pyType {
	var all pyType
	owner := self
	owner.above, owner.args = false, m.owner.args
	for _, v := range r.pyOf(m.symbol) {
		if v.kind == pyFunction && v.self == nil && len(v.unit.scopes) > 0 {
			if v.unit.decorated(v.node, "property", "cached_property") {
				v.self = &owner
				all = join(all, r.pyReturned(pyType{v}, nil, nil, -1))
				continue
			}
			if !v.unit.decorated(v.node, "staticmethod") && v.unit.methodOf(v.node) != nil {
				v.self = &owner
			}
			all = join(all, pyType{v})
			continue
		}
		if v.kind == pyInstance && v.class != nil && self.kind == pyInstance { // a descriptor
			if get, ok, _ := r.pyMember(v, "__get__"); ok && m.symbol.decls[0].how != "self" {
				all = join(all, r.pyReturned(r.pyBound(get, v), nil, nil, -1))
				continue
			}
		}
		all = join(all, r.pyApply(pyType{v}, m.owner))
	}
	return all
}

// pyBinary infers arithmetic: what the left side's method says.
func (r *Resolver) pyBinary(u *unit, n int32) pyType {
	left := r.pyExpr(u, u.child(n, "left"))
	method := map[string]string{"/": "__truediv__", "+": "__add__", "-": "__sub__", "*": "__mul__", "|": "__or__", "&": "__and__", "%": "__mod__", "//": "__floordiv__"}[u.of(u.child(n, "operator"))]
	var all pyType
	for _, v := range left {
		switch {
		case v.kind == pyOutside:
			all = join(all, outside)
		case v.kind == pyInstance && v.class == nil:
			all = join(all, pyType{v})
		case v.kind == pyInstance:
			if m, ok, _ := r.pyMember(v, method); ok {
				all = join(all, r.pyReturned(r.pyBound(m, v), nil, nil, -1))
			}
		}
	}
	return all
}

// pySubscript infers a[b].
func (r *Resolver) pySubscript(u *unit, n int32) pyType {
	var all pyType
	index := u.child(n, "subscript")
	for _, v := range r.pyExpr(u, u.child(n, "value")) {
		switch {
		case v.kind == pyClass: // List[int] as a value
			_, args := r.pyGeneric(u, n)
			v.args = args
			all = join(all, pyType{v})
		case v.kind == pyOutside:
			all = join(all, outside)
		case v.kind == pyInstance && v.class != nil:
			if m, ok, _ := r.pyMember(v, "__getitem__"); ok {
				all = join(all, r.pyReturned(r.pyBound(m, v), []pyType{r.pyExpr(u, index)}, nil, -1))
			}
		case v.name == "tuple" && u.kind(index) == "integer":
			if i := int(u.of(index)[0] - '0'); i < len(v.args) && len(u.of(index)) == 1 {
				all = join(all, v.args[i])
			}
		case u.kind(index) == "slice":
			all = join(all, pyType{v})
		case v.name == "dict" && len(v.args) == 2:
			all = join(all, v.args[1])
		default:
			all = join(all, r.pyElement(pyType{v}))
		}
	}
	return all
}

// pyElement is what iterating over a value gives.
func (r *Resolver) pyElement(t pyType) pyType {
	var all pyType
	for _, v := range t {
		switch {
		case v.kind == pyOutside:
			all = join(all, outside)
		case v.kind == pyInstance && v.class != nil:
			if m, ok, _ := r.pyMember(v, "__iter__"); ok {
				for _, it := range r.pyReturned(r.pyBound(m, v), nil, nil, -1) {
					if it.class != nil {
						if next, ok, _ := r.pyMember(it, "__next__"); ok {
							all = join(all, r.pyReturned(r.pyBound(next, it), nil, nil, -1))
						}
						continue
					}
					all = join(all, r.pyElement(pyType{it}))
				}
			} else if m, ok, _ := r.pyMember(v, "__getitem__"); ok {
				all = join(all, r.pyReturned(r.pyBound(m, v), nil, nil, -1))
			} else if isEnum(r.pyBases(v.class)) {
				all = join(all, pyType{v})
			}
		case v.kind == pyClass && v.class != nil:
			all = join(all, pyType{{kind: pyInstance, class: v.class}}) // an enumeration
		case v.name == "str":
			all = join(all, builtin("str"))
		case v.name == "tuple":
			for _, a := range v.args {
				all = join(all, a)
			}
		case len(v.args) > 0:
			all = join(all, v.args[0])
		}
	}
	return all
}

func isEnum(bases pyType) bool {
	return len(bases) > 0 && bases[0].kind == pyOutside
}
