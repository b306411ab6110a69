package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A valueKind says what a value is.
type valueKind int

const (
	kindInstance  valueKind = iota // of a class of the project
	kindFunctions                  // declarations of functions
	kindCallable                   // a pointer to a function, a lambda
	kindOutside                    // of a type that is built in or of the standard library
	kindParameter                  // of a type that a template is given
)

// A value is one thing that an expression may be. A name of a type is a value of it.
type value struct {
	kind     valueKind
	path     string          // of the class
	unit     *resolve.Unit   // that names the class
	name     string          // of an outside type
	args     []union         // of a template
	result   union           // of calling it
	decls    []*decl         // of functions
	through  union           // the object whose methods they are
	param    *resolve.Symbol // of a template
	pointers int             // how often it must be dereferenced
	constant bool
	perhaps  bool  // a member was found in it, and may be meant in a specialization instead
	best     *decl // that member
}

type union = resolve.Union[value]

// Same reports whether another one says nothing that this one does not.
func (v value) Same(o value) bool {
	return v.kind == o.kind && v.path == o.path && v.name == o.name && v.param == o.param && v.pointers == o.pointers &&
		len(v.args) == len(o.args) && slices.Equal(v.decls, o.decls)
}

func outsideType(name string, args ...union) union {
	return union{{kind: kindOutside, name: name, args: args}}
}

// pointed changes how often values must be dereferenced.
func pointed(t union, by int) union {
	if by == 0 {
		return t
	}
	all := slices.Clone(t)
	for i := range all {
		all[i].pointers = max(0, all[i].pointers+by)
	}
	return all
}

// constantly makes values constant.
func constantly(t union) union {
	all := slices.Clone(t)
	for i := range all {
		all[i].constant = true
	}
	return all
}

// typeAt reads a type. A type that depends on itself is unknown where it does.
func typeAt(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	return memoryOf(u).written.Once(r, u, n, readType)
}

func readType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	switch k := u.Kind(n); k {
	case "primitive_type", "sized_type_specifier":
		return outsideType(u.Text(n))
	case "type_identifier", "identifier", "qualified_identifier", "template_type", "dependent_type", "dependent_name",
		"template_function":
		return nameType(r, u, n)
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier":
		if d := tableOf(u).types[n]; d != nil {
			return union{{path: d.inner, unit: u}}
		}
		name := u.Child(n, "name")
		if name >= 0 && u.Kind(name) != "type_identifier" {
			return nameType(r, u, name)
		}
		if name >= 0 {
			return tagType(r, u, n, u.Text(name))
		}
	case "type_descriptor":
		t := typeAt(r, u, u.Child(n, "type"))
		if u.First(n, "type_qualifier") >= 0 {
			t = constantly(t)
		}
		by := 0
		for i := u.Child(n, "declarator"); i >= 0 && i < u.Nodes[n].Next; i++ {
			switch u.Kind(i) {
			case "abstract_pointer_declarator", "abstract_array_declarator":
				by++
			case "abstract_function_declarator":
				return union{{kind: kindCallable, result: t}}
			}
		}
		return pointed(t, by)
	case "decltype":
		return typeOf(r, u, u.First(n))
	}
	return nil
}

// tagType is what struct x means.
func tagType(r *resolve.Resolver, u *resolve.Unit, n int32, name string) union {
	f := lookUp(r, u, n, name, tags)
	if f.local != nil {
		return typeOfLocal(r, f.local)
	}
	for _, d := range f.decls {
		if d.kind == kindType {
			return union{{path: d.inner, unit: u}}
		}
	}
	return union{{path: name, unit: u}}
}

// nameType is the type that a name names.
func nameType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	f := qualified(r, u, n)
	leaf := nameOf(u, n)
	if f.local != nil {
		return typeOfLocal(r, f.local)
	}
	var args []union
	if p := u.Parent(leaf); u.Kind(p) == "template_type" || u.Kind(p) == "template_function" {
		args = templateArguments(r, u, p)
	}
	if f.outside {
		return outsideType(u.Text(leaf), args...)
	}
	var t union
	for _, d := range typesOf(f.decls) {
		t = t.Join(namedType(r, u, d))
	}
	if len(f.decls) == 0 {
		t = macroType(r, u, u.Text(leaf))
	}
	if args != nil {
		t = slices.Clone(t)
		for i := range t {
			t[i].args = args
			t[i] = specialized(r, t[i])
		}
	}
	return substituted(t, f.through, r)
}

// macroType is the type that a macro of one word stands for.
func macroType(r *resolve.Resolver, u *resolve.Unit, name string) (t union) {
	if !r.Enter() {
		return nil
	}
	defer r.Leave()
	for _, d := range macros(r, u, name) {
		body := strings.TrimSpace(withoutComments(d.unit.Text(d.unit.Child(d.node, "value"))))
		switch {
		case body == "" || body == name || resolve.LeadingName(body) != body:
		case isNumber(body):
			t = t.Join(outsideType(body))
		default:
			for _, o := range typesOf(find(r, u, "", body)) {
				t = t.Join(namedType(r, u, o))
			}
		}
	}
	return t
}

// typesOf returns the declarations of types: the aliases, where there are some.
func typesOf(list []*decl) []*decl {
	for _, k := range []kind{kindAlias, kindType} {
		var all []*decl
		for _, d := range list {
			if d.kind == k {
				all = append(all, d)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// namedType is the type that a declaration names.
func namedType(r *resolve.Resolver, u *resolve.Unit, d *decl) union {
	if d.kind == kindType {
		return union{{path: d.inner, unit: u}}
	}
	if d.kind == kindAlias {
		return typeOfDecl(r, d)
	}
	return nil
}

// templateArguments are the types that a template is given.
func templateArguments(r *resolve.Resolver, u *resolve.Unit, n int32) []union {
	all := []union{}
	for c := range u.Children(u.Child(n, "arguments")) {
		switch u.Kind(c) {
		case "true", "false", "number_literal", "char_literal":
			all = append(all, outsideType(u.Text(c)))
		default:
			all = append(all, typeAt(r, u, c))
		}
	}
	return all
}

// typeOfDecl is the type of what a declaration declares.
func typeOfDecl(r *resolve.Resolver, d *decl) union {
	u := d.unit
	switch d.kind {
	case kindType:
		return union{{path: d.inner, unit: u}}
	case kindFunction:
		return union{{kind: kindFunctions, decls: []*decl{d}}}
	case kindAlias, kindVariable:
		return typeDeclared(r, u, d.node, d.name)
	}
	return nil
}

// typeOfLocal is the type of a parameter, a local or a template's parameter.
func typeOfLocal(r *resolve.Resolver, y *resolve.Symbol) union {
	u := y.Unit
	if d := tableOf(u).locals[y]; d != nil {
		return typeOfDecl(r, d)
	}
	var t union
	for _, d := range y.Decls {
		if strings.HasSuffix(u.Kind(d.Node), "type_parameter_declaration") {
			return union{{kind: kindParameter, param: y}}
		}
		t = t.Join(typeDeclared(r, u, d.Node, d.Name))
	}
	return t
}

// typeDeclared is the type that a declaration gives one of its names.
func typeDeclared(r *resolve.Resolver, u *resolve.Unit, n, name int32) union {
	return memoryOf(u).types.Once(r, u, name, func(r *resolve.Resolver, u *resolve.Unit, name int32) union {
		return inferDeclared(r, u, n, name)
	})
}

func inferDeclared(r *resolve.Resolver, u *resolve.Unit, n, name int32) union {
	switch u.Kind(n) {
	case "enumerator":
		if d := tableOf(u).types[u.Around(n, "enum_specifier")]; d != nil {
			return union{{path: d.inner, unit: u}}
		}
		return nil
	case "lambda_capture_initializer":
		return typeOf(r, u, u.Child(n, "right"))
	case "alias_declaration":
		return typeAt(r, u, u.Child(n, "type"))
	}
	written := u.Child(n, "type")
	t := typeAt(r, u, written)
	if u.Kind(written) == "placeholder_type_specifier" || u.Text(written) == "auto" || u.Text(written) == "__auto_type" {
		return autoType(r, u, n, name)
	}
	if hasWord(u, n, "const") {
		t = constantly(t)
	}
	return declared(u, t, n, name)
}

// declared applies the declarators around a name to the type before them.
func declared(u *resolve.Unit, t union, n, name int32) union {
	var chain []string
	for at := u.Parent(name); at > n; at = u.Parent(at) {
		chain = append(chain, u.Kind(at))
	}
	by := 0
	for i := len(chain) - 1; i >= 0; i-- {
		switch chain[i] {
		case "pointer_declarator", "array_declarator":
			by++
		case "function_declarator":
			if i == 0 && declaresFunction(u, n, name) {
				continue // arguments that look like parameters
			}
			t, by = union{{kind: kindCallable, result: pointed(t, by)}}, 0
			return t
		}
	}
	return pointed(t, by)
}

// autoType infers what auto stands for.
func autoType(r *resolve.Resolver, u *resolve.Unit, n, name int32) union {
	for at := u.Parent(name); at > n; at = u.Parent(at) {
		switch u.Kind(at) {
		case "structured_binding_declarator":
			return nil
		case "init_declarator":
			return typeOf(r, u, u.Child(at, "value"))
		}
	}
	if u.Kind(n) == "for_range_loop" {
		return elementOf(r, u, typeOf(r, u, u.Child(n, "right")))
	}
	if v := u.Child(n, "value"); v >= 0 {
		return typeOf(r, u, v)
	}
	return typeOf(r, u, u.Child(n, "default_value"))
}

// returned is what calling a function gives.
func returned(r *resolve.Resolver, d *decl) union {
	u := d.unit
	if !r.Enter() {
		return nil
	}
	defer r.Leave()
	written := u.Child(d.node, "type")
	if written < 0 && isMember(r, d) { // a constructor
		return union{{path: ownerPath(r, d), unit: u}}
	}
	f := functionDeclarator(u, firstDeclarator(u, d))
	if k := u.Kind(written); k == "placeholder_type_specifier" || k == "auto" {
		if trailing := u.First(f, "trailing_return_type"); trailing >= 0 {
			return typeAt(r, u, u.First(trailing))
		}
		return nil
	}
	t := typeAt(r, u, written)
	by := 0
	for at := u.Parent(f); at > d.node; at = u.Parent(at) {
		if u.Kind(at) == "pointer_declarator" {
			by++
		}
	}
	if hasWord(u, d.node, "const") {
		t = constantly(t)
	}
	return pointed(t, by)
}

// firstDeclarator returns the declarator that holds the name of a declaration.
func firstDeclarator(u *resolve.Unit, d *decl) int32 {
	for c := d.node + 1; c < u.Nodes[d.node].Next; c = u.Nodes[c].Next {
		if u.Field(c) == "declarator" && u.Within(d.name, c) {
			return c
		}
	}
	return -1
}

// bases returns what a class is derived from. Its own type arguments are put in.
func bases(r *resolve.Resolver, from *resolve.Unit, v value) (all union) {
	m := memoryOf(from)
	for _, d := range definitions(r, from, v) {
		u := d.unit
		if m.deriving[d] || !r.Enter() {
			continue
		}
		m.deriving[d] = true
		for c := range u.Children(u.First(d.node, "base_class_clause")) {
			if k := u.Kind(c); k == "access_specifier" || k == "virtual" {
				continue
			}
			t := typeAt(r, u, c)
			if len(t) == 0 {
				t = union{{kind: kindOutside, name: "?"}}
			}
			all = all.Join(substituted(t, union{v}, r))
		}
		delete(m.deriving, d)
		r.Leave()
	}
	return all
}

// definitions returns where the body of a class is, as a file or the one that
// named the class sees it.
func definitions(r *resolve.Resolver, from *resolve.Unit, v value) []*decl {
	for _, u := range []*resolve.Unit{from, v.unit} {
		var all []*decl
		if u == nil {
			continue
		}
		for _, t := range seenFrom(r, u) {
			all = append(all, t.inner[v.path]...)
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// members finds a member of a class or its bases, the nearest.
func members(r *resolve.Resolver, from *resolve.Unit, v value, name string) (all []*decl, through union) {
	seen := map[string]bool{}
	todo := []value{v}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.kind != kindInstance || c.path == "" || seen[c.path] || !r.Step() {
			continue
		}
		seen[c.path] = true
		all := ownMember(r, from, c, name)
		c.best = resolve.At(all, 0)
		for _, d := range possibleSpecializations(r, from, c) {
			more := find(r, d.unit, d.inner, name)
			c.perhaps = c.perhaps || len(more) > 0
			all = append(all, more...)
		}
		if len(all) > 0 {
			return all, union{c}
		}
		todo = append(todo, bases(r, from, c)...)
	}
	return nil, nil
}

// ownMember finds a member of a class itself. The name of the class is one.
func ownMember(r *resolve.Resolver, from *resolve.Unit, v value, name string) []*decl {
	if last := lastPart(v.path); name == plainName(last) {
		return classes(find(r, from, outerPath(v.path), last))
	}
	all := find(r, from, v.path, name)
	if len(all) == 0 && v.unit != nil && v.unit != from {
		all = find(r, v.unit, v.path, name)
	}
	return all
}

func classes(list []*decl) (all []*decl) {
	for _, d := range list {
		if d.kind == kindType {
			all = append(all, d)
		}
	}
	return all
}

// substituted puts what classes are given in the place of the parameters of their
// templates.
func substituted(t, through union, r *resolve.Resolver) union { return substitutedIn(t, through, r, 0) }

// maxNested bounds how deep arguments of templates are looked into.
const maxNested = 4

func substitutedIn(t, through union, r *resolve.Resolver, nested int) union {
	hangs := func(v value) bool { return v.kind == kindParameter || len(v.args) > 0 || v.kind == kindCallable }
	if len(through) == 0 || nested > maxNested || !slices.ContainsFunc(t, hangs) {
		return t
	}
	return t.Each(func(v value) union {
		if !r.Step() {
			return union{v}
		}
		if v.kind == kindParameter {
			for _, c := range through {
				if i := parameterIndex(v.param, c); i >= 0 && len(resolve.At(c.args, i)) > 0 {
					return pointed(c.args[i], v.pointers)
				}
			}
			return union{v}
		}
		v.result = substitutedIn(v.result, through, r, nested+1)
		args := slices.Clone(v.args)
		for i := range args {
			args[i] = substitutedIn(args[i], through, r, nested+1)
		}
		v.args = args
		return union{specialized(r, v)}
	})
}

// parameterIndex returns which parameter of a class's template a symbol is, or -1.
func parameterIndex(y *resolve.Symbol, v value) int {
	u := y.Unit
	if y.Scope == nil || len(y.Decls) == 0 || len(v.args) == 0 {
		return -1
	}
	list := u.Child(y.Scope.Node, "parameters")
	i := 0
	for c := range u.Children(list) {
		if u.Within(y.Decls[0].Name, c) {
			return i
		}
		i++
	}
	return -1
}
