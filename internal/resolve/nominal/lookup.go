package nominal

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A want says what kind of thing a name must stand for where it is.
type want int

const (
	wantType want = iota
	wantValue
	wantCall
	wantAny
)

// A member is something that was found by its name: of the class that has it, with
// type arguments, if it is a member of one.
type member struct {
	symbol *resolve.Symbol
	owner  value

	on      union           // of what extends a type: what it is called on
	targs   []int32         // the type arguments that are written
	through *resolve.Symbol // the other name of its type that is called
}

// typ is the type of a member seen through its owner.
func (m member) typ(r *resolve.Resolver) union {
	t := substitute(typeOfSymbol(r, m.symbol), bindingOf(m.owner))
	if d := declOf(m.symbol); d.extension && len(d.typeParams) > 0 {
		c := contextOf(r, m.symbol.Unit)
		bound := map[*resolve.Symbol]union{}
		c.unify(c.typeAt(d.receiver), m.on, d.typeParams, bound, 4)
		return substitute(t, bound)
	}
	return t
}

// matches reports whether a symbol is what is wanted.
func matches(y *resolve.Symbol, w want) bool {
	d := declOf(y)
	if d.extension || d.hidden {
		return w == wantAny
	}
	switch d.kind {
	case aType, aTypeParameter:
		return w == wantType || w == wantAny
	case aMethod:
		return w == wantCall || w == wantAny
	case aField, aVariable:
		return w == wantValue || w == wantAny || w == wantCall && d.component
	}
	return false
}

func matchingSymbols(list []*resolve.Symbol, w want) []*resolve.Symbol {
	var all []*resolve.Symbol
	for _, y := range list {
		if matches(y, w) {
			all = append(all, y)
		}
	}
	return all
}

func membersOf(list []*resolve.Symbol) []member {
	all := make([]member, len(list))
	for i, y := range list {
		all[i] = member{symbol: y}
	}
	return all
}

// scopeAt returns the scope in which the names of a node are looked up.
func (f *file) scopeAt(n int32) *scope {
	return f.numbers[f.at[n]]
}

// classAt returns the class around a node, or nil.
func (c *context) classAt(n int32) *resolve.Symbol {
	for s := c.f.scopeAt(n); s != nil; s = s.outer {
		if s.class != nil {
			return s.class
		}
	}
	return nil
}

// lookup finds what a bare name stands for at a node. whole is false if it may also
// be inherited from a class of a library.
func (c *context) lookup(n int32, name string, w want) (found []member, whole bool) {
	whole = true
	var inner *scope
	for s := c.f.scopeAt(n); s != nil && c.Step(); inner, s = s, s.outer {
		if s == c.f.top && c.f.row.members.receivers {
			break // imports come first
		}
		if list := c.inScope(s, n, name, w); len(list) > 0 && !c.hides(list[0], inner) {
			return membersOf(list), whole
		}
		if s.self >= 0 && w != wantType {
			list, all := c.onReceivers(s, name, w)
			whole = whole && all
			if len(list) > 0 {
				if own := c.localAround(s, n, name, w); len(own) > 0 {
					return membersOf(own), whole
				}
				return list, whole
			}
		}
		if s.class != nil {
			list, all := c.membersOf(selfOf(s.class), name, w)
			if len(list) > 0 {
				return list, whole && all
			}
			whole = whole && (all || w == wantType)
		}
		if s.hasPack && s != c.f.top {
			if list := c.aroundPackage(s.pack, name, w); len(list) > 0 {
				return membersOf(list), whole
			}
		}
	}
	list, known := c.imported(name, w)
	return list, whole && known
}

// localAround finds a name among the local ones of the scopes around one, up to the class: they come before the members
// of what a function is called on.
func (c *context) localAround(s *scope, n int32, name string, w want) []*resolve.Symbol {
	for inner, o := s, s.outer; o != nil && o != c.f.top && o.class == nil; inner, o = o, o.outer {
		if list := c.inScope(o, n, name, w); len(list) > 0 && !c.hides(list[0], inner) {
			return list
		}
	}
	return nil
}

// onReceivers finds a name among the members of what the functions of a scope are called on.
func (c *context) onReceivers(s *scope, name string, w want) (found []member, whole bool) {
	t, whole := c.receiverOf(s)
	for _, v := range t {
		list, all := c.membersOf(v, name, w)
		if whole = whole && all && v.kind != outside; len(list) > 0 {
			return list, whole
		}
	}
	return nil, whole
}

// aroundPackage finds a name in a package, or in the next one around it that has it.
func (c *context) aroundPackage(pack, name string, w want) []*resolve.Symbol {
	for ; pack != ""; pack, _ = lastOf(pack) {
		if list := c.inPackage(pack, name, w); len(list) > 0 {
			return list
		}
	}
	return nil
}

// hides reports whether a variable is not seen from a scope in its own: parameters of a
// class from its functions, and what a function calls it where it takes nothing.
func (c *context) hides(y *resolve.Symbol, inner *scope) bool {
	d := declOf(y)
	if d.initial && inner != nil {
		return inner.body || inner.class != nil && inner.class.Name != ""
	}
	if !d.unnamed {
		return false
	}
	for _, v := range c.expectedType(d.value) {
		f, ok := c.signature(v)
		if least := 0; ok {
			if f.receiver {
				least = 1
			}
			return len(f.params) <= least
		}
	}
	return false
}

// inScope finds a name that a scope declares: of several variables the one before
// the node that is nearest to it.
func (c *context) inScope(s *scope, n int32, name string, w want) []*resolve.Symbol {
	list := matchingSymbols(s.names[name], w)
	if len(list) == 0 {
		return nil
	}
	if declOf(list[0]).kind != aVariable || s == c.f.top {
		return list
	}
	for i := len(list) - 1; i >= 0; i-- {
		if d := declOf(list[i]); d.name <= n && (!c.f.row.members.receivers || d.how != asValue ||
			!c.u.Within(n, d.value)) {
			return list[i : i+1]
		}
	}
	return nil
}

// imported finds a name in imports, in the file's own package, and in what every
// file sees. told is false if it may be something of a library that an import of
// everything brings in.
func (c *context) imported(name string, w want) (found []member, known bool) {
	known = true
	for _, i := range c.imports() {
		if i.name != name {
			continue
		}
		list := c.importOf(i, w)
		found = append(found, list...)
		if c.f.row.members.receivers {
			if len(list) == 0 && len(c.importOf(i, wantAny)) == 0 {
				return nil, true
			}
		} else if len(list) == 0 && (w == wantType) != i.members {
			return nil, true // of a library
		}
	}
	together := w == wantCall && c.f.row.members.receivers // what is called may overload what is imported
	if len(found) > 0 && !together {
		return found, true
	}
	for p := c.f.pack; ; p, _ = lastOf(p) {
		if list := c.inPackage(p, name, w); len(list) > 0 || together && len(found) > 0 {
			return append(found, membersOf(list)...), true
		}
		if !c.f.row.members.nestedPackages || p == "" {
			break
		}
	}
	for _, i := range c.imports() {
		if i.name != "" {
			continue
		}
		i.name, i.path = name, i.path+"."+name
		found = append(found, c.importOf(i, w)...)
	}
	if len(found) > 0 {
		return found, true
	}
	for _, p := range c.f.row.implicit {
		if list := c.inPackage(p, name, w); len(list) > 0 {
			return membersOf(list), true
		}
	}
	return nil, known && !c.unreached(name, w)
}

// importOf finds what an import brings in.
func (c *context) importOf(i importLine, w want) []member {
	if !i.members {
		list := membersOf(matchingSymbols(c.relative(i.path), w))
		if len(list) > 0 || !c.f.row.members.receivers {
			return list
		}
	}
	path, name := lastOf(i.path)
	var all []member
	for _, y := range matchingSymbols(c.relative(path), wantType) {
		found, _ := c.membersOf(value{kind: typeName, class: y}, name, w)
		all = append(all, found...)
	}
	return all
}

// relative finds what a name in an import stands for: a full name, or one in a package
// around the file's own, where the language has packages in packages.
func (c *context) relative(path string) []*resolve.Symbol {
	list := c.qualified(path)
	if !c.f.row.members.nestedPackages {
		return list
	}
	for p := c.f.pack; p != "" && len(list) == 0; p, _ = lastOf(p) {
		list = c.qualified(p + "." + path)
	}
	return list
}

// inPackage finds what is in a package, outside of all types.
func (c *context) inPackage(pack, name string, w want) []*resolve.Symbol {
	var all []*resolve.Symbol
	for _, y := range c.topNamed(name) {
		if d := declOf(y); d.pack == pack && matches(y, w) && (!d.private || y.Unit == c.u ||
			!c.f.row.members.receivers) {
			all = append(all, y)
		}
	}
	return c.nearest(all)
}

// topNamed lists what has a name in any file of the family, outside of all types and
// functions.
func (c *context) topNamed(name string) []*resolve.Symbol {
	m := memoryOf(c.u)
	if all, ok := m.named[name]; ok {
		return all
	}
	var all []*resolve.Symbol
	for _, path := range c.Defining(name) {
		if u := c.Unit(path); u != nil && u.Language == c.u.Language {
			all = append(all, fileOf(u).tops[name]...)
		}
	}
	for _, u := range library(c) {
		all = append(all, fileOf(u).tops[name]...)
	}
	if c.Steps <= resolve.MostSteps {
		m.named[name] = all
	}
	return all
}

// nearest leaves those of several symbols of one full name that lie nearest to the
// file: a project may hold a class in several versions.
func (c *context) nearest(list []*resolve.Symbol) []*resolve.Symbol {
	if len(list) < 2 || c.f.row.members.parts {
		return list
	}
	own := slices.ContainsFunc(list, func(y *resolve.Symbol) bool { return !fileOf(y.Unit).library })
	most := -1
	var all []*resolve.Symbol
	for _, y := range list {
		if declOf(y).kind == aMethod {
			return list
		}
		if own && fileOf(y.Unit).library {
			continue
		}
		n := common(y.Unit.Path, c.u.Path)
		if n > most {
			most, all = n, nil
		}
		if n == most {
			all = append(all, y)
		}
	}
	return all
}

// common is the length of the path that two paths share.
func common(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n = i + 1
		}
	}
	return n
}

// qualified finds what a full name stands for: a.b.C, or a.b.C.D for a type in a
// type.
func (c *context) qualified(path string) []*resolve.Symbol {
	if !c.Enter() {
		return nil
	}
	defer c.Leave()
	pack, name := lastOf(path)
	if list := c.inPackage(pack, name, wantAny); len(list) > 0 || pack == "" {
		return list
	}
	var all []*resolve.Symbol
	for _, y := range matchingSymbols(c.qualified(pack), wantType) {
		found, _ := c.membersOf(value{kind: typeName, class: y}, name, wantType)
		for _, m := range found {
			all = append(all, m.symbol)
		}
	}
	return all
}

// typesNamed finds the types that a bare name stands for at a node.
func (c *context) typesNamed(n int32, name string) []*resolve.Symbol {
	found, _ := c.lookup(n, name, wantType)
	all := make([]*resolve.Symbol, len(found))
	for i, m := range found {
		all[i] = m.symbol
	}
	return all
}

// typesIn finds the types of a name in what qualifies it: a type or a package.
func (c *context) typesIn(before int32, name string) []*resolve.Symbol {
	var all []*resolve.Symbol
	for _, v := range c.typeAt(before) {
		if v.kind != instance {
			continue
		}
		v.kind = typeName
		found, _ := c.membersOf(v, name, wantType)
		for _, m := range found {
			all = append(all, m.symbol)
		}
	}
	if len(all) > 0 {
		return all
	}
	path := c.prefix(before) + "." + name
	if list := matchingSymbols(c.qualified(path), wantType); len(list) > 0 || !c.f.row.members.nestedPackages {
		return list
	}
	for s := c.f.scopeAt(before); s != nil; s = s.outer { // of a package in one around
		for p := s.pack; p != ""; p, _ = lastOf(p) {
			if list := matchingSymbols(c.qualified(p+"."+path), wantType); len(list) > 0 {
				return list
			}
		}
	}
	return nil
}

// prefix is a qualifier with what qualifies it.
func (c *context) prefix(n int32) string {
	if w := c.f.row.typed(c.u, n); w.name == n && w.before >= 0 {
		return c.prefix(w.before) + "." + c.dotted(n)
	}
	return c.dotted(n)
}

// dotted is the text of a node without white space.
func (c *context) dotted(n int32) string { return strings.Join(strings.Fields(c.u.Text(n)), "") }

// maxOverloads is how many members of one name a value may have: each is compared with each, for every call.
const maxOverloads = 100

// membersOf finds the members of a name that a value has, nearest first. whole is
// false if it may have others, from a library. Of more than maxOverloads it finds none.
func (c *context) membersOf(v value, name string, w want) (found []member, whole bool) {
	inParts := w == wantType && c.f.row.members.parts // each may have one with other type parameters
	many := false
	whole = visitAncestors(c.Resolver, v, func(o value) bool {
		if o.class != v.class && c.f.row.ofTop != nil && c.isTop(o.class) && !slices.Contains(c.f.row.ofTop, name) {
			return true
		}
		if inParts && len(found) > 0 && (o.class.Name != v.class.Name || declOf(o.class).pack != declOf(v.class).pack) {
			return true
		}
		list := declOf(o.class).members[name]
		if many = len(found)+len(list) > maxOverloads; many {
			return false
		}
		for _, y := range list {
			d := declOf(y)
			if !matches(y, w) || d.implements >= 0 || d.private && y.Unit != c.u && c.f.row.members.privateToFile {
				continue
			}
			if w == wantCall && slices.ContainsFunc(found, func(m member) bool { return sameParameters(c.Resolver, m.symbol, y, o) }) {
				continue
			}
			found = append(found, member{symbol: y, owner: o})
		}
		if d := declOf(o.class); d.companion != nil && (len(found) == 0 || w == wantCall) && c.Enter() {
			more, _ := c.membersOf(selfOf(d.companion), name, w)
			found = append(found, more...)
			c.Leave()
		}
		return len(found) == 0 || inParts || w == wantCall && c.f.row.members.overloads
	})
	if many {
		return nil, false
	}
	return found, whole
}

// sameParameters reports whether two methods of a name take the same, as far as it is
// written: then one overrides the other if their classes are related. The second one
// is seen through a class, whose type arguments are known in terms of the first one's.
func sameParameters(r *resolve.Resolver, a, b *resolve.Symbol, through value) bool {
	x, y := declOf(a), declOf(b)
	if len(x.params) != len(y.params) {
		return false
	}
	if fileOf(a.Unit).row.members.methodValues && x.kind == aMethod && len(x.typeParams) != len(y.typeParams) {
		return false
	}
	for i := range x.params {
		s, t := plainType(x.params[i]), plainType(y.params[i])
		if s != "" && t != "" {
			if s != t {
				return false
			}
			continue
		}
		if surelyDiffer(x, y, typeOfSymbol(r, x.params[i]), substitute(typeOfSymbol(r, y.params[i]), bindingOf(through))) {
			return false
		}
	}
	return true
}

// surelyDiffer reports whether parameters of two methods surely have different types, one of
// them a type parameter.
func surelyDiffer(x, y *decl, s, t union) bool {
	if len(s) != 1 || len(t) != 1 || x.owner == nil {
		return false
	}
	a, b := s[0], t[0]
	own := declOf(x.owner).typeParams
	class := func(v value) bool { return v.kind == variable && slices.Contains(own, v.class) }
	method := func(v value, d *decl) int {
		if v.kind != variable {
			return -1
		}
		return slices.Index(d.typeParams, v.class)
	}
	i, j := method(a, x), method(b, y)
	switch {
	case i >= 0 && j >= 0:
		return i != j
	case i >= 0:
		return b.kind != variable || class(b)
	case class(a) && class(b):
		return a.class != b.class
	case class(a):
		return b.kind == instance || b.kind == primitive || b.kind == array || j >= 0
	case class(b):
		return a.kind == instance || a.kind == primitive || a.kind == array
	}
	return false
}

// plainType is the type of a parameter as it is written, without arguments and
// packages, and "" for a type parameter.
func plainType(p *resolve.Symbol) string {
	d := declOf(p)
	if d.plain == nil {
		plain := plainWritten(p, d)
		d.plain = &plain
	}
	return *d.plain
}

func plainWritten(p *resolve.Symbol, d *decl) string {
	if d.written < 0 {
		return ""
	}
	text := p.Unit.Text(d.written)
	head, _, _ := strings.Cut(text, "<")
	_, head = lastOf(strings.TrimSpace(head))
	for s := fileOf(p.Unit).scopeAt(d.written); s != nil; s = s.outer {
		for _, y := range s.names[strings.TrimRight(head, "[]? ")] {
			if declOf(y).kind == aTypeParameter {
				return ""
			}
		}
	}
	if strings.HasSuffix(text, "]") && !strings.HasSuffix(head, "]") {
		head += "[]"
	}
	if d.variadic {
		head += "[]"
	}
	return strings.TrimRight(head, "? ")
}

// Inherited finds what a class has of a name from those it is derived from.
func (f *Family) Inherited(r *resolve.Resolver, y *resolve.Symbol, name string) []resolve.Spot {
	if d := declOf(y); d == nil || d.kind != aType {
		return nil
	}
	for _, w := range []want{wantCall, wantValue, wantType} {
		found, _ := contextOf(r, y.Unit).membersOf(selfOf(y), name, w)
		var all []resolve.Spot
		for _, m := range found {
			if !fileOf(m.symbol.Unit).library {
				all = append(all, resolve.Spots(m.symbol)...)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}
