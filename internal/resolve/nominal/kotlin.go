package nominal

import (
	_ "embed" // the declarations of the library
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

//go:embed library/kotlin.txt
var kotlinLibrary string

var kotlin = row{
	language: syntax.Kotlin,
	bind:     bindKotlin,
	expr:     kotlinExpr,
	typed:    kotlinType,
	mean:     kotlinMeaning,
	implied:  kotlinImplied,
	base:     javaBase,
	narrow:   kotlinNarrow,
	slot:     kotlinSlot,
	quoted:   kotlinQuoted,
	members:  memberRules{overloads: true, privateToFile: true, receivers: true},
	implicit: []string{
		"kotlin", "kotlin.collections", "kotlin.sequences", "kotlin.text", "kotlin.io", "kotlin.ranges",
		"kotlin.comparisons", "kotlin.annotation", "kotlin.jvm", "java.lang",
	},
	primitives: map[string]string{
		"String": "java.lang.String", "Int": "java.lang.Integer", "Long": "java.lang.Long",
		"Double": "java.lang.Double", "Char": "java.lang.Character", "Boolean": "java.lang.Boolean",
	},
	boxes:   java.boxes,
	top:     java.top,
	ofTop:   []string{"equals", "hashCode", "toString"},
	library: kotlinLibrary,
	returns: []string{"return_expression"},
	element: java.element,
	item:    "get",
}

// bindKotlin declares what a node declares.
func bindKotlin(b *binder, n int32) {
	switch k := b.Kind(n); k {
	case "package_header":
		b.inPackage(b.dotted(b.First(n, "qualified_identifier")))
	case "import":
		i := importLine{path: b.dotted(b.First(n, "qualified_identifier"))}
		if !strings.HasSuffix(strings.TrimRight(b.Text(n), "; \t"), "*") {
			_, i.name = lastOf(i.path)
			if alias := b.First(n, "identifier"); alias >= 0 {
				i.name = b.Text(alias)
			}
		}
		b.importing(i)
	case "class_declaration", "object_declaration", "companion_object":
		kotlinClass(b, n)
	case "object_literal":
		b.typ(-1, n, "class", kotlinSupers(b.Unit, n))
	case "enum_entry":
		y := b.variable(b.First(n, "identifier"), n, -1, -1)
		if y == nil {
			return
		}
		d := declOf(y)
		d.kind, d.how, d.static, d.final = aField, asOwner, true, true
		if b.First(n, "class_body") >= 0 {
			declOf(b.typ(-1, n, "class", nil)).within = d.owner
		}
	case "type_alias":
		y := b.typ(b.Child(n, "type"), n, "alias", nil)
		kotlinTypeParameters(b, y, n)
		list := b.List(n)
		declOf(y).alias = list[len(list)-1]
		declOf(y).many = kotlinMany(b.Unit, n)
	case "function_declaration", "anonymous_function", "secondary_constructor":
		kotlinFunction(b, n, k)
	case "property_declaration":
		kotlinProperty(b, n)
	case "lambda_literal":
		kotlinLambda(b, n)
	default:
		bindKotlinLocal(b, n, k)
	}
}

func bindKotlinLocal(b *binder, n int32, k string) {
	switch k {
	case "type_constraint":
		for _, y := range b.in.names[b.Text(b.First(n, "identifier"))] {
			list := b.List(n)
			declOf(y).written = list[len(list)-1]
		}
	case "for_statement":
		b.begin(n)
		list := b.List(n)
		i := slices.IndexFunc(list, func(c int32) bool { return strings.HasSuffix(b.Kind(c), "variable_declaration") })
		if i >= 0 && i+1 < len(list) {
			kotlinLocals(b, list[i], list[i+1], asElement)
		}
	case "when_expression":
		b.begin(n)
	case "when_subject":
		if v := b.First(n, "variable_declaration"); v >= 0 {
			list := b.List(n)
			kotlinLocals(b, v, list[len(list)-1], asValue)
		}
	case "catch_block":
		b.begin(n)
		name := b.First(n, "identifier")
		for _, c := range b.List(n) {
			if c > name && kotlinIsType(b.Kind(c)) {
				b.local(name, n, c, -1, asValue)
				break
			}
		}
	case "getter", "setter":
		s := b.begin(n)
		s.body = true
		p := b.Parent(n)
		if r := kotlinReceiver(b.Unit, p, b.First(p, "variable_declaration")); r >= 0 {
			s.self = r
		}
		if name := b.First(n, "identifier"); k == "setter" && name >= 0 {
			v := b.First(p, "variable_declaration")
			b.local(name, n, kotlinTypeAfter(b.Unit, v, v), -1, asValue)
		}
	case "anonymous_initializer", "block", "while_statement":
		b.begin(n)
	}
}

// dotted is the text of a node without white space and quotes.
func (b *binder) dotted(n int32) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(b.Text(n)), ""), "`", "")
}

func kotlinModifier(u *resolve.Unit, n int32, word string) bool {
	for c := range u.Children(u.First(n, "modifiers")) {
		if u.Kind(c) != "annotation" && u.Text(c) == word {
			return true
		}
	}
	return false
}

// kotlinMany reports whether a declaration is expected of all platforms, or is what one of them has.
func kotlinMany(u *resolve.Unit, n int32) bool {
	return kotlinModifier(u, n, "expect") || kotlinModifier(u, n, "actual")
}

func kotlinIsType(kind string) bool {
	switch kind {
	case "user_type", "nullable_type", "function_type", "non_nullable_type", "parenthesized_type":
		return true
	}
	return false
}

// kotlinTypeAfter is the first type among the children of a node after one, or -1.
func kotlinTypeAfter(u *resolve.Unit, n, after int32) int32 {
	for c := range u.Children(n) {
		if c > after && kotlinIsType(u.Kind(c)) {
			return c
		}
	}
	return -1
}

// kotlinReceiver is the type that a function or a property extends, before its name,
// or -1.
func kotlinReceiver(u *resolve.Unit, n, name int32) int32 {
	for c := range u.Children(n) {
		if c >= name {
			break
		}
		if kotlinIsType(u.Kind(c)) {
			return c
		}
	}
	return -1
}

// kotlinSupers lists the types that a class is derived from.
func kotlinSupers(u *resolve.Unit, n int32) (all []int32) {
	for s := range u.Children(u.First(n, "delegation_specifiers")) {
		for c := range u.Children(s) {
			switch k := u.Kind(c); {
			case k == "constructor_invocation" || k == "explicit_delegation":
				all = append(all, u.First(c))
			case kotlinIsType(k):
				all = append(all, c)
			}
		}
	}
	return all
}

func kotlinClass(b *binder, n int32) {
	outer, name := b.class(), b.Child(n, "name")
	word := "class"
	switch {
	case b.Kind(n) != "class_declaration":
		word = "object"
	case b.First(n, "enum_class_body") >= 0 || kotlinModifier(b.Unit, n, "enum"):
		word = "enum"
	case name >= 0 && kotlinWord(b.Unit, n, name, "interface"):
		word = "interface"
	}
	y := b.declare(aType, name, n)
	if y.Name == "" {
		y.Name = "Companion"
	}
	d := declOf(y)
	d.word, d.supers, d.members = word, kotlinSupers(b.Unit, n), map[string][]*resolve.Symbol{}
	b.member(y)
	b.begin(n).class = y
	if b.Kind(n) == "companion_object" && outer != nil {
		declOf(outer).companion = y
	}
	d.static, d.private = !kotlinModifier(b.Unit, n, "inner"), kotlinModifier(b.Unit, n, "private")
	d.final = word != "interface" && !slices.ContainsFunc([]string{"open", "abstract", "sealed", "expect"}, func(w string) bool {
		return kotlinModifier(b.Unit, n, w)
	})
	d.many = kotlinMany(b.Unit, n)
	kotlinTypeParameters(b, y, n)
	if word != "class" && word != "enum" {
		return
	}
	list := b.First(b.First(n, "primary_constructor"), "class_parameters")
	if list < 0 && b.First(b.First(n, "class_body"), "secondary_constructor") >= 0 {
		return
	}
	d.canonical = b.declare(aConstructor, -1, n)
	e := declOf(d.canonical)
	e.owner = y
	for p := range b.Children(list) {
		name := b.First(p, "identifier")
		if b.Kind(p) != "class_parameter" || name < 0 {
			continue
		}
		written := kotlinTypeAfter(b.Unit, p, name)
		var v *resolve.Symbol
		if kotlinWord(b.Unit, p, name, "val", "var") {
			v = b.variable(name, p, written, -1)
			declOf(v).property = true
			declOf(v).private = kotlinModifier(b.Unit, p, "private")
			d.components = append(d.components, v)
		} else {
			v = b.local(name, p, written, -1, asValue)
			declOf(v).initial = true
		}
		declOf(v).variadic = kotlinModifier(b.Unit, p, "vararg")
		if children := b.List(p); children[len(children)-1] > written && written >= 0 {
			b.f.values[children[len(children)-1]] = v
			e.optional++
		}
		e.params = append(e.params, v)
	}
}

// kotlinWord reports whether one of some keywords is in a node before a child, behind
// modifiers.
func kotlinWord(u *resolve.Unit, n, before int32, words ...string) bool {
	from := u.Nodes[n].Start
	if m := u.First(n, "modifiers"); m >= 0 && m < before {
		from = u.Nodes[m].End
	}
	return slices.ContainsFunc(strings.Fields(u.Source[from:u.Nodes[before].Start]), func(w string) bool {
		return slices.Contains(words, w)
	})
}

func kotlinTypeParameters(b *binder, y *resolve.Symbol, n int32) {
	for p := range b.Children(b.First(n, "type_parameters")) {
		if name := b.First(p, "identifier"); name >= 0 {
			b.typeParameter(y, name, p, kotlinTypeAfter(b.Unit, p, name))
		}
	}
}

// kotlinFunction declares a function, a method, or a constructor.
func kotlinFunction(b *binder, n int32, k string) {
	owner, name := b.class(), b.Child(n, "name")
	body := b.First(n, "function_body")
	list := b.First(n, "function_value_parameters")
	returns := kotlinTypeAfter(b.Unit, n, list)
	receiver := int32(-1)
	var y *resolve.Symbol
	switch k {
	case "function_declaration":
		receiver = kotlinReceiver(b.Unit, n, name)
		y = b.callable(aMethod, name, n, returns)
		d := declOf(y)
		open := kotlinModifier(b.Unit, n, "open") || kotlinModifier(b.Unit, n, "override")
		d.abstract = owner != nil && (kotlinModifier(b.Unit, n, "abstract") || declOf(owner).word == "interface" && body < 0)
		d.private = kotlinModifier(b.Unit, n, "private")
		d.final = !open && !d.abstract && (owner == nil || declOf(owner).word != "interface")
		d.many = kotlinMany(b.Unit, n)
		d.hidden = strings.Contains(b.Text(b.First(n, "modifiers")), "DeprecationLevel.HIDDEN")
		if d.receiver = receiver; receiver >= 0 && !d.hidden {
			d.extension = true
			b.f.extensions[y.Name] = append(b.f.extensions[y.Name], y)
		}
	case "secondary_constructor":
		y = b.declare(aConstructor, -1, n)
		if owner != nil {
			declOf(y).owner = owner
			declOf(owner).constructors = append(declOf(owner).constructors, y)
		}
		b.begin(n)
	default:
		receiver = kotlinTypeAfter(b.Unit, n, n)
		if receiver > list {
			receiver = -1
		}
		y = b.declare(aMethod, -1, n)
		declOf(y).written = returns
		b.f.callables[n] = y
		b.begin(n)
	}
	b.in.body = true
	if receiver >= 0 {
		b.in.self = receiver
	}
	if value := kotlinValue(b.Unit, body); value >= 0 {
		declOf(y).value = value
		b.f.values[value] = y
	}
	kotlinTypeParameters(b, y, n)
	kotlinParameters(b, y, list)
}

// kotlinValue is the expression that a body is, or -1 if it is a block.
func kotlinValue(u *resolve.Unit, body int32) int32 {
	if v := u.First(body); v >= 0 && u.Kind(v) != "block" {
		return v
	}
	return -1
}

func kotlinParameters(b *binder, y *resolve.Symbol, list int32) {
	variadic := false
	var last *resolve.Symbol
	for c := range b.Children(list) {
		switch b.Kind(c) {
		case "parameter_modifiers":
			variadic = has(b.Unit, c, "vararg")
		case "parameter":
			name := b.First(c, "identifier")
			last = b.parameter(y, name, c, kotlinTypeAfter(b.Unit, c, name))
			declOf(last).variadic = variadic
			variadic = false
		default:
			if last != nil {
				declOf(y).optional++
				b.f.values[c] = last
			}
		}
	}
}

// kotlinProperty declares properties and local variables.
func kotlinProperty(b *binder, n int32) {
	v := b.First(n, "variable_declaration", "multi_variable_declaration")
	if v < 0 {
		return
	}
	value, as := int32(-1), asValue
	for c := range b.Children(n) {
		switch k := b.Kind(c); {
		case c <= v, k == "type_constraints", k == "setter":
		case k == "property_delegate":
			value, as = b.First(c), asDelegate
		case k == "getter":
			if value < 0 {
				value = kotlinValue(b.Unit, b.First(c, "function_body"))
			}
		default:
			value = c
		}
	}
	if b.Kind(v) == "multi_variable_declaration" {
		kotlinLocals(b, v, value, as)
		return
	}
	name := b.First(v, "identifier")
	y := b.variable(name, n, kotlinTypeAfter(b.Unit, v, name), value)
	if y == nil {
		return
	}
	d := declOf(y)
	d.how, d.property = as, d.owner != nil
	d.private = kotlinModifier(b.Unit, n, "private")
	d.many = kotlinMany(b.Unit, n)
	if r := kotlinReceiver(b.Unit, n, v); r >= 0 {
		d.receiver, d.extension = r, true
		b.f.extensions[y.Name] = append(b.f.extensions[y.Name], y)
	}
	b.begin(n)
	kotlinTypeParameters(b, y, n)
}

// kotlinLocals declares a local variable, or those that a value is taken apart into.
func kotlinLocals(b *binder, v, value int32, as how) (all []*resolve.Symbol) {
	declare := func(v int32, part int) {
		if name := b.First(v, "identifier"); name >= 0 {
			y := b.local(name, v, kotlinTypeAfter(b.Unit, v, name), value, as)
			declOf(y).part = part
			all = append(all, y)
		}
	}
	if b.Kind(v) == "variable_declaration" {
		declare(v, 0)
		if value >= 0 && len(all) > 0 && as == asValue {
			b.f.values[value] = all[0]
		}
		return all
	}
	for i, c := range b.List(v) {
		declare(c, i+1)
	}
	return all
}

func kotlinLambda(b *binder, n int32) {
	b.begin(n).self = n
	list := b.First(n, "lambda_parameters")
	if list < 0 {
		it := b.local(-1, n, -1, n, asParameter)
		it.Name = "it"
		declOf(it).unnamed = true
		b.in.add(it)
		return
	}
	for i, p := range b.List(list) {
		for _, y := range kotlinLocals(b, p, n, asParameter) {
			declOf(y).index = i
		}
	}
}
