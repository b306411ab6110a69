// Package profile says what kind of repository one is in: its languages, how it is
// built and tested, and what it is made with.
//
// It reads the files that say so, runs nothing and writes nothing.
package profile

import (
	"context"

	"codeintel/internal/files"
	"codeintel/internal/project"
)

// A Profile is what is known of a repository.
type Profile struct {
	Languages []Language
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
		return Profile{}, err
	}
	return Profile{Languages: languages(p, entries)}, nil
}
