//go:build linux

package robustness

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// views are what a page asks the dashboard for.
var views = []string{"/", "/api/state", "/api/session?id=a", "/api/ledger?id=a", "/api/pipeline?id=a", "/api/artifact?id=a&name=request.md",
	"/api/artifact?id=a&name=analysis.md", "/api/artifact?id=a&name=..%2F..%2F..%2Foutside%2Fsecret", "/api/diff?id=a&task=1", "/api/diff?id=a&task=--output%3Dran",
	"/api/log", "/api/log?before=0&n=1000000000"}

// decisions are what a page sends to it.
var decisions = []string{"/api/gate", "/api/start", "/api/stop", "/api/doctor"}

var route = regexp.MustCompile(`HandleFunc\("(GET|POST) ([^"]+)"`)

// largest is how much one view may answer with, in bytes.
const largest = 8 << 20

// browse has a browser that knows the token ask for every view, and returns what it was shown.
func (c *clone) browse(program string) string {
	c.Helper()
	cmd := c.command(program, "dashboard", "--log-level", "error")
	out, err := cmd.StdoutPipe()
	c.must(err)
	c.must(cmd.Start())
	hung := watch(cmd.Process)
	defer hung()
	first, err := bufio.NewReader(out).ReadString('\n')
	at := strings.TrimSpace(strings.TrimPrefix(first, "dashboard"))
	if err != nil || !strings.HasPrefix(at, "http://") { // who cannot open the project says so at the start, and ends
		_ = cmd.Wait()
		return first
	}
	jar, err := cookiejar.New(nil)
	c.must(err)
	visitor := http.Client{Jar: jar}
	var shown strings.Builder
	ask := func(r *http.Request) {
		answer, err := visitor.Do(r)
		if err != nil {
			c.Errorf("%s: %v", r.URL.Path, err)
			return
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(io.LimitReader(answer.Body, largest+1))
		if err != nil || len(text) > largest {
			c.Errorf("%s answers %d bytes: %v", r.URL.Path, len(text), err)
		}
		if strings.Contains(r.URL.Path, "/api/") && strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") && !json.Valid(text) {
			c.Errorf("%s is no JSON: %.500s", r.URL.Path, text)
		}
		if (strings.HasSuffix(r.URL.Path, "/") || strings.HasSuffix(r.URL.Path, "/api/state")) && answer.StatusCode != http.StatusOK {
			c.Errorf("%s answers %s", r.URL.Path, answer.Status)
		}
		if r.Method == http.MethodPost && answer.StatusCode != http.StatusForbidden {
			c.Errorf("%s answers %s to a page of another origin", r.URL.Path, answer.Status)
		}
		shown.Write(append(text, '\n'))
	}
	r, err := http.NewRequest(http.MethodGet, at, nil)
	c.must(err)
	ask(r)
	before, _, _ := strings.Cut(at, "/?")
	if _, to, ok := strings.Cut(shown.String(), `content="0;url=`); ok { // where it has the cookie
		to, _, _ = strings.Cut(to, `"`)
		before += strings.TrimSuffix(to, "/")
	}
	for _, view := range views {
		r, err := http.NewRequest(http.MethodGet, before+view, nil)
		c.must(err)
		ask(r)
	}
	for _, path := range decisions {
		r, err := http.NewRequest(http.MethodPost, before+path, strings.NewReader(`{"workspace":".specs/a","choice":"accept","text":"greet"}`))
		c.must(err)
		r.Header.Set("Origin", "http://evil.example")
		ask(r)
	}
	c.must(cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	c.spent("dashboard", cmd)
	return shown.String()
}

// TestEveryView has no view of the dashboard left out of what hostile clones are shown by.
func TestEveryView(t *testing.T) {
	source, err := filepath.Glob("../../internal/dashboard/*.go")
	if err != nil || len(source) == 0 {
		t.Fatal(err)
	}
	asked := append(append([]string{}, views...), decisions...)
	out, err := exec.Command("grep", append([]string{"-h", "HandleFunc("}, source...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	found := route.FindAllStringSubmatch(string(out), -1)
	if len(found) < 10 {
		t.Errorf("the dashboard has %d routes?", len(found))
	}
next:
	for _, m := range found {
		for _, a := range append(asked, "/api/events") { // which is /api/state, as it changes
			if path, _, _ := strings.Cut(a, "?"); path == m[2] {
				continue next
			}
		}
		t.Errorf("no attack meets %s %s: add a request", m[1], m[2])
	}
}
