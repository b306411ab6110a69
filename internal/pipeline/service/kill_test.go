package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/platform/failpoint"
	"codeintel/test/tier"
)

// killed is what a fault point panics with, to end a call in the middle.
type killed struct{ point string }

// A sudden end is at the n-th fault point. It leaves what a killed process would.
func dieAt(n int) (passed *int) {
	passed = new(int)
	failpoint.Install(func(name string) {
		if *passed++; *passed == n {
			panic(killed{name})
		}
	})
	return passed
}

// survive makes a call that may die, and reports where it did.
func survive(call func() map[string]any) (a map[string]any, where string) {
	defer func() {
		if k, ok := recover().(killed); ok {
			a, where = nil, k.point
		}
	}()
	return call(), ""
}

// TestDying ends a pipeline's process at one fault point after another. Another
// process goes on, and in the end all is as if nothing had been: each task is
// committed once, the tree is clean, the journal tells each thing once.
func TestDying(t *testing.T) {
	t.Cleanup(func() { failpoint.Install(func(string) {}) })
	stride := 1
	if !tier.Whole() {
		stride = 61
	}
	total := 1 << 30
	for n := 1; n <= total; n += stride {
		where, points := dyingWalk(t, n)
		if where == "" {
			total = points
		}
		if stride == 1 { // one walk in seventeen is enough for every kind of place to come up
			stride = 17
		}
	}
}

func dyingWalk(t *testing.T, n int) (where string, points int) {
	t.Run(fmt.Sprint(n), func(t *testing.T) {
		failpoint.Install(func(string) {})
		r := newRobot(t, "--nopr greet people by name", "S")
		r.written = make(map[string]int)
		passed := dieAt(n)
		req := NextRequest{}
		for range 60 {
			a, at := survive(func() map[string]any { return r.next(req) })
			if at != "" {
				where = at
				r.s.Close() // as the kernel does
				r.bury()
				r.open()
				a = r.next(NextRequest{})
				// The orchestrator never got its answer. It asks, and does what it is
				// told; if it is told the same again, it has done it already.
				if a["type"] != "spawn_agent" && a["type"] != "write_file" {
					req = r.do(a)
					if a["type"] == "done" {
						break
					}
					continue
				}
				if out, _ := a["output_file"].(string); out != "" && r.written[out] > 0 && r.there(out) {
					req = NextRequest{Complete: yes()}
					continue
				}
			}
			if a["type"] == "done" {
				break
			}
			req = r.do(a)
		}
		points = *passed
		failpoint.Install(func(string) {})
		a := r.next(NextRequest{})
		if a["type"] != "done" || a["warning"] != "" {
			t.Fatalf("died at %q: %v", where, a)
		}
		r.clean()
		if log := r.git("log", "--format=%s", "main.."); log != "chore: record the pipeline greet-people\nfeat: greet people by name" {
			t.Errorf("died at %q: commits\n%s", where, log)
		}
		data, err := os.ReadFile(filepath.Join(r.root, r.ws, "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range strings.Count(string(data), "\n") {
			if !strings.Contains(string(data), fmt.Sprintf(`{"seq":%d,`, i+1)) {
				t.Errorf("died at %q: entry %d is missing", where, i+1)
			}
		}
		if n := len(r.state().PhaseRuns); n != 7 {
			t.Errorf("died at %q: %d runs in the log", where, n)
		}
	})
	return where, points
}

// bury makes what was being written when this process "died" that of a process that
// has ended, for this one lives.
func (r *robot) bury() {
	r.t.Helper()
	ended := exec.Command("git", "version")
	if err := ended.Run(); err != nil {
		r.t.Fatal(err)
	}
	own := fmt.Sprintf(".tmp-%d-", os.Getpid())
	err := filepath.WalkDir(filepath.Join(r.root, ".specs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.Contains(filepath.Base(path), own) {
			err = os.Rename(path, strings.Replace(path, own, fmt.Sprintf(".tmp-%d-", ended.ProcessState.Pid()), 1))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	// and so are the notes of its gits, one of which may have left a lock
	own = fmt.Sprintf("code-intel-git-%d-", os.Getpid())
	notes, err := filepath.Glob(filepath.Join(r.root, ".git", own+"*"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, note := range notes {
		if err := os.Rename(note, strings.Replace(note, own, fmt.Sprintf("code-intel-git-%d-", ended.ProcessState.Pid()), 1)); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *robot) there(name string) bool {
	_, err := os.Stat(filepath.Join(r.root, r.ws, name))
	return err == nil
}
