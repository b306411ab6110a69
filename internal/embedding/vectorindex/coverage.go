package vectorindex

import (
	"context"
	"fmt"

	"codeintel/internal/index"
	"codeintel/internal/platform/atomicfile"
)

// A whole says for which files every chunk has its vector. It spares a process that asks
// once the counting of all chunks.
type whole struct {
	Model   string         `json:"model"`
	Vectors int            `json:"vectors"` // in the store
	Index   index.Contents `json:"index"`
}

// known is the coverage as far as it holds for the index as it is now: what was counted
// before the index changed, or before vectors were lost, says nothing of now. Then the
// chunks are counted again in the background, unless it was noted that the same files have
// all their vectors.
func (s *Space) known(ctx context.Context) (Coverage, error) {
	s.mu.Lock()
	c, current, vectors, w := s.coverage, s.counted == s.x.Version(), s.vectors, s.whole
	s.mu.Unlock()
	if c.Total > 0 && !c.Complete() {
		if !current {
			s.Nudge()
		}
		return c, nil
	}
	n, err := s.store.Count(ctx) // of a store that others share it may rise
	if err != nil {
		return Coverage{}, fmt.Errorf("vectorindex: coverage: %w", err)
	}
	if c.Complete() && current && n >= vectors {
		return c, nil
	}
	if w.Index.Chunks > 0 && n >= w.Vectors {
		now, err := s.x.Contents(ctx)
		if err != nil {
			return Coverage{}, fmt.Errorf("vectorindex: coverage: %w", err)
		}
		if now == w.Index {
			return Coverage{Embedded: now.Chunks, Total: now.Chunks}, nil
		}
	}
	s.Nudge()
	return Coverage{Embedded: c.Embedded}, nil
}

// Remember has the space note in a file when all is embedded, and takes what the
// file says for true as long as index and store are as they were then.
func (s *Space) Remember(file string) {
	var w whole
	err := atomicfile.Read(file, &w)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = file
	// What cannot be read is not known, and is written anew.
	if err == nil && w.Model == s.model.ID() {
		s.whole = w
	}
}

// note keeps, and writes, that all chunks of the index are embedded, if it still has the
// state in which they were counted.
func (s *Space) note(ctx context.Context, counted index.Version) error {
	now, err := s.x.Contents(ctx)
	if err != nil {
		return fmt.Errorf("vectorindex: note: %w", err)
	}
	if s.x.Version() != counted {
		return nil
	}
	s.mu.Lock()
	w := whole{Model: s.model.ID(), Vectors: s.vectors, Index: now}
	s.whole = w
	file := s.notes
	s.mu.Unlock()
	if file == "" {
		return nil
	}
	return atomicfile.Write(file, w)
}
