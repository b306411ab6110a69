package ruby

import (
	"maps"
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A receiver is what a method is called on: an instance of a class by its full name,
// or with single the class itself.
type receiver struct {
	class  string
	single bool
	guess  bool // it may be something else: not all that gives it is known
}

// sameClass reports whether two receivers are of one class.
func (r receiver) sameClass(o receiver) bool { return r.class == o.class && r.single == o.single }

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

// constant finds what a written constant stands for: by the nesting, then by what is derived
// from or stood for. What follows a :: is looked for in what comes before it.
func (c *context) constant(nesting []string, written string) (full string, found []*resolve.Symbol) {
	of, name := "", written
	if at := strings.LastIndex(written, "::"); at > 0 {
		of, name = written[:at], written[at+2:]
		of, _ = c.constant(nesting, of)
	} else if len(nesting) > 0 && at < 0 {
		of = nesting[0]
		for _, around := range nesting {
			if full, found = around+"::"+name, c.declared(around+"::"+name); len(found) > 0 {
				return full, found
			}
		}
	}
	c.visitAncestors(receiver{class: c.aliasedClass(of)}, func(k *class, _ bool) bool {
		full, found = k.full+"::"+name, c.declared(k.full+"::"+name)
		return len(found) == 0
	})
	if len(found) > 0 {
		return full, found
	}
	return c.lexical(nesting, written)
}

// byNameEnding finds the only class or other constant of the project whose full name ends in what
// is written: that name may be known where it is by what was included elsewhere. some
// says whether there is any.
func (c *context) byNameEnding(written string) (full string, found []*resolve.Symbol, some bool) {
	names, ok := c.m.endings[written]
	if !ok {
		names = c.endings(written)
		if c.Steps <= resolve.MostSteps {
			c.m.endings[written] = names
		}
	}
	if len(names) != 1 {
		return "", nil, len(names) > 0
	}
	return names[0], c.declared(names[0]), true
}

// endings lists the full names of [context.byNameEnding], at most two.
func (c *context) endings(written string) (names []string) {
	for _, path := range c.Defining(lastOf(written)) {
		u := c.Unit(path)
		if u == nil || u.Language != (Language{}) {
			continue
		}
		f := c.m.files[u]
		for _, name := range slices.Concat(slices.Collect(maps.Keys(f.classes)), slices.Collect(maps.Keys(f.consts))) {
			if !strings.HasSuffix(name, "::"+written) || slices.Contains(names, name) {
				continue
			}
			if names = append(names, name); len(names) > 1 {
				return names
			}
		}
	}
	return names
}

// aliasedClass is the full name of the class that a constant is given, or its own name.
func (c *context) aliasedClass(full string) string {
	for range 4 {
		given := c.declared(full)
		if len(given) != 1 {
			return full
		}
		there, n := in(c.Resolver, given[0].Unit), given[0].Decls[0].Node
		right := there.u.Child(n, "right")
		if k := there.u.Kind(right); there.u.Kind(n) != "assignment" || k != "constant" && k != "scope_resolution" {
			return full
		}
		of, found := there.lexical(there.scopeAt(n).nesting, there.u.Text(right))
		if len(found) == 0 || of == full {
			return full
		}
		full = of
	}
	return full
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

// visitAncestors goes over the classes and modules in which the methods of a receiver are
// looked up, nearest first.
func (c *context) visitAncestors(r receiver, visit func(k *class, single bool) (more bool)) {
	seen := map[receiver]bool{}
	todo := []receiver{r}
	last := objectReceivers(r.single)
	for c.Step() {
		if len(todo) == 0 {
			todo, last = last, nil
		}
		if len(todo) == 0 {
			return
		}
		r := todo[0]
		r.guess = false
		todo = todo[1:]
		if seen[r] {
			continue
		}
		seen[r] = true
		opened := c.classesNamed(r.class)
		more := true
		for _, k := range opened {
			more = visit(k, r.single) && more
		}
		if !more {
			return
		}
		next, known := c.parents(opened, r.single)
		if !known {
			last = nil // what a library has comes first, and is not known
		}
		todo = append(todo, next...)
	}
}

// parents are the receivers that come after a class, which is opened at each of some places: modules, and
// what these bring with them by custom, then the superclass. They are known if the project declares all of them.
func (c *context) parents(opened []*class, single bool) (next []receiver, known bool) {
	known = true
	add := func(full string, single bool) {
		full = c.aliasedClass(full)
		next, known = append(next, receiver{class: full, single: single}), known && len(c.classesNamed(full)) > 0
	}
	for _, k := range opened {
		mixed := k.included
		if single {
			mixed = k.extended
		}
		for _, name := range slices.Backward(mixed) {
			full, _ := in(c.Resolver, k.Unit).lexical(k.nesting, name)
			if name == "self" {
				full = k.full
			}
			add(full, false)
		}
		for _, name := range k.included {
			full, found := in(c.Resolver, k.Unit).lexical(k.nesting, name+"::ClassMethods")
			if single && len(found) > 0 {
				next = append(next, receiver{class: full})
			}
		}
	}
	for _, k := range opened {
		if k.super != "" {
			full, _ := in(c.Resolver, k.Unit).lexical(k.nesting[1:], k.super)
			add(full, single)
		}
	}
	return next, known
}

// objectReceivers is where the methods come from that every object has, and with single every class.
func objectReceivers(single bool) []receiver {
	all := []receiver{{class: "Object"}, {class: "Kernel"}}
	if single {
		all = append([]receiver{{class: "Class"}, {class: "Module"}}, all...)
	}
	return all
}

// methodsOf finds the methods of a name that a receiver has. With beyond, those of the
// class itself are left out.
func (c *context) methodsOf(r receiver, name string, beyond bool) (found []*resolve.Symbol) {
	owner := ""
	c.visitAncestors(r, func(k *class, single bool) bool {
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
	return resolve.Innermost(c.u.Parsed, n, c.f.scopes, c.f.top)
}

// isLocal reports whether a bare name is a local variable where it is.
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
		full, found := c.constant(s.nesting, c.u.Text(n))
		if len(found) == 0 && c.u.Kind(n) != "constant" {
			full, _, r.guess = c.byNameEnding(c.u.Text(n))
		}
		r.class, r.single = c.aliasedClass(full), true
		return r, len(c.classesNamed(r.class)) > 0
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
		return c.unlessDenied(n)(c.variable(s.node, c.u.Text(n)))
	case "instance_variable":
		return c.unlessDenied(n)(c.instanceVariable(s, c.u.Text(n)))
	case "parenthesized_statements", "body_statement", "begin", "then", "else", "block_body":
		return c.receiverAt(c.lastExpression(n))
	case "assignment", "operator_assignment":
		return c.receiverAt(c.u.Child(n, "right"))
	case "if_modifier", "unless_modifier":
		return c.receiverAt(c.u.Child(n, "body"))
	case "rescue_modifier":
		return c.receiverAt(c.u.Child(n, "body"))
	case "if", "unless", "elsif", "conditional":
		return c.commonResult(c.u.Child(n, "consequence"), c.u.Child(n, "alternative"))
	case "case":
		return c.anyOf(n)
	case "element_reference": // of a class that has what Hash has
		if r, ok = c.receiverAt(c.u.Child(n, "object")); ok && r.single {
			return receiver{class: r.class, guess: true}, true
		}
		return receiver{}, false
	case "binary":
		switch op := c.u.Text(c.u.Child(n, "operator")); op {
		case "||", "or":
			return c.commonResult(c.u.Child(n, "left"), c.u.Child(n, "right"))
		case "&&", "and":
			return c.receiverAt(c.u.Child(n, "right"))
		}
	}
	return r, false
}

// variable is what a variable of a node holds.
func (c *context) variable(node int32, name string) (r receiver, ok bool) {
	key := variable{node, name}
	if r, known := c.f.values[key]; known {
		return r, r.class != ""
	}
	c.f.values[key] = receiver{} // while it hangs on itself
	if r, ok = c.assigned(node, name); !ok {
		r, ok = c.calledOn([]int32{node}, name)
	}
	if c.Steps <= resolve.MostSteps {
		c.f.values[key] = r
	} else {
		delete(c.f.values, key)
	}
	return r, ok
}

// placesIn lists where a variable is within a node.
func (c *context) placesIn(node int32, name string) []int32 {
	all := c.f.places[name]
	first, _ := slices.BinarySearch(all, node)
	last, _ := slices.BinarySearch(all, c.u.Nodes[node].Next)
	c.Steps += last - first
	return all[first:last]
}

// instanceVariable is what an instance variable holds where it is.
func (c *context) instanceVariable(s *scope, name string) (r receiver, ok bool) {
	if s.class == nil {
		if r, ok = c.assigned(c.f.top.node, name); ok && !r.guess {
			return r, ok
		}
		for at := s; at != nil; at = at.around { // the group of examples that sets it
			if r, ok = c.assigned(at.node, name); ok {
				r.guess = true
				return r, ok
			}
		}
		return c.calledOn([]int32{c.f.top.node}, name)
	}
	opened := c.classesNamed(s.class.full)
	if !s.single && len(opened) == 1 {
		if r, ok = c.field(s.class, name); ok {
			return r, ok
		}
	}
	c.visitAncestors(receiver{class: s.class.full}, func(k *class, _ bool) bool {
		o, known := in(c.Resolver, k.Unit).field(k, name)
		switch {
		case !known:
		case ok && !o.sameClass(r):
			r, ok = receiver{}, false
			return false
		default:
			r, ok = o, true
		}
		return true
	})
	if ok {
		r.guess = true
		return r, ok
	}
	var nodes []int32
	for _, k := range opened {
		if k.Unit == c.u {
			nodes = append(nodes, k.Decls[0].Node)
		}
	}
	return c.calledOn(nodes, name)
}

// mergedReceivers is what several ways to a value give together: the same class, and a guess if one way
// is a guess or gives nothing that is known.
type mergedReceivers struct {
	r          receiver
	ok, missed bool
}

// add takes one more way, and reports whether it does not contradict those before.
func (w *mergedReceivers) add(o receiver, known bool) (fits bool) {
	switch {
	case !known:
		w.missed = true
	case w.ok && !o.sameClass(w.r):
		return false
	default:
		o.guess = o.guess || w.r.guess
		w.r, w.ok = o, true
	}
	return true
}

// commonReceiver is what they give; false if nothing is known.
func (w *mergedReceivers) commonReceiver() (r receiver, ok bool) {
	w.r.guess = w.r.guess || w.missed
	return w.r, w.ok
}

// anyOf is what the branches of a case give.
func (c *context) anyOf(n int32) (r receiver, ok bool) {
	var all mergedReceivers
	for i := range c.u.Children(n) {
		body := i
		switch c.u.Kind(i) {
		case "when":
			body = c.u.Child(i, "body")
		case "else":
		default:
			continue
		}
		if !all.add(c.receiverAt(body)) {
			return receiver{}, false
		}
	}
	return all.commonReceiver()
}

// madeClass is the class that Class.new makes; without a block it has what its superclass
// has.
func (c *context) madeClass(n int32) (r receiver, ok bool) {
	if strings.TrimPrefix(c.u.Text(c.u.Child(n, "receiver")), "::") != "Class" || c.u.Text(c.u.Child(n, "method")) != "new" {
		return r, false
	}
	if c.u.Child(n, "block") >= 0 {
		made := unnamed(c.u, n)
		return receiver{class: made, single: true}, len(c.m.classes[made]) > 0
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
		return receiver{class: r.class, guess: r.guess}, true
	}
	if to < 0 {
		if o, found := c.described(s, name); found {
			return o, true
		}
		return c.result(c.bareCallMeaning(s, name))
	}
	if !ok {
		return c.result(c.guess(name))
	}
	m := c.methodMeaning(r, name)
	if len(m.Symbols) == 0 {
		switch {
		case name == "class" && !r.single:
			return receiver{class: r.class, single: true, guess: r.guess}, true
		case name == "instance" && r.single:
			return receiver{class: r.class, guess: true}, true
		case same[name]:
			return r, true
		}
	}
	return c.result(m)
}

// same are the methods of any object that give the object, or one like it.
var same = map[string]bool{"dup": true, "clone": true, "freeze": true, "tap": true, "itself": true}

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
	r, known := c.m.returns[d]
	if !known {
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
	}
	r.guess = r.guess || m.Guess
	return r, r.class != ""
}

// returned is what a method gives, if that is the same at its end and at every return.
// What gives nil says nothing.
func (c *context) returned(d *method) (r receiver, ok bool) {
	n := d.Decls[0].Node
	switch c.u.Kind(n) {
	case "simple_symbol":
		if d.owner == nil || d.singular {
			return r, false
		}
		return c.instanceVariable(&scope{class: d.owner}, "@"+d.Name)
	case "call": // let and subject
		return c.receiverAt(c.u.Child(c.u.Child(n, "block"), "body"))
	case "method", "singleton_method":
	default:
		return r, false
	}
	var all mergedReceivers
	all.add(c.receiverAt(c.u.Child(n, "body")))
	for _, i := range c.placesIn(n, "return") {
		given := c.u.First(c.u.First(i))
		if given < 0 || c.u.Kind(given) == "nil" {
			continue
		}
		if !all.add(c.receiverAt(given)) {
			return receiver{}, false
		}
	}
	return all.commonReceiver()
}

// lastExpression is the last expression of a body.
func (c *context) lastExpression(n int32) int32 {
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

// commonResult is what two expressions give, if that is the same. What gives nil says nothing.
func (c *context) commonResult(a, b int32) (r receiver, ok bool) {
	r, ok = c.receiverAt(a)
	if b < 0 || c.u.Text(b) == "nil" {
		return r, ok
	}
	o, plain := c.receiverAt(b)
	switch {
	case c.u.Text(a) == "nil":
		return o, plain
	case ok && plain:
		r.guess = r.guess || o.guess
		return r, o.sameClass(r)
	case plain:
		r = o
	}
	r.guess = true
	return r, ok || plain
}

// self is what self is in a scope.
func (s *scope) self() (r receiver, ok bool) {
	if s.class == nil {
		return r, false
	}
	return receiver{class: s.class.full, single: s.single}, true
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
	r, ok = c.assigned(k.Decls[0].Node, name)
	if ok && c.Steps <= resolve.MostSteps {
		m[name] = r
	}
	return r, ok
}

// assigned is what is assigned to a variable wherever it is in a node, if that is
// always the same. It is a guess if something else gives it a value too.
func (c *context) assigned(node int32, name string) (r receiver, ok bool) {
	var all mergedReceivers
	for _, i := range c.placesIn(node, name) {
		right, sets := c.assignedValue(i)
		if !sets || c.u.Kind(right) == "nil" {
			continue
		}
		if !all.add(c.receiverAt(right)) {
			return receiver{}, false
		}
	}
	return all.commonReceiver()
}

// assignedValue is what a variable gets where it is, -1 if that is not written there. sets is
// false where it gets nothing.
func (c *context) assignedValue(n int32) (right int32, sets bool) {
	p := c.u.Parent(n)
	switch k := c.u.Kind(p); {
	case k == "assignment" || k == "operator_assignment":
		return c.u.Child(p, "right"), c.u.Field(n) == "left"
	case k == "optional_parameter" || k == "keyword_parameter":
		return -1, c.u.Field(n) == "name"
	case k == "left_assignment_list":
		if values := c.u.Child(c.u.Parent(p), "right"); c.u.Kind(values) == "right_assignment_list" {
			if at := slices.Index(c.u.List(p), n); at >= 0 && len(c.u.List(values)) == len(c.u.List(p)) {
				return c.u.List(values)[at], true
			}
		}
		return -1, true
	case strings.HasSuffix(k, "_parameters"), strings.HasSuffix(k, "_parameter"), strings.Contains(k, "assignment"),
		k == "exception_variable", k == "for", strings.HasSuffix(k, "pattern"):
		return -1, true
	}
	return -1, false
}

func known(list []*resolve.Symbol) resolve.Meaning {
	return resolve.Meaning{Symbols: list, Known: len(list) > 0}
}

// meaningAt says what is at a name.
func (c *context) meaningAt(n int32) resolve.Meaning {
	if y := c.u.Owner[n]; y != nil {
		m := resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true, Declares: true}
		s := c.scopeAt(c.u.Parent(n))
		if d := c.m.methods[y]; d != nil {
			m.Symbols = append(m.Symbols, c.otherHalf(d)...)
		} else if y.Scope == nil { // a class may be opened in several places
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
		if c.u.Kind(p) == "pair" && c.u.Field(n) == "key" && len(c.passedTo(s, p)) > 0 {
			return c.key(s, p, strings.TrimPrefix(name, ":"))
		}
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
		if len(found) > 0 || whole == n {
			return known(found)
		}
		_, found, some := c.byNameEnding(c.u.Text(whole))
		m := guessed(found)
		m.Known = !some && c.u.Kind(c.u.Child(whole, "scope")) != "call" // A::B of a library
		return m
	case c.u.Kind(n) == "hash_key_symbol":
		return c.key(s, p, name)
	case c.u.Kind(p) == "call" && c.u.Field(n) == "method":
		m := c.calledAt(s, c.u.Child(p, "receiver"), name)
		m.Member = true
		return m
	case c.u.Field(n) == "name" && c.u.Kind(p) != "alias" && !s.isLocal(name):
		return resolve.Meaning{Known: true} // of a parameter or an argument
	}
	return c.word(s, name)
}

// word is the meaning of a bare word: a local variable, or a method.
func (c *context) word(s *scope, name string) resolve.Meaning {
	if s.isLocal(name) {
		return s.local(name)
	}
	m := c.bareCallMeaning(s, name)
	m.Member = true
	return m
}

// calledAt is the meaning of a method that is called on something, or on nothing.
func (c *context) calledAt(s *scope, to int32, name string) resolve.Meaning {
	if to < 0 {
		return c.bareCallMeaning(s, name)
	}
	if r, ok := c.receiverAt(to); ok {
		return c.methodMeaning(r, name)
	}
	return c.guess(name)
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
	if c.u.Kind(c.u.Parent(n)) == "block_argument" {
		return c.guess(strings.TrimPrefix(c.u.Text(n), ":"))
	}
	first := c.u.Kind(call) == "call" && n == c.u.First(c.u.Parent(n))
	if first && sending[c.u.Text(c.u.Child(call, "method"))] {
		return c.sent(s, call, strings.TrimPrefix(c.u.Text(n), ":"))
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

// sending are the methods that call a method by its name, or find it.
var sending = map[string]bool{"send": true, "public_send": true, "__send__": true, "method": true,
	"public_method": true, "instance_method": true}

// sent is the meaning of a symbol that send and the like get.
func (c *context) sent(s *scope, call int32, name string) resolve.Meaning {
	to := c.u.Child(call, "receiver")
	if to < 0 {
		return c.bareCallMeaning(s, name)
	}
	r, ok := c.receiverAt(to)
	if !ok {
		return c.guess(name)
	}
	r.single = r.single && c.u.Text(c.u.Child(call, "method")) != "instance_method"
	return c.methodMeaning(r, name)
}

// described is what described_class of RSpec stands for, and subject where nothing says
// otherwise.
func (c *context) described(s *scope, name string) (r receiver, ok bool) {
	if name != "described_class" && name != "subject" || s.class != nil || len(c.helper(s, name)) > 0 {
		return r, false
	}
	for at := s; at != nil; at = at.around {
		call := c.u.Parent(at.node)
		if at.node <= 0 || c.u.Kind(call) != "call" {
			continue
		}
		first := c.u.First(c.u.Child(call, "arguments"))
		if k := c.u.Kind(first); k != "constant" && k != "scope_resolution" {
			continue
		}
		if r, ok = c.receiverAt(first); ok && r.single {
			r.single = name != "subject"
			return r, ok
		}
	}
	return r, false
}

// helper lists the methods of a name that blocks around define, such as those of describe.
func (c *context) helper(s *scope, name string) []*method {
	for at := s; at != nil && at.class == nil; at = at.around {
		if found := at.methods[name]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// bareCallMeaning is the meaning of a method that is called on nothing: of a block around, of self,
// or outside of all classes.
func (c *context) bareCallMeaning(s *scope, name string) resolve.Meaning {
	if found := c.helper(s, name); len(found) > 0 {
		return known(symbolsOf(found))
	}
	if r, ok := s.self(); ok {
		if found := c.methodsOf(r, name, false); len(found) > 0 {
			return known(found)
		}
		return c.descendantMeaning(r, name)
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
	if len(all) == 0 && s != c.f.top { // a block may run as a method of something
		return c.guess(name)
	}
	return known(all)
}

// descendantMeaning guesses what a method means that self does not have where it is written: what the
// classes have that are derived from it, or that include it.
func (c *context) descendantMeaning(r receiver, name string) resolve.Meaning {
	var has []receiver
	for _, o := range c.owners(name) {
		c.visitAncestors(o, func(k *class, single bool) bool {
			if k.full == r.class && single == r.single && !slices.Contains(has, o) {
				has = append(has, o)
			}
			return true
		})
	}
	var all []*resolve.Symbol
	for _, o := range c.topmost(has) {
		all = append(all, c.methodsOf(o, name, false)...)
	}
	return guessed(all)
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
				if found := c.methodsOf(receiver{class: k.full, single: single}, name, false); len(found) > 0 {
					return resolve.Spots(found...)
				}
			}
		}
	}
	return nil
}
