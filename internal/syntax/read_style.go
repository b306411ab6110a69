package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// Style sheets are read by a scanner of their own: CSS, SCSS and Less share
// their statements and blocks, and what is wanted of them (selectors,
// properties, variables, mixins) shows in the first words of each.

// Limits of what is kept of one file. A file beyond them is data.
const (
	maxSymbols     = 1 << 17
	maxOccurrences = 1 << 20
)

// specCSS is the row of the language.
var specCSS = &spec{name: CSS, read: readCSS}

func readCSS(src []byte, _ parseFunc) *File { return readStyle(src, false) }

// specSCSS is the row of the language.
var specSCSS = &spec{name: SCSS, read: readSCSS}

// readSCSS reads SCSS and Less, which have comments to the end of the line.
func readSCSS(src []byte, _ parseFunc) *File { return readStyle(src, true) }

// A style is a sheet being read.
type style struct {
	*markup
	extended  bool // SCSS or Less
	blocks    []styleBlock
	comment   stretch         // the last comment, or run of them
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

func readStyle(src []byte, extended bool) *File {
	s := &style{
		markup: newMarkup(src, src, nil, nil), extended: extended,
		functions: make(map[string]bool), modules: make(map[string]bool), globals: make(map[string]bool),
	}
	for at := 0; at < len(src) && s.file.Partial == ""; {
		at = s.statement(at)
		if len(s.file.Symbols) > maxSymbols || len(s.file.Occurrences) > maxOccurrences {
			s.file.Partial = "more rules than are kept"
		}
	}
	for len(s.blocks) > 0 {
		s.closeBlock(len(bytes.TrimRight(src, " \t\r\n\f\v")))
	}
	s.settle()
	return s.file
}

// top returns the innermost block.
func (s *style) top() styleBlock {
	if n := len(s.blocks); n > 0 {
		return s.blocks[n-1]
	}
	return styleBlock{symbol: -1}
}

// closeBlock ends the innermost block before a byte.
func (s *style) closeBlock(end int) {
	b := s.top()
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
	for at < len(s.src) && (isSpace(s.src[at]) || s.src[at] == ';') {
		at++
	}
	if at == len(s.src) {
		return at
	}
	if end := s.commentEnd(at); end > at {
		s.noteComment(stretch{uint32(at), uint32(end)})
		return end
	}
	if s.src[at] == '}' {
		if len(s.blocks) > 0 {
			s.closeBlock(at + 1)
		}
		return at + 1
	}
	end := s.headEnd(at)
	head := trim(s.src, stretch{uint32(at), uint32(end)})
	if end < len(s.src) && s.src[end] == '{' {
		s.open(head)
		return end + 1
	}
	s.simple(head)
	if len(s.blocks) == 0 && head.end > head.start {
		s.block(head)
	}
	return end // at ; or }
}

// block notes a statement that is no symbol, with those like it before it.
func (s *style) block(head stretch) {
	if n := len(s.file.Symbols); n > 0 && s.file.Symbols[n-1].Start >= int(head.start) {
		return
	}
	line := s.row(head.end-1) + 1
	if n := len(s.file.Blocks); n > 0 {
		last := &s.file.Blocks[n-1]
		if between := bytes.Trim(s.src[last.End:head.start], "; \t\r\n"); len(between) == 0 {
			last.End, last.EndLine = int(head.end), line
			return
		}
	}
	s.file.Blocks = append(s.file.Blocks, Block{Start: int(head.start), End: int(head.end), StartLine: s.row(head.start) + 1, EndLine: line})
}

// commentEnd returns the end of the comment at a byte, or the byte itself.
func (s *style) commentEnd(at int) int {
	switch {
	case bytes.HasPrefix(s.src[at:], []byte("/*")):
		if n := bytes.Index(s.src[at+2:], []byte("*/")); n >= 0 {
			return at + 2 + n + 2
		}
		return len(s.src)
	case s.extended && bytes.HasPrefix(s.src[at:], []byte("//")):
		if n := bytes.IndexByte(s.src[at:], '\n'); n >= 0 {
			return at + n
		}
		return len(s.src)
	case bytes.HasPrefix(s.src[at:], []byte("<!--")):
		return at + 4
	case bytes.HasPrefix(s.src[at:], []byte("-->")):
		return at + 3
	}
	return at
}

// noteComment keeps a comment for the statement below it; comments on lines one
// below the other are one.
func (s *style) noteComment(c stretch) {
	start := c.start
	for start > 0 && (s.src[start-1] == ' ' || s.src[start-1] == '\t') {
		start--
	}
	if start > 0 && s.src[start-1] != '\n' { // behind a statement
		return
	}
	if s.comment.end > s.comment.start && s.adjoins(s.comment.end, c.start) {
		s.comment.end = c.end
		return
	}
	s.comment = c
}

// adjoins says whether nothing but one line break lies between two places.
func (s *style) adjoins(end, start uint32) bool {
	between := s.src[end:start]
	return len(bytes.TrimSpace(between)) == 0 && bytes.Count(between, []byte("\n")) <= 1
}

// headEnd returns where the statement at a byte meets its block or its end.
func (s *style) headEnd(at int) int {
	depth := 0
	for at < len(s.src) {
		if end := s.commentEnd(at); end > at && s.src[at] == '/' {
			at = end
			continue
		}
		switch c := s.src[at]; c {
		case '"', '\'':
			at = s.quoted(at, len(s.src))
			continue
		case '\\':
			at++
		case '(', '[':
			if c == '(' && at >= 3 && bytes.EqualFold(s.src[at-3:at], []byte("url")) {
				at = s.urlEnd(at)
				continue
			}
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		case '#', '@':
			if at+1 < len(s.src) && s.src[at+1] == '{' { // #{$name}, @{name}
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
	return len(s.src)
}

// quoted returns the place behind the string at a byte, which ends with its
// line at the latest, and before a limit.
func (s *style) quoted(at, limit int) int {
	for i := at + 1; i < limit; i++ {
		switch s.src[i] {
		case '\\':
			i++
		case s.src[at]:
			return i + 1
		case '\n':
			return i
		}
	}
	return limit
}

// urlEnd returns the place behind url(…), whose text needs no quotes.
func (s *style) urlEnd(at int) int {
	for i := at + 1; i < len(s.src); i++ {
		switch s.src[i] {
		case '"', '\'':
			i = s.quoted(i, len(s.src)) - 1
		case ')':
			return i + 1
		case '\n', ';':
			return i
		}
	}
	return len(s.src)
}

func (s *style) interpolationEnd(at int) int {
	depth := 0
	for i := at + 1; i < len(s.src); i++ {
		switch s.src[i] {
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
	return len(s.src)
}

// identEnd returns the end of the name at a byte.
func (s *style) identEnd(at, end uint32) uint32 {
	for at < end {
		c := s.src[at]
		if c == '\\' && at+1 < end {
			at += 2
			if isHex(s.src[at-1]) { // up to six digits, and white space that ends them
				for n := 1; n < 6 && at < end && isHex(s.src[at]); n++ {
					at++
				}
				if at < end && s.src[at] == ' ' {
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

func (s *style) slice(at, end uint32) string { return string(s.src[at:end]) }

// atWord returns the word that an at-rule begins with, and where it ends.
func (s *style) atWord(head stretch) (string, uint32) {
	end := s.identEnd(head.start+1, head.end)
	return strings.ToLower(s.slice(head.start+1, end)), end
}

// symbol adds a symbol that begins with a statement.
func (s *style) symbol(head stretch, kind Kind, name string, at uint32) int {
	i := s.addSpan(head, kind, name, at, s.top().symbol, s.slice(head.start, min(head.end, head.start+8*maxSignature)))
	if c := s.comment; c.end > c.start && c.end <= head.start && s.adjoins(c.end, head.start) {
		s.file.Symbols[i].Doc = commentText(s.slice(c.start, c.end))
		s.file.Symbols[i].DocStart = int(c.start)
	}
	s.comment = stretch{}
	return i
}

// open reads the head of a block.
func (s *style) open(head stretch) {
	around := s.top()
	b := styleBlock{symbol: around.symbol, bases: around.bases, frames: false, private: around.private}
	switch {
	case head.start == head.end, around.frames:
	case s.src[head.start] == '@':
		s.openAtRule(head, &b)
	case s.src[head.end-1] == ':', bytes.HasPrefix(s.src[head.start:head.end], []byte("--")):
		// font: { family: x } of SCSS; a block as the value of a custom property
	default:
		b.symbol, b.own = s.symbol(head, Rule, s.headName(head), head.start), true
		b.private = true
		b.bases = s.selectors(head, b.symbol, around.bases)
		s.interpolated(head, b.symbol)
	}
	s.blocks = append(s.blocks, b)
}

// headName returns the head of a block on one line.
func (s *style) headName(head stretch) string {
	return oneLine(s.src[head.start:min(head.end, head.start+8*maxSignature)])
}

func (s *style) openAtRule(head stretch, b *styleBlock) {
	word, at := s.atWord(head)
	rest := trim(s.src, stretch{at, head.end})
	nameEnd := s.identEnd(rest.start, rest.end)
	name := s.slice(rest.start, nameEnd)
	switch word {
	case "mixin", "function":
		b.symbol, b.own, b.private = s.symbol(head, Function, name, rest.start), true, true
		s.occur(name, rest.start, Definition, b.symbol)
		s.functions[name] = true
		s.parameters(stretch{nameEnd, rest.end}, b)
	case "include":
		using := bytes.LastIndex(s.src[rest.start:rest.end], []byte(" using "))
		if using >= 0 {
			s.parameters(stretch{rest.start + uint32(using), rest.end}, b)
			rest.end = rest.start + uint32(using)
		}
		s.call(rest, b.symbol)
	case "each", "for":
		names := rest
		for _, word := range []string{" in ", " from "} {
			if at, _ := topLevel(s.src[rest.start:rest.end], word); at >= 0 {
				names.end = rest.start + uint32(at)
			}
		}
		s.values(stretch{names.end, rest.end}, b.symbol)
		s.parameters(names, b)
	case "if", "else", "while", "at-root", "nest":
		s.values(rest, b.symbol)
	case "property":
		b.symbol, b.own = s.symbol(head, Variable, name, rest.start), true
		s.occur(name, rest.start, Definition, b.symbol)
	default:
		if s.extended && rest.start < rest.end && s.src[rest.start] == ':' { // @rules: { } of Less
			name := s.slice(head.start, at)
			b.symbol, b.own = s.symbol(head, Variable, name, head.start), true
			s.occur(name, head.start, Definition, b.symbol)
			return
		}
		b.symbol, b.own = s.symbol(head, Rule, s.headName(head), head.start), true
		s.values(rest, b.symbol)
		if strings.HasSuffix(word, "keyframes") {
			b.frames = true
			s.occur(name, rest.start, Definition, b.symbol)
		}
		if word == "layer" || word == "container" || word == "counter-style" {
			s.occur(name, rest.start, Read, b.symbol)
		}
	}
}

// parameters reads ($a, $b: 1): names that only the block knows.
func (s *style) parameters(at stretch, b *styleBlock) {
	depth := 0
	for i := at.start; i < at.end; i++ {
		switch c := s.src[i]; c {
		case '(':
			depth++
		case ')':
			depth--
		case ':': // a default value
			end := i
			if n, _ := topLevel(s.src[i:at.end], ",", ";", ")"); n >= 0 {
				end = i + uint32(n)
			} else {
				end = at.end
			}
			s.values(stretch{i + 1, end}, b.symbol)
			i = max(i, end-1)
		case '$', '@':
			if end := s.identEnd(i+1, at.end); end > i+1 && depth <= 1 {
				b.locals = append(b.locals, s.slice(i, end))
				s.local(s.slice(i, end), i, Definition, b.symbol)
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

func (s *style) local(name string, at uint32, role Role, symbol int) {
	n := len(s.file.Occurrences)
	s.occur(name, at, role, symbol)
	for ; n < len(s.file.Occurrences); n++ {
		s.file.Occurrences[n].Local = true
	}
}

// call reads "name(arguments)" or "module.name(arguments)" of @include.
func (s *style) call(at stretch, symbol int) {
	end := s.identEnd(at.start, at.end)
	name, qualifier := stretch{at.start, end}, ""
	if end < at.end && s.src[end] == '.' {
		qualifier = s.slice(at.start, end)
		name = stretch{end + 1, s.identEnd(end+1, at.end)}
	}
	s.occur(s.slice(name.start, name.end), name.start, Call, symbol)
	if n := len(s.file.Occurrences); n > 0 && name.end > name.start {
		s.file.Occurrences[n-1].Qualifier = qualifier
	}
	s.values(stretch{name.end, at.end}, symbol)
}

// simple reads a statement without a block.
func (s *style) simple(head stretch) {
	if head.start == head.end {
		return
	}
	parent := s.top().symbol
	switch c := s.src[head.start]; {
	case c == '@':
		s.simpleAtRule(head, parent)
		return
	case c == '$' || bytes.HasPrefix(s.src[head.start:head.end], []byte("--")):
		end := s.identEnd(head.start+1, head.end)
		s.variable(head, end)
		return
	case s.extended && (c == '.' || c == '#') && s.identEnd(head.start+1, head.end) > head.start+1: // .mixin(); of Less
		end := s.identEnd(head.start+1, head.end)
		s.occur(s.slice(head.start+1, end), head.start+1, Call, parent)
		s.values(stretch{end, head.end}, parent)
		return
	}
	colon := bytes.IndexByte(s.src[head.start:head.end], ':')
	if colon < 0 {
		return
	}
	property := strings.ToLower(strings.TrimSpace(s.slice(head.start, head.start+uint32(colon))))
	value := trim(s.src, stretch{head.start + uint32(colon) + 1, head.end})
	s.values(value, parent)
	switch property {
	case "animation", "animation-name", "-webkit-animation", "-webkit-animation-name":
		s.names(value, parent, animationWords)
	case "composes":
		s.names(value, parent, []string{"from", "global"})
	}
}

// variable reads "$name: value" and "--name: value".
func (s *style) variable(head stretch, nameEnd uint32) {
	name := s.slice(head.start, nameEnd)
	symbol := s.top().symbol
	switch custom := s.src[head.start] == '-'; {
	case !custom && s.isLocal(name):
		s.local(name, head.start, Write, symbol)
	case !custom && s.globals[name] && (!s.top().private || bytes.Contains(s.src[head.start:head.end], []byte("!global"))):
		s.occur(name, head.start, Write, symbol)
	case !custom && len(s.blocks) > 0 && !bytes.Contains(s.src[head.start:head.end], []byte("!global")):
		top := &s.blocks[len(s.blocks)-1]
		top.locals = append(top.locals, name)
		s.local(name, head.start, Definition, symbol)
	default:
		s.globals[name] = true
		symbol = s.symbol(head, Variable, name, head.start)
		s.occur(name, head.start, Definition, symbol)
	}
	s.values(stretch{nameEnd, head.end}, symbol)
}

func (s *style) simpleAtRule(head stretch, parent int) {
	word, at := s.atWord(head)
	rest := trim(s.src, stretch{at, head.end})
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
		if s.extended && rest.start < rest.end && s.src[rest.start] == ':' { // @name: value of Less
			s.variable(head, at)
			return
		}
		s.values(rest, parent)
	}
}

// imports reads the files of @import and @use, and the name one goes by.
func (s *style) imports(at stretch, word string) {
	first := len(s.file.Imports)
	for i := at.start; i < at.end; i++ {
		switch c := s.src[i]; {
		case c == '"' || c == '\'':
			end := uint32(s.quoted(int(i), int(at.end)))
			path := strings.Trim(s.slice(i, end), `"'`)
			s.bring(path, i+1)
			if module, ok := strings.CutPrefix(path, "sass:"); ok {
				s.modules[module] = true
			}
			i = end - 1
			if word != "import" { // what follows configures it
				s.alias(stretch{end, at.end}, first)
				return
			}
		case c == '(' && i >= 3 && bytes.EqualFold(s.src[i-3:i], []byte("url")) && i+1 < at.end && s.src[i+1] != '"' && s.src[i+1] != '\'':
			end := uint32(min(s.urlEnd(int(i)), int(at.end)))
			s.bring(strings.TrimSpace(s.slice(i+1, max(i+1, end-1))), i+1)
			i = end - 1
		}
	}
}

func (s *style) alias(rest stretch, first int) {
	fields := strings.Fields(s.slice(rest.start, min(rest.end, rest.start+200)))
	if len(fields) >= 2 && fields[0] == "as" && len(s.file.Imports) > first {
		i := &s.file.Imports[len(s.file.Imports)-1]
		i.Alias = fields[1]
		if module, ok := strings.CutPrefix(i.Path, "sass:"); ok {
			delete(s.modules, module)
			s.modules[i.Alias] = true
		}
	}
	s.values(rest, s.top().symbol)
}

// targets reads the selectors and classes that @extend and @apply name.
func (s *style) targets(at stretch, parent int) {
	for w := range wordsOf(word{s.slice(at.start, at.end), at.start}) {
		text := strings.TrimRight(w.text, ",")
		if from := strings.LastIndexAny(text, ".%"); from >= 0 {
			text, w.at = text[from+1:], w.at+uint32(from)+1
		}
		if text != "" && text[0] != '!' && !strings.ContainsAny(text, "#{}") {
			s.occur(text, w.at, Read, parent)
		}
	}
}

// names mentions the words of a value that are names of the sheet.
func (s *style) names(at stretch, parent int, not []string) {
	for i := at.start; i < at.end; {
		c := s.src[i]
		switch end := s.identEnd(i, at.end); {
		case c == '"' || c == '\'':
			i = uint32(s.quoted(int(i), int(at.end)))
		case c == '(':
			for i < at.end && s.src[i] != ')' {
				i++
			}
		case c == '$' || c == '@' || c >= '0' && c <= '9' || c == '.' || c == '-' && end-i > 1 && s.src[i+1] == '-':
			i = max(i+1, s.identEnd(i+1, at.end))
		case end > i:
			if name := s.slice(i, end); !slices.Contains(not, name) && (end == at.end || s.src[end] != '(' && s.src[end] != '.') {
				s.occur(name, i, Read, parent)
			}
			i = end
		default:
			i++
		}
	}
}
