package taskbranch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/git"
)

// TestTakeBase lets base and task change the same line: the markers come on to
// the task branch, and once they are mended the task merges.
func TestTakeBase(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", "-b", "main")
	run("config", "user.name", "A")
	run("config", "user.email", "a@example.com")
	write("a.txt", "one\ntwo\n")
	write("b.txt", "b\n")
	run("add", "-A")
	run("commit", "-qm", "Begin")
	r, err := git.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	task, err := Create(ctx, r, "s1")
	if err != nil {
		t.Fatal(err)
	}
	if same, files, err := TakeBase(ctx, r, task); err != nil || len(files) > 0 || same.BaseCommit != task.BaseCommit {
		t.Fatalf("TakeBase of a base that did not move = %+v, %v, %v", same, files, err)
	}
	write("a.txt", "one\nTASK\n")
	run("commit", "-qam", "Task")
	run("switch", "-q", "main")
	write("a.txt", "one\nBASE\n")
	write("b.txt", "b2\n")
	run("commit", "-qam", "Base")
	run("switch", "-q", task.Name)

	after, files, err := TakeBase(ctx, r, task)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(files, " ") != "a.txt" || after.BaseCommit != run("rev-parse", "main") {
		t.Fatalf("TakeBase = %+v, %v", after, files)
	}
	if again, files, err := TakeBase(ctx, r, task); err != nil || strings.Join(files, " ") != "a.txt" || again.BaseCommit != after.BaseCommit {
		t.Errorf("TakeBase after one that was not told of = %+v, %v, %v", again, files, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	if err != nil || !strings.Contains(string(data), "<<<<<<<") {
		t.Fatalf("a.txt is %q, %v; want conflict markers", data, err)
	}
	if status := run("status", "--porcelain"); status != "" {
		t.Errorf("the tree is not clean: %s", status)
	}
	write("a.txt", "one\nBOTH\n")
	run("commit", "-qam", "Mend")
	if _, err := Merge(ctx, r, after, "Merge"); err != nil {
		t.Fatal(err)
	}
	if got := run("show", "main:a.txt"); got != "one\nBOTH" {
		t.Errorf("main holds %q", got)
	}
	if got := run("show", "main:b.txt"); got != "b2" {
		t.Errorf("main lost the base's own change: %q", got)
	}
}
