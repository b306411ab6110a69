package python

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// annotationType is the type of a value that is annotated so.
func annotationType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	if n < 0 || !r.Enter() {
		return nil
	}
	defer r.Leave()
	switch u.Kind(n) {
	case "type", "parenthesized_expression", "expression_statement", "module", "constrained_type":
		return annotationType(r, u, u.First(n))
	case "identifier":
		y := lookup(r, u, n, u.Text(n))
		if y == nil {
			return namedType(u.Text(n), nil)
		}
		return annotatedAs(r, y, u.Text(n), nil)
	case "attribute", "member_type":
		members, _ := membersOf(r, typeOf(r, u, u.First(n)), lastName(u, n))
		if len(members) > 0 {
			return annotatedAs(r, members[0].symbol, lastName(u, n), nil)
		}
		return namedType(lastName(u, n), nil)
	case "subscript", "generic_type":
		base, args := genericParts(r, u, n)
		y := findSymbol(r, u, base)
		if y == nil {
			return namedType(lastName(u, base), args)
		}
		return annotatedAs(r, y, lastName(u, base), args)
	case "binary_operator", "union_type":
		var all union
		for c := range u.Children(n) {
			all = all.Join(annotationType(r, u, c))
		}
		return all
	case "string":
		if t := quotedType(u, n); t != nil {
			return annotationType(r, t, 0)
		}
	}
	return nil
}

// findSymbol finds what a dotted name stands for.
func findSymbol(r *resolve.Resolver, u *resolve.Unit, n int32) *resolve.Symbol {
	switch u.Kind(n) {
	case "identifier":
		return lookup(r, u, n, u.Text(n))
	case "attribute":
		if all, _ := membersOf(r, typeOf(r, u, u.Child(n, "object")), u.Text(u.Child(n, "attribute"))); len(all) > 0 {
			return all[0].symbol
		}
	}
	return nil
}

// annotatedAs is the type of a value annotated with what a symbol stands for.
func annotatedAs(r *resolve.Resolver, y *resolve.Symbol, name string, args []union) union {
	for _, f := range finals(r, y) {
		if len(f.Decls) == 0 {
			continue
		}
		d := f.Decls[len(f.Decls)-1]
		switch f.Unit.Kind(d.Node) {
		case "assignment":
			right := f.Unit.Child(d.Node, "right")
			if f.Unit.Kind(right) == "call" {
				switch lastName(f.Unit, right) {
				case "TypeVar":
					return union{{kind: kindVariable, class: f}}
				case "ParamSpec", "TypeVarTuple":
					return nil
				case "NewType":
					if args := f.Unit.List(f.Unit.Child(right, "arguments")); len(args) == 2 {
						return annotationType(r, f.Unit, args[1])
					}
					return outside
				case "namedtuple", "TypedDict", "NamedTuple":
					return outside
				}
			}
			if f.Busy || right < 0 {
				return nil
			}
			f.Busy = true
			t := annotationType(r, f.Unit, right)
			f.Busy = false
			return t
		case "type_parameter":
			return union{{kind: kindVariable, class: f}}
		case "type_alias_statement":
			return annotationType(r, f.Unit, f.Unit.Child(d.Node, "right"))
		}
		t := typeOfSymbol(r, f)
		for _, v := range t {
			switch v.kind {
			case kindClass:
				return union{{kind: kindInstance, class: v.class, name: v.name, args: args}}
			case kindOutside:
				return namedType(name, args)
			}
		}
	}
	return nil
}

// genericParts takes A[b, c] apart.
func genericParts(r *resolve.Resolver, u *resolve.Unit, n int32) (base int32, args []union) {
	var list []int32
	if u.Kind(n) == "generic_type" {
		base = u.First(n)
		list = u.List(u.First(n, "type_parameter"))
	} else {
		base = u.Child(n, "value")
		for c := range u.Children(n) {
			if c != base {
				list = append(list, c)
			}
		}
	}
	if len(list) == 1 && u.Kind(list[0]) == "tuple" {
		list = u.List(list[0])
	}
	switch lastName(u, base) {
	case "Literal":
		return base, []union{builtin("str")}
	case "Annotated":
		list = list[:min(1, len(list))]
	}
	for _, c := range list {
		for u.Kind(c) == "type" {
			c = u.First(c)
		}
		if u.Kind(c) == "list" { // the parameters of a Callable
			for p := range u.Children(c) {
				args = append(args, annotationType(r, u, p))
			}
			continue
		}
		args = append(args, annotationType(r, u, c))
	}
	return base, args
}

// namedType is a type of the language or its library, by name.
func namedType(name string, args []union) union {
	arg := func(i int) union { return resolve.At(args, i) }
	switch name {
	case "Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "InitVar", "ReadOnly":
		var all union
		for _, a := range args {
			all = all.Join(a)
		}
		return all
	case "Any", "object", "None", "Self":
		return nil
	case "str", "int", "bool", "float", "bytes", "complex", "Literal", "LiteralString":
		if name == "Literal" || name == "LiteralString" {
			name = "str"
		}
		return builtin(name)
	case "list", "List", "set", "Set", "frozenset", "FrozenSet", "Sequence", "MutableSequence", "Iterable",
		"Iterator", "Collection", "AsyncIterable", "AsyncIterator",
		"deque", "Deque", "Generator", "AsyncGenerator", "AbstractSet", "MutableSet", "KeysView", "ValuesView",
		"Container", "Reversible", "Counter":
		return builtin("list", arg(0))
	case "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ChainMap",
		"WeakKeyDictionary", "WeakValueDictionary":
		return builtin("dict", arg(0), arg(1))
	case "tuple", "Tuple":
		return builtin("tuple", args...)
	case "type", "Type":
		var all union
		for _, v := range arg(0) {
			switch v.kind {
			case kindInstance:
				v.kind = kindClass
				all = append(all, v)
			case kindVariable:
				v.self = &value{} // the class that the variable is, not an instance
				all = append(all, v)
			default:
				all = append(all, v)
			}
		}
		return all
	case "Callable":
		return builtin("Callable", args...)
	case "Awaitable", "Coroutine":
		return builtin("Awaitable", args...)
	case "ContextManager", "AbstractContextManager", "AsyncContextManager", "AbstractAsyncContextManager":
		return builtin("ContextManager", args...)
	}
	return outside
}

// builtinName is what a name means that nothing declares.
func builtinName(name string) union {
	switch name {
	case "str", "int", "bool", "float", "bytes", "list", "dict", "set", "tuple", "frozenset", "type", "object":
		return union{{kind: kindClass, name: name}}
	}
	return outside
}

// builtinMember is a member of a value of a built-in class, bound: what
// hands on what the value holds, and nothing of the project otherwise.
func builtinMember(v value, name string) union {
	if v.kind != kindInstance {
		return outside
	}
	arg := func(i int) union { return resolve.At(v.args, i) }
	var result union
	switch v.name {
	case "dict":
		switch name {
		case "get", "pop", "setdefault":
			result = arg(1)
		case "values":
			result = builtin("list", arg(1))
		case "keys":
			result = builtin("list", arg(0))
		case "items":
			result = builtin("list", builtin("tuple", arg(0), arg(1)))
		case "copy":
			result = union{v}
		default:
			return outside
		}
		return builtin("Callable", result)
	case "list", "set", "tuple":
		switch name {
		case "pop", "popleft", "__next__":
			result = arg(0)
		case "copy", "union", "difference", "intersection":
			result = union{v}
		default:
			return outside
		}
		return builtin("Callable", result)
	case "str", "bytes":
		return builtin("Callable", builtin(v.name))
	}
	return outside
}

// typeParameters lists the type variables of a generic class.
func typeParameters(r *resolve.Resolver, class *resolve.Symbol) []*resolve.Symbol {
	u, n := class.Unit, classNode(class)
	var all []*resolve.Symbol
	if s := u.Scopes[u.Child(n, "type_parameters")]; s != nil {
		for c := range u.Children(s.Node) {
			if name := typeParameterName(u, c); name >= 0 {
				all = append(all, u.Owner[name])
			}
		}
		return all
	}
	for c := range u.Children(u.Child(n, "superclasses")) {
		if k := u.Kind(c); k != "subscript" && k != "generic_type" {
			continue
		}
		base, args := genericParts(r, u, c)
		name := lastName(u, base)
		for _, a := range args {
			for _, v := range a {
				if v.kind == kindVariable && !slices.Contains(all, v.class) {
					all = append(all, v.class)
				}
			}
		}
		if name == "Generic" || name == "Protocol" {
			break
		}
	}
	return all
}

// applyArguments replaces the type variables of a class by the arguments of a value
// of it.
func applyArguments(r *resolve.Resolver, t union, owner value) union {
	if owner.class == nil || len(owner.args) == 0 {
		return t
	}
	bound := map[*resolve.Symbol]union{}
	for i, p := range typeParameters(r, owner.class) {
		if i < len(owner.args) {
			bound[p] = owner.args[i]
		}
	}
	return substitute(r, t, bound)
}

func applyToAll(r *resolve.Resolver, list []union, owner value) []union {
	if len(list) == 0 || len(owner.args) == 0 {
		return list
	}
	all := make([]union, len(list))
	for i := range list {
		all[i] = applyArguments(r, list[i], owner)
	}
	return all
}

// substitute replaces type variables.
func substitute(r *resolve.Resolver, t union, bound map[*resolve.Symbol]union) union {
	if len(bound) == 0 || !r.Enter() {
		return t
	}
	defer r.Leave()
	var all union
	for _, v := range t {
		if v.kind == kindVariable {
			if b := bound[v.class]; len(b) > 0 {
				if v.self == nil {
					all = all.Join(b)
				} else {
					for _, o := range b {
						o.kind = kindClass
						all = all.Join(union{o})
					}
				}
				continue
			}
		}
		if len(v.args) > 0 {
			args := make([]union, len(v.args))
			for i, a := range v.args {
				args[i] = substitute(r, a, bound)
			}
			v.args = args
		}
		all = all.Join(union{v})
	}
	return all
}

// bindArguments finds what the type variables of a function's parameters
// are, from the arguments. skip parameters are bound already.
func bindArguments(r *resolve.Resolver, f value, args []union, u *resolve.Unit, list int32, skip int,
	bound map[*resolve.Symbol]union) {
	params := f.unit.List(f.unit.Child(f.node, "parameters"))
	for i, p := range params[min(skip, len(params)):] {
		annotation := f.unit.Child(p, "type")
		if annotation < 0 {
			continue
		}
		var arg union
		if i < len(args) {
			arg = args[i]
		} else if u != nil {
			arg = keywordArgument(r, u, list, f.unit.Text(nameOfParameter(f.unit, p)))
		}
		if len(arg) > 0 {
			unify(r, annotationType(r, f.unit, annotation), arg, bound)
		}
	}
}

func nameOfParameter(u *resolve.Unit, p int32) int32 {
	if n := u.Child(p, "name"); n >= 0 {
		return n
	}
	if u.Kind(p) == "identifier" {
		return p
	}
	return u.First(p)
}

// keywordArgument infers the argument that is passed by a name.
func keywordArgument(r *resolve.Resolver, u *resolve.Unit, list int32, name string) union {
	for c := range u.Children(list) {
		if u.Kind(c) == "keyword_argument" && u.Text(u.Child(c, "name")) == name {
			return typeOf(r, u, u.Child(c, "value"))
		}
	}
	return nil
}

// unify finds what type variables must be for an argument to fit.
func unify(r *resolve.Resolver, want, arg union, bound map[*resolve.Symbol]union) {
	if !r.Enter() {
		return
	}
	defer r.Leave()
	for _, w := range want {
		if w.kind == kindVariable {
			for _, a := range arg {
				if w.self != nil {
					if a.kind != kindClass {
						continue
					}
					a.kind = kindInstance
				}
				bound[w.class] = bound[w.class].Join(union{a})
			}
			continue
		}
		if len(w.args) == 0 {
			continue
		}
		for _, a := range arg {
			unifyArguments(r, w, a, bound)
		}
	}
}

// unifyArguments compares the arguments of a type with those of what there is.
func unifyArguments(r *resolve.Resolver, w, a value, bound map[*resolve.Symbol]union) {
	switch {
	case w.name == "Callable" && a.kind == kindFunction:
		unify(r, w.args[len(w.args)-1], returned(r, union{a}, nil, nil, -1), bound)
	case w.name == "Callable" && a.kind == kindClass:
		unify(r, w.args[len(w.args)-1], union{{kind: kindInstance, class: a.class, name: a.name}}, bound)
	case w.name == "list" && (a.class != nil || a.name != "list"):
		unify(r, w.args[0], elementOf(r, union{a}), bound)
	case w.class == a.class && w.name == a.name:
		for i := range min(len(w.args), len(a.args)) {
			unify(r, w.args[i], a.args[i], bound)
		}
	}
}

// upperBound is what is known of a type variable: its bound.
func upperBound(r *resolve.Resolver, variable *resolve.Symbol) union {
	for _, d := range variable.Decls {
		if at := variable.Unit.Parent(variable.Unit.Parent(d.Name)); variable.Unit.Kind(at) == "constrained_type" {
			return annotationType(r, variable.Unit, variable.Unit.List(at)[1])
		}
		call := variable.Unit.Child(d.Node, "right")
		for c := range variable.Unit.Children(variable.Unit.Child(call, "arguments")) {
			if variable.Unit.Kind(c) == "keyword_argument" && variable.Unit.Text(variable.Unit.Child(c, "name")) == "bound" {
				return annotationType(r, variable.Unit, variable.Unit.Child(c, "value"))
			}
		}
	}
	return nil
}

// quotedType returns the type that a string holds where a type is expected,
// or nil.
func quotedType(u *resolve.Unit, n int32) *resolve.Unit {
	if t, ok := u.Strings[n]; ok {
		return t
	}
	u.Strings[n] = nil
	content := u.First(n, "string_content")
	list := u.List(n)
	if content < 0 || len(list) != 3 && len(list) != 1 || !typeExpected(u, n) {
		return nil
	}
	text := u.Text(content)
	if len(text) > 500 || strings.ContainsAny(text, "\\\n") {
		return nil
	}
	p := resolve.ParseText(text, syntax.Python)
	if p == nil {
		return nil
	}
	u.Strings[n] = u.Part(p, n, u.Nodes[content].Start)
	return u.Strings[n]
}

// typeExpected reports whether a string is where a type is.
func typeExpected(u *resolve.Unit, n int32) bool {
	for at, from := u.Parent(n), n; at >= 0; from, at = at, u.Parent(at) {
		switch u.Kind(at) {
		case "type":
			return true
		case "subscript", "generic_type":
			if lastName(u, at) == "Literal" {
				return false
			}
		case "type_parameter", "tuple", "list", "binary_operator", "union_type":
		case "keyword_argument":
			if u.Text(u.Child(at, "name")) != "bound" {
				return false
			}
		case "argument_list":
			switch call := u.Parent(at); lastName(u, u.Child(call, "function")) {
			case "cast":
				return u.First(at) == from
			case "TypeVar", "NewType":
				return u.First(at) != from
			}
			return u.Kind(u.Parent(at)) == "class_definition"
		default:
			return false
		}
	}
	return false
}
