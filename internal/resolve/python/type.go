package python

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
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
	class  *resolve.Symbol // of the project; nil for a built-in one
	name   string          // of a built-in class
	args   []pyType
	unit   *resolve.Unit // of a function
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
		if len(all) >= resolve.MostAlternatives {
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
func pyBases(r *resolve.Resolver, class *resolve.Symbol) pyType {
	u, n := class.Unit, classNode(class)
	var all pyType
	for c := range u.Children(u.Child(n, "superclasses")) {
		if u.Kind(c) == "keyword_argument" {
			continue
		}
		base := c
		var args []pyType
		if u.Kind(c) == "subscript" || u.Kind(c) == "generic_type" {
			base, args = pyGeneric(r, u, c)
		}
		t := pyExpr(r, u, base)
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
func classNode(class *resolve.Symbol) int32 {
	for _, d := range class.Decls {
		if class.Unit.Kind(d.Node) == "class_definition" {
			return d.Node
		}
	}
	return -1
}

// A pyMember is a member as it is seen through a class: the type arguments
// are those of the base that has it.
type pyMember struct {
	symbol *resolve.Symbol
	owner  pyValue
}

// pyMemberOf finds a member of a class or its bases, the nearest one. whole is
// false if a base is of a library.
func pyMemberOf(r *resolve.Resolver, v pyValue, name string) (m pyMember, found, whole bool) {
	whole = true
	seen := map[*resolve.Symbol]bool{}
	todo := []pyValue{v}
	skip := v.above
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.kind == pyOutside {
			whole = false
		}
		if c.class == nil || seen[c.class] || !r.Step() {
			continue
		}
		seen[c.class] = true
		if c.class.Inner != nil && !skip {
			if y := c.class.Inner.Names[name]; y != nil {
				return pyMember{y, c}, true, true
			}
		}
		skip = false
		bases := pyBases(r, c.class)
		for i := range bases {
			bases[i].args = pyApplyAll(r, bases[i].args, c)
		}
		todo = append(todo, bases...)
	}
	return pyMember{}, false, whole
}

// pyMembers finds a member of everything a value may be. known is false if
// some of that is unknown and nothing was found.
func pyMembers(r *resolve.Resolver, t pyType, name string) (all []pyMember, known bool) {
	t = pyConcrete(r, t)
	known = len(t) > 0
	for _, v := range t {
		switch v.kind {
		case pyInstance, pyClass:
			if v.class == nil {
				continue
			}
			m, ok, _ := pyMemberOf(r, v, name)
			if ok {
				all = append(all, m)
			} else {
				known = false
			}
		case pyFile:
			if y := pyExport(r, v.module, name); y != nil {
				all = append(all, pyMember{symbol: y})
			}
		}
	}
	return all, known || len(all) > 0
}

// pyConcrete puts what is known of type variables in their place.
func pyConcrete(r *resolve.Resolver, t pyType) pyType {
	if !slices.ContainsFunc(t, func(v pyValue) bool { return v.kind == pyVariable }) {
		return t
	}
	var all pyType
	for _, v := range t {
		if v.kind != pyVariable {
			all = join(all, pyType{v})
			continue
		}
		for _, l := range pyLimit(r, v.class) {
			if v.self != nil {
				l.kind = pyClass
			}
			all = join(all, pyType{l})
		}
	}
	return all
}

// pyOf is the type of what a symbol stands for.
func pyOf(r *resolve.Resolver, y *resolve.Symbol) pyType {
	if y.Done {
		t, _ := y.Inferred.(pyType)
		return t
	}
	if y.Busy || !r.Step() || r.Depth > resolve.MostDepth {
		return nil
	}
	y.Busy = true
	r.Depth++
	t := pyDeclared(r, y)
	r.Depth--
	y.Busy = false
	if r.Steps <= resolve.MostSteps {
		y.Inferred, y.Done = t, true
	}
	return t
}

func pyDeclared(r *resolve.Resolver, y *resolve.Symbol) pyType {
	if len(y.Decls) == 0 { // a file
		return pyType{{kind: pyFile, module: &pyModule{y.Unit, moduleStem(y.Unit.Path)}}}
	}
	for _, d := range y.Decls { // what is annotated is that
		if a := annotationOf(y.Unit, d); a >= 0 {
			if t := pyAnnotation(r, y.Unit, a); len(t) > 0 && lastName(y.Unit, y.Unit.First(a)) != "TypeAlias" && lastName(y.Unit, y.Unit.First(a)) != "Final" {
				return t
			}
		}
	}
	var t pyType
	for _, d := range y.Decls {
		t = join(t, pyDecl(r, y, d))
	}
	return t
}

func moduleStem(file string) string {
	stem := file[:strings.LastIndexByte(file, '.')]
	return strings.TrimSuffix(stem, "/__init__")
}

// annotationOf returns the type that a declaration is given, or -1.
func annotationOf(u *resolve.Unit, d resolve.Decl) int32 {
	switch u.Kind(d.Node) {
	case "assignment", "typed_parameter", "typed_default_parameter":
		if u.Kind(d.Node) == "typed_parameter" && u.Kind(u.First(d.Node)) != "identifier" {
			return -1 // *args: int
		}
		return u.Child(d.Node, "type")
	}
	return -1
}

// pyDecl infers one declaration.
func pyDecl(r *resolve.Resolver, y *resolve.Symbol, d resolve.Decl) pyType {
	u := y.Unit
	switch u.Kind(d.Node) {
	case "class_definition":
		if y.Inner == nil || y.Inner.Node != d.Node {
			return nil
		}
		return pyType{{kind: pyClass, class: y}}
	case "function_definition":
		return pyFunctionDecl(r, u, d.Node)
	case "aliased_import", "dotted_name":
		if to := pyImportedSymbol(r, u, d.Node, y.Name); to != nil {
			return pyOf(r, to)
		}
		return outside
	case "assignment":
		return pyPart(r, u, u.Child(d.Node, "left"), d.Name, pyExpr(r, u, u.Child(d.Node, "right")), u.Child(d.Node, "right"))
	case "named_expression":
		return pyExpr(r, u, u.Child(d.Node, "value"))
	case "for_statement", "for_in_clause":
		return pyPart(r, u, u.Child(d.Node, "left"), d.Name, pyElement(r, pyExpr(r, u, u.Child(d.Node, "right"))), -1)
	case "as_pattern":
		return pyAs(r, u, d.Node)
	case "case_pattern":
		return nil
	case "type_alias_statement":
		return nil
	}
	return pyParameter(r, u, d)
}

// pyFunctionDecl is the type of a function as its decorators leave it.
func pyFunctionDecl(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	f := pyType{{kind: pyFunction, unit: u, node: n}}
	list := decorators(u, n)
	for i := len(list) - 1; i >= 0; i-- {
		switch lastName(u, list[i]) {
		case "property", "cached_property", "setter", "getter", "staticmethod", "classmethod", "overload", "abstractmethod", "wraps", "override", "final":
			continue
		case "contextmanager", "asynccontextmanager":
			f[0].yields = true
			continue
		}
		if t := pyCall(r, u, pyExpr(r, u, list[i]), []pyType{f}, -1); len(t) > 0 && t[0].kind != pyOutside && t[0].kind != pyVariable {
			f = t
			if f[0].kind != pyFunction {
				return f
			}
		}
	}
	return f
}

// pyAs is the type of what follows as: in with, in except, in match.
func pyAs(r *resolve.Resolver, u *resolve.Unit, n int32) pyType {
	value := u.First(n)
	t := pyExpr(r, u, value)
	switch {
	case u.Around(n, "with_item", "except_clause", "case_pattern") < 0:
		return t
	case u.Kind(u.Around(n, "with_item", "except_clause", "case_pattern")) == "with_item":
		var all pyType
		for _, v := range t {
			if v.name == "ContextManager" && len(v.args) > 0 {
				all = join(all, v.args[0])
				continue
			}
			if m, ok, _ := pyMemberOf(r, v, "__enter__"); ok && v.kind == pyInstance {
				all = join(all, pyReturned(r, pyBound(r, m, v), nil, nil, -1))
			} else if m, ok, _ := pyMemberOf(r, v, "__aenter__"); ok && v.kind == pyInstance {
				all = join(all, pyReturned(r, pyBound(r, m, v), nil, nil, -1))
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
func pyPart(r *resolve.Resolver, u *resolve.Unit, pattern, name int32, t pyType, value int32) pyType {
	switch k := u.Kind(pattern); k {
	case "identifier", "attribute", "":
		return t
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list":
		for i, c := range u.List(pattern) {
			if !u.Within(name, c) {
				continue
			}
			if u.Kind(c) == "list_splat_pattern" {
				return builtin("list", pyElement(r, t))
			}
			if vk := u.Kind(value); vk == "tuple" || vk == "expression_list" {
				if parts := u.List(value); i < len(parts) {
					return pyPart(r, u, c, name, pyExpr(r, u, parts[i]), parts[i])
				}
			}
			var part pyType
			for _, v := range t {
				if v.name == "tuple" && i < len(v.args) {
					part = join(part, v.args[i])
				} else {
					part = join(part, pyElement(r, pyType{v}))
				}
			}
			return pyPart(r, u, c, name, part, -1)
		}
	}
	return nil
}

// pyParameter infers a parameter that has no annotation: self, what the same
// method of a base says, or what the default is.
func pyParameter(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl) pyType {
	list := u.Parent(d.Node)
	function := u.Parent(list)
	if u.Kind(function) == "function_definition" {
		if class := methodOf(u, function); class != nil {
			if firstParameter(u, function) == d.Name && !decorated(u, function, "staticmethod") {
				kind := pyInstance
				if decorated(u, function, "classmethod") || u.Text(u.Child(function, "name")) == "__new__" {
					kind = pyClass
				}
				return pyType{{kind: kind, class: class}}
			}
			if m, ok, _ := pyMemberOf(r, pyValue{class: class, above: true}, u.Text(u.Child(function, "name"))); ok {
				for _, o := range m.symbol.Decls {
					p := parameterNamed(r, m.symbol.Unit, o.Node, u.Text(d.Name))
					if p != nil && annotationOf(m.symbol.Unit, p.Decls[0]) >= 0 {
						return pyOf(r, p)
					}
				}
			}
		}
	}
	switch u.Kind(d.Node) {
	case "default_parameter":
		if value := u.Child(d.Node, "value"); u.Kind(value) != "none" {
			return pyExpr(r, u, value)
		}
	case "list_splat_pattern":
		return builtin("tuple")
	case "dictionary_splat_pattern":
		return builtin("dict")
	case "typed_parameter":
		if k := u.Kind(u.First(d.Node)); k == "list_splat_pattern" {
			return builtin("list", pyAnnotation(r, u, u.Child(d.Node, "type")))
		} else if k == "dictionary_splat_pattern" {
			return builtin("dict", builtin("str"), pyAnnotation(r, u, u.Child(d.Node, "type")))
		}
	}
	return nil
}

// methodOf returns the class that a function is a method of, or nil.
func methodOf(u *resolve.Unit, function int32) *resolve.Symbol {
	p := u.Parent(function)
	if u.Kind(p) == "decorated_definition" {
		p = u.Parent(p)
	}
	if s := u.Scopes[u.Parent(p)]; u.Kind(p) == "block" && s != nil && s.Kind == resolve.ClassScope {
		return s.Class
	}
	return nil
}

// parameterNamed returns the parameter of a function that goes by a name.
func parameterNamed(r *resolve.Resolver, u *resolve.Unit, function int32, name string) *resolve.Symbol {
	if s := u.Scopes[function]; s != nil && u.Kind(function) == "function_definition" {
		if y := s.Names[name]; y != nil && u.Within(y.Decls[0].Name, u.Child(function, "parameters")) {
			return y
		}
	}
	return nil
}
