package languages

import (
	"bytes"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/repair"
)

// A cToken is a word, a number, a text, a mark or a line of the preprocessor.
type cToken struct {
	start, end int
	kind       byte // cWord and so on, or the mark itself
}

// Kinds of tokens that are not marks.
const (
	cWord      = 'w'
	cNumber    = '0'
	cText      = '"'
	cDirective = '#'
	cScope     = 's' // ::
	cArrow     = 'a' // ->
)

// cTokens splits a text of C or C++. Comments are none.
func cTokens(src []byte) []cToken {
	all := make([]cToken, 0, len(src)/4)
	begins := true // nothing but space and comments since the line began
	for i := 0; i < len(src); {
		c, start := src[i], i
		kind := c
		switch {
		case c == '\n':
			begins = true
			i++
			continue
		case engine.IsSpace(c) || c == '\\':
			i++
			continue
		case c == '#' && begins:
			i, kind = directiveEnd(src, i), cDirective
		case c == '/' && repair.CommentEnd(src, i) > i:
			i = repair.CommentEnd(src, i)
			continue
		case c == '"' && i > 0 && src[i-1] == 'R':
			i, kind = rawStringEnd(src, i), cText
		case c == '"' || c == '\'':
			end, closed := repair.QuotedEnd(src, i)
			if closed {
				end++
			}
			i, kind = max(end, i+1), cText
		case c >= '0' && c <= '9':
			i, kind = numberEnd(src, i), cNumber
		case wordByte(c):
			i, kind = macroWordEnd(src, i), cWord
		case bytes.HasPrefix(src[i:], []byte("::")):
			i, kind = i+2, cScope
		case bytes.HasPrefix(src[i:], []byte("->")):
			i, kind = i+2, cArrow
		default:
			i++
		}
		begins = false
		all = append(all, cToken{start, i, kind})
	}
	return all
}

// numberEnd returns the end of a number: 1'000, 0x1p-2.
func numberEnd(src []byte, i int) int {
	for i < len(src) {
		switch {
		case wordByte(src[i]) || src[i] == '.':
			i++
		case src[i] == '\'' && i+1 < len(src) && wordByte(src[i+1]):
			i += 2
		default:
			return i
		}
	}
	return i
}

// closingToken returns the token that closes the bracket at i, or len(toks).
func closingToken(toks []cToken, i int) int {
	open := toks[i].kind
	end := open + 2 // ] and } in ASCII
	if open == '(' {
		end = ')'
	}
	depth := 0
	for ; i < len(toks); i++ {
		switch toks[i].kind {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// Bounds on how many tokens are looked at again, so that no text takes long.
const (
	longestList      = 1000 // arguments of templates and attributes
	longestStatement = 4000
	maxNestedGroups  = 64 // of conditional compilation
)

// angleEnd returns the token that closes the < at i, or -1 if that is not a list of
// arguments.
func angleEnd(toks []cToken, i int) int {
	depth := 0
	toks = toks[:min(len(toks), i+longestList)]
	for ; i < len(toks); i++ {
		switch toks[i].kind {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i
			}
		case '(', '[':
			i = closingToken(toks, i)
		case '{', '}', ';', ')', ']':
			return -1
		}
	}
	return -1
}

// isMacroName reports whether a word is in capitals.
func isMacroName(word []byte) bool {
	letters := 0
	for _, b := range word {
		if b >= 'a' && b <= 'z' || b >= 0x80 {
			return false
		}
		if b >= 'A' && b <= 'Z' {
			letters++
		}
	}
	return letters > 1
}
