//go:build unix

package mcp

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/trust"
)

// TestVerificationProgress wants a client to hear what a submission waits for, and
// other calls to be answered meanwhile.
func TestVerificationProgress(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	verifier := []byte("---\nglobs: [\"*.go\"]\ncommand: [cat, " + pipe + "]\n---\n")
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	write(t, filepath.Join(root, ".code-intel", "verifiers", "slow.md"), verifier)
	store, err := trust.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Trust(root, trust.Verifier, "slow", verifier); err != nil {
		t.Fatal(err)
	}
	server, err := open(t, root, slog.New(slog.DiscardHandler)).MCP()
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 100)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if r.Params.ProgressToken == "submit_phase" { // starting a session tells how far the index is
				told <- r.Params.Message
			}
		},
	}).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	call := func(tool string, args map[string]any) string {
		p := &mcp.CallToolParams{Name: tool, Arguments: args}
		p.SetProgressToken(tool)
		r, err := client.CallTool(t.Context(), p)
		if err != nil {
			t.Error(err)
			return ""
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	call("start_session", map[string]any{"intent": "MODIFY", "query": "Look at it.", "flags": []string{"-v"}})
	ended := make(chan string, 1)
	go func() {
		ended <- call("submit_phase", map[string]any{"data": map[string]any{"passed": true, "details": "read main.go", "summary": "Read.", "tools_used": []string{}}})
	}()
	if what := <-told; what != "running cat "+pipe {
		t.Errorf("the client is told %q", what)
	}
	if text := call("search_text", map[string]any{"pattern": "package"}); !strings.Contains(text, "main.go") {
		t.Errorf("meanwhile a search answers %q", text)
	}
	if err := os.WriteFile(pipe, []byte("seen\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := <-ended; !strings.Contains(text, "complete: completed") || !strings.Contains(text, "by the server: `cat") {
		t.Errorf("the submission answers %s", text)
	}
}
