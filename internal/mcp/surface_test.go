package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/audit"
	"codeintel/internal/index"
	"codeintel/test/golden"
)

// dial connects a client of a revision.
func dial(t *testing.T, s *Server, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	server, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, o).
		Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// TestSurface holds all that a client is told before its first call, but for what
// testdata/tools holds in full, against one file, in both eras: whatever changes
// there is seen in review.
func TestSurface(t *testing.T) {
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			client := dial(t, open(t, t.TempDir(), slog.New(slog.DiscardHandler)), revision, nil)
			hello := client.InitializeResult()
			if hello.ProtocolVersion != revision {
				t.Errorf("speaks %s", hello.ProtocolVersion)
			}
			prompts, err := client.ListPrompts(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			resources, err := client.ListResources(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			templates, err := client.ListResourceTemplates(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.MarshalIndent(map[string]any{
				"capabilities": hello.Capabilities,
				"instructions": strings.Split(hello.Instructions, "\n"),
				"prompts":      prompts.Prompts,
				"resources":    resources.Resources,
				"templates":    templates.ResourceTemplates,
			}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden.Hold(t, "testdata/surface.json", string(append(data, '\n')))
			var want []string
			for _, row := range tools {
				want = append(want, row.name)
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, listedTools(t, client)); diff != "" {
				t.Errorf("the tools that are listed (-want +got):\n%s", diff)
			}
		})
	}
}

func listedTools(t *testing.T, client *mcp.ClientSession) (names []string) {
	t.Helper()
	for d, err := range client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, d.Name)
	}
	return names
}

// TestSameInEveryPhase wants tools/list to be the same before and in a session.
func TestSameInEveryPhase(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	client := dial(t, open(t, root, slog.New(slog.DiscardHandler)), "2025-11-25", nil)
	list := func() []byte {
		t.Helper()
		r, err := client.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	before := list()
	phase := ""
	for _, call := range []struct{ tool, args string }{
		{"start_session", `{"intent": "QUESTION", "query": "what does main do", "flags": ["--no-doc-research"]}`},
		{"submit_phase", `{"data": {"abort": true, "reason": "enough is known"}}`},
	} {
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: call.tool, Arguments: json.RawMessage(call.args)})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %v", call.tool, err, r)
		}
		a := r.StructuredContent.(map[string]any)
		if now := fmt.Sprint(a["phase"]); now == phase {
			t.Fatalf("the phase is still %s", now)
		} else {
			phase = now
		}
		if got := list(); !bytes.Equal(got, before) {
			t.Errorf("in %s the list differs:\n%s", phase, cmp.Diff(string(before), string(got)))
		}
	}
}

// TestResultType wants every result of the newest revision to say of which kind it
// is, refusals from before the tool too: strict clients take no other.
func TestResultType(t *testing.T) {
	root, broken := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	write(t, filepath.Join(broken, ".code-intel", "config.json"), []byte(`{"max_file_bytes": "many"}`))
	for _, tt := range []struct{ root, tool, code string }{
		{root, "search_text", ""},
		{root, "no_such_tool", "unknown_tool"},
		{root, "review_changes", "phase_blocked"},
		{root, "get_symbols", "invalid_argument"},
		{broken, "search_text", "invalid_config"},
		{broken, "no_such_tool", "invalid_config"},
	} {
		s := open(t, tt.root, slog.New(slog.DiscardHandler))
		client := dial(t, s, "2026-07-28", nil)
		if tt.code == "phase_blocked" {
			call(t, client, "start_session", `{"intent": "MODIFY", "query": "shorten main", "flags": ["--no-doc-research"]}`)
		}
		const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		var out bytes.Buffer
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s,"name":%q,"arguments":{"pattern":"package"}}}`+"\n", meta, tt.tool)
		if err := s.ServeStdio(t.Context(), strings.NewReader(line), &out); err != nil {
			t.Fatal(err)
		}
		var m struct {
			Result struct {
				ResultType        string                 `json:"resultType"`
				StructuredContent struct{ Error string } `json:"structuredContent"`
			}
		}
		if err := json.Unmarshal(out.Bytes(), &m); err != nil || m.Result.ResultType != "complete" || m.Result.StructuredContent.Error != tt.code {
			t.Errorf("%s: %v, %s; want %q", tt.tool, err, out.Bytes(), tt.code)
		}
	}
}

// TestHints wants each tool to say what it may do, so that no client has to assume.
func TestHints(t *testing.T) {
	for _, row := range tools {
		d, err := row.describe()
		if err != nil {
			t.Fatal(err)
		}
		h := d.Annotations
		if d.Title == "" || h.OpenWorldHint == nil || (h.DestructiveHint == nil) != h.ReadOnlyHint {
			t.Errorf("%s: title %q, hints %+v", row.name, d.Title, h)
		}
		if d.InputSchema == nil || d.OutputSchema == nil {
			t.Errorf("%s has no schema of what it takes, or of what it says", row.name)
		}
	}
}

// pipelines lays out a repository with that many pipelines, all alike.
func pipelines(t *testing.T, n int) (root string, s *Server, ids []string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{T: t, root: root}
	write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"))
	g.git("init", "-q", "-b", "main")
	g.git("add", "main.go")
	g.git("commit", "-q", "-m", "first")
	s = open(t, root, slog.New(slog.DiscardHandler))
	ws := beginPipeline(t, dial(t, s, "2025-11-25", nil))
	state, err := os.ReadFile(filepath.Join(root, ws, "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	ids = append(ids, filepath.Base(ws))
	for i := range n - 1 {
		id := fmt.Sprintf("20200101-old-%03d", i)
		write(t, filepath.Join(root, ".specs", id, "state.json"), bytes.ReplaceAll(state, []byte(filepath.Base(ws)), []byte(id)))
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return root, s, ids
}

func beginPipeline(t *testing.T, client *mcp.ClientSession) (workspace string) {
	t.Helper()
	call := func(tool string, args map[string]any) map[string]any {
		t.Helper()
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %+v", tool, err, r)
		}
		return r.StructuredContent.(map[string]any)
	}
	init := call("pipeline_init", map[string]any{"arguments": "--nopr say goodbye"})
	return call("pipeline_init_with_context", map[string]any{"workspace": init["workspace"], "flags": init["flags"], "task_text": "say goodbye",
		"user_confirmation": map[string]any{"effort": "S"}})["workspace"].(string)
}

// TestPages wants a long list to come in pages that hold each entry once.
func TestPages(t *testing.T) {
	_, s, ids := pipelines(t, 2*pageSize+10)
	client := dial(t, s, "2025-11-25", nil)
	var got []string
	cursor, pages := "", 0
	for {
		r, err := client.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		if pages++; len(r.Resources) > pageSize {
			t.Errorf("a page of %d", len(r.Resources))
		}
		for _, d := range r.Resources {
			if id, ok := strings.CutPrefix(d.URI, pipelineURI); ok {
				got = append(got, id)
			}
		}
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(ids, got); diff != "" || pages != 3 {
		t.Errorf("%d pages, mismatch (-want +got):\n%s", pages, diff)
	}
	if _, err := client.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: "no cursor"}); codeOf(err) != jsonrpc.CodeInvalidParams {
		t.Errorf("a cursor that is none is met with %v", err)
	}
}

func codeOf(err error) int64 {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return int64(e.Code)
	}
	return 0
}

func readJSON(t *testing.T, client *mcp.ClientSession, uri string) map[string]any {
	t.Helper()
	r, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	if len(r.Contents) != 1 || r.Contents[0].URI != uri || r.Contents[0].MIMEType != jsonType {
		t.Fatalf("%s: %+v", uri, r.Contents)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &v); err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	return v
}

func TestResources(t *testing.T) {
	root, s, ids := pipelines(t, 1)
	write(t, filepath.Join(root, "sub dir", "a+b.go"), []byte("package sub\n\ntype T struct{}\n\nfunc (T) M() {}\n"))
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			client := dial(t, s, revision, nil)
			if v := readJSON(t, client, sessionURI); v["open"] != false {
				t.Errorf("no session: %v", v)
			}
			if v := readJSON(t, client, pipelineURI+ids[0]); v["status"] != "active" || !strings.HasSuffix(fmt.Sprint(v["workspace"]), ids[0]) {
				t.Errorf("the pipeline: %v", v)
			}
			for _, file := range []string{"sub dir/a+b.go", "sub%20dir/a%2Bb.go", "sub%20dir%2Fa+b.go"} {
				if v := readJSON(t, client, outlineURI+strings.ReplaceAll(file, " ", "%20")); v["file"] != "sub dir/a+b.go" || !strings.Contains(fmt.Sprint(v["symbols"]), "name:M") {
					t.Errorf("%s: %v", file, v)
				}
			}
		})
	}
}

// TestUnreadable wants what is not there, and what lies outside, to be an error of
// the protocol that names what was asked for and tells nothing else.
func TestUnreadable(t *testing.T) {
	root, s, _ := pipelines(t, 1)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret.go"), []byte("package secret\n\nfunc Hidden() {}\n"))
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(root, filepath.Join(outside, "secret.go"))
	if err != nil {
		t.Fatal(err)
	}
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			client := dial(t, s, revision, nil)
			for _, uri := range []string{
				"code-intel://sessions", "code-intel://", "file:///etc/passwd", "nonsense",
				pipelineURI, pipelineURI + "none", pipelineURI + "20", pipelineURI + "..%2F..%2Fetc", pipelineURI + "%2e%2e",
				outlineURI, outlineURI + "none.go", outlineURI + ".", outlineURI + ".specs", outlineURI + "%zz", outlineURI + "a%00b.go",
				outlineURI + rel, outlineURI + strings.ReplaceAll(rel, "/", "%2F"), outlineURI + filepath.ToSlash(outside) + "/secret.go",
				outlineURI + "link/secret.go", outlineURI + "/etc/passwd", outlineURI + "..%2f..%2fetc%2fpasswd", outlineURI + "main.go/../../x.go",
			} {
				r, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if codeOf(err) != jsonrpc.CodeInvalidParams {
					t.Errorf("%q: got %v, %v; want invalid params", uri, r, err)
					continue
				}
				var e *jsonrpc.Error
				errors.As(err, &e)
				var data struct{ URI string }
				if json.Unmarshal(e.Data, &data) != nil || data.URI != uri {
					t.Errorf("%q: the error says %s", uri, e.Data)
				}
				if strings.Contains(err.Error(), "Hidden") {
					t.Errorf("%q: the error tells what is outside: %v", uri, err)
				}
			}
		})
	}
}

// TestReadingIsOnRecord wants what an outline has shown to count as shown.
func TestReadingIsOnRecord(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"))
	client := dial(t, open(t, root, slog.New(slog.DiscardHandler)), "2025-11-25", nil)
	if r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "start_session", Arguments: json.RawMessage(`{"intent": "MODIFY", "query": "shorten main", "flags": ["--no-doc-research"]}`)}); err != nil || r.IsError {
		t.Fatal(r, err)
	}
	if v := readJSON(t, client, sessionURI); v["open"] != true || v["phase"] != "QUERY_FRAME" || v["instruction"] == "" || v["expected_payload"] == nil {
		t.Errorf("the session: %v", v)
	}
	readJSON(t, client, outlineURI+"main.go")
	found, err := filepath.Glob(filepath.Join(root, ".code-intel", "sessions", "*.ledger.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	l, err := audit.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	entries, err := l.Since(0)
	if err != nil {
		t.Fatal(err)
	}
	if last := entries[len(entries)-1]; last.Name != "resources/read" || len(last.Observed.Lines) == 0 || last.Observed.Lines[0].File != "main.go" {
		t.Errorf("the ledger ends with %+v", last)
	}
}

// TestSubscribers wants who subscribed, and nobody else, to hear that the session
// moved and that there is a new pipeline.
func TestSubscribers(t *testing.T) {
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			_, s, _ := pipelines(t, 1)
			if err := os.RemoveAll(filepath.Join(s.work.root, ".specs")); err != nil {
				t.Fatal(err)
			}
			updated, changed := make(chan string, 10), make(chan bool, 10)
			client := dial(t, s, revision, &mcp.ClientOptions{
				ResourceUpdatedHandler:     func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
				ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- true },
			})
			if _, err := client.ListResources(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if era == "requests" { // in the other the answer comes with the end of the stream
				if err := client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: outlineURI + "main.go"}); codeOf(err) != jsonrpc.CodeInvalidParams {
					t.Errorf("what is never told of can be subscribed to: %v", err)
				}
			}
			listen, stop := context.WithCancel(t.Context())
			defer stop()
			subscribed := make(chan error, 1)
			go func() { subscribed <- client.Subscribe(listen, &mcp.SubscribeParams{URI: sessionURI}) }()
			if era == "requests" {
				if err := <-subscribed; err != nil {
					t.Fatal(err)
				}
			}
			id := filepath.Base(beginPipeline(t, client))
			<-changed
			if v := readJSON(t, client, pipelineURI+id); v["status"] == "" {
				t.Error(v)
			}
			for uri := range client.Resources(t.Context(), nil) {
				if uri != nil && uri.URI == pipelineURI+id {
					id = ""
				}
			}
			if id != "" {
				t.Errorf("%s is not listed", id)
			}
			if err := os.RemoveAll(filepath.Join(s.work.root, ".specs")); err != nil {
				t.Fatal(err)
			}
			for began := false; ; began = true { // the stream of the newer revision may open a moment later
				if began {
					call(t, client, "submit_phase", `{"data": {"abort": true, "reason": "to begin again"}}`)
				}
				call(t, client, "start_session", `{"intent": "MODIFY", "query": "shorten main"}`)
				select {
				case uri := <-updated:
					if uri != sessionURI {
						t.Errorf("heard of %s", uri)
					}
					return
				default:
					if era == "requests" {
						if uri := <-updated; uri != sessionURI {
							t.Errorf("heard of %s", uri)
						}
						return
					}
				}
			}
		})
	}
}

func call(t *testing.T, client *mcp.ClientSession, tool, args string) {
	t.Helper()
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil || r.IsError {
		t.Fatalf("%s: %v %+v", tool, err, r)
	}
}

func TestPrompts(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, ".code-intel", "config.json"), []byte(`{"lang": "ja"}`))
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	for _, tt := range []struct {
		name string
		args map[string]string
		has  string
	}{
		{"code", map[string]string{"request": "--fast make $1 shorter"}, "--fast make $1 shorter"},
		{"forge", map[string]string{"request": "--auto fix it"}, "--auto fix it"},
		{"outcome", nil, "record_outcome"},
		{"outcome", map[string]string{"judgement": "failure too slow"}, "failure too slow"},
	} {
		for lang, dir := range map[string]string{"en": t.TempDir(), "ja": root} {
			client := dial(t, open(t, dir, slog.New(slog.DiscardHandler)), "2026-07-28", nil)
			r, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: tt.name, Arguments: tt.args})
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			text := r.Messages[0].Content.(*mcp.TextContent).Text
			if !strings.Contains(text, tt.has) || strings.Contains(text, "$ARGUMENTS") || strings.HasPrefix(text, "---") {
				t.Errorf("%s: %s", tt.name, text)
			}
			if japanese := strings.ContainsFunc(text, func(r rune) bool { return r > 0x3040 && r < 0x30ff }); japanese != (lang == "ja") {
				t.Errorf("%s in %s: %s", tt.name, lang, text)
			}
		}
	}
	client := dial(t, open(t, root, slog.New(slog.DiscardHandler)), "2025-11-25", nil)
	for _, p := range []*mcp.GetPromptParams{{Name: "code"}, {Name: "forge", Arguments: map[string]string{"request": " "}}, {Name: "none"}} {
		if r, err := client.GetPrompt(t.Context(), p); codeOf(err) != jsonrpc.CodeInvalidParams {
			t.Errorf("%s without its argument: %v, %v", p.Name, r, err)
		}
	}
}

// TestToolsetsCutAll wants prompts and resources to go with the tools they need.
func TestToolsetsCutAll(t *testing.T) {
	for _, tt := range []struct {
		set                           Toolset
		prompts, resources, templates []string
	}{
		{Search, nil, nil, []string{outlineURI + "{+path}"}},
		{Code, []string{"code", "outcome"}, []string{sessionURI}, []string{outlineURI + "{+path}", reportURI + "{id}"}},
		{Forge, []string{"forge"}, nil, []string{pipelineURI + "{id}"}},
	} {
		s, err := New(Options{Root: t.TempDir(), Version: "test", Toolsets: []Toolset{tt.set}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		client := dial(t, s, "2025-11-25", nil)
		var prompts, resources, templates []string
		for d, err := range client.Prompts(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			prompts = append(prompts, d.Name)
		}
		for d, err := range client.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			resources = append(resources, d.URI)
		}
		for d, err := range client.ResourceTemplates(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			templates = append(templates, d.URITemplate)
		}
		if diff := cmp.Diff([][]string{tt.prompts, tt.resources, tt.templates}, [][]string{prompts, resources, templates}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.set, diff)
		}
	}
}

func TestComplete(t *testing.T) {
	root, s, ids := pipelines(t, 3)
	for i := range maxValues + 5 {
		write(t, filepath.Join(root, "many", fmt.Sprintf("f%03d.go", i)), []byte("package many\n"))
	}
	client := dial(t, s, "2026-07-28", nil)
	for _, tt := range []struct {
		ref   *mcp.CompleteReference
		begun string
		want  []string
		more  bool
	}{
		{&mcp.CompleteReference{Type: "ref/prompt", Name: "outcome"}, "s", []string{"success", "stats"}, false},
		{&mcp.CompleteReference{Type: "ref/prompt", Name: "code"}, "s", []string{}, false},
		{&mcp.CompleteReference{Type: "ref/resource", URI: outlineURI + "{+path}"}, "mai", []string{"main.go"}, false},
		{&mcp.CompleteReference{Type: "ref/resource", URI: outlineURI + "{+path}"}, "many/", nil, true},
		{&mcp.CompleteReference{Type: "ref/resource", URI: pipelineURI + "{id}"}, "20200101-old-001", ids[1:2], false},
	} {
		r, err := client.Complete(t.Context(), &mcp.CompleteParams{Ref: tt.ref, Argument: mcp.CompleteParamsArgument{Name: "x", Value: tt.begun}})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Completion
		if tt.more {
			if len(c.Values) != maxValues || c.Total != maxValues+5 || !c.HasMore {
				t.Errorf("%q: %d of %d", tt.begun, len(c.Values), c.Total)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, c.Values); diff != "" || c.HasMore {
			t.Errorf("%+v %q (-want +got):\n%s", tt.ref, tt.begun, diff)
		}
	}
}

// TestErasOverHTTP has clients of both eras call one server at once, each read a
// resource and hear progress.
func TestErasOverHTTP(t *testing.T) {
	root := t.TempDir()
	for i := range 50 {
		write(t, filepath.Join(root, fmt.Sprintf("f%d.go", i)), []byte("package main\n\nfunc main() {}\n"))
	}
	s := open(t, root, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	l, err := Listen(ctx, "0", Local)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.ServeHTTP(ctx, l, HTTPOptions{Token: "secret"}) }()
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			heard := make(chan float64, 1000)
			client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code"}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard <- r.Params.Progress },
			}).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: "http://" + l.Addr().String() + "/mcp", HTTPClient: &http.Client{Transport: bearer("secret")}},
				&mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if got := client.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("speaks %s", got)
			}
			if stateless := client.ID() == ""; stateless != (revision >= roundTrips) {
				t.Errorf("session %q", client.ID())
			}
			p := &mcp.CallToolParams{Name: "sync_index", Arguments: map[string]any{"force": true}}
			p.SetProgressToken("p")
			if r, err := client.CallTool(ctx, p); err != nil || r.IsError {
				t.Fatalf("%v %+v", err, r)
			}
			<-heard
			if v := readJSON(t, client, outlineURI+"f1.go"); v["file"] != "f1.go" {
				t.Error(v)
			}
		})
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestBeats wants a call that says nothing to be told of once a second, one that
// speaks to be left alone, and a client that did not ask not to hear anything.
func TestBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []progress
		r := &reporter{sent: -1, send: func(p progress) { sent = append(sent, p) }}
		end := r.reportEverySecond("odd")
		time.Sleep(3*beatPause + beatPause/2)
		end()
		time.Sleep(10 * beatPause)
		if want := []progress{{1, 0, "odd: 1 s"}, {2, 0, "odd: 2 s"}, {3, 0, "odd: 3 s"}}; !slices.Equal(sent, want) {
			t.Errorf("sent %v", sent)
		}

		sent = nil
		r = &reporter{sent: -1, send: r.send}
		end = r.reportEverySecond("odd")
		r.report(progress{done: 7, total: 9})
		time.Sleep(3 * beatPause)
		end()
		if want := []progress{{7, 9, ""}}; !slices.Equal(sent, want) {
			t.Errorf("sent %v", sent)
		}

		silent := newReporter(t.Context(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "odd"}, Session: &mcp.ServerSession{}})
		end = silent.reportEverySecond("odd")
		silent.report(progress{done: 1})
		end()
		if silent.send != nil {
			t.Error("nobody asked")
		}
	})
}

// TestCancelStops wants a long call to stop where it is when its client cancels it,
// in the middle of the work: most of the files are not read then.
func TestCancelStops(t *testing.T) {
	const count = 2000
	for era, revision := range eras {
		t.Run(era, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, ".code-intel", "config.json"), []byte(`{"sync_on_start": false}`))
			body := bytes.Repeat([]byte("func f() int { return 1 }\n\n"), 40)
			for i := range count {
				write(t, filepath.Join(root, fmt.Sprintf("d%d/f%d.go", i%50, i)), fmt.Appendf(nil, "package p%d\n\n%s", i, body))
			}
			var log journal
			s := open(t, root, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
			ctx, cancel := context.WithCancel(t.Context())
			client := dial(t, s, revision, &mcp.ClientOptions{
				ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { cancel() },
			})
			p := &mcp.CallToolParams{Name: "sync_index", Arguments: map[string]any{"force": true}}
			p.SetProgressToken("p")
			if _, err := client.CallTool(ctx, p); !errors.Is(err, context.Canceled) {
				t.Fatalf("the call ended with %v", err)
			}
			h, err := s.work.open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			// The cancelled one holds the write lock; whoever gets it next finds it ended.
			late, end := context.WithCancel(t.Context())
			_, err = h.index.Sync(late, index.SyncOptions{Progress: func(p index.Progress) {
				if p.Stage != index.StageWait {
					end()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("the second synchronisation ended with %v", err)
			}
			stats, err := h.index.Stats(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if stats.Files >= count/2 {
				t.Errorf("%d of %d files were read after the call was cancelled", stats.Files, count)
			}
			// The server logs the call after it has let the lock go.
			for give := time.Now().Add(time.Minute); !strings.Contains(log.String(), "code=cancelled"); time.Sleep(time.Millisecond) {
				if time.Now().After(give) {
					t.Fatalf("the log does not say so: %s", log.String())
				}
			}
		})
	}
}

// TestListenEndsNothing wants a client that listens for ever not to be waited for
// when its input has ended.
func TestListenEndsNothing(t *testing.T) {
	w := &lineWriter{w: io.Discard, open: newPending()}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
	} {
		if err := pass(t.Context(), []byte(line), io.Discard, w); err != nil {
			t.Fatal(err)
		}
	}
	if got := slices.Collect(maps.Keys(w.open.open)); len(got) != 1 || !strings.HasSuffix(got[0], "2") {
		t.Errorf("waits for %v", got)
	}
}

// TestPanicOutsideTools wants a panic in any request to be an error of that request.
func TestPanicOutsideTools(t *testing.T) {
	var log journal
	s := open(t, t.TempDir(), slog.New(slog.NewTextHandler(&log, nil)))
	_, err := s.recoverPanics(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("the sky fell") })(t.Context(), "resources/read", nil)
	if codeOf(err) != jsonrpc.CodeInternalError || strings.Contains(err.Error(), "sky") || !strings.Contains(log.String(), "the sky fell") {
		t.Errorf("got %v; log %s", err, log.String())
	}
}
