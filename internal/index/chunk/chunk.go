// Package chunk splits a source file into pieces for ranking and reading.
//
// Pieces follow the declarations of the file, in order, without overlap, and together hold
// every byte that is not white space. The package reads no files.
package chunk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"unicode/utf8"

	"codeintel/internal/syntax"
)

// A Chunk is one piece of a file. Bytes are half open, lines 1-based and
// inclusive.
type Chunk struct {
	Start, End         int
	StartLine, EndLine int
	Symbol             string      // name of its first or only symbol, if any
	Scope              string      // scope of that symbol
	Kind               syntax.Kind // kind of that symbol
	Signature, Doc     string      // of that symbol
	Fingerprint        string      // hex SHA-256 of the text
}

const (
	bytesPerToken = 4
	defaultTokens = 512

	// A piece with fewer bytes than small is merged with small neighbours, so that
	// a run of constants or one-line types is one chunk. A function of a few lines
	// stands alone: it is what someone looks for.
	small = 160
)

// Split cuts src along the syntax of f into chunks of about maxTokens tokens
// at most; 0 or less means 512.
func Split(f *syntax.File, src []byte, maxTokens int) []Chunk {
	c := newCutter(src, maxTokens)
	c.symbols = f.Symbols
	c.children = make([][]int, len(f.Symbols)+1) // the last one holds the top level
	for i, s := range f.Symbols {
		at := s.Parent
		if at < 0 || at >= len(f.Symbols) {
			at = len(f.Symbols)
		}
		c.children[at] = append(c.children[at], i)
	}
	if f.Language == syntax.Jupyter {
		c.cells = f.Blocks
	}
	c.span(0, len(src), len(f.Symbols), -1)
	return c.finish()
}

// Lines cuts src at line borders, for text without syntax.
func Lines(src []byte, maxTokens int) []Chunk {
	c := newCutter(src, maxTokens)
	c.lines(0, len(src), -1)
	return c.finish()
}

// A piece is a chunk in the making.
type piece struct {
	start, end int
	symbol     int // index, or -1
}

type cutter struct {
	src      []byte
	max      int // bytes
	symbols  []syntax.Symbol
	children [][]int
	pieces   []piece
	cells    []syntax.Block // of a notebook: what people wrote, which joins nothing that was put out
	apart    bool           // the next piece is the head of a declaration: it joins nothing before it
}

func newCutter(src []byte, maxTokens int) *cutter {
	if maxTokens <= 0 {
		maxTokens = defaultTokens
	}
	return &cutter{src: src, max: max(maxTokens*bytesPerToken, 64)}
}

// span cuts the bytes from start to end, in which the symbols under parent lie.
// What is between them belongs to owner.
func (c *cutter) span(start, end, parent, owner int) {
	at := start
	for _, i := range c.children[parent] {
		s := &c.symbols[i]
		from, to := max(s.DocStart, at), min(s.End, end)
		if to <= from { // inside what was cut already: a second name of one declaration
			continue
		}
		if s.Kind == syntax.Selector || c.inline(from, to) { // part of the head of its rule, or of its line
			continue
		}
		if at > start {
			at = c.restOfLine(at, from, owner)
		}
		c.cutBetween(at, from, owner)
		c.symbol(from, to, i)
		at = to
	}
	if at > start {
		at = c.restOfLine(at, end, owner)
	}
	c.cutBetween(at, end, owner)
}

// restOfLine adds what follows a declaration on its last line to it, such as a
// comment, and returns where that ends.
func (c *cutter) restOfLine(at, end, owner int) int {
	n := bytes.IndexByte(c.src[at:end], '\n')
	if n <= 0 || n >= small {
		return at
	}
	c.close(at, at+n, owner)
	return at + n
}

// inline says whether a declaration is a small part of a line of usual length:
// cut out of it, neither could be read.
func (c *cutter) inline(from, to int) bool {
	if to-from >= small {
		return false
	}
	// A line of a million declarations is looked at no further than a usual one is long.
	first, last := max(0, from-2*small), min(len(c.src), to+2*small)
	start := first + bytes.LastIndexByte(c.src[first:from], '\n') + 1
	end := bytes.IndexByte(c.src[to:last], '\n')
	if end < 0 {
		end = last - to
	}
	return len(bytes.TrimSpace(c.src[start:from])) > 0 && to+end-start < 2*small
}

// cutBetween cuts what is between declarations. Brackets and signs that close
// what came before stay with it, and so do closing tags and directives.
func (c *cutter) cutBetween(start, end, owner int) {
	if closed := start + closingLength(c.src[start:end]); closed > start {
		c.close(start, closed, owner)
		start = closed
	}
	for ; len(c.cells) > 0 && c.cells[0].End <= end; c.cells = c.cells[1:] {
		b := c.cells[0]
		if b.Start < start {
			continue
		}
		c.lines(start, b.Start, owner)
		c.apart = true
		c.lines(b.Start, b.End, owner)
		c.apart, start = true, b.End
	}
	c.lines(start, end, owner)
}

// closers are what a line begins with that belongs to the lines before it.
var closers = [][]byte{
	[]byte("</"), []byte("/>"), []byte(">"), []byte("@end"), []byte("@else"), []byte("{/"), []byte("{:"),
	[]byte("<?php end"), []byte("<?php else"), []byte("<?php }"),
}

// closingLength returns how much of a text closes what comes before it.
func closingLength(text []byte) int {
	at := 0
	for at < len(text) {
		rest := bytes.TrimLeft(text[at:], " \t\r\n\f\v)]};,")
		at = len(text) - len(rest)
		n := 0
		switch {
		case bytes.HasPrefix(rest, []byte("</")), bytes.HasPrefix(rest, []byte("{/")):
			n = 1 + bytes.IndexAny(rest[:min(len(rest), 40)], ">}")
		case bytes.HasPrefix(rest, []byte("@end")):
			for n = 1; n < len(rest) && rest[n] >= 'A' && rest[n] <= 'z'; n++ {
			}
		case isEnd(rest):
			n = len("end")
		}
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// isEnd says whether a text begins with the word that closes a block of Ruby,
// Lua or Elixir, and nothing else is on the line.
func isEnd(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("end"))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte("\r\n),;"), rest[0]) >= 0)
}

// close adds text that closes something to the piece before it, if it fits.
func (c *cutter) close(start, end, owner int) {
	end = start + len(bytes.TrimRight(c.src[start:end], " \t\r\n\f\v"))
	if n := len(c.pieces); n > 0 && end > start && end-c.pieces[n-1].start <= c.max {
		c.pieces[n-1].end = end
		return
	}
	c.lines(start, end, owner)
}

// symbol cuts one declaration: whole if it fits, else its head, its members and
// what is left one by one.
func (c *cutter) symbol(start, end, i int) {
	if end-start <= c.max {
		c.add(start, end, i)
		return
	}
	c.apart = c.symbols[i].Kind != syntax.Key // the head of one alone says little
	c.span(start, end, i, i)
}

// lines cuts text without declarations, at blank lines if it can, else at line
// borders, else anywhere between characters.
func (c *cutter) lines(start, end, owner int) {
	for end-start > c.max {
		cut := start + c.cutPosition(c.src[start:start+c.max])
		c.add(start, cut, owner)
		start = cut
	}
	c.add(start, end, owner)
}

// cutPosition returns where to cut a text that goes on behind its end: in its second
// half before the line that is indented least, which is where a statement of
// the outermost block begins, rather behind a blank line and rather late; else
// behind its last line, else before its last character, which may not be whole.
func (c *cutter) cutPosition(text []byte) int {
	best, least, blank := -1, 0, false
	half := len(text) / 2
	for at := half; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		indent, opens := statement(text[at:])
		if !opens {
			continue
		}
		afterBlank := at >= 2 && text[at-2] == '\n'
		if best < 0 || indent < least || indent == least && (afterBlank || !blank) {
			best, least, blank = at, indent, afterBlank
		}
	}
	if best > 0 {
		return best
	}
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	cut := len(text)
	for back := 1; back < utf8.UTFMax && back < len(text); back++ {
		if b := text[len(text)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-back:]) {
				cut = len(text) - back
			}
			break
		}
	}
	return cut
}

// statement measures the white space a line begins with, and says whether a
// statement can begin there: not on a blank line, nor at a closing bracket.
func statement(line []byte) (indent int, opens bool) {
	for _, b := range line {
		switch b {
		case ' ':
			indent++
		case '\t':
			indent += 4
		case '\n', '\r', ')', ']', '}':
			return indent, false
		default:
			rest := bytes.TrimLeft(line[:min(len(line), 200)], " \t")
			return indent, !isEnd(rest) && !slices.ContainsFunc(closers, func(c []byte) bool { return bytes.HasPrefix(rest, c) })
		}
	}
	return indent, false
}

// add notes a piece without the white space around it, or nothing if it is all
// white space. A small one joins the small one before it.
func (c *cutter) add(start, end, symbol int) {
	text := c.src[start:end]
	end -= len(text) - len(bytes.TrimRight(text, " \t\r\n\f\v"))
	start += len(text) - len(bytes.TrimLeft(text, " \t\r\n\f\v"))
	if start >= end {
		return
	}
	p := piece{start, end, symbol}
	apart := c.apart
	c.apart = false
	if n := len(c.pieces); n > 0 && !apart {
		last := &c.pieces[n-1]
		if c.joins(*last) && c.joins(p) && p.end-last.start <= c.max {
			last.end = p.end
			if last.symbol < 0 {
				last.symbol = p.symbol
			}
			return
		}
	}
	c.pieces = append(c.pieces, p)
}

// joins reports whether a piece may be merged with a neighbour.
func (c *cutter) joins(p piece) bool {
	if p.symbol >= 0 && c.symbols[p.symbol].Kind.IsFunction() && bytes.Count(c.src[p.start:p.end], []byte("\n")) >= 2 {
		return false
	}
	return p.end-p.start < small
}

// finish makes chunks of the pieces.
func (c *cutter) finish() []Chunk {
	chunks := make([]Chunk, 0, len(c.pieces))
	line, at := 1, 0
	for _, p := range c.pieces {
		line += bytes.Count(c.src[at:p.start], []byte("\n"))
		text := c.src[p.start:p.end]
		sum := sha256.Sum256(text)
		k := Chunk{
			Start: p.start, End: p.end, StartLine: line, EndLine: line + bytes.Count(text, []byte("\n")),
			Fingerprint: hex.EncodeToString(sum[:]),
		}
		line, at = k.EndLine, p.end
		if p.symbol >= 0 {
			s := &c.symbols[p.symbol]
			k.Symbol, k.Scope, k.Kind, k.Signature, k.Doc = s.Name, s.Scope, s.Kind, s.Signature, s.Doc
		}
		chunks = append(chunks, k)
	}
	return chunks
}
