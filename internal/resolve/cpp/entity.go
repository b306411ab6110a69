package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// symbolOf returns the thing that a declaration declares: one symbol for all of its
// declarations.
func symbolOf(r *resolve.Resolver, d *decl) *resolve.Symbol {
	if d.symbol != nil {
		return d.symbol
	}
	m := memoryOf(d.unit)
	if m.busy[d] || !r.Enter() {
		return &resolve.Symbol{Name: d.text(), Unit: d.unit}
	}
	m.busy[d] = true
	key := keyOf(r, d)
	delete(m.busy, d)
	r.Leave()
	y := m.things[key]
	if y == nil {
		y = &resolve.Symbol{Name: d.text(), Unit: d.unit, Scope: d.unit.Top}
		m.things[key] = y
	}
	if f := m.facts[y]; f == nil || better(d, f) {
		m.facts[y] = d
	}
	if r.Steps <= resolve.MostSteps {
		d.symbol = y
	}
	return y
}

// better reports whether a declaration says more of a thing than another: that of a
// method in its class, of a structure before the alias that repeats its tag.
func better(d, than *decl) bool {
	return than.spelled >= 0 && d.spelled < 0 || than.kind == kindAlias && d.kind == kindType
}

// keyOf writes what tells a thing from others.
func keyOf(r *resolve.Resolver, d *decl) string {
	name, file := d.text(), "@"+d.unit.Path
	switch d.kind {
	case kindMacro:
		return "macro " + name + file
	case kindNamespace:
		return "namespace " + join(d.path, name)
	case kindAlias:
		if d.repeatsTag() {
			return "type " + d.taggedKey(r)
		}
		return "alias " + ownerKey(r, d) + name + d.aliasPlace(r)
	case kindType:
		if d.name < 0 {
			return "type " + d.inner
		}
		return "type " + typeKey(r, d)
	}
	sort := "value "
	if d.kind == kindFunction {
		name += signatureOf(r, d)
	}
	if owner := ownerKey(r, d); strings.HasSuffix(owner, "::") && isMember(r, d) {
		return sort + owner + name
	}
	switch path := join(ownerPath(r, d), name); {
	case d.local:
		return sort + path + file
	case isHeader(d.unit.Path) || declaredInHeader(r, d):
		return sort + path
	case !d.defines && !definedHere(d):
		return sort + path // extern: the linker knows where
	default:
		return sort + path + file
	}
}

// definedHere reports whether the file that declares a thing defines it too.
func definedHere(d *decl) bool {
	for _, o := range tableOf(d.unit).names[scopedName{d.path, d.text()}] {
		if o.kind == d.kind && o.defines {
			return true
		}
	}
	return false
}

// aliasPlace tells aliases of files that do not see each other apart.
func (d *decl) aliasPlace(r *resolve.Resolver) string {
	if !isHeader(d.unit.Path) {
		if o := inHeader(r, d); o != nil && isHeader(o.unit.Path) {
			d = o
		}
	}
	return "@" + d.unit.Path
}

// repeatsTag reports whether an alias is typedef struct a a.
func (d *decl) repeatsTag() bool {
	u := d.unit
	of := u.Child(d.node, "type")
	return strings.HasSuffix(u.Kind(of), "_specifier") && u.Text(u.Child(of, "name")) == d.text()
}

// taggedKey writes what tells the structure from others whose tag an alias repeats: to its
// reader they are one.
func (d *decl) taggedKey(r *resolve.Resolver) string {
	for _, o := range find(r, d.unit, d.path, d.text()) {
		if o.kind == kindType {
			return typeKey(r, o)
		}
	}
	return unseenTag(r, d.unit, join(d.path, d.text()), d.text())
}

// isMember reports whether a declaration is that of a member of a class.
func isMember(r *resolve.Resolver, d *decl) bool {
	if d.spelled < 0 {
		return d.member
	}
	return !isNamespace(r, d.unit, ownerPath(r, d))
}

// ownerKey writes the class that has a member, with "::" behind, "" for none.
func ownerKey(r *resolve.Resolver, d *decl) string {
	if !isMember(r, d) {
		return ""
	}
	path := ownerPath(r, d)
	for _, o := range find(r, d.unit, outerPath(path), lastPart(path)) {
		if o.kind == kindType && o != d {
			return typeKey(r, o) + "::"
		}
	}
	return path + "::"
}

// typeKey writes what tells a type from others: its path, and the file if only that
// can see it.
func typeKey(r *resolve.Resolver, d *decl) string {
	if d.local || !isHeader(d.unit.Path) && !declaredInHeader(r, d) {
		return d.inner + "@" + d.unit.Path
	}
	return d.inner
}

// declaredInHeader reports whether a header that the file of a declaration includes
// declares the same.
func declaredInHeader(r *resolve.Resolver, d *decl) bool {
	if d.kind == kindType {
		name := d.text()
		if slices.ContainsFunc(seenFrom(r, d.unit), func(t *table) bool { return t.unit != d.unit && t.tags[name] }) {
			return true
		}
	}
	return inHeader(r, d) != nil
}

// inHeader returns the first declaration of the same in a file that that of a declaration
// includes.
func inHeader(r *resolve.Resolver, d *decl) *decl {
	name := scopedName{ownerPath(r, d), d.text()}
	for _, t := range seenFrom(r, d.unit) {
		if t.unit == d.unit {
			continue
		}
		for _, o := range t.names[name] {
			if o.kind == d.kind && !o.local {
				return o
			}
		}
	}
	return nil
}

// signatureOf writes the parameters of a function of C++ as its declaration in the
// class or in a header writes them.
func signatureOf(r *resolve.Resolver, d *decl) string {
	if linksAsC(d) {
		return ""
	}
	own := d.params.signature()
	if strings.HasPrefix(d.params.head, "<>") {
		return own
	}
	var fits, alike []string
	path := ownerPath(r, d)
	for _, o := range find(r, d.unit, path, d.text()) {
		if o.kind != kindFunction || o == d {
			continue
		}
		if linksAsC(o) {
			return ""
		}
		s := o.params.signature()
		if s == own {
			return own
		}
		if isC(o.unit) || len(o.params.types) == len(d.params.types) && o.params.constant == d.params.constant &&
			o.spelled < 0 && (!o.defines || d.spelled >= 0) {
			fits = append(fits, s)
			if o.params.withoutTemplates() == d.params.withoutTemplates() {
				alike = append(alike, s)
			}
		}
	}
	if len(alike) == 1 {
		fits = alike
	}
	if len(fits) == 1 && (d.spelled >= 0 || !isHeader(d.unit.Path)) {
		return fits[0]
	}
	return own
}

// linksAsC reports whether a function has only its name.
func linksAsC(d *decl) bool {
	if isC(d.unit) {
		return true
	}
	u := d.unit
	for n := u.Around(d.node, "linkage_specification"); n >= 0; n = u.Around(n, "linkage_specification") {
		if u.Text(u.Child(n, "value")) == `"C"` {
			return true
		}
	}
	return false
}

// possibleSymbol returns what is where one of several things is meant, and this may be it.
func possibleSymbol(y *resolve.Symbol) *resolve.Symbol {
	m := memoryOf(y.Unit)
	if m.candidates[y] != nil {
		return y
	}
	o := m.maybes[y]
	if o == nil {
		o = &resolve.Symbol{Name: y.Name, Unit: y.Unit}
		m.maybes[y], m.candidates[o] = o, y
	}
	return o
}

// roots returns a thing with those that it overrides or may be.
func roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	m := memoryOf(y.Unit)
	if o := m.candidates[y]; o != nil {
		return append([]*resolve.Symbol{y}, roots(r, o)...)
	}
	if y.Overridden != nil {
		return y.Overridden
	}
	all := []*resolve.Symbol{y}
	d := m.facts[y]
	switch {
	case d == nil:
	case isMember(r, d):
		if d.kind == kindFunction {
			all = append(all, overridden(r, d, map[*decl]bool{})...)
		}
	case d.kind == kindFunction || d.kind == kindVariable:
		if far := m.elsewhere(r, d); far != nil && far != y {
			all = append(all, far)
		}
	}
	if r.Steps <= resolve.MostSteps {
		y.Overridden = all
	}
	return all
}

// elsewhere returns the thing that other files may declare and the linker joins with
// what this one defines.
func (m *memory) elsewhere(r *resolve.Resolver, d *decl) *resolve.Symbol {
	if d.local || isHeader(d.unit.Path) || declaredInHeader(r, d) {
		return nil
	}
	name := d.text()
	if d.kind == kindFunction {
		name += signatureOf(r, d)
	}
	key := "value " + join(ownerPath(r, d), name)
	if m.things[key] == nil {
		m.things[key] = &resolve.Symbol{Name: d.text(), Unit: d.unit}
	}
	return m.things[key]
}

// overridden returns the methods of bases that a method overrides, other than those that below has: a specialization
// of a template may have another one as its base.
func overridden(r *resolve.Resolver, d *decl, below map[*decl]bool) (all []*resolve.Symbol) {
	m := memoryOf(d.unit)
	if !r.Enter() {
		return nil
	}
	defer r.Leave()
	below[d] = true
	defer delete(below, d)
	for _, base := range bases(r, d.unit, value{kind: kindInstance, path: ownerPath(r, d), unit: d.unit}) {
		found, _ := members(r, d.unit, base, d.text())
		for _, o := range found {
			if o.kind != kindFunction || o.spelled >= 0 || !d.params.isSimilar(o.params) {
				continue
			}
			y := symbolOf(r, o)
			f := m.facts[y]
			if f == nil || below[f] { // nil: what it is takes too much inference
				continue
			}
			if above := overridden(r, f, below); isVirtual(o) || len(above) > 0 {
				all = append(append(all, y), above...)
			}
		}
	}
	return all
}

// isVirtual reports whether a method says that it can be overridden, or overrides.
func isVirtual(d *decl) bool {
	u := d.unit
	for i := d.node; i < u.Nodes[d.node].Next && u.Kind(i) != "compound_statement"; i++ {
		if u.Kind(i) == "virtual_specifier" {
			return true
		}
	}
	head := u.Source[u.Nodes[d.node].Start:u.Nodes[d.name].Start]
	return slices.Contains(strings.Fields(head), "virtual")
}
