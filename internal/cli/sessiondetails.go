package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// sessionDetails is one session, whole.
type sessionDetails struct {
	sessionLine
	Started   time.Time           `json:"started,omitzero"`
	Level     string              `json:"enforcement_level,omitempty"`
	Hooks     msg.Message         `json:"enforcement_warning,omitzero"`
	Reason    msg.Message         `json:"reason,omitzero"`
	Tasks     []state.Task        `json:"tasks,omitempty"`
	Summaries []state.Summary     `json:"summaries,omitempty"`
	Explored  []string            `json:"explored_files,omitempty"`
	Approved  []string            `json:"approved_files,omitempty"`
	Branch    *taskbranch.Task    `json:"branch,omitempty"`
	Commits   []string            `json:"commits,omitempty"`
	Verify    *state.VerifyResult `json:"verify,omitempty"`
	Waits     bool                `json:"waits_for_you,omitempty"`
	Decisions []state.Decision    `json:"decisions,omitempty"`
	Warnings  []msg.Message       `json:"warnings,omitempty"`
	Ledger    ledgerLine          `json:"ledger"`

	Instruction string            `json:"instruction,omitempty"` // of the phase, while the session is open
	Payload     map[string]string `json:"expected_payload,omitempty"`
}

type ledgerLine struct {
	Bytes   int64       `json:"bytes"`
	Entries int64       `json:"entries"`
	Whole   bool        `json:"whole"`
	Why     msg.Message `json:"why,omitzero"`
}

func newSessionDetails(r *savedsessions.Record) *sessionDetails {
	d := &sessionDetails{sessionLine: newSessionLine(r), Ledger: ledgerLine{Bytes: r.LedgerBytes()}}
	c, err := r.Verify()
	d.Ledger.Entries, d.Ledger.Whole, d.Ledger.Why = c.Entries, c.Whole, c.Why
	if err == nil {
		d.Explored, err = r.Explored()
	}
	if err == nil {
		d.Level, d.Hooks, err = r.Enforcement()
	}
	if err != nil { // what the checkpoint says can be shown all the same
		d.Ledger.Why = msg.Literal(err.Error())
	}
	if st := r.State; st != nil {
		d.Waits, d.Decisions = st.Waits(), st.Decisions
		d.Started, d.Reason, d.Tasks, d.Summaries = st.Started, st.Reason, st.Tasks, st.Summaries
		d.Approved, d.Branch, d.Commits, d.Verify, d.Warnings = st.Approved, st.Branch, st.Commits, st.Verify, st.Warnings
	}
	return d
}

// levels says what stood between the model and an illegal write.
var levels = map[string]string{
	"L1": "the server's own audit",
	"L2": "the server's own audit, and the client's hooks, which were heard",
	"L3": "the server's own audit, and the client's hooks, which have denied a write that was then not done",
}

// Text says what the fields say.
func (d *sessionDetails) Text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	list := func(name string, items []string) {
		for _, i := range items {
			line(name, "%s", i)
			name = ""
		}
	}
	where := string(d.Status)
	if d.Holder != "" {
		where += ", open in " + d.Holder
	}
	if d.Next {
		where += ", resumed next"
	}
	line("session", "%s, %s", d.ID, where)
	if d.Fault != "" {
		line("fault", "%s", d.Fault)
	}
	if d.Phase != "" {
		line("request", "%s: %s", d.Intent, text.OneLine(d.Query))
		line("time", "%s to %s", d.Started.Local().Format(time.DateTime), d.Updated.Local().Format(time.DateTime))
		line("phase", "%s", d.Phase)
	}
	if d.Outcome != "" {
		line("outcome", "%s %s", d.Outcome, d.Reason)
	}
	if d.Level != "" {
		line("enforced", "%s: %s", d.Level, levels[d.Level])
	}
	if !d.Hooks.IsZero() {
		line("", "%s", d.Hooks)
	}
	for _, t := range d.Tasks {
		line("task", "%s [%s] %s", t.ID, t.Status, t.Description)
		for _, i := range t.Checklist {
			line("", "  [%s] %s %s", i.Status, i.Item, i.Evidence+i.Reason)
		}
	}
	for _, s := range d.Summaries {
		line("summary", "%d %s: %s", s.Step, s.ID, s.Text)
	}
	list("explored", d.Explored)
	list("approved", d.Approved)
	if d.Branch != nil {
		line("branch", "%s, from %s at %s", d.Branch.Name, d.Branch.Base, d.Branch.BaseCommit)
		if d.Branch.Backup != "" {
			line("", "what the user had changed before is kept in %s", d.Branch.Backup)
		}
	}
	list("commit", d.Commits)
	if d.Verify != nil {
		line("verified", "passed: %t, in round %d: %s", d.Verify.Passed, d.Verify.Rounds, d.Verify.Details)
	}
	if d.Waits {
		line("waits", "for a decision of yours: code-intel approve %s", d.ID)
	}
	for _, c := range d.Decisions {
		line("decided", "%s in %s, %s %s", c.Choice, c.Phase, c.Channel, c.Guidance)
	}
	list("warning", msg.Texts(d.Warnings))
	state := "whole"
	if !d.Ledger.Whole {
		state = "cannot verify: " + d.Ledger.Why.String()
	}
	line("ledger", "%s, %d bytes, %s", entries(d.Ledger.Entries), d.Ledger.Bytes, state)
	if d.Instruction != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(d.Instruction))
	}
	if len(d.Payload) > 0 {
		payload, _ := json.MarshalIndent(d.Payload, "", "  ") // strings marshal
		fmt.Fprintf(&b, "\nsubmit_phase(data=%s)\n", payload)
	}
	return b.String()
}
