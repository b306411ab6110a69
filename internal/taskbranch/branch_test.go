package taskbranch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/git"
	"codeintel/internal/problem"
	"codeintel/test/tier"
)

// A playground is a repository in a folder of its own.
type playground struct {
	t *testing.T
	r *git.Repo
}

// play makes a repository with one commit on main.
func play(t *testing.T) playground {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "no such file"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	root := filepath.Join(dir, "the repository")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", root).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	p := playground{t, reopen(t, root)}
	p.write("a", "1\n2\n3\n4\n5\n")
	p.write("b", "1\n2\n3\n")
	p.write("日本/画面 [1].html", "<p>\n")
	p.write(".gitignore", "*.log\n")
	p.commit("Begin")
	return p
}

func reopen(t *testing.T, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p playground) file(name string) string { return filepath.Join(p.r.Dir, filepath.FromSlash(name)) }

func (p playground) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.file(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.file(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p playground) remove(name string) {
	p.t.Helper()
	if err := os.RemoveAll(p.file(name)); err != nil {
		p.t.Fatal(err)
	}
}

func (p playground) read(name string) string {
	data, err := os.ReadFile(p.file(name))
	if err != nil {
		return "there is none"
	}
	return string(data)
}

// git runs git beside the repository under test, which does not notice.
func (p playground) git(args ...string) string {
	p.t.Helper()
	beside := *p.r
	beside.Before = nil
	out, err := beside.Do(p.t.Context(), git.Command{Args: args, Effect: git.Hooks})
	if err != nil {
		p.t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimRight(out, "\n")
}

func (p playground) commit(message string) string {
	p.t.Helper()
	p.git("add", "--all")
	p.git("commit", "-q", "--allow-empty", "-m", message)
	return p.git("rev-parse", "HEAD")
}

func (p playground) hook(name, script string) {
	p.t.Helper()
	p.write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(p.file(".git/hooks/"+name), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p playground) create() Task {
	p.t.Helper()
	task, err := Create(p.t.Context(), p.r, "s1")
	if err != nil {
		p.t.Fatal(err)
	}
	return task
}

func (p playground) keep(task Task, files ...string) string {
	p.t.Helper()
	id, err := Commit(p.t.Context(), p.r, task, files, "Change things\n\n# not a comment")
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

func (p playground) changed(since string) []string {
	p.t.Helper()
	changes, err := Changes(p.t.Context(), p.r, since)
	if err != nil {
		p.t.Fatal(err)
	}
	return git.Paths(changes)
}

// code fails the test unless err is a Problem of the code with a way out.
func code(t *testing.T, err error, want problem.Code) *problem.Problem {
	t.Helper()
	p := problem.Of(err)
	if p == nil || p.Code != want || len(p.Next) == 0 {
		t.Fatalf("err = %v, want the problem %s with a next step", err, want)
	}
	return p
}

func TestReady(t *testing.T) {
	for name, tt := range map[string]struct {
		arrange func(p playground)
		want    problem.Code // "" is ready
	}{
		"clean":    {func(p playground) {}, ""},
		"dirty":    {func(p playground) { p.write("a", "x\n"); p.write("new", "x\n") }, ""},
		"detached": {func(p playground) { p.git("checkout", "-q", "--detach") }, DetachedHead},
		"unborn":   {func(p playground) { p.git("switch", "-q", "--orphan", "fresh") }, UnbornHead},
		"in a merge": {func(p playground) {
			p.git("switch", "-q", "-c", "side")
			p.write("a", "side\n")
			p.commit("side")
			p.git("switch", "-q", "main")
			p.write("a", "main\n")
			p.commit("main")
			if _, err := p.r.Do(p.t.Context(), git.Command{Args: []string{"merge", "side"}, Effect: git.Hooks}); err == nil {
				p.t.Fatal("no conflict")
			}
		}, InProgress},
		"with a stash that did not apply": {func(p playground) {
			p.write("a", "stashed\n")
			p.git("stash", "-q")
			p.write("a", "main\n")
			p.commit("main")
			if _, err := p.r.Do(p.t.Context(), git.Command{Args: []string{"stash", "apply"}, Effect: git.Hooks}); err == nil {
				p.t.Fatal("no conflict")
			}
		}, InProgress},
		"in a bisection":            {func(p playground) { p.git("bisect", "start") }, InProgress},
		"on another session's task": {func(p playground) { p.git("switch", "-q", "-c", "llm_task_s0_from_main") }, OnTaskBranch},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			tt.arrange(p)
			status := p.git("status", "--porcelain=v2", "--branch")
			err := Ready(t.Context(), p.r)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Ready = %v", err)
				}
				return
			}
			code(t, err, tt.want)
			_, err = Create(t.Context(), p.r, "s1")
			code(t, err, tt.want)
			if after := p.git("status", "--porcelain=v2", "--branch"); after != status {
				t.Errorf("a refusal changed something (-before +after):\n%s", cmp.Diff(status, after))
			}
		})
	}
}

func TestCreateOnACleanTree(t *testing.T) {
	p := play(t)
	head := p.git("rev-parse", "HEAD")
	p.git("switch", "-q", "-c", "機能/画面")
	got := p.create()
	want := Task{Name: "llm_task_s1_from_機能/画面", Base: "機能/画面", BaseCommit: head}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if on := p.git("branch", "--show-current"); on != want.Name {
		t.Errorf("HEAD is on %s", on)
	}
	if refs := p.git("for-each-ref", "refs/code-intel/"); refs != "" {
		t.Errorf("kept although there was nothing to keep: %s", refs)
	}
}

// dirty makes about every kind of uncommitted change, and returns the names.
func dirty(p playground) []string {
	p.write("a", "the user's\n2\n3\n4\n5\n")
	p.write("staged", "staged\n")
	p.write("b", "1\n2\nstaged\n")
	p.git("add", "b", "staged")
	p.write("b", "1\n2\n3\n") // as it was: only the index differs
	p.remove("日本/画面 [1].html")
	p.write("untracked/ü x", "new\n")
	p.write("ignored.log", "x\n")
	p.write(".code-intel/sessions/x.json", "{}\n")
	return []string{"a", "b", "staged", "untracked/ü x", "日本/画面 [1].html"}
}

func TestCreateSavesADirtyTree(t *testing.T) {
	p := play(t)
	names := dirty(p)
	status := p.git("status", "--porcelain=v2", "-z", "--untracked-files=all")
	task := p.create()
	if diff := cmp.Diff(git.Names(names), task.UserFiles); diff != "" {
		t.Errorf("user files (-want +got):\n%s", diff)
	}
	if after := p.git("status", "--porcelain=v2", "-z", "--untracked-files=all"); after != status {
		t.Errorf("tree or index was touched:\n%s", cmp.Diff(status, after))
	}
	if task.Backup != "refs/code-intel/backup/s1" {
		t.Errorf("backup %q", task.Backup)
	}
	for object, want := range map[string]string{
		":a": "the user's\n2\n3\n4\n5", ":untracked/ü x": "new", ":b": "1\n2\n3", "^2:b": "1\n2\nstaged", "^2:staged": "staged",
	} {
		if got := p.git("cat-file", "blob", task.Backup+object); got != want {
			t.Errorf("%s holds %q, want %q", object, got, want)
		}
	}
	// git stash apply takes it back as it was, staged or not.
	p.git("reset", "-q", "--hard")
	p.git("clean", "-q", "-f", "-d")
	p.git("stash", "apply", "--quiet", "--index", task.Backup)
	if got := p.read("a"); got != "the user's\n2\n3\n4\n5\n" {
		t.Errorf("restored a: %q", got)
	}
	if staged := p.git("diff", "--cached", "--name-only"); staged != "b\nstaged" && staged != "b\nstaged\nuntracked/ü x" {
		t.Errorf("restored index: %q", staged)
	}
}

func TestCreateWithoutAnIdentity(t *testing.T) {
	p := play(t)
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		os.Unsetenv(name) // t.Setenv in play puts them back
	}
	p.git("config", "user.useConfigOnly", "true")
	p.write("a", "x\n")
	if task := p.create(); task.Backup == "" {
		t.Error("nothing was kept")
	}
}

func TestCreateFindsItsBranchTaken(t *testing.T) {
	p := play(t)
	p.git("switch", "-q", "-c", Name("s1", "main"))
	p.write("a", "x\n")
	p.commit("work")
	p.git("switch", "-q", "main")
	_, err := Create(t.Context(), p.r, "s1")
	code(t, err, BranchExists)
}

func TestCreateWithAHookThatFails(t *testing.T) {
	p := play(t)
	p.hook("post-checkout", "exit 1")
	task := p.create()
	if on := p.git("branch", "--show-current"); on != task.Name {
		t.Errorf("HEAD is on %s", on)
	}
}

func TestChanges(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "committed\n")
	p.commit("work")
	p.write("b", "staged\n")
	p.git("add", "b")
	p.git("mv", "日本/画面 [1].html", "moved.html")
	p.write("new", "untracked\n")
	p.write("x.log", "ignored\n")
	p.write(".code-intel/agreements/x.md", "ours\n")
	p.write("sub/.code-intel/config.json", "ours\n")
	p.git("add", ".code-intel/agreements/x.md")
	want := []string{"a", "b", "moved.html", "new", "日本/画面 [1].html"}
	if diff := cmp.Diff(want, p.changed(task.BaseCommit)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var b strings.Builder
	if err := Patch(t.Context(), p.r, task.BaseCommit, nil, &b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "diff --git "); n != 4 || strings.Contains(b.String(), "ours") {
		t.Errorf("the patch has %d sections:\n%s", n, b.String())
	}
	tree, err := Snapshot(t.Context(), p.r)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.changed(tree); len(got) != 0 {
		t.Errorf("changed since a moment ago: %q", got)
	}
	p.write("new", "untracked\nmore\n")
	changes, err := Changes(t.Context(), p.r, tree)
	if err != nil || len(changes) != 1 || !cmp.Equal(changes[0].Hunks, []git.Range{{Start: 2, End: 2}}) {
		t.Errorf("changed since: %+v, %v", changes, err)
	}
}

// What counts in the snapshot is content and mode, and nothing else.
func TestSnapshotIsAFingerprint(t *testing.T) {
	p := play(t)
	at := func() string {
		tree, err := Snapshot(t.Context(), p.r)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	first := at()
	p.write("a", p.read("a")) // touched
	p.write("x.log", "ignored\n")
	p.write(".code-intel/x", "ours\n")
	p.write("b", "staged\n")
	p.git("add", "b")
	p.write("b", "1\n2\n3\n")
	if at() != first {
		t.Error("another fingerprint, but no file has changed")
	}
	if err := os.Chmod(p.file("a"), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := at()
	if mode == first {
		t.Error("a new mode has the same fingerprint")
	}
	p.write("new", "")
	if at() == mode {
		t.Error("a new file has the same fingerprint")
	}
	p.git("add", "new")
	p.git("commit", "-q", "-m", "x", "new")
	p.remove("new")
	if at() != mode {
		t.Error("the same files have another fingerprint after a commit")
	}
}

// interrupted runs an action again and again, stopped before the first command of
// git that writes, the second, and so on, each time in a new repository and then
// once more without being stopped; check looks at what came of that.
func interrupted(t *testing.T, arrange func(p playground) Task, act func(p playground, task Task) error, check func(t *testing.T, p playground, task Task)) {
	crash := errors.New("crash")
	for stop := 1; ; stop += tier.Number(13, 1) {
		n, finished := 0, false
		t.Run(fmt.Sprintf("before command %d", stop), func(t *testing.T) {
			p := play(t)
			task := arrange(p)
			var ran []string
			p.r.Before = func(args []string) error {
				if !reads(args) {
					n++
				}
				if n >= stop {
					return crash
				}
				ran = append(ran, strings.Join(args, " "))
				return nil
			}
			err := act(p, task)
			p.r.Before = nil
			if finished = err == nil; !finished && !errors.Is(err, crash) {
				t.Fatalf("interrupted: %v", err)
			}
			if !finished {
				if err := act(p, task); err != nil {
					t.Fatalf("again, after %q: %v", ran, err)
				}
			}
			check(t, p, task)
			if t.Failed() {
				t.Logf("after %q", ran)
			}
		})
		if finished || t.Failed() {
			if stop < 4 {
				t.Errorf("only %d commands were tried", stop)
			}
			return
		}
	}
}

// reads reports whether a command leaves no trace. Stopping before one is the same
// as stopping before the next that does.
func reads(args []string) bool {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	switch args[0] {
	case "rev-parse", "symbolic-ref", "for-each-ref", "diff-tree", "ls-files", "ls-tree", "worktree", "merge-base", "rev-list":
		return true
	case "config":
		return slices.Contains(args, "--get")
	}
	return false
}

func TestCreateInterrupted(t *testing.T) {
	var got Task
	interrupted(t,
		func(p playground) Task { dirty(p); return Task{} },
		func(p playground, _ Task) (err error) { got, err = Create(p.t.Context(), p.r, "s1"); return err },
		func(t *testing.T, p playground, _ Task) {
			want := Task{Name: "llm_task_s1_from_main", Base: "main", BaseCommit: p.git("rev-parse", "main"),
				UserFiles: git.Names{"a", "b", "staged", "untracked/ü x", "日本/画面 [1].html"}, Backup: "refs/code-intel/backup/s1"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if on := p.git("branch", "--show-current"); on != want.Name {
				t.Errorf("HEAD is on %s", on)
			}
			if refs := p.git("for-each-ref", "--format=%(refname)", "refs/code-intel/"); refs != want.Backup {
				t.Errorf("kept: %s", refs)
			}
			if again, err := Create(t.Context(), p.r, "s1"); err != nil || !cmp.Equal(again, got) {
				t.Errorf("once more: %+v, %v", again, err)
			}
		})
}

func TestPinOverwritesNothing(t *testing.T) {
	p := play(t)
	one, two := p.git("rev-parse", "HEAD"), p.commit("two")
	var refs []string
	for _, at := range []struct{ name, commit string }{{"a/b", one}, {"a/b", one}, {"a/b", two}, {"a", one}, {"a/b/c", one}, {"a/b", two}} {
		ref, err := pin(t.Context(), p.r, "trash", at.name, at.commit)
		if err != nil || p.git("rev-parse", ref) != at.commit {
			t.Errorf("pin(%s) = %s, %v", at.name, ref, err)
		}
		refs = append(refs, strings.TrimPrefix(ref, namespace+"trash/"))
	}
	if want := []string{"a/b", "a/b", "a%2Fb-2", "a-2", "a%2Fb%2Fc-2", "a%2Fb-2"}; !slices.Equal(refs, want) {
		t.Errorf("refs %q, want %q", refs, want)
	}
}
