package session

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/session/slashcmd"
)

// lineFile holds the /code line that a person typed last.
const lineFile = "code-line"

// lineLife is how long a line binds the session that is to be started.
const lineLife = time.Hour

// A typedLine is a /code line as a hook saw it. It binds one start_session: the
// flags and the request are the person's, not the model's.
type typedLine struct {
	Line   slashcmd.Line `json:"line"`
	Client string        `json:"client"`
	Time   time.Time     `json:"time"`
	Used   string        `json:"used,omitempty"` // id of the session that was started by it
}

// lineOf returns the /code line of a prompt that a person typed.
func lineOf(e clients.Event) (slashcmd.Line, bool) {
	if e.Name != clients.Prompt || e.Agent != "" {
		return "", false
	}
	return slashcmd.Of(e.Text)
}

// keepLine keeps the /code line of a prompt for start_session.
func (s *Service) keepLine(e clients.Event) error {
	line, ok := lineOf(e)
	if !ok {
		return nil
	}
	if err := s.makeFolder(); err != nil {
		return err
	}
	return s.underLock(func() error {
		return atomicfile.Write(s.sessions(lineFile), typedLine{Line: line, Client: string(e.Client), Time: s.now()})
	})
}

// typed returns the line that binds the next session, or nil if none does.
func (s *Service) typed() (*typedLine, error) {
	var l typedLine
	err := atomicfile.Read(s.sessions(lineFile), &l)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil { // somebody has spoilt it; the next line replaces it
		s.log.Warn("the /code line cannot be read", "err", err)
		return nil, os.Remove(s.sessions(lineFile))
	}
	if age := s.now().Sub(l.Time); l.Used != "" || age > lineLife || age < -lineLife || l.Line.Request() == "" {
		return nil, nil
	}
	return &l, nil
}

// use notes that a session was started by the line, so that it binds no other.
func (s *Service) use(l *typedLine, id string) error {
	if l == nil {
		return nil
	}
	return s.underLock(func() error {
		var now typedLine
		if err := atomicfile.Read(s.sessions(lineFile), &now); err != nil || now.Line != l.Line || !now.Time.Equal(l.Time) {
			return nil // a newer one has come, for the next session
		}
		now.Used = id
		return atomicfile.Write(s.sessions(lineFile), now)
	})
}
