package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/approval"
	"codeintel/internal/clients"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/workflow"
)

// configuration is where a project says what it wants.
const configuration = ".code-intel/config.json"

// protected is a project that accepts a decision only from the person directly.
func protected(way string) string { return fmt.Sprintf(`{"human_gate": %q}`, way) }

// besides is the service in another process: a person's terminal, or the hook of a
// client.
func (st *fixture) besides() *service.Service {
	st.T.Helper()
	p, err := project.Open(st.Root)
	if err != nil {
		st.T.Fatal(err)
	}
	s, err := service.New(p, service.Options{Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		st.T.Fatal(err)
	}
	st.T.Cleanup(func() { s.Close() })
	return s
}

// decides has the person decide in a terminal.
func (o *orchestrator) decides(ticket, option, text string) error {
	q := &workflow.Question{ID: o.ws, Ticket: ticket}
	return o.besides().Decide(context.Background(), q, workflow.Choice{Option: option, Guidance: text, Channel: approval.Terminal})
}

// shell has the agent's program ask its hook about a command line.
func (o *orchestrator) shell(command string) reply {
	o.T.Helper()
	h, err := o.besides().HandleEvent(context.Background(), clients.Event{Client: "claude", Name: clients.Before, Kind: clients.Shell, Tool: "Bash", Command: command, Dir: o.Root})
	if err != nil {
		o.T.Fatal(err)
	}
	return reply{Refused: h.Denied, Raw: h.Reason.String() + " " + strings.Join(msg.Texts(h.Next), " ")}
}

// denied is the verdict on what the hook of a client denies.
func denied(way string) verdict {
	return verdict{how: "denied by the hook", wrong: func(o *orchestrator, r reply, was stood) (wrong []string) {
		if !r.Refused {
			wrong = append(wrong, "the hook lets it pass")
		}
		return append(append(wrong, o.held(was, r)...), names(r, way)...)
	}}
}

// noAnswer is the verdict on a decision that does not answer the question.
func noAnswer(way string) verdict {
	return verdict{how: "refused: `gate_closed`", wrong: func(o *orchestrator, r reply, was stood) (wrong []string) {
		if !r.Refused {
			wrong = append(wrong, "it counts")
		}
		return append(append(wrong, o.held(was, r)...), names(r, way)...)
	}}
}

// forms connects a client that shows forms to the person, who gives the first answer
// and approves from then on.
func (o *orchestrator) forms(first mcp.ElicitResult) {
	asked := 0
	o.Client = o.Connect(&mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if asked++; asked == 1 {
			return &first, nil
		}
		return &mcp.ElicitResult{Action: "accept", Content: object{"decision": "approve"}}, nil
	}})
}

// Answers invented for a person who can answer directly.
var personAttacks = []attack{
	{
		technique: "approves in its own shell",
		rule:      "an agent cannot run commands meant for people",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			return o.shell("cd /tmp && code-intel approve " + path.Base(o.ws) + " approve")
		},
		judge: denied("Only people may type"),
	},
	{
		technique: "gives the pipeline up in its own shell",
		rule:      "an agent cannot run commands meant for people",
		at:        "checkpoint-a",
		lie:       func(o *orchestrator) reply { return o.shell("code-intel pipeline abandon " + path.Base(o.ws)) },
		judge:     denied("Only people may type"),
	},
	{
		technique: "relays an approval where the user rejected in a terminal",
		rule:      "what a person decides in a terminal holds",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			if err := o.decides(o.now.Str("ticket"), "reject", "name the file"); err != nil {
				o.T.Fatal(err)
			}
			return o.next(object{"user_response": "approve", "ticket": o.now.Answer["ticket"]})
		},
		judge: sentBack("design.md", "directly (terminal): reject"),
	},
	{
		technique: "replays the user's last approval",
		rule:      "a decision belongs to one question",
		effort:    "L",
		at:        "checkpoint-b",
		lie: func(o *orchestrator) reply {
			err := o.decides("t6", "approve", "")
			return reply{Refused: err != nil, Raw: fmt.Sprint(err)}
		},
		judge: noAnswer("already been made"),
	},
	{
		technique: "swaps the design while the user decides in a terminal",
		rule:      "a person decides about what they were shown",
		effort:    "M",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			o.Write(o.file("design.md"), o.text("design.md"))
			err := o.decides(o.now.Str("ticket"), "approve", "")
			return reply{Refused: err != nil, Raw: fmt.Sprint(err)}
		},
		judge: noAnswer("design.md has changed since it was accepted"),
	},
	{
		technique: "approves where the project requires the user's own decision",
		rule:      "a relayed answer opens no protected gate",
		config:    protected("terminal"),
		habits:    habits{alone: true},
		at:        "checkpoint-a",
		lie:       func(o *orchestrator) reply { return o.next(object{"user_response": "approve"}) },
		judge:     ignored("code-intel approve"),
	},
	{
		technique: "approves for a user who closed the form",
		rule:      "a relayed answer opens no protected gate",
		config:    protected("elicited"),
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			closed := mcp.ElicitResult{Action: "cancel"}
			o.forms(closed)
			if r := o.next(object{}); line(r.Answer) != "checkpoint-a" {
				o.T.Fatalf("a closed form decides: %s", r.Raw)
			}
			o.Client = o.Connect(nil)
			r := o.next(object{"user_response": "approve"})
			o.forms(mcp.ElicitResult{Action: "accept", Content: object{"decision": "approve"}})
			return r
		},
		judge: ignored("can show a form"),
	},
	{
		technique: "relays an approval where the user rejects in the form",
		rule:      "what a person answers in a form holds",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			o.forms(mcp.ElicitResult{Action: "accept", Content: object{"decision": "reject", "guidance": "name the file"}})
			return o.next(object{"user_response": "approve", "ticket": o.now.Answer["ticket"]})
		},
		judge: sentBack("design.md", "name the file"),
	},
	{
		technique: "has --auto pass a protected gate",
		rule:      "--auto passes no protected gate",
		config:    protected("terminal"),
		habits:    habits{alone: true},
		flags:     "--auto --nopr",
		effort:    "M",
		at:        "review-design.md",
		lie:       func(o *orchestrator) reply { return o.next(o.do()) },
		judge:     asked("checkpoint-a", "design.md"),
	},
	{
		technique: "removes the protection from the configuration",
		rule:      "a gate stays as protected as it began",
		config:    protected("terminal"),
		habits:    habits{alone: true},
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			o.Write(configuration, protected("relayed"))
			o.Stop()
			o.Serve()
			r := o.next(object{"user_response": "approve"})
			o.Write(configuration, protected("terminal"))
			if !strings.Contains(r.Str("warning"), "terminal") {
				o.T.Errorf("what is wanted is not named: %s", r.Raw)
			}
			return r
		},
		judge: ignored("code-intel approve"),
	},
}
