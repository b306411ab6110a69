package resolve

// A scopeKind says what a scope belongs to.
type scopeKind int

const (
	moduleScope scopeKind = iota
	classScope            // its names are members: inner functions do not see them bare
	functionScope
	blockScope // JavaScript's, and comprehensions
	typeScope  // type parameters, members of interfaces and literals
)

// A scope holds the names that a stretch of code declares.
type scope struct {
	kind  scopeKind
	node  int32
	outer *scope
	unit  *unit
	names map[string]*symbol
	class *symbol           // of a classScope: the class
	sent  map[string]*scope // global and nonlocal names: where they belong
	stars []int32           // imports and exports of everything
}

// A symbol is a thing that names stand for. It may be declared at several
// places: overloads, merged interfaces, a variable that is assigned again.
type symbol struct {
	name  string
	unit  *unit
	scope *scope // in which it is declared; nil for a file
	decls []decl
	inner *scope // of a class, an interface, an enum, an object: its members

	bare bool // a member that is not seen as a bare name in the class's body: self.x
	busy bool // its type is being inferred
	py   pyType
	ts   tsType
	done bool
	up   []*symbol // memory of roots
}

// A decl is one place where a symbol is declared.
type decl struct {
	name int32  // node of the name
	node int32  // what declares it
	how  string // "" what the node's kind says; "self" an attribute of self
}

// open adds a scope.
func (u *unit) open(kind scopeKind, node int32, outer *scope) *scope {
	s := &scope{kind: kind, node: node, outer: outer, unit: u, names: map[string]*symbol{}}
	u.scopes[node] = s
	return s
}

// declare adds a declaration to a symbol of a scope, which is made if new.
func (s *scope) declare(name string, at, node int32) *symbol {
	if to := s.sent[name]; to != nil {
		s = to
	}
	y := s.names[name]
	if y == nil {
		y = &symbol{name: name, unit: s.unit, scope: s}
		s.names[name] = y
	}
	y.bare = false
	y.decls = append(y.decls, decl{name: at, node: node})
	s.unit.owner[at] = y
	return y
}
