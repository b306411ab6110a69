//go:build unix

package files

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"codeintel/internal/project"
)

// Where the system gives no more files, a listing fails: an empty one would look as if all
// files had gone.
func TestListWithoutDescriptors(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	s := &sweep{p: p, readDir: func(string, *scratch) ([]child, error) {
		return nil, &os.PathError{Op: "open", Path: root, Err: syscall.EMFILE}
	}}
	if _, err := s.run(t.Context()); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("listed without descriptors: %v", err)
	}
}
