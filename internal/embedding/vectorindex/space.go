package vectorindex

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"codeintel/internal/embedding"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/index"
	"codeintel/internal/problem"
)

// A Space holds the vectors of an index. It is safe for concurrent use.
type Space struct {
	x     *index.Index
	model embedding.Model
	store vectorstore.Store
	log   *slog.Logger
	now   func() time.Time

	syncing sync.Mutex   // one Sync of this process at a time
	mine    map[key]bool // under syncing, of a shared store: what the last Sync wanted

	mu       sync.Mutex
	coverage Coverage
	counted  index.Version      // the state of the index that coverage is of
	vectors  int                // in the store then
	whole    whole              // when all was embedded last, maybe by another process
	notes    string             // file of whole; "": none is kept
	stop     context.CancelFunc // of what Start began; nil: nothing runs

	nudged  chan struct{}
	running sync.WaitGroup
}

// Open returns the space of an index by a model, with the vectors that the store
// has. The store must be of that model. All three stay the caller's to close,
// after the space. It embeds nothing: see [Space.Sync] and [Space.Start].
func Open(ctx context.Context, x *index.Index, m embedding.Model, s vectorstore.Store,
	log *slog.Logger) (*Space, error) {
	n, err := s.Count(ctx)
	if err != nil {
		return nil, fmt.Errorf("vectorindex: open: %w", err)
	}
	return &Space{x: x, model: m, store: s, log: log, now: time.Now, coverage: Coverage{Embedded: n},
		nudged: make(chan struct{}, 1)}, nil
}

// Coverage says how much is embedded, as of what is known now.
func (s *Space) Coverage() Coverage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.coverage
}

// setCoverage sets it, as of a survey.
func (s *Space) setCoverage(c Coverage, of *survey, progress Progress) {
	s.mu.Lock()
	s.coverage, s.counted = c, of.counted
	s.mu.Unlock()
	if progress != nil {
		progress(c)
	}
}

// Waits of the goroutine that Start begins.
const (
	firstRetry = 15 * time.Second // after an error; doubled each time
	lastRetry  = 10 * time.Minute
	otherWait  = 3 * time.Second // while another process embeds
	forever    = 1 << 62
)

// Start has a goroutine do Sync, now and whenever [Space.Nudge] is called, until
// Close. What goes wrong there is logged and tried again.
func (s *Space) Start() {
	ctx, stop := context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		stop()
		return
	}
	s.stop = stop
	s.running.Go(func() { s.syncLoop(ctx) })
}

// syncLoop does Sync whenever there is reason to.
func (s *Space) syncLoop(ctx context.Context) {
	retry := firstRetry
	for {
		wait := time.Duration(forever) // until a nudge
		elsewhere, err := s.sync(ctx, nil)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.log.Warn("similarity: sync", "error", err, "retry", retry)
			wait, retry = retry, min(2*retry, lastRetry)
		case elsewhere:
			wait, retry = otherWait, firstRetry
		default:
			retry = firstRetry
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-s.nudged:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Nudge says that the index has changed. It returns at once.
func (s *Space) Nudge() {
	select {
	case s.nudged <- struct{}{}:
	default: // one is waiting already
	}
}

// Close ends what Start began and waits for its end.
func (s *Space) Close() {
	s.mu.Lock()
	stop := s.stop
	s.stop = func() {} // nothing can be started any more
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	s.running.Wait()
}

// Query returns the k chunks nearest to text. It never waits for Sync; what the coverage
// says holds for the index as it is now.
func (s *Space) Query(ctx context.Context, text string, k int) (Answer, error) {
	var a Answer
	if k <= 0 {
		return a, nil
	}
	vector, err := s.embedQuery(ctx, text)
	if err != nil {
		return a, err
	}
	for n := k + k/4 + 4; ; n *= 4 { // some more, because some may be stale
		hits, err := s.nearest(ctx, vector, n)
		if err != nil {
			return a, err
		}
		a.Hits, a.Stale = a.Hits[:0], 0
		for _, h := range hits {
			if len(a.Hits) == k {
				break
			}
			c, ok, err := s.chunk(ctx, h)
			if err != nil {
				return a, err
			}
			if !ok {
				a.Stale++
				continue
			}
			a.Hits = append(a.Hits, Hit{Chunk: c, Score: h.Score})
		}
		if len(a.Hits) == k || len(hits) < n || n > maxStale*k {
			a.Coverage, err = s.known(ctx) // last, since the query may have found damage
			return a, err
		}
	}
}

// maxStale is how many times the wanted number of hits is looked at, at least,
// before an answer with fewer is given.
const maxStale = 64

func (s *Space) embedQuery(ctx context.Context, text string) ([]float32, error) {
	all, err := s.model.Embed(ctx, embedding.Query, []string{text})
	if err != nil {
		return nil, fmt.Errorf("vectorindex: query: %w", err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("vectorindex: query: %d vectors for one text", len(all))
	}
	return all[0], nil
}

// nearest asks the store. Damage that it tells of is healed in the background.
func (s *Space) nearest(ctx context.Context, vector []float32, n int) ([]vectorstore.Hit, error) {
	hits, err := s.store.Query(ctx, vector, n)
	if errors.Is(err, vectorstore.ErrCorrupt) {
		s.Nudge()
		hits, err = s.store.Query(ctx, vector, n)
	}
	if err != nil {
		return nil, fmt.Errorf("vectorindex: query: %w", err)
	}
	return hits, nil
}

// chunk returns the chunk that a hit stands for, if it is still in the index.
func (s *Space) chunk(ctx context.Context, h vectorstore.Hit) (c index.ChunkInfo, ok bool, err error) {
	path := h.Meta[metaPath]
	k, valid := parseKey(h.ID)
	if path == "" || !valid {
		return c, false, nil
	}
	chunks, err := s.x.ChunksByText(ctx, path, k.fingerprint())
	if err != nil && problem.Of(err) == nil {
		return c, false, fmt.Errorf("vectorindex: query: %w", err)
	}
	for i := range chunks {
		if keyOf(&chunks[i]) == k {
			return chunks[i], true, nil
		}
	}
	return c, false, nil
}
