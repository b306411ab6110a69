package branch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/git"
)

// TakeBase merges the base, which has moved on, into the task branch, so that a
// conflict can be solved there as part of the work. It returns the task measured
// from where the base is now, and the files that hold conflict markers: they are
// committed as they are, for the task to mend. Nothing happens if the branch
// holds the base already.
func TakeBase(ctx context.Context, r *git.Repo, t Task) (Task, []string, error) {
	const again = "Mend what git says and try again."
	base, err := r.Resolve(ctx, heads+t.Base)
	if err != nil || base == "" {
		return t, nil, err
	}
	tip, err := r.Resolve(ctx, heads+t.Name)
	if err != nil || tip == "" {
		return t, nil, err
	}
	in, err := r.Contains(ctx, tip, base)
	if err != nil || in {
		return t, nil, err
	}
	out, err := r.Do(ctx, git.Command{Args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", tip, base}, Effect: git.Writes})
	var failed *git.Error
	if err != nil && (!errors.As(err, &failed) || failed.Exit != 1) {
		return t, nil, refused(err, MergeFailed, fmt.Sprintf("%s cannot be merged into %s.", t.Base, t.Name), again)
	}
	fields := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	conflicts := fields[1:]
	slices.Sort(conflicts)
	merge, err := r.CommitTree(ctx, strings.TrimSpace(fields[0]), fmt.Sprintf("Merge %s into %s", t.Base, t.Name), tip, base)
	if err != nil {
		return t, nil, refused(err, MergeFailed, "The merge could not be committed.", again)
	}
	if _, err := r.Do(ctx, git.Command{Args: []string{"merge", "--quiet", "--ff-only", merge}, Effect: git.Writes}); err != nil {
		return t, nil, refused(err, CheckoutFailed, "The files could not follow the merge of "+t.Base+".", again)
	}
	t.BaseCommit = base
	return t, slices.Compact(conflicts), nil
}
