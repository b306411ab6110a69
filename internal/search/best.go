package search

import (
	"context"
	"fmt"

	"codeintel/internal/index"
)

// Best returns the n pieces of code that answer query best, best first, of files
// as they are now, without their text.
func (e *Engine) Best(ctx context.Context, query string, n int) ([]index.Hit, error) {
	if err := required("query", query, `{"query": "where are requests retried"}`); err != nil {
		return nil, err
	}
	if _, err := e.refresh(ctx); err != nil {
		return nil, err
	}
	hits, err := e.x.Rank(ctx, query, n)
	if err != nil {
		return nil, fmt.Errorf("search: rank: %w", err)
	}
	return hits, nil
}
