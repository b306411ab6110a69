package syntax

import "codeintel/internal/syntax/treesitter"

// A sourceTree is a tree with the text that it was read from.
type sourceTree struct {
	src     []byte
	nodes   []treesitter.Node
	grammar *treesitter.Grammar
}

// kind returns the name of the kind of a node.
func (m *sourceTree) kind(i int32) string { return m.grammar.KindName(m.nodes[i].Kind) }

// text returns what a node spans.
func (m *sourceTree) text(i int32) string { return string(m.src[m.nodes[i].Start:m.nodes[i].End]) }

// child returns the first direct child of one of the kinds, or -1.
func (m *sourceTree) child(i int32, kinds ...string) int32 {
	for c := i + 1; c < m.nodes[i].Next; c = m.nodes[c].Next {
		for _, k := range kinds {
			if m.kind(c) == k {
				return c
			}
		}
	}
	return -1
}

// field returns the first child of a node in a field, or -1.
func (m *sourceTree) field(i int32, name string) int32 {
	id := m.grammar.FieldID(name)
	for c := i + 1; id != 0 && c < m.nodes[i].Next; c = m.nodes[c].Next {
		if m.nodes[c].Field == id {
			return c
		}
	}
	return -1
}
