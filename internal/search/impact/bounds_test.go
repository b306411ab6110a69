package impact

import (
	"runtime"
	"strings"
	"testing"
)

// TestNameDeclaredOften follows some of the things of a name that is declared very often, says
// so, and loads none of them twice.
func TestNameDeclaredOften(t *testing.T) {
	a := open(t, map[string]string{"a.go": "package a\n\n" + strings.Repeat("func Greeting() {}\n", 3000), "b.go": "package a\n\nfunc b() { Greeting() }\n"})
	most := maxJudged
	t.Cleanup(func() { maxJudged = most })
	maxJudged = 10_000
	if _, err := a.Analyze(t.Context(), Query{Targets: []string{"b"}}); err != nil { // which makes the index
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer, err := a.Analyze(t.Context(), Query{Targets: []string{"Greeting"}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 100 {
		t.Errorf("the answer allocates %d MB", took)
	}
	if answer.Complete || !strings.Contains(answer.Text(), "were not followed") {
		t.Errorf("a bound is reached, and the answer is complete: %v\n%s", answer.Complete, answer.Text())
	}
}
