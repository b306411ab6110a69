package syntax

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"codeintel/internal/treesitter"
)

// Style sheets and markup are read by hand from their trees: what is looked up in
// them (classes, ids, components) are not declarations of a language, and what
// they embed is read by the language it is written in.

// A markup is a tree being read.
type markup struct {
	src     []byte
	nodes   []treesitter.Node
	grammar *treesitter.Grammar
	file    *File
	lines   []uint32
}

// readMarkup parses src and has read fill the File from the tree.
func readMarkup(grammar string, src []byte, read func(*markup)) *File {
	f := &File{}
	g, ok := treesitter.Lookup(grammar)
	if !ok {
		f.Partial = "no grammar " + grammar
		return f
	}
	tree, err := g.Parse(src, treesitter.Limit{Time: maxTime, Nodes: maxNodes, Bytes: maxBytes})
	if err != nil {
		f.Partial = err.Error()
		return f
	}
	defer tree.Release()
	f.Partial = tree.Why
	m := &markup{src: src, nodes: tree.Nodes, grammar: g, file: f, lines: lineStarts(nil, src)}
	if len(m.nodes) > 0 {
		read(m)
		m.order()
		m.blocks()
	}
	return f
}

func (m *markup) kind(i int32) string { return m.grammar.KindName(m.nodes[i].Kind) }

func (m *markup) text(i int32) string { return string(m.src[m.nodes[i].Start:m.nodes[i].End]) }

// child returns the first direct child of one of the kinds, or -1.
func (m *markup) child(i int32, kinds ...string) int32 {
	for c := i + 1; c < m.nodes[i].Next; c = m.nodes[c].Next {
		for _, k := range kinds {
			if m.kind(c) == k {
				return c
			}
		}
	}
	return -1
}

// add adds a symbol that spans a node and is named at a byte, and returns its
// index.
func (m *markup) add(node int32, kind Kind, name string, nameAt uint32, parent int, signature string) int {
	n := &m.nodes[node]
	text := bytes.TrimRight(m.src[n.Start:n.End], " \t\r\n")
	row := m.row(nameAt)
	s := Symbol{
		Name: clip(name, 100), Kind: kind, Parent: parent, Signature: oneLine([]byte(signature)),
		Start: int(n.Start), End: int(n.Start) + len(text), DocStart: int(n.Start),
		StartLine: int(n.StartRow) + 1, EndLine: int(n.StartRow) + 1 + bytes.Count(text, []byte("\n")),
		NameLine: row + 1, NameColumn: int(nameAt-m.lines[row]) + 1, Exported: true,
	}
	if parent >= 0 {
		s.Scope = m.file.Symbols[parent].Name
	}
	m.file.Symbols = append(m.file.Symbols, s)
	return len(m.file.Symbols) - 1
}

// row returns the 0-based row of a byte.
func (m *markup) row(at uint32) int {
	i, found := slices.BinarySearch(m.lines, at)
	if !found {
		i--
	}
	return i
}

// occur adds an occurrence of a name at a byte.
func (m *markup) occur(name string, at uint32, role Role, symbol int) {
	row := m.row(at)
	m.file.Occurrences = append(m.file.Occurrences, Occurrence{Name: name, Line: row + 1, Column: int(at-m.lines[row]) + 1, Role: role, Symbol: symbol})
}

// order sorts what was found in the order of the source; symbols already are.
func (m *markup) order() {
	slices.SortStableFunc(m.file.Occurrences, func(a, b Occurrence) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// blocks notes top-level text that no symbol owns.
func (m *markup) blocks() {
	end, symbols := 0, m.file.Symbols
	for c := int32(1); c < m.nodes[0].Next; c = m.nodes[c].Next {
		n := &m.nodes[c]
		for len(symbols) > 0 && symbols[0].Start < int(n.Start) {
			end, symbols = max(end, symbols[0].End), symbols[1:]
		}
		if int(n.Start) < end || n.End == n.Start || len(symbols) > 0 && symbols[0].Start < int(n.End) {
			continue
		}
		m.file.Blocks = append(m.file.Blocks, Block{Start: int(n.Start), End: int(n.End), StartLine: int(n.StartRow) + 1, EndLine: int(n.EndRow) + 1})
	}
}

// embed reads a stretch of the file as another language.
func (m *markup) embed(lang Language, start, end uint32, parent int) {
	f, err := Parse(lang, m.src[start:end])
	if err != nil || f == nil {
		return
	}
	row := m.row(start)
	column := int(start - m.lines[row]) // for what stands on the first line
	shift := func(line, col int) (int, int) {
		if line == 1 {
			col += column
		}
		return line + row, col
	}
	base := len(m.file.Symbols)
	for _, s := range f.Symbols {
		s.Start, s.End, s.DocStart = s.Start+int(start), s.End+int(start), s.DocStart+int(start)
		s.StartLine, s.EndLine = s.StartLine+row, s.EndLine+row
		s.NameLine, s.NameColumn = shift(s.NameLine, s.NameColumn)
		if s.Parent >= 0 {
			s.Parent += base
		} else {
			s.Parent = parent
		}
		m.file.Symbols = append(m.file.Symbols, s)
	}
	for _, o := range f.Occurrences {
		o.Line, o.Column = shift(o.Line, o.Column)
		if o.Symbol >= 0 {
			o.Symbol += base
		} else {
			o.Symbol = parent
		}
		m.file.Occurrences = append(m.file.Occurrences, o)
	}
	for _, i := range f.Imports {
		i.Line += row
		m.file.Imports = append(m.file.Imports, i)
	}
}

func readCSS(src []byte) *File { return readMarkup("css", src, readStyle) }

// readStyle outlines rules, at-rules and custom properties. A class or id that a
// rule selects is a symbol of its own below the rule.
func readStyle(m *markup) {
	var open []int32 // nodes of the symbols around, and their indexes
	var symbols []int
	for i := int32(1); int(i) < len(m.nodes); i++ {
		for len(open) > 0 && i >= m.nodes[open[len(open)-1]].Next {
			open, symbols = open[:len(open)-1], symbols[:len(symbols)-1]
		}
		parent := -1
		if len(symbols) > 0 {
			parent = symbols[len(symbols)-1]
		}
		n := &m.nodes[i]
		switch m.kind(i) {
		case "rule_set", "media_statement", "supports_statement", "keyframes_statement", "at_rule", "scope_statement":
			head, _, _ := bytes.Cut(m.src[n.Start:n.End], []byte("{"))
			name := oneLine(head)
			open, symbols = append(open, i), append(symbols, m.add(i, Rule, name, n.Start, parent, name))
		case "class_name", "id_name":
			if m.kind(n.Parent) == "pseudo_class_selector" {
				continue // the grammar calls the name of a pseudo class so too
			}
			if parent >= 0 && m.within(i, "selectors") {
				s := m.add(i, Selector, m.text(i), n.Start, parent, m.file.Symbols[parent].Signature)
				m.occur(m.text(i), n.Start, Definition, s)
			} else {
				m.occur(m.text(i), n.Start, Read, parent)
			}
		case "keyframes_name":
			m.occur(m.text(i), n.Start, Definition, parent)
		case "property_name":
			if name := m.text(i); strings.HasPrefix(name, "--") {
				s := m.add(n.Parent, Variable, name, n.Start, parent, m.text(n.Parent))
				m.occur(name, n.Start, Definition, s)
			}
		case "plain_value":
			if name := m.text(i); strings.HasPrefix(name, "--") {
				m.occur(name, n.Start, Read, parent)
			}
		case "import_statement":
			text := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(m.text(i), "@import")), ";")
			path, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "url("), ")"), " ")
			m.file.Imports = append(m.file.Imports, Import{Path: unquote(path), Line: int(n.StartRow) + 1})
		}
	}
}

// within reports whether a node lies in one of the kind.
func (m *markup) within(i int32, kind string) bool {
	for i = m.nodes[i].Parent; i >= 0; i = m.nodes[i].Parent {
		if m.kind(i) == kind {
			return true
		}
	}
	return false
}

func readHTML(src []byte) *File {
	return readMarkup("html", src, func(m *markup) { m.elements(nil) })
}

// readVue reads a single-file component: its blocks are symbols, its script is
// the language it names, its template mentions components.
func readVue(src []byte) *File {
	return readMarkup("vue", src, func(m *markup) {
		m.elements(map[string]Kind{"template_element": Component, "script_element": Component, "style_element": Component})
	})
}

// elements reads the elements of a document. Those with an id are symbols, and
// so are the kinds of parts.
func (m *markup) elements(parts map[string]Kind) {
	var open []int32
	var symbols []int
	for i := int32(1); int(i) < len(m.nodes); i++ {
		for len(open) > 0 && i >= m.nodes[open[len(open)-1]].Next {
			open, symbols = open[:len(open)-1], symbols[:len(symbols)-1]
		}
		parent := -1
		if len(symbols) > 0 {
			parent = symbols[len(symbols)-1]
		}
		n := &m.nodes[i]
		switch kind := m.kind(i); kind {
		case "element", "template_element", "script_element", "style_element":
			tag := m.child(i, "start_tag", "self_closing_tag")
			if tag < 0 {
				continue
			}
			attributes := m.attributes(tag)
			name := m.child(tag, "tag_name")
			if part := parts[kind]; part != "" && n.Parent == 0 && name >= 0 {
				parent = m.add(i, part, m.text(name), m.nodes[name].Start, parent, m.text(tag))
				open, symbols = append(open, i), append(symbols, parent)
			} else if id := attributes["id"]; id.text != "" && !strings.ContainsAny(id.text, "{<") {
				parent = m.add(i, Element, id.text, id.at, parent, m.text(tag))
				open, symbols = append(open, i), append(symbols, parent)
				m.occur(id.text, id.at, Definition, parent)
			}
			if raw := m.child(i, "raw_text"); raw >= 0 {
				if lang := embedded(kind, attributes); lang != Unknown {
					m.embed(lang, m.nodes[raw].Start, m.nodes[raw].End, parent)
				}
			}
			if src := attributes["src"]; kind == "script_element" && src.text != "" {
				m.file.Imports = append(m.file.Imports, Import{Path: src.text, Line: int(n.StartRow) + 1})
			}
			if href := attributes["href"]; name >= 0 && m.text(name) == "link" && href.text != "" {
				m.file.Imports = append(m.file.Imports, Import{Path: href.text, Line: int(n.StartRow) + 1})
			}
			for word := range wordsOf(attributes["class"]) {
				m.occur(word.text, word.at, Read, parent)
			}
		case "tag_name":
			// A component is capitalised, or has a hyphen; what HTML has is neither.
			if name := m.text(i); m.kind(n.Parent) != "end_tag" && (name[0] >= 'A' && name[0] <= 'Z' || strings.Contains(name, "-")) {
				m.occur(name, n.Start, Call, parent)
			}
		}
	}
}

// A word is text with where it stands.
type word struct {
	text string
	at   uint32
}

// attributes returns the values of a tag's attributes by name, in small letters.
func (m *markup) attributes(tag int32) map[string]word {
	all := make(map[string]word)
	for c := tag + 1; c < m.nodes[tag].Next; c = m.nodes[c].Next {
		name := m.child(c, "attribute_name")
		if m.kind(c) != "attribute" || name < 0 {
			continue
		}
		value := word{at: m.nodes[c].End}
		for v := c + 1; v < m.nodes[c].Next; v++ {
			if m.kind(v) == "attribute_value" {
				value = word{m.text(v), m.nodes[v].Start}
			}
		}
		all[strings.ToLower(m.text(name))] = value
	}
	return all
}

// wordsOf yields the words of a class attribute.
func wordsOf(w word) func(yield func(word) bool) {
	return func(yield func(word) bool) {
		if strings.ContainsAny(w.text, "{<?") { // a template's expression, no list of names
			return
		}
		for at := 0; at < len(w.text); {
			for at < len(w.text) && isSpace(w.text[at]) {
				at++
			}
			start := at
			for at < len(w.text) && !isSpace(w.text[at]) {
				at++
			}
			if at > start && !yield(word{w.text[start:at], w.at + uint32(start)}) {
				return
			}
		}
	}
}

// embedded names the language of a script or style element.
func embedded(kind string, attributes map[string]word) Language {
	lang, typ := strings.ToLower(attributes["lang"].text), strings.ToLower(attributes["type"].text)
	switch kind {
	case "style_element":
		if lang == "scss" || lang == "sass" || lang == "less" {
			return SCSS
		}
		return CSS
	case "script_element":
		switch {
		case lang == "ts":
			return TypeScript
		case lang == "tsx":
			return TSX
		case typ == "application/json" || typ == "application/ld+json" || typ == "importmap":
			return JSON
		case typ == "" || typ == "module" || strings.Contains(typ, "javascript"):
			return JavaScript
		}
	}
	return Unknown
}
