//go:build linux

package robustness

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/test/tier"
)

// program builds the program once per test.
func program(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "code-intel")
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/code-intel").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// served starts the program as a client does. The end of its log is shown if the
// test fails.
func served(t *testing.T, bin, root string) *mcp.ClientSession {
	client, _ := started(t, bin, root)
	return client
}

// started is served, and returns the process of the server, too.
func started(t *testing.T, bin, root string) (*mcp.ClientSession, *os.Process) {
	t.Helper()
	cmd := exec.Command(bin, "mcp", "--root", root)
	var log bytes.Buffer
	cmd.Stderr = &log
	client, err := mcp.NewClient(&mcp.Implementation{Name: "stress", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if t.Failed() {
			t.Logf("the server's log ends with:\n%s", log.Bytes()[max(0, log.Len()-4000):])
		}
	})
	return client, cmd.Process
}

// A reference is what an answer must not change with the speed of the machine.
type reference struct {
	File         string
	Line, Column int
	Confidence   string
}

type references struct {
	Complete   bool
	Total      int
	References []reference
}

func askReferences(t *testing.T, c *mcp.ClientSession, name string) (a references) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_references", Arguments: map[string]any{"symbol": name, "limit": 200, "max_tokens": 12500}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil || r.IsError {
		t.Fatalf("%s: %v %v", name, err, r.Content)
	}
	return a
}

// namesOf picks n of the names that stand in a tree more than once, always the same.
func namesOf(t *testing.T, root string, n int) []string {
	t.Helper()
	count := map[string]int{}
	name := regexp.MustCompile(`[A-Za-z_]\w{4,}`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, w := range name.FindAll(b, -1) {
			count[string(w)]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for w, k := range count {
		if k > 2 && k < 200 {
			all = append(all, w)
		}
	}
	slices.Sort(all)
	var some []string
	for i := range min(n, len(all)) {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// throttle lets a process run only a part of the time, until the function that it
// returns is called.
func throttle(p *os.Process, part float64) (end func()) {
	const period = 20 * time.Millisecond
	stop, gone := make(chan struct{}), make(chan struct{})
	run := time.Duration(part * float64(period))
	go func() {
		defer close(gone)
		for {
			_ = p.Signal(syscall.SIGSTOP)
			time.Sleep(period - run)
			_ = p.Signal(syscall.SIGCONT)
			select {
			case <-stop:
				return
			case <-time.After(run):
			}
		}
	}()
	return sync.OnceFunc(func() { close(stop); <-gone })
}

// busy keeps n processes busy until the test ends.
func busy(t *testing.T, n int) {
	t.Helper()
	for range n {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
}

// TestThrottled asks servers that get little of a processor, from the first question
// after they have been started on a tree that was never indexed: each answer is the one
// that a fast machine gives, or says that it is incomplete.
func TestThrottled(t *testing.T) {
	tier.Full(t)
	const questions = 40 // of each repository
	bin := program(t)
	corpora, err := filepath.Glob("../../internal/search/quality/testdata/corpora/*")
	if err != nil || len(corpora) < 5 {
		t.Fatal(corpora, err)
	}
	for _, corpus := range corpora {
		names := namesOf(t, corpus, questions)
		fresh := func(t *testing.T) string {
			root := t.TempDir()
			if err := os.CopyFS(root, os.DirFS(corpus)); err != nil {
				t.Fatal(err)
			}
			return root
		}
		want := map[string]references{}
		c := served(t, bin, fresh(t))
		for _, n := range names {
			if want[n] = askReferences(t, c, n); !want[n].Complete {
				t.Errorf("%s: %s is incomplete on this machine", filepath.Base(corpus), n)
			}
		}
		c.Close()
		for how, part := range map[string]float64{"a fifth": .2, "a tenth": .1, "beside eight busy processes": 0} {
			t.Run(filepath.Base(corpus)+"/"+how, func(t *testing.T) {
				c, process := started(t, bin, fresh(t))
				if part == 0 {
					busy(t, 8)
				} else {
					end := throttle(process, part)
					defer end()
				}
				lacking, wrong := 0, 0
				for _, n := range names {
					got := askReferences(t, c, n)
					if !got.Complete {
						lacking++
						continue
					}
					if diff := cmp.Diff(want[n], got); diff != "" {
						wrong++
						t.Errorf("%s is wrong in silence (-fast +slow):\n%s", n, diff)
					}
				}
				t.Logf("%d questions: %d said to be incomplete, %d wrong in silence", len(names), lacking, wrong)
			})
		}
	}
}
