package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T) (w *Watcher, root string) {
	t.Helper()
	root = t.TempDir()
	own := filepath.Join(root, ".own")
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := Open(own)
	if runtime.GOOS != "linux" {
		if !errors.Is(err, ErrUnavailable) {
			t.Fatalf("%s: %v", runtime.GOOS, err)
		}
		t.Skip("only Linux reports changes in order; elsewhere the files are swept")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(own); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return w, root
}

func follow(t *testing.T, w *Watcher, dirs ...string) {
	t.Helper()
	for _, d := range dirs {
		if err := w.Follow(d); err != nil {
			t.Fatal(err)
		}
	}
}

// drained is what Drain says, relative to root.
func drained(t *testing.T, w *Watcher, root string) string {
	t.Helper()
	c, err := w.Drain()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range c.Touched {
		rel, _ := filepath.Rel(root, d)
		out = append(out, rel)
	}
	for _, d := range c.Moved {
		rel, _ := filepath.Rel(root, d)
		out = append(out, "moved "+rel)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDrain(t *testing.T) {
	w, root := open(t)
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	must(t, os.MkdirAll(filepath.Join(a, "sub"), 0o755))
	must(t, os.MkdirAll(b, 0o755))
	follow(t, w, root, a, filepath.Join(a, "sub"), b)
	for _, step := range []struct {
		name string
		do   func() error
		want string
	}{
		{"nothing", func() error { return nil }, ""},
		{"a new file", func() error { return os.WriteFile(filepath.Join(a, "x"), []byte("1"), 0o644) }, "a"},
		{"a file written", func() error { return os.WriteFile(filepath.Join(a, "x"), []byte("2"), 0o644) }, "a"},
		{"nothing again", func() error { return nil }, ""},
		{"saved beside and renamed", func() error {
			return errors.Join(os.WriteFile(filepath.Join(root, "tmp"), nil, 0o644), os.Rename(filepath.Join(root, "tmp"), filepath.Join(a, "x")))
		}, "., a"},
		{"its mode", func() error { return os.Chmod(filepath.Join(a, "x"), 0o600) }, "a"},
		{"a file removed", func() error { return os.Remove(filepath.Join(a, "x")) }, "a"},
		{"a folder made that is not followed", func() error { return os.Mkdir(filepath.Join(b, "new"), 0o755) }, "b"},
		{"in it nobody looks", func() error { return os.WriteFile(filepath.Join(b, "new", "y"), nil, 0o644) }, ""},
		{"a folder moved", func() error { return os.Rename(a, filepath.Join(b, "a")) }, "., b, moved a"},
		{"below it nobody looks any more", func() error { return os.WriteFile(filepath.Join(b, "a", "sub", "z"), nil, 0o644) }, ""},
	} {
		must(t, step.do())
		if diff := cmp.Diff(step.want, drained(t, w, root)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	if n := w.Followed(); n != 2 {
		t.Errorf("%d folders are followed", n)
	}
}

// TestDrainWaitsForAll is the promise that answers rest on: what was written
// before Drain was called is in what it returns, however much it is.
func TestDrainWaitsForAll(t *testing.T) {
	w, root := open(t)
	var dirs []string
	for i := range 40 {
		d := filepath.Join(root, fmt.Sprint(i))
		must(t, os.Mkdir(d, 0o755))
		dirs = append(dirs, d)
	}
	follow(t, w, dirs...)
	for round := range 50 {
		var want []string
		for i, d := range dirs {
			if (i+round)%3 == 0 {
				must(t, os.WriteFile(filepath.Join(d, "f"), []byte(fmt.Sprint(round)), 0o644))
				want = append(want, fmt.Sprint(i))
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(strings.Join(want, ", "), drained(t, w, root)); diff != "" {
			t.Fatalf("round %d (-want +got):\n%s", round, diff)
		}
	}
}

func TestNews(t *testing.T) {
	w, root := open(t)
	follow(t, w, root)
	must(t, os.WriteFile(filepath.Join(root, "f"), nil, 0o644))
	<-w.News()
	if got := drained(t, w, root); got != "." {
		t.Errorf("drained %q", got)
	}
}

// TestLost has the system say that it could not keep up: that is said once for
// all, and never passed over.
func TestLost(t *testing.T) {
	for name, err := range map[string]error{"overflow": fsnotify.ErrEventOverflow, "anything else": errors.New("broken")} {
		t.Run(name, func(t *testing.T) {
			w, root := open(t)
			follow(t, w, root)
			w.system.Errors <- err
			<-w.broken
			if _, got := w.Drain(); !errors.Is(got, errMissedChanges) || !errors.Is(got, err) {
				t.Errorf("Drain: %v", got)
			}
			if got := w.Follow(root); !errors.Is(got, errMissedChanges) {
				t.Errorf("Follow: %v", got)
			}
			if errors.Is(w.Err(), ErrOverflow) != (name == "overflow") {
				t.Errorf("%v", w.Err())
			}
		})
	}
}

// TestMarkRemoved takes the file away that Drain writes to, as somebody does who
// deletes the index: changes are still heard of, or said to be lost.
func TestMarkRemoved(t *testing.T) {
	w, root := open(t)
	follow(t, w, root)
	must(t, os.Remove(w.mark.Name()))
	for i := range 3 {
		must(t, os.WriteFile(filepath.Join(root, "f"), []byte(fmt.Sprint(i)), 0o644))
		c, err := w.Drain()
		if err == nil && !slices.Contains(c.Touched, root) || err != nil && !errors.Is(err, errMissedChanges) {
			t.Errorf("%v, %v", c, err)
		}
	}
}

func TestFollowPassesOver(t *testing.T) {
	w, root := open(t)
	must(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o644))
	follow(t, w, filepath.Join(root, "missing"), filepath.Join(root, "file", "below"))
	if err := w.Err(); err != nil {
		t.Error(err)
	}
}

func TestClosed(t *testing.T) {
	w, root := open(t)
	follow(t, w, root)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Drain(); !errors.Is(err, errMissedChanges) {
		t.Errorf("Drain after Close: %v", err)
	}
}

func BenchmarkDrain(b *testing.B) {
	w, err := Open(b.TempDir())
	if err != nil {
		b.Skip(err)
	}
	defer w.Close()
	for b.Loop() {
		if _, err := w.Drain(); err != nil {
			b.Fatal(err)
		}
	}
}
