package e2e

import (
	"testing"

	"codeintel/test/e2e/harness"
	"codeintel/test/e2e/mutation"
)

func mutations() mutation.Suite {
	s := mutation.Suite{
		Root: "../..", Table: "testdata/mutations.txtar", Results: "testdata/mutations.json",
		Attacks: make(map[string][]string), Sources: []string{"internal", "test/e2e"}, Env: harness.Environment,
	}
	for _, c := range attacks {
		s.Attacks[c.rule] = append(s.Attacks[c.rule], c.technique)
	}
	return s
}

// TestRulesHaveAttacks checks that each rule can be removed and has an attack.
func TestRulesHaveAttacks(t *testing.T) { mutations().Covers(t) }

// TestMutations removes each rule: exactly its own attacks get through.
func TestMutations(t *testing.T) { mutations().Run(t) }
