package service

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/text/quote"
	"codeintel/internal/workflow"
)

// A person may answer without the model: in a terminal, or wherever else a process
// that has no pipeline open asks them. That process applies the answer to the state,
// against the ticket of the question that was shown, and the process that leads the
// pipeline finds it there at its next call.

// The ways of an answer that is not a person's at a question: no demand is met by one.
const (
	CommandLine approval.Channel = "command_line"
	byItself    approval.Channel = "auto" // --auto
)

// requiredChannel is the weakest channel that counts in the pipeline.
func (t *turn) requiredChannel() approval.Channel {
	return approval.Demand(t.st.HumanGate, t.s.project.Config.HumanGate)
}

// howToDecide says how the person can decide directly.
func (t *turn) howToDecide(demand approval.Channel) msg.Message {
	switch demand {
	case approval.Confirmed:
		return msg.New("pipeline.ask_user_then_confirm_decision", op.ConfirmDecision)
	case approval.Elicited:
		return msg.New("pipeline.call_again_client_can_show")
	}
	return msg.New("pipeline.ask_user_to_decide_in_terminal", quote.Shell(path.Base(t.st.Workspace)))
}

// changed says what of that which a person is asked about is not as it was when
// they were asked; the zero message if nothing is.
func (t *turn) changed(ctx context.Context) (msg.Message, error) {
	if p := t.st.Pause; p != nil {
		moved, err := t.movedSinceAsked(ctx, p.Commit)
		if moved {
			return msg.New("pipeline.files_changed_since_asked"), err
		}
		return msg.Message{}, err
	}
	l, err := t.observe(ctx)
	if err != nil {
		return msg.Message{}, err
	}
	d, _ := engine.Stale(t.s.table, t.st, l)
	return d.Why, nil
}

// outlivesChanges reports whether an answer holds whatever has become of what was asked about: nothing
// is committed or accepted by it.
func (t *turn) outlivesChanges(option string) bool {
	p := t.st.Pause
	keeps := option == engine.Mine && p != nil && p.Commit != nil && len(p.Commit.Others) == 0
	return keeps || option == "retry" || option == "abandon"
}

// decidedElsewhere is the decision that a person made about the action handed out last,
// by another process; nil if there is none.
func (t *turn) decidedElsewhere() *engine.Decision {
	n := len(t.st.Decisions)
	if n == 0 {
		return nil
	}
	d := &t.st.Decisions[n-1]
	if d.Ticket != fmt.Sprintf("t%d", t.st.Tickets) ||
		!slices.Contains([]approval.Channel{approval.Terminal, approval.Dashboard, approval.Confirmed},
			approval.Channel(d.By)) {
		return nil
	}
	return d
}

func (t *turn) decidedElsewhereText() msg.Message {
	d := t.decidedElsewhere()
	return msg.New("pipeline.user_decided_directly", d.Name, d.By, d.Choice)
}

// question is the one that the outstanding action asks.
func (t *turn) question(name string, text msg.Message, options []string) *workflow.Question {
	k, demand := t.st.Ticket, t.requiredChannel()
	return &workflow.Question{
		ID: t.st.Workspace, Ticket: k.ID, Name: name, Phase: engine.Label(t.st.Phase).String(), Title: t.st.Title,
		Text: text, Options: options,
		Unlisted: slices.DeleteFunc(engine.Choices(k), func(o string) bool { return slices.Contains(options, o) }),
		Asked:    k.Asked && demand != approval.Elicited || demand == approval.Confirmed,
		Demand:   demand, OwnWay: t.howToDecide(demand),
	}
}

// Waiting returns what the pipelines of the project wait for a person to decide, the
// oldest first.
func (s *Service) Waiting(ctx context.Context) ([]*workflow.Question, error) {
	states, err := s.states()
	if err != nil {
		return nil, err
	}
	var asked []*workflow.Question
	for _, st := range states {
		if st.Over() || !st.Ticket.Asks() {
			continue
		}
		q, err := s.question(ctx, st)
		if err != nil {
			return nil, err
		}
		asked = append(asked, q)
	}
	return asked, nil
}

// QuestionOf returns what a pipeline waits for a person to decide; a Problem if that is
// nothing.
func (s *Service) QuestionOf(ctx context.Context, path string) (*workflow.Question, error) {
	_, st, err := s.read(path)
	if err != nil {
		return nil, err
	}
	if st.Over() || !st.Ticket.Asks() {
		return nil, problem.New(approval.GateClosed, "pipeline.pipeline_waits_no_decision_yours", st.Workspace,
			st.Phase, st.Status).Or("pipeline.pipeline_show_says_where_it_is", quote.Shell(filepath.Base(st.Workspace)))
	}
	return s.question(ctx, st)
}

// question is the one that a pipeline asks, and who leads the pipeline.
func (s *Service) question(ctx context.Context, st *engine.State) (*workflow.Question, error) {
	w, err := workspace.Of(s.project.Root, st.Workspace)
	if err != nil {
		return nil, err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	a, err := (&turn{s: s, st: st}).outstanding()
	if err != nil {
		return nil, err
	}
	q := a.Ask
	q.Holder, err = locksOf(repo).Owner(w)
	return q, err
}

// Decide takes a person's decision, in whatever process they make it, whichever process has
// the pipeline. It counts for the question that they were shown, and once.
func (s *Service) Decide(ctx context.Context, q *workflow.Question, c workflow.Choice) error {
	const tries = 3
	for n := 1; ; n++ {
		err := s.decideOnce(ctx, q, c)
		if p := problem.Of(err); n == tries || p == nil || p.Code != workspace.Conflict {
			return err
		}
	}
}

func (s *Service) decideOnce(ctx context.Context, q *workflow.Question, c workflow.Choice) error {
	t, err := s.openForDecision(ctx, q.ID)
	if err != nil {
		return err
	}
	if k := t.st.Ticket; !k.Asks() || k.ID != q.Ticket {
		return workflow.Answered().Or("pipeline.pipeline_show_says_where_it_is", quote.Shell(t.w.Name()))
	}
	a, err := t.outstanding()
	if err != nil {
		return err
	}
	if err := a.Ask.Check(c); err != nil {
		return err
	}
	why, err := t.changed(ctx)
	if err != nil {
		return err
	}
	if !why.IsZero() && !t.outlivesChanges(c.Option) {
		return problem.New(approval.GateClosed, "pipeline.so_what_you_asked_about", why).
			Or("pipeline.let_the_agent_go_on")
	}
	if err := engine.Choose(t.s.table, t.st, c.Option, strings.TrimSpace(c.Guidance), string(c.Channel)); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	if t.st.Over() {
		return t.remember(ctx, t.st.Status)
	}
	return nil
}

// openForDecision begins a call of a process that does not have the workspace open. If the
// process that leads it writes the state meanwhile, saving is refused.
func (s *Service) openForDecision(ctx context.Context, path string) (*turn, error) {
	w, err := workspace.Of(s.project.Root, path)
	if err != nil {
		return nil, err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	t := &turn{Turn: workflow.Turn{Repo: repo}, s: s, w: w, locks: locksOf(repo)}
	if t.st, err = t.load(); err != nil {
		return nil, err
	}
	if t.st.Over() {
		return nil, problem.New(PipelineOver, "pipeline.pipeline_already", w.Path(), t.st.Status).
			Or("pipeline.initialize_a_new_one", op.PipelineInit)
	}
	return t, t.journal()
}
