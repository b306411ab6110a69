package vectorstore

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"codeintel/internal/embedding/simd"
	container "codeintel/internal/index/segment"
)

// Query returns the k items nearest to vector.
//
// It is exact. A scan over the codes gives each row a lowest and a highest score
// that its vector can have. Rows whose highest is below the k-th of the lowest
// are none of the k nearest; the rest is compared in full, in the order of their
// highest, until that is below the k-th nearest so far.
func (e *Embedded) Query(ctx context.Context, vector []float32, k int) (hits []Hit, err error) {
	unit, err := e.c.Unit(vector)
	if err != nil || k <= 0 || !slices.ContainsFunc(unit, func(x float32) bool { return x != 0 }) {
		return nil, err
	}
	err = e.read(func(v *view) error {
		q := newScan(v, unit, min(k, v.count()))
		if q.k == 0 {
			return nil
		}
		if err := q.run(ctx); err != nil {
			return err
		}
		best, err := q.compare(ctx)
		for _, b := range best {
			hits = append(hits, Hit{ID: string(b.id), Score: float64(b.score),
				Meta: v.parts[b.at.part].seg.meta(int(b.at.row))})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return hits, nil
}

// A scan is one query under way.
type scan struct {
	v      *view
	k      int
	unit   []float32
	query  code
	norm   float32
	blocks []block
	next   atomic.Int64  // the next block
	floor  atomic.Uint32 // bits of a score that the k-th nearest is known to reach, + 2
	first  *worker       // after run: has all candidates
}

// A block is rows that are scanned in one go.
type block struct{ part, from, to int }

const blockRows = 1024

// rounding covers what sums of floats lose: the scores here and there, by far.
const rounding = 1e-5

func newScan(v *view, unit []float32, k int) *scan {
	s := &scan{v: v, k: k, unit: unit}
	s.query = quantise(unit, make([]int8, stride(len(unit))))
	s.norm = s.query.norm()
	for i, p := range v.parts {
		for from := 0; from < p.seg.rows; from += blockRows {
			s.blocks = append(s.blocks, block{i, from, min(from+blockRows, p.seg.rows)})
		}
	}
	return s
}

// A candidate is a row that may be among the nearest; its score is at most upper.
type candidate struct {
	upper float32
	at    place
}

// A worker scans blocks with others.
type worker struct {
	*scan
	scores     []int32
	lowest     scoreHeap
	candidates []candidate
	pruneAt    int
}

// run scans all blocks on all cores and leaves the candidates in the first worker.
func (s *scan) run(ctx context.Context) error {
	n := min(runtime.GOMAXPROCS(0), (len(s.blocks)+3)/4)
	workers := make([]*worker, n)
	failed := make([]error, n)
	var wg sync.WaitGroup
	for i := range workers {
		workers[i] = &worker{scan: s, scores: make([]int32, blockRows), pruneAt: 2*s.k + 1024}
		if i > 0 {
			wg.Go(func() { failed[i] = container.Guard(func() error { return workers[i].run(ctx) }) })
		}
	}
	failed[0] = container.Guard(func() error { return workers[0].run(ctx) })
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	w := workers[0]
	for _, other := range workers[1:] {
		w.candidates = append(w.candidates, other.candidates...)
		for _, x := range other.lowest {
			w.setLowest(x)
		}
	}
	w.prune()
	s.first = w
	return nil
}

func (w *worker) run(ctx context.Context) error {
	for {
		n := int(w.next.Add(1)) - 1
		if n >= len(w.blocks) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		w.scanBlock(w.blocks[n])
	}
}

func (w *worker) scanBlock(b block) {
	p := w.v.parts[b.part]
	scores := w.scores[:b.to-b.from]
	simd.DotRows8(w.query.bytes, p.seg.codes(b.from, b.to), scores)
	floor := w.known()
	for i, dot := range scores {
		row := b.from + i
		scale, loss := p.seg.param(row)
		score := float32(dot) * scale * w.query.scale
		slack := w.query.err + loss*w.norm + rounding
		if score+slack < floor || p.isDead(row) {
			continue
		}
		w.candidates = append(w.candidates, candidate{score + slack, place{uint32(b.part), uint32(row)}})
		w.setLowest(score - slack)
		floor = max(floor, w.known())
	}
	if len(w.candidates) > w.pruneAt {
		w.prune()
		w.pruneAt = 2*len(w.candidates) + 1024
	}
}

// known is the score that the k-th nearest reaches, as far as is known. Every
// worker may raise it: k rows of a few blocks are k rows of all.
func (s *scan) known() float32 { return math.Float32frombits(s.floor.Load()) - 2 }

// setLowest notes the lowest score that a row can have.
func (w *worker) setLowest(score float32) {
	switch {
	case len(w.lowest) < w.k:
		heap.Push(&w.lowest, score)
	case score > w.lowest[0]:
		w.lowest[0] = score
		heap.Fix(&w.lowest, 0)
	default:
		return
	}
	if len(w.lowest) < w.k {
		return
	}
	// Positive floats are ordered as their bits are; 2 makes all positive.
	mine := math.Float32bits(max(w.lowest[0], -1) + 2 - rounding)
	for {
		old := w.floor.Load()
		if old >= mine || w.floor.CompareAndSwap(old, mine) {
			return
		}
	}
}

// prune forgets candidates that are none any more.
func (w *worker) prune() {
	floor := w.known()
	w.candidates = slices.DeleteFunc(w.candidates, func(c candidate) bool { return c.upper < floor })
}

// scoreHeap is a heap of the k greatest scores, the least of them on top.
type scoreHeap []float32

func (h scoreHeap) Len() int           { return len(h) }
func (h scoreHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h scoreHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *scoreHeap) Push(x any)        { *h = append(*h, x.(float32)) }
func (h *scoreHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// compare finds the k nearest among the candidates.
func (s *scan) compare(ctx context.Context) ([]scoredItem, error) {
	all := s.first.candidates
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(b.upper, a.upper) })
	var best hitHeap
	vector := make([]float32, len(s.unit))
	for i, c := range all {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(best) == s.k && c.upper < best[0].score {
			break
		}
		seg := s.v.parts[c.at.part].seg
		if err := seg.vector(int(c.at.row), vector); err != nil {
			return nil, err
		}
		f := scoredItem{cosine(s.unit, vector), seg.id(int(c.at.row)), c.at}
		if len(best) < s.k {
			heap.Push(&best, f)
		} else if compareByScore(f, best[0]) < 0 {
			best[0] = f
			heap.Fix(&best, 0)
		}
	}
	slices.SortFunc(best, compareByScore)
	return best, nil
}

// hitHeap is a heap of found items, the farthest on top.
type hitHeap []scoredItem

func (h hitHeap) Len() int           { return len(h) }
func (h hitHeap) Less(i, j int) bool { return compareByScore(h[i], h[j]) > 0 }
func (h hitHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *hitHeap) Push(x any)        { *h = append(*h, x.(scoredItem)) }
func (h *hitHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
