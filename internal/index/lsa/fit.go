// Package lsa is the embedding kind "builtin": latent semantic analysis (Deerwester et al.
// 1990) of a repository's own text. Words that occur beside the same words get similar
// vectors, so a question finds code that uses other words for the same thing.
//
// [Fit] computes the leading right singular vectors of the matrix of chunks and terms
// (tf-idf, rows of length one) by randomised subspace iteration (Halko, Martinsson, Tropp
// 2011) over a sample of the chunks, so its cost is bounded. [Space.Fold] places a chunk in
// the space, [Space.Query] a question. The same input gives the same space. A [Space] with
// the vectors of its chunks is written to one file, mapped from there, and detects damage.
package lsa

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// A Segment gives the terms of chunks, see package postings. Terms come in order,
// and chunks of files for which want is false may be left out. Release is called
// when all of it was read.
type Segment interface {
	Label() string
	Chunks() int
	Each(want func(first, end int) bool, yield func(term []byte, chunks []int32, counts []float32) bool)
	Release()
}

// Sizes of a space.
const (
	Dim      = 64 // facts of the study behind ranking: 64 to 256 are alike
	extra    = 8  // directions more that make the iteration converge
	width    = Dim + extra
	rounds   = 2       // of iteration
	sample   = 1 << 13 // chunks that it is fitted to
	maxTerms = 1 << 15
	minTerms = 2  // chunks of the sample that a term is in
	fewest   = 40 // chunks; fewer make no space
)

// A column is a term and its weights in the sample.
type column struct {
	term    string
	all     int     // chunks that have it, of all
	entries []entry // by row
	idf     float32
}

// An entry is the weight of a term in a row.
type entry struct {
	row    int32
	weight float32
}

// A File says which chunks of a segment are of one file: from First to End-1.
type File struct {
	Segment    int // its number
	First, End int
}

// Fit makes a space of files of segments; nil if they hold too little. It depends on the
// files and their order alone, not on how they are spread over segments.
func Fit(segments []Segment, files []File) *Space {
	total := 0
	for _, f := range files {
		total += f.End - f.First
	}
	if total < fewest {
		return nil
	}
	stride := (total + sample - 1) / sample
	numbers := number(segments, files, stride)
	columns := choose(gatherTerms(segments, numbers))
	if stride > 1 {
		count(columns, segments, numbers)
	}
	rows := (total + stride - 1) / stride
	weigh(columns, rows, total)
	if len(columns) <= width || rows <= width {
		return nil
	}
	f := iteration{columns: columns, rows: rows, at: make([]float32, rows*width), z: make([]float32, len(columns)*width)}
	return encode(columns, f.run(), total)
}

// What number says of a chunk that is in no row.
const (
	ofNoFile = -2
	passed   = -1
)

// number gives every stride-th chunk of the files a row, and returns the rows of the
// chunks of each segment.
func number(segments []Segment, files []File, stride int) [][]int32 {
	numbers := make([][]int32, len(segments))
	for i, s := range segments {
		numbers[i] = slices.Repeat([]int32{ofNoFile}, s.Chunks())
	}
	n := 0
	for _, f := range files {
		for c := f.First; c < f.End; c++ {
			numbers[f.Segment][c] = passed
			if n%stride == 0 {
				numbers[f.Segment][c] = int32(n / stride)
			}
			n++
		}
	}
	return numbers
}

// gatherTerms reads the terms of the chunks that have a row. What it holds is bounded by the
// sample, however many terms there are in all.
func gatherTerms(segments []Segment, numbers [][]int32) map[string]*column {
	byTerm := make(map[string]*column)
	for i, s := range segments {
		rows := numbers[i]
		sampled := func(first, end int) bool { return slices.Max(append(rows[first:end:end], ofNoFile)) >= 0 }
		s.Each(sampled, func(term []byte, chunks []int32, counts []float32) bool {
			var c *column
			for i, n := range chunks {
				if rows[n] < 0 {
					continue
				}
				if c == nil {
					if c = byTerm[string(term)]; c == nil {
						c = &column{term: string(term)}
						byTerm[c.term] = c
					}
				}
				c.entries = append(c.entries, entry{rows[n], float32(math.Log1p(float64(counts[i])))})
			}
			return true
		})
		s.Release()
	}
	for _, c := range byTerm { // sums depend on the order
		slices.SortFunc(c.entries, func(a, b entry) int { return cmp.Compare(a.row, b.row) })
	}
	return byTerm
}

// choose returns the terms that are in the most rows, in order.
func choose(byTerm map[string]*column) []column {
	columns := make([]column, 0, len(byTerm))
	for _, c := range byTerm {
		if len(c.entries) >= minTerms {
			c.all = len(c.entries)
			columns = append(columns, *c)
		}
	}
	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(cmp.Compare(len(b.entries), len(a.entries)), cmp.Compare(a.term, b.term))
	})
	columns = slices.Clone(columns[:min(len(columns), maxTerms)])
	slices.SortFunc(columns, func(a, b column) int { return cmp.Compare(a.term, b.term) })
	return columns
}

// count finds out how many of all chunks have each column's term, where the
// sample is not all of them.
func count(columns []column, segments []Segment, numbers [][]int32) {
	for i := range columns {
		columns[i].all = 0
	}
	for i, s := range segments {
		next := 0
		living := func(first, end int) bool { return first < end && numbers[i][first] != ofNoFile }
		s.Each(living, func(term []byte, chunks []int32, _ []float32) bool {
			for next < len(columns) && columns[next].term < string(term) {
				next++
			}
			if next < len(columns) && columns[next].term == string(term) {
				columns[next].all += len(chunks)
			}
			return next < len(columns)
		})
		s.Release()
	}
}

// weigh makes tf-idf of counts, and rows of length one.
func weigh(columns []column, rows, total int) {
	squares := make([]float64, rows)
	for i := range columns {
		c := &columns[i]
		d, n := float64(c.all), float64(total)
		c.idf = float32(math.Log(1 + (n-d+.5)/(d+.5)))
		for j := range c.entries {
			e := &c.entries[j]
			e.weight *= c.idf
			squares[e.row] += float64(e.weight) * float64(e.weight)
		}
	}
	for i := range columns {
		for j := range columns[i].entries {
			e := &columns[i].entries[j]
			e.weight /= float32(math.Sqrt(squares[e.row]))
		}
	}
}

// An iteration is a subspace iteration under way: at has a row for each row of the
// matrix, z one for each column.
type iteration struct {
	columns []column
	rows    int
	at, z   []float32
}

// run returns the right singular vectors, Dim numbers for each column.
func (f *iteration) run() []float32 {
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
func (f *iteration) toColumns() {
	each(len(f.columns), func(i int) {
		c, z := &f.columns[i], f.z[i*width:][:width]
		clear(z)
		for _, e := range c.entries {
			add(z, e.weight, f.at[int(e.row)*width:][:width])
		}
	})
}

// toRows sets at to the matrix times z.
func (f *iteration) toRows() {
	clear(f.at)
	for i := range f.columns {
		c, z := &f.columns[i], f.z[i*width:][:width]
		for _, e := range c.entries {
			add(f.at[int(e.row)*width:][:width], e.weight, z)
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
