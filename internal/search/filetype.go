package search

import (
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index/ranking"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// languages is every language a filter may name.
var languages = syntax.Languages()

// languagesOf reads a language filter. It returns none for a name it does not know.
func languagesOf(name string) []syntax.Language {
	return syntax.Called(strings.TrimPrefix(strings.TrimSpace(name), "."))
}

// languageFilter checks a language argument; empty means every language.
func languageFilter(name string) ([]syntax.Language, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	if l := languagesOf(name); l != nil {
		return l, nil
	}
	known := make([]string, len(languages))
	for i, l := range languages {
		known[i] = string(l)
	}
	p := problem.New(problem.InvalidArgument, "search.is_no_known_language",
		msg.Param("language"), text.Clip(name, 40), len(known))
	if n := symbolname.Near(strings.ToLower(name), known, 1); len(n) > 0 {
		return nil, p.Or("search.use_argument", msg.ArgsOf("language", n[0]))
	}
	return nil, p.Or("search.leave_language_out_look_all", msg.Param("language"))
}

// typeFilter reads a file_type argument: a language, or an extension that some
// file of the project has.
func typeFilter(argument, name string, list []files.Entry) (func(string) bool, error) {
	bare := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "*"), "."))
	if bare == "" {
		return nil, nil
	}
	wanted := languagesOf(bare)
	seen := map[string]bool{}
	for _, f := range list {
		seen[extension(f.Path)] = true
	}
	if wanted == nil && !seen[bare] {
		delete(seen, "")
		for _, l := range languages {
			seen[string(l)] = true
		}
		known := slices.Sorted(maps.Keys(seen))
		p := problem.New(problem.InvalidArgument, "search.no_language_or_extension",
			msg.Param(argument), text.Clip(name, 40))
		for _, n := range symbolname.Near(bare, known, 2) {
			p.Or("search.use_argument", msg.ArgsOf(argument, n))
		}
		return nil, p.Or("search.leave_out_look_all_files", msg.Param(argument))
	}
	return func(file string) bool {
		return extension(file) == bare || slices.Contains(wanted, syntax.Detect(file, nil))
	}, nil
}

// extension returns the lower-case extension of a file without its dot.
func extension(file string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))
}

// testDirs are folders whose files test others.
var testDirs = []string{"test", "tests", "testing", "__tests__", "spec", "specs", "e2e", "testdata", "test-data", "fixtures"}

// TestPlace reports whether a symbol of a scope is a test or belongs to one: by its file,
// or by the module in which Rust keeps tests beside what they test.
func TestPlace(file, scope string) bool {
	if TestFile(file) {
		return true
	}
	if syntax.Detect(file, nil) != syntax.Rust {
		return false
	}
	module := strings.TrimSuffix(path.Base(file), path.Ext(file))
	return slices.ContainsFunc(append(strings.Split(scope, "."), module), func(m string) bool {
		return m == "test" || m == "tests" || strings.HasSuffix(m, "_test") || strings.HasSuffix(m, "_tests")
	})
}

// TestFile reports whether a file tests others, by the naming conventions of
// its language.
func TestFile(file string) bool {
	dir, base := path.Split(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	language := syntax.Of(syntax.Detect(base, nil))
	switch {
	case language.TestSuffix != "":
		if strings.HasSuffix(stem, language.TestSuffix) {
			return true
		}
	case strings.HasPrefix(base, "test_"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "_spec"),
		strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"), strings.HasSuffix(stem, "-test"),
		base == "conftest.py":
		return true
	}
	if language.TestClasses {
		for _, end := range []string{"Test", "Tests", "TestCase", "IT", "Spec", "Suite", "Cest", "Cept"} {
			if strings.HasSuffix(stem, end) {
				return true
			}
		}
	}
	return slices.ContainsFunc(strings.Split(strings.TrimSuffix(dir, "/"), "/"), func(d string) bool {
		return slices.Contains(testDirs, strings.ToLower(d)) || ranking.TestProject(d)
	})
}
