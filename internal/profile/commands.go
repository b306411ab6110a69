package profile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/project"
	"codeintel/internal/toolchain"
)

// A Command builds or tests what lies in a folder.
type Command struct {
	Dir string // from the root; "." is the root itself
	toolchain.Command
}

// Line returns the command as one types it.
func (c Command) Line() string {
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
	// The root is looked at whatever lies there: tests need no manifest.
	folders := map[string]map[toolchain.Tool]bool{".": nil}
	for _, e := range entries {
		dir := path.Dir(e.Path)
		tool := toolchain.Manifest(path.Base(e.Path))
		if tool == "" || dir == "." || isAside(e) || strings.Count(dir, "/") >= maxDepth {
			continue
		}
		if folders[dir] == nil {
			folders[dir] = make(map[toolchain.Tool]bool)
		}
		folders[dir][tool] = true
	}
	dirs := slices.SortedFunc(maps.Keys(folders), func(a, b string) int {
		return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b))
	})
	covers := make(map[string][]toolchain.Tool)
	for _, dir := range dirs {
		covers[dir] = toolchain.Covers(p.Root, dir)
	}
	collect := func(suggested func(root, dir string) []toolchain.Command) (all []Command) {
		for _, dir := range dirs {
			for _, c := range suggested(p.Root, dir) {
				// What a folder below suggests is that folder's, if it is looked at.
				below := path.Dir(path.Join(dir, c.Because))
				switch {
				case dir != "." && !folders[dir][c.Tool]:
				case below != dir && folders[below][c.Tool]:
				case reached(dir, c.Tool, all, covers):
				default:
					all = append(all, Command{dir, c})
				}
			}
		}
		return all
	}
	return collect(toolchain.Builds), collect(toolchain.Tests)
}

// reached reports whether the tool does its work in dir from a folder above: where
// one of the commands found is run, or in the case of make where there is a Makefile.
func reached(dir string, tool toolchain.Tool, found []Command, covers map[string][]toolchain.Tool) bool {
	for above := range covers {
		if !isBelow(dir, above) || !slices.Contains(covers[above], tool) {
			continue
		}
		if tool.IsRunner() || slices.ContainsFunc(found, func(c Command) bool { return c.Tool == tool && c.Dir == above }) {
			return true
		}
	}
	return false
}

func isBelow(dir, above string) bool {
	return dir != above && (above == "." || strings.HasPrefix(dir, above+"/"))
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}
