package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/audit"
	"codeintel/internal/platform/i18n"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/workflow/phase"
)

// gates are the phases that a person decides, and what may be decided there.
var gates = map[phase.ID][]string{
	BranchIntervention: {"delete", "merge", "continue"},
	UserEscalation:     {"retry", "accept", "abort"},
}

// Decisions returns every word that decides something at some gate, sorted.
func Decisions() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(gates))...)))
}

// An OpenGate is a decision of a person's that the session waits for. Its nonce makes
// it another one each time: a decision belongs to one gate and opens no later
// one.
type OpenGate struct {
	Nonce  string    `json:"nonce"`
	Phase  phase.ID  `json:"phase"`
	Opened time.Time `json:"opened"`
}

// A Decision is what a person decided, and by which way the server knows.
type Decision struct {
	Phase    phase.ID         `json:"phase"`
	Choice   string           `json:"choice"`
	Guidance string           `json:"guidance,omitempty" jsonschema:"the person's own words"`
	Channel  approval.Channel `json:"channel" jsonschema:"confirmed: the user let the model's call pass; elicited: the server asked; terminal: code-intel approve; dashboard: its page; relayed: the model says so"`
	At       time.Time        `json:"at"`
	Gate     string           `json:"gate,omitempty"` // nonce of the gate that it opened; not in reports
}

// withoutGates returns the decisions as a report shows them.
func withoutGates(all []Decision) []Decision {
	all = slices.Clone(all)
	for i := range all {
		all[i].Gate = ""
	}
	return all
}

// openGate gives the phase its gate if it is one that a person decides, and shuts
// the last one.
func (t *turn) openGate() {
	switch {
	case gates[t.st.Phase] == nil:
		t.st.Gate = nil
	case t.st.Gate == nil || t.st.Gate.Phase != t.st.Phase:
		t.st.Gate = &OpenGate{Nonce: rand.Text(), Phase: t.st.Phase, Opened: t.s.now()}
	}
}

// demand is the weakest channel that counts at the gates of the session.
func (t *turn) demand() approval.Channel {
	return approval.Demand(t.st.HumanGate, t.s.project.Config.HumanGate)
}

// ownDecision returns what the person decided himself at the gate, nil if he has
// not or by a way that does not count. The last word is the one that holds.
func (t *turn) ownDecision() (*Decision, error) {
	said, err := t.atGate()
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(said) {
		c := approval.Channel(e.Detail["channel"])
		if e.Outcome == audit.OK && c.Reaches(approval.Dashboard) && c.Reaches(t.demand()) && slices.Contains(gates[t.st.Phase], e.Name) {
			return &Decision{t.st.Phase, e.Name, e.Detail["guidance"], c, e.Time, t.st.Gate.Nonce}, nil
		}
	}
	return nil, nil
}

// atGate returns the ledger's entries about the gate that is open.
func (t *turn) atGate() ([]audit.Entry, error) {
	if t.st.Gate == nil {
		return nil, nil
	}
	entries, err := t.ledger.Since(t.st.Since)
	return slices.DeleteFunc(entries, func(e audit.Entry) bool {
		return e.Kind != audit.Decision || e.Detail["gate"] != t.st.Gate.Nonce
	}), err
}

// decision returns what was decided at the gate of this phase: the person's own, else
// what the model relays, where that counts.
func (t *turn) decision(field, claimed, guidance string) (Decision, error) {
	own, err := t.ownDecision()
	if err != nil {
		return Decision{}, err
	}
	if own != nil {
		if claimed != own.Choice {
			t.overridden, t.reason = true, fmt.Sprintf("the user decided %s (%s); %s %q was not read", own.Choice, own.Channel, field, claimed)
		}
		return *own, nil
	}
	if err := t.mayRelay(); err != nil {
		return Decision{}, err
	}
	if err := oneOf(field, claimed, gates[t.st.Phase]...); err != nil {
		return Decision{}, err
	}
	d := Decision{Phase: t.st.Phase, Choice: claimed, Guidance: strings.TrimSpace(guidance), Channel: approval.Relayed, At: t.s.now()}
	if t.st.Gate != nil {
		d.Gate = t.st.Gate.Nonce
	}
	return d, nil
}

// mayRelay returns a Problem where the word of the model is not enough.
func (t *turn) mayRelay() error {
	if t.demand().Reaches(approval.Dashboard) {
		return t.s.unanswered(t.st, t.demand(), fmt.Sprintf("%s is the user's to decide, and this project (human_gate in config.json) does not take his decision from you.", t.wire()))
	}
	return nil
}

// settle notes the decision that was carried out, and shuts the gate.
func (t *turn) settle(d Decision) error {
	t.st.Decisions = append(t.st.Decisions, d)
	t.st.Gate = nil
	if d.Channel != approval.Relayed {
		return nil // it came by the ledger
	}
	_, err := t.ledger.Append(decisionEntry(t.st, d))
	return err
}

func decisionEntry(st *State, d Decision) audit.Entry {
	detail := map[string]string{"gate": d.Gate, "channel": string(d.Channel)}
	if d.Guidance != "" {
		detail["guidance"] = d.Guidance
	}
	return audit.Entry{Kind: audit.Decision, Session: st.ID, Phase: string(d.Phase), Name: d.Choice, Outcome: audit.OK, Detail: detail}
}

// unanswered is the refusal at a gate that the person has not opened, with every
// way that is left.
func (s *Service) unanswered(st *State, demand approval.Channel, why string) error {
	p := problem.New(approval.HumanGate, why)
	var next []string
	switch demand {
	case approval.Confirmed:
		next = []string{"Ask the user, and call confirm_decision with what he chose: the client shows him the call. Then submit again.",
			"If this client cannot do that: the user may go on in one that can (Claude Code), by start_session(flags=[\"--resume\"]) there."}
	case approval.Elicited:
		next = []string{"Submit again: the server then asks the user itself, if this client can show a form.",
			"If it cannot: the user may go on in a client that can, by start_session(flags=[\"--resume\"]) there."}
	case approval.Terminal, approval.Dashboard:
		next = []string{fmt.Sprintf("Ask the user to decide in a terminal of his own: code-intel approve %s. Then submit again; what he chose holds.", st.ID)}
	default:
		next = []string{fmt.Sprintf("Ask the user in the conversation, and submit what he says; it is recorded as relayed by you. Or he decides in a terminal: code-intel approve %s.", st.ID)}
	}
	return p.OrSay(msg.Literals(next)...).Or(`Give up: submit_phase(data={"abort": true, "reason": …}); branch and work are kept.`)
}

// A Choice is what a person is asked at a gate.
type Choice struct {
	Session string
	Nonce   string
	Phase   string
	Text    string
	Options []string
	Demand  approval.Channel // the weakest channel that counts

	words *i18n.Catalog // in which he is asked
}

// Confirm is what a person at a terminal is told to type, so that it is he who
// decides.
func (q *Choice) Confirm(choice, word string) string {
	return q.words.Say(fmt.Sprintf("To decide %q, type %s: ", choice, word))
}

// Takes returns a Problem if a decision by the channel would not count.
func (q *Choice) Takes(c approval.Channel) error {
	way := "Decide in the agent's program: it is told how when it submits next."
	if approval.Terminal.Reaches(q.Demand) {
		way = fmt.Sprintf("Decide in a terminal of your own: code-intel approve %s.", q.Session)
	}
	return approval.Takes(q.Demand, c, way)
}

// ChoiceOf returns what a person is to decide in a session; a Problem if that
// is nothing.
func (s *Service) ChoiceOf(st *State) (*Choice, error) {
	if st.Gate == nil || st.Outcome != "" {
		return nil, problem.New(approval.GateClosed, fmt.Sprintf("Session %s waits for no decision of yours; it is in %s.", st.ID, st.Phase))
	}
	q := &Choice{
		Session: st.ID, Nonce: st.Gate.Nonce, Phase: s.wire(st.Phase), Options: gates[st.Phase],
		Demand: (&turn{s: s, st: st}).demand(),
	}
	if st.Phase == UserEscalation {
		q.Text = st.standstill() + "\n\nretry: try again, with your guidance. accept: take the work as it is. abort: stop; branch and work are kept."
		return q, nil
	}
	var names []string
	for _, b := range st.Stale {
		names = append(names, b.Name)
	}
	q.Text = "Task branches of earlier sessions are left over:\n  " + strings.Join(names, "\n  ") +
		"\n\ndelete: they go; their tips are kept under refs/code-intel/trash/. merge: they are merged into the branch that each came from. continue: they stay."
	for _, b := range st.Stale {
		if b.CheckedOut && !st.Flags.Quick {
			q.Text += fmt.Sprintf("\n\nThe repository is on %s. Whatever you choose, it goes to %s; what is not committed goes along, and a copy is kept.", b.Name, b.Base)
		}
	}
	return q, nil
}

// standstill tells a person where work stands that does not get on.
// user_escalation.md is for the model: it says how to ask.
func (s *State) standstill() string {
	parts := []string{"The work does not get on without you. You asked for: " + clip(s.Query, 500)}
	for _, task := range s.Tasks {
		parts = append(parts, fmt.Sprintf("Task %s [%s]: %s", task.ID, task.Status, clip(task.Description, 200)))
	}
	if s.Verify != nil && !s.Verify.Passed {
		parts = append(parts, "Last verification: "+clip(s.Verify.Details, 1500))
	}
	if s.Returned != "" {
		parts = append(parts, "Before that: "+clip(s.Returned, 500))
	}
	return strings.Join(parts, "\n")
}

// Ask returns the question to be put to the person before a payload of the
// current phase is read, and marks it as under way; end takes the mark away. It
// is nil if there is nothing to ask: the phase is no gate, the payload gives up,
// or the person has answered, or would not.
func (s *Service) Ask(_ context.Context, data json.RawMessage) (q *Choice, end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || s.live.st.Gate == nil || givesUp(data) {
		return nil, nil, nil
	}
	t := &turn{s: s, st: s.live.st, ledger: s.live.ledger}
	if own, err := t.ownDecision(); own != nil || err != nil {
		return nil, nil, err
	}
	said, err := t.atGate()
	if err != nil {
		return nil, nil, err
	}
	if t.demand() == approval.Confirmed {
		return nil, nil, nil // a form is not enough
	}
	if t.demand() != approval.Elicited && slices.ContainsFunc(said, func(e audit.Entry) bool { return e.Outcome == audit.Empty }) {
		return nil, nil, nil // he was asked
	}
	if q, err = s.ChoiceOf(t.st); err != nil {
		return nil, nil, err
	}
	if s.asking == q.Nonce {
		return nil, nil, s.unanswered(t.st, t.demand(), "The user is being asked just now, by another call.")
	}
	s.asking = q.Nonce
	return q, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asking == q.Nonce {
			s.asking = ""
		}
	}, nil
}

func givesUp(data json.RawMessage) bool {
	var nested string
	if json.Unmarshal(data, &nested) == nil {
		data = json.RawMessage(nested)
	}
	var c struct {
		Abort bool `json:"abort"`
	}
	return json.Unmarshal(data, &c) == nil && c.Abort
}

// Answered reports whether the person has decided what was asked, by whatever
// way, or nothing waits for it any more.
func (s *Service) Answered(q *Choice) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || s.live.st.Gate == nil || s.live.st.Gate.Nonce != q.Nonce {
		return true, nil
	}
	t := &turn{s: s, st: s.live.st, ledger: s.live.ledger}
	own, err := t.ownDecision()
	return own != nil, err
}

// A ConfirmRequest is what the person chose at the gate that the session is at.
type ConfirmRequest struct {
	Choice   string `json:"choice" jsonschema:"an option of the gate"`
	Guidance string `json:"guidance,omitempty"`
}

// A ConfirmAnswer says what holds from the next submission on.
type ConfirmAnswer struct {
	Phase  string `json:"phase"`
	Choice string `json:"choice"`
}

// Text says it in a line.
func (a *ConfirmAnswer) Text() string {
	return a.Phase + ": " + a.Choice + ". submit_phase"
}

// Confirm notes a choice of the person's. The caller answers for it that the
// client has shown him the call, and that nobody else could let it pass.
func (s *Service) Confirm(r ConfirmRequest) (*ConfirmAnswer, error) {
	q, err := s.question()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(q.Options, r.Choice) {
		return nil, problem.New(approval.HumanGate, fmt.Sprintf("%q is no decision here.", r.Choice), "Choose one of "+strings.Join(q.Options, ", ")+".")
	}
	if err := s.note(q, Decision{Choice: r.Choice, Guidance: strings.TrimSpace(r.Guidance), Channel: approval.Confirmed}); err != nil {
		return nil, err
	}
	return &ConfirmAnswer{q.Phase, r.Choice}, nil
}

// Unconfirmed is the refusal of a choice that no client has shown to the person.
func (s *Service) Unconfirmed() error {
	q, err := s.question()
	if err != nil {
		return err
	}
	return s.unanswered(&State{ID: q.Session}, q.Demand, "This client is not known to show the user each call of confirm_decision, so that it may be yours alone.")
}

// question returns what the session that is led waits for the person to decide.
func (s *Service) question() (*Choice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || s.live.st.Gate == nil {
		return nil, problem.New(approval.GateClosed, "Nothing waits for a decision of the user's.", "Call get_session_status and go on from there.")
	}
	return s.ChoiceOf(s.live.st)
}

// Decide notes what the person answered through the client.
func (s *Service) Decide(q *Choice, choice, guidance string) error {
	return s.note(q, Decision{Choice: choice, Guidance: strings.TrimSpace(guidance), Channel: approval.Elicited})
}

// Undecided notes that the person was asked through the client and did not
// answer, and returns the refusal that says so and what is left.
func (s *Service) Undecided(q *Choice, how string) error {
	if err := s.note(q, Decision{Guidance: how, Channel: approval.Elicited}); err != nil {
		return err
	}
	return s.unanswered(&State{ID: q.Session}, q.Demand, fmt.Sprintf("The server asked the user through the client, and he did not decide: %s.", how))
}

// note appends what became of a question, if it is still open.
func (s *Service) note(q *Choice, d Decision) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil || s.live.st.Gate == nil || s.live.st.Gate.Nonce != q.Nonce {
		return problem.New(approval.GateClosed, "What the user was asked has been settled meanwhile.", "Call get_session_status and go on from there.")
	}
	d.Phase, d.Gate = s.live.st.Phase, q.Nonce
	e := decisionEntry(s.live.st, d)
	switch {
	case d.Choice == "":
		e.Name, e.Outcome = "none", audit.Empty
	case !slices.Contains(q.Options, d.Choice):
		return problem.Newf(approval.HumanGate, "%q is no decision here.", d.Choice)
	}
	_, err := s.live.ledger.Append(e)
	return err
}

// Approve notes what a person decided beside the client, on a terminal or in the
// dashboard, for the process that leads the session to find, or for the one that
// resumes it. The choice is one that [Service.ChoiceOf] returned.
func (s *Service) Approve(q *Choice, by approval.Channel, choice, guidance string) error {
	if !slices.Contains(q.Options, choice) {
		return problem.New(problem.InvalidArgument, fmt.Sprintf("%q is no decision here.", choice), "Choose one of "+strings.Join(q.Options, ", ")+".")
	}
	if err := q.Takes(by); err != nil {
		return err
	}
	st, err := s.restoreFor(q)
	if err != nil {
		return err
	}
	l, err := audit.Open(s.ledgerPath(st.ID))
	if err == nil {
		err = l.Holds(audit.Head{Seq: st.LedgerSeq, MAC: st.LedgerMAC})
	}
	if err != nil {
		return err
	}
	_, err = l.Append(decisionEntry(st, Decision{Phase: st.Phase, Choice: choice, Guidance: strings.TrimSpace(guidance), Channel: by, Gate: q.Nonce}))
	return errors.Join(err, l.Close())
}

// restoreFor reads the session of a question anew: while the person thought, it
// may have gone on.
func (s *Service) restoreFor(q *Choice) (*State, error) {
	st, err := s.load(q.Session)
	if err == nil && (st.Gate == nil || st.Gate.Nonce != q.Nonce) {
		err = problem.New(approval.GateClosed, "The decision has been made meanwhile; yours was not needed any more.")
	}
	return st, err
}

// mayClean returns a Problem if the person has not decided, or not so, what
// becomes of stale branches: cleanup_stale_branches is no way round the gate.
func (s *Service) mayClean(action string) error {
	if s.live == nil || s.live.st.Phase != BranchIntervention {
		return nil
	}
	t, err := s.turn()
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
		return problem.New(approval.HumanGate, fmt.Sprintf("The user decided %s, not %s.", own.Choice, action), "Submit the phase: what he chose is then carried out.",
			`Give up: submit_phase(data={"abort": true, "reason": …}).`)
	}
	return nil
}
