package search

import (
	"context"
	"fmt"
	"math"

	"codeintel/internal/index"
	"codeintel/internal/search/topics"
	"codeintel/internal/text/question"
)

// How likely the best hit is right, as logistic functions of what it has of the question.
// docs/design/benchmarks.md says what they were fitted to, and how well they do elsewhere.
var (
	fitEnglish = fit{base: -5.52, chunk: 4.42, head: 1.25, amount: 16.09, named: 3.23, absent: -1.48}
	fitCJK     = fit{base: -3.73, chunk: 1.76, head: 3.13, amount: 14.55, named: 4.01, absent: -3.45}
)

// A fit has the coefficients of such a function: of how many concepts of the question stand
// in the hit, of how much of it in its names, of its score by words times how many words there
// are, of whether the question names it, and of how many concepts the code lacks altogether.
type fit struct{ base, chunk, head, amount, named, absent float64 }

const (
	leastChance = 0.15 // below it nothing answers
	allChance   = 0.4  // where all that is asked stands in one piece
	nearlyAll   = 0.99
	judgedHits  = 5 // the likeliest of them counts
	weakHits    = 3 // hits of a weak answer
	manyWords   = 8 // of a question, from which on more say no more
)

// concepts takes a question apart.
func (e *Engine) concepts(ctx context.Context, q *question.Question) ([]topics.Concept, error) {
	list, err := topics.Of(q, func(terms []string) ([]float64, error) { return e.x.Rarity(ctx, terms) })
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return list, nil
}

// judge estimates how likely the best of the hits answers the question, from 0 to 1, and
// whether that is too little. What an embedding model or an agreement has found, and what
// tells a long story, is not called weak.
func (e *Engine) judge(ctx context.Context, src *sources, q index.RankQuery, hits []index.Hit) (best float64, weak bool, err error) {
	if len(hits) == 0 {
		return 0, false, nil
	}
	list, err := e.concepts(ctx, q.Question)
	if err != nil {
		return 0, false, err
	}
	for i := range hits[:min(len(hits), judgedHits)] {
		best = max(best, src.chance(q.Question, list, &hits[i]))
	}
	if len(q.Near) > 0 || len(q.Meant) > 0 || q.Question.Weights != nil || len(list) == 0 {
		return max(best, leastChance), false, nil
	}
	return best, best < leastChance, nil
}

// chance estimates how likely a hit answers a question of these concepts.
func (s *sources) chance(q *question.Question, list []topics.Concept, h *index.Hit) float64 {
	set := map[string]bool{}
	read := func(text []byte) { s.terms(text, func(t string) { set[t] = true }) }
	f := fitEnglish
	if q.Kind == question.CJK {
		f = fitCJK
	}
	c := &h.Chunk
	read([]byte(c.File + " " + c.Symbol + " " + c.Scope))
	z := f.base + f.head*topics.Covered(list, set)
	read(s.raw(c.File, c.StartLine, c.EndLine))
	inChunk := 0.0
	for i := range list {
		inChunk += list[i].Held(set) / float64(len(list))
	}
	z += f.chunk*inChunk + f.absent*topics.Absent(list)
	z += f.amount * h.Share * float64(min(len(list), manyWords)) / manyWords
	if h.Named {
		z += f.named
	}
	chance := 1 / (1 + math.Exp(-z))
	if inChunk > nearlyAll { // few words, and all of them
		chance = max(chance, allChance)
	}
	return chance
}

// scored is the chance of the hit at i: that of the best, and of others as much of it as
// they have of its score.
func scored(hits []index.Hit, best float64, i int) float64 {
	if top := hits[0].Score; top > 0 {
		best *= min(1, max(0, hits[i].Score/top))
	}
	return math.Round(best*1e4) / 1e4
}
