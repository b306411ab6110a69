package typescript

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// typeOf infers an expression.
func typeOf(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	return memoryOf(u).types.Once(r, u, n, inferAlone)
}

// inferAlone infers an expression whoever asks: what is kept must not depend on that.
func inferAlone(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	unifying, until := r.Unifying, r.UnifyUntil
	r.Unifying = 0
	t := inferExpr(r, u, n)
	r.Unifying, r.UnifyUntil = unifying, until
	return t
}

func inferExpr(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	switch u.Kind(n) {
	case "identifier", "shorthand_property_identifier", "type_identifier":
		return nameType(r, u, n)
	case "this":
		return thisAt(r, u, n)
	case "super":
		if c := classAround(u, n); c != nil {
			return basesOf(r, value{kind: kindInstance, sym: c}, false)
		}
	case "member_expression", "nested_identifier":
		return memberType(r, u, n)
	case "subscript_expression":
		index := u.Child(n, "index")
		if u.Kind(index) == "string" {
			return ofMembers(r, typeOf(r, u, u.Child(n, "object")), resolve.Unquote(u.Text(index)))
		}
		object := typeOf(r, u, u.Child(n, "object"))
		if key := computedKey(u.ScopeAt(n), index); key != "" {
			if found, _ := membersOf(r, object, key); len(found) > 0 {
				return ofMembers(r, object, key)
			}
		}
		return elementOf(r, object)
	case "call_expression":
		return callType(r, u, n)
	case "new_expression":
		return newType(r, u, n)
	case "function_expression", "arrow_function", "generator_function", "function":
		return union{{kind: kindFunction, unit: u, node: n}}
	case "class":
		if s := u.Members[n]; s != nil && s.Class != nil {
			return union{{kind: kindClass, sym: s.Class}}
		}
	case "object":
		return union{{kind: kindObject, unit: u, node: n}}
	case "array":
		var e union
		for c := range u.Children(n) {
			if u.Kind(c) == "spread_element" {
				e = e.Join(elementOf(r, typeOf(r, u, u.First(c))))
			} else {
				e = e.Join(typeOf(r, u, c))
			}
		}
		return library("Array", e)
	case "string", "template_string", "template_literal_type":
		return library("string")
	case "number", "unary_expression", "update_expression":
		return library("number")
	case "true", "false":
		return library("boolean")
	case "regex":
		return library("RegExp")
	case "await_expression":
		return awaitedType(typeOf(r, u, u.First(n)))
	case "as_expression", "satisfies_expression":
		if list := u.List(n); len(list) == 2 {
			return annotationType(r, u, list[1])
		}
		return typeOf(r, u, u.First(n)) // as const
	case "type_assertion":
		return annotationType(r, u, u.First(u.First(n, "type_arguments")))
	case "parenthesized_expression", "non_null_expression", "instantiation_expression":
		if t := castType(r, u, n); len(t) > 0 {
			return t
		}
		return typeOf(r, u, u.First(n))
	case "sequence_expression":
		list := u.List(n)
		return typeOf(r, u, list[len(list)-1])
	case "ternary_expression":
		return oneOf(r, u, u.Child(n, "consequence"), u.Child(n, "alternative"))
	case "binary_expression":
		switch u.Text(u.Child(n, "operator")) {
		case "||", "??":
			return oneOf(r, u, u.Child(n, "left"), u.Child(n, "right"))
		case "&&", ",":
			return typeOf(r, u, u.Child(n, "right"))
		}
		return library("number")
	case "assignment_expression", "augmented_assignment_expression":
		return typeOf(r, u, u.Child(n, "right"))
	}
	return nil
}

// oneOf infers what is one of two expressions.
func oneOf(r *resolve.Resolver, u *resolve.Unit, a, b int32) union {
	switch {
	case isNothing(u, a):
		return typeOf(r, u, b)
	case isNothing(u, b):
		return typeOf(r, u, a)
	}
	return either(typeOf(r, u, a), typeOf(r, u, b))
}

func isNothing(u *resolve.Unit, n int32) bool { return u.Text(n) == "null" || u.Text(n) == "undefined" }

// awaitedType is what a promise holds.
func awaitedType(t union) union {
	return t.Each(func(v value) union {
		if v.kind == kindLibrary && v.name == "Promise" && len(v.args) > 0 {
			return awaitedType(v.args[0])
		}
		return union{v}
	})
}

// nameType infers a bare name: what it is declared as, narrowed by the tests
// around it.
func nameType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	y := u.Owner[n]
	if y == nil || u.Kind(n) == "shorthand_property_identifier" {
		y = lookup(r, u, n, u.Text(n))
	}
	if y == nil {
		if isExports(u, n) {
			return moduleValue(r, u)
		}
		return globalType(r, u, u.Text(n))
	}
	t := typeOfSymbol(r, y)
	if narrow := narrowedType(r, u, n, func() union { return t }); len(narrow) > 0 {
		return narrow
	}
	return t
}

// lookup finds what a bare name means where a node is.
func lookup(r *resolve.Resolver, u *resolve.Unit, n int32, name string) *resolve.Symbol {
	if u.Host != nil {
		if specifier, ok := docsOf(u.Host).modules[u.Nodes[n].Start]; ok { // import("a") in a comment
			if m := moduleOf(r, u, specifier); m != nil {
				return m.Module
			}
			return nil
		}
	}
	for s := u.ScopeAt(n); s != nil; s = s.Outer {
		if y := s.Names[name]; y != nil {
			return y
		}
		if m := u.Members[s.Node]; m != nil && s.Kind == resolve.BlockScope { // a namespace, merged with another
			if y := m.Names[static+name]; y != nil {
				return y
			}
		}
	}
	if g := globalsOf(r, u, name); len(g.symbols) == 1 {
		return g.symbols[0]
	}
	return nil
}

// memberType infers a.b.
func memberType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	object := u.Child(n, "object")
	if object < 0 {
		object = u.First(n)
	}
	list := u.List(n)
	whole := func() union { return ofMembers(r, typeOf(r, u, object), u.Text(list[len(list)-1])) }
	if t := narrowedType(r, u, n, whole); len(t) > 0 {
		return t
	}
	if isModuleExports(u, n) {
		return moduleValue(r, u)
	}
	return whole()
}

// ofMembers infers a member of a value.
func ofMembers(r *resolve.Resolver, t union, name string) union {
	found, _ := membersOf(r, t, name)
	var all union
	for _, m := range found {
		all = all.Join(subst(r, typeOfSymbol(r, m.symbol), m.env))
	}
	if slices.ContainsFunc(t, func(v value) bool { return v.kind == kindAnything }) {
		all = either(all, nil)
	}
	if len(found) > 0 {
		return all
	}
	if name == "prototype" {
		return instances(r, t, nil)
	}
	for _, v := range collectionsOf(r, t) { // a method of the library, bound; or a record's value
		switch {
		case v.name == "Record" && len(v.args) == 2:
			all = all.Join(v.args[1])
		case name == "current" && strings.HasSuffix(v.name, "RefObject"):
			all = all.Join(resolve.At(v.args, 0))
		default:
			all = all.Join(library(v.name+"."+name, v.args...))
		}
	}
	return all
}

// thisAt is what this means at a node.
func thisAt(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	for at := u.Parent(n); at >= 0; at = u.Parent(at) {
		switch u.Kind(at) {
		case "class_body", "interface_body":
			if s := u.Members[at]; s != nil && s.Class != nil {
				return union{selfOf(s.Class)}
			}
		case "method_definition":
			if u.Kind(u.Parent(at)) == "object" {
				o := u.Parent(at)
				return union{{kind: kindObject, unit: u, node: o}}.Join(noForm(expectedType(r, u, o)))
			}
		case "function_expression", "function_declaration", "function", "generator_function_declaration":
			if p := u.First(u.Child(at, "parameters")); u.Kind(u.Child(p, "pattern")) == "this" {
				return annotationType(r, u, u.Child(p, "type"))
			}
			return thisOfFunction(r, u, n)
		}
	}
	return nil
}

// selfOf is an instance of a class whose arguments are its own parameters.
func selfOf(class *resolve.Symbol) value {
	v := value{kind: kindInstance, sym: class}
	for _, p := range class.Unit.TypeParameters(class.Decls[0].Node) {
		v.args = append(v.args, union{{kind: kindParameter, sym: p}})
	}
	return v
}

// classAround returns the class whose body a node is in, or nil.
func classAround(u *resolve.Unit, n int32) *resolve.Symbol {
	if b := u.Around(n, "class_body"); b >= 0 && u.Members[b] != nil {
		return u.Members[b].Class
	}
	return nil
}

// elementOf is what iterating over a value, or indexing it, gives.
func elementOf(r *resolve.Resolver, t union) union {
	return t.Each(func(v value) union {
		switch v.kind {
		case kindLibrary:
			return elementOfLibrary(v)
		case kindParameter, kindIndexed:
			return elementOf(r, limitOf(r, v))
		case kindObject:
			if index := v.unit.First(v.node, "index_signature"); index >= 0 {
				return subst(r, annotationType(r, v.unit, v.unit.Child(index, "type")), v.env)
			}
		case kindInstance:
			return union(basesOf(r, v, false)).Each(func(b value) union { return elementOf(r, union{b}) })
		}
		return nil
	})
}

func elementOfLibrary(v value) union {
	switch {
	case v.name == "Map" && len(v.args) == 2:
		return library("Tuple", v.args...)
	case v.name == "Tuple":
		var all union
		for _, a := range v.args {
			all = all.Join(a)
		}
		return all
	case v.name == "Record" && len(v.args) == 2:
		return v.args[1]
	}
	return resolve.At(v.args, 0)
}

// typeOfSymbol is the type of what a symbol stands for as a value.
func typeOfSymbol(r *resolve.Resolver, y *resolve.Symbol) union {
	return resolve.TypeOf(r, y, inferSymbol)
}

func inferSymbol(r *resolve.Resolver, y *resolve.Symbol) union {
	if of, ok := y.Data.(libraryName); ok {
		if of.open {
			return union{{kind: kindLibrary, name: strings.TrimPrefix(of.name, "window."), unit: y.Unit, open: true}}
		}
		return library(strings.TrimPrefix(of.name, "window."))
	}
	if len(y.Decls) == 0 {
		return union{{kind: kindModule, unit: y.Unit}}
	}
	if y.Name == exportsAll {
		return exportsType(r, y.Unit).Join(union{{kind: kindModule, unit: y.Unit}})
	}
	if next := linked(r, y); next != nil {
		return typeOfSymbol(r, next)
	}
	var t union
	for _, d := range y.Decls {
		if d.How != given {
			t = t.Join(typeOfDecl(r, y, d))
		}
	}
	if u := y.Unit; u.Lang == syntax.JavaScript && len(t) > 0 && len(y.Decls) > 1 && len(documentedType(r, u, y.Decls[0].Node)) == 0 {
		t = givenAlso(r, y, t)
	}
	return t
}

// givenAlso adds to what a variable or a member may be what else it is given where it is assigned
// to. Of some of that nothing may be known.
func givenAlso(r *resolve.Resolver, y *resolve.Symbol, t union) union {
	for i, d := range y.Decls {
		right := y.Unit.Child(d.Node, "right")
		if d.How != given && d.How != assigned || isNothing(y.Unit, right) {
			continue
		}
		var more union
		before := ""
		if d.How == assigned {
			before, more = ".", typeOfDecl(r, y, d)
		} else if i <= maxHops {
			more = typeOf(r, y.Unit, right)
		}
		if len(more) > 0 || !resolve.ContainsName(y.Unit.Text(right), y.Name, before, "") { // else it depends on itself
			t = either(t, more)
		}
	}
	return t
}

// imported is what an import brings in that could not be followed: something of a library,
// or unknown where its specifier names a file or package of the project, one that a build
// makes or that is of another language.
func imported(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl, ofLibrary union) union {
	specifier := resolve.Unquote(u.Text(u.Child(u.Around(d.Node, "import_statement"), "source")))
	if specifier == "" || strings.HasPrefix(specifier, "@/") || strings.ContainsRune("./~#", rune(specifier[0])) ||
		projectOf(r, u).OwnPackage(specifier) {
		return nil
	}
	return ofLibrary
}

// typeOfDecl infers one declaration.
func typeOfDecl(r *resolve.Resolver, y *resolve.Symbol, d resolve.Decl) union {
	u := y.Unit
	switch d.How {
	case assigned:
		return documentedValue(r, u, d.Node, u.Child(d.Node, "right"))
	case described:
		return describedType(r, u, d.Node)
	case documented:
		return annotationType(r, u, d.Node)
	}
	switch u.Kind(d.Node) {
	case "class_declaration", "abstract_class_declaration", "class", "enum_declaration", "internal_module", "module":
		return union{{kind: kindClass, sym: y}}
	case "function_declaration", "generator_function_declaration", "function_signature", "function_expression",
		"method_signature", "abstract_method_signature", "call_signature", "construct_signature":
		return union{{kind: kindFunction, sym: y, unit: u, node: y.Decls[0].Node}}
	case "method_definition":
		head := u.Source[u.Nodes[d.Node].Start:u.Nodes[d.Name].Start]
		switch {
		case hasWord(head, "get"):
			return resultOf(r, value{kind: kindFunction, unit: u, node: d.Node}, nil, -1, nil)
		case hasWord(head, "set"):
			return annotationType(r, u, u.Child(u.First(u.Child(d.Node, "parameters")), "type"))
		}
		return union{{kind: kindFunction, sym: y, unit: u, node: y.Decls[0].Node}}
	case "variable_declarator", "required_parameter", "optional_parameter":
		return ofPattern(r, u, d)
	case "public_field_definition", "field_definition", "property_signature":
		if a := u.Child(d.Node, "type"); a >= 0 {
			return annotationType(r, u, a)
		}
		return documentedValue(r, u, d.Node, u.Child(d.Node, "value"))
	case "pair":
		return documentedValue(r, u, d.Node, u.Child(d.Node, "value"))
	case "shorthand_property_identifier":
		return nameType(r, u, d.Node)
	case "enum_assignment", "property_identifier":
		if y.Scope.Class != nil {
			return union{{kind: kindInstance, sym: y.Scope.Class}}
		}
	case "for_in_statement":
		if u.Text(u.Child(d.Node, "operator")) == "in" {
			return library("string")
		}
		return part(r, u, u.Child(d.Node, "left"), d.Name, elementOf(r, typeOf(r, u, u.Child(d.Node, "right"))))
	case "export_statement":
		return typeOf(r, u, d.Name)
	case "import_specifier", "import_clause", "namespace_import":
		return imported(r, u, d, library(y.Name))
	}
	if u.Kind(u.Parent(d.Node)) == "formal_parameters" || u.Field(d.Node) == "parameter" { // JavaScript, or x => x
		return ofPattern(r, u, d)
	}
	return nil
}

// hasWord reports whether modifiers hold a word.
func hasWord(head, word string) bool {
	for len(head) > 0 {
		i := 0
		for i < len(head) && head[i]|0x20 >= 'a' && head[i]|0x20 <= 'z' {
			i++
		}
		if head[:i] == word {
			return true
		}
		head = head[max(i, 1):]
	}
	return false
}

// ofPattern is what one name of a variable's or parameter's pattern gets.
func ofPattern(r *resolve.Resolver, u *resolve.Unit, d resolve.Decl) union {
	pattern := u.Child(d.Node, "pattern")
	if pattern < 0 {
		pattern = u.Child(d.Node, "name")
	}
	if pattern < 0 {
		pattern = d.Node
	}
	return part(r, u, pattern, d.Name, patternSource(r, u, d.Node))
}

// patternSource is the type of what a variable or a parameter is given.
func patternSource(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	if a := u.Child(n, "type"); a >= 0 {
		return annotationType(r, u, a)
	}
	if u.Kind(n) == "variable_declarator" {
		return documentedValue(r, u, n, u.Child(n, "value"))
	}
	if u.Kind(n) == "for_in_statement" {
		return elementOf(r, typeOf(r, u, u.Child(n, "right")))
	}
	if t := documentedParameter(r, u, n); len(t) > 0 {
		return t
	}
	if t := expectedParameter(r, u, n); len(t) > 0 {
		return t
	}
	var t union
	for i, a := range passedTo(u, n) {
		if more := typeOf(r, u, a); i == 0 {
			t = more
		} else {
			t = either(t, more)
		}
	}
	if len(t) > 0 {
		return t
	}
	return byDefaultOrElse(u, typeOf(r, u, byDefault(u, n)))
}

// byDefaultOrElse is what a parameter is that has a default: in plain JavaScript a call may give
// it anything else.
func byDefaultOrElse(u *resolve.Unit, t union) union {
	if u.Lang == syntax.JavaScript && slices.ContainsFunc(t, func(v value) bool { return v.kind == kindInstance }) {
		return either(t, nil)
	}
	return t
}

// part is what one name of a pattern gets of a value.
func part(r *resolve.Resolver, u *resolve.Unit, pattern, name int32, t union) union {
	for pattern >= 0 && pattern != name {
		inner := int32(-1)
		for c := range u.Children(pattern) {
			if u.Within(name, c) {
				inner = c
			}
		}
		if inner < 0 {
			return t
		}
		switch u.Kind(pattern) {
		case "object_pattern":
			t = partOfObject(r, u, inner, name, t)
		case "array_pattern":
			t = partOfArray(r, u, pattern, inner, t)
		case "object_assignment_pattern", "assignment_pattern":
			if len(t) == 0 {
				t = byDefaultOrElse(u, typeOf(r, u, u.Child(pattern, "right")))
			}
		}
		pattern = inner
	}
	return t
}

func partOfObject(r *resolve.Resolver, u *resolve.Unit, inner, name int32, t union) union {
	switch u.Kind(inner) {
	case "shorthand_property_identifier_pattern":
		return ofMembers(r, t, u.Text(inner))
	case "object_assignment_pattern":
		if left := u.Child(inner, "left"); u.Within(name, left) {
			return ofMembers(r, t, u.Text(left))
		}
	case "pair_pattern":
		return ofMembers(r, t, resolve.Unquote(u.Text(u.Child(inner, "key"))))
	case "rest_pattern":
		return t
	}
	return nil
}

func partOfArray(r *resolve.Resolver, u *resolve.Unit, pattern, inner int32, t union) union {
	if u.Kind(inner) == "rest_pattern" {
		return t
	}
	at := 0 // commas tell the position: holes have no node
	for _, b := range []byte(u.Source[u.Nodes[pattern].Start:u.Nodes[inner].Start]) {
		if b == ',' {
			at++
		}
	}
	var all union
	for _, v := range t {
		if v.kind == kindLibrary && v.name == "Tuple" && at < len(v.args) {
			all = all.Join(v.args[at])
		} else {
			all = all.Join(elementOf(r, union{v}))
		}
	}
	return all
}
