package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/state"
)

func (s *Service) folder() state.Folder { return state.FolderOf(s.project.Root) }

// lock takes the project for this process. It is refused while another process
// has a session open.
func (s *Service) lock() (unlock func(), err error) {
	if err := s.folder().Make(); err != nil {
		return nil, err
	}
	leader := ""
	err = s.folder().Under(func() (err error) { // a hook that looks whether it is held holds it for a moment
		unlock, err = s.folder().OwnerLock().Take("session", func(holder string) error {
			leader = holder
			return errLed
		})
		if err == nil {
			atomicfile.Sweep(string(s.folder())) // whole files are written under this lock, so none of them is still wanted
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

// load reads the checkpoint of a session that has not ended, whichever process has it open.
func (s *Service) load(id string) (*state.State, error) {
	st, err := state.Read(s.folder().Checkpoint(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.New(NoSession, "session.session_is_no_longer_open", id).
			Or("session.code_intel_session_show_lists")
	}
	return st, err
}

// interrupted returns the sessions that have a checkpoint and have not ended, in
// the order of [InOrder]. A checkpoint that cannot be read is set aside, never
// deleted, and named in the log.
func (s *Service) interrupted() (open []*state.State, err error) {
	for _, f := range s.folder().Checkpoints() {
		st, err := state.Read(f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil || st.ID+".json" != filepath.Base(f):
			if err == nil {
				err = fmt.Errorf("it is the checkpoint of session %s", st.ID)
			}
			aside, moveErr := s.folder().SetAside(f)
			s.log.Warn("a checkpoint cannot be read and was set aside", "file", f, "now", aside, "err", err)
			if moveErr != nil {
				return nil, moveErr
			}
		case st.Outcome != "": // the process died between the end and the archive
			s.recorder().Conclude(context.Background(), st)
			if err := s.folder().Archive(st.ID); err != nil {
				return nil, err
			}
		default:
			open = append(open, st)
		}
	}
	InOrder(s.project, open)
	return open, nil
}

// ownsBranch reports whether a session that can be resumed works on the branch.
func (s *Service) ownsBranch(branch string) bool {
	open, err := s.interrupted()
	if err != nil {
		return true // unknown: better kept than called stale
	}
	return slices.ContainsFunc(open, func(st *state.State) bool { return st.Branch != nil && st.Branch.Name == branch })
}
