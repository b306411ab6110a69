package service

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
	"codeintel/internal/workflow/codediff/reason"
)

// onlyRemarks returns a finding if a task whose review failed has changed nothing since but comments
// and white space, while no critical finding is about those.
func (t *turn) onlyRemarks(ctx context.Context, k *engine.Task, claims []string) ([]artifact.Finding, error) {
	var why []artifact.Finding
	switch {
	case k.Review != nil && k.Review.Verdict == string(artifact.Fail):
		why = k.Review.Findings
	case k.Fix:
		for _, c := range append(t.reviewProof().Planned()[k.ID].Acceptance, k.Title, k.Text) {
			why = append(why, artifact.Finding{Severity: artifact.Critical, Description: msg.Literal(c)})
		}
	}
	if len(why) == 0 || artifact.AboutText(why) || k.Round == "" {
		return nil, nil
	}
	had, err := t.Repo.Contents(ctx, k.Round, claims, workflow.MostCompared)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var files []codediff.File
	for _, f := range claims {
		now := t.textNow(f)
		if string(now) == string(had[f]) && (now == nil) == (had[f] == nil) {
			continue
		}
		files = append(files, codediff.File{Path: f, Base: had[f], New: now})
	}
	compared := codediff.Compare(files, t.textNow)
	for _, f := range files {
		v := compared.Lines(f.Path, 1, math.MaxInt-1)
		if len(v.Lines) > 0 || !compared.Known(f.Path) || artifact.Effective(f.Path, f.Base, f.New) || !slices.Contains([]reason.Reason{reason.Comment, reason.Format, reason.Blank}, v.Why) {
			return nil, nil
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	return []artifact.Finding{artifact.NewCritical("pipeline.fixed_by_comments_alone", k.ID)}, nil
}

// checkSummary checks the files of which a summary says that they were changed against the change.
func (t *turn) checkSummary(ctx context.Context, text string) ([]artifact.Finding, error) {
	named := artifact.Changes(text)
	if len(named) == 0 || t.st.Pull != nil || t.st.Previous != "" { // it may speak of what was there before
		return nil, nil
	}
	changed, err := t.changedSince(ctx, t.st.BaseCommit)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var wrong []string
	for _, f := range named {
		same := false
		for c := range changed {
			same = same || c == f || strings.HasSuffix(c, "/"+f)
		}
		if !same && !workspace.IsOwnFile(f) {
			wrong = append(wrong, f)
		}
	}
	if len(wrong) == 0 {
		return nil, nil
	}
	return []artifact.Finding{artifact.NewCritical("pipeline.summary_names_unchanged_files", textformat.Files(wrong))}, nil
}
