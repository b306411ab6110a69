package git

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/repofile"
)

// line runs a command that asks for a ref, a commit or a tree, and answers with one line.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	return r.cachedAnswer(strings.Join(args, "\x00"), func() (string, error) { return r.Run(ctx, args...) })
}

// cachedAnswer asks a question that is answered with one line, if the answer is not held.
func (r *Repo) cachedAnswer(question string, ask func() (string, error)) (string, error) {
	if known, ok := r.held.lines[question]; ok {
		if known.err != nil {
			return known.text, known.err
		}
		return known.text, nil
	}
	out, err := ask()
	out = strings.TrimSuffix(out, "\n")
	refused, _ := errors.AsType[*Error](err)
	if r.hold && (err == nil || refused != nil && refused.Exit == 1) {
		if r.held.lines == nil {
			r.held.lines = make(map[string]line)
		}
		r.held.lines[question] = line{out, refused}
	}
	return out, err
}

// Resolve returns the commit that a revision names, or "" if there is none.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if !systemPasses(rev + "^{commit}") {
		return "", nil
	}
	id, err := r.line(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", rev+"^{commit}")
	if ExitCode(err) == 1 {
		return "", nil
	}
	return id, err
}

// Head returns the commit that is checked out, or "" if there is none yet.
func (r *Repo) Head(ctx context.Context) (string, error) {
	branch, err := r.CurrentBranch(ctx)
	if err != nil {
		return "", err
	}
	if branch != "" && filepath.IsLocal(branch) {
		id, err := r.cachedAnswer("HEAD^{commit}", func() (string, error) {
			text, err := repofile.At(filepath.Join(r.CommonDir, "refs", "heads", branch)).Read(repofile.Settings)
			return strings.TrimSpace(string(text)), err
		})
		if err == nil && isID(id) {
			return id, nil
		}
	}
	return r.Resolve(ctx, "HEAD")
}

// Parent returns the first parent of a commit, or "" if it has none.
func (r *Repo) Parent(ctx context.Context, commit string) (string, error) {
	return r.Resolve(ctx, commit+"^")
}

// CurrentBranch returns the branch that is checked out, which may have no commit
// yet, or "" if HEAD is detached.
func (r *Repo) CurrentBranch(ctx context.Context) (string, error) {
	ref, err := r.cachedAnswer("HEAD", func() (string, error) {
		if head, err := repofile.At(filepath.Join(r.GitDir, "HEAD")).Read(repofile.Settings); err == nil {
			ref, ok := strings.CutPrefix(string(head), "ref: ")
			if ref = strings.TrimSpace(ref); ok && ref != "refs/heads/.invalid" { // so it is where references are in a reftable
				return ref, nil
			}
		}
		return r.Run(ctx, "symbolic-ref", "--quiet", "HEAD")
	})
	if ExitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimPrefix(ref, "refs/heads/"), err
}

// Branches returns the local branches whose names begin with prefix, sorted.
func (r *Repo) Branches(ctx context.Context, prefix string) ([]string, error) {
	tips, err := r.Tips(ctx, prefix)
	return slices.Sorted(maps.Keys(tips)), err
}

// Tips returns the commits of the local branches whose names begin with prefix.
func (r *Repo) Tips(ctx context.Context, prefix string) (map[string]string, error) {
	// A pattern of for-each-ref ends at a slash, so the prefix is held here.
	out, err := r.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
	if err != nil {
		return nil, err
	}
	tips := make(map[string]string)
	for line := range strings.Lines(out) { // a ref's name holds no line break
		commit, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name := strings.TrimPrefix(ref, "refs/heads/"); strings.HasPrefix(name, prefix) {
			tips[name] = commit
		}
	}
	return tips, nil
}

// MoveRef points ref to the commit to, if it points to from now. An empty from means
// that the ref does not exist yet. The reason goes into the reflog.
func (r *Repo) MoveRef(ctx context.Context, ref, to, from, reason string) error {
	_, err := r.Do(ctx, Command{Args: []string{"update-ref", "--create-reflog", "-m", reason, ref, to, from}, Effect: Writes})
	return err
}

// DeleteRef removes a ref, if it still points to the commit.
func (r *Repo) DeleteRef(ctx context.Context, ref, commit string) error {
	_, err := r.Do(ctx, Command{Args: []string{"update-ref", "-d", ref, commit}, Effect: Writes})
	return err
}

// Contains reports whether a commit is another one or an ancestor of it.
func (r *Repo) Contains(ctx context.Context, descendant, commit string) (bool, error) {
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", commit, descendant)
	if ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Fork returns the best common ancestor of two commits, or "" if they have none.
func (r *Repo) Fork(ctx context.Context, a, b string) (string, error) {
	commit, err := r.line(ctx, "merge-base", a, b)
	if ExitCode(err) == 1 {
		return "", nil
	}
	return commit, err
}

// Worktrees returns the top level of the working tree in which a branch is
// checked out, by branch.
func (r *Repo) Worktrees(ctx context.Context) (map[string]string, error) {
	out, err := r.Run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	where := make(map[string]string)
	dir := ""
	for field := range strings.SplitSeq(out, "\x00") {
		if name, ok := strings.CutPrefix(field, "worktree "); ok {
			dir = filepath.FromSlash(name)
			if real, err := filepath.EvalSymlinks(dir); err == nil { // one that was deleted by hand stays as it is named
				dir = real
			}
		}
		if ref, ok := strings.CutPrefix(field, "branch "); ok {
			where[strings.TrimPrefix(ref, "refs/heads/")] = dir
		}
	}
	return where, nil
}

// InProgress names the operation that the working tree is in the middle of:
// "merge", "rebase", "am", "cherry-pick", "revert" or "bisect". It is "" if there
// is none.
func (r *Repo) InProgress() string {
	for _, op := range []struct{ file, name string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply/applying", "am"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, filepath.FromSlash(op.file))); err == nil {
			return op.name
		}
	}
	return ""
}
