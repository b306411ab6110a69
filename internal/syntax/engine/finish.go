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
}

func (w *Walker) onlySpace(start, end int) bool {
	for _, b := range w.Source[min(start, end):end] {
		if !IsSpace(b) {
			return false
		}
	}
	return true
}
