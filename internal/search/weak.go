package search

import (
	"math"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// What is a weak answer, measured over questions about public repositories and over
// questions about things that are not in them: of 170 of the first, 8 of 10 best hits
// had a share above .3 and 1 of 20 one below .18; of 160 of the second, 9 of 10 had one below
// that.
const (
	leastShare  = 0.18
	plainTerms  = 5 // what is longer tells a story, and no code says it all
	judgedHits  = 3 // the best of them counts
	weakHits    = 3 // hits of a weak answer
	namedChance = 0.75
)

// noGoodMatch reports whether the best hits have little of what is asked: nobody
// answers from them. What an embedding model or a translation has found is taken for
// good.
func noGoodMatch(q index.RankQuery, hits []index.Hit) bool {
	if len(hits) == 0 || len(q.Near) > 0 || len(q.Meant) > 0 || q.Question.Kind == question.CJK {
		return false
	}
	floor := leastShare * min(1, plainTerms/float64(max(1, len(q.Question.Terms))))
	return !slices.ContainsFunc(hits[:min(len(hits), judgedHits)], func(h index.Hit) bool {
		return h.Named || h.Share >= floor
	})
}

// chances are how often the best hit is right, by how much it has of the question;
// between them lie straight lines.
var chances = []struct{ share, chance float64 }{{0, 0.02}, {leastShare, 0.3}, {0.3, 0.6}, {0.4, 0.75}, {1, 0.85}}

// chance estimates how likely the hit at i answers the question: the chance of the best
// hit, and of others as much of it as they have of its score.
func chance(hits []index.Hit, i int) float64 {
	best := 0.0
	for _, h := range hits[:min(len(hits), judgedHits)] {
		best = max(best, chanceOf(h))
	}
	if top := hits[0].Score; top > 0 {
		best *= min(1, max(0, hits[i].Score/top))
	}
	return math.Round(best*1e4) / 1e4
}

func chanceOf(h index.Hit) float64 {
	c := chances[len(chances)-1].chance
	for i := 1; i < len(chances); i++ {
		if a, b := chances[i-1], chances[i]; h.Share < b.share {
			c = a.chance + (b.chance-a.chance)*(h.Share-a.share)/(b.share-a.share)
			break
		}
	}
	if h.Named {
		c = max(c, namedChance)
	}
	return c
}

// window returns the line at which the n lines of a chunk begin that have most words of
// a question; the first line if none have more than those it begins with.
func (s *sources) window(q *question.Question, file string, start, end, n int) int {
	if end = min(end, s.count(file)); n < 1 || end-start < n || len(q.Terms) == 0 {
		return start
	}
	end = min(end, start+longestWindow)
	lines := make([][]string, end-start+1)
	for i := range lines {
		for _, t := range terms.Query(string(s.raw(file, start+i, start+i))) {
			if slices.Contains(q.Terms, t) && !slices.Contains(lines[i], t) {
				lines[i] = append(lines[i], t)
			}
		}
	}
	best, most := 0, 0 // the head of the chunk, unless others have clearly more
	for at := 0; at+n <= len(lines); at++ {
		found := map[string]bool{}
		for _, l := range lines[at : at+n] {
			for _, t := range l {
				found[t] = true
			}
		}
		if at == 0 {
			most = len(found) + 1
		} else if len(found) > most {
			best, most = at, len(found)
		}
	}
	return start + best
}

// longestWindow bounds the lines of a chunk that are looked at.
const longestWindow = 300
