package tokenizer

import (
	"compress/gzip"
	"encoding/json"
	"hash/crc32"
	"os"
	"slices"
	"testing"
)

// TestCharacters holds what is said of every character to what
// testdata/characters.py heard from the reference.
func TestCharacters(t *testing.T) {
	f, err := os.Open("testdata/characters.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Control, Punctuation, Mark, Letter, Number [][2]rune // first and last
		Lower, NFD                                 []uint32  // CRC-32 of each 256 characters
	}
	if err := json.NewDecoder(z).Decode(&reference); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		is   func(r rune) bool
		want [][2]rune
	}{
		{"control", isControl, reference.Control},
		{"punctuation", isPunctuation, reference.Punctuation},
		{"mark", isMark, reference.Mark},
		{"letter", isLetter, reference.Letter},
		{"number", isNumber, reference.Number},
	} {
		if got := ranges(c.is); !slices.Equal(got, c.want) {
			t.Errorf("%s: %x, want %x", c.name, got, c.want)
		}
	}
	decompose := func(s string) string { return nfd("a\u0301" + s + "\u0316\u0334") }
	for block := range 0x1100 {
		if got := sum(block, lower); got != reference.Lower[block] {
			t.Errorf("the lower case of U+%02Xxx differs", block)
		}
		if got := sum(block, decompose); got != reference.NFD[block] {
			t.Errorf("the normal form D of U+%02Xxx differs", block)
		}
	}
}

func isSurrogate(r rune) bool { return 0xD800 <= r && r < 0xE000 }

// ranges are the characters for which is holds.
func ranges(is func(r rune) bool) (all [][2]rune) {
	for r := rune(0); r < 0x110000; r++ {
		switch last := len(all) - 1; {
		case isSurrogate(r) || !is(r):
		case last >= 0 && all[last][1] == r-1:
			all[last][1] = r
		default:
			all = append(all, [2]rune{r, r})
		}
	}
	return all
}

// sum is the CRC-32 of what becomes of the 256 characters of a block.
func sum(block int, rewrite func(s string) string) uint32 {
	var text []byte
	for r := rune(block) << 8; r < rune(block+1)<<8; r++ {
		if !isSurrogate(r) {
			text = append(text, rewrite(string(r))...)
		}
	}
	return crc32.ChecksumIEEE(text)
}
