//go:build unix

package mapped

import (
	"errors"
	"os"
	"path/filepath"
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
	err = Guard(func() error {
		for _, b := range f.Bytes() {
			sum += int(b)
		}
		return nil
	})
	if !errors.Is(err, ErrFault) {
		t.Errorf("reading what was cut off: %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a defect was taken for a fault")
			}
		}()
		_ = Guard(func() error { panic("defect") })
	}()
}
