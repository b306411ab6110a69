// Package ruby resolves methods and constants of Ruby.
//
// Classes and modules are known by their full names, wherever they are opened. Constants are
// looked up by nesting. Methods are looked up in the class of their receiver, where it is
// plain: self, a constant, an instance that new has made of one, variables with a single
// assigned value, and what a method of the project returns in every branch. With any other
// receiver, the method is unknown. What is defined in a block outside of classes, such as that
// of describe, is known in that block alone. Local and instance variables are left to the
// caller.
package ruby

import (
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// Language is Ruby.
type Language struct{ resolve.Plain }

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
	both     map[string]bool      // methods that module_function makes the class's own too
}

// A method is one definition of a method, of a class or outside of all.
type method struct {
	*resolve.Symbol
	owner    *class // nil outside of all classes
	singular bool
	sets     bool // def name=(value), which goes by the name of what it sets
}

// A scope holds the local variables of a method, a block or a class.
type scope struct {
	node    int32
	outer   *scope // whose variables it sees
	around  *scope // whose methods it sees, where that is no class
	class   *class
	single  bool // self is the class
	both    bool // module_function is above
	method  string
	names   map[string]bool
	methods map[string][]*method // defined in a block outside of all classes
	nesting []string

	symbols map[string]*resolve.Symbol // parameters that are passed by their names, and variables outside of methods
}

type file struct {
	scopes  map[int32]*scope
	classes map[string][]*class // by full name
	consts  map[string][]*resolve.Symbol
	free    map[string][]*method
	methods map[string][]*method // of classes
	top     *scope

	places map[string][]int32    // where each variable, and return, is, in order
	values map[variable]receiver // what variables hold, once that is known
}

// A variable is one of a node, such as a method or a class.
type variable struct {
	node int32
	name string
}

type memory struct {
	files   map[*resolve.Unit]*file
	methods map[*resolve.Symbol]*method
	classes map[string][]*class
	endings map[string][]string // by what is written
	fields  map[*class]map[string]receiver
	returns map[*method]receiver
	owners  map[string][]receiver
}

// NewMemory returns an empty memory.
func (Language) NewMemory() any {
	return &memory{files: map[*resolve.Unit]*file{}, methods: map[*resolve.Symbol]*method{},
		classes: map[string][]*class{}, endings: map[string][]string{},
		fields: map[*class]map[string]receiver{}, returns: map[*method]receiver{},
		owners: map[string][]receiver{}}
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

// Meaning says what is at a name.
func (Language) Meaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	return in(r, s.Unit).meaningAt(s.Node)
}

// Roots returns a method together with those that it overrides, and a parameter together
// with theirs of its name.
func (Language) Roots(r *resolve.Resolver, y *resolve.Symbol) []*resolve.Symbol {
	c := in(r, y.Unit)
	all := []*resolve.Symbol{y}
	if y.Scope != nil {
		return append(all, c.overridden(y)...)
	}
	d := c.m.methods[y]
	if d == nil || d.owner == nil || d.Name == "initialize" {
		return all
	}
	c.visitAncestors(receiver{class: d.owner.full, single: d.singular}, func(k *class, single bool) bool {
		for _, o := range k.named(d.Name, single) {
			if o != d {
				all = append(all, o.Symbol)
			}
		}
		return true
	})
	return all
}

// QuotedName reports whether a node is the name of a constant, or a symbol, or a key, or a
// text by which a class declares a member.
func (Language) QuotedName(u *resolve.Unit, n int32) bool {
	switch u.Kind(n) {
	case "constant", "simple_symbol", "hash_key_symbol":
		return true
	case "string_content":
		arguments := u.Parent(u.Parent(n))
		_, declares := declaring[u.Text(u.Child(u.Parent(arguments), "method"))]
		return declares && u.Kind(arguments) == "argument_list"
	}
	return false
}

// Mentions reports whether a name occurs as a symbol, or as a key.
func (Language) Mentions(text, name string) bool {
	return resolve.ContainsName(text, name, ":", "") || resolve.ContainsName(text, name, "", ":")
}

type binder struct {
	*resolve.Unit
	f    *file
	m    *memory
	open []*scope
	made map[int32]*class // by the block in which Class.new and the like define one
}

// Bind finds what a file declares. It goes over the nodes once and recurses on
// nothing.
func (Language) Bind(_ *resolve.Resolver, u *resolve.Unit) {
	m := u.Memory.(*memory)
	f := &file{scopes: map[int32]*scope{}, classes: map[string][]*class{}, consts: map[string][]*resolve.Symbol{},
		free: map[string][]*method{}, methods: map[string][]*method{},
		places: map[string][]int32{}, values: map[variable]receiver{}}
	m.files[u] = f
	b := &binder{Unit: u, f: f, m: m, made: map[int32]*class{}}
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
	case "alias":
		b.addMethod(at, b.Child(n, "name"), n, at.method == "<<")
	case "block", "do_block", "lambda":
		s := &scope{outer: at, around: at, class: at.class, single: at.single, method: at.method, nesting: at.nesting}
		if k := b.made[n]; k != nil {
			s.class, s.single, s.method = k, true, ""
		}
		b.begin(n, s)
	case "call":
		if b.Child(n, "receiver") < 0 {
			b.macro(n)
		} else if block := b.Child(n, "block"); block >= 0 && b.made[block] == nil && b.makesClass(n) {
			name := b.Child(n, "method")
			b.makeClass(n, &resolve.Symbol{Name: "new", Unit: b.Unit, Decls: []resolve.Decl{{Name: name, Node: n}}},
				unnamed(b.Unit, n))
		}
	case "assignment":
		if left := b.Child(n, "left"); b.Kind(left) == "constant" {
			b.declareConstant(n, left)
		}
	case "return":
		b.f.places["return"] = append(b.f.places["return"], n)
	case "instance_variable":
		b.f.places[b.Text(n)] = append(b.f.places[b.Text(n)], n)
	case "identifier":
		b.f.places[b.Text(n)] = append(b.f.places[b.Text(n)], n)
		if b.Text(n) == "module_function" && b.Kind(b.Parent(n)) == "body_statement" {
			at.both = true
		}
		b.local(n)
	}
}

func (b *binder) declareConstant(n, left int32) {
	y := b.symbol(left, n)
	full := inside(b.in().nesting, y.Name)
	if right := b.Child(n, "right"); b.makesClass(right) {
		k := b.makeClass(right, y, full)
		b.f.classes[full] = append(b.f.classes[full], k)
		return
	}
	b.f.consts[full] = append(b.f.consts[full], y)
}

// makesClass reports whether an expression is Class.new, Struct.new or the like.
func (b *binder) makesClass(n int32) bool {
	if n < 0 || b.Kind(n) != "call" {
		return false
	}
	switch of := strings.TrimPrefix(b.Text(b.Child(n, "receiver")), "::"); b.Text(b.Child(n, "method")) {
	case "new":
		return of == "Class" || of == "Module" || of == "Struct"
	case "define":
		return of == "Data"
	}
	return false
}

// unnamed is what a class goes by that no constant names.
func unnamed(u *resolve.Unit, n int32) string { return u.Path + "#" + strconv.Itoa(int(n)) }

// makeClass declares what an expression such as Class.new makes.
func (b *binder) makeClass(n int32, y *resolve.Symbol, full string) *class {
	at := b.in()
	k := newClass(y, full, append([]string{full}, at.nesting...))
	b.members(k, n)
	if block := b.Child(n, "block"); block >= 0 {
		b.made[block] = k
	}
	if first := b.First(b.Child(n, "arguments")); first >= 0 && b.Text(b.Child(n, "receiver")) == "Class" {
		k.super = b.Text(first)
	}
	if strings.Contains(full, "#") { // nothing names it
		b.m.classes[full] = []*class{k}
	}
	return k
}

// members declares what Struct.new and Data.define give a class.
func (b *binder) members(k *class, n int32) {
	if of := b.Text(b.Child(n, "receiver")); !b.makesClass(n) || of == "Class" || of == "Module" {
		return
	}
	for a := range b.Children(b.Child(n, "arguments")) {
		if b.Kind(a) == "simple_symbol" {
			b.addMethod(&scope{class: k}, a, a, false)
		}
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
	k := newClass(b.symbol(last, n), full, append([]string{full}, at.nesting...))
	super := b.First(b.Child(n, "superclass"))
	k.super = b.Text(super)
	b.members(k, super)
	b.f.classes[full] = append(b.f.classes[full], k)
	b.begin(n, &scope{class: k, single: true, nesting: k.nesting})
}

func newClass(y *resolve.Symbol, full string, nesting []string) *class {
	return &class{Symbol: y, full: full, nesting: nesting, methods: map[string][]*method{},
		singular: map[string][]*method{}, both: map[string]bool{}}
}

func (b *binder) declareMethod(n int32) {
	at := b.in()
	name := b.Child(n, "name")
	single := b.Kind(n) == "singleton_method" || at.method == "<<"
	own := at
	if b.Kind(n) == "singleton_method" && !b.ofClass(n) {
		own = &scope{node: n, method: "."} // the method of one object alone
	}
	switch b.Kind(name) {
	case "identifier", "constant":
		b.addMethod(own, name, n, single)
	case "setter":
		name = b.First(name)
		b.addMethod(own, name, n, single).sets = true
	}
	if at.both && own.class != nil {
		own.class.both[b.Text(name)] = true
	}
	b.begin(n, &scope{around: own, class: own.class, single: single, method: b.Text(name), nesting: at.nesting})
}

// ofClass reports whether a method written as def x.name is one of the class around it.
func (b *binder) ofClass(n int32) bool {
	object, k := b.Child(n, "object"), b.in().class
	return k != nil && (b.Kind(object) == "self" || b.Text(object) == k.Name)
}

// addMethod notes a method that is defined in a scope, and returns it.
func (b *binder) addMethod(at *scope, name, node int32, single bool) *method {
	d := &method{Symbol: b.symbol(name, node), owner: at.class, singular: single}
	d.Name = strings.TrimLeft(d.Name, ":")
	b.m.methods[d.Symbol] = d
	switch {
	case at.class != nil:
		t := at.class.table(single)
		t[d.Name] = append(t[d.Name], d)
		b.f.methods[d.Name] = append(b.f.methods[d.Name], d)
	case at.outer != nil && at.method == "":
		if at.methods == nil {
			at.methods = map[string][]*method{}
		}
		at.methods[d.Name] = append(at.methods[d.Name], d)
	case at.method != ".":
		b.f.free[d.Name] = append(b.f.free[d.Name], d)
	}
	return d
}

func (k *class) table(single bool) map[string][]*method {
	if single {
		return k.singular
	}
	return k.methods
}

// named lists the methods of a name that instances of a class have by itself, or the class.
func (k *class) named(name string, single bool) []*method {
	if single && k.both[name] {
		return append(slices.Clip(k.singular[name]), k.methods[name]...)
	}
	return k.table(single)[name]
}

// declaring are the calls in a class that declare methods named by symbols: all of them,
// or only the first.
var declaring = map[string]bool{
	"attr_reader": true, "attr_accessor": true, "attr_writer": true, "attr": true, "delegate": true,
	"alias_method": false, "define_method": false, "belongs_to": false, "has_one": false, "has_many": false,
	"has_and_belongs_to_many": false,
}

// macro reads a call in the body of a class that changes the class.
func (b *binder) macro(n int32) {
	at := b.in()
	name := b.Text(b.Child(n, "method"))
	if at.class == nil && at.outer != nil && at.method == "" && (name == "let" || name == "let!" || name == "subject") {
		if first := b.First(b.Child(n, "arguments")); b.Kind(first) == "simple_symbol" {
			b.addMethod(at, first, n, false)
		}
		if name == "subject" && b.Child(n, "block") >= 0 {
			b.addMethod(at, b.Child(n, "method"), n, false)
		}
		return
	}
	if at.class == nil && at.outer == nil || at.method != "" && at.method != "<<" {
		return
	}
	all, declares := declaring[name]
	for a := range b.Children(b.Child(n, "arguments")) {
		switch kind := b.Kind(a); {
		case at.class == nil && !declares:
		case name == "include" || name == "prepend":
			at.class.included = append(at.class.included, b.Text(a))
		case name == "extend":
			at.class.extended = append(at.class.extended, b.Text(a))
		case name == "module_function" && kind == "simple_symbol":
			at.class.both[strings.TrimPrefix(b.Text(a), ":")] = true
		case name == "module_function" && kind == "method":
			at.class.both[b.Text(b.Child(a, "name"))] = true
		case declares && (kind == "simple_symbol" || kind == "string"):
			if kind == "string" {
				if a = b.First(a); b.Kind(a) != "string_content" {
					continue
				}
			}
			b.addMethod(at, a, a, at.method == "<<").sets = name == "attr_writer"
			declares = all
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
	at, name := b.in(), b.Text(n)
	switch sets := strings.Contains(b.Kind(p), "assignment") || b.Kind(p) == "for"; {
	case sets && at.isLocal(name): // set again, maybe in a block
		return
	case b.Kind(p) == "keyword_parameter", sets && at.outer == nil && (at.method == "" || at.method == "<<"):
		b.variable(n, p)
	}
	at.names[name] = true
}
