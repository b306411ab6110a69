package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
	"codeintel/internal/workflow"
)

// An agent is kept from stopping while a phase is open, twice; then it may go, and
// the person is told. What gets the session on begins the count anew.
func TestStops(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start("--quick", "--no-doc")
	stop := clients.Event{Client: "claude", Name: clients.Stop, Hook: "Stop"}
	held := func(want bool) {
		t.Helper()
		h := d.hear(stop)
		if h.Denied != want || want != h.Note.IsZero() {
			t.Fatalf("denied %v, want %v; note %q", h.Denied, want, h.Note)
		}
		if want && !strings.Contains(h.Reason.String(), h.Phase) {
			t.Errorf("the reason does not name the phase: %s", h.Reason)
		}
	}
	held(true)
	held(true)
	held(false)
	held(false)
	if _, err := d.submit(`{"nothing": "that fits"}`); err == nil {
		t.Fatal("it was taken")
	}
	held(false) // a refusal gets nothing on
	d.must(aFrame)
	held(true)
	busy := stop
	busy.Busy = true
	if h := d.hear(busy); h.Denied || !h.Note.IsZero() {
		t.Errorf("an agent that waits for something in the background is held: %+v", h)
	}
	held(true)
	held(false)
}

// Who talks to a model in the same project, and not about the session, is not held;
// and holds nobody else.
func TestStopsBeside(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start("--quick", "--no-doc")
	stop := func(conversation string) bool {
		return d.hear(clients.Event{Client: "claude", Name: clients.Stop, Session: conversation}).Denied
	}
	calls := func(conversation, id string) {
		d.hear(clients.Event{Client: "claude", Name: clients.Before, Session: conversation, Tool: "mcp__code-intel__search_text", Server: "code-intel", Kind: clients.MCP, Call: id})
	}
	calls("theirs", "2") // which reaches another server, as this one is of another client
	if !stop("theirs") {
		t.Error("who leads the session is not known yet, and nobody is held")
	}
	calls("ours", "1")
	if err := d.server.Record(t.Context(), Call{Tool: "search_text", ID: "1", Outcome: audit.OK}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if stop("theirs") {
			t.Error("a conversation beside the session is held")
		}
	}
	if !stop("ours") {
		t.Error("the conversation that leads the session is not held")
	}
}

// Nobody is held where a person decides, nor while no server leads.
func TestStopsWhereNobodyIsHeld(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start("--quick", "--no-doc")
	if err := d.server.Close(); err != nil {
		t.Fatal(err)
	}
	stop := clients.Event{Client: "claude", Name: clients.Stop}
	if h := d.hear(stop); h.Denied {
		t.Errorf("held though no server leads: %s", h.Reason)
	}
	for _, gate := range []*state.OpenGate{nil, {Nonce: "n", Phase: phases.UserEscalation}} {
		h, entry := &workflow.HookResult{Live: true}, &audit.Entry{Detail: map[string]string{}}
		d.hook.stops(stop, &state.State{ID: "s", Phase: phases.UserEscalation, Deciding: state.Deciding{Gate: gate}}, nil, entry, h)
		if h.Denied != (gate == nil) {
			t.Errorf("with the gate %v: denied %v", gate, h.Denied)
		}
	}
}

// A model whose context was made shorter is told where its session is: by the
// hook that runs after it, or, where a client has none, with the next prompt.
func TestRecap(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.toWriting()
	tells := func(e clients.Event, want bool) {
		t.Helper()
		h := d.hear(e)
		if h.Context.IsZero() == want {
			t.Fatalf("%s: told %q", e.Name, h.Context)
		}
		if !want {
			return
		}
		for _, part := range []string{h.ID, "READY", "Change a.txt.", "Task t1 (pending)", "One task.", "checklist"} {
			if !strings.Contains(h.Context.String(), part) {
				t.Errorf("%s: %q is not told:\n%s", e.Name, part, h.Context)
			}
		}
	}
	prompt := clients.Event{Client: "codex", Name: clients.Prompt, Text: "go on"}
	compact := clients.Event{Client: "codex", Name: clients.Compact, Source: "auto"}
	tells(prompt, false)
	tells(clients.Event{Client: "claude", Name: clients.SessionStart, Source: "compact"}, true)
	tells(prompt, false)
	tells(compact, false)
	tells(prompt, true)
	tells(prompt, false)
}

// A change that nobody approved is named at once, and once.
func TestNamesForeignChanges(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	d.toWriting()
	names := func(e clients.Event, want ...string) {
		t.Helper()
		h := d.hear(e)
		for _, f := range []string{"a.txt", "b.txt", "c.txt"} {
			told := strings.Contains(h.Context.String(), f)
			should := false
			for _, w := range want {
				should = should || w == f
			}
			if told != should {
				t.Errorf("%s %s: %s is named: %v; told %q", e.Name, e.Kind, f, told, h.Context)
			}
		}
	}
	batch := clients.Event{Client: "claude", Name: clients.Batch, Hook: "PostToolBatch", Kind: clients.Shell}
	names(batch)
	d.write("b.txt", "two\n")
	names(clients.Event{Client: "claude", Name: clients.Batch, Kind: clients.OtherTool}) // nothing that leaves traces
	names(batch, "b.txt")
	names(batch)
	d.write("c.txt", "new\n")
	names(clients.Event{Client: "codex", Name: clients.After, Kind: clients.Shell, Tool: "Bash", Command: "make"}, "c.txt")
	d.hear(reads("a.txt", 1, 1))
	if h := d.hear(writes("a.txt")); h.Denied {
		t.Fatal(h.Reason)
	}
	d.write("a.txt", "two\n")
	names(batch)
	if err := os.Remove(filepath.Join(d.root, "c.txt")); err != nil {
		t.Fatal(err)
	}
	names(batch)
}
