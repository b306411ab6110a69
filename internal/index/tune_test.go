//go:build tune

package index

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"codeintel/internal/index/ranking"
	"codeintel/internal/project"
	"codeintel/internal/text/question"
)

var (
	tuneData    = flag.String("data", "", "JSON file of questions")
	tuneCorpora = flag.String("corpora", "", "folder with the sources that the questions are about; they are indexed where they lie")
	tuneCache   = flag.String("candidates", "", "file to keep candidates in, made if it is missing: later runs need no sources")
	tuneOn      = flag.String("on", "", "repositories to tune on, by commas; the others are held out")
	tuneSets    = flag.String("sets", "semble,semble_full,doc,commit,ident,cosqa,ja_doc,ja_commit,ja_own", "sets to tune for")
	tunePlain   = flag.Bool("plain", false, "begin with round numbers, not with the weights in use: what is held out was never seen")
	tuneRows    = flag.String("rows", "", "folder to write what script/rank/train.py learns from to; needs a new -candidates")
	tuneIndexes = flag.String("indexes", "", "folder to keep the indexes in, so that a later run need not make them")
	tuneRounds  = flag.Int("rounds", 0, "rounds of coordinate ascent; 0 only measures")
)

// TestTune tunes [ranking.Standard] by coordinate ascent on the questions about
// some repositories and reports it on those about the others: make tune. With no
// rounds it measures the weights as they are.
//
// The data file is {"queries": [{"id", "set", "repo", "corpus", "query",
// "targets": [{"path", "start", "end"}]}]}: corpus is a folder of -corpora, path a
// file in it, and lines may be left out. The real index proposes the candidates,
// once for each question; only [ranking.Rank] runs again for every change of a
// weight. What proposes candidates, and the constants of BM25F, are not tuned.
func TestTune(t *testing.T) {
	if *tuneOn == "" {
		t.Skip("no -on")
	}
	all, err := proposed(t)
	if err != nil {
		t.Fatal(err)
	}
	if *tuneRows != "" {
		if err := writeRows(*tuneRows, all); err != nil {
			t.Fatal(err)
		}
	}
	on := strings.Split(*tuneOn, ",")
	var tuning, held []*proposal
	turn := 0
	for _, p := range all {
		here := slices.Contains(on, p.Asked.Repo)
		if p.alone { // a set of one repository: its questions take turns
			here = turn%2 == 0
			turn++
		}
		if here {
			tuning = append(tuning, p)
		} else {
			held = append(held, p)
		}
	}
	w := ranking.Standard
	if *tunePlain {
		w = plain()
	}
	report := func(what string) {
		t.Logf("%s, tuning half\n%s", what, measureAll(&w, tuning))
		t.Logf("%s, held-out half\n%s", what, measureAll(&w, held))
	}
	for what, half := range map[string][]*proposal{"tuning": tuning, "held-out": held} {
		t.Logf("by trees that have seen both halves, %s half\n%s", what, measureLearned(half))
	}
	report("to begin with")
	for round := range *tuneRounds {
		if !climb(t, &w, tuning) {
			break
		}
		report(fmt.Sprintf("round %d", round+1))
	}
	t.Logf("%+v", w)
}

// A tuneQuestion is one of the data file. Targets are what answers it.
type tuneQuestion struct {
	ID, Set, Repo, Corpus, Query string
	Targets                      []tunePlace
	Chunks                       []tunePlace `json:"chunk_targets"` // where they are not the targets
}

// A tunePlace is a file or, where Start is not 0, lines of it.
type tunePlace struct {
	Path       string
	Start, End int
}

// A proposal is a question with its candidates and where they are.
type proposal struct {
	Asked      tuneQuestion
	Kind       question.Kind
	Candidates []ranking.Candidate
	Places     []tunePlace

	Rows    []ranking.Row    // of the first candidates
	Learned []ranking.Ranked // the order of the program as it is

	alone bool // no other repository is in its set
}

// proposed reads the questions and has the index propose candidates for each.
func proposed(t *testing.T) (all []*proposal, err error) {
	if f, err := os.Open(*tuneCache); err == nil {
		defer f.Close()
		if err := gob.NewDecoder(f).Decode(&all); err != nil {
			return nil, err
		}
	} else if all, err = propose(t); err != nil {
		return nil, err
	}
	repos := make(map[string]map[string]bool)
	for _, p := range all {
		if repos[p.Asked.Set] == nil {
			repos[p.Asked.Set] = make(map[string]bool)
		}
		repos[p.Asked.Set][p.Asked.Repo] = true
	}
	for _, p := range all {
		p.alone = len(repos[p.Asked.Set]) == 1
	}
	return all, nil
}

func propose(t *testing.T) (all []*proposal, err error) {
	if *tuneIndexes != "" {
		t.Setenv("XDG_CACHE_HOME", *tuneIndexes)
	}
	raw, err := os.ReadFile(*tuneData)
	if err != nil {
		return nil, err
	}
	var data struct{ Queries []tuneQuestion }
	if err := json.Unmarshal(raw, &data); err != nil {
		return nil, err
	}
	corpora := make(map[string][]*proposal)
	for _, q := range data.Queries {
		if slices.Contains(strings.Split(*tuneSets, ","), q.Set) {
			p := &proposal{Asked: q}
			all = append(all, p)
			corpora[q.Corpus] = append(corpora[q.Corpus], p)
		}
	}
	for _, corpus := range slices.Sorted(maps.Keys(corpora)) {
		if err := proposeIn(t, filepath.Join(*tuneCorpora, corpus), corpora[corpus]); err != nil {
			return nil, fmt.Errorf("%s: %w", corpus, err)
		}
	}
	if *tuneCache == "" {
		return all, nil
	}
	f, err := os.Create(*tuneCache)
	if err != nil {
		return nil, err
	}
	return all, errors.Join(gob.NewEncoder(f).Encode(all), f.Close())
}

// proposeIn has the index of the sources at root propose candidates for questions.
func proposeIn(t *testing.T, root string, questions []*proposal) (err error) {
	p, err := project.OpenRoot(root)
	if err != nil {
		return err
	}
	x, err := Open(t.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if _, err := x.Sync(t.Context(), SyncOptions{}); err != nil {
		return err
	}
	for _, q := range questions {
		err := x.answering(t.Context(), RankQuery{Question: question.Analyse(q.Asked.Query), K: tuneDepth}, func(r *rank) error {
			found, places, err := r.candidates(tuneDepth)
			if err != nil {
				return err
			}
			q.Kind, q.Candidates = r.q.Kind, found
			for _, at := range places {
				f, err := r.open(at.Ref)
				if err != nil {
					return err
				}
				c, err := f.chunk(at.Chunk)
				if err != nil {
					return err
				}
				q.Places = append(q.Places, tunePlace{c.File, c.StartLine, c.EndLine})
			}
			list, err := r.listed(found, places, ranking.Rank(q.Kind, &ranking.Standard, found, ranking.Listed))
			if err != nil {
				return err
			}
			q.Rows = list.Rows()
			q.Learned, err = r.order(found, places, tuneDepth)
			return err
		})
		if err != nil {
			return fmt.Errorf("%q: %w", q.Asked.Query, err)
		}
	}
	return nil
}

// Sizes of what is measured.
const (
	tuneDepth  = 50  // hits of a question that count
	tuneCut    = 10  // k of NDCG@k
	longResult = 120 // lines; a longer hit shows a place only if half of it is the place
)

// gains are NDCG@10 of one question, by files and by pieces; lines is false where
// the data names no lines.
type gains struct {
	set          string
	files, piece float64
	lines        bool
}

// judge ranks the candidates of a question by w. Files count at the place of
// their first piece; sets of the semble protocol count them among the first ten
// pieces alone.
func (p *proposal) judge(w *ranking.Weights) gains {
	return p.judgeOrder(ranking.Rank(p.Kind, w, p.Candidates, tuneDepth))
}

func (p *proposal) judgeOrder(order []ranking.Ranked) gains {
	g := gains{set: p.Asked.Set}
	if strings.HasPrefix(p.Asked.Set, "semble") {
		var ranks []int
		for _, target := range p.Asked.Targets {
			if i := slices.IndexFunc(order[:min(len(order), tuneCut)], func(r ranking.Ranked) bool { return p.Places[r.Candidate].meets(target) }); i >= 0 {
				ranks = append(ranks, i)
			}
		}
		g.files = tuneNDCG(ranks, len(p.Asked.Targets))
		return g
	}
	files := make(map[string]int)
	for _, r := range order {
		if path := p.Places[r.Candidate].Path; len(files) <= tuneCut {
			if _, ok := files[path]; !ok {
				files[path] = len(files)
			}
		}
	}
	var ranks []int
	wanted := make(map[string]bool)
	for _, target := range p.Asked.Targets {
		if n, ok := files[target.Path]; ok && !wanted[target.Path] {
			ranks = append(ranks, n)
		}
		wanted[target.Path] = true
	}
	g.files = tuneNDCG(ranks, len(wanted))
	places := p.linesWanted()
	if g.lines = len(places) > 0; g.lines {
		ranks = nil
		for _, target := range places {
			if i := slices.IndexFunc(order, func(r ranking.Ranked) bool { return p.Places[r.Candidate].shows(target) }); i >= 0 {
				ranks = append(ranks, i)
			}
		}
		g.piece = tuneNDCG(ranks, len(places))
	}
	return g
}

// linesWanted returns the places that pieces are judged by, none where the data names no
// lines.
func (p *proposal) linesWanted() []tunePlace {
	if places := p.Asked.Chunks; places != nil {
		return places
	}
	if slices.ContainsFunc(p.Asked.Targets, func(t tunePlace) bool { return t.Start == 0 }) {
		return nil
	}
	return p.Asked.Targets
}

// meets reports whether hit and target have a line in common.
func (hit tunePlace) meets(target tunePlace) bool {
	return hit.Path == target.Path && (target.Start == 0 || hit.Start <= target.End && target.Start <= hit.End)
}

func (hit tunePlace) shows(target tunePlace) bool {
	length, common := hit.End-hit.Start+1, min(hit.End, target.End)-max(hit.Start, target.Start)+1
	return hit.meets(target) && (length <= longResult || common*2 >= length)
}

// tuneNDCG is NDCG@10 with gains of 0 and 1 of targets at ranks from 0.
func tuneNDCG(ranks []int, targets int) float64 {
	slices.Sort(ranks)
	var got, best float64
	for _, r := range slices.Compact(ranks) {
		if r < tuneCut {
			got += 1 / math.Log2(float64(r+2))
		}
	}
	for i := range min(targets, tuneCut) {
		best += 1 / math.Log2(float64(i+2))
	}
	return got / best
}

// A setScore is the mean over the questions of a set.
type setScore struct {
	n, pieces    int
	files, piece float64
}

type setScores map[string]*setScore

func measureLearned(questions []*proposal) setScores {
	all := make([]gains, len(questions))
	for i, p := range questions {
		all[i] = p.judgeOrder(p.Learned[:min(len(p.Learned), tuneDepth)])
	}
	return scored(all)
}

func measureAll(w *ranking.Weights, questions []*proposal) setScores {
	all := judgeAll(w, questions, make([]gains, len(questions)), func(*proposal) bool { return true })
	return scored(all)
}

// judgeAll judges the questions that concern accepts and leaves the gains of the
// others as they were.
func judgeAll(w *ranking.Weights, questions []*proposal, before []gains, concern func(*proposal) bool) []gains {
	all := slices.Clone(before)
	const workers = 2
	var wait sync.WaitGroup
	for k := range workers {
		wait.Go(func() {
			for i := k; i < len(questions); i += workers {
				if concern(questions[i]) {
					all[i] = questions[i].judge(w)
				}
			}
		})
	}
	wait.Wait()
	return all
}

func scored(all []gains) setScores {
	sets := make(setScores)
	for _, g := range all {
		s := sets[g.set]
		if s == nil {
			s = new(setScore)
			sets[g.set] = s
		}
		s.n++
		s.files += g.files
		if g.lines {
			s.pieces++
			s.piece += g.piece
		}
	}
	for _, s := range sets {
		s.files /= float64(s.n)
		s.piece /= float64(max(1, s.pieces))
	}
	return sets
}

// objective is the mean over the sets; where lines are known, files and pieces
// count half each. The published protocol counts double.
func (s setScores) objective() float64 {
	var sum, weight float64
	for name, x := range s {
		v, w := x.files, 1.0
		if x.pieces == x.n {
			v = (x.files + x.piece) / 2
		}
		if name == "semble" {
			w = 2
		}
		sum += w * v
		weight += w
	}
	return sum / weight
}

func (s setScores) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		x := s[name]
		fmt.Fprintf(&b, "%-12s %4d questions, files %.4f", name, x.n, x.files)
		if x.pieces == x.n {
			fmt.Fprintf(&b, ", pieces %.4f", x.piece)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "objective %.4f", s.objective())
	return b.String()
}

// plain returns weights that nobody tuned, but for saturation.
func plain() ranking.Weights {
	w := ranking.Weights{Coherence: 0.1, Saturation: ranking.Standard.Saturation}
	for k := range question.Kinds {
		for s := range ranking.Signals {
			w.Signals[s][k] = 0.1
		}
		w.Signals[ranking.Text][k] = 0.5
		w.Definition[k], w.Mention[k] = 0.1, 0.1
	}
	w.Definition[question.Symbolic] = 1
	for m := range w.Penalty {
		w.Penalty[m] = 0.5
	}
	return w
}

// A dial is one weight and its bounds. kind is the only kind of question that it
// concerns, or question.Kinds where it concerns all.
type dial struct {
	name        string
	value       *float64
	kind        question.Kind
	least, most float64
}

const (
	mostWeight   = 5
	leastPenalty = 0.2 // a file with a mark can still be found
)

// dials returns the weights that are tuned. Saturation is not: it trades files
// against pieces, and most sets name no pieces.
func dials(w *ranking.Weights) (all []dial) {
	for k := range question.Kinds {
		for s := range ranking.Signals {
			if s != ranking.Similar { // no candidate has it: no model is asked
				all = append(all, dial{fmt.Sprintf("Signals[%d][%d]", s, k), &w.Signals[s][k], k, 0, mostWeight})
			}
		}
		all = append(all, dial{fmt.Sprintf("Definition[%d]", k), &w.Definition[k], k, 0, mostWeight},
			dial{fmt.Sprintf("Mention[%d]", k), &w.Mention[k], k, 0, mostWeight})
	}
	all = append(all, dial{"Coherence", &w.Coherence, question.Kinds, 0, mostWeight})
	for m := range w.Penalty {
		all = append(all, dial{fmt.Sprintf("Penalty[%d]", m), &w.Penalty[m], question.Kinds, leastPenalty, 1})
	}
	return all
}

// leastGain is how much a change must raise the objective to be kept: less is
// fitting single questions.
const leastGain = 2e-4

// climb turns each weight in turn to the best of a few values around it, and
// reports whether any was changed.
func climb(t *testing.T, w *ranking.Weights, questions []*proposal) (changed bool) {
	now := judgeAll(w, questions, make([]gains, len(questions)), func(*proposal) bool { return true })
	best := scored(now).objective()
	for _, d := range dials(w) {
		was := *d.value
		kept := was
		for _, v := range []float64{d.least, was / 2, was * 0.75, was * 1.35, was * 2, was + 0.05, was - 0.1, was + 0.1} {
			if v == was || v < d.least || v > d.most {
				continue
			}
			*d.value = math.Round(v*1000) / 1000
			tried := judgeAll(w, questions, now, func(p *proposal) bool { return d.kind == question.Kinds || p.Kind == d.kind })
			if o := scored(tried).objective(); o > best+leastGain {
				best, kept = o, *d.value
			}
		}
		if *d.value = kept; kept != was {
			changed = true
			now = judgeAll(w, questions, now, func(*proposal) bool { return true })
			t.Logf("%s %.3f -> %.3f: %.4f", d.name, was, kept, best)
		}
	}
	return changed
}
