// Package searchtest opens folders for the tests of packages that answer from an index.
package searchtest

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// Files lays out files, by paths with slashes, and returns their folder.
func Files(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	Write(t, root, files)
	return root
}

// Write writes files below a folder, by paths with slashes.
func Write(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Open opens a folder until the test ends.
func Open(t testing.TB, root string) (*project.Project, *index.Index, *search.Engine) {
	t.Helper()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(t.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, x, search.New(p, x)
}
