package lsa

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// texts is a segment whose chunks have these words.
type texts struct {
	label  string
	chunks [][]string
}

func (s *texts) Label() string { return s.label }
func (s *texts) Chunks() int   { return len(s.chunks) }

func (s *texts) Release() {}

func (s *texts) Each(_ func(first, end int) bool, yield func(term []byte, chunks []int32, counts []float32) bool) {
	counts := make(map[string]map[int32]float32)
	for i, words := range s.chunks {
		for _, w := range words {
			if counts[w] == nil {
				counts[w] = make(map[int32]float32)
			}
			counts[w][int32(i)]++
		}
	}
	for _, w := range slices.Sorted(maps.Keys(counts)) {
		chunks := slices.Sorted(maps.Keys(counts[w]))
		n := make([]float32, len(chunks))
		for i, c := range chunks {
			n[i] = counts[w][c]
		}
		if !yield([]byte(w), chunks, n) {
			return
		}
	}
}

// fit makes a space of all that segments have.
func fit(segments []Segment) *Space {
	files := make([]File, len(segments))
	for i, s := range segments {
		files[i] = File{Segment: i, End: s.Chunks()}
	}
	return Fit(segments, files)
}

// corpus has chunks about several topics, each with words of its own. The words
// fetch0 and load0 never stand in one chunk, but beside the same others.
func corpus(label string, n int) *texts {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	s := &texts{label: label}
	for i := range n {
		topic := i % 60
		words := []string{"common"}
		for range 12 {
			words = append(words, fmt.Sprintf("t%dw%02d", topic, r.IntN(8)))
		}
		words = append(words, fmt.Sprintf("%s%d", []string{"fetch", "load"}[i/60%2], topic))
		s.chunks = append(s.chunks, words)
	}
	return s
}

func TestWordsBesideTheSameWordsAreNear(t *testing.T) {
	c := corpus("a", 3000)
	s := fit([]Segment{c})
	if s == nil {
		t.Fatal("no space")
	}
	if s.Fitted() != 3000 {
		t.Errorf("fitted to %d", s.Fitted())
	}
	places := s.Fold(c)
	q := s.Query([]string{"fetch3"})
	near := func(i int) float64 { return places.Cosine(q, i, i+1) }
	if got := near(63); got < 0.7 { // of the topic, has load3 and not fetch3
		t.Errorf("the same topic in other words is at %.2f", got)
	}
	if got := near(64); got > 0.3 {
		t.Errorf("another topic is at %.2f", got)
	}
	if got := places.Cosine(q, 0, 60); got >= near(63) || got <= near(64) {
		t.Errorf("all topics together are at %.2f", got)
	}
	if s.Query([]string{"unheard"}) != nil {
		t.Error("a word it does not know has a direction")
	}
	if got := places.Cosine(q, 50000, 50001); got != 0 {
		t.Errorf("a chunk that is not there is at %.2f", got)
	}
}

func TestSameInputSameSpace(t *testing.T) {
	a, b := fit([]Segment{corpus("a", 700), corpus("b", 900)}), fit([]Segment{corpus("a", 700), corpus("b", 900)})
	if !slices.EqualFunc(a.model[:], b.model[:], bytes.Equal) {
		t.Error("two fits differ")
	}
}

// A space does not depend on the segments that files lie in.
func TestSpreadOverSegments(t *testing.T) {
	const n = sample + 500
	whole := corpus("whole", n)
	want := fit([]Segment{whole})
	odd, even := &texts{label: "odd"}, &texts{label: "even", chunks: [][]string{{"dead"}}}
	var files []File
	for i, words := range whole.chunks {
		segment, to := 0, odd
		if i%3 == 0 {
			segment, to = 1, even
		}
		files = append(files, File{Segment: segment, First: len(to.chunks), End: len(to.chunks) + 1})
		to.chunks = append(to.chunks, words)
	}
	if got := Fit([]Segment{odd, even}, files); !slices.EqualFunc(want.model[:], got.model[:], bytes.Equal) {
		t.Error("two segments make another space than one")
	}
}

// Of a project larger than the sample, what is held is bounded by the sample, and
// how frequent a term is comes from all chunks.
func TestLargerThanTheSample(t *testing.T) {
	const n, stride = 3 * sample, 4
	var segments []Segment
	for part := range 3 {
		s := &texts{label: fmt.Sprint(part)}
		for i := part * n / 3; i < (part+1)*n/3; i++ {
			words := []string{"common", fmt.Sprintf("alone%d", i), fmt.Sprintf("topic%03d", i%199)}
			if i%5 == 0 {
				words = append(words, "fifth")
			}
			s.chunks = append(s.chunks, words)
		}
		segments = append(segments, s)
	}
	var files []File
	for i, s := range segments {
		files = append(files, File{Segment: i, End: s.Chunks()})
	}
	numbers := number(segments, files, stride)
	byTerm := gatherTerms(segments, numbers)
	if got, want := len(byTerm), n/stride+199+2; got != want {
		t.Errorf("%d terms are held, want %d", got, want)
	}
	for _, r := range byTerm["common"].entries {
		if int(r.row) >= n/stride {
			t.Fatalf("row %d of %d", r.row, n/stride)
		}
	}
	columns := choose(byTerm)
	if !slices.IsSortedFunc(columns, func(a, b column) int { return strings.Compare(a.term, b.term) }) {
		t.Error("columns are not in order")
	}
	count(columns, segments, numbers)
	got := make(map[string]int)
	for _, c := range columns {
		got[c.term] = c.all
	}
	if got["common"] != n || got["fifth"] != (n+4)/5 || got["topic000"] != (n+198)/199 || len(got) != 201 {
		t.Errorf("counted %d, %d and %d of %d terms", got["common"], got["fifth"], got["topic000"], len(got))
	}
}

func TestTooLittleMakesNoSpace(t *testing.T) {
	same := &texts{label: "same"}
	for range 500 {
		same.chunks = append(same.chunks, []string{"one", "word"})
	}
	for _, segments := range [][]Segment{nil, {corpus("a", fewest-1)}, {same}, {&texts{chunks: make([][]string, 500)}}} {
		if fit(segments) != nil {
			t.Errorf("%d segments make a space", len(segments))
		}
	}
}

func TestFile(t *testing.T) {
	c := corpus("seg-a", 500)
	s := fit([]Segment{c})
	path := filepath.Join(t.TempDir(), "space")
	want := s.Fold(c)
	if err := s.WriteFile(path, map[string]Places{"seg-a": want, "empty": {}}); err != nil {
		t.Fatal(err)
	}
	o, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := o.Places("seg-a")
	if !ok || !slices.Equal(got, want) || o.Fitted() != 500 {
		t.Error("the file holds something else")
	}
	if _, ok := o.Places("seg-b"); ok {
		t.Error("places of a segment that it has not")
	}
	if !slices.Equal(o.Query([]string{"fetch1", "common"}), s.Query([]string{"fetch1", "common"})) {
		t.Error("a question has another direction")
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		bad := bytes.Clone(whole)
		if r.IntN(2) == 0 {
			bad = bad[:r.IntN(len(bad))]
		} else {
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); !errors.Is(err, errCorrupt) {
			t.Fatalf("damage goes unnoticed: %v", err)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".segment-*")); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

func FuzzOpen(f *testing.F) {
	c := corpus("a", 300)
	s := fit([]Segment{c})
	path := filepath.Join(f.TempDir(), "space")
	if err := s.WriteFile(path, map[string]Places{"a": s.Fold(c)}); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(format.Magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "space")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Open(path); err == nil {
			s.Query([]string{"a", "common"})
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// Places are added up eight numbers at a time; this is one at a time.
func TestSum(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	p := make(Places, 600*Dim)
	for i := range p {
		p[i] = int8(random.IntN(256))
		if i < 300*Dim { // the most that a word has to hold
			p[i] = math.MaxInt8
		}
	}
	for _, span := range [][2]int{{0, 0}, {0, 1}, {7, 8}, {0, 257}, {0, 258}, {0, 600}, {299, 600}} {
		var want [Dim]int32
		for c := span[0]; c < span[1]; c++ {
			for d := range want {
				want[d] += int32(p[c*Dim+d])
			}
		}
		if got := p.sum(span[0], span[1]); got != want {
			t.Errorf("chunks %d to %d: %v, want %v", span[0], span[1], got, want)
		}
	}
}
