package tokenizer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/text"
)

// The reference takes characters for what three versions of Unicode say they
// are: Unicode 8 for controls, punctuation and marks, one before Go's for normal
// forms, and one after Go's for letters, numbers and lower case. What follows is
// Go's tables, corrected by the difference; TestCharacters compares every
// character.

// isControl says whether BertNormalizer's clean_text takes r out.
func isControl(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
	case r == utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) && !unicode.Is(afterUnicode8, r)
}

// isPunctuation says whether BertPreTokenizer sets r apart.
func isPunctuation(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	case r == 0x166D, r == 0x111C9: // no longer
		return true
	}
	return unicode.IsPunct(r) && !unicode.Is(afterUnicode8, r)
}

// isMark says whether BertNormalizer's strip_accents takes r out.
func isMark(r rune) bool {
	if r < 0x300 {
		return false
	}
	return r == 0x1734 || unicode.Is(unicode.Mn, r) && !unicode.Is(afterUnicode8, r)
}

// isLetter and isNumber are \p{L} and \p{N} of the expression that GPT-2 cuts by.
func isLetter(r rune) bool { return unicode.IsLetter(r) || r > 0x1C80 && unicode.Is(laterLetters, r) }

func isNumber(r rune) bool { return unicode.IsNumber(r) || r > 0x10D30 && unicode.Is(laterNumbers, r) }

// lower is lower case by character, without regard to the neighbours.
func lower(s string) string {
	s = strings.Map(lowerRune, s)
	return strings.ReplaceAll(s, "İ", "i\u0307")
}

func lowerRune(r rune) rune {
	switch {
	case r < 0x1C89:
		if r == 'İ' {
			return r // becomes two characters
		}
	case r == 0x1C89, r == 0xA7CC, r == 0xA7CE, r == 0xA7D2, r == 0xA7D4, r == 0xA7DA:
		return r + 1
	case r == 0xA7CB:
		return 0x264
	case r == 0xA7DC:
		return 0x19B
	case 0x10D50 <= r && r <= 0x10D65:
		return r + 0x20
	case 0x16EA0 <= r && r <= 0x16EB8:
		return r + 0x1B
	}
	return unicode.ToLower(r)
}

// nfd decomposes s. Unlike golang.org/x/text, the reference sets no bound to how
// many marks may follow a letter (x/text puts a joiner in after thirty, as the
// Stream-Safe Text Format asks). Characters that the reference does not know are
// to it letters that nothing combines with.
func nfd(s string) string {
	if text.IsASCII(s) {
		return s
	}
	var b strings.Builder
	for {
		at := strings.IndexFunc(s, unknownToNormalizer)
		if at < 0 {
			break
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		b.WriteString(decomposed(s[:at]))
		b.WriteString(s[at : at+n])
		s = s[at+n:]
	}
	if b.Len() == 0 {
		return decomposed(s)
	}
	b.WriteString(decomposed(s))
	return b.String()
}

func unknownToNormalizer(r rune) bool { return r >= 0x7FD && unicode.Is(afterNormalizer, r) }

// graphemeJoiner is what x/text puts between marks.
const graphemeJoiner = "\u034F"

func decomposed(s string) string {
	d := norm.NFD.String(s)
	if strings.Count(d, graphemeJoiner) == strings.Count(s, graphemeJoiner) {
		return d
	}
	type character struct {
		r     rune
		class uint8 // 0: none is moved past it
	}
	var all []character
	for _, r := range s {
		for _, d := range norm.NFD.String(string(r)) {
			all = append(all, character{d, norm.NFD.PropertiesString(string(d)).CCC()})
		}
	}
	for i := 0; i < len(all); {
		j := i + 1
		for all[i].class != 0 && j < len(all) && all[j].class != 0 {
			j++
		}
		slices.SortStableFunc(all[i:j], func(a, b character) int { return cmp.Compare(a.class, b.class) })
		i = j
	}
	var b strings.Builder
	for _, c := range all {
		b.WriteRune(c.r)
	}
	return b.String()
}

// afterUnicode8 holds the controls, punctuation and nonspacing marks that came
// after Unicode 8. Ranges reach over characters of other classes.
var afterUnicode8 = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x61D, 0x61D, 1}, {0x7FD, 0x7FD, 1}, {0x890, 0x8E2, 1}, {0x9FD, 0x9FE, 1}, {0xA76, 0xA76, 1},
		{0xAFA, 0xAFF, 1}, {0xB55, 0xB55, 1}, {0xC04, 0xC3C, 1}, {0xC77, 0xC77, 1}, {0xC84, 0xC84, 1},
		{0xD00, 0xD00, 1}, {0xD3B, 0xD3C, 1}, {0xD81, 0xD81, 1}, {0xEBA, 0xEBA, 1}, {0xECE, 0xECE, 1},
		{0x180F, 0x1886, 1}, {0x1ABF, 0x1ACE, 1}, {0x1B7D, 0x1B7E, 1}, {0x1DF6, 0x1DFB, 1}, {0x2E43, 0x2E5D, 1},
		{0xA82C, 0xA82C, 1}, {0xA8C5, 0xA8C5, 1}, {0xA8FF, 0xA8FF, 1}, {0xA9BD, 0xA9BD, 1},
	},
	R32: []unicode.Range32{
		{0x10D24, 0x10F89, 1}, {0x11070, 0x11074, 1}, {0x110C2, 0x110CD, 1}, {0x111C9, 0x111C9, 1},
		{0x111CF, 0x111CF, 1}, {0x1123E, 0x11241, 1}, {0x1133B, 0x1133B, 1}, {0x11438, 0x1145E, 1},
		{0x11660, 0x1166C, 1}, {0x116B9, 0x116B9, 1}, {0x1182F, 0x11FFF, 1}, {0x12FF1, 0x13455, 1},
		{0x16E97, 0x16F4F, 1}, {0x16FE2, 0x16FE4, 1}, {0x1CF00, 0x1CF46, 1}, {0x1E000, 0x1E4EF, 1},
		{0x1E944, 0x1E95F, 1},
	},
}

// afterNormalizer holds what Go decomposes or reorders and the reference does not.
var afterNormalizer = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x7fd, 0x7fd, 1}, {0x898, 0x89f, 1}, {0x8ca, 0x8d3, 1}, {0x9fe, 0x9fe, 1},
		{0xc3c, 0xc3c, 1}, {0xd3b, 0xd3c, 1}, {0xeba, 0xeba, 1}, {0x1715, 0x1715, 1},
		{0x1abf, 0x1ace, 1}, {0x1df6, 0x1dfa, 1}, {0x32ff, 0x32ff, 1}, {0xa7f2, 0xa7f4, 1},
		{0xa82c, 0xa82c, 1}, {0xab69, 0xab69, 1},
	},
	R32: []unicode.Range32{
		{0x10781, 0x10785, 1}, {0x10787, 0x107b0, 1}, {0x107b2, 0x107ba, 1}, {0x10d24, 0x10d27, 1},
		{0x10eab, 0x10eac, 1}, {0x10efd, 0x10eff, 1}, {0x10f46, 0x10f50, 1}, {0x10f82, 0x10f85, 1},
		{0x11070, 0x11070, 1}, {0x1133b, 0x1133b, 1}, {0x1145e, 0x1145e, 1}, {0x11839, 0x1183a, 1},
		{0x11938, 0x11938, 1}, {0x1193d, 0x1193e, 1}, {0x11943, 0x11943, 1}, {0x119e0, 0x119e0, 1},
		{0x11a34, 0x11a34, 1}, {0x11a47, 0x11a47, 1}, {0x11a99, 0x11a99, 1}, {0x11d42, 0x11d42, 1},
		{0x11d44, 0x11d45, 1}, {0x11d97, 0x11d97, 1}, {0x11f41, 0x11f42, 1}, {0x16ff0, 0x16ff1, 1},
		{0x1e030, 0x1e06d, 1}, {0x1e08f, 0x1e08f, 1}, {0x1e130, 0x1e136, 1}, {0x1e2ae, 0x1e2ae, 1},
		{0x1e2ec, 0x1e2ef, 1}, {0x1e4ec, 0x1e4ef, 1}, {0x1f16c, 0x1f16c, 1}, {0x1fbf0, 0x1fbf9, 1},
	},
}

// laterLetters are the letters that Go does not know yet.
var laterLetters = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1c89, 0x1c8a, 1}, {0xa7cb, 0xa7cd, 1}, {0xa7da, 0xa7dc, 1},
	},
	R32: []unicode.Range32{
		{0x105c0, 0x105f3, 1}, {0x10d4a, 0x10d65, 1}, {0x10d6f, 0x10d85, 1}, {0x10ec2, 0x10ec4, 1},
		{0x11380, 0x11389, 1}, {0x1138b, 0x1138b, 1}, {0x1138e, 0x1138e, 1}, {0x11390, 0x113b5, 1},
		{0x113b7, 0x113b7, 1}, {0x113d1, 0x113d1, 1}, {0x113d3, 0x113d3, 1}, {0x11bc0, 0x11be0, 1},
		{0x13460, 0x143fa, 1}, {0x16100, 0x1611d, 1}, {0x16d40, 0x16d6c, 1}, {0x18cff, 0x18cff, 1},
		{0x1e5d0, 0x1e5ed, 1}, {0x1e5f0, 0x1e5f0, 1}, {0x2ebf0, 0x2ee5d, 1},
	},
}

// laterNumbers are the numbers that Go does not know yet.
var laterNumbers = &unicode.RangeTable{
	R32: []unicode.Range32{
		{0x10d40, 0x10d49, 1}, {0x116d0, 0x116e3, 1}, {0x11bf0, 0x11bf9, 1}, {0x16130, 0x16139, 1},
		{0x16d70, 0x16d79, 1}, {0x1ccf0, 0x1ccf9, 1}, {0x1e5f1, 0x1e5fa, 1},
	},
}
