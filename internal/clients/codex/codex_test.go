package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/clients/install"
)

// TestLinkedTree wants a person to hear of it where Codex would find no hooks.
func TestLinkedTree(t *testing.T) {
	for text, want := range map[string]string{
		"gitdir: /p/main/.git/worktrees/side\n": "/p/main",
		"gitdir: ../main/.git/worktrees/side":   "main",
		"gitdir: ../.git/modules/sub\n":         "",
		"":                                      "",
	} {
		root := filepath.Join(t.TempDir(), "side")
		if err := os.Mkdir(root, 0o755); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			if err := os.WriteFile(filepath.Join(root, ".git"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want == "main" {
			want = filepath.Join(filepath.Dir(root), want)
		}
		p := install.Place{Root: root, Scope: install.Project}
		said := strings.Join(next(p), "\n")
		if strings.Contains(said, "linked working tree") != (want != "") || !strings.Contains(said, want) {
			t.Errorf("%q: %s", text, said)
		}
		if p.Scope = install.User; strings.Contains(strings.Join(next(p), "\n"), "linked") {
			t.Errorf("%q: the hooks of a user hold everywhere", text)
		}
	}
}
