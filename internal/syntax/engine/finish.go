package engine

import "slices"

// finishFile turns what the walk kept small into the File.
func (w *Walker) finishFile() {
	if w.AtEnd != nil {
		w.AtEnd(w)
	}
	w.File.Occurrences = slices.Grow(w.File.Occurrences, len(w.Mentions))[:len(w.Mentions)]
	for i := range w.Mentions {
		o, to := &w.Mentions[i], &w.File.Occurrences[i]
		to.Name = w.Intern.Names[o.Name]
		to.Line = int(o.row) + 1
		to.Column = int(o.Start-w.Lines[o.row]) + 1
		to.Role = o.Role
		to.Symbol = int(o.Symbol)
		to.Local = o.Local
		if o.Qualifier >= 0 {
			q := &w.Nodes[o.Qualifier]
			to.Qualifier = w.Text[q.Start:q.End]
		}
	}
	w.blocks()
}

// blocks notes the top-level text that no symbol owns. Neighbours of one kind
// with nothing but white space between them are one block.
func (w *Walker) blocks() {
	if len(w.Nodes) == 0 {
		return
	}
	symbol, lastKind := 0, uint16(0)
	for c := int32(1); c < w.Nodes[0].Next; c = w.Nodes[c].Next {
		n := &w.Nodes[c]
		if n.End == n.Start {
			continue
		}
		for symbol < len(w.File.Symbols) && (w.File.Symbols[symbol].Parent >= 0 ||
			w.File.Symbols[symbol].End <= int(n.Start)) {
			symbol++
		}
		if symbol < len(w.File.Symbols) && w.File.Symbols[symbol].DocStart < int(n.End) {
			lastKind = 0
			continue
		}
		end, endRow := w.TrimmedEnd(n)
		if end == int(n.Start) {
			continue
		}
		if last := len(w.File.Blocks) - 1; last >= 0 && lastKind == n.Kind &&
			w.onlySpace(w.File.Blocks[last].End, int(n.Start)) {
			w.File.Blocks[last].End, w.File.Blocks[last].EndLine = end, endRow+1
			continue
		}
		lastKind = n.Kind
		w.File.Blocks = append(w.File.Blocks,
			Block{Start: int(n.Start), End: end, StartLine: int(n.StartRow) + 1, EndLine: endRow + 1})
	}
}

func (w *Walker) onlySpace(start, end int) bool {
	for _, b := range w.Source[min(start, end):end] {
		if !IsSpace(b) {
			return false
		}
	}
	return true
}
