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
	"testing"
	"testing/synctest"
	"time"
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
		p.add("a")
		p.add("b")
		go func() {
			time.Sleep(time.Second)
			p.done("a")
			time.Sleep(time.Second)
			p.done("b")
		}()
		began := time.Now()
		p.wait(t.Context(), "a")
		one := time.Since(began)
		p.wait(t.Context(), "")
		if two := time.Since(began); one != time.Second || two != 2*time.Second {
			t.Errorf("waited %v for one and %v for all", one, two)
		}
		p.add("never")
		p.wait(t.Context(), "")
		if took := time.Since(began); took != 2*time.Second+drainTime {
			t.Errorf("gave up after %v", took)
		}
	})
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
		if err := sift(ctx, bytes.NewReader(in), &passed, &lineWriter{w: &answers, open: newPending()}); err != io.EOF {
			t.Fatalf("sift ends with %v", err)
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
