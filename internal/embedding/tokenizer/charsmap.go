package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// precompiled is the normalization of a SentencePiece model: a table of what
// short strings become.
//
// The table is a little-endian uint32, the size of a double-array trie (the
// format of darts-clone) that follows, and then the replacements, each ended by
// a zero byte; the trie's values are offsets into them.
type precompiled struct {
	trie         []uint32
	replacements string
	ascii        [utf8.RuneSelf]string // what a character alone becomes
}

func readPrecompiled(data json.RawMessage) (normalizer, error) {
	var f struct {
		Type string `json:"type"`
		Map  string `json:"precompiled_charsmap"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.DecodeString(f.Map)
	if err != nil {
		return nil, err
	}
	if len(b) < 4 {
		return nil, errors.New("the charsmap is empty")
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if b = b[4:]; size > uint64(len(b)) || size%4 != 0 || size == 0 {
		return nil, errors.New("the trie of the charsmap is cut off")
	}
	p := &precompiled{trie: make([]uint32, size/4), replacements: string(b[size:])}
	for i := range p.trie {
		p.trie[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if !utf8.ValidString(p.replacements) {
		return nil, errors.New("the replacements of the charsmap are not UTF-8")
	}
	for c := range p.ascii {
		p.ascii[c] = p.replacement(string(rune(c)))
	}
	return p.normalize, nil
}

// normalize replaces short clusters of characters as a whole, and the
// characters of the others one by one. This is what the reference does; a
// cluster of which only the beginning has a replacement is replaced whole.
func (p *precompiled) normalize(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf && (s[i] != '\r' || s[i+1] != '\n')) {
			b.WriteString(p.ascii[s[i]])
			i++
			continue
		}
		n := cluster(s[i:])
		p.cluster(&b, s[i:i+n])
		i += n
	}
	return b.String()
}

// short is the length in bytes from which on a cluster is taken apart.
const short = 6

func (p *precompiled) cluster(b *strings.Builder, s string) {
	if len(s) < short {
		if to, ok := p.lookUp(s); ok {
			b.WriteString(to)
			return
		}
	}
	for i, r := range s {
		b.WriteString(p.replacement(s[i : i+utf8.RuneLen(r)]))
	}
}

// replacement returns what a character alone becomes.
func (p *precompiled) replacement(s string) string {
	if to, ok := p.lookUp(s); ok {
		return to
	}
	return s
}

// lookUp walks the trie and returns what the shortest beginning of s that
// has an entry becomes. A unit of the trie holds a label in its lowest byte, a
// leaf mark in bit 8 and an offset above; a leaf has bit 31 set and its value.
func (p *precompiled) lookUp(s string) (string, bool) {
	offset := func(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
	node := offset(p.trie[0])
	for i := range len(s) {
		c := uint32(s[i])
		if c == 0 {
			break
		}
		node ^= c
		if uint64(node) >= uint64(len(p.trie)) {
			break
		}
		unit := p.trie[node]
		if unit&(1<<31|0xFF) != c {
			break
		}
		node ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if uint64(node) >= uint64(len(p.trie)) {
			break
		}
		at := p.trie[node] &^ (1 << 31)
		if uint64(at) > uint64(len(p.replacements)) {
			break
		}
		to, _, _ := strings.Cut(p.replacements[at:], "\x00")
		return to, true
	}
	return "", false
}
