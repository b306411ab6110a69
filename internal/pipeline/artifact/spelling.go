package artifact

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
)

// quotedAt is a path as git quotes it: in C's way, because of a sign in it.
var quotedAt = lazyregexp.MustCompile(`^"(?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))+"`)

// gitQuoted returns the path that a text begins with as git quotes it, and where the quotation
// ends; 0 if it begins with none. One that quotes no sign is not a quotation of git.
func gitQuoted(s string) (name string, end int) {
	m := quotedAt.FindString(s)
	if !strings.Contains(m, `\`) {
		return "", 0
	}
	name, err := strconv.Unquote(m)
	if err != nil || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return "", 0
	}
	return name, len(m)
}

// Spelled is a path as a report names it: as it is, or, if it could be read as anything else, as
// git quotes it.
func Spelled(name string) string {
	if clean, why := cleanPath(name); why.IsZero() && clean == name {
		return name
	}
	var b strings.Builder
	odd := false
	for i, r := range name {
		switch {
		case r == '"', r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError || !unicode.IsPrint(r) || strings.ContainsRune("`<>|*?:#", r) || i == 0 && r == '~':
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
			continue
		}
		odd = true
	}
	if !odd { // nothing of it can be quoted
		return name
	}
	return `"` + b.String() + `"`
}
