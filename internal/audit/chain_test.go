package audit

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codeintel/internal/audit/shown"
)

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An edit by hand must be noticed by the process that has the ledger open, at
// its next call and not only when the file is opened again.
func TestAnEditIsRefusedAtTheNextCall(t *testing.T) {
	for name, call := range map[string]func(l *Ledger) error{
		"Since":  func(l *Ledger) error { _, err := l.Since(0); return err },
		"Append": func(l *Ledger) error { _, err := l.Append(Entry{Kind: Tool, Name: "z"}); return err },
		"Verify": (*Ledger).verify,
	} {
		t.Run(name, func(t *testing.T) {
			l, path := open(t)
			add(t, l, "first", OK)
			add(t, l, "second", OK)
			write(t, path, bytes.Replace(content(t, path), []byte("first"), []byte("fir5t"), 1)) // of equal length
			var broken *Broken
			if err := call(l); !errors.As(err, &broken) || broken.Seq != 1 {
				t.Errorf("%s = %v, want *Broken at entry 1", name, err)
			}
		})
	}
}

// A chain that is whole, but another one, is no better than a broken one.
func TestAnotherWholeChainIsRefused(t *testing.T) {
	l, path := open(t)
	add(t, l, "a", OK)
	add(t, l, "b", OK)
	for _, f := range []string{path, l.memory} { // somebody who can read the key
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	forged, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, forged, "a", OK)
	add(t, forged, "x", OK)
	if _, err := l.Since(0); !errors.As(err, new(*Broken)) {
		t.Errorf("Since = %v, want *Broken", err)
	}
}

func TestLedgerOfAnotherSession(t *testing.T) {
	l, path := open(t)
	add(t, l, "a", OK)
	other := filepath.Join(filepath.Dir(path), "other.ledger.jsonl")
	write(t, other, content(t, path))
	if _, err := Open(other); !errors.As(err, new(*Broken)) {
		t.Errorf("Open of a copy under another session's name = %v, want *Broken", err)
	}
}

func TestHolds(t *testing.T) {
	l, path := open(t)
	first := add(t, l, "a", OK)
	last := add(t, l, "b", OK)
	for name, h := range map[string]Head{"none": {}, "first": {1, first.MAC}, "last": {2, last.MAC}} {
		if err := l.CheckHead(h); err != nil {
			t.Errorf("CheckHead(%s) = %v", name, err)
		}
	}
	for name, h := range map[string]Head{"another entry": {1, last.MAC}, "beyond": {3, last.MAC}, "before": {-1, last.MAC}} {
		if err := l.CheckHead(h); !errors.As(err, new(*Broken)) {
			t.Errorf("CheckHead(%s) = %v, want *Broken", name, err)
		}
	}
	// A ledger whose end was cut off is whole in itself. Only what is remembered
	// beside the key, and the checkpoint, know.
	data := content(t, path)
	write(t, path, data[:bytes.IndexByte(data, '\n')+1])
	if _, err := Open(path); !errors.As(err, new(*Broken)) {
		t.Errorf("Open after a cut = %v, want *Broken", err)
	}
	if err := os.Remove(l.memory); err != nil {
		t.Fatal(err)
	}
	short, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := short.CheckHead(Head{2, last.MAC}); !errors.As(err, new(*Broken)) {
		t.Errorf("CheckHead after a cut = %v, want *Broken", err)
	}
}

func TestArchivedLedgerKeepsItsKey(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	path := filepath.Join(root, ".code-intel", "sessions", "s.ledger.jsonl")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, "a", OK)
	away := filepath.Join(filepath.Dir(path), "archive", filepath.Base(path))
	if err := os.MkdirAll(filepath.Dir(away), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	if archived, err := Open(away); err != nil || archived.Head().Seq != 1 {
		t.Errorf("archived: head %v, %v", archived.Head(), err)
	}
	// The same project by another name has the same key.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(link, ".code-intel", "sessions", "archive", filepath.Base(path))); err != nil {
		t.Errorf("by a link: %v", err)
	}
}

func TestKeyIsTheUsersOwn(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	path := filepath.Join(t.TempDir(), "s.ledger.jsonl")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, "a", OK)
	keys, err := filepath.Glob(filepath.Join(state, "code-intel", "keys", "*"))
	if err != nil || len(keys) != 1 {
		t.Fatalf("keys: %v, %v", keys, err)
	}
	if info, err := os.Stat(keys[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key: %v, %v; want mode 0600", info.Mode(), err)
	}
	if err := os.Remove(keys[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.As(err, new(*Broken)) {
		t.Errorf("Open without the key = %v, want *Broken", err)
	}
	if _, err := os.Stat(keys[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a new key was made for an old ledger: %v", err)
	}
}

// Whatever one byte is changed to, a reader gets a broken ledger or a beginning
// of what was written, never anything else.
func TestOneByteChanged(t *testing.T) {
	l, path := open(t)
	for _, name := range []string{"a", "日本語 <&>", `quote " and \`} {
		add(t, l, name, OK, shown.Lines{File: name, Start: 1, End: 2})
	}
	whole := content(t, path)
	rapid.Check(t, func(rt *rapid.T) {
		changed := bytes.Clone(whole)
		at := rapid.IntRange(0, len(changed)-1).Draw(rt, "at")
		changed[at] ^= byte(rapid.IntRange(1, 255).Draw(rt, "flip"))
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			rt.Fatal(err)
		}
		got, err := Open(path)
		if errors.As(err, new(*Broken)) {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		entries, _ := got.Since(0)
		if diff := cmp.Diff(l.entries[:len(entries)], entries); diff != "" {
			rt.Errorf("byte %d: (-want +got):\n%s", at, diff)
		}
	})
}

func TestSeal(t *testing.T) {
	l, path := open(t)
	data := []byte("a state")
	seal := l.Seal(data)
	if !l.Sealed(data, seal) || l.Sealed([]byte("another"), seal) || l.Sealed(data, "") {
		t.Error("a seal is that of its data and of nothing else")
	}
	other, err := Open(filepath.Join(filepath.Dir(path), "other.ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if other.Sealed(data, seal) {
		t.Error("the seal of one session holds in another")
	}
	if n, err := l.Saves(); n != 0 || err != nil {
		t.Errorf("Saves = %d, %v", n, err)
	}
	add(t, l, "a", OK)
	if err := l.Saved(7); err != nil {
		t.Fatal(err)
	}
	add(t, l, "b", OK)
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := again.Saves(); n != 7 || err != nil {
		t.Errorf("Saves = %d, %v, want 7", n, err)
	}
}

// TestTidy wants nothing to be left of what a killed process had begun to
// remember, and what was remembered to stay.
func TestTidy(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "s.ledger.jsonl")
	if err := Tidy(path); err != nil {
		t.Errorf("of no ledger: %v", err)
	}
	l, err := Open(path)
	if err == nil {
		err = l.Saved(3)
	}
	begun := l.memory + ".next"
	for _, c := range []struct {
		does func(string) error
		want int64
	}{{Tidy, 3}, {Remove, 0}} {
		err = errors.Join(err, os.WriteFile(begun, []byte("4 "), 0o600), c.does(path))
		if _, there := os.Stat(begun); err != nil || !errors.Is(there, fs.ErrNotExist) {
			t.Fatalf("%v; what was begun: %v", err, there)
		}
		if n, err := l.Saves(); err != nil || n != c.want {
			t.Errorf("Saves = %d, %v, want %d", n, err, c.want)
		}
	}
}
