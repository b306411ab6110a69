package nominal

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// meaningAt says what is at a name.
func (c *context) meaningAt(n int32) resolve.Meaning {
	if y := c.u.Owner[n]; y != nil {
		return resolve.Meaning{Symbols: c.partsOf(y), Known: true, Declares: true}
	}
	if c.f.row.mean != nil {
		if m, ok := c.f.row.mean(c, n); ok {
			return m
		}
	}
	p := c.u.Parent(n)
	if e := c.f.row.expr(c.u, p); e.name == n {
		switch e.op {
		case aMember:
			return c.memberMeaning(e)
		case aCall:
			return c.callMeaning(e)
		case aMethodOf:
			list, whole := c.methodsNamed(e)
			if len(list) == 0 && c.f.row.members.receivers {
				return c.referredMeaning(e)
			}
			return c.meaningAmong(c.chooseFor(p, list), whole)
		}
	}
	if w, at := c.typeAround(n); at >= 0 {
		return c.typeMeaning(n, w, at)
	}
	return c.nameMeaning(n)
}

// partsOf lists the declarations of a class that is declared in several places.
func (c *context) partsOf(y *resolve.Symbol) []*resolve.Symbol {
	d := declOf(y)
	if d == nil || d.kind != aType || !c.f.row.members.parts || d.pack == "" && d.owner == nil {
		return []*resolve.Symbol{y}
	}
	return partsOf(c, y)
}

// typeAround returns the written type whose name is at a node.
func (c *context) typeAround(n int32) (w written, at int32) {
	at = -1
	for p, up := n, 0; p >= 0 && up < 3; p, up = c.u.Parent(p), up+1 {
		if t := c.f.row.typed(c.u, p); t.kind == namedType && t.name == n {
			w, at = t, p // the outermost has the qualifier
		}
	}
	return w, at
}

// typeMeaning is what a type's name stands for: where an instance is made, the
// constructor too.
func (c *context) typeMeaning(n int32, w written, node int32) resolve.Meaning {
	var types []*resolve.Symbol
	name := c.u.Text(n)
	if w.before >= 0 {
		types = c.typesIn(w.before, name)
	} else {
		types = c.typesNamed(n, name)
	}
	types = c.ofArity(types, len(w.args))
	m := resolve.Meaning{Known: len(types) > 0 || w.before >= 0 || !c.unreached(name, wantType)}
	for _, y := range types {
		m.Symbols = append(m.Symbols, c.partsOf(y)...)
	}
	for p := c.u.Parent(node); p >= 0; p = c.u.Parent(p) {
		e := c.f.row.expr(c.u, p)
		if e.op == aNew && e.typ >= 0 && c.u.Within(node, e.typ) {
			if e.typ == node || c.f.row.typed(c.u, e.typ).name == n {
				m.Symbols = append(m.Symbols, c.constructorsOf(types, e)...)
			}
			break
		}
		if e.op != noExpr {
			break
		}
	}
	return m
}

func (c *context) constructorsOf(types []*resolve.Symbol, e expr) []*resolve.Symbol {
	var all []*resolve.Symbol
	for _, y := range types {
		if declOf(y).kind != aType {
			continue
		}
		list := c.choose(constructors(value{kind: instance, class: y}), e.args)
		if len(list) == 1 { // of several it is not known which
			all = append(all, list[0].symbol)
		}
	}
	return all
}

// meaningAmong is the meaning of a name that stands for one of some members.
func (c *context) meaningAmong(list []member, whole bool) resolve.Meaning {
	m := resolve.Meaning{Known: whole, OneOf: len(list) > 1}
	for _, f := range list {
		m.Symbols = append(m.Symbols, f.targets()...)
		if !fileOf(f.symbol.Unit).library {
			m.Known = true
		} else if !c.closed(f) {
			m.Known = false // what overrides it in the project may be meant
		}
	}
	for _, y := range m.Symbols {
		if m.OneOf && !slices.ContainsFunc(list, func(f member) bool { return !slices.Contains(f.targets(), y) }) {
			m.Also = append(m.Also, y) // the class, whichever of its constructors is meant
		}
	}
	return m
}

// closed reports whether nothing can override a member of a library.
func (c *context) closed(m member) bool {
	d := declOf(m.symbol)
	return d.static || d.final || d.owner == nil || declOf(d.owner).final
}

func (c *context) memberMeaning(e expr) resolve.Meaning {
	name := c.u.Text(e.name)
	t := concrete(c.Resolver, c.typeOf(e.object))
	m := resolve.Meaning{Known: len(t) > 0}
	for _, v := range t {
		if v.kind == packName {
			m.Symbols = append(m.Symbols, matchingSymbols(c.qualified(v.name+"."+name), wantType)...)
			continue
		}
		found, whole := c.membersOf(v, name, wantValue)
		if len(found) == 0 && v.kind == typeName {
			found, _ = c.membersOf(v, name, wantType)
		}
		if len(found) == 0 && c.f.row.members.methodValues {
			list, all := c.membersOf(v, name, wantCall)
			found, whole = firstOfEach(c.Resolver, list), whole && all
			m.OneOf = m.OneOf || len(found) > 1
		}
		if len(found) == 0 && c.f.row.members.receivers {
			if found = c.extending(name, unionOf(v), wantValue); len(found) == 0 {
				found = c.getters(v, name)
			}
			m.OneOf = m.OneOf || v.kind == outside
		}
		for _, f := range found {
			m.Symbols = append(m.Symbols, f.symbol)
		}
		if len(found) == 0 && (!whole || v.kind == outside || v.kind == function) {
			m.Known = false
		}
	}
	return m
}

func (c *context) callMeaning(e expr) resolve.Meaning {
	list, whole := c.called(e)
	if len(list) > 0 {
		chosen := c.choose(list, e.args)
		if c.f.row.members.receivers && !slices.ContainsFunc(chosen, func(m member) bool { return c.accepts(m, e.args) }) {
			if more := c.extendingCalled(e); len(more) > 0 {
				return c.meaningAmong(c.choose(more, e.args), whole)
			}
			if !whole {
				return resolve.Meaning{} // an overload that a library has
			}
		}
		return c.meaningAmong(chosen, whole)
	}
	if list, args := c.extensionsOf(e); len(list) > 0 {
		return c.meaningAmong(c.choose(list, args), whole)
	}
	var m resolve.Meaning // a variable that contains a function
	if e.object >= 0 {
		m = c.memberMeaning(e)
	} else {
		m = c.nameMeaning(e.name)
	}
	m.Known = m.Known && whole
	if only := c.onlyExtension(e, wantCall); !m.Known && len(m.Symbols) == 0 && only != nil {
		return resolve.Meaning{Symbols: []*resolve.Symbol{only}, Known: true, Guess: true}
	}
	return m
}

// chooseFor leaves those of several methods that have as many parameters as are
// wanted of a function at a node.
func (c *context) chooseFor(n int32, list []member) []member {
	if len(list) < 2 {
		return list
	}
	var fit []member
	for _, v := range c.expectedType(n) {
		s, ok := c.signature(v)
		if !ok {
			continue
		}
		for _, m := range list {
			k := len(declOf(m.symbol).params)
			if k == len(s.params) || k == len(s.params)-1 && !declOf(m.symbol).static {
				fit = append(fit, m)
			}
		}
	}
	if len(fit) == 0 {
		return firstOfEach(c.Resolver, list)
	}
	return firstOfEach(c.Resolver, fit)
}

// importMeaning is what a name in an import stands for: the last one what is brought
// in, the ones before the types that it lies in.
func (c *context) importMeaning(n int32, path string, members, all bool) resolve.Meaning {
	m := resolve.Meaning{Known: true}
	prefix := c.dotted(c.u.Parent(n))
	switch {
	case c.u.Kind(c.u.Parent(n)) == c.u.Kind(n) || !strings.HasSuffix(prefix, c.u.Text(n)):
		return m
	case prefix == path && members && !all:
		for _, f := range c.importOf(importLine{path: path, members: true}, wantAny) {
			m.Symbols = append(m.Symbols, f.symbol)
		}
	default:
		m.Symbols = matchingSymbols(c.qualified(prefix), wantAny)
	}
	return m
}

func (c *context) nameMeaning(n int32) resolve.Meaning { return c.wordMeaning(n, c.u.Text(n)) }

// wordMeaning is what a bare name means at a node.
func (c *context) wordMeaning(n int32, name string) resolve.Meaning {
	found, whole := c.lookup(n, name, wantValue)
	if c.f.row.value != nil {
		if list, ok := c.f.row.value(c, n); ok {
			found = list
			if len(list) == 0 {
				return resolve.Meaning{}
			}
		}
	}
	m := resolve.Meaning{Known: true}
	if len(found) == 0 && c.f.row.members.receivers && len(c.typesNamed(n, name)) == 0 {
		if found = c.extending(name, c.receivers(n), wantValue); len(found) == 0 {
			for _, v := range c.receivers(n) {
				found = append(found, c.getters(v, name)...)
			}
		}
	}
	if len(found) > 0 && c.typeOfItsName(n, found) {
		found = nil
	}
	if len(found) == 0 && c.f.row.members.methodValues {
		list, all := c.lookup(n, name, wantCall)
		found, whole = firstOfEach(c.Resolver, list), whole && all
		m.OneOf = len(found) > 1
	}
	if len(found) == 0 {
		for _, y := range c.ofArity(c.typesNamed(n, name), 0) {
			m.Symbols = append(m.Symbols, c.partsOf(y)...)
		}
		m.Known = whole || len(m.Symbols) > 0
	}
	for _, f := range found {
		m.Symbols = append(m.Symbols, f.symbol)
	}
	return m
}

// typeOfItsName reports whether a name before a dot means a type of that name and no
// property that has the type: Color.Red, with a property Color of type Color.
func (c *context) typeOfItsName(n int32, found []member) bool {
	p := c.u.Parent(n)
	e := c.f.row.expr(c.u, p)
	if !c.f.row.members.methodValues || e.object != n || e.name < 0 {
		return false
	}
	for _, v := range found[0].typ(c.Resolver) {
		if v.kind != instance || v.class.Name != c.u.Text(n) {
			continue
		}
		v.kind = typeName
		for _, w := range []want{wantValue, wantCall, wantType} {
			for _, m := range first(c.membersOf(v, c.u.Text(e.name), w)) {
				if d := declOf(m.symbol); d.static || d.kind == aType {
					return true
				}
			}
		}
	}
	return false
}

func first(list []member, _ bool) []member { return list }

// rootsOf returns a member together with those of the project that it overrides.
func rootsOf(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	d := declOf(y)
	if d == nil || d.kind != aMethod && !d.component && !d.property || d.owner == nil || d.static || d.private ||
		!r.Step() {
		return []*resolve.Symbol{y}
	}
	m := memoryOf(y.Unit)
	if all, ok := m.family[y]; ok {
		return all
	}
	all, hides := []*resolve.Symbol{y}, d.hides
	visitAncestors(r, selfOf(d.owner), func(o value) bool {
		if o.class == d.owner || fileOf(o.class.Unit).library || hides && declOf(o.class).word != "interface" {
			return true
		}
		for _, b := range declOf(o.class).members[y.Name] {
			e := declOf(b)
			if !implements(r, y, o.class) {
				break
			}
			if (e.kind == aMethod || e.component || e.property) && e.property == d.property && !e.static &&
				!e.private &&
				e.implements < 0 && sameParameters(r, y, b, o) {
				all, hides = append(all, b), hides || e.hides
			}
		}
		return true
	})
	if r.Steps <= resolve.MostSteps {
		m.family[y] = all
	}
	return all
}

// implements reports whether a member may stand for one of a class: one that names its
// interface for that alone, another one where none names it.
func implements(r *resolve.Resolver, y, class *resolve.Symbol) bool {
	names := func(y *resolve.Symbol) bool {
		t := contextOf(r, y.Unit).typeAt(declOf(y).implements)
		return slices.ContainsFunc(t, func(v value) bool { return v.class == class })
	}
	if declOf(y).implements >= 0 {
		return names(y)
	}
	explicit := false
	visitAncestors(r, selfOf(declOf(y).owner), func(o value) bool { // what a base names its interface for, no override stands for
		explicit = slices.ContainsFunc(declOf(o.class).members[y.Name], func(o *resolve.Symbol) bool {
			return declOf(o).implements >= 0 && names(o) && len(declOf(o).params) == len(declOf(y).params)
		})
		return !explicit
	})
	return !explicit
}

func partsOf(c *context, y *resolve.Symbol) []*resolve.Symbol {
	d := declOf(y)
	var all []*resolve.Symbol
	if d.owner == nil {
		for _, o := range contextOf(c.Resolver, y.Unit).topNamed(y.Name) {
			if declOf(o).pack == d.pack && declOf(o).kind == aType && len(declOf(o).typeParams) == len(d.typeParams) {
				all = append(all, o)
			}
		}
	} else {
		for _, o := range partsOf(c, d.owner) {
			for _, p := range declOf(o).members[y.Name] {
				if declOf(p).kind == aType && len(declOf(p).typeParams) == len(d.typeParams) {
					all = append(all, p)
				}
			}
		}
	}
	if len(all) == 0 {
		return []*resolve.Symbol{y}
	}
	return all
}
