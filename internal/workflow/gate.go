package workflow

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// A Question is what a session or a pipeline waits for a person to decide.
type Question struct {
	ID       string           // of the session, or the path of the pipeline's workspace
	Ticket   string           // of this question; a decision counts for one question and for no later one
	Name     string           // of the gate
	Phase    string           // as answers name it
	Title    string           // of the pipeline
	Text     msg.Message      // what is asked
	Options  []string         // what may be decided
	Unlisted []string         // and other words for it
	Asked    bool             // the server need not ask through the client: it has, or a form does not count
	Holder   string           // the process that leads the work: "pid 12, since …"; empty if none does
	Demand   approval.Channel // the weakest channel that counts
	OwnWay   msg.Message      // how the person can decide where a channel does not count
}

// Takes returns a Problem if a decision by the channel would not count.
func (q *Question) Takes(c approval.Channel) error { return approval.Takes(q.Demand, c, q.OwnWay) }

// A Choice is what a person decides.
type Choice struct {
	Option   string // one of the question's options
	Guidance string // what the agent should know or do differently
	Channel  approval.Channel
}

// Check returns a Problem unless the choice is one of the question's and came by a
// channel that counts.
func (q *Question) Check(c Choice) error {
	if !slices.Contains(q.Options, c.Option) && !slices.Contains(q.Unlisted, c.Option) {
		return problem.New(problem.InvalidArgument, "session.no_decision_here", c.Option).
			Or("problem.choose_one", strings.Join(slices.Concat(q.Options, q.Unlisted), ", "))
	}
	return q.Takes(c.Channel)
}

// A Decider records what a person decides: the service of sessions or of pipelines.
type Decider interface {
	Decide(context.Context, *Question, Choice) error
}

// Answered is the Problem of a decision that comes too late.
func Answered() problem.Draft {
	return problem.New(approval.GateClosed, "approval.decision_been_made_meanwhile_yours")
}
