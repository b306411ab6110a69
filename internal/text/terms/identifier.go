package terms

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/text"
)

// A script is what characters a word is written in.
type script uint8

const (
	none    script = iota // no word: punctuation, space, symbols
	letters               // letters with or without case, digits, "_"
	han
	hiragana
	katakana
	hangul
)

// scriptOf returns the script of a character in NFKC.
func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		if inRun[r] {
			return letters
		}
		return none
	case r >= 0x3041 && r <= 0x309f:
		return hiragana
	case r >= 0x30a0 && r <= 0x30ff || r >= 0x31f0 && r <= 0x31ff:
		if r == '・' || r == '゠' {
			return none
		}
		return katakana
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3400 && r <= 0x4dbf, r >= 0xf900 && r <= 0xfaff,
		r >= 0x20000 && r <= 0x323af, r == '々', r == '〇', r == '〆':
		return han
	case r >= 0xac00 && r <= 0xd7a3, r >= 0x1100 && r <= 0x11ff:
		return hangul
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mn, r):
		return letters
	}
	return none
}

// SplitIdentifier returns the words of an identifier in lower case, not stemmed.
// Words end at marks such as "_" and "-", where a small letter meets a capital,
// before the last capital of a row (HTTPServer is http and server; the s of URLs
// belongs to its row), and between letters and digits.
func SplitIdentifier(name string) []string {
	if text.IsASCII(name) {
		return splitASCII(nil, name, strings.ToLower(name))
	}
	return splitRunes(norm.NFKC.String(name))
}

func splitRunes(name string) []string {
	var (
		buffer [64]rune
		rs     = appendRunes(buffer[:0], name)
		parts  []string
		start  = 0
	)
	for i := range rs {
		if i > 0 && wordBegins(rs, i) {
			parts = appendWord(parts, rs[start:i])
			start = i
		}
	}
	return appendWord(parts, rs[start:])
}

// splitASCII appends the words of an identifier in ASCII, which lower is in lower
// case. It sees what border sees, faster.
func splitASCII(parts []string, name, lower string) []string {
	start := 0
	before := mark
	for i := 0; i <= len(name); i++ {
		here := mark
		if i < len(name) {
			here = asciiKinds[name[i]]
		}
		cut := here != before
		switch {
		case !cut:
			cut = here == capital && i+1 < len(name) && asciiKinds[name[i+1]] == small && !pluralASCII(name, i+1)
		case before == capital && here == small:
			cut = false
		}
		if cut {
			if before != mark {
				parts = append(parts, lower[start:i])
			}
			start = i
		}
		before = here
	}
	return parts
}

// pluralASCII is plural for ASCII.
func pluralASCII(name string, i int) bool {
	return name[i] == 's' && i >= 2 && asciiKinds[name[i-2]] == capital && (i+1 == len(name) || asciiKinds[name[i+1]] != small)
}

// asciiKinds is kindOf as a table.
var asciiKinds = func() (kinds [0x80]kind) {
	for c := range kinds {
		kinds[c] = kindOf(rune(c))
	}
	return kinds
}()

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func appendRunes(rs []rune, s string) []rune {
	for _, r := range s {
		rs = append(rs, r)
	}
	return rs
}

// wordBegins reports whether a word begins at rs[i], i > 0.
func wordBegins(rs []rune, i int) bool {
	before, here := kindOf(rs[i-1]), kindOf(rs[i])
	next := mark
	if i+1 < len(rs) {
		next = kindOf(rs[i+1])
	}
	switch {
	case before == capital && here == capital:
		return next == small && !plural(rs, i+1)
	case before == capital && here == small:
		return false
	case before == small && here == other, before == other && here == small:
		return scriptOf(rs[i-1]) != scriptOf(rs[i])
	case before == other && here == other:
		return scriptOf(rs[i-1]) != scriptOf(rs[i])
	}
	return before != here
}

// plural reports whether rs[i] is the s at the end of a row of capitals.
func plural(rs []rune, i int) bool {
	return rs[i] == 's' && i >= 2 && kindOf(rs[i-2]) == capital && (i+1 == len(rs) || kindOf(rs[i+1]) != small)
}

// A kind is what a character is within an identifier.
type kind uint8

const (
	mark kind = iota // between words
	small
	capital
	digit
	other // a letter without case
)

func kindOf(r rune) kind {
	switch {
	case r >= 'a' && r <= 'z':
		return small
	case r >= 'A' && r <= 'Z':
		return capital
	case r >= '0' && r <= '9':
		return digit
	case r < 0x80:
		return mark
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return capital
	case unicode.IsLower(r), unicode.Is(unicode.Mn, r):
		return small
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r), scriptOf(r) != none:
		return other
	}
	return mark
}

func appendWord(parts []string, rs []rune) []string {
	if len(rs) == 0 || kindOf(rs[0]) == mark {
		return parts
	}
	return append(parts, strings.ToLower(string(rs)))
}
