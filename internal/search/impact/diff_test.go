package impact

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/problem"
	"codeintel/internal/syntax"
	"codeintel/test/searchtest"
)

// openChanged returns an Analyzer over a repository of one commit, in which files were
// changed since; "" removes one.
func openChanged(t *testing.T, before, now map[string]string) *Analyzer {
	t.Helper()
	a := open(t, before)
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", a.p.Root, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	for name, text := range now {
		if text == "" {
			git("rm", "-q", "--cached", name)
			if err := exec.Command("rm", filepath.Join(a.p.Root, name)).Run(); err != nil {
				t.Fatal(err)
			}
			delete(now, name)
		}
	}
	searchtest.Write(t, a.p.Root, now)
	return a
}

// findings are those of an answer, a line each.
func findingsOf(a *Answer) (list []string) {
	for i := range a.Findings {
		f := &a.Findings[i]
		list = append(list, fmt.Sprintf("%s %s %s %.2f", f.Rule, f.place(), f.Symbol, f.Confidence))
	}
	return list
}

// TestDiff holds what is said of a diff: what of each file changed, and what is left undone.
func TestDiff(t *testing.T) {
	goFiles := map[string]string{
		"go.mod":            "module example.org/m\n\ngo 1.21\n",
		"lib/lib.go":        "package lib\n\n// Join joins.\nfunc Join(a, b string) string { return a + b }\n\n// Gone goes.\nfunc Gone() {}\n\n// Kept stays.\nfunc Kept() int {\n\t// one\n\treturn 1\n}\n",
		"main.go":           "package main\n\nimport \"example.org/m/lib\"\n\nfunc main() {\n\tlib.Join(\"a,b\", f(1, 2))\n\tlib.Gone()\n\tlib.Kept()\n}\n\nfunc f(a, b int) string { return \"\" }\n",
		"lib/lib_test.go":   "package lib\n\nimport \"testing\"\n\nfunc TestKept(t *testing.T) { Kept() }\n",
		"lib/other/file.go": "package other\n\nfunc Join(a, b, c string) {}\n\nfunc use() { Join(\"\", \"\", \"\") }\n",
	}
	pyFiles := map[string]string{
		"pkg/__init__.py": "",
		"pkg/a.py":        "def load(path, mode):\n    return path\n\n\ndef drop():\n    pass\n\n\nclass Box:\n    def put(self, x):\n        pass\n",
		"pkg/b.py":        "from .a import load, drop, Box\n\n\ndef run():\n    load('x', 'r')\n    drop()\n    Box().put(1)\n",
	}
	views := map[string]string{
		"web/views.py":                 "class View:\n    def __init__(self, path):\n        self.path = path\n\n\ndef pause_check(v):\n    return 1\n\n\ndef load(v):\n    return 2\n",
		"web/use.py":                   "from web.views import View\n\nv = View('x')\n",
		"web/load.py":                  "pass\n",
		"web/tests/test_pauseCheck.py": "def test_it(client):\n    client.get('/pause')\n",
		"web/tests/test_load.py":       "def test_it(client):\n    client.get('/load')\n",
	}
	data := map[string]string{
		"pkg/a.py":                   "def load(path):\n    return path\n",
		"tests/test_cases.py":        "CASES = \"tests/data/cases\"\n\n\ndef test_all():\n    for c in list(CASES):\n        check(c)\n",
		"tests/test_other.py":        "def test_other():\n    check('other.json')\n",
		"tests/data/cases/one.py":    "x = 1\n",
		"tests/data/other.json":      "{}\n",
		"web/web_test.go":            "package web\n\nfunc TestGolden(t *testing.T) { read(\"testdata\") }\n",
		"web/testdata/page/in.go":    "package page\n",
		"api/api_test.go":            "package api\n\nfunc TestAll(t *testing.T) { read(\"testdata\") }\n",
		"api/testdata/answer.golden": "yes\n",
	}
	for _, c := range []struct {
		name        string
		before, now map[string]string
		changes     string
		findings    []string
		tests       []string
	}{
		{"nothing", goFiles, map[string]string{}, "", nil, nil},
		{"a header of C++", map[string]string{"a.h": "namespace lib {\nclass A {\n  int one() { return 1; }\n  int two() { return 1; }\n};\n}\n"},
			map[string]string{"a.h": "namespace lib {\nclass A {\n  int one() { return 1; }\n  int two() { return 2; }\n};\n}\n"},
			"a.h changed: changed lib.A.two", nil, nil},
		{"comments and moved functions", goFiles, map[string]string{
			"lib/lib.go": "package lib\n\n// Kept remains.\nfunc Kept() int {\n\t// two\n\treturn 1\n}\n\n// Gone goes.\nfunc Gone() {}\n\n// Join joins.\nfunc Join(a, b string) string { return a + b }\n",
		}, "lib/lib.go changed", nil, []string{"lib/lib_test.go"}},
		{"Go", goFiles, map[string]string{
			"lib/lib.go": "package lib\n\n// Join joins.\nfunc Join(a, b, c string) string { return a + b }\n\n// Kept stays.\nfunc Kept() int {\n\t// one\n\treturn 2\n}\n",
		}, "lib/lib.go changed: signature Join, changed Kept, removed Gone", []string{
			"call-does-not-fit main.go:6 Join 0.95", "removed-in-use main.go:7 Gone 0.95",
		}, []string{"lib/lib_test.go"}},
		{"a parameter that may be left out", goFiles, map[string]string{
			"lib/lib.go": strings.Replace(goFiles["lib/lib.go"], "(a, b string)", "(a, b string, more ...int)", 1),
		}, "lib/lib.go changed: signature Join", []string{"signature-changed main.go:6 Join 0.50"}, []string{"lib/lib_test.go"}},
		{"calls that were updated", goFiles, map[string]string{
			"lib/lib.go": strings.Replace(goFiles["lib/lib.go"], "(a, b string)", "(a string)", 1),
			"main.go":    strings.Replace(goFiles["main.go"], "\"a,b\", f(1, 2)", "\"a,b\"", 1),
		}, "lib/lib.go changed: signature Join; main.go changed: changed main", nil, []string{"lib/lib_test.go"}},
		{"Python", pyFiles, map[string]string{
			"pkg/a.py": "def load(path):\n    return path\n\n\nclass Box:\n    def put(self, x, y):\n        pass\n",
		}, "pkg/a.py changed: signature load, signature Box.put, removed drop", []string{
			"removed-in-use pkg/b.py:1 drop 0.95", "call-does-not-fit pkg/b.py:5 load 0.95", "call-does-not-fit pkg/b.py:7 Box.put 0.95", "removed-in-use pkg/b.py:6 drop 0.50",
		}, nil},
		{"a new parameter with a default", pyFiles, map[string]string{
			"pkg/a.py": strings.Replace(pyFiles["pkg/a.py"], "path, mode", "path, mode, *, deep=False", 1),
		}, "pkg/a.py changed: signature load", []string{"signature-changed pkg/b.py:5 load 0.50"}, nil},
		{"a name that something else has now", pyFiles, map[string]string{
			"pkg/a.py": "from os import remove as drop\n" + strings.Replace(pyFiles["pkg/a.py"], "def drop():\n    pass\n", "", 1),
		}, "pkg/a.py changed: removed drop", []string{"removed-in-use pkg/b.py:1 drop 0.50", "removed-in-use pkg/b.py:6 drop 0.50"}, nil},
		{"a constructor, which no call names", views, map[string]string{
			"web/views.py": strings.Replace(views["web/views.py"], "self, path", "self, path, mode", 1),
		}, "web/views.py changed: signature View.__init__", []string{"call-does-not-fit web/use.py:3 View.__init__ 0.95"}, nil},
		{"functions of which one has a test of its own", views, map[string]string{
			"web/views.py": strings.NewReplacer("return 1", "return 3", "return 2", "return 4").Replace(views["web/views.py"]),
		}, "web/views.py changed: changed pause_check, changed load", nil, []string{"web/tests/test_pauseCheck.py"}},
		{"data that a test reads from a folder", data, map[string]string{"tests/data/cases/one.py": "x = 2\n"},
			"tests/data/cases/one.py changed: changed x", nil, []string{"tests/test_cases.py"}},
		{"data that a test names", data, map[string]string{"tests/data/other.json": "[]\n"},
			"tests/data/other.json changed", nil, []string{"tests/test_other.py"}},
		{"data of the nearest test", data, map[string]string{"web/testdata/page/in.go": "package page // new\n", "api/testdata/answer.golden": ""},
			"api/testdata/answer.golden deleted; web/testdata/page/in.go changed", nil, []string{"api/api_test.go", "web/web_test.go"}},
		{"a language that calls by the name of the module", map[string]string{
			"src/a.erl": "-module(a).\n-export([old/1]).\n\nold(X) ->\n    X + 1.\n",
			"src/b.erl": "-module(b).\n-export([go/0]).\n\ngo() ->\n    a:old(3) + c:old(4).\n",
			"src/c.ml":  "let go x = A.old x\n",
		}, map[string]string{"src/a.erl": "-module(a).\n-export([new/1]).\n\nnew(X) ->\n    X + 1.\n"},
			"src/a.erl changed: added new, removed old", []string{"removed-in-use src/b.erl:5 old 0.50"}, nil},
		{"a removed and a new file", pyFiles, map[string]string{"pkg/b.py": "", "pkg/c.py": "def run():\n    return [1, 2]\n"},
			"pkg/b.py deleted: removed run; pkg/c.py added: added run", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := openChanged(t, c.before, c.now).Analyze(t.Context(), Query{Diff: "HEAD"})
			if err != nil {
				t.Fatal(err)
			}
			var changes []string
			for _, f := range a.Changes {
				var what []string
				for _, s := range f.Symbols {
					what = append(what, s.Change+" "+s.Name)
				}
				changes = append(changes, strings.TrimSuffix(f.File+" "+f.Status+": "+strings.Join(what, ", "), ": "))
			}
			if got := strings.Join(changes, "; "); got != c.changes {
				t.Errorf("changes: %s\nwant:    %s", got, c.changes)
			}
			if got := findingsOf(a); !slices.Equal(got, c.findings) {
				t.Errorf("findings: %q\nwant: %q\n%s", got, c.findings, a.Text())
			}
			if !slices.Equal(a.Tests, c.tests) {
				t.Errorf("tests: %q, want %q", a.Tests, c.tests)
			}
		})
	}
}

// TestDiffRefusals holds what is no diff.
func TestDiffRefusals(t *testing.T) {
	a := openChanged(t, map[string]string{"a.py": "x = 1\n"}, nil)
	for _, q := range []Query{{Diff: "nosuch"}, {Diff: "nosuch..."}, {Diff: "HEAD", Targets: []string{"a.py"}}, {Diff: "--output=x"}} {
		if got, err := a.Analyze(t.Context(), q); problem.Of(err) == nil {
			t.Errorf("%+v: %v, %v", q, got, err)
		}
	}
	if _, err := a.Analyze(t.Context(), Query{Diff: "a.py"}); problem.Of(err) == nil || len(problem.Of(err).Next) != 2 {
		t.Errorf("the name of a file for a commit: %v", err)
	}
	if got, err := a.Analyze(t.Context(), Query{Diff: "HEAD..."}); err != nil || got.Base == "" {
		t.Errorf("%v, %v", got, err)
	}
	none := open(t, map[string]string{"a.py": "x = 1\n"})
	if _, err := none.Analyze(t.Context(), Query{Diff: "HEAD"}); problem.Of(err) == nil {
		t.Errorf("without a repository: %v", err)
	}
}

// TestArity counts parameters and arguments.
func TestArity(t *testing.T) {
	for _, c := range []struct {
		lang      syntax.Language
		signature string
		scope     string
		want      string // "" if it cannot be told
	}{
		{syntax.Go, "func f(a, b int, c map[string]func(int, int) error)", "", "3"},
		{syntax.Go, "func (r *T) f[K comparable, V any](k K, v ...V) (a, b int)", "T", "1 or more"},
		{syntax.Go, "func f()", "", "0"},
		{syntax.Python, "def f(self, a, b=1, *rest)", "T", "1 or more"},
		{syntax.Python, "def f(a: Dict[str, int], b: int = 1)", "", "1 to 2"},
		{syntax.Python, "def f(a, *, b)", "", ""},
		{syntax.TypeScript, "function f<T extends A>(a: Map<string, T>, b?: number, c: () => void)", "", "2 to 3"},
		{syntax.TypeScript, "f(a: string, b = {x: 1, y: 2})", "T", "1 to 2"},
		{syntax.Java, "public <T> List<T> f(Map<String, T> a, int... b)", "T", "1 or more"},
		{syntax.CSharp, "public static void f(this T a, int b)", "T", ""},
		{syntax.Rust, "fn f<'a>(a: &'a str, b: Vec<(u8, u8)>) -> Option<u8>", "", "2"},
		{syntax.Rust, "fn f(&self, a: u8)", "T", ""},
		{syntax.JavaScript, "function f(a, b)", "", ""},
		{syntax.Go, "func f(a int", "", ""},
	} {
		got := ""
		if a, ok := parametersOf(c.lang, &syntax.Symbol{Name: "f", Scope: c.scope, Signature: c.signature}); ok {
			got = a.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.signature, got, c.want)
		}
	}
	for _, c := range []struct {
		lang syntax.Language
		call string
		want int // -1 if it cannot be told
	}{
		{syntax.Go, `f("a,b", g(1, 2), []int{1, 2})`, 3},
		{syntax.Go, "f(\n\ta, // one, two\n\tb,\n)", 2},
		{syntax.Go, `f(g())`, -1},
		{syntax.Go, `f(list...)`, -1},
		{syntax.Go, `f[int](',', '(')`, 2},
		{syntax.Python, `f(*a)`, -1},
		{syntax.Python, `f(a, b=1)`, -1},
		{syntax.Python, `f(a == b, "x\", y")`, 2},
		{syntax.Java, `f(new HashMap<String, List<T>>(), a < b, c > d)`, 3},
		{syntax.TypeScript, "f((a, b) => a, `x, ${y}`)", 2},
		{syntax.Rust, `f(|a, b| a)`, -1},
		{syntax.Go, `f`, -1},
		{syntax.Go, `f(a`, -1},
		{syntax.Go, `f()`, 0},
	} {
		got, ok := argumentsAt(c.lang, "  "+c.call, 3, "f")
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.call, got, c.want)
		}
	}
	for _, text := range []string{"(", "<", "('", "(\"\\", "(>", "<<<>", "(a<b>c>d<", "[", "(]", "f(/*"} {
		arguments(text) // ends
	}
}

// TestTestsToRun names no file among the tests that has no tests.
func TestTestsToRun(t *testing.T) {
	a := openChanged(t, map[string]string{
		"a.py":              "def load():\n    pass\n",
		"tests/utils.py":    "from a import load\n\n\ndef helper():\n    return load()\n",
		"tests/loading.py":  "from a import load\n\n\ndef test_it():\n    load()\n",
		"tests/test_all.py": "from a import load\n\nload()\n",
	}, map[string]string{"a.py": "def load():\n    return 1\n"})
	answer, err := a.Analyze(t.Context(), Query{Diff: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(answer.Tests)
	if got := strings.Join(answer.Tests, " "); got != "tests/loading.py tests/test_all.py" {
		t.Errorf("tests to run: %s", got)
	}
}
