// Package clients reads what the hooks of coding agents report, each in its own
// form, into one [Event], and puts a [Reply] into the form of each. It is pure.
package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Client is a coding agent.
type Client string

// The clients.
const (
	Claude   Client = "claude"
	Codex    Client = "codex"
	Cursor   Client = "cursor"
	Copilot  Client = "copilot"
	Gemini   Client = "gemini"
	Opencode Client = "opencode"
)

// Clients returns all of them.
func Clients() []Client { return []Client{Claude, Codex, Cursor, Copilot, Gemini, Opencode} }

// A Name is what happened.
type Name string

// The names.
const (
	Prompt       Name = "prompt"        // a person, or a main agent, sent a prompt
	Before       Name = "before"        // a tool is about to be called, and may be refused
	After        Name = "after"         // it has been called
	Batch        Name = "batch"         // the calls of one message have been made
	Compact      Name = "compact"       // the client shortens its context
	Config       Name = "config"        // a settings file of the client has changed
	SessionStart Name = "session_start" // of the client's session; see Source
	Stop         Name = "stop"          // the agent wants to end its turn
	SubagentStop Name = "subagent_stop"
	Other        Name = "other" // nothing that concerns a session
)

// A Kind is what kind of tool is called.
type Kind string

// The kinds.
const (
	Write     Kind = "write"
	Shell     Kind = "shell"
	Read      Kind = "read"
	MCP       Kind = "mcp" // a tool of an MCP server that does not look as if it wrote files
	Agent     Kind = "agent"
	Ask       Kind = "ask"
	OtherTool Kind = "other"
)

// An Event is what a hook reports.
type Event struct {
	Client  Client
	Name    Name
	Hook    string // what the client calls it: "PreToolUse"
	Session string // the client's session
	Agent   string // id of the sub-agent; empty for the main one
	Dir     string // where it happens; relative paths start here

	Tool    string // what the client calls the tool
	Server  string // the MCP server that has it
	Call    string // id of the call, the same before and after; not every client has one
	Kind    Kind   // of the tool
	Files   []File // that the tool writes, or of which it showed lines
	Command string // of a shell
	Output  string // of a shell, as far as the client passes it on
	Failed  bool   // the call came to nothing

	Tokens   int    // of an agent that was called and has ended, as far as the client says
	Duration int    // of it, in milliseconds
	Model    string // of it

	Text   string // the prompt; the last message of an agent that stops
	Source string // why: startup, resume, clear, compact; auto, manual; of Config: whose settings
	Busy   bool   // of Stop: something goes on in the background, and will wake the agent
}

// A File is one that a tool writes, or shows.
type File struct {
	Path   string // as the client names it, mostly absolute
	Start  int    // first line shown, from 1; 0: not known
	End    int    // last line shown; 0: to the end
	Delete bool
}

// largest is the largest payload that is read, in bytes.
const largest = 64 << 20

// payload is what any of the clients sends. Claude and Codex spell names with
// underscores, Copilot in camel case.
type payload struct {
	Event      string `json:"hook_event_name"`
	Session    string `json:"session_id"`
	SessionID  string `json:"sessionId"`
	Thread     string `json:"conversation_id"` // Cursor
	Turn       string `json:"turn_id"`         // Codex
	Cursor     string `json:"cursor_version"`
	Dir        string `json:"cwd"`
	Agent      string `json:"agent_id"`
	Tool       string `json:"tool_name"`
	ToolName   string `json:"toolName"`
	Call       string `json:"tool_use_id"`
	Prompt     string `json:"prompt"`
	Command    string `json:"command_name"` // of UserPromptExpansion
	Args       string `json:"command_args"`
	Expansion  string `json:"expansion_type"`
	Last       string `json:"last_assistant_message"`
	Source     string `json:"source"`
	Trigger    string `json:"trigger"`
	Interrupt  bool   `json:"is_interrupt"`
	Shell      string `json:"command"`   // Cursor's shell events
	Output     string `json:"output"`    // likewise
	File       string `json:"file_path"` // Cursor's file events
	Input      object `json:"tool_input"`
	ToolArgs   object `json:"toolArgs"`
	Response   any    `json:"tool_response"`
	Calls      []call `json:"tool_calls"`       // PostToolBatch
	Tasks      []any  `json:"background_tasks"` // Stop
	Crons      []any  `json:"session_crons"`    // Stop
	ToolResult any    `json:"toolResult"`
}

// A call is one of a batch.
type call struct {
	Tool  string `json:"tool_name"`
	Input object `json:"tool_input"`
}

// An object is a JSON object, which some clients send as a string.
type object map[string]any

// UnmarshalJSON takes an object, or a string that holds one. Anything else is no
// object, and empty.
func (o *object) UnmarshalJSON(data []byte) error {
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
func (o object) text(names ...string) string {
	for _, n := range names {
		if s, ok := o[n].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// number returns a member that is a number, cut to a whole one.
func (o object) number(name string) int {
	if n, ok := o[name].(float64); ok && n > 0 && n < 1<<31 {
		return int(n)
	}
	return 0
}

// Parse reads the payload of a hook. as is the client that the hook was
// installed for, and event what it was installed on, for clients that do not
// say: a payload that bears the marks of another client is that client's, for
// some run the hooks of others.
func Parse(as Client, event string, data []byte) (Event, error) {
	unread := Event{Client: as, Hook: event, Name: names[strings.ToLower(event)], Kind: Write}
	if len(data) > largest {
		return unread, errors.New("the payload of the hook is too large")
	}
	var p payload
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&p); err != nil {
		return unread, fmt.Errorf("the payload of the hook cannot be read: %w", err)
	}
	if p.Event == "" {
		p.Event = event
	}
	e := Event{
		Client: p.client(as), Hook: p.Event, Name: names[strings.ToLower(p.Event)], Session: first(p.Session, p.SessionID, p.Thread),
		Agent: p.Agent, Dir: p.Dir, Call: p.Call,
	}
	switch e.Name {
	case Before, After:
		p.tool(&e)
	case Prompt:
		e.Text = p.Prompt
		if p.Expansion == "slash_command" && p.Prompt == "" {
			e.Text = strings.TrimSpace("/" + p.Command + " " + p.Args)
		}
		if p.Expansion == "mcp_prompt" {
			e.Name = Other
		}
	case Batch:
		e.Kind = p.batch()
	case Config:
		e.Source = p.Source
		if p.File != "" {
			e.Files = []File{{Path: p.File}}
		}
	case Stop, SubagentStop:
		e.Text, e.Busy = p.Last, len(p.Tasks)+len(p.Crons) > 0
	case Compact:
		e.Source = p.Trigger
	case SessionStart:
		e.Source = p.Source
	case "":
		e.Name = Other
	}
	return e, nil
}

// names is what the clients call what happens, in small letters.
var names = map[string]Name{
	"pretooluse": Before, "beforetool": Before, "beforeshellexecution": Before, "beforemcpexecution": Before,
	"posttoolbatch": Batch, "configchange": Config,
	"posttooluse": After, "posttoolusefailure": After, "aftertool": After, "aftershellexecution": After, "afterfileedit": After, "beforereadfile": After,
	"userpromptsubmit": Prompt, "userpromptexpansion": Prompt, "userpromptsubmitted": Prompt, "beforesubmitprompt": Prompt, "beforeagent": Prompt,
	"precompact": Compact, "precompress": Compact, // PostCompact comes after the SessionStart that tells the model where it stands
	"tool.execute.before": Before, "tool.execute.after": After, "chat.message": Prompt, "session.compacted": Compact, "session.idle": Stop, // opencode
	"sessionstart": SessionStart, "stop": Stop, "agentstop": Stop, "afteragent": Stop, "subagentstop": SubagentStop,
}

// client tells by its marks whose payload it is.
func (p *payload) client(as Client) Client {
	switch {
	case p.Cursor != "" || p.Thread != "":
		return Cursor
	case p.Turn != "":
		return Codex
	case p.ToolName != "" || p.SessionID != "":
		return Copilot
	case strings.HasPrefix(p.Event, "BeforeTool") || strings.HasPrefix(p.Event, "AfterTool") || p.Event == "BeforeAgent" || p.Event == "AfterAgent" || p.Event == "PreCompress":
		return Gemini
	}
	return as
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
