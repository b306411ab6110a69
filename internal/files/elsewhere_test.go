package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestElsewhere has .gitmodules name a submodule that is not there, and folders outside.
func TestElsewhere(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	write(t, root, ".gitmodules", "[submodule \"a\"]\n\tpath = gone\n[submodule \"b\"]\n\tpath = ../outside\n"+
		"[submodule \"c\"]\n\tpath = link\n[submodule \"d\"]\n\tpath = /\n")
	write(t, root, "../outside/.git/HEAD", "x")
	if err := os.Symlink("../outside", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	gitRun(t, root, "init", "-q")
	p := open(t, root)
	got := NewLister(p).Elsewhere(t.Context(), list(t, p))
	if diff := cmp.Diff(Elsewhere{Missing: []string{"gone", "link"}}, got); diff != "" {
		t.Error(diff)
	}
}
