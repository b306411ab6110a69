package filehistory

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/commitlog"
	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// A repository is a project with commits.
type repository struct {
	*testing.T
	dir   string
	clock int
}

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	r.clock += 86400
	date := fmt.Sprintf("%d +0900", 1700000000+r.clock)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) write(name, text string) {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// commit commits everything.
func (r *repository) commit(subject string) {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", subject)
}

func (r *repository) teller() *Explainer {
	r.Helper()
	p, err := project.OpenRoot(r.dir)
	if err != nil {
		r.Fatal(err)
	}
	x, err := index.Open(r.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		if err := x.Close(); err != nil {
			r.Error(err)
		}
	})
	return New(p, search.New(p, x), commitlog.New(p.Root, x.Dir(), commitlog.Window))
}

func play(t *testing.T) *repository {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for key, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": filepath.Join(t.TempDir(), "none"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ada 愛", "GIT_AUTHOR_EMAIL": "ada@example.com",
		"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
	} {
		t.Setenv(key, value)
	}
	r := &repository{T: t, dir: t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

const shop = `package shop

func Price() int {
	a := 1
	return a
}

func Other() {}
`

func sold(t *testing.T) *repository {
	r := play(t)
	r.write("old.go", shop)
	r.write("rates.txt", "0")
	r.commit("Begin")
	r.git("mv", "old.go", "shop.go")
	r.commit("Rename the shop")
	r.write("shop.go", strings.Replace(shop, "a := 1", "a := 2", 1))
	r.write("rates.txt", "1")
	r.commit("Raise the price")
	r.write("shop.go", strings.Replace(shop, "a := 1", "a := 2 // net", 1))
	r.write("rates.txt", "2")
	r.write("doc.md", "net\n")
	r.commit("Say that prices are net")
	return r
}

func TestLine(t *testing.T) {
	r := sold(t)
	a, err := r.teller().Explain(t.Context(), Query{FilePath: "shop.go", Line: 4})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Text()
	for _, id := range strings.Fields(r.git("log", "--format=%H")) {
		got = strings.ReplaceAll(got, id[:idLength], "ID")
	}
	want := `shop.go:4 was last changed by
  ID 2023-11-25 Ada 愛: Say that prices are net
    2 other files: doc.md, rates.txt
other changes of Price (lines 3-6):
  ID 2023-11-23 Ada 愛: Raise the price
    1 other file: rates.txt
  ID 2023-11-18 Ada 愛: Begin
    1 other file: rates.txt
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFile(t *testing.T) {
	r := sold(t)
	a, err := r.teller().Explain(t.Context(), Query{FilePath: "shop.go", Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	text := a.Text()
	for _, want := range []string{"shop.go: 4 commits\n", "Say that prices are net\n    2 other files: doc.md, rates.txt\n", "Raise the price", "  rates.txt: 3 of 4 times\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(a.Commits) != 2 || !a.Complete || len(a.Together) != 1 {
		t.Errorf("%+v", a)
	}
}

func TestNotCommitted(t *testing.T) {
	r := sold(t)
	r.write("new.go", "package shop\n")
	r.write("shop.go", strings.Replace(shop, "a := 1", "a := 3", 1)+"\n// more\n")
	r.git("rm", "-q", "doc.md")
	teller := r.teller()
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{FilePath: "shop.go", Line: 4}, "shop.go:4\nother changes of Price (lines 3-6):\n"},
		{Query{FilePath: "shop.go", Line: 4}, "note: line 4 was written or changed after the last commit\n"},
		{Query{FilePath: "shop.go", Line: 10}, "line 10 was written or changed after the last commit\n"},
		{Query{FilePath: "shop.go", Line: 8}, "Begin\n"},
		{Query{FilePath: "new.go"}, "note: new.go is not in the last commit"},
		{Query{FilePath: "new.go", Line: 1}, "note: new.go is not in the last commit"},
		{Query{FilePath: "doc.md"}, "note: doc.md is not there any more"},
	} {
		a, err := teller.Explain(t.Context(), c.q)
		if err != nil {
			t.Errorf("%+v: %v", c.q, err)
		} else if !strings.Contains(a.Text(), c.want) {
			t.Errorf("%+v: no %q in\n%s", c.q, c.want, a.Text())
		}
	}
}

func TestRefusals(t *testing.T) {
	r := sold(t)
	if err := os.Mkdir(filepath.Join(r.dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	teller := r.teller()
	for _, q := range []Query{
		{}, {FilePath: "shop.go", Line: -1}, {FilePath: "shop.go", Line: 9}, {FilePath: "shop.go", Limit: 21}, {FilePath: "none.go"},
		{FilePath: "none.go", Line: 1}, {FilePath: "../x"}, {FilePath: "folder"}, {FilePath: "doc.md/x"}, {FilePath: "."}, {FilePath: "a\x00b"},
	} {
		if a, err := teller.Explain(t.Context(), q); problem.Of(err) == nil {
			t.Errorf("%+v: %v, %+v", q, err, a)
		}
	}
}

// Where there is no history, the answer says why.
func TestAbsence(t *testing.T) {
	r := play(t)
	if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	r.write("a.go", "package a\n")
	for _, why := range []string{"not in a git repository", "nothing is committed"} {
		for line := range 2 {
			a, err := r.teller().Explain(t.Context(), Query{FilePath: "a.go", Line: line})
			if err != nil || !a.Observed().Empty || !strings.Contains(a.Text(), why) {
				t.Errorf("%s, line %d: %v, %+v", why, line, err, a)
			}
		}
		r.git("init", "-q")
	}
}

// TestRefusalsSayWhatToDo wants every refusal of a question to name a next step.
func TestRefusalsSayWhatToDo(t *testing.T) {
	r := play(t)
	r.write("a.go", "package a\n")
	r.commit("one")
	told := r.teller()
	for _, q := range []Query{{}, {FilePath: "b.go"}, {FilePath: strings.Repeat("x", 5000)}, {FilePath: "a\x00"}, {FilePath: "../a.go"},
		{FilePath: "a.go", Line: -1}, {FilePath: "a.go", Line: 99}, {FilePath: "a.go", Limit: -1}, {FilePath: "a.go", Limit: 1 << 30}} {
		_, err := told.Explain(t.Context(), q)
		if refusal := problem.Of(err); refusal == nil || len(refusal.Next) == 0 {
			t.Errorf("%.60v: %v", q, err)
		}
	}
}
