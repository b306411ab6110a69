package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/files"
	"codeintel/internal/index/lsa"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/ranking"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
	"codeintel/internal/text/question"
	"codeintel/internal/text/synonyms"
	"codeintel/internal/text/terms"
)

// A Hit is a chunk that answers a query.
type Hit struct {
	Chunk   ChunkInfo
	Score   float64  // comparable within one answer only
	Reasons []string // what raised or lowered it: "definition", "path", "test file", …
	// Share is how much of what the question says is in the chunk, from 0 to 1: its
	// words by how rare they are, those that no chunk has included.
	Share float64
	Named bool // it declares what the question names, or is in a file that it names
}

// A RankQuery asks which chunks answer a question.
type RankQuery struct {
	Question *question.Question
	K        int  // how many hits at most
	Deep     bool // show more of each file instead of more files

	Related []RelatedTerm // what is known that the question means
	Near    []Near        // chunks that an embedding model takes to be near, nearest first
}

// RelatedTerm is a term that a question may mean beside those it has, and how likely,
// from 0 to 1.
type RelatedTerm struct {
	Term   string
	Weight float64
}

// Near is a chunk and how near it is to a question. Scores compare within one
// list only.
type Near struct {
	Chunk ChunkInfo
	Score float64
}

// Rank returns the chunks that answer a question best, best first.
func (x *Index) Rank(ctx context.Context, query RankQuery) (hits []Hit, err error) {
	err = x.answering(ctx, query, func(r *rank) (err error) {
		hits, err = r.run(query.K)
		return err
	})
	return hits, err
}

// answering calls f with a query under way, unless nothing can answer it.
func (x *Index) answering(ctx context.Context, query RankQuery, f func(*rank) error) error {
	q := query.Question
	if len(q.Terms) == 0 && len(q.Names) == 0 && len(query.Near) == 0 || query.K <= 0 {
		return nil
	}
	return x.ask(ctx, func(s *snapshot) error {
		defer s.countAhead()()
		r := rank{s: s, q: q, query: query, plain: x.p.Config.Ranking == project.RankingPlain,
			files: make(map[postings.Ref]*ranked)}
		r.terms, r.weights = s.informativeTerms(q)
		if r.weights == nil {
			r.weights = weightsWithoutFillers(q, r.terms)
		}
		if space := x.space(ctx); space != nil {
			r.space, r.direction = space, space.Query(r.terms)
			defer runtime.KeepAlive(space)
		}
		return cmp.Or(f(&r), ctx.Err())
	})
}

// Rarity returns how rare each of the terms is in the code, from 0, all of it has the
// term, to 1: none of it has.
func (x *Index) Rarity(ctx context.Context, terms []string) (list []float64, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		for _, t := range terms {
			list = append(list, s.view.Rarity(t))
		}
		return nil
	})
	return list, err
}

// informativeTerms returns the terms of a question, and what each counts, without the name of
// the language that most files are in: it tells nothing of any of them. The last term
// stays.
func (s *snapshot) informativeTerms(q *question.Question) (list []string, weights []float64) {
	if !slices.ContainsFunc(q.Terms, func(t string) bool { return languageTerms()[t] }) {
		return q.Terms, q.Weights
	}
	name := terms.Stem(s.mainLanguage())
	for i, t := range q.Terms {
		if t == name {
			continue
		}
		if list = append(list, t); q.Weights != nil {
			weights = append(weights, q.Weights[i])
		}
	}
	if len(list) == 0 {
		return q.Terms, q.Weights
	}
	return list, weights
}

// languageTerms are the names of all languages, as questions have them.
var languageTerms = sync.OnceValue(func() map[string]bool {
	set := make(map[string]bool)
	for _, l := range syntax.Languages() {
		set[terms.Stem(string(l))] = true
	}
	return set
})

// scoring are the constants of BM25F.
var scoring = func() *postings.Scoring {
	s := &postings.Scoring{K1: 1.2, Path: postings.Bag{B: 0.3, Weight: 3}}
	s.Fields = [postings.Fields]postings.Bag{
		postings.Body:   {B: 0.75, Weight: 1},
		postings.Symbol: {B: 0.5, Weight: 3},
		postings.Scope:  {B: 0.5, Weight: 1.5},
	}
	s.File.Body = postings.Bag{B: 0.75, Weight: 1}
	s.File.Symbol = postings.Bag{B: 0.5, Weight: 2}
	s.File.Path = postings.Bag{B: 0.3, Weight: 4}
	s.File.MaxSymbol = 3
	s.Alone = [postings.Fields]float64{postings.Symbol: 0.5, postings.Scope: 0.5, postings.Doc: 0.75}
	return s
}()

// Candidates that each signal may propose, and files that may propose their best
// chunk.
const (
	minCandidates  = 120
	candidateFiles = 40
)

// How well a declaration fits a name that a question asks for.
const (
	typeDefinition = 1.5 // it is of a type
	otherSpelling  = 0.8 // the case is another
	stemIsName     = 1.5 // the file is called like the symbol
	maxDefinitions = 200 // of one name
)

// A rank is one query under way.
type rank struct {
	s       *snapshot
	q       *question.Question
	terms   []string  // of q, without those that tell nothing in this repository
	weights []float64 // of terms; nil: all the same
	query   RankQuery
	plain   bool // without trees
	files   map[postings.Ref]*ranked

	tokenizer terms.Tokenizer // of names of files

	space     *lsa.Space // nil if there is none
	direction []float32  // of the question in it, nil if it has none
}

// A ranked is a file with candidates.
type ranked struct {
	open    *openFile // nil as long as nobody needs what it declares
	path    string
	number  int
	mention float64
	stem    float64 // -1: not known yet
	marks   ranking.Marks

	first  int // number of its first chunk in its part
	places lsa.Places
	topic  float64 // how near the file as a whole is to the question
}

// listed returns what trees are told of the first candidates in order.
func (r *rank) listed(found []ranking.Candidate, places []postings.Place,
	order []ranking.Ranked) (*ranking.List, error) {
	order = order[:min(len(order), ranking.Listed)]
	l := &ranking.List{Kind: r.q.Kind, All: found, Order: order, Pieces: make([]ranking.Piece, len(order))}
	for i, t := range r.terms[:min(len(r.terms), postings.MaxTermsMarked)] {
		rarity := r.s.view.Rarity(t)
		if r.weights != nil {
			rarity *= r.weights[i]
		}
		l.Rarity = append(l.Rarity, rarity)
	}
	paths := make([]string, len(r.files))
	for _, f := range r.files {
		paths[f.number] = f.path
	}
	l.Tested = ranking.TestedBy(found, paths)
	for i, o := range order {
		at := places[o.Candidate]
		f, err := r.open(at.Ref)
		if err != nil {
			return nil, err
		}
		lines, kind, ok := f.outline.extent(at.Chunk)
		if !ok {
			return nil, fmt.Errorf("index: chunk %d of %s: %w", at.Chunk, f.path, postings.ErrCorrupt)
		}
		l.Pieces[i] = ranking.Piece{Path: f.path, Lines: lines, FileLines: f.outline.lines, Declares: declares(kind)}
	}
	return l, nil
}

func declares(k syntax.Kind) ranking.Declares {
	switch {
	case k == "":
		return ranking.Nothing
	case isType(k):
		return ranking.Type
	case k == syntax.Function || k == syntax.Method || k == syntax.Constructor:
		return ranking.Function
	}
	return ranking.Other
}

// order puts the best k of the candidates in order.
func (r *rank) order(found []ranking.Candidate, places []postings.Place, k int) ([]ranking.Ranked, error) {
	learned := r.learned()
	if learned {
		k = max(k, ranking.Listed)
	}
	order := ranking.Rank(r.q.Kind, &ranking.Standard, found, k)
	if !learned {
		return order, nil
	}
	l, err := r.listed(found, places, order)
	if err != nil {
		return nil, err
	}
	return append(l.Reorder(), order[len(l.Order):]...), nil
}

// learned reports whether trees have a say. They know nothing of what an embedding model
// finds, and were trained to show many files.
func (r *rank) learned() bool {
	return !r.plain && !r.query.Deep && ranking.Learns(r.q.Kind) && len(r.query.Near) == 0
}

func (r *rank) run(k int) ([]Hit, error) {
	found, places, err := r.candidates(k)
	if err != nil {
		return nil, err
	}
	order, err := r.order(found, places, k)
	if err != nil {
		return nil, err
	}
	order = order[:min(k, len(order))]
	hits := make([]Hit, 0, len(order))
	most := r.s.view.Most(postings.Query{Terms: r.terms, Weights: r.weights, Scoring: scoring})
	for _, o := range order {
		p := places[o.Candidate]
		f, err := r.open(p.Ref)
		if err != nil {
			return nil, err
		}
		c, err := f.chunk(p.Chunk)
		if err != nil {
			return nil, err
		}
		of := &found[o.Candidate]
		hits = append(hits, Hit{
			Chunk: c, Score: math.Round(o.Score*1e4) / 1e4, Reasons: o.Reasons,
			Named: of.Definition > 0 || of.Mention > 0,
			Share: share(of.Signals[ranking.Text]+relatedShare*of.Signals[ranking.Related], most),
		})
	}
	return hits, nil
}

// relatedShare is how much a related word counts of one of the question.
const relatedShare = 0.5

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, part/whole)
}

// candidates returns the chunks that may be among the best k, with where they are.
func (r *rank) candidates(k int) ([]ranking.Candidate, []postings.Place, error) {
	definitions, err := r.definitions()
	if err != nil {
		return nil, nil, err
	}
	q := postings.Query{Terms: r.terms, Weights: r.weights, Top: max(minCandidates, k), Files: candidateFiles,
		Scoring: scoring}
	for p := range definitions {
		q.Include = append(q.Include, p)
	}
	near, err := r.vectorScores()
	if err != nil {
		return nil, nil, err
	}
	for p := range near {
		q.Include = append(q.Include, p)
	}
	for _, t := range synonyms.Related(r.q.Translated, r.phraseTerms(), r.terms) {
		q.Related = append(q.Related, postings.Related{Term: t.Text, Weight: t.Weight})
	}
	for _, m := range r.query.Related {
		q.Related = append(q.Related, postings.Related{Term: m.Term, Weight: m.Weight})
	}
	found, err := r.s.view.Search(q)
	if err != nil {
		return nil, nil, err
	}
	spoken := r.relatedWeight(found)
	all := make([]ranking.Candidate, len(found))
	places := make([]postings.Place, len(found))
	for i := range found {
		c := &found[i]
		f := r.file(c.Ref)
		places[i] = c.Place
		stem := 0.0
		if c.Path > 0 { // else the question has no term of its name
			if f.stem < 0 {
				f.stem = ranking.StemShare(&r.tokenizer, r.terms, f.path)
			}
			stem = f.stem
		}
		all[i] = ranking.Candidate{File: f.number, Definition: definitions[c.Place], Mention: f.mention,
			Marks: f.marks, Has: c.Has, Names: c.Names}
		all[i].Signals = [ranking.Signals]float64{
			ranking.Text: c.BM25F + spoken*c.Related, ranking.Name: c.Alone[postings.Symbol], ranking.Path: c.Path,
			ranking.Stem: stem, ranking.Scope: c.Alone[postings.Scope], ranking.Comment: c.Alone[postings.Doc],
			ranking.File: c.Whole, ranking.Related: c.Related, ranking.RelatedName: c.RelatedSymbol,
			ranking.Similar: near[c.Place],
		}
		if f.places != nil {
			all[i].Signals[ranking.Topic] = f.places.Cosine(r.direction, f.first+c.Chunk, f.first+c.Chunk+1)
			all[i].Signals[ranking.FileTopic] = f.topic
		}
	}
	return all, places, nil
}

// open opens a file, once.
func (r *rank) open(ref postings.Ref) (f *openFile, err error) {
	of := r.file(ref)
	if of.open == nil {
		of.open, err = r.s.open(ref)
	}
	return of.open, err
}

// file looks at a file that has a candidate, once.
func (r *rank) file(ref postings.Ref) *ranked {
	if f := r.files[ref]; f != nil {
		return f
	}
	p := r.s.path(ref)
	f := &ranked{path: p, number: len(r.files), stem: -1, mention: r.q.Mention(p), marks: r.s.rankingShape().Mark(r.q, p)}
	switch files.Class(r.s.attributes(ref).class) {
	case files.Generated:
		f.marks |= ranking.Generated
	case files.Vendored:
		f.marks |= ranking.Vendored
	case files.Minified:
		f.marks |= ranking.Minified
	}
	if p := r.s.parts[ref.Part]; r.direction != nil {
		if f.places = p.places(r.space); f.places != nil {
			first, end := p.seg.ChunksOf(ref.File)
			f.first, f.topic = first, f.places.Cosine(r.direction, first, end)
		}
	}
	r.files[ref] = f
	return f
}

// definitions finds the chunks that declare what the query names, and how well
// they fit.
func (r *rank) definitions() (map[postings.Place]float64, error) {
	found := make(map[postings.Place]float64)
	var failed error
	for _, want := range r.q.Names {
		n := 0
		r.s.view.Declared(want.Name, postings.Folded, func(ref postings.Ref, number int) bool {
			f, err := r.open(ref)
			if err != nil {
				failed = err
				return false
			}
			s, ok := f.outline.symbol(number)
			at := f.outline.chunkAt(s.Start)
			if !ok || at < 0 {
				return true
			}
			fit := want.Confidence
			if isType(s.Kind) {
				fit *= typeDefinition
			}
			if s.Name != want.Name {
				fit *= otherSpelling
			}
			base := path.Base(f.path)
			if stem := squash(strings.TrimSuffix(base, path.Ext(base))); stem == squash(want.Name) || strings.TrimSuffix(stem, "s") == squash(want.Name) {
				fit *= stemIsName
			}
			p := postings.Place{Ref: ref, Chunk: at}
			found[p] = max(found[p], fit)
			n++
			return n < maxDefinitions
		})
	}
	return found, failed
}

// vectorScores returns where the chunks are that an embedding model takes to be near, and
// how near, from above 0 to 1: cosines have another range for every model, so
// they are taken relative to the list.
func (r *rank) vectorScores() (map[postings.Place]float64, error) {
	list := r.query.Near
	if len(list) == 0 {
		return nil, nil
	}
	best, least := list[0].Score, list[len(list)-1].Score
	found := make(map[postings.Place]float64, len(list))
	for i := range list {
		n := &list[i]
		ref, ok := r.s.find(n.Chunk.File)
		if !ok {
			continue
		}
		f, err := r.open(ref)
		if err != nil {
			return nil, err
		}
		at := f.outline.chunkAt(n.Chunk.Start)
		if at < 0 {
			continue
		}
		share := 1.0
		if best > least {
			share = (n.Score - least) / (best - least)
		}
		found[postings.Place{Ref: ref, Chunk: at}] = max(share, minNear)
	}
	return found, nil
}

// minNear is what being in the list at all counts.
const minNear = 0.05

// squash makes the ways to join words alike.
func squash(name string) string { return strings.ToLower(joiners.Replace(name)) }

var joiners = strings.NewReplacer("_", "", "-", "")

func isType(k syntax.Kind) bool {
	return slices.Contains([]syntax.Kind{syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait,
		syntax.Enum, syntax.Type, syntax.Component}, k)
}
