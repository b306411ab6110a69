package resolve

import (
	"maps"
	"strings"
)

// tsAnnotation is the type that is written at a node.
func (r *Resolver) tsAnnotation(u *unit, n int32) tsType {
	if n < 0 || !r.step() || r.depth > mostDepth {
		return nil
	}
	key := nodeKey{u, n}
	if t, ok := tsMemoryOf(key.u).types[key]; ok {
		return t
	}
	tsMemoryOf(key.u).types[key] = nil // a type that is made of itself
	r.depth++
	t := r.tsWritten(u, n)
	r.depth--
	if r.steps <= mostSteps && r.depth < mostDepth/2 {
		tsMemoryOf(key.u).types[key] = t
	} else {
		delete(tsMemoryOf(key.u).types, key)
	}
	return t
}

func (r *Resolver) tsWritten(u *unit, n int32) tsType {
	switch u.kind(n) {
	case "type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type", "constraint", "default_type", "omitting_type_annotation", "opting_type_annotation":
		return r.tsAnnotation(u, u.first(n))
	case "predefined_type":
		switch t := u.of(n); t {
		case "any", "unknown", "never", "void", "object":
			return nil
		default:
			return library(t)
		}
	case "type_identifier", "identifier":
		return r.namedType(u, n, r.tsLookup(u, n, u.of(n)), nil)
	case "generic_type":
		return r.genericType(u, n)
	case "nested_type_identifier", "member_expression", "nested_identifier":
		if m := r.nested(u, n); m != nil {
			return r.namedType(u, n, m, nil)
		}
	case "union_type", "intersection_type":
		var all tsType
		for c := range u.children(n) {
			all = joinTS(all, r.tsAnnotation(u, c))
		}
		return all
	case "array_type":
		return library("Array", r.tsAnnotation(u, u.first(n)))
	case "tuple_type":
		var args []tsType
		for c := range u.children(n) {
			if k := u.kind(c); k == "required_parameter" || k == "optional_parameter" {
				c = u.child(c, "type")
			}
			args = append(args, r.tsAnnotation(u, c))
		}
		return library("Tuple", args...)
	case "function_type", "constructor_type":
		return tsType{{kind: tsFunction, unit: u, node: n}}
	case "object_type", "interface_body":
		if index := u.first(n, "index_signature"); index >= 0 && len(u.list(n)) == 1 {
			return r.indexed(u, index)
		}
		return tsType{{kind: tsObject, unit: u, node: n}}
	case "type_query":
		return r.tsExpr(u, u.first(n))
	case "lookup_type":
		return r.lookedUp(u, n)
	case "conditional_type":
		return joinTS(r.tsAnnotation(u, u.child(n, "consequence")), r.tsAnnotation(u, u.child(n, "alternative")))
	case "index_type_query", "template_literal_type", "literal_type", "template_type":
		if c := u.first(n); u.kind(c) == "null" || u.kind(c) == "undefined" {
			return nil
		}
		return library("string")
	case "this_type":
		return r.thisAt(u, n)
	case "type_predicate", "type_predicate_annotation":
		return library("boolean")
	}
	return nil
}

// namedType is what a symbol means as a type.
func (r *Resolver) namedType(u *unit, n int32, y *symbol, args []tsType) tsType {
	if y == nil {
		if u.of(n) == "ReturnType" && len(args) == 1 {
			return r.resultsOf(args[0])
		}
		return libraryType(u.of(n), args)
	}
	var all tsType
	for _, f := range r.tsFinals(y) {
		for _, d := range f.decls {
			switch f.unit.kind(d.node) {
			case "class_declaration", "abstract_class_declaration", "class", "interface_declaration", "enum_declaration":
				all = joinTS(all, tsType{{kind: tsInstance, sym: f, args: args}})
			case "type_alias_declaration":
				all = joinTS(all, r.aliased(f, d, args))
			case "type_parameter", "infer_type", "mapped_type_clause":
				all = joinTS(all, tsType{{kind: tsParameter, sym: f}})
			case "import_specifier", "import_clause", "namespace_import": // of a library
				all = joinTS(all, libraryType(f.name, args))
			}
		}
	}
	return all
}

// resultsOf is what functions of a type return.
func (r *Resolver) resultsOf(t tsType) tsType {
	var all tsType
	for _, f := range r.callables(t) {
		all = joinTS(all, r.resultOf(f, nil, -1, nil))
	}
	return all
}

// aliased is what a type alias stands for.
func (r *Resolver) aliased(y *symbol, d decl, args []tsType) tsType {
	u := y.unit
	t := r.tsAnnotation(u, u.child(d.node, "value"))
	params := u.typeParameters(d.node)
	if len(params) == 0 {
		return t
	}
	vars := map[*symbol]tsType{}
	for i, p := range params {
		if i < len(args) {
			vars[p] = args[i]
		} else if def := u.child(p.decls[0].node, "value"); def >= 0 {
			vars[p] = r.subst(r.tsAnnotation(u, u.first(def)), newEnv(maps.Clone(vars), nil))
		}
	}
	return r.subst(t, newEnv(vars, nil))
}

// genericType is A<B, C>.
func (r *Resolver) genericType(u *unit, n int32) tsType {
	name := u.child(n, "name")
	if name < 0 {
		name = u.first(n)
	}
	var args []tsType
	for c := range u.children(u.child(n, "type_arguments")) {
		args = append(args, r.tsAnnotation(u, c))
	}
	if u.kind(name) == "nested_type_identifier" {
		if m := r.nested(u, name); m != nil {
			return r.namedType(u, name, m, args)
		}
		return nil
	}
	return r.namedType(u, name, r.tsLookup(u, name, u.of(name)), args)
}

// nested finds what a.b stands for among what a offers.
func (r *Resolver) nested(u *unit, n int32) *symbol {
	list := u.list(n)
	if len(list) != 2 {
		return nil
	}
	var outer *symbol
	if k := u.kind(list[0]); k == "nested_identifier" || k == "nested_type_identifier" || k == "member_expression" {
		outer = r.nested(u, list[0])
	} else {
		outer = r.tsLookup(u, list[0], u.of(list[0]))
	}
	if outer == nil {
		return nil
	}
	for _, f := range r.tsFinals(outer) {
		if len(f.decls) == 0 {
			return r.tsExport(f.unit, u.of(list[1]))
		}
		if f.inner != nil {
			if y := f.inner.names[static+u.of(list[1])]; y != nil {
				return y
			}
		}
	}
	return nil
}

// indexed is an object type that holds nothing but an index signature or a
// mapping: over the keys of a type, its members are that type's.
func (r *Resolver) indexed(u *unit, index int32) tsType {
	value := u.child(index, "type")
	if clause := u.first(index, "mapped_type_clause"); clause >= 0 {
		keys := u.child(clause, "type")
		if u.kind(keys) == "index_type_query" {
			return r.tsAnnotation(u, u.first(keys))
		}
	}
	return library("Record", library("string"), r.tsAnnotation(u, value))
}

// lookedUp is T["name"] or T[number].
func (r *Resolver) lookedUp(u *unit, n int32) tsType {
	list := u.list(n)
	if len(list) != 2 {
		return nil
	}
	t := r.tsAnnotation(u, list[0])
	index := list[1]
	if u.kind(index) == "literal_type" && u.kind(u.first(index)) == "string" {
		name := unquote(u.of(u.first(index)))
		var all, known tsType
		for _, v := range t {
			if v.kind == tsParameter || v.kind == tsIndexed {
				all = append(all, tsValue{kind: tsIndexed, name: name, args: []tsType{{v}}})
			} else {
				known = append(known, v)
			}
		}
		return joinTS(all, r.ofMembers(known, name))
	}
	return r.tsElement(t)
}

// libraryType is a type that nothing in the project declares, by name.
func libraryType(name string, args []tsType) tsType {
	arg := func(i int) tsType {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	switch name {
	case "Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "Exclude", "Extract", "NoInfer", "ThisType", "Awaited":
		return arg(0)
	case "ReadonlyArray", "ArrayLike", "Iterable", "IterableIterator", "Iterator", "Generator", "AsyncIterable", "AsyncIterableIterator", "AsyncGenerator", "Set", "ReadonlySet", "WeakSet", "ConcatArray":
		if name != "Set" && name != "ReadonlySet" && name != "WeakSet" {
			name = "Array"
		} else {
			name = "Set"
		}
		return library(name, args...)
	case "PromiseLike", "Promise":
		return library("Promise", args...)
	case "Map", "ReadonlyMap", "WeakMap":
		return library("Map", args...)
	case "InstanceType":
		var all tsType
		for _, v := range arg(0) {
			if v.kind == tsClass {
				all = append(all, tsValue{kind: tsInstance, sym: v.sym})
			}
		}
		return all
	}
	return library(strings.TrimSpace(name), args...)
}
