package pastruns

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"codeintel/internal/text"
	"codeintel/test/golden"
)

// run is a completed pipeline of effort M with some tokens in its design, as many
// seconds, and so many revisions of it.
func run(name string, tokens int64, revisions int) Entry {
	e := Entry{SpecName: name, Status: Completed, Effort: "M", Ended: "2026-05-01T00:00:00Z"}
	for r := range revisions + 1 {
		verdict := "REVISE"
		if r == revisions {
			verdict = "APPROVE"
		}
		e.Phases = append(e.Phases,
			PhaseLog{Phase: "phase-3", Agent: "architect", Model: "opus", Tokens: tokens, DurationMS: tokens * 1000, Revision: r},
			PhaseLog{Phase: "phase-3b", Agent: "design-reviewer", Model: "sonnet", Tokens: 10, DurationMS: 1000, Verdict: verdict, Revision: r})
	}
	e.Phases = append(e.Phases, PhaseLog{Phase: "checkpoint-a"},
		PhaseLog{Phase: "phase-5", Task: "1", Agent: "implementer", Model: "sonnet", Tokens: 1000, DurationMS: 5000},
		PhaseLog{Phase: "phase-5", Task: "2", Agent: "implementer", Model: "sonnet", Tokens: 500, DurationMS: 2500})
	return e
}

func TestEstimate(t *testing.T) {
	short := Entry{SpecName: "s", Status: Abandoned, Effort: "M", Phases: []PhaseLog{{Phase: "phase-1", Agent: "a", Tokens: 1, DurationMS: 1}}}
	unknown := run("unknown", 0, 0) // its client told no tokens for the design
	x := indexOf([]Entry{run("a", 100, 0), run("b", 300, 1), run("c", 200, 2), short, unknown})
	e := x.Estimate("m", "")
	if !e.Enough || e.Reason != "" || e.Effort != "M" || e.Completed != 4 || e.Abandoned != 1 {
		t.Fatalf("%+v", e)
	}
	// Tokens: 100+10, 2×310, 3×210, each with 1,500 for the tasks.
	if want := (Spread{3, 2120, 1610, 2130}); e.Tokens != want {
		t.Errorf("tokens %+v, want %+v", e.Tokens, want)
	}
	// Revisions of the design alone, reviews are not counted: 0, 1, 2, and 0.
	if want := (Spread{4, 0, 0, 2}); e.Revisions != want {
		t.Errorf("revisions %+v, want %+v", e.Revisions, want)
	}
	var phases []string
	for _, p := range e.Phases {
		phases = append(phases, p.Phase)
	}
	if want := []string{"phase-3", "phase-3b", "checkpoint-a", "phase-5"}; !slices.Equal(phases, want) {
		t.Errorf("phases %q, want %q", phases, want)
	}
	if p := e.Phases[0]; p.Runs != 4 || p.Tokens != (Spread{3, 600, 100, 600}) || p.DurationMS != (Spread{3, 600_000, 100_000, 600_000}) {
		t.Errorf("the design took %+v", p)
	}
	if p := e.Phases[2]; p.Tokens.Cases+p.DurationMS.Cases != 0 {
		t.Errorf("a checkpoint took %+v", p)
	}
	if p := e.Phases[3]; p.Tokens != (Spread{4, 1500, 1500, 1500}) || p.Revisions.Most != 0 {
		t.Errorf("the tasks took %+v, want their sum", p)
	}
	golden.Hold(t, "testdata/estimate.txt", e.Text())
}

// With too little data it has no figures, and says why.
func TestNoEstimate(t *testing.T) {
	abandoned := run("c", 1, 0)
	abandoned.Status = Abandoned
	for _, tt := range []struct {
		entries []Entry
		reason  string
	}{
		{nil, "too little data: 0 completed runs of effort M; an estimate needs 3"},
		{[]Entry{run("a", 1, 0), abandoned}, "too little data: 1 completed run of effort M; an estimate needs 3"},
		{[]Entry{run("a", 1, 0), run("b", 1, 0)}, "too little data: 2 completed runs of effort M; an estimate needs 3"},
	} {
		e := indexOf(tt.entries).Estimate("M", "")
		if e.Enough || e.Reason != tt.reason || e.Tokens != (Spread{}) || len(e.Phases) != 0 {
			t.Errorf("of %d entries: %+v, want %q and no figure", len(tt.entries), e, tt.reason)
		}
		if !strings.HasPrefix(e.Text(), "No estimate, "+tt.reason+".\n") {
			t.Errorf("it says %q", e.Text())
		}
	}
	if e := indexOf([]Entry{run("a", 1, 0), run("b", 1, 0), run("c", 1, 0)}).Estimate("M", ""); !e.Enough {
		t.Errorf("three runs are too few: %+v", e)
	}
	if e := indexOf(past()).Estimate("M", ""); e.Enough || !strings.Contains(e.Text(), "abandoned: 1 of 2 (fewer than 5: no share)") {
		t.Errorf("without enough runs the counts are missing: %s", e.Text())
	}
}

func TestStatistics(t *testing.T) {
	entries := append(past(), run("a", 100, 0), run("b", 300, 1), run("c", 200, 2))
	small := run("small", 50, 0)
	small.Effort = "S"
	entries = append(entries, small, Entry{SpecName: "old", Status: Abandoned})
	s := indexOf(entries).Statistics()
	if s.Completed != 6 || s.Abandoned != 2 {
		t.Errorf("%d completed, %d abandoned", s.Completed, s.Abandoned)
	}
	var efforts []string
	for _, e := range s.Efforts {
		efforts = append(efforts, e.Effort)
	}
	if want := []string{"", "S", "M", "L"}; !slices.Equal(efforts, want) {
		t.Errorf("efforts %q, want %q", efforts, want)
	}
	rate := func(what string) Rate {
		i := slices.IndexFunc(s.Rates, func(r Rate) bool { return r.What == what })
		if i < 0 {
			t.Fatalf("no rate %q in %+v", what, s.Rates)
		}
		return s.Rates[i]
	}
	if r := rate("abandoned"); r.Count != 2 || r.Of != 8 || r.Share == nil || *r.Share != 0.25 {
		t.Errorf("%+v, want 2 of 8", r)
	}
	// Of six reviewed designs the first verdict counts: two of past, b and c had REVISE.
	if r := rate("not passed at first by phase-3b"); r.Count != 4 || r.Of != 6 || r.Share == nil {
		t.Errorf("%+v, want 4 of 6", r)
	}
	if r := rate("not passed at first by phase-6"); r.Count != 0 || r.Of != 1 || r.Share != nil {
		t.Errorf("%+v, want 0 of 1 and no share", r)
	}
	if r := rate("with a CRITICAL finding"); r.Count != 2 || r.Of != 6 {
		t.Errorf("%+v, want 2 of the 6 that were reviewed", r)
	}
	golden.Hold(t, "testdata/statistics.txt", s.Text())
	if got := indexOf(nil).Statistics().Text(); got != "No pipeline has ended yet.\n" {
		t.Errorf("of nothing it says %q", got)
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		values []int64
		want   Spread
	}{
		{nil, Spread{}},
		{[]int64{7}, Spread{1, 7, 7, 7}},
		{[]int64{9, 1}, Spread{2, 5, 1, 9}},
		{[]int64{3, 1, 2}, Spread{3, 2, 1, 3}},
		{[]int64{1 << 62, 1<<62 + 2}, Spread{2, 1<<62 + 1, 1 << 62, 1<<62 + 2}},
	} {
		if got := spread(slices.Clone(tt.values)); got != tt.want {
			t.Errorf("spread(%v) = %+v, want %+v", tt.values, got, tt.want)
		}
	}
}

// The order of phases is that of the pipelines, whatever each of them skipped, and
// does not depend on the order of the pipelines.
func TestPhaseOrder(t *testing.T) {
	ways := [][]string{{"setup", "1", "3", "5", "7"}, {"1", "2", "3", "3b", "a", "4", "5", "6", "7"}, {"3b", "4", "4b", "b", "5"}, nil}
	want := strings.Fields("setup 1 2 3 3b a 4 4b b 5 6 7")
	rapid.Check(t, func(t *rapid.T) {
		var entries []*Entry
		for _, way := range rapid.Permutation(ways).Draw(t, "ways") {
			e := &Entry{}
			for _, phase := range way {
				e.Phases = append(e.Phases, PhaseLog{Phase: phase}, PhaseLog{Phase: phase, Revision: 1})
			}
			entries = append(entries, e)
		}
		if got := phaseOrder(entries); !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := text.Grouped(n); got != want {
			t.Errorf("text.Grouped(%d) = %q, want %q", n, got, want)
		}
	}
	for ms, want := range map[int64]string{0: "0:00", 499: "0:00", 500: "0:01", 45_000: "0:45", 3_599_999: "1:00:00", 3_723_000: "1:02:03", 100 * 3600_000: "100:00:00"} {
		if got := clock(ms); got != want {
			t.Errorf("clock(%d) = %q, want %q", ms, got, want)
		}
	}
}
