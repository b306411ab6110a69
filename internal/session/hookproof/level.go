// Package hookproof determines from the ledger whether events really came from the client's hooks, and so how
// far the rules of a session are enforced by more than the model's own word: the enforcement levels L1 to L3.
package hookproof

import (
	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
)

// The levels of enforcement that a session can reach: what stands between a model
// and an illegal write. L0, instructions alone, is what a client without this
// server has.
const (
	AuditOnly  = "L1" // the server's own audit
	HooksSeen  = "L2" // and the client's hooks, which have been heard
	DenialSeen = "L3" // and one of them has denied a write, which was then not done
)

// Silence is how many calls of our tools in a row may come without any event
// before the hooks count as gone.
const Silence = 10

// Level reports from the ledger at which level the session is, and what is
// not as it should be with the hooks.
func Level(entries []audit.Entry) (level string, warning msg.Message) {
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
		if !isBelieved(e, calls) {
			if e.Detail[claims] != "" {
				doubted++
			}
			continue
		}
		heard, silent = true, 0
		kind, call := clients.Kind(e.Detail["kind"]), e.Detail["call"]
		switch {
		case kind != clients.Write && kind != clients.Shell && kind != clients.Foreign:
		case e.Name == string(clients.Before) && e.Outcome == audit.Blocked:
			denied = true
			open[call] = call != ""
		case e.Name == string(clients.After) && e.Outcome == audit.OK && open[call]:
			ignored = true
		}
	}
	switch {
	case !heard && doubted > 0:
		return AuditOnly, msg.New("session.events_not_proven", doubted)
	case !heard:
		return AuditOnly, warning
	case silent >= Silence:
		return AuditOnly, msg.New("session.hooks_not_heard_lately", silent)
	case ignored:
		return HooksSeen, msg.New("session.client_done_what_its_hook")
	case denied:
		return DenialSeen, warning
	}
	return HooksSeen, warning
}
