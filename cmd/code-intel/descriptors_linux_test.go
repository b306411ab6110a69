package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFewDescriptors starts the program where it may open hardly any files: it says so and what to do, and the
// runtime of Go does not end it with a dump. Below five, nothing can be started.
func TestFewDescriptors(t *testing.T) {
	program := filepath.Join(t.TempDir(), "code-intel")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for most := 5; most <= 9; most++ {
		cmd := exec.Command("prlimit", fmt.Sprintf("--nofile=%d", most), program, "status")
		cmd.Dir = t.TempDir()
		cmd.Env = append(cmd.Environ(), "HOME="+cmd.Dir, "XDG_CACHE_HOME="+cmd.Dir)
		out, err := cmd.CombinedOutput()
		exit, ok := err.(*exec.ExitError)
		if !ok || exit.ExitCode() != 3 || !strings.Contains(string(out), "too many open files") || !strings.Contains(string(out), "ulimit -n") ||
			strings.Contains(string(out), "goroutine") {
			t.Errorf("%d descriptors: %v\n%s", most, err, out)
		}
	}
}
