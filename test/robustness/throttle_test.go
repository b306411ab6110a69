//go:build linux

package robustness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"codeintel/test/tier"
)

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

// A question is a call of a tool.
type question struct {
	tool      string
	arguments map[string]any
}

func (q question) String() string { return fmt.Sprint(q.tool, q.arguments) }

// ask returns what an answer must not change with the speed of the machine.
func (q question) ask(t *testing.T, c *mcp.ClientSession) (a map[string]any) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: q.tool, Arguments: q.arguments})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil || r.IsError {
		t.Fatalf("%s: %v %v", q, err, r.Content[0])
	}
	delete(a, "freshness")
	return a
}

func referencesOf(name string) question {
	return question{"find_references", map[string]any{"symbol": name, "limit": 200, "max_tokens": 12500}}
}

// questionsOf are what a tree is asked: where names are used, and of some of them and
// some files what other tools say.
func questionsOf(t *testing.T, root string, names int) (all []question) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i, n := range namesOf(t, root, names) {
		if i%4 == 0 {
			file := strings.TrimPrefix(files[i*len(files)/names], root+string(filepath.Separator))
			if info, err := os.Stat(filepath.Join(root, file)); err == nil && info.Mode().IsRegular() {
				all = append(all, question{"analyze_structure", map[string]any{"path": filepath.ToSlash(file)}})
			}
			all = append(all, question{"search_text", map[string]any{"pattern": n}},
				question{"find_definitions", map[string]any{"symbol": n}})
		}
		all = append(all, referencesOf(n))
	}
	return all
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
	bin := build(t)
	corpora, err := filepath.Glob("../../internal/search/quality/testdata/corpora/*")
	if err != nil || len(corpora) < 5 {
		t.Fatal(corpora, err)
	}
	cases := map[string]func(*testing.T, float64){ // by name, given the part of the time that the server runs
		"first question": func(t *testing.T, part float64) { throttledFirst(t, bin, part) },
	}
	for _, corpus := range corpora {
		all := questionsOf(t, corpus, questions)
		want := map[string]map[string]any{}
		c := served(t, bin, copied(t, corpus))
		for _, q := range all {
			if want[q.String()] = q.ask(t, c); want[q.String()]["complete"] != true {
				t.Errorf("%s: %s is incomplete on this machine", filepath.Base(corpus), q)
			}
		}
		c.Close()
		cases[filepath.Base(corpus)] = func(t *testing.T, part float64) {
			throttledAll(t, slowed(t, bin, copied(t, corpus), part), all, want)
		}
	}
	// Servers that are stopped most of the time run side by side, and others beside the
	// same busy processes.
	together := func(how string, part float64, atOnce int) {
		var group errgroup.Group
		group.SetLimit(atOnce)
		for name, play := range cases {
			group.Go(func() error {
				t.Run(name+"/"+how, func(t *testing.T) { play(t, part) })
				return nil
			})
		}
		_ = group.Wait()
	}
	var stopped sync.WaitGroup
	stopped.Go(func() { together("a fifth", .2, 3) })
	stopped.Go(func() { together("a tenth", .1, 3) })
	stopped.Wait()
	busy(t, 8)
	together("beside eight busy processes", 1, 3)
}

// copied returns a copy of a folder that was never indexed.
func copied(t *testing.T, folder string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(root, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return root
}

// throttledAll asks a slow server everything, and compares what is complete with what a fast
// one has answered.
func throttledAll(t *testing.T, c *mcp.ClientSession, all []question, want map[string]map[string]any) {
	lacking, wrong := 0, 0
	for _, q := range all {
		got := q.ask(t, c)
		if got["complete"] != true {
			lacking++
			if q.tool == "search_text" || q.tool == "analyze_structure" {
				t.Errorf("%s waits for the index: %v", q, got["missing"])
			}
			continue
		}
		if diff := cmp.Diff(want[q.String()], got); diff != "" {
			wrong++
			t.Errorf("%s is wrong in silence (-fast +slow):\n%s", q, diff)
		}
	}
	t.Logf("%d questions: %d said to be incomplete, %d wrong in silence", len(all), lacking, wrong)
}

// slowed starts a server that runs a part of the time.
func slowed(t *testing.T, bin, root string, part float64) *mcp.ClientSession {
	t.Helper()
	c, process := started(t, bin, root)
	if part < 1 {
		t.Cleanup(throttle(process, part))
	}
	return c
}

// throttledFirst asks slow servers their first question on 5,000 files that were never
// indexed: every place of the name is in the answer, and if the index is not built by
// then, the answer says so.
func throttledFirst(t *testing.T, bin string, part float64) {
	const files, uses = 5000, 40
	root := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("shape.py", "class Shape:\n    def surface(self):\n        return 1\n")
	for i := range files {
		body := strings.Repeat("    value = compute(value, 1)\n", 20)
		if i%(files/uses) == 0 {
			body += "    Shape().surface()\n"
		}
		write(fmt.Sprintf("m%04d.py", i), fmt.Sprintf("from shape import Shape\n\ndef work%d(value):\n%s", i, body))
	}
	got := referencesOf("Shape.surface").ask(t, slowed(t, bin, root, part))
	found, _ := got["references"].([]any)
	sure := 0
	for _, r := range found {
		if r.(map[string]any)["confidence"] != "possible" {
			sure++
		}
	}
	t.Logf("%d of %d uses, %d of them resolved, complete: %v", len(found), uses, sure, got["complete"])
	if len(found) != uses {
		t.Errorf("%d uses are found, want %d", len(found), uses)
	}
}
