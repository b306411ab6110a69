// Package workflow contains what /code and /forge share besides their phase tables (package phase): they keep
// the line that a person typed, ask a person at a gate, and act on what a client's hook reports. The two
// differ in their tables, their handlers and their state.
package workflow

import (
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
)

// LineLife is how long a typed line binds the work that is to be started.
const LineLife = time.Hour

// SlashCommand returns the pattern that finds the word a line begins with: typed as
// a command, as a skill, or as the command of a plugin.
func SlashCommand(name string) *lazyregexp.Regexp {
	return lazyregexp.MustCompile(`^\s*[/$](?:[\w.-]+:)?` + name + `(?:\s+|$)`)
}

// Typed reports whether the event is a prompt that a person typed.
func Typed(e clients.Event) bool { return e.Name == clients.Prompt && e.Agent == "" }

// A TypedLine is a command line as a hook saw it. It binds one piece of work: the
// flags and the request are the person's, not the model's.
type TypedLine struct {
	Text   string    `json:"line"`
	Client string    `json:"client,omitempty"`
	Time   time.Time `json:"time"`
	Used   string    `json:"used,omitempty"` // id of what was started by it

	// A line of a client that keeps its conversations is to be found there. Until it is, it
	// does not take the place of the one before it.
	Unproven   bool       `json:"unproven,omitempty"`
	Transcript string     `json:"transcript,omitempty"`
	Earlier    *TypedLine `json:"earlier,omitempty"`
}

// A LineFile keeps the line that was typed last.
type LineFile struct {
	Path string
	// Locked runs a write under the lock of the folder.
	Locked func(func() error) error
	Now    func() time.Time
	Log    *slog.Logger
	// Believed reports whether a person typed a line, as far as can be told.
	Believed func(TypedLine) bool
}

// maxLines is how many lines are kept that may prove to be what was typed last.
const maxLines = 8

// Keep replaces the line, or puts one that is not proven before it.
func (f LineFile) Keep(e clients.Event, text string) error {
	return f.Locked(func() error {
		l := TypedLine{Text: text, Client: string(e.Client), Time: f.Now(), Unproven: e.Unproven,
			Transcript: e.Transcript}
		var last TypedLine
		if atomicfile.Read(f.Path, &last) == nil && f.binds(&last) &&
			(l.Unproven || last.Unproven || l.Client != last.Client) {
			if last.Text == text && last.Client == l.Client && last.Transcript == l.Transcript { // told by two hooks
				return nil
			}
			l.Earlier = &last
			at := &l
			for range maxLines - 1 {
				if at.Earlier == nil {
					break
				}
				at = at.Earlier
			}
			at.Earlier = nil
		}
		return atomicfile.Write(f.Path, l)
	})
}

// binds reports whether a line can still bind anything.
func (f LineFile) binds(l *TypedLine) bool {
	age := f.Now().Sub(l.Time)
	return l.Used == "" && age <= LineLife && age >= -LineLife
}

// Binding returns the line that binds what is started next, or nil if none does: none
// was typed, it was used, or it is too old. It prefers the last line that f.Believed accepts;
// if there is none, it returns the last line with Unproven set.
func (f LineFile) Binding() (*TypedLine, error) {
	l := new(TypedLine)
	err := atomicfile.Read(f.Path, l)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil { // somebody has spoilt it; the next line replaces it
		f.Log.Warn("the typed line cannot be read", "err", err)
		return nil, repofile.At(f.Path).Remove()
	}
	if !f.binds(l) {
		return nil, nil
	}
	for at := l; at != nil && f.binds(at); at = at.Earlier {
		if at.Unproven = !f.Believed(*at); !at.Unproven {
			return at, nil
		}
	}
	return l, nil
}

// Use notes what was started by the line, so that it binds nothing else. A line that
// has been typed since stays unused.
func (f LineFile) Use(l *TypedLine, id string) error {
	if l == nil {
		return nil
	}
	return f.Locked(func() error {
		var now TypedLine
		if err := atomicfile.Read(f.Path, &now); err != nil {
			return nil
		}
		for at := &now; at != nil; at = at.Earlier {
			if at.Text == l.Text && at.Time.Equal(l.Time) {
				at.Used, at.Earlier = id, nil
				return atomicfile.Write(f.Path, now)
			}
		}
		return nil
	})
}
