package markup

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/syntax/engine"
)

// Jupyter is the row of notebooks, whose cells hold code of one language, mostly Python.
var Jupyter = &engine.Spec{
	Name:       engine.Jupyter,
	Title:      "Jupyter notebooks",
	Aliases:    "notebook ipynb",
	Extensions: "ipynb",
	Read:       readNotebook,
	Names:      engine.Names{Groups: "python", Strict: true, Imports: engine.ImportsModule},
}

// readNotebook reads the code of all cells as one text: what one cell declares, later ones
// use. What they show, their output and their prose declare nothing.
func readNotebook(src []byte, embedded engine.ParseFunc) *engine.File {
	n := notebook{decoder: json.NewDecoder(bytes.NewReader(src)), src: src, language: string(engine.Python)}
	m := newMarkup(src, src, nil, embedded)
	if !n.value("", "", nil) {
		m.file.Partial = "not whole JSON"
	}
	code := interleaved{across: true}
	for _, cell := range n.cells {
		if cell.kind == "code" {
			cell.add(&code, src)
		}
	}
	m.embedInterleaved(engine.Language(n.language), &code, func(*engine.Symbol) bool { return true })
	m.settle()
	next := 0
	for _, cell := range n.cells {
		next = m.written(span{cell.texts[0].Start, cell.texts[len(cell.texts)-1].End}, next)
	}
	return m.file
}

// written notes as blocks what is not a symbol in the source of a cell. Symbols from one on may
// are in it; it returns from which on they may be in the cells behind.
func (m *markup) written(s span, next int) int {
	at := int(s.Start)
	for ; next < len(m.file.Symbols) && m.file.Symbols[next].Start < int(s.End); next++ {
		if y := &m.file.Symbols[next]; y.Parent < 0 && y.Start >= int(s.Start) {
			m.noteBlock(at, y.DocStart)
			at = max(at, y.End)
		}
	}
	m.noteBlock(at, int(s.End))
	return next
}

// noteBlock notes a stretch of the source as a block, if there is anything to read in it.
func (m *markup) noteBlock(start, end int) {
	if bytes.ContainsFunc(bytes.ReplaceAll(m.whole[start:max(start, end)], []byte(`\n`), nil), unicode.IsLetter) {
		m.file.Blocks = append(m.file.Blocks, engine.Block{Start: start, End: end})
	}
}

// A notebook is one being read.
type notebook struct {
	decoder  *json.Decoder
	src      []byte
	language string
	cells    []cell // those with a source
	depth    int    // of lists and objects around the next value
}

// maxDepth is more than any notebook nests what it holds.
const maxDepth = 200

// A cell is the texts of its source between their quotes, one a line or all in one.
type cell struct {
	kind  string
	texts []span
}

// value reads the next value, which is under a key in an object, which itself is
// under a key. It reports false where the text is no JSON.
func (n *notebook) value(key, above string, of *cell) bool {
	before := n.decoder.InputOffset()
	token, err := n.decoder.Token()
	if err != nil {
		return false
	}
	switch t := token.(type) {
	case json.Delim:
		if n.depth++; n.depth > maxDepth {
			return false
		}
		defer func() { n.depth-- }()
		if t == '{' {
			above, of = key, &cell{}
		}
		for n.decoder.More() {
			if t == '{' {
				name, err := n.decoder.Token()
				if err != nil {
					return false
				}
				key, _ = name.(string)
			}
			if !n.value(key, above, of) {
				return false
			}
		}
		if t == '{' && of.kind != "" && len(of.texts) > 0 {
			n.cells = append(n.cells, *of)
		}
		_, err := n.decoder.Token()
		return err == nil
	case string:
		switch {
		case of == nil:
		case key == "cell_type":
			of.kind = t
		case key == "source", key == "input": // the latter in notebooks of old
			start := int(before) + bytes.IndexByte(n.src[before:], '"') + 1
			of.texts = append(of.texts, span{uint32(start), uint32(n.decoder.InputOffset() - 1)})
		case key == "language" && above == "kernelspec", key == "name" && above == "language_info":
			n.language = strings.ToLower(t)
		}
	}
	return true
}

// pythonMagics begin cells that are code of the notebook's own language all the same.
var pythonMagics = []string{"%%time", "%%capture", "%%prun"} // timeit too

// add appends the code of a cell, without the lines that are commands to the notebook.
func (c *cell) add(w *interleaved, src []byte) {
	first, begins := true, true // of the cell, and of a line
	for _, s := range c.texts {
		for at := s.Start; at < s.End; {
			line := lineOf(src[at:s.End])
			end := at + uint32(len(line))
			head := string(bytes.TrimLeft(line, " "))
			if first && strings.HasPrefix(head, "%%") && !hasPrefix(head, pythonMagics) {
				return
			}
			if begins && head != "" && strings.IndexByte("%!?", head[0]) >= 0 {
				w.appendOwn(string(line[:len(line)-len(head)]) + "pass\n") // it may be all that a block does
			} else {
				unquote(w, src, span{at, end})
			}
			first, begins, at = false, bytes.HasSuffix(line, []byte(`\n`)), end
		}
	}
	w.appendOwn("\n")
}

func hasPrefix(text string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// lineOf returns the text of a JSON string up to its first line break.
func lineOf(text []byte) []byte {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '\\' {
			if i++; text[i] == 'n' {
				return text[:i+1]
			}
		}
	}
	return text
}

// unquote appends a stretch of a JSON string as the text that it stands for.
func unquote(w *interleaved, src []byte, s span) {
	plain := s.Start
	for at := s.Start; at < s.End; at++ {
		if src[at] != '\\' || at+1 >= s.End {
			continue
		}
		w.add(src, span{plain, at})
		at++
		switch c := src[at]; c {
		case 'n':
			w.appendOwn("\n")
		case 't':
			w.appendOwn("\t")
		case 'u':
			r, err := strconv.ParseUint(string(src[at+1:min(at+5, s.End)]), 16, 32)
			if err != nil {
				r = utf8.RuneError
			}
			w.appendOwn(string(rune(r)))
			at = min(at+4, s.End-1)
		case '"', '\\', '/':
			w.add(src, span{at, at + 1})
		}
		plain = at + 1
	}
	w.add(src, span{plain, s.End})
}
