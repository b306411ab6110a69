package trust

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"codeintel/internal/problem"
)

func at(t *testing.T) *Store {
	t.Helper()
	return At(filepath.Join(t.TempDir(), "config", "code-intel", "trust.json"), time.Now)
}

func want(t *testing.T, s *Store, root, name, content string, state State) {
	t.Helper()
	got, err := s.State(root, Verifier, name, []byte(content))
	if err != nil || got != state {
		t.Errorf("%s in %s with %q is %s, %v; want %s", name, root, content, got, err, state)
	}
}

func TestTrustIsInBytesOfOneProject(t *testing.T) {
	s, root, other := at(t), t.TempDir(), t.TempDir()
	want(t, s, root, "go", "x", Untrusted)
	if err := s.Trust(root, Verifier, "go", []byte("x")); err != nil {
		t.Fatal(err)
	}
	want(t, s, root, "go", "x", Trusted)
	want(t, s, root, "go", "x\n", Changed)
	want(t, s, root, "go2", "x", Untrusted)
	want(t, s, other, "go", "x", Untrusted)
	if state, err := s.State(root, "hook", "go", []byte("x")); err != nil || state != Untrusted {
		t.Errorf("another kind is %s, %v", state, err)
	}
	want(t, At(s.path, time.Now), root, "go", "x", Trusted) // another process

	if err := s.Trust(root, Verifier, "go", []byte("y")); err != nil {
		t.Fatal(err)
	}
	want(t, s, root, "go", "y", Trusted)
	want(t, s, root, "go", "x", Changed)

	if names, err := s.Names(root, Verifier); err != nil || fmt.Sprint(names) != "[go]" {
		t.Errorf("Names = %v, %v", names, err)
	}
	since, err := s.Since(root, Verifier, "go")
	if age := time.Since(since); err != nil || age < 0 || age > time.Hour {
		t.Errorf("trusted since %v, %v", since, err)
	}
	if since, err := s.Since(root, Verifier, "none"); err != nil || !since.IsZero() {
		t.Errorf("what was never trusted is so since %v, %v", since, err)
	}
	if had, err := s.Revoke(root, Verifier, "go"); err != nil || !had {
		t.Errorf("Revoke = %v, %v", had, err)
	}
	if had, err := s.Revoke(root, Verifier, "go"); err != nil || had {
		t.Errorf("second Revoke = %v, %v", had, err)
	}
	want(t, s, root, "go", "y", Untrusted)
	if data, err := os.ReadFile(s.path); err != nil || bytes.Contains(data, []byte(root)) {
		t.Errorf("a project without trust stays in the file: %s, %v", data, err)
	}
}

// TestNames: trust goes to nothing that has another name, however alike the names are.
func TestNames(t *testing.T) {
	top := t.TempDir()
	for _, names := range [][]string{
		{"caf\u00e9", "cafe\u0301"},             // composed, and not
		{"a\xff", "a\xfe", "a\ufffd", "a\\xff"}, // not UTF-8, and what stands for that
		{"a", "A", "a ", "a\u200b", "\u0430", "a/", "a\x00"},
		{"K", "k", "\u212a"}, // folding makes these one
	} {
		for _, mine := range names {
			s, root := at(t), filepath.Join(top, "r")
			if err := s.Trust(filepath.Join(top, mine), Verifier, "n", []byte("x")); err != nil {
				t.Fatal(err)
			}
			if err := s.Trust(root, Verifier, mine, []byte("x")); err != nil {
				t.Fatal(err)
			}
			if all, err := s.Names(root, Verifier); err != nil || len(all) != 1 || all[0] != mine {
				t.Errorf("Names = %q, %v; want %q", all, err, mine)
			}
			for _, other := range names {
				state := Untrusted
				if other == mine {
					state = Trusted
				}
				want(t, s, root, other, "x", state)
				if filepath.Join(top, other) != filepath.Join(top, mine) || other == mine {
					want(t, s, filepath.Join(top, other), "n", "x", state)
				}
			}
		}
	}
}

func TestTrustTogether(t *testing.T) {
	s, root := at(t), t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := At(s.path, time.Now).Trust(root, Verifier, fmt.Sprint(i), []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if names, err := s.Names(root, Verifier); err != nil || len(names) != 8 {
		t.Errorf("of 8 that were trusted at once %v are, %v", names, err)
	}
}

// A record that somebody else could have written makes nothing trusted.
func TestUnusable(t *testing.T) {
	root := t.TempDir()
	trusted := at(t)
	if err := trusted.Trust(root, Verifier, "go", []byte("x")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(trusted.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, arrange := range map[string]func(s *Store){
		"others may write it": func(s *Store) { chmod(t, s.path, 0o666) },
		"half of it":          func(s *Store) { write(t, s.path, data[:len(data)/2]) },
		"of another schema":   func(s *Store) { write(t, s.path, bytes.Replace(data, []byte(`"schema": 1`), []byte(`"schema": 9`), 1)) },
		"in the project":      func(s *Store) { s.path = filepath.Join(root, ".config", "trust.json"); write(t, s.path, data) },
		"linked into the project": func(s *Store) {
			s.path = filepath.Join(root, ".config", "trust.json")
			write(t, s.path, data)
			link := filepath.Join(t.TempDir(), "config")
			if err := os.Symlink(filepath.Dir(s.path), link); err != nil {
				t.Fatal(err)
			}
			s.path = filepath.Join(link, "trust.json")
		},
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(name, "others") {
			continue
		}
		s := at(t)
		write(t, s.path, data)
		arrange(s)
		state, err := s.State(root, Verifier, "go", []byte("x"))
		if p := problem.Of(err); state != Untrusted || p == nil || p.Code != Unusable || len(p.Next) == 0 {
			t.Errorf("%s: %s, %v", name, state, err)
		}
		if err := s.Trust(root, Verifier, "go", []byte("x")); problem.Of(err) == nil {
			t.Errorf("%s: Trust = %v", name, err)
		}
	}
}

// The record lies beside the project, not in it, if their names only begin alike.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	s := At(filepath.Join(dir, "project-config", "trust.json"), time.Now)
	if err := s.Trust(filepath.Join(dir, "project"), Verifier, "go", []byte("x")); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
