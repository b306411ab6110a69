package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/audit/shown"
	"codeintel/internal/git"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/projectrules"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/text/requestslots"
)

// toolBlocked is the code of a tool that the current phase does not allow.
const toolBlocked problem.Code = "phase_blocked"

// A Call is a tool call as the server saw it.
type Call struct {
	Tool     string
	ID       string // as the client's hooks name the call, if it says so
	Args     string // digest of the arguments
	Outcome  audit.Outcome
	Observed shown.Facts
	Duration time.Duration
}

// Record notes a finished call in the ledger of the open session, if there is
// one. Exploration tools may be called without. A call that cannot be noted now is
// noted as soon as it can be, while this process runs.
func (s *Service) Record(_ context.Context, c Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		if len(s.folder().Checkpoints()) > 0 {
			s.wait(c)
		}
		return nil
	}
	s.wait(c)
	return s.noteWaiting()
}

// entry makes the entry of a call, with the content hashes of the files that it
// has shown lines of.
func (s *Service) entry(c Call) audit.Entry {
	e := audit.Entry{
		Kind: audit.Tool, Name: c.Tool, Args: c.Args, Outcome: c.Outcome, Observed: c.Observed,
		DurationMS: c.Duration.Milliseconds(),
		Detail:     audit.Details("call", c.ID),
	}
	var files []string
	for _, l := range c.Observed.Lines {
		files = append(files, l.File)
	}
	if c.Outcome == audit.OK && len(files) > 0 {
		e.Hashes = s.hashes(files)
	}
	return e
}

// Permit refuses a tool that belongs to other phases than the current one.
// Exploration is open in all of them.
func (s *Service) Permit(_ context.Context, tool string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.permit(tool)
}

func (s *Service) permit(tool string) error {
	var phases []string
	for _, id := range s.table.IDs() {
		if c, _ := s.table.Contract(id); slices.Contains(c.Allows, tool) {
			if s.live != nil && s.live.st.Phase == id {
				return nil
			}
			if w := s.wire(id); !slices.Contains(phases, w) {
				phases = append(phases, w)
			}
		}
	}
	if len(phases) == 0 || s.live == nil {
		return nil // open everywhere, or a matter of the tool itself
	}
	return problem.New(toolBlocked, "session.belongs_session", tool, strings.Join(phases, " and "),
		s.wire(s.live.st.Phase)).
		Or("session.follow_the_phase_instruction", op.SubmitPhase)
}

// A Place is where the open session is, for refusals and questions to carry.
type Place struct {
	Session         string
	Intent          state.Intent
	Slots           map[string]requestslots.Slot // of the frame, once there is one
	Phase           string
	Instruction     string
	Before          msg.Message // refers to the instruction, if an answer held it
	ExpectedPayload map[string]string
	NextTask        *answer.TaskAhead // in READY, while a task is to be done
}

// Where reports where the open session is; the zero Place if none is open.
func (s *Service) Where() Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return Place{}
	}
	id := s.live.st.Phase
	c, _ := s.table.Contract(id)
	at := Place{Session: s.live.st.ID, Intent: s.live.st.Intent, Phase: s.wire(id), Instruction: s.texts.Of(id), ExpectedPayload: maps.Clone(c.Payload)}
	if _, told := s.live.sent["instruction "+string(id)]; told {
		at.Before = msg.New("session.instruction_as_before", s.step(id), op.GetSessionStatus)
	}
	if f := s.live.st.Frame; f != nil {
		at.Slots = maps.Clone(f.Slots)
	}
	if id == phases.ReadyImplement {
		at.NextTask = answer.Ahead(s.live.st.Next())
	}
	return at
}

// A WriteRequest asks whether files may be written.
type WriteRequest struct {
	FilePath      string   `json:"file_path,omitempty"`
	Files         []string `json:"files,omitempty" jsonschema:"several files at once"`
	AllowNewFiles *bool    `json:"allow_new_files,omitempty" jsonschema:"new files may be created; default true"`
}

// CheckWriteTarget decides whether files may be written, and remembers those
// that may.
func (s *Service) CheckWriteTarget(ctx context.Context, req WriteRequest) (*answer.Write, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureOpen("", op.CheckWriteTarget); err != nil {
		return nil, err
	}
	files := req.Files
	if req.FilePath != "" {
		files = append(slices.Clone(files), req.FilePath)
	}
	if len(files) == 0 {
		return nil, problem.New(problem.InvalidArgument, "session.no_file_named").
			OrDo(op.CheckWriteTarget, "file_path", "…")
	}
	t, err := s.beginTurn()
	if err != nil {
		return nil, err
	}
	entries, err := t.Ledger.Since(0)
	if err != nil {
		return nil, err
	}
	v := s.writeScope(t.State, entries)
	a := &answer.Write{Allowed: true}
	for _, f := range files {
		target, names, err := v.Decide(ctx, f, req.AllowNewFiles == nil || *req.AllowNewFiles)
		if err != nil {
			return nil, err
		}
		if a.Allowed = a.Allowed && target.Allowed; target.Allowed {
			t.State.Approved = text.Distinct(append(t.State.Approved, names...))
		}
		a.Files = append(a.Files, target.After(a.Files))
	}
	return a, t.save()
}

// A FilesRequest names files.
type FilesRequest struct {
	Files []string `json:"files" jsonschema:"files that a tool has shown"`
}

// AddExploredFiles takes files into the explored set, once a tool has shown them.
func (s *Service) AddExploredFiles(_ context.Context, req FilesRequest) (*answer.Files, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureOpen("", op.AddExploredFiles); err != nil {
		return nil, err
	}
	t, err := s.beginTurn()
	if err != nil {
		return nil, err
	}
	if err := t.explored().CheckSeen("files", req.Files); err != nil {
		return nil, err
	}
	a := &answer.Files{Added: []string{}}
	for _, f := range req.Files {
		rel, err := s.project.Resolve(f)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(t.State.AddedFiles, rel) {
			t.State.AddedFiles = append(t.State.AddedFiles, rel)
			a.Added = append(a.Added, rel)
		}
	}
	explored, err := t.explored().Explored()
	if err != nil {
		return nil, err
	}
	for f := range explored {
		a.Explored = append(a.Explored, f)
	}
	slices.Sort(a.Explored)
	return a, t.save()
}

// A CleanupRequest says what becomes of stale task branches.
type CleanupRequest struct {
	Action   string   `json:"action" jsonschema:"delete or merge (into their base)"`
	Branches []string `json:"branches,omitempty" jsonschema:"which ones; default: all"`
}

// CleanupStaleBranches deletes or merges task branches that belong to no session.
func (s *Service) CleanupStaleBranches(ctx context.Context, req CleanupRequest) (*answer.Cleanup, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.Action != "delete" && req.Action != "merge" {
		return nil, problem.New(problem.InvalidArgument, "session.action", req.Action).
			Or("session.send_delete_merge")
	}
	if err := s.mayClean(req.Action); err != nil {
		return nil, err
	}
	r, err := git.Open(ctx, s.project.Root)
	if err != nil {
		return nil, err
	}
	stale, err := taskbranch.FindStale(ctx, r, s.ownsBranch)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, b := range stale {
		names = append(names, b.Name)
	}
	for _, b := range req.Branches {
		if !slices.Contains(names, b) {
			return nil, problem.New(refusal.ValidationFailed, "session.branch_no_stale_task_branch", b).
				Or("session.stale", answer.OrNone(names))
		}
	}
	act := taskbranch.DeleteStale
	if req.Action == "merge" {
		act = taskbranch.MergeStale
	}
	a := &answer.Cleanup{Action: req.Action, Branches: []string{}}
	for _, b := range stale {
		if len(req.Branches) > 0 && !slices.Contains(req.Branches, b.Name) {
			continue
		}
		if err := act(ctx, r, b); err != nil {
			return nil, err
		}
		a.Branches = append(a.Branches, b.Name)
	}
	return a, nil
}

// clean archives every checkpoint and moves every task branch to trash refs.
func (s *Service) clean(ctx context.Context) (*answer.Answer, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	open, err := s.interrupted()
	if err != nil {
		return nil, err
	}
	for _, st := range open {
		st.Outcome, st.Reason, st.Updated = state.Aborted, msg.New("session.put_away_clean"), s.now()
		if err := atomicfile.Write(s.folder().Checkpoint(st.ID), st); err != nil { // without a seal: it never comes back
			return nil, err
		}
		s.recorder().Conclude(ctx, st)
		if err := s.folder().Archive(st.ID); err != nil {
			return nil, err
		}
	}
	done := []any{msg.New("session.checkpoints_archived", len(open))}
	r, err := git.Open(ctx, s.project.Root)
	if err != nil {
		return &answer.Answer{Success: true, Reason: msg.New("session.no_git_repository", done[0])}, nil
	}
	stale, err := taskbranch.FindStale(ctx, r, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	for _, b := range stale {
		if err := taskbranch.DeleteStale(ctx, r, b); err != nil {
			return nil, err
		}
		done = append(done, msg.New("session.moved_refs_code_intel_trash", b.Name))
	}
	return &answer.Answer{Success: true, Reason: msg.Join("; ", done...)}, nil
}

// A ContextRequest brings a new summary of the project's rules.
type ContextRequest struct {
	Summary string `json:"project_rules_summary" jsonschema:"DO and DON'T list made from the rules document"`
}

// UpdateContext keeps a new summary of the project's rules, for this session and
// the next ones.
func (s *Service) UpdateContext(_ context.Context, req ContextRequest) (*answer.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := projectrules.Load(s.project)
	if err != nil {
		return nil, err
	}
	r, err := projectrules.Update(s.project, req.Summary, s.now())
	if err != nil {
		return nil, err
	}
	if before.Summary == "" || s.texts.May(before.From, before.Text) { // a summary of what the user trusts
		if err := s.texts.Vouch(r.From, r.Text); err != nil {
			s.log.Warn("the summary of the rules is not trusted", "err", err)
		}
	}
	if s.live != nil {
		t, err := s.beginTurn()
		if err != nil {
			return nil, err
		}
		t.State.ProjectRules = r.Summary
		t.State.Warnings = slices.DeleteFunc(t.State.Warnings, projectrules.Asks)
		if err := t.save(); err != nil {
			return nil, err
		}
	}
	return &answer.Context{Source: r.Source, Hash: r.Hash, Summary: r.Summary}, nil
}
