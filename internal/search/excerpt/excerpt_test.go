package excerpt

import (
	"strings"
	"testing"

	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// TestBestAtTheEnd begins before the hits where too few lines follow them.
func TestBestAtTheEnd(t *testing.T) {
	lines := strings.Split(strings.Repeat("filler = 1\n", 40)+"retry = 2\nlimit = 3\ndelay = 4", "\n")
	q := question.Analyse("retry limit delay")
	for n, want := range map[int]int{2: 40, 3: 40, 12: 31, 43: 0, 50: 0} {
		if got := Best(q, new(terms.Tokenizer), lines, n); got != want {
			t.Errorf("%d lines: from %d, want %d", n, got, want)
		}
	}
}
