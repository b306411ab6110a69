// Package service runs the pipelines of /forge: it answers each call of the orchestrator with the next action.
//
// Package engine decides what comes next. This package looks at files and git for it, does
// the server's own steps, writes the prompts and digests that are handed out, and checks
// every report against files, git and the index before it counts.
//
// The state is read from disk at each call, and written before each answer and before each
// action that has an effect. Each such action may be repeated: it finds what an earlier
// attempt has done. So a process may be killed at any point. The package never decides for a
// person, and runs no commands but git, the verifiers that the user trusts and, to read, gh.
package service

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/pastruns"
	"codeintel/internal/pipeline/plancheck"
	"codeintel/internal/pipeline/repoprofile"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/verify"
)

// Codes of calls that do not fit the pipeline there is.
const (
	NoGit          problem.Code = "no_git_repository"
	SessionActive  problem.Code = "session_active"  // a /code session is open in this working tree
	PhaseMismatch  problem.Code = "phase_mismatch"  // the report is of another phase
	TicketMismatch problem.Code = "ticket_mismatch" // or of another action
	NoTicket       problem.Code = "no_ticket"       // nothing is outstanding
	BadTree        problem.Code = "unreadable_tree" // git cannot read a file of the working tree
	GitLocked      problem.Code = "git_locked"      // another git is in the way of the last commit
	PipelineOver   problem.Code = "pipeline_over"
)

// An agentRun is what hooks of the client saw of the agent of an action.
type agentRun struct {
	Tokens   int
	Duration time.Duration
	Model    string
	Files    []string // that it wrote, relative to the repository
}

// Options are what a Service needs besides the project.
type Options struct {
	Code *plancheck.PlannedCode
	// Session says which /code session is open in this working tree, "" for none.
	Session func(ctx context.Context) (string, error)
	// AgentDirs are folders with agent files that go before ours.
	AgentDirs []string
	Log       *slog.Logger
	Now       func() time.Time
}

// A Service runs the pipelines of one project. Its methods may be called by
// several goroutines; of two calls for the same workspace the second is refused.
type Service struct {
	project *project.Project
	table   *engine.Table
	o       Options

	mu      sync.Mutex
	repo    *git.Repo           // nil: not opened yet
	owned   map[string]func()   // workspace -> how to let go of it
	busy    map[string]bool     // workspaces that a call is at work on
	drafts  map[string]draft    // what calls of the handshake brought, by the workspace of pipeline_init
	about   repoprofile.Profile // of the repository
	aboutOf string              // the commit that was checked out then
	runner  *verify.Runner      // of the commands of verifiers; nil: none was run yet

	patience time.Duration // how long a report waits for them

	past      sync.Mutex      // of what follows
	lessons   *pastruns.Index // nil: not opened yet
	lessonsOf fs.FileInfo     // the file that it was read from
}

// New returns the Service of a project.
func New(p *project.Project, o Options) (*Service, error) {
	table, err := engine.Phases()
	if err != nil {
		return nil, err
	}
	if o.AgentDirs == nil {
		o.AgentDirs = append(o.AgentDirs, filepath.Join(p.Root, workspace.Folder, "agents"))
		if dir, err := os.UserConfigDir(); err == nil {
			o.AgentDirs = append(o.AgentDirs, filepath.Join(dir, "code-intel", "agents"))
		}
	}
	return &Service{project: p, table: table, o: o, owned: make(map[string]func()), busy: make(map[string]bool),
		drafts: make(map[string]draft), patience: patience}, nil
}

// Close lets go of the pipelines that this process has open. They stay on disk.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runner.Close()
	for name, unlock := range s.owned {
		unlock()
		delete(s.owned, name)
	}
	return nil
}

// repository opens the git repository once. Each caller gets a copy of its own.
func (s *Service) repository(ctx context.Context) (*git.Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.repo == nil {
		r, err := git.Open(ctx, s.project.Root)
		if errors.As(err, new(*git.NotRepository)) {
			return nil, problem.New(NoGit, "pipeline.folder_is_in_no_repository").
				Or("pipeline.run_git_init_make_first")
		}
		if err != nil {
			return nil, err
		}
		s.repo = r
	}
	r := *s.repo
	return &r, nil
}

func locksOf(r *git.Repo) workspace.Locks {
	return workspace.Locks{Dir: filepath.Join(r.GitDir, "code-intel", "forge")}
}

// Live returns the workspace of a pipeline that some process has open in this working
// tree, "" if there is none.
func (s *Service) Live(ctx context.Context) (string, error) {
	all, err := workspace.List(s.project.Root)
	if err != nil || len(all) == 0 {
		return "", err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range all {
		s.mu.Lock()
		ours := s.owned[w.Name()] != nil
		s.mu.Unlock()
		inUse, err := ours, error(nil)
		if !ours {
			inUse, err = locksOf(repo).InUse(w)
		}
		if err != nil {
			return "", err
		}
		if inUse {
			st := new(engine.State)
			if err := w.Load(st); err == nil && !st.Over() {
				return w.Path(), nil
			}
		}
	}
	return "", nil
}
