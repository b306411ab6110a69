package session

import (
	"encoding/json"

	"codeintel/internal/platform/lenientjson"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text/queryframe"
)

// A Payload is what a submission sends. It is parsed once, when the request is read,
// and carried from there; the phase's own struct is read from it.
type Payload struct{ document lenientjson.Document }

// ParsePayload parses a payload. What is wrong with it is reported by the phase.
func ParsePayload(data []byte) Payload { return Payload{lenientjson.Parse(data)} }

// UnmarshalJSON parses the payload and never fails.
func (p *Payload) UnmarshalJSON(data []byte) error {
	*p = ParsePayload(data)
	return nil
}

// Form says what a payload looks like.
func (Payload) Form() msg.Message { return msg.New("lenientjson.an_object") }

// A control leaves a phase without ending it.
type control struct {
	abort  bool
	backTo string // a phase
	reason string
	keep   bool // with backTo: what was explored stays
}

// control returns what the payload asks for beside the phase; nil if it is for the
// phase to read.
func (p Payload) control() *control {
	c, o := control{keep: true}, p.document.Object()
	if !member(o, "abort", &c.abort) || !member(o, "back_to", &c.backTo) || !member(o, "reason", &c.reason) ||
		!member(o, "keep_results", &c.keep) {
		return nil
	}
	if !c.abort && c.backTo == "" {
		return nil
	}
	return &c
}

// member reads a member of an object into v, and reports whether it has v's type or
// is not there.
func member[T any](o map[string]any, name string, v *T) bool {
	had := o[name]
	if had == nil {
		return true
	}
	t, ok := had.(T)
	if ok {
		*v = t
	}
	return ok
}

// common is what nearly every payload carries.
type common struct {
	Summary   string   `json:"summary" jsonschema:"the result of this phase, for a reader who has forgotten it"`
	ToolsUsed []string `json:"tools_used" jsonschema:"names of the code-intel tools called in this phase"`
}

// lenient is common where tools and summary may be left out.
type lenient struct {
	Summary   string   `json:"summary,omitempty"`
	ToolsUsed []string `json:"tools_used,omitempty"`
}

type branchPayload struct {
	Choice    string   `json:"choice" jsonschema:"delete, merge or continue, as the user decided"`
	Branches  []string `json:"branches,omitempty" jsonschema:"the branches it applies to; default: all"`
	Summary   string   `json:"summary"`
	ToolsUsed []string `json:"tools_used,omitempty"`
}

type researchPayload struct {
	common
	DocumentsReviewed []string `json:"documents_reviewed" jsonschema:"paths of the documents that were read"`
	MandatoryRules    []Rule   `json:"mandatory_rules,omitempty" jsonschema:"rules for this task, each with its place"`
}

type framePayload struct {
	common
	ActionType    string           `json:"action_type"`
	TargetSymbols []string         `json:"target_symbols"`
	Scope         string           `json:"scope"`
	Constraints   []string         `json:"constraints"`
	Feature       *queryframe.Slot `json:"target_feature,omitempty"`
	Trigger       *queryframe.Slot `json:"trigger_condition,omitempty"`
	Issue         *queryframe.Slot `json:"observed_issue,omitempty"`
	Action        *queryframe.Slot `json:"desired_action,omitempty"`
}

type explorationPayload struct {
	common
	ExploredFiles []string `json:"explored_files" jsonschema:"files whose lines a tool showed"`
	Findings      []string `json:"findings" jsonschema:"what was found, each with its file:line"`
	Symbols       []string `json:"symbols_identified,omitempty"`
	EntryPoints   []string `json:"entry_points,omitempty"`
	Patterns      []string `json:"existing_patterns,omitempty"`
}

type q1Payload struct {
	lenient
	Needs      *bool  `json:"needs_more_information"`
	Reason     string `json:"reason" jsonschema:"at least 10 characters"`
	ReasonCode string `json:"reason_code,omitempty" jsonschema:"no_definition_found, no_reference_found, no_similar_implementation, architecture_unknown or context_fragmented"`
}

type semanticPayload struct {
	common
	SearchResults []string `json:"search_results" jsonschema:"the hits that matter, each with its file:line"`
	Hypotheses    []string `json:"hypotheses,omitempty" jsonschema:"what you now assume and must verify"`
}

type q2Payload struct {
	lenient
	Has    *bool  `json:"has_unverified_hypotheses"`
	Reason string `json:"reason" jsonschema:"at least 10 characters"`
}

type verificationPayload struct {
	common
	Verified []Verdict `json:"hypotheses_verified"`
}

type q3Payload struct {
	lenient
	Needs  *bool  `json:"needs_impact_analysis"`
	Reason string `json:"reason" jsonschema:"at least 10 characters"`
}

type impactPayload struct {
	common
	ImpactSummary impactSummary `json:"impact_summary"`
}

type impactSummary struct {
	Files []FileImpact `json:"files" jsonschema:"an answer for every must_verify file"`
}

type planPayload struct {
	common
	Tasks []taskPlan `json:"tasks" jsonschema:"all tasks, in the order in which they will be done"`
}

// taskPlan is a task as a plan may send it. Status and counters are accepted,
// because a re-plan lists finished tasks too, but the server's own stand.
type taskPlan struct {
	ID           string `json:"id"`
	Description  string `json:"description"`
	Status       Status `json:"status,omitempty"`
	Checklist    []Item `json:"checklist"`
	FailureCount int    `json:"failure_count,omitempty"`
	RevertReason string `json:"revert_reason,omitempty"`
}

type implementPayload struct {
	common
	TaskID    string `json:"task_id"`
	Checklist []Item `json:"checklist" jsonschema:"the whole checklist of the task"`
}

type completePayload struct {
	Summary string       `json:"summary,omitempty"`
	Impact  []FileImpact `json:"impact_changes,omitempty" jsonschema:"files that turned out otherwise than the impact analysis said, each with the status that holds and the reason"`
}

type verifyPayload struct {
	common
	Passed      *bool    `json:"passed,omitempty" jsonschema:"required where the server runs no command"`
	FailedTasks []string `json:"failed_tasks,omitempty" jsonschema:"ids of the tasks at fault"`
	Details     string   `json:"details,omitempty" jsonschema:"what was run or looked at, and the result; required where the server runs no command"`
}

// claims reports whether the payload says that the change has passed.
func (p verifyPayload) claims() bool { return p.Passed != nil && *p.Passed }

type interventionPayload struct {
	common
	PromptUsed  string `json:"prompt_used" jsonschema:"name of a file in .code-intel/interventions"`
	ActionTaken string `json:"action_taken"`
}

type escalationPayload struct {
	UserDecision string `json:"user_decision" jsonschema:"retry, accept or abort, as the user decided"`
	Guidance     string `json:"guidance,omitempty" jsonschema:"the user's own words"`
}

type preCommitPayload struct {
	common
	ReviewedFiles []reviewedFile `json:"reviewed_files" jsonschema:"every changed file"`
	CommitMessage string         `json:"commit_message"`
}

// A reviewedFile is a path, which keeps the file, or {path, decision, reason}.
type reviewedFile struct {
	Path     string `json:"path"`
	Decision string `json:"decision" jsonschema:"keep or discard"`
	Reason   string `json:"reason,omitempty"`
}

// UnmarshalJSON accepts a plain path as a decision to keep it.
func (r *reviewedFile) UnmarshalJSON(data []byte) error {
	var path string
	if json.Unmarshal(data, &path) == nil {
		*r = reviewedFile{Path: path, Decision: "keep"}
		return nil
	}
	type plain reviewedFile
	p := plain{Decision: "keep"}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*r = reviewedFile(p)
	return nil
}

type qualityPayload struct {
	common
	QualityScore *int     `json:"quality_score" jsonschema:"0 to 100"`
	Issues       []string `json:"issues" jsonschema:"what must be fixed; empty if nothing"`
}

type mergePayload struct {
	Summary string `json:"summary"`
}
