package ranking

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

func TestPathClasses(t *testing.T) {
	for path, want := range map[string][2]bool{ // test, example
		"a/b.go":                   {},
		"a/b_test.go":              {true},
		"test_x.py":                {true},
		"src/FooTest.java":         {true},
		"src/latest.go":            {},
		"src/Contest.java":         {},
		"web/a.spec.ts":            {true},
		"conftest.py":              {true},
		"x/tests/helper.py":        {true},
		"x/testdata/a.json":        {true},
		"protest/a.py":             {},
		"examples/a.go":            {false, true},
		"pkg/docs/a.md":            {false, true},
		"docs.go":                  {},
		"vendor/x/a.go":            {},
		"a/legacy/b.ts":            {},
		"My.Project.Tests/Unit.cs": {true},

		"My.Tests.Web/Unit.cs":          {true},
		"test/My.IntegrationTests/A.cs": {true},
		"UnitTests/A.cs":                {true},
		"Tests/KitTests/A.swift":        {true},
		"My.TestAdapter/A.cs":           {},
		"Contests/A.cs":                 {},
	} {
		m := mark(question.Analyse("x"), path)
		if got := [2]bool{m&(1<<test) != 0, m&(1<<example) != 0}; got != want {
			t.Errorf("%s: test, example = %v, want %v", path, got, want)
		}
	}
}

// IsTest says without regular expressions what these say.
func TestIsTest(t *testing.T) {
	file := regexp.MustCompile(`^(?:test_.*|.*[_.-](?:test|tests|spec)|.*[a-z0-9](?:Test|Tests|TestCase|Spec|Suite)|conftest)\.\w+$`)
	folder := regexp.MustCompile(`^(?:tests?|__tests__|specs?|testing|testdata|test-.*|.*-tests?|fixtures?|e2e|(?:.*\.)?(?:[^.]*[a-z0-9])?(?:Tests?|Specs?)(?:\..*)?)$`)
	ending := regexp.MustCompile(`.(?:\.t|\.bats|_SUITE\.erl)$`)
	part := rapid.SampledFrom([]string{"t", ".t", ".bats", "_SUITE.erl", "test", "tests", "Test", "Tests", "TestCase", "spec", "specs", "Spec", "Suite", "conftest",
		"testing", "testdata", "__tests__", "fixture", "e2e", "s", "_", "-", ".", "/", "a", "B", "7", "é", "Unit", "Specs", ".go", ".x y"})
	rapid.Check(t, func(t *rapid.T) {
		p := strings.Join(rapid.SliceOfN(part, 1, 7).Draw(t, "parts"), "")
		want := file.MatchString(path.Base(p)) || inFolder(p, folder.MatchString) ||
			ending.MatchString(path.Base(p)) || strings.HasPrefix(p, "t/")
		if got := IsTest(p); got != want {
			t.Fatalf("%q: %t, want %t", p, got, want)
		}
	})
}

func TestStem(t *testing.T) {
	asked := question.Analyse("when is a cache entry evicted").Terms
	var tokenizer terms.Tokenizer
	for path, want := range map[string]float64{
		"store/cache.go":       1,
		"store/cache_entry.go": 2.0 / 3, // the name whole, its two words
		"cache/store.go":       0,       // folders are the path's own score
		"cache":                1,
		"x/.go":                0,
	} {
		if got := StemShare(&tokenizer, asked, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestRank(t *testing.T) {
	c := func(file int, text, name float64) (c Candidate) {
		c.File = file
		c.Signals[Text], c.Signals[Name] = text, name
		return c
	}
	first := func(kind question.Kind, all ...Candidate) int {
		t.Helper()
		order := Rank(kind, &Standard, all, len(all))
		if len(order) == 0 {
			t.Fatal("nothing is ranked")
		}
		return order[0].Candidate
	}
	if got := first(question.Prose, c(0, 1, 0), c(1, 3, 0), c(2, 2, 0)); got != 1 {
		t.Errorf("the best text comes at %d", got)
	}
	marked := c(0, 3, 0)
	marked.Marks = 1 << test
	if got := first(question.Prose, marked, c(1, 2, 0)); got != 1 {
		t.Error("a test beats what it tests")
	}
	defined := c(0, 1, 0)
	defined.Definition = 1
	if got := first(question.Symbolic, c(1, 3, 3), defined); got != 1 {
		t.Error("a mention beats the definition")
	}
	// Two files alike, one with more that fits.
	if got := first(question.Prose, c(0, 2, 0), c(1, 2, 0), c(1, 1.5, 0)); got != 1 {
		t.Error("coherence counts for nothing")
	}
	// A second piece of the best file gives way to the best of another.
	order := Rank(question.Prose, &Standard, []Candidate{c(0, 3, 0), c(0, 2.9, 0), c(1, 2.8, 0)}, 3)
	if order[1].Candidate != 2 {
		t.Error("a file fills the top")
	}
	named := c(0, 1, 0)
	named.Signals[Stem] = 1
	if got := first(question.Prose, c(1, 1, 0), named); got != 1 {
		t.Error("the name of a file counts for nothing")
	}
	if got := Rank(question.Prose, &Standard, []Candidate{{}, {}}, 2); len(got) != 0 {
		t.Errorf("nothing speaks for %v", got)
	}
	if got := Rank(question.Prose, &Standard, nil, 9); len(got) != 0 {
		t.Errorf("ranked %v out of nothing", got)
	}
	if got := Rank(question.Prose, &Standard, []Candidate{c(0, 1, 0), c(1, 3, 0), c(2, 2, 0)}, 2); len(got) != 2 || got[0].Candidate != 1 || got[1].Candidate != 2 {
		t.Errorf("the best two are %v", got)
	}
	if got := Rank(question.Symbolic, &Standard, []Candidate{marked, defined}, 1)[0].Reasons; strings.Join(got, ", ") != "definition" {
		t.Errorf("reasons %q", got)
	}
}

// TestOrdinary wants no mark to count against the files of a project most of which
// have it.
func TestOrdinary(t *testing.T) {
	q := question.Analyse("where are owners found")
	for _, c := range []struct {
		paths, about string
		want         Marks
	}{
		{"src/main/java/org/x/samples/a/A.java README.md", "src/main/java/org/x/samples/a/A.java", 0},
		{"samples/a.py samples/b.py c.py", "samples/a.py", 0},
		{"samples/a.py b.py c.py", "samples/a.py", 1 << example},
		{"tests/a.py tests/b.py c.py", "tests/a.py", 1 << test},
		{"tests/a.py tests/b.py", "tests/a.py", 0},
		{"src/a.js src/b.js dist/a.js", "dist/a.js", Generated},
		{"src/a.php tests/LoginCest.php", "app/LoginCest.php", 1 << test},
	} {
		got := ShapeOf(slices.Values(strings.Fields(c.paths))).Mark(q, c.about)
		if got != c.want {
			t.Errorf("%s of %s: marks %b, want %b", c.about, c.paths, got, c.want)
		}
	}
}

// TestSettingsOfTools holds that a question about settings is not answered by those of an
// editor, unless it names it.
func TestSettingsOfTools(t *testing.T) {
	for _, c := range []struct {
		asked, path string
		marked      bool
	}{
		{"where are the settings of the server read", ".claude/settings.json", true},
		{"where are the settings of the server read", "tools/.vscode/settings.json", true},
		{"which commands do the settings of Claude allow", ".claude/settings.json", false},
		{"where are the settings of the server read", "config/settings.json", false},
		{"which workflows run the linter", ".github/workflows/ci.yml", false},
		{"where are retries counted", ".claude/settings.json", true},
	} {
		if m := mark(question.Analyse(c.asked), c.path); m != 0 != c.marked {
			t.Errorf("%s, %s: marks %b", c.asked, c.path, m)
		}
	}
}
