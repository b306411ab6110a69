// Package copilot describes Copilot CLI as its documentation does. VS Code runs the same
// hooks, under the names that Claude Code gives them.
package copilot

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
	"codeintel/internal/platform/lazyregexp"
)

//go:embed write_probe.json
var writeProbe []byte

// Client is Copilot CLI.
var Client = &clients.Client{
	Setup: &install.Client{
		ID: "copilot", Title: "Copilot",
		Entries:    entries,
		Skills:     func(p install.Place) string { return filepath.Join(copilotFolder(p), "skills") },
		Rules:      "AGENTS.md",
		GuardEvent: "preToolUse",
	},
	Command: "copilot",
	Hooks: &clients.Hooks{
		Events: map[string]clients.Name{
			"pretooluse": clients.Before, "posttooluse": clients.After, "userpromptsubmitted": clients.Prompt,
			"userpromptsubmit": clients.Prompt,
			"sessionstart":     clients.SessionStart, "agentstop": clients.Stop, "stop": clients.Stop,
			"subagentstop": clients.SubagentStop,
		},
		Tools: map[string]clients.Kind{
			"edit": clients.Write, "create": clients.Write, "editfiles": clients.Write, "createfile": clients.Write,
			"bash": clients.Shell, "powershell": clients.Shell, "view": clients.Read, "ask_user": clients.Ask,
		},
		Owns: func(p *clients.Payload) bool { return p.Has("toolName") || p.Has("sessionId") },
		Normalize: func(p *clients.Payload) {
			p.Default("session_id", "sessionId")
			p.Default("tool_name", "toolName")
			p.Default("tool_input", "toolArgs")
			p.Default("tool_response", "toolResult")
		},
		Answer: answer,
	},
	Protected:     []string{".github/hooks/", ".github/mcp.json", ".github/copilot/settings*.json"},
	ProtectedHome: []string{".copilot/mcp-config.json", ".copilot/hooks/"},
	WriteProbe:    writeProbe,
}

// answer denies in the JSON that it prints: Copilot takes the exit status of a hook for a warning.
func answer(e clients.Event, r clients.Reply) clients.Output {
	switch e.Name {
	case clients.Before:
		if r.Deny != "" {
			return clients.Answer{"permissionDecision": "deny", "permissionDecisionReason": r.Deny}.Output()
		}
	case clients.Stop, clients.SubagentStop:
		return clients.Answer{}.Block(r.Deny).Output()
	case clients.SessionStart:
		return clients.Answer{}.With("additionalContext", r.Context).Output()
	}
	return clients.Output{}
}

var hooks = []install.Hook{
	{Event: "sessionStart"}, {Event: "userPromptSubmitted"}, {Event: "preToolUse"}, {Event: "postToolUse"},
	{Event: "agentStop"}, {Event: "subagentStop"},
}

func copilotFolder(p install.Place) string {
	if p.Scope == install.User {
		return filepath.Join(p.Home, ".copilot")
	}
	return filepath.Join(p.Root, ".github")
}

// entries are the server, and a file of our own for the hooks.
func entries(p install.Place) ([]install.Entry, error) {
	servers := "mcp.json"
	if p.Scope == install.User {
		servers = "mcp-config.json"
	}
	return []install.Entry{
		install.ServerEntry(filepath.Join(copilotFolder(p), servers), []string{"mcpServers", install.Server}, func(program string) any {
			return install.Stdio{Type: "local", Command: program, Args: install.ServerArgs, Tools: []string{"*"}}
		}),
		{Kind: install.Whole, File: filepath.Join(copilotFolder(p), "hooks", "code-intel.json"), Text: hookFile(p), Inspect: inspect},
	}, nil
}

func hookFile(p install.Place) []byte {
	type handler struct {
		Type       string `json:"type"`
		Bash       string `json:"bash"`
		PowerShell string `json:"powershell"`
		Timeout    int    `json:"timeoutSec"`
	}
	events := make(map[string][]handler)
	for _, h := range hooks {
		powershell := "& '" + strings.ReplaceAll(p.Program, "'", "''") + "' " + p.HookCommand(h)
		events[h.Event] = []handler{{"command", p.HookLine(h, p.Program), powershell, install.HookSeconds}}
	}
	return install.Pretty(map[string]any{"version": 1, "hooks": events})
}

// guard finds the hook that is asked before a write.
var guard = lazyregexp.MustCompile(`"bash": ("(?:[^"\\]|\\.)*hook copilot preToolUse")`)

func inspect(text []byte) (int, install.Ask) {
	m := guard.FindStringSubmatch(string(text))
	if m == nil {
		return 0, install.Ask{}
	}
	return bytes.Count(text, []byte(`"bash": `)), install.Ask{Line: install.UnquoteJSON(m[1])}
}
