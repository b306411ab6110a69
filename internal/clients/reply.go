package clients

import (
	"encoding/json"
	"strings"
)

// A Reply is what a hook answers its client. The zero Reply says nothing.
type Reply struct {
	Deny    string // why what is about to be done is not to be done; for Stop, why the agent is not to stop yet
	Context string // facts for the model
	Note    string // for the person who watches
}

// An Output is a Reply as a client reads it from a process.
type Output struct {
	Stdout []byte
	Stderr string
	Status int // exit status
}

// longest is how much text the clients take whole, in characters.
const longest = 10_000

// Encode puts a reply into the form of the event's client. Each denies in its own
// words, and each takes an answer that it does not understand for none: what a
// client cannot be told at that event is left out.
//
// The forms are those of the clients' documentation and of recorded runs: Claude
// Code 2.1, Codex 0.169 (which refuses any member that it does not know), Cursor,
// Copilot CLI, Gemini CLI; opencode is served by the plugin that install writes.
func Encode(e Event, r Reply) Output {
	r.Deny, r.Context, r.Note = cut(r.Deny), cut(r.Context), cut(r.Note)
	if r == (Reply{}) {
		return Output{}
	}
	switch e.Client {
	case Cursor:
		return cursor(e, r)
	case Copilot:
		return copilot(e, r)
	case Gemini:
		return gemini(e, r)
	case Opencode:
		return reply(object{}.with("deny", r.Deny).with("context", r.Context).with("note", r.Note))
	case Codex:
		return codex(e, r)
	}
	return claude(e, r)
}

func claude(e Event, r Reply) Output {
	o := object{}.with("systemMessage", r.Note)
	specific := object{}.with("additionalContext", r.Context)
	switch e.Name {
	case Before:
		if r.Deny == "" {
			break
		}
		// The status denies even if a later version no longer knows these words.
		specific["permissionDecision"], specific["permissionDecisionReason"] = "deny", r.Deny
		specific["hookEventName"] = e.Hook
		o["hookSpecificOutput"] = specific
		out := reply(o)
		out.Stderr, out.Status = r.Deny, 2
		return out
	case Stop, SubagentStop, Config:
		return reply(o.block(r.Deny))
	case Compact: // what is printed here goes into the instructions for the summary
		specific = object{}
	}
	return reply(o.specific(e, specific))
}

func codex(e Event, r Reply) Output {
	o := object{}
	specific := object{}.with("additionalContext", r.Context)
	switch e.Name {
	case Before:
		if r.Deny != "" {
			specific = object{"permissionDecision": "deny", "permissionDecisionReason": r.Deny}
		}
	case Stop, SubagentStop:
		return reply(o.with("systemMessage", r.Note).block(r.Deny))
	case Compact:
		specific = object{}
	}
	return reply(o.with("systemMessage", r.Note).specific(e, specific))
}

func cursor(e Event, r Reply) Output {
	switch e.Name {
	case Before:
		if r.Deny != "" {
			out := reply(object{"permission": "deny", "user_message": r.Deny, "agent_message": r.Deny})
			out.Status = 2
			return out
		}
	case Stop:
		return reply(object{}.with("followup_message", r.Deny))
	case SessionStart:
		return reply(object{}.with("additional_context", r.Context))
	}
	return Output{}
}

// copilot takes a denial from the output alone: the exit status warns.
func copilot(e Event, r Reply) Output {
	switch e.Name {
	case Before:
		if r.Deny != "" {
			return reply(object{"permissionDecision": "deny", "permissionDecisionReason": r.Deny})
		}
	case Stop, SubagentStop:
		return reply(object{}.block(r.Deny))
	case SessionStart:
		return reply(object{}.with("additionalContext", r.Context))
	}
	return Output{}
}

func gemini(e Event, r Reply) Output {
	o := object{}.with("systemMessage", r.Note)
	if r.Deny != "" && (e.Name == Before || e.Name == Stop) {
		o["decision"], o["reason"] = "deny", r.Deny
		return reply(o)
	}
	if e.Name == Before || e.Name == Stop || e.Name == Compact {
		return reply(o)
	}
	return reply(o.specific(e, object{}.with("additionalContext", r.Context)))
}

// with adds a member that is not empty.
func (o object) with(name, value string) object {
	if value != "" {
		o[name] = value
	}
	return o
}

// block adds the decision that keeps an agent going, or a change from being made.
func (o object) block(reason string) object {
	if reason != "" {
		o["decision"], o["reason"] = "block", reason
	}
	return o
}

// specific adds what belongs to the event alone.
func (o object) specific(e Event, members object) object {
	if len(members) > 0 {
		members["hookEventName"] = e.Hook
		o["hookSpecificOutput"] = map[string]any(members)
	}
	return o
}

func reply(o object) Output {
	if len(o) == 0 {
		return Output{}
	}
	data, err := json.Marshal(map[string]any(o))
	if err != nil { // strings and maps of strings marshal
		return Output{Stderr: err.Error(), Status: 2}
	}
	return Output{Stdout: append(data, '\n')}
}

// cut shortens a text to what the clients take whole.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest-1]) + "…"
}
