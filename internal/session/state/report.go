package state

import (
	"slices"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/platform/msg"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/phase"
)

// A Report is what a finished session leaves for the user.
type Report struct {
	Summary     msg.Message       `json:"summary"`
	Files       []string          `json:"files,omitempty"`
	Tasks       []Task            `json:"tasks,omitempty"`
	Skipped     []msg.Message     `json:"skipped,omitempty" jsonschema:"what was planned and not done, and why"`
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
	Details     string            `json:"details,omitempty" jsonschema:"the resource that holds the report with tasks, impact and phases"`
}

// A Decision is what a person decided, and how the server knows.
type Decision struct {
	Phase    phase.ID         `json:"phase"`
	Choice   string           `json:"choice"`
	Guidance string           `json:"guidance,omitempty" jsonschema:"the person's own words"`
	Channel  approval.Channel `json:"channel" jsonschema:"confirmed: the user allowed the model's call; elicited: the server asked; terminal: code-intel approve; dashboard: its page; relayed: the model says so"`
	At       time.Time        `json:"at"`
	Gate     string           `json:"gate,omitempty"` // nonce of the gate that it opened; not in reports
}

// An OpenGate is a decision of a person's that the session waits for. Each has a nonce
// of its own, so that a decision counts for one gate and for no later one.
type OpenGate struct {
	Nonce  string    `json:"nonce"`
	Phase  phase.ID  `json:"phase"`
	Opened time.Time `json:"opened"`
	Own    []string  `json:"own,omitempty"` // choices that only the person makes, whatever channel the project accepts
}

// Optional reports whether the session goes on without an answer at the gate.
func (g *OpenGate) Optional() bool { return g != nil && g.Phase == Options }

// Waits reports whether the session waits for a person.
func (s *State) Waits() bool { return s.Gate != nil && !s.Gate.Optional() && s.Outcome == "" }

// Options is the gate at which a person may allow what the model chose and nobody
// typed. The session does not wait there: it goes on in its stronger form.
const Options phase.ID = "OPTIONS"

// Withheld is what the model chose for a session and the person did not: options that
// leave checks out, and an intent that ends without the change that was asked for.
type Withheld struct {
	Options []string `json:"options,omitempty"`
	Intent  Intent   `json:"intent,omitempty"`
}

// Words lists what was withheld.
func (h *Withheld) Words() string {
	all := h.Options
	if h.Intent != "" {
		all = append(slices.Clone(all), string(h.Intent))
	}
	return strings.Join(all, " ")
}

// A Lesson is the agreement of a session that completed: the file, and what it
// holds. It is kept with the state, so that after a crash the file is written as
// it was to be.
type Lesson struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// A MustRun is a verifier whose command the user trusted when the session began. What
// it verifies is fixed then: its file may change or vanish, and it must run all the
// same, or a person decides.
type MustRun struct {
	Name  string   `json:"name"`
	Globs []string `json:"globs,omitempty"`
}

// Unnoticed is a trusted command that passes on the code of the base, with the tests of the session.
type Unnoticed struct {
	Command []string `json:"command"`
	Tests   []string `json:"tests"` // test files of the session that it runs
}

// An Evaluation is the server's own judgement of an exploration. It blocks
// nothing; it decides whether Q1 may be answered with no.
type Evaluation struct {
	Confidence  string        `json:"confidence" jsonschema:"high or low"`
	Missing     []msg.Message `json:"missing,omitempty"`
	Symbols     int           `json:"symbols"`
	EntryPoints int           `json:"entry_points"`
	Files       int           `json:"files"`
	Patterns    int           `json:"patterns"`
}

// Low and High are how far an exploration can be trusted.
const (
	Low  = "low"
	High = "high"
)

// A VerifyResult is how the last verification ended.
type VerifyResult struct {
	Passed   bool               `json:"passed"`
	Details  string             `json:"details"`
	Rounds   int                `json:"rounds"`
	Commands []verify.Result    `json:"commands,omitempty"` // of the verifiers, whether run or skipped
	Tree     string             `json:"tree,omitempty"`     // the files that were verified
	Base     []verify.BaseTests `json:"base,omitempty"`     // what the tests of the base said of the new code
	// commands that pass without the change
	Unnoticed []Unnoticed   `json:"unnoticed,omitempty"`
	Unknown   []msg.Message `json:"unknown,omitempty"` // of other commands, why that cannot be told
	NotRun    []msg.Message `json:"not_run,omitempty"` // trusted verifiers that did not run, and why
}

// A Review is what review_changes has shown of the present change.
type Review struct {
	Fingerprint string `json:"fingerprint"` // of the change that was shown
	Pages       int    `json:"pages"`
	Delivered   []int  `json:"delivered"` // page numbers, from 0
}

// Whole reports whether every page was delivered.
func (r *Review) Whole() bool { return r != nil && len(r.Delivered) == r.Pages }
