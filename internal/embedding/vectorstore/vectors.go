// Package vectorstore stores vectors by name and finds the nearest ones to a given vector.
//
// [Store] is the interface of a collection. [Embedded] implements it in files of our own
// and is exact: [Store.Query] returns what comparing with every vector would return. A scan
// over rows of one byte per number skips the vectors that cannot be among the closest, by a
// bound on the rounding error; the rest is compared in full.
//
// A collection belongs to one model: vectors of another model or length never mix with its
// own. It is a cache. Damaged parts are set aside and no longer listed by [Store.IDs], so
// that the caller can add those vectors again; no answer ever comes from damaged data.
//
// Any number of processes may open one collection: one at a time writes, under a lock; the
// others keep reading the generation that they began with. The package embeds nothing and
// knows nothing about code.
package vectorstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	container "codeintel/internal/index/segment"
)

// ErrCorrupt says that vectors of a collection were found damaged and are gone.
// The collection can be asked on; what IDs no longer lists must be put in again.
var ErrCorrupt = container.ErrCorrupt

// A Collection names a set of vectors.
type Collection struct {
	Name      string // "forest", "map": lower-case letters and digits
	Model     string // what made the vectors
	Dimension int    // how many numbers a vector has
}

// An Item is a vector and what is known of it.
type Item struct {
	ID       string
	Vector   []float32         // of any length but 0; kept at length 1. All zeros: like nothing
	Meta     map[string]string // kept beside it: path, language, …; the same keys in every item
	Document string            // the text; stores that others look into keep it, Embedded does not
}

// A Hit is an item near a vector.
type Hit struct {
	ID    string
	Score float64 // the cosine, -1 to 1
	Meta  map[string]string
}

// A Store is one collection. It is safe for concurrent use.
type Store interface {
	// Upsert puts items in, in place of those with their IDs. Of several with one
	// ID the last counts. When it returns, queries find them.
	Upsert(ctx context.Context, items []Item) error
	// Delete takes items out. An ID that is not there is no error.
	Delete(ctx context.Context, ids []string) error
	// Query returns the k items nearest to vector, nearest first, equal ones by ID.
	Query(ctx context.Context, vector []float32, k int) ([]Hit, error)
	// IDs yields the ID of every item, once, in no order. An error is the last.
	IDs(ctx context.Context) iter.Seq2[string, error]
	// Count returns how many items there are.
	Count(ctx context.Context) (int, error)
	Close() error
}

// Check says what is wrong with a collection's description.
func (c Collection) Check() error {
	if c.Name == "" || len(c.Name) > 32 {
		return fmt.Errorf("vectorstore: a collection cannot be named %q", c.Name)
	}
	for _, r := range c.Name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return fmt.Errorf("vectorstore: a collection cannot be named %q", c.Name)
		}
	}
	if c.Dimension < 1 || c.Dimension > maxDimension || c.Model == "" {
		return fmt.Errorf("vectorstore: no collection of %d numbers by model %q", c.Dimension, c.Model)
	}
	return nil
}

// maxDimension is above what any model yields, and so small that the dot product
// of two rows of bytes fits 32 bits.
const maxDimension = 1 << 16

// Unit returns v at length 1, or v if it is all zeros. An error says why v is no
// vector of the collection.
func (c Collection) Unit(v []float32) ([]float32, error) {
	if len(v) != c.Dimension {
		return nil, fmt.Errorf("vectorstore: a vector of %d numbers in a collection of %d", len(v), c.Dimension)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errors.New("vectorstore: a vector with a number that is not finite")
	}
	if sum == 0 {
		return v, nil
	}
	scale := 1 / math.Sqrt(sum)
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) * scale)
	}
	return unit, nil
}
