package vectorstore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/embedding/simd"
)

// Prepare returns items as a store keeps them: with vectors of length 1, sorted by
// ID, of several with one ID the last. An error says what cannot be kept.
func (c Collection) Prepare(items []Item) ([]Item, error) {
	kept := make([]Item, len(items))
	for i, it := range items {
		if it.ID == "" || len(it.ID) > maxName || !utf8.ValidString(it.ID) {
			return nil, fmt.Errorf("vectorstore: an item cannot be named %.40q", it.ID)
		}
		for k, v := range it.Meta {
			if k == "" || len(k)+len(v) > maxName || strings.IndexByte(k, 0) >= 0 || !utf8.ValidString(k) || !utf8.ValidString(v) {
				return nil, fmt.Errorf("vectorstore: %.40q cannot have %.40q of %.40q", it.ID, v, k)
			}
		}
		unit, err := c.Unit(it.Vector)
		if err != nil {
			return nil, fmt.Errorf("%w: %.40q", err, it.ID)
		}
		it.Vector = unit
		kept[i] = it
	}
	slices.SortStableFunc(kept, func(a, b Item) int { return strings.Compare(a.ID, b.ID) })
	last := kept[:0]
	for i := range kept {
		if i+1 == len(kept) || kept[i+1].ID != kept[i].ID {
			last = append(last, kept[i])
		}
	}
	return last, nil
}

// maxName bounds IDs and values of meta, paths among them.
const maxName = 1 << 16

// A code is a vector of one byte a number. For every unit vector q,
// |v·q - scale·(bytes·q)| is at most err.
type code struct {
	bytes      []int8
	scale, err float32
}

// quantise writes the code of v into bytes, which may be longer: the rest is 0.
func quantise(v []float32, bytes []int8) code {
	var top float32
	for _, x := range v {
		top = max(top, float32(math.Abs(float64(x))))
	}
	clear(bytes)
	c := code{bytes: bytes}
	if top == 0 {
		return c
	}
	c.scale = top / 127
	var loss float64
	for i, x := range v {
		n := math.RoundToEven(float64(x) / float64(c.scale))
		bytes[i] = int8(min(max(n, -127), 127))
		d := float64(x) - float64(bytes[i])*float64(c.scale)
		loss += d * d
	}
	c.err = float32(math.Sqrt(loss)*(1+1e-6) + 1e-9)
	return c
}

// norm is the length of the vector that a code stands for.
func (c *code) norm() float32 {
	var sum int64
	for _, b := range c.bytes {
		sum += int64(b) * int64(b)
	}
	return float32(math.Sqrt(float64(sum)) * float64(c.scale))
}

// stride is how many bytes the code of a vector takes: rows then begin where
// vector units like them to.
func stride(dimension int) int { return (dimension + 63) &^ 63 }

// A scoredItem is an item that a query has compared in full.
type scoredItem struct {
	score float32
	id    []byte // mapped
	at    place
}

// compareByScore orders by score, the best first, then by ID.
func compareByScore(a, b scoredItem) int {
	return cmp.Or(cmp.Compare(b.score, a.score), slices.Compare(a.id, b.id))
}

// cosine compares two vectors of length 1.
func cosine(a, b []float32) float32 { return min(max(simd.DotF32(a, b), -1), 1) }
