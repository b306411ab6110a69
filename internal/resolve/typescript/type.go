package typescript

import (
	"maps"
	"slices"

	"codeintel/internal/resolve"
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
	sym  *resolve.Symbol
	unit *resolve.Unit // of a function or an object
	node int32
	env  *tsEnv // what its type parameters are
	name string // of the library
	args []tsType
}

// A tsEnv says what type parameters are. What it says may hang on the
// parameters of an outer one.
type tsEnv struct {
	vars  map[*resolve.Symbol]tsType
	outer *tsEnv
	depth int
}

func newEnv(vars map[*resolve.Symbol]tsType, outer *tsEnv) *tsEnv {
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
		if len(all) >= resolve.MostAlternatives {
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
func subst(r *resolve.Resolver, t tsType, env *tsEnv) tsType {
	if env == nil || len(t) == 0 || r.Depth > resolve.MostDepth || !r.Step() {
		return t
	}
	r.Depth++
	defer func() { r.Depth-- }()
	var all tsType
	for _, v := range t {
		switch v.kind {
		case tsParameter:
			all = joinTS(all, ofParameter(r, v, env))
			continue
		case tsFunction, tsObject:
			if v.env == nil {
				v.env = env
			} else if v.env != env {
				vars := make(map[*resolve.Symbol]tsType, len(v.env.vars))
				for p, a := range v.env.vars {
					vars[p] = subst(r, a, env)
				}
				v.env = newEnv(vars, env)
			}
		}
		if len(v.args) > 0 {
			args := make([]tsType, len(v.args))
			for i, a := range v.args {
				args[i] = subst(r, a, env)
			}
			v.args = args
			if v.kind == tsIndexed && !undecided(args[0]) {
				all = joinTS(all, ofMembers(r, args[0], v.name))
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
func ofParameter(r *resolve.Resolver, v tsValue, env *tsEnv) tsType {
	for e := env; e != nil; e = e.outer {
		if t, ok := e.vars[v.sym]; ok {
			if len(t) == 0 {
				break
			}
			if e.outer != nil {
				return subst(r, t, e.outer)
			}
			return t
		}
	}
	return tsType{v}
}

// typeParameters lists the type parameters of a declaration.
func typeParameters(u *resolve.Unit, n int32) []*resolve.Symbol {
	var all []*resolve.Symbol
	for c := range u.Children(u.Child(n, "type_parameters")) {
		if y := u.Owner[u.Child(c, "name")]; y != nil {
			all = append(all, y)
		}
	}
	return all
}

// argumentsEnv binds the type parameters of a class or interface, as each of
// its declarations names them, to the arguments of a value.
func argumentsEnv(r *resolve.Resolver, v tsValue) *tsEnv {
	if v.sym == nil || v.kind != tsInstance && v.kind != tsClass {
		return v.env
	}
	vars := map[*resolve.Symbol]tsType{}
	for _, d := range v.sym.Decls {
		for i, p := range typeParameters(v.sym.Unit, d.Node) {
			if i < len(v.args) {
				vars[p] = v.args[i]
			} else if def := v.sym.Unit.Child(v.sym.Unit.Parent(p.Decls[0].Name), "value"); def >= 0 {
				vars[p] = subst(r, tsAnnotation(r, v.sym.Unit, def), newEnv(maps.Clone(vars), nil))
			}
		}
	}
	return newEnv(vars, nil)
}

// tsBases lists what a class or an interface is derived from. implements
// counts only where asked for: a class does not inherit from it.
func tsBases(r *resolve.Resolver, v tsValue, implements bool) []tsValue {
	var all tsType
	y := v.sym
	for _, d := range y.Decls {
		u := y.Unit
		switch u.Kind(d.Node) {
		case "class_declaration", "abstract_class_declaration", "class":
			heritage := u.First(d.Node, "class_heritage")
			for c := range u.Children(heritage) {
				switch u.Kind(c) {
				case "extends_clause":
					all = append(all, tsExtends(r, u, c)...)
				case "implements_clause":
					if implements {
						for t := range u.Children(c) {
							all = append(all, tsAnnotation(r, u, t)...)
						}
					}
				default: // JavaScript has the expression alone
					all = append(all, instances(r, tsExpr(r, u, c), nil)...)
				}
			}
		case "interface_declaration":
			for c := range u.Children(u.First(d.Node, "extends_type_clause", "extends_clause")) {
				all = append(all, tsAnnotation(r, u, c)...)
			}
		}
	}
	return subst(r, all, argumentsEnv(r, v))
}

// tsExtends is the base class of an extends clause, with its arguments.
func tsExtends(r *resolve.Resolver, u *resolve.Unit, clause int32) tsType {
	value := u.Child(clause, "value")
	var args []tsType
	for c := range u.Children(u.Child(clause, "type_arguments")) {
		args = append(args, tsAnnotation(r, u, c))
	}
	return instances(r, tsExpr(r, u, value), args)
}

// instances makes instances of classes.
func instances(r *resolve.Resolver, t tsType, args []tsType) tsType {
	var all tsType
	for _, v := range t {
		switch v.kind {
		case tsClass:
			all = append(all, tsValue{kind: tsInstance, sym: v.sym, args: args})
		case tsObject, tsInstance: // something with a construct signature
			for _, m := range signatures(r, v, newSignature) {
				all = append(all, resultOf(r, m, nil, -1, args)...)
			}
		case tsFunction:
			if v.unit.Kind(v.node) == "constructor_type" {
				all = append(all, resultOf(r, v, nil, -1, args)...)
			}
		}
	}
	return all
}

// A tsMember is a member with what the type parameters around it are.
type tsMember struct {
	symbol *resolve.Symbol
	env    *tsEnv
	self   tsValue
}

// tsMembers finds a member of everything a value may be. known is false if
// that, or a part of it that could have one, is unknown.
func tsMembers(r *resolve.Resolver, t tsType, name string) (all []tsMember, known bool) {
	if len(t) == 0 {
		return nil, false
	}
	known = true
	for _, v := range t {
		found, ok := tsMembersOf(r, v, name)
		all = append(all, found...)
		known = known && ok
	}
	return all, known || len(all) > 0
}

// tsMembersOf finds a member of one thing, the nearest.
func tsMembersOf(r *resolve.Resolver, v tsValue, name string) (all []tsMember, known bool) {
	if !r.Step() || r.Depth > resolve.MostDepth {
		return nil, false
	}
	r.Depth++
	defer func() { r.Depth-- }()
	switch v.kind {
	case tsInstance:
		return inherited(r, v, name)
	case tsClass:
		return inherited(r, v, static+name)
	case tsObject:
		return membersOfObject(r, v, name)
	case tsParameter, tsIndexed:
		return tsMembers(r, limitOf(r, v), name)
	case tsFile:
		if y := tsExport(r, v.unit, name); y != nil {
			return []tsMember{{symbol: y}}, true
		}
		return nil, true
	case tsLibrary:
		return nil, true
	}
	return nil, v.kind == tsFunction
}

// inherited finds a member of a class or interface or of its bases.
func inherited(r *resolve.Resolver, v tsValue, name string) (all []tsMember, known bool) {
	known = true
	seen := map[*resolve.Symbol]bool{}
	todo := []tsValue{v}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c.kind == tsObject || c.kind == tsParameter || c.kind == tsIndexed {
			found, _ := tsMembersOf(r, c, name)
			if len(found) > 0 {
				return found, true
			}
			continue
		}
		if c.sym == nil || seen[c.sym] || !r.Step() {
			known = known && c.kind == tsLibrary
			continue
		}
		seen[c.sym] = true
		if c.sym.Inner != nil {
			if y := c.sym.Inner.Names[name]; y != nil {
				return []tsMember{{y, argumentsEnv(r, c), c}}, true
			}
		}
		bases := tsBases(r, c, false)
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
func membersOfObject(r *resolve.Resolver, v tsValue, name string) (all []tsMember, known bool) {
	if s := v.unit.Members[v.node]; s != nil {
		if y := s.Names[name]; y != nil {
			return []tsMember{{y, v.env, v}}, true
		}
	}
	known = true
	for c := range v.unit.Children(v.node) {
		if v.unit.Kind(c) == "spread_element" {
			found, ok := tsMembers(r, tsExpr(r, v.unit, v.unit.First(c)), name)
			all, known = append(all, found...), known && ok
		}
	}
	return all, known
}

// limitOf is what a type parameter is known to be: what it extends.
func limitOf(r *resolve.Resolver, v tsValue) tsType {
	if v.kind == tsIndexed {
		return ofMembers(r, v.args[0], v.name)
	}
	u, d := v.sym.Unit, v.sym.Decls[0]
	if c := u.Child(d.Node, "constraint"); c >= 0 {
		return tsAnnotation(r, u, u.First(c))
	}
	return nil
}

// tsRoots returns a member together with what it overrides, all the way up.
func tsRoots(r *resolve.Resolver, s *resolve.Symbol) []*resolve.Symbol {
	if s.Overridden != nil {
		return s.Overridden
	}
	s.Overridden = []*resolve.Symbol{s}
	if s.Scope == nil || s.Scope.Kind != resolve.ClassScope {
		return s.Overridden
	}
	up := []*resolve.Symbol{s}
	isStatic := s.Scope.Names[static+s.Name] == s
	for _, v := range above(r, s) {
		if isStatic && v.kind == tsInstance {
			v.kind = tsClass
		}
		if v.kind != tsLibrary && v.kind != tsFunction {
			found, _ := tsMembersOf(r, v, s.Name)
			for _, m := range found {
				if m.symbol != s {
					up = append(up, tsRoots(r, m.symbol)...)
				}
			}
		}
	}
	s.Overridden = up
	return up
}

// above is what the owner of a member is derived from, or, of an object
// literal, what is expected where it stands.
func above(r *resolve.Resolver, s *resolve.Symbol) tsType {
	if y := s.Scope.Class; y != nil {
		return tsBases(r, tsValue{kind: tsInstance, sym: y}, true)
	}
	u, n := s.Unit, s.Scope.Node
	if u.Kind(n) != "object" {
		return nil
	}
	return expected(r, u, n)
}
