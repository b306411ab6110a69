package pipeline

import (
	"testing"

	"codeintel/test/e2e/harness"
	"codeintel/test/e2e/mutation"
	"codeintel/test/e2e/page"
	"codeintel/test/golden"
)

func mutations() mutation.Suite {
	s := mutation.Suite{
		Root: "../../..", Table: "testdata/mutations.txtar", Results: "testdata/mutations.json",
		Attacks: make(map[string][]string), Env: harness.Environment, Args: []string{"-lies"},
		Sources: []string{"internal/pipeline/artifact", "internal/pipeline/service", "internal/approval", "internal/workflow/phase", "internal/pipeline/engine", "internal/pipeline/github", "internal/pipeline/request", "internal/shellcheck", "internal/pipeline/workspace", "internal/text/markdown", "test/e2e/pipeline", "test/e2e/harness"},
	}
	for _, c := range attacks {
		s.Attacks[c.rule] = append(s.Attacks[c.rule], c.technique)
	}
	return s
}

// TestRulesHaveAttacks checks that each rule can be removed and has an attack.
func TestRulesHaveAttacks(t *testing.T) { mutations().Covers(t) }

// TestMutations removes each rule: exactly its own attacks get through.
func TestMutations(t *testing.T) {
	mutations().Run(t)
	page.Hold(t, "../../..", "pipeline mutations", mutations().Summary(t), true)
}

// TestMutationsPage compares docs/design/attacks.md with the results of all runs.
func TestMutationsPage(t *testing.T) {
	page.Hold(t, "../../..", "pipeline mutations", mutations().Summary(t), golden.Update())
}
