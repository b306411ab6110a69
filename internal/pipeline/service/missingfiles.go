package service

import (
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/workflow"
)

// textNow is [workflow.TextNow] of the pipeline's project.
func (t *turn) textNow(file string) []byte { return workflow.TextNow(t.s.project.Root, file) }

// missing are the files that the plan of a task calls new and that are not there.
func (t *turn) missing(id string) (files []string) {
	for _, f := range t.reviewProof().Planned()[id].Files {
		if _, there := t.reviewProof().Lines(f.Path); f.New && !there {
			files = append(files, f.Path)
		}
	}
	return files
}

// missingText is the section of a prompt that has the review of a task look for them.
func (t *turn) missingText(id string) string {
	files := t.missing(id)
	if len(files) == 0 || t.st.Phase != engine.CodeReview {
		return ""
	}
	return "\n\n## Missing Files\n\ntasks.md calls these new, and they are not there. Fail the task unless it is whole without them: " +
		textformat.Files(files).String() + "\n"
}
