// Package memory keeps the Map of a project: agreements that past sessions learned, about which words mean
// which code.
//
// An agreement is a Markdown file under .code-intel/agreements, written by a session that
// succeeded or by a person, and kept in git: its front matter pairs phrases with symbols and
// files, its body is the evidence. A [Map] is all of them. A file that cannot be understood
// is reported, and the others are read all the same.
//
// The package knows nothing of the code. Callers find out whether a symbol still exists, and
// how close a phrase is to a question. It writes an agreement where it is told to, and marks
// those of a session once its outcome is known; it deletes none.
package memory

import (
	"crypto/sha256"
	"time"

	"codeintel/internal/platform/msg"
)

// An Outcome is how the session ended that an agreement comes from.
type Outcome string

// The outcomes. What failed is not an agreement any more and leaves the Map. Unknown
// is also what a session has learned that nobody has confirmed yet.
const (
	Unknown Outcome = ""
	Success Outcome = "success"
	Partial Outcome = "partial"
	Failure Outcome = "failure"
)

// An Agreement is one file: phrases that mean symbols or files.
type Agreement struct {
	Path       string   // of the file, relative to the root
	Phrases    []string // what people say, at least one
	Symbols    []string // what it means, plain or qualified, "path#name" too
	Files      []string // where, relative to the root
	Similarity float64  // calibrated, when it was learned; 0 if not noted
	Session    string
	Intent     string
	Outcome    Outcome
	LearnedAt  time.Time // zero if not noted
	Replaces   []string  // base names of agreements that it supersedes
	Evidence   string    // the body
	Lines      int       // of the file

	Sum [sha256.Size]byte // of the file, which trust is in; of one that was read

	Weight    float64 // from 0 to 1: less for what is old or came of half a success
	Confirmed int     // how many further agreements say the same
}

// A Fault is a file that cannot be read as an agreement, or an agreement that no longer
// counts.
type Fault struct {
	Path   string
	Reason msg.Message
}

// Half-lives and penalties of agreements. Age counts from the newest agreement,
// not from today: a project that rests forgets nothing, and the same files give
// the same answers at any time.
const (
	minAged     = 0.7
	halfLife    = 365 * 24 * time.Hour
	halfSuccess = 0.9  // of an agreement whose session succeeded in part
	unconfirmed = 0.95 // of one whose session's outcome nobody has confirmed
)

// A Map is every agreement that counts, newest first. It is immutable.
type Map struct {
	Agreements []*Agreement
	Faults     []Fault
	Superseded int // agreements that newer ones took the place of
	words      vocabulary
}

// A WeightedTerm is a term to add to a query, with its weight relative to the query's
// own terms, from 0 to 1.
type WeightedTerm struct {
	Term   string
	Weight float64
}
