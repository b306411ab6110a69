// Package vectorindex finds the chunks of an index that are close in meaning to a text, by
// the vectors of one model.
//
// A [Space] keeps a vector for each chunk in a store: [Space.Sync] embeds new chunks and
// removes those that are gone. It may be killed at any moment and resumes where it was, and
// nobody waits for it: [Space.Query] answers from what is embedded so far, and says how much
// that is. A vector belongs to the text that was embedded, not to its place: a function
// that moves within its file, or a branch that is checked out again, is not embedded again.
//
// It never changes the index, and never compares vectors of different models.
package vectorindex

import (
	"context"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// A Coverage says of how much of the index the vectors are there.
type Coverage struct {
	Embedded int  // chunks with a vector
	Total    int  // chunks; 0 where they were not counted yet
	Syncing  bool // more is being embedded, here or by another process
}

// Complete reports whether every chunk has its vector, as far as is known.
func (c Coverage) Complete() bool { return c.Total > 0 && c.Embedded == c.Total }

// AsMessage says "31,200 of 211,000 chunks embedded".
func (c Coverage) AsMessage() msg.Message {
	if c.Total == 0 {
		return msg.New("embedding.chunks_embedded", text.Grouped(c.Embedded))
	}
	return msg.New("embedding.chunks_embedded_of", text.Grouped(c.Embedded), text.Grouped(c.Total))
}

// A Hit is a chunk near to a query.
type Hit struct {
	Chunk index.ChunkInfo // without its text
	Score float64         // the cosine, -1 to 1; what it means depends on the model
}

// An Answer is what is near to a query, nearest first.
type Answer struct {
	Hits     []Hit
	Coverage Coverage
	Stale    int // hits left out because their chunk is gone
}

// Keys of the meta of an item.
const (
	metaPath     = "path"
	metaLanguage = "language"
)

// A Progress is called while chunks are embedded.
type Progress func(Coverage)

// What stores may offer besides.
type (
	// A sharer is a store that may hold what this index does not know and somebody else does.
	sharer interface{ Shared() bool }
	// A flusher forces to disk what was put in.
	flusher interface {
		Flush(ctx context.Context) error
	}
	// A claimer gives one process at a time the right to bring the store up to date.
	// Claim returns nil if another has it.
	claimer interface {
		Claim(ctx context.Context) (release func(), err error)
	}
)
