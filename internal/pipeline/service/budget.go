package service

import (
	"strings"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/pastruns"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

const minute = 60_000 // milliseconds

// budgetOf is the budget that was typed, nil for none.
func budgetOf(typed string) (*engine.Budget, error) {
	if typed == "" {
		return nil, nil
	}
	b, err := request.ParseBudget(typed)
	if err != nil {
		return nil, err
	}
	return &engine.Budget{Tokens: b.Tokens, Duration: b.Minutes * minute, Granted: max(b.Tokens, b.Minutes*minute)}, nil
}

// askAboutBudget has a person asked before the next agent starts, if the budget is spent or
// nothing tells how much of it is. It reports whether they are.
func (t *turn) askAboutBudget() bool {
	b, spent, runs := t.st.Budget, t.st.Spent(), len(t.st.PhaseRuns)
	var why msg.Message
	switch {
	case b == nil:
		return false
	case spent >= b.Granted && b.Tokens > 0:
		why = msg.New("pipeline.budget_spent_tokens", spent, b.Granted, runs)
	case spent >= b.Granted:
		why = msg.New("pipeline.budget_spent_minutes", spent/minute, b.Granted/minute, runs)
	case spent == 0 && runs > 0 && !b.Unmeasured:
		why = msg.New("pipeline.budget_unmeasured", runs)
	default:
		return false
	}
	t.st.Pause = &engine.Pause{Name: engine.BudgetCheckpoint, Text: textformat.Paragraphs(why, msg.New("pipeline.budget_options"))}
	t.dirty = true
	return true
}

// estimate says what pipelines of that effort and kind took, and what went wrong in those
// that are like the request.
func (s *Service) estimate(effort request.Effort, kind, asked string) msg.Message {
	s.past.Lock()
	defer s.past.Unlock()
	past, err := s.history()
	if p := problem.Of(err); p != nil {
		return p.Message
	}
	if err != nil {
		s.o.Log.Warn("the history cannot be read", "err", err)
		return msg.Message{}
	}
	e, of := past.Estimate(string(effort), kind), msg.New("pipeline.estimate_kind", kind)
	if !e.Enough {
		e, of = past.Estimate(string(effort), ""), msg.Literal("")
	}
	if !e.Enough {
		return msg.New("pipeline.estimate_none", effort, e.Completed, pastruns.LeastRuns)
	}
	said := msg.New("pipeline.estimate", e.Completed, effort, of, e.Calls.Text(), e.Tokens.Text(), e.DurationMS.Minutes())
	var trouble []string
	for _, h := range past.Similar(question.Analyse(asked), pastruns.Told) {
		if what := h.Entry.Trouble(); what != "" {
			trouble = append(trouble, text.Clip(text.OneLine(h.Entry.SpecName+": "+what), 200))
		}
	}
	if len(trouble) > 0 {
		said = textformat.Sentences(said, msg.New("pipeline.estimate_trouble", strings.Join(trouble, "; ")))
	}
	return said
}
