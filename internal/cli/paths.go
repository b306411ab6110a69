package cli

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/text/quote"
)

// A location is what a path on the command line leads to.
type location struct {
	root string // of the project
	path string // relative to it, with "/"; empty: all of it
}

// locate resolves a path of the command line against the current folder, and if nothing is there,
// against the root of the project. It leads into the current project or into another one; an empty
// path is the current project.
func (a *app) locate(name string) (location, error) {
	home, err := project.Find(a.dir())
	if err != nil {
		return location{}, environment{err}
	}
	if name == "" {
		return location{root: home}, nil
	}
	at, there := resolveExisting(home, name)
	if !there {
		return location{}, environment{problem.New(problem.NotFound, "cli.no_file_or_folder", name).
			Or("cli.name_what_is_there")}
	}
	folder := at
	if info, err := os.Stat(at); err == nil && !info.IsDir() {
		folder = filepath.Dir(at)
	}
	own, err := project.Find(folder)
	if err != nil {
		return location{}, environment{err}
	}
	if named, err := filepath.Abs(name); err == nil && inside(home, named) && !inside(home, at) { // a link of the project
		return location{}, environment{problem.New(problem.OutsideRoot, "project.leads_out_repository", name, at).
			Or("project.send_path_inside_relative", home)}
	}
	if inside(home, at) && (a.root != "" || !project.Marked(own)) {
		own = home
	}
	return location{root: own, path: below(own, at)}, nil
}

// resolveExisting returns where a path leads, from the current folder or else from the root.
func resolveExisting(root, name string) (at string, there bool) {
	for _, try := range []string{name, project.From(root, name)} {
		abs, err := filepath.Abs(try)
		if err != nil {
			continue
		}
		if at, err := filepath.EvalSymlinks(abs); err == nil {
			return at, true
		}
	}
	return "", false
}

func inside(root, at string) bool {
	rel, err := filepath.Rel(root, at)
	return err == nil && filepath.IsLocal(rel)
}

// below returns a path inside root relative to it, empty for the root itself.
func below(root, at string) string {
	rel, err := filepath.Rel(root, at)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// pathInside returns a path relative to the root that people gave who are in the current
// folder, the root itself as ".". One that leads nowhere, or out of the project, is left
// to those who refuse it.
func (a *app) pathInside(root, name string) string {
	if at, there := resolveExisting(root, name); there {
		if !inside(root, at) {
			return name
		}
		if rel := below(root, at); rel != "" {
			return rel
		}
		return "."
	}
	if here := folder(root); here != "" && !filepath.IsAbs(name) && filepath.IsLocal(filepath.Join(here, name)) {
		if _, err := os.Lstat(filepath.Dir(filepath.Join(root, here, name))); err == nil {
			return path.Join(here, filepath.ToSlash(name)) // a file that is missing, in a folder that is not
		}
	}
	return name
}

// folder is the current folder relative to the root, empty if it is the root or lies
// outside.
func folder(root string) string {
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil || !inside(root, here) {
		return ""
	}
	return below(root, here)
}

// globsFrom returns globs for paths from the root. One that holds a "/" means paths from the
// current folder, unless it begins with "**/" or, for the root, with "/".
func globsFrom(root string, list []string) []string {
	here := folder(root)
	out := make([]string, len(list))
	for i, g := range list {
		bare, negative := strings.CutPrefix(g, "!")
		switch {
		case strings.HasPrefix(bare, "/"):
			bare = bare[1:]
		case here != "" && strings.Contains(bare, "/") && !strings.HasPrefix(bare, "**/"):
			bare = path.Join(escaped(here), bare)
		}
		if out[i] = bare; negative {
			out[i] = "!" + bare
		}
	}
	return out
}

// escaped writes a path as a glob that matches it alone.
func escaped(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`, `\`, `\\`).Replace(path)
}

// shownAs returns how a path from the root is written for people: relative to the
// current folder.
func shownAs(root string) func(string) string {
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil || here == root {
		return quote.Path
	}
	return func(name string) string {
		if name == "" {
			return ""
		}
		rel, err := filepath.Rel(here, filepath.Join(root, filepath.FromSlash(name)))
		if err != nil { // on another drive
			return quote.Path(filepath.Join(root, filepath.FromSlash(name)))
		}
		return quote.Path(filepath.ToSlash(rel))
	}
}

// elsewhere refuses paths of different projects.
func elsewhere(name string, root string) error {
	return problem.New(problem.InvalidArgument, "cli.path_of_another_project", name, root).Or("cli.ask_project_by_project")
}
