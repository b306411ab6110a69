package impact

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"codeintel/internal/commitlog"
	"codeintel/internal/platform/msg"
	"codeintel/internal/search"
)

// Limits of what history adds to an analysis.
const (
	maxLikely       = 5 // files that are named as the likeliest
	maxTogether     = 5 // files that are found because they changed together with the targets
	maxHabitual     = 8 // tests that are to be run for that reason
	minHabitCommits = 2 // commits that make a habit: one alone is none
)

// history finds the files that changed together with the targets, and says which of all
// that were found are the likeliest to change with them. Of a symbol, what changed with
// its file says little.
func (r *run) history() error {
	if r.aboutSymbols() {
		return nil
	}
	var together []commitlog.Companion
	if r.a.past != nil {
		l, err := r.a.past.Log(r.ctx)
		switch {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case err != nil: // the analysis goes on without: a damaged repository has files, too
			r.notes = append(r.notes, msg.New("impact.history_unreadable", err))
			l = &commitlog.Log{}
		case l.Absence != commitlog.Present:
			r.notes = append(r.notes, l.Absence.Message())
		case l.Shallow:
			r.notes = append(r.notes, msg.New("impact.history_shallow", len(l.Commits)))
		}
		r.src.LacksCommits(l.Unread)
		together = l.Together(r.changing(), r.fileExists())
	}
	for _, c := range together {
		if c.Together < minHabitCommits {
			continue
		}
		if search.TestFile(c.File) {
			r.habitual = append(r.habitual, c.File)
		}
		if r.together++; r.together > maxTogether {
			continue
		}
		r.found.add(c.File, should, fmt.Sprintf("changed together %d of %d times", c.Together, c.Changes), place{}, "")
	}
	r.likely = r.found.mostLikely(together)
	return nil
}

// sortByLikelihood puts the files that are the likeliest to change first.
func (r *run) sortByLikelihood(list []Affected) {
	rank := func(a Affected) int {
		if i := slices.Index(r.likely, a.File); i >= 0 {
			return i
		}
		return len(r.likely)
	}
	slices.SortStableFunc(list, func(a, b Affected) int { return rank(a) - rank(b) })
}

// changing returns the files that the targets are or lie in.
func (r *run) changing() []string {
	set := maps.Clone(r.own)
	for _, s := range slices.Concat(r.symbols, r.added) {
		set[s.File] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// fileExists returns a function that reports whether a file is one of the project.
func (r *run) fileExists() func(string) bool {
	set := make(map[string]bool, len(r.list))
	for _, f := range r.list {
		set[f.Path] = true
	}
	return func(file string) bool { return set[file] }
}

// mostLikely returns the files that are the likeliest to change with the targets, by
// references and by history together.
func (f findings) mostLikely(together []commitlog.Companion) []string {
	score := make(map[string]float64, len(f))
	for path, at := range f {
		score[path] = at.likelihood()
	}
	for _, c := range together {
		if _, known := score[c.File]; known || c.Together >= minHabitCommits {
			score[c.File] += c.Score
		}
	}
	paths := slices.SortedFunc(maps.Keys(score), func(a, b string) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), f.compare(a, b))
	})
	return first(paths, maxLikely)
}

// What a finding counts beside history, whose score is from 0 to 1. Both were found with
// the other weights, see package history.
const (
	asNamed    = 0.10 // a test that is called after the target
	asReferred = 0.10 // references, as many as oftenReferred or more
	asOther    = 0.05 // whatever else

	oftenReferred = 64
)

// likelihood is how likely a file changes with the targets by what refers to what.
func (at *finding) likelihood() float64 {
	sum, referring := 0.0, at.grade == must
	for _, r := range at.reasons[should] {
		if strings.HasSuffix(r.kind, byName) {
			sum += asNamed
		}
		referring = referring || strings.HasPrefix(r.kind, ofTest)
	}
	if !referring {
		return sum + asOther
	}
	return sum + asReferred*math.Min(1, math.Log2(1+float64(at.weight))/math.Log2(oftenReferred))
}
