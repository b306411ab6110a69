package postings

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codeintel/internal/index/segment"
)

var scoring = func() *Scoring {
	s := &Scoring{K1: 1.2, Path: Bag{.3, 3}}
	s.Fields = [Fields]Bag{Body: {.75, 1}, Symbol: {.5, 3}, Scope: {.5, 1.5}}
	s.File.Body, s.File.Symbol, s.File.Path, s.File.MaxSymbol = Bag{.75, 1}, Bag{.5, 2}, Bag{.3, 4}, 3
	s.Alone = [Fields]float64{Symbol: .5, Scope: .5, Doc: .75}
	return s
}()

// A model is a file as the tests think of it.
type model struct {
	path    string
	chunks  []map[string][Fields]int
	names   map[string][]Occurrence
	symbols map[string][]int
	terms   []PathTerm
}

func (m model) file(f *Forward) File {
	var terms []string
	number := make(map[string]int32)
	for _, c := range m.chunks {
		f.Chunk()
		for term, counts := range c {
			if _, ok := number[term]; !ok {
				number[term] = int32(len(terms))
				terms = append(terms, term)
			}
			for field, n := range counts {
				for range n {
					f.Count(Field(field), number[term])
				}
			}
		}
	}
	for name, list := range m.names {
		for _, o := range list {
			f.Occur(name, o)
		}
	}
	for name, list := range m.symbols {
		for _, s := range list {
			f.Declare(name, s)
		}
	}
	return File{Path: m.path, Attributes: []byte("a:" + m.path), Outline: []byte("o:" + m.path),
		PathTerms: m.terms, Forward: f.Encode(nil, func(n int32) string { return terms[n] })}
}

func build(t require, models ...model) *Segment {
	t.Helper()
	b, f := NewBuilder(func(s string) []string { return strings.Split(strings.ToLower(s), "_") }), new(Forward)
	for _, m := range models {
		if err := b.Add(m.file(f)); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := b.Build("label")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// require is what the tests need of testing.T, rapid.T and testing.F.
type require interface {
	Helper()
	Fatal(...any)
}

func models(t *rapid.T) []model {
	word := rapid.SampledFrom([]string{"a", "b", "http", "Server", "server", "サーバ", "x_y", "x_Y", "zz_top", ""})
	count := rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 3, 14, 15, 16, 300})
	n := rapid.IntRange(0, 6).Draw(t, "files")
	out := make([]model, n)
	for i := range out {
		m := model{path: fmt.Sprintf("d/%d.go", i), names: map[string][]Occurrence{}, symbols: map[string][]int{}}
		for range rapid.IntRange(0, 5).Draw(t, "chunks") {
			c := map[string][Fields]int{}
			for _, w := range rapid.SliceOfN(word, 0, 4).Draw(t, "words") {
				var counts [Fields]int
				for f := range counts {
					counts[f] = count.Draw(t, "count")
				}
				counts[Body]++
				c[w] = counts
			}
			m.chunks = append(m.chunks, c)
		}
		for _, w := range rapid.SliceOfNDistinct(word, 0, 5, rapid.ID).Draw(t, "names") {
			for range rapid.IntRange(1, 4).Draw(t, "n") {
				m.names[w] = append(m.names[w], Occurrence{
					Line:      rapid.IntRange(1, 1<<20).Draw(t, "line"),
					Column:    rapid.IntRange(1, 1<<16).Draw(t, "column"),
					Role:      uint8(rapid.IntRange(0, 7).Draw(t, "role")),
					Local:     rapid.Bool().Draw(t, "local"),
					Symbol:    rapid.IntRange(-1, 9000).Draw(t, "symbol"),
					Qualifier: word.Draw(t, "qualifier"),
				})
			}
			m.symbols[w] = rapid.SliceOfNDistinct(rapid.IntRange(0, 9000), 1, 3, rapid.ID).Draw(t, "symbols")
		}
		for _, w := range rapid.SliceOfNDistinct(word, 0, 3, rapid.ID).Draw(t, "path") {
			m.terms = append(m.terms, PathTerm{w, rapid.IntRange(0, 3).Draw(t, "stem"), 1})
		}
		out[i] = m
	}
	return out
}

// What goes in comes out, whether in one segment or spread over two, and dead
// files do not.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := models(t)
		at := rapid.IntRange(0, len(all)).Draw(t, "cut")
		one, two := build(t, all[:at]...), build(t, all[at:]...)
		dead := make([]bool, len(all))
		for i := range dead {
			dead[i] = rapid.Bool().Draw(t, "dead")
		}
		v := NewView(Part{one, dead[:at]}, Part{two, dead[at:]})
		number := func(r Ref) int { return r.Part*at + r.File }
		for i, m := range all {
			p := v.parts[min(i/max(at, 1), 1)]
			if at == 0 {
				p = v.parts[1]
			}
			k := i
			if i >= at {
				p, k = v.parts[1], i-at
			}
			if p.Segment.Path(k) != m.path || string(p.Segment.Attributes(k)) != "a:"+m.path || string(p.Segment.Outline(k)) != "o:"+m.path {
				t.Fatalf("file %d: %q %q %q", i, p.Segment.Path(k), p.Segment.Attributes(k), p.Segment.Outline(k))
			}
		}
		for _, name := range []string{"a", "http", "Server", "server", "サーバ", "x_y", "zz_top", "", "none"} {
			got, want := map[int][]Occurrence{}, map[int][]Occurrence{}
			v.Occurrences(name, func(r Ref, o Occurrence) bool {
				got[number(r)] = append(got[number(r)], o)
				return true
			})
			symbols, chosen := map[string]bool{}, map[string]bool{}
			v.Declared(name, Folded, func(r Ref, s int) bool { symbols[fmt.Sprint(number(r), s)] = true; return true })
			for i, m := range all {
				if dead[i] {
					continue
				}
				if l := m.names[name]; len(l) > 0 {
					want[i] = slices.Clone(l)
					slices.SortStableFunc(want[i], func(a, b Occurrence) int {
						return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
					})
				}
				for other, l := range m.symbols {
					for _, s := range l {
						if strings.EqualFold(other, name) {
							chosen[fmt.Sprint(i, s)] = true
						}
					}
				}
			}
			if d := gocmp.Diff(want, got); d != "" {
				t.Fatalf("occurrences of %q (-want +got):\n%s", name, d)
			}
			if d := gocmp.Diff(chosen, symbols); d != "" {
				t.Fatalf("symbols called %q (-want +got):\n%s", name, d)
			}
		}
		checkScores(t, v, all, dead)
	})
}

// checkScores checks Search against BM25F computed the slow way.
func checkScores(t *rapid.T, v *View, all []model, dead []bool) {
	t.Helper()
	query := []string{"http", "b", "サーバ"}
	want := naive(all, dead, query)
	got := map[string]float64{}
	for _, c := range search(t, v, Query{Terms: query, Top: 1000, Files: 1000}) {
		got[fmt.Sprintf("%s#%d", v.parts[c.Part].Segment.Path(c.File), c.Chunk)] = c.BM25F
	}
	// A related term scores like one of the query, by its weight, and apart from it.
	beside := naive(all, dead, query[:1])
	for _, c := range search(t, v, Query{Terms: query[1:2], Related: []Related{{query[0], 0.5}}, Top: 1000, Files: 1000}) {
		place := fmt.Sprintf("%s#%d", v.parts[c.Part].Segment.Path(c.File), c.Chunk)
		w := 0.5 * beside[place]
		if weights, _ := v.weigh(query[0]); 0.5*weights.chunk < minRelated*idf(0, v.totals.chunks) {
			w = 0
		}
		if math.Abs(c.Related-w) > 1e-3*math.Max(1, w) {
			t.Fatalf("%s: related %v, want %v", place, c.Related, w)
		}
	}
	for k, w := range want {
		if math.Abs(got[k]-w) > 1e-3*math.Max(1, w) {
			t.Fatalf("%s: score %v, want %v", k, got[k], w)
		}
	}
	for k, g := range got {
		if want[k] == 0 && g != 0 {
			t.Fatalf("%s: score %v, want none", k, g)
		}
	}
}

// search asks v, and checks what one goroutine finds against what several find.
func search(t *rapid.T, v *View, q Query) []Candidate {
	t.Helper()
	q.Scoring = scoring
	alone, err := v.search(q, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	together, err := v.search(q, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(alone, together); d != "" {
		t.Fatalf("several goroutines find another (-one +several):\n%s", d)
	}
	return alone
}

func naive(all []model, dead []bool, query []string) map[string]float64 {
	var chunks, pathSum float64
	var sums [Fields]float64
	pathLen := make([]float64, len(all))
	for i, m := range all {
		for _, p := range m.terms {
			pathLen[i] += float64(p.Stem) + .5*float64(p.Folder)
		}
		pathSum += pathLen[i]
		for _, c := range m.chunks {
			chunks++
			for _, counts := range c {
				for f, n := range counts {
					sums[f] += float64(n)
				}
			}
		}
	}
	mean := func(sum, n float64) float64 {
		if sum == 0 || n == 0 {
			return 1
		}
		return sum / n
	}
	limit := [Fields]float64{Body: math.MaxUint16, Doc: math.MaxUint16, Symbol: 255, Scope: 255, Signature: 255}
	scores := map[string]float64{}
	for _, q := range query {
		df := 0.0
		tfs := map[string]float64{}
		for i, m := range all {
			inPath := 0.0
			listed := false
			for _, p := range m.terms {
				if p.Term == q {
					inPath += float64(p.Stem) + .5*float64(p.Folder)
					listed = true
				}
			}
			for k, c := range m.chunks {
				counts, has := c[q]
				if has || listed {
					df++
				}
				tf := inPath / lengthNorm(.3, pathLen[i], mean(pathSum, float64(len(all)))) * 3
				for f, n := range counts {
					length := 0.0
					for _, other := range c {
						length += float64(other[f])
					}
					if Field(f) != Body {
						n = min(n, 4)
					}
					b := scoring.Fields[f]
					tf += float64(n) / lengthNorm(b.B, min(length, limit[f]), mean(sums[f], chunks)) * b.Weight
				}
				if !dead[i] {
					tfs[fmt.Sprintf("%s#%d", m.path, k)] = tf
				}
			}
		}
		for k, tf := range tfs {
			scores[k] += math.Log(1+(chunks-df+.5)/(df+.5)) * tf * 2.2 / (tf + 1.2)
		}
	}
	return scores
}

func sample() []model {
	return []model{
		{path: "a.go", chunks: []map[string][Fields]int{{"http": {3, 1}, "get": {20, 0, 1, 1, 1}}, {"http": {1}}},
			names:   map[string][]Occurrence{"Get": {{Line: 3, Column: 2, Role: 1, Qualifier: "http", Symbol: 0}, {Line: 9, Column: 1, Symbol: -1}}},
			symbols: map[string][]int{"Get": {0, 4}, "get_all": {1}}, terms: []PathTerm{{"http", 1, 0}}},
		{path: "b.go", chunks: []map[string][Fields]int{{"get": {1}}},
			names: map[string][]Occurrence{"get": {{Line: 1, Column: 1}}}, symbols: map[string][]int{"get": {2}}},
	}
}

func TestDeclared(t *testing.T) {
	v := NewView(Part{Segment: build(t, sample()...)})
	list := func(walk func(yield func(Ref, int) bool)) string {
		var out []string
		walk(func(r Ref, s int) bool { out = append(out, fmt.Sprintf("%d:%d", r.File, s)); return true })
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	by := func(name string, m Match) string {
		return list(func(y func(Ref, int) bool) { v.Declared(name, m, y) })
	}
	for _, c := range []struct{ what, got, want string }{
		{"exact", by("Get", Exact), "0:0 0:4"},
		{"folded", by("GET", Folded), "0:0 0:4 1:2"},
		{"prefix", by("ge", Prefix), "0:0 0:1 0:4 1:2"},
		{"nothing", by("gets", Prefix), ""},
		{"words", list(func(y func(Ref, int) bool) { v.DeclaredWords([]string{"all", "get"}, y) }), "0:1"},
		{"word", list(func(y func(Ref, int) bool) { v.DeclaredWords([]string{"get"}, y) }), "0:0 0:1 0:4 1:2"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	b, f := NewBuilder(nil), new(Forward)
	for _, m := range sample() {
		if err := b.Add(m.file(f)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "s")
	if _, err := b.WriteFile(path, "x"); err != nil {
		t.Fatal(err)
	}
	s, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Label() != "x" || s.Path(1) != "b.go" {
		t.Errorf("label %q, path %q", s.Label(), s.Path(1))
	}
	// Cut short by somebody else while it is mapped: an error, not the end.
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	err = segment.Guard(func() error {
		NewView(Part{Segment: s}).Occurrences("Get", func(Ref, Occurrence) bool { return true })
		return nil
	})
	if err != nil && !errors.Is(err, ErrCorrupt) {
		t.Errorf("cut short: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := OpenFile(path); !errors.Is(err, ErrCorrupt) {
		t.Errorf("empty file: %v", err)
	}
	if _, err := OpenFile(path + "none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".segment-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Every single changed bit and every cut is seen.
func TestDamageIsSeen(t *testing.T) {
	b, f := NewBuilder(nil), new(Forward)
	file := sample()[0].file(f)
	if err := b.Add(file); err != nil {
		t.Fatal(err)
	}
	raw, _ := b.Build("x")
	for i := range raw {
		bad := bytes.Clone(raw)
		bad[i] ^= 1 << (i % 8)
		if _, err := Open(bad); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("bit of byte %d of %d changed: %v", i, len(raw), err)
		}
		if _, err := Open(raw[:i]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d of %d: %v", i, len(raw), err)
		}
	}
	for i := range file.Forward {
		bad := bytes.Clone(file.Forward)
		bad[i] ^= 1 << (i % 8)
		if Intact(bad) {
			t.Fatalf("forward index: bit of byte %d changed and not seen", i)
		}
		if err := NewBuilder(nil).Add(File{Path: "p", Forward: bad}); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("forward index: bit of byte %d changed: %v", i, err)
		}
	}
}

// reseal makes the checksums of a segment right again, so that hostile contents
// reach the readers behind them.
func reseal(b []byte) []byte {
	parts := make([][]byte, sections)
	whole, err := Open(seed())
	if err != nil {
		return nil
	}
	copy(parts, whole.parts[:])
	c := cursor{b: b}
	for c.more() {
		which := int(c.byte()) % int(sections)
		p := bytes.Clone(parts[which])
		at, with := int(c.uvarint()), c.bytes()
		if at < len(p) {
			copy(p[at:], with)
		} else if len(with) == 0 && len(p) > 0 {
			p = p[:at%len(p)]
		} else {
			p = append(p, with...)
		}
		parts[which] = p
	}
	return segment.Encode(format, parts)
}

func seed() []byte {
	b, f := NewBuilder(func(s string) []string { return strings.Split(s, "_") }), new(Forward)
	for _, m := range sample() {
		if err := b.Add(m.file(f)); err != nil {
			return nil
		}
	}
	raw, _ := b.Build("x")
	return raw
}

func FuzzSegment(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add(seed(), false)
	f.Add([]byte{3, 4, 4, 255, 255, 255, 255}, true)
	f.Add([]byte{6, 0, 3, 255, 255, 15, 8, 1, 3, 200, 200, 1}, true)
	f.Add([]byte{1, 12, 4, 9, 0, 0, 0, 0, 0, 4, 0, 0, 0, 7}, true)
	f.Fuzz(func(t *testing.T, b []byte, sealed bool) {
		if sealed {
			b = reseal(b)
		}
		s, err := Open(b)
		if err != nil {
			return
		}
		exercise(s)
	})
}

func exercise(s *Segment) {
	for i := range s.Files() {
		s.Path(i)
		s.Attributes(i)
		s.Outline(i)
	}
	v := NewView(Part{Segment: s, Dead: make([]bool, s.Files())})
	for _, name := range []string{"Get", "get", "get_all", ""} {
		v.Occurrences(name, func(Ref, Occurrence) bool { return true })
		for _, m := range []Match{Exact, Folded, Prefix} {
			v.Declared(name, m, func(Ref, int) bool { return true })
		}
	}
	v.DeclaredWords([]string{"get", "all"}, func(Ref, int) bool { return true })
	v.Search(Query{Terms: []string{"http", "get"}, Top: 5, Files: 5, Scoring: scoring,
		Include: []Place{{Ref{0, 0}, 99}, {Ref{7, 7}, 0}, {Ref{0, -1}, -1}}})
}

func FuzzForward(f *testing.F) {
	f.Add(sample()[0].file(new(Forward)).Forward)
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4 {
			b = resealForward(b[:len(b)-4])
		}
		builder := NewBuilder(nil)
		if builder.Add(File{Path: "p", Forward: b}) != nil {
			return
		}
		raw, err := builder.Build("x")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(raw)
		if err != nil {
			t.Fatal(err)
		}
		exercise(s)
	})
}

func resealForward(b []byte) []byte {
	b = bytes.Clone(b)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}
