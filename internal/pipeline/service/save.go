package service

import (
	"errors"
	"io/fs"
	"time"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// save writes the state, then what it has to say into the journal. What a killed
// process left out of the journal is still in the state.
func (t *turn) save() error {
	now := t.s.o.Now().UTC().Format(time.RFC3339)
	t.st.Revision = t.over + 1
	t.st.Updated = now
	for i := range t.st.Entries {
		if e := &t.st.Entries[i]; e.Time == "" {
			e.Time, e.Revision = now, t.st.Revision
		}
	}
	for i := range t.st.Decisions {
		if d := &t.st.Decisions[i]; d.At == "" {
			d.At = now
		}
	}
	if err := t.w.Save(t.locks, t.over, t.st); err != nil {
		return err
	}
	t.over, t.dirty = t.st.Revision, false
	failpoint.Point("saved " + string(t.st.Status) + ": journal behind")
	if len(t.st.Entries) == 0 {
		return nil
	}
	err := workspace.Note(t.w, t.locks, t.over, func(have []engine.Entry) ([]engine.Entry, error) {
		missing := t.st.Entries
		// by a process that found them in the state
		for len(have) > 0 && len(missing) > 0 && missing[0].Sequence <= have[len(have)-1].Sequence {
			missing = missing[1:]
		}
		return missing, nil
	})
	if err != nil {
		return err
	}
	t.st.Entries = nil
	return nil
}

// journal appends the entries that the state has and the journal has not. Of the
// others none may be missing: who reads the journal takes it for all that was.
func (t *turn) journal() error {
	first, anew := t.st.Sequence-len(t.st.Entries), false
	err := workspace.Note(t.w, t.locks, t.over, func(have []engine.Entry) ([]engine.Entry, error) {
		last := t.st.JournalFrom
		for _, e := range have {
			if e.Sequence != last+1 {
				return nil, t.journalDamaged(msg.New("pipeline.entry_comes_after_entry", e.Sequence, last))
			}
			last = e.Sequence
		}
		if last >= first && last <= t.st.Sequence {
			return t.st.Entries[len(t.st.Entries)-(t.st.Sequence-last):], nil
		}
		if _, err := t.w.Read(workspace.JournalFile); !errors.Is(err, fs.ErrNotExist) {
			return nil, t.journalDamaged(msg.New("pipeline.ends_entry_state_seen", last, first))
		}
		anew = true
		return nil, nil
	})
	if err != nil {
		return err
	}
	if anew {
		t.Warn("pipeline.journal_jsonl_not_so_begins")
		t.st.JournalFrom = first
		return t.save() // where it begins is known before it does
	}
	t.st.Entries = nil
	return nil
}

// lastEntries is journal for a pipeline that is over, whose last process may have
// been killed. Its state does not change any more, and nothing keeps it from saying
// that it is over.
func (t *turn) lastEntries() error {
	if _, err := t.w.Read(workspace.JournalFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := t.journal()
	if p := problem.Of(err); p != nil {
		t.Warn("%s", p.Message)
		return nil
	}
	return err
}

func (t *turn) journalDamaged(what msg.Message) error {
	return problem.New(workspace.JournalDamaged, "pipeline.journal_jsonl_not_whole", t.w.Path(), what).
		Or("workspace.bring_file_back_from_backup").
		Or("pipeline.move_away_new_one_begun")
}
