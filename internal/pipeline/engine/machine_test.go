package engine

import (
	"strings"
	"testing"

	"codeintel/internal/workflow/phase"
)

type flags map[phase.Fact]bool

func (f flags) IsTrue(n phase.Fact) bool { return f[n] }
func (f flags) Count(phase.Counter) int  { return 0 }

// TestSkips checks the table against the effort table of the specification.
func TestSkips(t *testing.T) {
	table, err := Phases()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		effort phase.Fact
		want   string
	}{
		{"effort_xs", "phase-1 phase-2 phase-3 phase-3b checkpoint-a phase-4 phase-4b checkpoint-b phase-7 final-verification"},
		{"effort_s", "phase-2 phase-3b phase-4 phase-4b checkpoint-b"},
		{"effort_m", "phase-4b checkpoint-b"},
		{"effort_l", ""},
	} {
		var got []string
		for _, id := range table.IDs() {
			if table.Skips(id, flags{tt.effort: true}) {
				got = append(got, string(id))
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s skips %q, want %q", tt.effort, s, tt.want)
		}
	}
}

// TestWalk is the way of a run in which everything is approved at once.
func TestWalk(t *testing.T) {
	table, err := Phases()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		facts flags
		want  string
	}{
		{"L with a tracker", flags{}, "setup phase-1 phase-2 phase-3 phase-3b checkpoint-a phase-4 phase-4b checkpoint-b phase-5 phase-6 phase-7 final-verification final-summary pr-creation post-to-source final-commit completed DONE"},
		{"M from text", flags{"effort_m": true, "no_tracker": true}, "setup phase-1 phase-2 phase-3 phase-3b checkpoint-a phase-4 phase-5 phase-6 phase-7 final-verification final-summary pr-creation final-commit completed DONE"},
		{"XS from text", flags{"effort_xs": true, "no_tracker": true}, "setup phase-5 phase-6 final-summary pr-creation final-commit completed DONE"},
		{"S without a pull request", flags{"effort_s": true, "no_tracker": true, "no_pr": true}, "setup phase-1 phase-3 checkpoint-a phase-5 phase-6 phase-7 final-verification final-summary final-commit completed DONE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := table.First(tt.facts).To
			way := []string{string(at)}
			for at != phase.Done && len(way) < 50 {
				s, err := table.Next(at, tt.facts)
				if err != nil {
					t.Fatal(err)
				}
				at = s.To
				way = append(way, string(at))
			}
			if got := strings.Join(way, " "); got != tt.want {
				t.Errorf("way\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestLimitNeverApproves asserts that a loop which has used up its limit ends
// before a person, not in the next phase.
func TestLimitNeverApproves(t *testing.T) {
	table, err := Phases()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range table.IDs() {
		for _, e := range table.Edges(id) {
			if e.Limit == 0 {
				continue
			}
			s, err := table.Next(id, worn{e.When})
			if err != nil {
				t.Fatal(err)
			}
			work, _ := table.Contract(s.To)
			if work.Kind != kindCheckpoint {
				t.Errorf("%s: with %s at its limit the walk goes on to %s", id, e.Count, s.To)
			}
		}
	}
}

// worn is a Facts in which one fact holds and every counter is used up.
type worn struct{ fact phase.Fact }

func (w worn) IsTrue(f phase.Fact) bool { return f == w.fact }
func (w worn) Count(phase.Counter) int  { return 1000 }
