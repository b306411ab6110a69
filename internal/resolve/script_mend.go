package resolve

import (
	"bytes"
	"regexp"
)

// The grammar of TypeScript does not know two things that are common, and
// loses what follows them. Both can be put in other words of the same length,
// so that every place stays where it is.

// variance matches the modifiers in <in out T>.
var variance = regexp.MustCompile(`(?s)[<,]\s*(?:/\*.{0,400}?\*/\s*)*((?:in\s+)?(?:out|in)\s)\s*[A-Za-z_$][\w$]*\s*(?:extends\b|[=,>])`)

// typeBody matches what stands before the brace of an interface, or of the
// object type of an alias.
var typeBody = regexp.MustCompile(`(?s)\b(?:interface\s+[\w$][^;{}]*|type\s+[\w$]+\s*(?:<[^;{}]*>)?\s*=[\s|&(]*)$`)

// mend rewrites a TypeScript text so that the grammar can read it.
func mend(text string) string {
	b := []byte(text)
	for range 2 { // neighbours share the comma between them
		for _, m := range variance.FindAllSubmatchIndex(b, -1) {
			for i := m[2]; i < m[3]; i++ {
				if b[i] != '\n' {
					b[i] = ' '
				}
			}
		}
	}
	separateSignatures(b)
	return string(b)
}

// separateSignatures puts a semicolon in the place of the line break before a
// call signature that follows a member without one.
func separateSignatures(b []byte) {
	var open []byte // brackets; 't' is the brace of a type's body
	last := -1      // the last byte that is neither space nor comment
	lineBreak := -1 // the first line break since
	since := 0      // where the statement around began, roughly
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case ' ', '\t', '\r':
			continue
		case '\n':
			if lineBreak < 0 {
				lineBreak = i
			}
			continue
		case '/':
			if end := commentEnd(b, i); end > i {
				i = end - 1
				continue
			}
		case '"', '\'', '`':
			i = stringEnd(b, i)
		case '{':
			kind := byte('{')
			if n := len(open); n > 0 && open[n-1] != '{' && inType(open) || typeBody.Match(b[max(since, i-2000):i]) {
				kind = 't'
			}
			open = append(open, kind)
		case '(', '[', '<':
			if n := len(open); n > 0 && open[n-1] == 't' && lineBreak >= 0 && c != '[' && endsMember(b, last) {
				b[lineBreak] = ';'
			}
			if c != '<' {
				open = append(open, c)
			}
		case ')', ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
		if b[i] == ';' || b[i] == '}' {
			since = i + 1
		}
		last, lineBreak = i, -1
	}
}

// inType reports whether one of the brackets that are open is that of a
// type's body, with no code inside of it.
func inType(open []byte) bool {
	for i := len(open) - 1; i >= 0; i-- {
		switch open[i] {
		case 't':
			return true
		case '{':
			return false
		}
	}
	return false
}

// endsMember reports whether a member of a type may end with a byte.
func endsMember(b []byte, last int) bool {
	if last < 0 {
		return false
	}
	switch c := b[last]; {
	case c == '>':
		return last == 0 || b[last-1] != '='
	case c == ')', c == ']', c == '}', c == '"', c == '\'', c == '`', c == '_', c == '$':
		return true
	default:
		return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
}

// commentEnd returns the end of the comment that begins at i, or i.
func commentEnd(b []byte, i int) int {
	end := ""
	switch {
	case bytes.HasPrefix(b[i:], []byte("//")):
		end = "\n"
	case bytes.HasPrefix(b[i:], []byte("/*")):
		end = "*/"
	default:
		return i
	}
	n := bytes.Index(b[i+2:], []byte(end))
	switch {
	case n < 0:
		return len(b)
	case end == "\n":
		return i + 2 + n
	}
	return i + 2 + n + len(end)
}

// stringEnd returns the last byte of the string that begins at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch {
		case b[j] == '\\':
			j++
		case b[j] == b[i]:
			return j
		case b[j] == '\n' && b[i] != '`':
			return i // an apostrophe in JSX, or in a regular expression
		}
	}
	return i
}
