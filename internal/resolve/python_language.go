package resolve

import "codeintel/internal/syntax"

// Python is what this package knows of Python.
type Python struct{}

// Languages lists what the package understands.
func (Python) Languages() []syntax.Language { return []syntax.Language{syntax.Python} }

// pyMemory holds types that were inferred, by the place of the expression.
type pyMemory map[nodeKey]pyType

// NewMemory returns an empty memory.
func (Python) NewMemory() any { return make(pyMemory) }

// pyMemoryOf returns the memory that the files share.
func pyMemoryOf(u *unit) pyMemory { return u.memory.(pyMemory) }

// Bind finds the scopes of a file.
func (Python) Bind(u *unit) { bindPython(u) }

// Meaning says what stands at a name.
func (Python) Meaning(r *Resolver, s spot) meaning { return r.pyMeaning(s.u, s.n) }

// Roots returns nothing: an overriding method is another thing.
func (Python) Roots(*Resolver, *symbol) []*symbol { return nil }

// Aspects returns a: names of types and of values are not apart.
func (Python) Aspects(_ *symbol, a aspect) aspect { return a }

// QuotedName reports false: no member is named by a string.
func (Python) QuotedName(*unit, int32) bool { return false }

// Quoted returns the type that a string holds, if it does.
func (Python) Quoted(r *Resolver, u *unit, n int32) (code *unit, names func(yield func(string, uint32) bool)) {
	if u.kind(n) != "string" {
		return nil, nil
	}
	return r.quotedType(u, n), nil
}
