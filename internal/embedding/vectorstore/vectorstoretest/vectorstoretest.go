// Package vectorstoretest checks a [vectorstore.Store] against what the interface promises.
package vectorstoretest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"codeintel/internal/embedding/vectorstore"
)

// A Factory opens a collection. Within one test, the same description opens the
// same collection again, with what was put in.
type Factory func(t *testing.T, c vectorstore.Collection) vectorstore.Store

// Size says how much a run asks of a store.
type Size string

// The sizes.
const (
	Small Size = "small" // one call after the other, few items: what a recording can hold
	Full  Size = "full"  // also many items, and many callers at once
)

// An Options says what a store is like.
type Options struct {
	Size Size
	// Recall is the share of the nearest that a store finds among many; 1: all.
	Recall float64
}

// Run runs the suite. Each test gets a factory of its own from each call of open.
func Run(t *testing.T, o Options, open func(t *testing.T) Factory) {
	for _, test := range tests {
		if test.size == Full && o.Size != Full {
			continue
		}
		t.Run(test.name, func(t *testing.T) { test.run(&bench{T: t, open: open(t), o: o}) })
	}
}

var tests = []struct {
	name string
	size Size
	run  func(b *bench)
}{
	{"empty", Small, empty},
	{"nearest", Small, nearest},
	{"replace", Small, replace},
	{"delete", Small, remove},
	{"vectors", Small, stored},
	{"zeros", Small, zeros},
	{"refuse", Small, refuse},
	{"names", Small, names},
	{"reopen", Small, reopen},
	{"models", Small, models},
	{"pages", Small, pages},
	{"cancel", Small, cancel},
	{"many", Full, many},
	{"together", Full, together},
}

// A bench is one test with the store that it is about.
type bench struct {
	*testing.T
	open Factory
	o    Options
}

func collection(dimension int) vectorstore.Collection {
	return vectorstore.Collection{Name: "forest", Model: "test/1", Dimension: dimension}
}

func (b *bench) store(c vectorstore.Collection) vectorstore.Store {
	b.Helper()
	s := b.open(b.T, c)
	b.Cleanup(func() { s.Close() })
	return s
}

func (b *bench) upsert(s vectorstore.Store, items ...vectorstore.Item) {
	b.Helper()
	if err := s.Upsert(b.Context(), items); err != nil {
		b.Fatalf("upsert: %v", err)
	}
}

func (b *bench) query(s vectorstore.Store, v []float32, k int) []vectorstore.Hit {
	b.Helper()
	hits, err := s.Query(b.Context(), v, k)
	if err != nil {
		b.Fatalf("query: %v", err)
	}
	return hits
}

// expect checks the IDs that the store has against want.
func (b *bench) expect(s vectorstore.Store, want ...string) {
	b.Helper()
	got := []string{}
	for id, err := range s.IDs(b.Context()) {
		if err != nil {
			b.Fatalf("ids: %v", err)
		}
		got = append(got, id)
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want)) // the caller still needs its order
	if !slices.Equal(got, want) {
		b.Errorf("the store has %q, want %q", got, want)
	}
	if n, err := s.Count(b.Context()); err != nil || n != len(want) {
		b.Errorf("count is %d, %v, want %d", n, err, len(want))
	}
}

func order(hits []vectorstore.Hit) string {
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(h.ID + " ")
	}
	return strings.TrimSpace(b.String())
}

// itemsAtAngles are items in a plane, by their angle to the first axis in degrees.
func itemsAtAngles(degrees ...float64) (items []vectorstore.Item) {
	for _, d := range degrees {
		side := "north"
		if d < 0 {
			side = "south"
		}
		items = append(items, vectorstore.Item{ID: fmt.Sprintf("at%v", d), Vector: at(d), Document: fmt.Sprintf("the one at %v", d),
			Meta: map[string]string{"side": side, "path": fmt.Sprintf("dir/%v.go", math.Abs(d))}})
	}
	return items
}

func at(degrees float64) []float32 {
	r := degrees * math.Pi / 180
	return []float32{float32(math.Cos(r)), float32(math.Sin(r)), 0}
}

func empty(b *bench) {
	s := b.store(collection(3))
	b.expect(s)
	if hits := b.query(s, at(0), 5); len(hits) != 0 {
		b.Errorf("hits of nothing: %v", hits)
	}
	b.upsert(s)
	if err := s.Delete(b.Context(), nil); err != nil {
		b.Errorf("delete nothing: %v", err)
	}
	b.expect(s)
}

func nearest(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, itemsAtAngles(10, -20, 45, 90, 180)...)
	hits := b.query(s, []float32{7, 0, 0}, 4) // its length does not matter
	if got := order(hits); got != "at10 at-20 at45 at90" {
		b.Fatalf("order %s", got)
	}
	for i, degrees := range []float64{10, 20, 45, 90} {
		if want := math.Cos(degrees * math.Pi / 180); math.Abs(hits[i].Score-want) > 1e-5 {
			b.Errorf("%s has score %v, want %v", hits[i].ID, hits[i].Score, want)
		}
	}
	if want := map[string]string{"side": "south", "path": "dir/20.go"}; !maps.Equal(hits[1].Meta, want) {
		b.Errorf("meta %v, want %v", hits[1].Meta, want)
	}
	if hits := b.query(s, at(180), 100); order(hits) != "at180 at90 at45 at-20 at10" || math.Abs(hits[0].Score-1) > 1e-5 {
		b.Errorf("more than there are: %v", hits)
	}
	if hits := b.query(s, at(0), 0); len(hits) != 0 {
		b.Errorf("none asked for: %v", hits)
	}
}

func replace(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, itemsAtAngles(10, 20, 30)...)
	moved := vectorstore.Item{ID: "at20", Vector: at(120), Meta: map[string]string{"side": "west", "path": "x.go"}}
	twice := []vectorstore.Item{{ID: "at30", Vector: at(1)}, {ID: "new", Vector: at(2), Meta: map[string]string{"side": "a"}},
		{ID: "at30", Vector: at(150), Meta: map[string]string{"side": "b", "path": "y.go"}}, moved}
	b.upsert(s, twice...)
	b.expect(s, "at10", "at20", "at30", "new")
	hits := b.query(s, at(0), 4)
	if got := order(hits); got != "new at10 at20 at30" {
		b.Fatalf("order %s", got)
	}
	if !maps.Equal(hits[2].Meta, moved.Meta) || hits[3].Meta["side"] != "b" {
		b.Errorf("meta did not follow: %v", hits)
	}
}

func remove(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, itemsAtAngles(10, 20, 30)...)
	if err := s.Delete(b.Context(), []string{"at10", "never", "at10", "at30"}); err != nil {
		b.Fatal(err)
	}
	b.expect(s, "at20")
	if hits := b.query(s, at(0), 9); order(hits) != "at20" {
		b.Errorf("deleted ones answer: %v", hits)
	}
	b.upsert(s, itemsAtAngles(10)...)
	b.expect(s, "at10", "at20")
	if err := s.Delete(b.Context(), []string{"at10", "at20"}); err != nil {
		b.Fatal(err)
	}
	b.expect(s)
	b.upsert(s, itemsAtAngles(40)...)
	if hits := b.query(s, at(0), 9); order(hits) != "at40" {
		b.Errorf("after all were deleted: %v", hits)
	}
}

func stored(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, vectorstore.Item{ID: "long", Vector: []float32{3, 0, 4}},
		vectorstore.Item{ID: "other", Vector: []float32{0, 1, 0}})
	if hits := b.query(s, []float32{1, 1, 1}, 5); len(hits) != 2 || len(hits[0].Meta) != 0 {
		b.Errorf("without meta: %v", hits)
	}
}

func zeros(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, vectorstore.Item{ID: "zero", Vector: []float32{0, 0, 0}}, vectorstore.Item{ID: "near", Vector: at(10)},
		vectorstore.Item{ID: "against", Vector: at(170)})
	hits := b.query(s, at(0), 3)
	if order(hits) != "near zero against" || math.Abs(hits[1].Score) > 1e-6 {
		b.Errorf("zeros are like nothing: %v", hits)
	}
	if hits := b.query(s, []float32{0, 0, 0}, 3); len(hits) != 0 {
		b.Errorf("nothing is near zeros: %v", hits)
	}
}

func refuse(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, itemsAtAngles(10)...)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := vectorstore.Item{ID: "good", Vector: at(5)}
	for name, it := range map[string]vectorstore.Item{
		"short":       {ID: "a", Vector: []float32{1, 2}},
		"long":        {ID: "a", Vector: []float32{1, 2, 3, 4}},
		"no number":   {ID: "a", Vector: []float32{1, nan, 0}},
		"infinite":    {ID: "a", Vector: []float32{inf, 0, 0}},
		"nameless":    {Vector: at(5)},
		"not UTF-8":   {ID: "a\xff", Vector: at(5)},
		"empty key":   {ID: "a", Vector: at(5), Meta: map[string]string{"": "x"}},
		"broken meta": {ID: "a", Vector: at(5), Meta: map[string]string{"path": "\xff"}},
	} {
		if err := s.Upsert(b.Context(), []vectorstore.Item{good, it}); err == nil {
			b.Errorf("%s: taken", name)
		}
	}
	for _, v := range [][]float32{{1, 2}, {1, nan, 0}, nil} {
		if hits, err := s.Query(b.Context(), v, 3); err == nil {
			b.Errorf("query %v: %v", v, hits)
		}
	}
	b.expect(s, "at10")
}

func names(b *bench) {
	s := b.store(collection(3))
	var items []vectorstore.Item
	odd := []string{"a b", "日本語/ファイル.go:12#0f", `C:\x "quoted"`, "$eq", strings.Repeat("long/", 60),
		"tab\tnew\nline", "e\u0301", "\u00e9"}
	for i, id := range odd {
		items = append(items, vectorstore.Item{ID: id, Vector: at(float64(10 * i)), Meta: map[string]string{"path": id}})
	}
	b.upsert(s, items...)
	b.expect(s, odd...)
	for i, id := range odd {
		hits := b.query(s, at(float64(10*i)), 1)
		if len(hits) != 1 || hits[0].ID != id || hits[0].Meta["path"] != id || hits[0].Score < 0.9999 {
			b.Errorf("%q: %v", id, hits)
		}
	}
	if err := s.Delete(b.Context(), odd[1:]); err != nil {
		b.Fatal(err)
	}
	b.expect(s, odd[0])
}

func reopen(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, itemsAtAngles(10, 20)...)
	if err := s.Delete(b.Context(), []string{"at20"}); err != nil {
		b.Fatal(err)
	}
	beside := b.store(collection(3))
	b.expect(beside, "at10")
	b.upsert(beside, itemsAtAngles(30)...)
	b.expect(s, "at10", "at30")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	again := b.store(collection(3))
	b.expect(again, "at10", "at30")
	if hits := b.query(again, at(25), 1); order(hits) != "at30" {
		b.Errorf("after opening again: %v", hits)
	}
}

func models(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, itemsAtAngles(10)...)
	other := collection(3)
	other.Model = "test/2"
	s2 := b.store(other)
	b.expect(s2)
	b.upsert(s2, itemsAtAngles(77)...)
	longer := collection(4)
	s3 := b.store(longer)
	b.expect(s3)
	b.upsert(s3, vectorstore.Item{ID: "four", Vector: []float32{1, 2, 3, 4}})
	named := collection(3)
	named.Name = "map"
	b.expect(b.store(named))
	b.expect(b.store(longer), "four")
	if hits := b.query(s2, at(0), 5); order(hits) != "at77" {
		b.Errorf("models are mixed: %v", hits)
	}
	b.expect(b.store(collection(3)), "at10")
}

func pages(b *bench) {
	s := b.store(collection(3))
	var want []string
	for i := 0; i < 60; i += 20 {
		var items []vectorstore.Item
		for j := range 20 {
			it := itemsAtAngles(float64(3 * (i + j)))[0]
			it.Document = ""
			items, want = append(items, it), append(want, it.ID)
		}
		b.upsert(s, items...)
	}
	b.expect(s, want...)
	if hits := b.query(s, at(0), len(want)); order(hits) != strings.Join(want, " ") {
		b.Errorf("order %s", order(hits))
	}
	if err := s.Delete(b.Context(), want[1:]); err != nil {
		b.Fatal(err)
	}
	b.expect(s, want[0])
}

func cancel(b *bench) {
	s := b.store(collection(3))
	b.upsert(s, itemsAtAngles(10)...)
	ctx, stop := context.WithCancel(b.Context())
	stop()
	if err := s.Upsert(ctx, itemsAtAngles(20)); err == nil {
		b.Error("upsert went on")
	}
	if hits, err := s.Query(ctx, at(0), 1); err == nil {
		b.Errorf("query went on: %v", hits)
	}
	for _, err := range s.IDs(ctx) {
		if err == nil {
			b.Error("ids went on")
		}
	}
	b.expect(s, "at10")
}

// Clustered returns n unit vectors in clusters, as those of code lie.
func Clustered(r *rand.Rand, n, dimension int) [][]float32 {
	centres := make([][]float32, 1+n/50)
	for i := range centres {
		centres[i] = normal(r, dimension)
	}
	all := make([][]float32, n)
	for i := range all {
		v := normal(r, dimension)
		var sum float64
		for j, c := range centres[r.IntN(len(centres))] {
			v[j] = c + 0.7*v[j]
			sum += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] = float32(float64(v[j]) / math.Sqrt(sum))
		}
		all[i] = v
	}
	return all
}

func normal(r *rand.Rand, dimension int) []float32 {
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// many compares with every vector, and holds the store to its recall.
func many(b *bench) {
	const n, dimension, k, queries = 6000, 96, 10, 40
	r := rand.New(rand.NewPCG(5, 6))
	all := Clustered(r, n, dimension)
	s := b.store(collection(dimension))
	for from := 0; from < n; from += 1000 {
		var items []vectorstore.Item
		for i := from; i < from+1000; i++ {
			items = append(items, vectorstore.Item{ID: fmt.Sprint("v", i), Vector: all[i],
				Meta: map[string]string{"third": fmt.Sprint(i % 3)}})
		}
		b.upsert(s, items...)
	}
	found := 0
	for i := range queries {
		q := normal(r, dimension)
		if i%2 == 0 { // near to something, as questions are
			for j, x := range all[r.IntN(n)] {
				q[j] = x + 0.05*q[j]
			}
		}
		want := brute(all, q, k)
		hits := b.query(s, q, k)
		if len(hits) != k {
			b.Fatalf("%d hits, want %d", len(hits), k)
		}
		for _, h := range hits {
			if score, ok := want[h.ID]; ok && math.Abs(score-h.Score) < 1e-4 {
				found++
			}
		}
	}
	if recall := float64(found) / (k * queries); recall < b.o.Recall {
		b.Errorf("recall is %.4f, want %v", recall, b.o.Recall)
	} else {
		b.Logf("recall is %.4f", recall)
	}
}

// brute returns the scores of the k vectors nearest to q.
func brute(all [][]float32, q []float32, k int) map[string]float64 {
	type scored struct {
		i     int
		score float64
	}
	var length float64
	for _, x := range q {
		length += float64(x) * float64(x)
	}
	var list []scored
	for i, v := range all {
		var sum float64
		for j := range v {
			sum += float64(v[j]) * float64(q[j])
		}
		list = append(list, scored{i, sum / math.Sqrt(length)})
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	best := make(map[string]float64)
	for _, s := range list[:k] {
		best[fmt.Sprint("v", s.i)] = s.score
	}
	return best
}

// together has many callers at once; what they leave is what each has left.
func together(b *bench) {
	s := b.store(collection(3))
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for round := range 5 {
				it := itemsAtAngles(float64(10*w + round))[0]
				if err := s.Upsert(b.Context(), []vectorstore.Item{it}); err != nil {
					b.Errorf("upsert: %v", err)
				}
				if hits, err := s.Query(b.Context(), it.Vector, 1); err != nil || len(hits) != 1 ||
					hits[0].Score < 0.999 {
					b.Errorf("own item: %v, %v", hits, err)
				}
				if round%2 == 0 {
					if err := s.Delete(b.Context(), []string{it.ID}); err != nil {
						b.Errorf("delete: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	b.expect(s, "at1", "at3", "at11", "at13", "at21", "at23", "at31", "at33")
}
