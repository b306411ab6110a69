package markup

import (
	"bytes"
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// Markdown, YAML and JSON are outlined by readers of their own: what is wanted
// of them is where a section or a key is, not a tree.

// outliner collects symbols whose end is known only when the next one begins.
type outliner struct {
	src  []byte
	file *engine.File
	open []int // indexes of symbols that have not ended, the outermost first
}

// begin opens a symbol at depth (0 is the outermost) and ends what is not above
// it.
func (o *outliner) begin(depth int, s engine.Symbol) {
	if s.Doc == "" {
		s.DocStart = s.Start
	}
	o.end(depth, s.DocStart)
	s.Parent = -1
	if n := len(o.open); n > 0 {
		s.Parent = o.open[n-1]
		parent := &o.file.Symbols[s.Parent]
		s.Scope = engine.JoinScope(parent.Scope, parent.Name)
	}
	s.Exported = true
	o.file.Symbols = append(o.file.Symbols, s)
	o.open = append(o.open, len(o.file.Symbols)-1)
}

// isFull says that no more symbols are kept: the file is data.
func (o *outliner) isFull() bool {
	if len(o.file.Symbols) >= MaxSymbols {
		o.file.Partial = "more headings or keys than are kept"
		return true
	}
	return false
}

// end closes all symbols at depth and below it before a byte.
func (o *outliner) end(depth, at int) {
	for len(o.open) > depth {
		s := &o.file.Symbols[o.open[len(o.open)-1]]
		text := bytes.TrimRight(o.src[s.Start:max(at, s.Start)], " \t\r\n,")
		s.End = s.Start + len(text)
		s.EndLine = s.StartLine + bytes.Count(text, []byte("\n"))
		if s.Kind == engine.Key && s.EndLine == s.StartLine {
			s.Signature = engine.OneLine(text)
		}
		o.open = o.open[:len(o.open)-1]
	}
}

// Markdown is the row of the language.
var Markdown = &engine.Spec{
	Name:       engine.Markdown,
	Title:      "Markdown",
	Aliases:    "md",
	Extensions: "md markdown mdx mdc mkd",
	NoLogic:    "md",
	Prose:      true,
	Read:       readMarkdown,

	Comparing: engine.Comparing{Comments: "<!-- -->"},
}

// readMarkdown outlines headings: "# x" and "x" underlined by = or -. Front
// matter, fenced code and comments hold none.
func readMarkdown(src []byte, _ engine.ParseFunc) *engine.File {
	m := mdOutliner{outliner: outliner{src: src, file: &engine.File{}}}
	if matter := frontMatter(src); matter > 0 {
		m.at, m.row = matter, bytes.Count(src[:matter], []byte("\n"))
	}
	for raw := range bytes.Lines(src[m.at:]) {
		m.row++
		m.line(strings.TrimRight(string(raw), "\r\n"))
		m.at += len(raw)
		if m.isFull() {
			break
		}
	}
	m.end(0, len(src))
	return m.file
}

// frontMatter returns the length of the YAML or TOML that a document begins
// with, its marks included; 0 if there is none.
func frontMatter(src []byte) int {
	for _, mark := range []string{"---", "+++"} {
		first, _, ok := bytes.Cut(src, []byte("\n"))
		if !ok || string(bytes.TrimRight(first, " \t\r")) != mark {
			continue
		}
		at := len(first) + 1
		for raw := range bytes.Lines(src[at:]) {
			at += len(raw)
			if text := string(bytes.TrimRight(raw, " \t\r\n")); text == mark || text == "..." && mark == "---" {
				return at
			}
		}
	}
	return 0
}

// A mdOutliner reads Markdown line by line.
type mdOutliner struct {
	outliner
	at, row   int // of the line being read
	levels    []int
	fence     string // what ends the fenced code that is open
	comment   bool   // <!-- is open
	html      bool   // a block of HTML is open, which ends with a blank line
	paragraph string // the lines before, if they are a heading when underlined
	begins    int    // where they begin
	beginsRow int
}

func (m *mdOutliner) heading(level int, name string, start, line int) {
	for len(m.levels) > 0 && m.levels[len(m.levels)-1] >= level {
		m.levels = m.levels[:len(m.levels)-1]
	}
	m.begin(len(m.levels), engine.Symbol{
		Name: text.Prefix(name, 100), Kind: engine.Heading,
		Signature: text.Prefix(strings.Repeat("#", level)+" "+name, engine.MaxSignature),
		Start:     start, StartLine: line, NameLine: line, NameColumn: 1,
	})
	m.levels = append(m.levels, level)
}

// line reads one line, without its end.
func (m *mdOutliner) line(text string) {
	bare := strings.TrimSpace(text)
	indent := len(text) - len(strings.TrimLeft(text, " "))
	switch mark := markdown.FenceMark(bare); {
	case m.comment:
		m.comment, bare = !strings.Contains(bare, "-->"), ""
	case m.fence != "":
		if mark != "" && strings.HasPrefix(mark, m.fence) && strings.Trim(bare, m.fence[:1]) == "" {
			m.fence = ""
		}
		bare = ""
	case m.html:
		m.html, bare = bare != "", ""
	case mark != "" && (mark[0] == '~' || !strings.Contains(bare[len(mark):], "`")):
		m.fence, bare = mark, ""
	case indent > 3:
		bare = ""
	case strings.HasPrefix(bare, "<!--"):
		m.comment, bare = !strings.Contains(bare, "-->"), ""
	case strings.HasPrefix(bare, "#"):
		level := len(bare) - len(strings.TrimLeft(bare, "#"))
		name := strings.TrimSpace(bare[level:])
		if closed := strings.TrimRight(name, "#"); closed == "" || strings.HasSuffix(closed, " ") {
			name = strings.TrimSpace(closed)
		}
		if level <= 6 && name != "" && (bare[level] == ' ' || bare[level] == '\t') {
			m.heading(level, name, m.at, m.row)
		}
		bare = ""
	case m.paragraph != "" && bare != "" && strings.Trim(bare, "=") == "":
		m.heading(1, m.paragraph, m.begins, m.beginsRow)
		bare = ""
	case m.paragraph != "" && bare != "" && strings.Trim(bare, "-") == "":
		m.heading(2, m.paragraph, m.begins, m.beginsRow)
		bare = ""
	case isListOrQuote(bare), strings.Trim(bare, "-=*_ ") == "":
		bare = ""
	case opensHTML(bare):
		m.html, bare = true, ""
	}
	switch {
	case bare == "":
		m.paragraph = ""
	case m.paragraph == "":
		m.paragraph, m.begins, m.beginsRow = bare, m.at, m.row
	case len(m.paragraph) < 4*engine.MaxSignature:
		m.paragraph += " " + bare
	}
}

// htmlBlocks are the elements that begin a block of HTML in Markdown.
var htmlBlocks = text.WordSet(`address article aside blockquote body center details dialog div dl fieldset figure footer form
 h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu nav ol optgroup p picture pre script section style summary table tbody
 td textarea tfoot th thead title tr track ul video`)

// opensHTML says whether a line begins a block of HTML.
func opensHTML(bare string) bool {
	tag, ok := strings.CutPrefix(bare, "<")
	if !ok {
		return false
	}
	tag = strings.TrimPrefix(tag, "/")
	return htmlBlocks[strings.ToLower(tag[:wordEnd([]byte(tag[:min(len(tag), 20)]), 0)])]
}

// isListOrQuote says whether a line is an item of a list, of a quotation or of
// a table: underlined it is not a heading.
func isListOrQuote(bare string) bool {
	if bare == "" {
		return false
	}
	if bare[0] == '>' || bare[0] == '|' {
		return true
	}
	mark := strings.TrimLeft(bare, "0123456789")
	if len(mark) == len(bare) {
		return strings.IndexByte("-*+", bare[0]) >= 0 && (len(bare) == 1 || bare[1] == ' ')
	}
	return mark != "" && (mark[0] == '.' || mark[0] == ')') && (len(mark) == 1 || mark[1] == ' ')
}
