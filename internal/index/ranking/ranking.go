// Package ranking orders candidates, pieces of code with their features, by how well
// they answer a question.
//
// It is pure. The features and their weights are in weights.go, those of paths in
// paths.go. learned.go reorders the first candidates by decision trees (trees.go) over
// the columns of columns.go. Scores are relative to the best candidate of one question,
// so they can be compared within one answer only.
package ranking

import (
	"cmp"
	"math"
	"slices"

	"codeintel/internal/text/question"
)

// A Signal is one measure of how well words match. Each is divided by the
// highest among the candidates before it is weighed.
type Signal int

// The signals.
const (
	Text        Signal = iota // BM25F over all fields of the piece
	Name                      // BM25 of the names it declares
	Path                      // BM25 of its file's path
	Stem                      // share of its file's name that the question has
	Scope                     // BM25 of what it is in
	Comment                   // BM25 of its comments
	File                      // BM25F of its whole file
	Related                   // as Text, of terms related to those of the question
	RelatedName               // as Name, of related terms
	Topic                     // cosine in the LSA space of the repository
	FileTopic                 // the same, of its file
	Similar                   // cosine of an embedding model
	Signals
)

// A Candidate is a piece of code that may answer, and what speaks for it.
type Candidate struct {
	File       int // candidates of one file have the same, and neighbours in the file are neighbours
	Signals    [Signals]float64
	Definition float64 // how surely it declares what the question names
	Mention    float64 // how clearly the question names its file
	Marks      Marks
	Has, Names uint32 // terms of the question that are in it, and in the names it declares: a bit each
}

// A Ranked is a candidate with its place in the order.
type Ranked struct {
	Candidate int // number in what was given
	Score     float64
	Reasons   []string // "definition", "text", "path", …, "test file"
}

// Rank orders candidates by w and returns the best, as many as most, best first.
// Those that nothing speaks for are left out.
func Rank(k question.Kind, w *Weights, all []Candidate, most int) []Ranked {
	r := ranking{kind: k, w: w, all: all, scores: make([]float64, len(all)), reasons: make([]uint32, len(all))}
	r.addSignals()
	r.liftByFile()
	r.boost()
	order := r.sorted()
	r.saturate(order)
	slices.SortStableFunc(order, r.better)
	out := make([]Ranked, 0, min(most, len(all)))
	for _, i := range order {
		if r.scores[i] > 0 && len(out) < most {
			out = append(out, Ranked{Candidate: i, Score: r.scores[i], Reasons: r.explain(i)})
		}
	}
	return out
}

type ranking struct {
	kind    question.Kind
	w       *Weights
	all     []Candidate
	scores  []float64
	reasons []uint32 // set of signals, and the bits below
}

// Reasons beside the signals.
const (
	isDefinition = 1 << (iota + Signals)
	isMentioned
)

// addSignals adds the signals, each relative to the best candidate's.
func (r *ranking) addSignals() {
	for s := range Signals {
		w := r.w.Signals[s][r.kind]
		if w == 0 {
			continue
		}
		best := 0.0
		for i := range r.all {
			best = max(best, r.all[i].Signals[s])
		}
		if best == 0 {
			continue
		}
		for i := range r.all {
			share := max(0, r.all[i].Signals[s]/best)
			r.scores[i] += w * share
			if share >= 0.5 {
				r.reasons[i] |= 1 << s
			}
		}
	}
}

func (r *ranking) highest() float64 {
	best := 0.0
	for _, s := range r.scores {
		best = max(best, s)
	}
	return best
}

// liftByFile lifts the best candidate of each file by what its others have.
func (r *ranking) liftByFile() {
	type file struct {
		best int
		sum  float64
	}
	best, most := r.highest(), 0.0
	files := make(map[int]file)
	for i := range r.all {
		f, ok := files[r.all[i].File]
		if !ok {
			f.best = i
		}
		f.sum += r.scores[i]
		most = max(most, f.sum)
		if r.scores[i] > r.scores[f.best] {
			f.best = i
		}
		files[r.all[i].File] = f
	}
	if most == 0 {
		return
	}
	for _, f := range files {
		r.scores[f.best] += r.w.Coherence * best * f.sum / most
	}
}

// boost applies what is known beside words, and the penalties.
func (r *ranking) boost() {
	best := r.highest()
	if best == 0 {
		best = 1 // nothing but definitions
	}
	w := r.w
	for i := range r.all {
		c := &r.all[i]
		matches := r.scores[i] > 0
		if c.Definition > 0 {
			r.scores[i] += best * w.Definition[r.kind] * c.Definition
			r.reasons[i] |= isDefinition
		}
		if matches && c.Mention > 0 {
			r.scores[i] += best * w.Mention[r.kind] * c.Mention
			r.reasons[i] |= isMentioned
		}
		for m := range marks {
			if c.Marks&(1<<m) != 0 {
				r.scores[i] *= w.Penalty[m]
			}
		}
	}
}

func (r *ranking) better(a, b int) int { return cmp.Compare(r.scores[b], r.scores[a]) }

func (r *ranking) sorted() []int {
	order := make([]int, len(r.all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(r.better(a, b), cmp.Compare(a, b)) })
	return order
}

// saturate lowers, in candidates in order, those of a file that has better ones.
func (r *ranking) saturate(order []int) {
	seen := make(map[int]int)
	for _, i := range order {
		f := r.all[i].File
		r.scores[i] *= math.Pow(r.w.Saturation[r.kind], float64(seen[f]))
		seen[f]++
	}
}

// explain puts the reasons into words.
func (r *ranking) explain(i int) (reasons []string) {
	set := r.reasons[i]
	if set&isDefinition != 0 {
		reasons = append(reasons, "definition")
	}
	for s := range Signals {
		if set&(1<<s) != 0 && !slices.Contains(reasons, signalNames[s]) {
			reasons = append(reasons, signalNames[s])
		}
	}
	if set&isMentioned != 0 {
		reasons = append(reasons, "mentioned file")
	}
	for m := range marks {
		if r.all[i].Marks&(1<<m) != 0 && r.w.Penalty[m] != 1 {
			reasons = append(reasons, markNames[m])
		}
	}
	return reasons
}
