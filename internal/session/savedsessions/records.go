// Package savedsessions serves commands about a project's sessions that need no running one: list them, show what
// each did, verify its ledger, clean up.
//
// It reads checkpoints, ledgers and refs as they are on disk. Only [Plan.Carry] removes
// anything, and only what its plan named before.
package savedsessions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session"
	"codeintel/internal/session/hookproof"
	"codeintel/internal/session/state"
)

// A Status says where in its life a session is.
type Status string

// The statuses of a session.
const (
	Live        Status = "live"        // a process leads it now
	Interrupted Status = "interrupted" // it can be resumed
	Archived    Status = "archived"    // it has ended
	Unreadable  Status = "unreadable"  // its checkpoint says nothing; Fault says why
)

// A Record is one session as it is on disk.
type Record struct {
	ID     string
	Status Status
	State  *state.State // nil if it is unreadable
	Fault  string
	Holder string // of the process that leads it: "pid 12, since …, session"
	Next   bool   // start_session --resume takes this one
	dir    string // of checkpoint and ledger
}

// Open returns the sessions of a project that are not in the archive, in no order.
func Open(p *project.Project) ([]*Record, error) {
	open := read(p.Path("sessions"), Interrupted)
	holder, err := state.Holder(p.Root)
	if err != nil {
		return nil, err
	}
	var going []*state.State
	for _, r := range open {
		if r.State != nil && r.Status == Interrupted {
			going = append(going, r.State)
		}
	}
	session.InOrder(p, going)
	if len(going) > 0 {
		last := going[len(going)-1]
		// One at a time, and who leads it wrote it last.
		latest := slices.MaxFunc(going, func(a, b *state.State) int { return a.Updated.Compare(b.Updated) })
		for _, r := range open {
			switch {
			case holder != "" && r.State == latest:
				r.Status, r.Holder = Live, holder
			case r.State == last:
				r.Next = true
			}
		}
	}
	return open, nil
}

// List returns the sessions of a project, the oldest first.
func List(p *project.Project) ([]*Record, error) {
	open, err := Open(p)
	if err != nil {
		return nil, err
	}
	done := slices.DeleteFunc(read(p.Path("sessions", "archive"), Archived), func(d *Record) bool { // come back, and the process died before it was taken out
		return slices.ContainsFunc(open, func(r *Record) bool { return r.ID == d.ID })
	})
	all := append(done, open...)
	slices.SortStableFunc(all, func(a, b *Record) int { return strings.Compare(a.ID, b.ID) }) // ids sort by time
	return all, nil
}

// read returns what the checkpoints of a folder say.
func read(dir string, status Status) (list []*Record) {
	for _, f := range repofile.At(dir).Match("*.json") {
		r := &Record{ID: strings.TrimSuffix(filepath.Base(f), ".json"), Status: status, dir: dir}
		st := new(state.State)
		switch err := atomicfile.Read(f, st); {
		case errors.Is(err, fs.ErrNotExist):
			continue // archived meanwhile
		case err != nil:
			r.Status, r.Fault = Unreadable, err.Error()
		case st.ID != r.ID:
			r.Status, r.Fault = Unreadable, fmt.Sprintf("it is the checkpoint of session %q", st.ID)
		default:
			r.State = st
			if st.Outcome != "" { // perhaps not put away yet
				r.Status = Archived
			}
		}
		list = append(list, r)
	}
	return list
}

// Codes of names that do not stand for one session.
const (
	noSession problem.Code = "no_session"
	ambiguous problem.Code = "ambiguous_session"
)

// Find returns the session whose id is, or begins or ends with, the name.
func Find(p *project.Project, name string) (*Record, error) {
	all, err := List(p)
	if err != nil {
		return nil, err
	}
	var found []*Record
	for _, r := range all {
		if r.ID == name {
			return r, nil
		}
		if name != "" && (strings.HasPrefix(r.ID, name) || strings.HasSuffix(r.ID, name)) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return nil, problem.New(noSession, "session.there_is_no_session", name).Or("session.code_intel_session_show_lists")
	case 1:
		return found[0], nil
	}
	return nil, problem.New(ambiguous, "session.field_may_be", name, found[0].ID, found[1].ID).Or("session.give_more_id")
}

func (r *Record) checkpoint() string { return filepath.Join(r.dir, r.ID+".json") }
func (r *Record) ledger() string     { return filepath.Join(r.dir, r.ID+".ledger.jsonl") }

// LedgerBytes returns the size of the ledger's file, 0 if there is none.
func (r *Record) LedgerBytes() int64 { return size(r.ledger()) }

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// A Check says whether ledger and checkpoint of a session are what the server
// wrote.
type Check struct {
	ID      string      `json:"session_id"`
	Where   Status      `json:"standing"`
	Whole   bool        `json:"whole"`
	Entries int64       `json:"entries"`             // that were read
	Broken  int64       `json:"broken_at,omitempty"` // number of the first entry that does not hold
	Why     msg.Message `json:"why,omitzero"`
}

// Verify checks the chain of the ledger against the key, and against the head
// that the checkpoint remembers.
func (r *Record) Verify() (Check, error) {
	c, _, err := r.Read()
	return c, err
}

// Read reads the ledger once: it returns what [Record.Verify] does, and the
// entries of a chain that is whole.
func (r *Record) Read() (Check, []audit.Entry, error) {
	c := Check{ID: r.ID, Where: r.Status}
	var entries []audit.Entry
	l, err := r.readLedger()
	if err == nil {
		entries, err = l.Since(0)
	}
	if err == nil {
		c.Entries = l.Head().Seq
		if r.State != nil {
			err = l.CheckHead(audit.Head{Seq: r.State.LedgerSeq, MAC: r.State.LedgerMAC})
			if p := problem.Of(state.Genuine(r.checkpoint(), l)); p != nil {
				c.Why = p.Message
			}
		} else {
			c.Why = msg.New("session.checkpoint_unreadable", r.Fault)
		}
	}
	broken := (*audit.Broken)(nil)
	switch {
	case errors.As(err, &broken):
		c.Broken, c.Why = broken.Seq, broken.Why
		return c, entries, nil
	case err != nil:
		return c, nil, err
	}
	c.Whole = c.Why.IsZero()
	return c, entries, nil
}

// readLedger reads the ledger. One that is not there is broken unless the checkpoint
// remembers nothing of it.
func (r *Record) readLedger() (*audit.Ledger, error) {
	if _, err := os.Stat(r.ledger()); errors.Is(err, fs.ErrNotExist) && r.State != nil && r.State.LedgerSeq > 0 {
		return nil, &audit.Broken{Seq: 1, Why: msg.New("audit.ledger_gone")}
	}
	return audit.Open(r.ledger())
}

// entries reads the whole ledger.
func (r *Record) entries() ([]audit.Entry, error) {
	l, err := r.readLedger()
	if err != nil {
		return nil, err
	}
	return l.Since(0)
}

// Enforcement returns the level of enforcement that the session has reached, and
// what is not as it should be with the hooks of its client.
func (r *Record) Enforcement() (level string, warning msg.Message, err error) {
	entries, err := r.entries()
	if err != nil {
		return "", warning, err
	}
	level, warning = hookproof.Level(entries)
	return level, warning, nil
}

// Explored returns the files that the session was shown lines of, sorted.
func (r *Record) Explored() ([]string, error) {
	entries, err := r.entries()
	if err != nil {
		return nil, err
	}
	var files []string
	for f := range audit.Explored(entries) {
		files = append(files, f)
	}
	if r.State != nil {
		files = append(files, r.State.AddedFiles...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
