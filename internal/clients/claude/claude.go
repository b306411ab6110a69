// Package claude describes Claude Code 2.1: its hooks, their answers, and its settings
// files. Sources are recorded runs and its documentation.
package claude

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"path/filepath"

	"codeintel/internal/clients"
	"codeintel/internal/platform/repofile"
)

//go:embed write_probe.json
var writeProbe []byte

// Client is Claude Code.
var Client = &clients.Client{
	Setup:   setup,
	Command: "claude",
	Hooks: &clients.Hooks{
		Events: map[string]clients.Name{
			"pretooluse": clients.Before, "posttooluse": clients.After, "posttoolusefailure": clients.Failed,
			"posttoolbatch":    clients.Batch,
			"userpromptsubmit": clients.Prompt, "userpromptexpansion": clients.Prompt, "configchange": clients.Config,
			"precompact":   clients.Compact, // PostCompact comes after the SessionStart that tells the model where it stands
			"sessionstart": clients.SessionStart, "stop": clients.Stop, "subagentstop": clients.SubagentStop,
		},
		Tools: map[string]clients.Kind{
			"edit": clients.Write, "write": clients.Write, "multiedit": clients.Write, "notebookedit": clients.Write,
			"bash": clients.Shell, "powershell": clients.Shell,
			"read": clients.Read, "notebookread": clients.Read, "grep": clients.Search, "glob": clients.List, "ls": clients.List,
			"agent": clients.Agent, "task": clients.Agent, "askuserquestion": clients.Ask,
		},
		Batches:     true,
		Transcripts: ".claude/projects",
		Answer:      answer,
	},
	Protected:     []string{".mcp.json", ".claude/settings*.json", ".claude/hooks*/"},
	ProtectedHome: []string{".claude.json"},
	Variables: clients.Variables{Prefix: "CLAUDE_", Settings: "CLAUDE_CONFIG_DIR",
		Project: "CLAUDE_PROJECT_DIR", Shell: "CLAUDECODE"},
	Connection: clients.Connection{Name: "claude-code", Confirms: []int{2, 1, 199}, Wide: "claude",
		CallID: "claudecode/toolUseId"},
	WriteProbe: writeProbe,
}

// answer denies with the exit status, too, in case a later version no longer knows
// these words.
func answer(e clients.Event, r clients.Reply) clients.Output {
	a := clients.Answer{}.With("systemMessage", r.Note)
	specific := clients.Answer{}.With("additionalContext", r.Context)
	switch e.Name {
	case clients.Before:
		if r.Deny == "" {
			break
		}
		specific["permissionDecision"], specific["permissionDecisionReason"] = "deny", r.Deny
		out := a.Specific(e, specific).Output()
		out.Stderr, out.Status = r.Deny, 2
		return out
	case clients.Stop, clients.SubagentStop, clients.Config:
		return a.Block(r.Deny).Output()
	case clients.Compact: // what is printed here goes into the instructions for the summary
		specific = nil
	}
	return a.Specific(e, specific).Output()
}

// hooksInstalled looks for our hooks in the settings files. Those of a plugin are in none of
// them.
func hooksInstalled(root, home string, env func(string) string) bool {
	if env("CLAUDE_PLUGIN_ROOT") != "" {
		return true
	}
	user := env("CLAUDE_CONFIG_DIR")
	if user == "" {
		user = filepath.Join(home, ".claude")
	}
	there := false
	for _, file := range []string{
		filepath.Join(root, ".claude", "settings.json"), filepath.Join(root, ".claude", "settings.local.json"),
		filepath.Join(user, "settings.json"),
	} {
		data, err := repofile.At(file).Read(repofile.Settings)
		if err != nil {
			continue
		}
		var settings struct {
			Disabled bool            `json:"disableAllHooks"`
			Hooks    json.RawMessage `json:"hooks"`
		}
		if json.Unmarshal(data, &settings) != nil {
			continue
		}
		if settings.Disabled {
			return false
		}
		there = there || bytes.Contains(settings.Hooks, []byte("code-intel")) && bytes.Contains(settings.Hooks, []byte("hook"))
	}
	return there
}
