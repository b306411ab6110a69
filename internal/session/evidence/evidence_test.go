package evidence

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/git"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/workflow/codediff"
)

func TestParse(t *testing.T) {
	for text, want := range map[string][]Ref{
		"a.go:42":                        {{Path: "a.go", Start: 42, End: 42}},
		"a.go:42-58":                     {{Path: "a.go", Start: 42, End: 58}},
		" a.go:42 - 58 ":                 {{Path: "a.go", Start: 42, End: 58}},
		"a.go:42–58":                     {{Path: "a.go", Start: 42, End: 58}},
		"a.go:1, b/c.go:2-3,d:4":         {{Path: "a.go", Start: 1, End: 1}, {Path: "b/c.go", Start: 2, End: 3}, {Path: "d", Start: 4, End: 4}},
		"a.go:1,":                        {{Path: "a.go", Start: 1, End: 1}},
		"`a.go:1-2`":                     {{Path: "a.go", Start: 1, End: 2}},
		"`a.go`:1":                       {{Path: "a.go", Start: 1, End: 1}},
		"日本 語/画面 [1].html:3":             {{Path: "日本 語/画面 [1].html", Start: 3, End: 3}},
		"Makefile:7":                     {{Path: "Makefile", Start: 7, End: 7}},
		"one, two.txt:3":                 {{Path: "one, two.txt", Start: 3, End: 3}},
		"C:/x/a.go:3":                    {{Path: "C:/x/a.go", Start: 3, End: 3}},
		"a:10:12":                        {{Path: "a:10", Start: 12, End: 12}},
		"line\nbreak:2":                  {{Path: "line\nbreak", Start: 2, End: 2}},
		"gone.go":                        {{Path: "gone.go"}},
		"old name.go -> new name.go":     {{OldPath: "old name.go", Path: "new name.go"}},
		"a.go:1, old -> new":             {{Path: "a.go", Start: 1, End: 1}, {OldPath: "old", Path: "new"}},
		"a.go:1, image.png":              {{Path: "a.go", Start: 1, End: 1}, {Path: "image.png"}},
		"-rf:1":                          {{Path: "-rf", Start: 1, End: 1}},
		"a.go:9999999999":                {{Path: "a.go:9999999999"}},
		"https://example.com/a.go:80":    {{Path: "https://example.com/a.go", Start: 80, End: 80}},
		"the tests pass, as was checked": {{Path: "the tests pass, as was checked"}},
	} {
		got, err := Parse(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Parse(%q): %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", "  ", ",", ", ,", "a.go:0", "a.go:0-3", "a.go:5-4", "a.go:1, b.go:9-2", strings.Repeat("x", maxText) + ":1"} {
		_, err := Parse(text)
		if p := problem.Of(err); p == nil || p.Code != BadFormat || len(p.Next) == 0 {
			t.Errorf("Parse(%q) = %v, want %s", text, err, BadFormat)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a.go:42-58", "a, b:1,c -> d", "`x`:1", ",,:,", "x:0", ":1", "a:1-", "日本:3–4", "\xff:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refs, err := Parse(text)
		if (err == nil) == (len(refs) == 0) {
			t.Fatalf("Parse(%q) = %v, %v", text, refs, err)
		}
		for _, r := range refs {
			if r.Path == "" || r.Start < 0 || r.End < r.Start || (r.Start == 0) != (r.End == 0) {
				t.Errorf("Parse(%q) gave %+v", text, r)
			}
		}
	})
}

// work makes a repository, changes it, and returns the project and the changes.
func work(t *testing.T) (*project.Project, []git.Change) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "work")
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(root, name) }
	must(os.MkdirAll(root, 0o755))
	run("init", "-q")
	write("same.go", "package same\n\nfunc F() int { return 1 }\n")
	write("code.go", "package code\n\nfunc Old() int {\n\treturn 1\n}\n")
	write("cut", "1\n2\n3\n4\n5\n6\n")
	write("gone.go", "package gone\n")
	write("old name", strings.Repeat("text\n", 20))
	write("bin", "\x00\x01")
	write("bin that stays", "\x00\x01")
	write("emptied", "x\n")
	write("empty that stays", "")
	write("mode", "#!/bin/sh\ntrue\n")
	write("becomes a link", "x\n")
	write("name, with: odd -> [parts]", "1\n2\n3\n")
	write("back\\slash", "1\n2\n")
	run("add", "--all")
	run("commit", "-q", "-m", "x")

	write("code.go", "package code\n\nfunc Old() int {\n\treturn 2\n}\n\nfunc Empty() error {\n\tpanic(\"not implemented\")\n}\n")
	write("cut", "1\n2\n5\n6\n")
	must(os.Remove(at("gone.go")))
	must(os.Rename(at("old name"), at("new name")))
	write("bin", "\x00\x02")
	write("emptied", "")
	must(os.Chmod(at("mode"), 0o755))
	must(os.Remove(at("becomes a link")))
	must(os.Symlink("same.go", at("becomes a link")))
	must(os.Symlink(t.TempDir(), at("leads outside")))
	write("name, with: odd -> [parts]", "1\ntwo\n3\n")
	write("back\\slash", "1\ntwo\n")
	write("notes.unknown", "intro\nTODO: write this\n\n...\nreal text\nraise NotImplementedError\n")
	write("日本/画面.html", "<p>1</p>\n<p>2</p>\n")
	write("x:7", "one\n")
	write("nul.go", "package nul\n\nfunc Empty() {\n\tpanic(\"TODO\")\n}\n// \x00\n")
	write("nul too.go", "package nul\n\nfunc Full() int {\n\treturn 1\n}\n// \x00\n")
	write("caf\xe9.txt", "one\n")

	r, err := git.Open(t.Context(), root)
	must(err)
	tree, err := r.Snapshot(t.Context())
	must(err)
	changes, err := r.Diff(t.Context(), "HEAD", tree)
	must(err)
	p, err := project.Open(root)
	must(err)
	return p, changes
}

func TestCheck(t *testing.T) {
	p, changes := work(t)
	for _, tt := range []struct {
		evidence string
		origin   Origin
		want     problem.Code // "" holds
		says     string
	}{
		{"code.go:4", Changed, "", ""},
		{"code.go:1-5", Changed, "", ""},
		{"./code.go:4", Changed, "", ""},
		{filepath.Join(p.Root, "code.go") + ":4", Changed, "", ""},
		{"code.go:1-2", Changed, NotInChange, "changed in this file: 4"},
		{"code.go:1-2", PreExisting, "", ""},
		{"code.go:10", Changed, OutOfRange, "has 9 lines"},
		{"code.go:8", Changed, EmptyImplementation, "Empty (lines 7-9)"},
		{"code.go:4-9", Changed, EmptyImplementation, "Empty"},
		{"code.go:7", PreExisting, EmptyImplementation, "Empty"},
		{"code.go", Changed, BadFormat, "has lines to cite; the changed ones are 4"},
		{"same.go:3", Changed, NotInChange, "has not changed"},
		{"same.go:3", PreExisting, "", ""},
		{"same.go", PreExisting, BadFormat, "3 lines"},
		{"nothing.go:1", Changed, FileMissing, "nothing.go"},
		{"nothing.go", Changed, NotInChange, "nothing.go"},
		{"../outside.go:1", Changed, problem.OutsideRoot, ""},
		{"leads outside/x:1", Changed, problem.OutsideRoot, ""},
		{".:1", Changed, FileMissing, ""},
		{"cut:2", Changed, "", ""},
		{"cut:3", Changed, "", ""},
		{"cut:1", Changed, NotInChange, "2-3"},
		{"cut:4", Changed, NotInChange, "2-3"},
		{"gone.go", Changed, "", ""},
		{"gone.go:1", Changed, BadFormat, "deleted"},
		{"old name -> new name", Changed, "", ""},
		{"new name", Changed, "", ""},
		{"old name", Changed, "", ""},
		{"new name:3", Changed, "", ""},
		{"other -> new name", Changed, NotInChange, ""},
		{"bin", Changed, "", ""},
		{"bin:1", Changed, BadFormat, "binary"},
		{"bin that stays", Changed, NotInChange, ""},
		{"bin that stays", PreExisting, "", ""},
		{"emptied", Changed, "", ""},
		{"empty that stays", PreExisting, "", ""},
		{"nul.go", Changed, EmptyImplementation, "Empty"},
		{"nul.go", PreExisting, "", ""},
		{"nul too.go", Changed, "", ""},
		{"caf\ufffd.txt:1", Changed, "", ""},
		{"caf\ufffd.txt:2", Changed, OutOfRange, "has 1 line"},
		{"mode", Changed, "", ""},
		{"mode:2", Changed, "", ""},
		{"becomes a link", Changed, "", ""},
		{"becomes a link:1", Changed, BadFormat, "symbolic link"},
		{"日本/画面.html:2", Changed, "", ""},
		{"name, with: odd -> [parts]:2", Changed, "", ""},
		{"name, with: odd -> [parts]:1", Changed, NotInChange, ""},
		{"code.go:4, name, with: odd -> [parts]:2, gone.go, old name -> new name, cut:2", Changed, "", ""},
		{"gone.go, bin", Changed, "", ""},
		{"gone.go, code.go:4", Changed, "", ""},
		{"back\\slash:2", Changed, "", ""},
		{"x:7", Changed, BadFormat, "has lines to cite"}, // the name of a file
		{"x:7:1", Changed, "", ""},
		{"`code.go`:4, `cut:2`", Changed, "", ""},
		{"notes.unknown:2", Changed, EmptyImplementation, "only a note"},
		{"notes.unknown:2-4", Changed, EmptyImplementation, ""},
		{"notes.unknown:6", Changed, EmptyImplementation, ""},
		{"notes.unknown:2-5", Changed, "", ""},
		{"notes.unknown:3", Changed, "", ""},
		{"all tests pass", Changed, NotInChange, ""},
		{"", Changed, BadFormat, ""},
	} {
		err := check(p, tt.evidence, changes, tt.origin)
		got := problem.Of(err)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%q (%s) = %v", tt.evidence, tt.origin, err)
		case tt.want != "" && (got == nil || got.Code != tt.want || !strings.Contains(got.Message.String(), tt.says) || len(got.Next) == 0):
			t.Errorf("%q (%s) = %v, want %s that says %q", tt.evidence, tt.origin, err, tt.want, tt.says)
		}
	}
}

// All that is wrong with an item is told at once.
func TestCheckTellsAll(t *testing.T) {
	p, changes := work(t)
	err := check(p, "same.go:1, cut:2, nothing.go:3, code.go:99", changes, Changed)
	got := problem.Of(err)
	if got == nil || got.Code != NotInChange {
		t.Fatalf("err = %v", err)
	}
	for _, want := range []string{"same.go:1", "nothing.go", "code.go:99"} {
		if !strings.Contains(got.Message.String(), want) {
			t.Errorf("%q does not speak of %s", got.Message, want)
		}
	}
	if strings.Contains(got.Message.String(), "cut") {
		t.Errorf("%q speaks of what holds", got.Message)
	}
}

// Without git a change has no lines, and every line of a changed file counts.
func TestCheckWithoutHunks(t *testing.T) {
	p, _ := work(t)
	changes := []git.Change{{Path: "same.go", Status: git.Modified}}
	if err := check(p, "same.go:3", changes, Changed); err != nil {
		t.Error(err)
	}
	if err := check(p, "same.go", changes, Changed); problem.Of(err) == nil {
		t.Errorf("a path alone: %v", err)
	}
}

func TestPlaces(t *testing.T) {
	p, _ := work(t)
	for text, want := range map[string]problem.Code{
		"same.go:3": "", "same.go:2": OutOfRange, "same.go:2-3": "", "日本/画面.html:1-2": "", "same.go": BadFormat, "same.go:4": OutOfRange, "no.go:1": FileMissing, "../x:1": problem.OutsideRoot,
	} {
		refs, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		err = Places(p, refs)
		if got := problem.Of(err); (want == "") != (err == nil) || err != nil && (got == nil || got.Code != want) {
			t.Errorf("%q = %v, want %q", text, err, want)
		}
	}
}

func TestCites(t *testing.T) {
	p, changes := work(t)
	for text, want := range map[string]bool{
		"code.go:4": true, "same.go:1, code.go:4": true, "gone.go": true, "old name -> new name": true, "name, with: odd -> [parts]:2": true,
		"same.go:3": false, "nothing.go:1": false, "": false,
	} {
		if Cites(p, text, changes) != want {
			t.Errorf("Cites(%q) = %v", text, !want)
		}
	}
}

func TestCountLong(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		long, err := countLong(strings.NewReader(text))
		if err != nil || long != want || count([]byte(text)) != want {
			t.Errorf("%q: %d and %d lines, %v; want %d", text, long, count([]byte(text)), err, want)
		}
	}
}

// check checks evidence of an item that asks for anything against a change that nobody compared.
func check(p *project.Project, text string, changes []git.Change, s Origin) error {
	_, err := NewJudge(p, changes, codediff.Compare(nil, nil)).Check(Claim{Item: "deleted, renamed, executable, a link, binary, empty", Evidence: text, Origin: s})
	return err
}

func TestRest(t *testing.T) {
	p, err := project.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lines := func(path string, ranges ...git.Range) git.Change { return git.Change{Path: path, Hunks: ranges} }
	changes := []git.Change{lines("a.py", git.Range{Start: 1, End: 9}), lines("b.py", git.Range{Start: 3, End: 4}),
		lines("c.py", git.Range{Start: 5, End: 6}), {Path: "moved.py"}, {Path: "logo.png"}}
	got := Rest(p, changes, []string{"a.py:4-5", "b.py:2-4", "a.py:9", "not done", "moved.py"})
	want := []git.Change{lines("a.py", git.Range{Start: 1, End: 3}, git.Range{Start: 6, End: 8}),
		lines("c.py", git.Range{Start: 5, End: 6}), {Path: "logo.png"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(changes[0].Hunks) != 1 {
		t.Errorf("the changes themselves are altered: %v", changes[0])
	}
}
