package phase

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Words are the facts and counters that a table's owner can answer for.
type Words struct {
	Facts    map[Fact]bool
	Counters map[Counter]bool
}

// Load reads a table from YAML.
//
// It refuses a table that could trap a walk: an edge to a phase that is not
// there, a fact or a counter that the owner does not know, a phase whose last
// edge is conditional, an edge that can never be taken, a phase that nothing leads
// to, and a loop that may be walked for ever. All errors are reported together.
func Load[C any](data []byte, words Words) (*Table[C], error) {
	var doc struct {
		Phases []*phase[C] `yaml:"phases"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("phase table: %w", err)
	}
	t := &Table[C]{phases: doc.Phases, byID: make(map[ID]*phase[C])}
	for i, p := range t.phases {
		if p == nil || p.ID == "" {
			return nil, fmt.Errorf("phase table: row %d has no id", i+1)
		}
		if t.byID[p.ID] != nil {
			return nil, fmt.Errorf("phase table: %s is there twice", p.ID)
		}
		t.byID[p.ID] = p
	}
	if err := t.check(words); err != nil {
		return nil, fmt.Errorf("phase table: %w", err)
	}
	return t, nil
}

// check returns everything that is wrong with t.
func (t *Table[C]) check(words Words) error {
	if len(t.phases) == 0 {
		return errors.New("no phases")
	}
	var errs []error
	for _, p := range t.phases {
		for _, f := range p.Skip {
			if !words.Facts[f] {
				errs = append(errs, fmt.Errorf("%s: skip: unknown fact %q", p.ID, f))
			}
		}
		for i, e := range p.Next {
			if err := t.checkEdge(e, words, i == len(p.Next)-1); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.ID, err))
			}
		}
		if len(p.Next) == 0 || p.lastEdge().conditional() {
			errs = append(errs, fmt.Errorf("%s: the last edge must always be open", p.ID))
		}
	}
	if len(errs) > 0 { // the walks below need edges that lead somewhere
		return errors.Join(errs...)
	}
	return errors.Join(append(t.unreachable(), t.loops()...)...)
}

func (t *Table[C]) checkEdge(e Edge, words Words, last bool) error {
	switch {
	case e.To != Done && t.byID[e.To] == nil:
		return fmt.Errorf("no phase %q to go to", e.To)
	case e.When != "" && !words.Facts[e.When]:
		return fmt.Errorf("when: unknown fact %q", e.When)
	case e.Count != "" && !words.Counters[e.Count]:
		return fmt.Errorf("count: unknown counter %q", e.Count)
	case e.Limit < 0:
		return fmt.Errorf("limit %d is negative", e.Limit)
	case e.Limit > 0 && e.Count == "":
		return fmt.Errorf("limit %d counts nothing", e.Limit)
	case !last && !e.conditional():
		return fmt.Errorf("the edge to %s is always open, so the ones after it are never taken", e.To)
	}
	for _, c := range e.Reset {
		if !words.Counters[c] {
			return fmt.Errorf("reset: unknown counter %q", c)
		}
	}
	return nil
}

func (e Edge) conditional() bool { return e.When != "" || e.Limit > 0 }

// unreachable reports each phase that no walk can enter.
func (t *Table[C]) unreachable() (errs []error) {
	seen := map[ID]bool{t.phases[0].ID: true}
	for todo := []ID{t.phases[0].ID}; len(todo) > 0; {
		p := t.byID[todo[0]]
		todo = todo[1:]
		for _, e := range p.Next {
			if e.To != Done && !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	for _, p := range t.phases {
		if !seen[p.ID] {
			errs = append(errs, fmt.Errorf("%s: nothing leads to it", p.ID))
		}
	}
	return errs
}

// An arrow is an edge together with where it starts.
type arrow struct {
	from ID
	Edge
}

// loops reports the loops that may be walked for ever. Such a loop could hold a
// model without end, and after a compaction the model would not even notice.
//
// An edge with a limit can be taken only finitely often among phases that
// return to each other if none of the edges among them resets its counter. So
// it is struck out, with the resets it carries; what then still goes round is
// looked at again. What is left when nothing more can be struck out has no
// limit. Edges that a person takes are struck out first.
func (t *Table[C]) loops() (errs []error) {
	var arrows []arrow
	for _, p := range t.phases {
		for _, e := range p.Next {
			if e.To != Done && !e.Person {
				arrows = append(arrows, arrow{p.ID, e})
			}
		}
	}
	for {
		knot := t.components(arrows)
		inside := func(a arrow) bool { return knot[a.from] != 0 && knot[a.from] == knot[a.To] }
		resets := make(map[int][]Counter)
		for _, a := range arrows {
			if inside(a) {
				resets[knot[a.from]] = append(resets[knot[a.from]], a.Reset...)
			}
		}
		left := slices.DeleteFunc(slices.Clone(arrows), func(a arrow) bool {
			return !inside(a) || a.Limit > 0 && !slices.Contains(resets[knot[a.from]], a.Count)
		})
		if len(left) == len(arrows) {
			for _, a := range left {
				errs = append(errs, fmt.Errorf("%s: the way to %s can go round for ever: no limit breaks the loop", a.from, a.To))
			}
			return errs
		}
		arrows = left
	}
}

// components finds the strongly connected components: it numbers the phases from 1 so that two have the same number
// exactly if the arrows lead from each to the other; a phase on no loop has number 0.
func (t *Table[C]) components(arrows []arrow) map[ID]int {
	out := make(map[ID][]ID)
	for _, a := range arrows {
		out[a.from] = append(out[a.from], a.To)
	}
	reach := make(map[ID]map[ID]bool) // tables have a few dozen rows: the closure is cheap
	for from := range out {
		seen := make(map[ID]bool)
		for todo := slices.Clone(out[from]); len(todo) > 0; {
			id := todo[0]
			todo = todo[1:]
			if !seen[id] {
				seen[id] = true
				todo = append(todo, out[id]...)
			}
		}
		reach[from] = seen
	}
	number, n := make(map[ID]int), 0
	for _, p := range t.phases {
		if number[p.ID] != 0 || !reach[p.ID][p.ID] {
			continue
		}
		n++
		for other := range reach[p.ID] {
			if reach[other][p.ID] {
				number[other] = n
			}
		}
	}
	return number
}
