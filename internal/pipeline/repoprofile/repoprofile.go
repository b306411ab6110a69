// Package repoprofile describes a repository: its languages, how it is built and tested, and
// which frameworks it uses.
//
// It reads the files that say so, runs nothing and writes nothing. The profile goes into
// every prompt of a pipeline, so it is short: folders with examples and test data, and what
// is deep in the tree, are left out.
package repoprofile

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/project"
)

// A Profile is what is known of a repository.
type Profile struct {
	Languages  []Language // most first
	Build      []Command
	Test       []Command
	Frameworks []string // frameworks and libraries that shape the code, sorted
	CI         []string // sorted
	Linters    []string // linters and formatters, sorted

	root string
	from map[string]stamp // what it follows from, as it was
}

// Read looks at the repository whose root is root. What exclude_patterns leaves out
// does not count; source_dirs, which say what to index, do not matter here.
func Read(ctx context.Context, root string) (Profile, error) {
	p, err := project.OpenRoot(root)
	if err != nil {
		return Profile{}, err
	}
	p.Config.SourceDirs = nil
	entries, err := files.List(ctx, p)
	if err != nil {
		return Profile{}, fmt.Errorf("repoprofile: %w", err)
	}
	from := stampsOf(root, entries) // before it is read: what changes meanwhile has changed
	made := parts(p, entries)
	read := Profile{
		root: root, from: from,
		Languages: languages(p, entries),
		CI:        ciOf(entries), Frameworks: made.frameworks, Linters: made.linters,
	}
	read.Build, read.Test = commands(p, entries)
	return read, ctx.Err()
}

// Folders whose files say nothing of the repository itself: wherever they are, and,
// because packages are called like that, too, near the root only.
var (
	asides = []string{"testdata", "fixtures", "__fixtures__", "third_party", "vendor", "node_modules",
		".specs", project.Dir}
	nearAsides = []string{"example", "examples", "sample", "samples", "demo", "demos"}
)

// near is how many folders down from the root are near it.
const near = 2

// isAside reports whether a file is in such a folder.
func isAside(e files.Entry) bool {
	if e.Class != files.Source && e.Class != files.Generated {
		return true
	}
	for i, folder := range strings.Split(path.Dir(e.Path), "/") {
		folder = strings.ToLower(strings.TrimLeft(folder, "_"))
		if slices.Contains(asides, folder) || i < near && slices.Contains(nearAsides, folder) {
			return true
		}
	}
	return false
}
