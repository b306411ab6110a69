package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
)

type nothing struct{}

// odd is a server with one tool that does as it is told.
func odd(t *testing.T, log *slog.Logger, do func(context.Context) (*longAnswer, error)) *Server {
	t.Helper()
	s := open(t, t.TempDir(), log)
	r := row(Search, "odd", "Odd", reads, `{}`, func(_ *handlers, ctx context.Context, _ nothing) (*longAnswer, error) { return do(ctx) })
	s.rows["odd"] = &r
	return s
}

// A journal is a log that may be read while the server still writes to it: what
// it does in the background is logged too.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// TestPanic wants a tool that panics to be refused as internal, with the cause
// in the log and not in the answer, and the server to go on.
func TestPanic(t *testing.T) {
	var log journal
	s := odd(t, slog.New(slog.NewTextHandler(&log, nil)), func(context.Context) (*longAnswer, error) { panic("the sky fell") })
	for range 2 {
		r := refused(t, callRaw(t, s, "odd", nil))
		if r.Error != problem.Internal || strings.Contains(r.Message, "sky") || len(r.LegalNext) == 0 {
			t.Errorf("got %+v", r)
		}
	}
	if !strings.Contains(log.String(), "the sky fell") || !strings.Contains(log.String(), "call_test.go") {
		t.Errorf("the log does not say what happened where: %s", log.String())
	}
}

func TestOtherErrorsAreInternal(t *testing.T) {
	var log journal
	s := odd(t, slog.New(slog.NewTextHandler(&log, nil)), func(context.Context) (*longAnswer, error) {
		return nil, errors.New("disk: secret detail")
	})
	r := refused(t, callRaw(t, s, "odd", nil))
	if r.Error != problem.Internal || strings.Contains(r.Message, "secret") {
		t.Errorf("got %+v", r)
	}
	if !strings.Contains(log.String(), "secret detail") {
		t.Errorf("the log does not hold the cause: %s", log.String())
	}
}

// What only the user can mend is named, with a code of its own.
func TestSurroundings(t *testing.T) {
	for want, err := range map[problem.Code]error{
		systemerror.NoProgram:     fmt.Errorf("branch: %w", git.ErrNoGit),
		systemerror.NoSpace:       fmt.Errorf("save: %w", &fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}),
		systemerror.NotPermitted:  fmt.Errorf("save: %w", &fs.PathError{Op: "open", Path: "/x/y", Err: syscall.EACCES}),
		systemerror.NoDescriptors: fmt.Errorf("open: %w", &fs.PathError{Op: "open", Path: "/x", Err: syscall.EMFILE}),
		systemerror.ReadOnly:      &git.Error{Args: []string{"add"}, Exit: 128, Stderr: "error: unable to create temporary file: Read-only file system"},
		systemerror.NoTemporary:   fmt.Errorf("scratch: %w", &fs.PathError{Op: "mkdir", Path: filepath.Join(os.TempDir(), "x"), Err: syscall.ENOENT}),
		git.Failed:                fmt.Errorf("branch: %w", &git.Error{Args: []string{"add"}, Exit: 128, Stderr: "fatal: bad object"}),
	} {
		s := odd(t, slog.New(slog.DiscardHandler), func(context.Context) (*longAnswer, error) { return nil, err })
		if r := refused(t, callRaw(t, s, "odd", nil)); r.Error != want || len(r.LegalNext) != 1 || want == systemerror.NotPermitted && !strings.Contains(r.Message, "/x/y") {
			t.Errorf("%v: got %+v", err, r)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	client := connect(t, open(t, t.TempDir(), slog.New(slog.DiscardHandler)), "claude-code")
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_definition"})
	if err != nil {
		t.Fatalf("an unknown tool must be a refused call, not %v", err)
	}
	r := refused(t, result)
	if r.Error != unknownTool || !strings.Contains(r.LegalNext[0], "find_definitions") {
		t.Errorf("got %+v", r)
	}
}

// TestCancel wants a call to end when the client cancels it.
func TestCancel(t *testing.T) {
	began, ended := make(chan bool), make(chan error, 1)
	s := odd(t, slog.New(slog.DiscardHandler), func(ctx context.Context) (*longAnswer, error) {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	server, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	d := &mcp.Tool{Name: "odd", InputSchema: map[string]any{"type": "object"}}
	server.AddTool(d, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.answer(ctx, s.rows["odd"], r.Params.Arguments)
	})
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "odd"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the client hears %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the tool hears %v", err)
	}
}

// TestProgress wants notifications that only grow, and not more than one in
// each pause but for the last.
func TestProgress(t *testing.T) {
	got := make(chan float64, 100)
	synctest.Test(t, func(t *testing.T) {
		near, far := mcp.NewInMemoryTransports()
		server := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
		server.AddTool(&mcp.Tool{Name: "odd", InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				tell := newReporter(ctx, r).report
				for i := range 101 {
					tell(progress{float64(i), 100, ""})
					tell(progress{float64(i), 100, ""}) // the same again
					time.Sleep(progressPause / 10)
				}
				return &mcp.CallToolResult{}, nil
			})
		serving, err := server.Connect(t.Context(), far, nil)
		if err != nil {
			t.Fatal(err)
		}
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { got <- r.Params.Progress },
		}).Connect(t.Context(), near, nil)
		if err != nil {
			t.Fatal(err)
		}
		params := &mcp.CallToolParams{Name: "odd"}
		params.SetProgressToken("p")
		if _, err := client.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		client.Close()
		serving.Wait()
	})
	close(got)
	var list []float64
	for p := range got {
		list = append(list, p)
	}
	if len(list) < 8 || len(list) > 13 || list[len(list)-1] != 100 || !slices.IsSorted(list) {
		t.Errorf("got %v", list)
	}
}

// TestBroken wants a project that cannot be opened to refuse every call with
// what is wrong in it, and to be tried again once it is mended.
func TestBroken(t *testing.T) {
	root := t.TempDir()
	config := filepath.Join(root, ".code-intel", "config.json")
	write(t, config, []byte("{\n  \"max_file_bytes\": \"many\"\n}\n"))
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	s := open(t, root, slog.New(slog.DiscardHandler))
	r := refused(t, callRaw(t, s, "search_text", []byte(`{"pattern": "package"}`)))
	if r.Error != "invalid_config" || !strings.Contains(r.Message, "line 2") {
		t.Errorf("got %+v", r)
	}
	write(t, config, []byte("{}\n"))
	if result := callRaw(t, s, "search_text", []byte(`{"pattern": "package"}`)); result.IsError {
		t.Errorf("the mended project is refused: %+v", result.StructuredContent)
	}
}

func TestToolsets(t *testing.T) {
	for _, tt := range []struct {
		sets        []Toolset
		has, hasNot string
	}{
		{nil, "start_session", ""},
		{[]Toolset{Search}, "search_text", "start_session"},
		{[]Toolset{Code}, "search_text", ""},
	} {
		rows, err := chosen(tt.sets)
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(rows))
		for i, r := range rows {
			names[i] = r.name
		}
		if !slices.Contains(names, tt.has) || slices.Contains(names, tt.hasNot) {
			t.Errorf("%v offers %v", tt.sets, names)
		}
	}
	if _, err := chosen([]Toolset{"moon"}); problem.Of(err) == nil || !strings.Contains(err.Error(), "search") {
		t.Errorf("an unknown toolset is met with %v", err)
	}
}

// TestArguments holds the argument structs to what a model can know: each has a
// schema property for each field, and fields are named as JSON has them.
func TestArguments(t *testing.T) {
	for _, row := range tools {
		in, err := argumentSchema(row.args)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(row.example), &v); err != nil {
			t.Errorf("%s: the example is not JSON: %v", row.name, err)
		}
		dst := reflect.New(row.args)
		if err := row.decode([]byte(row.example), dst.Interface()); err != nil {
			t.Errorf("%s: the example is refused: %v", row.name, err)
		}
		for name := range v {
			if in.Properties[name] == nil {
				t.Errorf("%s: the example has %s, which the schema has not", row.name, name)
			}
		}
	}
}

// TestBudgets asks for more than any client shows. Both forms of the answer must
// be within what this client shows, and lead to the rest.
func TestBudgets(t *testing.T) {
	root := t.TempDir()
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "needle number %d, 日本語の行\n", i)
	}
	write(t, filepath.Join(root, "hay.txt"), []byte(text.String()))
	s := open(t, root, slog.New(slog.DiscardHandler))
	for client, budget := range map[string]int{"claude-code": wideBudget, "codex-mcp-client": narrowBudget, "unknown": wideBudget} {
		result, err := connect(t, s, client).CallTool(t.Context(), &mcp.CallToolParams{Name: "search_text",
			Arguments: map[string]any{"pattern": "needle", "limit": 1000, "max_tokens": 12500, "context": 2}})
		if err != nil || result.IsError {
			t.Fatalf("%s: %v, %+v", client, err, result)
		}
		data, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		words := result.Content[0].(*mcp.TextContent).Text
		if weigh(data) > budget || weigh(words) > budget {
			t.Errorf("%s: the answer weighs %d and %d, more than %d", client, weigh(data), weigh(words), budget)
		}
		if weigh(data) < budget/3 {
			t.Errorf("%s: only %d of %d are used", client, weigh(data), budget)
		}
		var a struct {
			Next      string `json:"next_cursor"`
			Truncated string `json:"truncated"`
		}
		if err := json.Unmarshal(data, &a); err != nil {
			t.Fatal(err)
		}
		if a.Next == "" || a.Truncated != "" {
			t.Errorf("%s: next_cursor %q, truncated %q; a long answer is paged, not cut", client, a.Next, a.Truncated)
		}
	}
}

// TestSessionIsTold wants every refusal of an open session to say where it
// is, a tool of another phase to be blocked, and both to be on record.
func TestSessionIsTold(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	s := open(t, root, slog.New(slog.DiscardHandler))
	started := callRaw(t, s, "start_session", []byte(`{"intent": "MODIFY", "query": "make main shorter", "flags": "--no-doc"}`))
	if started.IsError {
		t.Fatalf("start_session: %+v", started.StructuredContent)
	}
	if result := callRaw(t, s, "search_text", []byte(`{"pattern": "package"}`)); result.IsError {
		t.Fatalf("search_text: %+v", result.StructuredContent)
	}
	for _, tt := range []struct{ tool, args, want string }{
		{"review_changes", `{}`, "phase_blocked"},
		{"search_text", `{"pattern": "(", "regex": true}`, "invalid_argument"},
		{"search_text", `{"pattern": 1}`, "invalid_argument"},
		{"no_such_tool", `{}`, "unknown_tool"},
	} {
		result := callRaw(t, s, tt.tool, []byte(tt.args))
		r := refused(t, result)
		if string(r.Error) != tt.want || r.Phase != "QUERY_FRAME" || r.Instruction == "" || len(r.LegalNext) == 0 {
			t.Errorf("%s %s: got %+v; want %s in QUERY_FRAME, with what to do", tt.tool, tt.args, r, tt.want)
		}
		if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, r.Message) || !strings.Contains(text, r.Instruction) || !strings.Contains(text, r.LegalNext[0]) {
			t.Errorf("%s: the text says less than the fields: %s", tt.tool, text)
		}
		if len(r.Instruction) > 100 || !strings.Contains(r.Instruction, "get_session_status") {
			t.Errorf("%s: the refusal repeats the instruction that start_session sent: %s", tt.tool, r.Instruction)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, ".code-intel", "sessions", "*.ledger.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("ledgers: %v, %v", files, err)
	}
	l, err := audit.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	entries, err := l.Since(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.Kind == audit.Tool {
			got = append(got, e.Name+" "+string(e.Outcome))
		}
	}
	want := []string{"start_session ok", "search_text ok", "review_changes blocked", "search_text error", "search_text error", "no_such_tool error"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the ledger differs (-want +got):\n%s", diff)
	}
}
