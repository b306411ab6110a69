package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/clients/jsonedit"
)

// A Standing is how an installation is found.
type Standing struct {
	Server  string   // the program that the client starts as server; empty: none
	Hooks   int      // events that the program is asked at
	Missing []string // what install would add
	Ask     Ask      // the hook before a write; zero: none
	Off     string   // the file that switches all hooks off
	Trust   Trust    // what the client notes of trust in the hooks
}

// A Trust says whether a client runs hooks.
type Trust string

// What is known of trust in hooks.
const (
	NoTrustNeeded Trust = ""
	Noted         Trust = "noted" // for these hooks, whatever they were then
	NotNoted      Trust = "not noted"
)

// An Ask is how a client starts the hook before a write: without a shell, or by a
// line that a shell reads.
type Ask struct {
	Program string
	Args    []string
	Line    string
}

// Look tells how a place is set up. It changes nothing.
func Look(p Place) (*Standing, error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	s, plan := &Standing{}, &Plan{place: p, memory: &memory{Files: map[string]*trace{}}}
	for _, wants := range files {
		d, err := plan.read(wants[0].file)
		if err != nil {
			return nil, err
		}
		for _, w := range wants {
			if err := s.add(d, w); err != nil {
				return nil, err
			}
		}
	}
	if p.Client == Codex && s.Hooks > 0 {
		err = s.codexTrust(p)
	}
	return s, err
}

// add takes in what is found of a wish.
func (s *Standing) add(d *draft, w want) error {
	if w.asked {
		return nil
	}
	missing := func() { s.Missing = append(s.Missing, strings.TrimSpace(d.path+" "+strings.Join(w.at, "."))) }
	switch w.kind {
	case member:
		have, err := d.get(w.at...)
		if err != nil {
			return err
		}
		if have == nil {
			missing()
		} else if !w.soft {
			s.Server = firstWord(have)
		}
	case element:
		all, err := jsonedit.Elements(d.text, w.at...)
		if err != nil {
			return d.broken(err)
		}
		if off, _ := d.get("disableAllHooks"); string(off) == "true" {
			s.Off = d.path
		}
		i := slices.IndexFunc(all, w.mentioned)
		if i < 0 {
			missing()
			return nil
		}
		s.hook(w, all[i])
	case block:
		if m := tomlServer.FindSubmatch(d.text); m != nil {
			s.Server = unquoteTOML(string(m[1]))
		} else {
			missing()
		}
	case whole:
		if w.ifNone {
			return nil
		}
		if d.before == nil {
			missing()
		} else if strings.HasSuffix(w.file, "code-intel.json") || strings.HasSuffix(w.file, "code-intel.js") {
			s.whole(d.text)
		}
	}
	return nil
}

// tomlServer finds the program in the table of our server.
var tomlServer = regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?code-intel"?[ \t]*\](?:[ \t]*\r?\n[^\[\r\n]*)*?\r?\n[ \t]*command[ \t]*=[ \t]*("(?:[^"\\]|\\.)*")`)

// firstWord returns what a server is started by.
func firstWord(value []byte) string {
	var v struct {
		Command json.RawMessage `json:"command"`
	}
	var one string
	var many []string
	if json.Unmarshal(value, &v) == nil && json.Unmarshal(v.Command, &one) != nil && json.Unmarshal(v.Command, &many) == nil && len(many) > 0 {
		one = many[0]
	}
	return one
}

var writeEvents = []string{"hook claude PreToolUse", "hook codex PreToolUse", "hook cursor preToolUse", "hook gemini BeforeTool"}

// hook takes in a hook that is there.
func (s *Standing) hook(w want, value []byte) {
	s.Hooks++
	if !slices.Contains(writeEvents, w.ask) {
		return
	}
	var g struct {
		group
		Command string `json:"command"` // Cursor's
	}
	if json.Unmarshal(value, &g) != nil {
		return
	}
	s.Ask.Line = g.Command
	if len(g.Hooks) > 0 {
		s.Ask.Line = g.Hooks[0].Command
		if args := g.Hooks[0].Args; args != nil {
			s.Ask = Ask{Program: g.Hooks[0].Command, Args: args}
		}
	}
}

var (
	bashLine    = regexp.MustCompile(`"bash": ("(?:[^"\\]|\\.)*hook copilot preToolUse")`)
	shimProgram = regexp.MustCompile(`(?m)^const program = (".*")$`)
)

// whole takes in a file of hooks that is ours.
func (s *Standing) whole(text []byte) {
	if m := bashLine.FindSubmatch(text); m != nil {
		s.Hooks += bytes.Count(text, []byte(`"bash": `))
		s.Ask.Line = unquoteTOML(string(m[1]))
	}
	if m := shimProgram.FindSubmatch(text); m != nil {
		s.Hooks += bytes.Count(text, []byte("await ask("))
		s.Ask = Ask{Program: unquoteTOML(string(m[1])), Args: []string{"hook", "opencode", "tool.execute.before"}}
	}
}

// codexTrust looks for what Codex has noted of the hook before a write.
func (s *Standing) codexTrust(p Place) error {
	user := filepath.Join(p.Home, ".codex")
	if p.Codex != "" {
		user = p.Codex
	}
	file := filepath.Join(p.Root, ".codex", "hooks.json")
	if p.Scope == User {
		file = filepath.Join(user, "hooks.json")
	}
	text, err := os.ReadFile(filepath.Join(user, "config.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("install: %w", err)
	}
	if s.Trust = NotNoted; bytes.Contains(text, []byte(`[hooks.state."`+strings.Trim(quoteJSON(file), `"`)+":pre_tool_use:")) {
		s.Trust = Noted
	}
	return nil
}
