package session

import (
	"context"
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// mostForeign is how many commits of others are named, the newest of them.
const mostForeign = 20

// nameForeign names, in answers and in the report, the commits that others made on the
// base of the task. It reports whether there are any, and whether any had not been named.
func (t *turn) nameForeign(ctx context.Context, r *git.Repo) (some, fresh bool, err error) {
	if t.st.Branch == nil {
		return false, false, nil
	}
	commits, rewritten, err := taskbranch.Foreign(ctx, r, *t.st.Branch, mostForeign+1)
	if err != nil {
		return false, false, err
	}
	var named []any
	for i, c := range commits {
		if i == mostForeign { // there are older ones
			if len(named) > 0 {
				named = append(named, "…")
			}
			break
		}
		if !slices.Contains(t.st.Foreign, c.ID) {
			t.st.Foreign = append(t.st.Foreign, c.ID)
			named = append(named, c.ID[:min(10, len(c.ID))]+" "+text.Clip(c.Subject, 80)+" ("+text.Clip(c.Author, 40)+")")
		}
	}
	if len(named) > 0 {
		t.st.Warn("session.base_has_commits_of_others", t.st.Branch.Base, msg.ListOf("; ", named...))
	}
	if mark := "rewritten " + t.st.Branch.BaseCommit; rewritten && !slices.Contains(t.st.Foreign, mark) {
		t.st.Foreign = append(t.st.Foreign, mark)
		t.st.Warn("session.base_was_rewritten", t.st.Branch.Base, t.st.Branch.BaseCommit)
		fresh = true
	}
	return len(commits) > 0 || rewritten, fresh || len(named) > 0, nil
}

// foreignNamed reports whether an answer has named all commits of others on the base. A
// merge that was sent ahead waits for that, and so does one that others got ahead of.
func (t *turn) foreignNamed(ctx context.Context, r *git.Repo) (bool, error) {
	some, fresh, err := t.nameForeign(ctx, r)
	return !fresh && (!some || t.since == t.st.Since), err
}
