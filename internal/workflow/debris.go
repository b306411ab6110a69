package workflow

import (
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/conceal"
)

// What no change is to leave in a file.
var (
	opensConflict  = lazyregexp.MustCompile(`(?m)^<<<<<<< `)
	closesConflict = lazyregexp.MustCompile(`(?m)^>>>>>>> `)
)

// BringsConflict reports whether a file holds conflict markers that it did not hold before.
func BringsConflict(now, before []byte) bool {
	return opensConflict.Match(now) && closesConflict.Match(now) && !opensConflict.Match(before)
}

// BringsSecret reports whether a file holds what looks like a key or token, and held none before.
func BringsSecret(now, before []byte) bool { return holdsSecret(now) && !holdsSecret(before) }

func holdsSecret(text []byte) bool { return conceal.Holds(text) || conceal.Begins(text) }
