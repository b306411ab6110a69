package golang

import (
	"os"
	"path/filepath"
	"testing"

	"codeintel/internal/files"
	"codeintel/internal/project"
)

// TestHeads finds a field behind functions whose bodies are not read, and behind one that does
// not end where a formatted one would.
func TestHeads(t *testing.T) {
	for body, line := range map[string]int{
		"\tx := 1\n\t_ = x\n}\n":     9,
		"if true {\n}\n_ = 1\n}\n\n": 11,
		"\t_ = `\n}\n`\n}\n":         10,
	} {
		root := t.TempDir()
		text := "package a\n\nfunc f() {\n" + body + "\ntype T struct {\n\tField int\n}\n"
		if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := project.OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		list, err := files.List(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		c := NewChecker(p)
		if err := c.Update(t.Context(), list, []Module{{Dir: ".", Path: "m"}}); err != nil {
			t.Fatal(err)
		}
		at, ok, err := c.Member(t.Context(), ".", "T", "Field")
		if want := (Position{"a.go", line, 2}); err != nil || !ok || at != want {
			t.Errorf("%q: %v, %v, %v; want %v", body, at, ok, err, want)
		}
	}
}
