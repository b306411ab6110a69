package vectorstore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/embedding/vectorstore/vectorstoretest"
)

// BenchmarkQuery asks 100,000 vectors of 384 numbers for the 10 nearest.
func BenchmarkQuery(b *testing.B) {
	const n, dimension = 100_000, 384
	c := vectorstore.Collection{Name: "forest", Model: "m", Dimension: dimension}
	dir := b.TempDir()
	e := open(b, dir, c)
	all := vectorstoretest.Clustered(rand.New(rand.NewPCG(1, 2)), n, dimension)
	for from := 0; from < n; from += 4096 {
		var items []vectorstore.Item
		for i := from; i < min(from+4096, n); i++ {
			items = append(items, vectorstore.Item{ID: fmt.Sprintf("%032x", i*2654435761), Vector: all[i],
				Meta: map[string]string{"path": fmt.Sprint("dir/file", i/20), "language": []string{"go", "php"}[i%2]}})
		}
		if err := e.Upsert(b.Context(), items); err != nil {
			b.Fatal(err)
		}
	}
	queries := vectorstoretest.Clustered(rand.New(rand.NewPCG(3, 4)), 16, dimension)
	for i := range queries { // near to something, as questions are
		for j := range queries[i] {
			queries[i][j] = all[i*1000][j] + 0.3*queries[i][j]
		}
	}
	for _, k := range []int{10, 100} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if hits, err := e.Query(b.Context(), queries[i%len(queries)], k); err != nil || len(hits) != k {
					b.Fatal(len(hits), err)
				}
			}
		})
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			e, err := vectorstore.Open(b.Context(), dir, c, quiet)
			if err != nil {
				b.Fatal(err)
			}
			e.Close()
		}
	})
}
