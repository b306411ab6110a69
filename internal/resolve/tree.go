package resolve

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"time"

	"codeintel/internal/syntax"
	"codeintel/internal/syntax/treesitter"
)

// A parsed is the tree of one file.
type parsed struct {
	text  string
	lines []uint32 // where each line begins
	g     *treesitter.Grammar
	nodes []treesitter.Node
}

// A unit is one file, or a type written in a string of one, with its names
// bound.
type unit struct {
	*parsed
	path   string
	lang   syntax.Language
	memory any // of its language; see [Language]

	language Language

	scopes map[int32]*scope  // by the node that opens them
	owner  map[int32]*symbol // by the node of a name that declares one
	top    *scope
	module *symbol // the file as a whole

	host     *unit // of a string that holds a type
	hostNode int32
	offset   uint32

	names   map[string][]spot // where each name stands, made when asked for
	strings map[int32]*unit   // types in strings, by node
	exports *scope            // TypeScript: what others may import
	members map[int32]*scope  // scripts: tables of members, by body
}

// unit returns a file of the project, bound, or nil if there is none or it
// cannot be had.
func (r *Resolver) unit(file string) *unit {
	if u, ok := r.units[file]; ok {
		return u
	}
	if _, ok := r.files[file]; !ok || r.late() {
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
		r.nodes += len(t.nodes)
	}
	l, lang := r.languageOf(file)
	u := &unit{parsed: t, path: file, lang: lang, language: l, memory: r.memory[l], scopes: map[int32]*scope{}, owner: map[int32]*symbol{}, strings: map[int32]*unit{}}
	u.module = &symbol{name: stemOf(file), unit: u}
	r.units[file] = u
	l.Bind(u)
	return u
}

// parse reads a file. Bad code has a tree too.
func (r *Resolver) parse(file string) *parsed {
	if r.nodes > mostNodes {
		return nil
	}
	text, err := r.read(file)
	if err != nil || len(text) > mostBytes || bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	_, lang := r.languageOf(file)
	return parseText(string(text), lang)
}

func parseText(text string, lang syntax.Language) *parsed {
	g, ok := treesitter.Lookup(string(lang))
	if !ok {
		return nil
	}
	tree, err := g.Parse([]byte(text), treesitter.Limit{Time: 2 * time.Second, Nodes: 1 << 20, Bytes: mostBytes})
	if err != nil || len(tree.Nodes) == 0 {
		return nil
	}
	if tree.HasError {
		if repaired := syntax.Repair(lang, []byte(text)); string(repaired) != text {
			again, err := g.Parse(repaired, treesitter.Limit{Time: 2 * time.Second, Nodes: 1 << 20, Bytes: mostBytes})
			if err == nil && len(again.Nodes) > 0 {
				tree.Release()
				tree = again
			}
		}
	}
	p := &parsed{text: text, g: g, nodes: slices.Clone(tree.Nodes), lines: []uint32{0}}
	tree.Release()
	for i := range len(text) {
		if text[i] == '\n' {
			p.lines = append(p.lines, uint32(i+1))
		}
	}
	return p
}

func (p *parsed) kind(n int32) string {
	if n < 0 {
		return ""
	}
	return p.g.KindName(p.nodes[n].Kind)
}

// field is the name of the field that a node fills in its parent.
func (p *parsed) field(n int32) string { return p.g.FieldName(p.nodes[n].Field) }

func (p *parsed) parent(n int32) int32 {
	if n < 0 {
		return -1
	}
	return p.nodes[n].Parent
}

// of returns the text of a node, "" for none.
func (p *parsed) of(n int32) string {
	if n < 0 {
		return ""
	}
	return p.text[p.nodes[n].Start:p.nodes[n].End]
}

// children yields the direct children of a node.
func (p *parsed) children(n int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		if n < 0 {
			return
		}
		for c := n + 1; c < p.nodes[n].Next; c = p.nodes[c].Next {
			if p.nodes[c].Flags&treesitter.Named != 0 && p.kind(c) != "comment" && !yield(c) {
				return
			}
		}
	}
}

// child returns the first child in a field, or -1.
func (p *parsed) child(n int32, field string) int32 {
	if n < 0 {
		return -1
	}
	id := p.g.FieldID(field)
	for c := n + 1; c < p.nodes[n].Next; c = p.nodes[c].Next {
		if p.nodes[c].Field == id && id != 0 {
			return c
		}
	}
	return -1
}

// first returns the first child of one of the kinds, or of any kind, or -1.
func (p *parsed) first(n int32, kinds ...string) int32 {
	for c := range p.children(n) {
		if len(kinds) == 0 || slices.Contains(kinds, p.kind(c)) {
			return c
		}
	}
	return -1
}

// list returns the children.
func (p *parsed) list(n int32) []int32 {
	var all []int32
	for c := range p.children(n) {
		all = append(all, c)
	}
	return all
}

// around returns the nearest node around n of one of the kinds, or -1.
func (p *parsed) around(n int32, kinds ...string) int32 {
	for n = p.parent(n); n >= 0; n = p.parent(n) {
		if slices.Contains(kinds, p.kind(n)) {
			return n
		}
	}
	return -1
}

// within reports whether a node is, or is in, another.
func (p *parsed) within(n, outer int32) bool {
	return outer >= 0 && n >= outer && n < p.nodes[outer].Next
}

// place is where a spot begins; of a quoted name, after the quote.
func (s spot) place() Place {
	u, at := s.u, s.u.nodes[s.n].Start+s.word
	if u.kind(s.n) == "string" {
		at++
	}
	file := u
	for file.host != nil {
		at += file.offset
		file = file.host
	}
	line := sort.Search(len(file.lines), func(i int) bool { return file.lines[i] > at })
	return Place{file.path, line, int(at-file.lines[line-1]) + 1}
}

// isName reports whether nodes of a kind are names.
func isName(kind string) bool {
	switch kind {
	case "identifier", "property_identifier", "type_identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
		"private_property_identifier", "statement_identifier":
		return true
	}
	return false
}

// at returns the name that stands at a line and a column, or -1.
func (u *unit) at(line, column int) int32 {
	if line < 1 || line > len(u.lines) {
		return -1
	}
	offset := u.lines[line-1] + uint32(column-1)
	i, _ := slices.BinarySearchFunc(u.nodes, offset, func(n treesitter.Node, at uint32) int {
		if n.Start < at {
			return -1
		}
		return 1
	})
	for ; i < len(u.nodes) && u.nodes[i].Start == offset; i++ {
		if isName(u.kind(int32(i))) || u.language.QuotedName(u, int32(i)) {
			return int32(i)
		}
	}
	return -1
}

// A spot is where a name stands: a node, or a word in a comment.
type spot struct {
	u    *unit
	n    int32
	word uint32 // in a comment: how far in
}

// named returns where a name stands, in types in strings and links in
// comments too.
func (r *Resolver) named(u *unit, name string) []spot {
	if u.names == nil {
		u.names = map[string][]spot{}
		note := func(u *unit, of *unit) {
			for i := range u.nodes {
				if n := int32(i); isName(u.kind(n)) || u.language.QuotedName(u, n) {
					t := unquote(u.of(n))
					of.names[t] = append(of.names[t], spot{u: u, n: n})
				}
			}
		}
		note(u, u)
		for i := range u.nodes {
			n := int32(i)
			code, words := u.language.Quoted(r, u, n)
			if code != nil {
				note(code, u)
			}
			if words != nil {
				for word, at := range words {
					u.names[word] = append(u.names[word], spot{u: u, n: n, word: at})
				}
			}
		}
	}
	return u.names[name]
}

// leadingName is the identifier that a text begins with.
func leadingName(s string) string {
	end := 0
	for end < len(s) && (s[end] == '_' || s[end] == '$' || s[end] >= '0' && s[end] <= '9' || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
		end++
	}
	return s[:end]
}

// unquote takes one pair of quotes off.
func unquote(s string) string {
	if len(s) >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// stemOf is the name of a file without folders and suffix.
func stemOf(file string) string {
	base := file[strings.LastIndexByte(file, '/')+1:]
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}
