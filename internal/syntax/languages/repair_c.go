package languages

import (
	"bytes"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/markup"
	"codeintel/internal/syntax/repair"
	"codeintel/internal/syntax/treesitter"
	"codeintel/internal/text"
)

// What the grammars of C and C++ do not know. A line that is nothing but a macro, like Q_OBJECT or DEFINE_GETTER(size)
// without a semicolon, is not code to the grammar before it is expanded: it takes
// the macro for a type or for the head of a function and loses what follows.

// A grammarGap is something else that the grammar does not know: what its form
// matches, in a group to be left out. It begins with one of some words, so that
// nearly all of a text is passed over without asking the form.
type grammarGap struct {
	begins    []string
	form      *lazyregexp.Regexp
	wordwise  bool // it begins with a whole word
	lineStart bool // only space comes before it on its line
	maxlyRead bool // the grammar knows it in most places
}

// oddities are attributes where they are rare; a macro between class and the name
// of the class, or behind that of a namespace; what Qt writes before the arguments of signals and slots.
var oddities = []grammarGap{
	{begins: []string{"[["}, maxlyRead: true, form: lazyregexp.MustCompile(`^(\[\[\s*[A-Za-z_][^\[\]{};]*\]\])`)},
	{begins: []string{"class", "struct", "union", "enum"}, wordwise: true, form: lazyregexp.MustCompile(
		`^\w+\s+([A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\s*\([^()\n]*\))?)\s+[A-Za-z_]\w*(?:\s*<[^<>;{}]*>)?\s*(?:final\b|[:{])`)},
	{begins: []string{"class"}, wordwise: true,
		form: lazyregexp.MustCompile(`^class\s+([A-Z][A-Z0-9]*_[A-Z0-9_]*)\s+[A-Za-z_]\w*\s*;`)},
	{begins: []string{"namespace", "inline"}, wordwise: true, lineStart: true, form: lazyregexp.MustCompile(
		`^(?:inline\s+)?namespace\s+[A-Za-z_][\w:]*\s+([A-Z_][A-Z0-9_]*(?:\s*\([^()\n]*\))?)\s*\{`)},
	{begins: []string{"public", "protected", "private"}, wordwise: true,
		form: lazyregexp.MustCompile(`^\w+\s+(slots|Q_SLOTS)\s*:`)},
	{begins: []string{"signals:", "Q_SIGNALS:"}, lineStart: true, form: lazyregexp.MustCompile(`^(\w+:)[^\S\n]*(?:\n|$)`)},
	{begins: []string{"emit", "Q_EMIT"}, lineStart: true, wordwise: true, form: lazyregexp.MustCompile(`^(\w+)\s+[A-Za-z_]`)},
}

// How far an oddity may reach, and be indented, in bytes.
const (
	maxOddity = 4000
	maxIndent = 400
)

// each calls yield for each place in src that has the oddity.
func (o *grammarGap) each(src []byte, yield func(start, end int)) {
	for _, word := range o.begins {
		for at := 0; ; {
			i := bytes.Index(src[at:], []byte(word))
			if i < 0 {
				break
			}
			i += at
			at = i + len(word)
			if o.wordwise && (i > 0 && wordByte(src[i-1]) || at == len(src) || !engine.IsSpace(src[at])) {
				continue
			}
			if o.lineStart {
				before := src[max(0, i-maxIndent):i]
				if len(bytes.TrimLeft(before[bytes.LastIndexByte(before, '\n')+1:], " \t\r\f\v")) > 0 {
					continue
				}
			}
			if m := o.form.FindSubmatchIndex(src[i:min(len(src), i+maxOddity)]); m != nil {
				yield(i+m[2], i+m[3])
				at = i + m[3]
			}
		}
	}
}

// repairMacros puts spaces in the place of what the grammar of C or C++ does not know.
// It returns src itself if there is nothing of the kind. Needed says that it is
// more than attributes, which the grammar reads in most places.
func repairMacros(src []byte) (b []byte, needed bool) {
	b = src
	drop := func(start, end int) {
		if &b[0] == &src[0] {
			b = bytes.Clone(src)
		}
		text.Blank(b[start:end])
		if text := src[start:end]; text[len(text)-1] == ':' {
			copy(b[start:], "public:")
		}
	}
	for i := range oddities {
		o := &oddities[i]
		o.each(src, func(start, end int) {
			drop(start, end)
			needed = needed || !o.maxlyRead
		})
	}
	macroLines(src, func(start, end int) {
		drop(start, end)
		needed = true
	})
	bracketedNames(src, func(at int) {
		drop(at, at+1)
		needed = true
	})
	return b, needed
}

// bracketedNames calls yield for each bracket around the name of a function that two words or
// more come before on its line: API number (check) (state *L). They keep a macro of that name
// from being expanded, and the grammar takes the second word for the name.
func bracketedNames(src []byte, yield func(at int)) {
	for at := 0; at < len(src); {
		line := src[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		open := bytes.IndexByte(line, '(')
		if open > 0 && wordByte(line[0]) && bytes.Count(bytes.TrimRight(line[:open], " \t*"), []byte{' '}) > 0 {
			closed := open + 1
			for closed < len(line) && wordByte(line[closed]) {
				closed++
			}
			rest := bytes.TrimLeft(line[min(closed+1, len(line)):], " \t")
			words := !bytes.ContainsFunc(line[:open], func(c rune) bool {
				return c != ' ' && c != '\t' && c != '*' && (c >= 0x80 || !wordByte(byte(c)))
			})
			if words && closed > open+1 && closed < len(line) && line[closed] == ')' && len(rest) > 0 && rest[0] == '(' {
				yield(at + open)
				yield(at + closed)
			}
		}
		at += len(line)
	}
}

// repairC is [repairMacros] for a text that the grammar did not read, and does more: what
// may be right elsewhere.
func repairC(src []byte) []byte {
	b, _ := repairMacros(src)
	if len(b) == 0 {
		return b
	}
	if &b[0] == &src[0] {
		b = bytes.Clone(src)
	}
	drop := func(start, end int) { text.Blank(b[start:end]) }
	for i := 0; ; i += 3 { // the grammar of C++ has no pointers to members
		n := bytes.Index(b[i:], []byte("->*"))
		if n < 0 {
			break
		}
		i += n
		copy(b[i:], "  +")
	}
	put := func(at int, text string) { copy(b[at:], text) }
	toks := repairEnumerators(b, repairBranches(b, cTokens(b), drop, put), drop)
	repairHeads(b, repairCalls(b, toks, drop), drop, put)
	return b
}

// macroLines calls yield for each macro that is where a declaration could,
// alone on its lines, and is followed by another one. In the body of a function
// the grammar does well enough without.
func macroLines(src []byte, yield func(start, end int)) {
	before := byte(';') // the last byte that is neither space nor comment
	begins := true      // nothing but space and comments since the line began
	called := false     // a parenthesis was closed in the declaration around, roughly
	open := 0           // brackets open in the body of a function
	space := false      // the declaration around is a namespace
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n':
			begins = true
			i++
			continue
		case engine.IsSpace(c):
			i++
			continue
		case c == '#' && begins:
			i = directiveEnd(src, i)
			before, called = ';', false
			continue
		case c == '/' && repair.CommentEnd(src, i) > i:
			i = repair.CommentEnd(src, i)
			continue
		case c == '"' && i > 0 && src[i-1] == 'R':
			i = rawStringEnd(src, i)
		case c == '"' || c == '\'':
			end, closed := repair.QuotedEnd(src, i)
			if closed {
				end++
			}
			i = max(end, i+1)
		case wordByte(c):
			end := macroWordEnd(src, i)
			if begins && open == 0 && (before == ';' || before == '{' || before == '}' || before == ':') {
				if last := macroEnd(src, i, end); last > i {
					yield(i, last)
					i, before, begins, called = last, ';', false, false
					continue
				}
			}
			space = space || string(src[i:end]) == "namespace"
			i = end
		case c == '{':
			if open > 0 || before == '=' || called && !space {
				open++
			}
			i++
			called, space = false, false
		case c == '}':
			open = max(open-1, 0)
			i++
			called = false
		case c == ';':
			i++
			called, space = false, false
		default:
			called = called || c == ')'
			i++
		}
		before, begins = c, false
	}
}

// macroEnd returns the end of the macro whose name lies from start to end if it
// is alone on its lines, or start. A name without arguments may be a type above
// the name of a function, if there is one.
func macroEnd(src []byte, start, end int) int {
	underscore := false
	for _, b := range src[start:end] {
		if b >= 'a' && b <= 'z' || b >= 0x80 {
			return start
		}
		underscore = underscore || b == '_'
	}
	if end-start < 3 || src[start] >= '0' && src[start] <= '9' {
		return start
	}
	last := end
	if at := markup.SkipBlanks(src, end); at < len(src) && src[at] == '(' {
		last = bracketEnd(src, at)
	} else if !underscore {
		return start
	}
	named := last == end
	if last < 0 {
		return start
	}
	rest := markup.SkipBlanks(src, last)
	if rest < len(src) && src[rest] != '\n' && src[rest] != '\r' && repair.CommentEnd(src, rest) == rest {
		return start
	}
	next := rest
	for next < len(src) && (engine.IsSpace(src[next]) || repair.CommentEnd(src, next) > next) {
		next = max(next+1, repair.CommentEnd(src, next))
	}
	if next == len(src) || src[next] == '#' || src[next] == '}' || src[next] == '~' {
		return last
	}
	after := macroWordEnd(src, next)
	open := markup.SkipBlanks(src, after)
	calls := open < len(src) && src[open] == '(' && bytes.ContainsFunc(src[next:after], unicode.IsLower)
	if after == next || calls && (named || namesType(src[end:last])) {
		return start
	}
	return last
}

// namesType reports whether the arguments of a macro are the type that a function returns:
// LIBRARY_API(int) above its name.
func namesType(arguments []byte) bool {
	arguments = bytes.Trim(arguments, "() \t\r\n")
	if bytes.HasSuffix(arguments, []byte("*")) || bytes.HasSuffix(arguments, []byte("_t")) {
		return true
	}
	words := bytes.Fields(arguments)
	for _, w := range words {
		if !plainTypes[string(w)] {
			return false
		}
	}
	return len(words) > 0
}

var plainTypes = text.WordSet("void bool char short int long float double signed unsigned const size_t")

func macroWordEnd(src []byte, i int) int {
	for i < len(src) && wordByte(src[i]) {
		i++
	}
	return i
}

// bracketEnd returns the end of what the parenthesis at i opens, or -1.
func bracketEnd(src []byte, i int) int {
	depth := 0
	for limit := min(len(src), i+4000); i < limit; i++ {
		switch src[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			end, closed := repair.QuotedEnd(src, i)
			if !closed {
				return -1
			}
			i = end
		case ':':
			if i+1 < limit && src[i+1] == ':' {
				i++
				break
			}
			return -1 // so that no byte is looked at for two macros
		case '#', '{', '}', ';':
			return -1
		}
	}
	return -1
}

// directiveEnd returns the end of the line of the preprocessor that begins at i.
func directiveEnd(src []byte, i int) int {
	for i < len(src) && src[i] != '\n' {
		if src[i] == '\\' && i+1 < len(src) {
			i++
			if src[i] == '\r' && i+1 < len(src) {
				i++
			}
		} else if bytes.HasPrefix(src[i:], []byte("/*")) {
			i = repair.CommentEnd(src, i) - 1
		}
		i++
	}
	return min(i, len(src))
}

// rawStringEnd returns the end of the raw string of C++ whose quote is at i.
func rawStringEnd(src []byte, i int) int {
	open := bytes.IndexByte(src[i:min(len(src), i+18)], '(')
	if open < 0 {
		return i + 1
	}
	closing := append(append([]byte(")"), src[i+1:i+open]...), '"')
	n := bytes.Index(src[i:], closing)
	if n < 0 {
		return len(src)
	}
	return i + n + len(closing)
}

// leftOut notes the names in what a repair left out: nothing of them is in the tree. Some
// words are none.
func leftOut(w *engine.Walker, keywords map[string]bool) {
	var seen map[uint32]bool // where names are noted
	row, next := 0, 0
	var around []int32 // symbols that the place may be in
	for start, end := range engine.LeftOut(w.Source, w.Read) {
		if bytes.HasPrefix(w.Source[start:], []byte("[[")) || bytes.HasPrefix(w.Source[start:], []byte("__")) {
			continue // attributes
		}
		if seen == nil {
			seen = make(map[uint32]bool, len(w.Mentions))
			for i := range w.Mentions {
				seen[w.Mentions[i].Start] = true
			}
		}
		for ; next < len(w.File.Symbols) && w.File.Symbols[next].Start <= start; next++ {
			around = append(around, int32(next))
		}
		for len(around) > 0 && w.File.Symbols[around[len(around)-1]].End < end {
			around = around[:len(around)-1]
		}
		w.Symbol = -1
		if len(around) > 0 {
			w.Symbol = around[len(around)-1]
		}
		for at := start; at < end; {
			for row+1 < len(w.Lines) && int(w.Lines[row+1]) <= at {
				row++
			}
			switch c := w.Source[at]; {
			case c == '"' || c == '\'':
				at = textEnd(w.Source, at)
			case c == '#':
				at = macroWordEnd(w.Source, markup.SkipBlanks(w.Source, at+1))
			case c == '/' && repair.CommentEnd(w.Source, at) > at:
				at = repair.CommentEnd(w.Source, at)
			case c >= '0' && c <= '9':
				at = macroWordEnd(w.Source, at)
			case wordByte(c):
				stop := macroWordEnd(w.Source, at)
				if !seen[uint32(at)] && !keywords[w.Text[at:stop]] {
					cMacroWord(w, treesitter.Node{Start: uint32(at), End: uint32(stop), StartRow: uint32(row), Parent: -1}, "")
				}
				at = stop
			default:
				at++
			}
		}
	}
	w.Symbol = -1
}
