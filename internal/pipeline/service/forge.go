// Package service runs pipelines: it is what stands behind the five tools of /forge.
//
// Package pipeline says what comes next; this room looks at the world for it, does
// what the server does by itself, makes prompts and digests of what is handed out,
// and holds every report against files, git and the index before it counts.
//
// The state is read from disk at each call and written before each answer and
// before each thing that has an effect. Whatever has an effect may be done again:
// it finds what an earlier attempt has done. So a process may be killed anywhere.
// It never decides for a person, and never runs a command of the repository's but
// git and, to look, gh.
package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/history"
	"codeintel/internal/pipeline/profile"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// Codes of calls that do not fit the pipeline there is.
const (
	NoGit          problem.Code = "no_git_repository"
	SessionActive  problem.Code = "session_active"  // a /code session is open in this working tree
	PhaseMismatch  problem.Code = "phase_mismatch"  // the report is of another phase
	TicketMismatch problem.Code = "ticket_mismatch" // or of another action
	NoTicket       problem.Code = "no_ticket"       // nothing is outstanding
	WrongBranch    problem.Code = "wrong_branch"
	BadTree        problem.Code = "unreadable_tree" // git cannot read a file of the working tree
	PipelineOver   problem.Code = "pipeline_over"
)

// Code is what a pipeline asks of the code wing. Where it is nil, plans are not
// held against the code, and the answer says so.
type Code struct {
	// Defined returns the files that define the symbol, none if none does.
	Defined func(ctx context.Context, symbol string) ([]string, error)
	// References returns the files that refer to the symbol.
	References func(ctx context.Context, symbol string) ([]string, error)
}

// An AgentRun is what hooks of the client saw of the agent of an action.
type AgentRun struct {
	Tokens   int
	Duration time.Duration
	Model    string
	Files    []string // that it wrote, relative to the repository
}

// Options are what a Service needs besides the project.
type Options struct {
	Code *Code
	// Session says which /code session is open in this working tree, "" for none.
	Session func(ctx context.Context) (string, error)
	// AgentDirs are folders with agent files that go before ours.
	AgentDirs []string
	Log       *slog.Logger
	Now       func() time.Time
}

// A Service leads the pipelines of one project. Its methods may be called by
// several goroutines; of two calls for the same workspace the second is refused.
type Service struct {
	project *project.Project
	table   *engine.Table
	o       Options

	mu      sync.Mutex
	repo    *git.Repo         // nil: not opened yet
	led     map[string]func() // workspace -> how to let go of it
	busy    map[string]bool   // workspaces that a call is at work on
	drafts  map[string]draft  // what calls of the handshake brought, by the workspace of pipeline_init
	about   profile.Profile   // of the repository
	aboutOf string            // the commit that was checked out then

	past      sync.Mutex     // of what follows
	lessons   *history.Index // nil: not opened yet
	lessonsOf fs.FileInfo    // the file that it was read from
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
	return &Service{project: p, table: table, o: o, led: make(map[string]func()), busy: make(map[string]bool), drafts: make(map[string]draft)}, nil
}

// Close lets go of the pipelines that this process leads. They stay on disk.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, unlock := range s.led {
		unlock()
		delete(s.led, name)
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
			return nil, problem.New(NoGit, "A pipeline works on a branch, and this folder is in no git repository.", "Run git init and make a first commit.")
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

// A turn is one call for one workspace: the state as it was read, and as it will be
// written.
type turn struct {
	s     *Service
	w     *workspace.Workspace
	repo  *git.Repo
	locks workspace.Locks
	st    *engine.State
	over  int // the revision that was read
	dirty bool

	warnings []string
	budget   int // of the answer, in characters; 0: no limit
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
		return nil, nil, problem.Newf(workspace.Busy, "Another call for %s is under way.", w.Path()).Or("Wait for its answer, then call again.")
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
		s.forget(w, repo)
		if let := s.led[w.Name()]; let != nil {
			let()
			delete(s.led, w.Name())
		}
	}
	t = &turn{s: s, w: w, repo: repo, locks: locksOf(repo)}
	if t.st, err = t.load(); err == nil {
		if t.st.Over() {
			err = t.lastEntries()
		} else {
			err = s.lead(ctx, t)
		}
		if err == nil && !t.st.Over() {
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
	t.warn("%s/request.md was not as the user confirmed it, and was put back. What he wants otherwise he says at a checkpoint.", t.w.Path())
	return t.w.Write(workspace.RequestFile, t.st.RequestFile)
}

// lead takes the workspace for this process.
func (s *Service) lead(ctx context.Context, t *turn) error {
	s.mu.Lock()
	_, ours := s.led[t.w.Name()]
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
			return problem.Newf(SessionActive, "The /code session %s is open in this working tree; a pipeline cannot work beside it.", session).
				Or("Finish or abort that session first.").Or("Or make another working tree with git worktree add.")
		}
	}
	unlock, err := t.locks.Lead(t.w, "pipeline")
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.led[t.w.Name()] = unlock
	s.mu.Unlock()
	t.w.Sweep()
	if t.st, err = t.load(); err != nil { // another process may have written it until now
		return err
	}
	return t.journal()
}

func (t *turn) load() (*engine.State, error) {
	forged, err := t.w.PutBack(t.locks)
	if err != nil {
		return nil, err
	}
	if forged {
		t.s.o.Log.Warn("state.json was changed by somebody else, and put back", "workspace", t.w.Path())
		t.warn("%s/state.json was not as the server wrote it, and was put back. Leave it alone: what is done is told by reports only.", t.w.Path())
	}
	st := new(engine.State)
	if err := t.w.Load(st, engine.Migrate); err != nil {
		return nil, err
	}
	if st.Workspace != t.w.Path() {
		return nil, problem.Newf(workspace.StateDamaged, "%s/state.json is the state of %s.", t.w.Path(), st.Workspace).Or("Rename the folder back.")
	}
	t.over = st.Revision
	return st, nil
}

// save writes the state, then what it has to say into the journal. What a killed
// process left out of the journal is still in the state.
func (t *turn) save() error {
	now := t.s.o.Now().UTC().Format(time.RFC3339)
	t.st.Revision = t.over + 1
	t.st.Updated = now
	for i := range t.st.Entries {
		if e := &t.st.Entries[i]; e.Time == "" {
			e.Time, e.Revision = now, t.st.Revision
		}
	}
	for i := range t.st.Decisions {
		if d := &t.st.Decisions[i]; d.At == "" {
			d.At = now
		}
	}
	if err := t.w.Save(t.locks, t.over, t.st); err != nil {
		return err
	}
	t.over, t.dirty = t.st.Revision, false
	failpoint.Point("saved " + string(t.st.Status) + ": journal behind")
	if len(t.st.Entries) == 0 {
		return nil
	}
	err := workspace.Note(t.w, t.locks, t.over, func(have []engine.Entry) ([]engine.Entry, error) {
		missing := t.st.Entries
		for len(have) > 0 && len(missing) > 0 && missing[0].Sequence <= have[len(have)-1].Sequence { // by a process that found them in the state
			missing = missing[1:]
		}
		return missing, nil
	})
	if err != nil {
		return err
	}
	t.st.Entries = nil
	return nil
}

// journal appends the entries that the state has and the journal has not. Of the
// others none may be missing: who reads the journal takes it for all that was.
func (t *turn) journal() error {
	first, anew := t.st.Sequence-len(t.st.Entries), false
	err := workspace.Note(t.w, t.locks, t.over, func(have []engine.Entry) ([]engine.Entry, error) {
		last := t.st.JournalFrom
		for _, e := range have {
			if e.Sequence != last+1 {
				return nil, t.journalDamaged(fmt.Sprintf("entry %d comes after entry %d", e.Sequence, last))
			}
			last = e.Sequence
		}
		if last >= first && last <= t.st.Sequence {
			return t.st.Entries[len(t.st.Entries)-(t.st.Sequence-last):], nil
		}
		if _, err := t.w.Read(workspace.JournalFile); !errors.Is(err, fs.ErrNotExist) {
			return nil, t.journalDamaged(fmt.Sprintf("it ends with entry %d, and the state has seen %d", last, first))
		}
		anew = true
		return nil, nil
	})
	if err != nil {
		return err
	}
	if anew {
		t.warn("journal.jsonl is not there, so it begins anew; decisions are in state.json too.")
		t.st.JournalFrom = first
		return t.save() // where it begins is known before it does
	}
	t.st.Entries = nil
	return nil
}

// lastEntries is journal for a pipeline that is over, whose last process may have
// been killed. Its state does not change any more, and nothing keeps it from saying
// that it is over.
func (t *turn) lastEntries() error {
	if _, err := t.w.Read(workspace.JournalFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := t.journal()
	if p := problem.Of(err); p != nil {
		t.warn("%s", p.Message)
		return nil
	}
	return err
}

func (t *turn) journalDamaged(what string) error {
	return problem.Newf(workspace.JournalDamaged, "%s/journal.jsonl is not whole: %s.", t.w.Path(), what).
		Or("Bring the file back from a backup.").
		Or("Or move it away: a new one is begun, and every decision is in state.json as well.")
}

func (t *turn) warn(format string, args ...any) {
	t.warnings = append(t.warnings, fmt.Sprintf(format, args...))
}

// Live returns the workspace of a pipeline that some process leads in this working
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
		ours := s.led[w.Name()] != nil
		s.mu.Unlock()
		led, err := ours, error(nil)
		if !ours {
			led, err = locksOf(repo).Led(w)
		}
		if err != nil {
			return "", err
		}
		if led {
			st := new(engine.State)
			if err := w.Load(st, engine.Migrate); err == nil && !st.Over() {
				return w.Path(), nil
			}
		}
	}
	return "", nil
}
