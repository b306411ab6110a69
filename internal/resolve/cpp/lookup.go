package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// isSource reports whether a file is one of C or C++, by its name.
func isSource(file string) bool {
	l := syntax.Detect(file, nil)
	return l == syntax.C || l == syntax.CPP
}

// find returns the declarations of a name in a namespace or a class that a file
// sees, those that using names included.
func find(r *resolve.Resolver, u *resolve.Unit, path, name string) []*decl {
	m := memoryOf(u)
	key := lookKey{u, scopedName{path, name}}
	if all, ok := m.looked[key]; ok {
		return all
	}
	var all []*decl
	for _, t := range seenFrom(r, u) {
		for _, d := range t.names[key.name] {
			if d.kind == kindUsing {
				all = append(all, broughtByUsing(r, d)...)
			} else if !slices.Contains(all, d) {
				all = append(all, d)
			}
		}
	}
	if r.Steps <= resolve.MostSteps {
		m.looked[key] = all
	}
	return all
}

// broughtByUsing returns what a using declaration brings in.
func broughtByUsing(r *resolve.Resolver, d *decl) []*decl {
	m := memoryOf(d.unit)
	if m.busy[d] || !r.Enter() {
		return nil
	}
	m.busy[d] = true
	defer func() { delete(m.busy, d); r.Leave() }()
	f := qualified(r, d.unit, d.spelled)
	return f.decls
}

// A finding is what a name was found to be: a local symbol, or declarations.
type finding struct {
	local   *resolve.Symbol
	decls   []*decl
	best    *decl // the likeliest of several functions
	open    bool  // all of several functions are meant until a template has its arguments
	named   bool  // by a declaration that means all functions of the name
	outside bool  // it is surely nothing of the project
	through union // the type that has the member
}

// specializationOnly reports whether members of specializations were found beside that of their
// template, which is the best guess if there is one.
func (f finding) specializationOnly() (is bool, best *decl) {
	for _, v := range f.through {
		if v.perhaps {
			if slices.Contains(f.decls, v.best) {
				best = v.best
			}
			return true, best
		}
	}
	return false, nil
}

// onObject is what was found on an object that is constant or not.
func (f finding) onObject(constant bool) finding {
	if constant {
		f.through = constantly(f.through)
	}
	return f
}

func (f finding) empty() bool { return f.local == nil && len(f.decls) == 0 }

// scopeAt returns the innermost scope around a node.
func scopeAt(u *resolve.Unit, n int32) *resolve.Scope {
	from := n
	for at := u.Parent(n); at >= 0; from, at = at, u.Parent(at) {
		if s := u.Scopes[at]; s != nil && u.Kind(from) != "base_class_clause" { // a class does not see itself in that
			return tableOf(u).regionAt(s, u.Nodes[n].Start)
		}
	}
	return tableOf(u).regionAt(u.Top, u.Nodes[n].Start)
}

// findUnqualified finds what an unqualified name means where a node is, macros left out.
func findUnqualified(r *resolve.Resolver, u *resolve.Unit, n int32, name string) finding {
	return lookUp(r, u, n, name, anything)
}

// A lookupKind is what a name is looked up as.
type lookupKind int

const (
	anything lookupKind = iota
	tags                // of locals types alone: struct a *a
	scopes              // what may come before ::, whatever else has the name
)

// accepts reports whether a local is what is sought.
func (as lookupKind) accepts(t *table, y *resolve.Symbol) bool {
	return as == anything || t.locals[y] != nil || as == scopes && t.template[y.Scope]
}

// filter leaves out what is not sought.
func (as lookupKind) filter(f finding) finding {
	if as == scopes {
		f.decls = slices.DeleteFunc(slices.Clone(f.decls), func(d *decl) bool { return d.kind == kindFunction || d.kind == kindVariable })
	}
	return f
}

// lookUp finds what an unqualified name means as what it is sought.
func lookUp(r *resolve.Resolver, u *resolve.Unit, n int32, name string, as lookupKind) finding {
	return lookUpFrom(r, u, scopeAt(u, n), name, as)
}

func lookUpFrom(r *resolve.Resolver, u *resolve.Unit, s *resolve.Scope, name string, as lookupKind) finding {
	t := tableOf(u)
	constant := false // the object of the method around
	for ; s != nil; s = s.Outer {
		if y := s.Names[name]; y != nil && as.accepts(t, y) {
			return finding{local: y}
		}
		switch s.Kind {
		case resolve.FunctionScope:
			d := t.owner[s]
			constant = d != nil && d.params.constant || d == nil && constant
			switch {
			case d == nil:
			case d.spelled >= 0:
				if f := spelledScope(r, d, name, as); !f.empty() {
					return f.onObject(constant)
				}
			default:
				if f := as.filter(fixtureScope(r, u, headOf(u, s, d), name)); !f.empty() {
					return f
				}
			}
		case resolve.BlockScope:
			if f := as.filter(fixtureScope(r, u, headOf(u, s, nil), name)); !f.empty() {
				return f
			}
		case resolve.ClassScope:
			if f := as.filter(inClass(r, u, t.paths[s], name)); !f.empty() {
				return f.onObject(constant)
			}
		case resolve.ModuleScope:
			if f := inNamespace(r, u, t.paths[s], name, as); !f.empty() {
				return f
			}
		}
	}
	return finding{}
}

// inNamespace looks a name up in a namespace, what it uses, and those around it.
func inNamespace(r *resolve.Resolver, u *resolve.Unit, path, name string, as lookupKind) finding {
	for {
		if f := as.filter(finding{decls: find(r, u, path, name)}); !f.empty() {
			return f
		}
		for _, used := range usedNamespaces(r, u, path) {
			if f := as.filter(finding{decls: find(r, u, used, name)}); !f.empty() {
				return f
			}
		}
		if path == "" {
			return finding{}
		}
		path = outerPath(path)
	}
}

// outerPath leaves the last part off.
func outerPath(path string) string {
	if i := strings.LastIndex(path, "::"); i >= 0 {
		return path[:i]
	}
	return ""
}

// lastPart is the last part.
func lastPart(path string) string {
	if i := strings.LastIndex(path, "::"); i >= 0 {
		return path[i+2:]
	}
	return path
}

// usedNamespaces lists the namespaces that a file makes visible in another as a whole, by
// "using namespace".
func usedNamespaces(r *resolve.Resolver, u *resolve.Unit, path string) (all []string) {
	for _, t := range seenFrom(r, u) {
		for _, n := range t.usings[path] {
			text := plainPath(t.unit.Text(n))
			for p := path; ; p = outerPath(p) {
				if full := join(p, text); isNamespace(r, u, full) {
					all = append(all, full)
					break
				}
				if p == "" {
					break
				}
			}
		}
	}
	return all
}

func isNamespace(r *resolve.Resolver, u *resolve.Unit, path string) bool {
	all := find(r, u, outerPath(path), lastPart(path))
	return slices.ContainsFunc(all, func(d *decl) bool { return d.kind == kindNamespace })
}

// inClass looks a name up in a class and its bases.
func inClass(r *resolve.Resolver, u *resolve.Unit, path, name string) finding {
	v := value{kind: kindInstance, path: path, unit: u}
	all, through := members(r, u, v, name)
	return finding{decls: all, through: through}
}

// spelledScope looks a name up where void A::f() defines a function: in A and in
// what is around it.
func spelledScope(r *resolve.Resolver, d *decl, name string, as lookupKind) finding {
	path := ownerPath(r, d)
	for p := path; p != ""; p = outerPath(p) {
		if isNamespace(r, d.unit, p) {
			return inNamespace(r, d.unit, p, name, as)
		}
		if f := as.filter(inClass(r, d.unit, p, name)); !f.empty() {
			return f
		}
	}
	return finding{}
}

// fixtureScope looks a name up in a test, TEST_F(A, b) {}, which is a method of a class that is
// derived from A. The head is a function to the grammar, or, with texts in it, a call before a
// block: TEST_CASE_METHOD(A, "b") {}.
func fixtureScope(r *resolve.Resolver, u *resolve.Unit, head int32, name string) finding {
	list := u.Child(head, "parameters")
	if u.Kind(head) == "call_expression" {
		list = u.Child(head, "arguments")
	}
	if u.Text(u.First(list)) == name {
		return finding{}
	}
	for c := range u.Children(list) {
		if u.Kind(c) == "parameter_declaration" {
			c = u.Child(c, "type")
		}
		switch u.Kind(c) {
		case "identifier", "type_identifier", "template_type", "qualified_identifier":
			for _, v := range typeAt(r, u, c) {
				if all, through := members(r, u, v, name); len(all) > 0 {
					return finding{decls: all, through: through}
				}
			}
		}
	}
	return finding{}
}

// headOf is the head of a test that a function, or a block outside of all functions, belongs to; -1 if there is none.
func headOf(u *resolve.Unit, s *resolve.Scope, d *decl) int32 {
	switch {
	case d != nil && isCapitals(d.text()) && u.Child(d.node, "type") < 0:
		return functionDeclarator(u, firstDeclarator(u, d))
	case d != nil || s.Outer == nil || s.Outer.Kind != resolve.ModuleScope || u.Kind(s.Node) != "compound_statement":
		return -1
	}
	before := s.Node - 1
	for p := u.Parent(s.Node); before >= 0 && u.Parent(before) != p; {
		before = u.Parent(before)
	}
	if call := u.First(before); u.Kind(call) == "call_expression" && isCapitals(u.Text(u.Child(call, "function"))) {
		return call
	}
	return -1
}

// ownerPath returns the path of the class or namespace whose member a declaration
// is.
func ownerPath(r *resolve.Resolver, d *decl) string {
	if d.spelled < 0 {
		return d.path
	}
	u := d.unit
	m := memoryOf(u)
	text := plainPath(u.Source[u.Nodes[d.spelled].Start:u.Nodes[d.name].Start])
	first, rest, deeper := strings.Cut(text, "::")
	if m.owning[d] {
		return join(d.path, text)
	}
	m.owning[d] = true
	defer delete(m.owning, d)
	for p := d.path; ; p = outerPath(p) {
		for _, base := range append([]string{p}, usedNamespaces(r, u, p)...) {
			for _, f := range find(r, u, base, first) {
				if inner := f.inner; inner != "" && (f.kind == kindType || f.kind == kindNamespace) {
					if deeper {
						inner = join(inner, rest)
					}
					return specialOwner(r, d, inner)
				}
			}
		}
		if p == "" {
			break
		}
	}
	return join(d.path, text)
}

// specialOwner returns the path of the specialization in which void Box<bool>::f() defines a
// member, else the path of the template.
func specialOwner(r *resolve.Resolver, d *decl, path string) string {
	u := d.unit
	scope := u.Child(d.spelled, "scope")
	for next := u.Child(d.spelled, "name"); u.Kind(next) == "qualified_identifier"; next = u.Child(next, "name") {
		scope = u.Child(next, "scope")
	}
	if u.Kind(scope) != "template_type" {
		return path
	}
	special := path + argumentsText(u.Text(u.Child(scope, "arguments")))
	if slices.ContainsFunc(specializations(r, u, path), func(o *decl) bool { return o.inner == special }) {
		return special
	}
	return path
}

// qualified finds what a::b names.
func qualified(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	switch u.Kind(n) {
	case "identifier", "namespace_identifier", "type_identifier", "field_identifier", "operator_name", "destructor_name":
		if p := u.Parent(n); u.Kind(p) == "qualified_identifier" && u.Field(n) == "name" {
			return findQualified(r, u, p, u.Text(n))
		}
		return findUnqualified(r, u, n, u.Text(n))
	case "template_type":
		return templateNamed(r, qualifiedPart(r, u, n))
	case "template_function", "template_method":
		return qualifiedPart(r, u, n)
	case "qualified_identifier":
		return qualified(r, u, u.Child(n, "name"))
	case "dependent_name", "dependent_type":
		return qualified(r, u, u.First(n))
	}
	return finding{}
}

// templateNamed puts the template in the place of a specialization that its own code names
// with arguments.
func templateNamed(r *resolve.Resolver, f finding) finding {
	for i, d := range f.decls {
		if d.kind == kindType && strings.HasSuffix(d.inner, ">") {
			if all := classes(find(r, d.unit, outerPath(d.inner), d.text())); len(all) > 0 {
				f.decls = slices.Concat(f.decls[:i], all, f.decls[i+1:])
				break
			}
		}
	}
	return f
}

// qualifiedPart finds what the name before template arguments names.
func qualifiedPart(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	if p := u.Parent(n); u.Kind(p) == "qualified_identifier" && u.Field(n) == "name" {
		return findQualified(r, u, p, u.Text(u.Child(n, "name")))
	}
	return qualified(r, u, u.Child(n, "name"))
}

// findQualified finds a name in what the scope of a qualified name names.
func findQualified(r *resolve.Resolver, u *resolve.Unit, n int32, name string) finding {
	if !r.Enter() {
		return finding{}
	}
	defer r.Leave()
	scope := u.Child(n, "scope")
	if scope < 0 { // ::a
		if outer := u.Parent(n); u.Kind(outer) == "qualified_identifier" && u.Field(n) == "name" {
			return findQualified(r, u, outer, name)
		}
		return finding{decls: find(r, u, "", name)}
	}
	paths, t, outside := scopeOf(r, u, n, scope)
	for _, p := range paths {
		if all := find(r, u, p, name); len(all) > 0 {
			return finding{decls: all}
		}
		for _, used := range usedNamespaces(r, u, p) {
			if all := find(r, u, used, name); len(all) > 0 {
				return finding{decls: all}
			}
		}
	}
	for _, v := range t {
		if all, through := members(r, u, v, name); len(all) > 0 {
			return finding{decls: all, through: through}
		}
	}
	return finding{outside: outside}
}

// scopeOf returns the namespaces and the classes that the scope of a qualified name
// may be. outside says that it is surely nothing of the project.
func scopeOf(r *resolve.Resolver, u *resolve.Unit, n, scope int32) (paths []string, t union, outside bool) {
	name := scope
	if k := u.Kind(scope); k == "template_type" {
		name = u.Child(scope, "name")
	} else if k == "dependent_name" || k == "dependent_type" {
		name = nameOf(u, scope)
	}
	var f finding
	if outer := u.Parent(n); u.Kind(outer) == "qualified_identifier" && u.Field(n) == "name" {
		f = findQualified(r, u, outer, u.Text(name))
	} else {
		f = lookUp(r, u, name, u.Text(name), scopes)
	}
	if u.Kind(scope) == "template_type" {
		f = templateNamed(r, f)
	}
	for _, d := range f.decls {
		switch d.kind {
		case kindNamespace:
			paths = append(paths, namespacePaths(r, d)...)
		case kindType, kindAlias:
			t = t.Join(namedType(r, u, d))
		}
	}
	if f.local != nil {
		t = typeOfLocal(r, f.local)
	}
	for i := range t {
		if u.Kind(scope) == "template_type" {
			t[i].args = templateArguments(r, u, scope)
			t[i] = specialized(r, t[i])
		}
	}
	return paths, t, f.outside || f.empty() && u.Text(name) == "std"
}

// namespacePaths returns the paths of the namespace that a declaration, or an
// alias, stands for.
func namespacePaths(r *resolve.Resolver, d *decl) []string {
	u := d.unit
	if u.Kind(d.node) != "namespace_alias_definition" {
		return []string{d.inner}
	}
	m := memoryOf(u)
	if m.busy[d] {
		return nil
	}
	m.busy[d] = true
	defer delete(m.busy, d)
	var all []string
	for c := range u.Children(d.node) {
		if c == d.name {
			continue
		}
		for at := c; at < u.Nodes[c].Next; at++ {
			if u.Kind(at) == "nested_namespace_specifier" || u.Kind(at) == "qualified_identifier" || u.Nodes[c].Next == c+1 {
				text := plainPath(u.Text(c))
				for p := d.path; ; p = outerPath(p) {
					if full := join(p, text); isNamespace(r, u, full) {
						return append(all, full)
					}
					if p == "" {
						return all
					}
				}
			}
		}
	}
	return all
}

// macros returns the macros of a name that a file sees.
func macros(r *resolve.Resolver, u *resolve.Unit, name string) []*decl {
	return seenOnce(r, u, scopedName{"#", name}, func(t *table) []*decl { return t.macros[name] })
}

// seenOnce collects declarations from the files that a file sees, and remembers them under
// a name.
func seenOnce(r *resolve.Resolver, u *resolve.Unit, name scopedName, of func(*table) []*decl) (all []*decl) {
	m := memoryOf(u)
	key := lookKey{u, name}
	if all, ok := m.looked[key]; ok {
		return all
	}
	for _, t := range seenFrom(r, u) {
		all = append(all, of(t)...)
	}
	if r.Steps <= resolve.MostSteps {
		m.looked[key] = all
	}
	return all
}

// Inherited finds what a class has of a name from its bases.
func (Language) Inherited(r *resolve.Resolver, y *resolve.Symbol, name string) []resolve.Spot {
	d := memoryOf(y.Unit).facts[y]
	if d == nil || d.kind != kindType || d.inner == "" {
		return nil
	}
	var all []resolve.Spot
	for _, m := range inClass(r, d.unit, d.inner, name).decls {
		if m.name >= 0 {
			all = append(all, resolve.Spot{Unit: m.unit, Node: m.name})
		}
	}
	return all
}
