package lsa

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"codeintel/internal/platform/mmap"
)

// ErrCorrupt is the error of [Open] for a file that is damaged, or no space.
var ErrCorrupt = errors.New("latent space is damaged")

// A Space is a fitted space, and the places of the chunks of some segments in it.
// It is immutable and safe for concurrent use until it is closed.
//
// In a file, all numbers little-endian: magic; uint32 dimensions, terms, chunks
// it was fitted to, bytes of texts; for each term a uint32, the end of its text;
// texts; for each term two float32, idf and scale, and its vector, an int8 for
// each dimension, which times scale is its direction; CRC-32C of it all. Then
// uint32 blocks; for each a byte and the label of a segment, uint32 chunks and
// CRC-32C of its places; CRC-32C of that table; the places, int8s.
type Space struct {
	model  []byte // from the magic to its checksum
	terms  int
	fitted int
	ends   []byte
	texts  []byte
	scales []byte
	vecs   []byte
	blocks map[string]Places
	file   *mmap.File
}

const (
	magic      = "latent2\n"
	headerSize = len(magic) + 4*4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Places are the places of the chunks of a segment, Dim numbers for each.
type Places []int8

// encode lays a model out.
func encode(columns []column, v []float32, total int) *Space {
	texts := 0
	for i := range columns {
		texts += len(columns[i].term)
	}
	b := make([]byte, 0, headerSize+texts+len(columns)*(4+8+Dim)+4)
	b = append(b, magic...)
	for _, n := range []int{Dim, len(columns), total, texts} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	end := 0
	for i := range columns {
		end += len(columns[i].term)
		b = binary.LittleEndian.AppendUint32(b, uint32(end))
	}
	for i := range columns {
		b = append(b, columns[i].term...)
	}
	quantised := make([]int8, len(v))
	for i := range columns {
		scale := quantise(quantised[i*Dim:][:Dim], v[i*Dim:][:Dim])
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(columns[i].idf))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	}
	for _, x := range quantised {
		b = append(b, byte(x))
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	s, _, err := parse(b)
	if err != nil {
		panic(fmt.Sprintf("latent: encode: %v", err)) // a defect
	}
	return s
}

// quantise sets to to v in steps of a scale, which it returns.
func quantise(to []int8, v []float32) (scale float32) {
	for _, x := range v {
		scale = max(scale, float32(math.Abs(float64(x))))
	}
	scale /= math.MaxInt8
	for i, x := range v {
		to[i] = 0
		if scale > 0 {
			to[i] = int8(math.Round(float64(x / scale)))
		}
	}
	return scale
}

// parse takes a model apart and returns what follows it.
func parse(b []byte) (*Space, []byte, error) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return nil, nil, fmt.Errorf("%w: it does not begin like one", ErrCorrupt)
	}
	number := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(b[len(magic)+4*i:])) }
	dim, n, texts := number(0), number(1), number(3)
	size := uint64(headerSize) + 4*n + texts + (8+Dim)*n
	if dim != Dim || size+4 > uint64(len(b)) {
		return nil, nil, fmt.Errorf("%w: of another size", ErrCorrupt)
	}
	if crc32.Checksum(b[:size], castagnoli) != binary.LittleEndian.Uint32(b[size:]) {
		return nil, nil, fmt.Errorf("%w: checksum of the model", ErrCorrupt)
	}
	s := &Space{model: b[:size+4], terms: int(n), fitted: int(number(2))}
	rest := b[headerSize:size]
	s.ends, rest = rest[:4*n], rest[4*n:]
	s.texts, rest = rest[:texts], rest[texts:]
	s.scales, s.vecs = rest[:8*n], rest[8*n:]
	for i := range s.terms {
		if from, to := s.span(i); from > to || to > len(s.texts) {
			return nil, nil, fmt.Errorf("%w: texts out of order", ErrCorrupt)
		}
	}
	return s, b[size+4:], nil
}

// Open maps the file that [Space.WriteFile] wrote.
func Open(path string) (s *Space, err error) {
	f, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	err = mmap.Guard(func() error {
		var rest []byte
		if s, rest, err = parse(f.Bytes()); err != nil {
			return err
		}
		return s.readBlocks(rest)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(path), err), f.Close())
	}
	s.file = f
	return s, nil
}

func (s *Space) readBlocks(b []byte) error {
	type block struct {
		label  string
		chunks uint64
		sum    uint32
	}
	short := fmt.Errorf("%w: it ends early", ErrCorrupt)
	if len(b) < 4 {
		return short
	}
	var blocks []block
	at := uint64(4)
	for range binary.LittleEndian.Uint32(b) {
		if at >= uint64(len(b)) || at+1+uint64(b[at])+8 > uint64(len(b)) {
			return short
		}
		end := at + 1 + uint64(b[at])
		blocks = append(blocks, block{string(b[at+1 : end]), uint64(binary.LittleEndian.Uint32(b[end:])), binary.LittleEndian.Uint32(b[end+4:])})
		at = end + 8
	}
	if at+4 > uint64(len(b)) {
		return short
	}
	if crc32.Checksum(b[:at], castagnoli) != binary.LittleEndian.Uint32(b[at:]) {
		return fmt.Errorf("%w: checksum of the table", ErrCorrupt)
	}
	at += 4
	s.blocks = make(map[string]Places, len(blocks))
	for _, x := range blocks {
		n := x.chunks * Dim
		if at+n > uint64(len(b)) {
			return short
		}
		raw := b[at : at+n]
		if crc32.Checksum(raw, castagnoli) != x.sum {
			return fmt.Errorf("%w: checksum of the places of %s", ErrCorrupt, x.label)
		}
		s.blocks[x.label] = signed(raw)
		at += n
	}
	return nil
}

// WriteFile writes the space with the places of labelled segments to path, by
// way of a temporary file beside it.
func (s *Space) WriteFile(path string, blocks map[string]Places) (err error) {
	table := binary.LittleEndian.AppendUint32(nil, uint32(len(blocks)))
	var labels []string
	for label := range blocks {
		labels = append(labels, label)
	}
	sort.Strings(labels)
	for _, label := range labels {
		if len(label) > math.MaxUint8 {
			return fmt.Errorf("latent: write: label %q is too long", label)
		}
		p := blocks[label]
		table = append(append(table, byte(len(label))), label...)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(p)/Dim))
		table = binary.LittleEndian.AppendUint32(table, crc32.Checksum(unsigned(p), castagnoli))
	}
	table = binary.LittleEndian.AppendUint32(table, crc32.Checksum(table, castagnoli))
	f, err := os.CreateTemp(filepath.Dir(path), temporary+"*")
	if err != nil {
		return fmt.Errorf("latent: write: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("latent: write: %w", err)
		}
	}()
	parts := [][]byte{s.model, table}
	for _, label := range labels {
		parts = append(parts, unsigned(blocks[label]))
	}
	for _, p := range parts {
		if _, err := f.Write(p); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

const temporary = ".latent-"

// Temporary reports whether a file of that name was left by a process that died
// in [Space.WriteFile].
func Temporary(name string) bool { return strings.HasPrefix(name, temporary) }

// Close gives the memory back.
func (s *Space) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// File returns the file that the space lies in, nil for one just fitted. Closing
// it closes the space.
func (s *Space) File() *mmap.File { return s.file }

// Fitted returns how many chunks there were when the space was fitted.
func (s *Space) Fitted() int { return s.fitted }

// Places returns where the chunks of the segment with a label are, if the file
// says so.
func (s *Space) Places(label string) (Places, bool) {
	p, ok := s.blocks[label]
	return p, ok
}

func (s *Space) span(i int) (from, to int) {
	if i > 0 {
		from = int(binary.LittleEndian.Uint32(s.ends[4*(i-1):]))
	}
	return from, int(binary.LittleEndian.Uint32(s.ends[4*i:]))
}

func (s *Space) find(term []byte, from int) (i int, ok bool) {
	i, ok = sort.Find(s.terms-from, func(i int) int {
		a, b := s.span(from + i)
		return bytes.Compare(term, s.texts[a:b])
	})
	return from + i, ok
}

func (s *Space) idf(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(s.scales[8*i:]))
}

// addTerm adds w times the direction of a term.
func (s *Space) addTerm(sum []float32, i int, w float32) {
	w *= math.Float32frombits(binary.LittleEndian.Uint32(s.scales[8*i+4:]))
	for d, x := range s.vecs[i*Dim:][:Dim] {
		sum[d] += w * float32(int8(x))
	}
}

// Query returns the direction of a question of these terms, nil if the space
// knows none of them.
func (s *Space) Query(terms []string) []float32 {
	v := make([]float32, Dim)
	known := false
	for _, t := range terms {
		if i, ok := s.find([]byte(t), 0); ok {
			s.addTerm(v, i, s.idf(i))
			known = true
		}
	}
	if !known {
		return nil
	}
	return v
}

// Fold returns the places of the chunks of a segment.
func (s *Space) Fold(seg Segment) Places {
	sums := make([]float32, seg.Chunks()*Dim)
	next := 0
	seg.Each(nil, func(term []byte, chunks []int32, counts []float32) bool {
		i, ok := s.find(term, next)
		next = i
		if !ok {
			return next < s.terms
		}
		idf := s.idf(i)
		for j, c := range chunks {
			s.addTerm(sums[int(c)*Dim:][:Dim], i, idf*float32(math.Log1p(float64(counts[j]))))
		}
		return true
	})
	p := make(Places, len(sums))
	for i := 0; i < len(sums); i += Dim {
		place(p[i:][:Dim], sums[i:][:Dim])
	}
	return p
}

// unit is the length of a place. Steps that small are still fine enough: a cosine
// is off by less than 0.02.
const unit = math.MaxInt8

// place sets to to v brought to length unit; zeros stay zeros.
func place(to []int8, v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := 0.0
	if sum > 0 {
		scale = unit / math.Sqrt(sum)
	}
	for i, x := range v {
		to[i] = int8(math.Round(float64(x) * scale))
	}
}

// Cosine returns how near the places of chunks from to to-1 lie to a direction,
// all of them together, from -1 to 1.
func (p Places) Cosine(direction []float32, from, to int) float64 {
	sum := p.sum(from, min(to, len(p)/Dim))
	var dot, a, b float32
	for d, y := range (*[Dim]float32)(direction) {
		x := float32(sum[d])
		dot += x * y
		a += x * x
		b += y * y
	}
	if a == 0 || b == 0 {
		return 0
	}
	return float64(dot) / math.Sqrt(float64(a)*float64(b))
}

// sum adds up the places of chunks from to to-1. It takes eight numbers of a
// place at a time, each made positive and added within 16 bits of a word, which
// hold as many as atOnce.
func (p Places) sum(from, to int) (sum [Dim]int32) {
	const (
		atOnce = math.MaxUint16 / math.MaxUint8
		sign   = 0x8080808080808080
		even   = 0x00ff00ff00ff00ff
	)
	all := unsigned(p)
	for ; from < to; from += atOnce {
		end := min(from+atOnce, to)
		for at := 0; at < Dim; at += 8 {
			var low, high uint64
			for i := from*Dim + at; i < end*Dim; i += Dim {
				v := binary.LittleEndian.Uint64(all[i:]) ^ sign
				low += v & even
				high += v >> 8 & even
			}
			for d := 0; d < 8; d += 2 {
				sum[at+d] += int32(low>>(8*d)&math.MaxUint16) - 128*int32(end-from)
				sum[at+d+1] += int32(high>>(8*d)&math.MaxUint16) - 128*int32(end-from)
			}
		}
	}
	return sum
}
