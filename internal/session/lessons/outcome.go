// Package lessons records how sessions end, and turns a completed one into an agreement of the Map: the words of
// the request, and the symbols that were changed for it. A session calls it before its merge, as it ends, and as
// the next one begins with a complaint about it.
package lessons

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/memory"
	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/session/instructions"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
	"codeintel/internal/workflow/phase"
)

// A Recorder writes the log of outcomes and the agreements of one project.
type Recorder struct {
	Project    *project.Project
	Outcomes   *outcomelog.Logs
	Agreements *memory.Folder
	Texts      instructions.Texts
	Log        *slog.Logger
	Now        func() time.Time
	PhaseName  func(phase.ID) string // in answers and logs
}

func (r Recorder) folder() state.Folder { return state.FolderOf(r.Project.Root) }

// complaintAge is how old a result may be for a new request to complain of it.
const complaintAge = 7 * 24 * time.Hour

// Complaint returns the session whose result a new request complains about, and the words
// that say so; nil if it does not complain.
func (r Recorder) Complaint(st *state.State) (*state.State, string, error) {
	all, err := r.Outcomes.Outcomes.Read()
	if err != nil {
		return nil, "", err
	}
	for i := len(all) - 1; i >= 0; i-- {
		o := all[i]
		if o.Source != outcomelog.SessionEnd || o.SessionID == st.ID {
			continue
		}
		last, err := r.Archived(o.SessionID)
		if err != nil {
			return nil, "", err
		}
		if last != nil && last.Flags.OnlyVerify {
			continue // it has no result of its own
		}
		others := func(x outcomelog.Outcome) bool { return x.SessionID != o.SessionID }
		final := outcomelog.Final(slices.DeleteFunc(all, others), 1)
		if last == nil || final[0].Outcome == outcomelog.Failure || r.Now().Sub(last.Updated) > complaintAge {
			return nil, "", nil
		}
		words := outcomelog.Complaint(st.Query, last.Query)
		if words == "" {
			return nil, "", nil
		}
		return last, words, nil
	}
	return nil, "", nil
}

// Archived returns a session that has ended; nil if there is none of that id.
func (r Recorder) Archived(id string) (*state.State, error) {
	st := new(state.State)
	err := atomicfile.Read(r.folder().ArchivedCheckpoint(id), st)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || st.ID != id {
		return nil, errors.Join(err, fmt.Errorf("session: %s cannot be read from the archive", id))
	}
	return st, nil
}

// Settle records an outcome and marks the agreements of its session accordingly.
func (r Recorder) Settle(ctx context.Context, o outcomelog.Outcome) ([]string, error) {
	if err := r.Outcomes.Outcomes.Append(o); err != nil {
		return nil, err
	}
	return r.Agreements.Mark(ctx, o.SessionID, memory.Outcome(o.Outcome))
}

// results are the outcomes of sessions as the log has them.
var results = map[state.Outcome]outcomelog.Result{
	state.Completed: outcomelog.Success, state.CompletedWithWarnings: outcomelog.Partial, state.CompletedUnverified: outcomelog.Partial,
	state.Aborted: outcomelog.Failure,
}

// OutcomeOf is what the log says of a session as it is.
func (r Recorder) OutcomeOf(st *state.State) outcomelog.Outcome {
	o := outcomelog.Outcome{
		SessionID: st.ID, Timestamp: outcomelog.Stamp(r.Now()), Outcome: results[st.Outcome],
		Phase: r.PhaseName(cmp.Or(st.EndedIn, st.Phase)), Intent: string(st.Intent),
		SessionEnded: string(st.Outcome), Overridden: st.Overridden, DevragUsed: r.searchedByMeaning(st.ID),
	}
	if !st.Reason.IsZero() {
		o.Analysis = map[string]any{"reason": text.Clip(st.Reason.String(), 2000)}
	}
	if st.Frame != nil {
		o.HasFrame, o.RiskLevel, o.MissingSlots = true, st.Frame.Risk, outcomelog.Missing(st.Frame)
	}
	return o
}

// searchedByMeaning reports whether the ledger of a session holds a search by
// meaning that answered.
func (r Recorder) searchedByMeaning(id string) bool {
	file := r.folder().Ledger(id)
	if !repofile.At(file).Exists() {
		file = r.folder().ArchivedLedger(id)
	}
	if !repofile.At(file).Exists() {
		return false
	}
	l, err := audit.Open(file)
	if err != nil {
		return false
	}
	defer l.Close()
	entries, err := l.Since(0)
	return err == nil && slices.ContainsFunc(entries, func(e audit.Entry) bool {
		return e.Kind == audit.Tool && (e.Name == string(op.SemanticSearch) || e.Name == string(op.Query)) && e.Outcome == audit.OK
	})
}

// Conclude notes how a session ended, once its end is on disk: it writes the
// agreement that no merge brought, and records the outcome. It may be repeated.
func (r Recorder) Conclude(ctx context.Context, st *state.State) {
	if l := st.Lesson; l != nil && st.Outcome == state.Completed && path.Dir(l.Path) == memory.Dir {
		if !r.isAgreementOf(l.Path, st.ID) {
			if err := r.Project.WriteFile(l.Path, []byte(l.Text)); err != nil {
				r.Log.Warn("the agreement is not written", "session", st.ID, "file", l.Path, "err", err)
			}
		}
		// The commit that brought it is the server's, not one of the user's.
		if err := r.Texts.Vouch(l.Path, []byte(l.Text)); err != nil {
			r.Log.Warn("the agreement is not trusted", "session", st.ID, "file", l.Path, "err", err)
		}
	}
	o := r.OutcomeOf(st)
	o.Source, o.Timestamp = outcomelog.SessionEnd, outcomelog.Stamp(st.Updated)
	// one that came back from the archive ends again
	err := r.Outcomes.Outcomes.AppendUnless(o, func(earlier outcomelog.Outcome) bool {
		return earlier.SessionID == st.ID && earlier.Source == outcomelog.SessionEnd && earlier.Timestamp == o.Timestamp
	})
	if err != nil {
		r.Log.Warn("the outcome is not recorded", "session", st.ID, "err", err)
	}
	if o.Outcome == outcomelog.Failure { // a merge before a crash may have brought one
		if _, err := r.Agreements.Mark(ctx, st.ID, memory.Failure); err != nil {
			r.Log.Warn("the agreement of a failed session is not marked", "session", st.ID, "err", err)
		}
	}
}
