package taskbranch

import (
	"context"
	"io"
	"slices"
	"strings"

	"codeintel/internal/git"
)

// own is our folder in a project. It is never part of a change.
const own = ".code-intel"

// isOurFolder reports whether a path leads into such a folder, at whatever depth: a
// project may be below the top of its repository.
func isOurFolder(path string) bool { return slices.Contains(strings.Split(path, "/"), own) }

// Snapshot writes the working tree as it is now to a tree object, and returns its id. Files of
// our own folder are in it as they were last staged.
func Snapshot(ctx context.Context, r *git.Repo) (tree string, err error) {
	return r.Snapshot(ctx, own)
}

// Changes returns what differs from a commit, or a tree such as [Snapshot] returns, to the
// working tree, committed or not, sorted by path. An empty since is the repository before its
// first commit. Our own folder is never part of it.
func Changes(ctx context.Context, r *git.Repo, since string) ([]git.Change, error) {
	now, err := Snapshot(ctx, r)
	if err != nil {
		return nil, err
	}
	return changesBetween(ctx, r, since, now)
}

func changesBetween(ctx context.Context, r *git.Repo, from, to string) (changes []git.Change, err error) {
	if from == "" {
		if from, err = r.EmptyTree(ctx); err != nil {
			return nil, err
		}
	}
	changes, err = r.Diff(ctx, from, to)
	return slices.DeleteFunc(changes, func(c git.Change) bool { return isOurFolder(c.Path) && (c.OldPath == "" || isOurFolder(c.OldPath)) }), err
}

// Listed returns the files of the working tree that git does not ignore, without those of
// our own folder, and what it ignores: files, and whole folders with a "/" behind them.
func Listed(ctx context.Context, r *git.Repo) (files, ignored []string, err error) {
	list := func(args ...string) ([]string, error) {
		out, err := r.Run(ctx, append([]string{"ls-files", "-z", "--exclude-standard"}, args...)...)
		names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		slices.Sort(names)
		return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || isOurFolder(name) }), err
	}
	if files, err = list("--cached", "--others"); err != nil {
		return nil, nil, err
	}
	ignored, err = list("--others", "--ignored", "--directory")
	return files, ignored, err
}

// Patch writes the difference from a commit or tree to the working tree as text,
// for the paths given, or for all. Our own folder is never part of it.
func Patch(ctx context.Context, r *git.Repo, since string, files []string, w io.Writer) error {
	now, err := Snapshot(ctx, r)
	if err != nil {
		return err
	}
	if since == "" {
		if since, err = r.EmptyTree(ctx); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		changes, err := changesBetween(ctx, r, since, now)
		if files = git.Paths(changes); err != nil || len(files) == 0 {
			return err
		}
	}
	return r.Patch(ctx, since, now, files, w)
}
