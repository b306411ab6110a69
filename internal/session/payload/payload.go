// Package payload defines what a model submits in each phase, as it is sent. A submission is decoded into these
// structs before the handler of the phase sees it.
package payload

import (
	"encoding/json"

	"codeintel/internal/platform/lenientjson"
	"codeintel/internal/platform/msg"
	"codeintel/internal/session/state"
	"codeintel/internal/text/requestslots"
)

// A Payload is what a submission sends. It is parsed once, when the request is read,
// and carried from there; the phase's own struct is read from it.
type Payload struct{ Document lenientjson.Document }

// Parse parses a payload. What is wrong with it is reported by the phase.
func Parse(data []byte) Payload { return Payload{lenientjson.Parse(data)} }

// UnmarshalJSON parses the payload and never fails.
func (p *Payload) UnmarshalJSON(data []byte) error {
	*p = Parse(data)
	return nil
}

// Form says what a payload looks like.
func (Payload) Form() msg.Message { return msg.New("lenientjson.an_object") }

// A Control leaves a phase without ending it.
type Control struct {
	Abort  bool
	BackTo string // a phase
	Reason string
	Keep   bool // with backTo: what was explored stays
}

// Control returns what the payload asks for beside the phase; nil if it is for the
// phase to read.
func (p Payload) Control() *Control {
	c, o := Control{Keep: true}, p.Document.Object()
	if !member(o, "abort", &c.Abort) || !member(o, "back_to", &c.BackTo) || !member(o, "reason", &c.Reason) ||
		!member(o, "keep_results", &c.Keep) {
		return nil
	}
	if !c.Abort && c.BackTo == "" {
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

// Common is what nearly every payload carries.
type Common struct {
	Summary   string   `json:"summary"`              // the result of this phase, for a reader who has forgotten it
	ToolsUsed []string `json:"tools_used,omitempty"` // names of the code-intel tools called in this phase
}

// Lenient is common where tools and summary may be left out.
type Lenient struct {
	Summary   string   `json:"summary,omitempty"`
	ToolsUsed []string `json:"tools_used,omitempty"`
}

type Branch struct {
	Choice    string   `json:"choice"`             // delete, merge or continue, as the user decided
	Branches  []string `json:"branches,omitempty"` // the branches it applies to; default: all
	Summary   string   `json:"summary"`
	ToolsUsed []string `json:"tools_used,omitempty"`
}

type Research struct {
	Common
	DocumentsReviewed []string     `json:"documents_reviewed"`        // paths of the documents that were read
	MandatoryRules    []state.Rule `json:"mandatory_rules,omitempty"` // rules for this task, each with its place
}

type Frame struct {
	Common
	ActionType    string             `json:"action_type"`
	TargetSymbols []string           `json:"target_symbols"`
	Scope         string             `json:"scope"`
	Constraints   []string           `json:"constraints,omitempty"`
	Feature       *requestslots.Slot `json:"target_feature,omitempty"`
	Trigger       *requestslots.Slot `json:"trigger_condition,omitempty"`
	Issue         *requestslots.Slot `json:"observed_issue,omitempty"`
	Action        *requestslots.Slot `json:"desired_action,omitempty"`
}

type Exploration struct {
	Common
	ExploredFiles []string `json:"explored_files,omitempty"` // files whose lines a tool showed; default: all of them
	Findings      []string `json:"findings"`                 // what was found, each with its file:line
	Symbols       []string `json:"symbols_identified,omitempty"`
	EntryPoints   []string `json:"entry_points,omitempty"`
	Patterns      []string `json:"existing_patterns,omitempty"`
}

type Q1 struct {
	Lenient
	Needs      *bool  `json:"needs_more_information"`
	Reason     string `json:"reason"`                // at least 10 characters
	ReasonCode string `json:"reason_code,omitempty"` // no_definition_found, no_reference_found, no_similar_implementation, architecture_unknown or context_fragmented
}

type Semantic struct {
	Common
	SearchResults []string `json:"search_results"`       // the hits that matter, each with its file:line
	Hypotheses    []string `json:"hypotheses,omitempty"` // what you now assume and must verify
}

type Q2 struct {
	Lenient
	Has    *bool  `json:"has_unverified_hypotheses"`
	Reason string `json:"reason"` // at least 10 characters
}

type Verification struct {
	Common
	Verified []state.Verdict `json:"hypotheses_verified"`
}

type Q3 struct {
	Lenient
	Needs    *bool  `json:"needs_impact_analysis"`
	OnlyAdds bool   `json:"only_adds,omitempty"` // nothing that is there changes but by additions
	Reason   string `json:"reason"`              // at least 10 characters
}

type Impact struct {
	Common
	ImpactSummary ImpactSummary `json:"impact_summary"`
}

type ImpactSummary struct {
	Files []state.FileImpact `json:"files"` // an answer for every must_verify file
}

type Plan struct {
	Common
	Tasks []TaskPlan `json:"tasks"` // all tasks, in the order in which they will be done
}

// TaskPlan is a task as a plan may send it. Status and counters are accepted,
// because a re-plan lists finished tasks too, but the server's own stand.
type TaskPlan struct {
	ID           string        `json:"id"`
	Description  string        `json:"description"`
	Status       state.Status  `json:"status,omitempty"`
	Checklist    []PlannedItem `json:"checklist"`
	FailureCount int           `json:"failure_count,omitempty"`
	RevertReason string        `json:"revert_reason,omitempty"`
}

// A PlannedItem is an item as a plan sends it: its text alone, or {item, status}.
type PlannedItem struct {
	Item   string       `json:"item"`
	Status state.Status `json:"status,omitempty"`
}

// Form says what an item of a plan looks like.
func (PlannedItem) Form() msg.Message { return msg.New("session.form_of_planned_item") }

// UnmarshalJSON accepts a plain text.
func (i *PlannedItem) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &i.Item) == nil {
		return nil
	}
	type plain PlannedItem
	return json.Unmarshal(data, (*plain)(i))
}

// A ReportedItem is an item of a checklist as a report sends it. It is named by its
// number in the checklist, from 1, or by its text.
type ReportedItem struct {
	ID          ItemID       `json:"id,omitempty"`
	Item        string       `json:"item,omitempty"`
	Status      state.Status `json:"status,omitempty"`
	Evidence    string       `json:"evidence,omitempty"`
	Reason      string       `json:"reason,omitempty"`
	PreExisting bool         `json:"pre_existing,omitempty"`
}

type Implement struct {
	Common
	TaskID    string         `json:"task_id"`
	Checklist []ReportedItem `json:"checklist"` // the whole checklist of the task
}

type Complete struct {
	Summary string             `json:"summary,omitempty"`
	Impact  []state.FileImpact `json:"impact_changes,omitempty" jsonschema:"files that turned out otherwise than the impact analysis said, each with the status that holds and the reason"`
}

type Verify struct {
	Common
	Passed      *bool    `json:"passed,omitempty"`       // required where the server runs no command
	FailedTasks []string `json:"failed_tasks,omitempty"` // ids of the tasks at fault
	Details     string   `json:"details,omitempty"`      // what was run or looked at, and the result; required where the server runs no command
}

// Claims reports whether the payload says that the change has passed.
func (p Verify) Claims() bool { return p.Passed != nil && *p.Passed }

type Intervention struct {
	Common
	PromptUsed  string `json:"prompt_used"` // name of a file in .code-intel/interventions
	ActionTaken string `json:"action_taken"`
}

type Escalation struct {
	UserDecision string `json:"user_decision"`      // retry, accept or abort, as the user decided
	Guidance     string `json:"guidance,omitempty"` // the user's own words
}

type PreCommit struct {
	Common
	ReviewedFiles []ReviewedFile `json:"reviewed_files"` // every changed file
	CommitMessage string         `json:"commit_message"`
}

// A ReviewedFile is a path, which keeps the file, or {path, decision, reason}.
type ReviewedFile struct {
	Path     string `json:"path"`
	Decision string `json:"decision"` // keep or discard
	Reason   string `json:"reason,omitempty"`
}

// UnmarshalJSON accepts a plain path as a decision to keep it.
func (r *ReviewedFile) UnmarshalJSON(data []byte) error {
	var path string
	if json.Unmarshal(data, &path) == nil {
		*r = ReviewedFile{Path: path, Decision: "keep"}
		return nil
	}
	type plain ReviewedFile
	p := plain{Decision: "keep"}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*r = ReviewedFile(p)
	return nil
}

type Quality struct {
	Common
	QualityScore *int     `json:"quality_score"` // 0 to 100
	Issues       []string `json:"issues"`        // what must be fixed; empty if nothing
}

type Merge struct {
	Summary string `json:"summary"`
}

// An ItemID is the number of an item, which may come as a number or as a string.
type ItemID string

// Form says what the number of an item looks like.
func (ItemID) Form() msg.Message { return msg.New("session.form_of_item_id") }

// UnmarshalJSON accepts a number.
func (i *ItemID) UnmarshalJSON(data []byte) error {
	var n json.Number
	if err := json.Unmarshal(data, &n); err == nil {
		*i = ItemID(n)
		return nil
	}
	return json.Unmarshal(data, (*string)(i))
}

// OfPhase is the payload of a phase. SummaryAndTools returns its summary, the tools that it claims were used,
// and whether the summary is required.
type OfPhase interface {
	SummaryAndTools() (summary string, tools []string, required bool)
}

func (c Common) SummaryAndTools() (string, []string, bool) { return c.Summary, c.ToolsUsed, true }

func (l Lenient) SummaryAndTools() (string, []string, bool) { return l.Summary, l.ToolsUsed, false }

func (p Branch) SummaryAndTools() (string, []string, bool) { return p.Summary, p.ToolsUsed, true }

func (p Complete) SummaryAndTools() (string, []string, bool) { return p.Summary, nil, false }

func (p Merge) SummaryAndTools() (string, []string, bool) { return p.Summary, nil, true }

func (p Escalation) SummaryAndTools() (string, []string, bool) { return p.Guidance, nil, false }
