package session

import (
	"slices"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/hookproof"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
)

// enforcementTooLow is the code of a session that may not write yet.
const enforcementTooLow problem.Code = "enforcement_too_low"

// level returns the level of the session, and adds a warning to the answer if the
// hooks are not as they should be.
func (t *turn) level() string {
	entries, err := t.Ledger.Since(0)
	if err != nil { // the next call that needs the ledger will say so
		return hookproof.AuditOnly
	}
	level, warning := hookproof.Level(entries)
	if !warning.IsZero() && !slices.ContainsFunc(t.Warnings, warning.Equal) {
		t.Warnings = append(t.Warnings, warning)
	}
	return level
}

// enforced refuses to open READY below the level that the project requires.
func (t *turn) enforced() error {
	entries, err := t.Ledger.Since(0)
	if err != nil {
		return err
	}
	level, why := hookproof.Level(entries)
	need := max(t.s.project.Config.RequiredEnforcement, t.State.RequiredLevel)
	if level >= need { // L1 < L2 < L3
		return nil
	}
	if why.IsZero() {
		why = msg.New("session.no_hook_client_been_heard")
		if level == hookproof.HooksSeen {
			why = msg.New("session.no_write_been_denied_hook")
		}
	}
	next := msg.New("session.user_install_trust_hooks_client")
	if level == hookproof.HooksSeen {
		next = msg.New("session.try_write_file_project_client")
	}
	return problem.New(enforcementTooLow, "session.ready_needs_enforcement_level_session", need, level, why).OrSay(next).
		Or("session.user_lowers_required_enforcement_code").
		Or("session.or_give_up", refusal.GiveUp())
}

// prove notes which events have turned out to be the client's since the last call.
func (t *turn) prove() error {
	entries, err := t.Ledger.Since(0)
	if err != nil {
		return err
	}
	found, err := hookproof.LookUp(entries)
	for _, e := range found {
		if _, err := t.Ledger.Append(e); err != nil {
			return err
		}
	}
	return err
}

// addProvenReads adds to the entries those of reads that have turned out to be the client's since
// the server was last called: a file that was just read may be written.
func addProvenReads(e clients.Event, st *state.State, entries []audit.Entry) ([]audit.Entry, error) {
	if st.Phase != phases.ReadyImplement || e.Kind != clients.Write && e.Kind != clients.Shell {
		return entries, nil
	}
	found, err := hookproof.LookUp(entries)
	return slices.Concat(entries, found), err
}
