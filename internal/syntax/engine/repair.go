package engine

import (
	"bytes"

	"codeintel/internal/syntax/treesitter"
)

// tree parses src by the grammar, in the words of the language's repair if src
// does not fit the grammar or surely would not, and returns the text that it is of.
// The caller releases the tree.
func (s *Spec) tree(g *treesitter.Grammar, src []byte, limit treesitter.Limit) (*treesitter.Tree, []byte, error) {
	if s.Misfit != nil {
		if repaired, ok := s.Misfit(src); ok {
			tree, err := g.Parse(repaired, limit)
			return tree, repaired, err
		}
	}
	tree, err := g.Parse(src, limit)
	if err != nil || !tree.HasError || tree.Truncated || s.Repair == nil || len(src) == 0 {
		return tree, src, err
	}
	repaired := s.Repair(src)
	if bytes.Equal(repaired, src) {
		return tree, src, nil
	}
	again, err := g.Parse(repaired, limit)
	if err != nil || len(again.Nodes) == 0 {
		return tree, src, nil // worse than the first
	}
	tree.Release()
	return again, repaired, nil
}
