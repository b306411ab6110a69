package history

// words is how many machine words a pattern takes at most.
const words = 4

// maxCompared bounds the characters of a text that are compared.
const maxCompared = 64 * words

// A pattern measures how far texts are from one text, in edits: characters to
// insert, to remove or to replace. It holds a column of the usual table as bits, one
// for each step up and one for each step down, so that 64 cells take a few
// instructions (G. Myers 1999, H. Hyyrö 2003). Merging findings compares each with
// each; one cell at a time, a thousand pipelines would take seconds.
type pattern struct {
	length int
	ascii  [128][words]uint64 // where each character stands
	other  map[rune][words]uint64
}

// newPattern makes the pattern of a text of at most maxCompared characters.
func newPattern(text string) *pattern {
	p := &pattern{other: make(map[rune][words]uint64)}
	for _, r := range text {
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

// edits returns the Levenshtein distance to a text of so many characters, or any
// number above limit if it is above.
func (p *pattern) edits(text string, length, limit int) int {
	if p.length == 0 {
		return length
	}
	used := (p.length + 63) / 64
	last := uint64(1) << ((p.length - 1) % 64)
	var up, down [words]uint64
	for w := range up {
		up[w] = ^uint64(0)
	}
	distance, left := p.length, length
	for _, r := range text {
		var at [words]uint64
		if r < 128 {
			at = p.ascii[r]
		} else {
			at = p.other[r]
		}
		rise, fall := uint64(1), uint64(0) // what the word above passes on
		for w := range used {
			eq := at[w]
			vertical := eq | down[w]
			eq |= fall
			horizontal := (eq&up[w] + up[w]) ^ up[w] | eq
			higher := down[w] | ^(horizontal | up[w])
			lower := up[w] & horizontal
			if w == used-1 {
				if higher&last != 0 {
					distance++
				}
				if lower&last != 0 {
					distance--
				}
			}
			nextRise, nextFall := higher>>63, lower>>63
			higher, lower = higher<<1|rise, lower<<1|fall
			up[w] = lower | ^(vertical | higher)
			down[w] = higher & vertical
			rise, fall = nextRise, nextFall
		}
		if left--; distance-left > limit {
			return distance
		}
	}
	return distance
}
