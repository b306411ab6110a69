package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gofrs/flock"
)

// holdEnv makes the test program a process that takes a lock and waits for its
// standard input to end.
const holdEnv = "STATEFILE_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdEnv); path != "" {
		if _, err := TryLock(path, "a test"); err != nil {
			fmt.Fprintln(os.Stderr, "held:", err)
			os.Exit(1)
		}
		fmt.Fprintln(os.Stderr, "locked")
		bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type state struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

func TestWriteAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "日本 語.json")
	for i := range 3 {
		want := state{"é<&>", i}
		if err := Write(path, want); err != nil {
			t.Fatal(err)
		}
		var got state
		if err := Read(path, &got); err != nil || got != want {
			t.Errorf("Read = %v, %v, want %v", got, err, want)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left beside the file: %v, %v", entries, err)
	}
}

func TestReadWhatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	if err := Read(path, new(state)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read = %v, want fs.ErrNotExist", err)
	}
	if lines, err := Lines(path); lines != nil || err != nil {
		t.Errorf("Lines = %v, %v", lines, err)
	}
	if err := os.WriteFile(path, []byte(`{"name": "ha`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Read(path, new(state)); err == nil || !strings.Contains(err.Error(), "x.json") {
		t.Errorf("Read of half a file = %v, want an error that names it", err)
	}
}

// A write that fails leaves the old file, and nothing beside it.
func TestFailedWriteKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	if err := Write(path, state{"old", 1}); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, func() {}); err == nil {
		t.Error("a func was written as JSON")
	}
	var got state
	if err := Read(path, &got); err != nil || got.Name != "old" {
		t.Errorf("Read = %v, %v, want the old state", got, err)
	}
	// A folder in the file's place makes the rename itself fail.
	taken := filepath.Join(dir, "taken", "x.json")
	if err := os.MkdirAll(filepath.Join(taken, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(taken, state{}); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(filepath.Dir(taken)); err != nil || len(entries) != 1 {
		t.Errorf("left beside the folder: %v, %v", entries, err)
	}
}

// What a killed process was about to rename goes with the next write of the same
// file; what a living one is writing, and other files, stay.
func TestSweepsWhatAKilledProcessLeft(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run", "^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	gone := fmt.Sprintf(".x [1].json.tmp-%d-123", ended.Process.Pid)
	stay := []string{fmt.Sprintf(".x [1].json.tmp-%d-123", os.Getpid()), fmt.Sprintf(".y.json.tmp-%d-123", ended.Process.Pid), ".x [1].json.tmp-123"}
	for _, name := range append(slices.Clone(stay), gone) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join(dir, "x [1].json"), state{}); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := slices.Sorted(slices.Values(append(stay, "x [1].json")))
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q: %v", left, want, err)
	}
}

// A process that was killed has ended, although its parent has not waited for it.
func TestEnded(t *testing.T) {
	if Ended(os.Getpid()) {
		t.Error("this one has ended")
	}
	if runtime.GOOS != "linux" {
		t.Skip("what is not waited for cannot be told from what runs")
	}
	cmd := exec.Command("sh", "-c", "exit")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	if _, err := io.ReadAll(out); err != nil { // until it exits, or nearly
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for !Ended(cmd.Process.Pid) {
		if time.Now().After(deadline) {
			t.Fatal("it has not ended")
		}
		time.Sleep(time.Millisecond)
	}
}

// A reader that comes at any moment sees one of the states whole.
func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	long := strings.Repeat("x", 64<<10)
	if err := Write(path, state{long, 0}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			var got state
			if err := Read(path, &got); err != nil || len(got.Name) != len(long)-got.N {
				t.Errorf("read %d bytes of state %d: %v", len(got.Name), got.N, err)
				return
			}
		}
	})
	for n := range 50 {
		if err := Write(path, state{long[n:], n}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}

// Wherever a crash cuts the last line, the lines before it are read, and the next
// one is appended behind them.
func TestAppendAfterACrashAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	for n := range 3 {
		if err := Append(path, state{"a\nb", n}); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := len(whole) / 3
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(whole[:cut/size*size])) {
			want = append(want, strings.TrimSuffix(line, "\n"))
		}
		if got := texts(t, path); !cmp.Equal(want, got) {
			t.Fatalf("cut at %d: lines %q, want %q", cut, got, want)
		}
		if err := Append(path, state{"new", 9}); err != nil {
			t.Fatal(err)
		}
		want = append(want, `{"name":"new","n":9}`)
		if got := texts(t, path); !cmp.Equal(want, got) {
			t.Fatalf("cut at %d, then appended: lines %q, want %q", cut, got, want)
		}
	}
}

// A line longer than the block in which the end is looked for.
func TestAppendBehindALongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	for _, name := range []string{"short", strings.Repeat("long", 5000), "end"} {
		if err := Append(path, state{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, strings.Repeat("torn", 5000)...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Append(path, state{Name: "after"}); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, path); len(got) != 4 || got[3] != `{"name":"after","n":0}` {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
}

func texts(t *testing.T, path string) (all []string) {
	t.Helper()
	lines, err := Lines(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		all = append(all, string(l))
	}
	return all
}

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "x.lock")
	// Nothing but the lock keeps two from being inside: the race detector knows no
	// lock of the kernel's, so the test counts for itself.
	var inside, n atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				unlock, err := Lock(path)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				n.Add(1)
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	if n.Load() != 200 {
		t.Errorf("n = %d, want 200", n.Load())
	}
}

// The lock of a process that is killed is free at once, and until then the
// refusal says who has it.
func TestTryLockOverProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stderr).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	var held *Held
	_, err = TryLock(path, "me")
	if !errors.As(err, &held) {
		t.Fatalf("TryLock = %v, want *Held", err)
	}
	for _, want := range []string{fmt.Sprintf("pid %d", cmd.Process.Pid), "since ", "a test"} {
		if !strings.Contains(held.Holder, want) {
			t.Errorf("holder %q does not say %q", held.Holder, want)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	unlock, err := TryLock(path, "me")
	if err != nil {
		t.Fatalf("TryLock after the holder was killed = %v", err)
	}
	unlock()
}

// Who looks whether a lock is held, and on a busy machine needs long for that, keeps nobody
// from it.
func TestTryLockWhileLookedAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	look := flock.New(path, flock.SetFlag(os.O_RDONLY))
	if ok, err := look.TryRLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	time.AfterFunc(4*glance, func() { look.Unlock() })
	unlock, err := TryLock(path, "me")
	if err != nil {
		t.Fatalf("TryLock = %v", err)
	}
	unlock()
}

func TestTryLockWithinAProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	unlock, err := TryLock(path, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path, "two"); !errors.As(err, new(*Held)) {
		t.Errorf("TryLock twice = %v, want *Held", err)
	}
	unlock()
	if unlock, err = TryLock(path, "three"); err != nil {
		t.Fatalf("TryLock after unlock = %v", err)
	}
	unlock()
	// A holder that left no note is still named somehow.
	quiet, err := Lock(filepath.Join(t.TempDir(), "quiet.lock"))
	if err != nil {
		t.Fatal(err)
	}
	quiet()
}

// A holder is dead if its process is, and only then: a lock that it left to a
// program it was starting is waited for.
func TestDeadHolder(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for holder, want := range map[string]bool{
		fmt.Sprintf("pid %d, since 10:31, session", cmd.Process.Pid): true,
		fmt.Sprintf("pid %d, since 10:31, session", os.Getpid()):     false,
		fmt.Sprintf("pid %d, since 10:31, session", os.Getppid()):    false,
		unnamed: false,
		"":      false,
	} {
		if got := dead(holder); got != want {
			t.Errorf("dead(%q) = %v", holder, got)
		}
	}
}
