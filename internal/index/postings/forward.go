package postings

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// forwardVersion is raised whenever the encoding changes.
const forwardVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Forward gathers the forward index of one file after the other. The order is
// [Forward.Chunk], then [Forward.Count] for what is in it, for each chunk;
// [Forward.Occur] and [Forward.Declare] at any time; then [Forward.Encode],
// which makes it empty again. It keeps its memory for the next file and is not
// for concurrent use.
//
// Terms are numbered by the caller, densely from 0, because there are so many of
// them in a text that looking each up by its letters would be most of the work.
// A number means one term until Encode.
type Forward struct {
	groups  []termGroup // in the order the terms come
	group   []int32     // by term: the number of its group plus one, or 0
	touched []int32     // the groups of the present chunk
	names   numbering[nameGroup]
	lengths [][Fields]uint32
}

// A termGroup is what is known of one term in one file.
type termGroup struct {
	list []byte // finished chunks
	term int32
	last int32 // chunk last written to list, -1 for none
	now  [Fields]uint32
	met  bool // in the present chunk
}

// A nameGroup is what is known of one identifier in one file.
type nameGroup struct {
	occurrences []Occurrence
	symbols     []int32
}

// numbering numbers strings in the order they come and keeps something for each.
type numbering[T any] struct {
	number map[string]int32
	keys   []string
	values []T
}

// entry returns what is kept for key, its number, and whether it is new.
func (g *numbering[T]) entry(key string) (i int32, v *T, fresh bool) {
	i, known := g.number[key]
	if !known {
		if g.number == nil {
			g.number = make(map[string]int32)
		}
		i = int32(len(g.keys))
		g.number[key] = i
		g.keys = append(g.keys, key)
		if len(g.values) < cap(g.values) {
			g.values = g.values[:len(g.values)+1] // with the memory of an earlier file
		} else {
			var zero T
			g.values = append(g.values, zero)
		}
	}
	return i, &g.values[i], !known
}

// manyKeys is from how many keys on the memory of a file is given up, because a
// small file after it would pay for clearing it.
const manyKeys = 4096

func (g *numbering[T]) reset() {
	if len(g.keys) > manyKeys {
		*g = numbering[T]{}
		return
	}
	clear(g.number)
	clear(g.keys)
	g.keys, g.values = g.keys[:0], g.values[:0]
}

// manyGroups is likewise, for terms, where a small file pays nothing.
const manyGroups = 1 << 16

// Chunk begins the next chunk; the first is number 0.
func (f *Forward) Chunk() {
	f.flush()
	f.lengths = append(f.lengths, [Fields]uint32{})
}

// Count adds one term in one field of the present chunk.
func (f *Forward) Count(field Field, term int32) {
	if int(term) >= len(f.group) {
		f.group = append(f.group, make([]int32, int(term)+1-len(f.group)+len(f.group)/4)...)
	}
	i := f.group[term] - 1
	if i < 0 {
		i = f.addGroup(term)
	}
	g := &f.groups[i]
	if !g.met {
		g.met = true
		f.touched = append(f.touched, i)
	}
	g.now[field]++
	f.lengths[len(f.lengths)-1][field]++
}

func (f *Forward) addGroup(term int32) int32 {
	i := len(f.groups)
	if i < cap(f.groups) {
		f.groups = f.groups[:i+1] // with the memory of an earlier file
	} else {
		f.groups = append(f.groups, termGroup{})
	}
	f.groups[i].term, f.groups[i].last = term, -1
	f.group[term] = int32(i + 1)
	return int32(i)
}

// Occur adds one occurrence of name.
func (f *Forward) Occur(name string, o Occurrence) {
	_, g, _ := f.names.entry(name)
	g.occurrences = append(g.occurrences, o)
}

// Declare says that the caller's symbol number bears name.
func (f *Forward) Declare(name string, symbol int) {
	_, g, _ := f.names.entry(name)
	g.symbols = append(g.symbols, int32(symbol))
}

// flush ends the present chunk.
func (f *Forward) flush() {
	chunk := int32(len(f.lengths) - 1)
	for _, i := range f.touched {
		g := &f.groups[i]
		g.list = appendPosting(g.list, uint32(chunk-g.last-1), &g.now)
		g.last, g.met = chunk, false
		g.now = [Fields]uint32{}
	}
	f.touched = f.touched[:0]
}

// Encode appends the forward index of the file to b, with a checksum at its end,
// and empties f. It asks for the text of each term once.
func (f *Forward) Encode(b []byte, term func(int32) string) []byte {
	f.flush()
	start := len(b)
	b = binary.AppendUvarint(b, forwardVersion)
	b = binary.AppendUvarint(b, uint64(len(f.lengths)))
	for _, l := range f.lengths {
		for _, n := range l {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(f.groups)))
	for i := range f.groups {
		g := &f.groups[i]
		b = appendBytes(b, term(g.term))
		b = appendBytes(b, g.list)
		g.list = g.list[:0]
		f.group[g.term] = 0
	}
	b = binary.AppendUvarint(b, uint64(len(f.names.keys)))
	var scratch []byte
	for i, key := range f.names.keys {
		g := &f.names.values[i]
		b = appendBytes(b, key)
		scratch = appendOccurrences(scratch[:0], g.occurrences)
		b = appendBytes(b, scratch)
		scratch = appendNumbers(scratch[:0], g.symbols)
		b = appendBytes(b, scratch)
		clear(g.occurrences) // drops their strings
		g.occurrences, g.symbols = g.occurrences[:0], g.symbols[:0]
	}
	if len(f.groups) > manyGroups {
		f.groups, f.group = nil, nil
	}
	f.groups = f.groups[:0]
	f.names.reset()
	f.lengths = f.lengths[:0]
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// A forward is an encoded forward index taken apart; its slices are in it.
type forward struct {
	lengths [][Fields]uint32
	terms   []forwardTerm
	names   []forwardName
}

// A forwardTerm also says where its list begins in the whole.
type forwardTerm struct {
	term, list []byte
	at         uint32
}

type forwardName struct {
	name, occurrences, symbols []byte
	occurrencesAt, symbolsAt   uint32
}

// Intact reports whether b is a forward index of this version, with nothing
// changed in it.
func Intact(b []byte) bool {
	n := len(b) - 4
	return n > 0 && b[0] == forwardVersion &&
		crc32.Checksum(b[:n], castagnoli) == binary.LittleEndian.Uint32(b[n:])
}

func decodeForward(b []byte, into *forward) error {
	if !Intact(b) {
		return fmt.Errorf("forward index: %w", ErrCorrupt)
	}
	c := cursor{b: b[:len(b)-4]}
	c.uvarint()
	*into = forward{lengths: into.lengths[:0], terms: into.terms[:0], names: into.names[:0]}
	for range c.count(Fields) {
		var l [Fields]uint32
		for i := range l {
			l[i] = c.uvarint()
		}
		into.lengths = append(into.lengths, l)
	}
	end := len(b) - 4
	take := func() (part []byte, at uint32) {
		part = c.bytes()
		return part, uint32(end - len(c.b) - len(part))
	}
	for range c.count(2) {
		var t forwardTerm
		t.term, _ = take()
		t.list, t.at = take()
		into.terms = append(into.terms, t)
	}
	for range c.count(3) {
		var n forwardName
		n.name, _ = take()
		n.occurrences, n.occurrencesAt = take()
		n.symbols, n.symbolsAt = take()
		into.names = append(into.names, n)
	}
	if c.bad || c.more() {
		return fmt.Errorf("forward index: %w", ErrCorrupt)
	}
	return nil
}

// appendPosting appends a posting, which is one chunk in the list of a term: how many chunks further than the
// one before it lies, less one, and how often the term is in each field.
//
// It is a number for the distance; a byte with the count of Body, at most 15, in
// the high half and in the low half a bit for each other field that has the
// term; for a count of Body of 15 and more a number with the rest; and, if any
// bit is set, a byte with two bits a field, the count less one, at most 3.
func appendPosting(b []byte, skip uint32, tf *[Fields]uint32) []byte {
	b = binary.AppendUvarint(b, uint64(skip))
	var mask, counts byte
	for f := Symbol; f < Fields; f++ {
		if tf[f] > 0 {
			mask |= 1 << (f - 1)
			counts |= byte(min(tf[f]-1, 3)) << (2 * (f - 1))
		}
	}
	b = append(b, byte(min(tf[Body], 15))<<4|mask)
	if tf[Body] >= 15 {
		b = binary.AppendUvarint(b, uint64(tf[Body]-15))
	}
	if mask != 0 {
		b = append(b, counts)
	}
	return b
}

// posting reads what appendPosting wrote. The counts of fields other than Body
// come back as at most 4.
func (c *cursor) posting(tf *[Fields]uint32) (skip uint32) {
	skip = c.uvarint()
	head := c.byte()
	*tf = [Fields]uint32{Body: uint32(head >> 4)}
	if head>>4 == 15 {
		tf[Body] += min(c.uvarint(), math.MaxUint32-15)
	}
	if mask := head & 15; mask != 0 {
		counts := c.byte()
		for f := Symbol; f < Fields; f++ {
			if mask&(1<<(f-1)) != 0 {
				tf[f] = uint32(counts>>(2*(f-1))&3) + 1
			}
		}
	}
	return skip
}

const (
	roleBits     = 7
	localBit     = 1 << 3
	qualifierBit = 1 << 4
	symbolBit    = 1 << 5
)

// appendOccurrences sorts list and writes it: the distinct qualifiers, then for
// each occurrence the distance in lines, the column, a byte with role and flags,
// the number of its qualifier, and the distance of its symbol from the last.
func appendOccurrences(b []byte, list []Occurrence) []byte {
	if len(list) == 0 {
		return b
	}
	slices.SortStableFunc(list, func(a, b Occurrence) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var qualifiers []string
	numbers := map[string]uint64{} // of each in qualifiers
	for i := range list {
		q := list[i].Qualifier
		if _, known := numbers[q]; q != "" && !known {
			numbers[q] = uint64(len(qualifiers))
			qualifiers = append(qualifiers, q)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(qualifiers)))
	for _, q := range qualifiers {
		b = appendBytes(b, q)
	}
	line, symbol := 0, int32(0)
	for i := range list {
		o := &list[i]
		b = binary.AppendUvarint(b, uint64(max(o.Line-line, 0)))
		line = max(o.Line, line)
		b = binary.AppendUvarint(b, uint64(max(o.Column, 0)))
		flags := o.Role & roleBits
		if o.Local {
			flags |= localBit
		}
		if o.Qualifier != "" {
			flags |= qualifierBit
		}
		if o.Symbol >= 0 {
			flags |= symbolBit
		}
		b = append(b, flags)
		if o.Qualifier != "" {
			b = binary.AppendUvarint(b, numbers[o.Qualifier])
		}
		if o.Symbol >= 0 {
			b = binary.AppendUvarint(b, uint64(zigzag(int32(o.Symbol)-symbol)))
			symbol = int32(o.Symbol)
		}
	}
	return b
}

// occurrences yields what appendOccurrences wrote, as far as it makes sense.
func occurrences(list []byte, yield func(Occurrence) bool) {
	if len(list) == 0 {
		return
	}
	c := cursor{b: list}
	qualifiers := make([]string, 0, 4)
	for range c.count(1) {
		qualifiers = append(qualifiers, string(c.bytes()))
	}
	line, symbol := uint32(0), int32(0)
	for c.more() {
		line += c.uvarint()
		o := Occurrence{Line: int(line), Column: int(c.uvarint()), Symbol: -1}
		flags := c.byte()
		o.Role, o.Local = flags&roleBits, flags&localBit != 0
		if flags&qualifierBit != 0 {
			if q := c.uvarint(); int(q) < len(qualifiers) {
				o.Qualifier = qualifiers[q]
			}
		}
		if flags&symbolBit != 0 {
			symbol += unzigzag(c.uvarint())
			o.Symbol = max(int(symbol), -1)
		}
		if c.bad || !yield(o) {
			return
		}
	}
}

// appendNumbers sorts list and writes the distances.
func appendNumbers(b []byte, list []int32) []byte {
	slices.Sort(list)
	last := int32(0)
	for _, n := range list {
		b = binary.AppendUvarint(b, uint64(n-last))
		last = n
	}
	return b
}

// numbers yields what appendNumbers wrote.
func numbers(list []byte, yield func(int) bool) {
	c, n := cursor{b: list}, uint32(0)
	for c.more() {
		n += c.uvarint()
		if c.bad || n > math.MaxInt32 || !yield(int(n)) {
			return
		}
	}
}
