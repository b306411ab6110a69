package session

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"codeintel/internal/platform/msg"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text/queryframe"
	"codeintel/internal/verify"
)

// An Answer is what the model is told after each call that moves or shows a
// session: where it stands, what to do, and what to send next. It is complete in
// itself, so a model that has lost its context can go on from any Answer.
type Answer struct {
	Success   bool   `json:"success"`
	SessionID string `json:"session_id,omitempty"`
	Phase     string `json:"phase,omitempty"`
	Step      int    `json:"step,omitempty"`

	// The end.
	SessionComplete     bool    `json:"session_complete,omitempty"`
	ExplorationComplete bool    `json:"exploration_complete,omitempty"`
	Outcome             Outcome `json:"outcome,omitempty"`
	Report              *Report `json:"report,omitempty"`

	// The phase within its step, and what is to be heeded.
	ReadyStep string        `json:"ready_step,omitempty" jsonschema:"plan, implement or complete, within READY"`
	Warnings  []msg.Message `json:"warnings,omitempty"`

	// What decided the way here.
	Overridden bool        `json:"overridden,omitempty" jsonschema:"the server went to this phase although the payload said it was not needed"`
	Reason     msg.Message `json:"reason,omitzero"`
	Returned   msg.Message `json:"returned,omitzero" jsonschema:"why the session came back to this phase"`
	Evaluation *Evaluation `json:"evaluation,omitempty"`

	// What the phase works on.
	Instruction      msg.Message        `json:"instruction,omitzero"`
	ProjectRules     string             `json:"project_rules,omitempty"`
	MandatoryRules   []Rule             `json:"mandatory_rules,omitempty"`
	Risk             queryframe.Risk    `json:"risk,omitempty"`
	NextTask         *Task              `json:"next_task,omitempty"`
	Tasks            []TaskLine         `json:"tasks,omitempty"`
	MustVerify       []string           `json:"must_verify,omitempty"`
	Verifiers        []VerifierLine     `json:"verifiers,omitempty"`
	Checks           *Checks            `json:"verification,omitempty"`
	Interventions    []Prompt           `json:"interventions,omitempty"`
	UserEscalation   msg.Message        `json:"user_escalation,omitzero"`
	StaleBranches    []taskbranch.Stale `json:"stale_branches,omitempty"`
	DocsPath         []string           `json:"docs_path,omitempty"`
	TaskBranch       string             `json:"task_branch,omitempty"`
	Commit           string             `json:"commit,omitempty"`
	PhaseSummaries   map[string]string  `json:"phase_summaries,omitempty"`
	Intent           Intent             `json:"intent,omitempty"`
	Query            string             `json:"query,omitempty" jsonschema:"the user's request, word for word; with phase_summaries only"`
	ExpectedPayload  map[string]string  `json:"expected_payload,omitempty"`
	PayloadSchema    any                `json:"payload_schema,omitempty"`
	Call             string             `json:"call,omitempty"`
	CompactionCount  int                `json:"compaction_count"`
	EnforcementLevel string             `json:"enforcement_level,omitempty"`

	// An earlier session that can go on.
	Recovery *Recovery `json:"recovery_available,omitempty"`

	Printer msg.Printer `json:"-"` // of the text form
}

// A TaskLine is a task in one line.
type TaskLine struct {
	ID           string `json:"id"`
	Description  string `json:"description"`
	Status       Status `json:"status"`
	FailureCount int    `json:"failure_count,omitempty"`
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

// A Prompt is a file of the project that instructs the model.
type Prompt struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Recovery describes an interrupted session.
type Recovery struct {
	SessionID string `json:"session_id"`
	Phase     string `json:"phase"`
	Query     string `json:"query"`
	Age       string `json:"age"`
}

// A Report is what a finished session leaves for the user.
type Report struct {
	Summary     msg.Message       `json:"summary"`
	Files       []string          `json:"files,omitempty"`
	Tasks       []Task            `json:"tasks,omitempty"`
	Findings    []string          `json:"findings,omitempty"`
	Impact      []FileImpact      `json:"impact,omitempty"`
	Verified    msg.Message       `json:"verified,omitzero" jsonschema:"how the change was verified, and by whom"`
	Commands    []verify.Result   `json:"commands,omitempty" jsonschema:"commands of verifiers: their results, or why they were not run"`
	TaskBranch  string            `json:"task_branch,omitempty" jsonschema:"the branch, if it still exists"`
	Commits     []string          `json:"commits,omitempty"`
	Merged      string            `json:"merged,omitempty" jsonschema:"the merge commit"`
	Options     msg.Message       `json:"options,omitzero" jsonschema:"the options of the session, and who chose them"`
	Decisions   []Decision        `json:"decisions,omitempty" jsonschema:"what the user decided, and how the server knows"`
	Agreement   string            `json:"agreement,omitempty" jsonschema:"the file that records what was learned"`
	Warnings    []msg.Message     `json:"warnings,omitempty"`
	GoOn        []msg.Message     `json:"go_on,omitempty" jsonschema:"how the work can continue"`
	Phases      map[string]string `json:"phases,omitempty"`
	Enforcement string            `json:"enforcement,omitempty"`
}

// Text gives the answer as a person would read it; it says what the fields say.
func (a *Answer) Text() string {
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line := func(key string, args ...any) { write("%s", a.Printer.Say(key, args...)) }
	list := func(title string, items []string) {
		if len(items) > 0 {
			write("%s:", a.Printer.Say(title))
			for _, i := range items {
				write("  - %s", i)
			}
		}
	}
	switch {
	case a.SessionComplete:
		line("session.session_complete", a.SessionID, a.Outcome)
	case a.Phase != "":
		line("session.session_step_d", a.SessionID, a.Step, a.Phase, prefixed(" ", a.ReadyStep))
	}
	if a.Recovery != nil {
		line("session.interrupted_session_ago", a.Recovery.SessionID, a.Recovery.Phase, a.Recovery.Age, a.Recovery.Query)
	}
	if a.Query != "" {
		line("session.the_request", a.Intent, a.Query)
	}
	list("session.warnings", a.Printer.Texts(a.Warnings))
	if !a.Reason.IsZero() {
		line("session.reason", a.Reason)
	}
	if !a.Returned.IsZero() {
		line("session.returned", a.Returned)
	}
	if !a.Instruction.IsZero() {
		write("\n%s", a.Printer.Text(a.Instruction))
	}
	if a.NextTask != nil {
		line("session.next_task", a.NextTask.ID, a.NextTask.Description)
		for _, i := range a.NextTask.Checklist {
			write("  - %s [%s]", i.Item, i.Status)
		}
	}
	list("session.must_verify", a.MustVerify)
	for _, v := range a.Verifiers {
		by := msg.Message{}
		if !v.RunBy.IsZero() {
			by = msg.Join("", msg.New("session.run_by"), v.RunBy)
		}
		line("session.verifier", v.Name, v.Files, prefixed(": ", strings.Join(v.Command, " ")), by)
	}
	if a.Checks != nil {
		for _, r := range a.Checks.Results {
			write("%s%s", a.Printer.Text(r.Said()), prefixed("\n", r.Tail))
		}
		list("session.still_running", a.Checks.Running)
	}
	for _, s := range a.StaleBranches {
		line("session.stale_branch", s.Name)
	}
	for _, r := range a.MandatoryRules {
		line("session.rule", r.Rule, r.Source)
	}
	if a.ProjectRules != "" {
		line("session.project_rules", a.ProjectRules)
	}
	if len(a.ExpectedPayload) > 0 {
		payload, _ := json.MarshalIndent(a.ExpectedPayload, "", "  ") // strings marshal
		write("\n%s(data=%s)", a.Call, payload)
	}
	if a.Report != nil {
		report, _ := json.MarshalIndent(a.Report, "", "  ") // strings marshal
		write("%s", report)
	}
	return strings.TrimSpace(b.String())
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// schemaOf returns the JSON Schema of a payload.
func schemaOf[P any]() (json.RawMessage, error) {
	schema, err := jsonschema.For[P](&jsonschema.ForOptions{TypeSchemas: payloadSchemas})
	if err != nil {
		return nil, err
	}
	return json.Marshal(schema)
}
