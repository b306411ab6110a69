package resolve

// tsExpr infers an expression.
func (r *Resolver) tsExpr(u *unit, n int32) tsType {
	if n < 0 || !r.step() || r.depth > mostDepth {
		return nil
	}
	key := nodeKey{u, n}
	if t, ok := tsMemoryOf(key.u).types[key]; ok {
		return t
	}
	tsMemoryOf(key.u).types[key] = nil
	r.depth++
	unifying, until := r.unifying, r.unifyUntil
	r.unifying = 0 // what is kept must not depend on who asked first
	t := r.tsInfer(u, n)
	r.unifying, r.unifyUntil = unifying, until
	r.depth--
	if r.steps <= mostSteps && r.depth < mostDepth/2 {
		tsMemoryOf(key.u).types[key] = t
	} else {
		delete(tsMemoryOf(key.u).types, key)
	}
	return t
}

func (r *Resolver) tsInfer(u *unit, n int32) tsType {
	switch u.kind(n) {
	case "identifier", "shorthand_property_identifier", "type_identifier":
		return r.tsName(u, n)
	case "this":
		return r.thisAt(u, n)
	case "super":
		if c := r.classAround(u, n); c != nil {
			return r.tsBases(tsValue{kind: tsInstance, sym: c}, false)
		}
	case "member_expression", "nested_identifier":
		return r.tsMemberExpr(u, n)
	case "subscript_expression":
		index := u.child(n, "index")
		if u.kind(index) == "string" {
			return r.ofMembers(r.tsExpr(u, u.child(n, "object")), unquote(u.of(index)))
		}
		return r.tsElement(r.tsExpr(u, u.child(n, "object")))
	case "call_expression":
		return r.tsCallExpr(u, n)
	case "new_expression":
		return r.tsNew(u, n)
	case "function_expression", "arrow_function", "generator_function", "function":
		return tsType{{kind: tsFunction, unit: u, node: n}}
	case "class":
		if s := u.members[n]; s != nil && s.class != nil {
			return tsType{{kind: tsClass, sym: s.class}}
		}
	case "object":
		return tsType{{kind: tsObject, unit: u, node: n}}
	case "array":
		var e tsType
		for c := range u.children(n) {
			if u.kind(c) == "spread_element" {
				e = joinTS(e, r.tsElement(r.tsExpr(u, u.first(c))))
			} else {
				e = joinTS(e, r.tsExpr(u, c))
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
		return awaited(r.tsExpr(u, u.first(n)))
	case "as_expression", "satisfies_expression":
		if list := u.list(n); len(list) == 2 {
			return r.tsAnnotation(u, list[1])
		}
		return r.tsExpr(u, u.first(n)) // as const
	case "type_assertion":
		return r.tsAnnotation(u, u.first(u.first(n, "type_arguments")))
	case "parenthesized_expression", "non_null_expression", "instantiation_expression":
		return r.tsExpr(u, u.first(n))
	case "sequence_expression":
		list := u.list(n)
		return r.tsExpr(u, list[len(list)-1])
	case "ternary_expression":
		return joinTS(r.tsExpr(u, u.child(n, "consequence")), r.tsExpr(u, u.child(n, "alternative")))
	case "binary_expression":
		switch u.of(u.child(n, "operator")) {
		case "||", "??":
			return joinTS(r.tsExpr(u, u.child(n, "left")), r.tsExpr(u, u.child(n, "right")))
		case "&&", ",":
			return r.tsExpr(u, u.child(n, "right"))
		}
		return library("number")
	case "assignment_expression", "augmented_assignment_expression":
		return r.tsExpr(u, u.child(n, "right"))
	}
	return nil
}

// awaited is what a promise holds.
func awaited(t tsType) tsType {
	var all tsType
	for _, v := range t {
		if v.kind == tsLibrary && v.name == "Promise" && len(v.args) > 0 {
			all = joinTS(all, awaited(v.args[0]))
		} else {
			all = joinTS(all, tsType{v})
		}
	}
	return all
}

// tsName infers a bare name: what it is declared as, narrowed by the tests
// around it.
func (r *Resolver) tsName(u *unit, n int32) tsType {
	y := u.owner[n]
	if y == nil || u.kind(n) == "shorthand_property_identifier" {
		y = r.tsLookup(u, n, u.of(n))
	}
	if y == nil {
		return library(u.of(n))
	}
	t := r.tsOf(y)
	if narrow := r.tsNarrowed(u, n); len(narrow) > 0 {
		return narrow
	}
	return t
}

// tsLookup finds what a bare name means where a node stands.
func (r *Resolver) tsLookup(u *unit, n int32, name string) *symbol {
	for s := u.scopeAt(n); s != nil; s = s.outer {
		if y := s.names[name]; y != nil {
			return y
		}
		if m := u.members[s.node]; m != nil && s.kind == blockScope { // a namespace, merged with another
			if y := m.names[static+name]; y != nil {
				return y
			}
		}
	}
	return nil
}

// tsMemberExpr infers a.b.
func (r *Resolver) tsMemberExpr(u *unit, n int32) tsType {
	if t := r.tsNarrowed(u, n); len(t) > 0 {
		return t
	}
	object := u.child(n, "object")
	if object < 0 {
		object = u.first(n)
	}
	list := u.list(n)
	return r.ofMembers(r.tsExpr(u, object), u.of(list[len(list)-1]))
}

// ofMembers infers a member of a value.
func (r *Resolver) ofMembers(t tsType, name string) tsType {
	found, _ := r.tsMembers(t, name)
	var all tsType
	for _, m := range found {
		all = joinTS(all, r.subst(r.tsOf(m.symbol), m.env))
	}
	if len(found) > 0 {
		return all
	}
	if name == "prototype" {
		return r.instances(t, nil)
	}
	for _, v := range t { // a method of the library, bound; or a record's value
		if v.kind == tsLibrary {
			if v.name == "Record" && len(v.args) == 2 {
				all = joinTS(all, v.args[1])
			} else {
				all = joinTS(all, library(v.name+"."+name, v.args...))
			}
		}
	}
	return all
}

// thisAt is what this means at a node.
func (r *Resolver) thisAt(u *unit, n int32) tsType {
	for at := u.parent(n); at >= 0; at = u.parent(at) {
		switch u.kind(at) {
		case "class_body", "interface_body":
			if s := u.members[at]; s != nil && s.class != nil {
				return tsType{r.selfOf(s.class)}
			}
		case "method_definition":
			if u.kind(u.parent(at)) == "object" {
				o := u.parent(at)
				return joinTS(tsType{{kind: tsObject, unit: u, node: o}}, r.expected(u, o))
			}
		case "function_expression", "function_declaration", "function", "generator_function_declaration":
			if p := u.first(u.child(at, "parameters")); u.kind(u.child(p, "pattern")) == "this" {
				return r.tsAnnotation(u, u.child(p, "type"))
			}
			return nil
		}
	}
	return nil
}

// selfOf is an instance of a class whose arguments are its own parameters.
func (r *Resolver) selfOf(class *symbol) tsValue {
	v := tsValue{kind: tsInstance, sym: class}
	for _, p := range class.unit.typeParameters(class.decls[0].node) {
		v.args = append(v.args, tsType{{kind: tsParameter, sym: p}})
	}
	return v
}

// classAround returns the class whose body a node is in, or nil.
func (r *Resolver) classAround(u *unit, n int32) *symbol {
	if b := u.around(n, "class_body"); b >= 0 && u.members[b] != nil {
		return u.members[b].class
	}
	return nil
}

// tsElement is what iterating over a value, or indexing it, gives.
func (r *Resolver) tsElement(t tsType) tsType {
	var all tsType
	for _, v := range t {
		switch {
		case v.kind == tsLibrary && v.name == "Map" && len(v.args) == 2:
			all = joinTS(all, library("Tuple", v.args...))
		case v.kind == tsLibrary && v.name == "Tuple":
			for _, a := range v.args {
				all = joinTS(all, a)
			}
		case v.kind == tsLibrary && v.name == "Record" && len(v.args) == 2:
			all = joinTS(all, v.args[1])
		case v.kind == tsLibrary && len(v.args) > 0:
			all = joinTS(all, v.args[0])
		case v.kind == tsParameter || v.kind == tsIndexed:
			all = joinTS(all, r.tsElement(r.limitOf(v)))
		case v.kind == tsObject:
			if index := v.unit.first(v.node, "index_signature"); index >= 0 {
				all = joinTS(all, r.subst(r.tsAnnotation(v.unit, v.unit.child(index, "type")), v.env))
			}
		case v.kind == tsInstance:
			for _, b := range r.tsBases(v, false) {
				all = joinTS(all, r.tsElement(tsType{b}))
			}
		}
	}
	return all
}

// tsOf is the type of what a symbol stands for as a value.
func (r *Resolver) tsOf(y *symbol) tsType {
	if y.done {
		t, _ := y.inferred.(tsType)
		return t
	}
	if y.busy || !r.step() || r.depth > mostDepth {
		return nil
	}
	y.busy = true
	r.depth++
	t := r.tsDeclared(y)
	r.depth--
	y.busy = false
	if r.steps <= mostSteps {
		y.inferred, y.done = t, true
	}
	return t
}

func (r *Resolver) tsDeclared(y *symbol) tsType {
	if len(y.decls) == 0 {
		return tsType{{kind: tsFile, unit: y.unit}}
	}
	if next := r.tsLink(y); next != nil {
		return r.tsOf(next)
	}
	var t tsType
	for _, d := range y.decls {
		t = joinTS(t, r.tsDecl(y, d))
	}
	return t
}

// tsDecl infers one declaration.
func (r *Resolver) tsDecl(y *symbol, d decl) tsType {
	u := y.unit
	switch u.kind(d.node) {
	case "class_declaration", "abstract_class_declaration", "class", "enum_declaration", "internal_module", "module":
		return tsType{{kind: tsClass, sym: y}}
	case "function_declaration", "generator_function_declaration", "function_signature", "function_expression", "method_signature", "abstract_method_signature", "call_signature", "construct_signature":
		return tsType{{kind: tsFunction, sym: y, unit: u, node: y.decls[0].node}}
	case "method_definition":
		head := u.text[u.nodes[d.node].Start:u.nodes[d.name].Start]
		switch {
		case hasWord(head, "get"):
			return r.resultOf(tsValue{kind: tsFunction, unit: u, node: d.node}, nil, -1, nil)
		case hasWord(head, "set"):
			return r.tsAnnotation(u, u.child(u.first(u.child(d.node, "parameters")), "type"))
		}
		return tsType{{kind: tsFunction, sym: y, unit: u, node: y.decls[0].node}}
	case "variable_declarator", "required_parameter", "optional_parameter":
		return r.ofPattern(u, d)
	case "public_field_definition", "field_definition", "property_signature":
		if a := u.child(d.node, "type"); a >= 0 {
			return r.tsAnnotation(u, a)
		}
		return r.tsExpr(u, u.child(d.node, "value"))
	case "pair":
		return r.tsExpr(u, u.child(d.node, "value"))
	case "shorthand_property_identifier":
		return r.tsName(u, d.node)
	case "enum_assignment", "property_identifier":
		if y.scope.class != nil {
			return tsType{{kind: tsInstance, sym: y.scope.class}}
		}
	case "for_in_statement":
		if u.of(u.child(d.node, "operator")) == "in" {
			return library("string")
		}
		return r.part(u, u.child(d.node, "left"), d.name, r.tsElement(r.tsExpr(u, u.child(d.node, "right"))))
	case "export_statement":
		return r.tsExpr(u, d.name)
	case "import_specifier", "import_clause", "namespace_import":
		return library(y.name)
	}
	if u.kind(u.parent(d.node)) == "formal_parameters" || u.field(d.node) == "parameter" { // JavaScript, or x => x
		return r.ofPattern(u, d)
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
func (r *Resolver) ofPattern(u *unit, d decl) tsType {
	pattern := u.child(d.node, "pattern")
	if pattern < 0 {
		pattern = u.child(d.node, "name")
	}
	if pattern < 0 {
		pattern = d.node
	}
	return r.part(u, pattern, d.name, r.patternSource(u, d.node))
}

// patternSource is the type of what a variable or a parameter is given.
func (r *Resolver) patternSource(u *unit, n int32) tsType {
	if a := u.child(n, "type"); a >= 0 {
		return r.tsAnnotation(u, a)
	}
	value := u.child(n, "value")
	if u.kind(n) == "variable_declarator" {
		return r.tsExpr(u, value)
	}
	if u.kind(n) == "for_in_statement" {
		return r.tsElement(r.tsExpr(u, u.child(n, "right")))
	}
	if u.kind(n) == "assignment_pattern" {
		value = u.child(n, "right")
	}
	if t := r.expectedParameter(u, n); len(t) > 0 {
		return t
	}
	return r.tsExpr(u, value)
}

// part is what one name of a pattern gets of a value.
func (r *Resolver) part(u *unit, pattern, name int32, t tsType) tsType {
	for pattern >= 0 && pattern != name {
		inner := int32(-1)
		for c := range u.children(pattern) {
			if u.within(name, c) {
				inner = c
			}
		}
		if inner < 0 {
			return t
		}
		switch u.kind(pattern) {
		case "object_pattern":
			t = r.partOfObject(u, inner, name, t)
		case "array_pattern":
			t = r.partOfArray(u, pattern, inner, t)
		case "object_assignment_pattern", "assignment_pattern":
			if len(t) == 0 {
				t = r.tsExpr(u, u.child(pattern, "right"))
			}
		}
		pattern = inner
	}
	return t
}

func (r *Resolver) partOfObject(u *unit, inner, name int32, t tsType) tsType {
	switch u.kind(inner) {
	case "shorthand_property_identifier_pattern":
		return r.ofMembers(t, u.of(inner))
	case "object_assignment_pattern":
		if left := u.child(inner, "left"); u.within(name, left) {
			return r.ofMembers(t, u.of(left))
		}
	case "pair_pattern":
		return r.ofMembers(t, unquote(u.of(u.child(inner, "key"))))
	case "rest_pattern":
		return t
	}
	return nil
}

func (r *Resolver) partOfArray(u *unit, pattern, inner int32, t tsType) tsType {
	if u.kind(inner) == "rest_pattern" {
		return t
	}
	at := 0 // commas tell the position: holes have no node
	for _, b := range []byte(u.text[u.nodes[pattern].Start:u.nodes[inner].Start]) {
		if b == ',' {
			at++
		}
	}
	var all tsType
	for _, v := range t {
		if v.kind == tsLibrary && v.name == "Tuple" && at < len(v.args) {
			all = joinTS(all, v.args[at])
		} else {
			all = joinTS(all, r.tsElement(tsType{v}))
		}
	}
	return all
}
