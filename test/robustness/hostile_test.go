//go:build linux

package robustness

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"codeintel/internal/search"
)

// TestHostileTree indexes a tree with everything that a file system permits. Regular
// files are found, files outside are not, and nothing waits for a pipe.
func TestHostileTree(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	put(t, outside, "secret.go", "package outside\n\nfunc OutsideOnly() {}\n")
	put(t, root, "good/good.go", "package good\n\nfunc Good() {}\n")
	at := func(rel string) string { return filepath.Join(root, rel) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Symlink(".", at("loop")))
	must(os.Symlink("../..", at("good/up")))
	must(os.Symlink(outside, at("out")))
	must(os.Symlink(filepath.Join(outside, "secret.go"), at("out.go")))
	must(os.Symlink("self.go", at("self.go")))
	must(syscall.Mkfifo(at("pipe.go"), 0o644))
	if l, err := net.Listen("unix", at("s.go")); err == nil {
		defer l.Close()
	}
	syscall.Mknod(at("null.go"), syscall.S_IFCHR|0o644, 1<<8|3) // root only; without it there is one case less
	for _, name := range []string{"new\nline.go", "bad\xff\xfe.go", strings.Repeat("n", 252) + ".go", "-rf.go", "Case.go", "case.go", "a b\tc.go", "日本.go"} {
		put(t, root, "names/"+name, "package names\n\nfunc Named() {}\n")
	}
	put(t, root, "nested/.git/HEAD", "ref: refs/heads/main\n")
	put(t, root, "nested/n.go", "package nested\n\nfunc NestedRepo() {}\n")
	put(t, root, "module/.git", "gitdir: ../../elsewhere/.git/modules/module\n")
	put(t, root, "module/m.go", "package module\n\nfunc Submodule() {}\n")
	put(t, root, "patterns/.gitignore", strings.Repeat("a*", 5000)+"b\n"+strings.Repeat("**/", 2000)+"x\n[[[[\n\\\n!\n"+strings.Repeat("nothing-like-this/*.zzz\n", 10<<20/24))
	put(t, root, "patterns/"+strings.Repeat("a", 200)+".go", "package patterns\n\nfunc Patterned() {}\n")
	g := openEngine(t, root)
	g.sync(t)
	count := func(symbol string) int {
		t.Helper()
		a, err := g.e.Definitions(t.Context(), search.DefinitionsQuery{Symbol: symbol, ExactMatch: true})
		if err != nil {
			t.Fatal(err)
		}
		return a.Total
	}
	for symbol, want := range map[string]int{"Good": 1, "Patterned": 1, "OutsideOnly": 0} {
		if n := count(symbol); n != want {
			t.Errorf("%s is defined %d times, want %d", symbol, n, want)
		}
	}
	if n := count("Named"); n < 6 { // a name that is no text may be left out
		t.Errorf("%d of the files with odd names are found", n)
	}
	a, err := g.e.Text(t.Context(), search.TextQuery{Pattern: search.OneOrMore{"OutsideOnly"}})
	if err != nil || len(a.Matches) > 0 {
		t.Errorf("text outside is shown: %v, %v", a, err)
	}

	// Files turn into folders and back.
	must(os.Remove(at("good/good.go")))
	put(t, root, "good/good.go/inner.go", "package good\n\nfunc Inner() {}\n")
	if count("Good") != 0 || count("Inner") != 1 {
		t.Error("a file that became a folder")
	}
	must(os.RemoveAll(at("good/good.go")))
	put(t, root, "good/good.go", "package good\n\nfunc Again() {}\n")
	if count("Inner") != 0 || count("Again") != 1 {
		t.Error("a folder that became a file")
	}
}

// TestSparseCheckout leaves files out of the tree: their absence is not an error.
func TestSparseCheckout(t *testing.T) {
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put(t, root, "in/a.go", "package in\n\nfunc InTree() {}\n")
	put(t, root, "gone/b.go", "package gone\n\nfunc NotInTree() {}\n")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "one")
	git("sparse-checkout", "set", "in")
	g := openEngine(t, root)
	if r := g.sync(t); r.Failed > 0 {
		t.Errorf("%+v", r)
	}
	for symbol, want := range map[string]int{"InTree": 1, "NotInTree": 0} {
		a, err := g.e.Definitions(t.Context(), search.DefinitionsQuery{Symbol: symbol, ExactMatch: true})
		if err != nil || a.Total != want {
			t.Errorf("%s: %v, %v", symbol, a, err)
		}
	}
	git("sparse-checkout", "disable")
	if a, err := g.e.Definitions(t.Context(), search.DefinitionsQuery{Symbol: "NotInTree"}); err != nil || a.Total != 1 {
		t.Errorf("back in the tree: %v, %v", a, err)
	}
}
