package repoprofile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
)

// A Language is one of the languages of a repository.
type Language struct {
	Name    string // as people write it
	Bytes   int64
	Percent float64 // of all bytes that count
}

// languages counts the bytes of the repository's own code by language, the most
// first: without test data, examples and what is generated. Data, prose and Makefiles
// count only where there is nothing else.
func languages(p *project.Project, entries []files.Entry) []Language {
	code, other := make(map[string]int64), make(map[string]int64)
	var headers int64 // that look like C
	for _, e := range entries {
		if isAside(e) {
			continue
		}
		lang, own := languageOf(p, e)
		if !own {
			continue
		}
		name, counts := nameOf(lang)
		if lang == syntax.C && path.Ext(e.Path) == ".h" {
			headers += e.Size
		} else if counts {
			code[name] += e.Size
		} else if name != "" {
			other[name] += e.Size
		}
	}
	if headers > 0 && code["C++"] > code["C"] {
		code["C++"] += headers // C's headers are C++, too
	} else if headers > 0 {
		code["C"] += headers
	}
	if len(code) == 0 {
		code = other
	}
	var total int64
	for _, n := range code {
		total += n
	}
	var all []Language
	for _, name := range slices.Sorted(maps.Keys(code)) {
		if n := code[name]; n > 0 {
			all = append(all, Language{name, n, 100 * float64(n) / float64(total)})
		}
	}
	slices.SortStableFunc(all, func(a, b Language) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// lookInto is the size from which a file is opened to see whether it is generated:
// the small ones do not change the picture.
const lookInto = 64 << 10

// languageOf returns the language of a file, and whether somebody wrote it here. A
// file is opened only where its name does not tell enough.
func languageOf(p *project.Project, e files.Entry) (syntax.Language, bool) {
	if e.Class != files.Source || e.Size == 0 {
		return "", false
	}
	name := path.Base(e.Path)
	if name == "Jenkinsfile" {
		return "", false
	}
	ext := strings.ToLower(path.Ext(name))
	if ext != "" && ext != ".h" && ext != ".inc" && e.Size < lookInto {
		return syntax.Detect(e.Path, nil), true
	}
	if ext != "" && syntax.Detect(e.Path, nil) == syntax.Unknown && ext != ".inc" {
		return "", false
	}
	text, err := files.ReadEntry(p, e)
	if err != nil || text.Class != files.Source {
		return "", false
	}
	return syntax.Detect(e.Path, text.Bytes), true
}

// nameOf returns how people write a language, and whether it counts as code.
func nameOf(lang syntax.Language) (name string, code bool) {
	if lang == syntax.Unknown {
		return "", false
	}
	s := syntax.Of(lang)
	if s.Title == "" {
		return strings.ToUpper(string(lang[:1])) + string(lang[1:]), !s.Prose
	}
	return s.Title, !s.Prose
}
