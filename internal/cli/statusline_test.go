package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/audit"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
)

// TestStatusline wants one line where a session is open, and nothing at all
// elsewhere, whatever the client says.
func TestStatusline(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	sub := filepath.Join(root, "lending")
	for _, dir := range []string{sub, filepath.Join(root, ".code-intel")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	line := func(stdin string) string {
		t.Helper()
		var out, problem bytes.Buffer
		if status := Main(t.Context(), []string{"statusline"}, strings.NewReader(stdin), &out, &problem); status != 0 || problem.Len() > 0 {
			t.Errorf("status %d, %s", status, &problem)
		}
		return out.String()
	}
	here := fmt.Sprintf(`{"cwd": %q, "workspace": {"current_dir": %q}}`, sub, sub)
	for _, stdin := range []string{here, "", "{", `{"cwd": 7}`, `{"cwd": "/no/such/folder"}`} {
		if got := line(stdin); got != "" {
			t.Errorf("without a session, %s: %q", stdin, got)
		}
	}

	const id = "20260302-091500000-abcde"
	at := func(name string) string { return filepath.Join(root, ".code-intel", "sessions", name) }
	l, err := audit.Open(at(id + ".ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(audit.Entry{Kind: audit.Event, Name: "after", Outcome: audit.OK, Session: id}); err != nil {
		t.Fatal(err)
	}
	st := &state.State{Schema: 1, ID: id, Phase: phases.ReadyImplement, Work: state.Work{Tasks: []state.Task{{ID: "1", Status: state.TaskCompleted}, {ID: "2", Status: state.Pending}}}}
	write := func() {
		t.Helper()
		if err := atomicfile.Write(at(id+".json"), st); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if got, want := line(here), "code-intel READY implement · tasks 1/2 · L2 · interrupted: /code --resume\n"; got != want {
		t.Errorf("interrupted: %q, want %q", got, want)
	}
	unlock, err := atomicfile.TryLock(at("session.lock"), "session")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if got, want := line(here), "code-intel READY implement · tasks 1/2 · L2\n"; got != want {
		t.Errorf("live: %q, want %q", got, want)
	}
	st.Phase, st.Gate = phases.UserEscalation, &state.OpenGate{Nonce: "N", Phase: phases.UserEscalation}
	write()
	if got, want := line(here), "code-intel USER_ESCALATION · tasks 1/2 · L2 · decide: code-intel approve\n"; got != want {
		t.Errorf("at a gate: %q, want %q", got, want)
	}
	if err := os.WriteFile(at(id+".ledger.jsonl"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := line(here), "code-intel USER_ESCALATION · tasks 1/2 · decide: code-intel approve\n"; got != want {
		t.Errorf("with a broken ledger: %q, want %q", got, want)
	}
	st.Outcome = state.Completed
	write()
	if got := line(here); got != "" {
		t.Errorf("once it is over: %q", got)
	}
}
