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
		text := "package a\n\nfunc f() {\n" + body + "\ntype T struct {\n\tField int\n}\n"
		c := checkerOf(t, text)
		at, ok, err := c.Member(t.Context(), ".", "T", "Field")
		if want := (Position{"a.go", line, 2}); err != nil || !ok || at != want {
			t.Errorf("%q: %v, %v, %v; want %v", body, at, ok, err, want)
		}
	}
}

// checkerOf returns a checker of a project of one file, a.go.
func checkerOf(t *testing.T, text string) *Checker {
	t.Helper()
	root := t.TempDir()
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
	return c
}

// TestFirstName reads only the functions with a name when a folder is first asked for, and all
// of them when it is asked for another name.
func TestFirstName(t *testing.T) {
	c := checkerOf(t, `package a

func run() {}

func stop() {}

func f() {
	run()
	stop()
}

func g() {
	stop()
}
`)
	ask := func(name string) *Uses {
		t.Helper()
		u, err := c.UsesIn(t.Context(), ".", name)
		if err != nil || u == nil {
			t.Fatal(u, err)
		}
		return u
	}
	first := ask("run")
	if m := first.At(Position{"a.go", 8, 2}); m.Known != Resolved || m.Position != (Position{"a.go", 3, 6}) {
		t.Errorf("run means %+v", m)
	}
	if n := len(first.list); n != 1 {
		t.Errorf("%d names were read for one", n)
	}
	if ask("run") != first {
		t.Error("the same was read again")
	}
	second := ask("stop")
	for _, line := range []int{9, 13} {
		if m := second.At(Position{"a.go", line, 2}); m.Known != Resolved || m.Position != (Position{"a.go", 5, 6}) {
			t.Errorf("stop in line %d means %+v", line, m)
		}
	}
	if ask("run") != second || ask("f") != second {
		t.Error("read again although all was known")
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
