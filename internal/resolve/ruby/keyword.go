package ruby

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// variable declares a parameter that is passed by its name, or a variable outside of methods.
func (b *binder) variable(n, node int32) {
	y := b.symbol(n, node)
	y.Scope = &resolve.Scope{Kind: resolve.FunctionScope, Node: node, Unit: b.Unit}
	s := b.in()
	if s.symbols == nil {
		s.symbols = map[string]*resolve.Symbol{}
	}
	s.symbols[y.Name] = y
}

// local is the meaning of a local variable. Only those have symbols that can be asked for by
// their names: parameters that are passed by them, and what is set outside of methods.
func (s *scope) local(name string) resolve.Meaning {
	for ; s != nil; s = s.outer {
		if y := s.symbols[name]; y != nil {
			return known([]*resolve.Symbol{y})
		}
		if s.names[name] {
			break
		}
	}
	return resolve.Meaning{Known: true}
}

// key is the meaning of the key of a pair: of an argument that is passed by its name, the
// parameter. One without a value is the variable of its name too.
func (c *context) key(s *scope, pair int32, name string) resolve.Meaning {
	m := resolve.Meaning{Known: true}
	if c.u.Kind(pair) != "pair" {
		return m // of a pattern
	}
	for _, call := range c.passedTo(s, pair) {
		o := c.argument(c.scopeAt(call), call, name)
		m.Symbols = append(m.Symbols, o.Symbols...)
		m.OneOf, m.Guess, m.Known = m.OneOf || o.OneOf, m.Guess || o.Guess, m.Known && o.Known
	}
	if c.u.Child(pair, "value") >= 0 {
		return m
	}
	if v := c.word(s, name); len(m.Symbols) > 0 {
		m.Also = v.Symbols
	} else {
		m = v
	}
	return m
}

// passedTo lists the calls that get a pair as an argument: the one around, and those to which
// a variable is passed with ** that contains it.
func (c *context) passedTo(s *scope, pair int32) []int32 {
	around := c.u.Parent(pair)
	if c.u.Kind(around) == "hash" {
		around = c.u.Parent(around)
		if left := c.u.Child(around, "left"); c.u.Kind(around) == "assignment" && c.u.Kind(left) == "identifier" {
			return c.splats(s, c.u.Text(left))
		}
		if c.u.Kind(around) != "hash_splat_argument" {
			return nil
		}
		around = c.u.Parent(around)
	}
	if c.u.Kind(around) != "argument_list" {
		return nil
	}
	return []int32{c.u.Parent(around)}
}

// splats lists the calls in a scope that a variable is passed to with **.
func (c *context) splats(s *scope, variable string) (calls []int32) {
	for s.outer != nil && !s.names[variable] {
		s = s.outer
	}
	for _, n := range c.placesIn(s.node, variable) {
		if p := c.u.Parent(n); c.u.Kind(p) == "hash_splat_argument" && c.u.Kind(c.u.Parent(p)) == "argument_list" {
			calls = append(calls, c.u.Parent(c.u.Parent(p)))
		}
	}
	return calls
}

// argument is the meaning of the name by which a call passes something.
func (c *context) argument(s *scope, call int32, name string) resolve.Meaning {
	m := resolve.Meaning{}
	to, method := c.u.Child(call, "receiver"), c.u.Text(c.u.Child(call, "method"))
	first := c.u.First(c.u.Child(call, "arguments"))
	r, plain := s.self()
	if to >= 0 {
		r, plain = c.receiverAt(to)
	}
	switch {
	case c.u.Kind(call) == "super" || method == "super":
		method = s.method
		m = known(c.methodsOf(r, method, true))
	case c.u.Kind(call) != "call" || method == "" || method == "call":
		return m // of a block
	case sending[method] && c.u.Kind(first) == "simple_symbol":
		method = strings.TrimPrefix(c.u.Text(first), ":")
		m = c.sent(s, call, method)
	case method == "new" && (!plain || r.single):
		method = "initialize"
		if plain {
			m = c.methodMeaning(receiver{class: r.class, guess: r.guess}, method)
		}
	default:
		m = c.meaningAt(c.u.Child(call, "method"))
	}
	if len(m.Symbols) == 0 && !plain { // any of the name may be called
		m = resolve.Meaning{Symbols: c.methodsNamed(method), OneOf: true}
	}
	return c.parameters(m, name)
}

// methodsNamed lists the methods of a name.
func (c *context) methodsNamed(name string) (all []*resolve.Symbol) {
	for _, path := range c.Defining(name) {
		if u := c.Unit(path); u != nil && u.Language == (Language{}) {
			all = append(all, symbolsOf(c.m.files[u].methods[name])...)
			all = append(all, symbolsOf(c.m.files[u].free[name])...)
		}
	}
	return all
}

// parameters puts in the place of methods their parameters of a name. Those that take any
// name may pass it on.
func (c *context) parameters(of resolve.Meaning, name string) resolve.Meaning {
	m := resolve.Meaning{OneOf: of.OneOf, Guess: of.Guess, Known: true}
	for _, y := range of.Symbols {
		s := c.m.files[y.Unit].scopes[y.Decls[0].Node]
		if s == nil {
			continue
		}
		if p := s.symbols[name]; p != nil {
			m.Symbols = append(m.Symbols, p)
			continue
		}
		list := y.Unit.Child(y.Decls[0].Node, "parameters")
		any := slices.ContainsFunc(y.Unit.List(list), func(n int32) bool {
			k := y.Unit.Kind(n)
			return k == "hash_splat_parameter" || k == "forward_parameter"
		})
		m.Known = m.Known && !any
	}
	return m
}

// overridden lists the parameters of the name of one that methods have which its own overrides.
func (c *context) overridden(y *resolve.Symbol) (all []*resolve.Symbol) {
	method := c.u.Owner[c.u.Child(c.u.Around(y.Decls[0].Node, "method", "singleton_method", "lambda"), "name")]
	if c.m.methods[method] == nil {
		return nil
	}
	for _, o := range (Language{}).Roots(c.Resolver, method)[1:] {
		if s := c.m.files[o.Unit].scopes[o.Decls[0].Node]; s != nil && s.symbols[y.Name] != nil {
			all = append(all, s.symbols[y.Name])
		}
	}
	return all
}
