package dashboard

import (
	"net/http"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// A startPlan is what a line typed on the page would begin.
type startPlan struct {
	*service.Plan
	Says string `json:"says"`
}

// A startedPipeline is a pipeline that was begun on the page, and what is typed in an agent so that it
// goes on there.
type startedPipeline struct {
	Workspace string `json:"workspace"`
	Branch    string `json:"branch"`
	Line      string `json:"line"`
}

// serveStart says what a line would begin; where the effort is confirmed, it begins that.
// Nothing runs by itself then: an agent takes the pipeline up.
func (s *Server) serveStart(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Line      string         `json:"line"`
		Workspace string         `json:"workspace"` // of the plan
		Effort    request.Effort `json:"effort"`    // "": only the plan
	}
	if !s.decode(w, r, &said) {
		return
	}
	answer, err := s.start(r, said.Line, said.Workspace, said.Effort)
	if err != nil {
		s.refuse(w, r, refusedAs(err, http.StatusConflict), err)
		return
	}
	s.answer(w, http.StatusOK, map[string]any{"data": answer})
}

func (s *Server) start(r *http.Request, line, planned string, effort request.Effort) (any, error) {
	if s.o.Person == nil {
		return nil, problem.New(notHere, "dashboard.dashboard_only_shows").Or("pipeline.type_it_in_your_agent", strings.TrimSpace(line))
	}
	if err := s.o.Person(""); err != nil {
		return nil, err
	}
	forge, err := s.pipelines()
	if err != nil {
		return nil, err
	}
	defer forge.Close()
	if effort == "" {
		plan, err := forge.Plan(r.Context(), line)
		if err != nil {
			return nil, err
		}
		return startPlan{plan, msg.In(s.language(r)).Text(plan.Says)}, nil
	}
	ready, err := forge.Start(r.Context(), line, planned, effort, approval.Dashboard)
	if err != nil {
		return nil, err
	}
	s.refresh(r.Context())
	return startedPipeline{Workspace: ready.Workspace, Branch: ready.Branch, Line: "/forge " + ready.Workspace}, nil
}
