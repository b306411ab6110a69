package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/clients/claude"
	"codeintel/internal/clients/codex"
)

// conversations as the clients keep them.
const (
	ofClaude = `{"type":"user","isSidechain":false,"timestamp":"2026-11-20T18:00:00.000Z","message":{"role":"user","content":"<command-message>code</command-message>\n<command-name>/code</command-name>\n<command-args>--fast Fix  the total</command-args>"}}
{"type":"assistant","timestamp":"2026-11-20T18:00:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"toolu_9 /code --quick Fix it"},{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"/p/a.txt","limit":3}}]}}
{"type":"user","timestamp":"2026-11-20T18:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1 one {\"type\":\"tool_use\",\"id\":\"toolu_8\",\"name\":\"Read\",\"input\":{\"file_path\":\"/p/a.txt\"}} /code --no-verify"}]}}
{"type":"assistant","timestamp":"2026-11-20T18:00:03.000Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_2","name":"Bash","input":{"command":"cat a.txt | head"}},{"type":"tool_use","id":"toolu_3","name":"Grep","input":{"pattern":"one"}}]}}
{"type":"user","timestamp":"2026-11-20T18:00:04.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_3","content":"/p/b.txt:1:one"}]}}
{"type":"user","isSidechain":true,"timestamp":"2026-11-20T18:00:04.000Z","message":{"role":"user","content":"/code --no-quality Fix it"}}
{"broken
`
	ofCodex = `{"timestamp":"2026-11-20T18:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"$code Fix the total"}]}}
{"timestamp":"2026-11-20T18:00:02.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cat a.txt\"}","call_id":"call_1"}}
{"timestamp":"2026-11-20T18:00:03.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"one"}}
{"timestamp":"2026-11-20T18:00:04.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"exec","call_id":"call_2","input":"await tools.exec_command({cmd: 'cat b.txt'})"}}
{"timestamp":"2026-11-20T18:00:05.000Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["/bin/bash","-lc","cat b.txt"],"aggregated_output":"two"}}}
{"timestamp":"2026-11-20T18:00:06.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_3","output":[{"type":"input_text","text":"Script error:\nCommand blocked by PreToolUse hook: a.txt may not be written now. Read."}]}}
{"timestamp":"2026-11-20T18:00:07.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"Command blocked by PreToolUse hook: c.txt may not be written now."}}
`
)

func lay(t *testing.T, c *clients.Client, name, text string) (conversation Conversation, file, home string) {
	t.Helper()
	home = t.TempDir()
	file = filepath.Join(conversationFolder(c, home, noEnv), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	conversation, ok := Open(c, file, home, noEnv)
	if !ok {
		t.Fatal("the conversation is not read")
	}
	return conversation, file, home
}

func noEnv(string) string { return "" }

func TestInTerminal(t *testing.T) {
	const script = `{"type":"response_item","payload":{"type":"custom_tool_call","name":"exec","call_id":"call_8","input":"tools.exec_command({cmd: 'less a', tty: true})"}}` + "\n"
	const call = `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"less a\",\"tty\":true}","call_id":"call_9"}}` + "\n"
	for _, tt := range []struct {
		what, text, id string
		want           bool
	}{
		{"a call", ofCodex + call, "call_9", true},
		{"one before it", ofCodex + call, "call_1", false},
		{"a call of a script", ofCodex + script, "exec-9", true},
		{"a script without a terminal", script + ofCodex, "exec-9", false},
		{"nothing", "", "call_9", false},
	} {
		_, file, home := lay(t, codex.Client, "2026/11/20/rollout-s.jsonl", tt.text)
		if got := InTerminal(codex.Client, file, tt.id, home, noEnv); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
	_, _, home := lay(t, codex.Client, "2026/11/20/rollout-s.jsonl", call)
	if elsewhere := filepath.Join(t.TempDir(), "rollout-s.jsonl"); os.WriteFile(elsewhere, []byte(call), 0o644) != nil ||
		InTerminal(codex.Client, elsewhere, "call_9", home, noEnv) {
		t.Error("a conversation outside of the client's folder is read")
	}
}

func TestHolds(t *testing.T) {
	began := time.Date(2026, 11, 20, 17, 59, 0, 0, time.UTC)
	in, _, _ := lay(t, claude.Client, "-p/s.jsonl", ofClaude)
	codexIn, _, _ := lay(t, codex.Client, "2026/11/20/rollout-s.jsonl", ofCodex)
	for _, tt := range []struct {
		what string
		in   Conversation
		call Call
		want bool
	}{
		{"a read", in, Call{ID: "toolu_1", Files: []string{"/p/a.txt"}, Lines: 3}, true},
		{"another name of the file", in, Call{ID: "toolu_1", Files: []string{"a.txt"}}, true},
		{"no ID", in, Call{Files: []string{"/p/a.txt"}}, false},
		{"an ID that nobody gave", in, Call{ID: "toolu_7", Files: []string{"/p/a.txt"}}, false},
		{"an ID in a text", in, Call{ID: "toolu_9"}, false},
		{"a call that a file shows", in, Call{ID: "toolu_8", Files: []string{"/p/a.txt"}}, false},
		{"another file", in, Call{ID: "toolu_1", Files: []string{"/p/b.txt"}}, false},
		{"more lines than asked for", in, Call{ID: "toolu_1", Files: []string{"/p/a.txt"}, Lines: 4}, false},
		{"a command", in, Call{ID: "toolu_2", Command: "cat a.txt | head"}, true},
		{"another command", in, Call{ID: "toolu_2", Command: "cat b.txt"}, false},
		{"a search", in, Call{ID: "toolu_3", Files: []string{"/p/b.txt"}}, true},
		{"what a search did not find", in, Call{ID: "toolu_3", Files: []string{"/p/c.txt"}}, false},
		{"before the session", in, Call{ID: "toolu_2", Command: "cat a.txt | head", Since: began.Add(time.Hour)}, false},
		{"Codex", codexIn, Call{ID: "call_1", Command: "cat a.txt"}, true},
		{"Codex, a command of a script", codexIn, Call{ID: "exec-1", Command: "cat b.txt"}, true},
		{"Codex, another command of a script", codexIn, Call{ID: "exec-1", Command: "cat a.txt"}, false},
		{"Codex, a command of a script that nobody gave", codexIn, Call{ID: "exec-2", Command: "cat b.txt"}, false},
		{"Codex, a denied call of a script", codexIn, Call{ID: "exec-3", Denied: "a.txt may not be written now."}, true},
		{"Codex, another denial", codexIn, Call{ID: "exec-3", Denied: "b.txt may not be written now."}, false},
		{"Codex, a denial before the session", codexIn, Call{ID: "exec-3", Denied: "a.txt may not be written now.", Since: began.Add(time.Hour)}, false},
		{"Codex, a denial that a command shows", codexIn, Call{ID: "exec-3", Denied: "c.txt may not be written now."}, false},
		{"Codex, another command", codexIn, Call{ID: "call_1", Command: "cat b.txt"}, false},
	} {
		if tt.call.Since.IsZero() {
			tt.call.Since = began
		}
		if got := tt.in.Contains(tt.call); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
	for arguments, want := range map[string]bool{
		"--fast Fix the total": true, "--quick Fix it": false, "--no-verify": false, "--no-quality Fix it": false,
	} {
		if got := in.Typed("code", arguments); got != want {
			t.Errorf("typed %q: %v, want %v", arguments, got, want)
		}
	}
	if !codexIn.Typed("code", "Fix the total") || codexIn.Typed("forge", "Fix the total") {
		t.Error("what was typed in Codex")
	}
}

// TestSubagents: what a sub-agent has done is beside the conversation.
func TestSubagents(t *testing.T) {
	_, file, home := lay(t, claude.Client, "-p/s.jsonl", "{}\n")
	beside := filepath.Join(strings.TrimSuffix(file, ".jsonl"), "subagents", "agent-1.jsonl")
	if err := os.MkdirAll(filepath.Dir(beside), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(beside, []byte(ofClaude), 0o644); err != nil {
		t.Fatal(err)
	}
	if in, ok := Open(claude.Client, file, home, noEnv); !ok || !in.Contains(Call{ID: "toolu_1", Files: []string{"/p/a.txt"}}) {
		t.Error("the call of a sub-agent is not found")
	}
}

// TestElsewhere: a file that anybody may write is nobody's conversation.
func TestElsewhere(t *testing.T) {
	_, file, home := lay(t, claude.Client, "-p/s.jsonl", ofClaude)
	mine := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(mine, []byte(ofClaude), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(file), "link.jsonl")
	if err := os.Symlink(mine, link); err != nil {
		t.Skip(err)
	}
	for _, other := range []string{"", mine, link, filepath.Dir(file), filepath.Join(filepath.Dir(file), "missing.jsonl"), "s.jsonl"} {
		if _, ok := Open(claude.Client, other, home, noEnv); ok {
			t.Errorf("%q is taken for a conversation", other)
		}
	}
	own := func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return filepath.Join(home, ".claude")
		}
		return ""
	}
	if _, ok := Open(claude.Client, file, "", own); !ok {
		t.Error("the user's own folder of settings is not heeded")
	}
}
