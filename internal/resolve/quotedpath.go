package resolve

import (
	"slices"
	"strings"
	"unicode"
)

// A QuotedPath is a text in quotes that is written like the path of something in code, such as "far::jug",
// "a.B#cases" or "@guard.sees(#id)": names with signs between them, and no white space.
type QuotedPath struct {
	text string
}

// signs stand between the names of a path.
const signs = `.:#@(),&\<>`

// ParseQuotedPath returns a text in quotes as a path. ok is false if it is anything else.
func ParseQuotedPath(quoted string) (p QuotedPath, ok bool) {
	if len(quoted) < 3 || !strings.Contains(Quotes, quoted[:1]) || quoted[len(quoted)-1] != quoted[0] {
		return p, false
	}
	text := quoted[1 : len(quoted)-1]
	for _, c := range text {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(signs, c) {
			return p, false
		}
	}
	return QuotedPath{quoted}, true
}

// Names yields the names of the path, and the offset of each in the quoted text.
func (p QuotedPath) Names(yield func(string, uint32) bool) {
	for i := 1; i < len(p.text); i++ {
		if word := LeadingName(p.text[i:]); word != "" {
			if !yield(word, uint32(i)) {
				return
			}
			i += len(word)
		}
	}
}

// NamesUpTo returns the names of the path up to the one at an offset.
func (p QuotedPath) NamesUpTo(at uint32) (names []string) {
	p.Names(func(word string, i uint32) bool {
		if i > at {
			return false
		}
		names = append(names, word)
		return true
	})
	return names
}

// IsAdvice reports whether a node lies in an annotation or attribute that says what to use instead, such as
// @Deprecated("…", ReplaceWith("count()")): code there is for people and their editors.
func (u *Unit) IsAdvice(n int32) bool {
	name := strings.TrimSuffix(u.annotation(n), "attribute")
	return name == "deprecated" || name == "obsolete"
}

// annotation is the name of the annotation or attribute around a node, without what is before it, in small letters.
func (u *Unit) annotation(n int32) string {
	a := u.Around(n, "annotation", "attribute")
	if a < 0 {
		return ""
	}
	head := u.Text(a)
	if i := strings.IndexAny(head, "(="); i >= 0 {
		head = head[:i]
	}
	return lastWord(strings.TrimSpace(head))
}

// lastWord is the word that ends a text, in small letters.
func lastWord(s string) string {
	return strings.ToLower(s[strings.LastIndexFunc(s, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) })+1:])
}

// labels are words of the keys by which attributes give a thing another name: what is given there is no code.
var labels = []string{"name", "alias", "tag", "content"}

// IsLabel reports whether a text in quotes is given to such a key, as in rename = "count" and name: 'count', or
// alone to an annotation that is such a key itself, as in @JvmName("count").
func (u *Unit) IsLabel(n int32) bool {
	up := strings.TrimRight(u.Source[:u.Nodes[n].Start], " ")
	before := strings.TrimRight(up, "=: ")
	key := lastWord(before)
	if alone, ok := strings.CutSuffix(up, "("); ok {
		key, before = lastWord(alone), alone
	}
	return before != up && slices.ContainsFunc(labels, func(l string) bool { return strings.Contains(key, l) })
}
