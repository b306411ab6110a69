//go:build unix

package postings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What somebody writes into the file of an open segment is found by who reads it
// later, though it was read before.
func TestTouched(t *testing.T) {
	raw := many(t)
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	s, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	occurrences := questions[3]
	want, err := ask(s, occurrences)
	if err != nil || s.Touched() {
		t.Fatalf("touched by nobody, %v", err)
	}
	if err := os.Chtimes(path, long, long.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if !s.Touched() || s.Touched() {
		t.Error("a new time of change is to be said once")
	}
	if got, err := ask(s, occurrences); got != want || err != nil {
		t.Errorf("after nothing but the time changed: %v", err)
	}
	for i := range raw {
		raw[i] ^= 16
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if !s.Touched() {
		t.Error("a file that was overwritten is not touched")
	}
	if _, err := ask(s, occurrences); !errors.Is(err, ErrCorrupt) {
		t.Errorf("overwritten: %v", err)
	}
	if !s.Touched() { // it was written just now, and might still be
		t.Error("what is damaged and young is not touched")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if s.Touched() {
		t.Error("a file that was removed is touched")
	}
}
