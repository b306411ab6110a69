// Package answer defines the answers of a session's tools, as data and as text. The handlers of the phases
// fill them in, and the server of MCP sends them.
package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/hookproof"
	"codeintel/internal/session/instructions"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text/requestslots"
	"codeintel/internal/verify"
)

// An Answer is what the model is told after each call that moves or shows a
// session: where it is, what to do, and what to send next. It is complete in
// itself, so a model that has lost its context can go on from any Answer.
type Answer struct {
	Success   bool   `json:"success"`
	SessionID string `json:"session_id,omitempty"`
	Phase     string `json:"phase,omitempty"`
	Step      int    `json:"step,omitempty"`

	// The end.
	SessionComplete     bool          `json:"session_complete,omitempty"`
	ExplorationComplete bool          `json:"exploration_complete,omitempty"`
	Outcome             state.Outcome `json:"outcome,omitempty"`
	Report              *state.Report `json:"report,omitempty"`

	// The phase within its step, and what is to be heeded.
	ReadyStep string        `json:"ready_step,omitempty" jsonschema:"plan, implement or complete, within READY"`
	Warnings  []msg.Message `json:"warnings,omitempty"`

	// What decided the way here.
	Code       problem.Code      `json:"code,omitempty" jsonschema:"that of a refusal for the same reason: what was sent was not carried out"`
	Overridden bool              `json:"overridden,omitempty" jsonschema:"the server went to this phase although the payload said it was not needed"`
	Reason     msg.Message       `json:"reason,omitzero"`
	Returned   msg.Message       `json:"returned,omitzero" jsonschema:"why the session came back to this phase"`
	Evaluation *state.Evaluation `json:"evaluation,omitempty"`

	// What the phase works on.
	Instruction      msg.Message           `json:"instruction,omitzero"`
	ProjectRules     string                `json:"project_rules,omitempty"`
	MandatoryRules   []state.Rule          `json:"mandatory_rules,omitempty"`
	Risk             requestslots.Risk     `json:"risk,omitempty"`
	Rules            msg.Message           `json:"rules,omitzero" jsonschema:"that the rules of an earlier answer hold"`
	NextTask         *TaskAhead            `json:"next_task,omitempty"`
	Tasks            []TaskLine            `json:"tasks,omitempty"`
	MustVerify       []string              `json:"must_verify,omitempty"`
	Verifiers        []VerifierLine        `json:"verifiers,omitempty"`
	Checks           *Checks               `json:"verification,omitempty"`
	Interventions    []instructions.Prompt `json:"interventions,omitempty"`
	UserEscalation   msg.Message           `json:"user_escalation,omitzero"`
	StaleBranches    []taskbranch.Stale    `json:"stale_branches,omitempty"`
	DocsPath         []string              `json:"docs_path,omitempty"`
	TaskBranch       string                `json:"task_branch,omitempty"`
	Commit           string                `json:"commit,omitempty"`
	PhaseSummaries   map[string]string     `json:"phase_summaries,omitempty"`
	Intent           state.Intent          `json:"intent,omitempty"`
	Query            string                `json:"query,omitempty" jsonschema:"the user's request, word for word; with phase_summaries only"`
	ExpectedPayload  map[string]string     `json:"expected_payload,omitempty"`
	Then             []ThenLine            `json:"then,omitempty" jsonschema:"payloads that may come with this one, as then: [{phase, data}]"`
	Call             string                `json:"call,omitempty"`
	CompactionCount  int                   `json:"compaction_count"`
	EnforcementLevel string                `json:"enforcement_level,omitempty"`

	// An earlier session that can go on.
	Recovery *Recovery `json:"recovery_available,omitempty"`

	Printer msg.Printer `json:"-"` // of the text form
}

// A TaskLine is a task in one line.
type TaskLine struct {
	ID           string       `json:"id"`
	Description  string       `json:"description,omitempty"`
	Status       state.Status `json:"status"`
	FailureCount int          `json:"failure_count,omitempty"`
}

// A TaskAhead is the task to be done next. Its items are reported by their ids.
type TaskAhead struct {
	ID           string       `json:"id"`
	Description  string       `json:"description"`
	Status       state.Status `json:"status"`
	Checklist    []ItemLine   `json:"checklist"`
	FailureCount int          `json:"failure_count,omitempty"`
	RevertReason string       `json:"revert_reason,omitempty"`
}

// An ItemLine is an item of a checklist that is to be reported.
type ItemLine struct {
	ID   string `json:"id"`
	Item string `json:"item"`
}

// Ahead returns a task as answers show it; nil for nil.
func Ahead(k *state.Task) *TaskAhead {
	if k == nil {
		return nil
	}
	a := &TaskAhead{ID: k.ID, Description: k.Description, Status: k.Status, FailureCount: k.FailureCount,
		RevertReason: k.RevertReason}
	for i, item := range k.Checklist {
		a.Checklist = append(a.Checklist, ItemLine{strconv.Itoa(i + 1), item.Item})
	}
	return a
}

// A ThenLine is a phase whose payload may come in the same call, and the fields that
// it requires.
type ThenLine struct {
	Phase string            `json:"phase"`
	Data  map[string]string `json:"data"`
}

// A VerifierLine names a verifier and the changed files that it is for.
type VerifierLine struct {
	Name    string      `json:"name"`
	Files   []string    `json:"files"`
	Command []string    `json:"command,omitempty"`
	RunBy   msg.Message `json:"run_by,omitzero" jsonschema:"who runs the command"`
	Prompt  string      `json:"prompt,omitempty"`
}

// Checks say how the commands of verifiers stand.
type Checks struct {
	Results    []verify.Result `json:"results,omitempty"`
	Running    []string        `json:"running,omitempty" jsonschema:"commands that the server still runs"`
	RetryAfter int             `json:"retry_after_seconds,omitempty" jsonschema:"when to submit the same payload again"`
}

// A Recovery describes an interrupted session.
type Recovery struct {
	SessionID string `json:"session_id"`
	Phase     string `json:"phase"`
	Query     string `json:"query"`
	Age       string `json:"age"`
}

// Text gives the answer as a person would read it; it says what the fields say.
func (a *Answer) Text() string {
	w := &answerText{Printer: a.Printer}
	switch {
	case a.SessionComplete:
		w.line("session.session_complete", a.SessionID, a.Outcome)
	case a.Phase != "":
		w.line("session.session_step_d", a.SessionID, a.Step, a.Phase, prefixed(" ", a.ReadyStep))
	}
	if a.Recovery != nil {
		w.line("session.interrupted_session_ago", a.Recovery.SessionID, a.Recovery.Phase, a.Recovery.Age, a.Recovery.Query)
	}
	if a.Query != "" {
		w.line("session.the_request", a.Intent, msg.Block(a.Query))
	}
	w.list("session.warnings", a.Printer.Texts(a.Warnings))
	if a.Overridden {
		w.line("session.overridden", a.Reason)
	} else if !a.Reason.IsZero() {
		w.line("session.reason", msg.Join("", msg.Literal(suffixed(string(a.Code), ": ")), a.Reason))
	}
	if !a.Returned.IsZero() {
		w.line("session.returned", a.Returned)
	}
	w.writeTask(a)
	w.writeRules(a)
	if len(a.ExpectedPayload) > 0 {
		w.ask(a)
	}
	if a.Report != nil {
		fmt.Fprint(w, reportLines(a.Report))
	}
	return strings.TrimSpace(w.String())
}

// Brief is the report without what its reader has done and said itself: about ten
// lines. What an exploration has found is its result, and stays. A session that was
// abandoned has none.
func Brief(r *state.Report, explored bool) *state.Report {
	if r == nil {
		return nil
	}
	b := *r
	b.Phases, b.Tasks, b.Impact = nil, nil, nil
	if !explored {
		b.Findings = nil
	}
	for _, task := range r.Tasks {
		for _, item := range task.Checklist {
			switch {
			case item.Status == state.Skipped:
				b.Skipped = append(b.Skipped, msg.New("session.item_skipped_because", task.ID, item.Item, item.Reason))
			case item.PreExisting:
				b.Skipped = append(b.Skipped, msg.New("session.item_was_there_before", task.ID, item.Item, item.Reason))
			}
		}
	}
	return &b
}

// reportLines gives the report in words, a line for each field.
func reportLines(r *state.Report) string {
	data, _ := json.Marshal(r) // strings marshal
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return string(data)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := string(fields[name])
		var text string
		if json.Unmarshal(fields[name], &text) == nil {
			value = text
		}
		fmt.Fprintf(&b, "%s: %s\n", name, value)
	}
	return b.String()
}

// answerText writes an answer in words.
type answerText struct {
	strings.Builder
	msg.Printer
}

func (w *answerText) line(key string, args ...any) { fmt.Fprintln(w, w.Say(key, args...)) }

func (w *answerText) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", w.Say(title))
	for _, i := range items {
		fmt.Fprintf(w, "  - %s\n", i)
	}
}

// writeTask writes what is to be done, and on what.
func (w *answerText) writeTask(a *Answer) {
	if !a.Instruction.IsZero() {
		fmt.Fprintf(w, "\n%s\n", w.Printer.Text(a.Instruction))
	}
	w.list("session.documents_are_in", a.DocsPath)
	if e := a.Evaluation; e != nil {
		w.line("session.evaluation", e.Confidence, e.Symbols, e.EntryPoints, e.Files, e.Patterns)
		w.list("session.missing", w.Texts(e.Missing))
	}
	if t := a.NextTask; t != nil {
		w.line("session.next_task", t.ID, t.Description)
		for _, i := range t.Checklist {
			fmt.Fprintf(w, "  %s. %s\n", i.ID, i.Item)
		}
		if t.RevertReason != "" {
			w.line("session.task_was_reverted", t.RevertReason)
		}
	}
	var tasks []string
	for _, t := range a.Tasks {
		tasks = append(tasks, w.Say("session.task_line", t.ID, t.Status, t.FailureCount, prefixed(": ", t.Description)))
	}
	w.list("session.tasks", tasks)
	w.list("session.must_verify", a.MustVerify)
	for _, v := range a.Verifiers {
		by := msg.Message{}
		if !v.RunBy.IsZero() {
			by = msg.Join("", msg.New("session.run_by"), v.RunBy)
		}
		w.line("session.verifier", v.Name, v.Files, prefixed(": ", strings.Join(v.Command, " ")), by)
		if v.Prompt != "" {
			fmt.Fprintln(w, v.Prompt)
		}
	}
	if a.Checks != nil {
		for _, r := range a.Checks.Results {
			fmt.Fprintf(w, "%s%s\n", w.Printer.Text(r.Summary()), prefixed("\n  ", strings.ReplaceAll(r.Tail, "\n", "\n  ")))
		}
		w.list("session.still_running", a.Checks.Running)
		if a.Checks.RetryAfter > 0 {
			w.line("session.submit_again_in", a.Checks.RetryAfter)
		}
	}
	if len(a.Interventions) > 0 {
		fmt.Fprintf(w, "\n%s:\n", w.Say("session.interventions_in"))
	}
	for _, p := range a.Interventions {
		fmt.Fprintf(w, "\n%s:\n%s\n", p.Name, p.Text)
	}
	if !a.UserEscalation.IsZero() {
		w.line("session.for_the_user", a.UserEscalation)
	}
	for _, s := range a.StaleBranches {
		w.line("session.stale_branch", s.Name)
	}
}

// writeRules writes what holds for the work.
func (w *answerText) writeRules(a *Answer) {
	for _, r := range a.MandatoryRules {
		w.line("session.rule", r.Rule, r.Source)
	}
	if a.ProjectRules != "" {
		w.line("session.project_rules", msg.ListOf("\n", a.ProjectRules))
	}
	if !a.Rules.IsZero() {
		w.line("session.rules", a.Rules)
	}
	for _, f := range []struct{ key, value, meaning string }{
		{"session.the_risk", string(a.Risk), risks[a.Risk]},
		{"session.the_task_branch", a.TaskBranch, ""},
		{"session.the_commit", a.Commit, ""},
		{"session.the_enforcement", a.EnforcementLevel, levels[a.EnforcementLevel]},
	} {
		if f.meaning != "" {
			f.value += " (" + w.Say(f.meaning) + ")"
		}
		if f.value != "" {
			w.line(f.key, f.value)
		}
	}
	var done []string
	for _, key := range slices.Sorted(maps.Keys(a.PhaseSummaries)) {
		done = append(done, key+": "+a.PhaseSummaries[key])
	}
	w.list("session.finished_phases", done)
}

// What risks and levels mean.
var (
	risks = map[requestslots.Risk]string{
		requestslots.Low: "session.risk_low", requestslots.Medium: "session.risk_medium", requestslots.High: "session.risk_high",
	}
	levels = map[string]string{hookproof.AuditOnly: "session.level_1", hookproof.HooksSeen: "session.level_2", hookproof.DenialSeen: "session.level_3"}
)

// ask writes what is to be sent next.
func (w *answerText) ask(a *Answer) {
	payload, _ := json.Marshal(a.ExpectedPayload) // strings marshal
	then := ""
	if len(a.Then) > 0 {
		more, _ := json.Marshal(a.Then)
		then = ", then=" + string(more)
	}
	fmt.Fprintf(w, "\n%s(data=%s%s, compaction_count=%d)\n", a.Call, payload, then, a.CompactionCount)
}

func suffixed(s, suffix string) string {
	if s == "" {
		return ""
	}
	return s + suffix
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
