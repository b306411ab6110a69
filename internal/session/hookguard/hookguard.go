// Package hookguard decides whether a tool call or command line that a client's hook announces may run in the
// current phase of a session. It applies the rules of package policy to each event; package writablefiles
// supplies what the session has seen.
package hookguard

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/clients/transcript"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/policy"
	"codeintel/internal/session/trustedtexts"
	"codeintel/internal/session/writablefiles"
	"codeintel/internal/shellcheck"
	"codeintel/internal/text"
)

// A Guard decides on the tool calls of one session.
type Guard struct {
	Project *project.Project
	Scope   writablefiles.Scope
}

// Decide decides on the tool call that an event announces, and returns the files whose change it approves.
func (g Guard) Decide(ctx context.Context, e clients.Event) (d policy.Decision, approved []string, err error) {
	switch e.Kind {
	case clients.Write:
		return g.write(ctx, e)
	case clients.Foreign:
		return g.otherServer(ctx, e)
	case clients.Shell:
		d, approved, err = g.shell(ctx, e)
		if err == nil && d.Allowed && len(e.Files) > 0 { // a patch, by way of a shell
			return g.write(ctx, e)
		}
		return d, approved, err
	}
	return policy.Decision{Allowed: true}, nil, nil
}

// write decides on the files that a tool is about to write: all or none.
func (g Guard) write(ctx context.Context, e clients.Event) (d policy.Decision, approved []string, err error) {
	if len(e.Files) == 0 && !g.Scope.Permissions.Writing {
		return policy.Decide(policy.Target{Path: "(a file that " + e.Tool + " does not name)"}, g.Scope.Permissions), nil, nil
	}
	for _, f := range e.Files {
		target, names, err := g.Scope.Decide(ctx, project.From(e.Dir, f.Path), true)
		if err != nil {
			return d, nil, err
		}
		if !target.Allowed {
			return policy.Decision{Reason: target.Reason, Next: target.Ways}, nil, nil
		}
		approved = append(approved, names...)
	}
	return policy.Decision{Allowed: true}, text.Distinct(approved), nil
}

// otherServer decides on a tool of another server whose name does not say that it only
// reads: while nothing may be written, only those that the user listed may be called. Where
// files are written, a command that it takes is held like one of a shell.
func (g Guard) otherServer(ctx context.Context, e clients.Event) (d policy.Decision, approved []string, err error) {
	reading, left := trustedtexts.ReadOnlyCommands(g.Project)
	for _, entry := range reading {
		if entry == e.Tool || entry == "mcp__"+e.Server {
			return policy.Decision{Allowed: true}, nil, nil
		}
	}
	switch {
	case !g.Scope.Permissions.Writing:
		return withoutList(policy.DecideOtherServerTool(e.Tool, g.Scope.Permissions), left), nil, nil
	case e.Command != "":
		return g.shell(ctx, e)
	}
	return policy.Decision{Allowed: true}, nil, nil
}

// inTerminal reports whether a command is to run in a terminal of which its client tells no hook.
func inTerminal(e clients.Event) bool {
	c := registry.All.Find(e.Client)
	if c == nil || c.Hooks == nil || !c.Hooks.Terminals {
		return false
	}
	home, _ := os.UserHomeDir() // without one no client keeps anything there
	return transcript.InTerminal(c, e.Transcript, e.Call, home, os.Getenv)
}

// shell decides on a command line. The files that it is known to write are
// approved if check_write_target would approve them; the audit will report others as
// unapproved.
func (g Guard) shell(ctx context.Context, e clients.Event) (d policy.Decision, approved []string, err error) {
	if !g.Scope.Permissions.Writing && (e.TTY || inTerminal(e)) {
		return policy.DecideInteractive(g.Scope.Permissions), nil, nil
	}
	inspect := shellcheck.Inspect
	if strings.EqualFold(e.Tool, "PowerShell") {
		inspect = shellcheck.PowerShell
	}
	reading, left := trustedtexts.ReadOnlyCommands(g.Project)
	effect, err := inspect(e.Command, reading)
	if err != nil {
		return policy.DecideCommand(policy.Command{Unparsed: err.Error()}, g.Scope.Permissions), nil, nil
	}
	c := policy.Command{NotReading: effect.NotReading(), Tests: effect.Tests, History: effect.History, People: effect.People,
		Unclear: effect.Unclear}
	for _, w := range effect.Writes {
		touch, file, err := g.touchOf(e, w.Path)
		if err != nil {
			return d, nil, err
		}
		touch.Remove, touch.Glob, touch.Tree = w.Remove, w.Glob, w.Tree
		c.Touched = append(c.Touched, touch)
		if !touch.Outside && !w.Glob {
			if target, names, err := g.Scope.Decide(ctx, file, true); err == nil && target.Allowed {
				approved = append(approved, names...)
			}
		}
		others := w.Also
		if w.Glob {
			matches, _ := filepath.Glob(file) // a pattern that is none matches nothing
			others = slices.Concat(others, matches[:min(len(matches), 1000)])
		}
		for _, other := range others {
			if touch, _, err := g.touchOf(e, other); err == nil && !touch.Outside {
				touch.Named = true
				c.Touched = append(c.Touched, touch)
			}
		}
	}
	for _, name := range effect.Named {
		if touch, _, err := g.touchOf(e, name); err == nil {
			touch.Named = true
			c.Touched = append(c.Touched, touch)
		}
	}
	return withoutList(policy.DecideCommand(c, g.Scope.Permissions), left && len(c.NotReading) > 0), text.Distinct(approved), nil
}

// withoutList adds to a denial, if so, that what the project lists as reading does not count.
func withoutList(d policy.Decision, left bool) policy.Decision {
	if left && !d.Allowed {
		d.Next = append(d.Next, trustedtexts.LeftOut(trustedtexts.Settings))
	}
	return d
}

// touchOf brings a path of a command line to the project.
func (g Guard) touchOf(e clients.Event, name string) (t policy.Touch, file string, err error) {
	file, t.Path = project.From(e.Dir, name), name
	switch rel, err := g.Project.Resolve(file); {
	case problem.Of(err) != nil:
		t.Outside = true
	case err != nil:
		return t, file, err
	default:
		t.Path = rel
	}
	return t, file, nil
}

// Lines limits a read to the lines that the file has. It returns false if the read shows no
// line of a file of the project.
func (g Guard) Lines(e clients.Event, r shellcheck.Read) (shown.Lines, bool) {
	rel, err := g.Project.Resolve(project.From(e.Dir, r.Path))
	if err != nil {
		return shown.Lines{}, false
	}
	n, err := countLines(g.Project.Abs(rel))
	if err != nil || n == 0 {
		return shown.Lines{}, false
	}
	if r.Some { // which ones is not known; that there were some is
		return shown.Lines{File: rel}, true
	}
	start, end := r.Start, r.End
	if start < 0 {
		start = max(1, n+start+1)
	}
	if end == 0 || end > n {
		end = n
	}
	return shown.Lines{File: rel, Start: start, End: end}, start <= end
}

func countLines(file string) (int, error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() || info.Size() > 64<<20 {
		return 0, fmt.Errorf("%s: %w", file, fs.ErrInvalid)
	}
	data, err := repofile.At(file).Read(repofile.Records)
	if err != nil || len(data) == 0 {
		return 0, err
	}
	n := strings.Count(string(data), "\n")
	if data[len(data)-1] != '\n' {
		n++
	}
	return n, nil
}
