package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Snapshot returns the id of a tree that holds the working tree as it is now:
// tracked files and untracked ones that are not ignored, staged or not. Neither
// the index nor any file is touched; the objects go into the repository. What
// lies under the excluded folders is as in the index.
func (r *Repo) Snapshot(ctx context.Context, exclude ...string) (string, error) {
	dir, err := os.MkdirTemp("", "code-intel-index-")
	if err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	defer os.RemoveAll(dir)
	index := filepath.Join(dir, "index")
	env := []string{"GIT_INDEX_FILE=" + index, "GIT_LITERAL_PATHSPECS=0"}
	// A copy of the real index knows which files are unchanged, so that only
	// changed ones are read.
	if data, err := os.ReadFile(filepath.Join(r.GitDir, "index")); err == nil {
		if err := os.WriteFile(index, data, 0o600); err != nil {
			return "", fmt.Errorf("snapshot: %w", err)
		}
	}
	add := []string{"add", "--all", "--", ":/"}
	for _, e := range exclude {
		add = append(add, ":(exclude,top)"+e)
	}
	if _, err := r.Do(ctx, Command{Args: add, Env: env}); err != nil {
		return "", err
	}
	tree, err := r.Do(ctx, Command{Args: []string{"write-tree"}, Env: env})
	return strings.TrimSpace(tree), err
}

// EmptyTree is the id of the tree that holds nothing.
func (r *Repo) EmptyTree(ctx context.Context) (string, error) {
	return r.line(ctx, "hash-object", "-t", "tree", "-w", "--stdin")
}

// CommitTree makes a commit of a tree without touching any branch. Parents that
// are "" are left out.
func (r *Repo) CommitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-m", message}
	for _, p := range parents {
		if p != "" {
			args = append(args, "-p", p)
		}
	}
	return r.line(ctx, args...)
}
