package nominal

import (
	_ "embed" // the declarations of the library
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// CSharp is the family of C#.
var CSharp = &Family{rows: []*row{&csharp}}

//go:embed library/csharp.txt
var csharpLibrary string

var csharp = row{
	suffix:     "Attribute",
	language:   syntax.CSharp,
	names:      []string{"implicit_parameter"},
	bind:       bindCSharp,
	expr:       csharpExpr,
	typed:      csharpType,
	mean:       csharpMeaning,
	base:       csharpBase,
	implied:    csharpImplied,
	members:    memberRules{overloads: true, parts: true, nestedPackages: true, extensions: true, methodValues: true},
	implicit:   []string{"System", "System.Collections.Generic", "System.Linq", "System.Threading.Tasks"},
	primitives: map[string]string{"string": "System.String", "object": "System.Object", "Type": "System.Type"},
	top:        "System.Object",
	shared:     "Usings.cs",
	library:    csharpLibrary,
	returns:    []string{"return_statement"},
	element:    []string{"GetEnumerator", "Current"},
	item:       "this",
}

// bindCSharp declares what a node declares.
func bindCSharp(b *binder, n int32) {
	switch k := b.Kind(n); k {
	case "namespace_declaration":
		pack := text.Dotted(b.in.pack, b.Text(b.Child(n, "name")))
		s := b.begin(n)
		s.pack, s.hasPack = pack, true
	case "file_scoped_namespace_declaration":
		b.inPackage(b.Text(b.Child(n, "name")))
	case "using_directive":
		csharpUsing(b, n)
	case "class_declaration", "interface_declaration", "struct_declaration", "enum_declaration", "record_declaration":
		head := strings.Fields(b.Source[b.Nodes[n].Start:b.Nodes[b.Child(n, "name")].Start])
		csharpClass(b, n, head[len(head)-1])
	case "delegate_declaration":
		y := b.typ(b.Child(n, "name"), n, "interface", nil)
		csharpTypeParameters(b, y, n)
		invoke := b.declare(aMethod, -1, n)
		d := declOf(invoke)
		d.owner, d.written, d.abstract = y, b.Child(n, "type"), true
		declOf(y).members["Invoke"], declOf(y).order = []*resolve.Symbol{invoke}, []string{"Invoke"}
		csharpParameters(b, invoke, b.Child(n, "parameters"))
	case "enum_member_declaration":
		if y := b.variable(b.Child(n, "name"), n, -1, -1); y != nil {
			declOf(y).kind, declOf(y).how, declOf(y).static = aField, asOwner, true
		}
	case "tuple_type":
		csharpTuple(b, n)
	case "type_parameter_constraints_clause":
		for _, y := range b.in.names[b.Text(b.First(n, "identifier"))] {
			if t := b.Child(b.First(n, "type_parameter_constraint"), "type"); t >= 0 {
				declOf(y).written = t
			}
		}
	default:
		bindCSharpMember(b, n, k)
	}
}

func bindCSharpMember(b *binder, n int32, k string) {
	switch k {
	case "method_declaration", "local_function_statement":
		csharpMethod(b, n)
	case "constructor_declaration":
		y := b.callable(aConstructor, b.Child(n, "name"), n, -1)
		csharpParameters(b, y, b.Child(n, "parameters"))
	case "indexer_declaration":
		csharpIndexer(b, n)
	case "operator_declaration", "conversion_operator_declaration":
		b.begin(n)
		csharpParameters(b, nil, b.Child(n, "parameters"))
	case "property_declaration", "event_declaration":
		if y := b.variable(b.Child(n, "name"), n, b.Child(n, "type"), -1); y != nil {
			d := declOf(y)
			d.kind, d.property = aField, true
			d.static, d.hides = csharpModifier(b.Unit, n, "static"), csharpModifier(b.Unit, n, "new")
			d.implements = b.First(b.First(n, "explicit_interface_specifier"))
		}
	case "variable_declaration":
		p := b.Parent(n)
		for c := range b.Children(n) {
			if b.Kind(c) != "variable_declarator" {
				continue
			}
			list := b.List(c)
			value := int32(-1)
			if len(list) > 1 {
				value = list[len(list)-1]
			}
			if y := b.variable(b.Child(c, "name"), c, b.Child(n, "type"), value); y != nil {
				declOf(y).static = csharpModifier(b.Unit, p, "static") || csharpModifier(b.Unit, p, "const")
			}
		}
	case "lambda_expression", "anonymous_method_expression":
		csharpLambda(b, n)
	case "foreach_statement":
		b.begin(n)
		if left := b.Child(n, "left"); b.Kind(left) == "identifier" {
			b.local(left, n, b.Child(n, "type"), b.Child(n, "right"), asElement)
		}
	case "from_clause", "join_clause", "let_clause", "query_continuation":
		csharpRange(b, n, k)
	case "tuple_pattern", "parenthesized_variable_designation":
		for c := range b.Children(n) { // of what is taken apart the types are not known
			if b.Kind(c) == "identifier" {
				b.local(c, n, -1, -1, asValue)
			}
		}
	case "declaration_pattern", "declaration_expression", "catch_declaration", "recursive_pattern":
		b.local(b.Child(n, "name"), n, b.Child(n, "type"), -1, asValue)
	case "block", "for_statement", "using_statement", "catch_clause", "switch_section", "switch_expression_arm",
		"accessor_declaration", "arrow_expression_clause", "query_expression":
		b.begin(n)
	}
}

// csharpRange declares the variable of a clause of a query.
func csharpRange(b *binder, n int32, k string) {
	name, typ, value, as := b.Child(n, "name"), b.Child(n, "type"), int32(-1), asElement
	list := b.List(n)
	if name < 0 {
		name = b.First(n, "identifier")
	}
	for _, c := range list {
		if c > name && c != typ && value < 0 {
			value = c
		}
	}
	if k == "let_clause" {
		as = asValue
	}
	if name >= 0 {
		b.local(name, n, typ, value, as)
	}
}

func csharpUsing(b *binder, n int32) {
	if b.Kind(b.Parent(n)) == "using_statement" {
		return
	}
	alias := b.Child(n, "name")
	var path int32 = -1
	for c := range b.Children(n) {
		if c != alias {
			path = c
		}
	}
	i := importLine{path: strings.Join(strings.Fields(b.Text(path)), ""), members: has(b.Unit, n, "static"), shared: has(b.Unit, n, "global")}
	if alias >= 0 {
		i.name = b.Text(alias)
	}
	b.importing(i)
}

func csharpModifier(u *resolve.Unit, n int32, word string) bool {
	for c := range u.Children(n) {
		if u.Kind(c) == "modifier" && strings.HasPrefix(u.Source[u.Nodes[c].Start:], word) { // it may be repaired
			return true
		}
	}
	return false
}

func csharpClass(b *binder, n int32, word string) {
	var supers []int32
	for c := range b.Children(b.First(n, "base_list")) {
		if b.Kind(c) == "primary_constructor_base_type" {
			c = b.First(c)
		}
		if b.Kind(c) != "argument_list" && word != "enum" {
			supers = append(supers, c)
		}
	}
	y := b.typ(b.Child(n, "name"), n, word, supers)
	d := declOf(y)
	d.final = csharpModifier(b.Unit, n, "sealed") || csharpModifier(b.Unit, n, "static")
	csharpTypeParameters(b, y, n)
	list := b.First(n, "parameter_list")
	if list < 0 {
		return
	}
	d.canonical = b.declare(aConstructor, -1, n)
	declOf(d.canonical).owner = y
	for p := range b.Children(list) {
		if name := b.Child(p, "name"); name >= 0 {
			f := b.variable(name, p, b.Child(p, "type"), -1)
			declOf(d.canonical).params = append(declOf(d.canonical).params, f)
		}
	}
}

// csharpTuple declares the class without a name that a tuple is of: (int Low, int High).
func csharpTuple(b *binder, n int32) {
	y := b.declare(aType, -1, n)
	b.f.callables[n] = y
	d := declOf(y)
	d.word, d.final, d.members = "struct", true, map[string][]*resolve.Symbol{}
	for e := range b.Children(n) {
		name := b.Child(e, "name")
		if name < 0 {
			continue
		}
		f := b.declare(aField, name, e)
		declOf(f).owner, declOf(f).written = y, b.Child(e, "type")
		d.members[f.Name], d.order = append(d.members[f.Name], f), append(d.order, f.Name)
	}
}

func csharpTypeParameters(b *binder, y *resolve.Symbol, n int32) {
	list := b.First(n, "type_parameter_list")
	for p := range b.Children(list) {
		b.typeParameter(y, b.Child(p, "name"), p, -1)
	}
}

func csharpMethod(b *binder, n int32) {
	owner := b.class()
	returns := b.Child(n, "returns")
	if returns < 0 {
		returns = b.Child(n, "type")
	}
	y := b.callable(aMethod, b.Child(n, "name"), n, returns)
	d := declOf(y)
	d.static, d.hides = csharpModifier(b.Unit, n, "static"), csharpModifier(b.Unit, n, "new")
	d.implements = b.First(b.First(n, "explicit_interface_specifier"))
	d.abstract = csharpModifier(b.Unit, n, "abstract") || owner != nil && declOf(owner).word == "interface" && b.Child(n, "body") < 0
	csharpTypeParameters(b, y, n)
	list := b.Child(n, "parameters")
	csharpParameters(b, y, list)
	if first := b.First(list, "parameter"); owner != nil && csharpModifier(b.Unit, first, "this") {
		d.receiver = b.Child(first, "type")
		b.f.extensions[y.Name] = append(b.f.extensions[y.Name], y)
	}
}

// csharpIndexer declares what brackets after an object call. It has no name; the member goes by the word for it.
func csharpIndexer(b *binder, n int32) {
	y := b.declare(aMethod, -1, n)
	y.Name = b.f.row.item
	d := declOf(y)
	d.written, d.implements = b.Child(n, "type"), b.First(b.First(n, "explicit_interface_specifier"))
	b.member(y)
	b.begin(n)
	csharpParameters(b, y, b.Child(n, "parameters"))
}

// csharpParameters declares parameters. One that takes the rest is in the list
// without a node of its own.
func csharpParameters(b *binder, y *resolve.Symbol, list int32) {
	for c := range b.Children(list) {
		switch {
		case b.Kind(c) == "parameter":
			b.parameter(y, b.Child(c, "name"), c, b.Child(c, "type"))
			last := b.List(c)
			if k := b.Field(last[len(last)-1]); k != "name" && y != nil && len(last) > 1 {
				declOf(y).optional++
			}
		case b.Field(c) == "name":
			p := b.parameter(y, c, c, b.Child(list, "type"))
			declOf(p).rest, declOf(p).variadic = true, true
		}
	}
}

func csharpLambda(b *binder, n int32) {
	b.begin(n)
	list := b.Child(n, "parameters")
	if b.Kind(list) != "parameter_list" {
		if list >= 0 {
			b.local(list, list, -1, n, asParameter)
		}
		return
	}
	i := 0
	for p := range b.Children(list) {
		if name := b.Child(p, "name"); name >= 0 {
			declOf(b.local(name, p, b.Child(p, "type"), n, asParameter)).index = i
			i++
		}
	}
}

// csharpExpr reads a node as an expression.
func csharpExpr(u *resolve.Unit, n int32) expr {
	e := expression(noExpr)
	switch u.Kind(n) {
	case "identifier", "generic_name":
		p := u.Parent(n)
		switch {
		case u.Kind(p) == "invocation_expression" && u.Field(n) == "function":
			return csharpCall(u, p)
		case u.Kind(n) == "identifier":
			e.op, e.name = aName, n
		case u.Field(n) == "name" && (u.Kind(p) == "member_access_expression" || u.Kind(p) == "member_binding_expression"):
			return csharpExpr(u, p)
		default:
			e.op, e.typ = aTypeOnly, n
		}
	case "member_access_expression", "member_binding_expression":
		if call := csharpCallOf(u, n); call >= 0 {
			return csharpCall(u, call)
		}
		e.op = aMember
		e.object, e.name = csharpMember(u, n)
	case "invocation_expression":
		return csharpCall(u, n)
	case "object_creation_expression", "implicit_object_creation_expression":
		e.op, e.typ, e.args = aNew, u.Child(n, "type"), csharpArguments(u, u.First(n, "argument_list"))
	case "this":
		e.op = aSelf
	case "base":
		e.op = aSuper
	case "cast_expression", "default_expression":
		e.op, e.typ = aCast, u.Child(n, "type")
	case "as_expression":
		e.op, e.typ = aCast, u.Child(n, "right")
	case "await_expression":
		e.op, e.parts = anAwaited, []int32{u.First(n)}
	case "parenthesized_expression", "checked_expression", "postfix_unary_expression", "prefix_unary_expression",
		"switch_expression_arm", "ref_expression":
		e.op, e.parts = aPart, []int32{u.First(n)}
	case "conditional_access_expression":
		list := u.List(n)
		e.op, e.parts = aPart, list[len(list)-1:]
	case "conditional_expression":
		e.op, e.parts = aPart, []int32{u.Child(n, "consequence"), u.Child(n, "alternative")}
	case "assignment_expression":
		e.op, e.parts = anAssignment, []int32{u.Child(n, "left"), u.Child(n, "right")}
	case "element_access_expression":
		e.op, e.object, e.args = anElement, u.Child(n, "expression"), csharpArguments(u, u.Child(n, "subscript"))
	case "element_binding_expression":
		e.op, e.args = anElement, csharpArguments(u, n)
		e.object = u.Child(u.Around(n, "conditional_access_expression"), "condition")
	case "array_creation_expression":
		e.op, e.typ = aCast, u.Child(n, "type")
	case "lambda_expression", "anonymous_method_expression":
		e.op, e.body = aFunction, u.Child(n, "body")
		if e.parts = []int32{u.Child(n, "parameters")}; u.Kind(e.parts[0]) == "parameter_list" {
			e.parts = u.List(e.parts[0])
		}
	case "binary_expression":
		e = javaBinary(u, n, e)
		if u.Text(u.Child(n, "operator")) == "??" {
			e.op = aPart
		}
	case "typeof_expression":
		e.op, e.text = ofType, "Type"
	case "is_expression", "is_pattern_expression", "boolean_literal":
		e.op, e.text = ofType, "bool"
	case "string_literal", "interpolated_string_expression", "verbatim_string_literal", "raw_string_literal":
		e.op, e.text = ofType, "string"
	case "integer_literal", "real_literal":
		e.op, e.text = ofType, csharpNumber(strings.ToLower(u.Text(n)))
	case "character_literal":
		e.op, e.text = ofType, "char"
	case "null_literal":
		e.op = aNull
	case "predefined_type":
		e.op, e.typ = aTypeOnly, n
	}
	return e
}

// csharpCallOf returns the call of a member, or -1: x.F(1), x?.F(1).
func csharpCallOf(u *resolve.Unit, n int32) int32 {
	p := u.Parent(n)
	if u.Kind(p) == "conditional_access_expression" && n != u.Child(p, "condition") {
		n, p = p, u.Parent(p)
	}
	if u.Kind(p) == "invocation_expression" && u.Field(n) == "function" {
		return p
	}
	return -1
}

// csharpMember returns what comes before and after the dot.
func csharpMember(u *resolve.Unit, n int32) (object, name int32) {
	object, name = u.Child(n, "expression"), u.Child(n, "name")
	if u.Kind(n) == "member_binding_expression" {
		object = u.Child(u.Around(n, "conditional_access_expression"), "condition")
	}
	if u.Kind(name) == "generic_name" {
		name = u.First(name, "identifier")
	}
	return object, name
}

func csharpCall(u *resolve.Unit, n int32) expr {
	e := expression(aCall)
	e.args = csharpArguments(u, u.Child(n, "arguments"))
	f := u.Child(n, "function")
	if u.Kind(f) == "conditional_access_expression" { // what comes after the question mark is called
		list := u.List(f)
		f = list[len(list)-1]
	}
	switch u.Kind(f) {
	case "identifier":
		e.name = f
	case "generic_name":
		e.name, e.targs = u.First(f, "identifier"), u.List(u.First(f, "type_argument_list"))
	case "member_access_expression", "member_binding_expression":
		e.object, e.name = csharpMember(u, f)
		e.targs = u.List(u.First(u.Child(f, "name"), "type_argument_list"))
	default:
		e.object = f
	}
	return e
}

// csharpArguments lists the values of arguments.
func csharpArguments(u *resolve.Unit, list int32) []int32 {
	var all []int32
	for a := range u.Children(list) {
		if parts := u.List(a); len(parts) > 0 {
			all = append(all, parts[len(parts)-1])
		} else {
			all = append(all, a)
		}
	}
	return all
}

// csharpType reads a node as a type.
func csharpType(u *resolve.Unit, n int32) written {
	w := written{name: -1, before: -1}
	switch u.Kind(n) {
	case "identifier":
		if isCSharpTypePosition(u, n) {
			w.kind, w.name = namedType, n
		}
	case "implicit_type":
		w.kind = inferred
	case "generic_name":
		if k := u.Kind(u.Parent(n)); k == "member_access_expression" && u.Field(n) == "name" || k == "invocation_expression" {
			return w
		}
		w.kind, w.name, w.args = namedType, u.First(n, "identifier"), csharpTypeArguments(u, u.First(n, "type_argument_list"))
	case "qualified_name", "alias_qualified_name":
		w = csharpType(u, u.Child(n, "name"))
		if w.kind != namedType {
			w = written{kind: namedType, name: u.Child(n, "name")}
		}
		w.before = u.Child(n, "qualifier")
	case "array_type":
		w.kind, w.parts = arrayType, []int32{u.Child(n, "type")}
	case "nullable_type", "ref_type", "scoped_type":
		w.kind, w.parts = sameAs, []int32{u.Child(n, "type")}
		if u.Kind(w.parts[0]) == "implicit_type" { // ref var
			w.kind = inferred
		}
	case "tuple_type":
		w.kind = ownType
	case "predefined_type":
		w.kind, w.text = basicType, u.Text(n)
	}
	return w
}

// csharpTypeArguments lists the arguments of a type, -1 for each that is left open:
// typeof(Pair<,>).
func csharpTypeArguments(u *resolve.Unit, list int32) []int32 {
	all := u.List(list)
	if list < 0 || len(all) > 0 {
		return all
	}
	for range strings.Count(u.Text(list), ",") + 1 {
		all = append(all, -1)
	}
	return all
}

var csharpTypeFields = []string{"type", "returns"}

// isCSharpTypePosition reports whether an identifier is a type's.
func isCSharpTypePosition(u *resolve.Unit, n int32) bool {
	switch u.Kind(u.Parent(n)) {
	case "base_list", "type_argument_list", "explicit_interface_specifier", "primary_constructor_base_type", "qualified_name":
		return true
	case "generic_name":
		return csharpType(u, u.Parent(n)).kind == namedType
	case "as_expression", "is_expression":
		return u.Field(n) == "right"
	}
	return slices.Contains(csharpTypeFields, u.Field(n))
}

// csharpMeaning says what is at names that are no expressions and no types.
func csharpMeaning(c *context, n int32) (resolve.Meaning, bool) {
	u := c.u
	p := u.Parent(n)
	switch u.Kind(p) {
	case "labeled_statement", "goto_statement", "namespace_declaration", "file_scoped_namespace_declaration",
		"destructor_declaration":
		return resolve.Meaning{Known: true}, true
	case "argument":
		if u.Field(n) == "name" {
			return c.argumentNamed(p, n), true
		}
	case "anonymous_object_creation_expression": // new { Value = 1 } has names of its own
		if end := int(u.Nodes[n].End); end < len(u.Source) && strings.HasPrefix(strings.TrimSpace(string(u.Source[end:])), "=") {
			return resolve.Meaning{Known: true}, true
		}
	case "attribute", "attribute_argument", "attribute_target_specifier":
		if u.Field(n) == "name" && u.Kind(p) == "attribute" {
			types, known := c.attributeNamed(n)
			return resolve.Meaning{Symbols: types, Known: known}, true
		}
	case "assignment_expression":
		i := u.Parent(p)
		if u.Kind(i) == "attribute_argument" && u.Field(n) == "left" {
			types, known := c.attributeNamed(u.Child(u.Around(i, "attribute"), "name"))
			m := resolve.Meaning{Known: known}
			for _, y := range types {
				for _, f := range first(c.membersOf(value{kind: instance, class: y}, u.Text(n), wantValue)) {
					m.Symbols = append(m.Symbols, f.symbol)
				}
			}
			return m, true
		}
		if u.Kind(i) == "initializer_expression" && u.Field(n) == "left" {
			e := expression(aMember)
			e.object, e.name = u.Parent(i), n
			return c.memberMeaning(e), true
		}
	}
	if c.f.scopeAt(n) == c.f.top {
		if i := u.Around(n, "using_directive"); i >= 0 {
			prefix := c.dotted(n)
			if u.Kind(p) == "qualified_name" {
				prefix = c.dotted(p)
				if u.Field(n) == "qualifier" {
					prefix = c.dotted(n)
				}
			}
			return resolve.Meaning{Symbols: matchingSymbols(c.qualified(prefix), wantType), Known: true}, true
		}
	}
	return resolve.Meaning{}, false
}

// attributeNamed lists the classes that the name of an attribute may mean, and reports
// whether it is known to mean no others of the project.
func (c *context) attributeNamed(n int32) (types []*resolve.Symbol, known bool) {
	unreached := false
	for _, name := range []string{c.u.Text(n), c.u.Text(n) + c.f.row.suffix} {
		types = append(types, c.typesNamed(n, name)...)
		unreached = unreached || c.unreached(name, wantType)
	}
	return types, len(types) > 0 || !unreached
}

// argumentNamed finds the parameter that an argument is given to by name.
func (c *context) argumentNamed(argument, n int32) resolve.Meaning {
	call := c.u.Parent(c.u.Parent(argument))
	e := c.f.row.expr(c.u, call)
	if e.op != aCall && e.op != aNew {
		return resolve.Meaning{}
	}
	var m resolve.Meaning
	for _, f := range c.choose(c.candidates(e), e.args) {
		for _, p := range declOf(f.symbol).params {
			if p.Name == c.u.Text(n) {
				m.Symbols, m.Known = append(m.Symbols, p), true
			}
		}
	}
	m.OneOf = len(m.Symbols) > 1
	return m
}

// csharpBase is what a class is derived from without saying so.
func csharpBase(c *context, y *resolve.Symbol) union {
	if y.Name == "Object" && fileOf(y.Unit).library {
		return nil
	}
	return c.libraryType("System.Object")
}

func csharpImplied(c *context, v value, name string, _ bool) union {
	switch {
	case v.kind == array && name == "Length":
		return c.basic("int")
	case v.kind == primitive && csharpConstants[name]:
		return unionOf(v)
	}
	return nil
}

// csharpConstants are the members of numbers that are such a number, or make one.
var csharpConstants = text.WordSet("MinValue MaxValue Zero One MinusOne Epsilon NaN" +
	" PositiveInfinity NegativeInfinity Parse")

// csharpNumber is the type of a number as it is written, in lower case.
func csharpNumber(number string) string {
	whole := strings.TrimRight(number, "ul")
	switch suffix := number[len(whole):]; {
	case suffix == "l":
		return "long"
	case suffix == "u":
		return "uint"
	case suffix != "":
		return "ulong"
	case strings.HasPrefix(number, "0x"):
		return "int"
	}
	switch number[len(number)-1] {
	case 'f':
		return "float"
	case 'm':
		return "decimal"
	case 'd':
		return "double"
	}
	if strings.ContainsAny(number, ".e") {
		return "double"
	}
	return "int"
}
