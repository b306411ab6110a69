package session

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
)

// decide notes in the decision log what was decided as the session began: the
// phases that its flags leave, and what the request says by itself.
func (s *Service) decide(ctx context.Context, st *state.State) {
	if s.code.Plan == nil {
		return
	}
	d, err := s.code.Plan(ctx, st.Query, string(st.Intent))
	if err == nil {
		d.SessionID, d.RequiredPhases = st.ID, []string{}
		for _, id := range s.table.IDs() {
			if id == phases.VerifyIntervention || id == phases.UserEscalation {
				continue // nobody plans to fail
			}
			if w := s.wire(id); !s.table.Skips(id, payloadFacts{State: st}) && !slices.Contains(d.RequiredPhases, w) {
				d.RequiredPhases = append(d.RequiredPhases, w)
			}
		}
		err = s.logs.Decisions.Append(d)
	}
	if err != nil {
		s.log.Warn("decision is not recorded", "session", st.ID, "err", err)
	}
}

// recordComplaint records the last session as failed if the new request complains about its result. It
// removes the agreements of that session from the Map, and tells the user.
func (t *turn) recordComplaint(ctx context.Context) {
	last, words, err := t.s.recorder().Complaint(t.State)
	if err == nil && last != nil {
		o := t.s.recorder().OutcomeOf(last)
		o.Outcome, o.Source, o.TriggerMessage = outcomelog.Failure, outcomelog.NextRequest, text.Clip(t.State.Query, maxTrigger)
		o.Analysis = map[string]any{"user_feedback": words, "next_session": t.State.ID}
		var marked []string
		if marked, err = t.s.recorder().Settle(ctx, o); err == nil {
			w := msg.New("session.request_complains_what_session_left", words, last.ID)
			if len(marked) > 0 {
				w = msg.Join("", w, msg.New("session.left_map", marked))
			}
			t.Warnings = append(t.Warnings, msg.Join("", w, msg.New("session.if_wrong_record_the_outcome",
				msg.CallOf(op.RecordOutcome, "session_id", last.ID, "outcome", outcomelog.Success))))
		}
	}
	if err != nil {
		t.s.log.Warn("whether the request complains of the last result is not known", "session", t.State.ID, "err", err)
	}
}

// Bounds of what a caller may have recorded.
const (
	maxTrigger  = 2000     // characters
	maxAnalysis = 16 << 10 // bytes
)

// An OutcomeRequest says how a session turned out.
type OutcomeRequest struct {
	SessionID string         `json:"session_id,omitempty"`
	Outcome   string         `json:"outcome" jsonschema:"success, failure or partial"`
	Phase     string         `json:"phase_at_outcome,omitempty"`
	Analysis  map[string]any `json:"analysis,omitempty" jsonschema:"such as root_cause, user_feedback"`
	Trigger   string         `json:"trigger_message,omitempty"`
}

// RecordOutcome records how a session turned out: the one named, else the open
// one, else the last one that ended, else work without a session. What the caller
// leaves out is the session's.
func (s *Service) RecordOutcome(ctx context.Context, req OutcomeRequest) (*answer.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := refusal.OneOf("outcome", req.Outcome, string(outcomelog.Success), string(outcomelog.Failure),
		string(outcomelog.Partial)); err != nil {
		return nil, problem.New(problem.InvalidArgument, "session.outcome", req.Outcome).
			Or("session.send_success_failure_partial")
	}
	if data, err := json.Marshal(req.Analysis); err != nil || len(data) > maxAnalysis {
		return nil, problem.New(problem.InvalidArgument, "session.analysis_bytes_at_most_kept", len(data), maxAnalysis).
			Or("session.say_root_cause_few_sentences")
	}
	st, err := s.sessionFor(req.SessionID)
	if err != nil {
		return nil, err
	}
	o := outcomelog.Outcome{Timestamp: outcomelog.Stamp(s.now())}
	if st != nil {
		o = s.recorder().OutcomeOf(st)
	}
	o.Outcome, o.Source, o.TriggerMessage, o.Analysis = outcomelog.Result(req.Outcome), outcomelog.Recorded, text.Clip(req.Trigger, maxTrigger), req.Analysis
	o.Phase = cmp.Or(text.Clip(req.Phase, 100), o.Phase)
	marked, err := s.recorder().Settle(ctx, o)
	if err != nil {
		return nil, err
	}
	return &answer.Outcome{SessionID: o.SessionID, Outcome: o.Outcome, Phase: o.Phase, Agreements: marked}, nil
}

// sessionFor finds the session with the id, open or ended; for no id the open one,
// else the last that ended. It is nil if there has been none.
func (s *Service) sessionFor(id string) (*state.State, error) {
	if s.live != nil && (id == "" || id == s.live.st.ID) {
		return s.live.st, nil
	}
	if id == "" {
		all, err := s.logs.Outcomes.Read()
		if err != nil {
			return nil, err
		}
		i := len(all) - 1
		for i >= 0 && all[i].Source != outcomelog.SessionEnd {
			i--
		}
		if i < 0 {
			return nil, nil
		}
		st, err := s.recorder().Archived(all[i].SessionID)
		if st == nil && err == nil { // the archive was emptied
			st = &state.State{ID: all[i].SessionID, Intent: state.Intent(all[i].Intent),
				Outcome: state.Outcome(all[i].SessionEnded)}
		}
		return st, err
	}
	unknown := problem.New(NoSession, "session.there_is_no_session", id).
		Or("session.leave_session_id_out_last")
	if !state.IsID(id) {
		return nil, unknown
	}
	if st, err := s.recorder().Archived(id); st != nil || err != nil {
		return st, err
	}
	open, err := s.interrupted()
	if err != nil {
		return nil, err
	}
	for _, st := range open {
		if st.ID == id {
			return st, nil
		}
	}
	return nil, unknown
}

// A StatsRequest asks what was learned from outcomes.
type StatsRequest struct {
	SessionID string `json:"session_id,omitempty"`
	Limit     int    `json:"limit,omitempty"`
}

// OutcomeStats analyses the session named, else the last ones.
func (s *Service) OutcomeStats(_ context.Context, req StatsRequest) (*answer.Stats, error) {
	if req.Limit < 0 {
		return nil, problem.New(problem.InvalidArgument, "session.limit", req.Limit).
			Or("session.send_number_sessions_leave_out")
	}
	if req.SessionID == "" {
		in, err := s.logs.Insights(req.Limit)
		return &answer.Stats{Insights: in}, err
	}
	one, err := s.logs.Session(req.SessionID, req.Limit)
	return &answer.Stats{SessionAnalysis: one}, err
}
