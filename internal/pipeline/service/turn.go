package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/github"
	"codeintel/internal/pipeline/plancheck"
	"codeintel/internal/pipeline/reviewcheck"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/problem"
	"codeintel/internal/workflow"
)

// A turn is one call for one workspace: the state as it was read, and as it will be
// written.
type turn struct {
	workflow.Turn
	s      *Service
	w      *workspace.Workspace
	locks  workspace.Locks
	st     *engine.State
	over   int // the revision that was read
	dirty  bool
	budget int // of the answer, in characters; 0: no limit
}

// begin takes the workspace for this call, and for this process until its pipeline
// has ended. done must be called.
func (s *Service) begin(ctx context.Context, path string) (t *turn, done func(), err error) {
	w, err := workspace.Of(s.project.Root, path)
	if err != nil {
		return nil, nil, err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, nil, err
	}
	repo.Hold()
	s.mu.Lock()
	if s.busy[w.Name()] {
		s.mu.Unlock()
		return nil, nil, problem.New(workspace.Busy, "pipeline.another_call_under_way", w.Path()).
			Or("pipeline.wait_its_answer_then_call")
	}
	s.busy[w.Name()] = true
	s.mu.Unlock()
	done = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.busy, w.Name())
		if t == nil || !t.st.Over() {
			return
		}
		s.dropEvents(w, repo)
		if let := s.owned[w.Name()]; let != nil {
			let()
			delete(s.owned, w.Name())
		}
	}
	t = &turn{Turn: workflow.Turn{Repo: repo}, s: s, w: w, locks: locksOf(repo)}
	if t.st, err = t.load(); err == nil {
		if t.st.Over() {
			err = t.lastEntries()
		} else {
			err = s.acquire(ctx, t)
		}
		if err == nil && !t.st.Over() {
			t.askAboutUnknown()
			err = t.keepRequest()
		}
	}
	if err != nil {
		t = nil
		done()
		return nil, nil, err
	}
	return t, done, nil
}

// keepRequest puts request.md back if it is not what was confirmed: every agent begins
// with it.
func (t *turn) keepRequest() error {
	if t.st.RequestFile == "" {
		return nil
	}
	text, err := t.w.Read(workspace.RequestFile)
	switch {
	case err == nil && strings.ReplaceAll(text, "\r\n", "\n") == t.st.RequestFile:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	t.Warn("pipeline.request_md_not_user_confirmed", t.w.Path())
	return t.w.Write(workspace.RequestFile, t.st.RequestFile)
}

// acquire takes the workspace for this process.
func (s *Service) acquire(ctx context.Context, t *turn) error {
	s.mu.Lock()
	_, ours := s.owned[t.w.Name()]
	s.mu.Unlock()
	if ours {
		return t.journal()
	}
	if s.o.Session != nil {
		session, err := s.o.Session(ctx)
		if err != nil {
			return err
		}
		if session != "" {
			return problem.New(SessionActive, "pipeline.code_session_open_working_tree", session).
				Or("pipeline.finish_abort_session_first").Or("pipeline.make_another_working_tree_git")
		}
	}
	unlock, err := t.locks.Acquire(t.w, "pipeline")
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.owned[t.w.Name()] = unlock
	s.mu.Unlock()
	t.w.Sweep()
	if t.st, err = t.load(); err != nil { // another process may have written it until now
		return err
	}
	return t.journal()
}

func (t *turn) load() (*engine.State, error) {
	lost := t.w.Lost()
	if lost {
		if err := t.renamed(); err != nil {
			return nil, err
		}
	}
	forged, err := t.w.PutBack(t.locks)
	if err != nil {
		return nil, err
	}
	if forged && lost {
		t.Warn("pipeline.state_json_restored", t.w.Path())
	} else if forged {
		t.s.o.Log.Warn("state.json was changed by somebody else, and put back", "workspace", t.w.Path())
		t.Warn("pipeline.state_json_not_server_wrote", t.w.Path())
	}
	st := new(engine.State)
	if err := t.w.Load(st); err != nil {
		return nil, err
	}
	if st.Workspace != t.w.Path() {
		return nil, problem.New(workspace.StateDamaged, "pipeline.state_json_state", t.w.Path(), st.Workspace).
			Or("pipeline.rename_folder_back")
	}
	t.over = st.Revision
	return st, nil
}

// renamed returns an error if the folder of the workspace has another name by now.
func (t *turn) renamed() error {
	if _, err := os.Lstat(t.s.project.Abs(t.w.Path())); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	all, err := workspace.List(t.s.project.Root)
	if err != nil {
		return nil // what is left of it is restored
	}
	for _, w := range all {
		if st := new(engine.State); w.Load(st) == nil && st.Workspace == t.w.Path() {
			return problem.New(workspace.StateDamaged, "pipeline.state_json_state", w.Path(), t.w.Path()).
				Or("pipeline.rename_folder_back")
		}
	}
	return nil
}

// github is the branch of the pipeline, as far as pull requests are concerned.
func (t *turn) github() github.Branch {
	b := github.Branch{Repo: t.Repo, Name: t.st.Branch}
	if t.st.Pull != nil {
		b.Pull = t.st.Pull.URL
	}
	return b
}

// planChecker checks the plans of the pipeline.
func (t *turn) planChecker() plancheck.Checker {
	return plancheck.Checker{Project: t.s.project, Repo: t.Repo, State: t.st, Code: t.s.o.Code, Warn: t.Warn,
		Design: func() (string, error) { return t.w.Read(engine.DesignFile) }}
}

// reviewProof checks the reviews of the pipeline.
func (t *turn) reviewProof() reviewcheck.Checker {
	return reviewcheck.Checker{Project: t.s.project, Repo: t.Repo, State: t.st, Workspace: t.w}
}

// weakened compares the tests of the pipeline with those that it began with.
func (t *turn) weakened() reviewcheck.WeakenedTestFinder {
	f := reviewcheck.WeakenedTestFinder{Project: t.s.project, Repo: t.Repo, State: t.st}
	if t.s.o.Code != nil {
		f.IsTest = t.s.o.Code.IsTest
	}
	return f
}

// pullText is what the pipeline says on GitHub.
func (t *turn) pullText() github.PullRequestText {
	return github.PullRequestText{State: t.st, Workspace: t.w, GitHub: t.github()}
}
