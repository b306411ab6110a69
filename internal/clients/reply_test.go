package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	. "codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/test/golden"
)

// hookNames is what each client calls what it reports.
var hookNames = map[ID]map[Name]string{
	"claude": {Before: "PreToolUse", After: "PostToolUse", Batch: "PostToolBatch", Prompt: "UserPromptSubmit", SessionStart: "SessionStart",
		Compact: "PreCompact", Stop: "Stop", SubagentStop: "SubagentStop", Config: "ConfigChange"},
	"codex": {Before: "PreToolUse", After: "PostToolUse", Prompt: "UserPromptSubmit", SessionStart: "SessionStart",
		Compact: "PreCompact", Stop: "Stop", SubagentStop: "SubagentStop"},
	"cursor":   {Before: "preToolUse", After: "postToolUse", Prompt: "beforeSubmitPrompt", SessionStart: "sessionStart", Compact: "preCompact", Stop: "stop", SubagentStop: "subagentStop"},
	"copilot":  {Before: "preToolUse", After: "postToolUse", Prompt: "userPromptSubmitted", SessionStart: "sessionStart", Stop: "agentStop", SubagentStop: "subagentStop"},
	"gemini":   {Before: "BeforeTool", After: "AfterTool", Prompt: "BeforeAgent", SessionStart: "SessionStart", Compact: "PreCompress", Stop: "AfterAgent"},
	"opencode": {Before: "tool.execute.before", After: "tool.execute.after", Prompt: "chat.message", Compact: "session.compacted", Stop: "session.idle"},
}

// TestEncode writes down what each client is answered to each event.
func TestEncode(t *testing.T) {
	var b strings.Builder
	for _, client := range registry.All.WithHooks() {
		c := client.ID()
		for _, n := range []Name{Before, After, Batch, Prompt, SessionStart, Compact, Stop, SubagentStop, Config} {
			hook := hookNames[c][n]
			if hook == "" {
				continue
			}
			fmt.Fprintf(&b, "%s %s\n", c, hook)
			for _, r := range []Reply{{}, {Deny: "No."}, {Context: "Facts."}, {Note: "Look."}, {Deny: "No.", Context: "Facts.", Note: "Look."}} {
				out := registry.All.Encode(Event{Client: c, Hook: hook, Name: n}, r)
				fmt.Fprintf(&b, "\t%+v: %s", r, bytes.TrimSpace(out.Stdout))
				if out.Status != 0 || out.Stderr != "" {
					fmt.Fprintf(&b, " exit %d %q", out.Status, out.Stderr)
				}
				b.WriteString("\n")
				if c == "codex" && len(out.Stdout) > 0 {
					allowed(t, hook, out.Stdout)
				}
				if n == Before && r.Deny != "" && !bytes.Contains(out.Stdout, []byte("No.")) {
					t.Errorf("%s: a denial is lost: %s", c, out.Stdout)
				}
			}
		}
	}
	golden.Hold(t, "testdata/replies.golden", b.String())
}

// allowed holds an answer to the schema that Codex ships: it takes one that does
// not fit for none.
func allowed(t *testing.T, hook string, answer []byte) {
	t.Helper()
	name := map[string]string{"PreToolUse": "pre-tool-use", "PostToolUse": "post-tool-use", "UserPromptSubmit": "user-prompt-submit",
		"SessionStart": "session-start", "PreCompact": "pre-compact", "Stop": "stop", "SubagentStop": "subagent-stop"}[hook]
	data, err := os.ReadFile(filepath.Join("testdata", "schemas", "codex", name+".command.output.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s: %s: %v", hook, answer, err)
	}
}

func TestEncodeCuts(t *testing.T) {
	out := registry.All.Encode(Event{Client: "claude", Hook: "SessionStart", Name: SessionStart}, Reply{Context: strings.Repeat("あ", 20_000) + "\xff"})
	var v struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out.Stdout, &v); err != nil || len([]rune(v.Specific.Context)) != Longest {
		t.Errorf("%v: %d characters", err, len([]rune(v.Specific.Context)))
	}
}
