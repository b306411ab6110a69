//go:build unix

package files

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"codeintel/internal/problem"
)

// A pipe is left out, and nobody waits for its other end.
func TestPipe(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "x")
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	out := list(t, p)
	if got := paths(out); !slices.Equal(got, []string{"a.go"}) || out.Skipped[Special] != 1 {
		t.Errorf("%q, %v", got, out.Skipped)
	}
	if _, err := Read(p, "pipe"); problem.Of(err) == nil {
		t.Errorf("read: %v", err)
	}
}
