// Package searchpath runs programs that are installed on the machine, and never one that a project's folder
// contains. Who starts this program by npx, or in a virtual environment, has folders of the project on PATH;
// a clone may hold a git there.
package searchpath

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Command returns a command to be run in a folder of a project. Neither its program nor what that starts is
// looked for in the project; see [Path].
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	path := Path(dir)
	for _, folder := range filepath.SplitList(path) {
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			cmd := exec.CommandContext(ctx, found, args...)
			cmd.Args[0], cmd.Dir = name, dir
			cmd.Env = append(os.Environ(), "PATH="+path)
			return cmd
		}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Err = &exec.Error{Name: name, Err: exec.ErrNotFound}
	return cmd
}

// Path returns PATH without the folders that are in the project around a folder, and without those that are
// relative: they are others for each process. A project that holds the user's home is the user's own.
func Path(dir string) string {
	top := around(dir)
	var kept []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(folder) && (top == "" || !isWithin(top, folder)) {
			kept = append(kept, folder)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// around returns the nearest folder upwards that holds a .git or .code-intel, else the folder itself; "" if
// the user's home is there.
func around(dir string) string {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return ""
	}
	home, noHome := os.UserHomeDir()
	top := dir
	for d := dir; d == dir || noHome != nil || !isWithin(d, home); d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			top = d
			break
		}
		if _, err := os.Lstat(filepath.Join(d, ".code-intel")); err == nil {
			top = d // a clone may bring one along, deeper
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	if noHome == nil && isWithin(top, home) {
		return ""
	}
	return top
}

// Runs reports whether a file is this program.
func Runs(file string) bool {
	own, err := os.Executable()
	if err != nil {
		return false
	}
	a, err := os.Stat(own)
	if err != nil {
		return false
	}
	b, err := os.Stat(file)
	return err == nil && os.SameFile(a, b)
}

// isWithin reports whether a file is in a folder, or is it.
func isWithin(folder, file string) bool {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(rel)
}
