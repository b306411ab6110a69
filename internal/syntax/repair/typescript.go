package repair

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// variance matches the modifiers in <in out T>.
var variance = lazyregexp.MustCompile(`(?s)[<,]\s*(?:/\*+[^*]*\*+/\s*)*((?:in\s+)?(?:out|in)\s)\s*[A-Za-z_$][\w$]*\s*(?:extends\b|[=,>])`)

// typeBody matches what comes before the brace of an interface, or of the
// object type of an alias.
var typeBody = lazyregexp.MustCompile(`(?s)\b(?:interface\s+[\w$][^;{}]*|type\s+[\w$]+\s*(?:<[^;{}]*>)?\s*=[\s|&(]*)$`)

// TypeScript returns src in words that its grammar can read. The grammar
// does not know two things that are common, and loses what follows them: the
// modifiers of type parameters, and a call signature that nothing but a line break
// parts from the member before it.
func TypeScript(src []byte) []byte {
	b := bytes.Clone(src)
	for range 2 { // neighbours share the comma between them
		for _, m := range variance.FindAllSubmatchIndex(b, -1) {
			text.Blank(b[m[2]:m[3]])
		}
	}
	separateSignatures(b)
	return b
}

// separateSignatures puts a semicolon in the place of the last blank before a
// call signature that follows a member without one. One that begins its line
// stays as it is: no byte there may go.
func separateSignatures(b []byte) {
	var open []byte    // by bracket: 't' the brace of a type's body, 'p' what is open in one, '{' code
	var odd [256]int   // by quote: before here, it closes nothing
	last := -1         // the last byte that is neither space nor comment
	lineBreak := false // whether there was one since
	blank := -1        // the last blank since, on the line of what follows
	since := 0         // where the statement around began, roughly
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case ' ', '\t':
			blank = i
			continue
		case '\r':
			continue
		case '\n':
			lineBreak, blank = true, -1
			continue
		case '/':
			if end := CommentEnd(b, i); end > i {
				i = end - 1
				continue
			}
		case '"', '\'', '`':
			if i < odd[c] {
				break
			}
			if end, closed := QuotedEnd(b, i); closed {
				i = end
			} else { // an apostrophe in JSX, or in a regular expression
				odd[c] = end
			}
		case '{':
			kind := byte('{')
			if inType(open) || typeBody.Match(b[max(since, i-2000):i]) {
				kind = 't'
			}
			open = append(open, kind)
		case '(', '[', '<':
			if n := len(open); n > 0 && open[n-1] == 't' && lineBreak && blank >= 0 && c != '[' && endsMember(b, last) {
				b[blank] = ';'
			}
			if c == '<' {
				break
			}
			kind := byte('{')
			if inType(open) {
				kind = 'p'
			}
			open = append(open, kind)
		case ')', ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
		if b[i] == ';' || b[i] == '{' || b[i] == '}' {
			since = i + 1
		}
		last, lineBreak, blank = i, false, -1
	}
}

// inType reports whether what is open last is in the body of a type.
func inType(open []byte) bool {
	n := len(open)
	return n > 0 && open[n-1] != '{'
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

// CommentEnd returns the end of the comment that begins at i, or i.
func CommentEnd(b []byte, i int) int {
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

// QuotedEnd returns the last byte of the string that begins at i, or the place
// where it should have ended.
func QuotedEnd(b []byte, i int) (end int, closed bool) {
	for j := i + 1; j < len(b); j++ {
		switch {
		case b[j] == '\\':
			j++
		case b[j] == b[i]:
			return j, true
		case b[j] == '\n' && b[i] != '`':
			return j, false
		}
	}
	return len(b), false
}
