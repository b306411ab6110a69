// Package session leads a model through one task, phase by phase.
//
// The phases are data ([phases.yaml]); what they may ask about a session is the
// vocabulary in this file; each phase's payload is a struct in payload.go, and
// what a payload must live up to is its handler. The server believes what it
// observed: a claim in a payload is held against the ledger, git or the files
// before it counts. A submission that does not hold changes nothing and is told
// what to do next.
//
// All state lies in one value, [State], that is on disk before an answer leaves.
//
// [phases.yaml]: the table beside this file
package session

import (
	_ "embed"
	"maps"

	"codeintel/internal/session/state"
	"codeintel/internal/workflow/phase"
)

//go:embed phases.yaml
var phasesYAML []byte

// The phases, as the table spells them.
const (
	BranchIntervention phase.ID = "BRANCH_INTERVENTION"
	DocumentResearch   phase.ID = "DOCUMENT_RESEARCH"
	QueryFrame         phase.ID = "QUERY_FRAME"
	Exploration        phase.ID = "EXPLORATION"
	Q1                 phase.ID = "Q1"
	Semantic           phase.ID = "SEMANTIC"
	Q2                 phase.ID = "Q2"
	Verification       phase.ID = "VERIFICATION"
	Q3                 phase.ID = "Q3"
	ImpactAnalysis     phase.ID = "IMPACT_ANALYSIS"
	ReadyPlan          phase.ID = "READY_PLAN"
	ReadyImplement     phase.ID = "READY_IMPLEMENT"
	ReadyComplete      phase.ID = "READY_COMPLETE"
	PostImplVerify     phase.ID = "POST_IMPL_VERIFY"
	VerifyIntervention phase.ID = "VERIFY_INTERVENTION"
	UserEscalation     phase.ID = "USER_ESCALATION"
	PreCommit          phase.ID = "PRE_COMMIT"
	QualityReview      phase.ID = "QUALITY_REVIEW"
	Merge              phase.ID = "MERGE"
)

// A Contract is what a phase asks of the model.
type Contract struct {
	Step      int               `yaml:"step"`
	Wire      string            `yaml:"wire"`       // the phase's name in answers; its id if empty
	ReadyStep string            `yaml:"ready_step"` // plan, implement or complete
	Requires  Requirement       `yaml:"requires"`
	Allows    []string          `yaml:"allows"`  // tools that only the phases that name them allow
	Payload   map[string]string `yaml:"payload"` // pseudo-types for the model to read
	With      []phase.ID        `yaml:"with"`    // phases that may be answered in the same call
}

// A Requirement names the calls that must have been observed since the phase
// began.
type Requirement struct {
	Tools []string `yaml:"tools"` // each of these
	Kinds int      `yaml:"kinds"` // and so many different ones
	Of    string   `yaml:"of"`    // of this group; the only one is "exploration"
	Reads bool     `yaml:"reads"` // a file that the client was seen to read counts as one of them
}

// vocabulary is every fact and counter that phases.yaml may name.
var vocabulary = phase.Words{
	Facts: map[phase.Fact]bool{
		// flags and intent
		"fast": true, "quick": true, "only_explore": true, "only_verify": true,
		"no_doc": true, "no_verify": true, "no_quality": true, "no_intervention": true,
		"investigating": true,
		// seen by the server
		"no_stale_branches": true, "task_exhausted": true, "unverified": true,
		// answers of the last payload
		"needs_more_information": true, "has_unverified_hypotheses": true, "needs_impact_analysis": true,
		"verify_failed": true, "issues_found": true, "back_to_exploration": true, "back_to_ready": true,
		"user_retry": true, "user_accept": true,
		"verifier_missing": true, "user_verify": true, "verify_again": true, "more_tasks": true,
	},
	Counters: map[phase.Counter]bool{
		"verify_failures": true, "interventions": true, "quality_reverts": true, "backs": true,
	},
}

// Phases returns the table.
func Phases() (*phase.Table[Contract], error) {
	return phase.Load[Contract](phasesYAML, vocabulary)
}

// present makes a state and the answers of one payload a [phase.Facts].
type present struct {
	*state.State
	answers map[phase.Fact]bool
}

// Holds reports a fact. What is not a flag and was not answered does not hold.
func (p present) Holds(f phase.Fact) bool {
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
func (p present) Count(c phase.Counter) int { return p.Counts[c] }

// take moves the state over the step.
func take(s *state.State, step phase.Step) {
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
