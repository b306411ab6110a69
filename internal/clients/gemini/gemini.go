// Package gemini describes Gemini CLI as its documentation does.
package gemini

import (
	_ "embed"
	"path/filepath"
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
)

//go:embed write_probe.json
var writeProbe []byte

// Client is Gemini CLI.
var Client = &clients.Client{
	Setup: &install.Client{
		ID: "gemini", Title: "Gemini",
		Entries:    entries,
		Skills:     func(p install.Place) string { return filepath.Join(p.Base(), ".gemini", "skills") },
		GuardEvent: "BeforeTool",
	},
	Command: "gemini",
	Hooks: &clients.Hooks{
		Events: map[string]clients.Name{
			"beforetool": clients.Before, "aftertool": clients.After, "beforeagent": clients.Prompt, "afteragent": clients.Stop,
			"sessionstart": clients.SessionStart, "precompress": clients.Compact,
		},
		Tools: map[string]clients.Kind{
			"replace": clients.Write, "write_file": clients.Write, "run_shell_command": clients.Shell,
			"read_file": clients.Read, "search_file_content": clients.Search, "grep_search": clients.Search, "glob": clients.List,
		},
		Owns:   isGeminiPayload,
		Answer: answer,
	},
	Protected:  []string{".gemini/settings*.json", ".gemini/hooks*", ".gemini/hooks*/"},
	WriteProbe: writeProbe,
}

// isGeminiPayload recognises Gemini CLI by the names of the events that no other client has.
func isGeminiPayload(p *clients.Payload) bool {
	switch {
	case p.Hook == "BeforeAgent", p.Hook == "AfterAgent", p.Hook == "PreCompress":
		return true
	}
	return strings.HasPrefix(p.Hook, "BeforeTool") || strings.HasPrefix(p.Hook, "AfterTool")
}

func answer(e clients.Event, r clients.Reply) clients.Output {
	a := clients.Answer{}.With("systemMessage", r.Note)
	switch e.Name {
	case clients.Before, clients.Stop:
		if r.Deny != "" {
			a["decision"], a["reason"] = "deny", r.Deny
		}
		return a.Output()
	case clients.Compact:
		return a.Output()
	}
	return a.Specific(e, clients.Answer{}.With("additionalContext", r.Context)).Output()
}

var hooks = []install.Hook{
	{Event: "BeforeTool", Matcher: "write_file|replace|run_shell_command|mcp_.*"},
	{Event: "AfterTool", Matcher: "read_file|search_file_content|grep_search|glob|write_file|replace|run_shell_command|mcp_.*"},
	{Event: "BeforeAgent"}, {Event: "AfterAgent"}, {Event: "SessionStart"}, {Event: "PreCompress"},
}

func entries(p install.Place) ([]install.Entry, error) {
	file := filepath.Join(p.Base(), ".gemini", "settings.json")
	all := []install.Entry{install.ServerEntry(file, []string{"mcpServers", install.Server}, func(program string) any {
		return install.Stdio{Command: program, Args: install.ServerArgs}
	})}
	return append(all, p.HookEntries(file, hooks, func(h install.Hook, program string) any {
		const milliseconds = 1000 * install.HookSeconds
		return install.Group{Matcher: h.Matcher, Hooks: []install.Handler{
			{Type: "command", Command: p.HookLine(h, program), Timeout: milliseconds},
		}}
	})...), nil
}
