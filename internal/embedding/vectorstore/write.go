package vectorstore

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	container "codeintel/internal/index/segment"

	"codeintel/internal/platform/repofile"
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
		return "", fmt.Errorf("vectorstore: write: %w", err)
	}
	label = hex.EncodeToString(random[:])
	path := filepath.Join(dir, label+suffix)
	f, err := repofile.At(path).OpenFile(os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return "", fmt.Errorf("vectorstore: write: %w", err)
	}
	w := segmentWriter{ctx: ctx, t: t, dim: dimension}
	w.sort()
	w.to = container.Create(f, format, w.lengths())
	w.write(random[:])
	if err = errors.Join(w.err, w.to.Close(), f.Close()); err != nil {
		repofile.At(path).Remove()
		return "", fmt.Errorf("vectorstore: write: %w", err)
	}
	return label, nil
}

type segmentWriter struct {
	ctx     context.Context
	to      *container.Writer
	err     error
	t       table
	dim     int
	sorted  []string          // the pairs of all rows
	numbers map[string]uint32 // of pairs in sorted
	metas   uint64            // how many pairs all rows have together
}

// sort numbers the pairs of all rows.
func (w *segmentWriter) sort() {
	w.numbers = make(map[string]uint32)
	for i := range w.t.len() {
		w.t.eachPair(i, func(pair string) { w.numbers[pair] = 0; w.metas++ })
	}
	w.sorted = slices.Sorted(maps.Keys(w.numbers))
	for i, pair := range w.sorted {
		w.numbers[pair] = uint32(i)
	}
}

// lengths returns how long each section is going to be.
func (w *segmentWriter) lengths() []uint64 {
	n, dim := uint64(w.t.len()), uint64(w.dim)
	lengths := []uint64{head: headLength, idEnds: 4 * n, pairEnds: 4 * uint64(len(w.sorted)), metaEnds: 4 * n,
		metas:  4 * w.metas,
		params: 8 * n, codes: n * uint64(stride(w.dim)), sums: 4 * n, floats: 4 * n * dim}
	for i := range w.t.len() {
		lengths[ids] += uint64(len(w.t.id(i)))
	}
	for _, pair := range w.sorted {
		lengths[pairs] += uint64(len(pair))
	}
	return lengths
}

// write writes the sections, one after the other.
func (w *segmentWriter) write(random []byte) {
	n, sorted := w.t.len(), w.sorted
	put := binary.LittleEndian
	begin := slices.Clone(random)
	for _, v := range []int{w.dim, n, len(sorted)} {
		begin = put.AppendUint32(begin, uint32(v))
	}
	w.bytes(begin)
	w.ends(n, func(i int) int { return len(w.t.id(i)) })
	w.rows(n, w.t.id)
	w.ends(len(sorted), func(i int) int { return len(sorted[i]) })
	w.rows(len(sorted), func(i int) []byte { return []byte(sorted[i]) })
	var row []byte
	meta := func(i int) []byte {
		row = row[:0]
		w.t.eachPair(i, func(pair string) { row = put.AppendUint32(row, w.numbers[pair]) })
		return row
	}
	w.ends(n, func(i int) int { return len(meta(i)) / 4 })
	w.rows(n, meta)
	w.rows(n, func(i int) []byte {
		c := w.t.code(i)
		row = put.AppendUint32(row[:0], math.Float32bits(c.scale))
		row = put.AppendUint32(row, math.Float32bits(c.err))
		return row
	})
	w.rows(n, func(i int) []byte {
		b := w.t.code(i).bytes
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
	})
	w.rows(n, func(i int) []byte {
		row = put.AppendUint32(row[:0], crc32.Checksum(w.t.floats(i), castagnoli))
		return row
	})
	w.rows(n, w.t.floats)
}

// rows writes a section of n rows, one after the other.
func (w *segmentWriter) rows(n int, row func(i int) []byte) {
	for i := range n {
		if w.err == nil && i%1024 == 0 {
			w.err = w.ctx.Err()
		}
		if w.err != nil {
			return
		}
		w.bytes(row(i))
	}
}

// ends writes a section that says where each of n strings ends.
func (w *segmentWriter) ends(n int, length func(i int) int) {
	var end uint64
	var b [4]byte
	w.rows(n, func(i int) []byte {
		if end += uint64(length(i)); end > math.MaxUint32 {
			w.err = errors.New("a segment of too many names")
		}
		binary.LittleEndian.PutUint32(b[:], uint32(end))
		return b[:]
	})
}

func (w *segmentWriter) bytes(b []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(b)
	}
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
		if _, ok := parts[least].seg.verifiedRow(next[least]); ok {
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
	s.eachPair(r, f)
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
