package vectorstore

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unsafe"

	"codeintel/internal/platform/mmap"
)

// A segment is a file of rows that never changes. Numbers are little-endian.
//
//	magic       8 bytes
//	label       8 bytes, random; its hex is the name of the file
//	dimension, rows, pairs, 0   u32 each
//	sections    offset u64, length u64, CRC-32C u32 each, in the order below
//	checksum    CRC-32C u32 of all that stands before it
//
// Sections begin at multiples of 64. A list of ends says where each of a row of
// strings ends; it begins where the one before it ended.
//
//	idEnds      u32 a row
//	ids         rows are sorted by them
//	pairEnds    u32 a pair
//	pairs       key, a zero byte, value; sorted
//	metaEnds    u32 a row, in units of u32
//	metas       u32 numbers of pairs
//	params      scale f32, error f32 a row; see code
//	codes       stride(dimension) bytes a row
//	sums        u32 a row: CRC-32C of its floats
//	floats      dimension f32 a row; it has no checksum but those of sums, so
//	            that opening a collection does not read all of it
type segment struct {
	label   string
	file    *os.File
	data    []byte
	mapping *mmap.File // nil until it is mapped
	rows    int
	pairs   int
	dim     int
	section [sections][]byte
	users   int // views, under Embedded.mu
}

const (
	magic        = "civec01\n"
	sections     = 10
	headerLength = 8 + 8 + 4*4 + sections*20 + 4
	alignment    = 64
	suffix       = ".vec"
)

// The sections.
const (
	idEnds = iota
	ids
	pairEnds
	pairs
	metaEnds
	metas
	params
	codes
	sums
	floats
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openSegment maps a segment and holds it against its checksums. One that is
// missing or damaged is ErrCorrupt.
func openSegment(dir, label string, dimension int) (*segment, error) {
	f, err := os.Open(filepath.Join(dir, label+suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: segment %s is missing", ErrCorrupt, label)
	}
	if err != nil {
		return nil, fmt.Errorf("vectors: open: %w", err)
	}
	s := &segment{label: label, file: f}
	err = s.open(dimension)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *segment) open(dimension int) error {
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("vectors: open: %w", err)
	}
	size := int(info.Size())
	if !info.Mode().IsRegular() || size < headerLength || int64(size) != info.Size() {
		return s.damaged("no segment")
	}
	if s.mapping, err = mmap.Of(s.file, size); err != nil {
		return fmt.Errorf("vectors: open: %w", err)
	}
	s.data = s.mapping.Bytes()
	return guard(func() error { return s.parse(dimension) })
}

// parse finds the sections and leaves nothing in doubt that a reader relies on.
func (s *segment) parse(dimension int) error {
	h := s.data[:headerLength]
	u32 := binary.LittleEndian.Uint32
	if string(h[:8]) != magic || hex.EncodeToString(h[8:16]) != s.label ||
		crc32.Checksum(h[:headerLength-4], castagnoli) != u32(h[headerLength-4:]) {
		return s.damaged("its head")
	}
	s.dim, s.rows, s.pairs = int(u32(h[16:])), int(u32(h[20:])), int(u32(h[24:]))
	if s.dim != dimension {
		return s.damaged("its dimension")
	}
	want := [sections]int{idEnds: 4 * s.rows, ids: -1, pairEnds: 4 * s.pairs, pairs: -1, metaEnds: 4 * s.rows, metas: -1,
		params: 8 * s.rows, codes: s.rows * stride(s.dim), sums: 4 * s.rows, floats: 4 * s.rows * s.dim}
	for i := range sections {
		at := h[32+20*i:]
		offset, length, sum := binary.LittleEndian.Uint64(at), binary.LittleEndian.Uint64(at[8:]), u32(at[16:])
		size := uint64(len(s.data))
		if offset > size || length > size-offset || offset%alignment != 0 || want[i] >= 0 && length != uint64(want[i]) {
			return s.damaged("the bounds of a section")
		}
		s.section[i] = s.data[offset : offset+length : offset+length]
		if i != floats && crc32.Checksum(s.section[i], castagnoli) != sum {
			return s.damaged("a section")
		}
	}
	if !s.ascending(idEnds, len(s.section[ids])) || !s.ascending(pairEnds, len(s.section[pairs])) ||
		!s.ascending(metaEnds, len(s.section[metas])/4) {
		return s.damaged("the ends of a section")
	}
	for i := 0; i+4 <= len(s.section[metas]); i += 4 {
		if int(u32(s.section[metas][i:])) >= s.pairs {
			return s.damaged("a pair")
		}
	}
	for i := range s.rows {
		if scale, err := s.param(i); !(scale >= 0 && scale <= 1 && err >= 0 && err <= 1) {
			return s.damaged("a scale")
		}
	}
	return nil
}

func (s *segment) damaged(what string) error {
	return fmt.Errorf("%w: segment %s: %s", ErrCorrupt, s.label, what)
}

// ascending reports whether the ends of a section lie one after the other up to
// the last.
func (s *segment) ascending(section, last int) bool {
	b, before := s.section[section], 0
	for i := 0; i+4 <= len(b); i += 4 {
		end := int(binary.LittleEndian.Uint32(b[i:]))
		if end < before {
			return false
		}
		before = end
	}
	return before == last
}

func (s *segment) close() error {
	if err := errors.Join(s.unmap(), s.file.Close()); err != nil {
		return fmt.Errorf("vectors: close: %w", err)
	}
	return nil
}

func (s *segment) unmap() error {
	if s.mapping == nil {
		return nil
	}
	return s.mapping.Close()
}

// whole reports whether the file still is as long as what is mapped of it.
func (s *segment) whole() error {
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	if info.Size() < int64(len(s.data)) {
		return s.damaged("it was cut short")
	}
	return nil
}

// verify holds all of a segment, its vectors too, against the checksums.
func (s *segment) verify() error {
	if err := s.whole(); err != nil {
		return err
	}
	return guard(func() error {
		again := segment{label: s.label, data: s.data} // s itself may be read from meanwhile
		if err := again.parse(s.dim); err != nil {
			return err
		}
		for row := range s.rows {
			if _, ok := s.sound(row); !ok {
				return s.damaged("a vector")
			}
		}
		return nil
	})
}

// between returns where string i lies by a list of ends.
func (s *segment) between(ends, i int) (from, to int) {
	b := s.section[ends]
	if i > 0 {
		from = int(binary.LittleEndian.Uint32(b[4*(i-1):]))
	}
	return from, int(binary.LittleEndian.Uint32(b[4*i:]))
}

func (s *segment) id(row int) []byte {
	from, to := s.between(idEnds, row)
	return s.section[ids][from:to]
}

func (s *segment) pair(n int) []byte {
	from, to := s.between(pairEnds, n)
	return s.section[pairs][from:to]
}

// find returns the row with an ID, at or after a row; found says whether it is
// there. Otherwise it is the first row beyond.
func (s *segment) find(id string, after int) (row int, found bool) {
	row = after + sort.Search(s.rows-after, func(i int) bool { return string(s.id(after+i)) >= id })
	return row, row < s.rows && string(s.id(row)) == id
}

// pairNumber returns the number of a pair, -1 if no row has it.
func (s *segment) pairNumber(pair string) int {
	n := sort.Search(s.pairs, func(i int) bool { return string(s.pair(i)) >= pair })
	if n < s.pairs && string(s.pair(n)) == pair {
		return n
	}
	return -1
}

// eachPair calls f with the numbers of the pairs of a row while it returns true.
func (s *segment) eachPair(row int, f func(n int) bool) {
	from, to := s.between(metaEnds, row)
	for i := from; i < to; i++ {
		if !f(int(binary.LittleEndian.Uint32(s.section[metas][4*i:]))) {
			return
		}
	}
}

func (s *segment) meta(row int) map[string]string {
	m := make(map[string]string)
	s.eachPair(row, func(n int) bool {
		key, value, _ := strings.Cut(string(s.pair(n)), "\x00")
		m[key] = value
		return true
	})
	return m
}

// codes returns the bytes of rows, one after the other.
func (s *segment) codes(from, to int) []int8 {
	n := stride(s.dim)
	b := s.section[codes][from*n : to*n]
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

func (s *segment) param(row int) (scale, err float32) {
	b := s.section[params][8*row:]
	return math.Float32frombits(binary.LittleEndian.Uint32(b)), math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
}

// raw returns the vector of a row as bytes.
func (s *segment) raw(row int) []byte { return s.section[floats][4*s.dim*row : 4*s.dim*(row+1)] }

// sound is raw, and whether the checksum holds.
func (s *segment) sound(row int) ([]byte, bool) {
	b := s.raw(row)
	return b, crc32.Checksum(b, castagnoli) == binary.LittleEndian.Uint32(s.section[sums][4*row:])
}

// vector reads the vector of a row into v.
func (s *segment) vector(row int, v []float32) error {
	b, ok := s.sound(row)
	if !ok {
		return s.damaged("a vector")
	}
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}
