package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/audit"
	"codeintel/internal/clients/registry"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
	"codeintel/internal/session"
	"codeintel/internal/session/answer"
	refusals "codeintel/internal/session/refusal"
	"codeintel/internal/text"
)

// callPatience is how long a call waits for work that its answer rests on, before it
// is answered with what is there. Clients give up on calls after a minute.
const callPatience = 30 * time.Second

// unknownTool is the code of a call of a tool that there is not.
const unknownTool problem.Code = "unknown_tool"

// turn is the call under way, as the methods of tools see it.
type turn struct {
	session.Call
	code     problem.Code // of a refusal
	handlers *handlers
	request  *mcp.CallToolRequest
	refused  *mcp.CallToolResult // before the tool was run; nil: it may run
	budget   int                 // how much the answer may hold, see [weigh]
	allowed  int                 // how much of that its results may take
	tries    int                 // how many answers did not fit
	progress func(progress)
}

type turnKey struct{}

// turnOf returns the call that ctx belongs to.
func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// observe is the one place that every request passes. Calls of tools are put
// before the session, timed and recorded here, whatever becomes of them.
func (s *Server) observe(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		began := time.Now()
		t := &turn{
			Call: session.Call{Tool: text.Clip(r.Params.Name, longestID), ID: callID(r.Params.Meta), Args: digest(r.Params.Arguments),
				Outcome: audit.OK},
			budget:  budgetOf(r.ClientInfo()),
			request: r,
		}
		said := newReporter(ctx, r)
		t.progress = said.report
		ctx = context.WithValue(ctx, turnKey{}, t)
		ctx, stop := softdeadline.With(ctx, callPatience, func(_ string, done, total int, unit string) {
			message := fmt.Sprintf("%d of %d %s", done, total, unit)
			if total == 0 {
				message = fmt.Sprintf("%d %s", done, unit)
			}
			t.progress(progress{float64(done), float64(total), message})
		})
		defer stop()
		defer said.reportEverySecond(t.Tool)()
		result, err := s.permitted(ctx, t, method, r, next)
		t.Duration = time.Since(began)
		s.log.Debug("tool call", "tool", t.Tool, "outcome", t.Outcome, "code", t.code, "took", t.Duration)
		s.record(context.WithoutCancel(ctx), t)
		s.work.begun()
		return result, err
	}
}

// permitted runs the tool, unless there is none or the session's phase objects. A
// refusal goes the way of an answer, through the handler of a tool: what the library
// adds to a result it adds there.
func (s *Server) permitted(ctx context.Context, t *turn, method string, r *mcp.CallToolRequest,
	next mcp.MethodHandler) (mcp.Result, error) {
	var err error
	if t.handlers, err = s.work.open(ctx); err != nil {
		t.refused = s.refuse(ctx, t, audit.Failed, err)
	} else if t.handlers.session.Connected(clientName(r)); s.rows[t.Tool] == nil {
		p := problem.New(unknownTool, "mcp.no_tool", t.Tool).
			Or("mcp.call_one", s.toolNames())
		t.refused = s.refuse(ctx, t, audit.Failed, p)
	} else if err := t.handlers.session.Permit(ctx, t.Tool); err != nil {
		t.refused = s.refuse(ctx, t, audit.Blocked, err)
	}
	if s.rows[t.Tool] == nil {
		params := *r.Params
		params.Name = s.offered[0].name // any that there is
		other := *r
		other.Params, r = &params, &other
	}
	return next(ctx, method, r)
}

// clientName returns what the client at the other end calls itself.
func clientName(r *mcp.CallToolRequest) string {
	if info := r.ClientInfo(); info != nil {
		return info.Name
	}
	return ""
}

// record notes the call in the session. What cannot be noted does not count for
// the model, so the answer, which is true, still goes out.
func (s *Server) record(ctx context.Context, t *turn) {
	if t.handlers == nil {
		return
	}
	if err := t.handlers.session.Record(ctx, t.Call); err != nil {
		s.log.Error("call is not recorded", "tool", t.Tool, "err", err)
	}
}

// callID returns the ID that the client gives this call in its hooks, too.
func callID(meta mcp.Meta) string {
	for _, c := range registry.All {
		if id, ok := meta[c.Connection.CallID].(string); ok && c.Connection.CallID != "" && len(id) <= longestID {
			return id
		}
	}
	return ""
}

// longestID is how long an id, or the name of a tool, may be that is kept, in bytes.
const longestID = 200

// digest identifies arguments without keeping them.
func digest(args json.RawMessage) string {
	sum := sha256.Sum256(args)
	return hex.EncodeToString(sum[:8])
}

// answer runs the tool of a row. It is the handler of every tool.
func (s *Server) answer(ctx context.Context, row *tool, raw json.RawMessage) (result *mcp.CallToolResult, err error) {
	t := turnOf(ctx)
	if t.refused != nil {
		return t.refused, nil
	}
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("tool panicked", "tool", row.name, "panic", r, "stack", string(debug.Stack()))
			result = s.refuse(ctx, t, audit.Failed, fmt.Errorf("panic: %v", r))
		}
	}()
	t.budget = max(t.budget, askedBudget(t.request.ClientInfo(), raw))
	t.allowed = t.budget
	for {
		a, err := row.run(t.handlers, ctx, raw)
		if asked := (*inputNeeded)(nil); errors.As(err, &asked) {
			t.Outcome = audit.Empty
			return asked.result(), nil
		}
		if err != nil {
			return s.refuse(ctx, t, audit.Failed, err), nil
		}
		a = msg.Bind(a, t.handlers.words())
		content, text, over, err := encode(a, t.budget)
		if err != nil {
			return s.refuse(ctx, t, audit.Failed, err), nil
		}
		whole, search := a.(interface{ Whole() bool })
		if search && over > 0 && t.tries < maxTries {
			// A shorter page of the same: what is cut off here would be on no page.
			t.tries++
			// It is shorter by one result at least, however little there is too much.
			t.allowed = max(t.allowed-over*5/4-t.allowed/16, minAllowed)
			continue
		}
		if o, ok := a.(shower); ok {
			t.Observed = o.Observed()
		}
		if t.Observed.Empty {
			t.Outcome = audit.Empty
		}
		if s.rows[string(op.Explore)] != nil && (!search || whole.Whole()) {
			content, text = withHint(content, text, t.handlers.words().Text(s.recentCalls.add(t, row.set)))
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: text}},
			StructuredContent: content,
		}, nil
	}
}

// How often a search whose answer does not fit is asked for a shorter page, and how
// short that may get.
const (
	maxTries   = 5
	minAllowed = 800
)

// A refusal is a no on the wire. While a session is open it carries where that
// is, so that a model that is lost learns in any case what to do.
type refusal struct {
	Error       problem.Code `json:"error"`
	Message     string       `json:"message"`
	LegalNext   []string     `json:"legal_next"`
	Phase       string       `json:"current_phase,omitempty"`
	Instruction string       `json:"instruction,omitempty"`
	// What submit_phase wants here, if what it got does not fit.
	ExpectedPayload map[string]string `json:"expected_payload,omitempty"`
	// In READY, the task that is to be done, with its checklist.
	NextTask *answer.TaskAhead `json:"next_task,omitempty"`

	words msg.Printer // of the text form
}

// Text says what the fields say.
func (r *refusal) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Error, r.Message)
	for _, n := range r.LegalNext {
		b.WriteString(r.words.Say("mcp.next", n) + "\n")
	}
	if r.Phase != "" {
		fmt.Fprintf(&b, "\n%s\n%s\n", r.words.Say("mcp.session_is_in", r.Phase), r.Instruction)
	}
	if t := r.NextTask; t != nil {
		fmt.Fprintf(&b, "%s\n", r.words.Say("session.next_task", t.ID, t.Description))
		for _, i := range t.Checklist {
			fmt.Fprintf(&b, "  %s. %s\n", i.ID, i.Item)
		}
	}
	if len(r.ExpectedPayload) > 0 {
		payload, _ := json.Marshal(r.ExpectedPayload) // strings marshal
		fmt.Fprintf(&b, "submit_phase(data=%s)\n", payload)
	}
	return b.String()
}

// refuse tells the model of a Problem in full. Of any other error it hears only
// that there was one; the log has the rest.
func (s *Server) refuse(ctx context.Context, t *turn, as audit.Outcome, err error) *mcp.CallToolResult {
	p := problem.Of(err)
	switch {
	case p != nil:
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		p = problem.New("cancelled", "mcp.call_cancelled_before_ended").
			Or("mcp.call_again_if_still_wanted")
	default:
		s.log.LogAttrs(ctx, slog.LevelError, "tool failed", slog.String("tool", t.Tool), slog.Any("err", err))
		if p = systemerror.Of(err); p != nil {
			break
		}
		p = problem.New(problem.Internal, "mcp.server_failed_at_this_call").
			Or("mcp.try_once_more").
			Or("mcp.if_fails_again_tell_user")
	}
	t.Outcome, t.code = as, p.Code
	words := t.handlers.words()
	r := &refusal{Error: p.Code, Message: words.Text(p.Message),
		LegalNext: append([]string{}, words.Texts(p.Next)...), words: words}
	if t.handlers != nil {
		at := t.handlers.session.Where()
		r.Phase, r.Instruction, r.NextTask = at.Phase, at.Instruction, at.NextTask
		if !at.Before.IsZero() { // once is enough, also where one payload is refused again and again
			r.Instruction = words.Text(at.Before)
		}
		if p.Code == refusals.PayloadMismatch || p.Code == session.VerificationContradicted {
			r.ExpectedPayload = at.ExpectedPayload
		}
	}
	content, text, _, err := encode(r, t.budget)
	if err != nil { // cannot be: these are strings
		s.log.Error("refusal cannot be encoded", "tool", t.Tool, "err", err)
		text = p.Error()
	}
	return &mcp.CallToolResult{
		IsError:           true,
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: content,
	}
}
