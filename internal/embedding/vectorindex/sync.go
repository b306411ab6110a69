package vectorindex

import (
	"context"
	"fmt"
	"slices"
	"time"

	"codeintel/internal/embedding"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/index"
	"codeintel/internal/problem"
)

// Sync brings the store up to date with the index: it embeds the chunks that have
// no vector and removes the vectors that have no chunk. If another process
// does that already, it returns at once and without an error. It may be cancelled
// at any time; the vectors it has added stay.
//
// From a store that others share, it removes only vectors whose chunks disappeared while it watched.
func (s *Space) Sync(ctx context.Context, progress Progress) error {
	_, err := s.sync(ctx, progress)
	return err
}

// sync is Sync. It also reports whether another process is embedding.
func (s *Space) sync(ctx context.Context, progress Progress) (elsewhere bool, err error) {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	if c, ok := s.store.(claimer); ok {
		release, err := c.Claim(ctx)
		if err != nil {
			return false, fmt.Errorf("vectorindex: sync: %w", err)
		}
		if release == nil {
			v, err := s.surveyStore(ctx)
			if err != nil {
				return true, err
			}
			s.setCoverage(Coverage{Embedded: v.embedded, Total: v.total, Syncing: v.embedded < v.total}, v, progress)
			s.setVectors(len(v.has) + len(v.foreign))
			return v.embedded < v.total, nil
		}
		defer release()
	}
	v, err := s.surveyStore(ctx)
	if err != nil {
		return false, err
	}
	w := &syncRun{Space: s, of: v, progress: progress, has: v.has, coverage: Coverage{Embedded: v.embedded, Total: v.total,
		Syncing: len(v.missing) > 0},
		batch: firstBatch}
	s.setCoverage(w.coverage, v, progress)
	if v.whole {
		err = s.drop(ctx, s.staleIDs(v))
	}
	for _, path := range v.missing {
		if err == nil {
			err = w.file(ctx, path)
		}
	}
	if err == nil {
		err = w.embed(ctx, 1)
	}
	// What is embedded is kept also when the rest is cancelled or fails.
	if putErr := w.putEmbedded(context.WithoutCancel(ctx)); err == nil {
		err = putErr
	}
	if f, ok := s.store.(flusher); ok && w.puts > 0 {
		if flushErr := f.Flush(context.WithoutCancel(ctx)); err == nil {
			err = flushErr
		}
	}
	n, countErr := s.store.Count(context.WithoutCancel(ctx))
	if s.setVectors(n); err == nil {
		err = countErr
	}
	w.coverage.Syncing = false
	s.setCoverage(w.coverage, v, progress)
	if err == nil && w.coverage.Complete() && v.whole {
		err = s.note(ctx, v.counted)
	}
	if err != nil {
		return false, fmt.Errorf("vectorindex: sync: %w", err)
	}
	return false, nil
}

// A survey compares the store with the index.
type survey struct {
	has      map[key]bool  // the vectors in the store; true if the index has their chunk
	foreign  []string      // IDs in the store that are not keys of this package
	missing  []string      // paths with chunks that have no vector
	embedded int           // number of chunks that have a vector
	total    int           // number of chunks
	needed   []key         // for a shared store: the chunks in the index
	counted  index.Version // the version of the index that was compared; zero if it changed meanwhile
	whole    bool          // the index covered all files of the project, so chunks that it lacks are gone
}

func (s *Space) surveyStore(ctx context.Context) (*survey, error) {
	v := &survey{has: make(map[key]bool), counted: s.x.Version()}
	for id, err := range s.store.IDs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("vectorindex: survey: %w", err)
		}
		if k, ok := parseKey(id); ok {
			v.has[k] = false
		} else {
			v.foreign = append(v.foreign, id)
		}
	}
	shared := s.shared()
	err := s.x.EachFileChunks(ctx, func(path string, chunks []index.ChunkInfo) error {
		missing := false
		for i := range chunks {
			k := keyOf(&chunks[i])
			if _, ok := v.has[k]; ok {
				v.has[k] = true
				v.embedded++
			} else {
				missing = true
			}
			if shared {
				v.needed = append(v.needed, k)
			}
		}
		v.total += len(chunks)
		if missing {
			v.missing = append(v.missing, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("vectorindex: survey: %w", err)
	}
	if v.whole = s.x.Whole(); !v.whole || s.x.Version() != v.counted {
		v.counted, v.whole = index.Version{}, false // the counts belong to no single version of the index
	}
	return v, nil
}

func (s *Space) setVectors(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vectors = n
}

func (s *Space) shared() bool {
	sh, ok := s.store.(sharer)
	return ok && sh.Shared()
}

// staleIDs lists what is to be taken out of the store.
func (s *Space) staleIDs(v *survey) []string {
	if !s.shared() {
		return v.unknown()
	}
	var ids []string
	needed := make(map[key]bool, len(v.needed))
	for _, k := range v.needed {
		needed[k] = true
	}
	for k := range s.mine {
		if has, there := v.has[k]; there && !has {
			ids = append(ids, k.String())
		}
	}
	s.mine = needed
	return ids
}

// unknown lists what the store has and the index has not.
func (v *survey) unknown() []string {
	ids := v.foreign
	for k, known := range v.has {
		if !known {
			ids = append(ids, k.String())
		}
	}
	return ids
}

const dropBatch = 4096

func (s *Space) drop(ctx context.Context, ids []string) error {
	for some := range slices.Chunk(ids, dropBatch) {
		if err := s.store.Delete(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// Sizes of what is done at once. Batches grow while the model is quick, so that a
// slow one is never long away and a quick one is not kept waiting.
const (
	firstBatch = 16
	largeBatch = 4096
	quick      = 150 * time.Millisecond
	slow       = time.Second
	putItems   = 4096
	putTime    = 2 * time.Second // what a kill may lose
	putBytes   = 16 << 20        // of vectors
	textBytes  = 8 << 20
)

// A syncRun is one Sync under way.
type syncRun struct {
	*Space
	of       *survey
	progress Progress
	has      map[key]bool // grows
	coverage Coverage
	batch    int

	waiting []pendingText // to be embedded
	bytes   int           // of their texts
	items   []vectorstore.Item
	chunks  int // that items stand for
	since   time.Time
	puts    int
}

// A pendingText is a text that has no vector yet.
type pendingText struct {
	text   string
	item   vectorstore.Item
	chunks int // that have it
}

// file has the chunks of a file embedded that have no vector. One that is gone is
// passed over.
func (w *syncRun) file(ctx context.Context, path string) error {
	chunks, err := w.x.ChunkTexts(ctx, path)
	if problem.Of(err) != nil {
		return nil
	}
	if err != nil {
		return err
	}
	fresh := make(map[key]int) // index in waiting
	for i := range chunks {
		c := &chunks[i]
		k := keyOf(c)
		if at, ok := fresh[k]; ok {
			w.waiting[at].chunks++
			continue
		}
		if _, ok := w.has[k]; ok {
			continue
		}
		fresh[k] = len(w.waiting)
		w.has[k] = true
		p := pendingText{text: passage(c), chunks: 1, item: vectorstore.Item{ID: k.String(),
			Meta: map[string]string{metaPath: c.File, metaLanguage: string(c.Language)}}}
		w.waiting = append(w.waiting, p)
		w.bytes += len(p.text)
	}
	if w.bytes >= textBytes {
		return w.embed(ctx, 1)
	}
	return w.embed(ctx, w.batch)
}

// embed embeds what waits, while that is at least so much.
func (w *syncRun) embed(ctx context.Context, least int) error {
	for len(w.waiting) >= least {
		n := min(len(w.waiting), w.batch)
		texts := make([]string, n)
		for i := range texts {
			texts[i] = w.waiting[i].text
		}
		began := w.now()
		all, err := w.model.Embed(ctx, embedding.Passage, texts)
		if err != nil {
			return err
		}
		if len(all) != n {
			return fmt.Errorf("%d vectors for %d texts", len(all), n)
		}
		if w.since.IsZero() {
			w.since = began
		}
		for i, v := range all {
			w.waiting[i].item.Vector = v
			w.items = append(w.items, w.waiting[i].item)
			w.chunks += w.waiting[i].chunks
			w.bytes -= len(texts[i])
		}
		clear(w.waiting[:n])
		w.waiting = w.waiting[n:]
		now := w.now()
		switch elapsed := now.Sub(began); {
		case elapsed < quick && n == w.batch:
			w.batch = min(2*w.batch, largeBatch)
		case elapsed > slow:
			w.batch = max(w.batch/2, 1)
		}
		if len(w.items) >= putItems || len(w.items)*w.model.Dimension()*4 >= putBytes || now.Sub(w.since) >= putTime {
			if err := w.putEmbedded(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// putEmbedded puts what is embedded into the store.
func (w *syncRun) putEmbedded(ctx context.Context) error {
	if len(w.items) == 0 {
		return nil
	}
	if err := w.store.Upsert(ctx, w.items); err != nil {
		return err
	}
	w.coverage.Embedded += w.chunks
	w.items, w.chunks, w.since = w.items[:0], 0, time.Time{}
	w.puts++
	w.setCoverage(w.coverage, w.of, w.progress)
	return nil
}
