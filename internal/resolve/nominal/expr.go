package nominal

import (
	"slices"

	"codeintel/internal/resolve"
)

// An op says what an expression is.
type op int

const (
	noExpr       op = iota
	aName           // name
	aMember         // object.name
	aCall           // name(args), object.name(args), or object(args) where there is no name
	aNew            // new typ(args)
	aSelf           // this, of typ if that is there
	aSuper          // super
	aCast           // to typ
	aPart           // one of the parts
	anElement       // of object
	anArray         // of typ
	anAssignment    // of the second part to the first
	aFunction       // a function without a name, with a body
	aMethodOf       // object::name, not called
	ofType          // of the type that text names
	aTypeOnly       // a type where an expression may be
	aNull
	anAwaited // what the first part gives in the end
	aSum      // of two parts: a string if one of them is
	aClassOf  // object::class
)

// An expr is a node read as an expression. Nodes are -1 where there is none.
type expr struct {
	op     op
	object int32
	name   int32
	typ    int32
	body   int32
	args   []int32
	targs  []int32 // the type arguments of a call, as written
	parts  []int32
	text   string
}

// expression returns an expr without nodes.
func expression(o op) expr { return expr{op: o, object: -1, name: -1, typ: -1, body: -1} }

// typeOf infers an expression.
func (c *context) typeOf(n int32) union {
	return memoryOf(c.u).types.Once(c.Resolver, c.u, n, func(_ *resolve.Resolver, _ *resolve.Unit, n int32) union {
		return c.infer(n)
	})
}

func (c *context) infer(n int32) union {
	e := c.f.row.expr(c.u, n)
	if c.f.row.narrow != nil && (e.op == aName || e.op == aMember) {
		if t := c.f.row.narrow(c, n); len(t) > 0 {
			return c.narrowed(t, e)
		}
	}
	switch e.op {
	case aName:
		return c.nameType(e.name)
	case aMember:
		return c.memberType(e)
	case aCall:
		return c.callType(e)
	case aNew:
		return c.newType(n, e)
	case aSelf:
		return c.selfType(n, e)
	case aSuper:
		if e.typ >= 0 {
			return c.typeAt(e.typ)
		}
		return c.superType(n)
	case aCast:
		return c.typeAt(e.typ)
	case aPart:
		var all union
		for _, p := range e.parts {
			all = all.Join(c.typeOf(p))
		}
		return all
	case anElement:
		return c.typeOf(e.object).Each(func(v value) union {
			if v.kind == array {
				return v.args[0]
			}
			return c.itemOf(v, e)
		})
	case anArray:
		return unionOf(value{kind: array, args: []union{c.typeAt(e.typ)}})
	case anAssignment:
		return c.typeOf(e.parts[0])
	case aFunction, aMethodOf:
		return unionOf(value{kind: function, unit: c.u, node: n})
	case ofType:
		return c.basic(e.text)
	case aTypeOnly:
		return c.typeAt(e.typ).Each(func(v value) union {
			if v.kind == instance {
				v.kind = typeName
			}
			return unionOf(v)
		})
	case anAwaited:
		return c.typeOf(e.parts[0]).Each(func(v value) union {
			if v.kind == instance && fileOf(v.class.Unit).library && len(v.args) == 1 {
				return v.args[0]
			}
			if v.kind == instance && fileOf(v.class.Unit).library {
				return nil
			}
			return unionOf(v)
		})
	case aNull:
		return unionOf(value{kind: null})
	case aClassOf:
		return c.libraryType("kotlin.reflect.KClass", c.typeOf(e.object).Each(func(v value) union {
			if v.kind == typeName {
				v.kind = instance
			}
			return unionOf(v)
		}))
	case aSum:
		return c.sumType(e)
	}
	return nil
}

// nameType infers a bare name: a variable, else a type, else a package.
func (c *context) nameType(n int32) union {
	name := c.u.Text(n)
	found, whole := c.lookup(n, name, wantValue)
	if c.f.row.value != nil {
		if list, ok := c.f.row.value(c, n); ok {
			found = list
		}
	}
	if len(found) > 0 {
		var t union
		for _, m := range found {
			t = t.Join(m.typ(c.Resolver))
		}
		return t
	}
	if types := c.ofArity(c.typesNamed(n, name), 0); len(types) > 0 {
		var t union
		for _, y := range types {
			if declOf(y).alias >= 0 {
				t = t.Join(aliased(c.Resolver, y, nil).Each(func(v value) union {
					if v.kind == instance {
						return typeItself(v.class)
					}
					return unionOf(v)
				}))
				continue
			}
			t = t.Join(typeItself(y))
		}
		return t
	}
	if c.f.row.members.receivers {
		found := c.extending(name, c.receivers(n), wantValue)
		for _, v := range c.receivers(n) {
			if len(found) == 0 {
				found = c.getters(v, name)
			}
		}
		if len(found) > 0 {
			return found[0].typ(c.Resolver)
		}
	}
	for _, i := range c.imports() {
		if i.name == name {
			return unknownClass(i.path)
		}
	}
	if !whole {
		return nil
	}
	return unionOf(value{kind: packName, name: name})
}

// narrowed is the type of an expression that is tested to be of a type.
func (c *context) narrowed(t union, e expr) union {
	var own union
	if e.op == aName {
		own = c.nameType(e.name)
	} else {
		own = c.memberType(e)
	}
	for _, v := range concrete(c.Resolver, own) {
		if v.kind != instance || c.isTop(v.class) {
			continue
		}
		for _, w := range t {
			if _, below, _ := asBase(c.Resolver, w, v.class); !below {
				return t.Join(own)
			}
		}
	}
	return t
}

// itemOf is what an index in brackets gives.
func (c *context) itemOf(v value, e expr) union {
	if c.f.row.item == "" {
		return nil
	}
	var t union
	found, _ := c.membersOf(v, c.f.row.item, wantCall)
	if len(found) == 0 && c.f.row.members.receivers {
		found = c.extending(c.f.row.item, unionOf(v), wantCall)
	}
	for _, m := range c.choose(found, e.args) {
		t = t.Join(m.typ(c.Resolver))
	}
	return t
}

// memberType infers object.name.
func (c *context) memberType(e expr) union {
	name := c.u.Text(e.name)
	return concrete(c.Resolver, c.typeOf(e.object)).Each(func(v value) union {
		return c.memberOf(v, name)
	})
}

func (c *context) memberOf(v value, name string) union {
	switch v.kind {
	case instance, typeName:
		found, whole := c.membersOf(v, name, wantValue)
		if len(found) == 0 && c.f.row.members.receivers {
			if found = c.extending(name, unionOf(v), wantValue); len(found) == 0 {
				found = c.getters(v, name)
			}
		}
		if len(found) > 0 {
			return found[0].typ(c.Resolver)
		}
		if t := c.implicitMember(v, name, false); t != nil {
			return t
		}
		if v.kind == typeName {
			types, _ := c.membersOf(v, name, wantType)
			if len(types) > 0 {
				return typeItself(types[0].symbol)
			}
		}
		if !whole {
			return unknownClass("")
		}
	case packName:
		path := v.name + "." + name
		if list := matchingSymbols(c.qualified(path), wantType); len(list) > 0 {
			return typeItself(list[0])
		}
		if list := matchingSymbols(c.qualified(path), wantValue); len(list) > 0 {
			return typeOfSymbol(c.Resolver, list[0])
		}
		return unionOf(value{kind: packName, name: path})
	case array:
		for _, m := range c.extendingOne(name, v) {
			return m.typ(c.Resolver)
		}
		return c.implicitMember(v, name, false)
	case primitive:
		return c.implicitMember(v, name, false)
	case outside:
		return unknownClass("")
	}
	return nil
}

// implicitMember is the type of a member that the language gives to a class.
func (c *context) implicitMember(v value, name string, called bool) union {
	if c.f.row.implied == nil {
		return nil
	}
	return c.f.row.implied(c, v, name, called)
}

func (c *context) selfType(n int32, e expr) union {
	if e.typ >= 0 && c.f.row.members.receivers {
		return c.ownerLabelled(n, c.u.Text(e.typ))
	}
	if c.f.row.members.receivers {
		for s := c.f.scopeAt(n); s != nil && s.class == nil; s = s.outer {
			if s.self < 0 {
				continue
			}
			if t, known := c.receiverOf(s); len(t) > 0 || !known {
				return t
			}
		}
	}
	if e.typ >= 0 {
		return c.typeOf(e.typ).Each(func(v value) union {
			if v.class == nil {
				return nil
			}
			return unionOf(selfOf(v.class))
		})
	}
	class := c.classAt(n)
	if class == nil {
		return nil
	}
	return unionOf(selfOf(class))
}

func (c *context) superType(n int32) union {
	class := c.classAt(n)
	if class == nil {
		return nil
	}
	return supersOf(c.Resolver, class)
}

func (c *context) sumType(e expr) union {
	var first union
	for i, p := range e.parts {
		t := c.typeOf(p)
		for _, v := range t {
			if v.class != nil && v.class.Name == "String" {
				return unionOf(v)
			}
		}
		if i == 0 {
			first = t
		}
	}
	return first
}

// newType infers new typ(args): the type arguments are those of the arguments where
// they are left out.
func (c *context) newType(n int32, e expr) union {
	if body := c.f.scopes[e.body]; e.body >= 0 && body != nil && body.class != nil { // a class without a name
		return unionOf(value{kind: instance, class: body.class})
	}
	return c.typeAt(e.typ).Each(func(v value) union {
		if v.kind != instance || len(v.args) > 0 || len(declOf(v.class).typeParams) == 0 {
			return unionOf(v)
		}
		if t := c.expectedClass(n, v); t != nil {
			return t
		}
		chosen := c.choose(constructors(v), e.args)
		if len(chosen) == 0 {
			return unionOf(v)
		}
		bound := c.bindCall(chosen[0], e.args, true)
		for _, p := range declOf(v.class).typeParams {
			v.args = append(v.args, bound[p])
		}
		return unionOf(v)
	})
}

// expectedClass is a class with the type arguments that the variable has to which a new
// instance is given.
func (c *context) expectedClass(n int32, v value) union {
	for _, w := range c.expectedType(n) {
		if w.kind != instance || len(w.args) == 0 {
			continue
		}
		if w.class == v.class {
			v.args = w.args
			return unionOf(v)
		}
		if base, ok, _ := asBase(c.Resolver, selfOf(v.class), w.class); ok {
			bound := map[*resolve.Symbol]union{}
			for i, a := range base.args {
				if len(a) == 1 && a[0].kind == variable && i < len(w.args) {
					bound[a[0].class] = w.args[i]
				}
			}
			for _, p := range declOf(v.class).typeParams {
				v.args = append(v.args, bound[p])
			}
			return unionOf(v)
		}
	}
	return nil
}

func constructors(v value) []member {
	if v.class == nil {
		return nil
	}
	var all []member
	d := declOf(v.class)
	for _, y := range d.constructors {
		all = append(all, member{symbol: y, owner: v})
	}
	if d.canonical != nil {
		all = append(all, member{symbol: d.canonical, owner: v})
	}
	return all
}

// expectedType is the type of what an expression is given to: a variable, a parameter, a
// result. It is unknown where nothing says it.
func (c *context) expectedType(n int32) union {
	if y := c.f.values[n]; y != nil {
		if declOf(y).written >= 0 {
			return typeOfSymbol(c.Resolver, y)
		}
		return nil
	}
	from := n
	for p, up := c.u.Parent(n), 0; p >= 0 && up < 4; from, p, up = p, c.u.Parent(p), up+1 {
		if y := c.f.values[p]; y != nil && declOf(y).written >= 0 && c.f.row.expr(c.u, p).op == aPart {
			return typeOfSymbol(c.Resolver, y)
		}
		if slices.Contains(c.f.row.returns, c.u.Kind(p)) {
			return c.expectedResult(p)
		}
		e := c.f.row.expr(c.u, p)
		switch e.op {
		case aCall, aNew:
			return c.expectedArgument(e, n)
		case aCast:
			return c.typeAt(e.typ)
		case anAssignment:
			if from != e.parts[0] {
				return c.typeOf(e.parts[0])
			}
			return nil
		case aFunction:
			return c.expectedOfFunction(p)
		case aPart:
			return c.expectedType(p)
		case noExpr:
			continue
		}
		return nil
	}
	return nil
}

// expectedResult is what the function around a return statement returns.
func (c *context) expectedResult(n int32) union {
	for s := c.f.scopeAt(n); s != nil; s = s.outer {
		if y := c.f.callables[s.node]; y != nil {
			return typeOfSymbol(c.Resolver, y)
		}
		if c.f.row.expr(c.u, s.node).op == aFunction {
			return c.expectedOfFunction(s.node)
		}
	}
	return nil
}

// expectedOfFunction is the result that is wanted of a function without a name.
func (c *context) expectedOfFunction(n int32) union {
	return c.expectedType(n).Each(func(v value) union {
		if f, ok := c.signature(v); ok {
			return f.result
		}
		return nil
	})
}

// expectedArgument is the type of the parameter for the argument of a call that holds
// a node.
func (c *context) expectedArgument(e expr, n int32) union {
	for i, a := range e.args {
		if !c.u.Within(n, a) {
			continue
		}
		var t union
		list, args := c.candidates(e), e.args
		if len(list) == 0 {
			list, args = c.extensionsOf(e)
			i++
		}
		if only := c.onlyExtension(e, wantCall); len(list) == 0 && c.f.row.members.receivers && only != nil {
			list, args = []member{{symbol: only}}, e.args
			i--
		}
		for _, m := range c.choose(list, args) {
			if p := c.parameterFor(m.symbol, i, a); p != nil {
				t = t.Join(substitute(parameterType(c.Resolver, p, false), c.bindCall(m, args, false)))
			}
		}
		return t
	}
	return nil
}

// expectedParameter is the type of a parameter of a function without a name, by the
// type that is wanted of the function.
func (c *context) expectedParameter(function int32, index int) union {
	return c.expectedType(function).Each(func(v value) union {
		if f, ok := c.signature(v); ok {
			if f.receiver {
				return resolve.At(f.params, index+1)
			}
			return resolve.At(f.params, index)
		}
		return nil
	})
}

// A signature is what a function takes and returns.
type signature struct {
	params   []union
	result   union
	receiver bool // the first parameter is what it is called on
}

// signature says what a function of a type takes and returns: the type is one of
// functions, or an interface with one method.
func (c *context) signature(v value) (s signature, ok bool) {
	if v.kind == function && v.node < 0 && len(v.args) > 0 {
		return signature{v.args[:len(v.args)-1], v.args[len(v.args)-1], v.extended}, true
	}
	m, ok := c.single(v)
	if !ok {
		return s, false
	}
	bound := bindingOf(m.owner)
	for _, p := range declOf(m.symbol).params {
		s.params = append(s.params, substitute(typeOfSymbol(c.Resolver, p), bound))
	}
	s.result = m.typ(c.Resolver)
	return s, true
}

// single finds the one method of an interface that has to be written.
func (c *context) single(v value) (m member, ok bool) {
	if v.kind != instance || declOf(v.class).word != "interface" {
		return m, false
	}
	visitAncestors(c.Resolver, v, func(o value) bool {
		d := declOf(o.class)
		if d.word != "interface" {
			return true
		}
		for _, name := range d.order {
			for _, y := range d.members[name] {
				if declOf(y).abstract && !ok {
					m, ok = member{symbol: y, owner: o}, true
				}
			}
		}
		return !ok
	})
	return m, ok
}
