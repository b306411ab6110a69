package topics

import (
	"math"

	"codeintel/internal/text/question"
)

// How likely a hit is right, as logistic functions of what it has of the question.
// docs/design/ranking.md says what they were fitted to, and how well they do elsewhere.
var (
	fitEnglish = fit{base: -5.52, chunk: 4.42, head: 1.25, amount: 16.09, named: 3.23, absent: -1.48}
	fitCJK     = fit{base: -3.73, chunk: 1.76, head: 3.13, amount: 14.55, named: 4.01, absent: -3.45}
)

// A fit has the coefficients of such a function: of how many concepts of the question stand
// in the hit, of how much of it in its names, of its score by words times how many words there
// are, of whether the question names it, and of how many concepts the code lacks altogether.
type fit struct{ base, chunk, head, amount, named, absent float64 }

const (
	AllChance = 0.4  // the least where all that is asked is in one piece
	nearlyAll = 0.99 // of the concepts
	manyWords = 8    // of a question, from which on more say no more
)

// A Hit is what a piece of code has of a question.
type Hit struct {
	Names map[string]bool // the terms of its names
	Terms map[string]bool // those and the ones of its text
	Share float64         // its score by words
	Named bool            // the question names it
}

// Chance estimates how likely a hit answers a question of these concepts, from 0 to 1.
func Chance(q *question.Question, list []Concept, h Hit) float64 {
	f := fitEnglish
	if q.Kind == question.CJK {
		f = fitCJK
	}
	z := f.base + f.head*covered(list, h.Names)
	inChunk := 0.0
	for i := range list {
		inChunk += list[i].coverage(h.Terms) / float64(len(list))
	}
	z += f.chunk*inChunk + f.absent*Absent(list)
	z += f.amount * h.Share * float64(min(len(list), manyWords)) / manyWords
	if h.Named {
		z += f.named
	}
	chance := 1 / (1 + math.Exp(-z))
	if inChunk > nearlyAll { // few words, and all of them
		chance = max(chance, AllChance)
	}
	return chance
}
