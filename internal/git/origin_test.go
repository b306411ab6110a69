package git

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was committed here is not foreign; what came by a clone, a pull, a merge or by
// amending somebody else's commit is, whatever the case of its name.
func TestForeign(t *testing.T) {
	stranger := empty(t)
	stranger.write("Rules/A.md", "a\n")
	stranger.write("b.md", "b\n")
	stranger.commit("one")

	p := empty(t)
	clone := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", p.Dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	branch := stranger.git("symbolic-ref", "--short", "HEAD")
	clone("pull", "-q", stranger.Dir, branch)
	foreign := func(want ...string) {
		t.Helper()
		got, err := p.Foreign(t.Context(), []string{"rules/a.md", "b.md", "own.md", "none.md", "last.md"})
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("foreign: %q, %v; want %q", got, err, want)
		}
	}
	foreign("rules/a.md", "b.md")

	p.write("own.md", "mine\n")
	foreign("rules/a.md", "b.md")
	p.commit("mine")
	foreign("rules/a.md", "b.md")
	p.write("b.md", "b, as I have it\n")
	foreign("rules/a.md", "b.md") // not committed: the rest of it is theirs
	p.commit("b is mine")
	foreign("rules/a.md")

	stranger.write("own.md", "theirs\n")
	stranger.commit("two")
	clone("pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", stranger.Dir, branch)
	foreign("rules/a.md", "own.md")
	p.write("c.md", "c\n")
	clone("add", "-A")
	clone("commit", "-q", "--amend", "-m", "amended")
	foreign("rules/a.md", "own.md")
	clone("checkout", "-q", "HEAD~1")
	foreign("rules/a.md")

	// What a merge that stopped brings is foreign, too.
	clone("checkout", "-q", "-f", branch)
	p.write("own.md", "mine again\n")
	p.commit("mine again")
	foreign("rules/a.md")
	stranger.write("own.md", "theirs again\n")
	stranger.write("none.md", "new\n")
	stranger.commit("three")
	clone("fetch", "-q", stranger.Dir, branch)
	if p.git("rev-parse", "HEAD"); exec.Command("git", "-C", p.Dir, "merge", "-q", "FETCH_HEAD").Run() == nil {
		t.Error("the merge did not stop")
	}
	foreign("rules/a.md", "own.md", "none.md")

	// So is what is taken from a foreign commit as a single file, staged or not; what is the
	// user's own may come back from anywhere.
	clone("merge", "--abort")
	for _, take := range [][]string{{"checkout", "FETCH_HEAD", "--", "own.md"}, {"restore", "--source", "FETCH_HEAD", "own.md"},
		{"restore", "--source", "FETCH_HEAD", "--staged", "--worktree", "own.md"}} {
		clone(take...)
		foreign("rules/a.md", "own.md")
		clone("checkout", "-f", "HEAD", "--", "own.md")
		foreign("rules/a.md")
	}
	clone("branch", "theirs", "FETCH_HEAD")
	clone("-c", "core.autocrlf=true", "restore", "--source", "theirs", "own.md")
	foreign("rules/a.md", "own.md")
	clone("checkout", "-f", "HEAD", "--", "own.md")
	p.write("own.md", "staged and stashed\n")
	clone("add", "own.md")
	foreign("rules/a.md")
	clone("stash", "push", "-q")
	clone("stash", "apply", "-q")
	foreign("rules/a.md")
	clone("checkout", "-f", "HEAD", "--", "own.md")
	clone("restore", "--source", "HEAD~1", "own.md") // own.md as the user committed it before
	p.write("own.md", "mine\n")
	foreign("rules/a.md")
	clone("checkout", "-f", "HEAD", "--", "own.md")
	clone("merge", "-q", "--no-commit", "--squash", "-X", "theirs", "theirs")
	foreign("rules/a.md", "own.md", "none.md")
	clone("reset", "-q", "--hard")
	foreign("rules/a.md")

	// A commit whose subject looks like a line of the reflog is as foreign as any.
	stranger.write("last.md", "forged\n")
	stranger.commit("four\x01commit: four")
	clone("fetch", "-q", stranger.Dir, branch)
	clone("cherry-pick", "FETCH_HEAD")
	foreign("rules/a.md", "last.md")
}
