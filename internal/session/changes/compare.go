package changes

import (
	"cmp"
	"context"

	"codeintel/internal/git"
	"codeintel/internal/session/state"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
)

// Compare compares what changed since a mark with what was there. Without git only
// the present texts are known: then everything in them counts as new.
func (t *Tree) Compare(ctx context.Context, since state.Mark, changes []git.Change) (*codediff.Diff, error) {
	return t.CompareParts(ctx, Part{since, changes})
}

// A Part is some of a change, and the files that it began from.
type Part struct {
	Since   state.Mark
	Changes []git.Change
}

// CompareParts is [Tree.Compare] where the files of a change began at different times.
func (t *Tree) CompareParts(ctx context.Context, parts ...Part) (*codediff.Diff, error) {
	var all []codediff.File
	for _, p := range parts {
		files, err := t.texts(ctx, p.Since, p.Changes)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return codediff.Compare(all, t.TextNow), nil
}

// texts returns the changed files before and after.
func (t *Tree) texts(ctx context.Context, since state.Mark, changes []git.Change) (files []codediff.File, err error) {
	var paths []string
	for _, c := range changes {
		if c.Status != git.Added && !c.Link() && !c.Submodule() {
			paths = append(paths, cmp.Or(c.OldPath, c.Path))
		}
	}
	had := make(map[string][]byte)
	if t.State.Git && len(paths) > 0 {
		r, err := t.Repository(ctx)
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
		f := codediff.File{Path: c.Path, OldPath: c.OldPath, Test: t.IsTest != nil && t.IsTest(c.Path)}
		if c.Status != git.Added {
			f.Base = had[cmp.Or(c.OldPath, c.Path)]
		}
		if c.Status != git.Deleted {
			f.New = t.TextNow(c.Path)
		}
		if f.New != nil || f.Base != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// TextNow is [workflow.TextNow] of the session's project.
func (t *Tree) TextNow(path string) []byte { return workflow.TextNow(t.Project.Root, path) }
