package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/problem"
)

func indexDir(t *testing.T, root string) string {
	t.Helper()
	p, err := OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := p.IndexDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestIndexDir(t *testing.T) {
	top := realTemp(t)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(top, "cache"))
	cache := filepath.Join(top, "cache/code-intel/index") + string(filepath.Separator)
	write(t, top, "plain/x.go", "")
	write(t, top, "twin/plain/x.go", "")
	write(t, top, "session/.code-intel/sessions/x", "")
	write(t, top, "set/.code-intel/config.json", "{}")
	write(t, top, "kept/.code-intel/index/forest.db", "")
	mkdir(t, top, "elsewhere")
	write(t, top, "links/real/config.json", "{}")
	write(t, top, "link/.code-intel/config.json", "{}")
	write(t, top, "file/.code-intel/config.json", "{}")
	mkdir(t, top, "file/.code-intel/index")
	for link, target := range map[string]string{"link/.code-intel/index": "../../elsewhere", "file/.code-intel/index/forest.db": "../../../elsewhere/forest.db", "links/.code-intel": "real"} {
		mkdir(t, top, filepath.Dir(link))
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]string{}
	for root, inside := range map[string]bool{
		"plain": false, "twin/plain": false, "session": false, "set": true, "kept": true,
		"link": false, "links": false, "file": false, // a link is not followed
		".": true, // the cache is a part of it
	} {
		at := filepath.Join(top, root)
		dir := indexDir(t, at)
		if in := dir == filepath.Join(at, ".code-intel/index"); in != inside || !in && !strings.HasPrefix(dir, cache) {
			t.Errorf("%s: the index lies in %s", root, dir)
		}
		if other, taken := seen[dir]; taken {
			t.Errorf("%s and %s share %s", root, other, dir)
		}
		seen[dir] = root
	}
}

func TestIndexDirReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is read-only for root")
	}
	top := realTemp(t)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(top, "cache"))
	write(t, top, "set/.code-intel/config.json", "{}")
	if err := os.Chmod(filepath.Join(top, "set/.code-intel"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(top, "set/.code-intel"), 0o755) })
	if dir := indexDir(t, filepath.Join(top, "set")); !strings.HasPrefix(dir, filepath.Join(top, "cache")) {
		t.Errorf("the index lies in %s", dir)
	}
}

// Where somebody else can write a folder of the cache, it holds no index.
func TestIndexDirShared(t *testing.T) {
	if _, ok := privateTemp(); !ok {
		t.Skip("the cache is never shared here")
	}
	top := realTemp(t)
	t.Setenv("TMPDIR", filepath.Join(top, "temp"))
	mkdir(t, top, "temp")
	mkdir(t, top, "plain")
	for name, depth := range map[string]int{"index": 0, "all": 1, "program": 2} {
		t.Setenv("XDG_CACHE_HOME", filepath.Join(top, name))
		p := &Project{Root: filepath.Join(top, "plain")}
		own := indexDir(t, p.Root)
		if err := p.MakeIndexDir(own); err != nil || !strings.HasPrefix(own, filepath.Join(top, name)) {
			t.Fatalf("%s: %v", own, err)
		}
		open := own
		for range depth {
			open = filepath.Dir(open)
		}
		if err := os.Chmod(open, 0o777); err != nil {
			t.Fatal(err)
		}
		if dir := indexDir(t, p.Root); !strings.HasPrefix(dir, filepath.Join(top, "temp")) {
			t.Errorf("others can write %s, and the index lies in %s", open, dir)
		}
		if err := p.MakeIndexDir(own); problem.Of(err) == nil || problem.Of(err).Code != noPlace {
			t.Errorf("it is made where others can write: %v", err)
		}
	}
}

// The home folder is no project by itself.
func TestIndexDirOfHome(t *testing.T) {
	root := filepath.VolumeName(realTemp(t)) + string(filepath.Separator)
	if isRealDir(filepath.Join(root, Dir)) {
		t.Skip(root + " is a project here")
	}
	for _, at := range []string{root, home(), filepath.Dir(home()), "/usr", "/proc", "/proc/self", "/sys/kernel", "/dev"} {
		if !isDir(at) || isRepository(at) || isRealDir(filepath.Join(at, Dir)) {
			continue // not on this system, or made a project
		}
		if _, err := (&Project{Root: at}).IndexDir(); problem.Of(err) == nil || problem.Of(err).Code != noProject {
			t.Errorf("the index of %s: %v", at, err)
		}
	}
	if here, err := os.Getwd(); err != nil || holdsHome(here, "") {
		t.Errorf("%s holds a home folder that is not known, %v", here, err)
	}
	if why := noneOfUser(filepath.Join(realTemp(t), "usr")); why != "" {
		t.Errorf("a folder named usr elsewhere: %s", why)
	}
}

func TestPrune(t *testing.T) {
	top := realTemp(t)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(top, "cache"))
	made := func(root string) string {
		t.Helper()
		mkdir(t, top, root)
		p := &Project{Root: filepath.Join(top, root)}
		dir, err := p.IndexDir()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.MakeIndexDir(dir); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	gone, stays, replaced, fresh := made("gone"), made("stays"), made("replaced"), made("fresh")
	foreign := filepath.Join(filepath.Dir(gone), "somebody's")
	write(t, foreign, RootName, filepath.Join(top, "nowhere")+"\n")
	for _, root := range []string{"replaced", "fresh"} {
		mkdir(t, top, root+"/.code-intel/index")
	}
	old := time.Now().Add(-2 * replacedAfter)
	if err := os.Chtimes(replaced, old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(top, "gone")); err != nil {
		t.Fatal(err)
	}
	made("new")
	for dir, want := range map[string]bool{gone: false, replaced: false, stays: true, fresh: true, foreign: true} {
		if isDir(dir) != want {
			t.Errorf("%s is there: %v, want %v", dir, !want, want)
		}
	}
}

// A bare repository has no files to read, unless its folder is made a project.
func TestIndexDirOfBare(t *testing.T) {
	dir := realTemp(t)
	if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := &Project{Root: dir}
	if _, err := p.IndexDir(); problem.Of(err) == nil || problem.Of(err).Code != noProject {
		t.Errorf("the index of a bare repository: %v", err)
	}
	if err := os.Mkdir(p.Path(), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.IndexDir(); problem.Of(err) != nil {
		t.Error(err)
	}
}
