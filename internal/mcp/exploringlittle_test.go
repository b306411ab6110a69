package mcp

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestExploringLittle begins a session without an intent, and looks at the one file of a project: no
// more than there is has to be seen. Where there is another file of code, the exploration is sent on,
// however little is declared in the file that was shown beside a document.
func TestExploringLittle(t *testing.T) {
	for phase, others := range map[string]map[string]string{
		"Q2":       nil,
		"SEMANTIC": {"cart.go": "package main\n\nfunc one() {}\n\nfunc two() {}\n\nfunc three() {}\n", "README.md": "It takes a number twice.\n"},
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "main.go"), []byte("package main\n\nfunc twice(n int) int { return 2 * n }\n\nfunc main() { println(twice(2)) }\n"))
		for name, text := range others {
			write(t, filepath.Join(root, name), []byte(text))
		}
		client := dial(t, open(t, root, slog.New(slog.DiscardHandler)), "2025-11-25", nil)
		call(t, client, "start_session", `{"query": "twice must panic below 0", "flags": ["--no-doc-research"]}`)
		call(t, client, "submit_phase", `{"data": {"summary": "twice refuses what is below 0", "action_type": "modify", "scope": "main.go",
			"target_feature": {"value": "twice", "quote": "twice must panic below 0"}, "target_symbols": ["twice"]}}`)
		looks := map[string]string{
			"find_definitions": `{"symbol": "twice"}`, "find_references": `{"symbol": "twice"}`,
			"get_symbols": `{"path": "main.go"}`, "search_text": `{"pattern": "twice"}`,
		}
		if others != nil {
			looks["fetch_chunk_detail"] = `{"chunk_id": "README.md:1"}`
		}
		for tool, args := range looks {
			call(t, client, tool, args)
		}
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "submit_phase", Arguments: json.RawMessage(
			`{"data": {"summary": "twice takes anything", "findings": ["main.go:3 twice asks nothing of n"]},
			"then": [{"phase": "Q1", "data": {"needs_more_information": false, "reason": "all of the file is known"}}]}`)})
		if err != nil || r.IsError {
			t.Fatal(err, r)
		}
		if at := r.StructuredContent.(map[string]any)["phase"]; at != phase {
			t.Errorf("the session is in %v, want %s: %v", at, phase, r.StructuredContent)
		}
	}
}
