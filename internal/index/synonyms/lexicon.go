// Package synonyms knows which words of identifiers the words of a question stand
// for: 取得 is called get or fetch in code, "delete" also remove.
//
// It holds two tables. identifiers.txt was learned: pairs of a doc comment and
// the name it stands on, from public repositories, aligned by IBM model 1 (Brown
// et al. 1993), so it gives p(word of the name | word of the comment). Its keys
// and values are terms as package terms makes them. japanese.txt was written by
// hand: Japanese words of programming with the English that names use for them.
//
// The package is pure, holds no state, and loads nothing: both tables are sorted
// text in the program, searched where they lie.
package synonyms

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeintel/internal/text/terms"
)

//go:embed identifiers.txt
var identifiers string // key, then words with their probability in percent

//go:embed japanese.txt
var japanese string // key, then words

// A Term is a term that a question may mean, and how likely, from 0 to 1.
type Term struct {
	Text   string
	Weight float64
}

// How much of the tables is taken.
const (
	mostWords   = 6    // for one word of the question
	leastWeight = 0.03 // of a learned pair
	written     = 0.8  // weight of the first word of a written pair
	alternative = 0.6  // and of each further one
)

// Related returns what the question text, whose terms are given, may mean beside
// its terms, heaviest first. A term that it has is not among them.
func Related(text string, have []string) []Term {
	weights := make(map[string]float64)
	for _, t := range have {
		learned(t, weights)
	}
	translated, _ := Translate(text)
	for _, words := range translated {
		for i, w := range words {
			p := written
			if i > 0 {
				p = alternative
			}
			t := terms.Stem(w)
			weights[t] = max(weights[t], p)
		}
	}
	for _, t := range have {
		delete(weights, t)
	}
	all := make([]Term, 0, len(weights))
	for t, w := range weights {
		all = append(all, Term{t, min(w, 1)})
	}
	slices.SortFunc(all, func(a, b Term) int {
		if a.Weight != b.Weight {
			if a.Weight > b.Weight {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Text, b.Text)
	})
	return all
}

// learned adds what the learned table has for one term.
func learned(term string, weights map[string]float64) {
	row, ok := find(identifiers, term)
	if !ok {
		return
	}
	fields := strings.Fields(row)
	for i := 0; i+1 < len(fields) && i < 2*mostWords; i += 2 {
		percent, err := strconv.Atoi(fields[i+1])
		if p := float64(percent) / 100; err == nil && p >= leastWeight {
			weights[fields[i]] += p
		}
	}
}

// longestKey bounds a key of the written table, in characters.
const longestKey = 8

// Translate returns, for each Japanese word of a text that the table knows, the
// English ones that names use for it, and what is left of the text without them.
// Where several keys begin at a character the longest is taken.
func Translate(text string) (words [][]string, rest string) {
	var left strings.Builder
	for len(text) > 0 {
		first, size := utf8.DecodeRuneInString(text)
		end, row := 0, ""
		if first >= '\u3000' {
			for at, n := 0, 0; at < len(text) && n < longestKey; n++ {
				_, w := utf8.DecodeRuneInString(text[at:])
				at += w
				if r, ok := find(japanese, text[:at]); ok {
					end, row = at, r
				}
			}
		}
		if end == 0 {
			left.WriteString(text[:size])
			text = text[size:]
			continue
		}
		words = append(words, strings.Fields(row))
		left.WriteByte(' ')
		text = text[end:]
	}
	return words, left.String()
}

// find returns what follows key on its line in a table of lines in order.
func find(table, key string) (row string, ok bool) {
	for lo, hi := 0, len(table); lo < hi; {
		mid := lo + (hi-lo)/2
		start := strings.LastIndexByte(table[lo:mid], '\n') + 1 + lo
		end := start + strings.IndexByte(table[start:], '\n')
		word, rest, _ := strings.Cut(table[start:end], " ")
		switch c := strings.Compare(key, word); {
		case c == 0:
			return rest, true
		case c < 0:
			hi = start
		default:
			lo = end + 1
		}
	}
	return "", false
}
