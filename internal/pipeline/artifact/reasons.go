package artifact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// GivesReason reports whether a line gives a reason for one of some names: it holds the name, and words
// besides names and those of others. Four words do, or eight letters of a script without spaces.
func GivesReason(line string, names []string, others ...string) bool {
	if !slices.ContainsFunc(names, func(n string) bool { return namesIt(line, n) }) {
		return false
	}
	const words, signs = 4, 8
	told := slices.Concat(others, names)
	for _, n := range told {
		line = strings.ReplaceAll(line, n, "")
	}
	wide := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.IsLetter(r) {
			return -1
		}
		return r
	}, line)
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	said := split(strings.Join(told, " "))
	own := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(split(line)))), func(w string) bool { return slices.Contains(said, w) })
	return len(own) >= words || utf8.RuneCountInString(wide) >= signs
}

// namesIt reports whether a line holds a name, and not only as a part of a longer one.
func namesIt(line, name string) bool {
	for from := 0; name != ""; from++ {
		at := strings.Index(line[from:], name)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(name)
		if !(from > 0 && inWord(line[from-1]) && inWord(name[0])) && !(end < len(line) && inWord(line[end]) && inWord(line[end-1])) {
			return true
		}
	}
	return false
}

// inWord reports whether a byte is of a name in ASCII.
func inWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// Reduced is a text without numbers, blanks and signs: what is left when only the number
// of a task is exchanged.
func Reduced(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
