package service

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
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
	proceed          Hint = "proceed"
	revisionRequired Hint = "revision_required"
	setupContinue    Hint = "setup_continue"
)

// A ReportAnswer is what became of a report.
type ReportAnswer struct {
	Updated  bool               `json:"state_updated"`
	Artifact string             `json:"artifact_written"`
	Verdict  string             `json:"verdict_parsed"`
	Findings []artifact.Finding `json:"findings"`
	Hint     Hint               `json:"next_action_hint"`
	Warning  msg.Message        `json:"warning"`
	Display  msg.Message        `json:"display_message"`
}

// Text is the answer as JSON, for clients that read only text.
func (a *ReportAnswer) Text() string { return jsonText(a) }

// ReportResult takes the report of the outstanding action.
func (s *Service) ReportResult(ctx context.Context, r ReportRequest) (*ReportAnswer, error) {
	t, done, err := s.begin(ctx, r.Workspace)
	if err != nil {
		return nil, err
	}
	defer done()
	k := t.st.Ticket
	if last := t.st.LastReport; last != nil && (r.Ticket != "" && r.Ticket == last.Ticket ||
		k == nil && r.Ticket == "" && string(last.Phase) == r.Phase) && !t.st.Over() {
		a := new(ReportAnswer)
		if err := json.Unmarshal(last.Answer, a); err == nil {
			a.Warning = textformat.Lines(a.Warning, msg.New("pipeline.reported_before"))
			return a, nil
		}
	}
	switch {
	case t.st.Over():
		return nil, problem.New(PipelineOver, "pipeline.pipeline_is_over", t.w.Path(), t.st.Status).
			Or("pipeline.initialize_a_new_one", op.PipelineInit)
	case k == nil && t.decidedElsewhere() != nil:
		return nil, problem.With(NoTicket, t.decidedElsewhereText(), msg.New("pipeline.ask_for_next_action", op.PipelineNextAction))
	case k == nil:
		return nil, problem.New(NoTicket, "pipeline.nothing_outstanding_so_nothing_report", t.w.Path()).
			Or("pipeline.ask_for_next_action", op.PipelineNextAction)
	case r.Phase != string(k.Phase):
		return nil, problem.New(PhaseMismatch, "pipeline.report_but_what_outstanding_ticket", r.Phase, k.ID, k.Type, k.Phase).
			Or("pipeline.do_report_phase", k.Phase).Or("pipeline.next_action_shows_it", op.PipelineNextAction)
	case r.Ticket != "" && r.Ticket != k.ID:
		return nil, problem.New(TicketMismatch, "pipeline.report_ticket_but_outstanding", r.Ticket, k.ID, k.Type, k.Phase).
			Or("pipeline.next_action_shows_it", op.PipelineNextAction)
	case k.Asks():
		return nil, problem.New(PhaseMismatch, "pipeline.ticket_person_asked_report_answers", k.ID, k.Type).
			Or("pipeline.show_user_send_answer_pipeline", op.PipelineNextAction)
	}
	a, err := t.report(ctx, report{tokens: number(r.Tokens), duration: number(r.DurationMS), model: r.Model,
		exit: r.ExitCode, output: r.Output})
	if err != nil {
		return nil, err
	}
	a.Warning = textformat.Lines(append([]msg.Message{a.Warning}, t.Warnings...)...)
	return a, t.save()
}

// A report is what the orchestrator says of the outstanding action.
type report struct {
	tokens, duration int
	model            string
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
	if k.Phase == engine.CodeReview || k.Phase == engine.FinalVerification { // the files of another branch say nothing
		if err := t.onBranch(ctx); err != nil {
			return nil, err
		}
	}
	a := &ReportAnswer{Findings: []artifact.Finding{}, Hint: revisionRequired}
	tokens, duration := t.st.Totals()
	switch {
	case k.Type == (engine.Exec{}).Kind():
		err = t.reportExec(ctx, k, r, a)
	case k.Type == (engine.WriteFile{}).Kind():
		err = t.reportFile(k, a)
	case k.Phase == engine.Implementation:
		err = t.reportTasks(ctx, k, r, a)
	case k.Phase == engine.CodeReview:
		err = t.reportReviews(ctx, k, r, a)
	default:
		err = t.reportPhase(ctx, k, r, a)
	}
	if err != nil {
		return nil, err
	}
	t.logRefused(k, r, tokens, duration)
	event := engine.EventReportRefused
	if a.Updated {
		event = engine.EventReported
		if err := t.recordArtifacts(strings.Split(a.Artifact, ", ")...); err != nil {
			return nil, err
		}
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("forge: %w", err)
		}
		t.st.LastReport = &engine.Reported{Ticket: k.ID, Phase: k.Phase, Answer: raw}
	}
	t.st.Note(engine.Entry{Event: event, Phase: k.Phase, Ticket: k.ID, By: self, Detail: map[string]string{
		"artifact": a.Artifact, "verdict": a.Verdict, "findings": fmt.Sprint(len(a.Findings)), "warning": a.Warning.String()}})
	t.dirty = true
	failpoint.Point("report " + string(k.Phase) + ": not saved")
	return a, nil
}

// recordArtifacts notes what files of the workspace say, for [turn.rewrittenArtifacts].
func (t *turn) recordArtifacts(names ...string) error {
	for _, name := range names {
		if name == "" {
			continue
		}
		sense, err := t.artifactSense(name)
		if err != nil {
			return err
		}
		if t.st.Recorded == nil {
			t.st.Recorded = make(map[string]string)
		}
		t.st.Recorded[name] = sense
	}
	return nil
}

// rewrittenArtifacts returns what agents have written and does not say any more what it
// said when it was taken: the pull request would show what nobody has approved. What the
// present phase writes is told by its report.
func (t *turn) rewrittenArtifacts() (files []string, err error) {
	w, _ := t.s.table.Contract(t.st.Phase)
	for name, was := range t.st.Recorded {
		if slices.Contains(w.Writes, name) {
			continue
		}
		if k := t.st.Ticket; k != nil {
			if _, writes := k.FilesBefore[name]; writes {
				continue
			}
		}
		now, err := t.artifactSense(name)
		if err != nil {
			return nil, err
		}
		if now != was {
			files = append(files, t.w.Path()+"/"+name)
		}
	}
	return files, nil
}

// attempts is how often an artifact may be there and not be accepted before a
// person is asked.
const attempts = 3

// refuse hands the phase out again with what was found. After too many attempts a
// person is asked.
func (t *turn) refuse(found []artifact.Finding, checkpoint string) {
	t.st.Ticket, t.st.CheckFindings = nil, found
	if t.st.Attempts++; t.st.Attempts > attempts {
		var d textformat.Text
		d.Say("pipeline.output_still_not_valid", t.st.Attempts, engine.Label(t.st.Phase))
		d.Quote("")
		for _, f := range found {
			d.Add(msg.Join("", "- **["+f.Severity+"]** ", f.Description))
		}
		t.st.Pause = &engine.Pause{Name: checkpoint, Text: d.Message()}
	}
}

// notDone records that the outstanding action was reported as done and is not. After
// several times a person is asked.
func (t *turn) notDone(a *ReportAnswer, why msg.Message, checkpoint string) {
	a.Warning = msg.New("pipeline.action_not_done", why)
	k := t.st.Ticket
	if k.Misses++; k.Misses <= attempts {
		return
	}
	options := msg.New("pipeline.guide_hands_out_again")
	if checkpoint == engine.UnchangedCheckpoint {
		options = msg.New("pipeline.guide_hands_out_again_or_approve")
	}
	t.st.Ticket, t.st.Pause = nil, &engine.Pause{
		Name: checkpoint,
		Text: textformat.Paragraphs(msg.New("pipeline.reported_as_done_and_is_not", k.Misses), msg.Join("", "- ", why), options),
	}
}

// logRefused logs what agents took whose reports were not taken: it counts like the rest. Before
// the report the log had so many tokens and milliseconds.
func (t *turn) logRefused(k engine.Ticket, r report, tokens, duration int) {
	withTokens, withDuration := t.st.Totals()
	r.tokens, r.duration = r.tokens-(withTokens-tokens), r.duration-(withDuration-duration)
	if t.st.Ticket == nil && k.Type == (engine.SpawnAgent{}).Kind() && (r.tokens > 0 || r.duration > 0) {
		t.log(k, strings.Join(k.Tasks, ", "), r, "")
	}
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
	t.st.Log(engine.PhaseRun{Phase: k.Phase, Task: task, Tokens: r.tokens, Duration: r.duration,
		Model: model, Verdict: verdict})
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
