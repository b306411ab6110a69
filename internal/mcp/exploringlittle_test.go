package mcp

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestExploringLittle begins a session without an intent, in a project of one file with two functions:
// no more than there is has to be seen.
func TestExploringLittle(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc twice(n int) int { return 2 * n }\n\nfunc main() { println(twice(2)) }\n"))
	client := dial(t, open(t, root, slog.New(slog.DiscardHandler)), "2025-11-25", nil)
	call(t, client, "start_session", `{"query": "twice must panic below 0", "flags": ["--no-doc-research"]}`)
	call(t, client, "submit_phase", `{"data": {"summary": "twice refuses what is below 0", "action_type": "modify", "scope": "main.go",
		"target_feature": {"value": "twice", "quote": "twice must panic below 0"}, "target_symbols": ["twice"]}}`)
	for tool, args := range map[string]string{
		"find_definitions": `{"symbol": "twice"}`, "find_references": `{"symbol": "twice"}`,
		"get_symbols": `{"path": "main.go"}`, "search_text": `{"pattern": "twice"}`,
	} {
		call(t, client, tool, args)
	}
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "submit_phase", Arguments: json.RawMessage(
		`{"data": {"summary": "twice takes anything", "findings": ["main.go:3 twice asks nothing of n"]},
		"then": [{"phase": "Q1", "data": {"needs_more_information": false, "reason": "all of the file is known"}}]}`)})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	if at := r.StructuredContent.(map[string]any)["phase"]; at != "Q2" {
		t.Errorf("the session is in %v: %v", at, r.StructuredContent)
	}
}

// TestGlance looks at a document and at one of a project's two files of code, which declares too little: there is more to see, so
// the exploration is sent on.
func TestGlance(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc twice(n int) int { return 2 * n }\n\nfunc main() { println(twice(2)) }\n"))
	write(t, filepath.Join(root, "cart.go"), []byte("package main\n\nfunc one() {}\n\nfunc two() {}\n\nfunc three() {}\n"))
	write(t, filepath.Join(root, "README.md"), []byte("It takes a number twice.\n"))
	client := dial(t, open(t, root, slog.New(slog.DiscardHandler)), "2025-11-25", nil)
	call(t, client, "start_session", `{"query": "twice must panic below 0", "flags": ["--no-doc-research"]}`)
	call(t, client, "submit_phase", `{"data": {"summary": "twice refuses what is below 0", "action_type": "modify", "scope": "main.go",
		"target_feature": {"value": "twice", "quote": "twice must panic below 0"}, "target_symbols": ["twice"]}}`)
	for tool, args := range map[string]string{
		"find_definitions": `{"symbol": "twice"}`, "find_references": `{"symbol": "twice"}`,
		"get_symbols": `{"path": "main.go"}`, "search_text": `{"pattern": "twice"}`, "fetch_chunk_detail": `{"chunk_id": "README.md:1"}`,
	} {
		call(t, client, tool, args)
	}
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "submit_phase", Arguments: json.RawMessage(
		`{"data": {"summary": "twice takes anything", "findings": ["main.go:3 twice asks nothing of n"]},
		"then": [{"phase": "Q1", "data": {"needs_more_information": false, "reason": "all of the file is known"}}]}`)})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	if at := r.StructuredContent.(map[string]any)["phase"]; at != "SEMANTIC" {
		t.Errorf("the session is in %v: %v", at, r.StructuredContent)
	}
}
