package source

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// plainWord finds a condition that is a name; falseConstant the declaration of one that
// is false throughout the file.

var (
	PlainWord = lazyregexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)
)

// PlainText is a text without white space.
func PlainText(text string) string { return strings.Join(strings.Fields(text), "") }

// ControlWords are words that a function may have fewer of and do the same.
var ControlWords = WordSet("if else elif return for foreach while in do try catch except finally throw raise throws new" +
	" var let const final fn func function def this self static and or not is as with match switch case default break" +
	" continue end then begin null nil None true false True False int string str float bool boolean void array mixed" +
	" String Integer Boolean range err error private public protected")

// ErrorValue matches an error value of Go.
var ErrorValue = lazyregexp.MustCompile(`^(?:err|\w*[a-z0-9]Err|[eE]rr[A-Z]\w*|Errorf|errors)$`)

// NthChildOr returns the first child of a node, or the node if it has none.
func (s *Source) NthChildOr(node int32) int32 {
	if c := s.NthChild(node, 0); c >= 0 {
		return c
	}
	return node
}

// ContainsWord reports whether a text contains a word, also within a string.
func ContainsWord(text, word string) bool {
	isPart := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
	}
	word = strings.TrimLeft(word, "$")
	for at := 0; word != ""; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i + len(word)
		if (at == len(text) || !isPart(text[at])) && (at == len(word) || !isPart(text[at-len(word)-1])) {
			return true
		}
	}
	return false // of "$" nothing is left: it ends a line in a pattern
}

var (
	IsModule = lazyregexp.MustCompile(`(?m)^(?:import|export)\b`)
)
