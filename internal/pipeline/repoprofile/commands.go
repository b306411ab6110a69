package repoprofile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/project"
	"codeintel/internal/text"
	"codeintel/internal/toolchain"
)

// A Command builds or tests what is in a folder.
type Command struct {
	Dir string // from the root; "." is the root itself
	toolchain.Command
}

// line returns the command as one types it.
func (c Command) line() string {
	line := words(c.Argv)
	if c.Before != nil {
		line = words(c.Before) + " && " + line
	}
	return line
}

// words joins the words of a command. Those that a shell would take apart are
// quoted.
func words(argv []string) string {
	var all []string
	for _, w := range argv {
		if strings.ContainsAny(w, " *?'\"$&;|<>()") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		all = append(all, w)
	}
	return strings.Join(all, " ")
}

// maxDepth is how far below the root folders are looked at.
const maxDepth = 4

// commands returns how the folders of the repository are built and tested, those
// above first. A folder that the tool of one above reaches is left out.
func commands(p *project.Project, entries []files.Entry) (build, test []Command) {
	folders := map[string][]toolchain.Tool{".": nil} // the root is looked at whatever is there: tests need no manifest
	for _, e := range entries {
		dir := path.Dir(e.Path)
		tool := toolchain.Manifest(path.Base(e.Path))
		if tool == "" || dir == "." || isAside(e) || strings.Count(dir, "/") >= maxDepth ||
			slices.Contains(folders[dir], tool) {
			continue
		}
		folders[dir] = append(folders[dir], tool)
	}
	dirs := slices.SortedFunc(maps.Keys(folders), func(a, b string) int {
		return cmp.Or(cmp.Compare(text.Depth(a), text.Depth(b)), cmp.Compare(a, b))
	})
	covers := make(map[string][]toolchain.Tool)
	for _, dir := range dirs {
		covers[dir] = toolchain.Covers(p.Root, dir, folders[dir]...)
	}
	collect := func(suggested func(root, dir string, only ...toolchain.Tool) []toolchain.Command) (all []Command) {
		found := make(map[place]bool)
		for _, dir := range dirs {
			for _, c := range suggested(p.Root, dir, folders[dir]...) {
				// What a folder below suggests is that folder's, if it is looked at.
				below := path.Dir(path.Join(dir, c.Because))
				if below != dir && slices.Contains(folders[below], c.Tool) || isReached(dir, c.Tool, covers, found) {
					continue
				}
				all = append(all, Command{dir, c})
				found[place{dir, c.Tool}] = true
			}
		}
		return all
	}
	return collect(toolchain.Builds), collect(toolchain.Tests)
}

// A place is where a tool has a command.
type place struct {
	dir  string
	tool toolchain.Tool
}

// isReached reports whether the tool does its work in dir from a folder above: where
// it has a command, or in the case of make where there is a Makefile.
func isReached(dir string, tool toolchain.Tool, covers map[string][]toolchain.Tool, found map[place]bool) bool {
	for dir != "." {
		dir = path.Dir(dir)
		if slices.Contains(covers[dir], tool) && (tool.IsRunner() || found[place{dir, tool}]) {
			return true
		}
	}
	return false
}
