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

// A Keeper keeps one model at work. It is safe for concurrent use.
type Keeper struct {
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
func Open(p *project.Project, x *index.Index, getenv func(string) string, log *slog.Logger) *Keeper {
	if p.Config.EmbeddingModel == embedding.Builtin {
		return nil
	}
	ctx, end := context.WithCancel(context.Background())
	k := &Keeper{name: p.Config.EmbeddingModel, x: x, ready: make(chan struct{}), end: end}
	k.jobs.Go(func() {
		defer close(k.ready)
		if k.why = k.open(ctx, p, getenv, log); k.why != nil && ctx.Err() == nil {
			log.Warn("semantic: the embedding model is not to be had; searches go on without", "model", k.name, "error", k.why)
		}
	})
	return k
}

func (k *Keeper) open(ctx context.Context, p *project.Project, getenv func(string) string,
	log *slog.Logger) (err error) {
	k.model, err = embedding.Open(ctx, k.name, embedding.Options{Root: p.Root, Getenv: getenv, Log: log})
	if err != nil {
		return err
	}
	c := vectorstore.Collection{Name: collection, Model: k.model.ID(), Dimension: k.model.Dimension()}
	k.store, err = vectorindex.OpenStore(ctx, p.Config.VectorStore, k.x.Dir(), c, getenv, log)
	if err != nil {
		return err
	}
	if k.space, err = vectorindex.Open(ctx, k.x, k.model, k.store, log); err == nil {
		k.space.Remember(filepath.Join(k.x.Dir(), "embedded.json"))
	}
	return err
}

// Start has the vectors kept up to date in the background.
func (k *Keeper) Start() {
	if k == nil {
		return
	}
	k.jobs.Go(func() {
		<-k.ready
		if k.space != nil {
			k.space.Start()
		}
	})
}

// Sync brings the vectors up to date now. It returns why the model or the store
// cannot be had.
func (k *Keeper) Sync(ctx context.Context, progress func(done, total int)) error {
	if err := k.wait(ctx); err != nil {
		return err
	}
	if k.why != nil {
		return k.why
	}
	return k.space.Sync(ctx, func(c vectorindex.Coverage) { progress(c.Embedded, c.Total) })
}

// Missing returns why the model or the store is not available, nil if both are.
func (k *Keeper) Missing(ctx context.Context) error {
	if k == nil {
		return nil
	}
	if err := k.wait(ctx); err != nil {
		return err
	}
	return k.why
}

// wait waits until opening has ended.
func (k *Keeper) wait(ctx context.Context) error {
	select {
	case <-k.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Near returns the n chunks nearest to text, nearest first, of those that have a
// vector, and what a reader should know of that. While the model is being opened,
// or if it is not available, there are none, and the note says so.
func (k *Keeper) Near(ctx context.Context, text string, n int) (near []index.Near, note msg.Message, err error) {
	select {
	case <-k.ready:
	default:
		return nil, msg.New("embedding.model_being_opened", k.name), nil
	}
	if k.why != nil {
		return nil, k.without(k.why), nil
	}
	a, err := k.space.Query(softdeadline.Context(ctx), text, n)
	if err != nil {
		if ctx.Err() != nil {
			return nil, msg.Message{}, ctx.Err()
		}
		return nil, k.without(err), nil
	}
	near = make([]index.Near, len(a.Hits))
	for i, h := range a.Hits {
		near[i] = index.Near{Chunk: h.Chunk, Score: h.Score}
	}
	switch c := a.Coverage; {
	case c.Total == 0: // not counted since the index changed
		note = msg.New("embedding.embedded_others_not_yet", c, k.name)
	case !c.Complete():
		note = msg.New("embedding.embedded_others_by_words", c, k.name)
	}
	return near, note, nil
}

// Ready is [Keeper.Near] that first waits until the model is opened.
func (k *Keeper) Ready() *Waiting { return (*Waiting)(k) }

// Waiting is a Keeper whose answers wait for the model: for a process that asks
// once.
type Waiting Keeper

// Near is [Keeper.Near].
func (w *Waiting) Near(ctx context.Context, text string, n int) ([]index.Near, msg.Message, error) {
	k := (*Keeper)(w)
	if err := k.wait(ctx); err != nil {
		return nil, msg.Message{}, err
	}
	return k.Near(ctx, text, n)
}

// without says why the model is not asked, and what can be done.
func (k *Keeper) without(why error) msg.Message {
	reason := msg.Literal(why.Error())
	if p := problem.Of(why); p != nil {
		reason = msg.Join(" ", p.Message, msg.Listed(" ", p.Next))
	}
	return msg.New("embedding.searched_with_built_in_model", k.name, reason)
}

// Close ends what is under way and closes the model and the store.
func (k *Keeper) Close() (err error) {
	if k == nil {
		return nil
	}
	k.end()
	k.jobs.Wait()
	if k.space != nil {
		k.space.Close()
	}
	if k.store != nil {
		err = k.store.Close()
	}
	if k.model != nil {
		err = errors.Join(err, k.model.Close())
	}
	return err
}
