package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/repofile"
	"codeintel/internal/platform/tempdir"
	"codeintel/internal/problem"
)

// A scratch index takes what is staged into it in place of the real one.
type scratch struct {
	*tempdir.Dir
	env []string
}

const scratchPrefix = "code-intel-index-"

// newScratch copies the index aside. The copy knows which files are unchanged, so
// that only changed ones are read.
func (r *Repo) newScratch() (s *scratch, err error) {
	if s, err = emptyScratch(); err != nil {
		return nil, err
	}
	if err := copyIndex(filepath.Join(r.GitDir, "index"), filepath.Join(s.Path, "index")); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		s.Remove()
		return nil, fmt.Errorf("git: copy the index: %w", err)
	}
	return s, nil
}

// emptyScratch returns a scratch index with nothing in it.
func emptyScratch() (*scratch, error) {
	dir, err := tempdir.New(scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("git: scratch index: %w", err)
	}
	return &scratch{Dir: dir, env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir.Path, "index"), "GIT_LITERAL_PATHSPECS=0"}}, nil
}

// copyIndex copies the file with its time. Git compares that with the times of
// the files: one that was written no earlier than the index is read, because it
// may have changed within the same tick. A copy that is younger than its original
// would hide such a change.
func copyIndex(from, to string) error {
	src, _, err := repofile.At(from).Open()
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

const asidePrefix = "code-intel-objects-"

// Aside calls look with a Repo that stores objects in a temporary folder, so that a
// [Repo.Snapshot] that is only compared leaves nothing behind.
func (r *Repo) Aside(look func(*Repo) error) error {
	dir, err := tempdir.New(asidePrefix)
	if err != nil {
		return fmt.Errorf("git: folder for objects: %w", err)
	}
	defer dir.Remove()
	aside := *r
	aside.hold, aside.held, aside.objects = false, held{}, dir.Path
	return look(&aside)
}

// objectsEnv has git store objects aside, and find those of the repository.
func (r *Repo) objectsEnv() []string {
	if r.objects == "" {
		return nil
	}
	own := filepath.Join(r.CommonDir, "objects")
	if strings.ContainsRune(own, filepath.ListSeparator) || strings.HasPrefix(own, `"`) {
		own = strconv.Quote(own) // so git takes it for one path
	}
	return []string{"GIT_OBJECT_DIRECTORY=" + r.objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + own}
}

// scratchIndexArgs adds settings that keep the user's own from distorting a scratch index: it is not
// split into two files, no daemon that knows only the real index is asked, no file is refused
// for its line ends, and files are not compared by time and size alone, which can be forged.
func scratchIndexArgs(args ...string) []string {
	return append([]string{"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c", "core.safecrlf=false",
		"-c", "core.trustctime=true", "-c", "core.checkStat=default"}, args...)
}

// Snapshot returns the id of a tree that holds the working tree as it is now:
// tracked files and untracked ones that are not ignored, staged or not, and whatever
// marks the index bears; a file that a sparse checkout left out is as in the index.
// Neither the index nor any file is touched; the objects go into the repository. What
// is in folders of the excluded names, at any depth, is as in the index. A
// repository inside this one that is not a submodule is left out; of a submodule only its
// commit counts.
func (r *Repo) Snapshot(ctx context.Context, exclude ...string) (tree string, err error) {
	key := strings.Join(exclude, "\x00")
	if tree, ok := r.held.trees[key]; ok {
		return tree, nil
	}
	if tree, err = r.snapshot(ctx, exclude); err == nil && r.hold {
		r.held.trees = map[string]string{key: tree}
	}
	return tree, err
}

func (r *Repo) snapshot(ctx context.Context, exclude []string) (string, error) {
	s, err := r.newScratch()
	if err != nil {
		return "", err
	}
	defer s.Remove()
	files, err := r.Do(ctx, Command{Args: scratchIndexArgs("ls-files", "-z", "-v", "--stage", "--others",
		"--exclude-standard"), Env: s.env})
	if err != nil {
		return "", err
	}
	specs := []string{":/"}
	for _, name := range exclude {
		specs = append(specs, ":(exclude,top,glob)**/"+name+"/**")
	}
	var untracked, tracked, unchanged, unwanted, modules []string
	for file := range strings.SplitSeq(files, "\x00") {
		tag, name, _ := strings.Cut(file, " ")
		if tag == "?" {
			if strings.HasSuffix(name, "/") { // so is only a repository listed
				specs = append(specs, ":(exclude,top,literal)"+strings.TrimSuffix(name, "/"))
			} else {
				untracked = append(untracked, name)
			}
			continue
		}
		entry, name, _ := strings.Cut(name, "\t")
		switch {
		case strings.HasPrefix(entry, modeSubmodule) && r.existsAt(name):
			specs = append(specs, ":(exclude,top,literal)"+name)
			modules = append(modules, name)
			continue
		case tag != strings.ToUpper(tag):
			unchanged = append(unchanged, name)
		}
		if strings.EqualFold(tag, "S") && r.existsAt(name) {
			unwanted = append(unwanted, name)
		}
		tracked = append(tracked, name)
	}
	if err := r.updateIndex(ctx, s, "--no-assume-unchanged", unchanged); err != nil {
		return "", err
	}
	if err := r.updateIndex(ctx, s, "--no-skip-worktree", unwanted); err != nil {
		return "", err
	}
	if err := r.storable(ctx, s, untracked, tracked, exclude); err != nil {
		return "", err
	}
	add := Command{
		Args:   scratchIndexArgs("add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"),
		Env:    s.env,
		Effect: Writes,
		Stdin:  strings.NewReader(strings.Join(specs, "\x00")),
	}
	if _, err := r.Do(ctx, add); err != nil {
		return "", err
	}
	// "git add" would have another git look for changes in each submodule, and run its filters.
	if err := r.updateIndex(ctx, s, "--add", modules); err != nil {
		return "", err
	}
	return r.writeTree(ctx, s)
}

// maxStored is how many bytes of files a snapshot may have to store: what is untracked, and what differs from
// the index. A file of no block on the disk can claim any size, and keep git busy for hours.
const maxStored = 1 << 30

// tooMuchUncommitted is the code of the problem that a snapshot would have to store more than maxStored.
const tooMuchUncommitted problem.Code = "too_much_uncommitted"

// storable returns a problem if what a snapshot would store has more than maxStored bytes. Folders of the
// excluded names do not count.
func (r *Repo) storable(ctx context.Context, s *scratch, untracked, tracked, exclude []string) error {
	most := cmp.Or(r.maxStored, maxStored)
	if all, _ := r.weigh(slices.Concat(untracked, tracked), exclude); all <= most {
		return nil
	}
	// A copied repository has other times and numbers of files than its index says, and the same files.
	refresh := Command{
		Args: scratchIndexArgs("update-index", "-q", "--refresh", "--ignore-submodules"), Env: s.env, Effect: Writes,
	}
	if _, err := r.Do(ctx, refresh); err != nil && ExitCode(err) != 1 { // 1: there are changes
		return err
	}
	changed, err := r.Do(ctx, Command{
		Args: scratchIndexArgs("diff-files", "-z", "--name-only", "--ignore-submodules"), Env: s.env,
	})
	if err != nil {
		return err
	}
	all, largest := r.weigh(slices.Concat(untracked, strings.Split(changed, "\x00")), exclude)
	if all <= most {
		return nil
	}
	return problem.New(tooMuchUncommitted, "git.too_much_uncommitted", all>>20, most>>20, largest).
		Or("git.leave_large_files_out", largest)
}

// weigh returns how many bytes the files have together, and which is the largest.
func (r *Repo) weigh(names, exclude []string) (all int64, largest string) {
	most := int64(-1)
	for _, name := range slices.Compact(names) { // what a merge left in conflict is named several times
		info, err := os.Lstat(filepath.Join(r.Dir, filepath.FromSlash(name)))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if slices.ContainsFunc(exclude, func(e string) bool { return strings.Contains("/"+name, "/"+e+"/") }) {
			continue
		}
		all += min(info.Size(), math.MaxInt64-all)
		if info.Size() > most {
			most, largest = info.Size(), name
		}
	}
	return all, largest
}

// existsAt reports whether something is at a path.
func (r *Repo) existsAt(name string) bool {
	_, err := os.Lstat(filepath.Join(r.Dir, filepath.FromSlash(name)))
	return err == nil
}

// updateIndex does to some entries of the scratch index what an option of "git update-index"
// says.
func (r *Repo) updateIndex(ctx context.Context, s *scratch, how string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := r.Do(ctx, Command{
		Args: scratchIndexArgs("update-index", how, "-z", "--stdin"), Env: s.env, Effect: Writes,
		Stdin: strings.NewReader(strings.Join(names, "\x00") + "\x00"),
	})
	return err
}

// Skipped returns those of the paths that the index says are not in the working
// tree, whether they are or not.
func (r *Repo) Skipped(ctx context.Context, paths []string) (skipped []string, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := r.Run(ctx, "ls-files", "-z", "-t")
	for file := range strings.SplitSeq(out, "\x00") {
		if name, ok := strings.CutPrefix(file, "S "); ok && slices.Contains(paths, name) {
			skipped = append(skipped, name)
		}
	}
	return skipped, err
}

// StagesNothing reports whether the index equals a commit. Before the first commit it is
// false.
func (r *Repo) StagesNothing(ctx context.Context, commit string) (bool, error) {
	if commit == "" {
		return false, nil
	}
	_, err := r.Run(ctx, "diff-index", "--cached", "--quiet", commit, "--")
	if ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// IndexTree returns the id of a tree that holds what is staged. The index is not
// touched. It fails while the index holds a conflict.
func (r *Repo) IndexTree(ctx context.Context) (string, error) {
	s, err := r.newScratch()
	if err != nil {
		return "", err
	}
	defer s.Remove()
	return r.writeTree(ctx, s)
}

func (r *Repo) writeTree(ctx context.Context, s *scratch) (string, error) {
	tree, err := r.Do(ctx, Command{Args: scratchIndexArgs("write-tree"), Env: s.env, Effect: Writes})
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

// WithFiles returns a copy of a tree with the given files in it, whose contents are
// stored as they are. It uses neither the working tree nor the index.
func (r *Repo) WithFiles(ctx context.Context, tree string, files map[string][]byte) (string, error) {
	s, err := emptyScratch()
	if err != nil {
		return "", err
	}
	defer s.Remove()
	if _, err := r.Do(ctx, Command{Args: scratchIndexArgs("read-tree", tree), Env: s.env, Effect: Writes}); err != nil {
		return "", err
	}
	var entries strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		id, err := r.Do(ctx, Command{Args: []string{"hash-object", "-w", "--stdin"}, Effect: Writes,
			Stdin: bytes.NewReader(files[name])})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&entries, "100644 %s\t%s\x00", strings.TrimSuffix(id, "\n"), name)
	}
	add := Command{Args: scratchIndexArgs("update-index", "-z", "--index-info"), Env: s.env, Effect: Writes,
		Stdin: strings.NewReader(entries.String())}
	if _, err := r.Do(ctx, add); err != nil {
		return "", err
	}
	return r.writeTree(ctx, s)
}

// WithIndex calls do with an environment in which git commands see a temporary index,
// filled from a tree, in place of the real one.
func (r *Repo) WithIndex(ctx context.Context, tree string, do func(env []string) error) error {
	s, err := r.newScratch() // which knows what files are unchanged
	if err != nil {
		return err
	}
	defer s.Remove()
	if _, err := r.Do(ctx, Command{Args: scratchIndexArgs("read-tree", "--reset", tree), Env: s.env, Effect: Writes}); err != nil {
		return err
	}
	return do(s.env)
}

// Clean reports whether the working tree and the index hold a path as HEAD does; of a
// submodule, only its commit counts.
func (r *Repo) Clean(ctx context.Context, path string) (bool, error) {
	out, err := r.Run(ctx, "status", "--porcelain=v1", "-z", "--", path)
	return out == "" && err == nil, err
}

// Ignored reports whether git's ignore rules keep an untracked path out.
func (r *Repo) Ignored(ctx context.Context, path string) (bool, error) {
	ignored, err := r.AllIgnored(ctx, []string{path})
	return len(ignored) > 0, err
}

// AllIgnored returns those of the paths that git's ignore rules keep out while they are untracked.
func (r *Repo) AllIgnored(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := r.Do(ctx, Command{Args: []string{"check-ignore", "-z", "--stdin", "--no-index"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00")), Env: []string{"GIT_LITERAL_PATHSPECS=0"}}) // which it does not know
	if ExitCode(err) == 1 {
		return nil, nil
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), err
}

// KeepTree is [Repo.CommitTree] in this program's own name, for commits that only
// keep something: they must work where no user is configured.
func (r *Repo) KeepTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	const name, mail = "code-intel", "code-intel@localhost"
	self := []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + mail, "GIT_COMMITTER_NAME=" + name,
		"GIT_COMMITTER_EMAIL=" + mail}
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
