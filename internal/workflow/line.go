// Package workflow holds what /code and /forge do alike around their phase tables
// (package phase): they keep the line that a person typed, ask a person at a gate,
// and decide on what the hook of a client reports. The two differ in their tables,
// their handlers and what they keep.
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
}

// A LineFile keeps the line that was typed last.
type LineFile struct {
	Path string
	// Locked runs a write under the lock of the folder.
	Locked func(func() error) error
	Now    func() time.Time
	Log    *slog.Logger
}

// Keep replaces the line.
func (f LineFile) Keep(e clients.Event, text string) error {
	return f.Locked(func() error {
		return atomicfile.Write(f.Path, TypedLine{Text: text, Client: string(e.Client), Time: f.Now()})
	})
}

// Binding returns the line that binds what is started next, or nil if none does: none
// was typed, it was used, or it is too old.
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
	if age := f.Now().Sub(l.Time); l.Used != "" || age > LineLife || age < -LineLife {
		return nil, nil
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
		if err := atomicfile.Read(f.Path, &now); err != nil || now.Text != l.Text || !now.Time.Equal(l.Time) {
			return nil
		}
		now.Used = id
		return atomicfile.Write(f.Path, now)
	})
}
