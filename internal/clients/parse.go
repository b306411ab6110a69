package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// largest is the largest payload that is read, in bytes.
const largest = 64 << 20

// A Payload is the JSON object that a hook is given. Most clients name its members
// as Claude Code does; [Hooks.Normalize] makes the others look like that.
type Payload struct {
	Hook   string // the event, as the client calls it
	Failed bool   // the call of the tool failed

	members map[string]json.RawMessage
	err     error // the first member that is not of the type it was read as
}

// Has reports whether a member is there and not empty.
func (p *Payload) Has(name string) bool {
	switch string(bytes.TrimSpace(p.members[name])) {
	case "", `""`, "null":
		return false
	}
	return true
}

// Text returns a member that is a string.
func (p *Payload) Text(name string) (s string) {
	p.read(name, &s)
	return s
}

// Flag returns a member that is true or false.
func (p *Payload) Flag(name string) (b bool) {
	p.read(name, &b)
	return b
}

// Object returns a member that is an object, or a string that holds one; nil if it
// is anything else.
func (p *Payload) Object(name string) (o Object) {
	p.read(name, &o)
	return o
}

// Value returns a member of any type; nil if it is missing.
func (p *Payload) Value(name string) (v any) {
	p.read(name, &v)
	return v
}

// Set gives a member another value.
func (p *Payload) Set(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.members[name] = data
}

// Default takes the value of another member for one that is missing or empty.
func (p *Payload) Default(name, other string) {
	if !p.Has(name) && p.Has(other) {
		p.members[name] = p.members[other]
	}
}

func (p *Payload) read(name string, into any) {
	data := p.members[name]
	if data == nil {
		return
	}
	if err := json.Unmarshal(data, into); err != nil && p.err == nil {
		p.err = fmt.Errorf("%s: %w", name, err)
	}
}

// An Object is a JSON object.
type Object map[string]any

// UnmarshalJSON takes an object, or a string that holds one. Anything else gives an
// empty Object.
func (o *Object) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(text)
	}
	var m map[string]any
	if json.Unmarshal(data, &m) == nil {
		*o = m
	}
	return nil
}

// text returns the first of the members that is a string and not empty.
func (o Object) text(names ...string) string {
	for _, n := range names {
		if s, ok := o[n].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// number returns a member that is a positive number, rounded down.
func (o Object) number(name string) int {
	if n, ok := o[name].(float64); ok && n > 0 && n < 1<<31 {
		return int(n)
	}
	return 0
}

// Parse reads the payload of a hook. as is the client that the hook was installed
// for, and hook the event it was installed on, for clients that do not say; a payload
// that surely is another client's is read as that client's. With an error the Event
// says what is known, and is taken for a write.
func (r Registry) Parse(as ID, hook string, data []byte) (Event, error) {
	known := r.tables()
	unread := Event{Client: as, Hook: hook, Name: known.events[strings.ToLower(hook)], Kind: Write}
	if unread.Name == Failed {
		unread.Name = After
	}
	if len(data) > largest {
		return unread, errors.New("the payload of the hook is too large")
	}
	p := &Payload{Hook: hook}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&p.members); err != nil {
		return unread, fmt.Errorf("the payload of the hook cannot be read: %w", err)
	}
	if p.members == nil { // the payload is null
		p.members = make(map[string]json.RawMessage)
	}
	if p.Has("hook_event_name") {
		p.Hook = p.Text("hook_event_name")
	}
	e := known.event(r.owner(p, as), p)
	if e.Client == "" {
		e.Client = as
	}
	if p.err != nil {
		return unread, fmt.Errorf("the payload of the hook cannot be read: %w", p.err)
	}
	return e, nil
}

func (r Registry) owner(p *Payload, as ID) *Client {
	for _, c := range r.WithHooks() {
		if c.Hooks.Owns != nil && c.Hooks.Owns(p) {
			return c
		}
	}
	if c := r.Find(as); c != nil && c.Hooks != nil {
		return c
	}
	return nil
}

// tables are the names of all clients together, in lower case.
type tables struct {
	events map[string]Name
	tools  map[string]Kind
}

func (r Registry) tables() tables {
	t := tables{make(map[string]Name), make(map[string]Kind)}
	for _, c := range r.WithHooks() {
		for hook, name := range c.Hooks.Events {
			t.events[hook] = name
		}
		for tool, kind := range c.Hooks.Tools {
			t.tools[tool] = kind
		}
	}
	return t
}

// event reads a payload in its client's spelling.
func (t tables) event(c *Client, p *Payload) Event {
	e := Event{Hook: p.Hook, Name: t.events[strings.ToLower(p.Hook)]}
	if c != nil {
		e.Client, e.Unproven = c.ID(), c.Hooks.Transcripts != ""
		if c.Hooks.Normalize != nil {
			c.Hooks.Normalize(p)
		}
	}
	e.Session, e.Agent, e.Dir, e.Call = p.Text("session_id"), p.Text("agent_id"), p.Text("cwd"), p.Text("tool_use_id")
	if e.Unproven {
		e.Transcript = p.Text("transcript_path")
	}
	switch e.Name {
	case Failed:
		e.Name, p.Failed = After, true
		t.tool(p, &e)
	case Before, After:
		t.tool(p, &e)
	case Prompt:
		readPrompt(p, &e)
	case Batch:
		e.Kind = t.batch(p)
	case Config:
		e.Source = p.Text("source")
		if file := p.Text("file_path"); file != "" {
			e.Files = []File{{Path: file}}
		}
	case Stop, SubagentStop:
		e.Text, e.Busy = p.Text("last_assistant_message"), p.length("background_tasks")+p.length("session_crons") > 0
	case Compact:
		e.Source = p.Text("trigger")
	case SessionStart:
		e.Source = p.Text("source")
	case "":
		e.Name = Other
	}
	return e
}

// length returns how many elements a member holds that is an array.
func (p *Payload) length(name string) int {
	var list []any
	p.read(name, &list)
	return len(list)
}

// readPrompt reads what was sent: a prompt, or a slash command that is expanded to one.
func readPrompt(p *Payload, e *Event) {
	e.Text = p.Text("prompt")
	switch p.Text("expansion_type") {
	case "slash_command":
		if e.Text == "" {
			e.Text = strings.TrimSpace("/" + p.Text("command_name") + " " + p.Text("command_args"))
		}
	case "mcp_prompt":
		e.Name = Other
	}
}
