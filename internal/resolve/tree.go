package resolve

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"sync"

	"codeintel/internal/syntax"
	"codeintel/internal/syntax/treesitter"
)

// A Parsed is the tree of one file.
type Parsed struct {
	Source string
	lines  []uint32 // where each line begins
	g      *treesitter.Grammar
	lang   syntax.Language
	Nodes  []treesitter.Node

	// LeftOut are the stretches of the text that the tree contains nothing of: what was taken
	// out so that the rest could be read. In order.
	LeftOut []Stretch
}

// A Stretch is a part of a text, in bytes.
type Stretch struct{ Start, End uint32 }

// A Unit is one file, or a type written in a string of one, with its names
// bound.
type Unit struct {
	*Parsed
	Path   string
	Lang   syntax.Language
	Memory any // of its language; see [Language]

	Language Language

	Scopes map[int32]*Scope  // by the node that opens them
	Owner  map[int32]*Symbol // by the node of a name that declares one
	Top    *Scope
	Module *Symbol // the file as a whole

	Host     *Unit // of a string that contains a type
	HostNode int32
	Offset   uint32

	names   map[string][]Spot // where each name is, made when asked for
	Strings map[int32]*Unit   // types in strings, by node
	Exports *Scope            // TypeScript: what others may import
	Members map[int32]*Scope  // scripts: tables of members, by body
}

// NewUnit returns a file, whose names are not bound yet. The module is what the file as a
// whole is called.
func NewUnit(p *Parsed, path, module string, l Language, memory any) *Unit {
	u := &Unit{Parsed: p, Path: path, Lang: p.lang, Language: l, Memory: memory,
		Scopes: map[int32]*Scope{}, Owner: map[int32]*Symbol{}, Strings: map[int32]*Unit{}}
	u.Module = &Symbol{Name: module, Unit: u}
	return u
}

// Part returns a text within the file, such as a type in a string, as a unit of its own whose
// names are not bound yet: it is in a node, and its first byte is that at offset.
func (u *Unit) Part(p *Parsed, node int32, offset uint32) *Unit {
	part := NewUnit(p, u.Path, "", u.Language, u.Memory)
	part.Module, part.Host, part.HostNode, part.Offset = u.Module, u, node, offset
	return part
}

// Unit returns a file of the project, bound, or nil if there is none or it
// is not available.
func (r *Resolver) Unit(file string) *Unit {
	if u, ok := r.units[file]; ok {
		return u
	}
	if _, ok := r.Files[file]; !ok || r.outOfBudget() {
		return nil
	}
	t := r.parsed[file]
	if t == nil {
		t = r.parse(file)
		if t == nil {
			r.units[file] = nil
			return nil
		}
		r.parsed[file] = t
		r.nodes += len(t.Nodes)
	}
	l, _ := r.languageOf(file)
	u := NewUnit(t, file, StemOf(file), l, r.memory[l])
	r.units[file] = u
	l.Bind(r, u)
	return u
}

// Defining lists the files that define something of a name, in order.
func (r *Resolver) Defining(name string) []string {
	if r.Defines == nil {
		return nil
	}
	list, ok := r.defining[name]
	if !ok {
		list = r.Defines(name)
		slices.Sort(list)
		list = slices.Compact(list)
		r.defining[name] = list
	}
	return list
}

// libraries holds the trees of texts that come with languages.
var libraries sync.Map // text -> *Parsed

// Library returns a text that comes with a language and is no file of the project,
// bound.
func (r *Resolver) Library(l Language, lang syntax.Language, name, text string) *Unit {
	p, ok := libraries.Load(text)
	if !ok {
		p, _ = libraries.LoadOrStore(text, ParseText(text, lang))
	}
	if p.(*Parsed) == nil {
		return nil
	}
	u := NewUnit(p.(*Parsed), name, name, l, r.memory[l])
	l.Bind(r, u)
	return u
}

// parse reads a file. Bad code has a tree too.
func (r *Resolver) parse(file string) *Parsed {
	if r.nodes > maxNodes {
		return nil
	}
	text, err := r.Read(file)
	if err != nil || len(text) > maxBytes || bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	l, lang := r.languageOf(file)
	if is := syntax.Detect(file, text); slices.Contains(l.Languages(), is) { // a header of C or of C++
		lang = is
	}
	return ParseText(string(text), lang)
}

// ParseText parses a text. It returns nil for one of which no names can be resolved: the language has no grammar,
// or the tree or its names are beyond what a person would write.
func ParseText(text string, lang syntax.Language) *Parsed {
	code := syntax.ReadCode(lang, []byte(text))
	if code == nil {
		return nil
	}
	defer code.Release()
	if len(code.Nodes) > maxNodesOfOne {
		return nil
	}
	p := &Parsed{Source: text, g: code.Grammar, lang: lang, Nodes: slices.Clone(code.Nodes), lines: []uint32{0}}
	if p.hasLongNames() {
		return nil
	}
	for start, end := range code.LeftOut() {
		p.LeftOut = append(p.LeftOut, Stretch{uint32(start), uint32(end)})
	}
	for i := range len(text) {
		if text[i] == '\n' {
			p.lines = append(p.lines, uint32(i+1))
		}
	}
	return p
}

// hasLongNames reports whether names, or the paths of names around declarations, are longer than a person would write:
// the full name of each member repeats them, so a small file could take any memory.
func (p *Parsed) hasLongNames() bool {
	const mostAround = 32 << 20 // bytes of the names around all names
	name, total := p.g.FieldID("name"), 0
	around := make([]int, len(p.Nodes)) // bytes of the names of what is around a node
	own := make([]int, len(p.Nodes))    // of its longest name: an import of many names declares each in the same place
	for i, n := range p.Nodes {
		if n.Parent >= 0 {
			around[i] = around[n.Parent] + own[n.Parent]
		}
		if size := int(n.End - n.Start); size > syntax.LongestName && isNamePath(p.Kind(int32(i)), p.Source[n.Start:n.End]) {
			return true
		}
		if n.Field == name && name != 0 && n.Parent >= 0 {
			own[n.Parent] = max(own[n.Parent], int(n.End-n.Start))
			if total += around[n.Parent] + own[n.Parent]; total > mostAround {
				return true
			}
		}
	}
	return false
}

// isNamePath reports whether the text of a node of a kind is nothing but names and what joins them.
func isNamePath(kind, text string) bool {
	if !strings.Contains(kind, "identifier") && !strings.Contains(kind, "name") && kind != "constant" && kind != "scope_resolution" {
		return false
	}
	return !strings.ContainsAny(text, " \t\r\n\"'`(){}[]<>,;=")
}

func (p *Parsed) Kind(n int32) string {
	if n < 0 {
		return ""
	}
	return p.g.KindName(p.Nodes[n].Kind)
}

// Field is the name of the field that a node fills in its parent.
func (p *Parsed) Field(n int32) string { return p.g.FieldName(p.Nodes[n].Field) }

// Parent is the node around a node, -1 for none.
func (p *Parsed) Parent(n int32) int32 {
	if n < 0 {
		return -1
	}
	return p.Nodes[n].Parent
}

// Text returns the text of a node, "" for none.
func (p *Parsed) Text(n int32) string {
	if n < 0 {
		return ""
	}
	return p.Source[p.Nodes[n].Start:p.Nodes[n].End]
}

// Children yields the direct children of a node.
func (p *Parsed) Children(n int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		if n < 0 {
			return
		}
		for c := n + 1; c < p.Nodes[n].Next; c = p.Nodes[c].Next {
			if p.Nodes[c].Flags&treesitter.Named != 0 && !strings.HasSuffix(p.Kind(c), "comment") && !yield(c) {
				return
			}
		}
	}
}

// Missing reports whether the parser added a node that the text lacks.
func (p *Parsed) Missing(n int32) bool { return p.Nodes[n].Flags&treesitter.Missing != 0 }

// Child returns the first child in a field, or -1.
func (p *Parsed) Child(n int32, field string) int32 {
	if n < 0 {
		return -1
	}
	id := p.g.FieldID(field)
	for c := n + 1; c < p.Nodes[n].Next; c = p.Nodes[c].Next {
		if p.Nodes[c].Field == id && id != 0 {
			return c
		}
	}
	return -1
}

// First returns the first child of one of the kinds, or of any kind, or -1.
func (p *Parsed) First(n int32, kinds ...string) int32 {
	for c := range p.Children(n) {
		if len(kinds) == 0 || slices.Contains(kinds, p.Kind(c)) {
			return c
		}
	}
	return -1
}

// List returns the children.
func (p *Parsed) List(n int32) []int32 { return slices.Collect(p.Children(n)) }

// Around returns the nearest node around n of one of the kinds, or -1.
func (p *Parsed) Around(n int32, kinds ...string) int32 {
	for n = p.Parent(n); n >= 0; n = p.Parent(n) {
		if slices.Contains(kinds, p.Kind(n)) {
			return n
		}
	}
	return -1
}

// Within reports whether a node is, or is in, another.
func (p *Parsed) Within(n, outer int32) bool {
	return outer >= 0 && n >= outer && n < p.Nodes[outer].Next
}

// Position is where a spot begins; of a quoted name, after the quote.
func (s Spot) Position() Position {
	u, at := s.Unit, s.Unit.Nodes[s.Node].Start+s.Word
	if k := u.Kind(s.Node); k == "string" || k == "simple_symbol" {
		at++
	}
	file := u
	for file.Host != nil {
		at += file.Offset
		file = file.Host
	}
	line := sort.Search(len(file.lines), func(i int) bool { return file.lines[i] > at })
	return Position{file.Path, line, int(at-file.lines[line-1]) + 1}
}

// IsName reports whether nodes of a kind are names.
func IsName(kind string) bool {
	switch kind {
	case "identifier", "property_identifier", "type_identifier", "shorthand_property_identifier",
		"shorthand_property_identifier_pattern",
		"private_property_identifier", "statement_identifier", "field_identifier", "shorthand_field_identifier",
		"namespace_identifier":
		return true
	}
	return false
}

// spotAt returns the name that is at a line and a column; ok is false if there is none.
func (r *Resolver) spotAt(u *Unit, line, column int) (s Spot, ok bool) {
	if n := u.nodeAt(line, column); n >= 0 {
		return Spot{Unit: u, Node: n}, true
	}
	if line < 1 || line > len(u.lines) || len(u.LeftOut) == 0 {
		return s, false
	}
	offset := u.lines[line-1] + uint32(max(0, column-1))
	for _, l := range u.LeftOut {
		if l.Start > offset || offset >= l.End {
			continue
		}
		for _, s := range r.named(u, LeadingName(u.Source[offset:l.End])) {
			if s.Unit == u && u.Nodes[s.Node].Start+s.Word == offset {
				return s, true
			}
		}
	}
	return s, false
}

// nodeAt returns the name that is at a line and a column, or -1.
func (u *Unit) nodeAt(line, column int) int32 {
	if line < 1 || line > len(u.lines) {
		return -1
	}
	offset := u.lines[line-1] + uint32(column-1)
	i, _ := slices.BinarySearchFunc(u.Nodes, offset, func(n treesitter.Node, at uint32) int {
		if n.Start < at {
			return -1
		}
		return 1
	})
	for j := i; j < len(u.Nodes) && u.Nodes[j].Start == offset; j++ {
		if IsName(u.Kind(int32(j))) || u.Language.QuotedName(u, int32(j)) {
			return int32(j)
		}
	}
	for i--; i >= 0 && u.Nodes[i].Start+1 == offset; i-- {
		if u.Kind(int32(i)) == "simple_symbol" {
			return int32(i)
		}
	}
	return -1
}

// A Spot is where a name is: a node, or a word in a comment.
type Spot struct {
	Unit *Unit
	Node int32
	Word uint32 // in a comment: how far in
}

// named returns where a name is, in types in strings and links in
// comments too.
func (r *Resolver) named(u *Unit, name string) []Spot {
	if u.names == nil {
		u.names = map[string][]Spot{}
		note := func(u *Unit, of *Unit) {
			for i := range u.Nodes {
				if n := int32(i); IsName(u.Kind(n)) || u.Language.QuotedName(u, n) {
					t := strings.TrimPrefix(Unquote(u.Text(n)), ":")
					of.names[t] = append(of.names[t], Spot{Unit: u, Node: n})
				}
			}
		}
		note(u, u)
		for i := range u.Nodes {
			n := int32(i)
			code, words := u.Language.Quoted(r, u, n)
			if code != nil {
				note(code, u)
			}
			if words != nil {
				for word, at := range words {
					u.names[word] = append(u.names[word], Spot{Unit: u, Node: n, Word: at})
				}
			}
		}
		if l, ok := u.Language.(Reader); ok {
			for word, s := range l.LeftOut(u) {
				u.names[word] = append(u.names[word], s)
			}
		}
	}
	return u.names[Unquote(name)]
}

// ContainsName reports whether a name is in a text as a whole, with one of some characters
// before it and one of some behind it. None means any that is no part of a name.
func ContainsName(text, name, before, behind string) bool {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(name)
		if hasNeighbour(text[max(at-1, 0):at], before) && hasNeighbour(text[end:min(end+1, len(text))], behind) {
			return true
		}
	}
}

// hasNeighbour reports whether what is beside a name, a character or nothing, is one of some.
func hasNeighbour(s, of string) bool {
	if of == "" {
		return LeadingName(s) == ""
	}
	return s != "" && strings.Contains(of, s)
}

// Quotes are the characters around a name in quotes.
const Quotes = `"'`

// InDocumentation reports whether a name is in a comment that begins with /** and has a
// tag, such as @param.
func InDocumentation(text, name string) bool {
	for {
		_, after, found := strings.Cut(text, "/**")
		if !found {
			return false
		}
		comment, rest, _ := strings.Cut(after, "*/")
		if strings.Contains(comment, "@") && ContainsName(comment, name, "", "") {
			return true
		}
		text = rest
	}
}

// LeadingName is the identifier that a text begins with.
func LeadingName(s string) string {
	end := 0
	for end < len(s) && (s[end] == '_' || s[end] == '$' || s[end] >= '0' && s[end] <= '9' || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
		end++
	}
	return s[:end]
}

// Unquote takes one pair of quotes off.
func Unquote(s string) string {
	if len(s) >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// StemOf is the name of a file without folders and suffix.
func StemOf(file string) string {
	base := file[strings.LastIndexByte(file, '/')+1:]
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}
