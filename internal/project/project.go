// Package project locates a user's project and reads its settings.
//
// A project is a folder with, if code-intel was set up in it, a folder .code-intel. This
// package finds that folder, reads config.json and context.yml in it, knows where the index
// is, and confines paths: whatever a caller sends, [Project.Resolve] returns a path within
// the root, with symbolic links followed, or refuses. It writes only what it is asked to,
// atomically, and never changes a line of context.yml that it was not asked to change.
package project

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// Dir is the name of our folder in a project.
const Dir = ".code-intel"

// A Project is a folder and its settings.
type Project struct {
	Root   string // absolute, symbolic links resolved
	Config Config
}

// IsEmpty reports whether the root of the project can be listed and contains nothing but .git and .code-intel.
func (p *Project) IsEmpty() bool {
	entries, err := repofile.At(p.Root).List()
	return err == nil && !slices.ContainsFunc(entries,
		func(e os.DirEntry) bool { return e.Name() != ".git" && e.Name() != Dir })
}

// Find returns the root of the project that dir is in: the nearest folder upwards
// with a .git or a .code-intel, else dir itself. A repository is a project of its own
// wherever it lies, and so are a submodule and a linked worktree: a .code-intel above
// them belongs to another project. The result is absolute and its symbolic links are
// resolved.
//
// A .code-intel alone in the user's home folder, or in one that this is in, makes a project
// of that folder, not of every folder below. A .git or .code-intel above dir counts only where
// it belongs to this user, to root, or to whoever dir belongs to: in a folder that all may
// write, such as /tmp, another user could lay one for all who work below.
func Find(dir string) (string, error) {
	start, err := realDir(dir)
	if err != nil {
		return "", err
	}
	return find(start, home()), nil
}

func find(start, home string) string {
	for d := start; ; d = filepath.Dir(d) {
		if d == start && Marked(d) || d != start && (isRepository(d) && ownedAs(filepath.Join(d, ".git"), start) ||
			isDir(filepath.Join(d, Dir)) && ownedAs(filepath.Join(d, Dir), start) && !holdsHome(d, home)) {
			return d
		}
		if filepath.Dir(d) == d {
			return start
		}
	}
}

func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// Marked reports whether a folder is the root of a project by what it holds: .git or
// .code-intel.
func Marked(dir string) bool {
	return isRepository(dir) || isDir(filepath.Join(dir, Dir))
}

// Around returns the root of the project that dir is in and of those around it that
// were set up, the nearest first. It does not leave a linked git worktree, because that
// is a copy of its own even where it is inside the main one.
func Around(dir string) (roots []string, err error) {
	root, err := Find(dir)
	if err != nil {
		return nil, err
	}
	roots = []string{root}
	for d := root; !isLinkedWorktree(filepath.Join(d, ".git")) && filepath.Dir(d) != d; {
		if d = filepath.Dir(d); isDir(filepath.Join(d, Dir)) && ownedAs(filepath.Join(d, Dir), root) {
			roots = append(roots, d)
		}
	}
	return roots, nil
}

// Open opens the project that dir is in, see [Find].
func Open(dir string) (*Project, error) {
	root, err := Find(dir)
	if err != nil {
		return nil, err
	}
	return OpenRoot(root)
}

// OpenRoot opens the project whose root is exactly dir. Without a config.json the
// settings are [Defaults]; a bad one is a Problem that names line and field.
func OpenRoot(dir string) (*Project, error) {
	root, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	p := &Project{Root: root, Config: Defaults()}
	data, err := repofile.At(p.Path("config.json")).Read(repofile.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, problem.New(InvalidConfig, "project.no_folder", Dir, root).Or("project.move_away")
	}
	if err != nil {
		return nil, fmt.Errorf("project: read config: %w", err)
	}
	if p.Config, err = ParseConfig(data); err != nil {
		return nil, err
	}
	p.Config = p.Config.capTo(os.Getenv)
	return p, nil
}

// IsSetUp reports whether the project has a .code-intel with a config.json.
func (p *Project) IsSetUp() bool {
	info, err := os.Stat(p.Path("config.json"))
	return err == nil && info.Mode().IsRegular()
}

// Path returns the absolute path of a file under .code-intel.
func (p *Project) Path(elem ...string) string {
	return filepath.Join(append([]string{p.Root, Dir}, elem...)...)
}

// Abs returns the absolute path of a path relative to the root, as
// [Project.Resolve] returns it.
func (p *Project) Abs(rel string) string {
	return filepath.Join(p.Root, filepath.FromSlash(rel))
}

// realDir returns dir absolute and without symbolic links. What is not a folder is
// a Problem.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("project: %w", err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", problem.New(problem.NotFound, "project.there_is_no_folder", dir).Or("project.name_existing_folder")
	}
	if err != nil {
		return "", fmt.Errorf("project: %w", err)
	}
	if !isDir(real) {
		return "", problem.New(problem.InvalidArgument, "project.not_folder", dir).Or("project.name_folder_lies")
	}
	return real, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isLinkedWorktree reports whether dotGit is the file by which git marks a
// linked worktree. The same kind of file marks a submodule, but that one points
// into modules, not into worktrees.
func isLinkedWorktree(dotGit string) bool {
	info, err := os.Lstat(dotGit)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return false
	}
	data, err := repofile.At(dotGit).Read(repofile.Settings)
	if err != nil {
		return false
	}
	target, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("gitdir:"))
	parent := filepath.Dir(filepath.FromSlash(string(bytes.TrimSpace(target))))
	return ok && filepath.Base(parent) == "worktrees"
}
