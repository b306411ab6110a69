package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/state"
)

const looked = `{"explored_files": ["a.txt"], "findings": ["it says one"], "tools_used": ["get_symbols", "search_text"], "summary": "Looked."}`

// A client that restarts its server does not tell the model, which goes on as if
// nothing had happened.
func TestSubmitTakesTheSessionUp(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	id := d.start("--no-doc").SessionID
	d.must(aFrame)
	d.server.Close()
	other := d.process(time.Now) // of another client, that looks about
	d.shows(other, "a.txt")
	d.server = d.process(time.Now)
	d.shows(d.server, "a.txt")
	if _, err := d.submit(looked); problem.Of(err) == nil || !strings.Contains(err.Error(), "2 kinds") {
		t.Fatalf("one kind of tool, before the session was taken up: %v", err)
	}
	if d.server.Where().Session != id {
		t.Fatal("the refusal does not say where the session stands")
	}
	if n := len(d.entries()); n != 2 { // the transition, and the one call
		t.Errorf("%d entries", n)
	}
	if err := d.server.Record(t.Context(), Call{Tool: "search_text", Outcome: audit.OK}); err != nil {
		t.Fatal(err)
	}
	a := d.must(looked)
	if a.SessionID != id || a.Phase != "Q1" || a.PhaseSummaries["step_04_QUERY_FRAME"] == "" || !strings.Contains(strings.Join(msg.Texts(a.Warnings), " "), "restored after an interruption") {
		t.Errorf("%s", a.Text())
	}
	if _, err := other.Submit(t.Context(), SubmitRequest{Data: payload.Parse([]byte(looked))}); problem.Of(err) == nil || problem.Of(err).Code != SessionActive {
		t.Errorf("another process submits to a session that is led here: %v", err)
	}
}

// Whatever an agent calls first after a restart, it is told what to do.
func TestNoDeadEndAfterARestart(t *testing.T) {
	restarted := func() *desk {
		d := newDesk(t, map[string]string{"a.txt": "one\n"})
		d.toWriting()
		d.shows(d.server, "a.txt")
		d.server.Close()
		d.server = d.process(time.Now)
		return d
	}
	d := restarted()
	if ok, said := d.allowed("a.txt"); !ok {
		t.Errorf("check_write_target: %s", said)
	}
	d.write("a.txt", "two\n")
	d.must(`{"task_id": "t1", "checklist": [{"item": "a.txt says two", "status": "done", "evidence": "a.txt:1"}], "tools_used": [], "summary": "Done."}`)
	d = restarted()
	if _, err := d.server.AddExploredFiles(t.Context(), FilesRequest{Files: []string{"a.txt"}}); err != nil {
		t.Errorf("add_explored_files: %v", err)
	}
	d = restarted()
	if _, err := d.server.ReviewChanges(t.Context(), ReviewRequest{}); problem.Of(err) == nil || problem.Of(err).Code != toolBlocked {
		t.Errorf("review_changes, which READY forbids: %v", err)
	}
	d = restarted()
	if a, err := d.server.Start(t.Context(), StartRequest{Intent: "MODIFY", Query: "Something else."}); err != nil || a.Recovery == nil {
		t.Errorf("start_session: %v, %v", a, err)
	}
	// With several, it is not for the server to guess.
	d = restarted()
	st := d.server.current()
	l, err := audit.Open(d.server.folder().Ledger(st.ID))
	if err != nil {
		t.Fatal(err)
	}
	st.ID = state.NewID(time.Now().Add(time.Hour))
	if err := d.server.folder().Write(st, l); err != nil {
		t.Fatal(err)
	}
	if _, err := d.submit(looked); problem.Of(err) == nil || problem.Of(err).Code != NoSession || !strings.Contains(strings.Join(msg.Texts(problem.Of(err).Next), " "), "get_session_status") {
		t.Errorf("several interrupted sessions: %v", err)
	}
	d = newDesk(t, nil)
	if _, err := d.submit(looked); problem.Of(err) == nil || problem.Of(err).Code != NoSession {
		t.Errorf("no session at all: %v", err)
	}
	if _, err := os.Stat(d.root + "/.code-intel"); err == nil {
		t.Error("a folder was made")
	}
}

// TestOldCheckpoint goes on with a session of the first version.
func TestOldCheckpoint(t *testing.T) {
	const id = "20261120-101112000-abcde"
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	data, err := os.ReadFile("testdata/checkpoint-1.json")
	if err != nil {
		t.Fatal(err)
	}
	l, err := audit.Open(d.server.folder().Ledger(id))
	if err != nil {
		t.Fatal(err)
	}
	d.write(".code-intel/sessions/.gitignore", "*\n")
	var head audit.Head
	for _, e := range []audit.Entry{
		{Kind: audit.Transition, Session: id, Name: "EXPLORATION", Outcome: audit.OK},
		{Kind: audit.Event, Session: id, Name: "compact", Outcome: audit.OK}, // seen to by the old server
	} {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		head = l.Head()
	}
	seal := func(body string) {
		body = strings.TrimSuffix(body, "\n}\n")
		d.write(".code-intel/sessions/"+id+".json", string(state.Sealed(l, []byte(body))))
	}
	seal(strings.Replace(string(data), "HEAD", head.MAC, 1))
	a, err := d.server.Status(t.Context(), StatusRequest{})
	if err != nil || a.SessionID != id || a.Phase != "EXPLORATION" || a.PhaseSummaries["step_04_QUERY_FRAME"] != "Frame." {
		t.Fatalf("%v, %v", a, err)
	}
	if st := d.server.current(); st.Schema != state.Schema || st.CompactSeen != head.Seq || st.Query != "Change a.txt." || len(st.Approved) != 1 {
		t.Errorf("%+v", st)
	}
	d.server.Close()
	seal(strings.Replace(string(data), `"schema": 1`, `"schema": 99`, 1))
	d.server = d.process(time.Now)
	if _, err := d.server.Status(t.Context(), StatusRequest{}); problem.Of(err) == nil || problem.Of(err).Code != NoSession {
		t.Errorf("a checkpoint of the future: %v", err)
	}
	if _, err := os.Stat(d.server.folder().Path("set-aside", id+".json")); err != nil {
		t.Errorf("it is not set aside: %v", err)
	}
}
