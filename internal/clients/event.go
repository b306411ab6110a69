package clients

// A Name says what happened.
type Name string

// The names.
const (
	Prompt       Name = "prompt"        // a person, or a main agent, sent a prompt
	Before       Name = "before"        // a tool is about to be called, and may be refused
	After        Name = "after"         // it has been called
	Failed       Name = "failed"        // it has been called, and failed; Parse makes an After of it
	Batch        Name = "batch"         // the calls of one message have been made
	Compact      Name = "compact"       // the client shortens its context
	Config       Name = "config"        // a settings file of the client has changed
	SessionStart Name = "session_start" // of the client's session; see Source
	Stop         Name = "stop"          // the agent wants to end its turn
	SubagentStop Name = "subagent_stop"
	Other        Name = "other" // nothing that concerns a session
)

// A Kind says what kind of tool is called.
type Kind string

// The kinds. Those with a second meaning in a table of tools say so.
const (
	Write     Kind = "write"
	Patch     Kind = "patch" // in a table of tools: a Write whose input is the text of a patch
	Shell     Kind = "shell"
	Read      Kind = "read"
	Search    Kind = "search"  // in a table of tools: a Read that shows matching lines
	List      Kind = "list"    // in a table of tools: a Read that shows names alone
	MCP       Kind = "mcp"     // a tool of ours, or of another server that says by its name that it reads
	Foreign   Kind = "foreign" // a tool of another server whose name does not say that it only reads
	Agent     Kind = "agent"
	Ask       Kind = "ask"
	OtherTool Kind = "other"
)

// An Event is what a hook reports.
type Event struct {
	Client  ID
	Name    Name
	Hook    string // what the client calls it: "PreToolUse"
	Session string // the client's session
	Agent   string // ID of the sub-agent; empty for the main one
	Dir     string // where it happens; relative paths start here

	// Unproven is set if the client keeps its conversations on disk, so that what it reports
	// is to be found in the Transcript that it names.
	Unproven   bool
	Transcript string // the file of the conversation; may be empty

	Tool    string // what the client calls the tool
	Server  string // the MCP server that has it
	Call    string // ID of the call, the same before and after; not every client has one
	Kind    Kind   // of the tool
	Files   []File // that the tool writes, or of which it showed lines
	Command string // of a shell; of a Foreign tool, if it takes one
	TTY     bool   // the command of a shell goes on, and takes input that no hook is told about
	Output  string // of a shell, as far as the client passes it on
	Failed  bool   // the call failed

	Tokens   int    // of an agent that was called and has ended, as far as the client says
	Duration int    // of it, in milliseconds
	Model    string // of it

	Text   string // the prompt; the last message of an agent that stops
	Source string // why: startup, resume, clear, compact; auto, manual; of Config: whose settings
	Busy   bool   // of Stop: something runs in the background, and will wake the agent
}

// A File is one that a tool writes, or shows.
type File struct {
	Path   string // as the client names it, mostly absolute
	Start  int    // first line shown, from 1; 0: not known
	End    int    // last line shown; 0: to the end
	Delete bool
}
