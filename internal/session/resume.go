package session

import (
	"errors"
	"slices"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/state"
)

// A client restarts its server at any time and does not tell the model. The new
// process therefore goes on where the old one was: a call that only makes sense
// within a session takes the interrupted one up, and what the same process had
// shown its client until then is noted as seen.

// maxWaiting is how many calls are kept for a session that may be taken up.
const maxWaiting = 200

// wait keeps a call that was made while an interrupted session may be waiting.
func (s *Service) wait(c Call) {
	if len(s.folder().Checkpoints()) == 0 {
		return
	}
	e := s.entry(c)
	e.Time = s.now()
	s.waiting = append(s.waiting, e)
	s.waiting = s.waiting[max(0, len(s.waiting)-maxWaiting):]
}

// reopen opens the interrupted session with the id, or the only one, and notes
// the calls that this process answered since it was interrupted. The next answer
// carries its summaries.
func (s *Service) reopen(id string) error {
	if !exists(string(s.folder())) { // taking the lead would make it
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
	s.live = &live{st: st, ledger: l, unlock: unlock, since: st.Updated}
	return s.catchUp(st.Updated)
}

// catchUp notes what was seen between the interruption and now.
func (s *Service) catchUp(interrupted time.Time) error {
	missed := slices.DeleteFunc(s.waiting, func(e audit.Entry) bool { return !e.Time.After(interrupted) })
	s.waiting = nil
	for _, e := range missed {
		e.Session, e.Phase = s.live.st.ID, string(s.live.st.Phase)
		if _, err := s.live.ledger.Append(e); err != nil {
			return errors.Join(err, s.release())
		}
	}
	t, err := s.turn()
	if err != nil {
		return err
	}
	if err := t.recoverCommits(); err != nil {
		return errors.Join(err, s.release())
	}
	t.openGate()
	t.st.ShowSummaries = true
	return t.save()
}

// ensureOpen sees to it that a session is open, for a call that makes no sense without:
// it takes up the one that was interrupted, if it is clear which. The phase of
// that session may not permit the tool.
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
