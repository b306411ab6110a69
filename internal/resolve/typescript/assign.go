package typescript

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// How a declaration of plain JavaScript declares: by what it assigns.
const (
	assigned  = "assigned"  // a.b = c
	described = "described" // Object.defineProperty(a, "b", c)
	required  = "required"  // const a = require("b")
	given     = "given"     // a = b, a declared above
)

// exportsAll is the name under which a module offers what it assigns to module.exports.
const exportsAll = "export="

// maxHops bounds how many assignments are followed to what is assigned to.
const maxHops = 8

// A mixture is something whose members an object, or what a function constructs, has too.
type mixture struct {
	from     int32
	mark     string // static: the function itself has them
	instance bool   // from is a constructor: what it constructs is meant
}

// bindAssignments declares what plain JavaScript declares without a declaration:
// members of this, of functions, prototypes and objects, and what a module exports.
// Of that TypeScript has the members of functions.
func bindAssignments(u *resolve.Unit) {
	for i := range u.Nodes {
		n := int32(i)
		if u.Lang != syntax.JavaScript && !assignsToFunction(u, n) {
			continue
		}
		switch u.Kind(n) {
		case "variable_declarator":
			markRequired(u, n)
		case "assignment_expression", "augmented_assignment_expression":
			bindAssignment(u, n)
		case "call_expression":
			bindMixture(u, n)
		}
	}
}

// assignsToFunction reports whether a node is f.a = b, f a function of the file.
func assignsToFunction(u *resolve.Unit, n int32) bool {
	if u.Kind(n) != "assignment_expression" {
		return false
	}
	object := u.Child(u.Child(n, "left"), "object")
	if u.Kind(object) != "identifier" {
		return false
	}
	y := lookupBare(u, object, u.Text(object))
	return y != nil && slices.ContainsFunc(y.Decls, func(d resolve.Decl) bool {
		if u.Kind(d.Node) == "variable_declarator" && u.Child(d.Node, "type") < 0 {
			return isFunctionNode(u.Kind(u.Child(d.Node, "value")))
		}
		return u.Kind(d.Node) == "function_declaration"
	})
}

// markRequired marks the names that are given a module, or parts of one.
func markRequired(u *resolve.Unit, n int32) {
	name := u.Child(n, "name")
	if path, _ := requiredPart(u, u.Child(n, "value")); path == "" || name < 0 {
		return
	}
	for i := name; i < u.Nodes[name].Next; i++ {
		y := u.Owner[i]
		if y == nil {
			continue
		}
		for j := range y.Decls {
			if y.Decls[j].Name == i {
				y.Decls[j].How = required
			}
		}
	}
}

// requiredPath returns what a call of require names, "" if it is none.
func requiredPath(u *resolve.Unit, n int32) string {
	if u.Kind(n) != "call_expression" || u.Text(u.Child(n, "function")) != "require" {
		return ""
	}
	arg := u.First(u.Child(n, "arguments"))
	if u.Kind(arg) != "string" {
		return ""
	}
	return resolve.Unquote(u.Text(arg))
}

// requiredPart returns what require("a") or require("a").b names, and b.
func requiredPart(u *resolve.Unit, n int32) (path, part string) {
	if u.Kind(n) == "member_expression" {
		return requiredPath(u, u.Child(n, "object")), u.Text(u.Child(n, "property"))
	}
	return requiredPath(u, n), ""
}

// bindAssignment declares what a.b = c declares.
func bindAssignment(u *resolve.Unit, n int32) {
	left, right := u.Child(n, "left"), u.Child(n, "right")
	object, name := u.Child(left, "object"), memberName(u, left)
	if u.Kind(left) == "identifier" {
		if y := lookupBare(u, left, u.Text(left)); y != nil && len(y.Decls) > 0 {
			y.AddDecl(resolve.Decl{Name: left, Node: n, How: given})
		}
		return
	}
	if u.Kind(n) != "assignment_expression" {
		return
	}
	if name < 0 {
		bindComputed(u, n)
		return
	}
	word := resolve.Unquote(u.Text(name))
	if isModuleExports(u, left) {
		declareAssigned(u.Exports, exportsAll, exportsAll, name, n, assigned)
		return
	}
	switch word {
	case "prototype":
		if s, mark := ownerTable(u, object, 0); s != nil && mark == static {
			mix(u, s, mixture{from: right})
		}
		return
	case "__proto__":
		if s, mark := ownerTable(u, object, 0); s != nil {
			mix(u, s, mixture{from: right, mark: mark})
		}
		return
	}
	if s, mark := ownerTable(u, object, 0); s != nil {
		declareAssigned(s, mark+word, word, name, n, assigned)
	}
}

// bindComputed declares what a[KEY] = b declares.
func bindComputed(u *resolve.Unit, n int32) {
	left := u.Child(n, "left")
	if u.Kind(left) != "subscript_expression" {
		return
	}
	key := computedKey(u.ScopeAt(n), u.Child(left, "index"))
	if key == "" {
		return
	}
	if s, mark := ownerTable(u, u.Child(left, "object"), 0); s != nil {
		declareAssigned(s, mark+key, key, left, n, assigned)
	}
}

// memberName returns the node of the name in a.name or a["name"], or -1.
func memberName(u *resolve.Unit, n int32) int32 {
	switch u.Kind(n) {
	case "member_expression":
		return u.Child(n, "property")
	case "subscript_expression":
		if index := u.Child(n, "index"); u.Kind(index) == "string" {
			return index
		}
	}
	return -1
}

func declareAssigned(s *resolve.Scope, key, name string, at, node int32, how string) {
	y := declareAs(s, key, name, at, node)
	y.Decls[len(y.Decls)-1].How = how
	u := s.Unit
	function := u.Child(node, "right")
	if own := u.Child(function, "name"); u.Kind(function) == "function_expression" && own >= 0 && u.Text(own) == name {
		u.Owner[own] = y // a.b = function b() {}: one thing
		u.Scopes[function].Outer.Names[name] = y
	}
}

// isModuleExports reports whether an expression is module.exports.
func isModuleExports(u *resolve.Unit, n int32) bool {
	return u.Kind(n) == "member_expression" && u.Text(n) == "module.exports" && u.Lang == syntax.JavaScript &&
		lookupBare(u, n, "module") == nil
}

// isExports reports whether an expression is the exports of the module.
func isExports(u *resolve.Unit, n int32) bool {
	if u.Kind(n) != "identifier" || u.Lang != syntax.JavaScript {
		return false
	}
	y := lookupBare(u, n, u.Text(n))
	return y == nil && u.Text(n) == "exports" || y != nil && len(y.Decls) > 0 && isPassedExports(u, y)
}

// lookupBare finds what a bare name means where a node is.
func lookupBare(u *resolve.Unit, n int32, name string) *resolve.Symbol {
	for s := u.ScopeAt(n); s != nil; s = s.Outer {
		if y := s.Names[name]; y != nil {
			return y
		}
	}
	return nil
}

// mix notes that a table has the members of something else.
func mix(u *resolve.Unit, s *resolve.Scope, m mixture) {
	key := resolve.NodeKey{Unit: u, Node: s.Node}
	memoryOf(u).mixed[key] = append(memoryOf(u).mixed[key], m)
}

// ownerTable returns the table of what an expression stands for, and the mark that its
// own members have in it. It is nil if the source around does not tell.
func ownerTable(u *resolve.Unit, n int32, hops int) (*resolve.Scope, string) {
	if hops > maxHops {
		return nil, ""
	}
	switch {
	case u.Kind(n) == "this":
		return thisTable(u, n, hops+1)
	case isExports(u, n), isModuleExports(u, n):
		return u.Exports, ""
	}
	switch u.Kind(n) {
	case "identifier":
		return symbolTable(u, lookupBare(u, n, u.Text(n)), hops+1)
	case "member_expression", "subscript_expression":
		name := memberName(u, n)
		s, mark := ownerTable(u, u.Child(n, "object"), hops+1)
		if s == nil || name < 0 {
			return nil, ""
		}
		if u.Text(name) == "prototype" && mark == static {
			return s, ""
		}
		return symbolTable(u, s.Names[mark+resolve.Unquote(u.Text(name))], hops+1)
	}
	return valueTable(u, n, hops+1)
}

// symbolTable returns the table of what a symbol of the same file stands for.
func symbolTable(u *resolve.Unit, y *resolve.Symbol, hops int) (*resolve.Scope, string) {
	if y == nil || hops > maxHops {
		return nil, ""
	}
	for _, d := range y.Decls {
		var s *resolve.Scope
		mark := static
		switch u.Kind(d.Node) {
		case "function_declaration", "generator_function_declaration", "function_expression":
			s = functionTable(u, d.Node)
		case "class_declaration", "class":
			s = u.Members[d.Node]
		case "variable_declarator":
			if u.Child(d.Node, "name") == d.Name {
				s, mark = valueTable(u, u.Child(d.Node, "value"), hops+1)
			}
		case "assignment_expression":
			s, mark = valueTable(u, u.Child(d.Node, "right"), hops+1)
		case "pair":
			s, mark = valueTable(u, u.Child(d.Node, "value"), hops+1)
		}
		if s != nil {
			return s, mark
		}
	}
	return nil, ""
}

// valueTable returns the table of what an expression makes.
func valueTable(u *resolve.Unit, n int32, hops int) (*resolve.Scope, string) {
	if n < 0 || hops > maxHops {
		return nil, ""
	}
	switch u.Kind(n) {
	case "parenthesized_expression":
		return valueTable(u, u.First(n), hops+1)
	case "assignment_expression", "binary_expression":
		return valueTable(u, u.Child(n, "right"), hops+1)
	case "object":
		return memberScope(u, n), ""
	case "function_expression", "arrow_function", "generator_function":
		return functionTable(u, n), static
	case "class":
		return u.Members[n], static
	case "identifier", "member_expression":
		return ownerTable(u, n, hops+1)
	case "call_expression":
		switch u.Text(u.Child(n, "function")) {
		case "Object.create":
			return memberScope(u, n), ""
		case "Object.assign", "Object.freeze", "Object.seal", "Object.setPrototypeOf":
			return valueTable(u, u.First(u.Child(n, "arguments")), hops+1)
		}
	}
	return nil, ""
}

// functionTable returns the table of a function: its own members, marked, and those of
// what it constructs.
func functionTable(u *resolve.Unit, n int32) *resolve.Scope {
	if s := u.Members[n]; s != nil {
		return s
	}
	y := u.Owner[u.Child(n, "name")]
	if y == nil || u.Kind(n) == "function_expression" || y.Inner != nil {
		y = &resolve.Symbol{Name: u.Text(u.Child(n, "name")), Unit: u, Decls: []resolve.Decl{{Name: n, Node: n}}}
	}
	y.Inner = &resolve.Scope{Kind: resolve.ClassScope, Node: n, Unit: u, Names: map[string]*resolve.Symbol{}, Class: y}
	u.Members[n] = y.Inner
	return y.Inner
}

// thisTable returns the table of what this stands for at a node.
func thisTable(u *resolve.Unit, n int32, hops int) (*resolve.Scope, string) {
	for at := u.Parent(n); at >= 0; at = u.Parent(at) {
		switch u.Kind(at) {
		case "class_static_block":
			return u.Members[u.Parent(at)], static
		case "method_definition", "field_definition":
			body := u.Parent(at)
			if u.Kind(body) == "object" {
				return literalTable(u, body, hops+1)
			}
			mark := ""
			name := max(u.Child(at, "name"), u.Child(at, "property"))
			if name >= 0 && slices.Contains(strings.Fields(u.Source[u.Nodes[at].Start:u.Nodes[name].Start]), "static") {
				mark = static
			}
			return u.Members[body], mark
		case "function_declaration", "generator_function_declaration":
			return functionTable(u, at), ""
		case "function_expression", "generator_function":
			return hostTable(u, at, hops+1)
		}
	}
	return nil, ""
}

// literalTable returns the table that this means in the methods of an object literal:
// that of the literal, or of what a function constructs whose prototype it is.
func literalTable(u *resolve.Unit, object int32, hops int) (*resolve.Scope, string) {
	p := u.Parent(object)
	if u.Kind(p) == "assignment_expression" && u.Text(memberName(u, u.Child(p, "left"))) == "prototype" {
		if s, mark := ownerTable(u, u.Child(p, "left"), hops+1); s != nil {
			return s, mark
		}
	}
	return memberScope(u, object), ""
}

// hostTable returns the table that this means in a function expression: of what it is
// put on, or of what it constructs.
func hostTable(u *resolve.Unit, function int32, hops int) (*resolve.Scope, string) {
	p := u.Parent(function)
	for u.Kind(p) == "parenthesized_expression" {
		p = u.Parent(p)
	}
	switch u.Kind(p) {
	case "variable_declarator":
		return functionTable(u, function), ""
	case "pair":
		return literalTable(u, u.Parent(p), hops+1)
	case "assignment_expression":
		left := u.Child(p, "left")
		if constructs(u, function, left) {
			return functionTable(u, function), ""
		}
		return ownerTable(u, u.Child(left, "object"), hops+1)
	}
	return nil, ""
}

// constructs reports whether a function that is assigned is a constructor, by its name.
func constructs(u *resolve.Unit, function, left int32) bool {
	name := u.Child(function, "name")
	if name < 0 {
		name = memberName(u, left)
	}
	if name < 0 || isModuleExports(u, left) {
		return name < 0 && u.Kind(left) == "identifier" || isModuleExports(u, left)
	}
	c := strings.TrimLeft(u.Text(name), "_$\"'")
	return c != "" && 'A' <= c[0] && c[0] <= 'Z'
}

// mixing are the functions that copy members from one object to another.
var mixing = []string{"assign", "assignIn", "defaults", "extend", "merge", "mixin", "mixins"}

// bindMixture notes what a call gives an object: a prototype, the members of others, a
// property.
func bindMixture(u *resolve.Unit, n int32) {
	args := u.List(u.Child(n, "arguments"))
	if len(args) < 2 {
		return
	}
	function := u.Child(n, "function")
	if function < 0 {
		return
	}
	if p := u.Child(function, "property"); p >= 0 {
		function = p
	}
	switch name := u.Text(function); {
	case name == "inherits":
		if s, _ := ownerTable(u, args[0], 0); s != nil {
			mix(u, s, mixture{from: args[1], instance: true})
		}
	case name == "setPrototypeOf":
		if s, mark := ownerTable(u, args[0], 0); s != nil {
			mix(u, s, mixture{from: args[1], mark: mark})
		}
	case name == "defineProperty" && u.Kind(args[1]) == "string" && len(args) == 3:
		if s, mark := ownerTable(u, args[0], 0); s != nil {
			word := resolve.Unquote(u.Text(args[1]))
			declareAssigned(s, mark+word, word, args[1], args[2], described)
		}
	case slices.Contains(mixing, name):
		if s, mark := ownerTable(u, args[0], 0); s != nil {
			for _, from := range args[1:] {
				mix(u, s, mixture{from: from, mark: mark})
			}
		}
	}
}

// mixedMembers finds a member in what was mixed into a table. known is false if it may
// be in something that is not known.
func mixedMembers(r *resolve.Resolver, u *resolve.Unit, node int32, mark, name string) (all []member, known bool) {
	known = true
	for _, m := range memoryOf(u).mixed[resolve.NodeKey{Unit: u, Node: node}] {
		if m.mark != mark {
			continue
		}
		switch u.Kind(m.from) {
		case "true", "false", "null":
			continue
		}
		found, ok := membersOf(r, mixedType(r, u, m), name)
		if len(found) > 0 {
			return found, true
		}
		known = known && ok
	}
	return nil, known
}

func mixedType(r *resolve.Resolver, u *resolve.Unit, m mixture) union {
	t := typeOf(r, u, m.from)
	if m.instance {
		t = instances(r, t, nil)
	}
	return t
}

// functionMembers finds a member that was put on a function.
func functionMembers(r *resolve.Resolver, v value, name string) (all []member, known bool) {
	s := v.unit.Members[v.node]
	if s == nil || s.Kind != resolve.ClassScope {
		return nil, true
	}
	if y := s.Names[static+name]; y != nil {
		return []member{{symbol: y}}, true
	}
	return mixedMembers(r, v.unit, v.node, static, name)
}

// constructedBy is what new gives with a plain function.
func constructedBy(v value) union {
	if v.kind != kindFunction || v.unit.Lang != syntax.JavaScript || v.unit.Kind(v.node) == "arrow_function" ||
		!strings.Contains(v.unit.Kind(v.node), "function") {
		return nil
	}
	return union{{kind: kindInstance, sym: functionTable(v.unit, v.node).Class}}
}

// moduleValue is what require gives.
func moduleValue(r *resolve.Resolver, m *resolve.Unit) union {
	if y := m.Exports.Names[exportsAll]; y != nil {
		return typeOfSymbol(r, y)
	}
	return typeOfSymbol(r, m.Module)
}

// exportsType is what a module assigns to module.exports.
func exportsType(r *resolve.Resolver, u *resolve.Unit) union {
	var t union
	if y := u.Exports.Names[exportsAll]; y != nil {
		for _, d := range y.Decls {
			t = t.Join(typeOf(r, u, u.Child(d.Node, "right")))
		}
	}
	return t
}

// linkedByRequire is what a name stands for that is given a module or a part of one.
func linkedByRequire(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl) *resolve.Symbol {
	path, part := requiredPart(u, u.Child(d.Node, "value"))
	m := moduleOf(r, u, path)
	if m == nil {
		return nil
	}
	if u.Child(d.Node, "name") != d.Name {
		if part != "" {
			return nil
		}
		p := u.Parent(d.Name)
		switch {
		case u.Kind(p) == "object_assignment_pattern":
			part = u.Text(d.Name)
		case u.Kind(p) == "object_pattern" && u.Parent(p) == d.Node:
			part = u.Text(d.Name)
		case u.Kind(p) == "pair_pattern" && u.Parent(u.Parent(p)) == d.Node:
			part = resolve.Unquote(u.Text(u.Child(p, "key")))
		default:
			return nil
		}
	}
	if part != "" {
		return exported(r, m, part)
	}
	if y := m.Exports.Names[exportsAll]; y != nil {
		return y
	}
	return m.Module
}

// linkedByAssignment is what a name stands for that a module exports by assigning it.
func linkedByAssignment(r *resolve.Resolver, u *resolve.Unit, y *resolve.Symbol, d resolve.Decl) *resolve.Symbol {
	if y.Scope != u.Exports {
		return nil
	}
	v := u.Child(d.Node, "right")
	for u.Kind(v) == "assignment_expression" {
		v = u.Child(v, "right")
	}
	if u.Kind(v) == "identifier" && !isExports(u, v) {
		return lookup(r, u, v, u.Text(v))
	}
	if u.Child(v, "name") >= 0 { // a class or a function with a name of its own
		switch u.Kind(v) {
		case "class":
			return u.Members[v].Class
		case "function_expression":
			if own := u.Owner[u.Child(v, "name")]; own != y {
				return own
			}
		}
	}
	if p := requiredPath(u, v); p != "" {
		if m := moduleOf(r, u, p); m != nil {
			if e := m.Exports.Names[exportsAll]; e != nil {
				return e
			}
			return m.Module
		}
	}
	return nil
}

// linkedByLiteral is what a member of the literal stands for that a module exports whole:
// module.exports = {a, b: c}, or what a function returns for it.
func linkedByLiteral(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl) *resolve.Symbol {
	at := u.Parent(u.Parent(d.Node))
	for u.Kind(at) == "assignment_expression" && !isModuleExports(u, u.Child(at, "left")) {
		at = u.Parent(at)
	}
	if u.Kind(at) != "assignment_expression" && !becomesExports(u, u.Parent(d.Node)) {
		return nil
	}
	v := d.Node
	if u.Kind(v) == "pair" {
		if v = u.Child(v, "value"); u.Kind(v) != "identifier" {
			return nil
		}
	}
	return lookup(r, u, v, u.Text(v))
}

// describedType is the type of a property by its descriptor.
func describedType(r *resolve.Resolver, u *resolve.Unit, descriptor int32) union {
	s := u.Members[descriptor]
	if s == nil {
		return nil
	}
	if y := s.Names["value"]; y != nil {
		return typeOfSymbol(r, y)
	}
	if y := s.Names["get"]; y != nil {
		return typeOfSymbol(r, y).Each(func(f value) union { return resultOf(r, f, nil, -1, nil) })
	}
	return nil
}

// thisOfFunction is what this means in a plain function: what it is put on, or what it
// constructs.
func thisOfFunction(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	if u.Lang != syntax.JavaScript {
		return nil
	}
	s, mark := thisTable(u, n, 0)
	switch {
	case s == nil:
		return nil
	case s == u.Exports:
		return moduleValue(r, u)
	case s.Class == nil:
		return union{{kind: kindObject, unit: u, node: s.Node}}
	case mark == "":
		return union{selfOf(s.Class)}
	case strings.Contains(u.Kind(s.Node), "function"):
		return union{{kind: kindFunction, unit: u, node: s.Node}}
	}
	return union{{kind: kindClass, sym: s.Class}}
}
