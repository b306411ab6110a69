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
	done bool

	inferred any // its type, once done, as its language writes types

	up []*symbol // memory of roots
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

// mostDepth bounds how deep inference goes into itself.
const mostDepth = 60

// mostAlternatives bounds how many things a value may be.
const mostAlternatives = 24

// importedAt reports whether a name is declared by an import.
func (y *symbol) importedAt(n int32) bool {
	for _, d := range y.decls {
		if d.name == n {
			return y.imported(d)
		}
	}
	return false
}

// imported reports whether a declaration is an import.
func (y *symbol) imported(d decl) bool {
	switch y.unit.kind(d.node) {
	case "aliased_import", "dotted_name", "import_specifier", "namespace_import", "import_clause", "import_require_clause", "export_specifier", "namespace_export", "import_alias":
		return true
	}
	return false
}

// scopeAt returns the scope in which the names of a node are looked up.
func (u *unit) scopeAt(n int32) *scope {
	from := n
	for at := n; at >= 0; at = u.parent(at) {
		s := u.scopes[at]
		if s == nil || at == from && s.kind != moduleScope {
			from = at
			continue
		}
		inside := true
		switch u.kind(at) {
		case "function_definition", "class_definition":
			inside = u.kind(from) == "block" || u.field(from) == "body"
		case "lambda":
			inside = u.field(from) == "body"
		}
		if inside {
			return s
		}
		from = at
	}
	if u.host != nil {
		return u.host.scopeAt(u.hostNode)
	}
	return u.top
}
