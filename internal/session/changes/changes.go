// Package changes determines what a session changed in the working tree, and which of these changes nobody
// has approved. Handlers, verifiers and reviews take the change from here; a call opens a [Tree] once, and
// sees the files as they were then.
package changes

import (
	"context"
	"errors"
	"slices"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/filehashes"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/workflow"
)

// A Tree is the working tree of a session, as one call sees it.
type Tree struct {
	workflow.Turn // its Repo is opened when it is needed, see Open
	Project       *project.Project
	State         *state.State
	Ledger        *audit.Ledger
	IsTest        func(file string) bool // nil: no file counts as a test
}

// Open opens the project's git repository, once for the turn: it sees the files
// as they are at one moment.
func (t *Tree) Open(ctx context.Context) (r *git.Repo, err error) {
	if t.Repo == nil {
		t.Repo, err = git.Open(ctx, t.Project.Root)
		if errors.As(err, new(*git.NotRepository)) ||
			err == nil && t.Repo.Dir != t.Project.Root && t.State.GitSettings != nil {
			t.Repo = nil
			return nil, problem.New(GitSettingsChanged, "session.git_takes_another_working_tree", t.Project.Root).
				Or("session.take_back_what_done_git").
				Or("session.give_up_and_keep_the_work", refusal.GiveUp())
		}
		if err != nil {
			return nil, err
		}
		t.Repo.Hold()
	}
	return t.Repo, nil
}

// Repository opens the project's git repository and sees to it that HEAD is where the
// session left it.
func (t *Tree) Repository(ctx context.Context) (*git.Repo, error) {
	r, err := t.Open(ctx)
	if err != nil || t.State.Branch == nil {
		return r, err
	}
	at, err := taskbranch.Elsewhere(ctx, r, t.State.Branch.Name)
	if err != nil {
		return nil, err
	}
	if !at.IsZero() {
		return nil, problem.New(taskbranch.WrongBranch, "session.session_works_branch_but_repository", t.State.Branch.Name, at).
			Or("session.git_switch", t.State.Branch.Name).
			Or("session.give_up_and_keep_the_work", refusal.GiveUp())
	}
	return r, nil
}

// Mark notes the files as they are now.
func (t *Tree) Mark(ctx context.Context) (m state.Mark, err error) {
	if !t.State.Git {
		m.Manifest, err = filehashes.Of(ctx, t.Project)
		return m, err
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return m, err
	}
	m.Tree, err = taskbranch.Snapshot(ctx, r)
	return m, err
}

// Since returns what differs between a mark and the files as they are now.
func (t *Tree) Since(ctx context.Context, m state.Mark) ([]git.Change, error) {
	if !t.State.Git {
		return filehashes.Changes(ctx, t.Project, m.Manifest)
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return nil, err
	}
	return taskbranch.Changes(ctx, r, m.Tree)
}

// Own returns the session's changes: what differs from its base commit, without
// what the user had changed before and the session left as it was.
func (t *Tree) Own(ctx context.Context) ([]git.Change, error) {
	return t.OwnSince(ctx, state.Mark{Tree: t.State.Base, Manifest: t.State.Start.Manifest})
}

// OwnSince returns what differs between a mark and the files as they are now, without
// [Tree.UsersFiles].
func (t *Tree) OwnSince(ctx context.Context, m state.Mark) ([]git.Change, error) {
	all, err := t.Since(ctx, m)
	if err != nil {
		return nil, err
	}
	theirs, err := t.UsersFiles(ctx)
	return slices.DeleteFunc(all, func(c git.Change) bool { return theirs[c.Path] && (c.OldPath == "" || theirs[c.OldPath]) }), err
}

// UsersFiles returns the files that the user had changed before the session began, and that
// are still as the user left them (known only with git), and those of which a person has said
// since that they are theirs.
func (t *Tree) UsersFiles(ctx context.Context) (map[string]bool, error) {
	left := make(map[string]bool)
	if t.State.Git {
		r, err := t.Open(ctx)
		if err != nil {
			return nil, err
		}
		if left, err = t.usersLeft(ctx, r); err != nil {
			return nil, err
		}
	}
	entries, err := t.Ledger.Since(0)
	if err != nil {
		return nil, err
	}
	for f, still := range t.answeredFor(entries)[Mine] {
		left[f] = left[f] || still
	}
	return left, nil
}

// usersLeft returns the files that the user had changed before the session began, and
// that are still as the user left them.
func (t *Tree) usersLeft(ctx context.Context, r *git.Repo) (map[string]bool, error) {
	left := make(map[string]bool)
	saved := t.State.Start.Tree // without a task branch nothing is committed, and the start is all there is
	var files []string
	if b := t.State.Branch; b != nil {
		if b.Backup == "" {
			return left, nil
		}
		saved, files = b.Backup, b.UserFiles
	} else {
		base := t.State.Base
		if base == "" { // before the first commit
			var err error
			if base, err = r.EmptyTree(ctx); err != nil {
				return nil, err
			}
		}
		before, err := r.Diff(ctx, base, saved)
		if err != nil {
			return nil, err
		}
		files = git.Paths(before)
	}
	since, err := taskbranch.Changes(ctx, r, saved)
	if err != nil {
		return nil, err
	}
	touched := git.Paths(since)
	for _, f := range files {
		left[f] = !slices.Contains(touched, f)
	}
	return left, nil
}

// Done returns what the session changed.
func (t *Tree) Done(ctx context.Context) ([]git.Change, error) {
	if t.State.Branch == nil {
		return t.Own(ctx)
	}
	r, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	return taskbranch.Done(ctx, r, *t.State.Branch)
}

// Before returns a file as it was when the session began; nothing if it was not there.
func (t *Tree) Before(ctx context.Context, file string) ([]byte, error) {
	r, err := t.Repository(ctx)
	if err != nil || t.State.Base == "" {
		return nil, err
	}
	data, err := r.Content(ctx, t.State.Base, file, int64(repofile.Records))
	if err != nil {
		return nil, nil // it was not there
	}
	return data, nil
}

// Fingerprint identifies the whole change as it is now, content included.
func (t *Tree) Fingerprint(ctx context.Context) (string, error) {
	if !t.State.Git {
		return filehashes.Fingerprint(ctx, t.Project)
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return "", err
	}
	return taskbranch.Snapshot(ctx, r)
}
