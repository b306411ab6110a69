package deadcode

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/test/cputime"
	"codeintel/test/searchtest"
)

// TestFind checks what is found against the comment of each archive in testdata, whose lines
// are "FILE NAME CONFIDENCE USERS".
func TestFind(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			find := open(t, a)
			answer, err := find.Find(t.Context(), Query{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range answer.Symbols {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", s.File, s.Name, s.Confidence, strings.Join(s.UsedBy, " "))))
			}
			want := strings.Split(strings.TrimSpace(string(a.Comment)), "\n")
			if !slices.Equal(got, want) {
				t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if !answer.Complete {
				t.Errorf("incomplete: %v", answer.Missing)
			}
		})
	}
}

// open lays out the files of an archive and returns what answers about them.
func open(t *testing.T, a *txtar.Archive) *Finder {
	t.Helper()
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	return New(searchtest.Open(t, searchtest.Files(t, files)))
}

// TestNotJudged wants an answer to say which languages it judges nothing of: an answer of
// nothing would else read as if all were in use.
func TestNotJudged(t *testing.T) {
	find := open(t, txtar.Parse([]byte(`-- main.tf --
variable "lonely" {}
output "also" {}
-- lib.ps1 --
function Get-Lonely { }
-- a.ts --
function lonely() {}
-- notes.md --
# Lonely
`)))
	a, err := find.Find(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	said := a.Text()
	if a.Judged != 1 || !strings.Contains(said, "of 1 that only this project can use") ||
		!strings.Contains(said, "use it without naming it: 2 hcl, 1 powershell") {
		t.Errorf("judged %d:\n%s", a.Judged, said)
	}
}

// TestNotToldApart says that an answer which did not tell some symbols of one name apart is incomplete.
func TestNotToldApart(t *testing.T) {
	calls := strings.Repeat("\tx.visit()\n", maxPlaces+1)
	a, err := open(t, &txtar.Archive{Files: []txtar.File{
		{Name: "go.mod", Data: []byte("module example.org/m\n\ngo 1.21\n")},
		{Name: "a.go", Data: []byte("package main\n\ntype a struct{}\n\nfunc (a) visit() {}\n\ntype b struct{}\n\nfunc (b) visit() {}\n\nfunc main() {\n\tvar x a\n\t_ = b{}\n" + calls + "}\n")},
	}}).Find(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Complete || !strings.Contains(a.Text(), "too many others") {
		t.Errorf("symbols are not judged, and the answer is complete:\n%s", a.Text())
	}
}

// TestBesideTooLarge says that an answer is incomplete where a file is too large to be read: it may use anything.
func TestBesideTooLarge(t *testing.T) {
	for size, whole := range map[int]bool{10: true, 5 << 20: false} {
		a, err := open(t, &txtar.Archive{Files: []txtar.File{
			{Name: "main.go", Data: []byte("package main\n\nfunc lonely() {}\n\nfunc main() {}\n")},
			{Name: "b.go", Data: []byte("package main\n\n// " + strings.Repeat("x", size) + "\n")},
		}}).Find(t.Context(), Query{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Complete != whole || strings.Contains(a.Text(), "max_file_bytes") == whole {
			t.Errorf("beside %d bytes:\n%s", size, a.Text())
		}
	}
}

// TestOneLine reads a line of tens of thousands of functions in one pass.
func TestOneLine(t *testing.T) {
	var line strings.Builder
	for i := range 80_000 {
		fmt.Fprintf(&line, "function f%d(){};", i)
	}
	find := open(t, &txtar.Archive{Files: []txtar.File{{Name: "a.ts", Data: []byte(line.String())}}})
	cputime.Limit(t, 3*time.Second, "80,000 functions in a line", func() {
		if _, err := find.Find(t.Context(), Query{}); err != nil {
			t.Error(err)
		}
	})
}

// TestCrowded looks at no symbol whose name tens of thousands have, and says so.
func TestCrowded(t *testing.T) {
	var code strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&code, "class C%d { private lonely() {} }\n", i)
	}
	find := open(t, &txtar.Archive{Files: []txtar.File{{Name: "a.ts", Data: []byte(code.String())}}})
	cputime.Limit(t, 5*time.Second, "30,000 methods of one name", func() {
		a, err := find.Find(t.Context(), Query{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Complete || !strings.Contains(a.Text(), "30000 symbols share their names") || a.Total != 30_000 {
			t.Errorf("%d symbols:\n%.300s", a.Total, a.Text())
		}
	})
}

// TestWithin lists nothing that is in other dead code, and what only follows it.
func TestWithin(t *testing.T) {
	a, err := open(t, &txtar.Archive{Files: []txtar.File{
		{Name: "a.py", Data: []byte("def _outer():\n    def _inner():\n        pass\n\ndef _next():\n    pass\n")},
	}}).Find(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	if said := a.Text(); a.Total != 2 || !strings.Contains(said, "_outer") || !strings.Contains(said, "_next") {
		t.Errorf("listed:\n%s", said)
	}
}
