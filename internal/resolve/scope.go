package resolve

// A ScopeKind says what a scope belongs to.
type ScopeKind int

const (
	ModuleScope ScopeKind = iota
	ClassScope            // its names are members: inner functions do not see them bare
	FunctionScope
	BlockScope // JavaScript's, and comprehensions
	TypeScope  // type parameters, members of interfaces and literals
)

// A Scope holds the names that a stretch of code declares.
type Scope struct {
	Kind  ScopeKind
	Node  int32
	Outer *Scope
	Unit  *Unit
	Names map[string]*Symbol
	Class *Symbol           // of a classScope: the class
	Sent  map[string]*Scope // global and nonlocal names: where they belong
	Stars []int32           // imports and exports of everything
}

// A Symbol is a thing that names stand for. It may be declared at several
// places: overloads, merged interfaces, a variable that is assigned again.
type Symbol struct {
	Name  string
	Unit  *Unit
	Scope *Scope // in which it is declared; nil for a file
	Decls []Decl
	Inner *Scope // of a class, an interface, an enum, an object: its members

	Bare bool // a member that is not seen as a bare name in the class's body: self.x
	Busy bool // its type is being inferred

	done     bool
	inferred any // its type, once done, as its language writes types

	Overridden []*Symbol // memory of roots

	Data any // what else its language knows of it
}

// A Decl is one place where a symbol is declared.
type Decl struct {
	Name int32  // node of the name
	Node int32  // what declares it
	How  string // "" what the node's kind says; "self" an attribute of self; "required" an import by a call; others are the language's
}

// Open adds a scope.
func (u *Unit) Open(kind ScopeKind, node int32, outer *Scope) *Scope {
	s := &Scope{Kind: kind, Node: node, Outer: outer, Unit: u, Names: map[string]*Symbol{}}
	u.Scopes[node] = s
	return s
}

// Walk goes over the nodes once, in the order of the source, and recurses on
// nothing. bind declares what a node declares in the scope around it, and returns
// the scope that the node opens, if any.
func (u *Unit) Walk(bind func(u *Unit, in *Scope, n int32) *Scope) {
	open := []*Scope{u.Top}
	for i := range u.Nodes {
		n := int32(i)
		for len(open) > 1 && n >= u.Nodes[open[len(open)-1].Node].Next {
			open = open[:len(open)-1]
		}
		if s := bind(u, open[len(open)-1], n); s != nil {
			open = append(open, s)
		}
	}
}

// DeclareAt declares what a name node says, if there is one.
func (u *Unit) DeclareAt(s *Scope, name, node int32) {
	if name >= 0 {
		s.Declare(u.Text(name), name, node)
	}
}

// Unblocked is the scope itself, or the nearest around it that is not of a block.
func (s *Scope) Unblocked() *Scope {
	for s != nil && s.Kind == BlockScope && s.Outer != nil {
		s = s.Outer
	}
	return s
}

// Declare adds a declaration to a symbol of a scope, which is made if new.
func (s *Scope) Declare(name string, at, node int32) *Symbol {
	if to := s.Sent[name]; to != nil {
		s = to
	}
	y := s.Names[name]
	if y == nil {
		y = &Symbol{Name: name, Unit: s.Unit, Scope: s}
		s.Names[name] = y
	}
	y.Bare = false
	y.AddDecl(Decl{Name: at, Node: node})
	s.Unit.Owner[at] = y
	return y
}

// maxDecls is how many declarations of one symbol are kept. Inference goes through them for each of its places.
const maxDecls = 1000

// AddDecl adds places where the symbol is declared, as far as there is room for more.
func (y *Symbol) AddDecl(more ...Decl) {
	y.Decls = append(y.Decls, more[:max(0, min(len(more), maxDecls-len(y.Decls)))]...)
}

// MostDepth bounds how deep inference goes into itself.
const MostDepth = 60

// ImportedAt reports whether a name is declared by an import.
func (y *Symbol) ImportedAt(n int32) bool {
	for _, d := range y.Decls {
		if d.Name == n {
			return y.Imported(d)
		}
	}
	return false
}

// Imported reports whether a declaration is an import.
func (y *Symbol) Imported(d Decl) bool {
	if d.How == "required" {
		return true
	}
	switch y.Unit.Kind(d.Node) {
	case "aliased_import", "dotted_name", "import_specifier", "namespace_import", "import_clause",
		"import_require_clause", "export_specifier", "namespace_export", "import_alias":
		return true
	}
	return false
}

// Innermost returns what is known of a node or, if nothing is, of the nearest one around it
// of which something is; outside of all of them, top.
func Innermost[T any](p *Parsed, n int32, known map[int32]*T, top *T) *T {
	for ; n >= 0; n = p.Parent(n) {
		if t := known[n]; t != nil {
			return t
		}
	}
	return top
}

// TypeParameters lists the type parameters that a node declares.
func (u *Unit) TypeParameters(n int32) []*Symbol {
	var all []*Symbol
	for c := range u.Children(u.Child(n, "type_parameters")) {
		if y := u.Owner[u.Child(c, "name")]; y != nil {
			all = append(all, y)
		}
	}
	return all
}

// ScopeAt returns the scope in which the names of a node are looked up.
func (u *Unit) ScopeAt(n int32) *Scope {
	from := n
	for at := n; at >= 0; at = u.Parent(at) {
		s := u.Scopes[at]
		if s == nil || at == from && s.Kind != ModuleScope {
			from = at
			continue
		}
		inside := true
		switch u.Kind(at) {
		case "function_definition", "class_definition":
			inside = u.Kind(from) == "block" || u.Field(from) == "body"
		case "lambda":
			inside = u.Field(from) == "body"
		}
		if inside {
			return s
		}
		if around := u.Scopes[u.Child(at, "type_parameters")]; around != nil {
			return around
		}
		from = at
	}
	if u.Host != nil {
		return u.Host.ScopeAt(u.HostNode)
	}
	return u.Top
}
