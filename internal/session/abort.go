package session

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
)

// An aborted session leaves what it wrote in the working tree. The next session would take
// that for the user's changes, so it is told which files they are.

// abort gives the session up, and notes what it leaves in the tree.
func (t *turn) abort(ctx context.Context, reason msg.Message) error {
	t.State.Outcome, t.State.Reason = state.Aborted, reason
	if !t.State.Git || t.State.ExplorationOnly() || t.State.Branch == nil {
		return nil // it wrote nothing
	}
	changes, err := t.Own(ctx)
	t.State.LeftBehind = t.s.hashes(git.Paths(changes))
	return err
}

// abortedLooked is how many of the latest sessions are searched for leftovers.
const abortedLooked = 20

// warnOfLeftovers names the files that still are as an aborted session left them, and that
// nobody has committed.
func (s *Service) warnOfLeftovers(ctx context.Context, r *git.Repo, st *state.State) error {
	if st.Base == "" {
		return nil // nothing is committed, and no task branch was made
	}
	dirty, err := r.Diff(ctx, st.Base, st.Start.Tree)
	if err != nil || len(dirty) == 0 {
		return err
	}
	archived := repofile.At(s.folder().Path("archive")).Match("*.json")
	now := s.hashes(git.Paths(dirty))
	slices.Sort(archived) // ids sort by time
	for _, name := range archived[max(0, len(archived)-abortedLooked):] {
		id := strings.TrimSuffix(filepath.Base(name), ".json")
		old, err := state.Read(s.folder().ArchivedCheckpoint(id))
		if err != nil || old.Outcome != state.Aborted {
			continue // what cannot be read tells nothing
		}
		left := slices.DeleteFunc(slices.Sorted(maps.Keys(old.LeftBehind)), func(f string) bool { return now[f] != old.LeftBehind[f] })
		if len(left) > 0 {
			st.Warn("session.left_by_aborted_session", id, refusal.Some(left, 10))
		}
	}
	return nil
}

// Abandon ends an interrupted session as aborted: the one with the id, or the
// one that would be resumed. Its branch and files stay as they are, and so does
// its checkpoint, in the archive. It is refused while another process has a
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
	s.live = &openSession{st: st, ledger: l, unlock: unlock}
	t, err := s.beginTurn()
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
	s.recorder().Conclude(ctx, st)
	return &answer.Answer{Success: true, SessionID: st.ID, SessionComplete: true, Outcome: state.Aborted, Reason: st.Reason,
		Warnings: st.Warnings}, s.folder().Archive(st.ID)
}
