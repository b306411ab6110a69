package typescript

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// A union is what a value may be. The parts of an intersection stand in it like
// those of a union.
type union = resolve.Union[value]

// A valueKind says what a value is.
type valueKind int

const (
	kindInstance  valueKind = iota // of a class, an interface or an enumeration
	kindClass                      // a class itself, an enumeration, a namespace
	kindFunction                   // what can be called
	kindObject                     // a literal, or the type of one
	kindParameter                  // a type parameter
	kindModule                     // a module as a whole
	kindLibrary                    // something of the language's library, by name
	kindCallback                   // what a method of the library calls: args are its parameters
	kindIndexed                    // a member, by name, of what is not known before its type parameters are
	kindAnything                   // what is not known, beside what is
)

// A value is one thing that a value may be.
type value struct {
	kind valueKind
	sym  *resolve.Symbol
	unit *resolve.Unit // of a function or an object
	node int32
	env  *environment // what its type parameters are
	name string       // of the library; where that is all that is known of it, unit is where it is
	args []union
	back union // of a callback: what it must return, if that is known
	open bool  // of the library: nothing is known of what it is, so it may have any member
	form bool  // only the form that is asked of an argument, which is itself what decides the type
	keys *keys // the members that are left of it; nil: all
}

// keys are the members that Pick<T, "a" | "b"> or Omit leaves of a type.
type keys struct {
	unit *resolve.Unit
	node int32 // the names
	omit bool
}

// contains reports whether a member is left, as far as the names are written.
func (k *keys) contains(r *resolve.Resolver, name string) bool {
	if k == nil {
		return true
	}
	names, ok := literalsOf(r, k.unit, k.node, 0)
	return !ok || slices.Contains(names, `"`+name+`"`) != k.omit
}

// leave leaves some members of a type. It is also that of what a type parameter will be.
func leave(t union, k *keys) union {
	if k == nil {
		return t
	}
	return t.Each(func(v value) union {
		switch v.kind {
		case kindInstance, kindObject, kindParameter, kindIndexed:
			if v.keys == nil {
				v.keys = k
			}
		}
		return union{v}
	})
}

// asForm marks what is but the form that is asked of an argument.
func asForm(t union) union { return markForm(t, true) }

// alsoForm is asForm of what stands for a form.
func alsoForm(t union, form bool) union {
	if form {
		return asForm(t)
	}
	return t
}

// noForm takes a form for what it is the form of.
func noForm(t union) union { return markForm(t, false) }

func markForm(t union, form bool) union {
	if !slices.ContainsFunc(t, func(v value) bool { return v.form != form }) {
		return t
	}
	return t.Each(func(v value) union {
		v.form = form
		return union{v}
	})
}

// keepForm applies f to a type, apart to what is but a form: what f gives of that is one too.
func keepForm(t union, f func(union) union) union {
	var types, forms union
	for _, v := range t {
		if v.form {
			forms = append(forms, v)
		} else {
			types = append(types, v)
		}
	}
	if len(forms) == 0 {
		return f(t)
	}
	return f(types).Join(asForm(f(forms)))
}

// An environment says what type parameters are. What it says may hang on the
// parameters of an outer one.
type environment struct {
	vars  map[*resolve.Symbol]union
	outer *environment
	depth int
}

func newEnv(vars map[*resolve.Symbol]union, outer *environment) *environment {
	if len(vars) == 0 {
		return outer
	}
	d := 1
	if outer != nil {
		d = outer.depth + 1
	}
	if d > 12 {
		return nil
	}
	return &environment{vars, outer, d}
}

func library(name string, args ...union) union {
	return union{{kind: kindLibrary, name: name, args: args}}
}

// either is [resolve.Either] with this language's anything.
func either(a, b union) union { return resolve.Either(a, b, value{kind: kindAnything}) }

// Same compares two things, and the arguments of a library's one level deep.
func (v value) Same(o value) bool {
	if v.kind != o.kind || v.sym != o.sym || v.unit != o.unit && v.kind != kindLibrary || v.node != o.node ||
		v.name != o.name || v.form != o.form || v.keys != o.keys {
		return false
	}
	if len(v.args) != len(o.args) {
		return false
	}
	return len(v.args) == 0 || (v.kind == kindLibrary || v.kind == kindIndexed) && sameArgs(v.args, o.args)
}

func sameArgs(a, b []union) bool {
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return false
		}
		for j := range a[i] {
			if x, y := a[i][j], b[i][j]; x.kind != y.kind || x.sym != y.sym || x.node != y.node || x.name != y.name {
				return false
			}
		}
	}
	return true
}

// subst puts what type parameters are in their place.
func subst(r *resolve.Resolver, t union, env *environment) union {
	if env == nil || len(t) == 0 || !r.Enter() {
		return t
	}
	defer r.Leave()
	var all union
	for _, v := range t {
		switch v.kind {
		case kindParameter:
			all = all.Join(leave(alsoForm(ofParameter(r, v, env), v.form), v.keys))
			continue
		case kindFunction, kindObject:
			if v.env == nil {
				v.env = env
			} else if v.env != env {
				v.env = substituted(r, memoryOf(v.unit), v.env, env)
			}
		}
		if len(v.args) > 0 {
			args := make([]union, len(v.args))
			for i, a := range v.args {
				args[i] = subst(r, a, env)
			}
			v.args = args
			if v.kind == kindIndexed && !isUndecided(args[0]) {
				all = all.Join(leave(alsoForm(ofMembers(r, args[0], v.name), v.form), v.keys))
				continue
			}
		}
		all = all.Join(union{v})
	}
	return all
}

// substituted returns an environment with the type parameters of an outer one put in their place.
// What the arguments of a call tell may lead back to the call's own environment, in many ways:
// it is worked out once, and inside itself stays as it is.
func substituted(r *resolve.Resolver, m *memory, env, outer *environment) *environment {
	if m.within == nil {
		m.within = map[[2]*environment]*environment{}
		defer func() { m.within = nil }()
	}
	key := [2]*environment{env, outer}
	if e, ok := m.within[key]; ok {
		return e
	}
	m.within[key] = env
	vars := make(map[*resolve.Symbol]union, len(env.vars))
	for p, a := range env.vars {
		vars[p] = subst(r, a, outer)
	}
	m.within[key] = newEnv(vars, outer)
	return m.within[key]
}

// isUndecided reports whether a type depends on type parameters as a whole.
func isUndecided(t union) bool {
	return slices.ContainsFunc(t, func(v value) bool { return v.kind == kindParameter || v.kind == kindIndexed })
}

// ofParameter is what a type parameter is in an environment: itself if that
// does not say.
func ofParameter(r *resolve.Resolver, v value, env *environment) union {
	for e := env; e != nil; e = e.outer {
		if t, ok := e.vars[v.sym]; ok {
			if len(t) == 0 {
				break
			}
			if e.outer != nil {
				return subst(r, t, e.outer)
			}
			return t
		}
	}
	return union{v}
}

// argumentsEnv binds the type parameters of a class or interface, as each of
// its declarations names them, to the arguments of a value.
func argumentsEnv(r *resolve.Resolver, v value) *environment {
	if v.sym == nil || v.kind != kindInstance && v.kind != kindClass {
		return v.env
	}
	vars := map[*resolve.Symbol]union{}
	for _, d := range v.sym.Decls {
		for i, p := range v.sym.Unit.TypeParameters(d.Node) {
			if i < len(v.args) {
				vars[p] = v.args[i]
			} else if def := v.sym.Unit.Child(v.sym.Unit.Parent(p.Decls[0].Name), "value"); def >= 0 {
				vars[p] = subst(r, annotationType(r, v.sym.Unit, def), newEnv(maps.Clone(vars), nil))
			}
		}
	}
	return newEnv(vars, nil)
}

// basesOf lists what a class or an interface is derived from. implements
// counts only where asked for: a class does not inherit from it.
func basesOf(r *resolve.Resolver, v value, implements bool) []value {
	var all union
	y := v.sym
	for _, d := range y.Decls {
		u := y.Unit
		switch u.Kind(d.Node) {
		case "class_declaration", "abstract_class_declaration", "class":
			heritage := u.First(d.Node, "class_heritage")
			for c := range u.Children(heritage) {
				switch u.Kind(c) {
				case "extends_clause":
					all = append(all, extendsType(r, u, c)...)
				case "implements_clause":
					if implements {
						for t := range u.Children(c) {
							all = append(all, annotationType(r, u, t)...)
						}
					}
				default: // JavaScript has the expression alone
					all = append(all, instances(r, typeOf(r, u, c), nil)...)
				}
			}
		case "interface_declaration":
			for c := range u.Children(u.First(d.Node, "extends_type_clause", "extends_clause")) {
				all = append(all, annotationType(r, u, c)...)
			}
		}
	}
	if y.Inner != nil {
		for _, m := range memoryOf(y.Unit).mixed[resolve.NodeKey{Unit: y.Unit, Node: y.Inner.Node}] {
			if m.mark == "" {
				all = append(all, mixedType(r, y.Unit, m)...)
			}
		}
	}
	return subst(r, all, argumentsEnv(r, v))
}

// extendsType is the base class of an extends clause, with its arguments.
func extendsType(r *resolve.Resolver, u *resolve.Unit, clause int32) union {
	value := u.Child(clause, "value")
	var args []union
	for c := range u.Children(u.Child(clause, "type_arguments")) {
		args = append(args, annotationType(r, u, c))
	}
	return instances(r, typeOf(r, u, value), args)
}

// instances makes instances of classes.
func instances(r *resolve.Resolver, t union, args []union) union {
	var all union
	for _, v := range t {
		switch v.kind {
		case kindClass:
			all = append(all, value{kind: kindInstance, sym: v.sym, args: args})
		case kindObject, kindInstance: // something with a construct signature
			for _, m := range signatures(r, v, newSignature) {
				all = append(all, resultOf(r, m, nil, -1, args)...)
			}
		case kindFunction:
			if v.unit.Kind(v.node) == "constructor_type" {
				all = append(all, resultOf(r, v, nil, -1, args)...)
			}
			all = append(all, constructedBy(v)...)
		case kindLibrary:
			if collections[v.name] {
				all = append(all, libraryType(v.name, args)...)
			}
		}
	}
	return all
}

// collections are the classes of the library that hold elements whose type is known.
var collections = text.WordSet("Array Map Set Promise WeakMap WeakSet")

// collectionsOf are what values are of the classes of the library that hold elements:
// themselves, or by what they are derived from.
func collectionsOf(r *resolve.Resolver, t union) union {
	return t.Each(func(v value) union {
		switch {
		case v.kind == kindLibrary && !v.open:
			return union{v}
		case v.kind == kindInstance && r.Enter():
			defer r.Leave()
			return collectionsOf(r, basesOf(r, v, false))
		}
		return nil
	})
}

// A member is a member with what the type parameters around it are.
type member struct {
	symbol *resolve.Symbol
	env    *environment
}

// membersOf finds a member of everything a value may be. known is false if
// that, or a part of it that could have one, is unknown.
func membersOf(r *resolve.Resolver, t union, name string) (all []member, known bool) {
	if len(t) == 0 {
		return nil, false
	}
	known = true
	open := false
	for _, v := range t {
		found, ok := membersOfValue(r, v, name)
		all = append(all, found...)
		known = known && ok
		open = open || !ok && (v.open || v.kind == kindAnything || isEverything(v))
	}
	return all, known || len(all) > 0 && !open
}

// membersOfValue finds a member of one thing, the nearest.
func membersOfValue(r *resolve.Resolver, v value, name string) (all []member, known bool) {
	if !r.Enter() {
		return nil, false
	}
	defer r.Leave()
	if !v.keys.contains(r, name) {
		return nil, true
	}
	switch v.kind {
	case kindInstance:
		return inherited(r, v, name)
	case kindClass:
		return inherited(r, v, static+name)
	case kindObject:
		return membersOfObject(r, v, name)
	case kindParameter, kindIndexed:
		return membersOf(r, limitOf(r, v), name)
	case kindModule:
		if y := exported(r, v.unit, name); y != nil {
			return []member{{symbol: y}}, true
		}
		return nil, v.unit.Exports.Names[exportsAll] == nil || len(exportsType(r, v.unit)) > 0
	case kindLibrary:
		if isEverything(v) {
			return globalMember(r, v, name)
		}
		if y := libraryMember(v, name); y != nil {
			return []member{{symbol: y}}, !v.open
		}
		return nil, !v.open
	}
	if v.kind == kindFunction {
		return functionMembers(r, v, name)
	}
	return nil, false
}

// inherited finds a member of a class or interface or of its bases.
func inherited(r *resolve.Resolver, v value, name string) (all []member, known bool) {
	known = true
	seen := map[*resolve.Symbol]bool{}
	todo := []value{v}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if !c.keys.contains(r, name) {
			continue
		}
		if c.kind == kindObject || c.kind == kindParameter || c.kind == kindIndexed || c.kind == kindFunction ||
			c.kind == kindModule {
			found, _ := membersOfValue(r, c, name)
			if len(found) > 0 {
				return found, true
			}
			continue
		}
		if c.sym == nil || seen[c.sym] || !r.Step() {
			known = known && c.kind == kindLibrary
			continue
		}
		seen[c.sym] = true
		if c.sym.Inner != nil {
			if y := c.sym.Inner.Names[name]; y != nil {
				return []member{{y, argumentsEnv(r, c)}}, true
			}
		}
		bases := basesOf(r, c, false)
		for i := range bases {
			if v.kind == kindClass && bases[i].kind == kindInstance {
				bases[i].kind = kindClass
			}
		}
		todo = append(todo, bases...)
	}
	return nil, known
}

// membersOfObject finds a member of a literal, or of what is spread into it.
func membersOfObject(r *resolve.Resolver, v value, name string) (all []member, known bool) {
	if s := v.unit.Members[v.node]; s != nil {
		if y := s.Names[name]; y != nil {
			return []member{{y, v.env}}, true
		}
	}
	known = true
	for c := range v.unit.Children(v.node) {
		if v.unit.Kind(c) == "spread_element" {
			found, ok := membersOf(r, typeOf(r, v.unit, v.unit.First(c)), name)
			all, known = append(all, found...), known && ok
		}
	}
	if len(all) > 0 {
		return all, known
	}
	if v.unit.Kind(v.node) == "call_expression" { // Object.create(a)
		base := v.unit.First(v.unit.Child(v.node, "arguments"))
		if v.unit.Kind(base) != "null" {
			if all, known = membersOf(r, typeOf(r, v.unit, base), name); len(all) > 0 {
				return all, known
			}
		}
	}
	mixed, ok := mixedMembers(r, v.unit, v.node, "", name)
	return mixed, known && ok
}

// partsOf is what an object gets its members from besides those that it declares.
func partsOf(r *resolve.Resolver, v value) union {
	var all union
	for c := range v.unit.Children(v.node) {
		if v.unit.Kind(c) == "spread_element" {
			all = all.Join(typeOf(r, v.unit, v.unit.First(c)))
		}
	}
	if v.unit.Kind(v.node) == "call_expression" { // Object.create(a)
		all = all.Join(typeOf(r, v.unit, v.unit.First(v.unit.Child(v.node, "arguments"))))
	}
	for _, m := range memoryOf(v.unit).mixed[resolve.NodeKey{Unit: v.unit, Node: v.node}] {
		all = all.Join(mixedType(r, v.unit, m))
	}
	return all
}

// limitOf is what a type parameter is known to be: what it extends.
func limitOf(r *resolve.Resolver, v value) union {
	if v.kind == kindIndexed {
		return ofMembers(r, v.args[0], v.name)
	}
	u, d := v.sym.Unit, v.sym.Decls[0]
	if c := u.Child(d.Node, "constraint"); c >= 0 {
		return annotationType(r, u, u.First(c))
	}
	return nil
}

// maxRoots bounds what is kept of what a member overrides: all members of one family share the topmost ones.
const maxRoots = 200

// rootsOf returns a member together with what it overrides, all the way up.
func rootsOf(r *resolve.Resolver, s *resolve.Symbol) []*resolve.Symbol {
	if s.Overridden != nil {
		return s.Overridden
	}
	s.Overridden = []*resolve.Symbol{s}
	if s.Scope == nil || s.Scope.Kind != resolve.ClassScope {
		return s.Overridden
	}
	up, alike := []*resolve.Symbol{s}, []*resolve.Symbol(nil)
	isStatic := s.Scope.Names[static+s.Name] == s
	for _, v := range ownerBase(r, s) {
		if isStatic && v.kind == kindInstance {
			v.kind = kindClass
		}
		if v.kind != kindFunction && (v.kind != kindLibrary || s.Scope.Class == nil) {
			found, _ := membersOfValue(r, v, s.Name)
			for _, m := range found {
				for _, y := range rootsOf(r, m.symbol) {
					switch {
					case v.form:
						alike = append(alike, y)
					case !slices.Contains(up, y):
						up = append(up, y)
					}
				}
			}
		}
	}
	if len(alike) > 0 {
		memoryOf(s.Unit).alike[s] = alike
	}
	if y := ofLibrary(r, s); y != nil {
		up = append(up, y)
	}
	if len(up) > maxRoots {
		up = slices.Concat(up[:1], up[len(up)-maxRoots+1:])
	}
	s.Overridden = up
	return up
}

// membersOfForm lists the members of the form that is asked of the literal that a member is one of.
// As far as types tell, it is a member of that literal alone.
func membersOfForm(r *resolve.Resolver, s *resolve.Symbol) []*resolve.Symbol {
	rootsOf(r, s)
	return memoryOf(s.Unit).alike[s]
}

// ofLibrary stands for the member of a parameter of the language's library that a member
// of a literal is for, as in new Response("", {status: 200}). It is nil if it is for none.
func ofLibrary(r *resolve.Resolver, s *resolve.Symbol) *resolve.Symbol {
	u := s.Unit
	if u.Kind(s.Scope.Node) != "object" {
		return nil
	}
	place := libraryPlace(r, u, s.Scope.Node)
	if place == "" {
		return nil
	}
	return memberOfLibrary(memoryOf(u), u, place, s.Name, false)
}

// memberOfLibrary stands for a member of something of the language's library, or of a parameter of
// one of its functions.
func memberOfLibrary(m *memory, u *resolve.Unit, owner, name string, open bool) *resolve.Symbol {
	key := owner + "." + name
	y := m.library[key]
	if y == nil {
		y = &resolve.Symbol{Name: name, Unit: u, Data: libraryName{key, open}}
		m.library[key] = y
	}
	return y
}

// A libraryName is the name of what a symbol stands for in the language's library, or in what
// is put beside it: that is open.
type libraryName struct {
	name string
	open bool
}

// libraryMember stands for a member of a type or an object of the language's library that
// is known by its name alone. It is nil where inference knows more of it, and of values
// that have no members to speak of.
func libraryMember(v value, name string) *resolve.Symbol {
	switch v.name {
	case "Array", "Tuple", "Set", "Map", "Promise", "Record", "Object", "Function", "string", "number", "boolean", "symbol", "bigint":
		return nil
	}
	if v.unit == nil || strings.Contains(v.name, ".") || name == callSignature || name == newSignature {
		return nil
	}
	return memberOfLibrary(memoryOf(v.unit), v.unit, v.name, name, v.open)
}

// libraryPlace names the parameter of a function that nothing in the file declares, or the
// member of one, that a literal is given to; "" if it is given to none.
func libraryPlace(r *resolve.Resolver, u *resolve.Unit, object int32) string {
	path := ""
	for u.Kind(u.Parent(object)) == "pair" && len(path) < 100 {
		p := u.Parent(object)
		path = "." + resolve.Unquote(u.Text(u.Child(p, "key"))) + path
		object = u.Parent(p)
	}
	list := u.Parent(object)
	if u.Kind(list) != "arguments" {
		return ""
	}
	call := u.Parent(list)
	callee := max(u.Child(call, "function"), u.Child(call, "constructor"))
	root := callee
	for u.Kind(root) == "member_expression" {
		root = u.Child(root, "object")
	}
	if u.Kind(root) != "identifier" || lookup(r, u, root, u.Text(root)) != nil {
		return ""
	}
	argument := slices.Index(u.List(list), object)
	name := strings.TrimPrefix(u.Text(callee), "window.")
	if place, ok := describedBy(name, argument, path); ok {
		return place
	}
	first, _, _ := strings.Cut(name, ".")
	if u.Kind(call) == "call_expression" && !slices.Contains(libraryOptionTypes, first) {
		return ""
	}
	return fmt.Sprintf("%s(%d)%s", name, argument, path)
}

// libraryOptionTypes are what the functions of the library belong to, or the functions, that take
// objects of a form of their own. Others take any value, as Object.assign and console.log.
var libraryOptionTypes = []string{"Array", "Intl", "crypto", "document", "fetch", "navigator", "performance"}

// describedBy names the place of a literal that describes a property, by the function, the
// number of the argument and the path in it: one thing wherever it is. What holds
// descriptions has no members of its own. ok is false where a literal is neither.
func describedBy(callee string, argument int, path string) (place string, ok bool) {
	switch {
	case argument == 2 && path == "" && (callee == "Object.defineProperty" || callee == "Reflect.defineProperty"):
		return "PropertyDescriptor", true
	case argument == 1 && (callee == "Object.create" || callee == "Object.defineProperties"):
		if strings.Count(path, ".") == 1 {
			return "PropertyDescriptor", true
		}
		return "", true
	}
	return "", false
}

// ownerBase is what the owner of a member is derived from, or, of an object
// literal, what is expected where it is.
func ownerBase(r *resolve.Resolver, s *resolve.Symbol) union {
	if y := s.Scope.Class; y != nil {
		return basesOf(r, value{kind: kindInstance, sym: y}, true)
	}
	u, n := s.Unit, s.Scope.Node
	if u.Kind(n) != "object" {
		return nil
	}
	return expectedLiteral(r, u, n)
}
