package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// talk serves what is written and returns the messages that come back, by id.
func talk(t *testing.T, root, lines string) map[string]map[string]any {
	t.Helper()
	s := open(t, root, slog.New(slog.DiscardHandler))
	in, feed := io.Pipe()
	back, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- s.ServeStdio(t.Context(), in, out)
		out.Close()
	}()
	go func() { _, _ = io.WriteString(feed, hello+lines) }()
	want := strings.Count(hello+lines, `"id":`) // each is answered, wrong lines with null
	answers := make(map[string]map[string]any)
	r := bufio.NewScanner(back)
	r.Buffer(nil, maxLine)
	for len(answers) < want && r.Scan() {
		var m map[string]any
		if err := json.Unmarshal(r.Bytes(), &m); err != nil {
			t.Fatalf("the server wrote what is not JSON: %s", r.Bytes())
		}
		id, _ := json.Marshal(m["id"])
		answers[string(id)] = m
	}
	feed.Close()
	for r.Scan() {
		t.Errorf("the server went on: %s", r.Bytes())
	}
	if err := <-served; err != nil {
		t.Errorf("at the end of input: %v", err)
	}
	return answers
}

// TestStdioSurvives sends lines that are no messages between two that are. A
// client that slips must not lose its server.
func TestStdioSurvives(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search_text","arguments":{"pattern":"package"}}}` + "\n"
	for name, line := range map[string]string{
		"no JSON":     `this is no "id":null message`,
		"half":        `{"jsonrpc":"2.0","id":`,
		"a batch":     `[{"jsonrpc":"2.0","id":9,"method":"ping"}]`,
		"no version":  `{"id":9,"method":"ping"}`,
		"a bare word": `"id":`,
		"a null id":   `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
	} {
		t.Run(name, func(t *testing.T) {
			answers := talk(t, root, "\n"+line+"\r\n"+call)
			if e, _ := answers["null"]["error"].(map[string]any); e == nil || e["message"] == "" {
				t.Errorf("the wrong line is answered with %v", answers["null"])
			}
			if result, _ := answers["7"]["result"].(map[string]any); result == nil || result["isError"] == true {
				t.Errorf("the call after it is answered with %v", answers["7"])
			}
		})
	}
}

// TestStrangeNames sends each method that takes a name one that cannot be written as Go quotes it.
func TestStrangeNames(t *testing.T) {
	lines := ""
	for i, call := range []string{
		`"resources/read","params":{"uri":"x:NAME"}`, `"resources/read","params":{"uri":"code-intel://file-outline/NAME"}`,
		`"resources/subscribe","params":{"uri":"x:NAME"}`, `"resources/subscribe","params":{"uri":"code-intel://pipeline/NAME"}`,
		`"resources/unsubscribe","params":{"uri":"x:NAME"}`, `"prompts/get","params":{"name":"NAME"}`,
		`"completion/complete","params":{"ref":{"type":"ref/resource","uri":"x:NAME"},"argument":{"name":"NAME","value":"NAME"}}`,
		`"tools/call","params":{"name":"NAME","arguments":{"NAME":"NAME"}}`, `"tools/list","params":{"cursor":"NAME"}`,
		`"logging/setLevel","params":{"level":"NAME"}`, `"NAME"`, `"ping"`,
	} {
		lines += strings.ReplaceAll(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`, i+1, call), "NAME", `\u0001\u0007\u000b\udb40\udc01`) + "\n"
	}
	for id, answer := range talk(t, t.TempDir(), lines) {
		if answer["result"] == nil && answer["error"] == nil {
			t.Errorf("%s: %v", id, answer)
		}
	}
}

// TestStdioDrains writes all there is to ask and closes. Everything must be
// answered.
func TestStdioDrains(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	s := open(t, root, slog.New(slog.DiscardHandler))
	in := hello
	for i := range 20 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_text","arguments":{"pattern":"package"}}}`+"\n", i+1)
	}
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 21 {
		t.Errorf("%d of 21 requests are answered", n)
	}
}

func TestPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPending()
		p.wait(t.Context(), "") // nothing is open
		add := func(id string) {
			if wrong := p.add(t.Context(), called(t, id, "x"), 1); wrong != "" {
				t.Error(wrong)
			}
		}
		done := func(id string) {
			p.answers(key(called(t, id, "x").ID))
			p.written()
		}
		add("a")
		add("b")
		go func() {
			time.Sleep(time.Second)
			done("a")
			time.Sleep(time.Second)
			done("b")
		}()
		began := time.Now()
		p.wait(t.Context(), key(called(t, "a", "x").ID))
		one := time.Since(began)
		p.wait(t.Context(), "")
		if two := time.Since(began); one != time.Second || two != 2*time.Second {
			t.Errorf("waited %v for one and %v for all", one, two)
		}
		add("never")
		p.wait(t.Context(), "")
		if took := time.Since(began); took != 2*time.Second+drainTime {
			t.Errorf("gave up after %v", took)
		}
	})
}

// called is a call with this id.
func called(t *testing.T, id any, method string) *jsonrpc.Request {
	t.Helper()
	made, err := jsonrpc.MakeID(id)
	if err != nil {
		t.Fatal(err)
	}
	return &jsonrpc.Request{ID: made, Method: method}
}

// TestRoom has requests wait until there is room for them, and refuses those that cannot be told
// apart.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPending()
		add := func(id any, method string, size int) string { return p.add(t.Context(), called(t, id, method), size) }
		waits := func(what string, size int) {
			t.Helper()
			added := make(chan string, 1)
			go func() { added <- add(what, "x", size) }()
			synctest.Wait()
			if len(added) > 0 {
				t.Errorf("%s: is not waited for", what)
			}
			p.answers(key(called(t, 0.0, "x").ID))
			p.written()
			if wrong := <-added; wrong != "" {
				t.Errorf("%s: %s", what, wrong)
			}
			p.cancelled(key(called(t, what, "x").ID))
		}
		for i := range maxOpen {
			if wrong := add(float64(i), "x", 1); wrong != "" {
				t.Fatal(wrong)
			}
		}
		if wrong := add(5.0, "x", 1); wrong == "" {
			t.Error("an id is taken twice")
		}
		waits("many", 1)
		for i := range maxOpen {
			p.cancelled(key(called(t, float64(i), "x").ID))
		}
		if wrong := add(0.0, "x", maxOpenBytes+1); wrong != "" { // alone it is taken
			t.Error(wrong)
		}
		waits("long", 1)
		for i := range maxListens + 1 {
			if wrong := add(float64(i), "subscriptions/listen", 1); (wrong != "") != (i == maxListens) {
				t.Errorf("listener %d: %q", i, wrong)
			}
		}
		p.cancelled(key(called(t, 3.0, "x").ID))
		if wrong := add(3.0, "subscriptions/listen", 1); wrong != "" || len(p.open) > 0 || p.bytes != 0 {
			t.Errorf("%s; %v, %d bytes", wrong, p.open, p.bytes)
		}
	})
}

// TestIDs has each message that the library would not answer, or answer under another id, refused
// under its own.
func TestIDs(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                                              "",
		`{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}`:                                              "",
		`{"jsonrpc":"2.0","method":"ping","id":"9007199254740993"}`:                                             "",
		`{"jsonrpc":"2.0","method":"notifications/x"}`:                                                          "",
		`{"jsonrpc":"2.0","id":1,"result":null}`:                                                                "",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                                                            "1.5",
		`{"jsonrpc":"2.0","id":1e2,"method":"ping"}`:                                                            "1e2",
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:                                               "9007199254740993",
		`{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}`:                                            "9223372036854775808",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                                                           "null",
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:                                                           "null",
		`{"jsonrpc":"2.0","id":7}`:                                                                              "7",
		`{"jsonrpc":"2.0","id":7,"METHOD":"ping"}`:                                                              "7",
		`{"jsonrpc":"2.0","id":1,"id":1.5,"method":"ping","params":{"id":1}}`:                                   "1.5",
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"x":"` + strings.Repeat("x", maxHello) + `"}}`: "7",
	} {
		_, fault := messageOf([]byte(line))
		var said struct{ ID json.RawMessage }
		if want == "" && fault == nil {
			continue
		}
		if err := json.Unmarshal(fault, &said); err != nil || string(said.ID) != want {
			t.Errorf("%.100s: refused with %s, %v", line, fault, err)
		}
	}
}

// TestUnreadAnswers has a client ask and never read: the server stops reading, and ends
// when it is told to.
func TestUnreadAnswers(t *testing.T) {
	s := open(t, t.TempDir(), slog.New(slog.DiscardHandler))
	in, feed := io.Pipe()
	_, out := io.Pipe() // which nobody reads
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(ctx, in, out) }()
	var asked atomic.Int32
	go func() {
		line := `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"` + strings.Repeat("x", 1000) + `"}}` + "\n"
		for n := range 10 * maxOpen {
			if _, err := fmt.Fprintf(feed, line, n); err != nil {
				return
			}
			asked.Store(int32(n))
		}
	}()
	for asked.Load() < maxOpen {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	if n := asked.Load(); n > 3*maxOpen { // some are in buffers
		t.Errorf("%d requests are read", n)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	feed.Close()
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	call := func(before, after string) string {
		return `{"jsonrpc":"2.0",` + before + `"method":"x","params":{"id":1,"a":"` + long + `"}` + after + "}"
	}
	r := bufio.NewReader(strings.NewReader(strings.Join([]string{"one", long, call(`"id":7,`, ""), call("", `,"id":"a\"b"`),
		call("", ""), call(`"id":{},`, ""), call("", `, "id": 8 , "jsonrpc":"2.0" `), "two"}, "\n")))
	for _, want := range []struct {
		line, id string
		err      error
	}{
		{"one\n", "", nil}, {"", "null", errLongLine}, {"", "7", errLongLine}, {"", `"a\"b"`, errLongLine},
		{"", "null", errLongLine}, {"", "null", errLongLine}, {"", "8", errLongLine}, {"two", "", io.EOF},
	} {
		if line, id, err := readLine(r); string(line) != want.line || string(id) != want.id || err != want.err {
			t.Errorf("got %d bytes, id %s, %v; want %q, id %s, %v", len(line), id, err, want.line, want.id, want.err)
		}
	}
}

func FuzzSift(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte("{}\n[]\n\"\xff\"\n\x00\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":{},"method":1}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var passed, answers bytes.Buffer
		ctx, end := context.WithCancel(t.Context())
		end() // nobody answers, so nothing is waited for
		if err := forwardMessages(ctx, bytes.NewReader(in), &passed, &lineWriter{w: &answers, open: newPending()}); err != io.EOF {
			t.Fatalf("forwardMessages ends with %v", err)
		}
		for line := range bytes.Lines(passed.Bytes()) {
			if _, fault := messageOf(bytes.TrimSpace(line)); fault != nil {
				t.Errorf("let through: %q", line)
			}
		}
		for line := range bytes.Lines(answers.Bytes()) {
			if !json.Valid(line) {
				t.Errorf("answered with what is not JSON: %q", line)
			}
		}
	})
}
