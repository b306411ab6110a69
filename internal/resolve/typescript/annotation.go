package typescript

import (
	"maps"
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// annotationType is the type that is written at a node.
func annotationType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	return memoryOf(u).types.Once(r, u, n, inferAnnotation)
}

func inferAnnotation(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	switch u.Kind(n) {
	case "type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type", "constraint",
		"default_type", "omitting_type_annotation", "opting_type_annotation":
		return annotationType(r, u, u.First(n))
	case "predefined_type":
		switch t := u.Text(n); t {
		case "any", "unknown", "never", "void", "object":
			return nil
		default:
			return library(t)
		}
	case "type_identifier", "identifier":
		return namedType(r, u, n, lookup(r, u, n, u.Text(n)), nil)
	case "generic_type":
		return genericType(r, u, n)
	case "nested_type_identifier", "member_expression", "nested_identifier":
		if m := nested(r, u, n); m != nil {
			return namedType(r, u, n, m, nil)
		}
	case "union_type", "intersection_type":
		var all union
		for c := range u.Children(n) {
			all = all.Join(annotationType(r, u, c))
		}
		return all
	case "array_type":
		return library("Array", annotationType(r, u, u.First(n)))
	case "tuple_type":
		var args []union
		for c := range u.Children(n) {
			if k := u.Kind(c); k == "required_parameter" || k == "optional_parameter" {
				c = u.Child(c, "type")
			}
			args = append(args, annotationType(r, u, c))
		}
		return library("Tuple", args...)
	case "function_type", "constructor_type":
		return union{{kind: kindFunction, unit: u, node: n}}
	case "object_type", "interface_body":
		if index := u.First(n, "index_signature"); index >= 0 && len(u.List(n)) == 1 {
			return indexed(r, u, index)
		}
		return union{{kind: kindObject, unit: u, node: n}}
	case "type_query":
		return typeOf(r, u, u.First(n))
	case "lookup_type":
		return lookedUp(r, u, n)
	case "conditional_type":
		return annotationType(r, u, u.Child(n, "consequence")).Join(annotationType(r, u, u.Child(n, "alternative")))
	case "index_type_query", "template_literal_type", "literal_type", "template_type":
		if c := u.First(n); u.Kind(c) == "null" || u.Kind(c) == "undefined" {
			return nil
		}
		return library("string")
	case "this_type":
		return thisAt(r, u, n)
	case "type_predicate", "type_predicate_annotation":
		return library("boolean")
	}
	return nil
}

// namedType is what a symbol means as a type.
func namedType(r *resolve.Resolver, u *resolve.Unit, n int32, y *resolve.Symbol, args []union) union {
	if y == nil {
		if u.Text(n) == "ReturnType" && len(args) == 1 {
			return resultsOf(r, args[0])
		}
		if u.Host != nil {
			switch u.Text(n) {
			case "_", "Object", "Function":
				if len(args) != 2 {
					return nil
				}
				return library("Record", args...)
			}
			if strings.HasPrefix(u.Text(n), "$$") { // import("…") of something that is not in the project
				return nil
			}
		}
		if globalsOf(r, u, u.Text(n)).exported {
			return nil
		}
		t := libraryType(u.Text(n), args)
		if u.Host == nil && len(t) == 1 && t[0].kind == kindLibrary && len(args) == 0 { // comments name what is no type too
			t = union{{kind: kindLibrary, name: t[0].name, unit: u}}
		}
		return t
	}
	var all union
	for _, f := range finals(r, y) {
		if f.Unit.Lang == syntax.JavaScript && (len(f.Decls) == 0 || !isClass(f)) { // a function that constructs, a module that is one
			all = all.Join(instances(r, typeOfSymbol(r, f), args))
		}
		for _, d := range f.Decls {
			if d.How == typedef {
				all = all.Join(typedefType(r, f))
				continue
			}
			switch f.Unit.Kind(d.Node) {
			case "class_declaration", "abstract_class_declaration", "class", "interface_declaration",
				"enum_declaration":
				all = all.Join(union{{kind: kindInstance, sym: f, args: args}})
			case "type_alias_declaration":
				all = all.Join(aliased(r, f, d, args))
			case "type_parameter", "infer_type", "mapped_type_clause":
				all = all.Join(union{{kind: kindParameter, sym: f}})
			case "import_specifier", "import_clause", "namespace_import": // of a library
				all = all.Join(imported(r, f.Unit, d, libraryType(f.Name, args)))
			}
		}
	}
	return all
}

// isClass reports whether a symbol is declared as a class or an enumeration.
func isClass(y *resolve.Symbol) bool {
	return slices.ContainsFunc(y.Decls, func(d resolve.Decl) bool {
		k := y.Unit.Kind(d.Node)
		return k == "class_declaration" || k == "class"
	})
}

// resultsOf is what functions of a type return.
func resultsOf(r *resolve.Resolver, t union) union {
	var all union
	for _, f := range callables(r, t) {
		all = all.Join(resultOf(r, f, nil, -1, nil))
	}
	return all
}

// aliased is what a type alias stands for.
func aliased(r *resolve.Resolver, y *resolve.Symbol, d resolve.Decl, args []union) union {
	u := y.Unit
	t := annotationType(r, u, u.Child(d.Node, "value"))
	params := u.TypeParameters(d.Node)
	if len(params) == 0 {
		return t
	}
	vars := map[*resolve.Symbol]union{}
	for i, p := range params {
		if i < len(args) {
			vars[p] = args[i]
		} else if def := u.Child(p.Decls[0].Node, "value"); def >= 0 {
			vars[p] = subst(r, annotationType(r, u, u.First(def)), newEnv(maps.Clone(vars), nil))
		}
	}
	return subst(r, t, newEnv(vars, nil))
}

// genericType is A<B, C>.
func genericType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	name := u.Child(n, "name")
	if name < 0 {
		name = u.First(n)
	}
	var args []union
	for c := range u.Children(u.Child(n, "type_arguments")) {
		args = append(args, annotationType(r, u, c))
	}
	if u.Kind(name) == "nested_type_identifier" {
		if m := nested(r, u, name); m != nil {
			return namedType(r, u, name, m, args)
		}
		list := u.List(name)
		return componentType(u.Text(list[len(list)-1]), args)
	}
	y := lookup(r, u, name, u.Text(name))
	t := namedType(r, u, name, y, args)
	if k := u.Text(name); y == nil && (k == "Omit" || k == "Pick") && len(args) == 2 {
		t = leave(t, &keys{u, u.List(u.Child(n, "type_arguments"))[1], k == "Omit"})
	}
	return t
}

// nested finds what a.b stands for among what a offers.
func nested(r *resolve.Resolver, u *resolve.Unit, n int32) *resolve.Symbol {
	list := u.List(n)
	if len(list) != 2 {
		return nil
	}
	var outer *resolve.Symbol
	if k := u.Kind(list[0]); k == "nested_identifier" || k == "nested_type_identifier" || k == "member_expression" {
		outer = nested(r, u, list[0])
	} else {
		outer = lookup(r, u, list[0], u.Text(list[0]))
	}
	if outer == nil {
		return nil
	}
	for _, f := range finals(r, outer) {
		if len(f.Decls) == 0 {
			return exported(r, f.Unit, u.Text(list[1]))
		}
		if f.Inner != nil {
			if y := f.Inner.Names[static+u.Text(list[1])]; y != nil {
				return y
			}
		}
	}
	return nil
}

// indexed is an object type that contains nothing but an index signature or a
// mapping: over the keys of a type, its members are that type's.
func indexed(r *resolve.Resolver, u *resolve.Unit, index int32) union {
	value := u.Child(index, "type")
	if clause := u.First(index, "mapped_type_clause"); clause >= 0 {
		keys := u.Child(clause, "type")
		if u.Kind(keys) == "index_type_query" {
			return annotationType(r, u, u.First(keys))
		}
	}
	return library("Record", library("string"), annotationType(r, u, value))
}

// lookedUp is T["name"] or T[number].
func lookedUp(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	list := u.List(n)
	if len(list) != 2 {
		return nil
	}
	t := annotationType(r, u, list[0])
	index := list[1]
	if u.Kind(index) == "literal_type" && u.Kind(u.First(index)) == "string" {
		name := resolve.Unquote(u.Text(u.First(index)))
		var all, known union
		for _, v := range t {
			if v.kind == kindParameter || v.kind == kindIndexed {
				all = append(all, value{kind: kindIndexed, name: name, args: []union{{v}}})
			} else {
				known = append(known, v)
			}
		}
		return all.Join(ofMembers(r, known, name))
	}
	return elementOf(r, t)
}

// libraryType is a type that nothing in the project declares, by name.
func libraryType(name string, args []union) union {
	if t := componentType(name, args); len(t) > 0 {
		return t
	}
	arg := func(i int) union { return resolve.At(args, i) }
	switch name {
	case "Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "Exclude", "Extract", "NoInfer",
		"ThisType", "Awaited":
		return arg(0)
	case "ReadonlyArray", "ArrayLike", "Iterable", "IterableIterator", "Iterator", "Generator", "AsyncIterable",
		"AsyncIterableIterator", "AsyncGenerator", "Set", "ReadonlySet", "WeakSet", "ConcatArray":
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
		var all union
		for _, v := range arg(0) {
			if v.kind == kindClass {
				all = append(all, value{kind: kindInstance, sym: v.sym})
			}
		}
		return all
	}
	return library(strings.TrimSpace(name), args...)
}
