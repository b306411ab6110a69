//go:build unix

package mmap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, content := range []string{"", "some bytes"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil || string(f.Bytes()) != content {
			t.Fatalf("read %q, %v, want %q", f.Bytes(), err, content)
		}
		if f.Release(); string(f.Bytes()) != content {
			t.Errorf("released: %q, want %q", f.Bytes(), content)
		}
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// What is released takes no memory of the process any more.
func TestRelease(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("smaps is Linux's")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := bytes.Count(f.Bytes(), []byte{0}); n != 4<<20 {
		t.Fatalf("%d zeros", n)
	}
	if kb := resident(t, path); kb != 4096 {
		t.Fatalf("%d KB of the file are in memory when all of it was read", kb)
	}
	f.Release()
	if kb := resident(t, path); kb != 0 {
		t.Errorf("%d KB of the file are in memory when it was released", kb)
	}
}

// resident returns how many kilobytes of a mapped file this process has in memory.
func resident(t *testing.T, path string) (kb int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), path)
	_, rest, has := strings.Cut(rest, "Rss:")
	if _, err := fmt.Sscan(rest, &kb); err != nil || !ok || !has {
		t.Fatalf("%s is not in smaps: %v", path, err)
	}
	return kb
}

func TestOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("some bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]string{0: "", 4: "some", 10: "some bytes"} {
		m, err := ofFile(f, size)
		if err != nil || string(m.Bytes()) != want {
			t.Fatalf("the first %d are %q, %v", size, m.Bytes(), err)
		}
		if err := m.Close(); err != nil || m.Bytes() != nil {
			t.Errorf("closed: %q, %v", m.Bytes(), err)
		}
	}
	m, err := ofFile(f, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := f.Close(); err != nil || string(m.Bytes()) != "some bytes" {
		t.Errorf("after the file is closed: %q, %v", m.Bytes(), err)
	}
	if m, err := ofFile(f, 10); err == nil {
		t.Errorf("a closed file is %q", m.Bytes())
	}
}

func TestGuard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 1); err != nil {
		t.Fatal(err)
	}
	sum := 0
	read := func() error {
		for _, b := range f.Bytes() {
			sum += int(b)
		}
		return nil
	}
	damaged := errors.New("damaged")
	if err := Guard(damaged, read); !errors.Is(err, damaged) {
		t.Errorf("reading what was cut off: %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a defect was taken for a fault")
			}
		}()
		_ = Guard(damaged, func() error { panic("defect") })
	}()
}
