// Package branch gives a session its place in git: a task branch, what changed
// on it, the commit, the merge.
//
// Nothing is ever lost. What the user had not committed is kept in a backup ref
// before the branch is made, what a review throws out and what a stale branch
// held in trash refs, the tip of a merged branch in a done ref, all under
// refs/code-intel/. The user's working tree is changed only by switching
// branches, which git refuses where it would overwrite something.
package branch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/problem"
)

// Codes of repositories in which no task branch can be made or used.
const (
	DetachedHead   problem.Code = "detached_head"
	UnbornHead     problem.Code = "unborn_head"
	InProgress     problem.Code = "operation_in_progress"
	OnTaskBranch   problem.Code = "on_task_branch"
	BranchExists   problem.Code = "branch_exists"
	CommitFailed   problem.Code = "commit_failed"
	MergeConflict  problem.Code = "merge_conflict"
	CheckoutFailed problem.Code = "checkout_failed"
)

// Prefix begins the name of every task branch.
const Prefix = "llm_task_"

// own is our folder in a project. It is never part of a change.
const own = ".code-intel"

// A Task is the branch of one session. It is kept in the session's state;
// nothing is read back out of a branch's name.
type Task struct {
	Name       string   `json:"name"`
	Base       string   `json:"base"`                 // the branch it came from and goes back to
	BaseCommit string   `json:"base_commit"`          // where it came from
	UserFiles  []string `json:"user_files,omitempty"` // files that differed from the base commit before
	Backup     string   `json:"backup,omitempty"`     // ref that keeps them as they were
}

// Name returns the name of a session's task branch.
func Name(session, base string) string {
	return Prefix + session + "_from_" + base
}

// Ready returns a Problem if no task branch can be made now.
func Ready(ctx context.Context, r *git.Repo) error {
	if op := r.InProgress(); op != "" {
		return problem.New(InProgress, fmt.Sprintf("The repository is in the middle of a %s.", op),
			fmt.Sprintf("Finish it, or git %s --abort, and start again.", op))
	}
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return err
	}
	if on == "" {
		return problem.New(DetachedHead, "HEAD is detached: there is no branch to merge the work into.", "git switch BRANCH, or git switch -c BRANCH.")
	}
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return problem.New(UnbornHead, fmt.Sprintf("Branch %s has no commit yet.", on), `git commit --allow-empty -m "Begin"`)
	}
	if strings.HasPrefix(on, Prefix) {
		return problem.New(OnTaskBranch, fmt.Sprintf("HEAD is on %s, which belongs to no session that can go on.", on),
			"Ask the user which branch to work on, and git switch to it. The task branch stays as it is.")
	}
	return nil
}

// Create makes the session's task branch where HEAD is and switches to it. What
// the user has not committed stays in the working tree as it is, and a copy of it
// is kept under refs/code-intel/backup/. Called again for the same session, it
// takes up the branch that is there.
func Create(ctx context.Context, r *git.Repo, session string) (Task, error) {
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return Task{}, err
	}
	if strings.HasPrefix(on, Prefix+session+"_from_") { // made before a crash
		return resume(ctx, r, on)
	}
	if err := Ready(ctx, r); err != nil {
		return Task{}, err
	}
	t := Task{Name: Name(session, on), Base: on}
	if t.BaseCommit, err = r.Head(ctx); err != nil {
		return Task{}, err
	}
	dirty, err := Changes(ctx, r, t.BaseCommit)
	if err != nil {
		return Task{}, err
	}
	if len(dirty) > 0 {
		t.UserFiles = paths(dirty)
		if t.Backup, err = backup(ctx, r, "backup/"+session, "What the user had not committed when "+t.Name+" was made", t.BaseCommit); err != nil {
			return Task{}, err
		}
	}
	for key, value := range map[string]string{"base": t.Base, "basecommit": t.BaseCommit, "backup": t.Backup} {
		if value == "" {
			continue
		}
		if _, err := r.Run(ctx, "config", "--local", setting(t.Name, key), value); err != nil {
			return Task{}, err
		}
	}
	if _, err := r.Run(ctx, "switch", "--quiet", "--no-guess", "-c", t.Name); err != nil {
		return Task{}, refused(err, CheckoutFailed, "git could not make the branch "+t.Name+".", "Mend what git says and submit again.")
	}
	return t, nil
}

// setting names what is kept of a task branch in the repository's configuration,
// so that a branch whose checkpoint is gone still knows its base.
func setting(branch, key string) string { return "branch." + branch + ".codeintel" + key }

// recorded returns a setting of a task branch; "" if there is none.
func recorded(ctx context.Context, r *git.Repo, branch, key string) (string, error) {
	out, err := r.Run(ctx, "config", "--local", "--get", setting(branch, key))
	var failed *git.Error
	if errors.As(err, &failed) && failed.Exit == 1 {
		return "", nil
	}
	return strings.TrimRight(out, "\n"), err
}

// resume reads back a branch that was made just before the process died.
func resume(ctx context.Context, r *git.Repo, name string) (t Task, err error) {
	t.Name = name
	if t.Base, err = recorded(ctx, r, name, "base"); err != nil {
		return t, err
	}
	if t.BaseCommit, err = recorded(ctx, r, name, "basecommit"); err != nil {
		return t, err
	}
	if t.Backup, err = recorded(ctx, r, name, "backup"); err != nil || t.Backup == "" {
		return t, err
	}
	saved, err := r.Diff(ctx, t.BaseCommit, t.Backup)
	t.UserFiles = paths(saved)
	return t, err
}

// backup keeps the working tree as it is in a ref under refs/code-intel/.
func backup(ctx context.Context, r *git.Repo, name, message, parent string) (ref string, err error) {
	tree, err := Snapshot(ctx, r)
	if err != nil {
		return "", err
	}
	args := []string{"-c", "user.name=code-intel", "-c", "user.email=code-intel@localhost", "commit-tree", tree, "-m", message}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	commit, err := r.Run(ctx, args...) // works also where no identity is configured
	if err != nil {
		return "", err
	}
	ref = "refs/code-intel/" + name
	return ref, r.SetRef(ctx, ref, strings.TrimSpace(commit))
}

// Snapshot returns the tree that is the working tree as it is now. Our own folder
// is not in it beyond what is committed.
func Snapshot(ctx context.Context, r *git.Repo) (tree string, err error) {
	return r.Snapshot(ctx, own)
}

// Changes returns what differs from a commit or tree to the working tree,
// committed or not, sorted by path. Our own folder is never part of it.
func Changes(ctx context.Context, r *git.Repo, since string) ([]git.Change, error) {
	return ChangesSince(ctx, r, since)
}

// ChangesSince is [Changes] for a tree that [Snapshot] returned.
func ChangesSince(ctx context.Context, r *git.Repo, tree string) ([]git.Change, error) {
	if tree == "" { // before the first commit
		var err error
		if tree, err = r.EmptyTree(ctx); err != nil {
			return nil, err
		}
	}
	now, err := Snapshot(ctx, r)
	if err != nil {
		return nil, err
	}
	changes, err := r.Diff(ctx, tree, now)
	return slices.DeleteFunc(changes, func(c git.Change) bool { return ours(c.Path) && (c.OldPath == "" || ours(c.OldPath)) }), err
}

func ours(path string) bool { return path == own || strings.HasPrefix(path, own+"/") }

// Patch writes the difference from a commit to the working tree, for the paths.
func Patch(ctx context.Context, r *git.Repo, since string, paths []string, w io.Writer) error {
	now, err := Snapshot(ctx, r)
	if err != nil {
		return err
	}
	if since == "" {
		if since, err = r.EmptyTree(ctx); err != nil {
			return err
		}
	}
	return r.Patch(ctx, since, now, paths, w)
}

// paths returns the names of changed files, old and new, sorted.
func paths(changes []git.Change) (all []string) {
	for _, c := range changes {
		all = append(all, c.Path)
		if c.OldPath != "" {
			all = append(all, c.OldPath)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// refused makes a Problem of a git command that failed, with git's own words;
// any other error stays what it is.
func refused(err error, code problem.Code, what string, next ...string) error {
	var failed *git.Error
	if !errors.As(err, &failed) {
		return err
	}
	return problem.New(code, what+" git says:\n"+strings.TrimSpace(failed.Stderr), next...)
}
