package postings

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"codeintel/internal/index/segment"
	"codeintel/test/tier"
)

// many builds a segment of several blocks, with lists longer than one.
func many(t testing.TB) []byte {
	t.Helper()
	b, f := NewBuilder(nil), new(Forward)
	for i := range 300 {
		m := model{path: fmt.Sprintf("d/%03d.go", i), names: map[string][]Occurrence{}, symbols: map[string][]int{}, terms: []PathTerm{{"http", 1, 0}}}
		for c := range 8 {
			counts := map[string][Fields]int{"http": {20 + c, 1, 0, 1}, fmt.Sprintf("w%d", i*7+c): {1}, fmt.Sprintf("v%d", i%40): {c + 1, 0, 1}}
			m.chunks = append(m.chunks, counts)
		}
		for k := range 20 {
			m.names["Get"] = append(m.names["Get"], Occurrence{Line: 1 + k*9, Column: k, Symbol: k % 3, Qualifier: "http"})
		}
		m.names[fmt.Sprintf("Name%d", i)] = []Occurrence{{Line: i, Symbol: -1}}
		m.symbols[fmt.Sprintf("Name%d", i)] = []int{i}
		file := m.file(f)
		file.Outline = bytes.Repeat([]byte{byte(i)}, 200)
		if err := b.Add(file); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := b.Build("many")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// questions are all ways to read a segment.
var questions = []func(s *Segment) any{
	func(s *Segment) (all any) {
		var out []string
		for i := range s.Files() {
			first, end := s.ChunksOf(i)
			out = append(out, fmt.Sprint(s.Path(i), first, end, string(s.Attributes(i))))
		}
		return out
	},
	func(s *Segment) any { return bytes.Clone(s.Outline(150)) },
	func(s *Segment) any { n, ok := s.FindPath("d/077.go"); return fmt.Sprint(n, ok) },
	func(s *Segment) any { return find(s, "Get") },
	func(s *Segment) any { return find(s, "Name211") },
	func(s *Segment) any { return find(s, "Nobody") },
	func(s *Segment) any {
		var out []string
		NewView(Part{Segment: s}).Declared("name12", Prefix, func(r Ref, n int) bool { out = append(out, fmt.Sprint(r, n)); return true })
		return out
	},
	func(s *Segment) any {
		var out []string
		NewView(Part{Segment: s}).DeclaredWords([]string{"Name7"}, func(r Ref, n int) bool { out = append(out, fmt.Sprint(r, n)); return true })
		return out
	},
	func(s *Segment) any {
		return rank(s, Query{Terms: []string{"http", "v3"}, Top: 50, Files: 20, Scoring: scoring})
	},
	func(s *Segment) any {
		return rank(s, Query{Terms: []string{"w99"}, Related: []Related{{"v7", .5}}, Top: 50, Files: 20, Scoring: scoring})
	},
	func(s *Segment) any {
		var out []string
		s.Each(nil, func(term []byte, chunks []int32, counts []float32) bool {
			out = append(out, fmt.Sprint(string(term), chunks, counts))
			return true
		})
		return out
	},
}

// everything is the question that reads nearly all of a segment.
var everything = len(questions) - 1

func find(s *Segment, name string) any {
	var out []string
	NewView(Part{Segment: s}).Occurrences(name, func(r Ref, o Occurrence) bool { out = append(out, fmt.Sprint(r, o)); return true })
	return out
}

// rank returns candidates, or the error.
func rank(s *Segment, q Query) any {
	found, err := NewView(Part{Segment: s}).Search(q)
	if err != nil {
		return err
	}
	return found
}

// ask returns what a segment answers, printed.
func ask(s *Segment, question func(*Segment) any) (answer string, err error) {
	err = segment.Guard(func() error {
		a := question(s)
		answer = fmt.Sprint(a)
		err, _ := a.(error)
		return err
	})
	return answer, err
}

// A segment opened without reading all of it answers as it did when it was whole,
// or says that it is damaged, whichever bit of it is changed.
func TestDamageIsFoundWhenRead(t *testing.T) {
	raw := many(t)
	whole, err := Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) < 12*16<<10 {
		t.Fatalf("only %d bytes", len(raw))
	}
	want := make([]string, len(questions))
	for i, q := range questions {
		if want[i], err = ask(whole, q); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	tries := tier.Number(50, 250)
	for n := range tries {
		at := n*len(raw)/tries + r.IntN(len(raw)/tries) // one in each part of the file
		bad := bytes.Clone(raw)
		bad[at] ^= 1 << r.IntN(8)
		s, err := open(bad)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			continue
		}
		for i, q := range questions {
			if i == everything && n%10 > 0 {
				continue // slow
			}
			got, err := ask(s, q)
			if errors.Is(err, ErrCorrupt) {
				found++
			} else if err != nil || got != want[i] {
				t.Fatalf("byte %d of %d changed: question %d is answered otherwise, %v", at, len(raw), i, err)
			}
		}
		if err := s.Verify(); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("byte %d of %d changed: %v", at, len(raw), err)
		}
	}
	if found < tries/2 {
		t.Errorf("damage was met only %d times", found)
	}
}

func BenchmarkFind(b *testing.B) {
	s, err := Open(many(b))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		find(s, "Name211")
		s.FindPath("d/077.go")
	}
}

func BenchmarkSearch(b *testing.B) {
	s, err := Open(many(b))
	if err != nil {
		b.Fatal(err)
	}
	v := NewView(Part{Segment: s})
	for b.Loop() {
		v.Search(Query{Terms: []string{"http", "v3", "w99"}, Top: 50, Files: 20, Scoring: scoring})
	}
}
