package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"codeintel/internal/platform/atomicfile"
)

// TestEndsWithItsParent kills a process while it waits for a git that only reads: that git ends, too.
func TestEndsWithItsParent(t *testing.T) {
	const task = "GIT_TEST_WAITS_FOR"
	if at := os.Getenv(task); at != "" { // the process that is killed
		r := &Repo{Dir: filepath.Dir(at)}
		_, _ = r.Do(context.Background(), Command{Args: []string{"config", "--file", at, "--list"}})
		return
	}
	at := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(at, 0o644); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(os.Args[0], "-test.run=^TestEndsWithItsParent$")
	parent.Env = append(os.Environ(), task+"="+at)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(at, os.O_WRONLY, 0) // when git has opened it, to read what never comes
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	child := childOf(t, parent.Process.Pid)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	for deadline := time.Now().Add(time.Minute); !atomicfile.Ended(child); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(child, syscall.SIGKILL)
			t.Fatal("git runs on")
		}
	}
}

// childOf returns the process that another has started.
func childOf(t *testing.T, parent int) int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tasks {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Skip("the kernel does not list children")
		}
		for word := range strings.FieldsSeq(string(data)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			return child
		}
	}
	t.Fatal("there is no child")
	return 0
}
