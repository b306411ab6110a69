// Package ignore says which paths gitignore patterns exclude.
//
// It follows git to the letter: wildmatch, negation, patterns for directories
// only, anchored patterns, "**", escapes, and nested files of which the deeper
// one wins. It reads no files; the caller brings the text of each.
package ignore

// A Kind says whether a path is a directory; some patterns match only those.
type Kind int

// The kinds of a path.
const (
	File Kind = iota
	Dir
)

// A Verdict is what patterns say about one path.
type Verdict int

// The verdicts.
const (
	None     Verdict = iota // no pattern matches
	Excluded                // the last pattern that matches excludes the path
	Included                // the last pattern that matches is a negated one
)

// Patterns are the patterns of one file, such as a .gitignore.
type Patterns struct {
	base string // directory the patterns are relative to, "" or ending in "/"
}

// Parse reads the patterns in text, the content of a file in directory base
// (relative to the root, with "/", "" for the root itself). Lines that are no
// pattern are passed over, as git does; Parse never fails.
func Parse(base string, text []byte) *Patterns { return &Patterns{} }

// Len returns the number of patterns.
func (p *Patterns) Len() int { return 0 }

// Match returns what the patterns of this file alone say about path, which is
// relative to the root. It does not ask about the directories above path.
func (p *Patterns) Match(path string, kind Kind) Verdict { return None }

// A Chain is a list of Patterns of which the last has the first word. Chains
// are immutable and share their tails, so that each directory of a walk can
// hold its own. The nil Chain is empty.
type Chain struct {
	outer *Chain
	last  *Patterns
}

// With returns the chain c with p added at the strong end.
func (c *Chain) With(p *Patterns) *Chain { return &Chain{outer: c, last: p} }

// Match returns what the chain says about path itself.
func (c *Chain) Match(path string, kind Kind) Verdict { return None }

// MatchTree returns what the chain says about path, once a directory above it is
// excluded, everything below is. It is the question to ask outside of a walk.
func (c *Chain) MatchTree(path string, kind Kind) Verdict { return None }
