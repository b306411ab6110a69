package nominal

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// This file has what holds where functions are called on objects that they see bare
// (memberRules.receivers): extensions, functions without a name that have a receiver,
// companions, and classes that are called to make instances.

// receiverOf is what the function that a scope belongs to is called on. known is false
// if it may be called on something that is not known.
func (c *context) receiverOf(s *scope) (t union, known bool) {
	key := resolve.NodeKey{Unit: c.u, Node: s.self}
	m := memoryOf(c.u)
	if c.f.row.expr(c.u, s.self).op != aFunction {
		t = concrete(c.Resolver, c.typeAt(s.self))
		return t, len(t) > 0
	}
	if t, ok := m.selves[key]; ok {
		return t, len(t) > 0 && t[0].kind != null
	}
	if m.busy[key] || !c.Enter() {
		return nil, false
	}
	m.busy[key] = true
	expected := c.expectedType(s.self)
	known = len(expected) > 0
	for _, v := range expected {
		f, ok := c.signature(v)
		switch {
		case !ok:
			known = known && v.kind != outside
		case f.receiver:
			r := concrete(c.Resolver, f.params[0])
			t, known = t.Join(r), known && len(r) > 0
		}
	}
	delete(m.busy, key)
	c.Leave()
	if known && c.Steps <= resolve.MostSteps && c.Depth < resolve.MostDepth/2 && len(t) > 0 {
		m.selves[key] = t
	}
	return t, known
}

// receivers lists what names may be called on without saying so, the nearest first.
func (c *context) receivers(n int32) (all union) {
	for s := c.f.scopeAt(n); s != nil && c.Step(); s = s.outer {
		if s.self >= 0 {
			t, _ := c.receiverOf(s)
			all = append(all, t...)
		}
		if s.class != nil {
			all = append(all, selfOf(s.class))
			if d := declOf(s.class); d.companion != nil {
				all = append(all, selfOf(d.companion))
			}
		}
	}
	return all
}

// extending finds the functions or properties of a name that extend one of some types
// and are seen at a node.
func (c *context) extending(name string, t union, w want) (all []member) {
	if len(t) == 0 {
		return nil
	}
	best := -1
	for _, path := range c.named(name) {
		_, word := lastOf(path)
		for _, u := range c.defining(word) {
			for _, y := range fileOf(u).extensions[word] {
				if (declOf(y).kind == aMethod) != (w == wantCall) || !c.isExtensionVisible(y, path) {
					continue
				}
				v, fit := c.extends(y, t, best)
				if fit < 0 {
					continue
				}
				if fit > best {
					best, all = fit, nil
				}
				all = append(all, member{symbol: y, on: unionOf(v)})
			}
		}
	}
	return all
}

// extends finds the first of some types that an extension fits, and how well: at least
// as well as least, or -1.
func (c *context) extends(y *resolve.Symbol, t union, least int) (value, int) {
	for _, v := range t {
		if v.kind == typeName {
			companion := declOf(v.class).companion
			if companion == nil && c.extendsCompanion(y, v.class) {
				return v, exactly
			}
			if companion == nil {
				continue
			}
			v = selfOf(companion)
		}
		if v.kind == packName || v.kind == null {
			continue
		}
		if fit := c.assignable(contextOf(c.Resolver, y.Unit).typeAt(declOf(y).receiver), unionOf(v)); fit >= max(least, 0) {
			return v, fit
		}
	}
	return value{}, -1
}

// extendsCompanion reports whether something extends the companion that a class of a library has.
func (c *context) extendsCompanion(y, class *resolve.Symbol) bool {
	there := contextOf(c.Resolver, y.Unit)
	of, ok := strings.CutSuffix(there.dotted(declOf(y).receiver), ".Companion")
	return ok && (of == class.Name || slices.ContainsFunc(there.basic(of), func(v value) bool { return v.class == class }))
}

// onlyExtension is what extends something, is seen at a name behind a dot, and is the only one of the project that has
// the name and takes the arguments: what it is called on is not known.
func (c *context) onlyExtension(e expr, w want) *resolve.Symbol {
	if e.object < 0 || e.name < 0 {
		return nil
	}
	var only *resolve.Symbol
	name, args := c.u.Text(e.name), len(e.args)
	if c.f.row.members.extensions {
		args++ // what comes before the dot
	}
	for _, path := range c.named(name) {
		_, word := lastOf(path)
		for _, y := range c.allNamed(word) {
			extends := slices.Contains(fileOf(y.Unit).extensions[word], y)
			if extends && !c.f.row.members.extensions && !c.isExtensionVisible(y, path) ||
				!extends && fileOf(y.Unit).library && w == wantCall && !c.accepts(member{symbol: y}, e.args) {
				continue
			}
			if !extends || only != nil && only != y || (declOf(y).kind == aMethod) != (w == wantCall) ||
				w == wantCall && !acceptsArguments(y, args) {
				return nil
			}
			only = y
		}
	}
	return only
}

// allNamed lists the functions and the variables of a name that files of the family declare, but local ones.
func (c *context) allNamed(name string) []*resolve.Symbol {
	m := memoryOf(c.u)
	if all, ok := m.declaring[name]; ok {
		return all
	}
	all := []*resolve.Symbol{}
	for _, u := range c.defining(name) {
		for _, y := range u.Owner {
			switch d := declOf(y); {
			case y.Name != name || d == nil:
			case d.kind == aMethod, d.kind == aField, d.kind == aVariable && d.extension:
				all = append(all, y)
			}
		}
	}
	if c.Steps <= resolve.MostSteps {
		m.declaring[name] = all
	}
	return all
}

// named lists the full names that a bare name may have by imports, itself included.
func (c *context) named(name string) []string {
	all := []string{name}
	for _, i := range c.f.imports {
		if i.name == name {
			all = append(all, i.path)
		}
	}
	return all
}

// defining lists the files of the family that define something of a name, and the
// libraries.
func (c *context) defining(name string) []*resolve.Unit {
	units := library(c)
	units = units[:len(units):len(units)]
	for _, path := range c.Defining(name) {
		if u := c.Unit(path); u != nil && u.Language == c.u.Language {
			units = append(units, u)
		}
	}
	return units
}

// isExtensionVisible reports whether a declaration that extends a type is seen in the file under a
// full name, or under its own.
func (c *context) isExtensionVisible(y *resolve.Symbol, path string) bool {
	d := declOf(y)
	switch {
	case d.private && y.Unit != c.u:
		return false
	case path != y.Name:
		full := text.Dotted(d.pack, y.Name)
		if d.owner != nil {
			full = text.Dotted(declOf(d.owner).pack, text.Dotted(d.owner.Name, y.Name))
		}
		return path == full
	case d.owner != nil || y.Unit == c.u || d.pack == c.f.pack || slices.Contains(c.f.row.implicit, d.pack):
		return true
	}
	return slices.ContainsFunc(c.f.imports, func(i importLine) bool { return i.name == "" && i.path == d.pack })
}

// calledOn lists what a call may call, by its name: functions, what extends what is
// before the dot, variables that hold functions, and constructors of classes.
func (c *context) calledOn(e expr) (all []member, whole bool) {
	if e.name < 0 {
		return nil, false
	}
	name := c.u.Text(e.name)
	if e.object < 0 {
		all, whole = c.calledBare(e, name)
	} else {
		all, whole = c.calledMember(e, name)
	}
	return withTypes(all, e), whole
}

func (c *context) calledBare(e expr, name string) (all []member, whole bool) {
	if variables, _ := c.lookup(e.name, name, wantValue); len(variables) > 0 && declOf(variables[0].symbol).kind == aVariable &&
		c.isCallable(variables[0]) {
		return variables[:1], true
	}
	all, whole = c.lookup(e.name, name, wantCall)
	if made := c.madeNearer(all, e, name); len(made) > 0 {
		return made, true
	}
	if len(all) > 0 && !slices.ContainsFunc(all, func(m member) bool {
		d := declOf(m.symbol)
		return d.owner != nil || d.pack == ""
	}) { // outside of all classes and functions: what extends what the code around is called on comes first
		if more := c.extendingCalled(e); len(more) > 0 {
			return more, whole
		}
	}
	if !slices.ContainsFunc(all, func(m member) bool { return acceptsArguments(m.symbol, len(e.args)) }) {
		var types []member
		for _, y := range c.typesNamed(e.name, name) {
			types = append(types, c.constructorsOfCalled(y)...)
		}
		if len(types) > 0 {
			return append(types, all...), true
		}
		if more := c.extending(name, c.receivers(e.name), wantCall); len(more) > 0 {
			return more, whole
		}
		if outer, known := c.imported(name, wantCall); slices.ContainsFunc(outer, func(m member) bool {
			return acceptsArguments(m.symbol, len(e.args))
		}) {
			return outer, known
		}
	}
	if len(all) == 0 {
		if variables, known := c.lookup(e.name, name, wantValue); len(variables) > 0 {
			return variables, known
		}
	}
	return all, whole
}

// madeNearer returns the constructors of a class of the file's own package that come before functions of the same name,
// which an import of everything brings in.
func (c *context) madeNearer(functions []member, e expr, name string) (made []member) {
	if len(functions) == 0 || slices.ContainsFunc(functions, func(m member) bool {
		d := declOf(m.symbol)
		return d.owner != nil || d.pack == "" || d.pack == c.f.pack
	}) || slices.ContainsFunc(c.imports(), func(i importLine) bool { return i.name == name }) {
		return nil
	}
	for _, y := range c.inPackage(c.f.pack, name, wantType) {
		for _, m := range c.constructorsOfCalled(y) {
			if acceptsArguments(m.symbol, len(e.args)) {
				made = append(made, m)
			}
		}
	}
	return made
}

func (c *context) calledMember(e expr, name string) (all []member, whole bool) {
	t := concrete(c.Resolver, c.typeOf(e.object))
	whole = len(t) > 0
	for _, v := range t {
		if v.kind == packName {
			path := v.name + "." + name
			for _, y := range c.qualified(path) {
				if declOf(y).kind == aType {
					all = append(all, c.constructorsOfCalled(y)...)
				} else if matches(y, wantCall) {
					all = append(all, member{symbol: y})
				}
			}
			whole = false
			continue
		}
		found, known := c.membersOf(v, name, wantCall)
		if len(found) == 0 && v.kind == typeName {
			types, _ := c.membersOf(v, name, wantType)
			for _, m := range types {
				found = append(found, c.constructorsOfCalled(m.symbol)...)
			}
		}
		all = append(all, found...)
		whole = whole && known && v.kind != outside
	}
	if slices.ContainsFunc(all, func(m member) bool { return acceptsArguments(m.symbol, len(e.args)) }) {
		return all, whole
	}
	if more := c.extending(name, t, wantCall); len(more) > 0 {
		return more, whole
	}
	if len(all) == 0 {
		for _, v := range t {
			found, _ := c.membersOf(v, name, wantValue)
			all = append(all, found...)
		}
		if len(all) == 0 {
			all = c.extending(name, t, wantValue)
		}
	}
	return all, whole
}

// extendingCalled lists what a call by a name may call of what extends the object before it, or those that are seen
// bare, and takes the arguments.
func (c *context) extendingCalled(e expr) []member {
	if e.name < 0 {
		return nil
	}
	var of union
	if e.object >= 0 {
		of = concrete(c.Resolver, c.typeOf(e.object))
	} else {
		of = c.receivers(e.name)
	}
	list := c.extending(c.u.Text(e.name), of, wantCall)
	return slices.DeleteFunc(list, func(m member) bool { return !c.accepts(m, e.args) })
}

// isCallable reports whether a variable may be called.
func (c *context) isCallable(m member) bool {
	t := concrete(c.Resolver, m.typ(c.Resolver))
	return len(t) == 0 || slices.ContainsFunc(t, func(v value) bool {
		return v.kind == function || v.kind == outside || len(c.invoked(v)) > 0
	})
}

// invoked lists what a call of a value calls.
func (c *context) invoked(v value) []member {
	found, _ := c.membersOf(v, "invoke", wantCall)
	return found
}

// constructorsOfCalled lists the constructors of a type that is called by its name.
func (c *context) constructorsOfCalled(y *resolve.Symbol) []member {
	d := declOf(y)
	if d.alias >= 0 {
		var all []member
		for _, v := range contextOf(c.Resolver, y.Unit).typeAt(d.alias) {
			for _, m := range constructors(v) {
				m.through = y
				all = append(all, m)
			}
		}
		return all
	}
	if d.kind != aType {
		return nil
	}
	if d.word == "object" { // nothing makes one, and it may say what a call of it does
		all := slices.Clone(c.invoked(selfOf(y)))
		for i := range all {
			all[i].through = y
		}
		return all
	}
	if list := constructors(value{kind: instance, class: y}); len(list) > 0 {
		return list
	}
	return []member{{symbol: y}} // it has one unsaid, or is made of a function
}

// targets lists what the name of a member in a call means: of a constructor its class,
// and itself if it has a name.
func (m member) targets() []*resolve.Symbol {
	d := declOf(m.symbol)
	switch {
	case m.through != nil:
		return []*resolve.Symbol{m.through}
	case d.kind != aConstructor:
		return []*resolve.Symbol{m.symbol}
	case m.symbol.Name != "":
		return []*resolve.Symbol{d.owner, m.symbol}
	}
	return []*resolve.Symbol{d.owner}
}

// variableResult is what calling a variable gives.
func (c *context) variableResult(m member) union {
	return concrete(c.Resolver, m.typ(c.Resolver)).Each(func(v value) union {
		if t := c.resultsOf(unionOf(v)); t != nil {
			return t
		}
		var t union
		for _, m := range first(c.membersOf(v, "invoke", wantCall)) {
			t = t.Join(m.typ(c.Resolver))
		}
		return t
	})
}

// component is one of those that a value is taken apart into.
func (c *context) component(t union, part int) union {
	name := "component" + string(rune('0'+part))
	return concrete(c.Resolver, t).Each(func(v value) union {
		if v.kind == instance {
			if p := resolve.At(declOf(v.class).components, part-1); p != nil {
				return member{symbol: p, owner: v}.typ(c.Resolver)
			}
		}
		found, _ := c.membersOf(v, name, wantCall)
		if len(found) == 0 {
			found = c.extending(name, unionOf(v), wantCall)
		}
		if len(found) > 0 {
			return found[0].typ(c.Resolver)
		}
		return nil
	})
}

// ownerLabelled is what this@name stands for at a node.
func (c *context) ownerLabelled(n int32, name string) union {
	for s := c.f.scopeAt(n); s != nil; s = s.outer {
		if s.class != nil && s.class.Name == name {
			return unionOf(selfOf(s.class))
		}
		if s.self < 0 {
			continue
		}
		y := c.f.callables[s.node]
		if y == nil && c.f.row.expr(c.u, s.self).op == aFunction {
			if call := c.u.Around(s.self, "call_expression"); call >= 0 && c.u.Text(c.f.row.expr(c.u, call).name) == name {
				t, _ := c.receiverOf(s)
				return t
			}
		}
		if y != nil && y.Name == name {
			t, _ := c.receiverOf(s)
			return t
		}
	}
	return nil
}

// extendingOne lists the properties that extend a value, where a language has such.
func (c *context) extendingOne(name string, v value) []member {
	if !c.f.row.members.receivers {
		return nil
	}
	return c.extending(name, unionOf(v), wantValue)
}

// referredMeaning is what ::name means where it is no function: a property, or a class.
func (c *context) referredMeaning(e expr) resolve.Meaning {
	name := c.u.Text(e.name)
	if e.object < 0 {
		m := c.nameMeaning(e.name)
		if len(m.Symbols) == 0 {
			if list := c.extending(name, c.receivers(e.name), wantCall); len(list) > 0 {
				return c.meaningAmong(list, true)
			}
		}
		return m
	}
	t := concrete(c.Resolver, c.typeOf(e.object)).Each(func(v value) union {
		if v.kind == typeName {
			v.kind = instance
		}
		return unionOf(v)
	})
	for _, w := range []want{wantCall, wantValue} {
		if list := c.extending(name, t, w); len(list) > 0 {
			return c.meaningAmong(list, true)
		}
	}
	return c.memberMeaning(e)
}
