package typescript

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// meaningAt says what a name in a script stands for. What a declaration file declares is what
// the script beside it has.
func meaningAt(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	if s.Unit.Kind(s.Node) == "comment" {
		return linkMeaning(r, s)
	}
	m := nameMeaning(r, s.Unit, s.Node)
	m.Sort = aspectAt(s.Unit, s.Node, m.Declares)
	for _, y := range m.Symbols[:len(m.Symbols):len(m.Symbols)] {
		m.Symbols = append(m.Symbols, implementationOf(r, y)...)
	}
	addWrapped(r, &m, s.Unit.Text(s.Node))
	return m
}

// aspectAt says whether a name stands for a type or a value, by where it is.
func aspectAt(u *resolve.Unit, n int32, declares bool) resolve.Aspect {
	if declares {
		if y := u.Owner[n]; y != nil {
			for _, d := range y.Decls {
				if d.How == typedef {
					return resolve.AsType
				}
				if d.Name == n {
					return aspectOf(u.Kind(d.Node))
				}
			}
		}
		return resolve.AsEither
	}
	switch p := u.Parent(n); u.Kind(p) {
	case "import_specifier", "export_specifier", "import_clause", "namespace_import", "export_statement",
		"nested_type_identifier":
		return resolve.AsEither
	case "type_query":
		return resolve.AsValue
	case "extends_clause":
		if u.Kind(u.Parent(p)) == "class_heritage" {
			return resolve.AsValue
		}
		return resolve.AsType
	}
	switch u.Kind(n) {
	case "type_identifier":
		return resolve.AsType
	case "string":
		return resolve.AsEither
	}
	return resolve.AsValue
}

// aspectOf says what a kind of declaration declares.
func aspectOf(kind string) resolve.Aspect {
	switch kind {
	case "interface_declaration", "type_alias_declaration", "type_parameter":
		return resolve.AsType
	case "class_declaration", "abstract_class_declaration", "class", "enum_declaration", "internal_module", "module",
		"import_specifier", "import_clause", "namespace_import", "export_specifier", "export_statement",
		"namespace_export":
		return resolve.AsEither
	}
	return resolve.AsValue
}

// widenAspect widens an aspect by what the declarations of a symbol that have it
// are besides: a class is both.
func widenAspect(y *resolve.Symbol, a resolve.Aspect) resolve.Aspect {
	if a == resolve.AsEither || y.Unit.Lang == syntax.JavaScript { // a comment may call a function a type
		return resolve.AsEither
	}
	for _, d := range y.Decls {
		if b := aspectOf(y.Unit.Kind(d.Node)); b == resolve.AsEither {
			return resolve.AsEither
		}
	}
	return a
}

// nameMeaning says what a name in code stands for: by what it is a part of, else
// by its own kind, else as a bare name.
func nameMeaning(r *resolve.Resolver, u *resolve.Unit, n int32) resolve.Meaning {
	if m, ok := partMeaning(r, u, u.Parent(n), n); ok {
		return m
	}
	y := u.Owner[n]
	switch u.Kind(n) {
	case "shorthand_property_identifier_pattern":
		return shorthandPatternMeaning(r, u, n)
	case "shorthand_property_identifier":
		m := resolve.Meaning{Known: true}
		if y != nil {
			m.Symbols = append(m.Symbols, y)
		}
		if v := lookup(r, u, n, u.Text(n)); v != nil {
			m.Symbols = append(m.Symbols, finals(r, v)...)
		}
		return m
	case "property_identifier", "private_property_identifier", "string":
		if y == nil {
			return resolve.Meaning{}
		}
	case "statement_identifier":
		return resolve.Meaning{Known: true}
	}
	if y != nil && !y.ImportedAt(n) {
		return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: !keyOfUnknown(r, u, n), Declares: true, Alike: membersOfForm(r, y)}
	}
	if y == nil {
		y = lookup(r, u, n, u.Text(n))
	}
	if y == nil {
		return globalMeaning(r, u, u.Text(n))
	}
	return symbolMeaning(r, y)
}

// keyOfUnknown reports whether a name is a key of a literal that is given to something of
// which nothing is known: it may be a member of whatever that takes.
func keyOfUnknown(r *resolve.Resolver, u *resolve.Unit, n int32) bool {
	at := u.Parent(n)
	if k := u.Kind(at); k == "pair" || k == "method_definition" {
		at = u.Parent(at)
	}
	if u.Kind(at) != "object" {
		return false
	}
	for {
		switch t := expectedType(r, u, at); {
		case slices.ContainsFunc(t, func(v value) bool { return v.kind == kindLibrary && v.open && len(v.args) > 0 }):
			return true
		case len(t) > 0:
			return false
		}
		switch p := u.Parent(at); u.Kind(p) {
		case "pair", "array", "object", "parenthesized_expression", "ternary_expression", "spread_element", "await_expression":
			at = p
		case "arguments":
			t := typeOf(r, u, max(u.Child(u.Parent(p), "function"), u.Child(u.Parent(p), "constructor")))
			ties := u.Child(u.Parent(p), "type_arguments") >= 0 || len(u.List(p)) > 1
			return len(t) == 0 || slices.ContainsFunc(t, func(v value) bool {
				object, _, _ := strings.Cut(v.name, ".")
				return v.open ||
					ties && v.kind == kindLibrary && len(v.args) == 0 && !wellKnown[object] && !ownNames[object]
			}) // of other libraries, what depends on nothing of the project cannot be meant
		default:
			return false
		}
	}
}

// globalMeaning is the meaning of a bare name that its file does not declare.
func globalMeaning(r *resolve.Resolver, u *resolve.Unit, name string) resolve.Meaning {
	g := globalsOf(r, u, name)
	m := resolve.Meaning{Symbols: g.symbols, Known: !g.exported, OneOf: true}
	if len(g.symbols) == 0 && m.Known && !wellKnown[name] {
		m.Symbols, m.OneOf = []*resolve.Symbol{undeclaredGlobal(u, name)}, false
	}
	return m
}

// symbolMeaning is the meaning of a name that stands for a symbol. Without one the
// name is of the language, or of nowhere.
func symbolMeaning(r *resolve.Resolver, y *resolve.Symbol) resolve.Meaning {
	m := resolve.Meaning{Known: true}
	if y != nil {
		m.Symbols = finals(r, y)
		m.Known = !importUnresolved(r, m.Symbols)
	}
	return m
}

// importUnresolved reports whether symbols are imports from a package of the project that could not
// be followed, as where a build makes what it offers.
func importUnresolved(r *resolve.Resolver, symbols []*resolve.Symbol) bool {
	return slices.ContainsFunc(symbols, func(y *resolve.Symbol) bool {
		if len(y.Decls) == 0 {
			return false
		}
		switch u, n := y.Unit, y.Decls[0].Node; u.Kind(n) {
		case "import_specifier", "import_clause", "namespace_import":
			return projectOf(r, u).OwnPackage(resolve.Unquote(u.Text(u.Child(u.Around(n, "import_statement"), "source"))))
		}
		return false
	})
}

// partMeaning says what a name stands for that is a part of p: a member, a type in
// a namespace, an import. ok is false if p does not tell.
func partMeaning(r *resolve.Resolver, u *resolve.Unit, p, n int32) (m resolve.Meaning, ok bool) {
	name := resolve.Unquote(u.Text(n))
	if y := u.Owner[n]; y != nil && (u.Kind(p) == "member_expression" || u.Kind(p) == "subscript_expression") {
		if linked(r, y) != nil {
			return symbolMeaning(r, y), true
		}
		return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true, Declares: true}, true
	}
	switch u.Kind(p) {
	case "member_expression", "nested_identifier":
		if u.Field(n) == "property" || u.Kind(p) == "nested_identifier" && u.First(p) != n {
			object := u.Child(p, "object")
			if object < 0 {
				object = u.First(p)
			}
			return assignedMeaning(u, p, n, membersMeaning(r, typeOf(r, u, object), name)), true
		}
	case "nested_type_identifier":
		if u.First(p) != n {
			return symbolMeaning(r, nested(r, u, p)), true
		}
	case "import_specifier", "export_specifier":
		return specifierMeaning(r, u, p, n), true
	case "pair_pattern":
		if u.Field(n) == "key" {
			return membersMeaning(r, ofObjectPattern(r, u, u.Parent(p)), name), true
		}
	case "subscript_expression":
		if u.Kind(n) == "string" {
			return membersMeaning(r, typeOf(r, u, u.Child(p, "object")), name), true
		}
	case "literal_type":
		return membersMeaning(r, annotationType(r, u, u.First(u.Parent(p))), name), true
	case "jsx_attribute":
		return membersMeaning(r, propsOf(r, u, u.Parent(p)), name), true
	}
	return m, false
}

// shorthandPatternMeaning is the meaning of a in {a} = x: a variable, and a member
// of x.
func shorthandPatternMeaning(r *resolve.Resolver, u *resolve.Unit, n int32) resolve.Meaning {
	pattern := u.Parent(n)
	if u.Kind(pattern) == "object_assignment_pattern" {
		pattern = u.Parent(pattern)
	}
	t := ofObjectPattern(r, u, pattern)
	m := membersMeaning(r, t, u.Text(n))
	if len(t) == 1 && t[0].unit != nil && t[0].unit.Kind(t[0].node) == "object_pattern" { // nothing but the pattern tells
		m.Also, m.Symbols = m.Symbols, nil
	}
	y := u.Owner[n]
	if y == nil {
		y = lookup(r, u, n, u.Text(n))
	}
	if y != nil {
		m.Known = m.Known || len(m.Symbols) > 0 || len(m.Also) > 0
		if y.ImportedAt(n) && linked(r, y) != nil { // const {a} = require("b")
			m.Symbols = append(finals(r, y), m.Symbols...)
			return m
		}
		m.Symbols = append([]*resolve.Symbol{y}, m.Symbols...)
		m.Declares = true
	}
	return m
}

// assignedMeaning is the meaning of b in a.b, m unless that says nothing: then a.b = c is
// what declares it, and no other place is known to mean the same.
func assignedMeaning(u *resolve.Unit, member, name int32, m resolve.Meaning) resolve.Meaning {
	if len(m.Symbols) > 0 || u.Field(member) != "left" || u.Kind(u.Parent(member)) != "assignment_expression" {
		return m
	}
	alone := memoryOf(u).unowned
	key := resolve.NodeKey{Unit: u, Node: name}
	if alone[key] == nil {
		alone[key] = &resolve.Symbol{Name: u.Text(name), Unit: u, Decls: []resolve.Decl{{Name: name, Node: name}}}
	}
	m.Symbols = []*resolve.Symbol{alone[key]}
	return m
}

// membersMeaning is the meaning of the members of a name that a type has.
func membersMeaning(r *resolve.Resolver, t union, name string) resolve.Meaning {
	found, known := membersOf(r, t, name)
	m := resolve.Meaning{Known: known && (len(found) > 0 || ofAll[name] || givesMore(r, t, name))}
	for _, f := range found {
		m.Symbols = append(m.Symbols, finals(r, f.symbol)...)
	}
	return m
}

// ofAll are the members that every object or function has.
var ofAll = text.WordSet(`apply arguments bind call caller constructor hasOwnProperty isPrototypeOf length name
	propertyIsEnumerable prototype toLocaleString toString valueOf`)

// ofLibraryType are the members of types of the language: a value that is treated as one and
// has others is something else.
var ofLibraryType = map[string]map[string]bool{
	"Array":   listMembers,
	"Tuple":   listMembers,
	"Promise": text.WordSet(`then catch finally`),
	"Map":     text.WordSet(`clear delete entries forEach get has keys set size values`),
	"Set": text.WordSet(`add clear delete difference entries forEach has intersection isDisjointFrom isSubsetOf isSupersetOf
		keys size symmetricDifference union values`),
}

var listMembers = text.WordSet(`at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat
	flatMap forEach includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort
	splice toReversed toSorted toSpliced unshift values with`)

// givesMore reports whether a value of a type may have members besides those that the project
// declares. Nobody names a member that nothing has: without such a value the type is not all
// that is there, as where a literal becomes the prototype of something else.
func givesMore(r *resolve.Resolver, t union, name string) bool {
	if !r.Enter() {
		return false
	}
	defer r.Leave()
	for _, v := range t {
		var from union
		switch v.kind {
		case kindLibrary:
			switch has := ofLibraryType[v.name]; {
			case has != nil && has[name]:
				return true
			case has == nil && v.name != "Record" && (len(v.args) == 0 || ownNames[v.name]):
				return true
			} // else it may have what its arguments have
		case kindInstance, kindClass:
			if slices.ContainsFunc(v.sym.Decls, func(d resolve.Decl) bool { return v.sym.Unit.Kind(d.Node) == "enum_declaration" }) {
				return true
			}
			from = basesOf(r, v, false)
		case kindObject:
			from = partsOf(r, v)
		case kindParameter, kindIndexed:
			from = limitOf(r, v)
		case kindModule:
			from = exportsType(r, v.unit)
		}
		if givesMore(r, from, name) {
			return true
		}
	}
	return false
}

// specifierMeaning finds what a name in an import or export clause stands for.
func specifierMeaning(r *resolve.Resolver, u *resolve.Unit, p, n int32) resolve.Meaning {
	m := resolve.Meaning{Known: true}
	bound, alias := u.Child(p, "name"), u.Child(p, "alias")
	if alias >= 0 {
		bound = alias
		if n != alias {
			m.Alias = u.Text(alias)
		}
	}
	if y := u.Owner[bound]; y != nil {
		m.Symbols = finals(r, y)
		m.Known = !importUnresolved(r, m.Symbols)
	}
	return m
}

// ofObjectPattern is the type of what an object pattern takes apart.
func ofObjectPattern(r *resolve.Resolver, u *resolve.Unit, pattern int32) union {
	for at := pattern; at >= 0; at = u.Parent(at) {
		switch k := u.Kind(at); k {
		case "variable_declarator", "required_parameter", "optional_parameter", "for_in_statement":
			outer := u.Child(at, "pattern")
			if outer < 0 {
				outer = u.Child(at, "name")
			}
			if k == "for_in_statement" {
				outer = u.Child(at, "left")
			}
			if t := part(r, u, outer, pattern, patternSource(r, u, at)); len(t) > 0 || outer != pattern {
				return t
			}
			return shapeOf(u, at)
		case "assignment_expression":
			return part(r, u, u.Child(at, "left"), pattern, typeOf(r, u, u.Child(at, "right")))
		case "formal_parameters", "statement_block", "program":
			return nil
		}
		if u.Kind(u.Parent(at)) == "formal_parameters" && u.Kind(at) != "required_parameter" && u.Kind(at) != "optional_parameter" {
			t := part(r, u, at, pattern, patternSource(r, u, at))
			if len(t) == 0 && destructuredPattern(u, at) == pattern {
				return shapeOf(u, at)
			}
			return t
		}
	}
	return nil
}

// linkMeaning finds what a name in a comment stands for: a link to something
// that is seen from where the comment is, or a parameter of the function
// below it.
func linkMeaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	u := s.Unit
	name := resolve.LeadingName(u.Text(s.Node)[s.Word:])
	m := resolve.Meaning{Known: true}
	if documentsParameter(u.Text(s.Node)[:s.Word]) {
		if y := parameterBelow(u, s.Node, name); y != nil {
			m.Symbols = []*resolve.Symbol{y}
		}
		return m
	}
	y := lookup(r, u, s.Node, name)
	if y == nil {
		if b := u.Around(s.Node, "class_body", "interface_body"); b >= 0 && u.Members[b] != nil {
			y = u.Members[b].Names[name]
		}
	}
	if y != nil {
		m.Symbols = finals(r, y)
	}
	return m
}

// documentsParameter reports whether what comes before a name in a comment is @param,
// with or without a type in braces.
func documentsParameter(before string) bool {
	before = strings.TrimRight(before, " [")
	if strings.HasSuffix(before, "}") {
		line := before[strings.LastIndexByte(before, '\n')+1:]
		at := strings.IndexByte(line, '{')
		if at < 0 {
			return false
		}
		before = strings.TrimRight(line[:at], " ")
	}
	return strings.HasSuffix(before, "@param")
}

// parameterBelow finds a parameter of the function that a comment documents.
func parameterBelow(u *resolve.Unit, comment int32, name string) *resolve.Symbol {
	next := u.Nodes[comment].Next
	for int(next) < len(u.Nodes) && u.Kind(next) == "comment" {
		next = u.Nodes[next].Next
	}
	if int(next) >= len(u.Nodes) {
		return nil
	}
	for i := next; i < u.Nodes[next].Next; i++ {
		if s := u.Scopes[i]; s != nil && s.Kind == resolve.FunctionScope {
			if y := s.Names[name]; y != nil {
				return y
			}
			return nil
		}
		if u.Kind(i) == "statement_block" || u.Kind(i) == "class_body" {
			return nil
		}
	}
	return nil
}
