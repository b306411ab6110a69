package taskbranch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
)

// A keptTree is the working tree and the index at one moment, on their way into
// a ref. It is a commit as git stash makes them, so that git stash apply takes
// it: its tree is the working tree, untracked files included; its parents are
// the commit that was checked out and, if the index was another, that.
type keptTree struct {
	kind, name, message string
	parent              string // the commit that was checked out
	tree, index         string // index is "" if it is as the parent, or in conflict
}

// keepTree takes the working tree as it is now. The ref will be
// refs/code-intel/<kind>/<name>.
func keepTree(ctx context.Context, r *git.Repo, kind, name, message, parent string) (k keptTree, err error) {
	k = keptTree{kind: kind, name: name, message: message, parent: parent}
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

// readKept reads back what a ref keeps.
func readKept(ctx context.Context, r *git.Repo, ref string) (k keptTree, err error) {
	if k.tree, err = r.Tree(ctx, ref); err != nil {
		return k, err
	}
	if k.tree == "" {
		return k, fmt.Errorf("taskbranch: %s is gone", ref)
	}
	k.index, err = r.Tree(ctx, ref+"^2")
	return k, err
}

// files returns what differs in the keepsake from a commit, ours left out.
func (k keptTree) files(ctx context.Context, r *git.Repo, commit string) (names []string, err error) {
	for _, tree := range []string{k.tree, k.index} {
		if tree == "" {
			continue
		}
		changes, err := r.Diff(ctx, commit, tree)
		if err != nil {
			return nil, err
		}
		names = append(names, git.Paths(changes)...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), isOurFolder), nil
}

// commit puts the keepsake into its ref and returns that. One that a crash left
// there is taken for it if it holds the same.
func (k keptTree) commit(ctx context.Context, r *git.Repo) (ref string, err error) {
	held := func(there string) (bool, error) {
		tree, err := r.Tree(ctx, there)
		if err != nil || tree != k.tree {
			return false, err
		}
		index, err := r.Tree(ctx, there+"^2")
		return index == k.index, err
	}
	first := namespace + k.kind + "/" + k.name
	if same, err := held(first); err != nil || same {
		return first, err
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
	return pinLike(ctx, r, k.kind, k.name, id, held)
}

const namespace = "refs/code-intel/"

// pin makes refs/code-intel/<kind>/<name> name a commit, or, if that names
// another one already or cannot be made beside the refs that are there (git keeps
// no a/b beside a), the same without slashes and with a number. It returns the
// ref.
func pin(ctx context.Context, r *git.Repo, kind, name, commit string) (ref string, err error) {
	return pinLike(ctx, r, kind, name, commit, func(there string) (bool, error) { return there == commit, nil })
}

// pinLike is pin, unless a ref keeps a commit that is as good already.
func pinLike(ctx context.Context, r *git.Repo, kind, name, commit string,
	held func(there string) (bool, error)) (ref string, err error) {
	const enough = 5 // names that are free and cannot be made: then something else is wrong, as a hook that forbids it
	for n, failures := 1, 0; ; n++ {
		ref = namespace + kind + "/" + name
		if n > 1 {
			ref = fmt.Sprintf("%s%s/%s-%d", namespace, kind, strings.ReplaceAll(name, "/", "%2F"), n)
		}
		there, err := r.Resolve(ctx, ref)
		if err != nil {
			return ref, err
		}
		if there == "" {
			failed := r.MoveRef(ctx, ref, commit, "", "code-intel: keep")
			if failed == nil {
				return ref, nil
			}
			// It may have been made meanwhile, by a git that outlived the call which began it.
			if there, err = r.Resolve(ctx, ref); err != nil {
				return ref, errors.Join(failed, err)
			}
			locked := (*git.Error)(nil) // then the name is free, and another one no better
			if failures++; there == "" &&
				(git.ExitCode(failed) < 0 || failures == enough || errors.As(failed, &locked) && locked.Locked()) {
				return ref, refused(failed, KeepFailed, msg.New("taskbranch.git_could_not_make_ref", ref),
					msg.New("taskbranch.fix_what_git_says_submit"))
			}
		}
		if there == "" {
			continue
		}
		if same, err := held(there); err != nil || same {
			return ref, err
		}
	}
}
