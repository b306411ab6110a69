package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const schema = `CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL) STRICT;`

func mustOpen(t *testing.T, path string, version int) *DB {
	t.Helper()
	d, err := Open(t.Context(), path, schema, version)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func insert(t *testing.T, d *DB, v string) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO t (v) VALUES (?)", v)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func values(t *testing.T, d *DB) string {
	t.Helper()
	var all sql.NullString
	if err := d.Reader().QueryRow("SELECT group_concat(v, ',') FROM t").Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all.String
}

func TestKeepsWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "an odd?name#100%.db")
	d := mustOpen(t, path, 3)
	insert(t, d, "a")
	d.Close()
	again := mustOpen(t, path, 3)
	if got := values(t, again); got != "a" || again.SetAside() != "" {
		t.Errorf("after reopening: %q, set aside %q", got, again.SetAside())
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestTwoHandlesShare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	a, b := mustOpen(t, path, 1), mustOpen(t, path, 1)
	insert(t, a, "a")
	err := a.Write(t.Context(), func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO t (v) VALUES ('hidden')"); err != nil {
			return err
		}
		if got := values(t, b); got != "a" { // not blocked, and sees no half of it
			t.Errorf("reader beside an open transaction sees %q", got)
		}
		return errors.New("no")
	})
	if err == nil || values(t, b) != "a" {
		t.Errorf("failed transaction: err %v, values %q", err, values(t, b))
	}
	if _, err := b.Reader().Exec("DELETE FROM t"); err == nil {
		t.Error("a reader may write")
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	a, b := mustOpen(t, path, 1), mustOpen(t, path, 1)
	err := a.Write(t.Context(), func(*sql.Tx) error {
		if !b.Locked(t.Context()) {
			t.Error("beside a writer: not locked")
		}
		return nil
	})
	if err != nil || b.Locked(t.Context()) {
		t.Errorf("after it: locked, or %v", err)
	}
	insert(t, b, "b") // the look has left nothing open
	var wait int64
	if err := b.write.QueryRow("PRAGMA busy_timeout").Scan(&wait); err != nil || wait != busyTimeout.Milliseconds() {
		t.Errorf("a writer waits %d ms, %v", wait, err)
	}
}

func TestOpenDoesNotWaitForAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	a := mustOpen(t, path, 1)
	insert(t, a, "a")
	err := a.Write(t.Context(), func(*sql.Tx) error {
		if got := values(t, mustOpen(t, path, 1)); got != "a" {
			t.Errorf("opened beside a writer: %q", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestStoppedOpening has a process stop while it opens the database: others do not wait for ever.
func TestStoppedOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	unlock, err := lockOpening(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	usual := longestOpening
	longestOpening = time.Millisecond
	_, err = Open(t.Context(), path, schema, 1)
	longestOpening = usual
	if !IsLocked(err) {
		t.Errorf("beside a stopped process: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Open(ended, path, schema, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("for somebody who has gone: %v", err)
	}
	unlock()
	mustOpen(t, path, 1)
}

func TestSetsAsideWhatIsNotOurs(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"another version": func(t *testing.T, path string) {
			d := mustOpen(t, path, 1)
			insert(t, d, "old")
			d.Close()
		},
		"no database": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("garbage ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"header overwritten": func(t *testing.T, path string) {
			d := mustOpen(t, path, 2)
			insert(t, d, "x")
			d.Close()
			b, _ := os.ReadFile(path)
			copy(b[16:], "\xff\xff\xff\xff\xff\xff\xff\xff")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"schema page overwritten": func(t *testing.T, path string) {
			d := mustOpen(t, path, 2)
			insert(t, d, "x")
			d.Close()
			b, _ := os.ReadFile(path)
			for i := 100; i < 4096; i++ {
				b[i] = 0xA5
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			spoil(t, path)
			d := mustOpen(t, path, 2)
			aside := d.SetAside() != ""
			if aside == (name == "another version") {
				t.Errorf("set aside: %q", d.SetAside())
			}
			if got := values(t, d); got != "" {
				t.Errorf("the new database holds %q", got)
			}
			insert(t, d, "new")
			_, err := os.Stat(filepath.Join(filepath.Dir(path), "broken-x.db"))
			if kept := err == nil; kept != aside {
				t.Errorf("%s: kept %v", d.SetAside(), kept)
			}
		})
	}
}

func TestDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	a, b := mustOpen(t, path, 1), mustOpen(t, path, 1)
	insert(t, a, "a")
	if err := a.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !a.Replaced() || !b.Replaced() {
		t.Error("the handles do not notice")
	}
	c := mustOpen(t, path, 1)
	insert(t, c, "c")
	if err := b.Discard(t.Context()); err != nil { // too late: must not hit the new one
		t.Fatal(err)
	}
	if c.Replaced() || values(t, c) != "c" {
		t.Error("a late Discard hit the new database")
	}
}

func TestDamageIsCorrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	d := mustOpen(t, path, 1)
	insert(t, d, strings.Repeat("long ", 40_000))
	if err := d.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Check(t.Context()); err != nil {
		t.Errorf("an intact database: %v", err)
	}
	d.Close()
	if err := os.Truncate(path, 3*4096); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), path, schema, 1)
	if err == nil {
		defer d.Close()
		err = d.Check(t.Context())
		if !IsCorrupt(err) && d.SetAside() == "" {
			t.Errorf("truncated: %v is not seen as damage", err)
		}
	} else {
		t.Errorf("truncated: %v", err)
	}
	if IsCorrupt(context.Canceled) || IsCorrupt(sql.ErrNoRows) {
		t.Error("another error is seen as damage")
	}
}

// A database whose structure is whole may still not be what the program wrote.
func TestContradictionIsCorrupt(t *testing.T) {
	for name, spoil := range map[string]string{
		"column": "UPDATE sqlite_schema SET sql = replace(sql, 'v TEXT', 'w TEXT')",
		"table":  "UPDATE sqlite_schema SET name = 'u', tbl_name = 'u', sql = replace(sql, 'TABLE t', 'TABLE u')",
		"value":  "UPDATE t SET v = 'no number'",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			d := mustOpen(t, path, 1)
			insert(t, d, "7")
			err := d.Write(t.Context(), func(tx *sql.Tx) error {
				_, err := tx.Exec("PRAGMA writable_schema = ON; " + spoil)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			d.Close()
			var n int
			err = mustOpen(t, path, 1).Reader().QueryRow("SELECT v FROM t").Scan(&n)
			if err == nil || !IsCorrupt(fmt.Errorf("place: %w", err)) {
				t.Errorf("%v is not seen as damage", err)
			}
		})
	}
	d := mustOpen(t, filepath.Join(t.TempDir(), "x.db"), 1)
	if _, err := d.Reader().Exec("DELETE FROM t"); err == nil || IsCorrupt(err) {
		t.Errorf("a refused write: %v is seen as damage", err)
	}
}

func TestOpenReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if _, err := OpenReader(t.Context(), path, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no database: %v", err)
	}
	insert(t, mustOpen(t, path, 1), "a")
	if _, err := OpenReader(t.Context(), path, 2); err == nil {
		t.Error("another version is opened")
	}
	db, err := OpenReader(t.Context(), path, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var v string
	if err := db.QueryRow("SELECT v FROM t").Scan(&v); err != nil || v != "a" {
		t.Errorf("%q, %v", v, err)
	}
	if _, err := db.Exec("DELETE FROM t"); err == nil {
		t.Error("a reader may write")
	}
}

// Whoever cuts the -shm file in place ends nobody's process: the database counts as damaged,
// and another one takes its place.
func TestCutSharedMemory(t *testing.T) {
	for _, size := range []int64{0, 100, 4096, 40_000} {
		path := filepath.Join(t.TempDir(), "a.db")
		d := mustOpen(t, path, 1)
		for i := range 50 {
			insert(t, d, strings.Repeat("x", 5000)+fmt.Sprint(i))
		}
		if err := os.Truncate(path+"-shm", size); err != nil {
			t.Fatal(err)
		}
		var n int
		err := d.View(t.Context(), func(tx *sql.Tx) error { return tx.QueryRow("SELECT count(*) FROM t").Scan(&n) })
		if err == nil && n != 50 || err != nil && !IsCorrupt(err) {
			t.Errorf("cut to %d: %d rows, %v", size, n, err)
		}
		if err == nil {
			continue
		}
		if err := d.Discard(t.Context()); err != nil {
			t.Fatal(err)
		}
		again := mustOpen(t, path, 1)
		insert(t, again, "a")
		if got := values(t, again); got != "a" || again.Harmed() != nil {
			t.Errorf("cut to %d: then %q, %v", size, got, again.Harmed())
		}
	}
}

// Somebody puts another database in the place of one that is open: what has been opened reads
// on, and no new connection is one to the other database.
func TestAnotherInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d := mustOpen(t, path, 1)
	insert(t, d, "old")
	d.Close()
	d = mustOpen(t, path, 1)
	err := d.View(t.Context(), func(tx *sql.Tx) error {
		var v string
		if err := tx.QueryRow("SELECT v FROM t").Scan(&v); err != nil {
			return err
		}
		if err := remove(path); err != nil {
			t.Fatal(err)
		}
		insert(t, mustOpen(t, path, 2), "new")
		if err := d.View(t.Context(), func(tx *sql.Tx) error { return tx.QueryRow("SELECT v FROM t").Scan(&v) }); !IsCorrupt(err) {
			t.Errorf("a second reader reads %q: %v", v, err)
		}
		if err := d.Write(t.Context(), func(tx *sql.Tx) error { return nil }); !IsCorrupt(err) {
			t.Errorf("a writer has the other database: %v", err)
		}
		return tx.QueryRow("SELECT v FROM t").Scan(&v)
	})
	if err != nil || !d.Replaced() {
		t.Errorf("the first reader: %v, replaced: %t", err, d.Replaced())
	}
}

// A database of another version stays while somebody has it open, also if it is not asked.
func TestInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d := mustOpen(t, path, 1)
	insert(t, d, "old")
	if _, err := Open(t.Context(), path, schema, 2); !errors.Is(err, ErrInUse) {
		t.Errorf("opened: %v", err)
	}
	if got := values(t, d); got != "old" || d.Replaced() {
		t.Errorf("it holds %q, replaced: %t", got, d.Replaced())
	}
	d.Close()
	insert(t, mustOpen(t, path, 2), "new")
}

// A folder in the place of any file of a database is set aside.
func TestFolderInPlace(t *testing.T) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		for _, before := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "a.db")
			if before {
				d := mustOpen(t, path, 1)
				insert(t, d, "old")
				d.Close()
			}
			for range 2 { // the second finds the first set aside
				if err := os.RemoveAll(path + suffix); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Join(path+suffix, "in", "it"), 0o755); err != nil {
					t.Fatal(err)
				}
				d := mustOpen(t, path, 1)
				insert(t, d, "a")
				if got := values(t, d); !strings.HasSuffix(got, "a") {
					t.Errorf("%q: %q", suffix, got)
				}
				d.Close()
			}
		}
	}
}
