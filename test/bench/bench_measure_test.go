//go:build bench

package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/test/searchtest"
)

// A cost is what one run of a command took.
type cost struct {
	wall, cpu time.Duration
	rss       int64 // bytes
}

// measure runs a command in dir to its end.
func measure(t *testing.T, dir string, argv ...string) cost {
	t.Helper()
	c, err := run(dir, argv...)
	if err != nil {
		t.Fatalf("%v: %v", argv, err)
	}
	return c
}

// run is measure for commands that may fail. Memory is the high-water mark of the
// process while it runs: what wait4 says of a child begins with the size of the
// process that started it, which is this one.
func run(dir string, argv ...string) (cost, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	var complaint bytes.Buffer
	// Not the null device: ripgrep stops at the first match when it writes there.
	cmd.Stdout, cmd.Stderr = struct{ io.Writer }{io.Discard}, &complaint
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	ended := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- highWater(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	wall := time.Since(start)
	close(ended)
	c := cost{wall: wall, rss: <-peak}
	if err != nil {
		return c, fmt.Errorf("%w\n%s", err, complaint.String())
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c, nil
}

// highWater looks at the most memory that a process had resident, in bytes, again
// and again until ended is closed, and returns what it saw last.
func highWater(pid int, ended <-chan struct{}) (peak int64) {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ended:
			return peak
		case <-look.C:
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if err != nil {
				continue
			}
			if _, after, ok := strings.Cut(string(data), "VmHWM:"); ok {
				line, _, _ := strings.Cut(after, "\n")
				if kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, "kB")), 10, 64); err == nil {
					peak = max(peak, kb<<10)
				}
			}
		}
	}
}

// median runs a command until it is warm, then several times, and returns the median
// run.
func median(t *testing.T, dir string, argv ...string) cost {
	t.Helper()
	measure(t, dir, argv...)
	var runs []cost
	for range *benchRuns {
		runs = append(runs, measure(t, dir, argv...))
	}
	slices.SortFunc(runs, func(a, b cost) int { return int(a.wall - b.wall) })
	return runs[len(runs)/2]
}

// try measures a peer, if it is on this machine. Searchers end with 1 when they
// find nothing.
func try(t *testing.T, dir string, argv ...string) (cost, bool) {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		t.Logf("%s is not on this machine", argv[0])
		return cost{}, false
	}
	return median(t, dir, argv...), true
}

// A sample is how long one thing took, each time it was done.
type sample []time.Duration

// time adds how long f takes, n times.
func (s *sample) time(n int, f func()) {
	for range n {
		start := time.Now()
		f()
		*s = append(*s, time.Since(start))
	}
}

// at returns the quantile q of the sample.
func (s sample) at(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// An opened is an index that is held open in this process.
type opened struct {
	project *project.Project
	index   *index.Index
	search  *search.Engine
}

// open opens the index of root.
func open(t *testing.T, root string) *opened {
	t.Helper()
	p, x, e := searchtest.Open(t, root)
	return &opened{project: p, index: x, search: e}
}

// watched opens the index of root with the system reporting changes.
func watched(t *testing.T, root string) *opened {
	t.Helper()
	o := open(t, root)
	o.index.Watch()
	if err := o.index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o
}

// chunks returns how many chunks an index has.
func (o *opened) chunks(t *testing.T) int {
	t.Helper()
	st, err := o.index.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st.Chunks
}

// profile adds a section that says where the time of f goes: the top of a CPU
// profile. Without -profile it does nothing.
func (b *bench) profile(t *testing.T, name string, f func()) {
	if !*benchProfile {
		return
	}
	t.Helper()
	path := filepath.Join(b.dir, name+".pprof")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		t.Fatal(err)
	}
	f()
	pprof.StopCPUProfile()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	top, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount", "15", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	b.profiles = append(b.profiles, section{name, "```\n" + strings.TrimSpace(string(top)) + "\n```\n"})
}

func round(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 20*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }
