package pipeline

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"codeintel/proof/mutation"
)

var (
	// mutate runs the cheats once for each rule, with the rule taken out of the
	// program. It goes on where an earlier run of the same program stopped.
	mutate       = flag.Bool("mutate", false, "take out each rule in turn, and see which cheats get through; an hour or two")
	mutateWithin = flag.Duration("within", 0, "begin no rule of -mutate after this time; 0: any")
	mutateSeed   = flag.Uint64("order", 1, "of the rules of -mutate")
)

// environment is that of whoever runs the tests.
var environment = os.Environ()

func mutations() mutation.Suite {
	s := mutation.Suite{
		Root: "../..", Table: "testdata/mutations.txtar", Results: "testdata/mutations.json",
		Cheats: make(map[string][]string), Env: environment, Args: []string{"-lies"},
		Sources: []string{"internal/artifact", "internal/forge", "internal/phase", "internal/pipeline", "internal/request", "internal/shell", "internal/workspace", "proof/pipeline"},
	}
	for _, c := range cheats {
		s.Cheats[c.rule] = append(s.Cheats[c.rule], c.technique)
	}
	return s
}

// TestRulesHaveCheats wants each rule to be there to be taken out, and to be one that
// somebody breaks.
func TestRulesHaveCheats(t *testing.T) { mutations().Covers(t) }

// TestMutations takes out each rule: exactly its own cheats get through.
func TestMutations(t *testing.T) {
	if !*mutate {
		t.Skip("an hour or two; make mutate")
	}
	mutations().Run(t, *mutateWithin, *mutateSeed)
	onPage(t, mutationsBegin, mutationsEnd, mutationsText(t), true)
}

const (
	mutationsBegin = "<!-- pipeline mutations: written by make mutate -->\n"
	mutationsEnd   = "<!-- end of pipeline mutations -->\n"
)

// TestMutationsPage holds docs/enforcement.md against what came of all runs.
func TestMutationsPage(t *testing.T) {
	onPage(t, mutationsBegin, mutationsEnd, mutationsText(t), *update)
}

func mutationsText(t *testing.T) string {
	rules, taken, exact := mutations().Found(t)
	return fmt.Sprintf("Recorded in `proof/pipeline/testdata/mutations.json`: of %d rules %d were taken out, each with the state of the program; without %d of them exactly their own cheats got through.\n", rules, taken, exact)
}
