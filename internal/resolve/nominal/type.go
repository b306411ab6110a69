package nominal

import (
	"slices"

	"codeintel/internal/resolve"
)

// A union is what a value may be; an empty one is unknown.
type union = resolve.Union[value]

// A valueKind says what a value is.
type valueKind int

const (
	instance  valueKind = iota // of a class
	typeName                   // a class itself
	variable                   // of a type parameter
	array                      // of its first argument
	primitive                  // by name
	outside                    // of a library, by name if it has one
	packName                   // a package
	function                   // without a name, or the name of a method
	null
)

// A value is one thing that a value may be.
type value struct {
	kind  valueKind
	class *resolve.Symbol // or the type parameter
	name  string
	args  []union
	unit  *resolve.Unit // of a function
	node  int32

	extended bool // of a type of functions: the first argument is what it is called on
}

// Same compares two things, and their arguments one level deep.
func (v value) Same(o value) bool {
	if v.kind != o.kind || v.class != o.class || v.name != o.name || v.unit != o.unit || v.node != o.node ||
		v.extended != o.extended ||
		len(v.args) != len(o.args) {
		return false
	}
	for i := range v.args {
		if len(v.args[i]) != len(o.args[i]) {
			return false
		}
		for j := range v.args[i] {
			a, b := v.args[i][j], o.args[i][j]
			if a.kind != b.kind || a.class != b.class || a.name != b.name {
				return false
			}
		}
	}
	return true
}

func unionOf(v value) union { return union{v} }

func unknownClass(name string) union { return union{{kind: outside, name: name}} }

// A writtenKind says how a type is written.
type writtenKind int

const (
	notWritten   writtenKind = iota
	namedType                // by a name, after a qualifier or not, with arguments or not
	arrayType                // of its first part
	anyOf                    // any of its parts
	sameAs                   // its first part
	inferred                 // var
	basicType                // by its text
	functionType             // of its parts, the last one being the result
	ownType                  // a class that is declared where it is written, without a name
)

// A written is a type as it is written. Nodes are -1 where there is none.
type written struct {
	kind   writtenKind
	name   int32
	before int32 // what qualifies it
	args   []int32
	parts  []int32
	text   string // of a basic type or an alias for one

	receiver bool // of a type of functions: the first part is what it is called on
}

// typeAt is the type that is written at a node.
func (c *context) typeAt(n int32) union {
	return memoryOf(c.u).writtens.Of(c.Resolver, c.u, n, func(_ *resolve.Resolver, _ *resolve.Unit, n int32) union {
		return c.readType(n)
	})
}

func (c *context) readType(n int32) union {
	w := c.f.row.typed(c.u, n)
	switch w.kind {
	case namedType:
		return c.namedType(w)
	case arrayType:
		return unionOf(value{kind: array, args: []union{c.typeAt(w.parts[0])}})
	case anyOf:
		var all union
		for _, p := range w.parts {
			all = all.Join(c.typeAt(p))
		}
		return all
	case sameAs:
		return c.typeAt(w.parts[0])
	case basicType:
		return c.basic(w.text)
	case functionType:
		return c.functionType(w)
	case ownType:
		if y := c.f.callables[n]; y != nil {
			return unionOf(value{kind: instance, class: y})
		}
	}
	return nil
}

// basic is a type of the language that has no declaration in the project.
func (c *context) basic(name string) union {
	class, ok := c.f.row.primitives[name]
	if !ok || class == "" {
		return unionOf(value{kind: primitive, name: name})
	}
	if t := c.libraryType(class); t != nil {
		return t
	}
	return unionOf(value{kind: outside, name: class})
}

// libraryType is an instance of a type of the standard library, nil if it is not
// declared.
func (c *context) libraryType(path string, args ...union) union {
	if list := c.qualified(path); len(list) > 0 {
		return unionOf(value{kind: instance, class: list[0], args: args})
	}
	return nil
}

// namedType is what a written name stands for.
func (c *context) namedType(w written) union {
	var found []*resolve.Symbol
	name := c.u.Text(w.name)
	if w.before >= 0 {
		found = c.typesIn(w.before, name)
	} else {
		found = c.typesNamed(w.name, name)
	}
	if len(found) == 0 {
		if w.before < 0 && c.unreached(name, wantType) {
			return nil
		}
		return unknownClass(c.fullName(w, name))
	}
	var args []union
	for _, a := range w.args {
		args = append(args, c.typeAt(a))
	}
	var t union
	for _, y := range c.ofArity(found, len(args)) {
		k := instance
		if declOf(y).kind == aTypeParameter {
			k = variable
		}
		if declOf(y).alias >= 0 {
			t = t.Join(aliased(c.Resolver, y, args))
			continue
		}
		t = t.Join(unionOf(value{kind: k, class: y, args: args}))
	}
	return t
}

// aliased is the type that another name for it stands for.
func aliased(r *resolve.Resolver, y *resolve.Symbol, args []union) union {
	t := contextOf(r, y.Unit).typeAt(declOf(y).alias)
	return substitute(t, bindingOf(value{kind: instance, class: y, args: args}))
}

// ofArity leaves those of several types of a name that have so many parameters, and of
// the parts of one the first. The file may hold one, and another file the one that is meant.
func (c *context) ofArity(list []*resolve.Symbol, n int) []*resolve.Symbol {
	if !c.f.row.members.parts || len(list) == 0 {
		return list
	}
	fits := func(y *resolve.Symbol) bool { return len(declOf(y).typeParams) == n }
	first := declOf(list[0])
	if first.kind == aType && first.owner == nil && !slices.ContainsFunc(list, fits) {
		list = append(list[:1:1], c.inPackage(first.pack, list[0].Name, wantType)...)
	}
	if i := slices.IndexFunc(list, fits); i >= 0 {
		return list[i : i+1]
	}
	return list[:1]
}

// fullName is the name of a type of a library, with its package if an import tells it.
func (c *context) fullName(w written, name string) string {
	if w.before >= 0 {
		return c.u.Text(w.before) + "." + name
	}
	for _, i := range c.imports() {
		if i.name == name {
			return i.path
		}
	}
	return name
}

// functionType is a type of functions, as far as the language has a class for it.
func (c *context) functionType(w written) union {
	v := value{kind: function, node: -1, extended: w.receiver}
	for _, p := range w.parts {
		v.args = append(v.args, c.typeAt(p))
	}
	return unionOf(v)
}

// supersOf lists what a class is derived from, in terms of its own parameters.
func supersOf(r *resolve.Resolver, class *resolve.Symbol) union {
	m := memoryOf(class.Unit)
	if t, ok := m.supers[class]; ok {
		return t
	}
	m.supers[class] = nil // for what depends on itself
	c := contextOf(r, class.Unit)
	var all union
	for _, n := range declOf(class).supers {
		t := c.typeAt(n)
		if len(t) == 0 {
			t = unknownClass("")
		}
		all = append(all, t...)
	}
	if c.f.row.members.parts {
		self := selfOf(class)
		for _, p := range c.partsOf(class) {
			if p != class {
				all = append(all, value{kind: instance, class: p, args: self.args})
			}
		}
	}
	if row := c.f.row; row.base != nil {
		all = append(all, row.base(c, class)...)
	}
	m.supers[class] = all
	if r.Steps > resolve.MostSteps {
		delete(m.supers, class)
	}
	return all
}

// bindingOf says what the type parameters of a class are in a value.
func bindingOf(v value) map[*resolve.Symbol]union {
	if v.class == nil || len(v.args) == 0 || v.kind == variable {
		return nil
	}
	params := declOf(v.class).typeParams
	if len(params) == 0 {
		return nil
	}
	bound := map[*resolve.Symbol]union{}
	for i, p := range params {
		if i < len(v.args) {
			bound[p] = v.args[i]
		}
	}
	return bound
}

// substitute puts what type parameters are in their place.
func substitute(t union, bound map[*resolve.Symbol]union) union {
	return substituteTo(t, bound, 4)
}

func substituteTo(t union, bound map[*resolve.Symbol]union, deep int) union {
	if len(bound) == 0 || deep == 0 {
		return t
	}
	return t.Each(func(v value) union {
		if v.kind == variable {
			if to, ok := bound[v.class]; ok {
				return to
			}
			return unionOf(v)
		}
		if len(v.args) > 0 {
			args := make([]union, len(v.args))
			for i := range v.args {
				args[i] = substituteTo(v.args[i], bound, deep-1)
			}
			v.args = args
		}
		return unionOf(v)
	})
}

// concrete puts the bounds of type parameters in their place. A parameter without
// one is some class of the library.
func concrete(r *resolve.Resolver, t union) union {
	return concreteTo(r, t, 4)
}

func concreteTo(r *resolve.Resolver, t union, deep int) union {
	return t.Each(func(v value) union {
		if v.kind != variable {
			return unionOf(v)
		}
		d := declOf(v.class)
		if d.written < 0 || deep == 0 {
			return unknownClass("")
		}
		return concreteTo(r, contextOf(r, v.class.Unit).typeAt(d.written), deep-1)
	})
}

// visitAncestors goes over what a value is derived from, itself first, nearest first, with
// type arguments. whole is false if some of that is of a library that is not known.
func visitAncestors(r *resolve.Resolver, v value, visit func(value) (more bool)) (whole bool) {
	whole = true
	seen := map[*resolve.Symbol]bool{}
	todo := []value{v}
	for len(todo) > 0 && r.Step() {
		v := todo[0]
		todo = todo[1:]
		if v.class == nil || v.kind != instance && v.kind != typeName {
			if v.kind == outside {
				whole = false
			}
			continue
		}
		if seen[v.class] {
			continue
		}
		seen[v.class] = true
		if !visit(v) {
			return whole
		}
		bound := bindingOf(v)
		for _, s := range supersOf(r, v.class) { // one by one: a class may have more parts than a union has room for
			todo = append(todo, substitute(union{s}, bound)...)
		}
	}
	return whole
}

// asBase is a value seen as a class that it is derived from.
func asBase(r *resolve.Resolver, v value, class *resolve.Symbol) (base value, found, whole bool) {
	whole = visitAncestors(r, v, func(o value) bool {
		if o.class == class {
			base, found = o, true
		}
		return !found
	})
	return base, found, whole
}

// typeOfSymbol is the type of what a symbol stands for: of a method, what it returns.
func typeOfSymbol(r *resolve.Resolver, y *resolve.Symbol) union {
	return resolve.TypeOf(r, y, inferSymbol)
}

func inferSymbol(r *resolve.Resolver, y *resolve.Symbol) union {
	d := declOf(y)
	c := contextOf(r, y.Unit)
	if d.written >= 0 && c.f.row.typed(c.u, d.written).kind != inferred {
		t := c.typeAt(d.written)
		if d.variadic && !d.rest {
			t = unionOf(value{kind: array, args: []union{t}})
		}
		for range d.arrays {
			t = unionOf(value{kind: array, args: []union{t}})
		}
		return t
	}
	if d.part > 0 {
		whole := *d
		whole.part = 0
		return c.component(c.typeFrom(&whole), d.part)
	}
	switch d.kind {
	case aType:
		return typeItself(y)
	case aConstructor:
		return unionOf(selfOf(d.owner))
	}
	return c.typeFrom(d)
}

// typeItself is a type as a value: an object where there is but one of it.
func typeItself(y *resolve.Symbol) union {
	if declOf(y).word == "object" {
		return unionOf(value{kind: instance, class: y})
	}
	return unionOf(value{kind: typeName, class: y})
}

// typeFrom is the type of a variable by what it is made from.
func (c *context) typeFrom(d *decl) union {
	switch d.how {
	case asElement:
		return c.elementOf(c.typeOf(d.value))
	case asParameter:
		return c.expectedParameter(d.value, d.index)
	case asDelegate:
		return c.typeOf(d.value).Each(func(v value) union {
			for _, m := range first(c.membersOf(v, "getValue", wantCall)) {
				return m.typ(c.Resolver)
			}
			return nil
		})
	case asOwner:
		return unionOf(value{kind: instance, class: d.owner})
	}
	return c.typeOf(d.value)
}

// selfOf is an instance of a class seen from inside.
func selfOf(class *resolve.Symbol) value {
	v := value{kind: instance, class: class}
	for _, p := range declOf(class).typeParams {
		v.args = append(v.args, unionOf(value{kind: variable, class: p}))
	}
	return v
}

// elementOf is what going over a value gives.
func (c *context) elementOf(t union) union {
	return concrete(c.Resolver, t).Each(func(v value) union {
		switch v.kind {
		case array:
			return v.args[0]
		case instance:
			return c.elementOfInstance(v)
		}
		return nil
	})
}

// elementOfInstance follows the members that give an element, or the single type
// argument of a base of the library that is Iterable by name.
func (c *context) elementOfInstance(v value) union {
	t := unionOf(v)
	for _, name := range c.f.row.element {
		var next union
		for _, v := range concrete(c.Resolver, t) {
			found, _ := c.membersOf(v, name, wantAny)
			if len(found) == 0 && c.f.row.members.receivers {
				found = c.extending(name, unionOf(v), wantCall)
			}
			for _, m := range found {
				if len(declOf(m.symbol).params) == 0 {
					next = next.Join(m.typ(c.Resolver))
					break
				}
			}
		}
		t = next
	}
	return t
}
