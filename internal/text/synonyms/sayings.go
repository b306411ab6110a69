package synonyms

import (
	_ "embed"
	"strings"
	"sync"

	"codeintel/internal/text/terms"
)

//go:embed english.txt
var english string // key: one or more words, joined by hyphens; then words of code, if any

// phraseTable is the table by the stems of its keys.
var phraseTable = sync.OnceValue(func() map[string]string {
	byStems := make(map[string]string)
	for line := range strings.Lines(english) {
		key, row, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		byStems[strings.Join(stemmed(strings.Split(key, "-")), "-")] = row
	}
	return byStems
})

// stemmed replaces words by their stems.
func stemmed(words []string) []string {
	for i, w := range words {
		words[i] = terms.Stem(w)
	}
	return words
}

// A Phrase is what people say for something that code has other words for ("give up", "ram"),
// or a word that says little of code ("already").
type Phrase struct {
	Words []string // the stems of the words that the question has
	Means []string // the stems of the words that code has for them, the likeliest first
}

// Empty reports whether the words of a saying say little by themselves.
func (s *Phrase) Empty() bool { return len(s.Means) == 0 || len(s.Words) > 1 }

// Terms returns what the saying means, each with a part of its weight.
func (s *Phrase) Terms(part float64) []Term { return rowTerms(s.Means, part) }

const longestPhrase = 5 // words

// Phrases returns what the table knows of an English text. Where several of its keys begin at
// a word the longest is taken.
func Phrases(text string) (list []Phrase) {
	words := stemmed(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }))
	for len(words) > 0 {
		n := min(longestPhrase, len(words))
		row, ok := phraseTable()[strings.Join(words[:n], "-")]
		for !ok && n > 1 {
			n--
			row, ok = phraseTable()[strings.Join(words[:n], "-")]
		}
		if ok {
			list = append(list, Phrase{Words: words[:n], Means: stemmed(strings.Fields(row))})
		}
		words = words[n:]
	}
	return list
}
