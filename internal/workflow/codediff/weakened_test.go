package codediff

import (
	"path"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/workflow/codediff/weakening"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestWeakened plays the cases of testdata/weakened.txtar, which look like those of
// TestVerdicts. Behind the name stand the tests that can find less, each with how.
func TestWeakened(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/weakened.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		head, want, _ := strings.Cut(f.Name, " =")
		name, file, _ := strings.Cut(head, " @ ")
		t.Run(strings.ReplaceAll(name+"_"+path.Ext(file), " ", "_"), func(t *testing.T) {
			base, text, _ := strings.Cut(string(f.Data), "=====>\n")
			var got []string
			change := File{Path: file, New: []byte(text), Test: !strings.HasPrefix(file, "shop/")}
			if base != "" {
				change.Base = []byte(base)
			}
			for _, w := range Compare([]File{change}, nil).Weakened() {
				got = append(got, w.Test+":"+string(w.How))
			}
			slices.Sort(got)
			if got := strings.Join(got, " "); got != strings.TrimSpace(want) {
				t.Errorf("weakened: %q, want %q", got, strings.TrimSpace(want))
			}
		})
	}
}

// TestSameNames checks two files against each other whose tests have the same names.
func TestSameNames(t *testing.T) {
	test := func(want string) []byte {
		return []byte("package p\n\nfunc TestNew(t *testing.T) {\n\tif New() != " + want + " {\n\t\tt.Fatal()\n\t}\n}\n")
	}
	more := []byte("\nfunc TestMore(t *testing.T) { check(t, More()) }\n")
	files := []File{
		{Path: "a/a_test.go", Base: test("1"), New: append(test("1"), more...), Test: true},
		{Path: "b/b_test.go", Base: test("2"), New: append(test("2"), more...), Test: true},
	}
	if got := Compare(files, nil).Weakened(); len(got) > 0 {
		t.Errorf("weakened: %v", got)
	}
	files[1].New = test("3")
	if got := Compare(files, nil).Weakened(); len(got) != 1 || got[0].File != "b/b_test.go" || got[0].How != weakening.Expectations {
		t.Errorf("weakened: %v, want b/b_test.go: TestNew", got)
	}
}

// TestNewNamesakes moves a check into a new function of whose name there is another new one: it is
// found there every time.
func TestNewNamesakes(t *testing.T) {
	files := []File{
		{
			Path: "shop/pay.go",
			Base: []byte("package shop\n\nfunc pay(n int) error {\n\tif n < 1 {\n\t\treturn errNothing\n\t}\n\treturn book(n)\n}\n"),
			New: []byte("package shop\n\nfunc pay(n int) error {\n\tif err := check(n); err != nil {\n\t\treturn book(0)\n\t}\n\treturn book(n)\n}\n\n" +
				"func check(n int) error {\n\tif n < 1 {\n\t\treturn errNothing\n\t}\n\treturn nil\n}\n"),
		},
		{
			Path: "shop/list.go",
			Base: []byte("package shop\n"),
			New:  []byte("package shop\n\nfunc (l *list) check(n int) bool {\n\treturn n > 0\n}\n"),
		},
	}
	for range 50 {
		if got := Compare(files, nil).Weakened(); len(got) > 0 {
			t.Fatalf("weakened: %v", got)
		}
	}
}

// Tests stand apart if they are new or changed, in files of their own, beside a change of code.
func TestTestsApart(t *testing.T) {
	code := File{Path: "a.go", Base: []byte("package a\n\nfunc A() int { return 1 }\n"), New: []byte("package a\n\nfunc A() int { return 2 }\n")}
	said := File{Path: "a.go", Base: code.Base, New: []byte("package a\n\n// A is one.\nfunc A() int { return 1 }\n")}
	test := File{Path: "a_test.go", Test: true, New: []byte("package a\n\nfunc TestA(t *testing.T) {\n\tif A() != 2 {\n\t\tt.Fatal()\n\t}\n}\n")}
	same := File{Path: "b_test.go", Test: true, Base: test.New, New: append([]byte("// Checked.\n"), test.New...)}
	helper := File{Path: "help_test.go", Test: true, New: []byte("package a\n\nfunc help() int { return 3 }\n")}
	inside := File{Path: "src/lib.rs", Base: []byte("pub fn a() -> i32 { 1 }\n"),
		New: []byte("pub fn a() -> i32 { 2 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a_is_two() { assert_eq!(super::a(), 2); }\n}\n")}
	for name, c := range map[string]struct {
		files []File
		want  []string
	}{
		"a new test":               {[]File{code, test, same, helper}, []string{"a_test.go"}},
		"a comment in the code":    {[]File{said, test}, nil},
		"tests alone":              {[]File{test}, nil},
		"a comment in the tests":   {[]File{code, same, helper}, nil},
		"a test inside of a file":  {[]File{code, test, inside}, nil},
		"a test inside, and alone": {[]File{inside}, nil},
	} {
		if got := Compare(c.files, nil).TestsApart(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
