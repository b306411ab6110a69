package postings

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// A segment is a head and a body. All numbers of fixed width are little-endian.
//
//	magic [8]byte, version uint32, number of sections uint32
//	for each section: kind uint32, length uint64
//	for each block of the body, of blockSize bytes, the last one of what is left:
//	    CRC-32C uint32
//	CRC-32C of all of the above, uint32
//	the body: sections, in the order of the table, nothing between them
//
// A reader passes over sections of a kind that it does not know.
const (
	magic          = "\x89CIPOST\n"
	segmentVersion = 3
	headerSize     = 16
	sectionSize    = 12
	maxSections    = 64
)

// A section is a part of a segment.
type section uint32

const (
	metaSection     section = iota + 1 // totals as numbers, then the label
	filesSection                       // fileRecords, one more than files
	blobsSection                       // for each file path and attributes, then for each its outline
	chunksSection                      // chunkRecords
	termsSection                       // termRecords, one more than terms, sorted by term
	termTextSection                    // their text
	listsSection                       // for each term: the list of chunks, then the list of paths
	namesSection                       // nameRecords, one more than names, sorted by fold and name
	nameTextSection                    // their text
	placesSection                      // for each name: its occurrences, then its symbols, by file
	wordsSection                       // wordRecords, one more than words, sorted by word
	wordTextSection                    // their text
	bearersSection                     // for each word: the names that have it
	sections        = int(bearersSection)
)

// The widths of records in bytes, and the places of numbers in them. A text or
// list ends where that of the next record begins.
const (
	fileRecord  = 28 // uint32: path, attributes, outline (in blobs), first chunk, lengths of bodies, of symbols, of the path times 2
	chunkRecord = 8  // uint16: body, doc; uint8: symbol, scope, signature, nothing
	termRecord  = 36 // uint32: text, chunk list, path list, then the document frequencies below
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

// assemble puts a head before sections, which are numbered from metaSection.
func assemble(parts [][]byte) [][]byte {
	b := append([]byte(nil), magic...)
	b = binary.LittleEndian.AppendUint32(b, segmentVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(parts)))
	for i, p := range parts {
		b = binary.LittleEndian.AppendUint32(b, uint32(i+1))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
	}
	sum, room := uint32(0), blockSize // of the present block
	for _, p := range parts {
		for len(p) > 0 {
			n := min(len(p), room)
			sum, p, room = crc32.Update(sum, castagnoli, p[:n]), p[n:], room-n
			if room == 0 {
				b = binary.LittleEndian.AppendUint32(b, sum)
				sum, room = 0, blockSize
			}
		}
	}
	if room < blockSize {
		b = binary.LittleEndian.AppendUint32(b, sum)
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return append([][]byte{b}, parts...)
}

// A head is what the head of a segment says.
type head struct {
	size   int               // of itself
	begin  [sections + 1]int // of each section in the body
	length [sections + 1]int // likewise
	sums   []uint32          // of blocks, in memory of their own
}

// readHead reads the head of a segment, which is held against its checksum here.
func readHead(b []byte) (h head, err error) {
	damaged := func(what string) (head, error) { return head{}, fmt.Errorf("segment: %s: %w", what, ErrCorrupt) }
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return damaged("magic")
	}
	if binary.LittleEndian.Uint32(b[8:]) != segmentVersion {
		return damaged("version")
	}
	n := binary.LittleEndian.Uint32(b[12:])
	h.size = headerSize + int(min(n, maxSections))*sectionSize
	if n > maxSections || len(b) < h.size {
		return damaged("head")
	}
	body := 0
	for i := range int(n) {
		r := b[headerSize+i*sectionSize:]
		kind, length := binary.LittleEndian.Uint32(r), binary.LittleEndian.Uint64(r[4:])
		if length > uint64(len(b)-h.size-body) {
			return damaged("length")
		}
		if 0 < kind && int(kind) <= sections {
			h.begin[kind], h.length[kind] = body, int(length)
		}
		body += int(length)
	}
	h.sums = make([]uint32, (body+blockSize-1)/blockSize)
	table := h.size
	h.size += 4*len(h.sums) + 4
	if len(b) != h.size+body || crc32.Checksum(b[:h.size-4], castagnoli) != binary.LittleEndian.Uint32(b[h.size-4:]) {
		return damaged("head")
	}
	for i := range h.sums {
		h.sums[i] = binary.LittleEndian.Uint32(b[table+4*i:])
	}
	return h, nil
}

// u32 returns the number at place i of record r in a table of records of width
// bytes, all in uint32.
func u32(table []byte, width, r, i int) uint32 {
	return binary.LittleEndian.Uint32(table[r*width+i*4:])
}
