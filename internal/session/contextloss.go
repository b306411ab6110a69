package session

import (
	"maps"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
)

// maxRecap is how much a client takes of what a hook tells its model, in
// characters; see [clients.Registry.Encode].
const maxRecap = 9500

// needsReminder reports whether a model has to be told where its session is: its conversation
// has just begun, or its context was compacted and it has not been told since. Not every
// client runs a hook after compacting.
func needsReminder(e clients.Event, entries []audit.Entry) bool {
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

// reminder says where the session is. It states facts, because models take an instruction
// that comes from a hook for a prompt injection.
func (s *Service) reminder(st *state.State) string {
	c, _ := s.table.Contract(st.Phase)
	var b strings.Builder
	words := msg.In(s.project.Config.Lang)
	line := func(key string, args ...any) { b.WriteString(words.Say(key, args...) + "\n") }
	line("session.code_intel_session_open_project", st.ID, s.step(st.Phase))
	line("session.the_request", st.Intent, msg.Block(text.Clip(st.Query, 1500)))
	if b := st.Branch; b != nil {
		line("session.the_task_branch", b.Name)
	}
	if !st.Returned.IsZero() {
		line("session.returned", text.Clip(words.Text(st.Returned), 500))
	}
	for _, task := range st.Tasks {
		line("session.task", task.ID, task.Status, text.Clip(task.Description, 300))
	}
	for _, r := range st.Rules {
		line("session.rule", text.Clip(r.Rule, 300), r.Source)
	}
	line("session.phase_instruction", s.wire(st.Phase),
		msg.Block(text.Clip(s.texts.Of(st.Phase), 2500)), op.SubmitPhase)
	var fields []string
	for name := range c.Payload {
		fields = append(fields, name)
	}
	if len(fields) > 0 {
		line("session.fields_of_the_payload", text.Distinct(fields), st.ID, op.GetSessionStatus)
	}
	if len(st.Summaries) > 0 {
		line("session.what_came_phases_so_far")
	}
	for _, sum := range st.Summaries {
		b.WriteString("- " + s.wire(sum.ID) + ": " + text.Clip(sum.Text, 400) + "\n")
	}
	return text.Clip(strings.TrimSpace(b.String()), maxRecap)
}

// Instruction returns what the phase of an open session tells the agent to do, and the
// payload that ends it.
func (s *Service) Instruction(st *state.State) (instruction string, payload map[string]string) {
	c, _ := s.table.Contract(st.Phase)
	return s.texts.Of(st.Phase), maps.Clone(c.Payload)
}

// maxStops is how often an agent is kept from stopping without progress.
const maxStops = 2

// stops decides whether the agent may end its turn. It must continue while a phase is open,
// except in a phase that a person decides, where it has to ask. It may also stop while
// something runs in the background, which will wake it, and in a conversation that has nothing
// to do with the session. It is held [maxStops] times; then it may stop, and the person is told.
func (s *Service) stops(e clients.Event, st *state.State, entries []audit.Entry, entry *audit.Entry,
	h *workflow.HookResult) {
	if !h.Live || st.Waits() || e.Busy || isForeignConversation(e, entries) {
		return
	}
	held := 0
	for i := len(entries) - 1; i >= 0; i-- {
		o := entries[i]
		if o.Kind == audit.Transition || o.Kind == audit.Tool && o.Name == string(op.SubmitPhase) && o.Outcome == audit.OK {
			break
		}
		if o.Kind == audit.Event && o.Name == string(clients.Stop) && o.Outcome == audit.Blocked {
			held++
		}
	}
	if held >= maxStops {
		h.Note = msg.New("session.agent_stopped_session_still_code", st.ID, s.step(st.Phase), st.ID, st.ID)
		return
	}
	h.Deny(msg.New("session.session_not_over", st.ID, s.step(st.Phase)),
		msg.New("session.follow_what_status_says", op.GetSessionStatus, op.SubmitPhase, refusal.GiveUp()))
	entry.Outcome = audit.Blocked
	entry.Detail["reason"] = h.Reason.String()
}

// isForeignConversation reports whether the event is of a conversation of which no call has reached
// the session, while calls of others have. Not every client tells so much of both.
func isForeignConversation(e clients.Event, entries []audit.Entry) bool {
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
