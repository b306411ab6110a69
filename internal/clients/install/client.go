package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"codeintel/internal/clients/prompts"
	"codeintel/internal/platform/lazyregexp"
)

// A Client says how a coding agent is set up.
type Client struct {
	ID    string // as users type it: code-intel install ID
	Title string // "Claude Code"

	// Entries returns what registers the server and the hooks, in the order in which
	// it is shown.
	Entries func(p Place) ([]Entry, error)
	// Skills returns the folder of its skills. It is nil if the client reads those of
	// another.
	Skills func(p Place) string
	// Rules is the file of a project in which the client reads rules, with slashes;
	// empty if install is to write none.
	Rules string
	// OwnRules is set if Rules is the file of this client alone: it is written even
	// where others have rules.
	OwnRules bool
	// Plugin returns the entries of a plugin, which is in p.Plugin. It is nil if the
	// client has no plugins.
	Plugin     func(p Place) ([]Entry, error)
	StatusLine bool // its settings hold a status line, which can show the session

	// GuardEvent is the hook that is asked before a write.
	GuardEvent string
	// Trust returns what the client notes of trust in our hooks, and TrustStep what a
	// person does for it. They are empty if it runs hooks without.
	Trust     func(p Place) (Trust, error)
	TrustStep string
	// Hooked reports whether the client would still run our hooks, by its settings as
	// they are now. home is that of the user. It is nil if the client does not report
	// changes of its settings.
	Hooked func(root, home string, env func(string) string) bool

	// Next returns what is left for a person to do. It is nil if that is nothing
	// special.
	Next func(p Place) []string
}

// Server is the name by which clients know our server.
const Server = "code-intel"

// HookSeconds is how long a hook may take before its client goes on without it. The
// program answers within 200 ms; a loaded machine is slower.
const HookSeconds = 10

// ServerArgs are the arguments that start the server in the folder of the project, and
// RootedArgs those for clients that may start it elsewhere.
var (
	ServerArgs = []string{"mcp"}
	RootedArgs = []string{"mcp", "--root", "${workspaceFolder}"}
)

// A Stdio is how most clients write a server that they start.
type Stdio struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Tools   []string `json:"tools,omitempty"`
}

// A Hook is one event of a client that the program answers. The matcher, in the
// client's own syntax, says for which tools; empty: for all.
type Hook struct{ Event, Matcher string }

// A Group is how Claude Code, Codex and Gemini CLI write hooks: some, for what matches.
type Group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []Handler `json:"hooks"`
}

// A Handler is one command of a Group.
type Handler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"`
}

// entries returns what a client needs, in the order in which it is shown.
func (p Place) entries() ([]Entry, error) {
	if p.Plugin != "" {
		return p.Client.Plugin(p)
	}
	all, err := p.Client.Entries(p)
	if err != nil || p.Client.Skills == nil {
		return all, err
	}
	skills, err := p.SkillFiles(p.Client.Skills(p))
	return append(append(all, skills...), p.rules()...), err
}

// Base is the folder that paths of the scope are relative to.
func (p Place) Base() string {
	if p.Scope == User {
		return p.Home
	}
	return p.Root
}

// UserSettings returns the folder of the user's settings: the one that an environment
// variable names, else the folder of that name in the home.
func (p Place) UserSettings(folder string) string {
	if p.Settings != "" {
		return p.Settings
	}
	return filepath.Join(p.Home, folder)
}

// ServerEntry registers the server in a file of JSON.
func ServerEntry(file string, at []string, value func(program string) any) Entry {
	return Entry{Kind: Member, File: file, At: at, JSON: value}
}

// HookEntries registers the hooks in a file of JSON, each as an element of the array
// that its event has in the object "hooks".
func (p Place) HookEntries(file string, hooks []Hook, value func(h Hook, program string) any) (all []Entry) {
	for _, h := range hooks {
		all = append(all, Entry{
			Kind: Element, File: file, At: []string{"hooks", h.Event}, Command: p.HookCommand(h),
			Guards: h.Event == p.Client.GuardEvent,
			JSON:   func(program string) any { return value(h, program) },
		})
	}
	return all
}

// HookCommand is how the command of a hook goes on after the program.
func (p Place) HookCommand(h Hook) string { return fmt.Sprintf("hook %s %s", p.Client.ID, h.Event) }

// HookLine is the command line of a hook, for a shell.
func (p Place) HookLine(h Hook, program string) string {
	return Quote(program) + " " + p.HookCommand(h)
}

var plain = lazyregexp.MustCompile(`^[\w./:@%+=,-]+$`)

// Quote makes one word for a shell.
func Quote(word string) string {
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

// SkillFiles returns the skills, as files below a folder.
func (p Place) SkillFiles(dir string) (all []Entry, err error) {
	for _, name := range prompts.Skills() {
		inLanguage := func(lang string) ([]byte, error) {
			text, err := prompts.Skill(name, lang)
			return []byte(text), err
		}
		text, err := inLanguage(p.Lang)
		if err != nil {
			return nil, err
		}
		all = append(all, Entry{Kind: Whole, File: filepath.Join(dir, name, "SKILL.md"), Text: text, InLanguage: inLanguage})
	}
	return all, nil
}

// rules are a beginning for the rules of a project that has none.
func (p Place) rules() []Entry {
	if p.Scope == User || p.Client.Rules == "" {
		return nil
	}
	file := filepath.Join(p.Root, filepath.FromSlash(p.Client.Rules))
	if p.Rules == nil && !Exists(file) {
		return nil
	}
	return []Entry{{Kind: Whole, File: file, Text: p.Rules, IfMissing: true}}
}

// Exists reports whether there is a file, folder or link of that name.
func Exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// Pretty returns indented JSON.
func Pretty(v any) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, encode(v), "", "  "); err != nil {
		panic(err) // it was encoded just now
	}
	return append(b.Bytes(), '\n')
}
