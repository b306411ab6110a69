package index

import (
	"testing"

	"codeintel/internal/text/question"
)

func sayingsTree(t *testing.T) *Index {
	t.Helper()
	return newTree(t, map[string]string{
		"store.go": `package store

func (s *Store) evict() { delete(s.entries, s.lru.Back()) }
`,
		"conn.go": "package store\n\nfunc dial() error { return backoff(maxRetries) }\n\nfunc pause(s *Store) {}\n",
	}).synced()
}

// A question in words that no code has finds what code calls it.
func TestOtherWords(t *testing.T) {
	x := sayingsTree(t)
	for text, want := range map[string]string{
		"what is thrown out":            "evict",
		"is it tried again":             "dial",
		"where is the pause of a store": "pause", // its own words say it
	} {
		hits := ranked5(t, x, text)
		if len(hits) == 0 || hits[0].Chunk.Symbol != want {
			t.Errorf("%s: %v", text, hits)
		}
	}
}

// Words that say little count less than others, unless there are no others.
func TestEmptyWords(t *testing.T) {
	for text, want := range map[string][]float64{
		"evicted before":   {1, emptyWeight},
		"evicted entries":  nil,
		"before another":   nil,
		"give up evicting": {emptyWeight, emptyWeight, 1},
	} {
		q := question.Analyse(text)
		got := weightsWithoutFillers(q, q.Terms)
		same := len(got) == len(want)
		for i := range min(len(got), len(want)) {
			same = same && got[i] == want[i]
		}
		if !same {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
