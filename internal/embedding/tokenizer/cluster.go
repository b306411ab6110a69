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
	joiner
	regional
	prepended
	spacing
	hangulL
	hangulV
	hangulT
	hangulLV
	hangulLVT
	pictograph
)

// cluster returns the length in bytes of the extended grapheme cluster that s
// begins with; s is not empty. The rule for conjuncts (GB9c) is left out: what it
// joins is longer than any cluster that is looked up as a whole.
func cluster(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	before := breakClassOf(r)
	picture, flags := before == pictograph, 0 // a pictograph and marks so far; regional indicators in a row
	for n < len(s) {
		if before == regional {
			flags++
		} else {
			flags = 0
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		c := breakClassOf(r)
		if !joins(before, c, picture, flags) {
			break
		}
		picture = picture && (c == extend || c == joiner) || c == pictograph
		before = c
		n += size
	}
	return n
}

// joins tells whether there is no break between classes a and b; the numbers are
// those of the rules.
func joins(a, b breakClass, picture bool, flags int) bool {
	switch {
	case a == carriageReturn && b == lineFeed: // 3
		return true
	case a == carriageReturn || a == lineFeed || a == controls, // 4
		b == carriageReturn || b == lineFeed || b == controls: // 5
		return false
	case b == extend || b == joiner || b == spacing || a == prepended: // 9, 9a, 9b
		return true
	}
	switch a {
	case hangulL: // 6
		return b == hangulL || b == hangulV || b == hangulLV || b == hangulLVT
	case hangulLV, hangulV: // 7
		return b == hangulV || b == hangulT
	case hangulLVT, hangulT: // 8
		return b == hangulT
	case joiner: // 11
		return picture && b == pictograph
	case regional: // 12, 13
		return b == regional && flags%2 == 1
	}
	return false
}

// noSpacing are spacing marks that yet end no cluster's neighbourhood.
var noSpacing = &unicode.RangeTable{
	R16: []unicode.Range16{{0x102B, 0x102C, 1}, {0x1038, 0x1038, 1}, {0x1062, 0x1064, 1}, {0x1067, 0x106D, 1}, {0x1083, 0x1083, 1},
		{0x1087, 0x108C, 1}, {0x108F, 0x108F, 1}, {0x109A, 0x109C, 1}, {0x1A61, 0x1A61, 1}, {0x1A63, 0x1A64, 1}, {0xAA7B, 0xAA7B, 1}, {0xAA7D, 0xAA7D, 1}},
	R32: []unicode.Range32{{0x11720, 0x11721, 1}},
}

// before are letters that join what follows, beside the concatenation marks.
var before = &unicode.RangeTable{
	R16: []unicode.Range16{{0x0D4E, 0x0D4E, 1}},
	R32: []unicode.Range32{{0x111C2, 0x111C3, 1}, {0x1193F, 0x1193F, 1}, {0x11941, 0x11941, 1}, {0x11A3A, 0x11A3A, 1},
		{0x11A84, 0x11A89, 1}, {0x11D46, 0x11D46, 1}, {0x11F02, 0x11F02, 1}},
}

// pictures are the pictographs (Extended_Pictographic) that can stand before a
// joiner.
var pictures = &unicode.RangeTable{
	R16: []unicode.Range16{{0xA9, 0xA9, 1}, {0xAE, 0xAE, 1}, {0x203C, 0x203C, 1}, {0x2049, 0x2049, 1}, {0x2122, 0x2122, 1}, {0x2139, 0x2139, 1},
		{0x2194, 0x2199, 1}, {0x21A9, 0x21AA, 1}, {0x231A, 0x231B, 1}, {0x2328, 0x2328, 1}, {0x2388, 0x2388, 1}, {0x23CF, 0x23CF, 1},
		{0x23E9, 0x23F3, 1}, {0x23F8, 0x23FA, 1}, {0x24C2, 0x24C2, 1}, {0x25AA, 0x25AB, 1}, {0x25B6, 0x25B6, 1}, {0x25C0, 0x25C0, 1},
		{0x25FB, 0x25FE, 1}, {0x2600, 0x2605, 1}, {0x2607, 0x2612, 1}, {0x2614, 0x2685, 1}, {0x2690, 0x2705, 1}, {0x2708, 0x2712, 1},
		{0x2714, 0x2714, 1}, {0x2716, 0x2716, 1}, {0x271D, 0x271D, 1}, {0x2721, 0x2721, 1}, {0x2728, 0x2728, 1}, {0x2733, 0x2734, 1},
		{0x2744, 0x2744, 1}, {0x2747, 0x2747, 1}, {0x274C, 0x274C, 1}, {0x274E, 0x274E, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1},
		{0x2763, 0x2767, 1}, {0x2795, 0x2797, 1}, {0x27A1, 0x27A1, 1}, {0x27B0, 0x27B0, 1}, {0x27BF, 0x27BF, 1}, {0x2934, 0x2935, 1},
		{0x2B05, 0x2B07, 1}, {0x2B1B, 0x2B1C, 1}, {0x2B50, 0x2B50, 1}, {0x2B55, 0x2B55, 1}, {0x3030, 0x3030, 1}, {0x303D, 0x303D, 1},
		{0x3297, 0x3297, 1}, {0x3299, 0x3299, 1}},
	R32: []unicode.Range32{{0x1F000, 0x1F0FF, 1}, {0x1F10D, 0x1F10F, 1}, {0x1F12F, 0x1F12F, 1}, {0x1F16C, 0x1F171, 1}, {0x1F17E, 0x1F17F, 1},
		{0x1F18E, 0x1F18E, 1}, {0x1F191, 0x1F19A, 1}, {0x1F1AD, 0x1F1E5, 1}, {0x1F201, 0x1F20F, 1}, {0x1F21A, 0x1F21A, 1}, {0x1F22F, 0x1F22F, 1},
		{0x1F232, 0x1F23A, 1}, {0x1F23C, 0x1F23F, 1}, {0x1F249, 0x1F3FA, 1}, {0x1F400, 0x1F53D, 1}, {0x1F546, 0x1F64F, 1}, {0x1F680, 0x1F6FF, 1},
		{0x1F774, 0x1F77F, 1}, {0x1F7D5, 0x1F7FF, 1}, {0x1F80C, 0x1F80F, 1}, {0x1F848, 0x1F84F, 1}, {0x1F85A, 0x1F85F, 1}, {0x1F888, 0x1F88F, 1},
		{0x1F8AE, 0x1F8FF, 1}, {0x1F90C, 0x1F93A, 1}, {0x1F93C, 0x1F945, 1}, {0x1F947, 0x1FAFF, 1}, {0x1FC00, 0x1FFFD, 1}},
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
	case r == 0x200D:
		return joiner
	case r >= 0x1100 && r <= 0xD7FB:
		if c := hangul(r); c != other {
			return c
		}
	case 0x1F1E6 <= r && r <= 0x1F1FF:
		return regional
	case 0x1F3FB <= r && r <= 0x1F3FF:
		return extend
	}
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend):
		return extend
	case unicode.In(r, unicode.Prepended_Concatenation_Mark, before):
		return prepended
	case unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf), r == 0x2065, 0xFFF0 <= r && r <= 0xFFF8, 0xE0000 <= r && r <= 0xE0FFF:
		return controls
	case r == 0x0E33, r == 0x0EB3, unicode.Is(unicode.Mc, r) && !unicode.Is(noSpacing, r):
		return spacing
	case unicode.Is(pictures, r):
		return pictograph
	}
	return other
}

func hangul(r rune) breakClass {
	switch {
	case 0x1100 <= r && r <= 0x115F, 0xA960 <= r && r <= 0xA97C:
		return hangulL
	case 0x1160 <= r && r <= 0x11A7, 0xD7B0 <= r && r <= 0xD7C6:
		return hangulV
	case 0x11A8 <= r && r <= 0x11FF, 0xD7CB <= r && r <= 0xD7FB:
		return hangulT
	case 0xAC00 <= r && r <= 0xD7A3 && (r-0xAC00)%28 == 0:
		return hangulLV
	case 0xAC00 <= r && r <= 0xD7A3:
		return hangulLVT
	}
	return other
}
