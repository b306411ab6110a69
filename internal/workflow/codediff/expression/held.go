package expression

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

var (
	lockedAtOnce = lazyregexp.MustCompile(`^([\w.]+)\.lock\(\)(?:\.(?:await|unwrap\(\)|expect\("[^"]*"\)))*$`)
	viewed       = lazyregexp.MustCompile(`\b(?:span|view|subrange)(?:<[^;(){}]*>)?\s+(\w+)`)
)

// LetsGoAtOnce reports whether a lock of Rust, given no name, is let go where it is taken. One of a file is not.
func LetsGoAtOnce(text string) bool {
	m := lockedAtOnce.FindStringSubmatch(text)
	return m != nil && !strings.HasSuffix(strings.ToLower(m[1]), "file")
}

// IsView reports whether a text of C++ declares a name to be a view of what others have: its copy changes theirs.
func IsView(text, name string) bool {
	return slices.ContainsFunc(viewed.FindAllStringSubmatch(text, -1), func(m []string) bool { return m[1] == name })
}
