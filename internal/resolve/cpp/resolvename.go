package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// meaningAt says what is at a name.
func meaningAt(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	u, n := s.Unit, s.Node
	if u.Kind(n) == "preproc_arg" {
		return wordMeaning(r, u, n, s.Word)
	}
	if !resolve.IsName(u.Kind(n)) {
		return leftOutMeaning(r, u, n, s.Word)
	}
	if d := tableOf(u).nodes[n]; d != nil {
		m := resolve.Meaning{Symbols: []*resolve.Symbol{symbolOf(r, d)}, Known: true, Declares: true}
		m.Also = constructedBy(r, d)
		return m
	}
	if y := u.Owner[n]; y != nil {
		return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true, Declares: true}
	}
	name, p := u.Text(n), u.Parent(n)
	if madeByMacro(u, n) {
		return resolve.Meaning{}
	}
	expanded := macros(r, u, name)
	switch u.Kind(p) {
	case "preproc_ifdef", "preproc_defined":
		return meaningOf(r, finding{decls: expanded})
	case "preproc_params":
		return resolve.Meaning{Known: true}
	}
	if u.Kind(n) == "statement_identifier" {
		return resolve.Meaning{Known: true}
	}
	if y := resolveTag(r, u, n, p); y != nil {
		return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true}
	}
	f := resolveName(r, u, n, p)
	if expanded = expanding(u.Source[u.Nodes[n].End:], expanded, f); len(expanded) > 0 && !isMemberAccess(u, n) {
		f = finding{decls: append(slices.Clone(expanded), f.decls...)}
	}
	if f.empty() && !f.outside && !isMemberAccess(u, n) {
		f = fromIncluders(r, u, name, f)
	}
	f.named = u.Around(n, "using_declaration") >= 0
	m := meaningOf(r, f)
	if len(f.decls) > 0 && f.decls[0].kind == kindType {
		m.Also = constructors(r, u, n, f.decls[0])
	}
	return m
}

// expanding leaves out the macros of a name that it does not mean where it means something
// else: those with parameters, where no arguments follow, and those that only give the
// thing another name, as libraries do to put a prefix before all of theirs. after is what
// follows the name.
func expanding(after string, macros []*decl, f finding) []*decl {
	if len(macros) == 0 || f.empty() {
		return macros
	}
	called := strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), "(")
	return slices.DeleteFunc(slices.Clone(macros), func(d *decl) bool {
		if d.unit.Kind(d.node) == "preproc_function_def" {
			return !called
		}
		body := strings.TrimSpace(withoutComments(d.unit.Text(d.unit.Child(d.node, "value"))))
		return body != "" && resolve.LeadingName(body) == body && !('0' <= body[0] && body[0] <= '9')
	})
}

// madeByMacro reports whether a name is an argument of a macro that looks like the head
// of a function, and no type: Name in TEST(Suite, Name) {}.
func madeByMacro(u *resolve.Unit, n int32) bool {
	p := u.Parent(n)
	list := u.Parent(p)
	head := u.Parent(list)
	f := u.Parent(head)
	return u.Kind(p) == "parameter_declaration" && u.Child(p, "declarator") < 0 &&
		u.Kind(f) == "function_definition" && u.Child(f, "type") < 0 &&
		isCapitals(u.Text(u.Child(head, "declarator"))) && u.First(list) != p
}

func isCapitals(name string) bool { return len(name) > 2 && strings.ToUpper(name) == name }

// constructedBy returns the class whose constructor is declared.
func constructedBy(r *resolve.Resolver, d *decl) (all []*resolve.Symbol) {
	if d.kind != kindFunction || !isMember(r, d) || d.text() != plainName(lastPart(ownerPath(r, d))) {
		return nil
	}
	path := ownerPath(r, d)
	for _, c := range classes(find(r, d.unit, outerPath(path), lastPart(path))) {
		if y := symbolOf(r, c); !slices.Contains(all, y) {
			all = append(all, y)
		}
	}
	return all
}

// wraps are what a name with its qualifiers and arguments is to the grammar.
var wraps = text.WordSet("template_type template_function qualified_identifier")

// constructors returns what constructs an object where the name of a class is in
// Class(x), new Class(x) or Class object(x), if that can be told.
func constructors(r *resolve.Resolver, u *resolve.Unit, n int32, class *decl) []*resolve.Symbol {
	top := n
	for wraps[u.Kind(u.Parent(top))] && u.Field(top) == "name" {
		top = u.Parent(top)
	}
	p := u.Parent(top)
	list := int32(-1)
	switch u.Kind(p) {
	case "call_expression", "new_expression", "compound_literal_expression":
		if u.Field(top) == "function" || u.Field(top) == "type" {
			list = max(u.Child(p, "arguments"), u.Child(p, "value"))
		}
	case "field_initializer":
		list = u.First(p, "argument_list", "initializer_list")
	case "declaration":
		if d := u.Child(p, "declarator"); u.Kind(d) == "init_declarator" {
			if list = u.Child(d, "value"); u.Kind(list) != "argument_list" && u.Kind(list) != "initializer_list" {
				list = -1
			}
		}
	}
	if list < 0 {
		return nil
	}
	count := len(u.List(list))
	var all []*resolve.Symbol
	for _, d := range find(r, u, class.inner, class.text()) {
		if y := symbolOf(r, d); d.kind == kindFunction && d.params.accept(count) && !slices.Contains(all, y) {
			all = append(all, y)
		}
	}
	if len(all) != 1 {
		return nil
	}
	return all
}

// destructorClass finds the class that ~x names.
func destructorClass(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	f := findUnqualified(r, u, n, u.Text(n))
	f.decls = classes(f.decls)
	return f
}

// isMemberAccess reports whether a name follows a dot or an arrow, or names a field.
func isMemberAccess(u *resolve.Unit, n int32) bool {
	return u.Kind(n) == "field_identifier"
}

// resolveName finds what a name means by where it is, macros left out.
func resolveName(r *resolve.Resolver, u *resolve.Unit, n, p int32) finding {
	switch u.Kind(p) {
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier":
		if u.Field(n) == "name" {
			return tagFinding(r, u, n)
		}
	case "destructor_name":
		return destructorClass(r, u, n)
	case "field_designator":
		return designated(r, u, n, p)
	case "field_initializer":
		return initialized(r, u, n)
	case "offsetof_expression":
		return memberOf(r, u, typeAt(r, u, u.Child(p, "type")), u.Text(n))
	}
	top := n
	for {
		p := u.Parent(top)
		switch k := u.Kind(p); {
		case (k == "template_function" || k == "template_type" || k == "template_method") && u.Field(top) == "name",
			k == "qualified_identifier" && u.Field(top) == "name",
			k == "dependent_name" || k == "dependent_type":
			top = p
			continue
		case k == "field_initializer" && top != n:
			return initialized(r, u, top)
		case k == "field_expression" && u.Field(top) == "field":
			return memberNamed(r, u, p)
		}
		break
	}
	f := named(r, u, top)
	if top == n && u.Kind(n) == "namespace_identifier" {
		f = scopeName(r, u, n)
	}
	if u.Kind(n) == "field_identifier" && f.empty() && u.Kind(top) == "field_identifier" {
		return findUnqualified(r, u, n, u.Text(n))
	}
	if isTypePosition(u, n) {
		if types := typesOf(f.decls); len(types) > 0 {
			f.decls = ownAliases(u, types)
		}
	} else {
		f.decls = untagged(f.decls)
	}
	return f
}

// untagged leaves out the types that a name has as a tag, where it names something else
// too: only struct a means that then.
func untagged(list []*decl) []*decl {
	others := slices.DeleteFunc(slices.Clone(list), func(d *decl) bool { return d.kind == kindType })
	if len(others) == 0 {
		return list
	}
	return others
}

// ownAliases keeps the aliases that a file declares itself, if there are some: another file
// has the same name in another build.
func ownAliases(u *resolve.Unit, types []*decl) []*decl {
	own := slices.DeleteFunc(slices.Clone(types), func(d *decl) bool { return d.unit != u || d.kind != kindAlias })
	if len(own) == 0 {
		return types
	}
	return own
}

func isTypePosition(u *resolve.Unit, n int32) bool { return u.Kind(n) == "type_identifier" }

// scopeName finds what comes before ::.
func scopeName(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	p := u.Parent(n)
	if u.Kind(p) == "qualified_identifier" && u.Field(n) == "scope" {
		if outer := u.Parent(p); u.Kind(outer) == "qualified_identifier" && u.Field(p) == "name" {
			return findQualified(r, u, outer, u.Text(n))
		}
	}
	return lookUp(r, u, n, u.Text(n), scopes)
}

// unseenTag writes what tells a structure from others that no declaration seen defines.
func unseenTag(r *resolve.Resolver, u *resolve.Unit, path, tag string) string {
	if !isHeader(u.Path) && !slices.ContainsFunc(seenFrom(r, u)[1:], func(t *table) bool { return t.tags[tag] }) {
		return path + "@" + u.Path
	}
	return path
}

// resolveTag returns the type that struct x names where no declaration of it is seen.
func resolveTag(r *resolve.Resolver, u *resolve.Unit, n, p int32) *resolve.Symbol {
	switch u.Kind(p) {
	case "struct_specifier", "union_specifier", "class_specifier", "enum_specifier":
	default:
		return nil
	}
	if u.Field(n) != "name" || u.Kind(n) != "type_identifier" || !tagFinding(r, u, n).empty() {
		return nil
	}
	key, m := "type "+unseenTag(r, u, u.Text(n), u.Text(n)), memoryOf(u)
	if m.things[key] == nil {
		m.things[key] = &resolve.Symbol{Name: u.Text(n), Unit: u}
	}
	return m.things[key]
}

// tagFinding finds what struct x names.
func tagFinding(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	f := lookUp(r, u, n, u.Text(n), tags)
	if f.local == nil {
		f.decls = classes(f.decls)
	}
	return f
}

// initialized finds the field or the base that a constructor initializes.
func initialized(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	if u.Kind(n) != "field_identifier" {
		return qualified(r, u, n)
	}
	for _, v := range thisType(r, u, n) { // not the parameter of the same name
		if all, through := members(r, u, v, u.Text(n)); len(all) > 0 {
			return finding{decls: all, through: through}
		}
	}
	return findUnqualified(r, u, n, u.Text(n))
}

// designated finds the field that .x = names in an initializer.
func designated(r *resolve.Resolver, u *resolve.Unit, n, p int32) finding {
	list := u.Around(p, "initializer_list")
	return memberOf(r, u, listType(r, u, list), u.Text(n))
}

// listType is the type that an initializer list makes.
func listType(r *resolve.Resolver, u *resolve.Unit, list int32) union {
	if list < 0 || !r.Enter() {
		return nil
	}
	defer r.Leave()
	p := u.Parent(list)
	switch u.Kind(p) {
	case "compound_literal_expression":
		return typeAt(r, u, u.Child(p, "type"))
	case "init_declarator":
		if name := nameOf(u, u.Child(p, "declarator")); name >= 0 {
			t := typeDeclared(r, u, u.Parent(p), name)
			return pointed(t, -1)
		}
	case "initializer_list": // of an array
		return listType(r, u, p)
	case "initializer_pair":
		if d := u.First(u.Child(p, "designator"), "field_identifier"); d >= 0 {
			return pointed(foundType(r, designated(r, u, d, u.Child(p, "designator"))), -1)
		}
		return listType(r, u, u.Around(p, "initializer_list"))
	case "return_statement":
		if f := u.Around(p, "function_definition"); f >= 0 {
			if d := tableOf(u).owner[u.Scopes[f]]; d != nil {
				return returned(r, d)
			}
		}
	}
	return nil
}

// fromIncluders looks a name up as the files see it that include a header, which may
// lean on what they include before.
func fromIncluders(r *resolve.Resolver, u *resolve.Unit, name string, f finding) finding {
	if !isHeader(u.Path) {
		return f
	}
	for i, file := range includers(r, u) {
		if i == maxIncluders {
			break
		}
		v := r.Unit(file)
		if v == nil {
			continue
		}
		if all := find(r, v, "", name); len(all) > 0 {
			return finding{decls: all}
		}
		if all := macros(r, v, name); len(all) > 0 {
			return finding{decls: all}
		}
	}
	return f
}

// maxIncluders bounds how many files are asked what they see.
const maxIncluders = 4

// meaningOf makes a meaning of what was found. Where that is several things, each of them
// may be meant.
func meaningOf(r *resolve.Resolver, f finding) resolve.Meaning {
	if y := f.local; y != nil {
		if tableOf(y.Unit).broken[y.Scope] { // where it ends could not be read
			y = possibleSymbol(y)
		}
		return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true}
	}
	var all []*resolve.Symbol
	for _, d := range f.decls {
		if y := symbolOf(r, d); !slices.Contains(all, y) {
			all = append(all, y)
		}
	}
	if perhaps, best := f.specializationOnly(); perhaps && len(all) > 1 {
		m := resolve.Meaning{Known: true, Others: all}
		if best != nil {
			m.Symbols = []*resolve.Symbol{possibleSymbol(symbolOf(r, best))}
		}
		return m
	}
	if len(all) > 1 && f.decls[0].kind == kindMacro && f.decls[len(f.decls)-1].kind != kindMacro {
		return resolve.Meaning{Symbols: []*resolve.Symbol{possibleSymbol(all[0])}, Known: true, Others: all}
	}
	if len(all) > 1 && !slices.ContainsFunc(f.decls, func(d *decl) bool { return d.kind != kindFunction }) {
		if f.named {
			return resolve.Meaning{Symbols: all, Known: true}
		}
		m := resolve.Meaning{Known: true, Others: all}
		if f.open {
			for _, y := range all {
				m.Symbols = append(m.Symbols, possibleSymbol(y))
			}
		}
		if f.best != nil {
			m.Symbols = []*resolve.Symbol{possibleSymbol(symbolOf(r, f.best))}
		}
		return m
	}
	if len(all) > 1 {
		for i := range all {
			all[i] = possibleSymbol(all[i])
		}
	}
	return resolve.Meaning{Symbols: all, Known: f.outside || len(all) > 0}
}

// wordMeaning says what a word in the text of a macro means.
func wordMeaning(r *resolve.Resolver, u *resolve.Unit, n int32, at uint32) resolve.Meaning {
	text := u.Text(n)
	var name string
	words(text[at:], func(w string, _ uint32) bool { name = w; return false })
	before, after := strings.TrimRight(text[:at], " \t\\\n"), strings.TrimLeft(text[int(at)+len(name):], " \t")
	macro := u.Parent(n)
	if list := u.Child(macro, "parameters"); list >= 0 {
		for c := range u.Children(list) {
			if u.Text(c) == name {
				return resolve.Meaning{Known: true}
			}
		}
	}
	switch {
	case strings.HasSuffix(before, "##") || strings.HasPrefix(after, "##"):
		return resolve.Meaning{Known: true}
	case strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->"):
		return resolve.Meaning{}
	case strings.HasSuffix(before, "::"):
		return meaningOf(r, finding{decls: find(r, u, qualifierBefore(before), name)})
	}
	f := inNamespace(r, u, tableOf(u).paths[tableOf(u).enclosingScope(scopeAt(u, n))], name, anything)
	f.decls = untagged(f.decls)
	if all := expanding(after, macros(r, u, name), f); len(all) > 0 {
		f = finding{decls: all}
	}
	if f.empty() {
		f = fromIncluders(r, u, name, f)
	}
	return meaningOf(r, f)
}

// qualifierBefore returns a::b of a text that ends with a::b::.
func qualifierBefore(text string) string {
	i := len(text)
	for i > 0 && (wordByte(text[i-1]) || text[i-1] == ':') {
		i--
	}
	return strings.Trim(text[i:], ":")
}
