package phase

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// present is a Facts made of two sets.
type present struct {
	holds map[Fact]bool
	count map[Counter]int
}

func (p present) IsTrue(f Fact) bool  { return p.holds[f] }
func (p present) Count(c Counter) int { return p.count[c] }

func facts(names ...Fact) present {
	p := present{holds: map[Fact]bool{}, count: map[Counter]int{}}
	for _, n := range names {
		p.holds[n] = true
	}
	return p
}

var words = Words{
	Facts:    map[Fact]bool{"fast": true, "needs_more": true, "failed": true, "retry": true},
	Counters: map[Counter]bool{"reverts": true, "rounds": true},
}

const small = `
phases:
  - {id: EXPLORE, skip: [fast], next: [{when: needs_more, to: SEARCH}, {to: READY}]}
  - {id: SEARCH, skip: [fast], next: [{to: READY}]}
  - {id: READY, next: [{to: REVIEW}]}
  - {id: REVIEW, next: [{when: failed, count: reverts, limit: 3, to: READY}, {to: DONE}]}
`

func TestNext(t *testing.T) {
	table, err := Load[struct{}]([]byte(small), words)
	if err != nil {
		t.Fatal(err)
	}
	worn := facts("failed")
	worn.count["reverts"] = 3

	for _, tt := range []struct {
		name  string
		from  ID
		facts present
		want  Step
	}{
		{"the first open edge is taken", "EXPLORE", facts("needs_more"), Step{To: "SEARCH"}},
		{"else the last one", "EXPLORE", facts(), Step{To: "READY"}},
		{"a skipped phase is passed over", "EXPLORE", facts("needs_more", "fast"), Step{To: "READY", Skipped: []ID{"SEARCH"}}},
		{"a way back is counted", "REVIEW", facts("failed"), Step{To: "READY", Count: "reverts"}},
		{"until its limit shuts it", "REVIEW", worn, Step{To: Done}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := table.Next(tt.from, tt.facts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Next(%s) mismatch (-want +got):\n%s", tt.from, diff)
			}
		})
	}
	if _, err := table.Next("MOON", facts()); err == nil {
		t.Error("Next from an unknown phase did not fail")
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, table, want string }{
		{"no rows", `phases: []`, `no phases`},
		{"a row without an id", `phases: [{next: [{to: DONE}]}]`, `row 1 has no id`},
		{"an edge to nowhere", `phases: [{id: A, next: [{to: B}]}]`, `A: no phase "B" to go to`},
		{"an unknown fact to skip on", `phases: [{id: A, skip: [moon], next: [{to: DONE}]}]`, `A: skip: unknown fact "moon"`},
		{"an unknown fact on an edge", `phases: [{id: A, next: [{when: moon, to: DONE}, {to: DONE}]}]`, `A: when: unknown fact "moon"`},
		{"an unknown counter", `phases: [{id: A, next: [{count: moons, limit: 1, to: DONE}, {to: DONE}]}]`, `A: count: unknown counter "moons"`},
		{"an unknown reset", `phases: [{id: A, next: [{reset: [moons], to: DONE}]}]`, `A: reset: unknown counter "moons"`},
		{"a limit without a counter", `phases: [{id: A, next: [{limit: 1, to: DONE}, {to: DONE}]}]`, `A: limit 1 counts nothing`},
		{"a last edge that can be shut", `phases: [{id: A, next: [{when: fast, to: DONE}]}]`, `A: the last edge must always be open`},
		{"no edge at all", `phases: [{id: A}]`, `A: the last edge must always be open`},
		{"an edge behind an open one", `phases: [{id: A, next: [{to: DONE}, {to: DONE}]}]`, `never taken`},
		{"a phase that nothing leads to", `phases: [{id: A, next: [{to: DONE}]}, {id: B, next: [{to: DONE}]}]`, `B: nothing leads to it`},
		{"a loop without a limit", `phases: [{id: A, next: [{when: fast, to: A}, {to: DONE}]}]`, `A: the way to A can go round for ever`},
		{"a longer one", `phases: [{id: A, next: [{to: B}]}, {id: B, next: [{when: fast, to: A}, {to: DONE}]}]`, `B: the way to A can go round for ever`},
		{"a limit that the loop itself resets", `phases: [{id: A, next: [{count: reverts, limit: 3, reset: [reverts], to: A}, {to: DONE}]}]`, `A: the way to A can go round for ever`},
		{
			"two limits that reset each other",
			`phases: [{id: A, next: [{when: fast, count: reverts, limit: 2, reset: [rounds], to: A}, {when: failed, count: rounds, limit: 2, reset: [reverts], to: A}, {to: DONE}]}]`,
			`A: the way to A can go round for ever`,
		},
		{"a misspelt key", `phases: [{id: A, nxt: []}]`, `field nxt not found`},
		{"the same phase twice", `phases: [{id: A, next: [{to: DONE}]}, {id: A, next: [{to: DONE}]}]`, `A is there twice`},
		{"no YAML", `{`, `phase table`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load[struct{}]([]byte(tt.table), words)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load error = %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestLoadAccepts(t *testing.T) {
	for _, tt := range []struct{ name, table string }{
		{
			"a limit that an outer, limited loop resets",
			`phases: [{id: A, next: [{when: failed, count: reverts, limit: 2, to: A}, {to: B}]}, {id: B, next: [{count: rounds, limit: 1, reset: [reverts], to: A}, {to: DONE}]}]`,
		},
		{
			"a loop that a person walks",
			`phases: [{id: A, next: [{when: retry, person: true, reset: [reverts], to: A}, {to: DONE}]}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Load[struct{}]([]byte(tt.table), words); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWalksEnd takes, at every phase of an accepted table, the edge that leads
// furthest from the end for as long as it is open: the walk must still end.
func TestWalksEnd(t *testing.T) {
	table, err := Load[struct{}]([]byte(`
phases:
  - {id: A, next: [{when: failed, count: reverts, limit: 2, to: A}, {to: B}]}
  - {id: B, next: [{count: rounds, limit: 3, reset: [reverts], to: A}, {to: DONE}]}
`), words)
	if err != nil {
		t.Fatal(err)
	}
	f, at := facts("failed"), table.First(facts()).To
	for range 100 {
		if at == Done {
			return
		}
		s, err := table.Next(at, f)
		if err != nil {
			t.Fatal(err)
		}
		if s.Count != "" {
			f.count[s.Count]++
		}
		for _, c := range s.Reset {
			f.count[c] = 0
		}
		at = s.To
	}
	t.Error("the walk never ends")
}
