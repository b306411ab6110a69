package rust

import (
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/resolve"
)

// A namespace is one of the three in which a name may be declared.
type namespace int

const (
	values namespace = iota
	types
	macros
)

func (s namespace) key(name string) string {
	switch s {
	case types:
		return typeKey(name)
	case macros:
		return macroKey(name)
	}
	return name
}

// An entity is what a path stands for. The zero value is unknown.
type entity struct {
	symbol    *resolve.Symbol
	module    *resolve.Scope // of a module, with symbol where an item declares it
	typ       *typ           // a type that is no item alone: Self, a type with arguments
	env       env            // what is known of type parameters
	outside   bool           // of a library
	name      string         // of what is outside: the last of its path
	ambiguous bool           // one of several, and it is not known which
}

func (e entity) known() bool {
	return e.symbol != nil || e.module != nil || e.typ != nil || e.outside
}

// entityOf returns what a symbol stands for.
func entityOf(r *resolve.Resolver, y *resolve.Symbol) entity {
	e := entity{symbol: y}
	if y.Unit.Kind(y.Decls[0].Node) == "mod_item" {
		e.module = moduleScope(r, y)
	}
	return e
}

// member finds what follows :: after an entity that a file names.
func member(r *resolve.Resolver, u *resolve.Unit, e entity, name string, space namespace) entity {
	switch {
	case e.outside:
		return outsideMember(r, u, e, name, space)
	case e.module != nil:
		if e.module.Unit == stdUnit(e.module.Unit) {
			return stdMember(r, e.module, name, space)
		}
		return inScope(r, e.module, name, space)
	case e.symbol != nil && e.symbol.Unit.Kind(e.symbol.Decls[0].Node) == "trait_item":
		return traitMember(r, e.symbol, name, space)
	}
	t := typeOfEntity(r, e)
	if t != nil && t.kind == kindNamed && t.sym.Inner != nil && t.sym.Unit.Kind(t.sym.Decls[0].Node) == "enum_item" {
		if v := t.sym.Inner.Names[space.key(name)]; v != nil {
			return entity{symbol: v, typ: t}
		}
	}
	found := associated(r, u, t, name, space)
	if !found.known() && !found.ambiguous && t != nil && t.kind == kindNamed && t.sym.Unit == stdUnit(t.sym.Unit) {
		found.outside = len(ownTraits(r, t.sym.Unit, name, space)) == 0
	}
	return found
}

// outsideMember finds what follows :: after something of a library: what a trait of the
// project gives a type, or more of the library.
func outsideMember(r *resolve.Resolver, u *resolve.Unit, e entity, name string, space namespace) entity {
	if space != macros && e.name != "" && unicode.IsUpper([]rune(e.name)[0]) {
		if found := associated(r, u, typeOfEntity(r, e), name, space); !found.outside {
			return found
		}
	}
	return entity{outside: true, name: name}
}

// stdMember finds an item of std by its name: the modules of std are known in part.
func stdMember(r *resolve.Resolver, s *resolve.Scope, name string, space namespace) entity {
	if y := s.Names[space.key(name)]; y != nil {
		return entityOf(r, y)
	}
	if y := s.Unit.Top.Names[space.key(name)]; y != nil && unicode.IsUpper([]rune(name)[0]) {
		return entityOf(r, y)
	}
	if space == types && !unicode.IsUpper([]rune(name)[0]) {
		return entity{module: s.Unit.Top} // a module that only groups
	}
	return entity{outside: true, name: name}
}

// traitMember finds a member of a trait, or of one that it builds upon.
func traitMember(r *resolve.Resolver, y *resolve.Symbol, name string, space namespace) entity {
	self := env{y: &typ{kind: kindParameter, sym: y}}
	for _, t := range withSuper(r, &typ{kind: kindNamed, sym: y}) {
		if t.sym.Inner == nil {
			continue
		}
		if m := t.sym.Inner.Names[space.key(name)]; m != nil {
			return entity{symbol: m, env: self}
		}
	}
	return entity{outside: y.Unit == stdUnit(y.Unit)}
}

// resolvePath returns what a path, or a single name, stands for.
func resolvePath(r *resolve.Resolver, u *resolve.Unit, n int32, space namespace) entity {
	if n < 0 || !enterBounded(r) {
		return entity{}
	}
	defer r.Leave()
	switch u.Kind(n) {
	case "identifier", "type_identifier", "primitive_type", "shorthand_field_identifier":
		return lookup(r, u, n, u.Text(n), space)
	case "self", "super", "crate":
		return keywordModule(r, u, n)
	case "scoped_identifier", "scoped_type_identifier":
		path, name := u.Child(n, "path"), u.Child(n, "name")
		if path < 0 {
			return crateEntity(r, u, u.Text(name))
		}
		from := resolvePath(r, u, path, types)
		if u.Kind(name) == "super" {
			return parentEntity(r, from)
		}
		return member(r, u, from, u.Text(name), space)
	case "bracketed_type":
		return bracketed(r, u, n)
	case "generic_type", "generic_type_with_turbofish":
		e := resolvePath(r, u, u.Child(n, "type"), space)
		if e.symbol != nil {
			e.typ = typeFrom(r, u, n)
		}
		return e
	}
	if t := typeFrom(r, u, n); t != nil {
		return entity{typ: t}
	}
	return entity{}
}

// bracketed resolves <T> and <T as Trait>.
func bracketed(r *resolve.Resolver, u *resolve.Unit, n int32) entity {
	inner := u.First(n)
	if u.Kind(inner) != "qualified_type" {
		return entity{typ: typeFrom(r, u, inner)}
	}
	t := typeFrom(r, u, u.Child(inner, "type"))
	if t != nil && t.kind != kindParameter {
		return entity{typ: t}
	}
	e := resolvePath(r, u, u.Child(inner, "alias"), types)
	e.typ = nil
	return e
}

// lookup finds a name where it is: variables and type parameters, items of
// blocks around, of the module, crates, std.
func lookup(r *resolve.Resolver, u *resolve.Unit, n int32, name string, space namespace) entity {
	if space == types && name == "Self" {
		return selfEntity(r, u, n)
	}
	if space != macros {
		if y := localAt(u, n, space.key(name)); y != nil {
			return entity{symbol: y}
		}
	}
	for {
		for at := u.Parent(n); at >= 0; at = u.Parent(at) {
			s := u.Scopes[at]
			if s == nil || s.Kind == resolve.ClassScope || u.Host != nil && s == u.Top {
				continue
			}
			if e := inScope(r, s, name, space); e.known() {
				return e
			}
			if i := infoOf(s.Unit).uses[s]; space != macros && i != nil && len(i.names[name]) > 0 {
				return entity{} // it is brought in from what is not known, such as the work of a macro
			}
			if s.Kind == resolve.ModuleScope {
				break
			}
		}
		if u.Host == nil {
			break
		}
		u, n = u.Host, u.HostNode
	}
	if space == types {
		if e := crateEntity(r, u, name); !e.outside {
			return e
		}
	}
	if e := inScope(r, stdUnit(u).Top, name, space); e.known() && ofPrelude(r, u, name) {
		return e
	}
	if space == macros {
		return macroNamed(r, u, n, name)
	}
	// A path that begins with no name of the project begins with another crate.
	k := u.Kind(u.Parent(n))
	path := (k == "scoped_identifier" || k == "scoped_type_identifier") && u.Field(n) == "path"
	crate := path && !unicode.IsUpper([]rune(name)[0]) && len(r.Modules[name]) == 0
	return entity{outside: space == types && crate, name: name}
}

// prelude are the types and traits of std that need no import.
var prelude = strings.Fields("Option Some None Result Ok Err Vec String Box ToString ToOwned Clone Copy Send Sync Sized Drop Fn FnMut FnOnce " +
	"Iterator IntoIterator FromIterator Extend DoubleEndedIterator ExactSizeIterator AsRef AsMut Into From TryInto TryFrom " +
	"Default Eq Ord PartialEq PartialOrd Debug Hash")

// ofPrelude reports whether a name that nothing here declares is std's: one that needs no
// import, or that nothing in the project is called.
func ofPrelude(r *resolve.Resolver, u *resolve.Unit, name string) bool {
	return u == stdUnit(u) || !unicode.IsUpper([]rune(name)[0]) || slices.Contains(prelude, name) ||
		len(r.Defining(name)) == 0
}

// macroNamed finds a macro that is declared above, in a module around, or exported
// by a crate of the project.
func macroNamed(r *resolve.Resolver, u *resolve.Unit, n int32, name string) entity {
	for s := moduleAround(u, n); s != nil; s = parentOf(r, s) {
		if y := s.Names[macroKey(name)]; y != nil {
			return entity{symbol: y}
		}
	}
	var found *resolve.Symbol
	for _, f := range r.Defining(name) {
		o := r.Unit(f)
		if o == nil || o.Language != u.Language {
			continue
		}
		for _, s := range o.Scopes {
			y := s.Names[macroKey(name)]
			if y != nil && found != nil {
				return entity{}
			}
			if y != nil {
				found = y
			}
		}
	}
	if found == nil {
		return entity{outside: true}
	}
	return entity{symbol: found}
}

// localAt finds the variable or type parameter that a name means at a node, or nil.
func localAt(u *resolve.Unit, n int32, key string) *resolve.Symbol {
	for {
		list := infoOf(u).locals[key]
		for i := len(list) - 1; i >= 0; i-- {
			l := list[i]
			if l.from <= n && n < l.to && sameFunction(u, l.symbol.Decls[0].Name, n, key) {
				return l.symbol
			}
		}
		if u.Host == nil {
			return nil
		}
		u, n = u.Host, u.HostNode
	}
}

// sameFunction reports whether no item lies between a variable and its use.
func sameFunction(u *resolve.Unit, a, b int32, key string) bool {
	if key[0] == ':' {
		return true
	}
	const fn, constant, static = "function_item", "const_item", "static_item"
	same := u.Around(a, fn, constant, static) == u.Around(b, fn, constant, static)
	return same || u.Kind(u.Parent(a)) == "const_parameter"
}

// selfEntity is what Self means.
func selfEntity(r *resolve.Resolver, u *resolve.Unit, n int32) entity {
	for u.Host != nil {
		u, n = u.Host, u.HostNode
	}
	at := u.Around(n, "impl_item", "trait_item", "struct_item", "enum_item", "union_item")
	if at < 0 {
		return entity{}
	}
	if u.Kind(at) == "impl_item" {
		t := typeFrom(r, u, u.Child(at, "type"))
		if t == nil {
			return entity{}
		}
		return entity{typ: t}
	}
	y := u.Scopes[at].Class
	if y == nil {
		return entity{}
	}
	if u.Kind(at) == "trait_item" {
		return entity{typ: &typ{kind: kindParameter, sym: y}}
	}
	return entity{typ: selfType(y)}
}
