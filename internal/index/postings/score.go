package postings

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"codeintel/internal/index/segment"
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
	Weights []float64 // what each of them counts; nil: 1
	Related []Related // terms that may stand for them
	Top     int       // how many candidates each signal may propose
	Files   int       // how many files may propose their best chunk
	Include []Place   // candidates in any case
	Scoring *Scoring
}

// MaxTermsMarked is how many terms of a query each candidate says whether it has them.
const MaxTermsMarked = 32

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
	Has, Names    uint32          // the first [MaxTermsMarked] terms of the query that are in its text, and in the field Symbol: a bit each
}

// chunkScore and fileScore are sums under way.
type chunkScore struct {
	bm25f, symbol, scope, doc, related, relatedSymbol float32
	has, names                                        uint32 // terms of the query in its text, and in Symbol: a bit each
}

type fileScore struct{ path, file float32 }

// scratch is the memory of one search.
type scratch struct {
	parts []partScratch
	norms norms
}

// partScratch is what one part adds to a scratch. Slots of chunks outside touched and
// files outside seen are zero.
type partScratch struct {
	touched []int32      // chunks, by number in the part
	scores  []chunkScore // of touched
	slots   []int32      // by number of a chunk: its place in scores, plus one
	files   []fileScore  // by number in the part
	seen    []int32      // files, as the terms of the query met them first
	met     []int        // for each term of the query, how many of seen it and those before it met
}

// of returns the score of a chunk.
func (p *partScratch) of(chunk int) chunkScore {
	if slot := p.slots[chunk]; slot > 0 {
		return p.scores[slot-1]
	}
	return chunkScore{}
}

// scoredTerm is a term that is scored.
type scoredTerm struct {
	weights
	terms   []int   // its number in each part, -1 for none
	related float32 // weight of a related term, 0 for one of the query
	bit     uint32  // that stands for it in a chunkScore
}

// Search scores every living chunk that has a term of q and returns those that
// lead in any signal, by path and place. Its error is ErrCorrupt where a
// mapped segment could not be read.
func (v *View) Search(q Query) ([]Candidate, error) { return v.search(q, fewPostings) }

// fewPostings is how many are scored sooner than another goroutine is ready to
// help.
const fewPostings = 4096

// search is Search, with the help of other goroutines for more than few postings.
func (v *View) search(q Query, few int) ([]Candidate, error) {
	s := v.memory.Swap(nil)
	if s == nil {
		s = new(scratch)
	}
	defer func() {
		s.clear()
		v.memory.Store(s)
	}()
	s.fit(v)
	a := newAverages(v)
	s.norms.set(q.Scoring, &a)
	var list []scoredTerm
	postings := 0
	for i, text := range q.Terms {
		t, n := v.weigh(text)
		if q.Weights != nil {
			t.scale(q.Weights[i])
		}
		t.bit = 1 << i
		list, postings = append(list, t), postings+n
	}
	for _, r := range q.Related {
		t, n := v.weigh(r.Term)
		if r.Weight*t.chunk >= minRelated*idf(0, v.totals.chunks) {
			t.related = float32(r.Weight)
			list, postings = append(list, t), postings+n
		}
	}
	workers := 1
	if postings > few {
		workers = max(1, min(runtime.GOMAXPROCS(0), len(v.parts)))
	}
	best, err := v.score(&q, s, a, list, workers)
	if err != nil {
		return nil, err
	}
	return v.collect(q, s, best), nil
}

// Most is what a chunk that is all about the terms of q would score for them: those that no
// chunk has weigh most.
func (v *View) Most(q Query) float64 {
	sum := 0.0
	for i, t := range q.Terms {
		a, _ := v.weigh(t)
		if q.Weights != nil {
			a.scale(q.Weights[i])
		}
		sum += a.chunk
	}
	return sum * (q.Scoring.K1 + 1)
}

// score adds list to the scores of all parts, which so many goroutines share, and
// returns the chunks that lead.
func (v *View) score(q *Query, s *scratch, a averages, list []scoredTerm, workers int) (all leadingChunks, err error) {
	best, errs := make([]leadingChunks, workers), make([]error, workers)
	var next atomic.Int32
	work := func(w int) {
		best[w].limit(q.Top)
		errs[w] = segment.Guard(func() error {
			for {
				part := int(next.Add(1)) - 1
				if part >= len(v.parts) {
					return nil
				}
				v.scorePart(part, q, s, a, list)
				best[w].consider(&s.parts[part], v.first[part])
			}
		})
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
	for w := 1; w < workers; w++ {
		best[0].join(&best[w])
	}
	return best[0], errors.Join(errs...)
}

func (v *View) scorePart(part int, q *Query, s *scratch, a averages, list []scoredTerm) {
	p := &v.parts[part]
	p.Segment.verifyScoringTables()
	t := scoringPass{p: p, s: &s.parts[part], sc: q.Scoring, avg: a, norms: &s.norms,
		lengths: p.Segment.parts[chunksSection]}
	for i := range list {
		if n := list[i].terms[part]; n >= 0 {
			t.w, t.related, t.bit = list[i].weights, list[i].related, list[i].bit
			t.run(n)
		}
		if list[i].related == 0 {
			t.s.met = append(t.s.met, len(t.s.seen))
		}
	}
}

func (s *scratch) fit(v *View) {
	for len(s.parts) < len(v.parts) {
		s.parts = append(s.parts, partScratch{})
	}
	for i, p := range v.parts {
		if n := p.Segment.Files(); len(s.parts[i].files) < n {
			s.parts[i].files = make([]fileScore, n)
		}
		if n := p.Segment.Chunks(); len(s.parts[i].slots) < n {
			s.parts[i].slots = make([]int32, n)
		}
	}
}

// maxPooledScores is how many scores of a part are kept in memory for the next search, some 2 MB.
const maxPooledScores = 1 << 16

func (s *scratch) clear() {
	for i := range s.parts {
		p := &s.parts[i]
		for _, c := range p.touched {
			p.slots[c] = 0
		}
		for _, f := range p.seen {
			p.files[f] = fileScore{}
		}
		p.touched, p.scores, p.seen, p.met = p.touched[:0], p.scores[:0], p.seen[:0], p.met[:0]
		if cap(p.scores) > maxPooledScores {
			p.touched, p.scores = nil, nil
		}
	}
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

// weigh returns a term with its weights, and in how many chunks it is. Dead files count until their segment is
// merged; that shifts all weights alike.
func (v *View) weigh(text string) (a scoredTerm, chunks int) {
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
	return scoredTerm{weights: w, terms: terms}, int(df.chunks)
}

// scale multiplies what the term counts.
func (w *weights) scale(by float64) {
	w.chunk, w.file, w.path = w.chunk*by, w.file*by, w.path*by
	for f := range w.fields {
		w.fields[f] *= float32(by)
	}
}

// idf is BM25's, which is never negative.
func idf(df, n uint32) float64 {
	d, all := float64(df), float64(max(n, df))
	return math.Log(1 + (all-d+.5)/(d+.5))
}

// minRelated is the share of a unique term's weight below which a related term
// is passed over: it would say little about many chunks.
const minRelated = 0.01

// relatedShare is what a related term counts beside one of the query where
// candidates are chosen.
const relatedShare = 0.7

// Rarity returns how rare a term is among the chunks and the paths of files, from 0, all
// have it, to 1: none has.
func (v *View) Rarity(text string) float64 {
	chunks, paths := uint32(0), uint32(0)
	for i := range v.parts {
		if n, ok := v.parts[i].Segment.term(text); ok {
			d := v.parts[i].Segment.frequencies(n)
			chunks, paths = chunks+d.chunks, paths+d.paths
		}
	}
	all := max(v.totals.chunks, fewChunks)
	return idf(max(chunks, paths), all) / idf(0, all)
}

// fewChunks are too few to tell common words from rare ones: what a small repository has in
// most of its chunks is not a common word for that.
const fewChunks = 1000
