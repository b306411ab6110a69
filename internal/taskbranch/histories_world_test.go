package taskbranch

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codeintel/internal/git"
)

// A world is one repository with all its working trees in a folder, the user and
// the session who work in it.
type world struct {
	ctx   context.Context
	root  string
	dir   string // the working tree that both work in
	r     *git.Repo
	s     *store
	trees int // working trees made
	sess  session
	count counts
}

// git runs a command of the user's, who does not mind if it fails.
func (w *world) git(args ...string) string {
	out, _ := w.feed("", args...)
	return strings.TrimRight(out, "\n")
}

func (w *world) feed(stdin string, args ...string) (string, error) {
	beside := *w.r
	beside.Before = nil
	return beside.Do(w.ctx, git.Command{Args: args, Stdin: strings.NewReader(stdin), Effect: git.Writes})
}

func (w *world) file(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// put writes a file as an editor would, over whatever is there.
func (w *world) put(name, text string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(w.file(dir)); err == nil && !info.IsDir() {
			os.Remove(w.file(dir))
		}
	}
	os.MkdirAll(filepath.Dir(w.file(name)), 0o755)
	if info, err := os.Lstat(w.file(name)); err == nil && !info.Mode().IsRegular() {
		if w.repository(name) {
			return
		}
		os.RemoveAll(w.file(name))
	}
	os.WriteFile(w.file(name), []byte(text), 0o644)
}

// repository reports whether a folder is, or holds, one of its own.
func (w *world) repository(name string) bool { return name == "sub" || strings.HasPrefix(name, "sub/") }

// list returns the files of the working tree, sorted, without repositories in it.
func (w *world) list() (names []string) {
	filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, w.dir+"/")
		if err == nil && d.IsDir() && (d.Name() == ".git" || w.repository(rel)) {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && d.Name() != ".git" {
			names = append(names, rel)
		}
		return nil
	})
	slices.Sort(names)
	return names
}

func (w *world) pick(rnd *rand.Rand) string {
	names := w.list()
	if len(names) == 0 {
		return "a"
	}
	return names[rnd.IntN(len(names))]
}

// newWorld makes the repository of a seed at root.
func newWorld(ctx context.Context, templates, root string, seed uint64) (*world, error) {
	rnd := rand.New(rand.NewPCG(seed, 3))
	if err := os.RemoveAll(root); err != nil {
		return nil, err
	}
	if err := copyTree(templates, root); err != nil {
		return nil, err
	}
	w := &world{ctx: ctx, root: root, dir: filepath.Join(root, "the repository")}
	common := filepath.Join(w.dir, ".git")
	if rnd.IntN(5) == 0 { // work in the linked working tree
		w.dir = filepath.Join(root, "linked")
	}
	// The two know each other by absolute names.
	link := filepath.Join(root, "linked")
	err := os.WriteFile(filepath.Join(common, "worktrees/linked/gitdir"), []byte(link+"/.git\n"), 0o644)
	if err == nil {
		err = os.WriteFile(filepath.Join(link, ".git"), []byte("gitdir: "+common+"/worktrees/linked\n"), 0o644)
	}
	if err != nil {
		return nil, err
	}
	w.s = &store{dir: common, known: make(map[string]*object)}
	w.r = &git.Repo{Dir: w.dir, GitDir: common, CommonDir: common} // as git.Open finds it, in five commands
	if w.dir == link {
		w.r.GitDir = filepath.Join(common, "worktrees/linked")
	}
	if rnd.IntN(3) == 0 {
		w.git("config", "core.autocrlf", []string{"true", "input"}[rnd.IntN(2)])
	}
	return w, nil
}

// template makes what every history begins with: a branch main of two commits, a
// branch that conflicts with it, a stale task branch, a submodule, a linked
// working tree, filters.
func template(t *testing.T, root string) {
	t.Helper()
	dir := filepath.Join(root, "the repository")
	run := func(dir string, args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	run(root, "init", "-q", "--template=", "-b", "main", dir)
	for key, value := range map[string]string{"gc.auto": "0", "filter.rot.clean": "tr a-z b-za", "filter.rot.smudge": "tr b-za a-z",
		"core.quotePath": "false", "advice.addIgnoredFile": "false"} {
		run(dir, "config", key, value)
	}
	for name, text := range map[string]string{
		"a": "1\n2\n3\n4\n5\n", "b": "1\n2\n3\n", "sp ace.txt": "x\n", "日本/画面 [1].html": "<p>\n</p>\n", "dir/c": "c\n", "dir/d": "d\n",
		"deep/er/and/er/file": "f\n", "x.rot": "abc\nxyz\n", "y.crlf": "one\r\ntwo\r\n", "z.bin": "\x00\x01", "run": "#!/bin/sh\n",
		".gitignore": "*.log\nbuild/\n", ".gitattributes": "*.rot filter=rot\n*.crlf text eol=crlf\n*.bin binary\n", "empty": "",
		".code-intel/config.json": "{}\n",
	} {
		write(name, text)
	}
	if err := os.Chmod(filepath.Join(dir, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	run(root, "init", "-q", "--template=", "-b", "main", filepath.Join(dir, "sub"))
	write("sub/in the submodule", "x\n")
	run(filepath.Join(dir, "sub"), "add", "-A")
	run(filepath.Join(dir, "sub"), "commit", "-q", "-m", "Sub")
	run(dir, "-c", "advice.addEmbeddedRepo=false", "add", "-A")
	run(dir, "commit", "-q", "-m", "Begin")
	run(dir, "switch", "-q", "-c", "side")
	write("a", "1\nside\n3\n4\n5\n")
	run(dir, "commit", "-q", "-a", "-m", "Side")
	run(dir, "switch", "-q", "-c", "llm_task_old_from_main")
	write("b", "1\nold\n3\n")
	run(dir, "commit", "-q", "-a", "-m", "Old")
	run(dir, "config", "branch.llm_task_old_from_main.codeintelbase", "main")
	run(dir, "switch", "-q", "main")
	write("a", "1\nmain\n3\n4\n5\n")
	run(dir, "commit", "-q", "-a", "-m", "Main")
	write("x.log", "ignored\n")
	run(dir, "worktree", "add", "-q", "-b", "feature", filepath.Join(root, "linked"))
}

// copyTree copies a folder with the times of its files.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(name, from)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if d.Type()&fs.ModeSymlink != 0 {
			link, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, data, info.Mode()); err != nil {
			return err
		}
		return os.Chtimes(target, time.Time{}, info.ModTime())
	})
}
