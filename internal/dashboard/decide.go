package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/i18n"
	"codeintel/internal/problem"
	"codeintel/internal/session"
)

// Codes of decisions that are not taken here.
const (
	notHere problem.Code = "not_here" // nobody may decide in this dashboard
)

const (
	maxBody     = 32 << 10
	maxGuidance = 4000 // characters
)

// A Decision is what a person sends from the page: about a gate of a session, or
// about a checkpoint or gate of a pipeline. He names what he was shown.
type Decision struct {
	Session   string `json:"session,omitempty"`
	Nonce     string `json:"nonce,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Ticket    string `json:"ticket,omitempty"`
	Choice    string `json:"choice"`
	Guidance  string `json:"guidance"`
}

// mayDecide returns a Problem unless a decision that is made here counts.
func (s *Server) mayDecide(c *session.Choice, holder string) error {
	if err := s.present(c.Session, holder); err != nil {
		return err
	}
	return c.Takes(approval.Dashboard)
}

// mayAnswer is the same for a pipeline.
func (s *Server) mayAnswer(d *service.Desk) error {
	if err := s.present(path.Base(d.Workspace), d.Holder); err != nil {
		return err
	}
	return d.Takes(approval.Dashboard)
}

// present returns a Problem unless a person may be behind the page.
func (s *Server) present(name, holder string) error {
	if s.o.Person == nil {
		return problem.New(notHere, "This dashboard only shows.", fmt.Sprintf("Decide in a terminal of your own: code-intel approve %s.", name))
	}
	return s.o.Person(holder)
}

// serveGate takes a person's decision, as code-intel approve does: that about a
// session becomes an entry of the ledger, with the nonce of the gate, and the agent's
// next submission finds it there; that about a pipeline is applied to its state.
func (s *Server) serveGate(w http.ResponseWriter, r *http.Request) {
	var d Decision
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil || len([]rune(d.Guidance)) > maxGuidance {
		s.refuse(w, r, http.StatusBadRequest, problem.New(problem.InvalidArgument, "The decision cannot be read.", "Load the page anew."))
		return
	}
	var err error
	if d.Workspace != "" {
		err = s.answerDesk(r.Context(), &d)
	} else {
		err = s.decide(&d, i18n.In(s.language(r)))
	}
	if err != nil {
		status := http.StatusInternalServerError
		if problem.Of(err) != nil {
			status = http.StatusConflict
		}
		s.refuse(w, r, status, err)
		return
	}
	s.refresh(r.Context())
	s.answer(w, http.StatusOK, map[string]any{"data": map[string]any{"choice": d.Choice, "channel": approval.Dashboard}})
}

func (s *Server) decide(d *Decision, words *i18n.Catalog) error {
	p, rec, err := s.find(d.Session)
	if err != nil {
		return err
	}
	if rec.State == nil {
		return problem.Newf(problem.InvalidArgument, "Session %s cannot be read: %s.", rec.ID, rec.Fault)
	}
	sessions, err := s.sessions(p)
	if err != nil {
		return err
	}
	c, err := sessions.ChoiceOf(rec.State)
	if err != nil {
		return err
	}
	c.Speak(words)
	if d.Nonce != c.Nonce {
		return problem.New(approval.GateClosed, "The decision has been made meanwhile; yours was not needed any more.")
	}
	if err := s.mayDecide(c, rec.Holder); err != nil {
		return err
	}
	return sessions.Approve(c, approval.Dashboard, d.Choice, d.Guidance)
}

func (s *Server) answerDesk(ctx context.Context, d *Decision) error {
	desks, err := s.pipelines()
	if err != nil {
		return err
	}
	asked, err := desks.DeskOf(ctx, d.Workspace)
	if err != nil {
		return err
	}
	if err := s.mayAnswer(asked); err != nil {
		return err
	}
	_, err = desks.Decide(ctx, service.Word{Workspace: d.Workspace, Ticket: d.Ticket, Option: d.Choice, Text: d.Guidance, Channel: approval.Dashboard})
	return err
}
