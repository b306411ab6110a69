package postings

import (
	"math"
	"slices"
	"sort"
	"strings"
)

// collect chooses the candidates and fills them in.
func (v *View) collect(q Query, s *scratch, best leadingChunks) []Candidate {
	var chosen []int
	for i := range best {
		for _, l := range best[i].heap {
			chosen = append(chosen, int(l.at))
		}
	}
	chosen = append(chosen, v.ofFiles(q, s)...)
	for _, p := range q.Include {
		if g, ok := v.global(p); ok {
			chosen = append(chosen, g)
		}
	}
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	out := make([]Candidate, len(chosen))
	for i, g := range chosen {
		place := v.place(g)
		p := &s.parts[place.Part]
		c, f := p.of(g-v.first[place.Part]), p.files[place.File]
		out[i] = Candidate{Place: place, BM25F: float64(c.bm25f), Related: float64(c.related),
			RelatedSymbol: float64(c.relatedSymbol), Path: float64(f.path), Whole: float64(f.file), Has: c.has, Names: c.names}
		out[i].Alone[Symbol], out[i].Alone[Scope], out[i].Alone[Doc] = float64(c.symbol), float64(c.scope), float64(c.doc)
	}
	return v.byPath(out)
}

// byPath puts candidates in the order of the View into that of their paths.
func (v *View) byPath(all []Candidate) []Candidate {
	type file struct {
		path  string
		first int
	}
	var files []file
	for i := range all {
		if i == 0 || all[i].Ref != all[i-1].Ref {
			files = append(files, file{v.parts[all[i].Part].Segment.Path(all[i].File), i})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	out := make([]Candidate, 0, len(all))
	for _, f := range files {
		for i := f.first; i < len(all) && all[i].Ref == all[f.first].Ref; i++ {
			out = append(out, all[i])
		}
	}
	return out
}

// ofFiles returns the best chunk of each file that leads by its path or as a
// whole. Of files alike those lead that an earlier term of the query met.
func (v *View) ofFiles(q Query, s *scratch) (chunks []int) {
	seen := 0
	for part := range v.parts {
		seen += len(s.parts[part].seen)
	}
	met := make([]Ref, 0, seen)
	paths, wholes := topHeap{max: q.Top}, topHeap{max: q.Files}
	for term := range q.Terms {
		for part := range v.parts {
			p := &s.parts[part]
			from := 0
			if term > 0 {
				from = p.met[term-1]
			}
			for _, file := range p.seen[from:p.met[term]] {
				f := &p.files[file]
				paths.push(f.path, int32(len(met)))
				wholes.push(f.file, int32(len(met)))
				met = append(met, Ref{part, int(file)})
			}
		}
	}
	for _, l := range append(paths.heap, wholes.heap...) {
		if g, ok := v.best(s, met[l.at]); ok {
			chunks = append(chunks, g)
		}
	}
	return chunks
}

// best returns the best chunk of a file, its first if none has a score.
func (v *View) best(s *scratch, r Ref) (global int, ok bool) {
	seg, p := v.parts[r.Part].Segment, &s.parts[r.Part]
	first, end := int(seg.firstChunk(r.File)), int(seg.firstChunk(r.File+1))
	best, most := first, float32(0)
	for c := first; c < end; c++ {
		if score := p.of(c).bm25f; score > most {
			best, most = c, score
		}
	}
	return v.first[r.Part] + best, first < end
}

// place finds the file of a chunk by its number in the View.
func (v *View) place(global int) Place {
	part := sort.Search(len(v.parts)-1, func(i int) bool { return v.first[i+1] > global })
	seg, chunk := v.parts[part].Segment, uint32(global-v.first[part])
	lo, hi := 0, seg.files // the last file that begins at or before chunk
	for lo < hi {
		if mid := (lo + hi) / 2; seg.firstChunk(mid+1) <= chunk {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return Place{Ref{part, lo}, int(chunk - seg.firstChunk(lo))}
}

// global is the reverse of place.
func (v *View) global(p Place) (int, bool) {
	if p.Part < 0 || p.Part >= len(v.parts) || p.File < 0 || p.File >= v.parts[p.Part].Segment.files || p.Chunk < 0 {
		return 0, false
	}
	seg := v.parts[p.Part].Segment
	chunk := int(seg.firstChunk(p.File)) + p.Chunk
	return v.first[p.Part] + chunk, chunk < int(seg.firstChunk(p.File+1))
}

// proposals is how many sums of a chunk propose candidates.
const proposals = 5

// leadingChunks are the chunks that lead by one of the sums.
type leadingChunks [proposals]topHeap

// limit says how many may lead by each sum.
func (p *leadingChunks) limit(most int) {
	for i := range p {
		p[i].max = most
	}
}

// consider checks the chunks of a part, which are numbered from first, against those that lead.
func (p *leadingChunks) consider(part *partScratch, first int) {
	var least [proposals]float32 // below which nothing leads
	for i := range p {
		least[i] = p[i].threshold()
	}
	for k := range part.scores {
		c := &part.scores[k]
		for i, score := range [proposals]float32{c.bm25f, c.symbol, c.doc, c.bm25f + relatedShare*c.related,
			c.relatedSymbol} {
			if score >= least[i] {
				p[i].push(score, int32(first)+part.touched[k])
				least[i] = p[i].threshold()
			}
		}
	}
}

// join offers p what leads in other.
func (p *leadingChunks) join(other *leadingChunks) {
	for i := range p {
		for _, l := range other[i].heap {
			p[i].push(l.score, l.at)
		}
	}
}

// topHeap are the most elements with the highest scores above zero, of equal ones
// the earlier. The worst is on top of the heap.
type topHeap struct {
	max  int
	heap []topEntry
}

type topEntry struct {
	score float32
	at    int32
}

func (l topEntry) worseThan(than topEntry) bool {
	return l.score < than.score || l.score == than.score && l.at > than.at
}

func (l *topHeap) push(score float32, at int32) {
	e := topEntry{score, at}
	switch {
	case score <= 0 || l.max <= 0:
	case len(l.heap) < l.max:
		l.heap = append(l.heap, e)
		for i := len(l.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if !l.heap[i].worseThan(l.heap[parent]) {
				break
			}
			l.heap[i], l.heap[parent] = l.heap[parent], l.heap[i]
			i = parent
		}
	case l.heap[0].worseThan(e):
		l.heap[0] = e
		l.sink()
	}
}

// sink brings the element on top to its place.
func (l *topHeap) sink() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(l.heap) {
			return
		}
		if child+1 < len(l.heap) && l.heap[child+1].worseThan(l.heap[child]) {
			child++
		}
		if !l.heap[child].worseThan(l.heap[i]) {
			return
		}
		l.heap[i], l.heap[child] = l.heap[child], l.heap[i]
		i = child
	}
}

// threshold returns a score below which no element would lead.
func (l *topHeap) threshold() float32 {
	if len(l.heap) < l.max || l.max <= 0 {
		return math.SmallestNonzeroFloat32
	}
	return l.heap[0].score
}
