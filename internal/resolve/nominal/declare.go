package nominal

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A kind says what a symbol is.
type kind int

const (
	aType kind = iota
	aTypeParameter
	aMethod
	aConstructor
	aField
	aVariable // a local one, or a parameter
)

// A decl is what a language knows of a symbol. Nodes are -1 where there is none.
type decl struct {
	kind    kind
	name    int32
	written int32 // the type that it is given, or that it returns
	value   int32 // what it is made from
	how     how
	index   int // of a parameter

	static, private, abstract, variadic, final bool
	hides                                      bool // it takes the place of what it has the name of, and overrides it not
	rest                                       bool // variadic, and its type is written as an array
	component                                  bool // a field that is called like a method
	property                                   bool // a field that may override another
	arrays                                     int  // how many brackets follow the name

	hidden    bool // from all code: what was called by its name before
	extension bool // it is called on what receiver says, which is none of its parameters
	initial   bool // a parameter of a class, which its functions do not see
	unnamed   bool // a parameter that the function does not name
	many      bool // declared once for all platforms, and again for each
	part      int  // a variable is this component of the value, counted from 1; 0 where it is all of it

	params     []*resolve.Symbol
	optional   int // how many parameters may be left out
	typeParams []*resolve.Symbol
	receiver   int32 // of an extension: the type that it extends
	implements int32 // the interface whose member it is under that one's name alone
	owner      *resolve.Symbol

	supers       []int32 // of a type: those it is derived from, as written
	members      map[string][]*resolve.Symbol
	constructors []*resolve.Symbol
	pack         string            // of a type outside of all others: its package
	order        []string          // names of members
	word         string            // class, interface, enum, …
	components   []*resolve.Symbol // of a record
	canonical    *resolve.Symbol   // the constructor that a record has unsaid
	within       *resolve.Symbol   // of the body of a constant: its enumeration
	companion    *resolve.Symbol   // the object whose members are seen through the type's name
	alias        int32             // of another name for a type: that type
	plain        *string           // what plainType says; nil: it was not asked yet
}

// A how says how the type of a variable follows from the value of its declaration.
type how int

const (
	asValue     how = iota
	asElement       // one of what the value holds
	asParameter     // a parameter of a function without a name, whose node is the value
	asOwner         // an instance of the class that it is a member of: a constant of an enumeration
	asDelegate      // what reading the value gives: val a by lazy { … }
)

func declOf(y *resolve.Symbol) *decl {
	d, _ := y.Data.(*decl)
	return d
}

// A scope holds the names that a stretch of code declares, in order.
type scope struct {
	number int32
	node   int32
	outer  *scope
	names  map[string][]*resolve.Symbol
	class  *resolve.Symbol // whose members it sees
	self   int32           // a type or a function without a name: what is called on an object sees its members bare
	body   bool            // of a function: it does not see the parameters of the class around

	pack    string // of a package, whose names it sees
	hasPack bool
}

// An importLine is one thing that a file brings in.
type importLine struct {
	path    string // with dots
	name    string // under which it is known here, "" for everything in it
	members bool   // of a type: static imports
	shared  bool   // for the files around too
}

// A file is what is known of a file's own.
type file struct {
	all     []importLine // with those from other files; nil until asked for
	row     *row
	pack    string
	imports []importLine
	at      []int32  // the number of the scope around each node
	numbers []*scope // scopes by number
	scopes  map[int32]*scope
	top     *scope
	tops    map[string][]*resolve.Symbol // what is outside of all types and functions
	library bool

	extensions map[string][]*resolve.Symbol // by name

	values    map[int32]*resolve.Symbol // by the node of what a variable is given
	callables map[int32]*resolve.Symbol // by their node
}

// A binder goes over the nodes of a file once, in the order of the source, and
// recurses on nothing.
type binder struct {
	*resolve.Unit
	f    *file
	in   *scope
	open []*scope
}

// inPackage says in which package the rest of the file is.
func (b *binder) inPackage(name string) {
	b.f.pack, b.f.top.pack = name, name
}

func bind(u *resolve.Unit, r *row) {
	f := &file{
		row: r, scopes: map[int32]*scope{}, tops: map[string][]*resolve.Symbol{},
		extensions: map[string][]*resolve.Symbol{},
		values:     map[int32]*resolve.Symbol{}, callables: map[int32]*resolve.Symbol{},
	}
	memoryOf(u).files[u] = f
	b := &binder{Unit: u, f: f}
	f.at = make([]int32, len(u.Nodes))
	f.top = b.begin(0)
	f.top.hasPack = true
	for i := range u.Nodes {
		n := int32(i)
		for len(b.open) > 1 && n >= u.Nodes[b.in.node].Next {
			b.open = b.open[:len(b.open)-1]
			b.in = b.open[len(b.open)-1]
		}
		r.bind(b, n)
		f.at[i] = b.in.number
	}
}

// begin opens a scope that ends with its node.
func (b *binder) begin(node int32) *scope {
	if old := b.f.scopes[node]; old != nil {
		return old
	}
	s := &scope{node: node, self: -1, outer: b.in, names: map[string][]*resolve.Symbol{},
		number: int32(len(b.f.numbers))}
	b.f.numbers = append(b.f.numbers, s)
	b.f.scopes[node] = s
	b.open, b.in = append(b.open, s), s
	return s
}

// class returns the innermost class around, and nil where a function is nearer.
func (b *binder) class() *resolve.Symbol {
	return b.in.class
}

// declare makes a symbol of a name, which may be missing, and puts it in no scope.
func (b *binder) declare(k kind, name, node int32) *resolve.Symbol {
	y := &resolve.Symbol{
		Name: b.Text(name), Unit: b.Unit, Decls: []resolve.Decl{{Name: name, Node: node}},
		Data: &decl{kind: k, name: name, written: -1, value: -1, receiver: -1, implements: -1, alias: -1},
	}
	if name >= 0 {
		b.Owner[name] = y
	}
	return y
}

func (s *scope) add(y *resolve.Symbol) {
	if y.Name != "" {
		s.names[y.Name] = append(s.names[y.Name], y)
	}
}

// member puts a symbol among the members of the class around, or in the scope if
// there is none.
func (b *binder) member(y *resolve.Symbol) {
	c := b.class()
	if c == nil {
		if b.in.hasPack {
			declOf(y).pack = b.in.pack
			b.f.tops[y.Name] = append(b.f.tops[y.Name], y)
		}
		b.in.add(y)
		return
	}
	declOf(y).owner = c
	if y.Name == "" {
		return
	}
	if declOf(y).kind == aConstructor {
		declOf(c).constructors = append(declOf(c).constructors, y)
		return
	}
	m := declOf(c).members
	if m[y.Name] == nil {
		declOf(c).order = append(declOf(c).order, y.Name)
	}
	m[y.Name] = append(m[y.Name], y)
}

// typ declares a type and opens its scope.
func (b *binder) typ(name, node int32, word string, supers []int32) *resolve.Symbol {
	y := b.declare(aType, name, node)
	d := declOf(y)
	d.word, d.supers, d.members = word, supers, map[string][]*resolve.Symbol{}
	b.member(y)
	b.begin(node).class = y
	return y
}

// typeParameter declares a type parameter of what the scope belongs to.
func (b *binder) typeParameter(of *resolve.Symbol, name, node, bound int32) {
	y := b.declare(aTypeParameter, name, node)
	declOf(y).written = bound
	d := declOf(of)
	d.typeParams = append(d.typeParams, y)
	b.in.add(y)
}

// callable declares a method, a constructor or a function, and opens its scope.
func (b *binder) callable(k kind, name, node, returns int32) *resolve.Symbol {
	y := b.declare(k, name, node)
	declOf(y).written = returns
	b.member(y)
	b.f.callables[node] = y
	b.begin(node)
	return y
}

// parameter declares a parameter of a callable.
func (b *binder) parameter(of *resolve.Symbol, name, node, written int32) *resolve.Symbol {
	y := b.declare(aVariable, name, node)
	d := declOf(y)
	d.written = written
	if of != nil {
		d.index = len(declOf(of).params)
		declOf(of).params = append(declOf(of).params, y)
	}
	b.in.add(y)
	return y
}

// variable declares a local variable or, directly inside a class, a field.
func (b *binder) variable(name, node, written, value int32) *resolve.Symbol {
	if name < 0 {
		return nil
	}
	y := b.declare(aVariable, name, node)
	d := declOf(y)
	d.written, d.value = written, value
	if value >= 0 {
		b.f.values[value] = y
	}
	if b.class() != nil {
		d.kind = aField
	}
	b.member(y)
	return y
}

// local declares a local variable in the innermost scope.
func (b *binder) local(name, node, written, value int32, as how) *resolve.Symbol {
	y := b.declare(aVariable, name, node)
	d := declOf(y)
	d.written, d.value, d.how = written, value, as
	b.in.add(y)
	return y
}

// importing notes an import.
func (b *binder) importing(i importLine) { b.f.imports = append(b.f.imports, i) }

// has reports whether a word is in a node, as a modifier does.
func has(u *resolve.Unit, n int32, word string) bool {
	return n >= 0 && slices.Contains(strings.Fields(u.Text(n)), word)
}

// sections splits the declarations of a library at the lines that begin with
// "package ", and numbers them.
func sections(text string) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for i, part := range strings.Split("\n"+text, "\npackage ") {
			if i == 0 {
				continue
			}
			name, _, _ := strings.Cut(part, "\n")
			text := "package " + part
			if !strings.HasSuffix(name, ";") { // the language has another word for it
				_, text, _ = strings.Cut(part, "\n")
			}
			if !yield(strings.TrimRight(name, "; "), text) {
				return
			}
		}
	}
}

// lastOf is the part of a path after its last dot, and what comes before that.
func lastOf(path string) (before, last string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}
