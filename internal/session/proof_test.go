package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/session/hookproof"
	"codeintel/internal/session/state"
)

// A keeper is Claude Code, which writes down what its user types and its model calls.
type keeper struct {
	d    *desk
	file string
}

func newKeeper(d *desk) keeper {
	settings := d.t.TempDir()
	d.t.Setenv("CLAUDE_CONFIG_DIR", settings)
	k := keeper{d, filepath.Join(settings, "projects", "-p", "s.jsonl")}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	k.keeps(map[string]any{"type": "summary"})
	return k
}

func (k keeper) keeps(record map[string]any) {
	k.d.t.Helper()
	record["timestamp"] = time.Now().UTC().Format(time.RFC3339Nano)
	data, err := json.Marshal(record)
	if err != nil {
		k.d.t.Fatal(err)
	}
	f, err := os.OpenFile(k.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.Write(append(data, '\n'))
	}
	if err != nil {
		k.d.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		k.d.t.Fatal(err)
	}
}

// calls writes a call down.
func (k keeper) calls(id, tool string, input map[string]any) {
	k.keeps(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{
		map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}}})
}

// tells gives the hook a payload, whoever wrote it.
func (k keeper) tells(event string, payload map[string]any) bool {
	k.d.t.Helper()
	payload["hook_event_name"], payload["session_id"], payload["cwd"] = event, "s", k.d.root
	if payload["transcript_path"] == nil {
		payload["transcript_path"] = k.file
	}
	data, err := json.Marshal(payload)
	if err != nil {
		k.d.t.Fatal(err)
	}
	e, err := registry.All.Parse("claude", event, data)
	if err != nil {
		k.d.t.Fatal(err)
	}
	h, err := k.d.hook.HandleEvent(k.d.t.Context(), e)
	if err != nil {
		k.d.t.Fatal(err)
	}
	return h.Denied
}

func (k keeper) read(id, file string) map[string]any {
	return map[string]any{"tool_name": "Read", "tool_use_id": id, "tool_input": map[string]any{"file_path": filepath.Join(k.d.root, file)}}
}

func (k keeper) edit(id, file string) map[string]any {
	return map[string]any{"tool_name": "Edit", "tool_use_id": id, "tool_input": map[string]any{"file_path": filepath.Join(k.d.root, file), "old_string": "one", "new_string": "two"}}
}

// TestForgedReads: what a hook is told of a read counts once the client's conversation
// holds it; and then at once, for a write that follows.
func TestForgedReads(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n"})
	k := newKeeper(d)
	d.toWriting()
	k.calls("t1", "Read", map[string]any{"file_path": filepath.Join(d.root, "c.txt")})
	forged := filepath.Join(t.TempDir(), "s.jsonl")
	for _, payload := range []map[string]any{
		k.read("", "a.txt"),   // no ID
		k.read("t9", "a.txt"), // one that the client did not give
		k.read("t1", "a.txt"), // one that it gave another read
	} {
		k.tells("PostToolUse", payload)
	}
	elsewhere := k.read("t1", "c.txt")
	elsewhere["transcript_path"] = forged
	k.tells("PostToolUse", elsewhere)
	for _, file := range []string{"a.txt", "c.txt"} {
		if ok, said := d.allowed(file); ok {
			t.Errorf("%s may be written after a forged read: %s", file, said)
		}
		if !k.tells("PreToolUse", k.edit("e-"+file, file)) {
			t.Errorf("the hook lets %s be written after a forged read", file)
		}
	}
	k.calls("t2", "Read", map[string]any{"file_path": filepath.Join(d.root, "b.txt")})
	k.tells("PostToolUse", k.read("t2", "b.txt"))
	if k.tells("PreToolUse", k.edit("e2", "b.txt")) {
		t.Error("a file that the client has just read may not be written")
	}
	if ok, said := d.allowed("b.txt"); !ok {
		t.Error("the server does not believe a true read:", said)
	}
	seen := audit.Explored(d.entries())
	if len(seen["b.txt"]) != 1 || len(seen["a.txt"])+len(seen["c.txt"]) != 0 {
		t.Errorf("explored: %v", seen)
	}
}

// TestForgedLevel: events that nothing shows to be the client's raise no level.
func TestForgedLevel(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	k := newKeeper(d)
	d.start()
	level := func(want string) {
		t.Helper()
		if _, err := d.server.Status(t.Context(), StatusRequest{}); err != nil {
			t.Fatal(err)
		}
		if got, _ := hookproof.Level(d.entries()); got != want {
			t.Errorf("level %s, want %s", got, want)
		}
	}
	own := map[string]any{"tool_name": "mcp__code-intel__search_text", "tool_use_id": "t1", "tool_input": map[string]any{}}
	k.tells("Stop", map[string]any{})
	k.tells("PostToolUse", k.read("t5", "a.txt"))
	if !k.tells("PreToolUse", k.edit("t6", "a.txt")) {
		t.Fatal("a write is not denied")
	}
	k.tells("PreToolUse", own)
	level(hookproof.AuditOnly)
	// Our own call comes with the ID that the hook was told before.
	if err := d.server.Record(t.Context(), Call{Tool: "search_text", ID: "t1", Outcome: audit.OK}); err != nil {
		t.Fatal(err)
	}
	level(hookproof.HooksSeen)
	k.calls("t6", "Edit", map[string]any{"file_path": filepath.Join(d.root, "a.txt")})
	level(hookproof.DenialSeen)

	// A client that keeps nothing is believed, but not beside one that gives calls an ID.
	h, err := d.hook.HandleEvent(t.Context(), clients.Event{Client: "cursor", Name: clients.After, Kind: clients.Read, Tool: "Read", Dir: d.root, Files: []clients.File{{Path: "a.txt", Start: 1}}})
	if err != nil || h.Denied {
		t.Fatal(err, h)
	}
	if seen := audit.Explored(d.entries()); len(seen["a.txt"]) > 0 {
		t.Errorf("another client's read counts: %v", seen)
	}
}

// TestForgedLine: a line that nobody typed neither takes the place of the one that was
// typed nor allows anything.
func TestForgedLine(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	k := newKeeper(d)
	k.tells("UserPromptSubmit", map[string]any{"prompt": "/code --gate=full Change a.txt."})
	k.keeps(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": "/code --gate=full Change a.txt."}})
	k.tells("UserPromptSubmit", map[string]any{"prompt": "/code --fast Change a.txt."})
	l, err := d.server.lineFile().Binding()
	if err != nil || l == nil || l.Text != "/code --gate=full Change a.txt." || l.Unproven {
		t.Fatalf("the line that binds: %+v, %v", l, err)
	}
	if err := d.server.lineFile().Use(l, "s"); err != nil {
		t.Fatal(err)
	}
	if l, err := d.server.lineFile().Binding(); err != nil || l == nil || !l.Unproven {
		t.Errorf("the forged line afterwards: %+v, %v", l, err)
	}
	d.server.Connected("claude-code")
	if _, err := d.hook.HandleEvent(t.Context(), clients.Event{Client: "gemini", Name: clients.Prompt, Text: "/code --fast Change a.txt."}); err != nil {
		t.Fatal(err)
	}
	if l, err := d.server.lineFile().Binding(); err != nil || l == nil || !l.Unproven {
		t.Errorf("a line of a client that is not connected: %+v, %v", l, err)
	}
	flags, err := codecommand.ParseFlags([]string{"--fast"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.server.withholdOptions([]string{"--fast"}, flags, state.Modify, "Change a.txt.")
	if err != nil || c.withheld == nil || c.typed {
		t.Errorf("what nobody typed holds: %+v, %v", c, err)
	}
}
