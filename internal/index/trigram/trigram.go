// Package trigram keeps trigram filters, which rule out files that cannot contain a text without reading
// them.
//
// The trigrams of a text are all runs of three bytes in its lines. A [Filter] knows for each
// trigram which files have it; a [Query] says which trigrams a text must have to match a
// literal or a regular expression. A file that lacks one need not be read. Upper and lower
// case count as the same, so one filter serves both kinds of search.
//
// No file that could match is ever left out: a filter only errs on the other side. No
// bytes, however hostile, make it panic or loop: damage is [ErrCorrupt]. It knows nothing
// of encodings: texts are passed to it in UTF-8.
package trigram

import "codeintel/internal/index/segment"

// ErrCorrupt says that bytes are not what this package wrote.
var ErrCorrupt = segment.ErrCorrupt

// A Set is the distinct trigrams of one text, in no order. Each is three bytes,
// the first of them highest.
type Set []uint32

// A Scanner finds the trigrams of one text after the other. It holds two
// megabytes and is not for concurrent use.
type Scanner struct {
	seen []uint64 // a bit for each trigram that there can be
	list Set
}

// trigrams is how many there can be.
const trigrams = 1 << 24

// Scan returns the trigrams of a text, in memory of their own.
func (s *Scanner) Scan(text []byte) Set {
	if s.seen == nil {
		s.seen = make([]uint64, trigrams/64)
	}
	s.list = s.list[:0]
	window, have := uint32(0), 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 {
			var skip int
			c, skip = simple(text[i:])
			i += skip
		}
		if c == '\n' {
			have = 0
			continue
		}
		window = (window<<8 | uint32(lower[c])) & (trigrams - 1)
		if have++; have < 3 {
			continue
		}
		if word, bit := &s.seen[window>>6], uint64(1)<<(window&63); *word&bit == 0 {
			*word |= bit
			s.list = append(s.list, window)
		}
	}
	for _, t := range s.list {
		s.seen[t>>6] = 0
	}
	return append(Set(nil), s.list...)
}

// lower maps the bytes of ASCII capitals to those of small letters.
var lower = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	return t
}()

// simple returns the byte that stands for the first of text, and how many more
// it stands for. The long s and the Kelvin sign, two letters beyond ASCII, are
// for a regular expression that ignores case the same as s and k.
func simple(text []byte) (c byte, skip int) {
	switch {
	case len(text) >= 2 && text[0] == 0xC5 && text[1] == 0xBF:
		return 's', 1
	case len(text) >= 3 && text[0] == 0xE2 && text[1] == 0x84 && text[2] == 0xAA:
		return 'k', 2
	}
	return text[0], 0
}

// normal writes a text as Scan sees it.
func normal(text string) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 {
			var skip int
			c, skip = simple([]byte(text[i:min(len(text), i+3)]))
			i += skip
		}
		b = append(b, lower[c])
	}
	return string(b)
}

// Bits is a set of file numbers.
type Bits []uint64

// newBits returns an empty set for n files.
func newBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has reports whether file i is in the set.
func (b Bits) Has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// Add puts file i in.
func (b Bits) Add(i int) { b[i>>6] |= 1 << (i & 63) }

// fill puts the first n files in.
func (b Bits) fill(n int) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	if rest := n & 63; rest != 0 && len(b) > 0 {
		b[len(b)-1] = 1<<rest - 1
	}
}

func (b Bits) and(other Bits) {
	for i := range b {
		b[i] &= other[i]
	}
}

func (b Bits) or(other Bits) {
	for i := range b {
		b[i] |= other[i]
	}
}

func (b Bits) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}
