// Package clients defines what all coding agents (Claude Code, Codex, Cursor and others) have in common: the
// events that their hooks report, the answers that they accept, and what the program needs to know about
// each. It is pure. Each client is one package below this one, and one line in package registry.
package clients

import (
	"strings"

	"codeintel/internal/clients/install"
)

// An ID names a client as users type it: code-intel install ID.
type ID string

// A Client is a coding agent, and all that the program knows of it.
type Client struct {
	Setup   *install.Client // its names, and how install registers the program with it
	Command string          // the program that people start it with
	Hooks   *Hooks          // nil: it runs the hooks of the client RunsHooksOf

	RunsHooksOf ID // whose hooks it runs, if it has none of its own

	// Protected are the files of a project that steer the client: its settings, its
	// hooks, the servers that it starts. No session writes them. Paths are relative
	// to the root. A star matches anything but a slash; a folder ends with a
	// slash, and matches all that is in it.
	Protected     []string
	ProtectedHome []string // likewise, relative to the home of a user

	Variables  Variables
	Connection Connection

	// WriteProbe is the input of its hook before a write, for the doctor, which runs
	// the installed hook with it. $RUN is replaced by a folder.
	WriteProbe []byte
}

// Variables are the names of environment variables that the client sets or reads.
// An empty name means that it has none.
type Variables struct {
	Prefix   string // how all of them begin
	Settings string // names the folder of the user's settings; heeded
	Project  string // names the project, for hooks; set
	Shell    string // is set in the shells that its model uses
}

// A Connection says how the client behaves toward an MCP server.
type Connection struct {
	Name     string // what it calls itself when it connects
	Confirms []int  // its first version that shows the user each call of a tool that asks for it; nil: none does
	Wide     string // programs whose name begins like this show answers of 50,000 characters whole; empty: none
	Cuts     string // programs whose name begins like this cut answers of more than 12,000 characters; empty: none
	CallID   string // the member of a call's metadata with the ID that its hooks give the call
}

// Hooks say how the hooks of a client report and what they take.
type Hooks struct {
	// Events gives the meaning of each event that a hook can be registered for, by
	// its name in lower case.
	Events map[string]Name
	// Tools gives the kind of each tool of the client, by its name in lower case.
	Tools map[string]Kind
	// Batches is set if it also reports the calls of one message together.
	Batches bool
	// Transcripts is the folder, below the home of the user, where it keeps what was said and
	// done, one JSON value a line, with slashes. A call that a hook reports is there.
	// Empty: it keeps none that can be read.
	Transcripts string
	// Terminals is set if its commands may run in a terminal, of which it tells no hook.
	Terminals bool
	// Owns reports whether a payload is surely of this client: some clients run the
	// hooks of others. It may be nil.
	Owns func(p *Payload) bool
	// Normalize brings the members of a payload into the standard form: hook_event_name,
	// session_id, cwd, tool_name, tool_input and so on; see Parse. It may be nil.
	Normalize func(p *Payload)
	// Answer puts a reply, which is not empty, into the form of the client.
	Answer func(e Event, r Reply) Output
}

// ID returns the ID of the client.
func (c *Client) ID() ID { return ID(c.Setup.ID) }

// A Registry is a list of clients. That of the program is registry.All.
type Registry []*Client

// Find returns the client with that ID, or nil.
func (r Registry) Find(id ID) *Client {
	for _, c := range r {
		if c.ID() == id {
			return c
		}
	}
	return nil
}

// WithHooks returns the clients that have hooks of their own.
func (r Registry) WithHooks() (all Registry) {
	for _, c := range r {
		if c.Hooks != nil {
			all = append(all, c)
		}
	}
	return all
}

// Names returns the IDs, separated by commas.
func (r Registry) Names() string {
	var all []string
	for _, c := range r {
		all = append(all, c.Setup.ID)
	}
	return strings.Join(all, ", ")
}
