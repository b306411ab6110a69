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
	stranger := t.TempDir()
	if err := os.WriteFile(filepath.Join(stranger, ".git"), []byte("gitdir: "+filepath.Join(p.Dir, ".git")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	move := func(dir, branch string) error {
		r := open(dir)
		head, err := r.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r.MoveRef(t.Context(), "refs/heads/"+branch, head, "", "test")
	}
	if p := problem.Of(move(stranger, "a")); p == nil || p.Code != borrowedRepository {
		t.Errorf("a folder of a stranger: %v", p)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	p.git("worktree", "add", "-q", linked)
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
