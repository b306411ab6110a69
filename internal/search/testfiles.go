package search

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/index/ranking"
	"codeintel/internal/syntax"
)

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
	case ranking.NamedAsTest(file):
		return true
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
	for d := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if slices.Contains(testDirs, strings.ToLower(d)) || ranking.TestProject(d) {
			return true
		}
	}
	return false
}
