package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"codeintel/internal/problem"
)

type state struct {
	Schema   int    `json:"schema_version"`
	Revision int    `json:"revision"`
	Name     string `json:"name"`
}

func (s *state) Upgrade() error {
	if s.Schema > 1 {
		return errors.New("it is too new")
	}
	if s.Name == "old" {
		s.Name = "upgraded"
	}
	return nil
}

func newWorkspace(t *testing.T) (*Workspace, Locks) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	w, err := Of(t.TempDir(), ".specs/20260401-x")
	if err != nil {
		t.Fatal(err)
	}
	return w, Locks{t.TempDir()}
}

// No path leads out of .specs, whatever it is made of.
func TestConfinement(t *testing.T) {
	root := t.TempDir()
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".specs", "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, ".specs", "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for path, ok := range map[string]bool{
		".specs/a": true, "./.specs/a/": true, ".specs/日本語": true, filepath.Join(root, ".specs", "a"): true,
		"": false, "a": false, ".specs": false, ".specs/": false, ".specs/..": false, ".specs/../a": false, ".specs/a/../b": false, ".specs/a/b": false,
		"/etc": false, "../.specs/a": false, ".specs/.hidden": false, ".specs/a\x00": false, ".specs/link": false, ".specs/agents": false,
		filepath.Join(outside, ".specs", "a"): false, ".specs\\a": false, "x/.specs/a": false,
	} {
		if w, err := Of(root, path); (err == nil) != ok {
			t.Errorf("Of(%q) = %v, %v", path, w, err)
		} else if err != nil && problem.Of(err) == nil {
			t.Errorf("Of(%q): %v is no Problem", path, err)
		}
	}
	w, err := Of(root, ".specs/real")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{{filepath.Join(outside, "secret"), "design.md"}, {outside, "debug"}} {
		if err := os.Symlink(link[0], filepath.Join(w.Dir(), link[1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"design.md", "debug/secret", "../real/x", "/etc/passwd", "", ".", "a//b"} {
		if text, err := w.Read(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read(%q) = %q, %v", name, text, err)
		}
	}
	for _, name := range []string{"debug/x", "../x", "/tmp/x", ""} {
		if err := w.Write(name, "x"); err == nil {
			t.Errorf("Write(%q) wrote", name)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

// Of many who write the same revision, one does.
func TestCompareAndSwap(t *testing.T) {
	w, l := newWorkspace(t)
	if err := w.Save(l, 0, state{1, 1, "first"}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	won := make(chan string, 16)
	for _, name := range strings.Split("abcdefgh", "") {
		wg.Go(func() {
			err := w.Save(l, 1, state{1, 2, name})
			if p := problem.Of(err); err != nil && (p == nil || p.Code != Conflict) {
				t.Error(err)
			}
			if err == nil {
				won <- name
			}
		})
	}
	wg.Wait()
	close(won)
	var names []string
	for n := range won {
		names = append(names, n)
	}
	var got state
	if err := w.Load(&got); err != nil || len(names) != 1 || got.Name != names[0] || got.Revision != 2 {
		t.Errorf("%v won, on disk is %+v, %v", names, got, err)
	}
}

func TestLoad(t *testing.T) {
	w, l := newWorkspace(t)
	if err := w.Load(new(state)); problem.Of(err) == nil || problem.Of(err).Code != NoWorkspace {
		t.Errorf("without a state: %v", err)
	}
	if err := w.Save(l, 0, state{1, 1, "x"}); err != nil {
		t.Fatal(err)
	}
	var got state
	if err := w.Save(l, 1, state{1, 2, "old"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Load(&got); err != nil || got.Name != "upgraded" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := w.Save(l, 2, map[string]any{"schema_version": 2, "revision": 3, "name": []string{"of another type"}}); err != nil {
		t.Fatal(err)
	}
	err := w.Load(&got)
	if p := problem.Of(err); p == nil || p.Code != StateDamaged || !strings.Contains(p.Message.String(), "too new") {
		t.Errorf("of a later version: %v", err)
	}
	if err := w.Save(l, 3, state{1, 1, "x"}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", "[]", `{"schema_version": "x"}`} {
		if err := os.WriteFile(filepath.Join(w.Dir(), StateFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.Load(&got); err != nil || got != (state{1, 1, "x"}) {
			t.Errorf("%q, and there is a copy: %+v, %v", text, got, err)
		}
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // no copy
	for _, text := range []string{"", "{", "[]", `{"schema_version": "x"}`} {
		if err := os.WriteFile(filepath.Join(w.Dir(), StateFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if p := problem.Of(w.Load(&got)); p == nil || p.Code != StateDamaged {
			t.Errorf("%q: %v", text, p)
		}
	}
}

// What counts is what the server wrote last, whatever somebody else has written
// since, older states of the server's own included.
func TestPutBack(t *testing.T) {
	w, l := newWorkspace(t)
	file := filepath.Join(w.Dir(), StateFile)
	read := func() string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if err := w.Save(l, 0, state{1, 1, "first"}); err != nil {
		t.Fatal(err)
	}
	first := read()
	if err := w.Save(l, 1, state{1, 2, "second"}); err != nil {
		t.Fatal(err)
	}
	second := read()
	for name, text := range map[string]string{"forged": strings.Replace(second, "second", "forged", 1), "an older one": first, "damaged": "{"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var got state
		if err := w.Load(&got); err != nil || got.Name != "second" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if put, err := w.PutBack(l); !put || err != nil || read() != second {
			t.Errorf("%s: put back %v, %v:\n%s", name, put, err, read())
		}
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(second, "\n", "\r\n")), 0o644); err != nil { // git may
		t.Fatal(err)
	}
	if put, err := w.PutBack(l); put || err != nil {
		t.Errorf("other line ends: put back %v, %v", put, err)
	}
	// A server that was killed between copy and file has written one of both.
	last, next := w.copies()
	third := strings.Replace(second, "second", "third", 1)
	for _, text := range []string{second, third} {
		for path, text := range map[string]string{next: third, file: text} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if put, err := w.PutBack(l); put || err != nil || read() != text {
			t.Errorf("killed: put back %v, %v", put, err)
		}
	}
	if err := os.Remove(last); err != nil {
		t.Fatal(err)
	}
	if put, err := w.PutBack(l); put || err != nil {
		t.Errorf("never led here: put back %v, %v", put, err)
	}
}

// TestSettled goes over what deaths and other hands can leave of a save, as the
// table in memory.go does.
func TestSettled(t *testing.T) {
	const none, one, two, three, cut = "", "1", "2", "3", "{"
	for _, tt := range []struct {
		last, next, state string
		counts            string // what is loaded, and lies there in the end; cut: state_damaged
		forged            bool
		keeps             string // the copy in the end
	}{
		{none, none, one, one, false, none}, // never led here
		{none, one, none, none, false, none},
		{none, one, one, one, false, one},
		{none, one, three, one, true, one},
		{none, cut, one, one, false, none},
		{none, none, cut, cut, false, none},
		{one, none, one, one, false, one},
		{one, none, none, none, false, one}, // a pipeline of that name was removed
		{one, none, two, one, true, one},
		{one, none, cut, one, true, one},
		{one, two, none, none, false, one},
		{one, two, one, one, false, one},
		{one, two, two, two, false, two},
		{one, two, three, one, true, one},
		{one, two, cut, one, true, one},
		{two, three, one, two, true, two},
		{two, two, two, two, false, two},
		{cut, none, one, one, false, cut},
		{cut, two, two, two, false, two},
		{cut, two, one, two, true, two},
		{one, cut, one, one, false, one},
		{one, cut, two, one, true, one},
	} {
		w, l := newWorkspace(t)
		last, next := w.copies()
		file := filepath.Join(w.Dir(), StateFile)
		text := func(revision string) string {
			if revision == none || revision == cut {
				return revision
			}
			return "{\n \"schema_version\": 1,\n \"revision\": " + revision + "\n}\n"
		}
		for path, revision := range map[string]string{last: tt.last, next: tt.next, file: tt.state} {
			if revision == none {
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text(revision)), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		lies := func(path string) string {
			data, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			return string(data)
		}
		load := func(when string) {
			var got state
			err := w.Load(&got)
			code := problem.Code("")
			if p := problem.Of(err); p != nil {
				code = p.Code
			}
			want := map[string]problem.Code{none: NoWorkspace, cut: StateDamaged}[tt.counts]
			if code != want || want == "" && strconv.Itoa(got.Revision) != tt.counts {
				t.Errorf("%+v: %s: loaded %+v, %v", tt, when, got, err)
			}
		}
		load("at first")
		put, err := w.PutBack(l)
		if err != nil || put != tt.forged {
			t.Errorf("%+v: put back %v, %v", tt, put, err)
		}
		load("then")
		for range 2 {
			if lies(file) != text(tt.counts) || lies(last) != text(tt.keeps) {
				t.Errorf("%+v: state.json holds %q, the copy %q", tt, lies(file), lies(last))
			}
			unlock, err := l.write(w) // who writes settles what nobody took up
			if err != nil {
				t.Fatal(err)
			}
			unlock()
			if tt.state == none && lies(next) != "" || tt.counts == tt.keeps && lies(next) != "" {
				t.Errorf("%+v: the next copy holds %q", tt, lies(next))
			}
		}
	}
}

func TestLead(t *testing.T) {
	w, l := newWorkspace(t)
	unlock, err := l.Acquire(w, "a test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Acquire(w, "another"); problem.Of(err) == nil || problem.Of(err).Code != Busy || !strings.Contains(err.Error(), "a test") {
		t.Errorf("led twice: %v", err)
	}
	if led, err := l.InUse(w); !led || err != nil {
		t.Errorf("InUse: %v, %v", led, err)
	}
	unlock()
	if led, err := l.InUse(w); led || err != nil {
		t.Errorf("InUse after: %v, %v", led, err)
	}
	if _, err := os.Stat(w.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock lies in the tree: %v", err)
	}
}

func TestJournal(t *testing.T) {
	w, l := newWorkspace(t)
	for i := range 3 {
		err := Note(w, l, 0, func(have []state) ([]state, error) {
			if len(have) != 2*i {
				t.Errorf("%d: it has %v", i, have)
			}
			return []state{{Revision: i}, {Revision: i}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := Journal[state](w)
	if err != nil || len(all) != 6 || all[5].Revision != 2 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestReadAndHash(t *testing.T) {
	w, _ := newWorkspace(t)
	if h, err := w.Hash("design.md"); h != "" || err != nil {
		t.Errorf("%q, %v", h, err)
	}
	if err := w.Write("design.md", "# Design\n"); err != nil {
		t.Fatal(err)
	}
	if h, err := w.Hash("design.md"); h != HashOf("# Design\n") || err != nil {
		t.Errorf("%q, %v", h, err)
	}
	if err := w.Write("long.md", strings.Repeat("x", maxArtifact+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Read("long.md"); problem.Of(err) == nil {
		t.Errorf("too long: %v", err)
	}
	if names, err := w.Artifacts(); err != nil || strings.Join(names, " ") != "design.md long.md" {
		t.Errorf("%v, %v", names, err)
	}
}
