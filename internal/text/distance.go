// Package text has small helpers for text that several packages need: cutting, joining and
// quoting for messages, and the edit distance of two texts.
package text

// words is how many machine words a pattern takes at most.
const words = 4

// MaxCompared is how many characters the text of a [Pattern] may have.
const MaxCompared = 64 * words

// A Pattern measures how far texts are from one text, in edits: characters to
// insert, to remove or to replace. It holds a column of the usual table as bits, one
// for each step up and one for each step down, so that 64 cells take a few
// instructions (G. Myers 1999, H. Hyyrö 2003). Where each text is compared with each,
// one cell at a time would take seconds.
type Pattern struct {
	Swaps bool // exchanging two neighbouring characters counts as one edit

	length int
	ascii  [128][words]uint64 // where each character is
	other  map[rune][words]uint64
}

// NewPattern returns the pattern of a text of at most [MaxCompared] characters.
func NewPattern(s string) *Pattern {
	p := &Pattern{other: make(map[rune][words]uint64)}
	for _, r := range s {
		word, bit := p.length/64, uint64(1)<<(p.length%64)
		if r < 128 {
			p.ascii[r][word] |= bit
		} else {
			at := p.other[r]
			at[word] |= bit
			p.other[r] = at
		}
		p.length++
	}
	return p
}

// Distance returns the Levenshtein distance to a text of length characters. If it is
// more than limit, any number above limit is returned.
func (p *Pattern) Distance(s string, length, limit int) int {
	if p.length == 0 {
		return length
	}
	c := column{used: (p.length + 63) / 64, last: uint64(1) << ((p.length - 1) % 64)}
	for w := range c.up {
		c.up[w] = ^uint64(0)
	}
	distance, left := p.length, length
	for _, r := range s {
		at := p.positions(r)
		if p.Swaps {
			c.swap(&at)
		}
		distance += c.next(&at)
		if left--; distance-left > limit {
			return distance
		}
	}
	return distance
}

func (p *Pattern) positions(r rune) [words]uint64 {
	if r < 128 {
		return p.ascii[r]
	}
	return p.other[r]
}

// A column is one column of the table of distances.
type column struct {
	used     int    // words
	last     uint64 // the bit of the last row, in the last word
	up, down [words]uint64

	// For swaps: where a cell equals its upper left neighbour, where the character of
	// this column is in the pattern, and where a swap ends.
	diagonal, before, swapped [words]uint64
}

// swap finds the rows in which a swap with the column before ends.
func (c *column) swap(at *[words]uint64) {
	carry := uint64(0)
	for w := range c.used {
		begun := ^c.diagonal[w] & at[w]
		c.swapped[w] = (begun<<1 | carry) & c.before[w]
		carry = begun >> 63
	}
	c.before = *at
}

// next goes on to the column of a character that is at these positions of the
// pattern. It returns how much the distance changes in the last row.
func (c *column) next(at *[words]uint64) (change int) {
	rise, fall := uint64(1), uint64(0) // carried over from the word before
	for w := range c.used {
		eq := at[w] | fall
		diagonal := (eq&c.up[w] + c.up[w]) ^ c.up[w] | eq | c.down[w] | c.swapped[w]
		higher := c.down[w] | ^(diagonal | c.up[w])
		lower := c.up[w] & diagonal
		if w == c.used-1 {
			if higher&c.last != 0 {
				change++
			}
			if lower&c.last != 0 {
				change--
			}
		}
		nextRise, nextFall := higher>>63, lower>>63
		higher, lower = higher<<1|rise, lower<<1|fall
		c.up[w] = lower | ^(diagonal | higher)
		c.down[w] = higher & diagonal
		c.diagonal[w] = diagonal
		rise, fall = nextRise, nextFall
	}
	return change
}
