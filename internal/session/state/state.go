// Package state defines what is saved of a session between two submissions: the tasks, what was found,
// verified and decided, and the report at its end. It is stored in a checkpoint, which is written as a whole,
// sealed with the key of the ledger, and can be read by every later version.
package state

import (
	"slices"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text/requestslots"
	"codeintel/internal/workflow/phase"
)

// An Intent is what kind of work the request asks for.
type Intent string

// The intents.
const (
	Implement   Intent = "IMPLEMENT"
	Modify      Intent = "MODIFY"
	Investigate Intent = "INVESTIGATE"
	Question    Intent = "QUESTION"
)

// ParseIntent reads an intent in any case.
func ParseIntent(s string) (Intent, error) {
	switch i := Intent(strings.ToUpper(strings.TrimSpace(s))); i {
	case Implement, Modify, Investigate, Question:
		return i, nil
	}
	return "", problem.New(problem.InvalidArgument, "session.intent", s).
		Or("session.send_implement_new_behaviour_modify")
}

// Explores reports whether the intent ends with what was found out.
func (i Intent) Explores() bool { return i == Investigate || i == Question }

// An Outcome is how a session ended.
type Outcome string

// The outcomes. The first three leave work behind; aborted keeps branch and state.
const (
	Completed             Outcome = "completed"
	CompletedWithWarnings Outcome = "completed_with_warnings"
	CompletedUnverified   Outcome = "completed_unverified"
	Aborted               Outcome = "aborted"
)

// A State is a session between two submissions, whole. It is what a checkpoint
// holds: .code-intel/sessions/<id>.json, written before each answer. Each struct in
// it is filled by the phases that its comment names, and empty before them; in JSON
// their fields lie flat beside each other.
type State struct {
	Schema   int               `json:"schema"`
	ID       string            `json:"session_id"`
	Started  time.Time         `json:"started"`
	Updated  time.Time         `json:"updated"`
	Intent   Intent            `json:"intent"`
	Query    string            `json:"query"`
	Flags    codecommand.Flags `json:"flags"`
	Typed    bool              `json:"typed,omitempty"`     // the person typed the request, or its options
	Withheld *Withheld         `json:"held_back,omitempty"` // what the model chose besides, without force until the person allows it

	Phase    phase.ID              `json:"phase"`
	Left     phase.ID              `json:"left,omitempty"` // the phase before it
	Counts   map[phase.Counter]int `json:"counts,omitempty"`
	Since    int64                 `json:"since"`             // the ledger's sequence number when the phase began
	Returned msg.Message           `json:"returned,omitzero"` // why the session went back to an earlier phase

	Record
	Terms
	Exploring
	TaskBranch
	Work
	Checking
	Deciding
	Telling

	Lesson  *Lesson     `json:"agreement,omitempty"` // what the session learned, once it completes
	Outcome Outcome     `json:"outcome,omitempty"`   // empty while the session goes on
	EndedIn phase.ID    `json:"ended_in,omitempty"`  // the last phase, once it is over
	Report  *Report     `json:"report,omitempty"`    // once it is over
	Reason  msg.Message `json:"reason,omitzero"`     // why it was aborted
}

// Record ties the checkpoint to the ledger: it is written with each of them.
type Record struct {
	LedgerSeq int64  `json:"ledger_seq"`  // the ledger's head when this was written
	LedgerMAC string `json:"ledger_head"` // and its chain value
	Saves     int64  `json:"saves"`       // how often this was written
}

// Terms are what held when the session began, and holds until its end.
type Terms struct {
	ProjectRules  string             `json:"project_rules,omitempty"` // summary
	Git           bool               `json:"git"`                     // false: a folder without git
	Base          string             `json:"base,omitempty"`          // what the whole change is measured against: the base commit
	Start         Mark               `json:"start,omitzero"`          // the files; what the session changed is measured against it
	GitSettings   *git.Settings      `json:"bearings,omitempty"`      // what git went by
	BeganEmpty    bool               `json:"began_empty,omitempty"`   // the project held no file
	Stale         []taskbranch.Stale `json:"stale,omitempty"`         // task branches left over
	HumanGate     approval.Channel   `json:"human_gate,omitempty"`    // the weakest channel that a person's decision may come by
	RequiredLevel string             `json:"required_enforcement,omitempty"`
	Verifiers     []MustRun          `json:"must_run,omitempty"` // what the user trusted when it began
}

// Exploring is filled from DOCUMENT_RESEARCH to IMPACT_ANALYSIS.
type Exploring struct {
	Rules        []Rule              `json:"mandatory_rules,omitempty"`
	Frame        *requestslots.Frame `json:"query_frame,omitempty"`
	ExploreSince int64               `json:"explore_since,omitempty"` // the ledger's sequence number when the exploration that counts began; 0: with the session
	Findings     []string            `json:"findings,omitempty"`
	Hypotheses   []string            `json:"hypotheses,omitempty"`
	Verified     []Verdict           `json:"verified,omitempty"`
	Evaluation   *Evaluation         `json:"evaluation,omitempty"`
	Impact       []FileImpact        `json:"impact,omitempty"`
	OnlyAdds     bool                `json:"only_adds,omitempty"`  // it was said that the change only adds
	AddedFiles   []string            `json:"added,omitempty"`      // files that add_explored_files took in
	Overridden   []string            `json:"overridden,omitempty"` // questions (Q1 to Q3) whose "no" the server did not accept
}

// TaskBranch is filled when READY begins the work; without git it stays empty.
type TaskBranch struct {
	Branch     *taskbranch.Task  `json:"branch,omitempty"`      // nil: no task branch
	Tip        string            `json:"tip,omitempty"`         // its last commit that is the server's
	LeftBehind map[string]string `json:"left_behind,omitempty"` // what it left in the tree when it was aborted: content hash by path
	Commits    []string          `json:"commits,omitempty"`     // of the server's, in order
	Foreign    []string          `json:"foreign,omitempty"`     // commits of others on the base that were named
}

// Work is filled in READY.
type Work struct {
	Tasks        []Task    `json:"tasks,omitempty"`         // in order of registration
	TaskStart    Mark      `json:"task_start,omitzero"`     // the files when the current task began
	Approved     []string  `json:"approved,omitempty"`      // files that check_write_target let through
	Unapproved   git.Names `json:"unapproved,omitempty"`    // changed without leave before Start was taken anew
	Conflicts    []string  `json:"conflicts,omitempty"`     // files in which base and task must be brought together
	ConflictTask string    `json:"conflict_task,omitempty"` // the task that does it
}

// Checking is filled from POST_IMPL_VERIFY to MERGE.
type Checking struct {
	Verify   *VerifyResult `json:"verify,omitempty"`
	Review   *Review       `json:"review,omitempty"`   // what review_changes has delivered
	Accepted bool          `json:"accepted,omitempty"` // the user accepted the work as it is

	// Implemented is the files when the implementation ended, or as verifying commands or
	// hooks left them: nothing is written after that.
	Implemented Mark `json:"implemented,omitzero"`
}

// Deciding is filled in the phases that a person decides.
type Deciding struct {
	Gate      *OpenGate  `json:"gate,omitempty"`      // what a person has to decide now
	Decisions []Decision `json:"decisions,omitempty"` // what people decided
	Guidance  string     `json:"guidance,omitempty"`  // the user's words at the last escalation
}

// Telling is what answers say besides where the session is.
type Telling struct {
	Summaries     []Summary     `json:"summaries,omitempty"`
	ShowSummaries bool          `json:"show_summaries,omitempty"` // the next answer carries them
	Compactions   int           `json:"compaction_count"`
	CompactSeen   int64         `json:"compact_seen,omitempty"` // how far the ledger was searched for compactions
	RefusedOnce   []string      `json:"refused_once,omitempty"` // what was refused and is now accepted
	Warnings      []msg.Message `json:"warnings,omitempty"`
}

// A Rule binds the task; Source is the place in a document that states it.
type Rule struct {
	Rule   string `json:"rule" jsonschema:"what must or must not be done"`
	Source string `json:"source" jsonschema:"file:line of the document that says so"`
}

// A Verdict is a hypothesis checked against the code.
type Verdict struct {
	Hypothesis string `json:"hypothesis"`
	Result     string `json:"result" jsonschema:"confirmed, rejected or inconclusive"`
	Evidence   string `json:"evidence" jsonschema:"file:line that shows it"`
}

// A FileImpact answers for one file that an impact analysis named.
type FileImpact struct {
	File   string `json:"file" jsonschema:"a file that must be verified; a glob if there are more than 30"`
	Status string `json:"status" jsonschema:"will_modify, no_change_needed or not_affected"`
	Reason string `json:"reason,omitempty" jsonschema:"why, unless will_modify"`
}

// A Summary is what a finished phase left for a model that has forgotten it.
type Summary struct {
	Step int      `json:"step"`
	ID   phase.ID `json:"phase"`
	Text string   `json:"text"`
}

// A Status of a task or a checklist item.
type Status string

// Statuses. A task is pending or completed; an item pending, done or skipped.
const (
	Pending       Status = "pending"
	Done          Status = "done"
	Skipped       Status = "skipped"
	TaskCompleted Status = "completed"
)

// A Task is one piece of the work, with what must be shown at its end.
type Task struct {
	ID           string   `json:"id"`
	Description  string   `json:"description"`
	Status       Status   `json:"status"`
	Checklist    []Item   `json:"checklist"`
	FailureCount int      `json:"failure_count,omitempty"`
	RevertReason string   `json:"revert_reason,omitempty"`
	Summary      string   `json:"summary,omitempty"`
	Files        []string `json:"files,omitempty"` // what it changed
	Round        int      `json:"round,omitempty"` // verifications so far when it was completed
}

// An Item is one line of a checklist.
type Item struct {
	Item        string `json:"item" jsonschema:"the item as it was registered"`
	Status      Status `json:"status,omitempty" jsonschema:"pending at planning; done or skipped in a report"`
	Evidence    string `json:"evidence,omitempty" jsonschema:"path:line or path:start-end of the change, when done"`
	Reason      string `json:"reason,omitempty" jsonschema:"at least 10 characters, when skipped or pre_existing"`
	PreExisting bool   `json:"pre_existing,omitempty" jsonschema:"the item was already true before the task began"`
}

// A Mark is the files of the project at one moment.
type Mark struct {
	Tree     string            `json:"tree,omitempty"`     // id of the git tree
	Manifest map[string]string `json:"manifest,omitempty"` // without git: content hash by path
}

// Next returns the first task that is not completed, or nil.
func (s *State) Next() *Task {
	for i := range s.Tasks {
		if s.Tasks[i].Status != TaskCompleted {
			return &s.Tasks[i]
		}
	}
	return nil
}

// Task returns the task with the id, or nil.
func (s *State) Task(id string) *Task {
	for i := range s.Tasks {
		if s.Tasks[i].ID == id {
			return &s.Tasks[i]
		}
	}
	return nil
}

// Rounds returns how many verifications there have been.
func (s *State) Rounds() int {
	if s.Verify == nil {
		return 0
	}
	return s.Verify.Rounds
}

// ExplorationOnly reports whether the session ends without a change.
func (s *State) ExplorationOnly() bool {
	return s.Flags.OnlyExplore || s.Intent.Explores() && !s.Flags.OnlyVerify
}

// Warn adds a warning that answers and the report carry: the message of key.
func (s *State) Warn(key string, args ...any) {
	w := msg.New(key, args...)
	if !slices.ContainsFunc(s.Warnings, w.Equal) {
		s.Warnings = append(s.Warnings, w)
	}
}

// Forget takes the warnings of key back.
func (s *State) Forget(key string) {
	s.Warnings = slices.DeleteFunc(s.Warnings, func(w msg.Message) bool { return w.Is(key) })
}
