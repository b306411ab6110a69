// Package nominal resolves names in languages with declared types and classes, such as Java, C# and Kotlin.
// It is one engine with a row for each language, in a file of its own (java.go is the one to start from).
//
// A row turns nodes of the language's trees into what all such languages have:
//
//   - bind declares what a node declares, by the methods of [binder]: types with
//     their members and supertypes, functions with their parameters, variables,
//     imports, and the scopes between them;
//   - expr reads a node as an expression: a name, a member, a call, a cast, a
//     function without a name, …, or as several of which it is one;
//   - typed reads a node as a type that is written there;
//   - mean says what is at a name that is none of these: in an import, at a
//     named argument, in a package's own name. It may be left out.
//
// The engine does the rest. Names are looked up in the scopes around them, in
// the classes around those and what they inherit, in imports, in the own package
// and in what every file sees. What follows a dot is looked up in the type of
// what comes before it. Type arguments are followed through supertypes, members
// and calls; parameters of functions without a name have the type that is wanted
// of the function. Of overloads those are left that take the arguments, by their
// number and then by their types. A method and those that it overrides are one
// family.
//
// A row may bring declarations of its language's standard library, written in the
// language (folder library). They say what is known of the library's types, and
// are no places of the project. All other libraries stay unknown, and so does
// whatever depends on them.
//
// Languages of one family see each other's types, as Kotlin sees those of Java.
package nominal

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// A Family is what this package knows of languages that see each other's types.
type Family struct {
	resolve.Plain
	rows []*row
}

// A row is what the engine is told of one language.
type row struct {
	language syntax.Language
	names    []string // kinds of nodes that are names

	bind  func(b *binder, n int32)
	expr  func(u *resolve.Unit, n int32) expr
	typed func(u *resolve.Unit, n int32) written
	mean  func(c *context, n int32) (resolve.Meaning, bool)

	value   func(c *context, n int32) ([]member, bool)                     // a bare name that means something special
	implied func(c *context, v value, name string, called bool) union      // the type of a member without declaration
	base    func(c *context, class *resolve.Symbol) union                  // what a class is derived from unsaid
	narrow  func(c *context, n int32) union                                // what tests around a node say of its type
	slot    func(u *resolve.Unit, argument int32) (name string, last bool) // the parameter that an argument is given to, if not that of its place
	quoted  func(u *resolve.Unit, n int32) string                          // the name that a piece of a string is

	members    memberRules
	implicit   []string          // packages whose types every file sees: java.lang
	primitives map[string]string // names of types that the language itself uses -> their class
	shared     string            // how names of files end whose imports may be for the files around too
	library    string            // declarations of the standard library
	boxes      map[string]string // types that are no classes -> the class that takes their place
	top        string            // the class that all others are derived from
	ofTop      []string          // what classes have of that, if not all
	returns    []string          // kinds of statements that return a value
	element    []string          // members that give the element of what one goes over, in order
	item       string            // the method that an index in brackets calls
	suffix     string            // of classes that attributes name without it
}

// memberRules says where languages differ about members.
type memberRules struct {
	overloads      bool // a class may have several methods of a name
	parts          bool // a class may be declared in several places
	privateToFile  bool // what is private is not seen from other files
	nestedPackages bool // a package sees those that its name begins with
	extensions     bool // functions may be called as members of what they take first
	receivers      bool // functions may be called on an object that they see bare; classes are called to make instances
	methodValues   bool // the name of a method that is not called is a value; methods that override take as many type arguments
}

// Short returns the name by which attributes name a class.
func (f *Family) Short(y *resolve.Symbol) string {
	suffix := fileOf(y.Unit).row.suffix
	if short, ok := strings.CutSuffix(y.Name, suffix); ok && suffix != "" && declOf(y) != nil && declOf(y).kind == aType {
		return short
	}
	return ""
}

// Languages lists those of the family.
func (f *Family) Languages() []syntax.Language {
	var all []syntax.Language
	for _, r := range f.rows {
		all = append(all, r.language)
	}
	return all
}

// memory holds what was inferred from the files as they are.
type memory struct {
	shared   []*resolve.Unit         // files with imports for the files around them
	built    map[string][]importLine // by folder: what the build imports into its files
	gathered bool                    // shared and built
	files    map[*resolve.Unit]*file
	types    resolve.Inferred[union]      // of expressions
	busy     map[resolve.NodeKey]bool     // expressions that are being inferred
	writtens resolve.Inferred[union]      // of types that are written
	selves   map[resolve.NodeKey]union    // what functions without a name are called on
	named    map[string][]*resolve.Symbol // by name: what is outside of all types
	supers   map[*resolve.Symbol]union
	family   map[*resolve.Symbol][]*resolve.Symbol

	declaring map[string][]*resolve.Symbol // by name: functions, members and what extends something
	library   []*resolve.Unit
	loaded    bool
}

// NewMemory returns an empty memory.
func (f *Family) NewMemory() any {
	return &memory{
		files:    map[*resolve.Unit]*file{},
		types:    resolve.Inferred[union]{},
		busy:     map[resolve.NodeKey]bool{},
		writtens: resolve.Inferred[union]{},
		selves:   map[resolve.NodeKey]union{},
		named:    map[string][]*resolve.Symbol{},
		supers:   map[*resolve.Symbol]union{},
		family:   map[*resolve.Symbol][]*resolve.Symbol{},

		declaring: map[string][]*resolve.Symbol{},
	}
}

func memoryOf(u *resolve.Unit) *memory { return u.Memory.(*memory) }

// fileOf returns what is known of a file that is bound.
func fileOf(u *resolve.Unit) *file { return memoryOf(u).files[u] }

// rowOf returns the row of a file's language.
func rowOf(u *resolve.Unit) *row { return fileOf(u).row }

// A context is a resolver at work on one file.
type context struct {
	*resolve.Resolver
	u *resolve.Unit
	f *file
}

func contextOf(r *resolve.Resolver, u *resolve.Unit) *context { return &context{r, u, fileOf(u)} }

// Bind finds what each scope of a file declares.
func (f *Family) Bind(_ *resolve.Resolver, u *resolve.Unit) {
	i := slices.IndexFunc(f.rows, func(r *row) bool { return r.language == u.Lang })
	bind(u, f.rows[i])
}

// Meaning says what is at a name.
func (f *Family) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	c := contextOf(r, s.Unit)
	if _, ok := annotated(s.Unit, s.Node); ok {
		return c.annotatedMeaning(s)
	}
	if q := c.f.row.quoted; q != nil {
		if name := q(s.Unit, s.Node); name != "" {
			return c.wordMeaning(s.Node, name)
		}
	}
	return c.withPlatforms(c.meaningAt(s.Node))
}

// Roots returns a member together with those of the project that it overrides.
func (f *Family) Roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	return rootsOf(r, y)
}

// QuotedName reports whether a node is a name to its language alone.
func (f *Family) QuotedName(u *resolve.Unit, n int32) bool {
	return slices.Contains(rowOf(u).names, u.Kind(n))
}

// Mentions reports whether a name is in quotes, alone or in a path: annotations name what they use so.
func (f *Family) Mentions(text, name string) bool {
	return resolve.ContainsName(text, name, `".:#@(,`, `".:#(),`)
}

// Quoted returns the names of a path in quotes that an annotation is given, and the name behind a sign in a
// string, where the grammar takes it for text.
func (f *Family) Quoted(_ *resolve.Resolver, u *resolve.Unit,
	n int32) (*resolve.Unit, func(yield func(string, uint32) bool)) {
	if p, ok := annotated(u, n); ok {
		return nil, p.Names
	}
	row := rowOf(u)
	if row.quoted == nil {
		return nil, nil
	}
	name := row.quoted(u, n)
	if name == "" {
		return nil, nil
	}
	return nil, func(yield func(string, uint32) bool) { yield(name, 0) }
}

// has reports whether the project has files of a language.
func (c *context) has(l syntax.Language) bool {
	for path := range c.Files {
		if syntax.Detect(path, nil) == l {
			return true
		}
	}
	return false
}

// library returns the declarations of the standard libraries of a family.
func library(c *context) []*resolve.Unit {
	m := memoryOf(c.u)
	if m.loaded {
		return m.library
	}
	m.loaded = true
	for _, row := range c.u.Language.(*Family).rows {
		if row.members.receivers && !c.has(row.language) {
			continue
		}
		for name, text := range sections(row.library) {
			u := c.Library(c.u.Language, row.language, name, text)
			if u == nil {
				continue
			}
			fileOf(u).library = true
			m.library = append(m.library, u)
		}
	}
	return m.library
}
