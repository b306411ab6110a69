package engine

import (
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

// labels are what people call the phases. The labels of phases.yaml are the same, in
// English, for readers of that file.
var labels = map[phase.ID]msg.Message{
	"setup":                   msg.New("pipeline.label_setup"),
	"phase-1":                 msg.New("pipeline.label_situation_analysis"),
	"phase-2":                 msg.New("pipeline.label_investigation"),
	"phase-3":                 msg.New("pipeline.label_design"),
	"phase-3b":                msg.New("pipeline.label_design_review"),
	"checkpoint-a":            msg.New("pipeline.label_human_reviews_design"),
	"checkpoint-design":       msg.New("pipeline.label_human_decides_on_design"),
	"phase-4":                 msg.New("pipeline.label_task_decomposition"),
	"phase-4b":                msg.New("pipeline.label_tasks_review"),
	"checkpoint-b":            msg.New("pipeline.label_human_reviews_tasks"),
	"checkpoint-tasks":        msg.New("pipeline.label_human_decides_on_tasks"),
	"phase-5":                 msg.New("pipeline.label_implementation"),
	"phase-6":                 msg.New("pipeline.label_code_review"),
	"checkpoint-impl":         msg.New("pipeline.label_human_decides_on_implementation"),
	"phase-7":                 msg.New("pipeline.label_comprehensive_review"),
	"final-verification":      msg.New("pipeline.label_final_verification"),
	"checkpoint-verification": msg.New("pipeline.label_human_decides_on_verification"),
	"pr-creation":             msg.New("pipeline.label_pr_creation"),
	"final-summary":           msg.New("pipeline.label_final_summary"),
	"post-to-source":          msg.New("pipeline.label_post_to_source"),
	"final-commit":            msg.New("pipeline.label_final_commit"),
	"completed":               msg.New("pipeline.label_completed"),
}

// Label returns what people call a phase; its id if it has no label.
func Label(id phase.ID) msg.Message {
	if label, ok := labels[id]; ok {
		return label
	}
	return msg.Literal(string(id))
}

// Headline is what is shown while a phase runs: "Phase 3b: Design Review".
func Headline(id phase.ID) msg.Message {
	if n, ok := strings.CutPrefix(string(id), "phase-"); ok {
		return msg.New("pipeline.phase", n, Label(id))
	}
	return Label(id)
}
