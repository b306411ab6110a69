package vectorstore_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/embedding/vectorstore/vectorstoretest"
)

var small = vectorstore.Collection{Name: "forest", Model: "m", Dimension: 24}

// sample returns n items of collection small.
func sample(n int) []vectorstore.Item {
	items := make([]vectorstore.Item, n)
	for i, v := range vectorstoretest.Clustered(rand.New(rand.NewPCG(7, uint64(n))), n, small.Dimension) {
		items[i] = vectorstore.Item{ID: fmt.Sprintf("item%03d", i), Vector: v, Meta: map[string]string{"path": fmt.Sprint("dir/", i%7)}}
	}
	return items
}

// refill puts in what a store does not list, as its owner would, and returns how
// much that was.
func refill(t *testing.T, s vectorstore.Store, items []vectorstore.Item) int {
	t.Helper()
	has := make(map[string]bool)
	for id, err := range s.IDs(t.Context()) {
		if err != nil {
			t.Fatalf("ids: %v", err)
		}
		has[id] = true
	}
	missing := slices.DeleteFunc(slices.Clone(items), func(it vectorstore.Item) bool { return has[it.ID] })
	if err := s.Upsert(t.Context(), missing); err != nil {
		t.Fatalf("upsert: %v", err)
	}
	return len(missing)
}

// checked queries until the store is done finding damage, and fails if an answer
// is not what the items say.
func checked(t *testing.T, s vectorstore.Store, items []vectorstore.Item, k int) []vectorstore.Hit {
	t.Helper()
	byID := make(map[string]vectorstore.Item)
	for _, it := range items {
		byID[it.ID] = it
	}
	q := items[3].Vector
	for range 5 {
		hits, err := s.Query(t.Context(), q, k)
		if errors.Is(err, vectorstore.ErrCorrupt) {
			continue
		}
		if err != nil {
			t.Fatalf("query: %v", err)
		}
		for _, h := range hits {
			it, ok := byID[h.ID]
			if !ok || h.Meta["path"] != it.Meta["path"] || math.Abs(h.Score-dot(it.Vector, q)) > 1e-5 {
				t.Fatalf("an answer that is damaged: %+v, want %v of %v", h, dot(it.Vector, q), it.Meta)
			}
		}
		return hits
	}
	t.Fatal("damage is found again and again")
	return nil
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// fill makes a collection of three segments, with rows that are dead.
func fill(t *testing.T, dir string, items []vectorstore.Item) {
	t.Helper()
	e := open(t, dir, small)
	for _, part := range [][]vectorstore.Item{items[:40], items[40:70], items[65:], items[:5]} {
		if err := e.Upsert(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// filesOf returns the files of the one collection under dir.
func filesOf(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return found
}

func TestDamage(t *testing.T) {
	items := sample(90)
	whole := t.TempDir()
	fill(t, whole, items)
	for name, spoil := range map[string]func(data []byte, r *rand.Rand) []byte{
		"deleted": func([]byte, *rand.Rand) []byte { return nil },
		"emptied": func([]byte, *rand.Rand) []byte { return []byte{} },
		"cut":     func(data []byte, r *rand.Rand) []byte { return data[:r.IntN(len(data))] },
		"longer":  func(data []byte, r *rand.Rand) []byte { return append(data, data[:100]...) },
		"flipped": func(data []byte, r *rand.Rand) []byte {
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
			return data
		},
		"zeroed": func(data []byte, r *rand.Rand) []byte {
			at := r.IntN(len(data))
			clear(data[at:min(at+200, len(data))])
			return data
		},
		"foreign": func(data []byte, r *rand.Rand) []byte {
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			return data
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			for round := range 25 {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				targets := append(filesOf(t, dir, "*.vec"), filesOf(t, dir, "manifest")...)
				target := targets[round%len(targets)]
				data, err := os.ReadFile(target)
				if err != nil {
					t.Fatal(err)
				}
				if data = spoil(data, r); data == nil {
					err = os.Remove(target)
				} else {
					err = os.WriteFile(target, data, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
				e := open(t, dir, small)
				checked(t, e, items, len(items))
				refill(t, e, items)
				if hits := checked(t, e, items, len(items)); len(hits) != len(items) {
					t.Fatalf("round %d, %s: %d items after healing, want %d", round, filepath.Base(target), len(hits), len(items))
				}
				e.Close()
				again := open(t, dir, small)
				if n := refill(t, again, items); n != 0 {
					t.Fatalf("round %d, %s: %d items were lost again", round, filepath.Base(target), n)
				}
			}
		})
	}
}

func TestDamageWhileOpen(t *testing.T) {
	items := sample(300)
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"segments cut": func(t *testing.T, dir string) {
			for _, path := range filesOf(t, dir, "*.vec") {
				if err := os.Truncate(path, 64); err != nil {
					t.Fatal(err)
				}
			}
		},
		"vectors flipped": func(t *testing.T, dir string) {
			for _, path := range filesOf(t, dir, "*.vec") {
				f, err := os.OpenFile(path, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				info, _ := f.Stat()
				for at := info.Size() - 2000; at < info.Size(); at += 90 {
					if _, err := f.WriteAt([]byte{0x5a}, at); err != nil {
						t.Fatal(err)
					}
				}
				f.Close()
			}
		},
		"manifest gone": func(t *testing.T, dir string) {
			if err := os.Remove(filesOf(t, dir, "manifest")[0]); err != nil {
				t.Fatal(err)
			}
		},
		"segments gone": func(t *testing.T, dir string) { // what is mapped stays
			for _, path := range filesOf(t, dir, "*.vec") {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		},
		"manifest of nonsense": func(t *testing.T, dir string) {
			if err := os.WriteFile(filesOf(t, dir, "manifest")[0], []byte("{}"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e := open(t, dir, small)
			for i := 0; i < len(items); i += 150 {
				if err := e.Upsert(t.Context(), items[i:i+150]); err != nil {
					t.Fatal(err)
				}
			}
			checked(t, e, items, 5)
			spoil(t, dir)
			for range 10 { // vectors that no query touches are found damaged later
				checked(t, e, items, len(items))
				refill(t, e, items)
				if hits := checked(t, e, items, len(items)); len(hits) == len(items) {
					return
				}
			}
			t.Error("the collection does not heal")
		})
	}
}

// TestErrCorrupt checks that a vector found damaged is told of, once.
func TestErrCorrupt(t *testing.T) {
	dir, items := t.TempDir(), sample(50)
	e := open(t, dir, small)
	if err := e.Upsert(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	path := filesOf(t, dir, "*.vec")[0]
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{1, 2, 3}, info.Size()-20); err != nil {
		t.Fatal(err)
	}
	last := items[len(items)-1]
	if _, err := e.Query(t.Context(), last.Vector, 1); !errors.Is(err, vectorstore.ErrCorrupt) {
		t.Fatalf("a damaged vector: %v", err)
	}
	if hits, err := e.Query(t.Context(), last.Vector, 1); err != nil || len(hits) == 1 && hits[0].ID == last.ID {
		t.Errorf("told twice: %v, %v", hits, err)
	}
	if n := refill(t, e, items); n != len(items) {
		t.Errorf("%d items to put in again, want %d", n, len(items))
	}
}
