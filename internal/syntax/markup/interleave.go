package markup

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// A span is a half-open range of bytes of a source.
type span struct{ Start, End uint32 }

// An interleaved text is code made of the expressions of a template, with words of ours
// between them that open and close the scopes the template gives them. It is
// read by the parser of its language as one text, and what that finds is
// carried back to where the pieces came from; what it finds in our words is
// dropped.
type interleaved struct {
	code   []byte
	pieces []piece // in the order of the code
	across bool    // they follow one another in the source: what several hold is one stretch of it
}

// A piece is length bytes that are at code in the interleaved text and at source in the
// template.
type piece struct{ code, source, length uint32 }

// appendOwn appends words of ours.
func (w *interleaved) appendOwn(text string) { w.code = append(w.code, text...) }

// add appends a stretch of the source. What is already blanked out of src
// stays so.
func (w *interleaved) add(src []byte, s span) {
	if s.End <= s.Start {
		return
	}
	w.pieces = append(w.pieces, piece{code: uint32(len(w.code)), source: s.Start, length: s.End - s.Start})
	w.code = append(w.code, src[s.Start:s.End]...)
}

// appendWrapped appends a stretch between two words of ours, nothing if it is empty.
func (w *interleaved) appendWrapped(before string, src []byte, s span, after string) {
	if s.End <= s.Start {
		return
	}
	w.appendOwn(before)
	w.add(src, s)
	w.appendOwn(after)
}

// source returns where a stretch of the code is in the template. It
// reports false for one that is not from a single piece.
func (w *interleaved) source(start, end int) (at int, ok bool) {
	i, found := slices.BinarySearchFunc(w.pieces, start, func(p piece, at int) int { return int(p.code) - at })
	if !found {
		i--
	}
	if i < 0 {
		return 0, false
	}
	p := &w.pieces[i]
	if end > int(p.code+p.length) {
		return 0, false
	}
	return int(p.source) + start - int(p.code), true
}

// sourceSpan returns where a declaration in the code is in the template.
func (w *interleaved) sourceSpan(start, end int) (s span, ok bool) {
	if !w.across {
		at, ok := w.source(start, end)
		return span{uint32(at), uint32(at + end - start)}, ok
	}
	from, ok := w.source(start, start+1)
	last, whole := w.source(max(start, end-1), end)
	return span{uint32(from), uint32(last + 1)}, ok && whole
}

// byPlace stands for the symbol of an occurrence that is found by where the
// occurrence is, when all symbols are known; see settle.
const byPlace = -2

// embedInterleaved reads an interleaved text as code of a language and adds what it finds at the
// places it comes from. Declarations in the code become symbols if keep says
// so.
func (m *markup) embedInterleaved(lang engine.Language, w *interleaved, keep func(*engine.Symbol) bool) {
	if len(w.pieces) == 0 {
		return
	}
	f, err := m.embedded(lang, w.code)
	if err != nil || f == nil {
		return
	}
	if f.Partial != "" && m.file.Partial == "" {
		m.file.Partial = f.Partial
	}
	lines := engine.LineStarts(nil, w.code)
	kept := m.embedSymbols(f, w, lines, keep)
	for _, o := range f.Occurrences {
		from := int(lines[o.Line-1]) + o.Column - 1
		at, ok := w.source(from, from+len(o.Name))
		if !ok || m.masked(uint32(at), uint32(at+len(o.Name))) {
			continue
		}
		o.Line, o.Column = m.position(uint32(at))
		if o.Symbol >= 0 {
			o.Symbol = kept[o.Symbol]
		} else {
			o.Symbol = byPlace
		}
		m.file.Occurrences = append(m.file.Occurrences, o)
	}
	for _, i := range f.Imports {
		m.embedImport(i, w, lines)
	}
}

// embedSymbols adds the symbols of interleaved code that keep wants, and returns
// for each symbol of the code its index here, or byPlace.
func (m *markup) embedSymbols(f *engine.File, w *interleaved, lines []uint32, keep func(*engine.Symbol) bool) []int {
	kept := make([]int, len(f.Symbols))
	for i, s := range f.Symbols {
		kept[i] = byPlace
		at, whole := w.sourceSpan(s.Start, s.End)
		named := int(lines[s.NameLine-1]) + s.NameColumn - 1
		name, ok := w.source(named, named+1)
		if !ok || !whole || keep == nil || !keep(&s) || m.masked(uint32(name), uint32(name+1)) {
			continue
		}
		doc, ok := w.sourceSpan(s.DocStart, s.End)
		if !ok {
			doc = at
		}
		s.End, s.Start, s.DocStart = int(at.End), int(at.Start), int(doc.Start)
		s.StartLine, s.EndLine = m.row(uint32(s.Start))+1, m.row(uint32(max(s.Start, s.End-1)))+1
		s.NameLine, s.NameColumn = m.position(uint32(name))
		if s.Parent >= 0 && kept[s.Parent] >= 0 {
			s.Parent = kept[s.Parent]
		} else {
			s.Parent = -1
		}
		kept[i] = len(m.file.Symbols)
		m.file.Symbols = append(m.file.Symbols, s)
	}
	return kept
}

// embedImport adds an import of interleaved code. Its line in the template is that
// of the first piece on its line in the code.
func (m *markup) embedImport(i engine.Import, w *interleaved, lines []uint32) {
	from, to := int(lines[i.Line-1]), len(w.code)
	if i.Line < len(lines) {
		to = int(lines[i.Line])
	}
	for _, p := range w.pieces {
		if int(p.code+p.length) > from && int(p.code) < to {
			i.Line = m.row(p.source+uint32(max(0, from-int(p.code)))) + 1
			m.file.Imports = append(m.file.Imports, i)
			return
		}
	}
}

// topLevel returns the first place in code where one of the words is outside
// of brackets and strings, and the word; -1 if none does.
func topLevel(code []byte, words ...string) (at int, word string) {
	depth := 0
	for i := 0; i < len(code); i++ {
		if depth == 0 {
			for _, word := range words {
				if len(code)-i >= len(word) && string(code[i:i+len(word)]) == word {
					return i, word
				}
			}
		}
		switch c := code[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'', '`':
			i = stringEnd(code, i) - 1
		}
	}
	return -1, ""
}

// stringEnd returns the place behind the string that begins at i, the end of
// the code if it does not end.
func stringEnd(code []byte, i int) int {
	quote := code[i]
	for i++; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(code)
}

// trim takes white space off both ends of a stretch.
func trim(src []byte, s span) span {
	for s.Start < s.End && engine.IsSpace(src[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && engine.IsSpace(src[s.End-1]) {
		s.End--
	}
	return s
}

// classWords calls yield for each name in an expression that may be a class:
// the words of its string literals, and the keys of its objects. What is
// compared, an index or an argument is none.
func classWords(src []byte, s span, yield func(text string, at uint32)) {
	code := src[s.Start:s.End]
	opens := true // a key may begin here
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\'' || c == '"' || c == '`':
			end := stringEnd(code, i)
			if !compared(code, i, end) {
				for w := range wordsOf(word{string(code[i+1 : max(i+1, end-1)]), s.Start + uint32(i) + 1}) {
					if !strings.Contains(w.text, "${") {
						yield(w.text, w.at)
					}
				}
			}
			i, opens = end-1, false
		case engine.IsSpace(c):
		case isWord(c):
			end := i
			for end < len(code) && isWord(code[end]) {
				end++
			}
			if colon := SkipBlanks(code, end); opens && i > 0 && colon < len(code) && code[colon] == ':' {
				yield(string(code[i:end]), s.Start+uint32(i))
			}
			i, opens = end-1, false
		default:
			opens = c == '{' || c == ','
		}
	}
}

// compared says whether a string literal is next to an operator or in
// brackets that make it something else than a name to show.
func compared(code []byte, start, end int) bool {
	before, after := start-1, end
	for before >= 0 && engine.IsSpace(code[before]) {
		before--
	}
	for after < len(code) && engine.IsSpace(code[after]) {
		after++
	}
	if before >= 0 {
		opens := code[before] == '[' || code[before] == '('
		if code[before] == '=' || opens && before > 0 && isWord(code[before-1]) { // compared, an index, an argument
			return true
		}
	}
	return after+1 < len(code) && (code[after] == '=' || code[after] == '!') && code[after+1] == '='
}

func isWord(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
