// Package synonyms maps the words of questions to words that identifiers use for the same thing: 取得 to get
// and fetch, "delete" also to remove.
//
// It has three tables. identifiers.txt was learned from pairs of a doc comment and the name
// below it, from public repositories, aligned by IBM model 1 (Brown et al. 1993); it gives
// p(word of the name | word of the comment). Its keys and values are terms as package terms
// makes them. japanese.txt was written by hand: Japanese words of programming with the English
// words that names use for them. So was english.txt: what people say who do not know the code
// ("give up", "ram"), with the words that code has for it, and words that say little of code.
//
// The package is pure. The two large tables are sorted text in the binary, searched in place;
// english.txt, whose keys are plain words, is read once.
package synonyms

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
	maxWords    = 6    // for one word of the question
	minWeight   = 0.03 // of a learned pair
	written     = 0.8  // weight of the first word of a written pair
	alternative = 0.6  // and of each further one
)

// Related returns what a question may mean beside the terms that it has, heaviest
// first; none of those is among them. translated is what [Translate] returns for
// the question, said what [Saying.Terms] do.
func Related(translated [][]string, phraseTerms []Term, have []string) []Term {
	weights := make(map[string]float64)
	for _, t := range have {
		learned(t, weights)
	}
	for _, words := range translated {
		for _, t := range rowTerms(words, 1) {
			weights[t.Text] = max(weights[t.Text], t.Weight)
		}
	}
	for _, t := range phraseTerms {
		weights[t.Text] = max(weights[t.Text], t.Weight)
	}
	for _, t := range have {
		delete(weights, t)
	}
	all := make([]Term, 0, len(weights))
	for t, w := range weights {
		all = append(all, Term{t, min(w, 1)})
	}
	slices.SortFunc(all, func(a, b Term) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Text, b.Text))
	})
	return all
}

// rowTerms returns the terms of a written row, each with a share of its weight.
func rowTerms(row []string, part float64) (list []Term) {
	for i, t := range row {
		p := written
		if i > 0 {
			p = alternative
		}
		list = append(list, Term{t, p * part})
	}
	return list
}

// learned adds what the learned table has for one term.
func learned(term string, weights map[string]float64) {
	row, ok := find(identifiers, term)
	if !ok {
		return
	}
	fields := strings.Fields(row)
	for i := 0; i+1 < len(fields) && i < 2*maxWords; i += 2 {
		percent, err := strconv.Atoi(fields[i+1])
		if p := float64(percent) / 100; err == nil && p >= minWeight {
			weights[fields[i]] += p
		}
	}
}

const (
	longestKey = 12 // of the written table, in characters
	wholeKey   = 4  // from so many characters on a key in katakana may begin within a word: ポート is no part of サポート
)

// Translate returns, for each Japanese word of a text that the table knows, the
// terms of the English words that names use for it, the likeliest first, and what
// is left of the text without them. Where several keys begin at a character the
// longest is taken.
func Translate(text string) (words [][]string, rest string) {
	var left strings.Builder
	within := false // a word in katakana, no key of which ends here
	for len(text) > 0 {
		first, size := utf8.DecodeRuneInString(text)
		end, row := 0, ""
		if first >= '\u3000' {
			for at, n := 0, 1; at < len(text) && n <= longestKey; n++ {
				_, w := utf8.DecodeRuneInString(text[at:])
				at += w
				if n == 1 && isVerb(text[at:]) {
					continue
				}
				if r, ok := find(japanese, text[:at]); ok && (n >= wholeKey || !within || !katakana(first)) {
					end, row = at, r
				}
			}
		}
		if within = end == 0 && katakana(first); end == 0 {
			left.WriteString(text[:size])
			text = text[size:]
			continue
		}
		words = append(words, stemmed(strings.Fields(row)))
		left.WriteByte(' ')
		text = text[end:]
	}
	return words, left.String()
}

// particles begin what comes after a noun; a character with other hiragana behind it is the
// stem of a verb: 行の is of a line, 行う is to do.
const particles = "がをのはにでともへやごまだなしよず"

// isVerb reports whether what follows a character of Chinese origin makes it a verb.
func isVerb(rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return 'ぁ' <= next && next <= 'ん' && !strings.ContainsRune(particles, next) && !strings.HasPrefix(rest, "から")
}

func katakana(c rune) bool { return 'ァ' <= c && c <= 'ヺ' || c == 'ー' }

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
