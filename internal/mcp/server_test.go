package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/test/golden"
)

// TestConversations replays each archive of testdata against a new server. An
// archive is a folder and a conversation: files whose names begin with a slash
// are laid out in the folder; a file named after a tool holds the arguments of a
// call, and the file "answer" after it what the server must say. A line of the
// comment may name the client: "client: codex-mcp-client".
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			script, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden.Hold(t, file, string(txtar.Format(converse(t, script))))
		})
	}
}

func converse(t *testing.T, script *txtar.Archive) *txtar.Archive {
	t.Helper()
	root := t.TempDir()
	for _, f := range script.Files {
		if name, ok := strings.CutPrefix(f.Name, "/"); ok {
			write(t, filepath.Join(root, name), f.Data)
		}
	}
	name := "claude-code"
	if m := regexp.MustCompile(`(?m)^client: (.*)$`).FindSubmatch(script.Comment); m != nil {
		name = string(m[1])
	}
	client := connect(t, open(t, root, slog.New(slog.DiscardHandler)), name)
	schemas := make(map[string]any)
	for tool, err := range client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		schemas[tool.Name] = tool.OutputSchema
	}
	out := &txtar.Archive{Comment: script.Comment}
	for _, f := range script.Files {
		switch {
		case strings.HasPrefix(f.Name, "/"):
			out.Files = append(out.Files, f)
		case f.Name != "answer":
			result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: f.Name, Arguments: json.RawMessage(f.Data)})
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if schema := schemas[f.Name]; schema != nil {
				data, err := json.Marshal(result.StructuredContent)
				if err != nil {
					t.Fatal(err)
				}
				valid(t, schema, data) // answers and refusals alike
			}
			out.Files = append(out.Files, f, txtar.File{Name: "answer", Data: show(t, result, root)})
		}
	}
	return out
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, root string, log *slog.Logger) *Server {
	t.Helper()
	s, err := New(Options{Root: root, Version: "test", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func connect(t *testing.T, s *Server, name string) *mcp.ClientSession {
	t.Helper()
	server, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// varies is what an answer holds that is different at every run.
var varies = []struct {
	form *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`verified \d+\.\d s ago, generation \d+`), "verified T s ago, generation G"},
	{regexp.MustCompile(`generation \d+, \d+\.\d s`), "generation G, T s"},
	{regexp.MustCompile(`read \(\d+\.\d s\)`), "read (T s)"},
	{regexp.MustCompile(`\[(forest|map) -?[\d.]+;`), "[$1 S;"},
	{regexp.MustCompile(`"(seconds|generation|score)": [-\d.e]+`), `"$1": 0`},
	{regexp.MustCompile(`\d{8}-\d{9}-[0-9a-z]{5}`), "SESSION"},
	{regexp.MustCompile(`repository \(to [^)]*\)`), "repository (to ELSEWHERE)"},
}

// show returns a result as people read it: the outcome, the structured content,
// and the text that must say the same.
func show(t *testing.T, r *mcp.CallToolResult, root string) []byte {
	t.Helper()
	var b bytes.Buffer
	if r.IsError {
		b.WriteString("refused\n")
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r.StructuredContent); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Content {
		for line := range strings.Lines(c.(*mcp.TextContent).Text) {
			b.WriteString("| " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	text := strings.ReplaceAll(b.String(), root, "ROOT")
	for _, v := range varies {
		text = v.form.ReplaceAllString(text, v.as)
	}
	return []byte(text)
}

// TestTools checks the description of every tool against its snapshot, so that a
// change of what clients see is seen in review, and every example against its
// own schema.
func TestTools(t *testing.T) {
	for _, row := range tools {
		t.Run(row.name, func(t *testing.T) {
			d, err := row.describe()
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.MarshalIndent(d, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden.Hold(t, filepath.Join("testdata/tools", row.name+".json"), string(append(data, '\n')))
			valid(t, d.InputSchema, []byte(row.example))
		})
	}
	if files, err := filepath.Glob("testdata/tools/*.json"); err != nil || len(files) > len(tools) {
		t.Errorf("%d snapshots of %d tools, %v: remove those of tools that are gone", len(files), len(tools), err)
	}
}

// valid checks a document against a schema as a client would.
func valid(t *testing.T, schema any, document []byte) {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s\nis not as its schema says: %v", document, err)
	}
}

// TestListIsSmall keeps what every client loads before the first word within
// 6,000 tokens, and within 4,000 if it uses /code only, and the instructions within 2 KB.
func TestListIsSmall(t *testing.T) {
	client := connect(t, open(t, t.TempDir(), slog.New(slog.DiscardHandler)), "claude-code")
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if tokens := len(data) / 4; tokens > 6000 {
		var b strings.Builder
		for _, d := range list.Tools {
			in, _ := json.Marshal(d.InputSchema)
			out, _ := json.Marshal(d.OutputSchema)
			fmt.Fprintf(&b, "%-24s in %4d, out %4d, words %4d\n", d.Name, len(in), len(out), len(d.Description))
		}
		t.Errorf("tools/list costs %d tokens; more than 6000 is too much\n%s", tokens, &b)
	}
	code, err := New(Options{Root: t.TempDir(), Version: "test", Log: slog.New(slog.DiscardHandler), Toolsets: []Toolset{Code}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { code.Close() })
	if list, err = connect(t, code, "claude-code").ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(list); err != nil || len(data)/4 > 4000 {
		t.Errorf("tools/list for a client that uses /code only costs %d tokens; more than 4000 is too much (%v)", len(data)/4, err)
	}
	if n := len(client.InitializeResult().Instructions); n > 2048 || n == 0 {
		t.Errorf("the instructions have %d bytes; want 1 to 2048", n)
	}
}

// malformed is what models have been seen to send, for any tool.
var malformed = []struct{ name, args string }{
	{"a list for an object", `["x"]`},
	{"a word for an object", `"search"`},
	{"not JSON in a string", `"{\"pattern\": "`},
	{"an argument there is not", `{"no_such_argument": 1}`},
	{"invalid UTF-8", "{\"query\": \"\xff\xfe\", \"pattern\": \"\xff\", \"symbol\": \"\xff\", \"path\": \"\xff\", \"data\": \"\xff\"}"},
	{"an object for everything", `{"query": {}, "pattern": {}, "symbol": {}, "path": {}, "file_path": {}, "line": {}, "targets": {"a": 1}, "chunk_id": {}, "force": {}, "flags": {}, "session_id": {}, "files": {}, "cursor": {}, "action": {}, "project_rules_summary": {}}`},
	{"a number for everything", `{"query": 1, "pattern": 1, "symbol": 1, "path": 1, "file_path": 1, "line": "x", "targets": 1, "chunk_id": 1, "force": 1, "flags": 1, "session_id": 1, "files": 1, "cursor": 1, "action": 1, "project_rules_summary": 1}`},
	{"deep nesting", `{"data": ` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `, "query": ` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`},
}

// TestMalformed sends what is no call of the tool to every tool. Each must be
// refused as a tool result in our own form, and name a call that would work.
func TestMalformed(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	s := open(t, root, slog.New(slog.DiscardHandler))
	for _, row := range tools {
		for _, m := range malformed {
			t.Run(row.name+"/"+m.name, func(t *testing.T) {
				result := callRaw(t, s, row.name, []byte(m.args))
				r := refused(t, result)
				if r.Error != "invalid_argument" {
					t.Errorf("error is %q: %s; want invalid_argument", r.Error, r.Message)
				}
				if len(r.LegalNext) == 0 || r.Message == "" {
					t.Errorf("the refusal has no way out: %+v", r)
				}
			})
		}
	}
}

// callRaw calls a tool below the client library, which would refuse to send
// what is not JSON.
func callRaw(t *testing.T, s *Server, name string, args []byte) *mcp.CallToolResult {
	t.Helper()
	handler := s.observe(func(ctx context.Context, _ string, req mcp.Request) (mcp.Result, error) {
		r := req.(*mcp.CallToolRequest)
		return s.answer(ctx, s.rows[r.Params.Name], r.Params.Arguments)
	})
	result, err := handler(t.Context(), "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: args}})
	if err != nil {
		t.Fatal(err)
	}
	return result.(*mcp.CallToolResult)
}

func refused(t *testing.T, result *mcp.CallToolResult) (r refusal) {
	t.Helper()
	if !result.IsError {
		t.Fatalf("the call was not refused: %+v", result.StructuredContent)
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkStart measures what stands between the start of the program and its
// first answer, but for the process itself.
func BenchmarkStart(b *testing.B) {
	root := b.TempDir()
	for b.Loop() {
		s, err := New(Options{Root: root, Version: "test", Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.MCP(); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
