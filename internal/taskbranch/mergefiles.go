package taskbranch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/git"
)

// Carries reports whether a merge may bring a file of our own folder: the
// repository keeps the folder, its ignore rules let the file in, and no
// uncommitted file is in the way.
func Carries(ctx context.Context, r *git.Repo, file string) (bool, error) {
	kept, err := r.Run(ctx, "ls-tree", "-z", "--full-tree", "HEAD", "--", own+"/")
	if err != nil || kept == "" {
		return false, err
	}
	known, err := r.Run(ctx, "ls-files", "-z", "--", file)
	if err != nil {
		return false, err
	}
	_, err = os.Lstat(filepath.Join(r.Dir, filepath.FromSlash(file)))
	switch there := err == nil; {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("taskbranch: %w", err)
	case there != (known != ""): // untracked, or removed by the user
		return false, nil
	case there:
		clean, err := r.Clean(ctx, file)
		return clean, err
	}
	ignored, err := r.Ignored(ctx, file)
	return !ignored, err
}

// Done returns what a task branch changed, whether it is merged already or not.
// Our own folder is never part of it.
func Done(ctx context.Context, r *git.Repo, t Task) ([]git.Change, error) {
	for _, ref := range []string{heads + t.Name, namespace + "done/" + t.Name} {
		tip, err := r.Resolve(ctx, ref)
		if err != nil {
			return nil, err
		}
		if tip != "" {
			return changesBetween(ctx, r, t.BaseCommit, tip)
		}
	}
	return nil, nil
}
