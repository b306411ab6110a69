package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/state"
)

// A client may restart its server at any time without telling the model. So the new process
// continues where the old one stopped: a call that only makes sense within a session resumes
// the interrupted one, and what this process has shown its client until then counts as seen.

// maxWaiting is how many calls are kept that are not in the ledger of a session yet.
const maxWaiting = 200

// wait keeps a call for the ledger of the session that is open, or will be.
func (s *Service) wait(c Call) {
	e := s.entry(c)
	e.Time = s.now()
	s.waiting = append(s.waiting, e)
	s.waiting = s.waiting[max(0, len(s.waiting)-maxWaiting):]
}

// noteWaiting adds the calls that wait to the ledger. One that cannot be added, for want of
// space on the disk, waits on.
func (s *Service) noteWaiting() error {
	for len(s.waiting) > 0 {
		e := s.waiting[0]
		e.Session, e.Phase = s.live.st.ID, string(s.live.st.Phase)
		added, err := s.live.ledger.Append(e)
		if added.MAC != "" || err == nil {
			s.waiting = s.waiting[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reopen opens the interrupted session with the id, or the only one, and notes
// the calls that this process answered since it was interrupted. The next answer
// carries its summaries.
func (s *Service) reopen(id string) error {
	if !repofile.At(string(s.folder())).Exists() { // taking the lead would make it
		_, err := s.restore(id)
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	st, err := s.restore(id)
	if err != nil {
		unlock()
		return err
	}
	l, err := state.OpenLedger(st, s.folder().Ledger(st.ID), s.folder().Checkpoint(st.ID))
	if err != nil {
		unlock()
		return err
	}
	s.live = &openSession{st: st, ledger: l, unlock: unlock, since: st.Updated}
	return s.catchUp(st.Updated)
}

// catchUp notes what was seen between the interruption and now.
func (s *Service) catchUp(interrupted time.Time) error {
	s.waiting = slices.DeleteFunc(s.waiting, func(e audit.Entry) bool { return !e.Time.After(interrupted) })
	if err := s.noteWaiting(); err != nil {
		return errors.Join(err, s.release())
	}
	t, err := s.beginTurn()
	if err != nil {
		return err
	}
	if err := t.recoverCommits(); err != nil {
		return errors.Join(err, s.release())
	}
	t.openGate()
	t.State.ShowSummaries = true
	return t.save()
}

// ensureOpen makes sure that a session is open, for a call that makes no sense without one: it
// resumes the interrupted one, if it is clear which. It is refused if the phase of that session
// does not permit the tool.
func (s *Service) ensureOpen(id string, tool op.Name) error {
	if s.live != nil {
		return nil
	}
	files := s.folder().Checkpoints()
	if len(files) == 0 {
		return s.noneOpen()
	}
	if len(files) > 1 && id == "" {
		return problem.New(NoSession, "session.no_session_open_several_interrupted").
			Or("session.status_restores_the_last", op.GetSessionStatus,
				msg.CallOf(op.GetSessionStatus, "session_id", msg.Blank)).
			Or("session.code_intel_session_show_lists")
	}
	if err := s.reopen(id); err != nil {
		return err
	}
	return s.permit(string(tool))
}

// restored says once that the session goes on after an interruption.
func (s *Service) restored() (warning msg.Message) {
	if since := s.live.since; !since.IsZero() {
		s.live.since = time.Time{}
		return msg.New("session.restored_after_interruption_at", since.Format(time.RFC3339))
	}
	return warning
}

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
	if !repofile.At(record).Exists() { // a process that was bringing it back died
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
