package syntax

import "slices"

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
