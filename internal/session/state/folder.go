package state

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/workflow"
)

// A Folder is .code-intel/sessions of a project:
//
//	<id>.json          the checkpoint: a State, written whole before each answer
//	<id>.ledger.jsonl  what the server saw, see package audit
//	session.lock       held by the process that has a session open
//	code-line          the /code line that a person typed last, see typedline.go
//	resume-next        the id of the session that a person wants resumed
//	state.lock         held for the moment of one write to a ledger or checkpoint
//	archive/           both files of sessions that have ended
//	.gitignore         keeps the folder out of git
//	set-aside/         checkpoints that could not be read
type Folder string

// FolderOf is the folder of the project with that root.
func FolderOf(root string) Folder { return Folder(filepath.Join(root, project.Dir, "sessions")) }

// Path is the name of a file of the folder.
func (f Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{string(f)}, elem...)...)
}

// Checkpoint is the file of an open session.
func (f Folder) Checkpoint(id string) string { return f.Path(id + ".json") }

// Ledger is the ledger of an open session.
func (f Folder) Ledger(id string) string { return f.Path(id + ".ledger.jsonl") }

// ArchivedCheckpoint is the file of a session that has ended.
func (f Folder) ArchivedCheckpoint(id string) string { return f.Path("archive", id+".json") }

// ArchivedLedger is the ledger of a session that has ended.
func (f Folder) ArchivedLedger(id string) string { return f.Path("archive", id+".ledger.jsonl") }

// Checkpoints returns the checkpoints of the open sessions.
func (f Folder) Checkpoints() []string { return repofile.At(string(f)).Match("*.json") }

// OwnerLock is held by the process that has a session open.
func (f Folder) OwnerLock() workflow.OwnerLock { return workflow.OwnerLock(f.Path("session.lock")) }

// Make makes the folder. It keeps itself out of git, also in a project that was not
// set up.
func (f Folder) Make() error {
	if err := repofile.At(string(f)).MakeFolder(0o755); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	ignore := f.Path(".gitignore")
	if _, err := os.Stat(ignore); err == nil {
		return nil
	}
	if err := f.Under(func() error { return atomicfile.WriteBytes(ignore, []byte("*\n")) }); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// Under runs do under the short lock, which everyone takes who writes. It must not
// append to a ledger, which takes it too.
func (f Folder) Under(do func() error) error { return atomicfile.Under(f.Path("state.lock"), do) }

// SetAside puts away a checkpoint that cannot be read, and returns where it is now.
func (f Folder) SetAside(file string) (string, error) {
	dir := f.Path("set-aside")
	if err := repofile.At(dir).MakeFolder(0o755); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	to := filepath.Join(dir, filepath.Base(file))
	if err := repofile.At(file).Rename(repofile.At(to)); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	return to, nil
}

// Archive puts the files of an ended session away.
func (f Folder) Archive(id string) error {
	dir := f.Path("archive")
	if err := repofile.At(dir).MakeFolder(0o755); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return f.Under(func() error { // a hook would begin the ledger anew while it moves
		if err := audit.Tidy(f.Ledger(id)); err != nil {
			return fmt.Errorf("state: %w", err)
		}
		// The checkpoint goes last: as long as it is here, the archive is repeated.
		for _, file := range []string{f.Ledger(id), f.Checkpoint(id)} {
			failpoint.Point("archive: before")
			err := repofile.At(file).Rename(repofile.At(filepath.Join(dir, filepath.Base(file))))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("state: %w", err)
			}
		}
		failpoint.Point("archive: after")
		return nil
	})
}

// Remove removes the files of a session that was never open.
func (f Folder) Remove(id string) error {
	return f.Under(func() error {
		err := repofile.At(f.Checkpoint(id)).Remove()
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, audit.Remove(f.Ledger(id)))
	})
}

// NewID returns a session id. Ids sort by time, to the millisecond, and carry 25
// random bits, so that two never meet.
func NewID(now time.Time) string {
	var b [5]byte
	rand.Read(b[:]) // never fails
	random := strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:5]
	return strings.Replace(now.UTC().Format("20060102-150405.000"), ".", "", 1) + "-" + random
}

// sessionID matches what newID returns.
var sessionID = lazyregexp.MustCompile(`^\d{8}-\d{9}-[a-z2-7]{5}$`)

// IsID reports whether a word is a session id.
func IsID(word string) bool { return sessionID.MatchString(word) }

// Holder names the process that has a session of the project with that root open; ""
// if none has.
func Holder(root string) (string, error) { return FolderOf(root).OwnerLock().Holder() }

// InUse reports whether a process has a session of the project with that root open.
func InUse(root string) bool {
	held, err := FolderOf(root).OwnerLock().Held()
	return held || err != nil
}

// Guarded reports whether a session of the project with that root has not ended: a process
// has it open, or its checkpoint waits to be resumed.
func Guarded(root string) bool {
	return InUse(root) || len(FolderOf(root).Checkpoints()) > 0
}
