package postings

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// A Bag weighs one field within BM25F: B is how much its length counts, from 0
// to 1, Weight how much its terms count beside those of the body.
type Bag struct{ B, Weight float64 }

// Scoring holds the constants of ranking.
type Scoring struct {
	K1     float64
	Fields [Fields]Bag // of a chunk
	Path   Bag         // of the file's path, which every chunk of it shares
	File   struct {    // of the file as one document
		Body, Symbol, Path Bag
		MaxSymbol          int // a symbol term of a file counts at most so often
	}
	Alone [Fields]float64 // B of each field where it is scored on its own
}

// A Query asks for chunks.
type Query struct {
	Terms   []string  // each once
	Related []Related // terms that may stand for them
	Top     int       // how many candidates each signal may propose
	Files   int       // how many files may propose their best chunk
	Include []Place   // candidates in any case
	Scoring *Scoring
}

// A Related is a term that a query does not have and may mean, and how likely,
// from 0 to 1.
type Related struct {
	Term   string
	Weight float64
}

// A Place is a chunk of a file, numbered from 0 within it.
type Place struct {
	Ref
	Chunk int
}

// A Candidate is a chunk and what speaks for it. Every score is a BM25 of its
// own and comparable within one answer only.
type Candidate struct {
	Place
	BM25F         float64         // all fields together
	Alone         [Fields]float64 // the fields Symbol, Scope and Doc on their own
	Related       float64         // all fields together, of the related terms
	RelatedSymbol float64         // the field Symbol, of the related terms
	Path          float64         // the file's path on its own
	Whole         float64         // the whole file as one document
	Global        int             // number of the chunk in the View: candidates of a file are neighbours
}

// chunkScore and fileScore are sums under way.
type chunkScore struct{ bm25f, symbol, scope, doc, related, relatedSymbol float32 }

type fileScore struct{ path, file float32 }

// scratch is the memory of one search. Chunks and files outside touched and
// seen are zero.
type scratch struct {
	chunks  []chunkScore
	touched []int32
	files   [][]fileScore // by part
	seen    []Ref
}

// Search scores every living chunk that has a term of q and returns those that
// lead in any signal, in the order of the View.
func (v *View) Search(q Query) []Candidate {
	s, ok := v.memory.Get().(*scratch)
	if !ok {
		s = new(scratch)
	}
	defer func() {
		s.clear()
		v.memory.Put(s)
	}()
	s.fit(v)
	a := newAverages(v)
	for _, text := range q.Terms {
		w, terms := v.weigh(text)
		for part, term := range terms {
			if term >= 0 {
				(&pass{v: v, s: s, sc: q.Scoring, avg: a, w: w, part: part, p: &v.parts[part]}).run(term)
			}
		}
	}
	for _, r := range q.Related {
		w, terms := v.weigh(r.Term)
		if r.Weight*w.chunk < leastRelated*idf(0, v.totals.chunks) {
			continue
		}
		for part, term := range terms {
			if term >= 0 {
				(&pass{v: v, s: s, sc: q.Scoring, avg: a, w: w, part: part, p: &v.parts[part], related: float32(r.Weight)}).run(term)
			}
		}
	}
	return v.collect(q, s)
}

func (s *scratch) fit(v *View) {
	if n := v.first[len(v.parts)]; len(s.chunks) < n {
		s.chunks = make([]chunkScore, n)
	}
	for len(s.files) < len(v.parts) {
		s.files = append(s.files, nil)
	}
	for i, p := range v.parts {
		if n := p.Segment.Files(); len(s.files[i]) < n {
			s.files[i] = make([]fileScore, n)
		}
	}
}

func (s *scratch) clear() {
	for _, i := range s.touched {
		s.chunks[i] = chunkScore{}
	}
	for _, r := range s.seen {
		s.files[r.Part][r.File] = fileScore{}
	}
	s.touched, s.seen = s.touched[:0], s.seen[:0]
}

// averages are the mean lengths of fields, never zero.
type averages struct {
	chunk        [Fields]float32
	path         float64
	body, symbol float64 // of files
}

func newAverages(v *View) averages {
	mean := func(sum float64, n uint32) float64 {
		if sum <= 0 || n == 0 {
			return 1
		}
		return sum / float64(n)
	}
	t := &v.totals
	a := averages{
		path:   mean(t.path, t.files),
		body:   mean(float64(t.lengths[Body]), t.files),
		symbol: mean(float64(t.lengths[Symbol]), t.files),
	}
	for f := range t.lengths {
		a.chunk[f] = float32(mean(float64(t.lengths[f]), t.chunks))
	}
	return a
}

// weights are the inverse document frequencies of one term.
type weights struct {
	chunk, file, path float64
	fields            [Fields]float32
}

// weigh returns the weights of a term and its number in each part, -1 for none.
// Dead files count until their segment is merged; that shifts all weights alike.
func (v *View) weigh(text string) (weights, []int) {
	terms := make([]int, len(v.parts))
	var df frequencies
	for i := range v.parts {
		n, ok := v.parts[i].Segment.term(text)
		terms[i] = -1
		if !ok {
			continue
		}
		terms[i] = n
		d := v.parts[i].Segment.frequencies(n)
		df.chunks += d.chunks
		df.files += d.files
		df.paths += d.paths
		for f := range d.fields {
			df.fields[f] += d.fields[f]
		}
	}
	w := weights{
		chunk: idf(df.chunks, v.totals.chunks),
		file:  idf(df.files, v.totals.files),
		path:  idf(df.paths, v.totals.files),
	}
	for f, n := range df.fields {
		w.fields[f] = float32(idf(n, v.totals.chunks))
	}
	return w, terms
}

// idf is BM25's, which is never negative.
func idf(df, n uint32) float64 {
	d, all := float64(df), float64(max(n, df))
	return math.Log(1 + (all-d+.5)/(d+.5))
}

// A pass adds one term of one part to the scores.
type pass struct {
	v    *View
	s    *scratch
	sc   *Scoring
	avg  averages
	w    weights
	part int
	p    *Part

	related float32 // weight of a related term, 0 for one of the query
}

// run walks the files that have the term in their chunks or their path.
func (t *pass) run(term int) {
	chunks, paths := t.p.Segment.termLists(term)
	body, path := cursor{b: chunks}, cursor{b: paths}
	const none = math.MaxInt
	bodyFile, pathFile := -1, -1
	var list []byte
	var weight byte
	nextBody := func() {
		if !body.more() {
			bodyFile = none
			return
		}
		bodyFile += int(body.uvarint()) + 1
		list = body.bytes()
		if body.bad {
			bodyFile = none
		}
	}
	nextPath := func() {
		if !path.more() {
			pathFile = none
			return
		}
		pathFile += int(path.uvarint()) + 1
		weight = path.byte()
		if path.bad {
			pathFile = none
		}
	}
	nextBody()
	nextPath()
	for {
		file := min(bodyFile, pathFile)
		if file >= t.p.Segment.files {
			return
		}
		var l []byte
		var w byte
		if bodyFile == file {
			l = list
			nextBody()
		}
		if pathFile == file {
			w = weight
			nextPath()
		}
		if !t.p.dead(file) {
			t.file(file, l, w)
		}
	}
}

// file adds the term to the chunks of one file and to the file.
func (t *pass) file(file int, list []byte, pathWeight byte) {
	seg := t.p.Segment
	first, end := seg.firstChunk(file), seg.firstChunk(file+1)
	base := t.v.first[t.part]
	bodyLength, symbolLength, pathLen := seg.fileLengths(file)
	tf := pathLength(pathWeight)
	inPath := float32(tf / norm(t.sc.Path.B, pathLen, t.avg.path) * t.sc.Path.Weight)

	var sum [Fields]uint32 // over the chunks of the file
	next := first          // first chunk not yet scored
	for c := (cursor{b: list}); c.more(); {
		var counts [Fields]uint32
		skip := c.posting(&counts)
		if c.bad || skip > end || next+skip >= end {
			break
		}
		chunk := next + skip
		if inPath > 0 {
			for ; next < chunk; next++ {
				t.add(base+int(next), t.saturate(inPath), nil, nil)
			}
		}
		t.chunk(base, chunk, &counts, inPath)
		for f := range counts {
			sum[f] += counts[f]
		}
		next = chunk + 1
	}
	if inPath > 0 {
		for ; next < end; next++ {
			t.add(base+int(next), t.saturate(inPath), nil, nil)
		}
	}

	d := &t.sc.File
	whole := float64(sum[Body])/norm(d.Body.B, bodyLength, t.avg.body)*d.Body.Weight +
		float64(min(sum[Symbol], uint32(d.MaxSymbol)))/norm(d.Symbol.B, symbolLength, t.avg.symbol)*d.Symbol.Weight +
		tf/norm(d.Path.B, pathLen, t.avg.path)*d.Path.Weight
	if t.related > 0 {
		return
	}
	f := &t.s.files[t.part][file]
	if f.file == 0 && f.path == 0 {
		t.s.seen = append(t.s.seen, Ref{t.part, file})
	}
	f.file += float32(t.w.file * whole * (t.sc.K1 + 1) / (whole + t.sc.K1))
	if tf > 0 {
		f.path += float32(t.w.path * tf * (t.sc.K1 + 1) / (tf + t.sc.K1*norm(t.sc.Path.B, pathLen, t.avg.path)))
	}
}

// chunk adds the term to one chunk that has it in its text.
func (t *pass) chunk(base int, chunk uint32, counts *[Fields]uint32, inPath float32) {
	lengths := t.p.Segment.chunkLengths(chunk)
	tf := inPath
	for f := range counts {
		if counts[f] > 0 {
			b := t.sc.Fields[f]
			tf += float32(counts[f]) / norm32(float32(b.B), lengths[f], t.avg.chunk[f]) * float32(b.Weight)
		}
	}
	t.add(base+int(chunk), t.saturate(tf), counts, &lengths)
}

func (t *pass) saturate(tf float32) float32 {
	k := float32(t.sc.K1)
	return float32(t.w.chunk) * tf * (k + 1) / (tf + k)
}

func (t *pass) add(global int, score float32, counts *[Fields]uint32, lengths *[Fields]float32) {
	a := &t.s.chunks[global]
	if a.bm25f == 0 && a.related == 0 {
		t.s.touched = append(t.s.touched, int32(global))
	}
	if t.related > 0 {
		a.related += t.related * score
		if counts != nil && counts[Symbol] > 0 {
			a.relatedSymbol += t.related * t.alone(Symbol, counts, lengths)
		}
		return
	}
	a.bm25f += score
	if counts == nil {
		return
	}
	a.symbol += t.alone(Symbol, counts, lengths)
	a.scope += t.alone(Scope, counts, lengths)
	a.doc += t.alone(Doc, counts, lengths)
}

// alone is the BM25 of one field.
func (t *pass) alone(f Field, counts *[Fields]uint32, lengths *[Fields]float32) float32 {
	if counts[f] == 0 {
		return 0
	}
	k, tf := float32(t.sc.K1), float32(counts[f])
	return t.w.fields[f] * tf * (k + 1) / (tf + k*norm32(float32(t.sc.Alone[f]), lengths[f], t.avg.chunk[f]))
}

// norm is how much longer than usual a field is, as far as b wants to know.
func norm(b, length, average float64) float64 { return 1 - b + b*length/average }

func norm32(b, length, average float32) float32 { return 1 - b + b*length/average }

// leastRelated is the share of a unique term's weight below which a related term
// is passed over: it would say little about many chunks.
const leastRelated = 0.01

// relatedShare is what a related term counts beside one of the query where
// candidates are chosen.
const relatedShare = 0.7

// collect chooses the candidates and fills them in.
func (v *View) collect(q Query, s *scratch) []Candidate {
	chosen := make(map[int]Place)
	var best [proposals]leaders
	for i := range best {
		best[i].most = q.Top
	}
	for _, g := range s.touched {
		c := &s.chunks[g]
		for i, score := range [proposals]float32{c.bm25f, c.symbol, c.doc, c.bm25f + relatedShare*c.related, c.relatedSymbol} {
			best[i].offer(score, g)
		}
	}
	for i := range best {
		for _, l := range best[i].heap {
			chosen[int(l.at)] = v.place(int(l.at))
		}
	}
	for _, which := range []struct {
		n     int
		score func(f *fileScore) float32
	}{
		{q.Top, func(f *fileScore) float32 { return f.path }},
		{q.Files, func(f *fileScore) float32 { return f.file }},
	} {
		first := leaders{most: which.n}
		for i, r := range s.seen {
			first.offer(which.score(&s.files[r.Part][r.File]), int32(i))
		}
		for _, l := range first.heap {
			if g, ok := v.best(s, s.seen[l.at]); ok {
				chosen[g] = v.place(g)
			}
		}
	}
	for _, p := range q.Include {
		if g, ok := v.global(p); ok {
			chosen[g] = p
		}
	}
	out := make([]Candidate, 0, len(chosen))
	for g, place := range chosen {
		c, f := s.chunks[g], s.files[place.Part][place.File]
		x := Candidate{Place: place, Global: g, BM25F: float64(c.bm25f), Related: float64(c.related), RelatedSymbol: float64(c.relatedSymbol), Path: float64(f.path), Whole: float64(f.file)}
		x.Alone[Symbol], x.Alone[Scope], x.Alone[Doc] = float64(c.symbol), float64(c.scope), float64(c.doc)
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b Candidate) int { return cmp.Compare(a.Global, b.Global) })
	return out
}

// best returns the best chunk of a file, its first if none has a score.
func (v *View) best(s *scratch, r Ref) (global int, ok bool) {
	seg, base := v.parts[r.Part].Segment, v.first[r.Part]
	first, end := int(seg.firstChunk(r.File))+base, int(seg.firstChunk(r.File+1))+base
	global = first
	for g := first; g < end; g++ {
		if s.chunks[g].bm25f > s.chunks[global].bm25f {
			global = g
		}
	}
	return global, first < end
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

// leaders are the most elements with the highest scores above zero, of equal ones
// the earlier. The worst is on top of the heap.
type leaders struct {
	most int
	heap []leader
}

type leader struct {
	score float32
	at    int32
}

func (l leader) worse(than leader) bool {
	return l.score < than.score || l.score == than.score && l.at > than.at
}

func (l *leaders) offer(score float32, at int32) {
	e := leader{score, at}
	switch {
	case score <= 0 || l.most <= 0:
	case len(l.heap) < l.most:
		l.heap = append(l.heap, e)
		for i := len(l.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if !l.heap[i].worse(l.heap[parent]) {
				break
			}
			l.heap[i], l.heap[parent] = l.heap[parent], l.heap[i]
			i = parent
		}
	case l.heap[0].worse(e):
		l.heap[0] = e
		l.sink()
	}
}

// sink brings the element on top to its place.
func (l *leaders) sink() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(l.heap) {
			return
		}
		if child+1 < len(l.heap) && l.heap[child+1].worse(l.heap[child]) {
			child++
		}
		if !l.heap[child].worse(l.heap[i]) {
			return
		}
		l.heap[i], l.heap[child] = l.heap[child], l.heap[i]
		i = child
	}
}
