package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A scratch index takes what is staged into it in place of the real one.
type scratch struct {
	dir string
	env []string
}

// newScratch copies the index aside. The copy knows which files are unchanged, so
// that only changed ones are read.
func (r *Repo) newScratch() (s *scratch, err error) {
	dir, err := os.MkdirTemp("", "code-intel-index-")
	if err != nil {
		return nil, fmt.Errorf("git: copy the index: %w", err)
	}
	to := filepath.Join(dir, "index")
	if err := copyIndex(filepath.Join(r.GitDir, "index"), to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("git: copy the index: %w", err), os.RemoveAll(dir))
	}
	return &scratch{dir, []string{"GIT_INDEX_FILE=" + to, "GIT_LITERAL_PATHSPECS=0"}}, nil
}

func (s *scratch) remove() { os.RemoveAll(s.dir) }

// copyIndex copies the file with its time. Git compares that with the times of
// the files: one that was written no earlier than the index is read, because it
// may have changed within the same tick. A copy that is younger than its original
// would hide such a change.
func copyIndex(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// steady are settings of the user's that must not bend a scratch index: a second
// file that it would point to, a daemon that knows only the real one, and a
// refusal to take in a file over its line ends.
func steady(args ...string) []string {
	return append([]string{"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c", "core.safecrlf=false"}, args...)
}

// Snapshot returns the id of a tree that holds the working tree as it is now:
// tracked files and untracked ones that are not ignored, staged or not. Neither
// the index nor any file is touched; the objects go into the repository. What
// lies in folders of the excluded names, at any depth, is as in the index. A
// repository inside this one that is no submodule is left out.
func (r *Repo) Snapshot(ctx context.Context, exclude ...string) (string, error) {
	s, err := r.newScratch()
	if err != nil {
		return "", err
	}
	defer s.remove()
	others, err := r.Do(ctx, Command{Args: steady("ls-files", "-z", "--others", "--exclude-standard"), Env: s.env})
	if err != nil {
		return "", err
	}
	specs := []string{":/"}
	for _, name := range exclude {
		specs = append(specs, ":(exclude,top,glob)**/"+name+"/**")
	}
	for name := range strings.SplitSeq(others, "\x00") {
		if strings.HasSuffix(name, "/") { // so is only a repository listed
			specs = append(specs, ":(exclude,top,literal)"+strings.TrimSuffix(name, "/"))
		}
	}
	add := Command{
		Args:   steady("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"),
		Env:    s.env,
		Effect: Writes,
		Stdin:  strings.NewReader(strings.Join(specs, "\x00")),
	}
	if _, err := r.Do(ctx, add); err != nil {
		return "", err
	}
	return r.writeTree(ctx, s)
}

// IndexTree returns the id of a tree that holds what is staged. The index is not
// touched. It fails while the index holds a conflict.
func (r *Repo) IndexTree(ctx context.Context) (string, error) {
	s, err := r.newScratch()
	if err != nil {
		return "", err
	}
	defer s.remove()
	return r.writeTree(ctx, s)
}

func (r *Repo) writeTree(ctx context.Context, s *scratch) (string, error) {
	tree, err := r.Do(ctx, Command{Args: steady("write-tree"), Env: s.env, Effect: Writes})
	return strings.TrimSuffix(tree, "\n"), err
}

// Unmerged returns the paths that a merge left in conflict, sorted.
func (r *Repo) Unmerged(ctx context.Context) (paths []string, err error) {
	out, err := r.Run(ctx, "ls-files", "-z", "--unmerged")
	for stage := range strings.SplitSeq(out, "\x00") {
		_, path, ok := strings.Cut(stage, "\t")
		if ok && (len(paths) == 0 || paths[len(paths)-1] != path) { // one line for each side
			paths = append(paths, path)
		}
	}
	return paths, err
}

// EmptyTree is the id of the tree that holds nothing.
func (r *Repo) EmptyTree(ctx context.Context) (string, error) {
	return r.line(ctx, "hash-object", "-t", "tree", "-w", "--stdin")
}

// Tree returns the id of the tree that a revision names, or "" if there is none.
func (r *Repo) Tree(ctx context.Context, rev string) (string, error) {
	id, err := r.line(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", rev+"^{tree}")
	if ExitCode(err) == 1 {
		return "", nil
	}
	return id, err
}

// CommitTree makes a commit of a tree in the user's name, without touching any
// branch. Parents that are "" are left out.
func (r *Repo) CommitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	return r.commitTree(ctx, nil, tree, message, parents)
}

// KeepTree is [Repo.CommitTree] in this program's own name, for commits that only
// keep something: they must work where no user is configured.
func (r *Repo) KeepTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	const name, mail = "code-intel", "code-intel@localhost"
	self := []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + mail, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + mail}
	return r.commitTree(ctx, self, tree, message, parents)
}

func (r *Repo) commitTree(ctx context.Context, env []string, tree, message string, parents []string) (string, error) {
	c := Command{Args: []string{"commit-tree", tree}, Env: env, Effect: Writes, Stdin: strings.NewReader(message)}
	for _, p := range parents {
		if p != "" {
			c.Args = append(c.Args, "-p", p)
		}
	}
	id, err := r.Do(ctx, c)
	return strings.TrimSuffix(id, "\n"), err
}
