package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestHook runs a session with a real server and asks the hook of each client, a
// separate process, what is allowed meanwhile.
func TestHook(t *testing.T) {
	st := newStage(t, txtar.Parse([]byte("-- repo main.go --\npackage main\n\nfunc main() {}\n-- repo other.go --\npackage main\n-- repo .gitignore --\n.code-intel/\n.claude/\n")))
	st.env = append(st.env, "CLAUDE_PROJECT_DIR=", "CLAUDE_PLUGIN_ROOT=")
	home := t.TempDir()
	st.env = append(st.env, "CLAUDE_CONFIG_DIR="+home)
	conversation := filepath.Join(home, "projects", "-p", "s.jsonl")
	if err := os.MkdirAll(filepath.Dir(conversation), 0o755); err != nil {
		t.Fatal(err)
	}

	calls, kept := 0, []byte(nil)
	// hook runs the program as a client does.
	hook := func(client, event string, payload map[string]any) (out, problem string, status int) {
		t.Helper()
		payload["hook_event_name"], payload["session_id"] = event, "s"
		if payload["cwd"] == nil {
			payload["cwd"] = st.root
		}
		if client == "copilot" {
			payload = map[string]any{"sessionId": "s", "cwd": payload["cwd"], "toolName": payload["tool_name"], "toolArgs": payload["tool_input"]}
		}
		if client == "claude" && payload["tool_name"] != nil { // Claude Code writes down what its model calls
			calls++
			id := fmt.Sprint("toolu_", calls)
			payload["transcript_path"], payload["tool_use_id"] = conversation, id
			use := map[string]any{"type": "tool_use", "id": id, "name": payload["tool_name"], "input": payload["tool_input"]}
			line, err := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"content": []any{use}}})
			if err == nil {
				kept = append(append(kept, line...), '\n')
				err = os.WriteFile(conversation, kept, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		data, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "code-intel", "hook", client, event)
		var stdout, stderr strings.Builder
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = st.root, st.env, strings.NewReader(string(data)), &stdout, &stderr
		_ = cmd.Run() // the status says it
		return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	}
	object := func(pairs ...string) map[string]any {
		m := make(map[string]any)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	write := func(file string) map[string]any {
		return map[string]any{"tool_name": "Write", "tool_input": object("file_path", filepath.Join(st.root, file), "content", "x")}
	}
	silent := func(what, client, event string, payload map[string]any) {
		t.Helper()
		if out, problem, status := hook(client, event, payload); out != "" || problem != "" || status != 0 {
			t.Errorf("%s: status %d, %q, %q; want nothing", what, status, out, problem)
		}
	}

	silent("no session", "claude", "PreToolUse", write("main.go"))
	out := exec.Command("code-intel", "hook", "emacs")
	out.Env, out.Dir = st.env, st.root
	if said, _ := out.CombinedOutput(); out.ProcessState.ExitCode() != 1 || !strings.Contains(string(said), `"emacs" is not a client`) {
		t.Errorf("another client: status %d, %s; a status of 2 would deny", out.ProcessState.ExitCode(), said)
	}

	connect := func() *mcp.ClientSession {
		t.Helper()
		cmd := exec.Command("code-intel", "mcp")
		cmd.Dir, cmd.Env = st.root, st.env
		server, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, nil).
			Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		return server
	}
	server := connect()
	st.client = server
	call := func(tool, args string) (answer map[string]any) {
		t.Helper()
		if err := json.Unmarshal(st.call(tool, []byte(args)), &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if a := call("start_session", `{"intent":"MODIFY","query":"say goodbye","flags":["--quick","--no-doc"]}`); a["phase"] != "QUERY_FRAME" {
		t.Fatalf("the session begins so: %v", a)
	}

	for _, tt := range []struct {
		client, event string
		status        int
		denial        string
	}{
		{"claude", "PreToolUse", 2, `"permissionDecision":"deny"`},
		{"codex", "PreToolUse", 0, `"permissionDecision":"deny"`},
		{"cursor", "preToolUse", 2, `"permission":"deny"`},
		{"copilot", "preToolUse", 0, `"permissionDecision":"deny"`},
		{"gemini", "BeforeTool", 0, `"decision":"deny"`},
		{"opencode", "tool.execute.before", 0, `"deny":`},
	} {
		out, _, status := hook(tt.client, tt.event, write("main.go"))
		if status != tt.status || !strings.Contains(out, tt.denial) || !strings.Contains(out, "QUERY_FRAME") || !strings.Contains(out, "code-intel session show") {
			t.Errorf("%s in QUERY_FRAME: status %d, %s", tt.client, status, out)
		}
	}
	shell := func(command string) map[string]any {
		return map[string]any{"tool_name": "Bash", "tool_input": object("command", command)}
	}
	silent("a command that reads", "claude", "PreToolUse", shell("git log --oneline | head"))
	for _, command := range []string{"echo x >main.go", "cd / && sed -i s/a/b/ main.go", "git commit -am x"} {
		if _, _, status := hook("claude", "PreToolUse", shell(command)); status != 2 {
			t.Errorf("%s: status %d", command, status)
		}
	}
	// The folder that the client works in is not the one that it was told to go to.
	elsewhere := write("main.go")
	elsewhere["cwd"] = "/"
	if _, _, status := hook("claude", "PreToolUse", elsewhere); status != 2 {
		t.Errorf("from another folder: status %d", status)
	}

	// A payload that cannot be read denies what may be a write, and nothing else.
	for event, want := range map[string]int{"PreToolUse": 2, "PostToolUse": 0, "Stop": 0} {
		cmd := exec.CommandContext(t.Context(), "code-intel", "hook", "claude", event)
		cmd.Dir, cmd.Env, cmd.Stdin = st.root, st.env, strings.NewReader("{")
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("a broken payload of %s: status %d, want %d; %s", event, got, want, out)
		}
	}
	// So does a configuration that cannot be read.
	st.write(".code-intel/config.json", []byte("{"))
	if out, _, status := hook("claude", "PreToolUse", write("main.go")); status != 2 || !strings.Contains(out, "could not be determined") {
		t.Errorf("with a broken configuration: status %d, %s", status, out)
	}
	if err := os.Remove(filepath.Join(st.root, ".code-intel", "config.json")); err != nil {
		t.Fatal(err)
	}

	if out, _, _ := hook("claude", "SessionStart", object("source", "compact")); !strings.Contains(out, `"additionalContext":"A code-intel session is open`) {
		t.Errorf("after a compaction: %s", out)
	}
	if out, _, _ := hook("claude", "Stop", object()); !strings.Contains(out, `"decision":"block"`) {
		t.Errorf("the agent may stop: %s", out)
	}

	settings := object("source", "project_settings", "file_path", filepath.Join(st.root, ".claude", "settings.json"))
	st.write(".claude/settings.json", []byte(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "code-intel", "args": ["hook", "claude", "PreToolUse"]}]}]}}`))
	silent("settings that keep the hooks", "claude", "ConfigChange", settings)
	for _, without := range []string{`{}`, `{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "code-intel hook claude"}]}]}}`} {
		st.write(".claude/settings.json", []byte(without))
		if out, _, _ := hook("claude", "ConfigChange", settings); !strings.Contains(out, `"decision":"block"`) {
			t.Errorf("settings %s: %s", without, out)
		}
	}

	call("submit_phase", `{"data":{"action_type":"modify","target_symbols":[],"scope":"main.go","constraints":[],"tools_used":[],"summary":"Change it."}}`)
	if a := call("submit_phase", `{"data":{"tasks":[{"id":"t1","description":"Change main.go","checklist":[{"item":"it says goodbye"}]}],"tools_used":[],"summary":"One task."}}`); a["ready_step"] != "implement" {
		t.Fatalf("the session is not in READY: %v", a)
	}
	if out, _, status := hook("claude", "PreToolUse", write("main.go")); status != 2 || !strings.Contains(out, "main.go") {
		t.Errorf("a file that nobody looked at: status %d, %s", status, out)
	}
	silent("the file is read", "claude", "PostToolUse", map[string]any{"tool_name": "Read", "tool_input": object("file_path", filepath.Join(st.root, "main.go")),
		"tool_response": map[string]any{"type": "text", "file": map[string]any{"startLine": 1, "numLines": 3}}})
	silent("and may then be written", "claude", "PreToolUse", write("main.go"))
	st.write("other.go", []byte("package other\n"))
	if out, _, _ := hook("claude", "PostToolBatch", map[string]any{"tool_calls": []any{shell("go generate")}}); !strings.Contains(out, "other.go") {
		t.Errorf("a change that nobody approved is not named: %s", out)
	}
	if a := call("get_session_status", `{}`); a["enforcement_level"] != "L3" {
		t.Errorf("the session knows of no denial: %v", a["enforcement_level"])
	}
	server.Close()
	if out, _, status := hook("claude", "PreToolUse", write("other.go")); status != 2 || !strings.Contains(out, "code-intel session abandon") {
		t.Errorf("nobody leads the session: status %d, %s", status, out)
	}
	abandon := exec.Command("code-intel", "session", "abandon")
	abandon.Dir, abandon.Env = st.root, st.env
	if out, err := abandon.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	silent("the session was abandoned", "claude", "PreToolUse", write("other.go"))
	st.git("checkout", "-q", "-f", "main")

	// While a pipeline runs, its action decides what may be written and run.
	st.client = connect()
	init := call("pipeline_init", `{"arguments":"--nopr say goodbye"}`)
	ws, _ := init["workspace"].(string)
	ready := call("pipeline_init_with_context", `{"workspace":"`+ws+`","task_text":"say goodbye","flags":{"skip_pr":true},"user_confirmation":{"effort":"S","workspace_slug":"goodbye","use_current_branch":false,"enriched_request_body":"say goodbye"}}`)
	ws, _ = ready["workspace"].(string)
	a := call("pipeline_next_action", `{"workspace":"`+ws+`"}`)
	if a["type"] != "exec" {
		t.Fatalf("the pipeline begins so: %v", a)
	}
	var argv []string
	for _, word := range a["commands"].([]any) {
		argv = append(argv, word.(string))
	}
	for command, want := range map[string]int{"git commit -am x": 2, strings.Join(argv, " "): 0} {
		if out, _, status := hook("claude", "PreToolUse", shell(command)); status != want {
			t.Errorf("%s: status %d, %s", command, status, out)
		}
	}
	if out, _, status := hook("claude", "PreToolUse", write("main.go")); status != 2 || !strings.Contains(out, "code-intel pipeline show") {
		t.Errorf("main.go, while nothing is implemented: status %d, %s", status, out)
	}
}
