package cpp

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// isHeader reports whether a file is there to be included.
func isHeader(file string) bool {
	switch path.Ext(file) {
	case ".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cppm", ".ixx", ".cu":
		return false
	}
	return true
}

// number writes a node as a part of a path.
func number(n int32) string { return "#" + strconv.Itoa(int(n)) }

// seenFrom lists what a file sees: itself, and what it includes, directly or not.
func seenFrom(r *resolve.Resolver, u *resolve.Unit) []*table {
	m := memoryOf(u)
	if all, ok := m.seen[u]; ok {
		return all
	}
	all := []*table{tableOf(u)}
	has := map[*resolve.Unit]bool{u: true}
	for i := 0; i < len(all); i++ {
		for _, inc := range all[i].includes {
			if !r.Step() {
				return all
			}
			v := r.Unit(included(r, m, all[i].unit.Path, inc))
			if v != nil && !has[v] && tableOf(v) != nil {
				has[v] = true
				all = append(all, tableOf(v))
			}
		}
	}
	if r.Steps <= resolve.MostSteps {
		m.seen[u] = all
	}
	return all
}

// included returns the file that an include names, or "": beside the file that
// includes it, where the compiler is told to look, or wherever a path ends so,
// nearest first.
func included(r *resolve.Resolver, m *memory, from string, inc include) string {
	has := func(p string) bool { _, ok := r.Files[p]; return ok }
	if p := path.Join(path.Dir(from), inc.path); !inc.angled && has(p) {
		return p
	}
	for _, dir := range m.compileFlags(r).of(from) {
		if p := path.Join(dir, inc.path); has(p) {
			return p
		}
	}
	base := path.Base(inc.path)
	best, share := "", -1
	for _, p := range r.Modules[strings.TrimSuffix(base, path.Ext(base))] {
		if tail := strings.TrimLeft(path.Clean(inc.path), "./"); p != tail && !strings.HasSuffix(p, "/"+tail) {
			continue
		}
		if n := text.CommonFolders(p, from); n > share || n == share && len(p) < len(best) {
			best, share = p, n
		}
	}
	return best
}

// flags are the folders in which compilers look for headers, relative to the project.
type flags struct {
	byFile map[string][]string
	all    []string // for headers and files that no command compiles
}

func (f *flags) of(file string) []string {
	if dirs, ok := f.byFile[file]; ok {
		return dirs
	}
	return f.all
}

// commandFiles are where builds leave the commands that they compile with.
var commandFiles = []string{"compile_commands.json", "build/compile_commands.json", "out/compile_commands.json"}

// compileFlags reads compile_commands.json, if there is one.
func (m *memory) compileFlags(r *resolve.Resolver) *flags {
	if m.flags != nil {
		return m.flags
	}
	m.flags = &flags{byFile: map[string][]string{}}
	for _, file := range commandFiles {
		text, err := r.Read(file)
		if err != nil {
			continue
		}
		var list []command
		if json.Unmarshal(text, &list) == nil {
			m.flags.read(r, list)
		}
		break
	}
	return m.flags
}

// A command is an entry of compile_commands.json.
type command struct {
	Directory, File, Command string
	Arguments                []string
}

func (f *flags) read(r *resolve.Resolver, list []command) {
	root := ""
	for _, c := range list {
		if root = projectRoot(r, path.Join(c.Directory, c.File), c.File); root != "" {
			break
		}
	}
	within := func(directory, p string) (string, bool) {
		if !path.IsAbs(p) {
			p = path.Join(directory, p)
		}
		if p = path.Clean(p); p == root {
			return ".", true
		}
		return strings.CutPrefix(p, root+"/")
	}
	for _, c := range list {
		file, ok := within(c.Directory, c.File)
		if root == "" || !ok {
			continue
		}
		words := c.Arguments
		if len(words) == 0 {
			words = strings.Fields(c.Command)
		}
		var dirs []string
		for i, w := range words {
			for _, flag := range []string{"-I", "-isystem", "-iquote"} {
				dir, ok := strings.CutPrefix(w, flag)
				if ok && dir == "" && i+1 < len(words) {
					dir = words[i+1]
				}
				if in, inside := within(c.Directory, dir); ok && dir != "" && inside {
					dirs = append(dirs, in)
				}
			}
		}
		f.byFile[file] = dirs
		for _, d := range dirs {
			if !slices.Contains(f.all, d) {
				f.all = append(f.all, d)
			}
		}
	}
}

// projectRoot returns the folder in which a compiled file has the path that it has
// in the project.
func projectRoot(r *resolve.Resolver, absolute, file string) string {
	if path.IsAbs(file) {
		absolute = path.Clean(file)
	}
	for rest := strings.TrimPrefix(absolute, "/"); rest != ""; {
		if _, ok := r.Files[rest]; ok {
			return strings.TrimSuffix(absolute, "/"+rest)
		}
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		rest = after
	}
	return ""
}

// includers returns the files that include one, in order. Reading the lines of every
// file takes steps like inference does.
func includers(r *resolve.Resolver, u *resolve.Unit) []string {
	m := memoryOf(u)
	if m.reverse == nil {
		m.reverse = map[string][]string{}
		for _, file := range sortedFiles(r) {
			text, err := r.Read(file)
			if err != nil {
				continue
			}
			for _, inc := range includeLines(string(text)) {
				if to := included(r, m, file, inc); to != "" && !slices.Contains(m.reverse[to], file) {
					m.reverse[to] = append(m.reverse[to], file)
				}
			}
		}
	}
	return m.reverse[u.Path]
}

// sortedFiles lists the sources of C and C++.
func sortedFiles(r *resolve.Resolver) []string {
	var all []string
	for p := range r.Files {
		if isSource(p) {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// includeLines returns what the lines of a text include.
func includeLines(text string) (all []include) {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			continue
		}
		line, ok = strings.CutPrefix(strings.TrimSpace(line), "include")
		if line = strings.TrimSpace(line); !ok || len(line) < 3 {
			continue
		}
		if end := strings.IndexAny(line[1:], `">`); end > 0 && (line[0] == '<' || line[0] == '"') {
			all = append(all, include{line[1 : end+1], line[0] == '<'})
		}
	}
	return all
}
