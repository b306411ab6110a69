package conceal

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLikely looks for the words in texts that are made of parts of them.
func TestLikely(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 200_000 {
		var text []byte
		for len(text) < 12 {
			w := words[r.IntN(len(words))]
			from := r.IntN(len(w))
			text = append(text, w[from:from+r.IntN(len(w)-from)+1]...)
		}
		text = text[r.IntN(3):]
		want := slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
		if likely(text) != want {
			t.Fatalf("%q: likely is %v", text, !want)
		}
		if want {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("words in %d texts alone", found)
	}
	for _, w := range words {
		for before := range 4 {
			if text := strings.Repeat(" ", before) + w; !likely([]byte(text)) || likely([]byte(text[:len(text)-1])) {
				t.Errorf("%q is not told from its beginning", text)
			}
		}
	}
}
