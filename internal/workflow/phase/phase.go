// Package phase runs a table of phases as a state machine.
//
// A table is data: an ordered list of phases, the facts that skip each one, and
// the edges that leave it. [Table.Next] is a pure function of the table, the
// current phase and the facts. It reads no clock, no file and no network, so a
// walk can be tested line by line and replayed from a checkpoint.
//
// What a phase asks of its caller is its contract, and the contract's type
// belongs to the table's owner: package session asks for a payload, package
// pipeline for an agent's work.
package phase

import "fmt"

// An ID names a phase as its table spells it: "EXPLORATION", "phase-3b".
type ID string

// Done is where the last edge of a table leads.
const Done ID = "DONE"

// A Fact names a question that is yes or no when a phase ends: a flag of the
// session, an answer of the payload, something the server worked out.
type Fact string

// A Counter names how often an edge has been taken.
type Counter string

// A Table is a checked list of phases. The zero Table is not useful; see [Load].
type Table[C any] struct {
	phases []*phase[C]
	byID   map[ID]*phase[C]
}

// A phase is one row of a table.
type phase[C any] struct {
	ID       ID     `yaml:"id"`
	Skip     []Fact `yaml:"skip"` // any of these passes the phase over
	Next     []Edge `yaml:"next"` // the first open edge is taken; the last is always open
	Contract C      `yaml:",inline"`
}

// An Edge leads out of a phase.
type Edge struct {
	When   Fact      `yaml:"when"`   // the edge is open only if this holds
	Count  Counter   `yaml:"count"`  // what taking the edge adds one to
	Limit  int       `yaml:"limit"`  // with Count: how often the edge may be taken before it shuts
	Reset  []Counter `yaml:"reset"`  // what taking the edge sets to zero
	Person bool      `yaml:"person"` // a person decided, so a loop over this edge needs no limit
	To     ID        `yaml:"to"`
}

// Facts answers what a table asks about the present.
type Facts interface {
	IsTrue(Fact) bool
	Count(Counter) int
}

// A Step is where a walk went next, and over what.
type Step struct {
	To      ID
	Count   Counter   // the counter to add one to; empty if none
	Reset   []Counter // the counters to set to zero
	Skipped []ID      // the phases that were passed over on the way
}

// First returns the step into the table's first phase.
func (t *Table[C]) First(f Facts) Step {
	return t.pass(Step{To: t.phases[0].ID}, f)
}

// Next returns the step out of the phase named from.
func (t *Table[C]) Next(from ID, f Facts) (Step, error) {
	p, ok := t.byID[from]
	if !ok {
		return Step{}, fmt.Errorf("phase %q is not in the table", from)
	}
	for _, e := range p.Next {
		if e.isOpen(f) {
			return t.pass(Step{To: e.To, Count: e.Count, Reset: e.Reset}, f), nil
		}
	}
	panic("phase: " + string(from) + ": no open edge") // Load saw to it that there is one
}

// Contract returns what the phase named id asks of its caller.
func (t *Table[C]) Contract(id ID) (c C, ok bool) {
	p, ok := t.byID[id]
	if !ok {
		return c, false
	}
	return p.Contract, true
}

// IDs returns the phases in the order of the table.
func (t *Table[C]) IDs() []ID {
	ids := make([]ID, len(t.phases))
	for i, p := range t.phases {
		ids[i] = p.ID
	}
	return ids
}

// Skips reports whether the facts pass the phase named id over.
func (t *Table[C]) Skips(id ID, f Facts) bool {
	p, ok := t.byID[id]
	return ok && p.skipped(f)
}

// Edges returns the edges that leave the phase named id.
func (t *Table[C]) Edges(id ID) []Edge {
	p, ok := t.byID[id]
	if !ok {
		return nil
	}
	return append([]Edge(nil), p.Next...)
}

// pass moves the step over the phases that the facts skip. A skipped phase is
// left by its last edge, which no condition holds shut.
func (t *Table[C]) pass(s Step, f Facts) Step {
	for s.To != Done && t.byID[s.To].skipped(f) {
		s.Skipped = append(s.Skipped, s.To)
		s.To = t.byID[s.To].lastEdge().To
	}
	return s
}

func (p *phase[C]) lastEdge() Edge { return p.Next[len(p.Next)-1] }

func (p *phase[C]) skipped(f Facts) bool {
	for _, fact := range p.Skip {
		if f.IsTrue(fact) {
			return true
		}
	}
	return false
}

func (e Edge) isOpen(f Facts) bool {
	if e.When != "" && !f.IsTrue(e.When) {
		return false
	}
	return e.Limit == 0 || f.Count(e.Count) < e.Limit
}
