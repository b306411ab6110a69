// Package typescript resolves names in JavaScript and TypeScript: by scopes, modules and inferred
// types. Package resolve calls it for each file that may mention a name, when references to
// that name are asked for.
package typescript

import (
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/resolve/typescript/specifier"
	"codeintel/internal/syntax"
)

// Language is what this package knows of JavaScript and TypeScript.
type Language struct{}

// Languages lists what the package understands.
func (Language) Languages() []syntax.Language {
	return []syntax.Language{syntax.JavaScript, syntax.TypeScript, syntax.TSX}
}

// memory holds what was inferred from the files as they are.
type memory struct {
	types      resolve.Inferred[union]  // by the place of the expression
	specifiers map[string]*resolve.Unit // folder and module specifier -> file
	project    *specifier.Project       // nil until asked for
	mixed      map[resolve.NodeKey][]mixture
	docs       map[*resolve.Unit]*docs
	library    map[string]*resolve.Symbol            // members of what functions of the language's library take
	globals    map[string]globalName                 // by name
	modules    map[*resolve.Unit]bool                // whether they are
	alike      map[*resolve.Symbol][]*resolve.Symbol // of members of literals: those of the form that is asked for
	unowned    map[resolve.NodeKey]*resolve.Symbol   // members that are assigned to what is not known, by their names
	within     map[[2]*environment]*environment      // while one is put in another: those that have been
}

// NewMemory returns an empty memory.
func (Language) NewMemory() any {
	return &memory{types: resolve.Inferred[union]{}, specifiers: map[string]*resolve.Unit{},
		mixed: map[resolve.NodeKey][]mixture{}, alike: map[*resolve.Symbol][]*resolve.Symbol{},
		docs: map[*resolve.Unit]*docs{}, library: map[string]*resolve.Symbol{}, unowned: map[resolve.NodeKey]*resolve.Symbol{},
		globals: map[string]globalName{}, modules: map[*resolve.Unit]bool{}}
}

// memoryOf returns the memory that the files share.
func memoryOf(u *resolve.Unit) *memory { return u.Memory.(*memory) }

// Bind finds the scopes of a file.
func (Language) Bind(_ *resolve.Resolver, u *resolve.Unit) { bind(u) }

// Meaning says what is at a name.
func (Language) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning { return meaningAt(r, s) }

// Roots returns a member together with those it overrides.
func (Language) Roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol { return rootsOf(r, y) }

// Aspects says as what a symbol is asked for.
func (Language) Aspects(y *resolve.Symbol, a resolve.Aspect) resolve.Aspect { return widenAspect(y, a) }

// BareLocal says that a local is meant by its bare name alone, and always known to be.
func (Language) BareLocal(*resolve.Symbol) bool { return true }

// HandsOut returns the name that a node of a literal, or an assignment, gives to a member and to
// what the member is, or "".
func (Language) HandsOut(u *resolve.Unit, n int32) string {
	name, value := int32(-1), int32(-1)
	switch u.Kind(n) {
	case "shorthand_property_identifier":
		return u.Text(n)
	case "pair":
		name, value = u.Child(n, "key"), u.Child(n, "value")
	case "assignment_expression":
		name, value = memberName(u, u.Child(n, "left")), u.Child(n, "right")
	}
	if name >= 0 && u.Kind(value) == "identifier" && resolve.Unquote(u.Text(name)) == u.Text(value) {
		return u.Text(value)
	}
	return ""
}

// QuotedName reports whether a string is the name of a member, as in {"a": 1},
// x["a"] and X["a"].
func (Language) QuotedName(u *resolve.Unit, n int32) bool {
	if u.Kind(n) != "string" {
		return false
	}
	p := u.Parent(n)
	switch u.Kind(p) {
	case "subscript_expression":
		return u.Field(n) == "index"
	case "arguments":
		return u.Owner[n] != nil // Object.defineProperty(a, "b", …)
	case "literal_type":
		return u.Kind(u.Parent(p)) == "lookup_type" && u.First(u.Parent(p)) != p
	}
	return u.Field(n) == "key" && u.Kind(p) == "pair" || u.Field(n) == "name"
}

// Quoted returns the links of a comment, and the types that comments tell.
func (Language) Quoted(_ *resolve.Resolver, u *resolve.Unit, n int32) (code *resolve.Unit,
	names func(yield func(string, uint32) bool)) {
	if u.Kind(n) != "comment" {
		return nil, nil
	}
	if d := docsOf(u); d != nil && d.first == n { // all of the file, at once
		code = d.unit
	}
	return code, commentLinks(u.Text(n))
}

// commentLinks yields the names that a comment links to or documents, and where they
// stand in it.
func commentLinks(comment string) func(yield func(string, uint32) bool) {
	return func(yield func(string, uint32) bool) {
		if !strings.HasPrefix(comment, "/**") {
			return
		}
		for _, tag := range []string{"{@link ", "{@linkcode ", "{@linkplain ", "@see ", "@param "} {
			for at := 0; ; {
				i := strings.Index(comment[at:], tag)
				if i < 0 {
					break
				}
				at += i + len(tag)
				name := linkedName(comment[at:])
				if word := resolve.LeadingName(name); word != "" && !yield(word, uint32(len(comment)-len(name))) {
					return
				}
			}
		}
	}
}

// Mentions reports whether a name is in quotes, or in documentation.
func (Language) Mentions(text, name string) bool {
	return resolve.ContainsName(text, name, resolve.Quotes, resolve.Quotes) || resolve.InDocumentation(text, name)
}

// linkedName returns what follows a tag from its name on: a type in braces may be
// before it, as in @param {string} name.
func linkedName(rest string) string {
	if strings.HasPrefix(rest, "{") {
		closed := closingBrace(rest, 0)
		if closed < 0 {
			return ""
		}
		rest = rest[closed+1:]
	}
	return strings.TrimLeft(rest, " [")
}

// Inherited finds what a class or an interface has of a name from its bases.
func (Language) Inherited(r *resolve.Resolver, y *resolve.Symbol, name string) []resolve.Spot {
	if y.Inner == nil {
		return nil
	}
	for _, k := range []valueKind{kindInstance, kindClass} {
		found, _ := membersOfValue(r, value{kind: k, sym: y}, name)
		for _, m := range found {
			return resolve.Spots(m.symbol)
		}
	}
	return nil
}
