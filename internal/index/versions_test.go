package index

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"codeintel/internal/index/sqlite"
	"codeintel/internal/project"
)

// TestTwoVersions opens the index while a program of another version has it open: neither replaces the other's,
// and once that is closed there is one again.
func TestTwoVersions(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{".code-intel/config.json": "{}", "a.go": "package a\n\nfunc Greeting() {}\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := p.IndexDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.MakeIndexDir(dir); err != nil {
		t.Fatal(err)
	}
	other, err := sqlite.Open(t.Context(), filepath.Join(dir, databaseName), schema, schemaVersion+1)
	if err != nil {
		t.Fatal(err)
	}
	find := func() {
		t.Helper()
		x, err := Open(t.Context(), p, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if _, err := x.Sync(t.Context(), SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		if found, err := x.Symbols(t.Context(), SymbolQuery{Name: "Greeting"}); err != nil || len(found) != 1 {
			t.Errorf("found %v, %v", found, err)
		}
	}
	versions := func() int {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(dir, versionPrefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	find()
	if other.Replaced() || versions() != 1 {
		t.Errorf("replaced: %t, %d folders of versions", other.Replaced(), versions())
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if find(); versions() != 0 {
		t.Errorf("%d folders of versions are left", versions())
	}
}
