package session

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/audit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/phase"
)

// gates are the phases that a person decides, and what may be decided there.
var gates = map[phase.ID][]string{
	phases.BranchIntervention: {"delete", "merge", "continue"},
	phases.UserEscalation:     {"retry", "accept", "abort"},
	state.Options:             {allow, "refuse"},
}

// Decisions returns every word that decides something at some gate, sorted.
func Decisions() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(gates))...)))
}

// withoutGates returns the decisions as a report shows them.
func withoutGates(all []state.Decision) []state.Decision {
	all = slices.Clone(all)
	for i := range all {
		all[i].Gate = ""
	}
	return all
}

// openGate opens the gate of the phase, if a person decides there, and closes the last
// one.
func (t *turn) openGate() {
	switch {
	case gates[t.State.Phase] == nil && mayAllow(t.State):
		if !t.State.Gate.Optional() {
			t.State.Gate = &state.OpenGate{Nonce: rand.Text(), Phase: state.Options, Opened: t.s.now(), Own: []string{allow}}
		}
	case gates[t.State.Phase] == nil:
		t.State.Gate = nil
	case t.State.Gate == nil || t.State.Gate.Phase != t.State.Phase:
		t.State.Gate = &state.OpenGate{Nonce: rand.Text(), Phase: t.State.Phase, Opened: t.s.now()}
	}
}

// requiredChannel is the weakest channel that counts at the gates of the session.
func (t *turn) requiredChannel() approval.Channel {
	return approval.Demand(t.State.HumanGate, t.s.project.Config.HumanGate)
}

// ownDecision returns what the person decided directly at the gate; nil if they have
// not, or by a channel that does not count. Their last decision holds.
func (t *turn) ownDecision() (*state.Decision, error) {
	said, err := t.atGate()
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(said) {
		c := approval.Channel(e.Detail["channel"])
		if e.Outcome == audit.OK && c.Reaches(approval.Dashboard) && c.Reaches(t.requiredChannel()) &&
			slices.Contains(gates[t.State.Gate.Phase], e.Name) {
			return &state.Decision{Phase: t.State.Gate.Phase, Choice: e.Name, Guidance: e.Detail["guidance"], Channel: c, At: e.Time,
				Gate: t.State.Gate.Nonce}, nil
		}
	}
	return nil, nil
}

// atGate returns the ledger's entries about the gate that is open.
func (t *turn) atGate() ([]audit.Entry, error) {
	if t.State.Gate == nil {
		return nil, nil
	}
	since := t.State.Since
	if t.State.Gate.Optional() { // it stays open from phase to phase
		since = 0
	}
	entries, err := t.Ledger.Since(since)
	return slices.DeleteFunc(entries, func(e audit.Entry) bool {
		return e.Kind != audit.Decision || e.Detail["gate"] != t.State.Gate.Nonce
	}), err
}

// decision returns what was decided at the gate of this phase: the person's own, else
// what the model relays, where that counts.
func (t *turn) decision(field, claimed, guidance string) (state.Decision, error) {
	own, err := t.ownDecision()
	if err != nil {
		return state.Decision{}, err
	}
	if own != nil {
		if claimed != own.Choice {
			t.overridden, t.reason = true, msg.New("session.user_decided_not_read", own.Choice, own.Channel, field, claimed)
		}
		return *own, nil
	}
	if err := t.mayRelay(); err != nil {
		return state.Decision{}, err
	}
	if err := refusal.OneOf(field, claimed, gates[t.State.Phase]...); err != nil {
		return state.Decision{}, err
	}
	if t.State.Gate != nil && slices.Contains(t.State.Gate.Own, claimed) {
		return state.Decision{}, t.s.gateRefusal(t.State, approval.Terminal,
			msg.New("session.only_user_may_choose", claimed, t.State.Returned))
	}
	d := state.Decision{Phase: t.State.Phase, Choice: claimed, Guidance: strings.TrimSpace(guidance),
		Channel: approval.Relayed, At: t.s.now()}
	if t.State.Gate != nil {
		d.Gate = t.State.Gate.Nonce
	}
	return d, nil
}

// mayRelay returns a Problem where the word of the model is not enough.
func (t *turn) mayRelay() error {
	if t.requiredChannel().Reaches(approval.Dashboard) {
		return t.s.gateRefusal(t.State, t.requiredChannel(), msg.New("session.user_decide_project_human_gate", t.wire()))
	}
	return nil
}

// settle notes the decision that was carried out, and closes the gate.
func (t *turn) settle(d state.Decision) error {
	t.State.Decisions = append(t.State.Decisions, d)
	t.State.Gate = nil
	if d.Channel != approval.Relayed {
		return nil // it came by the ledger
	}
	_, err := t.Ledger.Append(decisionEntry(t.State, d))
	return err
}

func decisionEntry(st *state.State, d state.Decision) audit.Entry {
	detail := map[string]string{"gate": d.Gate, "channel": string(d.Channel)}
	if d.Guidance != "" {
		detail["guidance"] = d.Guidance
	}
	return audit.Entry{Kind: audit.Decision, Session: st.ID, Phase: string(d.Phase), Name: d.Choice,
		Outcome: audit.OK, Detail: detail}
}

// gateRefusal is the refusal at a gate that the person has not opened, with every
// way that is left.
func (s *Service) gateRefusal(st *state.State, demand approval.Channel, why msg.Message) error {
	var next []msg.Message
	switch demand {
	case approval.Confirmed:
		next = []msg.Message{msg.New("session.ask_user_then_confirm_decision", op.ConfirmDecision),
			msg.New("session.if_client_cannot_do_user", refusal.Resume())}
	case approval.Elicited:
		next = []msg.Message{msg.New("session.submit_again_server_then_asks"),
			msg.New("session.if_cannot_user_may_go", refusal.Resume())}
	case approval.Terminal, approval.Dashboard:
		next = []msg.Message{msg.New("session.ask_user_to_decide_in_terminal", st.ID)}
	default:
		next = []msg.Message{msg.New("session.ask_user_and_submit_answer", st.ID)}
	}
	return problem.With(approval.HumanGate, why, next...).Or("session.give_up_and_keep_the_work", refusal.GiveUp())
}

// QuestionOf returns what a person is to decide in a session; a Problem if that
// is nothing.
func (s *Service) QuestionOf(st *state.State) (*workflow.Question, error) {
	if st.Gate == nil || st.Outcome != "" {
		return nil, problem.New(approval.GateClosed, "session.session_waits_no_decision_yours", st.ID, st.Phase).
			Or("session.show_says_where_it_is", st.ID)
	}
	q := &workflow.Question{
		ID: st.ID, Ticket: st.Gate.Nonce, Name: s.wire(st.Gate.Phase), Phase: s.wire(st.Gate.Phase), Options: gates[st.Gate.Phase],
		Demand: s.newTurn(st, nil).requiredChannel(), OwnWay: msg.New("session.decide_in_the_agents_program"),
	}
	if approval.Terminal.Reaches(q.Demand) {
		q.OwnWay = msg.New("session.decide_terminal_your_own_code", q.ID)
	}
	switch st.Gate.Phase {
	case phases.UserEscalation:
		q.Text = msg.New("session.retry_try_again_your_guidance", blockedText(st))
	case state.Options:
		q.Text = msg.New("session.allow_what_the_model_chose", st.Withheld.Words(), msg.Block(text.Clip(st.Query, 500)))
	default:
		q.Text = leftOver(st)
	}
	return q, nil
}

// leftOver tells a person of the task branches that earlier sessions left.
func leftOver(s *state.State) msg.Message {
	var names []string
	for _, b := range s.Stale {
		names = append(names, b.Name)
	}
	text := msg.New("session.task_branches_earlier_sessions_left", msg.Listed("\n  ", names))
	for _, b := range s.Stale {
		if b.CheckedOut && !s.Flags.Quick {
			text = msg.Join("", text, msg.New("session.repository_whatever_you_choose_goes", b.Name, b.Base))
		}
	}
	return text
}

// blockedText tells a person which work is blocked.
// user_escalation.md is for the model: it says how to ask.
func blockedText(s *state.State) msg.Message {
	parts := []any{msg.New("session.blocked_without_the_user", msg.Block(text.Clip(s.Query, 500)))}
	for _, task := range s.Tasks {
		parts = append(parts, msg.New("session.task_with_status", task.ID, task.Status, text.Clip(task.Description, 200)))
	}
	if s.Verify != nil && !s.Verify.Passed {
		parts = append(parts, msg.New("session.last_verification", msg.Block(text.Clip(s.Verify.Details, 1500))))
	}
	if !s.Returned.IsZero() {
		parts = append(parts, msg.New("session.before", s.Returned))
	}
	return msg.Join("\n", parts...)
}

// Ask returns the question to be put to the person before a payload of the
// current phase is read, and marks it as under way; end takes the mark away. It
// is nil if there is nothing to ask: the phase is not a gate, the payload gives up,
// or the person has answered, or would not.
func (s *Service) Ask(_ context.Context, p payload.Payload) (q *workflow.Question, end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := p.Control(); s.live == nil || s.live.st.Gate == nil || c != nil && c.Abort ||
		s.live.st.Gate.Optional() {
		return nil, nil, nil
	}
	t := s.newTurn(s.live.st, s.live.ledger)
	if own, err := t.ownDecision(); own != nil || err != nil {
		return nil, nil, err
	}
	said, err := t.atGate()
	if err != nil {
		return nil, nil, err
	}
	if t.requiredChannel() == approval.Confirmed {
		return nil, nil, nil // a form is not enough
	}
	if t.requiredChannel() != approval.Elicited &&
		slices.ContainsFunc(said, func(e audit.Entry) bool { return e.Outcome == audit.Empty }) {
		return nil, nil, nil // they were asked
	}
	if q, err = s.QuestionOf(t.State); err != nil {
		return nil, nil, err
	}
	if s.asking == q.Ticket {
		return nil, nil, s.gateRefusal(t.State, t.requiredChannel(), msg.New("session.user_being_asked_just_now"))
	}
	s.asking = q.Ticket
	return q, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asking == q.Ticket {
			s.asking = ""
		}
	}, nil
}

// Answered reports whether the person has decided what was asked, by whatever
// way, or nothing waits for it any more.
func (s *Service) Answered(q *workflow.Question) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || !stillWaits(s.live.st, q) {
		return true, nil
	}
	t := s.newTurn(s.live.st, s.live.ledger)
	own, err := t.ownDecision()
	return own != nil, err
}

// A ConfirmRequest is what the person chose at the gate that the session is at.
type ConfirmRequest struct {
	Choice   string `json:"choice" jsonschema:"an option of the gate"`
	Guidance string `json:"guidance,omitempty"`
}

// Confirm notes a choice of the person's. The caller has made sure that the client
// showed them the call, and that nobody else could let it pass.
func (s *Service) Confirm(ctx context.Context, r ConfirmRequest) (*answer.Confirm, error) {
	q, err := s.question()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(q.Options, r.Choice) {
		return nil, problem.New(approval.HumanGate, "session.no_decision_here", r.Choice).
			Or("problem.choose_one", strings.Join(q.Options, ", "))
	}
	if err := s.Decide(ctx, q, workflow.Choice{Option: r.Choice, Guidance: r.Guidance,
		Channel: approval.Confirmed}); err != nil {
		return nil, err
	}
	return &answer.Confirm{Phase: q.Phase, Choice: r.Choice}, nil
}

// Unconfirmed is the refusal of a choice that no client has shown to the person.
func (s *Service) Unconfirmed() error {
	q, err := s.question()
	if err != nil {
		return err
	}
	return s.gateRefusal(&state.State{ID: q.ID}, q.Demand, msg.New("session.client_not_known_show_user", op.ConfirmDecision))
}

// question returns what the session that is open waits for the person to decide.
func (s *Service) question() (*workflow.Question, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || s.live.st.Gate == nil {
		return nil, problem.New(approval.GateClosed, "session.nothing_waits_decision_user").
			Or("session.call_status_to_go_on", op.GetSessionStatus)
	}
	return s.QuestionOf(s.live.st)
}

// Undecided notes that the person was asked through the client and did not
// answer, and returns the refusal that says so and what is left.
func (s *Service) Undecided(q *workflow.Question, how msg.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || !stillWaits(s.live.st, q) {
		return errAlreadyDecided()
	}
	e := decisionEntry(s.live.st, state.Decision{Phase: s.live.st.Phase, Guidance: how.String(),
		Channel: approval.Elicited, Gate: q.Ticket})
	e.Name, e.Outcome = "none", audit.Empty
	if _, err := s.live.ledger.Append(e); err != nil {
		return err
	}
	return s.gateRefusal(&state.State{ID: q.ID}, q.Demand, msg.New("session.server_asked_user_through_client", how))
}

// Decide notes what a person decided, whichever process has the session open: through the
// client, on a terminal or in the dashboard. The process that has the session open
// finds it at the next submission, or the one that resumes it.
func (s *Service) Decide(_ context.Context, q *workflow.Question, c workflow.Choice) error {
	if err := q.Check(c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := state.Decision{Choice: c.Option, Guidance: strings.TrimSpace(c.Guidance), Channel: c.Channel, Gate: q.Ticket}
	if s.live == nil {
		return s.decideBeside(q, d)
	}
	if !stillWaits(s.live.st, q) {
		return errAlreadyDecided()
	}
	d.Phase = s.live.st.Gate.Phase
	_, err := s.live.ledger.Append(decisionEntry(s.live.st, d))
	return err
}

// decideBeside is Decide in a process that does not have the session open. It reads the
// session anew: while the person thought, it may have gone on.
func (s *Service) decideBeside(q *workflow.Question, d state.Decision) error {
	st, err := s.load(q.ID)
	if err != nil {
		return err
	}
	if !stillWaits(st, q) {
		return workflow.Answered().Or("session.show_says_where_it_is", st.ID)
	}
	l, err := audit.Open(s.folder().Ledger(st.ID))
	if err == nil {
		err = l.CheckHead(audit.Head{Seq: st.LedgerSeq, MAC: st.LedgerMAC})
	}
	if err != nil {
		return err
	}
	d.Phase = st.Gate.Phase
	_, err = l.Append(decisionEntry(st, d))
	return errors.Join(err, l.Close())
}

// stillWaits reports whether the session still waits for the answer to a question.
func stillWaits(s *state.State, q *workflow.Question) bool {
	return s.Gate != nil && s.Gate.Nonce == q.Ticket
}

func errAlreadyDecided() error {
	return problem.New(approval.GateClosed, "session.what_user_asked_been_settled").
		Or("session.call_status_to_go_on", op.GetSessionStatus)
}

// mayClean returns a Problem if the person has not decided, or not so, what
// becomes of stale branches: cleanup_stale_branches is no way round the gate.
func (s *Service) mayClean(action string) error {
	if s.live == nil || s.live.st.Phase != phases.BranchIntervention {
		return nil
	}
	t, err := s.beginTurn()
	if err != nil {
		return err
	}
	own, err := t.ownDecision()
	switch {
	case err != nil:
		return err
	case own == nil:
		return t.mayRelay()
	case own.Choice != action:
		return problem.New(approval.HumanGate, "session.user_decided_otherwise", own.Choice, action).
			Or("session.submit_to_carry_out_the_choice").
			Or("session.give_up", refusal.GiveUp())
	}
	return nil
}
