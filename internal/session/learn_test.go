package session

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"testing"
	"time"

	"codeintel/internal/memory"
	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/project"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
)

func newService(t *testing.T) *Service {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	p, err := project.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(p, Code{}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ended writes the checkpoint of a session whose end is on disk, and of which
// nothing else was done before the process died.
func ended(t *testing.T, s *Service, id string, o state.Outcome) *state.State {
	t.Helper()
	a := memory.Agreement{Phrases: []string{"words of " + id}, Files: []string{"a.go"}, Session: id, LearnedAt: s.now()}
	file, text, err := s.agreements.Learn(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	st := &state.State{Schema: state.Schema, ID: id, Updated: s.now(), Intent: state.Modify, Query: "make it so", Outcome: o, EndedIn: phases.Merge, Lesson: &state.Lesson{Path: file, Text: string(text)}}
	if err := atomicfile.Write(s.folder().Path(st.ID+".json"), st); err != nil {
		t.Fatal(err)
	}
	return st
}

// A process that dies between the end of a session and its archive leaves
// nothing undone, and nothing is done twice.
func TestConcludeAfterACrash(t *testing.T) {
	s := newService(t)
	good, bad := "20260101-000000000-aaaaa", "20260101-000000001-aaaaa"
	st := ended(t, s, good, state.Completed)
	aborted := ended(t, s, bad, state.Aborted)
	s.recorder().Conclude(t.Context(), st) // and the process died before the archive
	before, err := os.ReadFile(s.project.Abs(st.Lesson.Path))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if open, err := s.interrupted(); err != nil || len(open) != 0 {
			t.Fatalf("interrupted: %v, %v", open, err)
		}
	}
	if after, err := os.ReadFile(s.project.Abs(st.Lesson.Path)); err != nil || string(after) != string(before) {
		t.Errorf("the agreement was written twice: %v\n%s", err, after)
	}
	if _, err := os.Stat(s.project.Abs(aborted.Lesson.Path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an aborted session left an agreement: %v", err)
	}
	all, err := s.logs.Outcomes.Read()
	if err != nil || len(all) != 2 || all[0].SessionID != good || all[0].Outcome != outcomelog.Success || all[0].Phase != "MERGE" || all[1].Outcome != outcomelog.Failure {
		t.Errorf("outcomes %+v, %v", all, err)
	}

	// One that comes back from the archive ends again.
	aborted.Updated = aborted.Updated.Add(time.Hour)
	s.recorder().Conclude(t.Context(), aborted)
	if all, err = s.logs.Outcomes.Read(); err != nil || len(all) != 3 {
		t.Errorf("outcomes %+v, %v", all, err)
	}
}

// A new request is held against the last result: only a complaint, of a result
// that is not too old and not a failure already, is one.
func TestHeed(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		arrange     func(st *state.State)
		want        bool
	}{
		{"a complaint", "まだ動かない", func(*state.State) {}, true},
		{"something else", "sort the list", func(*state.State) {}, false},
		{"of an old result", "まだ動かない", func(st *state.State) { st.Updated = st.Updated.Add(-8 * 24 * time.Hour) }, false},
		{"of an aborted session", "まだ動かない", func(st *state.State) { st.Outcome = state.Aborted }, false},
		{"of one that only verified", "まだ動かない", func(st *state.State) { st.Flags.OnlyVerify = true }, false},
	} {
		s := newService(t)
		st := ended(t, s, "20260101-000000000-aaaaa", state.Completed)
		tt.arrange(st)
		if err := atomicfile.Write(s.folder().Path(st.ID+".json"), st); err != nil {
			t.Fatal(err)
		}
		if _, err := s.interrupted(); err != nil { // which concludes and archives it
			t.Fatal(err)
		}
		for range 2 { // the second complaint finds it recorded
			turn := s.newTurn(&state.State{ID: "20260102-000000000-aaaaa", Query: tt.query}, nil)
			turn.recordComplaint(t.Context())
			if got := len(turn.Warnings) > 0; got != tt.want {
				t.Errorf("%s: warnings %q", tt.name, turn.Warnings)
			}
			if !tt.want {
				break
			}
			tt.want = false
			m, err := s.agreements.Load(t.Context())
			if err != nil || len(m.Agreements) != 0 || len(m.Faults) != 1 {
				t.Errorf("%s: the Map still has %v, %v", tt.name, m.Agreements, err)
			}
		}
	}
}

func TestRecordOutcome(t *testing.T) {
	s := newService(t)
	a, err := s.RecordOutcome(t.Context(), OutcomeRequest{Outcome: "failure", Trigger: "no session at all"})
	if err != nil || a.SessionID != "" {
		t.Fatalf("without a session: %+v, %v", a, err)
	}
	first, last := ended(t, s, "20260101-000000000-aaaaa", state.Completed), ended(t, s, "20260101-000000001-aaaaa", state.CompletedWithWarnings)
	if _, err := s.interrupted(); err != nil {
		t.Fatal(err)
	}
	if a, err = s.RecordOutcome(t.Context(), OutcomeRequest{Outcome: "partial", Phase: "READY"}); err != nil || a.SessionID != last.ID || a.Phase != "READY" || len(a.Agreements) != 0 {
		t.Errorf("the last session: %+v, %v", a, err)
	}
	if a, err = s.RecordOutcome(t.Context(), OutcomeRequest{SessionID: first.ID, Outcome: "success"}); err != nil || a.Phase != "MERGE" || len(a.Agreements) != 1 {
		t.Errorf("a session by its id: %+v, %v", a, err)
	}
	// What is in the archive may be cleaned; the log still knows.
	if err := os.RemoveAll(s.folder().Path("archive")); err != nil {
		t.Fatal(err)
	}
	if a, err = s.RecordOutcome(t.Context(), OutcomeRequest{Outcome: "failure"}); err != nil || a.SessionID != last.ID {
		t.Errorf("after the archive was emptied: %+v, %v", a, err)
	}
	stats, err := s.OutcomeStats(t.Context(), StatsRequest{})
	if err != nil || stats.Insights.Sessions != 2 || stats.Counts[outcomelog.Failure] != 1 || stats.More.Intent["MODIFY"].Sessions != 2 {
		t.Errorf("stats %+v, %v", stats.Insights, err)
	}
	for _, id := range []string{"nobody", "../../etc/passwd", "20260109-000000000-aaaaa"} {
		if _, err := s.RecordOutcome(t.Context(), OutcomeRequest{SessionID: id, Outcome: "success"}); err == nil {
			t.Errorf("session %q is taken", id)
		}
	}
	var st state.State
	if err := atomicfile.Read(s.folder().Path(first.ID+".json"), &st); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a checkpoint came back: %v", err)
	}
}
