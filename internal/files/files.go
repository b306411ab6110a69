// Package files lists the files of a project, classifies them, and reads their text.
//
// [List] sees what git sees: tracked files, and untracked ones that are not ignored; where
// it can, it does so without running git. Whatever is left out is counted with its reason.
// [Read] returns text in UTF-8, whatever the encoding of the file. A sweep follows no
// symbolic links, opens nothing outside the root, and writes nothing.
package files

import (
	"context"

	"codeintel/internal/project"
)

// An Entry is one file of a project.
type Entry struct {
	Path    string // relative to the root, with "/"
	Size    int64
	ModTime int64 // nanoseconds since 1970
	Class   Class // as far as path and size tell
}

// A Reason says why a path was left out of a listing.
type Reason string

// The reasons.
const (
	Ignored    Reason = "ignored"           // by .gitignore or git's own exclude files
	Excluded   Reason = "excluded"          // by exclude_patterns or .code-intelignore
	Nested     Reason = "nested_repository" // another repository, or a submodule
	Symlink    Reason = "symlink"           // its target, if inside, is listed itself
	Unreadable Reason = "unreadable"        // the system would not let us look
	Special    Reason = "special"           // device, socket or pipe
	Missing    Reason = "missing"           // a source_dirs folder that is not there
	TooMany    Reason = "too_many"          // more files than a listing holds
)

// A Skip is a path that was left out. A folder includes all that is in it.
type Skip struct {
	Path   string
	Reason Reason
	Detail string // the system's error, the link's target; may be ""
}

// A Listing is the result of a sweep.
type Listing struct {
	Entries []Entry        // sorted by path
	Skipped map[Reason]int // all that was left out, counted
	Skips   []Skip         // up to 200 of each reason, sorted by path
	Notes   []string       // what makes the listing less sure, such as a missing git
	Partly  []string       // folders of which something was left out, sorted; "" is the root
}

// List sweeps the project of p once and returns its files, sorted by path. To
// list repeatedly, keep a [Lister].
func List(ctx context.Context, p *project.Project) ([]Entry, error) {
	l, err := NewLister(p).List(ctx)
	if err != nil {
		return nil, err
	}
	return l.Entries, nil
}
