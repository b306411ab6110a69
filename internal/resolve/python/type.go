package python

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A union is what a value may be.
type union = resolve.Union[value]

// A valueKind says what a value is.
type valueKind int

const (
	kindInstance valueKind = iota // of a class of the project, or of a built-in one by name
	kindClass                     // a class itself
	kindFunction                  // a function, bound to self if that is set
	kindModule                    // a module
	kindOutside                   // something of a library
	kindVariable                  // a type variable
	kindAnything                  // what is not known, beside what is
)

// A value is one thing that a value may be.
type value struct {
	kind   valueKind
	class  *resolve.Symbol // of the project; nil for a built-in one
	name   string          // of a built-in class
	args   []union
	unit   *resolve.Unit // of a function
	node   int32
	self   *value
	module *module
	above  bool // super(): look in the bases alone
	yields bool // what a function returns is what it yields: async, or a context manager
	given  given
	own    bool // of a module of the library that hands on nothing it was given
}

func builtin(name string, args ...union) union {
	return union{{kind: kindInstance, name: name, args: args}}
}

var outside = union{{kind: kindOutside}}

// either is [resolve.Either] with this language's anything.
func either(a, b union) union { return resolve.Either(a, b, value{kind: kindAnything}) }

// A given says how something of a library was come by.
type given int

const (
	named  given = iota // by its name: it is the library's
	made                // an instance of a class of the library, or what a built-in function gives
	handed              // by what the library does: it may have taken it from the project
)

// handedOn is what something of a library, or a part of it, gives: a module of which all
// functions give nothing but their own does so to the end.
func handedOn(v value) union {
	if !v.own {
		v.given = handed
	}
	return union{v}
}

// ownModules are modules of the standard library that hand on nothing they were given.
var ownModules = strings.Fields("abc argparse ast base64 binascii calendar cmath codecs colorsys configparser csv datetime decimal difflib " +
	"dis email errno fnmatch fractions getopt getpass gettext glob gzip hashlib hmac html http io ipaddress json keyword locale " +
	"logging lzma math mimetypes numbers os pathlib platform posixpath pprint re readline resource secrets shlex shutil signal " +
	"smtplib socket ssl stat statistics string struct subprocess sys sysconfig tarfile tempfile textwrap time timeit token " +
	"tokenize traceback unicodedata urllib uuid warnings webbrowser xml zipfile zlib zoneinfo")

// imported is something of a library that an import names.
func imported(u *resolve.Unit, n int32) union {
	module := n
	if from := u.Around(n, "import_from_statement"); from >= 0 {
		module = u.Child(from, "module_name")
	} else if name := u.Child(n, "name"); name >= 0 {
		module = name
	}
	first, _, _ := strings.Cut(u.Text(module), ".")
	return union{{kind: kindOutside, own: slices.Contains(ownModules, first)}}
}

// Same compares two things, and their arguments one level deep.
func (v value) Same(o value) bool {
	if v.kind != o.kind || v.class != o.class || v.name != o.name || v.unit != o.unit || v.node != o.node ||
		v.above != o.above || v.given != o.given || len(v.args) != len(o.args) {
		return false
	}
	for i := range v.args {
		if len(v.args[i]) != len(o.args[i]) {
			return false
		}
		for j := range v.args[i] {
			if v.args[i][j].kind != o.args[i][j].kind || v.args[i][j].class != o.args[i][j].class ||
				v.args[i][j].name != o.args[i][j].name {
				return false
			}
		}
	}
	return v.module == nil && o.module == nil || v.module != nil && o.module != nil && v.module.stem == o.module.stem
}

// basesOf returns what a class is derived from, in order.
func basesOf(r *resolve.Resolver, class *resolve.Symbol) union {
	u, n := class.Unit, classNode(class)
	var all union
	for c := range u.Children(u.Child(n, "superclasses")) {
		if u.Kind(c) == "keyword_argument" {
			continue
		}
		base := c
		var args []union
		if u.Kind(c) == "subscript" || u.Kind(c) == "generic_type" {
			base, args = genericParts(r, u, c)
		}
		t := typeOf(r, u, base)
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

// A member is a member as it is seen through a class: the type arguments
// are those of the base that has it.
type member struct {
	symbol *resolve.Symbol
	owner  value
}

// findMember finds a member of a class or its bases, the nearest one. whole is
// false if a base is of a library.
func findMember(r *resolve.Resolver, v value, name string) (m member, found, whole bool) {
	whole = true
	seen := map[*resolve.Symbol]bool{}
	todo := []value{v}
	skip := v.above
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.kind == kindOutside {
			whole = false
		}
		if c.class == nil || seen[c.class] || !r.Step() {
			continue
		}
		seen[c.class] = true
		if c.class.Inner != nil && !skip {
			if y := c.class.Inner.Names[name]; y != nil {
				return member{y, c}, true, true
			}
		}
		skip = false
		bases := basesOf(r, c.class)
		for i := range bases {
			bases[i].args = applyToAll(r, bases[i].args, c)
		}
		todo = append(todo, bases...)
	}
	return member{}, false, whole
}

// membersOf finds a member of everything a value may be. known is false if
// it may be anything, or some of it is unknown and nothing was found.
func membersOf(r *resolve.Resolver, t union, name string) (all []member, known bool) {
	t = concrete(r, t)
	known = len(t) > 0
	open := false
	for _, v := range t {
		switch v.kind {
		case kindInstance, kindClass:
			if v.class == nil {
				continue
			}
			m, ok, _ := findMember(r, v, name)
			if ok {
				all = append(all, m)
			} else {
				known = false
			}
		case kindModule:
			if y := exported(r, v.module, name); y != nil {
				all = append(all, member{symbol: y})
			}
		case kindFunction:
			known = known && !remade(r, v)
		case kindOutside:
			known = known && v.given != handed
		case kindAnything:
			open = true
		}
	}
	return all, !open && (known || len(all) > 0)
}

// concrete puts what is known of type variables in their place.
func concrete(r *resolve.Resolver, t union) union {
	if !slices.ContainsFunc(t, func(v value) bool { return v.kind == kindVariable }) {
		return t
	}
	return t.Each(func(v value) union {
		if v.kind != kindVariable {
			return union{v}
		}
		return upperBound(r, v.class).Each(func(l value) union {
			if v.self != nil {
				l.kind = kindClass
			}
			return union{l}
		})
	})
}

// typeOfSymbol is the type of what a symbol stands for.
func typeOfSymbol(r *resolve.Resolver, y *resolve.Symbol) union {
	return resolve.TypeOf(r, y, inferSymbol)
}

func inferSymbol(r *resolve.Resolver, y *resolve.Symbol) union {
	if len(y.Decls) == 0 { // a file
		return union{{kind: kindModule, module: &module{y.Unit, moduleStem(y.Unit.Path)}}}
	}
	for _, d := range y.Decls { // what is annotated is that
		if a := annotationOf(y.Unit, d); a >= 0 {
			if t := annotationType(r, y.Unit, a); len(t) > 0 && lastName(y.Unit, y.Unit.First(a)) != "TypeAlias" && lastName(y.Unit, y.Unit.First(a)) != "Final" {
				return t
			}
		}
	}
	return ofDecls(r, y, y.Decls)
}

// ofDecls is what some declarations give a name, of which an assignment may give it anything.
func ofDecls(r *resolve.Resolver, y *resolve.Symbol, decls []resolve.Decl) (t union) {
	u, open := y.Unit, false
	for _, d := range decls {
		more := typeOfDecl(r, y, d)
		t = t.Join(more)
		right, before := u.Child(d.Node, "right"), ""
		if u.Kind(u.Child(d.Node, "left")) == "attribute" {
			before = "."
		}
		open = open || len(more) == 0 && u.Kind(d.Node) == "assignment" && right >= 0 && u.Kind(right) != "none" &&
			!resolve.ContainsName(u.Text(right), y.Name, before, "") // else it depends on itself
	}
	if open {
		return either(t, nil)
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

// typeOfDecl infers one declaration.
func typeOfDecl(r *resolve.Resolver, y *resolve.Symbol, d resolve.Decl) union {
	u := y.Unit
	switch u.Kind(d.Node) {
	case "class_definition":
		if y.Inner == nil || y.Inner.Node != d.Node {
			return nil
		}
		return union{{kind: kindClass, class: y}}
	case "function_definition":
		return functionType(r, u, d.Node)
	case "aliased_import", "dotted_name":
		if to := importedSymbol(r, u, d.Node, y.Name); to != nil {
			return typeOfSymbol(r, to)
		}
		return imported(u, d.Node)
	case "assignment":
		right := typeOf(r, u, u.Child(d.Node, "right"))
		if y.Scope != nil && y.Scope.Kind == resolve.ClassScope && u.Scopes[u.Around(d.Node, "class_definition", "function_definition")] == y.Scope {
			right = throughDescriptors(right)
		}
		return partOf(r, u, u.Child(d.Node, "left"), d.Name, right, u.Child(d.Node, "right"))
	case "named_expression":
		return typeOf(r, u, u.Child(d.Node, "value"))
	case "for_statement", "for_in_clause":
		return partOf(r, u, u.Child(d.Node, "left"), d.Name, elementOf(r, typeOf(r, u, u.Child(d.Node, "right"))), -1)
	case "as_pattern":
		return asType(r, u, d.Node)
	case "keyword_pattern":
		return patternMember(r, u, d.Node)
	case "case_pattern", "type_alias_statement", "type_parameter":
		return nil
	}
	return parameterType(r, u, d)
}

// throughDescriptors is what an attribute gives that a class is given as an instance of a
// class of a library: that may be a descriptor, such as a column or a relationship, which
// gives something else.
func throughDescriptors(t union) union {
	return t.Each(func(v value) union {
		if v.kind == kindOutside && v.given == made {
			return handedOn(v)
		}
		return union{v}
	})
}

// Decorators that leave a function what it is, or make a property of it, and those that
// make a context manager.
var (
	keepers = []string{"property", "cached_property", "abstractproperty", "setter", "getter", "deleter", "staticmethod",
		"classmethod", "overload", "abstractmethod", "wraps", "override", "final"}
	entering = []string{"contextmanager", "asynccontextmanager"}
)

// remade reports whether a function is decorated by something unknown, which may have
// made anything of it.
func remade(r *resolve.Resolver, f value) bool {
	return slices.ContainsFunc(decorators(f.unit, f.node), func(d int32) bool {
		name := lastName(f.unit, d)
		if slices.Contains(keepers, name) || slices.Contains(entering, name) {
			return false
		}
		t := callResult(r, f.unit, typeOf(r, f.unit, d), []union{{f}}, -1)
		return len(t) == 0 || t[0].kind == kindOutside || t[0].kind == kindVariable
	})
}

// functionType is the type of a function as its decorators leave it.
func functionType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	f := union{{kind: kindFunction, unit: u, node: n}}
	list := decorators(u, n)
	for i := len(list) - 1; i >= 0; i-- {
		switch name := lastName(u, list[i]); {
		case slices.Contains(keepers, name):
			continue
		case slices.Contains(entering, name):
			f[0].yields = true
			continue
		}
		if t := callResult(r, u, typeOf(r, u, list[i]), []union{f}, -1); len(t) > 0 && t[0].kind != kindOutside &&
			t[0].kind != kindVariable {
			f = t
			if f[0].kind != kindFunction {
				return f
			}
		}
	}
	return f
}

// asType is the type of what follows as: in with, in except, in match.
func asType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	t := typeOf(r, u, u.First(n))
	around := u.Around(n, "with_item", "except_clause", "case_pattern")
	switch u.Kind(around) {
	case "with_item":
		return t.Each(func(v value) union { return enteredType(r, v) })
	case "except_clause":
		return t.Each(caught)
	case "case_pattern":
		return patternType(r, u, u.First(n))
	}
	return t
}

// enteredType is what with gives of a context manager.
func enteredType(r *resolve.Resolver, v value) union {
	if v.name == "ContextManager" && len(v.args) > 0 {
		return v.args[0]
	}
	for _, method := range []string{"__enter__", "__aenter__"} {
		if m, ok, _ := findMember(r, v, method); ok && v.kind == kindInstance {
			return returned(r, boundMember(r, m, v), nil, nil, -1)
		}
	}
	switch {
	case v.kind == kindOutside:
		return union{v}
	case v.class == nil:
		return outside
	}
	return nil
}

// caught is what except catches of a class, or of a tuple of them: (A, B).
func caught(v value) union {
	switch {
	case v.kind == kindClass:
		return union{{kind: kindInstance, class: v.class}}
	case v.kind != kindInstance || v.name != "tuple":
		return union{v}
	}
	var all union
	for _, a := range v.args {
		all = all.Join(a.Each(func(c value) union {
			if c.kind != kindClass {
				return nil
			}
			return caught(c)
		}))
	}
	return all
}

// partOf is what one name of an assigned pattern gets of a value: of the expression
// given, or of anything of a type if that is -1.
func partOf(r *resolve.Resolver, u *resolve.Unit, pattern, name int32, t union, given int32) union {
	switch k := u.Kind(pattern); k {
	case "identifier", "attribute", "":
		return t
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list":
		for i, c := range u.List(pattern) {
			if !u.Within(name, c) {
				continue
			}
			if u.Kind(c) == "list_splat_pattern" {
				return builtin("list", elementOf(r, t))
			}
			if vk := u.Kind(given); vk == "tuple" || vk == "expression_list" {
				if parts := u.List(given); i < len(parts) {
					return partOf(r, u, c, name, typeOf(r, u, parts[i]), parts[i])
				}
			}
			part := t.Each(func(v value) union {
				if v.name == "tuple" && i < len(v.args) {
					return v.args[i]
				}
				return elementOf(r, union{v})
			})
			return partOf(r, u, c, name, part, -1)
		}
	}
	return nil
}

// parameterType infers a parameter that has no annotation: self, what the same
// method of a base says, what the fixture makes that it receives, or what the default is.
func parameterType(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl) union {
	function := u.Parent(u.Parent(d.Node))
	if class := methodOf(u, function); class != nil && u.Kind(function) == "function_definition" {
		if t, ok := methodParameterType(r, u, d, function, class); ok {
			return t
		}
	}
	switch u.Kind(d.Node) {
	case "identifier":
		if y := u.Owner[d.Name]; y != nil {
			return fixtureType(r, received(r, y))
		}
	case "default_parameter":
		if value := u.Child(d.Node, "value"); u.Kind(value) != "none" {
			return typeOf(r, u, value)
		}
	case "list_splat_pattern":
		return builtin("tuple")
	case "dictionary_splat_pattern":
		return builtin("dict")
	case "typed_parameter":
		switch u.Kind(u.First(d.Node)) {
		case "list_splat_pattern":
			return builtin("list", annotationType(r, u, u.Child(d.Node, "type")))
		case "dictionary_splat_pattern":
			return builtin("dict", builtin("str"), annotationType(r, u, u.Child(d.Node, "type")))
		}
	}
	return nil
}

// methodParameterType infers a parameter of a method: self, or what the same
// method of a base says. ok is false if that says nothing.
func methodParameterType(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl, function int32,
	class *resolve.Symbol) (t union, ok bool) {
	name := u.Text(u.Child(function, "name"))
	if firstParameter(u, function) == d.Name && !decorated(u, function, "staticmethod") {
		kind := kindInstance
		if decorated(u, function, "classmethod") || name == "__new__" {
			kind = kindClass
		}
		return union{{kind: kind, class: class}}, true
	}
	m, found, _ := findMember(r, value{class: class, above: true}, name)
	if !found {
		return nil, false
	}
	for _, o := range m.symbol.Decls {
		p := parameterNamed(m.symbol.Unit, o.Node, u.Text(d.Name))
		if p != nil && annotationOf(m.symbol.Unit, p.Decls[0]) >= 0 {
			return typeOfSymbol(r, p), true
		}
	}
	return nil, false
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
func parameterNamed(u *resolve.Unit, function int32, name string) *resolve.Symbol {
	if s := u.Scopes[function]; s != nil && u.Kind(function) == "function_definition" {
		if y := s.Names[name]; y != nil && u.Within(y.Decls[0].Name, u.Child(function, "parameters")) {
			return y
		}
	}
	return nil
}
