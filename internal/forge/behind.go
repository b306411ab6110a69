package forge

import (
	"context"
	"errors"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/phase"
	"codeintel/internal/pipeline"
)

// reviewed are the phases after the reviews of code, in which nobody changes any.
var reviewed = []phase.ID{pipeline.FinalVerification, pipeline.CheckpointVerify, pipeline.PRCreation, pipeline.FinalSummary, pipeline.PostToSource, pipeline.FinalCommit}

// changedBehind has a person asked if what was reviewed is not what there is: a
// file of a task was edited since, or somebody has made commits of his own.
func (t *turn) changedBehind(ctx context.Context) error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || t.st.Reviewing == "" || !t.phaseIs(reviewed...) {
		return nil
	}
	files, err := t.behind(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	t.st.Pause = &pipeline.Pause{
		Name:   pipeline.ChangedDesk,
		Text:   "These files were changed after their review, and no review has seen that:\n\n- " + strings.Join(files, "\n- ") + "\n\napprove takes them as they are, and commits them. retry looks again, when the changes are undone.",
		Commit: &pipeline.Commit{Files: files, Message: t.commitMessage(nil)},
	}
	t.dirty = true
	return nil
}

func (t *turn) behind(ctx context.Context) ([]string, error) {
	if err := t.onBranch(ctx); err != nil {
		return nil, err
	}
	now, err := t.changedSince(ctx, t.st.Reviewing)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil, nil // the commit is gone: history was rewritten, and there is nothing to compare with
	}
	if err != nil || len(now) == 0 {
		return nil, err
	}
	head, err := t.head(ctx)
	if err != nil {
		return nil, err
	}
	commits, err := t.repo.Diff(ctx, t.st.Reviewing, head)
	if err != nil {
		return nil, err
	}
	committed := pathsOf(commits)
	var files []string
	for f := range now {
		ofTask := slices.ContainsFunc(t.st.Tasks, func(k pipeline.Task) bool { return slices.Contains(k.Claimed, f) })
		if ofTask || committed[f] {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return files, nil
}
