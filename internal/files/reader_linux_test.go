package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"codeintel/internal/project"
)

// What was written a moment ago is not remembered: the next change may look the same.
func TestReaderRemembers(t *testing.T) {
	root := t.TempDir()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {time.Hour, 1}} {
		r := NewReader(p)
		r.now = func() time.Time { return time.Now().Add(c.after) }
		for range 2 {
			if _, err := r.Read("a.go"); err != nil {
				t.Fatal(err)
			}
		}
		if len(r.known) != c.want {
			t.Errorf("%v after it was written, %d files are remembered, not %d", c.after, len(r.known), c.want)
		}
		if r.Forget(); len(r.known) != 0 {
			t.Error("Forget left something")
		}
	}
}
