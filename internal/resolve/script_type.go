package resolve

import (
	"maps"
	"slices"
)

// A tsType is what a value may be: any of several. The parts of an
// intersection stand in it like those of a union. An empty one is unknown.
type tsType []tsValue

// A tsKind says what a tsValue is.
type tsKind int

const (
	tsInstance  tsKind = iota // of a class, an interface or an enumeration
	tsClass                   // a class itself, an enumeration, a namespace
	tsFunction                // what can be called
	tsObject                  // a literal, or the type of one
	tsParameter               // a type parameter
	tsFile                    // a module as a whole
	tsLibrary                 // something of the language's library, by name
	tsCallback                // what a method of the library calls: args are its parameters
	tsIndexed                 // a member, by name, of what is not known before its type parameters are
)

// A tsValue is one thing that a value may be.
type tsValue struct {
	kind tsKind
	sym  *symbol
	unit *unit // of a function or an object
	node int32
	env  *tsEnv // what its type parameters are
	name string // of the library
	args []tsType
}

// A tsEnv says what type parameters are. What it says may hang on the
// parameters of an outer one.
type tsEnv struct {
	vars  map[*symbol]tsType
	outer *tsEnv
	depth int
}

func newEnv(vars map[*symbol]tsType, outer *tsEnv) *tsEnv {
	if len(vars) == 0 {
		return outer
	}
	d := 1
	if outer != nil {
		d = outer.depth + 1
	}
	if d > 12 {
		return nil
	}
	return &tsEnv{vars, outer, d}
}

func library(name string, args ...tsType) tsType {
	return tsType{{kind: tsLibrary, name: name, args: args}}
}

// joinTS puts what may be together, each thing once.
func joinTS(a, b tsType) tsType {
	if len(a) == 0 {
		return b
	}
	all := a[:len(a):len(a)]
	for _, v := range b {
		if len(all) >= mostAlternatives {
			break
		}
		if !slices.ContainsFunc(all, func(o tsValue) bool {
			return o.kind == v.kind && o.sym == v.sym && o.unit == v.unit && o.node == v.node && o.name == v.name && len(o.args) == len(v.args) && (len(v.args) == 0 || (v.kind == tsLibrary || v.kind == tsIndexed) && sameArgs(o.args, v.args))
		}) {
			all = append(all, v)
		}
	}
	return all
}

func sameArgs(a, b []tsType) bool {
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return false
		}
		for j := range a[i] {
			if x, y := a[i][j], b[i][j]; x.kind != y.kind || x.sym != y.sym || x.node != y.node || x.name != y.name {
				return false
			}
		}
	}
	return true
}

// subst puts what type parameters are in their place.
func (r *Resolver) subst(t tsType, env *tsEnv) tsType {
	if env == nil || len(t) == 0 || r.depth > mostDepth || !r.step() {
		return t
	}
	r.depth++
	defer func() { r.depth-- }()
	var all tsType
	for _, v := range t {
		switch v.kind {
		case tsParameter:
			all = joinTS(all, r.ofParameter(v, env))
			continue
		case tsFunction, tsObject:
			if v.env == nil {
				v.env = env
			} else if v.env != env {
				vars := make(map[*symbol]tsType, len(v.env.vars))
				for p, a := range v.env.vars {
					vars[p] = r.subst(a, env)
				}
				v.env = newEnv(vars, env)
			}
		}
		if len(v.args) > 0 {
			args := make([]tsType, len(v.args))
			for i, a := range v.args {
				args[i] = r.subst(a, env)
			}
			v.args = args
			if v.kind == tsIndexed && !undecided(args[0]) {
				all = joinTS(all, r.ofMembers(args[0], v.name))
				continue
			}
		}
		all = joinTS(all, tsType{v})
	}
	return all
}

// undecided reports whether a type hangs on type parameters as a whole.
func undecided(t tsType) bool {
	return slices.ContainsFunc(t, func(v tsValue) bool { return v.kind == tsParameter || v.kind == tsIndexed })
}

// ofParameter is what a type parameter is in an environment: itself if that
// does not say.
func (r *Resolver) ofParameter(v tsValue, env *tsEnv) tsType {
	for e := env; e != nil; e = e.outer {
		if t, ok := e.vars[v.sym]; ok {
			if len(t) == 0 {
				break
			}
			if e.outer != nil {
				return r.subst(t, e.outer)
			}
			return t
		}
	}
	return tsType{v}
}

// typeParameters lists the type parameters of a declaration.
func (u *unit) typeParameters(n int32) []*symbol {
	var all []*symbol
	for c := range u.children(u.child(n, "type_parameters")) {
		if y := u.owner[u.child(c, "name")]; y != nil {
			all = append(all, y)
		}
	}
	return all
}

// argumentsEnv binds the type parameters of a class or interface, as each of
// its declarations names them, to the arguments of a value.
func (r *Resolver) argumentsEnv(v tsValue) *tsEnv {
	if v.sym == nil || v.kind != tsInstance && v.kind != tsClass {
		return v.env
	}
	vars := map[*symbol]tsType{}
	for _, d := range v.sym.decls {
		for i, p := range v.sym.unit.typeParameters(d.node) {
			if i < len(v.args) {
				vars[p] = v.args[i]
			} else if def := v.sym.unit.child(v.sym.unit.parent(p.decls[0].name), "value"); def >= 0 {
				vars[p] = r.subst(r.tsAnnotation(v.sym.unit, def), newEnv(maps.Clone(vars), nil))
			}
		}
	}
	return newEnv(vars, nil)
}

// tsBases lists what a class or an interface is derived from. implements
// counts only where asked for: a class does not inherit from it.
func (r *Resolver) tsBases(v tsValue, implements bool) []tsValue {
	var all tsType
	y := v.sym
	for _, d := range y.decls {
		u := y.unit
		switch u.kind(d.node) {
		case "class_declaration", "abstract_class_declaration", "class":
			heritage := u.first(d.node, "class_heritage")
			for c := range u.children(heritage) {
				switch u.kind(c) {
				case "extends_clause":
					all = append(all, r.tsExtends(u, c)...)
				case "implements_clause":
					if implements {
						for t := range u.children(c) {
							all = append(all, r.tsAnnotation(u, t)...)
						}
					}
				default: // JavaScript has the expression alone
					all = append(all, r.instances(r.tsExpr(u, c), nil)...)
				}
			}
		case "interface_declaration":
			for c := range u.children(u.first(d.node, "extends_type_clause", "extends_clause")) {
				all = append(all, r.tsAnnotation(u, c)...)
			}
		}
	}
	return r.subst(all, r.argumentsEnv(v))
}

// tsExtends is the base class of an extends clause, with its arguments.
func (r *Resolver) tsExtends(u *unit, clause int32) tsType {
	value := u.child(clause, "value")
	var args []tsType
	for c := range u.children(u.child(clause, "type_arguments")) {
		args = append(args, r.tsAnnotation(u, c))
	}
	return r.instances(r.tsExpr(u, value), args)
}

// instances makes instances of classes.
func (r *Resolver) instances(t tsType, args []tsType) tsType {
	var all tsType
	for _, v := range t {
		switch v.kind {
		case tsClass:
			all = append(all, tsValue{kind: tsInstance, sym: v.sym, args: args})
		case tsObject, tsInstance: // something with a construct signature
			for _, m := range r.signatures(v, newSignature) {
				all = append(all, r.resultOf(m, nil, -1, args)...)
			}
		case tsFunction:
			if v.unit.kind(v.node) == "constructor_type" {
				all = append(all, r.resultOf(v, nil, -1, args)...)
			}
		}
	}
	return all
}

// A tsMember is a member with what the type parameters around it are.
type tsMember struct {
	symbol *symbol
	env    *tsEnv
	self   tsValue
}

// tsMembers finds a member of everything a value may be. known is false if
// that, or a part of it that could have one, is unknown.
func (r *Resolver) tsMembers(t tsType, name string) (all []tsMember, known bool) {
	if len(t) == 0 {
		return nil, false
	}
	known = true
	for _, v := range t {
		found, ok := r.tsMembersOf(v, name)
		all = append(all, found...)
		known = known && ok
	}
	return all, known || len(all) > 0
}

// tsMembersOf finds a member of one thing, the nearest.
func (r *Resolver) tsMembersOf(v tsValue, name string) (all []tsMember, known bool) {
	if !r.step() || r.depth > mostDepth {
		return nil, false
	}
	r.depth++
	defer func() { r.depth-- }()
	switch v.kind {
	case tsInstance:
		return r.inherited(v, name)
	case tsClass:
		return r.inherited(v, static+name)
	case tsObject:
		return r.membersOfObject(v, name)
	case tsParameter, tsIndexed:
		return r.tsMembers(r.limitOf(v), name)
	case tsFile:
		if y := r.tsExport(v.unit, name); y != nil {
			return []tsMember{{symbol: y}}, true
		}
		return nil, true
	case tsLibrary:
		return nil, true
	}
	return nil, v.kind == tsFunction
}

// inherited finds a member of a class or interface or of its bases.
func (r *Resolver) inherited(v tsValue, name string) (all []tsMember, known bool) {
	known = true
	seen := map[*symbol]bool{}
	todo := []tsValue{v}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.kind == tsObject || c.kind == tsParameter || c.kind == tsIndexed {
			found, _ := r.tsMembersOf(c, name)
			if len(found) > 0 {
				return found, true
			}
			continue
		}
		if c.sym == nil || seen[c.sym] || !r.step() {
			known = known && c.kind == tsLibrary
			continue
		}
		seen[c.sym] = true
		if c.sym.inner != nil {
			if y := c.sym.inner.names[name]; y != nil {
				return []tsMember{{y, r.argumentsEnv(c), c}}, true
			}
		}
		bases := r.tsBases(c, false)
		for i := range bases {
			if v.kind == tsClass && bases[i].kind == tsInstance {
				bases[i].kind = tsClass
			}
		}
		todo = append(todo, bases...)
	}
	return nil, known
}

// membersOfObject finds a member of a literal, or of what is spread into it.
func (r *Resolver) membersOfObject(v tsValue, name string) (all []tsMember, known bool) {
	if s := v.unit.members[v.node]; s != nil {
		if y := s.names[name]; y != nil {
			return []tsMember{{y, v.env, v}}, true
		}
	}
	known = true
	for c := range v.unit.children(v.node) {
		if v.unit.kind(c) == "spread_element" {
			found, ok := r.tsMembers(r.tsExpr(v.unit, v.unit.first(c)), name)
			all, known = append(all, found...), known && ok
		}
	}
	return all, known
}

// limitOf is what a type parameter is known to be: what it extends.
func (r *Resolver) limitOf(v tsValue) tsType {
	if v.kind == tsIndexed {
		return r.ofMembers(v.args[0], v.name)
	}
	u, d := v.sym.unit, v.sym.decls[0]
	if c := u.child(d.node, "constraint"); c >= 0 {
		return r.tsAnnotation(u, u.first(c))
	}
	return nil
}

// tsRoots returns a member together with what it overrides, all the way up.
func (r *Resolver) tsRoots(s *symbol) []*symbol {
	if s.up != nil {
		return s.up
	}
	s.up = []*symbol{s}
	if s.scope == nil || s.scope.kind != classScope {
		return s.up
	}
	up := []*symbol{s}
	isStatic := s.scope.names[static+s.name] == s
	for _, v := range r.above(s) {
		if isStatic && v.kind == tsInstance {
			v.kind = tsClass
		}
		if v.kind != tsLibrary && v.kind != tsFunction {
			found, _ := r.tsMembersOf(v, s.name)
			for _, m := range found {
				if m.symbol != s {
					up = append(up, r.tsRoots(m.symbol)...)
				}
			}
		}
	}
	s.up = up
	return up
}

// above is what the owner of a member is derived from, or, of an object
// literal, what is expected where it stands.
func (r *Resolver) above(s *symbol) tsType {
	if y := s.scope.class; y != nil {
		return r.tsBases(tsValue{kind: tsInstance, sym: y}, true)
	}
	u, n := s.unit, s.scope.node
	if u.kind(n) != "object" {
		return nil
	}
	return r.expected(u, n)
}
