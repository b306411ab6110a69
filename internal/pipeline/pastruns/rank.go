package pastruns

import (
	"math"

	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// The constants of BM25.
const (
	saturation   = 1.5  // k1: how soon more of a term says no more
	lengthWeight = 0.75 // b: how much a long text must have more of it
)

// A corpus ranks texts by BM25 over the terms that package terms makes of them:
// words of identifiers and prose, pairs of Japanese characters.
type corpus struct {
	postings map[string][]posting
	lengths  []int
	mean     float64
}

type posting struct {
	text  int // which
	count int
}

func newCorpus(texts []string) *corpus {
	c := &corpus{postings: make(map[string][]posting), lengths: make([]int, len(texts))}
	total := 0
	for i, text := range texts {
		terms.Code([]byte(text), func(term string) {
			c.lengths[i]++
			list := c.postings[term]
			if n := len(list); n > 0 && list[n-1].text == i {
				list[n-1].count++
				return
			}
			c.postings[term] = append(list, posting{i, 1})
		})
		total += c.lengths[i]
	}
	c.mean = float64(total) / float64(max(1, len(texts)))
	return c
}

// scores returns the score of each text for a question; 0 where they share nothing.
func (c *corpus) scores(q *question.Question) []float64 {
	scores := make([]float64, len(c.lengths))
	n := float64(len(c.lengths))
	for _, term := range q.Terms {
		list := c.postings[term]
		df := float64(len(list))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, p := range list {
			tf := float64(p.count)
			scores[p.text] += idf * tf * (saturation + 1) / (tf + saturation*(1-lengthWeight+lengthWeight*float64(c.lengths[p.text])/c.mean))
		}
	}
	return scores
}

// relevance returns how near each text is to a question, from least for those that
// share nothing with it to 1 for the nearest; 1 for all if none shares anything.
func (c *corpus) relevance(q *question.Question, least float64) []float64 {
	scores := c.scores(q)
	best := 0.0
	for _, s := range scores {
		best = max(best, s)
	}
	for i, s := range scores {
		scores[i] = 1
		if best > 0 {
			scores[i] = least + (1-least)*s/best
		}
	}
	return scores
}
