package tokenizer

import (
	"unicode"
	"unicode/utf8"
)

// A breakClass says how a character joins its neighbours to what a reader takes
// for one character (Unicode Standard Annex 29, table 2).
type breakClass uint8

const (
	other breakClass = iota
	carriageReturn
	lineFeed
	controls
	extend
	prepended
)

// cluster returns the length in bytes of the extended grapheme cluster that s
// begins with; s is not empty.
//
// The rules for Hangul, conjuncts, emoji and flags (GB6 to GB8, GB9c, GB11 to
// GB13) are left out: what they join is too long to be looked up as a whole, and
// one by one its characters give the same.
func cluster(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	for before := breakClassOf(r); n < len(s); {
		r, size := utf8.DecodeRuneInString(s[n:])
		class := breakClassOf(r)
		if !joins(before, class) {
			break
		}
		before = class
		n += size
	}
	return n
}

// joins says whether there is no break between classes a and b; the numbers are
// those of the rules.
func joins(a, b breakClass) bool {
	switch {
	case a == carriageReturn && b == lineFeed: // 3
		return true
	case a == carriageReturn || a == lineFeed || a == controls, // 4
		b == carriageReturn || b == lineFeed || b == controls: // 5
		return false
	}
	return b == extend || a == prepended // 9, 9a, 9b
}

// noSpacing are spacing marks that yet end no cluster's neighbourhood.
var noSpacing = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x102B, 0x102C, 1}, {0x1038, 0x1038, 1}, {0x1062, 0x1064, 1}, {0x1067, 0x106D, 1}, {0x1083, 0x1083, 1},
		{0x1087, 0x108C, 1}, {0x108F, 0x108F, 1}, {0x109A, 0x109C, 1}, {0x1A61, 0x1A61, 1}, {0x1A63, 0x1A64, 1},
		{0xAA7B, 0xAA7B, 1}, {0xAA7D, 0xAA7D, 1},
	},
	R32: []unicode.Range32{{0x11720, 0x11721, 1}},
}

// before are letters that join what follows, beside the concatenation marks.
var before = &unicode.RangeTable{
	R16: []unicode.Range16{{0x0D4E, 0x0D4E, 1}},
	R32: []unicode.Range32{{0x111C2, 0x111C3, 1}, {0x1193F, 0x1193F, 1}, {0x11941, 0x11941, 1}, {0x11A3A, 0x11A3A, 1},
		{0x11A84, 0x11A89, 1}, {0x11D46, 0x11D46, 1}, {0x11F02, 0x11F02, 1}},
}

func breakClassOf(r rune) breakClass {
	switch {
	case r == '\r':
		return carriageReturn
	case r == '\n':
		return lineFeed
	case r < ' ' || 0x7F <= r && r < 0xA0:
		return controls
	case r < 0xA0:
		return other
	case r == 0x200D, r == 0x0E33, r == 0x0EB3, 0x1F3FB <= r && r <= 0x1F3FF,
		unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend),
		unicode.Is(unicode.Mc, r) && !unicode.Is(noSpacing, r):
		return extend
	case unicode.In(r, unicode.Prepended_Concatenation_Mark, before):
		return prepended
	case r == 0x2065, 0xFFF0 <= r && r <= 0xFFF8, 0xE0000 <= r && r <= 0xE0FFF,
		unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf):
		return controls
	}
	return other
}
