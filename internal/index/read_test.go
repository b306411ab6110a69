package index

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"codeintel/internal/files"
)

// TestOtherFileInPlace has something else lie in the place of a file when it is read than when
// it was listed, and the file again later. It must count as changed then.
func TestOtherFileInPlace(t *testing.T) {
	tr := newTree(t, map[string]string{"a.go": goFile("a", "F")})
	p := tr.project()
	at := filepath.Join(tr.root, "a.go")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(at, long, long); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	e := files.Entry{Path: "a.go", Size: info.Size(), ModTime: info.ModTime().UnixNano(), Class: files.Source}
	if err := os.Rename(at, at+".away"); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"no file":      func() error { return os.Mkdir(at, 0o755) },
		"a large file": func() error { return os.WriteFile(at, make([]byte, p.Config.MaxFileBytes+1), 0o644) },
		"a binary":     func() error { return os.WriteFile(at, bytes.Repeat([]byte{0}, 100), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := put(); err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(at)
			got, err := (&reader{p: p, now: time.Now}).read(t.Context(), e, nil)
			if err != nil {
				t.Fatal(err)
			}
			was := stat{got.at.size, got.at.mtime}
			if got.indexed() || !got.gone && !new(snapshot).differs(&e, was) {
				t.Errorf("the file counts as unchanged when it is back: %+v", got)
			}
		})
	}
}
