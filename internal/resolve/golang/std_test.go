package golang

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

// TestFindGoroot looks for Go where a program finds it that was built elsewhere, such
// as one that was downloaded.
func TestFindGoroot(t *testing.T) {
	before := build.Default.GOROOT
	defer func() { build.Default.GOROOT = before }()
	build.Default.GOROOT = ""
	t.Setenv("GOROOT", "")
	root := t.TempDir()
	command := filepath.Join(root, "bin", "go")
	for _, dir := range []string{"bin", "src/errors", "path"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(command, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(root, "nothing"))
	if got := findGoroot(); got != "" {
		t.Errorf("without Go: %q", got)
	}
	if err := os.Symlink(command, filepath.Join(root, "path", "go")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(root, "path"))
	want, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := findGoroot(); got != want {
		t.Errorf("by the path: %q, want %q", got, want)
	}
	t.Setenv("GOROOT", root)
	t.Setenv("PATH", "")
	if got := findGoroot(); got != root {
		t.Errorf("by GOROOT: %q, want %q", got, root)
	}
}
