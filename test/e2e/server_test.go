//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/cli"
	"codeintel/internal/platform/failpoint"
	"codeintel/test/e2e/harness"
)

// Variables for a process of this test program that is to run as the program itself.
const (
	asProgram = "E2E_PROGRAM"  // run the command line
	dieAt     = "E2E_DIE_AT"   // kill yourself at this point, counted from 1, or at the nth of a name: "name#n"
	withGit   = "E2E_WITH_GIT" // and first every process that you started
	pointsTo  = "E2E_POINTS"   // add the name of each point to this file as it is come to
)

func init() {
	if os.Getenv(asProgram) == "" {
		return
	}
	if file := os.Getenv(pointsTo); file != "" {
		arm(file)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// arm counts the points that this process comes to, and kills it at one.
func arm(file string) {
	named, nth, _ := strings.Cut(os.Getenv(dieAt), "#")
	at, _ := strconv.Atoi(named) // none: never
	left, err := strconv.Atoi(nth)
	if err != nil {
		left = 1
	}
	log, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	n := 0
	failpoint.Install(func(name string) {
		mu.Lock()
		defer mu.Unlock()
		n++
		fmt.Fprintln(log, name)
		if name == named {
			left--
		}
		if n != at && (name != named || left > 0) {
			return
		}
		if os.Getenv(withGit) != "" {
			killChildren(os.Getpid())
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	})
}

// killChildren kills all descendants of a process. It works only on Linux.
func killChildren(pid int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		data, _ := os.ReadFile(l) // a thread that ended has none
		for _, child := range strings.Fields(string(data)) {
			if id, err := strconv.Atoi(child); err == nil {
				_ = syscall.Kill(id, syscall.SIGSTOP)
				killChildren(id)
				_ = syscall.Kill(id, syscall.SIGKILL)
			}
		}
	}
}

// A life is of one server process.
type life struct {
	at    int           // the point at which it dies; 0: none
	point string        // or its name, with "#n" for the nth of the name; "": none
	after time.Duration // when it is killed from outside; 0: never
	git   bool          // what it started dies with it
}

func (l life) String() string {
	s := strconv.Itoa(l.at)
	if l.point != "" {
		s = l.point
	}
	if l.after > 0 {
		s = fmt.Sprintf("t%d", l.after.Milliseconds())
	}
	if l.git {
		s += "g"
	}
	return s
}

// A process is the program, used by a client over its standard streams.
type process struct {
	cmd    *exec.Cmd
	client *mcp.ClientSession
	timer  *time.Timer
	points string // file with the names of the points that it came to
	stderr bytes.Buffer
}

// program returns a command that is the program, at home beside the project.
func (st *fixture) program(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		st.T.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = st.Root
	cmd.Env = append(os.Environ(), asProgram+"=1", "XDG_STATE_HOME="+st.Beside("state"), "TMPDIR="+st.Beside("tmp"))
	cmd.Env = append(cmd.Env, st.env...)
	return cmd
}

// spawn starts the server as a separate process, which will die as life says. It
// returns an error if the server died before it answered.
func (st *fixture) spawn(l life, number int) (*process, error) {
	st.T.Helper()
	p := &process{cmd: st.program("mcp", "--root", st.Root)}
	p.points = filepath.Join(st.Beside("points"), strconv.Itoa(number))
	p.cmd.Env = append(p.cmd.Env, pointsTo+"="+p.points, dieAt+"="+life{at: l.at, point: l.point}.String())
	if l.git {
		p.cmd.Env = append(p.cmd.Env, withGit+"=1")
	}
	p.cmd.Stderr = &p.stderr
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var err error
	p.client, err = harness.NewClient(nil).
		Connect(ctx, &mcp.CommandTransport{Command: p.cmd, TerminateDuration: time.Minute}, nil)
	if err == nil && l.after > 0 {
		p.timer = time.AfterFunc(l.after, func() { p.kill(l.git) })
	}
	return p, err
}

// kill ends the process from outside, as kill -9 does.
func (p *process) kill(git bool) {
	if git {
		_ = p.cmd.Process.Signal(syscall.SIGSTOP)
		killChildren(p.cmd.Process.Pid)
	}
	_ = p.cmd.Process.Kill()
}

// end waits for the process, which is asked to go if it has not gone.
func (p *process) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.client != nil {
		_ = p.client.Close()
	}
}

// came returns the names of the points that the process came to.
func (p *process) came() []string {
	data, _ := os.ReadFile(p.points) // one that came to none has written none
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// run runs the program once.
func (st *fixture) run(t testing.TB, args ...string) {
	t.Helper()
	if out, err := st.program(args...).CombinedOutput(); err != nil {
		t.Errorf("code-intel %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
