package session

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/workflow"
)

// On disk, under .code-intel/sessions:
//
//	<id>.json          the checkpoint: a State, written whole before each answer
//	<id>.ledger.jsonl  what the server saw, see package ledger
//	session.lock       held by the process that has a session open
//	code-line          the /code line that a person typed last, see typed.go
//	resume-next        the id of the session that a person wants resumed
//	state.lock         held for the moment of one write to a ledger or checkpoint
//	archive/           both files of sessions that have ended
//	.gitignore         keeps the folder out of git
//	set-aside/         checkpoints that could not be read

// newID returns a session id. Ids sort by time, to the millisecond, and carry 25
// random bits, so that two never meet.
func newID(now time.Time) string {
	var b [5]byte
	rand.Read(b[:]) // never fails
	random := strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:5]
	return strings.Replace(now.UTC().Format("20060102-150405.000"), ".", "", 1) + "-" + random
}

// sessionID matches what newID returns.
var sessionID = lazyregexp.MustCompile(`^\d{8}-\d{9}-[a-z2-7]{5}$`)

func (s *Service) sessions(elem ...string) string {
	return s.project.Path(append([]string{"sessions"}, elem...)...)
}

// leadAt is the lead of the session that is open in the project with that root.
func leadAt(root string) workflow.Lead {
	return workflow.Lead(filepath.Join(root, project.Dir, "sessions", "session.lock"))
}

// Holder names the process that has a session of the project with that root open; ""
// if none has.
func Holder(root string) (string, error) { return leadAt(root).Holder() }

// Led reports whether a process leads a session of the project with that root.
func Led(root string) bool {
	led, err := leadAt(root).Held()
	return led || err != nil
}

// Guarded reports whether a session of the project with that root has not ended: a process
// leads it, or its checkpoint waits to be resumed.
func Guarded(root string) bool {
	return Led(root) || len(repofile.At(filepath.Join(root, project.Dir, "sessions")).Match("*.json")) > 0
}

func (s *Service) ledgerPath(id string) string { return s.sessions(id + ".ledger.jsonl") }
func (s *Service) checkpoint(id string) string { return s.sessions(id + ".json") }

// lock takes the project for this process. It is refused while another process
// has a session open.
func (s *Service) lock() (unlock func(), err error) {
	if err := s.makeFolder(); err != nil {
		return nil, err
	}
	leader := ""
	err = s.underLock(func() (err error) { // a hook that looks whether it is held holds it for a moment
		unlock, err = leadAt(s.project.Root).Take("session", func(holder string) error {
			leader = holder
			return errLed
		})
		if err == nil {
			atomicfile.Sweep(s.sessions()) // whole files are written under this lock, so none of them is still wanted
		}
		return err
	})
	if !errors.Is(err, errLed) {
		return unlock, err
	}
	var where msg.Message
	if open, err := s.interrupted(); err == nil && len(open) > 0 {
		st := open[len(open)-1]
		where = msg.New("session.session_in_phase", st.ID, s.wire(st.Phase))
	}
	return nil, problem.New(SessionActive, "session.another_process_session_project_open", leader, where).
		Or("session.go_end_process_its_session")
}

var errLed = errors.New("another process has a session open")

// makeFolder makes the folder of the sessions. It keeps itself out of git, also
// in a project that was not set up.
func (s *Service) makeFolder() error {
	if err := repofile.At(s.sessions()).MakeFolder(0o755); err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	if ignore := s.sessions(".gitignore"); !exists(ignore) {
		if err := s.underLock(func() error { return atomicfile.WriteBytes(ignore, []byte("*\n")) }); err != nil {
			return fmt.Errorf("sessions: %w", err)
		}
	}
	return nil
}

// underLock runs f under the short lock, which everyone takes who writes. f must
// not append to a ledger, which takes it too.
func (s *Service) underLock(f func() error) error {
	return atomicfile.Under(s.sessions("state.lock"), f)
}

// load reads the checkpoint of a session that has not ended, whoever leads it.
func (s *Service) load(id string) (*State, error) {
	st, err := readState(s.checkpoint(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.New(NoSession, "session.session_is_no_longer_open", id).
			Or("session.session_show_lists_what_there_is")
	}
	return st, err
}

// interrupted returns the sessions that have a checkpoint and have not ended, in
// the order of [InOrder]. A checkpoint that cannot be read is set aside, never
// deleted, and named in the log.
func (s *Service) interrupted() (open []*State, err error) {
	for _, f := range repofile.At(s.sessions()).Match("*.json") {
		st, err := readState(f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil || st.ID+".json" != filepath.Base(f):
			if err == nil {
				err = fmt.Errorf("it is the checkpoint of session %s", st.ID)
			}
			aside, moveErr := s.setAside(f)
			s.log.Warn("a checkpoint cannot be read and was set aside", "file", f, "now", aside, "err", err)
			if moveErr != nil {
				return nil, moveErr
			}
		case st.Outcome != "": // the process died between the end and the archive
			s.conclude(context.Background(), st)
			if err := s.archive(st.ID); err != nil {
				return nil, err
			}
		default:
			open = append(open, st)
		}
	}
	InOrder(s.project, open)
	return open, nil
}

func (s *Service) setAside(file string) (string, error) {
	dir := s.sessions("set-aside")
	if err := repofile.At(dir).MakeFolder(0o755); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	to := filepath.Join(dir, filepath.Base(file))
	if err := repofile.At(file).Rename(repofile.At(to)); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	return to, nil
}

// archive puts the files of an ended session away.
func (s *Service) archive(id string) error {
	dir := s.sessions("archive")
	if err := repofile.At(dir).MakeFolder(0o755); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return s.underLock(func() error { // a hook would begin the ledger anew while it moves
		if err := audit.Tidy(s.ledgerPath(id)); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		// The checkpoint goes last: as long as it is here, the archive is repeated.
		for _, name := range []string{id + ".ledger.jsonl", id + ".json"} {
			failpoint.Point("archive: before")
			err := repofile.At(s.sessions(name)).Rename(repofile.At(filepath.Join(dir, name)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("archive: %w", err)
			}
		}
		failpoint.Point("archive: after")
		return nil
	})
}

// owns reports whether a session that can be resumed works on the branch.
func (s *Service) owns(branch string) bool {
	open, err := s.interrupted()
	if err != nil {
		return true // unknown: better kept than called stale
	}
	return slices.ContainsFunc(open, func(st *State) bool { return st.Branch != nil && st.Branch.Name == branch })
}
