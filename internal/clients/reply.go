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

// Encode puts a reply into the form of the event's client; that of the first client
// if the event's is not known. Each client denies in its own words, and ignores an
// answer that it does not understand: what it cannot be told at an event is left out.
func (r Registry) Encode(e Event, reply Reply) Output {
	reply = Reply{cut(reply.Deny), cut(reply.Context), cut(reply.Note)}
	if reply == (Reply{}) {
		return Output{}
	}
	c := r.Find(e.Client)
	if c == nil || c.Hooks == nil {
		c = r[0]
	}
	return c.Hooks.Answer(e, reply)
}

// An Answer is the JSON object that a hook prints.
type Answer map[string]any

// With adds a member that is not empty.
func (o Answer) With(name, value string) Answer {
	if value != "" {
		o[name] = value
	}
	return o
}

// Block adds the decision that keeps an agent going, or a change from being made.
func (o Answer) Block(reason string) Answer {
	if reason != "" {
		o["decision"], o["reason"] = "block", reason
	}
	return o
}

// Specific adds what belongs to the event alone.
func (o Answer) Specific(e Event, members Answer) Answer {
	if len(members) > 0 {
		members["hookEventName"] = e.Hook
		o["hookSpecificOutput"] = map[string]any(members)
	}
	return o
}

// Output prints the answer; nothing if it is empty.
func (o Answer) Output() Output {
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
