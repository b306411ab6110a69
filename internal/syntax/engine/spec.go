package engine

import (
	"sync"

	"codeintel/internal/syntax/treesitter"
)

// Limits of one parse. A file beyond them is text to us, not code.
const (
	MaxBytes = 16 << 20
	MaxNodes = 2 << 20
)

// A ParseFunc is [Parse], given to the readers of languages that embed others.
type ParseFunc func(lang Language, src []byte) (*File, error)

// HeadBytes is how much of a text is looked at to tell its language.
const HeadBytes = 512

// A Spec is the row of a language: all that the program knows of it. Lists are
// words with blanks between. Only Name and one of Rules and Read must be given.
type Spec struct {
	Name    Language
	Title   string // how people write it, if not as Name with a capital
	Aliases string // other names that people give it, in lower case
	Prose   bool   // data, text or a recipe of a build, and no code

	// Files of the language are known by their suffix, in lower case and without the
	// dot, by their whole name ("Makefile.*" stands for Makefile.am, too), or by the
	// program that runs them.
	Extensions string
	Files      string
	Programs   string

	// Disputed names the language of a file by its text, where other formats have
	// the suffix too. The text is nil if it is not known.
	Disputed func(ext string, text []byte) Language

	NoLogic string // of Extensions, those of files without logic

	TestSuffix  string // the only ending that names of tests have, before the suffix
	TestClasses bool   // tests are named like classes: FooTest, FooSpec
	Family      string // languages of one family test each other's code
	Form        Form   // where classes and ids of style sheets stand
	Linked      bool   // pages link to files of it
	Counted     bool   // a call with another number of arguments than the declaration takes is an error

	// Servers are the commands of language servers that know it, the best first.
	Servers []string

	Names     Names
	Bodies    Bodies
	Comparing Comparing
	Testing   Testing

	Rules *Rules

	// Faster calls walk with the tree that the grammar would give, or one that
	// the rules cannot tell from it, if it can make it without the grammar.
	Faster func(src []byte, walk func(nodes []treesitter.Node)) bool

	Read func(src []byte, parse ParseFunc) *File // for languages without rules

	// Around adds to a file that was read by rules what the text around the code holds.
	Around func(f *File, src []byte, parse ParseFunc)

	// Repair returns src in words that the grammar can read: of the same length and
	// with the same line breaks, so that every place stays where it is. It is asked
	// where a text does not fit the grammar.
	Repair func(src []byte) []byte

	// Misfit is asked before the grammar is: it returns the repaired text if it knows
	// that the grammar cannot read src.
	Misfit func(src []byte) (repaired []byte, ok bool)

	// RepairMisfits says that most texts that Misfit repairs need Repair, too, and have errors
	// even then: they are parsed as repaired at once.
	RepairMisfits bool

	// Recovery reads what follows an error. Nil leaves it unread.
	Recovery *Recovery

	once     sync.Once // guards what follows
	compiled *program
	err      error
}

// A Form says what a file has to do with the classes and ids of style sheets.
type Form int

// The forms.
const (
	NoForm Form = iota
	Page        // HTML and templates, with styles and scripts in them
	Sheet       // a style sheet
	Script      // code that may hold markup and select elements
)

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
	if s.Faster != nil && s.Faster(src, func(nodes []treesitter.Node) { p.walk(f, src, src, nodes) }) {
		return f, nil
	}
	f, err = s.readTree(p, f, src)
	if err != nil {
		return nil, err
	}
	if s.Around != nil && len(src) <= MaxBytes {
		s.Around(f, src, embedded)
	}
	return f, nil
}

// readTree reads src by the grammar into f, or into another File.
func (s *Spec) readTree(p *program, f *File, src []byte) (*File, error) {
	limit := treesitter.Limit{Work: treesitter.Work(len(src)), Nodes: MaxNodes, Bytes: MaxBytes,
		Keep: p.keep, Plain: s.Recovery != nil}
	tree, read, err := s.tree(p.Grammar, src, limit)
	if err != nil {
		return nil, err
	}
	defer tree.Release()
	f.Partial = tree.Why
	if len(tree.Nodes) > 0 {
		p.walk(f, src, read, tree.Nodes)
	}
	if !tree.HasError || s.Recovery == nil || tree.Truncated {
		return f, nil
	}
	return s.recovered(p, f, src, read, tree.Plain)
}
