package codediff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/workflow/codediff/additions/unread"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/weakening"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestMain(m *testing.M) {
	source.Strict = true
	m.Run()
}

// TestOddFiles cuts the files of the other tests off and takes lines out of them: whatever is there of a
// file, comparing it ends.
func TestOddFiles(t *testing.T) {
	var files []File
	for _, name := range []string{"verdicts", "weakened"} {
		archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			head, _, _ := strings.Cut(f.Name, " =")
			_, file, _ := strings.Cut(head, " @ ")
			_, text, _ := strings.Cut(string(f.Data), "=====>\n")
			files = append(files, File{Path: file, New: []byte(strings.ReplaceAll(text, "«", "")), Test: !strings.HasPrefix(file, "shop/")})
		}
	}
	for i, text := range []string{ // a call that a pipe or the object itself gives its value
		"def f(x) do\n  x\n  |> case do\n    1 -> 2\n  end\nend\n",
		"x |> if do\n  1\nend\n",
		"def f\n  each_pair { |k, v| [k, v] }\n  map(&:to_s)\nend\n",
		"def f(size)\n  raise Error, 1 unless size =~ /^[0-9]+$/\n  2\nend\n", // a "$" that begins no name
	} {
		files = append(files, File{Path: fmt.Sprint("odd", i, []string{".ex", ".ex", ".rb", ".rb"}[i]), New: []byte(text)})
	}
	for i, f := range files {
		lines := bytes.SplitAfter(f.New, []byte("\n"))
		without := i % len(lines)
		fewer := bytes.Join(append(append([][]byte{}, lines[:without]...), lines[without+1:]...), nil)
		other := [][]byte{nil, f.New[:len(f.New)*(1+i%7)/8], f.New[len(f.New)*(i%5)/6:], fewer}[i%4]
		for _, c := range []File{{Path: f.Path, Base: other, New: f.New, Test: f.Test}, {Path: f.Path, Base: f.New, New: other, Test: f.Test}} {
			d := Compare([]File{c}, nil)
			d.WeakenedFor("do it", "", unread.Project{})
			d.Lines(c.Path, 1, len(lines))
		}
	}
}

// TestUnread wants to hear of tests that cannot be read: because the file is too large, was so before, or
// because of a defect of ours.
func TestUnread(t *testing.T) {
	small := "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"
	large := small + strings.Repeat("// a comment\n", maxCompared/10)
	want := []weakening.Finding{{File: "a_test.go", How: weakening.Unread}}
	for name, texts := range map[string][2]string{"too large": {small, large}, "no longer so": {large, small}} {
		d := Compare([]File{{Path: "a_test.go", Base: []byte(texts[0]), New: []byte(texts[1]), Test: true}}, nil)
		if got := d.WeakenedFor("", "", unread.Project{}); !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	defer func(was bool) { source.Strict = was }(source.Strict)
	source.Strict = false
	d := Compare([]File{{Path: "a_test.go", Base: []byte(small), New: []byte(small + "\n// end\n"), Test: true},
		{Path: "README.md", Base: []byte("Tests\n"), New: []byte("The tests\n")}}, nil)
	if got := d.Weakened(); len(got) > 0 {
		t.Errorf("of a file that can be read: %v", got)
	}
	if got := d.found(func([]weakening.Finding) []weakening.Finding { panic("a defect") }); !slices.Equal(got, want) {
		t.Errorf("a defect: %v", got)
	}
	if readSide("go", "a.go", []byte("package a\n"), nil).Unparsed {
		t.Error("a file that can be read counts as unread")
	}
}
