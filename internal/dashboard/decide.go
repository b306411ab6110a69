package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path"

	"codeintel/internal/approval"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
	"codeintel/internal/workflow"
)

// Codes of decisions that are not taken here.
const (
	notHere problem.Code = "not_here" // this dashboard cannot decide
)

const (
	maxBody     = 32 << 10
	maxGuidance = 4000 // characters
)

// A decisionRequest is what a person sends from the page: about a gate of a session, or
// about a checkpoint or gate of a pipeline. They name what they were shown.
type decisionRequest struct {
	Session   string `json:"session,omitempty"`
	Nonce     string `json:"nonce,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Ticket    string `json:"ticket,omitempty"`
	Choice    string `json:"choice"`
	Guidance  string `json:"guidance"`
}

// mayDecide returns a Problem unless a decision that is made here counts.
func (s *Server) mayDecide(q *workflow.Question) error {
	if err := s.checkPersonPresent(path.Base(q.ID), q.Holder); err != nil {
		return err
	}
	return q.Takes(approval.Dashboard)
}

// checkPersonPresent returns a Problem unless a person may be behind the page.
func (s *Server) checkPersonPresent(name, holder string) error {
	if s.o.Person == nil {
		return problem.New(notHere, "dashboard.dashboard_only_shows").
			Or("session.decide_terminal_your_own_code", name)
	}
	return s.o.Person(holder)
}

// serveGate takes a person's decision, as code-intel approve does: that about a
// session becomes an entry of the ledger, with the nonce of the gate, and the agent's
// next submission finds it there; that about a pipeline is applied to its state.
func (s *Server) serveGate(w http.ResponseWriter, r *http.Request) {
	var d decisionRequest
	if !s.decode(w, r, &d) {
		return
	}
	q, by, err := s.asked(r.Context(), &d)
	if err == nil {
		err = s.mayDecide(q)
	}
	if err == nil {
		err = by.Decide(r.Context(), q, workflow.Choice{Option: d.Choice, Guidance: d.Guidance,
			Channel: approval.Dashboard})
	}
	if err != nil {
		s.refuse(w, r, refusedAs(err, http.StatusConflict), err)
		return
	}
	s.refresh(r.Context())
	s.answer(w, http.StatusOK, map[string]any{"data": map[string]any{"choice": d.Choice, "channel": approval.Dashboard}})
}

// decode reads what the page sent. It is false, and the request answered, if that cannot be
// read or is too long.
func (s *Server) decode(w http.ResponseWriter, r *http.Request, into any) bool {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		err = dec.Decode(into)
	}
	if d, ok := into.(*decisionRequest); err != nil || ok && len([]rune(d.Guidance)) > maxGuidance {
		s.refuse(w, r, http.StatusBadRequest, problem.New(problem.InvalidArgument, "dashboard.decision_cannot_read").
			Or("dashboard.reload_the_page"))
		return false
	}
	return true
}

// refusedAs is the status of an answer that says why something was not done: known, if it
// is a Problem.
func refusedAs(err error, known int) int {
	if problem.Of(err) != nil {
		return known
	}
	if systemerror.Of(err) != nil {
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// asked returns the question that a decision answers, as it was shown, and who takes
// the decision down.
func (s *Server) asked(ctx context.Context, d *decisionRequest) (*workflow.Question, workflow.Decider, error) {
	if d.Workspace != "" {
		pipelines, err := s.pipelines()
		if err != nil {
			return nil, nil, err
		}
		q, err := pipelines.QuestionOf(ctx, d.Workspace)
		if err == nil {
			q.Ticket = d.Ticket
		}
		return q, pipelines, err
	}
	p, rec, err := s.find(d.Session)
	if err != nil {
		return nil, nil, err
	}
	if rec.State == nil {
		return nil, nil, problem.New(problem.InvalidArgument, "dashboard.session_cannot_read", rec.ID, rec.Fault).
			Or("session.show_says_where_it_is", rec.ID)
	}
	sessions, err := s.sessions(p)
	if err != nil {
		return nil, nil, err
	}
	q, err := sessions.QuestionOf(rec.State)
	if err != nil {
		return nil, nil, err
	}
	q.Holder = rec.Holder
	if d.Nonce != q.Ticket {
		return nil, nil, workflow.Answered().Or("dashboard.reload_the_page")
	}
	return q, sessions, nil
}
