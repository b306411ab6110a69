package session

import (
	"cmp"
	"context"

	"codeintel/internal/git"
	"codeintel/internal/session/state"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
)

// compared compares what changed since a mark with what was there. Without git only
// the present texts are known: then everything in them counts as new.
func (t *turn) compared(ctx context.Context, since state.Mark, changes []git.Change) (*codediff.Diff, error) {
	files, err := t.texts(ctx, since, changes)
	if err != nil {
		return nil, err
	}
	return codediff.Compare(files, t.textNow), nil
}

// texts returns the changed files before and after.
func (t *turn) texts(ctx context.Context, since state.Mark, changes []git.Change) (files []codediff.File, err error) {
	var paths []string
	for _, c := range changes {
		if c.Status != git.Added && !c.Link() && !c.Submodule() {
			paths = append(paths, cmp.Or(c.OldPath, c.Path))
		}
	}
	had := make(map[string][]byte)
	if t.st.Git && len(paths) > 0 {
		r, err := t.repo(ctx)
		if err != nil {
			return nil, err
		}
		if had, err = r.Contents(ctx, since.Tree, paths, workflow.MostCompared); err != nil {
			return nil, err
		}
	}
	for _, c := range changes {
		if c.Link() || c.Submodule() || c.Binary {
			continue
		}
		f := codediff.File{Path: c.Path, OldPath: c.OldPath, Test: t.s.code.IsTest != nil && t.s.code.IsTest(c.Path)}
		if c.Status != git.Added {
			f.Base = had[cmp.Or(c.OldPath, c.Path)]
		}
		if c.Status != git.Deleted {
			f.New = t.textNow(c.Path)
		}
		if f.New != nil || f.Base != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// textNow is [workflow.TextNow] of the session's project.
func (t *turn) textNow(path string) []byte { return workflow.TextNow(t.s.project.Root, path) }
