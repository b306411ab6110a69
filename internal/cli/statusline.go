package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/project"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/session/state"
	"codeintel/internal/workflow/phase"
)

// Bounds of what a status line reads: it is drawn again and again.
const (
	longestStatus = 1 << 20 // bytes of what the client says
	statusLedger  = 8 << 20 // bytes of a ledger that is read for the level of enforcement
)

func (a *app) statusline() *cobra.Command {
	return &cobra.Command{
		Use:   "statusline",
		Short: "Print one line about the session, for Claude Code's status line",
		Long: strings.TrimSpace(`
The command that Claude Code's status line runs: it reads the client's JSON from standard
input and prints one line: the phase, how many tasks are done, the enforcement level, and
whether your decision is needed. If no session is open, it prints nothing. "code-intel
install claude --statusline" sets it up.`),
		Example: "  echo '{\"cwd\": \".\"}' | code-intel statusline",
		Args:    checkArguments,
		RunE: func(*cobra.Command, []string) error {
			if line := a.statusOfSession(); line != "" {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
}

// statusOfSession is empty, too, if something cannot be read: a status line is no
// place for errors.
func (a *app) statusOfSession() string {
	p, err := project.Open(a.statusDir())
	if err != nil {
		return ""
	}
	open, err := savedsessions.Open(p)
	if err != nil {
		return ""
	}
	var shown *savedsessions.Record
	for _, r := range open {
		if r.State != nil && (r.Status == savedsessions.Live || r.Next && shown == nil) {
			shown = r
		}
	}
	if shown == nil {
		return ""
	}
	return statusText(shown)
}

// statusDir is the folder that the client works in.
func (a *app) statusDir() string {
	var said struct {
		Dir       string `json:"cwd"`
		Workspace struct {
			Project string `json:"project_dir"`
			Current string `json:"current_dir"`
		} `json:"workspace"`
	}
	if a.root == "" && !isTerminal(a.in) {
		if data, err := io.ReadAll(io.LimitReader(a.in, longestStatus)); err == nil {
			_ = json.Unmarshal(data, &said) // then it is the folder that the command was started in
		}
	}
	return a.dir(said.Workspace.Project, said.Workspace.Current, said.Dir)
}

func statusText(r *savedsessions.Record) string {
	st := r.State
	parts := []string{"code-intel " + phaseName(st.Phase)}
	if n := len(st.Tasks); n > 0 {
		done := 0
		for _, t := range st.Tasks {
			if t.Status == state.TaskCompleted {
				done++
			}
		}
		parts = append(parts, fmt.Sprintf("tasks %d/%d", done, n))
	}
	if r.LedgerBytes() <= statusLedger {
		if level, warning, err := r.Enforcement(); err == nil && level != "" {
			if !warning.IsZero() {
				level += "!"
			}
			parts = append(parts, level)
		}
	}
	switch {
	case st.Waits():
		parts = append(parts, "decide: code-intel approve")
	case r.Status != savedsessions.Live:
		parts = append(parts, "interrupted: /code --resume")
	}
	return strings.Join(parts, " · ")
}

// phaseName is a phase as the session's answers call it: "READY implement".
func phaseName(id phase.ID) string {
	table, err := phases.Load()
	if err != nil {
		return string(id)
	}
	c, ok := table.Contract(id)
	if !ok || c.Wire == "" {
		return string(id)
	}
	return strings.TrimSpace(c.Wire + " " + c.ReadyStep)
}
