package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// maxLinks is how many symbolic links one path may lead through. Linux gives up
// at 40.
const maxLinks = 40

// Resolve confines path, absolute or relative to the root, to the project. It
// follows symbolic links in the part that exists and returns where the path
// really lies, relative to the root with "/" ("." for the root itself), so that a
// link and its target give the same answer. A path whose end does not exist yet
// is fine. What leads outside is a Problem with code path_outside_repository.
func (p *Project) Resolve(path string) (rel string, err error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", problem.New(problem.InvalidArgument, "project.path_not_one", path).
			Or("project.send_path_relative_repository_root")
	}
	from, way := p.Root, filepath.FromSlash(path)
	if filepath.IsLocal(way) && filepath.Clean(way) == way && repofile.In(p.Root, way).WithoutLinks() {
		return filepath.ToSlash(way), nil
	}
	if filepath.IsAbs(way) {
		from, way = split(way)
	}
	real, err := resolvePath(from, way)
	if err != nil {
		return "", unresolvable(path, err)
	}
	rel, err = filepath.Rel(p.Root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", problem.New(problem.OutsideRoot, "project.leads_out_repository", path, real).
			Or("project.send_path_inside_relative", p.Root)
	}
	return filepath.ToSlash(rel), nil
}

// From returns a path that was named by a user in the folder dir: absolute,
// or relative to it. It is not cleaned, so that Resolve walks it as the system would.
func From(dir, file string) string {
	if dir == "" || filepath.IsAbs(file) {
		return file
	}
	return dir + string(filepath.Separator) + file
}

var errLinkLoop = errors.New("too many symbolic links")

// split returns the root of an absolute path, and the way from there.
func split(abs string) (from, way string) {
	volume := filepath.VolumeName(abs)
	return volume + string(filepath.Separator), abs[len(volume):]
}

// resolvePath returns where a way from the folder done, which is absolute and resolved, leads:
// without symbolic links and dots, as the system would walk it. A ".." after a link leaves
// the link's target, so the way may not be cleaned before. From the first name that does not
// exist on, the names are taken as they are; a link to something that does not exist counts
// as its target, because whoever writes to the link makes that.
func resolvePath(done, way string) (string, error) {
	sep := string(filepath.Separator)
	todo := strings.Split(way, sep)
	links := 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			done = next
			continue
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errLinkLoop
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			done, target = split(target)
		}
		todo = append(strings.Split(filepath.FromSlash(target), sep), todo...)
	}
	return done, nil
}

func unresolvable(path string, err error) error {
	switch {
	case errors.Is(err, errLinkLoop):
		return problem.New(problem.InvalidArgument, "project.endless_symbolic_links", path).
			Or("project.send_path_relative_repository_root")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return problem.New(problem.InvalidArgument, "project.path_longer_than_system_allows").
			Or("project.send_path_relative_repository_root")
	}
	return fmt.Errorf("project: resolve %q: %w", path, err)
}
