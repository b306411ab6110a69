package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/problem"
)

// A ReportRequest reports the outstanding action without asking for the next.
type ReportRequest struct {
	Workspace  string   `json:"workspace"`
	Phase      string   `json:"phase"`
	Tokens     *float64 `json:"tokens_used,omitempty"`
	DurationMS *float64 `json:"duration_ms,omitempty"`
	Model      string   `json:"model,omitempty"`
	SetupOnly  *bool    `json:"setup_only,omitempty"`
	ExitCode   *int     `json:"exit_code,omitempty"`
	Output     string   `json:"output,omitempty"`
	Ticket     string   `json:"ticket,omitempty"`
}

// A Hint says how the orchestrator goes on.
type Hint string

// The hints.
const (
	Proceed          Hint = "proceed"
	RevisionRequired Hint = "revision_required"
	SetupContinue    Hint = "setup_continue"
)

// A ReportAnswer is what became of a report.
type ReportAnswer struct {
	Updated  bool             `json:"state_updated"`
	Artifact string           `json:"artifact_written"`
	Verdict  string           `json:"verdict_parsed"`
	Findings []engine.Finding `json:"findings"`
	Hint     Hint             `json:"next_action_hint"`
	Warning  string           `json:"warning"`
	Display  string           `json:"display_message"`
}

// Text is the answer as JSON, for who reads only text.
func (a *ReportAnswer) Text() string {
	data, err := encode(a)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// ReportResult takes the report of the outstanding action.
func (s *Service) ReportResult(ctx context.Context, r ReportRequest) (*ReportAnswer, error) {
	t, done, err := s.begin(ctx, r.Workspace)
	if err != nil {
		return nil, err
	}
	defer done()
	k := t.st.Ticket
	if last := t.st.LastReport; last != nil && (r.Ticket != "" && r.Ticket == last.Ticket || k == nil && r.Ticket == "" && string(last.Phase) == r.Phase) && !t.st.Over() {
		a := new(ReportAnswer)
		if err := json.Unmarshal(last.Answer, a); err == nil {
			a.Warning = strings.TrimSpace(a.Warning + "\nThis was reported before; nothing was recorded twice.")
			return a, nil
		}
	}
	switch {
	case t.st.Over():
		return nil, problem.Newf(PipelineOver, "The pipeline of %s is %s.", t.w.Path(), t.st.Status).Or("Call pipeline_init for a new one.")
	case k == nil && t.decidedElsewhere() != nil:
		return nil, problem.Newf(NoTicket, "%s", t.decidedElsewhereText()).Or("Call pipeline_next_action.")
	case k == nil:
		return nil, problem.Newf(NoTicket, "Nothing is outstanding in %s, so there is nothing to report.", t.w.Path()).Or("Call pipeline_next_action.")
	case r.Phase != string(k.Phase):
		return nil, problem.Newf(PhaseMismatch, "The report is of %q, but what is outstanding is ticket %s: a %s of %s.", r.Phase, k.ID, k.Type, k.Phase).
			Or(fmt.Sprintf("Do that, and report phase=%q.", k.Phase)).Or("Call pipeline_next_action to see it again.")
	case r.Ticket != "" && r.Ticket != k.ID:
		return nil, problem.Newf(TicketMismatch, "The report is of ticket %s, but %s is outstanding: a %s of %s.", r.Ticket, k.ID, k.Type, k.Phase).
			Or("Call pipeline_next_action to see it again.")
	case k.Asks():
		return nil, problem.Newf(PhaseMismatch, "Ticket %s is a %s: a person is asked, and a report answers nothing.", k.ID, k.Type).
			Or("Show it to the user, and send the answer to pipeline_next_action as user_response.")
	}
	a, err := t.report(ctx, report{tokens: number(r.Tokens), duration: number(r.DurationMS), model: r.Model,
		setupOnly: r.SetupOnly != nil && *r.SetupOnly, exit: r.ExitCode, output: r.Output})
	if err != nil {
		return nil, err
	}
	a.Warning = strings.TrimSpace(strings.Join(append([]string{a.Warning}, t.warnings...), "\n"))
	return a, t.save()
}

// A report is what the orchestrator says of the outstanding action.
type report struct {
	tokens, duration int
	model            string
	setupOnly        bool
	exit             *int
	output           string
}

// report checks what was reported against the files and git. A report that does not
// hold changes nothing but the ticket.
func (t *turn) report(ctx context.Context, r report) (*ReportAnswer, error) {
	k := *t.st.Ticket
	self := "self_reported"
	run, err := t.s.agentRun(t.w, k)
	if err != nil {
		return nil, err
	}
	if run != nil {
		self = "client_events"
		if run.Tokens > 0 {
			r.tokens = run.Tokens
		}
		if run.Duration > 0 {
			r.duration = int(run.Duration.Milliseconds())
		}
		if run.Model != "" {
			r.model = run.Model
		}
	}
	a := &ReportAnswer{Findings: []engine.Finding{}, Hint: RevisionRequired}
	switch {
	case k.Type == (engine.Exec{}).Kind():
		err = t.reportExec(ctx, k, r, a)
	case k.Type == (engine.WriteFile{}).Kind():
		err = t.reportFile(k, a)
	case k.Phase == engine.Implementation:
		err = t.reportTasks(ctx, k, r, a)
	case k.Phase == engine.CodeReview:
		err = t.reportReviews(k, r, a)
	default:
		err = t.reportPhase(ctx, k, r, a)
	}
	if err != nil {
		return nil, err
	}
	event := engine.EventReportRefused
	if a.Updated {
		event = engine.EventReported
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("forge: %w", err)
		}
		t.st.LastReport = &engine.Reported{Ticket: k.ID, Phase: k.Phase, Answer: raw}
	}
	t.st.Note(engine.Entry{Event: event, Phase: k.Phase, Ticket: k.ID, By: self, Detail: map[string]string{
		"artifact": a.Artifact, "verdict": a.Verdict, "findings": fmt.Sprint(len(a.Findings)), "warning": a.Warning}})
	t.dirty = true
	failpoint.Point("report " + string(k.Phase) + ": not saved")
	return a, nil
}

// attempts is how often an artifact may be there and not be accepted before a
// person is asked.
const attempts = 3

// refuse hands the phase out again with what was found. After too many attempts a
// person is asked.
func (t *turn) refuse(found []engine.Finding, checkpoint string) {
	t.st.Ticket, t.st.CheckFindings = nil, found
	if t.st.Attempts++; t.st.Attempts > attempts {
		var b strings.Builder
		fmt.Fprintf(&b, "After %d attempts what %s wrote is still not as it must be:\n", t.st.Attempts, engine.Label(t.s.table, t.st.Phase))
		for _, f := range found {
			fmt.Fprintf(&b, "\n- **[%s]** %s", f.Severity, f.Description)
		}
		t.st.Pause = &engine.Pause{Name: checkpoint, Text: b.String()}
	}
}

// notDone records that the outstanding action was reported as done and is not. After
// several times a person is asked.
func (t *turn) notDone(a *ReportAnswer, why, checkpoint string) {
	a.Warning = strings.TrimSpace(why) + " The action is not done."
	k := t.st.Ticket
	if k.Misses++; k.Misses <= attempts {
		return
	}
	text := fmt.Sprintf("This was reported as done %d times, and is not:\n\n- %s\n\nguide hands it out again with what you say.", k.Misses, why)
	if checkpoint == engine.UnchangedCheckpoint {
		text += " approve takes what there is as it is."
	}
	t.st.Ticket, t.st.Pause = nil, &engine.Pause{Name: checkpoint, Text: text}
}

func (t *turn) log(k engine.Ticket, task string, r report, verdict string) {
	model := r.model
	if model == "" {
		var told struct {
			Model string `json:"model"`
		}
		_ = json.Unmarshal(k.Action, &told) // written by Encode
		model = told.Model
	}
	t.st.Log(engine.PhaseRun{Phase: k.Phase, Task: task, Tokens: r.tokens, Duration: r.duration, Model: model, Verdict: verdict})
}

// share is the part of a report's figures that falls to each of several agents.
func (r report) share(i, n int) report {
	part := func(whole int) int {
		p := whole / n
		if i == 0 {
			p += whole % n
		}
		return p
	}
	r.tokens, r.duration = part(r.tokens), part(r.duration)
	return r
}
