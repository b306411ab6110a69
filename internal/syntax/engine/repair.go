package engine

import (
	"bytes"
	"iter"

	"codeintel/internal/syntax/treesitter"
)

// tree parses src by the grammar, in the words of the language's repair if src
// does not fit the grammar or surely would not, and returns the text that it is of.
// The caller releases the tree.
func (s *Spec) tree(g *treesitter.Grammar, src []byte, limit treesitter.Limit) (*treesitter.Tree, []byte, error) {
	read := s.repairedSource(src)
	var repaired []byte
	var again *treesitter.Tree // of repaired
	if s.RepairMisfits && len(src) > 0 && &read[0] != &src[0] {
		repaired = s.Repaired(read)
		tree, err := g.Parse(repaired, limit)
		if err != nil || bytes.Equal(repaired, read) || tree.HasError && len(tree.Nodes) > 0 {
			return tree, repaired, err // with an error even so, read would have one, too
		}
		again = tree
	}
	tree, err := g.Parse(read, limit)
	if err != nil || !tree.HasError || tree.Truncated {
		return tree, read, err
	}
	if again == nil {
		if repaired = s.Repaired(read); bytes.Equal(repaired, read) {
			return tree, read, nil
		}
		if again, err = g.Parse(repaired, limit); err != nil {
			return tree, read, nil
		}
	}
	if len(again.Nodes) == 0 {
		return tree, read, nil // worse than the first
	}
	tree.Release()
	return again, repaired, nil
}

// repairedSource returns src, or src as it was repaired where the grammar surely cannot read it.
func (s *Spec) repairedSource(src []byte) []byte {
	if s.Misfit != nil && len(src) > 0 {
		if repaired, ok := s.Misfit(src); ok {
			return inPlace(repaired, src)
		}
	}
	return src
}

// Repaired returns src in the words of the language's repair, or src itself if there is
// nothing to change.
func (s *Spec) Repaired(src []byte) []byte {
	if s.Repair == nil || len(src) == 0 {
		return src
	}
	return inPlace(s.Repair(src), src)
}

// inPlace returns a repaired text, or src itself if a line of it would begin elsewhere:
// what is read from it is recognised by its place in src.
func inPlace(repaired, src []byte) []byte {
	if len(repaired) != len(src) {
		return src
	}
	for i, c := range src {
		if (c == '\n') != (repaired[i] == '\n') {
			return src
		}
	}
	return repaired
}

// LeftOut yields the stretches of a text that are not as it was read, in order. None begins
// or ends within a word.
func LeftOut(src, read []byte) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if len(src) != len(read) || len(src) == 0 || &src[0] == &read[0] {
			return
		}
		for i := 0; i < len(src); i++ {
			if src[i] == read[i] {
				continue
			}
			start, last := i, i
			for start > 0 && isWord(src[start]) && isWord(src[start-1]) {
				start--
			}
			for ; i < len(src) && (src[i] != read[i] || IsSpace(src[i]) || isWord(src[i]) && isWord(src[i-1])); i++ {
				if !IsSpace(src[i]) {
					last = i
				}
			}
			if !yield(start, last+1) {
				return
			}
		}
	}
}
