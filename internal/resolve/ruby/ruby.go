// Package ruby says what methods and constants of Ruby mean.
//
// Classes and modules are known by their full names, wherever they are opened.
// Constants are looked up by nesting. Methods are looked up in the class of what
// they are called on, as far as that is plain: self, a constant, what new makes of
// one, and variables to which nothing else is assigned. Whatever else a method is
// called on is unknown, and so is the method. Local variables and those of
// instances are left to who asks.
package ruby

import (
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// Language is Ruby.
type Language struct{}

// Languages returns Ruby alone.
func (Language) Languages() []syntax.Language { return []syntax.Language{syntax.Ruby} }

// A class is one place where a class or a module is opened.
type class struct {
	*resolve.Symbol
	full     string
	nesting  []string // the full names around it, innermost first
	super    string
	included []string // and prepended
	extended []string
	methods  map[string][]*method
	singular map[string][]*method // those of the class itself
}

// A method is one definition of a method, of a class or outside of all.
type method struct {
	*resolve.Symbol
	owner    *class // nil outside of all classes
	singular bool
}

// A scope holds the local variables of a method, a block or a class.
type scope struct {
	node    int32
	outer   *scope // whose variables it sees
	class   *class
	single  bool // self is the class
	method  string
	names   map[string]bool
	nesting []string
}

type file struct {
	scopes  map[int32]*scope
	classes map[string][]*class // by full name
	consts  map[string][]*resolve.Symbol
	free    map[string][]*method
	top     *scope
}

type memory struct {
	files   map[*resolve.Unit]*file
	methods map[*resolve.Symbol]*method
	classes map[string][]*class
	fields  map[*class]map[string]receiver
}

// NewMemory returns an empty memory.
func (Language) NewMemory() any {
	return &memory{files: map[*resolve.Unit]*file{}, methods: map[*resolve.Symbol]*method{}, classes: map[string][]*class{},
		fields: map[*class]map[string]receiver{}}
}

type context struct {
	*resolve.Resolver
	u *resolve.Unit
	f *file
	m *memory
}

func in(r *resolve.Resolver, u *resolve.Unit) *context {
	m := u.Memory.(*memory)
	return &context{r, u, m.files[u], m}
}

// Meaning says what stands at a name.
func (Language) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	return in(r, s.Unit).meaning(s.Node)
}

// Roots returns a method together with those that it overrides.
func (Language) Roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	c := in(r, y.Unit)
	all := []*resolve.Symbol{y}
	d := c.m.methods[y]
	if d == nil || d.owner == nil || d.Name == "initialize" {
		return all
	}
	c.above(receiver{class: d.owner.full, single: d.singular}, func(k *class, single bool) bool {
		for _, o := range k.table(single)[d.Name] {
			if o != d {
				all = append(all, o.Symbol)
			}
		}
		return true
	})
	return all
}

// Aspects returns a: where a name stands says what kind of thing it stands for.
func (Language) Aspects(_ *resolve.Symbol, a resolve.Aspect) resolve.Aspect { return a }

// QuotedName reports whether a node is the name of a constant.
func (Language) QuotedName(u *resolve.Unit, n int32) bool { return u.Kind(n) == "constant" }

// Quoted returns nothing: symbols are judged by their names.
func (Language) Quoted(*resolve.Resolver, *resolve.Unit, int32) (*resolve.Unit, func(yield func(string, uint32) bool)) {
	return nil, nil
}

type binder struct {
	*resolve.Unit
	f    *file
	m    *memory
	open []*scope
}

// Bind finds what a file declares. It goes over the nodes once and recurses on
// nothing.
func (Language) Bind(_ *resolve.Resolver, u *resolve.Unit) {
	m := u.Memory.(*memory)
	f := &file{scopes: map[int32]*scope{}, classes: map[string][]*class{}, consts: map[string][]*resolve.Symbol{},
		free: map[string][]*method{}}
	m.files[u] = f
	b := &binder{Unit: u, f: f, m: m}
	f.top = b.begin(0, &scope{})
	for i := range u.Nodes {
		n := int32(i)
		for len(b.open) > 1 && n >= u.Nodes[b.in().node].Next {
			b.open = b.open[:len(b.open)-1]
		}
		b.bind(n)
	}
}

func (b *binder) in() *scope { return b.open[len(b.open)-1] }

func (b *binder) begin(n int32, s *scope) *scope {
	s.node, s.names = n, map[string]bool{}
	b.f.scopes[n] = s
	b.open = append(b.open, s)
	return s
}

func (b *binder) bind(n int32) {
	at := b.in()
	switch b.Kind(n) {
	case "class", "module":
		if name := b.Child(n, "name"); name >= 0 {
			b.declareClass(n, name)
		}
	case "singleton_class":
		b.begin(n, &scope{class: at.class, single: true, nesting: at.nesting, method: "<<"})
	case "method", "singleton_method":
		b.declareMethod(n)
	case "block", "do_block", "lambda":
		b.begin(n, &scope{outer: at, class: at.class, single: at.single, method: at.method, nesting: at.nesting})
	case "call":
		if b.Child(n, "receiver") < 0 {
			b.macro(n)
		}
	case "assignment":
		if left := b.Child(n, "left"); b.Kind(left) == "constant" {
			y := b.symbol(left, n)
			full := inside(at.nesting, y.Name)
			b.f.consts[full] = append(b.f.consts[full], y)
		}
	case "identifier":
		b.local(n)
	}
}

func (b *binder) symbol(name, node int32) *resolve.Symbol {
	y := &resolve.Symbol{Name: b.Text(name), Unit: b.Unit, Decls: []resolve.Decl{{Name: name, Node: node}}}
	b.Owner[name] = y
	return y
}

func inside(nesting []string, name string) string {
	if len(nesting) > 0 {
		return nesting[0] + "::" + name
	}
	return name
}

func (b *binder) declareClass(n, name int32) {
	at := b.in()
	last := name
	if b.Kind(name) == "scope_resolution" {
		last = b.Child(name, "name")
	}
	full, rooted := strings.CutPrefix(b.Text(name), "::")
	if !rooted {
		full = inside(at.nesting, full)
	}
	k := &class{Symbol: b.symbol(last, n), full: full, nesting: append([]string{full}, at.nesting...),
		methods: map[string][]*method{}, singular: map[string][]*method{}}
	k.super = b.Text(b.First(b.Child(n, "superclass")))
	b.f.classes[full] = append(b.f.classes[full], k)
	b.begin(n, &scope{class: k, single: true, nesting: k.nesting})
}

func (b *binder) declareMethod(n int32) {
	at := b.in()
	name := b.Child(n, "name")
	single := b.Kind(n) == "singleton_method" || at.method == "<<"
	if k := b.Kind(name); k == "identifier" || k == "constant" {
		b.addMethod(at.class, name, n, single)
	}
	b.begin(n, &scope{class: at.class, single: single, method: b.Text(name), nesting: at.nesting})
}

func (b *binder) addMethod(k *class, name, node int32, single bool) {
	d := &method{Symbol: b.symbol(name, node), owner: k, singular: single}
	d.Name = strings.TrimLeft(d.Name, ":")
	b.m.methods[d.Symbol] = d
	if k == nil {
		b.f.free[d.Name] = append(b.f.free[d.Name], d)
		return
	}
	t := k.table(single)
	t[d.Name] = append(t[d.Name], d)
}

func (k *class) table(single bool) map[string][]*method {
	if single {
		return k.singular
	}
	return k.methods
}

// macro reads a call in the body of a class that changes the class.
func (b *binder) macro(n int32) {
	at := b.in()
	if at.class == nil || at.method != "" {
		return
	}
	for a := range b.Children(b.Child(n, "arguments")) {
		switch b.Text(b.Child(n, "method")) {
		case "include", "prepend":
			at.class.included = append(at.class.included, b.Text(a))
		case "extend":
			at.class.extended = append(at.class.extended, b.Text(a))
		case "attr_reader", "attr_accessor", "attr_writer", "attr":
			if b.Kind(a) == "simple_symbol" {
				b.addMethod(at.class, a, a, false)
			}
		}
	}
}

// local notes a local variable where it is a parameter or gets a value.
func (b *binder) local(n int32) {
	p := b.Parent(n)
	switch b.Kind(p) {
	case "method_parameters", "block_parameters", "lambda_parameters", "destructured_parameter", "exception_variable",
		"left_assignment_list", "destructured_left_assignment", "rest_assignment", "array_pattern", "find_pattern",
		"hash_pattern", "as_pattern", "match_pattern", "test_pattern":
	case "optional_parameter", "keyword_parameter", "splat_parameter", "hash_splat_parameter", "block_parameter",
		"keyword_pattern":
		if f := b.Field(n); f != "name" && f != "value" || b.Kind(p) != "keyword_pattern" && f != "name" {
			return
		}
	case "assignment", "operator_assignment":
		if b.Field(n) != "left" {
			return
		}
	case "for", "in_clause":
		if b.Field(n) != "pattern" {
			return
		}
	default:
		return
	}
	b.in().names[b.Text(n)] = true
}
