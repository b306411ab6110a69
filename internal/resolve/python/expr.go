package python

import (
	"codeintel/internal/resolve"
)

// typeOf infers an expression.
func typeOf(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	return memoryOf(u).Of(r, u, n, inferExpr)
}

func inferExpr(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	switch u.Kind(n) {
	case "identifier":
		return nameType(r, u, n)
	case "attribute":
		return attributeType(r, u, n)
	case "call":
		return callType(r, u, n)
	case "string", "concatenated_string":
		return builtin("str")
	case "integer", "float":
		return builtin("int")
	case "true", "false", "comparison_operator", "not_operator":
		return builtin("bool")
	case "parenthesized_expression", "expression_list", "type", "named_expression", "as_pattern":
		if u.Kind(n) == "named_expression" {
			return typeOf(r, u, u.Child(n, "value"))
		}
		if list := u.List(n); u.Kind(n) == "expression_list" && len(list) > 1 {
			return tupleType(r, u, list)
		}
		return typeOf(r, u, u.First(n))
	case "assignment": // a = b = c
		return typeOf(r, u, u.Child(n, "right"))
	case "await":
		return typeOf(r, u, u.First(n)).Each(func(v value) union {
			if v.name == "Awaitable" && len(v.args) > 0 {
				return v.args[len(v.args)-1]
			}
			return union{v}
		})
	case "list", "set", "tuple":
		if u.Kind(n) == "tuple" {
			return tupleType(r, u, u.List(n))
		}
		var e union
		for c := range u.Children(n) {
			e = e.Join(typeOf(r, u, c))
		}
		return builtin(u.Kind(n), e)
	case "dictionary":
		var k, v union
		for c := range u.Children(n) {
			if u.Kind(c) == "pair" {
				k, v = k.Join(typeOf(r, u, u.Child(c, "key"))), v.Join(typeOf(r, u, u.Child(c, "value")))
			}
		}
		return builtin("dict", k, v)
	case "list_comprehension", "set_comprehension", "generator_expression":
		return builtin("list", typeOf(r, u, u.Child(n, "body")))
	case "dictionary_comprehension":
		pair := u.Child(n, "body")
		return builtin("dict", typeOf(r, u, u.Child(pair, "key")), typeOf(r, u, u.Child(pair, "value")))
	case "conditional_expression":
		if list := u.List(n); len(list) == 3 {
			return oneOf(r, u, list[0], list[2])
		}
	case "boolean_operator":
		return oneOf(r, u, u.Child(n, "left"), u.Child(n, "right"))
	case "binary_operator":
		return binaryType(r, u, n)
	case "subscript":
		return subscriptType(r, u, n)
	case "dotted_name":
		return dottedType(r, u, n, -1)
	case "lambda":
		return union{{kind: kindFunction, unit: u, node: n}}
	}
	return nil
}

func tupleType(r *resolve.Resolver, u *resolve.Unit, list []int32) union {
	args := make([]union, len(list))
	for i, c := range list {
		args[i] = typeOf(r, u, c)
	}
	return builtin("tuple", args...)
}

// nameType infers a bare name: what it is declared as, narrowed by the tests
// around it.
func nameType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	name := u.Text(n)
	y := u.Owner[n]
	if y == nil {
		y = lookup(r, u, n, name)
	}
	if y == nil {
		return builtinName(name)
	}
	if narrow := narrowedType(r, u, n); len(narrow) > 0 {
		return narrow
	}
	if decls := reachingDeclarations(u, y, n); decls != nil {
		return ofDecls(r, y, decls)
	}
	return typeOfSymbol(r, y)
}

// oneOf infers what is one of two expressions.
func oneOf(r *resolve.Resolver, u *resolve.Unit, a, b int32) union {
	switch {
	case u.Kind(a) == "none":
		return typeOf(r, u, b)
	case u.Kind(b) == "none":
		return typeOf(r, u, a)
	}
	return either(typeOf(r, u, a), typeOf(r, u, b))
}

// reachingDeclarations returns the declarations of a name that can have given it what it is at a node: the last
// assignment that is always made before, and those made since. It is nil where that cannot be told.
func reachingDeclarations(u *resolve.Unit, y *resolve.Symbol, n int32) (decls []resolve.Decl) {
	if y.Unit != u || len(y.Decls) < 2 {
		return nil
	}
	inside, last := []string{"function_definition", "lambda", "class_definition"}, int32(-1)
	for _, d := range y.Decls {
		if d.How != "" || annotationOf(u, d) >= 0 || u.Around(d.Node, inside...) != u.Around(n, inside...) {
			return nil
		}
		statement := u.Parent(d.Node)
		block := u.Parent(statement)
		if u.Kind(d.Node) == "assignment" && d.Name == u.Child(d.Node, "left") && u.Nodes[d.Node].Next <= n &&
			u.Kind(statement) == "expression_statement" && (block == 0 || u.Kind(block) == "block") && u.Within(n, block) {
			last = max(last, d.Node)
		}
	}
	loop := int32(-1) // the outermost that begins since: what it assigns further down is there on its next turn
	for at := n; last >= 0 && at > last; at = u.Parent(at) {
		if k := u.Kind(at); k == "for_statement" || k == "while_statement" {
			loop = at
		}
	}
	for _, d := range y.Decls {
		switch {
		case last < 0 || d.Node < last:
		case u.Within(n, d.Node) && u.Kind(d.Node) != "assignment", u.Nodes[d.Node].Next > n && u.Within(d.Node, loop):
			return nil
		case u.Nodes[d.Node].Next <= n:
			decls = append(decls, d)
		}
	}
	return decls
}

// narrowedType returns the class that an isinstance around an expression proves
// it to have.
func narrowedType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
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
		case "case_clause":
			if u.Field(from) == "consequence" && u.Text(u.Child(u.Parent(u.Parent(at)), "subject")) == text {
				if t := patternType(r, u, u.First(at)); len(t) > 0 {
					return t
				}
			}
		case "block":
			if t := assertedType(r, u, at, from, text); len(t) > 0 {
				return t
			}
		case "function_definition", "lambda":
			return nil
		}
		if t := tested(r, u, test, text); len(t) > 0 {
			return t
		}
	}
	return nil
}

// patternType is what a pattern of a match statement proves its subject to be.
func patternType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	switch u.Kind(n) {
	case "case_pattern", "as_pattern":
		return patternType(r, u, u.First(n))
	case "class_pattern":
		return instancesOf(typeOf(r, u, u.First(n)))
	case "union_pattern":
		var all union
		for c := range u.Children(n) {
			all = all.Join(patternType(r, u, c))
		}
		return all
	}
	return nil
}

// patternMember is what a pattern of a class binds by the name of a member: Point(x=a).
func patternMember(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	name := u.Text(u.First(n))
	return patternType(r, u, u.Around(n, "class_pattern")).Each(func(v value) union { return memberType(r, v, name) })
}

// dottedType infers a.b.c in a pattern, up to one of its names if that is given.
func dottedType(r *resolve.Resolver, u *resolve.Unit, n, end int32) union {
	var t union
	for c := range u.Children(n) {
		switch {
		case c == end:
			return t
		case c == u.First(n):
			t = nameType(r, u, c)
		default:
			name := u.Text(c)
			t = t.Each(func(v value) union { return memberType(r, v, name) })
		}
	}
	return t
}

// assertedType looks for an assert before a statement of a block.
func assertedType(r *resolve.Resolver, u *resolve.Unit, block, before int32, text string) union {
	var t union
	for c := range u.Children(block) {
		if c >= before {
			break
		}
		if u.Kind(c) == "assert_statement" {
			if a := tested(r, u, u.First(c), text); len(a) > 0 {
				t = a
			}
		}
	}
	return t
}

// tested is what a condition proves an expression to be.
func tested(r *resolve.Resolver, u *resolve.Unit, test int32, text string) union {
	switch u.Kind(test) {
	case "parenthesized_expression":
		return tested(r, u, u.First(test), text)
	case "boolean_operator":
		if u.Text(u.Child(test, "operator")) == "and" {
			if t := tested(r, u, u.Child(test, "left"), text); len(t) > 0 {
				return t
			}
			return tested(r, u, u.Child(test, "right"), text)
		}
	case "call":
		args := u.List(u.Child(test, "arguments"))
		if u.Text(u.Child(test, "function")) == "isinstance" && len(args) == 2 && u.Text(args[0]) == text {
			return instancesOf(typeOf(r, u, args[1]))
		}
	}
	return nil
}

// instancesOf makes instances of classes, and of tuples of them.
func instancesOf(t union) union {
	var all union
	for _, v := range t {
		switch {
		case v.kind == kindClass:
			all = all.Join(union{{kind: kindInstance, class: v.class, name: v.name, args: v.args}})
		case v.kind == kindInstance && v.name == "tuple":
			for _, a := range v.args {
				all = all.Join(instancesOf(a))
			}
		case v.kind == kindOutside:
			all = all.Join(outside)
		}
	}
	return all
}

// attributeType infers a.b.
func attributeType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	if t := narrowedType(r, u, n); len(t) > 0 {
		return t
	}
	object := concrete(r, typeOf(r, u, u.Child(n, "object")))
	name := u.Text(u.Child(n, "attribute"))
	return object.Each(func(v value) union {
		if name == "__class__" {
			return union{{kind: kindClass, class: v.class, name: v.name}}
		}
		return memberType(r, v, name)
	})
}

// memberType infers a member of one thing.
func memberType(r *resolve.Resolver, v value, name string) union {
	switch v.kind {
	case kindOutside:
		if v.given == named {
			return union{v}
		}
		return handedOn(v)
	case kindModule:
		if y := exported(r, v.module, name); y != nil {
			return typeOfSymbol(r, y)
		}
		return nil
	case kindFunction:
		return nil
	}
	if v.class == nil {
		return builtinMember(v, name)
	}
	m, ok, whole := findMember(r, v, name)
	switch {
	case !ok && !whole:
		return union{{kind: kindOutside, given: handed}}
	case !ok:
		return nil
	}
	return boundMember(r, m, v)
}

// boundMember is the type of a member seen through a value: a method is bound, a
// property called, type variables are what the value says.
func boundMember(r *resolve.Resolver, m member, self value) union {
	var all union
	owner := self
	owner.above, owner.args = false, m.owner.args
	for _, v := range typeOfSymbol(r, m.symbol) {
		if v.kind == kindFunction && v.self == nil && len(v.unit.Scopes) > 0 {
			if decorated(v.unit, v.node, "setter", "deleter") { // it says nothing of what is read
				continue
			}
			if decorated(v.unit, v.node, "property", "cached_property", "abstractproperty") {
				v.self = &owner
				all = all.Join(returned(r, union{v}, nil, nil, -1))
				continue
			}
			if !decorated(v.unit, v.node, "staticmethod") && methodOf(v.unit, v.node) != nil {
				v.self = &owner
			}
			all = all.Join(union{v})
			continue
		}
		if v.kind == kindInstance && v.class != nil && self.kind == kindInstance { // a descriptor
			if get, ok, _ := findMember(r, v, "__get__"); ok && m.symbol.Decls[0].How != "self" {
				all = all.Join(returned(r, boundMember(r, get, v), nil, nil, -1))
				continue
			}
		}
		all = all.Join(applyArguments(r, union{v}, m.owner))
	}
	return all
}

// binaryType infers arithmetic: what the left side's method says.
func binaryType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	left := typeOf(r, u, u.Child(n, "left"))
	method := map[string]string{"/": "__truediv__", "+": "__add__", "-": "__sub__", "*": "__mul__", "|": "__or__", "&": "__and__", "%": "__mod__", "//": "__floordiv__"}[u.Text(u.Child(n, "operator"))]
	return left.Each(func(v value) union {
		switch {
		case v.kind == kindOutside:
			return handedOn(v)
		case v.kind == kindInstance && v.class == nil:
			return union{v}
		case v.kind == kindInstance:
			if m, ok, _ := findMember(r, v, method); ok {
				return returned(r, boundMember(r, m, v), nil, nil, -1)
			}
		}
		return nil
	})
}

// subscriptType infers a[b].
func subscriptType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	index := u.Child(n, "subscript")
	return typeOf(r, u, u.Child(n, "value")).Each(func(v value) union {
		switch {
		case v.kind == kindClass: // List[int] as a value
			_, v.args = genericParts(r, u, n)
			return union{v}
		case v.kind == kindOutside:
			return handedOn(v)
		case v.kind == kindInstance && v.class != nil:
			if m, ok, _ := findMember(r, v, "__getitem__"); ok {
				return returned(r, boundMember(r, m, v), []union{typeOf(r, u, index)}, nil, -1)
			}
			if u.Kind(index) == "string" {
				if f, ok := keyOf(r, v, resolve.Unquote(u.Text(index))); ok {
					return typeOfSymbol(r, f.symbol)
				}
			}
			return nil
		case v.name == "tuple" && u.Kind(index) == "integer":
			if i := int(u.Text(index)[0] - '0'); i < len(v.args) && len(u.Text(index)) == 1 {
				return v.args[i]
			}
			return nil
		case u.Kind(index) == "slice":
			return union{v}
		case v.name == "dict" && len(v.args) == 2:
			return v.args[1]
		}
		return elementOf(r, union{v})
	})
}

// elementOf is what iterating over a value gives.
func elementOf(r *resolve.Resolver, t union) union {
	return t.Each(func(v value) union {
		switch {
		case v.kind == kindOutside:
			return handedOn(v)
		case v.kind == kindInstance && v.class != nil:
			return elementOfInstance(r, v)
		case v.kind == kindClass && v.class != nil:
			return union{{kind: kindInstance, class: v.class}} // an enumeration
		case v.name == "str":
			return builtin("str")
		case v.name == "tuple":
			var all union
			for _, a := range v.args {
				all = all.Join(a)
			}
			return all
		}
		return resolve.At(v.args, 0)
	})
}

// elementOfInstance is what iterating over an instance of a class of the project
// gives.
func elementOfInstance(r *resolve.Resolver, v value) union {
	if m, ok, _ := findMember(r, v, "__iter__"); ok {
		return returned(r, boundMember(r, m, v), nil, nil, -1).Each(func(it value) union {
			if it.class == nil {
				return elementOf(r, union{it})
			}
			if next, ok, _ := findMember(r, it, "__next__"); ok {
				return returned(r, boundMember(r, next, it), nil, nil, -1)
			}
			return nil
		})
	}
	if m, ok, _ := findMember(r, v, "__getitem__"); ok {
		return returned(r, boundMember(r, m, v), nil, nil, -1)
	}
	if isEnum(basesOf(r, v.class)) {
		return union{v}
	}
	return nil
}

func isEnum(bases union) bool {
	return len(bases) > 0 && bases[0].kind == kindOutside
}
