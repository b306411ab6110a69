package syntax

import "strings"

// What hooks ask of the tree. Hooks are rare; the loop does without these.

// child returns the first child of a node in a field, or -1.
func (w *walker) child(node int32, fieldName string) int32 {
	id := w.grammar.FieldID(fieldName)
	for c := range w.children(node) {
		if w.nodes[c].Field == id {
			return c
		}
	}
	return -1
}

// firstOf returns the first child of a node that has one of the kinds, or -1.
func (w *walker) firstOf(node int32, kinds ...string) int32 {
	for c := range w.children(node) {
		for _, kind := range kinds {
			if w.is(c, kind) {
				return c
			}
		}
	}
	return -1
}

// children yields the direct children of a node, none for -1.
func (w *walker) children(node int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		if node < 0 {
			return
		}
		for c := node + 1; c < w.nodes[node].Next; c = w.nodes[c].Next {
			if !yield(c) {
				return
			}
		}
	}
}

// is says whether a node has a kind, before or after a split.
func (w *walker) is(node int32, kind string) bool {
	if node < 0 {
		return false
	}
	label := w.labels[w.nodes[node].Kind]
	return label == kind || strings.HasPrefix(label, kind) && len(label) > len(kind) && label[len(kind)] == ':' && len(kind) > 1
}

// in says whether a node fills a field of its parent.
func (w *walker) in(node int32, fieldName string) bool {
	return w.fieldName(node) == fieldName
}

func (w *walker) fieldName(node int32) string { return w.grammar.FieldName(w.nodes[node].Field) }

func (w *walker) parent(node int32) int32 { return w.nodes[node].Parent }

// ancestor returns the nearest node around a node that has one of the kinds, or -1.
func (w *walker) ancestor(node int32, kinds ...string) int32 {
	for node = w.nodes[node].Parent; node >= 0; node = w.nodes[node].Parent {
		for _, kind := range kinds {
			if w.is(node, kind) {
				return node
			}
		}
	}
	return -1
}

// textOf returns the text of a node, "" for -1.
func (w *walker) textOf(node int32) string {
	if node < 0 {
		return ""
	}
	return w.text[w.nodes[node].Start:w.nodes[node].End]
}

// line is the 1-based line of a node.
func (w *walker) line(node int32) int { return int(w.nodes[node].StartRow) + 1 }

// unquote takes one pair of quotes off.
func unquote(s string) string {
	if len(s) >= 2 && strings.IndexByte("\"'`<", s[0]) >= 0 {
		return s[1 : len(s)-1]
	}
	return s
}

// declaration returns the frame of the declaration that was just entered at
// node, or nil if its rules declare nothing there.
func (w *walker) declaration(node int32) *frame {
	if len(w.frames) == 0 {
		return nil
	}
	f := &w.frames[len(w.frames)-1]
	if f.node != node || f.decl == nil {
		return nil
	}
	return f
}

// addImport notes an import.
func (w *walker) addImport(i Import) { w.file.Imports = append(w.file.Imports, i) }

// inFunction says whether the innermost scope holds locals.
func (w *walker) inFunction() bool { return w.scopes[len(w.scopes)-1].kind >= functionScope }

// inClass says whether the innermost scope holds members.
func (w *walker) inClass() bool { return w.scopes[len(w.scopes)-1].kind == classScope }

// parentExported says whether what is around a symbol can be named from
// elsewhere.
func (w *walker) parentExported(s *Symbol) bool {
	return s.Parent < 0 || w.file.Symbols[s.Parent].Exported
}
