package syntax

import (
	"sync"
	"time"

	"codeintel/internal/syntax/treesitter"
)

// Limits of one parse. A file beyond them is text to us, not code.
const (
	maxBytes = 16 << 20
	maxNodes = 4 << 20
	maxTime  = 5 * time.Second
)

// A parseFunc is [Parse], given to the readers of languages that embed others.
type parseFunc func(lang Language, src []byte) (*File, error)

// A spec says how a language is read: by rules, or by a reader of its own.
type spec struct {
	name  Language
	rules *rules

	// faster calls walk with the tree that the grammar would give, or one that
	// the rules cannot tell from it, if it can make it without the grammar.
	faster func(src []byte, walk func(nodes []treesitter.Node)) bool

	read func(src []byte, parse parseFunc) *File // for languages without rules

	// around adds to a file that was read by rules what the text around the code holds.
	around func(f *File, src []byte, parse parseFunc)

	// repair returns src in words that the grammar can read: of the same length and
	// with the same line breaks, so that every place stays where it is. It is asked
	// where a text does not fit the grammar.
	repair func(src []byte) []byte

	// misfit is asked before the grammar is: it returns the repaired text if it knows
	// that the grammar cannot read src.
	misfit func(src []byte) (repaired []byte, ok bool)

	once     sync.Once // guards what follows
	compiled *program
	err      error
}

// program compiles the rules once.
func (s *spec) program() (*program, error) {
	s.once.Do(func() { s.compiled, s.err = compile(s.rules) })
	return s.compiled, s.err
}

// parse reads src into f, or into another File. What is embedded in it is read by
// embedded.
func (s *spec) parse(src []byte, f *File, embedded parseFunc) (*File, error) {
	f.Language = s.name
	if len(src) > maxBytes && s.rules == nil {
		f.Partial = "too large"
		return f, nil
	}
	if s.read != nil {
		f := s.read(src, embedded)
		f.Language = s.name
		return f, nil
	}
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	if s.faster != nil && s.faster(src, func(nodes []treesitter.Node) { p.walk(f, src, nodes) }) {
		return f, nil
	}
	if err := s.readTree(p, f, src); err != nil {
		return nil, err
	}
	if s.around != nil && len(src) <= maxBytes {
		s.around(f, src, embedded)
	}
	return f, nil
}

// readTree fills f by the grammar.
func (s *spec) readTree(p *program, f *File, src []byte) error {
	tree, err := s.tree(p.grammar, src, treesitter.Limit{Time: maxTime, Nodes: maxNodes, Bytes: maxBytes, Keep: p.keep})
	if err != nil {
		return err
	}
	defer tree.Release()
	f.Partial = tree.Why
	if len(tree.Nodes) > 0 {
		p.walk(f, src, tree.Nodes)
	}
	return nil
}
