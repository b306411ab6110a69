package python

import (
	"codeintel/internal/resolve"
)

// pyExpr infers an expression.
func pyExpr(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	if n < 0 || !r.Step() || r.Depth > resolve.MostDepth {
		return nil
	}
	key := resolve.NodeKey{Unit: u, Node: n}
	if t, ok := pyMemoryOf(key.Unit)[key]; ok {
		return t
	}
	r.Depth++
	t := pyInfer(r, u, n)
	r.Depth--
	if r.Steps <= resolve.MostSteps && r.Depth < resolve.MostDepth/2 {
		pyMemoryOf(key.Unit)[key] = t
	}
	return t
}

func pyInfer(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	switch u.Kind(n) {
	case "identifier":
		return pyName(r, u, n)
	case "attribute":
		return pyAttribute(r, u, n)
	case "call":
		return pyCallExpr(r, u, n)
	case "string", "concatenated_string":
		return builtin("str")
	case "integer", "float":
		return builtin("int")
	case "true", "false", "comparison_operator", "not_operator":
		return builtin("bool")
	case "parenthesized_expression", "expression_list", "type", "named_expression", "as_pattern":
		if u.Kind(n) == "named_expression" {
			return pyExpr(r, u, u.Child(n, "value"))
		}
		if list := u.List(n); u.Kind(n) == "expression_list" && len(list) > 1 {
			return pyTuple(r, u, list)
		}
		return pyExpr(r, u, u.First(n))
	case "await":
		var all pyType
		for _, v := range pyExpr(r, u, u.First(n)) {
			if v.name == "Awaitable" && len(v.args) > 0 {
				all = join(all, v.args[len(v.args)-1])
			} else {
				all = join(all, pyType{v})
			}
		}
		return all
	case "list", "set", "tuple":
		if u.Kind(n) == "tuple" {
			return pyTuple(r, u, u.List(n))
		}
		var e pyType
		for c := range u.Children(n) {
			e = join(e, pyExpr(r, u, c))
		}
		return builtin(u.Kind(n), e)
	case "dictionary":
		var k, v pyType
		for c := range u.Children(n) {
			if u.Kind(c) == "pair" {
				k, v = join(k, pyExpr(r, u, u.Child(c, "key"))), join(v, pyExpr(r, u, u.Child(c, "value")))
			}
		}
		return builtin("dict", k, v)
	case "list_comprehension", "set_comprehension", "generator_expression":
		return builtin("list", pyExpr(r, u, u.Child(n, "body")))
	case "dictionary_comprehension":
		pair := u.Child(n, "body")
		return builtin("dict", pyExpr(r, u, u.Child(pair, "key")), pyExpr(r, u, u.Child(pair, "value")))
	case "conditional_expression":
		if list := u.List(n); len(list) == 3 {
			return join(pyExpr(r, u, list[0]), pyExpr(r, u, list[2]))
		}
	case "boolean_operator":
		return join(pyExpr(r, u, u.Child(n, "left")), pyExpr(r, u, u.Child(n, "right")))
	case "binary_operator":
		return pyBinary(r, u, n)
	case "subscript":
		return pySubscript(r, u, n)
	case "lambda":
		return pyType{{kind: pyFunction, unit: u, node: n}}
	}
	return nil
}

func pyTuple(r *resolve.Resolver, u *resolve.Unit, list []int32) pyType {
	args := make([]pyType, len(list))
	for i, c := range list {
		args[i] = pyExpr(r, u, c)
	}
	return builtin("tuple", args...)
}

// pyName infers a bare name: what it is declared as, narrowed by the tests
// around it.
func pyName(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	name := u.Text(n)
	y := u.Owner[n]
	if y == nil {
		y = pyLookup(r, u, n, name)
	}
	if y == nil {
		return pyBuiltinName(name)
	}
	t := pyOf(r, y)
	if narrow := pyNarrowed(r, u, n); len(narrow) > 0 {
		return narrow
	}
	return t
}

// pyNarrowed returns the class that an isinstance around an expression proves
// it to have.
func pyNarrowed(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	text := u.Text(n)
	from := n
	for at := u.Parent(n); at >= 0; from, at = at, u.Parent(at) {
		test := int32(-1)
		switch u.Kind(at) {
		case "if_statement", "elif_clause", "while_statement":
			if u.Field(from) == "consequence" || u.Field(from) == "body" {
				test = u.Child(at, "condition")
			}
		case "conditional_expression":
			if list := u.List(at); len(list) == 3 && from == list[0] {
				test = list[1]
			}
		case "boolean_operator":
			if u.Field(from) == "right" && u.Text(u.Child(at, "operator")) == "and" {
				test = u.Child(at, "left")
			}
		case "block":
			if t := pyAsserted(r, u, at, from, text); len(t) > 0 {
				return t
			}
		case "function_definition", "lambda":
			return nil
		}
		if t := pyTested(r, u, test, text); len(t) > 0 {
			return t
		}
	}
	return nil
}

// pyAsserted looks for an assert before a statement of a block.
func pyAsserted(r *resolve.Resolver, u *resolve.Unit, block, before int32, text string) pyType {
	var t pyType
	for c := range u.Children(block) {
		if c >= before {
			break
		}
		if u.Kind(c) == "assert_statement" {
			if a := pyTested(r, u, u.First(c), text); len(a) > 0 {
				t = a
			}
		}
	}
	return t
}

// pyTested is what a condition proves an expression to be.
func pyTested(r *resolve.Resolver, u *resolve.Unit, test int32, text string) pyType {
	switch u.Kind(test) {
	case "parenthesized_expression":
		return pyTested(r, u, u.First(test), text)
	case "boolean_operator":
		if u.Text(u.Child(test, "operator")) == "and" {
			if t := pyTested(r, u, u.Child(test, "left"), text); len(t) > 0 {
				return t
			}
			return pyTested(r, u, u.Child(test, "right"), text)
		}
	case "call":
		args := u.List(u.Child(test, "arguments"))
		if u.Text(u.Child(test, "function")) == "isinstance" && len(args) == 2 && u.Text(args[0]) == text {
			return pyInstances(r, pyExpr(r, u, args[1]))
		}
	}
	return nil
}

// pyInstances makes instances of classes, and of tuples of them.
func pyInstances(r *resolve.Resolver, t pyType) pyType {
	var all pyType
	for _, v := range t {
		switch {
		case v.kind == pyClass:
			all = join(all, pyType{{kind: pyInstance, class: v.class, name: v.name, args: v.args}})
		case v.kind == pyInstance && v.name == "tuple":
			for _, a := range v.args {
				all = join(all, pyInstances(r, a))
			}
		case v.kind == pyOutside:
			all = join(all, outside)
		}
	}
	return all
}

// pyAttribute infers a.b.
func pyAttribute(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	if t := pyNarrowed(r, u, n); len(t) > 0 {
		return t
	}
	object := pyConcrete(r, pyExpr(r, u, u.Child(n, "object")))
	name := u.Text(u.Child(n, "attribute"))
	if name == "__class__" {
		var all pyType
		for _, v := range object {
			all = join(all, pyType{{kind: pyClass, class: v.class, name: v.name}})
		}
		return all
	}
	var all pyType
	for _, v := range object {
		all = join(all, pyOfMember(r, v, name))
	}
	return all
}

// pyOfMember infers a member of one thing.
func pyOfMember(r *resolve.Resolver, v pyValue, name string) pyType {
	switch v.kind {
	case pyOutside:
		return outside
	case pyFile:
		if y := pyExport(r, v.module, name); y != nil {
			return pyOf(r, y)
		}
		return nil
	case pyFunction:
		return nil
	}
	if v.class == nil {
		return pyBuiltinMember(v, name)
	}
	m, ok, whole := pyMemberOf(r, v, name)
	switch {
	case !ok && !whole:
		return outside
	case !ok:
		return nil
	}
	return pyBound(r, m, v)
}

// pyBound is the type of a member seen through a value: a method is bound, a
// property called, type variables are what the value says.
func pyBound(r *resolve.Resolver, m pyMember, self pyValue) pyType {
	var all pyType
	owner := self
	owner.above, owner.args = false, m.owner.args
	for _, v := range pyOf(r, m.symbol) {
		if v.kind == pyFunction && v.self == nil && len(v.unit.Scopes) > 0 {
			if decorated(v.unit, v.node, "property", "cached_property") {
				v.self = &owner
				all = join(all, pyReturned(r, pyType{v}, nil, nil, -1))
				continue
			}
			if !decorated(v.unit, v.node, "staticmethod") && methodOf(v.unit, v.node) != nil {
				v.self = &owner
			}
			all = join(all, pyType{v})
			continue
		}
		if v.kind == pyInstance && v.class != nil && self.kind == pyInstance { // a descriptor
			if get, ok, _ := pyMemberOf(r, v, "__get__"); ok && m.symbol.Decls[0].How != "self" {
				all = join(all, pyReturned(r, pyBound(r, get, v), nil, nil, -1))
				continue
			}
		}
		all = join(all, pyApply(r, pyType{v}, m.owner))
	}
	return all
}

// pyBinary infers arithmetic: what the left side's method says.
func pyBinary(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	left := pyExpr(r, u, u.Child(n, "left"))
	method := map[string]string{"/": "__truediv__", "+": "__add__", "-": "__sub__", "*": "__mul__", "|": "__or__", "&": "__and__", "%": "__mod__", "//": "__floordiv__"}[u.Text(u.Child(n, "operator"))]
	var all pyType
	for _, v := range left {
		switch {
		case v.kind == pyOutside:
			all = join(all, outside)
		case v.kind == pyInstance && v.class == nil:
			all = join(all, pyType{v})
		case v.kind == pyInstance:
			if m, ok, _ := pyMemberOf(r, v, method); ok {
				all = join(all, pyReturned(r, pyBound(r, m, v), nil, nil, -1))
			}
		}
	}
	return all
}

// pySubscript infers a[b].
func pySubscript(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	var all pyType
	index := u.Child(n, "subscript")
	for _, v := range pyExpr(r, u, u.Child(n, "value")) {
		switch {
		case v.kind == pyClass: // List[int] as a value
			_, args := pyGeneric(r, u, n)
			v.args = args
			all = join(all, pyType{v})
		case v.kind == pyOutside:
			all = join(all, outside)
		case v.kind == pyInstance && v.class != nil:
			if m, ok, _ := pyMemberOf(r, v, "__getitem__"); ok {
				all = join(all, pyReturned(r, pyBound(r, m, v), []pyType{pyExpr(r, u, index)}, nil, -1))
			}
		case v.name == "tuple" && u.Kind(index) == "integer":
			if i := int(u.Text(index)[0] - '0'); i < len(v.args) && len(u.Text(index)) == 1 {
				all = join(all, v.args[i])
			}
		case u.Kind(index) == "slice":
			all = join(all, pyType{v})
		case v.name == "dict" && len(v.args) == 2:
			all = join(all, v.args[1])
		default:
			all = join(all, pyElement(r, pyType{v}))
		}
	}
	return all
}

// pyElement is what iterating over a value gives.
func pyElement(r *resolve.Resolver, t pyType) pyType {
	var all pyType
	for _, v := range t {
		switch {
		case v.kind == pyOutside:
			all = join(all, outside)
		case v.kind == pyInstance && v.class != nil:
			if m, ok, _ := pyMemberOf(r, v, "__iter__"); ok {
				for _, it := range pyReturned(r, pyBound(r, m, v), nil, nil, -1) {
					if it.class != nil {
						if next, ok, _ := pyMemberOf(r, it, "__next__"); ok {
							all = join(all, pyReturned(r, pyBound(r, next, it), nil, nil, -1))
						}
						continue
					}
					all = join(all, pyElement(r, pyType{it}))
				}
			} else if m, ok, _ := pyMemberOf(r, v, "__getitem__"); ok {
				all = join(all, pyReturned(r, pyBound(r, m, v), nil, nil, -1))
			} else if isEnum(pyBases(r, v.class)) {
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
