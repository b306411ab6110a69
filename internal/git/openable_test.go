//go:build linux

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"codeintel/internal/platform/repofile"
)

// TestSpecialFiles puts what git would wait for, or read without end, into the place of
// each file that it opens by its name: no command waits, and the file is named.
func TestSpecialFiles(t *testing.T) {
	for _, name := range []string{".gitignore", "d/.gitignore", ".gitattributes", ".gitmodules", ".git/info/exclude", ".git/info/attributes",
		".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/refs/heads/x", ".git/objects/info/alternates",
		".git/objects/11/" + strings.Repeat("1", 38), ".git/objects/pack/pack-1.idx", ".git/included", ".git/commondir", "in/.git/HEAD"} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.write("d/a.go", "package a\n")
			p.commit("First")
			if name == ".git/included" {
				p.git("config", "include.path", "included")
			}
			at := filepath.Join(p.Dir, name)
			os.RemoveAll(at)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(at, 0o644); err != nil {
				t.Fatal(err)
			}
			looked.Clear() // as a process that has just begun
			_, err := p.Repo.Run(t.Context(), "status", "--porcelain")
			refused := new(repofile.Refusal)
			if !errors.As(err, &refused) || refused.Why != repofile.NotRegular || refused.Path != name {
				t.Errorf("got %v", err)
			}
			if _, err := Open(t.Context(), p.Dir); err == nil && strings.HasPrefix(name, ".git/") && filepath.Dir(name) == ".git" {
				t.Error("the repository is opened")
			}
			os.Remove(at)
			if strings.HasPrefix(name, ".git/") {
				return
			}
			if _, err := p.Repo.Run(t.Context(), "status", "--porcelain"); err != nil {
				t.Errorf("after the file was removed: %v", err)
			}
		})
	}
}

// TestPipePutInLate puts a pipe under a git that runs for some time already: however long that was,
// the next check is as near as the first.
func TestPipePutInLate(t *testing.T) {
	p := play(t)
	p.Repo.patience = 50 * time.Millisecond
	in, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	defer in.Close()
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 16*time.Second)
	defer cancel()
	go func() {
		_, err := p.Do(ctx, Command{Args: []string{"cat-file", "--batch"}, Stdin: in})
		ended <- err
	}()
	time.Sleep(5 * time.Second) // waits that grow fourfold would have grown to 12 s by now
	if err := syscall.Mkfifo(filepath.Join(p.Dir, ".gitignore"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused := new(repofile.Refusal)
	if err := <-ended; !errors.As(err, &refused) || refused.Path != ".gitignore" {
		t.Errorf("got %v", err)
	}
}

// TestHistoryIgnoresWorkingTree has history be read where no other command would be.
func TestHistoryIgnoresWorkingTree(t *testing.T) {
	p := play(t)
	p.write("d/a.go", "package a\n")
	id := p.commit("First")
	if err := syscall.Mkfifo(filepath.Join(p.Dir, "d", ".gitattributes"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o, err := p.Blame(t.Context(), id, "d/a.go", 1); err != nil || o.Commit != id {
		t.Errorf("got %v, %v", o, err)
	}
	if ids, err := p.LineLog(t.Context(), id, "d/a.go", Range{1, 1}, 5); err != nil || len(ids) != 1 {
		t.Errorf("got %v, %v", ids, err)
	}
}

// TestPatternWithoutEnd meets a pattern that git would compare with one name for days.
func TestPatternWithoutEnd(t *testing.T) {
	p := play(t)
	p.write("a.go", "package a\n")
	p.commit("First")
	p.write(".gitignore", strings.Repeat("*a", 12)+"b\n")
	p.write(strings.Repeat("a", 200)+".txt", "")
	p.Repo.maxCPU = time.Second
	_, err := p.Snapshot(t.Context())
	over := (*excess)(nil)
	if !errors.As(err, &over) || over.code != gitTooSlow {
		t.Fatalf("got %v", err)
	}
	if err := os.Remove(filepath.Join(p.Dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Snapshot(t.Context()); err != nil {
		t.Errorf("without the pattern: %v", err)
	}
}

// TestUnfolding meets a commit of more files than fit into any memory: the others are
// listed, and this one is said not to be.
func TestUnfolding(t *testing.T) {
	p := play(t)
	p.write("a.go", "package a\n")
	first := p.commit("First")
	entry := "100644 blob " + strings.TrimSpace(p.git("rev-parse", "HEAD:a.go"))
	for range 12 {
		var tree strings.Builder
		for _, name := range strings.Split("abcdefghij", "") {
			tree.WriteString(entry + "\t" + name + "\n")
		}
		id, err := p.Do(t.Context(), Command{Args: []string{"mktree"}, Effect: Writes, Stdin: strings.NewReader(tree.String())})
		if err != nil {
			t.Fatal(err)
		}
		entry = "040000 tree " + strings.TrimSpace(id)
	}
	bomb, err := p.CommitTree(t.Context(), strings.Fields(entry)[2], "Second", first)
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool)
	err = p.EachChange(t.Context(), []string{bomb, first}, func(id string, files []Touched, all bool) error {
		listed[id] = all
		return nil
	})
	if err != nil || len(listed) != 2 || listed[bomb] || !listed[first] {
		t.Errorf("got %v, %v", listed, err)
	}
}
