//go:build linux

package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"codeintel/internal/platform/repofile"
)

// TestNoLinkIsFollowed has a link appear in the place of the folder once it was checked: SQLite
// opens, makes and removes nothing where it leads.
func TestNoLinkIsFollowed(t *testing.T) {
	top := t.TempDir()
	dir, outside := filepath.Join(top, "project", ".code-intel", "index"), filepath.Join(top, "outside")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(dir, 0o755))
	must(os.MkdirAll(outside, 0o755))
	must(os.Symlink(filepath.Join(top, "project"), filepath.Join(top, "way"))) // to the project: that is the user's
	path := filepath.Join(top, "way", ".code-intel", "index", "a.db")
	const schema = "CREATE TABLE t (a)"
	d, err := open(t.Context(), path, schema, 1)
	must(err)
	if _, err := d.write.Exec("INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	must(os.WriteFile(filepath.Join(outside, "a.db-wal"), []byte("somebody's"), 0o600))
	must(os.Rename(dir, dir+".away"))
	must(os.Symlink(outside, dir))
	_ = d.Close() // removes the log of the last one who had it open
	if e, err := open(t.Context(), path, schema, 1); err == nil {
		e.Close()
		t.Error("a database is opened where a link leads")
	} else if r := (*repofile.Refusal)(nil); !errors.As(err, &r) || r.Why != repofile.Link {
		t.Errorf("the link is no reason: %v", err)
	}
	entries, err := os.ReadDir(outside)
	must(err)
	if data, err := os.ReadFile(filepath.Join(outside, "a.db-wal")); len(entries) != 1 || err != nil || string(data) != "somebody's" {
		t.Errorf("outside: %v, %q, %v", entries, data, err)
	}
}
