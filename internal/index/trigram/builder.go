package trigram

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
)

// A Builder gathers the trigrams of files for one filter. Files are numbered in
// the order in which they are added. It holds four bytes for each trigram of
// each file, and eight more while it builds.
type Builder struct {
	files   int
	list    []uint32 // the sets, one after the other
	ends    []int    // where the set of each file ends in list
	unknown []int
}

// Add adds the next file.
func (b *Builder) Add(s Set) {
	b.list = append(b.list, s...)
	b.ends = append(b.ends, len(b.list))
	b.files++
}

// AddUnknown adds a file of which nothing is known: it is never left out.
func (b *Builder) AddUnknown() {
	b.unknown = append(b.unknown, b.files)
	b.Add(nil)
}

// Build returns the filter. The label is kept in it, see [Filter.Label].
func (b *Builder) Build(label string) ([]byte, error) {
	if len(label) > maxLabel || b.files > maxFiles {
		return nil, fmt.Errorf("trigram: %d bytes of label, %d files: too many", len(label), b.files)
	}
	w := blockWriter{files: b.files}
	b.transpose(w.add)
	w.flush()
	if len(w.body) > math.MaxUint32 {
		return nil, fmt.Errorf("trigram: %d bytes: too many", len(w.body))
	}
	out := make([]byte, 0, headSize+len(label)+b.files/8+8+len(w.index)+blockEntry+4+len(w.body))
	out = append(out, magic...)
	for _, n := range []int{version, b.files, len(w.index) / blockEntry, len(label)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	out = append(out, label...)
	unknown := NewBits(b.files)
	for _, i := range b.unknown {
		unknown.Add(i)
	}
	for _, word := range unknown {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	out = append(out, w.index...)
	out = appendEntry(out, trigrams, len(w.body), 0)
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
	return append(out, w.body...), nil
}

// WriteFile builds the filter into a file, in one step under its final name, so
// that no process ever sees half of one. It does not wait for the disk: what a
// crash of the machine leaves is found out by its checksums and made again.
func (b *Builder) WriteFile(path, label string) (err error) {
	data, err := b.Build(label)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary+"*")
	if err != nil {
		return fmt.Errorf("trigram: write: %w", err)
	}
	_, err = f.Write(data)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("trigram: write: %w", err)
	}
	return nil
}

// temporary begins the names of files under way.
const temporary = ".trigram-"

// Temporary reports whether name is that of a file that a WriteFile left behind
// when its process died.
func Temporary(name string) bool {
	return len(name) > len(temporary) && name[:len(temporary)] == temporary
}

// transpose yields the files of each trigram, both ascending. It sorts by the
// upper twelve bits first and then each of these by the lower.
func (b *Builder) transpose(yield func(t uint32, files []uint32)) {
	const half = 1 << 12
	var begin [half + 1]int
	for _, t := range b.list {
		begin[t>>12+1]++
	}
	for i := range half {
		begin[i+1] += begin[i]
	}
	low, of := make([]uint16, len(b.list)), make([]uint32, len(b.list))
	at, next := 0, begin
	for file, end := range b.ends {
		for _, t := range b.list[at:end] {
			i := next[t>>12]
			next[t>>12]++
			low[i], of[i] = uint16(t&(half-1)), uint32(file)
		}
		at = end
	}
	var sorted []uint32
	for high := range half {
		from, to := begin[high], begin[high+1]
		if from == to {
			continue
		}
		var place [half + 1]int
		for _, l := range low[from:to] {
			place[l+1]++
		}
		for i := range half {
			place[i+1] += place[i]
		}
		if cap(sorted) < to-from {
			sorted = make([]uint32, to-from)
		}
		sorted = sorted[:to-from]
		next := place
		for i := from; i < to; i++ {
			l := low[i]
			sorted[next[l]] = of[i]
			next[l]++
		}
		for l := range half {
			if place[l] < place[l+1] {
				yield(uint32(high<<12|l), sorted[place[l]:place[l+1]])
			}
		}
	}
}

// A blockWriter cuts lists into blocks.
type blockWriter struct {
	files       int
	index, body []byte
	n           int    // trigrams in the block under way
	first, last uint32 // of them
	begin       int    // where it begins in body
	list        []byte
}

func (w *blockWriter) add(t uint32, files []uint32) {
	if w.n == perBlock {
		w.flush()
	}
	if w.n == 0 {
		w.first, w.last = t, t
	}
	w.list = w.list[:0]
	last := -1
	for i, f := range files {
		if i == 0 {
			last = 0
		} else {
			last++
		}
		w.list = binary.AppendUvarint(w.list, uint64(int(f)-last))
		last = int(f)
	}
	kind := 0
	if bitmap := (w.files + 7) / 8; len(w.list) > bitmap {
		kind = 1
		w.list = append(w.list[:0], bytes.Repeat([]byte{0}, bitmap)...)
		for _, f := range files {
			w.list[f>>3] |= 1 << (f & 7)
		}
	}
	w.body = binary.AppendUvarint(w.body, uint64(t-w.last))
	w.body = binary.AppendUvarint(w.body, uint64(len(w.list)<<1|kind))
	w.body = append(w.body, w.list...)
	w.last = t
	w.n++
}

// flush ends the block under way.
func (w *blockWriter) flush() {
	if w.n == 0 {
		return
	}
	w.index = appendEntry(w.index, w.first, w.begin, crc32.Checksum(w.body[w.begin:], castagnoli))
	w.n, w.begin = 0, len(w.body)
}

func appendEntry(to []byte, first uint32, begin int, sum uint32) []byte {
	to = binary.LittleEndian.AppendUint32(to, first)
	to = binary.LittleEndian.AppendUint32(to, uint32(begin))
	return binary.LittleEndian.AppendUint32(to, sum)
}
