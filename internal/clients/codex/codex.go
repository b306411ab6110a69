// Package codex describes Codex 0.169: its hooks, their answers, and its settings files.
// Sources are recorded runs and the schemas that it ships.
package codex

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
)

//go:embed write_probe.json
var writeProbe []byte

// Client is Codex.
var Client = &clients.Client{
	Setup: &install.Client{
		ID: "codex", Title: "Codex",
		Entries:    entries,
		Skills:     func(p install.Place) string { return filepath.Join(p.Base(), ".agents", "skills") },
		Rules:      "AGENTS.md",
		GuardEvent: "PreToolUse",
		Trust:      trust,
		TrustStep:  "type /hooks in Codex, and trust those of code-intel",
		Next:       next,
	},
	Command: "codex",
	Hooks: &clients.Hooks{
		Events: map[string]clients.Name{
			"pretooluse": clients.Before, "posttooluse": clients.After, "userpromptsubmit": clients.Prompt,
			"precompact":   clients.Compact,
			"sessionstart": clients.SessionStart, "stop": clients.Stop, "subagentstop": clients.SubagentStop,
		},
		Tools: map[string]clients.Kind{
			"apply_patch": clients.Patch, "bash": clients.Shell, "shell": clients.Shell,
			"local_shell": clients.Shell, "exec_command": clients.Shell,
			"write_stdin": clients.Shell, "spawn_agent": clients.Agent,
		},
		Transcripts: ".codex/sessions",
		Terminals:   true,
		Owns:        func(p *clients.Payload) bool { return p.Has("turn_id") },
		Normalize:   normalize,
		Answer:      answer,
	},
	Protected:  []string{".codex/config.toml", ".codex/hooks*", ".codex/hooks*/"},
	Variables:  clients.Variables{Settings: "CODEX_HOME"},
	Connection: clients.Connection{CallID: "callId", Cuts: "codex"},
	WriteProbe: writeProbe,
}

// exitCode finds how a command ended, which is before what it printed.
var exitCode = lazyregexp.MustCompile(`^Exit code: (\d+)\n`)

func normalize(p *clients.Payload) {
	if p.Text("tool_name") == "write_stdin" { // goes into a program that is running
		input := p.Object("tool_input")
		if text, _ := input["chars"].(string); text != "" {
			p.Set("tool_input", clients.Object{"command": "write_stdin", "tty": true})
		} else { // it only waits for what comes out
			p.Set("tool_input", clients.Object{"command": ":"})
		}
	}
	response, _ := p.Value("tool_response").(string)
	if tool := p.Text("tool_name"); tool == "apply_patch" || tool == "Bash" {
		m := exitCode.FindStringSubmatch(response)
		p.Failed = m != nil && m[1] != "0"
	}
}

// answer has no member that Codex does not know: it would ignore the whole answer.
func answer(e clients.Event, r clients.Reply) clients.Output {
	a := clients.Answer{}.With("systemMessage", r.Note)
	specific := clients.Answer{}.With("additionalContext", r.Context)
	switch e.Name {
	case clients.Before:
		if r.Deny != "" {
			specific = clients.Answer{"permissionDecision": "deny", "permissionDecisionReason": r.Deny}
		}
	case clients.Stop, clients.SubagentStop:
		return a.Block(r.Deny).Output()
	case clients.Compact:
		specific = nil
	}
	return a.Specific(e, specific).Output()
}

const writing = `^(Bash|apply_patch|exec_command|write_stdin|mcp__.*)$`

var hooks = []install.Hook{
	{Event: "PreToolUse", Matcher: writing}, {Event: "PostToolUse", Matcher: writing}, {Event: "UserPromptSubmit"},
	{Event: "SessionStart"},
	{Event: "PreCompact"}, {Event: "Stop"}, {Event: "SubagentStop"},
}

// codexFolder is where Codex keeps the settings of a scope.
func codexFolder(p install.Place) string {
	if p.Scope == install.User {
		return p.UserSettings(".codex")
	}
	return filepath.Join(p.Root, ".codex")
}

func entries(p install.Place) ([]install.Entry, error) {
	all := []install.Entry{install.ServerTable(filepath.Join(codexFolder(p), "config.toml"))}
	return append(all, p.HookEntries(filepath.Join(codexFolder(p), "hooks.json"), hooks, func(h install.Hook, program string) any {
		return install.Group{Matcher: h.Matcher, Hooks: []install.Handler{
			{Type: "command", Command: p.HookLine(h, program), Timeout: install.HookSeconds},
		}}
	})...), nil
}

// next says what is left for a person to do.
func next(p install.Place) []string {
	steps := []string{"Codex runs hooks only once you trust them: type /hooks there, and look at them. Then type $code and what you want.",
		"Codex reads the settings of a project only if you trust the project."}
	if main := git.MainWorktree(p.Root); p.Scope == install.Project && main != "" {
		steps = append(steps, "This is a linked working tree. Codex takes hooks from the main one alone: run code-intel install codex in "+
			strconv.Quote(main)+", too, or here with --scope user.")
	}
	return steps
}

// trust looks for what Codex has noted of the hook before a write.
func trust(p install.Place) (install.Trust, error) {
	noted, err := os.ReadFile(filepath.Join(p.UserSettings(".codex"), "config.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("install: %w", err)
	}
	if p.Scope == install.Project {
		p.Root = cmp.Or(git.MainWorktree(p.Root), p.Root)
	}
	file := filepath.Join(codexFolder(p), "hooks.json")
	if bytes.Contains(noted, []byte(`[hooks.state."`+strings.Trim(install.QuoteJSON(file), `"`)+":pre_tool_use:")) {
		return install.Noted, nil
	}
	return install.NotNoted, nil
}
