package codex

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/clients/install"
)

// TestLinkedTree wants a person to hear of it where Codex would find no hooks.
func TestLinkedTree(t *testing.T) {
	main := filepath.Join(t.TempDir(), "main")
	linked := filepath.Join(filepath.Dir(main), "side")
	for _, args := range [][]string{
		{"init", "-q", main},
		{"-C", main, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "one"},
		{"-C", main, "worktree", "add", "-q", linked},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	for root, says := range map[string]bool{linked: true, main: false, t.TempDir(): false} {
		p := install.Place{Root: root, Scope: install.Project}
		said := strings.Join(next(p), "\n")
		if strings.Contains(said, "linked working tree") != says || says && !strings.Contains(said, main) {
			t.Errorf("%s: %s", root, said)
		}
		if p.Scope = install.User; strings.Contains(strings.Join(next(p), "\n"), "linked") {
			t.Errorf("%s: the hooks of a user hold everywhere", root)
		}
	}
}
