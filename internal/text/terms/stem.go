package terms

import "strings"

// Stem returns an English word, in lower case, without its endings: handle,
// handles, handled, handling and handler all give handl. The result is a key to
// compare, not a word to show. Whatever else it is given comes back as it is.
func Stem(word string) string {
	if len(word) <= 3 || !isLower(word) {
		return word
	}
	w := singular(word)
	if n := len(w); n > 4 && (strings.HasSuffix(w, "ied") || strings.HasSuffix(w, "ier")) {
		w = w[:n-3] + "y" // retried, retry
	}
	for _, e := range endings {
		rest, ok := strings.CutSuffix(w, e.text)
		if !ok || len(rest) < e.min {
			continue
		}
		w = rest
		if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' {
			w = w[:n-1] // mapping, map
		}
		break
	}
	if n := len(w); n > 3 && (w[n-1] == 'e' || w[n-1] == 'y') {
		w = w[:n-1]
	}
	return w
}

// singular takes the mark of the plural, or of the verb's third person, off.
func singular(w string) string {
	n := len(w)
	switch {
	case w[n-1] != 's':
		return w
	case strings.HasSuffix(w, "ies") && n > 4:
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "sses"):
		return w[:n-2]
	case w[n-2] == 'e' && n > 4 && strings.IndexByte("sxzh", w[n-3]) >= 0:
		return w[:n-2]
	case w[n-2] == 's' || w[n-2] == 'u' || w[n-2] == 'i':
		return w // class, status, axis
	}
	return w[:n-1]
}

// An ending is taken off where it leaves a stem of at least some letters. Of the
// endings that fit, the first is taken.
type ending struct {
	text string
	min  int
}

var endings = []ending{
	{"ization", 4}, {"ation", 4}, {"ator", 4}, {"ating", 4}, {"ated", 4}, {"ate", 4}, {"ion", 4},
	{"ing", 3}, {"edly", 3}, {"ed", 3}, {"er", 3}, {"or", 4},
	{"ized", 4}, {"ize", 4}, {"able", 4}, {"ible", 4}, {"ment", 4}, {"ness", 4}, {"ity", 4}, {"ive", 4}, {"ly", 4}, {"al", 5},
}

func isLower(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

// stopWords carry no meaning in a question.
var stopWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(`a an and are as at be been but by can could did do does doesn don for from had has have how i if in
		into is isn it its me my not of on or our should so such than that the their them then there these they this those to
		us use used using via was we were what when where which who why will with would you your`) {
		set[w] = true
	}
	return set
}()
