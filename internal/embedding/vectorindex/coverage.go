package vectorindex

import (
	"context"
	"fmt"

	"codeintel/internal/platform/atomicfile"
)

// A whole says of which state of the index every chunk has its vector. It spares a
// process that asks once the counting of all chunks.
type whole struct {
	Model   string  `json:"model"`
	Vectors int     `json:"vectors"` // in the store
	Index   figures `json:"index"`
}

// figures tell one state of an index from another. Its generation would not: it
// rises also when what is indexed stays as it was.
type figures struct {
	Files, Chunks, Symbols, Occurrences int
	Bytes                               int64
}

func (s *Space) figures(ctx context.Context) (figures, error) {
	st, err := s.x.Stats(ctx)
	if err != nil {
		return figures{}, fmt.Errorf("similarity: figures: %w", err)
	}
	return figures{Files: st.Files, Chunks: st.Chunks, Symbols: st.Symbols, Occurrences: st.Occurrences,
		Bytes: st.Bytes}, nil
}

// known is the coverage, by what another process noted where nothing was counted
// here.
func (s *Space) known(ctx context.Context) (Coverage, error) {
	c := s.Coverage()
	s.mu.Lock()
	w := s.whole
	s.mu.Unlock()
	if c.Total > 0 || w.Index.Chunks == 0 {
		return c, nil
	}
	now, err := s.figures(ctx)
	if err == nil && now == w.Index {
		c = Coverage{Embedded: now.Chunks, Total: now.Chunks}
	}
	return c, err
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
	if err == nil && w.Model == s.model.ID() && w.Vectors == s.coverage.Embedded {
		s.whole = w
	}
}

// note writes that all of so many chunks are embedded, if that is what the index
// has.
func (s *Space) note(ctx context.Context, chunks int) error {
	s.mu.Lock()
	file := s.notes
	s.mu.Unlock()
	if file == "" {
		return nil
	}
	now, err := s.figures(ctx)
	if err != nil || now.Chunks != chunks {
		return err
	}
	n, err := s.store.Count(ctx)
	if err != nil {
		return fmt.Errorf("similarity: note: %w", err)
	}
	return atomicfile.Write(file, whole{Model: s.model.ID(), Vectors: n, Index: now})
}
