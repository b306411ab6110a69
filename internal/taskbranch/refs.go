package taskbranch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/git"
)

// A Ref is one thing that is kept under refs/code-intel/.
type Ref struct {
	Name   string
	Commit string
	Since  time.Time // when it was kept
	Only   int       // commits that no branch, tag or remote branch holds
}

// Refs returns what is kept under refs/code-intel/done, trash and backup, sorted
// by name.
func Refs(ctx context.Context, r *git.Repo) ([]Ref, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(committerdate:unix)",
		namespace+"backup/", namespace+"done/", namespace+"trash/")
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(out) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ") // a ref's name holds no space
		commit, date, _ := strings.Cut(rest, " ")
		seconds, err := strconv.ParseInt(date, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("taskbranch: %s names no commit", name)
		}
		ref := Ref{Name: name, Commit: commit, Since: time.Unix(seconds, 0)}
		if kept, err := keptAt(ctx, r, name); err != nil {
			return nil, err
		} else if kept.After(ref.Since) {
			ref.Since = kept
		}
		if ref.Only, err = Only(ctx, r, commit, ""); err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// keptAt returns when the ref was made, by its reflog: the commit may be older.
// It is the zero time where there is no reflog.
func keptAt(ctx context.Context, r *git.Repo, ref string) (time.Time, error) {
	out, err := r.Run(ctx, "reflog", "show", "--date=unix", "--format=%gd", "-n", "1", ref, "--")
	if err != nil {
		return time.Time{}, err
	}
	_, at, _ := strings.Cut(strings.TrimSpace(out), "@{")
	seconds, err := strconv.ParseInt(strings.TrimSuffix(at, "}"), 10, 64)
	if err != nil {
		return time.Time{}, nil
	}
	return time.Unix(seconds, 0), nil
}

// Only counts the commits reachable from commit that no branch, tag or remote branch contains,
// apart from the branch without.
func Only(ctx context.Context, r *git.Repo, commit, without string) (int, error) {
	args := []string{"rev-list", "--count", commit, "--not"}
	if without != "" {
		args = append(args, "--exclude="+without)
	}
	out, err := r.Run(ctx, append(args, "--branches", "--tags", "--remotes")...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(out))
}
