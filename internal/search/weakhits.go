package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/index"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/text/synonyms"
	"codeintel/internal/text/terms"
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

	leastSynonym, bestSynonym, synonymShare = 0.08, 0.6, 2 // of a learned synonym: how likely, what it counts at most, and by how much
	otherWord                               = 0.85         // what further translations of a word count
	foreignWord                             = 0.5          // and one without translation that the code may have in English
	lessThanAll                             = 0.05         // what a word counts that everything has
	unknown                                 = 0.999        // and what at least one counts that nothing has
)

// frameWords are words that say nothing of what a question is about: where is … handled.
var frameWords = func() map[string]bool {
	set := make(map[string]bool)
	for word := range text.WordSet(`handle handled handling implement implemented implementation define defined
		definition logic code function functions method methods work works working happen happens done make made
		find place way part thing perform performed manage managed managing support supported process processed
		base based file module mechanism locate located structure
		fix fixes fixed bug issue problem ensure avoid prevent allow improve improvement correct correctly properly`) {
		set[terms.Stem(word)] = true
	}
	return set
}()

// A concept is one thing that a question speaks of.
type concept struct {
	terms  []string  // what may stand for it
	worth  []float64 // what each of them counts, from 0 to 1
	share  bool      // the terms are parts: all together are the whole
	weight float64   // how rare it is in the code, 1 what the code lacks
}

// held is how much of a concept stands among terms.
func (c *concept) held(set map[string]bool) float64 {
	best, sum := 0.0, 0.0
	for i, t := range c.terms {
		if set[t] {
			best, sum = max(best, c.worth[i]), sum+1
		}
	}
	if c.share {
		return sum / float64(len(c.terms))
	}
	return best
}

// concepts takes a question apart. What the code lacks altogether counts most.
func (e *Engine) concepts(ctx context.Context, q *question.Question) (list []concept, err error) {
	frame := func(t string) bool { return frameWords[t] }
	words := q.Words
	if len(q.Translated) > 0 {
		words = q.Untranslated
		for _, group := range q.Translated {
			if !frame(group[0]) {
				list = append(list, alternatives(group))
			}
		}
	}
	for _, row := range rows(words) {
		switch {
		case len(row) > 1 || !text.IsASCII(row[0]):
			list = append(list, concept{terms: row, worth: make([]float64, len(row)), share: true})
		case !frame(row[0]) || len(words) == 1:
			c := concept{terms: row, worth: []float64{1}}
			for _, s := range synonyms.Related(nil, row) {
				if s.Weight >= leastSynonym {
					c.terms, c.worth = append(c.terms, s.Text), append(c.worth, min(bestSynonym, synonymShare*s.Weight))
				}
			}
			list = append(list, c)
		}
	}
	for i := range list {
		c := &list[i]
		asked := c.terms
		if !c.share && len(q.Translated) == 0 {
			asked = c.terms[:1] // a synonym is no word of the question
		}
		rare, err := e.x.Rarity(ctx, asked)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		if c.weight = slices.Min(rare); c.share {
			if c.weight = mean(rare); c.weight >= unknown && perhapsKnown(c.terms[0]) {
				c.weight = foreignWord
			}
		}
		c.weight = max(c.weight, lessThanAll)
	}
	return list, nil
}

// alternatives is the concept of a word with several translations.
func alternatives(group []string) concept {
	c := concept{terms: group, worth: make([]float64, len(group))}
	for i := range c.worth {
		if c.worth[i] = otherWord; i == 0 {
			c.worth[i] = 1
		}
	}
	return c
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// rows puts the terms together that were cut from one row of characters of Chinese,
// Japanese or Korean: its pairs, each of which begins with what the one before ends with.
// What is written in hiragana alone is no concept.
func rows(words []string) (list [][]string) {
	goesOn := false
	for _, w := range words {
		rs := []rune(w)
		switch {
		case text.IsASCII(w):
			list, goesOn = append(list, []string{w}), false
		case scriptOf(w, unicode.Hiragana):
			goesOn = false
		case goesOn && len(rs) == 2 && follows(list[len(list)-1], rs, w):
			list[len(list)-1] = append(list[len(list)-1], w)
		default:
			list, goesOn = append(list, []string{w}), true
		}
	}
	return list
}

// perhapsKnown reports whether a word without translation may stand in the code all the
// same, in English: one in katakana, or the stem of a verb.
func perhapsKnown(w string) bool {
	return scriptOf(w, unicode.Katakana) || utf8.RuneCountInString(w) == 1
}

// scriptOf reports whether a word is written in one script, with long vowels.
func scriptOf(w string, script *unicode.RangeTable) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r != 'ー' && !unicode.Is(script, r) })
}

func follows(row []string, pair []rune, w string) bool {
	last := []rune(row[len(row)-1])
	return last[len(last)-1] == pair[0] || len(row[0]) > len(w) && strings.Contains(row[0], w)
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
func (s *sources) chance(q *question.Question, list []concept, h *index.Hit) float64 {
	set := map[string]bool{}
	read := func(text []byte) { s.terms(text, func(t string) { set[t] = true }) }
	f := fitEnglish
	if q.Kind == question.CJK {
		f = fitCJK
	}
	c := &h.Chunk
	read([]byte(c.File + " " + c.Symbol + " " + c.Scope))
	z := f.base + f.head*covered(list, set)
	read(s.raw(c.File, c.StartLine, c.EndLine))
	inChunk := 0.0
	for i := range list {
		inChunk += list[i].held(set) / float64(len(list))
	}
	z += f.chunk*inChunk + f.absent*absent(list)
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

// absent is the share of concepts that the code lacks altogether.
func absent(list []concept) float64 {
	n := 0.0
	for i := range list {
		if list[i].weight >= unknown {
			n++
		}
	}
	return n / float64(max(1, len(list)))
}

// covered is how much of the concepts stands among terms, by their weights, from 0 to 1.
func covered(list []concept, set map[string]bool) float64 {
	sum, all := 0.0, 0.0
	for i := range list {
		sum, all = sum+list[i].weight*list[i].held(set), all+list[i].weight
	}
	return sum / max(all, lessThanAll)
}

// scored is the chance of the hit at i: that of the best, and of others as much of it as
// they have of its score.
func scored(hits []index.Hit, best float64, i int) float64 {
	if top := hits[0].Score; top > 0 {
		best *= min(1, max(0, hits[i].Score/top))
	}
	return math.Round(best*1e4) / 1e4
}
