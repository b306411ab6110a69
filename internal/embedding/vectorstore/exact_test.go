package vectorstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/embedding/simd"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/embedding/vectorstore/vectorstoretest"
)

// TestExact asks where one byte a number cannot distinguish vectors: the answer
// must be what comparing all of them in full gives, bit for bit, ties by ID.
func TestExact(t *testing.T) {
	const n, dimension = 3000, 40
	c := vectorstore.Collection{Name: "forest", Model: "m", Dimension: dimension}
	r := rand.New(rand.NewPCG(11, 12))
	centre := vectorstoretest.Clustered(r, 1, dimension)[0]
	var items []vectorstore.Item
	for i := range n {
		v := slices.Clone(centre)
		switch i % 4 {
		case 0: // equal ones
		case 1:
			v[r.IntN(dimension)] += 1e-4 * float32(r.NormFloat64())
		case 2:
			for j := range v {
				v[j] += 1e-3 * float32(r.NormFloat64())
			}
		case 3: // one number outweighs all others
			v[i%dimension] += 30
		}
		unit, err := c.Unit(v)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, vectorstore.Item{ID: fmt.Sprintf("%04d", r.IntN(1e4)*10000+i), Vector: unit})
	}
	e := open(t, t.TempDir(), c)
	for i := 0; i < n; i += 500 {
		if err := e.Upsert(t.Context(), items[i:i+500]); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range []int{1, 10, 700, n} {
		for range 4 {
			q := slices.Clone(centre)
			for j := range q {
				q[j] += 2e-3 * float32(r.NormFloat64())
			}
			unit, err := c.Unit(q)
			if err != nil {
				t.Fatal(err)
			}
			hits, err := e.Query(t.Context(), unit, k)
			if err != nil {
				t.Fatal(err)
			}
			// What is stored is Unit of Unit; compare with what the store says it has.
			want := slices.Clone(items)
			scores := make(map[string]float64)
			for _, it := range want {
				kept, _ := c.Unit(it.Vector)
				query, _ := c.Unit(unit)
				scores[it.ID] = min(float64(simd.DotF32(query, kept)), 1)
			}
			slices.SortFunc(want, func(a, b vectorstore.Item) int {
				if scores[a.ID] != scores[b.ID] {
					return map[bool]int{true: -1, false: 1}[scores[a.ID] > scores[b.ID]]
				}
				return strings.Compare(a.ID, b.ID)
			})
			if len(hits) != k {
				t.Fatalf("%d hits, want %d", len(hits), k)
			}
			for i, h := range hits {
				if h.ID != want[i].ID || h.Score != scores[h.ID] {
					t.Fatalf("k %d, hit %d: %s %v, want %s %v", k, i, h.ID, h.Score, want[i].ID, scores[want[i].ID])
				}
			}
		}
	}
}

// TestModel puts in and takes out at random, and holds the store to a map.
func TestModel(t *testing.T) {
	items := sample(400)
	dir, r := t.TempDir(), rand.New(rand.NewPCG(2, 3))
	e := open(t, dir, small)
	has := make(map[string]vectorstore.Item)
	for step := range 300 {
		switch r.IntN(5) {
		case 0:
			var ids []string
			for range r.IntN(60) {
				ids = append(ids, items[r.IntN(len(items))].ID)
			}
			if err := e.Delete(t.Context(), ids); err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				delete(has, id)
			}
		default:
			var batch []vectorstore.Item
			for range r.IntN(40) {
				it := items[r.IntN(len(items))]
				it.Vector = items[r.IntN(len(items))].Vector
				batch = append(batch, it)
				has[it.ID] = it
			}
			if err := e.Upsert(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
		if step%20 == 0 {
			e.Close()
			e = open(t, dir, small)
		}
		if found := filesOf(t, dir, "*.vec"); len(found) > 12 {
			t.Fatalf("step %d: %d segments", step, len(found))
		}
		var lock []vectorstore.Item
		for _, it := range has {
			lock = append(lock, it)
		}
		if n, err := e.Count(t.Context()); err != nil || n != len(has) {
			t.Fatalf("step %d: count %d, %v, want %d", step, n, err, len(has))
		}
		if len(lock) > 4 && step%7 == 0 {
			if hits := checked(t, e, lock, len(lock)); len(hits) != len(lock) {
				t.Fatalf("step %d: %d hits, want %d", step, len(hits), len(lock))
			}
		}
	}
}

// TestMergeMemory merges more than it may allocate.
func TestMergeMemory(t *testing.T) {
	const rows, dimension = 3000, 512 // 6 MB of floats
	c := vectorstore.Collection{Name: "forest", Model: "m", Dimension: dimension}
	dir := t.TempDir()
	e := open(t, dir, c)
	all := vectorstoretest.Clustered(rand.New(rand.NewPCG(1, 1)), rows, dimension)
	put := func(from, to int) {
		t.Helper()
		var items []vectorstore.Item
		for i := from; i < to; i++ {
			items = append(items, vectorstore.Item{ID: fmt.Sprint("i", i), Vector: all[i]})
		}
		if err := e.Upsert(t.Context(), items); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		put(i*370, (i+1)*370)
	}
	if n := len(filesOf(t, dir, "*.vec")); n != 8 {
		t.Fatalf("%d segments before the merge", n)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	put(8*370, 8*370+1)
	runtime.ReadMemStats(&after)
	if n := len(filesOf(t, dir, "*.vec")); n > 2 {
		t.Fatalf("%d segments after the merge", n)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
		t.Errorf("the merge allocated %d bytes", took)
	}
}

func TestForget(t *testing.T) {
	dir := t.TempDir()
	of := func(model string) vectorstore.Collection {
		c := small
		c.Model = model
		return c
	}
	lock := open(t, dir, of("held"))
	if err := lock.Upsert(t.Context(), sample(3)); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		e := open(t, dir, of(fmt.Sprint("model", i)))
		if err := e.Upsert(t.Context(), sample(3)); err != nil {
			t.Fatal(err)
		}
		e.Close()
	}
	if found := filesOf(t, dir, "manifest"); len(found) != 4 { // held, the last, and two before it
		t.Errorf("%d collections are kept: %v", len(found), found)
	}
	if n, err := lock.Count(t.Context()); err != nil || n != 3 {
		t.Errorf("one that is open was removed: %d, %v", n, err)
	}
	if n, err := open(t, dir, of("model3")).Count(t.Context()); err != nil || n != 3 {
		t.Errorf("the model before was removed: %d, %v", n, err)
	}
	if n, err := open(t, dir, of("model0")).Count(t.Context()); err != nil || n != 0 {
		t.Errorf("the first model was kept: %d, %v", n, err)
	}
}

// TestFailedWrite checks that a write that fails changes nothing.
func TestFailedWrite(t *testing.T) {
	dir, items := t.TempDir(), sample(60)
	e := open(t, dir, small)
	if err := e.Upsert(t.Context(), items[:30]); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(filesOf(t, dir, "manifest")[0])
	before, err := os.ReadFile(filepath.Join(folder, "manifest"))
	if err != nil {
		t.Fatal(err)
	}
	// A folder in the place of the manifest cannot be replaced by a file.
	aside := filepath.Join(dir, "aside")
	if err := os.Rename(filepath.Join(folder, "manifest"), aside); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "manifest", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := e.Upsert(t.Context(), items[30:]); err == nil {
		t.Error("a write that cannot be published is no error")
	}
	if err := os.RemoveAll(filepath.Join(folder, "manifest")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, filepath.Join(folder, "manifest")); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(filepath.Join(folder, "manifest")); !bytes.Equal(before, after) {
		t.Error("the manifest changed")
	}
	if hits := checked(t, e, items, 100); len(hits) != 30 {
		t.Errorf("%d items, want 30", len(hits))
	}
	if n := refill(t, open(t, dir, small), items); n != 30 {
		t.Errorf("%d items were missing, want 30", n)
	}
	if n := len(filesOf(t, dir, "*.vec")); n != 2 {
		t.Errorf("%d segments: what failed was left behind", n)
	}
}

func TestClosed(t *testing.T) {
	e := open(t, t.TempDir(), small)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := e.Query(t.Context(), sample(1)[0].Vector, 1); err == nil {
		t.Error("a closed collection answers")
	}
	if err := e.Upsert(t.Context(), sample(1)); err == nil {
		t.Error("a closed collection is written to")
	}
}

// TestLocked checks that who waits for another writer can give up.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, small)
	other := hold(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- e.Upsert(ctx, sample(5)) }()
	if hits, err := e.Query(t.Context(), sample(1)[0].Vector, 1); err != nil || len(hits) != 0 {
		t.Errorf("a reader beside a writer: %v, %v", hits, err)
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	other()
	if err := e.Upsert(t.Context(), sample(5)); err != nil {
		t.Error(err)
	}
}
