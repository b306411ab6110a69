package syntax

import (
	"fmt"
	"slices"
	"time"

	"codeintel/internal/syntax/treesitter"
)

// Limits of one parse. A file beyond them is text to us, not code.
const (
	maxBytes = 16 << 20
	maxNodes = 4 << 20
	maxTime  = 5 * time.Second
)

// Parse reads src, which is UTF-8 (invalid bytes are tolerated), as lang. Bad
// code is no error: what could be read is in the File, and File.Partial says
// why something is missing when a limit was reached or the language is
// unknown. The error is ours, never the source's.
//
// The strings of the File share one copy of src: clone what is kept for long.
func Parse(lang Language, src []byte) (*File, error) {
	return parseSafely(lang, src, new(File))
}

// A Parser is [Parse] with a memory, for many files. It is not for concurrent
// use; its zero value is ready.
type Parser struct{ file File }

// manyThings is from how many occurrences on the memory of a file is given up.
const manyThings = 1 << 17

// Parse is [Parse], but the File is good only until the next call.
func (p *Parser) Parse(lang Language, src []byte) (*File, error) {
	f := &p.file
	clear(f.Symbols) // their strings would keep the last source
	clear(f.Occurrences)
	clear(f.Imports)
	*f = File{Symbols: f.Symbols[:0], Occurrences: f.Occurrences[:0], Imports: f.Imports[:0], Blocks: f.Blocks[:0]}
	if cap(f.Occurrences) > manyThings {
		*f = File{}
	}
	return parseSafely(lang, src, f)
}

// parseSafely keeps a defect of ours from taking a server down because of one
// odd file.
func parseSafely(lang Language, src []byte, into *File) (f *File, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("syntax: %s: panic: %v", lang, r)
		}
	}()
	return parse(lang, src, into)
}

// parse reads src into f, which is empty, or into another File.
func parse(lang Language, src []byte, f *File) (*File, error) {
	f.Language = lang
	l, ok := languages[lang]
	if !ok {
		f.Partial = "no grammar for this language"
		return f, nil
	}
	if l.read != nil {
		if len(src) > maxBytes {
			f.Partial = "too large"
			return f, nil
		}
		f := l.read(src)
		f.Language = lang
		return f, nil
	}
	p, err := programOf(lang, l.rules)
	if err != nil {
		return nil, err
	}
	if l.faster != nil && l.faster(src, func(nodes []treesitter.Node) { p.walk(f, src, nodes) }) {
		return f, nil
	}
	return p.read(f, src)
}

// read fills f by the grammar.
func (p *program) read(f *File, src []byte) (*File, error) {
	tree, err := parseMended(p.grammar, f.Language, src, treesitter.Limit{Time: maxTime, Nodes: maxNodes, Bytes: maxBytes, Keep: p.keep})
	if err != nil {
		return nil, err
	}
	defer tree.Release()
	f.Partial = tree.Why
	if len(tree.Nodes) > 0 {
		p.walk(f, src, tree.Nodes)
	}
	return f, nil
}

// FunctionAt returns the innermost function, method, constructor or macro
// around a line.
func (f *File) FunctionAt(line int) (Symbol, bool) {
	found := -1
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if line < s.StartLine || line > s.EndLine || !s.Kind.IsFunction() {
			continue
		}
		if found < 0 || s.Start >= f.Symbols[found].Start && s.End <= f.Symbols[found].End {
			found = i
		}
	}
	if found < 0 {
		return Symbol{}, false
	}
	return f.Symbols[found], true
}

// IsFunction says whether symbols of the kind are called.
func (k Kind) IsFunction() bool {
	switch k {
	case Function, Method, Constructor, Macro:
		return true
	}
	return false
}

// finishFile turns what the walk kept small into the File.
func (w *walker) finishFile() {
	if w.atEnd != nil {
		w.atEnd(w)
	}
	w.file.Occurrences = slices.Grow(w.file.Occurrences, len(w.occs))[:len(w.occs)]
	for i := range w.occs {
		o, to := &w.occs[i], &w.file.Occurrences[i]
		to.Name = w.intern.names[o.name]
		to.Line = int(o.row) + 1
		to.Column = int(o.start-w.lines[o.row]) + 1
		to.Role = o.role
		to.Symbol = int(o.symbol)
		to.Local = o.local
		if o.qualifier >= 0 {
			q := &w.nodes[o.qualifier]
			to.Qualifier = w.text[q.Start:q.End]
		}
	}
	w.blocks()
}

// blocks notes the top-level text that no symbol owns. Neighbours of one kind
// with nothing but white space between them are one block.
func (w *walker) blocks() {
	if len(w.nodes) == 0 {
		return
	}
	symbol, lastKind := 0, uint16(0)
	for c := int32(1); c < w.nodes[0].Next; c = w.nodes[c].Next {
		n := &w.nodes[c]
		if n.End == n.Start {
			continue
		}
		for symbol < len(w.file.Symbols) && (w.file.Symbols[symbol].Parent >= 0 || w.file.Symbols[symbol].End <= int(n.Start)) {
			symbol++
		}
		if symbol < len(w.file.Symbols) && w.file.Symbols[symbol].DocStart < int(n.End) {
			lastKind = 0
			continue
		}
		end, endRow := w.trimmedEnd(n)
		if end == int(n.Start) {
			continue
		}
		if last := len(w.file.Blocks) - 1; last >= 0 && lastKind == n.Kind && w.onlySpace(w.file.Blocks[last].End, int(n.Start)) {
			w.file.Blocks[last].End, w.file.Blocks[last].EndLine = end, endRow+1
			continue
		}
		lastKind = n.Kind
		w.file.Blocks = append(w.file.Blocks, Block{Start: int(n.Start), End: end, StartLine: int(n.StartRow) + 1, EndLine: endRow + 1})
	}
}

func (w *walker) onlySpace(start, end int) bool {
	for _, b := range w.src[min(start, end):end] {
		if !isSpace(b) {
			return false
		}
	}
	return true
}
