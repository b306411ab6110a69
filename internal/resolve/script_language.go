package resolve

import (
	"strings"

	"codeintel/internal/syntax"
)

// Family is what this package knows of JavaScript and TypeScript.
type Family struct{}

// Languages lists what the package understands.
func (Family) Languages() []syntax.Language {
	return []syntax.Language{syntax.JavaScript, syntax.TypeScript, syntax.TSX}
}

// tsMemory holds what was inferred from the files as they are.
type tsMemory struct {
	types      map[nodeKey]tsType // by the place of the expression
	specifiers map[string]*unit   // folder and module specifier -> file
	packaged   []scriptPackage    // nil until asked for
}

// NewMemory returns an empty memory.
func (Family) NewMemory() any {
	return &tsMemory{types: make(map[nodeKey]tsType), specifiers: make(map[string]*unit)}
}

// tsMemoryOf returns the memory that the files share.
func tsMemoryOf(u *unit) *tsMemory { return u.memory.(*tsMemory) }

// Bind finds the scopes of a file.
func (Family) Bind(u *unit) { bindScript(u) }

// Meaning says what stands at a name.
func (Family) Meaning(r *Resolver, s spot) meaning { return r.tsMeaning(s) }

// Roots returns a member together with those it overrides.
func (Family) Roots(r *Resolver, y *symbol) []*symbol { return r.tsRoots(y) }

// Aspects says as what a symbol is asked for.
func (Family) Aspects(y *symbol, a aspect) aspect { return y.aspects(a) }

// QuotedName reports whether a string is the name of a member, as in {"a": 1},
// x["a"] and X["a"].
func (Family) QuotedName(u *unit, n int32) bool {
	if u.kind(n) != "string" {
		return false
	}
	p := u.parent(n)
	switch u.kind(p) {
	case "subscript_expression":
		return u.field(n) == "index"
	case "literal_type":
		return u.kind(u.parent(p)) == "lookup_type" && u.first(u.parent(p)) != p
	}
	return u.field(n) == "key" && u.kind(p) == "pair" || u.field(n) == "name"
}

// Quoted returns the links of a comment.
func (Family) Quoted(_ *Resolver, u *unit, n int32) (code *unit, names func(yield func(string, uint32) bool)) {
	if u.kind(n) != "comment" {
		return nil, nil
	}
	return nil, links(u.of(n))
}

// links yields the names that a comment links to or documents, and where they
// stand in it.
func links(comment string) func(yield func(string, uint32) bool) {
	return func(yield func(string, uint32) bool) {
		if !strings.HasPrefix(comment, "/**") {
			return
		}
		for _, tag := range []string{"{@link ", "{@linkcode ", "{@linkplain ", "@see ", "@param "} {
			for from := 0; ; {
				i := strings.Index(comment[from:], tag)
				if i < 0 {
					break
				}
				at := from + i + len(tag)
				from = at
				if comment[at:] != "" && comment[at] == '{' { // @param {string} name
					end := strings.IndexByte(comment[at:], '}')
					if end < 0 {
						break
					}
					at += end + 1
				}
				for at < len(comment) && (comment[at] == ' ' || comment[at] == '[') {
					at++
				}
				if word := leadingName(comment[at:]); word != "" && !yield(word, uint32(at)) {
					return
				}
			}
		}
	}
}
