// Package files says which files belong to a project, what they are, and what
// they say.
//
// [List] sees what git sees: tracked files and untracked ones that are not
// ignored, without ever waiting for git where it need not. Whatever is left out
// is counted with its reason. [Read] gives text in UTF-8 whatever the file is
// written in. Symbolic links are not followed in a sweep, nothing outside the
// root is ever opened, and nothing is written.
package files

import (
	"context"
	"time"

	"codeintel/internal/charset"
	"codeintel/internal/project"
)

// An Entry is one file of a project.
type Entry struct {
	Path    string // relative to the root, with "/"
	Size    int64
	ModTime time.Time
	Class   Class // as far as path and size tell; see [Classify]
}

// A Class says what a file is to a search.
type Class string

// The classes. Secret, Binary and TooLarge files are never indexed; Generated,
// Vendored and Minified ones are, and rank low.
const (
	Source    Class = "source"
	Generated Class = "generated"
	Vendored  Class = "vendored"
	Minified  Class = "minified"
	Binary    Class = "binary"
	TooLarge  Class = "too_large"
	Secret    Class = "secret"
)

// Indexed reports whether files of class c are indexed.
func (c Class) Indexed() bool { return c != Binary && c != TooLarge && c != Secret }

// A Reason says why a path was left out of a listing.
type Reason string

// The reasons.
const (
	Ignored     Reason = "ignored"           // by .gitignore or git's own exclude files
	ExcludedBy  Reason = "excluded"          // by exclude_patterns or .code-intelignore
	Nested      Reason = "nested_repository" // another repository, or a submodule
	Symlink     Reason = "symlink"           // its target, if inside, is listed itself
	Unreadable  Reason = "unreadable"        // the system would not let us look
	Special     Reason = "special"           // device, socket or pipe
	Missing     Reason = "missing"           // a source_dirs folder that is not there
	Overflowing Reason = "too_many"          // more files than a listing holds
)

// A Skip is a path that was left out. A folder stands for all that is in it.
type Skip struct {
	Path   string
	Reason Reason
	Detail string // the system's error, the link's target, …; may be ""
}

// A Listing is the result of a sweep.
type Listing struct {
	Entries []Entry        // sorted by path
	Skipped map[Reason]int // all that was left out, counted
	Skips   []Skip         // the first of them, and all unreadable ones, sorted by path
	Notes   []string       // what made the listing less sure, such as a missing git
}

// A Lister lists the files of one project, again and again. It remembers what it
// asked git for as long as the git index and the ignore files stay the same. It is
// safe for concurrent use.
type Lister struct{ p *project.Project }

// NewLister returns a Lister for p.
func NewLister(p *project.Project) *Lister { return &Lister{p: p} }

// List sweeps the project.
func (l *Lister) List(ctx context.Context) (*Listing, error) { return &Listing{}, nil }

// List returns the files of p, sorted by path. It is [Lister.List] for one who
// asks once.
func List(ctx context.Context, p *project.Project) ([]Entry, error) {
	l, err := NewLister(p).List(ctx)
	if err != nil {
		return nil, err
	}
	return l.Entries, nil
}

// A Text is the content of a file.
type Text struct {
	Path    string // as resolved
	Bytes   []byte // valid UTF-8
	Charset charset.Charset
	Hash    string // hex SHA-256 of the file as it is on disk
	Size    int64  // bytes on disk
	ModTime time.Time
	Class   Class // with the content seen
}

// Read returns the content of the file at path, confined to p. A binary, secret,
// too large or missing file, or what is no file, is a Problem.
func Read(p *project.Project, path string) (Text, error) { return Text{}, nil }

// Classify says what the file at path is. Head is its first bytes (8 KiB tell
// enough) or nil, if only path and size are to be judged. A size above
// the default max_file_bytes is too large; -1 is never.
func Classify(path string, head []byte, size int64) Class { return Source }
