package taskbranch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/git"
)

func TestCommitOnlyWhatIsKept(t *testing.T) {
	p := play(t)
	p.write("users", "user\n")
	p.write("b", "staged by the user\n")
	p.git("add", "b")
	p.write("b", "staged by the user\nand changed\n")
	task := p.create()
	p.write("a", "task\n")
	p.write("not kept", "x\n")
	p.write("new/[x] *.go", "new\n")
	p.git("mv", "日本/画面 [1].html", "moved")
	if err := os.Chmod(p.file("moved"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := p.git("status", "--porcelain=v2", "--untracked-files=all", "--", "b", "users", "not kept")
	id := p.keep(task, "a", "new/[x] *.go", "moved", "日本/画面 [1].html", "users", "b") // the last two were the user's, and are as they were
	if got := p.git("-c", "core.quotePath=false", "show", "--format=%B", "--name-status", "--no-renames", id); got != "Change things\n\n# not a comment\n\n\nM\ta\nA\tmoved\nA\tnew/[x] *.go\nD\t日本/画面 [1].html" {
		t.Errorf("the commit:\n%s", got)
	}
	if id != p.git("rev-parse", "HEAD") || p.git("rev-parse", id+"^") != task.BaseCommit || p.git("branch", "--show-current") != task.Name {
		t.Errorf("the commit %s is not the one after the base on the task branch", id)
	}
	if after := p.git("status", "--porcelain=v2", "--untracked-files=all", "--", "b", "users", "not kept"); after != before {
		t.Errorf("the user's changes (-before +after):\n%s", cmp.Diff(before, after))
	}
	if again := p.keep(task, "a"); again != id {
		t.Errorf("committed once more: %s, want %s", again, id)
	}
}

// What the user had dirty and the task changed too is committed as it is now.
func TestCommitOfAUsersFile(t *testing.T) {
	p := play(t)
	p.write("a", "user\n2\n3\n4\n5\n")
	task := p.create()
	p.write("a", "user\n2\n3\n4\ntask\n")
	p.keep(task, "a")
	if got := p.git("show", "HEAD:a"); got != "user\n2\n3\n4\ntask" {
		t.Errorf("committed %q", got)
	}
}

func TestCommitOfOddChanges(t *testing.T) {
	for name, change := range map[string]func(p playground) []string{
		"deleted with git rm":    func(p playground) []string { p.git("rm", "-q", "a"); return []string{"a"} },
		"deleted":                func(p playground) []string { p.remove("a"); return []string{"a"} },
		"deleted, index kept":    func(p playground) []string { p.git("rm", "-q", "--cached", "a"); p.remove("a"); return []string{"a"} },
		"mode":                   func(p playground) []string { os.Chmod(p.file("a"), 0o755); return []string{"a"} },
		"a file became a folder": func(p playground) []string { p.remove("a"); p.write("a/x", "x\n"); return []string{"a", "a/x"} },
		"a folder became a file": func(p playground) []string {
			p.remove("日本")
			p.write("日本", "x\n")
			return []string{"日本", "日本/画面 [1].html"}
		},
		"a file became a link": func(p playground) []string { p.remove("a"); os.Symlink("b", p.file("a")); return []string{"a"} },
		"a folder became a link": func(p playground) []string {
			p.remove("日本")
			os.Symlink(".", p.file("日本"))
			return []string{"日本", "日本/画面 [1].html"}
		},
		"a link to nowhere": func(p playground) []string { os.Symlink("/no/such", p.file("l")); return []string{"l"} },
		"binary":            func(p playground) []string { p.write("bin", "\x00\xff"); return []string{"bin"} },
		"empty":             func(p playground) []string { p.write("empty", ""); return []string{"empty"} },
		"tracked although ignored": func(p playground) []string {
			p.write("x.log", "x")
			p.git("add", "-f", "x.log")
			return []string{"x.log"}
		},
		"a name like an option": func(p playground) []string {
			p.write("-n", "x")
			p.write(":(top)a", "x")
			return []string{"-n", ":(top)a"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			task := p.create()
			want := change(p)
			if got := p.changed(task.BaseCommit); !cmp.Equal(got, want) {
				t.Fatalf("changed: %q, want %q", got, want)
			}
			p.keep(task, want...)
			if left := p.changed("HEAD"); len(left) > 0 {
				t.Errorf("not committed: %q", left)
			}
			if got := p.git("status", "--porcelain"); got != "" {
				t.Errorf("status after the commit: %q", got)
			}
			// And back again.
			ref, err := Discard(t.Context(), p.r, task, want)
			if err != nil || !strings.HasPrefix(ref, "refs/code-intel/trash/") {
				t.Fatalf("Discard = %q, %v", ref, err)
			}
			if left := p.changed(task.BaseCommit); len(left) > 0 {
				t.Errorf("not as before the task: %q", left)
			}
			if staged := p.git("diff", "--cached", "--name-only", task.BaseCommit); staged != "" {
				t.Errorf("staged: %q", staged)
			}
			changes, err := p.r.Diff(t.Context(), task.BaseCommit, ref)
			if err != nil || !cmp.Equal(git.Paths(changes), want) {
				t.Errorf("the trash keeps %q, %v; want %q", git.Paths(changes), err, want)
			}
		})
	}
}

// A file that git was told to forget and to ignore is shown as deleted, and so it is
// committed, whatever lies there and whatever else is staged.
func TestCommitOfAForgottenFile(t *testing.T) {
	p := play(t)
	p.write("b", "staged by the user\n")
	p.git("add", "b")
	task := p.create()
	p.git("rm", "-q", "--cached", "a")
	p.write(".gitignore", "*.log\n/a\n")
	p.write("a", "never reviewed\n")
	p.hook("pre-commit", "git diff --cached --name-status >seen.log")
	id, err := Commit(t.Context(), p.r, task, []string{".gitignore", "a"}, "Forget a")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.git("show", "--format=", "--name-status", id); got != "M\t.gitignore\nD\ta" {
		t.Errorf("committed: %q", got)
	}
	if got := p.read("seen.log"); got != "M\t.gitignore\nD\ta\n" {
		t.Errorf("the hook saw %q", got)
	}
	if got := p.git("status", "--porcelain"); got != "M  b" || p.read("a") != "never reviewed\n" {
		t.Errorf("left: %q, a %q", got, p.read("a"))
	}
	p.git("rm", "-q", "--cached", "b")
	p.write(".gitignore", "*.log\n/a\n/b\n")
	p.write(".git/MERGE_HEAD", id+"\n")
	_, err = Commit(t.Context(), p.r, task, []string{"b"}, "Forget b")
	code(t, err, InProgress)
	if p.git("rev-parse", "HEAD") != id {
		t.Error("somebody else's merge was committed")
	}
}

func TestCommitRunsHooks(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "x\n")
	p.hook("pre-commit", `echo "Zeile 3: Löschen verboten" >&2; git diff --cached --name-only -- ':(glob)*'; exit 3`)
	_, err := Commit(t.Context(), p.r, task, []string{"a"}, "x")
	got := code(t, err, CommitFailed)
	if !strings.Contains(got.Message.String(), "\n  Zeile 3: Löschen verboten\n  a") {
		t.Errorf("the hook is not quoted word for word: %q", got.Message)
	}
	if p.read("a") != "x\n" || p.git("rev-parse", "HEAD") != task.BaseCommit {
		t.Error("a refused commit changed something")
	}
	p.hook("pre-commit", "exit 0")
	p.hook("post-checkout", "exit 1")
	p.keep(task, "a")
}

func TestCommitElsewhere(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "x\n")
	p.git("switch", "-q", "main")
	_, err := Commit(t.Context(), p.r, task, []string{"a"}, "x")
	code(t, err, WrongBranch)
	if id, err := Commit(t.Context(), p.r, Task{Name: "main", BaseCommit: task.BaseCommit}, []string{"b"}, "x"); id != "" || err != nil {
		t.Errorf("nothing to commit: %q, %v", id, err)
	}
}

func TestCommitInterrupted(t *testing.T) {
	interrupted(t,
		func(p playground) Task {
			p.write("b", "user\n")
			task := p.create()
			p.write("a", "task\n")
			p.write("new", "task\n")
			return task
		},
		func(p playground, task Task) error {
			_, err := Commit(p.t.Context(), p.r, task, []string{"a", "new"}, "x")
			return err
		},
		func(t *testing.T, p playground, task Task) {
			if n := p.git("rev-list", "--count", task.BaseCommit+"..HEAD"); n != "1" {
				t.Errorf("%s commits", n)
			}
			if files := p.git("show", "--format=", "--name-only"); files != "a\nnew" {
				t.Errorf("committed: %q", files)
			}
			if status := p.git("status", "--porcelain"); status != " M b" {
				t.Errorf("status: %q", status)
			}
		})
}

func TestDiscardGivesBackTheUsersVersion(t *testing.T) {
	p := play(t)
	p.write("a", "user\n")
	p.write("users new", "user\n")
	p.remove("b")
	p.write("untouched", "user\n")
	task := p.create()
	p.write("a", "task\n")
	p.write("users new", "task\n")
	p.write("b", "task\n")
	p.write("sub/dir/new", "task\n")
	p.write("sub/ignored.log", "x\n")
	p.keep(task, "a", "sub/dir/new")
	long := time.Unix(1e9, 0)
	if err := os.Chtimes(p.file("untouched"), long, long); err != nil {
		t.Fatal(err)
	}
	ref, err := Discard(t.Context(), p.r, task, []string{"a", "b", "users new", "untouched", "sub/dir/new"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(p.file("untouched")); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("a file that is as the user left it was written again: %v", err)
	}
	for name, want := range map[string]string{"a": "user\n", "users new": "user\n", "b": "there is none", "sub/dir/new": "there is none", "sub/ignored.log": "x\n", "untouched": "user\n"} {
		if got := p.read(name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(p.file("sub/dir")); err == nil {
		t.Error("an empty folder was left")
	}
	if got := p.git("show", ref+":users new"); got != "task" {
		t.Errorf("the trash holds %q", got)
	}
	again, err := Discard(t.Context(), p.r, task, []string{"a"})
	if err != nil || again == ref || p.git("show", ref+":a") != "task" {
		t.Errorf("a second Discard: %s, %v; the first one keeps %q", again, err, p.git("show", ref+":a"))
	}
}

func TestDiscardInterrupted(t *testing.T) {
	interrupted(t,
		func(p playground) Task {
			p.write("b", "user\n")
			task := p.create()
			p.write("a", "task\n")
			p.write("b", "task\n")
			p.write("new", "task\n")
			return task
		},
		func(p playground, task Task) error {
			_, err := Discard(p.t.Context(), p.r, task, []string{"a", "b", "new"})
			return err
		},
		func(t *testing.T, p playground, task Task) {
			if p.read("a") != "1\n2\n3\n4\n5\n" || p.read("b") != "user\n" || p.read("new") != "there is none" {
				t.Errorf("a %q, b %q, new %q", p.read("a"), p.read("b"), p.read("new"))
			}
			first := "refs/code-intel/trash/discarded/" + task.Name
			if p.git("show", first+":a") != "task" || p.git("show", first+":new") != "task" {
				t.Error("the trash does not hold what was discarded")
			}
		})
}

// worked makes a task with a commit, and beside it changes of the user's, staged,
// unstaged and untracked, that must outlive everything.
func worked(p playground) Task {
	p.write("b", "staged by the user\n")
	p.git("add", "b")
	p.write("b", "changed by the user\n")
	p.write("user's", "user\n")
	task := p.create()
	p.write("a", "task\n2\n3\n4\n5\n")
	p.write("new", "task\n")
	p.keep(task, "a", "new")
	return task
}

func users(t *testing.T, p playground) {
	t.Helper()
	if p.read("b") != "changed by the user\n" || p.git("show", ":b") != "staged by the user" || p.read("user's") != "user\n" {
		t.Errorf("the user's changes: b %q, staged %q, user's %q", p.read("b"), p.git("show", ":b"), p.read("user's"))
	}
}

// mergedInto checks the commit on the base and that nothing is left of the task.
func mergedInto(t *testing.T, p playground, task Task, id string) {
	t.Helper()
	done := "refs/code-intel/done/" + task.Name
	parents := strings.Fields(p.git("log", "-1", "--format=%P", id))
	if p.git("rev-parse", task.Base) != id || len(parents) != 2 || parents[1] != p.git("rev-parse", done) {
		t.Errorf("base at %s, merge %s with parents %q", p.git("rev-parse", task.Base), id, parents)
	}
	if branches := p.git("branch", "--list", "llm_task_*"); branches != "" {
		t.Errorf("left: %s", branches)
	}
	if config := p.read(".git/config"); strings.Contains(config, "codeintel") {
		t.Errorf("left in the configuration:\n%s", config)
	}
}

func TestMerge(t *testing.T) {
	p := play(t)
	task := worked(p)
	id, err := Merge(t.Context(), p.r, task, "Merge it\n\nWhy")
	if err != nil {
		t.Fatal(err)
	}
	mergedInto(t, p, task, id)
	users(t, p)
	if on := p.git("branch", "--show-current"); on != "main" || p.read("a") != "task\n2\n3\n4\n5\n" || p.read("new") != "task\n" {
		t.Errorf("on %s, a %q", on, p.read("a"))
	}
	if got := p.git("log", "-1", "--format=%an: %B", id); got != "Tester: Merge it\n\nWhy\n" && got != "Tester: Merge it\n\nWhy" {
		t.Errorf("message %q", got)
	}
	if status := p.git("status", "--porcelain"); status != "MM b\n?? \"user's\"" && status != "MM b\n?? user's" {
		t.Errorf("status %q", status)
	}
}

// moveBase commits on the base without leaving the task branch.
func moveBase(p playground, name, text string) string {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "beside")
	p.git("worktree", "add", "-q", dir, "main")
	beside := playground{p.t, reopen(p.t, dir)}
	beside.write(name, text)
	id := beside.commit("The base moves on")
	p.git("worktree", "remove", "--force", dir)
	return id
}

func TestMergeAfterTheBaseMoved(t *testing.T) {
	p := play(t)
	task := worked(p)
	moved := moveBase(p, "a", "1\n2\n3\n4\nbase\n")
	id, err := Merge(t.Context(), p.r, task, "x")
	if err != nil {
		t.Fatal(err)
	}
	mergedInto(t, p, task, id)
	users(t, p)
	if p.git("rev-parse", id+"^") != moved || p.read("a") != "task\n2\n3\n4\nbase\n" {
		t.Errorf("first parent %s, want %s; a %q", p.git("rev-parse", id+"^"), moved, p.read("a"))
	}
}

// everything is all that a refused merge must leave as it was.
func everything(p playground) string {
	return p.git("for-each-ref") + "\n" + p.git("symbolic-ref", "HEAD") + "\n" + p.git("status", "--porcelain=v2", "--untracked-files=all", "--ignored") +
		p.read("a") + p.read("b") + p.read("new") + p.read("x.log")
}

func TestMergeConflict(t *testing.T) {
	p := play(t)
	task := worked(p)
	moveBase(p, "a", "base\n2\n3\n4\n5\n")
	before := everything(p)
	_, err := Merge(t.Context(), p.r, task, "x")
	var conflict *Conflict
	if !errors.As(err, &conflict) || !cmp.Equal(conflict.Files, []string{"a"}) {
		t.Errorf("err = %v", err)
	}
	code(t, err, MergeConflict)
	if after := everything(p); after != before {
		t.Errorf("something was touched (-before +after):\n%s", cmp.Diff(before, after))
	}
}

func TestMergeThatWouldOverwrite(t *testing.T) {
	for name, file := range map[string]string{"a user's change": "b", "an untracked file": "user's", "an ignored file": "x.log"} {
		for where, gone := range map[string]bool{"here": true, "with the base in another working tree": false} {
			t.Run(name+" "+where, func(t *testing.T) {
				p := play(t)
				task := worked(p)
				p.write("x.log", "ignored\n")
				dir := filepath.Join(t.TempDir(), "beside")
				p.git("worktree", "add", "-q", dir, "main")
				beside := playground{t, reopen(t, dir)}
				beside.write(file, "the base's\n")
				beside.git("add", "--force", file)
				beside.git("commit", "-q", "-m", "x")
				if gone {
					p.git("worktree", "remove", "--force", dir)
				}
				before := everything(p)
				_, err := Merge(t.Context(), p.r, task, "x")
				got := code(t, err, CheckoutFailed)
				if !strings.Contains(got.Message.String(), file) {
					t.Errorf("the file is not named: %q", got.Message)
				}
				if after := everything(p); after != before {
					t.Errorf("something was touched (-before +after):\n%s", cmp.Diff(before, after))
				}
				users(t, p)
			})
		}
	}
}

func TestMergeOfNothing(t *testing.T) {
	p := play(t)
	p.write("b", "user\n")
	task := p.create()
	id, err := Merge(t.Context(), p.r, task, "x")
	if id != "" || err != nil {
		t.Fatalf("Merge = %q, %v", id, err)
	}
	if p.git("rev-parse", "main") != task.BaseCommit || p.git("branch", "--show-current") != "main" || p.git("branch", "--list", "llm_task_*") != "" || p.read("b") != "user\n" {
		t.Error("the branch is not simply gone")
	}
}

func TestMergeWithTheBaseInAnotherWorktree(t *testing.T) {
	p := play(t)
	task := worked(p)
	dir := filepath.Join(t.TempDir(), "other tree")
	p.git("worktree", "add", "-q", dir, "main")
	other := playground{t, reopen(t, dir)}
	other.write("b", "changed there\n")
	id, err := Merge(t.Context(), p.r, task, "x")
	if err != nil {
		t.Fatal(err)
	}
	mergedInto(t, p, task, id)
	users(t, p)
	if on := p.git("branch", "--show-current"); on != "" || p.git("rev-parse", "HEAD") != id {
		t.Errorf("this tree is on %q at %s", on, p.git("rev-parse", "HEAD"))
	}
	if other.git("branch", "--show-current") != "main" || other.read("new") != "task\n" || other.read("b") != "changed there\n" || other.git("status", "--porcelain") != " M b" {
		t.Errorf("the other tree: %q, new %q, b %q", other.git("status", "--porcelain"), other.read("new"), other.read("b"))
	}
}

func TestMergeThatTheOtherWorktreeRefuses(t *testing.T) {
	p := play(t)
	task := worked(p)
	dir := filepath.Join(t.TempDir(), "other tree")
	p.git("worktree", "add", "-q", dir, "main")
	other := playground{t, reopen(t, dir)}
	other.write("a", "changed there\n")
	before := everything(p) + everything(other)
	_, err := Merge(t.Context(), p.r, task, "x")
	code(t, err, CheckoutFailed)
	if after := everything(p) + everything(other); after != before {
		t.Errorf("something was touched (-before +after):\n%s", cmp.Diff(before, after))
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err = Merge(t.Context(), p.r, task, "x")
	code(t, err, BranchInUse)
}

func TestMergeWithoutItsBranches(t *testing.T) {
	p := play(t)
	task := worked(p)
	p.git("branch", "-m", "main", "trunk")
	_, err := Merge(t.Context(), p.r, task, "x")
	if got := code(t, err, BranchMissing); !strings.Contains(got.Next[0].String(), task.BaseCommit) {
		t.Errorf("next: %q", got.Next)
	}
	p.git("branch", "-m", "trunk", "main")
	p.git("switch", "-q", "main")
	p.git("branch", "-D", task.Name)
	_, err = Merge(t.Context(), p.r, task, "x")
	code(t, err, BranchMissing)
}

func TestMergeThatWasDoneByHand(t *testing.T) {
	p := play(t)
	task := worked(p)
	tip := p.git("rev-parse", "HEAD")
	p.git("branch", "-f", "main", task.Name)
	id, err := Merge(t.Context(), p.r, task, "x")
	if err != nil || id != tip || p.git("branch", "--show-current") != "main" {
		t.Errorf("Merge = %s, %v; want %s", id, err, tip)
	}
	users(t, p)
}

func TestMergeInterrupted(t *testing.T) {
	for name, arrange := range map[string]func(p playground) Task{
		"base as it was": worked,
		"base moved":     func(p playground) Task { task := worked(p); moveBase(p, "a", "1\n2\n3\n4\nbase\n"); return task },
		"base elsewhere": func(p playground) Task {
			task := worked(p)
			p.git("worktree", "add", "-q", filepath.Join(p.t.TempDir(), "other"), "main")
			return task
		},
	} {
		t.Run(name, func(t *testing.T) {
			id := ""
			interrupted(t, arrange,
				func(p playground, task Task) (err error) { id, err = Merge(p.t.Context(), p.r, task, "x"); return err },
				func(t *testing.T, p playground, task Task) {
					mergedInto(t, p, task, id)
					users(t, p)
					if n := p.git("rev-list", "--count", "--merges", "main"); n != "1" {
						t.Errorf("%s merges", n)
					}
					if p.git("rev-parse", "HEAD") != id || p.read("new") != "task\n" {
						t.Errorf("HEAD %s, new %q", p.git("rev-parse", "HEAD"), p.read("new"))
					}
					if again, err := Merge(t.Context(), p.r, task, "x"); err != nil || again != id {
						t.Errorf("once more: %q, %v", again, err)
					}
				})
		})
	}
}

// A switch that was killed between two files is finished.
func TestMergeAfterAKilledSwitch(t *testing.T) {
	p := play(t)
	task := worked(p)
	moveBase(p, "c", "base\n")
	p.write("c", "base\n") // as the switch had written it before it died
	id, err := Merge(t.Context(), p.r, task, "x")
	if err != nil {
		t.Fatal(err)
	}
	mergedInto(t, p, task, id)
	users(t, p)
}

func TestMergeCancelled(t *testing.T) {
	p := play(t)
	task := worked(p)
	moveBase(p, "c", "base\n")
	before := everything(p)
	ctx, cancel := context.WithCancel(t.Context())
	p.r.Before = func(args []string) error {
		if args[0] == "switch" {
			cancel()
		}
		return nil
	}
	if _, err := Merge(ctx, p.r, task, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if after := everything(p); after != before {
		t.Errorf("something was touched (-before +after):\n%s", cmp.Diff(before, after))
	}
}

func TestFindStale(t *testing.T) {
	p := play(t)
	task := p.create()
	p.git("switch", "-q", "-c", "work", "main")
	p.git("branch", "llm_task_0_from_x/y")
	p.git("branch", "llm_task_owned")
	head := p.git("rev-parse", "HEAD")
	owned := func(name string) bool { return name == "llm_task_owned" }
	got, err := FindStale(t.Context(), p.r, owned)
	want := []Stale{{Name: "llm_task_0_from_x/y", Base: "work", Tip: head}, {Name: task.Name, Base: "main", Tip: head}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	// On a task branch nobody knows where another one came from.
	p.git("switch", "-q", "llm_task_0_from_x/y")
	want[0].Base, want[0].CheckedOut = "", true
	got, err = FindStale(t.Context(), p.r, owned)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	code(t, DeleteStale(t.Context(), p.r, got[0]), BaseUnknown)
	code(t, LeaveStale(t.Context(), p.r, got[0]), BaseUnknown)
	code(t, MergeStale(t.Context(), p.r, got[0]), BaseUnknown)
	got[0].Base = "gone"
	code(t, DeleteStale(t.Context(), p.r, got[0]), BranchMissing)
}

func TestDeleteStaleInterrupted(t *testing.T) {
	var tip string
	interrupted(t,
		func(p playground) Task {
			task := worked(p)
			tip = p.git("rev-parse", "HEAD")
			return task
		},
		func(p playground, task Task) error {
			return DeleteStale(p.t.Context(), p.r, Stale{Name: task.Name, Base: task.Base, Tip: "another tip than when it was found"})
		},
		func(t *testing.T, p playground, task Task) {
			if on := p.git("branch", "--show-current"); on != "main" || p.git("branch", "--list", "llm_task_*") != "" {
				t.Errorf("on %s, left %q", on, p.git("branch", "--list", "llm_task_*"))
			}
			users(t, p)
			if p.git("rev-parse", "refs/code-intel/trash/"+task.Name) != tip || p.git("show", "refs/code-intel/trash/worktree/"+task.Name+":user's") != "user" {
				t.Error("the trash does not hold it")
			}
		})
}

// What was not committed goes to the base, and the branch stays.
func TestLeaveStale(t *testing.T) {
	var tip string
	interrupted(t,
		func(p playground) Task {
			task := worked(p)
			tip = p.git("rev-parse", "HEAD")
			p.write("more", "not committed\n")
			return task
		},
		func(p playground, task Task) error {
			stale, err := FindStale(p.t.Context(), p.r, func(string) bool { return false })
			if err != nil || len(stale) != 1 {
				return fmt.Errorf("stale: %v, %w", stale, err)
			}
			return LeaveStale(p.t.Context(), p.r, stale[0])
		},
		func(t *testing.T, p playground, task Task) {
			if on := p.git("branch", "--show-current"); on != "main" || p.git("rev-parse", task.Name) != tip {
				t.Errorf("on %s, the branch is at %s", on, p.git("rev-parse", task.Name))
			}
			users(t, p)
			if kept := "refs/code-intel/trash/worktree/" + task.Name; p.read("more") != "not committed\n" || p.git("show", kept+":more") != "not committed" {
				t.Errorf("more is %q; the trash holds %q", p.read("more"), p.git("ls-tree", "-r", "--name-only", kept))
			}
			if err := Ready(t.Context(), p.r); err != nil {
				t.Errorf("no branch can be made: %v", err)
			}
		})

	p := play(t)
	task := worked(p)
	p.write("a", "edited again\n") // which the switch would have to overwrite
	before := everything(p)
	code(t, LeaveStale(t.Context(), p.r, Stale{Name: task.Name, Base: "main"}), CheckoutFailed)
	code(t, LeaveStale(t.Context(), p.r, Stale{Name: task.Name}), BaseUnknown)
	p.git("update-ref", "-d", "refs/code-intel/trash/worktree/"+task.Name)
	if after := everything(p); after != before {
		t.Errorf("something was touched (-before +after):\n%s", cmp.Diff(before, after))
	}
}

func TestDeleteStaleThatIsCheckedOutElsewhere(t *testing.T) {
	p := play(t)
	task := p.create()
	p.git("switch", "-q", "main")
	p.git("worktree", "add", "-q", filepath.Join(t.TempDir(), "other"), task.Name)
	s := Stale{Name: task.Name, Base: "main", Tip: task.BaseCommit}
	code(t, DeleteStale(t.Context(), p.r, s), BranchInUse)
	code(t, MergeStale(t.Context(), p.r, s), BranchInUse)
}

func TestMergeStale(t *testing.T) {
	for name, from := range map[string]string{"on the base": "main", "on the branch": "", "on a third branch": "third"} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			task := worked(p)
			p.git("branch", "third", "main")
			if from != "" {
				p.git("switch", "-q", from)
			}
			stale, err := FindStale(t.Context(), p.r, func(string) bool { return false })
			if err != nil || len(stale) != 1 {
				t.Fatalf("stale: %v, %v", stale, err)
			}
			if err := MergeStale(t.Context(), p.r, stale[0]); err != nil {
				t.Fatal(err)
			}
			mergedInto(t, p, task, p.git("rev-parse", "main"))
			users(t, p)
			if from == "" {
				from = "main"
			}
			if on := p.git("branch", "--show-current"); on != from {
				t.Errorf("on %s", on)
			}
			if err := errors.Join(MergeStale(t.Context(), p.r, stale[0]), DeleteStale(t.Context(), p.r, stale[0])); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
	t.Run("in conflict", func(t *testing.T) {
		p := play(t)
		task := worked(p)
		moveBase(p, "a", "base\n")
		err := MergeStale(t.Context(), p.r, Stale{Name: task.Name, Base: "main"})
		code(t, err, MergeConflict)
	})
}

// Two histories without a common commit are a refusal of git's own.
func TestMergeOfAnotherHistory(t *testing.T) {
	p := play(t)
	task := worked(p)
	p.git("branch", "-f", "main", p.git("commit-tree", "-m", "x", "HEAD^{tree}"))
	_, err := Merge(t.Context(), p.r, task, "x")
	if got := code(t, err, MergeFailed); !strings.Contains(got.Message.String(), "unrelated") {
		t.Errorf("message %q", got.Message)
	}
}

// A task branch works in a linked working tree as in the main one.
func TestInALinkedWorktree(t *testing.T) {
	p := play(t)
	dir := filepath.Join(t.TempDir(), "linked tree")
	p.git("worktree", "add", "-q", "-b", "feature", dir)
	linked := playground{t, reopen(t, dir)}
	task := worked(linked)
	id, err := Merge(t.Context(), linked.r, task, "x")
	if err != nil || task.Base != "feature" {
		t.Fatalf("Merge from %s: %v", task.Base, err)
	}
	mergedInto(t, linked, task, id)
	users(t, linked)
	if got := p.git("status", "--porcelain"); got != "" || p.git("branch", "--show-current") != "main" {
		t.Errorf("the main working tree: %q", got)
	}
}

// Commits that another hand made on the task branch become part of the server's.
func TestFold(t *testing.T) {
	p := play(t)
	task := p.create()
	fold := func(files ...string) string {
		t.Helper()
		ref, err := Fold(t.Context(), p.r, task, task.BaseCommit, files)
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	if ref := fold("a"); ref != "" {
		t.Errorf("nothing was committed, and %s keeps it", ref)
	}
	p.write("a", "by hand\n")
	p.git("commit", "-q", "-am", "By hand")
	if ref := fold("a"); ref != "" {
		t.Errorf("a commit of the file alone was folded into %s", ref)
	}
	p.write("c", "by hand\n")
	p.git("add", "c")
	p.git("commit", "-q", "-m", "More by hand")
	hand := p.git("rev-parse", "HEAD")
	ref := fold("a", "c")
	if ref == "" || p.git("rev-parse", ref) != hand {
		t.Errorf("the commits are kept in %q", ref)
	}
	if p.git("rev-parse", "HEAD") != task.BaseCommit || p.git("diff", "--name-only", hand) != "" {
		t.Errorf("the branch is at %s, the files differ in %q", p.git("rev-parse", "HEAD"), p.git("diff", "--name-only", hand))
	}
	if id := p.keep(task, "a", "c"); p.git("rev-parse", id+"^") != task.BaseCommit {
		t.Error("the commit is not the only one")
	}
}

// A git whose parent was killed finishes its commit while the next one is made.
func TestCommitByAnOrphan(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "task\n")
	p.write("new", "task\n")
	once := false
	p.r.Before = func(args []string) error {
		if args[0] == "commit" && !once {
			once = true
			p.git("commit", "-q", "-m", "the orphan's", "a", "new")
		}
		return nil
	}
	id, err := Commit(t.Context(), p.r, task, []string{"a", "new"}, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.git("log", "--format=%H %s", "main..HEAD"); got != id+" the orphan's" {
		t.Errorf("the commits are %q, Commit returned %s", got, id)
	}
}

// A file that git was told not to look at is committed like any other.
func TestCommitOfMarkedFiles(t *testing.T) {
	for _, mark := range []string{"--assume-unchanged", "--skip-worktree"} {
		t.Run(mark, func(t *testing.T) {
			p := play(t)
			p.git("update-index", mark, "a", "b")
			task := p.create()
			p.write("a", "task\n")
			id := p.keep(task, "a")
			if got := p.git("show", "--format=", "--name-status", id); got != "M\ta" {
				t.Errorf("the commit holds %q", got)
			}
			if got := p.git("show", id+":a"); got != "task" {
				t.Errorf("committed %q", got)
			}
			if got := p.changed(id); len(got) > 0 {
				t.Errorf("still open: %q", got)
			}
		})
	}
}

// A hook may change what is committed: then the index does not take it back.
func TestCommitThatAHookChanges(t *testing.T) {
	p := play(t)
	p.write("b", "staged by the user\n")
	p.git("add", "b")
	p.hook("pre-commit", "echo formatted >>a; echo made >made; git add a made; echo hook >b; git add b")
	task := p.create()
	p.write("a", "task\n")
	id := p.keep(task, "a")
	if got := p.git("show", id+":a"); got != "task\nformatted" {
		t.Errorf("committed %q", got)
	}
	if got := p.git("show", ":b"); got != "staged by the user" {
		t.Errorf("the user's staged file is %q", got)
	}
	if got := p.git("status", "--porcelain"); got != "MM b" {
		t.Errorf("git status is\n%s", got)
	}
}

// CommitFiles commits on any branch, keeps what only the index has, and leaves the
// rest as it is staged.
func TestCommitFiles(t *testing.T) {
	p := play(t)
	p.write("a", "staged by the user\n")
	p.write("b", "staged, too\n")
	p.git("add", "a", "b")
	p.write("a", "work\n")
	p.write("new [1]", "work\n")
	files := []string{"a", "new [1]", "日本/画面 [1].html"} // the last one is as it was
	id, err := CommitFiles(t.Context(), p.r, "feature/x", files, "Work", git.Hooks)
	if err != nil || id != p.git("rev-parse", "main") {
		t.Fatalf("CommitFiles = %s, %v", id, err)
	}
	if got := p.git("show", "--format=%s", "--name-status", id); got != "Work\n\nM\ta\nA\tnew [1]" {
		t.Errorf("committed: %q", got)
	}
	if got := p.git("show", "refs/code-intel/trash/staged/feature/x^2:a"); got != "staged by the user" {
		t.Errorf("kept: %q", got)
	}
	if got := p.git("status", "--porcelain"); got != "M  b" {
		t.Errorf("left: %q", got)
	}
	if again, err := CommitFiles(t.Context(), p.r, "feature/x", files, "Work", git.Hooks); again != id || err != nil {
		t.Errorf("again: %s, %v", again, err)
	}
	p.hook("pre-commit", "exit 1")
	p.write("a", "more\n")
	_, err = CommitFiles(t.Context(), p.r, "feature/x", files, "More", git.Hooks)
	if failed := (*git.Error)(nil); !errors.As(err, &failed) {
		t.Errorf("a hook that refuses: %v", err)
	}
}

func TestFirstCommit(t *testing.T) {
	p := play(t)
	p.git("switch", "-q", "--orphan", "first")
	p.write("a", "1\n")
	id, err := CommitFiles(t.Context(), p.r, "first", []string{"a"}, "First", git.Hooks)
	if err != nil || p.git("show", "--format=", "--name-status", id) != "A\ta" {
		t.Errorf("CommitFiles = %s, %v", id, err)
	}
}
