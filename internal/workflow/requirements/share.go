package requirements

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/text"
)

// commonWords say nothing of what a text is about.
var commonWords = text.WordSet("this that with from test tests must have been because were when into only also does them they then than there will would should could file files code change changed changes more less need needs make made some any the and for not was are but")

// Share reports whether two texts have a word in common that says something: of
// three letters or more, or two characters of a script without blanks.
func Share(a, b string) bool {
	words := func(s string) map[string]bool {
		all := make(map[string]bool)
		for _, w := range strings.FieldsFunc(strings.ToLower(s),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			r := []rune(w)
			if r[0] >= utf8.RuneSelf {
				for i := 0; i+1 < len(r); i++ {
					all[string(r[i:i+2])] = true
				}
			} else if len(r) >= 3 && !commonWords[w] {
				all[string(r[:min(len(r), 5)])] = true // "discount", "discounted"
			}
		}
		return all
	}
	in := words(b)
	for w := range words(a) {
		if in[w] {
			return true
		}
	}
	return false
}
