package files

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"codeintel/internal/index/watch"
	"codeintel/internal/project"
	"codeintel/test/tier"
)

// A world is a project that random things happen to.
type world struct {
	t    *testing.T
	r    *rand.Rand
	root string
	did  []string
}

var worldNames = []string{"a", "b", "c", "d.go", "e.py", "f.txt", "g.log", "vendor", "node_modules"}

func (w *world) path() string {
	var parts []string
	for range 1 + w.r.IntN(4) {
		parts = append(parts, worldNames[w.r.IntN(len(worldNames))])
	}
	return filepath.Join(parts...)
}

// some returns a path that is there, most of the time.
func (w *world) some() string {
	var all []string
	filepath.WalkDir(w.root, func(path string, _ os.DirEntry, err error) error {
		rel, _ := filepath.Rel(w.root, path)
		if err == nil && rel != "." && !strings.HasPrefix(rel, ".git") && !strings.HasPrefix(rel, project.Dir) {
			all = append(all, rel)
		}
		if err == nil && (strings.HasSuffix(rel, ".git") || rel == project.Dir) {
			return filepath.SkipDir
		}
		return nil
	})
	if len(all) == 0 || w.r.IntN(10) == 0 {
		return w.path()
	}
	return all[w.r.IntN(len(all))]
}

// step does one thing. Much of it fails, as it does in life.
func (w *world) step() {
	at := func(rel string) string { return filepath.Join(w.root, rel) }
	note := func(format string, args ...any) { w.did = append(w.did, fmt.Sprintf(format, args...)) }
	switch w.r.IntN(15) {
	case 0, 1, 2:
		p := w.path()
		note("create %s", p)
		os.MkdirAll(filepath.Dir(at(p)), 0o755)
		os.WriteFile(at(p), []byte(strings.Repeat("x", w.r.IntN(50))), 0o644)
	case 3, 4:
		p := w.some()
		note("edit %s", p)
		if info, err := os.Lstat(at(p)); err == nil && info.Mode().IsRegular() {
			os.WriteFile(at(p), []byte(strings.Repeat("y", w.r.IntN(50))), 0o644)
		}
	case 5:
		p, q := w.some(), w.path()
		note("move %s %s", p, q)
		os.MkdirAll(filepath.Dir(at(q)), 0o755)
		os.Rename(at(p), at(q))
	case 6:
		p, q := w.some(), w.some()
		note("exchange %s %s", p, q)
		os.Rename(at(p), at("swap"))
		os.Rename(at(q), at(p))
		os.Rename(at("swap"), at(q))
	case 7:
		p := w.some()
		note("remove %s", p)
		os.Remove(at(p))
	case 8:
		p := w.some()
		note("remove all %s", p)
		os.RemoveAll(at(p))
	case 9:
		p := w.some()
		note("remove and make %s", p)
		os.RemoveAll(at(p))
		os.MkdirAll(at(p), 0o755)
		os.WriteFile(at(filepath.Join(p, "new.go")), []byte("z"), 0o644)
	case 10:
		p := w.some()
		note("chmod %s", p)
		os.Chmod(at(p), []os.FileMode{0o755, 0o644, 0o600}[w.r.IntN(3)]|0o700)
	case 11:
		name := []string{".gitignore", ".code-intelignore"}[w.r.IntN(2)]
		dir := filepath.Dir(w.some())
		lines := []string{"*.log", "a/", "/b", "!c", "*.py", "vendor/", "d.go"}
		note("rules in %s", dir)
		os.WriteFile(at(filepath.Join(dir, name)), []byte(lines[w.r.IntN(len(lines))]+"\n"+lines[w.r.IntN(len(lines))]+"\n"), 0o644)
	case 12:
		p, q := w.some(), w.path()
		note("link %s %s", p, q)
		os.MkdirAll(filepath.Dir(at(q)), 0o755)
		os.Symlink(at(p), at(q))
	case 13:
		p := w.path()
		note("repository in %s", p)
		os.MkdirAll(at(filepath.Join(p, ".git")), 0o755)
		os.WriteFile(at(filepath.Join(p, ".git", "HEAD")), []byte("ref: refs/heads/main\n"), 0o644)
	case 14:
		p, q := w.some(), w.path()
		note("save %s", q)
		os.WriteFile(at(filepath.Dir(p)+"/.tmp"), []byte("saved"), 0o644)
		os.MkdirAll(filepath.Dir(at(q)), 0o755)
		os.Rename(at(filepath.Dir(p)+"/.tmp"), at(q))
	}
}

// TestTreeEqualsSweep does random things to a project and holds a tree that is
// told of changes against a sweep.
func TestTreeEqualsSweep(t *testing.T) {
	for seed := range uint64(tier.Number(2, 6)) {
		for _, c := range []struct{ name, config string }{
			{"whole", ""},
			{"source_dirs", `{"source_dirs": ["a", "b/c"], "exclude_patterns": ["node_modules/**"]}`},
		} {
			t.Run(fmt.Sprint(c.name, seed), func(t *testing.T) { treeAgainstSweep(t, seed, c.config, seed%2 == 0) })
		}
	}
}

func treeAgainstSweep(t *testing.T, seed uint64, config string, inGit bool) {
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 7)), root: t.TempDir()}
	own := filepath.Join(w.root, project.Dir, "index")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	if config != "" {
		if err := os.WriteFile(filepath.Join(w.root, project.Dir, "config.json"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if inGit {
		cmd := exec.Command("git", "init", "-q")
		cmd.Dir = w.root
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for range 30 {
		w.step()
	}
	p, err := project.OpenRoot(w.root)
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := watch.Open(own)
	if err != nil {
		t.Skip(err)
	}
	defer watcher.Close()
	l := NewLister(p)
	tree := l.NewTree(watcher)
	before, err := tree.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sweeps := 0
	for round := range 60 {
		w.did = nil
		for range 1 + w.r.IntN(4) {
			w.step()
		}
		if inGit && w.r.IntN(15) == 0 {
			cmd := exec.Command("git", "add", "-A", "-f", ".")
			cmd.Dir = w.root
			cmd.Run() // some trees git will not take
			w.did = append(w.did, "git add")
		}
		c, err := watcher.Drain()
		if err != nil {
			t.Fatal(err)
		}
		got, changed, whole, err := tree.Update(t.Context(), c.Touched, c.Moved)
		if err != nil {
			t.Fatal(err)
		}
		want, err := NewLister(p).List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want.Skips = nil
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("round %d, after %q, told of %v, moved %v (-sweep +tree):\n%s", round, w.did, c.Touched, c.Moved, diff)
		}
		if whole {
			sweeps++
		} else if diff := cmp.Diff(differing(before.Entries, got.Entries), changed, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("round %d, after %q: changed (-want +got):\n%s", round, w.did, diff)
		}
		before = got
		sameLeft(t, l, got, w.did)
	}
	if sweeps > 55 {
		t.Errorf("%d of 60 updates were sweeps", sweeps)
	}
}

// sameLeft checks what is left out by a listing against a walk through every folder.
func sameLeft(t *testing.T, l *Lister, listed *Listing, did []string) {
	t.Helper()
	every := &Listing{}
	filepath.WalkDir(l.p.Root, func(path string, d os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(l.p.Root, path); err == nil && d.IsDir() && rel != "." {
			every.Partly = append(every.Partly, rel)
		}
		return nil
	})
	want, _, err := l.LeftOut(t.Context(), every)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := l.LeftOut(t.Context(), listed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("left out after %q (-every folder +those listed partly):\n%s", did, diff)
	}
}

// differing returns the paths at which two listings differ.
func differing(a, b []Entry) (paths []string) {
	was := make(map[string]Entry)
	for _, e := range a {
		was[e.Path] = e
	}
	for _, e := range b {
		if was[e.Path] != e {
			paths = append(paths, e.Path)
		}
		delete(was, e.Path)
	}
	for path := range was {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

type nobody struct{}

func (nobody) Follow(string) error { return nil }
func (nobody) Unfollow(string)     {}

// What is ignored comes in when git tracks it, and goes when it does not.
func TestTreeNoticesTracked(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "*.gen\n")
	write(t, root, "a.go", "x")
	write(t, root, "b.gen", "x")
	tree := NewLister(open(t, root)).NewTree(nobody{})
	check := func(why string, wantWhole bool) {
		t.Helper()
		out, _, whole, err := tree.Update(t.Context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(gitFiles(t, root), paths(out)); diff != "" || whole != wantWhole {
			t.Errorf("%s: whole is %t; git (-), Tree (+):\n%s", why, whole, diff)
		}
	}
	check("first", true)
	gitRun(t, root, "add", "-f", "b.gen")
	check("added by force", true)
	write(t, root, "a.go", "another text")
	gitRun(t, root, "config", "some.thing", "else")
	check("nothing new is tracked", false)
	gitRun(t, root, "rm", "-q", "--cached", "b.gen")
	check("no longer tracked", true)
}
