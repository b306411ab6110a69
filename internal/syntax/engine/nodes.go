package engine

import (
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// What hooks ask of the tree. Hooks are rare; the loop does without these.

// Child returns the first child of a node in a field, or -1.
func (w *Walker) Child(node int32, fieldName string) int32 {
	id := w.Grammar.FieldID(fieldName)
	for c := range w.Children(node) {
		if w.Nodes[c].Field == id {
			return c
		}
	}
	return -1
}

// FirstOf returns the first child of a node that has one of the kinds, or -1.
func (w *Walker) FirstOf(node int32, kinds ...string) int32 {
	for c := range w.Children(node) {
		if w.Is(c, kinds...) {
			return c
		}
	}
	return -1
}

// Children yields the direct children of a node, none for -1.
func (w *Walker) Children(node int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		if node < 0 {
			return
		}
		for c := node + 1; c < w.Nodes[node].Next; c = w.Nodes[c].Next {
			if !yield(c) {
				return
			}
		}
	}
}

// Is says whether a node has one of some kinds, before or after a split.
func (w *Walker) Is(node int32, kinds ...string) bool {
	if node < 0 {
		return false
	}
	label := w.Labels[w.Nodes[node].Kind]
	for _, kind := range kinds {
		if rest, ok := strings.CutPrefix(label, kind); ok && (rest == "" || rest[0] == ':' && len(kind) > 1) {
			return true
		}
	}
	return false
}

// In says whether a node fills a field of its parent.
func (w *Walker) In(node int32, fieldName string) bool {
	return w.fieldName(node) == fieldName
}

func (w *Walker) fieldName(node int32) string { return w.Grammar.FieldName(w.Nodes[node].Field) }

func (w *Walker) Parent(node int32) int32 { return w.Nodes[node].Parent }

// Ancestor returns the nearest node around a node that has one of the kinds, or -1.
func (w *Walker) Ancestor(node int32, kinds ...string) int32 {
	for node = w.Nodes[node].Parent; node >= 0; node = w.Nodes[node].Parent {
		if w.Is(node, kinds...) {
			return node
		}
	}
	return -1
}

// TextOf returns the text of a node, "" for -1.
func (w *Walker) TextOf(node int32) string {
	if node < 0 {
		return ""
	}
	return w.Text[w.Nodes[node].Start:w.Nodes[node].End]
}

// Line is the 1-based line of a node.
func (w *Walker) Line(node int32) int { return int(w.Nodes[node].StartRow) + 1 }

// Unquote takes one pair of quotes off.
func Unquote(s string) string {
	if len(s) >= 2 && strings.IndexByte("\"'`<", s[0]) >= 0 {
		return s[1 : len(s)-1]
	}
	return s
}

// Access is who may use the members of a node, from one of its children on.
type Access struct {
	Next    int32 // the first child that is not read yet
	Private bool
}

// Declaration returns the frame of the declaration that was just entered at
// node, or nil if its rules declare nothing there.
func (w *Walker) Declaration(node int32) *Frame {
	if len(w.Frames) == 0 {
		return nil
	}
	f := &w.Frames[len(w.Frames)-1]
	if f.Node != node || f.Decl == nil {
		return nil
	}
	return f
}

// AddImport notes an import. One whose path no file can have, and what is more than a person would
// write, is left out: names in a group repeat the path of the group, so a small file could take any memory.
func (w *Walker) AddImport(i Import) {
	if w.imported += len(i.Path); w.KeepsImport(i.Path) {
		w.File.Imports = append(w.File.Imports, i)
	}
}

// KeepsImport reports whether a path, or the beginning of one, is short enough to be kept. If it is not, the file
// counts as partly read.
func (w *Walker) KeepsImport(path string) bool {
	const longest, longestOfFile = 4096, 32 << 20
	if len(path) <= longest && w.imported <= longestOfFile {
		return true
	}
	w.File.Partial = "more and longer imports than are kept"
	return false
}

// InFunction says whether the innermost scope holds locals.
func (w *Walker) InFunction() bool { return w.Scopes[len(w.Scopes)-1].Kind >= FunctionScope }

// InClass says whether the innermost scope holds members.
func (w *Walker) InClass() bool { return w.Scopes[len(w.Scopes)-1].Kind == ClassScope }

// ParentExported says whether what is around a symbol can be named from
// elsewhere.
func (w *Walker) ParentExported(s *Symbol) bool {
	return s.Parent < 0 || w.File.Symbols[s.Parent].Exported
}

// WordIn returns the place of the last such word in a node before another one, or
// anywhere in it for -1: where what has no name says what it is. Without the word it
// is the place of the node.
func (w *Walker) WordIn(node, before int32, word string) treesitter.Node {
	at := w.Nodes[node]
	end := at.End
	if before >= 0 {
		end = w.Nodes[before].Start
	}
	if i := strings.LastIndex(w.Text[at.Start:end], word); i >= 0 {
		at.Start += uint32(i)
		at.StartRow = w.RowOf(at.Start, at.StartRow)
	}
	return at
}

// InQuotes returns the place of a text without the quote that it begins with.
func (w *Walker) InQuotes(node int32) treesitter.Node {
	n := w.Nodes[node]
	if n.Start < n.End && strings.IndexByte("\"'`", w.Text[n.Start]) >= 0 {
		n.Start++
	}
	return n
}

// RowOf returns the row of a byte that is on a row or after it.
func (w *Walker) RowOf(at, row uint32) uint32 {
	for int(row)+1 < len(w.Lines) && w.Lines[row+1] <= at {
		row++
	}
	return row
}
