package taskbranch

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/git"
)

// What is where a file is to be put back is not git's to remove, even if git
// ignores it.
func TestDiscardIsBlocked(t *testing.T) {
	for name, tt := range map[string]struct {
		arrange func(p playground)
		files   []string
		blocks  string
	}{
		"an ignored file in a folder that was a file": {func(p playground) {
			p.remove("a")
			p.write("a/x", "task\n")
			p.write("a/x.log", "ignored\n")
		}, []string{"a", "a/x"}, "a/x.log"},
		"a file that git was told to forget and to ignore": {func(p playground) {
			p.git("rm", "-q", "--cached", "a")
			p.write("a", "nowhere else\n")
			p.write(".git/info/exclude", "/a\n")
		}, []string{"a"}, "a"},
		"a file that was a folder, and is kept": {func(p playground) {
			p.remove("日本")
			p.write("日本", "task\n")
		}, []string{"日本/画面 [1].html"}, "日本"},
		"a link that was a folder, and is kept": {func(p playground) {
			p.remove("日本")
			os.Symlink(".", p.file("日本"))
		}, []string{"日本/画面 [1].html"}, "日本"},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			task := p.create()
			tt.arrange(p)
			before := everything(p)
			_, err := Discard(t.Context(), p.r, task, tt.files)
			if got := code(t, err, DiscardBlocked); !strings.Contains(got.Message.String(), tt.blocks) {
				t.Errorf("message %q does not name %s", got.Message.String(), tt.blocks)
			}
			if diff := cmp.Diff(before, everything(p)); diff != "" {
				t.Errorf("something was touched (-before +after):\n%s", diff)
			}
			p.remove(tt.blocks)
			if _, err := Discard(t.Context(), p.r, task, tt.files); err != nil || p.git("diff", "--stat", "HEAD") != "" {
				t.Errorf("out of the way: %v, left %q", err, p.git("diff", "--stat", "HEAD"))
			}
		})
	}
}

func TestDiscardWithAHookThatFails(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "task\n")
	p.hook("post-checkout", "exit 1")
	if _, err := Discard(t.Context(), p.r, task, []string{"a"}); err != nil || p.git("status", "--porcelain") != "" {
		t.Errorf("Discard: %v, left %q", err, p.git("status", "--porcelain"))
	}
}

// Neither a merge nor taking the base overwrites what git ignores, nor a link that
// is not committed and stands for a folder.
func TestNothingIsOverwritten(t *testing.T) {
	for name, tt := range map[string]struct{ base, mine string }{
		"an ignored file":             {"x.log", ""},
		"a link in place of a folder": {"日本/画面 [1].html", "日本"},
	} {
		for what, act := range map[string]func(p playground, task Task) error{
			"TakeBase": func(p playground, task Task) error { _, _, err := TakeBase(t.Context(), p.r, task); return err },
			"Merge":    func(p playground, task Task) error { _, err := Merge(t.Context(), p.r, task, "x"); return err },
			"DeleteStale": func(p playground, task Task) error {
				return DeleteStale(t.Context(), p.r, Stale{Name: task.Name, Base: "main"})
			},
		} {
			t.Run(what+" and "+name, func(t *testing.T) {
				p := play(t)
				task := p.create()
				p.write("b", "task\n")
				p.keep(task, "b")
				dir := t.TempDir() + "/beside"
				p.git("worktree", "add", "-q", dir, "main")
				beside := playground{t, reopen(t, dir)}
				beside.write(tt.base, "the base's\n")
				beside.git("add", "--force", tt.base)
				beside.git("commit", "-q", "-m", "x")
				p.git("worktree", "remove", "--force", dir)
				if tt.mine != "" {
					p.remove(tt.mine)
					os.Symlink(".", p.file(tt.mine))
				} else {
					p.write(tt.base, "ignored\n")
				}
				before := everything(p)
				code(t, act(p, task), CheckoutFailed)
				if diff := cmp.Diff(before, everything(p)); diff != "" {
					t.Errorf("something was touched (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// On another branch TakeBase would move that one.
func TestTakeBaseElsewhere(t *testing.T) {
	p := play(t)
	task := worked(p)
	p.git("stash", "-q", "-u")
	moveBase(p, "c", "base\n")
	p.git("switch", "-q", "main")
	before := everything(p)
	_, _, err := TakeBase(t.Context(), p.r, task)
	code(t, err, WrongBranch)
	if diff := cmp.Diff(before, everything(p)); diff != "" {
		t.Errorf("something was touched (-before +after):\n%s", diff)
	}
}

func TestTakeBaseInterrupted(t *testing.T) {
	var moved Task
	var files []string
	interrupted(t,
		func(p playground) Task {
			task := worked(p)
			moveBase(p, "a", "base\n2\n3\n4\n5\n")
			return task
		},
		func(p playground, task Task) (err error) {
			moved, files, err = TakeBase(p.t.Context(), p.r, task)
			return err
		},
		func(t *testing.T, p playground, task Task) {
			users(t, p)
			if moved.BaseCommit != p.git("rev-parse", "main") || !cmp.Equal(files, []string{"a"}) {
				t.Errorf("measured from %s, in conflict %q", moved.BaseCommit, files)
			}
			if n := p.git("rev-list", "--count", "--merges", "HEAD"); n != "1" {
				t.Errorf("%s merges", n)
			}
		})
}

// Where refs cannot be made, that is not tried a thousand times.
func TestKeepWhereNoRefCanBeMade(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "task\n")
	p.write(".git/refs/code-intel/trash", "in the way")
	asked := 0
	p.r.Before = func([]string) error { asked++; return nil }
	_, err := Discard(t.Context(), p.r, task, []string{"a"})
	code(t, err, KeepFailed)
	if p.read("a") != "task\n" || asked > 50 {
		t.Errorf("a holds %q after %d commands", p.read("a"), asked)
	}
}

// What was staged and is neither in a commit nor in the working tree is kept
// before a commit takes the file as it is.
func TestCommitKeepsWhatWasStaged(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "staged\n")
	p.git("add", "a")
	p.write("a", "and changed\n")
	p.write("b", "only changed\n")
	p.keep(task, "b")
	if refs := p.git("for-each-ref", namespace); refs != "" {
		t.Errorf("kept, though it is still staged: %s", refs)
	}
	p.keep(task, "a")
	ref := namespace + "trash/staged/" + task.Name
	if got := p.git("show", ref+"^2:a"); got != "staged" {
		t.Errorf("the trash holds %q", got)
	}
}

func TestFoldInAMerge(t *testing.T) {
	p := play(t)
	task := p.create()
	p.write("a", "by hand\n")
	p.write("c", "by hand\n")
	p.commit("By hand")
	p.git("branch", "side", "main")
	p.git("switch", "-q", "side")
	p.write("a", "side\n")
	p.commit("Side")
	p.git("switch", "-q", task.Name)
	beside := *p.r
	_, err := beside.Do(t.Context(), git.Command{Args: []string{"merge", "side"}, Effect: git.Hooks})
	if err == nil {
		t.Fatal("no conflict")
	}
	head := p.git("rev-parse", "HEAD")
	_, err = Fold(t.Context(), p.r, task, task.BaseCommit, []string{"a"})
	code(t, err, CommitFailed)
	if p.git("rev-parse", "HEAD") != head {
		t.Error("the branch was moved")
	}
}

// A merge that is refused after all leaves the index as it was, too.
func TestRefusedMergeStagesNothing(t *testing.T) {
	p := play(t)
	task := worked(p)
	moveBase(p, "c", "base\n")
	moveBase(p, "x", "base\n")
	p.write("c", "base\n") // as on the base
	p.write("x", "not as on the base\n")
	before := everything(p)
	_, err := Merge(t.Context(), p.r, task, "x")
	code(t, err, CheckoutFailed)
	if diff := cmp.Diff(before, everything(p)); diff != "" {
		t.Errorf("something was touched (-before +after):\n%s", diff)
	}
}
