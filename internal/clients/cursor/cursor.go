// Package cursor describes Cursor as its documentation does.
package cursor

import (
	_ "embed"
	"path/filepath"
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
)

//go:embed write_probe.json
var writeProbe []byte

// Client is Cursor.
var Client = &clients.Client{
	Setup: &install.Client{
		ID: "cursor", Title: "Cursor",
		Entries:    entries,
		Skills:     func(p install.Place) string { return filepath.Join(cursorFolder(p), "skills") },
		Rules:      "AGENTS.md",
		GuardEvent: "preToolUse",
	},
	Command: "cursor-agent",
	Hooks: &clients.Hooks{
		Events: map[string]clients.Name{
			"pretooluse": clients.Before, "beforeshellexecution": clients.Before, "beforemcpexecution": clients.Before,
			"posttooluse": clients.After, "posttoolusefailure": clients.Failed,
			"aftershellexecution": clients.After, "afterfileedit": clients.After,
			"beforereadfile": clients.After, "beforesubmitprompt": clients.Prompt, "precompact": clients.Compact,
			"sessionstart": clients.SessionStart, "stop": clients.Stop, "subagentstop": clients.SubagentStop,
		},
		Tools: map[string]clients.Kind{
			"write": clients.Write, "edit": clients.Write, "shell": clients.Shell, "runterminalcommand": clients.Shell,
			"read": clients.Read, "grep": clients.Search, "task": clients.Agent,
		},
		Owns:      func(p *clients.Payload) bool { return p.Has("cursor_version") || p.Has("conversation_id") },
		Normalize: normalize,
		Answer:    answer,
	},
	Protected:  []string{".cursor/mcp.json", ".cursor/hooks*", ".cursor/hooks*/"},
	WriteProbe: writeProbe,
}

// normalize makes calls of tools of the events that are about one tool.
func normalize(p *clients.Payload) {
	p.Default("session_id", "conversation_id")
	p.Default("tool_response", "output")
	call := func(tool string, input clients.Object) {
		if !p.Has("tool_name") {
			p.Set("tool_name", tool)
		}
		p.Set("tool_input", input)
	}
	switch strings.ToLower(p.Hook) {
	case "beforeshellexecution", "aftershellexecution":
		call("Shell", clients.Object{"command": p.Text("command")})
	case "afterfileedit":
		call("Edit", clients.Object{"file_path": p.Text("file_path")})
	case "beforereadfile":
		call("Read", clients.Object{"file_path": p.Text("file_path")})
	}
}

func answer(e clients.Event, r clients.Reply) clients.Output {
	switch e.Name {
	case clients.Before:
		if r.Deny != "" {
			out := clients.Answer{"permission": "deny", "user_message": r.Deny, "agent_message": r.Deny}.Output()
			out.Status = 2
			return out
		}
	case clients.Stop:
		return clients.Answer{}.With("followup_message", r.Deny).Output()
	case clients.SessionStart:
		return clients.Answer{}.With("additional_context", r.Context).Output()
	}
	return clients.Output{}
}

var hooks = []install.Hook{
	{Event: "preToolUse"}, {Event: "postToolUse"}, {Event: "postToolUseFailure"}, {Event: "beforeSubmitPrompt"},
	{Event: "sessionStart"},
	{Event: "preCompact"}, {Event: "stop"}, {Event: "subagentStop"},
}

func cursorFolder(p install.Place) string { return filepath.Join(p.Base(), ".cursor") }

func entries(p install.Place) ([]install.Entry, error) {
	file := filepath.Join(cursorFolder(p), "hooks.json")
	all := []install.Entry{
		install.ServerEntry(filepath.Join(cursorFolder(p), "mcp.json"), []string{"mcpServers", install.Server}, func(program string) any {
			return install.Stdio{Command: program, Args: install.RootedArgs}
		}),
		{Kind: install.Member, File: file, At: []string{"version"}, AnyValue: true, JSON: func(string) any { return 1 }},
	}
	return append(all, p.HookEntries(file, hooks, func(h install.Hook, program string) any {
		return struct {
			Command string `json:"command"`
			Timeout int    `json:"timeout"`
		}{p.HookLine(h, program), install.HookSeconds}
	})...), nil
}
