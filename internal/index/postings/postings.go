// Package postings keeps immutable segments of an inverted index over source
// files, and ranks and looks up in them.
//
// A file is first turned into its forward index, see [Forward]: for each of its
// chunks which terms are in it how often and in which field, for each
// identifier where it occurs, for each declared name which symbols bear it. A
// [Builder] turns many of them round into one segment; the lists of one file
// are copied as they are, so that building and merging are little more than
// sorting. A [Segment] is read in place from bytes, mapped from a file where
// the system can. A [View] asks several segments at once and passes over files
// that are dead in one because a newer segment contains them.
//
// It promises that no bytes, however hostile, make it loop or panic within
// [segment.Guard]: damage is [ErrCorrupt], at opening or where a damaged block is read
// for the first time, as each block of a segment has a checksum. A file that is
// written to after that is recognised by [segment.File.Touched]. It knows nothing of
// languages or of where its files come from, and it never changes a file that
// it has written.
package postings

import "codeintel/internal/index/segment"

// ErrCorrupt says that bytes are not what this package wrote.
var ErrCorrupt = segment.ErrCorrupt

// A Field is a part of a chunk that is weighed on its own.
type Field uint8

// The fields. Every term of a chunk counts in Body; the others add to it.
const (
	Body      Field = iota
	Symbol          // names declared in the chunk
	Scope           // names around it
	Doc             // its comments
	Signature       // heads of its declarations
	Fields    = 5   // how many there are
)

// An Occurrence is one place of a name. Role is the caller's, below 8. Symbol is
// the caller's number of the symbol around it, or -1.
type Occurrence struct {
	Line, Column int
	Role         uint8
	Local        bool
	Symbol       int
	Qualifier    string
}

// A File is a file to be put into a segment.
type File struct {
	Path       string
	Attributes []byte // the caller's; handed back by [Segment.Attributes]
	Outline    []byte // the caller's; handed back by [Segment.Outline]
	PathTerms  []PathTerm
	Forward    []byte // from [Forward.Encode]
}

// A PathTerm is a term of a file's path. Stem says how often it is in the
// name of the file itself, Folder how often in the folders above it; neither
// counts beyond 15.
type PathTerm struct {
	Term         string
	Stem, Folder int
}
