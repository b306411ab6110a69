package charset

import (
	"bytes"
	"unicode/utf8"
)

// detectUTF16 decides about bytes with a NUL among them and no byte order mark.
// Source code in UTF-16 has a zero in every other byte of its ASCII characters,
// always on the same side; a binary file has them on both.
func detectUTF16(b []byte) Charset {
	var zeros [2]int
	for i, c := range b {
		if c == 0 {
			zeros[i&1]++
		}
	}
	few, many, cs := zeros[0], zeros[1], UTF16LE
	if few > many {
		few, many, cs = many, few, UTF16BE
	}
	// Japanese prose has its zeros in line feeds, spaces and digits only.
	if len(b) < 4 || few > many/20 || many < len(b)/50 {
		return Binary
	}
	units, odd, ascii := 0, 0, 0
	high := false
	for i := 0; i+1 < len(b); i += 2 {
		u := unit(b[i:], cs)
		switch {
		case high != (u >= 0xdc00 && u < 0xe000): // half a pair, or none where one is due
			odd++
		case !written(u):
			odd++
		}
		if printable(b[i]) && printable(b[i+1]) {
			ascii++
		}
		high = u >= 0xd800 && u < 0xdc00
		units++
	}
	// Pairs of ASCII would be rare ideographs: that is ASCII with zeros in it.
	if odd > units/50 || ascii > units*4/5 {
		return Binary
	}
	return cs
}

// written reports whether source files in UTF-16 have this unit: scripts of
// Europe and of East Asia, punctuation, surrogates.
func written(u uint16) bool {
	switch {
	case u < 0x20:
		return u == '\t' || u == '\n' || u == '\r' || u == '\f'
	case u < 0x100:
		return u < 0x7f || u >= 0xa0
	}
	return u >= 0x0370 && u < 0x0530 || u >= 0x2000 && u < 0x2800 || u >= 0x3000 && u < 0xe000 ||
		u >= 0xf900 && u < 0xfb00 || u >= 0xff00 && u < 0xfff0
}

func printable(c byte) bool { return c >= 0x20 && c < 0x7f }

func unit(b []byte, cs Charset) uint16 {
	if cs == UTF16LE {
		return uint16(b[0]) | uint16(b[1])<<8
	}
	return uint16(b[0])<<8 | uint16(b[1])
}

// isISO2022JP reports whether ASCII text b switches to a Japanese character set
// and uses it. The escape alone also occurs in programs that write to terminals.
func isISO2022JP(b []byte) bool {
	for {
		at := bytes.IndexByte(b, 0x1b)
		if at < 0 || at+3 >= len(b) {
			return false
		}
		b = b[at+1:]
		if b[0] != '$' || b[1] != 'B' && b[1] != '@' {
			continue
		}
		pairs := b[2:]
		if end := bytes.IndexAny(pairs, "\x1b\n"); end >= 0 {
			pairs = pairs[:end]
		} else {
			pairs = pairs[:len(pairs)&^1] // may be cut off
		}
		if len(pairs) >= 2 && len(pairs)%2 == 0 && bytes.IndexFunc(pairs, func(r rune) bool { return r < 0x21 || r > 0x7e }) < 0 {
			return true
		}
	}
}

// detectBytes decides about bytes that are not UTF-8 and hold no NUL. Each
// charset is tried on them and weighed: characters that are common in Japanese
// text count for it, rare ones and impossible bytes against it.
func detectBytes(b []byte) Charset {
	if control(b) > len(b)/20 {
		return Binary
	}
	if broken, whole := utf8Share(b); whole > 4*broken {
		return UTF8
	}
	sjis, euc, latin := weighShiftJIS(b), weighEUCJP(b), weighLatin1(b)
	switch {
	case euc > 0 && euc >= sjis && euc >= latin:
		return EUCJP
	case sjis > 0 && sjis >= latin:
		return ShiftJIS
	}
	return Latin1
}

// control counts bytes that no text holds.
func control(b []byte) (n int) {
	for _, c := range b {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n
}

// utf8Share counts the bytes that are broken UTF-8 and the whole characters
// beyond ASCII.
func utf8Share(b []byte) (broken, whole int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		if _, n := utf8.DecodeRune(b[i:]); n > 1 {
			whole++
			i += n
		} else {
			broken++
			i++
		}
	}
	return broken, whole
}

// Weights of one character.
const (
	common     = 4   // kana, punctuation and the kanji of the first level
	rare       = -1  // kanji of the second level, other characters
	halfKana   = -1  // half-width katakana, which any byte of Latin-1 may be
	impossible = -40 // a byte that cannot be there
)

func weighShiftJIS(b []byte) (weight int) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c < 0x80:
			continue
		case c >= 0xa1 && c <= 0xdf:
			weight += halfKana
			continue
		case c == 0x80 || c == 0xa0 || c > 0xfc:
			weight += impossible
			continue
		case i+1 == len(b):
			continue // cut off
		}
		d := b[i+1]
		if d < 0x40 || d == 0x7f || d > 0xfc {
			weight += impossible
			continue
		}
		i++
		switch {
		case c == 0x82 && d >= 0x9f && d <= 0xf1, c == 0x83 && d <= 0x96, c == 0x81 && d <= 0x97,
			c >= 0x88 && c <= 0x97:
			weight += common
		case c == 0x82 && d >= 0x4f && d <= 0x9a: // full-width digits and letters
			weight += common / 2
		default:
			weight += rare
		}
	}
	return weight
}

func weighEUCJP(b []byte) (weight int) {
	high := func(i int) bool { return i < len(b) && b[i] >= 0xa1 && b[i] != 0xff }
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c < 0x80:
			continue
		case i+1 == len(b), c == 0x8f && i+2 == len(b):
			continue // cut off
		case c == 0x8e && high(i+1) && b[i+1] <= 0xdf:
			weight += halfKana
			i++
		case c == 0x8f && high(i+1) && high(i+2):
			weight += rare
			i += 2
		case high(i) && high(i+1):
			switch d := b[i+1]; {
			case c == 0xa4 && d <= 0xf3, c == 0xa5 && d <= 0xf6, c == 0xa1, c >= 0xb0 && c <= 0xcf:
				weight += common
			case c == 0xa3:
				weight += common / 2
			default:
				weight += rare
			}
			i++
		default:
			weight += impossible
		}
	}
	return weight
}

// weighLatin1 counts letters with accents where such letters stand: alone, among
// ASCII letters. Japanese characters come in rows.
func weighLatin1(b []byte) (weight int) {
	for i, c := range b {
		if c < 0x80 {
			continue
		}
		alone := (i == 0 || b[i-1] < 0x80) && (i+1 == len(b) || b[i+1] < 0x80)
		letter := i > 0 && isLetter(b[i-1]) || i+1 < len(b) && isLetter(b[i+1])
		switch {
		case c >= 0xc0 && alone && letter:
			weight += 3
		case c >= 0xa0 && alone:
			weight++
		case c < 0xa0:
			weight--
		}
	}
	return weight
}

func isLetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
