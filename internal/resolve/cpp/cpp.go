// Package cpp resolves names in C and C++, by scopes and inferred types.
//
// What a file sees is what it includes, directly or not, in all branches of
// conditional compilation. Things are distinguished by their qualified name, and
// functions of C++ by the types of their parameters too; those that only one file
// can see are distinguished by the file as well. So a declaration in a header and the
// definition in a source are one thing.
package cpp

import (
	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// Language is what this package knows of C and C++.
type Language struct{ resolve.Plain }

// Languages lists what the package understands.
func (Language) Languages() []syntax.Language { return []syntax.Language{syntax.C, syntax.CPP} }

// A memory is what is known of all files.
type memory struct {
	tables     map[*resolve.Unit]*table
	seen       map[*resolve.Unit][]*table // what a file sees: itself, then what it includes
	looked     map[lookKey][]*decl
	things     map[string]*resolve.Symbol // by key
	maybes     map[*resolve.Symbol]*resolve.Symbol
	candidates map[*resolve.Symbol]*resolve.Symbol // what a maybe may mean
	facts      map[*resolve.Symbol]*decl           // a declaration of a thing
	types      resolve.Inferred[union]
	written    resolve.Inferred[union] // by the place of a type
	busy       map[*decl]bool
	owning     map[*decl]bool // whose owner is being looked for
	deriving   map[*decl]bool // classes whose bases are being read
	flags      *flags

	spaces     map[string]*spaceMacro // by the name of a macro
	spaceNames map[string]string      // of namespaces, by the macro that stands for the name
	reverse    map[string][]string    // file -> files that include it; nil until asked for
}

// A lookKey asks for a name in a scope as a file sees it.
type lookKey struct {
	unit *resolve.Unit
	name scopedName
}

// A scopedName is a name and the path of the namespace or class that contains it.
type scopedName struct{ path, name string }

// NewMemory returns an empty memory.
func (Language) NewMemory() any {
	return &memory{
		tables: map[*resolve.Unit]*table{}, seen: map[*resolve.Unit][]*table{}, looked: map[lookKey][]*decl{},
		things: map[string]*resolve.Symbol{}, maybes: map[*resolve.Symbol]*resolve.Symbol{},
		candidates: map[*resolve.Symbol]*resolve.Symbol{}, facts: map[*resolve.Symbol]*decl{},
		types: resolve.Inferred[union]{}, busy: map[*decl]bool{}, owning: map[*decl]bool{},
		written: resolve.Inferred[union]{}, deriving: map[*decl]bool{},
		spaces: map[string]*spaceMacro{}, spaceNames: map[string]string{},
	}
}

// memoryOf returns the memory that the files share.
func memoryOf(u *resolve.Unit) *memory { return u.Memory.(*memory) }

// tableOf returns what a file declares.
func tableOf(u *resolve.Unit) *table { return memoryOf(u).tables[u] }

// Bind finds the scopes of a file.
func (Language) Bind(r *resolve.Resolver, u *resolve.Unit) { bind(r, u) }

// Meaning says what is at a name.
func (Language) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning { return meaningAt(r, s) }

// Roots returns a function with those that it overrides, and a thing that may be
// meant with what is sure.
func (Language) Roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol { return roots(r, y) }

// Apart says that functions which override the same one are different things.
func (Language) Apart() bool { return true }

// Quoted returns the names in the text of a macro.
func (Language) Quoted(
	_ *resolve.Resolver, u *resolve.Unit, n int32,
) (code *resolve.Unit, names func(yield func(string, uint32) bool)) {
	if u.Kind(n) != "preproc_arg" {
		return nil, nil
	}
	return nil, func(yield func(string, uint32) bool) { words(u.Text(n), yield) }
}

// words yields the names in the text of a macro with where they begin, those in
// strings and comments left out.
func words(text string, yield func(string, uint32) bool) {
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '"' || c == '\'':
			at = quoteEnd(text, at)
		case c == '/' && at+1 < len(text) && text[at+1] == '/':
			for at < len(text) && text[at] != '\n' {
				at++
			}
		case c == '/' && at+1 < len(text) && text[at+1] == '*':
			at += 2
			for at < len(text) && (text[at-1] != '*' || text[at] != '/') {
				at++
			}
			at++
		case wordByte(c):
			end := at
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			if (c < '0' || c > '9') && !yield(text[at:end], uint32(at)) {
				return
			}
			at = end
		default:
			at++
		}
	}
}

// quoteEnd returns where a string or a character ends that begins at a place.
func quoteEnd(text string, at int) int {
	for i := at + 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			if i++; text[at] == '\'' && i < len(text) && text[i] == '\n' {
				return at + 1 // an apostrophe
			}
		case text[at]:
			return i + 1
		}
	}
	return at + 1
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}
