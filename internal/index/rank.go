package index

import (
	"cmp"
	"context"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/files"
	"codeintel/internal/postings"
	"codeintel/internal/syntax"
	"codeintel/internal/terms"
)

// A Hit is a chunk that answers a query.
type Hit struct {
	Chunk   ChunkInfo
	Score   float64  // comparable within one answer only
	Reasons []string // what raised or lowered it: "definition", "path", "test file", …
}

// Rank returns the k chunks that answer query best, best first.
func (x *Index) Rank(ctx context.Context, query string, k int) (hits []Hit, err error) {
	q := newQuestion(query)
	if len(q.terms) == 0 || k <= 0 {
		return nil, nil
	}
	err = x.ask(ctx, func(s *snapshot) (err error) {
		r := ranking{s: s, q: q, files: make(map[postings.Ref]*ranked)}
		hits, err = r.run(k)
		return cmp.Or(err, ctx.Err())
	})
	return hits, err
}

// A question is a query taken apart.
type question struct {
	kind       queryKind
	terms      []string // stemmed
	words      []string // those terms that may stand in a file's name
	names      []namedSymbol
	paths      []string // files that it mentions, in lower case
	aboutTests bool
}

// A namedSymbol is a name that a query asks for, and how sure that is.
type namedSymbol struct {
	name   string
	weight float64
}

var (
	symbolQuery = regexp.MustCompile(`^(?:[A-Za-z_]\w*(?:(?:::|\\|->|\.|#)[A-Za-z_]\w*)+|_\w*|[A-Za-z][A-Za-z0-9]*[A-Z_]\w*|[A-Z][A-Za-z0-9]*)$`)
	separators  = regexp.MustCompile(`::|\\|->|\.|#`)
	identifier  = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	compound    = regexp.MustCompile(`[a-z][A-Z]|_[A-Za-z]|[A-Z]{2,}[a-z]`)
	called      = regexp.MustCompile(`[\pL_][\pL\pN_]*\(`)
	mentioned   = regexp.MustCompile(`[\w./\\-]+\.\w+|(?:[\w.-]+/)+[\w.-]+`)
)

func newQuestion(text string) *question {
	text = strings.TrimSpace(text)
	q := &question{terms: terms.Query(text), aboutTests: aboutTests.MatchString(text)}
	switch {
	case symbolQuery.MatchString(text):
		q.kind = symbolic
	case strings.ContainsFunc(text, isCJK):
		q.kind = cjk
	}
	for _, t := range q.terms {
		if len(t) > 2 {
			q.words = append(q.words, t)
		}
	}
	q.names = namesIn(text)
	for _, m := range mentioned.FindAllString(strings.ToLower(text), -1) {
		q.paths = append(q.paths, strings.Trim(strings.ReplaceAll(m, `\`, "/"), "./"))
	}
	return q
}

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// namesIn finds what a query may call a symbol: the last part of a qualified
// name; in prose the words that no prose has, and all of its few words together.
func namesIn(text string) (names []namedSymbol) {
	if !strings.ContainsFunc(text, unicode.IsSpace) {
		parts := separators.Split(strings.TrimSuffix(text, "()"), -1)
		return []namedSymbol{{parts[len(parts)-1], 1}}
	}
	words := identifier.FindAllString(text, -1)
	for _, w := range words {
		if len(w) > 3 && compound.MatchString(w) {
			names = append(names, namedSymbol{w, 1})
		}
	}
	for _, c := range called.FindAllString(text, -1) {
		names = append(names, namedSymbol{strings.TrimSuffix(c, "("), calledName})
	}
	if len(words) > 1 && len(words) <= joinedWords {
		for _, mark := range []string{"", "_", "-"} {
			names = append(names, namedSymbol{strings.Join(words, mark), joinedName})
		}
	}
	return names
}

// A ranking is one query under way.
type ranking struct {
	s     *snapshot
	q     *question
	files map[postings.Ref]*ranked
}

// A ranked is a file with candidates.
type ranked struct {
	*openFile
	query   *question
	class   files.Class
	stem    float64 // share of the query's words that are in its name or folder
	mention float64
	penalty float64
	reasons []string // of the penalty
	sum     float64  // over its candidates
}

// A scored is a candidate with what became of it.
type scored struct {
	*postings.Candidate
	file       *ranked
	score      float64
	definition float64
	reasons    []string
}

func (r *ranking) run(k int) ([]Hit, error) {
	definitions, err := r.definitions()
	if err != nil {
		return nil, err
	}
	include := make([]postings.Place, 0, len(definitions))
	for p := range definitions {
		include = append(include, p)
	}
	candidates := r.s.view.Search(postings.Query{Terms: r.q.terms, Top: max(leastCandidates, k), Files: candidateFiles,
		Include: include, Scoring: scoring})
	all := make([]scored, len(candidates))
	for i := range candidates {
		c := &candidates[i]
		f, err := r.file(c.Ref)
		if err != nil {
			return nil, err
		}
		all[i] = scored{Candidate: c, file: f, definition: definitions[c.Place]}
	}
	r.sum(all)
	r.cohere(all)
	r.boost(all)
	byScore := func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Global, b.Global)) }
	slices.SortFunc(all, byScore)
	saturate(all)
	slices.SortFunc(all, byScore)
	hits := make([]Hit, 0, min(k, len(all)))
	for i := range all {
		if len(hits) == k || all[i].score <= 0 {
			break
		}
		c, err := all[i].file.chunk(all[i].Chunk)
		if err != nil {
			return nil, err
		}
		hits = append(hits, Hit{Chunk: c, Score: math.Round(all[i].score*1e4) / 1e4, Reasons: append(all[i].reasons, all[i].file.reasons...)})
	}
	return hits, nil
}

// file opens a file that has a candidate, once.
func (r *ranking) file(ref postings.Ref) (*ranked, error) {
	if f := r.files[ref]; f != nil {
		return f, nil
	}
	o, err := r.s.open(ref)
	if err != nil {
		return nil, err
	}
	f := &ranked{openFile: o, query: r.q, class: files.Class(r.s.attributes(ref).class), penalty: 1}
	f.stem, f.mention = stemShare(f.path, r.q.words), mention(f.path, r.q.paths)
	for _, p := range penalties {
		if p.applies(f) {
			f.penalty *= p.factor
			f.reasons = append(f.reasons, p.reason)
		}
	}
	r.files[ref] = f
	return f, nil
}

// definitions finds the chunks that declare what the query names, and how well
// they fit.
func (r *ranking) definitions() (map[postings.Place]float64, error) {
	found := make(map[postings.Place]float64)
	var failed error
	for _, want := range r.q.names {
		n := 0
		r.s.view.Declared(want.name, postings.Folded, func(ref postings.Ref, number int) bool {
			f, err := r.file(ref)
			if err != nil {
				failed = err
				return false
			}
			s, ok := f.outline.symbol(number)
			at := f.outline.chunkAt(s.Start)
			if !ok || at < 0 {
				return true
			}
			fit := want.weight
			if isType(s.Kind) {
				fit *= typeDefinition
			}
			if s.Name != want.name {
				fit *= otherSpelling
			}
			base := path.Base(f.path)
			if stem := squash(strings.TrimSuffix(base, path.Ext(base))); stem == squash(want.name) || strings.TrimSuffix(stem, "s") == squash(want.name) {
				fit *= stemIsName
			}
			p := postings.Place{Ref: ref, Chunk: at}
			found[p] = max(found[p], fit)
			n++
			return n < mostDefinitions
		})
	}
	return found, failed
}

// squash makes the ways to join words alike.
func squash(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

func isType(k syntax.Kind) bool {
	switch k {
	case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type, syntax.Component:
		return true
	}
	return false
}

// sum adds the signals, each relative to the best candidate's.
func (r *ranking) sum(all []scored) {
	for _, signal := range signals {
		best := 0.0
		for i := range all {
			best = max(best, signal.value(all[i].Candidate))
		}
		w := signal.weight[r.q.kind]
		if best == 0 || w == 0 {
			continue
		}
		for i := range all {
			share := signal.value(all[i].Candidate) / best
			all[i].score += w * share
			if share >= 0.5 {
				all[i].reasons = append(all[i].reasons, signal.reason)
			}
		}
	}
}

// highest returns the best score so far.
func highest(all []scored) float64 {
	best := 0.0
	for i := range all {
		best = max(best, all[i].score)
	}
	return best
}

// cohere lifts the best chunk of each file by what its other chunks have.
func (r *ranking) cohere(all []scored) {
	best, most := highest(all), 0.0
	leaders := make(map[*ranked]int)
	for i := range all {
		f := all[i].file
		f.sum += all[i].score
		most = max(most, f.sum)
		if l, ok := leaders[f]; !ok || all[i].score > all[l].score {
			leaders[f] = i
		}
	}
	if most == 0 {
		return
	}
	for f, i := range leaders {
		all[i].score += boosts.coherence * best * f.sum / most
	}
}

// boost applies what is known of a chunk beside its words, and the penalties.
func (r *ranking) boost(all []scored) {
	best := highest(all)
	if best == 0 {
		best = 1 // nothing but definitions
	}
	for i := range all {
		c := &all[i]
		matches := c.score > 0
		if c.definition > 0 {
			c.score += best * boosts.definition[r.q.kind] * c.definition
			c.reasons = append([]string{"definition"}, c.reasons...)
		}
		c.score += best * boosts.cover * c.Cover
		if matches && c.file.stem >= 0.1 && boosts.fileStem[r.q.kind] > 0 {
			c.score += best * boosts.fileStem[r.q.kind] * c.file.stem
			if !slices.Contains(c.reasons, "path") && c.file.stem >= 0.5 {
				c.reasons = append(c.reasons, "path")
			}
		}
		if matches && c.file.mention > 0 {
			c.score += best * boosts.mention * c.file.mention
			c.reasons = append(c.reasons, "mentioned file")
		}
		c.score *= c.file.penalty
	}
}

// saturate lowers, in sorted candidates, those of a file that has better ones.
func saturate(sorted []scored) {
	seen := make(map[*ranked]int)
	for i := range sorted {
		f := sorted[i].file
		sorted[i].score *= math.Pow(saturation, float64(seen[f]))
		seen[f]++
	}
}

// stemShare returns how many of the words are in the name of a file or of its
// folder, whole or as their beginning.
func stemShare(p string, words []string) float64 {
	if len(words) == 0 {
		return 0
	}
	dir, base := path.Split(p)
	var parts []string
	for _, text := range []string{strings.TrimSuffix(base, path.Ext(base)), path.Base(dir)} {
		terms.Code([]byte(text), func(term string) { parts = append(parts, term) })
	}
	n := 0
	for _, w := range words {
		if slices.ContainsFunc(parts, func(part string) bool {
			short, long := part, w
			if len(short) > len(long) {
				short, long = long, short
			}
			return part == w || len(short) >= 3 && strings.HasPrefix(long, short)
		}) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// mention returns how clearly a query names the file at p, given the paths in it
// in lower case.
func mention(p string, paths []string) float64 {
	p = strings.ToLower(p)
	base, bare := path.Base(p), strings.TrimSuffix(p, path.Ext(p))
	best := 0.0
	for _, m := range paths {
		switch {
		case strings.Contains(m, "/") && (p == m || strings.HasSuffix(p, "/"+m) || strings.HasSuffix(m, "/"+p) || strings.HasSuffix(bare, "/"+m)):
			return 1
		case m == base || strings.HasSuffix(m, "/"+base):
			best = max(best, 0.6)
		case strings.Count(m, ".") > 0:
			dotted := "/" + strings.ReplaceAll(m, ".", "/") // a module
			if strings.HasSuffix("/"+bare, dotted) || strings.HasSuffix("/"+bare, path.Dir(dotted)) && strings.Count(dotted, "/") > 2 {
				best = max(best, 0.7)
			}
		}
	}
	return best
}
