package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/state"
)

// notResumable is the code of a session that cannot go on.
const notResumable problem.Code = "not_resumable"

// nextFile names the session that a person wants resumed, if there are several.
const nextFile = "resume-next"

// InOrder sorts interrupted sessions: the one that start_session --resume takes
// comes last. That is the latest, unless a person chose another.
func InOrder(p *project.Project, open []*state.State) {
	chosen, _ := repofile.At(p.Path("sessions", nextFile)).Read(repofile.Settings) // there is one only if somebody chose
	id := strings.TrimSpace(string(chosen))
	slices.SortStableFunc(open, func(a, b *state.State) int {
		switch {
		case a.ID == id && b.ID != id:
			return 1
		case b.ID == id && a.ID != id:
			return -1
		}
		return strings.Compare(a.ID, b.ID) // ids sort by time
	})
}

// Prefer makes a session the one that start_session --resume takes. One that was
// aborted comes back from the archive, in the phase in which it was given up.
func (s *Service) Prefer(ctx context.Context, id string) (*state.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	open, err := s.interrupted()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(open, func(st *state.State) bool { return st.ID == id })
	var st *state.State
	if i >= 0 {
		st = open[i]
	} else if st, err = s.unarchive(ctx, id); err != nil {
		return nil, err
	}
	return st, atomicfile.WriteBytes(s.folder().Path(nextFile), []byte(id+"\n"))
}

// unarchive brings an aborted session back.
func (s *Service) unarchive(ctx context.Context, id string) (*state.State, error) {
	st, err := state.Read(s.folder().ArchivedCheckpoint(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.New(NoSession, "session.no_session", id).
			Or("session.code_intel_session_show_lists")
	}
	if err != nil {
		return nil, err
	}
	no := func(why msg.Message) error {
		return problem.New(notResumable, "session.session_cannot_resumed", id, why).
			Or("session.begin_another_session", op.StartSession)
	}
	if _, ok := s.table.Contract(st.Phase); st.Outcome != state.Aborted || !ok {
		return nil, no(msg.New("session.it_ended_as", string(st.Outcome), string(st.Phase)))
	}
	if st.Branch != nil {
		r, err := git.Open(ctx, s.project.Root)
		if err != nil {
			return nil, err
		}
		if tip, err := r.Resolve(ctx, "refs/heads/"+st.Branch.Name); err != nil {
			return nil, err
		} else if tip == "" {
			return nil, no(msg.New("session.its_branch_is_gone", st.Branch.Name))
		}
	}
	record := s.folder().ArchivedLedger(id)
	if !exists(record) { // a process that was bringing it back died
		record = s.folder().Ledger(id)
	}
	l, err := state.OpenLedger(st, record, s.folder().ArchivedCheckpoint(id))
	if err != nil {
		return nil, err
	}
	st.Outcome, st.Reason, st.Updated = "", msg.Message{}, s.now()
	// The checkpoint comes last: as long as it is not here, nothing has happened.
	err = repofile.At(s.folder().ArchivedLedger(id)).Rename(repofile.At(s.folder().Ledger(id)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("resume: %w", err)
	}
	if err := s.folder().Write(st, l); err != nil {
		return nil, err
	}
	if err := repofile.At(s.folder().ArchivedCheckpoint(id)).Remove(); err != nil {
		return nil, fmt.Errorf("resume: %w", err)
	}
	return st, nil
}

// Abandon ends an interrupted session as aborted: the one with the id, or the
// one that would be resumed. Its branch and files stay as they are, and so does
// its checkpoint, in the archive. It is refused while another process leads a
// session.
func (s *Service) Abandon(ctx context.Context, id, reason string) (*answer.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	st, err := s.restore(id)
	if err != nil {
		unlock()
		return nil, err
	}
	l, err := state.OpenLedger(st, s.folder().Ledger(st.ID), s.folder().Checkpoint(st.ID)) // what is gone must go on being missed
	if p := problem.Of(err); errors.As(err, new(*audit.Broken)) || p != nil && p.Code == state.Forged {
		return s.abandonBroken(ctx, st, reason, err, unlock)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	s.live = &live{st: st, ledger: l, unlock: unlock}
	t, err := s.turn()
	if err == nil {
		err = errors.Join(t.abort(ctx, msg.Literal(reason)), t.save())
	}
	if err != nil {
		return nil, errors.Join(err, s.release())
	}
	return t.finish(ctx)
}

// abandonBroken ends a session whose record is not what the server wrote. Its
// checkpoint goes without a seal, so that it never comes back.
func (s *Service) abandonBroken(ctx context.Context, st *state.State, reason string, broken error,
	unlock func()) (*answer.Answer, error) {
	defer unlock()
	st.Outcome, st.Reason, st.Updated = state.Aborted, msg.Literal(reason), s.now()
	if p := problem.Of(broken); p != nil {
		st.Warnings = append(st.Warnings, p.AsMessage())
	} else {
		st.Warnings = append(st.Warnings, msg.Literal(broken.Error()))
	}
	if err := atomicfile.Write(s.folder().Checkpoint(st.ID), st); err != nil {
		return nil, err
	}
	s.conclude(ctx, st)
	return &answer.Answer{Success: true, SessionID: st.ID, SessionComplete: true, Outcome: state.Aborted, Reason: st.Reason,
		Warnings: st.Warnings}, s.folder().Archive(st.ID)
}
