package text

import (
	"bytes"
	"strings"
	"unicode"
)

// AsCode reports whether a line of text has a word in quotes, after a dot, or called.
func AsCode(t, word string) bool {
	for at := 0; ; {
		i := strings.Index(t[at:], word)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(word)
		before := from > 0 && strings.IndexByte("`'\".:#@", t[from-1]) >= 0
		after := to < len(t) && strings.IndexByte("`'\"(", t[to]) >= 0
		if before && (t[from-1] != '\'' || after) || to < len(t) && (t[to] == '(' || t[to] == '`') {
			return true
		}
		at = to
	}
}

// WithoutComment cuts the comment off that comes after code on its line.
func WithoutComment(row []byte) []byte {
	for _, mark := range []string{" //", "\t//", " # ", "\t# ", " -- "} {
		row, _, _ = bytes.Cut(row, []byte(mark))
	}
	return row
}

// PlainWord reports whether a name is a word that comments hold without a thought of code.
func PlainWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLower(r) })
}
