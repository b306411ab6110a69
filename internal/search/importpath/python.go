package importpath

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/text"
)

// A pythonWorld is where modules of Python are looked for.
type pythonWorld struct {
	roots []string // folders that tools put on the path, outer ones first
}

// manifests are the files beside which the packages of a Python project lie.
var manifests = []string{"pyproject.toml", "setup.py", "setup.cfg", "manage.py", "tox.ini", "pytest.ini", "conftest.py"}

// sourceRoots are the folders of a project in which its packages may lie.
var sourceRoots = []string{"src", "lib", "python", "Lib"}

func (r *Resolver) pythonRoots() []string {
	if r.pythons != nil {
		return r.pythons.roots
	}
	r.pythons = &pythonWorld{}
	dirs := []string{"."}
	for _, m := range manifests {
		for _, f := range r.named(m) {
			dirs = append(dirs, path.Dir(f))
		}
	}
	for _, d := range slices.Clone(dirs) {
		for _, s := range sourceRoots {
			if at := path.Join(d, s); r.folders[at] {
				dirs = append(dirs, at)
			}
		}
	}
	for _, d := range dirs {
		if !slices.Contains(r.pythons.roots, d) && !r.isPackage(d) {
			r.pythons.roots = append(r.pythons.roots, d)
		}
	}
	slices.SortStableFunc(r.pythons.roots, func(a, b string) int { return text.Depth(a) - text.Depth(b) })
	return r.pythons.roots
}

func (r *Resolver) isPackage(dir string) bool {
	return r.files[path.Join(dir, "__init__.py")] || r.files[path.Join(dir, "__init__.pyi")]
}

// moduleFile is the file of a module by its path without suffix, "" if there is none.
func (r *Resolver) moduleFile(stem string) string {
	for _, f := range []string{path.Join(stem, "__init__.py"), stem + ".py", stem + ".pyi",
		path.Join(stem, "__init__.pyi"), stem + ".pyx"} {
		if r.files[f] {
			return f
		}
	}
	return ""
}

func (r *Resolver) python(i index.Import) Target {
	rest := strings.TrimLeft(i.Path, ". ")
	if dots := strings.Count(i.Path[:len(i.Path)-len(rest)], "."); dots > 0 {
		dir := path.Dir(i.File)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		if found := r.importedFiles(path.Join(dir, strings.ReplaceAll(rest, ".", "/")), i.Names); len(found) > 0 {
			return Target{Files: found}
		}
		return Target{Missing: true}
	}
	name := strings.ReplaceAll(rest, ".", "/")
	top, _, _ := strings.Cut(rest, ".")
	dir := path.Dir(i.File)
	for r.isPackage(dir) && dir != "." {
		dir = path.Dir(dir) // in a package, names begin where it begins
	}
	for ; ; dir = path.Dir(dir) {
		if t, ok := r.below(dir, top, name, i.Names); ok {
			return t
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	var best []string
	for _, root := range r.pythonRoots() {
		if t, ok := r.below(root, top, name, i.Names); ok && len(t.Files) > 0 {
			best = append(best, root)
		}
	}
	if len(best) > 0 {
		slices.SortStableFunc(best, func(a, b string) int { return text.CommonFolders(b+"/x", i.File) - text.CommonFolders(a+"/x", i.File) })
		t, _ := r.below(best[0], top, name, i.Names)
		t.Guessed = len(best) > 1
		return t
	}
	return Target{Outside: top}
}

// below finds a module in a folder on the path. ok is false if the folder has nothing of
// its first name, so that others are looked at.
func (r *Resolver) below(dir, top, name string, names []string) (t Target, ok bool) {
	at := path.Join(dir, top)
	if r.moduleFile(at) == "" && !(r.folders[at] && name != top) && !(r.folders[at] && len(names) > 0) {
		return t, false
	}
	if found := r.importedFiles(path.Join(dir, name), names); len(found) > 0 {
		return Target{Files: found}, true
	}
	return Target{Missing: true}, r.isPackage(at)
}

// importedFiles lists what names of a module are: modules of their own, or things in its file.
func (r *Resolver) importedFiles(stem string, names []string) (found []string) {
	own := r.moduleFile(stem)
	if len(names) == 0 {
		if own != "" {
			return []string{own}
		}
		return nil
	}
	for _, n := range names {
		f := own
		if sub := r.moduleFile(path.Join(stem, n)); sub != "" && (own == "" || strings.HasPrefix(path.Base(own), "__init__.")) {
			f = sub
		}
		if f != "" && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}
