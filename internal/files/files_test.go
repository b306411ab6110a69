package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/project"
)

func TestListAsGit(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "*.log\n/build/\nout/\n!important.log\n*.tmp\n")
	write(t, root, "lib/.gitignore", "!debug.log\n/local\n*.go~\n")
	write(t, root, ".git/info/exclude", "scratch/\n*.tmp2\n")
	for _, name := range []string{
		"main.go", "a.log", "important.log", "build/x.go", "lib/build/y.go", "lib/debug.log", "lib/local", "lib/sub/local",
		"out/tracked/deep.go", "out/other.go", "x.tmp", "kept.tmp", "scratch/a.go", "lib/scratch/b.go", "c.tmp2", "d.go~", "lib/d.go~",
		"日本語 ディレクトリ/ファイル.go", "sp ace/[x].go", "-dash", "#hash", "global.ign", "Makefile",
		"lib-more/z.go", "lib.go", "lib0", "lib/sub/a", "lib/sub.go",
	} {
		write(t, root, name, "text\n")
	}
	write(t, root, "../home/.gitconfig", "[core]\n\texcludesFile = ~/ign\n")
	write(t, root, "../home/ign", "*.ign\n")
	gitRun(t, root, "add", "-f", "out/tracked/deep.go", "kept.tmp", "main.go")

	p := open(t, root)
	got := list(t, p)
	want := gitFiles(t, root)
	if diff := cmp.Diff(want, paths(got)); diff != "" {
		t.Errorf("git (-), List (+):\n%s", diff)
	}
	if !slices.Contains(want, "out/tracked/deep.go") || slices.Contains(want, "global.ign") {
		t.Errorf("the test no longer tests what it should: %q", want)
	}
	// a.log, build/, lib/local, out/other.go, x.tmp, scratch/, lib/scratch/, c.tmp2, lib/d.go~, global.ign
	if n := got.Skipped[Ignored]; n != 10 {
		t.Errorf("%d ignored: %+v", n, got.Skips)
	}
}

// What git was asked once stays right when the index or an ignore file changes.
func TestListerNotices(t *testing.T) {
	root := repository(t)
	write(t, root, "a.go", "x")
	write(t, root, "b.gen", "x")
	l := NewLister(open(t, root))
	check := func(why string) {
		t.Helper()
		out, err := l.List(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(gitFiles(t, root), paths(out)); diff != "" {
			t.Errorf("%s: git (-), List (+):\n%s", why, diff)
		}
	}
	check("first")
	gitRun(t, root, "add", ".")
	check("all tracked")
	write(t, root, ".gitignore", "*.gen\n")
	check("ignored, but tracked")
	write(t, root, "c.gen", "x")
	check("ignored")
	gitRun(t, root, "add", "-f", "c.gen")
	check("added by force")
	gitRun(t, root, "rm", "-q", "--cached", "b.gen")
	check("no longer tracked")
	if err := os.Remove(filepath.Join(root, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	check("no longer ignored")
	gitRun(t, root, "config", "core.excludesFile", filepath.Join(root, "../mine"))
	write(t, root, "../mine", "a.go\nb.gen\n")
	gitRun(t, root, "rm", "-q", "--cached", "a.go")
	check("the user's own patterns")
}

// The user's own patterns are found wherever git finds them, and git is started only where its
// configuration may name them.
func TestExcludesFileAsGit(t *testing.T) {
	setting := "[Core]\n\tEXCLUDESfile = ~/mine\n"
	for name, c := range map[string]struct {
		set  func(t *testing.T, root string)
		asks bool
	}{
		"nowhere":     {set: func(*testing.T, string) {}},
		"git's usual": {set: func(t *testing.T, root string) { write(t, root, "../home/.config/git/ignore", "mine.go\n") }},
		"repository":  {func(t *testing.T, root string) { gitRun(t, root, "config", "core.excludesFile", "~/mine") }, true},
		"user":        {func(t *testing.T, root string) { write(t, root, "../home/.gitconfig", setting) }, true},
		"user, XDG":   {func(t *testing.T, root string) { write(t, root, "../home/.config/git/config", setting) }, true},
		"user, elsewhere": {func(t *testing.T, root string) {
			write(t, root, "../own", setting)
			t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(root, "../own"))
		}, true},
		"system": {func(t *testing.T, root string) {
			write(t, root, "../system", setting)
			t.Setenv("GIT_CONFIG_NOSYSTEM", "")
			t.Setenv("GIT_CONFIG_SYSTEM", filepath.Join(root, "../system"))
		}, true},
		"included": {func(t *testing.T, root string) {
			write(t, root, "../home/.gitconfig", "[Include] path = more\n")
			write(t, root, "../home/more", setting)
		}, true},
		"work tree": {func(t *testing.T, root string) {
			gitRun(t, root, "config", "extensions.worktreeConfig", "true")
			gitRun(t, root, "config", "--worktree", "core.excludesFile", "~/mine")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			root := repository(t)
			write(t, root, "a.go", "x")
			write(t, root, "mine.go", "x")
			write(t, root, "../home/mine", "mine.go\n")
			c.set(t, root)
			p := open(t, root)
			if diff := cmp.Diff(gitFiles(t, root), paths(list(t, p))); diff != "" {
				t.Errorf("git (-), List (+):\n%s", diff)
			}
			if asks := findWorkTree(p.Root).mayNameExcludes(); usualGit() && asks != c.asks {
				t.Errorf("git is asked: %v", asks)
			}
		})
	}
}

// Git lists what it tracks only for a sweep that comes upon something ignored.
func TestTrackedFilesAreAskedForWhenIgnored(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "*.gen\n")
	write(t, root, "a.go", "x")
	l := NewLister(open(t, root))
	look := func() (asked bool) {
		t.Helper()
		if _, err := l.List(t.Context()); err != nil {
			t.Fatal(err)
		}
		asked, _, _ = l.known.tracked.answer()
		return asked
	}
	if look() {
		t.Error("nothing is ignored, and git was asked what it tracks")
	}
	write(t, root, "b.gen", "x")
	if !look() {
		t.Error("git was not asked whether it tracks what is ignored")
	}
}

// A project in a folder of a repository obeys the patterns above it.
func TestListBelowTop(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "*.log\n/sub/gen/\n")
	write(t, root, "sub/.gitignore", "/top\n")
	for _, name := range []string{"sub/app/.code-intel/config.json", "sub/app/a.go", "sub/app/a.log", "sub/gen/g.go", "sub/app/top", "sub/gen/app/h.go"} {
		write(t, root, name, "{}")
	}
	gitRun(t, root, "add", "-f", "sub/app/a.log")
	if got := paths(list(t, open(t, filepath.Join(root, "sub/app")))); !slices.Equal(got, []string{"a.go", "a.log", "top"}) {
		t.Errorf("sub/app: %q", got)
	}
	// A project that the repository around ignores altogether still has files.
	write(t, root, "sub/gen/app/.code-intel/config.json", "{}")
	if got := paths(list(t, open(t, filepath.Join(root, "sub/gen/app")))); !slices.Equal(got, []string{"h.go"}) {
		t.Errorf("sub/gen/app: %q", got)
	}
}

func TestListOwnRules(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "gen/\n*.log\n")
	write(t, root, ".code-intelignore", "docs/\n!gen/\n!wanted.log\n/secret.go\n")
	write(t, root, "sub/.code-intelignore", "/here\n")
	for _, name := range []string{
		"a.go", "docs/d.md", "gen/g.go", "gen/x.log", "wanted.log", "other.log", "secret.go", "sub/secret.go", "sub/here", "here",
		"node_modules/m/i.js", "sub/node_modules/m/i.js", "x/__pycache__/a.py", "old/a.go", "old/deep/b.go",
	} {
		write(t, root, name, "x")
	}
	gitRun(t, root, "add", "-f", "docs/d.md", "node_modules/m/i.js")
	write(t, root, ".code-intel/config.json", `{"exclude_patterns": ["**/node_modules/**", "**/__pycache__/**", "old/**"]}`)
	out := list(t, open(t, root))
	want := []string{".code-intelignore", ".gitignore", "a.go", "gen/g.go", "here", "sub/.code-intelignore", "sub/secret.go", "wanted.log"}
	if diff := cmp.Diff(want, paths(out)); diff != "" {
		t.Error(diff)
	}
	// docs/, secret.go, sub/here, two node_modules/, __pycache__/, old/
	if out.Skipped[Excluded] != 7 || out.Skipped[Ignored] != 2 {
		t.Errorf("%v: %+v", out.Skipped, out.Skips)
	}
}

func TestListSourceDirs(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "build/\n*.o\n")
	for _, name := range []string{"src/a.go", "src/a.o", "lib/b.go", "src/in/c.go", "other/d.go", "root.go", "build/e.go", "build/e.o"} {
		write(t, root, name, "x")
	}
	if err := os.Symlink("..", filepath.Join(root, "up")); err != nil {
		t.Fatal(err)
	}
	write(t, root, ".code-intel/config.json", `{"source_dirs": ["src", "lib/", "src/in", "build", "nowhere", "root.go", "up", ".git"]}`)
	out := list(t, open(t, root))
	if diff := cmp.Diff([]string{"build/e.go", "lib/b.go", "src/a.go", "src/in/c.go"}, paths(out)); diff != "" {
		t.Error(diff)
	}
	if out.Skipped[Missing] != 4 {
		t.Errorf("%+v", out.Skips)
	}
}

func TestListOddThings(t *testing.T) {
	root := repository(t)
	write(t, root, "real/a.go", "x")
	write(t, root, "../outside/secret", "x")
	for link, target := range map[string]string{
		"in": "real/a.go", "out": "../outside/secret", "dir": "real", "outdir": "../outside", "loop": "loop", "real/up": "..", "gone": "nothing",
		"lib/.gitignore": "../real/a.go",
	} {
		mkdir(t, filepath.Dir(filepath.Join(root, link)))
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	// An own repository in it, a submodule, and a folder that only looks like one.
	write(t, root, "nested/n.go", "x")
	gitRun(t, filepath.Join(root, "nested"), "init", "-q")
	write(t, root, "../module/m.go", "x")
	gitRun(t, filepath.Join(root, "../module"), "init", "-q")
	commitAll(t, filepath.Join(root, "../module"))
	gitRun(t, root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", filepath.Join(root, "../module"), "vendor/module")
	write(t, root, "fake/.git/nothing", "x")
	write(t, root, "fake/f.go", "x")
	for _, name := range []string{".specs/x.md", "sub/.specs/x.md", ".code-intel/agreements/a.md", "sub/.code-intel/b.md"} {
		write(t, root, name, "x")
	}
	p := open(t, root)
	out := list(t, p)
	want := []string{".gitmodules", "fake/f.go", "real/a.go", "sub/.specs/x.md"}
	if diff := cmp.Diff(want, paths(out)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[Reason]int{Symlink: 8, Nested: 2}, out.Skipped); diff != "" {
		t.Errorf("%s%+v", diff, out.Skips)
	}
	i := slices.IndexFunc(out.Skips, func(s Skip) bool { return s.Path == "out" })
	if i < 0 || out.Skips[i].Detail != "../outside/secret" {
		t.Errorf("the link outside: %+v", out.Skips)
	}

	p.Config.SourceDirs = []string{"vendor/module"}
	if got := paths(list(t, p)); !slices.Equal(got, []string{"vendor/module/m.go"}) {
		t.Errorf("a submodule that is asked for: %q", got)
	}
}

// A folder of repositories that is none itself has all their files.
func TestListFolderOfRepositories(t *testing.T) {
	root := t.TempDir()
	write(t, root, "one/a.go", "x")
	write(t, root, "two/b.go", "x")
	write(t, root, "two/.gitignore", "*.o\n")
	write(t, root, "two/b.o", "x")
	gitRun(t, filepath.Join(root, "one"), "init", "-q")
	gitRun(t, filepath.Join(root, "two"), "init", "-q")
	if got := paths(list(t, open(t, root))); !slices.Equal(got, []string{"one/a.go", "two/.gitignore", "two/b.go"}) {
		t.Errorf("%q", got)
	}
}

func TestListLinkedWorktree(t *testing.T) {
	root := repository(t)
	write(t, root, "a.go", "x")
	write(t, root, "kept.log", "x")
	gitRun(t, root, "add", ".")
	commitAll(t, root)
	gitRun(t, root, "worktree", "add", "-q", "../linked")
	write(t, root, ".git/info/exclude", "*.log\n")
	linked := filepath.Join(filepath.Dir(root), "linked")
	write(t, linked, "new.log", "x")
	write(t, linked, "new.go", "x")
	if got := paths(list(t, open(t, linked))); !slices.Equal(got, []string{"a.go", "kept.log", "new.go"}) {
		t.Errorf("%q", got)
	}
}

func TestUnreadable(t *testing.T) {
	root := t.TempDir()
	write(t, root, "good/a.go", "x")
	write(t, root, "bad/b.go", "x")
	s := NewLister(open(t, root)).sweep(t.Context(), nil, gitFacts{})
	s.readDir = func(abs string, with *scratch) ([]child, error) {
		if filepath.Base(abs) == "bad" {
			return nil, &fs.PathError{Op: "open", Path: abs, Err: fs.ErrPermission}
		}
		return readFolder(abs, with)
	}
	out, err := s.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := paths(out); !slices.Equal(got, []string{"good/a.go"}) {
		t.Errorf("%q", got)
	}
	if diff := cmp.Diff([]Skip{{"bad", Unreadable, "permission denied"}}, out.Skips); diff != "" {
		t.Error(diff)
	}
}

func TestListCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	root := t.TempDir()
	write(t, root, "a.go", "x")
	if out, err := NewLister(open(t, root)).List(ctx); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%v, %v", out, err)
	}
}

func TestListWithoutGit(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "*.o\n")
	write(t, root, "a.go", "x")
	write(t, root, "a.o", "x")
	p := open(t, root)
	t.Setenv("PATH", t.TempDir())
	out := list(t, p)
	if got := paths(out); !slices.Equal(got, []string{".gitignore", "a.go"}) || len(out.Notes) != 1 {
		t.Errorf("%q, notes %q", got, out.Notes)
	}
}

// BenchmarkList sweeps Go's own sources, some 11,500 files.
func BenchmarkList(b *testing.B) {
	p, err := project.OpenRoot(filepath.Join(goroot(b), "src"))
	if err != nil {
		b.Fatal(err)
	}
	l := NewLister(p)
	n := 0
	for b.Loop() {
		out, err := l.List(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		n = len(out.Entries)
	}
	b.ReportMetric(float64(n), "files")
}

func repository(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(top, "home")
	mkdir(t, home)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root := filepath.Join(top, "repo")
	mkdir(t, root)
	gitRun(t, root, "init", "-q")
	return root
}

func open(t *testing.T, root string) *project.Project {
	t.Helper()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func list(t *testing.T, p *project.Project) *Listing {
	t.Helper()
	out, err := NewLister(p).List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func paths(l *Listing) []string {
	var names []string
	for _, e := range l.Entries {
		names = append(names, e.Path)
	}
	return names
}

// gitFiles are the files git itself would list.
func gitFiles(t *testing.T, root string) []string {
	t.Helper()
	out := gitRun(t, root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	slices.Sort(names)
	return slices.Compact(names)
}

func commitAll(t *testing.T, dir string) {
	t.Helper()
	gitRun(t, dir, "add", ".")
	gitRun(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x")
}

func gitRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", name, err))
	}
}

// goroot is where Go's own sources lie.
func goroot(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
