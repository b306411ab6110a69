package repoprofile

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/project"
)

// made is what a repository is made with.
type made struct{ frameworks, linters []string }

// maxManifests is how many files with dependencies are read.
const maxManifests = 200

// parts returns what the dependencies and the files of settings tell.
func parts(p *project.Project, entries []files.Entry) made {
	frameworks, linters := make(map[string]bool), make(map[string]bool)
	read := 0
	for _, e := range entries {
		if isAside(e) {
			continue
		}
		base := path.Base(e.Path)
		if name := settingsOf(base); name != "" {
			linters[name] = true
		}
		reader, ok := readerOf(base)
		if !ok || read == maxManifests {
			continue
		}
		read++
		text, err := files.ReadEntry(p, e)
		if err != nil {
			continue // it is a hint less
		}
		for _, dependency := range reader.dependencies(string(text.Bytes)) {
			name := lookUp(known()[reader.known], dependency)
			if linter, ok := strings.CutPrefix(name, "!"); ok {
				linters[linter] = true
			} else if name != "" {
				frameworks[name] = true
			}
		}
	}
	return made{sorted(frameworks), sorted(linters)}
}

// sorted returns names in the order of the alphabet, whatever their case.
func sorted(names map[string]bool) []string {
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
	})
}

// lookUp returns what a dependency is known as. A name in the table that ends in
// "*" is a beginning; of two the longer one counts.
func lookUp(known map[string]string, dependency string) string {
	if name := known[dependency]; name != "" {
		return name
	}
	for n := len(dependency); n > 0; n-- {
		if name := known[dependency[:n]+"*"]; name != "" {
			return name
		}
	}
	return ""
}

// A reader finds dependencies in files of one kind.
type reader struct {
	files        []string // their names, or patterns
	dependencies func(text string) []string
	known        string // the part of known.yaml that says what they are
}

func readerOf(base string) (reader, bool) {
	for _, r := range readers {
		for _, name := range r.files {
			if ok, _ := path.Match(name, base); ok {
				return r, true
			}
		}
	}
	return reader{}, false
}

// matches returns a function that finds the first group of pattern.
func matches(pattern string) func(string) []string {
	re := regexp.MustCompile(pattern)
	return func(text string) (all []string) {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		return all
	}
}

// jsonKeys returns a function that finds the keys of some objects of a JSON file.
func jsonKeys(objects ...string) func(string) []string {
	return func(text string) (all []string) {
		var file map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &file) != nil {
			return nil
		}
		for _, o := range objects {
			var keys map[string]json.RawMessage
			if json.Unmarshal(file[o], &keys) == nil {
				all = slices.AppendSeq(all, maps.Keys(keys))
			}
		}
		return all
	}
}

// modules returns the modules that a go.mod requires itself, without the version
// that ends a path.
func modules(text string) (all []string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "// indirect") {
			continue
		}
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && strings.Contains(fields[0], ".") && strings.HasPrefix(fields[1], "v") {
			all = append(all, majorVersion.ReplaceAllString(fields[0], ""))
		}
	}
	return all
}

var majorVersion = lazyregexp.MustCompile(`/v\d+$`)

// crates returns the dependencies that a Cargo.toml names, in tables and as tables.
func crates(text string) (all []string) {
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if table, ok := strings.CutPrefix(line, "["); ok {
			table = strings.TrimRight(table, "] \t")
			inside = strings.HasSuffix(table, "dependencies")
			if _, name, ok := strings.Cut(table, "dependencies."); ok {
				all = append(all, name)
			}
			continue
		}
		if name, _, ok := strings.Cut(line, "="); ok && inside {
			name, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(name), `"`), ".")
			all = append(all, name)
		}
	}
	return all
}

// requirement matches the name of a Python package where a version, an extra or the
// end follows it, and the tables in which tools are set.
var requirement = lazyregexp.MustCompile(`(?m)(?:^|["'])[ \t]*([A-Za-z][A-Za-z0-9._-]*)[ \t]*(?:[\[<>=~!;,#"']|$)|^\[(?:tool[.:])?([a-z0-9_-]+)`)

func requirements(text string) (all []string) {
	for line := range strings.Lines(text) {
		if key, _, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "name" {
			continue // the project's own
		}
		for _, m := range requirement.FindAllStringSubmatch(strings.TrimRight(line, "\r\n"), -1) {
			all = append(all, strings.ReplaceAll(strings.ToLower(m[1]+m[2]), "_", "-"))
		}
	}
	return all
}
