package postings

import (
	"fmt"
	"slices"
	"testing"
)

// What is yielded of some files is what of all files lies in their chunks.
func TestEachOfSomeFiles(t *testing.T) {
	b, f := NewBuilder(nil), new(Forward)
	for _, m := range sample() {
		if err := b.Add(m.file(f)); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := b.Build("")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	read := func(want func(first, end int) bool, in func(chunk int) bool) (got []string) {
		s.Each(want, func(term []byte, chunks []int32, counts []float32) bool {
			for i, c := range chunks {
				if in(int(c)) {
					got = append(got, fmt.Sprintf("%s in %d: %g", term, c, counts[i]))
				}
			}
			return true
		})
		return got
	}
	all := func(int) bool { return true }
	whole := read(nil, all)
	for file := range s.Files() {
		first, end := s.ChunksOf(file)
		want := read(nil, func(c int) bool { return first <= c && c < end })
		if got := read(func(at, _ int) bool { return at == first }, all); !slices.Equal(got, want) {
			t.Errorf("of file %d: %q, want %q", file, got, want)
		}
		if len(want) == len(whole) {
			t.Errorf("all terms are in file %d", file)
		}
	}
}
