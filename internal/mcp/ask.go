package mcp

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/approval"
	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/payload"
	"codeintel/internal/text/quote"
	"codeintel/internal/workflow"
)

// Of the revision since which a server may not send requests of its own: what it
// wants to know it returns, and the client repeats the call with the answer.
const roundTrips = "2026-07-28"

const (
	answerWithin = 30 * time.Minute       // then the person counts as absent
	answerLook   = 500 * time.Millisecond // between two looks whether the user has decided on a terminal
	theDecision  = "decision"             // the question, and its field
)

// askPerson lets the person at the client decide, if the session has come to a
// gate and the client can put a form before them. What they decide is in the ledger
// when it returns nil; the session finds it there, whatever the model submits.
// Nothing is locked while they think, and they may decide on a terminal meanwhile.
func (h *handlers) askPerson(ctx context.Context, p payload.Payload) error {
	t := turnOf(ctx)
	if t == nil || t.request == nil || !showsForms(t.request.ClientCapabilities()) {
		return nil
	}
	q, end, err := h.session.Ask(ctx, p)
	if q == nil || err != nil {
		return err
	}
	defer end()
	r, err := h.askByForm(ctx, q, "mcp.asks_about_session", h.session.Answered)
	if none := (noAnswer{}); errors.As(err, &none) {
		return h.session.Undecided(q, none.how)
	}
	if err != nil || r == nil {
		return err
	}
	return h.noteAnswer(ctx, q, r)
}

// askByForm has the person decide at the client, by a form whose text, a key of the
// catalogue, takes the question's id, its name and its text. It returns nil if they decided by another way, and a
// noAnswer if the client did not ask them, or not to an end.
func (h *handlers) askByForm(ctx context.Context, q *workflow.Question, text string,
	answered func(*workflow.Question) (bool, error)) (*mcp.ElicitResult, error) {
	request, words := turnOf(ctx).request, h.words()
	asks := formOf(words.Say(text, q.ID, q.Name, q.Text), q.Options, words)
	if request.ProtocolVersion() < roundTrips {
		return elicit(ctx, request.Session, asks, func() (bool, error) { return answered(q) })
	}
	state := q.ID + " " + q.Ticket
	if r, ok := request.Params.InputResponses[theDecision].(*mcp.ElicitResult); ok &&
		request.Params.RequestState == state {
		return r, nil
	}
	return nil, &inputNeeded{asks, state}
}

func showsForms(c *mcp.ClientCapabilities) bool {
	// Neither of both is how clients said "forms" before there was anything else.
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// noAnswer says why the client brought no answer of the person's.
type noAnswer struct{ how msg.Message }

func (n noAnswer) Error() string { return n.how.String() }

// elicit asks and waits. It returns nil if the person decided by another way, and a
// noAnswer if the client did not ask the user, or the question was not answered.
func elicit(ctx context.Context, client *mcp.ServerSession, asks *mcp.ElicitParams,
	decided func() (bool, error)) (*mcp.ElicitResult, error) {
	asking, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	type reply struct {
		*mcp.ElicitResult
		err error
	}
	replied := make(chan reply, 1)
	go func() {
		r, err := client.Elicit(asking, asks)
		replied <- reply{r, err}
	}()
	look := time.NewTicker(answerLook)
	defer look.Stop()
	for {
		select {
		case r := <-replied:
			switch {
			case r.err == nil:
				return r.ElicitResult, nil
			case ctx.Err() != nil: // the call is over without a refusal
				return nil, ctx.Err()
			case asking.Err() != nil:
				return nil, noAnswer{msg.New("mcp.no_answer_within", answerWithin)}
			}
			return nil, noAnswer{msg.New("mcp.client_could_not_ask", r.err)}
		case <-look.C:
			if done, err := decided(); done || err != nil {
				return nil, err
			}
		}
	}
}

// noteAnswer notes what the person answered.
func (h *handlers) noteAnswer(ctx context.Context, q *workflow.Question, r *mcp.ElicitResult) error {
	decision, _ := r.Content[theDecision].(string)
	guidance, _ := r.Content["guidance"].(string)
	switch {
	case r.Action == "accept" && decision != "":
		return h.session.Decide(ctx, q, workflow.Choice{Option: decision, Guidance: guidance,
			Channel: approval.Elicited})
	case r.Action == "accept":
		return h.session.Undecided(q, msg.New("mcp.form_came_back_empty"))
	case r.Action == "decline":
		return h.session.Undecided(q, msg.New("mcp.declined_to_answer"))
	}
	return h.session.Undecided(q, msg.New("mcp.form_was_closed"))
}

// formOf is a question as clients show it.
func formOf(message string, choices []string, words msg.Printer) *mcp.ElicitParams {
	var options []any
	for _, o := range choices {
		options = append(options, o)
	}
	return &mcp.ElicitParams{
		Mode:    "form",
		Message: message,
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				theDecision: {Type: "string", Title: words.Say("mcp.your_decision"), Enum: options},
				"guidance": {Type: "string", Title: words.Say("mcp.your_guidance"),
					Description: words.Say("mcp.what_agent_should_know")},
			},
			Required: []string{theDecision},
		},
	}
}

// confirmAnswer says what holds from the next call on.
type confirmAnswer struct {
	answer.Confirm
	pipeline bool
}

// Text says it in a line.
func (a *confirmAnswer) Text() string {
	if a.pipeline {
		return a.Phase + ": " + a.Choice + ". pipeline_next_action"
	}
	return a.Confirm.Text()
}

// confirmDecision takes a choice of the person's from the model, if the client
// has shown them this very call.
func (h *handlers) confirmDecision(ctx context.Context, r session.ConfirmRequest) (*confirmAnswer, error) {
	t := turnOf(ctx)
	shown := t != nil && t.request != nil && showsCalls(t.request.ClientInfo())
	if h.session.Where().Session == "" {
		if ws, err := h.forge.Live(ctx); ws != "" && err == nil {
			return h.confirmAtCheckpoint(ctx, ws, r, shown)
		}
	}
	if !shown {
		return nil, h.session.Unconfirmed()
	}
	a, err := h.session.Confirm(ctx, r)
	if err != nil {
		return nil, err
	}
	return &confirmAnswer{Confirm: *a}, nil
}

// confirmAtCheckpoint is confirmDecision for the pipeline that is led here.
func (h *handlers) confirmAtCheckpoint(ctx context.Context, ws string, r session.ConfirmRequest,
	shown bool) (*confirmAnswer, error) {
	q, err := h.forge.QuestionOf(ctx, ws)
	if err != nil {
		return nil, err
	}
	if !shown {
		return nil, problem.New(approval.HumanGate, "mcp.client_not_known_show_user").
			Or("mcp.ask_user_and_send_response", quote.Shell(path.Base(ws)))
	}
	if err := h.forge.Decide(ctx, q, workflow.Choice{Option: r.Choice, Guidance: r.Guidance,
		Channel: approval.Confirmed}); err != nil {
		return nil, err
	}
	return &confirmAnswer{answer.Confirm{Phase: q.Name, Choice: r.Choice}, true}, nil
}

func showsCalls(client *mcp.Implementation) bool {
	known := clientOf(client)
	if known == nil || known.Connection.Confirms == nil {
		return false
	}
	var version []int
	for part := range strings.SplitSeq(client.Version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return false
		}
		version = append(version, n)
	}
	return slices.Compare(version, known.Connection.Confirms) >= 0
}

// clientOf returns what is known of a client that has connected; nil if nothing is.
func clientOf(c *mcp.Implementation) *clients.Client {
	for _, known := range registry.All {
		if name := known.Connection.Name; c != nil && name != "" && name == c.Name {
			return known
		}
	}
	return nil
}

// inputNeeded says that the call must be repeated with a person's answer.
type inputNeeded struct {
	form  *mcp.ElicitParams
	state string
}

func (n *inputNeeded) Error() string { return "a person is to be asked: " + n.state }

func (n *inputNeeded) result() *mcp.CallToolResult {
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{theDecision: n.form},
		RequestState:  n.state,
	}
}
