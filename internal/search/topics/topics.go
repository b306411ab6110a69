// Package topics splits a question into its topics, and measures how many of them a text covers.
package topics

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/text/synonyms"
	"codeintel/internal/text/terms"
)

const (
	minSynonym, bestSynonym, synonymShare = 0.08, 0.6, 2 // of a learned synonym: how likely, what it counts at most, and by how much
	otherWord                             = 0.85         // what further translations of a word count
	foreignWord                           = 0.5          // and one without translation that the code may have in English
	lessThanAll                           = 0.05         // what a word counts that everything has
	unknown                               = 0.999        // and what at least one counts that nothing has
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

// A Concept is one thing that a question speaks of.
type Concept struct {
	terms  []string  // what may stand for it
	worth  []float64 // what each of them counts, from 0 to 1
	share  bool      // the terms are parts: all together are the whole
	weight float64   // how rare it is in the code, 1 what the code lacks
}

// coverage is how much of a concept is among terms.
func (c *Concept) coverage(set map[string]bool) float64 {
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

// Of takes a question apart. rarity returns how rare each of some terms is in the code, from
// 0, all of it has the term, to 1: none of it has. What the code lacks altogether counts most.
func Of(q *question.Question, rarity func(terms []string) ([]float64, error)) (list []Concept, err error) {
	phrases := make(map[string]*synonyms.Phrase)
	for i := range q.Phrases {
		s := &q.Phrases[i]
		for _, t := range s.Words {
			phrases[t] = s
		}
		if len(s.Words) > 1 {
			list = append(list, alternatives(s.Means))
		}
	}
	frame := func(t string) bool { return frameWords[t] || phrases[t] != nil && phrases[t].Empty() }
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
			list = append(list, Concept{terms: row, worth: make([]float64, len(row)), share: true})
		case !frame(row[0]) || len(words) == 1:
			c := Concept{terms: row, worth: []float64{1}}
			for _, s := range synonyms.Related(nil, nil, row) {
				if s.Weight >= minSynonym {
					c.terms, c.worth = append(c.terms, s.Text), append(c.worth, min(bestSynonym, synonymShare*s.Weight))
				}
			}
			if s := phrases[row[0]]; s != nil {
				for _, t := range s.Means {
					c.terms, c.worth = append(c.terms, t), append(c.worth, otherWord)
				}
			}
			list = append(list, c)
		}
	}
	return list, weigh(list, len(q.Translated) > 0, rarity)
}

// weigh sets how rare each concept is in the code.
func weigh(list []Concept, translated bool, rarity func(terms []string) ([]float64, error)) error {
	for i := range list {
		c := &list[i]
		asked := c.terms
		if !c.share && !translated {
			asked = c.terms[:1] // a synonym is no word of the question
		}
		rare, err := rarity(asked)
		if err != nil {
			return err
		}
		if c.weight = slices.Min(rare); c.share {
			if c.weight = mean(rare); c.weight >= unknown && perhapsKnown(c.terms[0]) {
				c.weight = foreignWord
			}
		}
		c.weight = max(c.weight, lessThanAll)
	}
	return nil
}

// alternatives is the concept of a word with several translations.
func alternatives(group []string) Concept {
	c := Concept{terms: group, worth: make([]float64, len(group))}
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
		case goesOn && len(rs) == 2 && continuesRow(list[len(list)-1], rs, w):
			list[len(list)-1] = append(list[len(list)-1], w)
		default:
			list, goesOn = append(list, []string{w}), true
		}
	}
	return list
}

// perhapsKnown reports whether a word without translation may be in the code all the
// same, in English: one in katakana, or the stem of a verb.
func perhapsKnown(w string) bool {
	return scriptOf(w, unicode.Katakana) || utf8.RuneCountInString(w) == 1
}

// scriptOf reports whether a word is written in one script, with long vowels.
func scriptOf(w string, script *unicode.RangeTable) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r != 'ー' && !unicode.Is(script, r) })
}

func continuesRow(row []string, pair []rune, w string) bool {
	last := []rune(row[len(row)-1])
	return last[len(last)-1] == pair[0] || len(row[0]) > len(w) && strings.Contains(row[0], w)
}

// Absent is the share of concepts that the code lacks altogether.
func Absent(list []Concept) float64 {
	n := 0.0
	for i := range list {
		if list[i].weight >= unknown {
			n++
		}
	}
	return n / float64(max(1, len(list)))
}

// covered is how much of the concepts is among terms, by their weights, from 0 to 1.
func covered(list []Concept, set map[string]bool) float64 {
	sum, all := 0.0, 0.0
	for i := range list {
		sum, all = sum+list[i].weight*list[i].coverage(set), all+list[i].weight
	}
	return sum / max(all, lessThanAll)
}
