package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/memory"
	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/session/exploration"
	"codeintel/internal/session/filehashes"
	"codeintel/internal/session/instructions"
	"codeintel/internal/session/lessons"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/projectrules"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/trustedtexts"
	"codeintel/internal/session/verifierruns"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/phase"
)

// Codes of calls that do not fit the session there is.
const (
	NoSession     problem.Code = "no_session"     // none is open in this project
	SessionActive problem.Code = "session_active" // one is open already
)

// Code is what a session asks of the packages that search code.
type Code struct {
	// Defined returns the files that define the symbol.
	Defined func(ctx context.Context, symbol string) ([]string, error)
	// Relevance returns how near each symbol is to a phrase, calibrated as package
	// relevance says; symbols that are defined nowhere are left out.
	Relevance func(ctx context.Context, phrase string, symbols []string) (map[string]float64, error)
	// MustVerify returns the files that refer to what the targets declare; of a change that
	// only adds, those that have to follow an addition, as of an interface.
	MustVerify func(ctx context.Context, targets []string, adds bool) ([]string, error)
	// Changed returns the symbols, tests aside, that were there at a commit and differ now or
	// are gone, and the files that refer to them.
	Changed func(ctx context.Context, base string) (symbols, files []string, err error)
	// Declared returns the symbols of a file whose definitions hold any of the lines;
	// where it is nil, nothing is learned.
	Declared func(ctx context.Context, file string, lines []git.Range) ([]lessons.Declared, error)
	// IsTest reports whether a file tests others.
	IsTest func(file string) bool
	// Plan returns what would be decided about a request outside of a session; where
	// it is nil, nothing is noted.
	Plan func(ctx context.Context, query, intent string) (outcomelog.Decision, error)
	// Rebuild makes the index anew.
	Rebuild func(ctx context.Context) error
}

// A Service runs the sessions of one project, one at a time. Its methods may be
// called at once from several goroutines; they take turns.
type Service struct {
	project  *project.Project
	code     Code
	log      *slog.Logger
	now      func() time.Time
	table    *phase.Table[phases.Contract]
	texts    instructions.Texts
	handlers map[phase.ID]handler
	patience time.Duration // how long a submission waits for the commands of verifiers

	logs       *outcomelog.Logs
	agreements *memory.Folder

	connected atomic.Value // string: what the client calls itself, in lower case

	mu      sync.Mutex
	live    *openSession  // nil: no session is open in this process
	asking  string        // nonce of the gate at which a person is being asked
	waiting []audit.Entry // calls that are not in the ledger of the session that saw them yet, see [Service.wait]
}

// openSession is the open session. What it holds is on disk too.
type openSession struct {
	st     *state.State
	ledger *audit.Ledger
	unlock func()
	runner *verify.Runner // nil: no command of a verifier was run yet
	since  time.Time      // when it was interrupted; zero once an answer has said so, or if it was not

	sent       map[string][sha256.Size]byte // what answers have held, see [turn.told]
	unreported *unreported                  // what the next answer reports about payloads accepted before a refusal
}

// New returns the Service of a project. A broken phase_contract.yml of the
// project is logged, named in every start_session, and not used.
func New(p *project.Project, code Code, log *slog.Logger, now func() time.Time) (*Service, error) {
	table, err := phases.Load()
	if err != nil {
		return nil, err
	}
	handlers, err := newHandlers(table)
	if err != nil {
		return nil, err
	}
	texts, err := instructions.Load(p, table.IDs(),
		append(slices.Clone(exploration.Tools), op.Strings(op.ReviewChanges, op.CheckWriteTarget)...))
	if err != nil {
		return nil, err
	}
	if !texts.Broken.IsZero() {
		log.Warn("phase_contract.yml is not used", "err", texts.Broken.String())
	}
	return &Service{
		project: p, code: code, log: log, now: now, table: table, texts: texts, handlers: handlers, patience: patience,
		logs: outcomelog.Open(p), agreements: memory.Open(p),
	}, nil
}

// Close lets go of the open session, and ends the commands that run for it. The
// session stays on disk as interrupted.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.release()
}

func (s *Service) release() error {
	if s.live == nil {
		return nil
	}
	s.live.runner.Close()
	err := s.live.ledger.Close()
	s.live.unlock()
	s.live = nil
	return err
}

// A StartRequest opens a session.
type StartRequest struct {
	Intent   string   `json:"intent,omitempty" jsonschema:"IMPLEMENT, MODIFY (default), INVESTIGATE or QUESTION"`
	Query    string   `json:"query,omitempty" jsonschema:"the user's request, word for word, without flags"`
	Flags    []string `json:"flags,omitempty" jsonschema:"the options of the /code line, such as --fast or -g=full"`
	RepoPath string   `json:"repo_path,omitempty" jsonschema:"default: this server's project"`

	Then []ThenPayload `json:"then,omitempty" jsonschema:"as in submit_phase"`
}

// Start opens a session in the first phase that its flags leave open, or goes on
// with an interrupted one (--resume). It answers recovery_available, and opens
// nothing, if there is an interrupted session that the flags do not speak of.
//
// Payloads of the first phases may come with it, as with [Service.Submit].
func (s *Service) Start(ctx context.Context, req StartRequest) (*answer.Answer, error) {
	a, err := s.start(ctx, req)
	if err != nil || len(req.Then) == 0 {
		return a, err
	}
	if a.Phase == "" {
		return s.nameUnused(a, req.Then), nil
	}
	s.mu.Lock()
	if s.live != nil {
		s.live.sent = nil // nobody sees this answer
	}
	s.mu.Unlock()
	return s.followPayloads(ctx, req.Then, s.takeUnreported())
}

// start is Start without the payloads that come with it.
func (s *Service) start(ctx context.Context, req StartRequest) (*answer.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	flags, err := codecommand.ParseFlags(req.Flags)
	if err != nil {
		return nil, err
	}
	if err := s.sameRoot(req.RepoPath); err != nil {
		return nil, err
	}
	if s.live != nil {
		return nil, s.active(s.live.st)
	}
	line, err := s.checkTypedLine(req.Query, flags)
	if err != nil {
		return nil, err
	}
	switch {
	case flags.Clean:
		return s.clean(ctx)
	case flags.Resume:
		return s.resume(ctx, "")
	case flags.Rebuild:
		if err := s.code.Rebuild(ctx); err != nil {
			return nil, err
		}
		if strings.TrimSpace(req.Query) == "" {
			return &answer.Answer{Success: true, Reason: msg.New("session.index_rebuilt")}, nil
		}
	}
	intent, err := state.ParseIntent(cmp.Or(strings.TrimSpace(req.Intent), string(state.Modify)))
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(req.Query) == "" {
		return nil, problem.New(problem.InvalidArgument, "session.query_empty").
			Or("session.send_user_request_word_word")
	}
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	c, err := s.withholdOptions(req.Flags, flags, intent, req.Query)
	if err != nil {
		unlock()
		return nil, err
	}
	a, err := s.begin(ctx, c, req.Query, line, unlock)
	if s.live == nil {
		unlock()
	}
	return a, err
}

// begin opens a session under the project's lock. Of one that cannot be opened nothing stays.
func (s *Service) begin(ctx context.Context, c effectiveOptions, query string, line *workflow.TypedLine,
	unlock func()) (*answer.Answer, error) {
	interrupted, err := s.interrupted()
	if err != nil {
		return nil, err
	}
	if len(interrupted) > 0 {
		return s.recovery(interrupted[len(interrupted)-1]), nil
	}
	now := s.now()
	st := &state.State{
		Schema: state.Schema, ID: state.NewID(now), Started: now, Updated: now, Intent: c.intent, Query: query,
		Flags: c.flags, Typed: c.typed, Withheld: c.withheld,
		Terms: state.Terms{BeganEmpty: s.project.IsEmpty(), HumanGate: s.project.Config.HumanGate,
			RequiredLevel: s.project.Config.RequiredEnforcement},
	}
	if st.ExplorationOnly() && (c.flags.Fast || c.flags.Quick) {
		st.Warn("session.fast_and_quick_are_ignored")
		st.Flags.Fast, st.Flags.Quick = false, false
	}
	warnOfWithheld(st)
	if !s.texts.Broken.IsZero() {
		st.Warn("session.built_contract_force", s.texts.Broken)
	}
	if s.texts.ContractLeft() {
		st.Warnings = append(st.Warnings, trustedtexts.LeftOut(instructions.ContractFile))
	}
	if err := s.context(st); err != nil {
		return nil, err
	}
	if err := s.noteRepository(ctx, st); err != nil {
		return nil, err
	}
	if st.Verifiers, err = verifierruns.Required(s.project); err != nil {
		return nil, err
	}
	l, err := audit.Open(s.folder().Ledger(st.ID))
	if err != nil {
		return nil, err
	}
	t := s.newTurn(st, l)
	t.enterPhase(s.table.First(payloadFacts{State: st}))
	if err = t.save(); err == nil {
		err = s.lineFile().Use(line, st.ID)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close(), s.folder().Remove(st.ID))
	}
	s.live = &openSession{st: st, ledger: l, unlock: unlock}
	s.waiting = nil // they belong to no session
	s.decide(ctx, st)
	t.recordComplaint(ctx)
	return t.answer(ctx)
}

// context notes what the project says: its rules, and whether documents are to
// be researched.
func (s *Service) context(st *state.State) error {
	c, err := s.project.LoadContext()
	if err != nil {
		return err
	}
	if !c.DocResearch.Enabled {
		st.Flags.NoDoc = true
	}
	if !st.Flags.NoDoc { // a prompt that is not there is told before anything is opened
		if _, err := s.texts.Research(st.Flags.DocPrompts, c.DocResearch.DefaultPrompts); err != nil {
			return err
		}
	}
	r, err := projectrules.Load(s.project)
	if err != nil {
		return err
	}
	if r.Summary != "" && !s.texts.May(r.From, r.Text) {
		st.Warnings = append(st.Warnings, trustedtexts.LeftOut(r.From))
		return nil
	}
	st.ProjectRules = r.Summary
	if r.Stale {
		st.Warnings = append(st.Warnings, r.Ask())
	}
	return nil
}

// noteRepository notes the git repository, or that there is none, and refuses
// where a task branch could not be made.
func (s *Service) noteRepository(ctx context.Context, st *state.State) error {
	r, err := git.Open(ctx, s.project.Root)
	if errors.As(err, new(*git.NotRepository)) {
		st.Warn("session.folder_is_no_git_repository")
		st.Start.Manifest, err = filehashes.Of(ctx, s.project)
		return err
	}
	if err != nil {
		return err
	}
	st.Git = true
	if p := taskbranch.RefuseFolder(r, s.project.Root); p != nil && !st.ExplorationOnly() {
		return p.Or("session.explore_only_send_only_explore")
	}
	if !st.ExplorationOnly() && !st.Flags.OnlyVerify {
		if err := r.Trusted(ctx, false); err != nil {
			return err
		}
		stale, err := taskbranch.FindStale(ctx, r, s.ownsBranch)
		if err != nil {
			return err
		}
		if err := taskbranch.Ready(ctx, r); err != nil && !st.Flags.Quick && !isOnStaleBranch(ctx, r, stale, err) {
			return err
		}
		st.Stale = stale
	}
	if st.ExplorationOnly() {
		stale, err := taskbranch.FindStale(ctx, r, s.ownsBranch)
		if err != nil {
			return err
		}
		if len(stale) > 0 {
			st.Warn("session.d_task_branches_earlier_sessions", len(stale), op.CleanupStaleBranches)
		}
	}
	if err := s.measureFrom(ctx, r, st); err != nil || st.ExplorationOnly() {
		return err
	}
	return s.warnOfLeftovers(ctx, r, st)
}

// isOnStaleBranch reports whether what no task branch can be made for is only that HEAD is on
// a stale one: BRANCH_INTERVENTION leads to its base.
func isOnStaleBranch(ctx context.Context, r *git.Repo, stale []taskbranch.Stale, err error) bool {
	p := problem.Of(err)
	return p != nil && p.Code == taskbranch.OnTaskBranch && slices.ContainsFunc(stale, func(b taskbranch.Stale) bool {
		return b.CheckedOut && b.Known(ctx, r) == nil
	})
}

// measureFrom fixes what later changes are measured against.
func (s *Service) measureFrom(ctx context.Context, r *git.Repo, st *state.State) error {
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	st.Base = head
	if st.Start.Tree, err = taskbranch.Snapshot(ctx, r); err != nil {
		return err
	}
	if st.GitSettings == nil && !st.ExplorationOnly() && !st.Flags.OnlyVerify {
		if st.GitSettings, err = r.Settings(ctx); err != nil {
			return err
		}
	}
	if st.Flags.OnlyVerify && head != "" { // on a clean tree the last commit is what is verified
		changes, err := taskbranch.Changes(ctx, r, head)
		if err != nil {
			return err
		}
		if parent, err := r.Parent(ctx, head); err == nil && len(changes) == 0 {
			st.Base = parent
		}
	}
	return nil
}

// A SubmitRequest ends the current phase.
type SubmitRequest struct {
	Data            payload.Payload `json:"data" jsonschema:"the payload that the last answer asked for"`
	CompactionCount *int            `json:"compaction_count,omitempty" jsonschema:"the number from the last answer; one more if you have lost your context since"`
	SessionID       string          `json:"session_id,omitempty"`

	Then []ThenPayload `json:"then,omitempty" jsonschema:"[{phase, data}] of the phases that follow"`
}

// submit is one attempt to take a payload. While it is patient, it leaves
// everything as it was and returns the commands that are to be waited for. If more
// payloads follow, what is to be told is kept, and nothing answered unless the
// session has ended.
func (s *Service) submit(ctx context.Context, req SubmitRequest, patient bool, p *unreported,
	more bool) (*answer.Answer, []*verify.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureOpen(req.SessionID, op.SubmitPhase); err != nil {
		return nil, nil, err
	}
	if id := s.live.st.ID; req.SessionID != "" && req.SessionID != id {
		return nil, nil, problem.New(NoSession, "session.session_not_open", req.SessionID, id).
			Or("session.leave_session_id_out_send", id)
	}
	t, err := s.beginTurn()
	if err != nil {
		return nil, nil, err
	}
	t.compaction(req.CompactionCount)
	if p.since == 0 {
		p.since = t.State.Since
	}
	t.since = p.since
	if err := t.submit(ctx, req.Data); err != nil {
		if t.refused != "" {
			err = errors.Join(err, s.noteRefusal(t.refused))
		}
		return nil, nil, err
	}
	if patient && len(t.waiting) > 0 {
		return nil, t.waiting, nil
	}
	if t.State.Outcome != "" {
		t.State.Report = t.report()
	}
	if err := t.save(); err != nil {
		return nil, nil, err
	}
	if t.State.Outcome != "" {
		p.addTo(t)
		a, err := t.finish(ctx)
		return a, nil, err
	}
	if t.contradicted != nil {
		return nil, nil, t.contradicted
	}
	if more && t.answering == nil {
		p.note(t)
		return nil, nil, nil
	}
	p.addTo(t)
	a, err := t.answer(ctx)
	return a, nil, err
}

// noteRefusal keeps in mind what is refused once only. Nothing else of the refused
// submission is kept.
func (s *Service) noteRefusal(what string) error {
	t, err := s.beginTurn()
	if err != nil {
		return err
	}
	t.State.RefusedOnce = append(t.State.RefusedOnce, what)
	return t.save()
}

// noteLeft keeps in mind how hooks that refused a commit have left the files.
func (s *Service) noteLeft(ctx context.Context) error {
	t, err := s.beginTurn()
	if err == nil {
		err = t.implemented(ctx)
	}
	if err == nil {
		err = t.save()
	}
	return err
}

// A StatusRequest asks where a session is.
type StatusRequest struct {
	SessionID     string `json:"session_id,omitempty" jsonschema:"the session to show or restore; default: the current one"`
	DiscardActive bool   `json:"discard_active,omitempty" jsonschema:"abort that session; branch and state are kept"`
}

// Status returns the present answer once more, with the summaries of all
// finished phases. An interrupted session is restored by it.
func (s *Service) Status(ctx context.Context, req StatusRequest) (*answer.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		if a, err := s.resume(ctx, req.SessionID); err != nil || !req.DiscardActive {
			return a, err
		}
	}
	if id := s.live.st.ID; req.SessionID != "" && req.SessionID != id {
		return nil, problem.New(SessionActive, "session.another_session_is_open", id, req.SessionID).
			Or("session.leave_session_id_out_see")
	}
	t, err := s.beginTurn()
	if err != nil {
		return nil, err
	}
	if req.DiscardActive {
		if err := t.abort(ctx, msg.New("session.discarded_by_request", op.GetSessionStatus)); err != nil {
			return nil, err
		}
		t.State.Report = t.report()
		if err := t.save(); err != nil {
			return nil, err
		}
		return t.finish(ctx)
	}
	t.State.ShowSummaries = true
	return t.answer(ctx)
}

// ReportOf returns the whole report of a session that has ended.
func (s *Service) ReportOf(id string) (*state.Report, error) {
	none := problem.New(problem.NotFound, "session.no_report", id).Or("session.code_intel_session_show_lists")
	if !state.IsID(id) {
		return nil, none
	}
	st, err := state.Read(s.folder().ArchivedCheckpoint(id))
	if errors.Is(err, fs.ErrNotExist) || err == nil && st.Report == nil {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	return st.Report, nil
}

// beginTurn begins one call on the open session, on a copy of its state.
func (s *Service) beginTurn() (*turn, error) {
	if err := s.noteWaiting(); err != nil {
		s.log.Warn("earlier calls are still not recorded", "err", err)
	}
	data, err := json.Marshal(s.live.st)
	if err != nil {
		return nil, fmt.Errorf("session state: %w", err)
	}
	st := new(state.State)
	if err := json.Unmarshal(data, st); err != nil {
		return nil, fmt.Errorf("session state: %w", err)
	}
	t := s.newTurn(st, s.live.ledger)
	return t, t.prove()
}

// resume goes on with an interrupted session: the one with the id, or the last.
func (s *Service) resume(ctx context.Context, id string) (*answer.Answer, error) {
	if err := s.reopen(id); err != nil {
		return nil, err
	}
	t, err := s.beginTurn()
	if err != nil {
		return nil, err
	}
	return t.answer(ctx)
}

func (s *Service) restore(id string) (*state.State, error) {
	interrupted, err := s.interrupted()
	if err != nil {
		return nil, err
	}
	for i := len(interrupted) - 1; i >= 0; i-- {
		if id == "" || interrupted[i].ID == id {
			return interrupted[i], nil
		}
	}
	if id != "" {
		return nil, problem.New(NoSession, "session.no_interrupted_session", id).
			Or("session.call_status_without_id", op.GetSessionStatus).
			Or("session.start_a_session", op.StartSession)
	}
	return nil, s.noneOpen()
}

func (s *Service) noSession() error {
	return problem.New(NoSession, "session.no_session_open_project").
		Or("session.start_session_with_arguments", op.StartSession).
		Or("session.if_one_interrupted_get_session", op.GetSessionStatus)
}

// active says that a session is open, and what may be done about it.
func (s *Service) active(st *state.State) error {
	return problem.New(SessionActive, "session.session_open_since", st.ID, st.Started.Format(time.RFC3339),
		s.wire(st.Phase), text.Clip(st.Query, 200)).
		Or("session.call_status_to_go_on_with_it", op.GetSessionStatus).
		Or("session.give_up_ask_user_first", msg.CallOf(op.GetSessionStatus, "discard_active", true), op.StartSession)
}

// recovery offers an interrupted session.
func (s *Service) recovery(st *state.State) *answer.Answer {
	return &answer.Answer{
		Reason: msg.New("session.earlier_session_interrupted_ask_user"),
		Instruction: msg.New("session.resume_discard_or_start", refusal.Resume(),
			msg.CallOf(op.GetSessionStatus, "discard_active", true), op.StartSession),
		Recovery: &answer.Recovery{SessionID: st.ID, Phase: s.wire(st.Phase), Query: text.Clip(st.Query, 500),
			Age: s.now().Sub(st.Updated).Round(time.Second).String()},
	}
}

// sameRoot refuses a repo_path outside the project of this server.
func (s *Service) sameRoot(path string) error {
	if path == "" {
		return nil
	}
	root, err := project.Find(path)
	if err == nil && root == s.project.Root {
		return nil
	}
	return problem.New(taskbranch.OtherRoot, "session.repo_path_not_project_server", path, s.project.Root).
		Or("session.leave_repo_path_out").
		Or("session.another_project_needs_its_server", op.Serve)
}

// wire returns a phase's name in answers.
func (s *Service) wire(id phase.ID) string {
	if c, ok := s.table.Contract(id); ok && c.Wire != "" {
		return c.Wire
	}
	return string(id)
}
