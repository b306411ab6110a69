package proof

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// times measures; what it finds is written into docs/enforcement.md.
var times = flag.Bool("times", false, "measure how long the server takes in each phase on 5,000 files")

// budget is what the server may take to end a phase, besides the repository's
// own hooks and verifiers.
const budget = 200 * time.Millisecond

const (
	timesBegin = "<!-- times: written by make times -->\n"
	timesEnd   = "<!-- end of times -->\n"
)

// TestTimes plays whole sessions on a repository of 5,000 files and writes down
// how long each phase's submission took.
func TestTimes(t *testing.T) {
	if !*times {
		t.Skip("figures of a busy machine say nothing; make times")
	}
	const sessions = 7
	took := make(map[string][]time.Duration)
	w := flagged("--gate=full")()
	w.files = maps.Clone(w.files)
	for i := range 5000 - len(w.files) {
		w.files[fmt.Sprintf("parts/p%02d/part_%d.py", i%100, i)] = part(i)
	}
	st := newStage(t, w.files)
	if r := st.call(nil, "sync_index", object{}); r.refused {
		t.Fatal(r.text)
	}
	for range sessions {
		a := newAgent(st, w)
		a.base = st.git("rev-parse", "HEAD")
		began := time.Now()
		a.start()
		took["start_session"] = append(took["start_session"], time.Since(began))
		for a.at() != "END" {
			at, honest := a.at(), a.deed()
			began := time.Now()
			a.took(a.submit(honest))
			took[at] = append(took[at], time.Since(began))
		}
		if a.answer.str("outcome") != "completed" {
			t.Fatal(a.answer.text)
		}
		st.git("revert", "--no-edit", "-m", "1", "HEAD") // for the next one
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d sessions with `--gate=full` on 5,000 files; the time of a submission, from the client's side of an in-process connection; budget %d ms.\n\n", sessions, budget.Milliseconds())
	b.WriteString("| phase | median | worst |\n|---|---|---|\n")
	for _, phase := range slices.Sorted(maps.Keys(took)) {
		all := took[phase]
		slices.Sort(all)
		median, worst := all[len(all)/2], all[len(all)-1]
		fmt.Fprintf(&b, "| %s | %d ms | %d ms |\n", phase, median.Milliseconds(), worst.Milliseconds())
		if median > budget {
			t.Errorf("%s takes %v, more than %v", phase, median, budget)
		}
	}
	t.Log("\n" + b.String())
	onPage(t, timesBegin, timesEnd, b.String(), true)
}

// part is a file like many others.
func part(i int) string {
	return fmt.Sprintf(`"""Part %[1]d of the shop."""


class Part%[1]d:
    """Holds %[1]d things."""

    def __init__(self, count):
        self.count = count

    def weight(self, each):
        """The weight of all things."""
        return self.count * each + %[1]d


def make_part_%[1]d(count):
    return Part%[1]d(count)
`, i)
}
