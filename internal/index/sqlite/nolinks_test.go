//go:build linux

package sqlite

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"syscall"
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

// A folder or a pipe that comes into the place of a file of an open database is damage to it, and
// is set aside; a link is refused.
func TestOtherThingsInPlace(t *testing.T) {
	put := map[string]func(string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
	}
	for name, put := range put {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			path := filepath.Join(t.TempDir(), "a.db")
			d := mustOpen(t, path, 1)
			insert(t, d, "old")
			d.Close()
			d = mustOpen(t, path, 1) // which has not read its log yet
			defer d.Close()
			_ = os.Remove(path + suffix)
			if err := put(path + suffix); err != nil {
				t.Fatal(err)
			}
			err := d.Judge(d.Write(t.Context(), func(tx *sql.Tx) error {
				_, err := tx.Exec("DELETE FROM t")
				return err
			}))
			refused := errors.As(err, new(*repofile.Refusal))
			if err != nil && !d.Replaced() && IsCorrupt(err) == (name == "a link") || refused && name != "a link" {
				t.Errorf("%s in the place of %q: %v", name, suffix, err)
			}
			if name == "a link" {
				continue
			}
			if err := d.Discard(t.Context()); err != nil {
				t.Errorf("%s in the place of %q: %v", name, suffix, err)
			}
			again := mustOpen(t, path, 1)
			insert(t, again, "a")
			again.Close()
		}
	}
}
