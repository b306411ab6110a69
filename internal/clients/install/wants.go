package install

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"codeintel/internal/clients/prompts"
)

// A kind says how a wish lies in its file.
type kind int

const (
	member  kind = iota // of an object in a JSON file
	element             // of an array in a JSON file
	block               // of lines in another file
	whole               // all of it
)

// A want is one thing that a client needs.
type want struct {
	kind kind
	file string
	at   []string                                 // of a member or element
	soft bool                                     // any value will do
	ask  string                                   // of an element: how its command goes on behind the program
	text []byte                                   // of a whole file
	json func(program string) any                 // of a member or element
	toml func(program, newline string) []byte     // of a block
	like func(lang string) (text []byte, e error) // of a whole file: in another language

	asked  bool     // of a member: only if it is asked for, and only where there is none, here or in a file that goes before
	before []string // those files
	ifNone bool     // of a whole file: only where there is none
}

func (w want) value(program string) []byte { return encode(w.json(program)) }

func (w want) block(program, newline string) []byte { return w.toml(program, newline) }

// mentioned reports whether a value has to do with this wish, as it is or changed. A
// hook is known by how its command goes on, whatever the program is called.
func (w want) mentioned(value []byte) bool {
	text := strings.Join(words(value), " ")
	return strings.Contains(text, w.ask) && (w.kind == element || strings.Contains(text, "code-intel"))
}

// words returns the strings in a JSON value, in their order.
func words(value []byte) (all []string) {
	d := json.NewDecoder(bytes.NewReader(value))
	for {
		t, err := d.Token()
		if err != nil {
			return all
		}
		if s, ok := t.(string); ok {
			all = append(all, s)
		}
	}
}

// ours reports whether a text is that of a whole file in some language.
func (w want) ours(text []byte) bool {
	if w.like == nil {
		return bytes.Equal(text, w.text)
	}
	for _, lang := range []string{"en", "ja"} {
		if t, err := w.like(lang); err == nil && bytes.Equal(t, text) {
			return true
		}
	}
	return false
}

// encode writes JSON with nothing escaped that need not be.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // maps, lists and strings
	}
	return bytes.TrimSpace(b.Bytes())
}

func object(name string, value []byte) []byte {
	return encode(map[string]json.RawMessage{name: value})
}

func quoteJSON(s string) string { return string(encode(s)) }

func unquoteTOML(s string) (text string) {
	if json.Unmarshal([]byte(s), &text) != nil {
		return ""
	}
	return text
}

const server = "code-intel"

// wants returns what a client needs, in the order in which it is shown.
func (p Place) wants() ([]want, error) {
	var all []want
	switch p.Client {
	case Claude:
		if p.Plugin != "" {
			return p.plugin()
		}
		all = p.claude()
	case Codex:
		all = p.codex()
	case Cursor:
		all = p.cursor()
	case Copilot:
		all = p.copilot()
	case Gemini:
		all = p.gemini()
	case Opencode:
		var err error
		if all, err = p.opencode(); err != nil {
			return nil, err
		}
	case VSCode:
		file := filepath.Join(p.base(), ".vscode", "mcp.json")
		if p.Scope == User {
			file = filepath.Join(p.Config, "Code", "User", "mcp.json")
		}
		return []want{p.server(file, []string{"servers", server}, func(program string) any {
			return stdio{Type: "stdio", Command: program, Args: rooted}
		})}, nil
	}
	skills, err := p.skills(p.skillFolder())
	if err != nil {
		return nil, err
	}
	return append(append(all, skills...), p.rules()...), nil
}

// base is where paths of a scope begin.
func (p Place) base() string {
	if p.Scope == User {
		return p.Home
	}
	return p.Root
}

// A stdio is how most clients write a server that they start.
type stdio struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Tools   []string `json:"tools,omitempty"`
}

// rooted are the arguments for clients that need not start a server in the project.
var rooted = []string{"mcp", "--root", "${workspaceFolder}"}

func (p Place) server(file string, at []string, value func(program string) any) want {
	return want{kind: member, file: file, at: at, json: value}
}

// A hook is one event of a client that the program answers.
type hook struct{ event, matcher string }

// A group is how Claude Code, Codex and Gemini CLI write hooks: some, for what matches.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

type handler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"`
}

// hooks returns a wish for each of the events, an element of an array of its own.
func (p Place) hooks(file string, events []hook, value func(h hook, program string) any) (all []want) {
	for _, h := range events {
		all = append(all, want{kind: element, file: file, at: []string{"hooks", h.event}, ask: p.ask(h), json: func(program string) any { return value(h, program) }})
	}
	return all
}

// ask is how the program is asked at an event.
func (p Place) ask(h hook) string { return fmt.Sprintf("hook %s %s", p.Client, h.event) }

// hookTime is how long a hook may take, in seconds, before its client goes on
// without it. The program answers within 200 ms; a loaded machine is slower.
const hookTime = 10

// The events that matter to a session. Matchers of Claude Code with other signs than
// letters are regular expressions that match anywhere.
const (
	claudeWriting = `Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|mcp__.*`
	codexWriting  = `^(Bash|apply_patch|mcp__.*)$`
)

var claudeHooks = []hook{
	{"PreToolUse", "^(" + claudeWriting + ")$"},
	{"PostToolUse", "^(Read|Grep|Glob|" + claudeWriting + ")$"},
	{"PostToolUseFailure", "^(" + claudeWriting + ")$"},
	{"PostToolBatch", ""},
	{"UserPromptSubmit", ""},
	{"UserPromptExpansion", ""},
	{"SessionStart", ""},
	{"PreCompact", ""},
	{"Stop", ""},
	{"SubagentStop", ""},
	{"ConfigChange", "user_settings|project_settings|local_settings"},
}

var codexHooks = []hook{
	{"PreToolUse", codexWriting}, {"PostToolUse", codexWriting}, {"UserPromptSubmit", ""}, {"SessionStart", ""},
	{"PreCompact", ""}, {"Stop", ""}, {"SubagentStop", ""},
}

var cursorHooks = []hook{
	{"preToolUse", ""}, {"postToolUse", ""}, {"postToolUseFailure", ""}, {"beforeSubmitPrompt", ""}, {"sessionStart", ""},
	{"preCompact", ""}, {"stop", ""}, {"subagentStop", ""},
}

var copilotHooks = []hook{
	{"sessionStart", ""}, {"userPromptSubmitted", ""}, {"preToolUse", ""}, {"postToolUse", ""}, {"agentStop", ""}, {"subagentStop", ""},
}

var geminiHooks = []hook{
	{"BeforeTool", "write_file|replace|run_shell_command|mcp_.*"},
	{"AfterTool", "read_file|search_file_content|grep_search|glob|write_file|replace|run_shell_command|mcp_.*"},
	{"BeforeAgent", ""}, {"AfterAgent", ""}, {"SessionStart", ""}, {"PreCompress", ""},
}

// claudeGroup is a hook of Claude Code, started without a shell.
func claudeGroup(h hook, program string) any {
	return group{h.matcher, []handler{{"command", program, []string{"hook", "claude", h.event}, hookTime}}}
}

func (p Place) claudeDir() string {
	if p.Scope == User && p.Claude != "" {
		return p.Claude
	}
	return filepath.Join(p.base(), ".claude")
}

func (p Place) claude() []want {
	file := filepath.Join(p.Root, ".mcp.json")
	if p.Scope == User {
		file = filepath.Join(p.Home, ".claude.json")
		if p.Claude != "" {
			file = filepath.Join(p.Claude, ".claude.json")
		}
	}
	all := []want{p.server(file, []string{"mcpServers", server}, claudeServer)}
	settings := filepath.Join(p.claudeDir(), "settings.json")
	all = append(all, p.hooks(settings, claudeHooks, claudeGroup)...)
	all = append(all, want{kind: member, file: settings, at: []string{"statusLine"}, json: claudeStatus, ask: "statusline", asked: true, before: p.statusLines()})
	return append(all, p.subagents(filepath.Join(p.claudeDir(), "agents"), "")...)
}

func claudeServer(program string) any {
	return stdio{Type: "stdio", Command: program, Args: []string{"mcp"}}
}

// claudeStatus is how Claude Code is told what to show in its status line. It gives
// the line to a shell.
func claudeStatus(program string) any {
	return struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}{"command", quote(program) + " statusline"}
}

// statusLines are the files beside the settings of a project in which its user may
// have a status line of his own, that ours would take the place of, or not be seen for.
func (p Place) statusLines() []string {
	if p.Scope == User {
		return nil
	}
	user := filepath.Join(p.Home, ".claude")
	if p.Claude != "" {
		user = p.Claude
	}
	return []string{filepath.Join(user, "settings.json"), filepath.Join(p.Root, ".claude", "settings.local.json")}
}

func (p Place) codex() []want {
	dir := filepath.Join(p.base(), ".codex")
	if p.Scope == User && p.Codex != "" {
		dir = p.Codex
	}
	all := []want{{kind: block, file: filepath.Join(dir, "config.toml"), toml: tableOf}}
	return append(all, p.hooks(filepath.Join(dir, "hooks.json"), codexHooks, func(h hook, program string) any {
		return group{h.matcher, []handler{{"command", p.line(h, program), nil, hookTime}}}
	})...)
}

func (p Place) cursor() []want {
	dir := filepath.Join(p.base(), ".cursor")
	all := []want{
		p.server(filepath.Join(dir, "mcp.json"), []string{"mcpServers", server}, func(program string) any { return stdio{Command: program, Args: rooted} }),
		{kind: member, file: filepath.Join(dir, "hooks.json"), at: []string{"version"}, soft: true, json: func(string) any { return 1 }},
	}
	hooks := p.hooks(filepath.Join(dir, "hooks.json"), cursorHooks, func(h hook, program string) any {
		return struct {
			Command string `json:"command"`
			Timeout int    `json:"timeout"`
		}{p.line(h, program), hookTime}
	})
	return slices.Concat(all, hooks)
}

// copilot has a file of its own for hooks.
func (p Place) copilot() []want {
	dir, servers := filepath.Join(p.Root, ".github"), "mcp.json"
	if p.Scope == User {
		dir, servers = filepath.Join(p.Home, ".copilot"), "mcp-config.json"
	}
	type handler struct {
		Type       string `json:"type"`
		Bash       string `json:"bash"`
		PowerShell string `json:"powershell"`
		Timeout    int    `json:"timeoutSec"`
	}
	hooks := func(program string) []byte {
		events := make(map[string][]handler)
		for _, h := range copilotHooks {
			events[h.event] = []handler{{"command", p.line(h, program), "& '" + strings.ReplaceAll(program, "'", "''") + "' " + p.ask(h), hookTime}}
		}
		return pretty(map[string]any{"version": 1, "hooks": events})
	}
	return []want{
		p.server(filepath.Join(dir, servers), []string{"mcpServers", server}, func(program string) any {
			return stdio{Type: "local", Command: program, Args: []string{"mcp"}, Tools: []string{"*"}}
		}),
		{kind: whole, file: filepath.Join(dir, "hooks", "code-intel.json"), text: hooks(p.Program)},
	}
}

func (p Place) gemini() []want {
	file := filepath.Join(p.base(), ".gemini", "settings.json")
	all := []want{p.server(file, []string{"mcpServers", server}, func(program string) any { return stdio{Command: program, Args: []string{"mcp"}} })}
	return append(all, p.hooks(file, geminiHooks, func(h hook, program string) any {
		return group{h.matcher, []handler{{"command", p.line(h, program), nil, 1000 * hookTime}}}
	})...)
}

//go:embed files
var embedded embed.FS

func (p Place) opencode() ([]want, error) {
	dir, plugins := p.Root, filepath.Join(p.Root, ".opencode")
	if p.Scope == User {
		dir = filepath.Join(p.XDG, "opencode")
		plugins = dir
	}
	file := filepath.Join(dir, "opencode.json")
	if with := file + "c"; exists(with) && !exists(file) {
		file = with
	}
	shim, err := p.render("opencode.js")
	return []want{
		p.server(file, []string{"mcp", server}, func(program string) any {
			return struct {
				Type    string   `json:"type"`
				Command []string `json:"command"`
				Enabled bool     `json:"enabled"`
			}{"local", []string{program, "mcp"}, true}
		}),
		{kind: whole, file: filepath.Join(plugins, "plugins", "code-intel.js"), text: shim},
	}, err
}

// render fills in one of our files.
func (p Place) render(name string) ([]byte, error) {
	t, err := template.ParseFS(embedded, "files/"+name)
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]string{"Program": quoteJSON(p.Program)})
	return b.Bytes(), err
}

// line is the command line that a shell is given at an event.
func (p Place) line(h hook, program string) string { return quote(program) + " " + p.ask(h) }

var plain = regexp.MustCompile(`^[\w./:@%+=,-]+$`)

// quote makes one word for a shell.
func quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func unquote(word string) string {
	if len(word) > 1 && word[0] == '\'' && word[len(word)-1] == '\'' {
		return strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
	}
	return word
}

func (p Place) skillFolder() string {
	switch p.Client {
	case Claude:
		return filepath.Join(p.claudeDir(), "skills")
	case Codex:
		return filepath.Join(p.base(), ".agents", "skills")
	case Copilot:
		if p.Scope == User {
			return filepath.Join(p.Home, ".copilot", "skills")
		}
		return filepath.Join(p.Root, ".github", "skills")
	case Opencode:
		if p.Scope == User {
			return filepath.Join(p.XDG, "opencode", "skills")
		}
	}
	return filepath.Join(p.base(), "."+string(p.Client), "skills")
}

func (p Place) skills(dir string) (all []want, err error) {
	for _, name := range prompts.Skills() {
		text, err := prompts.Skill(name, p.Lang)
		if err != nil {
			return nil, err
		}
		all = append(all, want{kind: whole, file: filepath.Join(dir, name, "SKILL.md"), text: []byte(text), like: func(lang string) ([]byte, error) {
			text, err := prompts.Skill(name, lang)
			return []byte(text), err
		}})
	}
	return all, nil
}

// subagents are those of a pipeline. In a plugin our tools have another name.
func (p Place) subagents(dir, prefix string) (all []want) {
	for _, name := range prompts.Names() {
		text, err := prompts.File(name)
		if err != nil {
			panic(err) // it is among the names
		}
		if prefix != "" {
			text = strings.ReplaceAll(text, "mcp__code-intel__", prefix)
		}
		all = append(all, want{kind: whole, file: filepath.Join(dir, name+".md"), text: []byte(text)})
	}
	return all
}

// rules are a beginning for the rules of a project that has none.
func (p Place) rules() []want {
	if p.Scope == User {
		return nil
	}
	file := filepath.Join(p.Root, "AGENTS.md")
	switch p.Client {
	case Claude:
		file = filepath.Join(p.Root, ".claude", "CLAUDE.md")
	case Gemini: // it reads neither
		return nil
	}
	if p.Rules == nil && !exists(file) {
		return nil
	}
	return []want{{kind: whole, file: file, text: p.Rules, ifNone: true}}
}

// plugin is a folder that Claude Code loads by itself: server, hooks, skills, agents.
func (p Place) plugin() ([]want, error) {
	file := func(name string, v any) want {
		return want{kind: whole, file: filepath.Join(p.Plugin, filepath.FromSlash(name)), text: pretty(v)}
	}
	type groups struct {
		Description string           `json:"description"`
		Hooks       map[string][]any `json:"hooks"`
	}
	hooks := groups{"Hold an agent to the phases of a code-intel session", make(map[string][]any)}
	for _, h := range claudeHooks {
		hooks.Hooks[h.event] = []any{claudeGroup(h, p.Program)}
	}
	all := []want{
		file(".claude-plugin/plugin.json", struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			License     string `json:"license"`
		}{server, "Understand a codebase before changing it, and prove that the work was done", "Apache-2.0"}),
		file(".mcp.json", map[string]any{"mcpServers": map[string]any{server: claudeServer(p.Program)}}),
		file("hooks/hooks.json", hooks),
	}
	skills, err := p.skills(filepath.Join(p.Plugin, "skills"))
	return slices.Concat(all, skills, p.subagents(filepath.Join(p.Plugin, "agents"), "mcp__plugin_code-intel_code-intel__")), err
}

func pretty(v any) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, encode(v), "", "  "); err != nil {
		panic(err) // it was encoded just now
	}
	return append(b.Bytes(), '\n')
}
