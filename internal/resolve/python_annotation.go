package resolve

import (
	"slices"
	"strings"

	"codeintel/internal/syntax"
)

// pyAnnotation is the type of a value that is annotated so.
func (r *Resolver) pyAnnotation(u *unit, n int32) pyType {
	if n < 0 || !r.step() || r.depth > mostDepth {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	switch u.kind(n) {
	case "type", "parenthesized_expression", "expression_statement", "module", "constrained_type":
		return r.pyAnnotation(u, u.first(n))
	case "identifier":
		y := r.pyLookup(u, n, u.of(n))
		if y == nil {
			return pyNamedType(u.of(n), nil)
		}
		return r.pyAnnotated(y, u.of(n), nil)
	case "attribute", "member_type":
		members, _ := r.pyMembers(r.pyExpr(u, u.first(n)), u.lastName(n))
		if len(members) > 0 {
			return r.pyAnnotated(members[0].symbol, u.lastName(n), nil)
		}
		return pyNamedType(u.lastName(n), nil)
	case "subscript", "generic_type":
		base, args := r.pyGeneric(u, n)
		y := r.pyFind(u, base)
		if y == nil {
			return pyNamedType(u.lastName(base), args)
		}
		return r.pyAnnotated(y, u.lastName(base), args)
	case "binary_operator", "union_type":
		var all pyType
		for c := range u.children(n) {
			all = join(all, r.pyAnnotation(u, c))
		}
		return all
	case "string":
		if t := r.quotedType(u, n); t != nil {
			return r.pyAnnotation(t, 0)
		}
	}
	return nil
}

// pyFind finds what a dotted name stands for.
func (r *Resolver) pyFind(u *unit, n int32) *symbol {
	switch u.kind(n) {
	case "identifier":
		return r.pyLookup(u, n, u.of(n))
	case "attribute":
		if all, _ := r.pyMembers(r.pyExpr(u, u.child(n, "object")), u.of(u.child(n, "attribute"))); len(all) > 0 {
			return all[0].symbol
		}
	}
	return nil
}

// pyAnnotated is the type of a value annotated with what a symbol stands for.
func (r *Resolver) pyAnnotated(y *symbol, name string, args []pyType) pyType {
	for _, f := range r.finals(y) {
		if len(f.decls) == 0 {
			continue
		}
		d := f.decls[len(f.decls)-1]
		switch f.unit.kind(d.node) {
		case "assignment":
			right := f.unit.child(d.node, "right")
			if f.unit.kind(right) == "call" {
				switch f.unit.lastName(right) {
				case "TypeVar":
					return pyType{{kind: pyVariable, class: f}}
				case "ParamSpec", "TypeVarTuple":
					return nil
				case "NewType", "namedtuple", "TypedDict", "NamedTuple":
					return outside
				}
			}
			if f.busy || right < 0 {
				return nil
			}
			f.busy = true
			t := r.pyAnnotation(f.unit, right)
			f.busy = false
			return t
		case "type_alias_statement":
			return r.pyAnnotation(f.unit, f.unit.child(d.node, "right"))
		}
		t := r.pyOf(f)
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
func (r *Resolver) pyGeneric(u *unit, n int32) (base int32, args []pyType) {
	var list []int32
	if u.kind(n) == "generic_type" {
		base = u.first(n)
		list = u.list(u.first(n, "type_parameter"))
	} else {
		base = u.child(n, "value")
		for c := range u.children(n) {
			if c != base {
				list = append(list, c)
			}
		}
	}
	if len(list) == 1 && u.kind(list[0]) == "tuple" {
		list = u.list(list[0])
	}
	switch u.lastName(base) {
	case "Literal":
		return base, []pyType{builtin("str")}
	case "Annotated":
		list = list[:min(1, len(list))]
	}
	for _, c := range list {
		for u.kind(c) == "type" {
			c = u.first(c)
		}
		if u.kind(c) == "list" { // the parameters of a Callable
			for p := range u.children(c) {
				args = append(args, r.pyAnnotation(u, p))
			}
			continue
		}
		args = append(args, r.pyAnnotation(u, c))
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
func (r *Resolver) pyTypeParameters(class *symbol) []*symbol {
	u, n := class.unit, classNode(class)
	var all []*symbol
	for c := range u.children(u.child(n, "superclasses")) {
		if k := u.kind(c); k != "subscript" && k != "generic_type" {
			continue
		}
		base, args := r.pyGeneric(u, c)
		name := u.lastName(base)
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
func (r *Resolver) pyApply(t pyType, owner pyValue) pyType {
	if owner.class == nil || len(owner.args) == 0 {
		return t
	}
	bound := map[*symbol]pyType{}
	for i, p := range r.pyTypeParameters(owner.class) {
		if i < len(owner.args) {
			bound[p] = owner.args[i]
		}
	}
	return r.pyReplace(t, bound)
}

func (r *Resolver) pyApplyAll(list []pyType, owner pyValue) []pyType {
	if len(list) == 0 || len(owner.args) == 0 {
		return list
	}
	all := make([]pyType, len(list))
	for i := range list {
		all[i] = r.pyApply(list[i], owner)
	}
	return all
}

// pyReplace replaces type variables.
func (r *Resolver) pyReplace(t pyType, bound map[*symbol]pyType) pyType {
	if len(bound) == 0 || r.depth > mostDepth || !r.step() {
		return t
	}
	r.depth++
	defer func() { r.depth-- }()
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
				args[i] = r.pyReplace(a, bound)
			}
			v.args = args
		}
		all = join(all, pyType{v})
	}
	return all
}

// pyBindArguments finds what the type variables of a function's parameters
// are, from the arguments. skip parameters are bound already.
func (r *Resolver) pyBindArguments(f pyValue, args []pyType, u *unit, list int32, skip int, bound map[*symbol]pyType) {
	params := f.unit.list(f.unit.child(f.node, "parameters"))
	for i, p := range params[min(skip, len(params)):] {
		annotation := f.unit.child(p, "type")
		if annotation < 0 {
			continue
		}
		var arg pyType
		if i < len(args) {
			arg = args[i]
		} else if u != nil {
			arg = r.pyKeyword(u, list, f.unit.of(nameOfParameter(f.unit, p)))
		}
		if len(arg) > 0 {
			r.pyUnify(r.pyAnnotation(f.unit, annotation), arg, bound)
		}
	}
}

func nameOfParameter(u *unit, p int32) int32 {
	if n := u.child(p, "name"); n >= 0 {
		return n
	}
	if u.kind(p) == "identifier" {
		return p
	}
	return u.first(p)
}

// pyKeyword infers the argument that is passed by a name.
func (r *Resolver) pyKeyword(u *unit, list int32, name string) pyType {
	for c := range u.children(list) {
		if u.kind(c) == "keyword_argument" && u.of(u.child(c, "name")) == name {
			return r.pyExpr(u, u.child(c, "value"))
		}
	}
	return nil
}

// pyUnify finds what type variables must be for an argument to fit.
func (r *Resolver) pyUnify(want, arg pyType, bound map[*symbol]pyType) {
	if r.depth > mostDepth || !r.step() {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
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
			switch {
			case w.name == "Callable" && a.kind == pyFunction:
				r.pyUnify(w.args[len(w.args)-1], r.pyReturned(pyType{a}, nil, nil, -1), bound)
			case w.name == "Callable" && a.kind == pyClass:
				r.pyUnify(w.args[len(w.args)-1], pyType{{kind: pyInstance, class: a.class, name: a.name}}, bound)
			case w.name == "list" && (a.class != nil || a.name != "list"):
				r.pyUnify(w.args[0], r.pyElement(pyType{a}), bound)
			case w.class == a.class && w.name == a.name:
				for i := range min(len(w.args), len(a.args)) {
					r.pyUnify(w.args[i], a.args[i], bound)
				}
			}
		}
	}
}

// pyLimit is what is known of a type variable: its bound.
func (r *Resolver) pyLimit(variable *symbol) pyType {
	for _, d := range variable.decls {
		call := variable.unit.child(d.node, "right")
		for c := range variable.unit.children(variable.unit.child(call, "arguments")) {
			if variable.unit.kind(c) == "keyword_argument" && variable.unit.of(variable.unit.child(c, "name")) == "bound" {
				return r.pyAnnotation(variable.unit, variable.unit.child(c, "value"))
			}
		}
	}
	return nil
}

// quotedType returns the type that a string holds where a type is expected,
// or nil.
func (r *Resolver) quotedType(u *unit, n int32) *unit {
	if t, ok := u.strings[n]; ok {
		return t
	}
	u.strings[n] = nil
	content := u.first(n, "string_content")
	list := u.list(n)
	if content < 0 || len(list) != 3 && len(list) != 1 || !u.typeExpected(n) {
		return nil
	}
	text := u.of(content)
	if len(text) > 500 || strings.ContainsAny(text, "\\\n") {
		return nil
	}
	p := parseText(text, syntax.Python)
	if p == nil {
		return nil
	}
	t := &unit{parsed: p, path: u.path, lang: u.lang, language: u.language, memory: u.memory, scopes: map[int32]*scope{}, owner: map[int32]*symbol{}, strings: map[int32]*unit{},
		host: u, hostNode: n, offset: u.nodes[content].Start}
	u.strings[n] = t
	return t
}

// typeExpected reports whether a string stands where a type does.
func (u *unit) typeExpected(n int32) bool {
	for at, from := u.parent(n), n; at >= 0; from, at = at, u.parent(at) {
		switch u.kind(at) {
		case "type":
			return true
		case "subscript", "generic_type":
			if u.lastName(at) == "Literal" {
				return false
			}
		case "type_parameter", "tuple", "list", "binary_operator", "union_type":
		case "keyword_argument":
			if u.of(u.child(at, "name")) != "bound" {
				return false
			}
		case "argument_list":
			switch call := u.parent(at); u.lastName(u.child(call, "function")) {
			case "cast":
				return u.first(at) == from
			case "TypeVar", "NewType":
				return u.first(at) != from
			}
			return u.kind(u.parent(at)) == "class_definition"
		default:
			return false
		}
	}
	return false
}
