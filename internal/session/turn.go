package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/policy"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/writablefiles"
	"codeintel/internal/text"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/phase"
)

// backNotAvailable is the code of a way back that a session cannot take now.
const backNotAvailable problem.Code = "back_not_available"

// A turn is one call on the open session: a copy of its state, which replaces
// the old one only once it is on disk, and what the answer to this call will say
// beside the state.
type turn struct {
	changes.Tree // of the session, with its state and its ledger
	s            *Service

	since      int64  // the ledger's sequence number from which calls may be claimed; see [unreported]
	summary    string // of the payload
	stay       bool   // the payload was good, and the phase is not over
	overridden bool
	code       problem.Code // of a refusal for the same reason
	reason     msg.Message
	commit     string
	merged     string
	refused    string               // what is refused now and will not be again
	answering  func(*answer.Answer) // what a handler adds to the answer

	waiting      []*verify.Job    // commands that the verification waits for
	contradicted *problem.Problem // the payload was taken, but not as it was meant
}

// newTurn is a call on a session with that state and that ledger.
func (s *Service) newTurn(st *state.State, l *audit.Ledger) *turn {
	return &turn{s: s, Tree: changes.Tree{Project: s.project, State: st, Ledger: l, IsTest: s.code.IsTest}}
}

// submit takes the payload of the current phase and moves the state on.
func (t *turn) submit(ctx context.Context, p payload.Payload) error {
	if err := t.applyDecisionOnWithheld(); err != nil {
		return err
	}
	given, err := t.control(ctx, p)
	if err != nil || t.State.Outcome != "" {
		return err
	}
	from := t.State.Phase
	if given == nil {
		lacking := t.require(from)
		if lacking != nil && problem.Of(lacking) == nil {
			return lacking
		}
		if t.plansAgain(p) {
			given, err = t.replan(ctx, p, lacking)
		} else {
			given, err = t.s.handlers[from].run(ctx, t, p, lacking)
		}
		if err != nil {
			return err
		}
		t.summarize(from)
	}
	if t.stay {
		return nil
	}
	step, err := t.s.table.Next(from, payloadFacts{t.State, given})
	if err != nil {
		return err
	}
	if step.To == phase.Done && t.State.ExplorationOnly() {
		if err := t.checkNothingChanged(ctx); err != nil {
			return err
		}
	}
	if step.To == phases.ReadyPlan {
		if err := t.enforced(); err != nil {
			return err
		}
	}
	t.enterPhase(step)
	if step.To == phase.Done {
		return t.end(ctx, from, given)
	}
	return t.onPhaseBegin(ctx, from)
}

// control takes a payload that leaves the phase without ending it: abort and
// back_to. It returns the answers that lead back, or nil.
func (t *turn) control(ctx context.Context, p payload.Payload) (answers, error) {
	c := p.Control()
	if c == nil {
		return nil, nil // its handler tells what is wrong with it
	}
	if err := refusal.RequireReason("reason", c.Reason); err != nil {
		return nil, err
	}
	if c.Abort {
		return nil, t.abort(ctx, msg.Literal(c.Reason))
	}
	given := answers{"back_to_exploration": c.BackTo == "EXPLORATION", "back_to_ready": c.BackTo == "READY"}
	open := slices.ContainsFunc(t.s.table.Edges(t.State.Phase), func(e phase.Edge) bool {
		return e.When != "" && strings.HasPrefix(string(e.When), "back_to") && given[e.When]
	})
	if !open || t.s.table.Skips(phase.ID(c.BackTo), payloadFacts{State: t.State}) {
		return nil, problem.New(backNotAvailable, "session.no_way_back_from_session", c.BackTo, t.wire()).
			Or("session.from_ready_one_may_go").
			Or("session.from_post_impl_verify_pre").
			Or("session.else_go_phase_give_up", refusal.GiveUp())
	}
	t.State.Returned = msg.New("session.asked_back", c.Reason)
	if c.BackTo == "EXPLORATION" {
		if !c.Keep {
			t.State.ExploreSince = t.Ledger.Head().Seq
			t.State.Findings, t.State.Hypotheses, t.State.Verified, t.State.Impact = nil, nil, nil, nil
		}
		t.State.Evaluation = nil
	}
	if t.State.Phase == phases.Merge {
		if err := t.takeBase(ctx); err != nil {
			return nil, err
		}
	}
	return given, nil
}

// enterPhase moves the state over a step and notes when the new phase began.
func (t *turn) enterPhase(step phase.Step) {
	applyStep(t.State, step)
	t.State.Since = t.Ledger.Head().Seq
	t.openGate()
	if v := t.State.Verify; t.State.Phase == phases.UserEscalation && t.State.Left == phases.PostImplVerify && v != nil && len(v.NotRun) > 0 {
		t.State.Gate.Own = []string{"accept"}
	}
}

// onPhaseBegin does what the server does as a phase begins.
func (t *turn) onPhaseBegin(ctx context.Context, from phase.ID) error {
	if t.State.Phase == phases.PreCommit || t.State.Phase == phases.QualityReview {
		t.State.Review = nil
	}
	if t.State.Phase == phases.Merge && t.State.Git {
		r, err := t.Open(ctx)
		if err != nil {
			return err
		}
		if _, _, err := t.NameBaseCommits(ctx, r); err != nil {
			return err
		}
	}
	_, err := t.Ledger.Append(audit.Entry{Kind: audit.Transition, Session: t.State.ID, Phase: string(from),
		Name: string(t.State.Phase), Outcome: audit.OK})
	return err
}

// summarize keeps the phase's summary for a model that will have forgotten it.
func (t *turn) summarize(id phase.ID) {
	if t.summary == "" {
		return
	}
	c, _ := t.s.table.Contract(id)
	for i := range t.State.Summaries {
		if t.State.Summaries[i].ID == id && id != phases.ReadyImplement {
			t.State.Summaries[i].Text = t.summary
			return
		}
	}
	t.State.Summaries = append(t.State.Summaries, state.Summary{Step: c.Step, ID: id, Text: t.summary})
}

// summaries returns what the finished phases left, by "step_05_EXPLORATION".
func summaries(s *state.State) map[string]string {
	all := make(map[string]string)
	for _, sum := range s.Summaries {
		key := fmt.Sprintf("step_%02d_%s", sum.Step, sum.ID)
		if had := all[key]; had != "" {
			all[key] = had + "\n" + sum.Text
		} else {
			all[key] = sum.Text
		}
	}
	return all
}

// compaction takes the model's echo of the compaction count. A number that
// differs says that the model has lost its context since.
func (t *turn) compaction(echo *int) {
	if echo == nil || *echo == t.State.Compactions {
		return
	}
	t.State.ShowSummaries = true
	t.State.Compactions = max(t.State.Compactions, *echo)
}

// compacted looks for compactions that a hook has seen: then the answer carries
// the summaries, whatever the model echoes.
func (t *turn) compacted() error {
	entries, err := t.Ledger.Since(t.State.CompactSeen)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Kind == audit.Event && (e.Name == string(clients.Compact) || e.Name == string(clients.SessionStart)) {
			t.State.ShowSummaries, t.State.CompactSeen = true, e.Seq
		}
	}
	return nil
}

// save writes the state to disk. From then on it is that of the open session.
func (t *turn) save() error {
	t.State.Updated = t.s.now()
	head := t.Ledger.Head()
	t.State.LedgerSeq, t.State.LedgerMAC = head.Seq, head.MAC
	if err := t.s.folder().Write(t.State, t.Ledger); err != nil {
		return err
	}
	if t.s.live != nil {
		t.s.live.st = t.State
	}
	return nil
}

// answer tells the model where the session is and what to do.
func (t *turn) answer(ctx context.Context) (*answer.Answer, error) {
	if err := t.compacted(); err != nil {
		return nil, err
	}
	st := t.State
	if w := t.s.restored(); !w.IsZero() {
		t.Warnings = append(t.Warnings, w)
	}
	c, _ := t.s.table.Contract(st.Phase)
	a := &answer.Answer{
		Success: true, SessionID: st.ID, Phase: t.wire(), Step: c.Step, ReadyStep: c.ReadyStep,
		Code: t.code, Overridden: t.overridden, Reason: t.reason, Returned: st.Returned,
		Warnings:    slices.Concat(st.Warnings, t.Warnings),
		Instruction: msg.Literal(t.s.texts.Of(st.Phase)), MandatoryRules: st.Rules, ProjectRules: st.ProjectRules,
		ExpectedPayload: maps.Clone(c.Payload), Then: t.acceptedTogether(), Call: string(op.SubmitPhase),
		CompactionCount: st.Compactions, Commit: t.commit, EnforcementLevel: t.level(),
	}
	if st.Frame != nil {
		a.Risk = st.Frame.Risk
	}
	if st.Branch != nil {
		a.TaskBranch = st.Branch.Name
	}
	if st.ShowSummaries {
		t.s.live.sent = nil // the model has forgotten it
		a.Intent, a.Query, a.PhaseSummaries = st.Intent, text.Clip(st.Query, 4000), summaries(st)
	}
	t.refer(a)
	if err := t.addPhaseInput(ctx, a); err != nil {
		// The call has been carried out; a file of the project that cannot be shown
		// does not undo it.
		p := problem.Of(err)
		if p == nil {
			return nil, err
		}
		a.Warnings = append(a.Warnings, p.AsMessage())
	}
	if t.answering != nil {
		t.answering(a)
	}
	if st.ShowSummaries {
		st.ShowSummaries = false
		return a, t.save()
	}
	return a, nil
}

// finish answers a session that has ended, puts its checkpoint away and lets the
// project go.
func (t *turn) finish(ctx context.Context) (*answer.Answer, error) {
	st := t.State
	a := &answer.Answer{
		Success: true, SessionID: st.ID, SessionComplete: true, Outcome: st.Outcome, Reason: t.reason,
		ExplorationComplete: st.ExplorationOnly() && st.Outcome == state.Completed,
		CompactionCount:     st.Compactions, Commit: t.commit,
		Report: answer.Brief(st.Report, st.ExplorationOnly()), Warnings: t.Warnings,
	}
	t.s.recorder().Conclude(ctx, st)
	if err := errors.Join(t.s.release(), t.s.folder().Archive(st.ID)); err != nil {
		return nil, err
	}
	return a, nil
}

// writeScope returns what a session may write, from its state and the whole ledger.
func (s *Service) writeScope(st *state.State, entries []audit.Entry) writablefiles.Scope {
	c, _ := s.table.Contract(st.Phase)
	return writablefiles.New(s.project, policy.Permissions{
		Phase: s.wire(st.Phase), Step: c.ReadyStep,
		Writing: st.Phase == phases.ReadyImplement, Verifying: st.Phase == phases.PostImplVerify,
	}, st, entries)
}

// hashes returns the content hashes of files as they are now.
func (s *Service) hashes(paths []string) map[string]string {
	return writablefiles.Hashes(s.project, paths)
}
