package workflow

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/redact"
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

// turned are the characters that have an editor show code in another order than a compiler reads it. The
// marks that texts from right to left are written with are none.
const turned = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

// BringsHidden reports whether a text holds such characters, and held none before.
func BringsHidden(now, before []byte) bool {
	return bytes.ContainsAny(now, turned) && !bytes.ContainsRune(now, 0) && !bytes.ContainsAny(before, turned)
}

func holdsSecret(text []byte) bool { return redact.ContainsKey(text) || redact.Begins(text) }
