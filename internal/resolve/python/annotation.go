package python

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// pyAnnotation is the type of a value that is annotated so.
func pyAnnotation(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	if n < 0 || !r.Step() || r.Depth > resolve.MostDepth {
		return nil
	}
	r.Depth++
	defer func() { r.Depth-- }()
	switch u.Kind(n) {
	case "type", "parenthesized_expression", "expression_statement", "module", "constrained_type":
		return pyAnnotation(r, u, u.First(n))
	case "identifier":
		y := pyLookup(r, u, n, u.Text(n))
		if y == nil {
			return pyNamedType(u.Text(n), nil)
		}
		return pyAnnotated(r, y, u.Text(n), nil)
	case "attribute", "member_type":
		members, _ := pyMembers(r, pyExpr(r, u, u.First(n)), lastName(u, n))
		if len(members) > 0 {
			return pyAnnotated(r, members[0].symbol, lastName(u, n), nil)
		}
		return pyNamedType(lastName(u, n), nil)
	case "subscript", "generic_type":
		base, args := pyGeneric(r, u, n)
		y := pyFind(r, u, base)
		if y == nil {
			return pyNamedType(lastName(u, base), args)
		}
		return pyAnnotated(r, y, lastName(u, base), args)
	case "binary_operator", "union_type":
		var all pyType
		for c := range u.Children(n) {
			all = join(all, pyAnnotation(r, u, c))
		}
		return all
	case "string":
		if t := quotedType(r, u, n); t != nil {
			return pyAnnotation(r, t, 0)
		}
	}
	return nil
}

// pyFind finds what a dotted name stands for.
func pyFind(r *resolve.Resolver, u *resolve.Unit, n int32) *resolve.Symbol {
	switch u.Kind(n) {
	case "identifier":
		return pyLookup(r, u, n, u.Text(n))
	case "attribute":
		if all, _ := pyMembers(r, pyExpr(r, u, u.Child(n, "object")), u.Text(u.Child(n, "attribute"))); len(all) > 0 {
			return all[0].symbol
		}
	}
	return nil
}

// pyAnnotated is the type of a value annotated with what a symbol stands for.
func pyAnnotated(r *resolve.Resolver, y *resolve.Symbol, name string, args []pyType) pyType {
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
					return pyType{{kind: pyVariable, class: f}}
				case "ParamSpec", "TypeVarTuple":
					return nil
				case "NewType", "namedtuple", "TypedDict", "NamedTuple":
					return outside
				}
			}
			if f.Busy || right < 0 {
				return nil
			}
			f.Busy = true
			t := pyAnnotation(r, f.Unit, right)
			f.Busy = false
			return t
		case "type_alias_statement":
			return pyAnnotation(r, f.Unit, f.Unit.Child(d.Node, "right"))
		}
		t := pyOf(r, f)
		for _, v := range t {
			switch v.kind {
			case pyClass:
				return pyType{{kind: pyInstance, class: v.class, name: v.name, args: args}}
			case pyOutside:
				return pyNamedType(name, args)
			}
		}
	}
	return nil
}

// pyGeneric takes A[b, c] apart.
func pyGeneric(r *resolve.Resolver, u *resolve.Unit, n int32) (base int32, args []pyType) {
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
		return base, []pyType{builtin("str")}
	case "Annotated":
		list = list[:min(1, len(list))]
	}
	for _, c := range list {
		for u.Kind(c) == "type" {
			c = u.First(c)
		}
		if u.Kind(c) == "list" { // the parameters of a Callable
			for p := range u.Children(c) {
				args = append(args, pyAnnotation(r, u, p))
			}
			continue
		}
		args = append(args, pyAnnotation(r, u, c))
	}
	return base, args
}

// pyNamedType is a type of the language or its library, by name.
func pyNamedType(name string, args []pyType) pyType {
	arg := func(i int) pyType {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	switch name {
	case "Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "InitVar", "ReadOnly":
		var all pyType
		for _, a := range args {
			all = join(all, a)
		}
		return all
	case "Any", "object", "None", "Self":
		return nil
	case "str", "int", "bool", "float", "bytes", "complex", "Literal", "LiteralString":
		if name == "Literal" || name == "LiteralString" {
			name = "str"
		}
		return builtin(name)
	case "list", "List", "set", "Set", "frozenset", "FrozenSet", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "AsyncIterable", "AsyncIterator",
		"deque", "Deque", "Generator", "AsyncGenerator", "AbstractSet", "MutableSet", "KeysView", "ValuesView", "Container", "Reversible", "Counter":
		return builtin("list", arg(0))
	case "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ChainMap", "WeakKeyDictionary", "WeakValueDictionary":
		return builtin("dict", arg(0), arg(1))
	case "tuple", "Tuple":
		return builtin("tuple", args...)
	case "type", "Type":
		var all pyType
		for _, v := range arg(0) {
			switch v.kind {
			case pyInstance:
				v.kind = pyClass
				all = append(all, v)
			case pyVariable:
				v.self = &pyValue{} // the class that the variable is, not an instance
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

// pyBuiltinName is what a name means that nothing declares.
func pyBuiltinName(name string) pyType {
	switch name {
	case "str", "int", "bool", "float", "bytes", "list", "dict", "set", "tuple", "frozenset", "type", "object":
		return pyType{{kind: pyClass, name: name}}
	}
	return outside
}

// pyBuiltinMember is a member of a value of a built-in class, bound: what
// hands on what the value holds, and nothing of the project otherwise.
func pyBuiltinMember(v pyValue, name string) pyType {
	if v.kind != pyInstance {
		return outside
	}
	arg := func(i int) pyType {
		if i < len(v.args) {
			return v.args[i]
		}
		return nil
	}
	var result pyType
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
			result = pyType{v}
		default:
			return outside
		}
		return builtin("Callable", result)
	case "list", "set", "tuple":
		switch name {
		case "pop", "popleft", "__next__":
			result = arg(0)
		case "copy", "union", "difference", "intersection":
			result = pyType{v}
		default:
			return outside
		}
		return builtin("Callable", result)
	case "str", "bytes":
		return builtin("Callable", builtin(v.name))
	}
	return outside
}

// pyTypeParameters lists the type variables of a generic class.
func pyTypeParameters(r *resolve.Resolver, class *resolve.Symbol) []*resolve.Symbol {
	u, n := class.Unit, classNode(class)
	var all []*resolve.Symbol
	for c := range u.Children(u.Child(n, "superclasses")) {
		if k := u.Kind(c); k != "subscript" && k != "generic_type" {
			continue
		}
		base, args := pyGeneric(r, u, c)
		name := lastName(u, base)
		for _, a := range args {
			for _, v := range a {
				if v.kind == pyVariable && !slices.Contains(all, v.class) {
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

// pyApply replaces the type variables of a class by the arguments of a value
// of it.
func pyApply(r *resolve.Resolver, t pyType, owner pyValue) pyType {
	if owner.class == nil || len(owner.args) == 0 {
		return t
	}
	bound := map[*resolve.Symbol]pyType{}
	for i, p := range pyTypeParameters(r, owner.class) {
		if i < len(owner.args) {
			bound[p] = owner.args[i]
		}
	}
	return pyReplace(r, t, bound)
}

func pyApplyAll(r *resolve.Resolver, list []pyType, owner pyValue) []pyType {
	if len(list) == 0 || len(owner.args) == 0 {
		return list
	}
	all := make([]pyType, len(list))
	for i := range list {
		all[i] = pyApply(r, list[i], owner)
	}
	return all
}

// pyReplace replaces type variables.
func pyReplace(r *resolve.Resolver, t pyType, bound map[*resolve.Symbol]pyType) pyType {
	if len(bound) == 0 || r.Depth > resolve.MostDepth || !r.Step() {
		return t
	}
	r.Depth++
	defer func() { r.Depth-- }()
	var all pyType
	for _, v := range t {
		if v.kind == pyVariable {
			if b := bound[v.class]; len(b) > 0 {
				if v.self == nil {
					all = join(all, b)
				} else {
					for _, o := range b {
						o.kind = pyClass
						all = join(all, pyType{o})
					}
				}
				continue
			}
		}
		if len(v.args) > 0 {
			args := make([]pyType, len(v.args))
			for i, a := range v.args {
				args[i] = pyReplace(r, a, bound)
			}
			v.args = args
		}
		all = join(all, pyType{v})
	}
	return all
}

// pyBindArguments finds what the type variables of a function's parameters
// are, from the arguments. skip parameters are bound already.
func pyBindArguments(r *resolve.Resolver, f pyValue, args []pyType, u *resolve.Unit, list int32, skip int, bound map[*resolve.Symbol]pyType) {
	params := f.unit.List(f.unit.Child(f.node, "parameters"))
	for i, p := range params[min(skip, len(params)):] {
		annotation := f.unit.Child(p, "type")
		if annotation < 0 {
			continue
		}
		var arg pyType
		if i < len(args) {
			arg = args[i]
		} else if u != nil {
			arg = pyKeyword(r, u, list, f.unit.Text(nameOfParameter(f.unit, p)))
		}
		if len(arg) > 0 {
			pyUnify(r, pyAnnotation(r, f.unit, annotation), arg, bound)
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

// pyKeyword infers the argument that is passed by a name.
func pyKeyword(r *resolve.Resolver, u *resolve.Unit, list int32, name string) pyType {
	for c := range u.Children(list) {
		if u.Kind(c) == "keyword_argument" && u.Text(u.Child(c, "name")) == name {
			return pyExpr(r, u, u.Child(c, "value"))
		}
	}
	return nil
}

// pyUnify finds what type variables must be for an argument to fit.
func pyUnify(r *resolve.Resolver, want, arg pyType, bound map[*resolve.Symbol]pyType) {
	if r.Depth > resolve.MostDepth || !r.Step() {
		return
	}
	r.Depth++
	defer func() { r.Depth-- }()
	for _, w := range want {
		if w.kind == pyVariable {
			for _, a := range arg {
				if w.self != nil {
					if a.kind != pyClass {
						continue
					}
					a.kind = pyInstance
				}
				bound[w.class] = join(bound[w.class], pyType{a})
			}
			continue
		}
		if len(w.args) == 0 {
			continue
		}
		for _, a := range arg {
			pyUnifyArgs(r, w, a, bound)
		}
	}
}

// pyUnifyArgs compares the arguments of a type with those of what there is.
func pyUnifyArgs(r *resolve.Resolver, w, a pyValue, bound map[*resolve.Symbol]pyType) {
	switch {
	case w.name == "Callable" && a.kind == pyFunction:
		pyUnify(r, w.args[len(w.args)-1], pyReturned(r, pyType{a}, nil, nil, -1), bound)
	case w.name == "Callable" && a.kind == pyClass:
		pyUnify(r, w.args[len(w.args)-1], pyType{{kind: pyInstance, class: a.class, name: a.name}}, bound)
	case w.name == "list" && (a.class != nil || a.name != "list"):
		pyUnify(r, w.args[0], pyElement(r, pyType{a}), bound)
	case w.class == a.class && w.name == a.name:
		for i := range min(len(w.args), len(a.args)) {
			pyUnify(r, w.args[i], a.args[i], bound)
		}
	}
}

// pyLimit is what is known of a type variable: its bound.
func pyLimit(r *resolve.Resolver, variable *resolve.Symbol) pyType {
	for _, d := range variable.Decls {
		call := variable.Unit.Child(d.Node, "right")
		for c := range variable.Unit.Children(variable.Unit.Child(call, "arguments")) {
			if variable.Unit.Kind(c) == "keyword_argument" && variable.Unit.Text(variable.Unit.Child(c, "name")) == "bound" {
				return pyAnnotation(r, variable.Unit, variable.Unit.Child(c, "value"))
			}
		}
	}
	return nil
}

// quotedType returns the type that a string holds where a type is expected,
// or nil.
func quotedType(r *resolve.Resolver, u *resolve.Unit, n int32) *resolve.Unit {
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
	t := &resolve.Unit{Parsed: p, Path: u.Path, Lang: u.Lang, Language: u.Language, Memory: u.Memory, Scopes: map[int32]*resolve.Scope{}, Owner: map[int32]*resolve.Symbol{}, Strings: map[int32]*resolve.Unit{},
		Host: u, HostNode: n, Offset: u.Nodes[content].Start}
	u.Strings[n] = t
	return t
}

// typeExpected reports whether a string stands where a type does.
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
