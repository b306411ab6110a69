package changes

import (
	"context"
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// maxForeign is how many commits of others are named, the newest of them.
const maxForeign = 20

// NameBaseCommits names, in answers and in the report, the commits that others made on the
// base of the task. It reports whether there are any, and whether any had not been named.
func (t *Tree) NameBaseCommits(ctx context.Context, r *git.Repo) (some, fresh bool, err error) {
	if t.State.Branch == nil {
		return false, false, nil
	}
	commits, rewritten, err := taskbranch.Foreign(ctx, r, *t.State.Branch, maxForeign+1)
	if err != nil {
		return false, false, err
	}
	var named []any
	for i, c := range commits {
		if i == maxForeign { // there are older ones
			if len(named) > 0 {
				named = append(named, "…")
			}
			break
		}
		if !slices.Contains(t.State.Foreign, c.ID) {
			t.State.Foreign = append(t.State.Foreign, c.ID)
			named = append(named, c.ID[:min(10, len(c.ID))]+" "+text.Clip(c.Subject, 80)+" ("+text.Clip(c.Author, 40)+")")
		}
	}
	if len(named) > 0 {
		t.State.Warn("session.base_has_commits_of_others", t.State.Branch.Base, msg.ListOf("; ", named...))
	}
	if mark := "rewritten " + t.State.Branch.BaseCommit; rewritten && !slices.Contains(t.State.Foreign, mark) {
		t.State.Foreign = append(t.State.Foreign, mark)
		t.State.Warn("session.base_was_rewritten", t.State.Branch.Base, t.State.Branch.BaseCommit)
		fresh = true
	}
	return len(commits) > 0 || rewritten, fresh || len(named) > 0, nil
}
