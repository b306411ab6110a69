package golang

import (
	"maps"
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

// TestUnchanged takes the folders apart anew only if a file changed.
func TestUnchanged(t *testing.T) {
	p, err := project.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := NewChecker(p)
	update := func(size int64) map[string]*folder {
		list := []files.Entry{{Path: "a/a.go", Size: size, Class: files.Source}, {Path: "b/b.go", Size: 1, Class: files.Source}}
		if err := c.Update(t.Context(), list, nil); err != nil {
			t.Fatal(err)
		}
		return maps.Clone(c.dirs)
	}
	first := update(1)
	c.dirs["mark"] = &folder{} // goes when the folders are listed anew
	if again := update(1); again["mark"] == nil || again["a"] != first["a"] {
		t.Error("files that did not change were listed anew")
	}
	if changed := update(2); changed["mark"] != nil || changed["a"] == first["a"] || changed["b"] != first["b"] {
		t.Error("not just the folder of the changed file was taken anew")
	}
}
