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

// ReleasedAtOnce reports whether a lock of Rust without a name is released where it is acquired. A lock on a
// file is not.
func ReleasedAtOnce(text string) bool {
	m := lockedAtOnce.FindStringSubmatch(text)
	return m != nil && !strings.HasSuffix(strings.ToLower(m[1]), "file")
}

// IsView reports whether a text of C++ declares a name to be a view of what others have: its copy changes theirs.
func IsView(text, name string) bool {
	return slices.ContainsFunc(viewed.FindAllStringSubmatch(text, -1), func(m []string) bool { return m[1] == name })
}
