package resolve

import (
	"iter"
	"slices"

	"codeintel/internal/syntax"
)

// A Language knows how names are bound, and what they mean, in files of one or
// several languages.
type Language interface {
	Languages() []syntax.Language

	// NewMemory returns what the language keeps until a file changes; units have it.
	NewMemory() any

	// Bind finds the scopes of a file and the names that they declare.
	Bind(r *Resolver, u *Unit)

	// Meaning says what is at a name.
	Meaning(r *Resolver, s Spot) Meaning

	// Roots returns a member together with those it overrides, if that makes them
	// the same thing.
	Roots(r *Resolver, y *Symbol) []*Symbol

	// Aspects says as what a symbol is asked for, where one name may be a type and a
	// value.
	Aspects(y *Symbol, a Aspect) Aspect

	// QuotedName reports whether a node that is no name names a member.
	QuotedName(u *Unit, n int32) bool

	// Quoted returns what a node holds of code or of names in a text: a type in a
	// string, the links of a comment.
	Quoted(r *Resolver, u *Unit, n int32) (code *Unit, names func(yield func(string, uint32) bool))
}

// Plain is what a Language does that has no more to say: it embeds Plain, and writes the
// other methods.
type Plain struct{}

// Aspects returns a: where a name is says whether a type or a value is meant.
func (Plain) Aspects(_ *Symbol, a Aspect) Aspect { return a }

// QuotedName returns false: names are names to the grammar.
func (Plain) QuotedName(*Unit, int32) bool { return false }

// Quoted returns nothing: no text holds code or names.
func (Plain) Quoted(*Resolver, *Unit, int32) (*Unit, func(yield func(string, uint32) bool)) {
	return nil, nil
}

// Mentioning is a Language that has names where the index lists none: in quotes, as symbols,
// in documentation.
type Mentioning interface {
	// Mentions reports whether a text may have a name at such a place.
	Mentions(text, name string) bool
}

// Reader is a Language that reads what was left out of a text so that the rest could be
// parsed.
type Reader interface {
	// LeftOut yields the names there. A spot's node is one around it, and its word is how far
	// in it is.
	LeftOut(u *Unit) iter.Seq2[string, Spot]
}

// Renaming is a Language in which a file names what it imports as it likes.
type Renaming interface {
	// Renames lists the names that imports of a file give to any of some symbols, and
	// reports whether the file offers one of those to others without a name of its own.
	Renames(r *Resolver, u *Unit, of map[*Symbol]bool) (names []string, offers bool)
}

// Shortening is a Language in which a thing may go by a shorter name.
type Shortening interface {
	// Short returns that name, "" if there is none.
	Short(y *Symbol) string
}

// languageOf returns who reads a file, by its name, and as what; nil for nobody.
func (r *Resolver) languageOf(file string) (Language, syntax.Language) {
	l := syntax.Detect(file, nil)
	i := slices.IndexFunc(r.languages, func(o Language) bool { return slices.Contains(o.Languages(), l) })
	if i < 0 {
		return nil, syntax.Unknown
	}
	return r.languages[i], l
}
