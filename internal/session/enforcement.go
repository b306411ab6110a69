package session

import (
	"fmt"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// EnforcementTooLow is the code of a session that may not write yet.
const EnforcementTooLow problem.Code = "enforcement_too_low"

// The levels of enforcement that a session can reach: what stands between a model
// and an illegal write. L0, instructions alone, is what a client without this
// server has.
const (
	auditOnly  = "L1" // the server's own audit
	hooksSeen  = "L2" // and the client's hooks, which have been heard
	denialSeen = "L3" // and one of them has denied a write, which was then not done
)

// silence is how many calls of our tools in a row may come without any event
// before the hooks count as gone.
const silence = 10

// Enforcement tells from the ledger at which level the session is, and what is
// not as it should be with the hooks.
func Enforcement(entries []audit.Entry) (level, warning string) {
	heard, denied, ignored, silent := false, false, false, 0
	open := make(map[string]bool) // calls that were denied
	for _, e := range entries {
		switch e.Kind {
		case audit.Tool:
			silent++
			continue
		case audit.Event:
		default:
			continue
		}
		heard, silent = true, 0
		kind, call := clients.Kind(e.Detail["kind"]), e.Detail["call"]
		switch {
		case kind != clients.Write && kind != clients.Shell:
		case e.Name == before && e.Outcome == audit.Blocked:
			denied = true
			open[call] = call != ""
		case e.Name == after && e.Outcome == audit.OK && open[call]:
			ignored = true
		}
	}
	switch {
	case !heard:
		return auditOnly, ""
	case silent >= silence:
		return auditOnly, fmt.Sprintf("the client's hooks were heard before, but not in the last %d calls", silent)
	case ignored:
		return hooksSeen, "the client has done what its hook had denied: its denials do not hold"
	case denied:
		return denialSeen, ""
	}
	return hooksSeen, ""
}

// level returns the level of the session, and adds a warning to the answer if the
// hooks are not as they should be.
func (t *turn) level() string {
	entries, err := t.ledger.Since(0)
	if err != nil { // the next call that needs the ledger will say so
		return auditOnly
	}
	level, warning := Enforcement(entries)
	if warning != "" {
		t.warnings = distinct(append(t.warnings, warning), nil)
	}
	return level
}

// enforced refuses to open READY below the level that the project requires.
func (t *turn) enforced() error {
	entries, err := t.ledger.Since(0)
	if err != nil {
		return err
	}
	level, why := Enforcement(entries)
	need := max(t.s.project.Config.RequiredEnforcement, t.st.RequiredLevel)
	if level >= need { // L1 < L2 < L3
		return nil
	}
	if why == "" {
		why = "no hook of the client has been heard in this session"
		if level == hooksSeen {
			why = "no write has been denied by a hook yet, so it is not known that denials hold"
		}
	}
	next := []string{"Have the user install and trust the hooks of the client (code-intel doctor says what is there); then call any tool of the client, and submit again."}
	if level == hooksSeen {
		next = []string{"Try to write a file of the project with the client's own tool now: in this phase its hook must deny it. Then submit again."}
	}
	return problem.New(EnforcementTooLow, fmt.Sprintf("READY needs enforcement level %s, and the session is at %s: %s.", need, level, why)).OrSay(msg.Literals(
		append(next, "Or the user lowers required_enforcement in .code-intel/config.json and starts the server anew.",
			`Or give up: submit_phase(data={"abort": true, "reason": …}).`))...)
}
