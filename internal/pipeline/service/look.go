package service

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/approval"
	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// maxLook is how much of a text is shown to somebody who looks on, in characters.
const maxLook = 200_000

// Artifact returns a text that an agent or the server wrote in a pipeline.
func (s *Service) Artifact(path, name string) (string, error) {
	w, _, err := s.read(path)
	if err != nil {
		return "", err
	}
	names, err := w.Artifacts()
	if err != nil {
		return "", err
	}
	if !slices.Contains(names, name) {
		return "", problem.New(problem.InvalidArgument, "pipeline.no_such_artifact", w.Path(), name)
	}
	content, err := w.Read(name)
	return text.Clip(content, maxLook), err
}

// TaskDiff returns what the commit of a task changed; "" if the task has none.
func (s *Service) TaskDiff(ctx context.Context, path, id string) (string, error) {
	w, st, err := s.read(path)
	if err != nil {
		return "", err
	}
	k := st.Task(id)
	if k == nil {
		return "", problem.New(problem.InvalidArgument, "pipeline.no_such_task_in_pipeline", w.Path(), id)
	}
	repo, err := s.repository(ctx)
	if err != nil || k.Commit == "" {
		return "", err
	}
	commit, err := repo.Resolve(ctx, k.Commit) // the state may be a stranger's
	if commit == "" || err != nil {
		return "", err
	}
	diff := &head{most: maxLook}
	_, err = repo.Do(ctx, git.Command{Args: []string{"show", "--format=", "--patch", "--no-color", commit}, Out: diff})
	return strings.ToValidUTF8(diff.String(), "\ufffd"), err
}

// A head keeps the beginning of what is written to it.
type head struct {
	strings.Builder
	most int
}

func (h *head) Write(p []byte) (int, error) {
	_, _ = h.Builder.Write(p[:min(len(p), max(0, h.most-h.Len()))])
	return len(p), nil
}

// Leader says who leads a pipeline, "" if nobody does.
func (s *Service) Leader(ctx context.Context, path string) (string, error) {
	w, _, err := s.read(path)
	if err != nil {
		return "", err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return "", err
	}
	return locksOf(repo).Leader(w)
}

// MayStop returns a Problem if a person may not give a pipeline up by this way.
func (s *Service) MayStop(path string, by approval.Channel) error {
	w, st, err := s.read(path)
	if err != nil || by == CommandLine {
		return err
	}
	return approval.Takes((&turn{s: s, st: st}).demand(), by, msg.New("pipeline.give_it_up_in_a_terminal", w.Name()))
}

// Abandon ends a pipeline for good, whoever leads it: a person says so.
func (s *Service) Abandon(ctx context.Context, path, reason string, by approval.Channel) (*ResumeInfo, error) {
	if err := s.MayStop(path, by); err != nil {
		return nil, err
	}
	t, err := s.openForDecision(ctx, path)
	if err != nil {
		return nil, err
	}
	t.st.Abandon(reason, string(by))
	if err := t.save(); err != nil {
		return nil, err
	}
	return s.info(t.st), t.remember(ctx, engine.StatusAbandoned)
}
