package taskbranch

import (
	"context"
	"strconv"
	"strings"

	"codeintel/internal/git"
)

// Foreign returns at most so many commits, newest first, that others added to the base of a
// task since it began. rewritten reports whether the base has lost the commit that the task
// began on. Once the task is merged into the base there are none.
func Foreign(ctx context.Context, r *git.Repo, t Task, most int) (commits []git.Described, rewritten bool, err error) {
	base, err := r.Resolve(ctx, heads+t.Base)
	if err != nil || base == "" || base == t.BaseCommit {
		return nil, false, err
	}
	tip, err := r.Resolve(ctx, heads+t.Name)
	if err != nil || tip == "" {
		return nil, false, err
	}
	if tip != t.BaseCommit {
		if in, err := r.Contains(ctx, base, tip); in || err != nil {
			return nil, false, err
		}
	}
	kept, err := r.Contains(ctx, base, t.BaseCommit)
	if err != nil {
		return nil, false, err
	}
	out, err := r.Run(ctx, "rev-list", "--max-count="+strconv.Itoa(most), base, "^"+t.BaseCommit, "^"+tip, "--")
	if err != nil {
		return nil, false, err
	}
	commits, err = r.Describe(ctx, strings.Fields(out))
	return commits, !kept, err
}
