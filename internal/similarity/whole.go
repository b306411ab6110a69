package similarity

import (
	"context"
	"fmt"

	"codeintel/internal/statefile"
)

// A whole says of which state of the index every chunk has its vector. It spares a
// process that asks once the counting of all chunks.
type whole struct {
	Model      string `json:"model"`
	Generation int64  `json:"generation"` // of the index
	Vectors    int    `json:"vectors"`    // in the store
	Chunks     int    `json:"chunks"`     // that they stand for
}

// Remember has the space note in a file when all is embedded, and takes what the
// file says for true as long as index and store are as they were then.
func (s *Space) Remember(file string) {
	var w whole
	err := statefile.Read(file, &w)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = file
	// What cannot be read is not known, and is written anew.
	if err == nil && w.Model == s.model.ID() && w.Vectors == s.coverage.Embedded {
		s.whole = w
	}
}

// note writes that all is embedded, if the index is still of that generation.
func (s *Space) note(ctx context.Context, generation int64, chunks int) error {
	s.mu.Lock()
	file := s.notes
	s.mu.Unlock()
	if file == "" || s.x.Freshness().Generation != generation {
		return nil
	}
	n, err := s.store.Count(ctx)
	if err != nil {
		return fmt.Errorf("similarity: note: %w", err)
	}
	return statefile.Write(file, whole{Model: s.model.ID(), Generation: generation, Vectors: n, Chunks: chunks})
}
