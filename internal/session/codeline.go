package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/client"
	"codeintel/internal/lazy"
	"codeintel/internal/problem"
	"codeintel/internal/statefile"
)

// NotWhatWasAsked is the code of a session that a person did not ask for.
const NotWhatWasAsked problem.Code = "not_what_was_asked"

// lineFile holds the /code line that a person typed last.
const lineFile = "code-line"

// lineLife is how long a line binds the session that is to be started.
const lineLife = time.Hour

// A typedLine is a /code line as a hook saw it. It binds one start_session: the
// flags and the request are the person's, not the model's.
type typedLine struct {
	Line   string    `json:"line"` // the whole prompt
	Client string    `json:"client"`
	Time   time.Time `json:"time"`
	Used   string    `json:"used,omitempty"` // id of the session that was started by it
}

// codeCommand finds the word that begins a /code line: typed as a command, as a
// skill, or as the command of a plugin.
var codeCommand = lazy.MustCompile(`^\s*[/$](?:[\w.-]+:)?code(?:\s+|$)`)

// codeLine returns the /code line of a prompt that a person typed.
func codeLine(e client.Event) (line string, ok bool) {
	if e.Name != client.Prompt || e.Agent != "" || !codeCommand.MatchString(e.Text) {
		return "", false
	}
	return strings.TrimSpace(e.Text), true
}

// keepLine keeps the /code line of a prompt for start_session.
func (s *Service) keepLine(e client.Event) error {
	line, ok := codeLine(e)
	if !ok {
		return nil
	}
	if err := s.makeFolder(); err != nil {
		return err
	}
	return s.underLock(func() error {
		return statefile.Write(s.sessions(lineFile), typedLine{Line: line, Client: string(e.Client), Time: s.now()})
	})
}

// typed returns the line that binds the next session, or nil if none does.
func (s *Service) typed() (*typedLine, error) {
	var l typedLine
	err := statefile.Read(s.sessions(lineFile), &l)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil { // somebody has spoilt it; the next line replaces it
		s.log.Warn("the /code line cannot be read", "err", err)
		return nil, os.Remove(s.sessions(lineFile))
	}
	if age := s.now().Sub(l.Time); l.Used != "" || age > lineLife || age < -lineLife || l.request() == "" {
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
		if err := statefile.Read(s.sessions(lineFile), &now); err != nil || now.Line != l.Line || !now.Time.Equal(l.Time) {
			return nil // a newer one has come, for the next session
		}
		now.Used = id
		return statefile.Write(s.sessions(lineFile), now)
	})
}

// asked refuses a session whose request or flags are not those of the line.
func (l *typedLine) asked(query string, flags Flags) error {
	if l == nil {
		return nil
	}
	outer, all := l.flags()
	meant, err := ParseFlags(outer)
	if err != nil { // the person mistyped one; the model is to ask
		return problem.New(NotWhatWasAsked, fmt.Sprintf("The user typed %q, whose flags do not hold: %v", clip(l.Line, 300), err),
			"Tell the user, and ask for the line again, typed as /code [flags] request.")
	}
	loose, looseErr := ParseFlags(all) // an option word within the request may be meant as one
	sameFlags := flags.equal(meant) || looseErr == nil && flags.equal(loose)
	if sameFlags && request(query) == l.request() {
		return nil
	}
	return problem.New(NotWhatWasAsked, fmt.Sprintf("The user typed %q; this call asks for something else.", clip(l.Line, 300)),
		fmt.Sprintf("start_session(query=%q, flags=[%s], intent=…): the request word for word, and the flags as typed.", clip(l.request(), 500), strings.Join(quotedWords(outer), ", ")),
		"If the user wants something else now: ask for a new line, typed as /code [flags] request.")
}

func quotedWords(words []string) (quoted []string) {
	for _, w := range words {
		quoted = append(quoted, fmt.Sprintf("%q", w))
	}
	return quoted
}

func (f Flags) equal(o Flags) bool {
	docs := slices.Equal(slices.Sorted(slices.Values(f.DocPrompts)), slices.Sorted(slices.Values(o.DocPrompts)))
	f.DocPrompts, o.DocPrompts = nil, nil
	return docs && fmt.Sprint(f) == fmt.Sprint(o)
}

// request returns the request of the line without its option words.
func (l *typedLine) request() string { return request(l.Line) }

// request returns a text in one spelling: NFKC, every run of white space one
// blank, without the command and without option words.
func request(text string) string {
	text = codeCommand.ReplaceAllString(norm.NFKC.String(text), "")
	return strings.Join(slices.DeleteFunc(strings.Fields(text), isFlag), " ")
}

// flags returns the option words at both ends of the line, and all that are in it.
func (l *typedLine) flags() (outer, all []string) {
	words := strings.Fields(codeCommand.ReplaceAllString(norm.NFKC.String(l.Line), ""))
	first, last := 0, len(words)
	for first < last && isFlag(words[first]) {
		first++
	}
	for last > first && isFlag(words[last-1]) {
		last--
	}
	outer = slices.Concat(words[:first], words[last:])
	return outer, slices.DeleteFunc(words, func(w string) bool { return !isFlag(w) })
}

// isFlag reports whether a word is one of the option words, in whatever form.
func isFlag(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return slices.ContainsFunc(options, func(o option) bool { return name == o.long || o.short != "" && name == o.short })
}
