//go:build linux

package robustness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"codeintel/internal/cli"
	"codeintel/internal/platform/memlimit"
	"codeintel/internal/trust"
)

// A runner is a process that runs commands of the program one after the other, as the program
// does each in a process of its own. To start one takes as much as most commands do.
type runner struct {
	*clone
	cmd    *exec.Cmd // nil: none was started, or it has ended
	hung   func() bool
	in     io.Closer
	ask    *json.Encoder
	answer *json.Decoder
	said   bytes.Buffer // of the process itself
	peak   int64        // of its memory
	peakAt string       // the command that took it
}

// An execution is what became of a command.
type execution struct {
	Out    string
	Worked time.Duration
	Peak   int64 // of the memory of the process so far
}

// The test program is a runner, if it was started as one.
func init() {
	if len(os.Args) != 2 || os.Args[1] != "commands" {
		return
	}
	trust.PermitPrograms() // as func main does
	memlimit.Settle()
	questions, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var args []string
		if err := questions.Decode(&args); err != nil {
			os.Exit(0)
		}
		before, _ := spentHere()
		out := new(locked)
		cli.Main(context.Background(), args, strings.NewReader(""), out, out)
		after, peak := spentHere()
		if err := answers.Encode(execution{out.String(), after - before, peak}); err != nil {
			os.Exit(1)
		}
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.HeapSys-m.HeapReleased > 64<<20 {
			debug.FreeOSMemory() // the next command begins with as little as the first
		}
	}
}

// locked is a buffer for several goroutines.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// spentHere is the processor time and the most memory of this process and of those that it has
// waited for.
func spentHere() (all time.Duration, peak int64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		_ = syscall.Getrusage(who, &usage)
		all += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		peak = max(peak, usage.Maxrss)
	}
	return all, peak
}

// does runs a command, and returns what it said.
func (r *runner) does(args []string) string {
	r.Helper()
	if r.cmd == nil {
		r.start()
	}
	var got execution
	if r.ask.Encode(args) != nil || r.answer.Decode(&got) != nil {
		r.end()
		r.Errorf("%v ends the process:\n%s", args, r.said.String())
		return r.said.String()
	}
	name := strings.Join(args, " ")
	r.took(name, got.Worked)
	if got.Peak > r.peak {
		r.peak, r.peakAt = got.Peak, name
	}
	return got.Out
}

func (r *runner) start() {
	r.Helper()
	self, err := os.Executable()
	r.must(err)
	r.cmd = r.command(self, "commands")
	in, err := r.cmd.StdinPipe()
	r.must(err)
	out, err := r.cmd.StdoutPipe()
	r.must(err)
	r.said.Reset()
	r.peak = 0
	r.cmd.Stderr = &r.said
	r.must(r.cmd.Start())
	r.in, r.ask, r.answer, r.hung = in, json.NewEncoder(in), json.NewDecoder(out), watch(r.cmd.Process)
}

// end waits until the process ends, and checks it against the memory that one may take.
func (r *runner) end() {
	r.Helper()
	if r.cmd == nil {
		return
	}
	_ = r.in.Close()
	_ = r.cmd.Wait()
	if r.hung() {
		r.Errorf("a command hangs:\n%s", r.said.String())
	}
	r.held(r.peakAt, r.cmd)
	r.cmd = nil
}
