// Package ledger keeps what the server saw in a session: every tool call and
// what its answer showed, every event of a client, every transition.
//
// Entries are only ever appended. Each carries an HMAC over itself and the entry
// before it, with a key that lies in the user's own state directory and never in
// the repository, so that an entry that was edited, removed or made up is found
// by [Ledger.Verify]. Whoever can read that key can forge entries; see
// docs/enforcement.md.
package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"codeintel/internal/observed"
	"codeintel/internal/statefile"
)

// A Kind says where an entry comes from.
type Kind string

// The kinds.
const (
	Tool       Kind = "tool"       // a call of one of our tools
	Event      Kind = "event"      // something a client's hook saw
	Transition Kind = "transition" // the session moved on
	Git        Kind = "git"        // the server changed the repository
)

// An Outcome says how it ended.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Empty   Outcome = "empty"   // a valid answer that held nothing
	Failed  Outcome = "error"   // refused by the tool, or broken
	Blocked Outcome = "blocked" // not permitted in the phase
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
	Observed   observed.Facts    `json:"observed,omitzero"`
	DurationMS int64             `json:"duration_ms,omitempty"`
	Detail     map[string]string `json:"detail,omitempty"`
	MAC        string            `json:"mac"` // hex HMAC-SHA256 over the previous MAC and this entry without its own
}

// A Head is the last entry's place in the chain. It is what a checkpoint
// remembers, so that a ledger cut short is noticed.
type Head struct {
	Seq int64
	MAC string
}

// A Ledger is the file of one session. Several processes may append to it.
type Ledger struct {
	path string
	key  []byte
	now  func() time.Time

	mu      sync.Mutex
	entries []Entry
}

// Open reads the ledger at path, or begins it, and fails if its chain is broken.
func Open(path string) (*Ledger, error) {
	key, err := keyFor(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	l := &Ledger{path: path, key: key, now: time.Now}
	if err := l.reload(); err != nil {
		return nil, err
	}
	return l, l.Verify()
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

// Append adds an entry behind the last one and forces it to disk. Number, time
// and MAC are filled in.
func (l *Ledger) Append(e Entry) (Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	unlock, err := statefile.Lock(l.path + ".lock")
	if err != nil {
		return Entry{}, fmt.Errorf("ledger: %w", err)
	}
	defer unlock()
	if err := l.reload(); err != nil { // another process may have appended
		return Entry{}, err
	}
	head := l.head()
	e.Seq, e.MAC = head.Seq+1, ""
	if e.Time.IsZero() {
		e.Time = l.now()
	}
	e.Time = e.Time.UTC().Truncate(time.Microsecond) // as JSON keeps it
	if e.MAC, err = l.mac(head.MAC, e); err != nil {
		return Entry{}, err
	}
	if err := statefile.Append(l.path, e); err != nil {
		return Entry{}, fmt.Errorf("ledger: %w", err)
	}
	l.entries = append(l.entries, e)
	return e, nil
}

// reload reads what is in the file beyond the entries that are known.
func (l *Ledger) reload() error {
	lines, err := statefile.Lines(l.path)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	if len(lines) < len(l.entries) {
		return &Broken{Seq: int64(len(lines)) + 1, Why: "entries are gone"}
	}
	for i := len(l.entries); i < len(lines); i++ {
		var e Entry
		if err := json.Unmarshal(lines[i], &e); err != nil {
			return &Broken{Seq: int64(i) + 1, Why: err.Error()}
		}
		l.entries = append(l.entries, e)
	}
	return nil
}

// Since returns the entries after the one with the number, this process's and
// others'.
func (l *Ledger) Since(seq int64) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.reload(); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(l.entries, func(e Entry) bool { return e.Seq > seq })
	if i < 0 {
		return nil, nil
	}
	return slices.Clone(l.entries[i:]), nil
}

// Broken says where a ledger was tampered with.
type Broken struct {
	Seq int64 // number of the first entry that does not hold
	Why string
}

func (b *Broken) Error() string {
	return fmt.Sprintf("the ledger is broken at entry %d: %s", b.Seq, b.Why)
}

// Verify returns a *[Broken] unless every entry follows from the one before it.
func (l *Ledger) Verify() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	previous := ""
	for i, e := range l.entries {
		if e.Seq != int64(i)+1 {
			return &Broken{int64(i) + 1, fmt.Sprintf("its number is %d", e.Seq)}
		}
		want, err := l.mac(previous, e)
		if err != nil {
			return err
		}
		if !hmac.Equal([]byte(want), []byte(e.MAC)) {
			return &Broken{e.Seq, "it is not what the server wrote"}
		}
		previous = e.MAC
	}
	return nil
}

func (l *Ledger) mac(previous string, e Entry) (string, error) {
	e.MAC = ""
	data, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("ledger: %w", err)
	}
	h := hmac.New(sha256.New, l.key)
	fmt.Fprintf(h, "%s\n", previous)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A Range is a run of lines, 1-based and inclusive.
type Range struct{ Start, End int }

// Explored returns the lines of each file that successful calls showed, merged.
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
