// Package audit keeps the ledger of a session: an append-only log of every tool call and what its answer
// showed, every event of a client, and every change of phase, as the server saw them.
//
// Entries are only ever appended. Each carries an HMAC over itself and the entry
// before it, with a key that is in the user's own state directory and never in
// the repository, so that an entry that was edited, removed or made up is found
// by [Ledger.verify]. Whoever can read that key can forge entries; see
// docs/design/limits.md.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"codeintel/internal/audit/shown"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
)

// A Kind says where an entry comes from.
type Kind string

// The kinds.
const (
	Tool       Kind = "tool"       // a call of one of our tools
	Event      Kind = "event"      // something a client's hook saw
	Transition Kind = "transition" // the session moved on
	Git        Kind = "git"        // the server changed the repository
	Decision   Kind = "decision"   // a person decided, or was asked and did not
)

// An Outcome says how it ended.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Empty   Outcome = "empty"   // a valid answer that held nothing
	Failed  Outcome = "error"   // refused by the tool, or broken
	Blocked Outcome = "blocked" // not permitted in the phase

	Unproven Outcome = "unproven" // an event says so, and nothing shows yet that the client sent it
)

// An Entry is one line of the ledger: JSON, in a file of its session.
type Entry struct {
	Seq        int64             `json:"seq"` // from 1, without gaps
	Time       time.Time         `json:"time"`
	Session    string            `json:"session"`
	Phase      string            `json:"phase,omitempty"`
	Kind       Kind              `json:"kind"`
	Name       string            `json:"name"` // of the tool, the event, the phase gone to
	Args       string            `json:"args,omitempty"`
	Outcome    Outcome           `json:"outcome,omitempty"`
	Observed   shown.Facts       `json:"observed,omitzero"`
	Hashes     map[string]string `json:"hashes,omitempty"` // content hashes of the files in Observed.Lines, when they were shown
	Files      []string          `json:"files,omitempty"`  // that a client's tool writes
	DurationMS int64             `json:"duration_ms,omitempty"`
	Detail     map[string]string `json:"detail,omitempty"`
	MAC        string            `json:"mac"` // ties the entry to the one before it; must stay the last member
}

// A Head is the last entry's place in the chain. It is what a checkpoint
// remembers, so that a ledger cut short is noticed.
type Head struct {
	Seq int64
	MAC string
}

// A Ledger is the file of one session. Several processes may append to it.
type Ledger struct {
	path   string
	key    []byte
	memory string // file beside the key, see memory
	now    func() time.Time

	mu      sync.Mutex
	entries []Entry
	seen    fs.FileInfo // the file when it was last read; nil if there was none
}

// Open reads the ledger at path, or begins it, and fails if its chain is broken.
func Open(path string) (*Ledger, error) {
	info, err := os.Stat(path)
	begun := err == nil && info.Size() > 0
	key, memory, err := keyFor(path, !begun)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Broken{Seq: 1, Why: msg.New("audit.key_written_gone")}
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	l := &Ledger{path: path, key: key, memory: memory, now: time.Now}
	m, err := l.readMemory() // before the file is read: another process may append meanwhile
	if err != nil {
		return l, err
	}
	if err := l.verify(); err != nil {
		return l, err
	}
	if m.head.Seq == 0 {
		return l, nil
	}
	return l, l.CheckHead(m.head)
}

// Close ends the use of l. Nothing is held open between calls.
func (l *Ledger) Close() error { return nil }

// Head returns the last entry's place in the chain, as far as l has read.
func (l *Ledger) Head() Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head()
}

func (l *Ledger) head() Head {
	if len(l.entries) == 0 {
		return Head{}
	}
	last := l.entries[len(l.entries)-1]
	return Head{last.Seq, last.MAC}
}

// CheckHead returns a *[Broken] unless the ledger contains the entry, with this MAC, that a
// checkpoint remembers as the last one. The zero Head is in every ledger.
func (l *Ledger) CheckHead(h Head) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h == (Head{}) {
		return nil
	}
	if h.Seq < 1 || h.Seq > int64(len(l.entries)) {
		return &Broken{Seq: int64(len(l.entries)) + 1, Why: msg.New("audit.entries_gone", h.Seq)}
	}
	if l.entries[h.Seq-1].MAC != h.MAC {
		return &Broken{Seq: h.Seq, Why: msg.New("audit.not_one")}
	}
	return nil
}

// Append adds an entry behind the last one and forces it to disk. Number, MAC
// and, if it has none, time are filled in. It takes the lock of the file for a
// moment; a caller that holds a lock of its own takes that one first.
func (l *Ledger) Append(e Entry) (Entry, error) {
	return l.AppendFrom(func([]Entry) (Entry, error) { return e, nil })
}

// AppendFrom adds the entry that f makes of those before it, as Append does.
// While f runs no other process appends. If f returns an error nothing is added,
// and the error is returned as it is. f must not keep or change what it is given,
// nor call methods of l that append or return entries.
func (l *Ledger) AppendFrom(f func(before []Entry) (Entry, error)) (Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	unlock, err := l.lock()
	if err != nil {
		return Entry{}, err
	}
	defer unlock()
	if err := l.reload(); err != nil { // another process may have appended
		return Entry{}, err
	}
	e, err := f(l.entries)
	if err != nil {
		return Entry{}, err
	}
	head, previous := l.head(), l.anchor()
	if head.MAC != "" {
		previous = head.MAC
	}
	e.Seq = head.Seq + 1
	if e.Time.IsZero() {
		e.Time = l.now()
	}
	e.Time = e.Time.UTC().Truncate(time.Microsecond) // as JSON keeps it
	line, mac, err := l.seal(previous, e)
	if err != nil {
		return Entry{}, err
	}
	if err := atomicfile.Append(l.path, json.RawMessage(line)); err != nil {
		return Entry{}, fmt.Errorf("ledger: %w", err)
	}
	e.MAC = mac
	l.entries = append(l.entries, e)
	l.seen, err = os.Stat(l.path)
	if err != nil {
		return e, fmt.Errorf("ledger: %w", err)
	}
	m, err := l.readMemory()
	if err != nil {
		return e, err
	}
	m.head = Head{e.Seq, mac}
	return e, l.writeMemory(m)
}

// lock takes the lock of all that is written here, also by other processes.
func (l *Ledger) lock() (unlock func(), err error) {
	unlock, err = atomicfile.Lock(filepath.Join(filepath.Dir(l.path), "state.lock"))
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return unlock, nil
}

// reload reads the file again if it is not as l last saw it. The whole chain is
// then checked against what is known, so that a hand that edits the file while it is
// in use is noticed at the next call.
func (l *Ledger) reload() error {
	info, err := os.Stat(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	if l.seen != nil && info != nil && os.SameFile(l.seen, info) && l.seen.Size() == info.Size() &&
		l.seen.ModTime().Equal(info.ModTime()) {
		return nil
	}
	lines, err := atomicfile.Lines(l.path)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	known := len(l.entries)
	read := make([]read, len(lines))
	var all sync.WaitGroup
	for _, part := range parts(len(lines)) {
		all.Go(func() {
			for i := part.Start; i < part.End; i++ {
				previous := l.anchor()
				if i > 0 {
					previous = macOf(lines[i-1])
				}
				read[i] = l.readLine(i, previous, lines[i], known)
			}
		})
	}
	all.Wait()
	for i, r := range read {
		switch {
		case !r.broken.IsZero():
			return &Broken{int64(i) + 1, r.broken}
		case i >= known:
			l.entries = append(l.entries, r.entry)
		case l.entries[i].MAC != r.mac:
			return &Broken{int64(i) + 1, msg.New("audit.it_was_another_one_before")}
		}
	}
	if len(lines) < len(l.entries) {
		return &Broken{int64(len(lines)) + 1, msg.New("audit.entries_are_gone")}
	}
	l.seen = info
	return nil
}

// read is what is in a line.
type read struct {
	entry  Entry // unless it is known already
	mac    string
	broken msg.Message // why it does not hold
}

// readLine reads line i, from 0, behind one with the MAC. Each line can be held
// against the one before it alone, for that is checked against its own.
func (l *Ledger) readLine(i int, previous string, line []byte, known int) (r read) {
	if r.mac, r.broken = l.verifyLine(previous, line); !r.broken.IsZero() || i < known {
		return r
	}
	if err := json.Unmarshal(line, &r.entry); err != nil || r.entry.Seq != int64(i)+1 {
		r.broken = msg.New("audit.says_entry", r.entry.Seq)
	}
	return r
}

// parts cuts n lines into runs that are worth being read at once.
func parts(n int) (all []Range) {
	const worth = 64
	count := max(1, min(runtime.GOMAXPROCS(0), n/worth))
	for i := range count {
		all = append(all, Range{n * i / count, n * (i + 1) / count})
	}
	return all
}

// Since returns the entries after the one with the number, this process's and
// others'.
func (l *Ledger) Since(seq int64) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.reload(); err != nil {
		return nil, err
	}
	seq = max(seq, 0) // entry n is at n-1: numbers have no gaps
	if seq >= int64(len(l.entries)) {
		return nil, nil
	}
	return slices.Clone(l.entries[seq:]), nil
}

// Broken says where a ledger was tampered with.
type Broken struct {
	Seq int64 // number of the first entry that does not hold
	Why msg.Message
}

func (b *Broken) Error() string {
	return fmt.Sprintf("the ledger is broken at entry %d: %s", b.Seq, b.Why)
}

// tampered is the code of a session whose ledger is broken.
const tampered problem.Code = "ledger_broken"

// noUserFolder is the code of a Problem with the folder that keys are in.
const noUserFolder problem.Code = "no_user_folder"

// Unwrap returns the Problem that tells a client so.
func (b *Broken) Unwrap() error {
	return problem.New(tampered, "audit.record_session_not_what_server", b.Seq, b.Why).
		Or("audit.tell_user_session_cannot_go").
		Or("audit.abandon_puts_checkpoint_away", msg.CallOf(op.StartSession, "flags", []string{"--clean"}))
}

// verify reads the whole file again. It returns a *[Broken] unless every entry
// follows from the one before it and all that l has seen are there.
func (l *Ledger) verify() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = nil
	return l.reload()
}

// A Range is a run of lines, 1-based and inclusive.
type Range struct{ Start, End int }

// Details makes the details of an entry of names and values, without those that are empty.
func Details(pairs ...string) map[string]string {
	m := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m[pairs[i]] = pairs[i+1]
		}
	}
	return m
}

// Explored returns the lines of each file that successful calls showed, sorted
// and merged. A file that was shown and has no lines is there with the zero Range.
func Explored(entries []Entry) map[string][]Range {
	seen := make(map[string][]Range)
	for _, e := range entries {
		if e.Outcome != OK {
			continue
		}
		for _, l := range e.Observed.Lines {
			seen[l.File] = append(seen[l.File], Range{l.Start, l.End})
		}
	}
	for file, ranges := range seen {
		seen[file] = merge(ranges)
	}
	return seen
}

// merge joins ranges that overlap or touch.
func merge(ranges []Range) []Range {
	slices.SortFunc(ranges, func(a, b Range) int { return a.Start - b.Start })
	merged := ranges[:1]
	for _, r := range ranges[1:] {
		if last := &merged[len(merged)-1]; r.Start <= last.End+1 {
			last.End = max(last.End, r.End)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}
