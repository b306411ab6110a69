package proof

import (
	"flag"
	"testing"

	"codeintel/proof/mutation"
)

var (
	// mutate runs the cheats once for each rule, with the rule taken out of the
	// program. It goes on where an earlier run of the same program stopped.
	mutate       = flag.Bool("mutate", false, "take out each rule in turn, and see which cheats get through; hours")
	mutateWithin = flag.Duration("within", 0, "begin no rule of -mutate after this time; 0: any")
	mutateSeed   = flag.Uint64("order", 1, "of the rules of -mutate")
)

func mutations() mutation.Suite {
	s := mutation.Suite{
		Root: "..", Table: "testdata/mutations.txtar", Results: "testdata/mutations.json",
		Cheats: make(map[string][]string), Sources: []string{"internal", "proof"}, Env: environment,
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
		t.Skip("hours; make mutate")
	}
	mutations().Run(t, *mutateWithin, *mutateSeed)
}
