package search

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// A writer builds the text form of an answer.
type writer struct{ b strings.Builder }

func (w *writer) linef(format string, args ...any) {
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// block writes numbered lines of code.
func (w *writer) block(code string, first int) {
	for i, l := range strings.Split(strings.TrimSuffix(code, "\n"), "\n") {
		w.linef("%5d  %s", first+i, l)
	}
}

// tail ends an answer. next is the cursor of the following page, "" if there is none.
func (w *writer) tail(next string, r Remarks) string {
	for _, n := range r.Notes {
		w.linef("note: %s", n)
	}
	for _, n := range r.LeftOut {
		w.linef("note: %s", r.Printer.Text(n))
	}
	if next != "" {
		w.linef("more: %s", r.Printer.Text(msg.Join(" ", msg.Param("cursor"), next)))
	}
	if !r.Complete {
		var why []any
		for _, g := range r.Missing {
			why = append(why, g.Reason)
		}
		w.linef("incomplete: %s", r.Printer.Text(msg.Join("; ", why...)))
	}
	return w.b.String()
}

// Text gives the coverage for people and models.
func (c Coverage) Text() string {
	var w writer
	return w.tail(c.NextCursor, c.Remarks)
}

// addLines adds shown lines, joined to the last ones where they touch.
func addLines(list []shown.Lines, file string, start, end int) []shown.Lines {
	if start < 1 || end < start {
		return list
	}
	if n := len(list); n > 0 {
		l := &list[n-1]
		if l.File == file && start <= l.End+1 && end >= l.Start-1 {
			l.Start, l.End = min(l.Start, start), max(l.End, end)
			return list
		}
	}
	return append(list, shown.Lines{File: file, Start: start, End: end})
}

// sortLines sorts shown lines and joins those that touch.
func sortLines(list []shown.Lines) []shown.Lines {
	slices.SortFunc(list, func(a, b shown.Lines) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Start-b.Start, a.End-b.End)
	})
	var joined []shown.Lines
	for _, l := range list {
		joined = addLines(joined, l.File, l.Start, l.End)
	}
	return joined
}

// span writes a place the way evidence cites it.
func span(file string, start, end int) string { return file + ":" + text.LineRange(start, end) }

// byFile gives the parts of a ranked list by the files they lie in, the file of the best
// one first.
func byFile[T any](list []T, file func(*T) string) iter.Seq2[string, []*T] {
	var files []string
	of := map[string][]*T{}
	for i := range list {
		f := file(&list[i])
		if of[f] == nil {
			files = append(files, f)
		}
		of[f] = append(of[f], &list[i])
	}
	return func(yield func(string, []*T) bool) {
		for _, f := range files {
			if !yield(f, of[f]) {
				return
			}
		}
	}
}

// file begins what there is of a file, and returns how the places in it begin: with its
// name, if there is but one.
func (w *writer) file(name string, places int) string {
	if places == 1 {
		return name + ":"
	}
	w.linef("%s", name)
	return "  "
}

// containsSignature reports whether lines of code have the beginning of a signature, however it is
// broken into lines there.
func containsSignature(code, signature string) bool {
	dense := func(s string) string { return strings.Join(strings.Fields(s), "") }
	head := dense(signature)
	return strings.Contains(dense(code), head[:min(len(head), 40)])
}
