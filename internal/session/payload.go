package session

import (
	"encoding/json"

	"codeintel/internal/platform/lenientjson"
	"codeintel/internal/platform/msg"
	"codeintel/internal/session/state"
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
	Summary   string   `json:"summary"`              // the result of this phase, for a reader who has forgotten it
	ToolsUsed []string `json:"tools_used,omitempty"` // names of the code-intel tools called in this phase
}

// lenient is common where tools and summary may be left out.
type lenient struct {
	Summary   string   `json:"summary,omitempty"`
	ToolsUsed []string `json:"tools_used,omitempty"`
}

type branchPayload struct {
	Choice    string   `json:"choice"`             // delete, merge or continue, as the user decided
	Branches  []string `json:"branches,omitempty"` // the branches it applies to; default: all
	Summary   string   `json:"summary"`
	ToolsUsed []string `json:"tools_used,omitempty"`
}

type researchPayload struct {
	common
	DocumentsReviewed []string     `json:"documents_reviewed"`        // paths of the documents that were read
	MandatoryRules    []state.Rule `json:"mandatory_rules,omitempty"` // rules for this task, each with its place
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
	ExploredFiles []string `json:"explored_files,omitempty"` // files whose lines a tool showed; default: all of them
	Findings      []string `json:"findings"`                 // what was found, each with its file:line
	Symbols       []string `json:"symbols_identified,omitempty"`
	EntryPoints   []string `json:"entry_points,omitempty"`
	Patterns      []string `json:"existing_patterns,omitempty"`
}

type q1Payload struct {
	lenient
	Needs      *bool  `json:"needs_more_information"`
	Reason     string `json:"reason"`                // at least 10 characters
	ReasonCode string `json:"reason_code,omitempty"` // no_definition_found, no_reference_found, no_similar_implementation, architecture_unknown or context_fragmented
}

type semanticPayload struct {
	common
	SearchResults []string `json:"search_results"`       // the hits that matter, each with its file:line
	Hypotheses    []string `json:"hypotheses,omitempty"` // what you now assume and must verify
}

type q2Payload struct {
	lenient
	Has    *bool  `json:"has_unverified_hypotheses"`
	Reason string `json:"reason"` // at least 10 characters
}

type verificationPayload struct {
	common
	Verified []state.Verdict `json:"hypotheses_verified"`
}

type q3Payload struct {
	lenient
	Needs    *bool  `json:"needs_impact_analysis"`
	OnlyAdds bool   `json:"only_adds,omitempty"` // nothing that is there changes but by additions
	Reason   string `json:"reason"`              // at least 10 characters
}

type impactPayload struct {
	common
	ImpactSummary impactSummary `json:"impact_summary"`
}

type impactSummary struct {
	Files []state.FileImpact `json:"files"` // an answer for every must_verify file
}

type planPayload struct {
	common
	Tasks []taskPlan `json:"tasks"` // all tasks, in the order in which they will be done
}

// taskPlan is a task as a plan may send it. Status and counters are accepted,
// because a re-plan lists finished tasks too, but the server's own stand.
type taskPlan struct {
	ID           string        `json:"id"`
	Description  string        `json:"description"`
	Status       state.Status  `json:"status,omitempty"`
	Checklist    []plannedItem `json:"checklist"`
	FailureCount int           `json:"failure_count,omitempty"`
	RevertReason string        `json:"revert_reason,omitempty"`
}

// A plannedItem is an item as a plan sends it: its text alone, or {item, status}.
type plannedItem struct {
	Item   string       `json:"item"`
	Status state.Status `json:"status,omitempty"`
}

// Form says what an item of a plan looks like.
func (plannedItem) Form() msg.Message { return msg.New("session.form_of_planned_item") }

// UnmarshalJSON accepts a plain text.
func (i *plannedItem) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &i.Item) == nil {
		return nil
	}
	type plain plannedItem
	return json.Unmarshal(data, (*plain)(i))
}

// A reportedItem is an item of a checklist as a report sends it. It is named by its
// number in the checklist, from 1, or by its text.
type reportedItem struct {
	ID          itemID       `json:"id,omitempty"`
	Item        string       `json:"item,omitempty"`
	Status      state.Status `json:"status,omitempty"`
	Evidence    string       `json:"evidence,omitempty"`
	Reason      string       `json:"reason,omitempty"`
	PreExisting bool         `json:"pre_existing,omitempty"`
}

type implementPayload struct {
	common
	TaskID    string         `json:"task_id"`
	Checklist []reportedItem `json:"checklist"` // the whole checklist of the task
}

type completePayload struct {
	Summary string             `json:"summary,omitempty"`
	Impact  []state.FileImpact `json:"impact_changes,omitempty" jsonschema:"files that turned out otherwise than the impact analysis said, each with the status that holds and the reason"`
}

type verifyPayload struct {
	common
	Passed      *bool    `json:"passed,omitempty"`       // required where the server runs no command
	FailedTasks []string `json:"failed_tasks,omitempty"` // ids of the tasks at fault
	Details     string   `json:"details,omitempty"`      // what was run or looked at, and the result; required where the server runs no command
}

// claims reports whether the payload says that the change has passed.
func (p verifyPayload) claims() bool { return p.Passed != nil && *p.Passed }

type interventionPayload struct {
	common
	PromptUsed  string `json:"prompt_used"` // name of a file in .code-intel/interventions
	ActionTaken string `json:"action_taken"`
}

type escalationPayload struct {
	UserDecision string `json:"user_decision"`      // retry, accept or abort, as the user decided
	Guidance     string `json:"guidance,omitempty"` // the user's own words
}

type preCommitPayload struct {
	common
	ReviewedFiles []reviewedFile `json:"reviewed_files"` // every changed file
	CommitMessage string         `json:"commit_message"`
}

// A reviewedFile is a path, which keeps the file, or {path, decision, reason}.
type reviewedFile struct {
	Path     string `json:"path"`
	Decision string `json:"decision"` // keep or discard
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
	QualityScore *int     `json:"quality_score"` // 0 to 100
	Issues       []string `json:"issues"`        // what must be fixed; empty if nothing
}

type mergePayload struct {
	Summary string `json:"summary"`
}

// An itemID is the number of an item, which may come as a number or as a string.
type itemID string

// Form says what the number of an item looks like.
func (itemID) Form() msg.Message { return msg.New("session.form_of_item_id") }

// UnmarshalJSON accepts a number.
func (i *itemID) UnmarshalJSON(data []byte) error {
	var n json.Number
	if err := json.Unmarshal(data, &n); err == nil {
		*i = itemID(n)
		return nil
	}
	return json.Unmarshal(data, (*string)(i))
}
