package session

import (
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/clients/transcript"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/workflow"
)

// lineFile holds the /code line that a person typed last.
const lineFile = "code-line"

func (s *Service) lineFile() workflow.LineFile {
	return workflow.LineFile{Path: s.folder().Path(lineFile), Locked: s.folder().Under, Now: s.now,
		Log: s.log, Believed: s.isTypedByPerson}
}

// Typed reports whether the event is a /code line that a person typed.
func Typed(e clients.Event) bool {
	_, ok := lineOf(e)
	return ok
}

// isTypedByPerson reports whether a person typed a /code line: the client's conversation holds it,
// or the client keeps none, and the one at the other end does not either.
func (s *Service) isTypedByPerson(l workflow.TypedLine) bool {
	name, _ := s.connected.Load().(string)
	for _, c := range registry.All.WithHooks() {
		if c.Hooks.Transcripts != "" && strings.HasPrefix(name, string(c.ID())) && l.Client != "" && l.Client != string(c.ID()) {
			return false
		}
	}
	if !l.Unproven {
		return true
	}
	_, arguments, _ := strings.Cut(strings.TrimSpace(l.Text), " ")
	c, ok := transcript.Of(registry.All.Find(clients.ID(l.Client)), l.Transcript)
	return ok && c.Typed("code", arguments)
}

// Connected notes what the client calls itself that makes the next calls.
func (s *Service) Connected(name string) { s.connected.Store(strings.ToLower(name)) }

// lineOf returns the /code line of a prompt that a person typed.
func lineOf(e clients.Event) (codecommand.Line, bool) {
	if !workflow.Typed(e) {
		return "", false
	}
	return codecommand.Of(e.Text)
}

// keepLine keeps the /code line of a prompt for start_session.
func (s *Service) keepLine(e clients.Event) error {
	line, ok := lineOf(e)
	if !ok {
		return nil
	}
	if err := s.folder().Make(); err != nil {
		return err
	}
	return s.lineFile().Keep(e, string(line))
}

// checkTypedLine refuses a session whose flags or request are not those of the line that
// binds it, which it returns. A line that asks for nothing binds nothing.
func (s *Service) checkTypedLine(query string, flags codecommand.Flags) (*workflow.TypedLine, error) {
	typed, err := s.lineFile().Binding()
	if typed == nil || err != nil {
		return nil, err
	}
	line := codecommand.Line(typed.Text)
	if line.Request() == "" {
		return nil, nil
	}
	if !flags.Clean && !flags.Resume && strings.TrimSpace(query) != "" {
		err = line.Asks(query, flags)
	}
	return typed, err
}
