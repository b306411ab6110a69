// Package phases loads phases.yaml, the table of the phases of a session: their order, and what each asks of
// the model. The session walks it, one submission after the other.
package phases

import (
	_ "embed"

	"codeintel/internal/workflow/phase"
)

//go:embed phases.yaml
var table []byte

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

// Load reads the table.
func Load() (*phase.Table[Contract], error) {
	return phase.Load[Contract](table, vocabulary)
}
