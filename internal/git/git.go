// Package git runs the git command in one repository.
//
// Its answers are typed: names are read NUL-separated, so any name that git can hold arrives
// unchanged; a failure is an [Error] with git's own words; each state of a repository that
// a caller must handle (none, bare, unborn, detached, in the middle of a merge) has a type
// or a field of its own. The environment of a surrounding git hook never leaks in.
//
// It knows nothing of sessions or task branches, and decides nothing.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Repo is one working tree of a repository.
type Repo struct {
	Dir       string // top level of this working tree, absolute, symlinks resolved
	GitDir    string // state of this working tree: HEAD, index
	CommonDir string // what all working trees share: objects, refs. Equal to GitDir in the main one

	// Before is called before each command, with its arguments; an error keeps it
	// from running and is returned. It is nil after [Open]: set it to watch a
	// sequence of commands, or to stop one in the middle.
	Before func(args []string) error
	// After is called when a command that Before let run has ended, whatever came of it.
	After func(args []string)

	hold    bool // see Hold
	held    held
	objects string // the folder that new objects go to, see Aside; "" for that of the repository

	maxCPU    time.Duration // processor time of a command that reads; 0: see cpuTime
	patience  time.Duration // see watch; 0: the constant
	maxStored int64         // see storable; 0: the constant
}

// held caches what a Repo has read since [Repo.Hold].
type held struct {
	trees map[string]string   // snapshots, by what they exclude
	lines map[string]line     // what commands answered that ask for a line, by their arguments
	diffs map[string][]Change // of trees, by their ids: these are never out of date
}

// A line is an answer of git.
type line struct {
	text string
	err  *Error
}

// Hold makes [Repo.Snapshot] and all questions about refs and commits read the
// repository once and reuse the answers, until a command of this Repo changes the
// repository or its files. A Repo that is held is for one goroutine. Calling Hold again
// reads anew.
func (r *Repo) Hold() { r.hold, r.held = true, held{} }

// LookAtRefs makes a held Repo read its refs again, but not the files. Call it before a commit,
// for example, because another branch may have been checked out.
func (r *Repo) LookAtRefs() { r.held.lines = nil }

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
var ErrNoGit error = noGit{}

// noGit is an [exec.ErrNotFound], too, for packages that do not know git.
type noGit struct{}

func (noGit) Error() string { return "git: the git command is not installed" }
func (noGit) Unwrap() error { return exec.ErrNotFound }

// Open finds the repository around a directory. It returns a *[NotRepository]
// if there is none with a working tree. It waits, a few seconds at most, for a git
// that a killed process of this program had started.
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
	names, err := locate(ctx, abs)
	if err != nil {
		return nil, err
	}
	var r Repo
	for i, into := range []*string{&r.Dir, &r.GitDir, &r.CommonDir} {
		name := names[i]
		if !filepath.IsAbs(name) {
			name = filepath.Join(abs, name)
		}
		if *into, err = filepath.EvalSymlinks(filepath.FromSlash(name)); err != nil {
			return nil, fmt.Errorf("git: open %q: %w", dir, err)
		}
	}
	r.await(ctx)
	r.forget()
	return &r, nil
}

// locate asks git for the working tree, the .git directory and the common directory of
// the repository around a directory.
func locate(ctx context.Context, dir string) ([]string, error) {
	at := &Repo{Dir: dir}
	flags := []string{"--is-bare-repository", "--is-inside-work-tree",
		"--show-toplevel", "--absolute-git-dir", "--git-common-dir"}
	out, err := at.Run(ctx, append([]string{"rev-parse"}, flags...)...)
	if e := (*Error)(nil); errors.As(err, &e) {
		if strings.Contains(e.Stderr, "not a git repository") {
			return nil, &NotRepository{Dir: dir}
		}
		out = e.Stdout
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) > 1 && (lines[0] != "false" || lines[1] != "true") {
		return nil, &NotRepository{Dir: dir, Bare: true}
	}
	if err != nil {
		return nil, err
	}
	names := lines[min(2, len(lines)):]
	if len(names) == 3 {
		return names, nil
	}
	names = nil // a directory's name holds a line break: each is asked for by itself
	for _, flag := range flags[2:] {
		out, err := at.Run(ctx, "rev-parse", flag)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.TrimSuffix(out, "\n"))
	}
	return names, nil
}
