package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestResolveDeep does not look at each folder on the way to a file, unless there is a link.
func TestResolveDeep(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &Project{Root: root}
	deep := strings.Repeat("d/", 300)
	if err := os.MkdirAll(filepath.Join(root, deep), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, deep, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("d", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{deep + "f": deep + "f", "link/" + deep[2:] + "f": deep + "f", deep + "none": deep + "none"} {
		if got, err := p.Resolve(path); err != nil || got != want {
			t.Errorf("%s leads to %s, %v", path, got, err)
		}
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = p.Resolve(deep + "f") }); n > 60 {
		t.Errorf("a path of 300 folders takes %.0f allocations", n)
	}
}
