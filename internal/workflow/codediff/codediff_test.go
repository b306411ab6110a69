package codediff

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"codeintel/internal/workflow/codediff/reason"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestVerdicts plays the cases of testdata/verdicts.txtar. A section is named by the
// case and its file, " @ " between; it holds the text before, a line "=====>", and the
// text after. What the marked lines ("«" at their end, in both texts taken away) are
// must be what is behind the name: "change", or a reason.
func TestVerdicts(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/verdicts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		head, want, _ := strings.Cut(f.Name, " = ")
		name, file, _ := strings.Cut(head, " @ ")
		t.Run(strings.ReplaceAll(name+"_"+path.Ext(file), " ", "_"), func(t *testing.T) {
			base, text, ok := strings.Cut(string(f.Data), "=====>\n")
			if !ok {
				base, text = "", base
			}
			var cited []int
			for i, line := range strings.Split(text, "\n") {
				if strings.HasSuffix(line, "«") {
					cited = append(cited, i+1)
				}
			}
			if len(cited) == 0 {
				t.Fatal("no line is marked")
			}
			file := File{Path: file, New: []byte(strings.ReplaceAll(text, "«", ""))}
			if ok {
				file.Base = []byte(base)
			}
			d := Compare([]File{file}, nil)
			for _, n := range cited {
				v := d.Lines(file.Path, n, n)
				got := string(v.Why)
				if len(v.Lines) > 0 {
					got = "change"
				}
				if got != want {
					t.Errorf("line %d is %q, want %q; %s", n, got, want, d.files[file.Path].dump())
				}
			}
		})
	}
}

// TestNoBuild checks a new source file of C++ against the lists of CMake above it.
func TestNoBuild(t *testing.T) {
	for list, want := range map[string]reason.Reason{
		"add_library(shop src/cart.cpp)\n":                        reason.LeftOut,
		"add_library(shop src/cart.cpp src/discount.cpp)\n":       "",
		"file(GLOB sources src/*.cpp)\nadd_library(shop x.cpp)\n": "",
		"add_subdirectory(src)\n":                                 "",
		"":                                                        "",
	} {
		d := Compare([]File{{Path: "src/discount.cpp", New: []byte("int discounted(int sum) {\n  return sum * 9 / 10;\n}\n")}},
			func(path string) []byte {
				if path == "CMakeLists.txt" {
					return []byte(list)
				}
				return nil
			})
		if got := d.Lines("src/discount.cpp", 2, 2).Why; got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

func (c *compared) dump() string {
	return fmt.Sprintf("changed %v, why %v, marks %v", c.changed, c.why, c.now.Marks)
}

// TestNeverWaits checks an item that wants something to be waited for.
func TestNeverWaits(t *testing.T) {
	const item = "drain() pauses and waits for running tasks"
	for drain, want := range map[string]bool{
		"  async drain() {\n    this.pause();\n    void this.onIdle();\n  }\n":   true,
		"  async drain() {\n    this.pause();\n    this.onIdle();\n  }\n":        true,
		"  async drain() {\n    this.pause();\n    await this.onIdle();\n  }\n":  false,
		"  async drain() {\n    this.pause();\n    return this.onIdle();\n  }\n": false,
		"  drain(done) {\n    this.onIdle().then(done);\n  }\n":                  false,
		"  drain() {\n    this.pause();\n    this.clear();\n  }\n":               false,
	} {
		const class = "class Queue {\n  async onIdle() {\n    await once(this, 'idle');\n  }\n\n  pause() {\n    this.paused = true;\n  }\n\n"
		d := Compare([]File{{Path: "queue.ts", Base: []byte(class + "}\n"), New: []byte(class + drain + "}\n")}}, nil)
		if got := d.NeverWaits(item, "queue.ts", 10, 13); got != want {
			t.Errorf("%t, want %t, of\n%s", got, want, drain)
		}
		if d.NeverWaits("drain() pauses", "queue.ts", 10, 13) {
			t.Errorf("nobody asked to wait in\n%s", drain)
		}
	}
}

// TestNeverFails checks an item that wants an error to be returned.
func TestNeverFails(t *testing.T) {
	const head = "package a\n\nfunc f(all []string) (int, error) {\n\tfor _, a := range all {\n\t\tif n, err := g(a); err == nil {\n\t\t\treturn n, nil\n\t\t}\n\t}\n"
	for end, want := range map[string]bool{
		"\treturn 0, nil\n}\n": true, "\treturn 0, errNone\n}\n": false, "\treturn h()\n}\n": false, "\tpanic(\"none\")\n}\n": false,
	} {
		d := Compare([]File{{Path: "a.go", New: []byte(head + end)}}, nil)
		if got := d.Swallows("f returns an error if none matches", "a.go", 4, 8); got != want {
			t.Errorf("%t, want %t, of\n%s", got, want, end)
		}
	}
}

// TestSwallows wants an item that asks for errors to find code that drops one where it is.
func TestSwallows(t *testing.T) {
	for _, c := range []struct {
		path, base, text string
		want             bool
	}{
		{"a.go", "package a\n\nfunc f() {\n\tg()\n}\n", "package a\n\nfunc f() {\n\terr := g()\n\t_ = err\n\th()\n}\n", true},
		{"a.go", "package a\n\nfunc f() {\n\tg()\n}\n", "package a\n\nfunc f() {\n\terr := g()\n\tlog.Print(err)\n\th()\n}\n", false},
		{"a.php", "<?php\nfunction f($file) {\n    return g($file);\n}\n", "<?php\nfunction f($file) {\n    return @g($file);\n}\n", true},
		{"a.php", "<?php\nfunction f($file) {\n    return g($file);\n}\n", "<?php\nfunction f($file) {\n    return h($file);\n}\n", false},
	} {
		d := Compare([]File{{Path: c.path, Base: []byte(c.base), New: []byte(c.text)}}, nil)
		if got := d.Swallows("a failed read is reported", c.path, 1, 9); got != c.want {
			t.Errorf("%t, want %t, of\n%s", got, c.want, c.text)
		}
	}
}
