package engine

import (
	"sync"
	"time"

	"codeintel/internal/syntax/treesitter"
)

// Limits of one parse. A file beyond them is text to us, not code.
const (
	MaxBytes = 16 << 20
	MaxNodes = 4 << 20
	MaxTime  = 5 * time.Second
)

// A ParseFunc is [Parse], given to the readers of languages that embed others.
type ParseFunc func(lang Language, src []byte) (*File, error)

// A Spec says how a language is read: by rules, or by a reader of its own.
type Spec struct {
	Name  Language
	Rules *Rules

	// faster calls walk with the tree that the grammar would give, or one that
	// the rules cannot tell from it, if it can make it without the grammar.
	Faster func(src []byte, walk func(nodes []treesitter.Node)) bool

	Read func(src []byte, parse ParseFunc) *File // for languages without rules

	// around adds to a file that was read by rules what the text around the code holds.
	Around func(f *File, src []byte, parse ParseFunc)

	// repair returns src in words that the grammar can read: of the same length and
	// with the same line breaks, so that every place stays where it is. It is asked
	// where a text does not fit the grammar.
	Repair func(src []byte) []byte

	// misfit is asked before the grammar is: it returns the repaired text if it knows
	// that the grammar cannot read src.
	Misfit func(src []byte) (repaired []byte, ok bool)

	once     sync.Once // guards what follows
	compiled *program
	err      error
}

// Program compiles the rules once.
func (s *Spec) Program() (*program, error) {
	s.once.Do(func() { s.compiled, s.err = compile(s.Rules) })
	return s.compiled, s.err
}

// Parse reads src into f, or into another File. What is embedded in it is read by
// embedded.
func (s *Spec) Parse(src []byte, f *File, embedded ParseFunc) (*File, error) {
	f.Language = s.Name
	if len(src) > MaxBytes && s.Rules == nil {
		f.Partial = "too large"
		return f, nil
	}
	if s.Read != nil {
		f := s.Read(src, embedded)
		f.Language = s.Name
		return f, nil
	}
	p, err := s.Program()
	if err != nil {
		return nil, err
	}
	if s.Faster != nil && s.Faster(src, func(nodes []treesitter.Node) { p.walk(f, src, nodes) }) {
		return f, nil
	}
	if err := s.readTree(p, f, src); err != nil {
		return nil, err
	}
	if s.Around != nil && len(src) <= MaxBytes {
		s.Around(f, src, embedded)
	}
	return f, nil
}

// readTree fills f by the grammar.
func (s *Spec) readTree(p *program, f *File, src []byte) error {
	tree, err := s.tree(p.Grammar, src, treesitter.Limit{Time: MaxTime, Nodes: MaxNodes, Bytes: MaxBytes, Keep: p.keep})
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
