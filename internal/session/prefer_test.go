package session

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/payload"
)

// TestPreferAfterACrash wants an aborted session to come back although a process
// that was bringing it back died between its two files, and to be resumed then.
func TestPreferAfterACrash(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	if err := os.Mkdir(root+"/.code-intel", 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(p, Code{}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Start(t.Context(), StartRequest{Intent: "QUESTION", Query: "where is it", Flags: []string{"--no-doc"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.live.ledger.Append(audit.Entry{Kind: audit.Tool, Name: "search_text"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Status(t.Context(), StatusRequest{DiscardActive: true}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.folder().ArchivedLedger(a.SessionID), s.folder().Ledger(a.SessionID)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // choosing it twice is choosing it
		if st, err := s.Prefer(t.Context(), a.SessionID); err != nil || st.Outcome != "" {
			t.Fatalf("%+v, %v", st, err)
		}
	}
	if back, err := s.Start(t.Context(), StartRequest{Flags: []string{"--resume"}}); err != nil || back.SessionID != a.SessionID || back.Phase != a.Phase {
		t.Errorf("resumed: %+v, %v", back, err)
	}
	if _, err := s.Submit(t.Context(), SubmitRequest{Data: payload.Parse([]byte(`{"abort": true, "reason": "it was a test"}`))}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prefer(t.Context(), "another"); problem.Of(err) == nil || problem.Of(err).Code != NoSession {
		t.Errorf("a session that there is not: %v", err)
	}
}
