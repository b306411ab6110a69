package dashboard

import (
	"encoding/json"
	"net/http"

	"codeintel/internal/messages"
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

// A Decision is what a person sends from the page.
type Decision struct {
	Session  string `json:"session"`
	Nonce    string `json:"nonce"` // of the gate that he was shown
	Choice   string `json:"choice"`
	Guidance string `json:"guidance"`
}

// mayDecide returns a Problem unless a decision that is made here counts.
func (s *Server) mayDecide(c *session.Choice, holder string) error {
	if s.o.Person == nil {
		return problem.Newf(notHere, "This dashboard only shows.").Or("Decide in a terminal: code-intel approve " + c.Session + ".")
	}
	if err := s.o.Person(holder); err != nil {
		return err
	}
	return c.Takes(session.Dashboard)
}

// serveGate takes a person's decision. Like code-intel approve it becomes an entry
// of the ledger, with the nonce of the gate, and the agent's next submission finds
// it there.
func (s *Server) serveGate(w http.ResponseWriter, r *http.Request) {
	var d Decision
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil || len([]rune(d.Guidance)) > maxGuidance {
		s.refuse(w, r, http.StatusBadRequest, problem.New(problem.InvalidArgument, "The decision cannot be read.", "Load the page anew."))
		return
	}
	if err := s.decide(&d, messages.In(s.language(r))); err != nil {
		status := http.StatusInternalServerError
		if problem.Of(err) != nil {
			status = http.StatusConflict
		}
		s.refuse(w, r, status, err)
		return
	}
	s.refresh(r.Context())
	s.answer(w, http.StatusOK, map[string]any{"data": map[string]any{"session": d.Session, "choice": d.Choice, "channel": session.Dashboard}})
}

func (s *Server) decide(d *Decision, words *messages.Catalog) error {
	p, rec, err := s.find(d.Session)
	if err != nil {
		return err
	}
	if rec.State == nil {
		return problem.Newf(problem.InvalidArgument, "Session %s cannot be read: %s.", rec.ID, rec.Fault)
	}
	service, err := s.sessions(p)
	if err != nil {
		return err
	}
	c, err := service.ChoiceOf(rec.State)
	if err != nil {
		return err
	}
	c.Speak(words)
	if d.Nonce != c.Nonce {
		return problem.New(session.GateClosed, "The decision has been made meanwhile; yours was not needed any more.")
	}
	if err := s.mayDecide(c, rec.Holder); err != nil {
		return err
	}
	return service.Approve(c, session.Dashboard, d.Choice, d.Guidance)
}
