package branch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"codeintel/internal/git"
)

// A Conflict says that the task branch and its base change the same lines.
type Conflict struct{ Files []string }

func (c *Conflict) Error() string { return "merge conflict in " + strings.Join(c.Files, ", ") }

// Merge brings the task branch into its base with a merge commit, whose id it
// returns, and removes the branch; its tip is kept in a done ref. The merge is
// tried in memory first: with a *[Conflict] nothing has been touched. A branch
// without commits of its own is only removed, and the id is "".
//
// Each step may be repeated: a Merge that a crash cut short is finished by
// calling it again.
func Merge(ctx context.Context, r *git.Repo, t Task, message string) (string, error) {
	tip, err := r.Resolve(ctx, "refs/heads/"+t.Name)
	if err != nil || tip == "" {
		return "", errors.Join(err, missing(tip, t.Name))
	}
	base, err := r.Resolve(ctx, "refs/heads/"+t.Base)
	if err != nil || base == "" {
		return "", errors.Join(err, missing(base, t.Base))
	}
	merged := ""
	if tip != t.BaseCommit {
		if merged, err = mergeCommit(ctx, r, t, base, tip, message); err != nil {
			return "", err
		}
	}
	if err := leave(ctx, r, t, base, merged); err != nil {
		return "", err
	}
	return merged, remove(ctx, r, t.Name, tip, "done")
}

func missing(id, name string) error {
	if id != "" {
		return nil
	}
	return fmt.Errorf("branch %s is gone", name)
}

// mergeCommit makes the merge commit in memory. A base that holds the tip
// already was merged before a crash: it is the merge.
func mergeCommit(ctx context.Context, r *git.Repo, t Task, base, tip, message string) (string, error) {
	if _, err := r.Run(ctx, "merge-base", "--is-ancestor", tip, base); err == nil {
		return base, nil
	}
	out, err := r.Run(ctx, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", base, tip)
	fields := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	var failed *git.Error
	if errors.As(err, &failed) && failed.Exit == 1 {
		return "", &Conflict{fields[1:]}
	}
	if err != nil {
		return "", err
	}
	return r.CommitTree(ctx, fields[0], message, base, tip)
}

// leave moves the base to the merge and the working tree to the base.
//
// The base is moved by git itself, in the working tree that has it checked out:
// there the files follow, and git refuses if that would overwrite what the user
// has not committed.
func leave(ctx context.Context, r *git.Repo, t Task, base, merged string) error {
	where, err := r.Worktrees(ctx)
	if err != nil {
		return err
	}
	at := r
	if dir, ok := where[t.Base]; ok && dir != r.Dir {
		if at, err = git.Open(ctx, dir); err != nil {
			return err
		}
		// The base stays in its own working tree; this one is left on the merge.
		if merged == "" {
			merged = base
		}
		if err := forward(ctx, at, merged); err != nil {
			return err
		}
		_, err = r.Run(ctx, "switch", "--quiet", "--detach", merged)
		return refused(err, CheckoutFailed, "The working tree could not leave the task branch.", "Mend what git says and submit again.")
	}
	if on, err := r.CurrentBranch(ctx); err != nil {
		return err
	} else if on != t.Base {
		if err := switchTo(ctx, r, t.Base, merged); err != nil {
			return err
		}
	}
	if merged == "" {
		return nil
	}
	return forward(ctx, r, merged)
}

// switchTo switches to the base. A user's own uncommitted change to a file that
// the task also changed stands in the way of the base but not of the merge, so
// the switch goes by way of the merge, which holds the file as it is now.
func switchTo(ctx context.Context, r *git.Repo, base, merged string) error {
	_, err := r.Run(ctx, "switch", "--quiet", "--no-guess", base)
	if err == nil || merged == "" {
		return refused(err, CheckoutFailed, "git could not switch to "+base+".", "Mend what git says and submit again.")
	}
	return refused(err, CheckoutFailed, fmt.Sprintf("git could not switch to %s. The merge is ready as %s.", base, merged),
		"Put what git names out of the way and submit again.")
}

// forward moves the branch that is checked out, and its files, to the merge.
func forward(ctx context.Context, r *git.Repo, merged string) error {
	if head, err := r.Head(ctx); err != nil || head == merged {
		return err
	}
	_, err := r.Run(ctx, "merge", "--quiet", "--ff-only", merged)
	return refused(err, CheckoutFailed, "The base branch could not be moved to the merge "+merged+".", "Mend what git says and submit again.")
}

// remove deletes a task branch after its tip was kept under
// refs/code-intel/<kind>/.
func remove(ctx context.Context, r *git.Repo, name, tip, kind string) error {
	if err := r.SetRef(ctx, "refs/code-intel/"+kind+"/"+name, tip); err != nil {
		return err
	}
	if err := r.DeleteRef(ctx, "refs/heads/"+name, tip); err != nil {
		return err
	}
	_, err := r.Run(ctx, "config", "--local", "--remove-section", "branch."+name)
	var failed *git.Error
	if errors.As(err, &failed) { // there was nothing to remove
		return nil
	}
	return err
}
