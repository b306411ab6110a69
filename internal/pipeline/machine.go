// Package pipeline leads a team of agents through a change, phase by phase.
//
// It holds the table of its phases ([phases.yaml] beside this file), which the
// same machine walks as that of a /code session: see package phase.
package pipeline

import (
	_ "embed"

	"codeintel/internal/phase"
)

//go:embed phases.yaml
var phasesYAML []byte

// A Kind says who acts in a phase, and how its end is known.
type Kind string

// The kinds of phases.
const (
	Admin            Kind = "admin"              // the server, once
	Agent            Kind = "agent"              // one agent writes an artifact
	AgentWithVerdict Kind = "agent_with_verdict" // likewise, and the artifact says PASS or FAIL
	AgentPerTask     Kind = "agent_per_task"     // one agent for each task
	Review           Kind = "review"             // one agent judges an artifact
	ReviewPerTask    Kind = "review_per_task"    // one agent judges each task
	Checkpoint       Kind = "checkpoint"         // a person decides
	Exec             Kind = "exec"               // the orchestrator runs a command
	Absorbed         Kind = "absorbed"           // the server runs it and hands nothing out
	Terminal         Kind = "terminal"           // the end
)

// Work is what a phase asks of an agent: files in, files out. A name that ends
// in "?" is read only if it is there; "{task}" stands for the task's number.
type Work struct {
	Label  string   `yaml:"label"`
	Kind   Kind     `yaml:"kind"`
	Agent  string   `yaml:"agent"`
	Reads  []string `yaml:"reads"`
	Writes []string `yaml:"writes"`
}

// vocabulary is every fact and counter that phases.yaml may name.
var vocabulary = phase.Words{
	Facts: map[phase.Fact]bool{
		// of the run
		"effort_s": true, "effort_m": true, "no_pr": true, "no_tracker": true,
		// of the last report or answer
		"revise": true, "failed": true, "rejected": true,
	},
	Counters: map[phase.Counter]bool{
		"design_revisions": true, "task_revisions": true, "impl_retries": true,
		"human_rejections": true, "verification_rounds": true,
	},
}

// Phases returns the table.
func Phases() (*phase.Table[Work], error) {
	return phase.Load[Work](phasesYAML, vocabulary)
}
