package session

import (
	"context"
	"os"
	"path"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/instructions"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/trustedtexts"
	"codeintel/internal/text"
)

// addPhaseInput adds to an answer what its phase works on.
func (t *turn) addPhaseInput(ctx context.Context, a *answer.Answer) error {
	st := t.State
	if st.Evaluation != nil && st.Phase == phases.Q1 {
		a.Evaluation = st.Evaluation
	}
	switch st.Phase {
	case phases.ReadyPlan, phases.ReadyImplement, phases.ReadyComplete, phases.PostImplVerify, phases.VerifyIntervention, phases.UserEscalation:
		a.Tasks = t.taskLines()
	}
	t.presentChecks(a)
	switch st.Phase {
	case phases.BranchIntervention:
		a.StaleBranches = st.Stale
	case phases.DocumentResearch:
		return t.presentResearch(a)
	case phases.ImpactAnalysis: // once an analysis has run, a model that lost its answer sees the files again
		_, _, must, _, err := t.explored().Analysed()
		a.MustVerify = must
		return err
	case phases.ReadyPlan:
		return t.appendPrompt(a, "task_planning.md")
	case phases.ReadyImplement:
		a.NextTask = answer.Ahead(st.Next())
	case phases.PostImplVerify:
		return t.presentVerifiers(ctx, a)
	case phases.VerifyIntervention:
		all, err := t.s.texts.Prompts("interventions")
		for _, src := range all {
			if t.mayUse(a, src) {
				a.Interventions = append(a.Interventions, instructions.Prompt{Name: path.Base(src.File), Text: src.Text})
			}
		}
		return err
	case phases.UserEscalation:
		return t.presentEscalation(a)
	case phases.PreCommit:
		if err := t.appendPrompt(a, "review_prompts", "garbage_detection.md"); err != nil {
			return err
		}
		if len(a.Then) > 0 && a.Then[0].Phase == string(phases.QualityReview) { // its payload may come in the same call
			return t.appendPrompt(a, "review_prompts", "quality_review.md")
		}
	case phases.QualityReview:
		return t.appendPrompt(a, "review_prompts", "quality_review.md")
	}
	return nil
}

// appendPrompt makes a prompt file of the project part of the instruction.
func (t *turn) appendPrompt(a *answer.Answer, elem ...string) error {
	src, err := t.s.texts.Prompt(elem...)
	t.append(a, path.Join(elem...), src)
	return err
}

// append makes texts part of the instruction, or their name if they have been sent.
func (t *turn) append(a *answer.Answer, name string, sources ...instructions.Source) {
	var parts []string
	for _, src := range sources {
		if t.mayUse(a, src) {
			parts = append(parts, src.Text)
		}
	}
	switch content := strings.Join(parts, "\n\n"); {
	case content == "":
	case t.wasSent("prompt "+name, content):
		a.Instruction = msg.Join("\n", a.Instruction, msg.New("session.prompt_as_before", name))
	default:
		a.Instruction = msg.Join("\n\n", a.Instruction, msg.Literal(content))
	}
}

// mayUse reports whether a text has something to say here. Of one that is left out the
// answer says why, once.
func (t *turn) mayUse(a *answer.Answer, src instructions.Source) bool {
	if src.Left && !t.wasSent("left out "+src.File, src.File) {
		a.Warnings = append(a.Warnings, trustedtexts.LeftOut(src.File))
	}
	return src.Text != ""
}

func (t *turn) presentResearch(a *answer.Answer) error {
	c, err := t.s.project.LoadContext()
	if err != nil {
		return err
	}
	for _, dir := range c.DocResearch.DocsPath {
		if rel, err := t.s.project.Resolve(dir); err != nil {
			return err
		} else if info, err := os.Stat(t.s.project.Abs(rel)); err == nil && info.IsDir() {
			a.DocsPath = append(a.DocsPath, dir)
		}
	}
	if len(a.DocsPath) == 0 {
		a.Instruction = msg.Join(" ", a.Instruction, msg.New("session.no_folder_of_documents"))
	}
	sources, err := t.s.texts.Research(t.State.Flags.DocPrompts, c.DocResearch.DefaultPrompts)
	t.append(a, "doc_research", sources...)
	return err
}

func (t *turn) presentEscalation(a *answer.Answer) error {
	src, err := t.s.texts.Prompt("user_escalation.md")
	if err != nil {
		return err
	}
	parts := []any{msg.Literal(src.Text)}
	if !t.mayUse(a, src) {
		parts[0] = msg.New("session.blocked_how_to_go_on")
	}
	if t.State.Verify != nil && !t.State.Verify.Passed {
		parts = append(parts, msg.New("session.last_verification", msg.Block(text.Clip(t.State.Verify.Details, 2000))))
	}
	if !t.State.Returned.IsZero() {
		parts = append(parts, msg.New("session.before", t.State.Returned))
	}
	a.UserEscalation = msg.Join("\n\n", parts...)
	return nil
}
