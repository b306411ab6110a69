package service

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/problem"
)

// A person may answer without the model: in a terminal, or wherever else he is
// asked by a process that leads no pipeline. What he says is applied to the state
// by that process, against the ticket of the question that he was shown, and the
// process that leads the pipeline finds it there at its next call.

// The ways of an answer that is no person's at a question: no demand is met by one.
const (
	CommandLine approval.Channel = "command_line"
	byItself    approval.Channel = "auto" // --auto
)

// demand is the weakest channel that counts in the pipeline.
func (t *turn) demand() approval.Channel {
	return approval.Demand(t.st.HumanGate, t.s.project.Config.HumanGate)
}

// ownWay says how the person may decide himself.
func (t *turn) ownWay(demand approval.Channel) string {
	switch demand {
	case approval.Confirmed:
		return "Ask him, and call confirm_decision with what he chose, in a client that shows him that call (Claude Code)."
	case approval.Elicited:
		return "Call again in a client that can show a form: the server then asks him itself."
	}
	return "Ask him to decide in a terminal of his own: code-intel approve " + path.Base(t.st.Workspace) + "."
}

// changed says what of that which a person is asked about is not as it was when he
// was asked, "" if nothing is.
func (t *turn) changed(ctx context.Context) (string, error) {
	if t.st.Pause != nil {
		return "", nil
	}
	l, err := t.look(ctx)
	if err != nil {
		return "", err
	}
	d, _ := engine.Stale(t.s.table, t.st, l)
	return d.Why, nil
}

// decidedBesides is the decision that a person made about the action handed out last,
// by another process; nil if he made none.
func (t *turn) decidedBesides() *engine.Decision {
	n := len(t.st.Decisions)
	if n == 0 {
		return nil
	}
	d := &t.st.Decisions[n-1]
	if d.Ticket != fmt.Sprintf("t%d", t.st.Tickets) || !slices.Contains([]approval.Channel{approval.Terminal, approval.Dashboard, approval.Confirmed}, approval.Channel(d.By)) {
		return nil
	}
	return d
}

func (t *turn) sayDecided() string {
	d := t.decidedBesides()
	return fmt.Sprintf("The user has decided %s himself (%s): %s. That holds, whatever else was reported or answered.", d.Name, d.By, d.Choice)
}

// A Desk is a checkpoint or gate of a pipeline at which a person is waited for.
type Desk struct {
	Question
	Workspace string
	Title     string           // of the pipeline
	Phase     string           // its label
	Unlisted  []string         // what it understands besides the options
	Holder    string           // of the process that leads the pipeline: "pid 12, since …"; empty if none does
	Demand    approval.Channel // the weakest way by which a decision counts
	ownWay    string
}

// Takes returns a Problem if a decision by the channel would not count.
func (d *Desk) Takes(c approval.Channel) error { return approval.Takes(d.Demand, c, d.ownWay) }

// Waiting returns what the pipelines of the project wait for a person to decide, the
// oldest first.
func (s *Service) Waiting(ctx context.Context) ([]*Desk, error) {
	states, err := s.states()
	if err != nil {
		return nil, err
	}
	var desks []*Desk
	for _, st := range states {
		if st.Over() || !st.Ticket.Asks() {
			continue
		}
		d, err := s.desk(ctx, st)
		if err != nil {
			return nil, err
		}
		desks = append(desks, d)
	}
	return desks, nil
}

// DeskOf returns what a pipeline waits for a person to decide; a Problem if that is
// nothing.
func (s *Service) DeskOf(ctx context.Context, path string) (*Desk, error) {
	st, err := s.standing(path)
	if err != nil {
		return nil, err
	}
	if st.Over() || !st.Ticket.Asks() {
		return nil, problem.Newf(approval.GateClosed, "The pipeline %s waits for no decision of yours; it is in %s (%s).", st.Workspace, st.Phase, st.Status)
	}
	return s.desk(ctx, st)
}

func (s *Service) desk(ctx context.Context, st *engine.State) (*Desk, error) {
	w, err := workspace.Of(s.project.Root, st.Workspace)
	if err != nil {
		return nil, err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	t := &turn{s: s, st: st}
	d := &Desk{Question: *t.answer(st.Ticket.Action).Ask, Workspace: st.Workspace, Title: st.Title, Phase: engine.Label(s.table, st.Phase), Demand: t.demand()}
	d.ownWay = t.ownWay(d.Demand)
	d.Unlisted = slices.DeleteFunc(engine.Choices(st.Ticket), func(o string) bool { return slices.Contains(d.Options, o) })
	d.Holder, err = locksOf(repo).Leader(w)
	return d, err
}

// A Word is what a person decides at a [Desk].
type Word struct {
	Workspace string
	Ticket    string           // of the desk that he was shown
	Option    string           // one of its options
	Text      string           // what the agents should know or do differently
	Channel   approval.Channel // [Terminal], [Dashboard] or [Confirmed]
}

// Decide takes a person's word, in whatever process he gives it, whoever leads the
// pipeline. It counts for the question that he was shown, and once.
func (s *Service) Decide(ctx context.Context, d Word) (*ResumeInfo, error) {
	const tries = 3
	for n := 1; ; n++ {
		i, err := s.decideOnce(ctx, d)
		if p := problem.Of(err); n == tries || p == nil || p.Code != workspace.Conflict {
			return i, err
		}
	}
}

func (s *Service) decideOnce(ctx context.Context, d Word) (*ResumeInfo, error) {
	t, err := s.besides(ctx, d.Workspace)
	if err != nil {
		return nil, err
	}
	k := t.st.Ticket
	switch {
	case !k.Asks() || k.ID != d.Ticket:
		return nil, problem.New(approval.GateClosed, "The decision has been made meanwhile; yours was not needed any more.", "code-intel pipeline show "+t.w.Name()+" says where the pipeline is.")
	case !d.Channel.Reaches(t.demand()):
		return nil, (&Desk{Demand: t.demand(), ownWay: t.ownWay(t.demand())}).Takes(d.Channel)
	case !slices.Contains(engine.Choices(k), d.Option):
		return nil, problem.Newf(problem.InvalidArgument, "%q is no decision here.", d.Option).Or("Choose one of " + strings.Join(engine.Choices(k), ", ") + ".")
	}
	why, err := t.changed(ctx)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, problem.Newf(approval.GateClosed, "%s, so what you were asked about is no longer there.", why).
			Or("Let the agent go on: it is looked at again, and then you are asked again.")
	}
	if err := engine.Choose(t.s.table, t.st, d.Option, strings.TrimSpace(d.Text), string(d.Channel)); err != nil {
		return nil, err
	}
	if err := t.save(); err != nil {
		return nil, err
	}
	if t.st.Over() {
		err = t.remember(ctx, t.st.Status)
	}
	return s.info(t.st), err
}

// besides begins a call of a process that does not lead the workspace: whoever leads
// it meanwhile, of two that write the state the second is refused.
func (s *Service) besides(ctx context.Context, path string) (*turn, error) {
	w, err := workspace.Of(s.project.Root, path)
	if err != nil {
		return nil, err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return nil, err
	}
	t := &turn{s: s, w: w, repo: repo, locks: locksOf(repo)}
	if t.st, err = t.load(); err != nil {
		return nil, err
	}
	if t.st.Over() {
		return nil, problem.Newf(PipelineOver, "The pipeline of %s is %s already.", w.Path(), t.st.Status)
	}
	return t, t.journal()
}
