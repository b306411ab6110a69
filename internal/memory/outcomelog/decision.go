// Package outcomelog logs decisions and their results, so that later work can learn from them.
//
// There are two logs in .code-intel/logs: decisions.jsonl, what was planned for a request,
// and outcomes.jsonl, how a session ended and what its user said about the result later.
// Both are JSON Lines, appended under a short lock, rotated by size, and kept out of git.
// The package also tells a complaint about the last result from a new request, and counts
// what failures have in common.
//
// It knows nothing of the code and controls nothing: the caller decides what an outcome
// changes.
package outcomelog

import (
	"time"

	"codeintel/internal/platform/op"
	"codeintel/internal/project"
	"codeintel/internal/text/requestslots"
)

// A Decision is what was decided about one request or question. Fields of seed
// v1.0, DecisionLog.
type Decision struct {
	Query           string            `json:"query"`
	Timestamp       string            `json:"timestamp"` // RFC 3339, UTC
	Intent          string            `json:"intent"`
	RequiredPhases  []string          `json:"required_phases"`
	MissingSlots    []string          `json:"missing_slots"`
	RiskLevel       requestslots.Risk `json:"risk_level"`
	ToolsPlanned    []string          `json:"tools_planned"`
	NeedsBootstrap  bool              `json:"needs_bootstrap"`
	BootstrapReason string            `json:"bootstrap_reason,omitempty"`
	SessionID       string            `json:"session_id,omitempty"` // empty outside of a session
}

// A Result is how a session ended.
type Result string

// The results.
const (
	Success Result = "success"
	Partial Result = "partial"
	Failure Result = "failure"
)

// A Source says who recorded an outcome.
type Source string

// The sources.
const (
	SessionEnd  Source = "session_end"            // the server, as the session ended
	Recorded    Source = Source(op.RecordOutcome) // the tool
	NextRequest Source = "next_request"           // the server, because a new request complained
)

// An Outcome is how a session ended, as far as was known when it was recorded: of
// several, the last one counts. The first fields are those of OutcomeLog in seed v1.0;
// below them is what the session knew about itself.
type Outcome struct {
	SessionID      string         `json:"session_id,omitempty"` // empty: work without a session
	Timestamp      string         `json:"timestamp"`            // RFC 3339, UTC
	Outcome        Result         `json:"outcome"`
	Phase          string         `json:"phase_at_outcome,omitempty"`
	Intent         string         `json:"intent,omitempty"`
	DevragUsed     bool           `json:"devrag_used"` // the session searched by meaning
	Analysis       map[string]any `json:"analysis,omitempty"`
	TriggerMessage string         `json:"trigger_message,omitempty"`

	Source       Source            `json:"source"`
	SessionEnded string            `json:"session_outcome,omitempty"` // completed, …, aborted
	RiskLevel    requestslots.Risk `json:"risk_level,omitempty"`
	MissingSlots []string          `json:"missing_slots,omitempty"`  // of the frame; nil without a frame
	Overridden   []string          `json:"gate_overrides,omitempty"` // gates whose "no" the server did not accept
	HasFrame     bool              `json:"query_frame,omitempty"`    // so that none missing is told from none known
}

// Logs are the two logs of a project.
type Logs struct {
	Decisions *Log[Decision]
	Outcomes  *Log[Outcome]
}

// Open returns the logs of a project. It touches no file yet.
func Open(p *project.Project) *Logs {
	return &Logs{newLog[Decision](p.Path("logs"), "decisions"), newLog[Outcome](p.Path("logs"), "outcomes")}
}

// Stamp formats a time as in the logs.
func Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
