package router

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/frame"
	"codeintel/internal/project"
	"codeintel/internal/statefile"
)

// A Decision is what was decided about one question: an entry of the decision
// log. Fields of seed v1.0, DecisionLog.
type Decision struct {
	Query           string     `json:"query"`
	Timestamp       string     `json:"timestamp"` // RFC 3339, UTC
	Intent          string     `json:"intent"`
	RequiredPhases  []string   `json:"required_phases"`
	MissingSlots    []string   `json:"missing_slots"`
	RiskLevel       frame.Risk `json:"risk_level"`
	ToolsPlanned    []string   `json:"tools_planned"`
	NeedsBootstrap  bool       `json:"needs_bootstrap"`
	BootstrapReason string     `json:"bootstrap_reason,omitempty"`
	SessionID       string     `json:"session_id,omitempty"` // empty outside of a session
}

// A DecisionLog is .code-intel/logs/decisions.jsonl: one decision a line, appended.
// A full one becomes decisions.1.jsonl, in the place of the one before it, so that
// the log stays bounded.
type DecisionLog struct {
	dir  string
	full int64 // bytes
}

// fullLog is some thousands of decisions.
const fullLog = 2 << 20

// OpenLog returns the log of a project. It touches no file yet.
func OpenLog(p *project.Project) *DecisionLog {
	return &DecisionLog{dir: p.Path("logs"), full: fullLog}
}

// Record appends a decision. Several processes may record at once.
func (l *DecisionLog) Record(d Decision) error {
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	// The log is not for git, even where nothing was set up yet.
	ignore := filepath.Join(l.dir, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
			return fmt.Errorf("decision log: %w", err)
		}
	}
	unlock, err := statefile.Lock(filepath.Join(l.dir, "decisions.lock"))
	if err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	defer unlock()
	file := filepath.Join(l.dir, "decisions.jsonl")
	if info, err := os.Stat(file); err == nil && info.Size() >= l.full {
		if err := os.Rename(file, filepath.Join(l.dir, "decisions.1.jsonl")); err != nil {
			return fmt.Errorf("decision log: %w", err)
		}
	}
	if err := statefile.Append(file, d); err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	return nil
}
