package engine

import (
	"iter"

	"codeintel/internal/syntax/treesitter"
)

// Code is the syntax tree of one text, with what its language says of functions.
type Code struct {
	Tree
	read []byte // the text that the tree is of: Source, or Source as it was repaired
	tree *treesitter.Tree
	spec *Spec
}

// ReadCode returns the tree of src with the named nodes and those that fill a field,
// or nil if the language has no grammar or src is beyond the limits of a parse.
func (s *Spec) ReadCode(src []byte) *Code {
	if s.Rules == nil {
		return nil
	}
	g, ok := treesitter.Lookup(s.Rules.Grammar)
	if !ok {
		return nil
	}
	tree, read, err := s.tree(g, src, treesitter.Limit{Work: treesitter.Work(len(src)), Nodes: MaxNodes, Bytes: MaxBytes})
	if err != nil || tree.Truncated || len(tree.Nodes) == 0 {
		return nil
	}
	return &Code{Tree{Source: src, Nodes: tree.Nodes, Grammar: g}, read, tree, s}
}

// Release gives the nodes back for re-use; after it they must not be looked at.
func (c *Code) Release() { c.tree.Release() }

// LeftOut yields the stretches of the text that the tree contains nothing of, in order: what a
// repair took out so that the rest could be read.
func (c *Code) LeftOut() iter.Seq2[int, int] { return LeftOut(c.Source, c.read) }

// Named reports whether a node has a name in the grammar; others are mere tokens.
func (c *Code) Named(node int32) bool { return node >= 0 && c.Nodes[node].Flags&treesitter.Named != 0 }

// FieldName returns the field that a node fills in its parent, or "".
func (c *Code) FieldName(node int32) string { return c.Grammar.FieldName(c.Nodes[node].Field) }

// Function reports whether a node is a function that has a body.
func (c *Code) Function(node int32) bool {
	return node >= 0 && c.spec.isFunction(&c.Tree, node) && c.Body(node) >= 0
}

// FunctionName returns what a function is called.
func (c *Code) FunctionName(function int32) string { return c.spec.functionName(&c.Tree, function) }

// Constructor reports whether a function may be empty for a good reason.
func (c *Code) Constructor(function int32) bool { return c.spec.inConstructor(&c.Tree, function) }

// Body returns what a function does, or -1 if it is only declared.
func (c *Code) Body(function int32) int32 { return c.spec.bodyOf(&c.Tree, function) }
