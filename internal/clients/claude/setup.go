package claude

import (
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/clients/install"
	"codeintel/internal/clients/prompts"
)

var setup = &install.Client{
	ID: "claude", Title: "Claude Code",
	Entries:    entries,
	Skills:     func(p install.Place) string { return filepath.Join(claudeFolder(p), "skills") },
	Rules:      ".claude/CLAUDE.md",
	OwnRules:   true,
	Plugin:     plugin,
	StatusLine: true,
	GuardEvent: "PreToolUse",
	Hooked:     hooksInstalled,
	Next:       next,
}

// writing are the tools that may write files. A matcher with other signs than letters
// is a regular expression that matches anywhere.
const writing = `Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|mcp__.*`

var hooks = []install.Hook{
	{Event: "PreToolUse", Matcher: "^(" + writing + ")$"},
	{Event: "PostToolUse", Matcher: "^(Read|Grep|Glob|" + writing + ")$"},
	{Event: "PostToolUseFailure", Matcher: "^(" + writing + ")$"},
	{Event: "PostToolBatch"},
	{Event: "UserPromptSubmit"},
	{Event: "UserPromptExpansion"},
	{Event: "SessionStart"},
	{Event: "PreCompact"},
	{Event: "Stop"},
	{Event: "SubagentStop"},
	{Event: "ConfigChange", Matcher: "user_settings|project_settings|local_settings"},
}

// claudeFolder is where Claude Code keeps the settings of a scope.
func claudeFolder(p install.Place) string {
	if p.Scope == install.User {
		return p.UserSettings(".claude")
	}
	return filepath.Join(p.Root, ".claude")
}

func entries(p install.Place) ([]install.Entry, error) {
	servers := filepath.Join(p.Root, ".mcp.json")
	if p.Scope == install.User {
		servers = filepath.Join(p.Home, ".claude.json")
		if p.Settings != "" {
			servers = filepath.Join(p.Settings, ".claude.json")
		}
	}
	settings := filepath.Join(claudeFolder(p), "settings.json")
	return slices.Concat(
		[]install.Entry{install.ServerEntry(servers, []string{"mcpServers", install.Server}, server)},
		p.HookEntries(settings, hooks, group),
		[]install.Entry{{
			Kind: install.Member, File: settings, At: []string{"statusLine"}, JSON: statusLine, Command: "statusline",
			OnRequest: true, Yields: statusLines(p),
		}},
		subagents(filepath.Join(claudeFolder(p), "agents"), ""),
	), nil
}

func server(program string) any {
	return install.Stdio{Type: "stdio", Command: program, Args: install.ServerArgs}
}

// group is a hook, started without a shell.
func group(h install.Hook, program string) any {
	return install.Group{Matcher: h.Matcher, Hooks: []install.Handler{
		{Type: "command", Command: program, Args: []string{"hook", "claude", h.Event}, Timeout: install.HookSeconds},
	}}
}

// statusLine is the setting that says what Claude Code shows in its status line. It gives the
// line to a shell.
func statusLine(program string) any {
	return struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}{"command", install.Quote(program) + " statusline"}
}

// statusLines are the files beside the settings of a project in which users may have a
// status line of their own. Ours would overrule it, or not be seen for it.
func statusLines(p install.Place) []string {
	if p.Scope == install.User {
		return nil
	}
	return []string{filepath.Join(p.UserSettings(".claude"), "settings.json"),
		filepath.Join(p.Root, ".claude", "settings.local.json")}
}

// subagents are those of a pipeline. prefix is what the names of our tools begin with,
// if that is another than usual.
func subagents(dir, prefix string) (all []install.Entry) {
	for _, name := range prompts.Names() {
		text, err := prompts.Installed(name)
		if err != nil {
			panic(err) // it is among the names
		}
		if prefix != "" {
			text = strings.ReplaceAll(text, "mcp__code-intel__", prefix)
		}
		all = append(all, install.Entry{Kind: install.Whole, File: filepath.Join(dir, name+".md"), Text: []byte(text)})
	}
	return all
}

// plugin is a folder that Claude Code loads by itself: server, hooks, skills, agents.
func plugin(p install.Place) ([]install.Entry, error) {
	file := func(name string, v any) install.Entry {
		return install.Entry{Kind: install.Whole, File: filepath.Join(p.Plugin, filepath.FromSlash(name)),
			Text: install.Pretty(v)}
	}
	groups := struct {
		Description string           `json:"description"`
		Hooks       map[string][]any `json:"hooks"`
	}{"Hold an agent to the phases of a code-intel session", make(map[string][]any)}
	for _, h := range hooks {
		groups.Hooks[h.Event] = []any{group(h, p.Program)}
	}
	manifest := struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		License     string `json:"license"`
	}{install.Server, "Understand a codebase before changing it, and prove that the work was done", "Apache-2.0"}
	skills, err := p.SkillFiles(filepath.Join(p.Plugin, "skills"))
	return slices.Concat(
		[]install.Entry{
			file(".claude-plugin/plugin.json", manifest),
			file(".mcp.json", map[string]any{"mcpServers": map[string]any{install.Server: server(p.Program)}}),
			file("hooks/hooks.json", groups),
		},
		skills,
		subagents(filepath.Join(p.Plugin, "agents"), "mcp__plugin_code-intel_code-intel__"),
	), err
}

func next(p install.Place) []string {
	switch {
	case p.Plugin != "":
		return []string{"Start Claude Code with it: claude --plugin-dir " + install.Quote(p.Plugin) +
			". Its commands are /code-intel:code, /code-intel:forge and /code-intel:outcome."}
	case p.Scope == install.Project:
		return []string{"Claude Code asks once whether to start the server of .mcp.json: say yes. Then type /code and what you want."}
	}
	return []string{"Start Claude Code anew, and type /code and what you want."}
}
