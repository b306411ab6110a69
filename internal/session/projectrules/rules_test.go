package projectrules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/problem"
	"codeintel/internal/project"
)

func open(t *testing.T, files map[string]string) *project.Project {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const guide = "# Guide\n\nSome words.\n\n- one\n- two\n- three\n- four\n\n```\n# not a heading\n```\n\n## Tests\n* always\n"

func TestWithoutSummaryTheHeadingsServe(t *testing.T) {
	r, err := Load(open(t, map[string]string{"CONTRIBUTING.md": guide}))
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Guide\n- one\n- two\n- three\n- four\n## Tests\n- always"; r.Summary != want {
		t.Errorf("summary = %q, want %q", r.Summary, want)
	}
	if !r.Stale || r.Source != "CONTRIBUTING.md" || !strings.Contains(r.Ask().String(), "CONTRIBUTING.md") {
		t.Errorf("rules = %+v, want stale ones of CONTRIBUTING.md", r)
	}
}

func TestTheFirstSourceWins(t *testing.T) {
	r, err := Load(open(t, map[string]string{"AGENTS.md": "# A", ".claude/CLAUDE.md": "# B"}))
	if err != nil || r.Source != ".claude/CLAUDE.md" {
		t.Errorf("source = %q, %v; want .claude/CLAUDE.md", r.Source, err)
	}
	if r, err = Load(open(t, nil)); err != nil || r.Source != "" || r.Stale {
		t.Errorf("rules without a source = %+v, %v", r, err)
	}
}

func TestUpdate(t *testing.T) {
	p := open(t, map[string]string{"CLAUDE.md": guide})
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := Update(p, "DO:\n- test\nDON'T:\n- print", now); err != nil {
		t.Fatal(err)
	}
	r, err := Load(p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stale || r.Summary != "DO:\n- test\nDON'T:\n- print" {
		t.Errorf("after the update: %+v", r)
	}
	if err := os.WriteFile(filepath.Join(p.Root, "CLAUDE.md"), []byte("# New"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err = Load(p); err != nil || !r.Stale || !strings.HasPrefix(r.Summary, "DO:") {
		t.Errorf("after the document changed: %+v, %v; want the old summary, stale", r, err)
	}
	if _, err := Update(p, " \n", now); problem.Of(err) == nil {
		t.Errorf("an empty summary was kept: %v", err)
	}
}

// TestNegationStays wants what is forbidden to arrive as forbidden, and a cut to be said.
func TestNegationStays(t *testing.T) {
	for text, want := range map[string]string{
		"# Rules\n\nDO:\n\n- write tests\n\nDON'T:\n\n- edit generated files\n- push to main\n": "# Rules\nDO:\n- write tests\nDON'T:\n- edit generated files\n- push to main",
		"Never:\n- log passwords\n\nOther prose.\n\n- a list\n":                                 "Never:\n- log passwords\n- a list",
		"## 規則\n\nしてはいけない:\n\n- 在庫を負にする\n":                                                      "## 規則\nしてはいけない:\n- 在庫を負にする",
		"**Don't do this:**\n1. use globals\n":                                                  "**Don't do this:**\n- use globals",
		"DON'T:\n\nThese have bitten us.\n\n- share state\n\nMore prose.\n\n- test it\n":        "DON'T:\n- share state\n- test it",
		"やってはいけないこと\n\n- 直接書き込む\n":                                                              "やってはいけないこと\n- 直接書き込む",
		"Do not commit secrets.\n":                                                              "Do not commit secrets.",
	} {
		if got := digest(text); got != want {
			t.Errorf("digest(%q) = %q, want %q", text, got, want)
		}
	}
	half := strings.Repeat("- a rule of forty characters, or nearly so\n", 136) + "- Print to the log\n  " + strings.Repeat("never ", 60) + "\n"
	if got := digest(half); strings.Contains(got, "Print") || !strings.Contains(got, "read the document") {
		t.Errorf("half a rule: %q", got[len(got)-100:])
	}
	long := "DON'T:\n" + strings.Repeat("- do what is written in this long rule\n", 400)
	if got := digest(long); len(got) > budget+200 || !strings.Contains(got, "read the document") {
		t.Errorf("a cut is not said: %d bytes, %q", len(got), got[len(got)-100:])
	}
}
