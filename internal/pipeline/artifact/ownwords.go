package artifact

import (
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

// minOwn is how much two texts have to say, in letters, for it to be no coincidence that they say the same.
const minOwn = 90

var codeSpan = lazyregexp.MustCompile("`[^`]*`")

// SameWords reports whether two reviews say the same, and enough of it, once headings, code, names, numbers and
// the words of what they are about are left out.
func SameWords(a, b string, about ...string) bool {
	given := make(map[string]bool)
	for _, text := range about {
		for _, field := range strings.Fields(text) {
			for _, w := range wordsOf(field) {
				given[w] = true
			}
		}
	}
	own := ownWords(a, given)
	return weight(own) >= minOwn && own == ownWords(b, given)
}

func ownWords(review string, given map[string]bool) string {
	var b strings.Builder
	for _, l := range markdown.Read(review) {
		if l.Level > 0 {
			continue
		}
		for _, field := range strings.Fields(codeSpan.ReplaceAllString(l.Text, " ")) {
			if isName(strings.TrimFunc(field, unicode.IsPunct)) {
				continue
			}
			for _, w := range wordsOf(field) {
				if !given[w] {
					b.WriteString(w)
				}
			}
		}
	}
	return b.String()
}

// isName reports whether a word is a path, a number, or a name in code.
func isName(word string) bool {
	inner := false
	for _, r := range word {
		if unicode.IsDigit(r) || strings.ContainsRune(`/._\:`, r) || inner && unicode.IsUpper(r) {
			return true
		}
		inner = unicode.IsLower(r)
	}
	return false
}

// wordsOf splits a word at what is not a letter, and where the script changes, as Japanese has no blanks.
func wordsOf(field string) (words []string) {
	var word []rune
	was := 0
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
		}
		word = nil
	}
	for _, r := range field {
		s := script(r)
		if s != was {
			end()
		}
		if was = s; s > 0 {
			word = append(word, unicode.ToLower(r))
		}
	}
	end()
	return words
}

func script(r rune) int {
	switch {
	case !unicode.IsLetter(r):
		return 0
	case unicode.Is(unicode.Han, r):
		return 2
	case unicode.Is(unicode.Hiragana, r):
		return 3
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return 4
	}
	return 1
}

// weight is the length of a text in letters, of which one of Japanese says as much as three others.
func weight(text string) (n int) {
	for _, r := range text {
		if n++; script(r) > 1 {
			n += 2
		}
	}
	return n
}
