package trigram

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"codeintel/internal/index/segment"
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

// WriteFile builds the filter into a file, in one step under its final name. The label
// is kept in it, see [Filter.Label]. It does not wait for the disk: what a crash of the machine leaves is found by
// its checksums and made again.
func (b *Builder) WriteFile(path, label string) error {
	parts, err := b.sections(label)
	if err != nil {
		return err
	}
	if _, err := segment.WriteFile(path, format, parts, false); err != nil {
		return fmt.Errorf("trigram: %w", err)
	}
	return nil
}

// sections returns what the filter is made of.
func (b *Builder) sections(label string) ([][]byte, error) {
	if len(label) > maxLabel || b.files > maxFiles {
		return nil, fmt.Errorf("trigram: %d bytes of label, %d files: too many", len(label), b.files)
	}
	w := groupWriter{files: b.files}
	b.transpose(w.add)
	w.flush()
	if len(w.body) > math.MaxUint32 {
		return nil, fmt.Errorf("trigram: %d bytes: too many", len(w.body))
	}
	parts := make([][]byte, sections)
	parts[metaSection] = append(binary.LittleEndian.AppendUint32(nil, uint32(b.files)), label...)
	unknown := newBits(b.files)
	for _, i := range b.unknown {
		unknown.Add(i)
	}
	for _, word := range unknown {
		parts[unknownSection] = binary.LittleEndian.AppendUint64(parts[unknownSection], word)
	}
	parts[indexSection] = appendEntry(w.index, trigrams, len(w.body))
	parts[listsSection] = w.body
	return parts, nil
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

// A groupWriter cuts lists into groups.
type groupWriter struct {
	files       int
	index, body []byte
	n           int    // trigrams in the group under way
	first, last uint32 // of them
	begin       int    // where it begins in body
	list        []byte
}

func (w *groupWriter) add(t uint32, files []uint32) {
	if w.n == perGroup {
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

// flush ends the group under way.
func (w *groupWriter) flush() {
	if w.n == 0 {
		return
	}
	w.index = appendEntry(w.index, w.first, w.begin)
	w.n, w.begin = 0, len(w.body)
}

func appendEntry(to []byte, first uint32, begin int) []byte {
	to = binary.LittleEndian.AppendUint32(to, first)
	return binary.LittleEndian.AppendUint32(to, uint32(begin))
}
