// Package opencode describes opencode as its documentation does. It has plugins instead of
// hooks: ours, plugin.js, asks the program and does what the answer says.
package opencode

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"text/template"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
	"codeintel/internal/platform/lazyregexp"
)

//go:embed write_probe.json
var writeProbe []byte

// Client is opencode.
var Client = &clients.Client{
	Setup: &install.Client{
		ID: "opencode", Title: "opencode",
		Entries:    entries,
		Skills:     func(p install.Place) string { return filepath.Join(openCodeFolder(p), "skills") },
		Rules:      "AGENTS.md",
		GuardEvent: "tool.execute.before",
	},
	Command: "opencode",
	Hooks: &clients.Hooks{
		Events: map[string]clients.Name{
			"tool.execute.before": clients.Before, "tool.execute.after": clients.After, "chat.message": clients.Prompt,
			"session.compacted": clients.Compact, "session.idle": clients.Stop,
		},
		Tools: map[string]clients.Kind{
			"edit": clients.Write, "write": clients.Write, "patch": clients.Write, "apply_patch": clients.Patch,
			"bash": clients.Shell, "read": clients.Read, "grep": clients.Search, "glob": clients.List, "task": clients.Agent,
		},
		Answer: func(_ clients.Event, r clients.Reply) clients.Output {
			return clients.Answer{}.With("deny", r.Deny).With("context", r.Context).With("note", r.Note).Output()
		},
	},
	Protected:     []string{".opencode/opencode.json*", ".opencode/plugin*/", "opencode.json*"},
	ProtectedHome: []string{".config/opencode/"},
	WriteProbe:    writeProbe,
}

// openCodeFolder is where opencode looks for plugins and skills.
func openCodeFolder(p install.Place) string {
	if p.Scope == install.User {
		return filepath.Join(p.XDG, "opencode")
	}
	return filepath.Join(p.Root, ".opencode")
}

func entries(p install.Place) ([]install.Entry, error) {
	dir := p.Root
	if p.Scope == install.User {
		dir = openCodeFolder(p)
	}
	file := filepath.Join(dir, "opencode.json")
	if withComments := file + "c"; install.Exists(withComments) && !install.Exists(file) {
		file = withComments
	}
	text, err := plugin(p.Program)
	return []install.Entry{
		install.ServerEntry(file, []string{"mcp", install.Server}, func(program string) any {
			return struct {
				Type    string   `json:"type"`
				Command []string `json:"command"`
				Enabled bool     `json:"enabled"`
			}{"local", []string{program, "mcp"}, true}
		}),
		{Kind: install.Whole, File: filepath.Join(openCodeFolder(p), "plugins", "code-intel.js"), Text: text, Inspect: inspect},
	}, err
}

//go:embed plugin.js
var source string

// plugin returns the text of our plugin.
func plugin(program string) ([]byte, error) {
	t, err := template.New("plugin.js").Parse(source)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]string{"Program": install.QuoteJSON(program)})
	return b.Bytes(), err
}

// programLine finds the program that a plugin asks.
var programLine = lazyregexp.MustCompile(`(?m)^const program = (".*");?$`)

func inspect(text []byte) (int, install.Ask) {
	m := programLine.FindStringSubmatch(string(text))
	if m == nil {
		return 0, install.Ask{}
	}
	ask := install.Ask{Program: install.UnquoteJSON(m[1]), Args: []string{"hook", "opencode", "tool.execute.before"}}
	return bytes.Count(text, []byte("await ask(")), ask
}
