package session

import (
	"slices"

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
func Enforcement(entries []audit.Entry) (level string, warning msg.Message) {
	heard, denied, ignored, silent := false, false, false, 0
	open := make(map[string]bool) // calls that were denied
	calls, doubted := provenCalls(entries), 0
	for _, e := range entries {
		switch e.Kind {
		case audit.Tool:
			silent++
			continue
		case audit.Event:
		default:
			continue
		}
		if !believed(e, calls) {
			if e.Detail[claims] != "" {
				doubted++
			}
			continue
		}
		heard, silent = true, 0
		kind, call := clients.Kind(e.Detail["kind"]), e.Detail["call"]
		switch {
		case kind != clients.Write && kind != clients.Shell && kind != clients.Foreign:
		case e.Name == before && e.Outcome == audit.Blocked:
			denied = true
			open[call] = call != ""
		case e.Name == after && e.Outcome == audit.OK && open[call]:
			ignored = true
		}
	}
	switch {
	case !heard && doubted > 0:
		return auditOnly, msg.New("session.events_not_proven", doubted)
	case !heard:
		return auditOnly, warning
	case silent >= silence:
		return auditOnly, msg.New("session.hooks_not_heard_lately", silent)
	case ignored:
		return hooksSeen, msg.New("session.client_done_what_its_hook")
	case denied:
		return denialSeen, warning
	}
	return hooksSeen, warning
}

// level returns the level of the session, and adds a warning to the answer if the
// hooks are not as they should be.
func (t *turn) level() string {
	entries, err := t.ledger.Since(0)
	if err != nil { // the next call that needs the ledger will say so
		return auditOnly
	}
	level, warning := Enforcement(entries)
	if !warning.IsZero() && !slices.ContainsFunc(t.Warnings, warning.Equal) {
		t.Warnings = append(t.Warnings, warning)
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
	if why.IsZero() {
		why = msg.New("session.no_hook_client_been_heard")
		if level == hooksSeen {
			why = msg.New("session.no_write_been_denied_hook")
		}
	}
	next := msg.New("session.user_install_trust_hooks_client")
	if level == hooksSeen {
		next = msg.New("session.try_write_file_project_client")
	}
	return problem.New(EnforcementTooLow, "session.ready_needs_enforcement_level_session", need, level, why).OrSay(next).
		Or("session.user_lowers_required_enforcement_code").
		Or("session.or_give_up", giveUp())
}
