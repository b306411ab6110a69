package nominal

import (
	"maps"
	"slices"

	"codeintel/internal/resolve"
)

// candidates lists what a call may call, by its name.
func (c *context) candidates(e expr) []member {
	all, _ := c.called(e)
	return all
}

// called lists what a call may call, by its name. whole is false if that may also be
// something of a library.
func (c *context) called(e expr) (all []member, whole bool) {
	if c.f.row.members.receivers && e.op == aCall {
		return c.calledOn(e)
	}
	if e.op == aNew {
		for _, v := range c.typeAt(e.typ) {
			all = append(all, constructors(v)...)
		}
		return all, true
	}
	if e.name < 0 {
		return nil, false
	}
	name := c.u.Text(e.name)
	if e.object < 0 {
		all, whole = c.lookup(e.name, name, wantCall)
		return withTypes(all, e), whole
	}
	t := concrete(c.Resolver, c.typeOf(e.object))
	whole = len(t) > 0
	for _, v := range t {
		found, all1 := c.membersOf(v, name, wantCall)
		all = append(all, found...)
		whole = whole && all1 && v.kind != outside && v.kind != packName
	}
	if len(all) == 0 {
		for _, v := range t {
			all = append(all, c.accessed(v, name)...)
		}
	}
	return withTypes(all, e), whole
}

// withTypes notes the type arguments that are written at a call, and leaves those that take so many, if any does.
func withTypes(list []member, e expr) []member {
	var fit []member
	for i := range list {
		list[i].targs = e.targs
		if len(e.targs) == len(declOf(list[i].symbol).typeParams) {
			fit = append(fit, list[i])
		}
	}
	if len(e.targs) > 0 && len(fit) > 0 {
		return fit
	}
	return list
}

// choose leaves those of several callables that take the arguments, by number and by
// type, as far as types are known. More than one is left if that does not decide.
func (c *context) choose(list []member, args []int32) []member {
	if len(list) < 2 {
		return list
	}
	var fit []member
	for _, m := range list {
		if acceptsArguments(m.symbol, len(args)) {
			fit = append(fit, m)
		}
	}
	if len(fit) == 0 {
		return list
	}
	if len(fit) == 1 || len(args) == 0 {
		acceptsSome := func(m member) bool { return len(declOf(m.symbol).params) > 0 } // which may be left out
		if nothing := slices.DeleteFunc(slices.Clone(fit), acceptsSome); len(args) == 0 && len(nothing) > 0 {
			fit = nothing
		}
		return firstOfEach(c.Resolver, closedFirst(fit))
	}
	best, most := []member(nil), -1
	for _, m := range fit {
		score := c.argumentFit(m, args)
		if score > most {
			best, most = nil, score
		}
		if score == most && score >= 0 {
			best = append(best, m)
		}
	}
	if best == nil {
		return fit
	}
	return firstOfEach(c.Resolver, closedFirst(best))
}

// accepts reports whether a callable may take arguments, as far as types are known.
func (c *context) accepts(m member, args []int32) bool {
	d := declOf(m.symbol)
	return d.kind != aMethod && d.kind != aConstructor || acceptsArguments(m.symbol, len(args)) && c.argumentFit(m, args) >= 0
}

// closedFirst leaves those of several callables without type parameters that nothing written fills, if there are any:
// of two that take the same such a one is called.
func closedFirst(list []member) []member {
	var closed []member
	for _, m := range list {
		if len(m.targs) > 0 || len(declOf(m.symbol).typeParams) == 0 {
			closed = append(closed, m)
		}
	}
	if len(closed) > 0 {
		return closed
	}
	return list
}

// firstOfEach leaves out what the ones before override.
func firstOfEach(r *resolve.Resolver, list []member) []member {
	var all []member
	for _, m := range list {
		if !slices.ContainsFunc(all, func(o member) bool {
			return o.owner.class != m.owner.class && sameParameters(r, o.symbol, m.symbol, m.owner)
		}) {
			all = append(all, m)
		}
	}
	return all
}

// acceptsArguments reports whether a callable takes so many arguments.
func acceptsArguments(y *resolve.Symbol, n int) bool {
	d := declOf(y)
	most := len(d.params)
	least := most - d.optional
	if slices.ContainsFunc(d.params, func(p *resolve.Symbol) bool { return declOf(p).variadic }) {
		return n >= least-1
	}
	return n >= least && n <= most
}

// parameterAt is the parameter for an argument.
func parameterAt(y *resolve.Symbol, i int) *resolve.Symbol {
	list := declOf(y).params
	if i >= len(list) && len(list) > 0 && declOf(list[len(list)-1]).variadic {
		return list[len(list)-1]
	}
	return resolve.At(list, i)
}

// parameterFor is the parameter that an argument of a call is given to.
func (c *context) parameterFor(y *resolve.Symbol, i int, argument int32) *resolve.Symbol {
	if c.f.row.slot == nil {
		return parameterAt(y, i)
	}
	list := declOf(y).params
	name, last := c.f.row.slot(c.u, argument)
	switch {
	case last && len(list) > 0:
		return list[len(list)-1]
	case name != "":
		for _, p := range list {
			if p.Name == name {
				return p
			}
		}
		return nil
	}
	for _, p := range list[:min(i, len(list))] {
		if declOf(p).variadic {
			return p
		}
	}
	return parameterAt(y, i)
}

// parameterType is the type of a parameter; of one that takes the rest of the
// arguments, what each of them is, unless all is true.
func parameterType(r *resolve.Resolver, p *resolve.Symbol, all bool) union {
	t := typeOfSymbol(r, p)
	if declOf(p).variadic && !all && len(t) == 1 && t[0].kind == array {
		return t[0].args[0]
	}
	return t
}

// argumentFit says how well a callable takes arguments, -1 for not at all.
func (c *context) argumentFit(m member, args []int32) int {
	bound := bindingOf(m.owner)
	total := 0
	spread := len(declOf(m.symbol).params) != len(args)
	for i, a := range args {
		p := c.parameterFor(m.symbol, i, a)
		if p == nil {
			return -1
		}
		variadic := declOf(p).variadic
		got := c.roughType(a)
		whole := variadic && !spread && len(got) == 1 && got[0].kind == array
		want := substitute(parameterType(c.Resolver, p, whole), bound)
		s := c.assignable(want, got)
		if s < 0 {
			return -1
		}
		if variadic {
			s /= 2
		}
		total += s
	}
	if len(args) < len(declOf(m.symbol).params) {
		total--
	}
	return max(total, 0)
}

// roughType is the type of an argument. What is made has no type arguments from where
// it is wanted yet: that is what is being found out.
func (c *context) roughType(n int32) union {
	if e := c.f.row.expr(c.u, n); e.op == aNew && e.body < 0 {
		return c.typeAt(e.typ)
	}
	return c.typeOf(n)
}

// How well one type takes another.
const (
	exactly  = 40
	derived  = 30 // less one for each class between
	anything = 20 // nothing is known
	loosely  = 10 // it takes everything
	never    = -1
)

// assignable says how well something of one type is given where another is wanted.
func (c *context) assignable(want, got union) int {
	if len(want) == 0 || len(got) == 0 {
		return anything
	}
	best := never
	for _, w := range want {
		for _, g := range got {
			best = max(best, c.assignableTo(w, g))
		}
	}
	return best
}

var widths = map[string]int{
	"byte": 1, "sbyte": 1, "short": 2, "ushort": 2, "char": 2, "int": 3, "uint": 3, "long": 4, "ulong": 4,
	"float": 5, "double": 6, "decimal": 7,
}

func (c *context) assignableTo(w, g value) int {
	switch {
	case w.kind == variable && g.kind == variable && w.class == g.class:
		return exactly
	case w.kind == variable:
		if g.kind == function {
			return never
		}
		if d := declOf(w.class); d.written >= 0 && g.kind != variable {
			if s := c.assignable(concrete(c.Resolver, unionOf(w)), unionOf(g)); s < 0 {
				return never
			}
		}
		return loosely + 5
	case g.kind == variable:
		return max(never, c.assignable(w.union(), concrete(c.Resolver, unionOf(g))))
	case w.kind == instance && c.isTop(w.class):
		if g.kind == instance && g.class == w.class {
			return exactly
		}
		return loosely
	case g.kind == null:
		if w.kind == primitive {
			return never
		}
		return anything
	case g.kind == function:
		return c.acceptsFunction(w, g)
	case w.kind == primitive || g.kind == primitive:
		return c.basicFit(w, g)
	case w.kind == array || g.kind == array:
		if w.kind == array && g.kind == array {
			return c.assignable(w.args[0], g.args[0])
		}
		if w.kind == outside || g.kind == outside {
			return loosely
		}
		return never
	case w.kind == outside || g.kind == outside:
		if w.kind == g.kind && w.name == g.name && w.name != "" {
			return exactly
		}
		if g.kind == instance && !fileOf(g.class.Unit).library {
			if _, _, whole := asBase(c.Resolver, g, nil); whole {
				return never
			}
		}
		return loosely - 5
	case w.kind != instance || g.kind != instance:
		return anything
	case w.class == g.class:
		return exactly
	}
	return c.derivedFit(w, g)
}

// derivedFit compares two classes: the nearer the base that is wanted, the better.
func (c *context) derivedFit(w, g value) int {
	steps := 0
	found := false
	whole := visitAncestors(c.Resolver, g, func(o value) bool {
		found = o.class == w.class
		steps++
		return !found
	})
	switch {
	case found:
		return max(derived-steps, anything+1)
	case whole:
		return never
	}
	return loosely
}

func (v value) union() union { return unionOf(v) }

// isTop reports whether everything is derived from a class.
func (c *context) isTop(class *resolve.Symbol) bool {
	return fileOf(class.Unit).library && declOf(class).pack+"."+class.Name == c.f.row.top
}

// basicFit compares types where one is basic: an int is given where a long, an
// Integer or a Number is wanted.
func (c *context) basicFit(w, g value) int {
	if w.kind == primitive && g.kind == primitive {
		x, y := widths[w.name], widths[g.name]
		switch {
		case w.name == g.name:
			return exactly
		case x == 0 || y == 0 || x < y:
			return never
		}
		return derived - (x - y)
	}
	box := func(v value) value {
		if v.kind != primitive {
			return v
		}
		if t := c.libraryType(c.f.row.boxes[v.name]); t != nil {
			return t[0]
		}
		return value{kind: outside}
	}
	w, g = box(w), box(g)
	if w.kind == primitive || g.kind == primitive {
		return loosely
	}
	if s := c.assignableTo(w, g); s >= 0 {
		return max(s-15, loosely)
	}
	return never
}

// acceptsFunction says how well a type takes a function without a name, by the number
// of its parameters.
func (c *context) acceptsFunction(w, g value) int {
	switch w.kind {
	case outside:
		return loosely
	case instance, function:
	default:
		return never
	}
	s, ok := c.signature(w)
	if !ok {
		return never
	}
	if g.unit == nil {
		if len(g.args) != len(s.params)+1 {
			return never
		}
		return derived
	}
	e := rowOf(g.unit).expr(g.unit, g.node)
	if e.op != aFunction {
		return derived
	}
	n := len(s.params)
	if s.receiver {
		n--
	}
	if e.parts != nil && len(e.parts) != n || e.parts == nil && n > 1 {
		return never
	}
	if len(s.result) == 1 && s.result[0].kind == primitive && s.result[0].name == "void" {
		return derived + 1
	}
	return derived
}

// callType infers what a call returns.
func (c *context) callType(e expr) union {
	list, whole := c.called(e)
	args := e.args
	if len(list) == 0 {
		if list, args = c.extensionsOf(e); len(list) == 0 {
			return c.calledOutside(e, whole)
		}
	}
	var t union
	for _, m := range c.choose(list, args) {
		if d := declOf(m.symbol); d.kind == aVariable || d.kind == aField && !d.component {
			if c.f.row.members.receivers {
				t = t.Join(c.variableResult(m))
			} else {
				t = t.Join(m.typ(c.Resolver))
			}
			continue
		}
		if d := declOf(m.symbol); d.kind == aType {
			v := value{kind: instance, class: m.symbol}
			for _, a := range m.targs {
				v.args = append(v.args, c.typeAt(a))
			}
			t = t.Join(unionOf(v))
			continue
		}
		t = t.Join(substitute(typeOfSymbol(c.Resolver, m.symbol), c.bindCall(m, args, true)))
	}
	return t
}

// extensionsOf lists the functions of a name that take what comes before the dot as
// their first argument, and all arguments then.
func (c *context) extensionsOf(e expr) (all []member, args []int32) {
	if !c.f.row.members.extensions || e.object < 0 || e.name < 0 {
		return nil, nil
	}
	args = append([]int32{e.object}, e.args...)
	t := concrete(c.Resolver, c.typeOf(e.object))
	if len(t) == 0 {
		return nil, nil
	}
	name := c.u.Text(e.name)
	units := library(c)
	for _, path := range c.Defining(name) {
		if u := c.Unit(path); u != nil && u.Language == c.u.Language {
			units = append(units[:len(units):len(units)], u)
		}
	}
	for _, u := range units {
		for _, y := range fileOf(u).extensions[name] {
			d := declOf(y)
			if !acceptsArguments(y, len(args)) || t[0].kind == typeName || t[0].kind == packName {
				continue
			}
			if fit := c.assignable(typeOfSymbol(c.Resolver, d.params[0]), t); fit >= 0 {
				all = append(all, member{symbol: y, targs: e.targs})
			}
		}
	}
	return all, args
}

// calledOutside infers a call of what has no declaration.
func (c *context) calledOutside(e expr, whole bool) union {
	if e.name < 0 {
		return c.resultsOf(c.typeOf(e.object))
	}
	if e.object < 0 {
		return c.resultsOf(c.nameType(e.name))
	}
	name := c.u.Text(e.name)
	return concrete(c.Resolver, c.typeOf(e.object)).Each(func(v value) union {
		if t := c.implicitMember(v, name, true); t != nil {
			return t
		}
		if t := c.resultsOf(c.memberOf(v, name)); t != nil {
			return t
		}
		if v.kind == outside || !whole {
			return unknownClass("")
		}
		return nil
	})
}

// resultsOf is what calling a value gives.
func (c *context) resultsOf(t union) union {
	return concrete(c.Resolver, t).Each(func(v value) union {
		if s, ok := c.signature(v); ok {
			return s.result
		}
		return nil
	})
}

// bindCall says what the type parameters of a callable and of its class are, by the
// arguments; functions among them count if functions is true.
func (c *context) bindCall(m member, args []int32, functions bool) map[*resolve.Symbol]union {
	bound := bindingOf(m.owner)
	d := declOf(m.symbol)
	open := d.typeParams
	if d.kind == aConstructor && len(bound) == 0 {
		open = slices.Concat(open, declOf(d.owner).typeParams)
	}
	if len(open) == 0 {
		return bound
	}
	bound = maps.Clone(bound)
	if bound == nil {
		bound = map[*resolve.Symbol]union{}
	}
	for i, p := range open {
		if len(m.targs) == len(open) {
			bound[p] = c.typeAt(m.targs[i])
		}
	}
	if d.extension {
		c.unify(contextOf(c.Resolver, m.symbol.Unit).typeAt(d.receiver), m.on, open, bound, 4)
	}
	for _, later := range []bool{false, true} {
		if later && !functions {
			break
		}
		for i, a := range args {
			p := c.parameterFor(m.symbol, i, a)
			o := c.f.row.expr(c.u, a).op
			if p == nil || later != (o == aFunction || o == aMethodOf) {
				continue
			}
			got := c.typeOf(a)
			whole := len(got) == 1 && got[0].kind == array && len(args) == len(d.params)
			c.unify(substitute(parameterType(c.Resolver, p, whole), bound), got, open, bound, 4)
		}
	}
	return bound
}

// unify finds out what open type parameters are where one type is given for another.
func (c *context) unify(want, got union, open []*resolve.Symbol, bound map[*resolve.Symbol]union, deep int) {
	if deep == 0 || len(got) == 0 {
		return
	}
	for _, w := range want {
		if w.kind == variable {
			if slices.Contains(open, w.class) && len(bound[w.class]) == 0 {
				bound[w.class] = c.boxed(got)
			}
			continue
		}
		for _, g := range got {
			c.unifyOne(w, g, open, bound, deep-1)
		}
	}
}

// unifyOne is unify for one type that is wanted and one that is given.
func (c *context) unifyOne(w, g value, open []*resolve.Symbol, bound map[*resolve.Symbol]union, deep int) {
	switch {
	case g.kind == function && g.node >= 0:
		if s, ok := c.signature(w); ok {
			c.unify(s.result, contextOf(c.Resolver, g.unit).resultOf(g.node), open, bound, deep)
		}
	case w.kind == function && g.kind == function && len(w.args) == len(g.args):
		for i := range w.args {
			c.unify(w.args[i], g.args[i], open, bound, deep)
		}
	case w.kind == array && g.kind == array:
		c.unify(w.args[0], g.args[0], open, bound, deep)
	case w.kind == instance && g.kind == instance:
		base, ok, _ := asBase(c.Resolver, g, w.class)
		for i := range w.args {
			if ok && i < len(base.args) {
				c.unify(w.args[i], base.args[i], open, bound, deep)
			}
		}
	}
}

// boxed is a type as an argument of another: classes in the place of basic types.
func (c *context) boxed(t union) union {
	return t.Each(func(v value) union {
		if v.kind == primitive {
			if b := c.libraryType(c.f.row.boxes[v.name]); b != nil {
				return b
			}
		}
		return unionOf(v)
	})
}

// resultOf is what a function without a name, or the method that is named, returns.
func (c *context) resultOf(n int32) union {
	e := c.f.row.expr(c.u, n)
	if e.op == aMethodOf {
		if c.u.Text(e.name) == "new" || e.name < 0 {
			return c.typeOf(e.object).Each(func(v value) union {
				v.kind = instance
				return unionOf(v)
			})
		}
		var t union
		list, _ := c.methodsNamed(e)
		for _, m := range list {
			t = t.Join(m.typ(c.Resolver))
		}
		return t
	}
	if e.body < 0 {
		return nil
	}
	if c.f.row.expr(c.u, e.body).op != noExpr {
		return c.typeOf(e.body)
	}
	if c.f.row.members.receivers && c.u.Kind(e.body) != "block" {
		return nil
	}
	var t union
	for i := e.body; i < c.u.Nodes[e.body].Next; i++ {
		if i != e.body && (c.f.row.expr(c.u, i).op == aFunction || c.f.scopes[i] != nil && c.f.scopes[i].class != nil) {
			i = c.u.Nodes[i].Next - 1
			continue
		}
		if slices.Contains(c.f.row.returns, c.u.Kind(i)) {
			t = t.Join(c.typeOf(c.u.First(i)))
		}
	}
	return t
}

// methodsNamed lists what object::name may mean.
func (c *context) methodsNamed(e expr) (all []member, whole bool) {
	if e.object < 0 {
		return c.lookup(e.name, c.u.Text(e.name), wantCall)
	}
	t := concrete(c.Resolver, c.typeOf(e.object))
	whole = len(t) > 0
	for _, v := range t {
		found, w := c.membersOf(v, c.u.Text(e.name), wantCall)
		all = append(all, found...)
		whole = whole && w && v.kind != outside && v.kind != packName
	}
	return all, whole
}
