// Package engine decides which step comes next in a pipeline, in which a team of agents makes a change phase
// by phase.
//
// The table of phases is phases.yaml beside this file; package phase runs it, as it runs the
// table of a /code session. A [State] holds everything known about one pipeline, and [Next]
// returns what to do next: an [Action] for the orchestrator, or a step of the server itself.
// Both are pure: no files, no clock, no git. Whatever has to be looked up first is a [Look].
//
// An orchestrator decides nothing. It is handed an action under a [Ticket], and what it
// reports counts for that ticket only.
package engine

import (
	_ "embed"
	"slices"

	"codeintel/internal/workflow/phase"
)

//go:embed phases.yaml
var phasesYAML []byte

// A Kind says who acts in a phase, and how its end is known.
type Kind string

// The kinds of phases.
const (
	kindAdmin            Kind = "admin"              // the server, once
	kindAgent            Kind = "agent"              // one agent writes an artifact
	kindAgentWithVerdict Kind = "agent_with_verdict" // likewise, and the artifact says PASS or FAIL
	kindAgentPerTask     Kind = "agent_per_task"     // one agent for each task
	kindReview           Kind = "review"             // one agent judges an artifact
	kindReviewPerTask    Kind = "review_per_task"    // one agent judges each task
	kindCheckpoint       Kind = "checkpoint"         // a person decides
	kindExec             Kind = "exec"               // the orchestrator runs a command
	kindServer           Kind = "server"             // the server runs it and hands nothing out
	kindTerminal         Kind = "terminal"           // the end
)

// The phases that more than the table speaks of.
const (
	Setup             phase.ID = "setup"
	Analysis          phase.ID = "phase-1"
	Investigation     phase.ID = "phase-2"
	Design            phase.ID = "phase-3"
	DesignReview      phase.ID = "phase-3b"
	CheckpointA       phase.ID = "checkpoint-a"
	Decomposition     phase.ID = "phase-4"
	TasksReview       phase.ID = "phase-4b"
	CheckpointB       phase.ID = "checkpoint-b"
	Implementation    phase.ID = "phase-5"
	CodeReview        phase.ID = "phase-6"
	CheckpointImpl    phase.ID = "checkpoint-impl"
	Comprehensive     phase.ID = "phase-7"
	FinalVerification phase.ID = "final-verification"
	CheckpointVerify  phase.ID = "checkpoint-verification"
	FinalSummary      phase.ID = "final-summary"
	PRCreation        phase.ID = "pr-creation"
	PostToSource      phase.ID = "post-to-source"
	FinalCommit       phase.ID = "final-commit"
	Completed         phase.ID = "completed"
)

// The artifacts that more than the table speaks of.
const (
	DesignFile       = "design.md"
	TasksFile        = "tasks.md"
	SummaryFile      = "summary.md"
	ReviewFile       = "comprehensive-review.md"
	VerificationFile = "final-verification.md"
)

// combined is the agent of the first phase when the second is skipped.
const combined = "analyst-investigator"

// Work is what a phase asks of an agent: files in, files out. A name that ends
// in "?" is read only if it is there; "{task}" stands for the task's number.
type Work struct {
	Label  string   `yaml:"label"`
	Kind   Kind     `yaml:"kind"`
	Agent  string   `yaml:"agent"`
	Reads  []string `yaml:"reads"`
	Judges string   `yaml:"judges"`
	Writes []string `yaml:"writes"`
}

// A Table is the phases, as [Phases] returns them.
type Table = phase.Table[Work]

// vocabulary is every fact and counter that phases.yaml may name.
var vocabulary = phase.Words{
	Facts: map[phase.Fact]bool{
		// of the run
		effortXS: true, effortS: true, effortM: true, noPR: true, noTracker: true, auto: true, fixing: true,
		// of the last report or answer
		revise: true, failed: true, rejected: true,
	},
	Counters: map[phase.Counter]bool{
		"design_revisions": true, "task_revisions": true, implRetries: true,
		"human_rejections": true, "verification_rounds": true,
	},
}

const (
	effortXS         phase.Fact    = "effort_xs"
	effortS, effortM phase.Fact    = "effort_s", "effort_m"
	noPR, noTracker  phase.Fact    = "no_pr", "no_tracker"
	auto, fixing     phase.Fact    = "auto", "fixing"
	revise, failed   phase.Fact    = "revise", "failed"
	rejected         phase.Fact    = "rejected"
	implRetries      phase.Counter = "impl_retries"
)

// Phases returns the table.
func Phases() (*Table, error) {
	return phase.Load[Work](phasesYAML, vocabulary)
}

// UntilPhases returns the phases after which a pipeline may be told to stop.
func UntilPhases(t *Table) (ids []string) {
	for _, id := range t.IDs() {
		if w, _ := t.Contract(id); id != Setup && w.Kind != kindServer && w.Kind != kindTerminal &&
			!onlyAtLimits(t, id) {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// onlyAtLimits reports whether a phase is entered only where a limit is reached: it follows
// no other phase by its last edge.
func onlyAtLimits(t *Table, id phase.ID) bool {
	for _, from := range t.IDs() {
		edges := t.Edges(from)
		if len(edges) > 0 && edges[len(edges)-1].To == id {
			return false
		}
	}
	return true
}

// Skipped returns the phases that an effort passes over, in the order of the table.
func Skipped(t *Table, effort string) []phase.ID {
	ids := []phase.ID{}
	for _, id := range t.IDs() {
		if t.Skips(id, effortFacts(effort)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// effortFacts are the facts of an effort alone.
type effortFacts string

func (e effortFacts) IsTrue(f phase.Fact) bool {
	return f == effortXS && e == "XS" || f == effortS && e == "S" || f == effortM && e == "M"
}
func (effortFacts) Count(phase.Counter) int { return 0 }

// isBefore reports whether a phase is before another in the table.
func isBefore(t *Table, a, b phase.ID) bool {
	ids := t.IDs()
	return slices.Index(ids, a) < slices.Index(ids, b)
}
