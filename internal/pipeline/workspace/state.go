package workspace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/workflow"
)

// Codes of calls that come at the wrong time.
const (
	Busy     problem.Code = "workspace_busy" // another client leads this pipeline
	Conflict problem.Code = "state_changed"  // somebody else wrote the state meanwhile
)

// Locks are the locks of the workspaces of one working tree. They are in its git
// directory, because a lock file that came and went in the tree would make it dirty.
type Locks struct{ Dir string }

func (l Locks) path(w *Workspace, kind string) string {
	return filepath.Join(l.Dir, w.name+"."+kind)
}

// Acquire takes a workspace for this process until it lets go or ends. It is refused
// while another process has it.
func (l Locks) Acquire(w *Workspace, purpose string) (unlock func(), err error) {
	return l.ownerLock(w).Take(purpose, func(holder string) error {
		return problem.New(Busy, "workspace.another_client_leads_pipeline", holder, w.Path()).
			Or("workspace.go_end_process_call_again")
	})
}

func (l Locks) ownerLock(w *Workspace) workflow.OwnerLock {
	return workflow.OwnerLock(l.path(w, "lead"))
}

// Alone waits until nobody else makes a workspace in the working tree.
func (l Locks) Alone() (unlock func(), err error) {
	return atomicfile.Lock(filepath.Join(l.Dir, "make"))
}

// InUse reports whether some process has the workspace.
func (l Locks) InUse(w *Workspace) (bool, error) { return l.ownerLock(w).Held() }

// Owner names the process that has the workspace, "" if none does.
func (l Locks) Owner(w *Workspace) (string, error) { return l.ownerLock(w).Holder() }

// NotePush notes that the end of a pipeline is still to be committed and pushed. The note is outside
// of the working tree, in which nothing changes after the end.
func (l Locks) NotePush(w *Workspace) error { return atomicfile.WriteBytes(l.path(w, "push"), nil) }

// HasPushNote reports whether there is such a note.
func (l Locks) HasPushNote(w *Workspace) bool {
	_, err := os.Lstat(l.path(w, "push"))
	return err == nil
}

// RemovePushNote takes the note away.
func (l Locks) RemovePushNote(w *Workspace) error {
	if err := repofile.At(l.path(w, "push")).Remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("workspace: %w", err)
	}
	return nil
}

// A State is what state.json holds.
type State interface {
	// Upgrade brings a state up to date that an older program wrote.
	Upgrade() error
}

// Load reads the state into st.
func (w *Workspace) Load(st State) error {
	if err := w.confined(); err != nil {
		return err
	}
	data, _, err := w.state()
	if errors.Is(err, fs.ErrNotExist) {
		return problem.New(NoWorkspace, "workspace.no_pipeline", w.Path()).
			Or("workspace.initialize_first", op.PipelineInit, op.PipelineInitWithContext)
	}
	if err != nil {
		return fmt.Errorf("workspace: %w", err)
	}
	err = json.Unmarshal(data, st)
	if other := (*json.UnmarshalTypeError)(nil); err == nil || errors.As(err, &other) {
		err = cmp.Or(st.Upgrade(), err) // a field of another type tells less than the version does
	}
	if err != nil {
		return w.damaged(err)
	}
	return nil
}

func (w *Workspace) damaged(err error) error {
	return problem.New(StateDamaged, "workspace.cannot_read", w.Path(), StateFile, err).
		Or("workspace.bring_back_file_from_git", JournalFile).
		Or("workspace.or_begin_again", op.PipelineInit)
}

// Save writes the state over the revision that its writer had read, 0 if there was
// none. If another revision is on disk, nothing is written.
func (w *Workspace) Save(l Locks, over int, v any) error {
	if err := w.confined(); err != nil {
		return err
	}
	unlock, err := l.write(w)
	if err != nil {
		return err
	}
	defer unlock()
	revision, err := w.revision()
	if err != nil {
		return err
	}
	if revision != over {
		return problem.New(Conflict, "workspace.state_changed_another_client_meanwhile", w.Path(), revision, over).
			Or("workspace.ask_for_next_action_again", op.PipelineNextAction)
	}
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("workspace: state: %w", err)
	}
	return w.writeState(append(data, '\n'))
}

// revision is that of the state on disk, 0 if there is none.
func (w *Workspace) revision() (int, error) {
	var head struct {
		Revision int `json:"revision"`
	}
	data, _, err := w.state()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &head)
	}
	if err != nil {
		return 0, w.damaged(err)
	}
	return head.Revision, nil
}

// Note appends to the journal what it lacks of the entries of a revision, as
// missing says of those that it has. If another revision is on disk, nothing is
// done: whoever wrote that has noted those of the one before.
func Note[E any](w *Workspace, l Locks, revision int, missing func(have []E) ([]E, error)) error {
	unlock, err := l.write(w)
	if err != nil {
		return err
	}
	defer unlock()
	if now, err := w.revision(); err != nil || now != revision {
		return err
	}
	have, err := Journal[E](w)
	if err != nil {
		return err
	}
	entries, err := missing(have)
	if err != nil || len(entries) == 0 {
		return err
	}
	values := make([]any, len(entries))
	for i, e := range entries {
		values[i] = e
	}
	failpoint.Point("journal: before")
	return atomicfile.Append(w.file(JournalFile), values...)
}

// Journal returns the entries of the journal. A line that is not an entry is a problem,
// but for a last one that was never ended: nobody was told of it.
func Journal[E any](w *Workspace) (entries []E, err error) {
	lines, err := atomicfile.Lines(w.file(JournalFile))
	if err != nil {
		return nil, fmt.Errorf("workspace: journal: %w", err)
	}
	for i, line := range lines {
		var e E
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, problem.New(JournalDamaged, "workspace.cannot_read_line_no_entry", w.Path(), JournalFile, i+1, err).
				Or("workspace.bring_file_back_from_backup").
				Or("workspace.move_away_new_one_begun", StateFile)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Write writes a file of the workspace whole.
func (w *Workspace) Write(name, text string) error {
	if err := w.inside(name); err != nil {
		return err
	}
	return atomicfile.WriteBytes(w.file(name), []byte(text))
}

// Sweep removes what a killed process had begun to write. Only the process that leads
// the workspace may call it.
func (w *Workspace) Sweep() { atomicfile.Sweep(w.Dir()) }
