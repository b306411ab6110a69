// Package install registers code-intel with coding agents, and takes it out again:
// the MCP server, the hooks, the skills, the agents of a pipeline.
//
// What a client needs is a list of wishes (wants.go); what they come to, given the
// files as they are, is a [Plan], which can be shown before anything is written.
// Settings of a person are changed by inserting what is ours and by nothing else. A
// memory of the user's (memory.go) notes what was made, so that uninstall leaves the
// files as they would be had it never been there. What somebody has changed in ours is
// his: it stays, and the plan says so.
package install

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"codeintel/internal/problem"
)

// A Name is that of a client.
type Name string

// The clients.
const (
	Claude   Name = "claude"
	Codex    Name = "codex"
	Cursor   Name = "cursor"
	Copilot  Name = "copilot"
	Gemini   Name = "gemini"
	Opencode Name = "opencode"
	VSCode   Name = "vscode"
)

// Names returns all of them.
func Names() []Name { return []Name{Claude, Codex, Cursor, Copilot, Gemini, Opencode, VSCode} }

// A Scope says for whom a client is set up.
type Scope string

// The scopes.
const (
	Project Scope = "project" // for whoever works in the project
	User    Scope = "user"    // for this user, in every project
)

// The codes of a Problem.
const (
	UnknownClient problem.Code = "unknown_client"
	Unreadable    problem.Code = "settings_unreadable"
	Meanwhile     problem.Code = "changed_meanwhile"
)

// A Place says what is installed, and where. Its paths are absolute.
type Place struct {
	Client  Name
	Scope   Scope
	Root    string // of the project
	Plugin  string // of Claude Code only: a folder that becomes a plugin, in place of everything else
	Program string // what the clients are to start
	Lang    string // of the skills
	Status  bool   // of Claude Code only: its status line shows the session, if it shows nothing yet
	Rules   []byte // for a CLAUDE.md or AGENTS.md where the project has no rules at all; nil: it has

	Home   string // the user's
	Config string // where the user's programs keep settings
	XDG    string // where they do that hold to XDG on every system
	Claude string // where Claude Code keeps its own, if not in .claude
	Codex  string // where Codex does, if not in .codex
	State  string // where the memory lies
}

// An Action says what becomes of a file.
type Action string

// The actions.
const (
	Create Action = "create"
	Update Action = "update"
	Remove Action = "remove"
)

// A Change is what becomes of one file.
type Change struct {
	Path   string `json:"path"`
	Action Action `json:"action"`

	before, after []byte // nil: no file
	target        string // where the path leads, by links
	ours          bool   // from beginning to end
}

// A Note is what a person should know about a file.
type Note struct {
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

// A Plan is what is to be done.
type Plan struct {
	Changes []Change `json:"changes"`
	Notes   []Note   `json:"notes,omitempty"`

	place  Place
	memory *memory
}

// Empty reports whether nothing is to be done.
func (p *Plan) Empty() bool { return len(p.Changes) == 0 }

// Diff shows the changes as a unified diff, without the files that are ours from
// beginning to end: those are only made, or removed.
func (p *Plan) Diff() string {
	var b strings.Builder
	for _, c := range p.Changes {
		if c.ours && c.Action != Update {
			continue
		}
		b.Write(diff.Diff(p.name(c.Path, c.before), c.before, p.name(c.Path, c.after), c.after))
	}
	return b.String()
}

func (p *Plan) name(path string, text []byte) string {
	if text == nil {
		return "/dev/null"
	}
	return path
}

// Next returns what is left for the person to do once a place is set up.
func (p Place) Next() []string {
	switch {
	case p.Plugin != "":
		return []string{"Start Claude Code with it: claude --plugin-dir " + quote(p.Plugin) + ". Its commands are /code-intel:code, /code-intel:forge and /code-intel:outcome."}
	case p.Client == Claude && p.Scope == Project:
		return []string{"Claude Code asks once whether to start the server of .mcp.json: say yes. Then type /code and what you want."}
	case p.Client == Claude:
		return []string{"Start Claude Code anew, and type /code and what you want."}
	case p.Client == Codex:
		return []string{"Codex runs hooks only once you trust them: type /hooks there, and look at them. Then type $code and what you want.",
			"Codex reads the settings of a project only if you trust the project."}
	case p.Client == VSCode:
		return []string{"VS Code takes hooks and skills from the files of Copilot: code-intel install copilot."}
	}
	return []string{"Start the client anew, and ask for the skill code."}
}

// Install plans what is missing at a place. What is there already is not touched.
func Install(p Place) (*Plan, error) {
	return p.plan(func(plan *Plan, d *draft, wants []want) error {
		ours, err := d.anyOf(wants)
		if err != nil {
			return err
		}
		if !ours { // what was made once has been taken away by hand
			plan.memory.forget(d.path)
		}
		for _, w := range wants {
			if w.asked && !p.Status {
				continue
			}
			if err := d.install(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// Uninstall plans to take away what [Install] has put there.
func Uninstall(p Place) (*Plan, error) {
	return p.plan(func(plan *Plan, d *draft, wants []want) error {
		for _, w := range slices.Backward(wants) {
			if err := d.uninstall(w); err != nil {
				return err
			}
		}
		if wants[0].kind != whole {
			plan.memory.forget(d.path)
		}
		return nil
	})
}

// plan goes through the files that a client needs something of.
func (p Place) plan(each func(*Plan, *draft, []want) error) (*Plan, error) {
	if !slices.Contains(Names(), p.Client) {
		return nil, problem.Newf(UnknownClient, "There is no client %q.", p.Client).Or("Name one of: " + list(Names()) + ".")
	}
	if p.Scope != Project && p.Scope != User {
		return nil, problem.Newf(problem.InvalidArgument, "The scope is %q.", p.Scope).Or("Use project or user.")
	}
	if p.Status && (p.Plugin != "" || p.Client != Claude) {
		return nil, problem.New(problem.InvalidArgument, "Only the settings of Claude Code hold a status line.", "Leave --statusline out.")
	}
	if p.Plugin != "" && p.Client != Claude {
		return nil, problem.Newf(problem.InvalidArgument, "A plugin is for Claude Code, not for %s.", p.Client).Or("Leave the plugin out.")
	}
	m, err := remember(p.State)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Changes: []Change{}, place: p, memory: m}
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	for _, wants := range files {
		d, err := plan.read(wants[0].file)
		if err != nil {
			return nil, err
		}
		if err := each(plan, d, wants); err != nil {
			return nil, err
		}
		d.finish(wants[0].kind == whole)
	}
	return plan, nil
}

// files returns what a client needs, file by file.
func (p Place) files() (files [][]want, err error) {
	wants, err := p.wants()
	for _, w := range wants {
		i := slices.IndexFunc(files, func(f []want) bool { return f[0].file == w.file })
		if i < 0 {
			i, files = len(files), append(files, nil)
		}
		files[i] = append(files[i], w)
	}
	return files, err
}

func list[T ~string](names []T) string {
	var all []string
	for _, n := range names {
		all = append(all, string(n))
	}
	return strings.Join(all, ", ")
}

// note adds a note.
func (p *Plan) note(path, format string, args ...any) {
	p.Notes = append(p.Notes, Note{Path: path, Text: fmt.Sprintf(format, args...)})
}

// finish adds what a draft came to.
func (d *draft) finish(ours bool) {
	if bytes.Equal(d.before, d.text) && (d.before == nil) == (d.text == nil) {
		return
	}
	c := Change{Path: d.path, Action: Update, before: d.before, after: d.text, target: d.target, ours: ours}
	switch {
	case d.before == nil:
		c.Action = Create
	case d.text == nil:
		c.Action = Remove
	}
	d.plan.Changes = append(d.plan.Changes, c)
	if c.Action == Create {
		for dir := filepath.Dir(d.target); !exists(dir); dir = filepath.Dir(dir) {
			if !slices.Contains(d.plan.memory.Dirs, dir) {
				d.plan.memory.Dirs = append(d.plan.memory.Dirs, dir)
			}
		}
	}
}
