package nominal

import (
	_ "embed" // the declarations of the library
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// JVM is the family of Java and Kotlin.
var JVM = &Family{rows: []*row{&java, &kotlin}}

//go:embed library/java.txt
var javaLibrary string

var java = row{
	language: syntax.Java,
	bind:     bindJava,
	expr:     javaExpr,
	typed:    javaType,
	mean:     javaMeaning,
	value:    javaLabel,
	implied:  javaImplied,
	base:     javaBase,
	members:  memberRules{overloads: true, privateToFile: true},
	implicit: []string{"java.lang"},
	primitives: map[string]string{
		"String": "java.lang.String", "Class": "java.lang.Class",
	},
	boxes: map[string]string{
		"int": "java.lang.Integer", "long": "java.lang.Long", "boolean": "java.lang.Boolean",
		"double": "java.lang.Double", "float": "java.lang.Float", "char": "java.lang.Character",
		"short": "java.lang.Short", "byte": "java.lang.Byte",
	},
	top:     "java.lang.Object",
	library: javaLibrary,
	returns: []string{"return_statement", "yield_statement"},
	element: []string{"iterator", "next"},
}

// bindJava declares what a node declares.
func bindJava(b *binder, n int32) {
	switch k := b.Kind(n); k {
	case "package_declaration":
		b.inPackage(b.Text(b.First(n, "scoped_identifier", "identifier")))
	case "import_declaration":
		javaImport(b, n)
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
		"annotation_type_declaration":
		javaClass(b, n, strings.TrimSuffix(k, "_declaration"))
	case "class_body":
		switch p := b.Parent(n); b.Kind(p) {
		case "object_creation_expression":
			b.typ(-1, n, "class", []int32{b.Child(p, "type")})
		case "enum_constant":
			owner := b.class()
			declOf(b.typ(-1, n, "class", nil)).within = owner
		}
	case "enum_constant":
		y := b.variable(b.Child(n, "name"), n, -1, -1)
		declOf(y).kind, declOf(y).how, declOf(y).static, declOf(y).final = aField, asOwner, true, true
	case "method_declaration", "annotation_type_element_declaration":
		javaMethod(b, n)
	case "constructor_declaration", "compact_constructor_declaration":
		y := b.callable(aConstructor, b.Child(n, "name"), n, -1)
		javaCallable(b, y, n)
		if k == "compact_constructor_declaration" {
			for _, p := range declOf(declOf(y).owner).components {
				declOf(y).params = append(declOf(y).params, p)
				b.in.add(p)
			}
		}
	case "field_declaration", "constant_declaration", "local_variable_declaration":
		javaVariables(b, n)
	case "lambda_expression":
		javaLambda(b, n)
	case "enhanced_for_statement":
		b.begin(n)
		b.local(b.Child(n, "name"), n, b.Child(n, "type"), b.Child(n, "value"), asElement)
	case "resource":
		b.local(b.Child(n, "name"), n, b.Child(n, "type"), b.Child(n, "value"), asValue)
	case "catch_formal_parameter":
		b.local(b.Child(n, "name"), n, b.First(n, "catch_type"), -1, asValue)
	case "instanceof_expression":
		b.local(b.Child(n, "name"), n, b.Child(n, "right"), -1, asValue)
	case "type_pattern", "record_pattern_component":
		if list := b.List(n); len(list) > 1 && b.Kind(list[len(list)-1]) == "identifier" {
			b.local(list[len(list)-1], n, list[len(list)-2], -1, asValue)
		}
	case "block", "constructor_body", "for_statement", "catch_clause", "try_with_resources_statement", "switch_block",
		"switch_block_statement_group", "switch_rule", "static_initializer":
		b.begin(n)
	}
}

func javaImport(b *binder, n int32) {
	path := strings.Join(strings.Fields(b.Text(b.First(n, "scoped_identifier", "identifier"))), "")
	i := importLine{path: path, members: has(b.Unit, n, "static")}
	if b.First(n, "asterisk") < 0 {
		_, i.name = lastOf(path)
	}
	b.importing(i)
}

func javaClass(b *binder, n int32, word string) {
	var supers []int32
	for _, field := range []string{"superclass", "interfaces"} {
		supers = append(supers, javaTypes(b.Unit, b.Child(n, field))...)
	}
	supers = append(supers, javaTypes(b.Unit, b.First(n, "extends_interfaces"))...)
	y := b.typ(b.Child(n, "name"), n, word, supers)
	d := declOf(y)
	head := javaModifiers(b.Unit, n)
	d.final, d.static, d.private = head("final"), word != "class" || head("static"), head("private")
	javaTypeParameters(b, y, n)
	for p := range b.Children(b.Child(n, "parameters")) {
		if word != "record" || b.Child(p, "name") < 0 {
			continue
		}
		f := b.variable(b.Child(p, "name"), p, b.Child(p, "type"), -1)
		declOf(f).component = true
		d.components = append(d.components, f)
	}
	if word == "record" {
		c := b.declare(aConstructor, -1, n)
		declOf(c).owner, declOf(c).params = y, d.components
		d.canonical = c
	}
}

// javaTypes lists the types in a clause of a class.
func javaTypes(u *resolve.Unit, clause int32) []int32 {
	var all []int32
	for c := range u.Children(clause) {
		if u.Kind(c) == "type_list" {
			all = append(all, u.List(c)...)
		} else {
			all = append(all, c)
		}
	}
	return all
}

func javaModifiers(u *resolve.Unit, n int32) func(string) bool {
	words := strings.Fields(u.Text(u.First(n, "modifiers")))
	return func(word string) bool { return slices.Contains(words, word) }
}

func javaTypeParameters(b *binder, y *resolve.Symbol, n int32) {
	for p := range b.Children(b.Child(n, "type_parameters")) {
		bound := b.First(b.First(p, "type_bound"))
		b.typeParameter(y, b.First(p, "type_identifier", "identifier"), p, bound)
	}
}

func javaMethod(b *binder, n int32) {
	owner := b.class()
	y := b.callable(aMethod, b.Child(n, "name"), n, b.Child(n, "type"))
	d := declOf(y)
	head := javaModifiers(b.Unit, n)
	d.static, d.final, d.private = head("static"), head("final"), head("private")
	inInterface := owner != nil && declOf(owner).word == "interface"
	d.abstract = head("abstract") || inInterface && b.Child(n, "body") < 0
	javaCallable(b, y, n)
}

func javaCallable(b *binder, y *resolve.Symbol, n int32) {
	javaTypeParameters(b, y, n)
	for p := range b.Children(b.Child(n, "parameters")) {
		switch b.Kind(p) {
		case "formal_parameter":
			b.parameter(y, b.Child(p, "name"), p, b.Child(p, "type"))
		case "spread_parameter":
			declarator := b.First(p, "variable_declarator")
			typ := int32(-1)
			for c := range b.Children(p) {
				if c != declarator && b.Kind(c) != "modifiers" {
					typ = c
				}
			}
			declOf(b.parameter(y, b.Child(declarator, "name"), p, typ)).variadic = true
		}
	}
}

func javaVariables(b *binder, n int32) {
	head := javaModifiers(b.Unit, n)
	for c := range b.Children(n) {
		if b.Kind(c) != "variable_declarator" {
			continue
		}
		y := b.variable(b.Child(c, "name"), c, b.Child(n, "type"), b.Child(c, "value"))
		if y != nil {
			declOf(y).static, declOf(y).private = head("static"), head("private")
			declOf(y).arrays = strings.Count(b.Text(b.Child(c, "dimensions")), "[")
		}
	}
}

func javaLambda(b *binder, n int32) {
	b.begin(n)
	list := b.Child(n, "parameters")
	names := []int32{list}
	if b.Kind(list) != "identifier" {
		names = b.List(list)
	}
	for i, p := range names {
		name, typ := p, int32(-1)
		if b.Kind(p) == "formal_parameter" {
			name, typ = b.Child(p, "name"), b.Child(p, "type")
		}
		declOf(b.local(name, p, typ, n, asParameter)).index = i
	}
}

// javaExpr reads a node as an expression.
func javaExpr(u *resolve.Unit, n int32) expr {
	e := expression(noExpr)
	switch u.Kind(n) {
	case "identifier":
		e.op, e.name = aName, n
	case "field_access", "scoped_identifier":
		e.op, e.object, e.name = aMember, u.Child(n, "object"), u.Child(n, "field")
		if u.Kind(n) == "scoped_identifier" {
			e.object, e.name = u.Child(n, "scope"), u.Child(n, "name")
		}
		if u.Kind(e.name) == "this" {
			e.op, e.typ, e.name = aSelf, e.object, -1
		}
	case "method_invocation":
		e.op, e.object, e.name = aCall, u.Child(n, "object"), u.Child(n, "name")
		e.args = u.List(u.Child(n, "arguments"))
	case "object_creation_expression":
		e.op, e.typ, e.args = aNew, u.Child(n, "type"), u.List(u.Child(n, "arguments"))
		e.body = u.First(n, "class_body")
	case "this":
		e.op = aSelf
	case "super":
		e.op = aSuper
	case "cast_expression":
		e.op, e.typ = aCast, u.Child(n, "type")
	case "parenthesized_expression":
		e.op, e.parts = aPart, []int32{u.First(n)}
	case "ternary_expression":
		e.op, e.parts = aPart, []int32{u.Child(n, "consequence"), u.Child(n, "alternative")}
	case "switch_expression":
		e.op = aPart
		for rule := range u.Children(u.Child(n, "body")) {
			if s := u.First(rule, "expression_statement"); u.Kind(rule) == "switch_rule" && s >= 0 {
				e.parts = append(e.parts, u.First(s))
			}
		}
	case "assignment_expression":
		e.op, e.parts = anAssignment, []int32{u.Child(n, "left"), u.Child(n, "right")}
	case "array_access":
		e.op, e.object = anElement, u.Child(n, "array")
	case "array_creation_expression":
		e.op, e.typ = anArray, u.Child(n, "type")
	case "lambda_expression":
		e.op, e.body = aFunction, u.Child(n, "body")
		e.parts = []int32{u.Child(n, "parameters")}
		if u.Kind(e.parts[0]) != "identifier" {
			e.parts = u.List(e.parts[0])
		}
	case "method_reference":
		list := u.List(n)
		e.op, e.object = aMethodOf, list[0]
		if last := list[len(list)-1]; len(list) > 1 && u.Kind(last) == "identifier" {
			e.name = last
		}
	case "binary_expression":
		e = javaBinary(u, n, e)
	case "unary_expression", "update_expression":
		e.op, e.parts = aPart, []int32{u.First(n)}
	case "type_identifier", "generic_type", "scoped_type_identifier", "array_type", "integral_type":
		e.op, e.typ = aTypeOnly, n
	case "null_literal":
		e.op = aNull
	default:
		if name := javaLiterals[u.Kind(n)]; name != "" {
			e.op, e.text = ofType, name
			switch suffix := u.Text(n)[len(u.Text(n))-1]; {
			case name == "int" && (suffix == 'l' || suffix == 'L'):
				e.text = "long"
			case name == "double" && (suffix == 'f' || suffix == 'F'):
				e.text = "float"
			}
		}
	}
	return e
}

var javaLiterals = map[string]string{
	"string_literal": "String", "character_literal": "char", "true": "boolean", "false": "boolean",
	"decimal_integer_literal": "int", "hex_integer_literal": "int", "octal_integer_literal": "int",
	"binary_integer_literal": "int", "decimal_floating_point_literal": "double", "class_literal": "Class",
	"instanceof_expression": "boolean", "text_block": "String",
}

func javaBinary(u *resolve.Unit, n int32, e expr) expr {
	left, right := u.Child(n, "left"), u.Child(n, "right")
	switch u.Text(u.Child(n, "operator")) {
	case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
		e.op, e.text = ofType, "boolean"
	default:
		e.op, e.parts = aSum, []int32{left, right}
	}
	return e
}

// javaType reads a node as a type.
func javaType(u *resolve.Unit, n int32) written {
	w := written{name: -1, before: -1}
	switch u.Kind(n) {
	case "type_identifier":
		w.kind, w.name = namedType, n
		if u.Text(n) == "var" {
			w.kind = inferred
		}
	case "scoped_type_identifier":
		list := javaPlain(u, n)
		w.kind, w.before, w.name = namedType, list[0], list[len(list)-1]
	case "scoped_identifier": // of an annotation, a qualified name
		if k := u.Kind(u.Parent(n)); k == "annotation" || k == "marker_annotation" {
			w.kind, w.before, w.name = namedType, u.Child(n, "scope"), u.Child(n, "name")
		}
	case "identifier":
		k := u.Kind(u.Parent(n))
		if (k == "annotation" || k == "marker_annotation") && u.Field(n) == "name" || k == "record_pattern" {
			w.kind, w.name = namedType, n
		}
	case "generic_type":
		list := javaPlain(u, n)
		w = javaType(u, list[0])
		w.args = u.List(u.First(n, "type_arguments"))
	case "array_type":
		w.kind, w.parts = arrayType, []int32{u.Child(n, "element")}
	case "catch_type":
		w.kind, w.parts = anyOf, u.List(n)
	case "annotated_type", "type_bound":
		if list := javaPlain(u, n); len(list) > 0 {
			w.kind, w.parts = sameAs, list[:1]
		}
	case "wildcard":
		if list := javaPlain(u, n); len(list) > 0 {
			w.kind, w.parts = sameAs, list[len(list)-1:]
		}
	case "integral_type", "floating_point_type", "boolean_type", "void_type":
		w.kind, w.text = basicType, u.Text(n)
	}
	return w
}

// javaPlain lists the children that are no annotations.
func javaPlain(u *resolve.Unit, n int32) []int32 {
	return slices.DeleteFunc(u.List(n), func(c int32) bool {
		k := u.Kind(c)
		return k == "annotation" || k == "marker_annotation" || k == "super"
	})
}

// javaMeaning says what is at names that are no expressions and no types.
func javaMeaning(c *context, n int32) (resolve.Meaning, bool) {
	u := c.u
	p := u.Parent(n)
	switch u.Kind(p) {
	case "labeled_statement", "break_statement", "continue_statement":
		return resolve.Meaning{Known: true}, true
	case "element_value_pair":
		if u.Field(n) == "key" {
			t := c.typeAt(u.Child(u.Around(n, "annotation"), "name"))
			var all []member
			for _, v := range t {
				found, _ := c.membersOf(v, u.Text(n), wantCall)
				all = append(all, found...)
			}
			return c.meaningAmong(all, true), true
		}
	}
	if c.f.scopeAt(n) != c.f.top {
		return resolve.Meaning{}, false
	}
	if u.Around(n, "package_declaration", "module_declaration") >= 0 {
		return resolve.Meaning{Known: true}, true
	}
	if i := u.Around(n, "import_declaration"); i >= 0 {
		return c.importMeaning(n, c.dotted(u.First(i, "scoped_identifier", "identifier")), has(u, i, "static"),
			u.First(i, "asterisk") >= 0), true
	}
	return resolve.Meaning{}, false
}

// javaLabel finds the constant of an enumeration that a case of a switch names bare.
func javaLabel(c *context, n int32) ([]member, bool) {
	if c.u.Kind(c.u.Parent(n)) != "switch_label" {
		return nil, false
	}
	s := c.u.Around(n, "switch_expression", "switch_statement")
	var all []member
	t := concrete(c.Resolver, c.typeOf(c.u.Child(s, "condition")))
	open := len(t) == 0
	for _, v := range t {
		open = open || v.kind == outside
		if v.kind == instance && declOf(v.class).word == "enum" {
			found, _ := c.membersOf(v, c.u.Text(n), wantValue)
			all = append(all, found...)
		}
	}
	return all, open || len(all) > 0 // of an enumeration of a library it is no name of the project
}

// javaImplied is the type of members that every enumeration and array has.
func javaImplied(c *context, v value, name string, called bool) union {
	switch {
	case v.kind == array && name == "length":
		return c.basic("int")
	case v.kind == array && name == "clone":
		return unionOf(v)
	case v.kind == typeName && called && declOf(v.class).word == "enum":
		v.kind = instance
		switch name {
		case "values":
			return unionOf(value{kind: array, args: []union{unionOf(v)}})
		case "valueOf":
			return unionOf(v)
		}
	}
	return nil
}

// javaBase is what a class is derived from without saying so.
func javaBase(c *context, y *resolve.Symbol) union {
	d := declOf(y)
	if d.within != nil {
		return unionOf(value{kind: instance, class: d.within})
	}
	switch d.word {
	case "enum":
		return c.libraryType("java.lang.Enum", unionOf(value{kind: instance, class: y}))
	case "record":
		return c.libraryType("java.lang.Record")
	}
	if y.Name == "Object" && fileOf(y.Unit).library {
		return nil
	}
	return c.libraryType("java.lang.Object")
}
