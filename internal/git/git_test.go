package git

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// odd are names that git can hold and that a careless caller trips over.
var odd = []string{"日本 語/画面 [1].html", "tab\tand \"quotes\"", "*", ":(top)x", "-n", "line\nbreak", "a -> b", "comma, and : 7"}

// A playground is a repository in a folder of its own.
type playground struct {
	*testing.T
	*Repo
}

// play makes a repository with one commit, of the file "base".
func play(t *testing.T) playground {
	t.Helper()
	p := empty(t)
	p.write("base", "one\ntwo\nthree\n")
	p.commit("Begin")
	return p
}

// empty makes a repository without a commit.
func empty(t *testing.T) playground {
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
	r, err := Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return playground{t, r}
}

func (p playground) write(name, text string) {
	p.Helper()
	file := filepath.Join(p.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p playground) remove(name string) {
	p.Helper()
	if err := os.RemoveAll(filepath.Join(p.Dir, filepath.FromSlash(name))); err != nil {
		p.Fatal(err)
	}
}

func (p playground) git(args ...string) string {
	p.Helper()
	out, err := p.Do(p.Context(), Command{Args: args, Effect: Hooks})
	if err != nil {
		p.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(out)
}

func (p playground) commit(message string) string {
	p.Helper()
	p.git("add", "--all")
	p.git("commit", "-q", "--allow-empty", "-m", message)
	return p.git("rev-parse", "HEAD")
}

func (p playground) snapshot(exclude ...string) string {
	p.Helper()
	tree, err := p.Snapshot(p.Context(), exclude...)
	if err != nil {
		p.Fatal(err)
	}
	return tree
}

func (p playground) diff(from, to string) []Change {
	p.Helper()
	changes, err := p.Diff(p.Context(), from, to)
	if err != nil {
		p.Fatal(err)
	}
	return changes
}

func TestOpen(t *testing.T) {
	p := play(t)
	p.write("sub/dir/x", "")
	for _, dir := range []string{p.Dir, filepath.Join(p.Dir, "sub", "dir")} {
		r, err := Open(t.Context(), dir)
		if err != nil || r.Dir != p.Dir || r.GitDir != r.CommonDir || r.GitDir != filepath.Join(p.Dir, ".git") {
			t.Errorf("Open(%q) = %+v, %v", dir, r, err)
		}
	}
	var none *NotRepository
	if _, err := Open(t.Context(), t.TempDir()); !errors.As(err, &none) || none.Bare {
		t.Errorf("Open of a plain folder = %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(p.Dir, ".git")); !errors.As(err, &none) || !none.Bare {
		t.Errorf("Open inside .git = %v", err)
	}
	bare := filepath.Join(t.TempDir(), "bare.git")
	p.git("init", "-q", "--bare", bare)
	if _, err := Open(t.Context(), bare); !errors.As(err, &none) || !none.Bare {
		t.Errorf("Open of a bare repository = %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(bare, "no such folder")); err == nil || errors.As(err, &none) {
		t.Errorf("Open of a folder that is not there = %v", err)
	}
}

func TestLinkedWorktree(t *testing.T) {
	p := play(t)
	dir := filepath.Join(t.TempDir(), "the other [tree]")
	p.git("worktree", "add", "-q", "-b", "other", dir)
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.GitDir == r.CommonDir || r.CommonDir != p.GitDir || r.Dir != dir {
		t.Errorf("linked: %+v", r)
	}
	where, err := p.Worktrees(t.Context())
	if diff := cmp.Diff(map[string]string{"main": p.Dir, "other": dir}, where); diff != "" || err != nil {
		t.Errorf("Worktrees: %v (-want +got):\n%s", err, diff)
	}
	// It has an index of its own.
	linked := playground{t, r}
	linked.write("new", "x\n")
	if got := linked.diff("HEAD", linked.snapshot()); len(got) != 1 || got[0].Path != "new" {
		t.Errorf("changes in the linked tree: %+v", got)
	}
	if got := p.diff("HEAD", p.snapshot()); len(got) != 0 {
		t.Errorf("changes in the main tree: %+v", got)
	}
}

// What a surrounding git hook has set must not bend our commands to its
// repository, index or author.
func TestEnvironmentOfASurroundingHook(t *testing.T) {
	p := play(t)
	other := t.TempDir()
	for name, value := range map[string]string{
		"GIT_DIR": other, "GIT_WORK_TREE": other, "GIT_INDEX_FILE": filepath.Join(other, "index"), "GIT_PREFIX": "x/",
		"GIT_OBJECT_DIRECTORY": other, "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_NAMESPACE": "n", "GIT_EXTERNAL_DIFF": "false",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true", "LANG": "de_DE.UTF-8",
	} {
		t.Setenv(name, value)
	}
	r, err := Open(t.Context(), p.Dir)
	if err != nil || r.Dir != p.Dir {
		t.Fatalf("Open = %+v, %v", r, err)
	}
	p.write("new", "x\n")
	if got := p.diff("HEAD", p.snapshot()); len(got) != 1 {
		t.Errorf("changes: %+v", got)
	}
	if date := p.git("log", "-1", "--format=%as"); date == "2001-01-01" {
		t.Error("the commit has the date of the surrounding one")
	}
}

// Hooks keep the user's locale; what git itself says stays what Locked reads.
func TestLocaleOfHooks(t *testing.T) {
	for name, c := range map[string]struct{ all, lang, ctype, want string }{
		"LC_ALL": {all: "ja_JP.UTF-8", lang: "de_DE.UTF-8", ctype: "C", want: "|ja_JP.UTF-8|ja_JP.UTF-8|C"},
		"LANG":   {lang: "de_DE.UTF-8", ctype: "fr_FR.UTF-8", want: "|de_DE.UTF-8|fr_FR.UTF-8|C"},
		"none":   {want: "|||C"},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			hook := filepath.Join(p.GitDir, "hooks", "pre-commit")
			if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(hook, []byte("#!/bin/sh\nprintf '%s' \"$LC_ALL|$LANG|$LC_CTYPE|$LC_MESSAGES\" >said\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("LC_ALL", c.all)
			t.Setenv("LANG", c.lang)
			t.Setenv("LC_CTYPE", c.ctype)
			if _, err := p.Do(t.Context(), Command{Args: []string{"commit", "-q", "--allow-empty", "-m", "x"}, Effect: Hooks}); err != nil {
				t.Fatal(err)
			}
			said, err := os.ReadFile(filepath.Join(p.Dir, "said"))
			if err != nil || string(said) != c.want {
				t.Errorf("the hook saw %q, %v, want %q", said, err, c.want)
			}
		})
	}
}

func TestRefs(t *testing.T) {
	p := empty(t)
	ctx := t.Context()
	if head, err := p.Head(ctx); head != "" || err != nil {
		t.Errorf("unborn: Head = %q, %v", head, err)
	}
	if on, err := p.CurrentBranch(ctx); on != "main" || err != nil {
		t.Errorf("unborn: CurrentBranch = %q, %v", on, err)
	}
	first := p.commit("one")
	second := p.commit("two")
	if parent, err := p.Parent(ctx, second); parent != first || err != nil {
		t.Errorf("Parent = %q, %v", parent, err)
	}
	if parent, err := p.Parent(ctx, first); parent != "" || err != nil {
		t.Errorf("Parent of the root = %q, %v", parent, err)
	}
	for _, rev := range []string{"a\x00b", strings.Repeat("x", 1<<20), "nothing", "refs/heads/nothing", "--all", "-x"} {
		if id, err := p.Resolve(ctx, rev); id != "" || err != nil {
			t.Errorf("Resolve(%q) = %q, %v", rev, id, err)
		}
	}
	p.git("branch", "llm_task_1_from_機能/画面")
	p.git("branch", "llm_task_0")
	p.git("branch", "other")
	names, err := p.Branches(ctx, "llm_task_")
	if diff := cmp.Diff([]string{"llm_task_0", "llm_task_1_from_機能/画面"}, names); diff != "" || err != nil {
		t.Errorf("Branches: %v (-want +got):\n%s", err, diff)
	}
	if yes, err := p.Contains(ctx, second, first); !yes || err != nil {
		t.Errorf("Contains = %v, %v", yes, err)
	}
	if yes, err := p.Contains(ctx, first, second); yes || err != nil {
		t.Errorf("Contains the other way = %v, %v", yes, err)
	}
	p.git("checkout", "-q", "--detach")
	if on, err := p.CurrentBranch(ctx); on != "" || err != nil {
		t.Errorf("detached: CurrentBranch = %q, %v", on, err)
	}
	const ref = "refs/code-intel/x"
	if err := p.MoveRef(ctx, ref, first, second, ""); err == nil {
		t.Error("a ref was moved from what it never named")
	}
	if err := p.MoveRef(ctx, ref, first, "", "made"); err != nil {
		t.Error(err)
	}
	if err := p.MoveRef(ctx, ref, second, "", "made"); err == nil {
		t.Error("a ref was made twice")
	}
	if err := p.DeleteRef(ctx, ref, second); err == nil {
		t.Error("a ref was removed that named something else")
	}
	if err := p.DeleteRef(ctx, ref, first); err != nil {
		t.Error(err)
	}
}

func TestInProgress(t *testing.T) {
	conflict := func(t *testing.T) playground {
		p := play(t)
		p.git("switch", "-q", "-c", "side")
		p.write("base", "side\n")
		p.commit("side")
		p.git("switch", "-q", "main")
		p.write("base", "main\n")
		p.commit("main")
		return p
	}
	for want, begin := range map[string][]string{
		"merge": {"merge", "side"}, "rebase": {"rebase", "side"}, "cherry-pick": {"cherry-pick", "side"},
	} {
		t.Run(want, func(t *testing.T) {
			p := conflict(t)
			if op := p.InProgress(); op != "" {
				t.Errorf("before: %q", op)
			}
			if _, err := p.Do(t.Context(), Command{Args: begin, Effect: Hooks}); err == nil {
				t.Fatal("there was no conflict")
			}
			if op := p.InProgress(); op != want {
				t.Errorf("InProgress = %q", op)
			}
			if paths, err := p.Unmerged(t.Context()); err != nil || !cmp.Equal(paths, []string{"base"}) {
				t.Errorf("Unmerged = %q, %v", paths, err)
			}
			if _, err := p.IndexTree(t.Context()); err == nil {
				t.Error("an index in conflict has a tree")
			}
		})
	}
	for want, begin := range map[string][]string{"revert": {"revert", "--no-commit", "HEAD"}, "bisect": {"bisect", "start"}} {
		t.Run(want, func(t *testing.T) {
			p := conflict(t)
			p.git(begin...)
			if op := p.InProgress(); op != want {
				t.Errorf("InProgress = %q", op)
			}
		})
	}
}

func TestErrorHasGitsWords(t *testing.T) {
	p := play(t)
	_, err := p.Repo.Run(t.Context(), "-c", "x.y=z", "rev-parse", "--verify", "nothing")
	var failed *Error
	if !errors.As(err, &failed) || failed.Exit != 128 || !strings.Contains(failed.Stderr, "Needed a single revision") {
		t.Fatalf("err = %+v", err)
	}
	if want := "git rev-parse: exit 128: fatal: Needed a single revision"; err.Error() != want {
		t.Errorf("Error() = %q, want %q", err, want)
	}
}

// A lock that another git holds for a moment is waited for.
func TestWaitsForALock(t *testing.T) {
	p := play(t)
	lock := filepath.Join(p.GitDir, "index.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p.write("new", "x\n")
	tries := 0
	p.Before = func([]string) error {
		if tries++; tries == 3 {
			return os.Remove(lock)
		}
		return nil
	}
	if _, err := p.Do(t.Context(), Command{Args: []string{"add", "--pathspec-from-file=-"}, Effect: Writes, Stdin: strings.NewReader("new\n")}); err != nil {
		t.Errorf("after %d tries: %v", tries, err)
	}
	p.Before = nil
	if staged := p.git("diff", "--cached", "--name-only"); staged != "new" {
		t.Errorf("staged: %q", staged)
	}
}

// A command that is cancelled ends, also while a hook is running, and takes its
// lock away.
func TestCancelledCommandEnds(t *testing.T) {
	p := play(t)
	hook := filepath.Join(p.GitDir, "hooks", "pre-commit")
	started := filepath.Join(t.TempDir(), "started")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\n: >'"+started+"'\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("new", "x\n")
	p.git("add", "new")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := p.Do(ctx, Command{Args: []string{"commit", "-q", "-m", "x"}, Effect: Hooks})
		done <- err
	}()
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		select {
		case err := <-done:
			t.Fatalf("ended before the hook ran: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
	if _, err := os.Stat(filepath.Join(p.GitDir, "index.lock")); err == nil {
		t.Error("the lock of the index was left behind")
	}
}

func TestPipeStopsAtAReadersError(t *testing.T) {
	p := play(t)
	p.write("long", strings.Repeat("a line\n", 100_000))
	p.commit("long")
	enough := errors.New("enough")
	err := p.pipe(t.Context(), Command{Args: []string{"show", "HEAD:long"}}, func(out io.Reader) error {
		_, err := io.ReadFull(out, make([]byte, 10))
		return errors.Join(err, enough)
	})
	if !errors.Is(err, enough) {
		t.Errorf("err = %v", err)
	}
}

// A repository that is held sees the files of one moment, until it changes them.
func TestHold(t *testing.T) {
	p := play(t)
	snapshot := func() string {
		t.Helper()
		tree, err := p.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.Dir, "held"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	free := snapshot()
	write("1")
	if snapshot() == free {
		t.Fatal("a repository that is not held has not looked again")
	}
	p.Hold()
	held := snapshot()
	write("2")
	if snapshot() != held {
		t.Error("it has looked twice")
	}
	if _, err := p.Do(t.Context(), Command{Args: []string{"update-index", "--refresh", "-q"}, Effect: Writes}); err != nil {
		t.Fatal(err)
	}
	if snapshot() == held {
		t.Error("it has not looked again after a command that writes")
	}
}

// Likewise refs, which it looks at anew when it is told to.
func TestHoldRefs(t *testing.T) {
	p := play(t)
	other := *p.Repo
	p.Hold()
	commands := 0
	p.Before = func([]string) error { commands++; return nil }
	on := func(want string) {
		t.Helper()
		if name, err := p.CurrentBranch(t.Context()); err != nil || name != want {
			t.Errorf("on %q, %v; want %q", name, err, want)
		}
	}
	was, err := p.CurrentBranch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Do(t.Context(), Command{Args: []string{"switch", "-q", "-c", "another"}, Effect: Writes}); err != nil {
		t.Fatal(err)
	}
	on(was)
	if id, err := p.Resolve(t.Context(), "refs/heads/none"); id != "" || err != nil {
		t.Errorf("%q, %v", id, err)
	}
	if id, err := p.Resolve(t.Context(), "refs/heads/none"); id != "" || err != nil || commands != 1 {
		t.Errorf("%q, %v after %d commands", id, err, commands)
	}
	p.LookAtRefs()
	on("another")
	if _, err := p.Snapshot(t.Context()); err != nil { // which writes into an index of its own
		t.Fatal(err)
	}
	commands = 0
	if on("another"); commands != 0 {
		t.Errorf("looked again after a snapshot")
	}
	if _, err := p.Do(t.Context(), Command{Args: []string{"switch", "-q", was}, Effect: Writes}); err != nil {
		t.Fatal(err)
	}
	on(was)
}
