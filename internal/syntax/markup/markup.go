// Package markup parses markup, templates, style sheets and data files: HTML, Vue, Svelte, Blade, the HTML
// around PHP, CSS, SCSS, JSON, YAML and Markdown. Their names are not declarations of a programming language,
// so each has a reader of its own. Code embedded in a file is read by the parser that the reader is given.
package markup

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/treesitter"
	"codeintel/internal/text"
)

// Style sheets and markup are read by hand from their trees: what is looked up in
// them (classes, ids, components) are not declarations of a language, and what
// they embed is read by the language it is written in.

// A markup is a tree being read.
type markup struct {
	engine.Tree                  // of what is parsed, which is as long as whole
	whole       []byte           // the source as it is written
	masks       []span           // see newMarkup
	embedded    engine.ParseFunc // reads what is written in other languages
	file        *engine.File
	lines       []uint32
}

// newMarkup begins to read a source. Masks are the stretches, in order, whose
// text is only known when the template runs, or is of another language: nothing
// that reaches into one is a name.
func newMarkup(src, whole []byte, masks []span, embedded engine.ParseFunc) *markup {
	return &markup{Tree: engine.Tree{Source: src}, whole: whole, masks: masks, embedded: embedded,
		file: &engine.File{}, lines: engine.LineStarts(nil, src)}
}

// parse makes the tree. It reports false if there is none.
func (m *markup) parse(grammar string) bool {
	g, ok := treesitter.Lookup(grammar)
	if !ok {
		m.file.Partial = "no grammar " + grammar
		return false
	}
	tree, err := g.Parse(m.Source, treesitter.Limit{Work: treesitter.Work(len(m.Source)), Nodes: engine.MaxNodes,
		Bytes: engine.MaxBytes})
	if err != nil {
		m.file.Partial = err.Error()
		return false
	}
	m.Grammar, m.Nodes, m.file.Partial = g, tree.Nodes, tree.Why
	return len(m.Nodes) > 0
}

// masked says whether a stretch reaches into a mask.
func (m *markup) masked(start, end uint32) bool {
	i, _ := slices.BinarySearchFunc(m.masks, start, func(s span, at uint32) int {
		if s.End <= at {
			return -1
		}
		return 1
	})
	return i < len(m.masks) && m.masks[i].Start < end
}

// readMarkup parses src and has read fill the File from the tree.
func readMarkup(grammar string, src []byte, embedded engine.ParseFunc, read func(*markup)) *engine.File {
	m := newMarkup(src, src, nil, embedded)
	if m.parse(grammar) {
		read(m)
		m.settle()
	}
	return m.file
}

// span returns the stretch of a node.
func (m *markup) span(i int32) span { return span{m.Nodes[i].Start, m.Nodes[i].End} }

// source returns the text of a node as it is written.
func (m *markup) source(i int32) string { return string(m.whole[m.Nodes[i].Start:m.Nodes[i].End]) }

// add adds a symbol that spans a node and is named at a byte, and returns its
// index.
func (m *markup) add(node int32, kind engine.Kind, name string, nameAt uint32, parent int, signature string) int {
	return m.addSpan(m.span(node), kind, name, nameAt, parent, signature)
}

// addSpan adds a symbol that spans a stretch.
func (m *markup) addSpan(at span, kind engine.Kind, name string, nameAt uint32, parent int, signature string) int {
	end := at.End
	for end > at.Start && engine.IsSpace(m.whole[end-1]) {
		end--
	}
	line, column := m.position(nameAt)
	s := engine.Symbol{
		Name: text.Prefix(name, 100), Kind: kind, Parent: parent, Signature: engine.OneLine([]byte(signature)),
		Start: int(at.Start), End: int(end), DocStart: int(at.Start),
		StartLine: m.row(at.Start) + 1, EndLine: m.row(max(at.Start+1, end)-1) + 1,
		NameLine: line, NameColumn: column, Exported: true,
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

// position returns the 1-based line and column of a byte.
func (m *markup) position(at uint32) (line, column int) {
	row := m.row(at)
	return row + 1, int(at-m.lines[row]) + 1
}

// occur adds an occurrence of a name at a byte, unless the name is not known.
func (m *markup) occur(name string, at uint32, role engine.Role, symbol int) {
	if name == "" || m.masked(at, at+uint32(len(name))) {
		return
	}
	line, column := m.position(at)
	m.file.Occurrences = append(m.file.Occurrences,
		engine.Occurrence{Name: name, Line: line, Column: column, Role: role, Symbol: symbol})
}

// noteIncluded notes a file that is brought in.
func (m *markup) noteIncluded(path string, at uint32) {
	if path != "" && !m.masked(at, at+uint32(len(path))) {
		m.file.Imports = append(m.file.Imports, engine.Import{Path: path, Line: m.row(at) + 1})
	}
}

// ownsContent says whether what is within a symbol of the kind belongs to it.
func ownsContent(k engine.Kind) bool {
	switch k {
	case engine.Element, engine.Component, engine.Section, engine.Slot, engine.Class, engine.Interface,
		engine.Trait, engine.Enum, engine.Namespace, engine.Rule:
		return true
	}
	return k.IsFunction()
}

// calledByPlace says whether symbols of the kind are called by where they are; what
// a script in a template declares is not.
func calledByPlace(k engine.Kind) bool {
	return k == engine.Element || k == engine.Slot || k == engine.Section
}

// settle puts what was found into the order of the source, and gives what knows
// no symbol around it the innermost one.
func (m *markup) settle() {
	f := m.file
	order := make([]int, len(f.Symbols))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.Symbols[a].Start, f.Symbols[b].Start),
			cmp.Compare(f.Symbols[b].End, f.Symbols[a].End))
	})
	symbols, to := make([]engine.Symbol, len(order)), make([]int, len(order))
	for i, from := range order {
		symbols[i], to[from] = f.Symbols[from], i
	}
	var open []int
	for i := range symbols {
		s := &symbols[i]
		open = closeBefore(symbols, open, s.Start)
		if s.Parent >= 0 {
			s.Parent = to[s.Parent]
		} else if s.Parent = innermost(symbols, open, s.Start, s.End); s.Parent >= 0 && calledByPlace(s.Kind) {
			s.Scope = symbols[s.Parent].Name
		}
		open = append(open, i)
	}
	f.Symbols = symbols
	slices.SortStableFunc(f.Occurrences, func(a, b engine.Occurrence) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	slices.SortStableFunc(f.Imports, func(a, b engine.Import) int { return cmp.Compare(a.Line, b.Line) })
	f.Occurrences = slices.CompactFunc(f.Occurrences, func(a, b engine.Occurrence) bool {
		return a.Line == b.Line && a.Column == b.Column && a.Name == b.Name
	})
	next := 0
	open = open[:0]
	for i := range f.Occurrences {
		o := &f.Occurrences[i]
		at := int(m.lines[o.Line-1]) + o.Column - 1
		for next < len(symbols) && symbols[next].Start <= at {
			open = append(closeBefore(symbols, open, symbols[next].Start), next)
			next++
		}
		open = closeBefore(symbols, open, at)
		switch {
		case o.Symbol >= 0:
			o.Symbol = to[o.Symbol]
		default:
			o.Symbol = innermost(symbols, open, at, at+len(o.Name))
		}
	}
}

// closeBefore takes the symbols off the stack that end before a byte.
func closeBefore(symbols []engine.Symbol, open []int, at int) []int {
	for len(open) > 0 && symbols[open[len(open)-1]].End <= at {
		open = open[:len(open)-1]
	}
	return open
}

// innermost returns the last open symbol that contains a stretch and more, or -1.
func innermost(symbols []engine.Symbol, open []int, start, end int) int {
	for i := len(open) - 1; i >= 0; i-- {
		if s := &symbols[open[i]]; ownsContent(s.Kind) && s.Start <= start && end <= s.End && s.End-s.Start > end-start {
			return open[i]
		}
	}
	return -1
}

// embed reads a stretch of the file as another language.
func (m *markup) embed(lang engine.Language, at span, parent int) {
	f, err := m.embedded(lang, m.Source[at.Start:at.End])
	if err != nil || f == nil {
		return
	}
	if f.Partial != "" && m.file.Partial == "" {
		m.file.Partial = f.Partial
	}
	row := m.row(at.Start)
	column := int(at.Start - m.lines[row]) // for what is on the first line
	shift := func(line, col int) (int, int) {
		if line == 1 {
			col += column
		}
		return line + row, col
	}
	kept := make([]int, len(f.Symbols)) // by symbol of f: its index here, or that of what is around it
	for i, s := range f.Symbols {
		kept[i] = parent
		if s.Parent >= 0 {
			kept[i] = kept[s.Parent]
		}
		s.Start, s.End, s.DocStart = s.Start+int(at.Start), s.End+int(at.Start), s.DocStart+int(at.Start)
		s.StartLine, s.EndLine = s.StartLine+row, s.EndLine+row
		s.NameLine, s.NameColumn = shift(s.NameLine, s.NameColumn)
		name := m.lines[s.NameLine-1] + uint32(s.NameColumn) - 1
		switch hidden := m.masked(name, name+uint32(len(s.Name))); {
		case s.Kind == engine.Rule: // its name is its text
			s.Name = text.Prefix(m.unmask(s.Name, s.Start, s.End), 100)
		case hidden:
			continue
		}
		s.Parent, s.Signature = kept[i], engine.OneLine([]byte(m.unmask(s.Signature, s.Start, s.End)))
		if s.Parent >= 0 && m.file.Symbols[s.Parent].Kind == engine.Rule && s.Scope != "" {
			s.Scope = m.file.Symbols[s.Parent].Name
			if s.Kind == engine.Selector {
				s.Signature = m.file.Symbols[s.Parent].Signature
			}
		}
		kept[i] = len(m.file.Symbols)
		m.file.Symbols = append(m.file.Symbols, s)
	}
	for _, o := range f.Occurrences {
		o.Line, o.Column = shift(o.Line, o.Column)
		name := m.lines[o.Line-1] + uint32(o.Column) - 1
		if m.masked(name, name+uint32(len(o.Name))) {
			continue
		}
		if o.Symbol >= 0 {
			o.Symbol = kept[o.Symbol]
		} else {
			o.Symbol = parent
		}
		m.file.Occurrences = append(m.file.Occurrences, o)
	}
	for _, i := range f.Imports {
		if i.Line += row; !strings.Contains(i.Path, filler) {
			m.file.Imports = append(m.file.Imports, i)
		}
	}
}

// filler is, as often as needed, where the value of an expression will
// stand when a template runs: a name to HTML, to style sheets and to scripts.
const filler = "xxxxx"

// unmask returns a text that was read of what is from one byte to another,
// with what is written in place of filler.
func (m *markup) unmask(text string, start, end int) string {
	if !strings.Contains(text, filler) {
		return text
	}
	for i, _ := slices.BinarySearchFunc(m.masks, uint32(start), func(s span, at uint32) int {
		return cmp.Compare(s.Start, at)
	}); i < len(m.masks) && int(m.masks[i].Start) < end; i++ {
		mask := m.masks[i]
		if n := bytes.Count(m.Source[mask.Start:mask.End], []byte("x")); n >= len(filler) {
			text = strings.Replace(text, strings.Repeat("x", n), string(m.whole[mask.Start:mask.End]), 1)
		}
		if len(text) > 4*engine.MaxSignature {
			break
		}
	}
	return text
}

// HTML is the row of the language.
var HTML = &engine.Spec{
	Name:       engine.HTML,
	Title:      "HTML",
	Aliases:    "htm",
	Extensions: "html htm xhtml",
	NoLogic:    "html htm",
	Form:       engine.Page,
	Linked:     true,
	Read:       readHTML,
	Names: engine.Names{
		Groups:  "script style template",
		Members: engine.ScriptMembers,
		Imports: engine.ImportsScript,
	},

	Comparing: engine.Comparing{Comments: "<!-- -->"},
}

func readHTML(src []byte, embedded engine.ParseFunc) *engine.File {
	return readMarkup("html", src, embedded, func(m *markup) { m.elements(markupHTML) })
}

// A dialect is what a kind of markup has beyond elements with ids and classes.
type dialect struct {
	parts     map[string]engine.Kind                 // elements at the top of the file that are symbols
	component func(m *markup, name word, parent int) // what the name of a tag mentions
	handlers  bool                                   // attributes named on… hold script
	bindings  bool                                   // and what templates write: (a)="…", {{ … }}
}

var markupHTML = dialect{component: customElement, handlers: true, bindings: true}

// customElement mentions the elements that HTML does not have: they are
// capitalised, or have a hyphen.
func customElement(m *markup, name word, parent int) {
	if strings.Contains(name.text, "-") || name.text[0] >= 'A' && name.text[0] <= 'Z' && name.text != strings.ToUpper(name.text) {
		m.occur(name.text, name.at, engine.Call, parent)
	}
}

// elements reads the elements of a document. Those with an id are symbols, and
// so are slots and the parts of the dialect.
func (m *markup) elements(d dialect) {
	var open []int32
	var symbols []int
	script := new(interleaved) // what is in attributes
	for i := int32(1); int(i) < len(m.Nodes); i++ {
		if len(m.file.Symbols) > MaxSymbols || len(m.file.Occurrences) > MaxOccurrences {
			m.file.Partial = "more elements than are kept"
			break
		}
		for len(open) > 0 && i >= m.Nodes[open[len(open)-1]].Next {
			open, symbols = open[:len(open)-1], symbols[:len(symbols)-1]
		}
		parent := -1
		if len(symbols) > 0 {
			parent = symbols[len(symbols)-1]
		}
		switch kind := m.Kind(i); kind {
		case "element", "template_element", "script_element", "style_element":
			tag := m.Child(i, "start_tag", "self_closing_tag")
			if tag < 0 {
				continue
			}
			attributes := m.attributes(tag)
			if s := m.element(i, tag, attributes, parent, d); s != parent {
				parent = s
				open, symbols = append(open, i), append(symbols, parent)
			}
			m.noteMentions(attributes, parent, d, script)
			if raw := m.Child(i, "raw_text"); raw >= 0 {
				if lang := embedded(kind, attributes); lang != engine.Unknown {
					m.embed(lang, m.span(raw), parent)
				}
			}
		case "start_tag":
			// Where the grammar lost its way, a tag may be without its element.
			if parentNode := m.Nodes[i].Parent; parentNode >= 0 && m.Kind(parentNode) == "ERROR" {
				attributes := m.attributes(i)
				parent = m.element(i, i, attributes, parent, d)
				m.noteMentions(attributes, parent, d, script)
			}
		case "text":
			if d.bindings {
				m.texts(m.span(i), script)
			}
		case "tag_name":
			if name := m.Text(i); m.Kind(m.Nodes[i].Parent) != "end_tag" && name != "" {
				d.component(m, word{name, m.Nodes[i].Start}, parent)
			}
		}
	}
	m.embedInterleaved(engine.JavaScript, script, nil)
}

// element adds the symbol that an element is, if it is one, and returns the
// innermost symbol in it.
func (m *markup) element(i, tag int32, attributes map[string]word, parent int, d dialect) int {
	name := word{}
	if n := m.Child(tag, "tag_name"); n >= 0 {
		name = word{m.Text(n), m.Nodes[n].Start}
	}
	m.linked(name.text, attributes)
	if part := d.parts[m.Kind(i)]; part != "" && m.Nodes[i].Parent == 0 && name.text != "" {
		return m.add(i, part, name.text, name.at, parent, m.source(tag))
	}
	if id := attributes["id"]; id.text != "" && !strings.ContainsAny(id.text, "{<") && !m.masked(id.at,
		id.at+uint32(len(id.text))) {
		parent = m.add(i, engine.Element, id.text, id.at, parent, m.source(tag))
		m.occur(id.text, id.at, engine.Definition, parent)
	}
	if slot := attributes["name"]; name.text == "slot" && !m.masked(slot.at, slot.at+uint32(len(slot.text))) {
		if slot.text == "" {
			return m.add(i, engine.Slot, "default", name.at, parent, m.source(tag))
		}
		parent = m.add(i, engine.Slot, slot.text, slot.at, parent, m.source(tag))
		m.occur(slot.text, slot.at, engine.Definition, parent)
	}
	return parent
}

// linked notes the scripts and style sheets that an element brings in.
func (m *markup) linked(tag string, attributes map[string]word) {
	switch tag {
	case "script":
		m.noteIncluded(attributes["src"].text, attributes["src"].at)
	case "link":
		m.noteIncluded(attributes["href"].text, attributes["href"].at)
	}
}

// noteMentions notes the classes, ids and slots that the attributes of an element name,
// and collects the script in them.
func (m *markup) noteMentions(attributes map[string]word, parent int, d dialect, script *interleaved) {
	for name, value := range attributes {
		switch {
		case name == "class":
			for w := range m.wordsOf(value) {
				m.occur(w.text, w.at, engine.Read, parent)
			}
		case name == "for", name == "slot", name == "aria-controls", name == "aria-labelledby",
			name == "aria-describedby", name == "aria-owns", name == "form", name == "list":
			for w := range m.wordsOf(value) {
				m.occur(w.text, w.at, engine.Read, parent)
			}
		case name == "href" && strings.HasPrefix(value.text, "#") && !strings.ContainsAny(value.text, "{<"):
			m.occur(value.text[1:], value.at+1, engine.Read, parent)
		case d.handlers && len(name) > 2 && name[:2] == "on" && value.text != "":
			script.appendWrapped("(function (event) { ", m.Source, span{value.at, value.at + uint32(len(value.text))}, "\n});\n")
		case d.bindings && name != "" && value.text != "":
			m.bound(name, value, parent, script)
		}
	}
}

// A word is text with where it is.
type word struct {
	text string
	at   uint32
}

// attributes returns the values of a tag's attributes by name, in small letters.
func (m *markup) attributes(tag int32) map[string]word {
	all := make(map[string]word)
	for c := tag + 1; c < m.Nodes[tag].Next; c = m.Nodes[c].Next {
		name := m.Child(c, "attribute_name")
		if m.Kind(c) != "attribute" || name < 0 {
			continue
		}
		value := word{at: m.Nodes[c].End}
		for v := c + 1; v < m.Nodes[c].Next; v++ {
			if m.Kind(v) == "attribute_value" {
				value = word{m.Text(v), m.Nodes[v].Start}
			}
		}
		all[strings.ToLower(m.Text(name))] = value
	}
	return all
}

// wordsOf yields the words of an attribute whose text is known. One that a
// template language unknown to us writes parts of has none.
func (m *markup) wordsOf(w word) func(yield func(word) bool) {
	if strings.ContainsAny(w.text, "{<") && !m.masked(w.at, w.at+uint32(len(w.text))) {
		return func(func(word) bool) {}
	}
	return wordsOf(w)
}

// wordsOf yields the words of a list separated by white space.
func wordsOf(w word) func(yield func(word) bool) {
	return func(yield func(word) bool) {
		for at := 0; at < len(w.text); {
			for at < len(w.text) && engine.IsSpace(w.text[at]) {
				at++
			}
			start := at
			for at < len(w.text) && !engine.IsSpace(w.text[at]) {
				at++
			}
			if at > start && !yield(word{w.text[start:at], w.at + uint32(start)}) {
				return
			}
		}
	}
}

// embedded names the language of a script or style element.
func embedded(kind string, attributes map[string]word) engine.Language {
	lang, typ := strings.ToLower(attributes["lang"].text), strings.ToLower(attributes["type"].text)
	switch kind {
	case "style_element":
		if lang == "scss" || lang == "sass" || lang == "less" {
			return engine.SCSS
		}
		return engine.CSS
	case "script_element":
		switch {
		case lang == "ts" || lang == "typescript":
			return engine.TypeScript
		case lang == "tsx":
			return engine.TSX
		case typ == "application/json" || typ == "application/ld+json" || typ == "importmap":
			return engine.JSON
		case typ == "" || typ == "module" || strings.Contains(typ, "javascript"):
			return engine.JavaScript
		}
	}
	return engine.Unknown
}
