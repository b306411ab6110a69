package search

import (
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/text/question"
)

// TestNoGoodMatch asks about what is in the code and about what is not; package quality
// has more such questions.
func TestNoGoodMatch(t *testing.T) {
	e := shop(t)
	for _, c := range []struct {
		about, question string
		weak            bool
	}{
		{"what is there", "total price of the cart", false},
		{"in words of which one is not there", "how is the total of the cart computed", false},
		{"a single word of it", "cart", false},
		{"a frame around it", "where is the function that handles the cart implemented", false},
		{"next to nothing in common", "zzqqxx kubernetes helm operator", true},
		{"a common word among foreign ones", "open the quaternion camera shutter", true},
		{"Japanese of what is there", "カートの合計", false},
		{"Japanese of what is not", "衛星の軌道計算", true},
	} {
		a, err := e.Semantic(t.Context(), SemanticQuery{Query: c.question})
		if err != nil {
			t.Fatal(err)
		}
		if weak := a.NoGoodMatch || len(a.ForestHits) == 0; weak != c.weak || weak && len(a.ForestHits) > weakHits {
			t.Errorf("%s: weak %t, %d hits: %+v", c.about, weak, len(a.ForestHits), a.ForestHits)
		}
	}
}

// TestChances has the chances of hits fall from the first to the last.
func TestChances(t *testing.T) {
	hits := []index.Hit{{Score: 1}, {Score: .8}, {Score: .8}, {Score: -.1}}
	last := 1.0
	for i := range hits {
		c := scored(hits, 0.9, i)
		if c > last || c < 0 {
			t.Errorf("hit %d has the chance %v after %v", i, c, last)
		}
		last = c
	}
}

// TestConcepts takes questions apart.
func TestConcepts(t *testing.T) {
	e := shop(t)
	for text, want := range map[string]int{
		"where is the cart handled": 1, "handle": 1, "カートの合計": 2, "量子回路": 2, "": 0, "から": 0, "total_price": 2,
	} {
		list, err := e.concepts(t.Context(), question.Analyse(text))
		if err != nil || len(list) != want {
			t.Errorf("%q: %d concepts, want %d: %+v, %v", text, len(list), want, list, err)
		}
	}
}
