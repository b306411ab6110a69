// Package latent is a space of meaning that a repository makes of itself: latent
// semantic analysis (Deerwester et al. 1990). Words that stand beside the same
// words lie near each other in it, so a question finds code that uses other words
// for the same thing. It is the embedding kind "builtin".
//
// [Fit] takes the leading right singular vectors of the matrix of chunks and
// terms, tf-idf weighted with rows of length one, by randomised subspace
// iteration (Halko, Martinsson, Tropp 2011) over a sample of the chunks, so that
// its cost is bounded. [Space.Fold] gives every chunk its place, [Space.Query] a
// question. The same input gives the same space. A [Space] with the places of
// chunks goes into one file, is mapped from there, and says when it is damaged.
package latent

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// A Segment gives the terms of chunks, see package postings. Terms come in order.
type Segment interface {
	Label() string
	Chunks() int
	Each(yield func(term string, chunks []int32, counts []float32) bool)
}

// Sizes of a space.
const (
	Dim        = 64 // facts of the study behind ranking: 64 to 256 are alike
	extra      = 8  // directions more that make the iteration converge
	width      = Dim + extra
	rounds     = 2       // of iteration
	sample     = 1 << 13 // chunks that it is fitted to
	mostTerms  = 1 << 15
	leastTerms = 2  // chunks of the sample that a term stands in
	fewest     = 40 // chunks; fewer make no space
)

// A column is a term and its weights in the sample.
type column struct {
	term    string
	all     int // chunks of all that have it
	rows    []int32
	weights []float32
	idf     float32
}

// Fit makes a space of segments; nil if they hold too little.
func Fit(segments []Segment) *Space {
	total := 0
	for _, s := range segments {
		total += s.Chunks()
	}
	if total < fewest {
		return nil
	}
	stride := (total + sample - 1) / sample
	columns := gather(segments, stride)
	rows := (total + stride - 1) / stride
	columns = weigh(columns, rows, total)
	if len(columns) <= width || rows <= width {
		return nil
	}
	f := fitting{columns: columns, rows: rows, at: make([]float32, rows*width), z: make([]float32, len(columns)*width)}
	return encode(columns, f.run(), total)
}

// gather reads the terms of every stride-th chunk.
func gather(segments []Segment, stride int) []column {
	byTerm := make(map[string]*column)
	base := 0
	for _, s := range segments {
		s.Each(func(term string, chunks []int32, counts []float32) bool {
			c := byTerm[term]
			if c == nil {
				c = &column{term: term}
				byTerm[term] = c
			}
			c.all += len(chunks)
			for i, n := range chunks {
				if g := base + int(n); g%stride == 0 {
					c.rows = append(c.rows, int32(g/stride))
					c.weights = append(c.weights, float32(math.Log1p(float64(counts[i]))))
				}
			}
			return true
		})
		base += s.Chunks()
	}
	columns := make([]column, 0, len(byTerm))
	for _, c := range byTerm {
		if len(c.rows) >= leastTerms {
			columns = append(columns, *c)
		}
	}
	return columns
}

// weigh makes tf-idf of counts, rows of length one, and puts columns in order.
func weigh(columns []column, rows, total int) []column {
	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), cmp.Compare(a.term, b.term))
	})
	columns = slices.Clip(columns[:min(len(columns), mostTerms)])
	slices.SortFunc(columns, func(a, b column) int { return cmp.Compare(a.term, b.term) })
	squares := make([]float64, rows)
	for i := range columns {
		c := &columns[i]
		d, n := float64(c.all), float64(total)
		c.idf = float32(math.Log(1 + (n-d+.5)/(d+.5)))
		for j, r := range c.rows {
			c.weights[j] *= c.idf
			squares[r] += float64(c.weights[j]) * float64(c.weights[j])
		}
	}
	for i := range columns {
		for j, r := range columns[i].rows {
			columns[i].weights[j] /= float32(math.Sqrt(squares[r]))
		}
	}
	return columns
}

// A fitting is a subspace iteration under way: at has a row for each row of the
// matrix, z one for each column.
type fitting struct {
	columns []column
	rows    int
	at, z   []float32
}

// run returns the right singular vectors, Dim numbers for each column.
func (f *fitting) run() []float32 {
	random := rand.New(rand.NewPCG(1, 2)) // any numbers; the same ones each time
	for i := range f.z {
		f.z[i] = float32(random.NormFloat64())
	}
	f.toRows()
	for range rounds {
		orthonormalise(f.at, f.rows)
		f.toColumns()
		f.toRows()
	}
	orthonormalise(f.at, f.rows)
	f.toColumns()
	// z is V S U'; the eigenvectors of z'z are U, its eigenvalues the squares of S.
	u, squares := eigen(gram(f.z, len(f.columns)))
	v := make([]float32, len(f.columns)*Dim)
	each(len(f.columns), func(i int) {
		z := f.z[i*width:][:width]
		for d := range Dim {
			sum := 0.0
			for j, x := range z {
				sum += float64(x) * u[j][d]
			}
			if s := math.Sqrt(max(squares[d], 0)); s > 1e-6 {
				v[i*Dim+d] = float32(sum / s)
			}
		}
	})
	return v
}

// toColumns sets z to the transposed matrix times at.
func (f *fitting) toColumns() {
	each(len(f.columns), func(i int) {
		c, z := &f.columns[i], f.z[i*width:][:width]
		clear(z)
		for j, r := range c.rows {
			add(z, c.weights[j], f.at[int(r)*width:][:width])
		}
	})
}

// toRows sets at to the matrix times z.
func (f *fitting) toRows() {
	clear(f.at)
	for i := range f.columns {
		c, z := &f.columns[i], f.z[i*width:][:width]
		for j, r := range c.rows {
			add(f.at[int(r)*width:][:width], c.weights[j], z)
		}
	}
}

// add adds w times x to sum.
func add(sum []float32, w float32, x []float32) {
	x = x[:len(sum)]
	for i := range sum {
		sum[i] += w * x[i]
	}
}

// each calls do for 0 to n-1, on all cores.
func each(n int, do func(i int)) {
	const block = 256
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := 0
	for range min(runtime.GOMAXPROCS(0), n/block+1) {
		wg.Go(func() {
			for {
				mu.Lock()
				from := next
				next += block
				mu.Unlock()
				if from >= n {
					return
				}
				for i := from; i < min(from+block, n); i++ {
					do(i)
				}
			}
		})
	}
	wg.Wait()
}
