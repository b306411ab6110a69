package branch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/git"
)

// A keepsake is the working tree and the index at one moment, on their way into
// a ref. It is a commit as git stash makes them, so that git stash apply takes
// it: its tree is the working tree, untracked files included; its parents are
// the commit that was checked out and, if the index was another, that.
type keepsake struct {
	kind, name, message string
	parent              string // the commit that was checked out
	tree, index         string // index is "" if it is as the parent, or in conflict
}

// keep takes the working tree as it is now. The ref will be
// refs/code-intel/<kind>/<name>.
func keep(ctx context.Context, r *git.Repo, kind, name, message, parent string) (k keepsake, err error) {
	k = keepsake{kind: kind, name: name, message: message, parent: parent}
	if k.tree, err = Snapshot(ctx, r); err != nil {
		return k, err
	}
	// A conflict has no tree; its files are in the working tree.
	unmerged, err := r.Unmerged(ctx)
	if err != nil || len(unmerged) > 0 {
		return k, err
	}
	if k.index, err = r.IndexTree(ctx); err != nil {
		return k, err
	}
	before, err := r.Tree(ctx, parent)
	if k.index == before {
		k.index = ""
	}
	return k, err
}

// kept reads back what a ref keeps.
func kept(ctx context.Context, r *git.Repo, ref string) (k keepsake, err error) {
	if k.tree, err = r.Tree(ctx, ref); err != nil {
		return k, err
	}
	if k.tree == "" {
		return k, fmt.Errorf("branch: %s is gone", ref)
	}
	k.index, err = r.Tree(ctx, ref+"^2")
	return k, err
}

// files returns what differs in the keepsake from a commit, ours left out.
func (k keepsake) files(ctx context.Context, r *git.Repo, commit string) (names []string, err error) {
	for _, tree := range []string{k.tree, k.index} {
		if tree == "" {
			continue
		}
		changes, err := r.Diff(ctx, commit, tree)
		if err != nil {
			return nil, err
		}
		names = append(names, paths(changes)...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), ours), nil
}

// commit puts the keepsake into its ref and returns that. One that a crash left
// there is taken for it if it holds the same.
func (k keepsake) commit(ctx context.Context, r *git.Repo) (ref string, err error) {
	first := namespace + k.kind + "/" + k.name
	if old, err := r.Tree(ctx, first); err != nil {
		return "", err
	} else if old == k.tree {
		if index, err := r.Tree(ctx, first+"^2"); err != nil || index == k.index {
			return first, err
		}
	}
	staged := ""
	if k.index != "" {
		if staged, err = r.KeepTree(ctx, k.index, "What was staged", k.parent); err != nil {
			return "", err
		}
	}
	id, err := r.KeepTree(ctx, k.tree, k.message, k.parent, staged)
	if err != nil {
		return "", err
	}
	return pin(ctx, r, k.kind, k.name, id)
}

const namespace = "refs/code-intel/"

// pin makes refs/code-intel/<kind>/<name> name a commit, or, if that names
// another one already or cannot be made beside the refs that are there (git keeps
// no a/b beside a), the same without slashes and with a number. It returns the
// ref.
func pin(ctx context.Context, r *git.Repo, kind, name, commit string) (ref string, err error) {
	const enough = 5 // names that are free and cannot be made: then something else is wrong, as a hook that forbids it
	for n, failed := 1, 0; ; n++ {
		ref = namespace + kind + "/" + name
		if n > 1 {
			ref = fmt.Sprintf("%s%s/%s-%d", namespace, kind, strings.ReplaceAll(name, "/", "%2F"), n)
		}
		there, err := r.Resolve(ctx, ref)
		if err != nil || there == commit {
			return ref, err
		}
		if there != "" {
			continue
		}
		err = r.MoveRef(ctx, ref, commit, "", "code-intel: keep")
		if failed++; err == nil || git.ExitCode(err) < 0 || failed == enough {
			return ref, refused(err, KeepFailed, "git could not make the ref "+ref+", which is to keep something.", "Mend what git says and submit again.")
		}
	}
}
