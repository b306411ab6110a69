package vectorstore

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"path/filepath"
	"sort"
	"strings"
	"unsafe"

	container "codeintel/internal/index/segment"
)

// A segment is a file of rows that never changes.
type segment struct {
	label string
	file  *container.File
	rows  int
	pairs int
	dim   int
	users int // views, under Embedded.mu

	section [sections][]byte
}

// The sections of a segment. Numbers are little-endian. A list of ends says where each
// of a row of strings ends; it begins where the one before it ended.
const (
	head     = iota // label [8]byte, random, its hex is the name of the file; dimension, rows, pairs u32 each
	idEnds          // u32 a row
	ids             // rows are sorted by them
	pairEnds        // u32 a pair
	pairs           // key, a zero byte, value; sorted
	metaEnds        // u32 a row, in units of u32
	metas           // u32 numbers of pairs
	params          // scale f32, error f32 a row; see code
	codes           // stride(dimension) bytes a row
	sums            // u32 a row: CRC-32C of its floats, compared each time that they are read
	floats          // dimension f32 a row; opening a collection does not read them
	sections        // how many there are
)

var format = container.Format{Magic: "\x89CIVECT\n", Version: 2, Sections: sections}

const (
	headLength = 8 + 3*4
	suffix     = ".vec"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openSegment maps a segment and verifies all of it but the vectors. One that is
// missing or damaged is ErrCorrupt.
func openSegment(dir, label string, dimension int) (*segment, error) {
	f, err := container.OpenFile(filepath.Join(dir, label+suffix), format)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("segment %s is missing: %w", label, ErrCorrupt)
	}
	if err != nil {
		return nil, fmt.Errorf("vectorstore: open: %w", err)
	}
	s := &segment{label: label, file: f}
	if err := container.Guard(func() error { return s.parse(dimension) }); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// parse reads the head and leaves nothing in doubt that a reader relies on.
func (s *segment) parse(dimension int) error {
	h, u32 := s.file.Whole(head), binary.LittleEndian.Uint32
	if len(h) != headLength || hex.EncodeToString(h[:8]) != s.label {
		return s.damaged("its head")
	}
	s.dim, s.rows, s.pairs = int(u32(h[8:])), int(u32(h[12:])), int(u32(h[16:]))
	if s.dim != dimension {
		return s.damaged("its dimension")
	}
	for i := range s.section {
		s.section[i] = s.file.Section(i)
	}
	for i, want := range map[int]int{idEnds: 4 * s.rows, pairEnds: 4 * s.pairs, metaEnds: 4 * s.rows,
		params: 8 * s.rows, codes: s.rows * stride(s.dim), sums: 4 * s.rows, floats: 4 * s.rows * s.dim} {
		if len(s.section[i]) != want {
			return s.damaged("the length of a section")
		}
	}
	for i := range floats {
		s.file.Whole(i)
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
	return fmt.Errorf("segment %s: %s: %w", s.label, what, ErrCorrupt)
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
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("vectorstore: close: %w", err)
	}
	return nil
}

// checkLength reports whether the file still is as long as what is mapped of it. A fault
// in C cannot be turned into an error; therefore this is asked before each scan.
func (s *segment) checkLength() error {
	if s.file.CutShort() {
		return s.damaged("it was cut short")
	}
	return nil
}

// verify compares all of a segment, its vectors too, with the checksums.
func (s *segment) verify() error {
	if err := s.checkLength(); err != nil {
		return err
	}
	return s.file.Verify()
}

// stringRange returns where string i lies by a list of ends.
func (s *segment) stringRange(ends, i int) (from, to int) {
	b := s.section[ends]
	if i > 0 {
		from = int(binary.LittleEndian.Uint32(b[4*(i-1):]))
	}
	return from, int(binary.LittleEndian.Uint32(b[4*i:]))
}

func (s *segment) id(row int) []byte {
	from, to := s.stringRange(idEnds, row)
	return s.section[ids][from:to]
}

func (s *segment) pair(n int) []byte {
	from, to := s.stringRange(pairEnds, n)
	return s.section[pairs][from:to]
}

// find returns the row with an ID, at or after a row; found says whether it is
// there. Otherwise it is the first row beyond.
func (s *segment) find(id string, after int) (row int, found bool) {
	row = after + sort.Search(s.rows-after, func(i int) bool { return string(s.id(after+i)) >= id })
	return row, row < s.rows && string(s.id(row)) == id
}

// eachPair calls f with the pairs of a row.
func (s *segment) eachPair(row int, f func(pair string)) {
	from, to := s.stringRange(metaEnds, row)
	for i := from; i < to; i++ {
		f(string(s.pair(int(binary.LittleEndian.Uint32(s.section[metas][4*i:])))))
	}
}

func (s *segment) meta(row int) map[string]string {
	m := make(map[string]string)
	s.eachPair(row, func(pair string) {
		key, value, _ := strings.Cut(pair, "\x00")
		m[key] = value
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

// verifiedRow is raw, and whether the checksum holds.
func (s *segment) verifiedRow(row int) ([]byte, bool) {
	b := s.raw(row)
	return b, crc32.Checksum(b, castagnoli) == binary.LittleEndian.Uint32(s.section[sums][4*row:])
}

// vector reads the vector of a row into v.
func (s *segment) vector(row int, v []float32) error {
	b, ok := s.verifiedRow(row)
	if !ok {
		return s.damaged("a vector")
	}
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}
