package tempdir

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"codeintel/internal/platform/atomicfile"
)

const prefix = "code-intel-test-"

// What killed processes left goes; what is in use, or another program's, stays.
func TestSweep(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	lay := func(name string, files ...string) string {
		dir := filepath.Join(tmp, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	gone := []string{lay(prefix+"1", lockName, "index", "index.lock"), lay(prefix + "2")}
	live := lay(prefix+"3", "index")
	unlock, err := atomicfile.TryLock(filepath.Join(live, lockName), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	stay := []string{live, lay(prefix+"4", "index"), lay("other", lockName)}
	sweep(os.TempDir(), prefix)
	for _, dir := range gone {
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
	for _, dir := range stay {
		if _, err := os.Lstat(dir); err != nil {
			t.Error(err)
		}
	}
}

// A folder that is being made is not swept away by those who begin
// meanwhile, or is made again.
func TestMadeWhileSwept(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	done := make(chan struct{})
	var sweepers, makers sync.WaitGroup
	for range 4 {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					sweep(os.TempDir(), prefix)
				}
			}
		})
		makers.Go(func() {
			for range 100 {
				s, err := New(prefix)
				if err != nil {
					t.Error(err)
					return
				}
				index := filepath.Join(s.Path, "index")
				if err := os.WriteFile(index, nil, 0o600); err != nil {
					t.Error(err)
				}
				runtime.Gosched()
				if _, err := os.Stat(index); err != nil {
					t.Error(err)
				}
				s.Remove()
			}
		})
	}
	makers.Wait()
	close(done)
	sweepers.Wait()
	sweep(os.TempDir(), prefix)
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
