package lsa

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"codeintel/internal/index/segment"
)

// errCorrupt is the error of [Open] for a file that is damaged, or no space.
var errCorrupt = segment.ErrCorrupt

// A Space is a fitted space, and the places of the chunks of some segments in it.
// It is immutable and safe for concurrent use until it is closed.
type Space struct {
	model  [tableSection][]byte
	terms  int
	fitted int
	blocks map[string]Places
	file   *segment.File
}

// The sections of the file of a space. All numbers are little-endian.
const (
	headSection   = iota // uint32: dimensions, terms, chunks it was fitted to
	endsSection          // for each term a uint32, the end of its text
	textsSection         // the texts of the terms, sorted
	scalesSection        // for each term two float32, idf and scale
	vectorSection        // for each term an int8 for each dimension, which times scale is its direction
	tableSection         // for each segment: the length of its label in a byte, the label, uint32 chunks
	placesSection        // the places of their chunks, int8s
	sections             // how many there are
)

var format = segment.Format{Magic: "\x89CILSA\n\x00", Version: 3, Sections: sections}

// Places are the places of the chunks of a segment, Dim numbers for each.
type Places []int8

// encode lays a model out.
func encode(columns []column, v []float32, total int) *Space {
	var m [tableSection][]byte
	for _, n := range []int{Dim, len(columns), total} {
		m[headSection] = binary.LittleEndian.AppendUint32(m[headSection], uint32(n))
	}
	quantised := make([]int8, len(v))
	for i := range columns {
		m[textsSection] = append(m[textsSection], columns[i].term...)
		m[endsSection] = binary.LittleEndian.AppendUint32(m[endsSection], uint32(len(m[textsSection])))
		scale := quantise(quantised[i*Dim:][:Dim], v[i*Dim:][:Dim])
		m[scalesSection] = binary.LittleEndian.AppendUint32(m[scalesSection], math.Float32bits(columns[i].idf))
		m[scalesSection] = binary.LittleEndian.AppendUint32(m[scalesSection], math.Float32bits(scale))
	}
	m[vectorSection] = unsigned(quantised)
	s, err := parse(m)
	if err != nil {
		panic(fmt.Sprintf("lsa: encode: %v", err)) // a defect
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

// parse checks a model.
func parse(m [tableSection][]byte) (*Space, error) {
	head := m[headSection]
	if len(head) != 12 || binary.LittleEndian.Uint32(head) != Dim {
		return nil, fmt.Errorf("%w: of another size", errCorrupt)
	}
	s := &Space{model: m, terms: int(binary.LittleEndian.Uint32(head[4:])),
		fitted: int(binary.LittleEndian.Uint32(head[8:]))}
	if len(m[endsSection]) != 4*s.terms || len(m[scalesSection]) != 8*s.terms || len(m[vectorSection]) != Dim*s.terms {
		return nil, fmt.Errorf("%w: of another size", errCorrupt)
	}
	for i := range s.terms {
		if from, to := s.span(i); from > to || to > len(m[textsSection]) {
			return nil, fmt.Errorf("%w: texts out of order", errCorrupt)
		}
	}
	return s, nil
}

// Open maps the file that [Space.WriteFile] wrote.
func Open(path string) (*Space, error) {
	s, err := segment.Load(path, format, read)
	if err != nil {
		return nil, fmt.Errorf("lsa: %w", err)
	}
	return s, nil
}

// read verifies all of a file, because questions read it without a guard.
func read(f *segment.File) (*Space, error) {
	if err := f.Verify(); err != nil {
		return nil, err
	}
	var m [tableSection][]byte
	for i := range m {
		m[i] = f.Section(i)
	}
	s, err := parse(m)
	if err != nil {
		return nil, err
	}
	s.file, s.blocks = f, make(map[string]Places)
	table, places := f.Section(tableSection), f.Section(placesSection)
	for len(table) > 0 {
		end := 1 + int(table[0])
		if end+4 > len(table) {
			return nil, fmt.Errorf("%w: the table ends early", errCorrupt)
		}
		size := Dim * uint64(binary.LittleEndian.Uint32(table[end:]))
		if size > uint64(len(places)) {
			return nil, fmt.Errorf("%w: the places end early", errCorrupt)
		}
		s.blocks[string(table[1:end])] = signed(places[:size])
		table, places = table[end+4:], places[size:]
	}
	return s, nil
}

// WriteFile writes the space with the places of labelled segments to path.
func (s *Space) WriteFile(path string, blocks map[string]Places) error {
	parts := append(s.model[:], nil, nil)
	for _, label := range slices.Sorted(maps.Keys(blocks)) {
		if len(label) > math.MaxUint8 {
			return fmt.Errorf("lsa: write: label %q is too long", label)
		}
		table := append(append(parts[tableSection], byte(len(label))), label...)
		parts[tableSection] = binary.LittleEndian.AppendUint32(table, uint32(len(blocks[label])/Dim))
		parts[placesSection] = append(parts[placesSection], unsigned(blocks[label])...)
	}
	if _, err := segment.WriteFile(path, format, parts, true); err != nil {
		return fmt.Errorf("lsa: %w", err)
	}
	return nil
}

// Close gives the memory back.
func (s *Space) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// File returns the file that the space is in, nil for one just fitted. Closing
// it closes the space.
func (s *Space) File() *segment.File { return s.file }

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
		from = int(binary.LittleEndian.Uint32(s.model[endsSection][4*(i-1):]))
	}
	return from, int(binary.LittleEndian.Uint32(s.model[endsSection][4*i:]))
}

func (s *Space) find(term []byte, from int) (i int, ok bool) {
	i, ok = sort.Find(s.terms-from, func(i int) int {
		a, b := s.span(from + i)
		return bytes.Compare(term, s.model[textsSection][a:b])
	})
	return from + i, ok
}

func (s *Space) idf(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(s.model[scalesSection][8*i:]))
}

// addTerm adds w times the direction of a term.
func (s *Space) addTerm(sum []float32, i int, w float32) {
	w *= math.Float32frombits(binary.LittleEndian.Uint32(s.model[scalesSection][8*i+4:]))
	for d, x := range s.model[vectorSection][i*Dim:][:Dim] {
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
		quantize(p[i:][:Dim], sums[i:][:Dim])
	}
	return p
}

// unit is the length of a place. Steps that small are still fine enough: a cosine
// is off by less than 0.02.
const unit = math.MaxInt8

// quantize sets to to v brought to length unit; zeros stay zeros.
func quantize(to []int8, v []float32) {
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
