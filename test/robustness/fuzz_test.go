//go:build linux && stress

package robustness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	fuzzCalls = flag.Int("calls", 100_000, "how many calls TestStressFuzz makes over stdio; half as many over HTTP")
	fuzzSeed  = flag.Uint64("fuzz-seed", 1, "what TestStressFuzz draws its calls from")
)

// TestStressFuzz calls every tool with arguments that fit its schema, nearly fit it or do not
// at all, and sends bytes that are no message between them: each call is answered, none with an
// error of the program itself, and memory and open files do not grow.
func TestStressFuzz(t *testing.T) {
	bin := build(t)
	t.Run("stdio", func(t *testing.T) {
		c := newFuzzed(t)
		l := c.overStdio(bin)
		c.play(l, *fuzzCalls)
	})
	t.Run("http", func(t *testing.T) {
		c := newFuzzed(t)
		l := c.overHTTP(bin)
		c.play(l, *fuzzCalls/2)
	})
}

// A fuzzed is a server that is called at random, and what it said of its tools.
type fuzzed struct {
	*clone
	draw  *rand.Rand
	tools []fuzzedTool
}

type fuzzedTool struct {
	Name   string         `json:"name"`
	Schema map[string]any `json:"inputSchema"`
}

// A link sends one line and returns the answer to the call with this id. Of raw bytes no
// answer is waited for.
type link interface {
	call(id int, line []byte) ([]byte, error)
	raw(line []byte)
	pid() int
}

func newFuzzed(t *testing.T) *fuzzed {
	c := newClone(t)
	put(t, c.root, "web/app.ts", "export function greet(n: string) { return `hello ${n}` }\ngreet('x')\n")
	put(t, c.root, "lib/a.py", "class A:\n    def greet(self):\n        return 1\n\nA().greet()\n")
	put(t, c.root, "日本/挨拶.go", "package 日本\n\n// 挨拶 greets.\nfunc 挨拶() {}\n")
	c.git("add", "-A")
	c.git("commit", "-qm", "two")
	return &fuzzed{clone: c, draw: rand.New(rand.NewPCG(*fuzzSeed, 1))}
}

// fuzzWords are values that mean something here, and some that hurt.
var fuzzWords = []string{"", "Greeting", "greet", "main.go", "lib/a.py", "web", ".", "..", "../../etc/passwd", "/etc/passwd", "日本/挨拶.go",
	"挨拶", "a\nb", "\x1b[2J", "\u202egnp.exe", "\x00", "(((", "(a+)+$", "[", "**/*", "{a,b}{c,d}", "!**", "main.go:4", "main.go:999999",
	"HEAD", "--output=/tmp/x", "HEAD..", "-1", "1e999", "IMPLEMENT", "QUESTION", "/code --fast x", ".specs/a", "session", "\ufffd", "\U000e0001",
	".code-intel/config.json", ".git/config", "file:///etc/passwd", "code-intel://session", "true", "null", "{}"}

func (f *fuzzed) word() string {
	switch f.draw.IntN(20) {
	case 0:
		return strings.Repeat(fuzzWords[f.draw.IntN(len(fuzzWords))], f.draw.IntN(400))
	case 1:
		b := make([]byte, f.draw.IntN(40))
		for i := range b {
			b[i] = byte(f.draw.IntN(256))
		}
		return string(b)
	}
	return fuzzWords[f.draw.IntN(len(fuzzWords))]
}

// value returns a value for a schema, or one that does not fit it.
func (f *fuzzed) value(schema map[string]any, depth int) any {
	if f.draw.IntN(8) == 0 || depth > 4 {
		return []any{nil, true, -1, 1 << 40, 0.5, "", []any{}, map[string]any{"a": []any{nil}}, f.word()}[f.draw.IntN(9)]
	}
	if enum, ok := schema["enum"].([]any); ok && len(enum) > 0 {
		return enum[f.draw.IntN(len(enum))]
	}
	kind, ok := schema["type"].(string)
	if kinds, many := schema["type"].([]any); !ok && many && len(kinds) > 0 {
		kind, _ = kinds[f.draw.IntN(len(kinds))].(string)
	}
	switch kind {
	case "integer", "number":
		return []any{0, 1, 4, 10, 100, -1, 1 << 31, 1 << 62, 2.5}[f.draw.IntN(9)]
	case "boolean":
		return f.draw.IntN(2) == 0
	case "array":
		items, _ := schema["items"].(map[string]any)
		list := []any{}
		for range f.draw.IntN(4) {
			list = append(list, f.value(items, depth+1))
		}
		return list
	case "object":
		return f.object(schema, depth)
	}
	return f.word()
}

func (f *fuzzed) object(schema map[string]any, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	required, _ := schema["required"].([]any)
	for _, name := range names {
		if s, ok := properties[name].(map[string]any); ok && (slices.Contains(required, any(name)) || f.draw.IntN(4) == 0) {
			object[name] = f.value(s, depth+1)
		}
	}
	if f.draw.IntN(10) == 0 {
		object[f.word()] = f.word()
	}
	return object
}

// message is one call, of a tool or of the rest of the protocol.
func (f *fuzzed) message(id int) []byte {
	method, params := "tools/call", any(nil)
	switch f.draw.IntN(14) {
	case 0:
		method, params = "resources/read", map[string]any{"uri": "code-intel://" + f.word()}
	case 1:
		method, params = "prompts/get", map[string]any{"name": []string{"code", "forge", "outcome", f.word()}[f.draw.IntN(4)],
			"arguments": map[string]any{f.word(): f.word()}}
	case 2:
		method, params = "completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": f.word()},
			"argument": map[string]any{"name": "path", "value": f.word()}}
	case 3:
		methods := []string{"resources/subscribe", "resources/unsubscribe", "resources/list", "resources/templates/list", "tools/list",
			"prompts/list", "prompts/get", "logging/setLevel", "ping", "initialize", "server/discover"}
		method, params = methods[f.draw.IntN(len(methods))], map[string]any{"uri": f.word(), "name": f.word(), "level": f.word(),
			"cursor": f.word(), "protocolVersion": f.word(), "_meta": map[string]any{"progressToken": f.word(), f.word(): f.word()}}
	default:
		tool := f.tools[f.draw.IntN(len(f.tools))]
		params = map[string]any{"name": tool.Name, "arguments": f.object(tool.Schema, 0)}
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	f.must(err)
	return line
}

// spoil changes some bytes of a message, so that it may be none.
func (f *fuzzed) spoil(line []byte) []byte {
	line = slices.Clone(line)
	for range 1 + f.draw.IntN(6) {
		at := f.draw.IntN(len(line))
		switch f.draw.IntN(3) {
		case 0:
			line[at] = byte(f.draw.IntN(256))
		case 1:
			line = slices.Delete(line, at, min(len(line), at+1+f.draw.IntN(8)))
		default:
			line = slices.Insert(line, at, byte(f.draw.IntN(256)), byte(f.draw.IntN(256)))
		}
		if len(line) == 0 {
			return []byte("{")
		}
	}
	return bytes.ReplaceAll(line, []byte("\n"), []byte(" "))
}

func (f *fuzzed) play(l link, calls int) {
	f.Helper()
	answer, err := l.call(1, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
	f.must(err)
	var list struct {
		Result struct {
			Tools []fuzzedTool `json:"tools"`
		} `json:"result"`
	}
	f.must(json.Unmarshal(answer, &list))
	if f.tools = list.Result.Tools; len(f.tools) < 20 {
		f.Fatalf("%d tools: %s", len(f.tools), answer)
	}
	began, last := time.Now(), time.Now()
	var early, late [2]int // memory in kB and open files, the most in the second and in the last quarter
	for i := range calls {
		id := i + 10
		line := f.message(id)
		if f.draw.IntN(10) == 0 {
			l.raw(f.spoil(f.message(-id)))
		}
		answer, err := l.call(id, line)
		if err != nil {
			f.Fatalf("call %d of %d: %v\n%.2000q", i, calls, err, line)
		}
		if bytes.Contains(answer, []byte(`"error":"internal"`)) || bytes.Contains(answer, []byte(`"code":-32603`)) ||
			bytes.Contains(answer, []byte("goroutine ")) {
			f.Errorf("call %d: %.2000q\n%.2000s", i, line, answer)
		}
		if i%100 == 0 {
			now := [2]int{resident(l.pid()), descriptors(l.pid())}
			into := &late
			switch {
			case i < calls/4 || i >= calls/2 && i < calls*3/4:
				continue
			case i < calls/2:
				into = &early
			}
			into[0], into[1] = max(into[0], now[0]), max(into[1], now[1])
		}
		if time.Since(last) > time.Minute {
			last = time.Now()
			f.Logf("%d calls in %.0f s, %d MB, %d files", i, time.Since(began).Seconds(), resident(l.pid())>>10, descriptors(l.pid()))
		}
	}
	f.Logf("%d calls in %.0f s; memory %d, then %d MB; open files %d, then %d", calls, time.Since(began).Seconds(),
		early[0]>>10, late[0]>>10, early[1], late[1])
	if late[0] > early[0]*3/2+50<<10 || late[1] > early[1]+20 {
		f.Errorf("memory or open files grow: %v, then %v", early, late)
	}
}

func resident(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize() >> 10
}

func descriptors(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

func (f *fuzzed) start(bin string, args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	f.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Dir = f.root
	cmd.Env = append(os.Environ(), "HOME="+f.home, "XDG_CONFIG_HOME="+f.home, "XDG_CACHE_HOME="+f.home, "XDG_STATE_HOME="+f.home)
	in, err := cmd.StdinPipe()
	f.must(err)
	out, err := cmd.StdoutPipe()
	f.must(err)
	log, err := os.Create(filepath.Join(f.home, "log"))
	f.must(err)
	cmd.Stderr = log
	f.must(cmd.Start())
	f.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
		if data, _ := os.ReadFile(log.Name()); f.Failed() {
			f.Logf("the server's log ends with:\n%s", data[max(0, len(data)-4000):])
		}
	})
	return cmd, in, bufio.NewReaderSize(out, 1<<20)
}

const fuzzHello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"t","version":"1"}}}`

// stdioLink is a server at the other end of two pipes.
type stdioLink struct {
	cmd     *exec.Cmd
	in      io.Writer
	mu      sync.Mutex
	waiting map[int]chan []byte
	ended   chan struct{}
}

func (f *fuzzed) overStdio(bin string) link {
	cmd, in, out := f.start(bin, "mcp")
	l := &stdioLink{cmd: cmd, in: in, waiting: map[int]chan []byte{}, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for {
			line, err := out.ReadBytes('\n')
			if err != nil {
				return
			}
			var head struct {
				ID     any    `json:"id"`
				Method string `json:"method"`
			}
			if json.Unmarshal(line, &head) != nil || head.Method != "" {
				continue
			}
			if id, ok := head.ID.(float64); ok {
				l.mu.Lock()
				if to := l.waiting[int(id)]; to != nil {
					to <- line
					delete(l.waiting, int(id))
				}
				l.mu.Unlock()
			}
		}
	}()
	_, err := l.call(0, []byte(fuzzHello))
	f.must(err)
	l.raw([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return l
}

func (l *stdioLink) pid() int        { return l.cmd.Process.Pid }
func (l *stdioLink) raw(line []byte) { l.in.Write(append(line, '\n')) }

func (l *stdioLink) call(id int, line []byte) ([]byte, error) {
	to := make(chan []byte, 1)
	l.mu.Lock()
	l.waiting[id] = to
	l.mu.Unlock()
	if _, err := l.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	select {
	case answer := <-to:
		return answer, nil
	case <-l.ended:
		return nil, errors.New("the server is gone")
	case <-time.After(2 * patience):
		return nil, errors.New("no answer")
	}
}

// httpLink is a server at the other end of connections.
type httpLink struct {
	cmd          *exec.Cmd
	url, session string
}

func (f *fuzzed) overHTTP(bin string) link {
	const port = "127.0.0.1:39137"
	cmd, _, _ := f.start(bin, "mcp", "--http", port, "--no-token")
	l := &httpLink{cmd: cmd, url: "http://" + port + "/mcp"}
	var err error
	for range 200 {
		if _, err = l.call(0, []byte(fuzzHello)); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.must(err)
	l.raw([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return l
}

func (l *httpLink) pid() int { return l.cmd.Process.Pid }

func (l *httpLink) raw(line []byte) { l.post(line) }

func (l *httpLink) post(line []byte) (*http.Response, []byte, error) {
	req, err := http.NewRequest("POST", l.url, bytes.NewReader(line))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if l.session != "" {
		req.Header.Set("Mcp-Session-Id", l.session)
	}
	client := http.Client{Timeout: 2 * patience}
	answer, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

func (l *httpLink) call(id int, line []byte) ([]byte, error) {
	answer, body, err := l.post(line)
	if err != nil {
		return nil, err
	}
	if s := answer.Header.Get("Mcp-Session-Id"); s != "" {
		l.session = s
	}
	for part := range bytes.Lines(body) { // an event stream, or the answer itself
		part = bytes.TrimPrefix(bytes.TrimSpace(part), []byte("data: "))
		var head struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
		}
		if json.Unmarshal(part, &head) == nil && head.Method == "" {
			if got, ok := head.ID.(float64); ok && int(got) == id {
				return part, nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %.300q", answer.Status, body)
}
