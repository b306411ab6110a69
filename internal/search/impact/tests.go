package impact

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// tests finds the tests that cover a target by their names. Tests that refer
// to a target were found with the other references.
func (r *run) tests() error {
	targets := map[string]bool{}
	for _, f := range r.changing() {
		targets[f] = true
	}
	for _, t := range TestsNamed(targets, r.list) {
		if !r.own[t.Test] {
			r.found.add(t.Test, should, "test of "+path.Base(t.Of)+byName, place{}, "")
		}
	}
	if err := r.testsOfSymbols(); err != nil {
		return err
	}
	return r.readers()
}

// minSubject is how long the name of a symbol is at least that a test is called after.
const minSubject = 4

// testsOfSymbols finds tests that are called after a function or a type that changes: of
// several that are called so, the nearest, as with files. What a file is called has priority.
func (r *run) testsOfSymbols() error {
	byName := map[string]*index.Symbol{}
	for i := range r.symbols {
		s := &r.symbols[i]
		if name := plainName(s.Name); len(name) >= minSubject && !search.TestFile(s.File) &&
			(s.Kind.Callable() || s.Kind.HasMembers()) {
			byName[name] = s
		}
	}
	var tests []string
	for _, f := range r.list {
		subject := testSubject(f.Path)
		switch {
		case byName[subject] == nil || !f.Class.Indexed():
		case !search.TestFile(f.Path):
			delete(byName, subject)
		case calledTest(f.Path) && !r.own[f.Path]:
			tests = append(tests, f.Path)
		}
	}
	for _, t := range tests {
		s := byName[testSubject(t)]
		if s == nil {
			continue
		}
		all, err := r.a.x.Symbols(r.ctx, index.SymbolQuery{Name: s.Name, Match: index.Exact,
			Language: s.Language, Limit: 100})
		if err != nil {
			return fmt.Errorf("tests of %s: %w", s.Name, err)
		}
		var files []string
		for i := range all {
			if f := all[i].File; !search.TestFile(f) && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
		if testedBy(t, files) == s.File {
			r.found.add(t, should, "test called after "+s.Name, place{}, "")
		}
	}
	return nil
}

// A NamedTest is a test that is called after the file that it tests.
type NamedTest struct{ Test, Of string }

// TestsNamed returns the tests that are called after some files of a project, in the order
// of its list. Where several files have the name that a test is called after, the test is
// of the nearest, and of none if two are as near.
func TestsNamed(targets map[string]bool, list []files.Entry) (found []NamedTest) {
	byName := map[string]bool{} // subjects of targets
	for f := range targets {
		if !search.TestFile(f) {
			byName[testSubject(f)] = true
		}
	}
	named := map[string][]string{} // subject -> files called so
	var tests []string
	for _, f := range list {
		subject := testSubject(f.Path)
		switch {
		case !byName[subject] || !f.Class.Indexed():
		case search.TestFile(f.Path):
			if calledTest(f.Path) {
				tests = append(tests, f.Path)
			}
		default:
			named[subject] = append(named[subject], f.Path)
		}
	}
	for _, t := range tests {
		if of := testedBy(t, named[testSubject(t)]); targets[of] {
			found = append(found, NamedTest{t, of})
		}
	}
	return found
}

// calledTest reports whether the name of a file in a test says that it is one, or it
// lies in a folder of tests itself: further down lies what tests need.
func calledTest(file string) bool {
	base := path.Base(file)
	return search.TestFile(base) || isTestDir(path.Base(path.Dir(file)))
}

// testedBy returns the file that a test is of by its name, "" if there is none.
func testedBy(test string, files []string) string {
	best, nearest, tied := "", -1, false
	for _, f := range files {
		if !testReaches(test, f) {
			continue
		}
		switch n := testDistance(test, f); {
		case n > nearest:
			best, nearest, tied = f, n, false
		case n == nearest:
			tied = true
		}
	}
	if tied {
		return ""
	}
	return best
}

// testDistance says how near a test lies to a file: how many folders the two share, those
// that only tell tests from what they test left out, and those that one of them has
// alone against it.
func testDistance(test, file string) int {
	a, b := folders(test), folders(file)
	shared := 0
	for _, d := range a {
		if i := slices.Index(b, d); i >= 0 {
			shared++
			b = slices.Delete(b, i, i+1)
		}
	}
	return 1000 + 10*shared - len(b)
}

// folders are the folders of a path that say what it is about.
func folders(file string) (list []string) {
	for d := range strings.SplitSeq(path.Dir(file), "/") {
		if d != "." && d != "src" && d != "lib" && d != "main" && !isTestDir(d) {
			list = append(list, strings.TrimPrefix(d, "test_"))
		}
	}
	return list
}

// testSubject is the name of what a file is or tests, without the marks that the naming
// conventions of languages put round it. A file that stands for its folder has its name.
func testSubject(file string) string {
	b := path.Base(file)
	b = strings.TrimSuffix(b, path.Ext(b))
	low := strings.ToLower(b)
	for _, mark := range []string{".test", ".spec", ".tests", "_test", "_spec", "_tests", "-test", "-spec", ".cy", ".e2e"} {
		low = strings.TrimSuffix(low, mark)
	}
	for _, mark := range []string{"test_", "spec_", "test-"} {
		low = strings.TrimPrefix(low, mark)
	}
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
	if low == "__init__" || low == "index" || low == "mod" || low == "main" {
		if in := folders(file); len(in) > 0 {
			low = in[len(in)-1]
		}
	}
	return plainName(low)
}

// plainName is a name as others write it too: updateCheck and update_check are the same.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// testReaches reports whether a test may be of a file of its name: same
// language, and the same folder, one beside it, or a tree of tests.
func testReaches(test, target string) bool {
	if languageFamily(test) != languageFamily(target) {
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

// languageFamily names the languages whose tests test the file.
func languageFamily(file string) string {
	if f := syntax.Of(syntax.Detect(file, nil)).Family; f != "" {
		return f
	}
	return strings.ToLower(path.Ext(file))
}
