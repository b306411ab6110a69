//go:build unix

package verify

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lay writes files into a folder.
func lay(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// The tests of the base run in a copy: what failed is told, unless the copy is to blame.
func TestBaseTests(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, c := range []struct {
		name, script string
		passed       bool
		skipped      bool
		failed       []string
	}{
		{"the old test passes", "true", true, false, nil},
		{"the old test fails", "sh tests/a.sh", false, false, []string{"TestOld"}},
		{"a test that was added is not there", "! test -e tests/new.sh", true, false, nil},
		{"a test that was deleted is there", "test -e tests/gone.sh", true, false, nil},
		{"what is installed is there", "test -e node_modules/dep/index.js", true, false, nil},
		{"small files that git ignores are there", "test -e .env.local && test -e gen/code.py", true, false, nil},
		{"what was built is not there", "! test -e dist", true, false, nil},
		{"works in the project alone", "test -e .git", false, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, map[string]string{
				"code": "new", "tests/a.sh": "exit 0", "tests/new.sh": "", ".git/HEAD": "",
				"node_modules/dep/index.js": "", ".env.local": "", "gen/code.py": "", "dist/code.js": "",
			})
			b := &Base{Part: Tests,
				Files:   []string{"code", "tests/a.sh", "tests/new.sh"},
				Ignored: []string{"node_modules/", ".env.local", "gen/", "dist/"},
				Was:     map[string][]byte{"tests/a.sh": []byte("echo '--- FAIL: TestOld (0.00s)'; exit 1"), "tests/gone.sh": []byte("")},
				Added:   []string{"tests/new.sh"},
			}
			r, err := b.run(t.Context(), root, sh(c.script))
			if err != nil {
				t.Fatal(err)
			}
			if r.Passed != c.passed || !r.Skipped.IsZero() != c.skipped || !cmp.Equal(r.Failed, c.failed) {
				t.Errorf("%+v", r)
			}
			if data, err := os.ReadFile(filepath.Join(root, "tests/a.sh")); string(data) != "exit 0" {
				t.Errorf("the project's own test is %q, %v", data, err)
			}
		})
	}
}

// With the code as it was, the tests are those of now. What a command says there counts if it fails for
// the code, and passes with no other.
func TestBaseCode(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	lay(t, root, map[string]string{"code": "new", "added": "", "tests/new.sh": "grep -q new code", ".git/HEAD": ""})
	b := &Base{Part: Code, Files: []string{"code", "added", "tests/new.sh"}, Was: map[string][]byte{"code": []byte("old")},
		Added: []string{"added"}, Source: []string{"code", "added"}}
	for _, c := range []struct {
		name, script    string
		passed, skipped bool
	}{
		{"needs the change", "sh tests/new.sh", false, false},
		{"needs what was added", "test -e added", false, false},
		{"passes without the change", "grep -q old code && ! test -e added", true, false},
		{"fails in a copy, whatever the code", "test -e .git", false, true},
		{"runs other code than that of the copy", "grep -q new " + root + "/code", false, true},
		{"runs no code", "true", false, true},
	} {
		r, err := b.run(t.Context(), root, sh(c.script))
		if err != nil || r.Passed != c.passed || !r.Skipped.IsZero() != c.skipped {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(root, "code")); string(data) != "new" {
		t.Errorf("the project's own code is %q, %v", data, err)
	}
}

// What is installed leads to the copy's code where it led to the project's: packages of a workspace, and
// what Composer loads.
func TestBaseCodeOfWorkspaces(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	lay(t, root, map[string]string{"packages/a/code": "new", "packages/b/tests/new.sh": "", "src/code": "new",
		"node_modules/dep/code": "dep", "node_modules/@other/dep/code": "dep", "vendor/acme/dep/code": "dep",
		"vendor/autoload.php": "cat $(dirname $(realpath $0))/../src/code", "vendor/bin/unit": "sh $(dirname $(realpath $0))/../autoload.php",
		"vendor/composer/real.php": "cat $(dirname $(realpath $0))/../../src/code"})
	for link, to := range map[string]string{"node_modules/a": "../packages/a", "node_modules/@acme/a": "../../packages/a",
		"vendor/acme/a": "../../packages/a", "node_modules/linked": "dep"} {
		link = filepath.Join(root, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(to, link)); err != nil {
			t.Fatal(err)
		}
	}
	b := &Base{Part: Code, Files: []string{"packages/a/code", "packages/b/tests/new.sh", "src/code"}, Ignored: []string{"node_modules/", "vendor/"},
		Was: map[string][]byte{"packages/a/code": []byte("old"), "src/code": []byte("old")}, Source: []string{"packages/a/code", "src/code"}}
	for _, script := range []string{"grep -q new node_modules/a/code", "grep -q new node_modules/@acme/a/code", "grep -q new vendor/acme/a/code",
		"sh vendor/bin/unit | grep -q new", "sh vendor/composer/real.php | grep -q new"} {
		script = "cat node_modules/dep/code node_modules/linked/code node_modules/@other/dep/code vendor/acme/dep/code && " + script
		if r, err := b.run(t.Context(), root, sh(script)); err != nil || r.Passed || !r.Skipped.IsZero() {
			t.Errorf("%s: %+v, %v", script, r, err)
		}
	}
}

// What cannot be read in the second run is source that changed, and what is beside it, but no tests or settings.
func TestNoteSource(t *testing.T) {
	b := &Base{Part: Code, Was: map[string][]byte{"shop/cart.py": nil, "package.json": nil}, Added: []string{"web/new.ts"},
		Files: []string{"shop/cart.py", "shop/price.py", "shop/price_test.py", "other/a.py", "tsconfig.json", "web/old.ts", "web/a.css"}}
	b.NoteSource(func(file string) bool { return file != "shop/price_test.py" })
	slices.Sort(b.Source)
	if want := []string{"shop/cart.py", "shop/cart.py", "shop/price.py", "web/new.ts", "web/old.ts"}; !cmp.Equal(b.Source, want) {
		t.Errorf("%q", b.Source)
	}
}

// A copy follows no link out of itself.
func TestBaseTestsStayInTheCopy(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root, other := t.TempDir(), t.TempDir()
	lay(t, root, map[string]string{"code": "new"})
	lay(t, other, map[string]string{"a.sh": "kept"})
	if err := os.Symlink(other, filepath.Join(root, "tests")); err != nil {
		t.Fatal(err)
	}
	b := &Base{Part: Tests, Files: []string{"code", "tests"}, Was: map[string][]byte{"tests/a.sh": []byte("bent")}, Added: []string{"tests/a.sh"}}
	if r, err := b.run(t.Context(), root, sh("true")); err != nil || r.Skipped.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
	if data, err := os.ReadFile(filepath.Join(other, "a.sh")); string(data) != "kept" {
		t.Errorf("outside: %q, %v", data, err)
	}
}

// Nothing that others put into the temporary folder lies above a copy, where programs look for
// their settings; and git finds no repository there, whose files a test might then change.
func TestBaseTestsStandAlone(t *testing.T) {
	root, open, own := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", open)
	t.Setenv("XDG_STATE_HOME", own)
	lay(t, root, map[string]string{"code": "new"})
	lay(t, open, map[string]string{"pytest.ini": ""})
	if err := os.Chmod(open, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", own).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b := &Base{Part: Whole, Files: []string{"code"}}
	for _, script := range []string{"test -e code && ! git rev-parse --show-toplevel",
		`d=$PWD; while test "$d" != /; do d=$(dirname "$d"); ! test -e "$d/pytest.ini" || exit 1; done`} {
		if r, err := b.run(t.Context(), root, sh(script)); err != nil || !r.Passed {
			t.Errorf("%s: %+v, %v", script, r, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(own, "code-intel", "copies")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// What git ignores counts among all that is copied, and a stopped run copies no more of it.
func TestBaseTestsOfMuchIgnored(t *testing.T) {
	root := t.TempDir()
	lay(t, root, map[string]string{"gen/a/code.py": "x"})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx   context.Context
		bytes int64
		fails bool
	}{{t.Context(), 0, false}, {t.Context(), maxCopied + 1, true}, {stopped, 0, true}} {
		p := &projectCopy{root: root, at: filepath.Join(t.TempDir(), "copy"), bytes: c.bytes}
		if err := p.makeFolder(filepath.Dir(p.at)); err != nil {
			t.Fatal(err)
		}
		defer p.in.Close()
		if err := p.fill(c.ctx, &Base{Ignored: []string{"gen/"}}); (err != nil) != c.fails {
			t.Errorf("%d bytes: %v", c.bytes, err)
		}
	}
}

func TestFailed(t *testing.T) {
	for _, c := range []struct{ program, output, want string }{
		{"go test", "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\nFAIL\nFAIL\texample.org/c [build failed]\n", "TestA, TestA/b, example.org/c [build failed]"},
		{"pytest", "E   assert 1\n=== short test summary info ===\nFAILED tests/test_a.py::test_b - assert 1 == 2\nERROR tests/test_c.py\n", "tests/test_a.py::test_b, tests/test_c.py"},
		{"unittest", "FAIL: test_a (tests.test_b.TestB.test_a)\n------\nERROR: test_c (m.T)\n", "test_a (tests.test_b.TestB.test_a), test_c (m.T)"},
		{"go test, a package without a name of a test", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.org/a\t0.01s\npanic: x\nFAIL\texample.org/b\t0.02s\nFAIL\n", "TestA, example.org/a, example.org/b, panic"},
		{"unittest, a subtest", "FAIL: test_a (m.T.test_a) (i=2)\n", "test_a (m.T.test_a) (i=2)"},
		{"cargo", "test cart::tests::total ... FAILED\ntest other ... ok\nerror: test failed, to rerun pass `-p cart --lib`\n", "cart::tests::total, `-p cart --lib`"},
		{"Jest", "FAIL test/slug.test.ts\n  ● slugs › blanks\n", "slugs › blanks, test/slug.test.ts"},
		{"TAP", "ok 1 - fine\nnot ok 2 - adds\n", "adds"},
		{"node --test", "\x1b[31m✖ adds (0.5ms)\x1b[39m\n", "adds"},
		{"Mocha", "  1 failing\n\n  1) Cart\n       total:\n", "Cart, Cart total:"},
		{"PHPUnit", "1) CartTest::testTotal with data set #2\nFailed asserting\n", "CartTest::testTotal with data set #2"},
		{"RSpec", "rspec ./spec/cart_spec.rb:4 # Cart total\nrspec './spec/tax_spec.rb[1:2]' # Tax\n", "./spec/cart_spec.rb Cart total, ./spec/tax_spec.rb Tax"},
		{"Surefire", "[ERROR]   CartTest.total:12 expected: <1> but was: <2>\n", "CartTest.total"},
		{"Gradle", "CartTest > total() FAILED\n", "CartTest > total()"},
		{"dotnet, a theory", "  Failed Shop.CartTest.Total(a: 1, b: 2) [12 ms]\n", "Shop.CartTest.Total(a: 1, b: 2)"},
		{"dotnet", "  Failed Shop.CartTest.Total [12 ms]\n", "Shop.CartTest.Total"},
		{"CTest", "\t  3 - cart_total (Failed)\n", "cart_total"},
		{"nothing", "all is well\n", ""},
	} {
		if got := strings.Join(failedTests([]byte(c.output)), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.program, got, c.want)
		}
	}
}

// TestNewFailures: what is not known to have failed before is new, or nobody can tell.
func TestNewFailures(t *testing.T) {
	old := Result{Failed: []string{"TestOld"}}
	for name, c := range map[string]struct {
		now   Result
		added string
		known bool
	}{
		"as before":       {Result{Failed: []string{"TestOld"}}, "", true},
		"one more":        {Result{Failed: []string{"TestOld", "TestNew"}}, "TestNew", true},
		"no names":        {Result{}, "", false},
		"output was lost": {Result{Failed: []string{"TestOld"}, Cut: true}, "", false},
	} {
		if added, known := NewFailures(c.now, old); strings.Join(added, " ") != c.added || known != c.known {
			t.Errorf("%s: %q, %v", name, added, known)
		}
	}
}
