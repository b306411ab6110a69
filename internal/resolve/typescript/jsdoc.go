package typescript

import (
	"maps"
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// How a declaration in a documentation comment declares.
const (
	typedef    = "typedef"    // @typedef {T} Name, @callback Name
	documented = "documented" // @property {T} name, @param {T} options.name
)

// naming are the tags in which a name occurs behind the type.
var naming = []string{"param", "typedef", "property", "callback"}

// A docTag is one tag of a documentation comment that tells a type or a name.
type docTag struct {
	tag   string
	typ   int32           // the type as an annotation, in the unit of the types, or -1
	name  int32           // the name, in the unit of the types, or -1
	path  string          // the name with what it is a part of: options.from
	rest  bool            // {...T}
	shape *resolve.Symbol // holds what the tags after it say of its members, or nil

	colon, at int // offsets in the file of what comes before the type, and of the name, or -1
}

// docs is what the documentation comments of a file say of types.
type docs struct {
	unit    *resolve.Unit      // their types as TypeScript, each where it is in the file
	first   int32              // the first comment that has any
	of      map[int32][]docTag // by the node that a comment comes before
	modules map[uint32]string  // what import("…") names, by where it is
}

// docsOf returns what the comments of a file say, or nil.
func docsOf(u *resolve.Unit) *docs { return memoryOf(u).docs[u] }

// bindDocs reads the types in documentation comments: in plain JavaScript those of
// parameters, results and variables, and the types that they declare. In TypeScript they
// are only names of what they name.
func bindDocs(u *resolve.Unit) {
	if u.Host != nil {
		return
	}
	d := &docs{first: -1, of: map[int32][]docTag{}, modules: map[uint32]string{}}
	var text []byte
	all := map[int32][]docTag{}
	for i := range u.Nodes {
		n := int32(i)
		if u.Kind(n) != "comment" || !strings.HasPrefix(u.Text(n), "/**") || !strings.Contains(u.Text(n), "@") {
			continue
		}
		if text == nil {
			text = []byte(strings.Repeat(" ", len(u.Source)))
		}
		tags := d.read(u, n, text)
		if len(tags) == 0 {
			continue
		}
		all[n] = tags
		if d.first < 0 {
			d.first = n
		}
	}
	if len(all) == 0 {
		return
	}
	parsed := resolve.ParseText(string(text), syntax.TypeScript)
	if parsed == nil {
		return
	}
	d.unit = u.Part(parsed, 0, 0)
	bind(d.unit)
	d.unit.Top.Outer, d.unit.Top.Names = u.Top, map[string]*resolve.Symbol{}
	memoryOf(u).docs[u] = d
	if u.Lang == syntax.JavaScript {
		d.attach(u, all)
	}
}

// attach finds the nodes of the tags, declares the types that they declare, and notes
// what each comment comes before.
func (d *docs) attach(u *resolve.Unit, all map[int32][]docTag) {
	nodes := map[uint32]int32{}
	for i := range d.unit.Nodes {
		if k := d.unit.Kind(int32(i)); k == "type_annotation" || k == "identifier" {
			nodes[d.unit.Nodes[i].Start] = int32(i)
		}
	}
	node := func(offset int, kind string) int32 {
		if n, ok := nodes[uint32(max(offset, 0))]; ok && offset >= 0 && d.unit.Kind(n) == kind {
			return n
		}
		return -1
	}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		tags := all[n]
		for i := range tags {
			tags[i].typ, tags[i].name = node(tags[i].colon, "type_annotation"), node(tags[i].at, "identifier")
		}
		d.declare(u, tags)
		for i, t := range tags {
			if t.tag == "param" && !strings.Contains(t.path, ".") {
				y := &resolve.Symbol{Name: t.path, Unit: d.unit}
				if d.addTagMembers(y, tags[i+1:], "param", t.path+"."); y.Inner != nil {
					tags[i].shape = y
				}
			}
		}
		next := u.Nodes[n].Next
		for int(next) < len(u.Nodes) && u.Kind(next) == "comment" {
			next = u.Nodes[next].Next
		}
		if int(next) < len(u.Nodes) && u.Parent(next) == u.Parent(n) {
			d.of[next] = tags
		}
	}
}

// declare declares the types that a comment declares.
func (d *docs) declare(u *resolve.Unit, tags []docTag) {
	for i, t := range tags {
		if t.tag != "typedef" && t.tag != "callback" || t.name < 0 {
			continue
		}
		end := i + 1
		for end < len(tags) && tags[end].tag != "typedef" && tags[end].tag != "callback" {
			end++
		}
		y := &resolve.Symbol{Name: t.path, Unit: d.unit, Scope: u.Top,
			Decls: []resolve.Decl{{Name: t.name, Node: t.name, How: typedef}}}
		y.Data = tags[i:end]
		d.unit.Owner[t.name] = y
		if t.tag == "typedef" {
			d.addTagMembers(y, tags[i+1:end], "property", "")
		}
		for _, s := range []*resolve.Scope{u.Top, u.Exports} {
			if s.Names[t.path] == nil {
				s.Names[t.path] = y
			}
		}
	}
}

// addTagMembers gives a symbol the members that tags name: all with that prefix in their path.
func (d *docs) addTagMembers(y *resolve.Symbol, tags []docTag, tag, prefix string) {
	for _, t := range tags {
		word, ok := strings.CutPrefix(t.path, prefix)
		if t.tag != tag || t.name < 0 || !ok || strings.Contains(word, ".") {
			continue
		}
		if y.Inner == nil {
			if y.Decls == nil {
				y.Decls = []resolve.Decl{{Name: t.name, Node: t.name, How: typedef}}
			}
			y.Inner = &resolve.Scope{Kind: resolve.ClassScope, Node: y.Decls[0].Name, Unit: d.unit,
				Names: map[string]*resolve.Symbol{}, Class: y}
		}
		m := declareAs(y.Inner, word, word, t.name, t.typ)
		m.Decls[len(m.Decls)-1].How = documented
	}
}

// read reads the tags of a comment, and writes their types into text, as TypeScript, where
// they are.
func (d *docs) read(u *resolve.Unit, comment int32, text []byte) []docTag {
	var tags []docTag
	start, end := int(u.Nodes[comment].Start), int(u.Nodes[comment].End)
	src := u.Source
	for at := start; at < end; {
		i := strings.IndexByte(src[at:end], '@')
		if i < 0 {
			break
		}
		sign := at + i
		word := resolve.LeadingName(src[sign+1 : end])
		at = sign + 1 + len(word)
		t := docTag{tag: word, typ: -1, name: -1, colon: -1, at: -1}
		switch word {
		case "type", "param", "typedef", "property", "callback", "returns":
		case "arg", "argument":
			t.tag = "param"
		case "prop":
			t.tag = "property"
		case "return":
			t.tag = "returns"
		case "augments", "enum", "exception", "extends", "implements", "satisfies", "template", "this", "throws":
		default:
			continue
		}
		at = skipSpace(src, at, end)
		if at < end && src[at] == '{' && at-sign >= len("var _") {
			closed := closingBrace(src[:end], at)
			if closed < 0 {
				break
			}
			if t.rest = d.writeType(src, at+1, closed, text); t.rest ||
				len(strings.TrimSpace(string(text[at+1:closed]))) > 0 {
				copy(text[sign:], "var _")
				text[at], text[closed] = ':', ';'
				t.colon = at
			}
			at = skipSpace(src, closed+1, end)
		} else if !slices.Contains(naming, t.tag) {
			continue
		}
		if slices.Contains(naming, t.tag) {
			at = d.readName(src, at, end, &t, text)
		}
		tags = append(tags, t)
	}
	return tags
}

// readName reads the name of a tag, and writes what it names into text where it is declared
// by the tag.
func (d *docs) readName(src string, at, end int, t *docTag, text []byte) int {
	for at < end && (src[at] == '[' || src[at] == ' ') {
		at++
	}
	from := at
	for at < end {
		word := resolve.LeadingName(src[at:end])
		at += len(word)
		if strings.HasPrefix(src[at:end], "[].") && word != "" {
			at += len("[].")
			continue
		}
		if at < end && src[at] == '.' && word != "" && resolve.LeadingName(src[at+1:end]) != "" {
			at++
			continue
		}
		break
	}
	t.path = strings.ReplaceAll(src[from:at], "[]", "")
	last := t.path[strings.LastIndexByte(t.path, '.')+1:]
	if last != "" && at < end && (t.tag != "param" || len(last) < len(t.path)) {
		t.at = at - len(last)
		copy(text[t.at:], last)
		text[at] = ';'
	}
	return at
}

// writeType writes a type of a comment as TypeScript. It leaves out what is none, such
// as function(a), and reports whether the type is one of further arguments.
func (d *docs) writeType(src string, from, to int, text []byte) (rest bool) {
	for from < to && src[from] == ' ' {
		from++
	}
	if rest = strings.HasPrefix(src[from:to], "..."); rest {
		from += len("...")
	}
	for to > from && (src[to-1] == '=' || src[to-1] == ' ') {
		to--
	}
	if strings.Contains(src[from:to], "function(") || strings.Contains(src[from:to], "function (") {
		return rest
	}
	fresh := false // only what may come before a line stood on it so far
	for i := from; i < to; i++ {
		switch c := src[i]; {
		case c == '\n':
			fresh = true
		case fresh && (c == ' ' || c == '\t' || c == '\r'):
		case fresh && c == '*':
			fresh = false
		case c == '"' || c == '\'':
			j := strings.IndexByte(src[i+1:to], c)
			if j < 0 {
				return rest
			}
			copy(text[i:], src[i:i+j+2])
			i += j + 1
		case strings.HasPrefix(src[i:to], "import("):
			j := strings.IndexByte(src[i:to], ')')
			if j < 0 {
				return rest
			}
			copy(text[i:], strings.Repeat("$", j+1))
			d.modules[uint32(i)] = resolve.Unquote(strings.TrimSpace(src[i+len("import(") : i+j]))
			i += j
		case c == '*':
			text[i] = '_'
		case c == '!', c == '?' && (i+1 == to || src[i+1] != ':'), c == '.' && i+1 < to && src[i+1] == '<':
		default:
			fresh = false
			text[i] = c
		}
	}
	return rest
}

func skipSpace(s string, at, end int) int {
	for at < end && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	return at
}

// closingBrace returns where the brace that opens at a place is closed, or -1.
func closingBrace(s string, at int) int {
	open := 0
	for ; at < len(s); at++ {
		switch s[at] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return at
			}
		}
	}
	return -1
}

// docsAt returns the tags of the comment that documents a function, a variable or a
// member: it comes before the node, or before the statement that is made of it.
func docsAt(u *resolve.Unit, n int32) (*docs, []docTag) {
	d := docsOf(u)
	if d == nil {
		return nil, nil
	}
	for n >= 0 {
		if tags := d.of[n]; tags != nil {
			return d, tags
		}
		p := u.Parent(n)
		switch u.Kind(p) {
		case "export_statement", "expression_statement", "lexical_declaration", "variable_declaration":
		case "variable_declarator", "pair", "field_definition", "public_field_definition":
			if u.Field(n) != "value" {
				return d, nil
			}
		case "assignment_expression":
			if u.Field(n) != "right" {
				return d, nil
			}
		default:
			return d, nil
		}
		n = p
	}
	return d, nil
}

// documentedType is the type that a comment gives a variable or a member.
func documentedType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	d, tags := docsAt(u, n)
	return taggedType(r, d, tags, "type")
}

// documentedValue is the type of a variable or a member: what its comment says, or what it is
// given. It is both where the comment names what nothing declares: @type {Cache}.
func documentedValue(r *resolve.Resolver, u *resolve.Unit, n, given int32) union {
	t := documentedType(r, u, n)
	if slices.ContainsFunc(t, func(v value) bool { return v.kind != kindLibrary || ofLibraryType[v.name] != nil || !isUpper(v.name) }) {
		return t
	}
	return t.Join(typeOf(r, u, given))
}

// isUpper reports whether a name begins as those of classes do.
func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// taggedType is the type that the first tag of a name gives.
func taggedType(r *resolve.Resolver, d *docs, tags []docTag, name string) union {
	for _, t := range tags {
		if t.tag == name && t.typ >= 0 {
			return annotationType(r, d.unit, t.typ)
		}
	}
	return nil
}

// castType is the type that a comment gives an expression in parentheses.
func castType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	d := docsOf(u)
	if d == nil || u.Kind(n) != "parenthesized_expression" {
		return nil
	}
	return taggedType(r, d, d.of[n], "type")
}

// documentedResult is the type that a comment says a function returns.
func documentedResult(r *resolve.Resolver, u *resolve.Unit, function int32) union {
	d, tags := docsAt(u, function)
	return taggedType(r, d, tags, "returns")
}

// documentedParameter is the type that a comment gives a parameter: by its name, or, where
// the parameter is taken apart, by its place.
func documentedParameter(r *resolve.Resolver, u *resolve.Unit, p int32) union {
	d := docsOf(u)
	if d == nil {
		return nil
	}
	for _, t := range d.of[p] {
		if t.tag == "type" && t.typ >= 0 { // f(/** @type {T} */ a)
			return annotationType(r, d.unit, t.typ)
		}
	}
	function := u.Parent(p)
	if u.Kind(function) == "formal_parameters" {
		function = u.Parent(function)
	}
	_, tags := docsAt(u, function)
	t := tagOf(u, p, function, tags)
	if t == nil {
		return nil
	}
	var all union
	if t.typ >= 0 {
		all = annotationType(r, d.unit, t.typ)
	}
	if t.shape != nil {
		shape := union{{kind: kindInstance, sym: t.shape}}
		if len(all) == 1 && all[0].kind == kindLibrary && all[0].name == "Array" {
			all = library("Array", shape)
		} else {
			all = all.Join(shape)
		}
	}
	if t.rest && len(all) > 0 {
		all = library("Array", all)
	}
	return all
}

// tagOf returns the tag that documents a parameter: by its name, or, where the parameter
// is taken apart, by its place.
func tagOf(u *resolve.Unit, p, function int32, tags []docTag) *docTag {
	name := p
	for u.Kind(name) == "assignment_pattern" || u.Kind(name) == "rest_pattern" {
		name = u.First(name)
	}
	place := slices.Index(parameters(u, function), p)
	for i := range tags {
		t := &tags[i]
		if t.tag != "param" || strings.Contains(t.path, ".") {
			continue
		}
		if u.Kind(name) == "identifier" && t.path == u.Text(name) || u.Kind(name) != "identifier" && place == 0 {
			return t
		}
		place--
	}
	return nil
}

// typedefType is the type that a comment declares.
func typedefType(r *resolve.Resolver, y *resolve.Symbol) union {
	tags := y.Data.([]docTag)
	if tags[0].tag == "callback" {
		var args []union
		for _, t := range tags[1:] {
			if t.tag != "param" || strings.Contains(t.path, ".") {
				continue
			}
			var arg union
			if t.typ >= 0 {
				arg = annotationType(r, y.Unit, t.typ)
			}
			if t.shape != nil {
				arg = arg.Join(union{{kind: kindInstance, sym: t.shape}})
			}
			args = append(args, arg)
		}
		return union{{kind: kindCallback, args: args}}
	}
	var all union
	if tags[0].typ >= 0 {
		all = annotationType(r, y.Unit, tags[0].typ)
	}
	if y.Inner != nil {
		all = all.Join(union{{kind: kindInstance, sym: y}})
	}
	return all
}
