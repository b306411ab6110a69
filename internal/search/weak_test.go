package search

import (
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/text/question"
)

// TestNoGoodMatch asks about what is in the code and about what is not.
func TestNoGoodMatch(t *testing.T) {
	hits := func(shares ...float64) (list []index.Hit) {
		for i, s := range shares {
			list = append(list, index.Hit{Share: s, Score: 1 - 0.1*float64(i)})
		}
		return list
	}
	long := strings.Repeat("alpha beta gamma delta epsilon zeta ", 1) + "eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega"
	for _, c := range []struct {
		about, question string
		hits            []index.Hit
		want            bool
	}{
		{"next to nothing in common", "zzqqxx kubernetes helm operator", hits(.12, .1, .1), true},
		{"a word of four", "kubernetes helm operator", hits(.25, .1), false},
		{"the third has it", "kubernetes helm operator", hits(.1, .1, .5), false},
		{"the fourth is too far down", "kubernetes helm operator", hits(.1, .1, .1, .5), true},
		{"a long story", long, hits(.12), false},
		{"Japanese is translated", "認証", hits(.01), false},
		{"nothing at all", "kubernetes", nil, false},
	} {
		q := index.RankQuery{Question: question.Analyse(c.question)}
		if got := noGoodMatch(q, c.hits); got != c.want {
			t.Errorf("%s: %v", c.about, got)
		}
	}
	named := hits(.1)
	named[0].Named = true
	if noGoodMatch(index.RankQuery{Question: question.Analyse("the helm operator")}, named) {
		t.Error("a hit that the question names is called weak")
	}
	last := 1.0
	for i := range hits(.5, .2, .1) {
		c := chance(hits(.5, .2, .1), i)
		if c > last || c <= 0 {
			t.Errorf("hit %d has the chance %v after %v", i, c, last)
		}
		last = c
	}
}
