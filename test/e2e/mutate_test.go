package e2e

import (
	"testing"

	"codeintel/test/e2e/harness"
	"codeintel/test/e2e/mutation"
)

func mutations() mutation.Suite {
	s := mutation.Suite{
		Root: "../..", Table: "testdata/mutations.txtar", Results: "testdata/mutations.json",
		Cheats: make(map[string][]string), Sources: []string{"internal", "test/e2e"}, Env: harness.Environment,
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
func TestMutations(t *testing.T) { mutations().Run(t) }
