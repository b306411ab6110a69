package impact

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/commitlog"
	"codeintel/internal/search"
	"codeintel/test/searchtest"
)

// committed is a project with the files of each commit, one after the other.
func committed(t *testing.T, commits ...map[string]string) *Analyzer {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "none"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	a := open(t, commits[0])
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
		cmd.Dir = a.p.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	for _, tree := range commits {
		searchtest.Write(t, a.p.Root, tree)
		git("add", "-A", "--", ".", ":!.code-intel")
		git("commit", "-q", "--allow-empty", "-m", "Change")
	}
	return a
}

// rates is a project in which rates.txt and the tables go with prices.go, and nothing
// says so but its commits; many files call it.
func rates(t *testing.T) *Analyzer {
	start := map[string]string{"go.mod": "module example.com/m\n", "rates.txt": "0", "notes.txt": "0", ".gitignore": "/.code-intel\n"}
	for i := range 8 {
		start[fmt.Sprintf("use%d/u.go", i)] = "package u\n\nimport \"example.com/m/prices\"\n\nfunc f() { prices.Of() }\n"
	}
	start["prices/prices.go"] = "package prices\n\nfunc Of() int { return 0 }\n"
	list := []map[string]string{start}
	for i := range 4 {
		tree := map[string]string{"prices/prices.go": fmt.Sprintf("package prices\n\nfunc Of() int { return %d }\n", i+1)}
		if i != 2 {
			tree["rates.txt"] = fmt.Sprint(i + 1)
		}
		list = append(list, tree)
	}
	return committed(t, append(list, map[string]string{"notes.txt": "1"}, map[string]string{"notes.txt": "2"})...)
}

// A file that nothing refers to is found by its commits, with how often it changed; what
// must be verified stays what refers to the target.
func TestChangedTogether(t *testing.T) {
	a := rates(t)
	for _, target := range []string{"prices/prices.go", "prices"} {
		got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{target}})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(got.ShouldVerify, func(f Affected) bool { return f.File == "rates.txt" })
		if i < 0 || !strings.Contains(got.ShouldVerify[i].Reason, "changed together 4 of 5 times") {
			t.Errorf("%s: %s", target, got.Text())
		}
		if len(got.Likely) == 0 || got.Likely[0] != "rates.txt" || len(got.Likely) > maxLikely {
			t.Errorf("%s: likely %v", target, got.Likely)
		}
		facts := got.Observed()
		if len(facts.MustVerify) != 8 || slices.Contains(facts.MustVerify, "rates.txt") || slices.Contains(facts.Should, "notes.txt") {
			t.Errorf("%s: must %v, should %v", target, facts.MustVerify, facts.Should)
		}
		without, err := New(a.p, a.x, a.e, nil).Analyze(t.Context(), Query{Targets: search.OneOrMore{target}})
		if err != nil {
			t.Fatal(err)
		}
		was := without.Observed().MustVerify
		slices.Sort(was)
		if now := slices.Sorted(slices.Values(facts.MustVerify)); !slices.Equal(now, was) {
			t.Errorf("%s: history changes what must be verified: %v, was %v", target, now, was)
		}
		if !strings.Contains(got.Text(), "likely to change too: rates.txt") || !got.Complete {
			t.Errorf("%s: %s", target, got.Text())
		}
	}
}

// Tests that changed together with what a diff changes are to be run, those too that
// nothing but the commits names.
func TestHabitualTests(t *testing.T) {
	tree := map[string]string{"prices.py": "def of():\n    return 0\n", ".gitignore": "/.code-intel\n"}
	commits := []map[string]string{tree}
	for i := range 3 {
		commits = append(commits, map[string]string{"prices.py": fmt.Sprintf("def of():\n    return %d\n", i+1), "tests/test_shop.py": fmt.Sprint(i)})
	}
	a := committed(t, append(commits, map[string]string{"prices.py": "def of():\n    return 8\n", "tests/test_once.py": "2\n"})...)
	searchtest.Write(t, a.p.Root, map[string]string{"prices.py": "def of():\n    return 9\n"})
	got, err := a.Analyze(t.Context(), Query{Diff: "HEAD"})
	if err != nil || !slices.Equal(got.Tests, []string{"tests/test_shop.py"}) {
		t.Errorf("%v, %v", got.Tests, err)
	}
}

// Narrowed to a folder, what is named as likely lies in it.
func TestLikelyInside(t *testing.T) {
	a := rates(t)
	q := Query{Targets: search.OneOrMore{"prices/prices.go"}, Where: search.Where{Globs: search.OneOrMore{"use*/**"}}}
	got, err := a.Analyze(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Likely {
		if !strings.HasPrefix(f, "use") {
			t.Errorf("likely %v", got.Likely)
		}
	}
}

// What is not read yet is said, and so is a history that is not there.
func TestHistoryMissing(t *testing.T) {
	a := rates(t)
	short := New(a.p, a.x, a.e, commitlog.New(a.p.Root, t.TempDir(), 3))
	got, err := short.Analyze(t.Context(), Query{Targets: search.OneOrMore{"prices/prices.go"}})
	if err != nil || got.Complete || !strings.Contains(got.Text(), "not read yet") {
		t.Errorf("%v: %s", err, got.Text())
	}
	for range 3 {
		if got, err = short.Analyze(t.Context(), Query{Targets: search.OneOrMore{"prices/prices.go"}}); err != nil {
			t.Fatal(err)
		}
	}
	if !got.Complete || got.Likely[0] != "rates.txt" {
		t.Errorf("after all steps: %s", got.Text())
	}
	if err := os.RemoveAll(filepath.Join(a.p.Root, ".git", "objects")); err != nil {
		t.Fatal(err)
	}
	broken := New(a.p, a.x, a.e, commitlog.New(a.p.Root, t.TempDir(), commitlog.Window))
	if got, err = broken.Analyze(t.Context(), Query{Targets: search.OneOrMore{"prices/prices.go"}}); err != nil {
		t.Fatal(err)
	}
	if facts := got.Observed(); len(facts.MustVerify) != 8 || !strings.Contains(got.Text(), "note: ") {
		t.Errorf("without objects: %s", got.Text())
	}
	if err := os.RemoveAll(filepath.Join(a.p.Root, ".git")); err != nil {
		t.Fatal(err)
	}
	none := New(a.p, a.x, a.e, commitlog.New(a.p.Root, t.TempDir(), commitlog.Window))
	if got, err = none.Analyze(t.Context(), Query{Targets: search.OneOrMore{"prices/prices.go"}}); err != nil || !strings.Contains(got.Text(), "not in a git repository") {
		t.Errorf("%v: %s", err, got.Text())
	}
}
