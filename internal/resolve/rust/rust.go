// Package rust binds the names of Rust and infers what they mean: modules and use
// declarations, types of expressions, methods by the type before the dot, traits and
// their implementations. What std offers is known from std.rs, in signatures alone;
// other libraries are unknown.
package rust

import (
	"slices"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// Language is what this package knows of Rust.
type Language struct{ resolve.Plain }

// Languages lists what the package understands.
func (Language) Languages() []syntax.Language { return []syntax.Language{syntax.Rust} }

// A memory is what the files of a project share.
type memory struct {
	units    map[*resolve.Unit]*unitInfo
	types    map[resolve.NodeKey]*typ
	busy     map[resolve.NodeKey]bool
	tokens   map[resolve.NodeKey]*resolve.Unit // what the arguments of macros say, by their node
	parents  map[*resolve.Unit]*resolve.Symbol // file -> the mod item that declares it; nil for a root
	crates   map[string][]string               // name of a crate of the project -> files of its root; nil until asked for
	looking  map[lookupKey]bool                // names that are being looked up
	impls    map[string][]*impl                // by the name of a member
	traits   map[string][]*resolve.Symbol      // by the name of a member
	ofTraits map[*resolve.Symbol][]*impl
	std      *resolve.Unit
}

// NewMemory returns an empty memory.
func (Language) NewMemory() any {
	return &memory{
		units: map[*resolve.Unit]*unitInfo{}, types: map[resolve.NodeKey]*typ{}, busy: map[resolve.NodeKey]bool{},
		tokens: map[resolve.NodeKey]*resolve.Unit{}, parents: map[*resolve.Unit]*resolve.Symbol{},
		looking: map[lookupKey]bool{}, impls: map[string][]*impl{}, traits: map[string][]*resolve.Symbol{},
		ofTraits: map[*resolve.Symbol][]*impl{},
	}
}

// memoryOf returns the memory that the files share.
func memoryOf(u *resolve.Unit) *memory { return u.Memory.(*memory) }

// Mentions reports whether a name is in quotes, alone or in a path: attributes name what they call so.
func (Language) Mentions(text, name string) bool {
	return resolve.ContainsName(text, name, `":`, `":`)
}

// Quoted returns the names of a path in quotes that an attribute is given.
func (Language) Quoted(_ *resolve.Resolver, u *resolve.Unit,
	n int32) (*resolve.Unit, func(yield func(string, uint32) bool)) {
	if u.Kind(n) != "string_literal" || u.Around(n, "attribute") < 0 {
		return nil, nil
	}
	if p, ok := resolve.ParseQuotedPath(u.Text(n)); ok {
		return nil, p.Names
	}
	return nil, nil
}

// Bind finds the scopes of a file.
func (Language) Bind(_ *resolve.Resolver, u *resolve.Unit) { bind(u) }

// Meaning says what is at a name.
func (Language) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	if s.Unit.Kind(s.Node) == "string_literal" {
		return quotedMeaning(r, s)
	}
	m := meaningOf(r, s.Unit, s.Node)
	if !m.Declares && !m.OneOf {
		for _, y := range m.Symbols {
			m.Symbols = append(m.Symbols, forOtherPlatforms(r, y)...)
		}
	}
	return m
}

// forOtherPlatforms lists what is declared in the place of a symbol where another file is the
// module, or in another block for the same type: of those the compiler takes one.
func forOtherPlatforms(r *resolve.Resolver, y *resolve.Symbol) (all []*resolve.Symbol) {
	u := y.Unit
	switch own := implAround(y); {
	case own != nil:
		for _, i := range implsWith(r, u, y.Name, values) {
			if other := i.scope.Names[keyOf(y)]; other != nil && other != y && i.text("type") == own.text("type") &&
				i.text("trait") == own.text("trait") && i.text("type_parameters") == own.text("type_parameters") {
				if a, b := i.targetType(r), own.targetType(r); a != nil && b != nil && a.sym == b.sym {
					all = append(all, other)
				}
			}
		}
	case y.Scope != nil && y.Scope.Kind == resolve.ModuleScope:
		item := y.Scope.Class
		if y.Scope == u.Top {
			item = declaringItem(r, u)
		}
		if item == nil {
			return nil
		}
		var scopes []*resolve.Scope
		if item.Inner != nil {
			scopes = append(scopes, item.Inner)
		}
		for _, v := range moduleUnits(r, item) {
			scopes = append(scopes, v.Top)
		}
		for _, s := range scopes {
			for _, key := range []string{y.Name, typeKey(y.Name), macroKey(y.Name)} {
				if other := s.Names[key]; other != nil && other != y && y.Scope.Names[key] == y {
					all = append(all, other)
				}
			}
		}
	}
	return all
}

// Roots returns a member of an impl together with the member of the trait that it
// implements.
func (Language) Roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	if y.Overridden == nil {
		y.Overridden = []*resolve.Symbol{y}
		if i := implAround(y); i != nil {
			if t := i.traitOf(r); t != nil && t.sym != nil && t.sym.Inner != nil {
				if o := t.sym.Inner.Names[keyOf(y)]; o != nil {
					y.Overridden = append(y.Overridden, o)
				}
			}
		}
	}
	return y.Overridden
}

// Apart reports true: implementations of one trait member are related to that
// member, not to each other.
func (Language) Apart() bool { return true }

// keyOf is the key of a symbol in its scope.
func keyOf(y *resolve.Symbol) string {
	switch y.Unit.Kind(y.Decls[0].Node) {
	case "associated_type", "type_item":
		return typeKey(y.Name)
	}
	return y.Name
}

// implAround returns the impl that a member is in, or nil.
func implAround(y *resolve.Symbol) *impl {
	if y.Scope == nil || y.Unit.Kind(y.Scope.Node) != "impl_item" {
		return nil
	}
	list := memoryOf(y.Unit).units[y.Unit].impls
	i := slices.IndexFunc(list, func(i *impl) bool { return i.node == y.Scope.Node })
	return list[i]
}

// maxDepth bounds how deep inference goes into itself: a chain of calls takes several
// levels for each.
const maxDepth = 400

// enterBounded is [resolve.Resolver.Enter] with that bound.
func enterBounded(r *resolve.Resolver) bool { return r.EnterUpTo(maxDepth) }
