package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/git"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/problem"
)

// NotWhatWasAsked is the code of a pipeline that a person did not ask for.
const NotWhatWasAsked problem.Code = "not_what_was_asked"

// lineLife is how long a line binds the pipeline that is to be made.
const lineLife = time.Hour

// A typedLine is a /forge line as a hook saw it. It binds one pipeline: the flags,
// --auto above all, and the request are the person's, not the model's.
type typedLine struct {
	Line string    `json:"line"` // what follows /forge
	Time time.Time `json:"time"`
	Used string    `json:"used,omitempty"` // the workspace that was made, or taken up, by it
}

// forgeCommand finds the word that begins a /forge line: typed as a command, as a
// skill, or as the command of a plugin.
var forgeCommand = regexp.MustCompile(`^\s*[/$](?:[\w.-]+:)?forge(?:\s+|$)`)

// Typed reports whether the event is a /forge line that a person typed.
func Typed(e clients.Event) bool {
	return e.Name == clients.Prompt && e.Agent == "" && forgeCommand.MatchString(e.Text)
}

func lineFile(repo *git.Repo) string { return filepath.Join(locksOf(repo).Dir, "line.json") }

// keepLine keeps the line of a prompt for pipeline_init.
func (s *Service) keepLine(ctx context.Context, e clients.Event) error {
	if !Typed(e) {
		return nil
	}
	repo, err := s.repository(ctx)
	if problem.Of(err) != nil { // where no pipeline can be made either
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(lineFile(repo)), 0o755)
	}
	if err != nil {
		return fmt.Errorf("forge: keep the line: %w", err)
	}
	text := strings.TrimSpace(forgeCommand.ReplaceAllString(e.Text, ""))
	return atomicfile.Write(lineFile(repo), typedLine{Line: text, Time: s.o.Now()})
}

// typed returns the line that binds the next pipeline, or nil if none does.
func (s *Service) typed(ctx context.Context) (*typedLine, error) {
	repo, err := s.repository(ctx)
	if problem.Of(err) != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var l typedLine
	err = atomicfile.Read(lineFile(repo), &l)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil { // somebody has spoilt it; the next line replaces it
		s.o.Log.Warn("the /forge line cannot be read", "err", err)
		return nil, nil
	}
	if age := s.o.Now().Sub(l.Time); l.Used != "" || age > lineLife || age < -lineLife || l.Line == "" {
		return nil, nil
	}
	return &l, nil
}

// use notes what the line has led to, so that it binds nothing else.
func (s *Service) use(ctx context.Context, workspace string) error {
	l, err := s.typed(ctx)
	if l == nil || err != nil {
		return err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return err
	}
	l.Used = workspace
	return atomicfile.Write(lineFile(repo), l)
}

// asked refuses a pipeline whose flags or request are not those of the line. Of an
// issue the request is what the issue says.
func (s *Service) asked(ctx context.Context, r request.Request) error {
	l, err := s.typed(ctx)
	if l == nil || err != nil {
		return err
	}
	meant, errs := request.Parse(l.Line, s.parseOptions())
	if len(errs) == 0 && sameFlags(meant.Flags, r.Flags) && meant.Workspace == r.Workspace && meant.Source == r.Source &&
		(meant.Source.Type != request.Text || sameWords(meant.Text, r.Text)) {
		return nil
	}
	return problem.Newf(NotWhatWasAsked, "The user typed %q after /forge; this call asks for something else.", clip(l.Line, 300)).
		Or(fmt.Sprintf("pipeline_init(arguments=%q), and then the flags and the text as it returns them.", clip(l.Line, 500))).
		Or("If the user wants something else now: ask for a new line, typed as /forge [flags] request.")
}

func sameFlags(a, b request.Flags) bool {
	a.CurrentBranch, b.CurrentBranch = "", ""
	return reflect.DeepEqual(a, b)
}

func sameWords(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}
