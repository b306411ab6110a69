package savedsessions

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
)

// newProject is a project with sessions that were interrupted, the last one
// written first.
func newProject(t *testing.T, ids ...string) *project.Project {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	if err := os.Mkdir(root+"/.code-intel", 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		checkpoint(t, p, state.State{Schema: 1, ID: id, Phase: phases.Exploration, Updated: time.Unix(int64(1000-i), 0)})
	}
	return p
}

func checkpoint(t *testing.T, p *project.Project, st state.State) {
	t.Helper()
	if err := atomicfile.Write(p.Path("sessions", st.ID+".json"), st); err != nil {
		t.Fatal(err)
	}
}

func statuses(t *testing.T, p *project.Project) string {
	t.Helper()
	all, err := List(p)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range all {
		s := fmt.Sprintf("%s %s", r.ID, r.Status)
		if r.Next {
			s += " next"
		}
		said = append(said, s)
	}
	return strings.Join(said, ", ")
}

func TestList(t *testing.T) {
	p := newProject(t, "1-a", "2-b")
	if got, want := statuses(t, p), "1-a interrupted, 2-b interrupted next"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	unlock, err := atomicfile.TryLock(p.Path("sessions", "session.lock"), "session")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	// The one that was written last is the one that is led, not the youngest.
	if got, want := statuses(t, p), "1-a live, 2-b interrupted next"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r, err := Find(p, "1-")
	if err != nil || !strings.Contains(r.Holder, fmt.Sprint("pid ", os.Getpid())) {
		t.Errorf("holder %q, %v", r.Holder, err)
	}
}

// TestAbandonOfALiveSession wants a session that a process leads to be left
// alone, and that process to be named.
func TestAbandonOfALiveSession(t *testing.T) {
	p := newProject(t, "1-a")
	unlock, err := atomicfile.TryLock(p.Path("sessions", "session.lock"), "session")
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(p, session.Code{}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Abandon(t.Context(), "1-a", "a test")
	if said := problem.Of(err); said == nil || said.Code != session.SessionActive || !strings.Contains(said.Message.String(), fmt.Sprint("pid ", os.Getpid())) {
		t.Errorf("abandoned while it is live: %v", err)
	}
	unlock()
	if _, err := s.Abandon(t.Context(), "1-a", "a test"); err != nil {
		t.Error(err)
	}
	if got, want := statuses(t, p), "1-a archived"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFind(t *testing.T) {
	p := newProject(t, "20260101-a", "20260102-b")
	for name, want := range map[string]string{"20260101-a": "", "20260101": "", "b": "", "2026": "ambiguous_session", "x": "no_session", "": "no_session"} {
		_, err := Find(p, name)
		if got := ""; err != nil {
			if got = string(problem.Of(err).Code); got != want {
				t.Errorf("Find(%q): %s, want %s", name, got, want)
			}
		} else if want != "" {
			t.Errorf("Find(%q) found one, want %s", name, want)
		}
	}
}

// TestEnforcement wants the level of a session to be what its ledger shows, and
// none to be told of a ledger that does not hold.
func TestEnforcement(t *testing.T) {
	p := newProject(t, "1-a")
	l, err := audit.Open(p.Path("sessions", "1-a.ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	at := func(want string) *Record {
		t.Helper()
		r, err := Find(p, "1-a")
		if err != nil {
			t.Fatal(err)
		}
		if level, warning, err := r.Enforcement(); level != want || !warning.IsZero() || err != nil {
			t.Errorf("got %q, %q, %v; want %s", level, warning, err, want)
		}
		return r
	}
	add := func(e audit.Entry) {
		t.Helper()
		e.Session = "1-a"
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	add(audit.Entry{Kind: audit.Tool, Name: "search_text", Outcome: audit.OK})
	at("L1")
	add(audit.Entry{Kind: audit.Event, Name: "before", Outcome: audit.OK, Detail: map[string]string{"kind": "write", "call": "1"}})
	at("L2")
	add(audit.Entry{Kind: audit.Event, Name: "before", Outcome: audit.Blocked, Detail: map[string]string{"kind": "write", "call": "2"}})
	r := at("L3")

	file := p.Path("sessions", "1-a.ledger.jsonl")
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(data, []byte("write"), []byte("trick"), 1), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if level, _, err := r.Enforcement(); level != "" || err == nil {
		t.Errorf("of a forged ledger: %q, %v", level, err)
	}
}
