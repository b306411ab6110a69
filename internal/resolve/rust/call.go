package rust

import (
	"strings"

	"codeintel/internal/resolve"
)

// A call is where a function is called. Its arguments are -1 where an operator calls it.
type call struct {
	arguments int32
	types     []*typ // type arguments that are written
	method    bool
}

// callee finds what a call expression calls.
func callee(r *resolve.Resolver, u *resolve.Unit, n int32) (entity, call) {
	c := call{arguments: u.Child(n, "arguments")}
	f := u.Child(n, "function")
	if u.Kind(f) == "generic_function" {
		c.types, _ = argumentsOf(r, u, u.Child(f, "type_arguments"))
		f = u.Child(f, "function")
	}
	if u.Kind(f) == "field_expression" {
		c.method = true
		e, _ := method(r, u, typeOf(r, u, u.Child(f, "value")), u.Text(u.Child(f, "field")))
		return e, c
	}
	if k := u.Kind(f); k != "identifier" && k != "scoped_identifier" {
		return entity{}, c
	}
	return resolvePath(r, u, f, values), c
}

// callType is the type of what a call returns.
func callType(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	e, c := callee(r, u, n)
	if e.outside {
		return fromOutside(r, u, c, -1)
	}
	if e.symbol != nil {
		switch e.symbol.Unit.Kind(e.symbol.Decls[0].Node) {
		case "function_item", "function_signature_item":
			return functionResult(r, u, e, c)
		case "struct_item", "enum_variant":
			return constructed(r, u, e, c)
		}
	}
	if c.method {
		return nil
	}
	return resultOf(r, typeOf(r, u, u.Child(n, "function")))
}

// resultOf is what calling a value returns.
func resultOf(r *resolve.Resolver, t *typ) *typ {
	if t == nil {
		return nil
	}
	switch t.kind {
	case kindCallable:
		return t.result
	case kindFunction:
		u := t.unit
		switch u.Kind(t.node) {
		case "closure_expression":
			if written := u.Child(t.node, "return_type"); written >= 0 {
				return typeFrom(r, u, written)
			}
			return typeOf(r, u, u.Child(t.node, "body"))
		case "function_item", "function_signature_item":
			return functionResult(r, u, entity{symbol: u.Owner[u.Child(t.node, "name")]}, call{arguments: -1})
		}
		return constructed(r, u, entity{symbol: u.Owner[u.Child(t.node, "name")]}, call{arguments: -1})
	case kindNamed, kindParameter, kindBounded, kindProjection:
		if c := callableOf(r, t); c != nil {
			return c.result
		}
	}
	return nil
}

// callableOf finds how a type may be called by its bounds: F: Fn(A) -> B, Box<dyn Fn()>.
func callableOf(r *resolve.Resolver, t *typ) *typ {
	for d := range derefs(r, t) {
		var bounds []*typ
		switch d.kind {
		case kindCallable:
			return d
		case kindParameter:
			bounds = boundsOf(r, d.sym)
		case kindBounded:
			bounds = d.args
		}
		for _, b := range bounds {
			if b.kind == kindCallable {
				return b
			}
		}
	}
	return nil
}

// constructed is what a tuple struct or a variant makes of arguments.
func constructed(r *resolve.Resolver, u *resolve.Unit, e entity, c call) *typ {
	y := e.symbol
	if y == nil {
		return nil
	}
	owner := y
	if y.Unit.Kind(y.Decls[0].Node) == "enum_variant" {
		owner = y.Scope.Class
	}
	if owner == nil {
		return nil
	}
	if e.typ != nil && e.typ.kind == kindNamed && e.typ.sym == owner && isFullyKnown(e.typ) {
		return e.typ
	}
	found := env{}
	body := y.Unit.Child(y.Decls[0].Node, "body")
	i := 0
	for a := range u.Children(c.arguments) {
		of := typeFrom(r, y.Unit, orderedField(y.Unit, body, i))
		if len(owner.Unit.TypeParameters(owner.Decls[0].Node)) > 0 {
			unify(of, typeOf(r, u, a), found)
		}
		i++
	}
	return apply(r, selfType(owner), found.orUnknown(owner))
}

// functionResult is what a function returns where it is called.
func functionResult(r *resolve.Resolver, u *resolve.Unit, e entity, c call) *typ {
	if e.symbol == nil || !enterBounded(r) {
		return nil
	}
	defer r.Leave()
	f := e.symbol
	n := f.Decls[0].Node
	written := f.Unit.Child(n, "return_type")
	t := unit
	if written >= 0 {
		t = typeFrom(r, f.Unit, written)
	}
	if f.Unit == stdUnit(u) {
		if special, ok := collected(r, e, c); ok {
			return special
		}
	}
	known := e.env.merged(nil)
	if e.env == nil && e.typ != nil && e.typ.kind == kindNamed {
		known = env{}
	}
	if len(f.Unit.TypeParameters(n)) > 0 || mentionsUnknown(t, known) {
		inferArguments(r, u, f, c, known, -1)
	}
	for _, p := range f.Unit.TypeParameters(n) {
		if _, ok := known[p]; !ok {
			known[p] = nil
		}
	}
	t = apply(r, t, known)
	if async(f.Unit, n) {
		t = std(u, "Future", t)
	}
	return t
}

// mentionsUnknown reports whether a type has a parameter of which nothing is known.
func mentionsUnknown(t *typ, e env) bool {
	if t == nil {
		return false
	}
	if t.kind == kindParameter && e[t.sym] == nil {
		return true
	}
	for _, a := range t.args {
		if mentionsUnknown(a, e) {
			return true
		}
	}
	return false
}

func async(u *resolve.Unit, n int32) bool {
	m := u.First(n, "function_modifiers")
	return m >= 0 && strings.Contains(u.Text(m), "async")
}

// inferArguments finds what the type parameters of a function are where it is called,
// by the arguments except one.
func inferArguments(r *resolve.Resolver, u *resolve.Unit, f *resolve.Symbol, c call, known env, except int32) {
	n := f.Decls[0].Node
	own := f.Unit.TypeParameters(n)
	for i, p := range own {
		if t := resolve.At(c.types, i); t != nil {
			known[p] = t
		}
	}
	if c.arguments < 0 {
		return
	}
	parameters := parameterNodes(f.Unit, n, c.method)
	i := 0
	for a := range u.Children(c.arguments) {
		if i >= len(parameters) {
			break
		}
		p := parameters[i]
		i++
		if a == except {
			continue
		}
		pattern := typeFrom(r, f.Unit, f.Unit.Child(p, "type"))
		if !mentionsUnknown(pattern, known) && callableOf(r, pattern) == nil {
			continue
		}
		if fn := callableOf(r, pattern); fn != nil {
			if mentionsUnknown(fn.result, known) || fn.result != nil && fn.result.kind == kindNamed {
				if t := typeOf(r, u, a); t != nil && t.kind != kindOutside {
					unify(fn.result, resultOf(r, t), known)
				}
			}
			continue
		}
		unify(pattern, typeOf(r, u, a), known)
	}
}

// parameterNodes lists the parameters of a function, without self for a method call.
func parameterNodes(u *resolve.Unit, n int32, method bool) []int32 {
	var list []int32
	for p := range u.Children(u.Child(n, "parameters")) {
		switch u.Kind(p) {
		case "parameter":
			if method && len(list) == 0 && u.Kind(u.Child(p, "pattern")) == "self" {
				continue
			}
			list = append(list, p)
		case "self_parameter":
			if !method {
				list = append(list, p)
			}
		}
	}
	return list
}

// collected is what the functions of std return whose result depends on what is asked of
// them.
func collected(r *resolve.Resolver, e entity, c call) (*typ, bool) {
	if e.symbol.Name != "collect" || len(c.types) == 0 || c.types[0] == nil {
		return nil, false
	}
	t := c.types[0]
	if t.kind != kindNamed || len(t.args) > 0 && t.args[0] != nil {
		return t, true
	}
	self := e.typ
	item := elementOf(r, self)
	out := *t
	out.args = []*typ{item}
	if t.sym.Name == "HashMap" || t.sym.Name == "BTreeMap" {
		out.args = nil
		if item != nil && item.kind == kindTuple {
			out.args = item.args
		}
	}
	return &out, true
}

// closureParameter infers a parameter of a closure by the function that it is given to.
func closureParameter(r *resolve.Resolver, u *resolve.Unit, p int32) *typ {
	closure := u.Around(p, "closure_expression")
	at := -1
	for i, c := range u.List(u.Child(closure, "parameters")) {
		if c == p {
			at = i
		}
	}
	owner := u.Parent(closure)
	if u.Kind(owner) == "let_declaration" || u.Kind(owner) == "field_initializer" {
		return nil
	}
	n := u.Parent(owner)
	if u.Kind(owner) != "arguments" || u.Kind(n) != "call_expression" || !enterBounded(r) {
		return nil
	}
	defer r.Leave()
	e, c := callee(r, u, n)
	if e.outside {
		return fromOutside(r, u, c, closure)
	}
	if e.symbol == nil {
		return nil
	}
	f := e.symbol
	parameters := parameterNodes(f.Unit, f.Decls[0].Node, c.method)
	i := -1
	for k, a := range u.List(c.arguments) {
		if a == closure {
			i = k
		}
	}
	if i < 0 || i >= len(parameters) {
		return nil
	}
	fn := callableOf(r, typeFrom(r, f.Unit, f.Unit.Child(parameters[i], "type")))
	if fn == nil {
		return nil
	}
	known := e.env.merged(nil)
	t := resolve.At(fn.args, at)
	if mentionsUnknown(t, known) {
		inferArguments(r, u, f, c, known, closure)
	}
	for _, y := range f.Unit.TypeParameters(f.Decls[0].Node) {
		if _, ok := known[y]; !ok {
			known[y] = nil
		}
	}
	return apply(r, t, known)
}
