package engine

import "codeintel/internal/syntax/treesitter"

// A Tree is a tree with the text that it was read from.
type Tree struct {
	Source  []byte
	Nodes   []treesitter.Node
	Grammar *treesitter.Grammar
}

// Kind returns the name of the kind of a node; "" for no node (-1).
func (m *Tree) Kind(i int32) string {
	if i < 0 {
		return ""
	}
	return m.Grammar.KindName(m.Nodes[i].Kind)
}

// Parent returns the node around a node, or -1.
func (m *Tree) Parent(i int32) int32 {
	if i < 0 {
		return -1
	}
	return m.Nodes[i].Parent
}

// Text returns what a node spans; "" for no node.
func (m *Tree) Text(i int32) string {
	if i < 0 {
		return ""
	}
	return string(m.Source[m.Nodes[i].Start:m.Nodes[i].End])
}

// Child returns the first direct child of one of the kinds, or -1.
func (m *Tree) Child(i int32, kinds ...string) int32 {
	for c := i + 1; i >= 0 && c < m.Nodes[i].Next; c = m.Nodes[c].Next {
		for _, k := range kinds {
			if m.Kind(c) == k {
				return c
			}
		}
	}
	return -1
}

// Field returns the first child of a node in a field, or -1.
func (m *Tree) Field(i int32, name string) int32 {
	id := m.Grammar.FieldID(name)
	for c := i + 1; i >= 0 && id != 0 && c < m.Nodes[i].Next; c = m.Nodes[c].Next {
		if m.Nodes[c].Field == id {
			return c
		}
	}
	return -1
}
