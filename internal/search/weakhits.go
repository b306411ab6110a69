package search

import (
	"context"
	"fmt"
	"maps"
	"math"

	"codeintel/internal/index"
	"codeintel/internal/search/topics"
	"codeintel/internal/text/question"
)

const (
	minChance  = 0.15 // below it nothing answers
	judgedHits = 5    // the likeliest of them counts
	weakHits   = 3    // hits of a weak answer
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
func (e *Engine) judge(ctx context.Context, src *sources, q index.RankQuery, hits []index.Hit) (best float64,
	weak bool, err error) {
	if len(hits) == 0 {
		return 0, false, nil
	}
	list, err := e.concepts(ctx, q.Question)
	if err != nil {
		return 0, false, err
	}
	for i := range hits[:min(len(hits), judgedHits)] {
		best = max(best, src.answerChance(q.Question, list, &hits[i]))
	}
	if len(q.Near) > 0 || len(q.Related) > 0 || q.Question.Weights != nil || len(list) == 0 {
		return max(best, minChance), false, nil
	}
	return best, best < minChance, nil
}

// answerChance estimates how likely a hit answers a question of these concepts.
func (s *sources) answerChance(q *question.Question, list []topics.Concept, h *index.Hit) float64 {
	c := &h.Chunk
	set := map[string]bool{}
	add := func(t string) { set[t] = true }
	s.terms([]byte(c.File+" "+c.Symbol+" "+c.Scope), add)
	names := maps.Clone(set)
	s.terms(s.Raw(c.File, c.StartLine, c.EndLine), add)
	return topics.Chance(q, list, topics.Hit{Names: names, Terms: set, Share: h.Share, Named: h.Named})
}

// scored is the chance of the hit at i: that of the best, and of others as much of it as
// they have of its score.
func scored(hits []index.Hit, best float64, i int) float64 {
	if top := hits[0].Score; top > 0 {
		best *= min(1, max(0, hits[i].Score/top))
	}
	return math.Round(best*1e4) / 1e4
}
