package git

import (
	"os"
	"path/filepath"
	"testing"

	"codeintel/internal/problem"
)

// TestBorrowed writes nothing into the repository of another folder that .git leads to, and
// all that it is asked to in linked working trees and where core.worktree names the folder.
func TestBorrowed(t *testing.T) {
	p := play(t)
	p.write("a.go", "package a\n")
	p.commit("First")
	open := func(dir string) *Repo {
		t.Helper()
		r, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	put := func(dir, name, text string) {
		t.Helper()
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stranger := t.TempDir()
	put(stranger, ".git", "gitdir: "+filepath.Join(p.Dir, ".git")+"\n")
	move := func(dir, branch string) error {
		r := open(dir)
		head, err := r.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r.MoveRef(t.Context(), "refs/heads/"+branch, head, "", "test")
	}
	linked := filepath.Join(t.TempDir(), "linked")
	p.git("worktree", "add", "-q", linked)
	shared := t.TempDir() // its own folder, but everything that is shared by working trees elsewhere
	put(shared, ".git/HEAD", "ref: refs/heads/main\n")
	put(shared, ".git/commondir", filepath.Join(p.Dir, ".git")+"\n")
	another := t.TempDir()
	put(another, ".git", "gitdir: "+filepath.Join(p.Dir, ".git", "worktrees", "linked")+"\n")
	back := t.TempDir() // says that it is a working tree of that repository, which knows of none here
	put(back, ".git", "gitdir: data\n")
	put(back, "data/HEAD", "ref: refs/heads/main\n")
	put(back, "data/commondir", filepath.Join(p.Dir, ".git")+"\n")
	put(back, "data/gitdir", filepath.Join(back, ".git")+"\n")
	for what, dir := range map[string]string{"git directory": stranger, "common directory": shared, "working tree": another, "claim": back} {
		if p := problem.Of(move(dir, "a")); p == nil || p.Code != borrowedRepository {
			t.Errorf("a stranger's folder with another's %s: %v", what, p)
		}
	}
	for branch, dir := range map[string]string{"b": p.Dir, "c": linked} {
		if err := move(dir, branch); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	p.git("config", "core.worktree", stranger)
	if err := move(stranger, "d"); err != nil {
		t.Errorf("with core.worktree: %v", err)
	}
}
