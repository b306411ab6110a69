package resolve

import (
	"slices"
	"strings"
)

// A pyType is what a value may be: any of several. An empty one is unknown.
type pyType []pyValue

// A pyKind says what a pyValue is.
type pyKind int

const (
	pyInstance pyKind = iota // of a class of the project, or of a built-in one by name
	pyClass                  // a class itself
	pyFunction               // a function, bound to self if that is set
	pyFile                   // a module
	pyOutside                // something of a library
	pyVariable               // a type variable
)

// A pyValue is one thing that a value may be.
type pyValue struct {
	kind   pyKind
	class  *symbol // of the project; nil for a built-in one
	name   string  // of a built-in class
	args   []pyType
	unit   *unit // of a function
	node   int32
	self   *pyValue
	module *pyModule
	above  bool // super(): look in the bases alone
	yields bool // what a function returns is what it yields: async, or a context manager
}

func builtin(name string, args ...pyType) pyType {
	return pyType{{kind: pyInstance, name: name, args: args}}
}

var outside = pyType{{kind: pyOutside}}

// join puts what may be together, each thing once.
func join(a, b pyType) pyType {
	if len(a) == 0 {
		return b
	}
	all := a[:len(a):len(a)]
	for _, v := range b {
		if len(all) >= mostAlternatives {
			break
		}
		if !slices.ContainsFunc(all, func(o pyValue) bool { return o.like(v) }) {
			all = append(all, v)
		}
	}
	return all
}

func (v pyValue) like(o pyValue) bool {
	if v.kind != o.kind || v.class != o.class || v.name != o.name || v.unit != o.unit || v.node != o.node || v.above != o.above || len(v.args) != len(o.args) {
		return false
	}
	for i := range v.args {
		if len(v.args[i]) != len(o.args[i]) {
			return false
		}
		for j := range v.args[i] {
			if v.args[i][j].kind != o.args[i][j].kind || v.args[i][j].class != o.args[i][j].class || v.args[i][j].name != o.args[i][j].name {
				return false
			}
		}
	}
	return v.module == nil && o.module == nil || v.module != nil && o.module != nil && v.module.stem == o.module.stem
}

// pyBases returns what a class is derived from, in order.
func (r *Resolver) pyBases(class *symbol) pyType {
	u, n := class.unit, classNode(class)
	var all pyType
	for c := range u.children(u.child(n, "superclasses")) {
		if u.kind(c) == "keyword_argument" {
			continue
		}
		base := c
		var args []pyType
		if u.kind(c) == "subscript" || u.kind(c) == "generic_type" {
			base, args = r.pyGeneric(u, c)
		}
		t := r.pyExpr(u, base)
		for _, v := range t {
			v.args = args
			all = append(all, v)
		}
		if len(t) == 0 {
			all = append(all, outside...)
		}
	}
	return all
}

// classNode is the node that declares a class.
func classNode(class *symbol) int32 {
	for _, d := range class.decls {
		if class.unit.kind(d.node) == "class_definition" {
			return d.node
		}
	}
	return -1
}

// A pyMember is a member as it is seen through a class: the type arguments
// are those of the base that has it.
type pyMember struct {
	symbol *symbol
	owner  pyValue
}

// pyMember finds a member of a class or its bases, the nearest one. whole is
// false if a base is of a library.
func (r *Resolver) pyMember(v pyValue, name string) (m pyMember, found, whole bool) {
	whole = true
	seen := map[*symbol]bool{}
	todo := []pyValue{v}
	skip := v.above
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.kind == pyOutside {
			whole = false
		}
		if c.class == nil || seen[c.class] || !r.step() {
			continue
		}
		seen[c.class] = true
		if c.class.inner != nil && !skip {
			if y := c.class.inner.names[name]; y != nil {
				return pyMember{y, c}, true, true
			}
		}
		skip = false
		bases := r.pyBases(c.class)
		for i := range bases {
			bases[i].args = r.pyApplyAll(bases[i].args, c)
		}
		todo = append(todo, bases...)
	}
	return pyMember{}, false, whole
}

// pyMembers finds a member of everything a value may be. known is false if
// some of that is unknown and nothing was found.
func (r *Resolver) pyMembers(t pyType, name string) (all []pyMember, known bool) {
	t = r.pyConcrete(t)
	known = len(t) > 0
	for _, v := range t {
		switch v.kind {
		case pyInstance, pyClass:
			if v.class == nil {
				continue
			}
			m, ok, _ := r.pyMember(v, name)
			if ok {
				all = append(all, m)
			} else {
				known = false
			}
		case pyFile:
			if y := r.pyExport(v.module, name); y != nil {
				all = append(all, pyMember{symbol: y})
			}
		}
	}
	return all, known || len(all) > 0
}

// pyConcrete puts what is known of type variables in their place.
func (r *Resolver) pyConcrete(t pyType) pyType {
	if !slices.ContainsFunc(t, func(v pyValue) bool { return v.kind == pyVariable }) {
		return t
	}
	var all pyType
	for _, v := range t {
		if v.kind != pyVariable {
			all = join(all, pyType{v})
			continue
		}
		for _, l := range r.pyLimit(v.class) {
			if v.self != nil {
				l.kind = pyClass
			}
			all = join(all, pyType{l})
		}
	}
	return all
}

// pyOf is the type of what a symbol stands for.
func (r *Resolver) pyOf(y *symbol) pyType {
	if y.done {
		t, _ := y.inferred.(pyType)
		return t
	}
	if y.busy || !r.step() || r.depth > mostDepth {
		return nil
	}
	y.busy = true
	r.depth++
	t := r.pyDeclared(y)
	r.depth--
	y.busy = false
	if r.steps <= mostSteps {
		y.inferred, y.done = t, true
	}
	return t
}

func (r *Resolver) pyDeclared(y *symbol) pyType {
	if len(y.decls) == 0 { // a file
		return pyType{{kind: pyFile, module: &pyModule{y.unit, moduleStem(y.unit.path)}}}
	}
	for _, d := range y.decls { // what is annotated is that
		if a := y.unit.annotationOf(d); a >= 0 {
			if t := r.pyAnnotation(y.unit, a); len(t) > 0 && y.unit.lastName(y.unit.first(a)) != "TypeAlias" && y.unit.lastName(y.unit.first(a)) != "Final" {
				return t
			}
		}
	}
	var t pyType
	for _, d := range y.decls {
		t = join(t, r.pyDecl(y, d))
	}
	return t
}

func moduleStem(file string) string {
	stem := file[:strings.LastIndexByte(file, '.')]
	return strings.TrimSuffix(stem, "/__init__")
}

// annotationOf returns the type that a declaration is given, or -1.
func (u *unit) annotationOf(d decl) int32 {
	switch u.kind(d.node) {
	case "assignment", "typed_parameter", "typed_default_parameter":
		if u.kind(d.node) == "typed_parameter" && u.kind(u.first(d.node)) != "identifier" {
			return -1 // *args: int
		}
		return u.child(d.node, "type")
	}
	return -1
}

// pyDecl infers one declaration.
func (r *Resolver) pyDecl(y *symbol, d decl) pyType {
	u := y.unit
	switch u.kind(d.node) {
	case "class_definition":
		if y.inner == nil || y.inner.node != d.node {
			return nil
		}
		return pyType{{kind: pyClass, class: y}}
	case "function_definition":
		return r.pyFunctionDecl(u, d.node)
	case "aliased_import", "dotted_name":
		if to := r.pyImportedSymbol(u, d.node, y.name); to != nil {
			return r.pyOf(to)
		}
		return outside
	case "assignment":
		return r.pyPart(u, u.child(d.node, "left"), d.name, r.pyExpr(u, u.child(d.node, "right")), u.child(d.node, "right"))
	case "named_expression":
		return r.pyExpr(u, u.child(d.node, "value"))
	case "for_statement", "for_in_clause":
		return r.pyPart(u, u.child(d.node, "left"), d.name, r.pyElement(r.pyExpr(u, u.child(d.node, "right"))), -1)
	case "as_pattern":
		return r.pyAs(u, d.node)
	case "case_pattern":
		return nil
	case "type_alias_statement":
		return nil
	}
	return r.pyParameter(u, d)
}

// pyFunctionDecl is the type of a function as its decorators leave it.
func (r *Resolver) pyFunctionDecl(u *unit, n int32) pyType {
	f := pyType{{kind: pyFunction, unit: u, node: n}}
	list := u.decorators(n)
	for i := len(list) - 1; i >= 0; i-- {
		switch u.lastName(list[i]) {
		case "property", "cached_property", "setter", "getter", "staticmethod", "classmethod", "overload", "abstractmethod", "wraps", "override", "final":
			continue
		case "contextmanager", "asynccontextmanager":
			f[0].yields = true
			continue
		}
		if t := r.pyCall(u, r.pyExpr(u, list[i]), []pyType{f}, -1); len(t) > 0 && t[0].kind != pyOutside && t[0].kind != pyVariable {
			f = t
			if f[0].kind != pyFunction {
				return f
			}
		}
	}
	return f
}

// pyAs is the type of what follows as: in with, in except, in match.
func (r *Resolver) pyAs(u *unit, n int32) pyType {
	value := u.first(n)
	t := r.pyExpr(u, value)
	switch {
	case u.around(n, "with_item", "except_clause", "case_pattern") < 0:
		return t
	case u.kind(u.around(n, "with_item", "except_clause", "case_pattern")) == "with_item":
		var all pyType
		for _, v := range t {
			if v.name == "ContextManager" && len(v.args) > 0 {
				all = join(all, v.args[0])
				continue
			}
			if m, ok, _ := r.pyMember(v, "__enter__"); ok && v.kind == pyInstance {
				all = join(all, r.pyReturned(r.pyBound(m, v), nil, nil, -1))
			} else if m, ok, _ := r.pyMember(v, "__aenter__"); ok && v.kind == pyInstance {
				all = join(all, r.pyReturned(r.pyBound(m, v), nil, nil, -1))
			} else if v.kind == pyOutside || v.class == nil {
				all = join(all, outside)
			}
		}
		return all
	}
	var all pyType // except (A, B) as e
	for _, v := range t {
		if v.kind == pyClass {
			all = join(all, pyType{{kind: pyInstance, class: v.class}})
		} else if v.name == "tuple" && v.kind == pyInstance {
			for _, a := range v.args {
				for _, c := range a {
					if c.kind == pyClass {
						all = join(all, pyType{{kind: pyInstance, class: c.class}})
					}
				}
			}
		} else {
			all = join(all, pyType{v})
		}
	}
	return all
}

// pyPart is what one name of an assigned pattern gets of a value.
func (r *Resolver) pyPart(u *unit, pattern, name int32, t pyType, value int32) pyType {
	switch k := u.kind(pattern); k {
	case "identifier", "attribute", "":
		return t
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list":
		for i, c := range u.list(pattern) {
			if !u.within(name, c) {
				continue
			}
			if u.kind(c) == "list_splat_pattern" {
				return builtin("list", r.pyElement(t))
			}
			if vk := u.kind(value); vk == "tuple" || vk == "expression_list" {
				if parts := u.list(value); i < len(parts) {
					return r.pyPart(u, c, name, r.pyExpr(u, parts[i]), parts[i])
				}
			}
			var part pyType
			for _, v := range t {
				if v.name == "tuple" && i < len(v.args) {
					part = join(part, v.args[i])
				} else {
					part = join(part, r.pyElement(pyType{v}))
				}
			}
			return r.pyPart(u, c, name, part, -1)
		}
	}
	return nil
}

// pyParameter infers a parameter that has no annotation: self, what the same
// method of a base says, or what the default is.
func (r *Resolver) pyParameter(u *unit, d decl) pyType {
	list := u.parent(d.node)
	function := u.parent(list)
	if u.kind(function) == "function_definition" {
		if class := u.methodOf(function); class != nil {
			if u.firstParameter(function) == d.name && !u.decorated(function, "staticmethod") {
				kind := pyInstance
				if u.decorated(function, "classmethod") || u.of(u.child(function, "name")) == "__new__" {
					kind = pyClass
				}
				return pyType{{kind: kind, class: class}}
			}
			if m, ok, _ := r.pyMember(pyValue{class: class, above: true}, u.of(u.child(function, "name"))); ok {
				for _, o := range m.symbol.decls {
					p := r.parameterNamed(m.symbol.unit, o.node, u.of(d.name))
					if p != nil && m.symbol.unit.annotationOf(p.decls[0]) >= 0 {
						return r.pyOf(p)
					}
				}
			}
		}
	}
	switch u.kind(d.node) {
	case "default_parameter":
		if value := u.child(d.node, "value"); u.kind(value) != "none" {
			return r.pyExpr(u, value)
		}
	case "list_splat_pattern":
		return builtin("tuple")
	case "dictionary_splat_pattern":
		return builtin("dict")
	case "typed_parameter":
		if k := u.kind(u.first(d.node)); k == "list_splat_pattern" {
			return builtin("list", r.pyAnnotation(u, u.child(d.node, "type")))
		} else if k == "dictionary_splat_pattern" {
			return builtin("dict", builtin("str"), r.pyAnnotation(u, u.child(d.node, "type")))
		}
	}
	return nil
}

// methodOf returns the class that a function is a method of, or nil.
func (u *unit) methodOf(function int32) *symbol {
	p := u.parent(function)
	if u.kind(p) == "decorated_definition" {
		p = u.parent(p)
	}
	if s := u.scopes[u.parent(p)]; u.kind(p) == "block" && s != nil && s.kind == classScope {
		return s.class
	}
	return nil
}

// parameterNamed returns the parameter of a function that goes by a name.
func (r *Resolver) parameterNamed(u *unit, function int32, name string) *symbol {
	if s := u.scopes[function]; s != nil && u.kind(function) == "function_definition" {
		if y := s.names[name]; y != nil && u.within(y.decls[0].name, u.child(function, "parameters")) {
			return y
		}
	}
	return nil
}
