package service

import (
	"context"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
)

// Owner says which process has a pipeline open, "" if nobody does.
func (s *Service) Owner(ctx context.Context, path string) (string, error) {
	w, _, err := s.read(path)
	if err != nil {
		return "", err
	}
	repo, err := s.repository(ctx)
	if err != nil {
		return "", err
	}
	return locksOf(repo).Owner(w)
}

// MayStop returns a Problem if a person may not give a pipeline up by this way.
func (s *Service) MayStop(path string, by approval.Channel) error {
	w, st, err := s.read(path)
	if err != nil || by == CommandLine {
		return err
	}
	return approval.Takes((&turn{s: s, st: st}).requiredChannel(), by, msg.New("pipeline.give_it_up_in_a_terminal", w.Name()))
}

// Abandon ends a pipeline for good, whichever process has it open: a person says so.
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
