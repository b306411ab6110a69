package clients_test

import (
	"encoding/json"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/test/golden"
)

// The payloads that there are.
const (
	recorded   = "testdata/*/*.json"
	documented = "testdata/documented/*/*.json"
)

// payloads returns those of a pattern by their paths, in order; fewer than least are
// too few.
func payloads(t testing.TB, pattern string, least int) iter.Seq2[string, []byte] {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%d payloads in %s: %v", len(files), pattern, err)
	}
	return func(yield func(string, []byte) bool) {
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(filepath.ToSlash(f), data) {
				return
			}
		}
	}
}

// TestRecorded reads what the hooks of real clients have sent.
func TestRecorded(t *testing.T) {
	var b strings.Builder
	for f, data := range payloads(t, recorded, 1) {
		as, _, _ := strings.Cut(filepath.Base(filepath.Dir(f)), "-")
		e, err := registry.All.Parse(ID(as), "", data)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if e.Client != ID(as) {
			t.Errorf("%s: taken for a payload of %s", f, e.Client)
		}
		e.Session, e.Call = clip(e.Session), clip(e.Call)
		b.WriteString(strings.TrimPrefix(f, "testdata/") + "\n\t" + short(t, e) + "\n")
	}
	golden.Hold(t, "testdata/events.golden", b.String())
}

func clip(id string) string { return id[:min(8, len(id))] }

// short is an event without the members that are empty.
func short(t *testing.T, e Event) string {
	t.Helper()
	line, err := json.Marshal(e)
	var m map[string]any
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil || v == "" || v == false || v == 0.0 })
	line, _ = json.Marshal(m) // it was JSON
	return string(line)
}

func TestParse(t *testing.T) {
	for name, tt := range map[string]struct {
		as      ID
		event   string
		payload string
		want    Event
	}{
		"a read with its lines": {"claude", "", `{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/p/a.go"},"tool_response":{"type":"text","file":{"startLine":10,"numLines":5}}}`,
			Event{Client: "claude", Name: After, Hook: "PostToolUse", Tool: "Read", Kind: Read, Files: []File{{Path: "/p/a.go", Start: 10, End: 14}}}},
		"a search that shows lines": {"claude", "", `{"hook_event_name":"PostToolUse","tool_name":"Grep","tool_input":{"pattern":"x"},"tool_response":{"mode":"content","content":"a.go:3:x\na.go:4:x\nb c.go-9-y\n"}}`,
			Event{Client: "claude", Name: After, Hook: "PostToolUse", Tool: "Grep", Kind: Read, Files: []File{{Path: "a.go", Start: 3, End: 4}, {Path: "b c.go", Start: 9, End: 9}}}},
		"a search that lists files": {"claude", "", `{"hook_event_name":"PostToolUse","tool_name":"Grep","tool_input":{"pattern":"x"},"tool_response":{"mode":"files_with_matches","filenames":["a.go"]}}`,
			Event{Client: "claude", Name: After, Hook: "PostToolUse", Tool: "Grep", Kind: Read}},
		"a server that writes files": {"claude", "", `{"hook_event_name":"PreToolUse","tool_name":"mcp__fs__write_file","tool_input":{"path":"/p/a.go"}}`,
			Event{Client: "claude", Name: Before, Hook: "PreToolUse", Tool: "mcp__fs__write_file", Server: "fs", Kind: Write, Files: []File{{Path: "/p/a.go"}}}},
		"a server that writes something else": {"claude", "", `{"hook_event_name":"PreToolUse","tool_name":"mcp__tracker__create_issue","tool_input":{"title":"x"}}`,
			Event{Client: "claude", Name: Before, Hook: "PreToolUse", Tool: "mcp__tracker__create_issue", Server: "tracker", Kind: Foreign}},
		"a patch": {"codex", "", `{"turn_id":"t","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n-x\n+*** Delete File: no.go\n*** Delete File: c d.go\n*** Add File: e.go\n+x\n*** End Patch\n"}}`,
			Event{Client: "codex", Name: Before, Hook: "PreToolUse", Tool: "apply_patch", Kind: Write, Files: []File{{Path: "a.go"}, {Path: "b.go"}, {Path: "c d.go", Delete: true}, {Path: "e.go"}}}},
		"a patch by way of a shell": {"codex", "", `{"turn_id":"t","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"apply_patch <<'P'\n*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch\nP"}}`,
			Event{Client: "codex", Name: Before, Hook: "PreToolUse", Tool: "Bash", Kind: Shell, Files: []File{{Path: "a.go"}},
				Command: "apply_patch <<'P'\n*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch\nP"}},
		"a patch that failed": {"codex", "", `{"turn_id":"t","hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":{"command":""},"tool_response":"Exit code: 1\nx"}`,
			Event{Client: "codex", Name: After, Hook: "PostToolUse", Tool: "apply_patch", Kind: Write, Failed: true}},
		"Cursor runs the hooks of Claude": {"claude", "", `{"conversation_id":"c","hook_event_name":"beforeShellExecution","command":"ls","cwd":"/p"}`,
			Event{Client: "cursor", Name: Before, Hook: "beforeShellExecution", Session: "c", Dir: "/p", Tool: "Shell", Kind: Shell, Command: "ls"}},
		"Gemini": {"gemini", "", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"write_file","tool_input":{"file_path":"a.go"}}`,
			Event{Client: "gemini", Name: Before, Hook: "BeforeTool", Session: "s", Tool: "write_file", Kind: Write, Files: []File{{Path: "a.go"}}}},
		"Copilot says the event on the command line": {"copilot", "preToolUse", `{"sessionId":"s","timestamp":1,"cwd":"/p","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`,
			Event{Client: "copilot", Name: Before, Hook: "preToolUse", Session: "s", Dir: "/p", Tool: "bash", Kind: Shell, Command: "ls"}},
		"nothing that concerns us": {"claude", "", `{"hook_event_name":"Notification"}`, Event{Client: "claude", Name: Other, Hook: "Notification"}},
	} {
		got, err := registry.All.Parse(tt.as, tt.event, []byte(tt.payload))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c := registry.All.Find(tt.want.Client); c.Hooks != nil {
			tt.want.Unproven = c.Hooks.Transcripts != ""
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, bad := range []string{"", "x", "[]", `{"hook_event_name":1}`, `{"prompt":`} {
		if e, err := registry.All.Parse("claude", "", []byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, e)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, data := range payloads(f, recorded, 1) {
		f.Add(data)
	}
	f.Add([]byte(`{"hook_event_name":"PostToolUse","tool_name":"Grep","tool_response":{"mode":"content","content":"a:99999999999999999999:"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := registry.All.Parse("claude", "PreToolUse", data)
		if err != nil {
			return
		}
		if e.Name == "" || e.Kind == "" && (e.Name == Before || e.Name == After) {
			t.Errorf("%s: %+v", data, e)
		}
		for _, file := range e.Files {
			if file.Path == "" || file.Start < 0 || file.End != 0 && file.End < file.Start {
				t.Errorf("%s: %+v", data, file)
			}
		}
	})
}

// A tool of another server that sounds as if it wrote a file does; ours, which are
// asked whether a file may be written, do not.
func TestWritingServers(t *testing.T) {
	for tool, want := range map[string]Kind{
		"mcp__files__write_file": Write, "mcp__files__read_file": MCP,
		"mcp__code-intel__check_write_target": MCP, "mcp__plugin_code-intel_code-intel__check_write_target": MCP,
		"mcp__code_intel__check_write_target": MCP,
	} {
		e, err := registry.All.Parse("claude", "PreToolUse", []byte(`{"hook_event_name": "PreToolUse", "tool_name": "`+tool+`", "tool_input": {"file_path": "a.go"}}`))
		if err != nil || e.Kind != want {
			t.Errorf("%s: %s, %v; want %s", tool, e.Kind, err, want)
		}
	}
}
