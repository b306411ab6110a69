package unread

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// Holds reports whether a text holds a name, in whatever way it joins its words.
func Holds(text, name string) bool {
	flat := func(t string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(t))
	}
	return strings.Contains(flat(text), flat(name))
}

// Named reports whether a request speaks of a name as of one of code: a word of a language is only
// one in quotes, before "()", or beside what kind of thing it is.
func Named(request, name string) bool {
	if !lowerWord.MatchString(name) {
		return Holds(request, name)
	}
	for _, m := range namedThing.FindAllStringSubmatch(request, -1) {
		if slices.Contains(m[1:], name) {
			return true
		}
	}
	return false
}

// lowerWord finds a name that may be a word of a language.
var lowerWord = lazyregexp.MustCompile(`^[a-z]+$`)

// namedThing finds a word that is said to be a name.
var namedThing = lazyregexp.MustCompile("[`'\"](\\w+)(?:\\(\\))?[`'\"]|\\b(\\w+)\\(\\)|\\b(?:function|method|class|component|constant|setting|variable|column|command|module|field)s? (\\w+)\\b" +
	"|\\b(\\w+) (?:function|method|class|component|constant|setting|variable|column|command|module|field)\\b")
