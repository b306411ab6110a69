package service

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/clients/transcript"
	"codeintel/internal/git"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
)

// notWhatWasAsked is the code of a pipeline that a person did not ask for.
const notWhatWasAsked problem.Code = "not_what_was_asked"

var forgeCommand = workflow.SlashCommand("forge")

// Typed reports whether the event is a /forge line that a person typed.
func Typed(e clients.Event) bool { return workflow.Typed(e) && forgeCommand.MatchString(e.Text) }

// lineFile holds what the person typed last after /forge.
func (s *Service) lineFile(repo *git.Repo) workflow.LineFile {
	path := filepath.Join(locksOf(repo).Dir, "line.json")
	locked := func(write func() error) error { return atomicfile.Under(path+".lock", write) }
	return workflow.LineFile{Path: path, Locked: locked, Now: s.o.Now, Log: s.o.Log,
		Believed: func(l workflow.TypedLine) bool {
			if !l.Unproven {
				return true
			}
			c, ok := transcript.Of(registry.All.Find(clients.ID(l.Client)), l.Transcript)
			return ok && c.Typed("forge", l.Text)
		}}
}

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
		err = repofile.At(locksOf(repo).Dir).MakeFolder(0o755)
	}
	if err != nil {
		return fmt.Errorf("forge: keep the line: %w", err)
	}
	return s.lineFile(repo).Keep(e, strings.TrimSpace(forgeCommand.ReplaceAllString(e.Text, "")))
}

// typed returns the line that binds the next pipeline, or nil if none does. A line
// that asks for nothing binds nothing.
func (s *Service) typed(ctx context.Context) (*workflow.TypedLine, error) {
	repo, err := s.repository(ctx)
	if problem.Of(err) != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := s.lineFile(repo).Binding()
	if l == nil || err != nil || l.Text == "" {
		return nil, err
	}
	return l, nil
}

// noteUsed notes what the line has led to, so that it binds nothing else.
func (s *Service) noteUsed(ctx context.Context, workspace string) error {
	l, err := s.typed(ctx)
	if l == nil || err != nil {
		return err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return err
	}
	return s.lineFile(repo).Use(l, workspace)
}

// asked refuses a pipeline whose flags or request are not those of the line. Of an
// issue the request is what the issue says.
func (s *Service) asked(ctx context.Context, r request.Request) error {
	l, err := s.typed(ctx)
	if l == nil || err != nil {
		return err
	}
	meant, errs := s.parse(l.Text)
	if len(errs) == 0 && sameFlags(meant.Flags, r.Flags) && meant.Workspace == r.Workspace &&
		meant.Source == r.Source &&
		(meant.Source.Tracked() || meant.Source.Type == request.GitHubPull || sameWords(meant.Text, r.Text)) {
		return nil
	}
	return problem.New(notWhatWasAsked, "pipeline.user_typed_after_forge_call", text.Clip(l.Text, 300)).
		Or("pipeline.init_with_the_typed_arguments", msg.CallOf(op.PipelineInit, "arguments", text.Clip(l.Text, 500))).
		Or("pipeline.if_user_wants_something_else")
}

func sameFlags(a, b request.Flags) bool {
	a.CurrentBranch, b.CurrentBranch = "", ""
	return reflect.DeepEqual(a, b)
}

func sameWords(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}
