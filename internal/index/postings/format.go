package postings

import (
	"encoding/binary"
	"math"

	"codeintel/internal/index/segment"
)

// format is the container of a segment. Numbers of fixed width are little-endian.
var format = segment.Format{Magic: "\x89CIPOST\n", Version: 5, Sections: int(sections)}

// A section is a part of a segment.
type section int

const (
	metaSection      section = iota // totals as numbers, then the label
	filesSection                    // fileRecords, one more than files
	blobsSection                    // for each file path and attributes, then for each its outline
	chunksSection                   // chunkRecords
	termsSection                    // termRecords, one more than terms, sorted by term
	termTextSection                 // their text
	listsSection                    // for each term: its document frequencies, the list of chunks, then the list of paths
	namesSection                    // nameRecords, one more than names, sorted by fold and name
	nameTextSection                 // their text
	placesSection                   // for each name: its occurrences, then its symbols, by file
	wordsSection                    // wordRecords, one more than words, sorted by word
	wordTextSection                 // their text
	wordNamesSection                // for each word: the names that have it
	sections                        // how many there are
)

// The widths of records in bytes, and the places of numbers in them. A text or
// list ends where that of the next record begins.
const (
	fileRecord  = 28 // uint32: path, attributes, outline (in blobs), first chunk, lengths of bodies, of symbols, of the path times 2
	chunkRecord = 8  // uint16: body, doc; uint8: symbol, scope, signature, nothing
	termRecord  = 12 // uint32: text, frequencies and chunk list, path list
	nameRecord  = 12 // uint32: text, occurrences, symbols
	wordRecord  = 8  // uint32: text, bearers
)

// totals are the sums of a segment that scoring needs; meta holds them in this
// order, each as a number.
type totals struct {
	files, chunks uint32
	lengths       [Fields]uint64 // sums over chunks
	path          float64        // sum of the path lengths of files; halves are kept
}

func (t *totals) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(t.files))
	b = binary.AppendUvarint(b, uint64(t.chunks))
	for _, n := range t.lengths {
		b = binary.AppendUvarint(b, n)
	}
	return binary.AppendUvarint(b, uint64(t.path*2))
}

func (t *totals) read(c *cursor) {
	long := func() uint64 {
		v, n := binary.Uvarint(c.b)
		if n <= 0 || v > math.MaxInt64 {
			c.fail()
			return 0
		}
		c.b = c.b[n:]
		return v
	}
	t.files, t.chunks = c.uvarint(), c.uvarint()
	for i := range t.lengths {
		t.lengths[i] = long()
	}
	t.path = float64(long()) / 2
}

// u32 returns the number at place i of record r in a table of records of width
// bytes, all in uint32.
func u32(table []byte, width, r, i int) uint32 {
	return binary.LittleEndian.Uint32(table[r*width+i*4:])
}
