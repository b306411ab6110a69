package dashboard

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"codeintel/internal/memory"
	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/pipeline/pastruns"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// Bounds of what the learning section holds.
const (
	pageLog       = 30
	maxAgreements = 100
	insightsOver  = 100 // sessions
)

// learningSection is what past work teaches.
type learningSection struct {
	Insights   *outcomelog.Insights `json:"insights,omitempty"`
	Decisions  *decisionLogPage     `json:"decisions,omitempty"`
	Logs       *problemView         `json:"logs_problem,omitempty"`
	Agreements []agreement          `json:"agreements"`
	Total      int                  `json:"agreements_total"`
	Superseded int                  `json:"superseded,omitempty"`
	Faults     []agreementFault     `json:"faults,omitempty"`
	Map        *problemView         `json:"map_problem,omitempty"`
	Pipelines  *pastruns.Statistics `json:"pipelines,omitempty"`
	History    *problemView         `json:"history_problem,omitempty"`
}

// An agreement is a line of the Map.
type agreement struct {
	Path      string         `json:"path"`
	Phrases   []string       `json:"phrases"`
	Symbols   []string       `json:"symbols,omitempty"`
	Files     []string       `json:"files,omitempty"`
	Session   string         `json:"session,omitempty"`
	Intent    string         `json:"intent,omitempty"`
	Outcome   memory.Outcome `json:"outcome,omitempty"`
	LearnedAt time.Time      `json:"learned_at,omitzero"`
	Weight    float64        `json:"weight"`
	Confirmed int            `json:"confirmed,omitempty"`
}

// An agreementFault is a file that cannot be read as an agreement.
type agreementFault struct {
	Path   string      `json:"path"`
	Reason msg.Message `json:"reason"`
}

// A decisionLogPage is a page of the decision log, newest entries first.
type decisionLogPage struct {
	Total   int                `json:"total"`
	Before  int                `json:"before,omitempty"` // ask for those before this one; 0: there are none
	Entries []decisionLogEntry `json:"entries"`
}

type decisionLogEntry struct {
	Number int `json:"number"`
	outcomelog.Decision
	Outcome *outcomelog.Outcome `json:"outcome,omitempty"` // of its session, the one that holds
}

func (s *Server) learningMark() string {
	at := (&project.Project{Root: s.o.Root}).Path
	return fingerprint(at("logs"), at("agreements"), at("config.json"), filepath.Join(s.o.Root, filepath.FromSlash(pastruns.File)))
}

// readLearning reads the logs, the Map and the history, each by itself.
func (s *Server) readLearning(ctx context.Context) (view, error) {
	p, err := s.project()
	if err != nil {
		return nil, err
	}
	logs := outcomelog.Open(p)
	insights, logErr := logs.Insights(insightsOver)
	var decisions *decisionLogPage
	if logErr == nil {
		decisions, logErr = logPage(logs, 0, pageLog)
	}
	learned, mapErr := s.learned.Load(ctx)
	past, pastErr := pastruns.Open(p.Root)
	return func(words msg.Printer) any {
		v := learningSection{Agreements: []agreement{}}
		if logErr != nil {
			v.Logs = fault(words, logErr)
		} else {
			v.Insights, v.Decisions = insights, decisions
		}
		if mapErr != nil {
			v.Map = fault(words, mapErr)
		} else {
			v.agreed(learned)
		}
		if pastErr != nil {
			v.History = fault(words, pastErr)
		} else if past.Len() > 0 {
			st := past.Statistics()
			v.Pipelines = &st
		}
		return v
	}, nil
}

func (v *learningSection) agreed(m *memory.Map) {
	v.Total, v.Superseded = len(m.Agreements), m.Superseded
	for _, a := range m.Agreements[:min(len(m.Agreements), maxAgreements)] {
		v.Agreements = append(v.Agreements, agreement{a.Path, a.Phrases, a.Symbols, a.Files, a.Session, a.Intent,
			a.Outcome, a.LearnedAt, a.Weight, a.Confirmed})
	}
	for _, f := range m.Faults[:min(len(m.Faults), maxAgreements)] {
		v.Faults = append(v.Faults, agreementFault{f.Path, f.Reason})
	}
}

// logPage cuts a page out of the decision log: n entries before the one with the
// number, the last ones for 0.
func logPage(logs *outcomelog.Logs, before int64, n int) (*decisionLogPage, error) {
	decisions, err := logs.Decisions.Read()
	if err != nil {
		return nil, err
	}
	all, err := logs.Outcomes.Read()
	if err != nil {
		return nil, err
	}
	final := make(map[string]*outcomelog.Outcome)
	for _, o := range outcomelog.Final(all, len(all)+1) {
		final[o.SessionID] = &o
	}
	end := len(decisions)
	if before > 0 && before <= int64(end) {
		end = int(before) - 1
	}
	from := max(0, end-n)
	page := &decisionLogPage{Total: len(decisions), Entries: []decisionLogEntry{}}
	if from > 0 {
		page.Before = from + 1
	}
	for i, d := range slices.Backward(decisions[:end]) {
		if i < from {
			break
		}
		d.Query = clip(d.Query)
		e := decisionLogEntry{Number: i + 1, Decision: d}
		if d.SessionID != "" {
			e.Outcome = final[d.SessionID]
		}
		page.Entries = append(page.Entries, e)
	}
	return page, nil
}

// serveLog answers with a page of the decision log: ?before=…&n=….
func (s *Server) serveLog(w http.ResponseWriter, r *http.Request) {
	before, n, err := paging(r)
	if err != nil {
		s.refuse(w, r, http.StatusBadRequest, err)
		return
	}
	p, err := s.project()
	var l *decisionLogPage
	if err == nil {
		l, err = logPage(outcomelog.Open(p), before, n)
	}
	if err != nil {
		status := http.StatusInternalServerError
		if problem.Of(err) != nil {
			status = http.StatusConflict
		}
		s.refuse(w, r, status, err)
		return
	}
	s.answer(w, http.StatusOK, map[string]any{"data": l})
}
