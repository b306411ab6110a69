// Package git runs the git command in one repository.
//
// It promises typed answers: names come NUL-separated, so any name that git can
// hold arrives unchanged; a failure is an [Error] with git's own words; what a
// repository can be in the way of a caller (none, bare, unborn, detached, in the
// middle of a merge) has a type or a field of its own. The environment of a
// surrounding git hook never leaks in.
//
// It knows nothing of sessions or task branches, and decides nothing.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Repo is one working tree of a repository.
type Repo struct {
	Dir       string // top level of this working tree, absolute, symlinks resolved
	GitDir    string // state of this working tree: HEAD, index
	CommonDir string // what all working trees share: objects, refs. Equal to GitDir in the main one

	// Superproject is the top level of the repository that this one is a
	// submodule of, or empty.
	Superproject string

	// Before is called before each command, with its arguments; an error keeps it
	// from running and is returned. It is nil after [Open]: set it to watch a
	// sequence of commands, or to stop one in the middle.
	Before func(args []string) error
}

// Linked reports whether the working tree was made by git worktree add.
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// A NotRepository error says that a directory belongs to no git repository, or
// to one without a working tree.
type NotRepository struct {
	Dir  string
	Bare bool // a repository, but bare, or the inside of a .git directory
}

func (e *NotRepository) Error() string {
	if e.Bare {
		return fmt.Sprintf("git: %q has no working tree", e.Dir)
	}
	return fmt.Sprintf("git: %q is in no repository", e.Dir)
}

// ErrNoGit says that the git command is not installed.
var ErrNoGit = errors.New("git: the git command is not installed")

// Open finds the repository around a directory. It returns a *[NotRepository]
// if there is none with a working tree.
func Open(ctx context.Context, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("git: open %q: %w", dir, err)
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("git: open: %w", err)
	} else if !info.IsDir() {
		abs = filepath.Dir(abs)
	}
	at := &Repo{Dir: abs}
	out, err := at.Run(ctx, "rev-parse", "--is-bare-repository", "--is-inside-work-tree")
	if e := (*Error)(nil); errors.As(err, &e) && strings.Contains(e.Stderr, "not a git repository") {
		return nil, &NotRepository{Dir: abs}
	}
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(out) != "false\ntrue" {
		return nil, &NotRepository{Dir: abs, Bare: true}
	}
	// A directory's name may hold a line break, so each is asked for by itself.
	var r Repo
	for _, q := range []struct {
		into *string
		flag string
	}{{&r.Dir, "--show-toplevel"}, {&r.GitDir, "--absolute-git-dir"}, {&r.CommonDir, "--git-common-dir"}, {&r.Superproject, "--show-superproject-working-tree"}} {
		out, err := at.Run(ctx, "rev-parse", q.flag)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(out, "\n")
		if name == "" {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(abs, name)
		}
		if *q.into, err = filepath.EvalSymlinks(filepath.FromSlash(name)); err != nil {
			return nil, fmt.Errorf("git: open %q: %w", dir, err)
		}
	}
	return &r, nil
}
