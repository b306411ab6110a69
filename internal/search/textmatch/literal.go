package textmatch

import "bytes"

// A literal is a text to look for, exactly or without regard to ASCII case.
type literal struct {
	text []byte // lower case if folding
	fold bool
	rare int // index of the byte of text that is rarest in source code
}

func newLiteral(text string, fold bool) literal {
	n := literal{text: []byte(text), fold: fold}
	if fold {
		n.text = bytes.ToLower(n.text)
	}
	for i := range n.text {
		if commonness(n.text[i]) < commonness(n.text[n.rare]) {
			n.rare = i
		}
	}
	return n
}

// index returns where the literal first is in text, or -1.
func (n *literal) index(text []byte) int {
	if !n.fold {
		return n.indexExact(text)
	}
	// Jump from one rarest byte to the next, in either case, and compare round
	// it. The text is taken in blocks: else a case that is far away would be
	// looked for again after every match of the other.
	low := n.text[n.rare]
	up := low
	if 'a' <= low && low <= 'z' {
		up = low - 'a' + 'A'
	}
	last := len(text) - (len(n.text) - n.rare) // last place the rare byte can have
	for from := n.rare; from <= last; from += foldBlock {
		block := text[from:min(from+foldBlock, last+1)]
		for at := 0; at < len(block); at++ {
			i := indexEither(block[at:], low, up)
			if i < 0 {
				break
			}
			at += i
			start := from + at - n.rare
			if equalFold(text[start:start+len(n.text)], n.text) {
				return start
			}
		}
	}
	return -1
}

// missEvery is after how many bytes, on average, a rare byte that is none of a
// literal is no more than the general search costs.
const missEvery = 64

// indexExact jumps from one rarest byte to the next, too, as long as it is rare.
func (n *literal) indexExact(text []byte) int {
	if len(n.text) == 0 {
		return 0
	}
	rare, last := n.text[n.rare], len(text)-(len(n.text)-n.rare)
	for at, misses := n.rare, 0; at <= last; at++ {
		i := bytes.IndexByte(text[at:last+1], rare)
		if i < 0 {
			return -1
		}
		at += i
		start := at - n.rare
		if text[start] == n.text[0] && bytes.Equal(text[start:start+len(n.text)], n.text) {
			return start
		}
		if misses++; misses > 8+at/missEvery {
			if i := bytes.Index(text[start+1:], n.text); i >= 0 {
				return start + 1 + i
			}
			return -1
		}
	}
	return -1
}

// foldBlock is how many bytes are looked at for both cases at a time.
const foldBlock = 4 << 10

// indexEither returns the first place of either byte, or -1.
func indexEither(text []byte, a, b byte) int {
	i := bytes.IndexByte(text, a)
	if a == b {
		return i
	}
	if i >= 0 {
		text = text[:i]
	}
	if j := bytes.IndexByte(text, b); j >= 0 {
		return j
	}
	return i
}

// equalFold compares text with a lower-case one of the same length.
func equalFold(text, lower []byte) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// commonBytes are bytes of source code from common to rare.
const commonBytes = " etraniosdlcpufm\t_.()SEgT,hby\"vICRN=-0LPAO/kx1:;DMFwG{}2UBHVX*KYz[]WqQJZ"

// commonness ranks a byte: the higher, the more often it is in source code.
func commonness(c byte) int {
	if i := bytes.IndexByte([]byte(commonBytes), c); i >= 0 {
		return len(commonBytes) - i
	}
	return 0
}
