package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/messages"
	"codeintel/internal/session"
)

// Of the revision since which a server may not send requests of its own: what it
// wants to know it returns, and the client repeats the call with the answer.
const roundTrips = "2026-07-28"

const (
	answerWithin = 30 * time.Minute       // then the person counts as absent
	answerLook   = 500 * time.Millisecond // between two looks whether he has decided on a terminal
	theDecision  = "decision"             // the question, and its field
)

// askPerson lets the person at the client decide, if the session has come to a
// gate and the client can put a form before him. What he decides is in the ledger
// when it returns nil; the session finds it there, whatever the model submits.
// Nothing is locked while he thinks, and he may decide on a terminal meanwhile.
func (h *house) askPerson(ctx context.Context, data json.RawMessage) error {
	t := turnOf(ctx)
	if t == nil || t.request == nil || !showsForms(t.request.ClientCapabilities()) {
		return nil
	}
	c, end, err := h.session.Ask(ctx, data)
	if c == nil || err != nil {
		return err
	}
	defer end()
	if t.request.ProtocolVersion() < roundTrips {
		r, err := h.elicit(ctx, t.request.Session, c)
		if err != nil || r == nil {
			return err
		}
		return h.took(c, r)
	}
	if r, ok := t.request.Params.InputResponses[theDecision].(*mcp.ElicitResult); ok && t.request.Params.RequestState == c.Nonce {
		return h.took(c, r)
	}
	return &inputNeeded{form(c, h.words()), c.Nonce}
}

func showsForms(c *mcp.ClientCapabilities) bool {
	// Neither of both is how clients said "forms" before there was anything else.
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// elicit asks and waits. It returns nil if the person decided by another way.
func (h *house) elicit(ctx context.Context, client *mcp.ServerSession, c *session.Choice) (*mcp.ElicitResult, error) {
	asking, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	type reply struct {
		*mcp.ElicitResult
		err error
	}
	replied := make(chan reply, 1)
	go func() {
		r, err := client.Elicit(asking, form(c, h.words()))
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
			case ctx.Err() != nil: // the call is over, and nobody has refused anything
				return nil, ctx.Err()
			case asking.Err() != nil:
				return nil, h.session.Undecided(c, fmt.Sprintf("there was no answer within %v", answerWithin))
			}
			return nil, h.session.Undecided(c, "the client could not ask: "+r.err.Error())
		case <-look.C:
			if done, err := h.session.Answered(c); done || err != nil {
				return nil, err
			}
		}
	}
}

// took notes what the person answered.
func (h *house) took(c *session.Choice, r *mcp.ElicitResult) error {
	decision, _ := r.Content[theDecision].(string)
	guidance, _ := r.Content["guidance"].(string)
	switch {
	case r.Action == "accept" && decision != "":
		return h.session.Decide(c, decision, guidance)
	case r.Action == "accept":
		return h.session.Undecided(c, "the form came back empty")
	case r.Action == "decline":
		return h.session.Undecided(c, "he declined to answer")
	}
	return h.session.Undecided(c, "the form was closed without an answer")
}

// form is the question as clients show it.
func form(c *session.Choice, words *messages.Catalog) *mcp.ElicitParams {
	return formOf(words.Say(fmt.Sprintf("code-intel asks you, not the agent (session %s, %s).\n\n%s", c.Session, c.Phase, c.Text)), c.Options, words)
}

func formOf(message string, choices []string, words *messages.Catalog) *mcp.ElicitParams {
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
				theDecision: {Type: "string", Title: words.Say("Your decision"), Enum: options},
				"guidance":  {Type: "string", Title: words.Say("Your guidance"), Description: words.Say("what the agent should know or do differently; may be left empty")},
			},
			Required: []string{theDecision},
		},
	}
}

// confirms is the first version of a client that puts each call of a tool that
// asks for it before its user, whatever hooks, rules and modes say.
var confirms = map[string][]int{"claude-code": {2, 1, 199}}

// confirmDecision takes a choice of the person's from the model, if the client
// has shown him this very call.
func (h *house) confirmDecision(ctx context.Context, r session.ConfirmRequest) (*session.ConfirmAnswer, error) {
	if t := turnOf(ctx); t == nil || t.request == nil || !showsCalls(t.request.ClientInfo()) {
		return nil, h.session.Unconfirmed()
	}
	return h.session.Confirm(r)
}

func showsCalls(client *mcp.Implementation) bool {
	if client == nil || confirms[client.Name] == nil {
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
	return slices.Compare(version, confirms[client.Name]) >= 0
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
