package doctor

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/trust"
)

// looker finds git where it is and pretends that the named programs are there.
func looker(programs ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, p := range programs {
			if p == name && name != "git" {
				return "/usr/bin/" + name, nil
			}
			if p == name {
				return exec.LookPath(name)
			}
		}
		return "", errors.New("not found")
	}
}

func find(t *testing.T, r *Report, name string) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("nothing is said about %s:\n%s", name, r.Text())
	return Finding{}
}

func TestExamine(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	plain := t.TempDir()
	r := Examine(t.Context(), plain, looker("git", "claude"), nil, log)
	for name, want := range map[string]Verdict{"git": Good, "project": Weak, "permission": Good, "index": Weak, "repository": Weak, "clients": Good} {
		if f := find(t, r, name); f.Verdict != want {
			t.Errorf("%s: got %+v, want %s", name, f, want)
		}
	}
	if r.Worst() != Weak || r.Enforcement != Audit {
		t.Errorf("got %s and %s", r.Worst(), r.Enforcement)
	}
	if left, _ := os.ReadDir(plain); len(left) > 0 {
		t.Errorf("the doctor left %v behind", left)
	}

	r = Examine(t.Context(), plain, looker(), nil, log)
	if f := find(t, r, "git"); f.Verdict != Bad || f.Fix.IsZero() {
		t.Errorf("without git: %+v", f)
	}
	if r.Enforcement != Prompts || find(t, r, "clients").Verdict != Weak {
		t.Errorf("without a client: %s", r.Text())
	}
}

func TestBadConfig(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".code-intel"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, ".code-intel", "config.json"), []byte("{\"lang\": 7}"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := Examine(t.Context(), root, looker("git"), nil, slog.New(slog.DiscardHandler))
	if f := find(t, r, "project"); f.Verdict != Bad || !strings.Contains(f.Detail.String(), "lang") || f.Fix.IsZero() {
		t.Errorf("got %+v", f)
	}
	if r.Worst() != Bad {
		t.Errorf("worst is %s", r.Worst())
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	r := Examine(t.Context(), filepath.Join(t.TempDir(), "none"), looker("git"), nil, slog.New(slog.DiscardHandler))
	if f := find(t, r, "project"); f.Verdict != Bad || f.Fix.IsZero() {
		t.Errorf("got %+v", f)
	}
}

// A trusted verifier is run, one that is not says how it can be, and one that
// cannot be started is told before a session fails by it.
func TestVerifiers(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) []byte {
		t.Helper()
		file := filepath.Join(root, ".code-intel", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return []byte(text)
	}
	write("config.json", "{}")
	examine := func() Finding {
		return find(t, Examine(t.Context(), root, looker("git", "claude"), nil, slog.New(slog.DiscardHandler)), "verifier")
	}
	if f := examine(); f.Verdict != Weak || f.Fix.IsZero() {
		t.Errorf("without a command: %+v", f)
	}
	content := write("verifiers/v.md", "---\ncommand: [git, status]\n---\n")
	if f := examine(); f.Verdict != Weak || !strings.HasSuffix(f.Fix.String(), "code-intel trust v") {
		t.Errorf("not trusted: %+v", f)
	}
	store, err := trust.Open()
	if err != nil {
		t.Fatal(err)
	}
	give := func() {
		t.Helper()
		if err := store.Trust(root, trust.Verifier, "v", content); err != nil {
			t.Fatal(err)
		}
	}
	give()
	if f := examine(); f.Verdict != Good {
		t.Errorf("trusted: %+v", f)
	}
	for _, program := range []string{"no-such-program", "./no/such", "/no/such"} {
		content = write("verifiers/v.md", "---\ncommand: ["+program+"]\n---\n")
		if f := examine(); f.Verdict != Weak || !strings.Contains(f.Detail.String(), "changed since") {
			t.Errorf("changed: %+v", f)
		}
		give()
		if f := examine(); f.Verdict != Bad || !strings.Contains(f.Detail.String(), "cannot be started") || f.Fix.IsZero() {
			t.Errorf("%s: %+v", program, f)
		}
	}
	if err := os.Remove(filepath.Join(root, ".code-intel/verifiers/v.md")); err != nil {
		t.Fatal(err)
	}
	if f := examine(); f.Verdict != Weak || !strings.Contains(f.Detail.String(), "gone") {
		t.Errorf("gone: %+v", f)
	}
}
