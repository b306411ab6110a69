package session

import (
	"context"
	"slices"

	"codeintel/internal/platform/op"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/reviewpages"
	"codeintel/internal/session/state"
)

// A ReviewRequest asks for the change, or its next page.
type ReviewRequest struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the last answer; left out for the first page"`
}

// ReviewChanges shows the whole change since the base commit, page by page, and
// remembers which pages of which change were shown.
func (s *Service) ReviewChanges(ctx context.Context, req ReviewRequest) (*answer.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureOpen("", op.ReviewChanges); err != nil {
		return nil, err
	}
	t, err := s.beginTurn()
	if err != nil {
		return nil, err
	}
	changes, err := t.Own(ctx)
	if err != nil {
		return nil, err
	}
	now, err := t.Fingerprint(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := reviewpages.Of(ctx, &t.Tree, changes)
	if err != nil {
		return nil, err
	}
	n, err := reviewpages.Page(req.Cursor, now, len(pages))
	if err != nil {
		return nil, err
	}
	if t.State.Review == nil || t.State.Review.Fingerprint != now {
		t.State.Review = &state.Review{Fingerprint: now, Pages: len(pages)}
	}
	if !slices.Contains(t.State.Review.Delivered, n) {
		t.State.Review.Delivered = append(t.State.Review.Delivered, n)
	}
	a := &answer.Review{Changed: len(changes), Diff: pages[n], Page: n + 1, Pages: len(pages),
		Delivered: t.State.Review.Whole()}
	if n == 0 {
		a.Files = reviewpages.Listed(changes)
		if t.State.Phase == phases.PreCommit {
			if a.Warnings, err = t.reasonsNeeded(ctx, changes); err != nil {
				return nil, err
			}
		}
	}
	if n+1 < len(pages) {
		a.NextCursor = reviewpages.Cursor(now, n+1)
	}
	return a, t.save()
}
