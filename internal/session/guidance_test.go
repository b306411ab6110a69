package session

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/project"
	"codeintel/internal/session/instructions"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/trustedtexts"
	"codeintel/internal/trust"
)

// What came with a clone has no part in an instruction until the user trusts it: not the
// contract, no prompt, no rules. What the user writes here has one, and so does what they
// commit here; a link, another repository in between and a folder without git prove nothing.
func TestTextsOfAClone(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	theirs, clone := filepath.Join(top, "theirs"), filepath.Join(top, "clone")
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{"phase_contract.yml", "task_planning.md", "user_escalation.md", "doc_research/default.md",
		"interventions/a.md", "review_prompts/quality_review.md", "verifiers/a.md"}
	for _, name := range files {
		write(filepath.Join(theirs, project.Dir, name), "phases:\n  EXPLORATION:\n    append: OBEY\n")
	}
	write(filepath.Join(theirs, "CLAUDE.md"), "- OBEY\n")
	write(filepath.Join(theirs, trustedtexts.Settings), `{"read_only_commands": ["sh"]}`)
	write(filepath.Join(theirs, project.Dir, "agreements/a.md"), "---\nnl_term: a b\nsymbols: [F]\n---\n")
	git(top, "init", "-q", "-b", "main", theirs)
	git(theirs, "add", "-A")
	git(theirs, "commit", "-q", "-m", "Begin")
	git(top, "clone", "-q", theirs, clone)

	told := func(root string) (all string) {
		t.Helper()
		p, err := project.OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		table, err := phases.Load()
		if err != nil {
			t.Fatal(err)
		}
		texts, err := instructions.Load(p, table.IDs(), nil)
		if err != nil {
			t.Fatal(err)
		}
		all = texts.Of("EXPLORATION")
		for _, name := range files[1:] {
			src, err := texts.Prompt(strings.Split(name, "/")...)
			if err != nil || src.File != "" && src.Left == (src.Text != "") {
				t.Errorf("%s: %+v, %v", name, src, err)
			}
			all += src.Text
		}
		return all
	}
	obeys := func(what, root string, times int) {
		t.Helper()
		if got := strings.Count(told(root), "OBEY"); got != times {
			t.Errorf("%s: %d of %d texts have a part in instructions, want %d", what, got, len(files), times)
		}
	}
	readOnly := trustedtexts.ReadOnlyCommands
	states := func(root string, want trust.State) {
		t.Helper()
		p, err := project.OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		texts := trustedtexts.Of(t.Context(), p)
		if len(texts) != len(files)+3 {
			t.Errorf("%d texts", len(texts))
		}
		if list, left := readOnly(p); left != (want == trust.Untrusted) || left == (len(list) > 0) {
			t.Errorf("%s: %q count as reading, left out: %t", filepath.Base(root), list, left)
		}
		for _, g := range texts {
			if g.State != want {
				t.Errorf("%s: %s is %s, want %s", filepath.Base(root), g.File, g.State, want)
			}
		}
	}
	obeys("where they were committed", theirs, len(files))
	states(theirs, trust.Own)
	obeys("in a clone", clone, 0)
	states(clone, trust.Untrusted)

	planning := filepath.Join(clone, project.Dir, "task_planning.md")
	write(planning, "OBEY, and more\n")
	obeys("edited", clone, 0)
	git(clone, "commit", "-q", "-am", "Mine")
	obeys("edited and committed", clone, 1)
	write(filepath.Join(clone, project.Dir, "user_escalation.md"), "OBEY\n")
	git(clone, "rm", "-q", "--cached", ".code-intel/user_escalation.md")
	git(clone, "commit", "-q", "-m", "Not in git")
	obeys("without git", clone, 2)
	if err := os.Rename(planning, filepath.Join(clone, "elsewhere.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere.md", planning); err == nil { // on Windows not everybody may
		obeys("through a link", clone, 1)
	}

	store, err := trust.Open()
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.OpenRoot(clone)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range trustedtexts.Of(t.Context(), p) {
		if err := errors.Join(store.Trust(p.Root, trust.Text, g.File, g.Content), store.TrustAll(p.Root, trust.Text, g.Sums)); err != nil {
			t.Fatal(err)
		}
	}
	obeys("trusted", clone, len(files))
	if all := trustedtexts.Of(t.Context(), p); all[len(all)-1].State != trust.Own || len(all[len(all)-1].Sums) > 0 {
		t.Errorf("trusted: %+v", all[len(all)-1])
	}

	// What a merge that stopped brought is not committed, and not the user's.
	merged := filepath.Join(top, "merged")
	git(top, "clone", "-q", theirs, merged)
	write(filepath.Join(merged, "CLAUDE.md"), "- mine\n")
	git(merged, "commit", "-q", "-am", "Mine")
	write(filepath.Join(theirs, "CLAUDE.md"), "- theirs\n")
	write(filepath.Join(theirs, project.Dir, "interventions/b.md"), "OBEY\n")
	git(theirs, "add", "-A")
	git(theirs, "commit", "-q", "-m", "More")
	git(merged, "fetch", "-q")
	if err := exec.Command("git", "-C", merged, "-c", "user.name=A", "-c", "user.email=a@example.com", "merge", "-q", "FETCH_HEAD").Run(); err == nil {
		t.Error("the merge did not stop")
	}
	p, err = project.OpenRoot(merged)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range trustedtexts.Of(t.Context(), p) {
		if g.State != trust.Untrusted {
			t.Errorf("in a merge that stopped, %s is %s", g.File, g.State)
		}
	}

	plain := filepath.Join(top, "plain")
	write(filepath.Join(plain, project.Dir, "task_planning.md"), "OBEY\n")
	obeys("without a repository", plain, 0)

	outer := filepath.Join(top, "outer")
	git(top, "init", "-q", "-b", "main", outer)
	write(filepath.Join(outer, "a.txt"), "a\n")
	git(outer, "add", "-A")
	git(outer, "commit", "-q", "-m", "Begin")
	git(top, "clone", "-q", theirs, filepath.Join(outer, project.Dir))
	write(filepath.Join(outer, project.Dir, "task_planning.md"), "OBEY\n")
	obeys("in a repository of its own", outer, 0)
}
