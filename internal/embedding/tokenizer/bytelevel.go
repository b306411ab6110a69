package tokenizer

import "strings"

// byteLevel writes each byte as a character that can be seen, as GPT-2 does:
// printable ones of Latin-1 as themselves, the others in order from U+0100 on.
var byteLevel = makeByteAlphabet()

type byteAlphabet [256]rune

func makeByteAlphabet() (a byteAlphabet) {
	next := rune(0x100)
	for b := range a {
		switch {
		case '!' <= b && b <= '~', 0xA1 <= b && b <= 0xAC, 0xAE <= b && b <= 0xFF:
			a[b] = rune(b)
		default:
			a[b] = next
			next++
		}
	}
	return a
}

func (a *byteAlphabet) encode(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for i := range len(s) {
		b.WriteRune(a[s[i]])
	}
	return b.String()
}
