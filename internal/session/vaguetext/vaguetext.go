// Package vaguetext checks free text in a payload: whether it is empty, vague, or a copy of another text.
// Handlers of phases refuse empty, vague and copied texts by it.
package vaguetext

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Visible keeps the characters of a text that a reader can see, and blanks.
func Visible(text string) string { return strings.Map(visible, text) }

func visible(r rune) rune {
	switch {
	// fillers, which count as letters; and Braille without a dot
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point), r == '\u2800':
		return -1
	case unicode.IsGraphic(r), unicode.IsSpace(r):
		return r
	}
	return -1
}

// Silent reports whether a text has no letter and no digit that a reader can see.
func Silent(text string) bool {
	return !strings.ContainsFunc(Visible(text),
		func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// Plain is what two spellings of the same words have in common: their letters and
// digits.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r = visible(r); unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(text))
}
