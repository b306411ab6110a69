// Package semantic runs semantic search in a project: it opens the embedding model that config.json names,
// keeps a vector of every chunk in the configured store, and finds the chunks that are close to a text.
//
// Nobody waits for a model: opening and embedding run in the background, and an answer uses
// what is ready. If a model or store is not available, searches do not fail: they use the
// built-in model, and say why. The kind builtin needs none of this; see package lsa.
package semantic

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"

	"codeintel/internal/embedding"
	"codeintel/internal/embedding/vectorindex"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// collection is where the vectors of chunks are, in every store.
const collection = "forest"

// A Searcher searches by one embedding model, and keeps its vectors up to date. It is safe for concurrent use.
type Searcher struct {
	name string
	x    *index.Index

	ready chan struct{} // closed when opening has ended; what follows is set then
	model embedding.Model
	store vectorstore.Store
	space *vectorindex.Space
	why   error // it cannot be had

	end  context.CancelFunc
	jobs sync.WaitGroup
}

// Open begins to open the model that p's settings name. It returns nil where that
// is the one built in. getenv is the environment.
func Open(p *project.Project, x *index.Index, getenv func(string) string, log *slog.Logger) *Searcher {
	if p.Config.EmbeddingModel == embedding.Builtin {
		return nil
	}
	ctx, end := context.WithCancel(context.Background())
	s := &Searcher{name: p.Config.EmbeddingModel, x: x, ready: make(chan struct{}), end: end}
	s.jobs.Go(func() {
		defer close(s.ready)
		if s.why = s.open(ctx, p, getenv, log); s.why != nil && ctx.Err() == nil {
			log.Warn("semantic: the embedding model is not to be had; searches go on without", "model", s.name, "error", s.why)
		}
	})
	return s
}

func (s *Searcher) open(ctx context.Context, p *project.Project, getenv func(string) string,
	log *slog.Logger) (err error) {
	s.model, err = embedding.Open(ctx, s.name, embedding.Options{Root: p.Root, Getenv: getenv, Log: log})
	if err != nil {
		return err
	}
	c := vectorstore.Collection{Name: collection, Model: s.model.ID(), Dimension: s.model.Dimension()}
	s.store, err = vectorindex.OpenStore(ctx, p.Config.VectorStore, s.x.Dir(), c, getenv, log)
	if err != nil {
		return err
	}
	if s.space, err = vectorindex.Open(ctx, s.x, s.model, s.store, log); err == nil {
		s.space.Remember(filepath.Join(s.x.Dir(), "embedded.json"))
	}
	return err
}

// Start has the vectors kept up to date in the background.
func (s *Searcher) Start() {
	if s == nil {
		return
	}
	s.jobs.Go(func() {
		<-s.ready
		if s.space != nil {
			s.space.Start()
		}
	})
}

// Sync brings the vectors up to date now. It returns why the model or the store
// cannot be had.
func (s *Searcher) Sync(ctx context.Context, progress func(done, total int)) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	if s.why != nil {
		return s.why
	}
	return s.space.Sync(ctx, func(c vectorindex.Coverage) { progress(c.Embedded, c.Total) })
}

// Missing returns why the model or the store is not available, nil if both are.
func (s *Searcher) Missing(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	return s.why
}

// wait waits until opening has ended.
func (s *Searcher) wait(ctx context.Context) error {
	select {
	case <-s.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Near returns the n chunks nearest to text, nearest first, of those that have a
// vector, and what a reader should know of that. While the model is being opened,
// or if it is not available, there are none, and the note says so.
func (s *Searcher) Near(ctx context.Context, text string, n int) (near []index.Near, note msg.Message, err error) {
	select {
	case <-s.ready:
	default:
		return nil, msg.New("embedding.model_being_opened", s.name), nil
	}
	if s.why != nil {
		return nil, s.explainMissingModel(s.why), nil
	}
	a, err := s.space.Query(softdeadline.Context(ctx), text, n)
	if err != nil {
		if ctx.Err() != nil {
			return nil, msg.Message{}, ctx.Err()
		}
		return nil, s.explainMissingModel(err), nil
	}
	near = make([]index.Near, len(a.Hits))
	for i, h := range a.Hits {
		near[i] = index.Near{Chunk: h.Chunk, Score: h.Score}
	}
	switch c := a.Coverage; {
	case c.Total == 0: // not counted since the index changed
		note = msg.New("embedding.embedded_others_not_yet", c, s.name)
	case !c.Complete():
		note = msg.New("embedding.embedded_others_by_words", c, s.name)
	}
	return near, note, nil
}

// Ready is [Searcher.Near] that first waits until the model is opened.
func (s *Searcher) Ready() *Waiting { return (*Waiting)(s) }

// Waiting is a Searcher whose answers wait for the model: for a process that asks
// once.
type Waiting Searcher

// Near is [Searcher.Near].
func (w *Waiting) Near(ctx context.Context, text string, n int) ([]index.Near, msg.Message, error) {
	s := (*Searcher)(w)
	if err := s.wait(ctx); err != nil {
		return nil, msg.Message{}, err
	}
	return s.Near(ctx, text, n)
}

// explainMissingModel says why the model is not asked, and what can be done.
func (s *Searcher) explainMissingModel(why error) msg.Message {
	reason := msg.Literal(why.Error())
	if p := problem.Of(why); p != nil {
		reason = msg.Join(" ", p.Message, msg.Listed(" ", p.Next))
	}
	return msg.New("embedding.searched_with_built_in_model", s.name, reason)
}

// Close ends what is under way and closes the model and the store.
func (s *Searcher) Close() (err error) {
	if s == nil {
		return nil
	}
	s.end()
	s.jobs.Wait()
	if s.space != nil {
		s.space.Close()
	}
	if s.store != nil {
		err = s.store.Close()
	}
	if s.model != nil {
		err = errors.Join(err, s.model.Close())
	}
	return err
}
