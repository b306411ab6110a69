// Package install registers code-intel with coding agents, and removes it again: the MCP server, the hooks,
// the skills, and the agents of a pipeline.
//
// What a client needs is a list of entries (entries.go). A [Plan] says what they change in
// the files as they are, and can be shown before anything is written. Settings files are
// changed only by inserting our own entries. A record in the user's own folder (memory.go)
// notes what was inserted, so that uninstall restores the files to what they would be
// without it. Entries of ours that were edited stay, and the plan says so.
package install

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

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
	Client  *Client
	Scope   Scope
	Root    string // of the project
	Plugin  string // of clients with plugins: a folder that becomes one, in place of everything else
	Program string // what the client is to start
	Lang    string // of the skills
	Status  bool   // of clients with a status line: it shows the session, if it shows nothing yet
	Rules   []byte // for the client's file of rules where the project has no rules at all; nil: it has

	Home     string // the user's
	Config   string // where the user's programs keep settings
	XDG      string // where programs do that follow XDG on every system
	Settings string // where the client keeps the user's settings, if an environment variable says so
	State    string // where install notes what it has written
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
	Path string      `json:"path,omitempty"`
	Text msg.Message `json:"text"`
}

// A Plan is a list of changes to files.
type Plan struct {
	Changes []Change `json:"changes"`
	Notes   []Note   `json:"notes,omitempty"`

	place  Place
	memory *memory
}

// Empty reports whether there is nothing to change.
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
	if p.Client.Next == nil {
		return []string{"Start the client anew, and ask for the skill code."}
	}
	return p.Client.Next(p)
}

// Install plans what is missing at a place. What is there already is not touched.
func Install(p Place) (*Plan, error) {
	return p.plan(func(plan *Plan, d *draft, entries []Entry) error {
		ours, err := d.anyOf(entries)
		if err != nil {
			return err
		}
		if !ours { // what was made once has been taken away by hand
			plan.memory.forget(d.path)
		}
		for _, e := range entries {
			if e.OnRequest && !p.Status {
				continue
			}
			if err := d.install(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Uninstall plans to take away what [Install] has put there.
func Uninstall(p Place) (*Plan, error) {
	return p.plan(func(plan *Plan, d *draft, entries []Entry) error {
		for _, e := range slices.Backward(entries) {
			if err := d.uninstall(e); err != nil {
				return err
			}
		}
		if entries[0].Kind != Whole {
			plan.memory.forget(d.path)
		}
		return nil
	})
}

// plan goes through the files that a client needs something of.
func (p Place) plan(each func(*Plan, *draft, []Entry) error) (*Plan, error) {
	if p.Client == nil {
		return nil, problem.New(UnknownClient, "install.no_client").Or("install.help_lists_clients")
	}
	if p.Scope != Project && p.Scope != User {
		return nil, problem.New(problem.InvalidArgument, "install.wrong_scope", string(p.Scope)).Or("install.use_scope")
	}
	if p.Status && (p.Plugin != "" || !p.Client.StatusLine) {
		return nil, problem.New(problem.InvalidArgument, "install.no_status_line", p.Client.Title).
			Or("install.leave_out", msg.Param("statusline"))
	}
	if p.Plugin != "" && p.Client.Plugin == nil {
		return nil, problem.New(problem.InvalidArgument, "install.no_plugins", p.Client.Title).
			Or("install.leave_out", msg.Param("plugin"))
	}
	m, err := readMemory(p.State)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Changes: []Change{}, place: p, memory: m}
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	for _, entries := range files {
		d, err := plan.read(entries[0].File)
		if err != nil {
			return nil, err
		}
		if err := each(plan, d, entries); err != nil {
			return nil, err
		}
		d.finish(entries[0].Kind == Whole)
	}
	return plan, nil
}

// files returns what a client needs, file by file.
func (p Place) files() (files [][]Entry, err error) {
	entries, err := p.entries()
	for _, e := range entries {
		i := slices.IndexFunc(files, func(f []Entry) bool { return f[0].File == e.File })
		if i < 0 {
			i, files = len(files), append(files, nil)
		}
		files[i] = append(files[i], e)
	}
	return files, err
}

// note adds a note.
func (p *Plan) note(path, key string, args ...any) {
	p.Notes = append(p.Notes, Note{Path: path, Text: msg.New(key, args...)})
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
		for dir := filepath.Dir(d.target); !Exists(dir); dir = filepath.Dir(dir) {
			if !slices.Contains(d.plan.memory.Dirs, dir) {
				d.plan.memory.Dirs = append(d.plan.memory.Dirs, dir)
			}
		}
	}
}
