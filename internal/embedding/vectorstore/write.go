package vectorstore

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unsafe"
)

// A table is rows to be written into a segment, sorted by ID. It is read several
// times, one section after the other, so that no more than a row of it need be in
// memory.
type table interface {
	len() int
	id(row int) []byte
	eachPair(row int, f func(pair string))
	code(row int) code
	floats(row int) []byte
}

// writeSegment writes a segment and returns its label. The file is not forced to
// disk.
func writeSegment(ctx context.Context, dir string, dimension int, t table) (label string, err error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("vectors: write: %w", err)
	}
	label = hex.EncodeToString(random[:])
	path := filepath.Join(dir, label+suffix)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return "", fmt.Errorf("vectors: write: %w", err)
	}
	w := segmentWriter{ctx: ctx, w: bufio.NewWriterSize(f, 1<<18), sum: crc32.New(castagnoli), t: t, dim: dimension}
	copy(w.header[:], magic)
	copy(w.header[8:], random[:])
	err = w.write()
	if err == nil {
		_, err = f.WriteAt(w.header[:], 0)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return "", fmt.Errorf("vectors: write: %w", err)
	}
	return label, nil
}

type segmentWriter struct {
	ctx    context.Context
	w      *bufio.Writer
	sum    hash.Hash32
	offset uint64
	err    error
	t      table
	dim    int
	header [headerLength]byte
}

func (w *segmentWriter) write() error {
	n := w.t.len()
	numbers, sorted := w.dictionary()
	put := binary.LittleEndian
	put.PutUint32(w.header[16:], uint32(w.dim))
	put.PutUint32(w.header[20:], uint32(n))
	put.PutUint32(w.header[24:], uint32(len(sorted)))
	w.bytes(make([]byte, headerLength))

	w.ends(idEnds, n, func(i int) int { return len(w.t.id(i)) })
	w.rows(ids, n, w.t.id)
	w.ends(pairEnds, len(sorted), func(i int) int { return len(sorted[i]) })
	w.rows(pairs, len(sorted), func(i int) []byte { return []byte(sorted[i]) })
	var row []byte
	meta := func(i int) []byte {
		row = row[:0]
		w.t.eachPair(i, func(pair string) { row = put.AppendUint32(row, numbers[pair]) })
		return row
	}
	w.ends(metaEnds, n, func(i int) int { return len(meta(i)) / 4 })
	w.rows(metas, n, meta)
	w.rows(params, n, func(i int) []byte {
		c := w.t.code(i)
		row = put.AppendUint32(row[:0], math.Float32bits(c.scale))
		row = put.AppendUint32(row, math.Float32bits(c.err))
		return row
	})
	w.rows(codes, n, func(i int) []byte {
		b := w.t.code(i).bytes
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
	})
	w.rows(sums, n, func(i int) []byte {
		row = put.AppendUint32(row[:0], crc32.Checksum(w.t.floats(i), castagnoli))
		return row
	})
	w.rows(floats, n, w.t.floats)
	put.PutUint32(w.header[headerLength-4:], crc32.Checksum(w.header[:headerLength-4], castagnoli))
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

// dictionary returns the pairs of all rows in order, and the number of each.
func (w *segmentWriter) dictionary() (map[string]uint32, []string) {
	numbers := make(map[string]uint32)
	for i := range w.t.len() {
		w.t.eachPair(i, func(pair string) { numbers[pair] = 0 })
	}
	sorted := slices.Sorted(maps.Keys(numbers))
	for i, pair := range sorted {
		numbers[pair] = uint32(i)
	}
	return numbers, sorted
}

// rows writes a section of n rows, one after the other.
func (w *segmentWriter) rows(section, n int, row func(i int) []byte) {
	w.bytes(make([]byte, -w.offset%alignment))
	begin := w.offset
	w.sum.Reset()
	for i := range n {
		if w.err == nil && i%1024 == 0 {
			w.err = w.ctx.Err()
		}
		if w.err != nil {
			return
		}
		w.bytes(row(i))
	}
	at := w.header[32+20*section:]
	binary.LittleEndian.PutUint64(at, begin)
	binary.LittleEndian.PutUint64(at[8:], w.offset-begin)
	binary.LittleEndian.PutUint32(at[16:], w.sum.Sum32())
}

// ends writes a section that says where each of n strings ends.
func (w *segmentWriter) ends(section, n int, length func(i int) int) {
	var end uint64
	var b [4]byte
	w.rows(section, n, func(i int) []byte {
		if end += uint64(length(i)); end > math.MaxUint32 {
			w.err = errors.New("a segment of too many names")
		}
		binary.LittleEndian.PutUint32(b[:], uint32(end))
		return b[:]
	})
}

func (w *segmentWriter) bytes(b []byte) {
	if w.err != nil {
		return
	}
	w.offset += uint64(len(b))
	w.sum.Write(b)
	_, w.err = w.w.Write(b)
}

// An itemTable is items as [Collection.Prepare] returns them.
type itemTable struct {
	items []Item
	dim   int
	bytes []int8
	row   []byte
}

func (t *itemTable) len() int          { return len(t.items) }
func (t *itemTable) id(row int) []byte { return []byte(t.items[row].ID) }

func (t *itemTable) eachPair(row int, f func(pair string)) {
	m := t.items[row].Meta
	for _, key := range slices.Sorted(maps.Keys(m)) {
		f(key + "\x00" + m[key])
	}
}

func (t *itemTable) code(row int) code {
	if t.bytes == nil {
		t.bytes = make([]int8, stride(t.dim))
	}
	return quantise(t.items[row].Vector, t.bytes)
}

func (t *itemTable) floats(row int) []byte {
	t.row = t.row[:0]
	for _, x := range t.items[row].Vector {
		t.row = binary.LittleEndian.AppendUint32(t.row, math.Float32bits(x))
	}
	return t.row
}

// A mergeTable is the living rows of several segments.
type mergeTable struct {
	parts []*part
	order []place
}

// newMergeTable sorts the living rows of parts by ID. Rows whose vector is damaged
// are left behind.
func newMergeTable(ctx context.Context, parts []*part) (*mergeTable, error) {
	t := &mergeTable{parts: parts}
	next := make([]int, len(parts))
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		least := -1
		for i, p := range parts {
			for next[i] < p.seg.rows && p.isDead(next[i]) {
				next[i]++
			}
			if next[i] < p.seg.rows && (least < 0 || string(p.seg.id(next[i])) < string(parts[least].seg.id(next[least]))) {
				least = i
			}
		}
		if least < 0 {
			return t, nil
		}
		if _, ok := parts[least].seg.sound(next[least]); ok {
			t.order = append(t.order, place{uint32(least), uint32(next[least])})
		}
		next[least]++
	}
}

func (t *mergeTable) len() int { return len(t.order) }

func (t *mergeTable) at(row int) (*segment, int) {
	p := t.order[row]
	return t.parts[p.part].seg, int(p.row)
}

func (t *mergeTable) id(row int) []byte {
	s, r := t.at(row)
	return s.id(r)
}

func (t *mergeTable) eachPair(row int, f func(pair string)) {
	s, r := t.at(row)
	s.eachPair(r, func(n int) bool {
		f(string(s.pair(n)))
		return true
	})
}

func (t *mergeTable) code(row int) code {
	s, r := t.at(row)
	scale, err := s.param(r)
	return code{s.codes(r, r+1), scale, err}
}

func (t *mergeTable) floats(row int) []byte {
	s, r := t.at(row)
	return s.raw(r)
}
