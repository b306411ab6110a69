package rust

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// An impl is one impl block.
type impl struct {
	unit  *resolve.Unit
	node  int32
	scope *resolve.Scope
}

// targetType is the type that the block is for.
func (i *impl) targetType(r *resolve.Resolver) *typ {
	return typeFrom(r, i.unit, i.unit.Child(i.node, "type"))
}

// text is what is written of a part of the block.
func (i *impl) text(field string) string { return i.unit.Text(i.unit.Child(i.node, field)) }

// traitOf is the trait that the block implements, nil if none or unknown.
func (i *impl) traitOf(r *resolve.Resolver) *typ {
	return typeFrom(r, i.unit, i.unit.Child(i.node, "trait"))
}

func (i *impl) inherent() bool { return i.unit.Child(i.node, "trait") < 0 }

// match binds the parameters of the block so that it is for a type.
func (i *impl) match(r *resolve.Resolver, t *typ) (env, bool) {
	head := i.targetType(r)
	if head == nil || !enterBounded(r) {
		return nil, false
	}
	defer r.Leave()
	e := env{}
	if !unify(head, t, e) {
		return nil, false
	}
	if head.kind == kindParameter { // impl<T: A> B for T
		for _, b := range boundsOf(r, head.sym) {
			if b.kind == kindNamed && !implements(r, i.unit, t, b.sym) {
				return nil, false
			}
		}
	}
	return e, true
}

// unitsOf yields std and some files of the project.
func unitsOf(r *resolve.Resolver, u *resolve.Unit, files []string) func(yield func(*resolve.Unit) bool) {
	return func(yield func(*resolve.Unit) bool) {
		if !yield(stdUnit(u)) {
			return
		}
		for _, f := range files {
			if o := r.Unit(f); o != nil && o.Language == u.Language && !yield(o) {
				return
			}
		}
	}
}

// implsWith lists the blocks that declare a member.
func implsWith(r *resolve.Resolver, u *resolve.Unit, name string, space namespace) []*impl {
	m, key := memoryOf(u), space.key(name)
	if list, ok := m.impls[key]; ok {
		return list
	}
	var list []*impl
	for o := range unitsOf(r, u, r.Defining(name)) {
		for _, i := range infoOf(o).impls {
			if i.scope.Names[key] != nil {
				list = append(list, i)
			}
		}
	}
	m.impls[key] = list
	return list
}

// traitsWith lists the traits that declare a member.
func traitsWith(r *resolve.Resolver, u *resolve.Unit, name string, space namespace) []*resolve.Symbol {
	m, key := memoryOf(u), space.key(name)
	if list, ok := m.traits[key]; ok {
		return list
	}
	var list []*resolve.Symbol
	for o := range unitsOf(r, u, r.Defining(name)) {
		for _, y := range infoOf(o).traits {
			if y.Inner != nil && y.Inner.Names[key] != nil {
				list = append(list, y)
			}
		}
	}
	m.traits[key] = list
	return list
}

// implsOf lists the blocks that implement a trait.
func implsOf(r *resolve.Resolver, u *resolve.Unit, trait *resolve.Symbol) []*impl {
	m := memoryOf(u)
	if list, ok := m.ofTraits[trait]; ok {
		return list
	}
	var list []*impl
	for o := range unitsOf(r, u, r.FilesContaining(trait.Name)) {
		for _, i := range infoOf(o).impls {
			if n := i.unit.Child(i.node, "trait"); n >= 0 && lastTypeName(o, n) == trait.Name {
				list = append(list, i)
			}
		}
	}
	m.ofTraits[trait] = list
	return list
}

// lastTypeName is the last name of a type's path, without arguments.
func lastTypeName(u *resolve.Unit, n int32) string {
	if u.Kind(n) == "generic_type" {
		n = u.Child(n, "type")
	}
	return u.Text(lastOf(u, n))
}

// implements reports whether a type is known to have a trait.
func implements(r *resolve.Resolver, u *resolve.Unit, t *typ, trait *resolve.Symbol) bool {
	_, ok := asTrait(r, u, t, trait)
	return ok
}

// asTrait finds how a type has a trait: what the parameters of the trait stand for.
func asTrait(r *resolve.Resolver, u *resolve.Unit, t *typ, trait *resolve.Symbol) (env, bool) {
	if t == nil || !enterBounded(r) {
		return nil, false
	}
	defer r.Leave()
	for _, b := range traitsOf(r, t) {
		if b.sym == trait {
			return envOf(trait.Unit, trait.Decls[0].Node, b.args), true
		}
	}
	for _, i := range implsOf(r, u, trait) {
		b := i.traitOf(r)
		if b == nil || b.sym != trait {
			continue
		}
		if e, ok := i.match(r, t); ok {
			return envOf(trait.Unit, trait.Decls[0].Node, apply(r, b, e).args), true
		}
	}
	if trait.Unit == stdUnit(u) && t.kind == kindNamed && derives(t.sym, trait.Name) {
		return env{}, true
	}
	return nil, false
}

// derives reports whether an item's attributes derive a trait of std.
func derives(y *resolve.Symbol, trait string) bool {
	for _, a := range attributesOf(y.Unit, y.Decls[0].Node) {
		_, list, ok := strings.Cut(y.Unit.Text(a), "derive(")
		if ok && slices.ContainsFunc(strings.Split(strings.TrimRight(list, ")] "), ","), func(d string) bool {
			return path.Base(strings.ReplaceAll(strings.TrimSpace(d), "::", "/")) == trait
		}) {
			return true
		}
	}
	return false
}

// attributesOf lists the attributes that come before an item.
func attributesOf(u *resolve.Unit, n int32) []int32 {
	var list []int32
	for c := range u.Children(u.Parent(n)) {
		switch {
		case c == n:
			return list
		case u.Kind(c) == "attribute_item":
			list = append(list, c)
		case !strings.HasSuffix(u.Kind(c), "comment"):
			list = nil
		}
	}
	return nil
}

// traitsOf lists the traits that a type has by its bounds.
func traitsOf(r *resolve.Resolver, t *typ) []*typ {
	var bounds []*typ
	switch t.kind {
	case kindParameter:
		bounds = boundsOf(r, t.sym)
	case kindBounded:
		bounds = t.args
	case kindProjection:
		bounds = projectionBounds(r, t)
	case kindNamed:
		if t.sym.Unit.Kind(t.sym.Decls[0].Node) == "trait_item" {
			bounds = []*typ{t}
		}
	}
	var all []*typ
	for _, b := range bounds {
		if b.kind == kindBounded {
			all = append(all, traitsOf(r, b)...)
		} else if b.sym != nil {
			all = append(all, withSuper(r, b)...)
		}
	}
	return all
}

// projectionBounds lists the bounds that a trait puts on its associated type.
func projectionBounds(r *resolve.Resolver, t *typ) []*typ {
	if t.base == nil {
		return nil
	}
	for _, b := range traitsOf(r, t.base) {
		if b.sym.Inner == nil {
			continue
		}
		if y := b.sym.Inner.Names[typeKey(t.name)]; y != nil {
			return boundsIn(r, y.Unit, y.Unit.Child(y.Decls[0].Node, "bounds"))
		}
	}
	return nil
}

// associated finds a member of a type, not of what it dereferences to: its own, then
// those of traits.
func associated(r *resolve.Resolver, u *resolve.Unit, t *typ, name string, space namespace) entity {
	if t == nil || !enterBounded(r) {
		return entity{}
	}
	defer r.Leave()
	for _, b := range traitsOf(r, t) {
		if b.sym.Inner == nil {
			continue
		}
		if y := b.sym.Inner.Names[space.key(name)]; y != nil {
			if space == types && b.assoc[name] != nil {
				return entity{symbol: y, typ: b.assoc[name]}
			}
			e := envOf(b.sym.Unit, b.sym.Decls[0].Node, b.args)
			e[b.sym] = t
			if space == types {
				return entity{symbol: y, typ: &typ{kind: kindProjection, base: t, name: name}}
			}
			return entity{symbol: y, env: e}
		}
	}
	if t.kind == kindParameter || t.kind == kindBounded || t.kind == kindProjection {
		if space == types {
			return entity{typ: &typ{kind: kindProjection, base: t, name: name}}
		}
		return entity{}
	}
	now, late := ofImpls(r, u, t, name, space)
	if now.known() || now.ambiguous {
		return now
	}
	for _, trait := range traitsWith(r, u, name, space) {
		if e, ok := asTrait(r, u, t, trait); ok {
			e[trait] = t
			return entity{symbol: trait.Inner.Names[space.key(name)], env: e}
		}
	}
	if late.known() || late.ambiguous {
		return late
	}
	return entity{outside: t.kind == kindOutside && closed(r, t) && onlyOutside(r, u, name, space), name: name}
}

// ofImpls finds a member in the impl blocks that fit a type: its own before those of traits. What
// only blocks for pointers and references have comes late, after the traits themselves: a pointer
// is what it points at here, so such a block fits every type, and one for pointers is unsure.
func ofImpls(r *resolve.Resolver, u *resolve.Unit, t *typ, name string, space namespace) (now, late entity) {
	var own, second, blanket entity
	var head string
	var pointed bool
	for _, i := range implsWith(r, u, name, space) {
		e, ok := i.match(r, t)
		if !ok {
			continue
		}
		found := entity{symbol: i.scope.Names[space.key(name)], env: e}
		written := i.unit.Text(i.unit.Child(i.node, "type"))
		switch {
		case i.targetType(r).kind == kindParameter && (strings.HasPrefix(written, "*") || strings.HasPrefix(written, "&")):
			if !blanket.known() {
				blanket = found
			}
			pointed = pointed || written[0] == '*'
		case !i.inherent() || i.targetType(r).kind == kindParameter:
			if !second.known() {
				second = found
			}
		case !own.known():
			own, head = found, written
		case head != written && !isFullyKnown(t): // Row<1> or Row<2>
			return entity{ambiguous: true}, entity{}
		}
	}
	if pointed {
		blanket = entity{ambiguous: true}
	}
	if own.known() {
		return own, blanket
	}
	return second, blanket
}

// closed reports whether a type can hold nothing of the project: nothing that it gives
// has a type of the project then.
func closed(r *resolve.Resolver, t *typ) bool {
	if t == nil || t.base != nil || !enterBounded(r) {
		return false
	}
	defer r.Leave()
	switch t.kind {
	case kindFunction, kindProjection:
		return false
	case kindParameter:
		return !slices.ContainsFunc(boundsOf(r, t.sym), func(b *typ) bool { return b.sym != nil && !ofStd(b.sym) })
	case kindNamed:
		if !ofStd(t.sym) {
			return false
		}
	case kindCallable:
		if t.result == nil || !closed(r, t.result) {
			return false
		}
	}
	for _, a := range t.args {
		if !closed(r, a) {
			return false
		}
	}
	for _, a := range t.assoc {
		if !closed(r, a) {
			return false
		}
	}
	return true
}

func ofStd(y *resolve.Symbol) bool { return y.Unit == stdUnit(y.Unit) }

// partOfOutside is the type of what is within a value of a type of a library, nil if it
// may be a type of the project.
func partOfOutside(r *resolve.Resolver, t *typ) *typ {
	if closed(r, t) {
		return &typ{kind: kindOutside}
	}
	return nil
}

// fromOutside is the type of what a method of a library returns, of a value that is
// closed. Arguments that are not may come back, but for one.
func fromOutside(r *resolve.Resolver, u *resolve.Unit, c call, except int32) *typ {
	if !c.method || slices.ContainsFunc(c.types, func(t *typ) bool { return !closed(r, t) }) {
		return nil // what new() makes has parameters that are inferred later
	}
	for a := range u.Children(c.arguments) {
		if a != except && !closed(r, typeOf(r, u, a)) {
			return nil
		}
	}
	return &typ{kind: kindOutside}
}

// ownTraits lists the traits of the project that declare a member.
func ownTraits(r *resolve.Resolver, u *resolve.Unit, name string, space namespace) []*resolve.Symbol {
	if u == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(traitsWith(r, u, name, space)), func(y *resolve.Symbol) bool {
		return y.Unit == stdUnit(u)
	})
}

// onlyOutside reports whether a member that something of a library has cannot be one of the
// project: no trait of the project declares it, and no block for a trait of a library, of
// which the thing may be.
func onlyOutside(r *resolve.Resolver, u *resolve.Unit, name string, space namespace) bool {
	if u == nil {
		return true
	}
	return len(ownTraits(r, u, name, space)) == 0 && !slices.ContainsFunc(implsWith(r, u, name, space), func(i *impl) bool {
		if i.inherent() || i.unit == stdUnit(u) {
			return false
		}
		t := i.traitOf(r)
		return t == nil || t.kind == kindOutside
	})
}

// project is an associated type of a type.
func project(r *resolve.Resolver, base *typ, name string) *typ {
	if base == nil || !enterBounded(r) {
		return nil
	}
	defer r.Leave()
	for _, b := range traitsOf(r, base) {
		if a := b.assoc[name]; a != nil {
			return a
		}
	}
	if base.kind == kindNamed {
		for _, i := range implsWith(r, base.sym.Unit, name, types) {
			if e, ok := i.match(r, base); ok {
				y := i.scope.Names[typeKey(name)]
				return apply(r, typeFrom(r, y.Unit, y.Unit.Child(y.Decls[0].Node, "type")), e)
			}
		}
		return nil
	}
	if base.kind == kindParameter || base.kind == kindBounded || base.kind == kindProjection {
		return &typ{kind: kindProjection, base: base, name: name}
	}
	return nil
}

// derefs yields a type and what it dereferences to, in turn.
func derefs(r *resolve.Resolver, t *typ) func(yield func(*typ) bool) {
	return func(yield func(*typ) bool) {
		for range 8 {
			if t == nil || !yield(t) || t.kind != kindNamed {
				return
			}
			deref := stdUnit(t.sym.Unit).Top.Names[typeKey("Deref")]
			if !implements(r, t.sym.Unit, t, deref) {
				return
			}
			t = project(r, t, "Target")
		}
	}
}

// method finds what a method call on a type calls. sure is false if it may call
// something that was not found.
func method(r *resolve.Resolver, u *resolve.Unit, t *typ, name string) (e entity, certain bool) {
	last := t
	for d := range derefs(r, t) {
		last = d
		e := associated(r, u, d, name, values)
		if e.ambiguous {
			return e, false
		}
		if e.known() {
			if e.symbol != nil {
				e.env = e.env.merged(nil)
				e.typ = d
			}
			return e, true
		}
	}
	if last == nil {
		return entity{}, false
	}
	everywhere := stdUnit(u).Top.Names[typeKey("Everywhere")]
	if y := everywhere.Inner.Names[name]; y != nil {
		return entity{symbol: y, env: env{everywhere: t}, typ: t}, true
	}
	foreign := last.kind == kindOutside && closed(r, last) || last.kind == kindTuple || last.kind == kindNamed && ofStd(last.sym)
	return entity{}, foreign && onlyOutside(r, u, name, values)
}

// field finds a field of a type by its name or number, and its type.
func field(r *resolve.Resolver, t *typ, name string) (y *resolve.Symbol, of *typ, certain bool) {
	var last *typ
	for d := range derefs(r, t) {
		last = d
		if d.kind == kindTuple {
			if i := number(name); i >= 0 {
				return nil, resolve.At(d.args, i), true
			}
		}
		if d.kind != kindNamed {
			continue
		}
		u, n := d.sym.Unit, d.sym.Decls[0].Node
		e := envOf(u, n, d.args)
		if y, of := fieldIn(r, u, d.sym, name); y != nil || of != nil {
			return y, apply(r, of, e), true
		}
	}
	return nil, nil, last != nil && (last.kind == kindOutside && closed(r, last) || last.kind == kindTuple)
}

// fieldIn finds a field of a struct or a variant.
func fieldIn(r *resolve.Resolver, u *resolve.Unit, y *resolve.Symbol, name string) (*resolve.Symbol, *typ) {
	for _, d := range y.Decls {
		body := u.Child(d.Node, "body")
		if u.Kind(body) == "ordered_field_declaration_list" {
			return nil, typeFrom(r, u, orderedField(u, body, number(name)))
		}
	}
	if y.Inner == nil {
		return nil, nil
	}
	f := y.Inner.Names[name]
	if f == nil || u.Kind(f.Decls[0].Node) != "field_declaration" {
		return nil, nil
	}
	return f, typeFrom(r, u, u.Child(f.Decls[0].Node, "type"))
}

// orderedField returns the type of a field of a tuple struct, or -1.
func orderedField(u *resolve.Unit, body int32, i int) int32 {
	for c := range u.Children(body) {
		if u.Field(c) != "type" {
			continue
		}
		if i == 0 {
			return c
		}
		i--
	}
	return -1
}

// number reads a field's number; -1 for a name.
func number(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 99 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	if s == "" {
		return -1
	}
	return n
}
