package index

import (
	"slices"

	"codeintel/internal/index/postings"
	"codeintel/internal/text/question"
	"codeintel/internal/text/synonyms"
)

// What it counts that a question has other words than the code. The words that code has for
// it count as the question's own where no chunk has most of those, and not where one has.
const (
	emptyWeight = 0.5 // a word that says little of code
	knownPart   = 0.5 // of what words count that stand for one that the code has, too
	spokenFrom  = 0.4 // share of the question that a chunk has in its own words
	spokenTo    = 0.7
)

// weightsWithoutFillers returns what each of the terms of a question counts; nil: all the same.
func weightsWithoutFillers(q *question.Question, list []string) (weights []float64) {
	for _, t := range list {
		w := 1.0
		for i := range q.Phrases {
			if s := &q.Phrases[i]; s.Empty() && slices.Contains(s.Words, t) {
				w = emptyWeight
			}
		}
		weights = append(weights, w)
	}
	if len(weights) == 0 || slices.Min(weights) == slices.Max(weights) {
		return nil
	}
	return weights
}

// phraseTerms returns the words that code has for what the question says.
func (r *rank) phraseTerms() (list []synonyms.Term) {
	for i := range r.q.Phrases {
		s, part := &r.q.Phrases[i], 1.0
		if len(s.Words) == 1 && r.s.view.Rarity(s.Words[0]) < 1 {
			part = knownPart
		}
		list = append(list, s.Terms(part)...)
	}
	return list
}

// relatedWeight returns how much related terms count beside those of the question, from 0 to 1.
func (r *rank) relatedWeight(found []postings.Candidate) float64 {
	if !slices.ContainsFunc(r.q.Phrases, func(s synonyms.Phrase) bool { return len(s.Means) > 0 }) {
		return 0
	}
	best := 0.0
	for i := range found {
		best = max(best, found[i].BM25F)
	}
	own := share(best, r.s.view.Most(postings.Query{Terms: r.terms, Weights: r.weights, Scoring: scoring}))
	return min(1, max(0, (spokenTo-own)/(spokenTo-spokenFrom)))
}
