package explore

import (
	"cmp"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
)

// A function that calls several of the places that fit a question decides between them or puts them together,
// though it may have few words of the question itself.
const (
	joinedPlaces = 8   // the best ones, whose callers are looked for
	minJoined    = 2   // of them that such a function calls
	minTypes     = 3   // that it uses, where they are types: it chooses between alternatives
	maxJoining   = 2   // such functions that are raised
	maxJoinLines = 60  // of such a function: a longer one calls all kinds of things
	minShared    = 1   // words of the question in the name of a step
	joiningLines = 24  // of each of them, beside the places that fit
	joiningRank  = 2   // how many places stay before them
	maxCallsRead = 200 // mentions of a name: what is called more often is no step of something
)

// A joining is a function, and which of the best places it calls.
type joining struct {
	at    sourceLine // where it begins
	calls []int
	types int     // how many of them are types, which it uses
	score float64 // of those, together
}

// joiningFirst raises the functions that call several of the best places.
func (r *run) joiningFirst() error {
	if len(r.found) == 0 || r.a.Weak {
		return nil
	}
	best := slices.Clone(r.found[:min(len(r.found)-len(r.fitting), joinedPlaces)]) // raising moves them
	list, err := r.joinings(best)
	if err != nil {
		return err
	}
	raised := 0
	for _, j := range list[:min(len(list), 2*maxJoining)] {
		if raised == maxJoining {
			break
		}
		c, err := r.joiningAt(j, best)
		if err != nil {
			return err
		}
		if c != nil {
			raised++
			r.raise(c)
		}
	}
	return nil
}

// joinings returns the functions that mention several of some places, those of the best places first. Where no
// place is likely to be meant, only those that choose between types count.
func (r *run) joinings(best []candidate) ([]*joining, error) {
	of := map[sourceLine]*joining{}
	for i := range best {
		if err := r.declare(&best[i]); err != nil {
			return nil, err
		}
		if best[i].declared == nil || !called(best[i].kind) && !best[i].isClass() {
			continue
		}
		all, err := r.e.x.Occurrences(r.ctx, best[i].declared.Name)
		if err != nil {
			return nil, errorf("occurrences", err)
		}
		if len(all) <= maxCallsRead {
			join(of, all, i, &best[i])
		}
	}
	var list []*joining
	for _, j := range of {
		if len(j.calls) >= minJoined && (best[0].score >= likely || j.types >= minTypes) {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *joining) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at.file, b.at.file), cmp.Compare(a.at.line, b.at.line))
	})
	return list, nil
}

// join notes which functions use the i-th of the best places, by the mentions of its name.
func join(of map[sourceLine]*joining, all []index.Occurrence, i int, c *candidate) {
	for k := range all {
		o := &all[k]
		uses := o.Role == syntax.Call || c.isClass() && o.Role != syntax.Definition && o.Role != syntax.ImportUse
		own := o.File == c.file && c.start <= o.Line && o.Line <= c.end
		if !uses || own || !called(o.Enclosing.Kind) {
			continue
		}
		at := sourceLine{o.File, o.Enclosing.StartLine}
		j := of[at]
		if j == nil {
			j = &joining{at: at}
			of[at] = j
		}
		if slices.Contains(j.calls, i) {
			continue
		}
		j.calls, j.score = append(j.calls, i), j.score+c.score
		if c.isClass() {
			j.types++
		}
	}
}

func (c *candidate) isClass() bool { return c.kind == syntax.Class || c.kind == syntax.Struct }

// stepsOfFirst raises the places among those found that the first one calls and whose names share words with
// the question.
func (r *run) stepsOfFirst() error {
	if len(r.found) == 0 || r.a.Weak || r.found[0].score < likely {
		return nil
	}
	first := r.found[0]
	if err := r.declare(&first); err != nil {
		return err
	}
	if first.declared == nil || !called(first.kind) || r.isTest(&first) {
		return nil
	}
	callees, err := r.src.Callees(r.ctx, *first.declared)
	if err != nil && problem.Of(err) == nil {
		return errorf("callees", err)
	}
	raised := 0
	for _, c := range slices.Clone(r.found[1 : len(r.found)-len(r.fitting)]) {
		isCalled := func(s search.Callee) bool {
			return s.File == c.file && c.start <= s.NameLine && s.NameLine <= c.end && called(s.Kind) && r.shared(s.Name) >= minShared
		}
		if raised < maxJoining && slices.ContainsFunc(callees, isCalled) {
			raised++
			r.raise(&c)
		}
	}
	return nil
}

// joiningAt returns the function that is a joining, nil if it is a test or does not call these places after all.
func (r *run) joiningAt(j *joining, best []candidate) (*candidate, error) {
	list, err := r.e.x.FileSymbols(r.ctx, j.at.file)
	if problem.Of(err) != nil {
		return nil, nil // gone meanwhile
	}
	if err != nil {
		return nil, errorf("symbols", err)
	}
	i := slices.IndexFunc(list, func(s index.Symbol) bool { return s.StartLine == j.at.line && called(s.Kind) })
	if i < 0 {
		return nil, nil
	}
	c := candidateOf(&list[i])
	if c.end-c.start >= maxJoinLines || r.isTest(&c) || !r.inside(c.file) {
		return nil, nil
	}
	callees, err := r.src.Callees(r.ctx, list[i])
	if err != nil {
		return nil, errorf("callees", err)
	}
	n := 0
	for _, k := range j.calls {
		d := best[k].declared
		if slices.ContainsFunc(callees, func(s search.Callee) bool { return s.File == d.File && s.NameLine == d.NameLine }) {
			n++
		}
		c.score = max(c.score, best[k].score)
	}
	if n < minJoined && j.types < minTypes {
		return nil, nil
	}
	return &c, nil
}

// raise puts a place after the first ones, unless it is one of them.
func (r *run) raise(c *candidate) {
	same := func(o candidate) bool { return o.file == c.file && o.start <= c.end && c.start <= o.end }
	at := slices.IndexFunc(r.found, same)
	if 0 <= at && at <= joiningRank {
		return
	}
	c.joins = true
	r.found = slices.DeleteFunc(r.found, same)
	r.found = slices.Insert(r.found, min(joiningRank, len(r.found)), *c)
}
