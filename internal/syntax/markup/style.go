package markup

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// Style sheets are read by a scanner of their own: CSS, SCSS and Less share
// their statements and blocks, and what is wanted of them (selectors,
// properties, variables, mixins) shows in the first words of each.

// Limits of what is kept of one file. A file beyond them is data.
const (
	MaxSymbols     = 1 << 17
	MaxOccurrences = 1 << 20
)

// CSS is the row of the language.
var CSS = &engine.Spec{
	Name:       engine.CSS,
	Title:      "CSS",
	Extensions: "css pcss postcss",
	NoLogic:    "css",
	Form:       engine.Sheet,
	Linked:     true,
	Read:       readCSS,
	Names: engine.Names{
		Groups:  "style",
		Imports: engine.ImportsScript,
	},

	Comparing: engine.Comparing{Comments: "/* */"},
}

func readCSS(src []byte, _ engine.ParseFunc) *engine.File { return readStyle(src, false) }

// SCSS is the row of the language.
var SCSS = &engine.Spec{
	Name:       engine.SCSS,
	Title:      "SCSS",
	Extensions: "scss less",
	NoLogic:    "scss less",
	Form:       engine.Sheet,
	Linked:     true,
	Read:       readSCSS,
	Names: engine.Names{
		Groups:  "style",
		Imports: engine.ImportsScript,
	},

	Comparing: engine.Comparing{Comments: "/* */"},
}

// readSCSS reads SCSS and Less, which have comments to the end of the line.
func readSCSS(src []byte, _ engine.ParseFunc) *engine.File { return readStyle(src, true) }

// maxOpen is more than any sheet nests. What is deeper has no symbols of its own.
const maxOpen = 1000

// A style is a sheet being read.
type style struct {
	*markup
	extended  bool            // SCSS or Less
	blocks    []styleBlock    // those that are open, maxOpen at most
	deeper    int             // how many are open within the innermost of them
	comment   span            // the last comment, or run of them
	functions map[string]bool // declared so far
	modules   map[string]bool // names of modules that Sass brings
	globals   map[string]bool // variables of the sheet
}

// A styleBlock is a block that is open.
type styleBlock struct {
	symbol  int      // the innermost one around what is in it, or -1
	own     bool     // it is the symbol of the block itself
	bases   []string // the classes that & stands for
	frames  bool     // it holds the steps of keyframes
	private bool     // variables in it cannot be seen outside
	locals  []string // those that it declares
}

func readStyle(src []byte, extended bool) *engine.File {
	s := &style{
		markup: newMarkup(src, src, nil, nil), extended: extended,
		functions: make(map[string]bool), modules: make(map[string]bool), globals: make(map[string]bool),
	}
	for at := 0; at < len(src) && s.file.Partial == ""; {
		at = s.statement(at)
		if len(s.file.Symbols) > MaxSymbols || len(s.file.Occurrences) > MaxOccurrences {
			s.file.Partial = "more rules than are kept"
		}
	}
	for len(s.blocks) > 0 {
		s.closeBlock(len(bytes.TrimRight(src, " \t\r\n\f\v")))
	}
	s.settle()
	return s.file
}

// innermost returns the innermost block.
func (s *style) innermost() styleBlock {
	if n := len(s.blocks); n > 0 {
		return s.blocks[n-1]
	}
	return styleBlock{symbol: -1}
}

// closeBlock ends the innermost block before a byte.
func (s *style) closeBlock(end int) {
	b := s.innermost()
	s.blocks = s.blocks[:len(s.blocks)-1]
	if b.own {
		symbol := &s.file.Symbols[b.symbol]
		symbol.End = max(symbol.Start+1, end)
		symbol.EndLine = s.row(uint32(symbol.End-1)) + 1
	}
}

// statement reads the statement at a byte, up to the opening of its block if it
// has one, and returns where the next one begins.
func (s *style) statement(at int) int {
	for at < len(s.Source) && (engine.IsSpace(s.Source[at]) || s.Source[at] == ';') {
		at++
	}
	if at == len(s.Source) {
		return at
	}
	if end := s.commentEnd(at); end > at {
		s.noteComment(span{uint32(at), uint32(end)})
		return end
	}
	if s.Source[at] == '}' {
		switch {
		case s.deeper > 0:
			s.deeper--
		case len(s.blocks) > 0:
			s.closeBlock(at + 1)
		}
		return at + 1
	}
	end := s.headEnd(at)
	head := trim(s.Source, span{uint32(at), uint32(end)})
	if end < len(s.Source) && s.Source[end] == '{' {
		s.readHead(head)
		return end + 1
	}
	s.simple(head)
	return end // at ; or }
}

// commentEnd returns the end of the comment at a byte, or the byte itself.
func (s *style) commentEnd(at int) int {
	switch {
	case bytes.HasPrefix(s.Source[at:], []byte("/*")):
		if n := bytes.Index(s.Source[at+2:], []byte("*/")); n >= 0 {
			return at + 2 + n + 2
		}
		return len(s.Source)
	case s.extended && bytes.HasPrefix(s.Source[at:], []byte("//")):
		if n := bytes.IndexByte(s.Source[at:], '\n'); n >= 0 {
			return at + n
		}
		return len(s.Source)
	case bytes.HasPrefix(s.Source[at:], []byte("<!--")):
		return at + 4
	case bytes.HasPrefix(s.Source[at:], []byte("-->")):
		return at + 3
	}
	return at
}

// noteComment keeps a comment for the statement below it; comments on lines one
// below the other are one.
func (s *style) noteComment(c span) {
	start := c.Start
	for start > 0 && (s.Source[start-1] == ' ' || s.Source[start-1] == '\t') {
		start--
	}
	if start > 0 && s.Source[start-1] != '\n' { // behind a statement
		return
	}
	if s.comment.End > s.comment.Start && s.adjoins(s.comment.End, c.Start) {
		s.comment.End = c.End
		return
	}
	s.comment = c
}

// adjoins says whether nothing but one line break is between two places.
func (s *style) adjoins(end, start uint32) bool {
	between := s.Source[end:start]
	return len(bytes.TrimSpace(between)) == 0 && bytes.Count(between, []byte("\n")) <= 1
}

// headEnd returns where the statement at a byte meets its block or its end.
func (s *style) headEnd(at int) int {
	depth := 0
	for at < len(s.Source) {
		if end := s.commentEnd(at); end > at && s.Source[at] == '/' {
			at = end
			continue
		}
		switch c := s.Source[at]; c {
		case '"', '\'':
			at = s.quoted(at, len(s.Source))
			continue
		case '\\':
			at++
		case '(', '[':
			if c == '(' && at >= 3 && bytes.EqualFold(s.Source[at-3:at], []byte("url")) {
				at = s.urlEnd(at)
				continue
			}
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		case '#', '@':
			if at+1 < len(s.Source) && s.Source[at+1] == '{' { // #{$name}, @{name}
				at = s.interpolationEnd(at)
				continue
			}
		case ';':
			if depth == 0 {
				return at
			}
		case '{', '}':
			return at
		}
		at++
	}
	return len(s.Source)
}

// quoted returns the place behind the string at a byte, which ends with its
// line at the latest, and before a limit.
func (s *style) quoted(at, limit int) int {
	for i := at + 1; i < limit; i++ {
		switch s.Source[i] {
		case '\\':
			i++
		case s.Source[at]:
			return i + 1
		case '\n':
			return i
		}
	}
	return limit
}

// urlEnd returns the place behind url(…), whose text needs no quotes.
func (s *style) urlEnd(at int) int {
	for i := at + 1; i < len(s.Source); i++ {
		switch s.Source[i] {
		case '"', '\'':
			i = s.quoted(i, len(s.Source)) - 1
		case ')':
			return i + 1
		case '\n', ';':
			return i
		}
	}
	return len(s.Source)
}

func (s *style) interpolationEnd(at int) int {
	depth := 0
	for i := at + 1; i < len(s.Source); i++ {
		switch s.Source[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case ';', '\n':
			return i
		}
	}
	return len(s.Source)
}

// identEnd returns the end of the name at a byte.
func (s *style) identEnd(at, end uint32) uint32 {
	for at < end {
		c := s.Source[at]
		if c == '\\' && at+1 < end {
			at += 2
			if isHex(s.Source[at-1]) { // up to six digits, and white space that ends them
				for n := 1; n < 6 && at < end && isHex(s.Source[at]); n++ {
					at++
				}
				if at < end && s.Source[at] == ' ' {
					at++
				}
			}
			continue
		}
		if c != '-' && (!isWord(c) || c == '$') {
			break
		}
		at++
	}
	return at
}

func isHex(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f' }

func (s *style) slice(at, end uint32) string { return string(s.Source[at:end]) }

// atWord returns the word that an at-rule begins with, and where it ends.
func (s *style) atWord(head span) (string, uint32) {
	end := s.identEnd(head.Start+1, head.End)
	return strings.ToLower(s.slice(head.Start+1, end)), end
}

// symbol adds a symbol that begins with a statement.
func (s *style) symbol(head span, kind engine.Kind, name string, at uint32) int {
	i := s.addSpan(head, kind, name, at, s.innermost().symbol, s.slice(head.Start,
		min(head.End, head.Start+8*engine.MaxSignature)))
	if c := s.comment; c.End > c.Start && c.End <= head.Start && s.adjoins(c.End, head.Start) {
		s.file.Symbols[i].Doc = engine.CommentText(s.slice(c.Start, c.End))
		s.file.Symbols[i].DocStart = int(c.Start)
	}
	s.comment = span{}
	return i
}

// readHead reads the head of a block.
func (s *style) readHead(head span) {
	if len(s.blocks) == maxOpen {
		s.deeper++
		return
	}
	around := s.innermost()
	b := styleBlock{symbol: around.symbol, bases: around.bases, frames: false, private: around.private}
	switch {
	case head.Start == head.End, around.frames:
	case s.Source[head.Start] == '@':
		s.openAtRule(head, &b)
	case s.Source[head.End-1] == ':', bytes.HasPrefix(s.Source[head.Start:head.End], []byte("--")):
		// font: { family: x } of SCSS; a block as the value of a custom property
	default:
		b.symbol, b.own = s.symbol(head, engine.Rule, s.headName(head), head.Start), true
		b.private = true
		b.bases = s.selectors(head, b.symbol, around.bases)
		s.interpolated(head, b.symbol)
	}
	s.blocks = append(s.blocks, b)
}

// headName returns the head of a block on one line.
func (s *style) headName(head span) string {
	return engine.OneLine(s.Source[head.Start:min(head.End, head.Start+8*engine.MaxSignature)])
}

func (s *style) openAtRule(head span, b *styleBlock) {
	word, at := s.atWord(head)
	rest := trim(s.Source, span{at, head.End})
	nameEnd := s.identEnd(rest.Start, rest.End)
	name := s.slice(rest.Start, nameEnd)
	switch word {
	case "mixin", "function":
		b.symbol, b.own, b.private = s.symbol(head, engine.Function, name, rest.Start), true, true
		s.occur(name, rest.Start, engine.Definition, b.symbol)
		s.functions[name] = true
		s.parameters(span{nameEnd, rest.End}, b)
	case "include":
		using := bytes.LastIndex(s.Source[rest.Start:rest.End], []byte(" using "))
		if using >= 0 {
			s.parameters(span{rest.Start + uint32(using), rest.End}, b)
			rest.End = rest.Start + uint32(using)
		}
		s.call(rest, b.symbol)
	case "each", "for":
		names := rest
		for _, word := range []string{" in ", " from "} {
			if at, _ := topLevel(s.Source[rest.Start:rest.End], word); at >= 0 {
				names.End = rest.Start + uint32(at)
			}
		}
		s.values(span{names.End, rest.End}, b.symbol)
		s.parameters(names, b)
	case "if", "else", "while", "at-root", "nest":
		s.values(rest, b.symbol)
	case "property":
		b.symbol, b.own = s.symbol(head, engine.Variable, name, rest.Start), true
		s.occur(name, rest.Start, engine.Definition, b.symbol)
	default:
		if s.extended && rest.Start < rest.End && s.Source[rest.Start] == ':' { // @rules: { } of Less
			name := s.slice(head.Start, at)
			b.symbol, b.own = s.symbol(head, engine.Variable, name, head.Start), true
			s.occur(name, head.Start, engine.Definition, b.symbol)
			return
		}
		b.symbol, b.own = s.symbol(head, engine.Rule, s.headName(head), head.Start), true
		s.values(rest, b.symbol)
		if strings.HasSuffix(word, "keyframes") {
			b.frames = true
			s.occur(name, rest.Start, engine.Definition, b.symbol)
		}
		if word == "layer" || word == "container" || word == "counter-style" {
			s.occur(name, rest.Start, engine.Read, b.symbol)
		}
	}
}

// parameters reads ($a, $b: 1): names that only the block knows.
func (s *style) parameters(at span, b *styleBlock) {
	depth := 0
	for i := at.Start; i < at.End; i++ {
		switch c := s.Source[i]; c {
		case '(':
			depth++
		case ')':
			depth--
		case ':': // a default value
			end := i
			if n, _ := topLevel(s.Source[i:at.End], ",", ";", ")"); n >= 0 {
				end = i + uint32(n)
			} else {
				end = at.End
			}
			s.values(span{i + 1, end}, b.symbol)
			i = max(i, end-1)
		case '$', '@':
			if end := s.identEnd(i+1, at.End); end > i+1 && depth <= 1 {
				b.locals = append(b.locals, s.slice(i, end))
				s.local(s.slice(i, end), i, engine.Definition, b.symbol)
				i = end - 1
			}
		}
	}
}

// isLocal says whether a block around binds a variable.
func (s *style) isLocal(name string) bool {
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if slices.Contains(s.blocks[i].locals, name) {
			return true
		}
	}
	return false
}

func (s *style) local(name string, at uint32, role engine.Role, symbol int) {
	n := len(s.file.Occurrences)
	s.occur(name, at, role, symbol)
	for ; n < len(s.file.Occurrences); n++ {
		s.file.Occurrences[n].Local = true
	}
}

// call reads "name(arguments)" or "module.name(arguments)" of @include.
func (s *style) call(at span, symbol int) {
	end := s.identEnd(at.Start, at.End)
	name, qualifier := span{at.Start, end}, ""
	if end < at.End && s.Source[end] == '.' {
		qualifier = s.slice(at.Start, end)
		name = span{end + 1, s.identEnd(end+1, at.End)}
	}
	s.occur(s.slice(name.Start, name.End), name.Start, engine.Call, symbol)
	if n := len(s.file.Occurrences); n > 0 && name.End > name.Start {
		s.file.Occurrences[n-1].Qualifier = qualifier
	}
	s.values(span{name.End, at.End}, symbol)
}

// simple reads a statement without a block.
func (s *style) simple(head span) {
	if head.Start == head.End {
		return
	}
	parent := s.innermost().symbol
	switch c := s.Source[head.Start]; {
	case c == '@':
		s.simpleAtRule(head, parent)
		return
	case c == '$' || bytes.HasPrefix(s.Source[head.Start:head.End], []byte("--")):
		end := s.identEnd(head.Start+1, head.End)
		s.variable(head, end)
		return
	case s.extended && (c == '.' || c == '#') && s.identEnd(head.Start+1, head.End) > head.Start+1: // .mixin(); of Less
		end := s.identEnd(head.Start+1, head.End)
		s.occur(s.slice(head.Start+1, end), head.Start+1, engine.Call, parent)
		s.values(span{end, head.End}, parent)
		return
	}
	colon := bytes.IndexByte(s.Source[head.Start:head.End], ':')
	if colon < 0 {
		return
	}
	property := strings.ToLower(strings.TrimSpace(s.slice(head.Start, head.Start+uint32(colon))))
	value := trim(s.Source, span{head.Start + uint32(colon) + 1, head.End})
	s.values(value, parent)
	switch property {
	case "animation", "animation-name", "-webkit-animation", "-webkit-animation-name":
		s.names(value, parent, animationWords)
	case "composes":
		s.names(value, parent, []string{"from", "global"})
	}
}

// variable reads "$name: value" and "--name: value".
func (s *style) variable(head span, nameEnd uint32) {
	name := s.slice(head.Start, nameEnd)
	symbol := s.innermost().symbol
	switch custom := s.Source[head.Start] == '-'; {
	case !custom && s.isLocal(name):
		s.local(name, head.Start, engine.Write, symbol)
	case !custom && s.globals[name] && (!s.innermost().private || bytes.Contains(s.Source[head.Start:head.End], []byte("!global"))):
		s.occur(name, head.Start, engine.Write, symbol)
	case !custom && len(s.blocks) > 0 && !bytes.Contains(s.Source[head.Start:head.End], []byte("!global")):
		top := &s.blocks[len(s.blocks)-1]
		top.locals = append(top.locals, name)
		s.local(name, head.Start, engine.Definition, symbol)
	default:
		s.globals[name] = true
		symbol = s.symbol(head, engine.Variable, name, head.Start)
		s.occur(name, head.Start, engine.Definition, symbol)
	}
	s.values(span{nameEnd, head.End}, symbol)
}

func (s *style) simpleAtRule(head span, parent int) {
	word, at := s.atWord(head)
	rest := trim(s.Source, span{at, head.End})
	switch word {
	case "import", "use", "forward", "plugin", "require", "reference", "config":
		s.imports(rest, word)
	case "include":
		s.call(rest, parent)
	case "extend", "apply":
		s.targets(rest, parent)
	case "layer":
		s.names(rest, parent, nil)
	case "charset", "tailwind", "namespace":
	default:
		if s.extended && rest.Start < rest.End && s.Source[rest.Start] == ':' { // @name: value of Less
			s.variable(head, at)
			return
		}
		s.values(rest, parent)
	}
}

// imports reads the files of @import and @use, and the name one goes by.
func (s *style) imports(at span, word string) {
	first := len(s.file.Imports)
	for i := at.Start; i < at.End; i++ {
		switch c := s.Source[i]; {
		case c == '"' || c == '\'':
			end := uint32(s.quoted(int(i), int(at.End)))
			path := strings.Trim(s.slice(i, end), `"'`)
			s.noteIncluded(path, i+1)
			if module, ok := strings.CutPrefix(path, "sass:"); ok {
				s.modules[module] = true
			}
			i = end - 1
			if word != "import" { // what follows configures it
				s.alias(span{end, at.End}, first)
				return
			}
		case c == '(' && i >= 3 && bytes.EqualFold(s.Source[i-3:i], []byte("url")) && i+1 < at.End &&
			s.Source[i+1] != '"' && s.Source[i+1] != '\'':
			end := uint32(min(s.urlEnd(int(i)), int(at.End)))
			s.noteIncluded(strings.TrimSpace(s.slice(i+1, max(i+1, end-1))), i+1)
			i = end - 1
		}
	}
}

func (s *style) alias(rest span, first int) {
	fields := strings.Fields(s.slice(rest.Start, min(rest.End, rest.Start+200)))
	if len(fields) >= 2 && fields[0] == "as" && len(s.file.Imports) > first {
		i := &s.file.Imports[len(s.file.Imports)-1]
		i.Alias = fields[1]
		if module, ok := strings.CutPrefix(i.Path, "sass:"); ok {
			delete(s.modules, module)
			s.modules[i.Alias] = true
		}
	}
	s.values(rest, s.innermost().symbol)
}

// targets reads the selectors and classes that @extend and @apply name.
func (s *style) targets(at span, parent int) {
	for w := range wordsOf(word{s.slice(at.Start, at.End), at.Start}) {
		text := strings.TrimRight(w.text, ",")
		if from := strings.LastIndexAny(text, ".%"); from >= 0 {
			text, w.at = text[from+1:], w.at+uint32(from)+1
		}
		if text != "" && text[0] != '!' && !strings.ContainsAny(text, "#{}") {
			s.occur(text, w.at, engine.Read, parent)
		}
	}
}

// names mentions the words of a value that are names of the sheet.
func (s *style) names(at span, parent int, not []string) {
	for i := at.Start; i < at.End; {
		c := s.Source[i]
		switch end := s.identEnd(i, at.End); {
		case c == '"' || c == '\'':
			i = uint32(s.quoted(int(i), int(at.End)))
		case c == '(':
			for i < at.End && s.Source[i] != ')' {
				i++
			}
		case c == '$' || c == '@' || c >= '0' && c <= '9' || c == '.' || c == '-' && end-i > 1 && s.Source[i+1] == '-':
			i = max(i+1, s.identEnd(i+1, at.End))
		case end > i:
			if name := s.slice(i, end); !slices.Contains(not, name) && (end == at.End ||
				s.Source[end] != '(' && s.Source[end] != '.') {
				s.occur(name, i, engine.Read, parent)
			}
			i = end
		default:
			i++
		}
	}
}
