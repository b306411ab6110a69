package session

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"codeintel/internal/platform/i18n"
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
	ReadyStep string   `json:"ready_step,omitempty" jsonschema:"plan, implement or complete, within READY"`
	Warnings  []string `json:"warnings,omitempty"`

	// What decided the way here.
	Overridden bool        `json:"overridden,omitempty" jsonschema:"the server went to this phase although the payload said it was not needed"`
	Reason     string      `json:"reason,omitempty"`
	Returned   string      `json:"returned,omitempty" jsonschema:"why the session came back to this phase"`
	Evaluation *Evaluation `json:"evaluation,omitempty"`

	// What the phase works on.
	Instruction      string             `json:"instruction,omitempty"`
	ProjectRules     string             `json:"project_rules,omitempty"`
	MandatoryRules   []Rule             `json:"mandatory_rules,omitempty"`
	Risk             queryframe.Risk    `json:"risk,omitempty"`
	NextTask         *Task              `json:"next_task,omitempty"`
	Tasks            []TaskLine         `json:"tasks,omitempty"`
	MustVerify       []string           `json:"must_verify,omitempty"`
	Verifiers        []VerifierLine     `json:"verifiers,omitempty"`
	Checks           *Checks            `json:"verification,omitempty"`
	Interventions    []Prompt           `json:"interventions,omitempty"`
	UserEscalation   string             `json:"user_escalation,omitempty"`
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

	words *i18n.Catalog // of the text form
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
	Name    string   `json:"name"`
	Files   []string `json:"files"`
	Command []string `json:"command,omitempty"`
	RunBy   string   `json:"run_by,omitempty" jsonschema:"who runs the command"`
	Prompt  string   `json:"prompt,omitempty"`
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
	Summary     string            `json:"summary"`
	Files       []string          `json:"files,omitempty"`
	Tasks       []Task            `json:"tasks,omitempty"`
	Findings    []string          `json:"findings,omitempty"`
	Impact      []FileImpact      `json:"impact,omitempty"`
	Verified    string            `json:"verified,omitempty" jsonschema:"how the change was verified, and by whom"`
	Commands    []verify.Result   `json:"commands,omitempty" jsonschema:"commands of verifiers: their results, or why they were not run"`
	TaskBranch  string            `json:"task_branch,omitempty" jsonschema:"the branch, where it is still there"`
	Commits     []string          `json:"commits,omitempty"`
	Merged      string            `json:"merged,omitempty" jsonschema:"the merge commit"`
	Decisions   []Decision        `json:"decisions,omitempty" jsonschema:"what the user decided, and how the server knows"`
	Agreement   string            `json:"agreement,omitempty" jsonschema:"the file that notes what was learned"`
	Warnings    []string          `json:"warnings,omitempty"`
	GoOn        []string          `json:"go_on,omitempty" jsonschema:"how the work can go on"`
	Phases      map[string]string `json:"phases,omitempty"`
	Enforcement string            `json:"enforcement,omitempty"`
}

// Text gives the answer as a person would read it; it says what the fields say.
func (a *Answer) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, a.words.Format(format)+"\n", args...) }
	list := func(title string, items []string) {
		if len(items) > 0 {
			line("%s:", a.words.Format(title))
			for _, i := range items {
				line("  - %s", i)
			}
		}
	}
	switch {
	case a.SessionComplete:
		line("Session %s complete: %s", a.SessionID, a.Outcome)
	case a.Phase != "":
		line("Session %s, step %d: %s%s", a.SessionID, a.Step, a.Phase, prefixed(" ", a.ReadyStep))
	}
	if a.Recovery != nil {
		line("Interrupted session %s in %s (%s ago): %s", a.Recovery.SessionID, a.Recovery.Phase, a.Recovery.Age, a.Recovery.Query)
	}
	if a.Query != "" {
		line("The request (%s): %s", a.Intent, a.Query)
	}
	list("Warnings", a.Warnings)
	if a.Reason != "" {
		line("Reason: %s", a.Reason)
	}
	if a.Returned != "" {
		line("Returned: %s", a.Returned)
	}
	if a.Instruction != "" {
		line("\n%s", a.Instruction)
	}
	if a.NextTask != nil {
		line("\nNext task %s: %s", a.NextTask.ID, a.NextTask.Description)
		for _, i := range a.NextTask.Checklist {
			line("  - %s [%s]", i.Item, i.Status)
		}
	}
	list("Must verify", a.MustVerify)
	for _, v := range a.Verifiers {
		line("Verifier %s for %s%s%s", v.Name, strings.Join(v.Files, ", "), prefixed(": ", strings.Join(v.Command, " ")), prefixed(a.words.Format("; run by "), v.RunBy))
	}
	if a.Checks != nil {
		for _, r := range a.Checks.Results {
			line("%s%s", a.words.Text(r.Said()), prefixed("\n", r.Tail))
		}
		list("Still running", a.Checks.Running)
	}
	for _, s := range a.StaleBranches {
		line("Stale branch %s", s.Name)
	}
	for _, r := range a.MandatoryRules {
		line("Rule: %s (%s)", r.Rule, r.Source)
	}
	if a.ProjectRules != "" {
		line("\nProject rules:\n%s", a.ProjectRules)
	}
	if len(a.ExpectedPayload) > 0 {
		payload, _ := json.MarshalIndent(a.ExpectedPayload, "", "  ") // strings marshal
		line("\n%s(data=%s)", a.Call, payload)
	}
	if a.Report != nil {
		report, _ := json.MarshalIndent(a.Report, "", "  ") // strings marshal
		line("%s", report)
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
