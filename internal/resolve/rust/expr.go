package rust

import (
	"strings"

	"codeintel/internal/resolve"
)

// typeOf infers the type of an expression; nil is unknown.
func typeOf(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	return cachedType(r, u, n, infer)
}

// cachedType returns the type that find knows of a node, and keeps it.
func cachedType(r *resolve.Resolver, u *resolve.Unit, n int32,
	find func(*resolve.Resolver, *resolve.Unit, int32) *typ) *typ {
	if n < 0 {
		return nil
	}
	m, key := memoryOf(u), resolve.NodeKey{Unit: u, Node: n}
	if t, ok := m.types[key]; ok {
		return t
	}
	if m.busy[key] || !enterBounded(r) {
		return nil
	}
	m.busy[key] = true
	t := find(r, u, n)
	delete(m.busy, key)
	r.Leave()
	if r.Step() && (t != nil || len(m.busy) == 0) { // nil may be a circle
		m.types[key] = t
	}
	return t
}

func infer(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	switch u.Kind(n) {
	case "identifier", "scoped_identifier":
		return typeOfValue(r, resolvePath(r, u, n, values))
	case "generic_function":
		return typeOf(r, u, u.Child(n, "function"))
	case "self":
		return typeOfEntity(r, selfEntity(r, u, n))
	case "field_expression":
		_, t, _ := field(r, typeOf(r, u, u.Child(n, "value")), u.Text(u.Child(n, "field")))
		return t
	case "call_expression":
		return callType(r, u, n)
	case "try_expression":
		return typeAfterTry(r, typeOf(r, u, u.First(n)))
	case "await_expression":
		return awaitedType(r, typeOf(r, u, u.First(n)))
	case "reference_expression":
		return typeOf(r, u, u.Child(n, "value"))
	case "unary_expression":
		return unaryType(r, u, n)
	case "binary_expression":
		return binaryType(r, u, n)
	case "range_expression":
		return std(u, "Range", typeOf(r, u, u.First(n)))
	case "type_cast_expression":
		return typeFrom(r, u, u.Child(n, "type"))
	case "struct_expression":
		return structType(r, u, n)
	case "index_expression":
		return indexType(r, u, n)
	case "tuple_expression":
		t := &typ{kind: kindTuple}
		for c := range u.Children(n) {
			t.args = append(t.args, typeOf(r, u, c))
		}
		return t
	case "array_expression":
		return std(u, "Slice", typeOf(r, u, u.First(n)))
	case "closure_expression":
		return &typ{kind: kindFunction, unit: u, node: n}
	case "macro_invocation":
		return macroType(r, u, n)
	case "unit_expression", "assignment_expression", "compound_assignment_expr", "for_expression", "while_expression":
		return unit
	}
	return inferLiteral(r, u, n)
}

func inferLiteral(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	switch u.Kind(n) {
	case "string_literal", "raw_string_literal":
		if strings.HasPrefix(u.Text(n), "b") {
			return std(u, "Slice", std(u, "u8"))
		}
		return std(u, "str")
	case "char_literal":
		return std(u, "char")
	case "boolean_literal":
		return std(u, "bool")
	case "integer_literal":
		for _, suffix := range []string{"u8", "u16", "u32", "u64", "usize", "i8", "i16", "i64", "isize"} {
			if strings.HasSuffix(u.Text(n), suffix) {
				return std(u, suffix)
			}
		}
		return std(u, "i32")
	case "float_literal":
		return std(u, "f64")
	}
	return inferBlock(r, u, n)
}

// inferBlock infers blocks and other expressions that have the type of one inside them.
func inferBlock(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	switch u.Kind(n) {
	case "parenthesized_expression", "unsafe_block", "expression_statement":
		return typeOf(r, u, u.First(n))
	case "const_block":
		return typeOf(r, u, u.Child(n, "body"))
	case "async_block":
		return std(u, "Future", typeOf(r, u, u.First(n, "block")))
	case "block":
		last := int32(-1)
		for c := range u.Children(n) {
			last = c
		}
		switch {
		case last < 0, u.Kind(last) == "let_declaration":
			return unit
		case u.Kind(last) == "expression_statement" && strings.HasSuffix(u.Text(last), ";"):
			if k := u.Kind(u.First(last)); k == "return_expression" || k == "break_expression" || k == "continue_expression" {
				return nil
			}
			return unit
		}
		return typeOf(r, u, last)
	case "if_expression":
		if t := typeOf(r, u, u.Child(n, "consequence")); isFullyKnown(t) {
			return t
		}
		return typeOf(r, u, u.First(u.Child(n, "alternative")))
	case "match_expression":
		var partial *typ
		for arm := range u.Children(u.Child(n, "body")) {
			t := typeOf(r, u, u.Child(arm, "value"))
			if isFullyKnown(t) {
				return t
			}
			if partial == nil {
				partial = t
			}
		}
		return partial
	}
	return nil
}

// isFullyKnown reports whether all of a type is known.
func isFullyKnown(t *typ) bool {
	if t == nil {
		return false
	}
	if t.kind == kindNamed && len(t.args) == 0 && len(t.sym.Unit.TypeParameters(t.sym.Decls[0].Node)) > 0 {
		return false
	}
	for _, a := range t.args {
		if !isFullyKnown(a) {
			return false
		}
	}
	return true
}

// typeOfValue is the type of a value that a path names.
func typeOfValue(r *resolve.Resolver, e entity) *typ {
	if e.outside {
		return &typ{kind: kindOutside}
	}
	y := e.symbol
	if y == nil {
		return nil
	}
	d := y.Decls[0]
	switch y.Unit.Kind(d.Node) {
	case "const_item", "static_item", "const_parameter":
		return apply(r, typeFrom(r, y.Unit, y.Unit.Child(d.Node, "type")), e.env)
	case "function_item", "function_signature_item":
		return &typ{kind: kindFunction, unit: y.Unit, node: d.Node}
	case "struct_item":
		if y.Unit.Child(d.Node, "body") >= 0 {
			return &typ{kind: kindFunction, unit: y.Unit, node: d.Node}
		}
		return selfOf(e, y)
	case "enum_variant":
		if y.Unit.Child(d.Node, "body") >= 0 {
			return &typ{kind: kindFunction, unit: y.Unit, node: d.Node}
		}
		return selfOf(e, y.Scope.Class)
	case "":
		return nil
	}
	return localType(r, y.Unit, d)
}

// selfOf is the type of a constant constructor.
func selfOf(e entity, y *resolve.Symbol) *typ {
	if y == nil {
		return nil
	}
	if e.typ != nil && e.typ.kind == kindNamed && e.typ.sym == y {
		return e.typ
	}
	return &typ{kind: kindNamed, sym: y}
}

// typeAfterTry is what ? takes out of a type.
func typeAfterTry(r *resolve.Resolver, t *typ) *typ {
	if t == nil || t.kind != kindNamed || t.sym.Unit != stdUnit(t.sym.Unit) {
		if t != nil && t.kind == kindOutside {
			return partOfOutside(r, t)
		}
		return nil
	}
	return resolve.At(t.args, 0)
}

// awaitedType is what a future gives.
func awaitedType(r *resolve.Resolver, t *typ) *typ {
	for d := range derefs(r, t) {
		switch {
		case d.kind == kindOutside:
			return partOfOutside(r, d)
		case d.kind == kindNamed || d.kind == kindBounded:
			if o := project(r, d, "Output"); o != nil && o.kind != kindProjection {
				return o
			}
		}
	}
	return nil
}

func unaryType(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	t := typeOf(r, u, u.First(n))
	if t == nil || u.Source[u.Nodes[n].Start] != '*' || t.kind != kindNamed {
		return t
	}
	if operand := u.First(n); u.Kind(operand) == "self" {
		return t // a reference
	}
	deref := stdUnit(u).Top.Names[typeKey("Deref")]
	if t.sym.Unit == stdUnit(u) && t.sym.Name != "String" && t.sym.Name != "Vec" && implements(r, u, t, deref) {
		return project(r, t, "Target")
	}
	return t
}

// operators are the traits of operators and their methods.
var operators = map[string]string{"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "bitand",
	"|": "bitor", "^": "bitxor", "<<": "shl", ">>": "shr"}

func binaryType(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	name := operators[u.Text(u.Child(n, "operator"))]
	left := typeOf(r, u, u.Child(n, "left"))
	if name == "" {
		return std(u, "bool")
	}
	if left == nil || left.kind != kindNamed || left.sym.Unit == stdUnit(u) {
		return left
	}
	e, _ := method(r, u, left, name)
	return functionResult(r, u, e, call{arguments: -1})
}

func structType(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	e := resolvePath(r, u, u.Child(n, "name"), types)
	t := typeOfEntity(r, e)
	switch {
	case t != nil && t.kind == kindOutside:
		return nil // what its parameters are is not written
	case t == nil || t.kind != kindNamed || isFullyKnown(t):
		return t
	}
	y := t.sym
	if e.symbol != nil && e.symbol.Unit.Kind(e.symbol.Decls[0].Node) == "enum_variant" {
		y = e.symbol
	}
	found := env{}
	for f := range u.Children(u.Child(n, "body")) {
		if u.Kind(f) != "field_initializer" {
			continue
		}
		if _, of := fieldIn(r, y.Unit, y, u.Text(u.Child(f, "field"))); of != nil {
			unify(of, typeOf(r, u, u.Child(f, "value")), found)
		}
	}
	return apply(r, selfType(t.sym), found.orUnknown(t.sym))
}

// orUnknown makes the parameters of an item that are not known unknown.
func (e env) orUnknown(y *resolve.Symbol) env {
	for _, p := range y.Unit.TypeParameters(y.Decls[0].Node) {
		if _, ok := e[p]; !ok {
			e[p] = nil
		}
	}
	return e
}

func indexType(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	list := u.List(n)
	if len(list) != 2 {
		return nil
	}
	t := typeOf(r, u, list[0])
	if u.Kind(list[1]) == "range_expression" {
		for d := range derefs(r, t) {
			t = d
		}
		return t
	}
	for d := range derefs(r, t) {
		if d.kind == kindOutside {
			return partOfOutside(r, d)
		}
		if d.kind != kindNamed {
			continue
		}
		for _, i := range implsWith(r, u, "index", values) {
			e, ok := i.match(r, d)
			y := i.scope.Names[typeKey("Output")]
			if ok && y != nil {
				return apply(r, typeFrom(r, y.Unit, y.Unit.Child(y.Decls[0].Node, "type")), e)
			}
		}
	}
	return nil
}

// macroType is the type of what a macro of std makes.
func macroType(r *resolve.Resolver, u *resolve.Unit, n int32) *typ {
	switch u.Text(lastOf(u, u.Child(n, "macro"))) {
	case "format", "concat", "stringify", "env":
		return std(u, "String")
	case "matches":
		return std(u, "bool")
	case "write", "writeln":
		return std(u, "Result", unit, nil)
	case "vec":
		tokens := u.First(n, "token_tree")
		if code := codeIn(u, tokens); code != nil {
			return std(u, "Vec", typeOf(r, code, firstArgument(code)))
		}
		return std(u, "Vec", nil)
	}
	return nil
}

// elementOf is what a for loop takes out of a type.
func elementOf(r *resolve.Resolver, t *typ) *typ {
	for d := range derefs(r, t) {
		if d.kind == kindOutside {
			return partOfOutside(r, d)
		}
		if e := project(r, d, "Item"); e != nil {
			return e
		}
	}
	return nil
}

// localType infers a variable.
func localType(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl) *typ {
	switch n := d.Node; u.Kind(n) {
	case "let_declaration":
		t := typeFrom(r, u, u.Child(n, "type"))
		if !isFullyKnown(t) {
			given := typeOf(r, u, u.Child(n, "value"))
			if t == nil || given != nil && given.kind == t.kind && given.sym == t.sym {
				t = given
			} else if given != nil && len(given.args) > 0 {
				t = fill(t, given)
			}
		}
		return partOf(r, u, u.Child(n, "pattern"), d.Name, t)
	case "parameter":
		t := typeFrom(r, u, u.Child(n, "type"))
		if t == nil && u.Kind(u.Parent(n)) == "closure_parameters" {
			t = closureParameter(r, u, n)
		}
		return partOf(r, u, u.Child(n, "pattern"), d.Name, t)
	case "for_expression":
		return partOf(r, u, u.Child(n, "pattern"), d.Name, elementOf(r, typeOf(r, u, u.Child(n, "value"))))
	case "match_arm":
		return partOf(r, u, u.Child(n, "pattern"), d.Name, typeOf(r, u, u.Child(u.Around(n, "match_expression"), "value")))
	case "let_condition":
		return partOf(r, u, u.Child(n, "pattern"), d.Name, typeOf(r, u, u.Child(n, "value")))
	default:
		if u.Kind(u.Parent(n)) == "closure_parameters" {
			return partOf(r, u, n, d.Name, closureParameter(r, u, n))
		}
	}
	return nil
}

// fill puts the elements that a list is made of in the place of Vec<_>.
func fill(t, given *typ) *typ {
	if t.kind == kindNamed && len(t.args) > 0 && t.args[0] == nil {
		c := *t
		c.args = given.args
		return &c
	}
	return t
}

// partOf is what one name of a pattern gets of a value.
func partOf(r *resolve.Resolver, u *resolve.Unit, pattern, name int32, t *typ) *typ {
	if pattern < 0 || !enterBounded(r) {
		return nil
	}
	defer r.Leave()
	switch u.Kind(pattern) {
	case "identifier", "shorthand_field_identifier":
		return t
	case "captured_pattern":
		if u.First(pattern) == name {
			return t
		}
		return partOf(r, u, resolve.At(u.List(pattern), 1), name, t)
	case "tuple_pattern":
		if t == nil {
			return nil
		}
		if t.kind == kindOutside {
			return partOfOutside(r, t)
		}
		i, inner := patternPosition(u, pattern, name, len(t.args))
		return partOf(r, u, inner, name, resolve.At(t.args, i))
	case "tuple_struct_pattern":
		return partOfStruct(r, u, pattern, name, t)
	case "struct_pattern":
		return partOfFields(r, u, pattern, name, t)
	case "slice_pattern":
		_, inner := patternPosition(u, pattern, name, 0)
		if u.Kind(inner) == "captured_pattern" && strings.Contains(u.Text(inner), "..") {
			return t
		}
		return partOf(r, u, inner, name, elementOf(r, t))
	}
	for c := range u.Children(pattern) {
		if u.Within(name, c) {
			return partOf(r, u, c, name, t)
		}
	}
	return nil
}

// patternPosition finds which part of a pattern a name is in, counted from the end of
// the whole behind "..".
func patternPosition(u *resolve.Unit, pattern, name int32, size int) (int, int32) {
	list := u.List(pattern)
	at, inner, rest := -1, int32(-1), -1
	position := 0
	for _, c := range list {
		if u.Field(c) == "type" || u.Kind(c) == "mutable_specifier" {
			continue
		}
		if u.Kind(c) == "remaining_field_pattern" {
			rest = position
		}
		if u.Within(name, c) {
			at, inner = position, c
		}
		position++
	}
	if rest >= 0 && at > rest && size > 0 {
		at += size - position
	}
	return at, inner
}

// patternOwner is the struct or variant that a pattern takes apart, and what its
// parameters are.
func patternOwner(r *resolve.Resolver, u *resolve.Unit, pattern int32, space namespace, t *typ) (*resolve.Symbol, env) {
	n := u.Child(pattern, "type")
	e := resolvePath(r, u, n, space)
	if e.symbol == nil && e.typ == nil {
		e = resolvePath(r, u, n, types)
	}
	y := e.symbol
	variant := y != nil && y.Unit.Kind(y.Decls[0].Node) == "enum_variant"
	if own := typeOfEntity(r, e); own != nil && own.kind == kindNamed && !variant {
		y = own.sym
	}
	if y == nil {
		return nil, nil
	}
	owner := y
	if variant && y.Scope != nil {
		owner = y.Scope.Class
	}
	for d := range derefs(r, t) {
		if d.kind == kindNamed && d.sym == owner {
			return y, envOf(owner.Unit, owner.Decls[0].Node, d.args)
		}
	}
	if owner == nil {
		return y, nil
	}
	return y, env{}.orUnknown(owner)
}

func partOfStruct(r *resolve.Resolver, u *resolve.Unit, pattern, name int32, t *typ) *typ {
	y, e := patternOwner(r, u, pattern, values, t)
	if y == nil {
		return nil
	}
	body := y.Unit.Child(y.Decls[0].Node, "body")
	i, inner := patternPosition(u, pattern, name, len(y.Unit.List(body)))
	return partOf(r, u, inner, name, apply(r, typeFrom(r, y.Unit, orderedField(y.Unit, body, i)), e))
}

func partOfFields(r *resolve.Resolver, u *resolve.Unit, pattern, name int32, t *typ) *typ {
	y, e := patternOwner(r, u, pattern, types, t)
	for c := range u.Children(pattern) {
		if u.Kind(c) != "field_pattern" || !u.Within(name, c) || y == nil {
			continue
		}
		f := u.Child(c, "name")
		_, of := fieldIn(r, y.Unit, y, u.Text(f))
		if of = apply(r, of, e); f == name {
			return of
		}
		return partOf(r, u, u.Child(c, "pattern"), name, of)
	}
	return nil
}
