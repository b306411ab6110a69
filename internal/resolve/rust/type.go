package rust

import (
	"maps"
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A kind says what sort of type a type is.
type kind int

const (
	kindNamed      kind = iota // a struct, an enum, a union; a trait, in bounds
	kindParameter              // a type parameter, or Self of a trait, whose symbol it then has
	kindTuple                  // unit too
	kindFunction               // a function item, a constructor, a closure: unit and node
	kindCallable               // fn(A) -> B, and Fn(A) -> B in bounds
	kindBounded                // impl A + B, dyn A
	kindProjection             // base::name, before base is known
	kindOutside                // of a library, by its name and arguments; see [closed]
)

// A typ is a type; nil is unknown. References and pointers are what they point at.
type typ struct {
	kind   kind
	sym    *resolve.Symbol
	args   []*typ
	result *typ            // of kindCallable
	assoc  map[string]*typ // of a bound: Iterator<Item = T>
	base   *typ
	name   string
	unit   *resolve.Unit
	node   int32
}

// An env is what type parameters stand for; Self of a trait is there by the trait.
type env map[*resolve.Symbol]*typ

func (e env) merged(o env) env {
	all := maps.Clone(e)
	if all == nil {
		all = env{}
	}
	maps.Copy(all, o)
	return all
}

// apply puts types in the place of type parameters.
func apply(r *resolve.Resolver, t *typ, e env) *typ {
	if t == nil || len(e) == 0 || !enterBounded(r) {
		return t
	}
	defer r.Leave()
	switch t.kind {
	case kindParameter:
		if a, ok := e[t.sym]; ok {
			return a
		}
		return t
	case kindProjection:
		return project(r, apply(r, t.base, e), t.name)
	case kindFunction:
		return t
	}
	if len(t.args) == 0 && t.result == nil && len(t.assoc) == 0 {
		return t
	}
	c := *t
	c.args = make([]*typ, len(t.args))
	for i, a := range t.args {
		c.args[i] = apply(r, a, e)
	}
	c.result = apply(r, t.result, e)
	if len(t.assoc) > 0 {
		c.assoc = map[string]*typ{}
		for k, a := range t.assoc {
			c.assoc[k] = apply(r, a, e)
		}
	}
	return &c
}

// unify finds what the parameters in a pattern stand for, so that it is a type. It
// reports false if it cannot be that.
func unify(pattern, t *typ, e env) bool {
	if pattern == nil || t == nil {
		return true
	}
	if pattern.kind == kindParameter {
		if old := e[pattern.sym]; old == nil {
			e[pattern.sym] = t
		}
		return true
	}
	if pattern.kind == kindProjection || t.kind == kindProjection {
		return true
	}
	if pattern.kind != t.kind || pattern.sym != t.sym {
		return pattern.kind == kindCallable && t.kind == kindFunction
	}
	switch t.kind {
	case kindOutside:
		if pattern.name != t.name {
			return false
		}
	case kindTuple:
		if len(pattern.args) != len(t.args) {
			return false
		}
	}
	for i := range min(len(pattern.args), len(t.args)) {
		if !unify(pattern.args[i], t.args[i], e) {
			return false
		}
	}
	return true
}

// envOf binds the type parameters of an item to arguments.
func envOf(u *resolve.Unit, n int32, args []*typ) env {
	e := env{}
	for i, y := range u.TypeParameters(n) {
		e[y] = resolve.At(args, i)
	}
	return e
}

// defaultsOf binds the type parameters of an item to what stands for them where a type is
// written without arguments.
func defaultsOf(r *resolve.Resolver, y *resolve.Symbol) env {
	e := env{}
	for _, p := range y.Unit.TypeParameters(y.Decls[0].Node) {
		e[p] = typeFrom(r, y.Unit, y.Unit.Child(p.Decls[0].Node, "default_type"))
	}
	return e
}

// selfType is the type that an item declares, of its own parameters.
func selfType(y *resolve.Symbol) *typ {
	t := &typ{kind: kindNamed, sym: y}
	for _, p := range y.Unit.TypeParameters(y.Decls[0].Node) {
		t.args = append(t.args, &typ{kind: kindParameter, sym: p})
	}
	return t
}

var unit = &typ{kind: kindTuple}

// typeFrom returns the type that a node writes.
func typeFrom(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	return cachedType(r, u, n, readType)
}

func readType(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	switch u.Kind(n) {
	case "type_identifier", "scoped_type_identifier", "primitive_type", "identifier", "scoped_identifier", "self":
		if u.Text(n) == "_" {
			return nil
		}
		e := resolvePath(r, u, n, types)
		if y := e.symbol; y != nil && y.Unit.Kind(y.Decls[0].Node) == "type_item" && strings.HasSuffix(u.Kind(n), "type_identifier") {
			e.env = defaultsOf(r, y).merged(e.env)
		}
		return typeOfEntity(r, e)
	case "generic_type", "generic_type_with_turbofish":
		args, assoc := argumentsOf(r, u, u.Child(n, "type_arguments"))
		e := resolvePath(r, u, u.Child(n, "type"), types)
		switch {
		case e.outside:
			return &typ{kind: kindOutside, name: e.name, args: args, assoc: assoc}
		case e.symbol == nil:
			return typeOfEntity(r, e)
		}
		d := e.symbol.Decls[0].Node
		if e.symbol.Unit.Kind(d) == "type_item" {
			return apply(r, typeFrom(r, e.symbol.Unit, e.symbol.Unit.Child(d, "type")), envOf(e.symbol.Unit, d, args))
		}
		t := typeOfEntity(r, e)
		if t != nil && t.kind == kindNamed {
			return &typ{kind: kindNamed, sym: t.sym, args: args, assoc: assoc}
		}
		return t
	case "reference_type", "pointer_type", "higher_ranked_trait_bound":
		return typeFrom(r, u, u.Child(n, "type"))
	case "tuple_type":
		t := &typ{kind: kindTuple}
		for c := range u.Children(n) {
			t.args = append(t.args, typeFrom(r, u, c))
		}
		return t
	case "unit_type":
		return unit
	case "array_type":
		return std(u, "Slice", typeFrom(r, u, u.Child(n, "element")))
	case "function_type":
		t := &typ{kind: kindCallable, result: unit}
		for c := range u.Children(u.Child(n, "parameters")) {
			if u.Kind(c) == "parameter" {
				c = u.Child(c, "type")
			}
			t.args = append(t.args, typeFrom(r, u, c))
		}
		if result := u.Child(n, "return_type"); result >= 0 {
			t.result = typeFrom(r, u, result)
		}
		return t
	case "dynamic_type", "abstract_type":
		return &typ{kind: kindBounded, args: boundsIn(r, u, u.Child(n, "trait"))}
	case "bounded_type":
		return &typ{kind: kindBounded, args: boundsIn(r, u, n)}
	}
	return nil
}

// boundsIn lists the traits that a bound names.
func boundsIn(r *resolve.Resolver, u *resolve.Unit, n int32) []*typ {
	var list []*typ
	switch u.Kind(n) {
	case "trait_bounds", "bounded_type":
		for c := range u.Children(n) {
			list = append(list, boundsIn(r, u, c)...)
		}
	case "lifetime", "removed_trait_bound", "use_bounds", "":
	case "dynamic_type", "abstract_type":
		return boundsIn(r, u, u.Child(n, "trait"))
	default:
		if t := typeFrom(r, u, n); t != nil {
			list = append(list, t)
		}
	}
	return list
}

// argumentsOf reads type arguments, and what they say of associated types.
func argumentsOf(r *resolve.Resolver, u *resolve.Unit, n int32) (args []*typ, assoc map[string]*typ) {
	for c := range u.Children(n) {
		switch u.Kind(c) {
		case "lifetime", "trait_bounds":
		case "integer_literal", "boolean_literal", "char_literal": // of const parameters
			args = append(args, &typ{kind: kindOutside, name: u.Text(c)})
		case "type_binding":
			if assoc == nil {
				assoc = map[string]*typ{}
			}
			assoc[u.Text(u.Child(c, "name"))] = typeFrom(r, u, u.Child(c, "type"))
		default:
			args = append(args, typeFrom(r, u, c))
		}
	}
	return args, assoc
}

// typeOfEntity is the type that an entity is.
func typeOfEntity(r *resolve.Resolver, e entity) *typ {
	switch {
	case e.typ != nil:
		return e.typ
	case e.outside:
		return &typ{kind: kindOutside, name: e.name}
	case e.symbol == nil:
		return nil
	}
	y := e.symbol
	u, d := y.Unit, y.Decls[0].Node
	switch u.Kind(d) {
	case "struct_item", "enum_item", "union_item", "trait_item":
		return &typ{kind: kindNamed, sym: y}
	case "enum_variant":
		if y.Scope != nil && y.Scope.Class != nil {
			return &typ{kind: kindNamed, sym: y.Scope.Class}
		}
	case "type_parameter":
		return &typ{kind: kindParameter, sym: y}
	case "type_item":
		return apply(r, typeFrom(r, u, u.Child(d, "type")), envOf(u, d, nil).merged(e.env))
	case "associated_type":
		if y.Scope != nil && y.Scope.Class != nil {
			base := apply(r, &typ{kind: kindParameter, sym: y.Scope.Class}, e.env)
			return project(r, base, y.Name)
		}
	}
	return nil
}

// boundsOf lists the traits that a type parameter is bound by.
func boundsOf(r *resolve.Resolver, y *resolve.Symbol) []*typ {
	u, d := y.Unit, y.Decls[0].Node
	if u.Kind(d) == "trait_item" {
		return []*typ{selfType(y)}
	}
	list := boundsIn(r, u, u.Child(d, "bounds"))
	owner := u.Parent(u.Parent(d))
	where := u.First(owner, "where_clause")
	for p := range u.Children(where) {
		if u.Text(u.Child(p, "left")) == y.Name {
			list = append(list, boundsIn(r, u, u.Child(p, "bounds"))...)
		}
	}
	return list
}

// withSuper lists a trait and those that it builds upon.
func withSuper(r *resolve.Resolver, t *typ) []*typ {
	all := []*typ{t}
	for i := 0; i < len(all) && r.Step(); i++ {
		y := all[i].sym
		if y == nil || y.Unit.Kind(y.Decls[0].Node) != "trait_item" {
			continue
		}
		e := envOf(y.Unit, y.Decls[0].Node, all[i].args)
		for _, b := range boundsIn(r, y.Unit, y.Unit.Child(y.Decls[0].Node, "bounds")) {
			if b.sym != nil && !slices.ContainsFunc(all, func(o *typ) bool { return o.sym == b.sym }) {
				all = append(all, apply(r, b, e))
			}
		}
	}
	return all
}
