package session

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/problem"
	"codeintel/internal/statefile"
)

// On disk, under .code-intel/sessions:
//
//	<id>.json          the checkpoint: a State, written whole before each answer
//	<id>.ledger.jsonl  what the server saw, see package ledger
//	session.lock       held by the process that has a session open
//	state.lock         held for the moment of one write to a ledger
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

func (s *Service) sessions(elem ...string) string {
	return s.project.Path(append([]string{"sessions"}, elem...)...)
}

func (s *Service) ledgerPath(id string) string { return s.sessions(id + ".ledger.jsonl") }

// lock takes the project for this process. It is refused while another process
// has a session open.
func (s *Service) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.sessions(), 0o755); err != nil {
		return nil, fmt.Errorf("session lock: %w", err)
	}
	// The folder keeps itself out of git, also in a project that was not set up.
	if ignore := s.sessions(".gitignore"); !exists(ignore) {
		if err := statefile.WriteBytes(ignore, []byte("*\n")); err != nil {
			return nil, fmt.Errorf("session lock: %w", err)
		}
	}
	unlock, err = statefile.TryLock(s.sessions("session.lock"), "session")
	var held *statefile.Held
	if !errors.As(err, &held) {
		if err == nil {
			s.sweep()
		}
		return unlock, err
	}
	where := ""
	if open, err := s.interrupted(); err == nil && len(open) > 0 {
		st := open[len(open)-1]
		where = fmt.Sprintf(": session %s, in %s", st.ID, s.wire(st.Phase))
	}
	return nil, problem.New(SessionActive, fmt.Sprintf("Another process (%s) has a session of this project open%s.", held.Holder, where),
		"Go on there, or end that process: its session can then be resumed here.")
}

// sweep removes what a killed process had begun to write. Only the holder of the
// lock writes checkpoints, so nothing that is still wanted can be among it.
func (s *Service) sweep() {
	left, _ := filepath.Glob(s.sessions(".*.json.tmp-*")) // the pattern is well-formed
	for _, f := range left {
		if err := os.Remove(f); err != nil {
			s.log.Debug("left-over file stays", "file", f, "err", err)
		}
	}
}

// write keeps the state as the session's checkpoint.
func (s *Service) write(st *State) error {
	return statefile.Write(s.sessions(st.ID+".json"), st)
}

// interrupted returns the sessions that have a checkpoint and have not ended,
// the oldest first. A checkpoint that cannot be read is set aside, never
// deleted, and named in the log.
func (s *Service) interrupted() (open []*State, err error) {
	files, err := filepath.Glob(s.sessions("*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files) // ids sort by time
	for _, f := range files {
		st := new(State)
		err := statefile.Read(f, st)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil || st.Schema != stateSchema || st.ID+".json" != filepath.Base(f):
			if err == nil {
				err = fmt.Errorf("schema %d, want %d", st.Schema, stateSchema)
			}
			aside, moveErr := s.setAside(f)
			s.log.Warn("a checkpoint cannot be read and was set aside", "file", f, "now", aside, "err", err)
			if moveErr != nil {
				return nil, moveErr
			}
		case st.Outcome != "": // the process died between the end and the archive
			if err := s.archive(st.ID); err != nil {
				return nil, err
			}
		default:
			open = append(open, st)
		}
	}
	return open, nil
}

func (s *Service) setAside(file string) (string, error) {
	dir := s.sessions("set-aside")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	to := filepath.Join(dir, filepath.Base(file))
	if err := os.Rename(file, to); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	return to, nil
}

// archive puts the files of an ended session away.
func (s *Service) archive(id string) error {
	dir := s.sessions("archive")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	// The checkpoint goes last: as long as it is here, the archive is repeated.
	for _, name := range []string{id + ".ledger.jsonl", id + ".json"} {
		err := os.Rename(s.sessions(name), filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("archive: %w", err)
		}
	}
	return nil
}

// owns reports whether a session that can be resumed works on the branch.
func (s *Service) owns(branch string) bool {
	open, err := s.interrupted()
	if err != nil {
		return true // unknown: better kept than called stale
	}
	return slices.ContainsFunc(open, func(st *State) bool { return st.Branch != nil && st.Branch.Name == branch })
}
