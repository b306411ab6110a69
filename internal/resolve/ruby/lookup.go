package ruby

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A receiver is what a method is called on: an instance of a class by its full name,
// or with single the class itself.
type receiver struct {
	class  string
	single bool
}

// classesNamed lists the places where a class is opened, by its full name.
func (c *context) classesNamed(full string) []*class {
	if all, ok := c.m.classes[full]; ok {
		return all
	}
	var all []*class
	for _, path := range c.Defining(lastOf(full)) {
		if u := c.Unit(path); u != nil && u.Language == (Language{}) {
			all = append(all, c.m.files[u].classes[full]...)
		}
	}
	if c.Steps <= resolve.MostSteps {
		c.m.classes[full] = all
	}
	return all
}

func lastOf(full string) string { return full[strings.LastIndexByte(full, ':')+1:] }

// lexical finds what a written constant stands for by its nesting alone.
func (c *context) lexical(nesting []string, written string) (full string, found []*resolve.Symbol) {
	if rest, ok := strings.CutPrefix(written, "::"); ok {
		return rest, c.declared(rest)
	}
	for _, around := range append(slices.Clone(nesting), "") {
		name := written
		if around != "" {
			name = around + "::" + written
		}
		if found = c.declared(name); len(found) > 0 {
			return name, found
		}
	}
	return "", nil
}

// constant finds what a written constant stands for: by the nesting, then by what the
// innermost class is derived from.
func (c *context) constant(nesting []string, written string) (full string, found []*resolve.Symbol) {
	if full, found = c.lexical(nesting, written); len(found) > 0 {
		return full, found
	}
	if len(nesting) > 0 && !strings.Contains(written, "::") {
		c.above(receiver{class: nesting[0]}, func(k *class, _ bool) bool {
			full = k.full + "::" + written
			found = c.declared(full)
			return len(found) == 0
		})
	}
	return full, found
}

// declared lists the classes, modules and other constants of a full name.
func (c *context) declared(full string) []*resolve.Symbol {
	var all []*resolve.Symbol
	for _, k := range c.classesNamed(full) {
		all = append(all, k.Symbol)
	}
	for _, path := range c.Defining(lastOf(full)) {
		if u := c.Unit(path); u != nil && u.Language == (Language{}) {
			all = append(all, c.m.files[u].consts[full]...)
		}
	}
	return all
}

// above goes over the classes and modules in which the methods of a receiver are
// looked up, nearest first. whole is false if some of them are not of the project.
func (c *context) above(r receiver, visit func(k *class, single bool) (more bool)) (whole bool) {
	whole = true
	seen := map[receiver]bool{}
	todo := []receiver{r}
	for len(todo) > 0 && c.Step() {
		r := todo[0]
		todo = todo[1:]
		if seen[r] {
			continue
		}
		seen[r] = true
		opened := c.classesNamed(r.class)
		whole = whole && len(opened) > 0
		more := true
		for _, k := range opened {
			more = visit(k, r.single) && more
		}
		if !more {
			return whole
		}
		for _, k := range opened {
			mixed := k.included
			if r.single {
				mixed = k.extended
			}
			for _, name := range slices.Backward(mixed) {
				full, _ := in(c.Resolver, k.Unit).lexical(k.nesting, name)
				if name == "self" {
					full = k.full
				}
				whole = whole && full != ""
				todo = append(todo, receiver{class: full})
			}
		}
		for _, k := range opened {
			if k.super != "" {
				full, _ := in(c.Resolver, k.Unit).lexical(k.nesting[1:], k.super)
				whole = whole && full != ""
				todo = append(todo, receiver{full, r.single})
			}
		}
	}
	return whole
}

// methodsOf finds the methods of a name that a receiver has. With beyond, those of the
// class itself are left out.
func (c *context) methodsOf(r receiver, name string, beyond bool) (found []*resolve.Symbol) {
	owner := ""
	c.above(r, func(k *class, single bool) bool {
		if beyond && k.full == r.class && single == r.single || owner != "" && owner != k.full {
			return true
		}
		for _, d := range k.named(name, single) {
			owner = k.full
			found = append(found, d.Symbol)
		}
		return len(found) == 0
	})
	return found
}

// scopeAt is the innermost scope around a node.
func (c *context) scopeAt(n int32) *scope {
	for ; n >= 0; n = c.u.Parent(n) {
		if s := c.f.scopes[n]; s != nil {
			return s
		}
	}
	return c.f.top
}

// isLocal reports whether a bare name is a local variable where it stands.
func (s *scope) isLocal(name string) bool {
	for ; s != nil; s = s.outer {
		if s.names[name] {
			return true
		}
	}
	return false
}

// receiverAt says what an expression is, if that is plain.
func (c *context) receiverAt(n int32) (r receiver, ok bool) {
	if n < 0 || !c.Enter() {
		return r, false
	}
	defer c.Leave()
	s := c.scopeAt(n)
	switch c.u.Kind(n) {
	case "self":
		return s.self()
	case "constant", "scope_resolution":
		full, _ := c.constant(s.nesting, c.u.Text(n))
		return receiver{full, true}, len(c.classesNamed(full)) > 0
	case "call":
		if r, ok := c.madeClass(n); ok {
			return r, ok
		}
		return c.called(s, c.u.Child(n, "receiver"), c.u.Text(c.u.Child(n, "method")))
	case "identifier":
		if !s.isLocal(c.u.Text(n)) {
			return c.called(s, -1, c.u.Text(n))
		}
		for s.outer != nil && !s.names[c.u.Text(n)] {
			s = s.outer
		}
		return c.assigned(s.node, "identifier", c.u.Text(n))
	case "instance_variable":
		if s.class == nil {
			return c.assigned(c.f.top.node, "instance_variable", c.u.Text(n))
		}
		if s.single || len(c.classesNamed(s.class.full)) > 1 {
			return r, false
		}
		return c.field(s.class, c.u.Text(n))
	case "parenthesized_statements", "body_statement", "begin", "then", "else":
		return c.receiverAt(c.last(n))
	case "assignment", "operator_assignment":
		return c.receiverAt(c.u.Child(n, "right"))
	case "if", "unless", "conditional":
		return c.either(c.u.Child(n, "consequence"), c.u.Child(n, "alternative"))
	case "binary":
		if op := c.u.Text(c.u.Child(n, "operator")); op == "||" || op == "or" {
			return c.either(c.u.Child(n, "left"), c.u.Child(n, "right"))
		}
	}
	return r, false
}

// madeClass is the class that Class.new makes; without a block it has what its superclass
// has.
func (c *context) madeClass(n int32) (r receiver, ok bool) {
	if strings.TrimPrefix(c.u.Text(c.u.Child(n, "receiver")), "::") != "Class" || c.u.Text(c.u.Child(n, "method")) != "new" {
		return r, false
	}
	if c.u.Child(n, "block") >= 0 {
		made := unnamed(c.u, n)
		return receiver{made, true}, len(c.m.classes[made]) > 0
	}
	return c.receiverAt(c.u.First(c.u.Child(n, "arguments")))
}

// called is what a call gives.
func (c *context) called(s *scope, to int32, name string) (r receiver, ok bool) {
	if to >= 0 {
		r, ok = c.receiverAt(to)
	} else {
		r, ok = s.self()
	}
	if ok && r.single && name == "new" && len(c.methodsOf(r, name, false)) == 0 {
		return receiver{class: r.class}, true
	}
	switch {
	case to < 0:
		return c.result(c.bare(s, name))
	case !ok:
		return r, false
	}
	return c.result(known(c.methodsOf(r, name, false)))
}

// result is what the one method that is meant returns.
func (c *context) result(m resolve.Meaning) (r receiver, ok bool) {
	var d *method
	for _, y := range m.Symbols {
		o := c.m.methods[y]
		if o != nil && o.sets {
			continue
		}
		if o == nil || d != nil {
			return r, false
		}
		d = o
	}
	if d == nil {
		return r, false
	}
	if r, known := c.m.returns[d]; known {
		return r, r.class != ""
	}
	c.m.returns[d] = receiver{} // while it hangs on itself
	r, ok = in(c.Resolver, d.Unit).returned(d)
	if !ok {
		r = receiver{}
	}
	if c.Steps <= resolve.MostSteps {
		c.m.returns[d] = r
	} else {
		delete(c.m.returns, d)
	}
	return r, ok
}

// returned is what a method gives, if that is the same at its end and at every return.
// What gives nil says nothing.
func (c *context) returned(d *method) (r receiver, ok bool) {
	n := d.Decls[0].Node
	switch c.u.Kind(n) {
	case "simple_symbol":
		if d.owner == nil || d.singular || len(c.classesNamed(d.owner.full)) > 1 {
			return r, false
		}
		return c.field(d.owner, "@"+d.Name)
	case "method", "singleton_method":
	default:
		return r, false
	}
	r, ok = c.receiverAt(c.u.Child(n, "body"))
	for i := n; ok && i < c.u.Nodes[n].Next && c.Step(); i++ {
		if c.u.Kind(i) != "return" {
			continue
		}
		given := c.u.First(c.u.First(i))
		if o, plain := c.receiverAt(given); given >= 0 && c.u.Kind(given) != "nil" && (!plain || o != r) {
			return r, false
		}
	}
	return r, ok
}

// last is the last expression of a body.
func (c *context) last(n int32) int32 {
	last := int32(-1)
	for i := range c.u.Children(n) {
		switch c.u.Kind(i) {
		case "rescue", "ensure", "else", "comment":
		default:
			last = i
		}
	}
	return last
}

// either is what two expressions give, if that is the same. What gives nil says nothing.
func (c *context) either(a, b int32) (r receiver, ok bool) {
	r, ok = c.receiverAt(a)
	if b < 0 || c.u.Text(b) == "nil" {
		return r, ok
	}
	o, plain := c.receiverAt(b)
	if c.u.Text(a) == "nil" {
		return o, plain
	}
	return r, ok && plain && o == r
}

// self is what self is in a scope.
func (s *scope) self() (r receiver, ok bool) {
	if s.class == nil {
		return r, false
	}
	return receiver{s.class.full, s.single}, true
}

// field is what an instance variable holds.
func (c *context) field(k *class, name string) (r receiver, ok bool) {
	m, known := c.m.fields[k]
	if !known {
		m = map[string]receiver{}
		c.m.fields[k] = m
	}
	if r, known = m[name]; known {
		return r, r.class != ""
	}
	m[name] = receiver{} // while it hangs on itself
	r, ok = c.assigned(k.Decls[0].Node, "instance_variable", name)
	if ok && c.Steps <= resolve.MostSteps {
		m[name] = r
	}
	return r, ok
}

// assigned is what is assigned to a variable wherever it stands in a node, if that is
// always the same and nothing else gives it a value.
func (c *context) assigned(node int32, kind, name string) (r receiver, ok bool) {
	for i := node; i < c.u.Nodes[node].Next && c.Step(); i++ {
		if c.u.Kind(i) != kind || c.u.Text(i) != name {
			continue
		}
		p := c.u.Parent(i)
		k := c.u.Kind(p)
		switch {
		case (k == "assignment" || k == "operator_assignment") && c.u.Field(i) == "left":
			right := c.u.Child(p, "right")
			if c.u.Kind(right) == "nil" {
				continue
			}
			o, known := c.receiverAt(right)
			if !known || ok && o != r {
				return r, false
			}
			r, ok = o, true
		case strings.HasSuffix(k, "_parameters"), strings.HasSuffix(k, "_parameter"), strings.Contains(k, "assignment") &&
			k != "assignment" && k != "operator_assignment", k == "exception_variable", k == "for", strings.HasSuffix(k, "pattern"):
			return r, false
		}
	}
	return r, ok
}

func known(list []*resolve.Symbol) resolve.Meaning {
	return resolve.Meaning{Symbols: list, Known: len(list) > 0}
}

// meaning says what stands at a name.
func (c *context) meaning(n int32) resolve.Meaning {
	if y := c.u.Owner[n]; y != nil {
		m := resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true, Declares: true}
		s := c.scopeAt(c.u.Parent(n))
		if d := c.m.methods[y]; d != nil {
			m.Symbols = append(m.Symbols, c.otherHalf(d)...)
		} else { // a class may be opened in several places
			if s.class != nil && s.class.Symbol == y {
				m.Symbols = c.declared(s.class.full)
			} else {
				m.Symbols = c.declared(inside(s.nesting, y.Name))
			}
		}
		return m
	}
	p := c.u.Parent(n)
	s := c.scopeAt(n)
	name := c.u.Text(n)
	if c.u.Kind(n) == "simple_symbol" {
		return c.symbol(s, n)
	}
	switch {
	case c.u.Kind(n) == "constant" && (c.u.Kind(p) != "call" || c.u.Field(n) != "method"):
		whole := n
		if c.u.Kind(p) == "scope_resolution" && c.u.Field(n) == "name" {
			whole = p
		}
		if c.u.Kind(c.u.Parent(whole)) == "superclass" && s.class != nil {
			_, found := c.constant(s.nesting[1:], c.u.Text(whole))
			return known(found)
		}
		_, found := c.constant(s.nesting, c.u.Text(whole))
		m := known(found)
		m.Known = m.Known || whole != n && c.u.Kind(c.u.Child(whole, "scope")) != "call" // A::B of a library
		return m
	case c.u.Kind(p) == "call" && c.u.Field(n) == "method":
		to := c.u.Child(p, "receiver")
		if to < 0 {
			return c.bare(s, name)
		}
		if r, ok := c.receiverAt(to); ok {
			return known(c.methodsOf(r, name, false))
		}
		return resolve.Meaning{}
	case s.isLocal(name):
		return resolve.Meaning{Known: true}
	case c.u.Field(n) == "name" && c.u.Kind(p) != "alias":
		return resolve.Meaning{Known: true} // of a parameter or an argument
	}
	return c.bare(s, name)
}

// otherHalf lists what gets an attribute that a method sets, or sets what it gets.
func (c *context) otherHalf(d *method) (all []*resolve.Symbol) {
	if d.owner == nil {
		return nil
	}
	for _, k := range c.classesNamed(d.owner.full) {
		for _, o := range k.named(d.Name, d.singular) {
			if o.sets != d.sets {
				all = append(all, o.Symbol)
			}
		}
	}
	return all
}

// symbol is the meaning of a symbol where the body of a class names a method of its
// instances, as for private and before_action, or autoload a constant.
func (c *context) symbol(s *scope, n int32) resolve.Meaning {
	call := c.u.Parent(c.u.Parent(n))
	if c.u.Kind(call) == "call" && c.u.Text(c.u.Child(call, "method")) == "autoload" {
		_, found := c.constant(s.nesting, strings.TrimPrefix(c.u.Text(n), ":"))
		return known(found)
	}
	if s.class == nil || s.method != "" || c.u.Kind(call) != "call" || c.u.Child(call, "receiver") >= 0 {
		return resolve.Meaning{}
	}
	switch by := c.u.Text(c.u.Child(call, "method")); {
	case by == "private", by == "protected", by == "public", by == "module_function", by == "alias_method",
		by == "helper_method", by == "validate", strings.HasSuffix(by, "_action"), strings.HasPrefix(by, "before_"),
		strings.HasPrefix(by, "after_"):
		return known(c.methodsOf(receiver{class: s.class.full}, strings.TrimPrefix(c.u.Text(n), ":"), false))
	}
	return resolve.Meaning{}
}

// bare is the meaning of a method that is called on nothing: of a block around, of self,
// or outside of all classes.
func (c *context) bare(s *scope, name string) resolve.Meaning {
	for at := s; at != nil && at.class == nil; at = at.around {
		if found := at.methods[name]; len(found) > 0 {
			return known(symbolsOf(found))
		}
	}
	if r, ok := s.self(); ok {
		if found := c.methodsOf(r, name, false); len(found) > 0 {
			return known(found)
		}
		return resolve.Meaning{}
	}
	if own := c.f.free[name]; len(own) > 0 {
		return known(symbolsOf(own))
	}
	var all []*resolve.Symbol
	for _, path := range c.Defining(name) {
		if u := c.Unit(path); u != nil && u.Language == (Language{}) {
			all = append(all, symbolsOf(c.m.files[u].free[name])...)
		}
	}
	return known(all)
}

func symbolsOf(list []*method) []*resolve.Symbol {
	all := make([]*resolve.Symbol, len(list))
	for i, d := range list {
		all[i] = d.Symbol
	}
	return all
}

// Inherited finds the methods of a name that a class or module has from others: those
// of its instances, or else its own.
func (Language) Inherited(r *resolve.Resolver, y *resolve.Symbol, name string) []resolve.Spot {
	c := in(r, y.Unit)
	for _, list := range c.f.classes {
		for _, k := range list {
			if k.Symbol != y {
				continue
			}
			for _, single := range []bool{false, true} {
				if found := c.methodsOf(receiver{k.full, single}, name, false); len(found) > 0 {
					return resolve.Spots(found...)
				}
			}
		}
	}
	return nil
}
