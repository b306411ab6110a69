package session

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/session/state"
)

// An aborted session leaves what it wrote in the tree. The next one would take it for the
// user's, so it is told what is whose.

// abort gives the session up, and notes what it leaves in the tree.
func (t *turn) abort(ctx context.Context, reason msg.Message) error {
	t.st.Outcome, t.st.Reason = state.Aborted, reason
	if !t.st.Git || t.st.ExplorationOnly() || t.st.Branch == nil {
		return nil // it wrote nothing
	}
	changes, err := t.own(ctx)
	t.st.LeftBehind = t.s.hashes(git.Paths(changes))
	return err
}

// abortedLooked is how many of the latest sessions are asked for what they left.
const abortedLooked = 20

// tellLeftovers names the files that still are as an aborted session left them, and that
// nobody has committed.
func (s *Service) tellLeftovers(ctx context.Context, r *git.Repo, st *state.State) error {
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
			st.Warn("session.left_by_aborted_session", id, some(left, 10))
		}
	}
	return nil
}
