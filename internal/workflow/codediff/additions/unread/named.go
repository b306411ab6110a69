package unread

import (
	"regexp"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// ContainsName reports whether a text contains a name, in whatever way it joins its words.
func ContainsName(text, name string) bool {
	flat := func(t string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(t))
	}
	return strings.Contains(flat(text), flat(name))
}

// MentionsAsCode reports whether a request mentions a name as one of code: a word of a language is only
// one in quotes, before "()", or beside what kind of thing it is.
func MentionsAsCode(request, name string) bool {
	if !lowerWord.MatchString(name) {
		return ContainsName(request, name)
	}
	quoted := regexp.QuoteMeta(name)
	thing := regexp.MustCompile("[`'\"]" + quoted + "(?:\\(\\))?[`'\"]|\\b" + quoted + "\\(\\)|\\b(?:" + things + ")s? " + quoted + "\\b|\\b" + quoted + " (?:" + things + ")\\b")
	return thing.MatchString(request)
}

// lowerWord finds a name that may be a word of a language.
var lowerWord = lazyregexp.MustCompile(`^[a-z]+$`)

// things are kinds of what has a name.
const things = `function|method|class|component|constant|const|setting|variable|argument|option|input|output|column|command|module|field|type|dependency|package|library`
