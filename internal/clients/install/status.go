package install

import (
	"encoding/json"
	"slices"
	"strings"

	"codeintel/internal/clients/jsonedit"
	"codeintel/internal/platform/lazyregexp"
)

// An Installation is what was found of an installation.
type Installation struct {
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

// Starts returns the program that a hook starts, or "" where its command is another than install
// writes.
func (a Ask) Starts(p Place) string {
	rest := p.HookCommand(Hook{Event: p.Client.GuardEvent})
	if a.Line == "" && strings.Join(a.Args, " ") == rest {
		return a.Program
	}
	word, ok := strings.CutSuffix(a.Line, " "+rest)
	if program := unquote(word); ok && Quote(program) == word {
		return program
	}
	return ""
}

// Look reports how a place is set up. It changes nothing.
func Look(p Place) (*Installation, error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	s, plan := &Installation{}, &Plan{place: p, memory: &memory{Files: map[string]*trace{}}}
	for _, entries := range files {
		d, err := plan.read(entries[0].File)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if err := s.add(d, e); err != nil {
				return nil, err
			}
		}
	}
	if p.Client.Trust != nil && s.Hooks > 0 {
		s.Trust, err = p.Client.Trust(p)
	}
	return s, err
}

// add records what is found of an entry.
func (s *Installation) add(d *draft, e Entry) error {
	if e.OnRequest {
		return nil
	}
	missing := func() { s.Missing = append(s.Missing, strings.TrimSpace(d.path+" "+strings.Join(e.At, "."))) }
	switch e.Kind {
	case Member:
		have, err := d.get(e.At...)
		if err != nil {
			return err
		}
		if have == nil {
			missing()
		} else if !e.AnyValue {
			s.Server = firstWord(have)
		}
	case Element:
		all, err := jsonedit.Elements(d.text, e.At...)
		if err != nil {
			return d.broken(err)
		}
		if off, _ := d.get("disableAllHooks"); string(off) == "true" {
			s.Off = d.path
		}
		i := slices.IndexFunc(all, e.mentioned)
		if i < 0 {
			missing()
			return nil
		}
		s.hook(e, all[i])
	case Block:
		if m := tomlServer.FindStringSubmatch(string(d.text)); m != nil {
			s.Server = UnquoteJSON(m[1])
		} else {
			missing()
		}
	case Whole:
		if e.IfMissing {
			return nil
		}
		if d.before == nil {
			missing()
		} else if e.Inspect != nil {
			hooks, ask := e.Inspect(d.text)
			if s.Hooks += hooks; ask.Line != "" || ask.Program != "" {
				s.Ask = ask
			}
		}
	}
	return nil
}

// tomlServer finds the program in the table of our server.
var tomlServer = lazyregexp.MustCompile(`(?m)^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?code-intel"?[ \t]*\](?:[ \t]*\r?\n[^\[\r\n]*)*?\r?\n[ \t]*command[ \t]*=[ \t]*("(?:[^"\\]|\\.)*")`)

// firstWord returns what a server is started by.
func firstWord(value []byte) string {
	var v struct {
		Command json.RawMessage `json:"command"`
	}
	var one string
	var many []string
	if json.Unmarshal(value, &v) == nil && json.Unmarshal(v.Command, &one) != nil && json.Unmarshal(v.Command,
		&many) == nil && len(many) > 0 {
		one = many[0]
	}
	return one
}

func (s *Installation) hook(e Entry, value []byte) {
	s.Hooks++
	if !e.Guards {
		return
	}
	var g struct {
		Group
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
