// Package python resolves names in Python: by scopes, imports and inferred types. Package resolve
// calls it for each file that may mention a name, when references to that name are asked for.
package python

import (
	"slices"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// Language is what this package knows of Python.
type Language struct{ resolve.Plain }

// Languages lists what the package understands.
func (Language) Languages() []syntax.Language { return []syntax.Language{syntax.Python} }

// memory holds types that were inferred, by the place of the expression.
type memory = resolve.Inferred[union]

// HandsOut returns the name that an assignment or an argument gives to an attribute and to what
// the attribute is, or "".
func (Language) HandsOut(u *resolve.Unit, n int32) string {
	name, value := int32(-1), int32(-1)
	switch u.Kind(n) {
	case "assignment":
		name, value = u.Child(u.Child(n, "left"), "attribute"), u.Child(n, "right")
	case "keyword_argument":
		name, value = u.Child(n, "name"), u.Child(n, "value")
	}
	if name >= 0 && u.Kind(value) == "identifier" && u.Text(name) == u.Text(value) {
		return u.Text(value)
	}
	return ""
}

// NewMemory returns an empty memory.
func (Language) NewMemory() any { return make(memory) }

// memoryOf returns the memory that the files share.
func memoryOf(u *resolve.Unit) memory { return u.Memory.(memory) }

// Bind finds the scopes of a file.
func (Language) Bind(_ *resolve.Resolver, u *resolve.Unit) { bind(u) }

// Meaning says what is at a name. What a stub declares is what the module beside it has.
func (Language) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	m := nameMeaning(r, s.Unit, s.Node)
	for _, y := range m.Symbols[:len(m.Symbols):len(m.Symbols)] {
		m.Symbols = append(m.Symbols, declarationsBesideStub(r, y)...)
	}
	return m
}

// BareLocal reports whether a local is meant by its bare name alone: a parameter is where
// an argument is passed by its name, too.
func (Language) BareLocal(y *resolve.Symbol) bool {
	return !slices.ContainsFunc(y.Decls, func(d resolve.Decl) bool {
		list := y.Unit.Parent(d.Node)
		return y.Unit.Kind(list) == "parameters"
	})
}

// Roots returns nothing: an overriding method is another thing.
func (Language) Roots(*resolve.Resolver, *resolve.Symbol) []*resolve.Symbol { return nil }

// QuotedName reports whether a string is a name: of something that a module offers, in
// the list __all__, or of a key of a dictionary.
func (Language) QuotedName(u *resolve.Unit, n int32) bool {
	if u.Kind(n) != "string" {
		return false
	}
	if isKey(u, n) {
		return true
	}
	list := u.Parent(n)
	if k := u.Kind(list); k != "list" && k != "tuple" {
		return false
	}
	a := u.Parent(list)
	k := u.Kind(a)
	return (k == "assignment" || k == "augmented_assignment") && u.Text(u.Child(a, "left")) == "__all__"
}

// Mentions reports whether a name is in quotes.
func (Language) Mentions(text, name string) bool {
	return resolve.ContainsName(text, name, resolve.Quotes, resolve.Quotes)
}

// Quoted returns the type that a string holds, if it does.
func (Language) Quoted(r *resolve.Resolver, u *resolve.Unit, n int32) (code *resolve.Unit,
	names func(yield func(string, uint32) bool)) {
	if u.Kind(n) != "string" {
		return nil, nil
	}
	return quotedType(u, n), nil
}

// Inherited finds what a class has of a name from its bases.
func (Language) Inherited(r *resolve.Resolver, y *resolve.Symbol, name string) []resolve.Spot {
	if classNode(y) < 0 {
		return nil
	}
	m, ok, _ := findMember(r, value{kind: kindClass, class: y}, name)
	if !ok {
		return nil
	}
	return resolve.Spots(m.symbol)
}
