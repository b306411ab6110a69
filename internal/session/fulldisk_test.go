package session

import (
	"os"
	"path/filepath"
	"testing"

	"codeintel/internal/audit"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/problem"
)

// TestStartIsWholeOrNothing has the last write of start_session fail: no session is open then,
// and the same call opens one as soon as it can.
func TestStartIsWholeOrNothing(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.hear(prompts("/code --no-doc Change a.txt."))
	line := filepath.Join(d.root, ".code-intel", "sessions", lineFile)
	text, err := os.ReadFile(line)
	if err != nil {
		t.Fatal(err)
	}
	failpoint.Install(func(name string) {
		written, _ := filepath.Glob(filepath.Join(filepath.Dir(line), "."+lineFile+".tmp-*"))
		if name == "write: not renamed" && len(written) > 0 {
			_ = os.Remove(line)
			_ = os.MkdirAll(filepath.Join(line, "x"), 0o755) // nothing can be renamed to this
		}
	})
	t.Cleanup(func() { failpoint.Install(func(string) {}) })
	request := StartRequest{Intent: "MODIFY", Query: "Change a.txt.", Flags: []string{"--no-doc"}}
	if a, err := d.server.Start(t.Context(), request); err == nil {
		t.Fatalf("the line was not written: %s", a.Text())
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(line), "2*"))
	if place := d.server.Where(); place.Session != "" || len(left) > 0 {
		t.Fatalf("open is %q, and left over are %q", place.Session, left)
	}
	failpoint.Install(func(string) {})
	if err := os.RemoveAll(line); err != nil {
		t.Fatal(err)
	}
	d.write(".code-intel/sessions/"+lineFile, string(text))
	if a, err := d.server.Start(t.Context(), request); err != nil || a.SessionID == "" {
		t.Fatal(err)
	}
}

// TestCallsAreNotedLater has calls of tools that cannot be noted when they are answered: they
// count as soon as they can be.
func TestCallsAreNotedLater(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start("--no-doc")
	d.must(aFrame)
	lock := filepath.Join(d.root, ".code-intel", "sessions", "state.lock")
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(lock, lock+".away")
	if err := os.Mkdir(lock, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"search_text", "find_references"} {
		if err := d.server.Record(t.Context(), Call{Tool: tool, Outcome: audit.OK}); err == nil {
			t.Fatal("the ledger can be written")
		}
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	move(lock+".away", lock)
	before := len(d.entries())
	d.shows(d.server, "a.txt")
	if now := d.entries(); len(now) != before+3 || now[before].Name != "search_text" || now[before+1].Name != "find_references" {
		t.Errorf("noted are %v", now[before:])
	}
	if _, err := d.submit(looked); problem.Of(err) != nil {
		t.Error(err)
	}
}
