package pastruns

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/problem"
	"codeintel/internal/text/question"
	"codeintel/test/golden"
)

func mustOpen(t *testing.T, root string) *Index {
	t.Helper()
	x, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func mustPut(t *testing.T, root string, entries ...Entry) {
	t.Helper()
	x := mustOpen(t, root)
	for _, e := range entries {
		if err := x.Put(e); err != nil {
			t.Fatal(err)
		}
	}
}

func keys(x *Index) (all []string) {
	for _, e := range x.doc.Entries {
		all = append(all, e.Key())
	}
	return all
}

func content(t *testing.T, root string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, File))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fill(t *testing.T, root, text string) {
	t.Helper()
	file := filepath.Join(root, File)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The file is the same whatever the order of the entries, and what people see.
func TestFile(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	if x := mustOpen(t, root); x.Len() != 0 {
		t.Errorf("a new project has %d pipelines", x.Len())
	}
	entries := past()
	mustPut(t, root, entries...)
	slices.Reverse(entries)
	mustPut(t, other, entries...)
	if a, b := content(t, root), content(t, other); !bytes.Equal(a, b) {
		t.Errorf("the order of Put shows in the file:\n%s\n%s", a, b)
	}
	golden.Hold(t, "testdata/index.json", string(content(t, root)))
}

// The same entry again writes nothing; a changed one replaces its former self; the
// same name on another day is another pipeline.
func TestPutAgain(t *testing.T) {
	root := t.TempDir()
	mustPut(t, root, past()...)
	before, err := os.Stat(filepath.Join(root, File))
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, root, past()...)
	after, err := os.Stat(filepath.Join(root, File))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("what was there already was written again (%v)", err)
	}
	e := past()[0]
	e.Summary = "Another end."
	mustPut(t, root, e)
	if x := mustOpen(t, root); x.Len() != 3 || !strings.Contains(string(content(t, root)), "Another end.") {
		t.Errorf("%d pipelines, want 3 with the changed one", x.Len())
	}
	e.Workspace = ".specs/20260501-42-fix-auth-timeout"
	mustPut(t, root, e)
	want := []string{"20260401-42-fix-auth-timeout", "20260501-42-fix-auth-timeout", "20260520-add-dark-mode", "20260415-ログイン画面の追加"}
	if got := keys(mustOpen(t, root)); !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// An entry that gets another name moves to its place.
func TestPutUnderAnotherName(t *testing.T) {
	root := t.TempDir()
	mustPut(t, root, past()...)
	e := past()[0]
	e.SpecName = "zero-auth-timeouts"
	mustPut(t, root, e)
	want := []string{"20260520-add-dark-mode", "20260401-42-fix-auth-timeout", "20260415-ログイン画面の追加"}
	if got := keys(mustOpen(t, root)); !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// The index that Put is called on has the entry, and what others put meanwhile.
func TestPutSeesOthers(t *testing.T) {
	root := t.TempDir()
	mine, theirs := mustOpen(t, root), mustOpen(t, root)
	if err := theirs.Put(past()[0]); err != nil {
		t.Fatal(err)
	}
	if err := mine.Put(past()[1]); err != nil {
		t.Fatal(err)
	}
	if mine.Len() != 2 || len(mine.Similar(question.Analyse("auth token"), Told)) == 0 {
		t.Errorf("after Put the index has %q", keys(mine))
	}
}

func TestPutRefuses(t *testing.T) {
	root := t.TempDir()
	for _, e := range []Entry{{}, {SpecName: "x"}, {SpecName: "x", Status: "running"}, {Status: Completed}} {
		if err := mustOpen(t, root).Put(e); err == nil {
			t.Errorf("Put(%+v) was taken", e)
		}
	}
	if _, err := os.Stat(filepath.Join(root, File)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused entry made a file: %v", err)
	}
}

// Many that put at once lose nothing.
func TestPutAtOnce(t *testing.T) {
	root := t.TempDir()
	all := many(24)
	done := make(chan error)
	for _, e := range all {
		go func() {
			x, err := Open(root)
			if err == nil {
				err = x.Put(e)
			}
			done <- err
		}()
	}
	for range all {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if x := mustOpen(t, root); x.Len() != len(all) {
		t.Errorf("%d of %d entries are there", x.Len(), len(all))
	}
}

// What a later version added is there after this one has written the file, and after
// it has made it anew.
func TestUnknownFieldsSurvive(t *testing.T) {
	const later = `{"version": 1, "colour": {"a": [1, 2.50]}, "entries": [
		{"spec_name": "a", "status": "completed", "mood": "良い<b>", "cost": 12345678901234567890,
		 "findings": [{"severity": "MINOR", "description": "d", "fixed_by": "x"}, {"severity": "MAJOR", "description": "e"}],
		 "frictions": [{"friction": "f", "lost_minutes": 5}],
		 "phases": [{"phase": "phase-1", "tokens": 3, "cached": true}]}]}`
	odd := []string{`"colour": {"a":[1,2.50]}`, `"mood": "良い<b>"`, `"cost": 12345678901234567890`,
		`{"severity":"MINOR","description":"d","fixed_by":"x"}`, `{"friction":"f","lost_minutes":5}`, `{"phase":"phase-1","tokens":3,"cached":true}`}
	root := t.TempDir()
	fill(t, root, later)
	mustPut(t, root, past()[0])
	for _, want := range odd {
		if !strings.Contains(string(content(t, root)), want) {
			t.Errorf("Put of another entry lost %s", want)
		}
	}
	anew := func() ([]Entry, error) {
		return []Entry{{SpecName: "a", Status: Completed, Title: "A", Findings: []Finding{{Severity: "MINOR", Description: "d"}},
			Frictions: []Friction{{Text: "f"}}, Phases: []PhaseLog{{Phase: "phase-1", Tokens: 4}, {Phase: "phase-1", Tokens: 3}}}}, nil
	}
	if _, _, err := Rebuild(root, anew); err != nil {
		t.Fatal(err)
	}
	for _, want := range append(odd, `"title": "A"`) {
		if !strings.Contains(string(content(t, root)), want) {
			t.Errorf("Rebuild lost %s", want)
		}
	}
	marshalled, err := past()[0].MarshalJSON()
	if err != nil || !bytes.Contains(marshalled, []byte(`"spec_name":"42-fix-auth-timeout"`)) {
		t.Errorf("MarshalJSON = %s, %v", marshalled, err)
	}
}

// A file that cannot be read is a Problem that names the way out, and stays.
func TestDamaged(t *testing.T) {
	root := t.TempDir()
	mustPut(t, root, past()...)
	whole := string(content(t, root))
	for name, text := range map[string]string{
		"empty":        "",
		"cut":          whole[:len(whole)/2],
		"cut early":    "{",
		"no object":    "[]",
		"no version":   `{"entries": []}`,
		"not JSON":     "index",
		"wrong type":   `{"version": 1, "entries": [{"spec_name": 3}]}`,
		"no name":      `{"version": 1, "entries": [{"status": "completed"}]}`,
		"two of a key": `{"version": 1, "entries": [{"spec_name": "a", "x": 1}], "Entries": []}`,
		"a merge":      strings.Replace(whole, " \"entries\"", "<<<<<<< HEAD\n \"entries\"", 1),
		"tail":         whole + "x",
	} {
		t.Run(name, func(t *testing.T) {
			fill(t, root, text)
			_, err := Open(root)
			if p := problem.Of(err); p == nil || p.Code != damagedFile || !strings.Contains(p.Error(), "pipeline reindex") {
				t.Errorf("Open = %v, want %s and the way out", err, damagedFile)
			}
			if err := newIndex(root, &document{Version: formatVersion}).Put(past()[0]); problem.Of(err) == nil {
				t.Errorf("Put = %v, want a Problem", err)
			}
			if got := string(content(t, root)); got != text {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func TestLaterVersion(t *testing.T) {
	root := t.TempDir()
	const later = `{"version": 2, "entries": {"new": "form"}}`
	fill(t, root, `{"version": 2, "entries": []}`)
	for _, text := range []string{`{"version": 2, "entries": []}`, later} {
		fill(t, root, text)
		_, err := Open(root)
		_, _, again := Rebuild(root, func() ([]Entry, error) { return past(), nil })
		for _, err := range []error{err, again} {
			if p := problem.Of(err); p == nil || p.Code != newerFile {
				t.Errorf("of %s: %v, want %s", text, err, newerFile)
			}
		}
		if got := string(content(t, root)); got != text {
			t.Errorf("the file was changed to %q", got)
		}
	}
}

func TestRebuild(t *testing.T) {
	entries := past()
	running := Entry{SpecName: "running", Workspace: ".specs/20260601-running", Status: "running"}
	for _, tt := range []struct {
		name    string
		file    func(whole string) string // what lies there of entries 0 and 2
		damaged bool
		want    []string // keys that are kept, of workspaces that are gone
	}{
		{"nothing", func(string) string { return "" }, true, nil},
		{"whole", func(whole string) string { return whole }, false, []string{"20260401-42-fix-auth-timeout"}},
		{"cut in the last entry", func(whole string) string { return whole[:len(whole)-40] }, true, []string{"20260401-42-fix-auth-timeout"}},
		{"garbage", func(string) string { return "\x00\xff" }, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			mustPut(t, root, entries[0], entries[2])
			text := tt.file(string(content(t, root)))
			fill(t, root, text)
			x, done, err := Rebuild(root, func() ([]Entry, error) { return []Entry{entries[1], entries[2], running}, nil })
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(done.Kept, tt.want) {
				t.Errorf("kept %q, want %q", done.Kept, tt.want)
			}
			if want := 2 + len(tt.want); done.Entries != want || x.Len() != want || mustOpen(t, root).Len() != want {
				t.Errorf("%+v and %d entries, want %d", done, x.Len(), want)
			}
			if tt.damaged != (done.Damaged != "") {
				t.Errorf("damaged: %q", done.Damaged)
			}
			if tt.damaged {
				if saved, err := os.ReadFile(filepath.Join(root, done.Damaged)); err != nil || string(saved) != text {
					t.Errorf("the copy holds %q, %v; want what was there", saved, err)
				}
			}
		})
	}
}

func TestRebuildFails(t *testing.T) {
	root := t.TempDir()
	mustPut(t, root, past()...)
	before := content(t, root)
	ours := errors.New("a workspace cannot be read")
	if _, _, err := Rebuild(root, func() ([]Entry, error) { return nil, ours }); !errors.Is(err, ours) {
		t.Errorf("Rebuild = %v, want %v", err, ours)
	}
	if !bytes.Equal(before, content(t, root)) {
		t.Error("a rebuilding that failed changed the file")
	}
}

// git runs git in dir.
func git(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main", "-c", "core.quotePath=false", "-c", "commit.gpgSign=false"}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

func mustGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := git(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Two branches that each end a pipeline merge without a conflict where the names
// stand apart. Where they do not, reindex brings both together.
func TestMergeOfBranches(t *testing.T) {
	named := func(names ...string) (all []Entry) {
		for _, n := range names {
			all = append(all, Entry{SpecName: n, Workspace: ".specs/20260401-" + n, Title: n, Status: Completed, Files: []string{n + ".go"}, Ended: "2026-04-01T00:00:00Z"})
		}
		return all
	}
	for _, tt := range []struct {
		mine, theirs string
		conflict     bool
	}{{"a", "f", false}, {"d", "z", false}, {"z", "zz", true}, {"cc", "ccc", true}} {
		t.Run(tt.mine+" and "+tt.theirs, func(t *testing.T) {
			root := t.TempDir()
			mustGit(t, root, "init", "-q")
			mustPut(t, root, named("b", "c", "e", "g")...)
			mustGit(t, root, "add", "-A")
			mustGit(t, root, "commit", "-qm", "base")
			if files := mustGit(t, root, "ls-files"); files != File+"\n" {
				t.Errorf("in git are %q, want only the history", files)
			}
			mustGit(t, root, "switch", "-qc", "theirs")
			mustPut(t, root, named(tt.theirs)...)
			mustGit(t, root, "commit", "-qam", "theirs")
			mustGit(t, root, "switch", "-q", "main")
			mustPut(t, root, named(tt.mine)...)
			mustGit(t, root, "commit", "-qam", "mine")
			out, err := git(t, root, "merge", "theirs")
			if (err != nil) != tt.conflict {
				t.Fatalf("merge: %v\n%s", err, out)
			}
			if tt.conflict {
				_, err := Open(root)
				if p := problem.Of(err); p == nil || p.Code != damagedFile || !strings.Contains(p.Message.String(), "merge") {
					t.Fatalf("Open = %v, want a Problem that names the merge", err)
				}
				if _, _, err := Rebuild(root, func() ([]Entry, error) { return nil, nil }); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{"b", "c", "e", "g", tt.mine, tt.theirs}
			slices.Sort(want)
			var got []string
			for _, e := range mustOpen(t, root).doc.Entries {
				got = append(got, e.SpecName)
			}
			if !slices.Equal(got, want) {
				t.Errorf("after the merge there are %q, want %q", got, want)
			}
			if left := mustGit(t, root, "status", "--porcelain"); !tt.conflict && left != "" {
				t.Errorf("git sees %q", left)
			}
		})
	}
}

func TestLinkIsRefused(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, ".specs")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, err := range []error{
		func() error { _, err := Open(root); return err }(),
		newIndex(root, &document{Version: formatVersion}).Put(past()[0]),
	} {
		if p := problem.Of(err); p == nil || p.Code != problem.OutsideRoot {
			t.Errorf("%v, want %s", err, problem.OutsideRoot)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 0 {
		t.Errorf("outside lies %v, %v", left, err)
	}
}

// What an entry may hold is bounded, and the gravest findings stay.
func TestBounds(t *testing.T) {
	e := Entry{SpecName: "a", Status: Completed, Request: strings.Repeat("長い依頼 ", 1000), Title: "two\nlines\tand \xff"}
	for i := range 500 {
		e.Files = append(e.Files, fmt.Sprintf("%03d.go", i%300))
		e.Findings = append(e.Findings, Finding{Severity: "minor ", Description: fmt.Sprint("finding ", i)})
		e.Frictions = append(e.Frictions, Friction{Text: fmt.Sprint("friction ", i)})
	}
	e.Findings = append(e.Findings, Finding{Severity: Critical, Description: strings.Repeat("x", 5000)}, Finding{Severity: Critical, Description: " \n"})
	b := e.bounded()
	if n := len([]rune(b.Request)); n > maxRequest || n < maxRequest-2 {
		t.Errorf("the request has %d characters", n)
	}
	if b.Title != "two lines and \uFFFD" {
		t.Errorf("title %q", b.Title)
	}
	if len(b.Findings) != maxFindings || len(b.Frictions) != maxFrictions || len(b.Files) != maxFiles {
		t.Errorf("%d findings, %d frictions, %d files", len(b.Findings), len(b.Frictions), len(b.Files))
	}
	if f := b.Findings[0]; f.Severity != Critical || len([]rune(f.Description)) != maxText {
		t.Errorf("first of the findings is %s, %d bytes", f.Severity, len(f.Description))
	}
	if e.Findings[0].Severity != "minor " {
		t.Error("the caller's entry was changed")
	}
}

// FuzzOpen holds that whatever lies there is read as it is written again, or refused.
func FuzzOpen(f *testing.F) {
	whole, err := encode(&indexOf(past()).doc)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(`{"version":1,"x":[],"entries":[{"spec_name":"a","y":{},"findings":[{"z":null}],"phases":null}]}`))
	f.Add([]byte("{\n<<<<<<< a\n\"version\":1,\n=======\n\"version\":1\n>>>>>>> b\n}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		recoverEntries(data)
		d, err := decode(data)
		if err != nil {
			return
		}
		once, err := encode(d)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := decode(once)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		twice, err := encode(again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("read again it is another file (%v):\n%s\n%s", err, once, twice)
		}
	})
}
