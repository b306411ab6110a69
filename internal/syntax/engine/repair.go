package engine

import (
	"bytes"

	"codeintel/internal/syntax/treesitter"
)

// tree parses src by the grammar, in the words of the language's repair if src
// does not fit the grammar or surely would not. The caller releases the tree.
func (s *Spec) tree(g *treesitter.Grammar, src []byte, limit treesitter.Limit) (*treesitter.Tree, error) {
	if s.Misfit != nil {
		if repaired, ok := s.Misfit(src); ok {
			return g.Parse(repaired, limit)
		}
	}
	tree, err := g.Parse(src, limit)
	if err != nil || !tree.HasError || tree.Truncated || s.Repair == nil || len(src) == 0 {
		return tree, err
	}
	repaired := s.Repair(src)
	if bytes.Equal(repaired, src) {
		return tree, nil
	}
	again, err := g.Parse(repaired, limit)
	if err != nil || len(again.Nodes) == 0 {
		return tree, nil // worse than the first
	}
	tree.Release()
	return again, nil
}
