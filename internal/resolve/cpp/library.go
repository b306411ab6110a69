package cpp

import (
	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// What is known of the standard library: how its pointers and containers hand on what
// they hold.
var (
	pointerTypes   = text.WordSet("unique_ptr shared_ptr weak_ptr optional reference_wrapper iterator atomic scoped_ptr")
	containerTypes = text.WordSet("vector deque list forward_list array set multiset unordered_set unordered_multiset" +
		" queue priority_queue stack span initializer_list valarray")
	mapTypes = text.WordSet("map multimap unordered_map unordered_multimap")
)

// libraryPointee is what a pointer or an iterator of the library reaches.
func libraryPointee(v value) union {
	if pointerTypes[v.name] {
		return resolve.At(v.args, 0)
	}
	return union{v}
}

// libraryMember is what a member of a type of the library is, or what calling it
// gives. "*" stands for each element.
func libraryMember(v value, name string) union {
	switch {
	case pointerTypes[v.name]:
		switch name {
		case "get", "release":
			return pointed(resolve.At(v.args, 0), 1)
		case "value", "load", "value_or":
			return resolve.At(v.args, 0)
		case "lock":
			return outsideType("shared_ptr", v.args...)
		}
	case containerTypes[v.name], mapTypes[v.name]:
		element, mapped := resolve.At(v.args, 0), resolve.At(v.args, 0)
		if mapTypes[v.name] {
			element, mapped = outsideType("pair", v.args...), resolve.At(v.args, 1)
		}
		switch name {
		case "front", "back", "top", "*":
			return element
		case "at":
			return mapped
		case "emplace_back":
			return element
		case "data":
			return pointed(element, 1)
		case "begin", "end", "rbegin", "rend", "cbegin", "cend", "find", "lower_bound", "upper_bound", "erase":
			return outsideType("iterator", element)
		case "size", "empty", "count":
			return outsideType("int")
		case "iterator", "const_iterator", "reverse_iterator":
			return outsideType("iterator", element)
		}
	case v.name == "pair":
		switch name {
		case "first":
			return resolve.At(v.args, 0)
		case "second":
			return resolve.At(v.args, 1)
		}
	}
	return nil
}

// libraryCall infers casts and functions of the library that hand through what they
// are given.
func libraryCall(r *resolve.Resolver, u *resolve.Unit, callee int32, list []int32) (union, bool) {
	leaf := nameOf(u, callee)
	if leaf < 0 {
		return nil, false
	}
	given := func() union {
		if p := u.Parent(leaf); u.Kind(p) == "template_function" || u.Kind(p) == "template_type" {
			return resolve.At(templateArguments(r, u, p), 0)
		}
		return nil
	}
	switch u.Text(leaf) {
	case "static_cast", "dynamic_cast", "const_cast", "reinterpret_cast":
		return given(), true
	case "static_pointer_cast", "dynamic_pointer_cast", "const_pointer_cast", "make_shared":
		return outsideType("shared_ptr", given()), true
	case "make_unique":
		return outsideType("unique_ptr", given()), true
	case "move", "forward", "ref", "cref", "as_const", "exchange":
		if u.Kind(callee) == "qualified_identifier" && len(list) > 0 && u.Text(u.Child(callee, "scope")) == "std" {
			return typeOf(r, u, list[0]), true
		}
	case "begin", "end":
		if u.Kind(callee) == "qualified_identifier" && len(list) > 0 && u.Text(u.Child(callee, "scope")) == "std" {
			return outsideType("iterator", elementOf(r, u, typeOf(r, u, list[0]))), true
		}
	}
	return nil, false
}
