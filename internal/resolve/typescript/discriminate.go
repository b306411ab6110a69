package typescript

import (
	"slices"

	"codeintel/internal/resolve"
)

// Literals stand for single values as they are written: "a" for a string, 1, true. These
// two stand for what is written in another way.
const (
	noLiteral  = "other"     // something that is no single value: an object, a function
	noValue    = "undefined" // nothing at all: undefined, void, never
	maxAliases = 6           // names followed to a literal
)

// expectedLiteral is the type that is expected of an object literal, without the
// alternatives that what is written in it rules out.
func expectedLiteral(r *resolve.Resolver, u *resolve.Unit, object int32) union {
	t := expectedType(r, u, object)
	if len(t) < 2 || u.Kind(object) != "object" || u.Members[object] == nil {
		return t
	}
	kept := t[:0:0]
	for _, v := range t {
		if allows(r, u, object, v) {
			kept = append(kept, v)
		}
	}
	if len(kept) == 0 {
		return t
	}
	return kept
}

// allows reports whether an object literal may be one of a type, as far as its members
// tell whose type is a single value.
func allows(r *resolve.Resolver, u *resolve.Unit, object int32, v value) bool {
	for c := range u.Children(object) {
		name, written := c, noLiteral
		switch u.Kind(c) {
		case "pair":
			name = u.Child(c, "key")
			written = writtenLiteral(r, u, u.Child(c, "value"), 0)
		case "shorthand_property_identifier":
			written = writtenLiteral(r, u, c, 0)
		case "method_definition":
			name = u.Child(c, "name")
		default:
			continue
		}
		if written != "" && !memberAllows(r, v, resolve.Unquote(u.Text(name)), written) {
			return false
		}
	}
	return true
}

// memberAllows reports whether a member of a type may have a value that is written.
func memberAllows(r *resolve.Resolver, v value, name, written string) bool {
	if v.kind != kindInstance && v.kind != kindObject {
		return true
	}
	found, _ := membersOfValue(r, v, name)
	for _, m := range found {
		for _, d := range m.symbol.Decls {
			u := m.symbol.Unit
			of, ok := literalsOf(r, u, u.Child(d.Node, "type"), 0)
			if !ok || slices.Contains(of, written) {
				return true
			}
		}
	}
	return len(found) == 0
}

// literalsOf lists the single values that a type is made of. ok is false if it is of
// anything else.
func literalsOf(r *resolve.Resolver, u *resolve.Unit, n int32, hops int) (all []string, ok bool) {
	if n < 0 || hops > maxAliases || !r.Step() {
		return nil, false
	}
	switch u.Kind(n) {
	case "type_annotation", "parenthesized_type", "readonly_type":
		return literalsOf(r, u, u.First(n), hops+1)
	case "literal_type":
		if one := writtenLiteral(r, u, u.First(n), hops+1); one != "" {
			return []string{one}, true
		}
	case "predefined_type":
		switch u.Text(n) {
		case "never", "undefined", "void":
			return []string{noValue}, true
		}
	case "union_type":
		for c := range u.Children(n) {
			some, ok := literalsOf(r, u, c, hops+1)
			if !ok {
				return nil, false
			}
			all = append(all, some...)
		}
		return all, true
	case "type_query":
		if one := writtenLiteral(r, u, u.First(n), hops+1); one != "" && one != noLiteral {
			return []string{one}, true
		}
	case "type_identifier":
		for _, y := range namedBy(r, u, n) {
			for _, d := range y.Decls {
				if y.Unit.Kind(d.Node) == "type_alias_declaration" {
					return literalsOf(r, y.Unit, y.Unit.Child(d.Node, "value"), hops+1)
				}
			}
		}
	case "nested_type_identifier":
		if y := nested(r, u, n); y != nil {
			return enumMember(y)
		}
	}
	return nil, false
}

// namedBy is what a bare name stands for in the end.
func namedBy(r *resolve.Resolver, u *resolve.Unit, n int32) []*resolve.Symbol {
	y := lookup(r, u, n, u.Text(n))
	if y == nil {
		return nil
	}
	return finals(r, y)
}

// enumMember is the value that a member of an enumeration is. ok is false if it is none.
func enumMember(y *resolve.Symbol) (all []string, ok bool) {
	if y.Scope == nil || y.Scope.Class == nil || y.Unit.Kind(y.Scope.Node) != "enum_declaration" {
		return nil, false
	}
	return []string{y.Unit.Path + "\x00" + y.Scope.Class.Name + "." + y.Name}, true
}

// writtenLiteral is the single value that an expression is, noLiteral if it is none, and
// "" if that is not known.
func writtenLiteral(r *resolve.Resolver, u *resolve.Unit, n int32, hops int) string {
	if n < 0 || hops > maxAliases || !r.Step() {
		return ""
	}
	switch u.Kind(n) {
	case "string":
		return `"` + resolve.Unquote(u.Text(n)) + `"`
	case "number", "true", "false", "null":
		return u.Text(n)
	case "undefined":
		return noValue
	case "object", "array", "arrow_function", "function_expression", "regex", "class", "new_expression":
		return noLiteral
	case "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression":
		if list := u.List(n); len(list) == 1 { // as const
			return writtenLiteral(r, u, list[0], hops+1)
		}
	case "identifier", "shorthand_property_identifier":
		if u.Text(n) == noValue {
			return noValue
		}
		for _, y := range namedBy(r, u, n) {
			if len(y.Decls) != 1 {
				return ""
			}
			d := y.Decls[0].Node
			if y.Unit.Kind(d) == "variable_declarator" && y.Unit.Child(d, "type") < 0 && y.Unit.Child(d, "name") == y.Decls[0].Name &&
				y.Unit.Text(y.Unit.Child(y.Unit.Parent(d), "kind")) == "const" {
				return writtenLiteral(r, y.Unit, y.Unit.Child(d, "value"), hops+1)
			}
		}
	case "member_expression":
		found, _ := membersOf(r, typeOf(r, u, u.Child(n, "object")), u.Text(u.Child(n, "property")))
		if len(found) == 1 {
			if one, ok := enumMember(found[0].symbol); ok {
				return one[0]
			}
		}
	}
	return ""
}

// discriminated is the part of a type whose member may have a value, or, not equal, may
// have another one.
func discriminated(r *resolve.Resolver, t union, name, written string, equal bool) union {
	var kept union
	for _, v := range t {
		if equal && memberAllows(r, v, name, written) || !equal && !memberIs(r, v, name, written) {
			kept = append(kept, v)
		}
	}
	return kept
}

// memberIs reports whether a member of a type can be nothing but a value.
func memberIs(r *resolve.Resolver, v value, name, written string) bool {
	found, _ := membersOfValue(r, v, name)
	for _, m := range found {
		for _, d := range m.symbol.Decls {
			of, ok := literalsOf(r, m.symbol.Unit, m.symbol.Unit.Child(d.Node, "type"), 0)
			if !ok || len(of) != 1 || of[0] != written {
				return false
			}
		}
	}
	return len(found) > 0
}
