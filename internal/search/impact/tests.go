package impact

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/search"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// tests finds the tests that cover a target by their names. Tests that refer
// to a target were found with the other references.
func (r *run) tests() error {
	stems := map[string][]string{} // what a test of the file is about -> target files
	add := func(file string) {
		subject := testSubject(file)
		if !search.TestFile(file) && !slices.Contains(stems[subject], file) {
			stems[subject] = append(stems[subject], file)
		}
	}
	for f := range r.own {
		add(f)
	}
	for _, s := range r.symbols {
		add(s.File)
	}
	for _, f := range r.list {
		if r.own[f.Path] || !search.TestFile(f.Path) || !f.Class.Indexed() {
			continue
		}
		for _, target := range stems[testSubject(f.Path)] {
			if testReaches(f.Path, target) {
				r.found.add(f.Path, should, "test of "+path.Base(target)+" by its name", 0, "")
			}
		}
	}
	return nil
}

// testSubject is the name of what a file is or tests, without the marks that
// the naming conventions of languages put round it.
func testSubject(file string) string {
	b := path.Base(file)
	b = strings.TrimSuffix(b, path.Ext(b))
	low := strings.ToLower(b)
	for _, mark := range []string{".test", ".spec", "_test", "_spec", "-test", ".cy", ".e2e"} {
		low = strings.TrimSuffix(low, mark)
	}
	low = strings.TrimPrefix(low, "test_")
	if b != strings.ToLower(b) { // CamelCase languages: FooTest, FooTests, TestFoo
		for _, mark := range []string{"testcase", "tests", "test", "spec", "it"} {
			if t, ok := strings.CutSuffix(low, mark); ok && t != "" {
				low = t
				break
			}
		}
		if t, ok := strings.CutPrefix(low, "test"); ok && t != "" {
			low = t
		}
	}
	return strings.NewReplacer("_", "", "-", "").Replace(low)
}

// testReaches reports whether a test may be of a file of its name: same
// language, and the same folder, one beside it, or a tree of tests.
func testReaches(test, target string) bool {
	if family(test) != family(target) {
		return false
	}
	td, fd := path.Dir(test), path.Dir(target)
	if td == fd || path.Dir(td) == fd {
		return true
	}
	if path.Ext(test) == ".go" {
		return false // a test of another package
	}
	if text.CommonTail(td, fd) > 0 {
		return true // src/main/java/a/b and src/test/java/a/b
	}
	// tests/test_x.py tests pkg/x.py, unless the two lie in different projects.
	top, _, _ := strings.Cut(test, "/")
	return isTestDir(top) || strings.HasPrefix(fd, path.Dir(td)) || path.Dir(td) == "."
}

func isTestDir(dir string) bool { return search.TestFile(dir + "/x") }

// family names the languages whose tests test the file.
func family(file string) string {
	if f := syntax.Of(syntax.Detect(file, nil)).Family; f != "" {
		return f
	}
	return strings.ToLower(path.Ext(file))
}
