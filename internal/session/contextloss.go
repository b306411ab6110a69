package session

import (
	"fmt"
	"maps"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/platform/i18n"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
)

// maxRecap is how much a client takes of what a hook tells its model, in
// characters; see [clients.Registry.Encode].
const maxRecap = 9500

// recalls reports whether a model has to be told where its session stands: it
// begins without knowing, or its context was made shorter and nothing has told it
// since. Not every client runs a hook once it has made it shorter.
func recalls(e clients.Event, entries []audit.Entry) bool {
	if e.Name == clients.SessionStart {
		return true
	}
	if e.Name != clients.Prompt {
		return false
	}
	for i := len(entries) - 1; i >= 0; i-- {
		switch o := entries[i]; {
		case o.Kind != audit.Event:
		case o.Detail["recap"] != "":
			return false
		case o.Name == string(clients.Compact):
			return true
		}
	}
	return false
}

// recap says where the session stands, as facts: an order that comes from a hook
// is taken for one that somebody slipped in.
func (s *Service) recap(st *State) string {
	c, _ := s.table.Contract(st.Phase)
	var b strings.Builder
	words := i18n.In(s.project.Config.Lang)
	line := func(format string, args ...any) { fmt.Fprintf(&b, words.Format(format)+"\n", args...) }
	line("A code-intel session is open in this project: %s, in %s. What the server answers holds; this is a copy of it.", st.ID, s.step(st.Phase))
	line("The request (%s): %s", st.Intent, text.Clip(st.Query, 1500))
	if b := st.Branch; b != nil {
		line("Task branch: %s", b.Name)
	}
	if st.Returned != "" {
		line("Returned: %s", text.Clip(st.Returned, 500))
	}
	for _, task := range st.Tasks {
		line("Task %s (%s): %s", task.ID, task.Status, text.Clip(task.Description, 300))
	}
	for _, r := range st.Rules {
		line("Rule: %s (%s)", text.Clip(r.Rule, 300), r.Source)
	}
	line("\nThe instruction of %s, for submit_phase:\n%s", s.wire(st.Phase), text.Clip(s.texts.instruction(st.Phase), 2500))
	var fields []string
	for name := range c.Payload {
		fields = append(fields, name)
	}
	if len(fields) > 0 {
		line("Fields of the payload: %s. get_session_status shows them in full (on the command line: code-intel session show %s).", strings.Join(distinct(fields, nil), ", "), st.ID)
	}
	if len(st.Summaries) > 0 {
		line("\nWhat came of the phases so far:")
	}
	for _, sum := range st.Summaries {
		b.WriteString("- " + s.wire(sum.ID) + ": " + text.Clip(sum.Text, 400) + "\n")
	}
	return text.Clip(strings.TrimSpace(b.String()), maxRecap)
}

// Told returns what the phase of an open session tells the agent to do, and the
// payload that ends it.
func (s *Service) Told(st *State) (instruction string, payload map[string]string) {
	c, _ := s.table.Contract(st.Phase)
	return s.texts.instruction(st.Phase), maps.Clone(c.Payload)
}

// mostStops is how often an agent is kept from stopping while nothing gets on.
const mostStops = 2

// stops decides whether the agent may end its turn. It is to go on while a phase is
// open, but for a phase that a person decides: there it has to ask. What works in
// the background will wake it, and who only talks beside the session is not held.
// Twice it is held; then it may go, and the person is told.
func (s *Service) stops(e clients.Event, st *State, entries []audit.Entry, entry *audit.Entry, h *workflow.HookResult) {
	if !h.Live || st.Gate != nil || e.Busy || beside(e, entries) {
		return
	}
	held := 0
	for i := len(entries) - 1; i >= 0; i-- {
		o := entries[i]
		if o.Kind == audit.Transition || o.Kind == audit.Tool && o.Name == "submit_phase" && o.Outcome == audit.OK {
			break
		}
		if o.Kind == audit.Event && o.Name == string(clients.Stop) && o.Outcome == audit.Blocked {
			held++
		}
	}
	if held >= mostStops {
		h.Note = fmt.Sprintf("The agent has stopped, and session %s is still in %s. code-intel session show %s says where it stands; code-intel session abandon %s ends it.", st.ID, s.step(st.Phase), st.ID, st.ID)
		return
	}
	h.Deny(fmt.Sprintf("Session %s is not over: it is in %s.", st.ID, s.step(st.Phase)),
		`Do what get_session_status says and submit_phase. To give up: submit_phase(data={"abort": true, "reason": …}). To ask the user something, say so and stop again.`)
	entry.Outcome = audit.Blocked
	entry.Detail["reason"] = h.Reason
}

// beside reports whether the event is of a conversation of which no call has reached
// the session, while calls of others have. Not every client tells so much of both.
func beside(e clients.Event, entries []audit.Entry) bool {
	known, calls := false, make(map[string]bool)
	for _, o := range entries {
		if o.Kind == audit.Tool && o.Detail["call"] != "" {
			calls[o.Detail["call"]] = true
		}
	}
	for _, o := range entries {
		if o.Kind == audit.Event && o.Name == before && calls[o.Detail["call"]] && o.Detail["conversation"] != "" {
			if o.Detail["conversation"] == e.Session {
				return false
			}
			known = true
		}
	}
	return known && e.Session != ""
}
