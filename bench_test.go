//go:build bench

package codeintel_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var benchRuns = flag.Int("runs", 5, "how often each command is timed")

// TestBench times the program as its user meets it, whole processes on the source
// tree of Go, each beside a peer in the same run, and writes docs/benchmarks.md.
// Absolute times depend on the machine and on who shares it; the ratios less so.
func TestBench(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "code-intel")
	measure(t, ".", "go", "build", "-trimpath", "-o", bin, "./cmd/code-intel")
	src := filepath.Join(dir, "src")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(src, os.DirFS(filepath.Join(strings.TrimSpace(string(goroot)), "src"))); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\nWritten by `make bench` on %s/%s, %d processors, %s, over the source tree of that Go. ", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(&b, "Whole processes; medians of %d runs (the full index: one run). The peers ran in turn with ours, on the same files; look at the ratios.\n\n", *benchRuns)

	index := measure(t, src, bin, "index", ".")
	fmt.Fprintf(&b, "| what | command | wall | CPU | memory |\n|---|---|---|---|---|\n")
	row(&b, "full index", "code-intel index .", index)
	if peer, ok := try(t, src, "ctags", "-R", "-f", filepath.Join(dir, "tags"), "."); ok {
		row(&b, "peer: symbols only", "ctags -R .", peer)
		fmt.Fprintf(&b, "| ratio | index / ctags | %.1f | %.1f | |\n", ratio(index.wall, peer.wall), ratio(index.cpu, peer.cpu))
	}
	row(&b, "index again, nothing changed", "code-intel index .", median(t, src, bin, "index", "."))
	for _, q := range [][]string{
		{"def", "NewReader"}, {"refs", "NewReader"}, {"refs", "ReadString"}, {"outline", "net/http/server.go"},
		{"grep", "func NewReaderSize"}, {"search", "how are http timeouts handled"},
	} {
		row(&b, q[0], "code-intel "+q[0]+" "+shown(q[1]), median(t, src, append([]string{bin}, q...)...))
	}
	if peer, ok := try(t, src, "rg", "-n", "-F", "func NewReaderSize"); ok {
		row(&b, "peer of grep", "rg -n -F 'func NewReaderSize'", peer)
	}
	if peer, ok := try(t, src, "grep", "-rnF", "func NewReaderSize", "."); ok {
		row(&b, "peer of grep", "grep -rnF 'func NewReaderSize' .", peer)
	}
	fmt.Fprintf(&b, "\n%s\n", said(t, src, bin, "status"))
	if err := os.WriteFile("docs/benchmarks.md", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
}

// A cost is what one run of a command took.
type cost struct {
	wall, cpu time.Duration
	rss       int64 // bytes
}

func measure(t *testing.T, dir string, argv ...string) cost {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stderr = &out
	start := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out.String())
	}
	c := cost{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.rss = u.Maxrss << 10
	}
	return c
}

func median(t *testing.T, dir string, argv ...string) cost {
	t.Helper()
	measure(t, dir, argv...) // warm
	var runs []cost
	for range *benchRuns {
		runs = append(runs, measure(t, dir, argv...))
	}
	slices.SortFunc(runs, func(a, b cost) int { return int(a.wall - b.wall) })
	return runs[len(runs)/2]
}

// try measures a peer, if it is on this machine.
func try(t *testing.T, dir string, argv ...string) (cost, bool) {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		return cost{}, false
	}
	return median(t, dir, argv...), true
}

func said(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "index") || strings.HasPrefix(line, "files") || strings.HasPrefix(line, "left out") {
			kept = append(kept, "    "+strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(kept, "\n")
}

func row(b *strings.Builder, what, command string, c cost) {
	fmt.Fprintf(b, "| %s | `%s` | %s | %s | %d MB |\n", what, command, round(c.wall), round(c.cpu), c.rss>>20)
}

func round(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

func shown(arg string) string {
	if strings.Contains(arg, " ") {
		return "'" + arg + "'"
	}
	return arg
}
