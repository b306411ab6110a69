package e2e

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"codeintel/test/e2e/page"
)

// times measures; what it finds is written into docs/design/enforcement-tests.md.
var times = flag.Bool("times", false, "measure how long the server takes in each phase on 5,000 files")

// budget is what the server may take to end a phase, besides the repository's
// own hooks and verifiers.
const budget = 200 * time.Millisecond

// TestTimes plays whole sessions on a repository of 5,000 files and writes down
// how long each phase's submission took.
func TestTimes(t *testing.T) {
	if !*times {
		t.Skip("figures of a busy machine say nothing; make times")
	}
	const sessions = 7
	took := make(map[string]sample)
	w := crowded(flagged("--gate=full")())
	st := newFixture(t, w.files)
	if r := st.Call(nil, "sync_index", object{}); r.Refused {
		t.Fatal(r.Text)
	}
	for range sessions {
		a := newAgent(st, w)
		a.base = st.Git("rev-parse", "HEAD")
		began := time.Now()
		a.start()
		took["start_session"] = append(took["start_session"], time.Since(began))
		for a.at() != "END" {
			at, honest := a.at(), a.deed()
			began := time.Now()
			a.took(a.submit(honest))
			took[at] = append(took[at], time.Since(began))
		}
		if a.answer.Str("outcome") != "completed" {
			t.Fatal(a.answer.Text)
		}
		st.Git("revert", "--no-edit", "-m", "1", "HEAD") // for the next one
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d sessions with `--gate=full` on 5,000 files; the time of a submission, from the client's side of an in-process connection; budget %d ms.\n\n", sessions, budget.Milliseconds())
	b.WriteString("| phase | median | worst |\n|---|---|---|\n")
	for _, phase := range slices.Sorted(maps.Keys(took)) {
		median, worst := took[phase].at(50), took[phase].at(100)
		fmt.Fprintf(&b, "| %s | %d ms | %d ms |\n", phase, median.Milliseconds(), worst.Milliseconds())
		if median > budget {
			t.Errorf("%s takes %v, more than %v", phase, median, budget)
		}
	}
	t.Log("\n" + b.String())
	page.Hold(t, "../..", "times", b.String(), true)
}
