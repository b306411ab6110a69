package index

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"weak"

	"codeintel/internal/index/postings"
	"codeintel/internal/syntax"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// A Subject is something that a text may be about: a symbol, or words that are
// for one.
type Subject struct {
	Name      string // an identifier or a phrase
	Scope     string
	Signature string
	Doc       string
	Path      string
}

// SubjectOf describes a symbol.
func SubjectOf(s *Symbol) Subject {
	return Subject{Name: s.Name, Scope: s.Scope, Signature: s.Signature, Doc: s.Doc, Path: s.File}
}

// Similarity returns how near a text is to each subject, from 0 (no word in
// common) to 1 (the same words and no others), in their order. The values are raw:
// they compare subjects of one repository, and mean nothing on their own. See
// package relevancescale for a scale.
//
// It is the weight of the words in common over that of the words of the text and
// of the subject's name, after Tversky, Features of Similarity (1977), with the
// text and the name as the sets that are compared and a word in another field
// counting in part. A word weighs what BM25's inverse document frequency gives it
// over [Index.SampleSimilarity]'s symbols. A Japanese text is compared as it is, and
// by the English words that package synonyms has for its own; the nearer counts.
func (x *Index) Similarity(ctx context.Context, q *question.Question, subjects []Subject) ([]float64, error) {
	var values []float64
	err := x.ask(ctx, func(s *snapshot) error {
		sample, err := x.sampled(ctx, s)
		if err != nil {
			return err
		}
		asked := newAskedWords(q)
		values = make([]float64, len(subjects))
		for i := range subjects {
			values[i] = sample.similarity(asked, newTraits(&subjects[i]))
		}
		return ctx.Err()
	})
	return values, err
}

// SampleSimilarity returns the similarities of a text to a random sample of the
// repository's symbols: what [relevancescale.NewScale] makes a scale of. The sample is
// seeded, so that it is the same as long as the index is. Symbols that leave is
// true for are left out: a symbol that is judged is not a random one.
func (x *Index) SampleSimilarity(ctx context.Context, q *question.Question,
	leave func(file, scope, name string) bool) ([]float64, error) {
	var values []float64
	err := x.ask(ctx, func(s *snapshot) error {
		sample, err := x.sampled(ctx, s)
		if err != nil {
			return err
		}
		near := sample.similarities(newAskedWords(q))
		values = make([]float64, 0, len(sample.symbols))
		for i := range sample.symbols {
			if m := &sample.symbols[i]; !leave(m.file, m.scope, m.name) {
				values = append(values, near[int32(i)]) // 0 for those without a word of it
			}
		}
		return ctx.Err()
	})
	return values, err
}

// Sizes of the sample.
const (
	sampleSize = 2000
	// A file gives at most so many, so that one table of constants is not taken
	// for the repository.
	samplePerFile = 200
)

// How much a word counts that is not in the name of a subject but in another
// field.
const (
	inScope     = 0.8
	inDoc       = 0.7
	inSignature = 0.6
	inPath      = 0.5
)

// A symbolSample is a seeded random choice of the symbols of one snapshot.
type symbolSample struct {
	symbols []sampleSymbol
	byWord  map[string][]int32 // numbers of the symbols with a word
}

type sampleSymbol struct {
	key               sampleKey
	file, scope, name string
	traits            traits
}

// A sampleKey says whether a symbol is the same as in another sample.
type sampleKey struct {
	file   string
	hash   [32]byte // of its text
	symbol int
}

// traits are the words of a subject, each with the weight of the best field it
// is in.
type traits struct {
	name  []string
	words map[string]float64
}

func newTraits(s *Subject) traits {
	t := traits{name: terms.Words(s.Name), words: make(map[string]float64)}
	for _, field := range []struct {
		text   string
		weight float64
	}{{s.Path, inPath}, {s.Signature, inSignature}, {s.Doc, inDoc}, {s.Scope, inScope}} {
		for _, w := range terms.Words(field.text) {
			t.words[w] = max(t.words[w], field.weight)
		}
	}
	for _, w := range t.name {
		t.words[w] = 1
	}
	return t
}

// weight is the inverse document frequency of BM25 over the sample, within
// bounds: a word that every symbol has still counts, and one that no symbol has may
// be any word of the language, so it counts like one in the square root of all symbols.
func (s *symbolSample) weight(word string) float64 {
	all := float64(len(s.symbols))
	idf := func(n float64) float64 { return math.Log(1 + (all-n+.5)/(n+.5)) }
	n := len(s.byWord[word])
	if n == 0 {
		return idf(math.Sqrt(all))
	}
	return max(idf(float64(n)), minWeight*idf(0))
}

// minWeight is that of a word that all symbols have, as a share of what a word
// that none has would have by its frequency.
const minWeight = 0.25

// askedWords is a text that subjects are compared with: its words, and what a Japanese
// one is in English. Each element is one word, as one or more that it may be.
type askedWords struct{ written, translated [][]string }

func newAskedWords(q *question.Question) (a askedWords) {
	for _, w := range q.Words {
		a.written = append(a.written, []string{w})
	}
	if len(q.Translated) == 0 {
		return a
	}
	a.translated = slices.Clone(q.Translated)
	for _, w := range q.Untranslated {
		a.translated = append(a.translated, []string{w})
	}
	return a
}

func (s *symbolSample) similarity(a askedWords, t traits) float64 {
	value := s.common(a.written, t)
	if len(a.translated) > 0 {
		value = max(value, s.common(a.translated, t))
	}
	return value
}

// common is the weight of what groups of words have in common with a subject,
// over that of all.
func (s *symbolSample) common(groups [][]string, t traits) float64 {
	var common, all float64
	for _, group := range groups {
		most, met := 0.0, 0.0 // of the words that it may be
		for _, w := range group {
			weight := s.weight(w)
			if most == 0 || weight*t.words[w] > met {
				most, met = weight, weight*t.words[w]
			}
		}
		all += most
		common += met
	}
	for _, w := range t.name {
		if !slices.ContainsFunc(groups, func(g []string) bool { return slices.Contains(g, w) }) {
			all += s.weight(w)
		}
	}
	if common <= 0 {
		return 0
	}
	return min(common/all, 1)
}

// similarities returns the similarities of the symbols that have a word of those asked.
func (s *symbolSample) similarities(a askedWords) map[int32]float64 {
	values := make(map[int32]float64)
	for _, groups := range [][][]string{a.written, a.translated} {
		for _, group := range groups {
			for _, w := range group {
				for _, i := range s.byWord[w] {
					if _, met := values[i]; !met {
						values[i] = s.similarity(a, s.symbols[i].traits)
					}
				}
			}
		}
	}
	return values
}

// sampled returns the sample of a snapshot, which is made once.
func (x *Index) sampled(ctx context.Context, s *snapshot) (*symbolSample, error) {
	x.sampling.Lock()
	defer x.sampling.Unlock()
	if x.sample != nil && x.sampleOf == weak.Make(s) {
		return x.sample, nil
	}
	sample, err := newSample(ctx, s, x.sample)
	if err != nil {
		return nil, err
	}
	x.sample, x.sampleOf = sample, weak.Make(s)
	return sample, nil
}

// newSample chooses among all symbols alike, within the bound on one file. Each
// file draws by its own name, so that a change to one leaves the others' choice.
// What before has of unchanged files is used again.
func newSample(ctx context.Context, s *snapshot, before *symbolSample) (*symbolSample, error) {
	chosen, err := choose(ctx, s)
	if err != nil {
		return nil, err
	}
	known := make(map[sampleKey]*sampleSymbol)
	if before != nil {
		for i := range before.symbols {
			known[before.symbols[i].key] = &before.symbols[i]
		}
	}
	sample := &symbolSample{byWord: make(map[string][]int32)}
	type opened struct {
		*openFile
		hash [32]byte
	}
	files := make(map[postings.Ref]opened)
	for _, p := range chosen {
		f, ok := files[p.ref]
		if !ok {
			o, err := s.open(p.ref)
			if err != nil {
				return nil, err
			}
			f = opened{o, s.attributes(p.ref).hash}
			files[p.ref] = f
		}
		key := sampleKey{f.path, f.hash, p.symbol}
		m, ok := known[key]
		if !ok {
			sym, ok := f.outline.symbol(p.symbol)
			if !ok || neverTarget(sym.Kind) {
				continue
			}
			full := f.symbol(sym)
			subject := SubjectOf(&full)
			m = &sampleSymbol{key, full.File, full.Scope, full.Name, newTraits(&subject)}
		}
		for w := range m.traits.words {
			sample.byWord[w] = append(sample.byWord[w], int32(len(sample.symbols)))
		}
		sample.symbols = append(sample.symbols, *m)
	}
	return sample, nil
}

// A samplePlace is a symbol of a snapshot, and the number it drew.
type samplePlace struct {
	key    uint64
	ref    postings.Ref
	symbol int
}

// choose returns the symbols that drew the least numbers.
func choose(ctx context.Context, s *snapshot) ([]samplePlace, error) {
	var chosen []samplePlace // cut when twice as many
	cut := func() {
		slices.SortFunc(chosen, func(a, b samplePlace) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.ref.Part, b.ref.Part),
				cmp.Compare(a.ref.File, b.ref.File), a.symbol-b.symbol)
		})
		chosen = chosen[:min(len(chosen), sampleSize)]
	}
	var failed error
	s.each(func(r postings.Ref) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		o, err := s.outline(r)
		if err != nil {
			failed = err
			return false
		}
		h := fnv.New64a()
		h.Write([]byte(s.path(r)))
		draw := rand.New(rand.NewPCG(h.Sum64(), 1))
		own := make([]samplePlace, o.symbols.n)
		for i := range own {
			own[i] = samplePlace{draw.Uint64(), r, i}
		}
		if len(own) > samplePerFile {
			draw.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
			own = own[:samplePerFile]
		}
		if chosen = append(chosen, own...); len(chosen) > 2*sampleSize {
			cut()
		}
		return true
	})
	if failed != nil {
		return nil, failed
	}
	cut()
	return chosen, nil
}

// neverTarget reports whether symbols of a kind are nothing that a request would
// name as its target.
func neverTarget(k syntax.Kind) bool {
	return k == syntax.Key || k == syntax.Heading || k == syntax.Impl
}
