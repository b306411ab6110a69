// Package session runs /code: it guides a model through one task, phase by phase, and checks what is
// submitted in each.
//
// The phases, and what each may ask about a session, are data (package phases). The payload
// of each phase is a struct in package payload, and its handler checks what a payload must
// fulfil. The server trusts what it observed: a claim in a payload is checked against the
// ledger, git or the files before it counts. A submission that fails a check changes nothing,
// and its answer says what to do next.
//
// All state is one value, [state.State], which is on disk before an answer leaves.
package session

import (
	"maps"

	"codeintel/internal/session/state"
	"codeintel/internal/workflow/phase"
)

// payloadFacts makes a state and the answers of one payload a [phase.Facts].
type payloadFacts struct {
	*state.State
	answers map[phase.Fact]bool
}

// IsTrue reports whether a fact is true. One that is not a flag and was not answered is false.
func (p payloadFacts) IsTrue(f phase.Fact) bool {
	s := p.State
	switch f {
	case "fast":
		return s.Flags.Fast
	case "quick":
		return s.Flags.Quick
	case "only_explore":
		return s.Flags.OnlyExplore
	case "only_verify":
		return s.Flags.OnlyVerify
	case "no_doc":
		return s.Flags.NoDoc
	case "no_verify":
		return s.Flags.NoVerify
	case "no_quality":
		return s.Flags.NoQuality
	case "no_intervention":
		return s.Flags.NoIntervention
	case "investigating":
		return s.Intent.Explores() && !s.Flags.OnlyVerify
	case "no_stale_branches":
		return len(s.Stale) == 0
	}
	return p.answers[f]
}

// Count reports how often an edge has been taken.
func (p payloadFacts) Count(c phase.Counter) int { return p.Counts[c] }

// applyStep moves the state over the step.
func applyStep(s *state.State, step phase.Step) {
	counts := make(map[phase.Counter]int)
	maps.Copy(counts, s.Counts)
	if step.Count != "" {
		counts[step.Count]++
	}
	for _, c := range step.Reset {
		delete(counts, c)
	}
	s.Left, s.Phase, s.Counts = s.Phase, step.To, counts
}
